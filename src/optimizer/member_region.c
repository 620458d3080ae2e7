#include "optimizer/member_region.h"

#include <string.h>

#include "base/memory.h"
#include "problem/objectives.h"

void gannet_member_region_release(gannet_member_region *region) {
  gannet_free(&region->take);
  gannet_free(&region->lower);
  region->upper = region->centre = NULL;
  region->is_design = false;
}

gannet_err gannet_member_region_update(gannet_member_region *region,
                                       const gannet_history *history) {
  gannet_member_region_release(region);
  if (!region->options) return GANNET_OK;
  GANNET_TRY(
      gannet_region_follow(region->options, history, region->design, &region->state, &region->now));
  /* The models of a front learn from all results, and most points are sought everywhere. */
  if (gannet_problem_n_objectives(gannet_history_problem(history)) > 1) return GANNET_OK;
  const int64_t first = region->state.first, count = gannet_history_count(history);
  int64_t designs = 0;
  bool observed = false;
  for (int64_t id = first; id < count; ++id) { /* the region is where designs are allowed */
    if (gannet_history_get(history, id)->elsewhere) continue;
    designs += 1;
    observed = observed || gannet_history_is_observation(history, id);
  }
  /* Where all results lack what tells whether they are feasible, none is a centre. */
  region->is_design = designs < region->design || !observed || region->now.centre < 0;
  if (region->is_design) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *region->take, &region->take));
  return gannet_region_take(region->options, history, &region->state, region->now.centre,
                            region->take);
}

gannet_err gannet_member_region_set_box(gannet_member_region *region, const gannet_history *history,
                                        gannet_models *models) {
  if (!region->options || region->is_design || region->now.centre < 0) return GANNET_OK;
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t d = (size_t)problem->d;
  const bool several = gannet_problem_n_objectives(problem) > 1;
  double *scales = NULL;
  int64_t best = -1;
  if (!several && region->options->centre == GANNET_REGION_MEAN)
    GANNET_TRY(gannet_models_best(models, region->state.first, &best));
  if (best >= 0) region->now.centre = best;
  GANNET_TRY(gannet_alloc(3 * d, sizeof *region->lower, &region->lower));
  region->upper = region->lower + d;
  region->centre = region->lower + 2 * d;
  memcpy(region->centre, gannet_history_x_unit(history, region->now.centre),
         d * sizeof *region->centre);
  GANNET_TRY(gannet_alloc(d, sizeof *scales, &scales));
  gannet_surrogate_lengthscales(gannet_models_surrogate(models, 0), scales);
  gannet_region_box(problem, region->now.length, region->centre,
                    region->options->weighted && !several ? scales : NULL, region->lower,
                    region->upper);
  region->moving = gannet_region_moving(region->options, problem);
  region->switching = gannet_region_switching(region->options, problem, region->now.length);
  gannet_free(&scales);
  return GANNET_OK;
}

bool gannet_member_region_has(const gannet_member_region *region, int d, const double *x_unit) {
  for (int k = 0; region->lower && k < d; ++k)
    if (x_unit[k] < region->lower[k] || x_unit[k] > region->upper[k]) return false;
  return true;
}
