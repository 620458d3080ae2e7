#include "simulations/benchmark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

/* Iterations of the streams (seed, GANNET_FOR_SIMULATION, iteration, index). */
enum { FOR_NOISE = 1, FOR_FAILURE = 2 };

const gannet_option gannet_benchmark_options[] = {
    {.key = "noise_sd",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_benchmark_settings, noise_sd),
     .fallback = "0",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "objective units",
     .help = "standard deviation of Gaussian noise on the objective"},
    {.key = "delay",
     .type = GANNET_DURATION,
     .offset = offsetof(gannet_benchmark_settings, delay),
     .fallback = "0",
     .lower = 0,
     .upper = HUGE_VAL,
     .help = "time to sleep, to imitate a costly run"},
    {.key = "fail",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_benchmark_settings, fail),
     .fallback = "0",
     .lower = 0,
     .upper = 1,
     .unit = "probability",
     .help = "how often a run fails by bad luck"},
    {.key = "shift",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_benchmark_settings, shift),
     .fallback = "0",
     .lower = -1,
     .upper = 1,
     .unit = "share of the box",
     .help = "moves the landscape along every axis, so that its minimum leaves the centre"},
    {0},
};

void gannet_benchmark_cube(int d, double low, double high, double *lower, double *upper) {
  for (int k = 0; k < d; ++k) {
    lower[k] = low;
    upper[k] = high;
  }
}

int gannet_benchmark_at(int d, double value, double at_value, double *minimum, double *minimizer) {
  *minimum = value;
  for (int k = 0; minimizer && k < d; ++k) minimizer[k] = at_value;
  return 0;
}

int gannet_benchmark_listed(int d, double value, const double *point, double *minimum,
                            double *minimizer) {
  *minimum = value;
  for (int k = 0; minimizer && k < d; ++k) minimizer[k] = point[k];
  return 0;
}

/* Which of c1 ... cK a name is, counted from 0; -1 for none. */
static int constraint_index(const char *name, int count) {
  char *end = NULL;
  if (name[0] != 'c' || name[1] < '1' || name[1] > '9') return -1;
  const long k = strtol(name + 1, &end, 10);
  return *end == '\0' && k <= count ? (int)k - 1 : -1;
}

static int check_constraints(const gannet_simulation_type *type,
                             const gannet_simulation_input *input, char reason[256]) {
  for (int i = 0; i < input->n_constraints; ++i) {
    const char *name = input->constraint_names[i];
    if (constraint_index(name, type->n_constraints) >= 0) continue;
    if (type->n_constraints == 0)
      (void)snprintf(reason, 256, "no constraint '%.60s': %s has none", name, type->name);
    else
      (void)snprintf(reason, 256, "no constraint '%.60s': those of %s are c1 to c%d", name,
                     type->name, type->n_constraints);
    return -1;
  }
  return 0;
}

/* point = x - shift * (upper - lower); scratch is [2 * d]. */
static int move(const gannet_simulation_type *type, double shift,
                const gannet_simulation_input *input, double *point, double *scratch) {
  const int d = input->n_variables;
  double *lower = scratch, *upper = scratch + d, minimum;
  if (type->fixed_d && type->fixed_d != d) return -1;
  if (type->box(d, lower, upper, &minimum, NULL)) return -1;
  for (int k = 0; k < d; ++k) point[k] = input->x[k] - shift * (upper[k] - lower[k]);
  return 0;
}

/* A signal may end a sleep early: the rest is slept, as a computation would go on. */
static void sleep_for(double seconds) {
  const double end = gannet_clock_seconds() + seconds;
  for (double left = seconds; left > 0; left = end - gannet_clock_seconds())
    gannet_clock_sleep(left);
}

static int has_bad_luck(const gannet_benchmark_settings *settings,
                        const gannet_simulation_input *input) {
  double u;
  gannet_random_uniform(
      (gannet_stream){input->seed, GANNET_FOR_SIMULATION, FOR_FAILURE, (uint64_t)input->attempt}, 0,
      1, &u);
  return u < settings->fail;
}

static void finish(const gannet_benchmark_settings *settings, const gannet_simulation_input *input,
                   double value, const double *c, gannet_simulation_output *output) {
  double noise = 0;
  if (!isfinite(value)) {
    output->infeasible = 1;
    (void)snprintf(output->reason, sizeof output->reason, "the objective is not finite here");
    return;
  }
  if (settings->noise_sd > 0)
    gannet_random_normal((gannet_stream){input->seed, GANNET_FOR_SIMULATION, FOR_NOISE, 0}, 0, 1,
                         &noise);
  output->objective = value + settings->noise_sd * noise;
  int rank = 0;
  (void)MPI_Comm_rank(input->comm, &rank);
  for (int i = 0; rank == 0 && i < input->n_constraints; ++i)
    output->constraints[i] =
        c[constraint_index(input->constraint_names[i], GANNET_BENCHMARK_CONSTRAINTS_MOST)];
}

int gannet_benchmark_run(const gannet_simulation_type *type, gannet_benchmark_function function,
                         const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output) {
  const gannet_benchmark_settings *s = settings;
  const size_t d = (size_t)input->n_variables;
  double c[GANNET_BENCHMARK_CONSTRAINTS_MOST] = {0}, *point = NULL;
  output->infeasible = 0;
  output->reason[0] = '\0';
  if (check_constraints(type, input, output->reason)) return 1;
  if (gannet_alloc(3 * d, sizeof *point, &point) != GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  const int moved = move(type, s->shift, input, point, point + d);
  if (moved == 0) {
    const double value = function(input->n_variables, point, c);
    sleep_for(s->delay);
    finish(s, input, value, c, output);
  } else {
    (void)snprintf(output->reason, sizeof output->reason, "%s does not exist in %d dimensions",
                   type->name, input->n_variables);
  }
  gannet_free(&point);
  if (moved) return 1;
  if (!has_bad_luck(s, input)) return 0;
  (void)snprintf(output->reason, sizeof output->reason, "failed as ordered by the fail setting");
  return 1;
}
