/* What a proposal and its parts take on this number of ranks: to be run with several of them, and
 * compared by tools/simulate-scaling. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "benchmark/asking.h"
#include "benchmark/bench.h"
#include "benchmark/file.h"
#include "benchmark/rates.h"
#include "benchmark/traffic.h"
#include "store/journal.h"
#include "store/state_file.h"
#include "surrogate/surrogate.h"

enum { ROWS_MOST = 64, REPEATS_MOST = 100 };

typedef struct {
  char name[24];
  int64_t size;        /* candidates, bytes or records, as the name says */
  double seconds;      /* median; the slowest rank's */
  double work;         /* processor time outside MPI of the busiest rank; NAN = not measured */
  double work_all;     /* of all ranks together */
  double calls, bytes; /* of MPI, per rank; NAN = not measured */
} scaling_row;

typedef struct {
  double rate;      /* DGEMM of all ranks together, operations per second */
  double scan_rate; /* of the products of the scan; NAN when it has none */
  double memory;    /* bytes of the largest rank, in which the libraries need most */
  double model;     /* bytes of the optimiser of one rank at the last size */
  int n;
  scaling_row row[ROWS_MOST];
} scaling_table;

#define CSV_HEAD                                                              \
  "ranks,method,d,q,candidates,gemm,memory,model,measured,size,seconds,work," \
  "work_all,calls,bytes"

typedef struct {
  bench_ask_settings ask;
  char *csv, *directory;
  bool weak;
} scaling_settings;
_Static_assert(offsetof(scaling_settings, ask) == 0, "rows of tables count from there");

static const gannet_option scaling_options[] = {
    BENCH_ASK_OPTIONS,
    BENCH_ASK_INTEGER(q, "8", 1, 1024, "points per batch"),
    BENCH_ASK_INTEGER(candidates, "20000", 1, 1e9,
                      "candidates per batch; weak scaling has so many per rank"),
    BENCH_ASK_INTEGER(repeat, "5", 1, REPEATS_MOST, "repetitions of each measurement"),
    BENCH_ASK_INTEGER(fits, "2", 1, REPEATS_MOST, "proposals with learning"),
    {.key = "weak",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(scaling_settings, weak),
     .fallback = "yes",
     .help = "also measure weak scaling, whose candidates grow with the ranks"},
    {.key = "directory",
     .type = GANNET_TEXT,
     .offset = offsetof(scaling_settings, directory),
     .fallback = ".",
     .help = "where journal and checkpoint are written"},
    {.key = "csv",
     .type = GANNET_TEXT,
     .offset = offsetof(scaling_settings, csv),
     .help = "file that the rows are appended to; an existing one must have the same columns"},
    {0},
};

/* Add the medians of what every rank measured, n times each; traffic NULL = not measured. */
static gannet_err add_row(const bench_world *world, scaling_table *table, const char *name,
                          int64_t size, int n, const double *seconds,
                          const bench_traffic *traffic) {
  double values[4][REPEATS_MOST], mine[4], most[4], work_all = NAN;
  for (int i = 0; i < n; ++i) {
    values[0][i] = seconds[i];
    values[1][i] = traffic ? traffic[i].work : NAN;
    values[2][i] = traffic ? (double)traffic[i].calls : NAN;
    values[3][i] = traffic ? traffic[i].bytes : NAN;
  }
  for (int c = 0; c < 4; ++c) mine[c] = c > 0 && !traffic ? -1 : bench_median(n, values[c]);
  GANNET_TRY_MPI(MPI_Allreduce(mine, most, 4, MPI_DOUBLE, MPI_MAX, world->comm));
  GANNET_TRY_MPI(MPI_Allreduce(&mine[1], &work_all, 1, MPI_DOUBLE, MPI_SUM, world->comm));
  if (table->n == ROWS_MOST || n == 0) return GANNET_OK;
  scaling_row *row = &table->row[table->n++];
  *row = (scaling_row){.size = size,
                       .seconds = most[0],
                       .work = traffic ? most[1] : NAN,
                       .work_all = traffic ? work_all : NAN,
                       .calls = traffic ? most[2] : NAN,
                       .bytes = traffic ? most[3] : NAN};
  (void)snprintf(row->name, sizeof row->name, "%s", name);
  return GANNET_OK;
}

/* Exchange and storage, which need no optimiser. */

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

static gannet_err time_operations(const bench_world *world, buffers *b, scaling_table *table) {
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
      GANNET_TRY(add_row(world, table, operations[o].name, sizes[s] * (int64_t)sizeof(double), 1,
                         &seconds, NULL));
    }
  return GANNET_OK;
}

/* Latency and bandwidth of the collective operations of a proposal. */
static gannet_err measure_exchange(const bench_world *world, scaling_table *table) {
  const size_t most = 65536;
  buffers b = {.comm = world->comm, .np = world->np};
  gannet_err err = gannet_alloc(most, sizeof *b.send, &b.send);
  if (err == GANNET_OK) err = gannet_alloc(most * (size_t)world->np, sizeof *b.receive, &b.receive);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) err = time_operations(world, &b, table);
  gannet_free(&b.send);
  gannet_free(&b.receive);
  return err;
}

/* A record is about as long as one of a campaign with few variables. */
static gannet_err append_to_journal(const char *path, int q, int repeat, double *seconds) {
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

static gannet_err write_checkpoint(const char *path, int n, int d, int repeat, double *seconds) {
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

/* folder  out  [PATH_MAX] new, in the directory */
static gannet_err make_folder(const char *directory, char *folder) {
  GANNET_TRY(gannet_join_path(directory, "gannet-scaling-XXXXXX", folder, PATH_MAX));
  return mkdtemp(folder) ? GANNET_OK : gannet_raise_errno("write into", directory);
}

/* Whether the storage part can make files in a directory. */
static gannet_err check_directory(const char *directory) {
  char folder[PATH_MAX];
  GANNET_TRY(make_folder(directory, folder));
  return rmdir(folder) ? gannet_raise_errno("remove", folder) : GANNET_OK;
}

static gannet_err write_both(const char *directory, int q, int n, int d, int repeat,
                             double *journal, double *state) {
  static const char *const names[] = {"journal", "journal.lock", "state.h5", "state.h5.1"};
  char folder[PATH_MAX], path[PATH_MAX];
  GANNET_REQUIRE(q <= 1024, GANNET_ERR_INPUT, "q = %d, at most 1024 for this benchmark", q);
  GANNET_TRY(make_folder(directory, folder));
  gannet_err err = gannet_join_path(folder, "journal", path, sizeof path);
  if (err == GANNET_OK) err = append_to_journal(path, q, repeat, journal);
  if (err == GANNET_OK) err = gannet_join_path(folder, "state.h5", path, sizeof path);
  if (err == GANNET_OK) err = write_checkpoint(path, n, d, repeat, state);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (gannet_join_path(folder, names[i], path, sizeof path) == GANNET_OK) (void)unlink(path);
  (void)rmdir(folder);
  return err;
}

/* A batch appended to a journal, and a checkpoint of n points, by rank 0. */
static gannet_err measure_storage(const bench_world *world, const char *directory, int q, int n,
                                  int d, int repeat, scaling_table *table) {
  double journal[REPEATS_MOST] = {0}, state[REPEATS_MOST] = {0};
  gannet_err err = GANNET_OK;
  if (world->rank == 0) err = write_both(directory, q, n, d, repeat, journal, state);
  GANNET_TRY(gannet_agree(world->comm, err));
  GANNET_TRY(add_row(world, table, "journal", q, repeat, journal, NULL));
  return add_row(world, table, "checkpoint", n, repeat, state, NULL);
}

/* Proposals. */

typedef struct {
  int n;
  double seconds[BENCH_TIMES][REPEATS_MOST];
  bench_traffic traffic[BENCH_TIMES][REPEATS_MOST];
} sample;

/* Rows of one kind of ask: the whole, then its parts. */
static gannet_err add_phases(const bench_world *world, const sample *s, const char *kind, int n,
                             scaling_table *table) {
  char name[24];
  for (int c = 0; c < BENCH_TIMES; ++c) {
    (void)snprintf(name, sizeof name, "%s%s", bench_phases[c], kind);
    GANNET_TRY(add_row(world, table, name, n, s->n, s->seconds[c], s->traffic[c]));
  }
  return GANNET_OK;
}

/* Asks that keep their hyperparameters, and those that learn them again. */
typedef struct {
  int repeat, fits; /* how many are wanted */
  sample kept, learnt;
  sample *wanted; /* at present */
  int enough;     /* of these */
} samples;

/* bench_ask_taker; the first ask of an optimiser, which learns from nothing, does not count. */
static bool take_ask(void *user, bool first, const bench_ask_cost *cost) {
  samples *all = user;
  sample *s = cost->learned ? &all->learnt : &all->kept;
  if (!first && s == all->wanted) {
    for (int c = 0; c < BENCH_TIMES; ++c) {
      s->seconds[c][s->n] = cost->seconds[c];
      s->traffic[c][s->n] = cost->traffic[c];
    }
    ++s->n;
  }
  return all->wanted->n >= all->enough;
}

static gannet_err measure_both_kinds(bench_asking *a, int n, samples *all, double *model) {
  bench_asking_refit(a, true);
  all->wanted = &all->learnt;
  for (int f = 0; f < all->fits; ++f) {
    all->enough = f + 1;
    const bench_ask_series one = {a->plan.seed + f, n, 1};
    GANNET_TRY(bench_asking_run(a, &one, take_ask, all, model));
  }
  bench_asking_refit(a, false);
  all->wanted = &all->kept;
  all->enough = all->repeat;
  const bench_ask_series several = {a->plan.seed, n, all->repeat};
  return bench_asking_run(a, &several, take_ask, all, model);
}

/* Asks with a fixed number of candidates, or with so many per rank. */
static gannet_err measure_asks(const bench_world *world, const scaling_settings *settings, int n,
                               bool weak, scaling_table *table) {
  bench_ask_plan plan = bench_ask_plan_of(&settings->ask);
  if (weak) plan.candidates *= world->np;
  bench_asking a = {0};
  samples all = {.repeat = settings->ask.repeat, .fits = weak ? 0 : settings->ask.fits};
  gannet_err err = gannet_agree(world->comm, bench_asking_prepare(&a, world->comm, &plan));
  if (err == GANNET_OK) err = measure_both_kinds(&a, n, &all, &table->model);
  if (err == GANNET_OK) err = add_phases(world, &all.kept, weak ? ".weak" : "", n, table);
  if (err == GANNET_OK && !weak) err = add_phases(world, &all.learnt, ".learnt", n, table);
  if (a.draws && !weak) table->scan_rate = table->rate;
  bench_asking_release(&a);
  return err;
}

/* Four digits that count, as calls take microseconds and proposals seconds. */
static void print_cell(double value, double factor) {
  if (isnan(value))
    (void)printf(" |");
  else
    (void)printf(" %.4g |", factor * value);
}

static void print_head(const bench_world *world, const scaling_settings *s,
                       const scaling_table *table) {
  (void)printf(
      "%s, %d variables, q = %d, %d candidates, %d rank(s); DGEMM 512 x 64 x 512 in the same run: "
      "%.1f GFLOP/s on all ranks; per rank at most %.0f MB, optimiser %.1f MB\n\n"
      "| measured | size | ms | work of the busiest rank, ms | balance | MPI calls | MPI kB |\n"
      "|---|---|---|---|---|---|---|\n",
      s->ask.method, s->ask.d, s->ask.q, s->ask.candidates, world->np, table->rate / 1e9,
      table->memory / 1e6, table->model / 1e6);
}

static void print_row(const bench_world *world, const scaling_row *row) {
  (void)printf("| %s | %lld |", row->name, (long long)row->size);
  print_cell(row->seconds, 1e3);
  print_cell(row->work, 1e3);
  print_cell(row->work_all / row->work / world->np, 1);
  print_cell(row->calls, 1);
  print_cell(row->bytes, 1e-3);
  (void)printf("\n");
}

static void print_scan(const scaling_settings *s, const scaling_table *table) {
  const scaling_row *scan = NULL;
  for (int i = 0; i < table->n; ++i)
    if (strcmp(table->row[i].name, "scan") == 0) scan = &table->row[i];
  if (scan && table->scan_rate > 0)
    (void)printf(
        "\nThe products of the scan, which ask for 2 candidates n (d + 1 + q) operations, took "
        "%.2f of the DGEMM peak.\n",
        2.0 * s->ask.candidates * (double)scan->size * (s->ask.d + 1 + s->ask.q) / scan->seconds /
            table->scan_rate);
}

/* Rows below a head of other columns would be read as what they are not. */
static gannet_err check_csv(const char *path) {
  char line[sizeof CSV_HEAD + 1] = "";
  FILE *in = fopen(path, "re");
  if (!in) return gannet_raise_errno("read", path);
  const bool same = fgets(line, sizeof line, in) && strcmp(line, CSV_HEAD "\n") == 0;
  const bool whole = fseek(in, -1, SEEK_END) == 0 && fgetc(in) == '\n';
  (void)fclose(in);
  GANNET_REQUIRE(same, GANNET_ERR_INPUT,
                 "the first line of '%s' is not '%s', so no rows can be appended; name another "
                 "file with --csv, or move this one away",
                 path, CSV_HEAD);
  GANNET_REQUIRE(whole, GANNET_ERR_INPUT,
                 "'%s' ends within a line, so no rows can be appended; remove that line, or name "
                 "another file with --csv",
                 path);
  return GANNET_OK;
}

/* The head goes out at once: a full disk is found before anything is measured. */
static gannet_err open_csv(const char *path, FILE **out) {
  struct stat about;
  *out = fopen(path, "ae");
  if (!*out || fstat(fileno(*out), &about)) return gannet_raise_errno("open", path);
  if (S_ISREG(about.st_mode) && about.st_size > 0) return check_csv(path);
  return fputs(CSV_HEAD "\n", *out) < 0 || fflush(*out) ? gannet_raise_errno("write", path)
                                                        : GANNET_OK;
}

/* Numbers that are not there are empty. */
static void put(FILE *out, double value) {
  (void)(isnan(value) ? fprintf(out, ",") : fprintf(out, ",%.6g", value));
}

/* In quotes where it has what separates cells. */
static void put_text(FILE *out, const char *text) {
  const bool plain = !strpbrk(text, ",\"\r\n");
  if (!plain) (void)fputc('"', out);
  for (const char *c = text; *c; ++c) (void)fprintf(out, *c == '"' ? "\"%c" : "%c", *c);
  if (!plain) (void)fputc('"', out);
}

static void write_row(const bench_world *world, const scaling_settings *s,
                      const scaling_table *table, const scaling_row *row, FILE *out) {
  (void)fprintf(out, "%d,", world->np);
  put_text(out, s->ask.method);
  (void)fprintf(out, ",%d,%d,%d,%.6g,%.6g,%.6g,%s,%lld", s->ask.d, s->ask.q, s->ask.candidates,
                table->rate, table->memory, table->model, row->name, (long long)row->size);
  put(out, row->seconds);
  put(out, row->work);
  put(out, row->work_all);
  put(out, row->calls);
  put(out, row->bytes);
  (void)fputc('\n', out);
}

/* On rank 0: the rows from one on, out of this process, whatever becomes of what is left to do. */
static gannet_err report(const bench_world *world, const scaling_settings *s,
                         const scaling_table *table, int from, FILE *csv) {
  if (world->rank != 0) return GANNET_OK;
  for (int i = from; i < table->n; ++i) print_row(world, &table->row[i]);
  (void)fflush(stdout);
  if (!csv) return GANNET_OK;
  for (int i = from; i < table->n; ++i) write_row(world, s, table, &table->row[i], csv);
  return fflush(csv) || ferror(csv) ? gannet_raise_errno("write", s->csv) : GANNET_OK;
}

static gannet_err measure_proposals(const bench_world *world, const scaling_settings *s,
                                    scaling_table *table) {
  GANNET_TRY(bench_scan_rate(world->comm, &table->rate));
  for (int i = 0; i < s->ask.n.n; ++i) {
    GANNET_TRY(measure_asks(world, s, (int)s->ask.n.item[i], false, table));
    if (s->weak) GANNET_TRY(measure_asks(world, s, (int)s->ask.n.item[i], true, table));
  }
  const double mine = bench_peak_memory();
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &table->memory, 1, MPI_DOUBLE, MPI_MAX, world->comm));
  return measure_exchange(world, table);
}

/* Storage comes last and can fail by itself: what was measured before it is reported by then. */
static gannet_err measure_all(const bench_world *world, const scaling_settings *s, FILE *csv) {
  scaling_table table = {0};
  const int last = (int)s->ask.n.item[s->ask.n.n - 1];
  GANNET_TRY(measure_proposals(world, s, &table));
  const int n = table.n;
  if (world->rank == 0) print_head(world, s, &table);
  GANNET_TRY(gannet_agree(world->comm, report(world, s, &table, 0, csv)));
  gannet_err err =
      measure_storage(world, s->directory, s->ask.q, last, s->ask.d, s->ask.repeat, &table);
  if (err == GANNET_OK) err = gannet_agree(world->comm, report(world, s, &table, n, csv));
  if (world->rank == 0) print_scan(s, &table);
  return err;
}

static gannet_err run_scaling(const bench_world *world, const void *options) {
  const scaling_settings *s = options;
  FILE *csv = NULL;
  GANNET_REQUIRE(s->ask.n.n > 0 && s->ask.n.n <= 2, GANNET_ERR_INPUT,
                 "n: expected one or two numbers");
  gannet_err err = world->rank == 0 ? check_directory(s->directory) : GANNET_OK;
  if (err == GANNET_OK && world->rank == 0 && s->csv) err = open_csv(s->csv, &csv);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) err = measure_all(world, s, csv);
  const gannet_err closed = csv ? bench_file_close(csv, s->csv) : GANNET_OK;
  return err == GANNET_OK ? gannet_agree(world->comm, closed) : err;
}

const bench_type bench_scaling = {
    .name = "scaling",
    .summary = "a proposal and its parts on this number of ranks",
    .options = scaling_options,
    .options_size = sizeof(scaling_settings),
    .run = run_scaling,
};
