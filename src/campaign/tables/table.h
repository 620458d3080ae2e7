/* Evaluations as tables: for people, as CSV, as JSON; and the history.csv of a campaign. */
#ifndef GANNET_CAMPAIGN_TABLES_TABLE_H
#define GANNET_CAMPAIGN_TABLES_TABLE_H

#include <stdio.h>

#include "campaign/tables/grid.h"
#include "campaign/tables/labels.h"
#include "problem/front.h"

/* Which evaluations, and whether their course (times, host, attempts, reason) is shown. */
typedef struct {
  gannet_format format;
  bool course;
  bool designs; /* where runs of a design are joined (problem/runs.h), a row is a design with the
                   means of its runs, and columns say how many these are, the standard error of the
                   mean objective, and their evaluations */
  int64_t n;
  const int64_t *ids;          /* [n]; NULL = 0 .. n-1 */
  const gannet_labels *labels; /* the last columns; NULL = none */
  const gannet_front *front;   /* a column behind them says which are on it; NULL = none */
} gannet_table_spec;

/* Write evaluations. Where runs of a design are joined, columns say which design it is a run of, by
 * the number of the first evaluation, and which run. CSV begins with a header line; JSON is an
 * array of objects.
 *
 * Local.
 *
 * Errors: GANNET_ERR_IO when writing fails.
 */
GANNET_CHECKED gannet_err gannet_table_write(FILE *out, const gannet_ledger *ledger,
                                             const gannet_table_spec *spec);

/* Whether a table has a column of a name already, apart from labels.
 *
 * Local.
 */
bool gannet_table_has_column(const gannet_ledger *ledger, const char *name);

/* Replace history.csv by the whole table, or append the lines of some evaluations.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NO_SPACE, GANNET_ERR_IO; _append: those of gannet_ledger_keep, and nothing is
 *   added.
 */
GANNET_CHECKED gannet_err gannet_table_replace(const char *path, const gannet_ledger *ledger);
GANNET_CHECKED gannet_err gannet_table_append(const char *path, const gannet_ledger *ledger, int n,
                                              const int64_t *ids);

/* Compare history.csv with a ledger, row by row. Lines of evaluations that the ledger knows no
 * result of are passed over, because somebody may be at work. While nobody is, lines of evaluations
 * that the ledger does not have at all show that the journal lost its end.
 *
 * Local.
 *
 * in_order  in   rows are in the order in which results were told, as they are while nobody is at
 *                work
 * n         out  lines that are the ledger's
 *
 * Errors: GANNET_ERR_DAMAGED naming the first line that differs; GANNET_ERR_MISSING, GANNET_ERR_IO,
 * GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_table_check(const char *path, const gannet_ledger *ledger,
                                             bool in_order, int64_t *n);

#endif
