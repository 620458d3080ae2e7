#include "surrogate/moment_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/surrogate.h"

/* Rows that are solved at once for all strips: their part of the factor stays in the second cache.
 */
enum { ROWS = GANNET_STRIP_ROWS, BLOCK = 32, STRIPS = GANNET_MOMENT_STRIPS };

_Static_assert(GANNET_ESTIMATES_POINTS <= STRIPS * 8, "so many points are worked at once");
_Static_assert(GANNET_MOMENT_GROUP <= STRIPS * 8, "of so many there is place for their parts");

struct gannet_moment_sums {
  const gannet_strips *by;
  gannet_kernel_sums *kernel;
  int inputs;
  int n;      /* rows that kernels have, in whole groups */
  int solved; /* rows of the factor, in whole eights; of those beyond the list the solution is 0 */
  char *factor; /* of every eight rows, [column][8] up to the last of them; 1 / the diagonal */
  char *kept;   /* [STRIPS][n][lanes] */
  char *sum;    /* [lanes] */
  /* Instead of a factor where a part is wanted: the kernel has, after alpha, the rows of W. */
  bool parted;
  int length, rank;    /* of W */
  double *projections; /* [rank][length] W */
  double *found;       /* [STRIPS][1 + rank][lanes] */
};

void gannet_moment_sums_destroy(gannet_moment_sums **sums) {
  if (!*sums) return;
  gannet_kernel_sums_destroy(&(*sums)->kernel);
  gannet_free(&(*sums)->factor);
  gannet_free(&(*sums)->kept);
  gannet_free(&(*sums)->sum);
  gannet_free(&(*sums)->projections);
  gannet_free(&(*sums)->found);
  gannet_free(sums);
}

/* Numbers of the copied factor before row i, a multiple of eight: eight times 8 + 16 + .. + i. */
static size_t place_of(int i) {
  const size_t groups = (size_t)(i / ROWS);
  return ROWS * ROWS * groups * (groups + 1) / 2;
}

/* Eight rows, or the last ones. */
static void pack_rows(gannet_moment_sums *s, const gannet_cholesky *factor, int i) {
  const int left = gannet_cholesky_size(factor) - i, rows = left < ROWS ? left : ROWS;
  double corner[ROWS * ROWS] = {0};
  size_t step;
  const double *row = gannet_cholesky_row(factor, i, &step);
  char *to = s->factor + place_of(i) * s->by->size;
  const gannet_strips_source before = {row, step, 1}, last = {corner, ROWS, 1};
  s->by->pack(rows, i, &before, ROWS, to);
  for (size_t r = 0; r < (size_t)rows; ++r) {
    memcpy(corner + r * ROWS, row + r * step + i, r * sizeof *corner);
    corner[r * ROWS + r] = 1 / row[r * step + (size_t)i + r];
  }
  s->by->pack(ROWS, ROWS, &last, ROWS, to + (size_t)i * ROWS * s->by->size);
}

static gannet_err fill(gannet_moment_sums *s, const gannet_cholesky *factor) {
  const size_t rows = (size_t)s->n, lanes = (size_t)s->by->lanes;
  GANNET_TRY(gannet_alloc(place_of(s->solved), s->by->size, &s->factor));
  GANNET_TRY(gannet_alloc(STRIPS * rows * lanes, s->by->size, &s->kept));
  GANNET_TRY(gannet_alloc(lanes, s->by->size, &s->sum));
  for (int i = 0; i < s->solved; i += ROWS) pack_rows(s, factor, i);
  return GANNET_OK;
}

static gannet_err prepare(gannet_moment_sums *s, const gannet_sums_list *list,
                          const gannet_cholesky *factor, const double *alpha) {
  GANNET_TRY(gannet_kernel_sums_prepare(list, 1, alpha, &s->kernel));
  s->n = (int)gannet_kernel_sums_rows(s->kernel);
  s->solved = (list->n + ROWS - 1) / ROWS * ROWS;
  return fill(s, factor);
}

static gannet_err create(const gannet_sums_list *list, gannet_moment_sums **sums) {
  gannet_moment_sums_destroy(sums);
  GANNET_TRY(gannet_alloc(1, sizeof **sums, sums));
  (*sums)->by = gannet_strips_of(list->precision);
  (*sums)->inputs = list->inputs;
  return GANNET_OK;
}

gannet_err gannet_moment_sums_prepare(const gannet_sums_list *list, const gannet_cholesky *factor,
                                      const double *alpha, gannet_moment_sums **sums) {
  gannet_moment_sums_destroy(sums);
  if (list->n > GANNET_MOMENT_POINTS) return GANNET_OK;
  GANNET_TRY(create(list, sums));
  const gannet_err err = prepare(*sums, list, factor, alpha);
  if (err != GANNET_OK) gannet_moment_sums_destroy(sums);
  return err;
}

/* What is less of a row's square than that is rounding. */
static const double least_rest = 1e-8;

/* Rows that are made orthogonal to all before them at once. */
enum { TOGETHER = 16 };

/* own: [m][n] less their parts in the span of basis [rank][n]. c: [m][rank] scratch */
static void take_out(int m, int n, int rank, const double *basis, double *own, double *c) {
  if (rank == 0) return;
  gannet_gemm_nt(m, rank, n, 1, own, n, basis, n, 0, c, rank);
  gannet_gemm_nn(m, n, rank, -1, c, rank, basis, n, 1, own, n);
}

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
    for (int pass = 0; pass < 2; ++pass) take_out(some, n, rank, rows, block, c);
    rank += orthonormalise_block(some, n, block, square, c);
  }
  return rank;
}

/* Whether it pays to deal the solves out over ranks. */
static bool is_dealt(const gannet_moment_part *part) {
  enum { LONG = 800, MANY = 8 };
  return part->context->np > 1 && part->list.n >= LONG && part->m > MANY;
}

/* L^-1 k of the points becomes W. Where processors differ so may bases, even in their sizes; what
 * is left out of one makes a bound larger. scratch: [TOGETHER][m] */
static gannet_err find_projections(const gannet_moment_part *part, double *scratch, int *rank) {
  const MPI_Comm comm = part->context->comm;
  const int n = part->list.n;
  if (!is_dealt(part)) {
    gannet_cholesky_forward(part->factor, part->m, part->k, n);
    *rank = orthonormalise(part->m, n, part->k, scratch);
    gannet_cholesky_backward(part->factor, *rank, part->k, n);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_cholesky_forward_dealt(part->factor, comm, part->m, part->k));
  *rank = orthonormalise(part->m, n, part->k, scratch);
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, rank, 1, MPI_INT, MPI_MIN, comm));
  return gannet_cholesky_backward_dealt(part->factor, comm, *rank, part->k);
}

/* weights: [1 + m][n] scratch */
static gannet_err keep_part(gannet_moment_sums *s, const gannet_moment_part *part,
                            double *weights) {
  const size_t n = (size_t)part->list.n, length = (size_t)s->rank * n;
  const size_t lanes = (size_t)s->by->lanes;
  s->parted = true;
  s->length = part->list.n;
  memcpy(weights, part->alpha, n * sizeof *weights);
  memcpy(weights + n, part->k, length * sizeof *weights);
  GANNET_TRY(gannet_kernel_sums_prepare(&part->list, 1 + s->rank, weights, &s->kernel));
  GANNET_TRY(gannet_alloc(length, sizeof *s->projections, &s->projections));
  memcpy(s->projections, part->k, length * sizeof *s->projections);
  return gannet_alloc(STRIPS * (1 + (size_t)s->rank) * lanes, sizeof *s->found, &s->found);
}

static gannet_err begin_part(const gannet_moment_part *part, gannet_moment_sums **sums,
                             double **weights) {
  const size_t rows = 1 + (size_t)part->m, width = (size_t)part->list.n + TOGETHER;
  GANNET_TRY(create(&part->list, sums));
  return gannet_alloc(rows * width, sizeof **weights, weights);
}

/* Ranks go on only together. */
static gannet_err agree(const gannet_moment_part *part, gannet_err err) {
  return part->m > 0 ? gannet_agree(part->context->comm, err) : err;
}

static gannet_err all_able(const gannet_moment_part *part, bool *able) {
  if (part->m == 0) return GANNET_OK;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_C_BOOL, MPI_LAND, part->context->comm));
  return GANNET_OK;
}

gannet_err gannet_moment_sums_prepare_part(const gannet_moment_part *part, gannet_err err,
                                           bool *able, gannet_moment_sums **sums) {
  double *weights = NULL;
  if (err == GANNET_OK && *able) err = begin_part(part, sums, &weights);
  err = agree(part, err);
  if (err == GANNET_OK) err = all_able(part, able);
  if (err == GANNET_OK && *able) err = find_projections(part, weights, &(*sums)->rank);
  if (err == GANNET_OK && *able) err = keep_part(*sums, part, weights);
  err = agree(part, err);
  gannet_free(&weights);
  *able = *able && err == GANNET_OK;
  if (!*able) gannet_moment_sums_destroy(sums);
  return err;
}

void gannet_moment_sums_part(const gannet_moment_sums *s, int m, const double *k, double *part) {
  const int rank = s->rank;
  memset(part, 0, (size_t)m * sizeof *part);
  if (rank > 0)
    gannet_gemm_nt(m, rank, s->length, 1, k, s->length, s->projections, s->length, 0, s->found,
                   rank);
  for (int i = 0; i < m; ++i)
    part[i] = gannet_dot(rank, s->found + (ptrdiff_t)i * rank, s->found + (ptrdiff_t)i * rank);
}

static char *kept_of(const gannet_moment_sums *s, int strip) {
  return s->kept + (size_t)strip * (size_t)s->n * (size_t)s->by->lanes * s->by->size;
}

static void solve(const gannet_moment_sums *s, int n_strips) {
  for (int i = 0; i < s->solved; i += BLOCK) {
    const int end = s->solved - i < BLOCK ? s->solved : i + BLOCK;
    s->by->solve(i, end, s->factor + place_of(i) * s->by->size, n_strips, s->kept,
                 (size_t)(kept_of(s, 1) - s->kept));
  }
}

/* mean and explained: [n_strips][lanes], of zeros. */
static void add_parts(const gannet_moment_sums *s, int n_strips, const void *strips, double *mean,
                      double *explained) {
  const size_t lanes = (size_t)s->by->lanes, each = 1 + (size_t)s->rank;
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

void gannet_moment_sums_values(const gannet_moment_sums *sums, int n_strips, const void *strips,
                               double *mean, double *explained) {
  const gannet_moment_sums *s = sums;
  const size_t lanes = (size_t)s->by->lanes, size = lanes * s->by->size;
  const char *strip = strips;
  memset(mean, 0, (size_t)n_strips * lanes * sizeof *mean);
  memset(explained, 0, (size_t)n_strips * lanes * sizeof *explained);
  if (s->parted) {
    add_parts(s, n_strips, strips, mean, explained);
    return;
  }
  for (int i = 0; i < n_strips; ++i, strip += (size_t)s->inputs * size)
    gannet_kernel_sums_keep(s->kernel, strip, kept_of(s, i), mean + (size_t)i * lanes);
  solve(s, n_strips);
  for (int i = 0; i < n_strips; ++i) {
    memset(s->sum, 0, size);
    s->by->square(s->solved, kept_of(s, i), s->sum);
    s->by->add(lanes, s->sum, explained + (size_t)i * lanes);
  }
}

void gannet_moment_sums_estimate(const gannet_moment_sums *sums, const gannet_moment_parts *parts,
                                 const gannet_estimates *estimates, int points, double *mean,
                                 double *variance) {
  const double *found = estimates->values, *explained = found + GANNET_ESTIMATES_POINTS;
  const int n_strips = gannet_estimates_pack(estimates, points);
  gannet_moment_sums_values(sums, n_strips, estimates->strips, estimates->values,
                            estimates->values + GANNET_ESTIMATES_POINTS);
  for (int i = 0; i < points; ++i) {
    mean[i] = parts->mean + found[i];
    variance[i] =
        isfinite(explained[i]) ? parts->amplitude * fmax(0, parts->own - explained[i]) : NAN;
  }
}

size_t gannet_moment_sums_bytes(const gannet_moment_sums *s) {
  if (!s) return 0;
  if (s->parted)
    return sizeof *s + gannet_kernel_sums_bytes(s->kernel) +
           sizeof(double) * ((size_t)s->rank * (size_t)s->length +
                             STRIPS * (1 + (size_t)s->rank) * (size_t)s->by->lanes);
  return sizeof *s + gannet_kernel_sums_bytes(s->kernel) +
         (place_of(s->solved) + (STRIPS * (size_t)s->n + 1) * (size_t)s->by->lanes) * s->by->size;
}
