#include "pareto/hypervolume_improvement.h"

#include <math.h>

#include "base/normal.h"
#include "base/vector_clones.h"

enum {
  MOST = GANNET_BOXES_MOST_OBJECTIVES,
  TILE = GANNET_BOXES_TILE,
  CHUNK = 64, /* boxes whose sides are computed at once, or tiles that are looked through */
  LANES = 8   /* sums that are added up at the end: a divisor of TILE and CHUNK */
};

/* By how much y is below the bounds of n tiles in all objectives; ld bounds per objective. */
GANNET_VECTOR_CLONES static void find_room(int m, int n, const double *bound, size_t ld,
                                           const double *y, double *room) {
  for (int t = 0; t < n; ++t) room[t] = bound[t] - y[0];
  for (int j = 1; j < m; ++j) {
    const double *of = bound + (size_t)j * ld;
    GANNET_NO_OVERLAP
    for (int t = 0; t < n; ++t) room[t] = of[t] - y[j] < room[t] ? of[t] - y[j] : room[t];
  }
}

/* The part of a tile of boxes, with ld numbers per objective. */
GANNET_VECTOR_CLONES static double sum_tile(int m, const double *lower, const double *upper,
                                            size_t ld, const double *y) {
  double product[TILE], lane[LANES] = {0}, sum = 0;
  for (int k = 0; k < TILE; ++k) {
    const double length = upper[k] - y[0];
    product[k] = length > 0 ? length : 0;
  }
  for (int j = 1; j < m; ++j) {
    const double *low = lower + (size_t)j * ld, *high = upper + (size_t)j * ld;
    GANNET_NO_OVERLAP
    for (int k = 0; k < TILE; ++k) {
      const double length = high[k] - (low[k] > y[j] ? low[k] : y[j]);
      product[k] *= length > 0 ? length : 0;
    }
  }
  for (int k = 0; k < TILE; k += LANES)
    for (int l = 0; l < LANES; ++l) lane[l] += product[k + l];
  for (int l = 0; l < LANES; ++l) sum += lane[l];
  return sum;
}

double gannet_hypervolume_improvement(const gannet_boxes *boxes, const double *y) {
  const int tiles = (boxes->count + TILE - 1) / TILE;
  const size_t capacity = (size_t)boxes->capacity;
  double room[CHUNK], sum = 0;
  for (int from = 0; from < tiles; from += CHUNK) {
    const int n = tiles - from < CHUNK ? tiles - from : CHUNK;
    find_room(boxes->m, n, boxes->bound + from, capacity / TILE, y, room);
    for (int t = 0; t < n; ++t) {
      const size_t at = (size_t)(from + t) * TILE;
      if (room[t] > 0) sum += sum_tile(boxes->m, boxes->lower + at, boxes->upper + at, capacity, y);
    }
  }
  return sum;
}

/* Sides of n boxes in one objective, smoothed, and their derivatives by y.
 *
 * In units of the smoothing s, with scale = 1 / (2 s), a = scale (upper - y), b = scale (lower -
 * y): f(2 s a) / s = q(a) = a + A, A = sqrt(1 + a^2), which is 1 / (A - a) for a < 0, and
 *
 *   q(a) - q(b) = (a - b) (q(a) + q(b)) / (A + B)
 *
 * without cancellation. Limits of a and b keep products of five sides within the range of numbers,
 * and that of all divisors, so that one division does for all. */
GANNET_VECTOR_CLONES static void smooth_sides(int n, double y, double scale, const double *lower,
                                              const double *upper, double *side, double *slope) {
  GANNET_NO_OVERLAP
  for (int k = 0; k < n; ++k) {
    double a = scale * (upper[k] - y), b = scale * (lower[k] - y);
    a = a < -1e58 ? -1e58 : a;
    a = a > 1e58 ? 1e58 : a;
    b = b < -1e62 ? -1e62 : b; /* stands for -inf */
    b = b > 1e58 ? 1e58 : b;
    const double root_a = sqrt(1 + a * a), root_b = sqrt(1 + b * b), roots = root_a + root_b;
    const double sum_a = root_a + fabs(a), sum_b = root_b + fabs(b);
    const double sums = sum_a * sum_b, product = root_a * root_b;
    const double inverse = 1 / (sums * roots * product);
    const double qa = a < 0 ? sum_b * roots * product * inverse : sum_a;
    const double qb = b < 0 ? sum_a * roots * product * inverse : sum_b;
    const double width = b > -1e58 ? scale * (upper[k] - lower[k]) : a - b;
    side[k] = width * (qa + qb) * (sums * product * inverse);
    slope[k] = -scale * (qa * root_b - qb * root_a) * (sums * roots * inverse);
  }
}

/* The same for boxes without a lower end. */
GANNET_VECTOR_CLONES static void smooth_open_sides(int n, double y, double scale,
                                                   const double *upper, double *side,
                                                   double *slope) {
  GANNET_NO_OVERLAP
  for (int k = 0; k < n; ++k) {
    double a = scale * (upper[k] - y);
    a = a < -1e58 ? -1e58 : a;
    a = a > 1e58 ? 1e58 : a;
    const double root = sqrt(1 + a * a), sum = root + fabs(a), inverse = 1 / (sum * root);
    side[k] = a < 0 ? root * inverse : sum;
    slope[k] = -scale * side[k] * (sum * inverse);
  }
}

/* The sum over n <= CHUNK boxes of the product of m factors; n is a multiple of LANES. */
GANNET_VECTOR_CLONES static double sum_products(int m, int n, const double *const *factor) {
  double product[CHUNK], lane[LANES] = {0}, sum = 0;
  for (int k = 0; k < n; ++k) product[k] = factor[0][k];
  for (int j = 1; j < m; ++j) {
    const double *next = factor[j];
    GANNET_NO_OVERLAP
    for (int k = 0; k < n; ++k) product[k] *= next[k];
  }
  for (int k = 0; k < n; k += LANES)
    for (int l = 0; l < LANES; ++l) lane[l] += product[k + l];
  for (int l = 0; l < LANES; ++l) sum += lane[l];
  return sum;
}

/* Add the products of sides of n boxes to a gradient; returns their sum. */
static double add_products(int m, int n, double (*side)[CHUNK], double (*slope)[CHUNK],
                           double *gradient) {
  const double *factor[MOST];
  for (int j = 0; j < m; ++j) factor[j] = side[j];
  for (int j = 0; gradient && j < m; ++j) {
    factor[j] = slope[j];
    gradient[j] += sum_products(m, n, factor);
    factor[j] = side[j];
  }
  return sum_products(m, n, factor);
}

double gannet_log_hypervolume_improvement(const gannet_boxes *boxes, const double *smoothing,
                                          const double *y, double *gradient) {
  double side[MOST][CHUNK], slope[MOST][CHUNK], sum = 0, units = 0;
  for (int j = 0; gradient && j < boxes->m; ++j) gradient[j] = 0;
  for (int from = 0; from < boxes->count; from += CHUNK) {
    const int left = boxes->count - from, whole = (left + LANES - 1) / LANES * LANES;
    const int n = whole < CHUNK ? whole : CHUNK;
    smooth_open_sides(n, y[0], 0.5 / smoothing[0], boxes->upper + from, side[0], slope[0]);
    for (int k = left; k < n; ++k) side[0][k] = slope[0][k] = 0; /* no boxes */
    for (int j = 1; j < boxes->m; ++j) {
      const size_t at = (size_t)j * (size_t)boxes->capacity + (size_t)from;
      smooth_sides(n, y[j], 0.5 / smoothing[j], boxes->lower + at, boxes->upper + at, side[j],
                   slope[j]);
    }
    sum += add_products(boxes->m, n, side, slope, gradient);
  }
  for (int j = 0; j < boxes->m; ++j) units += log(smoothing[j]);
  for (int j = 0; gradient && j < boxes->m; ++j) gradient[j] /= sum;
  return units + log(sum);
}

/* The logarithm of the expectation of a side, and its derivatives. */
typedef struct {
  double logarithm, by_mean, by_sd;
} expected_side;

/* With z = (u - mean) / sd and t = (l - mean) / sd, the expectation is sd (h(z) - h(t)), where
 * h' = cdf. */
static expected_side expect_side(double mean, double sd, double lower, double upper) {
  const double z = (upper - mean) / sd, t = (lower - mean) / sd, width = upper - lower;
  if (width * fmax(1, fabs(z)) < 1e-5 * sd) { /* cdf is linear there to 1e-11 of itself */
    const double middle = 0.5 * (z + t), hazard = gannet_normal_hazard(middle) / sd;
    return (expected_side){log(width) + gannet_normal_log_cdf(middle), -hazard, -middle * hazard};
  }
  if (t >
      0) { /* h(z) = z + h(-z), and z - t is the width: what h(-z) loses by cancellation is small */
    const double pdf_z = gannet_normal_pdf(z), cdf_z = gannet_normal_cdf(-z);
    const double pdf_t = gannet_normal_pdf(t), cdf_t = gannet_normal_cdf(-t);
    const double side = width - sd * ((pdf_t - t * cdf_t) - (pdf_z - z * cdf_z));
    return (expected_side){log(side), (cdf_z - cdf_t) / side, (pdf_z - pdf_t) / side};
  }
  const gannet_normal_terms at_upper = gannet_normal_improvement_terms(z);
  expected_side side = {log(sd) + at_upper.logarithm, -at_upper.cdf_ratio / sd,
                        at_upper.pdf_ratio / sd};
  if (lower > -HUGE_VAL) {
    /* log h(t) - log h(z); far in the tail, where the logarithms are too large for a difference,
     * from h(z) = pdf(z) z^-2 (1 - 3 z^-2 + ...). */
    const gannet_normal_terms at_lower = gannet_normal_improvement_terms(t);
    const double between = width / sd;
    const double below = z < -1e3 ? between * (z - 0.5 * between) - 2 * log1p(between / -z)
                                  : at_lower.logarithm - at_upper.logarithm;
    const double share = exp(below), rest = -expm1(below);
    side.logarithm += log(rest);
    side.by_mean = (side.by_mean + share * at_lower.cdf_ratio / sd) / rest;
    side.by_sd = (side.by_sd - share * at_lower.pdf_ratio / sd) / rest;
  }
  return side;
}

/* Weights of boxes relative to the largest logarithm so far. */
typedef struct {
  double most; /* largest logarithm */
  double sum;  /* of exp(logarithm - most) */
  double by_mean[MOST], by_sd[MOST];
} expected_sum;

static void add_expected(int m, const expected_side *side, expected_sum *sum) {
  double logarithm = 0;
  for (int j = 0; j < m; ++j) logarithm += side[j].logarithm;
  if (logarithm > sum->most) {
    const double share = exp(sum->most - logarithm);
    sum->most = logarithm;
    sum->sum *= share;
    for (int j = 0; j < m; ++j) {
      sum->by_mean[j] *= share;
      sum->by_sd[j] *= share;
    }
  }
  const double weight = exp(logarithm - sum->most);
  sum->sum += weight;
  for (int j = 0; j < m; ++j) {
    sum->by_mean[j] += weight * side[j].by_mean;
    sum->by_sd[j] += weight * side[j].by_sd;
  }
}

double gannet_log_expected_hypervolume_improvement(const gannet_boxes *boxes, const double *mean,
                                                   const double *sd, double *mean_gradient,
                                                   double *sd_gradient) {
  expected_sum sum = {.most = -HUGE_VAL};
  for (int k = 0; k < boxes->count; ++k) {
    expected_side side[MOST];
    int j = 0;
    for (; j < boxes->m; ++j) {
      const size_t at = (size_t)j * (size_t)boxes->capacity + (size_t)k;
      if (boxes->lower[at] >= boxes->upper[at]) break; /* empty */
      side[j] = expect_side(mean[j], fmax(sd[j], 1e-50), boxes->lower[at], boxes->upper[at]);
    }
    if (j == boxes->m) add_expected(boxes->m, side, &sum);
  }
  for (int j = 0; mean_gradient && j < boxes->m; ++j) {
    mean_gradient[j] = sum.by_mean[j] / sum.sum;
    sd_gradient[j] = sum.by_sd[j] / sum.sum;
  }
  return sum.most + log(sum.sum);
}
