#include "benchmark/held_out.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"

/* y less the mean of the first n, in units of their standard deviation. */
static void standardise(const bench_sample *s, double *y) {
  double mean = 0, square = 0;
  for (int i = 0; i < s->n; ++i) mean += s->y[i] / s->n;
  for (int i = 0; i < s->n; ++i) square += (s->y[i] - mean) * (s->y[i] - mean) / s->n;
  const double unit = square > 0 ? sqrt(square) : 1;
  for (int i = 0; i < s->n + s->n_held_out; ++i) y[i] = (s->y[i] - mean) / unit;
}

static double minus_log_density(double miss, double variance) {
  return 0.5 * (log(2 * acos(-1) * variance) + miss * miss / variance);
}

static gannet_err compare(const gannet_surrogate *surrogate, int d, const bench_sample *s,
                          const double *y, bench_prediction *p) {
  const double noise = gannet_surrogate_noise_var(surrogate);
  double mean[GANNET_TILE], sd[GANNET_TILE], square = 0;
  p->nlpd = 0;
  for (int first = 0; first < s->n_held_out; first += GANNET_TILE) {
    const int left = s->n_held_out - first, m = left < GANNET_TILE ? left : GANNET_TILE;
    const double *x = s->x + (size_t)(s->n + first) * (size_t)d, *truth = y + s->n + first;
    GANNET_TRY(gannet_surrogate_predict(surrogate, m, x, mean, sd));
    for (int i = 0; i < m; ++i) {
      const double miss = truth[i] - mean[i], variance = sd[i] * sd[i] + noise;
      square += miss * miss / s->n_held_out;
      p->nlpd += variance > 0 ? minus_log_density(miss, variance) / s->n_held_out : NAN;
    }
  }
  p->rmse = sqrt(square);
  return GANNET_OK;
}

static gannet_err learn_and_predict(gannet_surrogate *surrogate, int d, const bench_sample *s,
                                    const double *y, bench_prediction *p) {
  const gannet_data data = {s->n, s->x, y, NAN, NULL};
  GANNET_TRY(gannet_surrogate_fit(surrogate, &data, true, 0));
  GANNET_TRY(gannet_surrogate_start_over(surrogate));
  const double start = gannet_clock_seconds();
  GANNET_TRY(gannet_surrogate_fit(surrogate, &data, false, 0));
  p->seconds = gannet_clock_seconds() - start;
  return compare(surrogate, d, s, y, p);
}

gannet_err bench_predict_held_out(const gannet_context *context, const gannet_surrogate_type *type,
                                  const void *options, int d, const bench_sample *sample,
                                  bench_prediction *prediction) {
  gannet_surrogate *surrogate = NULL;
  double *y = NULL;
  gannet_err err = gannet_alloc((size_t)(sample->n + sample->n_held_out), sizeof *y, &y);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) {
    standardise(sample, y);
    err = gannet_surrogate_create(context, type, options, d, 0, &surrogate);
  }
  if (err == GANNET_OK) err = learn_and_predict(surrogate, d, sample, y, prediction);
  gannet_surrogate_destroy(&surrogate);
  gannet_free(&y);
  return err;
}
