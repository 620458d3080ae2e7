/* Rows of a table of results, and what becomes of each: the reading half of an import.
 *
 * A table is CSV with the columns of history.csv, or with any that have the names of variables and
 * quantities. A column may be renamed, or computed from columns by an expression.
 *
 * Nothing is changed here: gannet_import_read says what would become of each row, and campaign/run/
 * import.h does it.
 */
#ifndef GANNET_CAMPAIGN_RUN_IMPORT_ROWS_H
#define GANNET_CAMPAIGN_RUN_IMPORT_ROWS_H

#include "campaign/run/ledger.h"

typedef enum {
  GANNET_ROW_NEW,    /* becomes an imported evaluation */
  GANNET_ROW_RESULT, /* is the result of an evaluation that was proposed and waits for it */
  GANNET_ROW_KNOWN,  /* the result is there already */
  GANNET_ROW_REFUSED,
  GANNET_ROW_COUNT
} gannet_row_kind;

/* What is read of a table. */
typedef struct {
  const char *path; /* for messages */
  const char *text; /* [size] of the file */
  size_t size;
  int n_columns;           /* that have other names or units in the file */
  char *const *column;     /* [n_columns] names of variables and quantities */
  char *const *expression; /* [n_columns] name of a column, or an expression in names of columns */
  bool takes_pending;      /* rows may be results of evaluations that wait for them */
  bool is_related; /* of a related problem: variables and constraints may be absent, and rows are
                      not compared with the history */
  bool has_flags;  /* messages name the option --column, not the key columns of a campaign file */
} gannet_results_file;

/* One row. */
typedef struct {
  int64_t line; /* of the file, counted from 1 */
  gannet_row_kind kind;
  int64_t id; /* RESULT, KNOWN: of the evaluation; -1 = the row repeats another of the table */
  /* KNOWN: the evaluation had this result, and its last correction did this; NULL = it has it. */
  const gannet_correction *corrected;
  char *why; /* owned. REFUSED: the reason; NEW: what keeps the design from being proposed, as a
                value outside the bounds; NULL = nothing does */
  bool is_partial;             /* NEW: and that is a value of a constraint, which is missing */
  const double *x;             /* NEW: [n_variables] */
  gannet_result_record result; /* NEW, RESULT */
} gannet_import_row;

/* Zero-initialise; free with gannet_import_rows_release, also after an error. */
typedef struct {
  int64_t n;
  gannet_import_row *row;  /* [n] in the order of the file */
  double *x, *constraints; /* [n][n_variables], [n][n_constraints] of the rows */
  int64_t count[GANNET_ROW_COUNT];
  int64_t n_partial;   /* of the new ones: without a value of a constraint, designs inside */
  int64_t n_elsewhere; /* of the new ones: designs outside the bounds, between steps, or against a
                          variable constraint */
} gannet_import_rows;

/* Read a table and find out what becomes of its rows. A row that was an evaluation until the user
 * discarded or corrected it is known: it must not come back when its file is read again.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT, "path:line: what", when it is no table, or a column is missing.
 * Cost: O(rows of the table + rows of the history).
 */
GANNET_CHECKED gannet_err gannet_import_read(const gannet_results_file *table,
                                             const gannet_ledger *ledger, gannet_import_rows *rows);
void gannet_import_rows_release(gannet_import_rows *rows); /* Local. */

/* Which of the new rows are learnt from but never the best: " (3 outside of what is allowed, the
 * first in line 7: variable x: 11 is outside [0, 10])", "" when all may be.
 *
 * Local.
 *
 * text  out  [size], at most GANNET_IMPORT_NEW_TEXT
 */
enum { GANNET_IMPORT_NEW_TEXT = GANNET_REASON_SIZE + 160 };
void gannet_import_describe_new(const gannet_import_rows *rows, char *text, size_t size);

#endif
