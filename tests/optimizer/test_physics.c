/* test: ranks 1 2 labels unit timeout 300 */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/optimizer_impl.h"

/* Maximise 4 - (x - 1)^2 - 2 (log10 y - 0.3)^2 + x log10 y / 5 on [-2, 3] x [0.1, 100], y on a
 * logarithmic scale; its second derivative by x is -2. */
static double objective(const double *x) {
  const double a = x[0] - 1, b = log10(x[1]) - 0.3;
  return 4 - a * a - 2 * b * b + x[0] * log10(x[1]) / 5;
}

static gannet_problem *make_problem_with(const char *second_by_x, double noise_sd) {
  static const gannet_variable variables[] = {
      {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = -2, .upper = 3},
      {.name = "y",
       .type = GANNET_VARIABLE_REAL,
       .lower = 0.1,
       .upper = 100,
       .scale = GANNET_SCALE_LOG}};
  static const char *const xx[] = {"x", "x"}, *const y[] = {"y"}, *const yy[] = {"y", "y"};
  static const gannet_physics_term by_x = {NULL, 2, xx};
  /* y f_y + y^2 f_yy is the second derivative by log y: -4 / log(10)^2 */
  static const gannet_physics_term by_y[] = {{"y", 1, y}, {"y^2", 2, yy}};
  const gannet_physics_equation equations[] = {
      {.n_terms = 1, .terms = &by_x, .rhs = second_by_x},
      {.n_terms = 2, .terms = by_y, .rhs = "-4/log(10)^2"}};
  const gannet_problem_spec spec = {
      .n_variables = 2, .variables = variables, .goal = GANNET_MAXIMIZE, .noise_sd = noise_sd};
  const gannet_physics_spec physics = {.n_equations = 2, .equations = equations, .points = 40};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_physics(problem, &physics));
  return problem;
}

static gannet_problem *make_problem(double noise_sd) {
  return make_problem_with("-2", noise_sd);
}

static const gannet_method_setting settings[] = {{"method", "pinn-bo"},
                                                 {"search.candidates", "500"},
                                                 {"surrogate.width", "40"},
                                                 {"surrogate.single_width", "10"}};

static const gannet_method_setting by_default[] = {{"search.candidates", "500"},
                                                   {"transform", "log"}};

/* Another process goes on after n points. */
static void restart_after(int n, const double *points, const double *y, gannet_context *context,
                          const gannet_problem *problem, int n_settings,
                          const gannet_method_setting *chosen, gannet_optimizer **optimizer) {
  gannet_state state = {0};
  assert_ok(gannet_optimizer_get_state(*optimizer, &state));
  gannet_optimizer_destroy(optimizer);
  assert_ok(gannet_optimizer_create(context, problem, n_settings, chosen, optimizer));
  for (int k = 0; k < n; ++k) {
    const gannet_result told = {.objective = y[k]};
    assert_ok(gannet_optimizer_tell_point(*optimizer, points + 2 * k, &told, NULL));
  }
  assert_ok(gannet_optimizer_set_state(*optimizer, &state, NULL));
  gannet_state_release(&state);
}

/* Best of n points, and all points; with a restart in the middle if asked for. */
static double run_with(MPI_Comm comm, int n_settings, const gannet_method_setting *chosen, int n,
                       bool restart, double *points) {
  gannet_problem *problem = make_problem(0);
  gannet_context *context = NULL;
  gannet_optimizer *optimizer = NULL;
  double best = -INFINITY, y[64];
  assert_ok(gannet_context_create(comm, 5, &context));
  assert_ok(gannet_optimizer_create(context, problem, n_settings, chosen, &optimizer));
  for (int i = 0; i < n; ++i) {
    int64_t id = -1;
    if (restart && i == n / 2)
      restart_after(i, points, y, context, problem, n_settings, chosen, &optimizer);
    assert_ok(gannet_optimizer_ask(optimizer, 1, &id, points + 2 * i));
    y[i] = objective(points + 2 * i);
    const gannet_result result = {.id = id, .objective = y[i]};
    assert_ok(gannet_optimizer_tell(optimizer, 1, &result));
    best = fmax(best, y[i]);
  }
  gannet_optimizer_destroy(&optimizer);
  gannet_context_destroy(&context);
  gannet_problem_destroy(&problem);
  return best;
}

static double run(MPI_Comm comm, int n, bool restart, double *points) {
  return run_with(comm, 4, settings, n, restart, points);
}

/* The equations leave a + b x + c log y + d x log y open: four values and one more suffice. */
static void equations_make_few_evaluations_enough(void **state) {
  (void)state;
  double points[2 * 8], alone[2 * 8], best = 0, grid[2];
  for (int i = 0; i <= 400; ++i)
    for (int k = 0; k <= 400; ++k) {
      grid[0] = -2 + 5 * i / 400.0;
      grid[1] = pow(10, -1 + 3 * k / 400.0);
      best = fmax(best, objective(grid));
    }
  assert_true(run(MPI_COMM_WORLD, 8, false, points) > best - 1e-3);
  (void)run(MPI_COMM_SELF, 8, false, alone);
  assert_memory_equal(points, alone, sizeof points);
}

static void a_restart_continues_exactly(void **state) {
  (void)state;
  double points[2 * 7], again[2 * 7];
  (void)run(MPI_COMM_WORLD, 7, false, points);
  (void)run(MPI_COMM_WORLD, 7, true, again);
  assert_memory_equal(points, again, sizeof points);
}

/* What is recommended sees them, too, by a member that the others' transform leaves alone. */
static void the_default_uses_equations(void **state) {
  (void)state;
  double points[2 * 11], alone[2 * 11], again[2 * 11];
  assert_true(run_with(MPI_COMM_WORLD, 2, by_default, 11, false, points) > 4.05);
  (void)run_with(MPI_COMM_SELF, 2, by_default, 11, false, alone);
  (void)run_with(MPI_COMM_WORLD, 2, by_default, 11, true, again);
  assert_memory_equal(points, alone, sizeof points);
  assert_memory_equal(points, again, sizeof points);
}

static void check_members(const gannet_problem *problem, const gannet_method_setting *setting,
                          const char *portfolio, int n_members) {
  gannet_context *context = NULL;
  gannet_optimizer *o = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  assert_ok(gannet_optimizer_create(context, problem, setting ? 1 : 0, setting, &o));
  assert_int_equal(o->options.n_members, n_members);
  assert_string_equal(o->options.method.portfolio, portfolio);
  gannet_optimizer_destroy(&o);
  gannet_context_destroy(&context);
}

/* A portfolio that is named stays what it is. */
static void a_member_joins_only_the_default_and_for_equations(void **state) {
  (void)state;
  static const gannet_variable variable = {
      .name = "x", .type = GANNET_VARIABLE_REAL, .lower = 0, .upper = 1};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = &variable};
  const gannet_method_setting named = {"portfolio", "[gp-ei, pinn-ei]"};
  gannet_problem *with = make_problem(0), *without = NULL;
  assert_ok(gannet_problem_create(&spec, &without));
  check_members(with, NULL, "[gp-noisy, quadratic, gp-draws, pinn-bo, lq-cma]", 5);
  check_members(without, NULL, "[gp-noisy, quadratic, gp-draws, lq-cma]", 4);
  check_members(with, &named, "[gp-ei, pinn-ei]", 2);
  gannet_problem_destroy(&with);
  gannet_problem_destroy(&without);
}

static void what_cannot_use_equations_is_refused(void **state) {
  (void)state;
  const gannet_method_setting gp[] = {{"method", "gp-ei"}}, none[] = {{"method", "random"}};
  const gannet_method_setting warped[] = {{"method", "pinn-bo"}, {"transform", "log"}};
  const gannet_method_setting sharp[] = {{"method", "pinn-bo"}, {"surrogate.activation", "relu"}};
  gannet_problem *problem = make_problem(NAN);
  gannet_context *context = NULL;
  gannet_optimizer *o = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  assert_fails(GANNET_ERR_INPUT, "methods that can: auto pinn-bo",
               gannet_optimizer_create(context, problem, 1, gp, &o));
  assert_fails(GANNET_ERR_INPUT, "'random' cannot use equations",
               gannet_optimizer_create(context, problem, 1, none, &o));
  assert_fails(GANNET_ERR_INPUT, "leave out transform: log",
               gannet_optimizer_create(context, problem, 2, warped, &o));
  assert_fails(GANNET_ERR_INPUT, "'relu' is not valid; expected one of: tanh erf sin",
               gannet_optimizer_create(context, problem, 2, sharp, &o));
  assert_null(o);
  gannet_context_destroy(&context);
  gannet_problem_destroy(&problem);
}

static void count_contradictions(void *user, gannet_log_level level, int rank, const char *line) {
  (void)rank;
  if (level == GANNET_LOG_WARNING && strstr(line, "do not go together")) *(int *)user += 1;
}

/* How often a campaign of n points says so, on rank 0, where the second derivative by x is this;
 * with restarts after every point from the given one on. */
static int contradictions_with(const char *second_by_x, int n, int restarts, double noise,
                               const gannet_method_setting *chosen, int n_settings) {
  gannet_problem *problem = make_problem_with(second_by_x, NAN);
  gannet_context *context = NULL;
  gannet_optimizer *o = NULL;
  double points[2 * 32], y[32];
  int count = 0;
  assert_true(n <= 32);
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  gannet_context_set_log(context, GANNET_LOG_INFO, count_contradictions, &count);
  assert_ok(gannet_optimizer_create(context, problem, n_settings, chosen, &o));
  for (int i = 0; i < n; ++i) {
    int64_t id = -1;
    double *x = points + 2 * i, error = 0;
    if (i >= restarts) restart_after(i, points, y, context, problem, n_settings, chosen, &o);
    assert_ok(gannet_optimizer_ask(o, 1, &id, x));
    gannet_random_normal((gannet_stream){3, GANNET_FOR_TEST, 0, 0}, (uint64_t)i, 1, &error);
    y[i] = objective(x) + noise * error;
    const gannet_result result = {.id = id, .objective = y[i]};
    assert_ok(gannet_optimizer_tell(o, 1, &result));
  }
  gannet_optimizer_destroy(&o);
  gannet_problem_destroy(&problem);
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  gannet_context_destroy(&context);
  return count;
}

static int contradictions(const char *second_by_x, int n, double noise,
                          const gannet_method_setting *chosen, int n_settings) {
  return contradictions_with(second_by_x, n, n, noise, chosen, n_settings);
}

static void wrong_equations_are_told_once(void **state) {
  (void)state;
  assert_int_equal(contradictions("2", 18, 0, settings, 4), 1);
  assert_int_equal(contradictions("-8", 18, 0.1, settings, 4), 1);
  assert_int_equal(contradictions("2", 16, 0, by_default, 1), 1);
}

static void restarts_do_not_repeat_it(void **state) {
  (void)state;
  assert_int_equal(contradictions_with("2", 25, 6, 0, settings, 4), 1);
}

static void right_equations_are_not_told_of(void **state) {
  (void)state;
  assert_int_equal(contradictions("-2", 18, 0, settings, 4), 0);
  assert_int_equal(contradictions("-2", 18, 0.5, settings, 4), 0);
  assert_int_equal(contradictions("-2", 10, 0, by_default, 1), 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_make_few_evaluations_enough),
      cmocka_unit_test(a_restart_continues_exactly),
      cmocka_unit_test(the_default_uses_equations),
      cmocka_unit_test(a_member_joins_only_the_default_and_for_equations),
      cmocka_unit_test(what_cannot_use_equations_is_refused),
      cmocka_unit_test(wrong_equations_are_told_once),
      cmocka_unit_test(restarts_do_not_repeat_it),
      cmocka_unit_test(right_equations_are_not_told_of),
  };
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
