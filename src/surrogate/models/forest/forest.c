/* A forest of extremely randomised trees, as in SMAC: Hutter, Hoos, Leyton-Brown 2011; Geurts,
 * Ernst, Wehenkel 2006.
 *
 *   mean = (1/T) sum_t mu_t,   sd^2 = (1/T) sum_t ((mu_t - mean)^2 + v_t)
 *
 * with mu_t the mean of the leaf of tree t that holds the point, and
 *
 *   v_t = variance of the leaf's values + s^2 (1 - exp(-distance / reach)),
 *
 * where the distance, a sum over the coordinates, leads to the box that the points of the leaf
 * span, and s^2 is the variance of all values. Leaves reach to the walls of the cube, but knowledge
 * ends with the points; the exponential law is that of Mondrian forests (Lakshminarayanan, Roy, Teh
 * 2016). The distance also gives the uncertainty a gradient, which the means do not have.
 *
 * A draw is the function of one random tree, with a normal deviate for every leaf. Distances and
 * splits need no order among categories: every category is a coordinate of its own, 0 or 1.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/models/forest/tree.h"
#include "surrogate/registry.h"

typedef struct {
  int trees;
  int least_leaf;
  double tried;
  double reach;
} forest_options;

typedef struct {
  const gannet_context *context;
  const forest_options *options;
  gannet_streams streams;
  int d, n, capacity;
  double variance; /* s^2 */
  double reach;
  tree *trees;     /* [trees] */
  tree_node *node; /* [trees][2 n], room for 2 capacity each */
  double *box;     /* [trees][n][2][d] */
  double *sign;    /* [d] workspace: gradient of a distance */
  int q;
  double exploration;
  int *chosen;            /* [q] the tree of each draw */
  gannet_stream *deviate; /* [q] normal numbers of the leaves of each draw */
} forest;

#define MEMBER(name) offsetof(forest_options, name)
static const gannet_option forest_option_table[] = {
    {.key = "trees",
     .type = GANNET_INTEGER,
     .offset = MEMBER(trees),
     .fallback = "64",
     .lower = 2,
     .upper = 10000,
     .help = "trees of the forest"},
    {.key = "least_leaf",
     .type = GANNET_INTEGER,
     .offset = MEMBER(least_leaf),
     .fallback = "auto",
     .lower = 1,
     .upper = 1000,
     .flags = GANNET_OPTION_AUTO,
     .unit = "observations",
     .help = "least size of a leaf; auto = 3 when the noise is given and above a tenth of the "
             "spread of the values, else 1",
     .example = "3"},
    {.key = "tried",
     .type = GANNET_REAL,
     .offset = MEMBER(tried),
     .fallback = "0.8333333333333333",
     .lower = 0,
     .upper = 1,
     .help = "share of the coordinates among which the best split is taken"},
    {.key = "reach",
     .type = GANNET_REAL,
     .offset = MEMBER(reach),
     .fallback = "0.15",
     .lower = 0,
     .upper = 1e6,
     .flags = GANNET_OPTION_OPEN_LOW,
     .unit = "edges of the box",
     .help = "mean distance per coordinate over which the values of a leaf are forgotten"},
    {0}};
#undef MEMBER

static void release_draws(forest *f) {
  gannet_free(&f->chosen);
  gannet_free(&f->deviate);
  f->q = 0;
}

static void destroy(void *state) {
  forest *f = state;
  release_draws(f);
  gannet_free(&f->trees);
  gannet_free(&f->node);
  gannet_free(&f->box);
  gannet_free(&f->sign);
  gannet_free(&f);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  forest *f = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *f, &f));
  *state = f; /* the front destroys it, also after a failure below */
  f->context = context;
  f->options = options;
  f->streams = (gannet_streams){context->seed, model};
  f->d = d;
  f->reach = f->options->reach * d;
  GANNET_TRY(gannet_alloc((size_t)d, sizeof(double), &f->sign));
  return gannet_alloc((size_t)f->options->trees, sizeof *f->trees, &f->trees);
}

static gannet_err reserve(forest *f, int n) {
  const size_t trees = (size_t)f->options->trees, d = (size_t)f->d;
  if (n > f->capacity) {
    const size_t size = (size_t)n + (size_t)n / 2;
    f->capacity = 0;
    gannet_free(&f->node);
    gannet_free(&f->box);
    GANNET_TRY(gannet_alloc(trees * 2 * size, sizeof *f->node, &f->node));
    GANNET_TRY(gannet_alloc(trees * size * 2 * d, sizeof(double), &f->box));
    f->capacity = (int)size;
  }
  for (size_t t = 0; t < trees && n > 0; ++t) {
    f->trees[t].node = f->node + t * 2 * (size_t)n;
    f->trees[t].box = f->box + t * (size_t)n * 2 * d;
  }
  return GANNET_OK;
}

/* Variance of the values; where they do not vary that of the prior, 1. */
static double variance_of(int n, const double *y) {
  double mean = 0, sum = 0;
  for (int i = 0; i < n; ++i) mean += y[i] / n;
  for (int i = 0; i < n; ++i) sum += (y[i] - mean) * (y[i] - mean) / n;
  return sum > 1e-24 * mean * mean ? sum : 1;
}

/* Grow trees first .. end - 1. */
static gannet_err grow_trees(forest *f, const gannet_data *data, int64_t iteration, int first,
                             int end) {
  const int asked = f->options->least_leaf, d = f->d;
  const bool noisy = data->noise_var > 0.01 * f->variance;
  const tree_data shape = {.d = d,
                           .n = data->n,
                           .x = data->x,
                           .y = data->y,
                           .least_leaf = asked != GANNET_AUTO ? asked
                                         : noisy              ? 3
                                                              : 1,
                           .tried = (int)fmax(1, ceil(f->options->tried * d - 1e-9))};
  int *scratch = NULL;
  GANNET_TRY(gannet_alloc((size_t)data->n + (size_t)d, sizeof *scratch, &scratch));
  for (int t = first; t < end; ++t)
    tree_grow(&shape, gannet_stream_of(f->streams, GANNET_FOR_FIT, iteration, t), scratch,
              scratch + data->n, &f->trees[t]);
  gannet_free(&scratch);
  return GANNET_OK;
}

/* Every rank grows a run of the trees, and sends them to the others. Collective. */
static gannet_err grow_forest(forest *f, const gannet_data *data, int64_t iteration) {
  const gannet_context *context = f->context;
  const size_t n = (size_t)data->n, np = (size_t)context->np, d = (size_t)f->d;
  int *first = NULL; /* [np + 1] first tree of every rank, then the number of trees */
  gannet_err code = gannet_alloc(np + 1, sizeof *first, &first);
  for (size_t r = 0; code == GANNET_OK && r <= np; ++r)
    first[r] = (int)((int64_t)f->options->trees * (int64_t)r / context->np);
  if (code == GANNET_OK)
    code = grow_trees(f, data, iteration, first[context->rank], first[context->rank + 1]);
  code = gannet_agree(context->comm, code);
  if (code == GANNET_OK && np > 1)
    code = gannet_partition_gather_rows(context->comm, first, 2 * n * sizeof *f->node, f->node);
  if (code == GANNET_OK && np > 1)
    code = gannet_partition_gather_rows(context->comm, first, n * 2 * d * sizeof *f->box, f->box);
  gannet_free(&first);
  return code;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  forest *f = state;
  (void)learn;
  release_draws(f);
  f->n = 0;
  GANNET_TRY(gannet_agree(f->context->comm, reserve(f, data->n)));
  f->variance = variance_of(data->n, data->y);
  if (data->n > 0) GANNET_TRY(grow_forest(f, data, iteration));
  f->n = data->n;
  return GANNET_OK;
}

/* v_t of a leaf; *slope becomes its derivative by the distance, sign [d] that of the distance. */
static double leaf_variance(const forest *f, int t, const tree_node *leaf, const double *x,
                            double *sign, double *slope) {
  const double distance = tree_distance(&f->trees[t], leaf, f->d, x, sign);
  const double known = exp(-distance / f->reach);
  *slope = f->variance * known / f->reach;
  return leaf->variance + f->variance * (1 - known);
}

/* Mean and variance at m <= GANNET_TILE points, tree by tree: a tree stays in the cache while all
 * points look for their leaves. by_x [d], for one point, becomes the gradient of the variance. */
static void moments(const forest *f, int m, const double *x, double *mean, double *variance,
                    double *by_x) {
  const int trees = f->n > 0 ? f->options->trees : 0;
  double spread[GANNET_TILE], slope = 0;
  if (by_x) memset(by_x, 0, (size_t)f->d * sizeof *by_x);
  for (int i = 0; i < m; ++i) {
    mean[i] = spread[i] = 0;
    variance[i] = trees > 0 ? 0 : f->variance;
  }
  for (int t = 0; t < trees; ++t)
    for (int i = 0; i < m; ++i) {
      const double *at = x + (size_t)i * (size_t)f->d;
      const tree_node *leaf = tree_find(&f->trees[t], at);
      const double away = leaf->mean - mean[i];
      mean[i] += away / (t + 1); /* Welford 1962: no cancellation */
      spread[i] += away * (leaf->mean - mean[i]);
      variance[i] += leaf_variance(f, t, leaf, at, by_x ? f->sign : NULL, &slope) / trees;
      for (int k = 0; by_x && k < f->d; ++k) by_x[k] += slope * f->sign[k] / trees;
    }
  for (int i = 0; i < m && trees > 0; ++i) variance[i] += spread[i] / trees;
}

static int rows_of_tile(int m, int first) {
  return m - first < GANNET_TILE ? m - first : GANNET_TILE;
}

static gannet_err predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const forest *f = state;
  double variance[GANNET_TILE];
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = rows_of_tile(m, first);
    moments(f, rows, x + (size_t)first * (size_t)f->d, mean + first, variance, NULL);
    for (int i = 0; sd && i < rows; ++i) sd[first + i] = sqrt(variance[i]);
  }
  return GANNET_OK;
}

/* The gradient of the mean is 0 almost everywhere. */
static gannet_err predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                   double *mean_gradient, double *sd_gradient) {
  const forest *f = state;
  double variance = 0;
  moments(f, 1, x, mean, &variance, sd_gradient);
  *sd = sqrt(variance);
  memset(mean_gradient, 0, (size_t)f->d * sizeof *mean_gradient);
  for (int k = 0; k < f->d; ++k) sd_gradient[k] *= *sd > 0 ? 0.5 / *sd : 0;
  return GANNET_OK;
}

static gannet_err sample(void *state, int q, double exploration, int64_t iteration) {
  forest *f = state;
  release_draws(f);
  GANNET_TRY(gannet_alloc((size_t)q, sizeof *f->chosen, &f->chosen));
  GANNET_TRY(gannet_alloc((size_t)q, sizeof *f->deviate, &f->deviate));
  for (int j = 0; j < q; ++j) {
    double u = 0;
    gannet_random_uniform(gannet_stream_of(f->streams, GANNET_FOR_PRIOR, iteration, j), 0, 1, &u);
    f->chosen[j] = (int)(u * f->options->trees);
    f->deviate[j] = gannet_stream_of(f->streams, GANNET_FOR_NOISE, iteration, j);
  }
  f->exploration = exploration;
  f->q = q;
  return GANNET_OK;
}

/* Value of draw j at a point with the forest's mean there; by_x [d] becomes its gradient, NULL =
 * not wanted. */
static double draw_at(const forest *f, int j, const double *x, double mean, double *by_x) {
  const int t = f->chosen[j];
  const tree_node *leaf = f->n > 0 ? tree_find(&f->trees[t], x) : NULL;
  double normal = 0, slope = 0, variance = f->variance;
  gannet_random_normal(f->deviate[j], leaf ? (uint64_t)leaf->leaf : 0, 1, &normal);
  if (leaf) variance = leaf_variance(f, t, leaf, x, by_x, &slope);
  const double sd = sqrt(variance), factor = sd > 0 ? 0.5 * slope / sd : 0;
  for (int k = 0; by_x && k < f->d; ++k)
    by_x[k] = leaf ? f->exploration * normal * factor * by_x[k] : 0;
  return mean + f->exploration * ((leaf ? leaf->mean : 0) - mean + normal * sd);
}

static gannet_err draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const forest *f = state;
  double mean[GANNET_TILE], variance[GANNET_TILE];
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = rows_of_tile(m, first);
    const double *at = x + (size_t)first * (size_t)f->d;
    moments(f, rows, at, mean, variance, NULL);
    for (int j = 0; j < f->q; ++j)
      for (int i = 0; i < rows; ++i)
        values[(size_t)j * (size_t)ldv + (size_t)(first + i)] =
            draw_at(f, j, at + (size_t)i * (size_t)f->d, mean[i], NULL);
  }
  return GANNET_OK;
}

static gannet_err draw_gradient(const void *state, int draw, const double *x, double *value,
                                double *gradient) {
  const forest *f = state;
  double mean = 0, variance = 0;
  moments(f, 1, x, &mean, &variance, NULL);
  *value = draw_at(f, draw, x, mean, gradient);
  return GANNET_OK;
}

const gannet_surrogate_type gannet_surrogate_forest = {
    .name = "forest",
    .summary = "extremely randomised trees, for mixed and categorical designs",
    .source = "Hutter, Hoos, Leyton-Brown 2011; Geurts, Ernst, Wehenkel 2006",
    .options = forest_option_table,
    .options_size = sizeof(forest_options),
    .takes_far = true,
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .predict = predict,
    .predict_gradient = predict_gradient,
    .sample = sample,
    .draw_values = draw_values,
    .draw_gradient = draw_gradient,
};
