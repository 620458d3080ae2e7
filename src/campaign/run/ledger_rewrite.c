/* A fresh journal, after the old one was damaged. */
#include "base/memory.h"
#include "campaign/run/ledger.h"
#include "campaign/run/record.h"

enum { GROUP = 512 }; /* records per sync */

/* Texts that wait to be written with one sync. */
typedef struct {
  gannet_ledger *ledger;
  int n;
  char *text[GROUP];
} queue;

static gannet_err write_queue(queue *q) {
  int64_t first = 0;
  if (q->n == 0) return GANNET_OK;
  GANNET_TRY(
      gannet_journal_append_many(q->ledger->journal, q->n, (const char *const *)q->text, &first));
  q->ledger->sequence = first + q->n - 1;
  for (int i = 0; i < q->n; ++i) gannet_free(&q->text[i]);
  q->n = 0;
  return GANNET_OK;
}

/* Takes the text, which is NULL when it could not be made. */
static gannet_err queue_text(queue *q, gannet_err made, char *text) {
  GANNET_TRY(made);
  q->text[q->n++] = text;
  return q->n == GROUP ? write_queue(q) : GANNET_OK;
}

/* Points of a user's own carry the number of the batch that is proposed next. */
static bool are_one_proposal(const gannet_history *history, int64_t a, int64_t b) {
  const gannet_evaluation *x = gannet_history_get(history, a), *y = gannet_history_get(history, b);
  return x->batch == y->batch && x->origin == y->origin;
}

/* Rows of one batch and origin were proposed together; only the last batch's state is still known,
 * and it is all that a resumed campaign needs: the first record has it. What models learnt before
 * each proposal is told beside it. */
static gannet_err queue_proposals(queue *q) {
  gannet_ledger *ledger = q->ledger;
  const gannet_stated whole =
      ledger->n_positional > 0 ? GANNET_STATED_POSITIONAL : GANNET_STATED_WHOLE;
  int64_t row = 0;
  for (int64_t first = 0; first < ledger->n;) {
    int64_t end = first;
    while (end < ledger->n && are_one_proposal(ledger->history, first, end)) ++end;
    char *text = NULL;
    GANNET_TRY(gannet_state_course_find(&ledger->course, first, end, &row, &ledger->changes));
    const gannet_proposed_rows proposal = {.first = first,
                                           .end = end,
                                           .stated = first == 0 ? whole : GANNET_STATED_NOTHING,
                                           .state = &ledger->state,
                                           .learned = &ledger->changes,
                                           .n_positional = ledger->n_positional,
                                           .positional = ledger->positional,
                                           .seconds = ledger->ticket[first].proposal,
                                           .ticket = ledger->ticket};
    const gannet_err made = gannet_record_propose(ledger->history, &proposal, &text);
    GANNET_TRY(queue_text(q, made, text));
    first = end;
  }
  return GANNET_OK;
}

static gannet_err queue_submit(queue *q, int64_t id) {
  const gannet_ticket *ticket = &q->ledger->ticket[id];
  char *text = NULL;
  if (ticket->attempt == 0) return GANNET_OK;
  const gannet_err made = gannet_record_submit(1, &id, &ticket->attempt, &ticket->nonce, &text);
  return queue_text(q, made, text);
}

/* An evaluation that has attempts behind it but no result yet keeps their number, and the attempt
 * that is open, which therefore comes last. */
static gannet_err queue_evaluation(queue *q, int64_t id) {
  const gannet_ticket *ticket = &q->ledger->ticket[id];
  char *text = NULL;
  if (ticket->has_result) GANNET_TRY(queue_submit(q, id));
  if (ticket->has_result || ticket->result.run.attempts > 0) {
    gannet_result_record result = ticket->result;
    result.retry = !ticket->has_result;
    if (result.retry) result.status = GANNET_EVAL_FAILED;
    const gannet_err made = gannet_record_result(q->ledger->problem, &result, &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  return ticket->has_result ? GANNET_OK : queue_submit(q, id);
}

static gannet_err rewrite_all(queue *q) {
  const gannet_ledger *ledger = q->ledger;
  const int64_t told = gannet_history_count_told(ledger->history);
  char *text = NULL;
  gannet_err made = gannet_record_campaign(ledger->problem, ledger->name ? ledger->name : "",
                                           ledger->seed, ledger->fingerprint, &text);
  GANNET_TRY(queue_text(q, made, text));
  GANNET_TRY(queue_proposals(q));
  for (int64_t id = 0; id < ledger->n; ++id) GANNET_TRY(queue_evaluation(q, id));
  if (told > 0) {
    made = gannet_record_tell((int)told, gannet_history_order(ledger->history), &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  for (int i = 0; i < ledger->n_imports; ++i) { /* whose evaluations are written already */
    const gannet_import *import = &ledger->imports[i];
    made = import->is_related
               ? gannet_record_related(ledger->problem, import, &text)
               : gannet_record_import(ledger->problem, import, ledger->n, 0, 0, NULL, NULL, &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  if (ledger->stop_reason) {
    made = gannet_record_stop(ledger->stop_reason, &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  for (int i = 0; i < ledger->n_corrections; ++i) {
    made = gannet_record_correction(ledger->problem, &ledger->correction[i], &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  for (int i = 0; i < ledger->n_revisions; ++i) { /* the results are in the last problem's terms */
    made = gannet_record_change(&ledger->revision[i], NULL, NULL, &text);
    GANNET_TRY(queue_text(q, made, text));
  }
  return write_queue(q);
}

gannet_err gannet_ledger_rewrite(gannet_ledger *ledger) {
  queue q = {.ledger = ledger};
  const gannet_err err = rewrite_all(&q);
  for (int i = 0; i < q.n; ++i) gannet_free(&q.text[i]);
  return err;
}
