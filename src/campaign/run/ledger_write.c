#include <string.h>

#include "base/memory.h"
#include "campaign/run/ledger_steps.h"

/* made  in  the outcome of making the text, which is freed */
static gannet_err write_text(gannet_ledger *ledger, bool may_wait, gannet_err made, char **text) {
  gannet_err err = made;
  if (err == GANNET_OK && ledger->journal)
    err = may_wait && ledger->defers
              ? gannet_journal_defer(ledger->journal, *text, &ledger->sequence)
              : gannet_journal_append(ledger->journal, *text, &ledger->sequence);
  gannet_free(text);
  return err;
}

gannet_err gannet_ledger_sync(gannet_ledger *ledger) {
  return ledger->journal ? gannet_journal_sync(ledger->journal) : GANNET_OK;
}

gannet_err gannet_ledger_write(gannet_ledger *ledger) {
  return ledger->journal ? gannet_journal_write(ledger->journal) : GANNET_OK;
}

gannet_err gannet_ledger_keep(const gannet_ledger *ledger, bool *renewed) {
  if (renewed) *renewed = false;
  return ledger->journal ? gannet_journal_keep(ledger->journal, renewed) : GANNET_OK;
}

gannet_err gannet_ledger_campaign(gannet_ledger *ledger, const char *name, uint64_t seed,
                                  uint64_t fingerprint) {
  char *text = NULL;
  gannet_free(&ledger->name);
  GANNET_TRY(gannet_copy_text(name, &ledger->name));
  ledger->seed = seed;
  ledger->fingerprint = fingerprint;
  const gannet_err made = gannet_record_campaign(ledger->problem, name, seed, fingerprint, &text);
  GANNET_TRY(write_text(ledger, false, made, &text));
  return GANNET_OK;
}

gannet_err gannet_ledger_propose(gannet_ledger *ledger, int64_t first, const int64_t *start_from,
                                 gannet_state *state, double seconds) {
  gannet_proposed_rows proposal = {
      .first = first, .end = gannet_history_count(ledger->history), .seconds = seconds};
  char *text = NULL;
  GANNET_TRY(ledger_add_tickets(ledger, seconds));
  for (int64_t id = first; id < ledger->n && start_from; ++id)
    ledger->ticket[id].start_from = start_from[id - first];
  proposal.ticket = ledger->ticket;
  if (state) {
    const bool whole = ledger->n_positional > 0 || ledger->state.n == 0;
    if (!whole) GANNET_TRY(gannet_state_compare(&ledger->state, state, &ledger->changes));
    proposal.stated = whole ? GANNET_STATED_WHOLE : GANNET_STATED_CHANGES;
    proposal.state = whole ? state : &ledger->changes;
    GANNET_TRY(gannet_state_course_add(&ledger->course, first, proposal.state));
    GANNET_TRY(gannet_state_copy(state, &ledger->state));
    ledger->n_positional = 0;
  }
  const gannet_err made = gannet_record_propose(ledger->history, &proposal, &text);
  GANNET_TRY(write_text(ledger, true, made, &text));
  return GANNET_OK;
}

gannet_err gannet_ledger_name_state(gannet_ledger *ledger) {
  char *text = NULL;
  ledger->n_positional = 0;
  GANNET_TRY(gannet_state_course_add(&ledger->course, ledger->n, &ledger->state));
  return write_text(ledger, false, gannet_record_state_of(&ledger->state, &text), &text);
}

gannet_err gannet_ledger_submit(gannet_ledger *ledger, int n, const int64_t *ids,
                                const int *attempts, const uint64_t *nonces) {
  char *text = NULL;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(
      write_text(ledger, false, gannet_record_submit(n, ids, attempts, nonces, &text), &text));
  for (int i = 0; i < n; ++i) {
    ledger->ticket[ids[i]].attempt = attempts[i];
    ledger->ticket[ids[i]].nonce = nonces[i];
  }
  return GANNET_OK;
}

static gannet_err write_results(gannet_ledger *ledger, int n, const gannet_result_record *results,
                                char **texts) {
  for (int i = 0; i < n; ++i)
    GANNET_TRY(gannet_record_result(ledger->problem, &results[i], &texts[i]));
  if (!ledger->journal) return GANNET_OK;
  for (int i = 0; i < n && ledger->defers; ++i)
    GANNET_TRY(gannet_journal_defer(ledger->journal, texts[i], &ledger->sequence));
  if (ledger->defers) return GANNET_OK;
  int64_t first = 0;
  GANNET_TRY(gannet_journal_append_many(ledger->journal, n, (const char *const *)texts, &first));
  ledger->sequence = first + n - 1;
  return GANNET_OK;
}

gannet_err gannet_ledger_results(gannet_ledger *ledger, int n,
                                 const gannet_result_record *results) {
  char **texts = NULL;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *texts, &texts));
  gannet_err err = write_results(ledger, n, results, texts);
  for (int i = 0; i < n; ++i) gannet_free(&texts[i]);
  gannet_free(&texts);
  for (int i = 0; i < n && err == GANNET_OK; ++i) err = ledger_take_result(ledger, &results[i]);
  return err;
}

gannet_err gannet_ledger_correct(gannet_ledger *ledger, const gannet_correction_order *order) {
  char *text = NULL;
  if (order->n == 0) return GANNET_OK;
  const gannet_err made = gannet_record_correct(ledger->problem, order, &text);
  GANNET_TRY(write_text(ledger, false, made, &text));
  return ledger_take_correct(ledger, order);
}

gannet_err gannet_ledger_tell(gannet_ledger *ledger, int n, const int64_t *ids) {
  char *text = NULL;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(write_text(ledger, true, gannet_record_tell(n, ids, &text), &text));
  return ledger_take_tell(ledger, n, ids);
}

gannet_err gannet_ledger_import(gannet_ledger *ledger, const char *text) {
  gannet_record record = {0};
  char *copy = NULL;
  gannet_err err = gannet_record_parse(ledger->problem, text, strlen(text), &record);
  if (err == GANNET_OK) err = gannet_copy_text(text, &copy);
  if (err == GANNET_OK) err = write_text(ledger, false, GANNET_OK, &copy);
  if (err == GANNET_OK) err = ledger_take_record(ledger, &record);
  gannet_record_release(&record);
  return err;
}

gannet_err gannet_ledger_change(gannet_ledger *ledger, const char *text, gannet_change_check check,
                                const void *user) {
  gannet_record record = {0};
  ledger_planned_change plan = {0};
  char *copy = NULL;
  gannet_err err = gannet_record_parse(ledger->problem, text, strlen(text), &record);
  if (err == GANNET_OK) err = ledger_plan_change(ledger, record.after, &plan);
  if (err == GANNET_OK && check)
    err = check(user, plan.translation ? plan.translation->history : ledger->history);
  if (err == GANNET_OK) err = gannet_copy_text(text, &copy);
  if (err == GANNET_OK) err = write_text(ledger, false, GANNET_OK, &copy);
  if (err == GANNET_OK) err = ledger_make_change(ledger, &record, &plan);
  ledger_release_plan(&plan);
  gannet_record_release(&record);
  return err;
}

gannet_err gannet_ledger_stop(gannet_ledger *ledger, const char *reason) {
  const char *known = ledger->stop_reason ? ledger->stop_reason : "";
  char *text = NULL;
  if (strcmp(reason, known) == 0) return GANNET_OK;
  GANNET_TRY(write_text(ledger, true, gannet_record_stop(reason, &text), &text));
  return ledger_take_stop(ledger, reason);
}

/* Give what was not told to a function. */
static gannet_err pass_held(gannet_ledger *ledger,
                            gannet_err (*tell)(gannet_ledger *, int, const int64_t *)) {
  int64_t *id = NULL;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)ledger->n, sizeof *id, &id));
  for (int64_t i = 0; i < ledger->n; ++i)
    if (ledger->ticket[i].has_result && !ledger->ticket[i].is_told) id[n++] = i;
  const gannet_err err = tell(ledger, n, id);
  gannet_free(&id);
  return err;
}

gannet_err gannet_ledger_tell_held(gannet_ledger *ledger) {
  return pass_held(ledger, gannet_ledger_tell);
}

gannet_err gannet_ledger_show_held(gannet_ledger *ledger) {
  return pass_held(ledger, ledger_take_tell);
}
