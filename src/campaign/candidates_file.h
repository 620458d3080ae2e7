/* The list of candidates of a campaign: a CSV or HDF5 file with a column for every variable. */
#ifndef GANNET_CAMPAIGN_CANDIDATES_FILE_H
#define GANNET_CAMPAIGN_CANDIDATES_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gannet/problem.h"

/* Read every row. A name that ends in .h5 or .hdf5 is an HDF5 file, with one one-dimensional
 * dataset per variable (categories by their position, booleans as 0 or 1); everything else is CSV
 * (RFC 4180), with the names of the variables in the first line. Columns of other names are
 * ignored here, see campaign/labels.h.
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
