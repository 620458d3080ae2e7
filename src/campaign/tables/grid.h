/* Rows and columns as text: for people, as CSV, as JSON. */
#ifndef GANNET_CAMPAIGN_TABLES_GRID_H
#define GANNET_CAMPAIGN_TABLES_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef enum { GANNET_FORMAT_TABLE, GANNET_FORMAT_CSV, GANNET_FORMAT_JSON } gannet_format;

/* Names of the formats, NULL-terminated, in the order of the enum. */
extern const char *const gannet_format_names[];

/* A cell is made as text once and then written as the format wants it. */
enum { GANNET_CELL = 4096 };
typedef enum { GANNET_CELL_NUMBER, GANNET_CELL_WORD, GANNET_CELL_TRUTH } gannet_cell;

typedef struct {
  int n_columns;
  int64_t n_rows;
  const void *user;
  const char *(*name)(const void *user, int column);
  gannet_cell (*cell)(const void *user, int64_t row, int column, char *text);
  const char *(*unit)(const void *user, int column); /* "" = none; only the table for people shows
                                                        it; NULL = no column has one */
} gannet_grid;

/* Write all of it. CSV begins with a header line; JSON is an array of objects.
 *
 * Local.
 *
 * Errors: GANNET_ERR_IO when writing fails.
 */
GANNET_CHECKED gannet_err gannet_grid_write(FILE *out, const gannet_grid *grid,
                                            gannet_format format);

/* CSV without looking at the outcome.
 *
 * Local.
 */
void gannet_grid_write_csv(FILE *out, const gannet_grid *grid, bool header);

/* Cells; what is not finite is empty.
 *
 * Local.
 *
 * text  out  [GANNET_CELL]
 */
gannet_cell gannet_cell_real(double value, char *text);
gannet_cell gannet_cell_whole(long long value, char *text);
gannet_cell gannet_cell_time(double epoch, char *text); /* seconds since 1970 */
gannet_cell gannet_cell_word(const char *word, char *text);

#endif
