#include "problem/cost.h"

#include <math.h>
#include <string.h>

#include "problem/outputs.h"

double gannet_cost_of(const gannet_history *history, const char *from, int64_t id) {
  const gannet_evaluation *row = gannet_history_get(history, id);
  if (strcmp(from, GANNET_COST_OF_TIME) == 0) {
    const double seconds = row->run.ended - row->run.started;
    if (isfinite(seconds)) return seconds;
  }
  const int index = gannet_problem_find_quantity(gannet_history_problem(history), from);
  if (index == 0) return row->objective;
  if (index > 0) return gannet_history_constraints(history, id)[index - 1];
  const gannet_reported *found = gannet_quantities_find(gannet_history_reported(history, id), from);
  return found ? found->value : NAN;
}

static bool counts_in_budget(const gannet_evaluation *row) {
  return row->origin != GANNET_ORIGIN_IMPORT && row->status != GANNET_EVAL_DISCARDED;
}

static double counted(double cost) {
  return cost > 0 && isfinite(cost) ? cost : 0;
}

double gannet_cost_spent(const gannet_history *history, const char *from) {
  double sum = 0;
  for (int64_t id = 0; id < gannet_history_count(history); ++id)
    if (counts_in_budget(gannet_history_get(history, id)))
      sum += counted(gannet_cost_of(history, from, id));
  return sum;
}

double gannet_cost_of_design(const gannet_history *history, const char *from, int64_t *n) {
  double sum = 0;
  *n = 0;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const gannet_evaluation *row = gannet_history_get(history, id);
    const bool is_first =
        row->origin == GANNET_ORIGIN_INITIAL || row->origin == GANNET_ORIGIN_START;
    if (!is_first || !counts_in_budget(row)) continue;
    *n += 1;
    sum += counted(gannet_cost_of(history, from, id));
  }
  return sum;
}
