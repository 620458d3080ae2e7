#include "campaign/run/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/config/config.h"
#include "campaign/run/ledger_translation.h"
#include "campaign/run/record.h"
#include "problem/outputs.h"

/* Title of the column of GANNET_COLUMN_START, and its name in snapshots. */
static const char start_column[] = "start_from";

void gannet_ledger_init(gannet_ledger *ledger, const gannet_problem *problem,
                        gannet_history *history) {
  memset(ledger, 0, sizeof *ledger);
  ledger->problem = ledger->target = problem;
  ledger->history = history;
}

static void forget_columns(gannet_ledger *ledger) {
  for (int i = 0; i < ledger->n_columns; ++i) {
    gannet_free(&ledger->column[i].name);
    gannet_free(&ledger->column[i].title);
  }
  gannet_free(&ledger->column);
  ledger->n_columns = ledger->column_capacity = 0;
}

void gannet_ledger_release(gannet_ledger *ledger) {
  gannet_journal_destroy(&ledger->journal);
  for (int64_t i = 0; i < ledger->n; ++i) {
    gannet_free(&ledger->ticket[i].result.constraints);
    gannet_quantities_release(&ledger->ticket[i].result.reported);
  }
  gannet_free(&ledger->ticket);
  forget_columns(ledger);
  for (int i = 0; i < ledger->n_imports; ++i) gannet_import_release(&ledger->imports[i]);
  gannet_free(&ledger->imports);
  gannet_free(&ledger->attempts);
  for (int i = 0; i < ledger->n_corrections; ++i) {
    gannet_free(&ledger->correction[i].before.constraints);
    gannet_quantities_release(&ledger->correction[i].before.reported);
  }
  gannet_free(&ledger->correction);
  for (int i = 0; i < ledger->n_revisions; ++i)
    gannet_change_list_release(&ledger->revision[i].list);
  gannet_free(&ledger->revision);
  gannet_problem_destroy(&ledger->described);
  gannet_state_release(&ledger->state);
  gannet_state_release(&ledger->changes);
  gannet_state_course_release(&ledger->course);
  gannet_free(&ledger->positional);
  gannet_free(&ledger->stop_reason);
  gannet_free(&ledger->name);
}

bool gannet_ledger_is_feasible(const gannet_ledger *ledger, int64_t id) {
  return !gannet_history_get(ledger->history, id)->elsewhere &&
         gannet_result_feasibility(ledger->problem, &ledger->ticket[id].result) == 1;
}

void gannet_ledger_count(gannet_ledger *ledger, const gannet_ticket *ticket, int sign) {
  const bool is_imported =
      gannet_history_get(ledger->history, ticket->result.id)->origin == GANNET_ORIGIN_IMPORT;
  const int feasibility = gannet_result_feasibility(ledger->problem, &ticket->result);
  const bool is_feasible =
      feasibility == 1 && !gannet_history_get(ledger->history, ticket->result.id)->elsewhere;
  if (ticket->has_result) ledger->n_ended[ticket->result.status] += sign;
  if (ticket->has_result && is_imported) ledger->n_imported[ticket->result.status] += sign;
  if (is_feasible) ledger->n_feasible += sign;
  if (is_feasible && is_imported) ledger->n_imported_feasible += sign;
  if (ticket->has_result && ticket->result.status == GANNET_EVAL_DONE && feasibility < 0 &&
      !is_imported)
    ledger->n_incomplete += sign;
  const double seconds = ticket->result.run.ended - ticket->result.run.started;
  if (sign > 0 && seconds > ledger->longest) ledger->longest = seconds;
}

int64_t gannet_ledger_pending(const gannet_ledger *ledger) {
  int64_t pending = ledger->n;
  for (int i = 0; i < GANNET_EVAL_STATUS_COUNT; ++i) pending -= ledger->n_ended[i];
  return pending;
}

static bool has_column(const gannet_ledger *ledger, const char *name, gannet_column_kind kind) {
  for (int i = 0; i < ledger->n_columns; ++i)
    if (ledger->column[i].kind == kind && strcmp(ledger->column[i].name, name) == 0) return true;
  return false;
}

gannet_err gannet_ledger_add_column(gannet_ledger *ledger, const char *name,
                                    gannet_column_kind kind) {
  if (ledger->n_columns == GANNET_REPORTED_COLUMNS_MOST || has_column(ledger, name, kind))
    return GANNET_OK;
  if (ledger->n_columns == ledger->column_capacity) {
    const int larger = 2 * ledger->column_capacity + 4;
    GANNET_TRY(gannet_resize((size_t)ledger->column_capacity, (size_t)larger,
                             sizeof *ledger->column, &ledger->column));
    ledger->column_capacity = larger;
  }
  gannet_reported_column *column = &ledger->column[ledger->n_columns];
  /* Quantities "reported" and "start_from" get the prefix, too, so that no two columns can have the
   * same title. */
  const bool is_taken = kind != GANNET_COLUMN_START &&
                        (gannet_problem_find_variable(ledger->problem, name) >= 0 ||
                         strcmp(name, "reported") == 0 || strcmp(name, start_column) == 0);
  char title[100];
  (void)snprintf(title, sizeof title, "%s%s%s", is_taken ? "reported." : "", name,
                 kind == GANNET_COLUMN_SD ? ".sd" : "");
  *column = (gannet_reported_column){.kind = kind};
  GANNET_TRY(gannet_copy_text(name, &column->name));
  const gannet_err err = gannet_copy_text(title, &column->title);
  if (err != GANNET_OK) gannet_free(&column->name);
  if (err == GANNET_OK) ledger->n_columns += 1;
  GANNET_TRY(err);
  return GANNET_OK;
}

/* Values of objective and constraints have columns of their own. */
gannet_err gannet_ledger_add_columns(gannet_ledger *ledger, const gannet_quantities *reported) {
  for (int i = 0; i < reported->n; ++i) {
    const gannet_reported *item = &reported->item[i];
    const bool has_own =
        strcmp(item->name, gannet_problem_reported_name(ledger->problem, 0)) == 0 ||
        gannet_problem_find_constraint(ledger->problem, item->name) >= 0;
    if (!has_own) GANNET_TRY(gannet_ledger_add_column(ledger, item->name, GANNET_COLUMN_VALUE));
    if (item->sd > 0) GANNET_TRY(gannet_ledger_add_column(ledger, item->name, GANNET_COLUMN_SD));
  }
  return GANNET_OK;
}

/* Taking records over. */

static gannet_err add_tickets(gannet_ledger *ledger, double seconds) {
  const int64_t n = gannet_history_count(ledger->history);
  const size_t k = (size_t)ledger->problem->spec.n_constraints;
  gannet_free(&ledger->stop_reason);
  if (n > ledger->capacity) {
    const int64_t larger = 2 * n;
    GANNET_TRY(gannet_resize((size_t)ledger->capacity, (size_t)larger, sizeof *ledger->ticket,
                             &ledger->ticket));
    ledger->capacity = larger;
  }
  for (; ledger->n < n; ++ledger->n) {
    gannet_ticket *ticket = &ledger->ticket[ledger->n];
    memset(ticket, 0, sizeof *ticket);
    ticket->proposal = seconds;
    ticket->start_from = -1;
    GANNET_TRY(gannet_alloc(k, sizeof(double), &ticket->result.constraints));
    gannet_result_clear((int)k, &ticket->result);
    ticket->result.id = ledger->n;
    ticket->result.status = GANNET_EVAL_PENDING;
  }
  return GANNET_OK;
}

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
  GANNET_TRY(add_tickets(ledger, record->seconds));
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

static gannet_err find_ticket(const gannet_ledger *ledger, int64_t id, gannet_ticket **ticket) {
  GANNET_REQUIRE(0 <= id && id < ledger->n, GANNET_ERR_DAMAGED,
                 "the journal names evaluation %lld, which was never proposed", (long long)id);
  *ticket = &ledger->ticket[id];
  return GANNET_OK;
}

static gannet_err take_submit(gannet_ledger *ledger, const gannet_record *record) {
  for (int i = 0; i < record->n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(find_ticket(ledger, record->id[i], &ticket));
    ticket->attempt = record->attempt[i];
    ticket->nonce = record->nonce[i];
  }
  return GANNET_OK;
}

static gannet_err keep_attempt(gannet_ledger *ledger, const gannet_result_record *result) {
  ledger->longest = fmax(ledger->longest, result->run.ended - result->run.started);
  if (ledger->n_attempts == ledger->attempt_capacity) {
    const int larger = 2 * ledger->attempt_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)ledger->attempt_capacity, (size_t)larger,
                             sizeof *ledger->attempts, &ledger->attempts));
    ledger->attempt_capacity = larger;
  }
  ledger->attempts[ledger->n_attempts++] = (gannet_attempt){result->id, result->run};
  return GANNET_OK;
}

static gannet_err take_result(gannet_ledger *ledger, const gannet_result_record *result) {
  const gannet_problem_spec *spec = &ledger->problem->spec;
  gannet_ticket *ticket = NULL;
  GANNET_TRY(find_ticket(ledger, result->id, &ticket));
  if (!result->retry) gannet_ledger_count(ledger, ticket, -1);
  ticket->result.run = result->run;
  gannet_utf8_mend(ticket->result.run.reason); /* as a replay will find it */
  gannet_utf8_mend(ticket->result.run.host);
  if (result->retry) {
    ticket->nonce = 0; /* the attempt is over: a resume begins the next one */
    return keep_attempt(ledger, result);
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
    GANNET_TRY(gannet_ledger_add_column(ledger, start_column, GANNET_COLUMN_START));
  return gannet_ledger_add_columns(ledger, &ticket->result.reported);
}

static gannet_err take_tell(gannet_ledger *ledger, int n, const int64_t *ids) {
  for (int i = 0; i < n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(find_ticket(ledger, ids[i], &ticket));
    GANNET_REQUIRE(ticket->has_result, GANNET_ERR_DAMAGED,
                   "the journal tells evaluation %lld before its result", (long long)ids[i]);
    if (ticket->is_told && ledger->tells_early) continue;
    GANNET_TRY(gannet_history_tell(ledger->history, &ticket->result));
    ticket->is_told = true;
  }
  return GANNET_OK;
}

/* What was read again replaces what the same file had before. */
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
  GANNET_TRY(add_tickets(ledger, NAN));
  for (int i = 0; i < record->n; ++i) {
    record->told[i].id = record->first + i;
    GANNET_TRY(take_result(ledger, &record->told[i]));
    GANNET_TRY(take_tell(ledger, 1, &record->told[i].id));
  }
  return GANNET_OK;
}

static gannet_err take_stop(gannet_ledger *ledger, const char *reason) {
  gannet_free(&ledger->stop_reason);
  return *reason ? gannet_copy_text(reason, &ledger->stop_reason) : GANNET_OK;
}

/* Copy a result, whose numbers are NAN unless it is done.
 *
 * to  inout  its constraints point at [n_constraints]
 */
static gannet_err copy_result(const gannet_problem *problem, const gannet_result_record *from,
                              gannet_result_record *to) {
  const int n = problem->spec.n_constraints;
  gannet_quantities reported = to->reported;
  gannet_result_clear(n, to);
  to->id = from->id;
  to->status = from->status;
  to->run = from->run;
  to->reported = reported;
  if (from->status == GANNET_EVAL_DONE) to->objective = from->objective;
  if (from->status == GANNET_EVAL_DONE && n > 0)
    memcpy(to->constraints, from->constraints, (size_t)n * sizeof *to->constraints);
  return gannet_quantities_copy(&from->reported, problem->spec.n_variables, &to->reported);
}

gannet_correction *gannet_ledger_find_correction(const gannet_ledger *ledger, int64_t id) {
  for (int i = ledger->n_corrections - 1; i >= 0; --i)
    if (ledger->correction[i].id == id && isnan(ledger->correction[i].undo.when))
      return &ledger->correction[i];
  return NULL;
}

gannet_err gannet_ledger_add_correction(gannet_ledger *ledger, const gannet_correction *given) {
  const size_t k = (size_t)ledger->problem->spec.n_constraints;
  GANNET_REQUIRE(0 <= given->id && given->id < ledger->n, GANNET_ERR_DAMAGED,
                 "a correction of evaluation %lld, which was never proposed", (long long)given->id);
  if (ledger->n_corrections == ledger->correction_capacity) {
    const int larger = 2 * ledger->correction_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)ledger->correction_capacity, (size_t)larger,
                             sizeof *ledger->correction, &ledger->correction));
    ledger->correction_capacity = larger;
  }
  gannet_correction *made = &ledger->correction[ledger->n_corrections];
  *made = *given;
  made->before.constraints = NULL;
  made->before.reported = (gannet_quantities){0};
  GANNET_TRY(gannet_alloc(k, sizeof(double), &made->before.constraints));
  ledger->n_corrections += 1;
  ledger->n_changes += 1;
  GANNET_TRY(copy_result(ledger->problem, &given->before, &made->before));
  return gannet_ledger_add_columns(ledger, &made->before.reported); /* of a journal made anew */
}

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
      if (ticket->has_result) GANNET_TRY(keep_attempt(ledger, before));
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
  return copy_result(ledger->problem, &next, &ticket->result);
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
  return copy_result(ledger->problem, &last->before, &ticket->result);
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

/* All that an optimiser keeps after a correction or a change of the problem is its method and the
 * number of its batch. */
static gannet_err forget_what_was_learnt(gannet_ledger *ledger) {
  char method[GANNET_STATE_TEXT_SIZE];
  double batch = ledger->n_positional > 0 ? ledger->positional[0] : 0;
  (void)gannet_state_find(&ledger->state, "", "batch", &batch);
  (void)snprintf(method, sizeof method, "%s", gannet_state_find_text(&ledger->state, "", "method"));
  gannet_state_clear(&ledger->state);
  ledger->n_positional = 0;
  if (method[0]) GANNET_TRY(gannet_state_put_text(&ledger->state, "", "method", method));
  return gannet_state_put(&ledger->state, "", "batch", GANNET_STATE_WHOLE, batch);
}

static gannet_err take_correct(gannet_ledger *ledger, const gannet_correction_order *order) {
  for (int i = 0; i < order->n; ++i) {
    gannet_ticket *ticket = NULL;
    GANNET_TRY(find_ticket(ledger, order->ids[i], &ticket));
    gannet_ledger_count(ledger, ticket, -1);
    GANNET_TRY(order->undo ? undo_correction(ledger, order, ticket)
                           : correct_ticket(ledger, order, ticket));
    gannet_ledger_count(ledger, ticket, 1);
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ticket->result.reported));
  }
  gannet_free(&ledger->stop_reason); /* it may hold no longer */
  GANNET_TRY(tell_anew(ledger, order->n, order->ids));
  return forget_what_was_learnt(ledger);
}

/* A journal that was made anew has the results as they are, and says what they were before. */
static gannet_err take_correct_record(gannet_ledger *ledger, const gannet_record *record) {
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
  return take_correct(ledger, &order);
}

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

/* Changes. */

gannet_err gannet_ledger_add_revision(gannet_ledger *ledger, gannet_revision *revision) {
  const size_t n = (size_t)ledger->n_revisions;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *ledger->revision, &ledger->revision));
  ledger->revision[ledger->n_revisions++] = *revision;
  revision->list = (gannet_change_list){0}; /* the ledger has it now */
  return GANNET_OK;
}

bool gannet_ledger_had_problem(const gannet_ledger *ledger, uint64_t fingerprint) {
  bool had = fingerprint == ledger->fingerprint ||
             gannet_problem_has_fingerprint(ledger->problem, fingerprint);
  for (int i = 0; i < ledger->n_revisions && !had; ++i)
    had = ledger->revision[i].fingerprint == fingerprint;
  return had;
}

/* What a change makes of a ledger, before it is made. */
typedef struct {
  gannet_problem *described;              /* as the record says; NULL = the problem stays */
  gannet_ledger_translation *translation; /* NULL = the problem stays */
  bool is_target;
} planned_change;

static gannet_err plan_change(const gannet_ledger *ledger, const char *description,
                              planned_change *plan) {
  *plan = (planned_change){0};
  if (!description) return GANNET_OK;
  GANNET_TRY(gannet_campaign_parse_problem(description, &plan->described));
  plan->is_target =
      gannet_problem_fingerprint(plan->described) == gannet_problem_fingerprint(ledger->target);
  return gannet_ledger_translate(ledger, plan->described,
                                 plan->is_target ? ledger->target : plan->described,
                                 &plan->translation);
}

/* Count everything anew, and find the columns that results need. */
static gannet_err count_anew(gannet_ledger *ledger) {
  memset(ledger->n_ended, 0, sizeof ledger->n_ended);
  memset(ledger->n_imported, 0, sizeof ledger->n_imported);
  ledger->n_feasible = ledger->n_imported_feasible = ledger->n_incomplete = 0;
  forget_columns(ledger);
  for (int64_t i = 0; i < ledger->n; ++i) {
    const gannet_ticket *ticket = &ledger->ticket[i];
    gannet_ledger_count(ledger, ticket, 1);
    if (!ticket->has_result) continue;
    if (ticket->start_from >= 0)
      GANNET_TRY(gannet_ledger_add_column(ledger, start_column, GANNET_COLUMN_START));
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ticket->result.reported));
  }
  for (int i = 0; i < ledger->n_corrections; ++i)
    GANNET_TRY(gannet_ledger_add_columns(ledger, &ledger->correction[i].before.reported));
  return GANNET_OK;
}

/* Values of constraints of a related problem in the terms of another problem, by their names. */
static gannet_err translate_related_constraints(const gannet_problem *before,
                                                const gannet_problem *after,
                                                gannet_related_rows *rows) {
  const int old = before->spec.n_constraints, new = after->spec.n_constraints;
  double *values = NULL;
  if (!rows->constraints) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)rows->n * (size_t) new, sizeof *values, &values));
  for (int k = 0; k < new; ++k) {
    const int from = gannet_problem_find_constraint(before, after->spec.constraints[k].name);
    for (int i = 0; i < rows->n; ++i)
      values[(ptrdiff_t)i * new + k] =
          from < 0 ? NAN : rows->constraints[(ptrdiff_t)i * old + from];
  }
  gannet_free(&rows->constraints);
  rows->constraints = values;
  return GANNET_OK;
}

/* The results of a related problem in the terms of another problem, variable by variable. One that
 * is new, or has values that cannot be there, is one that the related problem does not have. */
static gannet_err translate_related(const gannet_problem *before, const gannet_problem *after,
                                    gannet_related_rows *rows) {
  const int old = before->spec.n_variables, new = after->spec.n_variables;
  double *x = NULL;
  char word[256];
  int common = 0;
  GANNET_TRY(gannet_alloc((size_t)rows->n * (size_t) new, sizeof *x, &x));
  for (int v = 0; v < new; ++v) {
    const int from = gannet_problem_find_before(before, after, v);
    bool known = from >= 0;
    for (int i = 0; i < rows->n && known; ++i) {
      const double value = rows->x[(ptrdiff_t)i * old + from];
      double *to = &x[(ptrdiff_t)i * new + v];
      *to = value;
      known = !isnan(value);
      if (known) gannet_problem_format(before, from, value, word, sizeof word);
      known = known && gannet_problem_parse(after, v, word, to) == GANNET_OK &&
              gannet_problem_check_tried(after, v, *to) == GANNET_OK;
      gannet_error_clear();
    }
    for (int i = 0; i < rows->n && !known; ++i) x[(ptrdiff_t)i * new + v] = NAN;
    common += known && after->spec.variables[v].role == GANNET_ROLE_FREE;
  }
  gannet_free(&rows->x);
  rows->x = x;
  GANNET_TRY(translate_related_constraints(before, after, rows));
  if (common == 0) rows->n = 0;
  return GANNET_OK;
}

static gannet_err take_planned(gannet_ledger *ledger, planned_change *plan) {
  gannet_ledger_translation *made = plan->translation;
  if (!made) return GANNET_OK;
  gannet_history_exchange(ledger->history, made->history);
  for (int64_t i = 0; i < made->n_results; ++i) {
    gannet_result_record *result =
        i < ledger->n ? &ledger->ticket[i].result : &ledger->correction[i - ledger->n].before;
    const gannet_result_record kept = *result;
    *result = made->result[i];
    made->result[i] = kept;
  }
  for (int i = 0; i < ledger->n_imports; ++i)
    if (ledger->imports[i].related.n > 0)
      GANNET_TRY(translate_related(ledger->problem, made->to, &ledger->imports[i].related));
  ledger->problem = made->to;
  GANNET_TRY(count_anew(ledger));
  GANNET_TRY(forget_what_was_learnt(ledger));
  gannet_problem *before = ledger->described;
  ledger->described = plan->is_target ? NULL : plan->described;
  plan->described = plan->is_target ? plan->described : NULL;
  gannet_problem_destroy(&before);
  return GANNET_OK;
}

static void release_plan(planned_change *plan) {
  gannet_ledger_translation_destroy(&plan->translation);
  gannet_problem_destroy(&plan->described);
}

gannet_err gannet_ledger_begin_as(gannet_ledger *ledger, const char *description) {
  planned_change plan;
  gannet_err err = plan_change(ledger, description, &plan);
  if (err == GANNET_OK) err = take_planned(ledger, &plan);
  release_plan(&plan);
  return err;
}

static gannet_err make_change(gannet_ledger *ledger, gannet_record *record, planned_change *plan) {
  GANNET_TRY(take_planned(ledger, plan));
  GANNET_TRY(gannet_ledger_add_revision(ledger, &record->revision));
  if (!record->after) return GANNET_OK;
  ledger->fingerprint = gannet_problem_fingerprint(ledger->problem);
  ledger->n_changes += 1;
  gannet_free(&ledger->stop_reason); /* it may hold no longer */
  return GANNET_OK;
}

/* text   in  to be written before the change is made, copied; NULL = it is there
 * check  in  what else could refuse it; NULL = nothing
 */
static gannet_err take_change(gannet_ledger *ledger, gannet_record *record, const char *text,
                              gannet_change_check check, const void *user) {
  planned_change plan;
  char *copy = NULL;
  gannet_err err = plan_change(ledger, record->after, &plan);
  if (err == GANNET_OK && check)
    err = check(user, plan.translation ? plan.translation->history : ledger->history);
  if (err == GANNET_OK && text) err = gannet_copy_text(text, &copy);
  if (err == GANNET_OK && text) err = write_text(ledger, false, GANNET_OK, &copy);
  if (err == GANNET_OK) err = make_change(ledger, record, &plan);
  release_plan(&plan);
  return err;
}

static gannet_err apply_record(gannet_ledger *ledger, gannet_record *record) {
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
      return take_result(ledger, &record->result);
    case GANNET_RECORD_STOP:
      return take_stop(ledger, record->reason);
    case GANNET_RECORD_IMPORT:
      return take_import(ledger, record);
    case GANNET_RECORD_CORRECT:
      return take_correct_record(ledger, record);
    case GANNET_RECORD_CHANGE:
      return take_change(ledger, record, NULL, NULL, NULL);
    case GANNET_RECORD_RELATED:
      return take_related(ledger, record);
    default:
      return take_tell(ledger, record->n, record->id);
  }
}

gannet_err gannet_ledger_apply(gannet_ledger *ledger, int64_t sequence, const char *payload,
                               size_t length) {
  gannet_record record = {0};
  gannet_err err = gannet_record_parse(ledger->problem, payload, length, &record);
  if (err == GANNET_OK) err = apply_record(ledger, &record);
  gannet_record_release(&record);
  if (err != GANNET_OK)
    return GANNET_RAISE(GANNET_ERR_DAMAGED, "journal record %lld: %s", (long long)sequence,
                        gannet_error_detail());
  ledger->sequence = sequence;
  return GANNET_OK;
}

/* Writing records. */

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
  GANNET_TRY(add_tickets(ledger, seconds));
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
  for (int i = 0; i < n && err == GANNET_OK; ++i) err = take_result(ledger, &results[i]);
  return err;
}

gannet_err gannet_ledger_correct(gannet_ledger *ledger, const gannet_correction_order *order) {
  char *text = NULL;
  if (order->n == 0) return GANNET_OK;
  const gannet_err made = gannet_record_correct(ledger->problem, order, &text);
  GANNET_TRY(write_text(ledger, false, made, &text));
  return take_correct(ledger, order);
}

gannet_err gannet_ledger_tell(gannet_ledger *ledger, int n, const int64_t *ids) {
  char *text = NULL;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(write_text(ledger, true, gannet_record_tell(n, ids, &text), &text));
  return take_tell(ledger, n, ids);
}

gannet_err gannet_ledger_import(gannet_ledger *ledger, const char *text) {
  gannet_record record = {0};
  char *copy = NULL;
  gannet_err err = gannet_record_parse(ledger->problem, text, strlen(text), &record);
  if (err == GANNET_OK) err = gannet_copy_text(text, &copy);
  if (err == GANNET_OK) err = write_text(ledger, false, GANNET_OK, &copy);
  if (err == GANNET_OK) err = apply_record(ledger, &record);
  gannet_record_release(&record);
  return err;
}

gannet_err gannet_ledger_change(gannet_ledger *ledger, const char *text, gannet_change_check check,
                                const void *user) {
  gannet_record record = {0};
  gannet_err err = gannet_record_parse(ledger->problem, text, strlen(text), &record);
  if (err == GANNET_OK) err = take_change(ledger, &record, text, check, user);
  gannet_record_release(&record);
  return err;
}

gannet_err gannet_ledger_stop(gannet_ledger *ledger, const char *reason) {
  const char *known = ledger->stop_reason ? ledger->stop_reason : "";
  char *text = NULL;
  if (strcmp(reason, known) == 0) return GANNET_OK;
  GANNET_TRY(write_text(ledger, true, gannet_record_stop(reason, &text), &text));
  return take_stop(ledger, reason);
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
  return pass_held(ledger, take_tell);
}

/* A fresh journal, after the old one was damaged. */

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
