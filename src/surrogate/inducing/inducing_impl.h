/* Sparse conditioning, as its files share it.
 *
 *   inducing.c         what a model sees in place of its data, and draws of its noise
 *   inducing_choose.c  the choice of the points
 *   inducing_sum.c     sums over the old observations
 */
#ifndef GANNET_SURROGATE_INDUCING_IMPL_H
#define GANNET_SURROGATE_INDUCING_IMPL_H

#include "base/shared_array.h"
#include "surrogate/inducing/inducing.h"

enum { INDUCING_GROUPS = 16 };

/* Old observations of one tile. */
typedef struct {
  int group;
  int first, rows; /* observations */
  double *v;       /* [rows][limit] v_i; once the points are chosen, v_i / sqrt(d_i) */
  double *left;    /* [rows] k(x_i,x_i) - |v_i|^2; once they are chosen, 1 / sqrt(d_i) */
} inducing_tile;

struct gannet_inducing {
  const gannet_context *context;
  int d;
  int limit;     /* most points, 0 = never */
  int old;       /* observations that enter through the points; 0 = none, or to be made again */
  int n_old;     /* the same while they are made */
  int m;         /* points */
  double lambda; /* of the old observations of which nothing is stated */
  double given;  /* lambda of the last view */
  const gannet_row_noise *row_noise; /* of that view; NULL = nothing is stated */
  int n_seen;         /* observations of that view that do not enter through points */
  bool is_stated;     /* lambda_old is not lambda everywhere */
  double *lambda_old; /* [y_capacity] of each old observation */
  int n_tiles;
  inducing_tile *tile; /* this rank's, ascending */
  int *index;          /* [limit] observations that are the points */
  int *best;           /* [limit / 2] those chosen for their value, ascending */
  int y_capacity;
  double *y_old;             /* [y_capacity] values of the last view */
  double *lower;             /* [limit][limit] L, while the points are chosen */
  gannet_shared_array mixed; /* [m][m] L S^-T/2 */
  gannet_shared_array noise; /* [m][m] N, of which the lower triangle */
  gannet_cholesky *root;     /* of S */
  double *ones, *work;       /* [limit] */
  int capacity;
  double *x, *y; /* [capacity][d], [capacity] what is seen */
};

/* Choose the points among the first n_old observations, and fill v of this rank's tiles, L
 * and index.
 *
 * Collective over the context's communicator; the same on all ranks.
 */
GANNET_CHECKED gannet_err inducing_choose(gannet_inducing *g,
                                          const gannet_inducing_request *request);

/* S and N from v; v becomes v / sqrt(d).
 *
 * Collective over the context's communicator; the same on all ranks.
 */
GANNET_CHECKED gannet_err inducing_sum(gannet_inducing *g);

/* Pseudo-values of m points from values of the old observations; values NULL = the constant 1.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * values  in   [old]
 * pseudo  out  [m]
 */
GANNET_CHECKED gannet_err inducing_values(gannet_inducing *g, const double *values, double *pseudo);

/* N_ij: half of it is there. */
static inline double inducing_noise(const gannet_inducing *g, int i, int j) {
  const size_t row = (size_t)(i > j ? i : j), column = (size_t)(i > j ? j : i);
  return g->noise.values[row * (size_t)g->m + column];
}

#endif
