/* ADMMBO: the minimum of f over feasible points as two subproblems, tied by multipliers.
 *
 *   min f(x) + M 1[z infeasible]   subject to x = z,
 *
 * by the alternating direction method of multipliers (Ariafar et al. 2019, algorithm 1): in turn
 *
 *   x <- argmin f(x) + rho/2 |x - z + y/rho|^2                      objective_steps evaluations
 *   z <- argmin 1[z infeasible] + rho/(2 M) |x - z + y/rho|^2       feasibility_steps evaluations
 *   y <- y + rho (x - z),
 *
 * each subproblem by expected improvement: the first is that of a normal with a shifted mean; with
 * theta the probability of feasibility and g = (best value so far) - (the distance term), the
 * second is theta g for 0 < g <= 1 and g - (1 - theta) above (their eq. (14)). rho doubles when
 * |x - z| is more than ten times the step of rho z, and halves in the opposite case (Boyd et al.
 * 2011, eq. (3.13)).
 *
 * It starts with y = 0 and x = z = the evaluation of least mean among those whose constraints'
 * means are feasible, or among all of them. Of constraints theta has the spread that
 * gannet_acq_spread tells.
 *
 * Deviations: the authors' program starts z in a corner of the box; a simulation returns all
 * constraints at once, so there is one z for all of them instead of one each; every evaluation
 * teaches all models, and both subproblems end at the best of all evaluations; expected
 * improvements as logarithms, polished by gradients.
 *
 * What is proposed is a function of the memory and of the history. */
#include "acquisition/functions/admm/admm.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "acquisition/registry.h"
#include "base/memory.h"
#include "base/normal.h"

static const gannet_option table[] = {
    {.key = "rho",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_admm_options, rho),
     .fallback = "1",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1e6,
     .unit = "standard deviations of the objective per squared edge of the box",
     .help = "weight of the distance between the minimiser and the feasible point at first; it "
             "adapts itself"},
    {.key = "penalty",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_admm_options, penalty),
     .fallback = "50",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1e6,
     .unit = "standard deviations of the objective",
     .help = "what an infeasible point costs"},
    {.key = "objective_steps",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_admm_options, objective_steps),
     .fallback = "2",
     .lower = 1,
     .upper = 1e6,
     .help = "evaluations in turn that improve the penalised objective"},
    {.key = "feasibility_steps",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_admm_options, feasibility_steps),
     .fallback = "2",
     .lower = 1,
     .upper = 1e6,
     .help = "evaluations in turn that look for a feasible point near by"},
    {0}};

static const double rho_least = 1e-3, rho_most = 1e6; /* beyond them one subproblem is ignored */

static gannet_err create_memory(int d, void **memory) {
  gannet_admm_memory *a = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *a, &a));
  *memory = a;
  a->d = d;
  GANNET_TRY(gannet_alloc(3 * (size_t)d, sizeof *a->x, &a->x));
  a->z = a->x + d;
  a->y = a->x + 2 * (ptrdiff_t)d;
  return GANNET_OK;
}

static void destroy_memory(void **memory) {
  gannet_admm_memory *a = *memory;
  if (a) gannet_free(&a->x);
  gannet_free(memory);
}

static void reset_memory(void *memory) {
  gannet_admm_memory *a = memory;
  a->phase = GANNET_ADMM_NEW;
  a->left = 0;
  a->rho = 0;
  memset(a->x, 0, 3 * (size_t)a->d * sizeof *a->x);
}

/* Numbers: phase, left, rho, then x, z and y. Coordinates are numbered from 1, as variables are for
 * people. */
static bool get_number(const void *memory, int i, char *name, size_t size, double *value) {
  const gannet_admm_memory *a = memory;
  const char *const scalars[] = {"phase", "left", "rho"};
  const double values[] = {a->phase, a->left, a->rho};
  const int at = i - 3;
  if (at >= 3 * a->d) return false;
  *value = at < 0 ? values[i] : a->x[at];
  if (at < 0)
    (void)snprintf(name, size, "admm.%s", scalars[i]);
  else
    (void)snprintf(name, size, "admm.%c%d", "xzy"[at / a->d], at % a->d + 1);
  return true;
}

static bool set_number(void *memory, int i, double value) {
  gannet_admm_memory *a = memory;
  if (!isfinite(value) || (i == 2 && !(value >= 0 && value <= rho_most))) return false;
  if (i == 0 && !(value >= GANNET_ADMM_NEW && value <= GANNET_ADMM_FEASIBILITY)) return false;
  if (i == 1 && !(value >= 0 && value <= INT_MAX)) return false;
  if (i == 0)
    a->phase = (gannet_admm_phase)value;
  else if (i == 1)
    a->left = (int)value;
  else
    *(i == 2 ? &a->rho : &a->x[i - 3]) = value;
  return true;
}

static const gannet_acq_memory memory_of_admm = {create_memory, destroy_memory, reset_memory,
                                                 get_number, set_number};

/* The subproblem of one point: minimise
 *   objective (or 1[infeasible]) + weight |x - anchor|^2. */
typedef struct {
  const gannet_admm_options *options;
  const gannet_acq_state *state;
  gannet_admm_phase phase;
  double weight;
  double best;                      /* least value over the evaluations */
  double *anchor;                   /* [d] */
  double *mean, *sd, *log_feasible; /* [GANNET_TILE] */
  double *gradients;                /* [2][d] */
} admm_work;

static double squared_distance(int d, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

/* Means of a model at evaluations first .. first+n-1. */
static gannet_err predict_means(const gannet_acq_state *s, int model, int64_t first, int n,
                                double *mean) {
  return gannet_surrogate_predict(s->model[model].surrogate, n,
                                  gannet_history_x_unit(s->history, first), mean, NULL);
}

/* Whether the means of all constraints' models are feasible there, n <= GANNET_TILE. */
static gannet_err find_feasible(const gannet_acq_state *s, int64_t first, int n, bool *feasible) {
  double mean[GANNET_TILE];
  for (int k = 0; k < n; ++k) feasible[k] = true;
  for (int i = 1; i < s->n_models; ++i) {
    GANNET_TRY(predict_means(s, i, first, n, mean));
    for (int k = 0; k < n; ++k) feasible[k] = feasible[k] && mean[k] <= s->model[i].threshold;
  }
  return GANNET_OK;
}

/* Evaluations of the tile that begins with first, and where the next one does. */
static int tile_from(const gannet_history *history, int64_t first, int64_t *next) {
  const int64_t left = gannet_history_count(history) - first;
  const int n = left < GANNET_TILE ? (int)left : GANNET_TILE;
  *next = first + n;
  return n;
}

static bool is_possible_best(const gannet_history *history, int64_t id) {
  return gannet_history_is_observation(history, id) && !gannet_history_get(history, id)->elsewhere;
}

/* The evaluation of least subproblem value, and that value; id -1 and INFINITY without any.
 * Feasibility is judged by the means of the constraints' models. */
static gannet_err find_best_evaluation(const gannet_acq_state *s, gannet_admm_phase phase,
                                       double weight, const double *anchor, int64_t *id,
                                       double *value) {
  const int d = gannet_history_problem(s->history)->d;
  double base[GANNET_TILE];
  bool feasible[GANNET_TILE];
  *id = -1;
  *value = INFINITY;
  for (int64_t first = 0, next; first < gannet_history_count(s->history); first = next) {
    const int n = tile_from(s->history, first, &next);
    if (phase == GANNET_ADMM_OBJECTIVE) {
      GANNET_TRY(predict_means(s, 0, first, n, base));
    } else {
      GANNET_TRY(find_feasible(s, first, n, feasible));
      for (int k = 0; k < n; ++k) base[k] = feasible[k] ? 0 : 1;
    }
    for (int k = 0; k < n; ++k) {
      if (!is_possible_best(s->history, first + k)) continue;
      const double *x = gannet_history_x_unit(s->history, first + k);
      const double sum = base[k] + weight * squared_distance(d, x, anchor);
      if (!(sum < *value)) continue;
      *value = sum;
      *id = first + k;
    }
  }
  return GANNET_OK;
}

/* The evaluation of least mean among those whose constraints' means are feasible; -1 = none. */
static gannet_err find_least_feasible(const gannet_acq_state *s, int64_t *id) {
  double mean[GANNET_TILE], least = INFINITY;
  bool feasible[GANNET_TILE];
  *id = -1;
  for (int64_t first = 0, next; first < gannet_history_count(s->history); first = next) {
    const int n = tile_from(s->history, first, &next);
    GANNET_TRY(find_feasible(s, first, n, feasible));
    GANNET_TRY(predict_means(s, 0, first, n, mean));
    for (int k = 0; k < n; ++k) {
      if (!is_possible_best(s->history, first + k)) continue;
      if (!feasible[k] || !(mean[k] < least)) continue;
      least = mean[k];
      *id = first + k;
    }
  }
  return GANNET_OK;
}

/* The subproblem that a memory stands for: weight and anchor [d]. */
static void pose_subproblem(const gannet_admm_options *options, const gannet_admm_memory *a,
                            gannet_admm_phase phase, double *weight, double *anchor) {
  const bool objective = phase == GANNET_ADMM_OBJECTIVE;
  *weight = 0.5 * a->rho / (objective ? 1 : options->penalty);
  for (int k = 0; k < a->d; ++k)
    anchor[k] = objective ? a->z[k] - a->y[k] / a->rho : a->x[k] + a->y[k] / a->rho;
}

/* The minimiser of a subproblem among the evaluations, into x or z. anchor: [d] scratch */
static gannet_err minimise_over_evaluations(const admm_work *w, gannet_admm_phase phase,
                                            double *anchor, double *minimiser) {
  const gannet_admm_memory *a = w->state->memory;
  double weight = 0, value = 0;
  int64_t id = -1;
  pose_subproblem(w->options, a, phase, &weight, anchor);
  GANNET_TRY(find_best_evaluation(w->state, phase, weight, anchor, &id, &value));
  if (id >= 0)
    memcpy(minimiser, gannet_history_x_unit(w->state->history, id),
           (size_t)a->d * sizeof *minimiser);
  return GANNET_OK;
}

/* y and rho after both subproblems; old is z before. */
static void update_multipliers(gannet_admm_memory *a, const double *old) {
  const double apart = sqrt(squared_distance(a->d, a->x, a->z));
  const double moved = a->rho * sqrt(squared_distance(a->d, a->z, old));
  for (int k = 0; k < a->d; ++k) a->y[k] += a->rho * (a->x[k] - a->z[k]);
  if (apart > 10 * moved) a->rho = fmin(2 * a->rho, rho_most);
  if (moved > 10 * apart) a->rho = fmax(a->rho / 2, rho_least);
}

/* x = z = the feasible evaluation of least mean, or the one of least mean; y = 0 ties nothing yet.
 */
static gannet_err start_from_best(const admm_work *w) {
  gannet_admm_memory *a = w->state->memory;
  const size_t bytes = (size_t)a->d * sizeof *a->x;
  double value = 0;
  int64_t id = -1;
  a->rho = w->options->rho;
  GANNET_TRY(find_least_feasible(w->state, &id));
  if (id < 0)
    GANNET_TRY(find_best_evaluation(w->state, GANNET_ADMM_OBJECTIVE, 0, a->x, &id, &value));
  if (id >= 0) memcpy(a->x, gannet_history_x_unit(w->state->history, id), bytes);
  memcpy(a->z, a->x, bytes);
  return GANNET_OK;
}

/* Advance to the subproblem of the next point: end a phase without evaluations left at the best of
 * all evaluations, by the means of the models, and count one evaluation. */
static gannet_err advance_to_next_point(const admm_work *w) {
  gannet_admm_memory *a = w->state->memory;
  double *anchor = w->gradients, *old = w->gradients + a->d; /* z before */
  if (a->left < 1 && a->phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(minimise_over_evaluations(w, GANNET_ADMM_OBJECTIVE, anchor, a->x));
    a->phase = GANNET_ADMM_FEASIBILITY;
    a->left = w->options->feasibility_steps;
  } else if (a->left < 1) {
    if (a->phase == GANNET_ADMM_NEW) {
      GANNET_TRY(start_from_best(w));
    } else {
      memcpy(old, a->z, (size_t)a->d * sizeof *old);
      GANNET_TRY(minimise_over_evaluations(w, GANNET_ADMM_FEASIBILITY, anchor, a->z));
      update_multipliers(a, old);
    }
    a->phase = GANNET_ADMM_OBJECTIVE;
    a->left = w->options->objective_steps;
  }
  a->left -= 1;
  return GANNET_OK;
}

static void release(void *work) {
  admm_work *w = work;
  if (!w) return;
  gannet_free(&w->anchor);
  gannet_free(&w->mean);
  gannet_free(&w->sd);
  gannet_free(&w->log_feasible);
  gannet_free(&w->gradients);
  gannet_free(&w);
}

static gannet_err prepare(const void *options, const gannet_acq_state *state, void **work) {
  const gannet_admm_memory *a = state->memory;
  const size_t d = (size_t)a->d;
  admm_work *w = NULL;
  int64_t id = -1;
  GANNET_TRY(gannet_alloc(1, sizeof *w, &w));
  *work = w;
  w->options = options;
  w->state = state;
  GANNET_TRY(gannet_alloc(d, sizeof(double), &w->anchor));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->log_feasible));
  GANNET_TRY(gannet_alloc(2 * d, sizeof(double), &w->gradients));
  GANNET_TRY(advance_to_next_point(w));
  w->phase = a->phase;
  pose_subproblem(options, a, w->phase, &w->weight, w->anchor);
  return find_best_evaluation(state, w->phase, w->weight, w->anchor, &id, &w->best);
}

static int dimension_of(const admm_work *w) {
  return ((const gannet_admm_memory *)w->state->memory)->d;
}

static double distance_term(const admm_work *w, const double *x) {
  return w->weight * squared_distance(dimension_of(w), x, w->anchor);
}

/* Below this gain the logarithm goes on as its tangent, so that a polish finds its way back. */
static const double least_gain = 1e-8;
static const double least_sd = 1e-12;

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

static gannet_err score_points(void *work, int m, const double *x_unit, double *scores) {
  admm_work *w = work;
  const gannet_acq_model *model = w->state->model;
  const size_t d = (size_t)dimension_of(w);
  double unused = 0;
  if (w->phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(gannet_surrogate_predict(model[0].surrogate, m, x_unit, w->mean, w->sd));
    for (int p = 0; p < m; ++p)
      scores[p] = objective_score(w->best - w->mean[p] - distance_term(w, x_unit + (size_t)p * d),
                                  w->sd[p]);
    return GANNET_OK;
  }
  memset(w->log_feasible, 0, (size_t)m * sizeof *w->log_feasible);
  for (int i = 1; i < w->state->n_models; ++i) {
    GANNET_TRY(gannet_surrogate_predict(model[i].surrogate, m, x_unit, w->mean, w->sd));
    for (int p = 0; p < m; ++p)
      w->log_feasible[p] += gannet_normal_log_cdf((model[i].threshold - w->mean[p]) /
                                                  gannet_acq_spread(&model[i], w->sd[p], &unused));
  }
  for (int p = 0; p < m; ++p)
    scores[p] =
        feasibility_score(w->log_feasible[p], w->best - distance_term(w, x_unit + (size_t)p * d))
            .score;
  return GANNET_OK;
}

static void add_scaled(int d, double factor, const double *from, double *to) {
  for (int k = 0; k < d; ++k) to[k] += factor * from[k];
}

/* by_distance times the gradient of the distance term. */
static void add_distance(const admm_work *w, double by_distance, const double *x,
                         double *gradient) {
  for (int k = 0; k < dimension_of(w); ++k)
    gradient[k] += 2 * by_distance * w->weight * (x[k] - w->anchor[k]);
}

static gannet_err objective_merit(admm_work *w, const double *x_unit, double *value,
                                  double *gradient) {
  const int d = dimension_of(w);
  double mean = 0, sd = 0;
  GANNET_TRY(gannet_surrogate_predict_gradient(w->state->model[0].surrogate, x_unit, &mean, &sd,
                                               w->gradients, w->gradients + d));
  const double gap = w->best - mean - distance_term(w, x_unit), floored = fmax(sd, least_sd);
  const double z = fmin(fmax(gap / floored, -1e110), 1e110);
  const double by_mean = gannet_normal_cdf_over_improvement(z) / floored;
  *value = -objective_score(gap, sd);
  add_scaled(d, by_mean, w->gradients, gradient);
  add_distance(w, by_mean, x_unit, gradient);
  if (sd > least_sd)
    add_scaled(d, -gannet_normal_pdf_over_improvement(z) / floored, w->gradients + d, gradient);
  return GANNET_OK;
}

static gannet_err feasibility_merit(admm_work *w, const double *x_unit, double *value,
                                    double *gradient) {
  const int d = dimension_of(w);
  double log_theta = 0;
  for (int i = 1; i < w->state->n_models; ++i) {
    const gannet_acq_model *model = &w->state->model[i];
    double mean = 0, sd = 0, by_sd = 0;
    GANNET_TRY(gannet_surrogate_predict_gradient(model->surrogate, x_unit, &mean, &sd, w->gradients,
                                                 w->gradients + d));
    const double spread = gannet_acq_spread(model, sd, &by_sd);
    const double z = (model->threshold - mean) / spread;
    const double hazard = gannet_normal_hazard(z);
    log_theta += gannet_normal_log_cdf(z);
    add_scaled(d, hazard / spread, w->gradients, gradient);
    if (by_sd > 0) add_scaled(d, by_sd * hazard * z / spread, w->gradients + d, gradient);
  }
  const feasibility f = feasibility_score(log_theta, w->best - distance_term(w, x_unit));
  for (int k = 0; k < d; ++k) gradient[k] *= f.by_log_theta;
  add_distance(w, f.by_gain, x_unit, gradient);
  *value = -f.score;
  return GANNET_OK;
}

static gannet_err merits(void *work, int m, const double *x_unit, double *values,
                         double *gradients) {
  admm_work *w = work;
  const size_t d = (size_t)dimension_of(w);
  memset(gradients, 0, (size_t)m * d * sizeof *gradients);
  for (size_t p = 0; p < (size_t)m; ++p)
    GANNET_TRY(w->phase == GANNET_ADMM_OBJECTIVE
                   ? objective_merit(w, x_unit + p * d, &values[p], gradients + p * d)
                   : feasibility_merit(w, x_unit + p * d, &values[p], gradients + p * d));
  return GANNET_OK;
}

const gannet_acq_type gannet_acq_admm = {
    .name = "admm",
    .summary = "expected improvement of objective and of feasibility in turn, tied by multipliers",
    .source = "ADMMBO (Ariafar et al. 2019)",
    .kind = GANNET_ACQ_MODELS,
    .options = table,
    .options_size = sizeof(gannet_admm_options),
    .memory = &memory_of_admm,
    .prepare = prepare,
    .release = release,
    .score_points = score_points,
    .merits = merits,
};
