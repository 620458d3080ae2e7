/* Sums over the old observations: by tiles within a group, then by groups, in a fixed order. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "base/queue.h"
#include "linalg/blas.h"
#include "linalg/products.h"
#include "surrogate/inducing/inducing_impl.h"

/* Rows, and columns of products, at a time. */
enum { BLOCK = GANNET_INDUCING_BLOCK, COLUMNS = GANNET_PACKED_GROUP };

/* v_i / sqrt(d_i). Rounding may leave less than nothing. */
static void weigh(gannet_inducing *g) {
  for (int t = 0; t < g->n_tiles; ++t)
    for (int i = 0; i < g->tile[t].rows; ++i) {
      double *v = g->tile[t].v + (size_t)i * (size_t)g->limit, *left = &g->tile[t].left[i];
      const double lambda = g->is_stated ? g->lambda_old[g->tile[t].first + i] : g->lambda;
      *left = 1 / sqrt(lambda + fmax(0, *left));
      for (int k = 0; k < g->m; ++k) v[k] *= *left;
    }
}

/* Of the lower triangle the blocks of rows first, first + step, .. */
static void add_rows(int m, const gannet_stride *own, const double *part, double *sum) {
  for (int i = own->first * BLOCK; i < m; i += own->step * BLOCK)
    for (int r = i; r < m && r < i + BLOCK; ++r) {
      const size_t row = (size_t)r * (size_t)m;
      for (size_t j = 0; j <= (size_t)r; ++j) sum[row + j] += part[row + j];
    }
}

/* Sums of groups first .. first + np - 1, of which every rank has made one and which are sent where
 * they are not shared, to those before: each rank adds some rows where it adds for all, and
 * otherwise all. */
static gannet_err add_groups(const gannet_inducing *g, int first, gannet_shared_array *groups) {
  const int np = g->context->np;
  const size_t length = (size_t)g->m * (size_t)g->m;
  const gannet_stride own = gannet_stride_of(g->context->rank, np, g->noise.shared);
  gannet_shared_array_barrier(groups);
  for (int p = 0; p < np && first + p < INDUCING_GROUPS; ++p) {
    double *part = groups->values;
    if (groups->shared)
      part += (size_t)p * length;
    else if (p != g->context->rank)
      part += length;
    if (!groups->shared && np > 1)
      GANNET_TRY(gannet_bytes_broadcast(g->context->comm, p, length * sizeof *part, part));
    add_rows(g->m, &own, part, g->noise.values);
  }
  gannet_shared_array_barrier(groups);
  return GANNET_OK;
}

/* S into the place of N. Memory may be given for one of the two and refused for the other. */
static gannet_err sum_groups(const gannet_inducing *g, gannet_shared_array *groups) {
  const int np = g->context->np, rank = g->context->rank;
  const size_t length = (size_t)g->m * (size_t)g->m;
  double *mine = groups->values + (groups->shared ? (size_t)rank * length : 0);
  if (!g->noise.shared || rank == 0) memset(g->noise.values, 0, length * sizeof *mine);
  gannet_shared_array_barrier(&g->noise);
  for (int first = 0; first < INDUCING_GROUPS; first += np) {
    if (first + rank < INDUCING_GROUPS) memset(mine, 0, length * sizeof *mine);
    for (int t = 0; t < g->n_tiles; ++t)
      if (g->tile[t].group == first + rank)
        gannet_syrk_tn(g->m, g->tile[t].rows, g->tile[t].v, g->limit, mine, g->m);
    GANNET_TRY(add_groups(g, first, groups));
  }
  gannet_shared_array_barrier(&g->noise);
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
static gannet_err factorise(gannet_inducing *g) {
  const size_t next = (size_t)g->m + 1;
  double largest = 0;
  for (size_t i = 0; i < (size_t)g->m; ++i) largest = fmax(largest, g->noise.values[i * next]);
  matrix s = {g->noise.values, g->m, 0};
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

/* Rows of L S^-T/2, by blocks that ranks take when they are free. */
static gannet_err spread_rows(gannet_inducing *g) {
  const size_t m = (size_t)g->m, limit = (size_t)g->limit;
  gannet_shared_array_begin(&g->mixed);
  gannet_queue queue = gannet_queue_open(g->context, (g->m + BLOCK - 1) / BLOCK);
  for (int64_t block; (block = gannet_queue_next(&queue)) >= 0;) {
    const int first = (int)block * BLOCK, rows = g->m - first < BLOCK ? g->m - first : BLOCK;
    double *to = g->mixed.values + (size_t)first * m;
    for (size_t i = 0; i < (size_t)rows; ++i)
      memcpy(to + i * m, g->lower + ((size_t)first + i) * limit, m * sizeof *to);
    gannet_cholesky_forward(g->root, rows, to, g->m);
  }
  gannet_queue_close(&queue);
  return gannet_shared_array_complete(&g->mixed);
}

/* N = L S^-1 L^T by groups of columns, the longest first; what is right of the diagonal stays. */
static gannet_err multiply(gannet_inducing *g, double *packed) {
  const size_t m = (size_t)g->m;
  gannet_shared_array_begin(&g->noise);
  gannet_queue queue = gannet_queue_open(g->context, (g->m + COLUMNS - 1) / COLUMNS);
  for (int64_t group; (group = gannet_queue_next(&queue)) >= 0;) {
    const int first = (int)group * COLUMNS, left = g->m - first;
    const int columns = left < COLUMNS ? left : COLUMNS;
    const double *rows = g->mixed.values + (size_t)first * m;
    gannet_pack(columns, g->m, rows, packed);
    gannet_packed_products(left, g->m, rows, columns, packed, 0, columns,
                           g->noise.values + (size_t)first * (m + 1), g->m);
  }
  gannet_queue_close(&queue);
  return gannet_shared_array_complete(&g->noise);
}

gannet_err inducing_sum(gannet_inducing *g) {
  const size_t length = (size_t)g->m * (size_t)g->m, np = (size_t)g->context->np;
  const size_t slots = np < INDUCING_GROUPS ? np : INDUCING_GROUPS, own = np > 1 ? 2 : 1;
  gannet_shared_array groups = {0};
  double *packed = NULL;
  weigh(g);
  gannet_shared_array_barrier(&g->noise); /* nobody needs the last one any more */
  gannet_err err = gannet_alloc(gannet_packed_length(COLUMNS, g->m), sizeof *packed, &packed);
  err = gannet_agree(g->context->comm, err);
  if (err == GANNET_OK)
    err = gannet_shared_array_create(g->context, slots * length, own * length, &groups);
  if (err == GANNET_OK) err = sum_groups(g, &groups);
  gannet_shared_array_release(&groups);
  if (err == GANNET_OK) err = gannet_agree(g->context->comm, factorise(g));
  if (err == GANNET_OK) err = spread_rows(g);
  if (err == GANNET_OK) err = multiply(g, packed);
  gannet_free(&packed);
  GANNET_TRY(err);
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
  GANNET_TRY(gannet_alloc_on_all(g->context->comm, length + GANNET_TILE, sizeof *part, &part));
  weigh_values(g, values, part, part + length);
  const gannet_err err = gannet_partition_gather(g->context->comm, length, part);
  memset(b, 0, m * sizeof *b);
  for (size_t k = 0; k < length; ++k) b[k % m] += part[k];
  gannet_free(&part);
  GANNET_TRY(err);
  gannet_cholesky_forward(g->root, 1, b, g->m);
  gannet_gemv_n(g->m, g->m, 1, g->mixed.values, g->m, b, 0, pseudo);
  return GANNET_OK;
}
