/* Test problems of fixed dimension. */
#include <math.h>

#include "simulations/benchmark.h"
#include "simulations/physics.h"
#include "simulations/problems.h"

static const double pi = 3.14159265358979323846;

static double square(double a) {
  return a * a;
}

double gannet_branin_value(int d, const double *x, double *c) {
  (void)d;
  (void)c;
  const double b = 5.1 / (4 * pi * pi), s = 10 - 10 / (8 * pi);
  return square(x[1] - b * x[0] * x[0] + 5 / pi * x[0] - 6) + s * cos(x[0]) + 10;
}

/* At (pi, 2.275) the square vanishes, which leaves 10 / (8 pi). */
static int branin_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  const double best[2] = {pi, 2.275};
  if (d != 2) return -1;
  lower[0] = -5, upper[0] = 10;
  lower[1] = 0, upper[1] = 15;
  return gannet_benchmark_listed(d, 10 / (8 * pi), best, minimum, minimizer);
}

static int branin_run(const void *settings, const gannet_simulation_input *input,
                      gannet_simulation_output *output) {
  return gannet_benchmark_run(&gannet_branin, gannet_branin_value, settings, input, output);
}

const gannet_simulation_type gannet_branin = {
    .name = "branin",
    .summary = "three equal minima",
    .source = "Branin 1972; [-5, 10] x [0, 15], 0.397887 at (pi, 2.275)",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = branin_run,
    .box = branin_box,
    .fixed_d = 2,
};

static double drop_wave(int d, const double *x, double *c) {
  (void)d;
  (void)c;
  const double r2 = x[0] * x[0] + x[1] * x[1];
  return -(1 + cos(12 * sqrt(r2))) / (0.5 * r2 + 2);
}

static int drop_wave_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d != 2) return -1;
  gannet_benchmark_cube(d, -5.12, 5.12, lower, upper);
  return gannet_benchmark_at(d, -1, 0, minimum, minimizer);
}

static int drop_wave_run(const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output) {
  return gannet_benchmark_run(&gannet_drop_wave, drop_wave, settings, input, output);
}

const gannet_simulation_type gannet_drop_wave = {
    .name = "drop-wave",
    .summary = "rings around one minimum",
    .source = "[-5.12, 5.12]^2, -1 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = drop_wave_run,
    .box = drop_wave_box,
    .physics = gannet_physics_drop_wave,
    .fixed_d = 2,
};

double gannet_hartmann6_value(int d, const double *x, double *c) {
  static const double weight[4] = {1, 1.2, 3, 3.2};
  static const double steep[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                     {0.05, 10, 17, 0.1, 8, 14},
                                     {3, 3.5, 1.7, 10, 17, 8},
                                     {17, 8, 0.05, 10, 0.1, 14}};
  static const double centre[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                      {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                      {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                      {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0;
  (void)c;
  for (int i = 0; i < 4; ++i) {
    double distance = 0;
    for (int k = 0; k < d; ++k) distance += steep[i][k] * square(x[k] - centre[i][k]);
    sum -= weight[i] * exp(-distance);
  }
  return sum;
}

static const double hartmann6_best[6] = {0.2016895110067054, 0.150010691823458,
                                         0.476873974221897,  0.2753324304940561,
                                         0.3116516166001133, 0.6573005340656204};

static int hartmann6_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d != 6) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_listed(d, -3.322368011415515, hartmann6_best, minimum, minimizer);
}

static int hartmann6_run(const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output) {
  return gannet_benchmark_run(&gannet_hartmann6, gannet_hartmann6_value, settings, input, output);
}

const gannet_simulation_type gannet_hartmann6 = {
    .name = "hartmann6",
    .summary = "six local minima in six dimensions",
    .source = "Hartman 1973; [0, 1]^6, -3.32237",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = hartmann6_run,
    .box = hartmann6_box,
    .fixed_d = 6,
};

/* Displacement of a beam whose stiffness varies, raised by 6 so that it is positive. */
static double beam(int d, const double *x, double *c) {
  (void)d;
  (void)c;
  const double s = x[0], e2 = exp(2 * s);
  return e2 * sin(20 * s) + sin(4 * pi * e2) + 0.4 * s * s * s + 0.2 * s * s + 6;
}

static int beam_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d != 1) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_at(d, 0.057603663854121285, 0.883697129924275548, minimum, minimizer);
}

static int beam_run(const void *settings, const gannet_simulation_input *input,
                    gannet_simulation_output *output) {
  return gannet_benchmark_run(&gannet_beam, beam, settings, input, output);
}

const gannet_simulation_type gannet_beam = {
    .name = "beam",
    .summary = "displacement along an Euler-Bernoulli beam of varying stiffness",
    .source = "PINN-BO, thesis section 5.4.3.2, integrated; [0, 1], 0.0576037 at 0.883697",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = beam_run,
    .box = beam_box,
    .physics = gannet_physics_beam,
    .fixed_d = 1,
};
