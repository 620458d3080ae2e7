/* Tangent kernels of infinitely wide networks, and their derivatives with respect to input scales.
 *
 * For the network of network/tangent.h as its width grows, with s = z . z' of the embedded inputs:
 *
 *   S_0 = s,   S_l = g E phi(u) phi(u'),   D_l = g E phi'(u) phi'(u'),   (u, u') ~ N(0, S_{l-1}),
 *   T_0 = s,   T_l = T_{l-1} D_l + S_l,    k = T_L            (Jacot et al. 2018).
 *
 * Closed forms: relu arc-cosine (Cho and Saul 2009), erf arc-sine (Williams 1997), sin by the
 * characteristic function of the normal. tanh takes the form of erf(sqrt(pi)/2 u), which has the
 * same slope and limits; it differs by up to 4 %.
 */
#ifndef GANNET_NETWORK_ANALYTIC_KERNEL_H
#define GANNET_NETWORK_ANALYTIC_KERNEL_H

#include "network/activation.h"
#include "network/input_embedding.h"

typedef struct {
  const gannet_activation *activation;
  int layers; /* hidden, 1 .. GANNET_TANGENT_LAYERS */
  int d;
  gannet_embedding_kind embedding;
} gannet_analytic_shape;

typedef struct gannet_analytic gannet_analytic;

/* A kernel on a fixed set of points.
 *
 * Local.
 *
 * x  in  [n][d] unit cube; copied
 *
 * Errors: GANNET_ERR_ARG for a shape outside its range; GANNET_ERR_NAME for an activation without a
 * closed form; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_analytic_create(const gannet_analytic_shape *shape, int n,
                                                 const double *x, gannet_analytic **kernel);
void gannet_analytic_destroy(gannet_analytic **kernel);

/* Set the scales, in time n^2 (2 d). What follows is at the last ones.
 *
 * Local.
 *
 * rho  in  [d]
 */
void gannet_analytic_set(gannet_analytic *kernel, const double *rho, double bias);

/* Rows first .. first+rows-1 of the matrix up to the diagonal: k[i*ldk + j] for j <= first+i.
 *
 * Local.
 *
 * Cost: a few transcendental functions per entry and layer.
 */
void gannet_analytic_rows(gannet_analytic *kernel, int first, int rows, double *k, int ldk);

/* Derivatives of a number F with respect to the logarithms of the scales, from those with respect
 * to the entries of the matrix, at the scales of the last call: the share of rows first ..
 * first+rows-1, each from its diagonal element on. The shares of all rows sum to the whole.
 *
 * Local.
 *
 * by_k     in   [rows][n] dF = sum_ij by_k_ij dk_ij, symmetric; row 0 is that of point first;
 *               columns before the diagonal are not read
 * by_rho   out  [d] dF / d log rho_i
 * by_bias  out  dF / d log bias
 * by_size  out  the share in sum_ij by_k_ij k_ij: dF / d log of a factor of the matrix
 */
void gannet_analytic_reverse_rows(gannet_analytic *kernel, int first, int rows, const double *by_k,
                                  double *by_rho, double *by_bias, double *by_size);

#endif
