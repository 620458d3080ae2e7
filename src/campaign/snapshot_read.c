#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/snapshot.h"

/* All columns of the history at once. */
typedef struct {
  int64_t n, told;
  double *x, *constraints, *objective, *times; /* times: [3][n] */
  double *proposal;
  int64_t *wholes; /* [8][n]: batch origin status attempt nonce attempts exit signal; slot apart */
  int64_t *slot, *failure, *crashed, *order;
  char **host, **job, **reason;
} columns;

static const char *const whole_names[8] = {
    "history/batch", "history/origin",   "history/status",    "history/attempt",
    "history/nonce", "history/attempts", "history/exit_code", "history/signal"};
enum { BATCH, ORIGIN, STATUS, ATTEMPT, NONCE, ATTEMPTS, EXIT, SIGNAL };

static const char *const time_names[3] = {"history/submitted", "history/started", "history/ended"};

static void drop_columns(columns *c) {
  gannet_free(&c->x);
  gannet_free(&c->constraints);
  gannet_free(&c->objective);
  gannet_free(&c->times);
  gannet_free(&c->proposal);
  gannet_free(&c->wholes);
  gannet_free(&c->slot);
  gannet_free(&c->failure);
  gannet_free(&c->crashed);
  gannet_free(&c->order);
  gannet_free(&c->host);
  gannet_free(&c->job);
  gannet_free(&c->reason);
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

static gannet_err read_matrices(const gannet_store *store, const gannet_problem *problem,
                                columns *c) {
  const int64_t points[2] = {c->n, problem->spec.n_variables};
  const int64_t values[2] = {c->n, problem->spec.n_constraints};
  GANNET_TRY(gannet_alloc((size_t)(points[0] * points[1]), sizeof(double), &c->x));
  GANNET_TRY(gannet_alloc((size_t)(values[0] * values[1]), sizeof(double), &c->constraints));
  GANNET_TRY(gannet_store_read_doubles(store, "history/x", 2, points, c->x));
  return gannet_store_read_doubles(store, "history/constraints", 2, values, c->constraints);
}

/* A column that older snapshots of the same schema do not have: zeros then. */
static gannet_err read_newer(const gannet_store *store, const char *name, int64_t n,
                             int64_t *values) {
  if (!gannet_store_has(store, name)) return GANNET_OK;
  return gannet_store_read_int64s(store, name, 1, &n, values);
}

/* The same: unknown then. */
static gannet_err read_proposal(const gannet_store *store, columns *c) {
  static const char name[] = "history/proposal_seconds";
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof(double), &c->proposal));
  for (int64_t i = 0; i < c->n; ++i) c->proposal[i] = NAN;
  if (!gannet_store_has(store, name)) return GANNET_OK;
  return gannet_store_read_doubles(store, name, 1, &c->n, c->proposal);
}

static gannet_err read_words(const gannet_store *store, const char *name, int64_t n,
                             char ***words) {
  int rows = 0;
  GANNET_TRY(gannet_store_read_texts(store, name, &rows, words));
  GANNET_REQUIRE(rows == n, GANNET_ERR_DAMAGED, "%s has %d rows, expected %lld", name, rows,
                 (long long)n);
  return GANNET_OK;
}

static gannet_err read_columns(const gannet_store *store, const gannet_problem *problem,
                               columns *c) {
  const size_t n = (size_t)c->n;
  GANNET_TRY(read_matrices(store, problem, c));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &c->objective));
  GANNET_TRY(gannet_alloc(3 * n, sizeof(double), &c->times));
  GANNET_TRY(gannet_alloc(8 * n, sizeof(int64_t), &c->wholes));
  GANNET_TRY(gannet_alloc(n, sizeof(int64_t), &c->slot));
  GANNET_TRY(gannet_alloc(n, sizeof(int64_t), &c->failure));
  GANNET_TRY(gannet_alloc(n, sizeof(int64_t), &c->crashed));
  GANNET_TRY(gannet_alloc((size_t)c->told, sizeof(int64_t), &c->order));
  GANNET_TRY(gannet_store_read_doubles(store, "history/objective", 1, &c->n, c->objective));
  for (int i = 0; i < 3; ++i)
    GANNET_TRY(gannet_store_read_doubles(store, time_names[i], 1, &c->n, c->times + (size_t)i * n));
  for (int i = 0; i < 8; ++i)
    GANNET_TRY(
        gannet_store_read_int64s(store, whole_names[i], 1, &c->n, c->wholes + (size_t)i * n));
  GANNET_TRY(gannet_store_read_int64s(store, "history/slot", 1, &c->n, c->slot));
  GANNET_TRY(read_proposal(store, c));
  GANNET_TRY(read_newer(store, "history/failure", c->n, c->failure));
  GANNET_TRY(read_newer(store, "history/crashed", c->n, c->crashed));
  GANNET_TRY(gannet_store_read_int64s(store, "history/told", 1, &c->told, c->order));
  GANNET_TRY(read_words(store, "history/host", c->n, &c->host));
  GANNET_TRY(read_words(store, "history/job", c->n, &c->job));
  return read_words(store, "history/reason", c->n, &c->reason);
}

static int64_t whole(const columns *c, int column, int64_t row) {
  return c->wholes[column * c->n + row];
}

/* Before the first is taken over: what counts and names are kept by. */
static gannet_err check_rows(const columns *c) {
  for (int64_t i = 0; i < c->n; ++i) {
    const int64_t status = whole(c, STATUS, i), origin = whole(c, ORIGIN, i);
    GANNET_REQUIRE(0 <= status && status < GANNET_EVAL_STATUS_COUNT, GANNET_ERR_DAMAGED,
                   "history/status of evaluation %lld is %lld", (long long)i, (long long)status);
    GANNET_REQUIRE(GANNET_ORIGIN_INITIAL <= origin && origin <= GANNET_ORIGIN_USER,
                   GANNET_ERR_DAMAGED, "history/origin of evaluation %lld is %lld", (long long)i,
                   (long long)origin);
  }
  return GANNET_OK;
}

static gannet_err fill_ticket(const gannet_problem *problem, const columns *c, int64_t i,
                              gannet_ticket *t) {
  const size_t k = (size_t)problem->spec.n_constraints;
  const int64_t nonce = whole(c, NONCE, i);
  *t = (gannet_ticket){.attempt = (int)whole(c, ATTEMPT, i),
                       .has_result = whole(c, STATUS, i) != GANNET_EVAL_PENDING,
                       .status = (gannet_eval_status)whole(c, STATUS, i),
                       .objective = c->objective[i],
                       .proposal = c->proposal[i]};
  memcpy(&t->nonce, &nonce, sizeof nonce);
  t->run = (gannet_run_record){.submitted = c->times[i],
                               .started = c->times[c->n + i],
                               .ended = c->times[2 * c->n + i],
                               .attempts = (int)whole(c, ATTEMPTS, i),
                               .exit_code = (int)whole(c, EXIT, i),
                               .signal = (int)whole(c, SIGNAL, i),
                               .slot = (int)c->slot[i],
                               .crashed = c->crashed[i] != 0};
  if (0 <= c->failure[i] && c->failure[i] < GANNET_FAILURE_COUNT)
    t->run.failure = (gannet_failure)c->failure[i];
  (void)snprintf(t->run.host, sizeof t->run.host, "%s", c->host[i]);
  (void)snprintf(t->run.job, sizeof t->run.job, "%s", c->job[i]);
  (void)snprintf(t->run.reason, sizeof t->run.reason, "%s", c->reason[i]);
  GANNET_TRY(gannet_alloc(k, sizeof(double), &t->constraints));
  if (k > 0) memcpy(t->constraints, c->constraints + (size_t)i * k, k * sizeof(double));
  return GANNET_OK;
}

static gannet_err fill_ledger(const columns *c, gannet_ledger *ledger) {
  const int64_t v = ledger->problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)c->n, sizeof *ledger->ticket, &ledger->ticket));
  ledger->capacity = c->n;
  for (; ledger->n < c->n; ++ledger->n) {
    const int64_t i = ledger->n;
    GANNET_TRY(gannet_history_propose(ledger->history, c->x + i * v, whole(c, BATCH, i),
                                      (gannet_origin)whole(c, ORIGIN, i), NULL));
    GANNET_TRY(fill_ticket(ledger->problem, c, i, &ledger->ticket[i]));
    gannet_ledger_count(ledger, &ledger->ticket[i], 1);
  }
  for (int64_t at = 0; at < c->told; ++at) {
    GANNET_REQUIRE(0 <= c->order[at] && c->order[at] < c->n, GANNET_ERR_DAMAGED,
                   "history/told names evaluation %lld of %lld", (long long)c->order[at],
                   (long long)c->n);
    gannet_ticket *t = &ledger->ticket[c->order[at]];
    GANNET_TRY(gannet_history_tell(ledger->history, c->order[at], t->status, t->objective,
                                   t->constraints, &t->run));
    t->is_told = true;
  }
  return GANNET_OK;
}

static gannet_err read_hex(const gannet_store *store, const char *name, uint64_t *value) {
  char *text = NULL;
  GANNET_TRY(gannet_store_read_text(store, name, &text));
  *value = strtoull(text, NULL, 16);
  gannet_free(&text);
  return GANNET_OK;
}

static gannet_err read_name(const gannet_store *store, gannet_snapshot_mark *mark) {
  char *name = NULL;
  GANNET_TRY(gannet_store_read_text(store, "campaign/name", &name));
  (void)snprintf(mark->name, sizeof mark->name, "%s", name);
  gannet_free(&name);
  return GANNET_OK;
}

/* Older snapshots do not name their journal. */
static gannet_err read_mark(const gannet_store *store, gannet_snapshot_mark *mark) {
  int64_t seed = 0;
  *mark = (gannet_snapshot_mark){0};
  if (gannet_store_has(store, "campaign/journal"))
    GANNET_TRY(read_hex(store, "campaign/journal", &mark->journal));
  GANNET_TRY(read_hex(store, "campaign/fingerprint", &mark->fingerprint));
  GANNET_TRY(gannet_store_read_int64s(store, "campaign/seed", 0, NULL, &seed));
  mark->seed = (uint64_t)seed;
  GANNET_TRY(read_name(store, mark));
  return gannet_store_read_int64s(store, "campaign/sequence", 0, NULL, &mark->sequence);
}

static gannet_err read_head(const gannet_store *store, const gannet_snapshot_mark *mark,
                            gannet_ledger *ledger) {
  int64_t dims[GANNET_STORE_MAX_RANK];
  int rank = 0;
  ledger->sequence = mark->sequence;
  ledger->identity = mark->journal;
  ledger->fingerprint = mark->fingerprint;
  ledger->seed = mark->seed;
  GANNET_TRY(gannet_store_read_text(store, "campaign/name", &ledger->name));
  GANNET_TRY(gannet_store_shape(store, "optimizer/state", &rank, dims));
  GANNET_REQUIRE(rank == 1, GANNET_ERR_DAMAGED, "optimizer/state has %d dimensions", rank);
  ledger->n_state = (int)dims[0];
  GANNET_TRY(gannet_alloc((size_t)dims[0], sizeof *ledger->state, &ledger->state));
  return gannet_store_read_doubles(store, "optimizer/state", 1, dims, ledger->state);
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
  if (err == GANNET_OK) err = read_head(store, &mark, ledger);
  if (err == GANNET_OK) err = read_sizes(store, &c);
  if (err == GANNET_OK) err = read_columns(store, ledger->problem, &c);
  if (err == GANNET_OK) err = check_rows(&c);
  if (err == GANNET_OK) err = fill_ledger(&c, ledger);
  drop_columns(&c);
  gannet_store_destroy(&store);
  return err;
}
