#include "simulations/heater.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "simulations/plate.h"

/* A 10 mm aluminium plate with air on both sides. */
static const gannet_option table[] = {
    {.key = "heaters",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_heater_options, heaters),
     .fallback = "3",
     .lower = 1,
     .upper = GANNET_HEATER_MOST,
     .help = "number of heaters K"},
    {.key = "resolution",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_heater_options, resolution),
     .fallback = "64",
     .lower = 4,
     .upper = 16384,
     .unit = "cells",
     .help = "cells per side of the plate"},
    {.key = "width",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, width),
     .fallback = "0.06",
     .lower = 1e-3,
     .upper = 10,
     .unit = "m",
     .help = "standard deviation of a heater's Gaussian heat"},
    {.key = "conductivity",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, conductivity),
     .fallback = "2",
     .lower = 0,
     .upper = HUGE_VAL,
     .flags = GANNET_OPTION_OPEN_LOW,
     .unit = "W/K",
     .help = "conductivity times thickness of the plate"},
    {.key = "loss",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, loss),
     .fallback = "10",
     .lower = 0,
     .upper = HUGE_VAL,
     .flags = GANNET_OPTION_OPEN_LOW,
     .unit = "W/(m2 K)",
     .help = "convection from the plate without fins"},
    {.key = "fin_loss",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, fin_loss),
     .fallback = "2",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "W/(m2 K)",
     .help = "convection that one fin adds"},
    {.key = "edge",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, edge),
     .fallback = "0.5",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "W/(m K)",
     .help = "convection from the edges"},
    {.key = "ambient",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, ambient),
     .fallback = "20",
     .unit = "degrees Celsius",
     .help = "temperature of the air"},
    {.key = "limit",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, limit),
     .fallback = "660",
     .unit = "degrees Celsius",
     .help = "peak temperature above which a design is infeasible; aluminium melts at 660"},
    {.key = "energy_weight",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, energy_weight),
     .fallback = "0",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "K/W",
     .help = "price of the total power in the objective"},
    {.key = "fin_cost",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, fin_cost),
     .fallback = "0",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "K",
     .help = "price of one fin in the objective"},
    {.key = "tolerance",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, tolerance),
     .fallback = "1e-12",
     .lower = 1e-15,
     .upper = 1e-2,
     .help = "relative residual at which the linear solver stops"},
    {0},
};

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

/* The same outcome on all ranks: one that failed alone must not leave the others believing. */
static int agree(MPI_Comm comm, PetscErrorCode code, char reason[256]) {
  const char *text = NULL;
  char *details = NULL;
  int mine = (int)code, worst = 1;
  if (code) {
    (void)PetscErrorMessage(code, &text, &details);
    (void)snprintf(reason, 256, "PETSc: %s%s%s", text ? text : "error",
                   details && *details ? ": " : "", details ? details : "");
  }
  if (MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) worst = 1;
  if (worst && !code) (void)snprintf(reason, 256, "PETSc failed on another rank");
  return worst ? -1 : 0;
}

static int solve_in(MPI_Comm comm, const gannet_heater_options *options,
                    const gannet_heater_design *design, gannet_heater_outcome *outcome,
                    char reason[256]) {
  workspace w = {0};
  const size_t cells = (size_t)design->n * (size_t)options->resolution;
  const gannet_err local = gannet_alloc(2 * cells, sizeof *w.along_x, &w.along_x);
  if (gannet_agree(comm, local) != GANNET_OK) {
    (void)snprintf(reason, 256, "%s", gannet_error_message());
    gannet_free(&w.along_x);
    return -1;
  }
  w.along_y = w.along_x + cells;
  outcome->cost = price(options, design);
  const PetscErrorCode code = solve_and_release(comm, options, design, &w, outcome);
  gannet_free(&w.along_x);
  return agree(comm, code, reason);
}

/* Errors come back as codes, and what a user gave PETSc on a command line or in PETSC_OPTIONS for
 * something else does not change the answer. */
int gannet_heater_solve(MPI_Comm comm, const gannet_heater_options *options,
                        const gannet_heater_design *design, gannet_heater_outcome *outcome,
                        char reason[256]) {
  PetscBool ready = PETSC_FALSE;
  PetscOptions none = NULL;
  (void)PetscInitialized(&ready);
  if (!ready) {
    (void)snprintf(reason, 256, "the program has not initialised PETSc");
    return -1;
  }
  (void)PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  PetscErrorCode code = PetscOptionsCreate(&none);
  if (!code) code = PetscOptionsPush(none);
  int failed = agree(comm, code, reason);
  if (!failed) failed = solve_in(comm, options, design, outcome, reason);
  if (!code) (void)PetscOptionsPop();
  (void)PetscOptionsDestroy(&none);
  (void)PetscPopErrorHandler();
  return failed;
}

static int check_constraints(const gannet_simulation_input *input, char reason[256]) {
  for (int i = 0; i < input->n_constraints; ++i) {
    if (strcmp(input->constraint_names[i], "peak_temperature") == 0) continue;
    (void)snprintf(reason, 256, "no constraint '%.60s'; there is peak_temperature",
                   input->constraint_names[i]);
    return -1;
  }
  return 0;
}

static void fill(const gannet_simulation_input *input, const gannet_heater_outcome *outcome,
                 gannet_simulation_output *output) {
  int rank = 0;
  (void)MPI_Comm_rank(input->comm, &rank);
  if (rank != 0) return;
  output->objective = outcome->deviation + outcome->cost;
  for (int i = 0; i < input->n_constraints; ++i) output->constraints[i] = outcome->peak;
}

static int run(const void *options, const gannet_simulation_input *input,
               gannet_simulation_output *output) {
  const gannet_heater_options *settings = options;
  gannet_heater_design design;
  gannet_heater_outcome outcome = {0};
  output->infeasible = 0;
  output->reason[0] = '\0';
  if (gannet_heater_read_design(settings->heaters, input, &design, output->reason)) return 1;
  if (check_constraints(input, output->reason)) return 1;
  if (gannet_heater_check_design(&design, output->reason)) {
    output->infeasible = 1;
    return 0;
  }
  if (gannet_heater_solve(input->comm, settings, &design, &outcome, output->reason)) return 1;
  if (outcome.peak > settings->limit) {
    output->infeasible = 1;
    (void)snprintf(output->reason, sizeof output->reason, "peak of %.6g degrees, limit %.6g",
                   outcome.peak, settings->limit);
    return 0;
  }
  fill(input, &outcome, output);
  return 0;
}

/* Variables in the order x1 y1 p1 x2 ...; one more is fins. */
static int box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  gannet_heater_design reference;
  const int n = d / 3;
  if (n < 1 || n > GANNET_HEATER_MOST || d % 3 == 2) return -1;
  gannet_heater_reference(n, &reference);
  for (int k = 0; k < n; ++k) {
    const double best[3] = {reference.source[k].x, reference.source[k].y,
                            reference.source[k].power};
    for (int j = 0; j < 3; ++j) {
      lower[3 * k + j] = 0;
      upper[3 * k + j] = j < 2 ? 1 : 1000;
      if (minimizer) minimizer[3 * k + j] = best[j];
    }
  }
  if (d % 3 == 1) {
    lower[d - 1] = 0;
    upper[d - 1] = GANNET_HEATER_FINS_MOST;
    if (minimizer) minimizer[d - 1] = reference.fins;
  }
  *minimum = 0;
  return 0;
}

const gannet_simulation_type gannet_heater = {
    .name = "heater",
    .summary = "place and drive heaters so that a plate takes a wanted temperature field (PETSc)",
    .source = "steady conduction with convection, second-order finite volumes",
    .options = table,
    .options_size = sizeof(gannet_heater_options),
    .run = run,
    .box = box,
    .n_constraints = 1,
    .fixed_d = 0,
};
