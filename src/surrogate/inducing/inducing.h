/* Many observations as few: sparse conditioning for the models that factorise a kernel matrix.
 *
 * The first observations, all but those of late, enter through inducing points Z that are chosen
 * among them. With k the kernel, lambda the variance of the noise in its units, K_ZZ = L L^T and
 * v_i = L^-1 k(Z, x_i),
 *
 *   y_i = v_i . w + e_i,   f(Z) = L w,   w ~ N(0, I),   e_i ~ N(0, d_i),
 *   d_i = lambda + k(x_i, x_i) - |v_i|^2:
 *
 * what the inducing points do not tell of f(x_i) counts as noise of this observation alone (FITC:
 * Snelson and Ghahramani 2006; Quinonero-Candela and Rasmussen 2005, sec. 6). About w these
 * observations say what so many pseudo-observations at Z say,
 *
 *   y_Z = L S^-1 b = f(Z) + N(0, N),   N = L S^-1 L^T,   S = sum v_i v_i^T / d_i,
 *   b = sum v_i y_i / d_i,
 *
 * so that a model is conditioned on these and on the late observations as it would be on data:
 * moments, draws and gradients need nothing new. With all observations in Z, N = lambda I and
 * y_Z = y: the exact posterior.
 *
 * Chosen are: the half with the best values; then, repeatedly, those of which the present ones tell
 * least (a Cholesky factor with pivots). One of which the others tell all but a tenth of lambda is
 * passed over, while there are others; at the end one of which they tell all but a tenth of
 * lambda m / n, which is what n observations leave unknown on average where they tell of m points.
 *
 * Which observations are old, and which of them are inducing points, are functions of the data
 * alone, so a resumed campaign has the same bits. v_i are held and made by the rank that owns the
 * tile of 512 observations; tiles belong to 16 groups, whose sums are added in their order: the
 * bits are the same on any number of ranks.
 */
#ifndef GANNET_SURROGATE_INDUCING_H
#define GANNET_SURROGATE_INDUCING_H

#include "base/partition.h"
#include "surrogate/factor.h"
#include "surrogate/row_noise.h"
#include "surrogate/surrogate.h"

/* What auto means when the factor is replicated; otherwise it means never. */
enum { GANNET_INDUCING_AUTO_POINTS = 2000 };

typedef struct gannet_inducing gannet_inducing;

/* The kernel of a model. take remembers n points; cross gives k[m][n] between m <= 64 others and
 * these (k has room for 64 rows; NULL = not wanted) and k(x,x) into diagonal [m] (NULL = not
 * wanted). Both Local. */
typedef struct {
  void *user;
  gannet_err (*take)(void *user, int n, const double *z);
  gannet_err (*cross)(void *user, int m, const double *x, double *k, int ldk, double *diagonal);
} gannet_inducing_kernel;

enum { GANNET_INDUCING_BLOCK = 64 };

/* One that has seen nothing.
 *
 * Local.
 *
 * context  in  borrowed until destroy
 * option   in  most inducing points, 0 = never, GANNET_AUTO
 * place    in  of the model's factor
 */
GANNET_CHECKED gannet_err gannet_inducing_create(const gannet_context *context, int d, int option,
                                                 gannet_factor_place place,
                                                 gannet_inducing **inducing);
void gannet_inducing_destroy(gannet_inducing **inducing);

typedef struct {
  const gannet_data *data;
  int n_fantasies; /* of the data, so many at the end stand for results to come */
  double lambda;   /* variance of the noise, in units of the kernel */
  bool fresh;      /* the kernel or the points are not those of the last call */
  gannet_inducing_kernel kernel;
  const gannet_row_noise *row_noise; /* in units of the kernel; NULL = nothing is stated; borrowed
                                        until the next call */
} gannet_inducing_request;

/* What the model is to be conditioned on in place of its data: these themselves while they are few.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * seen     out  borrowed until the next call
 * renewed  out  leading rows are not those of the last call; then the kernel was used, and may
 *               remember any points
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_NUMERIC when the kernel is not finite; those of the kernel.
 * Cost: for m inducing points, n observations and np ranks 2 n m^2 / np operations when the
 * inducing points are chosen anew, which is when fresh and once per m / 2 observations; otherwise
 * 2 n m / np. Memory: 8 n m / np bytes, and 24 m^2.
 */
GANNET_CHECKED gannet_err gannet_inducing_view(gannet_inducing *inducing,
                                               const gannet_inducing_request *request,
                                               gannet_data *seen, bool *renewed);

/* Add the covariance of the noise to rows first .. and columns from .. of a kernel matrix over what
 * is seen.
 *
 * Local.
 *
 * lambda  in  that of the view, or more where the matrix would have no factor
 * k       inout  [rows][ldk]
 */
void gannet_inducing_add_noise(const gannet_inducing *inducing, double lambda, int first, int rows,
                               int from, int columns, double *k, int ldk);

/* The information gain of the n rows seen, 1/2 (log det(K + N) - log det N), N the covariance of
 * their noise.
 *
 * Collective over the context's communicator.
 *
 * factor  in   of K + N
 * lambda  in   that of the factor
 *
 * Errors: GANNET_ERR_ARG, saying what to choose, when the factor is cut over the ranks;
 * GANNET_ERR_MEMORY.
 * Cost: n, or n^3 / 3 operations with inducing points.
 */
GANNET_CHECKED gannet_err gannet_inducing_information_gain(const gannet_inducing *inducing,
                                                           const gannet_factor *factor,
                                                           double lambda, int n, double *gain);

/* Add draws of the noise to values of q functions at the n rows seen. Both are made by parts:
 * values of other ranks are 0 where they go round, and draw j of the noise is number j of the
 * stream.
 *
 * Collective over the context's communicator, if own is shared.
 *
 * values  inout  [2][q][n]; the second half is workspace, 0 before
 */
GANNET_CHECKED gannet_err gannet_inducing_perturb(const gannet_inducing *inducing, double lambda,
                                                  const gannet_stride *own, gannet_stream stream,
                                                  int q, int n, double *values);

/* What the constant 1 is as values of the n rows seen.
 *
 * Local.
 */
void gannet_inducing_ones(const gannet_inducing *inducing, int n, double *ones);

/* Number of inducing points in use, 0 = none.
 *
 * Local.
 */
int gannet_inducing_points(const gannet_inducing *inducing);

#endif
