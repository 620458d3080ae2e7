/* Limits of this machine in this run: matrix products, memory. */
#include <stdio.h>
#include <string.h>

#include "benchmark/memory.h"
#include "benchmark/rates.h"
#include "linalg/blas.h"
#include "surrogate/surrogate.h"

typedef struct {
  int size, d, q, width, n, elements;
  double seconds;
} peak_settings;

static const gannet_option peak_options[] = {
    {.key = "size",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, size),
     .fallback = "1024",
     .lower = 1,
     .upper = 20000,
     .help = "order of the large square product"},
    {.key = "d",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, d),
     .fallback = "20",
     .lower = 1,
     .upper = 10000,
     .help = "variables, for the shapes of the hot loop"},
    {.key = "q",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, q),
     .fallback = "8",
     .lower = 1,
     .upper = 10000,
     .help = "draws, for the shapes of the hot loop"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, width),
     .fallback = "256",
     .lower = 1,
     .upper = 1e5,
     .help = "units of the network, for the shapes of the hot loop"},
    {.key = "n",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, n),
     .fallback = "500",
     .lower = 1,
     .upper = 1e5,
     .help = "observations, for the shapes of the hot loop"},
    {.key = "elements",
     .type = GANNET_INTEGER,
     .offset = offsetof(peak_settings, elements),
     .fallback = "10000000",
     .lower = 1,
     .upper = 2e9,
     .help = "length of the arrays of the memory test"},
    {.key = "seconds",
     .type = GANNET_DURATION,
     .offset = offsetof(peak_settings, seconds),
     .fallback = "0.3",
     .lower = 1e-3,
     .upper = 3600,
     .help = "time per measurement"},
    {0},
};

/* One line: the slowest rank, and all ranks together. */
static gannet_err report(const bench_world *world, const char *what, double mine,
                         const char *unit) {
  double least = 0, sum = 0;
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, world->comm));
  GANNET_TRY_MPI(MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, world->comm));
  if (world->rank == 0)
    (void)printf("| %s | %.1f | %.1f | %s |\n", what, least / 1e9, sum / 1e9, unit);
  return GANNET_OK;
}

/* c[n][m] = a[n][k] b[m][k]^T */
typedef struct {
  const char *what;
  int n, m, k;
} shape;

enum { SHAPES = 5 };

static void list_shapes(const peak_settings *s, shape *to) {
  const shape all[SHAPES] = {{"large", s->size, s->size, s->size},
                             {"inputs of the units", GANNET_TILE, s->width, s->d + 1},
                             {"draws from the units", GANNET_TILE, s->q * (s->d + 1), s->width},
                             {"inner products with the data", GANNET_TILE, s->n, s->d + 1},
                             {"draws from the data", GANNET_TILE, s->q, s->n}};
  memcpy(to, all, sizeof all);
}

/* Before a row is measured, as the largest may come last. */
static gannet_err check_memory(const bench_world *world, const peak_settings *s,
                               const shape *shapes) {
  char what[128];
  (void)snprintf(what, sizeof what, "three arrays of %d elements", s->elements);
  GANNET_TRY(
      bench_memory_check(world, 3.0 * sizeof(double) * s->elements, what, "lower --elements"));
  for (const shape *one = shapes; one < shapes + SHAPES; ++one) {
    const double n = one->n, m = one->m, k = one->k;
    (void)snprintf(what, sizeof what, "DGEMM %d x %d x %d (%s)", one->n, one->k, one->m, one->what);
    GANNET_TRY(bench_memory_check(world, sizeof(double) * (n * k + m * k + n * m), what,
                                  "lower --size, --width, --n, --q or --d"));
  }
  return GANNET_OK;
}

static gannet_err product(const bench_world *world, const shape *s, double seconds) {
  char name[128];
  double rate = 0;
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, bench_gemm_rate(s->n, s->m, s->k, seconds, &rate)));
  (void)snprintf(name, sizeof name, "DGEMM %d x %d x %d (%s)", s->n, s->k, s->m, s->what);
  return report(world, name, rate, "GFLOP/s");
}

static gannet_err run_peak(const bench_world *world, const void *settings) {
  const peak_settings *s = settings;
  shape shapes[SHAPES];
  double triad = 0;
  list_shapes(s, shapes);
  GANNET_TRY(check_memory(world, s, shapes));
  if (world->rank == 0)
    (void)printf(
        "BLAS kernel %s, %d thread(s) per rank, %d rank(s)\n\n| measured (rows x inner x "
        "columns) | slowest rank | all ranks | unit |\n|---|---|---|---|\n",
        gannet_blas_kernel(), gannet_blas_threads(), world->np);
  for (int i = 0; i < SHAPES; ++i) GANNET_TRY(product(world, &shapes[i], s->seconds));
  GANNET_TRY_MPI(MPI_Barrier(world->comm));
  GANNET_TRY(gannet_agree(world->comm, bench_triad_rate(s->elements, s->seconds, &triad)));
  return report(world, "memory triad a = b + s c", triad, "GB/s");
}

const bench_type bench_peak = {
    .name = "peak",
    .summary = "rates of matrix products and memory in this run",
    .options = peak_options,
    .options_size = sizeof(peak_settings),
    .run = run_peak,
};
