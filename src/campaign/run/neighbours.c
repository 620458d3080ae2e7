#include "campaign/run/neighbours.h"

#include <math.h>

#include "base/memory.h"
#include "problem/runs.h"

gannet_err gannet_keep_mark(const gannet_campaign *campaign, const gannet_keep *keep,
                            bool *is_kept) {
  const gannet_history *history = campaign->history;
  int64_t *ranked = NULL, n_ranked = 0, n_last = 0;
  GANNET_TRY(gannet_history_rank(history, &ranked, &n_ranked));
  for (int64_t i = 0; i < n_ranked && i < keep->best; ++i)
    if (gannet_history_violation(history, ranked[i]) <= 0) is_kept[ranked[i]] = true;
  gannet_free(&ranked);
  for (int64_t id = campaign->ledger.n - 1; id >= 0; --id) {
    const gannet_eval_status status = gannet_history_get(history, id)->status;
    const bool has_ended = campaign->ledger.ticket[id].has_result && status != GANNET_EVAL_PENDING;
    const bool has_failed = status == GANNET_EVAL_FAILED || status == GANNET_EVAL_CANNOT_RUN;
    if (!has_ended || n_last++ < keep->last || (keep->failed && has_failed)) is_kept[id] = true;
    /* What a simulation reads that runs or is still to run. */
    const int64_t from = campaign->ledger.ticket[id].start_from;
    if (!has_ended && from >= 0) is_kept[from] = true;
  }
  return GANNET_OK;
}

/* Mark the evaluations that can be started from. The policy of evaluate.keep may leave all files to
 * some of them only, and then these are the ones; a policy that is the same for all of them leaves
 * what the user says is needed. */
static gannet_err mark_startable(const gannet_campaign *campaign, bool *is_startable) {
  const gannet_evaluate_keys *keys = &campaign->input->evaluate;
  const gannet_ledger *ledger = &campaign->ledger;
  gannet_complaints known = {0}; /* the campaign file was checked */
  gannet_keep keep;
  gannet_keep_read(&keys->keep_files, &keys->keep_all_files_of, "", "", &known, &keep);
  gannet_complaints_release(&known);
  const bool are_some = !keep.all && (keep.best > 0 || keep.last > 0);
  if (are_some) GANNET_TRY(gannet_keep_mark(campaign, &keep, is_startable));
  for (int64_t id = 0; id < ledger->n; ++id) {
    const gannet_ticket *t = &ledger->ticket[id];
    /* A result that somebody told without a run has no folder. */
    is_startable[id] = (is_startable[id] || !are_some) && t->is_told && t->attempt > 0 &&
                       gannet_result_feasibility(ledger->problem, &t->result) == 1;
  }
  return GANNET_OK;
}

gannet_err gannet_neighbours_choose(const gannet_campaign *campaign, int n, int64_t first,
                                    int64_t *start_from) {
  const gannet_history *history = campaign->history;
  const int64_t known = campaign->ledger.n;
  bool *is_startable = NULL;
  GANNET_TRY(gannet_alloc((size_t)known, sizeof *is_startable, &is_startable));
  const gannet_err err = mark_startable(campaign, is_startable);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    double least = INFINITY;
    start_from[i] = -1;
    for (int64_t other = 0; other < known; ++other) {
      if (!is_startable[other]) continue;
      const double distance = gannet_problem_distance(campaign->input->problem,
                                                      gannet_history_x_unit(history, first + i),
                                                      gannet_history_x_unit(history, other));
      if (distance >= least) continue;
      least = distance;
      start_from[i] = other;
    }
  }
  gannet_free(&is_startable);
  return err;
}
