/* Parts of the scaling benchmark that need no optimiser: exchange and storage. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "benchmark/scaling.h"
#include "store/journal.h"
#include "store/state_file.h"

/* Calls that are timed together, so that the clock does not count. */
enum { CALLS = 20, TRIES = 30 };

typedef struct {
  MPI_Comm comm;
  int np, doubles;
  double *send, *receive; /* [doubles], [np][doubles] */
} buffers;

/* Not counted as traffic: the counting takes longer than a short call. */
static int reduce(buffers *b) {
  return PMPI_Allreduce(b->send, b->receive, b->doubles, MPI_DOUBLE, MPI_MAX, b->comm);
}

static int broadcast(buffers *b) {
  return PMPI_Bcast(b->send, b->doubles, MPI_DOUBLE, 0, b->comm);
}

static int gather(buffers *b) {
  return PMPI_Allgather(b->send, b->doubles, MPI_DOUBLE, b->receive, b->doubles, MPI_DOUBLE,
                        b->comm);
}

/* The least of many: other work on the machine delays some calls a hundredfold. */
static gannet_err time_calls(buffers *b, int (*call)(buffers *), double *seconds) {
  *seconds = INFINITY;
  GANNET_TRY_MPI(call(b));
  for (int i = 0; i < TRIES; ++i) {
    GANNET_TRY_MPI(PMPI_Barrier(b->comm));
    const double start = gannet_clock_seconds();
    for (int k = 0; k < CALLS; ++k) GANNET_TRY_MPI(call(b));
    *seconds = fmin(*seconds, (gannet_clock_seconds() - start) / CALLS);
  }
  return GANNET_OK;
}

static gannet_err exchange(const bench_world *world, buffers *b, bench_scaling_table *table) {
  static const struct {
    const char *name;
    int (*call)(buffers *);
  } operations[] = {{"allreduce", reduce}, {"broadcast", broadcast}, {"allgather", gather}};
  static const int sizes[] = {1, 128, 1024, 8192, 65536};
  double seconds = 0;
  for (size_t o = 0; o < sizeof operations / sizeof *operations; ++o)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      b->doubles = sizes[s];
      GANNET_TRY(time_calls(b, operations[o].call, &seconds));
      GANNET_TRY(bench_scaling_add(world, table, operations[o].name,
                                   sizes[s] * (int64_t)sizeof(double), 1, &seconds, NULL));
    }
  return GANNET_OK;
}

gannet_err bench_scaling_exchange(const bench_world *world, bench_scaling_table *table) {
  const size_t most = 65536;
  buffers b = {.comm = world->comm, .np = world->np};
  gannet_err err = gannet_alloc(most, sizeof *b.send, &b.send);
  if (err == GANNET_OK) err = gannet_alloc(most * (size_t)world->np, sizeof *b.receive, &b.receive);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) err = exchange(world, &b, table);
  gannet_free(&b.send);
  gannet_free(&b.receive);
  return err;
}

/* A record is about as long as one of a campaign with few variables. */
static gannet_err append(const char *path, int q, int repeat, double *seconds) {
  char record[320];
  const char *records[1024];
  gannet_journal *journal = NULL;
  gannet_journal_report report;
  int64_t sequence = 0;
  memset(record, 'x', sizeof record - 1);
  record[sizeof record - 1] = '\0';
  for (int i = 0; i < q; ++i) records[i] = record;
  gannet_err err = gannet_journal_open(path, 1, GANNET_JOURNAL_CREATE, &report, &journal);
  for (int i = 0; i < repeat && err == GANNET_OK; ++i) {
    const double start = gannet_clock_seconds();
    err = gannet_journal_append_many(journal, q, records, &sequence);
    seconds[i] = gannet_clock_seconds() - start;
  }
  gannet_journal_destroy(&journal);
  return err;
}

static gannet_err checkpoint(const char *path, int n, int d, int repeat, double *seconds) {
  const int64_t dims[] = {n, d + 8}; /* variables, and what is known of an evaluation */
  double *data = NULL;
  gannet_err err = gannet_alloc((size_t)(dims[0] * dims[1]), sizeof *data, &data);
  for (int i = 0; i < repeat && err == GANNET_OK; ++i) {
    gannet_store *store = NULL;
    const double start = gannet_clock_seconds();
    err = gannet_store_create(path, 1, &store);
    if (err == GANNET_OK) err = gannet_store_write_doubles(store, "history/values", 2, dims, data);
    if (err == GANNET_OK) err = gannet_store_commit(store);
    gannet_store_destroy(&store);
    seconds[i] = gannet_clock_seconds() - start;
  }
  gannet_free(&data);
  return err;
}

static void clear(const char *folder) {
  static const char *const names[] = {"journal", "journal.lock", "state.h5", "state.h5.1"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (gannet_join_path(folder, names[i], path, sizeof path) == GANNET_OK) (void)unlink(path);
  (void)rmdir(folder);
}

/* folder  out  [PATH_MAX] new, in the directory */
static gannet_err make_folder(const char *directory, char *folder) {
  GANNET_TRY(gannet_join_path(directory, "gannet-scaling-XXXXXX", folder, PATH_MAX));
  return mkdtemp(folder) ? GANNET_OK : gannet_raise_errno("write into", directory);
}

gannet_err bench_scaling_check_directory(const char *directory) {
  char folder[PATH_MAX];
  GANNET_TRY(make_folder(directory, folder));
  return rmdir(folder) ? gannet_raise_errno("remove", folder) : GANNET_OK;
}

static gannet_err write_both(const char *directory, int q, int n, int d, int repeat,
                             double *journal, double *state) {
  char folder[PATH_MAX], path[PATH_MAX];
  GANNET_REQUIRE(q <= 1024, GANNET_ERR_INPUT, "q = %d, at most 1024 for this benchmark", q);
  GANNET_TRY(make_folder(directory, folder));
  gannet_err err = gannet_join_path(folder, "journal", path, sizeof path);
  if (err == GANNET_OK) err = append(path, q, repeat, journal);
  if (err == GANNET_OK) err = gannet_join_path(folder, "state.h5", path, sizeof path);
  if (err == GANNET_OK) err = checkpoint(path, n, d, repeat, state);
  clear(folder);
  return err;
}

gannet_err bench_scaling_storage(const bench_world *world, const char *directory, int q, int n,
                                 int d, int repeat, bench_scaling_table *table) {
  double journal[BENCH_SCALING_REPEATS] = {0}, state[BENCH_SCALING_REPEATS] = {0};
  gannet_err err = GANNET_OK;
  if (world->rank == 0) err = write_both(directory, q, n, d, repeat, journal, state);
  GANNET_TRY(gannet_agree(world->comm, err));
  GANNET_TRY(bench_scaling_add(world, table, "journal", q, repeat, journal, NULL));
  return bench_scaling_add(world, table, "checkpoint", n, repeat, state, NULL);
}
