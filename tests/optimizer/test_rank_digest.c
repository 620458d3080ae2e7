/* test: ranks 2 3 labels unit timeout 60 */
/* What the last rank gives differently is an error on all ranks, and none waits for another. */
#include <math.h>
#include <string.h>

#include "optimizer/fixture.h"

static bool is_last(void) {
  int rank = 0, np = 1;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  (void)MPI_Comm_size(MPI_COMM_WORLD, &np);
  return rank == np - 1;
}

static const char *const metals[] = {"steel", "copper"}, *const stones[] = {"steel", "marble"};

static const gannet_variable usual[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "m", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = metals},
};
static const gannet_constraint limit[] = {{"c", -INFINITY, 1}};
static const gannet_problem_spec spec = {.n_variables = 2,
                                         .variables = usual,
                                         .n_constraints = 1,
                                         .constraints = limit,
                                         .noise_sd = NAN};
static const gannet_method_setting sobol[] = {{"method", "sobol"}};

static fixture make(void) {
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, sobol, &f.optimizer));
  return f;
}

static void refuse_problem(const gannet_problem_spec *other) {
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(is_last() ? other : &spec, &f.problem));
  assert_fails(GANNET_ERR_RANKS, "of the problem",
               gannet_optimizer_create(f.context, f.problem, 0, NULL, &f.optimizer));
  drop(&f);
}

static void another_problem_is_told(void **state) {
  (void)state;
  gannet_variable variables[2];
  gannet_constraint constraint = {"c", -INFINITY, 1.5};
  gannet_problem_spec other = spec;
  other.goal = GANNET_MAXIMIZE;
  refuse_problem(&other);
  other = spec;
  other.noise_sd = 0;
  refuse_problem(&other);
  other = spec;
  other.constraints = &constraint;
  refuse_problem(&other);
  other = spec;
  other.variables = variables;
  memcpy(variables, usual, sizeof usual);
  variables[0].upper = 2;
  refuse_problem(&other);
  variables[0] = usual[0];
  variables[1].values = stones;
  refuse_problem(&other);
}

static void state_equation(gannet_problem *problem, const char *coefficient, int points) {
  static const char *const twice[] = {"x", "x"};
  const gannet_physics_term term = {coefficient, 2, twice};
  const gannet_physics_equation equation = {.n_terms = 1, .terms = &term, .rhs = "2"};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &equation, .points = points};
  assert_ok(gannet_problem_set_physics(problem, &physics));
}

/* points: 0 = no equation */
static void refuse_equation(const char *coefficient, int points) {
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  if (!is_last()) state_equation(f.problem, "1", 40);
  if (is_last() && points > 0) state_equation(f.problem, coefficient, points);
  assert_fails(GANNET_ERR_RANKS, "equations of the problem",
               gannet_optimizer_create(f.context, f.problem, 0, NULL, &f.optimizer));
  assert_null(f.optimizer);
  drop(&f);
}

static void other_equations_are_told(void **state) {
  (void)state;
  refuse_equation("2", 40);
  refuse_equation(NULL, 40);
  refuse_equation("1", 41);
  refuse_equation(NULL, 0);
}

/* Of one rank alone: the last one's is n rows of the list, or it has none. */
static void refuse_candidates(int64_t n, double last) {
  const double rows[] = {0, 0, 0.5, 1, is_last() ? last : 1, 0};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  if (!is_last() || n > 0)
    assert_ok(gannet_problem_set_candidates(f.problem, MPI_COMM_SELF, is_last() ? n : 3, rows));
  assert_fails(GANNET_ERR_RANKS, "candidates of the problem",
               gannet_optimizer_create(f.context, f.problem, 1, sobol, &f.optimizer));
  assert_null(f.optimizer);
  drop(&f);
}

static void other_candidates_are_told(void **state) {
  (void)state;
  refuse_candidates(2, 1);
  refuse_candidates(3, 0.75);
  refuse_candidates(0, 0);
}

static void other_variable_constraints_are_told(void **state) {
  (void)state;
  static const char *const texts[] = {"x <= 0.5", "x <= 0.75"};
  for (int n_last = 0; n_last < 2; ++n_last) { /* the last rank has another one, or none */
    fixture f = {0};
    assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
    assert_ok(gannet_problem_create(&spec, &f.problem));
    assert_ok(gannet_problem_set_variable_constraints(f.problem, is_last() ? n_last : 1,
                                                      &texts[is_last()]));
    assert_fails(GANNET_ERR_RANKS, "variable constraints of the problem",
                 gannet_optimizer_create(f.context, f.problem, 1, sobol, &f.optimizer));
    assert_null(f.optimizer);
    drop(&f);
  }
}

static void the_same_equations_and_candidates_are_taken(void **state) {
  (void)state;
  static const double rows[] = {0, 0, 0.5, 1, 1, 0};
  static const gannet_method_setting governed[] = {{"method", "pinn-bo"}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 11, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  state_equation(f.problem, "1", 40);
  assert_ok(gannet_problem_set_candidates(f.problem, MPI_COMM_SELF, 3, rows));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, governed, &f.optimizer));
  drop(&f);
}

static void other_settings_are_told(void **state) {
  (void)state;
  static const gannet_method_setting random[] = {{"method", "random"}};
  fixture f = make();
  gannet_optimizer *optimizer = NULL;
  assert_fails(
      GANNET_ERR_RANKS, "settings",
      gannet_optimizer_create(f.context, f.problem, 1, is_last() ? random : sobol, &optimizer));
  assert_fails(GANNET_ERR_RANKS, "settings",
               gannet_optimizer_create(f.context, f.problem, is_last() ? 0 : 1, sobol, &optimizer));
  assert_fails(
      GANNET_ERR_ARG, "problem is a null pointer",
      gannet_optimizer_create(f.context, is_last() ? NULL : f.problem, 1, sobol, &optimizer));
  assert_null(optimizer);
  drop(&f);
}

static void another_number_of_points_is_told(void **state) {
  (void)state;
  fixture f = make();
  int64_t id[3];
  double x[6];
  assert_fails(GANNET_ERR_RANKS, "number of points",
               gannet_optimizer_ask(f.optimizer, is_last() ? 3 : 2, id, x));
  assert_fails(GANNET_ERR_ARG, "q = 0",
               gannet_optimizer_ask(f.optimizer, is_last() ? 0 : 2, id, x));
  assert_fails(GANNET_ERR_ARG, "id is a null pointer",
               gannet_optimizer_ask(f.optimizer, 2, is_last() ? NULL : id, x));
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  assert_int_equal(id[1], 1);
  drop(&f);
}

/* The results that ranks agree on afterwards are taken. */
static void other_results_are_told_and_not_taken(void **state) {
  (void)state;
  fixture f = make();
  int64_t id[2];
  double x[4], c[2] = {0.5, 0.25}, d = 0.75;
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x));
  const gannet_result right[] = {{.id = id[0], .objective = 3, .constraints = &c[0]},
                                 {.id = id[1], .objective = 0, .constraints = &c[1]}};
  const gannet_result wrong[] = {
      {.id = id[0], .objective = nextafter(3, 4), .constraints = &c[0]},
      {.id = id[0], .objective = 3, .constraints = &d},
      {.id = id[0], .objective = NAN, .constraints = &c[0]},
      {.id = id[0], .outcome = GANNET_RESULT_CANNOT_RUN, .objective = 3, .constraints = &c[0]},
      {.id = id[1], .objective = 3, .constraints = &c[0]}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_fails(GANNET_ERR_RANKS, "results",
                 gannet_optimizer_tell(f.optimizer, 1, is_last() ? &wrong[i] : right));
  assert_fails(GANNET_ERR_RANKS, "results",
               gannet_optimizer_tell(f.optimizer, is_last() ? 1 : 2, right));
  assert_fails(GANNET_ERR_ARG, "results is a null pointer",
               gannet_optimizer_tell(f.optimizer, 2, is_last() ? NULL : right));
  assert_int_equal(gannet_history_count_told(f.optimizer->history), 0);
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, right));
  const gannet_result zero = {
      .id = id[1], .objective = is_last() ? -0.0 : 0.0, .constraints = &c[1]};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &zero));
  drop(&f);
}

static void another_point_of_the_caller_is_told(void **state) {
  (void)state;
  fixture f = make();
  const double c = 0, x[2] = {0.5, 1}, other[2] = {is_last() ? 0.25 : 0.5, 1};
  const gannet_result result = {.id = -1, .objective = 1, .constraints = &c};
  const gannet_result better = {.id = -1, .objective = is_last() ? 0.5 : 1, .constraints = &c};
  const gannet_result numbered = {
      .id = is_last() ? 7 : -1, .objective = 1, .constraints = &c}; /* ignored */
  assert_fails(GANNET_ERR_RANKS, "result",
               gannet_optimizer_tell_point(f.optimizer, other, &result, NULL));
  assert_fails(GANNET_ERR_RANKS, "result",
               gannet_optimizer_tell_point(f.optimizer, x, &better, NULL));
  assert_fails(GANNET_ERR_ARG, "x_user is a null pointer",
               gannet_optimizer_tell_point(f.optimizer, is_last() ? NULL : x, &result, NULL));
  assert_int_equal(gannet_history_count(f.optimizer->history), 0);
  assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &numbered, NULL));
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_problem_is_told),
      cmocka_unit_test(other_equations_are_told),
      cmocka_unit_test(other_candidates_are_told),
      cmocka_unit_test(other_variable_constraints_are_told),
      cmocka_unit_test(the_same_equations_and_candidates_are_taken),
      cmocka_unit_test(other_settings_are_told),
      cmocka_unit_test(another_number_of_points_is_told),
      cmocka_unit_test(other_results_are_told_and_not_taken),
      cmocka_unit_test(another_point_of_the_caller_is_told),
  };
  if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
