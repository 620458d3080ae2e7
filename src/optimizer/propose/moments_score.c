#include "optimizer/propose/moments_score.h"

#include <math.h>
#include <string.h>

#include "acquisition/draws.h"
#include "base/memory.h"
#include "base/normal.h"
#include "optimizer/propose/propose_impl.h"
#include "problem/runs.h"
#include "surrogate/surrogate.h"

gannet_err gannet_moments_score_prepare(const gannet_member *member, gannet_moments_score *s) {
  const int models = gannet_models_count(member->models);
  *s = (gannet_moments_score){.member = member};
  if (gannet_cost_model_exponent(member->cost) > 0 && gannet_member_options_weigh(member->options))
    s->cost = member->cost;
  s->feasible_known = gannet_history_best(member->history) >= 0;
  s->state.exploration = gannet_models_exploration(member->models, 0);
  s->state.noise_var = gannet_surrogate_noise_var(gannet_models_surrogate(member->models, 0));
  s->state.looks_noisy = gannet_models_look_noisy(member->models);
  s->state.history = member->history;
  s->state.memory = member->memory;
  GANNET_TRY(gannet_alloc((size_t)models, sizeof *s->model, &s->model));
  for (int i = 0; i < models; ++i) s->model[i] = gannet_models_acq_model(member->models, i);
  s->state.n_models = models;
  s->state.model = s->model;
  GANNET_TRY(gannet_alloc((size_t)models, sizeof *s->unmet, &s->unmet));
  for (int i = 0; i < models; ++i) {
    /* Where nothing feasible is known, of constraints that no observation keeps; labels of the
     * hidden constraint have no value that is less. */
    const bool may_be_unmet = !s->feasible_known && i > 0 && i <= member->problem->n_bounds;
    const double least = may_be_unmet ? gannet_models_least(member->models, i) : NAN;
    const bool unmet = isfinite(least) && least > gannet_models_threshold(member->models, i);
    s->unmet[i] = unmet ? least : NAN;
  }
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->violation));
  GANNET_TRY(gannet_alloc((size_t)models * GANNET_TILE, sizeof(double), &s->last_sd));
  const size_t d = (size_t)member->problem->d;
  GANNET_TRY(gannet_alloc(GANNET_POLISH_MOST * d, sizeof(double), &s->by_mean));
  GANNET_TRY(gannet_alloc(GANNET_POLISH_MOST * d, sizeof(double), &s->by_sd));
  return gannet_alloc(d, sizeof(double), &s->slope);
}

static void end_point(gannet_moments_score *s) {
  if (s->work) s->member->options->acq_type->release(s->work);
  s->work = NULL;
  gannet_reference_release(&s->reference);
  gannet_free(&s->covariance);
  gannet_free(&s->nearby);
}

void gannet_moments_score_release(gannet_moments_score *s) {
  end_point(s);
  gannet_free(&s->model);
  gannet_free(&s->unmet);
  gannet_free(&s->mean);
  gannet_free(&s->sd);
  gannet_free(&s->violation);
  gannet_free(&s->last_sd);
  gannet_free(&s->by_mean);
  gannet_free(&s->by_sd);
  gannet_free(&s->slope);
}

bool gannet_moments_score_by_bounds(const gannet_moments_score *s) {
  const int rule = s->member->options->acquisition.rule;
  return rule == GANNET_RULE_BOUNDS || rule == GANNET_RULE_INSIDE;
}

/* The bound of a constraint's model at a point, which the point meets when it is not positive, and
 * its derivative by sd.
 *
 * bounds: mean - exploration sd - threshold. inside: the same from sd = known on; below, the sign
 * of the second term turns, (1 - 2 sd / known) exploration sd, so that a constraint that is known
 * is kept and not touched from outside. */
static const double known = 0.02; /* standard deviations of the constraint */

static double bound_value(const gannet_moments_score *s, int i, double mean, double sd,
                          double *by_sd) {
  const double exploration = gannet_models_exploration(s->member->models, i);
  const double gap = mean - gannet_models_threshold(s->member->models, i);
  *by_sd = -exploration;
  if (s->member->options->acquisition.rule == GANNET_RULE_BOUNDS || sd >= known)
    return gap - exploration * sd;
  *by_sd = exploration * (1 - 4 * sd / known);
  return gap + exploration * sd * (1 - 2 * sd / known);
}

static bool is_of_models(const gannet_moments_score *s) {
  return s->member->options->acq_type->kind == GANNET_ACQ_MODELS;
}

bool gannet_moments_score_wants_objective(const gannet_moments_score *s) {
  return s->feasible_known || gannet_moments_score_by_bounds(s) || is_of_models(s);
}

/* How far beyond its threshold the mean of a constraint may be at an observation that counts as
 * feasible, in standard deviations of the constraint. */
static const double tolerance = 0.002;

/* The least mean of m points, at most a tile of them, that all constraints' means allow, nearly; or
 * what was least before. */
static gannet_err find_least_mean(gannet_moments_score *s, int m, const double *x_unit,
                                  double *least) {
  const gannet_models *models = s->member->models;
  bool allowed[GANNET_TILE];
  for (int k = 0; k < m; ++k) allowed[k] = true;
  for (int i = 1; i < gannet_models_count(models); ++i) {
    const double threshold = gannet_models_threshold(models, i) + tolerance;
    GANNET_TRY(
        gannet_surrogate_predict(gannet_models_surrogate(models, i), m, x_unit, s->mean, NULL));
    for (int k = 0; k < m; ++k) allowed[k] = allowed[k] && s->mean[k] <= threshold;
  }
  GANNET_TRY(
      gannet_surrogate_predict(gannet_models_surrogate(models, 0), m, x_unit, s->mean, NULL));
  for (int k = 0; k < m; ++k)
    if (allowed[k]) *least = fmin(*least, s->mean[k]);
  return GANNET_OK;
}

static gannet_err find_least_of_observations(gannet_moments_score *s, int n, const int64_t *id,
                                             double *least) {
  const gannet_member *member = s->member;
  const size_t d = (size_t)member->problem->d;
  double *x = NULL;
  gannet_err err = gannet_alloc(GANNET_TILE * d, sizeof *x, &x);
  for (int first = 0; err == GANNET_OK && first < n; first += GANNET_TILE) {
    const int m = n - first < GANNET_TILE ? n - first : GANNET_TILE;
    for (int k = 0; k < m; ++k)
      memcpy(x + (size_t)k * d, gannet_history_x_unit(member->history, id[first + k]),
             d * sizeof *x);
    err = find_least_mean(s, m, x, least);
  }
  gannet_free(&x);
  return err;
}

/* Take the value to improve upon from the models: with the rules of bounds the least mean of the
 * objective over observations where the mean of every constraint is at most the tolerance beyond
 * its threshold. Bounds are approached from outside; were an observation just outside not to count,
 * the improvement there would seem to stay open for ever. In all other cases, and when there is no
 * such observation, gannet_models_incumbent. */
static gannet_err find_incumbent(gannet_moments_score *s) {
  const gannet_member *member = s->member;
  const int64_t *id = NULL;
  double least = INFINITY;
  int n = 0;
  if (gannet_moments_score_by_bounds(s))
    GANNET_TRY(gannet_models_incumbent_candidates(member->models, &n, &id));
  if (n > 0) GANNET_TRY(find_least_of_observations(s, n, id, &least));
  if (!isfinite(least)) GANNET_TRY(gannet_models_incumbent(member->models, &least));
  s->state.incumbent = least - gannet_models_required_improvement(member->models);
  return GANNET_OK;
}

gannet_err gannet_moments_score_begin_point(gannet_moments_score *s, gannet_member *member,
                                            const gannet_candidates *candidates, int order) {
  const gannet_acq_type *type = member->options->acq_type;
  const void *options = member->options->acq_options;
  const size_t d = (size_t)member->problem->d, nearby = 2 * d < GANNET_TILE ? 2 * d : GANNET_TILE;
  const bool scored = gannet_moments_score_wants_objective(s);
  end_point(s);
  gannet_err err = is_of_models(s) ? GANNET_OK : find_incumbent(s);
  if (scored && type->wants_reference) {
    const int draws = ((const gannet_acq_draws *)options)->draws;
    GANNET_TRY(gannet_agree(member->context->comm, err));
    GANNET_TRY(gannet_reference_make(member, candidates, draws, order, &s->reference));
    s->state.n_minima = s->reference.n_minima;
    s->state.minima = s->reference.minima;
    s->state.reference = &s->reference.posterior;
  }
  if (err == GANNET_OK && scored && type->look_ahead) {
    const size_t n = (size_t)s->reference.posterior.n;
    err = gannet_alloc(GANNET_TILE * n, sizeof(double), &s->covariance);
    if (err == GANNET_OK) err = gannet_alloc(nearby * d, sizeof(double), &s->nearby);
  }
  if (err == GANNET_OK && scored && type->prepare)
    err = type->prepare(options, &s->state, &s->work);
  return gannet_agree(member->context->comm, err);
}

bool gannet_moments_score_is_smooth(const gannet_moments_score *s) {
  return !s->member->options->acq_type->rough || !gannet_moments_score_wants_objective(s);
}

double gannet_moments_score_constraint(const gannet_moments_score *s, int i, double mean,
                                       double sd) {
  const gannet_models *models = s->member->models;
  double unused = 0;
  if (gannet_moments_score_by_bounds(s)) return fmax(bound_value(s, i, mean, sd, &unused), 0);
  const double spread = gannet_acq_spread(&s->model[i], sd, &unused);
  if (isnan(s->unmet[i]))
    return gannet_normal_log_cdf((gannet_models_threshold(models, i) - mean) / spread);
  return log(spread) + gannet_normal_log_improvement((s->unmet[i] - mean) / spread);
}

/* Predict the moments of model i at m points, into s->mean and s->sd. */
static gannet_err predict_moments(gannet_moments_score *s, int i, int m, const double *x_unit) {
  GANNET_TRY(gannet_surrogate_predict(gannet_models_surrogate(s->member->models, i), m, x_unit,
                                      s->mean, s->sd));
  memcpy(s->last_sd + (size_t)i * GANNET_TILE, s->sd, (size_t)m * sizeof *s->last_sd);
  return GANNET_OK;
}

/* Score m points by the acquisition alone, without constraints. */
static gannet_err score_objective(gannet_moments_score *s, int m, const double *x_unit,
                                  double *scores) {
  const gannet_acq_type *type = s->member->options->acq_type;
  const gannet_reference *r = &s->reference;
  if (is_of_models(s) || (s->final && type->score_points)) {
    GANNET_TRY(type->score_points(s->work, m, x_unit, scores));
    return GANNET_OK;
  }
  GANNET_TRY(predict_moments(s, 0, m, x_unit));
  if (type->score) {
    type->score(s->member->options->acq_options, &s->state, m, s->mean, s->sd, scores);
    return GANNET_OK;
  }
  const double exploration = s->state.exploration;
  const size_t length = (size_t)m * (size_t)r->posterior.n;
  GANNET_TRY(gannet_surrogate_covariance(gannet_models_surrogate(s->member->models, 0), m, x_unit,
                                         r->posterior.n, r->points, s->covariance));
  for (int p = 0; p < m; ++p) s->sd[p] *= exploration;
  for (size_t i = 0; i < length; ++i) s->covariance[i] *= exploration * exploration;
  type->look_ahead(s->work, m, s->mean, s->sd, s->covariance, scores);
  return GANNET_OK;
}

/* Add the parts of all constraints' models at m points to sums. */
static gannet_err add_constraints(gannet_moments_score *s, int m, const double *x_unit,
                                  double *sums) {
  for (int i = 1; i < gannet_models_count(s->member->models); ++i) {
    GANNET_TRY(predict_moments(s, i, m, x_unit));
    for (int p = 0; p < m; ++p)
      sums[p] += gannet_moments_score_constraint(s, i, s->mean[p], s->sd[p]);
  }
  return GANNET_OK;
}

double gannet_moments_score_inside(double score, double violation) {
  return violation > 0 ? GANNET_INFEASIBLE_SCORE - violation
                       : fmax(score, 0.5 * GANNET_INFEASIBLE_SCORE);
}

void gannet_moments_score_weigh(const gannet_moments_score *s, int m, const double *log_weights,
                                double *scores) {
  const bool is_log = !gannet_moments_score_wants_objective(s) ||
                      s->member->options->acq_type->gain == GANNET_ACQ_LOG_GAIN;
  for (int p = 0; p < m; ++p)
    scores[p] = is_log ? scores[p] - log_weights[p] : scores[p] * exp(-log_weights[p]);
}

/* Weigh the merits of m points, minus their scores, with gradients [m][d] of the merits. */
static gannet_err weigh_merits(gannet_moments_score *s, int m, const double *x_unit, double *values,
                               double *gradients) {
  const size_t d = (size_t)s->member->problem->d;
  const bool is_log = !gannet_moments_score_wants_objective(s) ||
                      s->member->options->acq_type->gain == GANNET_ACQ_LOG_GAIN;
  GANNET_TRY(gannet_cost_model_gradients(s->cost, m, x_unit, s->mean, s->by_mean, s->sd, s->by_sd));
  for (size_t p = 0; p < (size_t)m; ++p) {
    const double weight = is_log ? 1 : exp(-s->mean[p]);
    values[p] = is_log ? values[p] + s->mean[p] : values[p] * weight;
    const double by_weight = is_log ? 1 : -values[p];
    for (size_t k = p * d; k < (p + 1) * d; ++k)
      gradients[k] = weight * gradients[k] + by_weight * s->by_mean[k];
  }
  return GANNET_OK;
}

gannet_err gannet_moments_score_points(void *user, int m, const double *x_unit, int64_t first,
                                       double *scores, int ld) {
  gannet_moments_score *s = user;
  (void)first;
  (void)ld;
  memset(scores, 0, (size_t)m * sizeof *scores);
  if (gannet_moments_score_wants_objective(s)) GANNET_TRY(score_objective(s, m, x_unit, scores));
  if (s->cost) {
    GANNET_TRY(gannet_cost_model_log_weights(s->cost, m, x_unit, s->mean));
    gannet_moments_score_weigh(s, m, s->mean, scores);
  }
  if (gannet_models_count(s->member->models) == 1 || is_of_models(s)) return GANNET_OK;
  if (!gannet_moments_score_by_bounds(s)) return add_constraints(s, m, x_unit, scores);
  memset(s->violation, 0, (size_t)m * sizeof *s->violation);
  GANNET_TRY(add_constraints(s, m, x_unit, s->violation));
  for (int p = 0; p < m; ++p) scores[p] = gannet_moments_score_inside(scores[p], s->violation[p]);
  return GANNET_OK;
}

static void add_scaled(int d, double factor, const double *from, double *to) {
  for (int k = 0; k < d; ++k) to[k] += factor * from[k];
}

/* How the part of model i depends on its mean and spread. With h(z) = pdf(z) + z cdf(z) the
 * improvement upon l is s h((l - mean)/s), its derivatives are -cdf and pdf. */
static void slopes_of(const gannet_moments_score *s, int i, double mean, double spread,
                      double *by_mean, double *by_spread) {
  if (isnan(s->unmet[i])) {
    const double z = (gannet_models_threshold(s->member->models, i) - mean) / spread;
    const double hazard = gannet_normal_hazard(z);
    *by_mean = -hazard / spread;
    *by_spread = -hazard * z / spread;
  } else {
    const double z = (s->unmet[i] - mean) / spread;
    *by_mean = -gannet_normal_cdf_over_improvement(z) / spread;
    *by_spread = gannet_normal_pdf_over_improvement(z) / spread;
  }
}

/* Moments of model i at m points, with their gradients. */
static gannet_err predict_gradients(gannet_moments_score *s, int i, int m, const double *x_unit) {
  const gannet_surrogate *model = gannet_models_surrogate(s->member->models, i);
  return gannet_surrogate_predict_gradients(model, m, x_unit, s->mean, s->sd, s->by_mean, s->by_sd);
}

/* The moments at one point. */
typedef struct {
  double mean, sd;
  const double *by_x, *sd_by_x; /* [d] gradients */
} moments;

static moments moments_at(const gannet_moments_score *s, int point) {
  const size_t at = (size_t)point * (size_t)s->member->problem->d;
  return (moments){s->mean[point], s->sd[point], s->by_mean + at, s->by_sd + at};
}

/* Add the probability, or improvement, of a constraint to the merit. */
static void add_probability(const gannet_moments_score *s, int i, const moments *at, double *value,
                            double *gradient) {
  const int d = s->member->problem->d;
  double by_mean = 0, by_spread = 0, by_sd = 0;
  *value -= gannet_moments_score_constraint(s, i, at->mean, at->sd);
  const double spread = gannet_acq_spread(&s->model[i], at->sd, &by_sd);
  slopes_of(s, i, at->mean, spread, &by_mean, &by_spread);
  add_scaled(d, -by_mean, at->by_x, gradient);
  if (by_sd > 0) add_scaled(d, -by_sd * by_spread, at->sd_by_x, gradient);
}

/* The bound of model i, and its gradient. */
static double bound_at(const gannet_moments_score *s, int i, const moments *at, double *gradient) {
  const int d = s->member->problem->d;
  double by_sd = 0;
  const double value = bound_value(s, i, at->mean, at->sd, &by_sd);
  memcpy(gradient, at->by_x, (size_t)d * sizeof *gradient);
  add_scaled(d, by_sd, at->sd_by_x, gradient);
  return value;
}

int gannet_moments_score_n_bounds(const gannet_moments_score *s) {
  return gannet_moments_score_by_bounds(s) && !s->outside
             ? gannet_models_count(s->member->models) - 1
             : 0;
}

gannet_err gannet_moments_score_bounds_of(void *user, int m, const int *lists, const double *x_unit,
                                          double *values, double *gradients) {
  gannet_moments_score *s = user;
  const size_t d = (size_t)s->member->problem->d;
  const int n = gannet_models_count(s->member->models) - 1;
  (void)lists;
  for (int i = 0; i < n; ++i) {
    GANNET_TRY(predict_gradients(s, i + 1, m, x_unit));
    for (int p = 0; p < m; ++p) {
      const moments at = moments_at(s, p);
      const size_t place = (size_t)p * (size_t)n + (size_t)i;
      values[place] = bound_at(s, i + 1, &at, gradients + place * d);
    }
  }
  return GANNET_OK;
}

gannet_err gannet_moments_score_bounds(void *user, int list, const double *x_unit, double *values,
                                       double *gradients) {
  return gannet_moments_score_bounds_of(user, 1, &list, x_unit, values, gradients);
}

/* Partials first .. first+n-1 by central differences, n <= GANNET_TILE / 2. */
static gannet_err add_some_differences(gannet_moments_score *s, const double *x_unit, int first,
                                       int n, double *gradient) {
  const double step = 0x1p-17;
  const size_t d = (size_t)s->member->problem->d;
  double scores[GANNET_TILE];
  for (size_t i = 0; i < 2 * (size_t)n; ++i) {
    double *x = s->nearby + i * d;
    memcpy(x, x_unit, d * sizeof *x);
    x[(size_t)first + i / 2] += i % 2 ? -step : step;
  }
  GANNET_TRY(score_objective(s, 2 * n, s->nearby, scores));
  for (int k = 0; k < n; ++k)
    gradient[first + k] -= (scores[2 * k] - scores[2 * k + 1]) / (2 * step);
  return GANNET_OK;
}

/* Central differences: functions that look ahead have no partials. The error of the step balances
 * that of rounding near eps^(1/3). */
static gannet_err add_differences(gannet_moments_score *s, const double *x_unit, double *value,
                                  double *gradient) {
  enum { MOST = GANNET_TILE / 2 };
  const int d = s->member->problem->d;
  double score = 0;
  GANNET_TRY(score_objective(s, 1, x_unit, &score));
  *value -= score;
  for (int first = 0; first < d; first += MOST)
    GANNET_TRY(
        add_some_differences(s, x_unit, first, d - first < MOST ? d - first : MOST, gradient));
  return GANNET_OK;
}

static void add_acquisition(const gannet_moments_score *s, const moments *at, double *value,
                            double *gradient) {
  const gannet_member_options *options = s->member->options;
  const int d = s->member->problem->d;
  double score = 0, by_mean = 0, by_sd = 0;
  options->acq_type->score(options->acq_options, &s->state, 1, &at->mean, &at->sd, &score);
  options->acq_type->partials(options->acq_options, &s->state, at->mean, at->sd, &by_mean, &by_sd);
  *value -= score;
  add_scaled(d, -by_mean, at->by_x, gradient);
  add_scaled(d, -by_sd, at->sd_by_x, gradient);
}

/* Add the part of the objective to the merits of m points. */
static gannet_err add_objective(gannet_moments_score *s, int m, const double *x_unit,
                                double *values, double *gradients) {
  const gannet_acq_type *type = s->member->options->acq_type;
  const size_t d = (size_t)s->member->problem->d;
  if (type->merits) {
    GANNET_TRY(type->merits(s->work, m, x_unit, values, gradients));
    return GANNET_OK;
  }
  if (type->score) GANNET_TRY(predict_gradients(s, 0, m, x_unit));
  for (size_t p = 0; p < (size_t)m; ++p) {
    const moments at = moments_at(s, (int)p);
    if (type->score)
      add_acquisition(s, &at, values + p, gradients + p * d);
    else
      GANNET_TRY(add_differences(s, x_unit + p * d, values + p, gradients + p * d));
  }
  return GANNET_OK;
}

gannet_err gannet_moments_score_merits(void *user, int m, const int *lists, const double *x_unit,
                                       double *values, double *gradients) {
  gannet_moments_score *s = user;
  const size_t d = (size_t)s->member->problem->d;
  const bool by_bounds = gannet_moments_score_by_bounds(s), outside = by_bounds && s->outside;
  (void)lists;
  memset(values, 0, (size_t)m * sizeof *values);
  memset(gradients, 0, (size_t)m * d * sizeof *gradients);
  if (gannet_moments_score_wants_objective(s) && !outside)
    GANNET_TRY(add_objective(s, m, x_unit, values, gradients));
  if (s->cost && !outside) GANNET_TRY(weigh_merits(s, m, x_unit, values, gradients));
  if (is_of_models(s) || (by_bounds && !outside)) return GANNET_OK;
  for (int i = 1; i < gannet_models_count(s->member->models); ++i) {
    GANNET_TRY(predict_gradients(s, i, m, x_unit));
    for (int p = 0; p < m; ++p) {
      const moments at = moments_at(s, p);
      double *gradient = gradients + (size_t)p * d;
      if (!outside) {
        add_probability(s, i, &at, values + p, gradient);
        continue;
      }
      const double violation = fmax(bound_at(s, i, &at, s->slope), 0);
      values[p] += violation * violation;
      add_scaled((int)d, 2 * violation, s->slope, gradient);
    }
  }
  return GANNET_OK;
}

gannet_err gannet_moments_score_merit(void *user, int list, const double *x_unit, double *value,
                                      double *gradient) {
  return gannet_moments_score_merits(user, 1, &list, x_unit, value, gradient);
}
