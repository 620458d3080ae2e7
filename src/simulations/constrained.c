/* Test problems with constraints: a point is feasible when every c is at most 0. */
#include <math.h>
#include <stdbool.h>

#include "simulations/benchmark.h"
#include "simulations/problem_functions.h"
#include "simulations/problems.h"

static double square(double a) {
  return a * a;
}

static double norm(int d, const double *x, double centre) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += square(x[k] - centre);
  return sqrt(sum);
}

static double ackley5(int d, const double *x, double *c) {
  c[0] = 1 - square(norm(d, x, 1) - 5.5);
  double largest = 0;
  for (int k = 0; k < d; ++k) largest = fmax(largest, x[k] * x[k]);
  c[1] = largest - 9;
  return gannet_ackley_value(d, x, c);
}

static int ackley5_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d != 5) return -1;
  gannet_benchmark_cube(d, -5, 3, lower, upper);
  return gannet_benchmark_at(d, 0, 0, minimum, minimizer);
}

GANNET_DEFINE_RUN(ackley5, ackley5)

const gannet_simulation_type gannet_ackley5 = {
    .name = "ackley5",
    .summary = "ackley outside a shell and inside a cube",
    .source = "Neural-CBO, section 4.3.2; [-5, 3]^5, 0 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = ackley5_run,
    .box = ackley5_box,
    .n_constraints = 2,
    .fixed_d = 5,
};

static double branin_disk(int d, const double *x, double *c) {
  c[0] = square(x[0] - 2.5) + square(x[1] - 7.5) - 50;
  return gannet_branin_value(d, x, c);
}

static int branin_disk_box(int d, double *lower, double *upper, double *minimum,
                           double *minimizer) {
  return gannet_branin.box(d, lower, upper, minimum, minimizer);
}

GANNET_DEFINE_RUN(branin_disk, branin_disk)

const gannet_simulation_type gannet_branin_disk = {
    .name = "branin-disk",
    .summary = "branin in a disk that holds one of its three minima",
    .source = "Neural-CBO, section 4.3.2; 0.397887 at (pi, 2.275)",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = branin_disk_run,
    .box = branin_disk_box,
    .n_constraints = 1,
    .fixed_d = 2,
};

/* Operating cost of a gas line with compressors; x4 is named as in the paper, counted from 1. */
static double gas_transmission(int d, const double *x, double *c) {
  (void)d;
  c[0] = (x[3] + 1) / square(x[1]) - 1;
  return 8.61e5 * sqrt(x[0] / x[3]) * x[1] / cbrt(square(x[2])) + 3.69e4 * x[2] +
         7.72e8 / x[0] * pow(x[1], 0.219) - 765.43e6 / x[0];
}

static int gas_transmission_box(int d, double *lower, double *upper, double *minimum,
                                double *minimizer) {
  static const double low[4] = {20, 1, 20, 0.1}, high[4] = {50, 10, 50, 60};
  static const double best[4] = {50, 1.17828395188962, 24.59259011269409, 0.3883530712806194};
  if (d != 4) return -1;
  for (int k = 0; k < d; ++k) {
    lower[k] = low[k];
    upper[k] = high[k];
  }
  return gannet_benchmark_listed(d, 2964895.417339161, best, minimum, minimizer);
}

GANNET_DEFINE_RUN(gas_transmission, gas_transmission)

const gannet_simulation_type gannet_gas_transmission = {
    .name = "gas-transmission",
    .summary = "operating cost of a gas line with compressors",
    .source = "Kumar et al. 2020, thesis section 4.3.3; 2.964895417e6",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = gas_transmission_run,
    .box = gas_transmission_box,
    .n_constraints = 1,
    .fixed_d = 4,
};

static double hartmann6_norm(int d, const double *x, double *c) {
  c[0] = norm(d, x, 0) - 1;
  return gannet_hartmann6_value(d, x, c);
}

static int hartmann6_norm_box(int d, double *lower, double *upper, double *minimum,
                              double *minimizer) {
  return gannet_hartmann6.box(d, lower, upper, minimum, minimizer);
}

GANNET_DEFINE_RUN(hartmann6_norm, hartmann6_norm)

const gannet_simulation_type gannet_hartmann6_norm = {
    .name = "hartmann6-norm",
    .summary = "hartmann6 in the unit ball",
    .source = "Neural-CBO, section 4.3.2; -3.32237",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = hartmann6_norm_run,
    .box = hartmann6_norm_box,
    .n_constraints = 1,
    .fixed_d = 6,
};

/* The angle with atan2: where atan(x1 / x2) differs it does so by pi, a multiple of the period. */
static double simionescu(int d, const double *x, double *c) {
  (void)d;
  c[0] = square(x[0]) + square(x[1]) - square(1 + 0.2 * cos(8 * atan2(x[0], x[1])));
  return 0.1 * x[0] * x[1];
}

/* On the diagonal the bumpy circle has its largest radius, 1.2. */
static int simionescu_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  const double best[2] = {1.2 * sqrt(0.5), -1.2 * sqrt(0.5)};
  if (d != 2) return -1;
  gannet_benchmark_cube(d, -1.25, 1.25, lower, upper);
  return gannet_benchmark_listed(d, -0.072, best, minimum, minimizer);
}

GANNET_DEFINE_RUN(simionescu, simionescu)

const gannet_simulation_type gannet_simionescu = {
    .name = "simionescu",
    .summary = "a saddle inside a bumpy circle",
    .source = "Simionescu 2014; [-1.25, 1.25]^2, -0.072 at (0.848528, -0.848528) and its negative",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = simionescu_run,
    .box = simionescu_box,
    .n_constraints = 1,
    .fixed_d = 2,
};

typedef struct {
  gannet_benchmark_settings benchmark; /* first */
  bool whole_teeth;
} reducer_settings;

static const gannet_option reducer_options[] = {
    GANNET_BENCHMARK_OPTIONS,
    {.key = "whole_teeth",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(reducer_settings, whole_teeth),
     .fallback = "no",
     .help = "round the number of teeth, variable 3, for methods that know real variables only"},
    {0}};

/* Weight of a gear box; x3 (teeth) is whole in engineering use. Constraint 9 as in Kumar et al.:
 * the thesis prints it with a wrong sign. */
static double speed_reducer(const void *user, int d, const double *x, double *c) {
  const reducer_settings *settings = user;
  (void)d;
  const double teeth = settings->whole_teeth ? nearbyint(x[2]) : x[2];
  const double x1 = x[0], x2 = x[1], x3 = teeth, x4 = x[3], x5 = x[4], x6 = x[5], x7 = x[6];
  const double cube6 = x6 * square(x6), cube7 = x7 * square(x7);
  c[0] = 27 - x1 * square(x2) * x3;
  c[1] = 397.5 - x1 * square(x2) * square(x3);
  c[2] = 1.93 - x2 * x6 * cube6 * x3 / (x4 * square(x4));
  c[3] = 1.93 - x2 * x7 * cube7 * x3 / (x5 * square(x5));
  c[4] = 10 / cube6 * sqrt(16.91e6 + square(745 * x4 / (x2 * x3))) - 1100;
  c[5] = 10 / cube7 * sqrt(157.5e6 + square(745 * x5 / (x2 * x3))) - 850;
  c[6] = x2 * x3 - 40;
  c[7] = 5 - x1 / x2;
  c[8] = x1 / x2 - 12;
  c[9] = 1.5 * x6 - x4 + 1.9;
  c[10] = 1.1 * x7 - x5 + 1.9;
  return 0.7854 * x1 * square(x2) * (14.9334 * x3 - 43.0934 + 3.3333 * square(x3)) +
         0.7854 * (x5 * square(x7) + x4 * square(x6)) - 1.508 * x1 * (square(x7) + square(x6)) +
         7.477 * (cube7 + cube6);
}

static int speed_reducer_box(int d, double *lower, double *upper, double *minimum,
                             double *minimizer) {
  static const double low[7] = {2.6, 0.7, 17, 7.3, 7.3, 2.9, 5};
  static const double high[7] = {3.6, 0.8, 28, 8.3, 8.3, 3.9, 5.5};
  static const double best[7] = {
      3.5, 0.7, 17, 7.3, 7.715319911478243, 3.350540949105892, 5.286654464980221};
  if (d != 7) return -1;
  for (int k = 0; k < d; ++k) {
    lower[k] = low[k];
    upper[k] = high[k];
  }
  return gannet_benchmark_listed(d, 2994.424465756736, best, minimum, minimizer);
}

static int speed_reducer_run(const void *settings, const gannet_simulation_input *input,
                             gannet_simulation_output *output, gannet_quantity *quantities) {
  const reducer_settings *own = settings;
  const gannet_benchmark_problem problem = {.type = &gannet_speed_reducer,
                                            .value = speed_reducer,
                                            .user = own,
                                            .variant = own->whole_teeth ? "whole" : ""};
  return gannet_benchmark_run_problem(&problem, settings, input, output, quantities);
}

const gannet_simulation_type gannet_speed_reducer = {
    .name = "speed-reducer",
    .summary = "weight of a gear box",
    .source = "Kumar et al. 2020, thesis section 4.3.4; 2994.42447",
    .options = reducer_options,
    .options_size = sizeof(reducer_settings),
    .run = speed_reducer_run,
    .box = speed_reducer_box,
    .n_constraints = 11,
    .fixed_d = 7,
};
