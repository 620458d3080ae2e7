/* Marginal likelihood of a Gaussian process, from its kernel matrix: what every fit of
 * hyperparameters shares. A model supplies the matrix and the derivatives of its entries. */
#ifndef GANNET_SURROGATE_LIKELIHOOD_H
#define GANNET_SURROGATE_LIKELIHOOD_H

#include <stdbool.h>

#include <mpi.h>

#include "linalg/cholesky.h"

typedef struct gannet_likelihood gannet_likelihood;

/* Workspace for a fixed number of observations.
 *
 * Collective over the node, if there is one.
 *
 * node  in  ranks that make the factor together, for gannet_likelihood_factorise; NULL = this one;
 *           borrowed until destroy
 * n     in  >= 1
 * mean  in  true: a constant mean is estimated together with the rest (generalised least squares);
 *           false: the mean is 0
 */
GANNET_CHECKED gannet_err gannet_likelihood_create(const gannet_node *node, int n, bool mean,
                                                   gannet_likelihood **l);
void gannet_likelihood_destroy(gannet_likelihood **l);

/* The matrix to fill before each evaluation: [n][n], at least the lower triangle, noise included.
 *
 * Local.
 */
double *gannet_likelihood_kernel(gannet_likelihood *l);

/* Minus the log marginal likelihood of y, and the weights of its derivatives:
 *
 *   value = (1/2) r^T K^-1 r + (1/2) log det K + (n/2) log 2 pi,   r = y - mean
 *   d value / d t = sum_ij P_ij dK_ij / dt,   P = (1/2) (K^-1 - a a^T),   a = K^-1 r
 *   Rasmussen and Williams 2006, eqs. (5.8), (5.9); the derivative of an estimated mean drops out
 *   because the value is stationary in it.
 *
 * A matrix that is not positive definite is an outcome: the value is INFINITY and P is not set.
 *
 * Local.
 *
 * y      in   [n]
 * value  out
 *
 * Cost: n^3 operations.
 */
GANNET_CHECKED gannet_err gannet_likelihood_evaluate(gannet_likelihood *l, const double *y,
                                                     double *value);

/* The first half of an evaluation, by all ranks of the node: the value, and what is needed for
 * parts of P. The bits do not depend on how many ranks there are. The matrix to fill is not used.
 * Ranks but the first do not wait for the value: theirs is finite where a matrix has a factor.
 *
 * Collective over the node; must not begin before all have done with the parts of the last one.
 *
 * rows   in   as for gannet_cholesky_factorise
 * value  out  on the first rank
 *
 * Errors: those of gannet_cholesky_extend.
 */
GANNET_CHECKED gannet_err gannet_likelihood_factorise(gannet_likelihood *l, gannet_kernel_rows rows,
                                                      void *user, const double *y, double *value);

/* After it, and a finite value: rows first .. first+rows-1 of P in columns first .. n-1. Parts are
 * numbered from 0; together they have all pairs once, the later ones fewer.
 *
 * Local.
 *
 * first, rows  out
 *
 * Returns [rows][n], borrowed until the next evaluation; columns before first are not set.
 */
const double *gannet_likelihood_part(gannet_likelihood *l, int part, int *first, int *rows);
int gannet_likelihood_parts(int n);

/* P [n][n], symmetric, both triangles, after an evaluation; borrowed until the next one.
 *
 * Local.
 */
const double *gannet_likelihood_weights(const gannet_likelihood *l);

/* Penalties of priors, up to a constant: minus the logarithm of a normal density at t, and of the
 * log-normal density at exp(t).
 *
 * Local.
 *
 * location, scale  in     of t
 * slope            inout  the derivative by t is added
 */
double gannet_prior_normal(double t, double location, double scale, double *slope);
double gannet_prior_log_normal(double t, double location, double scale, double *slope);

#endif
