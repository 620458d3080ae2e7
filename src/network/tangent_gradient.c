/* Gradient with respect to x of f(x) = phi(x) . delta, at one point.
 *
 * f is the derivative of the network along delta, so it is computed forwards with dots (t_l =
 * derivative of u_l along delta) and then differentiated backwards:
 *
 *   t_1 = delta_1 z,  t_l = c (W_l (phi'(u_{l-1}) t_{l-1}) + delta_l a_{l-1}),
 *   f = c (v . (phi'(u_L) t_L) + delta_v . a_L).
 */
#include <string.h>

#include "linalg/blas.h"
#include "network/tangent_impl.h"

typedef struct {
  const gannet_tangent *net;
  const gannet_tangent_directions *directions;
  int j;
  double *z; /* [d+1] */
} pass;

/* Vectors of layer l: 0 activation, 1 slope, 2 curvature, 3 dot of u. After the layers: 4 of work,
 * z and its derivatives.
 */
static double *layer_vector(const pass *p, int l, int which) {
  return p->net->point + (size_t)(4 * l + which) * (size_t)p->net->shape.width;
}

static double *work_vector(const pass *p, int which) {
  return layer_vector(p, p->net->shape.layers, which);
}

static const double *hidden_of(const pass *p, int l) {
  const size_t m = (size_t)p->net->shape.width;
  return p->directions->hidden[l] + (size_t)p->j * m * m;
}

static const double *input_of(const pass *p) {
  return p->directions->input + (size_t)p->j * (size_t)p->net->inputs;
}

static const double *output_of(const pass *p) {
  return p->directions->output + (size_t)p->j * (size_t)p->net->shape.width;
}

static double forward_point(const pass *p) {
  const gannet_tangent *net = p->net;
  const int m = net->shape.width, inputs = net->inputs, top = net->shape.layers - 1;
  double *u = work_vector(p, 0), *dot = work_vector(p, 1);
  for (int l = 0; l <= top; ++l) {
    double *t = layer_vector(p, l, 3);
    if (l == 0) {
      gannet_gemv_n(m, inputs, 1, net->layer[0], inputs, p->z, 0, u);
      gannet_gemv_n(m, inputs, 1, input_of(p), p->directions->q * inputs, p->z, 0, t);
    } else {
      gannet_gemv_n(m, m, net->c, net->layer[l], m, layer_vector(p, l - 1, 0), 0, u);
      gannet_gemv_n(m, m, net->c, net->layer[l], m, dot, 0, t);
      gannet_gemv_n(m, m, net->c, hidden_of(p, l), m, layer_vector(p, l - 1, 0), 1, t);
    }
    const double *slope = layer_vector(p, l, 1);
    net->shape.activation->curve(m, u, layer_vector(p, l, 0), layer_vector(p, l, 1),
                                 layer_vector(p, l, 2));
    for (int i = 0; i < m; ++i) dot[i] = slope[i] * t[i];
  }
  return net->c * (gannet_dot(m, net->layer[top + 1], dot) +
                   gannet_dot(m, output_of(p), layer_vector(p, top, 0)));
}

/* by_dot and by_u: derivatives of f by the dot and by the value of a_l, then of u_l. */
static void backward_point(const pass *p, double *by_z) {
  const gannet_tangent *net = p->net;
  const int m = net->shape.width, inputs = net->inputs, top = net->shape.layers - 1;
  double *by_dot = work_vector(p, 0), *by_u = work_vector(p, 1), *next_dot = work_vector(p, 2),
         *next_u = work_vector(p, 3);
  for (int i = 0; i < m; ++i) {
    next_dot[i] = net->c * net->layer[top + 1][i];
    next_u[i] = net->c * output_of(p)[i];
  }
  for (int l = top; l >= 0; --l) {
    const double *slope = layer_vector(p, l, 1), *curve = layer_vector(p, l, 2),
                 *t = layer_vector(p, l, 3);
    for (int i = 0; i < m; ++i) {
      by_u[i] = next_u[i] * slope[i] + next_dot[i] * curve[i] * t[i];
      by_dot[i] = next_dot[i] * slope[i];
    }
    if (l == 0) break;
    gannet_gemv_t(m, m, net->c, net->layer[l], m, by_dot, 0, next_dot);
    gannet_gemv_t(m, m, net->c, net->layer[l], m, by_u, 0, next_u);
    gannet_gemv_t(m, m, net->c, hidden_of(p, l), m, by_dot, 1, next_u);
  }
  gannet_gemv_t(m, inputs, 1, net->layer[0], inputs, by_u, 0, by_z);
  gannet_gemv_t(m, inputs, 1, input_of(p), p->directions->q * inputs, by_dot, 1, by_z);
}

void gannet_tangent_gradient(const gannet_tangent *net, const gannet_tangent_directions *directions,
                             int j, const double *x, double *value, double *gradient) {
  pass p = {.net = net, .directions = directions, .j = j};
  p.z = work_vector(&p, 4);
  const gannet_input_embedding embedding = {net->shape.embedding, net->shape.d, net->rho,
                                            net->bias};
  double *by_z = p.z + net->inputs;
  gannet_embed_inputs(&embedding, 1, x, p.z);
  *value = forward_point(&p);
  backward_point(&p, by_z);
  gannet_embedding_gradient(&embedding, p.z, by_z, gradient);
}
