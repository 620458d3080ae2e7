#include "campaign/run/stop_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "campaign/run/budget.h"
#include "optimizer/substitute.h"
#include "problem/outputs.h"

/* Results that were told after the last one that improved the best feasible objective, imported
 * and discarded ones left out; 0 without a feasible design. */
static int64_t count_stagnant(const gannet_history *history) {
  const gannet_problem *problem = gannet_history_problem(history);
  const int64_t *order = gannet_history_order(history), n = gannet_history_count_told(history);
  int64_t stagnant = 0;
  double best = INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const gannet_evaluation *row = gannet_history_get(history, order[i]);
    const double value = gannet_problem_flip(problem, row->objective);
    if (value < best && gannet_history_is_feasible(history, order[i])) {
      best = value;
      stagnant = 0;
    } else if (isfinite(best) && row->origin != GANNET_ORIGIN_IMPORT &&
               row->status != GANNET_EVAL_DISCARDED) {
      ++stagnant;
    }
  }
  return stagnant;
}

void gannet_stop_rule_look(const gannet_campaign *campaign, char *why, size_t size) {
  const gannet_stop_keys *stop = &campaign->input->stop;
  const gannet_problem *problem = campaign->input->problem;
  const int64_t id = gannet_history_best(campaign->history);
  const double limit = campaign->input->budget.cost;
  char best[200];
  why[0] = '\0';
  if (!isnan(limit) && gannet_budget_cost_spent(campaign) >= limit) {
    gannet_budget_format_cost(campaign, best);
    (void)snprintf(why, size, "budget.cost: %s %s spent", best,
                   strcmp(campaign->input->cost.from, "time") == 0 ? "of run time are" : "are");
    return;
  }
  if (id < 0) return;
  const double objective = gannet_history_get(campaign->history, id)->objective;
  const char *unit = gannet_problem_objective_unit(problem);
  (void)snprintf(best, sizeof best, "best %.70s %.10g%s%.40s (evaluation %lld)",
                 gannet_problem_quantity_name(problem, 0), objective, *unit ? " " : "", unit,
                 (long long)id);
  if (gannet_problem_flip(problem, objective) <= gannet_problem_flip(problem, stop->target)) {
    (void)snprintf(why, size, "stop.target: %s has reached %.10g", best, stop->target);
    return;
  }
  if (stop->stagnation == GANNET_AUTO) return;
  const int64_t stagnant = count_stagnant(campaign->history);
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
                 "stop.regret is left out this time, for the model of the results failed: %s",
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
