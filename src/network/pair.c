#include "network/pair.h"

#include <math.h>
#include <string.h>

#include "base/node.h"
#include "base/vector_clones.h"
#include "linalg/blas.h"

enum {
  BLOCKS = 8,      /* blocks into which points are divided */
  WHOLE_ROWS = 16, /* a block has a multiple of so many points, to fill registers */
  LEAST_ROWS = 32  /* fewest points of a block */
};

size_t gannet_pair_units(const gannet_mlp *net, int n) {
  return (size_t)n * 2 * (size_t)net->width * 2 * (size_t)net->layers;
}

size_t gannet_pair_scratch(const gannet_mlp *net, int n) {
  return (size_t)n * 2 * (size_t)net->width;
}

gannet_pair gannet_pair_in(const gannet_mlp *net, int n, double *units, double *scratch) {
  const size_t block = (size_t)n * 2 * (size_t)net->width;
  gannet_pair pair = {.net = net, .n = n, .back = scratch};
  for (int l = 0; l < net->layers; ++l, units += 2 * block) {
    pair.a[l] = units;
    pair.b[l] = units + block;
  }
  return pair;
}

/* Rows of a block but for the last one. */
static int block_rows(int n) {
  const int part = (n + BLOCKS - 1) / BLOCKS;
  const int whole = (part + WHOLE_ROWS - 1) / WHOLE_ROWS * WHOLE_ROWS;
  return whole > LEAST_ROWS ? whole : LEAST_ROWS;
}

int gannet_pair_blocks(int n) {
  return (n + block_rows(n) - 1) / block_rows(n);
}

gannet_pair_block gannet_pair_block_at(int n, int k) {
  const int rows = block_rows(n), first = k * rows;
  return (gannet_pair_block){first, n - first < rows ? n - first : rows};
}

/* Where the rows of a block begin in an array of 2m numbers per point. */
static size_t first_unit(const gannet_pair *pair, gannet_pair_block block) {
  return (size_t)block.first * 2 * (size_t)pair->net->width;
}

/* Number of weights of one half in a layer. */
static size_t layer_size(const gannet_mlp *net, int layer) {
  return gannet_mlp_offset(net, layer + 1) - gannet_mlp_offset(net, layer);
}

static size_t weight_offset(const gannet_mlp *net, int layer, int half) {
  return 2 * gannet_mlp_offset(net, layer) + (half ? layer_size(net, layer) : 0);
}

static size_t output_offset(const gannet_mlp *net) {
  return 2 * gannet_mlp_offset(net, net->layers);
}

void gannet_pair_pack(const gannet_mlp *net, const double *theta, double *packed) {
  const size_t p = gannet_mlp_parameters(net), m = (size_t)net->width;
  const size_t from = gannet_mlp_offset(net, net->layers);
  double *v = packed + output_offset(net);
  for (int half = 0; half < 2; ++half)
    for (int l = 0; l < net->layers; ++l)
      memcpy(packed + weight_offset(net, l, half),
             theta + (half ? p : 0) + gannet_mlp_offset(net, l),
             layer_size(net, l) * sizeof *packed);
  for (size_t j = 0; j < m; ++j) {
    v[j] = theta[from + j];
    v[m + j] = -theta[p + from + j];
  }
}

void gannet_pair_unpack(const gannet_mlp *net, const double *packed, double *theta) {
  const size_t p = gannet_mlp_parameters(net), m = (size_t)net->width;
  const size_t to = gannet_mlp_offset(net, net->layers);
  const double *v = packed + output_offset(net);
  for (int half = 0; half < 2; ++half)
    for (int l = 0; l < net->layers; ++l)
      memcpy(theta + (half ? p : 0) + gannet_mlp_offset(net, l),
             packed + weight_offset(net, l, half), layer_size(net, l) * sizeof *packed);
  for (size_t j = 0; j < m; ++j) {
    theta[to + j] = v[j];
    theta[p + to + j] = -v[m + j];
  }
}

static double output_scale(const gannet_mlp *net) {
  return gannet_mlp_scale(net) * sqrt(0.5);
}

/* u = the part of layer l >= 1 that the halves have each for themselves: c W a. */
static void apply_hidden(const gannet_pair *pair, gannet_pair_block block, int l,
                         const double *weights, double *u) {
  const int m = pair->net->width;
  const double c = gannet_mlp_scale(pair->net), *a = pair->a[l - 1] + first_unit(pair, block);
  for (int half = 0; half < 2; ++half)
    gannet_gemm_nt(block.rows, m, m, c, a + (half ? m : 0), 2 * m,
                   weights + weight_offset(pair->net, l, half), m, 0, u + (half ? m : 0), 2 * m);
}

/* u = W_1 z. */
static void apply_input(const gannet_pair *pair, gannet_pair_block block, const double *weights,
                        const double *z, double *u) {
  const int inputs = pair->net->inputs, width = 2 * pair->net->width;
  gannet_gemm_nt(block.rows, width, inputs, 1, z + (size_t)block.first * (size_t)inputs, inputs,
                 weights, inputs, 0, u, width);
}

void gannet_pair_forward(gannet_pair *pair, gannet_pair_block block, const double *weights,
                         const double *z, double *h) {
  const gannet_mlp *net = pair->net;
  const int width = 2 * net->width, last = net->layers - 1;
  const size_t at = first_unit(pair, block);
  for (int l = 0; l <= last; ++l) {
    if (l == 0)
      apply_input(pair, block, weights, z, pair->a[0] + at);
    else
      apply_hidden(pair, block, l, weights, pair->a[l] + at);
    net->activation->slope(block.rows * width, pair->a[l] + at, pair->a[l] + at, pair->b[l] + at);
  }
  gannet_gemv_n(block.rows, width, output_scale(net), pair->a[last] + at, width,
                weights + output_offset(net), 0, h + block.first);
}

GANNET_VECTOR_CLONES static void multiply_slopes(size_t n, const double *factor, double *values) {
  for (size_t i = 0; i < n; ++i) values[i] *= factor[i];
}

GANNET_VECTOR_CLONES static void add_product(size_t n, const double *x, const double *y,
                                             double *sum) {
  for (size_t i = 0; i < n; ++i) sum[i] += x[i] * y[i];
}

GANNET_VECTOR_CLONES static void set_product(size_t n, const double *x, const double *y,
                                             double *out) {
  for (size_t i = 0; i < n; ++i) out[i] = x[i] * y[i];
}

GANNET_VECTOR_CLONES static void set_scaled(size_t n, double factor, const double *x, double *out) {
  for (size_t i = 0; i < n; ++i) out[i] = factor * x[i];
}

void gannet_pair_linearise(gannet_pair *pair, gannet_pair_block block, const double *weights) {
  const gannet_mlp *net = pair->net;
  const int m = net->width;
  const size_t width = 2 * (size_t)m, rows = (size_t)block.rows, at = first_unit(pair, block);
  const double c = gannet_mlp_scale(net), *v = weights + output_offset(net);
  double *last = pair->b[net->layers - 1] + at;
  set_scaled(width, output_scale(net), v, pair->back);
  for (size_t i = 0; i < rows; ++i) multiply_slopes(width, pair->back, last + i * width);
  for (int l = net->layers - 1; l > 0; --l) {
    for (int half = 0; half < 2; ++half)
      gannet_gemm_nn(block.rows, m, m, c, pair->b[l] + at + (half ? m : 0), 2 * m,
                     weights + weight_offset(net, l, half), m, 0, pair->back + (half ? m : 0),
                     2 * m);
    multiply_slopes(rows * width, pair->back, pair->b[l - 1] + at);
  }
}

/* A tile of the Gram matrix: rows i .. and columns j .., in work. */
typedef struct {
  int i, rows, j, columns;
  double *x, *y;
} gram_tile;

/* c[rows][columns] = scale times inner products of the rows of a, inner numbers of each. */
static void products(const gram_tile *t, int inner, double scale, const double *a, int lda,
                     double *c) {
  gannet_gemm_nt(t->rows, t->columns, inner, scale, a + (size_t)t->i * (size_t)lda, lda,
                 a + (size_t)t->j * (size_t)lda, lda, 0, c, t->columns);
}

static void fill_tile(const gannet_pair *pair, const double *z, const gram_tile *t, double *k) {
  const gannet_mlp *net = pair->net;
  const int m = net->width, n = pair->n;
  const double c = gannet_mlp_scale(net), r = output_scale(net);
  const double *last = pair->a[net->layers - 1];
  const size_t columns = (size_t)t->columns;
  products(t, net->inputs, 1, z, net->inputs, t->x);
  products(t, 2 * m, 1, pair->b[0], 2 * m, t->y);
  for (int i = 0; i < t->rows; ++i)
    set_product(columns, t->x + (size_t)i * columns, t->y + (size_t)i * columns,
                k + (size_t)i * (size_t)n);
  for (int part = 2; part < 2 * net->layers; ++part) {
    const int l = part / 2, at = part % 2 ? m : 0;
    products(t, m, c * c, pair->a[l - 1] + at, 2 * m, t->x);
    products(t, m, 1, pair->b[l] + at, 2 * m, t->y);
    for (int i = 0; i < t->rows; ++i)
      add_product(columns, t->x + (size_t)i * columns, t->y + (size_t)i * columns,
                  k + (size_t)i * (size_t)n);
  }
  gannet_gemm_nt(t->rows, t->columns, 2 * m, r * r, last + (size_t)t->i * 2 * (size_t)m, 2 * m,
                 last + (size_t)t->j * 2 * (size_t)m, 2 * m, 1, k, n);
}

static int least(int a, int b) {
  return a < b ? a : b;
}

static int columns_of(int n, int first_row) {
  return least(n, first_row + GANNET_PAIR_ROWS);
}

static int tiles_of(int n, int first_row) {
  return (columns_of(n, first_row) + GANNET_PAIR_COLUMNS - 1) / GANNET_PAIR_COLUMNS;
}

int gannet_pair_tiles(int n) {
  int tiles = 0;
  for (int i = 0; i < n; i += GANNET_PAIR_ROWS) tiles += tiles_of(n, i);
  return tiles;
}

/* Tile by tile along the rows, which end on the diagonal. */
static gram_tile locate_tile(int n, int tile) {
  int i = 0;
  for (; tile >= tiles_of(n, i); i += GANNET_PAIR_ROWS) tile -= tiles_of(n, i);
  const int j = tile * GANNET_PAIR_COLUMNS;
  return (gram_tile){.i = i,
                     .rows = least(GANNET_PAIR_ROWS, n - i),
                     .j = j,
                     .columns = least(GANNET_PAIR_COLUMNS, columns_of(n, i) - j)};
}

double gannet_pair_tile_size(int n, int tile) {
  const gram_tile t = locate_tile(n, tile);
  return (double)t.rows * t.columns;
}

void gannet_pair_gram_tile(const gannet_pair *pair, const double *z, int tile, double *work,
                           double *k) {
  gram_tile t = locate_tile(pair->n, tile);
  t.x = work;
  t.y = work + (size_t)GANNET_PAIR_ROWS * GANNET_PAIR_COLUMNS;
  fill_tile(pair, z, &t, k + (size_t)t.i * (size_t)pair->n + (size_t)t.j);
}

void gannet_pair_gram(const gannet_pair *pair, const double *z, double *work, double *k) {
  const int tiles = gannet_pair_tiles(pair->n);
  for (int tile = 0; tile < tiles; ++tile) gannet_pair_gram_tile(pair, z, tile, work, k);
}

void gannet_pair_apply(gannet_pair *pair, gannet_pair_block block, const double *z, const double *v,
                       double *out) {
  const gannet_mlp *net = pair->net;
  const int width = 2 * net->width;
  const size_t at = first_unit(pair, block);
  gannet_gemv_n(block.rows, width, output_scale(net), pair->a[net->layers - 1] + at, width,
                v + output_offset(net), 0, out + block.first);
  for (int l = 0; l < net->layers; ++l) {
    if (l == 0)
      apply_input(pair, block, v, z, pair->back);
    else
      apply_hidden(pair, block, l, v, pair->back);
    for (int i = 0; i < block.rows; ++i) {
      const size_t row = (size_t)i * (size_t)width;
      out[block.first + i] += gannet_dot(width, pair->back + row, pair->b[l] + at + row);
    }
  }
}

void gannet_pair_show(const gannet_pair *pair, gannet_pair_block block, gannet_pair *all) {
  const size_t at = first_unit(pair, block);
  const size_t size = (size_t)block.rows * 2 * (size_t)pair->net->width;
  for (int l = 0; l < pair->net->layers; ++l) {
    gannet_node_write(size, pair->a[l] + at, all->a[l] + at);
    gannet_node_write(size, pair->b[l] + at, all->b[l] + at);
  }
}

void gannet_pair_take(const gannet_pair *all, gannet_pair_block block, gannet_pair *pair) {
  const size_t at = first_unit(pair, block);
  const size_t size = (size_t)block.rows * 2 * (size_t)pair->net->width;
  for (int l = 0; l < pair->net->layers; ++l) {
    memcpy(pair->a[l] + at, all->a[l] + at, size * sizeof *pair->a[l]);
    memcpy(pair->b[l] + at, all->b[l] + at, size * sizeof *pair->b[l]);
  }
}

int gannet_pair_sums(const gannet_mlp *net) {
  return 2 * net->layers;
}

/* pair->back [n][columns] = w_i times columns of b, from the one that it points to on. */
static void weigh(gannet_pair *pair, const double *b, int columns, const double *w) {
  const size_t width = 2 * (size_t)pair->net->width, size = (size_t)columns;
  for (size_t i = 0; i < (size_t)pair->n; ++i)
    set_scaled(size, w[i], b + i * width, pair->back + i * size);
}

void gannet_pair_sum(gannet_pair *pair, int k, const double *z, const double *w, double *out) {
  const gannet_mlp *net = pair->net;
  const int n = pair->n, width = 2 * net->width, last = net->layers - 1;
  if (k == 0) {
    weigh(pair, pair->b[0], width, w);
    gannet_gemm_tn(width, net->inputs, n, 1, pair->back, width, z, net->inputs, 0, out,
                   net->inputs);
  } else if (k <= 2 * last) {
    /* The weights of one half of a layer beyond the first. */
    const int l = (k + 1) / 2, half = (k + 1) % 2, m = net->width, at = half ? m : 0;
    weigh(pair, pair->b[l] + at, m, w);
    gannet_gemm_tn(m, m, n, gannet_mlp_scale(net), pair->back, m, pair->a[l - 1] + at, width, 0,
                   out + weight_offset(net, l, half), m);
  } else {
    gannet_gemv_t(n, width, output_scale(net), pair->a[last], width, w, 0,
                  out + output_offset(net));
  }
}

double gannet_pair_gram_operations(const gannet_mlp *net, int n) {
  const double m = net->width, rows = n;
  return rows * (rows + 1) * (net->inputs + 4 * m * net->layers);
}

double gannet_pair_pass_operations(const gannet_mlp *net, int n) {
  const double m = net->width;
  return 4.0 * n * m * (net->inputs + (net->layers - 1) * m);
}
