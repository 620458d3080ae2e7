#include "optimizer/moments_kept.h"

#include <string.h>

#include "base/memory.h"

enum { SAMPLE = GANNET_MOMENTS_SAMPLE };

static size_t tiles_of(int64_t count) {
  return (size_t)((count + GANNET_TILE - 1) / GANNET_TILE);
}

gannet_err gannet_moments_kept_reserve(gannet_moments_kept *kept, int models, int64_t count) {
  if (kept->count > 0 || !kept->wanted || count > GANNET_MOMENTS_KEPT / models) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)models * (size_t)count, sizeof(double), &kept->variance));
  GANNET_TRY(gannet_alloc((size_t)models * SAMPLE, sizeof(double), &kept->sample));
  GANNET_TRY(gannet_alloc(tiles_of(count), sizeof *kept->own, &kept->own));
  GANNET_TRY(gannet_alloc((size_t)models, sizeof *kept->known, &kept->known));
  GANNET_TRY(gannet_alloc((size_t)models, sizeof *kept->rows, &kept->rows));
  kept->models = models;
  kept->count = count;
  return GANNET_OK;
}

void gannet_moments_kept_release(gannet_moments_kept *kept) {
  gannet_free(&kept->variance);
  gannet_free(&kept->sample);
  gannet_free(&kept->own);
  gannet_free(&kept->known);
  gannet_free(&kept->rows);
  *kept = (gannet_moments_kept){0};
}

bool gannet_moments_kept_any(const gannet_moments_kept *kept) {
  for (int i = 0; kept->count > 0 && i < kept->models; ++i)
    if (kept->known[i] > 0) return true;
  return false;
}

void gannet_moments_kept_forget(gannet_moments_kept *kept) {
  if (kept->count == 0) return;
  memset(kept->known, 0, (size_t)kept->models * sizeof *kept->known);
  memset(kept->own, 0, tiles_of(kept->count) * sizeof *kept->own);
}

double *gannet_moments_kept_at(const gannet_moments_kept *kept, int model, int64_t first) {
  if (kept->count == 0) return NULL;
  return kept->variance + (ptrdiff_t)model * kept->count + first;
}

double *gannet_moments_kept_sample(const gannet_moments_kept *kept, int model) {
  return kept->count > 0 ? kept->sample + (ptrdiff_t)model * SAMPLE : NULL;
}

gannet_err gannet_moments_kept_estimate(const gannet_moments_kept *kept, int model,
                                        const gannet_surrogate *surrogate, int m,
                                        const double *x_unit, double *place, double *mean,
                                        double *variance) {
  const size_t size = (size_t)m * sizeof *variance;
  if (place && kept->known[model] > 0) memcpy(variance, place, size);
  GANNET_TRY(gannet_surrogate_moment_estimates(surrogate, m, x_unit, mean, variance));
  if (place) memcpy(place, variance, size);
  return GANNET_OK;
}

void gannet_moments_kept_settle(gannet_moments_kept *kept, bool complete, bool objective) {
  if (kept->count == 0) return;
  if (!complete) {
    gannet_moments_kept_forget(kept);
    return;
  }
  memcpy(kept->known, kept->rows, (size_t)kept->models * sizeof *kept->known);
  if (!objective) kept->known[0] = 0;
}
