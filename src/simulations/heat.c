/* Steady heat in a square with given temperatures on its edges, as in PINN-BO:
 *
 *   d2T/dx1^2 + d2T/dx2^2 = 0 on [0, 2 pi]^2,   T given on the four edges,   find the hottest point
 *
 * The field is solved once per process on n x n cells: the plate of simulations/plate.h without
 * losses, its film infinitely thin. It is interpolated linearly between the centres of cells.
 * Beyond the outermost centres it is constant, so that the hottest point is the centre of a cell.
 * The edges do not fit together at the corners, where the largest values are; these grow with n.
 */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "simulations/benchmark.h"
#include "simulations/once.h"
#include "simulations/petsc.h"
#include "simulations/physics.h"
#include "simulations/plate.h"
#include "simulations/problems.h"

typedef struct {
  gannet_benchmark_settings benchmark; /* first */
  int grid;
} heat_settings;

static const gannet_option heat_options[] = {GANNET_BENCHMARK_OPTIONS,
                                             {.key = "grid",
                                              .type = GANNET_INTEGER,
                                              .offset = offsetof(heat_settings, grid),
                                              .fallback = "400",
                                              .lower = 4,
                                              .upper = 4000,
                                              .unit = "cells",
                                              .help = "cells per side on which the field is "
                                                      "solved; the known minimum is that of 400"},
                                             {0}};

static const double pi = 3.14159265358979323846;

/* Temperatures of one problem: of the edges x1 = 0 and x1 = 2 pi as functions of x2, then of x2 = 0
 * and x2 = 2 pi as functions of x1. */
typedef double (*edge)(double s);

static double e1_left(double s) {
  return 5 * sin(s) + sqrt(1 + s);
}
static double e1_right(double s) {
  return s * sin(3 * cos(s) + 2 * exp(s) * sin(s));
}
static double e1_bottom(double s) {
  return 10 * cos(s) + s * exp(sqrt(s * s + sin(s)));
}
static double e1_top(double s) {
  return 3 * sqrt(exp(s * exp(-s))) * sin(s) + cos(3 * s) * cos(3 * s);
}

static double e2_left(double s) {
  return sqrt(2 * s) * sin(s) + s * s * s * cos(2 * s) + exp(cos(s));
}
static double e2_right(double s) {
  return sqrt(2 * s) * s * s * s + exp(sin(s)) + sin(s) * cos(2 * s);
}
static double e2_bottom(double s) {
  return sqrt(3 * s) * s * s + exp(sin(s)) + sin(s) * cos(2 * s);
}
static double e2_top(double s) {
  return sqrt(3 * s) * exp(sin(s)) + s * s * sin(s) * sin(s) * cos(s) + exp(cos(s));
}

static double e3_left(double s) {
  return (s * s * s + cos(2 * s)) * (sqrt(2 * s) + sin(s)) + exp(cos(s));
}
static double e3_right(double s) {
  return (sqrt(2 * s) + s * s * s) * (sin(s) + cos(2 * s)) + exp(sin(s));
}
static double e3_bottom(double s) {
  return sqrt(3 * s) * (sin(s) + cos(2 * s)) + s * s + exp(sin(s));
}
static double e3_top(double s) {
  return (s * s + sin(s) * sin(s)) * exp(cos(s)) + (sqrt(3 * s) + exp(sin(s))) * cos(s);
}

static const edge edges[3][4] = {{e1_left, e1_right, e1_bottom, e1_top},
                                 {e2_left, e2_right, e2_bottom, e2_top},
                                 {e3_left, e3_right, e3_bottom, e3_top}};

enum { SIDES = 4 };

/* The edge of a cell lies half a cell from its centre, so its conductance is 2: a given temperature
 * is a source of heat 2 T_edge in every cell along the edge. along_x and along_y are [SIDES][n],
 * zeroed. */
static void set_edge_heat(int which, int n, double *along_x, double *along_y) {
  const size_t size = (size_t)n;
  for (size_t i = 0; i < size; ++i) {
    const double s = 2 * pi * ((double)i + 0.5) / n;
    for (size_t side = 0; side < 2; ++side) {
      along_y[side * size + i] = 2 * edges[which][side](s);
      along_x[(2 + side) * size + i] = 2 * edges[which][2 + side](s);
    }
  }
  along_x[0] = along_x[size + size - 1] = 1;
  along_y[2 * size] = along_y[3 * size + size - 1] = 1;
}

typedef struct {
  DM grid;
  Vec solution, natural, everywhere;
  VecScatter spread;
} workspace;

static PetscErrorCode solve_field(MPI_Comm comm, int n, const gannet_plate_heat *heat, workspace *w,
                                  double *field) {
  const gannet_plate plate = {
      .n = n, .conductivity = 1, .loss = 0, .edge = 1e30, .tolerance = 1e-12};
  const PetscScalar *values;
  PetscFunctionBeginUser;
  PetscCall(gannet_plate_grid(comm, n, &w->grid));
  PetscCall(DMCreateGlobalVector(w->grid, &w->solution));
  PetscCall(gannet_plate_solve(w->grid, &plate, heat, w->solution));
  PetscCall(DMDACreateNaturalVector(w->grid, &w->natural));
  PetscCall(DMDAGlobalToNaturalBegin(w->grid, w->solution, INSERT_VALUES, w->natural));
  PetscCall(DMDAGlobalToNaturalEnd(w->grid, w->solution, INSERT_VALUES, w->natural));
  PetscCall(VecScatterCreateToAll(w->natural, &w->spread, &w->everywhere));
  PetscCall(VecScatterBegin(w->spread, w->natural, w->everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(w->spread, w->natural, w->everywhere, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(w->everywhere, &values));
  for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) field[i] = values[i];
  PetscCall(VecRestoreArrayRead(w->everywhere, &values));
  PetscFunctionReturn(0);
}

static PetscErrorCode release_workspace(workspace *w) {
  PetscFunctionBeginUser;
  PetscCall(VecScatterDestroy(&w->spread));
  PetscCall(VecDestroy(&w->everywhere));
  PetscCall(VecDestroy(&w->natural));
  PetscCall(VecDestroy(&w->solution));
  PetscCall(DMDestroy(&w->grid));
  PetscFunctionReturn(0);
}

/* Temperatures [n][n], row j at x2 = 2 pi (j + 1/2)/n. */
static gannet_err create_field(MPI_Comm comm, int which, int n, double **field) {
  const size_t size = (size_t)n;
  double *along = NULL;
  gannet_petsc_shield shield = {0};
  gannet_err err = gannet_alloc(2 * SIDES * size, sizeof *along, &along);
  if (err == GANNET_OK) err = gannet_alloc(size * size, sizeof **field, field);
  err = gannet_agree(comm, err);
  if (err == GANNET_OK) err = gannet_agree(comm, gannet_petsc_push(&shield));
  if (err == GANNET_OK) {
    const gannet_plate_heat heat = {SIDES, along, along + SIDES * size};
    workspace w = {0};
    set_edge_heat(which, n, along, along + SIDES * size);
    const PetscErrorCode solved = solve_field(comm, n, &heat, &w, *field);
    const PetscErrorCode released = release_workspace(&w);
    if (solved || released) err = gannet_petsc_raise(solved ? solved : released, "steady heat");
    err = gannet_agree(comm, err);
  }
  gannet_petsc_pop(&shield);
  gannet_free(&along);
  if (err != GANNET_OK) gannet_free(field);
  return err;
}

/* The field of a problem, solved once per process. Ranks that have it already solve again with
 * ranks that have not, because groups of ranks may change. */
static gannet_err get_field(MPI_Comm comm, int which, int n, const double **field) {
  char key[48];
  (void)snprintf(key, sizeof key, "steady heat %d on %d", which, n);
  int have = gannet_once_find(key) != NULL;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comm));
  if (!have) {
    double *made = NULL;
    GANNET_TRY(create_field(comm, which, n, &made));
    gannet_err err = GANNET_OK;
    if (gannet_once_find(key))
      gannet_free(&made);
    else
      err = gannet_once_keep(key, made);
    GANNET_TRY(gannet_agree(comm, err));
  }
  *field = gannet_once_find(key);
  return GANNET_OK;
}

typedef struct {
  int n;
  const double *t; /* [n][n] */
} heat_field;

/* Cell to the left of a coordinate, and the weight of the cell to its right. */
static int locate(int n, double x, double *share) {
  const double at = fmin(fmax(x / (2 * pi) * n - 0.5, 0), n - 1);
  const int cell = at < n - 2 ? (int)at : n - 2;
  *share = at - cell;
  return cell;
}

static double interpolate(const void *user, int d, const double *x, double *c) {
  const heat_field *field = user;
  double right = 0, above = 0;
  (void)d, (void)c;
  if (!isfinite(x[0]) || !isfinite(x[1])) return NAN;
  const int i = locate(field->n, x[0], &right), j = locate(field->n, x[1], &above);
  const double *low = field->t + (size_t)j * (size_t)field->n + (size_t)i, *high = low + field->n;
  return -((1 - above) * ((1 - right) * low[0] + right * low[1]) +
           above * ((1 - right) * high[0] + right * high[1]));
}

static int heat_run(const gannet_simulation_type *type, int which, const void *settings,
                    const gannet_simulation_input *input, gannet_simulation_output *output,
                    gannet_quantity *quantities) {
  const heat_settings *s = settings;
  heat_field field = {.n = s->grid};
  char variant[16];
  const gannet_err err = get_field(input->comm, which, s->grid, &field.t);
  if (err != GANNET_OK) {
    output->cannot_run = 0;
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  (void)snprintf(variant, sizeof variant, "on %d", s->grid);
  const gannet_benchmark_problem problem = {
      .type = type, .value = interpolate, .user = &field, .variant = variant};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

/* The hottest cell of 400 x 400. */
static int heat_box(int which, int d, double *lower, double *upper, double *minimum,
                    double *minimizer) {
  static const double hottest[3] = {2854.8804162246656, 788.48071293058706, 772.3511743221452};
  static const int cell[3][2] = {{395, 0}, {399, 393}, {0, 394}};
  const double best[2] = {2 * pi * (cell[which][0] + 0.5) / 400,
                          2 * pi * (cell[which][1] + 0.5) / 400};
  if (d != 2) return -1;
  gannet_benchmark_cube(d, 0, 2 * pi, lower, upper);
  return gannet_benchmark_listed(d, -hottest[which], best, minimum, minimizer);
}

static int run1(const void *settings, const gannet_simulation_input *input,
                gannet_simulation_output *output, gannet_quantity *quantities) {
  return heat_run(&gannet_steady_heat_1, 0, settings, input, output, quantities);
}

static int box1(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  return heat_box(0, d, lower, upper, minimum, minimizer);
}

const gannet_simulation_type gannet_steady_heat_1 = {
    .name = "steady-heat-1",
    .summary = "minus the temperature of a plate with given edges, hottest in a corner (PETSc)",
    .source = "PINN-BO, thesis section 5.4.3.1, boundary conditions 1; [0, 2 pi]^2",
    .options = heat_options,
    .options_size = sizeof(heat_settings),
    .run = run1,
    .box = box1,
    .physics = gannet_physics_heat,
    .fixed_d = 2,
};

static int run2(const void *settings, const gannet_simulation_input *input,
                gannet_simulation_output *output, gannet_quantity *quantities) {
  return heat_run(&gannet_steady_heat_2, 1, settings, input, output, quantities);
}

static int box2(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  return heat_box(1, d, lower, upper, minimum, minimizer);
}

const gannet_simulation_type gannet_steady_heat_2 = {
    .name = "steady-heat-2",
    .summary = "the same with other edges",
    .source = "PINN-BO, thesis section 5.4.3.1, boundary conditions 2; [0, 2 pi]^2",
    .options = heat_options,
    .options_size = sizeof(heat_settings),
    .run = run2,
    .box = box2,
    .physics = gannet_physics_heat,
    .fixed_d = 2,
};

static int run3(const void *settings, const gannet_simulation_input *input,
                gannet_simulation_output *output, gannet_quantity *quantities) {
  return heat_run(&gannet_steady_heat_3, 2, settings, input, output, quantities);
}

static int box3(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  return heat_box(2, d, lower, upper, minimum, minimizer);
}

const gannet_simulation_type gannet_steady_heat_3 = {
    .name = "steady-heat-3",
    .summary = "the same with other edges again",
    .source = "PINN-BO, thesis section 5.4.3.1, boundary conditions 3; [0, 2 pi]^2",
    .options = heat_options,
    .options_size = sizeof(heat_settings),
    .run = run3,
    .box = box3,
    .physics = gannet_physics_heat,
    .fixed_d = 2,
};
