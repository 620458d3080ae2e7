/* test: serial labels unit */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/random.h"

static const gannet_stream stream = {7, GANNET_FOR_TEST, 3, 11};

static void any_window_of_a_stream_equals_the_whole(void **state) {
  (void)state;
  double whole[50], part[50];
  gannet_random_normal(stream, 0, 50, whole);
  for (uint64_t first = 0; first < 9; ++first) {
    gannet_random_normal(stream, first, 41, part);
    assert_memory_equal(part, whole + first, 41 * sizeof *part);
  }
  gannet_random_uniform(stream, 0, 50, whole);
  gannet_random_uniform(stream, 5, 30, part);
  assert_memory_equal(part, whole + 5, 30 * sizeof *part);
}

/* Mean, variance and fourth moment of 10^6 normals: 5 standard errors (1e-3, 1.4e-3, 9.8e-3). */
static void normals_have_the_moments_of_normals(void **state) {
  (void)state;
  enum { N = 1000000 };
  static double z[N];
  double sum[3] = {0};
  gannet_random_normal(stream, 0, N, z);
  for (int i = 0; i < N; ++i) {
    sum[0] += z[i];
    sum[1] += z[i] * z[i];
    sum[2] += z[i] * z[i] * z[i] * z[i];
  }
  assert_near(sum[0] / N, 0, 5e-3);
  assert_near(sum[1] / N, 1, 7.1e-3);
  assert_near(sum[2] / N, 3, 4.9e-2);
}

static void streams_of_different_names_differ(void **state) {
  (void)state;
  gannet_stream other[4] = {stream, stream, stream, stream};
  other[0].seed += 1;
  other[1].purpose += 1;
  other[2].iteration += 1;
  other[3].index += 1;
  for (int i = 0; i < 4; ++i)
    assert_int_not_equal(gannet_random_bits(other[i], 0), gannet_random_bits(stream, 0));
}

/* Salmon et al. 2011, known-answer test of Threefry 4x64-20 with zero key and counter. */
static void the_generator_is_threefry(void **state) {
  (void)state;
  const gannet_stream zero = {0};
  assert_int_equal(gannet_random_bits(zero, 0), 0x09218ebde6c85537u);
  assert_int_equal(gannet_random_bits(zero, 1), 0x55941f5266d86105u);
}

static void permutations_hold_every_index_once(void **state) {
  (void)state;
  int p[37], seen[37] = {0};
  gannet_random_permutation(stream, 37, p);
  for (int i = 0; i < 37; ++i) seen[p[i]] += 1;
  for (int i = 0; i < 37; ++i) assert_int_equal(seen[i], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_window_of_a_stream_equals_the_whole),
      cmocka_unit_test(normals_have_the_moments_of_normals),
      cmocka_unit_test(streams_of_different_names_differ),
      cmocka_unit_test(the_generator_is_threefry),
      cmocka_unit_test(permutations_hold_every_index_once),
  };
  return run_serial(tests);
}
