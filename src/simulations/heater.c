/* Three parts: the settings; designs, and the heat that they spread; the solve, and the simulation.
 */
#include "simulations/heater.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "simulations/petsc.h"
#include "simulations/plate.h"

/* A 10 mm aluminium plate with air on both sides. */
static const gannet_option heater_options[] = {
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
     .lower = 1e-6,
     .upper = 1e9,
     .unit = "W/K",
     .help = "conductivity times thickness of the plate"},
    {.key = "loss",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, loss),
     .fallback = "10",
     .lower = 1e-6,
     .upper = 1e9,
     .unit = "W/(m2 K)",
     .help = "convection from the plate without fins"},
    {.key = "fin_loss",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, fin_loss),
     .fallback = "2",
     .lower = 0,
     .upper = 1e9,
     .unit = "W/(m2 K)",
     .help = "convection that one fin adds"},
    {.key = "edge",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_heater_options, edge),
     .fallback = "0.5",
     .lower = 0,
     .upper = 1e9,
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
     .help = "peak temperature above which the simulation cannot run; aluminium melts at 660"},
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

/* Points of Roberts' R2 sequence (fractional parts of multiples of the inverse plastic number and
 * of its square) in the middle of the plate; 300, 400 and 500 W in turn. */
void gannet_heater_reference(int n, gannet_heater_design *design) {
  memset(design, 0, sizeof *design);
  design->n = n;
  design->fins = 3;
  for (int k = 0; k < n; ++k) {
    const double a = 0.5 + 0.7548776662466927 * (k + 1), b = 0.5 + 0.5698402909980532 * (k + 1);
    design->source[k].x = 0.15 + 0.7 * (a - floor(a));
    design->source[k].y = 0.15 + 0.7 * (b - floor(b));
    design->source[k].power = 300 + 100 * (k % 3);
  }
}

/* Where the design keeps the value of a name; NULL for a name that is not one of its variables. */
static double *find_value(gannet_heater_design *design, const char *name) {
  if (strcmp(name, "fins") == 0) return &design->fins;
  if (name[0] == '\0' || !strchr("xyp", name[0])) return NULL;
  if (name[1] < '1' || name[1] > '9') return NULL;
  char *end = NULL;
  const long k = strtol(name + 1, &end, 10);
  if (*end != '\0' || k > design->n) return NULL;
  gannet_heater_source *source = &design->source[k - 1];
  return name[0] == 'x' ? &source->x : name[0] == 'y' ? &source->y : &source->power;
}

/* Read a design from named values. Returns 0, or -1 with the reason if a name is not known. */
static int read_design(int heaters, const gannet_simulation_input *input,
                       gannet_heater_design *design, char reason[256]) {
  gannet_heater_reference(heaters, design);
  for (int i = 0; i < input->n_variables; ++i) {
    double *value = find_value(design, input->names[i]);
    if (!value) {
      (void)snprintf(reason, 256,
                     "no variable '%.60s'; with %d heaters there are fins and x1 y1 p1 up to p%d",
                     input->names[i], heaters, heaters);
      return -1;
    }
    *value = input->x[i];
  }
  return 0;
}

static int refuse(char reason[256], char letter, int k, double value) {
  (void)snprintf(reason, 256, "%c%d = %g %s", letter, k + 1, value,
                 letter == 'p' ? "W: a heater cannot cool" : "m is off the plate");
  return -1;
}

/* Check the physical limits. Returns 0, or -1 with the reason. */
static int check_design(const gannet_heater_design *design, char reason[256]) {
  for (int k = 0; k < design->n; ++k) {
    const gannet_heater_source *s = &design->source[k];
    if (!(s->x >= 0 && s->x <= 1)) return refuse(reason, 'x', k, s->x);
    if (!(s->y >= 0 && s->y <= 1)) return refuse(reason, 'y', k, s->y);
    if (!(s->power >= 0 && isfinite(s->power))) return refuse(reason, 'p', k, s->power);
  }
  if (!(design->fins >= 0 && design->fins <= GANNET_HEATER_FINS_MOST) ||
      design->fins != floor(design->fins)) {
    (void)snprintf(reason, 256, "fins = %g is not a whole number from 0 to %d", design->fins,
                   GANNET_HEATER_FINS_MOST);
    return -1;
  }
  return 0;
}

static int compare_sources(const void *left, const void *right) {
  const gannet_heater_source *a = left, *b = right;
  if (a->x != b->x) return a->x < b->x ? -1 : 1;
  if (a->y != b->y) return a->y < b->y ? -1 : 1;
  return (a->power > b->power) - (a->power < b->power);
}

/* Share of a Gaussian in each of n cells of [0, 1], the whole being what lies in [0, 1]. */
static void spread_along(double centre, double width, int n, double *share) {
  const double scale = 1 / (width * sqrt(2));
  const double inside = erf((1 - centre) * scale) + erf(centre * scale);
  double below = -erf(centre * scale);
  for (int i = 0; i < n; ++i) {
    const double above = erf(((i + 1.0) / n - centre) * scale);
    share[i] = (above - below) / inside;
    below = above;
  }
}

void gannet_heater_spread(const gannet_heater_design *design, double width, int n, double *along_x,
                          double *along_y) {
  gannet_heater_design sorted = *design;
  qsort(sorted.source, (size_t)sorted.n, sizeof *sorted.source, compare_sources);
  for (int k = 0; k < sorted.n; ++k) {
    const gannet_heater_source *s = &sorted.source[k];
    double *x = along_x + (size_t)k * (size_t)n;
    spread_along(s->x, width, n, x);
    for (int i = 0; i < n; ++i) x[i] *= s->power;
    spread_along(s->y, width, n, along_y + (size_t)k * (size_t)n);
  }
}

/* What a solve needs and must give back on every path. */
typedef struct {
  double *along_x, *along_y; /* [heaters][resolution] */
  DM grid;
  Vec rise, target;
} workspace;

typedef struct {
  double deviation; /* root mean square of T - T_target, K */
  double cost;      /* of energy and fins, K */
  double peak;      /* degrees Celsius */
  double power;     /* of all heaters, W */
} outcome;

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

static PetscErrorCode compare_with_target(MPI_Comm comm, const gannet_heater_options *options,
                                          const gannet_heater_design *design, workspace *w,
                                          outcome *o) {
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
  o->peak = options->ambient + highest;
  o->deviation = norm / options->resolution;
  PetscFunctionReturn(0);
}

static PetscErrorCode release_workspace(workspace *w) {
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&w->rise));
  PetscCall(VecDestroy(&w->target));
  PetscCall(DMDestroy(&w->grid));
  PetscFunctionReturn(0);
}

/* Solve for the reference and for the design, and compare.
 *
 * Collective over comm. Ranks agree after every step: a rank that failed alone must not leave the
 * others believing. With another number of ranks the outcome differs by about 1e-12.
 *
 * Errors: GANNET_ERR_STATE when MPI is not initialised, GANNET_ERR_MEMORY, GANNET_ERR_LIBRARY (no
 * convergence, more ranks than the grid can be cut into).
 * Cost: two solves, O(resolution^2); 9 ms at 64, 0.15 s at 256, 4 s at 1024 on one core of 2026. */
static gannet_err solve_heater(MPI_Comm comm, const gannet_heater_options *options,
                               const gannet_heater_design *design, outcome *o) {
  const size_t cells = (size_t)design->n * (size_t)options->resolution;
  gannet_petsc_shield shield = {0};
  workspace w = {0};
  gannet_err err = gannet_agree(comm, gannet_petsc_push(&shield));
  if (err == GANNET_OK)
    err = gannet_agree(comm, gannet_alloc(2 * cells, sizeof *w.along_x, &w.along_x));
  if (err == GANNET_OK) {
    w.along_y = w.along_x + cells;
    const PetscErrorCode solved = compare_with_target(comm, options, design, &w, o);
    const PetscErrorCode released = release_workspace(&w);
    if (solved || released)
      err = gannet_petsc_raise(solved ? solved : released, "heater");
    else if (!isfinite(o->deviation) || !isfinite(o->peak))
      err = GANNET_RAISE(GANNET_ERR_NUMERIC, "heater: the temperature is not finite");
    err = gannet_agree(comm, err);
  }
  gannet_free(&w.along_x);
  gannet_petsc_pop(&shield);
  o->power = 0;
  for (int k = 0; k < design->n; ++k) o->power += design->source[k].power;
  o->cost = options->energy_weight * o->power + options->fin_cost * design->fins;
  GANNET_TRY(err);
  return GANNET_OK;
}

/* What is reported by name; each may be an objective, or have bounds. */
enum { PEAK, POWER, DEVIATION, QUANTITIES };
static const char *const quantity_names[] = {"peak_temperature", "power", "deviation"};

static const char *name_quantity(const void *options, int i) {
  (void)options;
  return i < QUANTITIES ? quantity_names[i] : NULL;
}

/* Which quantity a constraint is; -1 with the reason for none. */
static int find_quantity(const char *name, char reason[256]) {
  for (int i = 0; i < QUANTITIES; ++i)
    if (strcmp(name, quantity_names[i]) == 0) return i;
  (void)snprintf(reason, 256, "no constraint '%.60s'; there are %s, %s and %s", name,
                 quantity_names[PEAK], quantity_names[POWER], quantity_names[DEVIATION]);
  return -1;
}

static int heater_run(const void *options, const gannet_simulation_input *input,
                      gannet_simulation_output *output, gannet_quantity *quantities) {
  const gannet_heater_options *settings = options;
  gannet_heater_design design;
  outcome o = {0};
  int rank = 0;
  (void)MPI_Comm_rank(input->comm, &rank);
  output->cannot_run = 0;
  output->reason[0] = '\0';
  if (read_design(settings->heaters, input, &design, output->reason)) return 1;
  for (int i = 0; i < input->n_constraints; ++i)
    if (find_quantity(input->constraint_names[i], output->reason) < 0) return 1;
  if (check_design(&design, output->reason)) {
    output->cannot_run = 1;
    return 0;
  }
  if (solve_heater(input->comm, settings, &design, &o) != GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  if (o.peak > settings->limit) {
    output->cannot_run = 1;
    (void)snprintf(output->reason, sizeof output->reason, "peak of %.6g degrees, limit %.6g",
                   o.peak, settings->limit);
    return 0;
  }
  if (rank != 0) return 0;
  const double values[QUANTITIES] = {o.peak, o.power, o.deviation};
  output->objective = o.deviation + o.cost;
  for (int i = 0; i < input->n_constraints; ++i)
    output->constraints[i] = values[find_quantity(input->constraint_names[i], output->reason)];
  for (int i = 0; i < QUANTITIES; ++i)
    quantities[i] = (gannet_quantity){.name = quantity_names[i], .value = values[i]};
  output->n_quantities = QUANTITIES;
  output->quantities = quantities;
  return 0;
}

static bool name_variable(const void *options, int i, char *name, size_t size) {
  const gannet_heater_options *settings = options;
  if (i < 3 * settings->heaters)
    (void)snprintf(name, size, "%c%d", "xyp"[i % 3], i / 3 + 1);
  else
    (void)snprintf(name, size, "fins");
  return i <= 3 * settings->heaters;
}

/* Variables in the order x1 y1 p1 x2 ...; one more is fins. */
static int heater_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
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
  if (minimum) *minimum = 0;
  return 0;
}

const gannet_simulation_type gannet_heater = {
    .name = "heater",
    .summary = "place and drive heaters so that a plate takes a wanted temperature field (PETSc)",
    .source = "steady conduction with convection, second-order finite volumes",
    .options = heater_options,
    .options_size = sizeof(gannet_heater_options),
    .run = heater_run,
    .box = heater_box,
    .n_constraints = 1,
    .constraints = quantity_names,
    .fixed_d = 0,
    .name_variable = name_variable,
    .name_quantity = name_quantity,
};
