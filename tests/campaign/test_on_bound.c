/* test: ranks 1 2 3 labels unit timeout 120 */
/* Bounds that the best design lies on, and what the models expect beyond them. */
#include <math.h>
#include <mpi.h>

#include "support/harness.h"

#include "base/memory.h"
#include "campaign/example.h"
#include "campaign/tables/on_bound.h"
#include "problem/problem.h"

#define REST "budget: {evaluations: 10}\nevaluate: {backend: manual}\n"

/* A campaign whose optimiser is told the same results. */
typedef struct {
  gannet_campaign campaign;
  gannet_complaints complaints;
} course;

static void begin(course *c, const char *text) {
  const gannet_method_setting settings[] = {{"method", "gp-ei"}, {"initial", "4"}};
  memset(c, 0, sizeof *c);
  assert_ok(parse_text(text, &c->campaign.input, &c->complaints));
  const gannet_problem *problem = c->campaign.input->problem;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &c->campaign.context));
  assert_ok(gannet_history_create(problem, &c->campaign.history));
  assert_ok(
      gannet_optimizer_create(c->campaign.context, problem, 2, settings, &c->campaign.optimizer));
}

static void tell(course *c, const double *x, double objective, double constraint) {
  const int64_t id = gannet_history_count(c->campaign.history);
  const gannet_result result = {.objective = objective, .constraints = &constraint};
  const gannet_result_record record = {
      .id = id, .status = GANNET_EVAL_DONE, .objective = objective, .constraints = &constraint};
  assert_ok(gannet_history_propose(c->campaign.history, x, 0, GANNET_ORIGIN_METHOD, NULL));
  assert_ok(gannet_history_tell(c->campaign.history, &record));
  assert_ok(gannet_optimizer_tell_point(c->campaign.optimizer, x, &result, NULL));
}

static void end(course *c) {
  gannet_history_destroy(&c->campaign.history);
  gannet_optimizer_destroy(&c->campaign.optimizer);
  gannet_campaign_destroy(&c->campaign.input);
  gannet_context_destroy(&c->campaign.context);
  gannet_complaints_release(&c->complaints);
}

/* The lines about the best design, one after the other. */
static void assert_lines(const course *c, bool guess, const char *expected) {
  gannet_on_bound *list = NULL;
  int n = 0;
  char text[4000] = "", line[GANNET_ON_BOUND_SIZE];
  size_t used = 0;
  assert_ok(gannet_on_bounds_find(c->campaign.history, &list, &n));
  if (guess) gannet_on_bounds_guess(&c->campaign, n, list);
  for (int i = 0; gannet_on_bounds_line(c->campaign.input->problem, n, list, i, line); ++i)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s\n", line);
  assert_string_equal(text, expected);
  gannet_free(&list);
}

/* Values of every type, of a problem in which each is told of or not. */
static const char types[] =
    "variables:\n"
    "  chord: {lower: 0.5, upper: 2, unit: m}\n"
    "  rate: {lower: 1e-6, upper: 1e-2, scale: log}\n"
    "  span: {lower: 1, upper: 12.3, step: 0.5}\n"
    "  fins: {type: integer, lower: 1, upper: 8}\n"
    "  pair: {type: integer, lower: 0, upper: 1}\n"
    "  cells: {values: [16, 32, 64, 128], scale: log}\n"
    "  mesh: {type: ordinal, values: [coarse, medium, fine]}\n"
    "  solver: {type: categorical, values: [cg, gmres]}\n"
    "  vent: {type: boolean}\n"
    "  rho: {fixed: 1.2}\n"
    "  area: {expression: \"chord*span\"}\n" REST;

static void numbers_on_their_first_or_last_value_are_found(void **state) {
  const double low[] = {0.5, 1e-6, 1, 1, 0, 16, 0, 0, 0, 1.2, 0.5};
  const double high[] = {2, 1e-2, 12, 8, 1, 128, 2, 1, 1, 1.2, 24};
  const double inside[] = {0.502, 1.02e-6, 1.5, 2, 1, 32, 1, 1, 1, 1.2, 0.753};
  const double near[] = {1.9986, 9.99e-3, 11.5, 7, 1, 64, 1, 1, 1, 1.2, 22.9839};
  course c;
  (void)state;
  begin(&c, types);
  assert_lines(&c, true, ""); /* no design */
  tell(&c, inside, 9, 0);
  assert_lines(&c, true, "");
  tell(&c, low, 8, 0);
  assert_lines(&c, true, /* too few results for a model */
               "chord lies on its lower bound 0.5 m\n"
               "rate lies on its lower bound 1e-06\n"
               "span lies on its lower bound 1\n"
               "fins lies on its lower bound 1\n"
               "cells lies on its lower bound 16\n");
  tell(&c, high, 7, 0);
  assert_lines(&c, true,
               "chord lies on its upper bound 2 m\n"
               "rate lies on its upper bound 0.01\n"
               "span lies on its upper bound 12\n"
               "fins lies on its upper bound 8\n"
               "cells lies on its upper bound 128\n");
  tell(&c, near, 6, 0); /* within a thousandth of the encoded range */
  assert_lines(&c, false,
               "chord lies on its upper bound 2 m\n"
               "rate lies on its upper bound 0.01\n");
  end(&c);
}

static void a_model_is_asked_beyond_in_the_scale_of_a_variable(void **state) {
  const double x[] = {2, 1e-2, 12, 8, 1, 128, 1, 1, 1, 1.2, 24};
  const double lower[] = {0.5, 1e-6, 1, 1, 1, 16, 1, 1, 1, 1.2, 0.5};
  const double above[] = {2.15, 1e-2 * pow(1e4, 0.1), 13, 9, 256};
  const double below[] = {0.35, 1e-6 * pow(1e4, -0.1), 0, 0, 8};
  gannet_on_bound *list = NULL;
  int n = 0;
  course c;
  (void)state;
  begin(&c, types);
  tell(&c, x, 9, 0);
  assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
  assert_int_equal(n, 5);
  for (int i = 0; i < n; ++i) assert_near(list[i].beyond, above[i], 1e-12);
  gannet_free(&list);
  tell(&c, lower, 8, 0);
  assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
  assert_int_equal(n, 5);
  for (int i = 0; i < n; ++i) assert_near(list[i].beyond, below[i], 1e-12);
  gannet_free(&list);
  end(&c);
}

/* A logarithmic scale has nothing at or below zero. */
static void a_scale_may_end_before_the_next_value(void **state) {
  const double x = 1;
  gannet_on_bound *list = NULL;
  int n = 0;
  course c;
  (void)state;
  begin(&c, "variables: {fins: {type: integer, lower: 1, upper: 8, scale: log}}\n" REST);
  tell(&c, &x, 9, 0);
  assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
  assert_int_equal(n, 1);
  assert_true(isnan(list[0].beyond));
  gannet_on_bounds_guess(&c.campaign, n, list);
  gannet_free(&list);
  end(&c);
}

/* A plane that falls along a and rises along b, on a grid: exact, and so is the guess. */
static void tell_plane(course *c, double sign, double constraint_slope) {
  for (int i = 0; i < 5; ++i)
    for (int k = 0; k < 5; ++k) {
      const double x[] = {0.25 * i, 1 + 0.25 * k};
      tell(c, x, sign * (4 - x[0] + 2 * x[1]), constraint_slope * x[0]);
    }
}

static void a_slope_is_expected_to_go_on(void **state) {
  static const char *const goals[] = {"minimize", "maximize"};
  char text[600];
  (void)state;
  for (int k = 0; k < 2; ++k) {
    const double sign = k ? -1 : 1;
    gannet_on_bound *list = NULL;
    int n = 0;
    course c;
    (void)snprintf(text, sizeof text,
                   "goal: %s\nobjective: {name: drag, unit: N}\n"
                   "variables: {a: {lower: 0, upper: 1}, b: {lower: 1, upper: 2, unit: m}}\n" REST,
                   goals[k]);
    begin(&c, text);
    tell_plane(&c, sign, 0);
    assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
    gannet_on_bounds_guess(&c.campaign, n, list);
    assert_int_equal(n, 2);
    assert_true(list[0].is_upper && !list[1].is_upper);
    for (int i = 0; i < n; ++i) {
      assert_near(list[i].now, sign * 5, 0.01);
      assert_near(list[i].mean, sign * (i == 0 ? 4.9 : 4.8), 0.03);
      assert_true(list[i].sd >= 0 && list[i].sd < 0.1);
    }
    list[1].mean = 4.8, list[1].sd = 0.05, list[1].now = 5;
    assert_true(gannet_on_bounds_line(c.campaign.input->problem, n, list, 1, text));
    assert_string_equal(text,
                        "b lies on its lower bound 1 m; the model expects 4.8 +- 0.05 N at 0.9 m "
                        "(on the bound: 5 N)");
    list[1].feasible = 0.7;
    assert_true(gannet_on_bounds_line(c.campaign.input->problem, n, list, 1, text));
    assert_string_equal(text,
                        "b lies on its lower bound 1 m; the model expects 4.8 +- 0.05 N at 0.9 m "
                        "(on the bound: 5 N), feasible with probability 0.70");
    gannet_free(&list);
    end(&c);
  }
}

/* Beyond its bound a would be better, and violates the constraint. */
static void a_design_that_would_be_infeasible_is_no_guess(void **state) {
  const char *const file =
      "variables: {a: {lower: 0, upper: 1}, b: {lower: 1, upper: 2}}\n"
      "constraints: {heat: {upper: 1}}\n" REST;
  gannet_on_bound *list = NULL;
  int n = 0;
  course c;
  (void)state;
  begin(&c, file);
  tell_plane(&c, 1, 1);
  assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
  gannet_on_bounds_guess(&c.campaign, n, list);
  assert_int_equal(n, 2);
  assert_true(isnan(list[0].mean));
  gannet_free(&list);
  end(&c);
}

static void a_variable_constraint_ends_the_guess(void **state) {
  const char *const file =
      "variables: {a: {lower: 0, upper: 1}, b: {lower: 1, upper: 2}}\n"
      "variable_constraints: [\"a <= 1.05\"]\n" REST;
  gannet_on_bound *list = NULL;
  int n = 0;
  course c;
  (void)state;
  begin(&c, file);
  tell_plane(&c, 1, 0);
  assert_ok(gannet_on_bounds_find(c.campaign.history, &list, &n));
  gannet_on_bounds_guess(&c.campaign, n, list);
  assert_int_equal(n, 2);
  assert_true(isnan(list[0].mean));
  assert_near(list[1].mean, 4.8, 0.03);
  gannet_free(&list);
  end(&c);
}

static void of_many_variables_the_first_are_named(void **state) {
  char text[1200] = "variables:\n";
  double x[11];
  course c;
  (void)state;
  for (int i = 0; i < 11; ++i) {
    const size_t used = strlen(text);
    (void)snprintf(text + used, sizeof text - used, "  x%d: {lower: 0, upper: 1}\n", i);
    x[i] = 0;
  }
  (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s", REST);
  begin(&c, text);
  x[0] = 0.5;
  tell(&c, x, 1, 0);
  assert_lines(&c, false,
               "x1 lies on its lower bound 0\nx2 lies on its lower bound 0\n"
               "x3 lies on its lower bound 0\nx4 lies on its lower bound 0\n"
               "x5 lies on its lower bound 0\nx6 lies on its lower bound 0\n"
               "x7 lies on its lower bound 0\nx8 lies on its lower bound 0\n"
               "2 more variables of the best design lie on a bound\n");
  end(&c);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_on_their_first_or_last_value_are_found),
      cmocka_unit_test(a_model_is_asked_beyond_in_the_scale_of_a_variable),
      cmocka_unit_test(a_scale_may_end_before_the_next_value),
      cmocka_unit_test(a_slope_is_expected_to_go_on),
      cmocka_unit_test(a_design_that_would_be_infeasible_is_no_guess),
      cmocka_unit_test(a_variable_constraint_ends_the_guess),
      cmocka_unit_test(of_many_variables_the_first_are_named),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
