#include "network/analytic_single.h"

#include "base/memory.h"
#include "linalg/blas.h"

enum { ROWS = GANNET_SINGLE_ROWS, COLUMNS = 512 }; /* a block of the kernel stays in the cache */

struct gannet_analytic_single {
  gannet_table kernel;
  int inputs, n, q;
  float *z;      /* [n][inputs] */
  float *weight; /* [q][n] */
  float *block;  /* [ROWS][COLUMNS] */
  float *sums;   /* [ROWS][q] */
};

void gannet_analytic_single_destroy(gannet_analytic_single **single) {
  if (!*single) return;
  gannet_free(&(*single)->z);
  gannet_free(&(*single)->weight);
  gannet_free(&(*single)->block);
  gannet_free(&(*single)->sums);
  gannet_free(single);
}

static void round_all(size_t n, const double *from, float *to) {
  for (size_t i = 0; i < n; ++i) to[i] = (float)from[i];
}

static gannet_err fill(gannet_analytic_single *s, const double *lifted, const double *weights) {
  const size_t points = (size_t)s->n * (size_t)s->inputs, all = (size_t)s->n * (size_t)s->q;
  GANNET_TRY(gannet_alloc(points, sizeof *s->z, &s->z));
  GANNET_TRY(gannet_alloc(all, sizeof *s->weight, &s->weight));
  GANNET_TRY(gannet_alloc((size_t)ROWS * COLUMNS, sizeof *s->block, &s->block));
  GANNET_TRY(gannet_alloc((size_t)ROWS * (size_t)s->q, sizeof *s->sums, &s->sums));
  round_all(points, lifted, s->z);
  round_all(all, weights, s->weight);
  return GANNET_OK;
}

gannet_err gannet_analytic_single_prepare(gannet_analytic_points *points, int q,
                                          const double *weights, gannet_analytic_single **single) {
  gannet_table table;
  gannet_analytic_single_destroy(single);
  if (!gannet_analytic_points_table(points, &table)) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, sizeof **single, single));
  **single = (gannet_analytic_single){.kernel = table,
                                      .inputs = gannet_analytic_points_inputs(points),
                                      .n = gannet_analytic_points_count(points),
                                      .q = q};
  const gannet_err err = fill(*single, gannet_analytic_points_lifted(points), weights);
  if (err != GANNET_OK) gannet_analytic_single_destroy(single);
  return err;
}

void gannet_analytic_single_add(const gannet_analytic_single *single, int m, const float *z,
                                double *values) {
  const gannet_analytic_single *s = single;
  for (int first = 0; first < s->n; first += COLUMNS) {
    const int columns = s->n - first < COLUMNS ? s->n - first : COLUMNS;
    gannet_gemm_nt_single(m, columns, s->inputs, z, s->inputs,
                          s->z + (size_t)first * (size_t)s->inputs, s->inputs, s->block, columns);
    gannet_table_apply(&s->kernel, m * columns, s->block, s->block);
    gannet_gemm_nt_single(m, s->q, columns, s->block, columns, s->weight + first, s->n, s->sums,
                          s->q);
    for (int i = 0; i < m * s->q; ++i) values[i] += (double)s->sums[i];
  }
}

size_t gannet_analytic_single_bytes(const gannet_analytic_single *s) {
  if (!s) return 0;
  const size_t n = (size_t)s->n, q = (size_t)s->q;
  return sizeof *s + sizeof(float) * (n * ((size_t)s->inputs + q) + ROWS * (COLUMNS + q));
}
