/* Opening files that somebody else may have made, or put in the place of ours.
 *
 * A simulation, a user or another program can leave a FIFO, a device, a link or a directory under
 * the name of a file. An ordinary open(2) or fopen(3) then waits for ever, fills the memory, or
 * writes into a file elsewhere. The functions here open without waiting, look at what was opened,
 * and say what it is when it is no regular file:
 *
 *   reading   symbolic links are followed, as users link to their inputs. What the shell makes of
 *             <(command), and /dev/stdin, may be a pipe
 *   writing   symbolic links are refused: gannet writes into files of its own
 *
 * Files that gannet replaces as a whole need no such care: base/atomic_file.h makes a new one.
 */
#ifndef GANNET_BASE_OPEN_FILE_H
#define GANNET_BASE_OPEN_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Open a regular file.
 *
 * Local.
 *
 * flags       in   of open(2): O_RDONLY, O_WRONLY | O_APPEND | O_CREAT, ...; close-on-exec is added
 * otherwise   in   code of the error when the path is no regular file: GANNET_ERR_INPUT for what a
 *                  user names, GANNET_ERR_DAMAGED for what gannet wrote
 * descriptor  out  -1 after an error
 *
 * Errors: otherwise, with what the path is; GANNET_ERR_MISSING, GANNET_ERR_IO and the like by
 *   errno, which is kept. With otherwise, errno is EISDIR, ELOOP or EINVAL.
 */
GANNET_CHECKED gannet_err gannet_file_open(const char *path, int flags, gannet_err otherwise,
                                           int *descriptor);

/* The same for reading through a stream, to be closed with fclose.
 *
 * Local.
 *
 * stream  out  NULL after an error
 *
 * Errors: as for opening.
 */
GANNET_CHECKED gannet_err gannet_file_stream(const char *path, gannet_err otherwise, FILE **stream);

/* Make a file that was not there, for writing. What is there, such as the file of a process that
 * was killed, or a link that somebody put there, is removed first; a directory is not.
 *
 * Local.
 *
 * mode        in   permissions, of which the process may take some
 * descriptor  out  -1 after an error
 *
 * Errors: GANNET_ERR_IO, also for a directory; GANNET_ERR_NO_SPACE and the like by errno, which is
 *   kept.
 */
GANNET_CHECKED gannet_err gannet_file_create(const char *path, unsigned mode, int *descriptor);

/* Read a whole file into memory, with a terminating zero byte that is not counted.
 *
 * Local.
 *
 * most       in   bytes that the file may have
 * otherwise  in   code of the error when it has more, or is no regular file
 * bytes      out  to be freed with gannet_free
 * size       out  may be NULL
 *
 * Errors: otherwise; GANNET_ERR_MISSING, GANNET_ERR_IO, GANNET_ERR_MEMORY; errno is kept.
 */
GANNET_CHECKED gannet_err gannet_file_read_within(const char *path, int64_t most,
                                                  gannet_err otherwise, char **bytes, size_t *size);

/* The same for any file that a user may name: up to 64 GiB, otherwise GANNET_ERR_INPUT.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_file_read(const char *path, char **bytes, size_t *size);

/* Read the end of a file, such as the last words of a log.
 *
 * Local.
 *
 * room  in   bytes of text, of which the last becomes a terminating zero
 * text  out  [room] "" after an error
 * size  out  bytes before that zero; may be NULL
 *
 * Errors: as for opening, otherwise GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err gannet_file_read_end(const char *path, size_t room, char *text,
                                               size_t *size);

#endif
