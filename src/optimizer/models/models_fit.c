/* What models are fitted to, and when they learn. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/models_impl.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/models/transform.h"
#include "problem/objectives.h"

const double gannet_models_label_noise = 0.3;

gannet_err models_reserve(gannet_models *m, gannet_model *one, int n) {
  if (n > one->capacity) {
    const size_t old = (size_t)one->capacity, new = 2 * (size_t)n, d = (size_t)m->problem->d;
    GANNET_TRY(gannet_resize(old * d, new *d, sizeof *one->x, &one->x));
    GANNET_TRY(gannet_resize(old, new, sizeof *one->y, &one->y));
    GANNET_TRY(gannet_resize(old, new, sizeof *one->id, &one->id));
    GANNET_TRY(gannet_resize(old, new, sizeof *one->row_noise, &one->row_noise));
    one->capacity = (int)new;
  }
  if (n > m->work_capacity) {
    const size_t old = (size_t)m->work_capacity, new = 2 * (size_t)n;
    GANNET_TRY(gannet_resize(old, new, sizeof *m->raw, &m->raw));
    GANNET_TRY(gannet_resize(old, new, sizeof *m->work, &m->work));
    m->work_capacity = (int)new;
  }
  return GANNET_OK;
}

/* The standard deviation that was told with what model i is fitted to, in the units of m->raw; 0 =
 * none. */
static double told_sd(const gannet_models *m, int i, int64_t id) {
  const int objective = models_objective(m, i);
  const double *sd = gannet_history_sd(m->history, id);
  int constraint = 0;
  if (models_is_hidden(m, i) || m->scalarises) return 0;
  if (objective >= 0) return sd[gannet_problem_objective_quantity(m->problem, objective)];
  (void)gannet_problem_find_bound(m->problem, i - 1, &constraint);
  return sd[constraint + 1];
}

/* What model i of an objective sees of an evaluation, minimised: NAN when it sees nothing.
 *
 * Where one model stands for all objectives, it sees the augmented Chebyshev norm of these by the
 * weights of m->direction, in ranges of the front from its least values (Knowles 2006, eq. (2)). */
static double objective_of(const gannet_models *m, int i, int64_t id) {
  const double augmentation = 0.05;
  double y[GANNET_OBJECTIVES_MOST], largest = -INFINITY, sum = 0;
  if (gannet_history_is_penalty(m->history, id)) return NAN;
  gannet_history_objectives(m->history, id, y);
  if (!m->scalarises) return y[models_objective(m, i)];
  for (int k = 0; k < m->front.m; ++k) {
    const double part =
        m->direction[k] * gannet_problem_excess(y[k], m->front.ideal[k]) / m->front.range[k];
    if (isnan(part)) return NAN;
    largest = fmax(largest, fmin(part, 1e100));
    sum += fmin(part, 1e100);
  }
  return largest + augmentation * sum;
}

/* Collect points (x), raw values and, into row_noise, standard deviations of model i in the order
 * of arrival. *same tells whether the points of the last fit are still the first ones: then the
 * factor can grow. */
static gannet_err collect_observations(gannet_models *m, int i, double *bounds, int *n,
                                       bool *same) {
  gannet_model *one = &m->model[i];
  const int64_t told = gannet_history_count_told(m->history);
  const size_t d = (size_t)m->problem->d;
  GANNET_REQUIRE(told < (1 << 30), GANNET_ERR_SHAPE, "%lld observations", (long long)told);
  GANNET_TRY(models_reserve(m, one, (int)told + 1));
  const int n_before = one->n - one->n_fantasies;
  const bool hidden = models_is_hidden(m, i), is_objective = models_objective(m, i) >= 0;
  /* Ranges of the variables beyond which a design from elsewhere says nothing about the cube, and
   * would bend a model whose observations have a lever there. */
  const double reach = m->options->surrogate_type->takes_far ? 100 : 1;
  *n = 0;
  one->n_all = 0;
  *same = true;
  for (int64_t at = 0; at < told; ++at) {
    const gannet_evaluation *row =
        gannet_history_get(m->history, gannet_history_order(m->history)[at]);
    const bool observed = gannet_history_is_observation(m->history, row->id);
    const bool bad = hidden && gannet_history_is_bad(m->history, row->id);
    const bool is_done = row->status == GANNET_EVAL_DONE;
    const bool constrained = !is_objective && !hidden && is_done;
    const double value = is_objective && is_done ? objective_of(m, i, row->id) : NAN;
    if (constrained)
      gannet_problem_bounds(m->problem, gannet_history_constraints(m->history, row->id), bounds);
    const bool belongs = is_objective ? !isnan(value)
                         : hidden     ? observed || bad
                                      : constrained && !isnan(bounds[i - 1]);
    const double *x = gannet_history_x_unit(m->history, row->id);
    bool near = true;
    for (size_t k = 0; k < d && row->elsewhere; ++k)
      near = near && -reach <= x[k] && x[k] <= 1 + reach;
    if (!belongs || !near) continue;
    one->n_all += 1;
    if (m->take && !m->take[row->id]) continue;
    double *mine = one->x + (size_t)*n * d;
    if (*n < n_before && memcmp(mine, x, d * sizeof *x) != 0) *same = false;
    memcpy(mine, x, d * sizeof *x);
    one->id[*n] = row->id;
    one->row_noise[*n] = told_sd(m, i, row->id);
    m->raw[(*n)++] = is_objective ? value : hidden ? (bad ? 1 : -1) : bounds[i - 1];
  }
  if (*n < n_before) *same = false;
  return GANNET_OK;
}

/* Values of any size become numbers near 1, but there is no end to what a simulation can return. */
static gannet_err require_numbers(const gannet_models *m, int i, int n) {
  const gannet_model *one = &m->model[i];
  for (int k = 0; k < n; ++k)
    GANNET_REQUIRE(isfinite(one->y[k]), GANNET_ERR_NUMERIC,
                   "the value of evaluation %lld is not a number after the transform",
                   (long long)gannet_history_name(m->history, one->id[k]));
  GANNET_REQUIRE(isfinite(one->threshold) && !isinf(one->noise_var), GANNET_ERR_NUMERIC,
                 "threshold %g and noise variance %g after the transform", one->threshold,
                 one->noise_var);
  return GANNET_OK;
}

/* Tell the objective's model how its values belong to the equations. They hold for affine functions
 * of the objective only: the standardisation is not clipped then. */
static gannet_err impose_equations(gannet_models *m, int n, const gannet_transform_fit *fit) {
  gannet_model *one = &m->model[0];
  const double sign = gannet_problem_flip(m->problem, 1);
  for (int k = 0; k < n; ++k) one->y[k] = gannet_transform_affine(fit, m->raw[k]);
  const gannet_pde_constraint constraint = {m->residuals, sign * gannet_transform_scale(fit),
                                            sign * gannet_transform_center(fit)};
  GANNET_REQUIRE(constraint.slope != 0 && isfinite(constraint.slope) && isfinite(constraint.offset),
                 GANNET_ERR_NUMERIC,
                 "the objective is %g + %g times what is modelled: no equation holds",
                 constraint.offset, constraint.slope);
  return gannet_surrogate_set_pde_constraint(one->surrogate, &constraint);
}

/* Standardise one of several objectives, model i: no value of a front is an outlier, and
 * hypervolumes are those of the values themselves. */
static void standardise_one_of_several(gannet_models *m, int i, int n, double *noise_var) {
  gannet_model *one = &m->model[i];
  const int objective = models_objective(m, i);
  const double noise = gannet_problem_objective_noise(m->problem, objective);
  gannet_transform_fit *fit = &one->transform;
  gannet_transform_learn_of_several(m->problem, objective, m->options->method.transform, &m->front,
                                    n, m->raw, one->row_noise, m->work, fit);
  for (int k = 0; k < n; ++k) one->y[k] = gannet_transform_apply(fit, m->raw[k]);
  *noise_var = gannet_transform_noise_var(fit, noise);
}

/* Standardised values of model i from m->raw; *noise_var is the noise variance in those units. */
static gannet_err standardise(gannet_models *m, int i, int n, double *noise_var) {
  gannet_model *one = &m->model[i];
  gannet_transform_fit fit;
  one->threshold = 0;
  *noise_var = NAN;
  if (models_is_hidden(m, i)) {
    memcpy(one->y, m->raw, (size_t)n * sizeof *one->y);
    *noise_var = gannet_models_label_noise;
    return GANNET_OK;
  }
  if (m->n_objectives > 1 && models_objective(m, i) >= 0) {
    standardise_one_of_several(m, i, n, noise_var);
    return GANNET_OK;
  }
  if (i == 0) {
    gannet_transform_choice choice;
    double least = INFINITY; /* of those that are feasible */
    for (int k = 0; k < n; ++k)
      if (m->raw[k] < least && gannet_history_is_feasible(m->history, one->id[k]))
        least = m->raw[k];
    GANNET_TRY(gannet_transform_choose(m->options, m->history, m->residuals, &choice));
    gannet_transform_choice_learn(&choice, m->history, n, one->x, m->raw, one->y, m->work, &fit);
    m->converged = choice.converged_at >= 0;
    if (!m->residuals) gannet_transform_reach(least, &fit);
    for (int k = 0; k < n; ++k) one->y[k] = gannet_transform_apply(&fit, m->raw[k]);
    one->transform = fit;
    *noise_var = m->scalarises ? NAN : gannet_transform_noise_var(&fit, m->problem->spec.noise_sd);
    return m->residuals ? impose_equations(m, n, &fit) : GANNET_OK;
  }
  const bool apart = m->options->acquisition.rule == GANNET_RULE_PROBABILITY;
  memcpy(one->y, m->raw, (size_t)n * sizeof *one->y);
  one->threshold = gannet_transform_constraint(apart, n, one->y, m->work, &one->scaling);
  return GANNET_OK;
}

/* Turn standard deviations in row_noise into variances of the standardised values. */
static void scale_row_noise(gannet_models *m, int i, int n) {
  gannet_model *one = &m->model[i];
  one->has_row_noise = false;
  for (int k = 0; k < n; ++k) {
    const double sd = one->row_noise[k];
    one->has_row_noise = one->has_row_noise || sd > 0;
    one->row_noise[k] = !(sd > 0) ? NAN
                        : models_objective(m, i) >= 0
                            ? gannet_transform_row_noise(&one->transform, m->raw[k], sd)
                            : gannet_transform_constraint_row_noise(&one->scaling, m->raw[k], sd);
  }
}

static bool scores_by_moments(const gannet_models *m) {
  return m->options->acq_type && m->options->acq_type->kind == GANNET_ACQ_MOMENTS;
}

/* A campaign with right equations hears this with a probability of about 16/300 at most, if the 16
 * scales without equations have the same share beforehand: the ratio of likelihoods is a martingale
 * then (Ville's inequality; universal inference: Wasserman, Ramdas, Balakrishnan 2020), whenever
 * one looks and wherever the points are. Nothing else follows from it. */
static void warn_of_contradiction(gannet_models *m) {
  const double many = 300;
  if (m->told_contradicted ||
      gannet_surrogate_log_evidence_ratio(m->model[0].surrogate) < log(many))
    return;
  m->told_contradicted = true;
  gannet_log(m->context, GANNET_LOG_WARNING,
             "the equations of physics and %d results do not go together: the results are more "
             "than %.0f times as likely without them; check signs, coefficients, right sides and "
             "units, or raise physics.lambda2 when they are an approximation",
             m->model[0].n, many);
}

/* Whether model i is that of one of several objectives and sees logarithms of it. */
static bool sees_log_of_several(const gannet_models *m, int i) {
  return m->n_objectives > 1 && models_objective(m, i) >= 0 &&
         m->model[i].transform.kind == GANNET_TRANSFORM_LOG;
}

/* Collect and standardise what model i is fitted to next, and decide whether it learns. */
static gannet_err prepare_one(gannet_models *m, int i, double *bounds) {
  gannet_model *one = &m->model[i];
  int n = 0;
  bool same = false;
  gannet_err local = collect_observations(m, i, bounds, &n, &same);
  if (local == GANNET_OK) local = standardise(m, i, n, &one->noise_var);
  if (local == GANNET_OK) scale_row_noise(m, i, n);
  if (local == GANNET_OK) local = require_numbers(m, i, n);
  GANNET_TRY(gannet_agree(m->context->comm, local));
  const double basis = fmin((double)one->n_learned, n);
  const double wait = fmax(1, m->options->method.refit * basis);
  one->learns = n >= 2 && (one->n_learned == 0 || (double)(one->n_all - one->n_learned) >= wait ||
                           one->learned_log != sees_log_of_several(m, i));
  one->learnt = false;
  if (!models_is_hidden(m, i) && gannet_related_count(m->prior[i].related) > 0) {
    const gannet_transform kind =
        models_objective(m, i) >= 0 ? one->transform.kind : GANNET_TRANSFORM_NONE;
    const gannet_data data = {n, one->x, one->y, one->noise_var, NULL};
    gannet_prior_mean mean;
    GANNET_TRY(gannet_related_learn(&m->prior[i], kind, &data, one->learns, &mean));
    gannet_surrogate_set_prior_mean(one->surrogate, mean.evaluate ? &mean : NULL);
  }
  local = !same && !one->learns ? gannet_surrogate_start_over(one->surrogate) : GANNET_OK;
  if (local == GANNET_OK && one->learns && i == 0 && m->options->surrogate_type->set_noisy) {
    /* A surrogate may go by the noise when it learns; otherwise only an acquisition may. Of
     * several objectives the model of the first one hears it. */
    if (!scores_by_moments(m))
      local = gannet_noise_test_result(m->history, m->noise_test, &m->looks_noisy);
    if (local == GANNET_OK) gannet_surrogate_set_noisy(one->surrogate, m->looks_noisy);
  }
  GANNET_TRY(gannet_agree(m->context->comm, local));
  one->n = n;
  one->n_fantasies = 0;
  return GANNET_OK;
}

/* What a fit may leave in silence: hyper-parameters that cannot be saved, predictions that say
 * nothing. */
static gannet_err require_fitted(const gannet_models *m, int i) {
  const gannet_model *one = &m->model[i];
  double *hyper = NULL, mean = 0;
  const int n = gannet_surrogate_n_hyper(one->surrogate);
  GANNET_REQUIRE(isfinite(one->exploration), GANNET_ERR_NUMERIC, "calibrated exploration %g",
                 one->exploration);
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *hyper, &hyper));
  gannet_surrogate_get_hyper(one->surrogate, hyper);
  int wrong = 0;
  while (wrong < n && isfinite(hyper[wrong])) ++wrong;
  gannet_free(&hyper);
  GANNET_REQUIRE(wrong == n, GANNET_ERR_NUMERIC, "hyperparameter '%s' is not finite",
                 gannet_surrogate_hyper_name(one->surrogate, wrong));
  if (one->n == 0) return GANNET_OK;
  GANNET_TRY(gannet_surrogate_predict(one->surrogate, 1, one->x, &mean, NULL));
  GANNET_REQUIRE(isfinite(mean), GANNET_ERR_NUMERIC,
                 "the prediction at evaluation %lld, which it was fitted to, is not a number",
                 (long long)gannet_history_name(m->history, one->id[0]));
  return GANNET_OK;
}

static gannet_err fit_one(gannet_models *m, int i) {
  gannet_model *one = &m->model[i];
  const gannet_data data = models_data_of(one);
  const bool learn = one->learns;
  GANNET_TRY(gannet_surrogate_fit(one->surrogate, &data, learn && !one->learnt, m->iteration));
  one->learns = one->learnt = false;
  if (i == 0 && learn && m->residuals) warn_of_contradiction(m);
  const double given = m->options->acquisition.exploration;
  if (models_is_hidden(m, i))
    one->exploration = models_label_doubt;
  else if (!isnan(given))
    one->exploration = given;
  else if (learn)
    GANNET_TRY(gannet_surrogate_calibration(one->surrogate, &one->exploration));
  if (m->options->acquisition.growth == GANNET_GROWTH_NEURAL_CBO)
    GANNET_TRY(gannet_surrogate_information_gain(one->surrogate, &one->gain));
  GANNET_TRY(gannet_agree(m->context->comm, require_fitted(m, i)));
  if (!learn) return GANNET_OK;
  one->n_learned = one->n_all;
  one->learned_log = sees_log_of_several(m, i);
  return GANNET_OK;
}

gannet_err gannet_models_prepare(gannet_models *m, const bool *take, int64_t iteration) {
  double *bounds = NULL;
  gannet_err err = gannet_alloc((size_t)m->n, sizeof *bounds, &bounds);
  if (err == GANNET_OK && scores_by_moments(m))
    err = gannet_noise_test_result(m->history, m->noise_test, &m->looks_noisy);
  err = gannet_agree(m->context->comm, err);
  bool *crashes = &m->model[m->n - 1].active; /* the hidden constraint, once a design was bad */
  *crashes = false;
  for (int64_t id = 0; id < gannet_history_count(m->history) && !*crashes; ++id)
    *crashes = gannet_history_is_bad(m->history, id);
  m->iteration = iteration;
  m->take = take;
  const gannet_acq_type *type = m->options->acq_type;
  const bool several = gannet_problem_n_objectives(m->problem) > 1;
  if (err == GANNET_OK && (several || (type && type->kind == GANNET_ACQ_FRONT)))
    err = gannet_agree(m->context->comm, gannet_front_find(m->history, &m->front));
  m->incumbents_from = -1;
  for (int i = 0; i < m->n && err == GANNET_OK; ++i)
    if (m->model[i].active) err = prepare_one(m, i, bounds);
  m->take = NULL;
  gannet_free(&bounds);
  return err;
}

gannet_err gannet_models_learn(const gannet_context *context, int n, gannet_models *const *models) {
  gannet_learner *learner = NULL;
  gannet_model **model = NULL;
  int count = 0, most = 0;
  for (int k = 0; k < n; ++k) most += models[k]->n;
  gannet_err err = gannet_alloc((size_t)most, sizeof *learner, &learner);
  if (err == GANNET_OK) err = gannet_alloc((size_t)most, sizeof *model, &model);
  err = gannet_agree(context->comm, err);
  for (int k = 0; k < n && err == GANNET_OK; ++k)
    for (int i = 0; i < models[k]->n; ++i) {
      gannet_model *one = &models[k]->model[i];
      if (!one->active || !one->learns) continue;
      learner[count] =
          (gannet_learner){one->surrogate, models_data_of(one), models[k]->iteration, false};
      model[count++] = one;
    }
  if (err == GANNET_OK && count > 0) err = gannet_surrogates_learn(context, count, learner);
  for (int i = 0; i < count && err == GANNET_OK; ++i) model[i]->learnt = learner[i].learnt;
  gannet_free(&learner);
  gannet_free(&model);
  return err;
}

gannet_err gannet_models_fit(gannet_models *m) {
  for (int i = 0; i < m->n; ++i)
    if (m->model[i].active) GANNET_TRY(fit_one(m, i));
  return GANNET_OK;
}
