#include "optimizer/local_noise.h"

#include <math.h>

static const double least_share = 0.5; /* one and a quarter were no better */

static const double *point(const local_data *data, int i) {
  return data->u + (size_t)i * (size_t)data->d;
}

static bool is_inside(const local_data *data, int i, double radius) {
  for (int k = 0; k < data->d; ++k)
    if (fabs(point(data, i)[k]) * data->span > radius) return false;
  return true;
}

static bool is_feasible(const gannet_history *history, int64_t id) {
  return gannet_problem_is_feasible(gannet_history_problem(history),
                                    gannet_history_constraints(history, id));
}

int64_t local_noise_centre(const gannet_history *history, const local_data *data,
                           const gannet_quadratic *objective, double radius) {
  int64_t centre = data->centre_id;
  double least = INFINITY;
  if (!is_feasible(history, centre)) return centre;
  for (int i = 0; i < data->n; ++i) {
    if (!is_inside(data, i, radius) || !is_feasible(history, data->id[i])) continue;
    const double mean =
        gannet_quadratic_value(objective, objective->coefficient, point(data, i), NULL, NULL);
    if (!(mean < least)) continue;
    least = mean;
    centre = data->id[i];
  }
  return centre;
}

/* Where error s = (1/2) curvature s u^2; hyper-parameters are logarithms to base 10. */
double local_noise_radius(const local_data *data, const gannet_quadratic *objective) {
  const double *hyper = objective->hyper;
  return least_share * data->span *
         sqrt(2 * pow(10, hyper[GANNET_QUADRATIC_ERROR] - hyper[GANNET_QUADRATIC_CURVATURE]));
}
