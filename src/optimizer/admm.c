#include "optimizer/admm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "acquisition/admm.h"
#include "base/memory.h"

static const double rho_least = 1e-3, rho_most = 1e6; /* beyond them one subproblem is ignored */

int gannet_admm_state_size(const gannet_problem *problem) {
  return GANNET_ADMM_FIXED + 3 * problem->d;
}

/* Coordinates are numbered from 1, as variables are for people. */
static void name_value(const gannet_problem *problem, int i, char *name, size_t size) {
  static const char *const fixed[GANNET_ADMM_FIXED] = {"phase", "left", "rho"};
  const int at = i - GANNET_ADMM_FIXED;
  if (at < 0)
    (void)snprintf(name, size, "admm.%s", fixed[i]);
  else
    (void)snprintf(name, size, "admm.%c%d", "xzy"[at / problem->d], at % problem->d + 1);
}

gannet_err gannet_admm_get_state(const gannet_member *member, const char *part,
                                 gannet_state *state) {
  char name[32];
  for (int i = 0; i < gannet_admm_state_size(member->problem); ++i) {
    name_value(member->problem, i, name, sizeof name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, member->admm[i]));
  }
  return GANNET_OK;
}

void gannet_admm_set_state(gannet_member *member, const char *part, gannet_state *state) {
  const int n = gannet_admm_state_size(member->problem);
  char name[32];
  bool complete = true;
  for (int i = 0; i < n; ++i) {
    name_value(member->problem, i, name, sizeof name);
    complete = gannet_state_find(state, part, name, &member->admm[i]) && complete;
  }
  for (int i = 0; i < n && !complete; ++i) member->admm[i] = 0;
}

static const gannet_admm_options *options_of(const gannet_member *member) {
  return member->options->acq_options;
}

static double *part_of(const gannet_member *member, int part) {
  return member->admm + GANNET_ADMM_FIXED + (size_t)part * (size_t)member->problem->d;
}

static double squared_distance(int d, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* Means of a model at evaluations first .. first+n-1. */
static gannet_err means_of(const gannet_member *member, int model, int64_t first, int n,
                           double *mean) {
  return gannet_surrogate_predict(gannet_models_surrogate(member->models, model), n,
                                  gannet_history_x_unit(member->history, first), mean, NULL);
}

/* Whether the means of all constraints' models are feasible there, n <= GANNET_TILE. */
static gannet_err are_feasible(const gannet_member *member, int64_t first, int n, bool *feasible) {
  double mean[GANNET_TILE];
  for (int k = 0; k < n; ++k) feasible[k] = true;
  for (int i = 1; i < gannet_models_count(member->models); ++i) {
    const double threshold = gannet_models_threshold(member->models, i);
    GANNET_TRY(means_of(member, i, first, n, mean));
    for (int k = 0; k < n; ++k) feasible[k] = feasible[k] && mean[k] <= threshold;
  }
  return GANNET_OK;
}

/* Evaluations of the tile that begins with first, and where the next one does. */
static int tile_from(const gannet_member *member, int64_t first, int64_t *next) {
  const int64_t left = gannet_history_count(member->history) - first;
  const int n = left < GANNET_TILE ? (int)left : GANNET_TILE;
  *next = first + n;
  return n;
}

static bool is_observation(const gannet_member *member, int64_t id) {
  return gannet_history_is_observation(member->history, id);
}

void gannet_admm_subproblem(const gannet_member *member, gannet_admm_phase phase, double *weight,
                            double *anchor) {
  const double rho = member->admm[GANNET_ADMM_RHO];
  const double *x = part_of(member, 0), *z = part_of(member, 1), *y = part_of(member, 2);
  const bool objective = phase == GANNET_ADMM_OBJECTIVE;
  *weight = 0.5 * rho / (objective ? 1 : options_of(member)->penalty);
  for (int k = 0; k < member->problem->d; ++k)
    anchor[k] = objective ? z[k] - y[k] / rho : x[k] + y[k] / rho;
}

/* Objective's mean, or 1 where constraints' means say infeasible; of n <= GANNET_TILE evaluations.
 */
static gannet_err base_values(const gannet_member *member, gannet_admm_phase phase, int64_t first,
                              int n, double *value) {
  bool feasible[GANNET_TILE];
  if (phase == GANNET_ADMM_OBJECTIVE) return means_of(member, 0, first, n, value);
  GANNET_TRY(are_feasible(member, first, n, feasible));
  for (int k = 0; k < n; ++k) value[k] = feasible[k] ? 0 : 1;
  return GANNET_OK;
}

gannet_err gannet_admm_best(const gannet_member *member, gannet_admm_phase phase, double weight,
                            const double *anchor, int64_t *id, double *value) {
  double base[GANNET_TILE];
  *id = -1;
  *value = INFINITY;
  for (int64_t first = 0, next; first < gannet_history_count(member->history); first = next) {
    const int n = tile_from(member, first, &next);
    GANNET_TRY(base_values(member, phase, first, n, base));
    for (int k = 0; k < n; ++k) {
      if (!is_observation(member, first + k)) continue;
      const double *x = gannet_history_x_unit(member->history, first + k);
      const double sum = base[k] + weight * squared_distance(member->problem->d, x, anchor);
      if (!(sum < *value)) continue;
      *value = sum;
      *id = first + k;
    }
  }
  return GANNET_OK;
}

/* The minimiser of a subproblem among the evaluations, into a part of the state. */
static gannet_err settle(gannet_member *member, gannet_admm_phase phase, double *anchor,
                         double *part) {
  const size_t d = (size_t)member->problem->d;
  double weight = 0, value = 0;
  int64_t id = -1;
  gannet_admm_subproblem(member, phase, &weight, anchor);
  GANNET_TRY(gannet_admm_best(member, phase, weight, anchor, &id, &value));
  if (id >= 0) memcpy(part, gannet_history_x_unit(member->history, id), d * sizeof *part);
  return GANNET_OK;
}

/* y and rho after both subproblems; old is z before. */
static void tie(gannet_member *member, const double *old) {
  const int d = member->problem->d;
  const double *x = part_of(member, 0), *z = part_of(member, 1);
  double *rho = &member->admm[GANNET_ADMM_RHO], *y = part_of(member, 2);
  const double apart = sqrt(squared_distance(d, x, z));
  const double moved = *rho * sqrt(squared_distance(d, z, old));
  for (int k = 0; k < d; ++k) y[k] += *rho * (x[k] - z[k]);
  if (apart > 10 * moved) *rho = fmin(2 * *rho, rho_most);
  if (moved > 10 * apart) *rho = fmax(*rho / 2, rho_least);
}

/* The evaluation of least mean among those whose constraints' means are feasible; -1 = none. */
static gannet_err least_feasible(const gannet_member *member, int64_t *id) {
  double mean[GANNET_TILE], least = INFINITY;
  bool feasible[GANNET_TILE];
  *id = -1;
  for (int64_t first = 0, next; first < gannet_history_count(member->history); first = next) {
    const int n = tile_from(member, first, &next);
    GANNET_TRY(are_feasible(member, first, n, feasible));
    GANNET_TRY(means_of(member, 0, first, n, mean));
    for (int k = 0; k < n; ++k) {
      if (!is_observation(member, first + k) || !feasible[k] || !(mean[k] < least)) continue;
      least = mean[k];
      *id = first + k;
    }
  }
  return GANNET_OK;
}

/* x = z = the feasible evaluation of least mean, or the one of least mean; y = 0 ties nothing yet.
 */
static gannet_err start(gannet_member *member) {
  const size_t d = (size_t)member->problem->d;
  double *x = part_of(member, 0), *z = part_of(member, 1), value = 0;
  int64_t id = -1;
  member->admm[GANNET_ADMM_RHO] = options_of(member)->rho;
  GANNET_TRY(least_feasible(member, &id));
  if (id < 0) GANNET_TRY(gannet_admm_best(member, GANNET_ADMM_OBJECTIVE, 0, x, &id, &value));
  if (id >= 0) memcpy(x, gannet_history_x_unit(member->history, id), d * sizeof *x);
  memcpy(z, x, d * sizeof *z);
  return GANNET_OK;
}

static gannet_err end_phase(gannet_member *member, double *scratch) {
  const size_t d = (size_t)member->problem->d;
  double *phase = &member->admm[GANNET_ADMM_PHASE], *left = &member->admm[GANNET_ADMM_LEFT];
  double *z = part_of(member, 1), *old = scratch + d;
  if (*phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(settle(member, GANNET_ADMM_OBJECTIVE, scratch, part_of(member, 0)));
    *phase = GANNET_ADMM_FEASIBILITY;
    *left = options_of(member)->feasibility_steps;
    return GANNET_OK;
  }
  if (*phase == GANNET_ADMM_NEW) {
    GANNET_TRY(start(member));
  } else {
    memcpy(old, z, d * sizeof *z);
    GANNET_TRY(settle(member, GANNET_ADMM_FEASIBILITY, scratch, z));
    tie(member, old);
  }
  *phase = GANNET_ADMM_OBJECTIVE;
  *left = options_of(member)->objective_steps;
  return GANNET_OK;
}

gannet_err gannet_admm_advance(gannet_member *member) {
  double *left = &member->admm[GANNET_ADMM_LEFT], *scratch = NULL;
  if (*left < 1) {
    GANNET_TRY(gannet_alloc(2 * (size_t)member->problem->d, sizeof *scratch, &scratch));
    const gannet_err code = end_phase(member, scratch);
    gannet_free(&scratch);
    GANNET_TRY(code);
  }
  *left -= 1;
  return GANNET_OK;
}
