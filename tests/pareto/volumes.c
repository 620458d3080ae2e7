/* Print point sets and their hypervolumes, for check_pagmo.py: a line per set,
 *
 *   m n volume  reference[m]  contribution[n]  y[n][m]
 */
#include <stdio.h>

#include "pareto/hypervolume.h"
#include "pareto/points.h"

enum { MOST = 200 };

static gannet_err print_set(int kind, int n, int m) {
  static double y[MOST * GANNET_HYPERVOLUME_MOST_OBJECTIVES], contribution[MOST];
  double reference[GANNET_HYPERVOLUME_MOST_OBJECTIVES], volume = 0;
  for (int j = 0; j < m; ++j) reference[j] = 1.1 + 0.1 * j;
  if (kind == 0)
    sphere_points(n + m, n, m, y);
  else
    random_points(n + m, n, m, kind == 1 ? 0 : 9, y);
  const gannet_err err = gannet_hypervolume(n, m, y, reference, &volume);
  if (err != GANNET_OK) return err;
  (void)printf("%d %d %.17g", m, n, volume);
  for (int j = 0; j < m; ++j) (void)printf(" %.17g", reference[j]);
  const gannet_err also = gannet_hypervolume_contributions(n, m, y, reference, contribution);
  for (int i = 0; i < n; ++i) (void)printf(" %.17g", contribution[i]);
  for (int i = 0; i < n * m; ++i) (void)printf(" %.17g", y[i]);
  (void)printf("\n");
  return also;
}

int main(void) {
  for (int m = 2; m <= GANNET_HYPERVOLUME_MOST_OBJECTIVES; ++m)
    for (int kind = 0; kind < 3; ++kind)
      for (int n = 1; n <= MOST / (m < 5 ? 1 : 4); n = 3 * n + 1)
        if (print_set(kind, n, m) != GANNET_OK) return 1;
  return 0;
}
