/* test: ranks 1 2 labels unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "problem/problem.h"
#include "suite/plan.h"
#include "support/harness.h"

static const char *const good =
    "name: demo\n"
    "runs: 4\n"
    "budget: 4*D\n"
    "problems:\n"
    "  branin: {function: branin}\n"
    "  ackley: {function: ackley, dimension: [2, 5], noise: 0.1, budget: 30, batch: 3}\n"
    "methods: [random, sobol]\n";

/* Writes a file on every rank under the name of rank 0, and loads it. */
static gannet_err load(const char *text, suite_plan *plan, gannet_complaints *complaints) {
  char path[64];
  int rank = 0, pid = (int)getpid();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
  (void)snprintf(path, sizeof path, "/tmp/gannet-plan-%d.yaml", pid);
  if (rank == 0) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    (void)fputs(text, out);
    assert_int_equal(fclose(out), 0);
  }
  const gannet_err err = suite_plan_load(MPI_COMM_WORLD, path, 0, NULL, plan, complaints);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) assert_int_equal(remove(path), 0);
  return err;
}

static void a_file_becomes_problems_methods_and_runs(void **state) {
  suite_plan plan;
  gannet_complaints complaints = {0};
  (void)state;
  assert_ok(load(good, &plan, &complaints));
  assert_int_equal(plan.n_problems, 3);
  assert_string_equal(plan.problem[2].label, "ackley-5");
  assert_int_equal(plan.problem[0].budget, 8);
  assert_int_equal(plan.problem[0].batch, 1);
  assert_int_equal(plan.problem[2].budget, 30);
  assert_int_equal(plan.problem[2].batch, 3);
  assert_near(plan.problem[0].optimum, 0.39788735772973816, 1e-9);
  assert_int_equal(plan.problem[2].table[0], 8);
  assert_int_equal(plan.problem[2].table[2], 30);
  assert_int_equal(suite_plan_count(&plan), 3 * 2 * 4);
  const suite_cell cell = suite_plan_cell(&plan, 2 * 8 + 4 + 3);
  assert_int_equal(cell.problem, 2);
  assert_int_equal(cell.method, 1);
  assert_int_equal(cell.seed, 4);
  assert_int_equal(suite_plan_input(&plan, cell)->problem->d, 5);
  suite_plan_release(&plan);
}

/* Otherwise regrets would be taken from the wrong end, or from a place outside the box. */
static void the_published_minimum_is_no_other(void **state) {
  suite_plan plan;
  gannet_complaints complaints = {0};
  (void)state;
  assert_ok(
      load("budget: 8\nmethods: [random]\nproblems:\n  up: {function: branin, goal: maximize}\n"
           "  known: {function: branin, goal: maximize, optimum: 308.13}\n"
           "  part: {function: branin, variables: {x1: {lower: 0, upper: 1}, x2: {lower: 0, upper: "
           "1}}}\n",
           &plan, &complaints));
  assert_true(isnan(plan.problem[0].optimum));
  assert_near(plan.problem[1].optimum, -308.13, 0);
  assert_true(isnan(plan.problem[2].optimum));
  suite_plan_release(&plan);
}

/* Ackley's values at uniform points of its wide box lie around 21 with a small spread; noise is a
 * tenth of it, the same on all ranks. */
static void noise_is_a_share_of_the_spread(void **state) {
  suite_plan plan;
  gannet_complaints complaints = {0};
  (void)state;
  assert_ok(load(good, &plan, &complaints));
  assert_near(plan.problem[0].noise_sd, 0, 0);
  assert_true(plan.problem[1].noise_sd > 0.05 && plan.problem[1].noise_sd < 0.5);
  double least = 0, most = 0;
  MPI_Allreduce(&plan.problem[1].noise_sd, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&plan.problem[1].noise_sd, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  assert_true(least == most);
  suite_plan_release(&plan);
}

/* The fingerprint of problem 0 with method 0. */
static uint64_t key_of(const char *from, const char *to) {
  char text[2000];
  suite_plan plan;
  gannet_complaints complaints = {0};
  const char *at = strstr(good, from);
  assert_non_null(at);
  (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
  assert_ok(load(text, &plan, &complaints));
  const uint64_t key = suite_plan_key(&plan, (suite_cell){0, 0, 1});
  suite_plan_release(&plan);
  return key;
}

static void the_fingerprint_changes_with_what_is_run(void **state) {
  const uint64_t key = key_of("runs: 4", "runs: 4");
  (void)state;
  assert_true(key == key_of("runs: 4", "runs: 9"));
  assert_true(key == key_of("sobol]", "sobol, gp-ei]"));
  assert_true(key != key_of("4*D", "5*D"));
  assert_true(key != key_of("function: branin", "function: branin, noise: 0.2"));
  assert_true(key != key_of("function: branin", "function: branin, batch: 2"));
  assert_true(key != key_of("[random, sobol]", "{random: {method: sobol}}"));
}

typedef struct {
  const char *from, *to, *complaint;
} mistake;

static const mistake mistakes[] = {
    {"runs: 4", "run: 4", ":2:1: unknown key 'run'; did you mean 'runs'"},
    {"runs: 4", "runs: 0", ":2:7: runs: '0'"},
    {"budget: 4*D", "budget: 4*X", ":3:9: budget: '4*X'"},
    {"budget: 4*D", "initial: some", ":3:10: initial: 'some'"},
    {"budget: 4*D", "tables: [0]", ":3:10: tables: '0'"},
    {"budget: 4*D", "measures: [simpel]", "did you mean 'simple'"},
    {"name: demo", "name: a/b", ":1:7: 'a/b'"},
    {"sobol]", "sobbol]", ":7:19: method: "},
    {"sobol]", "random]", "methods: 'random' is there twice"},
    {"[random, sobol]", "random", "methods: expected names"},
    {"[random, sobol]", "{a: {methode: random}}", ":7:15: unknown key 'methods.a.methode'"},
    {"[random, sobol]", "{a: {method: gp-ei, surrogate: {lift: flat}}}", "surrogate.lift"},
    {"[random, sobol]", "{a: {method: random, evaluate: {}}}", "methods.a.evaluate"},
    {"[random, sobol]", "[[random]]", "methods: expected names"},
    {"methods: [random, sobol]\n", "", "methods: expected names"},
    {"function: branin", "function: brannin", ":5:22: problems.branin.function"},
    {"function: branin", "functions: branin", "did you mean 'function'"},
    {"function: branin", "function: levy", "missing key 'dimension'"},
    {"function: branin", "function: branin, dimension: 3", "'branin' has 2 variables"},
    {"function: branin", "function: branin, dimension: 2.5", "2.5 is not a whole number"},
    {"function: branin", "variables: {x: {lower: 0, upper: 1}}", "evaluate.backend"},
    {"function: branin", "variables: {x: {lower: 0}}, function: branin", "variables.x.upper"},
    {"function: branin", "evaluate: {backend: function, simulation: branin}", "variables"},
    {"function: branin", "function: branin, surrogate: gp", "problems.branin.surrogate"},
    {"  branin: {", "  a/b: {", ":5:3: 'a/b'"},
    {"dimension: [2, 5]", "dimension: [2, 2]", "problems: 'ackley-2' is there twice"},
};

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    char text[2000];
    suite_plan plan;
    gannet_complaints complaints = {0};
    const mistake *wrong = &mistakes[i];
    const char *at = strstr(good, wrong->from);
    assert_non_null(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, wrong->to,
                   at + strlen(wrong->from));
    assert_int_equal(load(text, &plan, &complaints), GANNET_ERR_INPUT);
    if (!complaints.text || !strstr(complaints.text, wrong->complaint))
      fail_msg("'%s' does not contain '%s'", complaints.text, wrong->complaint);
    suite_plan_release(&plan);
    gannet_complaints_release(&complaints);
  }
}

/* Equations reach methods that can use them, and no others. */
static void equations_are_for_those_who_take_them(void **state) {
  static const char *const text =
      "problems:\n"
      "  drop: {function: drop-wave}\n"
      "  moved: {function: drop-wave, evaluate: {settings: {shift: 0.1}}}\n"
      "  own: {function: levy, dimension: 2,\n"
      "        physics: {equations: [{terms: [{derivative: [x1, x2]}]}]}}\n"
      "methods: {gp-ei: , pinn-bo: , held: {method: neural-bo, surrogate: pinn},\n"
      "          plain: {method: auto, portfolio: [gp-noisy, quadratic]},\n"
      "          joined: {method: auto, portfolio: [gp-noisy, pinn-bo]}}\n";
  enum { PROBLEMS = 3, METHODS = 5 };
  static const bool expected[PROBLEMS][METHODS] = {
      {false, true, true, false, true}, {false}, {false, true, true, false, true}};
  suite_plan plan;
  gannet_complaints complaints = {0};
  (void)state;
  assert_ok(load(text, &plan, &complaints));
  for (int p = 0; p < PROBLEMS; ++p)
    for (int k = 0; k < METHODS; ++k)
      assert_int_equal(suite_plan_input(&plan, (suite_cell){p, k, 1})->problem->physics != NULL,
                       expected[p][k]);
  suite_plan_release(&plan);
}

static void amounts_are_numbers_or_multiples_of_the_variables(void **state) {
  int amount = 0;
  (void)state;
  assert_int_equal(suite_amount_read("300", 7, &amount), 0);
  assert_int_equal(amount, 300);
  assert_int_equal(suite_amount_read("2.5*D", 7, &amount), 0);
  assert_int_equal(amount, 18);
  assert_int_equal(suite_amount_read("20 * D", 2, &amount), 0);
  assert_int_equal(amount, 40);
  static const char *const wrong[] = {"", "D", "20D", "20*", "20*D*D", "0", "-3", "nan", "1e30"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    assert_int_equal(suite_amount_read(wrong[i], 3, &amount), -1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_becomes_problems_methods_and_runs),
      cmocka_unit_test(the_published_minimum_is_no_other),
      cmocka_unit_test(noise_is_a_share_of_the_spread),
      cmocka_unit_test(the_fingerprint_changes_with_what_is_run),
      cmocka_unit_test(mistakes_are_told_with_their_place),
      cmocka_unit_test(equations_are_for_those_who_take_them),
      cmocka_unit_test(amounts_are_numbers_or_multiples_of_the_variables),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
