#include "network/jets.h"

#include <string.h>

#include "base/memory.h"
#include "base/vector_clones.h"
#include "linalg/blas.h"

enum { TERMS = GANNET_JET_ORDER + 1 };

struct gannet_jets {
  gannet_mlp net;
  int rows;
  int n, order;                 /* of the last forward pass */
  const double *z;              /* [order + 1][n][inputs] */
  double *a[GANNET_MLP_LAYERS]; /* [order + 1][n][m] */
  double *b[GANNET_MLP_LAYERS]; /* [order + 1][n][m]: s, then B */
  double *u;                    /* [TERMS][n][m] */
  double *table;                /* [TERMS][n][m] derivatives of phi of order 1 to 5 */
  double *memory;
};

gannet_err gannet_jets_create(const gannet_mlp *net, int rows, gannet_jets **jets) {
  *jets = NULL;
  GANNET_REQUIRE(net->activation->smooth, GANNET_ERR_ARG,
                 "activation '%s' has no derivatives of higher order, expected tanh, erf or sin",
                 net->activation->name);
  GANNET_REQUIRE(net->inputs >= 1 && net->width >= 1 && 1 <= net->layers &&
                     net->layers <= GANNET_MLP_LAYERS && rows >= 1,
                 GANNET_ERR_ARG, "network of %d inputs, %d layers of %d units, %d rows",
                 net->inputs, net->layers, net->width, rows);
  GANNET_TRY(gannet_alloc(1, sizeof **jets, jets));
  gannet_jets *j = *jets;
  const size_t block = TERMS * (size_t)rows * (size_t)net->width;
  j->net = *net;
  j->rows = rows;
  const gannet_err code =
      gannet_alloc(block * (2 * (size_t)net->layers + 2), sizeof(double), &j->memory);
  if (code != GANNET_OK) {
    gannet_jets_destroy(jets);
    return code;
  }
  double *next = j->memory;
  for (int l = 0; l < net->layers; ++l) {
    j->a[l] = next;
    j->b[l] = next + block;
    next += 2 * block;
  }
  j->u = next;
  j->table = next + block;
  return GANNET_OK;
}

void gannet_jets_destroy(gannet_jets **jets) {
  if (!*jets) return;
  gannet_free(&(*jets)->memory);
  gannet_free(jets);
}

/* Coefficients 1 .. order of phi(u(t)), from those of u and the derivatives d_1 .. of phi at u_0;
 * all [.][n]. Coefficient 0 is the caller's. */
GANNET_VECTOR_CLONES static void compose(int n, int order, const double *u, const double *d,
                                         double *a) {
  const size_t s = (size_t)n;
  const double *u1 = u + s, *u2 = u1 + s, *u3 = u2 + s, *u4 = u3 + s;
  const double *d1 = d, *d2 = d1 + s, *d3 = d2 + s, *d4 = d3 + s;
  if (order >= 1)
    for (int i = 0; i < n; ++i) a[s + (size_t)i] = d1[i] * u1[i];
  if (order >= 2)
    for (int i = 0; i < n; ++i)
      a[2 * s + (size_t)i] = d1[i] * u2[i] + d2[i] * (0.5 * u1[i] * u1[i]);
  if (order >= 3)
    for (int i = 0; i < n; ++i)
      a[3 * s + (size_t)i] =
          d1[i] * u3[i] + d2[i] * (u1[i] * u2[i]) + d3[i] * (u1[i] * u1[i] * u1[i] / 6);
  if (order >= 4)
    for (int i = 0; i < n; ++i) {
      const double square = u1[i] * u1[i];
      a[4 * s + (size_t)i] = d1[i] * u4[i] + d2[i] * (u1[i] * u3[i] + 0.5 * u2[i] * u2[i]) +
                             d3[i] * (0.5 * square * u2[i]) + d4[i] * (square * square / 24);
    }
}

static void pass_layer(gannet_jets *j, int l) {
  const int n = j->n * j->net.width;
  const size_t block = (size_t)n;
  j->net.activation->slope(n, j->u, j->a[l], j->table);
  if (j->order > 0) j->net.activation->higher(n, j->u, j->a[l], j->table, j->table + block);
  compose(n, j->order, j->u, j->table, j->a[l]);
  memcpy(j->b[l], j->table, block * sizeof *j->table);
  compose(n, j->order, j->u, j->table + block, j->b[l]);
}

void gannet_jets_forward(gannet_jets *j, const double *theta, int n, const double *z, int order,
                         double *values) {
  const gannet_mlp *net = &j->net;
  const int m = net->width, inputs = net->inputs, rows = (order + 1) * n;
  const double c = gannet_mlp_scale(net);
  j->n = n;
  j->order = order;
  j->z = z;
  gannet_gemm_nt(rows, m, inputs, 1, z, inputs, theta, inputs, 0, j->u, m); /* W z */
  for (int l = 0; l < net->layers; ++l) {
    if (l > 0)
      gannet_gemm_nt(rows, m, m, c, j->a[l - 1], m, theta + gannet_mlp_offset(net, l), m, 0, j->u,
                     m);
    pass_layer(j, l);
  }
  gannet_gemv_n(rows, m, c, j->a[net->layers - 1], m, theta + gannet_mlp_offset(net, net->layers),
                0, values);
}

/* s = t s as series, in place: from the highest coefficient down. */
GANNET_VECTOR_CLONES static void multiply_series(int n, int order, const double *t, double *s) {
  const size_t block = (size_t)n;
  for (int k = order; k >= 0; --k) {
    double *to = s + (size_t)k * block;
    for (int i = 0; i < n; ++i) to[i] *= t[i];
    for (int q = 1; q <= k; ++q) {
      const double *left = t + (size_t)q * block, *right = s + (size_t)(k - q) * block;
      for (int i = 0; i < n; ++i) to[i] += left[i] * right[i];
    }
  }
}

void gannet_jets_backward(gannet_jets *j, const double *theta) {
  const gannet_mlp *net = &j->net;
  const int m = net->width, last = net->layers - 1, rows = (j->order + 1) * j->n;
  const double c = gannet_mlp_scale(net), *out = theta + gannet_mlp_offset(net, net->layers);
  for (size_t i = 0; i < (size_t)rows; ++i)
    for (size_t k = 0; k < (size_t)m; ++k) j->b[last][i * (size_t)m + k] *= c * out[k];
  for (int l = last; l > 0; --l) {
    gannet_gemm_nn(rows, m, m, c, j->b[l], m, theta + gannet_mlp_offset(net, l), m, 0, j->u, m);
    multiply_series(j->n * m, j->order, j->u, j->b[l - 1]);
  }
}

/* Row i of coefficient k of a series. */
static const double *row_of(const gannet_jets *j, const double *series, int k, int i) {
  return series + ((size_t)k * (size_t)j->n + (size_t)i) * (size_t)j->net.width;
}

/* out[m][inputs] += sum_pq weight_{p+q} B_p z_q^T, of the first layer. */
static void add_first(const gannet_jets *j, int i, double scale, const double *weight,
                      double *out) {
  const size_t inputs = (size_t)j->net.inputs, m = (size_t)j->net.width, n = (size_t)j->n;
  for (int p = 0; p <= j->order; ++p)
    for (int r = 0; p + r <= j->order; ++r) {
      const double *b = row_of(j, j->b[0], p, i);
      const double w = scale * weight[p + r];
      const double *z = j->z + ((size_t)r * n + (size_t)i) * inputs;
      if (w == 0) continue;
      for (size_t k = 0; k < m; ++k) {
        const double factor = w * b[k];
        for (size_t q = 0; q < inputs; ++q) out[k * inputs + q] += factor * z[q];
      }
    }
}

static void add_hidden(const gannet_jets *j, int l, int i, double scale, const double *weight,
                       double *out) {
  const size_t m = (size_t)j->net.width;
  for (int p = 0; p <= j->order; ++p)
    for (int q = 0; p + q <= j->order; ++q) {
      const double w = scale * weight[p + q];
      const double *b = row_of(j, j->b[l], p, i), *a = row_of(j, j->a[l - 1], q, i);
      if (w == 0) continue;
      for (size_t k = 0; k < m; ++k) {
        const double factor = w * b[k];
        for (size_t r = 0; r < m; ++r) out[k * m + r] += factor * a[r];
      }
    }
}

void gannet_jets_add_output(const gannet_jets *j, int i, double scale, const double *weight,
                            double *row) {
  const double c = gannet_mlp_scale(&j->net);
  for (int k = 0; k <= j->order; ++k) {
    const double *a = row_of(j, j->a[j->net.layers - 1], k, i), factor = scale * c * weight[k];
    if (factor == 0) continue;
    for (int q = 0; q < j->net.width; ++q) row[q] += factor * a[q];
  }
}

void gannet_jets_add(const gannet_jets *j, int i, double scale, const double *weight, double *row) {
  const gannet_mlp *net = &j->net;
  const double c = gannet_mlp_scale(net);
  add_first(j, i, scale, weight, row);
  for (int l = 1; l < net->layers; ++l)
    add_hidden(j, l, i, scale * c, weight, row + gannet_mlp_offset(net, l));
  gannet_jets_add_output(j, i, scale, weight, row + gannet_mlp_offset(net, net->layers));
}
