#include "optimizer/optimizer_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/plain_environment.h"
#include "linalg/blas.h"
#include "optimizer/hyper_digest.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/models/repeats.h"
#include "optimizer/objective_options.h"
#include "optimizer/portfolio.h"
#include "optimizer/propose/propose.h"
#include "optimizer/rank_digest.h"
#include "optimizer/recommend.h"
#include "optimizer/replicates.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static int64_t n_initial(const gannet_optimizer *o) {
  if (o->options.method.initial != GANNET_AUTO) return o->options.method.initial;
  const bool few = o->options.n_members > 1 || gannet_problem_n_objectives(o->problem) > 1;
  const int wanted = few ? o->problem->d + 1 : 2 * o->problem->d;
  return wanted < 4 ? 4 : wanted > 64 ? 64 : wanted;
}

/* Sides of the box of the first points. In few variables a few points show the whole box, which was
 * measured to be as good. */
static double initial_span(const gannet_optimizer *o) {
  if (!isnan(o->options.method.initial_span)) return o->options.method.initial_span;
  return o->options.n_members > 1 && o->problem->d >= 4 ? 0.3 : 1;
}

/* What the problem adds to the options, and whether they go with it. */
static gannet_err join_problem(const gannet_problem *problem, gannet_optimizer_options *options) {
  gannet_complaints complaints = {0};
  gannet_err code = gannet_pde_constraint_join(options, problem, &complaints);
  if (code == GANNET_OK) gannet_pde_constraint_check(options, problem, NULL, &complaints);
  if (code == GANNET_OK) code = gannet_objective_options_join(options, problem, &complaints);
  if (code == GANNET_OK) gannet_objective_options_check(options, problem, &complaints);
  if (code == GANNET_OK) gannet_replicates_check(options, problem, NULL, &complaints);
  if (code == GANNET_OK) code = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return code;
}

/* What an optimiser without evaluations knows. */
static gannet_err forget_all(gannet_optimizer *o) {
  for (int m = 0; m < GANNET_OBJECTIVES_MOST; ++m) {
    o->penalty[m] = INFINITY;
    o->told_constant[m] = false;
  }
  o->told_repeats = false;
  o->batch = 0;
  o->substitute = 0;
  o->noise_test = (gannet_noise_test){0};
  gannet_allocation_reset(&o->allocation);
  o->race = (gannet_race){0};
  gannet_distinct_destroy(&o->seen);
  return gannet_distinct_create(o->problem, 0, &o->seen);
}

/* Everything of an optimiser but its members. Once it is allocated it has taken the options over,
 * also after an error. */
static gannet_err create_without_members(gannet_context *context, const gannet_problem *problem,
                                         gannet_optimizer_options *options,
                                         gannet_optimizer **optimizer) {
  GANNET_TRY(gannet_alloc(1, sizeof **optimizer, optimizer));
  gannet_optimizer *made = *optimizer;
  made->context = context;
  made->problem = problem;
  gannet_problem_hold(problem, &made->holders);
  made->options = *options;
  memset(options, 0, sizeof *options);
  GANNET_TRY(gannet_history_create(problem, &made->history));
  gannet_history_name_rows(made->history, &made->discarded);
  GANNET_TRY(gannet_related_create(context, problem, &made->related));
  if (!made->options.method.penalties) gannet_history_take_at_its_word(made->history);
  gannet_history_join_runs(made->history, made->options.method.replicates);
  const size_t n = (size_t)made->options.n_members;
  GANNET_TRY(gannet_alloc(n, sizeof *made->part, &made->part));
  GANNET_TRY(gannet_alloc(n, sizeof *made->meaning, &made->meaning));
  for (int i = 0; i < made->options.n_members; ++i) {
    gannet_member_state_prefix(&made->options, i, made->part[i]);
    GANNET_TRY(gannet_hyper_digest(problem, &made->options, i, made->meaning[i]));
  }
  GANNET_TRY(gannet_alloc(n, sizeof *made->member, &made->member));
  return forget_all(made);
}

/* Make the model of the costs where they are weighed, and then the members, which weigh by it. */
static gannet_err create_members(gannet_optimizer *o) {
  if (o->options.cost.weigh)
    GANNET_TRY(gannet_cost_model_create(o->context, o->history, &o->options, &o->cost));
  const int replicates = o->options.method.replicates;
  return gannet_portfolio_create(o, n_initial(o) * (replicates > 1 ? replicates : 1));
}

/* What the user should know of settings, told once. */
static void log_settings(const gannet_optimizer *o) {
  const gannet_optimizer_options *options = &o->options;
  char others[300] = "";
  if (!options->cost.weigh) return;
  for (int i = 0; i < options->n_members; ++i) {
    const size_t used = strlen(others);
    if (!gannet_member_options_weigh(&options->member[i]))
      (void)snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "",
                     options->member[i].method.method);
  }
  if (others[0])
    gannet_log(o->context, GANNET_LOG_INFO,
               "cost.weigh: methods of the portfolio that propose without a look at the cost, as "
               "they have no gain that it could divide: %s",
               others);
  if (options->limits.evaluations == GANNET_AUTO && isnan(options->limits.cost))
    gannet_log(o->context, GANNET_LOG_INFO,
               "cost.weigh: there is neither budget.evaluations nor budget.cost, so the cost "
               "counts as much at the end as at the beginning");
}

/* Make the optimiser from checked options, which it takes over. */
static gannet_err create_from(gannet_context *context, const gannet_problem *problem,
                              gannet_optimizer_options *options, gannet_optimizer **optimizer) {
  *optimizer = NULL;
  GANNET_TRY(gannet_agree(context->comm, join_problem(problem, options)));
  gannet_err err =
      gannet_agree(context->comm, create_without_members(context, problem, options, optimizer));
  if (err == GANNET_OK) err = gannet_agree(context->comm, create_members(*optimizer));
  if (err == GANNET_OK) log_settings(*optimizer);
  if (err != GANNET_OK) gannet_optimizer_destroy(optimizer);
  GANNET_TRY(err);
  return GANNET_OK;
}

/* Check the arguments of create on this rank, and read the settings. */
static gannet_err parse_settings(const gannet_context *context, const gannet_problem *problem,
                                 int n, const gannet_method_setting *settings,
                                 gannet_optimizer_options *options) {
  gannet_setting *list = NULL;
  gannet_complaints complaints = {0};
  GANNET_REQUIRE_POINTER(problem, "problem");
  GANNET_TRY(gannet_blas_prepare());
  GANNET_REQUIRE(n >= 0, GANNET_ERR_ARG, "n_settings = %d", n);
  if (n > 0) GANNET_REQUIRE_POINTER(settings, "settings");
  for (int i = 0; i < n; ++i) {
    GANNET_REQUIRE_POINTER(settings[i].key, "the key of a setting");
    GANNET_REQUIRE_POINTER(settings[i].text, settings[i].key);
  }
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *list, &list));
  for (int i = 0; i < n; ++i)
    list[i] = (gannet_setting){.key = settings[i].key, .text = settings[i].text};
  gannet_err err = gannet_optimizer_options_parse(n, list, options, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  if (err == GANNET_OK) gannet_complaints_log(&complaints, context);
  gannet_complaints_release(&complaints);
  gannet_free(&list);
  return err;
}

static gannet_err require_same_on_ranks(const gannet_context *context,
                                        const gannet_problem *problem, int n,
                                        const gannet_method_setting *settings) {
  const uint64_t of_problem = gannet_rank_digest_problem(&problem->spec);
  const uint64_t of_equations = gannet_rank_digest_equations(problem);
  const uint64_t of_candidates = gannet_rank_digest_candidates(problem);
  const uint64_t of_relations = gannet_rank_digest_variable_constraints(problem);
  const uint64_t of_functions = gannet_rank_digest_variable_functions(problem);
  const uint64_t of_settings = gannet_rank_digest_settings(n, settings);
  GANNET_TRY(gannet_same(context->comm, &of_problem, sizeof of_problem,
                         "variables, constraints, goal or noise of the problem"));
  GANNET_TRY(gannet_same(context->comm, &of_equations, sizeof of_equations,
                         "equations of the problem (gannet_problem_set_physics)"));
  GANNET_TRY(gannet_same(context->comm, &of_candidates, sizeof of_candidates,
                         "candidates of the problem (gannet_problem_set_candidates)"));
  GANNET_TRY(gannet_same(context->comm, &of_relations, sizeof of_relations,
                         "variable constraints of the problem "
                         "(gannet_problem_set_variable_constraints)"));
  GANNET_TRY(gannet_same(context->comm, &of_functions, sizeof of_functions,
                         "functions of the problem (gannet_problem_set_variable_functions)"));
  return gannet_same(context->comm, &of_settings, sizeof of_settings, "settings of the method");
}

gannet_err gannet_optimizer_create(gannet_context *context, const gannet_problem *problem,
                                   int n_settings, const gannet_method_setting *settings,
                                   gannet_optimizer **optimizer) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  gannet_optimizer_options options = {0};
  GANNET_REQUIRE_POINTER(optimizer, "optimizer");
  *optimizer = NULL;
  GANNET_REQUIRE_POINTER(context, "context");
  gannet_err err =
      gannet_agree(context->comm, parse_settings(context, problem, n_settings, settings, &options));
  if (err == GANNET_OK) err = require_same_on_ranks(context, problem, n_settings, settings);
  if (err == GANNET_OK) err = create_from(context, problem, &options, optimizer);
  gannet_optimizer_options_release(&options);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_optimizer_destroy(gannet_optimizer **optimizer) {
  if (!optimizer || !*optimizer) return;
  for (int i = 0; (*optimizer)->member && i < (*optimizer)->options.n_members; ++i)
    gannet_member_release(&(*optimizer)->member[i]);
  gannet_free(&(*optimizer)->member);
  gannet_cost_model_destroy(&(*optimizer)->cost);
  gannet_free(&(*optimizer)->part);
  gannet_free(&(*optimizer)->meaning);
  gannet_distinct_destroy(&(*optimizer)->seen);
  gannet_history_destroy(&(*optimizer)->history);
  gannet_free(&(*optimizer)->discarded.id);
  gannet_related_destroy(&(*optimizer)->related);
  gannet_optimizer_options_release(&(*optimizer)->options);
  gannet_problem_let_go(&(*optimizer)->holders);
  gannet_free(optimizer);
}

static bool has_models(const gannet_optimizer *o) {
  const gannet_proposer proposer = o->options.member[0].proposer;
  return o->options.n_members > 1 || proposer == GANNET_PROPOSE_MODEL ||
         proposer == GANNET_PROPOSE_QUADRATIC || proposer == GANNET_PROPOSE_EVOLUTION;
}

/* Whether the next points are of the first design: methods with models need evaluations first. */
static bool is_in_first_design(const gannet_optimizer *o) {
  const gannet_history *h = o->history;
  if (!has_models(o)) return false;
  /* What the caller brought along counts, but for designs from elsewhere, which do not show the
   * box. */
  if (gannet_runs_count_designs(h, true) < n_initial(o)) return true;
  if (gannet_history_count_observations(h) < 1) return true;
  return gannet_history_count_elsewhere(h) > 0 && gannet_history_least_violation(h) < 0;
}

gannet_err gannet_optimizer_propose_first(gannet_optimizer *o, int q, double *x_unit) {
  gannet_member without_models = o->member[0];
  without_models.batch = o->batch;
  without_models.n_chosen = 0;
  without_models.models = NULL;
  without_models.local = NULL;
  const gannet_design design = {.n_near = n_initial(o), .span = initial_span(o)};
  return gannet_propose_design(&without_models, q, &design, x_unit);
}

/* Enter the points as proposals of one batch; ids and values of the variables are told to the user.
 *
 * row  in  [q] of gannet_replicates_plan
 */
static gannet_err enter_into_history(gannet_optimizer *o, int q, const int64_t *row,
                                     const double *x_unit, gannet_origin origin, int64_t *id,
                                     double *x_user) {
  const size_t d = (size_t)o->problem->d, v = (size_t)o->problem->spec.n_variables;
  for (int i = 0; i < q; ++i) {
    double *x = x_user + (size_t)i * v;
    if (row[i] >= 0)
      memcpy(x, gannet_history_x_user(o->history, row[i]), v * sizeof *x);
    else
      gannet_problem_decode(o->problem, x_unit + (size_t)(-1 - row[i]) * d, x);
    GANNET_TRY(gannet_history_propose(o->history, x, o->batch, origin, &id[i]));
    id[i] = gannet_discarded_id(&o->discarded, id[i]);
  }
  o->batch += 1;
  return GANNET_OK;
}

/* An ask: which points are new, and these. */
typedef struct {
  int n_new;
  int64_t *row;   /* [q] of gannet_replicates_plan */
  double *x_unit; /* [q][d] the first n_new are used */
} asked_points;

gannet_err gannet_optimizer_prepare_points(gannet_optimizer *o, int q, double **x_unit) {
  GANNET_TRY(gannet_alloc((size_t)q * (size_t)o->problem->d, sizeof **x_unit, x_unit));
  const int64_t n = gannet_history_count(o->history);
  GANNET_TRY(gannet_distinct_reserve(o->seen, n));
  for (int64_t seen = gannet_distinct_count(o->seen); seen < n; ++seen)
    gannet_distinct_add(o->seen, gannet_history_x_unit(o->history, seen));
  return GANNET_OK;
}

/* Check the arguments of ask on this rank, and plan which points are new. */
static gannet_err begin_ask(gannet_optimizer *o, int q, bool by_models, const int64_t *id,
                            const double *x_user, asked_points *asked) {
  GANNET_REQUIRE_POINTER(id, "id");
  GANNET_REQUIRE_POINTER(x_user, "x_user");
  GANNET_REQUIRE(q >= 1, GANNET_ERR_ARG, "q = %d points, expected at least 1", q);
  GANNET_TRY(gannet_alloc((size_t)q, sizeof *asked->row, &asked->row));
  GANNET_TRY(gannet_replicates_plan(o->history, q, by_models, asked->row, &asked->n_new));
  const int64_t left = gannet_history_count_left(o->history);
  GANNET_REQUIRE(asked->n_new <= left, GANNET_ERR_STATE,
                 "%d points asked for, but only %lld listed candidates were never proposed",
                 asked->n_new, (long long)left);
  return gannet_optimizer_prepare_points(o, q, &asked->x_unit);
}

/* Tell which values of objective m count as failures, when others do than before. */
static void log_penalty(gannet_optimizer *o, int m) {
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  const char *name = several ? o->problem->spec.objectives[m].name : "objective";
  int64_t count;
  double least = gannet_history_penalty(o->history, m, &count), value = 0;
  const bool is_constant = several ? gannet_history_is_objective_constant(o->history, m, &value)
                                   : gannet_history_is_constant(o->history);
  if (is_constant && !o->told_constant[m] && several)
    gannet_log(o->context, GANNET_LOG_INFO,
               "%s is %g in all results: it decides nothing until one differs", name,
               gannet_problem_flip_objective(o->problem, m, value));
  else if (is_constant && !o->told_constant[m])
    gannet_log(o->context, GANNET_LOG_INFO,
               "all %lld results are %g: nothing is learnt from them until one differs (penalties: "
               "no = learn all the same)",
               (long long)count, gannet_problem_flip(o->problem, least));
  o->told_constant[m] = is_constant;
  if (is_constant) least = INFINITY;
  if (isfinite(least) && least != o->penalty[m])
    gannet_log(o->context, GANNET_LOG_INFO,
               "%lld results count as failures of their designs: their %s, %g%s, is a "
               "penalty, as several are exactly or nearly so and others are far from it "
               "(%s%s%spenalties: no = every value is one)",
               (long long)count, name, gannet_problem_flip_objective(o->problem, m, least),
               gannet_problem_flip_objective(o->problem, m, 1) < 0 ? " or less" : " or more",
               several ? "objectives." : "", several ? name : "", several ? "." : "");
  o->penalty[m] = least;
}

static void warn_of_repeats(gannet_optimizer *o) {
  const bool several = gannet_problem_n_objectives(o->problem) > 1;
  const int agree = o->told_repeats ? 0 : gannet_repeats_agree(o->history);
  if (agree < GANNET_REPEATS_TELLING) return;
  o->told_repeats = true;
  gannet_log(o->context, GANNET_LOG_WARNING,
             "%d of the last results are exactly those of the same designs before: if the "
             "simulation always repeats itself, set noise: 0%s, and no design is run twice",
             agree, several ? " for every objective" : "");
}

gannet_err gannet_optimizer_ask(gannet_optimizer *o, int q, int64_t *id, double *x_user) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  const double start = gannet_clock_seconds();
  asked_points asked = {0};
  GANNET_REQUIRE_POINTER(o, "optimizer");
  const bool is_first = is_in_first_design(o);
  const gannet_origin origin =
      has_models(o) && !is_first ? GANNET_ORIGIN_METHOD : GANNET_ORIGIN_INITIAL;
  memset(o->phases.seconds, 0, sizeof o->phases.seconds);
  gannet_err err = gannet_agree(o->context->comm, begin_ask(o, q, !is_first, id, x_user, &asked));
  if (err == GANNET_OK)
    err = gannet_same(o->context->comm, &q, sizeof q, "the number of points asked for");
  for (int m = 0; m < gannet_problem_n_objectives(o->problem) && err == GANNET_OK; ++m)
    log_penalty(o, m);
  if (err == GANNET_OK) warn_of_repeats(o);
  if (err == GANNET_OK && asked.n_new > 0)
    err = is_first ? gannet_optimizer_propose_first(o, asked.n_new, asked.x_unit)
                   : gannet_portfolio_propose(o, asked.n_new, asked.x_unit);
  if (err == GANNET_OK && o->problem->n_functions > 0) {
    const uint64_t digest =
        gannet_rank_digest_numbers(0, asked.n_new * o->problem->d, asked.x_unit);
    err = gannet_same(o->context->comm, &digest, sizeof digest,
                      "values of functions of the problem (gannet_problem_set_variable_functions), "
                      "and with them the points,");
  }
  if (err == GANNET_OK)
    err = gannet_agree(o->context->comm,
                       enter_into_history(o, q, asked.row, asked.x_unit, origin, id, x_user));
  gannet_free(&asked.row);
  gannet_free(&asked.x_unit);
  o->ask_seconds = gannet_clock_seconds() - start;
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_optimizer_quantity(const gannet_optimizer *o, int64_t id, const char *name,
                                     gannet_quantity *quantity) {
  int64_t row = -1;
  GANNET_REQUIRE_POINTER(o, "optimizer");
  GANNET_REQUIRE_POINTER(name, "name");
  GANNET_REQUIRE_POINTER(quantity, "quantity");
  GANNET_TRY(gannet_optimizer_find_row(o, id, &row));
  const gannet_reported *found =
      gannet_quantities_find(gannet_history_reported(o->history, row), name);
  const int index = gannet_problem_find_quantity(o->problem, name);
  *quantity = (gannet_quantity){.name = name, .value = NAN};
  if (found)
    *quantity = (gannet_quantity){found->name, found->value, found->sd, found->gradient};
  else if (index == 0)
    quantity->value = gannet_history_get(o->history, row)->objective;
  else if (index > 0)
    quantity->value = gannet_history_constraints(o->history, row)[index - 1];
  return GANNET_OK;
}

void gannet_optimizer_best(const gannet_optimizer *o, gannet_best *best, double *x_user) {
  gannet_best unwanted;
  if (!best) best = &unwanted;
  *best = (gannet_best){.id = -1, .objective = NAN, .error = NAN};
  if (!o) return;
  const int64_t feasible = gannet_history_best(o->history);
  const int64_t row = feasible >= 0 ? feasible : gannet_history_least_violation(o->history);
  best->feasible = feasible >= 0;
  if (row < 0) return;
  best->id = gannet_discarded_id(&o->discarded, row);
  gannet_runs runs;
  gannet_runs_find(o->history, row, NULL, &runs);
  best->objective = runs.objective;
  best->runs = (int)runs.n;
  best->error = runs.error;
  if (x_user)
    memcpy(x_user, gannet_history_x_user(o->history, row),
           (size_t)o->problem->spec.n_variables * sizeof *x_user);
}

int64_t gannet_optimizer_front(const gannet_optimizer *o, int64_t most, int64_t *id, double *x_user,
                               double *objectives, double *reference, double *hypervolume) {
  gannet_front front = {0};
  if (!o) return 0;
  gannet_err err = gannet_front_find(o->history, &front);
  if (err == GANNET_OK && hypervolume) err = gannet_front_measure(&front);
  if (err != GANNET_OK) {
    gannet_front_release(&front);
    return -1;
  }
  const size_t v = (size_t)o->problem->spec.n_variables, several = (size_t)front.m;
  const int n = front.n;
  for (int64_t i = 0; i < n && i < most; ++i) {
    const size_t at = (size_t)i;
    if (id) id[at] = gannet_discarded_id(&o->discarded, front.id[at]);
    if (x_user)
      memcpy(x_user + at * v, gannet_history_x_user(o->history, front.id[at]), v * sizeof *x_user);
    for (size_t m = 0; m < several && objectives; ++m)
      objectives[at * several + m] =
          gannet_problem_flip_objective(o->problem, (int)m, front.y[at * several + m]);
  }
  for (int m = 0; m < front.m && reference; ++m)
    reference[m] = gannet_problem_flip_objective(o->problem, m, front.reference[m]);
  if (hypervolume) *hypervolume = front.hypervolume;
  gannet_front_release(&front);
  return n;
}

void gannet_optimizer_count(const gannet_optimizer *o, gannet_counts *counts) {
  if (!counts) return;
  *counts = (gannet_counts){0};
  if (!o) return;
  *counts =
      (gannet_counts){.pending = gannet_history_count_status(o->history, GANNET_EVAL_PENDING),
                      .done = gannet_history_count_done(o->history),
                      .feasible = gannet_history_count_feasible(o->history),
                      .cannot_run = gannet_history_count_status(o->history, GANNET_EVAL_CANNOT_RUN),
                      .failed = gannet_history_count_status(o->history, GANNET_EVAL_FAILED)};
}

gannet_err gannet_optimizer_recommend(const gannet_optimizer *o, gannet_recommendation *r,
                                      double *x_user) {
  const gannet_plain_environment plain GANNET_UNTIL_RETURN = gannet_plain_environment_begin();
  GANNET_REQUIRE_POINTER(o, "optimizer");
  GANNET_REQUIRE_POINTER(r, "recommendation");
  GANNET_TRY(gannet_objectives_require_one(o->problem, "a recommendation"));
  GANNET_TRY(gannet_recommend(o->context, o->history, r));
  if (r->id >= 0 && x_user)
    memcpy(x_user, gannet_history_x_user(o->history, r->id),
           (size_t)o->problem->spec.n_variables * sizeof *x_user);
  if (r->id >= 0) r->id = gannet_discarded_id(&o->discarded, r->id);
  return GANNET_OK;
}

gannet_err gannet_optimizer_find_row(const gannet_optimizer *o, int64_t id, int64_t *row) {
  const int64_t n = gannet_history_count(o->history) + o->discarded.n;
  GANNET_REQUIRE(0 <= id && id < n, GANNET_ERR_ARG, "evaluation %lld was never asked for",
                 (long long)id);
  *row = gannet_discarded_row(&o->discarded, id);
  GANNET_REQUIRE(*row >= 0, GANNET_ERR_STATE, "evaluation %lld was discarded", (long long)id);
  return GANNET_OK;
}

gannet_err gannet_optimizer_reset(gannet_optimizer *o) {
  gannet_history_clear(o->history);
  return gannet_optimizer_forget(o);
}

gannet_err gannet_optimizer_forget(gannet_optimizer *o) {
  for (int i = 0; i < o->options.n_members; ++i) gannet_member_release(&o->member[i]);
  gannet_cost_model_destroy(&o->cost);
  GANNET_TRY(gannet_agree(o->context->comm, forget_all(o)));
  return gannet_agree(o->context->comm, create_members(o));
}

void gannet_optimizer_forget_related(gannet_optimizer *o) {
  gannet_related_clear(o->related);
}

gannet_history *gannet_optimizer_history(gannet_optimizer *o) {
  return o->history;
}

int64_t gannet_optimizer_next_batch(const gannet_optimizer *o) {
  return o->batch;
}

double gannet_optimizer_ask_seconds(const gannet_optimizer *o) {
  return o->ask_seconds;
}
