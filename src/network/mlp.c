#include "network/mlp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"

double gannet_mlp_scale(const gannet_mlp *net) {
  return sqrt((net->activation->smooth ? 1.0 : 2.0) / net->width);
}

size_t gannet_mlp_offset(const gannet_mlp *net, int layer) {
  const size_t m = (size_t)net->width;
  return layer == 0 ? 0 : m * (size_t)net->inputs + (size_t)(layer - 1) * m * m;
}

size_t gannet_mlp_parameters(const gannet_mlp *net) {
  return gannet_mlp_offset(net, net->layers) + (size_t)net->width;
}

void gannet_mlp_start(const gannet_mlp *net, gannet_stream stream, double *theta) {
  gannet_random_normal(stream, 0, gannet_mlp_parameters(net), theta);
}

gannet_err gannet_mlp_tape_create(const gannet_mlp *net, int rows, gannet_mlp_tape *tape) {
  *tape = (gannet_mlp_tape){0};
  GANNET_REQUIRE(net->inputs >= 1 && net->width >= 1 && 1 <= net->layers &&
                     net->layers <= GANNET_MLP_LAYERS && rows >= 1,
                 GANNET_ERR_ARG, "network of %d inputs, %d layers of %d units, %d rows",
                 net->inputs, net->layers, net->width, rows);
  const size_t block = (size_t)rows * (size_t)net->width;
  GANNET_TRY(gannet_alloc(block * (2 * (size_t)net->layers + 2), sizeof(double), &tape->memory));
  double *next = tape->memory;
  for (int l = 0; l < net->layers; ++l) {
    tape->a[l] = next;
    tape->slope[l] = next + block;
    next += 2 * block;
  }
  tape->back[0] = next;
  tape->back[1] = next + block;
  tape->rows = rows;
  return GANNET_OK;
}

void gannet_mlp_tape_release(gannet_mlp_tape *tape) {
  gannet_free(&tape->memory);
  *tape = (gannet_mlp_tape){0};
}

static void forward_layers(const gannet_mlp *net, const double *theta, int n, const double *z,
                           bool slopes, gannet_mlp_tape *tape, double *out) {
  const int m = net->width, last = net->layers - 1;
  const double c = gannet_mlp_scale(net);
  for (int l = 0; l <= last; ++l) {
    const double *weights = theta + gannet_mlp_offset(net, l);
    const int k = l == 0 ? net->inputs : m;
    gannet_gemm_nt(n, m, k, l == 0 ? 1 : c, l == 0 ? z : tape->a[l - 1], k, weights, k, 0,
                   tape->a[l], m);
    if (slopes)
      net->activation->slope(n * m, tape->a[l], tape->a[l], tape->slope[l]);
    else
      net->activation->value(n * m, tape->a[l], tape->a[l]);
  }
  gannet_gemv_n(n, m, c, tape->a[last], m, theta + gannet_mlp_offset(net, net->layers), 0, out);
}

void gannet_mlp_forward(const gannet_mlp *net, const double *theta, int n, const double *z,
                        gannet_mlp_tape *tape, double *out) {
  forward_layers(net, theta, n, z, true, tape, out);
}

static void multiply_slopes(size_t n, const double *factor, double *values) {
  for (size_t i = 0; i < n; ++i) values[i] *= factor[i];
}

void gannet_mlp_backward(const gannet_mlp *net, const double *theta, int n, const double *z,
                         const double *weight, gannet_mlp_tape *tape, double *by_theta,
                         double *by_z) {
  const int m = net->width, last = net->layers - 1, inputs = net->inputs;
  const size_t block = (size_t)n * (size_t)m, output = gannet_mlp_offset(net, net->layers);
  const double c = gannet_mlp_scale(net);
  double *back = tape->back[0], *next = tape->back[1];
  if (by_theta) gannet_gemv_t(n, m, c, tape->a[last], m, weight, 1, by_theta + output);
  gannet_gemm_nn(n, m, 1, c, weight, 1, theta + output, m, 0, back, m);
  multiply_slopes(block, tape->slope[last], back);
  for (int l = last; l > 0; --l) {
    const size_t at = gannet_mlp_offset(net, l);
    if (by_theta) gannet_gemm_tn(m, m, n, c, back, m, tape->a[l - 1], m, 1, by_theta + at, m);
    gannet_gemm_nn(n, m, m, c, back, m, theta + at, m, 0, next, m);
    multiply_slopes(block, tape->slope[l - 1], next);
    double *const other = back;
    back = next;
    next = other;
  }
  if (by_theta) gannet_gemm_tn(m, inputs, n, 1, back, m, z, inputs, 1, by_theta, inputs);
  if (by_z) gannet_gemm_nn(n, inputs, m, 1, back, m, theta, inputs, 0, by_z, inputs);
}

void gannet_mlp_pair_values(const gannet_mlp *net, const double *theta, int n, const double *z,
                            gannet_mlp_tape *tape, double *h) {
  const size_t p = gannet_mlp_parameters(net);
  double other[GANNET_MLP_ROWS];
  const int most = tape->rows < GANNET_MLP_ROWS ? tape->rows : GANNET_MLP_ROWS;
  for (int first = 0; first < n; first += most) {
    const int rows = n - first < most ? n - first : most;
    const double *at = z + (size_t)first * (size_t)net->inputs;
    forward_layers(net, theta, rows, at, false, tape, h + first);
    forward_layers(net, theta + p, rows, at, false, tape, other);
    for (int i = 0; i < rows; ++i) h[first + i] = (h[first + i] - other[i]) * sqrt(0.5);
  }
}

double gannet_mlp_pair_gradient(const gannet_mlp *net, const double *theta, const double *z,
                                gannet_mlp_tape *tape, double *work, double *by_z) {
  const size_t p = gannet_mlp_parameters(net);
  const double plus = sqrt(0.5), minus = -plus;
  double value[2];
  gannet_mlp_forward(net, theta, 1, z, tape, value);
  gannet_mlp_backward(net, theta, 1, z, &plus, tape, NULL, by_z);
  gannet_mlp_forward(net, theta + p, 1, z, tape, value + 1);
  gannet_mlp_backward(net, theta + p, 1, z, &minus, tape, NULL, work);
  for (int k = 0; k < net->inputs; ++k) by_z[k] += work[k];
  return plus * (value[0] - value[1]);
}
