#include "optimizer/propose/cached_moments.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { SAMPLE = GANNET_SAMPLE };

static size_t tiles_of(int64_t count) {
  return (size_t)((count + GANNET_TILE - 1) / GANNET_TILE);
}

static gannet_err make_arrays(size_t n, gannet_moments_arrays *arrays) {
  GANNET_TRY(gannet_alloc(n, sizeof *arrays->mean, &arrays->mean));
  return gannet_alloc(n, sizeof *arrays->variance, &arrays->variance);
}

gannet_err gannet_cached_moments_reserve(gannet_cached_moments *kept, int models, int64_t count) {
  if (kept->count > 0 || !kept->wanted || count > GANNET_CACHED_MOMENTS_MOST / 3 / models)
    return GANNET_OK;
  GANNET_TRY(make_arrays((size_t)models * (size_t)count, &kept->all));
  GANNET_TRY(gannet_alloc((size_t)models * (size_t)count, sizeof(double), &kept->all.known));
  GANNET_TRY(make_arrays((size_t)models * SAMPLE, &kept->sample));
  GANNET_TRY(gannet_alloc(tiles_of(count), sizeof *kept->own, &kept->own));
  kept->models = models;
  kept->count = count;
  return GANNET_OK;
}

void gannet_cached_moments_release(gannet_cached_moments *kept) {
  gannet_free(&kept->all.mean);
  gannet_free(&kept->all.variance);
  gannet_free(&kept->all.known);
  gannet_free(&kept->sample.mean);
  gannet_free(&kept->sample.variance);
  gannet_free(&kept->own);
  *kept = (gannet_cached_moments){0};
}

void gannet_cached_moments_forget(gannet_cached_moments *kept) {
  kept->known = false;
  if (kept->count > 0) memset(kept->own, 0, tiles_of(kept->count) * sizeof *kept->own);
}

static gannet_moments_arrays at(const gannet_moments_arrays *arrays, int64_t place) {
  return (gannet_moments_arrays){arrays->mean + place, arrays->variance + place,
                                 arrays->known ? arrays->known + place : NULL};
}

static gannet_moments_arrays all_of(const gannet_cached_moments *kept, int model) {
  return at(&kept->all, model * kept->count);
}

gannet_moments_arrays gannet_cached_moments_sample(const gannet_cached_moments *kept, int model) {
  return at(&kept->sample, (int64_t)model * SAMPLE);
}

void gannet_cached_moments_put(gannet_cached_moments *kept, int model, int64_t first, int m,
                               const double *mean, const double *variance) {
  if (kept->count == 0) return;
  const gannet_moments_arrays to = all_of(kept, model);
  memcpy(to.mean + first, mean, (size_t)m * sizeof *mean);
  memcpy(to.variance + first, variance, (size_t)m * sizeof *variance);
  for (int i = 0; i < m; ++i) to.known[first + i] = INFINITY;
  kept->own[first / GANNET_TILE] = true;
}

void gannet_cached_moments_put_sample(gannet_cached_moments *kept, int model, const double *mean,
                                      const double *variance) {
  if (kept->count == 0) return;
  const gannet_moments_arrays to = gannet_cached_moments_sample(kept, model);
  memcpy(to.mean, mean, SAMPLE * sizeof *mean);
  memcpy(to.variance, variance, SAMPLE * sizeof *variance);
}

void gannet_cached_moments_get(const gannet_cached_moments *kept, int model, int m,
                               const int64_t *number, const gannet_moments_above *above,
                               double *mean, double *ceiling) {
  const gannet_moments_arrays from = all_of(kept, model);
  for (int i = 0; i < m; ++i) {
    mean[i] = from.mean[number[i]];
    ceiling[i] =
        fmin(from.variance[number[i]] + above->variance, from.known[number[i]] + above->known);
  }
}

void gannet_cached_moments_learn(gannet_cached_moments *kept, int model, int m,
                                 const int64_t *number, const double *sd) {
  const gannet_moments_arrays to = all_of(kept, model);
  for (int i = 0; i < m; ++i)
    if (sd[i] * sd[i] < to.known[number[i]]) to.known[number[i]] = sd[i] * sd[i];
}

void gannet_cached_moments_lower(gannet_cached_moments *kept, int model, int m,
                                 const int64_t *number, const double *variance) {
  const gannet_moments_arrays to = all_of(kept, model);
  for (int i = 0; i < m; ++i)
    if (variance[i] < to.variance[number[i]]) to.variance[number[i]] = variance[i];
}

void gannet_cached_moments_lower_sample(gannet_cached_moments *kept, int model,
                                        const double *variance) {
  const gannet_moments_arrays to = gannet_cached_moments_sample(kept, model);
  for (int i = 0; i < SAMPLE; ++i)
    if (variance[i] < to.variance[i]) to.variance[i] = variance[i];
}

void gannet_cached_moments_complete(gannet_cached_moments *kept, bool known) {
  if (known && kept->count > 0)
    kept->known = true;
  else
    gannet_cached_moments_forget(kept);
}
