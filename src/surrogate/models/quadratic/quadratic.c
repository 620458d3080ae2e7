#include "surrogate/models/quadratic/quadratic.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/least_squares.h"

static const double flat = 100; /* prior standard deviation of the constant, in s */

const double gannet_quadratic_start[GANNET_QUADRATIC_HYPER] = {0, 0, -0.5, -3};
const double gannet_quadratic_step[GANNET_QUADRATIC_HYPER] = {0.5, 0.75, 0.75, 1};

int gannet_quadratic_coefficients(int d, bool full) {
  return 1 + 2 * d + (full ? d * (d - 1) / 2 : 0);
}

gannet_err gannet_quadratic_create(int d, int n, bool full, gannet_quadratic *q) {
  const size_t p = (size_t)gannet_quadratic_coefficients(d, full), triangle = (p + 1) * (p + 1);
  *q = (gannet_quadratic){.d = d, .p = (int)p, .capacity = n};
  memcpy(q->hyper, gannet_quadratic_start, sizeof q->hyper);
  GANNET_TRY(gannet_alloc(triangle, sizeof(double), &q->observed));
  GANNET_TRY(gannet_alloc(triangle, sizeof(double), &q->factor));
  GANNET_TRY(gannet_alloc(triangle, sizeof(double), &q->spare));
  GANNET_TRY(gannet_alloc((p + 1) * p, sizeof(double), &q->prior));
  return gannet_alloc(p, sizeof(double), &q->coefficient);
}

void gannet_quadratic_release(gannet_quadratic *q) {
  gannet_free(&q->observed);
  gannet_free(&q->factor);
  gannet_free(&q->spare);
  gannet_free(&q->prior);
  gannet_free(&q->coefficient);
}

static void feature_row(const gannet_quadratic *q, const double *u, double *row) {
  const int d = q->d;
  size_t at = 0;
  row[at++] = 1;
  for (int k = 0; k < d; ++k) row[at++] = u[k];
  for (int k = 0; k < d; ++k) row[at++] = 0.5 * u[k] * u[k];
  if (q->p == 1 + 2 * d) return;
  for (int k = 0; k < d; ++k)
    for (int l = k + 1; l < d; ++l) row[at++] = u[k] * u[l];
}

/* The features of n points times a factor of each, a column of a for each feature. u is [d][n]. */
static void feature_columns(const gannet_quadratic *q, size_t n, const double *factor,
                            const double *u, double *a) {
  const size_t d = (size_t)q->d;
  for (size_t i = 0; i < n; ++i) a[i] = factor[i];
  for (size_t k = 0; k < d; ++k) {
    const double *x = u + k * n;
    double *linear = a + (1 + k) * n, *square = a + (1 + d + k) * n;
    for (size_t i = 0; i < n; ++i) linear[i] = x[i] * factor[i];
    for (size_t i = 0; i < n; ++i) square[i] = 0.5 * x[i] * x[i] * factor[i];
  }
  if ((size_t)q->p == 1 + 2 * d) return;
  double *column = a + (1 + 2 * d) * n;
  for (size_t k = 0; k < d; ++k)
    for (size_t l = k + 1; l < d; ++l, column += n)
      for (size_t i = 0; i < n; ++i) column[i] = u[k * n + i] * u[l * n + i] * factor[i];
}

static const double log_of_ten = 2.302585092994046;

static double power_of_ten(double x) {
  return exp(log_of_ten * x);
}

/* log of the prior standard deviation of coefficient j, in s; not for the diagonal of H. */
static double prior_log(const gannet_quadratic *q, const double *hyper, int j) {
  if (j == 0) return log(flat);
  if (j <= q->d) return 0;
  return log_of_ten * (hyper[GANNET_QUADRATIC_CURVATURE] + hyper[GANNET_QUADRATIC_CROSS]);
}

static bool is_diagonal(const gannet_quadratic *q, int j) {
  return q->d < j && j <= 2 * q->d;
}

/* Half the log of the determinant of the prior covariance. The covariance of the diagonal of H is
 * curvature^2 (spread^2 I + 1 1^T). */
static double prior_log_root(const gannet_quadratic *q, const double *hyper) {
  const double v = power_of_ten(hyper[GANNET_QUADRATIC_SPREAD]);
  double sum = q->d * log_of_ten * hyper[GANNET_QUADRATIC_CURVATURE] + (q->d - 1) * log(v) +
               0.5 * log(v * v + q->d);
  for (int j = 0; j < q->p; ++j)
    if (!is_diagonal(q, j)) sum += prior_log(q, hyper, j);
  return sum;
}

/* A root of the inverse of the prior covariance, one row per coefficient, upper triangle. The root
 * of the block of the diagonal of H follows from what is left of I - 1 1^T / (v^2 + d) after k
 * columns, I - 1 1^T / (v^2 + d - k). */
static void assemble_prior(const gannet_quadratic *q, const double *hyper) {
  const size_t p = (size_t)q->p, first = (size_t)q->d + 1;
  const double v = power_of_ten(hyper[GANNET_QUADRATIC_SPREAD]);
  const double scale = power_of_ten(-hyper[GANNET_QUADRATIC_CURVATURE]) / v;
  memset(q->prior, 0, (p + 1) * p * sizeof *q->prior);
  for (size_t j = 0; j < p; ++j) {
    double *column = q->prior + j * p;
    if (!is_diagonal(q, (int)j)) {
      column[j] = exp(-prior_log(q, hyper, (int)j));
      continue;
    }
    for (size_t k = first; k <= j; ++k) {
      const double left = v * v + (double)(q->d - (int)(k - first));
      const double root = sqrt((left - 1) / left);
      column[k] = scale * (k == j ? root : -1 / (left * root));
    }
  }
}

gannet_err gannet_quadratic_observe(gannet_quadratic *q, const gannet_quadratic_data *data) {
  const size_t p = (size_t)q->p, n = (size_t)data->n, d = (size_t)q->d;
  GANNET_REQUIRE(1 <= data->n && data->n <= q->capacity, GANNET_ERR_SHAPE,
                 "%d observations of a quadratic with room for %d", data->n, q->capacity);
  double *a = NULL;
  GANNET_TRY(gannet_alloc((p + 1 + 1 + d) * n, sizeof *a, &a));
  double *b = a + p * n, *factor = b + n, *u = factor + n;
  for (size_t i = 0; i < n; ++i) {
    factor[i] = 1 / data->w[i];
    b[i] = data->t[i] * factor[i];
    for (size_t k = 0; k < d; ++k) u[k * n + i] = data->u[i * d + k];
  }
  feature_columns(q, n, factor, u, a);
  const gannet_err err = gannet_least_squares_reduce(data->n, q->p, a, q->observed);
  gannet_free(&a);
  q->n = data->n;
  return err;
}

/* The triangle of the observations, which assumes an error of 1, scaled to the error, and the prior
 * appended to it. */
static gannet_err assemble_triangle(const gannet_quadratic *q, const double *hyper,
                                    double *triangle) {
  const size_t columns = (size_t)q->p + 1;
  const double factor = power_of_ten(-hyper[GANNET_QUADRATIC_ERROR]);
  for (size_t j = 0; j < columns; ++j)
    for (size_t i = 0; i <= j; ++i)
      triangle[j * columns + i] = q->observed[j * columns + i] * factor;
  assemble_prior(q, hyper);
  return gannet_least_squares_append(q->p, triangle, q->prior);
}

/* The log of the evidence with s integrated out, and the residual sum of squares. */
static double evidence_of(const gannet_quadratic *q, const double *hyper, const double *triangle,
                          double *rest) {
  const size_t p = (size_t)q->p, step = p + 2;
  *rest = triangle[p * step] * triangle[p * step];
  double evidence =
      -0.5 * q->n * log(*rest + 1e-300) - q->n * log_of_ten * hyper[GANNET_QUADRATIC_ERROR];
  for (size_t j = 0; j < p; ++j) evidence -= log(fabs(triangle[j * step]));
  evidence -= prior_log_root(q, hyper);
  for (int h = 0; h < GANNET_QUADRATIC_HYPER; ++h) {
    const double away = (hyper[h] - gannet_quadratic_start[h]) / (8 * gannet_quadratic_step[h]);
    evidence -= 0.5 * away * away;
  }
  return isfinite(evidence) ? evidence : -INFINITY;
}

gannet_err gannet_quadratic_try(gannet_quadratic *q, const double *hyper, double *evidence,
                                bool *better) {
  double rest = 0, *const triangle = q->spare;
  *better = false;
  GANNET_TRY(assemble_triangle(q, hyper, triangle));
  *evidence = evidence_of(q, hyper, triangle, &rest);
  if (!(*evidence > q->evidence)) return GANNET_OK;
  const gannet_err err = gannet_least_squares_solve(q->p, triangle, q->prior);
  if (err == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    *evidence = -INFINITY;
    return GANNET_OK;
  }
  GANNET_TRY(err);
  *better = true;
  memcpy(q->hyper, hyper, sizeof q->hyper);
  memcpy(q->coefficient, q->prior, (size_t)q->p * sizeof *q->coefficient);
  q->spare = q->factor;
  q->factor = triangle;
  q->evidence = *evidence;
  q->scale = sqrt(rest / q->n);
  return GANNET_OK;
}

void gannet_quadratic_draw(const gannet_quadratic *q, const double *z, double *coefficient) {
  memcpy(coefficient, q->coefficient, (size_t)q->p * sizeof *coefficient);
  if (!z) return;
  double *away = q->spare;
  memcpy(away, z, (size_t)q->p * sizeof *away);
  gannet_least_squares_backward(q->p, q->factor, away);
  for (int j = 0; j < q->p; ++j) coefficient[j] += q->scale * away[j];
}

static void fill_matrix(int d, const double *diagonal, const double *restrict cross,
                        double *restrict matrix) {
  const size_t n = (size_t)d;
  if (!cross) memset(matrix, 0, n * n * sizeof *matrix);
  for (size_t k = 0; k < n; ++k) {
    matrix[k * n + k] = diagonal[k];
    for (size_t l = k + 1; cross && l < n; ++l) matrix[k * n + l] = matrix[l * n + k] = *cross++;
  }
}

/* Add value and gradient of the cross terms. gradient[k] is summed in a register: each sum must not
 * wait for memory. */
static double add_cross(int d, const double *restrict cross, const double *restrict u, double value,
                        double *restrict gradient) {
  for (int k = 0; k < d; cross += d - 1 - k, ++k) {
    const double *restrict h = cross - (k + 1);
    const double uk = u[k];
    if (!gradient) {
      for (int l = k + 1; l < d; ++l) value += h[l] * uk * u[l];
      continue;
    }
    double own = gradient[k];
    for (int l = k + 1; l < d; ++l) {
      value += h[l] * uk * u[l];
      own += h[l] * u[l];
    }
    gradient[k] = own;
    for (int l = k + 1; l < d; ++l) gradient[l] += h[l] * uk;
  }
  return value;
}

double gannet_quadratic_value(const gannet_quadratic *q, const double *coefficient, const double *u,
                              double *gradient, double *hessian) {
  const int d = q->d;
  const double *g = coefficient + 1, *diagonal = g + d;
  const double *cross = q->p > 1 + 2 * d ? diagonal + d : NULL;
  double value = coefficient[0];
  for (int k = 0; k < d; ++k) {
    value += (g[k] + 0.5 * diagonal[k] * u[k]) * u[k];
    if (gradient) gradient[k] = g[k] + diagonal[k] * u[k];
  }
  if (hessian) fill_matrix(d, diagonal, cross, hessian);
  return cross ? add_cross(d, cross, u, value, gradient) : value;
}

double gannet_quadratic_sd(const gannet_quadratic *q, const double *u, double *work) {
  double sum = 0;
  feature_row(q, u, work);
  gannet_least_squares_forward(q->p, q->factor, work);
  for (int j = 0; j < q->p; ++j) sum += work[j] * work[j];
  return q->scale * sqrt(sum);
}
