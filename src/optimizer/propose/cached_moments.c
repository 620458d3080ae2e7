#include "optimizer/propose/cached_moments.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { SAMPLE = GANNET_SAMPLE, UNIT = GANNET_BEST_FIRST_UNIT };

static size_t units_of(int64_t count) {
  return (size_t)((count + UNIT - 1) / UNIT);
}

static gannet_err make_arrays(size_t n, gannet_moments_arrays *arrays) {
  GANNET_TRY(gannet_alloc(n, sizeof *arrays->mean, &arrays->mean));
  return gannet_alloc(n, sizeof *arrays->variance, &arrays->variance);
}

gannet_err gannet_cached_moments_reserve(gannet_cached_moments *cached, int models, int64_t count) {
  if (cached->count > 0 || !cached->wanted || count > GANNET_CACHED_MOMENTS_MOST / 3 / models)
    return GANNET_OK;
  GANNET_TRY(make_arrays((size_t)models * (size_t)count, &cached->all));
  GANNET_TRY(gannet_alloc((size_t)models * (size_t)count, sizeof(double), &cached->all.known));
  GANNET_TRY(make_arrays((size_t)models * SAMPLE, &cached->sample));
  GANNET_TRY(gannet_alloc(units_of(count), sizeof *cached->own, &cached->own));
  cached->models = models;
  cached->count = count;
  return GANNET_OK;
}

void gannet_cached_moments_release(gannet_cached_moments *cached) {
  gannet_free(&cached->all.mean);
  gannet_free(&cached->all.variance);
  gannet_free(&cached->all.known);
  gannet_free(&cached->sample.mean);
  gannet_free(&cached->sample.variance);
  gannet_free(&cached->own);
  *cached = (gannet_cached_moments){0};
}

void gannet_cached_moments_forget(gannet_cached_moments *cached) {
  cached->known = false;
  if (cached->count > 0) memset(cached->own, 0, units_of(cached->count) * sizeof *cached->own);
}

static gannet_moments_arrays offset_arrays(const gannet_moments_arrays *arrays, int64_t place) {
  return (gannet_moments_arrays){arrays->mean + place, arrays->variance + place,
                                 arrays->known ? arrays->known + place : NULL};
}

static gannet_moments_arrays arrays_of_model(const gannet_cached_moments *cached, int model) {
  return offset_arrays(&cached->all, model * cached->count);
}

gannet_moments_arrays gannet_cached_moments_sample(const gannet_cached_moments *cached, int model) {
  return offset_arrays(&cached->sample, (int64_t)model * SAMPLE);
}

void gannet_cached_moments_put(gannet_cached_moments *cached, int model, int64_t first, int m,
                               const double *mean, const double *variance) {
  if (cached->count == 0) return;
  const gannet_moments_arrays to = arrays_of_model(cached, model);
  memcpy(to.mean + first, mean, (size_t)m * sizeof *mean);
  memcpy(to.variance + first, variance, (size_t)m * sizeof *variance);
  for (int i = 0; i < m; ++i) to.known[first + i] = INFINITY;
  cached->own[first / UNIT] = true;
}

void gannet_cached_moments_put_sample(gannet_cached_moments *cached, int model, const double *mean,
                                      const double *variance) {
  if (cached->count == 0) return;
  const gannet_moments_arrays to = gannet_cached_moments_sample(cached, model);
  memcpy(to.mean, mean, SAMPLE * sizeof *mean);
  memcpy(to.variance, variance, SAMPLE * sizeof *variance);
}

void gannet_cached_moments_get(const gannet_cached_moments *cached, int model, int m,
                               const int64_t *number, const gannet_moments_above *above,
                               double *mean, double *variance_upper_bound) {
  const gannet_moments_arrays from = arrays_of_model(cached, model);
  for (int i = 0; i < m; ++i) {
    mean[i] = from.mean[number[i]];
    variance_upper_bound[i] =
        fmin(from.variance[number[i]] + above->variance, from.known[number[i]] + above->known);
  }
}

void gannet_cached_moments_learn(gannet_cached_moments *cached, int model, int m,
                                 const int64_t *number, const double *sd) {
  const gannet_moments_arrays to = arrays_of_model(cached, model);
  for (int i = 0; i < m; ++i)
    if (sd[i] * sd[i] < to.known[number[i]]) to.known[number[i]] = sd[i] * sd[i];
}

void gannet_cached_moments_lower(gannet_cached_moments *cached, int model, int m,
                                 const int64_t *number, const double *variance) {
  const gannet_moments_arrays to = arrays_of_model(cached, model);
  for (int i = 0; i < m; ++i)
    if (variance[i] < to.variance[number[i]]) to.variance[number[i]] = variance[i];
}

void gannet_cached_moments_lower_sample(gannet_cached_moments *cached, int model,
                                        const double *variance) {
  const gannet_moments_arrays to = gannet_cached_moments_sample(cached, model);
  for (int i = 0; i < SAMPLE; ++i)
    if (variance[i] < to.variance[i]) to.variance[i] = variance[i];
}

void gannet_cached_moments_set_known(gannet_cached_moments *cached, bool known) {
  if (known && cached->count > 0)
    cached->known = true;
  else
    gannet_cached_moments_forget(cached);
}
