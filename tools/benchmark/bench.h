/* The sub-benchmarks: one file each, one row of a table each.
 *
 *   gannet-bench NAME [--key value | --key=value ...]
 *
 * Settings are described by option tables; a key of the table is written with dashes on the command
 * line. Values of lists are separated by commas, and a list may be given several times.
 */
#ifndef GANNET_BENCHMARK_BENCH_H
#define GANNET_BENCHMARK_BENCH_H

#include "base/option.h"

typedef struct {
  MPI_Comm comm;
  int rank;
  int np; /* number of ranks */
} bench_world;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const gannet_option *options;
  size_t options_size;
  /* Collective over world->comm; settings the same on all ranks. Results go to stdout of rank 0. */
  gannet_err (*run)(const bench_world *world, const void *settings);
} bench_type;

/* Every sub-benchmark, NULL-terminated. */
extern const bench_type *const bench_types[];

/* Find a sub-benchmark by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names and the nearest one.
 */
GANNET_CHECKED gannet_err bench_find(const char *name, const bench_type **type);

/* Fill the settings of a sub-benchmark from the words after its name.
 *
 * Local.
 *
 * settings  out  struct of type->options_size bytes, zeroed before; to be released with
 *                gannet_options_release, also after an error
 *
 * Errors: GANNET_ERR_INPUT naming the wrong words, of many the first ones and how many more.
 */
GANNET_CHECKED gannet_err bench_parse(const bench_type *type, int argc, char **argv,
                                      void *settings);

/* Names, summaries and options of one sub-benchmark, or of all (NULL), on stdout.
 *
 * Local.
 */
void bench_help(const bench_type *type);

extern const bench_type bench_campaign;
extern const bench_type bench_ecdf;
extern const bench_type bench_ensemble;
extern const bench_type bench_factor;
extern const bench_type bench_front;
extern const bench_type bench_history;
extern const bench_type bench_peak;
extern const bench_type bench_proposal;
extern const bench_type bench_scaling;
extern const bench_type bench_scan;
extern const bench_type bench_speedup;
extern const bench_type bench_stopping;

#endif
