#include "campaign/run/snapshot_reported.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

/* The columns of the table, and of a second one with the gradients that some of its rows have. */
typedef struct {
  int64_t n;           /* rows */
  int64_t *evaluation; /* [n] */
  const char **name;   /* [n] of the quantities */
  double *value, *sd;  /* [n] */
  int64_t n_gradients;
  int64_t *gradient_row; /* [n_gradients] row that has the gradient */
  double *gradient;      /* [n_gradients][n_variables] */
} table;

static gannet_err create_table(int64_t n, int64_t n_gradients, int n_variables, table *t) {
  t->n = n;
  t->n_gradients = n_gradients;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->evaluation, &t->evaluation));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->name, &t->name));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->value, &t->value));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *t->sd, &t->sd));
  GANNET_TRY(gannet_alloc((size_t)n_gradients, sizeof *t->gradient_row, &t->gradient_row));
  return gannet_alloc((size_t)n_gradients * (size_t)n_variables, sizeof *t->gradient, &t->gradient);
}

static void release_table(table *t) {
  gannet_free(&t->evaluation);
  gannet_free(&t->name);
  gannet_free(&t->value);
  gannet_free(&t->sd);
  gannet_free(&t->gradient_row);
  gannet_free(&t->gradient);
}

/* Names are borrowed from the ledger. */
static gannet_err fill_table(const gannet_ledger *ledger, table *t) {
  const size_t v = (size_t)ledger->problem->spec.n_variables;
  int64_t n = 0, n_gradients = 0;
  for (int64_t id = 0; id < ledger->n; ++id)
    for (int i = 0; i < ledger->ticket[id].result.reported.n; ++i, ++n)
      n_gradients += ledger->ticket[id].result.reported.item[i].gradient != NULL;
  GANNET_TRY(create_table(n, n_gradients, (int)v, t));
  n = n_gradients = 0;
  for (int64_t id = 0; id < ledger->n; ++id)
    for (int i = 0; i < ledger->ticket[id].result.reported.n; ++i, ++n) {
      const gannet_reported *item = &ledger->ticket[id].result.reported.item[i];
      t->evaluation[n] = id;
      t->name[n] = item->name;
      t->value[n] = item->value;
      t->sd[n] = item->sd;
      if (!item->gradient) continue;
      t->gradient_row[n_gradients] = n;
      memcpy(t->gradient + (size_t)n_gradients++ * v, item->gradient, v * sizeof *t->gradient);
    }
  return GANNET_OK;
}

/* The datasets, for writing and for whoever reads the file. */
static gannet_err describe_table(gannet_store *store) {
  static const char *const texts[][2] = {
      {"reported/evaluation", "number of the evaluation that reported the quantity"},
      {"reported/name", "name of the quantity"},
      {"reported/value", "in the user's units, NaN = missing"},
      {"reported/sd", "standard deviation of the value, 0 = not told"},
      {"reported/column", "quantities that have a column in history.csv, in its order"},
      {"reported/column_is_sd", "1 = the column has the standard deviations of the quantity"},
      {"reported/gradient_row", "row of this table that the gradient belongs to"},
      {"reported/gradient", "derivatives by the variables, columns as problem/variables"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    GANNET_TRY(gannet_store_describe(store, texts[i][0], "description", texts[i][1]));
  return GANNET_OK;
}

static gannet_err write_table(gannet_store *store, int n_variables, const table *t) {
  const int64_t shape[2] = {t->n_gradients, n_variables};
  GANNET_REQUIRE(t->n <= INT_MAX, GANNET_ERR_SHAPE, "%lld reported quantities", (long long)t->n);
  GANNET_TRY(gannet_store_write_int64s(store, "reported/evaluation", 1, &t->n, t->evaluation));
  GANNET_TRY(gannet_store_write_texts(store, "reported/name", (int)t->n, t->name));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/value", 1, &t->n, t->value));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/sd", 1, &t->n, t->sd));
  GANNET_TRY(gannet_store_write_int64s(store, "reported/gradient_row", 1, shape, t->gradient_row));
  GANNET_TRY(gannet_store_write_doubles(store, "reported/gradient", 2, shape, t->gradient));
  return describe_table(store);
}

static gannet_err write_columns(gannet_store *store, const gannet_ledger *ledger) {
  const int64_t n = ledger->n_columns;
  const char **names = NULL;
  int64_t *is_sd = NULL;
  gannet_err err = gannet_alloc((size_t)n, sizeof *names, &names);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *is_sd, &is_sd);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    names[i] = ledger->column[i].name;
    is_sd[i] = ledger->column[i].is_sd;
  }
  if (err == GANNET_OK) err = gannet_store_write_texts(store, "reported/column", (int)n, names);
  if (err == GANNET_OK)
    err = gannet_store_write_int64s(store, "reported/column_is_sd", 1, &n, is_sd);
  gannet_free(&names);
  gannet_free(&is_sd);
  return err;
}

gannet_err gannet_snapshot_write_reported(gannet_store *store, const gannet_ledger *ledger) {
  table t = {0};
  gannet_err err = fill_table(ledger, &t);
  if (err == GANNET_OK) err = write_columns(store, ledger);
  if (err == GANNET_OK) err = write_table(store, ledger->problem->spec.n_variables, &t);
  release_table(&t);
  return err;
}

static gannet_err read_table(const gannet_store *store, int n_variables, char **names, table *t) {
  int64_t rows[GANNET_STORE_MAX_RANK], gradients[GANNET_STORE_MAX_RANK];
  int rank = 0, gradient_rank = 0;
  GANNET_TRY(gannet_store_shape(store, "reported/evaluation", &rank, rows));
  GANNET_TRY(gannet_store_shape(store, "reported/gradient", &gradient_rank, gradients));
  GANNET_REQUIRE(rank == 1 && rows[0] == t->n && gradient_rank == 2 && gradients[0] <= rows[0] &&
                     gradients[1] == n_variables,
                 GANNET_ERR_DAMAGED, "the columns of reported do not fit each other");
  GANNET_TRY(create_table(rows[0], gradients[0], n_variables, t));
  GANNET_TRY(gannet_store_read_int64s(store, "reported/evaluation", 1, rows, t->evaluation));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/value", 1, rows, t->value));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/sd", 1, rows, t->sd));
  GANNET_TRY(
      gannet_store_read_int64s(store, "reported/gradient_row", 1, gradients, t->gradient_row));
  GANNET_TRY(gannet_store_read_doubles(store, "reported/gradient", 2, gradients, t->gradient));
  for (int64_t i = 0; i < t->n; ++i) t->name[i] = names[i];
  return GANNET_OK;
}

/* Gradients come in the order of their rows. */
static gannet_err take_table(const table *t, int n_variables, int64_t n, gannet_ticket *tickets) {
  int64_t next = 0;
  for (int64_t i = 0; i < t->n; ++i) {
    const bool has_gradient = next < t->n_gradients && t->gradient_row[next] == i;
    const double *gradient = has_gradient ? t->gradient + next * n_variables : NULL;
    const gannet_quantity quantity = {t->name[i], t->value[i], t->sd[i], gradient};
    GANNET_REQUIRE(0 <= t->evaluation[i] && t->evaluation[i] < n, GANNET_ERR_DAMAGED,
                   "reported/evaluation: row %lld is %lld, expected 0 to %lld", (long long)i,
                   (long long)t->evaluation[i], (long long)n - 1);
    if (gannet_quantities_set(&tickets[t->evaluation[i]].result.reported, n_variables, &quantity) !=
        GANNET_OK)
      return GANNET_RAISE(GANNET_ERR_DAMAGED, "reported: row %lld: %s", (long long)i,
                          gannet_error_detail());
    next += has_gradient;
  }
  GANNET_REQUIRE(next == t->n_gradients, GANNET_ERR_DAMAGED,
                 "reported/gradient_row: %lld gradients belong to no row",
                 (long long)(t->n_gradients - next));
  return GANNET_OK;
}

gannet_err gannet_snapshot_read_reported(const gannet_store *store, int n_variables, int64_t n,
                                         gannet_ticket *tickets) {
  table t = {0};
  char **names = NULL;
  int n_names = 0;
  if (!gannet_store_has(store, "reported/name")) return GANNET_OK;
  GANNET_TRY(gannet_store_read_texts(store, "reported/name", &n_names, &names));
  t.n = n_names;
  gannet_err err = read_table(store, n_variables, names, &t);
  if (err == GANNET_OK) err = take_table(&t, n_variables, n, tickets);
  release_table(&t);
  gannet_free(&names);
  return err;
}

gannet_err gannet_snapshot_read_columns(const gannet_store *store, gannet_ledger *ledger) {
  char **names = NULL;
  int64_t *is_sd = NULL;
  int n = 0;
  if (!gannet_store_has(store, "reported/column")) return GANNET_OK;
  GANNET_TRY(gannet_store_read_texts(store, "reported/column", &n, &names));
  const int64_t rows = n;
  gannet_err err = gannet_alloc((size_t)n, sizeof *is_sd, &is_sd);
  if (err == GANNET_OK)
    err = gannet_store_read_int64s(store, "reported/column_is_sd", 1, &rows, is_sd);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    err = gannet_quantity_is_name(names[i])
              ? gannet_ledger_add_column(ledger, names[i], is_sd[i] != 0)
              : GANNET_RAISE(GANNET_ERR_DAMAGED, "reported/column: row %d is no name", i);
  gannet_free(&names);
  gannet_free(&is_sd);
  return err;
}
