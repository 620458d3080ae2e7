/* test: serial labels unit */
#include <float.h>
#include <math.h>

#include "support/harness.h"
#include "support/told.h"

#include "problem/history.h"
#include "problem/penalty.h"

/* The least penalty among values, and how many there are. */
static double find(int n, const double *values, int64_t *count) {
  gannet_penalty penalty = gannet_penalty_none();
  for (int i = 0; i < n; ++i) gannet_penalty_note(&penalty, values[i]);
  return gannet_penalty_least(&penalty, count);
}

typedef struct {
  int n;
  double values[12];
  double least; /* INFINITY = none */
  int64_t count;
} example;

static void penalties_are_equal_and_far_from_all_others(void **state) {
  static const example examples[] = {
      {0, {0}, INFINITY, 0},
      {2, {5, 5}, INFINITY, 0},
      {3, {5, 5, 5}, 5, 3}, /* nothing else is known */
      {3, {1, 9, 9}, INFINITY, 0},
      {4, {1, 9, 9, 9}, 9, 3},
      {5, {9, 1, 9, 4, 9}, 9, 3},
      {5, {9, 1, 9, 6, 9}, INFINITY, 0}, /* nearer to the next than that is to the best */
      {5, {9, 1, 9, 5, 9}, INFINITY, 0},
      {6, {1e6, 2, 1e6, 3, 1e6, 1e8}, 1e6, 4}, /* worse than a penalty */
      {8, {1e6, 2, 1e6, 1e8, 3, 1e6, 1e8, 1e8}, 1e6, 6},
      {7, {1e6, 2, 1e8, 1e8, 3, 1e8, 1e6}, 1e8, 3},
      {9, {7, 1, 7, 2, 7, 20, 30, 40, 50}, INFINITY, 0}, /* not among the worst */
      {5, {DBL_MAX, -DBL_MAX, DBL_MAX, -1e300, DBL_MAX}, DBL_MAX, 3},
      {5, {-1, -1, -1, -2, -1.4}, INFINITY, 0},
      {5, {-1, -1, -1, -2, -1.6}, -1, 3},
  };
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    const example *one = &examples[i];
    int64_t count = -1;
    const double least = find(one->n, one->values, &count);
    if (least != one->least || count != one->count)
      fail_msg("example %zu: %g, %lld times", i, least, (long long)count);
  }
}

/* A constant is none, nor are the prices of a few materials. */
static void more_is_asked_for_of_one_among_several(void **state) {
  static const example examples[] = {
      {3, {5, 5, 5}, INFINITY, 0},
      {5, {9, 9, 1, 1, 9}, INFINITY, 0},
      {5, {9, 9, 1, 1.01, 9}, 9, 3},
      {5, {9, 9, 1, 2, 9}, INFINITY, 0},                   /* not a hundred ranges away */
      {8, {9, 9, 1, 1.01, 9, 1.01, 1.01, 1}, INFINITY, 0}, /* other values repeat as well */
      {7, {1e10, 1, 1e10, 2, 1e11, 1e10, 3}, 1e10, 4},
      {9, {1e10, 1, 1e12, 2, 1e10, 1e12, 1e10, 1e12, 3}, 1e10, 6},
  };
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    const example *one = &examples[i];
    gannet_penalty penalty = gannet_penalty_none();
    int64_t count = -1;
    penalty.is_one_of_several = true;
    for (int k = 0; k < one->n; ++k) gannet_penalty_note(&penalty, one->values[k]);
    const double least = gannet_penalty_least(&penalty, &count);
    if (least != one->least || count != one->count)
      fail_msg("example %zu: %g, %lld times", i, least, (long long)count);
  }
}

/* Every rotation of the same values has the same penalty. */
static void the_order_of_values_does_not_matter(void **state) {
  double values[] = {4, 1e9, 3, 1e9, 2.5, 1e9, 1e7, 1e7, 1e7, 2.5, 2.5, 0};
  const int n = sizeof values / sizeof *values;
  (void)state;
  for (int turn = 0; turn < n; ++turn) {
    int64_t count = 0;
    const double first = values[0];
    assert_true(find(n, values, &count) == 1e7);
    assert_int_equal(count, 6);
    for (int i = 0; i + 1 < n; ++i) values[i] = values[i + 1];
    values[n - 1] = first;
  }
}

static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
static const gannet_constraint below[] = {{"g", -INFINITY, 0}};
static const gannet_problem_spec spec = {.n_variables = 1,
                                         .variables = line,
                                         .n_constraints = 1,
                                         .constraints = below,
                                         .goal = GANNET_MAXIMIZE,
                                         .noise_sd = NAN};

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
} fixture;

static void tell(gannet_history *h, gannet_eval_status status, double objective, double g) {
  int64_t id = -1;
  assert_ok(gannet_history_propose(h, &(double){0.5}, 0, GANNET_ORIGIN_METHOD, &id));
  gannet_run_record run = gannet_run_unknown();
  run.crashed = status == GANNET_EVAL_FAILED && objective > 0;
  assert_ok(tell_values(h, id, status, objective, &g, &run));
}

static int make(void **state) {
  static fixture f;
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_history_create(f.problem, &f.history));
  tell(f.history, GANNET_EVAL_DONE, 1, -1);
  tell(f.history, GANNET_EVAL_DONE, 2, 1);
  tell(f.history, GANNET_EVAL_DONE, -1e9, -1);
  tell(f.history, GANNET_EVAL_DONE, -1e9, 1);
  tell(f.history, GANNET_EVAL_CANNOT_RUN, 0, 0);
  tell(f.history, GANNET_EVAL_FAILED, 0, 0);
  tell(f.history, GANNET_EVAL_FAILED, 1, 0); /* crashed */
  *state = &f;
  return 0;
}

static int drop(void **state) {
  fixture *f = *state;
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
  return 0;
}

static void assert_says(const gannet_history *h, const char *observation, const char *sound,
                        const char *bad) {
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    assert_int_equal(gannet_history_is_observation(h, id), observation[id] == 'x');
    assert_int_equal(gannet_history_is_sound(h, id), sound[id] == 'x');
    assert_int_equal(gannet_history_is_bad(h, id), bad[id] == 'x');
  }
}

/* A constraint that is violated explains a penalty. */
static void rows_say_what_they_are(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  assert_says(h, "xxxx...", "xxxx...", "....x.x");
  assert_int_equal(gannet_history_count_observations(h), 4);
  tell(h, GANNET_EVAL_DONE, -1e9, -1);
  assert_says(h, "xx......", "xx.x....", "..x.x.xx");
  assert_int_equal(gannet_history_count_observations(h), 2);
  tell(h, GANNET_EVAL_DONE, -6e8, -1); /* what lies between ends it */
  assert_says(h, "xxxx...xx", "xxxx...xx", "....x.x..");
  assert_int_equal(gannet_history_count_observations(h), 6);
}

static void values_are_taken_at_their_word_on_demand(void **state) {
  gannet_history *h = ((fixture *)*state)->history;
  int64_t count = -1;
  tell(h, GANNET_EVAL_DONE, -1e9, -1);
  assert_true(gannet_history_penalty(h, 0, &count) == 1e9);
  assert_int_equal(count, 3);
  gannet_history_take_at_its_word(h);
  assert_true(gannet_history_penalty(h, 0, &count) == INFINITY);
  assert_int_equal(count, 0);
  assert_says(h, "xxxx...x", "xxxx...x", "....x.x.");
}

/* Whoever looks for feasible designs only returns the same objective for all. */
static void a_constant_objective_beside_constraints_is_none(void **state) {
  gannet_problem *problem = NULL;
  gannet_history *h = NULL;
  int64_t count = -1;
  (void)state;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_history_create(problem, &h));
  for (int i = 0; i < 4; ++i) tell(h, GANNET_EVAL_DONE, 0, -1);
  assert_true(gannet_history_penalty(h, 0, &count) == 0); /* as where a simulation gives up */
  assert_says(h, "....", "....", "xxxx");
  tell(h, GANNET_EVAL_DONE, 0, -0.5);
  assert_true(gannet_history_penalty(h, 0, &count) == INFINITY);
  assert_int_equal(count, 0);
  assert_says(h, "xxxxx", "xxxxx", ".....");
  tell(h, GANNET_EVAL_DONE, 1, -0.5); /* the goal is to maximise */
  assert_says(h, ".....x", ".....x", "xxxxx.");
  gannet_history_destroy(&h);
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(penalties_are_equal_and_far_from_all_others),
      cmocka_unit_test(more_is_asked_for_of_one_among_several),
      cmocka_unit_test(the_order_of_values_does_not_matter),
      cmocka_unit_test_setup_teardown(rows_say_what_they_are, make, drop),
      cmocka_unit_test(a_constant_objective_beside_constraints_is_none),
      cmocka_unit_test_setup_teardown(values_are_taken_at_their_word_on_demand, make, drop),
  };
  return run_serial(tests);
}
