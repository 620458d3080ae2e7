#include "minimize/box_newton.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A coordinate is free when no bound holds it. */
typedef struct {
  int n, n_free;
  double *gradient, *step, *trial; /* [n] */
  double *free;                    /* [n_free] which coordinates are free */
  double *hessian;                 /* [n][n] */
  double *factor;                  /* [n_free][n_free] */
} workspace;

size_t gannet_box_newton_work(int n) {
  return (size_t)n * (4 + 2 * (size_t)n);
}

static double entry(const workspace *s, size_t i, size_t j) {
  return s->hessian[(size_t)s->free[i] * (size_t)s->n + (size_t)s->free[j]];
}

/* y -= factor x */
static void subtract(size_t n, double factor, const double *restrict x, double *restrict y) {
  for (size_t i = 0; i < n; ++i) y[i] -= x[i] * factor;
}

/* Cholesky factor of the free part of the Hessian plus shift times the identity; false when that is
 * not positive definite. A column of the factor is a row of s->factor, so that many entries are
 * computed at once. */
static bool factorise(workspace *s, double shift) {
  const size_t m = (size_t)s->n_free;
  for (size_t j = 0; j < m; ++j) {
    double *column = s->factor + j * m;
    for (size_t i = j; i < m; ++i) column[i] = entry(s, i, j) + (i == j ? shift : 0);
    for (size_t k = 0; k < j; ++k)
      subtract(m - j, s->factor[k * m + j], s->factor + k * m + j, column + j);
    if (!(column[j] > 1e-14 * fabs(entry(s, j, j)))) return false;
    const double root = column[j] = sqrt(column[j]);
    for (size_t i = j + 1; i < m; ++i) column[i] /= root;
  }
  return true;
}

/* Factorise with the least shift that works; false when none does. */
static bool factorise_shifted(workspace *s) {
  const size_t m = (size_t)s->n_free;
  double largest = 0;
  if (factorise(s, 0)) return true;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < m; ++j) largest = fmax(largest, fabs(entry(s, i, j)));
  double shift = 1e-10 * (largest > 0 ? largest : 1);
  for (int attempt = 1; !factorise(s, shift); ++attempt) {
    if (attempt == 40) return false;
    shift *= 4;
  }
  return true;
}

/* The Newton step of the free coordinates into s->step; false when there is none. */
static bool newton_step(workspace *s) {
  const size_t m = (size_t)s->n_free;
  if (!factorise_shifted(s)) return false;
  memset(s->step, 0, (size_t)s->n * sizeof *s->step);
  for (size_t i = 0; i < m; ++i) s->trial[i] = -s->gradient[(int)s->free[i]];
  for (size_t k = 0; k < m; ++k) {
    const double *column = s->factor + k * m;
    s->trial[k] /= column[k];
    subtract(m - k - 1, s->trial[k], column + k + 1, s->trial + k + 1);
  }
  for (size_t i = m; i-- > 0;) {
    double sum = s->trial[i];
    for (size_t k = i + 1; k < m; ++k) sum -= s->factor[i * m + k] * s->trial[k];
    s->trial[i] = sum / s->factor[i * m + i];
  }
  for (size_t i = 0; i < m; ++i) s->step[(int)s->free[i]] = s->trial[i];
  return true;
}

/* fmin and fmax are calls. */
static double clip(double x, double lower, double upper) {
  const double above = x > lower ? x : lower;
  return above < upper ? above : upper;
}

double gannet_box_newton(int n, double *x, const double *lower, const double *upper,
                         gannet_value_hessian function, void *user, double *work, int steps) {
  const size_t m = (size_t)n;
  workspace s = {.n = n,
                 .gradient = work,
                 .step = work + m,
                 .trial = work + 2 * m,
                 .free = work + 3 * m,
                 .hessian = work + 4 * m,
                 .factor = work + (4 + m) * m};
  for (int i = 0; i < n; ++i) x[i] = clip(x[i], lower[i], upper[i]);
  double value = function(user, n, x, s.gradient, s.hessian);
  for (int t = 0; t < steps && isfinite(value); ++t) {
    bool better = false;
    s.n_free = 0;
    for (int i = 0; i < n; ++i) {
      const bool is_held = (x[i] <= lower[i] && s.gradient[i] > 0) ||
                           (x[i] >= upper[i] && s.gradient[i] < 0) || !(lower[i] < upper[i]);
      if (!is_held) s.free[s.n_free++] = i;
    }
    if (s.n_free == 0 || !newton_step(&s)) break;
    for (double length = 1; length > 1e-6 && !better; length /= 2) {
      double slope = 0;
      for (int i = 0; i < n; ++i) {
        s.trial[i] = clip(x[i] + length * s.step[i], lower[i], upper[i]);
        slope += s.gradient[i] * (s.trial[i] - x[i]);
      }
      const double there = function(user, n, s.trial, NULL, NULL);
      better = there < value && there <= value + 1e-4 * slope;
    }
    if (!better) break;
    memcpy(x, s.trial, (size_t)n * sizeof *x);
    value = function(user, n, x, s.gradient, s.hessian);
  }
  return value;
}
