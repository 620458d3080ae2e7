#include "campaign/run/change.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/partition.h"
#include "campaign/config/changes.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/start_left.h"
#include "evaluate/result_record.h"
#include "problem/runs.h"

/* Add what a list has to another. Differences that the last change told already are left out: a
 * process that ended before it wrote the configuration has them in the journal. */
static gannet_err add_list(const gannet_change_list *from, const gannet_ledger *ledger,
                           gannet_change_list *to) {
  const gannet_change_list none = {0};
  const gannet_change_list *told =
      ledger->n_revisions > 0 ? &ledger->revision[ledger->n_revisions - 1].list : &none;
  for (int i = 0; i < from->n; ++i) {
    const gannet_change_item *item = &from->item[i];
    if (!gannet_change_list_has(told, item))
      GANNET_TRY(gannet_change_list_add(to, item->key, item->before, item->now));
  }
  return GANNET_OK;
}

/* The text of a record; NULL when nothing differs. */
static gannet_err write_record(const gannet_campaign *campaign, const gannet_changes *changes,
                               gannet_revision *revision, char **text) {
  const gannet_ledger *ledger = &campaign->ledger;
  const gannet_problem *problem = campaign->input->problem;
  const bool is_other = ledger->fingerprint != gannet_problem_fingerprint(problem);
  char *before = NULL, *after = NULL;
  *text = NULL;
  for (int i = 0; i < changes->problem.n && is_other; ++i) {
    const gannet_change_item *item = &changes->problem.item[i];
    GANNET_TRY(gannet_change_list_add(&revision->list, item->key, item->before, item->now));
  }
  GANNET_TRY(add_list(&changes->course, ledger, &revision->list));
  GANNET_TRY(add_list(&changes->simulation, ledger, &revision->list));
  GANNET_TRY(add_list(&changes->recorded, ledger, &revision->list));
  if (!is_other && revision->list.n == 0) return GANNET_OK;
  revision->when = gannet_clock_epoch();
  gannet_user_name(revision->who, sizeof revision->who);
  if (is_other) revision->fingerprint = ledger->fingerprint;
  gannet_err err = GANNET_OK;
  if (is_other) err = gannet_campaign_format_problem(ledger->problem, &before);
  if (err == GANNET_OK && is_other) err = gannet_campaign_format_problem(problem, &after);
  if (err == GANNET_OK) err = gannet_record_change(revision, before, after, text);
  gannet_free(&before);
  gannet_free(&after);
  return err;
}

/* The record, and warnings of what may surprise. */
static gannet_err make_record(const gannet_campaign *campaign, char **text) {
  gannet_changes changes = {0};
  gannet_revision revision = {0};
  char path[PATH_MAX];
  *text = NULL;
  gannet_err err = gannet_join_path(campaign->directory, "campaign.yaml", path, sizeof path);
  if (err == GANNET_OK)
    err = gannet_changes_of_problem(campaign->ledger.problem, campaign->input->problem,
                                    &changes.problem);
  if (err == GANNET_OK) err = gannet_changes_of_settings(path, campaign->input, &changes);
  if (err == GANNET_OK) err = write_record(campaign, &changes, &revision, text);
  if (err == GANNET_OK) gannet_changes_warn(campaign->context, &changes);
  if (err == GANNET_OK)
    gannet_changes_warn_names(campaign->context, campaign->ledger.problem,
                              campaign->input->problem);
  gannet_changes_release(&changes);
  gannet_change_list_release(&revision.list);
  return err;
}

/* Check the designs to start with when the problem has not changed: the list may have got new ones
 * that are not allowed. */
static gannet_err check_designs(const gannet_campaign *campaign) {
  const gannet_err err = gannet_start_check_run(&campaign->input->start, campaign->history);
  return err == GANNET_ERR_INPUT
             ? GANNET_RAISE(err, "%s. The campaign is as it was", gannet_error_detail())
             : err;
}

/* Change the ledger, and note what that means for its evaluations. */
static gannet_err take_record(gannet_campaign *campaign, const char *text) {
  gannet_ledger *ledger = &campaign->ledger;
  const int64_t feasible = ledger->n_feasible, best = gannet_history_best(ledger->history);
  const int64_t changes = ledger->n_changes;
  const gannet_err err =
      gannet_ledger_change(ledger, text, gannet_start_check_run, &campaign->input->start);
  if (err == GANNET_ERR_INPUT)
    return GANNET_RAISE(err, "%s. The campaign is as it was", gannet_error_detail());
  GANNET_TRY(err);
  campaign->change = (gannet_change_effect){.is_made = true,
                                            .is_of_problem = ledger->n_changes > changes,
                                            .feasible_before = feasible,
                                            .best_before = best};
  return GANNET_OK;
}

void gannet_campaign_change_effect(const gannet_campaign *campaign, char *text, size_t size) {
  const gannet_change_effect *change = &campaign->change;
  const gannet_history *history = campaign->ledger.history;
  const int64_t best = gannet_history_best(history);
  const int64_t outside = gannet_history_count_elsewhere(history);
  int64_t unknown = 0;
  char other[80] = "";
  text[0] = '\0';
  if (!change->is_of_problem) return;
  if (change->best_before >= 0 && best < 0)
    (void)snprintf(other, sizeof other, "; no evaluation is the best now (%lld before)",
                   (long long)change->best_before);
  else if (change->best_before >= 0 && best != change->best_before)
    (void)snprintf(other, sizeof other, "; the best is evaluation %lld instead of %lld",
                   (long long)best, (long long)change->best_before);
  (void)snprintf(text, size, "%lld feasible before, %lld now%s", (long long)change->feasible_before,
                 (long long)campaign->ledger.n_feasible, other);
  for (int64_t i = 0; i < campaign->ledger.n; ++i) {
    const gannet_result_record *result = &campaign->ledger.ticket[i].result;
    unknown += result->status == GANNET_EVAL_DONE &&
               gannet_result_feasibility(campaign->ledger.problem, result) < 0;
  }
  size_t used = strlen(text);
  if (unknown > 0 && used < size)
    used += (size_t)snprintf(
        text + used, size - used,
        "; %lld lack%s a number that is now required, and it is unknown whether %s feasible",
        (long long)unknown, unknown == 1 ? "s" : "", unknown == 1 ? "it is" : "they are");
  if (outside > 0 && used < size)
    (void)snprintf(text + used, size - used,
                   "; %lld %s outside of what is allowed now: models learn from %s",
                   (long long)outside, outside == 1 ? "is" : "are", outside == 1 ? "it" : "them");
}

static void log_change(const gannet_campaign *campaign) {
  const gannet_ledger *ledger = &campaign->ledger;
  char list[GANNET_CHANGES_TEXT], effect[400];
  if (!campaign->change.is_of_problem || campaign->context->rank != 0) return;
  gannet_change_list_format(&ledger->revision[ledger->n_revisions - 1].list, list);
  gannet_campaign_change_effect(campaign, effect, sizeof effect);
  gannet_log(campaign->context, GANNET_LOG_WARNING,
             "the problem has changed, %s: the evaluations are read again, %s; hyperparameters are "
             "learnt again",
             list, effect);
}

gannet_err gannet_campaign_change(gannet_campaign *campaign) {
  const gannet_context *context = campaign->context;
  char *text = NULL;
  gannet_err err = GANNET_OK;
  if (context->rank == 0) err = make_record(campaign, &text);
  if (err == GANNET_OK && context->rank == 0 && !text) err = check_designs(campaign);
  GANNET_TRY(gannet_agree(context->comm, err));
  uint64_t bytes = text ? strlen(text) + 1 : 0;
  GANNET_TRY_MPI(MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, context->comm));
  if (bytes == 0) return GANNET_OK;
  if (context->rank != 0) err = gannet_alloc((size_t)bytes, 1, &text);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_bytes_broadcast(context->comm, 0, (size_t)bytes, text);
  if (err == GANNET_OK) err = gannet_agree(context->comm, take_record(campaign, text));
  gannet_free(&text);
  if (err == GANNET_OK) log_change(campaign);
  return err;
}

gannet_err gannet_campaign_try_change(gannet_campaign *campaign) {
  char *text = NULL;
  GANNET_TRY(make_record(campaign, &text));
  const gannet_err err = text ? take_record(campaign, text) : check_designs(campaign);
  gannet_free(&text);
  return err;
}

void gannet_revision_format(const gannet_revision *revision, char *text, size_t size) {
  char when[40];
  gannet_clock_format(revision->when, when, sizeof when);
  (void)snprintf(text, size, "on %s by %s", when, revision->who);
}
