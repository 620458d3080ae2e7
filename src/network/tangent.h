/* Tangent features of a multilayer perceptron at its random start, by tiles of points.
 *
 * The network, in the parametrisation of Jacot et al. 2018, with input z embedded from the unit
 * cube (network/input_embedding.h):
 *
 *   z = [rho_1 (2 x_1 - 1), .., rho_d (2 x_d - 1), bias],   a_0 = z,
 *   u_1 = W_1 a_0,  u_l = c W_l a_{l-1} (l = 2..L),  a_l = phi(u_l),
 *   f(x) = c v . a_L,  c = sqrt(g/m),
 *
 * all weights standard normal, g = 2 for relu and 1 otherwise. The model is the antisymmetric pair
 * h = (f(x; theta_1) - f(x; theta_2))/sqrt(2) started at theta_1 = theta_2: h is 0 at the start,
 * its gradient is [phi(x), -phi(x)]/sqrt(2) with phi = grad f, and so the tangent kernel k(x,x') =
 * phi(x) . phi(x') is that of one copy. One copy is all that is stored.
 *
 * With B_l = df/du_l the features are never formed (there are p = m (d+1) + (L-1) m^2 + m of them):
 *
 *   k = c^2 a_L . a_L' + (z . z') (B_1 . B_1') + c^2 sum_{l=2}^L (a_{l-1} . a_{l-1}') (B_l . B_l').
 *
 * rho and bias scale inputs only: the same random weights serve all hyperparameters.
 *
 * Workspaces belong to the objects: one network must not be used by two threads at once. Points are
 * always worked in blocks of GANNET_TANGENT_BLOCK (padded), so results do not depend on how a list
 * of points is cut into calls.
 */
#ifndef GANNET_NETWORK_TANGENT_H
#define GANNET_NETWORK_TANGENT_H

#include "base/random.h"
#include "network/activation.h"
#include "network/input_embedding.h"

enum { GANNET_TANGENT_LAYERS = 8, GANNET_TANGENT_BLOCK = 64 };

typedef struct {
  const gannet_activation *activation;
  int d;      /* inputs, >= 1 */
  int layers; /* hidden, 1 .. GANNET_TANGENT_LAYERS */
  int width;  /* units per hidden layer, >= 1 */
  gannet_embedding_kind embedding;
} gannet_tangent_shape;

typedef struct gannet_tangent gannet_tangent;

/* Draw the weights: numbers of the stream in the order layer, unit, input, then output weights.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG for a shape outside its range; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_tangent_create(const gannet_tangent_shape *shape,
                                                gannet_stream stream, gannet_tangent **net);
void gannet_tangent_destroy(gannet_tangent **net);

/* Draw other weights, as gannet_tangent_create does. Features made before are those of the old
 * weights.
 *
 * Local.
 */
void gannet_tangent_redraw(gannet_tangent *net, gannet_stream stream);

/* Set the input scales; 1 and 1 before the first call. Features made before are those of the old
 * scales.
 *
 * Local.
 *
 * rho  in  [d]
 */
void gannet_tangent_set_inputs(gannet_tangent *net, const double *rho, double bias);

/* Weights, for tests: layer 0 is W_1 [m][d+1], layer l < L is W_{l+1} [m][m], layer L is v [m].
 *
 * Local.
 */
const double *gannet_tangent_weights(const gannet_tangent *net, int layer);

/* Number p of parameters of one copy.
 *
 * Local.
 */
size_t gannet_tangent_parameters(const gannet_tangent *net);

/* Activations and backward vectors of n points; a list that grows. Members are read only. */
typedef struct {
  int n;
  int capacity; /* rows allocated, a multiple of the block; rows n.. are padding */
  double *z;    /* [capacity][d+1] */
  double *a[GANNET_TANGENT_LAYERS]; /* a_1 .. a_L, each [capacity][m] */
  double *b[GANNET_TANGENT_LAYERS]; /* B_1 .. B_L, each [capacity][m] */
} gannet_tangent_features;

/* Make the list hold n points; those below the present n must be unchanged and are kept (but for
 * the last, incomplete block, which is computed again). Start with a zeroed struct; n = 0 clears
 * it.
 *
 * Local.
 *
 * x  in  [n][d]
 */
GANNET_CHECKED gannet_err gannet_tangent_extend(const gannet_tangent *net, int n, const double *x,
                                                gannet_tangent_features *features);

/* gannet_tangent_extend for block 0 and blocks first, first + step, .. of GANNET_TANGENT_BLOCK
 * points: the others are not set, and those of a list are the same ones in every call.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tangent_extend_some(const gannet_tangent *net, int n,
                                                     const double *x, int first, int step,
                                                     gannet_tangent_features *features);

/* gannet_tangent_extend_some from an empty list, of points that are embedded already.
 *
 * Local.
 *
 * z  in  [n][d+1]
 */
GANNET_CHECKED gannet_err gannet_tangent_make_some(const gannet_tangent *net, int n,
                                                   const double *z, int first, int step,
                                                   gannet_tangent_features *features);
void gannet_tangent_release(gannet_tangent_features *features);

/* k[na][nb]: the kernel between rows first_a .. of one list and the first nb of another.
 *
 * Local.
 *
 * Cost: about 4 L na nb m operations in matrix products.
 */
void gannet_tangent_kernel(const gannet_tangent *net, const gannet_tangent_features *a, int first_a,
                           int na, const gannet_tangent_features *b, int nb, double *k, int ldk);

/* k[rows][columns]: the kernel between rows first .. and rows from .. of one list.
 *
 * Local.
 *
 * Cost: as gannet_tangent_kernel.
 */
void gannet_tangent_tile(const gannet_tangent *net, const gannet_tangent_features *features,
                         int first, int rows, int from, int columns, double *k, int ldk);

/* k(x,x) of rows first .. first+n-1.
 *
 * Local.
 */
void gannet_tangent_diagonal(const gannet_tangent *net, const gannet_tangent_features *features,
                             int first, int n, double *diagonal);

/* q vectors delta_j of the space of the weights; f_j(x) = phi(x) . delta_j is a function. Start
 * with a zeroed struct. */
typedef struct {
  int q;
  size_t n_numbers;
  double *numbers;                       /* [n_numbers] all of output, input and hidden */
  double *output;                        /* [q][m], for v */
  double *input;                         /* [m][q][d+1], for W_1 */
  double *hidden[GANNET_TANGENT_LAYERS]; /* [l], 1 <= l < L: [q][m][m], for W_{l+1} */
  double *work;                          /* [block][q][d+1] and [block][q] */
} gannet_tangent_directions;

/* Give the directions room for q vectors, all zero.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tangent_directions_reserve(const gannet_tangent *net, int q,
                                                            gannet_tangent_directions *directions);
void gannet_tangent_directions_release(gannet_tangent_directions *directions);

/* delta_j ~ N(0, I_p): vector j takes the stream with index base.index + j.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tangent_prior(const gannet_tangent *net, gannet_stream base,
                                               gannet_tangent_directions *directions);

/* Draw only the vectors j = first, first + step, ..; the others stay as they are.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_tangent_prior_some(const gannet_tangent *net, gannet_stream base,
                                                    int first, int step,
                                                    gannet_tangent_directions *directions);

/* delta_j = center + factor (delta_j - center) for one vector j.
 *
 * Local.
 *
 * center  in  directions with one vector; NULL = 0
 */
void gannet_tangent_directions_shrink(const gannet_tangent *net, int j, double factor,
                                      const gannet_tangent_directions *center,
                                      gannet_tangent_directions *directions);

/* delta_j = beta delta_j + Phi^T c_j, Phi the features of all points of the list.
 *
 * Local.
 *
 * coefficients  in  [q][ldc], ldc >= features->n
 * Cost: 2 n m q (d+2) operations for one hidden layer, 2 n m^2 q per further layer.
 */
GANNET_CHECKED gannet_err gannet_tangent_transpose(const gannet_tangent *net,
                                                   const gannet_tangent_features *features,
                                                   const double *coefficients, int ldc, double beta,
                                                   gannet_tangent_directions *directions);

/* values[j][i] = phi(x_i) . delta_j for the points of blocks first, first + step, .. of
 * GANNET_TANGENT_BLOCK points; 0, 1 = for all points of a list of features.
 *
 * Local.
 *
 * values  out  [q][ldv], ldv >= features->n
 */
void gannet_tangent_apply(const gannet_tangent *net, const gannet_tangent_features *features,
                          int first, int step, const gannet_tangent_directions *directions,
                          double *values, int ldv);

/* gannet_tangent_apply at n other points, without allocation; per point about 2 m (q+1)(d+2)
 * operations and m activations for one hidden layer.
 *
 * Local.
 *
 * x       in   [n][d]
 * values  out  [q][ldv], ldv >= n
 */
void gannet_tangent_values(const gannet_tangent *net, const gannet_tangent_directions *directions,
                           int n, const double *x, double *values, int ldv);

/* Value and gradient [d] with respect to x of one of the functions at one point.
 *
 * Local.
 */
void gannet_tangent_gradient(const gannet_tangent *net, const gannet_tangent_directions *directions,
                             int j, const double *x, double *value, double *gradient);

#endif
