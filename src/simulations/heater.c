#include "simulations/heater.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static const char *const constraints[] = {"peak_temperature"};

static int check_constraints(const gannet_simulation_input *input, char reason[256]) {
  for (int i = 0; i < input->n_constraints; ++i) {
    if (strcmp(input->constraint_names[i], constraints[0]) == 0) continue;
    (void)snprintf(reason, 256, "no constraint '%.60s'; there is %s", input->constraint_names[i],
                   constraints[0]);
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
  output->cannot_run = 0;
  output->reason[0] = '\0';
  if (gannet_heater_read_design(settings->heaters, input, &design, output->reason)) return 1;
  if (check_constraints(input, output->reason)) return 1;
  if (gannet_heater_check_design(&design, output->reason)) {
    output->cannot_run = 1;
    return 0;
  }
  if (gannet_heater_solve(input->comm, settings, &design, &outcome) != GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  if (outcome.peak > settings->limit) {
    output->cannot_run = 1;
    (void)snprintf(output->reason, sizeof output->reason, "peak of %.6g degrees, limit %.6g",
                   outcome.peak, settings->limit);
    return 0;
  }
  fill(input, &outcome, output);
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
  if (minimum) *minimum = 0;
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
    .constraints = constraints,
    .fixed_d = 0,
    .name_variable = name_variable,
};
