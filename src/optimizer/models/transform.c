#include "optimizer/models/transform.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "optimizer/models/convergence.h"
#include "problem/objectives.h"
#include "problem/problem.h"

/* Standard deviations beyond which values are cut. */
static const double cut = 10;

/* Beyond this one value may be further from another than gannet_problem_excess tells. */
static const double large = 5e299;

/* A value or a length in the units of the user. */
static double from_unit(const gannet_transform_fit *fit, double y) {
  return fmin(fmax(y / fit->unit, -DBL_MAX), DBL_MAX);
}

static double log_of_excess(const gannet_transform_fit *fit, double y) {
  const double excess = fmax(gannet_problem_excess(y * fit->unit, fit->low), 0);
  const double ratio = excess / fit->span;
  return ratio > 1e300 ? log(excess) - log(fit->span) : log1p(ratio);
}

static void standardise_by_moments(int n, const double *t, gannet_transform_fit *fit) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) sum += t[i] / n;
  for (int i = 0; i < n; ++i) squares += (t[i] - sum) * (t[i] - sum) / n;
  fit->center = sum;
  fit->scale = sqrt(squares);
}

/* Have number k where it is in the sorted list, none larger before and none smaller after it: by
 * halves that shrink around it (Hoare 1961), in a time linear in n. */
static void select_number(int n, double *list, int k) {
  for (int low = 0, high = n - 1; low < high;) {
    const double pivot = list[low + (high - low) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (list[i] < pivot) ++i;
      while (pivot < list[j]) --j;
      if (i > j) break;
      const double swap = list[i];
      list[i++] = list[j];
      list[j--] = swap;
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
}

static double least(int n, const double *list) {
  double found = list[0];
  for (int i = 1; i < n; ++i) found = list[i] < found ? list[i] : found;
  return found;
}

static double most(int n, const double *list) {
  double found = list[0];
  for (int i = 1; i < n; ++i) found = list[i] > found ? list[i] : found;
  return found;
}

double gannet_transform_unit(int n, const double *y) {
  return fmax(fabs(least(n, y)), fabs(most(n, y))) > large ? 0x1p-40 : 1;
}

/* Changes the order of the list. */
static double quantile(int n, double *list, double share) {
  const double at = share * (n - 1);
  const int below = (int)at, above = below + 1;
  const double weight = at - below;
  select_number(n, list, below);
  return above < n ? (1 - weight) * list[below] + weight * least(n - above, list + above)
                   : list[below];
}

/* Centre and scale by median and quartiles, n >= 1; changes the order of the list. */
static void standardise_robustly(int n, double *list, gannet_transform_fit *fit) {
  fit->center = quantile(n, list, 0.5);
  fit->scale = gannet_problem_excess(quantile(n, list, 0.75), quantile(n, list, 0.25)) / 1.349;
  if (!(fit->scale > 0)) fit->scale = gannet_problem_excess(most(n, list), least(n, list)) / 2;
  if (!(fit->scale > 0)) fit->scale = 1;
}

void gannet_transform_learn(gannet_transform kind, int n, const double *y, double *work,
                            gannet_transform_fit *fit) {
  *fit = (gannet_transform_fit){GANNET_TRANSFORM_NONE, 1, 0, 1, 0, 1};
  if (n == 0) return;
  fit->unit = gannet_transform_unit(n, y);
  for (int i = 0; i < n; ++i) work[i] = y[i] * fit->unit;
  const double median = quantile(n, work, 0.5);
  fit->low = least(n, work);
  fit->span = gannet_problem_excess(median, fit->low);
  if (kind == GANNET_TRANSFORM_LOG && fit->span > 0) {
    fit->kind = GANNET_TRANSFORM_LOG;
    for (int i = 0; i < n; ++i) work[i] = log_of_excess(fit, y[i]);
    standardise_by_moments(n, work, fit);
    if (!(fit->scale > 0)) fit->scale = 1;
  } else {
    standardise_robustly(n, work, fit);
  }
}

/* The interquartile ranges shrink while a search converges, so a rule for the results of now alone
 * would change its mind from fit to fit. */
static bool takes_log(const gannet_problem *problem, int objective, gannet_transform usual,
                      const gannet_front *front, int n, const double *y, const double *row_noise,
                      double *work) {
  enum { FEW = 10 }; /* results before which quartiles say too little to be kept */
  const double far = 22 * 1.349;
  const gannet_objective_transform own = problem->spec.objectives[objective].transform;
  double worst = -INFINITY;
  if (own != GANNET_OBJECTIVE_TRANSFORM_AUTO) return own == GANNET_OBJECTIVE_TRANSFORM_LOG;
  if (gannet_problem_objective_noise(problem, objective) > 0) return false;
  if (usual != GANNET_TRANSFORM_AUTO) return usual == GANNET_TRANSFORM_LOG;
  for (int k = 0; k < n; ++k)
    if (row_noise[k] > 0) return false;
  for (int k = 0; k < front->n; ++k) worst = fmax(worst, front->y[k * front->m + objective]);
  for (int k = n; k > 0 && (k == n || k >= FEW); k = 10 * k / 11) {
    gannet_transform_fit fit;
    gannet_transform_learn(GANNET_TRANSFORM_NONE, k, y, work, &fit);
    if (worst > gannet_transform_center(&fit) + far * gannet_transform_scale(&fit)) return true;
  }
  return false;
}

void gannet_transform_reach(double y, gannet_transform_fit *fit) {
  if (fit->kind == GANNET_TRANSFORM_LOG || !isfinite(y)) return;
  fit->scale = fmax(fit->scale, gannet_problem_excess(fit->center, y * fit->unit) / cut);
}

void gannet_transform_learn_of_several(const gannet_problem *problem, int objective,
                                       gannet_transform usual, const gannet_front *front, int n,
                                       const double *y, const double *row_noise, double *work,
                                       gannet_transform_fit *fit) {
  const bool log = takes_log(problem, objective, usual, front, n, y, row_noise, work);
  gannet_transform_learn(log ? GANNET_TRANSFORM_LOG : GANNET_TRANSFORM_NONE, n, y, work, fit);
  for (int k = 0; k < front->n; ++k) {
    const double value = front->y[k * front->m + objective];
    gannet_transform_reach(value, fit);
    gannet_transform_reach(2 * gannet_transform_center(fit) - value, fit);
  }
}

double gannet_transform_apply(const gannet_transform_fit *fit, double y) {
  if (fit->kind == GANNET_TRANSFORM_LOG) return (log_of_excess(fit, y) - fit->center) / fit->scale;
  const double t = gannet_problem_excess(y * fit->unit, fit->center) / fit->scale;
  return fmin(fmax(t, -cut), cut);
}

double gannet_transform_affine(const gannet_transform_fit *fit, double y) {
  return (y * fit->unit - fit->center) / fit->scale;
}

double gannet_transform_center(const gannet_transform_fit *fit) {
  return from_unit(fit, fit->center);
}

double gannet_transform_scale(const gannet_transform_fit *fit) {
  return from_unit(fit, fit->scale);
}

/* Under noise of a million standard deviations values tell nothing, and squares of more overflow.
 */
double gannet_transform_noise_var(const gannet_transform_fit *fit, double noise_sd) {
  const double noise = noise_sd / gannet_transform_scale(fit);
  if (fit->kind == GANNET_TRANSFORM_LOG && noise != 0) return NAN;
  return noise > 1e6 ? 1e12 : noise * noise;
}

/* Squares of larger deviations overflow. */
static double limited_square(double sd) {
  return sd > 1e6 ? 1e12 : sd * sd;
}

double gannet_transform_row_noise(const gannet_transform_fit *fit, double y, double sd) {
  if (fit->kind != GANNET_TRANSFORM_LOG) return limited_square(sd / gannet_transform_scale(fit));
  return limited_square((log_of_excess(fit, y + sd) - log_of_excess(fit, y - sd)) /
                        (2 * fit->scale));
}

double gannet_transform_invert(const gannet_transform_fit *fit, double t) {
  const double at = fit->center + fit->scale * t;
  return from_unit(fit, fit->kind == GANNET_TRANSFORM_LOG ? fit->low + fit->span * expm1(at) : at);
}

double gannet_transform_in_ranges(const gannet_transform_fit *fit, double low, double range,
                                  double t, double *slope) {
  const double most = 1e9, at = fit->center + fit->scale * t;
  const bool is_log = fit->kind == GANNET_TRANSFORM_LOG;
  const double value = is_log ? fit->low + fit->span * expm1(fmin(at, 100)) : at;
  const double z = gannet_problem_excess(value, low * fit->unit) / (range * fit->unit);
  *slope = fit->scale * (is_log ? fit->span * exp(fmin(at, 100)) : 1) / (range * fit->unit);
  if (fabs(z) < most && *slope < 1e300) return z;
  *slope = 0;
  return fmin(fmax(z, -most), most);
}

double gannet_transform_bilog(double c, double s) {
  return copysign(log1p(fabs(c) / s), c);
}

/* A value t down to -10 stays as it is, below it becomes -10 (1 + log(-t/10)), which goes on with
 * the same slope and without end: no two values become equal, and none blows up the scale. */
static double compress_tail(double t) {
  return t >= -10 ? fmin(t, 10) : -10 * (1 + log(fmin(-t, 1e300) / 10));
}

double gannet_transform_constraint(bool apart, int n, double *c, double *work,
                                   gannet_constraint_fit *used) {
  gannet_transform_fit fit = {GANNET_TRANSFORM_NONE, 1, 0, 1, 0, 1};
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += fmin(fabs(c[k]), 1e300) / n;
  const double size = sum > 0 ? sum : 1; /* the mean size of the values */
  for (int k = 0; k < n; ++k) work[k] = c[k] = gannet_transform_bilog(c[k], size);
  if (n > 0) standardise_robustly(n, work, &fit);
  const double exact = gannet_problem_excess(0, fit.center) / fit.scale;
  const bool far = apart && exact <= -10;
  const double threshold = far ? compress_tail(exact) : gannet_transform_apply(&fit, 0);
  for (int k = 0; k < n; ++k)
    c[k] = far ? compress_tail(gannet_problem_excess(c[k], fit.center) / fit.scale)
               : gannet_transform_apply(&fit, c[k]);
  *used = (gannet_constraint_fit){size, fit.center, fit.scale, far};
  return threshold;
}

/* Before values are cut. */
static double apply_constraint(const gannet_constraint_fit *fit, double c) {
  const double t =
      gannet_problem_excess(gannet_transform_bilog(c, fit->size), fit->center) / fit->scale;
  return fit->is_compressed ? compress_tail(t) : t;
}

double gannet_transform_constraint_row_noise(const gannet_constraint_fit *fit, double c,
                                             double sd) {
  return limited_square((apply_constraint(fit, c + sd) - apply_constraint(fit, c - sd)) / 2);
}

double gannet_transform_constraint_invert(const gannet_constraint_fit *fit, double t) {
  const double loose = fit->is_compressed && t < -10 ? -10 * exp(-t / 10 - 1) : t;
  const double u = fit->center + fit->scale * fmax(loose, -DBL_MAX);
  return fmin(fmax(copysign(fit->size * expm1(fabs(u)), u), -DBL_MAX), DBL_MAX);
}

/* Values by which a scale is learnt at least. */
enum { LEAST = 4 };

gannet_err gannet_transform_choose(const gannet_member_options *options,
                                   const gannet_history *history,
                                   const gannet_pde_residuals *residuals,
                                   gannet_transform_choice *choice) {
  const gannet_transform wanted = (gannet_transform)options->method.transform;
  const bool noisy =
      gannet_history_problem(history)->spec.noise_sd > 0 || gannet_history_has_error_bars(history);
  *choice = (gannet_transform_choice){GANNET_TRANSFORM_NONE, -1};
  if (residuals || wanted == GANNET_TRANSFORM_NONE || (wanted == GANNET_TRANSFORM_AUTO && noisy))
    return GANNET_OK;
  gannet_convergence convergence = {.at = -1};
  if (wanted == GANNET_TRANSFORM_LOG_THEN_NONE)
    GANNET_TRY(gannet_convergence_find(history, &convergence));
  choice->converged_at = convergence.at;
  if (choice->converged_at < 0) choice->kind = GANNET_TRANSFORM_LOG;
  return GANNET_OK;
}

static int keep_elsewhere(const double *place, int d, int n, const double *x, const double *y,
                          double *kept) {
  int count = 0;
  bool met = false;
  for (int i = 0; i < n; ++i) {
    const bool there = gannet_convergence_is_near(d, x + (ptrdiff_t)i * d, place);
    if (!there || !met) kept[count++] = y[i];
    met = met || there;
  }
  return count;
}

void gannet_transform_choice_learn(const gannet_transform_choice *choice,
                                   const gannet_history *history, int n, const double *x,
                                   const double *y, double *kept, double *work,
                                   gannet_transform_fit *fit) {
  const int d = gannet_history_problem(history)->d;
  int count = 0;
  if (choice->converged_at >= 0)
    count = keep_elsewhere(gannet_history_x_unit(history, choice->converged_at), d, n, x, y, kept);
  if (count >= LEAST)
    gannet_transform_learn(choice->kind, count, kept, work, fit);
  else
    gannet_transform_learn(choice->kind, n, y, work, fit);
}
