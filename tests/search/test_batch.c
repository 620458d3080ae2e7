/* test: serial labels unit */
#include "search/problems.h"

#include <stdlib.h>

#include "search/batch.h"
#include "search/distinct.h"

static const gannet_stream stream = {2, GANNET_FOR_TEST, 7, 0};

static int count_same(const gannet_problem *problem, int q, const double *x) {
  int same = 0;
  for (int i = 0; i < q; ++i)
    for (int j = 0; j < i; ++j) {
      double apart = 0;
      for (int k = 0; k < problem->d; ++k)
        apart = fmax(apart, fabs(x[i * problem->d + k] - x[j * problem->d + k]));
      same += apart <= GANNET_DISTINCT_TOLERANCE;
    }
  return same;
}

/* Two booleans have four points: three are chosen, then one more, then points repeat. */
static void tiny_problems_are_used_up_before_points_repeat(void **state) {
  (void)state;
  gannet_problem *problem = two_booleans();
  const double ranked[] = {1, 0, 1, 0, 1, 0}; /* three lists that agree, one entry each */
  double x[3 * 2], before[6 * 2];
  gannet_batch_spec spec = {.problem = problem,
                            .stream = stream,
                            .before = before,
                            .n_lists = 3,
                            .n_ranked = 1,
                            .ranked = ranked};
  assert_ok(gannet_batch_choose(&spec, 3, x));
  assert_int_equal(count_same(problem, 3, x), 0);
  assert_memory_equal(x, ranked, 2 * sizeof *x);
  memcpy(before, x, sizeof x);
  spec.n_before = 3;
  assert_ok(gannet_batch_choose(&spec, 3, x));
  memcpy(before + 6, x, sizeof x);
  assert_int_equal(count_same(problem, 4, before), 0);
  assert_memory_equal(x + 2, ranked, 2 * sizeof *x); /* the best that is not in this batch */
  gannet_problem_destroy(&problem);
}

/* 50 * 30 * 40 points, all proposed but one: random tries miss it, the enumeration does not. */
static void the_last_fresh_point_is_found(void **state) {
  (void)state;
  const gannet_variable v[] = {
      {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 50},
      {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = -9, .upper = 20},
      {.name = "c",
       .type = GANNET_VARIABLE_INTEGER,
       .lower = 1,
       .upper = 40,
       .scale = GANNET_SCALE_LOG}};
  gannet_problem *problem = problem_of(3, v);
  enum { N = 50 * 30 * 40 };
  double *before = malloc((size_t)N * 3 * sizeof *before), last[3], x[3];
  int n = 0;
  for (int i = 0; i < N; ++i) {
    const double x_user[] = {i % 50 + 1, i / 50 % 30 - 9, i / 1500 + 1};
    gannet_problem_encode(problem, x_user, i == 12345 ? last : before + 3 * n);
    n += i != 12345;
  }
  const gannet_batch_spec spec = {.problem = problem,
                                  .stream = stream,
                                  .n_before = n,
                                  .before = before,
                                  .n_lists = 1,
                                  .n_ranked = 1,
                                  .ranked = before};
  assert_ok(gannet_batch_choose(&spec, 1, x));
  assert_memory_equal(x, last, sizeof x);
  free(before);
  gannet_problem_destroy(&problem);
}

static void lists_fall_back_to_their_next_best(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(2);
  const double ranked[] = {0.5, 0.5,         0.1, 0.2, 0.3, 0.4, /* list 0 */
                           0.5, 0.5 + 5e-10, 0.1, 0.2, 0.7, 0.8};
  const double before[] = {0.1 - 9e-10, 0.2 + 9e-10};
  double x[8];
  const gannet_batch_spec spec = {.problem = problem,
                                  .stream = stream,
                                  .n_before = 1,
                                  .before = before,
                                  .n_lists = 2,
                                  .n_ranked = 3,
                                  .ranked = ranked};
  assert_ok(gannet_batch_choose(&spec, 4, x));
  const double expected[] = {0.5, 0.5, 0.7, 0.8, 0.3, 0.4};
  assert_memory_equal(x, expected, sizeof expected);
  assert_int_equal(count_same(problem, 4, x), 0);
  gannet_problem_destroy(&problem);
}

static void the_same_arguments_give_the_same_batch(void **state) {
  (void)state;
  gannet_problem *problem = mixed_problem();
  double x[5 * 8], y[5 * 8];
  gannet_batch_spec spec = {.problem = problem, .stream = stream, .n_lists = 1};
  assert_ok(gannet_batch_choose(&spec, 5, x));
  assert_ok(gannet_batch_choose(&spec, 5, y));
  assert_memory_equal(x, y, sizeof x);
  spec.stream.iteration += 1;
  assert_ok(gannet_batch_choose(&spec, 5, y));
  assert_memory_not_equal(x, y, sizeof x);
  gannet_problem_destroy(&problem);
}

/* Points on both sides of every distance from 1e-10 to 1e-8, in each coordinate: as by comparison.
 */
static void sameness_is_that_of_the_definition(void **state) {
  (void)state;
  enum { D = 3, N = 500 };
  static double points[N * D];
  gannet_problem *problem = real_problem(D);
  gannet_distinct *set = NULL;
  assert_ok(gannet_distinct_create(problem, 0, &set));
  gannet_random_uniform(stream, 0, N * D, points);
  for (int i = 0; i < N; ++i) {
    assert_ok(gannet_distinct_reserve(set, i + 1)); /* grows several times on the way */
    gannet_distinct_add(set, points + i * D);
  }
  assert_int_equal(gannet_distinct_count(set), N);
  for (int i = 0; i < N; ++i) {
    double step[2 * D], y[D];
    gannet_random_uniform(stream, N * D + 6 * (uint64_t)i, 2 * D, step);
    double largest = 0;
    for (int k = 0; k < D; ++k) {
      y[k] = points[i * D + k] + (step[k] < 0.5 ? -1 : 1) * 2e-9 * pow(step[D + k], 3);
      largest = fmax(largest, fabs(y[k] - points[i * D + k]));
    }
    assert_int_equal(gannet_distinct_has(set, y), largest <= GANNET_DISTINCT_TOLERANCE);
  }
  gannet_distinct_destroy(&set);
  gannet_problem_destroy(&problem);
}

/* As designs from elsewhere can be. */
static void points_of_any_distance_are_known(void **state) {
  (void)state;
  enum { D = 3, N = 5 };
  const double far[N] = {1e10, 1e11, -1e13, 1e300, -1e308};
  gannet_problem *problem = real_problem(D);
  gannet_distinct *set = NULL;
  assert_ok(gannet_distinct_create(problem, N, &set));
  for (int i = 0; i < N; ++i) {
    const double x[D] = {far[i], 0.5, far[i]};
    assert_false(gannet_distinct_has(set, x));
    gannet_distinct_add(set, x);
    assert_true(gannet_distinct_has(set, x));
  }
  gannet_distinct_destroy(&set);
  gannet_problem_destroy(&problem);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  gannet_problem *problem = two_booleans();
  double x[2];
  gannet_batch_spec spec = {.problem = problem, .n_lists = 1};
  assert_fails(GANNET_ERR_ARG, "q = 0", gannet_batch_choose(&spec, 0, x));
  spec.n_before = -1;
  assert_fails(GANNET_ERR_ARG, "n_before", gannet_batch_choose(&spec, 1, x));
  spec.n_lists = 0;
  assert_fails(GANNET_ERR_ARG, "n_lists", gannet_batch_choose(&spec, 1, x));
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiny_problems_are_used_up_before_points_repeat),
      cmocka_unit_test(the_last_fresh_point_is_found),
      cmocka_unit_test(lists_fall_back_to_their_next_best),
      cmocka_unit_test(the_same_arguments_give_the_same_batch),
      cmocka_unit_test(sameness_is_that_of_the_definition),
      cmocka_unit_test(points_of_any_distance_are_known),
      cmocka_unit_test(wrong_arguments_are_refused),
  };
  return run_serial(tests);
}
