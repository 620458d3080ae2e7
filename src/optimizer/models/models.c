#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/models_impl.h"
#include "optimizer/models/pde_constraint.h"
#include "problem/objectives.h"

enum { MODELS_PER_MEMBER = 1 << 20 }; /* numbers of models, which key their streams */

const double models_label_doubt = 0.25;

/* The local part of create: everything but the surrogates. */
static gannet_err create_without_surrogates(const gannet_context *context,
                                            const gannet_history *history,
                                            gannet_noise_test *noise_test,
                                            const gannet_member_options *options,
                                            gannet_models **models) {
  GANNET_TRY(gannet_alloc(1, sizeof **models, models));
  gannet_models *m = *models;
  m->context = context;
  m->history = history;
  m->problem = gannet_history_problem(history);
  m->noise_test = noise_test;
  m->options = options;
  m->incumbents_from = -1;
  const int several = gannet_problem_n_objectives(m->problem);
  m->scalarises = several > 1 && options->acq_type && options->acq_type->scalarises;
  m->n_objectives = m->scalarises ? 1 : several;
  for (int k = 0; k < several; ++k) m->direction[k] = 1.0 / several;
  m->n = m->problem->n_bounds + m->n_objectives + 1;
  const gannet_surrogate_type *type = options->surrogate_type;
  if (type->for_others) { /* constraints have options of their own */
    GANNET_TRY(gannet_alloc(1, type->options_size, &m->other_options));
    memcpy(m->other_options, options->surrogate_options, type->options_size);
    type->for_others(m->other_options);
  }
  if (type->set_pde_constraint)
    GANNET_TRY(gannet_pde_constraint_create(context, m->problem, &m->residuals));
  GANNET_TRY(gannet_alloc((size_t)m->n - 1, sizeof *m->prior, &m->prior));
  for (int i = 0; i < m->n - 1; ++i) m->prior[i].model = i;
  return gannet_alloc((size_t)m->n, sizeof *m->model, &m->model);
}

static gannet_err create_surrogates(gannet_models *m, int member) {
  const void *own = m->options->surrogate_options;
  for (int i = 0; i < m->n; ++i) {
    const bool is_other = m->other_options && gannet_models_objective(m, i) < 0;
    const void *options = is_other ? m->other_options : own;
    m->model[i].active = i < m->n - 1;
    m->model[i].exploration = 1;
    GANNET_TRY(gannet_surrogate_create(m->context, m->options->surrogate_type, options,
                                       m->problem->d, member * MODELS_PER_MEMBER + i,
                                       &m->model[i].surrogate));
  }
  return GANNET_OK;
}

gannet_err gannet_models_create(const gannet_context *context, const gannet_history *history,
                                gannet_noise_test *noise_test, const gannet_member_options *options,
                                int member, gannet_models **models) {
  gannet_err err = gannet_agree(
      context->comm, create_without_surrogates(context, history, noise_test, options, models));
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
    gannet_free(&(*models)->model[i].row_noise);
  }
  gannet_free(&(*models)->model);
  gannet_free(&(*models)->prior);
  gannet_front_release(&(*models)->front);
  gannet_pde_residuals_destroy(&(*models)->residuals);
  gannet_free(&(*models)->other_options);
  gannet_free(&(*models)->raw);
  gannet_free(&(*models)->work);
  gannet_free(&(*models)->incumbent_row);
  gannet_free(&(*models)->incumbent_id);
  gannet_free(models);
}

void gannet_models_set_direction(gannet_models *m, const double *direction) {
  const int n = gannet_problem_n_objectives(m->problem);
  memcpy(m->direction, direction, (size_t)n * sizeof *direction);
}

void gannet_models_set_related(gannet_models *m, gannet_related *related) {
  if (m->residuals || m->scalarises) return;
  for (int i = 0; i < m->n - 1; ++i) m->prior[i].related = related;
}

gannet_err gannet_models_fantasize(gannet_models *m, int n, const double *x_unit,
                                   int64_t iteration) {
  const size_t d = (size_t)m->problem->d;
  if (n == 0) return GANNET_OK;
  for (int i = 0; i < m->n; ++i) {
    gannet_model *one = &m->model[i];
    if (!one->active) continue;
    gannet_err err = models_reserve(m, one, one->n + n);
    if (err == GANNET_OK) {
      memcpy(one->x + (size_t)one->n * d, x_unit, (size_t)n * d * sizeof *x_unit);
      err = gannet_surrogate_predict(one->surrogate, n, x_unit, one->y + one->n, NULL);
    }
    GANNET_TRY(gannet_agree(m->context->comm, err));
    for (int k = one->n; k < one->n + n; ++k) one->row_noise[k] = NAN;
    one->n += n;
    one->n_fantasies += n;
    const gannet_data data = models_data_of(one);
    GANNET_TRY(gannet_surrogate_fantasize(one->surrogate, &data, one->n_fantasies, iteration));
  }
  return GANNET_OK;
}

gannet_err gannet_models_sample(gannet_models *m, int q, int64_t iteration) {
  for (int i = 0; i < m->n; ++i)
    if (m->model[i].active)
      GANNET_TRY(gannet_surrogate_sample(m->model[i].surrogate, q, gannet_models_exploration(m, i),
                                         iteration));
  return GANNET_OK;
}

gannet_err gannet_models_shrink_draw(gannet_models *m, int draw, double factor) {
  return gannet_surrogate_shrink_draw(m->model[0].surrogate, draw, factor);
}

int gannet_models_count(const gannet_models *m) {
  return m->n - !m->model[m->n - 1].active;
}

int gannet_models_n_objectives(const gannet_models *m) {
  return m->n_objectives;
}

int gannet_models_of_objective(const gannet_models *m, int objective) {
  return objective == 0 ? 0 : m->problem->n_bounds + objective;
}

int gannet_models_objective(const gannet_models *m, int i) {
  return models_objective(m, i);
}

const gannet_front *gannet_models_front(const gannet_models *m) {
  return &m->front;
}

const gannet_surrogate *gannet_models_surrogate(const gannet_models *m, int i) {
  return m->model[i].surrogate;
}

gannet_err gannet_models_estimators(gannet_models *m, const gannet_estimator_spec *spec,
                                    gannet_estimator *estimators, bool *able) {
  *able = true;
  for (int i = 0; i < gannet_models_count(m) && *able; ++i) {
    GANNET_TRY(gannet_surrogate_estimator(m->model[i].surrogate, spec, &estimators[i]));
    *able = estimators[i].work != NULL;
  }
  return GANNET_OK;
}

bool gannet_models_look_noisy(const gannet_models *m) {
  return m->looks_noisy;
}

const gannet_transform_fit *gannet_models_transform(const gannet_models *m, int objective) {
  return &m->model[gannet_models_of_objective(m, objective)].transform;
}

double gannet_models_in_ranges(const gannet_models *m, int objective, double value, double *slope) {
  return gannet_transform_in_ranges(gannet_models_transform(m, objective),
                                    m->front.ideal[objective], m->front.range[objective], value,
                                    slope);
}

double gannet_models_reference(const gannet_models *m, int k) {
  const double z = gannet_front_in_ranges(&m->front, k, m->front.reference[k]);
  return fmin(fmax(z, -1e9), 1e9);
}

double gannet_models_in_units(const gannet_models *m, int i, double value) {
  const int objective = gannet_models_objective(m, i);
  if (objective >= 0)
    return gannet_problem_flip_objective(m->problem, objective,
                                         gannet_transform_invert(&m->model[i].transform, value));
  const double excess = gannet_transform_constraint_invert(&m->model[i].scaling, value);
  int constraint = 0;
  const bool is_upper = gannet_problem_find_bound(m->problem, i - 1, &constraint);
  const gannet_constraint *bounds = &m->problem->spec.constraints[constraint];
  return is_upper ? bounds->upper + excess : bounds->lower - excess;
}

double gannet_models_threshold(const gannet_models *m, int i) {
  return m->model[i].threshold;
}

double gannet_models_least(const gannet_models *m, int i) {
  const gannet_model *one = &m->model[i];
  double least = INFINITY;
  for (int k = 0; k < one->n - one->n_fantasies; ++k) least = fmin(least, one->y[k]);
  return least;
}

gannet_acq_model gannet_models_acq_model(const gannet_models *m, int i) {
  return (gannet_acq_model){.surrogate = m->model[i].surrogate,
                            .threshold = m->model[i].threshold,
                            .certainty = models_is_hidden(m, i) ? models_label_doubt : 1};
}

/* The factor on the uncertainty that follows from the number of observations. In the theorems the
 * noise of an observation, R / sqrt(lambda) there, is 1: lambda is the variance of the noise. */
static double growth_of(const gannet_models *m, const gannet_model *one) {
  const gannet_acquisition_choice *a = &m->options->acquisition;
  if (a->growth == GANNET_GROWTH_NONE) return 1; /* asked for at every candidate */
  const double t = fmax(one->n, 1), pi = acos(-1), doubt = -2 * log(a->delta);
  const double candidates = m->options->search.candidates;
  switch ((gannet_growth)a->growth) {
    case GANNET_GROWTH_LOG:
      return sqrt(0.2 * m->problem->d * log(2 * t));
    case GANNET_GROWTH_NEURAL_BO:
      return sqrt(2 * a->bound) + sqrt(doubt);
    case GANNET_GROWTH_NEURAL_CBO:
      return a->bound + sqrt(one->gain + 2 + doubt);
    case GANNET_GROWTH_GP_UCB:
      return sqrt(2 * log(candidates * t * t * pi * pi / 6) + doubt);
    case GANNET_GROWTH_NONE:
      break;
  }
  return 1;
}

double gannet_models_exploration(const gannet_models *m, int i) {
  return m->model[i].exploration * growth_of(m, &m->model[i]);
}

/* What is saved of one model besides its hyper-parameters. */
static const gannet_struct_field model_fields[] = {
    {.name = "learned", GANNET_STRUCT_AT(gannet_model, n_learned, LARGE)},
    {.name = "exploration", GANNET_STRUCT_AT(gannet_model, exploration, REAL), .fallback = 1},
    {0}};

/* And with several objectives. States without names, of the first versions, had a single one: the
 * numbers of each model stand there in the order of the table above. */
static const gannet_struct_field several_fields[] = {
    {.name = "learned_log", GANNET_STRUCT_AT(gannet_model, learned_log, TRUTH)}, {0}};

/* What is saved of a member with equations: whether the user was told that results contradict them.
 */
static const gannet_struct_field physics_fields[] = {
    {.name = "physics.contradicted", GANNET_STRUCT_AT(gannet_models, told_contradicted, TRUTH)},
    {0}};

/* The prefix of the names under which a model is saved: "gp-ei/objective." and the like. */
static void name_part(const gannet_models *m, int i, const char *part, char *name) {
  const int objective = gannet_models_objective(m, i);
  if (objective == 0)
    (void)snprintf(name, GANNET_STATE_NAME, "%sobjective.", part);
  else if (objective > 0)
    (void)snprintf(name, GANNET_STATE_NAME, "%sobjective%d.", part, objective + 1);
  else if (models_is_hidden(m, i))
    (void)snprintf(name, GANNET_STATE_NAME, "%shidden.", part);
  else
    (void)snprintf(name, GANNET_STATE_NAME, "%sconstraint%d.", part, i);
}

static gannet_err get_model(const gannet_models *m, int i, const char *part, gannet_state *state) {
  const gannet_surrogate *surrogate = m->model[i].surrogate;
  const int n = gannet_surrogate_n_hyper(surrogate);
  char own[GANNET_STATE_NAME];
  double *hyper = NULL;
  gannet_err err = GANNET_OK;
  name_part(m, i, part, own);
  GANNET_TRY(gannet_state_put_fields(state, own, model_fields, &m->model[i]));
  if (m->n_objectives > 1)
    GANNET_TRY(gannet_state_put_fields(state, own, several_fields, &m->model[i]));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *hyper, &hyper));
  gannet_surrogate_get_hyper(surrogate, hyper);
  for (int k = 0; k < n && err == GANNET_OK; ++k)
    err = gannet_state_put(state, own, gannet_surrogate_hyper_name(surrogate, k), GANNET_STATE_REAL,
                           hyper[k]);
  gannet_free(&hyper);
  return err;
}

/* Name of what is saved of a related problem and a model: "related1.used" of the first objective's,
 * "objective2.related1.used" and "constraint2.related1.used" of the others. */
static void name_prior(const gannet_models *m, int i, int source, const char *what, char *name) {
  const int objective = models_objective(m, i);
  int used = 0;
  if (objective > 0) used = snprintf(name, GANNET_STATE_NAME, "objective%d.", objective + 1);
  if (objective < 0) used = snprintf(name, GANNET_STATE_NAME, "constraint%d.", i);
  (void)snprintf(name + used, (size_t)(GANNET_STATE_NAME - used), "related%d.%s", source + 1, what);
}

/* Which related problems are used, and their weights, which are only shown. */
static gannet_err get_prior(const gannet_models *m, int i, const char *part, gannet_state *state) {
  const gannet_related_prior *prior = &m->prior[i];
  char name[GANNET_STATE_NAME];
  for (int s = 0; s < gannet_related_count(prior->related); ++s) {
    if ((i > 0 || m->n_objectives > 1) && !gannet_related_has(prior->related, s, i)) continue;
    name_prior(m, i, s, "used", name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_WHOLE, prior->used[s]));
    name_prior(m, i, s, "weight", name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, prior->weight[s]));
  }
  return GANNET_OK;
}

gannet_err gannet_models_get_state(const gannet_models *m, const char *part, gannet_state *state) {
  for (int i = 0; i < m->n; ++i) GANNET_TRY(get_model(m, i, part, state));
  for (int i = 0; i < m->n - 1; ++i) GANNET_TRY(get_prior(m, i, part, state));
  return m->residuals ? gannet_state_put_fields(state, part, physics_fields, m) : GANNET_OK;
}

/* Take the state of one model. Where a hyper-parameter is absent, the model learns, and begins with
 * those that are there. */
static gannet_err set_model(gannet_models *m, int i, const char *part, gannet_state *state,
                            int *missing) {
  gannet_model *one = &m->model[i];
  const int n = gannet_surrogate_n_hyper(one->surrogate);
  char own[GANNET_STATE_NAME];
  double *hyper = NULL;
  int absent = 0;
  name_part(m, i, part, own);
  one->n = one->n_fantasies = 0;
  GANNET_TRY(gannet_state_take_fields(state, own, model_fields, one));
  if (m->n_objectives > 1) GANNET_TRY(gannet_state_take_fields(state, own, several_fields, one));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *hyper, &hyper));
  gannet_surrogate_get_hyper(one->surrogate, hyper);
  for (int k = 0; k < n; ++k)
    absent +=
        !gannet_state_find(state, own, gannet_surrogate_hyper_name(one->surrogate, k), &hyper[k]);
  if (absent > 0) one->n_learned = 0;
  *missing += absent;
  const gannet_err err = gannet_surrogate_set_hyper(one->surrogate, hyper);
  gannet_free(&hyper);
  return err;
}

gannet_err gannet_models_set_state(gannet_models *m, const char *part, gannet_state *state,
                                   int *missing) {
  for (int i = 0; i < m->n; ++i) GANNET_TRY(set_model(m, i, part, state, missing));
  for (int i = 0; i < m->n - 1; ++i)
    for (int s = 0; s < GANNET_RELATED_MOST; ++s) {
      char name[GANNET_STATE_NAME];
      double used = 0;
      name_prior(m, i, s, "used", name);
      m->prior[i].used[s] = gannet_state_find(state, part, name, &used) && used != 0;
    }
  return m->residuals ? gannet_state_take_fields(state, part, physics_fields, m) : GANNET_OK;
}
