#include "search/spacing.h"

#include <math.h>

/* In ranges of the variables: always a copy, and never one. */
static const double copy_within = 3e-6, no_copy_beyond = 1e-4;
static const double share_of_resolution = 1e-3;

/* The points that are known: [n] evaluations, then [m] further ones. */
typedef struct {
  const gannet_problem *problem;
  const gannet_history *history;
  int64_t n, m;
  const double *further;
} known_points;

static const double *point(const known_points *known, int64_t i) {
  return i < known->n ? gannet_history_x_unit(known->history, i)
                      : known->further + (i - known->n) * known->problem->d;
}

/* Largest difference of a coordinate; INFINITY where a discrete one differs, or beyond a limit. */
static double distance(const gannet_problem *problem, const double *x, const double *y,
                       double limit) {
  double far = 0;
  for (int k = 0; k < problem->d; ++k) {
    const double gap = fabs(x[k] - y[k]);
    if (gap > (problem->continuous[k] ? limit : 0)) return INFINITY;
    far = fmax(far, gap);
  }
  return far;
}

/* Distance of known point y from the (d + 1)-th nearest other one, or from the farthest where there
 * are fewer; INFINITY without any. nearest: [d + 1] */
static double resolution(const known_points *known, int64_t y, double *nearest) {
  const int wanted = known->problem->d + 1;
  int found = 0;
  for (int64_t i = 0; i < known->n + known->m; ++i) {
    const double limit = found == wanted ? nearest[wanted - 1] : INFINITY;
    const double far = distance(known->problem, point(known, i), point(known, y), limit);
    if (i == y || !isfinite(far)) continue;
    int at = found < wanted ? found++ : wanted - 1;
    for (; at > 0 && far < nearest[at - 1]; --at) nearest[at] = nearest[at - 1];
    nearest[at] = far;
  }
  return found > 0 ? nearest[found - 1] : INFINITY;
}

bool gannet_spacing_is_copy(const gannet_history *history, int64_t m, const double *further,
                            const double *x_unit, double *scratch) {
  const gannet_problem *problem = gannet_history_problem(history);
  const known_points known = {problem, history, gannet_history_count(history), m, further};
  if (problem->n_continuous == 0) return false;
  for (int64_t i = 0; i < known.n + known.m; ++i) {
    const double far = distance(problem, x_unit, point(&known, i), no_copy_beyond);
    if (far > no_copy_beyond) continue;
    if (far <= copy_within || far <= share_of_resolution * resolution(&known, i, scratch))
      return true;
  }
  return false;
}
