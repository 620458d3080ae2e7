/* A snapshot is checked: whether it is what its tables say, and goes with the campaign. */
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "campaign/run/snapshot.h"
#include "campaign/run/snapshot_fields.h"

/* By their bits, so that what is not a number is the same as itself. */
static gannet_err check_reals(const gannet_store *store, const char *name, int64_t n,
                              const double *expected) {
  double *found = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *found, &found));
  gannet_err err = gannet_store_read_doubles(store, name, 1, &n, found);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (found[i] != expected[i] && (found[i] == found[i] || expected[i] == expected[i]))
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s: row %lld is %g, the campaign has %g", name,
                         (long long)i, found[i], expected[i]);
  gannet_free(&found);
  return err;
}

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

static gannet_err check_texts(const gannet_store *store, const char *name, int64_t n,
                              const char *const *expected) {
  char **found = NULL;
  int rows = 0;
  gannet_err err = gannet_store_read_texts(store, name, &rows, &found);
  if (err == GANNET_OK && rows != n)
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s has %d rows, the campaign %lld", name, rows,
                       (long long)n);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (strcmp(found[i], expected[i]) != 0)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s: row %lld is '%s', the campaign has '%s'", name,
                         (long long)i, found[i], expected[i]);
  gannet_free(&found);
  return err;
}

static gannet_err check_problem(const gannet_store *store, const gannet_snapshot_problem *p) {
  const char *base = (const char *)p;
  for (const gannet_snapshot_problem_field *field = gannet_snapshot_problem_fields; field->name;
       ++field) {
    const int64_t n = *(const int64_t *)(const void *)(base + field->rows);
    gannet_err err = GANNET_OK;
    /* Units may have been stated or changed since. */
    if (strcmp(field->name, "problem/unit") == 0 ||
        strcmp(field->name, "problem/constraint_unit") == 0)
      continue;
    if (field->optional && !gannet_store_has(store, field->name)) continue;
    if (field->texts)
      err = check_texts(store, field->name, n,
                        *(const char *const *const *)(const void *)(base + field->texts));
    else if (field->reals)
      err =
          check_reals(store, field->name, n, *(double *const *)(const void *)(base + field->reals));
    else
      err = check_wholes(store, field->name, n,
                         *(int64_t *const *)(const void *)(base + field->wholes));
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

static gannet_err check_feasible(const gannet_store *store, const gannet_ledger *read) {
  int64_t *expected = NULL;
  GANNET_TRY(gannet_alloc((size_t)read->n, sizeof *expected, &expected));
  for (int64_t i = 0; i < read->n; ++i)
    expected[i] = gannet_snapshot_feasible(read->problem, &read->ticket[i]);
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
  return GANNET_OK;
}

/* What version 0.1.0 wrote has no columns of the problem. */
static gannet_err check_columns(const char *path, const gannet_ledger *read) {
  gannet_snapshot_problem p = {0};
  gannet_store_report report;
  gannet_store *store = NULL;
  GANNET_TRY(gannet_store_open(path, GANNET_STATE_SCHEMA, &report, &store));
  gannet_err err = report.schema < 2 ? GANNET_OK : gannet_snapshot_problem_fill(read->problem, &p);
  if (err == GANNET_OK && report.schema >= 2) err = check_problem(store, &p);
  if (err == GANNET_OK && report.schema >= 2) err = check_feasible(store, read);
  gannet_snapshot_problem_release(&p);
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
