/* Monotone transforms of the objective before a model sees it.
 *
 * log:  t(y) = log(1 + (y - min) / (median - min)); halves of the data below and above keep their
 * order, the best part is spread out, and values of any magnitude become O(1). On a broad set of
 * test functions this gains more than any change of kernel. none: t(y) = y.
 *
 * Both are followed by a robust standardisation: centred at the mean and scaled by the standard
 * deviation after log; centred at the median and scaled by the interquartile range for none,
 * clipped at +-10 so that outliers cannot blow up the scale. The best feasible value is no outlier:
 * of a narrow basin in a plain all values are far below the quartiles, and clipped they would be
 * one as good as the other (gannet_transform_reach).
 *
 * Of values whose differences no number holds, as -1e308 and 1e308, a small power of two is taken
 * first, so that they keep their order.
 */
#ifndef GANNET_OPTIMIZER_TRANSFORM_H
#define GANNET_OPTIMIZER_TRANSFORM_H

#include <stdbool.h>

#include "base/error.h"
#include "optimizer/options.h"
#include "problem/front.h"
#include "problem/history.h"
#include "problem/problem.h"

typedef struct {
  gannet_transform kind; /* none or log */
  double unit;           /* by which values are multiplied before all else; 1 as a rule */
  double low, span;      /* log: minimum, median - minimum */
  double center, scale;  /* of the standardisation */
} gannet_transform_fit;

/* By what values have to be multiplied so that their differences are numbers: 1, or a small power
 * of two where one of them is larger than 5e299.
 *
 * Local.
 *
 * y  in  [n], n >= 1
 */
double gannet_transform_unit(int n, const double *y);

/* Choose the centre and scale of a transform for n values.
 *
 * Local.
 *
 * y         in  [n] minimised; finite, of any magnitude
 * work      -   [n] scratch
 */
void gannet_transform_learn(gannet_transform kind, int n, const double *y, double *work,
                            gannet_transform_fit *fit);

/* The same for one of several objectives, with a scale that holds all values of the front: none of
 * them is an outlier. Logarithms are taken where the objective or the method says so. By default
 * they are taken where that scale would make most results alike, as of a stress that grows like
 * 1 / thickness: where a value of the front is, or was in the course of the campaign, more than 22
 * interquartile ranges above the median. Noise prevents the default: logarithms would make it
 * uneven.
 *
 * Local.
 *
 * usual      in  what the method says
 * front      in  all objectives, minimised
 * y          in  [n] values of this objective, minimised, in the order in which they were told
 * row_noise  in  [n] told standard deviations; not positive = none
 * work       -   [n] scratch
 */
void gannet_transform_learn_of_several(const gannet_problem *problem, int objective,
                                       gannet_transform usual, const gannet_front *front, int n,
                                       const double *y, const double *row_noise, double *work,
                                       gannet_transform_fit *fit);

/* Enlarge the scale until y is not clipped below; nothing changes after log.
 *
 * Local.
 *
 * y    in     INFINITY = no value
 * fit  inout
 */
void gannet_transform_reach(double y, gannet_transform_fit *fit);

/* Apply it to one value.
 *
 * Local.
 */
double gannet_transform_apply(const gannet_transform_fit *fit, double y);

/* The same without clipping, and of which value and for which distance it is 0 and 1: what is known
 * of affine functions of the objective holds for it. For GANNET_TRANSFORM_NONE.
 *
 * Local.
 */
double gannet_transform_affine(const gannet_transform_fit *fit, double y);
double gannet_transform_center(const gannet_transform_fit *fit);
double gannet_transform_scale(const gannet_transform_fit *fit);

/* Variance that noise of this standard deviation has after the transform; NAN where it is not
 * known, and after log, which makes it another one for every value.
 *
 * Local.
 *
 * noise_sd  in  of the objective; NAN = unknown
 */
double gannet_transform_noise_var(const gannet_transform_fit *fit, double noise_sd);

/* Noise variance of one transformed value that is told with a standard deviation: that of half the
 * distance between what is one deviation above and below it.
 *
 * Local.
 *
 * sd  in  > 0
 */
double gannet_transform_row_noise(const gannet_transform_fit *fit, double y, double sd);

/* And back, but for what was clipped; finite.
 *
 * Local.
 */
double gannet_transform_invert(const gannet_transform_fit *fit, double t);

/* The same as (value - low) / range, within +-1e9, and its derivative by t, 0 at these ends.
 *
 * Local.
 *
 * range  in  > 0
 */
double gannet_transform_in_ranges(const gannet_transform_fit *fit, double low, double range,
                                  double t, double *slope);

/* Symmetric logarithm of a constraint, sign(c) log(1 + |c|/s), which spreads out the neighbourhood
 * of the boundary (Eriksson, Poloczek 2021).
 *
 * Local.
 */
double gannet_transform_bilog(double c, double s);

/* How the values of a constraint became those of its model. */
typedef struct {
  double size;          /* mean size of the values, the unit of the symmetric logarithm */
  double center, scale; /* of the standardisation */
  bool is_compressed;   /* values below -10 go on logarithmically */
} gannet_constraint_fit;

/* Standardise the values of a constraint that is feasible at c <= 0, after the symmetric logarithm
 * in units of their mean size. Returns where 0 comes to lie.
 *
 * When most values nearly agree far above 0, as where a constraint saturates, 0 and all that tell
 * the way to it lie below -10 and would be cut to the same number: what is not feasible would seem
 * to meet the threshold, and nothing to be better than the rest. Kept apart, they go on
 * logarithmically below -10; nothing changes where 0 lies above.
 *
 * Local.
 *
 * apart  in     whether to keep them apart
 * c      inout  [n]
 * work   -      [n] scratch
 * fit    out    what was done, to be undone
 */
double gannet_transform_constraint(bool apart, int n, double *c, double *work,
                                   gannet_constraint_fit *fit);

/* The value of a constraint from its standardised value, but for what was clipped; finite.
 *
 * Local.
 */
double gannet_transform_constraint_invert(const gannet_constraint_fit *fit, double t);

/* As gannet_transform_row_noise, of a value of a constraint.
 *
 * Local.
 */
double gannet_transform_constraint_row_noise(const gannet_constraint_fit *fit, double c, double sd);

/* Which transform a method uses now, and by which values it is learnt.
 *
 * log-then-none is log until the search has converged (optimizer/models/convergence.h), then none,
 * learnt by the results elsewhere: half of all values and more nearly agree by then, so that any
 * scale that is learnt by all of them is that of their last digits, on which everything else is
 * equally bad, and no other basin is looked for.
 */
typedef struct {
  gannet_transform kind; /* none or log */
  int64_t converged_at;  /* evaluation at which the search has converged, where that makes a
                       difference; -1 = it does not, or has not */
} gannet_transform_choice;

/* What the options say, or log unless values are said to be noisy, by the problem or by standard
 * deviations of results; none for a model that obeys equations (residuals; NULL = it does not).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_transform_choose(const gannet_member_options *options,
                                                  const gannet_history *history,
                                                  const gannet_pde_residuals *residuals,
                                                  gannet_transform_choice *choice);

/* Choose centre and scale for n values; of those at the place the first counts alone, unless there
 * are hardly others.
 *
 * Local.
 *
 * x           in  [n][d] unit cube
 * y           in  [n] minimised
 * kept, work  -   [n] each, scratch
 */
void gannet_transform_choice_learn(const gannet_transform_choice *choice,
                                   const gannet_history *history, int n, const double *x,
                                   const double *y, double *kept, double *work,
                                   gannet_transform_fit *fit);

#endif
