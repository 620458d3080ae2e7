/* Test problems without constraints, but for families in files of their own. */
#include "simulations/problems.h"

#include <math.h>
#include <stdbool.h>

#include "simulations/benchmark.h"
#include "simulations/physics.h"
#include "simulations/problem_functions.h"

static const double pi = 3.14159265358979323846;

static double square(double a) {
  return a * a;
}

/* Problems of any dimension. */

/* Written with expm1, so that the minimum is exactly 0. */
double gannet_ackley_value(int d, const double *x, double *c) {
  double squares = 0, cosines = 0;
  (void)c;
  for (int k = 0; k < d; ++k) {
    squares += x[k] * x[k];
    cosines += cos(2 * pi * x[k]) - 1;
  }
  return -20 * expm1(-0.2 * sqrt(squares / d)) - exp(1) * expm1(cosines / d);
}

static int ackley_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -32.768, 32.768, lower, upper);
  return gannet_benchmark_at(d, 0, 0, minimum, minimizer);
}

GANNET_DEFINE_RUN(ackley, gannet_ackley_value)

const gannet_simulation_type gannet_ackley = {
    .name = "ackley",
    .summary = "many local minima on a nearly flat plain around one funnel",
    .source = "Ackley 1987; [-32.768, 32.768]^d, 0 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = ackley_run,
    .box = ackley_box,
};

static double cosine_mixture(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k < d; ++k) sum += 0.1 * cos(5 * pi * x[k]) + x[k] * x[k];
  return sum;
}

/* One of 2^d minima, at the first root of 2 x = pi/2 sin(5 pi x) beyond 0. */
static int cosine_mixture_box(int d, double *lower, double *upper, double *minimum,
                              double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -1, 1, lower, upper);
  return gannet_benchmark_at(d, -0.06301220217625031 * d, 0.18487282318291573, minimum, minimizer);
}

GANNET_DEFINE_RUN(cosine_mixture, cosine_mixture)

const gannet_simulation_type gannet_cosine_mixture = {
    .name = "cosine-mixture",
    .summary = "separable, 2^d equal minima",
    .source = "Breiman and Cutler 1993, minimised as in PINN-BO; [-1, 1]^d",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = cosine_mixture_run,
    .box = cosine_mixture_box,
    .physics = gannet_physics_cosine_mixture,
};

/* The network of GO-UCB with 25 sigmoid units and all weights and biases 1, negated. */
static double goucb_f1(int d, const double *x, double *c) {
  double sum = 1;
  (void)c;
  for (int k = 0; k < d; ++k) sum += x[k];
  return -(25 / (1 + exp(-sum)) + 1);
}

/* The largest value at a corner of the box: computed, since it depends on d. */
static int goucb_f1_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  return gannet_benchmark_at(d, -(25 / (1 + exp(-(5.0 * d + 1))) + 1), 5, minimum, minimizer);
}

GANNET_DEFINE_RUN(goucb_f1, goucb_f1)

const gannet_simulation_type gannet_goucb_f1 = {
    .name = "goucb-f1",
    .summary =
        "GO-UCB f1 with its sign turned: a network of 25 sigmoid units (the paper maximises)",
    .source = "GO-UCB (Liu, Wang 2023), section 6.1; [-5, 5]^d, best at 5",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = goucb_f1_run,
    .box = goucb_f1_box,
};

static double griewank(int d, const double *x, double *c) {
  double sum = 0, product = 1;
  (void)c;
  for (int k = 0; k < d; ++k) {
    sum += x[k] * x[k];
    product *= cos(x[k] / sqrt(k + 1));
  }
  return sum / 4000 + (1 - product);
}

static int griewank_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -600, 600, lower, upper);
  return gannet_benchmark_at(d, 0, 0, minimum, minimizer);
}

GANNET_DEFINE_RUN(griewank, griewank)

const gannet_simulation_type gannet_griewank = {
    .name = "griewank",
    .summary = "a bowl with many shallow ripples",
    .source = "Griewank 1981; [-600, 600]^d, 0 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = griewank_run,
    .box = griewank_box,
};

static double levy(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k < d; ++k) {
    const double w = 1 + (x[k] - 1) / 4;
    if (k == 0) sum += square(sin(pi * w));
    sum += square(w - 1) *
           (k + 1 < d ? 1 + 10 * square(sin(pi * w + 1)) : 1 + square(sin(2 * pi * w)));
  }
  return sum;
}

static int levy_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -10, 10, lower, upper);
  return gannet_benchmark_at(d, 0, 1, minimum, minimizer);
}

GANNET_DEFINE_RUN(levy, levy)

const gannet_simulation_type gannet_levy = {
    .name = "levy",
    .summary = "ripples on a bowl, narrow valleys",
    .source = "Levy and Montalvo 1985; [-10, 10]^d, 0 at 1",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = levy_run,
    .box = levy_box,
};

/* Term k (from 1) of Michalewicz' sum with m = 10. */
static double michalewicz_term(int k, double x) {
  return -sin(x) * pow(square(sin(k * x * x / pi)), 10);
}

static double michalewicz(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k < d; ++k) sum += michalewicz_term(k + 1, x[k]);
  return sum;
}

/* The minimum of term k within lobe j, pi sqrt(j/k) <= x <= pi sqrt((j+1)/k), by golden section. */
static double search_lobe(int k, int j) {
  const double golden = 0.6180339887498949;
  double low = pi * sqrt((double)j / k), high = pi * sqrt((j + 1.0) / k);
  for (int step = 0; step < 80; ++step) {
    const double left = high - golden * (high - low), right = low + golden * (high - low);
    if (michalewicz_term(k, left) < michalewicz_term(k, right))
      high = right;
    else
      low = left;
  }
  return (low + high) / 2;
}

/* The best lobe is one of those around x = pi/2, where lobe k/4 lies. */
static double search_term(int k) {
  double best = pi / 2;
  for (int j = k / 4 - 2; j <= k / 4 + 2; ++j) {
    if (j < 0 || j >= k) continue;
    const double x = search_lobe(k, j);
    if (michalewicz_term(k, x) < michalewicz_term(k, best)) best = x;
  }
  return best;
}

/* Separable: the minimum is the sum of the minima of the terms. */
static int michalewicz_box(int d, double *lower, double *upper, double *minimum,
                           double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, 0, pi, lower, upper);
  if (minimum) *minimum = 0;
  for (int k = 0; k < d && (minimum || minimizer); ++k) {
    const double x = search_term(k + 1);
    if (minimum) *minimum += michalewicz_term(k + 1, x);
    if (minimizer) minimizer[k] = x;
  }
  return 0;
}

GANNET_DEFINE_RUN(michalewicz, michalewicz)

const gannet_simulation_type gannet_michalewicz = {
    .name = "michalewicz",
    .summary = "steep valleys, d! local minima (steepness m = 10)",
    .source = "Michalewicz 1992; [0, pi]^d",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = michalewicz_run,
    .box = michalewicz_box,
    .physics = gannet_physics_michalewicz,
};

static double rastrigin(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k < d; ++k) sum += x[k] * x[k] + 10 * (1 - cos(2 * pi * x[k]));
  return sum;
}

static int rastrigin_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5.12, 5.12, lower, upper);
  return gannet_benchmark_at(d, 0, 0, minimum, minimizer);
}

GANNET_DEFINE_RUN(rastrigin, rastrigin)

const gannet_simulation_type gannet_rastrigin = {
    .name = "rastrigin",
    .summary = "a bowl with deep regular ripples",
    .source = "Rastrigin 1974; [-5.12, 5.12]^d, 0 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = rastrigin_run,
    .box = rastrigin_box,
    .physics = gannet_physics_rastrigin,
};

static int goucb_f3_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  return gannet_benchmark_at(d, 0, 0, minimum, minimizer);
}

GANNET_DEFINE_RUN(goucb_f3, rastrigin)

const gannet_simulation_type gannet_goucb_f3 = {
    .name = "goucb-f3",
    .summary = "GO-UCB f3 with its sign turned: rastrigin on a smaller box",
    .source = "GO-UCB (Liu, Wang 2023), section 6.1; [-5, 5]^d, 0 at 0",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = goucb_f3_run,
    .box = goucb_f3_box,
    .physics = gannet_physics_rastrigin,
};

static double rosenbrock(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k + 1 < d; ++k) sum += 100 * square(x[k + 1] - x[k] * x[k]) + square(1 - x[k]);
  return sum;
}

static int rosenbrock_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 2) return -1;
  gannet_benchmark_cube(d, -5, 10, lower, upper);
  return gannet_benchmark_at(d, 0, 1, minimum, minimizer);
}

GANNET_DEFINE_RUN(rosenbrock, rosenbrock)

const gannet_simulation_type gannet_rosenbrock = {
    .name = "rosenbrock",
    .summary = "a long curved valley",
    .source = "Rosenbrock 1960; [-5, 10]^d, 0 at 1",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = rosenbrock_run,
    .box = rosenbrock_box,
};

static double styblinski_tang(int d, const double *x, double *c) {
  double sum = 0;
  (void)c;
  for (int k = 0; k < d; ++k) sum += 0.5 * (square(x[k] * x[k]) - 16 * x[k] * x[k] + 5 * x[k]);
  return sum;
}

/* At the lowest root of 4 x^3 - 32 x + 5 = 0. */
static int styblinski_tang_box(int d, double *lower, double *upper, double *minimum,
                               double *minimizer) {
  if (d < 1) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  return gannet_benchmark_at(d, -39.16616570377141 * d, -2.903534027771177, minimum, minimizer);
}

GANNET_DEFINE_RUN(styblinski_tang, styblinski_tang)

const gannet_simulation_type gannet_styblinski_tang = {
    .name = "styblinski-tang",
    .summary = "separable, 2^d minima of different depth",
    .source = "Styblinski and Tang 1990; [-5, 5]^d, -39.16617 d at -2.903534",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = styblinski_tang_run,
    .box = styblinski_tang_box,
    .physics = gannet_physics_styblinski_tang,
};

GANNET_DEFINE_RUN(goucb_f2, styblinski_tang)

const gannet_simulation_type gannet_goucb_f2 = {
    .name = "goucb-f2",
    .summary = "GO-UCB f2 with its sign turned: the same as styblinski-tang",
    .source = "GO-UCB (Liu, Wang 2023), section 6.1; [-5, 5]^d",
    .options = gannet_benchmark_options,
    .options_size = sizeof(gannet_benchmark_settings),
    .run = goucb_f2_run,
    .box = styblinski_tang_box,
    .physics = gannet_physics_styblinski_tang,
};

/* Problems of a fixed dimension. */

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

GANNET_DEFINE_RUN(branin, gannet_branin_value)

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

GANNET_DEFINE_RUN(drop_wave, drop_wave)

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

GANNET_DEFINE_RUN(hartmann6, gannet_hartmann6_value)

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

GANNET_DEFINE_RUN(beam, beam)

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
