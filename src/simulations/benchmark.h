/* What the test problems share: settings, checks of names and sizes, and disturbances: noise,
 * delay, failures and a shift of the landscape.
 *
 * A test problem takes variables in their order, whatever their names. Its constraints have the
 * names c1, c2, ...; a constraint is kept when it is at most 0. Several objectives have names of
 * their own and are all minimised; a campaign may bound one of them as a constraint.
 */
#ifndef GANNET_SIMULATIONS_BENCHMARK_H
#define GANNET_SIMULATIONS_BENCHMARK_H

#include "evaluate/simulation.h"

enum { GANNET_BENCHMARK_CONSTRAINTS_MOST = 16, GANNET_BENCHMARK_OBJECTIVES_MOST = 5 };

typedef struct {
  double noise_sd; /* objective units, the same for each of several objectives */
  double noise;    /* share of each objective's s.d. over uniform points; NAN = as published */
  double delay;    /* seconds */
  double fail;     /* probability */
  double shift;    /* share of the box */
} gannet_benchmark_settings;

/* The entries of an option table whose struct begins with gannet_benchmark_settings. */
#define GANNET_BENCHMARK_OPTIONS                                                               \
  {.key = "noise_sd",                                                                          \
   .type = GANNET_REAL,                                                                        \
   .offset = offsetof(gannet_benchmark_settings, noise_sd),                                    \
   .fallback = "0",                                                                            \
   .lower = 0,                                                                                 \
   .upper = HUGE_VAL,                                                                          \
   .unit = "objective units",                                                                  \
   .help = "standard deviation of Gaussian noise on the objective, or on each of several"},    \
      {.key = "noise",                                                                         \
       .type = GANNET_REAL,                                                                    \
       .offset = offsetof(gannet_benchmark_settings, noise),                                   \
       .fallback = "0",                                                                        \
       .lower = 0,                                                                             \
       .upper = 100,                                                                           \
       .flags = GANNET_OPTION_AUTO,                                                            \
       .unit = "standard deviations of the problem over 10000 uniform points",                 \
       .help =                                                                                 \
           "the same as a share; auto = as published, 0.1, or 0.05 for problems with "         \
           "constraints"},                                                                     \
      {.key = "delay",                                                                         \
       .type = GANNET_DURATION,                                                                \
       .offset = offsetof(gannet_benchmark_settings, delay),                                   \
       .fallback = "0",                                                                        \
       .lower = 0,                                                                             \
       .upper = HUGE_VAL,                                                                      \
       .help = "time to sleep, to imitate a costly run"},                                      \
      {.key = "fail",                                                                          \
       .type = GANNET_REAL,                                                                    \
       .offset = offsetof(gannet_benchmark_settings, fail),                                    \
       .fallback = "0",                                                                        \
       .lower = 0,                                                                             \
       .upper = 1,                                                                             \
       .unit = "probability",                                                                  \
       .help = "how often a run fails by bad luck"},                                           \
  {                                                                                            \
    .key = "shift", .type = GANNET_REAL, .offset = offsetof(gannet_benchmark_settings, shift), \
    .fallback = "0", .lower = -1, .upper = 1, .unit = "share of the box",                      \
    .help = "moves the landscape along every axis, so that its minimum leaves the centre"      \
  }

extern const gannet_option gannet_benchmark_options[];

/* The function of a test problem: returns the objective and sets the constraints, if there are any.
 *
 * Local.
 */
typedef double (*gannet_benchmark_function)(int d, const double *x, double *c);

/* The functions of a test problem with m objectives: sets f [m] and the constraints, if there are
 * any.
 *
 * Local.
 */
typedef void (*gannet_benchmark_functions)(int m, int d, const double *x, double *f, double *c);

/* A test problem whose function needs more than the point: it has value for one objective, or
 * values for several, whose names are those of the type's quantities. */
typedef struct {
  const gannet_simulation_type *type;
  double (*value)(const void *user, int d, const double *x, double *c);
  void (*values)(const void *user, int d, const double *x, double *f, double *c);
  int n_objectives; /* of values; at most GANNET_BENCHMARK_OBJECTIVES_MOST */
  const void *user;
  const char *variant; /* the settings that change the function, as a text; "" = none do */
} gannet_benchmark_problem;

/* Run a test problem: values at the point moved by shift, noise, delay, failures at random.
 *
 * Settings begin with gannet_benchmark_settings. The noise depends on input->seed only; failures on
 * the seed and the attempt, so that a retry may succeed. At a point whose value is not finite the
 * simulation cannot run.
 *
 * Logically collective over input->comm: every rank computes the same.
 *
 * m  in  number of objectives of functions, for gannet_benchmark_run_several
 *
 * Returns 0, or 1 with a reason: a dimension or a constraint that the problem does not have, a
 * failure that was ordered by the fail setting.
 */
int gannet_benchmark_run(const gannet_simulation_type *type, gannet_benchmark_function function,
                         const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output, gannet_quantity *quantities);
int gannet_benchmark_run_problem(const gannet_benchmark_problem *problem, const void *settings,
                                 const gannet_simulation_input *input,
                                 gannet_simulation_output *output, gannet_quantity *quantities);
int gannet_benchmark_run_several(const gannet_simulation_type *type,
                                 gannet_benchmark_functions functions, int m, const void *settings,
                                 const gannet_simulation_input *input,
                                 gannet_simulation_output *output, gannet_quantity *quantities);

/* A box with the same bounds for every variable.
 *
 * Local.
 */
void gannet_benchmark_cube(int d, double low, double high, double *lower, double *upper);

/* A minimum at the same value of every variable. Returns 0.
 *
 * Local.
 */
int gannet_benchmark_at(int d, double value, double at_value, double *minimum, double *minimizer);

/* A minimum at a listed point. Returns 0.
 *
 * Local.
 */
int gannet_benchmark_listed(int d, double value, const double *point, double *minimum,
                            double *minimizer);

#endif
