/* One extremely randomised tree of regression: Geurts, Ernst, Wehenkel 2006.
 *
 * A node is split where a random threshold in one of some randomly chosen coordinates reduces the
 * variance most; a leaf keeps mean and variance of its values and the box that its points span.
 */
#ifndef GANNET_SURROGATE_TREE_H
#define GANNET_SURROGATE_TREE_H

#include "base/random.h"

typedef struct {
  int coordinate;        /* coordinate of the split; -1 = a leaf */
  double threshold;      /* points below it go left */
  int left, right;       /* nodes */
  double mean, variance; /* values of a leaf */
  int leaf;              /* number of the leaf, position of its box */
} tree_node;

typedef struct {
  tree_node *node;       /* [2 n] */
  double *box;           /* [n][2][d] lower and upper corner of each leaf */
  int n_nodes, n_leaves; /* only set on the rank that grew the tree */
} tree;

typedef struct {
  int d, n;
  const double *x; /* [n][d] */
  const double *y; /* [n] */
  int least_leaf;  /* least number of observations in a leaf */
  int tried;       /* coordinates tried per split */
} tree_data;

/* Grow a tree into t->node and t->box, which the caller allocates.
 *
 * Local.
 *
 * order  out  [n] scratch
 * tried  out  [d] scratch
 */
void tree_grow(const tree_data *data, gannet_stream stream, int *order, int *tried, tree *t);

/* The leaf of a point.
 *
 * Local.
 */
const tree_node *tree_find(const tree *t, const double *x);

/* Sum over the coordinates of the distance from a point to the box of a leaf, and the derivatives
 * of the sum, which are -1, 0 or 1.
 *
 * Local.
 *
 * sign  out  [d]; NULL when not wanted
 */
double tree_distance(const tree *t, const tree_node *leaf, int d, const double *x, double *sign);

#endif
