#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/tangent_impl.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

/* Numbers of so many rows. */
static size_t rows_of(size_t rows, int columns) {
  return rows * (size_t)columns;
}

size_t gannet_tangent_parameters(const gannet_tangent *net) {
  const size_t m = (size_t)net->shape.width;
  return m * (size_t)net->inputs + (size_t)(net->shape.layers - 1) * m * m + m;
}

static gannet_err features_reserve(const gannet_tangent *net, int capacity,
                                   gannet_tangent_features *f) {
  if (capacity <= f->capacity) return GANNET_OK;
  const size_t old = (size_t)f->capacity, new = (size_t)capacity;
  const int m = net->shape.width;
  GANNET_TRY(
      gannet_resize(rows_of(old, net->inputs), rows_of(new, net->inputs), sizeof *f->z, &f->z));
  for (int l = 0; l < net->shape.layers; ++l) {
    GANNET_TRY(gannet_resize(rows_of(old, m), rows_of(new, m), sizeof **f->a, &f->a[l]));
    GANNET_TRY(gannet_resize(rows_of(old, m), rows_of(new, m), sizeof **f->b, &f->b[l]));
  }
  f->capacity = capacity;
  return GANNET_OK;
}

static gannet_err allocate_network(gannet_tangent *net) {
  const size_t m = (size_t)net->shape.width, d = (size_t)net->shape.d;
  const size_t layers = (size_t)net->shape.layers;
  GANNET_TRY(gannet_alloc(d, sizeof *net->rho, &net->rho));
  GANNET_TRY(gannet_alloc(gannet_tangent_parameters(net), sizeof *net->weights, &net->weights));
  GANNET_TRY(gannet_alloc(BLOCK * m, sizeof *net->u, &net->u));
  for (size_t l = 0; l < layers; ++l)
    GANNET_TRY(gannet_alloc(BLOCK * m, sizeof **net->slope, &net->slope[l]));
  GANNET_TRY(gannet_alloc(2 * BLOCK * TANGENT_COLUMNS, sizeof *net->products, &net->products));
  GANNET_TRY(gannet_alloc((4 * layers + 4) * m + 2 * (d + 1), sizeof *net->point, &net->point));
  return features_reserve(net, BLOCK, &net->tile);
}

gannet_err gannet_tangent_create(const gannet_tangent_shape *shape, gannet_stream stream,
                                 gannet_tangent **net) {
  GANNET_REQUIRE(shape->d >= 1 && shape->width >= 1, GANNET_ERR_ARG,
                 "d = %d, width = %d, expected at least 1", shape->d, shape->width);
  GANNET_REQUIRE(shape->layers >= 1 && shape->layers <= GANNET_TANGENT_LAYERS, GANNET_ERR_ARG,
                 "layers = %d, expected 1 to %d", shape->layers, GANNET_TANGENT_LAYERS);
  gannet_tangent *new = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *new, &new));
  new->shape = *shape;
  new->inputs = shape->d + 1;
  new->c = sqrt((shape->activation->smooth ? 1.0 : 2.0) / shape->width);
  new->bias = 1;
  const gannet_err err = allocate_network(new);
  if (err != GANNET_OK) {
    gannet_tangent_destroy(&new);
    GANNET_TRY(err);
  }
  for (int k = 0; k < shape->d; ++k) new->rho[k] = 1;
  gannet_tangent_redraw(new, stream);
  double *at = new->weights;
  for (int l = 0; l <= shape->layers; ++l) {
    new->layer[l] = at;
    at += (size_t)shape->width * (size_t)(l == 0 ? new->inputs : shape->width);
  }
  *net = new;
  return GANNET_OK;
}

void gannet_tangent_destroy(gannet_tangent **net) {
  if (!*net) return;
  gannet_tangent *old = *net;
  gannet_free(&old->rho);
  gannet_free(&old->weights);
  gannet_free(&old->u);
  for (int l = 0; l < GANNET_TANGENT_LAYERS; ++l) gannet_free(&old->slope[l]);
  gannet_free(&old->products);
  gannet_free(&old->point);
  gannet_tangent_release(&old->tile);
  gannet_free(net);
}

void gannet_tangent_redraw(gannet_tangent *net, gannet_stream stream) {
  gannet_random_normal(stream, 0, gannet_tangent_parameters(net), net->weights);
}

void gannet_tangent_set_inputs(gannet_tangent *net, const double *rho, double bias) {
  memcpy(net->rho, rho, (size_t)net->shape.d * sizeof *rho);
  net->bias = bias;
}

const double *gannet_tangent_weights(const gannet_tangent *net, int layer) {
  return net->layer[layer];
}

/* Fill z of one block of rows, of points x, or of points that are embedded already; rows n .. are
 * zero. */
static void embed_block(const gannet_tangent *net, int n, const double *x, const double *embedded,
                        double *z) {
  const gannet_input_embedding embedding = {net->shape.embedding, net->shape.d, net->rho,
                                            net->bias};
  if (embedded)
    memcpy(z, embedded, rows_of((size_t)n, net->inputs) * sizeof *z);
  else
    gannet_embed_inputs(&embedding, n, x, z);
  memset(z + rows_of((size_t)n, net->inputs), 0,
         rows_of((size_t)(BLOCK - n), net->inputs) * sizeof *z);
}

/* Activations of the block that starts at row first, z given; leaves slopes for backward_block. */
static void forward_block(const gannet_tangent *net, gannet_tangent_features *f, int first) {
  const int m = net->shape.width;
  const double *below = f->z + rows_of((size_t)first, net->inputs);
  int columns = net->inputs;
  for (int l = 0; l < net->shape.layers; ++l) {
    double *a = f->a[l] + rows_of((size_t)first, m);
    gannet_gemm_nt(BLOCK, m, columns, l == 0 ? 1 : net->c, below, columns, net->layer[l], columns,
                   0, net->u, m);
    net->shape.activation->slope(BLOCK * m, net->u, a, net->slope[l]);
    below = a;
    columns = m;
  }
}

/* Backward vectors of the block. */
static void backward_block(const gannet_tangent *net, gannet_tangent_features *f, int first) {
  const int m = net->shape.width, top = net->shape.layers - 1;
  const double *output = net->layer[top + 1];
  double *b = f->b[top] + rows_of((size_t)first, m);
  for (int i = 0; i < BLOCK; ++i)
    for (int j = 0; j < m; ++j) b[i * m + j] = net->c * output[j] * net->slope[top][i * m + j];
  for (int l = top; l > 0; --l) {
    double *below = f->b[l - 1] + rows_of((size_t)first, m);
    gannet_gemm_nn(BLOCK, m, m, net->c, b, m, net->layer[l], m, 0, below, m);
    for (int i = 0; i < BLOCK * m; ++i) below[i] *= net->slope[l - 1][i];
    b = below;
  }
}

static gannet_err extend(const gannet_tangent *net, int n, const double *x, const double *z,
                         int own, int step, gannet_tangent_features *features) {
  const int blocks = n / BLOCK + (n % BLOCK != 0), kept = features->n / BLOCK;
  int capacity = blocks * BLOCK;
  if (capacity > features->capacity && features->capacity > 0 &&
      capacity < features->capacity * 3 / 2)
    capacity = (features->capacity * 3 / 2 + BLOCK - 1) / BLOCK * BLOCK; /* amortised growth */
  GANNET_TRY(features_reserve(net, capacity, features));
  for (int block = kept < blocks ? kept : blocks; block < blocks; ++block) {
    const int first = block * BLOCK, rows = n - first < BLOCK ? n - first : BLOCK;
    if (block > 0 && block % step != own) continue;
    embed_block(net, rows, x ? x + rows_of((size_t)first, net->shape.d) : NULL,
                z ? z + rows_of((size_t)first, net->inputs) : NULL,
                features->z + rows_of((size_t)first, net->inputs));
    forward_block(net, features, first);
    backward_block(net, features, first);
  }
  features->n = n;
  return GANNET_OK;
}

gannet_err gannet_tangent_extend_some(const gannet_tangent *net, int n, const double *x, int own,
                                      int step, gannet_tangent_features *features) {
  return extend(net, n, x, NULL, own, step, features);
}

gannet_err gannet_tangent_make_some(const gannet_tangent *net, int n, const double *z, int own,
                                    int step, gannet_tangent_features *features) {
  features->n = 0;
  return extend(net, n, NULL, z, own, step, features);
}

gannet_err gannet_tangent_extend(const gannet_tangent *net, int n, const double *x,
                                 gannet_tangent_features *features) {
  return gannet_tangent_extend_some(net, n, x, 0, 1, features);
}

void gannet_tangent_release(gannet_tangent_features *features) {
  gannet_free(&features->z);
  for (int l = 0; l < GANNET_TANGENT_LAYERS; ++l) {
    gannet_free(&features->a[l]);
    gannet_free(&features->b[l]);
  }
  *features = (gannet_tangent_features){0};
}

/* One piece of a kernel: na <= block rows, nb <= TANGENT_COLUMNS columns from column first_b. */
static void kernel_piece(const gannet_tangent *net, const gannet_tangent_features *a, int first_a,
                         int na, const gannet_tangent_features *b, int first_b, int nb, double *k,
                         int ldk) {
  const int m = net->shape.width, top = net->shape.layers - 1;
  const size_t ra = (size_t)first_a * (size_t)m, rb = (size_t)first_b * (size_t)m;
  const double c2 = net->c * net->c;
  double *forward_part = net->products, *backward_part = net->products + BLOCK * TANGENT_COLUMNS;
  gannet_gemm_nt(na, nb, m, c2, a->a[top] + ra, m, b->a[top] + rb, m, 0, k, ldk);
  for (int l = top; l >= 0; --l) {
    if (l > 0)
      gannet_gemm_nt(na, nb, m, c2, a->a[l - 1] + ra, m, b->a[l - 1] + rb, m, 0, forward_part,
                     TANGENT_COLUMNS);
    else
      gannet_gemm_nt(na, nb, net->inputs, 1, a->z + rows_of((size_t)first_a, net->inputs),
                     net->inputs, b->z + rows_of((size_t)first_b, net->inputs), net->inputs, 0,
                     forward_part, TANGENT_COLUMNS);
    gannet_gemm_nt(na, nb, m, 1, a->b[l] + ra, m, b->b[l] + rb, m, 0, backward_part,
                   TANGENT_COLUMNS);
    for (int i = 0; i < na; ++i)
      for (int j = 0; j < nb; ++j)
        k[(size_t)i * (size_t)ldk + (size_t)j] +=
            forward_part[i * TANGENT_COLUMNS + j] * backward_part[i * TANGENT_COLUMNS + j];
  }
}

/* k[na][nb] between rows of two lists from first_a and first_b on. */
static void kernel_pieces(const gannet_tangent *net, const gannet_tangent_features *a, int first_a,
                          int na, const gannet_tangent_features *b, int first_b, int nb, double *k,
                          int ldk) {
  for (int i = 0; i < na; i += BLOCK) {
    const int rows = na - i < BLOCK ? na - i : BLOCK;
    for (int j = 0; j < nb; j += TANGENT_COLUMNS) {
      const int columns = nb - j < TANGENT_COLUMNS ? nb - j : TANGENT_COLUMNS;
      kernel_piece(net, a, first_a + i, rows, b, first_b + j, columns,
                   k + (size_t)i * (size_t)ldk + (size_t)j, ldk);
    }
  }
}

void gannet_tangent_kernel(const gannet_tangent *net, const gannet_tangent_features *a, int first_a,
                           int na, const gannet_tangent_features *b, int nb, double *k, int ldk) {
  kernel_pieces(net, a, first_a, na, b, 0, nb, k, ldk);
}

void gannet_tangent_tile(const gannet_tangent *net, const gannet_tangent_features *features,
                         int first, int rows, int from, int columns, double *k, int ldk) {
  kernel_pieces(net, features, first, rows, features, from, columns, k, ldk);
}

void gannet_tangent_diagonal(const gannet_tangent *net, const gannet_tangent_features *features,
                             int first, int n, double *diagonal) {
  const int m = net->shape.width, top = net->shape.layers - 1;
  const double c2 = net->c * net->c;
  for (int i = 0; i < n; ++i) {
    const size_t row = (size_t)(first + i) * (size_t)m;
    const double *z = features->z + rows_of((size_t)(first + i), net->inputs);
    const double *b = features->b[0] + row, *a = features->a[top] + row;
    double sum = c2 * gannet_dot(m, a, a) + gannet_dot(net->inputs, z, z) * gannet_dot(m, b, b);
    for (int l = top; l > 0; --l) {
      a = features->a[l - 1] + row;
      b = features->b[l] + row;
      sum += c2 * gannet_dot(m, a, a) * gannet_dot(m, b, b);
    }
    diagonal[i] = sum;
  }
}

/* Directions in the space of the weights. */

static size_t input_size(const gannet_tangent *net, int q) {
  return (size_t)net->shape.width * (size_t)q * (size_t)net->inputs;
}

static size_t hidden_size(const gannet_tangent *net, int q) {
  return (size_t)net->shape.width * (size_t)net->shape.width * (size_t)q;
}

/* n rounded up, so that the numbers behind are aligned like an allocation of their own. */
static size_t aligned(size_t n) {
  return (n + 7) / 8 * 8;
}

static gannet_err allocate_directions(const gannet_tangent *net, int q,
                                      gannet_tangent_directions *s) {
  const size_t count = (size_t)q, output = aligned(count * (size_t)net->shape.width);
  const size_t input = aligned(input_size(net, q)), hidden = aligned(hidden_size(net, q));
  const size_t all = output + input + (size_t)(net->shape.layers - 1) * hidden;
  GANNET_TRY(gannet_alloc(all, sizeof *s->numbers, &s->numbers));
  GANNET_TRY(gannet_alloc(BLOCK * count * (size_t)(net->inputs + 1), sizeof *s->work, &s->work));
  s->output = s->numbers;
  s->input = s->output + output;
  for (int l = 1; l < net->shape.layers; ++l)
    s->hidden[l] = s->input + input + (size_t)(l - 1) * hidden;
  s->n_numbers = all;
  s->q = q;
  return GANNET_OK;
}

gannet_err gannet_tangent_directions_reserve(const gannet_tangent *net, int q,
                                             gannet_tangent_directions *directions) {
  if (directions->q != q) {
    gannet_tangent_directions_release(directions);
    GANNET_TRY(allocate_directions(net, q, directions));
    return GANNET_OK;
  }
  memset(directions->numbers, 0, directions->n_numbers * sizeof *directions->numbers);
  return GANNET_OK;
}

void gannet_tangent_directions_release(gannet_tangent_directions *directions) {
  gannet_free(&directions->numbers);
  gannet_free(&directions->work);
  *directions = (gannet_tangent_directions){0};
}

static void shrink_numbers(size_t n, double factor, const double *center, double *numbers) {
  for (size_t i = 0; i < n; ++i) {
    const double about = center ? center[i] : 0;
    numbers[i] = about + factor * (numbers[i] - about);
  }
}

void gannet_tangent_directions_shrink(const gannet_tangent *net, int j, double factor,
                                      const gannet_tangent_directions *center,
                                      gannet_tangent_directions *directions) {
  const size_t m = (size_t)net->shape.width, inputs = (size_t)net->inputs, hidden = m * m;
  const size_t q = (size_t)directions->q, at = (size_t)j;
  shrink_numbers(m, factor, center ? center->output : NULL, directions->output + at * m);
  for (size_t i = 0; i < m; ++i)
    shrink_numbers(inputs, factor, center ? center->input + i * inputs : NULL,
                   directions->input + (i * q + at) * inputs);
  for (int l = 1; l < net->shape.layers; ++l)
    shrink_numbers(hidden, factor, center ? center->hidden[l] : NULL,
                   directions->hidden[l] + at * hidden);
}

gannet_err gannet_tangent_prior_some(const gannet_tangent *net, gannet_stream base, int first,
                                     int step, gannet_tangent_directions *directions) {
  const int m = net->shape.width, inputs = net->inputs, q = directions->q;
  const size_t first_hidden = input_size(net, 1), hidden = hidden_size(net, 1);
  double *row = NULL;
  GANNET_TRY(gannet_alloc(first_hidden, sizeof *row, &row));
  for (int j = first; j < q; j += step) {
    gannet_stream stream = base;
    stream.index += (uint64_t)j;
    gannet_random_normal(stream, 0, first_hidden, row);
    for (int i = 0; i < m; ++i)
      memcpy(directions->input + ((size_t)i * (size_t)q + (size_t)j) * (size_t)inputs,
             row + (size_t)i * (size_t)inputs, (size_t)inputs * sizeof *row);
    uint64_t at = first_hidden;
    for (int l = 1; l < net->shape.layers; ++l, at += hidden)
      gannet_random_normal(stream, at, hidden, directions->hidden[l] + (size_t)j * hidden);
    gannet_random_normal(stream, at, (size_t)m, directions->output + (size_t)j * (size_t)m);
  }
  gannet_free(&row);
  return GANNET_OK;
}

gannet_err gannet_tangent_prior(const gannet_tangent *net, gannet_stream base,
                                gannet_tangent_directions *directions) {
  return gannet_tangent_prior_some(net, base, 0, 1, directions);
}

/* Row i of from times coefficient i, to rows of ld doubles. */
static void scale_rows(int n, int columns, const double *coefficients, const double *from,
                       double *to, size_t ld) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < columns; ++k)
      to[(size_t)i * ld + (size_t)k] =
          coefficients[i] * from[(size_t)i * (size_t)columns + (size_t)k];
}

gannet_err gannet_tangent_transpose(const gannet_tangent *net,
                                    const gannet_tangent_features *features,
                                    const double *coefficients, int ldc, double beta,
                                    gannet_tangent_directions *directions) {
  const int n = features->n, m = net->shape.width, q = directions->q, wide = q * net->inputs;
  const int top = net->shape.layers - 1;
  const int columns = top > 0 && m > wide ? m : wide;
  double *scaled = NULL;
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)columns, sizeof *scaled, &scaled));
  gannet_gemm_nn(q, m, n, net->c, coefficients, ldc, features->a[top], m, beta, directions->output,
                 m);
  for (int j = 0; j < q; ++j)
    scale_rows(n, net->inputs, coefficients + (size_t)j * (size_t)ldc, features->z,
               scaled + (size_t)j * (size_t)net->inputs, (size_t)wide);
  gannet_gemm_tn(m, wide, n, 1, features->b[0], m, scaled, wide, beta, directions->input, wide);
  for (int l = 1; l <= top; ++l)
    for (int j = 0; j < q; ++j) {
      scale_rows(n, m, coefficients + (size_t)j * (size_t)ldc, features->a[l - 1], scaled,
                 (size_t)m);
      gannet_gemm_tn(m, m, n, net->c, features->b[l], m, scaled, m, beta,
                     directions->hidden[l] + (size_t)j * hidden_size(net, 1), m);
    }
  gannet_free(&scaled);
  return GANNET_OK;
}

/* B_l^T delta a_{l-1} of the hidden layers, added to values. */
static void add_hidden(const gannet_tangent *net, const gannet_tangent_features *f, int first,
                       int rows, const gannet_tangent_directions *s, double *values, int ldv) {
  const int m = net->shape.width;
  const size_t row = (size_t)first * (size_t)m;
  for (int l = 1; l < net->shape.layers; ++l)
    for (int j = 0; j < s->q; ++j) {
      gannet_gemm_nn(BLOCK, m, m, net->c, f->b[l] + row, m,
                     s->hidden[l] + (size_t)j * hidden_size(net, 1), m, 0, net->u, m);
      for (int i = 0; i < rows; ++i)
        values[(size_t)j * (size_t)ldv + (size_t)i] += gannet_dot(
            m, net->u + (size_t)i * (size_t)m, f->a[l - 1] + row + (size_t)i * (size_t)m);
    }
}

/* Values at rows first .. first+rows-1, rows <= block, first a multiple of the block. The first
 * layer is B_1 times all q directions at once: q (d+1) sums per point, then z . of each. */
static void apply_block(const gannet_tangent *net, const gannet_tangent_features *f, int first,
                        int rows, const gannet_tangent_directions *s, double *values, int ldv) {
  const int m = net->shape.width, inputs = net->inputs, q = s->q, wide = q * inputs;
  const int top = net->shape.layers - 1;
  const size_t row = (size_t)first * (size_t)m;
  double *by_input = s->work, *by_output = s->work + (size_t)BLOCK * (size_t)wide;
  gannet_gemm_nn(BLOCK, wide, m, 1, f->b[0] + row, m, s->input, wide, 0, by_input, wide);
  gannet_gemm_nt(BLOCK, q, m, net->c, f->a[top] + row, m, s->output, m, 0, by_output, q);
  for (int i = 0; i < rows; ++i) {
    const double *z = f->z + (size_t)(first + i) * (size_t)inputs;
    for (int j = 0; j < q; ++j) {
      const double *g = by_input + (size_t)i * (size_t)wide + (size_t)j * (size_t)inputs;
      double sum = by_output[(size_t)i * (size_t)q + (size_t)j];
      for (int k = 0; k < inputs; ++k) sum += z[k] * g[k];
      values[(size_t)j * (size_t)ldv + (size_t)i] = sum;
    }
  }
  add_hidden(net, f, first, rows, s, values, ldv);
}

void gannet_tangent_apply(const gannet_tangent *net, const gannet_tangent_features *features,
                          int first, int step, const gannet_tangent_directions *directions,
                          double *values, int ldv) {
  for (int at = first * BLOCK; at < features->n; at += step * BLOCK) {
    const int rows = features->n - at < BLOCK ? features->n - at : BLOCK;
    apply_block(net, features, at, rows, directions, values + at, ldv);
  }
}

void gannet_tangent_values(const gannet_tangent *net, const gannet_tangent_directions *directions,
                           int n, const double *x, double *values, int ldv) {
  gannet_tangent_features tile = net->tile;
  for (int first = 0; first < n; first += BLOCK) {
    const int rows = n - first < BLOCK ? n - first : BLOCK;
    embed_block(net, rows, x + (size_t)first * (size_t)net->shape.d, NULL, tile.z);
    forward_block(net, &tile, 0);
    backward_block(net, &tile, 0);
    apply_block(net, &tile, 0, rows, directions, values + first, ldv);
  }
}
