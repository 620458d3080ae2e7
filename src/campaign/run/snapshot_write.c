/* A snapshot is written, table by table. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "campaign/run/record.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"
#include "campaign/run/snapshot_reported.h"
#include "gannet/version.h"
#include "optimizer/state_columns.h"
#include "optimizer/state_course.h"
#include "problem/history_columns.h"
#include "problem/outputs.h"
#include "problem/problem_columns.h"
#include "store/fields.h"

typedef struct {
  gannet_store *store;
  const gannet_ledger *ledger;
  int64_t n;
  int64_t *wholes; /* [n] */
} writer;

/* The files that results were imported from: names, and a row of numbers for each. */
static gannet_err write_imports(writer *w) {
  const gannet_ledger *ledger = w->ledger;
  const int n = ledger->n_imports;
  const int64_t shape[2] = {n, 3};
  const char **from = NULL;
  int64_t *numbers = NULL;
  if (n == 0) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)n, sizeof *from, &from);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n * 3, sizeof *numbers, &numbers);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    const gannet_import *import = &ledger->imports[i];
    from[i] = import->from;
    numbers[3 * i] = (int64_t)import->digest;
    numbers[3 * i + 1] = import->n_imported;
    numbers[3 * i + 2] = import->n_refused;
  }
  if (err == GANNET_OK) err = gannet_store_write_texts(w->store, "campaign/imports", n, from);
  if (err == GANNET_OK)
    err = gannet_store_write_int64s(w->store, "campaign/imported", 2, shape, numbers);
  gannet_free(&from);
  gannet_free(&numbers);
  GANNET_TRY(err);
  GANNET_TRY(gannet_store_annotate(w->store, "campaign/imports", NULL,
                                   "files that results were imported from"));
  return gannet_store_annotate(
      w->store, "campaign/imported", NULL,
      "of each of these: checksum, rows that became evaluations, rows refused");
}

/* Results of related problems, of every file that results were imported from. */
static gannet_err write_related(writer *w) {
  const gannet_ledger *ledger = w->ledger;
  gannet_related_rows *sources = NULL;
  gannet_err err = gannet_alloc((size_t)ledger->n_imports, sizeof *sources, &sources);
  for (int i = 0; i < ledger->n_imports && err == GANNET_OK; ++i)
    sources[i] = ledger->imports[i].related;
  if (err == GANNET_OK)
    err = gannet_related_columns_write(w->store, ledger->problem, ledger->n_imports, sources);
  gannet_free(&sources);
  return err;
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
    GANNET_TRY(gannet_store_annotate(w->store, "campaign/stop", NULL,
                                     "why the campaign ended before its budget was spent"));
  }
  GANNET_TRY(write_imports(w));
  GANNET_TRY(write_related(w));
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/name", ledger->name));
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/gannet", GANNET_VERSION));
  for (const gannet_struct_field *field = gannet_snapshot_mark_fields; field->name; ++field) {
    const int64_t value = gannet_struct_field_get_whole(field, &mark);
    if (field->optional && value == 0) continue;
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    GANNET_TRY(field->type == GANNET_STRUCT_BITS
                   ? gannet_store_write_text(w->store, field->name, digits)
                   : gannet_store_write_int64s(w->store, field->name, 0, NULL, &value));
    GANNET_TRY(gannet_store_annotate(w->store, field->name, field->unit, field->help));
  }
  return GANNET_OK;
}

static gannet_err write_points(writer *w) {
  const size_t n = (size_t)w->n, k = (size_t)w->ledger->problem->spec.n_constraints;
  double *values = NULL;
  GANNET_TRY(gannet_alloc(n * k, sizeof *values, &values));
  for (size_t i = 0; i < n; ++i) {
    const gannet_result_record *result = &w->ledger->ticket[i].result;
    for (size_t j = 0; j < k; ++j)
      values[i * k + j] = result->status == GANNET_EVAL_DONE ? result->constraints[j] : NAN;
  }
  const gannet_err err = gannet_history_columns_write(w->store, w->ledger->history, values);
  gannet_free(&values);
  return err;
}

static gannet_err write_history(writer *w) {
  const gannet_ticket *ticket = w->ledger->ticket;
  const char *unit = gannet_problem_objective_unit(w->ledger->problem);
  GANNET_TRY(write_points(w));
  GANNET_TRY(gannet_store_write_fields(w->store, gannet_snapshot_ticket_fields, w->n, ticket,
                                       sizeof *ticket));
  if (*unit) GANNET_TRY(gannet_store_annotate(w->store, "history/objective", unit, NULL));
  for (int64_t i = 0; i < w->n; ++i)
    w->wholes[i] = gannet_result_feasibility(w->ledger->problem, &ticket[i].result);
  GANNET_TRY(gannet_store_write_int64s(w->store, "history/feasible", 1, &w->n, w->wholes));
  return gannet_store_annotate(
      w->store, "history/feasible", NULL,
      "1 complete and all constraints are kept, 0 one is violated, -1 not known");
}

/* A campaign without corrections has no such columns. Results as they were before corrections are
 * texts, as in the journal. */
static gannet_err write_corrections(const writer *w) {
  const gannet_ledger *ledger = w->ledger;
  const gannet_correction *correction = ledger->correction;
  const int n = ledger->n_corrections;
  char **texts = NULL;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_store_write_fields(w->store, gannet_snapshot_correction_fields, n, correction,
                                       sizeof *correction));
  gannet_err err = gannet_alloc((size_t)n, sizeof *texts, &texts);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = gannet_record_before(ledger->problem, &correction[i].before, &texts[i]);
  if (err == GANNET_OK)
    err = gannet_store_write_texts(w->store, "corrections/before", n, (const char *const *)texts);
  for (int i = 0; texts && i < n; ++i) gannet_free(&texts[i]);
  gannet_free(&texts);
  GANNET_TRY(err);
  return gannet_store_annotate(w->store, "corrections/before", NULL,
                               "the result before, as JSON of the journal");
}

/* A campaign that was never changed has no such dataset. */
static gannet_err write_revisions(const writer *w) {
  const gannet_ledger *ledger = w->ledger;
  const int n = ledger->n_revisions;
  char **texts = NULL;
  if (n == 0) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)n, sizeof *texts, &texts);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = gannet_record_change(&ledger->revision[i], NULL, NULL, &texts[i]);
  if (err == GANNET_OK)
    err = gannet_store_write_texts(w->store, "changes/made", n, (const char *const *)texts);
  for (int i = 0; texts && i < n; ++i) gannet_free(&texts[i]);
  gannet_free(&texts);
  GANNET_TRY(err);
  return gannet_store_annotate(w->store, "changes/made", NULL,
                               "changes of the campaign file by resumes, as JSON of the journal");
}

/* Numbers without names are those of version 0.1.0. */
static gannet_err write_state(const writer *w) {
  const gannet_ledger *ledger = w->ledger;
  const int64_t n = ledger->n_positional;
  gannet_err err = GANNET_OK;
  if (n == 0) return gannet_state_write(w->store, &ledger->state);
  err = gannet_store_write_doubles(w->store, "optimizer/state", 1, &n, ledger->positional);
  if (err == GANNET_OK)
    err = gannet_store_annotate(w->store, "optimizer/state", NULL,
                                "the same without names, by version 0.1.0");
  return err;
}

gannet_err gannet_snapshot_write(const char *path, const gannet_ledger *ledger) {
  const size_t n = (size_t)ledger->n;
  writer w = {.ledger = ledger, .n = ledger->n};
  GANNET_REQUIRE(ledger->name, GANNET_ERR_STATE,
                 "a snapshot of a ledger whose journal has no record of the campaign: '%s'", path);
  gannet_err err = gannet_alloc(n, sizeof *w.wholes, &w.wholes);
  if (err == GANNET_OK) err = gannet_store_create(path, GANNET_STATE_SCHEMA, &w.store);
  if (err == GANNET_OK) err = write_campaign(&w);
  if (err == GANNET_OK) err = gannet_problem_columns_write(w.store, ledger->problem);
  if (err == GANNET_OK) err = write_history(&w);
  if (err == GANNET_OK) err = gannet_snapshot_write_reported(w.store, ledger);
  if (err == GANNET_OK) err = write_corrections(&w);
  if (err == GANNET_OK) err = write_revisions(&w);
  if (err == GANNET_OK) err = write_state(&w);
  if (err == GANNET_OK) err = gannet_state_course_write(w.store, &ledger->course);
  if (err == GANNET_OK) err = gannet_store_commit(w.store);
  gannet_free(&w.wholes);
  gannet_store_destroy(&w.store);
  return err;
}
