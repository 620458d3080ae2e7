/* test: serial labels unit */
#include <float.h>
#include <math.h>

#include "support/harness.h"
#include "support/told.h"

#include "problem/history.h"
#include "problem/penalty.h"

static const gannet_variable square[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "y", .lower = 0, .upper = 1},
};
static const gannet_problem_spec smallest = {
    .n_variables = 2, .variables = square, .noise_sd = NAN};
static const gannet_problem_spec greatest = {
    .n_variables = 2, .variables = square, .goal = GANNET_MAXIMIZE, .noise_sd = NAN};

typedef struct {
  double x, value;
} result;

enum { MOST = 12 };

typedef struct {
  const char *name;
  result of[MOST];
  int n;
  double least; /* INFINITY = none */
  int64_t count;
} example;

static void tell(gannet_history *h, const result *r) {
  const double sign = gannet_history_problem(h)->spec.goal == GANNET_MAXIMIZE ? -1 : 1;
  int64_t id = -1;
  assert_ok(gannet_history_propose(h, (double[]){r->x, 0.5}, 0, GANNET_ORIGIN_METHOD, &id));
  assert_ok(tell_values(h, id, GANNET_EVAL_DONE, sign * r->value, NULL, NULL));
}

static void assert_finds(const gannet_history *h, const example *one, int turn) {
  int64_t count = -1;
  const double least = gannet_history_penalty(h, 0, &count);
  if (least != one->least || count != one->count)
    fail_msg("%s, turn %d: %g, %lld times", one->name, turn, least, (long long)count);
}

/* In every rotation. */
static void check(const gannet_problem_spec *spec, const example *one) {
  for (int turn = 0; turn < one->n; ++turn) {
    gannet_problem *problem = NULL;
    gannet_history *history = NULL;
    assert_ok(gannet_problem_create(spec, &problem));
    assert_ok(gannet_history_create(problem, &history));
    for (int i = 0; i < one->n; ++i) tell(history, &one->of[(i + turn) % one->n]);
    assert_finds(history, one, turn);
    gannet_history_destroy(&history);
    gannet_problem_destroy(&problem);
  }
}

static const example examples[] = {
    {"growing", {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 1e3}, {.7, 1.1e3}, {.8, 1.2e3}}, 6, 1e3, 3},
    {"to a tenth of the gap and no more",
     {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 1003}, {.7, 2e3}, {.8, 11e3}},
     6,
     1003,
     3},
    {"over decades",
     {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 1003}, {.7, 2e3}, {.8, 12e3}},
     6,
     INFINITY,
     0},
    {"a gap of a hundred ranges",
     {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 203}, {.7, 210}, {.8, 220}},
     6,
     203,
     3},
    {"a narrower one",
     {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 202}, {.7, 210}, {.8, 220}},
     6,
     INFINITY,
     0},
    {"two above", {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 1e3}, {.7, 1.1e3}}, 5, INFINITY, 0},
    {"two below", {{.1, 1}, {.3, 2}, {.6, 1e3}, {.7, 1.1e3}, {.8, 1.2e3}}, 5, INFINITY, 0},
    {"two different ones below",
     {{.1, 1}, {.3, 2}, {.5, 2}, {.6, 1e3}, {.7, 1.1e3}, {.8, 1.2e3}},
     6,
     INFINITY,
     0},
    {"between",
     {{.1, 1}, {.3, 2}, {.5, 3}, {.6, 1e3}, {.7, 1.1e3}, {.8, 1.2e3}, {.9, 400}},
     7,
     INFINITY,
     0},
    {"a minimum found",
     {{.50, 1e-6}, {.501, 2e-6}, {.502, 1e-7}, {.1, 1}, {.8, .9}, {.3, .8}},
     6,
     INFINITY,
     0},
    {"beside a border",
     {{.50, 1e-6}, {.501, 2e-6}, {.502, 1e-7}, {.1, 1}, {.8, .9}, {.503, .8}},
     6,
     .8,
     3},
    {"huge",
     {{.1, -DBL_MAX},
      {.3, -DBL_MAX *(1 - 1e-9)},
      {.5, -DBL_MAX *(1 - 2e-9)},
      {.6, DBL_MAX * .6},
      {.7, DBL_MAX * .8},
      {.8, DBL_MAX}},
     6,
     DBL_MAX * .6,
     3},
};

static void penalties_lie_beyond_a_gap_and_among_other_designs(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    check(&smallest, &examples[i]);
    check(&greatest, &examples[i]);
  }
}

/* Many results are counted beside a gap that was found among the first. */
static void later_results_are_counted(void **state) {
  gannet_problem *problem = NULL;
  gannet_history *history = NULL;
  int64_t count = -1;
  (void)state;
  assert_ok(gannet_problem_create(&smallest, &problem));
  assert_ok(gannet_history_create(problem, &history));
  for (int i = 0; i < 2 * GANNET_GAP_RESULTS; ++i) {
    const double x = (i * 7 % 101) / 101.0;
    tell(history, &(result){x, x < .5 ? x : 1e3 + x + i});
  }
  assert_true(gannet_history_penalty(history, 0, &count) < 1.2e3);
  int64_t expected = 0;
  for (int i = 0; i < 2 * GANNET_GAP_RESULTS; ++i) expected += i * 7 % 101 >= 51;
  assert_int_equal(count, expected);
  tell(history, &(result){.9, 990});
  assert_true(gannet_history_penalty(history, 0, &count) == 990);
  assert_int_equal(count, expected + 1);
  tell(history, &(result){.9, 90});
  assert_true(gannet_history_penalty(history, 0, &count) == INFINITY);
  assert_int_equal(count, 0);
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(penalties_lie_beyond_a_gap_and_among_other_designs),
      cmocka_unit_test(later_results_are_counted),
  };
  return run_serial(tests);
}
