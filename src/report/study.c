/* Fitting a model of one quantity for a report, and the probabilities that follow from it. */
#include "report/study.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/normal.h"
#include "campaign/config/config.h"
#include "optimizer/models/models.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/runs.h"
#include "report/parts.h"

/* The value of a quantity in an evaluation; NAN where there is none. */
static double value_of(const gannet_campaign *c, int quantity, int64_t id) {
  const gannet_result_record *result = &c->ledger.ticket[id].result;
  if (quantity == REPORT_WORKS) {
    if (gannet_history_is_bad(c->history, id)) return 1;
    return result->status == GANNET_EVAL_DONE ? -1 : NAN;
  }
  if (quantity == 0) return report_has_value(c, id) ? result->objective : NAN;
  const bool is_done = result->status == GANNET_EVAL_DONE;
  return is_done && isfinite(result->constraints[quantity - 1]) ? result->constraints[quantity - 1]
                                                                : NAN;
}

int64_t report_study_count(const gannet_campaign *campaign, int quantity) {
  int64_t n = 0;
  for (int64_t id = 0; id < campaign->ledger.n; ++id) n += !isnan(value_of(campaign, quantity, id));
  return n;
}

static gannet_err take_data(report_study *s, int64_t kept) {
  const gannet_campaign *c = s->campaign;
  const size_t most = REPORT_STUDY_MOST + 1;
  GANNET_TRY(gannet_alloc(most, sizeof *s->id, &s->id));
  GANNET_TRY(gannet_alloc(most * (size_t)s->d, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(most, sizeof *s->raw, &s->raw));
  GANNET_TRY(gannet_alloc(most, sizeof *s->y, &s->y));
  GANNET_TRY(gannet_alloc(most, sizeof *s->noise, &s->noise));
  const int64_t n_all = report_study_count(c, s->quantity);
  const int64_t stride = (n_all + REPORT_STUDY_MOST - 1) / REPORT_STUDY_MOST;
  int64_t seen = 0;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    const double value = value_of(c, s->quantity, id);
    if (isnan(value)) continue;
    const bool is_chosen = report_is_chosen(seen++, stride) && s->n < REPORT_STUDY_MOST;
    if (!is_chosen && id != kept) continue;
    s->id[s->n] = id;
    memcpy(s->x + (ptrdiff_t)s->n * s->d, gannet_history_x_unit(c->history, id),
           (size_t)s->d * sizeof *s->x);
    s->noise[s->n] =
        s->quantity >= 0 ? gannet_history_sd(c->history, id)[s->quantity] : (double)NAN;
    s->has_row_noise = s->has_row_noise || s->noise[s->n] > 0;
    s->raw[s->n++] = s->sign * value;
  }
  return GANNET_OK;
}

/* The first member whose surrogate tells its uncertainty. */
static const gannet_member_options *find_member(const gannet_optimizer_options *options) {
  for (int i = 0; i < options->n_members; ++i) {
    const gannet_member_options *one = &options->member[i];
    if (one->proposer != GANNET_PROPOSE_MODEL || !one->surrogate_options) continue;
    if (one->surrogate_type->no_sd && one->surrogate_type->no_sd(one->surrogate_options)) continue;
    return one;
  }
  return NULL;
}

/* A method that cannot be read any more counts as one without such a surrogate. */
static gannet_err choose_model(report_study *s) {
  const gannet_err err = gannet_campaign_options(s->campaign->input, &s->options);
  if (err != GANNET_OK && err != GANNET_ERR_INPUT) return err;
  if (err == GANNET_OK) s->member = find_member(&s->options);
  gannet_error_clear();
  if (!s->member) return gannet_surrogate_find("gp", &s->type);
  s->type = s->member->surrogate_type;
  return GANNET_OK;
}

/* A single objective. */
static gannet_err learn_transform(report_study *s, double *work) {
  const gannet_history *history = s->campaign->history;
  const int64_t best = gannet_history_best(history);
  gannet_transform_choice choice = {GANNET_TRANSFORM_LOG, -1};
  if (s->member) GANNET_TRY(gannet_transform_choose(s->member, history, s->residuals, &choice));
  gannet_transform_choice_learn(&choice, history, s->n, s->x, s->raw, s->y, work, &s->transform);
  if (!s->residuals && best >= 0)
    gannet_transform_reach(s->sign * s->campaign->ledger.ticket[best].result.objective,
                           &s->transform);
  return GANNET_OK;
}

static gannet_err learn_transform_of_several(report_study *s, double *work) {
  const gannet_transform usual = s->member ? s->member->method.transform : GANNET_TRANSFORM_AUTO;
  gannet_front front = {0};
  GANNET_TRY(gannet_front_find(s->campaign->history, &front));
  gannet_transform_learn_of_several(s->problem, s->objective, usual, &front, s->n, s->raw, s->noise,
                                    work, &s->transform);
  gannet_front_release(&front);
  return GANNET_OK;
}

/* Bounds of a constraint are not cut off. */
static void learn_transform_of_constraint(report_study *s, double *work) {
  const gannet_constraint *bounds = &s->problem->spec.constraints[s->quantity - 1];
  const double value[] = {bounds->lower, bounds->upper};
  gannet_transform_learn(GANNET_TRANSFORM_NONE, s->n, s->raw, work, &s->transform);
  for (int k = 0; k < 2; ++k) {
    if (!isfinite(value[k])) continue;
    gannet_transform_reach(value[k], &s->transform);
    gannet_transform_reach(2 * gannet_transform_center(&s->transform) - value[k], &s->transform);
  }
}

/* Transform and standardise the values as optimizer/models/models_fit.c does. */
static gannet_err standardise(report_study *s, double *work) {
  const bool is_single = s->problem->spec.n_objectives == 0 && s->objective >= 0;
  if (s->quantity == REPORT_WORKS) { /* as optimizer/models/models_fit.c does */
    s->transform = (gannet_transform_fit){
        .kind = GANNET_TRANSFORM_NONE, .unit = 1, .span = 1, .center = 0, .scale = 1};
    memcpy(s->y, s->raw, (size_t)s->n * sizeof *s->y);
    s->noise_var = gannet_models_label_noise;
    return GANNET_OK;
  }
  if (s->objective < 0)
    learn_transform_of_constraint(s, work);
  else
    GANNET_TRY(is_single ? learn_transform(s, work) : learn_transform_of_several(s, work));
  for (int i = 0; i < s->n; ++i)
    s->y[i] = s->residuals ? gannet_transform_affine(&s->transform, s->raw[i])
                           : gannet_transform_apply(&s->transform, s->raw[i]);
  for (int i = 0; i < s->n; ++i)
    s->noise[i] =
        s->noise[i] > 0 ? gannet_transform_row_noise(&s->transform, s->raw[i], s->noise[i]) : NAN;
  s->noise_var = gannet_transform_noise_var(
      &s->transform, is_single           ? s->problem->spec.noise_sd
                     : s->objective >= 0 ? gannet_problem_objective_noise(s->problem, s->objective)
                                         : NAN);
  return GANNET_OK;
}

static gannet_err make_surrogate(report_study *s) {
  const void *options = s->member ? s->member->surrogate_options : NULL;
  if (options && s->objective < 0 && s->type->for_others) {
    GANNET_TRY(gannet_alloc(1, s->type->options_size, &s->other_options));
    memcpy(s->other_options, options, s->type->options_size);
    s->type->for_others(s->other_options);
    options = s->other_options;
  }
  const int model = s->quantity == REPORT_WORKS ? s->problem->spec.n_constraints + 1 : s->quantity;
  GANNET_TRY(gannet_surrogate_create(s->context, s->type, options, s->d, model, &s->surrogate));
  if (!s->residuals) return GANNET_OK;
  const gannet_pde_constraint constraint = {s->residuals,
                                            s->sign * gannet_transform_scale(&s->transform),
                                            s->sign * gannet_transform_center(&s->transform)};
  return gannet_surrogate_set_pde_constraint(s->surrogate, &constraint);
}

gannet_err report_study_create(const gannet_campaign *campaign, int quantity, int64_t kept,
                               report_study *s) {
  const gannet_problem *problem = campaign->input->problem;
  double *work = NULL;
  *s = (report_study){
      .campaign = campaign,
      .problem = problem,
      .quantity = quantity,
      .objective = quantity < 0 ? -1 : gannet_problem_quantity_objective(problem, quantity),
      .sign = 1,
      .d = problem->d};
  if (s->objective >= 0) s->sign = gannet_problem_flip_objective(problem, s->objective, 1);
  GANNET_TRY(take_data(s, kept));
  GANNET_TRY(choose_model(s));
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, campaign->ledger.seed, &s->context));
  if (quantity == 0 && s->member && s->type->set_pde_constraint)
    GANNET_TRY(gannet_pde_constraint_create(s->context, problem, &s->residuals));
  GANNET_TRY(gannet_alloc((size_t)s->n + 1, sizeof *work, &work));
  const gannet_err err = standardise(s, work);
  gannet_free(&work);
  GANNET_TRY(err);
  GANNET_TRY(make_surrogate(s));
  const gannet_data data = {s->n, s->x, s->y, s->noise_var, s->has_row_noise ? s->noise : NULL};
  return gannet_surrogate_fit(s->surrogate, &data, true, 0);
}

void report_study_release(report_study *s) {
  gannet_surrogate_destroy(&s->surrogate);
  gannet_pde_residuals_destroy(&s->residuals);
  gannet_optimizer_options_release(&s->options);
  gannet_context_destroy(&s->context);
  gannet_free(&s->other_options);
  gannet_free(&s->id);
  gannet_free(&s->x);
  gannet_free(&s->raw);
  gannet_free(&s->y);
  gannet_free(&s->noise);
}

gannet_err report_study_predict(const report_study *s, int m, const double *x, double *mean,
                                double *sd) {
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    GANNET_TRY(gannet_surrogate_predict(s->surrogate, rows, x + (ptrdiff_t)first * s->d,
                                        mean + first, sd ? sd + first : NULL));
  }
  return GANNET_OK;
}

double report_study_units(const report_study *s, double value) {
  return s->sign * gannet_transform_invert(&s->transform, value);
}

double report_study_probability(const report_study *s, double mean, double sd) {
  if (s->quantity == REPORT_WORKS) return sd > 0 ? gannet_normal_cdf(-mean / sd) : mean < 0;
  const gannet_constraint *bounds = &s->problem->spec.constraints[s->quantity - 1];
  const double low =
      isfinite(bounds->lower) ? gannet_transform_apply(&s->transform, bounds->lower) : -INFINITY;
  const double high =
      isfinite(bounds->upper) ? gannet_transform_apply(&s->transform, bounds->upper) : INFINITY;
  if (!(sd > 0)) return low <= mean && mean <= high;
  return gannet_normal_cdf((high - mean) / sd) - gannet_normal_cdf((low - mean) / sd);
}

/* How far the mean lies within the bounds of a constraint, in standard deviations. For the model of
 * which designs work, how far it lies below 0. */
static double margin_of(const report_study *s, double mean, double sd) {
  const double unit = fmax(sd, 1e-12);
  if (s->quantity == REPORT_WORKS) return -mean / unit;
  const gannet_constraint *bounds = &s->problem->spec.constraints[s->quantity - 1];
  double margin = INFINITY;
  if (isfinite(bounds->lower))
    margin = (mean - gannet_transform_apply(&s->transform, bounds->lower)) / unit;
  if (isfinite(bounds->upper))
    margin = fmin(margin, (gannet_transform_apply(&s->transform, bounds->upper) - mean) / unit);
  return margin;
}

/* The quantile of the standard normal at p, by bisection. */
static double quantile(double p) {
  double low = -8, high = 8;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    if (gannet_normal_cdf(middle) < p)
      low = middle;
    else
      high = middle;
  }
  return low;
}

gannet_err report_studies_feasible(const report_study *studies, int n, int m, const double *x,
                                   double *feasible, double *margin, double *works) {
  static const double CERTAIN = 1e-6; /* probabilities this close to 0 or 1 count as such */
  double mean[GANNET_TILE], sd[GANNET_TILE];
  for (int i = 0; i < m; ++i) feasible[i] = 1;
  for (int i = 0; i < m && margin; ++i) margin[i] = INFINITY;
  for (int i = 0; i < m && works; ++i) works[i] = NAN;
  for (int q = 0; q < n; ++q) {
    const report_study *s = &studies[q];
    if (!s->surrogate || s->objective >= 0) continue;
    for (int first = 0; first < m; first += GANNET_TILE) {
      const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
      GANNET_TRY(report_study_predict(s, rows, x + (ptrdiff_t)first * s->d, mean, sd));
      for (int i = 0; i < rows; ++i) {
        const double p = report_study_probability(s, mean[i], sd[i]);
        feasible[first + i] *= p;
        if (margin) margin[first + i] = fmin(margin[first + i], margin_of(s, mean[i], sd[i]));
        if (works && s->quantity == REPORT_WORKS) works[first + i] = p;
      }
    }
  }
  for (int i = 0; i < m && margin; ++i)
    if (feasible[i] > CERTAIN && feasible[i] < 1 - CERTAIN) margin[i] = quantile(feasible[i]);
  return GANNET_OK;
}

int report_variable_values(const gannet_variable *v, int most, double *values) {
  if (gannet_variable_has_words(v) || v->type == GANNET_VARIABLE_BOOLEAN) {
    const int n = v->type == GANNET_VARIABLE_BOOLEAN ? 2 : v->n_values < most ? v->n_values : most;
    for (int i = 0; i < n; ++i) values[i] = i;
    return n;
  }
  int n = 0;
  for (int i = 0; i < most; ++i) {
    const double u = (double)i / (most - 1);
    double value = v->scale == GANNET_SCALE_LOG ? v->lower * exp(u * log(v->upper / v->lower))
                                                : v->lower + u * (v->upper - v->lower);
    if (v->type == GANNET_VARIABLE_INTEGER && !(v->step > 0)) value = rint(value);
    value = gannet_variable_nearest(v, value);
    if (n == 0 || value != values[n - 1]) values[n++] = value;
  }
  return n;
}
