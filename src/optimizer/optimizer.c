#include "optimizer/optimizer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "minimize/prepare.h"
#include "optimizer/propose.h"

gannet_err gannet_optimizer_create_from(gannet_context *context, const gannet_problem *problem,
                                        gannet_optimizer_options *options,
                                        gannet_optimizer **optimizer) {
  GANNET_TRY(gannet_agree(context->comm, gannet_petsc_prepare(context->comm)));
  GANNET_TRY(gannet_alloc(1, sizeof **optimizer, optimizer));
  gannet_optimizer *made = *optimizer;
  made->context = context;
  made->problem = problem;
  made->options = *options;
  memset(options, 0, sizeof *options);
  gannet_err err = gannet_history_create(problem, &made->history);
  if (err == GANNET_OK && made->options.proposer == GANNET_PROPOSE_MODEL)
    err = gannet_models_create(context, made->history, &made->options, &made->models);
  err = gannet_agree(context->comm, err);
  if (err != GANNET_OK) gannet_optimizer_destroy(optimizer);
  GANNET_TRY(err);
  return GANNET_OK;
}

static gannet_err parse_settings(int n, const gannet_method_setting *settings,
                                 gannet_optimizer_options *options) {
  gannet_setting *list = NULL;
  gannet_complaints complaints = {0};
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n_settings = %d", n);
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *list, &list));
  for (int i = 0; i < n; ++i)
    list[i] = (gannet_setting){.key = settings[i].key, .text = settings[i].text};
  gannet_err err = gannet_optimizer_options_parse(n, list, options, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  gannet_free(&list);
  return err;
}

gannet_err gannet_optimizer_create(gannet_context *context, const gannet_problem *problem,
                                   int n_settings, const gannet_method_setting *settings,
                                   gannet_optimizer **optimizer) {
  gannet_optimizer_options options = {0};
  *optimizer = NULL;
  gannet_err err = gannet_agree(context->comm, parse_settings(n_settings, settings, &options));
  if (err == GANNET_OK) err = gannet_optimizer_create_from(context, problem, &options, optimizer);
  gannet_optimizer_options_release(&options);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_optimizer_destroy(gannet_optimizer **optimizer) {
  if (!*optimizer) return;
  gannet_models_destroy(&(*optimizer)->models);
  gannet_history_destroy(&(*optimizer)->history);
  gannet_optimizer_options_release(&(*optimizer)->options);
  gannet_free(optimizer);
}

static int64_t n_initial(const gannet_optimizer *o) {
  if (o->options.method.initial != GANNET_AUTO) return o->options.method.initial;
  const int twice = 2 * o->problem->d;
  return twice < 4 ? 4 : twice > 64 ? 64 : twice;
}

/* Points that were proposed by the method itself; what the caller brought along counts as design.
 */
static bool is_design_complete(const gannet_optimizer *o) {
  return gannet_history_count(o->history) >= n_initial(o) &&
         gannet_history_count_done(o->history) >= 2;
}

static gannet_err propose(gannet_optimizer *o, int q, double *x_unit) {
  if (o->options.proposer != GANNET_PROPOSE_MODEL || !is_design_complete(o))
    return gannet_propose_design(o, q, o->options.proposer == GANNET_PROPOSE_RANDOM, x_unit);
  double mark = gannet_clock_seconds();
  GANNET_TRY(gannet_models_fit(o->models, o->batch));
  gannet_propose_mark(o, GANNET_PHASE_FIT, &mark);
  switch (o->options.acq_type->kind) {
    case GANNET_ACQ_DRAWS:
      return gannet_propose_draws(o, q, x_unit);
    case GANNET_ACQ_POINTWISE:
      return gannet_propose_pointwise(o, q, x_unit);
    default:
      return gannet_propose_moments(o, q, x_unit);
  }
}

static gannet_err record(gannet_optimizer *o, int q, const double *x_unit, gannet_origin origin,
                         int64_t *id, double *x_user) {
  const size_t d = (size_t)o->problem->d, v = (size_t)o->problem->spec.n_variables;
  for (int i = 0; i < q; ++i) {
    gannet_problem_decode(o->problem, x_unit + (size_t)i * d, x_user + (size_t)i * v);
    GANNET_TRY(
        gannet_history_propose(o->history, x_user + (size_t)i * v, o->batch, origin, &id[i]));
  }
  o->batch += 1;
  return GANNET_OK;
}

gannet_err gannet_optimizer_ask(gannet_optimizer *o, int q, int64_t *id, double *x_user) {
  const double start = gannet_clock_seconds();
  double *x_unit = NULL;
  GANNET_REQUIRE(q >= 1, GANNET_ERR_ARG, "q = %d points, expected at least 1", q);
  const gannet_origin origin = o->options.proposer == GANNET_PROPOSE_MODEL && is_design_complete(o)
                                   ? GANNET_ORIGIN_METHOD
                                   : GANNET_ORIGIN_INITIAL;
  memset(o->phase_seconds, 0, sizeof o->phase_seconds);
  gannet_err err = gannet_alloc((size_t)q * (size_t)o->problem->d, sizeof *x_unit, &x_unit);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = propose(o, q, x_unit);
  if (err == GANNET_OK)
    err = gannet_agree(o->context->comm, record(o, q, x_unit, origin, id, x_user));
  gannet_free(&x_unit);
  o->ask_seconds = gannet_clock_seconds() - start;
  GANNET_TRY(err);
  return GANNET_OK;
}

static bool is_finite_result(const gannet_problem *problem, const gannet_result *result) {
  bool finite = isfinite(result->objective);
  for (int k = 0; k < problem->spec.n_constraints && finite; ++k)
    finite = result->constraints && isfinite(result->constraints[k]);
  return finite;
}

static gannet_eval_status status_of(const gannet_problem *problem, const gannet_result *result) {
  if (result->outcome == GANNET_RESULT_INFEASIBLE) return GANNET_EVAL_INFEASIBLE;
  if (result->outcome == GANNET_RESULT_OK && is_finite_result(problem, result))
    return GANNET_EVAL_DONE;
  return GANNET_EVAL_FAILED;
}

/* All are checked before the first is taken over. */
static gannet_err check_results(const gannet_optimizer *o, int n, const gannet_result *results) {
  for (int i = 0; i < n; ++i) {
    GANNET_REQUIRE(0 <= results[i].id && results[i].id < gannet_history_count(o->history),
                   GANNET_ERR_ARG, "evaluation %lld was never asked for", (long long)results[i].id);
    const gannet_eval_status status = gannet_history_get(o->history, results[i].id)->status;
    GANNET_REQUIRE(status == GANNET_EVAL_PENDING || status == GANNET_EVAL_FAILED, GANNET_ERR_STATE,
                   "evaluation %lld already has the result '%s'", (long long)results[i].id,
                   gannet_eval_status_text(status));
    for (int j = 0; j < i; ++j)
      GANNET_REQUIRE(results[i].id != results[j].id, GANNET_ERR_ARG,
                     "evaluation %lld is told twice", (long long)results[i].id);
  }
  return GANNET_OK;
}

static gannet_err take(gannet_optimizer *o, int n, const gannet_result *results) {
  GANNET_TRY(check_results(o, n, results));
  for (int i = 0; i < n; ++i)
    GANNET_TRY(gannet_history_tell(o->history, results[i].id, status_of(o->problem, &results[i]),
                                   results[i].objective, results[i].constraints, NULL));
  return GANNET_OK;
}

gannet_err gannet_optimizer_tell(gannet_optimizer *o, int n, const gannet_result *results) {
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n = %d results", n);
  return gannet_agree(o->context->comm, take(o, n, results));
}

static gannet_err take_point(gannet_optimizer *o, const double *x_user, const gannet_result *result,
                             int64_t *id) {
  GANNET_TRY(gannet_history_propose(o->history, x_user, o->batch, GANNET_ORIGIN_USER, id));
  return gannet_history_tell(o->history, *id, status_of(o->problem, result), result->objective,
                             result->constraints, NULL);
}

gannet_err gannet_optimizer_tell_point(gannet_optimizer *o, const double *x_user,
                                       const gannet_result *result, int64_t *id) {
  int64_t made = -1;
  GANNET_TRY(gannet_agree(o->context->comm, take_point(o, x_user, result, &made)));
  if (id) *id = made;
  return GANNET_OK;
}

void gannet_optimizer_best(const gannet_optimizer *o, gannet_best *best, double *x_user) {
  const int64_t feasible = gannet_history_best(o->history);
  best->id = feasible >= 0 ? feasible : gannet_history_least_violation(o->history);
  best->feasible = feasible >= 0;
  best->objective = best->id >= 0 ? gannet_history_get(o->history, best->id)->objective : NAN;
  if (x_user && best->id >= 0)
    memcpy(x_user, gannet_history_x_user(o->history, best->id),
           (size_t)o->problem->spec.n_variables * sizeof *x_user);
}

int gannet_optimizer_state_size(const gannet_optimizer *o) {
  return 1 + (o->models ? gannet_models_state_size(o->models) : 0);
}

void gannet_optimizer_get_state(const gannet_optimizer *o, double *state) {
  state[0] = (double)o->batch;
  if (o->models) gannet_models_get_state(o->models, state + 1);
}

gannet_err gannet_optimizer_set_state(gannet_optimizer *o, const double *state) {
  o->batch = (int64_t)state[0];
  return o->models ? gannet_models_set_state(o->models, state + 1) : GANNET_OK;
}

void gannet_optimizer_state_name(const gannet_optimizer *o, int i, char *name, size_t size) {
  if (i == 0)
    (void)snprintf(name, size, "batch");
  else
    gannet_models_state_name(o->models, i - 1, name, size);
}
