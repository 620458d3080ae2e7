/* The problems of Zitzler, Deb and Thiele 2000: two objectives, f1 of the first variable alone. The
 * others make the distance g to the front, which is at g = 1.
 *
 * The reference (11, 11) is that of Yang et al. 2019. Its hypervolume is the integral over f1 from
 * the left end of the front to 11 of 11 minus the lowest f2 up to there.
 */
#include <math.h>

#include "simulations/fronts/front.h"
#include "simulations/problems.h"

static const double pi = 3.14159265358979323846;

static int zdt_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 2) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

/* 1 + 9 times the mean of the variables after the first. */
static double linear_distance(int d, const double *x) {
  double sum = 0;
  for (int k = 1; k < d; ++k) sum += x[k];
  return 1 + 9 * sum / (d - 1);
}

static void zdt1(int m, int d, const double *x, double *f, double *c) {
  const double g = linear_distance(d, x);
  (void)m, (void)c;
  f[0] = x[0];
  f[1] = g * (1 - sqrt(x[0] / g));
}

GANNET_DEFINE_FIXED_FRONT(zdt1, zdt1, 2, 120 + 2.0 / 3, 11, 11)
#define zdt1_box zdt_box

const gannet_simulation_type gannet_zdt1 = {
    .name = "zdt1",
    .summary = "two objectives, a convex front",
    .source = "Zitzler, Deb, Thiele 2000; [0, 1]^d, hypervolume 120 2/3 for (11, 11)",
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(zdt1),
};

static void zdt2(int m, int d, const double *x, double *f, double *c) {
  const double g = linear_distance(d, x);
  (void)m, (void)c;
  f[0] = x[0];
  f[1] = g * (1 - (x[0] / g) * (x[0] / g));
}

GANNET_DEFINE_FIXED_FRONT(zdt2, zdt2, 2, 120 + 1.0 / 3, 11, 11)
#define zdt2_box zdt_box

const gannet_simulation_type gannet_zdt2 = {
    .name = "zdt2",
    .summary = "two objectives, a concave front",
    .source = "Zitzler, Deb, Thiele 2000; [0, 1]^d, hypervolume 120 1/3 for (11, 11)",
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(zdt2),
};

static void zdt3(int m, int d, const double *x, double *f, double *c) {
  const double g = linear_distance(d, x);
  (void)m, (void)c;
  f[0] = x[0];
  f[1] = g * (1 - sqrt(x[0] / g) - x[0] / g * sin(10 * pi * x[0]));
}

GANNET_DEFINE_FIXED_FRONT(zdt3, zdt3, 2, 128.7781161306908, 11, 11)
#define zdt3_box zdt_box

const gannet_simulation_type gannet_zdt3 = {
    .name = "zdt3",
    .summary = "two objectives, a front of five pieces",
    .source = "Zitzler, Deb, Thiele 2000; [0, 1]^d, hypervolume 128.77811613069 for (11, 11)",
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(zdt3),
};

static void zdt4(int m, int d, const double *x, double *f, double *c) {
  double g = 1;
  (void)m, (void)c;
  for (int k = 1; k < d; ++k) g += x[k] * x[k] + 10 * (1 - cos(4 * pi * x[k]));
  f[0] = x[0];
  f[1] = g * (1 - sqrt(x[0] / g));
}

static int zdt4_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 2) return -1;
  gannet_benchmark_cube(d, -5, 5, lower, upper);
  lower[0] = 0, upper[0] = 1;
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

GANNET_DEFINE_FIXED_FRONT(zdt4, zdt4, 2, 120 + 2.0 / 3, 11, 11)

const gannet_simulation_type gannet_zdt4 = {
    .name = "zdt4",
    .summary = "two objectives, 21^(d-1) local fronts",
    .source = "Zitzler, Deb, Thiele 2000; [0, 1] x [-5, 5]^(d-1), 120 2/3 for (11, 11)",
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(zdt4),
};

static void zdt6(int m, int d, const double *x, double *f, double *c) {
  const double g = 1 + 9 * pow((linear_distance(d, x) - 1) / 9, 0.25);
  (void)m, (void)c;
  f[0] = 1 - exp(-4 * x[0]) * pow(sin(6 * pi * x[0]), 6);
  f[1] = g * (1 - (f[0] / g) * (f[0] / g));
}

/* f1 begins at a = 0.28077531881536970, and f2 = 1 - f1^2: 120 + 1/3 - 10 a - a^3/3. */
GANNET_DEFINE_FIXED_FRONT(zdt6, zdt6, 2, 117.51820185838243, 11, 11)
#define zdt6_box zdt_box

const gannet_simulation_type gannet_zdt6 = {
    .name = "zdt6",
    .summary = "two objectives, few designs near a concave front, crowded at one end",
    .source = "Zitzler, Deb, Thiele 2000; [0, 1]^d, 117.518 for (11, 11)",
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(zdt6),
};
