/* A multilayer perceptron whose weights are trained: values and gradients by tiles of points.
 *
 *   u_1 = W_1 z,  u_l = c W_l a_{l-1} (l = 2..L),  a_l = phi(u_l),
 *   f(z) = c v . a_L,  c = sqrt(g/m),
 *
 * the parametrisation of network/tangent.h (Jacot et al. 2018): weights start as standard normal
 * numbers, g = 2 for relu and 1 otherwise, z is the embedded input. The parameters are one vector
 * in the order W_1 [m][inputs], W_2 [m][m], .., W_L, v [m]; the same stream starts both.
 *
 * The model is the antisymmetric pair h = (f(theta_1) - f(theta_2)) / sqrt(2), which is 0 where
 * both start at the same weights, and has the whole tangent kernel of f there.
 */
#ifndef GANNET_NETWORK_MLP_H
#define GANNET_NETWORK_MLP_H

#include <stdbool.h>

#include "base/random.h"
#include "network/activation.h"

enum { GANNET_MLP_LAYERS = 8, GANNET_MLP_ROWS = 512 };

typedef struct {
  const gannet_activation *activation;
  int inputs; /* length of z, >= 1 */
  int layers; /* hidden, 1 .. GANNET_MLP_LAYERS */
  int width;  /* m, units per hidden layer, >= 1 */
} gannet_mlp;

/* Some of the two networks of a pair: network first and count - 1 after it; count = 0 .. 2. */
typedef struct {
  int first, count;
} gannet_halves;

/* The networks that a rank works on. Where ranks share a pair, each of the first two has one
 * network. */
static inline gannet_halves gannet_halves_of(int rank, bool shared) {
  if (!shared) return (gannet_halves){0, 2};
  return rank < 2 ? (gannet_halves){rank, 1} : (gannet_halves){0, 0};
}

/* What a forward pass leaves for the backward pass. */
typedef struct {
  int rows;
  double *a[GANNET_MLP_LAYERS];     /* [rows][m] activations */
  double *slope[GANNET_MLP_LAYERS]; /* [rows][m] phi'(u) */
  double *back[2];                  /* [rows][m] */
  double *memory;
} gannet_mlp_tape;

/* Number of parameters of one network.
 *
 * Local.
 */
size_t gannet_mlp_parameters(const gannet_mlp *net);

/* Where the weights of a layer start in theta (layer 0 is W_1, layer L is v), and c.
 *
 * Local.
 */
size_t gannet_mlp_offset(const gannet_mlp *net, int layer);
double gannet_mlp_scale(const gannet_mlp *net);

/* The starting weights of a stream.
 *
 * Local.
 *
 * theta  out  [parameters]
 */
void gannet_mlp_start(const gannet_mlp *net, gannet_stream stream, double *theta);

/* A tape for up to rows points; release accepts a zeroed struct.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG for a shape outside its range; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_mlp_tape_create(const gannet_mlp *net, int rows,
                                                 gannet_mlp_tape *tape);
void gannet_mlp_tape_release(gannet_mlp_tape *tape);

/* Values at n points, n <= tape->rows.
 *
 * Local.
 *
 * z    in     [n][inputs]
 * out  out    [n]
 */
void gannet_mlp_forward(const gannet_mlp *net, const double *theta, int n, const double *z,
                        gannet_mlp_tape *tape, double *out);

/* After a forward pass at the same points: derivatives of sum_i weight_i f(z_i).
 *
 * Local.
 *
 * weight     in     [n]
 * by_theta   inout  [parameters], added to; NULL when not wanted
 * by_z       out    [n][inputs]; NULL when not wanted
 */
void gannet_mlp_backward(const gannet_mlp *net, const double *theta, int n, const double *z,
                         const double *weight, gannet_mlp_tape *tape, double *by_theta,
                         double *by_z);

/* Values of the pair, n any number.
 *
 * Local.
 *
 * theta  in   [2][parameters]
 * h      out  [n]
 */
void gannet_mlp_pair_values(const gannet_mlp *net, const double *theta, int n, const double *z,
                            gannet_mlp_tape *tape, double *h);

/* Value of the pair at one point, and its gradient with respect to z.
 *
 * Local.
 *
 * work  out  [inputs] scratch
 * by_z  out  [inputs]
 */
double gannet_mlp_pair_gradient(const gannet_mlp *net, const double *theta, const double *z,
                                gannet_mlp_tape *tape, double *work, double *by_z);

#endif
