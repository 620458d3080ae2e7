/* The antisymmetric pair of network/mlp.h at all points of a data set, for trainers: values and
 * products with the matrix J [n][2 parameters] of their derivatives by all weights, which is never
 * formed.
 *
 * The pair is one network of 2m units per layer,
 *
 *   u_1 = W_1 z,  u_l = c W_l a_{l-1},  a_l = phi(u_l),  h = r v . a_L,  r = c / sqrt(2),
 *
 * whose W_l are block diagonal beyond the first layer and whose v carries the minus sign. So the
 * first layer and the last are one matrix product for both halves. With B_l = dh/du_l, row i of J
 * is [B_1 z^T, c B_2 a_1^T, .., c B_L a_{L-1}^T, r a_L] at point i.
 *
 * Weights are in an order of their own, layer by layer: W_1 [2m][inputs], W_2 [2][m][m], .., W_L,
 * v [2m].
 */
#ifndef GANNET_NETWORK_PAIR_H
#define GANNET_NETWORK_PAIR_H

#include "network/mlp.h"

/* Tiles of the Gram matrix: rows x columns. */
enum { GANNET_PAIR_ROWS = 64, GANNET_PAIR_COLUMNS = 256 };

typedef struct {
  const gannet_mlp *net; /* borrowed */
  int n;
  double *a[GANNET_MLP_LAYERS]; /* [n][2m] units */
  double *b[GANNET_MLP_LAYERS]; /* [n][2m] slopes; after _linearise B_l */
  double *back;                 /* [n][2m] scratch */
} gannet_pair;

/* Points of a pair that are passed through the networks together. */
typedef struct {
  int first, rows;
} gannet_pair_block;

/* Blocks of n points: always the same ones, as products have other bits in other shapes. Ranks that
 * share the units make some of them each.
 *
 * Local.
 *
 * k  in  below gannet_pair_blocks(n)
 */
int gannet_pair_blocks(int n);
gannet_pair_block gannet_pair_block_at(int n, int k);

/* A pair in memory of the caller: units, which ranks may share, and scratch of this rank.
 *
 * Local; the pair borrows both.
 *
 * units    out  [gannet_pair_units(net, n)]
 * scratch  out  [gannet_pair_scratch(net, n)]
 */
gannet_pair gannet_pair_in(const gannet_mlp *net, int n, double *units, double *scratch);
size_t gannet_pair_units(const gannet_mlp *net, int n);
size_t gannet_pair_scratch(const gannet_mlp *net, int n);

/* Weights from the order of network/mlp.h, theta [2][parameters], into that of the pair, and back.
 *
 * Local.
 */
void gannet_pair_pack(const gannet_mlp *net, const double *theta, double *packed);
void gannet_pair_unpack(const gannet_mlp *net, const double *packed, double *theta);

/* Values at the points of a block; leaves units and slopes.
 *
 * Local.
 *
 * weights  in   [2 parameters]
 * z        in   [n][inputs]
 * h        out  [n], those of the block
 */
void gannet_pair_forward(gannet_pair *pair, gannet_pair_block block, const double *weights,
                         const double *z, double *h);

/* After _forward with the same weights: what the products below need of the block.
 *
 * Local.
 */
void gannet_pair_linearise(gannet_pair *pair, gannet_pair_block block, const double *weights);

/* k = J J^T: of row i the columns 0 .. i, and some beyond.
 *
 * Local.
 *
 * work  out  [2][GANNET_PAIR_ROWS][GANNET_PAIR_COLUMNS]
 * k     out  [n][n]
 * Cost: gannet_pair_gram_operations, all in matrix products.
 */
void gannet_pair_gram(const gannet_pair *pair, const double *z, double *work, double *k);

/* The tiles that it is made of, each by itself.
 *
 * Local.
 *
 * tile  in   below gannet_pair_tiles(n)
 * k     out  [n][n], of which the tile's numbers are written
 */
int gannet_pair_tiles(int n);
void gannet_pair_gram_tile(const gannet_pair *pair, const double *z, int tile, double *work,
                           double *k);

/* Numbers of a tile.
 *
 * Local.
 */
double gannet_pair_tile_size(int n, int tile);

/* out [n] = J v at the points of a block, v [2 parameters].
 *
 * Local.
 */
void gannet_pair_apply(gannet_pair *pair, gannet_pair_block block, const double *z, const double *v,
                       double *out);

/* Copy units and slopes of a block into a pair in memory that ranks share, and those of another
 * rank from there.
 *
 * Local.
 */
void gannet_pair_show(const gannet_pair *pair, gannet_pair_block block, gannet_pair *all);
void gannet_pair_take(const gannet_pair *all, gannet_pair_block block, gannet_pair *pair);

/* out [2 parameters] = J^T w, w [n], by sums over all points: number k of gannet_pair_sums, of
 * which those between the first and the last are of equal cost.
 *
 * Local.
 */
int gannet_pair_sums(const gannet_mlp *net);
void gannet_pair_sum(gannet_pair *pair, int k, const double *z, const double *w, double *out);

/* Operations in matrix products of _gram (the triangle alone), and of each of _forward, _linearise
 * (about) and _apply for all blocks, and of all sums.
 *
 * Local.
 */
double gannet_pair_gram_operations(const gannet_mlp *net, int n);
double gannet_pair_pass_operations(const gannet_mlp *net, int n);

#endif
