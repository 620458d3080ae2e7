/* Base functions of the landscapes in reserve; all have their minimum 0 at z = 0. */
#include <math.h>

#include "simulations/landscape_functions.h"

static const double pi = 3.14159265358979323846;

static double square(double x) {
  return x * x;
}

/* 10^(power i / (d - 1)) */
static double grade(const gannet_landscape *l, int i, double power) {
  return l->d > 1 ? pow(10, power * i / (l->d - 1)) : 1;
}

/* The coordinate after i; the chain ends with the last one. */
static double next(const gannet_landscape *l, const double *z, int i) {
  return z[i + 1 < l->d ? i + 1 : i];
}

static int links(const gannet_landscape *l) {
  return l->d > 1 ? l->d - 1 : 1;
}

/* Rahnamayan et al. 2007 (Alpine 1). */
double landscape_alpine(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += fabs(2 * z[i] * sin(2 * z[i]) + 0.2 * z[i]);
  return sum;
}

/* Salomon 1996. */
double landscape_salomon(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += square(z[i]);
  return 10 * (1 - cos(pi * sqrt(sum))) + 5 * sqrt(sum);
}

double landscape_largest(const gannet_landscape *l, const double *z) {
  double most = 0;
  for (int i = 0; i < l->d; ++i) most = fmax(most, fabs(z[i]));
  return 10 * most;
}

/* Powell 1962, as a chain instead of blocks of four. */
double landscape_powell(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < links(l); ++i)
    sum += square(z[i] + 10 * next(l, z, i)) + 10 * square(square(z[i] - next(l, z, i)));
  return sum + (l->d > 1 ? 0 : square(z[0]));
}

double landscape_quartic(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 4) * square(square(z[i]));
  return sum;
}

/* Bohachevsky, Johnson, Stein 1986, as a chain. */
double landscape_bohachevsky(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < links(l); ++i) {
    const double a = z[i], b = next(l, z, i);
    sum += square(a) + 2 * square(b) + 0.3 * (1 - cos(3 * pi * a)) + 0.4 * (1 - cos(4 * pi * b));
  }
  return sum;
}

double landscape_log_ellipsoid(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 4) * square(z[i]);
  return 10 * log1p(sum);
}

double landscape_springs(const gannet_landscape *l, const double *z) {
  double sum = square(z[0]);
  for (int i = 0; i + 1 < l->d; ++i) sum += square(z[i + 1] - z[i]);
  return 100 * sum;
}

double landscape_folds(const gannet_landscape *l, const double *z) {
  double sum = 0;
  for (int i = 0; i < l->d; ++i) sum += grade(l, i, 2) * fabs(z[i]);
  return sum;
}
