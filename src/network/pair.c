#include "network/pair.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/vector_clones.h"

size_t gannet_pair_bytes(const gannet_mlp *net, int n) {
  return sizeof(double) * (size_t)n * 2 * (size_t)net->width * (2 * (size_t)net->layers + 1);
}

gannet_err gannet_pair_create(const gannet_mlp *net, int n, gannet_pair *pair) {
  const size_t block = (size_t)n * 2 * (size_t)net->width;
  *pair = (gannet_pair){.net = net, .n = n};
  GANNET_TRY(gannet_alloc(block * (2 * (size_t)net->layers + 1), sizeof(double), &pair->memory));
  double *next = pair->memory;
  for (int l = 0; l < net->layers; ++l, next += 2 * block) {
    pair->a[l] = next;
    pair->b[l] = next + block;
  }
  pair->back = next;
  return GANNET_OK;
}

void gannet_pair_release(gannet_pair *pair) {
  gannet_free(&pair->memory);
  *pair = (gannet_pair){0};
}

/* Number of weights of one half in a layer. */
static size_t layer_size(const gannet_mlp *net, int layer) {
  return gannet_mlp_offset(net, layer + 1) - gannet_mlp_offset(net, layer);
}

static size_t offset(const gannet_mlp *net, int layer, int half) {
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
      memcpy(packed + offset(net, l, half), theta + (half ? p : 0) + gannet_mlp_offset(net, l),
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
      memcpy(theta + (half ? p : 0) + gannet_mlp_offset(net, l), packed + offset(net, l, half),
             layer_size(net, l) * sizeof *packed);
  for (size_t j = 0; j < m; ++j) {
    theta[to + j] = v[j];
    theta[p + to + j] = -v[m + j];
  }
}

static double output_scale(const gannet_mlp *net) {
  return gannet_mlp_scale(net) * sqrt(0.5);
}

/* u = the part of layer l >= 1 that the halves have each for themselves: c W a. */
static void hidden(const gannet_pair *pair, int l, const double *weights, double *u) {
  const int m = pair->net->width;
  const double c = gannet_mlp_scale(pair->net);
  for (int half = 0; half < 2; ++half)
    gannet_gemm_nt(pair->n, m, m, c, pair->a[l - 1] + (half ? m : 0), 2 * m,
                   weights + offset(pair->net, l, half), m, 0, u + (half ? m : 0), 2 * m);
}

void gannet_pair_forward(gannet_pair *pair, const double *weights, const double *z, double *h) {
  const gannet_mlp *net = pair->net;
  const int width = 2 * net->width, last = net->layers - 1;
  gannet_gemm_nt(pair->n, width, net->inputs, 1, z, net->inputs, weights, net->inputs, 0,
                 pair->a[0], width);
  for (int l = 0; l <= last; ++l) {
    if (l > 0) hidden(pair, l, weights, pair->a[l]);
    net->activation->slope(pair->n * width, pair->a[l], pair->a[l], pair->b[l]);
  }
  gannet_gemv_n(pair->n, width, output_scale(net), pair->a[last], width,
                weights + output_offset(net), 0, h);
}

GANNET_VECTOR_CLONES static void multiply(size_t n, const double *factor, double *values) {
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

void gannet_pair_linearise(gannet_pair *pair, const double *weights) {
  const gannet_mlp *net = pair->net;
  const int m = net->width;
  const size_t width = 2 * (size_t)m, rows = (size_t)pair->n;
  const double c = gannet_mlp_scale(net), *v = weights + output_offset(net);
  double *last = pair->b[net->layers - 1];
  set_scaled(width, output_scale(net), v, pair->back);
  for (size_t i = 0; i < rows; ++i) multiply(width, pair->back, last + i * width);
  for (int l = net->layers - 1; l > 0; --l) {
    for (int half = 0; half < 2; ++half)
      gannet_gemm_nn(pair->n, m, m, c, pair->b[l] + (half ? m : 0), 2 * m,
                     weights + offset(net, l, half), m, 0, pair->back + (half ? m : 0), 2 * m);
    multiply(rows * width, pair->back, pair->b[l - 1]);
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
static gram_tile place(int n, int tile) {
  int i = 0;
  for (; tile >= tiles_of(n, i); i += GANNET_PAIR_ROWS) tile -= tiles_of(n, i);
  const int j = tile * GANNET_PAIR_COLUMNS;
  return (gram_tile){.i = i,
                     .rows = least(GANNET_PAIR_ROWS, n - i),
                     .j = j,
                     .columns = least(GANNET_PAIR_COLUMNS, columns_of(n, i) - j)};
}

double gannet_pair_tile_size(int n, int tile) {
  const gram_tile t = place(n, tile);
  return (double)t.rows * t.columns;
}

void gannet_pair_gram_tile(const gannet_pair *pair, const double *z, int tile, double *work,
                           double *k) {
  gram_tile t = place(pair->n, tile);
  t.x = work;
  t.y = work + (size_t)GANNET_PAIR_ROWS * GANNET_PAIR_COLUMNS;
  fill_tile(pair, z, &t, k + (size_t)t.i * (size_t)pair->n + (size_t)t.j);
}

void gannet_pair_gram(const gannet_pair *pair, const double *z, double *work, double *k) {
  const int tiles = gannet_pair_tiles(pair->n);
  for (int tile = 0; tile < tiles; ++tile) gannet_pair_gram_tile(pair, z, tile, work, k);
}

void gannet_pair_apply(gannet_pair *pair, const double *z, const double *v, double *out) {
  const gannet_mlp *net = pair->net;
  const int width = 2 * net->width;
  gannet_gemv_n(pair->n, width, output_scale(net), pair->a[net->layers - 1], width,
                v + output_offset(net), 0, out);
  for (int l = 0; l < net->layers; ++l) {
    if (l == 0)
      gannet_gemm_nt(pair->n, width, net->inputs, 1, z, net->inputs, v, net->inputs, 0, pair->back,
                     width);
    else
      hidden(pair, l, v, pair->back);
    for (int i = 0; i < pair->n; ++i) {
      const size_t row = (size_t)i * (size_t)width;
      out[i] += gannet_dot(width, pair->back + row, pair->b[l] + row);
    }
  }
}

void gannet_pair_transpose(gannet_pair *pair, const double *z, const double *w, double *out) {
  const gannet_mlp *net = pair->net;
  const int m = net->width, n = pair->n, width = 2 * m;
  const double c = gannet_mlp_scale(net);
  for (int l = 0; l < net->layers; ++l) {
    for (size_t i = 0; i < (size_t)n; ++i)
      set_scaled((size_t)width, w[i], pair->b[l] + i * (size_t)width,
                 pair->back + i * (size_t)width);
    if (l == 0)
      gannet_gemm_tn(width, net->inputs, n, 1, pair->back, width, z, net->inputs, 0, out,
                     net->inputs);
    for (int half = 0; l > 0 && half < 2; ++half)
      gannet_gemm_tn(m, m, n, c, pair->back + (half ? m : 0), width,
                     pair->a[l - 1] + (half ? m : 0), width, 0, out + offset(net, l, half), m);
  }
  gannet_gemv_t(n, width, output_scale(net), pair->a[net->layers - 1], width, w, 0,
                out + output_offset(net));
}

double gannet_pair_gram_operations(const gannet_mlp *net, int n) {
  const double m = net->width, rows = n;
  return rows * (rows + 1) * (net->inputs + 4 * m * net->layers);
}

double gannet_pair_pass_operations(const gannet_mlp *net, int n) {
  const double m = net->width;
  return 4.0 * n * m * (net->inputs + (net->layers - 1) * m);
}
