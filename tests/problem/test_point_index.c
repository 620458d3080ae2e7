/* test: serial labels unit */
#include <math.h>

#include "problem/point_index.h"
#include "support/harness.h"

enum { N = 1000, V = 3 };

static const double *point_of(const void *user, int64_t id) {
  return (const double *)user + id * V;
}

static void equal_points_are_found_in_their_order(void **state) {
  static double x[N * V];
  gannet_point_index *index = NULL;
  (void)state;
  for (int i = 0; i < N; ++i) {
    x[i * V] = i % 7;
    x[i * V + 1] = 0.1 * (i % 11);
    x[i * V + 2] = i % 13 == 0 ? (double)NAN : -(i % 13);
  }
  assert_ok(gannet_point_index_create(V, x, point_of, &index));
  assert_int_equal(gannet_point_index_find(index, x, -1), -1);
  for (int i = 0; i < N; ++i) assert_ok(gannet_point_index_add(index, i));
  for (int i = 0; i < 7 * 11 * 13 && i < N; ++i) {
    assert_int_equal(gannet_point_index_find(index, x + i * V, -1), i);
    assert_int_equal(gannet_point_index_find(index, x + i * V, i),
                     -1); /* the first repetition is behind N */
  }
  const double zeros[][V] = {{-0.0, 0, -1}, {0.0, 0.0, -1}};
  for (int sign = 0; sign < 2; ++sign)
    assert_int_equal(gannet_point_index_find(index, zeros[sign], -1), 924);
  x[5 * V] = 100; /* as point 9 will be */
  gannet_point_index_destroy(&index);
  for (int k = 0; k < V; ++k) x[9 * V + k] = x[5 * V + k];
  assert_ok(gannet_point_index_create(V, x, point_of, &index));
  for (int i = 20; i > 0; --i) assert_ok(gannet_point_index_add(index, i));
  assert_int_equal(gannet_point_index_find(index, x + 5 * V, -1), 5);
  assert_int_equal(gannet_point_index_find(index, x + 5 * V, 5), 9);
  assert_int_equal(gannet_point_index_find(index, x + 5 * V, 9), -1);
  gannet_point_index_destroy(&index);
  gannet_point_index_destroy(&index);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_points_are_found_in_their_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
