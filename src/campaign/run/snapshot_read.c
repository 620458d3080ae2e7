/* A snapshot is read, after it was found to be of the campaign that is wanted. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"
#include "campaign/run/snapshot_reported.h"

/* What a history and the tickets of a ledger are made of. */
typedef struct {
  int64_t n, told;
  double *x, *constraints;
  int64_t *order;
  gannet_snapshot_proposal *proposal; /* [n] */
  gannet_ticket *ticket;              /* [n] without constraints */
} columns;

/* One column into a member of n structs. */
static gannet_err read_column(const gannet_store *store, const gannet_struct_field *field,
                              int64_t n, void *structs, size_t size) {
  char *row = structs, **texts = NULL;
  double *reals = NULL;
  int64_t *wholes = NULL;
  int n_texts = 0;
  gannet_err err = GANNET_OK;
  if (gannet_struct_field_is_real(field)) {
    err = gannet_alloc((size_t)n, sizeof *reals, &reals);
    if (err == GANNET_OK) err = gannet_store_read_doubles(store, field->name, 1, &n, reals);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      if (gannet_struct_field_set_real(field, reals[i], row) != GANNET_OK)
        err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of evaluation %lld is %g", field->name,
                           (long long)i, reals[i]);
  } else if (gannet_struct_field_is_whole(field)) {
    err = gannet_alloc((size_t)n, sizeof *wholes, &wholes);
    if (err == GANNET_OK) err = gannet_store_read_int64s(store, field->name, 1, &n, wholes);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      if (gannet_struct_field_set_whole(field, wholes[i], row) != GANNET_OK)
        err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of evaluation %lld is %lld", field->name,
                           (long long)i, (long long)wholes[i]);
  } else {
    err = gannet_store_read_texts(store, field->name, &n_texts, &texts);
    if (err == GANNET_OK && n_texts != n)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s has %d rows, expected %lld", field->name, n_texts,
                         (long long)n);
    for (int64_t i = 0; i < n && err == GANNET_OK; ++i, row += size)
      gannet_struct_field_set_text(field, texts[i], row);
  }
  gannet_free(&reals);
  gannet_free(&wholes);
  gannet_free(&texts);
  return err;
}

/* All columns of a table into the members of n structs. Those that an older file does not have
 * leave the fallback. */
static gannet_err read_table(const gannet_store *store, const gannet_struct_field *table, int64_t n,
                             void *structs, size_t size) {
  for (int64_t i = 0; i < n; ++i) gannet_struct_reset(table, (char *)structs + (size_t)i * size);
  for (const gannet_struct_field *field = table; field->name; ++field)
    if (!field->optional || gannet_store_has(store, field->name))
      GANNET_TRY(read_column(store, field, n, structs, size));
  return GANNET_OK;
}

static gannet_err read_sizes(const gannet_store *store, columns *c) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  GANNET_TRY(gannet_store_shape(store, "history/objective", &rank, dims));
  GANNET_REQUIRE(rank == 1, GANNET_ERR_DAMAGED, "history/objective has %d dimensions", rank);
  c->n = dims[0];
  GANNET_TRY(gannet_store_shape(store, "history/told", &rank, dims));
  GANNET_REQUIRE(rank == 1 && dims[0] <= c->n, GANNET_ERR_DAMAGED, "history/told does not fit");
  c->told = dims[0];
  return GANNET_OK;
}

static gannet_err read_history(const gannet_store *store, const gannet_problem *problem,
                               columns *c) {
  GANNET_TRY(read_sizes(store, c));
  const size_t n = (size_t)c->n;
  const int64_t points[2] = {c->n, problem->spec.n_variables};
  const int64_t values[2] = {c->n, problem->spec.n_constraints};
  GANNET_TRY(gannet_alloc((size_t)(points[0] * points[1]), sizeof *c->x, &c->x));
  GANNET_TRY(
      gannet_alloc((size_t)(values[0] * values[1]), sizeof *c->constraints, &c->constraints));
  GANNET_TRY(gannet_alloc((size_t)c->told, sizeof *c->order, &c->order));
  GANNET_TRY(gannet_alloc(n, sizeof *c->proposal, &c->proposal));
  GANNET_TRY(gannet_alloc(n, sizeof *c->ticket, &c->ticket));
  GANNET_TRY(gannet_store_read_doubles(store, "history/x", 2, points, c->x));
  GANNET_TRY(gannet_store_read_doubles(store, "history/constraints", 2, values, c->constraints));
  GANNET_TRY(
      read_table(store, gannet_snapshot_proposal_fields, c->n, c->proposal, sizeof *c->proposal));
  GANNET_TRY(gannet_store_read_int64s(store, "history/told", 1, &c->told, c->order));
  GANNET_TRY(read_table(store, gannet_snapshot_ticket_fields, c->n, c->ticket, sizeof *c->ticket));
  GANNET_TRY(gannet_snapshot_read_reported(store, problem->spec.n_variables, c->n, c->ticket));
  for (int64_t i = 0; i < c->n; ++i) {
    gannet_ticket *t = &c->ticket[i];
    t->has_result = t->result.status != GANNET_EVAL_PENDING;
    if (t->result.run.failure < 0 || t->result.run.failure >= GANNET_FAILURE_COUNT)
      t->result.run.failure = GANNET_FAILURE_NONE; /* a later version may know more */
  }
  return GANNET_OK;
}

/* Takes what is reported over from the columns. */
static gannet_err fill_ledger(columns *c, gannet_ledger *ledger) {
  const int64_t v = ledger->problem->spec.n_variables;
  const size_t k = (size_t)ledger->problem->spec.n_constraints;
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *ledger->ticket, &ledger->ticket));
  ledger->capacity = c->n;
  for (; ledger->n < c->n; ++ledger->n) {
    const int64_t i = ledger->n;
    gannet_ticket *t = &ledger->ticket[i];
    GANNET_TRY(gannet_history_propose(ledger->history, c->x + i * v, c->proposal[i].batch,
                                      c->proposal[i].origin, NULL));
    *t = c->ticket[i];
    t->result.id = i;
    t->result.reported = (gannet_quantities){0};
    GANNET_TRY(gannet_alloc(k, sizeof(double), &t->result.constraints));
    if (k > 0) memcpy(t->result.constraints, c->constraints + (size_t)i * k, k * sizeof(double));
    gannet_ledger_count(ledger, t, 1);
    GANNET_TRY(gannet_ledger_add_columns(ledger, &c->ticket[i]));
    t->result.reported = c->ticket[i].result.reported;
    c->ticket[i].result.reported = (gannet_quantities){0};
  }
  for (int64_t at = 0; at < c->told; ++at) {
    GANNET_REQUIRE(0 <= c->order[at] && c->order[at] < c->n, GANNET_ERR_DAMAGED,
                   "history/told names evaluation %lld of %lld", (long long)c->order[at],
                   (long long)c->n);
    gannet_ticket *t = &ledger->ticket[c->order[at]];
    GANNET_TRY(gannet_history_tell(ledger->history, &t->result));
    t->is_told = true;
  }
  return GANNET_OK;
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

/* Texts and numbers of the optimiser's state, each list beside that of its names. */
static gannet_err read_values(const gannet_store *store, gannet_state *state) {
  char **names = NULL, **types = NULL, **text_names = NULL, **texts = NULL;
  double *values = NULL;
  int n = 0, n_types = 0, n_names = 0, n_texts = 0;
  gannet_err err = gannet_store_read_texts(store, "optimizer/names", &n, &names);
  if (err == GANNET_OK) err = gannet_store_read_texts(store, "optimizer/types", &n_types, &types);
  if (err == GANNET_OK)
    err = gannet_store_read_texts(store, "optimizer/text_names", &n_names, &text_names);
  if (err == GANNET_OK) err = gannet_store_read_texts(store, "optimizer/texts", &n_texts, &texts);
  if (err == GANNET_OK && (n != n_types || n_names != n_texts))
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "optimizer/names has %d rows, its types %d", n, n_types);
  for (int i = 0; i < n_texts && err == GANNET_OK; ++i)
    err = gannet_state_put_text(state, "", text_names[i], texts[i]);
  const int64_t length = n;
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *values, &values);
  if (err == GANNET_OK)
    err = gannet_store_read_doubles(store, "optimizer/values", 1, &length, values);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    const bool is_whole = strcmp(types[i], "whole") == 0;
    err = gannet_state_put(state, "", names[i], is_whole ? GANNET_STATE_WHOLE : GANNET_STATE_REAL,
                           values[i]);
  }
  gannet_free(&values);
  gannet_free(&names);
  gannet_free(&types);
  gannet_free(&text_names);
  gannet_free(&texts);
  return err;
}

static gannet_err read_state(const gannet_store *store, gannet_ledger *ledger) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  if (!gannet_store_has(store, "optimizer/state")) return read_values(store, &ledger->state);
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

bool gannet_snapshot_is_of(const gannet_snapshot_mark *mark, uint64_t fingerprint, uint64_t seed,
                           const char *name) {
  return mark->fingerprint == fingerprint && mark->seed == seed && has_name(mark, name);
}

/* problem  in  NULL = any */
static gannet_err check_wanted(const gannet_snapshot_mark *mark, const gannet_snapshot_want *want,
                               const gannet_problem *problem) {
  GANNET_REQUIRE(!problem || mark->fingerprint == gannet_problem_fingerprint(problem),
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

gannet_err gannet_snapshot_look(const char *path, const gannet_journal_report *journal,
                                gannet_snapshot_mark *mark) {
  const gannet_snapshot_want want = {.journal = journal};
  gannet_store *store = NULL;
  GANNET_TRY(open_wanted(path, &want, NULL, NULL, mark, &store));
  gannet_store_destroy(&store);
  return GANNET_OK;
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
    ledger->fingerprint = mark.fingerprint;
    ledger->seed = mark.seed;
    err = gannet_store_read_text(store, "campaign/name", &ledger->name);
  }
  if (err == GANNET_OK) err = read_state(store, ledger);
  if (err == GANNET_OK) err = read_history(store, ledger->problem, &c);
  if (err == GANNET_OK) err = gannet_snapshot_read_columns(store, ledger);
  if (err == GANNET_OK) err = fill_ledger(&c, ledger);
  if (err == GANNET_OK && gannet_store_has(store, "campaign/stop"))
    err = gannet_store_read_text(store, "campaign/stop", &ledger->stop_reason);
  gannet_free(&c.x);
  gannet_free(&c.constraints);
  gannet_free(&c.order);
  gannet_free(&c.proposal);
  for (int64_t i = 0; c.ticket && i < c.n; ++i)
    gannet_quantities_release(&c.ticket[i].result.reported);
  gannet_free(&c.ticket);
  gannet_store_destroy(&store);
  return err;
}
