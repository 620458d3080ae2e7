/* A CSV file (RFC 4180) as a table in memory: the names of its columns, which its first line has,
 * and its rows, each with the line of the file on which it begins. What cells mean is left to
 * whoever reads them.
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CSV_TABLE_H
#define GANNET_CAMPAIGN_CONFIG_CSV_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Zero-initialise; free with gannet_csv_table_release, also after an error. */
typedef struct {
  int n_columns;
  int64_t n_rows;
  int64_t *line;  /* [n_rows] where the row begins, counted from 1 */
  int *n_cells;   /* [n_rows] cells that the row has; right when equal to n_columns */
  size_t *offset; /* [1 + n_rows][n_columns] of names and cells in text */
  char *text;     /* all cells, each ending in a zero byte */

  int64_t row_capacity; /* rows that line and n_cells have room for */
  size_t cell_capacity; /* cells that offset has room for */
  size_t text_used, text_capacity;
} gannet_csv_table;

/* Parse the text of a file.
 *
 * Local.
 *
 * path   in     for messages
 * text   in     [size]
 * table  inout  zeroed
 *
 * Errors: GANNET_ERR_INPUT, "path:line: what", when it is no CSV; GANNET_ERR_MEMORY. Rows with
 * another number of cells than the first line are kept.
 */
GANNET_CHECKED gannet_err gannet_csv_table_parse(const char *path, const char *text, size_t size,
                                                 gannet_csv_table *table);
void gannet_csv_table_release(gannet_csv_table *table); /* Local. */

/* What a file is that is no CSV, by its first bytes: "a spreadsheet or another archive; export the
 * table as CSV". NULL = nothing speaks against CSV.
 *
 * Local.
 */
const char *gannet_csv_other_format(const char *text, size_t size);

/* The name of a column; a cell, "" where the row is too short.
 *
 * Local.
 */
const char *gannet_csv_table_name(const gannet_csv_table *table, int column);
const char *gannet_csv_table_cell(const gannet_csv_table *table, int64_t row, int column);

/* Whether a column of history.csv has this name that is no variable and no result: id, batch,
 * status, and how the evaluation went.
 *
 * Local.
 */
bool gannet_csv_table_is_course(const char *name);

/* The column of a name; -1 = there is none.
 *
 * Local.
 */
int gannet_csv_table_find(const gannet_csv_table *table, const char *name);

/* The column whose name is nearest to one that is not there, for messages; NULL = none is near. A
 * name that is no UTF-8 cannot be written in a campaign file, so it is never the one.
 *
 * Local.
 */
const char *gannet_csv_table_nearest(const gannet_csv_table *table, const char *name);

/* The names of the first columns, for messages: "a, b, c", how many more there are, and what to do
 * where names are no UTF-8.
 *
 * Local.
 *
 * text  out  [size]
 */
void gannet_csv_table_list(const gannet_csv_table *table, char *text, size_t size);

/* What separates columns where it is not the comma, such as "semicolons"; NULL when the table has
 * several columns, or nothing of that kind in its first line.
 *
 * Local.
 */
const char *gannet_csv_table_separator(const gannet_csv_table *table);

#endif
