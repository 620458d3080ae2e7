#include "campaign/run/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/ledger_steps.h"
#include "problem/outputs.h"

const char ledger_start_column[] = "start_from";

void gannet_ledger_init(gannet_ledger *ledger, const gannet_problem *problem,
                        gannet_history *history) {
  memset(ledger, 0, sizeof *ledger);
  ledger->problem = ledger->target = problem;
  ledger->history = history;
}

void ledger_forget_columns(gannet_ledger *ledger) {
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
  ledger_forget_columns(ledger);
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
                         strcmp(name, "reported") == 0 || strcmp(name, ledger_start_column) == 0);
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

gannet_err ledger_add_tickets(gannet_ledger *ledger, double seconds) {
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

gannet_err ledger_find_ticket(const gannet_ledger *ledger, int64_t id, gannet_ticket **ticket) {
  GANNET_REQUIRE(0 <= id && id < ledger->n, GANNET_ERR_DAMAGED,
                 "the journal names evaluation %lld, which was never proposed", (long long)id);
  *ticket = &ledger->ticket[id];
  return GANNET_OK;
}

/* Copy a result, whose numbers are NAN unless it is done.
 *
 * to  inout  its constraints point at [n_constraints]
 */
gannet_err ledger_copy_result(const gannet_problem *problem, const gannet_result_record *from,
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
  GANNET_TRY(ledger_copy_result(ledger->problem, &given->before, &made->before));
  return gannet_ledger_add_columns(ledger, &made->before.reported); /* of a journal made anew */
}

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

gannet_err ledger_keep_attempt(gannet_ledger *ledger, const gannet_result_record *result) {
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

/* All that an optimiser keeps after a correction or a change of the problem is its method and the
 * number of its batch. */
gannet_err ledger_forget_learnt(gannet_ledger *ledger) {
  char method[GANNET_STATE_TEXT_SIZE];
  double batch = ledger->n_positional > 0 ? ledger->positional[0] : 0;
  (void)gannet_state_find(&ledger->state, "", "batch", &batch);
  (void)snprintf(method, sizeof method, "%s", gannet_state_find_text(&ledger->state, "", "method"));
  gannet_state_clear(&ledger->state);
  ledger->n_positional = 0;
  if (method[0]) GANNET_TRY(gannet_state_put_text(&ledger->state, "", "method", method));
  return gannet_state_put(&ledger->state, "", "batch", GANNET_STATE_WHOLE, batch);
}
