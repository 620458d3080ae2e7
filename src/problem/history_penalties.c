/* Which values of a history stand for designs that do not work, and which are observations. */
#include <math.h>

#include "problem/history_impl.h"
#include "problem/objectives.h"

double gannet_history_penalty(const gannet_history *history, int m, int64_t *count) {
  const gannet_problem_spec *spec = &history->problem->spec;
  int64_t above;
  const bool is_constant = history->several == 1 && history->penalty[m].n == 1;
  *count = 0;
  if (history->at_its_word || (is_constant && history->is_varied)) return INFINITY;
  if (spec->n_objectives > 0 && spec->objectives[m].keeps_penalties) return INFINITY;
  const double equal = gannet_penalty_least(&history->penalty[m], count);
  const double apart = gannet_gap_least(&history->gap[m], &above);
  if (equal <= apart || (history->several > 1 && !history->gaps_agree)) return equal;
  *count = above;
  return apart;
}

bool gannet_history_has_penalties(const gannet_history *history) {
  int64_t count = 0;
  for (int m = 0; m < history->several && count == 0; ++m)
    (void)gannet_history_penalty(history, m, &count);
  return count > 0;
}

bool gannet_history_is_penalty(const gannet_history *history, int64_t id) {
  double y[GANNET_OBJECTIVES_MOST];
  int64_t count;
  if (history->row[id].status != GANNET_EVAL_DONE) return false;
  gannet_history_objectives(history, id, y);
  for (int m = 0; m < history->several; ++m)
    if (y[m] >= gannet_history_penalty(history, m, &count)) return true;
  return false;
}

int64_t gannet_history_count_observations(const gannet_history *history) {
  int64_t penalties, n = 0;
  if (!gannet_history_has_penalties(history)) return history->n_objectives;
  (void)gannet_history_penalty(history, 0, &penalties);
  if (history->several == 1 && history->replicates == 1) return history->n_objectives - penalties;
  /* Of runs on purpose a penalty is counted once for a design, and of several objectives more than
   * one may be a penalty. */
  for (int64_t id = 0; id < history->n; ++id) n += gannet_history_is_observation(history, id);
  return n;
}

bool gannet_history_is_constant(const gannet_history *history) {
  return history->several == 1 && history->n_objectives > 0 &&
         gannet_history_count_observations(history) == 0;
}

bool gannet_history_is_objective_constant(const gannet_history *history, int m, double *value) {
  enum { TELLING = 3 /* results: two may be equal by chance where values are few */ };
  const gannet_penalty *values = &history->penalty[m];
  if (history->several == 1 || values->n != 1 || values->worst[0].count < TELLING) return false;
  *value = values->best;
  return true;
}

bool gannet_history_is_observation(const gannet_history *history, int64_t id) {
  const gannet_evaluation *row = &history->row[id];
  return row->status == GANNET_EVAL_DONE && !isnan(row->objective) &&
         !gannet_history_is_penalty(history, id);
}

bool gannet_history_is_sound(const gannet_history *history, int64_t id) {
  const int feasibility = gannet_history_feasibility(history, id);
  return feasibility == 0 || (feasibility > 0 && gannet_history_is_observation(history, id));
}

bool gannet_history_is_bad(const gannet_history *history, int64_t id) {
  const gannet_evaluation *row = &history->row[id];
  if (row->status == GANNET_EVAL_DONE)
    return gannet_history_is_penalty(history, id) && gannet_history_feasibility(history, id) != 0;
  return row->status == GANNET_EVAL_CANNOT_RUN ||
         (row->status == GANNET_EVAL_FAILED && row->run.crashed);
}
