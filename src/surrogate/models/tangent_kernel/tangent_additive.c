#include "surrogate/models/tangent_kernel/tangent_additive.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "network/tangent.h"

enum {
  BLOCK = GANNET_TANGENT_BLOCK,
  STEPS = TANGENT_NODES - 1, /* between nodes over [0,1], and as many on each side beyond */
  NODES_MOST = 3 * STEPS + 1,
  /* Ranks share the coordinates of an update from so many values of k_1 on. */
  VALUES_ALONE = 1 << 18
};

/* What calls write and later ones need not find, as large as the list of data. */
typedef struct {
  double *column; /* [capacity] one coordinate of the data */
  double *k;      /* [BLOCK][capacity] k_1 of a block */
} additive_scratch;

/* Derivatives at the last point of _mix_gradient, which is asked there for the mean and then for
 * the deviation. */
typedef struct {
  double *x;    /* [d] the point; NAN = none */
  double *data; /* [d][capacity] of k_1 with the data by the coordinates of x */
  double *own;  /* [d] of k_1(x, x) */
} additive_slopes;

struct tangent_additive {
  int d, n, capacity;
  double unit;                   /* 1 / (d c) */
  gannet_analytic_points **axis; /* [d] the data, one coordinate each */
  double *x;                     /* [capacity][d] the data */
  additive_scratch scratch;
  additive_slopes slopes;
  int rank;                     /* of the factor; 0 = not made since the scale changed */
  double *root;                 /* [rank][nodes], root^T root = k_1 between the nodes */
  gannet_analytic_points *grid; /* [nodes] */
  int nodes;                    /* over [0,1], or over [-1,2] where data lie outside */
  int q;
  double *values;      /* [q + 1][d][nodes] draws at the nodes, then the center */
  double *polynomials; /* [q][d][nodes][2] values and slopes of the draws */
};

void tangent_additive_destroy(tangent_additive **additive) {
  tangent_additive *a = *additive;
  if (!a) return;
  for (int k = 0; a->axis && k < a->d; ++k) gannet_analytic_points_destroy(&a->axis[k]);
  gannet_free(&a->axis);
  gannet_free(&a->x);
  gannet_free(&a->scratch.column);
  gannet_free(&a->scratch.k);
  gannet_free(&a->slopes.data);
  gannet_free(&a->slopes.own);
  gannet_free(&a->slopes.x);
  gannet_free(&a->root);
  gannet_free(&a->values);
  gannet_free(&a->polynomials);
  gannet_analytic_points_destroy(&a->grid);
  gannet_free(additive);
}

gannet_err tangent_additive_create(const gannet_analytic_shape *wide, tangent_additive **additive) {
  gannet_analytic_shape narrow = *wide;
  narrow.d = 1;
  narrow.embedding = GANNET_EMBEDDING_FLAT;
  tangent_additive *a = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *a, &a));
  a->d = wide->d;
  gannet_err code = gannet_alloc((size_t)a->d, sizeof(gannet_analytic_points *), &a->axis);
  if (code == GANNET_OK) code = gannet_alloc((size_t)a->d, sizeof *a->slopes.own, &a->slopes.own);
  if (code == GANNET_OK) code = gannet_alloc((size_t)a->d, sizeof *a->slopes.x, &a->slopes.x);
  for (int k = 0; k < a->d && code == GANNET_OK; ++k)
    code = gannet_analytic_points_create(&narrow, &a->axis[k]);
  if (code == GANNET_OK) code = gannet_analytic_points_create(&narrow, &a->grid);
  if (code == GANNET_OK) code = tangent_additive_set(a, 1);
  if (code != GANNET_OK) tangent_additive_destroy(&a);
  *additive = a;
  return code;
}

/* The node at 0. */
static int origin_of(const tangent_additive *a) {
  return (a->nodes - 1 - STEPS) / 2;
}

/* Place so many nodes. */
static gannet_err set_nodes(tangent_additive *a, int nodes) {
  double x[NODES_MOST];
  a->nodes = nodes;
  a->rank = a->q = 0;
  for (int i = 0; i < nodes; ++i) x[i] = (i - origin_of(a)) / (double)STEPS;
  GANNET_TRY(gannet_analytic_points_extend(a->grid, 0, NULL));
  return gannet_analytic_points_extend(a->grid, nodes, x);
}

gannet_err tangent_additive_set(tangent_additive *a, double rho) {
  double largest = 1;
  a->n = 0;
  a->slopes.x[0] = NAN;
  gannet_analytic_points_set_inputs(a->grid, &rho, 2 * rho);
  GANNET_TRY(set_nodes(a, STEPS + 1));
  for (int k = 0; k < a->d; ++k) gannet_analytic_points_set_inputs(a->axis[k], &rho, 2 * rho);
  gannet_analytic_points_tile(a->grid, STEPS, 1, STEPS, 1, &largest, 1);
  a->unit = 1 / (a->d * largest);
  return GANNET_OK;
}

gannet_err tangent_additive_extend(tangent_additive *a, int n, const double *x) {
  const size_t d = (size_t)a->d;
  a->slopes.x[0] = NAN;
  if (n > a->capacity) {
    const int grown = a->capacity + a->capacity / 2, capacity = n < grown ? grown : n;
    const size_t old = (size_t)a->capacity, size = (size_t)capacity;
    gannet_free(&a->scratch.column);
    gannet_free(&a->scratch.k);
    gannet_free(&a->slopes.data);
    a->capacity = 0; /* until everything has its new size */
    GANNET_TRY(gannet_resize(old * d, size * d, sizeof *a->x, &a->x));
    GANNET_TRY(gannet_alloc(size, sizeof *a->scratch.column, &a->scratch.column));
    GANNET_TRY(gannet_alloc(BLOCK * size, sizeof *a->scratch.k, &a->scratch.k));
    GANNET_TRY(gannet_alloc(d * size, sizeof *a->slopes.data, &a->slopes.data));
    a->capacity = capacity;
  }
  if (n > a->n)
    memcpy(a->x + (size_t)a->n * d, x + (size_t)a->n * d, (size_t)(n - a->n) * d * sizeof *x);
  for (size_t axis = 0; axis < d; ++axis) {
    for (int i = 0; i < n; ++i) a->scratch.column[i] = a->x[(size_t)i * d + axis];
    GANNET_TRY(gannet_analytic_points_extend(a->axis[axis], n, a->scratch.column));
  }
  a->n = n;
  return GANNET_OK;
}

static void scale_rows(double factor, int rows, int columns, double *k, int ldk) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) k[(size_t)i * (size_t)ldk + (size_t)j] *= factor;
}

static void add_rows(double factor, int rows, int columns, const double *part, int ldp, double *k,
                     int ldk) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      k[(size_t)i * (size_t)ldk + (size_t)j] += factor * part[(size_t)i * (size_t)ldp + (size_t)j];
}

void tangent_additive_mix_tile(tangent_additive *a, double share, int first, int rows, int from,
                               int columns, double *k, int ldk) {
  for (int at = 0; at < rows; at += BLOCK) {
    const int some = rows - at < BLOCK ? rows - at : BLOCK;
    double *block = k + (size_t)at * (size_t)ldk;
    scale_rows(1 - share, some, columns, block, ldk);
    for (int axis = 0; axis < a->d; ++axis) {
      gannet_analytic_points_tile(a->axis[axis], first + at, some, from, columns, a->scratch.k,
                                  columns);
      add_rows(share * a->unit, some, columns, a->scratch.k, columns, block, ldk);
    }
  }
}

void tangent_additive_mix_cross(tangent_additive *a, double share, int m, const double *x,
                                double *k, int ldk, double *diagonal) {
  double at[BLOCK], own[BLOCK];
  if (k) scale_rows(1 - share, m, a->n, k, ldk);
  for (int i = 0; diagonal && i < m; ++i) diagonal[i] *= 1 - share;
  for (int axis = 0; axis < a->d; ++axis) {
    for (int i = 0; i < m; ++i) at[i] = x[(size_t)i * (size_t)a->d + (size_t)axis];
    gannet_analytic_points_cross_single(a->axis[axis], m, at, k && a->n > 0 ? a->scratch.k : NULL,
                                        a->n, own);
    if (k) add_rows(share * a->unit, m, a->n, a->scratch.k, a->n, k, ldk);
    for (int i = 0; diagonal && i < m; ++i) diagonal[i] += share * a->unit * own[i];
  }
}

void tangent_additive_mix_gradient(tangent_additive *a, double share, const double *x, double own,
                                   const double *c, double *gradient) {
  const bool known = memcmp(a->slopes.x, x, (size_t)a->d * sizeof *x) == 0;
  memcpy(a->slopes.x, x, (size_t)a->d * sizeof *x);
  for (int axis = 0; axis < a->d; ++axis) {
    double *slopes = a->slopes.data + (size_t)axis * (size_t)a->capacity;
    if (!known) gannet_analytic_points_slopes(a->axis[axis], x[axis], slopes, &a->slopes.own[axis]);
    const double sum = own * a->slopes.own[axis] + (a->n > 0 ? gannet_dot(a->n, slopes, c) : 0);
    gradient[axis] = (1 - share) * gradient[axis] + share * a->unit * sum;
  }
}

/* Draws. */

/* Make the factor of the nodes' kernel, where the scale has changed since: each step takes the node
 * of which the others tell least, until they tell all but rounding (Harbrecht, Peters and Schneider
 * 2012). */
static gannet_err make_root(tangent_additive *a) {
  double *left = NULL, *root = NULL;
  const int nodes = a->nodes;
  const size_t size = (size_t)nodes;
  if (a->rank > 0) return GANNET_OK;
  gannet_err code = gannet_alloc(size, sizeof *left, &left);
  gannet_free(&a->root);
  if (code == GANNET_OK) code = gannet_alloc(size * size, sizeof *root, &a->root);
  for (int i = 0; i < nodes && code == GANNET_OK; ++i)
    gannet_analytic_points_tile(a->grid, i, 1, i, 1, &left[i], 1);
  const double least = code == GANNET_OK ? 1e-13 * left[origin_of(a) + STEPS] : 0;
  int rank = 0;
  for (; rank < nodes && code == GANNET_OK; ++rank) {
    int most = 0;
    for (int i = 1; i < nodes; ++i)
      if (left[i] > left[most]) most = i;
    if (!(left[most] > least)) break;
    root = a->root + (size_t)rank * size;
    gannet_analytic_points_tile(a->grid, most, 1, 0, nodes, root, nodes);
    for (int r = 0; r < rank; ++r) {
      const double *before = a->root + (size_t)r * size;
      for (int i = 0; i < nodes; ++i) root[i] -= before[most] * before[i];
    }
    const double pivot = sqrt(left[most]);
    for (int i = 0; i < nodes; ++i) root[i] /= pivot;
    for (int i = 0; i < nodes; ++i) left[i] -= root[i] * root[i];
  }
  gannet_free(&left);
  a->rank = rank;
  return code;
}

static double *values_of(const tangent_additive *a, int j) {
  return a->values + (size_t)j * (size_t)a->d * (size_t)a->nodes;
}

/* Values and slopes of draw j along an axis, from a node on. */
static double *polynomials_of(const tangent_additive *a, int j, int axis, int node) {
  return a->polynomials + 2 * (((ptrdiff_t)j * a->d + axis) * a->nodes + node);
}

/* The polynomials of draw j from its values at the nodes. The slopes, by steps of one node, are
 * exact for polynomials of degree 4. */
static void make_polynomials(const tangent_additive *a, int j) {
  static const double first[2][5] = {{-25, 48, -36, 16, -3}, {-3, -10, 18, -6, 1}};
  const int nodes = a->nodes;
  for (int axis = 0; axis < a->d; ++axis) {
    const double *f = values_of(a, j) + (size_t)axis * (size_t)nodes;
    double *pair = polynomials_of(a, j, axis, 0);
    for (int i = 0; i < nodes; ++i) pair[2 * i] = f[i];
    for (int i = 2; i < nodes - 2; ++i)
      pair[2 * i + 1] = (f[i - 2] - f[i + 2] + 8 * (f[i + 1] - f[i - 1])) / 12;
    for (int i = 0; i < 2; ++i) {
      double left = 0, right = 0;
      for (int k = 0; k < 5; ++k) {
        left += first[i][k] * f[k];
        right -= first[i][k] * f[nodes - 1 - k];
      }
      pair[2 * i + 1] = left / 12;
      pair[2 * (nodes - 1 - i) + 1] = right / 12;
    }
  }
}

/* Where a coordinate lies: the interval between two nodes, and the part of it that is passed. The
 * last polynomials go on for one step, as derivatives at the ends need; beyond, values stay. */
static int interval_of(const tangent_additive *a, double x, double *t) {
  const double at = fmin(fmax(x * STEPS + origin_of(a), -1), a->nodes);
  const int i = at < 0 ? 0 : at < a->nodes - 2 ? (int)at : a->nodes - 2;
  *t = at - i;
  return i;
}

void tangent_additive_add_draws(const tangent_additive *a, double factor, int m, const double *x,
                                double *values, int ldv) {
  for (int i = 0; i < m; ++i)
    for (int axis = 0; axis < a->d; ++axis) {
      double t;
      const int at = interval_of(a, x[(size_t)i * (size_t)a->d + (size_t)axis], &t);
      const double end = t * t * (3 - 2 * t), start = 1 - end;
      const double slope = t * (1 - t) * (1 - t), late = t * t * (t - 1);
      for (int j = 0; j < a->q; ++j) {
        const double *p = polynomials_of(a, j, axis, at);
        values[(size_t)j * (size_t)ldv + (size_t)i] +=
            factor * (start * p[0] + slope * p[1] + end * p[2] + late * p[3]);
      }
    }
}

void tangent_additive_add_slope(const tangent_additive *a, int j, const double *x, double *value,
                                double *gradient) {
  for (int axis = 0; axis < a->d; ++axis) {
    double t;
    const int at = interval_of(a, x[axis], &t);
    const double *p = polynomials_of(a, j, axis, at);
    const double rise = p[2] - p[0];
    *value += p[0] + t * t * (3 - 2 * t) * rise + t * (1 - t) * ((1 - t) * p[1] - t * p[3]);
    gradient[axis] +=
        STEPS * (6 * t * (1 - t) * rise + (1 - t) * (1 - 3 * t) * p[1] + t * (3 * t - 2) * p[3]);
  }
}

void tangent_additive_add_at_data(const tangent_additive *a, double factor,
                                  const gannet_stride *own, double *values, int ldv) {
  for (int first = BLOCK * own->first; first < a->n; first += BLOCK * own->step) {
    const int m = a->n - first < BLOCK ? a->n - first : BLOCK;
    tangent_additive_add_draws(a, factor, m, a->x + (size_t)first * (size_t)a->d, values + first,
                               ldv);
  }
}

static gannet_err reserve_draws(tangent_additive *a, int q) {
  const size_t numbers = (size_t)a->d * (size_t)a->nodes;
  a->q = 0;
  gannet_free(&a->values);
  gannet_free(&a->polynomials);
  GANNET_TRY(gannet_alloc((size_t)(q + 1) * numbers, sizeof *a->values, &a->values));
  GANNET_TRY(gannet_alloc(2 * (size_t)q * numbers, sizeof *a->polynomials, &a->polynomials));
  a->q = q;
  return GANNET_OK;
}

gannet_err tangent_additive_prior(tangent_additive *a, int q, gannet_stream base) {
  double *normal = NULL;             /* [d][rank] */
  base.purpose |= (uint64_t)1 << 40; /* numbers apart from those of the wide network */
  int nodes = STEPS + 1;
  for (size_t i = 0; i < (size_t)a->n * (size_t)a->d; ++i)
    if (a->x[i] < 0 || a->x[i] > 1) nodes = NODES_MOST;
  if (nodes != a->nodes) GANNET_TRY(set_nodes(a, nodes));
  GANNET_TRY(make_root(a));
  GANNET_TRY(reserve_draws(a, q));
  const size_t numbers = (size_t)a->d * (size_t)a->rank;
  GANNET_TRY(gannet_alloc(numbers, sizeof *normal, &normal));
  for (int j = 0; j < q; ++j) {
    gannet_stream stream = base;
    stream.index += (uint64_t)j;
    gannet_random_normal(stream, 0, numbers, normal);
    gannet_gemm_nn(a->d, a->nodes, a->rank, sqrt(a->unit), normal, a->rank, a->root, a->nodes, 0,
                   values_of(a, j), a->nodes);
    make_polynomials(a, j);
  }
  gannet_free(&normal);
  return GANNET_OK;
}

/* Add the share of one coordinate to draws and center; weights [q + 1][n], those of the center
 * last.
 */
static void update_axis(tangent_additive *a, int axis, double share, const double *weights,
                        double *between) {
  const int nodes = a->nodes;
  double at[BLOCK];
  for (int first = 0; first < a->n; first += BLOCK) {
    const int m = a->n - first < BLOCK ? a->n - first : BLOCK;
    for (int i = 0; i < m; ++i) at[i] = a->x[(size_t)(first + i) * (size_t)a->d + (size_t)axis];
    gannet_analytic_points_cross_single(a->grid, m, at, between, nodes, NULL);
    gannet_gemm_nn(a->q + 1, nodes, m, share * a->unit, weights + first, a->n, between, nodes, 1,
                   a->values + (size_t)axis * (size_t)nodes, a->d * nodes);
  }
}

gannet_err tangent_additive_update(tangent_additive *a, const gannet_context *context, double scale,
                                   double share, const double *weights, const double *center) {
  const size_t n = (size_t)a->n, d = (size_t)a->d, nodes = (size_t)a->nodes;
  const size_t draws = (size_t)a->q * d * nodes, numbers = draws + d * nodes;
  const gannet_stride own = gannet_stride_of(context->rank, context->np,
                                             (double)n * a->d * a->nodes >= (double)VALUES_ALONE);
  double *all = NULL, *between = NULL; /* weights with those of the center; k_1 of a block */
  gannet_err code = gannet_alloc((size_t)(a->q + 1) * n, sizeof *all, &all);
  if (code == GANNET_OK) code = gannet_alloc(BLOCK * nodes, sizeof *between, &between);
  if (own.shared) code = gannet_agree(context->comm, code);
  if (code == GANNET_OK) {
    if (n > 0) memcpy(all, weights, (size_t)a->q * n * sizeof *all);
    if (n > 0) memcpy(all + (size_t)a->q * n, center, n * sizeof *all);
    for (size_t i = 0; i < numbers; ++i) {
      const int axis = (int)(i / nodes % d);
      a->values[i] = i < draws && axis % own.step == own.first ? scale * a->values[i] : 0;
    }
    for (int axis = own.first; axis < a->d; axis += own.step)
      update_axis(a, axis, share, all, between);
    if (own.shared) code = gannet_partition_gather(context->comm, numbers, a->values);
  }
  gannet_free(&all);
  gannet_free(&between);
  GANNET_TRY(code);
  for (int j = 0; j < a->q; ++j) make_polynomials(a, j);
  return GANNET_OK;
}

void tangent_additive_shrink(tangent_additive *a, int j, double factor) {
  const double *center = values_of(a, a->q);
  double *draw = values_of(a, j);
  for (int i = 0; i < a->d * a->nodes; ++i) draw[i] = center[i] + factor * (draw[i] - center[i]);
  make_polynomials(a, j);
}
