#include "network/analytic_kernel.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/vector_clones.h"
#include "linalg/blas.h"
#include "linalg/products.h"
#include "network/expectation.h"
#include "network/tangent.h"

enum { LAYERS = GANNET_TANGENT_LAYERS, GROUP = 32 };

/* Vectors of a layer that reversing one row of pairs needs; all [n]. */
typedef struct {
  double *p;       /* the row's variance S_l(i,i), repeated */
  double *s;       /* S_l */
  double *tangent; /* T_l */
  double *slope;   /* D_{l+1} */
  gannet_expectation_partials by;
} layer;

enum { VECTORS_PER_LAYER = 9 };

struct gannet_analytic {
  gannet_analytic_shape shape;
  const gannet_expectation *pair;
  int n, inputs;                    /* inputs = d + 1 */
  gannet_input_embedding embedding; /* of the last matrix */
  bool common;                      /* all points have the variances of level, but for rounding */
  double level[LAYERS + 1];
  double *rho;    /* [d], of embedding */
  double *x;      /* [n][d] */
  double *z;      /* [n][d+1], embedded by the last scales */
  double *packed; /* the same, for products */
  double *s; /* [n][n] products of z, by the rows and on the side of the diagonal last asked for */
  double *by_s;   /* [n][n] derivatives by them */
  double *q;      /* [L+1][n]: S_l(a,a) */
  double *own;    /* [n] k(a,a) */
  double *by_q;   /* [L][n] */
  double *folded; /* [n][d+1] */
  double *rows;   /* [L+1][VECTORS_PER_LAYER][n], the layers' vectors */
  layer layer[LAYERS + 1];
};

static gannet_err allocate_kernel(gannet_analytic *a) {
  const size_t n = (size_t)a->n, inputs = (size_t)a->inputs, layers = (size_t)a->shape.layers;
  GANNET_TRY(gannet_alloc(n * (inputs - 1), sizeof *a->x, &a->x));
  GANNET_TRY(gannet_alloc(n * inputs, sizeof *a->z, &a->z));
  GANNET_TRY(gannet_alloc(gannet_packed_length(a->n, a->inputs), sizeof *a->packed, &a->packed));
  GANNET_TRY(gannet_alloc(n * n, sizeof *a->s, &a->s));
  GANNET_TRY(gannet_alloc(n * n, sizeof *a->by_s, &a->by_s));
  GANNET_TRY(gannet_alloc(n * (layers + 1), sizeof *a->q, &a->q));
  GANNET_TRY(gannet_alloc(n, sizeof *a->own, &a->own));
  GANNET_TRY(gannet_alloc(n * layers, sizeof *a->by_q, &a->by_q));
  GANNET_TRY(gannet_alloc(inputs - 1, sizeof *a->rho, &a->rho));
  GANNET_TRY(gannet_alloc(n * inputs, sizeof *a->folded, &a->folded));
  return gannet_alloc(n * (layers + 1) * VECTORS_PER_LAYER, sizeof *a->rows, &a->rows);
}

static void place_layers(gannet_analytic *a) {
  const size_t n = (size_t)a->n;
  for (int l = 0; l <= a->shape.layers; ++l) {
    double *at = a->rows + (size_t)(l * VECTORS_PER_LAYER) * n;
    a->layer[l] = (layer){at,
                          at + n,
                          at + 2 * n,
                          at + 3 * n,
                          {at + 4 * n, at + 5 * n, at + 6 * n, at + 7 * n, at + 8 * n}};
  }
}

gannet_err gannet_analytic_create(const gannet_analytic_shape *shape, int n, const double *x,
                                  gannet_analytic **kernel) {
  GANNET_REQUIRE(shape->layers >= 1 && shape->layers <= LAYERS, GANNET_ERR_ARG,
                 "layers = %d, expected 1 to %d", shape->layers, LAYERS);
  GANNET_REQUIRE(n >= 0 && shape->d >= 1, GANNET_ERR_ARG, "n = %d, d = %d", n, shape->d);
  const gannet_expectation *pair = NULL;
  GANNET_TRY(gannet_expectation_find(shape->activation, &pair));
  gannet_analytic *new = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *new, &new));
  *new = (gannet_analytic){.shape = *shape, .pair = pair, .n = n, .inputs = shape->d + 1};
  const gannet_err err = allocate_kernel(new);
  if (err != GANNET_OK) {
    gannet_analytic_destroy(&new);
    GANNET_TRY(err);
  }
  place_layers(new);
  memcpy(new->x, x, (size_t)n * (size_t)shape->d * sizeof *x);
  *kernel = new;
  return GANNET_OK;
}

void gannet_analytic_destroy(gannet_analytic **kernel) {
  if (!*kernel) return;
  gannet_free(&(*kernel)->x);
  gannet_free(&(*kernel)->z);
  gannet_free(&(*kernel)->packed);
  gannet_free(&(*kernel)->s);
  gannet_free(&(*kernel)->by_s);
  gannet_free(&(*kernel)->q);
  gannet_free(&(*kernel)->own);
  gannet_free(&(*kernel)->by_q);
  gannet_free(&(*kernel)->folded);
  gannet_free(&(*kernel)->rows);
  gannet_free(&(*kernel)->rho);
  gannet_free(kernel);
}

static void embed_points(gannet_analytic *a, const double *rho, double bias) {
  memcpy(a->rho, rho, (size_t)a->shape.d * sizeof *rho);
  a->embedding = (gannet_input_embedding){a->shape.embedding, a->shape.d, a->rho, bias};
  gannet_embed_inputs(&a->embedding, a->n, a->x, a->z);
  gannet_pack(a->n, a->inputs, a->z, a->packed);
  a->common = a->shape.embedding == GANNET_EMBEDDING_SPHERE && a->pair->common != NULL;
  if (!a->common) return;
  a->level[0] = bias * bias;
  for (int k = 0; k < a->shape.d; ++k) a->level[0] += rho[k] * rho[k];
  for (int l = 0; l < a->shape.layers; ++l) {
    double slope;
    a->pair->common(1, a->level[l], &a->level[l], &a->level[l + 1], &slope, NULL);
  }
}

GANNET_VECTOR_CLONES static void add_layer(int n, const double *t, const double *slope,
                                           const double *s, double *next) {
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) next[j] = t[j] * slope[j] + s[j];
}

/* The recursion for count pairs, from the s of layer 0; the variances of the one side are in the p
 * of the layers, those of the other in q from one point on. T_L is left in the tangent of layer L.
 */
static void forward_pairs(gannet_analytic *a, int from, int count) {
  layer *at = a->layer;
  memcpy(at[0].tangent, at[0].s, (size_t)count * sizeof *at[0].s);
  for (int l = 0; l < a->shape.layers; ++l) {
    a->pair->moments(count, at[l].p, a->q + (size_t)l * (size_t)a->n + from, at[l].s, at[l + 1].s,
                     at[l].slope);
    add_layer(count, at[l].tangent, at[l].slope, at[l + 1].s, at[l + 1].tangent);
  }
}

/* forward_pairs where all variances are those of level, with the derivatives of the layers if
 * wanted. */
static void forward_on_sphere(gannet_analytic *a, int count, bool slopes) {
  layer *at = a->layer;
  memcpy(at[0].tangent, at[0].s, (size_t)count * sizeof *at[0].s);
  for (int l = 0; l < a->shape.layers; ++l) {
    const gannet_expectation_common by = {at[l].by.slope_s, at[l].by.value_q, at[l].by.slope_q};
    a->pair->common(count, a->level[l], at[l].s, at[l + 1].s, at[l].slope, slopes ? &by : NULL);
    add_layer(count, at[l].tangent, at[l].slope, at[l + 1].s, at[l + 1].tangent);
  }
}

/* The recursion for the pairs (i, j) with from <= j < from + count. */
static void forward_row(gannet_analytic *a, size_t i, int from, int count, bool slopes) {
  const size_t n = (size_t)a->n;
  memcpy(a->layer[0].s, a->s + i * n + from, (size_t)count * sizeof *a->s);
  if (a->common) {
    forward_on_sphere(a, count, slopes);
    return;
  }
  for (int l = 0; l < a->shape.layers; ++l)
    for (int j = 0; j < count; ++j) a->layer[l].p[j] = a->q[(size_t)l * n + i];
  forward_pairs(a, from, count);
}

/* Compute rows of s in columns from .. end - 1. */
static void multiply_inputs(gannet_analytic *a, int first, int rows, int from, int end) {
  gannet_packed_products(rows, a->inputs, a->z + (size_t)first * (size_t)a->inputs, a->n, a->packed,
                         from, end, a->s + (size_t)first * (size_t)a->n, a->n);
}

/* The recursion for the pairs (i, i) of all points; leaves S_l(i,i) in q. */
static void forward_diagonal(gannet_analytic *a) {
  const size_t n = (size_t)a->n, row = n * sizeof *a->q;
  memcpy(a->layer[0].s, a->q, row);
  for (size_t l = 0; l < (size_t)a->shape.layers; ++l) {
    memcpy(a->layer[l].p, a->q + l * n, row);
    a->pair->moments(a->n, a->layer[l].p, a->q + l * n, a->layer[l].p, a->q + (l + 1) * n,
                     a->layer[l].slope);
  }
  forward_pairs(a, 0, a->n);
}

void gannet_analytic_set(gannet_analytic *kernel, const double *rho, double bias) {
  gannet_analytic *a = kernel;
  embed_points(a, rho, bias);
  for (int i = 0; i < a->n; ++i) {
    if (i % GROUP == 0) multiply_inputs(a, i, a->n - i < GROUP ? a->n - i : GROUP, i, i + 1);
    a->q[i] = a->s[(size_t)i * (size_t)(a->n + 1)];
  }
  forward_diagonal(a);
  memcpy(a->own, a->layer[a->shape.layers].tangent, (size_t)a->n * sizeof *a->own);
}

void gannet_analytic_rows(gannet_analytic *kernel, int first, int rows, double *k, int ldk) {
  gannet_analytic *a = kernel;
  multiply_inputs(a, first, rows, 0, first + rows);
  for (int i = 0; i < rows; ++i) {
    const int at = first + i;
    double *row = k + (size_t)i * (size_t)ldk;
    forward_row(a, (size_t)at, 0, at, false);
    memcpy(row, a->layer[a->shape.layers].tangent, (size_t)at * sizeof *row);
    row[at] = a->own[at];
  }
}

/* From weight = dF/dT_L of count pairs to by_s = dF/ds; dF/dS_l of the q side is added to by_q,
 * that of the p side is summed into by_p[l]. */
static void backward_pairs(gannet_analytic *a, int from, int count, double *weight, double *by_s,
                           double *by_p) {
  const size_t n = (size_t)a->n;
  for (int j = 0; j < count; ++j) by_s[j] = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l) {
    const layer *at = &a->layer[l];
    double *by_q = a->by_q + (size_t)l * n + from, sum = 0;
    a->pair->partials(count, at->p, a->q + (size_t)l * n + from, at->s, &at->by);
    for (int j = 0; j < count; ++j) {
      const double by_value = weight[j] + by_s[j], by_slope = weight[j] * at->tangent[j];
      by_q[j] += by_value * at->by.value_q[j] + by_slope * at->by.slope_q[j];
      sum += by_value * at->by.value_p[j] + by_slope * at->by.slope_p[j];
      by_s[j] = by_value * at->slope[j] + by_slope * at->by.slope_s[j];
      weight[j] *= at->slope[j];
    }
    by_p[l] += sum;
  }
  for (int j = 0; j < count; ++j) by_s[j] += weight[j];
}

GANNET_VECTOR_CLONES static void weigh_on_sphere(int n, const layer *at, double *weight,
                                                 double *by_s, double *by_q) {
  const double *t = at->tangent, *slope = at->slope, *slope_s = at->by.slope_s;
  const double *value_q = at->by.value_q, *slope_q = at->by.slope_q;
  GANNET_NO_OVERLAP
  for (int j = 0; j < n; ++j) {
    const double by_value = weight[j] + by_s[j], by_slope = weight[j] * t[j];
    by_q[j] += by_value * value_q[j] + by_slope * slope_q[j];
    by_s[j] = by_value * slope[j] + by_slope * slope_s[j];
    weight[j] *= slope[j];
  }
}

/* backward_pairs where all variances are those of level. The derivative by the variance of both
 * sides is added to by_q; any entry would do, because all variances are the same function of the
 * scales. */
static void backward_on_sphere(gannet_analytic *a, int from, int count, double *weight,
                               double *by_s) {
  for (int j = 0; j < count; ++j) by_s[j] = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l)
    weigh_on_sphere(count, &a->layer[l], weight, by_s, a->by_q + (size_t)l * (size_t)a->n + from);
  for (int j = 0; j < count; ++j) by_s[j] += weight[j];
}

/* The pairs (i, i), where p = q = s move together: every S_l(i,i) gathers what reached it from
 * by_q, and passes it on to the layer below. */
static void backward_diagonal(gannet_analytic *a, double *weight, double *by_s) {
  const size_t n = (size_t)a->n;
  for (size_t i = 0; i < n; ++i) by_s[i] = 0;
  for (int l = a->shape.layers - 1; l >= 0; --l) {
    const layer *at = &a->layer[l];
    a->pair->partials(a->n, at->p, a->q + (size_t)l * n, at->s, &at->by);
    for (size_t i = 0; i < n; ++i) {
      const double by_value = weight[i] + by_s[i], by_slope = weight[i] * at->tangent[i];
      by_s[i] = by_value * (at->slope[i] + at->by.value_p[i] + at->by.value_q[i]) +
                by_slope * (at->by.slope_s[i] + at->by.slope_p[i] + at->by.slope_q[i]) +
                a->by_q[(size_t)l * n + i];
      weight[i] *= at->slope[i];
    }
  }
  for (size_t i = 0; i < n; ++i) by_s[i] += weight[i];
}

/* Reverse row i of a part that begins with point first: dF / ds_ij for j > i, and 0 before. Returns
 * the share of the row in by_size. */
static double reverse_row(gannet_analytic *a, size_t i, size_t first, const double *by_k,
                          double *by_s) {
  const size_t n = (size_t)a->n, layers = (size_t)a->shape.layers;
  const int from = (int)i + 1, count = a->n - from;
  double by_p[LAYERS] = {0};
  double *weight = a->layer[layers].slope, *by_row = a->layer[layers].p; /* free there */
  forward_row(a, i, from, count, true);
  for (int j = 0; j < count; ++j) weight[j] = 2 * by_k[from + j];
  if (a->common)
    backward_on_sphere(a, from, count, weight, by_row);
  else
    backward_pairs(a, from, count, weight, by_row, by_p);
  for (size_t l = 0; l < layers; ++l) a->by_q[l * n + i] += by_p[l];
  memset(by_s + first, 0, (i + 1 - first) * sizeof *by_s);
  memcpy(by_s + from, by_row, (size_t)count * sizeof *by_s);
  /* sum_j by_k_ij k_ij over j >= i */
  return by_k[i] * a->own[i] + 2 * gannet_dot(count, by_k + from, a->layer[layers].tangent);
}

/* dF / ds_ii of all points. Returns the array, which is the p of the last layer. */
static const double *reverse_diagonal(gannet_analytic *a, int first, int rows, const double *by_k) {
  const size_t n = (size_t)a->n, layers = (size_t)a->shape.layers;
  double *weight = a->layer[layers].slope, *by_row = a->layer[layers].p;
  forward_diagonal(a);
  memset(weight, 0, n * sizeof *weight);
  for (int i = 0; i < rows; ++i) weight[first + i] = by_k[(size_t)i * n + (size_t)(first + i)];
  backward_diagonal(a, weight, by_row);
  return by_row;
}

void gannet_analytic_reverse_rows(gannet_analytic *kernel, int first, int rows, const double *by_k,
                                  double *by_rho, double *by_bias, double *by_size) {
  gannet_analytic *a = kernel;
  const size_t n = (size_t)a->n, inputs = (size_t)a->inputs, start = (size_t)first;
  const int left = a->n - first;
  const double *z = a->z + start * inputs;
  double *folded = a->folded + start * inputs;
  memset(a->by_q, 0, n * (size_t)a->shape.layers * sizeof *a->by_q);
  *by_size = 0;
  multiply_inputs(a, first, rows, first, a->n);
  for (size_t i = 0; i < (size_t)rows; ++i)
    *by_size += reverse_row(a, start + i, start, by_k + i * n, a->by_s + i * n);
  const double *own = reverse_diagonal(a, first, rows, by_k);
  /* s_ij = sum_k z_ik z_jk: both points of a pair move it */
  gannet_gemm_tn(left, a->inputs, rows, 1, a->by_s + start, a->n, z, a->inputs, 0, folded,
                 a->inputs);
  gannet_gemm_nn(rows, a->inputs, left, 1, a->by_s + start, a->n, z, a->inputs, 1, folded,
                 a->inputs);
  memset(by_rho, 0, (inputs - 1) * sizeof *by_rho);
  *by_bias = 0;
  for (size_t i = 0; i < (size_t)left; ++i) {
    for (size_t k = 0; k < inputs; ++k)
      folded[i * inputs + k] += 2 * own[start + i] * z[i * inputs + k];
    gannet_embedding_scale_gradient(&a->embedding, z + i * inputs, folded + i * inputs, by_rho,
                                    by_bias);
  }
}
