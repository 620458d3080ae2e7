/* Declarations of the routines of BLACS and ScaLAPACK that gannet uses; the libraries come without
 * headers. Fortran routines take the lengths of their characters at the end; routines of PBLAS are
 * C.
 *
 * Netlib: ScaLAPACK Users' Guide 1997; BLACS by LAPACK Working Note 94. */
#ifndef GANNET_LINALG_BLACS_H
#define GANNET_LINALG_BLACS_H

#include <mpi.h>
#include <stddef.h>

/* An entry for comm in the tables of BLACS, and its removal.
 *
 * Local.
 */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);

/* *context holds a handle before and a grid after, -1 on ranks outside it.
 *
 * Collective over the handle's communicator.
 */
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);

/* Collective over the grid. */
void Cblacs_gridexit(int context);

/* A = U^T U of a submatrix.
 *
 * Collective over the grid.
 */
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *desca, int *info, size_t uplo_length);

/* The inverse of a triangle, in place.
 *
 * Collective over the grid.
 */
void pdtrtri_(const char *uplo, const char *diagonal, const int *n, double *a, const int *ia,
              const int *ja, const int *desca, int *info, size_t uplo_length,
              size_t diagonal_length);

/* B = alpha op(A)^-1 B for a triangle A.
 *
 * Collective over the grid.
 */
void pdtrsm_(const char *side, const char *uplo, const char *transpose, const char *diagonal,
             const int *m, const int *n, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desca, double *b, const int *ib, const int *jb,
             const int *descb);

/* Version of ScaLAPACK.
 *
 * Local.
 */
void pilaver_(int *major, int *minor, int *patch);

#endif
