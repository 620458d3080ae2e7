/* Which evaluated design to run with when values are noisy.
 *
 * The design of the least value so far is the luckiest one: with noise of standard deviation s its
 * value is too small by up to a few s, the more designs were tried, and designs that are better in
 * truth are passed over. The recommended design is the evaluated, feasible one at which a model of
 * all results has the least mean: a Gaussian process with a length scale per variable whose noise
 * is inferred, or is what the problem says, whatever method proposed the points. Without noise the
 * model goes through the values, and both are the same design. Noise that the problem tells of is
 * reported as it is; with too few results for a model, or when the model fails, the best value is
 * recommended, and noise and uncertainty are that, or NAN.
 */
#ifndef GANNET_OPTIMIZER_RECOMMEND_H
#define GANNET_OPTIMIZER_RECOMMEND_H

#include "base/context.h"
#include "gannet/optimizer.h"
#include "optimizer/options.h"
#include "problem/history.h"

/* Results from which a model is made; with fewer the best value is recommended. */
enum { GANNET_RECOMMEND_LEAST = 4 };

/* The options of that model.
 *
 * Local.
 *
 * options  out  to be released, also after an error
 */
GANNET_CHECKED gannet_err gannet_recommend_options(gannet_optimizer_options *options);

/* A function of the history and the context's seed alone.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_recommend(const gannet_context *context,
                                           const gannet_history *history,
                                           gannet_recommendation *recommendation);

#endif
