/* The network of GO-UCB, f(x; w) = v . s(W z + b) + c with s(u) = 1 / (1 + exp(-u)), and its
 * derivatives by weights and inputs.
 *
 * The input z(x) is the point 2 x - 1, flat or on a sphere with the coordinate that makes |z|^2 =
 * d + 1. Weights are one vector w of p = m (inputs + 2) + 1 numbers: W [m][inputs], b [m], v [m],
 * c.
 */
#ifndef GANNET_SURROGATE_TWO_LAYER_H
#define GANNET_SURROGATE_TWO_LAYER_H

#include "base/random.h"
#include "network/input_embedding.h"

typedef struct {
  gannet_input_embedding embedding; /* from points to inputs; its rho is [d] ones */
  int inputs;                       /* d, or d + 1 on a sphere */
  int units;                        /* m */
} two_layer;

/* Most points per call of the functions below. */
enum { TWO_LAYER_ROWS = 64 };

/* Points of the call that begins with point first of n. */
static inline int two_layer_rows(int n, int first) {
  return n - first < TWO_LAYER_ROWS ? n - first : TWO_LAYER_ROWS;
}

/* Numbers of the vector of weights, and of the workspace of the functions below.
 *
 * Local.
 */
size_t two_layer_weights(const two_layer *net);
size_t two_layer_work(const two_layer *net);

/* Random weights: W normal with variance gain^2 / inputs, b with variance 1, v with variance 1 / m,
 * c = 0, so that f - c and the inputs of the sigmoids are of order 1 for gain = 1.
 *
 * Local.
 *
 * w  out  [p]
 */
void two_layer_start(const two_layer *net, gannet_stream stream, double gain, double *w);

/* Inputs z(x) of n points, any number.
 *
 * Local.
 *
 * x  in   [n][d]
 * z  out  [n][inputs]
 */
void two_layer_inputs(const two_layer *net, int n, const double *x, double *z);

/* Derivatives by x [d] from those by the input z [inputs].
 *
 * Local.
 */
void two_layer_input_gradient(const two_layer *net, const double *z, const double *by_z,
                              double *gradient);

/* Values at n <= TWO_LAYER_ROWS points.
 *
 * Local.
 *
 * z     in   [n][inputs]
 * work  out  [two_layer_work]
 * f     out  [n]
 */
void two_layer_values(const two_layer *net, const double *w, int n, const double *z, double *work,
                      double *f);

/* Values, and gradients by the weights.
 *
 * Local.
 *
 * by_w  out  [n][p]
 */
void two_layer_features(const two_layer *net, const double *w, int n, const double *z, double *work,
                        double *f, double *by_w);

/* After _values at the same points: by_w += sum_i weight_i d f(z_i) / dw.
 *
 * Local.
 *
 * weight  in     [n]
 * by_w    inout  [p]
 */
void two_layer_backward(const two_layer *net, const double *w, int n, const double *z,
                        const double *weight, double *work, double *by_w);

/* At one point: f and its gradient by z; and, for a fixed q, the gradient by z of q . df/dw.
 *
 * Local.
 *
 * q       in   [p]; NULL when slope_q is not wanted
 * slope   out  [inputs]
 * slope_q out  [inputs]
 */
double two_layer_slopes(const two_layer *net, const double *w, const double *z, const double *q,
                        double *work, double *slope, double *slope_q);

#endif
