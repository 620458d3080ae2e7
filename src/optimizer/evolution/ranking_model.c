#include "optimizer/evolution/ranking_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/eigen.h"
#include "linalg/least_squares.h"
#include "surrogate/models/quadratic/quadratic.h"

/* Observations per coefficient; weight of the best one, where that of the last is 1; how much the
 * coefficients are drawn to 0, in units of their columns. */
static const double rows_per_coefficient = 1.5, best_weight = 20, shrinkage = 1e-4;

void evolution_to_metric(const evolution_metric *metric, const double *x, double *z) {
  const int d = metric->d;
  for (int k = 0; k < d; ++k) {
    double sum = 0;
    for (int i = 0; i < d; ++i) sum += metric->axes[k * d + i] * (x[i] - metric->mean[i]);
    z[k] = sum / metric->length[k];
  }
}

double evolution_predict(int d, const double *c, const double *z) {
  const double *square = c + 1 + d, *cross = square + d;
  double value = c[0];
  for (int k = 0; k < d; ++k) {
    double slope = c[1 + k] + 0.5 * square[k] * z[k];
    for (int l = k + 1; l < d; ++l) slope += *cross++ * z[l];
    value += slope * z[k];
  }
  return value;
}

typedef struct {
  double key; /* squared distance, then value */
  int64_t id;
} observation;

static int ascending(const void *a, const void *b) {
  const observation *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* The nearest results, at most so many, the best ones first. */
static int collect(const gannet_history *history, const evolution_metric *metric, int64_t end,
                   int most, double *z, observation *all) {
  int n = 0;
  for (int64_t id = 0; id < end; ++id) {
    if (!gannet_history_is_feasible(history, id)) continue;
    double far = 0;
    evolution_to_metric(metric, gannet_history_x_unit(history, id), z);
    for (int k = 0; k < metric->d; ++k) far += z[k] * z[k];
    all[n++] = (observation){far, id};
  }
  qsort(all, (size_t)n, sizeof *all, ascending);
  if (n > most) n = most;
  for (int i = 0; i < n; ++i)
    all[i].key = gannet_problem_flip(gannet_history_problem(history),
                                     gannet_history_get(history, all[i].id)->objective);
  qsort(all, (size_t)n, sizeof *all, ascending);
  return n;
}

/* The weighted system, with rows behind it that draw the coefficients to 0.
 *
 * ab    out  column-major [p + 1][n + p]
 * size  out  [p] of the columns, which are divided by it
 */
static void fill_system(const gannet_history *history, const evolution_metric *metric, int n, int p,
                        const observation *best, double *row, double *ab, double *size) {
  const int d = metric->d;
  const size_t rows = (size_t)n + (size_t)p;
  double *z = row + p;
  const double least = best[0].key, typical = gannet_problem_excess(best[n / 4].key, least);
  memset(ab, 0, rows * ((size_t)p + 1) * sizeof *ab);
  for (int i = 0; i < n; ++i) {
    const double weight = n > 1 ? best_weight + (1 - best_weight) * i / (n - 1) : 1;
    evolution_to_metric(metric, gannet_history_x_unit(history, best[i].id), z);
    size_t at = 0; /* 1, z, z_k^2 / 2, and z_k z_l for k < l */
    row[at++] = 1;
    for (int k = 0; k < d; ++k) row[at++] = z[k];
    for (int k = 0; k < d; ++k) row[at++] = 0.5 * z[k] * z[k];
    for (int k = 0; k < d; ++k)
      for (int l = k + 1; l < d; ++l) row[at++] = z[k] * z[l];
    for (int j = 0; j < p; ++j) ab[(size_t)j * rows + (size_t)i] = weight * row[j];
    const double worse = gannet_problem_excess(best[i].key, least);
    ab[(size_t)p * rows + (size_t)i] =
        weight * (typical > 0 ? fmin(worse / typical, 1e100) : worse);
  }
  for (int j = 0; j < p; ++j) {
    double *column = ab + (size_t)j * rows;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += column[i] * column[i];
    size[j] = sum > 0 ? sqrt(sum) : 1;
    for (int i = 0; i < n; ++i) column[i] /= size[j];
    column[n + j] = shrinkage;
  }
}

gannet_err evolution_fit(const gannet_history *history, const evolution_metric *metric, int64_t end,
                         double *coefficients) {
  const int d = metric->d, p = gannet_quadratic_coefficients(d, true);
  const int most = (int)(rows_per_coefficient * p);
  const size_t columns = (size_t)p + 1, rows = (size_t)most + (size_t)p;
  observation *all = NULL;
  double *work = NULL;
  int n = 0;
  gannet_err err = gannet_alloc((size_t)end + 1, sizeof *all, &all);
  if (err == GANNET_OK)
    err = gannet_alloc(columns * rows + columns * columns + 2 * (size_t)p + (size_t)d, sizeof *work,
                       &work);
  if (err == GANNET_OK) {
    double *triangle = work + columns * rows, *size = triangle + columns * columns;
    n = collect(history, metric, end, most, size, all);
    if (n == 0) err = GANNET_RAISE(GANNET_ERR_NUMERIC, "no result to fit a quadratic model to");
    if (err == GANNET_OK) {
      fill_system(history, metric, n, p, all, size + p, work, size);
      err = gannet_least_squares_reduce(n + p, p, work, triangle);
    }
    if (err == GANNET_OK) err = gannet_least_squares_solve(p, triangle, coefficients);
    for (int j = 0; err == GANNET_OK && j < p; ++j) coefficients[j] /= size[j];
  }
  gannet_free(&work);
  gannet_free(&all);
  return err;
}

/* Length of the step -(H + shift)^-1 g, in the axes of H. */
static double step_length(int d, const double *values, const double *slope, double shift,
                          double *step) {
  double sum = 0;
  for (int k = 0; k < d; ++k) {
    step[k] = slope[k] == 0 ? 0 : -slope[k] / (values[k] + shift);
    sum += step[k] * step[k];
  }
  return sqrt(sum);
}

gannet_err evolution_minimise(int d, const double *c, double radius, double *z) {
  enum { BISECTIONS = 80 };
  const size_t n = (size_t)d;
  double *work = NULL;
  GANNET_TRY(gannet_alloc(n * n + 3 * n, sizeof *work, &work));
  double *h = work, *values = h + n * n, *slope = values + n, *step = slope + n;
  const double *cross = c + 1 + 2 * d;
  for (int k = 0; k < d; ++k) {
    h[k * d + k] = c[1 + d + k];
    for (int l = k + 1; l < d; ++l) h[k * d + l] = h[l * d + k] = *cross++;
  }
  const gannet_err err = gannet_eigen_symmetric(d, h, values); /* now each row of h is an axis */
  if (err != GANNET_OK) {
    gannet_free(&work);
    return err;
  }
  double least = values[0], size = 0, length = 0;
  for (int k = 0; k < d; ++k) {
    least = fmin(least, values[k]);
    size = fmax(size, fabs(values[k]));
    slope[k] = 0;
    for (int i = 0; i < d; ++i) slope[k] += h[k * d + i] * c[1 + i];
    length += slope[k] * slope[k];
  }
  if (!(least > 0 && step_length(d, values, slope, 0, step) <= radius)) {
    double low = fmax(0, -least), high = low + sqrt(length) / radius + 1e-12 * size;
    for (int i = 0; i < BISECTIONS; ++i) {
      const double middle = low + 0.5 * (high - low);
      if (step_length(d, values, slope, middle, step) <= radius)
        high = middle;
      else
        low = middle;
    }
    (void)step_length(d, values, slope, high, step);
  }
  for (int i = 0; i < d; ++i) {
    z[i] = 0;
    for (int k = 0; k < d; ++k) z[i] += h[k * d + i] * step[k];
  }
  gannet_free(&work);
  return GANNET_OK;
}
