/* Results of related problems, as prior means of the models of objectives and of constraints.
 *
 * Every source, the results of one related problem, has a Gaussian process of its own for each of
 * these. Its mean m(x) enters the model of the same quantity as
 *
 *   y(x) = b + sum_s a_s m_s(x) + model(x),   a_s >= 0
 *
 * after the transforms of both, so that shift, scale and, with the logarithm, much of the shape of
 * the values may differ. A source is used for a quantity where the results so far are clearly more
 * likely with it than without it, by the log density that a Gaussian process of all other results
 * gives to each; otherwise a_s is 0 and the model is what it is without the source, bit for bit.
 * The decision is taken anew whenever the model learns its hyper-parameters. (A prior mean that is
 * learnt: Kennedy and O'Hagan 2000, eq. (1); Golovin et al. 2017, section 3.3.)
 *
 * Terms
 *   source   results of one related problem
 *   weight   the part of the standard deviation of the results that a source explains,
 *            a_s sd(m_s) / sd(y); 0 = it is not used
 */
#ifndef GANNET_OPTIMIZER_RELATED_H
#define GANNET_OPTIMIZER_RELATED_H

#include "base/context.h"
#include "optimizer/options.h"
#include "optimizer/related_columns.h"
#include "problem/problem.h"
#include "surrogate/surrogate.h"

enum { GANNET_RELATED_MOST = 8 }; /* sources of one optimiser */

typedef struct gannet_related gannet_related;

/* No source yet.
 *
 * Local.
 *
 * context, problem  in  borrowed until destroy
 */
GANNET_CHECKED gannet_err gannet_related_create(const gannet_context *context,
                                                const gannet_problem *problem,
                                                gannet_related **related);
void gannet_related_destroy(gannet_related **related); /* Collective. */

/* Forget all sources.
 *
 * Collective.
 */
void gannet_related_clear(gannet_related *related);

/* Add a source. Of more than 1000 results half of 1000 are the best ones, of a constraint those
 * nearest to its limit; the others are spread over the rest.
 *
 * Local.
 *
 * rows  in  copied. Values of x may be outside the bounds. NAN in all rows: the related problem has
 *           no such variable, and the source says nothing about it
 *
 * Errors: GANNET_ERR_INPUT for fewer than 2 results, values that cannot be
 * (gannet_problem_check_tried), a variable that some rows lack, none in common, a row without any
 * value, or too many sources.
 */
GANNET_CHECKED gannet_err gannet_related_add(gannet_related *related,
                                             const gannet_related_rows *rows);

/* How many sources there are, the results of one, and whether it has values for a model.
 *
 * Local.
 */
bool gannet_related_has(const gannet_related *related, int source, int model);
int gannet_related_count(const gannet_related *related);
const gannet_related_rows *gannet_related_results(const gannet_related *related, int source);

/* The prior mean of one model. Zeroed = none. */
typedef struct {
  gannet_related *related;
  int model;             /* 0 = the first objective's, j + 1 = that of the one-sided constraint j,
                            n_bounds + m = that of objective m >= 1 */
  gannet_transform kind; /* none or log, of the values of an objective's model */
  bool used[GANNET_RELATED_MOST];     /* as decided last */
  double factor[GANNET_RELATED_MOST]; /* a_s; 0 = not used */
  double weight[GANNET_RELATED_MOST];
  double offset; /* b */
  double scale;  /* standard deviation of what is left to the model */
} gannet_related_prior;

/* Learn the prior of a model from its data.
 *
 * Collective; the same on all ranks.
 *
 * decide  in     whether it is decided anew which sources are used
 * prior   inout  its members related and model are set
 * mean    out    for gannet_surrogate_set_prior_mean; evaluate is NULL when no source is used.
 *                Borrows prior
 */
GANNET_CHECKED gannet_err gannet_related_learn(gannet_related_prior *prior, gannet_transform kind,
                                               const gannet_data *data, bool decide,
                                               gannet_prior_mean *mean);

#endif
