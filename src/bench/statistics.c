#include "bench/statistics.h"

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

void bench_sort(int n, double *values) {
  qsort(values, (size_t)n, sizeof *values, ascending);
}

double bench_quantile(int n, const double *values, double share) {
  const double at = share * (n - 1);
  const int below = (int)at;
  const double weight = at - below;
  if (weight == 0 || below + 1 >= n) return values[below];
  return values[below] + weight * (values[below + 1] - values[below]);
}

double bench_growth(double n1, double t1, double n2, double t2) {
  return log(t2 / t1) / log(n2 / n1);
}

/* Number of pairs with b < a, ties counted half. */
static double statistic(int n, const double *a, int m, const double *b) {
  double u = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
  return u;
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
  bench_sort(n + m, all);
  *sum = 0;
  for (int first = 0, last; first < n + m; first = last) {
    for (last = first + 1; last < n + m && all[last] == all[first];) ++last;
    const double size = last - first;
    *sum += size * (size * size - 1);
  }
  gannet_free(&all);
  return GANNET_OK;
}

gannet_err bench_rank_test(int n, const double *a, int m, const double *b, double *p_value) {
  const double u = statistic(n, a, m, b), total = n + m;
  double ties = 0;
  GANNET_TRY(tie_sum(n, a, m, b, &ties));
  if (ties == 0 && n <= EXACT_MOST && m <= EXACT_MOST) return exact(n, m, (int)u, p_value);
  const double mean = 0.5 * n * m;
  const double variance = n * m / 12.0 * (total + 1 - ties / (total * (total - 1)));
  *p_value = variance > 0 ? 0.5 * erfc(-(u + 0.5 - mean) / sqrt(2 * variance)) : 1;
  return GANNET_OK;
}
