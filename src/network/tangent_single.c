/* One hidden layer: with B_i = c v_i phi'(u_i), the value of a direction delta is
 *
 *   sum_k z_k (sum_i B_i delta_ik) + c sum_i phi(u_i) delta_v,i;
 *
 * c and v are multiplied into the copy of delta. */
#include "network/tangent_single.h"

#include <math.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/tangent_impl.h"
#include "network/vector_clones.h"

enum { ROWS = GANNET_SINGLE_ROWS };

struct gannet_tangent_single {
  const gannet_activation *activation;
  gannet_table value, slope; /* of the activation */
  int inputs, width, q;
  float *weight; /* [m][inputs] W_1 */
  float *input;  /* [m][inputs][q] c v delta */
  float *output; /* [q][m] c delta_v */
  float *u, *a;  /* [ROWS][m] */
  float *sums;   /* [ROWS][inputs][q], then [ROWS][q] */
};

void gannet_tangent_single_destroy(gannet_tangent_single **single) {
  if (!*single) return;
  gannet_free(&(*single)->weight);
  gannet_free(&(*single)->input);
  gannet_free(&(*single)->output);
  gannet_free(&(*single)->u);
  gannet_free(&(*single)->a);
  gannet_free(&(*single)->sums);
  gannet_free(single);
}

static void value_of(const void *user, int n, const double *x, double *y) {
  const gannet_activation *activation = user;
  activation->value(n, x, y);
}

static void slope_of(const void *user, int n, const double *x, double *y) {
  const gannet_activation *activation = user;
  for (int i = 0; i < n; ++i) {
    double value;
    activation->slope(1, &x[i], &value, &y[i]);
  }
}

/* Tables up to where the activation is flat in single precision. */
static bool make_tables(const gannet_activation *activation, gannet_table *value,
                        gannet_table *slope) {
  double reach = 4, here = 1, at_zero;
  const double zero = 0;
  if (!activation->smooth) return false;
  slope_of(activation, 1, &zero, &at_zero);
  for (; reach <= 16 && here > 1e-8 * at_zero; reach *= 1.25)
    slope_of(activation, 1, &reach, &here);
  return here <= 1e-8 * at_zero && gannet_table_fit(value_of, activation, reach, true, value) &&
         gannet_table_fit(slope_of, activation, reach, false, slope);
}

static gannet_err reserve(gannet_tangent_single *s) {
  const size_t m = (size_t)s->width, inputs = (size_t)s->inputs, q = (size_t)s->q;
  GANNET_TRY(gannet_alloc(m * inputs, sizeof(float), &s->weight));
  GANNET_TRY(gannet_alloc(m * inputs * q, sizeof(float), &s->input));
  GANNET_TRY(gannet_alloc(q * m, sizeof(float), &s->output));
  GANNET_TRY(gannet_alloc(ROWS * m, sizeof(float), &s->u));
  GANNET_TRY(gannet_alloc(ROWS * m, sizeof(float), &s->a));
  return gannet_alloc(ROWS * (inputs + 1) * q, sizeof(float), &s->sums);
}

static void fill(const gannet_tangent *net, const gannet_tangent_directions *d,
                 gannet_tangent_single *s) {
  const size_t m = (size_t)s->width, inputs = (size_t)s->inputs, q = (size_t)s->q;
  for (size_t i = 0; i < m * inputs; ++i) s->weight[i] = (float)net->layer[0][i];
  for (size_t i = 0; i < q * m; ++i) s->output[i] = (float)(net->c * d->output[i]);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < q; ++j)
      for (size_t k = 0; k < inputs; ++k)
        s->input[(i * inputs + k) * q + j] =
            (float)(net->c * net->layer[1][i] * d->input[(i * q + j) * inputs + k]);
}

/* Tables and buffers for a network's shape. */
static gannet_err create(const gannet_tangent *net, int q, gannet_tangent_single **single) {
  gannet_table value, slope;
  if (net->shape.layers != 1 || !make_tables(net->shape.activation, &value, &slope))
    return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, sizeof **single, single));
  **single = (gannet_tangent_single){.activation = net->shape.activation,
                                     .value = value,
                                     .slope = slope,
                                     .inputs = net->inputs,
                                     .width = net->shape.width,
                                     .q = q};
  const gannet_err err = reserve(*single);
  if (err != GANNET_OK) gannet_tangent_single_destroy(single);
  return err;
}

gannet_err gannet_tangent_single_prepare(const gannet_tangent *net,
                                         const gannet_tangent_directions *directions,
                                         gannet_tangent_single **single) {
  const gannet_tangent_single *s = *single;
  const bool fits = s && s->activation == net->shape.activation && s->inputs == net->inputs &&
                    s->width == net->shape.width && s->q == directions->q && net->shape.layers == 1;
  if (!fits) {
    gannet_tangent_single_destroy(single);
    GANNET_TRY(create(net, directions->q, single));
  }
  if (*single) fill(net, directions, *single);
  return GANNET_OK;
}

/* values[i][j] = output[i][j] + sum_k z[i][k] sums[i][k][j] */
GANNET_VECTOR_CLONES static void fold(int m, int inputs, int q, const float *z, const float *sums,
                                      const float *output, double *values) {
  for (int i = 0; i < m; ++i, z += inputs, output += q, values += q) {
    for (int j = 0; j < q; ++j) values[j] = (double)output[j];
    for (int k = 0; k < inputs; ++k, sums += q)
      for (int j = 0; j < q; ++j) values[j] += (double)(z[k] * sums[j]);
  }
}

void gannet_tangent_single_values(const gannet_tangent_single *single, int m, const float *z,
                                  double *values) {
  const gannet_tangent_single *s = single;
  const int width = s->width, wide = s->inputs * s->q;
  float *output = s->sums + (size_t)ROWS * (size_t)wide;
  gannet_gemm_nt_single(m, width, s->inputs, z, s->inputs, s->weight, s->inputs, s->u, width);
  gannet_table_apply(&s->value, m * width, s->u, s->a);
  gannet_gemm_nt_single(m, s->q, width, s->a, width, s->output, width, output, s->q);
  gannet_table_apply(&s->slope, m * width, s->u, s->a);
  gannet_gemm_nn_single(m, wide, width, s->a, width, s->input, wide, s->sums, wide);
  fold(m, s->inputs, s->q, z, s->sums, output, values);
}

size_t gannet_tangent_single_bytes(const gannet_tangent_single *s) {
  if (!s) return 0;
  const size_t m = (size_t)s->width, inputs = (size_t)s->inputs, q = (size_t)s->q;
  return sizeof *s +
         sizeof(float) * (m * (inputs + q + inputs * q) + ROWS * (2 * m + (inputs + 1) * q));
}
