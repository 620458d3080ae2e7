/* The Cholesky factor of a kernel matrix, whole in memory of a node and cut over the ranks. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "benchmark/bench.h"
#include "benchmark/rates.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"
#include "linalg/distributed.h"

typedef struct {
  gannet_real_list n;
  int q, repeat;
  gannet_distributed_layout layout;
  double seconds;
} factor_settings;

static const gannet_option factor_options[] = {
    {.key = "n",
     .type = GANNET_REAL_LIST,
     .offset = offsetof(factor_settings, n),
     .fallback = "1000",
     .lower = 1,
     .upper = 1e6,
     .help = "numbers of rows"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, q),
     .fallback = "16",
     .lower = 1,
     .upper = 10000,
     .help = "rows that are appended, and right-hand sides that are solved for"},
    {.key = "repeat",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, repeat),
     .fallback = "3",
     .lower = 1,
     .upper = 1000,
     .help = "times that each step is measured"},
    {.key = "block",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, layout.block),
     .fallback = "0",
     .lower = 0,
     .upper = 46340, /* whose square ScaLAPACK can index */
     .help = "edge of the blocks that go round the ranks; 0 = as in the models"},
    {.key = "panel",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, layout.panel),
     .fallback = "0",
     .lower = 0,
     .upper = 1e6,
     .help = "rows by which the factor that is cut grows; 0 = as in the models"},
    {.key = "rows",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, layout.rows),
     .fallback = "0",
     .lower = 0,
     .upper = 1e5,
     .help = "rows of the grid of ranks; 0 = by the columns, or without these as in the models"},
    {.key = "columns",
     .type = GANNET_INTEGER,
     .offset = offsetof(factor_settings, layout.columns),
     .fallback = "0",
     .lower = 0,
     .upper = 1e5,
     .help = "columns of the grid of ranks; 0 = by the rows, or without these as in the models"},
    {.key = "seconds",
     .type = GANNET_DURATION,
     .offset = offsetof(factor_settings, seconds),
     .fallback = "0.3",
     .lower = 1e-3,
     .upper = 3600,
     .help = "time for the rate of matrix products"},
    {0},
};

/* One of the two factors; the other pointer is NULL. */
typedef struct {
  const factor_settings *settings;
  const bench_world *world;
  gannet_node *node;
  gannet_cholesky *whole;
  gannet_distributed *cut;
  int n;
  double *b; /* [q][n + q] */
} subject;

enum { BUILD, APPEND, SOLVE, STEPS };

/* The least of the repetitions: other work on the machine delays ranks that wait for each other
 * much more than ranks that do not, and only the least time is free of it. */
typedef struct {
  double least[STEPS]; /* seconds, of the slowest rank */
  double bytes;        /* per rank */
} measurement;

/* gannet_kernel_tile: diagonally dominant and cheap, so that the factorisation is what is timed. */
static gannet_err tile(void *user, int first, int rows, int from, int columns, double *k, int ldk) {
  (void)user;
  for (int i = 0; i < rows; ++i) {
    double *row = k + (size_t)i * (size_t)ldk;
    for (int j = 0; j < columns; ++j) row[j] = 1e-3;
    if (first + i >= from && first + i < from + columns) row[first + i - from] = 2;
  }
  return GANNET_OK;
}

static gannet_err rows_of(void *user, int first, int rows, double *k, int ldk) {
  return tile(user, first, rows, 0, first + rows, k, ldk);
}

static gannet_err extend(subject *s, int n) {
  if (s->cut) return gannet_distributed_extend(s->cut, n, tile, NULL);
  return gannet_agree(s->world->comm, gannet_cholesky_extend(s->whole, n, rows_of, NULL));
}

static gannet_err step(subject *s, int which) {
  const int n = s->n, q = s->settings->q;
  if (which == BUILD && s->cut) gannet_distributed_clear(s->cut);
  if (which == BUILD && s->whole) gannet_cholesky_clear(s->whole);
  if (which == BUILD) return extend(s, n);
  if (which == APPEND) return extend(s, n + q);
  if (s->cut) return gannet_distributed_solve(s->cut, q, s->b, n + q);
  return gannet_cholesky_solve_together(s->whole, q, s->b, n + q);
}

/* From the moment when all ranks are there to the moment when the last is done. */
static gannet_err time_step(subject *s, int which, double *seconds) {
  GANNET_TRY_MPI(MPI_Barrier(s->world->comm));
  const double begin = gannet_clock_seconds();
  GANNET_TRY(step(s, which));
  const double mine = gannet_clock_seconds() - begin;
  GANNET_TRY_MPI(MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, s->world->comm));
  return GANNET_OK;
}

static gannet_err measure_steps(subject *s, measurement *m) {
  for (int which = 0; which < STEPS; ++which) m->least[which] = INFINITY;
  for (int r = 0; r < s->settings->repeat; ++r)
    for (int which = 0; which < STEPS; ++which) {
      double seconds = 0;
      GANNET_TRY(time_step(s, which, &seconds));
      m->least[which] = fmin(m->least[which], seconds);
    }
  m->bytes =
      s->cut ? (double)gannet_distributed_bytes(s->cut) : (double)gannet_cholesky_bytes(s->whole);
  return GANNET_OK;
}

/* One side of the grid decides on the other. */
static gannet_distributed_layout layout_of(const factor_settings *s, int np) {
  gannet_distributed_layout layout = s->layout;
  if (layout.rows > 0 && layout.columns == 0)
    layout.columns = layout.rows < np ? np / layout.rows : 1;
  else if (layout.columns > 0 && layout.rows == 0)
    layout.rows = layout.columns < np ? np / layout.columns : 1;
  return layout;
}

static gannet_err measure(const bench_world *world, const factor_settings *settings, int n,
                          bool cut, measurement *m) {
  subject s = {.settings = settings, .world = world, .n = n};
  const gannet_distributed_layout layout = layout_of(settings, world->np);
  const size_t length = (size_t)settings->q * ((size_t)n + (size_t)settings->q);
  gannet_err err = gannet_alloc(length, sizeof *s.b, &s.b);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK) err = gannet_node_create(world->comm, &s.node);
  if (err == GANNET_OK && !cut)
    err = gannet_agree(world->comm, gannet_cholesky_create_shared(s.node, &s.whole));
  if (err == GANNET_OK && cut) err = gannet_distributed_create(world->comm, &layout, &s.cut);
  if (err == GANNET_OK) err = measure_steps(&s, m);
  gannet_distributed_destroy(&s.cut);
  gannet_cholesky_destroy(&s.whole);
  gannet_node_destroy(&s.node);
  gannet_free(&s.b);
  return err;
}

/* n^3 / 3 operations, against the products that all ranks can do: they are on one node. */
static void print_row(int n, const char *place, const measurement *m, double peak) {
  const double rate = (double)n * n * n / 3 / m->least[BUILD];
  (void)printf("| %d | %s | %.4g | %.1f | %.2f | %.4g | %.4g | %.1f |\n", n, place,
               1e3 * m->least[BUILD], rate / 1e9, rate / peak, 1e3 * m->least[APPEND],
               1e3 * m->least[SOLVE], m->bytes / 1e6);
}

/* The largest rate of matrix products that all ranks together show at once. */
static gannet_err peak_rate(const bench_world *world, const factor_settings *s, double *peak) {
  *peak = 0;
  for (int r = 0; r < s->repeat; ++r) {
    double all = 0;
    GANNET_TRY(bench_gemm_rate_of_all(world->comm, 512, 512, 512, s->seconds / s->repeat, &all));
    *peak = fmax(*peak, all);
  }
  return GANNET_OK;
}

/* Before anything is measured. */
static gannet_err check(const bench_world *world, const factor_settings *s) {
  const gannet_distributed_layout layout = layout_of(s, world->np);
  gannet_distributed *factor = NULL;
  const gannet_err err = gannet_distributed_create(world->comm, &layout, &factor);
  gannet_distributed_destroy(&factor);
  return err;
}

static gannet_err run_factor(const bench_world *world, const void *settings) {
  const factor_settings *s = settings;
  double all = 0;
  GANNET_TRY(check(world, s));
  GANNET_TRY(peak_rate(world, s, &all));
  if (world->rank == 0)
    (void)printf(
        "%d rank(s), BLAS kernel %s, DGEMM 512 x 512 x 512 in the same run: %.1f GFLOP/s on all "
        "ranks\n\n| n | factor | made, ms | GFLOP/s | share of DGEMM | %d rows appended, ms | %d "
        "right-hand sides, ms | MB per rank |\n|---|---|---|---|---|---|---|---|\n",
        world->np, gannet_blas_kernel(), all / 1e9, s->q, s->q);
  for (int i = 0; i < s->n.n; ++i) {
    measurement whole, cut;
    const int n = (int)s->n.item[i];
    GANNET_TRY(measure(world, s, n, false, &whole));
    GANNET_TRY(measure(world, s, n, true, &cut));
    if (world->rank > 0) continue;
    print_row(n, "replicated", &whole, all);
    print_row(n, "distributed", &cut, all);
  }
  return GANNET_OK;
}

const bench_type bench_factor = {
    .name = "factor",
    .summary = "the factor of the kernel matrix, whole on a node and cut over the ranks",
    .options = factor_options,
    .options_size = sizeof(factor_settings),
    .run = run_factor,
};
