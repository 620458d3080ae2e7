/* Steady temperature of a heated square plate: the PETSc part of the heater simulation.
 *
 *   -div(k grad T) + h T = q        on the unit square (metres)
 *   -k dT/dn = e T                  on its four edges
 *
 * T is the rise above the ambient temperature (K); k, h and e belong to the plate with its
 * thickness. Cell-centred finite volumes on n x n cells, second order: the heat of every cell is
 * balanced, so that what goes in comes out through the surface and the edges up to the solver's
 * tolerance. The conjugate gradients stop at a relative residual, which fixes the answer to about
 * tolerance * (condition number ~ 8 k n^2 / h): another number of ranks changes it by no more.
 */
#ifndef GANNET_SIMULATIONS_PLATE_H
#define GANNET_SIMULATIONS_PLATE_H

#include <petscdmda.h>

typedef struct {
  int n;               /* cells per side */
  double conductivity; /* k, W/K */
  double loss;         /* h, W/(m2 K) */
  double edge;         /* e, W/(m K) */
  double tolerance;    /* relative residual */
} gannet_plate;

/* Heat in watts of cell (i, j): the sum over s of along_x[s*n + i] * along_y[s*n + j]. */
typedef struct {
  int count;
  const double *along_x; /* [count][n], watts */
  const double *along_y; /* [count][n], shares */
} gannet_plate_heat;

/* The grid of n x n cells, one unknown each.
 *
 * Collective over comm.
 *
 * grid  out  to be freed with DMDestroy
 */
PetscErrorCode gannet_plate_grid(MPI_Comm comm, int n, DM *grid);

/* The temperature rise.
 *
 * Collective over the grid's communicator; plate and heat the same on all ranks.
 *
 * rise  out  a global vector of the grid; kelvin
 *
 * Errors: PETSC_ERR_NOT_CONVERGED, PETSC_ERR_MEM, and whatever PETSc meets.
 */
PetscErrorCode gannet_plate_solve(DM grid, const gannet_plate *plate, const gannet_plate_heat *heat,
                                  Vec rise);

#endif
