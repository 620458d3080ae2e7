#include "campaign/run/snapshot_reported.h"

#include "base/memory.h"
#include "problem/history_columns.h"
#include "store/fields.h"

static gannet_err write_columns(gannet_store *store, const gannet_ledger *ledger) {
  const int64_t n = ledger->n_columns;
  const char **names = NULL;
  int64_t *is_sd = NULL;
  gannet_err err = gannet_alloc((size_t)n, sizeof *names, &names);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *is_sd, &is_sd);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    names[i] = ledger->column[i].name;
    is_sd[i] = ledger->column[i].kind;
  }
  if (err == GANNET_OK) err = gannet_store_write_texts(store, "reported/column", (int)n, names);
  if (err == GANNET_OK)
    err = gannet_store_write_int64s(store, "reported/column_is_sd", 1, &n, is_sd);
  if (err == GANNET_OK)
    err = gannet_store_annotate(store, "reported/column", NULL,
                                "quantities that have a column in history.csv, in its order");
  if (err == GANNET_OK)
    err = gannet_store_annotate(store, "reported/column_is_sd", NULL,
                                "1 = the column has the standard deviations of the quantity; "
                                "2 = it names the evaluation that each could start from");
  gannet_free(&names);
  gannet_free(&is_sd);
  return err;
}

gannet_err gannet_snapshot_write_reported(gannet_store *store, const gannet_ledger *ledger) {
  const gannet_quantities **lists = NULL;
  GANNET_TRY(write_columns(store, ledger));
  GANNET_TRY(gannet_alloc((size_t)ledger->n, sizeof *lists, &lists));
  for (int64_t i = 0; i < ledger->n; ++i) lists[i] = &ledger->ticket[i].result.reported;
  const gannet_err err =
      gannet_reported_columns_write(store, ledger->problem->spec.n_variables, ledger->n, lists);
  gannet_free(&lists);
  return err;
}

gannet_err gannet_snapshot_read_reported(const gannet_store *store, int n_variables, int64_t n,
                                         gannet_ticket *tickets) {
  gannet_quantities **lists = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *lists, &lists));
  for (int64_t i = 0; i < n; ++i) lists[i] = &tickets[i].result.reported;
  const gannet_err err = gannet_reported_columns_read(store, n_variables, n, lists);
  gannet_free(&lists);
  return err;
}

static gannet_column_kind kind_of(int64_t number) {
  return number == GANNET_COLUMN_START ? GANNET_COLUMN_START
         : number == 0                 ? GANNET_COLUMN_VALUE
                                       : GANNET_COLUMN_SD;
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
              ? gannet_ledger_add_column(ledger, names[i], kind_of(is_sd[i]))
              : GANNET_RAISE(GANNET_ERR_DAMAGED, "reported/column: row %d is not a name", i);
  gannet_free(&names);
  gannet_free(&is_sd);
  return err;
}
