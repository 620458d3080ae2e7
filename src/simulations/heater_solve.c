#include <math.h>

#include "base/memory.h"
#include "minimize/petsc.h"
#include "simulations/heater.h"
#include "simulations/plate.h"

/* What a solve needs and must give back on every path. */
typedef struct {
  double *along_x, *along_y; /* [heaters][resolution] */
  DM grid;
  Vec rise, target;
} workspace;

static PetscErrorCode solve_design(const gannet_heater_options *options,
                                   const gannet_heater_design *design, workspace *w, Vec rise) {
  const gannet_plate plate = {.n = options->resolution,
                              .conductivity = options->conductivity,
                              .loss = options->loss + options->fin_loss * design->fins,
                              .edge = options->edge,
                              .tolerance = options->tolerance};
  const gannet_plate_heat heat = {design->n, w->along_x, w->along_y};
  PetscFunctionBeginUser;
  gannet_heater_spread(design, options->width, plate.n, w->along_x, w->along_y);
  PetscCall(gannet_plate_solve(w->grid, &plate, &heat, rise));
  PetscFunctionReturn(0);
}

static PetscErrorCode compare(MPI_Comm comm, const gannet_heater_options *options,
                              const gannet_heater_design *design, workspace *w,
                              gannet_heater_outcome *outcome) {
  gannet_heater_design reference;
  PetscReal highest, norm;
  PetscFunctionBeginUser;
  gannet_heater_reference(options->heaters, &reference);
  PetscCall(gannet_plate_grid(comm, options->resolution, &w->grid));
  PetscCall(DMCreateGlobalVector(w->grid, &w->rise));
  PetscCall(VecDuplicate(w->rise, &w->target));
  PetscCall(solve_design(options, &reference, w, w->target));
  PetscCall(solve_design(options, design, w, w->rise));
  PetscCall(VecMax(w->rise, NULL, &highest));
  PetscCall(VecAXPY(w->target, -1, w->rise));
  PetscCall(VecNorm(w->target, NORM_2, &norm));
  outcome->peak = options->ambient + highest;
  outcome->deviation = norm / options->resolution;
  PetscFunctionReturn(0);
}

static PetscErrorCode release(workspace *w) {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&w->rise));
  PetscCall(VecDestroy(&w->target));
  PetscCall(DMDestroy(&w->grid));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_and_release(MPI_Comm comm, const gannet_heater_options *options,
                                        const gannet_heater_design *design, workspace *w,
                                        gannet_heater_outcome *outcome) {
  const PetscErrorCode solved = compare(comm, options, design, w, outcome);
  const PetscErrorCode released = release(w);
  return solved ? solved : released;
}

static double price(const gannet_heater_options *options, const gannet_heater_design *design) {
  double power = 0;
  for (int k = 0; k < design->n; ++k) power += design->source[k].power;
  return options->energy_weight * power + options->fin_cost * design->fins;
}

static gannet_err solve_shielded(MPI_Comm comm, const gannet_heater_options *options,
                                 const gannet_heater_design *design, workspace *w,
                                 gannet_heater_outcome *outcome) {
  const PetscErrorCode code = solve_and_release(comm, options, design, w, outcome);
  if (code) return gannet_petsc_raise(code, "heater");
  GANNET_REQUIRE(isfinite(outcome->deviation) && isfinite(outcome->peak), GANNET_ERR_NUMERIC,
                 "heater: the temperature is not finite");
  return GANNET_OK;
}

/* Agreed after the allocation and at the end: a rank that failed alone must not leave the others
 * believing. */
static gannet_err allocate_and_solve(MPI_Comm comm, const gannet_heater_options *options,
                                     const gannet_heater_design *design,
                                     gannet_heater_outcome *outcome) {
  workspace w = {0};
  const size_t cells = (size_t)design->n * (size_t)options->resolution;
  gannet_err err = gannet_alloc(2 * cells, sizeof *w.along_x, &w.along_x);
  err = gannet_agree(comm, err);
  if (err == GANNET_OK) {
    w.along_y = w.along_x + cells;
    err = gannet_agree(comm, solve_shielded(comm, options, design, &w, outcome));
  }
  gannet_free(&w.along_x);
  return err;
}

gannet_err gannet_heater_solve(MPI_Comm comm, const gannet_heater_options *options,
                               const gannet_heater_design *design, gannet_heater_outcome *outcome) {
  gannet_petsc_shield shield = {0};
  gannet_err err = gannet_agree(comm, gannet_petsc_push(&shield));
  if (err == GANNET_OK) err = allocate_and_solve(comm, options, design, outcome);
  gannet_petsc_pop(&shield);
  outcome->cost = price(options, design);
  GANNET_TRY(err);
  return GANNET_OK;
}
