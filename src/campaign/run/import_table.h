/* A table of results that is being imported, in three steps; no file but these three includes it.
 *
 *   import_sources  gives every variable and quantity its source; what is missing for all rows is
 *                   an error of the table
 *   import_rows     reads the rows one by one; what is wrong with one refuses it
 *   import_compare  compares rows with the history, and with the rows above them
 *
 * Terms
 *   source  where the value of a variable or quantity is in the table: a column, or an expression
 *           in columns
 */
#ifndef GANNET_CAMPAIGN_RUN_IMPORT_TABLE_H
#define GANNET_CAMPAIGN_RUN_IMPORT_TABLE_H

#include "campaign/config/csv_table.h"
#include "campaign/run/import_rows.h"
#include "problem/expression.h"

enum { GANNET_IMPORT_NAME_SIZE = 128 };

/* A source with neither column nor expression: the table does not have the value. */
typedef struct {
  int column; /* -1 = computed, or nowhere */
  gannet_expression *expression;
  int n_operands;
  int *operand;  /* [n_operands] columns */
  double *value; /* [n_operands] scratch */
} gannet_import_source;

/* A quantity that the table has. */
typedef struct {
  char name[GANNET_IMPORT_NAME_SIZE];
  gannet_import_source value, sd;
  bool is_asked; /* results of the campaign have it: a cell that is no number refuses its row */
} gannet_import_quantity;

/* Free with gannet_import_table_release. */
typedef struct {
  const gannet_results_file *about; /* borrowed, like problem and ledger */
  const gannet_problem *problem;
  const gannet_ledger *ledger;
  gannet_csv_table csv;
  gannet_import_source *variable; /* [n_variables] */
  int n_quantities, capacity;
  gannet_import_quantity *quantity; /* [n_quantities] */
  int status, reason;               /* columns, -1 = none */
} gannet_import_table;

/* Give every variable and quantity its source.
 *
 * Local.
 *
 * r  inout  with about, problem, ledger and csv
 *
 * Errors: GANNET_ERR_INPUT, "path:1: what", when a column is missing; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_import_table_find_sources(gannet_import_table *r);
void gannet_import_table_release(gannet_import_table *r);

/* Whether the table has a value: Local. */
bool gannet_import_source_is_there(const gannet_import_source *s);

/* Keep what is to be told about a row, instead of what was kept before.
 *
 * Local.
 */
void gannet_import_explain(gannet_import_row *row, const char *why);

/* Refuse a row for a reason, unless it was refused before.
 *
 * Local.
 */
void gannet_import_refuse(gannet_import_row *row, const char *why);

/* Find out which rows are known, are results of evaluations that wait for them, or contradict what
 * is known, and count the rows of each kind.
 *
 * Local.
 *
 * rows  inout  read
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_import_compare(const gannet_import_table *r,
                                                gannet_import_rows *rows);

#endif
