#include "benchmark/cells.h"

#include <math.h>
#include <stdio.h>

#include "benchmark/rates.h"
#include "suite/statistics.h"

void bench_print_number(int digits, double value) {
  if (isfinite(value))
    (void)printf(" %.*f |", digits, value);
  else
    (void)printf(" – |");
}

void bench_print_spread(int n, double *values) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(values[i])) {
      (void)printf(" – |");
      return;
    }
  suite_sort(n, values);
  (void)printf(" %.3g (%.3g to %.3g) |", suite_quantile(n, values, 0.5), values[0], values[n - 1]);
}

const char *bench_growth_text(double n1, double t1, double n2, double t2,
                              char text[BENCH_GROWTH_SIZE]) {
  const double growth = bench_growth(n1, t1, n2, t2);
  if (isfinite(growth))
    (void)snprintf(text, BENCH_GROWTH_SIZE, "%.2f", growth);
  else
    (void)snprintf(text, BENCH_GROWTH_SIZE, "–");
  return text;
}
