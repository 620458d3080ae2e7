/* The network of the physics-informed model: the sum of a perceptron that sees all coordinates (the
 * wide part) and a small one for every single coordinate (the narrow parts).
 *
 *   f(x; w) = g_0 h_0(z; w_0) + sum_i g_1 h_i(z_i; w_i),   z = (u(x), 1),   u(x) = 2 x - 1 or
 *   u(x) = log((x + e) / (1 - x + e)) / log(1 + 1/e)   (graded),
 *   h(z; w) = (n(z; theta_0 + S w / sqrt 2) - n(z; theta_0 - S w / sqrt 2)) / sqrt 2,
 *
 * n is a perceptron of network/mlp.h. Its first weights start with standard deviation rho, and with
 * bias for the constant input. h is the antisymmetric pair with its two halves tied: h = 0 at the
 * start w = 0, and the gradient of h there is S grad n. S divides the first layer's share by the
 * square root of its inputs, and is 0 for hidden layers when only the output weights vary. g_0 and
 * g_1 make the prior variance, w ~ N(0, I), of the wide part 1 - share and that of the narrow parts
 * share, on average over the cube.
 *
 * Graded inputs see structure of all sizes down to e at the edges of the box. Geometric meshes do
 * the same for layers, and for corners at which boundary values jump (Babuska, Guo 1986), where
 * solutions depend smoothly on logarithms of distances.
 */
#ifndef GANNET_SURROGATE_PINN_NETWORK_H
#define GANNET_SURROGATE_PINN_NETWORK_H

#include <stdbool.h>

#include "base/random.h"
#include "network/jets.h"

typedef struct {
  const gannet_activation *activation;
  int d;
  int layers;
  int width;        /* of the perceptron of all coordinates, >= 1 */
  int single_width; /* of each perceptron of one coordinate; 0 = none */
  bool output_only; /* features are those of the output weights alone */
} pinn_shape;

typedef struct {
  double rho, single_rho; /* > 0 */
  double bias;
  double share; /* of the narrow parts, 0 .. 1 */
  double edge;  /* e of graded inputs; 0 = 2 x - 1 */
} pinn_scales;

typedef struct pinn_network pinn_network;

/* A linear functional of f per row: sum_b coefficient[row][b] (D_b f)(x_point[row]), D_b the
 * derivatives of the plan. Points of the rows do not decrease. */
typedef struct {
  const gannet_jet_plan *plan;
  int n_points;
  const double *x; /* [n_points][d] */
  int n_rows;
  const int *point;          /* [n_rows]; NULL = row i is at point i */
  const double *coefficient; /* [n_rows][n_partials]; NULL = all 1 */
} pinn_rows;

/* Local.
 *
 * Errors: GANNET_ERR_ARG for an activation that is not smooth; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err pinn_network_create(const pinn_shape *shape, gannet_stream stream,
                                              pinn_network **network);
void pinn_network_destroy(pinn_network **network);

/* Set the scales and normalise.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_network_set_scales(pinn_network *network, const pinn_scales *scales);

/* Number p of weights w, and the number of those of the wide part, which come first.
 *
 * Local.
 */
int pinn_network_size(const pinn_network *network);
int pinn_network_wide(const pinn_network *network);

/* phi = the gradients of the functionals by w.
 *
 * Local.
 *
 * w    in   [p] where; NULL = 0, the start
 * phi  out  [n_rows][p]
 */
GANNET_CHECKED gannet_err pinn_network_features(pinn_network *network, const pinn_rows *rows,
                                                const double *w, double *phi);

/* pinn_network_features for rows first .. end - 1 of phi [n_rows][p]. Their bits are those of all
 * rows made at once when first and end are ends of tiles (pinn_network_tile_end), 0 or n_rows.
 *
 * Local.
 */
GANNET_CHECKED gannet_err pinn_network_features_range(pinn_network *network, const pinn_rows *rows,
                                                      int first, int end, const double *w,
                                                      double *phi);

/* The row behind the tile that begins with row first.
 *
 * Local.
 */
int pinn_network_tile_end(const pinn_rows *rows, int first);

/* Derivatives of f by the plan at the points, not linearised.
 *
 * Local.
 *
 * w     in   [p]
 * jets  out  [n_points][n_partials]
 */
GANNET_CHECKED gannet_err pinn_network_jets(pinn_network *network, const pinn_rows *rows,
                                            const double *w, double *jets);

#endif
