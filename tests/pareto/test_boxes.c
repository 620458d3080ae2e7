/* test: serial labels unit */
#include <stdbool.h>

#include "support/harness.h"

#include "pareto/boxes.h"
#include "pareto/hypervolume.h"
#include "pareto/points.h"

enum { MOST = GANNET_BOXES_MOST_OBJECTIVES, POINTS = 60 };

/* Points of many kinds: on spheres, in the cube, on coarse grids with equal coordinates. */
static void make_points(int kind, int n, int m, double *y) {
  if (kind == 0)
    sphere_points(n, n, m, y);
  else
    random_points(n + kind, n, m, kind == 1 ? 0 : 2 + kind, y);
}

enum { KINDS = 5 };

/* How much of the boxes is above a point in all objectives. */
static double volume_above(const gannet_boxes *boxes, double low) {
  double volume = 0;
  for (int k = 0; k < boxes->count; ++k) {
    double product = 1;
    for (int j = 0; j < boxes->m; ++j) {
      const int at = j * boxes->capacity + k;
      assert_true(boxes->lower[at] <= boxes->upper[at]);
      product *= fmax(0, boxes->upper[at] - fmax(low, boxes->lower[at]));
    }
    volume += product;
  }
  return volume;
}

/* How many boxes a point is in. */
static int boxes_with(const gannet_boxes *boxes, const double *z) {
  int count = 0;
  for (int k = 0; k < boxes->count; ++k) {
    int j = 0;
    for (; j < boxes->m; ++j) {
      const int at = j * boxes->capacity + k;
      if (!(boxes->lower[at] <= z[j] && z[j] < boxes->upper[at])) break;
    }
    count += j == boxes->m;
  }
  return count;
}

/* One box for a point that nothing dominates and that is below the reference, none for others; and
 * the boxes and the dominated volume are all that is below the reference. */
static void check_boxes(const gannet_boxes *boxes, int n, const double *y,
                        const double *reference) {
  enum { SAMPLES = 200 };
  static double z[SAMPLES * MOST];
  const int m = boxes->m;
  double dominated = 0, all = 1;
  assert_ok(gannet_hypervolume(n, m, y, reference, &dominated));
  for (int j = 0; j < m; ++j) all *= reference[j] + 1;
  assert_near(volume_above(boxes, -1) + dominated, all, 1e-11 * all);
  random_points(n, SAMPLES, m, n % 2 ? 0 : 12, z);
  for (int s = 0; s < SAMPLES; ++s) {
    bool is_free = true;
    for (int j = 0; j < m; ++j) {
      z[s * m + j] = 1.4 * z[s * m + j] - 0.2;
      is_free = is_free && z[s * m + j] < reference[j];
    }
    for (int i = 0; i < n && is_free; ++i) {
      int j = 0;
      while (j < m && y[i * m + j] <= z[s * m + j]) ++j;
      is_free = j < m;
    }
    assert_int_equal(boxes_with(boxes, z + s * m), is_free);
  }
}

static void boxes_and_dominated_region_fill_the_space(void **state) {
  (void)state;
  static double y[POINTS * MOST];
  const double reference[] = {1, 0.9, 0.95, 1.1, 1};
  for (int m = 1; m <= MOST; ++m)
    for (int kind = 0; kind < KINDS; ++kind)
      for (int n = 0; n <= (m < 5 ? POINTS : 20); n = 2 * n + 1) {
        gannet_boxes boxes;
        make_points(kind, n, m, y);
        assert_ok(gannet_boxes_create(n, m, y, reference, &boxes));
        check_boxes(&boxes, n, y, reference);
        gannet_boxes_release(&boxes);
      }
}

/* Points one by one, in an order in which later ones dominate earlier ones. */
static void points_can_come_later(void **state) {
  (void)state;
  static double y[POINTS * MOST];
  const double reference[] = {1, 0.9, 0.95, 1.1, 1};
  for (int m = 1; m <= MOST; ++m)
    for (int kind = 0; kind < KINDS; ++kind)
      for (int seed = 0; seed < 3; ++seed) {
        const int n = m < 5 ? 40 : 16;
        gannet_boxes boxes;
        make_points(kind, n, m, y);
        shuffle_rows(seed, n, m, y);
        assert_ok(gannet_boxes_create(n / 2, m, y, reference, &boxes));
        gannet_boxes copy;
        assert_ok(gannet_boxes_copy(&boxes, &copy));
        for (int i = n / 2; i < n; ++i) {
          assert_ok(gannet_boxes_add(&boxes, y + i * m));
          check_boxes(&boxes, i + 1, y, reference);
        }
        gannet_boxes_release(&boxes);
        check_boxes(&copy, n / 2, y, reference); /* it has memory of its own */
        assert_ok(gannet_boxes_add(&copy, y + n / 2 * m));
        check_boxes(&copy, n / 2 + 1, y, reference);
        gannet_boxes_release(&copy);
      }
}

static void the_order_of_points_does_not_matter(void **state) {
  (void)state;
  static double y[POINTS * MOST];
  const double reference[] = {1, 0.9, 0.95, 1.1, 1};
  for (int m = 1; m <= 4; ++m)
    for (int kind = 0; kind < KINDS; ++kind) {
      gannet_boxes boxes, others;
      make_points(kind, POINTS, m, y);
      assert_ok(gannet_boxes_create(POINTS, m, y, reference, &boxes));
      shuffle_rows(5, POINTS, m, y);
      assert_ok(gannet_boxes_create(POINTS, m, y, reference, &others));
      assert_int_equal(boxes.count, others.count);
      for (int j = 0; j < m; ++j) {
        const size_t bytes = (size_t)boxes.count * sizeof(double);
        assert_memory_equal(boxes.lower + j * boxes.capacity, others.lower + j * others.capacity,
                            bytes);
        assert_memory_equal(boxes.upper + j * boxes.capacity, others.upper + j * others.capacity,
                            bytes);
      }
      gannet_boxes_release(&boxes);
      gannet_boxes_release(&others);
    }
}

static void boxes_are_as_many_as_promised(void **state) {
  (void)state;
  enum { N = 200 };
  static double y[N * MOST];
  const double reference[] = {1.1, 1.1, 1.1, 1.1, 1.1};
  for (int m = 1; m <= 4; ++m) {
    gannet_boxes boxes;
    sphere_points(m, N, m, y);
    assert_ok(gannet_boxes_create(N, m, y, reference, &boxes));
    if (m == 1) assert_int_equal(boxes.count, 1);
    if (m == 2) assert_int_equal(boxes.count, N + 1);
    if (m == 3) assert_int_equal(boxes.count, 2 * N + 1);
    if (m == 4) assert_in_range(boxes.count, 2 * N, N * N);
    gannet_boxes_release(&boxes);
  }
}

static void points_that_do_not_count_change_nothing(void **state) {
  (void)state;
  const double reference[] = {1, 1}, y[] = {0.5, 0.5},
               others[][2] = {{0.5, 0.5}, {0.5, 0.7}, {0.6, 0.6}, {1, 0},
                              {0, 1},     {2, 2},     {NAN, 0},   {0, -HUGE_VAL}};
  gannet_boxes boxes;
  assert_ok(gannet_boxes_create(1, 2, y, reference, &boxes));
  assert_int_equal(boxes.count, 2);
  for (int i = 0; i < 8; ++i) assert_ok(gannet_boxes_add(&boxes, others[i]));
  assert_int_equal(boxes.count, 2);
  assert_ok(gannet_boxes_add(&boxes, (double[]){0.4, 0.4})); /* dominates the only one */
  assert_int_equal(boxes.count, 2);
  assert_true(boxes_with(&boxes, (double[]){0.45, 0.45}) == 0);
  gannet_boxes_release(&boxes);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  const double y[6] = {0}, reference[6] = {1, HUGE_VAL, 1, 1, 1, 1};
  gannet_boxes boxes;
  assert_fails(GANNET_ERR_ARG, "boxes below a front of 6 objectives: expected 1 to 5",
               gannet_boxes_create(1, 6, y, reference, &boxes));
  gannet_boxes_release(&boxes);
  assert_fails(GANNET_ERR_ARG, "of -1 points: expected at least 0",
               gannet_boxes_create(-1, 2, y, reference, &boxes));
  gannet_boxes_release(&boxes);
  assert_fails(GANNET_ERR_ARG, "is inf in objective 2: expected a finite number",
               gannet_boxes_create(1, 3, y, reference, &boxes));
  gannet_boxes_release(&boxes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_and_dominated_region_fill_the_space),
      cmocka_unit_test(points_can_come_later),
      cmocka_unit_test(the_order_of_points_does_not_matter),
      cmocka_unit_test(boxes_are_as_many_as_promised),
      cmocka_unit_test(points_that_do_not_count_change_nothing),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return run_serial(tests);
}
