#include "benchmark/rates.h"

#include <malloc.h>
#include <math.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "linalg/blas.h"
#include "suite/statistics.h"

enum { REPEATS_MOST = 1000 };

typedef struct {
  int n, m, k;
  double *a, *b, *c;
} operands;

static void drop(operands *o) {
  gannet_free(&o->a);
  gannet_free(&o->b);
  gannet_free(&o->c);
}

static void multiply(operands *o) {
  gannet_gemm_nt(o->n, o->m, o->k, 1, o->a, o->k, o->b, o->k, 0, o->c, o->m);
}

static void add(operands *o) {
  for (int i = 0; i < o->n; ++i) o->a[i] = o->b[i] + 3 * o->c[i];
}

/* Of a processor: who has less shares it with other ranks. */
static const double whole = 0.9;

/* Median time of a call; short calls are timed several at once. Where ranks share a processor calls
 * are shorter or longer than the turns they take, and only the mean tells what one of them gets. */
static double time_of(operands *o, void (*step)(operands *), double seconds) {
  double time[REPEATS_MOST];
  int n = 0, calls = 1;
  step(o);
  const double start = gannet_clock_seconds(), worked = gannet_clock_processor();
  step(o);
  const double once = gannet_clock_seconds() - start;
  if (once < 1e-4) calls = (int)(1e-4 / (once + 1e-7)) + 1;
  do {
    const double begin = gannet_clock_seconds();
    for (int i = 0; i < calls; ++i) step(o);
    time[n++] = (gannet_clock_seconds() - begin) / calls;
  } while (n < REPEATS_MOST && (n < 5 || gannet_clock_seconds() - start < seconds));
  const double elapsed = gannet_clock_seconds() - start;
  if (gannet_clock_processor() - worked < whole * elapsed) return elapsed / (1.0 + n * calls);
  return bench_median(n, time);
}

static gannet_err allocate(operands *o, size_t a, size_t b, size_t c) {
  GANNET_TRY(gannet_alloc(a, sizeof(double), &o->a));
  GANNET_TRY(gannet_alloc(b, sizeof(double), &o->b));
  GANNET_TRY(gannet_alloc(c, sizeof(double), &o->c));
  const gannet_stream stream = {1, GANNET_FOR_SIMULATION, 0, 0};
  gannet_random_uniform(stream, 0, a, o->a);
  gannet_random_uniform(stream, a, b, o->b);
  gannet_random_uniform(stream, a + b, c, o->c);
  return GANNET_OK;
}

gannet_err bench_gemm_rate(int n, int m, int k, double seconds, double *rate) {
  operands o = {.n = n, .m = m, .k = k};
  const size_t rows = (size_t)n, columns = (size_t)m, inner = (size_t)k;
  const gannet_err err = allocate(&o, rows * inner, columns * inner, rows * columns);
  if (err == GANNET_OK) *rate = 2.0 * n * m * k / time_of(&o, multiply, seconds);
  drop(&o);
  return err;
}

gannet_err bench_gemm_rate_of_all(MPI_Comm comm, int n, int m, int k, double seconds,
                                  double *rate) {
  double mine = 0;
  GANNET_TRY_MPI(MPI_Barrier(comm));
  GANNET_TRY(gannet_agree(comm, bench_gemm_rate(n, m, k, seconds, &mine)));
  GANNET_TRY_MPI(MPI_Allreduce(&mine, rate, 1, MPI_DOUBLE, MPI_SUM, comm));
  return GANNET_OK;
}

gannet_err bench_scan_rate(MPI_Comm comm, double *rate) {
  return bench_gemm_rate_of_all(comm, 512, 512, 64, 0.2, rate);
}

enum { PRODUCT_ROWS = 128, PRODUCT_COLUMNS = 256, PRODUCT_INNER = 64 };

gannet_err bench_products_make(bench_products *p) {
  operands o = {.n = PRODUCT_ROWS};
  const gannet_err err =
      allocate(&o, (size_t)PRODUCT_ROWS * PRODUCT_INNER, (size_t)PRODUCT_COLUMNS * PRODUCT_INNER,
               (size_t)PRODUCT_ROWS * PRODUCT_COLUMNS);
  *p = (bench_products){o.a, o.b, o.c};
  return err;
}

void bench_products_release(bench_products *p) {
  gannet_free(&p->a);
  gannet_free(&p->b);
  gannet_free(&p->c);
}

double bench_products_do(const bench_products *p, int64_t calls) {
  operands o = {
      .n = PRODUCT_ROWS, .m = PRODUCT_COLUMNS, .k = PRODUCT_INNER, .a = p->a, .b = p->b, .c = p->c};
  const double start = gannet_clock_seconds();
  for (int64_t i = 0; i < calls; ++i) multiply(&o);
  return gannet_clock_seconds() - start;
}

gannet_err bench_triad_rate(int count, double seconds, double *rate) {
  operands o = {.n = count};
  const gannet_err err = allocate(&o, (size_t)count, (size_t)count, (size_t)count);
  if (err == GANNET_OK) *rate = 24.0 * count / time_of(&o, add, seconds);
  drop(&o);
  return err;
}

double bench_median(int n, double *values) {
  suite_sort(n, values);
  return n > 0 ? suite_quantile(n, values, 0.5) : NAN;
}

double bench_peak_memory(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return 1024.0 * (double)usage.ru_maxrss; /* kilobytes on Linux */
}

double bench_allocated_memory(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 all = mallinfo2();
  return (double)all.uordblks + (double)all.hblkhd;
#else
  return 0;
#endif
}

double bench_growth(double n1, double t1, double n2, double t2) {
  return log(t2 / t1) / log(n2 / n1);
}
