/* test: serial labels unit */
#include <stdbool.h>

#include "support/harness.h"

#include "pareto/front.h"
#include "pareto/points.h"

enum { MOST = 1000, OBJECTIVES = GANNET_FRONT_MOST_OBJECTIVES };

static bool dominates(int m, const double *a, const double *b) {
  bool better = false;
  for (int j = 0; j < m; ++j) {
    if (!(a[j] <= b[j])) return false;
    better = better || a[j] < b[j];
  }
  return better;
}

static bool is_finite(int m, const double *a) {
  for (int j = 0; j < m; ++j)
    if (!isfinite(a[j])) return false;
  return true;
}

/* The front by its definition. */
static int front_by_pairs(int n, int m, const double *y, int *front) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    bool on = is_finite(m, y + i * m);
    for (int k = 0; k < n; ++k) {
      if (k == i || !is_finite(m, y + k * m)) continue;
      const bool equal = !memcmp(y + i * m, y + k * m, (size_t)m * sizeof *y);
      if (dominates(m, y + k * m, y + i * m) || (equal && k < i)) on = false;
    }
    if (on) front[count++] = i;
  }
  return count;
}

static void fronts_are_those_of_all_pairs(void **state) {
  (void)state;
  static double y[MOST * OBJECTIVES];
  static int front[MOST], expected[MOST];
  for (int m = 1; m <= OBJECTIVES; ++m)
    for (int n = 0; n <= 300; n = 2 * n + 1)
      for (int grid = 0; grid <= 8; grid += 4) {
        random_points(100 * m + n, n, m, grid, y);
        if (n > 20) { /* some that are not finite, and would dominate */
          y[3 * m] = NAN;
          y[5 * m + m - 1] = -HUGE_VAL;
          y[7 * m] = HUGE_VAL;
        }
        int count = -1;
        assert_ok(gannet_pareto_front(n, m, y, &count, front));
        assert_int_equal(count, front_by_pairs(n, m, y, expected));
        assert_memory_equal(front, expected, (size_t)count * sizeof *front);
      }
}

/* Rank k is the front, with its equal points, of what the ranks before leave. */
static void ranks_are_those_of_peeling(void **state) {
  (void)state;
  static double y[MOST * OBJECTIVES];
  static int rank[MOST];
  for (int m = 1; m <= OBJECTIVES; ++m)
    for (int grid = 0; grid <= 6; grid += 3) {
      const int n = 200;
      random_points(m, n, m, grid, y);
      y[11 * m] = NAN;
      assert_ok(gannet_pareto_ranks(n, m, y, rank));
      assert_int_equal(rank[11], -1);
      for (int i = 0; i < n; ++i) {
        if (i == 11) continue;
        int deepest = -1;
        for (int k = 0; k < n; ++k)
          if (k != 11 && dominates(m, y + k * m, y + i * m) && rank[k] > deepest) deepest = rank[k];
        assert_int_equal(rank[i], deepest + 1);
      }
    }
}

static void many_points_are_sorted(void **state) {
  (void)state;
  enum { N = 100000 };
  static double y[3 * N];
  static int front[N], rank[N];
  for (int m = 2; m <= 3; ++m) {
    sphere_points(m, N, m, y);
    for (int j = 0; j < m; ++j) y[j] = 2; /* dominated */
    int count = 0;
    assert_ok(gannet_pareto_front(N, m, y, &count, front));
    assert_int_equal(count, N - 1);
    assert_int_equal(front[0], 1);
  }
  sphere_points(1, N, 2, y);
  assert_ok(gannet_pareto_ranks(N, 2, y, rank));
  for (int i = 0; i < N; ++i) assert_int_equal(rank[i], 0);
}

static void other_numbers_of_objectives_are_refused(void **state) {
  (void)state;
  double y[11] = {0};
  int count = 0, front[1];
  assert_fails(GANNET_ERR_ARG, "a front of 11 objectives: expected 1 to 10",
               gannet_pareto_front(1, 11, y, &count, front));
  assert_fails(GANNET_ERR_ARG, "expected 1 to 10", gannet_pareto_ranks(1, 0, y, front));
  assert_fails(GANNET_ERR_ARG, "of -1 points: expected at least 0",
               gannet_pareto_ranks(-1, 2, y, front));
}

/* A line with a corner: the corner is farthest from the line through its ends, in any units. */
static void the_knee_is_the_corner(void **state) {
  (void)state;
  double y[2 * 41];
  int front[41];
  for (int i = 0; i <= 40; ++i) {
    front[i] = i;
    y[2 * i] = 1e6 * (i <= 20 ? 0.01 * i : 0.2 + 0.04 * (i - 20));
    y[2 * i + 1] = 1e-300 * (i <= 20 ? 1 - 0.045 * i : 0.1 - 0.005 * (i - 20));
  }
  assert_int_equal(gannet_pareto_knee(2, y, 41, front), 20);
  const double line[] = {1, 0, 0.5, 0.5, 0, 1};
  assert_int_equal(gannet_pareto_knee(2, line, 3, front), 0);
  assert_int_equal(gannet_pareto_knee(2, y, 1, front + 7), 7);
  assert_int_equal(gannet_pareto_knee(2, y, 0, front), -1);
}

/* On the sphere the point with equal coordinates; values from -1e308 to 1e308 do not overflow. */
static void knees_of_spheres_are_in_the_middle(void **state) {
  (void)state;
  for (int m = 2; m <= 5; ++m) {
    double y[60 * 5];
    int front[60];
    sphere_points(m, 60, m, y);
    for (int i = 0; i < 60; ++i) {
      front[i] = i;
      for (int k = 0; k < m; ++k) {
        double *v = &y[i * m + k];
        if (i < m) *v = i == k;
        if (i == 33) *v = sqrt(1.0 / m);
        *v = (1 - *v) * 1e308 - *v * 1e308;
      }
    }
    assert_int_equal(gannet_pareto_knee(m, y, 60, front), 33);
  }
}

static void a_constant_objective_does_not_move_the_knee(void **state) {
  (void)state;
  const double y[] = {0, 7, 1, 0.3, 7, 0.3, 1, 7, 0};
  const int front[] = {0, 1, 2};
  assert_int_equal(gannet_pareto_knee(3, y, 3, front), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fronts_are_those_of_all_pairs),
      cmocka_unit_test(ranks_are_those_of_peeling),
      cmocka_unit_test(many_points_are_sorted),
      cmocka_unit_test(other_numbers_of_objectives_are_refused),
      cmocka_unit_test(the_knee_is_the_corner),
      cmocka_unit_test(knees_of_spheres_are_in_the_middle),
      cmocka_unit_test(a_constant_objective_does_not_move_the_knee),
  };
  return run_serial(tests);
}
