#include "network/input_embedding.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

const char *const gannet_embedding_names[] = {"flat", "sphere", NULL};

/* Points far outside the unit cube have no place on the sphere. They are embedded with this share
 * of the bias for their last coordinate, and then moved along the ray from the middle onto it. */
static const double least = 1e-3;

/* Whether a point was moved onto the sphere. */
static bool is_moved(const gannet_input_embedding *embedding, const double *z) {
  return embedding->kind == GANNET_EMBEDDING_SPHERE && z[embedding->d] <= least * embedding->bias;
}

void gannet_embed_inputs(const gannet_input_embedding *embedding, int n, const double *x,
                         double *z) {
  const int d = embedding->d;
  const double bias = embedding->bias, low = least * bias;
  for (int i = 0; i < n; ++i, x += d, z += d + 1) {
    for (int k = 0; k < d; ++k) z[k] = embedding->rho[k] * (2 * x[k] - 1);
    z[d] = bias;
    if (embedding->kind == GANNET_EMBEDDING_FLAT) continue;
    double square = bias * bias; /* of the last coordinate on the sphere */
    for (int k = 0; k < d; ++k) square += (embedding->rho[k] - z[k]) * (embedding->rho[k] + z[k]);
    if (square > low * low) {
      z[d] = sqrt(square);
      continue;
    }
    double radius = bias * bias, length = low * low; /* squared: of the sphere, of this point */
    for (int k = 0; k < d; ++k) radius += embedding->rho[k] * embedding->rho[k];
    for (int k = 0; k < d; ++k) length += z[k] * z[k];
    const double shrink = fmin(1, sqrt(radius / length));
    for (int k = 0; k < d; ++k) z[k] *= shrink;
    z[d] = shrink * low;
  }
}

/* How a function changes when the radius of the sphere grows and its other coordinates stay; 0 on
 * the plane. Of a point that was moved: along its ray. */
static double slope_of_radius(const gannet_input_embedding *embedding, const double *z,
                              const double *by_z) {
  const int d = embedding->d;
  double along = 0, square = 0;
  if (embedding->kind == GANNET_EMBEDDING_FLAT) return 0;
  if (!is_moved(embedding, z)) return by_z[d] / z[d];
  for (int k = 0; k <= d; ++k) {
    along += by_z[k] * z[k];
    square += z[k] * z[k];
  }
  return along / square;
}

void gannet_embedding_gradient(const gannet_input_embedding *embedding, const double *z,
                               const double *by_z, double *gradient) {
  const int d = embedding->d;
  const double shrink = is_moved(embedding, z) ? z[d] / (least * embedding->bias) : 1;
  const double slope = slope_of_radius(embedding, z, by_z);
  for (int k = 0; k < d; ++k)
    gradient[k] = 2 * embedding->rho[k] * shrink * (by_z[k] - slope * z[k]);
}

void gannet_embedding_scale_gradient(const gannet_input_embedding *embedding, const double *z,
                                     const double *by_z, double *by_rho, double *by_bias) {
  const int d = embedding->d;
  const double bias = embedding->bias;
  const double slope = slope_of_radius(embedding, z, by_z);
  for (int k = 0; k < d; ++k)
    by_rho[k] += by_z[k] * z[k] + slope * (embedding->rho[k] - z[k]) * (embedding->rho[k] + z[k]);
  if (embedding->kind == GANNET_EMBEDDING_SPHERE && !is_moved(embedding, z))
    *by_bias += slope * bias * bias;
  else /* z_d is a share of the bias */
    *by_bias += by_z[d] * z[d] + slope * (bias - z[d]) * (bias + z[d]);
}
