#include "campaign/run/stop_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/budget.h"
#include "optimizer/substitute.h"
#include "pareto/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"

/* Results that were told after the first run of the best design, where the runs of a design are
 * joined. */
static int64_t count_since_best(const gannet_history *history) {
  const int64_t *order = gannet_history_order(history), best = gannet_history_best(history);
  int64_t stagnant = 0;
  bool has_come = false;
  for (int64_t i = 0; best >= 0 && i < gannet_history_count_told(history); ++i) {
    const gannet_evaluation *row = gannet_history_get(history, order[i]);
    stagnant +=
        has_come && row->origin != GANNET_ORIGIN_IMPORT && row->status != GANNET_EVAL_DISCARDED;
    has_come = has_come || order[i] == best;
  }
  return stagnant;
}

/* The last of the first results, as they were told, that came onto the front of those before it,
 * as a place among all results; -1 = none is feasible. One that another result has driven off the
 * front since is not the last one that came onto it, so the last one is on the front of all. */
static gannet_err find_last_on_front(const gannet_history *history, int64_t *last) {
  const int64_t *order = gannet_history_order(history), n = gannet_history_count_told(history);
  const size_t m = (size_t)gannet_problem_n_objectives(gannet_history_problem(history));
  double *y = NULL;
  int64_t *place = NULL; /* [rows] among all results */
  int *front = NULL, rows = 0, n_front = 0;
  gannet_err err = gannet_alloc((size_t)n * m, sizeof *y, &y);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *place, &place);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *front, &front);
  for (int64_t i = 0; err == GANNET_OK && i < n; ++i) {
    if (!gannet_runs_are_feasible(history, order[i])) continue;
    gannet_runs_objectives(history, order[i], y + (size_t)rows * m, NULL);
    place[rows++] = i;
  }
  if (err == GANNET_OK) err = gannet_pareto_front(rows, (int)m, y, &n_front, front);
  *last = err == GANNET_OK && n_front > 0 ? place[front[n_front - 1]] : -1;
  gannet_free(&y);
  gannet_free(&place);
  gannet_free(&front);
  return err;
}

/* Results that were told after the last feasible one that was better than those before: with
 * several objectives, that came onto the front. Imported and discarded ones are left out; 0 without
 * a feasible design. */
static gannet_err count_stagnant(const gannet_history *history, int64_t *stagnant) {
  const int64_t *order = gannet_history_order(history), n = gannet_history_count_told(history);
  int64_t last = -1;
  *stagnant = 0;
  const bool several = gannet_problem_n_objectives(gannet_history_problem(history)) > 1;
  if (gannet_history_joins_runs(history) && !several) {
    *stagnant = count_since_best(history);
    return GANNET_OK;
  }
  GANNET_TRY(find_last_on_front(history, &last));
  for (int64_t i = last + 1; last >= 0 && i < n; ++i) {
    const gannet_evaluation *row = gannet_history_get(history, order[i]);
    *stagnant += row->origin != GANNET_ORIGIN_IMPORT && row->status != GANNET_EVAL_DISCARDED;
  }
  return GANNET_OK;
}

void gannet_stop_rule_look(const gannet_campaign *campaign, char *why, size_t size) {
  const gannet_stop_keys *stop = &campaign->input->stop;
  const gannet_problem *problem = campaign->input->problem;
  const int64_t id = gannet_history_best(campaign->history);
  const double limit = campaign->input->budget.cost;
  char best[400];
  why[0] = '\0';
  if (!isnan(limit) && gannet_budget_cost_spent(campaign) >= limit) {
    gannet_budget_format_cost(campaign, best);
    (void)snprintf(why, size, "budget.cost: %s %s spent", best,
                   strcmp(campaign->input->cost.from, "time") == 0 ? "of run time are" : "are");
    return;
  }
  if (id < 0) return;
  char evaluations[GANNET_RUNS_TEXT], error[32];
  gannet_runs runs;
  gannet_runs_find(campaign->history, id, NULL, &runs);
  gannet_runs_list(campaign->history, id, evaluations);
  gannet_runs_format_error(runs.n > 1 ? runs.error : NAN, error);
  const double objective = runs.objective;
  const char *unit = gannet_problem_objective_unit(problem);
  (void)snprintf(best, sizeof best, "best %.70s %.10g%s%s%.40s (%s)",
                 gannet_problem_quantity_name(problem, 0), objective, error, *unit ? " " : "", unit,
                 evaluations);
  if (problem->spec.n_objectives > 0)
    (void)snprintf(best, sizeof best, "the front has not changed");
  else if (gannet_problem_flip(problem, objective) <= gannet_problem_flip(problem, stop->target)) {
    (void)snprintf(why, size, "stop.target: %s has reached %.10g", best, stop->target);
    return;
  }
  if (stop->stagnation == GANNET_AUTO) return;
  int64_t stagnant = 0;
  if (count_stagnant(campaign->history, &stagnant) != GANNET_OK) gannet_error_clear();
  if (stagnant >= stop->stagnation)
    (void)snprintf(why, size,
                   "stop.stagnation: no improvement by the last %lld result%s (limit %d); %s",
                   (long long)stagnant, stagnant == 1 ? "" : "s", stop->stagnation, best);
}

gannet_err gannet_stop_rule_check(const gannet_campaign *campaign, gannet_regret_memo *memo,
                                  char *why, size_t size) {
  const gannet_stop_keys *stop = &campaign->input->stop;
  const int64_t told = gannet_history_count_told(campaign->history);
  gannet_stop_rule_look(campaign, why, size);
  if (why[0] || isnan(stop->regret_within)) return GANNET_OK;
  if (memo->told != told) {
    const gannet_regret_spec spec = {stop->regret_within, stop->regret_probability};
    const gannet_err err =
        gannet_regret_estimate(campaign->context, campaign->history, &spec, &memo->regret);
    if (gannet_substitute_helps(err)) {
      gannet_log(campaign->context, GANNET_LOG_WARNING,
                 "stop.regret is skipped this time, because the model of the results failed: %s",
                 gannet_error_message());
      gannet_error_clear();
      memo->regret = (gannet_regret){.incumbent = -1};
    } else {
      GANNET_TRY(err);
    }
    memo->told = told;
    if (memo->regret.n_draws > 0)
      gannet_log(campaign->context, GANNET_LOG_DEBUG,
                 "stop.regret: in %d of %d draws no design is better than evaluation %lld by more "
                 "than %g",
                 memo->regret.n_within, memo->regret.n_draws, (long long)memo->regret.incumbent,
                 spec.within);
  }
  const gannet_regret *r = &memo->regret;
  const char *unit = gannet_problem_objective_unit(campaign->input->problem);
  if (r->is_reached)
    (void)snprintf(why, size,
                   "stop.regret: with probability %.3g (%d of %d draws) no design is better than "
                   "evaluation %lld by more than %.10g%s%.40s",
                   (double)r->n_within / r->n_draws, r->n_within, r->n_draws,
                   (long long)r->incumbent, stop->regret_within, *unit ? " " : "", unit);
  return GANNET_OK;
}
