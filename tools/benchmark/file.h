/* Files that a benchmark writes when it has measured. */
#ifndef GANNET_BENCHMARK_FILE_H
#define GANNET_BENCHMARK_FILE_H

#include <stdio.h>

#include "base/error.h"

/* Whether a file can be written, to be asked before hours of measurements: what is in it stays, and
 * one that is missing is made.
 *
 * Local.
 *
 * path  in  NULL = no file, which is no error
 *
 * Errors: those of gannet_raise_errno.
 */
GANNET_CHECKED gannet_err bench_file_try(const char *path);

/* Open a file, and forget what is in it.
 *
 * Local.
 *
 * file  out  to be closed with bench_file_close
 *
 * Errors: those of gannet_raise_errno.
 */
GANNET_CHECKED gannet_err bench_file_open(const char *path, FILE **file);

/* Errors: those of gannet_raise_errno, when a part of what was written is lost.
 *
 * Local.
 */
GANNET_CHECKED gannet_err bench_file_close(FILE *file, const char *path);

#endif
