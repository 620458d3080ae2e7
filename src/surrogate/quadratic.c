#include "surrogate/quadratic.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/least_squares.h"

static const double flat = 100; /* prior deviation of the constant, in s */

const double gannet_quadratic_start[GANNET_QUADRATIC_HYPER] = {0, 0, -0.5, -3};
const double gannet_quadratic_step[GANNET_QUADRATIC_HYPER] = {0.5, 0.75, 0.75, 1};

int gannet_quadratic_coefficients(int d, bool full) {
  return 1 + 2 * d + (full ? d * (d - 1) / 2 : 0);
}

gannet_err gannet_quadratic_create(int d, int n, bool full, gannet_quadratic *q) {
  const size_t p = (size_t)gannet_quadratic_coefficients(d, full), rows = (size_t)n + p;
  *q = (gannet_quadratic){.d = d, .p = (int)p, .capacity = (int)rows};
  memcpy(q->hyper, gannet_quadratic_start, sizeof q->hyper);
  GANNET_TRY(gannet_alloc(p * rows, sizeof(double), &q->factor));
  GANNET_TRY(gannet_alloc((p + 1) * rows, sizeof(double), &q->spare));
  return gannet_alloc(p, sizeof(double), &q->coefficient);
}

void gannet_quadratic_release(gannet_quadratic *q) {
  gannet_free(&q->factor);
  gannet_free(&q->spare);
  gannet_free(&q->coefficient);
}

/* The features of u, ld apart. */
static void features(const gannet_quadratic *q, const double *u, size_t ld, double *row) {
  const int d = q->d;
  size_t at = 0;
  row[at++ * ld] = 1;
  for (int k = 0; k < d; ++k) row[at++ * ld] = u[k];
  for (int k = 0; k < d; ++k) row[at++ * ld] = 0.5 * u[k] * u[k];
  if (q->p == 1 + 2 * d) return;
  for (int k = 0; k < d; ++k)
    for (int l = k + 1; l < d; ++l) row[at++ * ld] = u[k] * u[l];
}

static double power_of_ten(double x) {
  return exp(2.302585092994046 * x);
}

/* log of the prior deviation of coefficient j but for those of the diagonal. */
static double prior_log(const gannet_quadratic *q, const double *hyper, int j) {
  const double ten = 2.302585092994046;
  if (j == 0) return log(flat);
  if (j <= q->d) return 0;
  return ten * (hyper[GANNET_QUADRATIC_CURVATURE] + hyper[GANNET_QUADRATIC_CROSS]);
}

static bool is_diagonal(const gannet_quadratic *q, int j) {
  return q->d < j && j <= 2 * q->d;
}

/* log of the root of the determinant of the prior covariance. The diagonal's is
 * curvature^2 (spread^2 I + 1 1^T). */
static double prior_log_root(const gannet_quadratic *q, const double *hyper) {
  const double ten = 2.302585092994046, v = power_of_ten(hyper[GANNET_QUADRATIC_SPREAD]);
  double sum = q->d * ten * hyper[GANNET_QUADRATIC_CURVATURE] + (q->d - 1) * log(v) +
               0.5 * log(v * v + q->d);
  for (int j = 0; j < q->p; ++j)
    if (!is_diagonal(q, j)) sum += prior_log(q, hyper, j);
  return sum;
}

/* The root of the inverse of the prior covariance; that of the diagonal's block by the eigenvectors
 * of 1 1^T. */
static void assemble_prior(const gannet_quadratic *q, const double *hyper, double *a, size_t rows,
                           size_t n) {
  const double v = power_of_ten(hyper[GANNET_QUADRATIC_SPREAD]);
  const double scale = power_of_ten(-hyper[GANNET_QUADRATIC_CURVATURE]);
  const double common = (1 / sqrt(v * v + q->d) - 1 / v) / q->d;
  for (int j = 0; j < q->p; ++j) {
    double *column = a + (size_t)j * rows + n;
    if (!is_diagonal(q, j)) {
      column[j] = exp(-prior_log(q, hyper, j));
      continue;
    }
    for (int k = q->d + 1; k <= 2 * q->d; ++k) column[k] = scale * (common + (k == j ? 1 / v : 0));
  }
}

/* Data rows divided by w_i error, then one row per coefficient for its prior. */
static void assemble(const gannet_quadratic *q, const gannet_quadratic_data *data,
                     const double *hyper, double *a, double *b) {
  const size_t p = (size_t)q->p, n = (size_t)data->n, rows = n + p;
  const double error = pow(10, hyper[GANNET_QUADRATIC_ERROR]);
  memset(a, 0, p * rows * sizeof *a);
  memset(b, 0, rows * sizeof *b);
  for (size_t i = 0; i < n; ++i) {
    const double factor = 1 / (error * data->w[i]);
    features(q, data->u + i * (size_t)q->d, rows, a + i);
    for (size_t j = 0; j < p; ++j) a[j * rows + i] *= factor;
    b[i] = data->t[i] * factor;
  }
  assemble_prior(q, hyper, a, rows, n);
}

/* Solve with given hyper-parameters into a and b; the evidence with s integrated out. */
static gannet_err solve(const gannet_quadratic *q, const gannet_quadratic_data *data,
                        const double *hyper, double *a, double *b, double *evidence, double *rest) {
  const int rows = data->n + q->p;
  assemble(q, data, hyper, a, b);
  GANNET_TRY(gannet_least_squares(rows, q->p, a, b, rest));
  *evidence = -0.5 * data->n * log(*rest + 1e-300) -
              data->n * 2.302585092994046 * hyper[GANNET_QUADRATIC_ERROR];
  for (int j = 0; j < q->p; ++j) *evidence -= log(fabs(a[(size_t)j * (size_t)rows + (size_t)j]));
  *evidence -= prior_log_root(q, hyper);
  for (int h = 0; h < GANNET_QUADRATIC_HYPER; ++h) {
    const double away = (hyper[h] - gannet_quadratic_start[h]) / (8 * gannet_quadratic_step[h]);
    *evidence -= 0.5 * away * away;
  }
  return GANNET_OK;
}

gannet_err gannet_quadratic_try(gannet_quadratic *q, const gannet_quadratic_data *data,
                                const double *hyper, double *evidence, bool *better) {
  const size_t rows = (size_t)data->n + (size_t)q->p, p = (size_t)q->p;
  double rest = 0, *b = q->spare + p * rows;
  *better = false;
  const gannet_err err = solve(q, data, hyper, q->spare, b, evidence, &rest);
  if (err == GANNET_ERR_NUMERIC) {
    gannet_error_clear();
    *evidence = -INFINITY;
    return GANNET_OK;
  }
  GANNET_TRY(err);
  if (!(*evidence > q->evidence)) return GANNET_OK;
  *better = true;
  memcpy(q->hyper, hyper, sizeof q->hyper);
  memcpy(q->factor, q->spare, p * rows * sizeof *q->factor);
  memcpy(q->coefficient, b, p * sizeof *b);
  q->evidence = *evidence;
  q->rows = (int)rows;
  q->scale = sqrt(rest / data->n);
  return GANNET_OK;
}

void gannet_quadratic_draw(const gannet_quadratic *q, const double *z, double *coefficient) {
  memcpy(coefficient, q->coefficient, (size_t)q->p * sizeof *coefficient);
  if (!z) return;
  double *away = q->spare;
  memcpy(away, z, (size_t)q->p * sizeof *away);
  gannet_least_squares_backward(q->rows, q->p, q->factor, away);
  for (int j = 0; j < q->p; ++j) coefficient[j] += q->scale * away[j];
}

double gannet_quadratic_value(const gannet_quadratic *q, const double *coefficient, const double *u,
                              double *gradient, double *hessian) {
  const int d = q->d;
  const double *g = coefficient + 1, *diagonal = g + d, *cross = diagonal + d;
  const bool full = q->p > 1 + 2 * d;
  double value = coefficient[0];
  for (int k = 0; k < d; ++k) {
    value += (g[k] + 0.5 * diagonal[k] * u[k]) * u[k];
    if (gradient) gradient[k] = g[k] + diagonal[k] * u[k];
    for (int l = 0; hessian && l < d; ++l) hessian[k * d + l] = k == l ? diagonal[k] : 0;
  }
  for (int k = 0; full && k < d; ++k)
    for (int l = k + 1; l < d; ++l) {
      const double h = *cross++;
      value += h * u[k] * u[l];
      if (gradient) gradient[k] += h * u[l], gradient[l] += h * u[k];
      if (hessian) hessian[k * d + l] = hessian[l * d + k] = h;
    }
  return value;
}

double gannet_quadratic_sd(const gannet_quadratic *q, const double *u, double *work) {
  double sum = 0;
  features(q, u, 1, work);
  gannet_least_squares_forward(q->rows, q->p, q->factor, work);
  for (int j = 0; j < q->p; ++j) sum += work[j] * work[j];
  return q->scale * sqrt(sum);
}
