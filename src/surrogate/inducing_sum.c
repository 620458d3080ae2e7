/* Sums over the old observations: by tiles within a group, then by groups, in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/inducing_impl.h"

gannet_err inducing_merge(const gannet_inducing *g, size_t n, double *words) {
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, words, (int)n, MPI_UINT64_T, MPI_BOR, g->context->comm));
  return GANNET_OK;
}

/* v_i / sqrt(d_i). Rounding may leave less than nothing. */
static void weigh(gannet_inducing *g) {
  for (int t = 0; t < g->n_tiles; ++t)
    for (int i = 0; i < g->tile[t].rows; ++i) {
      double *v = g->tile[t].v + (size_t)i * (size_t)g->limit, *left = &g->tile[t].left[i];
      *left = 1 / sqrt(g->lambda + fmax(0, *left));
      for (int k = 0; k < g->m; ++k) v[k] *= *left;
    }
}

static void sum_group(const gannet_inducing *g, int group, double *sum) {
  memset(sum, 0, (size_t)g->m * (size_t)g->m * sizeof *sum);
  for (int t = 0; t < g->n_tiles; ++t)
    if (g->tile[t].group == group)
      gannet_syrk_tn(g->m, g->tile[t].rows, g->tile[t].v, g->limit, sum, g->m);
}

/* S into sum. Every rank sums one of its groups, then all add these; and so on. */
static gannet_err sum_groups(const gannet_inducing *g, double *sum, double *mine, double *other) {
  const int np = g->context->np, rank = g->context->rank;
  const size_t length = (size_t)g->m * (size_t)g->m;
  memset(sum, 0, length * sizeof *sum);
  for (int first = 0; first < INDUCING_GROUPS; first += np) {
    if (first + rank < INDUCING_GROUPS) sum_group(g, first + rank, mine);
    for (int p = 0; p < np && first + p < INDUCING_GROUPS; ++p) {
      double *part = p == rank ? mine : other;
      if (np > 1) GANNET_TRY_MPI(MPI_Bcast(part, (int)length, MPI_DOUBLE, p, g->context->comm));
      for (size_t i = 0; i < length; ++i) sum[i] += part[i];
    }
  }
  return GANNET_OK;
}

typedef struct {
  const double *sum;
  int m;
  double lift;
} matrix;

/* gannet_kernel_rows */
static gannet_err rows_of(void *user, int first, int rows, double *k, int ldk) {
  const matrix *s = user;
  for (int i = 0; i < rows; ++i) {
    const size_t row = (size_t)(first + i);
    memcpy(k + (size_t)i * (size_t)ldk, s->sum + row * (size_t)s->m, (row + 1) * sizeof *k);
    k[(size_t)i * (size_t)ldk + row] += s->lift;
  }
  return GANNET_OK;
}

/* The factor of S, lifted by what rounding needs: where S is that small the points say nothing. */
static gannet_err factorise(gannet_inducing *g, const double *sum) {
  double largest = 0;
  for (int i = 0; i < g->m; ++i) largest = fmax(largest, sum[(size_t)i * (size_t)g->m + (size_t)i]);
  matrix s = {sum, g->m, 0};
  for (int step = 0; step < 8; ++step) {
    gannet_cholesky_clear(g->root);
    const gannet_err err = gannet_cholesky_extend(g->root, g->m, rows_of, &s);
    if (err != GANNET_ERR_NUMERIC) return err;
    gannet_error_clear();
    s.lift = 10 * fmax(s.lift, 1e-16 * largest);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "what %d observations tell of %d inducing points",
                      g->n_old, g->m);
}

/* L S^-T/2 in place of L, and N. */
static void spread_noise(gannet_inducing *g) {
  gannet_cholesky_forward(g->root, g->m, g->mixed, g->limit);
  gannet_gemm_nt(g->m, g->m, g->m, 1, g->mixed, g->limit, g->mixed, g->limit, 0, g->noise,
                 g->limit);
}

gannet_err inducing_sum(gannet_inducing *g) {
  const size_t length = (size_t)g->m * (size_t)g->m;
  double *sum = NULL;
  weigh(g);
  gannet_err err = gannet_agree(g->context->comm, gannet_alloc(3 * length, sizeof *sum, &sum));
  if (err == GANNET_OK) err = sum_groups(g, sum, sum + length, sum + 2 * length);
  if (err == GANNET_OK) err = gannet_agree(g->context->comm, factorise(g, sum));
  gannet_free(&sum);
  GANNET_TRY(err);
  spread_noise(g);
  return inducing_values(g, NULL, g->ones);
}

/* b by groups into part [INDUCING_GROUPS][m]. */
static void weigh_values(const gannet_inducing *g, const double *values, double *part,
                         double *weighed) {
  for (int t = 0; t < g->n_tiles; ++t) {
    const inducing_tile *tile = &g->tile[t];
    for (int i = 0; i < tile->rows; ++i)
      weighed[i] = tile->left[i] * (values ? values[tile->first + i] : 1);
    gannet_gemv_t(tile->rows, g->m, 1, tile->v, g->limit, weighed, 1,
                  part + (size_t)tile->group * (size_t)g->m);
  }
}

gannet_err inducing_values(gannet_inducing *g, const double *values, double *pseudo) {
  const size_t m = (size_t)g->m, length = INDUCING_GROUPS * m;
  double *part = NULL, *b = g->work;
  gannet_err err = gannet_alloc(length + GANNET_TILE, sizeof *part, &part);
  GANNET_TRY(gannet_agree(g->context->comm, err));
  weigh_values(g, values, part, part + length);
  err = inducing_merge(g, length, part);
  memset(b, 0, m * sizeof *b);
  for (size_t k = 0; k < length; ++k) b[k % m] += part[k];
  gannet_free(&part);
  GANNET_TRY(err);
  gannet_cholesky_forward(g->root, 1, b, g->m);
  gannet_gemv_n(g->m, g->m, 1, g->mixed, g->limit, b, 0, pseudo);
  return GANNET_OK;
}
