/* A snapshot is written, table by table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"
#include "campaign/run/snapshot_reported.h"
#include "gannet/version.h"

/* Columns are gathered one at a time, in buffers for all rows. */
typedef struct {
  gannet_store *store;
  const gannet_ledger *ledger;
  int64_t n;
  double *reals;                      /* [n] */
  int64_t *wholes;                    /* [n] */
  const char **texts;                 /* [n] */
  gannet_snapshot_proposal *proposal; /* [n] */
} writer;

/* With what a reader should know about it; NULL = nothing. */
static gannet_err describe(const writer *w, const char *name, const char *unit, const char *help) {
  if (unit) GANNET_TRY(gannet_store_describe(w->store, name, "unit", unit));
  return help ? gannet_store_describe(w->store, name, "description", help) : GANNET_OK;
}

static gannet_err write_campaign(writer *w) {
  const gannet_ledger *ledger = w->ledger;
  const gannet_snapshot_mark mark = {.sequence = ledger->sequence,
                                     .journal = ledger->identity,
                                     .fingerprint = ledger->fingerprint,
                                     .seed = ledger->seed};
  char digits[20];
  if (ledger->stop_reason) {
    GANNET_TRY(gannet_store_write_text(w->store, "campaign/stop", ledger->stop_reason));
    GANNET_TRY(
        describe(w, "campaign/stop", NULL, "why the campaign ended before its budget was spent"));
  }
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/name", ledger->name));
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/gannet", GANNET_VERSION));
  for (const gannet_struct_field *field = gannet_snapshot_mark_fields; field->name; ++field) {
    const int64_t value = gannet_struct_field_get_whole(field, &mark);
    if (field->optional && value == 0) continue;
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    GANNET_TRY(field->type == GANNET_STRUCT_BITS
                   ? gannet_store_write_text(w->store, field->name, digits)
                   : gannet_store_write_int64s(w->store, field->name, 0, NULL, &value));
    GANNET_TRY(describe(w, field->name, field->unit, field->help));
  }
  return GANNET_OK;
}

static gannet_err write_problem_columns(writer *w, const gannet_snapshot_problem *p) {
  const char *base = (const char *)p;
  for (const gannet_snapshot_problem_field *field = gannet_snapshot_problem_fields; field->name;
       ++field) {
    const int64_t n = *(const int64_t *)(const void *)(base + field->rows);
    gannet_err err = GANNET_OK;
    if (field->texts)
      err = gannet_store_write_texts(
          w->store, field->name, (int)n,
          *(const char *const *const *)(const void *)(base + field->texts));
    else if (field->reals)
      err = gannet_store_write_doubles(w->store, field->name, 1, &n,
                                       *(double *const *)(const void *)(base + field->reals));
    else
      err = gannet_store_write_int64s(w->store, field->name, 1, &n,
                                      *(int64_t *const *)(const void *)(base + field->wholes));
    GANNET_TRY(err);
    GANNET_TRY(describe(w, field->name, NULL, field->description));
  }
  return GANNET_OK;
}

static gannet_err write_problem(writer *w) {
  const gannet_problem *problem = w->ledger->problem;
  gannet_snapshot_problem p = {0};
  gannet_err err = gannet_snapshot_problem_fill(problem, &p);
  if (err == GANNET_OK) err = write_problem_columns(w, &p);
  gannet_snapshot_problem_release(&p);
  GANNET_TRY(err);
  return gannet_store_write_text(w->store, "problem/goal",
                                 problem->spec.goal == GANNET_MAXIMIZE ? "maximize" : "minimize");
}

static gannet_err write_points(writer *w) {
  const gannet_history *h = w->ledger->history;
  const gannet_problem_spec *spec = &w->ledger->problem->spec;
  const int64_t shape[2] = {w->n, spec->n_variables};
  const int64_t constraints[2] = {w->n, spec->n_constraints};
  double *values = NULL;
  GANNET_TRY(gannet_store_write_doubles(w->store, "history/x", 2, shape,
                                        w->n > 0 ? gannet_history_x_user(h, 0) : NULL));
  GANNET_TRY(gannet_store_describe(
      w->store, "history/x", "description",
      "points in the user's units, columns as problem/variables; booleans 0 or 1, categories by "
      "position"));
  GANNET_TRY(gannet_alloc((size_t)w->n * (size_t)spec->n_constraints, sizeof *values, &values));
  for (int64_t i = 0; i < w->n; ++i)
    for (int k = 0; k < spec->n_constraints; ++k)
      values[i * spec->n_constraints + k] = w->ledger->ticket[i].result.status == GANNET_EVAL_DONE
                                                ? w->ledger->ticket[i].result.constraints[k]
                                                : NAN;
  const gannet_err err =
      gannet_store_write_doubles(w->store, "history/constraints", 2, constraints, values);
  gannet_free(&values);
  return err;
}

/* A member of n structs as a column. */
static gannet_err write_column(writer *w, const gannet_struct_field *field, const void *structs,
                               size_t size) {
  const char *row = structs;
  gannet_err err = GANNET_OK;
  for (int64_t i = 0; i < w->n; ++i, row += size) {
    if (gannet_struct_field_is_real(field))
      w->reals[i] = gannet_struct_field_get_real(field, row);
    else if (gannet_struct_field_is_whole(field))
      w->wholes[i] = gannet_struct_field_get_whole(field, row);
    else
      w->texts[i] = gannet_struct_field_get_text(field, row);
  }
  if (gannet_struct_field_is_real(field))
    err = gannet_store_write_doubles(w->store, field->name, 1, &w->n, w->reals);
  else if (gannet_struct_field_is_whole(field))
    err = gannet_store_write_int64s(w->store, field->name, 1, &w->n, w->wholes);
  else
    err = gannet_store_write_texts(w->store, field->name, (int)w->n, w->texts);
  GANNET_TRY(err);
  return describe(w, field->name, field->unit, field->help);
}

static gannet_err write_history(writer *w) {
  const gannet_history *h = w->ledger->history;
  const int64_t told = gannet_history_count_told(h);
  const gannet_ticket *ticket = w->ledger->ticket;
  const gannet_struct_field *field;
  GANNET_TRY(write_points(w));
  for (int64_t i = 0; i < w->n; ++i) {
    const gannet_evaluation *row = gannet_history_get(h, i);
    w->proposal[i] = (gannet_snapshot_proposal){row->batch, row->origin};
  }
  for (field = gannet_snapshot_proposal_fields; field->name; ++field)
    GANNET_TRY(write_column(w, field, w->proposal, sizeof *w->proposal));
  for (field = gannet_snapshot_ticket_fields; field->name; ++field)
    GANNET_TRY(write_column(w, field, ticket, sizeof *ticket));
  for (int64_t i = 0; i < w->n; ++i)
    w->wholes[i] = gannet_snapshot_feasible(w->ledger->problem, &ticket[i]);
  GANNET_TRY(gannet_store_write_int64s(w->store, "history/feasible", 1, &w->n, w->wholes));
  GANNET_TRY(describe(w, "history/feasible", NULL,
                      "1 all constraints are kept, 0 one is violated, -1 there is no result"));
  GANNET_TRY(
      gannet_store_write_int64s(w->store, "history/told", 1, &told, gannet_history_order(h)));
  return describe(w, "history/told", NULL,
                  "evaluations by the order in which the optimiser learnt of them");
}

/* Numbers and texts of the optimiser's state, each with its name. */
static gannet_err write_values(writer *w, const char **names, const char **types, double *values,
                               const char **words) {
  const gannet_state *state = &w->ledger->state;
  int64_t n = 0;
  int texts = state->n;
  for (int i = 0; i < state->n; ++i) {
    const gannet_state_value *value = &state->value[i];
    if (value->kind == GANNET_STATE_TEXT) {
      names[--texts] = value->name;
      words[texts] = value->text;
      continue;
    }
    names[n] = value->name;
    types[n] = value->kind == GANNET_STATE_WHOLE ? "whole" : "real";
    values[n++] = value->number;
  }
  GANNET_TRY(gannet_store_write_texts(w->store, "optimizer/names", (int)n, names));
  GANNET_TRY(describe(w, "optimizer/names", NULL, "of optimizer/values"));
  GANNET_TRY(gannet_store_write_doubles(w->store, "optimizer/values", 1, &n, values));
  GANNET_TRY(describe(w, "optimizer/values", NULL,
                      "state of the optimiser after the last proposal; values that are not here "
                      "have not changed since the beginning"));
  GANNET_TRY(gannet_store_write_texts(w->store, "optimizer/types", (int)n, types));
  GANNET_TRY(
      gannet_store_write_texts(w->store, "optimizer/text_names", state->n - texts, names + texts));
  GANNET_TRY(
      gannet_store_write_texts(w->store, "optimizer/texts", state->n - texts, words + texts));
  return describe(w, "optimizer/texts", NULL,
                  "the method; the type of each member's models, and what their numbers mean");
}

static gannet_err write_state(writer *w) {
  const size_t n = (size_t)w->ledger->state.n + 1;
  const int64_t bare = w->ledger->n_positional;
  const char **texts = NULL;
  double *values = NULL;
  if (bare > 0) {
    GANNET_TRY(
        gannet_store_write_doubles(w->store, "optimizer/state", 1, &bare, w->ledger->positional));
    return describe(w, "optimizer/state", NULL, "the same without names, by version 0.1.0");
  }
  GANNET_TRY(gannet_alloc(3 * n, sizeof *texts, &texts));
  gannet_err err = gannet_alloc(n, sizeof *values, &values);
  if (err == GANNET_OK) err = write_values(w, texts, texts + n, values, texts + 2 * n);
  gannet_free(&texts);
  gannet_free(&values);
  return err;
}

gannet_err gannet_snapshot_write(const char *path, const gannet_ledger *ledger) {
  const size_t n = (size_t)ledger->n;
  writer w = {.ledger = ledger, .n = ledger->n};
  GANNET_REQUIRE(ledger->name, GANNET_ERR_STATE,
                 "a snapshot of a ledger whose journal has no record of the campaign: '%s'", path);
  gannet_err err = gannet_alloc(n, sizeof *w.reals, &w.reals);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *w.wholes, &w.wholes);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *w.texts, &w.texts);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *w.proposal, &w.proposal);
  if (err == GANNET_OK) err = gannet_store_create(path, GANNET_STATE_SCHEMA, &w.store);
  if (err == GANNET_OK) err = write_campaign(&w);
  if (err == GANNET_OK) err = write_problem(&w);
  if (err == GANNET_OK) err = write_history(&w);
  if (err == GANNET_OK) err = gannet_snapshot_write_reported(w.store, ledger);
  if (err == GANNET_OK) err = write_state(&w);
  if (err == GANNET_OK) err = gannet_store_commit(w.store);
  gannet_free(&w.reals);
  gannet_free(&w.wholes);
  gannet_free(&w.texts);
  gannet_free(&w.proposal);
  gannet_store_destroy(&w.store);
  return err;
}
