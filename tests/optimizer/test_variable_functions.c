/* test: ranks 1 2 3 labels unit timeout 240 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"
#include "problem/variable_constraints.h"

enum { D = 3, Q = 4 };

static const gannet_variable variables[D] = {
    {.name = "x", .lower = 0, .upper = 2},
    {.name = "y", .lower = 0, .upper = 2},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
};
static const gannet_problem_spec spec = {.n_variables = D, .variables = variables};

typedef struct {
  double width;
  int outside; /* calls with a point that is not one of the box */
} ring;

/* A ring whose radius is 0.5 n. */
static double slack_of_ring(void *user, const double *x) {
  ring *r = user;
  r->outside += x[0] < 0 || x[0] > 2 || x[1] < 0 || x[1] > 2 || x[2] != rint(x[2]);
  return r->width - fabs(hypot(x[0], x[1]) - 0.5 * x[2]);
}

static double slack_below_line(void *user, const double *x) {
  return x[0] > 1.9 ? NAN : *(const double *)user - x[0] - x[1];
}

static gannet_err create(fixture *f, const char *method, const gannet_variable_function *functions,
                         int n) {
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "4"}};
  const char *const text = "x < y";
  *f = (fixture){NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  assert_ok(gannet_problem_set_variable_functions(f->problem, n, functions));
  assert_ok(gannet_problem_set_variable_constraints(f->problem, 1, &text));
  return gannet_optimizer_create(f->context, f->problem, 2, settings, &f->optimizer);
}

static void no_proposal_violates_a_function(void **state) {
  static const char *const methods[] = {"auto", "gp-ei", "sobol", "scbo", "random", "quadratic"};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    ring r = {.width = 0.02};
    double most = 2.5;
    const gannet_variable_function functions[] = {{"ring", slack_of_ring, &r},
                                                  {"line", slack_below_line, &most}};
    fixture f;
    assert_ok(create(&f, methods[m], functions, 2));
    for (int round = 0; round < 4; ++round) {
      int64_t id[Q];
      double x[Q][D];
      gannet_result results[Q];
      assert_ok(gannet_optimizer_ask(f.optimizer, Q, id, x[0]));
      for (int i = 0; i < Q; ++i) {
        assert_true(slack_of_ring(&r, x[i]) >= 0 && slack_below_line(&most, x[i]) >= 0);
        assert_true(x[i][0] < x[i][1]);
        results[i] = (gannet_result){.id = id[i], .objective = x[i][0] - x[i][1] * x[i][2]};
      }
      assert_ok(gannet_optimizer_tell(f.optimizer, Q, results));
    }
    assert_int_equal(r.outside, 0);
    drop(&f);
  }
}

/* A function is treated as the same relation written as a text. */
static void a_function_is_like_a_curved_inequality(void **state) {
  (void)state;
  gannet_problem *problem = NULL;
  ring r = {.width = 0.1};
  const gannet_variable_function function = {"ring", slack_of_ring, &r};
  const char *const text = "abs(sqrt(x*x + y*y) - 0.5*n) <= 0.1";
  double members[2][D], x[D] = {1.5, 1.5, 1};
  for (int kind = 0; kind < 2; ++kind) {
    assert_ok(gannet_problem_create(&spec, &problem));
    if (kind == 0) assert_ok(gannet_problem_set_variable_functions(problem, 1, &function));
    if (kind == 1) assert_ok(gannet_problem_set_variable_constraints(problem, 1, &text));
    assert_int_equal(gannet_allowed_count_rows(problem), 1);
    assert_false(gannet_problem_allows_values(problem, x));
    memcpy(members[kind], problem->variable_constraints->member, sizeof members[kind]);
    gannet_problem_destroy(&problem);
  }
  for (int k = 0; k < D; ++k) assert_true(fabs(members[0][k] - members[1][k]) < 1e-6);
}

static void what_cannot_be_is_told(void **state) {
  (void)state;
  gannet_problem *problem = NULL;
  ring r = {.width = 0.1};
  double most = 2.5;
  double never = -1;
  const gannet_variable_function good = {"ring", slack_of_ring, &r},
                                 empty = {"line", slack_below_line, &never},
                                 functions[] = {good, {"line", slack_below_line, &most}};
  const double x[D] = {1, 2, 1};
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_problem_set_variable_functions(problem, 1, &good));
  assert_fails(GANNET_ERR_INPUT, "'line': its slack is -",
               gannet_problem_set_variable_functions(problem, 1, &empty));
  assert_fails(GANNET_ERR_INPUT, "'ring': its slack is -",
               gannet_problem_check_allowed(problem, x)); /* the first one stays */
  assert_ok(gannet_problem_set_variable_functions(problem, 0, NULL));
  assert_null(problem->variable_constraints);
  assert_ok(gannet_problem_set_variable_functions(problem, 2, functions));
  gannet_problem_destroy(&problem);

  fixture f, g;
  assert_ok(create(&f, "sobol", functions, 2));
  assert_fails(GANNET_ERR_STATE, "while an optimiser works",
               gannet_problem_set_variable_functions(f.problem, 1, &good));
  assert_ok(gannet_optimizer_save(f.optimizer, in_folder("functions.h5")));
  assert_ok(create(&g, "sobol", functions, 2));
  assert_ok(gannet_optimizer_load(g.optimizer, in_folder("functions.h5")));
  drop(&g);
  assert_ok(create(&g, "sobol", functions, 1));
  assert_fails(GANNET_ERR_INPUT, "2 of its variable constraints are functions",
               gannet_optimizer_load(g.optimizer, in_folder("functions.h5")));
  drop(&g);
  drop(&f);
}

/* Otherwise ranks would go different ways. */
static void functions_are_the_same_on_all_ranks(void **state) {
  (void)state;
  fixture f;
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double most = rank_of_this() == 0 ? 2.5 : 2.75;
  const gannet_variable_function function = {"line", slack_below_line, &most};
  if (size == 1) return;
  assert_int_equal(create(&f, "sobol", &function, 1), GANNET_ERR_RANKS);
  assert_non_null(strstr(gannet_error_message(), "functions of the problem"));
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_proposal_violates_a_function),
      cmocka_unit_test(a_function_is_like_a_curved_inequality),
      cmocka_unit_test(what_cannot_be_is_told),
      cmocka_unit_test(functions_are_the_same_on_all_ranks),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
