#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/ledger_steps.h"

/* Correct a ticket. The history is told afterwards. */
static gannet_err correct_ticket(gannet_ledger *ledger, const gannet_correction_order *order,
                                 gannet_ticket *ticket) {
  gannet_result_record next = ticket->result; /* borrowed, but for what is set here */
  const gannet_correction made = {.kind = order->kind,
                                  .id = next.id,
                                  .note = order->note,
                                  .had_result = ticket->has_result,
                                  .was_told = ticket->is_told,
                                  .before = ticket->result,
                                  .undo = {.when = NAN}};
  GANNET_TRY(gannet_ledger_add_correction(ledger, &made));
  const gannet_result_record *before = &ledger->correction[ledger->n_corrections - 1].before;
  next.reported = (gannet_quantities){0};
  switch (order->kind) {
    case GANNET_CORRECTION_VALUES:
      next = *order->result;
      break;
    case GANNET_CORRECTION_RETRY:
      if (ticket->has_result) GANNET_TRY(ledger_keep_attempt(ledger, before));
      next.status = GANNET_EVAL_PENDING;
      ticket->is_told = false;
      break;
    default:
      next.status = GANNET_EVAL_DISCARDED;
      next.run.failure = GANNET_FAILURE_NONE;
      next.run.crashed = false;
      (void)snprintf(next.run.reason, sizeof next.run.reason, "%s", order->note.why);
      ticket->is_told = true;
  }
  if (!made.had_result || order->kind == GANNET_CORRECTION_RETRY)
    ticket->nonce = 0; /* no attempt is open any more */
  ticket->has_result = next.status != GANNET_EVAL_PENDING;
  return ledger_copy_result(ledger->problem, &next, &ticket->result);
}

/* What was withdrawn is a result that has just come, and is told again. */
static gannet_err undo_correction(gannet_ledger *ledger, const gannet_correction_order *order,
                                  gannet_ticket *ticket) {
  gannet_correction *last = gannet_ledger_find_correction(ledger, ticket->result.id);
  GANNET_REQUIRE(last && last->kind == order->kind, GANNET_ERR_DAMAGED,
                 "evaluation %lld has no such correction to take back",
                 (long long)ticket->result.id);
  last->undo = order->note;
  ledger->n_changes += 1;
  ticket->has_result = last->had_result;
  ticket->is_told = last->was_told && last->kind != GANNET_CORRECTION_RETRY;
  if (!last->had_result) ticket->nonce = 0; /* a resume begins the next attempt */
  return ledger_copy_result(ledger->problem, &last->before, &ticket->result);
}

/* Tell the history the results as they are now: in the order in which they were told, then those
 * that are told by being corrected. */
static gannet_err tell_anew(gannet_ledger *ledger, int n, const int64_t *ids) {
  const int64_t told = gannet_history_count_told(ledger->history);
  int64_t *id = NULL;
  GANNET_TRY(gannet_alloc((size_t)(told + n), sizeof *id, &id));
  if (told > 0) memcpy(id, gannet_history_order(ledger->history), (size_t)told * sizeof *id);
  if (n > 0) memcpy(id + told, ids, (size_t)n * sizeof *id);
  gannet_history_forget_results(ledger->history);
  gannet_err err = GANNET_OK;
  for (int64_t i = 0; i < told + n && err == GANNET_OK; ++i)
    if (ledger->ticket[id[i]].is_told &&
        gannet_history_get(ledger->history, id[i])->status == GANNET_EVAL_PENDING)
      err = gannet_history_tell(ledger->history, &ledger->ticket[id[i]].result);
  gannet_free(&id);
  return err;
}

gannet_err ledger_take_correct(gannet_ledger *ledger, const gannet_correction_order *order) {
  for (int i = 0; i < order->n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(ledger_find_ticket(ledger, order->ids[i], &ticket));
    gannet_ledger_count(ledger, ticket, -1);
    GANNET_TRY(order->undo ? undo_correction(ledger, order, ticket)
                           : correct_ticket(ledger, order, ticket));
    gannet_ledger_count(ledger, ticket, 1);
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ticket->result.reported));
  }
  gannet_free(&ledger->stop_reason); /* it may hold no longer */
  GANNET_TRY(tell_anew(ledger, order->n, order->ids));
  return ledger_forget_learnt(ledger);
}

/* A journal that was made anew has the results as they are, and says what they were before. */
gannet_err ledger_take_correct_record(gannet_ledger *ledger, const gannet_record *record) {
  gannet_correction made = record->correction;
  if (record->is_made) {
    GANNET_REQUIRE(record->n == 1, GANNET_ERR_DAMAGED, "a correction of %d evaluations", record->n);
    made.id = record->id[0];
    made.before = record->result;
    made.before.id = made.id;
    return gannet_ledger_add_correction(ledger, &made);
  }
  const gannet_correction_order order = {made.kind,  record->undo, record->n,
                                         record->id, made.note,    &record->result};
  GANNET_REQUIRE(made.kind != GANNET_CORRECTION_VALUES || record->undo ||
                     (record->n == 1 && record->result.id == record->id[0]),
                 GANNET_ERR_DAMAGED, "a correction without the result");
  return ledger_take_correct(ledger, &order);
}
