/* test: ranks 1 2 labels unit */
/* Several objectives at the door of the library: told as arrays, and given back as a front. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "gannet/gannet.h"
#include "problem/objectives.h"

enum { RESULTS = 6, OBJECTIVES = 2 };

static const gannet_variable square[] = {{.name = "x", .lower = 0, .upper = 1},
                                         {.name = "y", .lower = 0, .upper = 1}};
static const gannet_constraint limits[] = {{"stress", -INFINITY, 10}};
static const gannet_objective both[] = {{.name = "drag", .threshold = 5},
                                        {.name = "range", .goal = GANNET_MAXIMIZE, .threshold = 1}};
static const gannet_problem_spec wing = {.n_variables = 2,
                                         .variables = square,
                                         .n_constraints = 1,
                                         .constraints = limits,
                                         .n_objectives = OBJECTIVES,
                                         .objectives = both};

/* Of these 1, 2 and 3 are the front: 0 is dominated by 1, 4 violates the constraint, and 5 is equal
 * to 0 but for a smaller range. */
static const double values[RESULTS][OBJECTIVES] = {{3, 3}, {2, 4}, {1, 2}, {4, 6}, {0, 9}, {3, 2}};
static const double stresses[RESULTS] = {1, 2, 3, 4, 11, 5};

static fixture make(const gannet_problem_spec *spec) {
  const gannet_method_setting sobol = {"method", "sobol"};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, &sobol, &f.optimizer));
  return f;
}

static void tell_all(fixture *f, int64_t *id, double *x) {
  gannet_result results[RESULTS];
  assert_ok(gannet_optimizer_ask(f->optimizer, RESULTS, id, x));
  for (int i = 0; i < RESULTS; ++i)
    results[i] = (gannet_result){.id = id[i], .constraints = &stresses[i], .objectives = values[i]};
  assert_ok(gannet_optimizer_tell(f->optimizer, RESULTS, results));
}

static void a_front_is_that_of_the_results(void **state) {
  (void)state;
  fixture f = make(&wing);
  int64_t id[RESULTS], front[RESULTS];
  double x[RESULTS][2], at[RESULTS][2], y[RESULTS][OBJECTIVES], reference[2], hypervolume = -1;
  assert_int_equal(
      gannet_optimizer_front(f.optimizer, 0, NULL, NULL, NULL, reference, &hypervolume), 0);
  assert_true(hypervolume == 0 && reference[0] == 5 && reference[1] == 1);
  tell_all(&f, id, x[0]);
  assert_int_equal(
      gannet_optimizer_front(f.optimizer, RESULTS, front, at[0], y[0], reference, &hypervolume), 3);
  for (int i = 0; i < 3; ++i) {
    assert_int_equal(front[i], id[i + 1]);
    assert_memory_equal(at[i], x[i + 1], sizeof at[i]);
    assert_memory_equal(y[i], values[i + 1], sizeof y[i]);
  }
  assert_true(reference[0] == 5 && reference[1] == 1);
  /* By drag: 1 to 2 with range 2, 2 to 4 with range 4, 4 to 5 with range 6. */
  assert_float_equal(hypervolume, 1 * 1 + 2 * 3 + 1 * 5, 1e-12);
  memset(front, -1, sizeof front); /* there is room for one only */
  assert_int_equal(gannet_optimizer_front(f.optimizer, 1, front, NULL, NULL, NULL, NULL), 3);
  assert_true(front[0] == id[1] && front[1] == -1);
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_true(best.id == id[2] && best.objective == 1 && best.feasible);
  drop(&f);
}

static void results_are_corrected_and_come_from_elsewhere(void **state) {
  (void)state;
  fixture f = make(&wing);
  int64_t id[RESULTS], front[RESULTS], own = -1;
  double x[RESULTS][2], y[RESULTS][OBJECTIVES];
  const double better[] = {0.5, 7}, point[] = {0.25, 0.75}, low = 1;
  const gannet_result result = {.constraints = &low, .objectives = better};
  tell_all(&f, id, x[0]);
  assert_ok(gannet_optimizer_tell_point(f.optimizer, point, &result, &own));
  assert_int_equal(gannet_optimizer_front(f.optimizer, RESULTS, front, NULL, y[0], NULL, NULL), 1);
  assert_true(front[0] == own && y[0][0] == 0.5 && y[0][1] == 7);
  const gannet_result worse = {.constraints = &low, .objectives = values[0]};
  assert_ok(gannet_optimizer_correct(f.optimizer, own, &worse));
  assert_int_equal(gannet_optimizer_front(f.optimizer, RESULTS, front, NULL, NULL, NULL, NULL), 3);
  assert_ok(gannet_optimizer_discard(f.optimizer, id[1]));
  assert_int_equal(gannet_optimizer_front(f.optimizer, RESULTS, front, NULL, NULL, NULL, NULL), 3);
  assert_true(front[0] == id[0] && front[1] == id[2] && front[2] == id[3]); /* own equals id[0] */
  assert_ok(gannet_optimizer_discard(f.optimizer, id[0]));
  assert_int_equal(gannet_optimizer_front(f.optimizer, RESULTS, front, NULL, NULL, NULL, NULL), 3);
  assert_true(front[0] == id[2] && front[1] == id[3] && front[2] == own);
  drop(&f);
}

/* By their names, with standard deviations, instead of the array. */
static void quantities_tell_objectives(void **state) {
  (void)state;
  fixture f = make(&wing);
  const gannet_quantity told[] = {{.name = "range", .value = 6, .sd = 0.5},
                                  {.name = "drag", .value = 2},
                                  {"stress", 4, 0, NULL}};
  int64_t id = -1;
  double x[2], y[OBJECTIVES];
  gannet_quantity found;
  assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
  const gannet_result result = {.id = id, .n_quantities = 3, .quantities = told};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  assert_int_equal(gannet_optimizer_front(f.optimizer, 1, NULL, NULL, y, NULL, NULL), 1);
  assert_true(y[0] == 2 && y[1] == 6);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id, "range", &found));
  assert_true(found.value == 6 && found.sd == 0.5);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id, "drag", &found));
  assert_true(found.value == 2 && found.sd == 0);
  assert_ok(gannet_optimizer_quantity(f.optimizer, id, "objective", &found));
  assert_true(isnan(found.value));
  drop(&f);
}

/* Nothing is taken over, so the right result can be told afterwards. */
static void results_without_their_objectives_are_told(void **state) {
  (void)state;
  fixture f = make(&wing);
  const gannet_quantity drag = {.name = "drag", .value = 2};
  const double whole[] = {1, 2}, part[] = {NAN, 2}, nothing[] = {NAN, NAN}, stress = 4,
               unknown = NAN;
  int64_t id[4];
  double x[4][2];
  gannet_counts counts;
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x[0]));
  gannet_result r = {.id = id[0], .constraints = &stress};
  assert_fails(GANNET_ERR_ARG, "no quantity has a value of drag",
               gannet_optimizer_tell(f.optimizer, 1, &r));
  assert_fails(GANNET_ERR_ARG, "expected the values of 2 objectives",
               gannet_optimizer_tell_point(f.optimizer, x[0], &r, NULL));
  r.n_quantities = 1, r.quantities = &drag;
  assert_fails(GANNET_ERR_ARG, "no quantity has a value of range",
               gannet_optimizer_tell(f.optimizer, 1, &r));
  r.n_quantities = 0, r.objectives = whole, r.objective = 1;
  assert_fails(GANNET_ERR_ARG, "objective = 1, but there are 2 objectives",
               gannet_optimizer_tell(f.optimizer, 1, &r));
  r.objective = 0, r.constraints = NULL;
  assert_fails(GANNET_ERR_ARG, "expected the values of 1 constraints",
               gannet_optimizer_tell(f.optimizer, 1, &r));
  r.outcome = GANNET_RESULT_PARTIAL, r.objectives = nothing, r.constraints = &unknown;
  assert_fails(GANNET_ERR_ARG, "without any value", gannet_optimizer_tell(f.optimizer, 1, &r));
  r.objectives = part;
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &r));
  r = (gannet_result){.id = id[1], .constraints = &stress, .objectives = part};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &r)); /* not finite: it has failed */
  r = (gannet_result){.id = id[2], .outcome = GANNET_RESULT_CANNOT_RUN};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &r));
  r = (gannet_result){.id = id[3], .objective = NAN, .constraints = &stress, .objectives = whole};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &r));
  gannet_optimizer_count(f.optimizer, &counts);
  assert_true(counts.done == 2 && counts.failed == 1 && counts.cannot_run == 1);
  assert_int_equal(gannet_optimizer_front(f.optimizer, 0, NULL, NULL, NULL, NULL, NULL), 1);
  drop(&f);
}

/* A program that is written for any number of objectives, with a single one. */
static void one_objective_is_an_array_of_one(void **state) {
  (void)state;
  const gannet_problem_spec single = {
      .n_variables = 2, .variables = square, .goal = GANNET_MAXIMIZE, .noise_sd = NAN};
  fixture f = make(&single);
  const double told[] = {2, 5, 5};
  int64_t id[3], front[3];
  double x[3][2], y[3], reference = 0, hypervolume = 0;
  assert_ok(gannet_optimizer_ask(f.optimizer, 3, id, x[0]));
  for (int i = 0; i < 3; ++i) {
    const gannet_result result = {.id = id[i], .objective = 100, .objectives = &told[i]};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_true(best.id == id[1] && best.objective == 5);
  assert_int_equal(gannet_optimizer_front(f.optimizer, 3, front, NULL, y, &reference, &hypervolume),
                   1);
  assert_true(front[0] == id[1] && y[0] == 5);
  assert_true(reference < 5 && hypervolume > 0);
  drop(&f);
}

/* The order of programs, whatever that of the quantities is. */
static void objectives_come_before_constraints(void **state) {
  (void)state;
  fixture f = make(&wing);
  assert_int_equal(gannet_problem_place(f.problem, 0), 0); /* drag */
  assert_int_equal(gannet_problem_place(f.problem, 1), 2); /* stress */
  assert_int_equal(gannet_problem_place(f.problem, 2), 1); /* range */
  drop(&f);
}

/* Two objectives a and b, of which the second is something else. */
static void refuse(const char *part, gannet_objective second) {
  const gannet_objective objectives[] = {{.name = "a", .threshold = NAN, .noise_sd = NAN}, second};
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = square,
                                    .noise_sd = NAN,
                                    .n_objectives = 2,
                                    .objectives = objectives};
  gannet_problem *problem = NULL;
  assert_fails(GANNET_ERR_INPUT, part, gannet_problem_create(&spec, &problem));
  assert_null(problem);
}

static void what_cannot_be_an_objective_is_told(void **state) {
  (void)state;
  gannet_problem_spec spec = wing;
  gannet_problem *problem = NULL;
  const int numbers[] = {-1, 1, GANNET_OBJECTIVES_MOST + 1, 10};
  for (int i = 0; i < 4; ++i) {
    spec.n_objectives = numbers[i];
    assert_fails(GANNET_ERR_ARG,
                 numbers[i] == 1 ? "expected 0: a single objective has no entry"
                                 : "expected 0 for a single one, or 2 to 5; state others as",
                 gannet_problem_create(&spec, &problem));
  }
  spec.n_objectives = 2, spec.objectives = NULL;
  assert_fails(GANNET_ERR_ARG, "objectives is a null pointer; expected 2 of them",
               gannet_problem_create(&spec, &problem));
  assert_null(problem);
  refuse("the name 'a' is used twice", (gannet_objective){.name = "a"});
  refuse("the name 'x' is used twice", (gannet_objective){.name = "x"});
  refuse("objective name '': expected", (gannet_objective){.name = NULL});
  refuse("objective name 'b c': expected", (gannet_objective){.name = "b c"});
  refuse("the name 'objective' stands for the only one", (gannet_objective){.name = "objective"});
  refuse("objective b: threshold = inf", (gannet_objective){.name = "b", .threshold = INFINITY});
  refuse("objective b: noise = -1", (gannet_objective){.name = "b", .noise_sd = -1});
  refuse("objective b: noise = inf", (gannet_objective){.name = "b", .noise_sd = INFINITY});
  refuse("objective b: goal = 7", (gannet_objective){.name = "b", .goal = (gannet_goal)7});
  refuse("objective b: transform = 9",
         (gannet_objective){.name = "b", .transform = (gannet_objective_transform)9});
  refuse("objective b: keeps_penalties = 5", (gannet_objective){.name = "b", .keeps_penalties = 5});
}

/* Results that teach nothing or that are near the ends of the numbers: points are proposed
 * nevertheless, and they are points of the box. */
static void any_values_lead_to_points(void **state) {
  (void)state;
  enum { ROWS = 9, ROUNDS = 3, KINDS = 4 };
  static const double rows[KINDS][ROWS][OBJECTIVES] = {
      {{1e300, -1e300},
       {-1e300, 1e300},
       {1e308, 1e308},
       {-1.7e308, 1.7e308},
       {1.7e308, -1.7e308},
       {0, 0},
       {1e-300, 1e-300},
       {5e-324, 1},
       {1, 2}},
      {{1e-300, 1e-300},
       {2e-300, 1e-301},
       {5e-324, 3e-300},
       {0, 4e-300},
       {3e-300, 0},
       {4e-300, 1e-300},
       {2e-300, 2e-300},
       {1e-301, 3e-300},
       {5e-300, 5e-300}},
      {{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, .5}, {1, 5}, {1, 6}, {1, 7}, {1, 8}},
      {{2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}, {2, 3}}};
  const gannet_objective free[] = {{.name = "a", .threshold = NAN, .noise_sd = NAN},
                                   {.name = "b", .threshold = NAN, .noise_sd = NAN}};
  const gannet_method_setting settings[] = {{"initial", "3"}, {"search.candidates", "200"}};
  gannet_problem_spec spec = wing;
  spec.n_constraints = 0, spec.objectives = free;
  for (int kind = 0; kind < KINDS; ++kind) {
    fixture f = {0};
    int64_t id[3];
    double x[3][2], reference[OBJECTIVES], hypervolume = -1;
    assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
    assert_ok(gannet_problem_create(&spec, &f.problem));
    assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
    for (int round = 0; round < ROUNDS; ++round) {
      assert_ok(gannet_optimizer_ask(f.optimizer, 3, id, x[0]));
      for (int i = 0; i < 3; ++i) {
        const gannet_result result = {.id = id[i], .objectives = rows[kind][3 * round + i]};
        for (int k = 0; k < 2; ++k) assert_true(0 <= x[i][k] && x[i][k] <= 1);
        assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
      }
    }
    assert_true(gannet_optimizer_front(f.optimizer, 0, NULL, NULL, NULL, reference, &hypervolume) >
                0);
    assert_true(isfinite(reference[0]) && isfinite(reference[1]));
    assert_true(kind == 0 ? isnan(hypervolume) : hypervolume >= 0);
    drop(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_front_is_that_of_the_results),
      cmocka_unit_test(results_are_corrected_and_come_from_elsewhere),
      cmocka_unit_test(quantities_tell_objectives),
      cmocka_unit_test(results_without_their_objectives_are_told),
      cmocka_unit_test(one_objective_is_an_array_of_one),
      cmocka_unit_test(objectives_come_before_constraints),
      cmocka_unit_test(what_cannot_be_an_objective_is_told),
      cmocka_unit_test(any_values_lead_to_points),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
