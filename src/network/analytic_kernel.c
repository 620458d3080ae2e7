#include "network/analytic_kernel.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/expectation.h"
#include "network/tangent.h"

enum { LAYERS = GANNET_TANGENT_LAYERS };

struct gannet_analytic {
  gannet_analytic_shape shape;
  gannet_expectation_function pair;
  int n, inputs;  /* inputs = d + 1 */
  double *x;      /* [n][d] */
  double *z;      /* [n][d+1], lifted by the last scales */
  double *s;      /* [n][n] products of z */
  double *by_s;   /* [n][n] derivatives by them */
  double *q;      /* [L+1][n]: S_l(a,a) */
  double *by_q;   /* [L+1][n] */
  double *folded; /* [n][d+1] */
};

static gannet_err allocate(gannet_analytic *a) {
  const size_t n = (size_t)a->n, inputs = (size_t)a->inputs, layers = (size_t)a->shape.layers;
  GANNET_TRY(gannet_alloc(n * (inputs - 1), sizeof *a->x, &a->x));
  GANNET_TRY(gannet_alloc(n * inputs, sizeof *a->z, &a->z));
  GANNET_TRY(gannet_alloc(n * n, sizeof *a->s, &a->s));
  GANNET_TRY(gannet_alloc(n * n, sizeof *a->by_s, &a->by_s));
  GANNET_TRY(gannet_alloc(n * (layers + 1), sizeof *a->q, &a->q));
  GANNET_TRY(gannet_alloc(n * (layers + 1), sizeof *a->by_q, &a->by_q));
  return gannet_alloc(n * inputs, sizeof *a->folded, &a->folded);
}

gannet_err gannet_analytic_create(const gannet_analytic_shape *shape, int n, const double *x,
                                  gannet_analytic **kernel) {
  GANNET_REQUIRE(shape->layers >= 1 && shape->layers <= LAYERS, GANNET_ERR_ARG,
                 "layers = %d, expected 1 to %d", shape->layers, LAYERS);
  GANNET_REQUIRE(n >= 0 && shape->d >= 1, GANNET_ERR_ARG, "n = %d, d = %d", n, shape->d);
  gannet_expectation_function pair = NULL;
  GANNET_TRY(gannet_expectation_find(shape->activation, &pair));
  gannet_analytic *new = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *new, &new));
  *new = (gannet_analytic){.shape = *shape, .pair = pair, .n = n, .inputs = shape->d + 1};
  const gannet_err err = allocate(new);
  if (err != GANNET_OK) {
    gannet_analytic_destroy(&new);
    GANNET_TRY(err);
  }
  memcpy(new->x, x, (size_t)n * (size_t)shape->d * sizeof *x);
  *kernel = new;
  return GANNET_OK;
}

void gannet_analytic_destroy(gannet_analytic **kernel) {
  if (!*kernel) return;
  gannet_free(&(*kernel)->x);
  gannet_free(&(*kernel)->z);
  gannet_free(&(*kernel)->s);
  gannet_free(&(*kernel)->by_s);
  gannet_free(&(*kernel)->q);
  gannet_free(&(*kernel)->by_q);
  gannet_free(&(*kernel)->folded);
  gannet_free(kernel);
}

static void lift(gannet_analytic *a, const double *rho, double bias) {
  const int d = a->shape.d;
  for (int i = 0; i < a->n; ++i) {
    double *z = a->z + (size_t)i * (size_t)a->inputs;
    const double *x = a->x + (size_t)i * (size_t)d;
    for (int k = 0; k < d; ++k) z[k] = rho[k] * (2 * x[k] - 1);
    z[d] = bias;
  }
}

/* S_l(a,a) of every layer, and T_L(a,a) into the diagonal of k. */
static void diagonal(gannet_analytic *a, double *k) {
  const size_t n = (size_t)a->n;
  for (size_t i = 0; i < n; ++i) {
    double variance = a->s[i * n + i], tangent = variance;
    a->q[i] = variance;
    for (size_t l = 1; l <= (size_t)a->shape.layers; ++l) {
      gannet_expectation e;
      a->pair(variance, variance, variance, &e);
      tangent = tangent * e.slope + e.value;
      variance = a->q[l * n + i] = e.value;
    }
    k[i * n + i] = tangent;
  }
}

void gannet_analytic_matrix(gannet_analytic *kernel, const double *rho, double bias, double *k) {
  gannet_analytic *a = kernel;
  const size_t n = (size_t)a->n, layers = (size_t)a->shape.layers;
  lift(a, rho, bias);
  gannet_gemm_nt(a->n, a->n, a->inputs, 1, a->z, a->inputs, a->z, a->inputs, 0, a->s, a->n);
  diagonal(a, k);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j) {
      double s = a->s[i * n + j], tangent = s;
      for (size_t l = 0; l < layers; ++l) {
        gannet_expectation e;
        a->pair(a->q[l * n + i], a->q[l * n + j], s, &e);
        tangent = tangent * e.slope + e.value;
        s = e.value;
      }
      k[i * n + j] = k[j * n + i] = tangent;
    }
}

/* Derivative of weight * T_L(i,j) by s_ij; those by S_l(i,i) and S_l(j,j) are added to by_q. */
static double reverse_pair(gannet_analytic *a, size_t i, size_t j, double weight) {
  const size_t n = (size_t)a->n;
  const int layers = a->shape.layers;
  gannet_expectation e[LAYERS];
  double tangent[LAYERS];
  double s = a->s[i * n + j], t = s;
  for (int l = 0; l < layers; ++l) {
    a->pair(a->q[(size_t)l * n + i], a->q[(size_t)l * n + j], s, &e[l]);
    tangent[l] = t;
    t = t * e[l].slope + e[l].value;
    s = e[l].value;
  }
  double by_tangent = weight, by_s = 0;
  for (int l = layers - 1; l >= 0; --l) {
    const double by_value = by_tangent + by_s, by_slope = by_tangent * tangent[l];
    a->by_q[(size_t)l * n + i] += by_value * e[l].value_p + by_slope * e[l].slope_p;
    a->by_q[(size_t)l * n + j] += by_value * e[l].value_q + by_slope * e[l].slope_q;
    by_s = by_value * e[l].slope + by_slope * e[l].slope_s;
    by_tangent *= e[l].slope;
  }
  return by_s + by_tangent;
}

/* The same for the diagonal, where p = q = s move together; afterwards by_q[0] holds the derivative
 * by s_ii, all layers included. */
static void reverse_diagonal(gannet_analytic *a, size_t i, double weight) {
  const size_t n = (size_t)a->n;
  const int layers = a->shape.layers;
  gannet_expectation e[LAYERS];
  double tangent[LAYERS];
  double t = a->q[i];
  for (int l = 0; l < layers; ++l) {
    const double q = a->q[(size_t)l * n + i];
    a->pair(q, q, q, &e[l]);
    tangent[l] = t;
    t = t * e[l].slope + e[l].value;
  }
  double by_tangent = weight, by_variance = 0;
  for (int l = layers - 1; l >= 0; --l) {
    const double by_value = by_tangent + by_variance, by_slope = by_tangent * tangent[l];
    by_variance = by_value * (e[l].slope + e[l].value_p + e[l].value_q) +
                  by_slope * (e[l].slope_s + e[l].slope_p + e[l].slope_q) +
                  a->by_q[(size_t)l * n + i];
    by_tangent *= e[l].slope;
  }
  a->by_q[i] = by_variance + by_tangent;
}

void gannet_analytic_reverse(gannet_analytic *kernel, const double *by_k, double *by_rho,
                             double *by_bias) {
  gannet_analytic *a = kernel;
  const size_t n = (size_t)a->n, inputs = (size_t)a->inputs, d = inputs - 1;
  memset(a->by_q, 0, n * (size_t)(a->shape.layers + 1) * sizeof *a->by_q);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < i; ++j)
      a->by_s[i * n + j] = a->by_s[j * n + i] = reverse_pair(a, i, j, 2 * by_k[i * n + j]) / 2;
  for (size_t i = 0; i < n; ++i) {
    reverse_diagonal(a, i, by_k[i * n + i]);
    a->by_s[i * n + i] = a->by_q[i];
  }
  /* s_ij = sum_k z_ik z_jk, so d F / d log rho_k = 2 sum_ij by_s_ij z_ik z_jk */
  gannet_gemm_nn(a->n, a->inputs, a->n, 1, a->by_s, a->n, a->z, a->inputs, 0, a->folded, a->inputs);
  for (size_t k = 0; k <= d; ++k) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += a->z[i * inputs + k] * a->folded[i * inputs + k];
    *(k < d ? by_rho + k : by_bias) = 2 * sum;
  }
}
