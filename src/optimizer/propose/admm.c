#include "optimizer/propose/admm.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "acquisition/functions/admm/admm.h"
#include "acquisition/normal.h"
#include "base/memory.h"

static const double rho_least = 1e-3, rho_most = 1e6; /* beyond them one subproblem is ignored */

gannet_err gannet_admm_create(const gannet_problem *problem, gannet_admm **admm) {
  const size_t d = (size_t)problem->d;
  GANNET_TRY(gannet_alloc(1, sizeof **admm, admm));
  GANNET_TRY(gannet_alloc(3 * d, sizeof(double), &(*admm)->x));
  (*admm)->z = (*admm)->x + d;
  (*admm)->y = (*admm)->x + 2 * d;
  return GANNET_OK;
}

void gannet_admm_destroy(gannet_admm **admm) {
  if (!*admm) return;
  gannet_free(&(*admm)->x);
  gannet_free(admm);
}

/* Name of value i of the points x, z and y [3][d]. Coordinates are numbered from 1, as variables
 * are for people. */
static void name_coordinate(const gannet_problem *problem, int i, char *name, size_t size) {
  (void)snprintf(name, size, "admm.%c%d", "xzy"[i / problem->d], i % problem->d + 1);
}

gannet_err gannet_admm_get_state(const gannet_member *member, const char *part,
                                 gannet_state *state) {
  const gannet_admm *a = member->admm;
  char name[32];
  GANNET_TRY(gannet_state_put(state, part, "admm.phase", GANNET_STATE_REAL, a->phase));
  GANNET_TRY(gannet_state_put(state, part, "admm.left", GANNET_STATE_REAL, a->left));
  GANNET_TRY(gannet_state_put(state, part, "admm.rho", GANNET_STATE_REAL, a->rho));
  for (int i = 0; i < 3 * member->problem->d; ++i) {
    name_coordinate(member->problem, i, name, sizeof name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, a->x[i]));
  }
  return GANNET_OK;
}

void gannet_admm_set_state(gannet_member *member, const char *part, gannet_state *state) {
  gannet_admm *a = member->admm;
  const int n = 3 * member->problem->d;
  double phase = 0, left = 0;
  char name[32];
  bool complete = gannet_state_find(state, part, "admm.phase", &phase) &&
                  gannet_state_find(state, part, "admm.left", &left) &&
                  gannet_state_find(state, part, "admm.rho", &a->rho);
  for (int i = 0; i < n && complete; ++i) {
    name_coordinate(member->problem, i, name, sizeof name);
    complete = gannet_state_find(state, part, name, &a->x[i]);
  }
  if (!complete || !(phase >= GANNET_ADMM_NEW && phase <= GANNET_ADMM_FEASIBILITY) ||
      !(left >= 0 && left <= INT_MAX)) {
    phase = left = a->rho = 0;
    memset(a->x, 0, (size_t)n * sizeof *a->x);
  }
  a->phase = (gannet_admm_phase)phase;
  a->left = (int)left;
}

static const gannet_admm_options *options_of(const gannet_member *member) {
  return member->options->acq_options;
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
  const double rho = member->admm->rho;
  const double *x = member->admm->x, *z = member->admm->z, *y = member->admm->y;
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
static gannet_err minimise_over_evaluations(gannet_member *member, gannet_admm_phase phase,
                                            double *anchor, double *part) {
  const size_t d = (size_t)member->problem->d;
  double weight = 0, value = 0;
  int64_t id = -1;
  gannet_admm_subproblem(member, phase, &weight, anchor);
  GANNET_TRY(gannet_admm_best(member, phase, weight, anchor, &id, &value));
  if (id >= 0) memcpy(part, gannet_history_x_unit(member->history, id), d * sizeof *part);
  return GANNET_OK;
}

/* y and rho after both subproblems; old is z before. */
static void update_multipliers(gannet_member *member, const double *old) {
  const int d = member->problem->d;
  const double *x = member->admm->x, *z = member->admm->z;
  double *rho = &member->admm->rho, *y = member->admm->y;
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
static gannet_err start_from_best(gannet_member *member) {
  const size_t d = (size_t)member->problem->d;
  double *x = member->admm->x, *z = member->admm->z, value = 0;
  int64_t id = -1;
  member->admm->rho = options_of(member)->rho;
  GANNET_TRY(least_feasible(member, &id));
  if (id < 0) GANNET_TRY(gannet_admm_best(member, GANNET_ADMM_OBJECTIVE, 0, x, &id, &value));
  if (id >= 0) memcpy(x, gannet_history_x_unit(member->history, id), d * sizeof *x);
  memcpy(z, x, d * sizeof *z);
  return GANNET_OK;
}

/* End a phase at the best of all evaluations, and begin the next one. scratch: [2][d] */
static gannet_err end_phase(gannet_member *member, double *scratch) {
  const size_t d = (size_t)member->problem->d;
  gannet_admm *a = member->admm;
  double *old = scratch + d; /* z before */
  if (a->phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(minimise_over_evaluations(member, GANNET_ADMM_OBJECTIVE, scratch, a->x));
    a->phase = GANNET_ADMM_FEASIBILITY;
    a->left = options_of(member)->feasibility_steps;
    return GANNET_OK;
  }
  if (a->phase == GANNET_ADMM_NEW) {
    GANNET_TRY(start_from_best(member));
  } else {
    memcpy(old, a->z, d * sizeof *old);
    GANNET_TRY(minimise_over_evaluations(member, GANNET_ADMM_FEASIBILITY, scratch, a->z));
    update_multipliers(member, old);
  }
  a->phase = GANNET_ADMM_OBJECTIVE;
  a->left = options_of(member)->objective_steps;
  return GANNET_OK;
}

gannet_err gannet_admm_advance(gannet_member *member) {
  double *scratch = NULL;
  if (member->admm->left < 1) {
    GANNET_TRY(gannet_alloc(2 * (size_t)member->problem->d, sizeof *scratch, &scratch));
    const gannet_err code = end_phase(member, scratch);
    gannet_free(&scratch);
    GANNET_TRY(code);
  }
  member->admm->left -= 1;
  return GANNET_OK;
}

/* Below this gain the logarithm goes on as its tangent, so that a polish finds its way back. */
static const double least_gain = 1e-8;
static const double least_sd = 1e-12;

gannet_err gannet_admm_score_prepare(const gannet_member *member, gannet_admm_score *s) {
  const size_t d = (size_t)member->problem->d;
  *s = (gannet_admm_score){.member = member};
  GANNET_TRY(gannet_alloc(d, sizeof(double), &s->anchor));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->log_feasible));
  return gannet_alloc(2 * d, sizeof(double), &s->gradients);
}

void gannet_admm_score_release(gannet_admm_score *s) {
  gannet_free(&s->anchor);
  gannet_free(&s->mean);
  gannet_free(&s->sd);
  gannet_free(&s->log_feasible);
  gannet_free(&s->gradients);
}

gannet_err gannet_admm_score_begin(gannet_admm_score *s) {
  int64_t id = -1;
  s->phase = s->member->admm->phase;
  gannet_admm_subproblem(s->member, s->phase, &s->weight, s->anchor);
  return gannet_admm_best(s->member, s->phase, s->weight, s->anchor, &id, &s->best);
}

static double distance_term(const gannet_admm_score *s, const double *x) {
  double sum = 0;
  for (int k = 0; k < s->member->problem->d; ++k)
    sum += (x[k] - s->anchor[k]) * (x[k] - s->anchor[k]);
  return s->weight * sum;
}

/* Improvement of the shifted objective: log sd + log h((best - mean - distance) / sd). */
static double objective_score(double gap, double sd) {
  const double floored = fmax(sd, least_sd);
  return log(floored) + gannet_normal_log_improvement(fmin(fmax(gap / floored, -1e110), 1e110));
}

/* log of theta g, or of g - (1 - theta) for g > 1; its derivatives by log theta and by g. */
typedef struct {
  double score, by_log_theta, by_gain;
} feasibility;

static feasibility feasibility_score(double log_theta, double g) {
  if (g > 1) {
    const double theta = exp(log_theta), value = g - 1 + theta;
    return (feasibility){log(value), theta / value, 1 / value};
  }
  if (g > least_gain) return (feasibility){log_theta + log(g), 1, 1 / g};
  return (feasibility){log_theta + log(least_gain) + (g - least_gain) / least_gain, 1,
                       1 / least_gain};
}

static gannet_err predict_moments(gannet_admm_score *s, int i, int m, const double *x_unit) {
  return gannet_surrogate_predict(gannet_models_surrogate(s->member->models, i), m, x_unit, s->mean,
                                  s->sd);
}

gannet_err gannet_admm_score_points(void *user, int m, const double *x_unit, int64_t first,
                                    double *scores, int ld) {
  gannet_admm_score *s = user;
  const gannet_models *models = s->member->models;
  const size_t d = (size_t)s->member->problem->d;
  double unused = 0;
  (void)first;
  (void)ld;
  if (s->phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(predict_moments(s, 0, m, x_unit));
    for (int p = 0; p < m; ++p)
      scores[p] = objective_score(s->best - s->mean[p] - distance_term(s, x_unit + (size_t)p * d),
                                  s->sd[p]);
    return GANNET_OK;
  }
  memset(s->log_feasible, 0, (size_t)m * sizeof *s->log_feasible);
  for (int i = 1; i < gannet_models_count(models); ++i) {
    const double threshold = gannet_models_threshold(models, i);
    GANNET_TRY(predict_moments(s, i, m, x_unit));
    for (int p = 0; p < m; ++p)
      s->log_feasible[p] += gannet_normal_log_cdf(
          (threshold - s->mean[p]) / gannet_models_spread(models, i, s->sd[p], &unused));
  }
  for (int p = 0; p < m; ++p)
    scores[p] =
        feasibility_score(s->log_feasible[p], s->best - distance_term(s, x_unit + (size_t)p * d))
            .score;
  return GANNET_OK;
}

static void add_scaled(int d, double factor, const double *from, double *to) {
  for (int k = 0; k < d; ++k) to[k] += factor * from[k];
}

/* by_distance times the gradient of the distance term. */
static void add_distance(const gannet_admm_score *s, double by_distance, const double *x,
                         double *gradient) {
  for (int k = 0; k < s->member->problem->d; ++k)
    gradient[k] += 2 * by_distance * s->weight * (x[k] - s->anchor[k]);
}

static gannet_err objective_merit(gannet_admm_score *s, const double *x_unit, double *value,
                                  double *gradient) {
  const int d = s->member->problem->d;
  double mean = 0, sd = 0;
  GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(s->member->models, 0),
                                               x_unit, &mean, &sd, s->gradients, s->gradients + d));
  const double gap = s->best - mean - distance_term(s, x_unit), floored = fmax(sd, least_sd);
  const double z = fmin(fmax(gap / floored, -1e110), 1e110);
  const double by_mean = gannet_normal_cdf_over_improvement(z) / floored;
  *value = -objective_score(gap, sd);
  add_scaled(d, by_mean, s->gradients, gradient);
  add_distance(s, by_mean, x_unit, gradient);
  if (sd > least_sd)
    add_scaled(d, -gannet_normal_pdf_over_improvement(z) / floored, s->gradients + d, gradient);
  return GANNET_OK;
}

static gannet_err feasibility_merit(gannet_admm_score *s, const double *x_unit, double *value,
                                    double *gradient) {
  const gannet_models *models = s->member->models;
  const int d = s->member->problem->d;
  double log_theta = 0;
  for (int i = 1; i < gannet_models_count(models); ++i) {
    double mean = 0, sd = 0, by_sd = 0;
    GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(models, i), x_unit, &mean,
                                                 &sd, s->gradients, s->gradients + d));
    const double spread = gannet_models_spread(models, i, sd, &by_sd);
    const double z = (gannet_models_threshold(models, i) - mean) / spread;
    const double hazard = gannet_normal_hazard(z);
    log_theta += gannet_normal_log_cdf(z);
    add_scaled(d, hazard / spread, s->gradients, gradient);
    if (by_sd > 0) add_scaled(d, by_sd * hazard * z / spread, s->gradients + d, gradient);
  }
  const feasibility f = feasibility_score(log_theta, s->best - distance_term(s, x_unit));
  for (int k = 0; k < d; ++k) gradient[k] *= f.by_log_theta;
  add_distance(s, f.by_gain, x_unit, gradient);
  *value = -f.score;
  return GANNET_OK;
}

gannet_err gannet_admm_score_merit(void *user, int list, const double *x_unit, double *value,
                                   double *gradient) {
  gannet_admm_score *s = user;
  (void)list;
  memset(gradient, 0, (size_t)s->member->problem->d * sizeof *gradient);
  return s->phase == GANNET_ADMM_OBJECTIVE ? objective_merit(s, x_unit, value, gradient)
                                           : feasibility_merit(s, x_unit, value, gradient);
}
