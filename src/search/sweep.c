#include "search/sweep.h"

#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "problem/variable_constraints.h"

typedef struct {
  const gannet_sweep_spec *spec;
  double *points; /* [GANNET_SWEEP_POINTS][d] */
  double *scores; /* [n_lists][GANNET_SWEEP_POINTS] */
} sweep;

/* Move coordinate k of x to the centre of its best cell, if that is better than *best. */
static gannet_err sweep_coordinate(sweep *w, int list, int k, double *x, double *best) {
  const gannet_sweep_spec *spec = w->spec;
  const size_t d = (size_t)spec->problem->d;
  const double low = spec->lower ? spec->lower[k] : 0, high = spec->upper ? spec->upper[k] : 1;
  bool allowed[GANNET_SWEEP_POINTS];
  int at = -1;
  for (size_t i = 0; i < GANNET_SWEEP_POINTS; ++i) {
    memcpy(w->points + i * d, x, d * sizeof *x);
    w->points[i * d + (size_t)k] = low + ((double)i + 0.5) / GANNET_SWEEP_POINTS * (high - low);
    (void)gannet_allowed_follow(spec->problem, w->points + i * d); /* inactive coordinates rest */
    if (spec->problem->variable_constraints)
      allowed[i] = gannet_allowed_complete(spec->problem, w->points + i * d) == 0;
  }
  GANNET_TRY(
      spec->scorer(spec->user, GANNET_SWEEP_POINTS, w->points, 0, w->scores, GANNET_SWEEP_POINTS));
  const double *scores = w->scores + (size_t)list * GANNET_SWEEP_POINTS;
  for (int i = 0; i < GANNET_SWEEP_POINTS; ++i)
    if (scores[i] > *best && (!spec->problem->variable_constraints || allowed[i])) {
      *best = scores[i];
      at = i;
    }
  if (at >= 0) memcpy(x, w->points + (size_t)at * d, d * sizeof *x);
  return GANNET_OK;
}

static gannet_err sweep_list(sweep *w, int list, double *x) {
  const gannet_sweep_spec *spec = w->spec;
  GANNET_TRY(spec->scorer(spec->user, 1, x, 0, w->scores, GANNET_SWEEP_POINTS));
  double best = w->scores[(size_t)list * GANNET_SWEEP_POINTS];
  for (int t = 0; t < spec->sweeps; ++t) {
    const double before = best;
    for (int k = 0; k < spec->problem->d; ++k)
      if (spec->problem->continuous[k] && !gannet_allowed_depends(spec->problem, k))
        GANNET_TRY(sweep_coordinate(w, list, k, x, &best));
    if (!(best > before)) break;
  }
  return GANNET_OK;
}

/* The lists of this rank; points of other lists become 0. */
static gannet_err sweep_own_lists(const gannet_context *context, sweep *w, double *x_unit) {
  const gannet_sweep_spec *spec = w->spec;
  const size_t d = (size_t)spec->problem->d, lists = (size_t)spec->n_lists;
  GANNET_TRY(gannet_alloc(GANNET_SWEEP_POINTS * d, sizeof(double), &w->points));
  GANNET_TRY(gannet_alloc(GANNET_SWEEP_POINTS * lists, sizeof(double), &w->scores));
  for (int l = 0; l < spec->n_lists; ++l)
    if (l % context->np == context->rank)
      GANNET_TRY(sweep_list(w, l, x_unit + (size_t)l * d));
    else
      memset(x_unit + (size_t)l * d, 0, d * sizeof *x_unit);
  return GANNET_OK;
}

gannet_err gannet_sweep(const gannet_context *context, const gannet_sweep_spec *spec,
                        double *x_unit) {
  sweep w = {.spec = spec};
  GANNET_REQUIRE(spec->n_lists >= 1 && spec->sweeps >= 1, GANNET_ERR_ARG,
                 "n_lists = %d, sweeps = %d", spec->n_lists, spec->sweeps);
  const gannet_err code = sweep_own_lists(context, &w, x_unit);
  gannet_free(&w.points);
  gannet_free(&w.scores);
  GANNET_TRY(gannet_agree(context->comm, code));
  const size_t length = (size_t)spec->n_lists * (size_t)spec->problem->d;
  return gannet_partition_gather(context->comm, length, x_unit);
}
