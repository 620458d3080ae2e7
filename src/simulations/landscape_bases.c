/* The base functions of landscapes, which have their minimum 0 at z = 0. They are those of Hansen
 * et al. 2009 where nothing else is said. */
#include <math.h>
#include <stddef.h>

#include "simulations/landscape.h"

static const double pi = 3.14159265358979323846;

static double square(double x) {
  return x * x;
}

/* 10^(power i / (d - 1)) */
static double grade(const gannet_landscape *l, int i, double power) {
  return l->d > 1 ? pow(10, power * i / (l->d - 1)) : 1;
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
  return pow(gannet_landscape_oscillate(sum), 0.9);
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
  return square(gannet_landscape_oscillate(10 - best));
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

/* The coordinate after i; the chain ends with the last one. */
static double next(const gannet_landscape *l, const double *z, int i) {
  return z[i + 1 < l->d ? i + 1 : i];
}

static int links(const gannet_landscape *l) {
  return l->d > 1 ? l->d - 1 : 1;
}

/* Rahnamayan et al. 2007 (Alpine 1). */
static double alpine(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += fabs(2 * z[i] * sin(2 * z[i]) + 0.2 * z[i]);
  return sum;
}

/* Salomon 1996. */
static double salomon(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += square(z[i]);
  return 10 * (1 - cos(pi * sqrt(sum))) + 5 * sqrt(sum);
}

static double largest(const gannet_landscape *l, const double *z) {
  double most = 0;
  for (int i = 0; i < l->d; ++i) most = fmax(most, fabs(z[i]));
  return 10 * most;
}

/* Powell 1962, as a chain instead of blocks of four. */
static double powell(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < links(l); ++i)
    sum += square(z[i] + 10 * next(l, z, i)) + 10 * square(square(z[i] - next(l, z, i)));
  return sum + (l->d > 1 ? 0 : square(z[0]));
}

static double quartic(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 4) * square(square(z[i]));
  return sum;
}

/* Bohachevsky, Johnson, Stein 1986, as a chain. */
static double bohachevsky(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < links(l); ++i) {
    const double a = z[i], b = next(l, z, i);
    sum += square(a) + 2 * square(b) + 0.3 * (1 - cos(3 * pi * a)) + 0.4 * (1 - cos(4 * pi * b));
  }
  return sum;
}

static double log_ellipsoid(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 4) * square(z[i]);
  return 10 * log1p(sum);
}

static double springs(const gannet_landscape *l, const double *z) {
  double sum = square(z[0]);
  for (int i = 0; i + 1 < l->d; ++i) sum += square(z[i + 1] - z[i]);
  return 100 * sum;
}

static double folds(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 2) * fabs(z[i]);
  return sum;
}

#define LANDSCAPE(PART, n, text, f, ...)                                                \
  &(const gannet_landscape_base) {                                                      \
    .name = text, .part = GANNET_LANDSCAPE_##PART, .number = n, .value = f, __VA_ARGS__ \
  }

const gannet_landscape_base *const gannet_landscape_bases[] = {
    LANDSCAPE(DEVELOPMENT, 1, "sphere", sphere, .summary = "a quadratic without directions"),
    LANDSCAPE(DEVELOPMENT, 2, "ellipsoid-axes", ellipsoid, .oscillate = true,
              .summary = "separable, condition 1e6, bent"),
    LANDSCAPE(DEVELOPMENT, 3, "rastrigin-axes", rastrigin, .oscillate = true, .asymmetry = 0.2,
              .condition = 10, .summary = "separable, 10^d minima in a bowl"),
    LANDSCAPE(DEVELOPMENT, 4, "slope", slope, .corner = true,
              .summary = "linear, minimum in a corner"),
    LANDSCAPE(DEVELOPMENT, 5, "step-ellipsoid", step_ellipsoid, .rotate = true, .condition = 10,
              .summary = "plateaus"),
    LANDSCAPE(DEVELOPMENT, 6, "ellipsoid", ellipsoid, .rotate = true, .oscillate = true,
              .summary = "condition 1e6, bent"),
    LANDSCAPE(DEVELOPMENT, 7, "rosenbrock-rotated", rosenbrock, .rotate = true,
              .summary = "a long curved valley"),
    LANDSCAPE(DEVELOPMENT, 8, "bent-cigar", cigar, .rotate = true, .asymmetry = 0.5, .turn = true,
              .summary = "a narrow curved ridge, condition 1e6"),
    LANDSCAPE(DEVELOPMENT, 9, "rastrigin-rotated", rastrigin, .rotate = true, .oscillate = true,
              .asymmetry = 0.2, .condition = 10, .turn = true, .summary = "10^d minima in a bowl"),
    LANDSCAPE(DEVELOPMENT, 10, "schaffer", schaffer, .rotate = true, .asymmetry = 0.5,
              .condition = 10, .summary = "waves that grow finer towards the minimum"),
    LANDSCAPE(DEVELOPMENT, 13, "ackley-rotated", ackley, .rotate = true,
              .summary = "a funnel in a rough plain"),
    LANDSCAPE(DEVELOPMENT, 12, "gallagher-21", gallagher, .rotate = true, .peaks = 21,
              .summary = "21 peaks without global structure"),
    LANDSCAPE(DEVELOPMENT, 11, "griewank-rosenbrock", griewank_rosenbrock, .rotate = true,
              .summary = "waves on a curved valley"),
    LANDSCAPE(DEVELOPMENT, 14, "root-ellipsoid", root_ellipsoid, .rotate = true,
              .summary = "fourth root of an ellipsoid of condition 1e6"),
    LANDSCAPE(JUDGING, 101, "attractive-sector", sector, .rotate = true, .condition = 10,
              .turn = true, .summary = "steep on one side of the minimum"),
    LANDSCAPE(JUDGING, 103, "discus", discus, .rotate = true, .oscillate = true,
              .summary = "one steep direction, condition 1e6"),
    LANDSCAPE(JUDGING, 102, "rosenbrock-axes", rosenbrock, .summary = "a long curved valley"),
    LANDSCAPE(JUDGING, 104, "sharp-ridge", ridge, .rotate = true, .condition = 10, .turn = true,
              .summary = "a ridge without derivative"),
    LANDSCAPE(JUDGING, 105, "different-powers", powers, .rotate = true,
              .summary = "flatter and flatter in some directions"),
    LANDSCAPE(JUDGING, 106, "weierstrass", weierstrass, .rotate = true, .oscillate = true,
              .condition = 0.01, .turn = true, .summary = "rough everywhere"),
    LANDSCAPE(JUDGING, 108, "lunacek", lunacek, .rotate = true, .condition = 10, .turn = true,
              .summary = "two funnels with waves"),
    LANDSCAPE(JUDGING, 107, "schaffer-ill", schaffer, .rotate = true, .asymmetry = 0.5,
              .condition = 1000, .summary = "finer and finer waves, condition 1000"),
    LANDSCAPE(JUDGING, 109, "levy-rotated", levy, .rotate = true, .summary = "waves in a valley"),
    LANDSCAPE(JUDGING, 110, "gallagher-101", gallagher, .rotate = true, .peaks = 101,
              .summary = "101 peaks without global structure"),
    LANDSCAPE(JUDGING, 111, "griewank-rotated", griewank, .rotate = true,
              .summary = "fine waves in a wide bowl"),
    LANDSCAPE(JUDGING, 112, "zakharov", zakharov, .rotate = true,
              .summary = "a plate with one steep direction, of fourth order"),
    LANDSCAPE(JUDGING, 113, "styblinski-rotated", styblinski, .rotate = true,
              .summary = "2^d minima of different depth"),
    LANDSCAPE(JUDGING, 114, "exponential", exponential, .rotate = true,
              .summary = "values over many orders of magnitude"),
    LANDSCAPE(RESERVE, 201, "alpine", alpine, .rotate = true,
              .summary = "waves whose minima are almost equally deep"),
    LANDSCAPE(RESERVE, 202, "salomon-ill", salomon, .rotate = true, .condition = 10,
              .summary = "rings around the minimum"),
    LANDSCAPE(RESERVE, 203, "largest-coordinate", largest, .rotate = true, .condition = 100,
              .summary = "a pyramid, condition 10"),
    LANDSCAPE(RESERVE, 204, "powell-chain", powell, .rotate = true,
              .summary = "flat in some directions at the minimum, of fourth order"),
    LANDSCAPE(RESERVE, 205, "quartic-ill", quartic, .rotate = true, .oscillate = true,
              .summary = "fourth powers, condition 1e4, bent"),
    LANDSCAPE(RESERVE, 206, "bohachevsky-chain", bohachevsky, .rotate = true,
              .summary = "small waves on a quadratic"),
    LANDSCAPE(RESERVE, 207, "log-ellipsoid", log_ellipsoid, .rotate = true, .asymmetry = 0.2,
              .summary = "logarithm of an ellipsoid of condition 1e4"),
    LANDSCAPE(RESERVE, 208, "springs", springs, .rotate = true,
              .summary = "a chain of springs fixed at one end"),
    LANDSCAPE(RESERVE, 209, "folds", folds, .rotate = true,
              .summary = "absolute values, condition 100"),
    LANDSCAPE(RESERVE, 210, "ackley-ill", ackley, .rotate = true, .asymmetry = 0.2, .condition = 10,
              .turn = true, .summary = "a bent funnel in a rough plain"),
    LANDSCAPE(RESERVE, 211, "rastrigin-corner", rastrigin, .corner = true,
              .summary = "separable, 10^d minima, the best in a corner"),
    LANDSCAPE(RESERVE, 212, "rosenbrock-bent", rosenbrock, .rotate = true, .oscillate = true,
              .condition = 10, .summary = "a long curved valley, badly scaled and bent"),
    LANDSCAPE(RESERVE, 213, "weierstrass-axes", weierstrass, .asymmetry = 0.2,
              .summary = "separable, rough everywhere"),
    LANDSCAPE(RESERVE, 214, "styblinski-ill", styblinski, .rotate = true, .oscillate = true,
              .condition = 5, .summary = "2^d minima of different depth, badly scaled"),
    NULL};
