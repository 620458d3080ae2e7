/* test: serial labels unit */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/harness.h"

#include "gannet/gannet.h"

static const gannet_variable square[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "y", .lower = 0, .upper = 1},
};

static const gannet_problem_spec spec = {.n_variables = 2, .variables = square, .noise_sd = NAN};

typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_optimizer *optimizer;
} fixture;

static int set_up(void **state) {
  static fixture f;
  assert_ok(gannet_context_create_alone(1, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 0, NULL, &f.optimizer));
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  gannet_optimizer_destroy(&f->optimizer);
  gannet_problem_destroy(&f->problem);
  gannet_context_destroy(&f->context);
  return 0;
}

#define assert_null_is_told(name, call) \
  assert_fails(GANNET_ERR_ARG, name " is a null pointer", call)

/* Runs first: the next ones initialise MPI. */
static void mpi_comes_first(void **state) {
  (void)state;
  gannet_context *context = NULL;
  assert_fails(GANNET_ERR_STATE, "call MPI_Init first",
               gannet_context_create(MPI_COMM_WORLD, 1, &context));
  assert_fails(GANNET_ERR_STATE, "call MPI_Init first",
               gannet_context_create_fortran(0, 1, &context));
  assert_null(context);
  const double x[2] = {0.5, 0.5};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_fails(GANNET_ERR_STATE, "call MPI_Init first",
               gannet_problem_set_candidates(problem, MPI_COMM_SELF, 1, x));
  gannet_problem_destroy(&problem);
}

/* Public functions that were called without one of their pointers. */
static const char *called[200];
static int n_called;

static void note(const char *function) {
  assert_true(n_called < (int)(sizeof called / sizeof *called));
  called[n_called++] = function;
}

#define REFUSED(name, function, ...)                    \
  do {                                                  \
    note(#function);                                    \
    assert_null_is_told(name, (function)(__VA_ARGS__)); \
  } while (0)
#define ALLOWED(function, ...)          \
  do {                                  \
    note(#function);                    \
    assert_ok((function)(__VA_ARGS__)); \
  } while (0)
#define HARMLESS(function, ...)    \
  do {                             \
    note(#function);               \
    (void)(function)(__VA_ARGS__); \
  } while (0)

static void objects_are_not_made_without_pointers(const fixture *f) {
  gannet_optimizer *optimizer = NULL, **made = &optimizer;
  gannet_problem *problem = NULL;
  const gannet_method_setting no_key = {NULL, "8"}, no_text = {"batch", NULL};
  REFUSED("context", gannet_context_create, MPI_COMM_SELF, 1, NULL);
  REFUSED("context", gannet_context_create_alone, 1, NULL);
  REFUSED("context", gannet_context_create_fortran, 0, 1, NULL);
  REFUSED("spec", gannet_problem_create, NULL, &problem);
  REFUSED("problem", gannet_problem_create, &spec, NULL);
  REFUSED("context", gannet_optimizer_create, NULL, f->problem, 0, NULL, made);
  REFUSED("problem", gannet_optimizer_create, f->context, NULL, 0, NULL, made);
  REFUSED("optimizer", gannet_optimizer_create, f->context, f->problem, 0, NULL, NULL);
  REFUSED("settings", gannet_optimizer_create, f->context, f->problem, 1, NULL, made);
  REFUSED("setting", gannet_optimizer_create, f->context, f->problem, 1, &no_key, made);
  REFUSED("batch", gannet_optimizer_create, f->context, f->problem, 1, &no_text, made);
  assert_null(optimizer);
  assert_null(problem);
  HARMLESS(gannet_optimizer_destroy, NULL);
  HARMLESS(gannet_optimizer_destroy, made);
  HARMLESS(gannet_problem_destroy, NULL);
  HARMLESS(gannet_problem_destroy, &problem);
  HARMLESS(gannet_context_destroy, NULL);
  REFUSED("context", gannet_context_agree, NULL, GANNET_OK, NULL);
  assert_fails(GANNET_ERR_ARG, "code = 1000, expected one of gannet_err",
               gannet_context_agree(f->context, (gannet_err)1000, NULL));
  HARMLESS(gannet_context_set_log, NULL, GANNET_LOG_INFO, NULL, NULL);
}

static void problems_tell_null_pointers(void) {
  const double x[2] = {0.5, 0.5};
  gannet_problem *problem = NULL;
  const gannet_physics_spec physics = {.n_equations = 0};
  assert_ok(gannet_problem_create(&spec, &problem));
  REFUSED("problem", gannet_problem_set_candidates, NULL, MPI_COMM_SELF, 1, x);
  REFUSED("x_user", gannet_problem_set_candidates, problem, MPI_COMM_SELF, 1, NULL);
  const char *const texts[2] = {"x1 <= x2", NULL};
  REFUSED("problem", gannet_problem_set_variable_constraints, NULL, 1, texts);
  REFUSED("texts", gannet_problem_set_variable_constraints, problem, 1, NULL);
  REFUSED("a text", gannet_problem_set_variable_constraints, problem, 2, texts);
  assert_fails(GANNET_ERR_ARG, "expected at least 0",
               gannet_problem_set_variable_constraints(problem, -1, texts));
  gannet_variable_function function = {.slack = NULL};
  REFUSED("problem", gannet_problem_set_variable_functions, NULL, 1, &function);
  REFUSED("functions", gannet_problem_set_variable_functions, problem, 1, NULL);
  REFUSED("the name of a function", gannet_problem_set_variable_functions, problem, 1, &function);
  function.name = "f";
  REFUSED("slack", gannet_problem_set_variable_functions, problem, 1, &function);
  assert_fails(GANNET_ERR_ARG, "expected at least 0",
               gannet_problem_set_variable_functions(problem, -1, &function));
  int active[2];
  REFUSED("problem", gannet_problem_get_active, NULL, x, active);
  REFUSED("x_user", gannet_problem_get_active, problem, NULL, active);
  REFUSED("active", gannet_problem_get_active, problem, x, NULL);
  REFUSED("problem", gannet_problem_set_physics, NULL, &physics);
  REFUSED("spec", gannet_problem_set_physics, problem, NULL);
  REFUSED("problem", gannet_problem_set_residual, NULL, 0, NULL);
  REFUSED("residual", gannet_problem_set_residual, problem, 0, NULL);
  gannet_problem_destroy(&problem);
  note("gannet_problem_get_spec");
  assert_null(gannet_problem_get_spec(NULL));
}

static void optimizers_tell_null_pointers(const fixture *f) {
  int64_t id[1];
  const double x[2] = {0.5, 0.5};
  double asked[2];
  const gannet_result result = {.objective = 1};
  const gannet_result uncounted = {.objective = 1, .n_quantities = 1};
  gannet_quantity quantity;
  gannet_recommendation recommendation;
  REFUSED("optimizer", gannet_optimizer_ask, NULL, 1, id, asked);
  REFUSED("id", gannet_optimizer_ask, f->optimizer, 1, NULL, asked);
  REFUSED("x_user", gannet_optimizer_ask, f->optimizer, 1, id, NULL);
  REFUSED("optimizer", gannet_optimizer_start, NULL, 1, asked, id);
  REFUSED("x_user", gannet_optimizer_start, f->optimizer, 1, NULL, id);
  REFUSED("id", gannet_optimizer_start, f->optimizer, 1, asked, NULL);
  ALLOWED(gannet_optimizer_start, f->optimizer, 0, NULL, NULL);
  REFUSED("results", gannet_optimizer_tell, f->optimizer, 1, NULL);
  REFUSED("optimizer", gannet_optimizer_tell, NULL, 0, NULL);
  ALLOWED(gannet_optimizer_tell, f->optimizer, 0, NULL);
  REFUSED("optimizer", gannet_optimizer_tell_point, NULL, x, &result, id);
  REFUSED("x_user", gannet_optimizer_tell_point, f->optimizer, NULL, &result, NULL);
  REFUSED("result", gannet_optimizer_tell_point, f->optimizer, x, NULL, NULL);
  ALLOWED(gannet_optimizer_tell_point, f->optimizer, x, &result, NULL);
  REFUSED("quantities", gannet_optimizer_tell_point, f->optimizer, x, &uncounted, NULL);
  REFUSED("optimizer", gannet_optimizer_discard, NULL, 0);
  REFUSED("optimizer", gannet_optimizer_correct, NULL, 0, &result);
  REFUSED("result", gannet_optimizer_correct, f->optimizer, 0, NULL);
  REFUSED("optimizer", gannet_optimizer_tell_related, NULL, 1, x, x);
  REFUSED("x_user", gannet_optimizer_tell_related, f->optimizer, 1, NULL, x);
  REFUSED("objective", gannet_optimizer_tell_related, f->optimizer, 1, x, NULL);
  assert_int_equal(gannet_optimizer_tell_related(f->optimizer, -1, x, x), GANNET_ERR_ARG);
  REFUSED("optimizer", gannet_optimizer_tell_related_results, NULL, 1, x, &result);
  REFUSED("x_user", gannet_optimizer_tell_related_results, f->optimizer, 1, NULL, &result);
  REFUSED("results", gannet_optimizer_tell_related_results, f->optimizer, 1, x, NULL);
  REFUSED("optimizer", gannet_optimizer_quantity, NULL, 0, "objective", &quantity);
  REFUSED("name", gannet_optimizer_quantity, f->optimizer, 0, NULL, &quantity);
  REFUSED("quantity", gannet_optimizer_quantity, f->optimizer, 0, "objective", NULL);
  REFUSED("optimizer", gannet_optimizer_recommend, NULL, &recommendation, asked);
  REFUSED("recommendation", gannet_optimizer_recommend, f->optimizer, NULL, asked);
  ALLOWED(gannet_optimizer_recommend, f->optimizer, &recommendation, NULL);
  gannet_prediction prediction;
  REFUSED("optimizer", gannet_optimizer_predict, NULL, 1, x, &prediction, NULL);
  REFUSED("x_user", gannet_optimizer_predict, f->optimizer, 1, NULL, &prediction, NULL);
  REFUSED("predictions", gannet_optimizer_predict, f->optimizer, 1, x, NULL, NULL);
  ALLOWED(gannet_optimizer_predict, f->optimizer, 0, NULL, NULL, NULL);
  REFUSED("optimizer", gannet_optimizer_save, NULL, "file.h5");
  REFUSED("path", gannet_optimizer_save, f->optimizer, NULL);
  REFUSED("optimizer", gannet_optimizer_load, NULL, "file.h5");
  REFUSED("path", gannet_optimizer_load, f->optimizer, NULL);
}

/* They return numbers, and what they have is not wanted. */
static void optimizers_that_are_looked_at_need_no_pointers(const fixture *f) {
  double x[2] = {-1, -1};
  gannet_best best;
  gannet_counts counts = {.done = -1};
  HARMLESS(gannet_optimizer_pending, NULL, 1, NULL, NULL);
  HARMLESS(gannet_optimizer_pending, f->optimizer, 1, NULL, NULL);
  HARMLESS(gannet_optimizer_front, NULL, 1, NULL, NULL, NULL, NULL, NULL);
  HARMLESS(gannet_optimizer_front, f->optimizer, 1, NULL, NULL, NULL, NULL, NULL);
  HARMLESS(gannet_optimizer_best, NULL, NULL, NULL);
  HARMLESS(gannet_optimizer_best, f->optimizer, NULL, NULL);
  HARMLESS(gannet_optimizer_best, f->optimizer, NULL, x);
  assert_true(x[0] == 0.5 && x[1] == 0.5);
  gannet_optimizer_best(NULL, &best, x);
  assert_int_equal(best.id, -1);
  HARMLESS(gannet_optimizer_count, f->optimizer, NULL);
  gannet_optimizer_count(NULL, &counts);
  assert_int_equal(counts.done, 0);
  gannet_optimizer_count(f->optimizer, &counts);
  assert_true(counts.done == 1 && counts.feasible == 1);
}

/* What takes no pointers takes any number. */
static void codes_have_texts(void) {
  HARMLESS(gannet_err_text, (gannet_err)-1);
  HARMLESS(gannet_err_text, (gannet_err)10000);
  HARMLESS(gannet_err_exit, (gannet_err)10000);
  note("gannet_struct_size");
  assert_int_equal(gannet_struct_size(NULL), 0);
  note("gannet_version");
  assert_non_null(gannet_version());
  note("gannet_error_message");
  assert_non_null(gannet_error_message());
  note("gannet_error_trace");
  assert_non_null(gannet_error_trace());
}

/* The list of what the library exports knows what was forgotten here. */
static void null_pointers_never_crash(void **state) {
  const fixture *f = *state;
  char line[200];
  int exported = 0;
  objects_are_not_made_without_pointers(f);
  problems_tell_null_pointers();
  optimizers_tell_null_pointers(f);
  optimizers_that_are_looked_at_need_no_pointers(f);
  codes_have_texts();
  FILE *symbols = fopen(GANNET_SYMBOLS, "r");
  assert_non_null(symbols);
  while (fgets(line, sizeof line, symbols)) {
    bool found = false;
    if (strncmp(line, "gannet_", 7) != 0) continue;
    line[strcspn(line, " ")] = '\0';
    for (int i = 0; i < n_called; ++i) found = found || strcmp(called[i], line) == 0;
    if (!found) fail_msg("%s is not called without its pointers here", line);
    exported += 1;
  }
  assert_int_equal(fclose(symbols), 0);
  assert_true(exported >= 22);
}

static void communicators_are_checked(void **state) {
  const fixture *f = *state;
  const double x[2] = {0.5, 0.5};
  assert_fails(GANNET_ERR_ARG, "MPI_COMM_NULL",
               gannet_problem_set_candidates(f->problem, MPI_COMM_NULL, 1, x));
}

/* What it has read would not be what the problem says. */
static void equations_come_before_the_optimiser(void **state) {
  fixture *f = *state;
  const gannet_physics_term term = {.order = 0};
  const gannet_physics_equation equation = {.n_terms = 1, .terms = &term};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &equation};
  assert_fails(GANNET_ERR_STATE, "equations cannot be set while an optimiser works",
               gannet_problem_set_physics(f->problem, &physics));
  gannet_optimizer_destroy(&f->optimizer);
  assert_ok(gannet_problem_set_physics(f->problem, &physics));
}

/* The count of those who hold the problem outlives it. */
static void objects_are_destroyed_in_any_order(void **state) {
  fixture *f = *state;
  gannet_optimizer *second = NULL;
  assert_ok(gannet_optimizer_create(f->context, f->problem, 0, NULL, &second));
  gannet_optimizer_destroy(&second);
  gannet_problem_destroy(&f->problem);
  gannet_optimizer_destroy(&f->optimizer);
}

static void what_cannot_be_a_problem_is_told(void **state) {
  (void)state;
  gannet_problem *problem = NULL;
  gannet_variable one = square[0];
  gannet_problem_spec wrong = spec;
  assert_null_is_told("spec", gannet_problem_create(NULL, &problem));
  assert_null_is_told("problem", gannet_problem_create(&spec, NULL));
  wrong.variables = NULL;
  assert_null_is_told("variables", gannet_problem_create(&wrong, &problem));
  wrong = spec, wrong.n_constraints = -1;
  assert_fails(GANNET_ERR_ARG, "n_constraints = -1", gannet_problem_create(&wrong, &problem));
  wrong.n_constraints = 1;
  assert_null_is_told("constraints", gannet_problem_create(&wrong, &problem));
  wrong = spec, wrong.goal = (gannet_goal)5;
  assert_fails(GANNET_ERR_ARG, "goal = 5", gannet_problem_create(&wrong, &problem));
  wrong = spec, wrong.n_variables = 1, wrong.variables = &one, one.scale = (gannet_scale)7;
  assert_fails(GANNET_ERR_INPUT, "unknown scale 7", gannet_problem_create(&wrong, &problem));
  one = (gannet_variable){.name = "c", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3};
  assert_fails(GANNET_ERR_INPUT, "values is a null", gannet_problem_create(&wrong, &problem));
  assert_null(problem);
}

static void equations_without_their_arrays_are_told(void **state) {
  fixture *f = *state;
  const char *nameless[] = {NULL};
  const gannet_physics_term plain = {.order = 0};
  gannet_physics_term term = {.order = 1};
  gannet_physics_equation equation = {.n_terms = 1};
  gannet_physics_spec physics = {.n_equations = 1};
  assert_null_is_told("spec", gannet_problem_set_physics(f->problem, NULL));
  assert_null_is_told("equations", gannet_problem_set_physics(f->problem, &physics));
  physics.equations = &equation;
  assert_null_is_told("terms of an equation", gannet_problem_set_physics(f->problem, &physics));
  equation.terms = &term;
  assert_null_is_told("derivative of a term", gannet_problem_set_physics(f->problem, &physics));
  term.derivative = nameless;
  assert_null_is_told("derivative of a term", gannet_problem_set_physics(f->problem, &physics));
  equation = (gannet_physics_equation){.n_terms = 1, .terms = &plain, .plugin = "own"};
  equation.n_settings = 1, equation.settings = nameless;
  assert_null_is_told("a setting of an equation", gannet_problem_set_physics(f->problem, &physics));
  equation.n_terms = -1;
  assert_fails(GANNET_ERR_ARG, "n_terms = -1", gannet_problem_set_physics(f->problem, &physics));
  physics.n_equations = -1;
  assert_fails(GANNET_ERR_ARG, "n_equations = -1",
               gannet_problem_set_physics(f->problem, &physics));
  assert_null_is_told("residual", gannet_problem_set_residual(f->problem, 0, NULL));
}

/* Nothing is taken over, so the right result can be told afterwards. */
static void an_outcome_that_does_not_exist_is_told(void **state) {
  fixture *f = *state;
  int64_t id = -1;
  double x[2];
  gannet_best best;
  assert_ok(gannet_optimizer_ask(f->optimizer, 1, &id, x));
  gannet_result result = {.id = id, .outcome = (gannet_outcome)7, .objective = 1};
  assert_fails(GANNET_ERR_ARG, "outcome = 7", gannet_optimizer_tell(f->optimizer, 1, &result));
  assert_fails(GANNET_ERR_ARG, "outcome = 7",
               gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
  result.outcome = GANNET_RESULT_OK;
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  gannet_optimizer_best(f->optimizer, &best, NULL);
  assert_int_equal(best.id, id);
}

/* Otherwise it would count as failed without a word. An outcome without values needs none. */
static void results_without_their_constraints_are_told(void **state) {
  fixture *f = *state;
  const gannet_constraint limits[] = {{"g", -INFINITY, 1}, {"h", 0, INFINITY}};
  const gannet_problem_spec limited = {.n_variables = 2,
                                       .variables = square,
                                       .n_constraints = 2,
                                       .constraints = limits,
                                       .noise_sd = NAN};
  const double values[2] = {0.5, 0.5};
  int64_t id[2] = {-1, -1};
  double x[4];
  gannet_best best;
  gannet_optimizer_destroy(&f->optimizer);
  gannet_problem_destroy(&f->problem);
  assert_ok(gannet_problem_create(&limited, &f->problem));
  assert_ok(gannet_optimizer_create(f->context, f->problem, 0, NULL, &f->optimizer));
  assert_ok(gannet_optimizer_ask(f->optimizer, 2, id, x));
  gannet_result results[] = {{.id = id[0], .outcome = GANNET_RESULT_FAILED, .objective = NAN},
                             {.id = id[1], .objective = 1}};
  assert_null_is_told("constraints", gannet_optimizer_tell(f->optimizer, 2, results));
  assert_fails(GANNET_ERR_ARG, "expected the values of 2 constraints",
               gannet_optimizer_tell_point(f->optimizer, x, &results[1], NULL));
  results[0].outcome = GANNET_RESULT_CANNOT_RUN;
  results[1].constraints = values;
  assert_ok(gannet_optimizer_tell(f->optimizer, 2, results));
  gannet_optimizer_best(f->optimizer, &best, NULL);
  assert_true(best.id == id[1] && best.feasible);
}

static void only_failed_results_are_replaced(void **state) {
  fixture *f = *state;
  int64_t id = -1;
  double x[2];
  gannet_best best;
  assert_ok(gannet_optimizer_ask(f->optimizer, 1, &id, x));
  gannet_result result = {.id = id, .outcome = GANNET_RESULT_OK, .objective = NAN};
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  result.outcome = GANNET_RESULT_FAILED;
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  result.outcome = GANNET_RESULT_OK, result.objective = 3;
  const gannet_result twice[] = {result, result};
  assert_fails(GANNET_ERR_ARG, "told twice", gannet_optimizer_tell(f->optimizer, 2, twice));
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  gannet_optimizer_best(f->optimizer, &best, NULL);
  assert_true(best.id == id && best.objective == 3);
  assert_fails(GANNET_ERR_STATE, "already has the result",
               gannet_optimizer_tell(f->optimizer, 1, &result));
}

/* What belongs to the program, and what its documentation gives as examples. */
static void settings_are_those_of_the_method(void **state) {
  const fixture *f = *state;
  const gannet_method_setting documented[] = {
      {"initial", "8"}, {"method", "neural-bo"}, {"surrogate.activation", "erf"}};
  const gannet_method_setting foreign = {"batch", "8"};
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_optimizer_create(f->context, f->problem, 3, documented, &optimizer));
  gannet_optimizer_destroy(&optimizer);
  assert_fails(GANNET_ERR_INPUT, "batch",
               gannet_optimizer_create(f->context, f->problem, 1, &foreign, &optimizer));
}

/* As a program does that starts a simulation itself and ends the copy when that is not found. */
static void a_copy_of_the_process_can_end(void **state) {
  fixture *f = *state;
  int64_t id = -1;
  double x[2];
  int status = 0;
  assert_ok(gannet_optimizer_ask(f->optimizer, 1, &id, x));
  const pid_t copy = fork();
  assert_true(copy >= 0);
  if (copy == 0) {
    (void)alarm(20);
    exit(3);
  }
  assert_int_equal(waitpid(copy, &status, 0), copy);
  if (!WIFEXITED(status)) fail_msg("ended by signal %d", WTERMSIG(status));
  assert_ok(gannet_optimizer_ask(f->optimizer, 1, &id, x));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Comparing each number with all others took seconds. */
static void many_results_are_told_at_once(void **state) {
  const fixture *f = *state;
  enum { N = 100000 };
  static int64_t id[N];
  static double x[2 * N];
  static gannet_result results[N + 1];
  const gannet_method_setting random = {"method", "random"};
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_optimizer_create(f->context, f->problem, 1, &random, &optimizer));
  assert_ok(gannet_optimizer_ask(optimizer, N, id, x));
  for (int i = 0; i < N; ++i)
    results[i] = (gannet_result){.id = id[N - 1 - i], .objective = x[2 * i]};
  results[N] = results[N / 3];
  const clock_t start = clock();
  assert_fails(GANNET_ERR_ARG, "told twice", gannet_optimizer_tell(optimizer, N + 1, results));
  assert_ok(gannet_optimizer_tell(optimizer, N, results));
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (seconds > 1.5) fail_msg("%g s", seconds);
  gannet_optimizer_destroy(&optimizer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mpi_comes_first),
      TEST(null_pointers_never_crash),
      TEST(communicators_are_checked),
      TEST(equations_come_before_the_optimiser),
      TEST(objects_are_destroyed_in_any_order),
      TEST(what_cannot_be_a_problem_is_told),
      TEST(equations_without_their_arrays_are_told),
      TEST(an_outcome_that_does_not_exist_is_told),
      TEST(results_without_their_constraints_are_told),
      TEST(only_failed_results_are_replaced),
      TEST(many_results_are_told_at_once),
      TEST(settings_are_those_of_the_method),
      TEST(a_copy_of_the_process_can_end),
  };
  return run_serial(tests);
}
