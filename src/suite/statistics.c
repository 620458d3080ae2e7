#include "suite/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { EXACT_MOST = 64 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void suite_sort(int n, double *values) {
  qsort(values, (size_t)n, sizeof *values, ascending);
}

double suite_quantile(int n, const double *values, double share) {
  const double at = share * (n - 1);
  const int below = (int)at;
  const double weight = at - below;
  if (weight == 0 || below + 1 >= n || values[below] == values[below + 1]) return values[below];
  return values[below] + weight * (values[below + 1] - values[below]);
}

/* P(U <= u) when all orders are equally likely. count[k][v]: number of ways to choose k of the
 * ranks so far with statistic v, by one rank after the other; as probabilities, which do not
 * overflow. */
static gannet_err exact(int n, int m, int u, double *p_value) {
  const size_t width = (size_t)n * (size_t)m + 1;
  double *ways = NULL, sum = 0;
  GANNET_TRY(gannet_alloc((size_t)(n + 1) * width, sizeof *ways, &ways));
  ways[0] = 1;
  for (int rank = 1; rank <= n + m; ++rank) {
    const int most = rank < n ? rank : n;
    for (int k = most; k >= 1; --k) {
      const int shift = rank - k; /* values of b below the k-th of a */
      if (shift > m) continue;
      double *to = ways + (size_t)k * width;
      const double *from = ways + (size_t)(k - 1) * width;
      for (size_t v = width; v-- > (size_t)shift;) to[v] += from[v - (size_t)shift];
    }
  }
  double total = 0;
  for (size_t v = 0; v < width; ++v) total += ways[(size_t)n * width + v];
  for (int v = 0; v <= u; ++v) sum += ways[(size_t)n * width + (size_t)v];
  gannet_free(&ways);
  *p_value = sum / total;
  return GANNET_OK;
}

/* Sum over groups of equal values of size^3 - size. */
static gannet_err tie_sum(int n, const double *a, int m, const double *b, double *sum) {
  double *all = NULL;
  GANNET_TRY(gannet_alloc((size_t)(n + m), sizeof *all, &all));
  memcpy(all, a, (size_t)n * sizeof *a);
  memcpy(all + n, b, (size_t)m * sizeof *b);
  suite_sort(n + m, all);
  *sum = 0;
  for (int first = 0, last; first < n + m; first = last) {
    for (last = first + 1; last < n + m && all[last] == all[first];) ++last;
    const double size = last - first;
    *sum += size * (size * size - 1);
  }
  gannet_free(&all);
  return GANNET_OK;
}

gannet_err suite_rank_test(int n, const double *a, int m, const double *b, double *p_value) {
  const double total = n + m;
  double ties = 0, u = 0; /* u: pairs with b < a, ties counted half */
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
  GANNET_TRY(tie_sum(n, a, m, b, &ties));
  if (ties == 0 && n <= EXACT_MOST && m <= EXACT_MOST) return exact(n, m, (int)u, p_value);
  const double mean = 0.5 * n * m;
  const double variance = n * m / 12.0 * (total + 1 - ties / (total * (total - 1)));
  *p_value = variance > 0 ? 0.5 * erfc(-(u + 0.5 - mean) / sqrt(2 * variance)) : 1;
  return GANNET_OK;
}

void suite_ranks(int n, const double *values, double *ranks) {
  for (int i = 0; i < n; ++i) {
    int below = 0, equal = 0;
    for (int j = 0; j < n; ++j) {
      below += values[j] < values[i];
      equal += values[j] == values[i];
    }
    ranks[i] = below + 0.5 * (equal + 1);
  }
}

/* Lentz's method for the continued fraction of I_x(a, b), which converges fast for
 * x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  enum { MOST = 10000 };
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabs(d) < tiny ? tiny : d);
  double f = d;
  for (int m = 1; m < MOST; ++m) {
    for (int odd = 0; odd < 2; ++odd) {
      const double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                              : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + term * d;
      c = 1 + term / c;
      d = 1 / (fabs(d) < tiny ? tiny : d);
      if (fabs(c) < tiny) c = tiny;
      f *= c * d;
    }
    if (fabs(c * d - 1) < 1e-16) break;
  }
  return f;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double suite_student(double t, double degrees) {
  const double tail = 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
  return t < 0 ? tail : 1 - tail;
}

/* Mean of a sample and the variance of that mean; false for a value that is not finite. */
static bool moments(int n, const double *values, double *mean, double *variance) {
  double squares = 0;
  *mean = 0;
  for (int i = 0; i < n; ++i) {
    if (!isfinite(values[i])) return false;
    *mean += values[i] / n;
  }
  for (int i = 0; i < n; ++i) squares += (values[i] - *mean) * (values[i] - *mean);
  *variance = squares / ((double)n * (n - 1));
  return isfinite(*variance);
}

double suite_welch_test(int n, const double *a, int m, const double *b) {
  double mean_a, mean_b, v_a, v_b;
  if (n < 2 || m < 2) return NAN;
  if (!moments(n, a, &mean_a, &v_a) || !moments(m, b, &mean_b, &v_b)) return NAN;
  const double sum = v_a + v_b;
  if (sum == 0) return mean_a < mean_b ? 0 : mean_a > mean_b ? 1 : 0.5;
  /* by shares, for squares of small variances underflow */
  const double share_a = v_a / sum, share_b = v_b / sum;
  const double degrees = 1 / (share_a * share_a / (n - 1) + share_b * share_b / (m - 1));
  return suite_student((mean_a - mean_b) / sqrt(sum), degrees);
}

typedef struct {
  double p;
  int at;
} numbered;

static int by_p(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  return (x->p > y->p) - (x->p < y->p);
}

gannet_err suite_adjust(int n, double *p) {
  numbered *sorted = NULL;
  int count = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *sorted, &sorted));
  for (int i = 0; i < n; ++i)
    if (!isnan(p[i])) sorted[count++] = (numbered){p[i], i};
  qsort(sorted, (size_t)count, sizeof *sorted, by_p);
  double least = 1;
  for (int i = count - 1; i >= 0; --i) {
    least = fmin(least, sorted[i].p * count / (i + 1));
    p[sorted[i].at] = least;
  }
  gannet_free(&sorted);
  return GANNET_OK;
}
