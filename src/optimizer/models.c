#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/governing.h"
#include "optimizer/models_impl.h"
#include "optimizer/suspicion.h"
#include "optimizer/transform_choice.h"

enum { MODELS_PER_MEMBER = 1 << 20 }; /* numbers of models, which key their streams */

/* Of the hidden constraint's labels +1 and -1: their noise variance, and the factor on what the
 * model believes not to know. Chosen on problems that crash in half of the box (tests/optimizer).
 */
static const double label_noise = 0.3, label_doubt = 0.25;

static gannet_err set_other_options(gannet_models *m) {
  const gannet_surrogate_type *type = m->options->surrogate_type;
  if (!type->for_others) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, type->options_size, &m->other_options));
  memcpy(m->other_options, m->options->surrogate_options, type->options_size);
  type->for_others(m->other_options);
  return GANNET_OK;
}

/* The local part of create: everything but the surrogates. */
static gannet_err prepare(const gannet_context *context, const gannet_history *history,
                          const gannet_member_options *options, gannet_models **models) {
  GANNET_TRY(gannet_alloc(1, sizeof **models, models));
  gannet_models *m = *models;
  m->context = context;
  m->history = history;
  m->problem = gannet_history_problem(history);
  m->options = options;
  m->contenders_from = -1;
  m->n = m->problem->n_bounds + 2;
  GANNET_TRY(set_other_options(m));
  if (options->surrogate_type->govern)
    GANNET_TRY(gannet_governing_create(context, m->problem, &m->laws));
  return gannet_alloc((size_t)m->n, sizeof *m->model, &m->model);
}

static gannet_err create_surrogates(gannet_models *m, int member) {
  const void *own = m->options->surrogate_options;
  for (int i = 0; i < m->n; ++i) {
    const void *options = i > 0 && m->other_options ? m->other_options : own;
    m->model[i].active = i < m->n - 1;
    m->model[i].exploration = 1;
    GANNET_TRY(gannet_surrogate_create(m->context, m->options->surrogate_type, options,
                                       m->problem->d, member * MODELS_PER_MEMBER + i,
                                       &m->model[i].surrogate));
  }
  return GANNET_OK;
}

gannet_err gannet_models_create(const gannet_context *context, const gannet_history *history,
                                const gannet_member_options *options, int member,
                                gannet_models **models) {
  gannet_err err = gannet_agree(context->comm, prepare(context, history, options, models));
  if (err == GANNET_OK) err = create_surrogates(*models, member);
  if (err != GANNET_OK) gannet_models_destroy(models);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_models_destroy(gannet_models **models) {
  if (!*models) return;
  for (int i = 0; (*models)->model && i < (*models)->n; ++i) {
    gannet_surrogate_destroy(&(*models)->model[i].surrogate);
    gannet_free(&(*models)->model[i].x);
    gannet_free(&(*models)->model[i].y);
    gannet_free(&(*models)->model[i].id);
  }
  gannet_free(&(*models)->model);
  gannet_laws_destroy(&(*models)->laws);
  gannet_free(&(*models)->other_options);
  gannet_free(&(*models)->raw);
  gannet_free(&(*models)->work);
  gannet_free(&(*models)->contender);
  gannet_free(&(*models)->contender_id);
  gannet_free(models);
}

static gannet_err reserve(gannet_models *m, gannet_model *one, int n) {
  if (n > one->capacity) {
    const size_t old = (size_t)one->capacity, new = 2 * (size_t)n, d = (size_t)m->problem->d;
    GANNET_TRY(gannet_resize(old * d, new *d, sizeof *one->x, &one->x));
    GANNET_TRY(gannet_resize(old, new, sizeof *one->y, &one->y));
    GANNET_TRY(gannet_resize(old, new, sizeof *one->id, &one->id));
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

static bool is_hidden(const gannet_models *m, int i) {
  return i == m->n - 1;
}

/* Whether an evaluation is an observation of model i. */
static bool belongs(const gannet_models *m, int i, int64_t id) {
  if (i == 0) return gannet_history_is_observation(m->history, id);
  if (!is_hidden(m, i)) return gannet_history_get(m->history, id)->status == GANNET_EVAL_DONE;
  return gannet_history_is_observation(m->history, id) || gannet_history_is_bad(m->history, id);
}

/* The internal value of an evaluation in model i, before any transform. */
static double raw_value(const gannet_models *m, int i, const gannet_evaluation *row,
                        double *bounds) {
  if (i == 0) return gannet_problem_flip(m->problem, row->objective);
  if (is_hidden(m, i)) return gannet_history_is_bad(m->history, row->id) ? 1 : -1;
  gannet_problem_bounds(m->problem, gannet_history_constraints(m->history, row->id), bounds);
  return bounds[i - 1];
}

/* Collect points (x) and raw values of model i in the order of arrival. *same tells whether the
 * points of the last fit are still the first ones: then the factor can grow. */
static gannet_err gather(gannet_models *m, int i, double *bounds, int *n, bool *same) {
  gannet_model *one = &m->model[i];
  const int64_t told = gannet_history_count_told(m->history);
  const size_t d = (size_t)m->problem->d;
  GANNET_REQUIRE(told < (1 << 30), GANNET_ERR_SHAPE, "%lld observations", (long long)told);
  GANNET_TRY(reserve(m, one, (int)told + 1));
  const int n_before = one->n - one->n_believed;
  *n = 0;
  one->n_all = 0;
  *same = true;
  for (int64_t at = 0; at < told; ++at) {
    const gannet_evaluation *row =
        gannet_history_get(m->history, gannet_history_order(m->history)[at]);
    if (!belongs(m, i, row->id)) continue;
    one->n_all += 1;
    if (m->take && !m->take[row->id]) continue;
    const double *x = gannet_history_x_unit(m->history, row->id);
    double *mine = one->x + (size_t)*n * d;
    if (*n < n_before && memcmp(mine, x, d * sizeof *x) != 0) *same = false;
    memcpy(mine, x, d * sizeof *x);
    one->id[*n] = row->id;
    m->raw[(*n)++] = raw_value(m, i, row, bounds);
  }
  if (*n < n_before) *same = false;
  return GANNET_OK;
}

/* Tell the objective's model how its values belong to the equations. They hold for affine functions
 * of the objective only: the standardisation is not clipped then. */
static gannet_err govern(gannet_models *m, int n, const gannet_transform_fit *fit) {
  gannet_model *one = &m->model[0];
  const double sign = gannet_problem_flip(m->problem, 1);
  for (int k = 0; k < n; ++k) one->y[k] = gannet_transform_affine(fit, m->raw[k]);
  const gannet_governing governing = {m->laws, sign * gannet_transform_scale(fit),
                                      sign * gannet_transform_center(fit)};
  return gannet_surrogate_govern(one->surrogate, &governing);
}

/* The least of n values of the objective, in m->raw, that are feasible; INFINITY = none is. */
static double least_feasible(const gannet_models *m, int n) {
  const int64_t *id = m->model[0].id;
  double least = INFINITY;
  for (int k = 0; k < n; ++k)
    if (m->raw[k] < least &&
        gannet_problem_is_feasible(m->problem, gannet_history_constraints(m->history, id[k])))
      least = m->raw[k];
  return least;
}

/* Standardised values of model i from m->raw; *noise_var is the noise variance in those units. */
static gannet_err standardise(gannet_models *m, int i, int n, double *noise_var) {
  gannet_model *one = &m->model[i];
  gannet_transform_fit fit;
  one->threshold = 0;
  *noise_var = NAN;
  if (is_hidden(m, i)) {
    memcpy(one->y, m->raw, (size_t)n * sizeof *one->y);
    *noise_var = label_noise;
    return GANNET_OK;
  }
  if (i == 0) {
    gannet_transform_choice choice;
    GANNET_TRY(gannet_transform_choose(m->options, m->history, m->laws, &choice));
    gannet_transform_choice_learn(&choice, m->history, n, one->x, m->raw, one->y, m->work, &fit);
    m->settled = choice.place >= 0;
    if (!m->laws) gannet_transform_reach(least_feasible(m, n), &fit);
    for (int k = 0; k < n; ++k) one->y[k] = gannet_transform_apply(&fit, m->raw[k]);
    m->transform = fit;
    *noise_var = gannet_transform_noise_var(&fit, m->problem->spec.noise_sd);
    return m->laws ? govern(m, n, &fit) : GANNET_OK;
  }
  const bool apart = m->options->acquisition.rule == GANNET_RULE_PROBABILITY;
  memcpy(one->y, m->raw, (size_t)n * sizeof *one->y);
  one->threshold = gannet_transform_constraint(apart, n, one->y, m->work);
  return GANNET_OK;
}

/* The user's factor, or one learnt together with the hyper-parameters. */
static gannet_err calibrate(gannet_models *m, int i, bool learn) {
  gannet_model *one = &m->model[i];
  const double chosen = m->options->acquisition.exploration;
  if (!isnan(chosen)) one->exploration = chosen;
  if (is_hidden(m, i)) one->exploration = label_doubt;
  if (is_hidden(m, i) || !isnan(chosen) || !learn) return GANNET_OK;
  return gannet_surrogate_calibration(one->surrogate, &one->exploration);
}

static bool scores_by_moments(const gannet_models *m) {
  return m->options->acq_type && m->options->acq_type->kind == GANNET_ACQ_MOMENTS;
}

/* A surrogate may go by it when it learns; otherwise only an acquisition may. */
static gannet_err tell_of_noise(gannet_models *m, int i) {
  if (i > 0 || !m->options->surrogate_type->suspect) return GANNET_OK;
  if (!scores_by_moments(m)) GANNET_TRY(gannet_suspect_noise(m->history, &m->suspected));
  gannet_surrogate_suspect(m->model[i].surrogate, m->suspected);
  return GANNET_OK;
}

/* A campaign with right equations hears this with a probability of about 16/300 at most, if the 16
 * scales without equations have the same share beforehand: the ratio of likelihoods is a martingale
 * then (Ville's inequality; universal inference: Wasserman, Ramdas, Balakrishnan 2020), whenever
 * one looks and wherever the points are. Nothing else follows from it. */
static void tell_of_equations(gannet_models *m) {
  const double many = 300;
  if (m->doubted || gannet_surrogate_doubt(m->model[0].surrogate) < log(many)) return;
  m->doubted = true;
  gannet_log(m->context, GANNET_LOG_WARNING,
             "the equations of physics and %d results do not go together: the results are more "
             "than %.0f times as likely without them; check signs, coefficients, right sides and "
             "units, or raise physics.lambda2 when they are an approximation",
             m->model[0].n, many);
}

static gannet_err fit_one(gannet_models *m, int i, int64_t iteration, double *bounds) {
  gannet_model *one = &m->model[i];
  int n = 0;
  bool same = false;
  gannet_err local = gather(m, i, bounds, &n, &same);
  if (local == GANNET_OK) local = standardise(m, i, n, &one->noise_var);
  GANNET_TRY(gannet_agree(m->context->comm, local));
  const double basis = fmin((double)one->n_learned, n);
  const double wait = fmax(1, m->options->method.refit * basis);
  const bool learn =
      n >= 2 && (one->n_learned == 0 || (double)(one->n_all - one->n_learned) >= wait);
  local = !same && !learn ? gannet_surrogate_start_over(one->surrogate) : GANNET_OK;
  if (local == GANNET_OK && learn) local = tell_of_noise(m, i);
  GANNET_TRY(gannet_agree(m->context->comm, local));
  const gannet_data data = {n, one->x, one->y, one->noise_var};
  one->n = n;
  one->n_believed = 0;
  GANNET_TRY(gannet_surrogate_fit(one->surrogate, &data, learn, iteration));
  if (i == 0 && learn && m->laws) tell_of_equations(m);
  GANNET_TRY(calibrate(m, i, learn));
  if (learn) one->n_learned = one->n_all;
  return GANNET_OK;
}

static bool has_bad(const gannet_history *history) {
  bool found = false;
  for (int64_t id = 0; id < gannet_history_count(history) && !found; ++id)
    found = gannet_history_is_bad(history, id);
  return found;
}

gannet_err gannet_models_fit(gannet_models *m, const bool *take, int64_t iteration) {
  double *bounds = NULL;
  gannet_err err = gannet_alloc((size_t)m->n, sizeof *bounds, &bounds);
  if (err == GANNET_OK && scores_by_moments(m))
    err = gannet_suspect_noise(m->history, &m->suspected);
  err = gannet_agree(m->context->comm, err);
  m->model[m->n - 1].active = has_bad(m->history);
  m->take = take;
  m->contenders_from = -1;
  for (int i = 0; i < m->n && err == GANNET_OK; ++i)
    if (m->model[i].active) err = fit_one(m, i, iteration, bounds);
  m->take = NULL;
  gannet_free(&bounds);
  return err;
}

static gannet_err add_believed(gannet_models *m, gannet_model *one, int n, const double *x_unit) {
  const size_t d = (size_t)m->problem->d;
  GANNET_TRY(reserve(m, one, one->n + n));
  memcpy(one->x + (size_t)one->n * d, x_unit, (size_t)n * d * sizeof *x_unit);
  return gannet_surrogate_predict(one->surrogate, n, x_unit, one->y + one->n, NULL);
}

static gannet_err believe_one(gannet_models *m, gannet_model *one, int n, const double *x_unit,
                              int64_t iteration) {
  GANNET_TRY(gannet_agree(m->context->comm, add_believed(m, one, n, x_unit)));
  one->n += n;
  one->n_believed += n;
  const gannet_data data = {one->n, one->x, one->y, one->noise_var};
  return gannet_surrogate_believe(one->surrogate, &data, one->n_believed, iteration);
}

gannet_err gannet_models_believe(gannet_models *m, int n, const double *x_unit, int64_t iteration) {
  if (n == 0) return GANNET_OK;
  for (int i = 0; i < m->n; ++i)
    if (m->model[i].active) GANNET_TRY(believe_one(m, &m->model[i], n, x_unit, iteration));
  return GANNET_OK;
}

gannet_err gannet_models_sample(gannet_models *m, int q, int64_t iteration) {
  for (int i = 0; i < m->n; ++i)
    if (m->model[i].active)
      GANNET_TRY(gannet_surrogate_sample(m->model[i].surrogate, q, gannet_models_exploration(m, i),
                                         iteration));
  return GANNET_OK;
}

int gannet_models_count(const gannet_models *m) {
  return m->n - !m->model[m->n - 1].active;
}

const gannet_surrogate *gannet_models_surrogate(const gannet_models *m, int i) {
  return m->model[i].surrogate;
}

gannet_err gannet_models_estimate_prepare(gannet_models *m, gannet_precision precision,
                                          bool *able) {
  *able = true;
  for (int i = 0; i < gannet_models_count(m) && *able; ++i)
    GANNET_TRY(gannet_surrogate_estimate_prepare(m->model[i].surrogate, precision, able));
  return GANNET_OK;
}

gannet_err gannet_models_moments_prepare(gannet_models *m, gannet_precision precision, bool *able) {
  *able = true;
  for (int i = 0; i < gannet_models_count(m) && *able; ++i)
    GANNET_TRY(gannet_surrogate_moments_prepare(m->model[i].surrogate, precision, able));
  return GANNET_OK;
}

gannet_err gannet_models_ceilings_prepare(gannet_models *m, gannet_precision precision,
                                          int n_pivots, const double *pivots, bool *able) {
  *able = true;
  for (int i = 0; i < gannet_models_count(m) && *able; ++i)
    GANNET_TRY(gannet_surrogate_ceilings_prepare(m->model[i].surrogate, precision, n_pivots, pivots,
                                                 able));
  return GANNET_OK;
}

bool gannet_models_suspected(const gannet_models *m) {
  return m->suspected;
}

const gannet_transform_fit *gannet_models_transform(const gannet_models *m) {
  return &m->transform;
}

double gannet_models_threshold(const gannet_models *m, int i) {
  return m->model[i].threshold;
}

double gannet_models_least(const gannet_models *m, int i) {
  const gannet_model *one = &m->model[i];
  double least = INFINITY;
  for (int k = 0; k < one->n - one->n_believed; ++k) least = fmin(least, one->y[k]);
  return least;
}

double gannet_models_spread(const gannet_models *m, int i, double sd, double *by_sd) {
  const double factor = is_hidden(m, i) ? label_doubt : 1, least = 1e-12;
  *by_sd = factor * sd > least ? factor : 0;
  return fmax(factor * sd, least);
}

double gannet_models_exploration(const gannet_models *m, int i) {
  const gannet_model *one = &m->model[i];
  if (m->options->acquisition.growth == GANNET_GROWTH_NONE) return one->exploration;
  return one->exploration * sqrt(0.2 * m->problem->d * log(2.0 * fmax(one->n, 1)));
}

/* With equations, whether the user has heard that results contradict them. */
static int own_state_size(const gannet_models *m) {
  return m->laws != NULL;
}

int gannet_models_state_size(const gannet_models *m) {
  int size = own_state_size(m);
  for (int i = 0; i < m->n; ++i) size += 2 + gannet_surrogate_n_hyper(m->model[i].surrogate);
  return size;
}

void gannet_models_get_state(const gannet_models *m, double *state) {
  for (int i = 0; i < m->n; ++i) {
    *state++ = (double)m->model[i].n_learned;
    *state++ = m->model[i].exploration;
    gannet_surrogate_get_hyper(m->model[i].surrogate, state);
    state += gannet_surrogate_n_hyper(m->model[i].surrogate);
  }
  if (own_state_size(m) > 0) *state = m->doubted;
}

gannet_err gannet_models_set_state(gannet_models *m, const double *state) {
  for (int i = 0; i < m->n; ++i) {
    gannet_model *one = &m->model[i];
    one->n_learned = (int64_t)*state++;
    one->exploration = *state++;
    one->n = one->n_believed = 0;
    GANNET_TRY(gannet_surrogate_set_hyper(one->surrogate, state));
    state += gannet_surrogate_n_hyper(one->surrogate);
  }
  if (own_state_size(m) > 0) m->doubted = *state > 0;
  return GANNET_OK;
}

static void name_model(const gannet_models *m, int i, char *name, size_t size) {
  if (i == 0)
    (void)snprintf(name, size, "objective");
  else if (is_hidden(m, i))
    (void)snprintf(name, size, "hidden");
  else
    (void)snprintf(name, size, "constraint%d", i);
}

void gannet_models_state_name(const gannet_models *m, int i, char *name, size_t size) {
  for (int j = 0; j < m->n; ++j) {
    const gannet_surrogate *surrogate = m->model[j].surrogate;
    const int length = 2 + gannet_surrogate_n_hyper(surrogate);
    char owner[32];
    if (i >= length) {
      i -= length;
      continue;
    }
    name_model(m, j, owner, sizeof owner);
    (void)snprintf(name, size, "%s.%s", owner,
                   i == 0   ? "learned"
                   : i == 1 ? "exploration"
                            : gannet_surrogate_hyper_name(surrogate, i - 2));
    return;
  }
  (void)snprintf(name, size, "physics.contradicted");
}

size_t gannet_models_bytes(const gannet_models *m) {
  size_t bytes = 0;
  for (int i = 0; i < m->n; ++i)
    bytes += gannet_surrogate_bytes(m->model[i].surrogate) +
             (size_t)m->model[i].capacity * ((size_t)m->problem->d + 1) * sizeof(double);
  return bytes;
}
