#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/snapshot.h"
#include "gannet/version.h"

enum { LONGEST_NAME = 128 };

/* Columns are gathered one at a time, in buffers for all rows. */
typedef struct {
  gannet_store *store;
  const gannet_ledger *ledger;
  int64_t n;
  double *reals;      /* [n] */
  int64_t *wholes;    /* [n] */
  const char **texts; /* [n] */
} writer;

static gannet_err make_writer(const gannet_ledger *ledger, writer *w) {
  w->ledger = ledger;
  w->n = ledger->n;
  GANNET_TRY(gannet_alloc((size_t)w->n, sizeof *w->reals, &w->reals));
  GANNET_TRY(gannet_alloc((size_t)w->n, sizeof *w->wholes, &w->wholes));
  return gannet_alloc((size_t)w->n, sizeof *w->texts, &w->texts);
}

static void drop_writer(writer *w) {
  gannet_free(&w->reals);
  gannet_free(&w->wholes);
  gannet_free(&w->texts);
  gannet_store_destroy(&w->store);
}

static gannet_err write_campaign(writer *w) {
  char hex[20];
  (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)w->ledger->fingerprint);
  GANNET_TRY(
      gannet_store_write_text(w->store, "campaign/name", w->ledger->name ? w->ledger->name : ""));
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/gannet", GANNET_VERSION));
  GANNET_TRY(gannet_store_write_text(w->store, "campaign/fingerprint", hex));
  const int64_t seed = (int64_t)w->ledger->seed;
  GANNET_TRY(gannet_store_write_int64s(w->store, "campaign/seed", 0, NULL, &seed));
  GANNET_TRY(
      gannet_store_write_int64s(w->store, "campaign/sequence", 0, NULL, &w->ledger->sequence));
  GANNET_TRY(gannet_store_describe(w->store, "campaign/sequence", "description",
                                   "number of the last journal record contained"));
  if (!w->ledger->identity) return GANNET_OK;
  (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)w->ledger->identity);
  return gannet_store_write_text(w->store, "campaign/journal", hex);
}

static gannet_err write_names(writer *w) {
  const gannet_problem_spec *spec = &w->ledger->problem->spec;
  const int n = spec->n_variables + spec->n_constraints;
  const char **names = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *names, &names));
  for (int v = 0; v < spec->n_variables; ++v) names[v] = spec->variables[v].name;
  for (int k = 0; k < spec->n_constraints; ++k)
    names[spec->n_variables + k] = spec->constraints[k].name;
  gannet_err err =
      gannet_store_write_texts(w->store, "problem/variables", spec->n_variables, names);
  if (err == GANNET_OK)
    err = gannet_store_write_texts(w->store, "problem/constraints", spec->n_constraints,
                                   names + spec->n_variables);
  gannet_free(&names);
  GANNET_TRY(err);
  return gannet_store_write_text(w->store, "problem/goal",
                                 spec->goal == GANNET_MAXIMIZE ? "maximize" : "minimize");
}

static gannet_err write_reals(writer *w, const char *name, const char *unit) {
  GANNET_TRY(gannet_store_write_doubles(w->store, name, 1, &w->n, w->reals));
  return unit ? gannet_store_describe(w->store, name, "unit", unit) : GANNET_OK;
}

static gannet_err write_wholes(writer *w, const char *name, const char *description) {
  GANNET_TRY(gannet_store_write_int64s(w->store, name, 1, &w->n, w->wholes));
  return description ? gannet_store_describe(w->store, name, "description", description)
                     : GANNET_OK;
}

/* Columns that only need the ticket of their row. */

static int64_t get_status(const gannet_ticket *t) {
  return t->has_result ? (int64_t)t->status : GANNET_EVAL_PENDING;
}

static int64_t get_attempt(const gannet_ticket *t) {
  return t->attempt;
}

static int64_t get_nonce(const gannet_ticket *t) {
  int64_t bits;
  memcpy(&bits, &t->nonce, sizeof bits);
  return bits;
}

static int64_t get_attempts(const gannet_ticket *t) {
  return t->run.attempts;
}

static int64_t get_exit_code(const gannet_ticket *t) {
  return t->run.exit_code;
}

static int64_t get_signal(const gannet_ticket *t) {
  return t->run.signal;
}

static int64_t get_slot(const gannet_ticket *t) {
  return t->run.slot;
}

static int64_t get_failure(const gannet_ticket *t) {
  return (int64_t)t->run.failure;
}

static int64_t get_crashed(const gannet_ticket *t) {
  return t->run.crashed;
}

static double get_objective(const gannet_ticket *t) {
  return t->status == GANNET_EVAL_DONE ? t->objective : NAN;
}

static double get_submitted(const gannet_ticket *t) {
  return t->run.submitted;
}

static double get_started(const gannet_ticket *t) {
  return t->run.started;
}

static double get_ended(const gannet_ticket *t) {
  return t->run.ended;
}

static double get_proposal(const gannet_ticket *t) {
  return t->proposal;
}

static const char *get_host(const gannet_ticket *t) {
  return t->run.host;
}

static const char *get_job(const gannet_ticket *t) {
  return t->run.job;
}

static const char *get_reason(const gannet_ticket *t) {
  return t->run.reason;
}

static const struct {
  const char *name, *description;
  int64_t (*get)(const gannet_ticket *t);
} whole_columns[] = {
    {"history/status", "0 pending, 1 done, 2 cannot run, 3 failed", get_status},
    {"history/attempt", "last attempt submitted", get_attempt},
    {"history/nonce", "name of the last attempt, 64 bits", get_nonce},
    {"history/attempts", "attempts that ended", get_attempts},
    {"history/exit_code", "-1 = none", get_exit_code},
    {"history/signal", "0 = none", get_signal},
    {"history/slot", "of the evaluator, -1 = unknown", get_slot},
    {"history/failure",
     "0 none, 1 word, 2 rule, 3 exit code, 4 signal, 5 time limit, 6 results, 7 launch, 8 "
     "scheduler",
     get_failure},
    {"history/crashed", "1 = failed, and not by bad luck", get_crashed},
};

static const struct {
  const char *name, *unit;
  double (*get)(const gannet_ticket *t);
} real_columns[] = {
    {"history/objective", NULL, get_objective},
    {"history/submitted", "seconds since 1970", get_submitted},
    {"history/started", "seconds since 1970", get_started},
    {"history/ended", "seconds since 1970", get_ended},
    {"history/proposal_seconds", "seconds", get_proposal},
};

static const struct {
  const char *name;
  const char *(*get)(const gannet_ticket *t);
} text_columns[] = {
    {"history/host", get_host}, {"history/job", get_job}, {"history/reason", get_reason}};

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
      values[i * spec->n_constraints + k] = w->ledger->ticket[i].status == GANNET_EVAL_DONE
                                                ? w->ledger->ticket[i].constraints[k]
                                                : NAN;
  const gannet_err err =
      gannet_store_write_doubles(w->store, "history/constraints", 2, constraints, values);
  gannet_free(&values);
  return err;
}

static gannet_err write_proposals(writer *w) {
  const gannet_history *h = w->ledger->history;
  for (int64_t i = 0; i < w->n; ++i) w->wholes[i] = gannet_history_get(h, i)->batch;
  GANNET_TRY(write_wholes(w, "history/batch", NULL));
  for (int64_t i = 0; i < w->n; ++i) w->wholes[i] = (int64_t)gannet_history_get(h, i)->origin;
  return write_wholes(w, "history/origin", "0 initial design, 1 method, 2 user");
}

static gannet_err write_columns(writer *w) {
  const gannet_ticket *ticket = w->ledger->ticket;
  for (size_t c = 0; c < sizeof whole_columns / sizeof *whole_columns; ++c) {
    for (int64_t i = 0; i < w->n; ++i) w->wholes[i] = whole_columns[c].get(&ticket[i]);
    GANNET_TRY(write_wholes(w, whole_columns[c].name, whole_columns[c].description));
  }
  for (size_t c = 0; c < sizeof real_columns / sizeof *real_columns; ++c) {
    for (int64_t i = 0; i < w->n; ++i) w->reals[i] = real_columns[c].get(&ticket[i]);
    GANNET_TRY(write_reals(w, real_columns[c].name, real_columns[c].unit));
  }
  for (size_t c = 0; c < sizeof text_columns / sizeof *text_columns; ++c) {
    for (int64_t i = 0; i < w->n; ++i) w->texts[i] = text_columns[c].get(&ticket[i]);
    GANNET_TRY(gannet_store_write_texts(w->store, text_columns[c].name, (int)w->n, w->texts));
  }
  return GANNET_OK;
}

static gannet_err write_told(writer *w) {
  const int64_t told = gannet_history_count_told(w->ledger->history);
  GANNET_TRY(gannet_store_write_int64s(w->store, "history/told", 1, &told,
                                       gannet_history_order(w->ledger->history)));
  return gannet_store_describe(w->store, "history/told", "description",
                               "evaluations by the order in which the optimiser learnt of them");
}

static gannet_err write_state(writer *w, gannet_state_namer name_state, const void *user) {
  const int64_t n = w->ledger->n_state;
  char *names = NULL;
  const char **list = NULL;
  GANNET_TRY(gannet_store_write_doubles(w->store, "optimizer/state", 1, &n, w->ledger->state));
  if (!name_state) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, LONGEST_NAME, &names));
  gannet_err err = gannet_alloc((size_t)n, sizeof *list, &list);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    name_state(user, i, names + (size_t)i * LONGEST_NAME, LONGEST_NAME);
    list[i] = names + (size_t)i * LONGEST_NAME;
  }
  if (err == GANNET_OK) err = gannet_store_write_texts(w->store, "optimizer/names", (int)n, list);
  gannet_free(&list);
  gannet_free(&names);
  return err;
}

static gannet_err write_all(writer *w, gannet_state_namer name_state, const void *user) {
  GANNET_TRY(write_campaign(w));
  GANNET_TRY(write_names(w));
  GANNET_TRY(write_points(w));
  GANNET_TRY(write_proposals(w));
  GANNET_TRY(write_columns(w));
  GANNET_TRY(write_told(w));
  GANNET_TRY(write_state(w, name_state, user));
  return gannet_store_commit(w->store);
}

gannet_err gannet_snapshot_write(const char *path, const gannet_ledger *ledger,
                                 gannet_state_namer name_state, const void *user) {
  writer w = {0};
  GANNET_REQUIRE(ledger->name, GANNET_ERR_STATE,
                 "a snapshot of a ledger whose journal has no record of the campaign: '%s'", path);
  gannet_err err = make_writer(ledger, &w);
  if (err == GANNET_OK) err = gannet_store_create(path, GANNET_STATE_SCHEMA, &w.store);
  if (err == GANNET_OK) err = write_all(&w, name_state, user);
  drop_writer(&w);
  return err;
}
