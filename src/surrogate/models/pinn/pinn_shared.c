/* Products that all ranks of one model share: features, and products of rows. Every rank makes some
 * pieces of a product and sends them to the others. Pieces are the same on any number of ranks, and
 * each is made by the same call, so the bits do not depend on the number of ranks.
 *
 * BLAS gives the part of a product the bits of the whole when the part has 192 rows or columns, a
 * multiple of what its kernels take at once, or is the rest of the whole. The smallest products are
 * an exception (LEAST_ROWS).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/models/pinn/pinn.h"

enum { LEAST_ROWS = 8 }; /* fewer observations: one rank makes the whole product */

/* Rows cut into pieces, and the rows that each rank makes. */
typedef struct {
  int pieces;
  int *begin;   /* [pieces + 1] first row of every piece, then the number of rows */
  double *cost; /* [pieces] */
  int *first;   /* [np + 1] first row of every rank, then the number of rows */
} division;

static void division_release(division *v) {
  gannet_free(&v->begin);
  gannet_free(&v->cost);
  gannet_free(&v->first);
}

static gannet_err division_create(const pinn *s, int most, division *v) {
  *v = (division){0};
  GANNET_TRY(gannet_alloc((size_t)most + 1, sizeof *v->begin, &v->begin));
  GANNET_TRY(gannet_alloc((size_t)most, sizeof *v->cost, &v->cost));
  return gannet_alloc((size_t)s->context->np + 1, sizeof *v->first, &v->first);
}

static void add_piece(division *v, int end, double cost) {
  v->cost[v->pieces++] = cost;
  v->begin[v->pieces] = end;
}

gannet_err pinn_agree(const pinn *s, gannet_err code) {
  return s->ranks_share ? gannet_agree(s->context->comm, code) : code;
}

int pinn_count_alone(const pinn *s, int n) {
  const int np = s->context->np, left = n % np;
  /* np ranks together are about 2/3 np times as fast as one, and hardly more than four times */
  return 3 * left < 2 * np && left < 4 ? n - left : n;
}

/* Rows first .. end - 1 of the features; with length also divided by their lengths. */
static gannet_err features_of_rows(pinn *s, const pinn_rows *rows, int first, int end,
                                   const double *w, double *phi, double *length) {
  GANNET_TRY(pinn_network_features_range(s->network, rows, first, end, w, phi));
  for (int i = first; length && i < end; ++i) {
    double *row = phi + (size_t)i * (size_t)s->p;
    const double norm = sqrt(gannet_dot(s->p, row, row));
    GANNET_REQUIRE(isfinite(norm), GANNET_ERR_NUMERIC, "row %d of the equations is not finite", i);
    length[i] = norm > 0 ? norm : 1;
    for (int k = 0; k < s->p; ++k) row[k] /= length[i];
  }
  return GANNET_OK;
}

/* Pieces are tiles, which depend on their points alone. */
static gannet_err divide_features(const pinn *s, const pinn_rows *rows, division *v) {
  GANNET_TRY(division_create(s, rows->n_rows, v));
  for (int end = 0; end < rows->n_rows;) {
    const int first = end;
    end = pinn_network_tile_end(rows, first);
    add_piece(v, end, end - first);
  }
  gannet_partition_cut(v->pieces, v->begin, v->cost, s->context->np, v->first);
  return GANNET_OK;
}

gannet_err pinn_features(pinn *s, const pinn_rows *rows, const double *w, double *phi,
                         double *length) {
  const MPI_Comm comm = s->context->comm;
  const int rank = s->context->rank;
  division v = {0};
  if (!s->ranks_share) return features_of_rows(s, rows, 0, rows->n_rows, w, phi, length);
  gannet_err code = divide_features(s, rows, &v);
  if (code == GANNET_OK)
    code = features_of_rows(s, rows, v.first[rank], v.first[rank + 1], w, phi, length);
  code = gannet_agree(comm, code);
  if (code == GANNET_OK)
    code = gannet_partition_gather_rows(comm, v.first, (size_t)s->p * sizeof(double), phi);
  if (code == GANNET_OK && length)
    code = gannet_partition_gather_rows(comm, v.first, sizeof(double), length);
  division_release(&v);
  return code;
}

/* Rows first .. end - 1, in blocks of edge rows. */
static void gram_range(const pinn_gram *g, int first, int end) {
  for (int i = first; i < end; i += g->edge) {
    const int rows = end - i < g->edge ? end - i : g->edge;
    gannet_gemm_nt(rows, i + rows, g->k, g->alpha, g->a + (size_t)i * (size_t)g->lda, g->lda, g->a,
                   g->lda, g->beta, g->c + (size_t)i * (size_t)g->n, g->n);
  }
}

/* Pieces are blocks of edge rows of the triangle, whose cost grows with their position. */
static gannet_err divide_triangle(const pinn *s, int n, int edge, division *v) {
  GANNET_TRY(division_create(s, (n + edge - 1) / edge, v));
  for (int end = 0; end < n;) {
    const int first = end;
    end = n - first < edge ? n : first + edge;
    add_piece(v, end, (double)(end - first) * end);
  }
  gannet_partition_cut(v->pieces, v->begin, v->cost, s->context->np, v->first);
  return GANNET_OK;
}

gannet_err pinn_gram_rows(const pinn *s, const pinn_gram *g) {
  const MPI_Comm comm = s->context->comm;
  const int rank = s->context->rank;
  division v = {0};
  if (!s->ranks_share) {
    gram_range(g, 0, g->n);
    return GANNET_OK;
  }
  gannet_err code = divide_triangle(s, g->n, g->edge, &v);
  if (code == GANNET_OK) gram_range(g, v.first[rank], v.first[rank + 1]);
  code = gannet_agree(comm, code);
  if (code == GANNET_OK)
    code = gannet_partition_gather_rows(comm, v.first, (size_t)g->n * sizeof(double), g->c);
  division_release(&v);
  return code;
}

/* Phi Omega^T, by pieces of 192 columns, the last of which also has the rest. Columns
 * of other ranks are 0 until they are gathered. */
static gannet_err cross_products(pinn *s) {
  const int n = s->n, r = s->r, p = s->p, rank = s->context->rank, np = s->context->np;
  const int pieces = s->ranks_share && n >= LEAST_ROWS ? r / PINN_BLOCK : 1;
  if (pieces < 2) {
    gannet_gemm_nt(n, r, p, 1, s->phi, p, s->omega, p, 0, s->cross, r);
    return GANNET_OK;
  }
  memset(s->cross, 0, (size_t)n * (size_t)r * sizeof *s->cross);
  for (int k = rank; k < pieces; k += np) {
    const int first = k * PINN_BLOCK, columns = k < pieces - 1 ? PINN_BLOCK : r - first;
    gannet_gemm_nt(n, columns, p, 1, s->phi, p, s->omega + (size_t)first * (size_t)p, p, 0,
                   s->cross + first, r);
  }
  return gannet_partition_gather(s->context->comm, (size_t)n * (size_t)r, s->cross);
}

gannet_err pinn_cross(pinn *s) {
  GANNET_TRY(cross_products(s));
  if (s->ranks_share)
    return gannet_cholesky_forward_dealt(s->factor_r, s->context->comm, s->n, s->cross);
  gannet_cholesky_forward(s->factor_r, s->n, s->cross, s->r);
  return GANNET_OK;
}
