/* test: ranks 1 labels unit timeout 60 */
#include <math.h>

#include "support/harness.h"
#include "support/told.h"

#include "base/random.h"
#include "optimizer/models/noise_test.h"
#include "problem/problem.h"

static const gannet_variable cube[] = {
    {.name = "a", .lower = 0, .upper = 1},
    {.name = "b", .lower = 0, .upper = 1},
    {.name = "c", .lower = 0, .upper = 1},
};

typedef double (*function)(const double *x);

static double smooth(const double *x) {
  return exp(x[0]) + x[1] * x[2];
}

/* Waves of a third of the box. */
static double wavy(const double *x) {
  return cos(19 * x[0]) + cos(19 * x[1]) + cos(19 * x[2]);
}

/* The energy of an atom between eight others, which repel it where it comes close: values of many
 * decades. */
static double repelling(const double *x) {
  double sum = 0;
  for (int atom = 0; atom < 8; ++atom) {
    double square = 1e-4;
    for (int k = 0; k < 3; ++k) square += pow(x[k] - 0.2 - 0.6 * (atom >> k & 1), 2);
    sum += pow(square / 0.16, -6) - pow(square / 0.16, -3);
  }
  return sum;
}

/* Points of which every second one is near the one before, as where a search closes in, each time
 * nearer by a factor; values with noise. */
static bool suspected(function f, int n, double closer, double noise, double told) {
  const gannet_problem_spec spec = {.n_variables = 3, .variables = cube, .noise_sd = told};
  gannet_problem *problem = NULL;
  gannet_history *history = NULL;
  bool answer = false;
  double x[3] = {0.5, 0.5, 0.5}, u[3], e = 0;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_history_create(problem, &history));
  for (int i = 0; i < n; ++i) {
    int64_t id = -1;
    const gannet_stream stream = {3, GANNET_FOR_SIMULATION, 0, (uint64_t)i};
    gannet_random_uniform(stream, 0, 3, u);
    gannet_random_normal(stream, 100, 1, &e);
    for (int k = 0; k < 3; ++k)
      x[k] = i % 2 == 0 ? u[k] : fmin(fmax(x[k] + 0.3 * pow(closer, i) * (u[k] - 0.5), 0), 1);
    assert_ok(gannet_history_propose(history, x, 0, GANNET_ORIGIN_USER, &id));
    assert_ok(tell_values(history, id, GANNET_EVAL_DONE, f(x) + noise * e, NULL, NULL));
  }
  assert_ok(gannet_noise_test_run(history, &answer));
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
  return answer;
}

static void noise_is_seen(void **state) {
  (void)state;
  assert_true(suspected(smooth, 40, 0.85, 0.3, NAN));
  assert_true(suspected(wavy, 60, 0.85, 0.5, NAN));
}

static void what_is_exact_is_not_suspected(void **state) {
  (void)state;
  for (int n = 0; n <= 60; n += 6) {
    assert_false(suspected(smooth, n, 0.85, 0, NAN));
    assert_false(suspected(wavy, n, 0.85, 0, NAN));
  }
}

/* Differences far apart that have nothing to do with the distance are no noise when they are of
 * many sizes. */
static void what_ranges_over_decades_is_not_suspected(void **state) {
  (void)state;
  for (int n = 0; n <= 60; n += 6) {
    assert_false(suspected(repelling, n, 1, 0, NAN));
  }
}

/* Too few results, or what the problem says. */
static void evidence_or_word_is_needed(void **state) {
  (void)state;
  assert_false(suspected(smooth, 4, 0.85, 0.3, NAN));
  assert_false(suspected(smooth, 40, 0.85, 0.3, 0));
  assert_true(suspected(smooth, 0, 0.85, 0, 0.3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_is_seen),
      cmocka_unit_test(what_is_exact_is_not_suspected),
      cmocka_unit_test(what_ranges_over_decades_is_not_suspected),
      cmocka_unit_test(evidence_or_word_is_needed),
  };
  return run_serial(tests);
}
