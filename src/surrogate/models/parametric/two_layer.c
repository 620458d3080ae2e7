#include "surrogate/models/parametric/two_layer.h"

#include <math.h>
#include <string.h>

#include "linalg/blas.h"
#include "network/activation.h"

size_t two_layer_weights(const two_layer *net) {
  return (size_t)net->units * ((size_t)net->inputs + 2) + 1;
}

size_t two_layer_work(const two_layer *net) {
  return 3 * (size_t)net->units * TWO_LAYER_ROWS;
}

void two_layer_start(const two_layer *net, gannet_stream stream, double gain, double *w) {
  const size_t inner = (size_t)net->units * (size_t)net->inputs, m = (size_t)net->units;
  gannet_random_normal(stream, 0, two_layer_weights(net) - 1, w);
  for (size_t i = 0; i < inner; ++i) w[i] *= gain / sqrt(net->inputs);
  for (size_t j = 0; j < m; ++j) w[inner + m + j] /= sqrt(net->units);
  w[inner + 2 * m] = 0;
}

void two_layer_inputs(const two_layer *net, int n, const double *x, double *z) {
  if (net->embedding.kind == GANNET_EMBEDDING_SPHERE)
    gannet_embed_inputs(&net->embedding, n, x, z);
  else
    for (size_t i = 0; i < (size_t)n * (size_t)net->embedding.d; ++i) z[i] = 2 * x[i] - 1;
}

void two_layer_input_gradient(const two_layer *net, const double *z, const double *by_z,
                              double *gradient) {
  if (net->embedding.kind == GANNET_EMBEDDING_SPHERE)
    gannet_embedding_gradient(&net->embedding, z, by_z, gradient);
  else
    for (int k = 0; k < net->embedding.d; ++k) gradient[k] = 2 * by_z[k];
}

/* s(u) = (1 + t) / 2 with t = tanh(u / 2), so s' = t' / 4 and s'' = t'' / 8. work becomes s, s'
 * and, where wanted, s'' at n points. */
static void forward(const two_layer *net, const double *w, int n, const double *z, double *work,
                    bool curved) {
  const int m = net->units, total = n * m;
  const double *bias = w + (size_t)m * (size_t)net->inputs;
  const gannet_activation *tanh_activation = NULL;
  for (int k = 0; gannet_activations[k]; ++k)
    if (strcmp(gannet_activations[k]->name, "tanh") == 0) tanh_activation = gannet_activations[k];
  double *slope = work + (size_t)m * TWO_LAYER_ROWS, *curve = slope + (size_t)m * TWO_LAYER_ROWS;
  for (int i = 0; i < n; ++i) memcpy(work + (size_t)i * (size_t)m, bias, (size_t)m * sizeof *work);
  gannet_gemm_nt(n, m, net->inputs, 0.5, z, net->inputs, w, net->inputs, 0.5, work, m);
  if (curved)
    tanh_activation->curve(total, work, work, slope, curve);
  else
    tanh_activation->slope(total, work, work, slope);
  for (int i = 0; i < total; ++i) {
    work[i] = 0.5 * (1 + work[i]);
    slope[i] *= 0.25;
    if (curved) curve[i] *= 0.125;
  }
}

static void outputs(const two_layer *net, const double *w, int n, const double *work, double *f) {
  const int m = net->units;
  const double *v = w + (size_t)m * ((size_t)net->inputs + 1);
  for (int i = 0; i < n; ++i) f[i] = v[m];
  gannet_gemv_n(n, m, 1, work, m, v, 1, f);
}

void two_layer_values(const two_layer *net, const double *w, int n, const double *z, double *work,
                      double *f) {
  forward(net, w, n, z, work, false);
  outputs(net, w, n, work, f);
}

void two_layer_features(const two_layer *net, const double *w, int n, const double *z, double *work,
                        double *f, double *by_w) {
  const size_t m = (size_t)net->units, d = (size_t)net->inputs, p = two_layer_weights(net);
  const double *v = w + m * (d + 1), *slope = work + m * TWO_LAYER_ROWS;
  two_layer_values(net, w, n, z, work, f);
  for (size_t i = 0; i < (size_t)n; ++i) {
    double *row = by_w + i * p;
    for (size_t j = 0; j < m; ++j) {
      const double back = v[j] * slope[i * m + j];
      for (size_t k = 0; k < d; ++k) row[j * d + k] = back * z[i * d + k];
      row[m * d + j] = back;
    }
    memcpy(row + m * (d + 1), work + i * m, m * sizeof *row);
    row[p - 1] = 1;
  }
}

void two_layer_backward(const two_layer *net, const double *w, int n, const double *z,
                        const double *weight, double *work, double *by_w) {
  const int units = net->units, inputs = net->inputs;
  const size_t m = (size_t)units, d = (size_t)inputs;
  const double *v = w + m * (d + 1);
  double *back = work + m * TWO_LAYER_ROWS;
  gannet_gemv_t(n, units, 1, work, units, weight, 1, by_w + m * (d + 1));
  for (size_t i = 0; i < (size_t)n; ++i) {
    by_w[m * (d + 2)] += weight[i];
    for (size_t j = 0; j < m; ++j) {
      back[i * m + j] *= weight[i] * v[j];
      by_w[m * d + j] += back[i * m + j];
    }
  }
  gannet_gemm_tn(units, inputs, n, 1, back, units, z, inputs, 1, by_w, inputs);
}

/* With q = (Q, q_b, q_v, q_c): q . df/dw = q_c + sum_j q_v[j] s_j + v_j s'_j (q_b[j] + Q_j . z). */
double two_layer_slopes(const two_layer *net, const double *w, const double *z, const double *q,
                        double *work, double *slope, double *slope_q) {
  const int m = net->units, d = net->inputs;
  const double *v = w + (size_t)m * ((size_t)d + 1);
  const double *first = work + (size_t)m * TWO_LAYER_ROWS;
  const double *second = first + (size_t)m * TWO_LAYER_ROWS;
  double f = 0;
  forward(net, w, 1, z, work, true);
  outputs(net, w, 1, work, &f);
  memset(slope, 0, (size_t)d * sizeof *slope);
  if (q) memset(slope_q, 0, (size_t)d * sizeof *slope_q);
  for (int j = 0; j < m; ++j) {
    const double *row = w + (size_t)j * (size_t)d;
    for (int k = 0; k < d; ++k) slope[k] += v[j] * first[j] * row[k];
    if (!q) continue;
    const double *inner = q + (size_t)j * (size_t)d, *outer = q + (size_t)m * (size_t)d;
    const double by_u =
        outer[m + j] * first[j] + v[j] * second[j] * (outer[j] + gannet_dot(d, inner, z));
    for (int k = 0; k < d; ++k) slope_q[k] += by_u * row[k] + v[j] * first[j] * inner[k];
  }
  return f;
}
