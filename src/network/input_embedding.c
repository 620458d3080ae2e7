#include "network/input_embedding.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const gannet_embedding_names[] = {"flat", "sphere", NULL};

/* Points outside the unit cube may lie outside the sphere. The nearest to them on the plane of its
 * equator would have no derivatives; they get this share of the bias instead. */
static const double least = 1e-3;

static bool is_on_sphere(const gannet_input_embedding *embedding, const double *z) {
  return embedding->kind == GANNET_EMBEDDING_SPHERE && z[embedding->d] > least * embedding->bias;
}

void gannet_embed_inputs(const gannet_input_embedding *embedding, int n, const double *x,
                         double *z) {
  const int d = embedding->d;
  for (int i = 0; i < n; ++i, x += d, z += d + 1) {
    double square = embedding->bias * embedding->bias; /* of the last coordinate on the sphere */
    for (int k = 0; k < d; ++k) z[k] = embedding->rho[k] * (2 * x[k] - 1);
    for (int k = 0; k < d; ++k) square += (embedding->rho[k] - z[k]) * (embedding->rho[k] + z[k]);
    z[d] = embedding->kind == GANNET_EMBEDDING_FLAT
               ? embedding->bias
               : fmax(sqrt(fmax(square, 0)), least * embedding->bias);
  }
}

void gannet_embedding_gradient(const gannet_input_embedding *embedding, const double *z,
                               const double *by_z, double *gradient) {
  const int d = embedding->d;
  const double slope = is_on_sphere(embedding, z) ? by_z[d] / z[d] : 0;
  for (int k = 0; k < d; ++k) gradient[k] = 2 * embedding->rho[k] * (by_z[k] - slope * z[k]);
}

void gannet_embedding_scale_gradient(const gannet_input_embedding *embedding, const double *z,
                                     const double *by_z, double *by_rho, double *by_bias) {
  const int d = embedding->d;
  const double slope = is_on_sphere(embedding, z) ? by_z[d] / z[d] : 0;
  for (int k = 0; k < d; ++k)
    by_rho[k] += by_z[k] * z[k] + slope * (embedding->rho[k] - z[k]) * (embedding->rho[k] + z[k]);
  *by_bias +=
      is_on_sphere(embedding, z) ? slope * embedding->bias * embedding->bias : by_z[d] * z[d];
}
