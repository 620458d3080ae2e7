/* A snapshot is checked: whether it is what its tables say, and goes with the campaign. */
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"
#include "problem/problem_columns.h"

static gannet_err check_wholes(const gannet_store *store, const char *name, int64_t n,
                               const int64_t *expected) {
  int64_t *found = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *found, &found));
  gannet_err err = gannet_store_read_int64s(store, name, 1, &n, found);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (found[i] != expected[i])
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s: row %lld is %lld, expected %lld", name,
                         (long long)i, (long long)found[i], (long long)expected[i]);
  gannet_free(&found);
  return err;
}

static gannet_err check_feasible(const gannet_store *store, const gannet_ledger *read) {
  int64_t *expected = NULL;
  GANNET_TRY(gannet_alloc((size_t)read->n, sizeof *expected, &expected));
  for (int64_t i = 0; i < read->n; ++i)
    expected[i] = gannet_result_feasibility(read->problem, &read->ticket[i].result);
  const gannet_err err = check_wholes(store, "history/feasible", read->n, expected);
  gannet_free(&expected);
  return err;
}

/* Evaluations keep their points, whatever became of them since. */
static gannet_err check_points(const gannet_ledger *read, const gannet_ledger *known) {
  const size_t v = (size_t)read->problem->spec.n_variables;
  for (int64_t i = 0; i < read->n && i < known->n; ++i)
    GANNET_REQUIRE(memcmp(gannet_history_x_user(read->history, i),
                          gannet_history_x_user(known->history, i), v * sizeof(double)) == 0,
                   GANNET_ERR_DAMAGED, "history/x: evaluation %lld is not that of the journal",
                   (long long)i);
  for (int64_t i = 0; i < read->n && i < known->n; ++i)
    GANNET_REQUIRE(read->ticket[i].start_from == known->ticket[i].start_from, GANNET_ERR_DAMAGED,
                   "history/start_from: that of evaluation %lld is not that of the journal",
                   (long long)i);
  return GANNET_OK;
}

/* What version 0.1.0 wrote has no columns of the problem. */
static gannet_err check_columns(const char *path, const gannet_ledger *read) {
  gannet_store_report report;
  gannet_store *store = NULL;
  GANNET_TRY(gannet_store_open(path, GANNET_STATE_SCHEMA, &report, &store));
  gannet_err err = GANNET_OK;
  if (report.schema >= 2) err = gannet_problem_columns_check(store, read->problem);
  if (err == GANNET_OK && report.schema >= 2) err = check_feasible(store, read);
  gannet_store_destroy(&store);
  return err;
}

static gannet_err check_once(const char *path, const gannet_ledger *known) {
  gannet_history *history = NULL;
  gannet_ledger read;
  GANNET_TRY(gannet_history_create(known->problem, &history));
  gannet_ledger_init(&read, known->problem, history);
  gannet_err err = gannet_snapshot_read(path, NULL, &read, NULL);
  if (err == GANNET_OK) err = check_columns(path, &read);
  if (err == GANNET_OK) err = check_points(&read, known);
  gannet_ledger_release(&read);
  gannet_history_destroy(&history);
  return err;
}

/* A campaign that runs replaces the file after every batch, perhaps between two looks at it. What
 * is found wrong in a file that has been replaced meanwhile is therefore checked again. */
gannet_err gannet_snapshot_check(const char *path, const gannet_ledger *known) {
  enum { TRIES = 10 };
  for (int i = 1;; ++i) {
    struct stat before = {0}, after = {0};
    (void)stat(path, &before);
    const gannet_err err = check_once(path, known);
    (void)stat(path, &after);
    if (err == GANNET_OK || i == TRIES) return err;
    if (before.st_ino == after.st_ino && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
        before.st_mtim.tv_nsec == after.st_mtim.tv_nsec)
      return err;
    gannet_error_clear();
  }
}
