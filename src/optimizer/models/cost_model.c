#include "optimizer/models/cost_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cost.h"

enum { MODEL = 1 << 30 }; /* number that keeps its random streams apart from those of members */

/* Hyper-parameters are learnt again when this share of new costs has come. */
static const double refit = 0.1;

/* Standard deviation of the logarithms up to which all costs count as equal. */
static const double equal = 1e-9;

struct gannet_cost_model {
  const gannet_context *context;
  const gannet_history *history;
  const gannet_optimizer_options *options;
  gannet_optimizer_options own; /* of the Gaussian process */
  gannet_surrogate *surrogate;

  /* The data, [capacity], in the order of telling: */
  int capacity;
  int n;
  double *x;            /* [capacity][d] */
  double *y;            /* standardised logarithms */
  double center, scale; /* of the standardisation */

  double *fresh;     /* hyper-parameters before anything is learnt */
  int64_t n_learned; /* costs when hyper-parameters were learnt last, 0 = never */
  double exponent;   /* of the present proposal */

  /* What the user was told: */
  bool told_none, told_some, told_equal, told_failed;
};

static gannet_err create_local(const gannet_context *context, const gannet_history *history,
                               const gannet_optimizer_options *options, gannet_cost_model **model) {
  /* Costs are rarely exact: run times depend on the machine. */
  static const gannet_setting settings[] = {{.key = "method", .text = "gp-ei"},
                                            {.key = "surrogate.restarts", .text = "2"},
                                            {.key = "surrogate.noisy_start", .text = "yes"},
                                            {.key = "surrogate.fit_points", .text = "200"}};
  GANNET_TRY(gannet_alloc(1, sizeof **model, model));
  (*model)->context = context;
  (*model)->history = history;
  (*model)->options = options;
  (*model)->scale = 1;
  return gannet_optimizer_options_own(sizeof settings / sizeof *settings, settings, &(*model)->own);
}

gannet_err gannet_cost_model_create(const gannet_context *context, const gannet_history *history,
                                    const gannet_optimizer_options *options,
                                    gannet_cost_model **model) {
  *model = NULL;
  gannet_err err = gannet_agree(context->comm, create_local(context, history, options, model));
  if (err == GANNET_OK)
    err = gannet_surrogate_create(context, (*model)->own.member[0].surrogate_type,
                                  (*model)->own.member[0].surrogate_options,
                                  gannet_history_problem(history)->d, MODEL, &(*model)->surrogate);
  if (err == GANNET_OK)
    err = gannet_agree(context->comm,
                       gannet_alloc((size_t)gannet_surrogate_n_hyper((*model)->surrogate),
                                    sizeof(double), &(*model)->fresh));
  if (err == GANNET_OK) gannet_surrogate_get_hyper((*model)->surrogate, (*model)->fresh);
  if (err != GANNET_OK) gannet_cost_model_destroy(model);
  return err;
}

void gannet_cost_model_destroy(gannet_cost_model **model) {
  if (!*model) return;
  gannet_surrogate_destroy(&(*model)->surrogate);
  gannet_optimizer_options_release(&(*model)->own);
  gannet_free(&(*model)->x);
  gannet_free(&(*model)->y);
  gannet_free(&(*model)->fresh);
  gannet_free(model);
}

/* What is left of a limit, as a share of what there was after the first design. */
static double share_left(double limit, double spent, double design) {
  return limit > design ? fmin(fmax((limit - spent) / (limit - design), 0), 1) : 0;
}

static double find_exponent(const gannet_cost_model *m) {
  const gannet_cost_limits *limits = &m->options->limits;
  const gannet_history *h = m->history;
  const char *from = m->options->cost.from;
  double exponent = 1, spent = 0;
  int64_t n_design = 0;
  const double design = gannet_cost_of_design(h, from, &n_design);
  for (int64_t id = 0; id < gannet_history_count(h); ++id)
    spent += gannet_history_get(h, id)->origin != GANNET_ORIGIN_IMPORT &&
             gannet_history_get(h, id)->status != GANNET_EVAL_DISCARDED;
  if (limits->evaluations != GANNET_AUTO)
    exponent = share_left(limits->evaluations, spent, (double)n_design);
  if (!isnan(limits->cost))
    exponent = fmin(exponent, share_left(limits->cost, gannet_cost_spent(h, from), design));
  return exponent;
}

static gannet_err reserve(gannet_cost_model *m, int n) {
  const size_t d = (size_t)gannet_history_problem(m->history)->d;
  const size_t old = (size_t)m->capacity, new = 2 * (size_t)n;
  if (n <= m->capacity) return GANNET_OK;
  GANNET_TRY(gannet_resize(old * d, new *d, sizeof *m->x, &m->x));
  GANNET_TRY(gannet_resize(old, new, sizeof *m->y, &m->y));
  m->capacity = (int)new;
  return GANNET_OK;
}

/* Tell once what there is to know of results whose cost cannot be weighed. */
static void tell_of_costs(gannet_cost_model *m, int n, int64_t n_done, int64_t n_without) {
  const char *from = m->options->cost.from;
  if (n == 0 && n_done >= GANNET_COSTS_LEAST && !m->told_none)
    gannet_log(m->context, GANNET_LOG_WARNING,
               "cost.weigh: for none of %lld results a cost above 0 is known (cost.from: %s): "
               "points are proposed by their gain alone",
               (long long)n_done, from);
  else if (n > 0 && n_without > 0 && !m->told_some)
    gannet_log(m->context, GANNET_LOG_WARNING,
               "cost.weigh: for %lld of %lld results no cost above 0 is known (cost.from: %s): the "
               "model of the costs is learnt from the others",
               (long long)n_without, (long long)n_done, from);
  m->told_none = m->told_none || (n == 0 && n_done >= GANNET_COSTS_LEAST);
  m->told_some = m->told_some || (n > 0 && n_without > 0);
}

/* Collect the costs of all runs that tell about their design: a run that ended by bad luck, as with
 * its node, has cost what it has by chance. *same tells whether the points of the last fit are
 * still the first ones. */
static gannet_err collect_costs(gannet_cost_model *m, int *n, bool *same) {
  const gannet_history *h = m->history;
  const size_t d = (size_t)gannet_history_problem(h)->d;
  const int64_t told = gannet_history_count_told(h);
  int64_t n_done = 0, n_without = 0;
  GANNET_REQUIRE(told < (1 << 30), GANNET_ERR_SHAPE, "%lld observations", (long long)told);
  GANNET_TRY(reserve(m, (int)told + 1));
  *n = 0;
  *same = true;
  for (int64_t at = 0; at < told; ++at) {
    const gannet_evaluation *row = gannet_history_get(h, gannet_history_order(h)[at]);
    const bool is_done = row->status == GANNET_EVAL_DONE;
    if (!is_done && row->status != GANNET_EVAL_CANNOT_RUN && !row->run.crashed) continue;
    if (row->status == GANNET_EVAL_DISCARDED) continue;
    const double cost = gannet_cost_of(h, m->options->cost.from, row->id);
    const bool is_known = cost > 0 && isfinite(cost);
    n_done += is_done;
    n_without += is_done && !is_known;
    if (!is_known) continue;
    const double *x = gannet_history_x_unit(h, row->id);
    double *mine = m->x + (size_t)*n * d;
    if (*n < m->n && memcmp(mine, x, d * sizeof *x) != 0) *same = false;
    memcpy(mine, x, d * sizeof *x);
    m->y[(*n)++] = log(cost);
  }
  *same = *same && *n >= m->n;
  tell_of_costs(m, *n, n_done, n_without);
  return GANNET_OK;
}

/* Whether the logarithms differ. */
static bool standardise(gannet_cost_model *m, int n) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) sum += m->y[i];
  m->center = sum / n;
  for (int i = 0; i < n; ++i) squares += (m->y[i] - m->center) * (m->y[i] - m->center);
  m->scale = sqrt(squares / n);
  if (!(m->scale > equal)) return false;
  for (int i = 0; i < n; ++i) m->y[i] = (m->y[i] - m->center) / m->scale;
  return true;
}

static gannet_err fit(gannet_cost_model *m, int64_t batch) {
  const gannet_data data = {m->n, m->x, m->y, NAN, NULL};
  const double wait = fmax(1, refit * (double)m->n_learned);
  const bool learns = m->n_learned == 0 || (double)(m->n - m->n_learned) >= wait;
  GANNET_TRY(gannet_surrogate_fit(m->surrogate, &data, learns, batch));
  if (learns) m->n_learned = m->n;
  return GANNET_OK;
}

gannet_err gannet_cost_model_prepare(gannet_cost_model *m, int64_t batch) {
  int n = 0;
  bool same = false;
  m->exponent = 0;
  gannet_err err = collect_costs(m, &n, &same);
  if (err == GANNET_OK && !same) err = gannet_surrogate_start_over(m->surrogate);
  GANNET_TRY(gannet_agree(m->context->comm, err));
  m->n = n;
  if (n < GANNET_COSTS_LEAST) return GANNET_OK;
  if (!standardise(m, n)) {
    if (!m->told_equal)
      gannet_log(m->context, GANNET_LOG_INFO,
                 "cost.weigh: all %d costs are %g (cost.from: %s): there is nothing to weigh", n,
                 exp(m->center), m->options->cost.from);
    m->told_equal = true;
    return GANNET_OK;
  }
  err = fit(m, batch);
  if (err == GANNET_OK) m->exponent = find_exponent(m);
  return err;
}

gannet_err gannet_cost_model_give_up(gannet_cost_model *m) {
  if (!m->told_failed)
    gannet_log(m->context, GANNET_LOG_WARNING,
               "cost.weigh: the model of the costs failed, and points are proposed by their gain "
               "alone until it works: %s",
               gannet_error_message());
  m->told_failed = true;
  gannet_error_clear();
  m->n = 0;
  m->n_learned = 0;
  return gannet_agree(m->context->comm, gannet_surrogate_set_hyper(m->surrogate, m->fresh));
}

double gannet_cost_model_exponent(const gannet_cost_model *m) {
  return m ? m->exponent : 0;
}

gannet_err gannet_cost_model_log_weights(const gannet_cost_model *m, int n, const double *x_unit,
                                         double *log_weights) {
  GANNET_TRY(gannet_surrogate_predict(m->surrogate, n, x_unit, log_weights, NULL));
  for (int i = 0; i < n; ++i) log_weights[i] *= m->exponent * m->scale;
  return GANNET_OK;
}

gannet_err gannet_cost_model_gradients(const gannet_cost_model *m, int n, const double *x_unit,
                                       double *log_weights, double *gradients, double *sd,
                                       double *by_sd) {
  const int d = gannet_history_problem(m->history)->d;
  GANNET_TRY(gannet_surrogate_predict_gradients(m->surrogate, n, x_unit, log_weights, sd, gradients,
                                                by_sd));
  for (int i = 0; i < n; ++i) log_weights[i] *= m->exponent * m->scale;
  for (int i = 0; i < n * d; ++i) gradients[i] *= m->exponent * m->scale;
  return GANNET_OK;
}

static const char part[] = "cost/"; /* as the part of a member: journals keep such names */

static const gannet_struct_field fields[] = {
    {.name = "learned", GANNET_STRUCT_AT(gannet_cost_model, n_learned, LARGE)}, {0}};

/* The cost that hyper-parameters are of, as far as a state has room for it. */
static void name_cost(const gannet_cost_model *m, char name[GANNET_STATE_TEXT_SIZE]) {
  (void)snprintf(name, GANNET_STATE_TEXT_SIZE, "%.*s", GANNET_STATE_TEXT_SIZE - 1,
                 m->options->cost.from);
}

gannet_err gannet_cost_model_get_state(const gannet_cost_model *m, gannet_state *state) {
  char from[GANNET_STATE_TEXT_SIZE];
  double *hyper = NULL;
  gannet_err err = GANNET_OK;
  if (!m || m->n_learned == 0) return GANNET_OK;
  name_cost(m, from);
  GANNET_TRY(gannet_state_put_text(state, part, "from", from));
  GANNET_TRY(gannet_state_put_fields(state, part, fields, m));
  const int n = gannet_surrogate_n_hyper(m->surrogate);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *hyper, &hyper));
  gannet_surrogate_get_hyper(m->surrogate, hyper);
  for (int k = 0; k < n && err == GANNET_OK; ++k)
    err = gannet_state_put(state, part, gannet_surrogate_hyper_name(m->surrogate, k),
                           GANNET_STATE_REAL, hyper[k]);
  gannet_free(&hyper);
  return err;
}

gannet_err gannet_cost_model_set_state(gannet_cost_model *m, gannet_state *state) {
  char from[GANNET_STATE_TEXT_SIZE];
  double *hyper = NULL;
  if (!m) return GANNET_OK;
  name_cost(m, from);
  m->n = 0;
  m->exponent = 0;
  GANNET_TRY(gannet_state_take_fields(state, part, fields, m));
  bool is_complete = strcmp(gannet_state_find_text(state, part, "from"), from) == 0;
  const int n = gannet_surrogate_n_hyper(m->surrogate);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *hyper, &hyper));
  gannet_surrogate_get_hyper(m->surrogate, hyper);
  for (int k = 0; k < n && is_complete; ++k)
    is_complete =
        gannet_state_find(state, part, gannet_surrogate_hyper_name(m->surrogate, k), &hyper[k]);
  if (!is_complete) m->n_learned = 0;
  const gannet_err err = gannet_surrogate_set_hyper(m->surrogate, is_complete ? hyper : m->fresh);
  gannet_free(&hyper);
  return err;
}
