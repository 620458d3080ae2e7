/* test: serial labels unit */
/* Moments that are kept from one point of a batch to the next. */
#include "optimizer/propose/cached_moments.h"

#include <math.h>

#include "support/harness.h"

enum { COUNT = 3 * GANNET_BEST_FIRST_UNIT + 5, M = 3 };

static const double mean[M] = {1, 2, 3}, variance[M] = {0.1, 0.2, 0.3};

static void what_is_put_is_found_by_number(void **state) {
  (void)state;
  gannet_cached_moments kept = {.wanted = true};
  assert_ok(gannet_cached_moments_reserve(&kept, 2, COUNT));
  gannet_cached_moments_put(&kept, 0, 0, M, variance, mean);
  gannet_cached_moments_put(&kept, 1, 2 * GANNET_BEST_FIRST_UNIT, M, mean, variance);
  const int64_t backwards[M] = {2 * GANNET_BEST_FIRST_UNIT + 2, 2 * GANNET_BEST_FIRST_UNIT + 1,
                                2 * GANNET_BEST_FIRST_UNIT};
  double m[M], v[M], less[M] = {0.25, 0.25, 0.25};
  const gannet_moments_above none = {0, 0}, above = {0.5, 0.0625};
  gannet_cached_moments_get(&kept, 1, M, backwards, &none, m, v);
  for (int i = 0; i < M; ++i) assert_true(m[i] == mean[M - 1 - i] && v[i] == variance[M - 1 - i]);
  gannet_cached_moments_lower(&kept, 1, M, backwards, less);
  gannet_cached_moments_get(&kept, 1, M, backwards, &none, m, v);
  for (int i = 0; i < M; ++i) assert_true(v[i] == fmin(variance[M - 1 - i], 0.25));
  gannet_cached_moments_get(&kept, 0, M, (int64_t[]){0, 1, 2}, &none, m, v);
  for (int i = 0; i < M; ++i) assert_true(m[i] == variance[i] && v[i] == mean[i]);
  /* What is known counts where it is lower with the room above it. */
  const double sd[M] = {0.25, 1.25, 0.5};
  gannet_cached_moments_learn(&kept, 1, M, backwards, sd);
  gannet_cached_moments_learn(&kept, 1, M, backwards, (double[M]){2, 2, 2});
  gannet_cached_moments_get(&kept, 1, M, backwards, &above, m, v);
  for (int i = 0; i < M; ++i)
    assert_true(v[i] == fmin(fmin(variance[M - 1 - i], 0.25) + 0.5, sd[i] * sd[i] + 0.0625));
  gannet_cached_moments_put(&kept, 1, 2 * GANNET_BEST_FIRST_UNIT, M, mean, variance);
  gannet_cached_moments_get(&kept, 1, M, backwards, &above, m, v);
  for (int i = 0; i < M; ++i) assert_true(v[i] == variance[M - 1 - i] + 0.5);
  assert_true(kept.own[0] && !kept.own[1] && kept.own[2] && !kept.own[3]);
  gannet_cached_moments_sample(&kept, 1).mean[GANNET_SAMPLE - 1] = 7;
  assert_true(kept.sample.mean[2 * GANNET_SAMPLE - 1] == 7);
  gannet_cached_moments_release(&kept);
}

static void what_was_not_scanned_is_not_known(void **state) {
  (void)state;
  gannet_cached_moments kept = {.wanted = true};
  assert_ok(gannet_cached_moments_reserve(&kept, 1, COUNT));
  assert_false(kept.known);
  gannet_cached_moments_put(&kept, 0, 0, M, mean, variance);
  gannet_cached_moments_set_known(&kept, true);
  assert_true(kept.known && kept.own[0]);
  gannet_cached_moments_set_known(&kept, false);
  assert_false(kept.known || kept.own[0]);
  gannet_cached_moments_release(&kept);
}

static void nothing_is_kept_for_one_point_or_too_many_candidates(void **state) {
  (void)state;
  gannet_cached_moments kept = {0};
  assert_ok(gannet_cached_moments_reserve(&kept, 1, COUNT));
  assert_int_equal(kept.count, 0);
  kept.wanted = true;
  assert_ok(gannet_cached_moments_reserve(&kept, 2, GANNET_CACHED_MOMENTS_MOST / 6 + 1));
  assert_int_equal(kept.count, 0);
  gannet_cached_moments_put(&kept, 0, 0, M, mean, variance);
  gannet_cached_moments_set_known(&kept, true);
  assert_false(kept.known);
  gannet_cached_moments_forget(&kept);
  gannet_cached_moments_release(&kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_put_is_found_by_number),
      cmocka_unit_test(what_was_not_scanned_is_not_known),
      cmocka_unit_test(nothing_is_kept_for_one_point_or_too_many_candidates),
  };
  return run_serial(tests);
}
