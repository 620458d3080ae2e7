#include "simulations/benchmark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "simulations/once.h"

/* Iterations of the streams (seed, GANNET_FOR_SIMULATION, iteration, index). */
enum { FOR_NOISE = 1, FOR_FAILURE = 2 };

const gannet_option gannet_benchmark_options[] = {GANNET_BENCHMARK_OPTIONS, {0}};

void gannet_benchmark_cube(int d, double low, double high, double *lower, double *upper) {
  for (int k = 0; k < d; ++k) {
    lower[k] = low;
    upper[k] = high;
  }
}

int gannet_benchmark_at(int d, double value, double at_value, double *minimum, double *minimizer) {
  if (minimum) *minimum = value;
  for (int k = 0; minimizer && k < d; ++k) minimizer[k] = at_value;
  return 0;
}

int gannet_benchmark_listed(int d, double value, const double *point, double *minimum,
                            double *minimizer) {
  if (minimum) *minimum = value;
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

/* Which of several objectives a name is, counted from 0; -1 for none. */
static int objective_index(const gannet_simulation_type *type, const void *settings,
                           const char *name) {
  const char *known = "";
  for (int k = 0; type->name_quantity && known; ++k) {
    known = type->name_quantity(settings, k);
    if (known && strcmp(known, name) == 0) return k;
  }
  return -1;
}

/* A bound on one of several objectives is a constraint, too. */
static int check_constraints(const gannet_simulation_type *type, const void *settings,
                             const gannet_simulation_input *input, char reason[256]) {
  for (int i = 0; i < input->n_constraints; ++i) {
    const char *name = input->constraint_names[i];
    if (constraint_index(name, type->n_constraints) >= 0) continue;
    if (objective_index(type, settings, name) >= 0) continue;
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
static int shift_point(const gannet_simulation_type *type, double shift,
                       const gannet_simulation_input *input, double *point, double *scratch) {
  const int d = input->n_variables;
  double *lower = scratch, *upper = scratch + d;
  if (type->fixed_d && type->fixed_d != d) return -1;
  if (type->box(d, lower, upper, NULL, NULL)) return -1; /* finding the minimum may take long */
  for (int k = 0; k < d; ++k) point[k] = input->x[k] - shift * (upper[k] - lower[k]);
  return 0;
}

static int count_objectives(const gannet_benchmark_problem *problem) {
  return problem->values ? problem->n_objectives : 1;
}

/* The objectives f and the constraints c at a point. Returns false where one of f is not finite. */
static bool find_values(const gannet_benchmark_problem *problem, int d, const double *x, double *f,
                        double *c) {
  bool finite = true;
  if (problem->values)
    problem->values(problem->user, d, x, f, c);
  else
    f[0] = problem->value(problem->user, d, x, c);
  for (int k = 0; k < count_objectives(problem); ++k) finite = finite && isfinite(f[k]);
  return finite;
}

/* Standard deviation of each objective over uniform points of the box, counted once per process;
 * points without a value do not count. */
static gannet_err measure_spread(const gannet_benchmark_problem *problem, int d, double *sd) {
  enum { POINTS = 10000, MOST = GANNET_BENCHMARK_OBJECTIVES_MOST };
  double c[GANNET_BENCHMARK_CONSTRAINTS_MOST], f[MOST], mean[MOST] = {0}, squares[MOST] = {0};
  double minimum = 0, *x = NULL;
  char key[128];
  int n = 0;
  const int m = count_objectives(problem);
  (void)snprintf(key, sizeof key, "spread of %s %d %s", problem->type->name, d, problem->variant);
  double *known = gannet_once_find(key);
  if (known) {
    memcpy(sd, known, (size_t)m * sizeof *sd);
    return GANNET_OK;
  }
  const size_t size = (size_t)d;
  GANNET_TRY(gannet_alloc(3 * size, sizeof *x, &x));
  double *lower = x + size, *upper = lower + size;
  (void)problem->type->box(d, lower, upper, &minimum, NULL);
  for (int i = 0; i < POINTS; ++i) {
    const gannet_stream stream = {1, GANNET_FOR_SIMULATION, 0, 0};
    gannet_random_uniform(stream, (uint64_t)i * size, size, x);
    for (size_t k = 0; k < size; ++k) x[k] = lower[k] + x[k] * (upper[k] - lower[k]);
    if (!find_values(problem, d, x, f, c)) continue;
    n += 1;
    for (int k = 0; k < m; ++k) {
      const double away = f[k] - mean[k];
      mean[k] += away / n;
      squares[k] += away * (f[k] - mean[k]);
    }
  }
  gannet_free(&x);
  GANNET_TRY(gannet_alloc((size_t)m, sizeof *known, &known));
  for (int k = 0; k < m; ++k) sd[k] = known[k] = n > 1 ? sqrt(squares[k] / (n - 1)) : 0;
  return gannet_once_keep(key, known);
}

/* Standard deviations of the noise that both settings ask for, one for each objective. */
static gannet_err noise_sd(const gannet_benchmark_problem *problem,
                           const gannet_benchmark_settings *settings, int d, double *sd) {
  const double published = problem->type->n_constraints > 0 ? 0.05 : 0.1;
  const double share = isnan(settings->noise) ? published : settings->noise;
  for (int k = 0; k < count_objectives(problem); ++k) sd[k] = 0;
  if (share > 0) GANNET_TRY(measure_spread(problem, d, sd));
  for (int k = 0; k < count_objectives(problem); ++k)
    sd[k] = hypot(settings->noise_sd, share * sd[k]);
  return GANNET_OK;
}

/* Put noise on the objectives, and report them with the constraints. */
static void report_result(const gannet_benchmark_problem *problem, const void *settings,
                          const double *sd, const gannet_simulation_input *input, double *f,
                          const double *c, gannet_simulation_output *output,
                          gannet_quantity *quantities) {
  const gannet_simulation_type *type = problem->type;
  const gannet_stream stream = {input->seed, GANNET_FOR_SIMULATION, FOR_NOISE, 0};
  int rank = 0;
  for (int k = 0; k < count_objectives(problem); ++k) {
    double noise = 0;
    if (sd[k] > 0) gannet_random_normal(stream, (uint64_t)k, 1, &noise);
    f[k] += sd[k] * noise;
  }
  if (!problem->values) {
    output->objective = f[0];
  } else {
    for (int k = 0; k < problem->n_objectives; ++k)
      quantities[k] = (gannet_quantity){.name = type->name_quantity(settings, k), .value = f[k]};
    output->n_quantities = problem->n_objectives;
    output->quantities = quantities;
  }
  (void)MPI_Comm_rank(input->comm, &rank);
  for (int i = 0; rank == 0 && i < input->n_constraints; ++i) {
    const int k = objective_index(type, settings, input->constraint_names[i]);
    output->constraints[i] =
        k >= 0 ? f[k] : c[constraint_index(input->constraint_names[i], type->n_constraints)];
  }
}

/* The point is [3 * d]: moved, and workspace. */
static int evaluate_point(const gannet_benchmark_problem *problem, const void *chosen,
                          const gannet_simulation_input *input, double *point,
                          gannet_simulation_output *output, gannet_quantity *quantities) {
  double c[GANNET_BENCHMARK_CONSTRAINTS_MOST] = {0}, f[GANNET_BENCHMARK_OBJECTIVES_MOST] = {0};
  double sd[GANNET_BENCHMARK_OBJECTIVES_MOST];
  const gannet_benchmark_settings *settings = chosen;
  const int d = input->n_variables;
  const int least = problem->type->least_d ? problem->type->least_d(chosen) : 0;
  if (d < least || shift_point(problem->type, settings->shift, input, point, point + d)) {
    (void)snprintf(output->reason, sizeof output->reason, "%s does not exist in %d dimensions",
                   problem->type->name, d);
    return 1;
  }
  if (noise_sd(problem, settings, d, sd) != GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  const bool finite = find_values(problem, d, point, f, c);
  /* A signal may end a sleep early: the rest is slept, as a computation would go on. */
  const double end = gannet_clock_seconds() + settings->delay;
  for (double left = settings->delay; left > 0; left = end - gannet_clock_seconds())
    gannet_clock_sleep(left);
  if (finite) {
    report_result(problem, settings, sd, input, f, c, output, quantities);
    return 0;
  }
  output->cannot_run = 1;
  (void)snprintf(output->reason, sizeof output->reason, "%s is not finite here",
                 problem->values ? "an objective" : "the objective");
  return 0;
}

int gannet_benchmark_run_problem(const gannet_benchmark_problem *problem, const void *settings,
                                 const gannet_simulation_input *input,
                                 gannet_simulation_output *output, gannet_quantity *quantities) {
  const gannet_benchmark_settings *chosen = settings;
  const size_t d = (size_t)input->n_variables;
  double *point = NULL;
  output->cannot_run = 0;
  output->reason[0] = '\0';
  if (check_constraints(problem->type, settings, input, output->reason)) return 1;
  if (gannet_alloc(3 * d, sizeof *point, &point) != GANNET_OK) {
    (void)snprintf(output->reason, sizeof output->reason, "%s", gannet_error_message());
    return 1;
  }
  const int failed = evaluate_point(problem, settings, input, point, output, quantities);
  gannet_free(&point);
  if (failed) return 1;
  const gannet_stream luck = {input->seed, GANNET_FOR_SIMULATION, FOR_FAILURE,
                              (uint64_t)input->attempt};
  double u;
  gannet_random_uniform(luck, 0, 1, &u);
  if (!(u < chosen->fail)) return 0;
  (void)snprintf(output->reason, sizeof output->reason, "failed as ordered by the fail setting");
  return 1;
}

typedef struct {
  gannet_benchmark_function function;
} plain;

static double plain_value(const void *user, int d, const double *x, double *c) {
  return ((const plain *)user)->function(d, x, c);
}

int gannet_benchmark_run(const gannet_simulation_type *type, gannet_benchmark_function function,
                         const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output, gannet_quantity *quantities) {
  const plain user = {function};
  const gannet_benchmark_problem problem = {
      .type = type, .value = plain_value, .user = &user, .variant = ""};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

typedef struct {
  gannet_benchmark_functions functions;
  int m;
} several;

static void several_values(const void *user, int d, const double *x, double *f, double *c) {
  const several *own = user;
  own->functions(own->m, d, x, f, c);
}

int gannet_benchmark_run_several(const gannet_simulation_type *type,
                                 gannet_benchmark_functions functions, int m, const void *settings,
                                 const gannet_simulation_input *input,
                                 gannet_simulation_output *output, gannet_quantity *quantities) {
  const several user = {functions, m};
  char variant[16];
  (void)snprintf(variant, sizeof variant, "of %d", m);
  const gannet_benchmark_problem problem = {
      .type = type, .n_objectives = m, .values = several_values, .user = &user, .variant = variant};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}
