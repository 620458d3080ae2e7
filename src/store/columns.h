/* Columns of numbers in an HDF5 file of the user's: one-dimensional datasets of equal length. */
#ifndef GANNET_STORE_COLUMNS_H
#define GANNET_STORE_COLUMNS_H

#include <stdint.h>

#include "base/error.h"

/* Read the datasets of the given names (paths inside the file).
 *
 * Local.
 *
 * names  in   [n_names]
 * n      out  length of every dataset; 0 after an error
 * rows   out  [n][n_names]; to be freed with gannet_free; NULL after an error
 *
 * Errors: GANNET_ERR_INPUT for no HDF5 file, a missing dataset, one that is not one-dimensional or
 * numeric, and different lengths.
 */
GANNET_CHECKED gannet_err gannet_columns_read(const char *path, int n_names,
                                              const char *const *names, int64_t *n, double **rows);

#endif
