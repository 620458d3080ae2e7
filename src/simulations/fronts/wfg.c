/* The problems of Huband, Hingston, Barone and While 2006, for two to five objectives M, as a chain
 * of transformations of variables in [0, 1] and a shape.
 *
 * The first k variables give the place on the front, k = 2 (M - 1), or 4 with two objectives; the
 * others the distance to it. Variable i has the range [0, 2 i]. All but wfg2 have the front
 * sum of (f_i / (2 i))^2 = 1. The reference is 1.1 times the nadir point 2, 4, ...
 */
#include <math.h>

#include "simulations/fronts/front.h"
#include "simulations/problems.h"

static const double pi = 3.14159265358979323846;

enum { VARIABLES_MOST = 256 };

static int wfg_box(int d, double *lower, double *upper, double *minimum, double *minimizer) {
  if (d < 5 || d > VARIABLES_MOST) return -1;
  for (int k = 0; k < d; ++k) {
    lower[k] = 0;
    upper[k] = 2.0 * (k + 1);
  }
  return gannet_benchmark_at(d, NAN, NAN, minimum, minimizer);
}

static int count_place_variables(int m) {
  return m == 2 ? 4 : 2 * (m - 1);
}

/* Rounding may lead out of [0, 1]. */
static double clip(double y) {
  return fmin(fmax(y, 0), 1);
}

static int wfg_least_d(const void *settings) {
  return count_place_variables(((const gannet_front_settings *)settings)->objectives) + 1;
}

/* The transformations, with the names and the parameters of the paper. */

static double s_decept(double y, double a, double b, double c) {
  const double left = floor(y - a + b) * (1 - c + (a - b) / b) / (a - b);
  const double right = floor(a + b - y) * (1 - c + (1 - a - b) / b) / (1 - a - b);
  return clip(1 + (fabs(y - a) - b) * (left + right + 1 / b));
}

static double s_multi(double y, double a, double b, double c) {
  const double away = fabs(y - c) / (2 * (floor(c - y) + c));
  return clip((1 + cos((4 * a + 2) * pi * (0.5 - away)) + 4 * b * away * away) / (b + 2));
}

/* Bias by the mean u of other variables. */
static double b_param(double y, double u) {
  const double a = 0.98 / 49.98, b = 0.02, c = 50;
  const double v = a - (1 - 2 * u) * fabs(floor(0.5 - u) + a);
  return clip(pow(y, b + (c - b) * v));
}

static double mean(int n, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += y[i];
  return n > 0 ? clip(sum / n) : 0;
}

/* Each with the a - 1 variables after it, in a circle. */
static double r_nonsep(int n, const double *y, int a) {
  const double half = ceil(a / 2.0);
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    sum += y[j];
    for (int i = 0; i <= a - 2; ++i) sum += fabs(y[j] - y[(j + 1 + i) % n]);
  }
  return clip(sum / (n * half * (1 + 2.0 * a - 2 * half) / a));
}

typedef enum { BY_MEAN, BY_NONSEP, BY_PAIRS } reduction;

/* Reduce to M numbers: a group of place variables for each of the first M - 1, the distance
 * variables for the last. BY_PAIRS reduces the distance variables in pairs, then all by mean; of an
 * odd number the last stays alone. */
static void reduce(reduction how, int m, int d, double *y, double *t) {
  const int k = count_place_variables(m), group = k / (m - 1);
  int rest = d - k;
  if (how == BY_PAIRS) {
    const int pairs = rest / 2, odd = rest % 2;
    for (int i = 0; i < pairs; ++i) y[k + i] = r_nonsep(2, y + k + 2 * (size_t)i, 2);
    if (odd) y[k + pairs] = y[d - 1];
    rest = pairs + odd;
  }
  for (int i = 0; i < m - 1; ++i)
    t[i] = how == BY_NONSEP ? r_nonsep(group, y + (size_t)i * (size_t)group, group)
                            : mean(group, y + (size_t)i * (size_t)group);
  t[m - 1] = how == BY_NONSEP ? r_nonsep(rest, y + k, rest) : mean(rest, y + k);
}

/* f_i = t_M + 2 i h_i with the concave shape, or with the convex one whose last objective is
 * disconnected. */
static void shape(bool is_concave, int m, const double *t, double *f) {
  for (int i = 0; i < m; ++i) {
    double h = 1;
    for (int k = 0; k < m - 1 - i; ++k)
      h *= is_concave ? sin(0.5 * pi * t[k]) : 1 - cos(0.5 * pi * t[k]);
    if (i > 0) h *= is_concave ? cos(0.5 * pi * t[m - 1 - i]) : 1 - sin(0.5 * pi * t[m - 1 - i]);
    if (!is_concave && i == m - 1) {
      const double wave = cos(5 * pi * t[0]);
      h = 1 - t[0] * wave * wave;
    }
    f[i] = t[m - 1] + 2.0 * (i + 1) * clip(h);
  }
}

/* Problem `number` of the paper. */
static void evaluate(int number, int m, int d, const double *x, double *f) {
  const int k = count_place_variables(m);
  double y[VARIABLES_MOST], t[GANNET_BENCHMARK_OBJECTIVES_MOST];
  for (int i = 0; i < d; ++i) y[i] = clip(x[i] / (2.0 * (i + 1)));
  if (number == 7)
    for (int i = 0; i < k; ++i) y[i] = b_param(y[i], mean(d - i - 1, y + i + 1));
  if (number == 8)
    for (int i = d - 1; i >= k; --i) y[i] = b_param(y[i], mean(i, y));
  if (number == 9)
    for (int i = 0; i < d - 1; ++i) y[i] = b_param(y[i], mean(d - i - 1, y + i + 1));
  for (int i = 0; i < d; ++i) {
    if (number == 4) y[i] = s_multi(y[i], 30, 10, 0.35);
    if (number == 5 || (number == 9 && i < k)) y[i] = s_decept(y[i], 0.35, 0.001, 0.05);
    if (number == 9 && i >= k) y[i] = s_multi(y[i], 30, 95, 0.35);
    if ((number == 2 || number == 6 || number == 7 || number == 8) && i >= k)
      y[i] = clip(fabs(y[i] - 0.35) / fabs(floor(0.35 - y[i]) + 0.35)); /* s_linear */
  }
  reduce(number == 2 ? BY_PAIRS : number == 6 || number == 9 ? BY_NONSEP : BY_MEAN, m, d, y, t);
  shape(number != 2, m, t, f);
}

static int fill_reference(const void *settings, double *reference) {
  const int m = ((const gannet_front_settings *)settings)->objectives;
  for (int i = 0; i < m; ++i) reference[i] = 1.1 * 2 * (i + 1);
  return m;
}

/* Of wfg4 to wfg9: the box of the reference without its part below an ellipsoid. */
static int ellipsoid_front(const void *settings, double *reference, double *hypervolume) {
  const int m = fill_reference(settings, reference);
  *hypervolume = pow(2, m) * tgamma(m + 1) * (pow(1.1, m) - gannet_front_orthant(m));
  return m;
}

/* Of wfg2, known for two objectives. */
static int disconnected_front(const void *settings, double *reference, double *hypervolume) {
  const int m = fill_reference(settings, reference);
  *hypervolume = m == 2 ? 6.1511178872533209 : NAN;
  return m;
}

#define DEFINE_WFG(number, its_front, text)                                                     \
  static void wfg##number(int m, int d, const double *x, double *f, double *c) {                \
    (void)c;                                                                                    \
    evaluate(number, m, d, x, f);                                                               \
  }                                                                                             \
  static int wfg##number##_run(const void *settings, const gannet_simulation_input *input,      \
                               gannet_simulation_output *output, gannet_quantity *quantities) { \
    const int m = ((const gannet_front_settings *)settings)->objectives;                        \
    return gannet_benchmark_run_several(&gannet_wfg##number, wfg##number, m, settings, input,   \
                                        output, quantities);                                    \
  }                                                                                             \
  const gannet_simulation_type gannet_wfg##number = {                                           \
      .name = "wfg" #number,                                                                    \
      .summary = "two to five objectives M, " text,                                             \
      .source = "Huband, Hingston, Barone, While 2006; [0, 2 i], reference 2.2, 4.4, ...",      \
      .options = gannet_front_options,                                                          \
      .options_size = sizeof(gannet_front_settings),                                            \
      .run = wfg##number##_run,                                                                 \
      .box = wfg_box,                                                                           \
      .least_d = wfg_least_d,                                                                   \
      .name_quantity = gannet_front_name,                                                       \
      .front = its_front,                                                                       \
  }

DEFINE_WFG(2, disconnected_front, "a front of pieces");
DEFINE_WFG(4, ellipsoid_front, "many local optima of place and distance");
DEFINE_WFG(5, ellipsoid_front, "deceptive: the slopes lead away from the narrow optimum");
DEFINE_WFG(6, ellipsoid_front, "not separable");
DEFINE_WFG(7, ellipsoid_front, "the place depends on the distance variables");
DEFINE_WFG(8, ellipsoid_front, "the best distance variables depend on the place");
DEFINE_WFG(9, ellipsoid_front, "deceptive, many local optima, not separable");
