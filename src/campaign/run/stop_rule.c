#include "campaign/run/stop_rule.h"

#include <math.h>
#include <stdio.h>

#include "problem/outputs.h"

/* Results that were told after the last one that improved the best feasible objective; 0 without a
 * feasible design. */
static int64_t count_stagnant(const gannet_history *history) {
  const gannet_problem *problem = gannet_history_problem(history);
  const int64_t *order = gannet_history_order(history), n = gannet_history_count_told(history);
  int64_t improved = -1, results = 0;
  double best = INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const gannet_evaluation *row = gannet_history_get(history, order[i]);
    results += row->status != GANNET_EVAL_DISCARDED;
    if (row->status != GANNET_EVAL_DONE) continue;
    const double value = gannet_problem_flip(problem, row->objective);
    if (!(value < best)) continue;
    if (!gannet_problem_is_feasible(problem, gannet_history_constraints(history, order[i])))
      continue;
    best = value;
    improved = results;
  }
  return improved < 0 ? 0 : results - improved;
}

void gannet_stop_rule_look(const gannet_campaign *campaign, char *why, size_t size) {
  const gannet_stop_keys *stop = &campaign->input->stop;
  const gannet_problem *problem = campaign->input->problem;
  const int64_t id = gannet_history_best(campaign->history);
  char best[200];
  why[0] = '\0';
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
                   "stop.stagnation: no improvement by the last %lld results (limit %d); %s",
                   (long long)stagnant, stop->stagnation, best);
}
