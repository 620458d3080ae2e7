/* Which evaluated design to run with when values are noisy.
 *
 * The design of the least value so far is the luckiest one: with noise of standard deviation s its
 * value is too small by up to a few s, the more designs were tried, and designs that are better in
 * truth are passed over. The recommended design is the evaluated, feasible one at which a model of
 * all results has the least mean: a Gaussian process with a lengthscale per variable whose noise
 * is inferred, or is what the problem says, whatever method proposed the points. Where the problem
 * says that there is no noise, the best value is recommended. Where it says nothing, the model may
 * take small differences of exact values for noise, and its design may then be a little worse than
 * the best one: the test for noise does not decide here, because it misses noise of a thousandth of
 * the spread, where the model's design is better by 0.24 in the decimal logarithm of the regret
 * (14 landscapes in 3 variables, 3 instances). Noise that the problem tells of is reported as it
 * is; with too few results for a model, or when the model fails, the best value is recommended, and
 * noise and uncertainty are that, or NAN.
 *
 * Of more than GANNET_RECOMMEND_MOST results the model takes those whose designs are nearest to the
 * best ones, whatever their values are: choosing them by value would choose lucky ones. The model
 * of 100 000 results would take 1.6 GB, and the results far away hardly change it near the best
 * designs.
 */
#ifndef GANNET_OPTIMIZER_RECOMMEND_H
#define GANNET_OPTIMIZER_RECOMMEND_H

#include "base/context.h"
#include "gannet/optimizer.h"
#include "optimizer/options.h"
#include "problem/history.h"

enum {
  GANNET_RECOMMEND_LEAST = 4, /* fewest results for a model; with fewer the best is recommended */
  GANNET_RECOMMEND_MOST = 10000, /* most results that the model takes */
  GANNET_RECOMMEND_BEST = 1000   /* best designs to which these are near, where there are more */
};

/* The options of that model.
 *
 * Local.
 *
 * is_large  in   there are more than GANNET_RECOMMEND_MOST results, and memory is to be saved
 * options   out  to be released, also after an error
 */
GANNET_CHECKED gannet_err gannet_recommend_options(bool is_large,
                                                   gannet_optimizer_options *options);

/* A function of the history and the context's seed alone.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_recommend(const gannet_context *context,
                                           const gannet_history *history,
                                           gannet_recommendation *recommendation);

#endif
