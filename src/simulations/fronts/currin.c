/* Problems of two variables with two objectives: Branin's function and Currin's. */
#include <math.h>

#include "simulations/fronts/front.h"
#include "simulations/problems.h"

static int unit_square(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d != 2) return -1;
  gannet_benchmark_cube(d, 0, 1, lower, upper);
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

/* Branin's function on [-5, 10] x [0, 15] scaled to the unit square, and Currin's, whose limit at
 * x2 = 0 is taken there. */
static void branin_currin(int m, int d, const double *x, double *f, double *c) {
  const double pi = 3.14159265358979323846, a = x[0], u = 15 * x[0] - 5, v = 15 * x[1];
  const double valley = v - 5.1 / (4 * pi * pi) * u * u + 5 / pi * u - 6;
  (void)m, (void)d, (void)c;
  f[0] = valley * valley + (10 - 10 / (8 * pi)) * cos(u) + 10;
  f[1] = (x[1] > 0 ? -expm1(-1 / (2 * x[1])) : 1) * (((2300 * a + 1900) * a + 2092) * a + 60) /
         (((100 * a + 500) * a + 4) * a + 20);
}

/* Both hypervolumes by quadrature over f1 of the least f2, for which tools/reference-fronts
 * searches along a line; by NSGA-II 59.36012 and 608.40042 were found. */
GANNET_DEFINE_FIXED_FRONT(branin_currin, branin_currin, 2, 59.406612552522503, 18, 6)
#define branin_currin_box unit_square

const gannet_simulation_type gannet_branin_currin = {
    .name = "branin-currin",
    .summary = "two objectives, scaled to the unit square",
    .source = "Belakaria, Deshwal, Doppa 2019, as in BoTorch; 59.4066 for (18, 6)",
    .fixed_d = 2,
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(branin_currin),
};

/* Inside the disc of Gelbart et al. 2014. */
static void branin_currin_disk(int m, int d, const double *x, double *f, double *c) {
  const double u = 15 * x[0] - 5 - 2.5, v = 15 * x[1] - 7.5;
  branin_currin(m, d, x, f, c);
  c[0] = u * u + v * v - 50;
}

GANNET_DEFINE_FIXED_FRONT(branin_currin_disk, branin_currin_disk, 2, 609.4037053975527, 80, 12)
#define branin_currin_disk_box unit_square

const gannet_simulation_type gannet_branin_currin_disk = {
    .name = "branin-currin-disk",
    .summary = "the same inside a disc",
    .source = "the constraint of Gelbart, Snoek, Adams 2014, as in BoTorch; 609.404 for (80, 12)",
    .n_constraints = 1,
    .fixed_d = 2,
    .name_quantity = gannet_front_name_two,
    GANNET_FIXED_FRONT(branin_currin_disk),
};
