#include "network/analytic_points.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector_clones.h"
#include "linalg/blas.h"
#include "network/expectation.h"
#include "network/tangent.h"

enum {
  LAYERS = GANNET_TANGENT_LAYERS,
  BLOCK = GANNET_TANGENT_BLOCK,
  GROUP = GANNET_GEMM_GROUP,
  VECTORS_PER_LAYER = 7,
  CHUNK = 512 /* pairs that pass the layers at once: their vectors stay in the first cache */
};

struct gannet_analytic_points {
  gannet_analytic_shape shape;
  const gannet_expectation *pair;
  int inputs; /* d + 1 */
  double *rho;
  double bias;
  int n, capacity;
  bool common;              /* all points have the variances of level, and no others are used */
  double level[LAYERS + 1]; /* S_l(a,a) */
  double own_level;         /* k(x,x) */
  double *z;                /* [capacity][d+1] */
  double *across;           /* [d+1][capacity], the same */
  double *q;                /* [L+1][capacity]: S_l(a,a) */
  double *block;            /* [BLOCK][d+1], z of other points */
  double *rest;             /* [BLOCK][GROUP] products with the last points */
  double *rows;             /* [L+1][VECTORS_PER_LAYER][capacity], see layer_vector() */
  double *folded;           /* [d+1] */
  struct {
    gannet_table table; /* for points of this variance */
    double variance;    /* 0 = none yet */
    bool good;
  } made;
};

/* Vectors of a layer, each [capacity]. */
enum { P, S, TANGENT, SLOPE, VALUE_P, SLOPE_S, SLOPE_P };

static double *layer_vector(const gannet_analytic_points *a, int layer, int which) {
  return a->rows + (size_t)(layer * VECTORS_PER_LAYER + which) * (size_t)a->capacity;
}

/* The first columns of rows of old_ld numbers, to rows of new_ld. */
static void copy_rows(int rows, int columns, int old_ld, const double *from, int new_ld,
                      double *to) {
  for (int i = 0; i < rows && columns > 0; ++i)
    memcpy(to + (size_t)i * (size_t)new_ld, from + (size_t)i * (size_t)old_ld,
           (size_t)columns * sizeof *to);
}

/* Make room for so many points, in whole groups. */
static gannet_err reserve_points(gannet_analytic_points *a, int wanted) {
  const int capacity = (wanted + GROUP - 1) / GROUP * GROUP;
  const size_t layers = (size_t)a->shape.layers + 1, new = (size_t)capacity;
  double *q = NULL, *rows = NULL, *across = NULL;
  GANNET_TRY(gannet_resize((size_t)a->capacity * (size_t)a->inputs, new *(size_t)a->inputs,
                           sizeof *a->z, &a->z));
  gannet_err err = gannet_alloc(layers * new, sizeof *q, &q);
  if (err == GANNET_OK) err = gannet_alloc((size_t)a->inputs * new, sizeof *across, &across);
  if (err == GANNET_OK) err = gannet_alloc(layers * VECTORS_PER_LAYER * new, sizeof *rows, &rows);
  if (err != GANNET_OK) {
    gannet_free(&q);
    gannet_free(&across);
    GANNET_TRY(err);
  }
  copy_rows((int)layers, a->n, a->capacity, a->q, capacity, q);
  copy_rows(a->inputs, a->n, a->capacity, a->across, capacity, across);
  gannet_free(&a->q);
  gannet_free(&a->across);
  gannet_free(&a->rows);
  a->q = q;
  a->across = across;
  a->rows = rows;
  a->capacity = capacity;
  return GANNET_OK;
}

/* S_l(a,a) for l = 0..L of one point, and k(x,x). The derivative of k by S_0(a,a) comes with it. */
static double self_kernel(const gannet_analytic_points *a, const double *z, double *variance,
                          double *derivative) {
  double tangent = gannet_dot(a->inputs, z, z), by_tangent = 1, by_variance = 1;
  variance[0] = tangent;
  for (int l = 0; l < a->shape.layers; ++l) {
    const double q = variance[l];
    double slope, value_p, value_q, slope_s, slope_p, slope_q;
    const gannet_expectation_partials by = {&value_p, &value_q, &slope_s, &slope_p, &slope_q};
    a->pair->moments(1, &q, &q, &q, &variance[l + 1], &slope);
    a->pair->partials(1, &q, &q, &q, &by);
    by_tangent = by_tangent * slope + tangent * (slope_s + slope_p + slope_q) * by_variance;
    by_variance *= slope + value_p + value_q;
    by_tangent += by_variance;
    tangent = tangent * slope + variance[l + 1];
  }
  *derivative = by_tangent;
  return tangent;
}

/* Variances of the layers on the sphere, where |z|^2 is the same for all points. */
static void find_levels(gannet_analytic_points *a) {
  double squares = a->bias * a->bias;
  for (int k = 0; k < a->shape.d; ++k) squares += a->rho[k] * a->rho[k];
  a->common = a->shape.embedding == GANNET_EMBEDDING_SPHERE && a->pair->common != NULL;
  double tangent = a->level[0] = squares;
  for (int l = 0; l < a->shape.layers && a->common; ++l) {
    double slope;
    a->pair->common(1, a->level[l], &a->level[l], &a->level[l + 1], &slope, NULL);
    tangent = tangent * slope + a->level[l + 1];
  }
  a->own_level = tangent;
}

gannet_err gannet_analytic_points_create(const gannet_analytic_shape *shape,
                                         gannet_analytic_points **points) {
  GANNET_REQUIRE(shape->layers >= 1 && shape->layers <= LAYERS, GANNET_ERR_ARG,
                 "layers = %d, expected 1 to %d", shape->layers, LAYERS);
  GANNET_REQUIRE(shape->d >= 1, GANNET_ERR_ARG, "d = %d, expected at least 1", shape->d);
  const gannet_expectation *pair = NULL;
  GANNET_TRY(gannet_expectation_find(shape->activation, &pair));
  const size_t inputs = (size_t)shape->d + 1;
  gannet_analytic_points *new = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *new, &new));
  *new = (gannet_analytic_points){.shape = *shape, .pair = pair, .inputs = shape->d + 1, .bias = 1};
  gannet_err err = gannet_alloc(inputs, sizeof *new->rho, &new->rho);
  if (err == GANNET_OK) err = gannet_alloc(BLOCK * inputs, sizeof *new->block, &new->block);
  if (err == GANNET_OK) err = gannet_alloc(BLOCK * GROUP, sizeof *new->rest, &new->rest);
  if (err == GANNET_OK) err = gannet_alloc(inputs, sizeof *new->folded, &new->folded);
  if (err == GANNET_OK) err = reserve_points(new, BLOCK);
  if (err != GANNET_OK) gannet_analytic_points_destroy(&new);
  for (int k = 0; err == GANNET_OK && k < shape->d; ++k) new->rho[k] = 1;
  if (err == GANNET_OK) find_levels(new);
  *points = new;
  return err;
}

void gannet_analytic_points_destroy(gannet_analytic_points **points) {
  if (!*points) return;
  gannet_free(&(*points)->rho);
  gannet_free(&(*points)->z);
  gannet_free(&(*points)->across);
  gannet_free(&(*points)->q);
  gannet_free(&(*points)->block);
  gannet_free(&(*points)->rest);
  gannet_free(&(*points)->rows);
  gannet_free(&(*points)->folded);
  gannet_free(points);
}

void gannet_analytic_points_set_inputs(gannet_analytic_points *points, const double *rho,
                                       double bias) {
  memcpy(points->rho, rho, (size_t)points->shape.d * sizeof *rho);
  points->bias = bias;
  points->n = 0;
  find_levels(points);
}

static gannet_input_embedding embedding_of(const gannet_analytic_points *a) {
  return (gannet_input_embedding){a->shape.embedding, a->shape.d, a->rho, a->bias};
}

static void embed_points(const gannet_analytic_points *a, int n, const double *x, double *z) {
  const gannet_input_embedding embedding = embedding_of(a);
  gannet_embed_inputs(&embedding, n, x, z);
}

gannet_err gannet_analytic_points_extend(gannet_analytic_points *points, int n, const double *x) {
  gannet_analytic_points *a = points;
  const size_t inputs = (size_t)a->inputs;
  if (n > a->capacity) {
    const int grown = a->capacity + a->capacity / 2;
    GANNET_TRY(reserve_points(a, n < grown ? grown : n));
  }
  for (int i = a->n; i < n; ++i) {
    double variance[LAYERS + 1], derivative;
    double *z = a->z + (size_t)i * inputs;
    embed_points(a, 1, x + (size_t)i * (inputs - 1), z);
    for (size_t k = 0; k < inputs; ++k) a->across[k * (size_t)a->capacity + (size_t)i] = z[k];
    if (a->common) continue;
    (void)self_kernel(a, z, variance, &derivative);
    for (int l = 0; l <= a->shape.layers; ++l)
      a->q[(size_t)l * (size_t)a->capacity + (size_t)i] = variance[l];
  }
  a->n = n;
  return GANNET_OK;
}

GANNET_VECTOR_CLONES static void add_layer(int n, const double *t, const double *slope,
                                           const double *s, double *next) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) next[j] = t[j] * slope[j] + s[j];
}

/* Pass pairs through one layer: their moments, and by.slope_s when derivatives are wanted on the
 * sphere. */
static void pass_layer(const gannet_analytic_points *a, int l, int from, int count,
                       const double *variance, bool slopes) {
  const double *s = layer_vector(a, l, S);
  double *next = layer_vector(a, l + 1, S), *slope = layer_vector(a, l, SLOPE);
  const gannet_expectation_common by = {.slope_s = layer_vector(a, l, SLOPE_S)};
  if (a->common) {
    a->pair->common(count, a->level[l], s, next, slope, slopes ? &by : NULL);
    return;
  }
  double *p = layer_vector(a, l, P);
  for (int j = 0; j < count; ++j) p[j] = variance[l];
  a->pair->moments(count, p, a->q + (size_t)l * (size_t)a->capacity + (size_t)from, s, next, slope);
}

/* Pass products, which are in layer 0, through all layers: the kernel between a point of these
 * variances and count points of the list, beginning with point from. */
static const double *forward_row(const gannet_analytic_points *a, int from, int count,
                                 const double *variance, bool slopes) {
  double *t = layer_vector(a, 0, TANGENT);
  memcpy(t, layer_vector(a, 0, S), (size_t)count * sizeof *t);
  for (int l = 0; l < a->shape.layers; ++l) {
    double *next = layer_vector(a, l + 1, TANGENT);
    pass_layer(a, l, from, count, variance, slopes);
    add_layer(count, t, layer_vector(a, l, SLOPE), layer_vector(a, l + 1, S), next);
    t = next;
  }
  return t;
}

/* Turn a row of products into a row of the kernel. */
static void transform_row(const gannet_analytic_points *a, int from, int count,
                          const double *variance, double *row) {
  for (int done = 0; done < count; done += CHUNK) {
    const int some = count - done < CHUNK ? count - done : CHUNK;
    const size_t size = (size_t)some * sizeof *row;
    memcpy(layer_vector(a, 0, S), row + done, size);
    memcpy(row + done, forward_row(a, from + done, some, variance, false), size);
  }
}

void gannet_analytic_points_tile(const gannet_analytic_points *points, int first, int rows,
                                 int from, int columns, double *k, int ldk) {
  const gannet_analytic_points *a = points;
  gannet_gemm_nt(rows, columns, a->inputs, 1, a->z + (size_t)first * (size_t)a->inputs, a->inputs,
                 a->z + (size_t)from * (size_t)a->inputs, a->inputs, 0, k, ldk);
  for (int i = 0; i < rows; ++i) {
    double variance[LAYERS + 1];
    for (int l = 0; l <= a->shape.layers && !a->common; ++l)
      variance[l] = a->q[(size_t)l * (size_t)a->capacity + (size_t)(first + i)];
    transform_row(a, from, columns, variance, k + (size_t)i * (size_t)ldk);
  }
}

/* Turn products of the m embedded points in a->block with the list into the kernel. */
static void transform_block(const gannet_analytic_points *a, int m, double *k, int ldk,
                            double *diagonal) {
  for (int i = 0; i < m; ++i) {
    double variance[LAYERS + 1], derivative;
    const double *z = a->block + (size_t)i * (size_t)a->inputs;
    const double value = a->common ? a->own_level : self_kernel(a, z, variance, &derivative);
    if (diagonal) diagonal[i] = value;
    if (k && a->n > 0) transform_row(a, 0, a->n, variance, k + (size_t)i * (size_t)ldk);
  }
}

void gannet_analytic_points_cross(const gannet_analytic_points *points, int m, const double *x,
                                  double *k, int ldk, double *diagonal) {
  const gannet_analytic_points *a = points;
  embed_points(a, m, x, a->block);
  if (k) gannet_gemm_nt_by_groups(BLOCK, a->n, a->inputs, 1, a->block, a->z, k, ldk, a->rest);
  transform_block(a, m, k, ldk, diagonal);
}

void gannet_analytic_points_cross_single(const gannet_analytic_points *points, int m,
                                         const double *x, double *k, int ldk, double *diagonal) {
  const gannet_analytic_points *a = points;
  embed_points(a, m, x, a->block);
  for (int i = 0; k && i < m; ++i) { /* z_1 is the bias of all points */
    const double factor = a->block[2 * i], constant = a->bias * a->bias;
    double *row = k + (size_t)i * (size_t)ldk;
    for (int j = 0; j < a->n; ++j) row[j] = factor * a->across[j] + constant;
  }
  transform_block(a, m, k, ldk, diagonal);
}

/* One layer of backward_row; the terms of by_p replace by->value_p. */
GANNET_VECTOR_CLONES static void weigh_layer(int n, const gannet_expectation_partials *by,
                                             const double *t, const double *slope, double *weight,
                                             double *by_s) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    const double by_value = weight[j] + by_s[j], by_slope = weight[j] * t[j];
    by->value_p[j] = by_value * by->value_p[j] + by_slope * by->slope_p[j];
    by_s[j] = by_value * slope[j] + by_slope * by->slope_s[j];
    weight[j] *= slope[j];
  }
}

/* From weight = c to by_s = d sum / ds_j; the derivative by the point's own S_l is left in by_p[l].
 */
static void backward_row(const gannet_analytic_points *a, double *weight, double *by_s,
                         double *by_p) {
  for (int j = 0; j < a->n; ++j) by_s[j] = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l) {
    const gannet_expectation_partials by = {.value_p = layer_vector(a, l, VALUE_P),
                                            .slope_s = layer_vector(a, l, SLOPE_S),
                                            .slope_p = layer_vector(a, l, SLOPE_P)};
    const double *t = layer_vector(a, l, TANGENT), *slope = layer_vector(a, l, SLOPE);
    double sum = 0;
    a->pair->partials(a->n, layer_vector(a, l, P), a->q + (size_t)l * (size_t)a->capacity,
                      layer_vector(a, l, S), &by);
    weigh_layer(a->n, &by, t, slope, weight, by_s);
    for (int j = 0; j < a->n; ++j) sum += by.value_p[j];
    by_p[l] = sum;
  }
  for (int j = 0; j < a->n; ++j) by_s[j] += weight[j];
}

GANNET_VECTOR_CLONES static void weigh_on_sphere(int n, const double *slope_s, const double *t,
                                                 const double *slope, double *weight,
                                                 double *by_s) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    by_s[j] = (weight[j] + by_s[j]) * slope[j] + weight[j] * t[j] * slope_s[j];
    weight[j] *= slope[j];
  }
}

/* backward_row on the sphere, where derivatives by variances are not needed: moving along the
 * sphere does not change the variances. */
static void backward_on_sphere(const gannet_analytic_points *a, double *weight, double *by_s) {
  for (int j = 0; j < a->n; ++j) by_s[j] = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l)
    weigh_on_sphere(a->n, layer_vector(a, l, SLOPE_S), layer_vector(a, l, TANGENT),
                    layer_vector(a, l, SLOPE), weight, by_s);
  for (int j = 0; j < a->n; ++j) by_s[j] += weight[j];
}

/* The point's S_l(x,x) depend on its S_0: the derivative by S_0 of a sum with derivatives by_p. */
static double through_variances(const gannet_analytic_points *a, const double *variance,
                                const double *by_p) {
  double by = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l) {
    const double q = variance[l];
    double next, slope, value_p, value_q, slope_s, slope_p, slope_q;
    const gannet_expectation_partials out = {&value_p, &value_q, &slope_s, &slope_p, &slope_q};
    a->pair->moments(1, &q, &q, &q, &next, &slope);
    a->pair->partials(1, &q, &q, &q, &out);
    by = by * (slope + value_p + value_q) + by_p[l];
  }
  return by;
}

/* Derivatives by the embedded point of a sum over the list, added to by_z; returns that by the
 * point's own S_0, which is not needed where it is the same for all. */
static double gradient_of_sum(const gannet_analytic_points *a, const double *z,
                              const double *variance, const double *c, double *value,
                              double *by_z) {
  const int n = a->n, top = a->shape.layers;
  double by_p[LAYERS] = {0};
  double *weight = layer_vector(a, top, SLOPE), *by_s = layer_vector(a, top, P); /* free there */
  gannet_gemv_t(a->inputs, n, 1, a->across, a->capacity, z, 0, layer_vector(a, 0, S));
  *value += gannet_dot(n, forward_row(a, 0, n, variance, true), c);
  memcpy(weight, c, (size_t)n * sizeof *c);
  if (a->common)
    backward_on_sphere(a, weight, by_s);
  else
    backward_row(a, weight, by_s, by_p);
  gannet_gemv_n(a->inputs, n, 1, a->across, a->capacity, by_s, 0, by_z);
  return a->common ? 0 : through_variances(a, variance, by_p);
}

void gannet_analytic_points_gradient(const gannet_analytic_points *points, const double *x,
                                     double own_weight, const double *c, double *value,
                                     double *gradient) {
  const gannet_analytic_points *a = points;
  double variance[LAYERS + 1], derivative = 0;
  double *z = a->block, *by_z = a->folded;
  embed_points(a, 1, x, z);
  *value = own_weight * (a->common ? a->own_level : self_kernel(a, z, variance, &derivative));
  double by_own = own_weight * derivative;
  memset(by_z, 0, (size_t)a->inputs * sizeof *by_z);
  if (a->n > 0) by_own += gradient_of_sum(a, z, variance, c, value, by_z);
  for (int k = 0; k < a->inputs; ++k) by_z[k] += 2 * by_own * z[k];
  const gannet_input_embedding embedding = embedding_of(a);
  gannet_embedding_gradient(&embedding, z, by_z, gradient);
}

/* Derivatives of the covariances (by_s) and of the tangent kernels (by_t) of n pairs by a
 * coordinate of one side, through one layer; the variance of that side changes by by_p. */
GANNET_VECTOR_CLONES static void pass_slopes(int n, const gannet_expectation_partials *by,
                                             const double *t, const double *slope, double by_p,
                                             double *by_s, double *by_t) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    const double by_slope = by->slope_s[j] * by_s[j] + by->slope_p[j] * by_p;
    by_s[j] = slope[j] * by_s[j] + by->value_p[j] * by_p;
    by_t[j] = slope[j] * by_t[j] + t[j] * by_slope + by_s[j];
  }
}

void gannet_analytic_points_slopes(const gannet_analytic_points *points, double x, double *slopes,
                                   double *own) {
  const gannet_analytic_points *a = points;
  const int n = a->n;
  double variance[LAYERS + 1], derivative = 0, *z = a->block;
  double *by_s = layer_vector(a, a->shape.layers, P); /* free there */
  embed_points(a, 1, &x, z);
  (void)self_kernel(a, z, variance, &derivative);
  const double by_z = 2 * a->rho[0]; /* z_0 changes by that */
  double by_p = 2 * z[0] * by_z;
  *own = derivative * by_p;
  if (n == 0) return;
  gannet_gemv_t(a->inputs, n, 1, a->across, a->capacity, z, 0, layer_vector(a, 0, S));
  (void)forward_row(a, 0, n, variance, false);
  for (int j = 0; j < n; ++j) by_s[j] = slopes[j] = by_z * a->across[j];
  for (int l = 0; l < a->shape.layers; ++l) {
    const gannet_expectation_partials by = {.value_p = layer_vector(a, l, VALUE_P),
                                            .slope_s = layer_vector(a, l, SLOPE_S),
                                            .slope_p = layer_vector(a, l, SLOPE_P)};
    a->pair->partials(n, layer_vector(a, l, P), a->q + (size_t)l * (size_t)a->capacity,
                      layer_vector(a, l, S), &by);
    pass_slopes(n, &by, layer_vector(a, l, TANGENT), layer_vector(a, l, SLOPE), by_p, by_s, slopes);
    const double q = variance[l];
    double next, slope, value_p, value_q, slope_s, slope_p, slope_q;
    const gannet_expectation_partials out = {&value_p, &value_q, &slope_s, &slope_p, &slope_q};
    a->pair->moments(1, &q, &q, &q, &next, &slope);
    a->pair->partials(1, &q, &q, &q, &out);
    by_p *= slope + value_p + value_q;
  }
}

/* T_L of pairs with the variances of one point. */
typedef struct {
  const gannet_analytic_points *points;
  double variance[LAYERS + 1];
} sphere;

static void kernel_of_product(const void *user, int n, const double *x, double *y) {
  const sphere *on = user;
  for (int i = 0; i < n; ++i) {
    double s = x[i], t = s;
    for (int l = 0; l < on->points->shape.layers; ++l) {
      const double q = on->variance[l];
      double next, slope;
      on->points->pair->moments(1, &q, &q, &s, &next, &slope);
      t = t * slope + next;
      s = next;
    }
    y[i] = t;
  }
}

bool gannet_analytic_points_list(gannet_analytic_points *points, gannet_sums_list *list) {
  gannet_analytic_points *a = points;
  sphere on = {.points = a};
  double derivative;
  if (a->shape.embedding != GANNET_EMBEDDING_SPHERE || !a->shape.activation->smooth) return false;
  for (int k = 0; k < a->shape.d; ++k) a->folded[k] = 0.5;
  embed_points(a, 1, a->folded, a->block);
  (void)self_kernel(a, a->block, on.variance, &derivative);
  if (a->made.variance != on.variance[0]) {
    a->made.good = gannet_table_fit(kernel_of_product, &on, on.variance[0], true, &a->made.table);
    a->made.variance = on.variance[0];
  }
  *list = (gannet_sums_list){.kind = GANNET_SUMS_OF_PRODUCT,
                             .table = &a->made.table,
                             .inputs = a->inputs,
                             .n = a->n,
                             .z = a->z};
  return a->made.good;
}

const double *gannet_analytic_points_inputs(const gannet_analytic_points *points) {
  return points->z;
}

void gannet_analytic_points_embed(const gannet_analytic_points *points, int m, const double *x,
                                  double *z) {
  embed_points(points, m, x, z);
}
