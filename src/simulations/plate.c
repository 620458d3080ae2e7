#include "simulations/plate.h"

#include <petscksp.h>

/* From so many cells per side on multigrid needs less time than block Jacobi. */
enum { MULTIGRID_FROM = 64 };

typedef struct {
  Mat matrix;
  Vec source;
  KSP solver;
} system_of_equations;

PetscErrorCode gannet_plate_grid(MPI_Comm comm, int n, DM *grid) {
  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(comm, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, n,
                         PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, grid));
  PetscCall(DMSetUp(*grid));
  PetscFunctionReturn(0);
}

/* Heat per kelvin through the outer side of a cell: half a cell of plate, then the edge's film. */
static double edge_conductance(const gannet_plate *plate) {
  const double h = 1.0 / plate->n;
  return plate->edge * h * 2 * plate->conductivity / (plate->edge * h + 2 * plate->conductivity);
}

/* One row of the balance in W/K: conduction to the neighbours, loss to the air, loss at the edges.
 */
static PetscErrorCode assemble_cell(const gannet_plate *plate, PetscInt i, PetscInt j, Mat matrix) {
  static const PetscInt step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const double outside = edge_conductance(plate);
  const MatStencil row = {.i = i, .j = j};
  MatStencil columns[5];
  PetscScalar values[5];
  PetscInt n = 1;
  PetscFunctionBeginUser;
  columns[0] = row;
  values[0] = plate->loss / ((double)plate->n * plate->n);
  for (int side = 0; side < 4; ++side) {
    const PetscInt to_i = i + step[side][0], to_j = j + step[side][1];
    if (to_i < 0 || to_j < 0 || to_i >= plate->n || to_j >= plate->n) {
      values[0] += outside;
      continue;
    }
    values[0] += plate->conductivity;
    values[n] = -plate->conductivity;
    columns[n] = (MatStencil){.i = to_i, .j = to_j};
    n += 1;
  }
  PetscCall(MatSetValuesStencil(matrix, 1, &row, n, columns, values, INSERT_VALUES));
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble_matrix(DM grid, const gannet_plate *plate, Mat matrix) {
  DMDALocalInfo own;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &own));
  for (PetscInt j = own.ys; j < own.ys + own.ym; ++j)
    for (PetscInt i = own.xs; i < own.xs + own.xm; ++i)
      PetscCall(assemble_cell(plate, i, j, matrix));
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(matrix, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble_source(DM grid, const gannet_plate_heat *heat, Vec source) {
  DMDALocalInfo own;
  PetscScalar **watts;
  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(grid, &own));
  PetscCall(DMDAVecGetArray(grid, source, &watts));
  for (PetscInt j = own.ys; j < own.ys + own.ym; ++j) {
    for (PetscInt i = own.xs; i < own.xs + own.xm; ++i) {
      double sum = 0;
      for (int s = 0; s < heat->count; ++s)
        sum += heat->along_x[(size_t)s * (size_t)own.mx + (size_t)i] *
               heat->along_y[(size_t)s * (size_t)own.mx + (size_t)j];
      watts[j][i] = sum;
    }
  }
  PetscCall(DMDAVecRestoreArray(grid, source, &watts));
  PetscFunctionReturn(0);
}

/* BoomerAMG takes half the time of PETSc's own multigrid here, but not every PETSc has it. */
static PetscErrorCode choose_preconditioner(const gannet_plate *plate, PC preconditioner) {
  PetscFunctionBeginUser;
  if (plate->n < MULTIGRID_FROM) {
    PetscCall(PCSetType(preconditioner, PCBJACOBI));
  } else {
#if defined(PETSC_HAVE_HYPRE)
    PetscCall(PCSetType(preconditioner, PCHYPRE));
    PetscCall(PCHYPRESetType(preconditioner, "boomeramg"));
#else
    PetscCall(PCSetType(preconditioner, PCGAMG));
#endif
  }
  PetscFunctionReturn(0);
}

/* The true residual decides, so that the stopping point does not hang on the preconditioner. */
static PetscErrorCode create_solver(DM grid, const gannet_plate *plate, system_of_equations *s) {
  PC preconditioner;
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)grid), &s->solver));
  PetscCall(KSPSetOperators(s->solver, s->matrix, s->matrix));
  PetscCall(KSPSetType(s->solver, KSPCG));
  PetscCall(KSPSetNormType(s->solver, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(s->solver, plate->tolerance, PETSC_DEFAULT, PETSC_DEFAULT,
                             1000 + 20 * plate->n));
  PetscCall(KSPGetPC(s->solver, &preconditioner));
  PetscCall(choose_preconditioner(plate, preconditioner));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_system(DM grid, const gannet_plate *plate,
                                   const gannet_plate_heat *heat, system_of_equations *s,
                                   Vec rise) {
  KSPConvergedReason reason;
  PetscInt iterations;
  PetscFunctionBeginUser;
  PetscCall(DMCreateMatrix(grid, &s->matrix));
  PetscCall(assemble_matrix(grid, plate, s->matrix));
  PetscCall(DMCreateGlobalVector(grid, &s->source));
  PetscCall(assemble_source(grid, heat, s->source));
  PetscCall(create_solver(grid, plate, s));
  PetscCall(KSPSolve(s->solver, s->source, rise));
  PetscCall(KSPGetConvergedReason(s->solver, &reason));
  PetscCall(KSPGetIterationNumber(s->solver, &iterations));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "conjugate gradients gave up after %d steps: %s", (int)iterations,
             KSPConvergedReasons[reason]);
  PetscFunctionReturn(0);
}

static PetscErrorCode release_system(system_of_equations *s) {
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->solver));
  PetscCall(VecDestroy(&s->source));
  PetscCall(MatDestroy(&s->matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode gannet_plate_solve(DM grid, const gannet_plate *plate, const gannet_plate_heat *heat,
                                  Vec rise) {
  system_of_equations s = {0};
  const PetscErrorCode solved = solve_system(grid, plate, heat, &s, rise);
  const PetscErrorCode released = release_system(&s);
  return solved ? solved : released;
}
