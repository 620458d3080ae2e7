/* test: serial labels unit */
#include <stdbool.h>

#include "support/harness.h"

#include "pareto/hypervolume.h"
#include "pareto/hypervolume_improvement.h"
#include "pareto/points.h"

enum { MOST = GANNET_BOXES_MOST_OBJECTIVES, N = 30 };

static const double reference[] = {1.1, 1.2, 1.15, 1.3, 1.1};

/* A front of n points on the sphere in the first octant. */
static void make_front(int n, int m, double *y, gannet_boxes *boxes) {
  sphere_points(n + m, n, m, y);
  assert_ok(gannet_boxes_create(n, m, y, reference, boxes));
}

/* Points of which some are far beyond the front, some below it, and some near it. */
static void make_candidates(int n, int m, double *z) {
  random_points(77, n, m, 0, z);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      z[i * m + j] = (0.5 + 0.1 * (i % 10)) * z[i * m + j] - 0.1 * (i % 3);
}

static void improvements_are_differences_of_hypervolumes(void **state) {
  (void)state;
  for (int m = 1; m <= MOST; ++m) {
    double y[(N + 1) * MOST], z[50 * MOST], before = 0, after = 0;
    const int n = m < 5 ? N : 12;
    gannet_boxes boxes;
    make_front(n, m, y, &boxes);
    make_candidates(50, m, z);
    assert_ok(gannet_hypervolume(n, m, y, reference, &before));
    for (int i = 0; i < 50; ++i) {
      memcpy(y + n * m, z + i * m, (size_t)m * sizeof *z);
      assert_ok(gannet_hypervolume(n + 1, m, y, reference, &after));
      assert_near(gannet_hypervolume_improvement(&boxes, z + i * m), after - before, 1e-12);
    }
    gannet_boxes_release(&boxes);
  }
}

/* The sum over all boxes, in their order. */
static double plain_improvement(const gannet_boxes *boxes, const double *y) {
  double sum = 0;
  for (int k = 0; k < boxes->count; ++k) {
    double product = 1;
    for (int j = 0; j < boxes->m; ++j) {
      const int at = j * boxes->capacity + k;
      product *= fmax(0, boxes->upper[at] - fmax(y[j], boxes->lower[at]));
    }
    sum += product;
  }
  return sum;
}

/* With many tiles of boxes, of which most are skipped: after the creation, and after points that
 * replace boxes in the middle. */
static void skipped_boxes_add_nothing(void **state) {
  (void)state;
  enum { POINTS = 300, ADDED = 6, CANDIDATES = 200 };
  static double y[(POINTS + ADDED) * MOST], z[CANDIDATES * MOST];
  for (int m = 1; m <= MOST; ++m)
    for (int grid = 0; grid <= 1; ++grid) {
      const int n = m < 4 ? POINTS : m < 5 ? 60 : 16;
      gannet_boxes boxes;
      int positive = 0;
      if (grid)
        random_points(m, n + ADDED, m, 12, y);
      else
        sphere_points(m, n + ADDED, m, y);
      make_candidates(CANDIDATES, m, z);
      assert_ok(gannet_boxes_create(n, m, y, reference, &boxes));
      for (int added = 0; added <= ADDED; ++added) {
        for (int i = 0; i < CANDIDATES; ++i) {
          const double sum = plain_improvement(&boxes, z + i * m);
          assert_near(gannet_hypervolume_improvement(&boxes, z + i * m), sum, 1e-14 * sum);
          positive += sum > 0;
        }
        if (added < ADDED) assert_ok(gannet_boxes_add(&boxes, y + (n + added) * m));
      }
      assert_in_range(positive, 1, CANDIDATES * (ADDED + 1) - 1);
      gannet_boxes_release(&boxes);
    }
}

static const double small[] = {0.01, 0.02, 0.03, 0.01, 0.02};

/* The smoothed sum over all boxes, in their order, by the formula of the documentation. */
static double plain_logarithm(const gannet_boxes *boxes, const double *y) {
  long double sum = 0;
  for (int k = 0; k < boxes->count; ++k) {
    long double product = 1;
    for (int j = 0; j < boxes->m; ++j) {
      const int at = j * boxes->capacity + k;
      const long double s = small[j], a = boxes->upper[at] - y[j], b = boxes->lower[at] - y[j];
      product *= (a + sqrtl(a * a + 4 * s * s)) / 2 -
                 (b > -HUGE_VAL ? (b + sqrtl(b * b + 4 * s * s)) / 2 : 0);
    }
    sum += product;
  }
  return (double)logl(sum);
}

static void smoothed_sums_are_of_all_boxes(void **state) {
  (void)state;
  enum { CANDIDATES = 40 };
  static double y[MOST * 300], z[MOST * CANDIDATES];
  for (int m = 1; m <= MOST; ++m)
    for (int n = 0; n <= (m < 4 ? 300 : 20); n = 3 * n + 1) {
      gannet_boxes boxes;
      sphere_points(m, n, m, y);
      make_candidates(CANDIDATES, m, z);
      assert_ok(gannet_boxes_create(n, m, y, reference, &boxes));
      for (int i = 0; i < CANDIDATES; ++i)
        assert_near(gannet_log_hypervolume_improvement(&boxes, small, z + i * m, NULL),
                    plain_logarithm(&boxes, z + i * m), 1e-12);
      gannet_boxes_release(&boxes);
    }
}

static void gradients_agree_with_differences(void **state) {
  (void)state;
  for (int m = 1; m <= MOST; ++m) {
    double y[N * MOST], z[50 * MOST], gradient[MOST];
    gannet_boxes boxes;
    make_front(m < 5 ? N : 12, m, y, &boxes);
    make_candidates(50, m, z);
    for (int i = 0; i < 50; ++i) {
      double *at = z + i * m;
      const double value = gannet_log_hypervolume_improvement(&boxes, small, at, gradient);
      const double h = 1e-7;
      assert_true(value == gannet_log_hypervolume_improvement(&boxes, small, at, NULL));
      for (int j = 0; j < m; ++j) {
        const double kept = at[j];
        at[j] = kept + h;
        const double above = gannet_log_hypervolume_improvement(&boxes, small, at, NULL);
        at[j] = kept - h;
        const double below = gannet_log_hypervolume_improvement(&boxes, small, at, NULL);
        at[j] = kept;
        assert_near(gradient[j], (above - below) / (2 * h), 2e-6 * (1 + fabs(gradient[j])));
        assert_true(gradient[j] < 0);
      }
    }
    gannet_boxes_release(&boxes);
  }
}

/* The smoothing is the expectation over its distribution: in two dimensions by a sum, in one in
 * closed form. With t = 2 tan(v) the density 2 (4 + t^2)^(-3/2) dt is cos(v) / 2 dv. */
static void the_smoothing_is_an_expectation(void **state) {
  (void)state;
  enum { STEPS = 2000 };
  double y[N * 2], sum = 0;
  gannet_boxes boxes;
  make_front(N, 2, y, &boxes);
  const double smoothing[] = {0.1, 0.2}, at[] = {0.6, 0.75}, h = 3.14159265358979 / STEPS;
  for (int i = 0; i < STEPS; ++i)
    for (int k = 0; k < STEPS; ++k) {
      const double v = (i - 0.5 * STEPS + 0.5) * h, w = (k - 0.5 * STEPS + 0.5) * h;
      const double z[] = {at[0] - smoothing[0] * 2 * tan(v), at[1] - smoothing[1] * 2 * tan(w)};
      sum += 0.25 * h * h * cos(v) * cos(w) * gannet_hypervolume_improvement(&boxes, z);
    }
  assert_near(exp(gannet_log_hypervolume_improvement(&boxes, smoothing, at, NULL)) / sum, 1, 1e-5);
  gannet_boxes_release(&boxes);
  assert_ok(gannet_boxes_create(1, 1, (double[]){0.5}, reference, &boxes));
  for (double x = -3; x < 3; x += 0.37)
    assert_near(exp(gannet_log_hypervolume_improvement(&boxes, smoothing, &x, NULL)),
                0.5 * (0.5 - x + sqrt((0.5 - x) * (0.5 - x) + 0.04)), 1e-13);
  gannet_boxes_release(&boxes);
}

/* The smoothed logarithm does not know how the region is cut: another order of objectives and an
 * update give other boxes. Little smoothing leaves the improvement; and it is above it always. */
static void smoothing_depends_on_the_region_alone(void **state) {
  (void)state;
  const double smoothing[] = {0.05, 0.05, 0.05, 0.05, 0.05}, little[] = {1e-9, 1e-9, 1e-9, 1e-9};
  const double same[] = {1.1, 1.1, 1.1, 1.1, 1.1};
  for (int m = 2; m <= 4; ++m) {
    double y[N * MOST], z[50 * MOST], values[50];
    gannet_boxes boxes;
    sphere_points(m, N, m, y);
    make_candidates(50, m, z);
    assert_ok(gannet_boxes_create(N, m, y, same, &boxes));
    for (int i = 0; i < 50; ++i) {
      const double exact = gannet_hypervolume_improvement(&boxes, z + i * m);
      values[i] = gannet_log_hypervolume_improvement(&boxes, smoothing, z + i * m, NULL);
      assert_true(values[i] > log(exact));
      assert_near(exp(gannet_log_hypervolume_improvement(&boxes, little, z + i * m, NULL)), exact,
                  1e-7);
    }
    gannet_boxes_release(&boxes);
    rotate_coordinates(N, m, y);
    rotate_coordinates(50, m, z);
    shuffle_rows(m, N, m, y);
    assert_ok(gannet_boxes_create(0, m, y, same, &boxes));
    for (int i = 0; i < N; ++i) assert_ok(gannet_boxes_add(&boxes, y + i * m));
    for (int i = 0; i < 50; ++i)
      assert_near(gannet_log_hypervolume_improvement(&boxes, smoothing, z + i * m, NULL), values[i],
                  1e-11);
    gannet_boxes_release(&boxes);
  }
}

/* At a distance t in every objective: log of (s^2 / t)^m, and slopes of -1 / t each. */
static void far_points_still_have_a_slope(void **state) {
  (void)state;
  for (int m = 1; m <= MOST; ++m) {
    double y[N * MOST];
    const double smoothing[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
    gannet_boxes boxes;
    make_front(m < 5 ? N : 12, m, y, &boxes);
    for (double t = 1e3; t < 1e48; t *= 1e4) {
      double far[MOST], gradient[MOST];
      for (int j = 0; j < m; ++j) far[j] = t;
      const double value = gannet_log_hypervolume_improvement(&boxes, smoothing, far, gradient);
      assert_near(value, m * (2 * log(1e-3) - log(t)), m * 3 / t + 1e-9);
      for (int j = 0; j < m; ++j) assert_near(-gradient[j] * t, 1, 3 / t + 1e-9);
      for (int j = 0; j < m; ++j) far[j] = -t; /* the other way there is no end */
      assert_near(gannet_log_hypervolume_improvement(&boxes, smoothing, far, gradient), m * log(t),
                  m * 3 / t + 1e-9);
      for (int j = 0; j < m; ++j) assert_near(-gradient[j] * t, 1, 3 / t + 1e-9);
    }
    gannet_boxes_release(&boxes);
  }
}

static double expected(const gannet_boxes *boxes, const double *mean, const double *sd,
                       double *by_mean, double *by_sd) {
  return gannet_log_expected_hypervolume_improvement(boxes, mean, sd, by_mean, by_sd);
}

static void expectations_agree_with_samples(void **state) {
  (void)state;
  enum { SAMPLES = 200000 };
  static double normal[SAMPLES * MOST];
  for (int m = 1; m <= MOST; ++m) {
    double y[N * MOST], z[10 * MOST];
    gannet_boxes boxes;
    make_front(m < 5 ? 10 : 5, m, y, &boxes);
    make_candidates(10, m, z);
    gannet_random_normal((gannet_stream){9, GANNET_FOR_TEST, 0, 0}, 0, SAMPLES * (size_t)m, normal);
    for (int i = 0; i < 10; i += 3) {
      double sd[MOST], sum = 0, squares = 0;
      for (int j = 0; j < m; ++j) sd[j] = 0.05 * (1 + (i + j) % 5);
      for (int s = 0; s < SAMPLES; ++s) {
        double at[MOST];
        for (int j = 0; j < m; ++j) at[j] = z[i * m + j] + sd[j] * normal[s * m + j];
        const double one = gannet_hypervolume_improvement(&boxes, at);
        sum += one;
        squares += one * one;
      }
      const double mean = sum / SAMPLES;
      const double error = sqrt((squares / SAMPLES - mean * mean) / SAMPLES);
      assert_near(exp(expected(&boxes, z + i * m, sd, NULL, NULL)), mean, 4.5 * error + 1e-9);
    }
    gannet_boxes_release(&boxes);
  }
}

/* In two objectives by Simpson's rule in both, with the steps of a front on a grid on its knots. */
static void expectations_agree_with_quadrature(void **state) {
  (void)state;
  enum { STEPS = 1600 };
  const double front[] = {0.25, 0.75, 0.5, 0.5, 0.75, 0.25}, ends[] = {1, 1};
  const double mean[] = {0.55, 0.6}, sd[] = {0.3, 0.2};
  gannet_boxes boxes;
  assert_ok(gannet_boxes_create(3, 2, front, ends, &boxes));
  double sum = 0;
  for (int i = 0; i <= STEPS; ++i)
    for (int k = 0; k <= STEPS; ++k) {
      const double z[] = {1 - 4.0 * i / STEPS, 1 - 4.0 * k / STEPS};
      const double wi = i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2;
      const double wk = k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2;
      const double a = (z[0] - mean[0]) / sd[0], b = (z[1] - mean[1]) / sd[1];
      sum += wi * wk * gannet_hypervolume_improvement(&boxes, z) * exp(-0.5 * (a * a + b * b));
    }
  sum *= pow(4.0 / STEPS / 3, 2) / (2 * 3.14159265358979323846 * sd[0] * sd[1]);
  assert_near(exp(expected(&boxes, mean, sd, NULL, NULL)), sum, 1e-9);
  gannet_boxes_release(&boxes);
}

static void gradients_of_expectations_agree_with_differences(void **state) {
  (void)state;
  for (int m = 1; m <= MOST; ++m) {
    double y[N * MOST], z[30 * MOST];
    gannet_boxes boxes;
    make_front(m < 5 ? N : 8, m, y, &boxes);
    make_candidates(30, m, z);
    for (int i = 0; i < 30; ++i)
      for (double size = 1e-3; size < 2; size *= 10) {
        double sd[MOST], by_mean[MOST], by_sd[MOST], *mean = z + i * m;
        for (int j = 0; j < m; ++j) sd[j] = size * (1 + 0.1 * j);
        const double value = expected(&boxes, mean, sd, by_mean, by_sd);
        assert_true(value == expected(&boxes, mean, sd, NULL, NULL));
        for (int j = 0; j < m; ++j)
          for (int which = 0; which < 2; ++which) {
            double *at = which ? &sd[j] : &mean[j];
            const double kept = *at, h = 1e-5 * size, slope = which ? by_sd[j] : by_mean[j];
            *at = kept + h;
            const double above = expected(&boxes, mean, sd, NULL, NULL);
            *at = kept - h;
            const double below = expected(&boxes, mean, sd, NULL, NULL);
            *at = kept;
            assert_near(slope, (above - below) / (2 * h), 1e-5 * (1 / size + fabs(slope)));
          }
      }
    gannet_boxes_release(&boxes);
  }
}

/* Little uncertainty leaves the improvement; far away, logarithm and gradients are finite; and
 * boxes that are thin compared with the uncertainty count as much as they should. */
static void expectations_have_their_limits(void **state) {
  (void)state;
  for (int m = 1; m <= MOST; ++m) {
    double y[N * MOST], z[30 * MOST], by_mean[MOST], by_sd[MOST];
    gannet_boxes boxes;
    make_front(m < 5 ? N : 8, m, y, &boxes);
    make_candidates(30, m, z);
    for (int i = 0; i < 30; ++i)
      for (double size = 0; size < 1e-12; size = 1e9 * size + 1e-30) {
        const double sd[] = {size, size, size, size, size};
        const double exact = gannet_hypervolume_improvement(&boxes, z + i * m);
        const double value = expected(&boxes, z + i * m, sd, by_mean, by_sd);
        assert_near(exp(value), exact, 1e-10);
        for (int j = 0; j < m; ++j) assert_true(isfinite(by_mean[j]) && isfinite(by_sd[j]));
      }
    for (double t = 1e-49; t < 1e50; t *= 1e7) {
      const double far[] = {t, t, t, t, t}, sd[] = {1e-3, 1e-3, 1e-3, 1e-3, 1e-3};
      assert_true(isfinite(expected(&boxes, far, sd, by_mean, by_sd)));
      for (int j = 0; j < m; ++j) assert_true(isfinite(by_mean[j]) && by_mean[j] <= 0);
    }
    gannet_boxes_release(&boxes);
  }
  double y[2 * 40];
  gannet_boxes boxes, wide;
  for (int i = 0; i < 40; ++i) { /* steps of 1e-7 around a corner: as good as one point */
    y[2 * i] = 0.5 + 1e-7 * i;
    y[2 * i + 1] = 0.5 - 1e-7 * i;
  }
  assert_ok(gannet_boxes_create(40, 2, y, reference, &boxes));
  assert_ok(gannet_boxes_create(1, 2, y, reference, &wide));
  for (double at = -0.5; at < 8; at += 0.5) {
    const double mean[] = {at, at}, sd[] = {0.2, 0.2};
    assert_near(expected(&boxes, mean, sd, NULL, NULL), expected(&wide, mean, sd, NULL, NULL),
                1e-3);
  }
  gannet_boxes_release(&boxes);
  gannet_boxes_release(&wide);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(improvements_are_differences_of_hypervolumes),
      cmocka_unit_test(skipped_boxes_add_nothing),
      cmocka_unit_test(smoothed_sums_are_of_all_boxes),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(the_smoothing_is_an_expectation),
      cmocka_unit_test(smoothing_depends_on_the_region_alone),
      cmocka_unit_test(far_points_still_have_a_slope),
      cmocka_unit_test(expectations_agree_with_samples),
      cmocka_unit_test(expectations_agree_with_quadrature),
      cmocka_unit_test(gradients_of_expectations_agree_with_differences),
      cmocka_unit_test(expectations_have_their_limits),
  };
  return run_serial(tests);
}
