/* Eigenvalues of symmetric matrices. */
#ifndef GANNET_LINALG_EIGEN_H
#define GANNET_LINALG_EIGEN_H

#include "base/error.h"

/* Eigenvalues and eigenvectors of a symmetric matrix, by LAPACK's dsyev. Errors of the eigenvalues
 * are relative to the largest one: those below 1e-15 of it have no digit.
 *
 * Local.
 *
 * d       in     >= 1
 * a       inout  [d][d], then each row an eigenvector of length 1
 * values  out    [d] ascending
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_NUMERIC when a is not finite or the iteration fails.
 */
GANNET_CHECKED gannet_err gannet_eigen_symmetric(int d, double *a, double *values);

#endif
