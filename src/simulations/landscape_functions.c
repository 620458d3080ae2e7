/* The base functions of landscapes. Hansen et al. 2009 where nothing else is said; all have their
 * minimum 0 at z = 0. */
#include "simulations/landscape_functions.h"

#include <math.h>
#include <stddef.h>

static const double pi = 3.14159265358979323846;

static double square(double x) {
  return x * x;
}

/* 10^(power i / (d - 1)) */
static double grade(const gannet_landscape *l, int i, double power) {
  return l->d > 1 ? pow(10, power * i / (l->d - 1)) : 1;
}

double landscape_oscillate(double z) {
  if (z == 0) return 0;
  const double log_z = log(fabs(z)), c1 = z > 0 ? 10 : 5.5, c2 = z > 0 ? 7.9 : 3.1;
  return copysign(exp(log_z + 0.049 * (sin(c1 * log_z) + sin(c2 * log_z))), z);
}

static double sphere(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += square(z[i]);
  return sum;
}

static double ellipsoid(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 6) * square(z[i]);
  return sum;
}

/* A monotone transform of an ill-conditioned quadratic: no quadratic model fits it. */
static double root_ellipsoid(const gannet_landscape *l, const double *z) {
  return 10 * pow(ellipsoid(l, z), 0.25);
}

static double rastrigin(const gannet_landscape *l, const double *z) {
  double waves = 0;
  for (int i = 0; i < l->d; ++i) waves += cos(2 * pi * z[i]);
  return 10 * (l->d - waves) + sphere(l, z);
}

/* Linear in the box, because the minimum is in a corner. */
static double slope(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 1) * fabs(z[i]);
  return sum;
}

/* Plateaus: z is rounded, then turned. */
static double step_ellipsoid(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) {
    const double *row = l->second + (size_t)i * (size_t)l->d;
    double turned = 0;
    for (int k = 0; k < l->d; ++k) {
      const double coarse = floor(0.5 + z[k]), fine = floor(0.5 + 10 * z[k]) / 10;
      turned += row[k] * (fabs(z[k]) > 0.5 ? coarse : fine);
    }
    sum += grade(l, i, 2) * square(turned);
  }
  return 0.1 * fmax(fabs(z[0]) / 1e4, sum);
}

static double rosenbrock(const gannet_landscape *l, const double *z) {
  const double scale = fmax(1, sqrt(l->d) / 8);
  double sum = l->d == 1 ? square(z[0]) : 0;
  for (int i = 0; i + 1 < l->d; ++i) {
    const double a = scale * z[i] + 1, b = scale * z[i + 1] + 1;
    sum += 100 * square(a * a - b) + square(a - 1);
  }
  return sum;
}

static double cigar(const gannet_landscape *l, const double *z) {
  return square(z[0]) + 1e6 * (sphere(l, z) - square(z[0]));
}

static double discus(const gannet_landscape *l, const double *z) {
  return 1e6 * square(z[0]) + sphere(l, z) - square(z[0]);
}

static double ridge(const gannet_landscape *l, const double *z) {
  return square(z[0]) + 100 * sqrt(fmax(0, sphere(l, z) - square(z[0])));
}

static double powers(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += pow(fabs(z[i]), 2 + (l->d > 1 ? 4.0 * i / (l->d - 1) : 0));
  return sqrt(sum);
}

/* Steep on the side to which the optimum was moved. */
static double sector(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += square(z[i] * l->optimum[i] > 0 ? 100 * z[i] : z[i]);
  return pow(landscape_oscillate(sum), 0.9);
}

static double schaffer(const gannet_landscape *l, const double *z) {
  double sum = 0;
  const int pairs = l->d > 1 ? l->d - 1 : 1;
  for (int i = 0; i < pairs; ++i) {
    const double s = hypot(z[i], l->d > 1 ? z[i + 1] : 0);
    sum += sqrt(s) * (1 + square(sin(50 * pow(s, 0.2))));
  }
  return square(sum / pairs);
}

static double griewank_rosenbrock(const gannet_landscape *l, const double *z) {
  const double scale = fmax(1, sqrt(l->d) / 8);
  const int pairs = l->d > 1 ? l->d - 1 : 1;
  double sum = 0;
  for (int i = 0; i < pairs; ++i) {
    const double a = scale * z[i] + 1, b = scale * z[l->d > 1 ? i + 1 : i] + 1;
    const double s = 100 * square(a * a - b) + square(a - 1);
    sum += s / 4000 - cos(s);
  }
  return 10 * sum / pairs + 10;
}

static double gallagher(const gannet_landscape *l, const double *z) {
  double best = 0;
  for (int p = 0; p < l->base->peaks; ++p) {
    const double *at = l->peak + (size_t)p * (size_t)l->d;
    const double *sharp = l->sharp + (size_t)p * (size_t)l->d;
    double sum = 0;
    for (int i = 0; i < l->d; ++i) sum += sharp[i] * square(z[i] - at[i]);
    best = fmax(best, l->height[p] * exp(-sum / (2 * l->d)));
  }
  return square(landscape_oscillate(10 - best));
}

/* Ackley 1987, over [-32, 32]. */
static double ackley(const gannet_landscape *l, const double *z) {
  double waves = 0;
  for (int i = 0; i < l->d; ++i) waves += cos(2 * pi * 6.4 * z[i]) / l->d;
  return 20 * -expm1(-0.2 * 6.4 * sqrt(sphere(l, z) / l->d)) + exp(1) - exp(waves);
}

static double weierstrass(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int k = 0; k < 12; ++k) {
    const double a = pow(0.5, k), b = 2 * pi * pow(3, k);
    for (int i = 0; i < l->d; ++i) sum += a * (cos(b * (z[i] + 0.5)) - cos(0.5 * b)) / l->d;
  }
  return 10 * pow(fmax(0, sum), 3);
}

/* Two funnels: the wide one does not hold the minimum. */
static double lunacek(const gannet_landscape *l, const double *z) {
  const double s = 1 - 1 / (2 * sqrt(l->d + 20) - 8.2), wide = -sqrt((6.25 - 1) / s);
  double narrow = 0, broad = l->d, waves = 0;
  for (int i = 0; i < l->d; ++i) {
    narrow += square(z[i]);
    broad += s * square(z[i] + 2.5 - wide);
    waves += cos(2 * pi * z[i]);
  }
  return fmin(narrow, broad) + 10 * (l->d - waves);
}

/* Levy and Montalvo 1985, over [-10, 10]. */
static double levy(const gannet_landscape *l, const double *z) {
  const double last = 0.5 * z[l->d - 1];
  double sum = square(sin(pi * 0.5 * z[0])) + square(last) * (1 + square(sin(2 * pi * last)));
  for (int i = 0; i + 1 < l->d; ++i) {
    const double w = 0.5 * z[i];
    sum += square(w) * (1 + 10 * square(sin(pi * (w + 1) + 1)));
  }
  return sum;
}

/* Griewank 1981, over [-60, 60]. */
static double griewank(const gannet_landscape *l, const double *z) {
  double product = 1;
  for (int i = 0; i < l->d; ++i) product *= cos(12 * z[i] / sqrt(i + 1));
  return 144 * sphere(l, z) / 4000 + 1 - product;
}

static double zakharov(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += 0.5 * (i + 1) * z[i];
  return sphere(l, z) + square(sum) + square(square(sum));
}

/* Styblinski and Tang 1990, moved to its minimum. */
static double styblinski(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) {
    const double x = z[i] - 2.903534027771177;
    sum += 0.5 * (square(x * x) - 16 * x * x + 5 * x) + 39.16616570377141;
  }
  return fmax(0, sum);
}

/* Spans many orders of magnitude. */
static double exponential(const gannet_landscape *l, const double *z) {
  return expm1(sqrt(0.1 * ellipsoid(l, z)) < 300 ? sqrt(0.1 * ellipsoid(l, z)) : 300);
}

#define DEVELOPMENT(id, text, n, f, ...)    \
  static const gannet_landscape_base id = { \
      .name = text, .part = GANNET_LANDSCAPE_DEVELOPMENT, .number = n, .value = f, __VA_ARGS__}
#define JUDGING(id, text, n, f, ...)        \
  static const gannet_landscape_base id = { \
      .name = text, .part = GANNET_LANDSCAPE_JUDGING, .number = n, .value = f, __VA_ARGS__}

DEVELOPMENT(b_sphere, "sphere", 1, sphere, .summary = "a quadratic without directions");
DEVELOPMENT(b_ellipsoid_axes, "ellipsoid-axes", 2, ellipsoid, .oscillate = true,
            .summary = "separable, condition 1e6, bent");
DEVELOPMENT(b_rastrigin_axes, "rastrigin-axes", 3, rastrigin, .oscillate = true, .asymmetry = 0.2,
            .condition = 10, .summary = "separable, 10^d minima in a bowl");
DEVELOPMENT(b_slope, "slope", 4, slope, .corner = true, .summary = "linear, minimum in a corner");
DEVELOPMENT(b_step, "step-ellipsoid", 5, step_ellipsoid, .rotate = true, .condition = 10,
            .summary = "plateaus");
DEVELOPMENT(b_ellipsoid, "ellipsoid", 6, ellipsoid, .rotate = true, .oscillate = true,
            .summary = "condition 1e6, bent");
DEVELOPMENT(b_rosenbrock, "rosenbrock-rotated", 7, rosenbrock, .rotate = true,
            .summary = "a long curved valley");
DEVELOPMENT(b_cigar, "bent-cigar", 8, cigar, .rotate = true, .asymmetry = 0.5, .turn = true,
            .summary = "a narrow curved ridge, condition 1e6");
DEVELOPMENT(b_rastrigin, "rastrigin-rotated", 9, rastrigin, .rotate = true, .oscillate = true,
            .asymmetry = 0.2, .condition = 10, .turn = true, .summary = "10^d minima in a bowl");
DEVELOPMENT(b_schaffer, "schaffer", 10, schaffer, .rotate = true, .asymmetry = 0.5, .condition = 10,
            .summary = "waves that grow finer towards the minimum");
DEVELOPMENT(b_griewank_rosenbrock, "griewank-rosenbrock", 11, griewank_rosenbrock, .rotate = true,
            .summary = "waves on a curved valley");
DEVELOPMENT(b_gallagher21, "gallagher-21", 12, gallagher, .rotate = true, .peaks = 21,
            .summary = "21 peaks without global structure");
DEVELOPMENT(b_ackley, "ackley-rotated", 13, ackley, .rotate = true,
            .summary = "a funnel in a rough plain");
DEVELOPMENT(b_root, "root-ellipsoid", 14, root_ellipsoid, .rotate = true,
            .summary = "fourth root of an ellipsoid of condition 1e6");
#define RESERVE(id, text, n, f, ...)        \
  static const gannet_landscape_base id = { \
      .name = text, .part = GANNET_LANDSCAPE_RESERVE, .number = n, .value = f, __VA_ARGS__}

JUDGING(b_sector, "attractive-sector", 101, sector, .rotate = true, .condition = 10, .turn = true,
        .summary = "steep on one side of the minimum");
JUDGING(b_rosenbrock_axes, "rosenbrock-axes", 102, rosenbrock, .summary = "a long curved valley");
JUDGING(b_discus, "discus", 103, discus, .rotate = true, .oscillate = true,
        .summary = "one steep direction, condition 1e6");
JUDGING(b_ridge, "sharp-ridge", 104, ridge, .rotate = true, .condition = 10, .turn = true,
        .summary = "a ridge without derivative");
JUDGING(b_powers, "different-powers", 105, powers, .rotate = true,
        .summary = "flatter and flatter in some directions");
JUDGING(b_weierstrass, "weierstrass", 106, weierstrass, .rotate = true, .oscillate = true,
        .condition = 0.01, .turn = true, .summary = "rough everywhere");
JUDGING(b_schaffer_ill, "schaffer-ill", 107, schaffer, .rotate = true, .asymmetry = 0.5,
        .condition = 1000, .summary = "finer and finer waves, condition 1000");
JUDGING(b_lunacek, "lunacek", 108, lunacek, .rotate = true, .condition = 10, .turn = true,
        .summary = "two funnels with waves");
JUDGING(b_levy, "levy-rotated", 109, levy, .rotate = true, .summary = "waves in a valley");
JUDGING(b_gallagher101, "gallagher-101", 110, gallagher, .rotate = true, .peaks = 101,
        .summary = "101 peaks without global structure");
JUDGING(b_griewank, "griewank-rotated", 111, griewank, .rotate = true,
        .summary = "fine waves in a wide bowl");
JUDGING(b_zakharov, "zakharov", 112, zakharov, .rotate = true,
        .summary = "a plate with one steep direction, of fourth order");
JUDGING(b_styblinski, "styblinski-rotated", 113, styblinski, .rotate = true,
        .summary = "2^d minima of different depth");
JUDGING(b_exponential, "exponential", 114, exponential, .rotate = true,
        .summary = "values over many orders of magnitude");

RESERVE(b_alpine, "alpine", 201, landscape_alpine, .rotate = true,
        .summary = "waves whose minima are almost equally deep");
RESERVE(b_salomon, "salomon-ill", 202, landscape_salomon, .rotate = true, .condition = 10,
        .summary = "rings around the minimum");
RESERVE(b_largest, "largest-coordinate", 203, landscape_largest, .rotate = true, .condition = 100,
        .summary = "a pyramid, condition 10");
RESERVE(b_powell, "powell-chain", 204, landscape_powell, .rotate = true,
        .summary = "flat in some directions at the minimum, of fourth order");
RESERVE(b_quartic, "quartic-ill", 205, landscape_quartic, .rotate = true, .oscillate = true,
        .summary = "fourth powers, condition 1e4, bent");
RESERVE(b_bohachevsky, "bohachevsky-chain", 206, landscape_bohachevsky, .rotate = true,
        .summary = "small waves on a quadratic");
RESERVE(b_log_ellipsoid, "log-ellipsoid", 207, landscape_log_ellipsoid, .rotate = true,
        .asymmetry = 0.2, .summary = "logarithm of an ellipsoid of condition 1e4");
RESERVE(b_springs, "springs", 208, landscape_springs, .rotate = true,
        .summary = "a chain of springs fixed at one end");
RESERVE(b_folds, "folds", 209, landscape_folds, .rotate = true,
        .summary = "absolute values, condition 100");
RESERVE(b_ackley_ill, "ackley-ill", 210, ackley, .rotate = true, .asymmetry = 0.2, .condition = 10,
        .turn = true, .summary = "a bent funnel in a rough plain");
RESERVE(b_rastrigin_corner, "rastrigin-corner", 211, rastrigin, .corner = true,
        .summary = "separable, 10^d minima, the best in a corner");
RESERVE(b_rosenbrock_bent, "rosenbrock-bent", 212, rosenbrock, .rotate = true, .oscillate = true,
        .condition = 10, .summary = "a long curved valley, badly scaled and bent");
RESERVE(b_weierstrass_axes, "weierstrass-axes", 213, weierstrass, .asymmetry = 0.2,
        .summary = "separable, rough everywhere");
RESERVE(b_styblinski_ill, "styblinski-ill", 214, styblinski, .rotate = true, .oscillate = true,
        .condition = 5, .summary = "2^d minima of different depth, badly scaled");

const gannet_landscape_base *const gannet_landscape_bases[] = {&b_sphere,
                                                               &b_ellipsoid_axes,
                                                               &b_rastrigin_axes,
                                                               &b_slope,
                                                               &b_step,
                                                               &b_ellipsoid,
                                                               &b_rosenbrock,
                                                               &b_cigar,
                                                               &b_rastrigin,
                                                               &b_schaffer,
                                                               &b_ackley,
                                                               &b_gallagher21,
                                                               &b_griewank_rosenbrock,
                                                               &b_root,
                                                               &b_sector,
                                                               &b_discus,
                                                               &b_rosenbrock_axes,
                                                               &b_ridge,
                                                               &b_powers,
                                                               &b_weierstrass,
                                                               &b_lunacek,
                                                               &b_schaffer_ill,
                                                               &b_levy,
                                                               &b_gallagher101,
                                                               &b_griewank,
                                                               &b_zakharov,
                                                               &b_styblinski,
                                                               &b_exponential,
                                                               &b_alpine,
                                                               &b_salomon,
                                                               &b_largest,
                                                               &b_powell,
                                                               &b_quartic,
                                                               &b_bohachevsky,
                                                               &b_log_ellipsoid,
                                                               &b_springs,
                                                               &b_folds,
                                                               &b_ackley_ill,
                                                               &b_rastrigin_corner,
                                                               &b_rosenbrock_bent,
                                                               &b_weierstrass_axes,
                                                               &b_styblinski_ill,
                                                               NULL};
