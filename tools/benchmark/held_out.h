/* What a surrogate knows of points that it has not seen. */
#ifndef GANNET_BENCHMARK_HELD_OUT_H
#define GANNET_BENCHMARK_HELD_OUT_H

#include "surrogate/surrogate.h"

/* Points of the unit cube with values. */
typedef struct {
  int n, n_held_out; /* in this order */
  const double *x;   /* [n + n_held_out][d] */
  const double *y;   /* [n + n_held_out] */
} bench_sample;

/* In units of the standard deviation of the values that are seen. */
typedef struct {
  double nlpd; /* mean of minus the logarithm of the predictive density; NAN when one has none */
  double rmse;
  double seconds; /* of conditioning, without learning, on all that is seen */
} bench_prediction;

/* Learn from the first n, then predict the others.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * options  in  of the type, as gannet_surrogate_create takes them
 */
GANNET_CHECKED gannet_err bench_predict_held_out(const gannet_context *context,
                                                 const gannet_surrogate_type *type,
                                                 const void *options, int d,
                                                 const bench_sample *sample,
                                                 bench_prediction *prediction);

#endif
