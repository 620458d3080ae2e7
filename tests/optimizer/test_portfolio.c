/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "acquisition/improvement.h"
#include "optimizer/fixture.h"
#include "surrogate/models/gp/gp.h"

static const gannet_variable square[] = {
    {.name = "x", .lower = -2, .upper = 2},
    {.name = "y", .lower = -2, .upper = 2},
};

static const gannet_problem_spec spec = {.n_variables = 2, .variables = square, .noise_sd = NAN};

enum { SETTINGS_MOST = 8 };

static gannet_err make(const char *const *settings, fixture *f) {
  gannet_method_setting list[SETTINGS_MOST];
  int n = 0;
  *f = (fixture){0};
  for (; settings[2 * n]; ++n)
    list[n] = (gannet_method_setting){settings[2 * n], settings[2 * n + 1]};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  return gannet_optimizer_create(f->context, f->problem, n, list, &f->optimizer);
}

static void round_of(gannet_optimizer *optimizer, int q) {
  int64_t id[8];
  double x[16];
  gannet_result results[8] = {{0}};
  assert_ok(gannet_optimizer_ask(optimizer, q, id, x));
  for (int i = 0; i < q; ++i)
    results[i] = (gannet_result){
        .id = id[i], .objective = pow(x[2 * i] - 0.3, 2) + 10 * pow(x[2 * i + 1] + 0.7, 2)};
  assert_ok(gannet_optimizer_tell(optimizer, q, results));
}

/* The models of every member have seen all results, whoever proposed the points. */
static void members_share_batches_and_are_told_everything(void **state) {
  (void)state;
  const char *const settings[] = {
      "portfolio", "[gp-ei, neural-bo, random]", "search.candidates", "500", "initial", "4", NULL};
  fixture f;
  assert_ok(make(settings, &f));
  assert_int_equal(f.optimizer->options.n_members, 3);
  for (int round = 0; round < 4; ++round) round_of(f.optimizer, 3);
  assert_int_equal(gannet_history_count_done(f.optimizer->history), 12);
  assert_non_null(f.optimizer->member[0].models);
  assert_non_null(f.optimizer->member[1].models);
  assert_null(f.optimizer->member[2].models);
  for (int i = 0; i < 2; ++i)
    assert_true(
        gannet_surrogate_n_hyper(gannet_models_surrogate(f.optimizer->member[i].models, 0)) > 0);
  drop(&f);
}

static void points_of_different_members_differ(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio", "[gp-ei, gp-ei, gp-ts, gp-ts]", "search.candidates",
                                  "500", NULL};
  fixture f;
  assert_ok(make(settings, &f));
  for (int round = 0; round < 3; ++round) round_of(f.optimizer, 8);
  const gannet_history *h = f.optimizer->history;
  for (int64_t i = 0; i < gannet_history_count(h); ++i)
    for (int64_t j = 0; j < i; ++j)
      assert_int_not_equal(
          0, memcmp(gannet_history_x_user(h, i), gannet_history_x_user(h, j), 2 * sizeof(double)));
  drop(&f);
}

/* Points of the next ask that every member makes. */
static void count_of(gannet_optimizer *optimizer, int q, int *count) {
  int64_t id[8];
  double x[16];
  const int64_t first = gannet_history_count(optimizer->history);
  assert_ok(gannet_optimizer_ask(optimizer, q, id, x));
  memset(count, 0, GANNET_MEMBERS_MOST * sizeof *count);
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) {
    const gannet_allocation_open *open = &optimizer->allocation.open[i];
    if (open->id >= first) count[open->member] += 1;
  }
}

/* The design is told before, so that every ask is for models. */
static void after_design(const char *portfolio, const char *least, fixture *f) {
  const char *const settings[] = {"portfolio",
                                  portfolio,
                                  "initial",
                                  "4",
                                  "search.candidates",
                                  "500",
                                  "refit",
                                  "0.1",
                                  least ? "least_batch" : NULL,
                                  least,
                                  NULL};
  assert_ok(make(settings, f));
  round_of(f->optimizer, 4);
}

static void members_for_batches_leave_single_points_to_others(void **state) {
  (void)state;
  int count[GANNET_MEMBERS_MOST];
  fixture f;
  after_design("[gp-ei, gp-draws]", NULL, &f);
  for (int round = 0; round < 5; ++round) round_of(f.optimizer, 1);
  count_of(f.optimizer, 5, count);
  assert_int_equal(count[0], 5);
  assert_int_equal(count[1], 0);
  drop(&f);
  after_design("[gp-ei, gp-draws]", NULL, &f);
  count_of(f.optimizer, 6, count);
  assert_int_equal(count[0], 3);
  assert_int_equal(count[1], 3);
  drop(&f);
}

static void points_under_way_count_towards_the_batch(void **state) {
  (void)state;
  int count[GANNET_MEMBERS_MOST], sum = 0;
  fixture f;
  after_design("[gp-ei, gp-draws]", NULL, &f);
  count_of(f.optimizer, 5, count);
  assert_int_equal(count[1], 0);
  for (int i = 0; i < 4; ++i) {
    count_of(f.optimizer, 1, count);
    sum += count[1];
  }
  assert_int_equal(sum, 2);
  drop(&f);
}

static void members_for_batches_make_single_points_when_they_are_alone(void **state) {
  (void)state;
  int count[GANNET_MEMBERS_MOST];
  fixture f;
  after_design("[gp-draws, gp-draws]", NULL, &f);
  count_of(f.optimizer, 2, count);
  assert_int_equal(count[0] + count[1], 2);
  drop(&f);
  after_design("[gp-ei, gp-draws]", "1", &f);
  count_of(f.optimizer, 2, count);
  assert_int_equal(count[1], 1);
  drop(&f);
}

static void settings_go_to_the_members_that_know_them(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio",
                                  "[gp-ei, neural-bo]",
                                  "surrogate.width",
                                  "64",
                                  "transform",
                                  "none",
                                  "search.candidates",
                                  "77",
                                  NULL};
  fixture f;
  assert_ok(make(settings, &f));
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(f.optimizer->options.member[i].search.candidates, 77);
    assert_int_equal(f.optimizer->options.member[i].method.transform, GANNET_TRANSFORM_NONE);
  }
  assert_string_equal(f.optimizer->options.member[0].surrogate_type->name, "gp");
  drop(&f);
}

static void a_chosen_part_leaves_one_member(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio",
                                  "[gp-ei, neural-bo]",
                                  "surrogate.type",
                                  "tangent-kernel",
                                  "surrogate.width",
                                  "64",
                                  NULL};
  fixture f;
  assert_ok(make(settings, &f));
  assert_int_equal(f.optimizer->options.n_members, 1);
  assert_string_equal(f.optimizer->options.member[0].surrogate_type->name, "tangent-kernel");
  assert_string_equal(f.optimizer->options.member[0].acq_type->name, "log-ei");
  drop(&f);
}

/* A mistake of the user's is that the type cannot do what is asked, never what a row says. */
static void expect_no_complaint(const char *method, const char *key, const char *type) {
  const gannet_setting settings[] = {{.key = "method", .text = method}, {.key = key, .text = type}};
  gannet_optimizer_options options;
  gannet_complaints complaints = {0};
  assert_ok(gannet_optimizer_options_parse(2, settings, &options, &complaints));
  if (complaints.count > 0 && !strstr(complaints.text, "has neither a surrogate nor"))
    fail_msg("%s, %s: %s: %s", method, key, type, complaints.text);
  gannet_optimizer_options_release(&options);
  gannet_complaints_release(&complaints);
}

static void any_part_can_take_the_place_of_a_methods_own(void **state) {
  static const char *const plain[] = {"sobol", "random", "quadratic"};
  (void)state;
  for (int i = 0; gannet_methods[i]; ++i) {
    const char *method = gannet_methods[i]->name;
    for (int k = 0; gannet_acq_types[k]; ++k)
      expect_no_complaint(method, "acquisition.type", gannet_acq_types[k]->name);
    for (int k = 0; k < 3; ++k) expect_no_complaint(method, "acquisition.type", plain[k]);
    for (int k = 0; gannet_surrogate_types[k]; ++k)
      expect_no_complaint(method, "surrogate.type", gannet_surrogate_types[k]->name);
  }
}

/* What the user asks of a type that cannot do it is complained about all the same. */
static void settings_of_the_user_stay_with_a_type_of_the_users_choice(void **state) {
  (void)state;
  static const struct {
    const char *settings[7];
    const char *says;
  } wrong[] = {
      {{"method", "neural-cbo", "acquisition.type", "thompson", "acquisition.constraints", "inside",
        NULL},
       "'inside' does not go with acquisition 'thompson', expected draws"},
      {{"method", "turbo-1", "acquisition.type", "sobol", "region.type", "trust", NULL},
       "points that are made without a model cannot stay in a region"},
      {{"method", "gp-pi", "acquisition.type", "thompson", "acquisition.margin", "0.1", NULL},
       "unknown key 'acquisition.margin' for acquisition 'thompson'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    fixture f;
    assert_fails(GANNET_ERR_INPUT, wrong[i].says, make(wrong[i].settings, &f));
    drop(&f);
  }
}

static double margin_of(const fixture *f, int member) {
  const gannet_acq_margin *options = f->optimizer->options.member[member].acq_options;
  return options->margin;
}

static void settings_of_acquisitions_go_to_those_that_have_them(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio",
                                  "[gp-ei, neural-bo, quadratic, gp-pi]",
                                  "acquisition.margin",
                                  "0.25",
                                  "acquisition.growth",
                                  "log",
                                  NULL};
  fixture f;
  assert_ok(make(settings, &f));
  const gannet_member_options *member = f.optimizer->options.member;
  assert_float_equal(margin_of(&f, 0), 0.25, 0);
  assert_float_equal(margin_of(&f, 3), 0.25, 0);
  for (int i = 0; i < 2; ++i) assert_int_equal(member[i].acquisition.growth, GANNET_GROWTH_LOG);
  drop(&f);
}

/* Both surrogates have a key kernel, with choices of their own. */
static void choices_go_to_the_surrogates_that_have_them(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio", "[gp-ei, neural-bo, gp-ts]", "surrogate.kernel",
                                  "se", NULL};
  fixture f;
  assert_ok(make(settings, &f));
  const gannet_member_options *member = f.optimizer->options.member;
  for (int i = 0; i < 3; i += 2) {
    const gp_options *options = member[i].surrogate_options;
    assert_string_equal(gannet_stationary_kernels[options->kernel]->name, "se");
  }
  drop(&f);
}

static void rules_for_constraints_go_to_the_acquisitions_that_can_follow_them(void **state) {
  (void)state;
  const char *const settings[] = {"method", "auto", "acquisition.constraints", "bounds", NULL};
  fixture f;
  assert_ok(make(settings, &f));
  const gannet_member_options *member = f.optimizer->options.member;
  assert_int_equal(member[0].acquisition.rule, GANNET_RULE_BOUNDS);
  assert_int_equal(member[2].acquisition.rule, GANNET_RULE_DRAWS);
  drop(&f);
}

static void names_of_the_state_tell_members_apart(void **state) {
  (void)state;
  const char *const settings[] = {"portfolio", "[gp-ei, gp-ts]", NULL};
  fixture f;
  gannet_state saved = {0};
  double number = 0;
  assert_ok(make(settings, &f));
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  assert_true(gannet_state_find(&saved, "gp-ei/", "objective.log_noise", &number));
  assert_true(gannet_state_find(&saved, "gp-ts/objective.", "log_noise", &number));
  gannet_state_release(&saved);
  drop(&f);
}

static void wrong_portfolios_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *settings[5];
    const char *says;
  } wrong[] = {
      {{"portfolio", "[gp-ei, neural-bq]", NULL}, "did you mean 'neural-bo'"},
      {{"portfolio", "[gp-ei, portfolio]", NULL}, "'portfolio' is a portfolio itself"},
      {{"portfolio", "[]", NULL}, "no method in '[]'"},
      {{"portfolio", "[sobol,sobol,sobol,sobol,sobol,sobol,sobol,sobol,sobol]", NULL},
       "at most 8 methods"},
      {{"portfolio", "[gp-ei, gp-ts]", "surrogate.width", "64", NULL},
       "unknown key 'surrogate.width' for every method of [gp-ei, gp-ts]; choose a method with a "
       "surrogate that has it: tangent-kernel"},
      {{"portfolio", "[gp-ei, gp-ts]", "surrogate.kernl", "rbf", NULL}, "did you mean 'kernel'?"},
      {{"method", "auto", "surrogate.activaton", "erf", NULL},
       "'surrogate.activaton' for every method of [gp-noisy, quadratic, gp-draws, lq-cma], which "
       "method: auto chose; "
       "did you mean 'activation', which the surrogates tangent-kernel ensemble"},
      {{"method", "auto", "surrogate.tpye", "gp", NULL}, "did you mean 'type'?"},
      {{"portfolio", "[gp-ei, gp-ts]", "surrogate.kernel", "rbg", NULL}, "surrogate.kernel: 'rbg'"},
      {{"portfolio", "[gp-ei, neural-bo]", "surrogate.kernel", "rbg", NULL},
       "expected one of: infinite network"},
      {{"method", "auto", "acquisition.draws", "20", NULL},
       "unknown key 'acquisition.draws' for every method of [gp-noisy, quadratic, gp-draws, "
       "lq-cma], which "
       "method: auto chose; choose a method with an acquisition that has it: nehvi mes pes es kg "
       "(see "
       "gannet explain acquisition)"},
      {{"method", "auto", "acquisition.magrin", "0.1", NULL}, "did you mean 'margin'?"},
      {{"method", "auto", "acquisition.explortion", "2", NULL}, "did you mean 'exploration'?"},
      {{"method", "auto", "acquisition.margin", "-1", NULL}, "acquisition.margin: '-1'"},
      {{"method", "auto", "acquisition.constraints", "bound", NULL}, "did you mean 'bounds'?"},
      {{"portfolio", "[quadratic, gp-ts]", "acquisition.constraints", "bounds", NULL},
       "'bounds' goes with no acquisition of [quadratic, gp-ts], expected draws"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    fixture f;
    assert_fails(GANNET_ERR_INPUT, wrong[i].says, make(wrong[i].settings, &f));
    assert_null(f.optimizer);
    drop(&f);
  }
}

/* A method that joins later finds the portfolio full. */
static void a_full_portfolio_takes_no_further_method(void **state) {
  (void)state;
  const gannet_setting settings[] = {
      {.key = "portfolio",
       .text = "[gp-ei, gp-ts, gp-ucb, gp-pi, sobol, random, quadratic, neural-bo]"}};
  gannet_optimizer_options options;
  gannet_complaints complaints = {0};
  assert_ok(gannet_optimizer_options_parse(1, settings, &options, &complaints));
  assert_int_equal(complaints.count, 0);
  assert_int_equal(options.n_members, GANNET_MEMBERS_MOST);
  assert_int_equal(gannet_optimizer_options_join(&options, "pinn-bo", &complaints), GANNET_ERR_ARG);
  assert_non_null(strstr(gannet_error_detail(), "'pinn-bo' does not fit into a portfolio of 8"));
  assert_int_equal(options.n_members, GANNET_MEMBERS_MOST);
  gannet_optimizer_options_release(&options);
  gannet_complaints_release(&complaints);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(members_share_batches_and_are_told_everything),
      cmocka_unit_test(points_of_different_members_differ),
      cmocka_unit_test(members_for_batches_leave_single_points_to_others),
      cmocka_unit_test(points_under_way_count_towards_the_batch),
      cmocka_unit_test(members_for_batches_make_single_points_when_they_are_alone),
      cmocka_unit_test(settings_go_to_the_members_that_know_them),
      cmocka_unit_test(a_chosen_part_leaves_one_member),
      cmocka_unit_test(any_part_can_take_the_place_of_a_methods_own),
      cmocka_unit_test(settings_of_the_user_stay_with_a_type_of_the_users_choice),
      cmocka_unit_test(settings_of_acquisitions_go_to_those_that_have_them),
      cmocka_unit_test(choices_go_to_the_surrogates_that_have_them),
      cmocka_unit_test(rules_for_constraints_go_to_the_acquisitions_that_can_follow_them),
      cmocka_unit_test(names_of_the_state_tell_members_apart),
      cmocka_unit_test(wrong_portfolios_are_refused),
      cmocka_unit_test(a_full_portfolio_takes_no_further_method),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
