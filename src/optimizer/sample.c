#include "optimizer/sample.h"

void gannet_sample_take(const gannet_candidates *candidates, double *x) {
  const double count = (double)gannet_candidates_count(candidates);
  const int d = gannet_candidates_dimension(candidates);
  for (int i = 0; i < GANNET_SAMPLE; ++i)
    gannet_candidates_tile(candidates, (int64_t)(count * (i + 0.5) / GANNET_SAMPLE), 1, x + i * d);
}

void gannet_sample_turn(int d, double *x) {
  for (int p = 0; p < GANNET_SAMPLE / 2; ++p)
    for (int k = 0; k < d; ++k) {
      double *one = x + p * d + k, *other = x + (GANNET_SAMPLE - 1 - p) * d + k, kept = *one;
      *one = *other;
      *other = kept;
    }
}
