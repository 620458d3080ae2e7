/* A snapshot is read, after it was found to be of the campaign that is wanted. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/fingerprint.h"
#include "campaign/run/record.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"
#include "campaign/run/snapshot_reported.h"
#include "optimizer/state_columns.h"
#include "problem/history_columns.h"
#include "store/fields.h"

/* What a history and the tickets of a ledger are made of. */
typedef struct {
  gannet_history_columns history;
  gannet_ticket *ticket; /* [history.n] without constraints */
} columns;

static gannet_err read_history(const gannet_store *store, const gannet_problem *problem,
                               columns *c) {
  GANNET_TRY(gannet_history_columns_read(store, problem, &c->history));
  const int64_t n = c->history.n;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *c->ticket, &c->ticket));
  GANNET_TRY(gannet_store_read_fields(store, gannet_snapshot_ticket_fields, n, c->ticket,
                                      sizeof *c->ticket));
  GANNET_TRY(gannet_snapshot_read_reported(store, problem->spec.n_variables, n, c->ticket));
  for (int64_t i = 0; i < n; ++i) {
    gannet_ticket *t = &c->ticket[i];
    t->has_result = t->result.status != GANNET_EVAL_PENDING;
    if (t->result.run.failure < 0 || t->result.run.failure >= GANNET_FAILURE_COUNT)
      t->result.run.failure = GANNET_FAILURE_NONE; /* a later version may know more */
  }
  return GANNET_OK;
}

/* Takes the tickets over from the columns: two copies of many tickets are a lot of memory. */
static gannet_err fill_ledger(columns *c, gannet_ledger *ledger) {
  const size_t k = (size_t)ledger->problem->spec.n_constraints;
  ledger->ticket = c->ticket;
  ledger->n = ledger->capacity = c->history.n;
  c->ticket = NULL;
  GANNET_TRY(gannet_history_columns_propose(&c->history, ledger->history));
  for (int64_t i = 0; i < ledger->n; ++i) {
    gannet_ticket *t = &ledger->ticket[i];
    t->result.id = i;
    GANNET_TRY(gannet_alloc(k, sizeof(double), &t->result.constraints));
    if (k > 0)
      memcpy(t->result.constraints, c->history.constraints + (size_t)i * k, k * sizeof(double));
    gannet_ledger_count(ledger, t, 1);
    GANNET_TRY(gannet_ledger_add_columns(ledger, &t->result.reported));
  }
  for (int64_t at = 0; at < c->history.n_told; ++at) {
    gannet_ticket *t = &ledger->ticket[c->history.order[at]];
    GANNET_TRY(gannet_history_tell(ledger->history, &t->result));
    t->is_told = true;
  }
  return GANNET_OK;
}

static gannet_err take_correction(gannet_ledger *ledger, const char *before,
                                  gannet_correction *correction) {
  gannet_record record = {0};
  gannet_err err = gannet_record_parse_before(ledger->problem, before, &record);
  correction->before = record.result;
  correction->before.id = correction->id;
  correction->had_result = record.result.status != GANNET_EVAL_PENDING;
  if (err == GANNET_OK) err = gannet_ledger_add_correction(ledger, correction);
  gannet_record_release(&record);
  return err;
}

/* Read the corrections. The evaluations that they are of have been read. */
static gannet_err read_corrections(const gannet_store *store, gannet_ledger *ledger) {
  gannet_correction *corrections = NULL;
  char **before = NULL;
  int n = 0;
  if (!gannet_store_has(store, "corrections/before")) return GANNET_OK;
  GANNET_TRY(gannet_store_read_texts(store, "corrections/before", &n, &before));
  gannet_err err = gannet_alloc((size_t)n, sizeof *corrections, &corrections);
  if (err == GANNET_OK)
    err = gannet_store_read_fields(store, gannet_snapshot_correction_fields, n, corrections,
                                   sizeof *corrections);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = take_correction(ledger, before[i], &corrections[i]);
  gannet_free(&corrections);
  gannet_free(&before);
  return err;
}

static gannet_err read_revisions(const gannet_store *store, gannet_ledger *ledger) {
  char **texts = NULL;
  int n = 0;
  if (!gannet_store_has(store, "changes/made")) return GANNET_OK;
  gannet_err err = gannet_store_read_texts(store, "changes/made", &n, &texts);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    gannet_record record = {0};
    err = gannet_record_parse(ledger->problem, texts[i], strlen(texts[i]), &record);
    if (err == GANNET_OK) err = gannet_ledger_add_revision(ledger, &record.revision);
    gannet_record_release(&record);
  }
  gannet_free(&texts);
  return err;
}

static gannet_err read_mark(const gannet_store *store, gannet_snapshot_mark *mark) {
  char *text = NULL;
  *mark = (gannet_snapshot_mark){0};
  for (const gannet_struct_field *field = gannet_snapshot_mark_fields; field->name; ++field) {
    int64_t value = 0;
    if (field->optional && !gannet_store_has(store, field->name)) continue;
    if (field->type == GANNET_STRUCT_BITS) {
      GANNET_TRY(gannet_store_read_text(store, field->name, &text));
      value = (int64_t)strtoull(text, NULL, 16);
      gannet_free(&text);
    } else {
      GANNET_TRY(gannet_store_read_int64s(store, field->name, 0, NULL, &value));
    }
    GANNET_TRY(gannet_struct_field_set_whole(field, value, mark));
  }
  GANNET_TRY(gannet_store_read_text(store, "campaign/name", &text));
  (void)snprintf(mark->name, sizeof mark->name, "%s", text);
  gannet_free(&text);
  return GANNET_OK;
}

static gannet_err read_state(const gannet_store *store, gannet_ledger *ledger) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  if (!gannet_store_has(store, "optimizer/state")) return gannet_state_read(store, &ledger->state);
  GANNET_TRY(gannet_store_shape(store, "optimizer/state", &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= INT_MAX, GANNET_ERR_DAMAGED,
                 "optimizer/state has %d dimensions", rank);
  ledger->n_positional = (int)dims[0];
  GANNET_TRY(gannet_alloc((size_t)dims[0], sizeof *ledger->positional, &ledger->positional));
  return gannet_store_read_doubles(store, "optimizer/state", 1, dims, ledger->positional);
}

bool gannet_snapshot_counts_in(uint64_t identity, const gannet_journal_report *journal) {
  return journal->schema == 0 || journal->identity == identity;
}

static bool has_name(const gannet_snapshot_mark *mark, const char *name) {
  return strncmp(mark->name, name, sizeof mark->name - 1) == 0;
}

bool gannet_snapshot_is_of(const gannet_snapshot_mark *mark, uint64_t seed, const char *name) {
  return mark->seed == seed && has_name(mark, name);
}

/* problem  in  NULL = any */
static gannet_err check_wanted(const gannet_snapshot_mark *mark, const gannet_snapshot_want *want,
                               const gannet_problem *problem) {
  GANNET_REQUIRE(!problem || gannet_problem_has_fingerprint(problem, mark->fingerprint),
                 GANNET_ERR_INPUT,
                 "the snapshot is of another problem: variables, constraints or goal differ from "
                 "those of campaign '%s', which wrote it; choose another place with --directory",
                 mark->name);
  GANNET_REQUIRE(!want->seed || mark->seed == *want->seed, GANNET_ERR_INPUT,
                 "the snapshot is of campaign '%s', which was begun with seed %lld, not %lld: a "
                 "campaign keeps its seed; start another one with --directory",
                 mark->name, (long long)mark->seed, (long long)*want->seed);
  GANNET_REQUIRE(!want->journal || gannet_snapshot_counts_in(mark->journal, want->journal),
                 GANNET_ERR_STATE, "the snapshot was made from another journal");
  GANNET_REQUIRE(!want->name || has_name(mark, want->name), GANNET_ERR_STATE,
                 "the snapshot is of campaign '%s'", mark->name);
  return GANNET_OK;
}

static bool is_wanted(const gannet_snapshot_mark *mark, const gannet_snapshot_want *want,
                      const gannet_problem *problem) {
  const bool wanted = check_wanted(mark, want, problem) == GANNET_OK;
  if (!wanted) gannet_error_clear();
  return wanted;
}

static gannet_err open_newest(const char *path, gannet_store_report *report,
                              gannet_snapshot_mark *mark, gannet_store **store) {
  GANNET_TRY(gannet_store_open(path, GANNET_STATE_SCHEMA, report, store));
  const gannet_err err = read_mark(*store, mark);
  if (err != GANNET_OK) gannet_store_destroy(store);
  return err;
}

/* Somebody may have put the file of another campaign in the place of this one's, whose older
 * generation is there still. store stays as it was when that is not wanted either. */
static void pass_over(const char *path, const gannet_snapshot_want *want,
                      const gannet_problem *problem, gannet_snapshot_mark *mark,
                      gannet_store **store) {
  char older[PATH_MAX + 8];
  gannet_snapshot_mark second;
  gannet_store *opened = NULL;
  (void)snprintf(older, sizeof older, "%s.1", path);
  if (open_newest(older, NULL, &second, &opened) != GANNET_OK) gannet_error_clear();
  if (opened && is_wanted(&second, want, problem)) {
    gannet_store_destroy(store);
    *store = opened;
    *mark = second;
    mark->is_passed_over = true;
    return;
  }
  gannet_store_destroy(&opened);
}

static gannet_err open_wanted(const char *path, const gannet_snapshot_want *want,
                              const gannet_problem *problem, gannet_store_report *report,
                              gannet_snapshot_mark *mark, gannet_store **store) {
  gannet_store_report unused, *about = report ? report : &unused;
  GANNET_TRY(open_newest(path, about, mark, store));
  if (about->generation > 0 || is_wanted(mark, want, problem)) return GANNET_OK;
  pass_over(path, want, problem, mark, store);
  if (!mark->is_passed_over) return GANNET_OK;
  about->generation = 1;
  (void)snprintf(about->reason, sizeof about->reason, "it is not of this campaign");
  return GANNET_OK;
}

gannet_err gannet_snapshot_look(const char *path, const gannet_snapshot_want *want,
                                gannet_snapshot_mark *mark) {
  static const gannet_snapshot_want anything = {0};
  gannet_store *store = NULL;
  GANNET_TRY(open_wanted(path, want ? want : &anything, NULL, NULL, mark, &store));
  gannet_store_destroy(&store);
  return GANNET_OK;
}

static gannet_err read_imports(const gannet_store *store, gannet_ledger *ledger) {
  char **from = NULL;
  int64_t *numbers = NULL;
  int n = 0;
  if (!gannet_store_has(store, "campaign/imports")) return GANNET_OK;
  gannet_err err = gannet_store_read_texts(store, "campaign/imports", &n, &from);
  const int64_t shape[2] = {n, 3};
  if (err == GANNET_OK) err = gannet_alloc((size_t)n * 3, sizeof *numbers, &numbers);
  if (err == GANNET_OK)
    err = gannet_store_read_int64s(store, "campaign/imported", 2, shape, numbers);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *ledger->imports, &ledger->imports);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    ledger->imports[i] = (gannet_import){.digest = (uint64_t)numbers[3 * i],
                                         .n_imported = numbers[3 * i + 1],
                                         .n_refused = numbers[3 * i + 2]};
    ledger->n_imports = i + 1;
    err = gannet_copy_text(from[i], &ledger->imports[i].from);
  }
  gannet_free(&numbers);
  gannet_free(&from);
  return err;
}

static gannet_err read_related(const gannet_store *store, gannet_ledger *ledger) {
  gannet_related_rows *sources = NULL;
  int n = 0;
  gannet_err err = gannet_related_columns_read(store, ledger->problem, &n, &sources);
  if (err == GANNET_OK && n > 0 && n != ledger->n_imports)
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "related/count has %d rows for %d files", n,
                       ledger->n_imports);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    ledger->imports[i].is_related = sources[i].n > 0;
    ledger->imports[i].related = sources[i];
    sources[i] = (gannet_related_rows){0}; /* the ledger has them now */
  }
  gannet_related_columns_release(n, &sources);
  return err;
}

gannet_err gannet_snapshot_read(const char *path, const gannet_snapshot_want *want,
                                gannet_ledger *ledger, gannet_store_report *report) {
  static const gannet_snapshot_want anything = {0};
  gannet_store *store = NULL;
  gannet_snapshot_mark mark;
  columns c = {0};
  if (!want) want = &anything;
  GANNET_TRY(open_wanted(path, want, ledger->problem, report, &mark, &store));
  gannet_err err = check_wanted(&mark, want, ledger->problem);
  if (err == GANNET_OK) {
    ledger->sequence = mark.sequence;
    ledger->identity = mark.journal;
    ledger->fingerprint = gannet_problem_fingerprint(ledger->problem);
    ledger->seed = mark.seed;
    err = gannet_store_read_text(store, "campaign/name", &ledger->name);
  }
  if (err == GANNET_OK) err = read_state(store, ledger);
  if (err == GANNET_OK) err = gannet_state_course_read(store, &ledger->course);
  if (err == GANNET_OK) err = read_history(store, ledger->problem, &c);
  if (err == GANNET_OK) err = gannet_snapshot_read_columns(store, ledger);
  if (err == GANNET_OK) err = fill_ledger(&c, ledger);
  if (err == GANNET_OK) err = read_imports(store, ledger);
  if (err == GANNET_OK) err = read_related(store, ledger);
  if (err == GANNET_OK) err = read_corrections(store, ledger);
  if (err == GANNET_OK) err = read_revisions(store, ledger);
  if (err == GANNET_OK && gannet_store_has(store, "campaign/stop"))
    err = gannet_store_read_text(store, "campaign/stop", &ledger->stop_reason);
  gannet_history_columns_release(&c.history);
  for (int64_t i = 0; c.ticket && i < c.history.n; ++i)
    gannet_quantities_release(&c.ticket[i].result.reported);
  gannet_free(&c.ticket);
  gannet_store_destroy(&store);
  return err;
}
