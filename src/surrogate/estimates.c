#include "surrogate/estimates.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/surrogate.h"

enum { POINTS = GANNET_ESTIMATES_POINTS, LANES = GANNET_STRIP_LANES };

gannet_err gannet_estimates_reserve(int inputs, int each, gannet_estimates *e) {
  gannet_estimates_release(e);
  e->inputs = inputs;
  e->each = each;
  GANNET_TRY(gannet_alloc(POINTS * (size_t)inputs, sizeof *e->z, &e->z));
  GANNET_TRY(gannet_alloc(POINTS * (size_t)each, sizeof *e->values, &e->values));
  return gannet_alloc(POINTS * (size_t)inputs, sizeof *e->strips, &e->strips);
}

void gannet_estimates_release(gannet_estimates *e) {
  gannet_free(&e->z);
  gannet_free(&e->values);
  gannet_free(&e->strips);
  *e = (gannet_estimates){0};
}

int gannet_estimates_pack(const gannet_estimates *e, int points) {
  const gannet_strips_source source = {e->z, (size_t)e->inputs, 1};
  gannet_strips_pack(points, e->inputs, &source, LANES, e->strips);
  return (points + LANES - 1) / LANES;
}

void gannet_estimates_unpack(const gannet_estimates *e, int points, double *values, int ldv) {
  for (int i = 0; i < points; ++i) {
    const double *strip = e->values + (ptrdiff_t)(i / LANES) * e->each * LANES + i % LANES;
    for (ptrdiff_t j = 0; j < e->each; ++j) values[j * ldv + i] = strip[j * LANES];
  }
}

enum {
  ROWS = GANNET_STRIP_ROWS, /* rows per group of the copied factor */
  BLOCK = 32,               /* rows that are solved for all strips: they stay in the second cache */
  STRIPS = GANNET_MOMENT_STRIPS,
  TOGETHER = 16 /* rows that are made orthogonal to all before them at once */
};

_Static_assert(GANNET_ESTIMATES_POINTS <= STRIPS * LANES, "a call has so many points");
_Static_assert(GANNET_MOMENT_GROUP <= STRIPS * LANES, "found has room for a group");

struct gannet_moment_sums {
  const gannet_strips *by;
  gannet_kernel_sums *kernel; /* alpha, then, with pivots, the rows of W */
  int inputs;
  int n;          /* rows of the kernel, in whole groups */
  int solved;     /* rows of the factor, in whole eights; beyond the data the solution is 0 */
  double *factor; /* copy, eight rows at a time: [column][8] up to the last; 1 / the diagonal */
  double *kernel_rows; /* [STRIPS][n][lanes] */
  double *sum;         /* [lanes] */
  bool with_pivots;    /* W is used in the place of the factor, for what the pivots explain */
  int length, rank;    /* of W */
  double *projections; /* [rank][length] W */
  double *found;       /* [STRIPS][1 + rank][lanes] sums */
};

void gannet_moment_sums_destroy(gannet_moment_sums **sums) {
  if (!*sums) return;
  gannet_kernel_sums_destroy(&(*sums)->kernel);
  gannet_free(&(*sums)->factor);
  gannet_free(&(*sums)->kernel_rows);
  gannet_free(&(*sums)->sum);
  gannet_free(&(*sums)->projections);
  gannet_free(&(*sums)->found);
  gannet_free(sums);
}

/* Numbers of the copied factor before row i, a multiple of eight: eight times 8 + 16 + .. + i. */
static size_t packed_offset(int i) {
  const size_t groups = (size_t)(i / ROWS);
  return ROWS * ROWS * groups * (groups + 1) / 2;
}

/* Eight rows, or the last ones. */
static void pack_rows(gannet_moment_sums *s, const gannet_cholesky *factor, int i) {
  const int left = gannet_cholesky_size(factor) - i, rows = left < ROWS ? left : ROWS;
  double corner[ROWS * ROWS] = {0};
  size_t step;
  const double *row = gannet_cholesky_row(factor, i, &step);
  double *to = s->factor + packed_offset(i);
  const gannet_strips_source before = {row, step, 1}, last = {corner, ROWS, 1};
  gannet_strips_pack(rows, i, &before, ROWS, to);
  for (size_t r = 0; r < (size_t)rows; ++r) {
    memcpy(corner + r * ROWS, row + r * step + i, r * sizeof *corner);
    corner[r * ROWS + r] = 1 / row[r * step + (size_t)i + r];
  }
  gannet_strips_pack(ROWS, ROWS, &last, ROWS, to + (size_t)i * ROWS);
}

static gannet_err create_sums(const gannet_sums_list *list, gannet_moment_sums **sums) {
  gannet_moment_sums_destroy(sums);
  GANNET_TRY(gannet_alloc(1, sizeof **sums, sums));
  (*sums)->by = gannet_strips_here();
  (*sums)->inputs = list->inputs;
  return GANNET_OK;
}

gannet_err gannet_moment_sums_prepare(const gannet_sums_list *list, const gannet_cholesky *factor,
                                      const double *alpha, gannet_moment_sums **sums) {
  gannet_moment_sums_destroy(sums);
  if (list->n > GANNET_MOMENT_POINTS) return GANNET_OK;
  GANNET_TRY(create_sums(list, sums));
  gannet_moment_sums *s = *sums;
  s->solved = (list->n + ROWS - 1) / ROWS * ROWS;
  gannet_err err = gannet_kernel_sums_prepare(list, 1, alpha, &s->kernel);
  if (err == GANNET_OK) {
    s->n = (int)gannet_kernel_sums_rows(s->kernel);
    err = gannet_alloc(packed_offset(s->solved), sizeof *s->factor, &s->factor);
  }
  if (err == GANNET_OK)
    err = gannet_alloc(STRIPS * (size_t)s->n * LANES, sizeof *s->kernel_rows, &s->kernel_rows);
  if (err == GANNET_OK) err = gannet_alloc(LANES, sizeof *s->sum, &s->sum);
  for (int i = 0; i < s->solved && err == GANNET_OK; i += ROWS) pack_rows(s, factor, i);
  if (err != GANNET_OK) gannet_moment_sums_destroy(sums);
  return err;
}

/* A row of which a smaller share of its square is left is taken for rounding. */
static const double least_rest = 1e-8;

/* A basis in the place of the m rows of a block, which have been made orthogonal to all before it;
 * square: [m] what they were before that. Returns its size. */
static int orthonormalise_block(int m, int n, double *block, const double *square, double *c) {
  int rank = 0;
  for (int j = 0; j < m; ++j) {
    double *own = block + (ptrdiff_t)rank * n;
    memmove(own, block + (ptrdiff_t)j * n, (size_t)n * sizeof *own);
    for (int pass = 0; pass < 2 && rank > 0; ++pass) {
      gannet_gemv_n(rank, n, 1, block, n, own, 0, c);
      gannet_gemv_t(rank, n, -1, block, n, c, 1, own);
    }
    const double rest = gannet_dot(n, own, own);
    if (!(rest > least_rest * square[j])) continue;
    const double scale = 1 / sqrt(rest);
    for (int i = 0; i < n; ++i) own[i] *= scale;
    ++rank;
  }
  return rank;
}

/* An orthonormal basis in the place of m rows; returns its size. Parts of rows before are taken out
 * twice. c: [TOGETHER][m] scratch */
static int orthonormalise(int m, int n, double *rows, double *c) {
  int rank = 0;
  for (int first = 0; first < m; first += TOGETHER) {
    const int some = m - first < TOGETHER ? m - first : TOGETHER;
    double *block = rows + (ptrdiff_t)rank * n, square[TOGETHER];
    memmove(block, rows + (ptrdiff_t)first * n, (size_t)some * (size_t)n * sizeof *block);
    for (int j = 0; j < some; ++j)
      square[j] = gannet_dot(n, block + (ptrdiff_t)j * n, block + (ptrdiff_t)j * n);
    for (int pass = 0; pass < 2 && rank > 0; ++pass) {
      gannet_gemm_nt(some, rank, n, 1, block, n, rows, n, 0, c, rank);
      gannet_gemm_nn(some, n, rank, -1, c, rank, rows, n, 1, block, n);
    }
    rank += orthonormalise_block(some, n, block, square, c);
  }
  return rank;
}

/* L^-1 k of the pivots becomes W. Where processors differ so may bases, even in their sizes; what
 * is left out of one makes a bound larger. scratch: [TOGETHER][m] */
static gannet_err find_projections(const gannet_moment_pivots *p, double *scratch, int *rank) {
  enum { LONG = 800, MANY = 8 }; /* from where on ranks share the solves */
  const MPI_Comm comm = p->context->comm;
  const int n = p->list.n;
  if (p->context->np == 1 || n < LONG || p->m <= MANY) {
    gannet_cholesky_forward(p->factor, p->m, p->k, n);
    *rank = orthonormalise(p->m, n, p->k, scratch);
    gannet_cholesky_backward(p->factor, *rank, p->k, n);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_cholesky_forward_dealt(p->factor, comm, p->m, p->k));
  *rank = orthonormalise(p->m, n, p->k, scratch);
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, rank, 1, MPI_INT, MPI_MIN, comm));
  return gannet_cholesky_backward_dealt(p->factor, comm, *rank, p->k);
}

/* Sums with alpha and the rows of W. weights: [1 + m][n] scratch */
static gannet_err prepare_projections(gannet_moment_sums *s, const gannet_moment_pivots *p,
                                      double *weights) {
  const size_t n = (size_t)p->list.n, length = (size_t)s->rank * n;
  s->with_pivots = true;
  s->length = p->list.n;
  memcpy(weights, p->alpha, n * sizeof *weights);
  memcpy(weights + n, p->k, length * sizeof *weights);
  GANNET_TRY(gannet_kernel_sums_prepare(&p->list, 1 + s->rank, weights, &s->kernel));
  GANNET_TRY(gannet_alloc(length, sizeof *s->projections, &s->projections));
  memcpy(s->projections, p->k, length * sizeof *s->projections);
  return gannet_alloc(STRIPS * (1 + (size_t)s->rank) * LANES, sizeof *s->found, &s->found);
}

/* Make sums that give, in the place of what the data explain, what the pivots p explain of it: a
 * part in the span of their solutions,
 *
 *   |Q^T L^-1 k(z)|^2 = |W k(z)|^2,   Q an orthonormal basis of L^-1 k(p),   W = Q^T L^-1,
 *
 * for the work of m means instead of a solve. The factor is not copied, so there may be more than
 * GANNET_MOMENT_POINTS points in the list. Ranks share the solves of long lists, with the same
 * bits.
 *
 * Collective over the context's communicator when m is positive, otherwise local.
 *
 * pivots  in     m the same on all ranks; the other members count when this rank is able
 * err     in     of this rank so far
 * able    inout  whether all ranks are
 * sums    out    NULL unless able
 *
 * Errors: err, and GANNET_ERR_MEMORY; from all ranks.
 * Cost: 2 m n^2 operations over the number of ranks, 2 m^2 n, and about 4 m n numbers.
 */
static gannet_err prepare_with_pivots(const gannet_moment_pivots *p, gannet_err err, bool *able,
                                      gannet_moment_sums **sums) {
  const MPI_Comm comm = p->context->comm;
  const bool shared = p->m > 0; /* all ranks take part, and go on only together */
  double *weights = NULL;
  if (err == GANNET_OK && *able) {
    err = create_sums(&p->list, sums);
    if (err == GANNET_OK)
      err = gannet_alloc((1 + (size_t)p->m) * ((size_t)p->list.n + TOGETHER), sizeof *weights,
                         &weights);
  }
  if (shared) err = gannet_agree(comm, err);
  if (shared && err == GANNET_OK &&
      MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_C_BOOL, MPI_LAND, comm) != MPI_SUCCESS)
    err = GANNET_RAISE(GANNET_ERR_MPI, "whether all ranks can estimate with pivots");
  if (err == GANNET_OK && *able) err = find_projections(p, weights, &(*sums)->rank);
  if (err == GANNET_OK && *able) err = prepare_projections(*sums, p, weights);
  if (shared) err = gannet_agree(comm, err);
  gannet_free(&weights);
  *able = *able && err == GANNET_OK;
  if (!*able) gannet_moment_sums_destroy(sums);
  return err;
}

void gannet_moment_sums_explained(const gannet_moment_sums *s, int m, const double *k,
                                  double *explained) {
  const int rank = s->rank;
  memset(explained, 0, (size_t)m * sizeof *explained);
  if (rank > 0)
    gannet_gemm_nt(m, rank, s->length, 1, k, s->length, s->projections, s->length, 0, s->found,
                   rank);
  for (int i = 0; i < m; ++i)
    explained[i] = gannet_dot(rank, s->found + (ptrdiff_t)i * rank, s->found + (ptrdiff_t)i * rank);
}

static double *kernel_rows_of(const gannet_moment_sums *s, int strip) {
  return s->kernel_rows + (size_t)strip * (size_t)s->n * LANES;
}

/* mean and explained: [n_strips][lanes], of zeros. */
static void add_projections(const gannet_moment_sums *s, int n_strips, const double *strips,
                            double *mean, double *explained) {
  const size_t lanes = LANES, each = 1 + (size_t)s->rank;
  memset(s->found, 0, (size_t)n_strips * each * lanes * sizeof *s->found);
  gannet_kernel_sums_add(s->kernel, n_strips, strips, s->found);
  for (size_t i = 0; i < (size_t)n_strips; ++i, mean += lanes, explained += lanes) {
    const double *found = s->found + i * each * lanes;
    memcpy(mean, found, lanes * sizeof *mean);
    for (size_t j = 1; j < each; ++j)
      for (size_t l = 0; l < lanes; ++l)
        explained[l] += found[j * lanes + l] * found[j * lanes + l];
  }
}

void gannet_moment_sums_values(const gannet_moment_sums *sums, int n_strips, const double *strips,
                               double *mean, double *explained) {
  const gannet_moment_sums *s = sums;
  const size_t lanes = LANES;
  const double *strip = strips;
  memset(mean, 0, (size_t)n_strips * lanes * sizeof *mean);
  memset(explained, 0, (size_t)n_strips * lanes * sizeof *explained);
  if (s->with_pivots) {
    add_projections(s, n_strips, strips, mean, explained);
    return;
  }
  for (int i = 0; i < n_strips; ++i, strip += (size_t)s->inputs * lanes)
    gannet_kernel_sums_keep(s->kernel, strip, kernel_rows_of(s, i), mean + (size_t)i * lanes);
  for (int i = 0; i < s->solved; i += BLOCK) {
    const int end = s->solved - i < BLOCK ? s->solved : i + BLOCK;
    s->by->solve(i, end, s->factor + packed_offset(i), n_strips, s->kernel_rows,
                 (size_t)s->n * lanes);
  }
  for (int i = 0; i < n_strips; ++i) {
    memset(s->sum, 0, lanes * sizeof *s->sum);
    s->by->square(s->solved, kernel_rows_of(s, i), s->sum);
    gannet_strips_add(lanes, s->sum, explained + (size_t)i * lanes);
  }
}

void gannet_moment_sums_estimate(const gannet_moment_sums *sums, const gannet_moment_scale *scale,
                                 const gannet_estimates *estimates, int points, double *mean,
                                 double *variance) {
  const double *found = estimates->values, *explained = found + GANNET_ESTIMATES_POINTS;
  const int n_strips = gannet_estimates_pack(estimates, points);
  gannet_moment_sums_values(sums, n_strips, estimates->strips, estimates->values,
                            estimates->values + GANNET_ESTIMATES_POINTS);
  for (int i = 0; i < points; ++i) {
    mean[i] = scale->mean + found[i];
    variance[i] =
        isfinite(explained[i]) ? scale->amplitude * fmax(0, scale->own - explained[i]) : NAN;
  }
}

gannet_err gannet_estimator_prepare(const gannet_context *context, void *model,
                                    const gannet_estimator_preparation *by,
                                    const gannet_estimator_type *type,
                                    const gannet_estimator_spec *spec,
                                    gannet_estimator *estimator) {
  gannet_estimator_base *base = NULL;
  gannet_moment_sums *bounds = NULL;
  bool able = false;
  gannet_err err = gannet_alloc(1, by->size, &base);
  if (err == GANNET_OK) base->model = model;
  if (err == GANNET_OK && spec->kind == GANNET_ESTIMATE_DRAWS) err = by->draws(base, &able);
  if (err == GANNET_OK && spec->kind == GANNET_ESTIMATE_MOMENTS) err = by->moments(base, &able);
  if (spec->kind == GANNET_ESTIMATE_UPPER_BOUNDS) {
    gannet_moment_pivots sums = {.context = context, .m = spec->n_pivots};
    if (err == GANNET_OK) err = by->pivots(base, spec->pivots, &sums, &able);
    /* Collective with pivots, also after an error of this rank. */
    err = prepare_with_pivots(&sums, err, &able, &bounds);
    gannet_free(&sums.k);
    if (base) base->moments = bounds;
  }
  estimator->type = type;
  estimator->work = base;
  if (err != GANNET_OK || !able) gannet_estimator_release(estimator);
  return err;
}
