/* The optimiser of a campaign: brought up to the evaluations and the saved state, asked, and told.
 */
#include <math.h>

#include "base/memory.h"
#include "campaign/config/changes.h"
#include "campaign/run/campaign_parts.h"
#include "campaign/run/neighbours.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/start_left.h"

/* Give the state of a journal of version 0.1.0 its names. That journal does not say of which method
 * its numbers are; the effective configuration that was saved with them does. Numbers without names
 * go to the same method with the same settings only; of others the number of the batch is known. */
static gannet_err name_state(gannet_campaign *campaign) {
  gannet_ledger *ledger = &campaign->ledger;
  char path[PATH_MAX];
  int same = 0;
  if (campaign->context->rank == 0 &&
      gannet_campaign_path(campaign, "campaign.yaml", path) == GANNET_OK)
    same = gannet_changes_none_in_models(path, campaign->input);
  GANNET_TRY_MPI(MPI_Bcast(&same, 1, MPI_INT, 0, campaign->context->comm));
  gannet_err err = GANNET_OK;
  if (same)
    err = gannet_state_name_positional(campaign->optimizer, ledger->n_positional,
                                       ledger->positional, &ledger->state);
  if (err == GANNET_OK && ledger->state.n == 0)
    err = gannet_state_put(&ledger->state, "", "batch", GANNET_STATE_WHOLE, ledger->positional[0]);
  return gannet_agree(campaign->context->comm, err);
}

static gannet_err tell_optimizer(gannet_campaign *campaign, int64_t id, int64_t number) {
  gannet_result_record result = campaign->ledger.ticket[id].result;
  result.id = number;
  return gannet_history_tell(gannet_optimizer_history(campaign->optimizer), &result);
}

/* Tell the optimiser what related problems have, instead of what it knew of them. */
static gannet_err enter_related(gannet_campaign *campaign) {
  gannet_optimizer_forget_related(campaign->optimizer);
  for (int i = 0; i < campaign->ledger.n_imports; ++i) {
    const gannet_import *import = &campaign->ledger.imports[i];
    if (import->related.n > 0)
      GANNET_TRY(gannet_optimizer_enter_related(campaign->optimizer, &import->related));
  }
  return GANNET_OK;
}

/* Enter the evaluations that count into an optimiser that has none, in the order in which they were
 * proposed and told. */
static gannet_err enter_evaluations(gannet_campaign *campaign) {
  const gannet_history *from = campaign->history;
  gannet_history *to = gannet_optimizer_history(campaign->optimizer);
  int64_t *number = NULL;
  GANNET_TRY(enter_related(campaign));
  gannet_err err = gannet_alloc((size_t)gannet_history_count(from), sizeof *number, &number);
  for (int64_t id = 0; id < gannet_history_count(from) && err == GANNET_OK; ++id) {
    const gannet_evaluation *row = gannet_history_get(from, id);
    if (row->status != GANNET_EVAL_DISCARDED)
      err = gannet_history_enter(to, gannet_history_x_user(from, id), row->batch, row->origin,
                                 &number[id]);
  }
  for (int64_t at = 0; at < gannet_history_count_told(from) && err == GANNET_OK; ++at) {
    const int64_t id = gannet_history_order(from)[at];
    if (gannet_history_get(from, id)->status != GANNET_EVAL_DISCARDED)
      err = tell_optimizer(campaign, id, number[id]);
  }
  gannet_free(&number);
  return gannet_agree(campaign->context->comm, err);
}

/* After a correction the optimiser is one that was told the evaluations that count, and nothing
 * else. */
static gannet_err renew_optimizer(gannet_campaign *campaign) {
  if (!campaign->is_stale) return GANNET_OK;
  GANNET_TRY(gannet_optimizer_reset(campaign->optimizer));
  GANNET_TRY(enter_evaluations(campaign));
  const gannet_err err =
      gannet_optimizer_set_state(campaign->optimizer, &campaign->ledger.state, NULL);
  campaign->is_stale = false;
  return gannet_agree(campaign->context->comm, err);
}

static void warn_of_what_is_learnt(gannet_campaign *campaign, const gannet_state_report *report) {
  const char *before = gannet_state_find_text(&campaign->ledger.state, "", "method");
  bool is_forgotten = campaign->ledger.n_corrections > 0;
  for (int i = 0; i < campaign->ledger.n_revisions; ++i)
    is_forgotten = is_forgotten || campaign->ledger.revision[i].fingerprint != 0;
  is_forgotten = is_forgotten && campaign->ledger.state.n <= 2;
  if (campaign->context->rank != 0 || is_forgotten) return;
  if (report->n_members > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "the saved state%s%s has no hyperparameters for the model%s of %s with these "
               "settings: they are learnt again from the results",
               *before ? " of method " : "", before, report->n_members > 1 ? "s" : "",
               report->members);
  if (report->missing > 0)
    gannet_log(campaign->context, GANNET_LOG_WARNING,
               "the saved state lacks %d hyperparameters that this version has: they are learnt "
               "from the results",
               report->missing);
}

gannet_err gannet_campaign_restore_optimizer(gannet_campaign *campaign) {
  gannet_ledger *ledger = &campaign->ledger;
  const MPI_Comm comm = campaign->context->comm;
  gannet_state_report report;
  GANNET_TRY(enter_evaluations(campaign));
  if (ledger->n_positional > 0) GANNET_TRY(name_state(campaign));
  if (ledger->state.n == 0) return GANNET_OK;
  gannet_err err = gannet_optimizer_set_state(campaign->optimizer, &ledger->state, &report);
  GANNET_TRY(gannet_agree(comm, err));
  warn_of_what_is_learnt(campaign, &report);
  if (ledger->n_positional == 0) return GANNET_OK;
  err = gannet_optimizer_get_state(campaign->optimizer, &ledger->state);
  if (err == GANNET_OK) err = gannet_ledger_name_state(ledger);
  return gannet_agree(comm, err);
}

gannet_err gannet_campaign_ask(gannet_campaign *campaign, int q, int64_t *first) {
  gannet_optimizer *optimizer = campaign->optimizer;
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  int n_start = 0; /* of the q points: designs to start with */
  const bool has_starts = campaign->input->evaluate.start_from == GANNET_START_NEAREST;
  int64_t *id = NULL, *start_from = NULL;
  double *x = NULL;
  gannet_state state = {0};
  GANNET_TRY(renew_optimizer(campaign));
  const gannet_history *own = gannet_optimizer_history(optimizer);
  const int64_t asked = gannet_history_count(own);
  gannet_err err = gannet_alloc((size_t)q, sizeof *id, &id);
  if (err == GANNET_OK) err = gannet_alloc((size_t)q, sizeof *start_from, &start_from);
  if (err == GANNET_OK) err = gannet_alloc((size_t)q * v, sizeof *x, &x);
  err = gannet_agree(campaign->context->comm, err);
  *first = gannet_history_count(campaign->history);
  if (err == GANNET_OK) err = gannet_start_enter(campaign, q, &n_start);
  if (err == GANNET_OK && q > n_start) err = gannet_optimizer_ask(optimizer, q - n_start, id, x);
  if (err == GANNET_OK) {
    err = gannet_optimizer_get_state(optimizer, &state);
    for (int64_t i = asked; i < asked + q && err == GANNET_OK; ++i) {
      const gannet_evaluation *row = gannet_history_get(own, i);
      err = gannet_history_propose(campaign->history, gannet_history_x_user(own, i), row->batch,
                                   row->origin, NULL);
    }
    if (err == GANNET_OK && has_starts)
      err = gannet_neighbours_choose(campaign, q, *first, start_from);
    if (err == GANNET_OK)
      err = gannet_ledger_propose(&campaign->ledger, *first, has_starts ? start_from : NULL, &state,
                                  q > n_start ? gannet_optimizer_ask_seconds(optimizer) : NAN);
    err = gannet_agree(campaign->context->comm, err);
  }
  gannet_free(&id);
  gannet_free(&start_from);
  gannet_free(&x);
  gannet_state_release(&state);
  GANNET_TRY(err);
  return GANNET_OK;
}

gannet_err gannet_campaign_propose(gannet_campaign *campaign, const double *x_user, int64_t *id) {
  const int64_t batch = gannet_optimizer_next_batch(campaign->optimizer);
  GANNET_TRY(gannet_problem_check_point(campaign->input->problem, x_user));
  GANNET_TRY(gannet_history_propose(campaign->history, x_user, batch, GANNET_ORIGIN_USER, id));
  GANNET_TRY(gannet_ledger_propose(&campaign->ledger, *id, NULL, NULL, NAN));
  if (campaign->is_stale) return GANNET_OK;
  return gannet_history_propose(gannet_optimizer_history(campaign->optimizer), x_user, batch,
                                GANNET_ORIGIN_USER, NULL);
}

gannet_err gannet_campaign_tell(gannet_campaign *campaign, int n, const int64_t *ids) {
  const gannet_history *h = campaign->history;
  GANNET_TRY(gannet_ledger_tell(&campaign->ledger, n, ids));
  const bool has_discarded = gannet_history_count_kept(h) < gannet_history_count(h);
  for (int i = 0; i < n && !campaign->is_stale; ++i) {
    int64_t number = ids[i]; /* the optimiser counts only evaluations that were not discarded */
    for (int64_t id = 0; has_discarded && id < ids[i]; ++id)
      number -= gannet_history_get(h, id)->status == GANNET_EVAL_DISCARDED;
    GANNET_TRY(tell_optimizer(campaign, ids[i], number));
  }
  return GANNET_OK;
}

gannet_err gannet_campaign_tell_held(gannet_campaign *campaign) {
  for (int64_t id = 0; id < campaign->ledger.n; ++id) {
    const gannet_ticket *ticket = &campaign->ledger.ticket[id];
    if (ticket->has_result && !ticket->is_told) campaign->is_stale = true;
  }
  return gannet_ledger_tell_held(&campaign->ledger);
}

gannet_err gannet_campaign_correct(gannet_campaign *campaign,
                                   const gannet_correction_order *order) {
  campaign->is_stale = true;
  return gannet_ledger_correct(&campaign->ledger, order);
}

gannet_err gannet_campaign_save(gannet_campaign *campaign) {
  char path[PATH_MAX];
  gannet_err err = gannet_campaign_path(campaign, "state.h5", path);
  if (err == GANNET_OK) err = gannet_ledger_sync(&campaign->ledger); /* never behind a snapshot */
  if (err == GANNET_OK && campaign->context->rank == 0)
    err = gannet_snapshot_write(path, &campaign->ledger);
  return gannet_agree(campaign->context->comm, err);
}
