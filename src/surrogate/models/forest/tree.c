#include "surrogate/models/forest/tree.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  const tree_data *data;
  gannet_stream stream;
  uint64_t drawn; /* numbers taken from the stream */
  int *order;     /* [n] observations, those of a node side by side */
  int *tried;     /* [d] coordinates, shuffled */
  tree *t;
} growth;

typedef struct {
  int coordinate;
  double threshold, gain;
} split;

static double next_uniform(growth *g) {
  double u = 0;
  gannet_random_uniform(g->stream, g->drawn++, 1, &u);
  return u;
}

static double coordinate_at(const growth *g, int place, int k) {
  return g->data->x[(size_t)g->order[place] * (size_t)g->data->d + (size_t)k];
}

static void range_of(const growth *g, int first, int end, int k, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = first; i < end; ++i) {
    *low = fmin(*low, coordinate_at(g, i, k));
    *high = fmax(*high, coordinate_at(g, i, k));
  }
}

/* Reduction of the summed squares, n_l n_r / n (mean_l - mean_r)^2; negative when a side is too
 * small. */
static double gain_of(const growth *g, int first, int end, const split *s) {
  double left = 0, right = 0;
  int n_left = 0;
  for (int i = first; i < end; ++i) {
    const double y = g->data->y[g->order[i]];
    if (coordinate_at(g, i, s->coordinate) < s->threshold)
      left += y, ++n_left;
    else
      right += y;
  }
  const int n_right = end - first - n_left;
  if (n_left < g->data->least_leaf || n_right < g->data->least_leaf) return -1;
  const double difference = left / n_left - right / n_right;
  return (double)n_left * n_right / (end - first) * difference * difference;
}

/* The best of the random splits; coordinates in which all points agree do not count as tried. */
static split choose_split(growth *g, int first, int end) {
  const int d = g->data->d;
  split best = {.coordinate = -1, .gain = -1};
  for (int k = 0; k < d; ++k) g->tried[k] = k;
  for (int k = 0, left = g->data->tried; k < d && left > 0; ++k) {
    const int other = k + (int)(next_uniform(g) * (d - k));
    const int swap = g->tried[other];
    g->tried[other] = g->tried[k];
    g->tried[k] = swap;
    double low = 0, high = 0;
    range_of(g, first, end, swap, &low, &high);
    if (!(low < high)) continue;
    --left;
    const double threshold = low + next_uniform(g) * (high - low);
    split one = {.coordinate = swap, .threshold = threshold > low ? threshold : high};
    one.gain = gain_of(g, first, end, &one);
    if (one.gain > best.gain) best = one;
  }
  return best;
}

static void make_leaf(growth *g, int first, int end, tree_node *node) {
  const size_t d = (size_t)g->data->d;
  node->coordinate = -1;
  node->leaf = g->t->n_leaves++;
  double sum = 0;
  for (int i = first; i < end; ++i) sum += g->data->y[g->order[i]];
  node->mean = sum / (end - first);
  node->variance = 0;
  for (int i = first; i < end; ++i) {
    const double away = g->data->y[g->order[i]] - node->mean;
    node->variance += away * away / (end - first);
  }
  double *box = g->t->box + (size_t)node->leaf * 2 * d;
  for (size_t k = 0; k < d; ++k) range_of(g, first, end, (int)k, &box[k], &box[d + k]);
}

/* Move observations below the threshold to the front; returns the position behind them. */
static int partition(growth *g, int first, int end, const split *s) {
  int middle = first;
  for (int i = first; i < end; ++i) {
    if (!(coordinate_at(g, i, s->coordinate) < s->threshold)) continue;
    const int swap = g->order[i];
    g->order[i] = g->order[middle];
    g->order[middle++] = swap;
  }
  return middle;
}

/* Breadth-first. A node that waits for its split is already in the tree, with its range of
 * observations in left and right. */
void tree_grow(const tree_data *data, gannet_stream stream, int *order, int *tried, tree *t) {
  growth g = {.data = data, .stream = stream, .order = order, .tried = tried, .t = t};
  for (int i = 0; i < data->n; ++i) order[i] = i;
  t->n_leaves = 0;
  t->node[0] = (tree_node){.left = 0, .right = data->n};
  t->n_nodes = 1;
  for (int at_node = 0; at_node < t->n_nodes; ++at_node) {
    tree_node *node = &t->node[at_node];
    const int first = node->left, end = node->right;
    split best = {.coordinate = -1};
    if (end - first >= 2 * data->least_leaf) best = choose_split(&g, first, end);
    if (best.coordinate < 0) {
      make_leaf(&g, first, end, node);
      continue;
    }
    const int middle = partition(&g, first, end, &best);
    node->coordinate = best.coordinate;
    node->threshold = best.threshold;
    node->left = t->n_nodes;
    node->right = t->n_nodes + 1;
    t->node[t->n_nodes++] = (tree_node){.left = first, .right = middle};
    t->node[t->n_nodes++] = (tree_node){.left = middle, .right = end};
  }
}

const tree_node *tree_find(const tree *t, const double *x) {
  const tree_node *node = t->node;
  while (node->coordinate >= 0)
    node = t->node + (x[node->coordinate] < node->threshold ? node->left : node->right);
  return node;
}

double tree_distance(const tree *t, const tree_node *leaf, int d, const double *x, double *sign) {
  const double *low = t->box + (size_t)leaf->leaf * 2 * (size_t)d, *high = low + d;
  double sum = 0;
  for (int k = 0; k < d; ++k) {
    const double below = low[k] - x[k], above = x[k] - high[k];
    const double away = below > above ? below : above;
    sum += away > 0 ? away : 0; /* no branches: which side a point is on cannot be foreseen */
  }
  for (int k = 0; sign && k < d; ++k) sign[k] = x[k] < low[k] ? -1 : x[k] > high[k] ? 1 : 0;
  return sum;
}
