/* test: ranks 1 2 3 labels unit timeout 300 */
/* Proposals that weigh gain by cost. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"
#include "optimizer/propose/moments_score.h"
#include "problem/cost.h"

static const gannet_variable plane[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = -1, .upper = 1},
};
static const gannet_constraint bounds[] = {{"heat", -INFINITY, 0.1}};

enum { BATCH = 2 };

static const double log_cost_by_x = 2; /* a cost of exp(2 x + 0.5): it varies by a factor of 55 */

/* What results tell of the cost. */
typedef enum { EXACT, NOTHING, ZERO, NEGATIVE, EQUAL, SOME, BY_TIME } telling;

static fixture make_with(MPI_Comm comm, int n, const gannet_method_setting *settings, int k) {
  const gannet_problem_spec spec = {
      .n_variables = 2, .variables = plane, .n_constraints = k, .constraints = bounds};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(comm, 7, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, n, settings, &f.optimizer));
  return f;
}

/* An optimiser that weighs by the quantity "hours", or does not. */
static fixture make(MPI_Comm comm, const char *method, bool weigh, int k) {
  const gannet_method_setting settings[] = {{"method", method},
                                            {"initial", "4"},
                                            {"search.candidates", "2000"},
                                            {"cost.from", "hours"},
                                            {"cost.weigh", weigh ? "yes" : "no"},
                                            {"budget.evaluations", "24"}};
  return make_with(comm, 6, settings, k);
}

static double objective_at(const double *x) {
  return x[0] * x[0] + x[1] * x[1] + sin(9 * x[0] + 1) * cos(8 * x[1]);
}

static double cost_at(const double *x) {
  return exp(log_cost_by_x * x[0] + 0.5);
}

static void tell(fixture *f, int n, const int64_t *id, double (*x)[2], telling how) {
  for (int i = 0; i < n; ++i) {
    const double heat = 0.6 - x[i][0] * x[i][0] - x[i][1];
    gannet_quantity hours = {.name = how == BY_TIME ? "time" : "hours", .value = cost_at(x[i])};
    if (how == ZERO) hours.value = 0;
    if (how == NEGATIVE) hours.value = -3;
    if (how == EQUAL) hours.value = 3;
    const bool is_told = how != NOTHING && !(how == SOME && id[i] % 3 == 0);
    const gannet_result result = {.id = id[i],
                                  .objective = objective_at(x[i]),
                                  .constraints = &heat,
                                  .n_quantities = is_told,
                                  .quantities = &hours};
    assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
}

static void go_on(fixture *f, int rounds, telling how) {
  int64_t id[BATCH];
  double x[BATCH][2];
  for (int round = 0; round < rounds; ++round) {
    assert_ok(gannet_optimizer_ask(f->optimizer, BATCH, id, x[0]));
    tell(f, BATCH, id, x, how);
  }
}

static bool ask_alike(fixture *a, fixture *b) {
  int64_t id[BATCH];
  double x[BATCH][2], y[BATCH][2];
  assert_ok(gannet_optimizer_ask(a->optimizer, BATCH, id, x[0]));
  assert_ok(gannet_optimizer_ask(b->optimizer, BATCH, id, y[0]));
  return memcmp(x, y, sizeof x) == 0;
}

static void assert_same_histories(const fixture *a, const fixture *b) {
  assert_true(gannet_history_digest(a->optimizer->history) ==
              gannet_history_digest(b->optimizer->history));
}

/* Models as an ask has them, without an ask. */
static void prepare(fixture *f) {
  gannet_member *member = &f->optimizer->member[0];
  assert_ok(gannet_cost_model_prepare(f->optimizer->cost, f->optimizer->batch));
  assert_ok(gannet_member_prepare(member, f->optimizer->batch));
  assert_ok(gannet_models_fit(member->models));
}

/* The score of a point is log EI minus a log c, that of plain EI is EI / c^a. */
static void gains_are_divided_by_costs(void **state) {
  static const char *const acquisitions[] = {"log-ei", "ei", "pi", "log-aei"};
  static const double points[][2] = {{0.5, 0.5}, {0.9, 0.5}, {0.2, 0.7}, {0.75, 0.1}};
  (void)state;
  for (int k = 0; k < 4; ++k) {
    const gannet_method_setting settings[] = {{"method", "gp-ei"},
                                              {"acquisition.type", acquisitions[k]},
                                              {"initial", "4"},
                                              {"search.candidates", "500"},
                                              {"cost.from", "hours"},
                                              {"cost.weigh", "yes"},
                                              {"budget.evaluations", "24"}};
    fixture f = make_with(MPI_COMM_WORLD, 7, settings, 0);
    gannet_moments_score score;
    double weighed[4], plain[4], logs[4], at[2], value, gradient[2];
    go_on(&f, 7, EXACT);
    prepare(&f);
    const double a = gannet_cost_model_exponent(f.optimizer->cost);
    assert_near(a, (24.0 - 14) / (24 - 4), 1e-15);
    assert_ok(gannet_cost_model_log_weights(f.optimizer->cost, 4, points[0], logs));
    /* a unit of the cube is two of x */
    assert_near(logs[1] - logs[0], a * log_cost_by_x * 2 * 0.4, 0.08);
    assert_near(logs[2] - logs[0], a * log_cost_by_x * 2 * -0.3, 0.08);
    gannet_member *member = &f.optimizer->member[0];
    assert_ok(gannet_moments_score_prepare(member, &score));
    assert_ok(gannet_moments_score_begin_point(&score, member, NULL, 0));
    assert_ok(gannet_moments_score_points(&score, 4, points[0], 0, weighed, 4));
    for (int p = 0; p < 4; ++p) {
      memcpy(at, points[p], sizeof at);
      assert_ok(gannet_moments_score_merit(&score, 0, at, &value, gradient));
      assert_near(value, -weighed[p], 1e-9 * (1 + fabs(value)));
      assert_slopes(gannet_moments_score_merit, &score, 2, at, 1e-6, value, gradient);
    }
    score.cost = NULL;
    assert_ok(gannet_moments_score_points(&score, 4, points[0], 0, plain, 4));
    for (int p = 0; p < 4; ++p) {
      const bool is_log = strcmp(acquisitions[k], "ei") != 0;
      const double expected = is_log ? plain[p] - logs[p] : plain[p] * exp(-logs[p]);
      assert_near(weighed[p], expected, 1e-12 * (1 + fabs(expected)));
    }
    gannet_moments_score_release(&score);
    drop(&f);
  }
}

/* The exponent is what is left of the limit that is nearer, over what there was after the first
 * design. */
static void weighing_cools_with_the_budget(void **state) {
  static const struct {
    const char *evaluations, *cost;
  } limits[] = {{"auto", "auto"}, {"20", "auto"}, {"auto", "60"},
                {"20", "60"},     {"10", "1e9"},  {"4", "auto"}};
  (void)state;
  for (size_t k = 0; k < sizeof limits / sizeof *limits; ++k) {
    const gannet_method_setting settings[] = {{"method", "gp-ei"},
                                              {"initial", "4"},
                                              {"search.candidates", "500"},
                                              {"cost.from", "hours"},
                                              {"cost.weigh", "yes"},
                                              {"budget.evaluations", limits[k].evaluations},
                                              {"budget.cost", limits[k].cost}};
    fixture f = make_with(MPI_COMM_WORLD, 7, settings, 0);
    double design = 0, spent = 0, expected = 1;
    go_on(&f, 5, EXACT);
    prepare(&f);
    for (int64_t id = 0; id < 10; ++id) {
      const double cost = cost_at(gannet_history_x_user(f.optimizer->history, id));
      spent += cost;
      if (id < 4) design += cost;
    }
    const double evaluations = atof(limits[k].evaluations), cost = atof(limits[k].cost);
    if (evaluations > 0)
      expected = evaluations > 4 ? fmax(evaluations - 10, 0) / (evaluations - 4) : 0;
    if (cost > 0) expected = fmin(expected, fmax(cost - spent, 0) / (cost - design));
    assert_near(gannet_cost_model_exponent(f.optimizer->cost), expected, 1e-12);
    drop(&f);
  }
}

/* Bounds of scores leave out no candidate that scoring all would find, with constraints or without,
 * while nothing is feasible, and with upper bounds of variances, as long histories have. */
static void the_scan_finds_what_scoring_all_finds(void **state) {
  static const char *const acquisitions[] = {"log-ei", "ei", "mes"};
  int n_bounded = 0; /* asks in which bounds were of use */
  (void)state;
  for (int k = 0; k < 9; ++k) {
    fixture f[2];
    const bool is_long = k >= 6;
    for (int exact = 0; exact < 2; ++exact) {
      const gannet_method_setting settings[] = {{"method", "gp-ei"},
                                                {"acquisition.type", acquisitions[k % 3]},
                                                {"initial", "4"},
                                                {"search.candidates", "3000"},
                                                {"search.polish", "0"},
                                                {"search.exact", exact ? "yes" : "no"},
                                                {"refit", is_long ? "10" : "0.1"},
                                                {"cost.from", "hours"},
                                                {"cost.weigh", "yes"},
                                                {"budget.cost", "1e6"}};
      f[exact] = make_with(MPI_COMM_WORLD, 10, settings, k < 3 || is_long ? 0 : 1);
      for (int i = 0; is_long && i < 420; ++i) {
        const double x[] = {-1 + 2 * fmod(0.618034 * i, 1), -1 + 2 * fmod(0.754878 * i, 1)};
        const gannet_quantity hours = {.name = "hours", .value = cost_at(x)};
        const gannet_result result = {
            .objective = objective_at(x), .n_quantities = 1, .quantities = &hours};
        assert_ok(gannet_optimizer_tell_point(f[exact].optimizer, x, &result, NULL));
      }
      go_on(&f[exact], is_long ? 1 : 5, EXACT);
    }
    assert_same_histories(&f[0], &f[1]);
    assert_true(ask_alike(&f[0], &f[1]));
    const int64_t scored = f[0].optimizer->member[0].scored;
    n_bounded += 0 < scored && scored < 3000;
    assert_int_equal(f[1].optimizer->member[0].scored, 0);
    drop(&f[0]);
    drop(&f[1]);
  }
  assert_true(n_bounded >= 3);
}

static void any_number_of_ranks_proposes_alike(void **state) {
  static const char *const methods[] = {"gp-ei", "auto", "gp-kg"};
  (void)state;
  for (int k = 0; k < 6; ++k) {
    fixture all = make(MPI_COMM_WORLD, methods[k % 3], true, k / 3);
    fixture alone = make(MPI_COMM_SELF, methods[k % 3], true, k / 3);
    go_on(&all, 5, SOME);
    go_on(&alone, 5, SOME);
    assert_same_histories(&all, &alone);
    drop(&all);
    drop(&alone);
  }
}

/* What cannot be weighed changes nothing, and weighing changes something. */
static void without_costs_nothing_changes(void **state) {
  static const telling tellings[] = {NOTHING, ZERO, NEGATIVE, EQUAL, EXACT};
  (void)state;
  for (int k = 0; k < 5; ++k) {
    fixture weighing = make(MPI_COMM_WORLD, "gp-ei", true, 0);
    fixture plain = make(MPI_COMM_WORLD, "gp-ei", false, 0);
    go_on(&weighing, 4, tellings[k]);
    go_on(&plain, 4, tellings[k]);
    assert_true(ask_alike(&weighing, &plain) == (tellings[k] != EXACT));
    assert_true((gannet_cost_model_exponent(weighing.optimizer->cost) > 0) ==
                (tellings[k] == EXACT));
    assert_null(plain.optimizer->cost);
    drop(&weighing);
    drop(&plain);
  }
}

/* Weighed, the course is cheaper than not. */
static void a_weighed_course_is_cheaper(void **state) {
  double spent[2];
  (void)state;
  for (int weigh = 0; weigh < 2; ++weigh) {
    fixture f = make(MPI_COMM_WORLD, "gp-ei", weigh, 0);
    go_on(&f, 8, EXACT);
    spent[weigh] = gannet_cost_spent(f.optimizer->history, "hours");
    drop(&f);
  }
  assert_true(spent[1] < spent[0]);
}

/* Where nobody has measured run times, a quantity of the name counts. */
static void a_caller_may_tell_the_time(void **state) {
  const gannet_method_setting settings[] = {
      {"method", "gp-ei"}, {"initial", "4"}, {"search.candidates", "500"}, {"cost.weigh", "yes"}};
  (void)state;
  fixture f = make_with(MPI_COMM_WORLD, 4, settings, 0);
  go_on(&f, 4, BY_TIME);
  assert_true(gannet_cost_spent(f.optimizer->history, "time") > 0);
  prepare(&f);
  assert_near(gannet_cost_model_exponent(f.optimizer->cost), 1, 0);
  drop(&f);
}

/* A fit that fails leaves points to their gain, until one works. */
static void a_model_that_fails_is_done_without(void **state) {
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "gp-ei", true, 0);
  go_on(&f, 4, EXACT);
  assert_int_equal(GANNET_RAISE(GANNET_ERR_NUMERIC, "no factor"), GANNET_ERR_NUMERIC);
  assert_ok(gannet_cost_model_give_up(f.optimizer->cost));
  assert_string_equal(gannet_error_message(), "");
  go_on(&f, 1, EXACT);
  assert_true(gannet_cost_model_exponent(f.optimizer->cost) > 0);
  drop(&f);
}

static void a_saved_optimiser_goes_on_alike(void **state) {
  static const char *const methods[] = {"gp-ei", "auto"};
  char path[4096];
  (void)state;
  for (int k = 0; k < 2; ++k) {
    (void)snprintf(path, sizeof path, "%s/costs-%d.h5", folder, k);
    fixture whole = make(MPI_COMM_WORLD, methods[k], true, 1),
            other = make(MPI_COMM_WORLD, methods[k], true, 1);
    fixture plain = make(MPI_COMM_WORLD, methods[k], false, 1);
    go_on(&whole, 5, SOME);
    assert_ok(gannet_optimizer_save(whole.optimizer, path));
    assert_ok(gannet_optimizer_load(other.optimizer, path));
    go_on(&whole, 3, SOME);
    go_on(&other, 3, SOME);
    assert_same_histories(&whole, &other);
    /* whoever does not weigh is told */
    assert_int_equal(gannet_optimizer_load(plain.optimizer, path), GANNET_ERR_INPUT);
    assert_non_null(strstr(gannet_error_message(), "cost.weigh is true in the file, not set here"));
    gannet_error_clear();
    drop(&plain);
    drop(&other);
    drop(&whole);
  }
}

static void expect_refusal(int n, const gannet_method_setting *settings, const char *words) {
  const gannet_problem_spec spec = {.n_variables = 2, .variables = plane};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 7, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_int_equal(gannet_optimizer_create(f.context, f.problem, n, settings, &f.optimizer),
                   GANNET_ERR_INPUT);
  if (!strstr(gannet_error_message(), words)) fail_msg("%s", gannet_error_message());
  gannet_error_clear();
  drop(&f);
}

static void methods_without_a_gain_are_refused(void **state) {
  (void)state;
  const gannet_method_setting draws[] = {{"method", "gp-ts"}, {"cost.weigh", "yes"}};
  expect_refusal(2, draws,
                 "method 'gp-ts' cannot weigh gain by cost, as its acquisition 'thompson'");
  const gannet_method_setting none[] = {{"method", "sobol"}, {"cost.weigh", "yes"}};
  expect_refusal(2, none, "method 'sobol' cannot weigh gain by cost, as it has no measure of gain");
  const gannet_method_setting several[] = {
      {"portfolio", "[gp-ts, quadratic]"}, {"method", "portfolio"}, {"cost.weigh", "yes"}};
  expect_refusal(3, several, "no method of [gp-ts, quadratic] can weigh gain by cost");
  const gannet_method_setting name[] = {{"cost.from", "node hours"}};
  expect_refusal(1, name, "cost.from: 'node hours' is not the name of a quantity; expected time");
  const gannet_method_setting key[] = {{"cost.form", "time"}};
  expect_refusal(1, key, "did you mean 'from'");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_are_divided_by_costs),
      cmocka_unit_test(weighing_cools_with_the_budget),
      cmocka_unit_test(the_scan_finds_what_scoring_all_finds),
      cmocka_unit_test(any_number_of_ranks_proposes_alike),
      cmocka_unit_test(without_costs_nothing_changes),
      cmocka_unit_test(a_weighed_course_is_cheaper),
      cmocka_unit_test(a_caller_may_tell_the_time),
      cmocka_unit_test(a_model_that_fails_is_done_without),
      cmocka_unit_test(a_saved_optimiser_goes_on_alike),
      cmocka_unit_test(methods_without_a_gain_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
