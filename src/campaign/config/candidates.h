/* The list of candidates of a campaign: a CSV (RFC 4180) or HDF5 file with a column for every
 * variable. The first line of CSV names the variables, in any order, and maybe other columns.
 *
 *   gannet_candidates_file_read  the whole list, CSV or HDF5
 *   gannet_candidates_csv_read   row by row, with the other columns
 */
#ifndef GANNET_CAMPAIGN_CONFIG_CANDIDATES_H
#define GANNET_CAMPAIGN_CONFIG_CANDIDATES_H

#include <stdint.h>

#include <stdbool.h>
#include "base/error.h"
#include "gannet/problem.h"
#include "problem/problem.h"

/* Who is told what the file says; texts and values are borrowed for the call. */
typedef struct {
  const char *path;
  const gannet_problem *problem;
  void *user;
  /* The names of the n columns that are no variables, [n]; *enough stops the reading there. NULL =
   * such columns are left alone. */
  gannet_err (*others)(void *user, int n, char *const *names, bool *enough);
  /* A row: x [n_variables] in the user's units, texts [n] in the other columns. */
  gannet_err (*row)(void *user, const double *x, char *const *texts);
} gannet_candidates_csv;

/* Read the file, to its end unless somebody has enough.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT with row and column; GANNET_ERR_MISSING, GANNET_ERR_IO; those of the
 * functions called.
 */
GANNET_CHECKED gannet_err gannet_candidates_csv_read(const gannet_candidates_csv *about);

/* Read every row. A name that ends in .h5 or .hdf5 is an HDF5 file, with one one-dimensional
 * dataset per variable (categories by their position, booleans as 0 or 1); everything else is CSV
 * (RFC 4180), with the names of the variables in the first line. Columns of other names are
 * ignored here, see campaign/tables/labels.h.
 *
 * Local.
 *
 * rows  out  [n][n_variables]; to be freed with gannet_free
 *
 * Errors: GANNET_ERR_INPUT with row and column; GANNET_ERR_MISSING, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_candidates_file_read(const char *path,
                                                      const gannet_problem *problem, int64_t *n,
                                                      double **rows);

/* Whether a name is that of an HDF5 file.
 *
 * Local.
 */
bool gannet_candidates_file_is_hdf5(const char *path);

#endif
