/* test: ranks 2 3 labels unit timeout 300 */
/* Conditional variables: no method moves along what is inactive, and ranks together have the points
 * of one. */
#include <string.h>

#include "optimizer/fixture.h"
#include "optimizer/optimizer.h"
#include "problem/conditional.h"
#include "problem/variable_constraints.h"
#include "search/distinct.h"

enum { N = 6, INITIAL = 6, BATCHES = 3, Q = 2, POINTS = INITIAL + BATCHES * Q };

static const char *const solvers[] = {"cg", "gmres", "sor"};

static const gannet_variable variables[N] = {
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
    {.name = "restart",
     .type = GANNET_VARIABLE_INTEGER,
     .lower = 5,
     .upper = 200,
     .when = "solver == 'gmres'"},
    {.name = "omega", .lower = 0.1, .upper = 1.9, .when = "solver == 'sor'"},
    {.name = "damping", .lower = 0, .upper = 1, .when = "omega > 1"},
    {.name = "smooth", .type = GANNET_VARIABLE_BOOLEAN, .when = "not solver == 'cg'"},
    {.name = "tol", .lower = 1e-6, .upper = 1e-2, .scale = GANNET_SCALE_LOG},
};
enum { SOLVER, RESTART, OMEGA, DAMPING, SMOOTH, TOL };

static double objective(const double *x) {
  const double tol = log10(x[TOL]) + 4;
  const double branch[] = {1, 0.5 + fabs(x[RESTART] - 60) / 200,
                           (x[OMEGA] - 1.3) * (x[OMEGA] - 1.3) + 0.3 * (x[DAMPING] - 0.2)};
  return branch[(int)x[SOLVER]] + 0.1 * tol * tol - (x[SMOOTH] != 0 ? 0.05 : 0);
}

static fixture begin(MPI_Comm comm, const char *method, bool constrained) {
  const gannet_problem_spec spec = {.n_variables = N, .variables = variables, .noise_sd = 0};
  gannet_method_setting settings[4] = {
      {"method", method}, {"initial", "6"}, {"search.candidates", "1000"}};
  const char *const texts[] = {"restart <= 90", "omega + 100*tol <= 1.6"};
  fixture f = {0};
  assert_ok(gannet_context_create(comm, 4, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  if (constrained) assert_ok(gannet_problem_set_variable_constraints(f.problem, 2, texts));
  assert_ok(gannet_optimizer_create(f.context, f.problem, with_small_network(settings, 3), settings,
                                    &f.optimizer));
  return f;
}

static void ask_and_tell(fixture *f, int q, double *x) {
  int64_t id[INITIAL];
  assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x));
  for (int i = 0; i < q; ++i) {
    const gannet_result result = {.id = id[i], .objective = objective(x + (ptrdiff_t)i * N)};
    assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
}

/* x: [POINTS][N] */
static void run(MPI_Comm comm, const char *method, bool constrained, double *x) {
  fixture f = begin(comm, method, constrained);
  ask_and_tell(&f, INITIAL, x);
  for (int b = 0; b < BATCHES; ++b) ask_and_tell(&f, Q, x + (ptrdiff_t)(INITIAL + b * Q) * N);
  for (int i = 0; i < POINTS; ++i) {
    const double *at = x + (ptrdiff_t)i * N;
    for (int v = 0; v < N; ++v)
      if (!gannet_problem_is_active(f.problem, v, at))
        assert_true(at[v] == gannet_variable_resting(&variables[v]));
    assert_true(gannet_problem_allows_values(f.problem, at));
    for (int j = 0; j < i; ++j) assert_true(memcmp(at, x + (ptrdiff_t)j * N, N * sizeof *at) != 0);
  }
  drop(&f);
}

static void check_method(const char *method) {
  double together[POINTS * N], alone[POINTS * N];
  for (int constrained = 0; constrained < 2; ++constrained) {
    run(MPI_COMM_WORLD, method, constrained, together);
    run(MPI_COMM_SELF, method, constrained, alone);
    if (memcmp(together, alone, sizeof alone) != 0)
      fail_msg("%s: ranks together propose other points than one", method);
  }
}

static void no_method_moves_what_is_inactive(void **state) {
  (void)state;
  static const char *const methods[] = {"gp-ei",  "gp-ts",     "neural-bo", "turbo-1", "scbo",
                                        "go-ucb", "forest-ei", "quadratic", "sobol",   "random"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) check_method(methods[i]);
}

/* Results of designs that differ in inactive values are learnt from alike. */
static void inactive_values_are_not_learnt(void **state) {
  (void)state;
  double x[2][Q * N];
  for (int k = 0; k < 2; ++k) {
    fixture f = begin(MPI_COMM_WORLD, "gp-ei", false);
    for (int i = 0; i < 12; ++i) {
      double own[N] = {i % 3, 5 + 10 * i, 0.2 + 0.1 * i, 0.05 * i, i % 2, 1e-6 * pow(2, i)};
      const gannet_result result = {.objective = objective(own)};
      const bool *active = gannet_conditional_find_active(f.problem, own);
      for (int v = 0; v < N; ++v)
        if (k == 1 && !active[v]) own[v] = v == RESTART ? NAN : 0.01 * i;
      assert_ok(gannet_optimizer_tell_point(f.optimizer, own, &result, NULL));
    }
    ask_and_tell(&f, Q, x[k]);
    drop(&f);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

/* The branches of the first design are even, though two of them have many points and one has few.
 */
static void a_first_design_has_all_branches(void **state) {
  (void)state;
  double x[30 * N];
  int64_t id[30];
  int count[3] = {0};
  fixture f = begin(MPI_COMM_WORLD, "gp-ei", false);
  assert_ok(gannet_optimizer_ask(f.optimizer, 30, id, x));
  for (int i = 0; i < 30; ++i) count[(int)x[i * N + SOLVER]] += 1;
  for (int s = 0; s < 3; ++s) assert_true(count[s] >= 6);
  drop(&f);
}

/* A discrete problem: three branches of 4, 2 and 1 designs are all proposed, each once. */
static void branches_are_used_up(void **state) {
  (void)state;
  static const gannet_variable few[] = {
      {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 3, .values = solvers},
      {.name = "k",
       .type = GANNET_VARIABLE_INTEGER,
       .lower = 1,
       .upper = 4,
       .when = "solver == 'cg'"},
      {.name = "fast", .type = GANNET_VARIABLE_BOOLEAN, .when = "solver == 'gmres'"}};
  const gannet_problem_spec spec = {.n_variables = 3, .variables = few, .noise_sd = 0};
  const gannet_method_setting settings[] = {{"method", "gp-ei"}, {"initial", "3"}};
  fixture f = {0};
  double x[7][3];
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 4, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  for (int i = 0; i < 7; ++i) {
    int64_t id;
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x[i]));
    const gannet_result result = {.id = id, .objective = x[i][0] + 0.1 * x[i][1]};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
    for (int j = 0; j < i; ++j) assert_true(memcmp(x[i], x[j], sizeof x[i]) != 0);
  }
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_method_moves_what_is_inactive),
      cmocka_unit_test(inactive_values_are_not_learnt),
      cmocka_unit_test(a_first_design_has_all_branches),
      cmocka_unit_test(branches_are_used_up),
  };
  (void)MPI_Init(NULL, NULL);
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
