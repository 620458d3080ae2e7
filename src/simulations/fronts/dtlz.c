/* The problems of Deb, Thiele, Laumanns and Zitzler 2005, for two to five objectives M: the first
 * M - 1 variables give the place on the front, the others the distance g to it.
 */
#include <math.h>

#include "simulations/fronts/front.h"
#include "simulations/problems.h"

static const double pi = 3.14159265358979323846;

static int dtlz_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 3) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

static int dtlz_least_d(const void *settings) {
  return ((const gannet_front_settings *)settings)->objectives + 1;
}

static int run(const gannet_simulation_type *type, gannet_benchmark_functions functions,
               const void *settings, const gannet_simulation_input *input,
               gannet_simulation_output *output, gannet_quantity *quantities) {
  const int m = ((const gannet_front_settings *)settings)->objectives;
  return gannet_benchmark_run_several(type, functions, m, settings, input, output, quantities);
}

/* The same coordinate for all objectives; returns their number. */
static int fill_reference(const void *settings, double coordinate, double *reference) {
  const int m = ((const gannet_front_settings *)settings)->objectives;
  for (int k = 0; k < m; ++k) reference[k] = coordinate;
  return m;
}

/* The ripples of the distance make 11^k - 1 local fronts, with k distance variables. */
static void dtlz1(int m, int d, const double *x, double *f, double *c) {
  double g = d - m + 1;
  (void)c;
  for (int k = m - 1; k < d; ++k) g += (x[k] - 0.5) * (x[k] - 0.5) - cos(20 * pi * (x[k] - 0.5));
  g *= 100;
  for (int i = 0; i < m; ++i) {
    f[i] = 0.5 * (1 + g);
    for (int k = 0; k < m - 1 - i; ++k) f[i] *= x[k];
    if (i > 0) f[i] *= 1 - x[m - 1 - i];
  }
}

static int dtlz1_run(const void *settings, const gannet_simulation_input *input,
                     gannet_simulation_output *output, gannet_quantity *quantities) {
  return run(&gannet_dtlz1, dtlz1, settings, input, output, quantities);
}

/* The front is the simplex whose corners are 1/2 on the axes. */
static int dtlz1_front(const void *settings, double *reference, double *hypervolume) {
  const int m = fill_reference(settings, 400, reference);
  *hypervolume = pow(400, m) - pow(0.5, m) / tgamma(m + 1);
  return m;
}

const gannet_simulation_type gannet_dtlz1 = {
    .name = "dtlz1",
    .summary = "two to five objectives, a flat front behind 11^(d-M+1) - 1 local ones",
    .source = "Deb, Thiele, Laumanns, Zitzler 2005; [0, 1]^d, reference 400",
    .options = gannet_front_options,
    .options_size = sizeof(gannet_front_settings),
    .run = dtlz1_run,
    .box = dtlz_box,
    .least_d = dtlz_least_d,
    .name_quantity = gannet_front_name,
    .front = dtlz1_front,
};

static void dtlz2(int m, int d, const double *x, double *f, double *c) {
  double g = 0;
  (void)c;
  for (int k = m - 1; k < d; ++k) g += (x[k] - 0.5) * (x[k] - 0.5);
  for (int i = 0; i < m; ++i) {
    f[i] = 1 + g;
    for (int k = 0; k < m - 1 - i; ++k) f[i] *= cos(0.5 * pi * x[k]);
    if (i > 0) f[i] *= sin(0.5 * pi * x[m - 1 - i]);
  }
}

static int dtlz2_run(const void *settings, const gannet_simulation_input *input,
                     gannet_simulation_output *output, gannet_quantity *quantities) {
  return run(&gannet_dtlz2, dtlz2, settings, input, output, quantities);
}

/* The front is the part of the unit sphere with positive coordinates. */
static int dtlz2_front(const void *settings, double *reference, double *hypervolume) {
  const int m = fill_reference(settings, 1.1, reference);
  *hypervolume = pow(1.1, m) - gannet_front_orthant(m);
  return m;
}

const gannet_simulation_type gannet_dtlz2 = {
    .name = "dtlz2",
    .summary = "two to five objectives, a front that is part of a sphere",
    .source = "Deb, Thiele, Laumanns, Zitzler 2005; [0, 1]^d, reference 1.1",
    .options = gannet_front_options,
    .options_size = sizeof(gannet_front_settings),
    .run = dtlz2_run,
    .box = dtlz_box,
    .least_d = dtlz_least_d,
    .name_quantity = gannet_front_name,
    .front = dtlz2_front,
};

static void dtlz7(int m, int d, const double *x, double *f, double *c) {
  double g = 0, h = m;
  (void)c;
  for (int k = m - 1; k < d; ++k) g += x[k];
  g = 1 + 9 * g / (d - m + 1);
  for (int i = 0; i < m - 1; ++i) {
    f[i] = x[i];
    h -= x[i] / (1 + g) * (1 + sin(3 * pi * x[i]));
  }
  f[m - 1] = (1 + g) * h;
}

static int dtlz7_run(const void *settings, const gannet_simulation_input *input,
                     gannet_simulation_output *output, gannet_quantity *quantities) {
  return run(&gannet_dtlz7, dtlz7, settings, input, output, quantities);
}

/* At the front f_M = 2 M minus the sum over the other objectives of p(f) = f (1 + sin(3 pi f)). The
 * lowest f_M below given values of the others has the largest p up to each of them, whose integral
 * from 0 to 15 is the constant. */
static int dtlz7_front(const void *settings, double *reference, double *hypervolume) {
  const double integral = 24.430773475507333;
  const int m = fill_reference(settings, 15, reference);
  *hypervolume = pow(15, m - 2) * (15 * (15 - 2.0 * m) + (m - 1) * integral);
  return m;
}

const gannet_simulation_type gannet_dtlz7 = {
    .name = "dtlz7",
    .summary = "two to five objectives M, a front of 2^(M-1) pieces",
    .source = "Deb, Thiele, Laumanns, Zitzler 2005; [0, 1]^d, reference 15",
    .options = gannet_front_options,
    .options_size = sizeof(gannet_front_settings),
    .run = dtlz7_run,
    .box = dtlz_box,
    .least_d = dtlz_least_d,
    .name_quantity = gannet_front_name,
    .front = dtlz7_front,
};

/* Kept inside three discs: around both ends of the front, with radius 0.2, and around its middle,
 * with radius 0.2 sqrt(2), as BoTorch computes it. */
static void c2_dtlz2(int m, int d, const double *x, double *f, double *c) {
  const double square = 0.2 * 0.2, middle = sqrt(0.5);
  dtlz2(m, d, x, f, c);
  const double first = (f[0] - 1) * (f[0] - 1) + f[1] * f[1] - square;
  const double last = (f[1] - 1) * (f[1] - 1) + f[0] * f[0] - square;
  const double between =
      (f[0] - middle) * (f[0] - middle) + (f[1] - middle) * (f[1] - middle) - 2 * square;
  c[0] = fmin(fmin(first, last), between);
}

/* Three arcs of the unit circle: of angle 2 asin(0.1) at both ends, of 4 asin(sqrt(0.02)) in the
 * middle. */
GANNET_DEFINE_FIXED_FRONT(c2_dtlz2, c2_dtlz2, 2, 0.40005666817601953, 1.1, 1.1)
#define c2_dtlz2_box dtlz_box

const gannet_simulation_type gannet_c2_dtlz2 = {
    .name = "c2-dtlz2",
    .summary = "dtlz2 with two objectives and a constraint that cuts the front into three arcs",
    .source = "Jain, Deb 2014 with the discs of BoTorch; [0, 1]^d, 0.400057 for (1.1, 1.1)",
    .n_constraints = 1,
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(c2_dtlz2),
};
