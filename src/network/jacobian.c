#include "network/jacobian.h"

#include <math.h>

#include "linalg/blas.h"

void gannet_jacobian_prepare(const gannet_mlp *net, const double *theta, int n,
                             gannet_mlp_tape *tape) {
  const size_t m = (size_t)net->width;
  const double c = gannet_mlp_scale(net), *output = theta + gannet_mlp_offset(net, net->layers);
  double *last = tape->slope[net->layers - 1];
  for (size_t i = 0; i < (size_t)n; ++i)
    for (size_t j = 0; j < m; ++j) last[i * m + j] *= c * output[j];
  for (int l = net->layers - 1; l > 0; --l) {
    gannet_gemm_nn(n, net->width, net->width, c, tape->slope[l], net->width,
                   theta + gannet_mlp_offset(net, l), net->width, 0, tape->back[0], net->width);
    for (size_t i = 0; i < (size_t)n * m; ++i) tape->slope[l - 1][i] *= tape->back[0][i];
  }
}

/* Add the share of one layer to rows first .. of k: (a a^T) * (b b^T) element by element. */
static void add_products(int n, int first, int rows, int inputs, const double *a, int width,
                         const double *b, double scale, double *work, double *k) {
  const size_t at = (size_t)first, all = (size_t)n;
  double *const other = work + (size_t)GANNET_JACOBIAN_BLOCK * all;
  gannet_gemm_nt(rows, n, inputs, scale, a + at * (size_t)inputs, inputs, a, inputs, 0, work, n);
  gannet_gemm_nt(rows, n, width, 1, b + at * (size_t)width, width, b, width, 0, other, n);
  double *to = k + at * all;
  for (size_t i = 0; i < (size_t)rows * all; ++i) to[i] += work[i] * other[i];
}

void gannet_jacobian_gram(const gannet_mlp *net, int n, const double *z,
                          const gannet_mlp_tape *tape, double scale, double *work, double *k) {
  const int m = net->width;
  const double c = gannet_mlp_scale(net), *last = tape->a[net->layers - 1];
  for (int first = 0; first < n; first += GANNET_JACOBIAN_BLOCK) {
    const int rows = n - first < GANNET_JACOBIAN_BLOCK ? n - first : GANNET_JACOBIAN_BLOCK;
    add_products(n, first, rows, net->inputs, z, m, tape->slope[0], scale, work, k);
    for (int l = 1; l < net->layers; ++l)
      add_products(n, first, rows, m, tape->a[l - 1], m, tape->slope[l], scale * c * c, work, k);
    gannet_gemm_nt(rows, n, m, scale * c * c, last + (size_t)first * (size_t)m, m, last, m, 1,
                   k + (size_t)first * (size_t)n, n);
  }
}

void gannet_jacobian_apply(const gannet_mlp *net, int n, const double *z, gannet_mlp_tape *tape,
                           double scale, const double *v, double *out) {
  const int m = net->width;
  const double c = gannet_mlp_scale(net);
  for (int l = 0; l < net->layers; ++l) {
    const int k = l == 0 ? net->inputs : m;
    gannet_gemm_nt(n, m, k, l == 0 ? scale : scale * c, l == 0 ? z : tape->a[l - 1], k,
                   v + gannet_mlp_offset(net, l), k, 0, tape->back[0], m);
    for (int i = 0; i < n; ++i) {
      const size_t row = (size_t)i * (size_t)m;
      out[i] += gannet_dot(m, tape->back[0] + row, tape->slope[l] + row);
    }
  }
  gannet_gemv_n(n, m, scale * c, tape->a[net->layers - 1], m,
                v + gannet_mlp_offset(net, net->layers), 1, out);
}

void gannet_jacobian_transpose(const gannet_mlp *net, int n, const double *z, gannet_mlp_tape *tape,
                               double scale, const double *w, double *out) {
  const int m = net->width;
  const double c = gannet_mlp_scale(net);
  for (int l = 0; l < net->layers; ++l) {
    const int k = l == 0 ? net->inputs : m;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) {
        const size_t at = (size_t)i * (size_t)m + (size_t)j;
        tape->back[0][at] = w[i] * tape->slope[l][at];
      }
    gannet_gemm_tn(m, k, n, l == 0 ? scale : scale * c, tape->back[0], m,
                   l == 0 ? z : tape->a[l - 1], k, 1, out + gannet_mlp_offset(net, l), k);
  }
  gannet_gemv_t(n, m, scale * c, tape->a[net->layers - 1], m, w, 1,
                out + gannet_mlp_offset(net, net->layers));
}
