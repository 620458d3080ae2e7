#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/ledger_steps.h"

/* The state after the proposal of evaluations from first on. */
static gannet_err take_state(gannet_ledger *ledger, int64_t first, const gannet_record *record) {
  if (record->stated == GANNET_STATED_NOTHING) return GANNET_OK;
  if (record->stated == GANNET_STATED_POSITIONAL) {
    const size_t n = (size_t)record->n_positional;
    gannet_state_clear(&ledger->state);
    gannet_free(&ledger->positional);
    GANNET_TRY(gannet_alloc(n, sizeof *ledger->positional, &ledger->positional));
    if (n > 0) memcpy(ledger->positional, record->positional, n * sizeof *ledger->positional);
    ledger->n_positional = record->n_positional;
    return GANNET_OK;
  }
  GANNET_REQUIRE(record->stated == GANNET_STATED_WHOLE || ledger->n_positional == 0,
                 GANNET_ERR_DAMAGED, "it changes values of a state that has no names");
  ledger->n_positional = 0;
  if (!record->is_rewritten)
    GANNET_TRY(gannet_state_course_add(&ledger->course, first, &record->state));
  return record->stated == GANNET_STATED_WHOLE
             ? gannet_state_copy(&record->state, &ledger->state)
             : gannet_state_change(&record->state, &ledger->state);
}

static gannet_err take_propose(gannet_ledger *ledger, const gannet_record *record) {
  const size_t v = (size_t)ledger->problem->spec.n_variables;
  GANNET_REQUIRE(record->first == ledger->n, GANNET_ERR_DAMAGED,
                 "the journal proposes evaluation %lld after %lld", (long long)record->first,
                 (long long)ledger->n);
  for (int i = 0; i < record->n; ++i)
    GANNET_TRY(gannet_history_enter(ledger->history, record->x + (size_t)i * v, record->batch,
                                    i < record->n_start ? GANNET_ORIGIN_START : record->origin,
                                    NULL));
  GANNET_TRY(ledger_add_tickets(ledger, record->seconds));
  for (int i = 0; i < record->n && record->start_from; ++i) {
    const int64_t from = record->start_from[i];
    GANNET_REQUIRE(-1 <= from && from < record->first, GANNET_ERR_DAMAGED,
                   "evaluation %lld starts from %lld, which is not before it",
                   (long long)record->first + i, (long long)from);
    ledger->ticket[record->first + i].start_from = from;
  }
  GANNET_TRY(gannet_state_course_add(&ledger->course, record->first, &record->learned));
  return take_state(ledger, record->first, record);
}

static gannet_err take_submit(gannet_ledger *ledger, const gannet_record *record) {
  for (int i = 0; i < record->n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(ledger_find_ticket(ledger, record->id[i], &ticket));
    ticket->attempt = record->attempt[i];
    ticket->nonce = record->nonce[i];
  }
  return GANNET_OK;
}

gannet_err ledger_take_result(gannet_ledger *ledger, const gannet_result_record *result) {
  const gannet_problem_spec *spec = &ledger->problem->spec;
  gannet_ticket *ticket = NULL;
  GANNET_TRY(ledger_find_ticket(ledger, result->id, &ticket));
  if (!result->retry) gannet_ledger_count(ledger, ticket, -1);
  ticket->result.run = result->run;
  gannet_utf8_mend(ticket->result.run.reason); /* as a replay will find it */
  gannet_utf8_mend(ticket->result.run.host);
  if (result->retry) {
    ticket->nonce = 0; /* the attempt is over: a resume begins the next one */
    return ledger_keep_attempt(ledger, result);
  }
  ticket->has_result = true;
  ticket->is_told = false; /* a late result has to be told again */
  ticket->result.status = result->status;
  ticket->result.objective = result->status == GANNET_EVAL_DONE ? result->objective : NAN;
  if (result->status == GANNET_EVAL_DONE)
    memcpy(ticket->result.constraints, result->constraints,
           (size_t)spec->n_constraints * sizeof(double));
  gannet_ledger_count(ledger, ticket, 1);
  GANNET_TRY(
      gannet_quantities_copy(&result->reported, spec->n_variables, &ticket->result.reported));
  if (ticket->start_from >= 0)
    GANNET_TRY(gannet_ledger_add_column(ledger, ledger_start_column, GANNET_COLUMN_START));
  return gannet_ledger_add_columns(ledger, &ticket->result.reported);
}

gannet_err ledger_take_tell(gannet_ledger *ledger, int n, const int64_t *ids) {
  for (int i = 0; i < n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(ledger_find_ticket(ledger, ids[i], &ticket));
    GANNET_REQUIRE(ticket->has_result, GANNET_ERR_DAMAGED,
                   "the journal tells evaluation %lld before its result", (long long)ids[i]);
    if (ticket->is_told && ledger->tells_early) continue;
    GANNET_TRY(gannet_history_tell(ledger->history, &ticket->result));
    ticket->is_told = true;
  }
  return GANNET_OK;
}

/* Take over the rows of a related problem. A file that was read again replaces what it had before.
 */
static gannet_err take_related(gannet_ledger *ledger, gannet_record *record) {
  const size_t v = (size_t)ledger->problem->spec.n_variables, n = (size_t)ledger->n_imports;
  gannet_import *import = &record->import;
  for (size_t i = 0; i < (size_t)import->related.n * v; ++i)
    if (!isnan(import->related.x[i]))
      GANNET_TRY(gannet_problem_check_tried(ledger->problem, (int)(i % v), import->related.x[i]));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *ledger->imports, &ledger->imports));
  for (size_t i = 0; i < n; ++i)
    if (ledger->imports[i].is_related && strcmp(ledger->imports[i].from, import->from) == 0)
      ledger->imports[i].related.n = 0;
  ledger->imports[n] = *import;
  ledger->n_imports += 1;
  *import = (gannet_import){0}; /* the ledger has it now */
  return GANNET_OK;
}

/* The evaluations are there and told at once. */
static gannet_err take_import(gannet_ledger *ledger, gannet_record *record) {
  const size_t v = (size_t)ledger->problem->spec.n_variables, n = (size_t)ledger->n_imports;
  GANNET_REQUIRE(record->first == ledger->n, GANNET_ERR_DAMAGED,
                 "the journal imports evaluation %lld after %lld", (long long)record->first,
                 (long long)ledger->n);
  for (size_t i = 0; i < (size_t)record->n; ++i)
    for (size_t k = 0; k < v; ++k)
      GANNET_TRY(gannet_problem_check_tried(ledger->problem, (int)k, record->x[i * v + k]));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *ledger->imports, &ledger->imports));
  ledger->n_imports += 1;
  ledger->imports[n] = record->import;
  record->import.from = NULL; /* the ledger has it now */
  for (int i = 0; i < record->n; ++i)
    GANNET_TRY(gannet_history_enter(ledger->history, record->x + (size_t)i * v, record->batch,
                                    GANNET_ORIGIN_IMPORT, NULL));
  GANNET_TRY(ledger_add_tickets(ledger, NAN));
  for (int i = 0; i < record->n; ++i) {
    record->told[i].id = record->first + i;
    GANNET_TRY(ledger_take_result(ledger, &record->told[i]));
    GANNET_TRY(ledger_take_tell(ledger, 1, &record->told[i].id));
  }
  return GANNET_OK;
}

gannet_err ledger_take_stop(gannet_ledger *ledger, const char *reason) {
  gannet_free(&ledger->stop_reason);
  return *reason ? gannet_copy_text(reason, &ledger->stop_reason) : GANNET_OK;
}

gannet_err ledger_take_record(gannet_ledger *ledger, gannet_record *record) {
  switch (record->kind) {
    case GANNET_RECORD_CAMPAIGN:
      ledger->seed = record->seed;
      ledger->fingerprint = record->fingerprint;
      gannet_free(&ledger->name);
      return gannet_copy_text(record->name, &ledger->name);
    case GANNET_RECORD_PROPOSE:
      return take_propose(ledger, record);
    case GANNET_RECORD_STATE:
      return take_state(ledger, ledger->n, record);
    case GANNET_RECORD_SUBMIT:
      return take_submit(ledger, record);
    case GANNET_RECORD_RESULT:
      return ledger_take_result(ledger, &record->result);
    case GANNET_RECORD_STOP:
      return ledger_take_stop(ledger, record->reason);
    case GANNET_RECORD_IMPORT:
      return take_import(ledger, record);
    case GANNET_RECORD_CORRECT:
      return ledger_take_correct_record(ledger, record);
    case GANNET_RECORD_CHANGE:
      return ledger_take_change(ledger, record);
    case GANNET_RECORD_RELATED:
      return take_related(ledger, record);
    default:
      return ledger_take_tell(ledger, record->n, record->id);
  }
}

gannet_err gannet_ledger_apply(gannet_ledger *ledger, int64_t sequence, const char *payload,
                               size_t length) {
  gannet_record record = {0};
  gannet_err err = gannet_record_parse(ledger->problem, payload, length, &record);
  if (err == GANNET_OK) err = ledger_take_record(ledger, &record);
  gannet_record_release(&record);
  if (err != GANNET_OK)
    return GANNET_RAISE(GANNET_ERR_DAMAGED, "journal record %lld: %s", (long long)sequence,
                        gannet_error_detail());
  ledger->sequence = sequence;
  return GANNET_OK;
}
