#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/tangent_impl.h"

enum { BLOCK = GANNET_TANGENT_BLOCK };

static size_t input_size(const gannet_tangent *net, int q) {
  return (size_t)net->shape.width * (size_t)q * (size_t)net->inputs;
}

static size_t hidden_size(const gannet_tangent *net, int q) {
  return (size_t)net->shape.width * (size_t)net->shape.width * (size_t)q;
}

/* So many numbers end where the next ones are aligned like an allocation of their own. */
static size_t aligned(size_t n) {
  return (n + 7) / 8 * 8;
}

static gannet_err allocate(const gannet_tangent *net, int q, gannet_tangent_directions *s) {
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
    GANNET_TRY(allocate(net, q, directions));
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

void gannet_tangent_apply_some(const gannet_tangent *net, const gannet_tangent_features *features,
                               int first, int step, const gannet_tangent_directions *directions,
                               double *values, int ldv) {
  for (int at = first * BLOCK; at < features->n; at += step * BLOCK) {
    const int rows = features->n - at < BLOCK ? features->n - at : BLOCK;
    apply_block(net, features, at, rows, directions, values + at, ldv);
  }
}

void gannet_tangent_apply(const gannet_tangent *net, const gannet_tangent_features *features,
                          const gannet_tangent_directions *directions, double *values, int ldv) {
  gannet_tangent_apply_some(net, features, 0, 1, directions, values, ldv);
}

void gannet_tangent_values(const gannet_tangent *net, const gannet_tangent_directions *directions,
                           int n, const double *x, double *values, int ldv) {
  gannet_tangent_features tile = net->tile;
  for (int first = 0; first < n; first += BLOCK) {
    const int rows = n - first < BLOCK ? n - first : BLOCK;
    gannet_tangent_lift(net, rows, x + (size_t)first * (size_t)net->shape.d, tile.z);
    gannet_tangent_block(net, &tile, 0);
    apply_block(net, &tile, 0, rows, directions, values + first, ldv);
  }
}
