/* test: serial labels unit */
#include "search/problems.h"
#include "support/told.h"

#include "search/candidates.h"
#include "search/region.h"

static const gannet_region_options turbo = {.type = GANNET_REGION_TRUST,
                                            .length = 0.8,
                                            .shortest = 0.0078125,
                                            .longest = 1.6,
                                            .successes = 3,
                                            .failures = GANNET_AUTO,
                                            .gain = 0.001,
                                            .restarts = true,
                                            .weighted = true,
                                            .perturb = NAN};

/* One letter per batch of two evaluations: s(uccess), f(ailure). With 5 variables the region halves
 * after 5 failures or more, so after three batches; it doubles after three successes. */
static void lengths_follow_the_sequence(void **state) {
  (void)state;
  static const struct {
    const char *batches;
    double length;
  } cases[] = {{"", 0.8},       {"ff", 0.8},           {"fff", 0.4},      {"ffsff", 0.8},
               {"ffsfff", 0.4}, {"ss", 0.8},           {"sss", 1.6},      {"ssssss", 1.6},
               {"ssfss", 0.8},  {"sssfff", 0.8},       {"ssssfff", 0.8},  {"ffffff", 0.2},
               {"fffff", 0.4},  {"fffffffffsss", 0.2}, {"fffssfss", 0.4}, {"ffffffsss", 0.4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    gannet_region r = {.length = turbo.length, .centre = -1};
    for (const char *c = cases[i].batches; *c; ++c)
      gannet_region_count(&turbo, 5, *c == 's', 2, &r);
    if (r.length != cases[i].length)
      fail_msg("%s gives %g instead of %g", cases[i].batches, r.length, cases[i].length);
  }
}

/* TuRBO halves after ceil(max(4, n) / q) batches of q. */
static void failures_agree_with_turbo_for_any_batch_size(void **state) {
  (void)state;
  for (int n = 1; n <= 30; n += 3)
    for (int q = 1; q <= 12; ++q) {
      const int batches = ((n < 4 ? 4 : n) + q - 1) / q;
      gannet_region r = {.length = 0.8};
      for (int b = 0; b < batches; ++b) {
        assert_true(r.length == 0.8);
        gannet_region_count(&turbo, n, false, q, &r);
      }
      assert_true(r.length == 0.4);
    }
}

typedef struct {
  gannet_problem *problem;
  gannet_history *history;
  int64_t design;
  gannet_region_state state;
  gannet_region region;
} fixture;

static fixture make(gannet_problem *problem) {
  fixture f = {.problem = problem, .design = 1};
  assert_ok(gannet_history_create(problem, &f.history));
  gannet_history_take_at_its_word(f.history); /* values of these tests repeat */
  return f;
}

static void drop(fixture *f) {
  gannet_history_destroy(&f->history);
  gannet_problem_destroy(&f->problem);
}

/* Points are of no interest to the counting. */
static int64_t propose(fixture *f, int64_t batch, gannet_origin origin) {
  int64_t id = -1;
  double x[8] = {0};
  for (int k = 0; k < f->problem->spec.n_variables; ++k) x[k] = f->problem->spec.variables[k].lower;
  assert_ok(gannet_history_propose(f->history, x, batch, origin, &id));
  return id;
}

static void tell(fixture *f, int64_t id, double value) {
  assert_ok(tell_values(f->history, id, GANNET_EVAL_DONE, value, NULL, NULL));
}

static void follow(fixture *f, const gannet_region_options *options) {
  assert_ok(gannet_region_follow(options, f->history, f->design, &f->state, &f->region));
}

/* A batch of two values. */
static void batch_of(fixture *f, int64_t batch, double a, double b) {
  const int64_t first = propose(f, batch, GANNET_ORIGIN_METHOD);
  propose(f, batch, GANNET_ORIGIN_METHOD);
  tell(f, first, a);
  tell(f, first + 1, b);
}

static void design_of(fixture *f, int n) {
  for (int i = 0; i < n; ++i) {
    const int64_t id = propose(f, 0, GANNET_ORIGIN_INITIAL);
    tell(f, id, 10 + i);
  }
}

static void batches_count_once_and_by_their_best(void **state) {
  (void)state;
  fixture f = make(real_problem(3));
  follow(&f, &turbo);
  assert_true(f.region.length == 0.8 && f.region.centre == -1);
  design_of(&f, 6);
  follow(&f, &turbo);
  assert_true(f.region.successes == 0 && f.region.failures == 0); /* a design is no batch */
  assert_int_equal(f.region.centre, 0);
  batch_of(&f, 1, 20, 9);
  follow(&f, &turbo);
  assert_true(f.region.successes == 1 && f.region.failures == 0);
  assert_int_equal(f.region.centre, 7);
  batch_of(&f, 2, 9, 9); /* as good is not better */
  follow(&f, &turbo);
  assert_true(f.region.successes == 0 && f.region.failures == 2);
  batch_of(&f, 3, 9.5, 30);
  follow(&f, &turbo);
  assert_true(f.region.length == 0.4 && f.region.failures == 0);
  for (int b = 4; b < 7; ++b) batch_of(&f, b, 12 - b, 40);
  follow(&f, &turbo);
  assert_true(f.region.length == 0.8 && f.region.successes == 0);
  drop(&f);
}

/* The four best values (three variables) are 10, 11, 12, 13: a gain must exceed 0.003. */
static void a_gain_is_measured_against_the_spread_of_the_best(void **state) {
  (void)state;
  const double shifts[3] = {0, 1e6, -10};
  for (int s = 0; s < 3; ++s)
    for (int wins = 0; wins < 2; ++wins) {
      fixture f = make(real_problem(3));
      for (int i = 0; i < 9; ++i)
        tell(&f, propose(&f, 0, GANNET_ORIGIN_INITIAL), shifts[s] + 10 + i);
      batch_of(&f, 1, shifts[s] + 50, shifts[s] + 10 - (wins ? 0.0031 : 0.0029));
      follow(&f, &turbo);
      assert_int_equal(f.region.successes, wins);
      assert_int_equal(f.region.centre, 10); /* the centre is the best all the same */
      drop(&f);
    }
}

static void a_batch_counts_when_its_last_result_arrives(void **state) {
  (void)state;
  fixture f = make(real_problem(3));
  design_of(&f, 4);
  const int64_t slow = propose(&f, 1, GANNET_ORIGIN_METHOD);
  const int64_t quick = propose(&f, 1, GANNET_ORIGIN_METHOD);
  tell(&f, quick, 5);
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 0);
  assert_int_equal(f.region.centre, quick);
  batch_of(&f, 2, 7, 70); /* better than what was counted, though not than all that is known */
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 1);
  tell(&f, slow, 6);
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 2);
  drop(&f);
}

static void results_may_be_followed_one_by_one_or_all_at_once(void **state) {
  (void)state;
  fixture one = make(real_problem(3)), all = make(real_problem(3));
  design_of(&one, 4);
  design_of(&all, 4);
  for (int b = 1; b < 30; ++b) {
    const double a = 10 + sin(b * 1.7) - 0.4 * b, c = 11 - 0.4 * b + cos(b * 3.1);
    batch_of(&one, b, a, c);
    batch_of(&all, b, a, c);
    follow(&one, &turbo);
  }
  follow(&all, &turbo);
  assert_int_equal(one.state.restarts, 0);
  assert_memory_equal(&one.state, &all.state, sizeof one.state);
  assert_true(one.region.length == all.region.length && one.region.centre == all.region.centre);
  assert_true(one.region.successes == all.region.successes);
  assert_true(one.region.failures == all.region.failures);
  drop(&one);
  drop(&all);
}

static void failed_evaluations_count_for_nothing(void **state) {
  (void)state;
  fixture f = make(real_problem(3));
  design_of(&f, 4);
  for (int b = 1; b < 20; ++b) {
    const int64_t id = propose(&f, b, GANNET_ORIGIN_METHOD);
    assert_ok(tell_values(f.history, id, GANNET_EVAL_FAILED, NAN, NULL, NULL));
  }
  follow(&f, &turbo);
  assert_true(f.region.length == 0.8 && f.region.failures == 0);
  tell(&f, 5, 3); /* a late result makes a success of its batch */
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 1);
  for (int b = 20; b < 24; ++b) {
    const int64_t id = propose(&f, b, GANNET_ORIGIN_METHOD);
    assert_ok(tell_values(f.history, id, GANNET_EVAL_CANNOT_RUN, NAN, NULL, NULL));
  }
  follow(&f, &turbo);
  assert_true(f.region.length == 0.4); /* where simulations break down nothing is gained */
  drop(&f);
}

/* Seven halvings make 0.8 shorter than 2^-7; four variables at least count. */
static void a_region_that_is_too_small_is_followed_by_a_new_one(void **state) {
  (void)state;
  fixture f = make(real_problem(1)), still = make(real_problem(1));
  gannet_region_options stay = turbo;
  stay.restarts = false;
  design_of(&f, 4);
  design_of(&still, 4);
  for (int b = 1; b <= 14; ++b) {
    follow(&f, &turbo);
    assert_true(f.state.restarts == 0 && f.state.first == 0);
    batch_of(&f, b, 50, 50);
    batch_of(&still, b, 50, 50);
  }
  const int64_t pending = propose(&f, 15, GANNET_ORIGIN_METHOD);
  follow(&f, &turbo);
  assert_int_equal(f.state.restarts, 1);
  assert_int_equal(f.state.first, pending + 1);
  assert_true(f.region.length == 0.8 && f.region.centre == -1);
  tell(&f, pending, 1); /* of the region before */
  follow(&f, &turbo);
  assert_int_equal(f.region.centre, -1);
  tell(&f, propose(&f, 16, GANNET_ORIGIN_INITIAL), 60);
  follow(&f, &turbo);
  assert_int_equal(f.region.centre, pending + 1);
  batch_of(&f, 17, 55, 70);
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 1);
  for (int b = 15; b < 40; ++b) batch_of(&still, b, 50, 50);
  follow(&still, &stay);
  assert_true(still.region.length == stay.shortest);
  assert_int_equal(still.state.restarts, 0);
  assert_int_equal(still.region.centre, 0);
  drop(&f);
  drop(&still);
}

/* Points of a later design come from the method as all others do. */
static void batches_of_a_design_are_not_counted(void **state) {
  (void)state;
  fixture f = make(real_problem(1));
  f.design = 5;
  f.state = (gannet_region_state){1, 2};
  batch_of(&f, 0, 1, 1); /* of the region before */
  for (int b = 1; b <= 3; ++b) batch_of(&f, b, 9, 10 - b);
  follow(&f, &turbo);
  assert_true(f.region.successes == 0 && f.region.failures == 0); /* ids 2 to 7 */
  assert_int_equal(f.region.centre, 7);
  batch_of(&f, 4, 9, 9);
  follow(&f, &turbo);
  assert_int_equal(f.region.failures, 2);
  batch_of(&f, 5, 9, 6);
  follow(&f, &turbo);
  assert_int_equal(f.region.successes, 1);
  drop(&f);
}

static const gannet_constraint limits[] = {{"mass", -INFINITY, 1e6}, {"gap", 0, INFINITY}};

static gannet_problem *constrained_problem(void) {
  static const gannet_variable v[] = {{.name = "x", .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {
      .n_variables = 1, .variables = v, .n_constraints = 2, .constraints = limits};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

static void tell_constrained(fixture *f, int64_t batch, double value, double mass, double gap) {
  const double constraints[2] = {mass, gap};
  const int64_t id = propose(f, batch, batch == 0 ? GANNET_ORIGIN_INITIAL : GANNET_ORIGIN_METHOD);
  assert_ok(tell_values(f->history, id, GANNET_EVAL_DONE, value, constraints, NULL));
}

static void the_centre_is_feasible_or_violates_least(void **state) {
  (void)state;
  fixture f = make(constrained_problem());
  tell_constrained(&f, 0, 5, 3e6, 0.5);   /* mass: 2e6 too much, as much as the scale */
  tell_constrained(&f, 0, 4, 0.9e6, -1);  /* gap: too narrow by its scale */
  tell_constrained(&f, 0, 7, 1.1e6, 0.1); /* a twentieth: the least, though 1e5 > 1 in numbers */
  follow(&f, &turbo);
  assert_int_equal(f.region.centre, 2);
  tell_constrained(&f, 1, 9, 1.09e6, 0.1); /* less violation */
  follow(&f, &turbo);
  assert_true(f.region.successes == 1 && f.region.centre == 3);
  tell_constrained(&f, 2, 1, 1.2e6, 0.1); /* better objective, more violation */
  follow(&f, &turbo);
  assert_true(f.region.failures == 1 && f.region.centre == 3);
  tell_constrained(&f, 3, 100, 1e6, 0); /* the first feasible one, on both bounds */
  follow(&f, &turbo);
  assert_true(f.region.successes == 1 && f.region.centre == 5);
  tell_constrained(&f, 4, 99, 1e5, 1);
  follow(&f, &turbo);
  assert_true(f.region.successes == 2 && f.region.centre == 6);
  tell_constrained(&f, 5, 1, 1.0001e6, 1);
  follow(&f, &turbo);
  assert_true(f.region.failures == 1 && f.region.centre == 6);
  drop(&f);
}

static void boxes_are_weighted_and_cut(void **state) {
  (void)state;
  gannet_problem *problem = real_problem(3);
  const double centre[3] = {0.5, 0.05, 0.6}, scales[3] = {1, 2, 4}, wild[3] = {1e-9, 1, 1e9};
  double lower[3], upper[3];
  gannet_region_box(problem, 0.4, centre, NULL, lower, upper);
  assert_near(lower[0], 0.3, 1e-15);
  assert_near(upper[0], 0.7, 1e-15);
  assert_true(lower[1] == 0);
  assert_near(upper[1], 0.25, 1e-15);
  gannet_region_box(problem, 0.4, centre, scales, lower, upper); /* geometric mean 2 */
  assert_near(lower[0], 0.4, 1e-15);
  assert_near(upper[1], 0.25, 1e-15);
  assert_near(lower[2], 0.2, 1e-15);
  assert_near(upper[2], 1, 0);
  gannet_region_box(problem, 0.02, centre, wild, lower, upper);
  assert_near(upper[0] - lower[0], 0.002, 1e-15);
  assert_near(upper[2] - lower[2], 0.2, 1e-15);
  gannet_problem_destroy(&problem);
}

/* Integers keep their neighbours, also on a logarithmic scale; categories keep all values. */
static void discrete_variables_can_move_in_the_smallest_box(void **state) {
  (void)state;
  enum { D = 8, N = 4000 };
  static double x[N * D];
  gannet_problem *problem = mixed_problem();
  const double x_user[] = {2, 0.01, 4, 4096, 1, 2};
  double centre[D], lower[D], upper[D], user[6];
  int seen[3] = {0}, moved[6] = {0};
  gannet_problem_encode(problem, x_user, centre);
  gannet_region_box(problem, 1e-5, centre, NULL, lower, upper);
  const gannet_candidates_spec spec = {.n_global = N / 2,
                                       .n_local = N / 2,
                                       .lower = lower,
                                       .upper = upper,
                                       .n_centres = 1,
                                       .centres = centre,
                                       .anchor = centre,
                                       .moving = gannet_region_moving(&turbo, problem),
                                       .switching = gannet_region_switching(&turbo, problem, 0.1)};
  assert_true(spec.moving == 1);
  assert_near(spec.switching, 0.1, 1e-15);
  gannet_candidates *c = NULL;
  assert_ok(gannet_candidates_create(problem, &spec, 1, 1, &c));
  gannet_candidates_tile(c, 0, N, x);
  for (int i = 0; i < N; ++i) {
    gannet_problem_decode(problem, x + i * D, user);
    assert_true(3 <= user[2] && user[2] <= 5 && 4095 <= user[3]);
    assert_true(fabs(user[0] - 2) <= 0.75e-4 + 1e-12);
    seen[(int)user[5]] += 1;
    for (int k = 0; k < 6; ++k) moved[k] += fabs(user[k] - x_user[k]) > 1e-13 * x_user[k];
  }
  assert_true(seen[0] > 50 && seen[1] > 50 && seen[2] > N * 3 / 4);
  assert_true(moved[2] > N / 4 && moved[3] > N / 8 && moved[0] > N * 9 / 10);
  assert_true(0.02 * N < moved[4] &&
              moved[4] < 0.35 * N); /* 1/6 + 5/6 of 1/10, half of them true */
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

static void candidates_differ_from_their_anchor_in_few_variables(void **state) {
  (void)state;
  enum { D = 100, N = 500 };
  static double x[N * D], anchor[D];
  gannet_problem *problem = real_problem(D);
  for (int k = 0; k < D; ++k) anchor[k] = 0.3;
  gannet_candidates *c = NULL;
  gannet_candidates_spec spec = {
      .n_global = N, .anchor = anchor, .moving = gannet_region_moving(&turbo, problem)};
  assert_ok(gannet_candidates_create(problem, &spec, 1, 1, &c));
  gannet_candidates_tile(c, 0, N, x);
  int total = 0;
  for (int i = 0; i < N; ++i) {
    int here = 0;
    for (int k = 0; k < D; ++k) here += x[i * D + k] != 0.3;
    assert_true(here >= 1);
    total += here;
  }
  assert_near(total / (double)N, 20.8, 1); /* 20, and the one that always moves */
  gannet_candidates_destroy(&c);
  spec.moving = 1.5;
  assert_fails(GANNET_ERR_ARG, "moving = 1.5", gannet_candidates_create(problem, &spec, 1, 1, &c));
  gannet_problem_destroy(&problem);
}

static void models_take_what_the_options_say(void **state) {
  (void)state;
  fixture f = make(real_problem(1));
  gannet_region_options options = turbo;
  bool take[6];
  for (int i = 0; i < 6; ++i) {
    int64_t id;
    const double x[1] = {-1 + 0.5 * ((i * 2) % 6 + i / 3)}; /* steps 0 2 4 1 3 5 */
    assert_ok(gannet_history_propose(f.history, x, 0, GANNET_ORIGIN_INITIAL, &id));
    if (i != 2) tell(&f, id, i);
  }
  f.state.first = 1;
  assert_ok(gannet_region_take(&options, f.history, &f.state, 3, take));
  for (int i = 0; i < 6; ++i) assert_int_equal(take[i], i >= 1);
  options.data = GANNET_REGION_ALL;
  options.nearest = 3;
  assert_ok(gannet_region_take(&options, f.history, &f.state, 3, take)); /* steps 1, 0 and 2 */
  for (int i = 0; i < 6; ++i) assert_int_equal(take[i], i == 0 || i == 1 || i == 3);
  options.data = GANNET_REGION_RESTART;
  options.nearest = 2;
  assert_ok(gannet_region_take(&options, f.history, &f.state, 5, take)); /* steps 5 and 3; 4 has
                                                                            no result */
  for (int i = 0; i < 6; ++i) assert_int_equal(take[i], i >= 4);
  drop(&f);
}

/* A batch of two designs with two objectives each. */
static void front_batch_of(fixture *f, int64_t batch, const double *first, const double *second) {
  const double *const values[2] = {first, second};
  int64_t id[2];
  for (int i = 0; i < 2; ++i) id[i] = propose(f, batch, GANNET_ORIGIN_METHOD);
  for (int i = 0; i < 2; ++i)
    assert_ok(tell_values(f->history, id[i], GANNET_EVAL_DONE, values[i][0], &values[i][1], NULL));
  follow(f, &turbo);
}

static fixture make_with_objectives(double threshold) {
  static const gannet_variable x[] = {{.name = "x", .lower = 0, .upper = 1}};
  const gannet_objective two[] = {{.name = "a", .threshold = threshold, .noise_sd = NAN},
                                  {.name = "b", .threshold = threshold, .noise_sd = NAN}};
  const gannet_problem_spec spec = {
      .n_variables = 1, .variables = x, .n_objectives = 2, .objectives = two};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return make(problem);
}

/* A success adds more than a thousandth of the volume, and the centre alone dominates most. */
static void regions_of_a_front_follow_its_hypervolume(void **state) {
  (void)state;
  fixture f = make_with_objectives(10);
  f.design = 2;
  front_batch_of(&f, 0, (double[]){1, 6}, (double[]){5, 1}); /* the design */
  assert_true(f.region.length == 0.8 && f.region.successes == 0);
  assert_int_equal(f.region.centre, 1); /* 25 alone, and the other one 16 */
  front_batch_of(&f, 1, (double[]){2, 2}, (double[]){20, 0.5});
  assert_int_equal(f.region.successes, 1);
  assert_int_equal(f.region.centre, 2);
  front_batch_of(&f, 2, (double[]){0.5, 10.5}, (double[]){4, 4}); /* of no volume, dominated */
  assert_true(f.region.successes == 0 && f.region.failures == 2);
  front_batch_of(&f, 3, (double[]){1.9999, 2}, (double[]){9, 9}); /* a gain of 1e-5 */
  assert_true(f.region.length == 0.4 && f.region.failures == 0);
  drop(&f);
}

/* While no design is better than all thresholds, the least excess counts. */
static void regions_before_the_thresholds_follow_the_least_excess(void **state) {
  (void)state;
  fixture f = make_with_objectives(10);
  f.design = 2;
  front_batch_of(&f, 0, (double[]){5, 30}, (double[]){25, 2});
  assert_int_equal(f.region.centre, 0); /* 20 / 28 of a range, and the other one 15 / 20 */
  front_batch_of(&f, 1, (double[]){4.5, 30.5}, (double[]){26, 1}); /* spreads the front only */
  assert_true(f.region.successes == 0 && f.region.failures == 2);
  front_batch_of(&f, 2, (double[]){12, 11}, (double[]){40, 40});
  assert_int_equal(f.region.successes, 1);
  assert_int_equal(f.region.centre, 4);
  front_batch_of(&f, 3, (double[]){9.9, 9.9}, (double[]){40, 40}); /* the first one inside */
  assert_int_equal(f.region.successes, 2);
  assert_int_equal(f.region.centre, 6);
  drop(&f);
}

/* It stays, however small: what it would begin anew is known from everywhere else. */
static void regions_of_a_front_do_not_start_anew(void **state) {
  (void)state;
  fixture f = make_with_objectives(NAN);
  f.design = 2;
  front_batch_of(&f, 0, (double[]){0, 1}, (double[]){1, 0});
  for (int b = 1; b < 40; ++b) front_batch_of(&f, b, (double[]){2, 2}, (double[]){3, 3});
  assert_true(f.region.length == turbo.shortest && f.state.restarts == 0 && f.region.centre == 0);
  drop(&f);
}

static void contradictions_are_told(void **state) {
  (void)state;
  gannet_region_options options = turbo;
  assert_null(gannet_region_contradiction(&options));
  options.shortest = 0.9;
  assert_string_equal(gannet_region_contradiction(&options), "shortest is longer than length");
  options = turbo;
  options.longest = 0.7;
  assert_string_equal(gannet_region_contradiction(&options), "length is longer than longest");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_follow_the_sequence),
      cmocka_unit_test(failures_agree_with_turbo_for_any_batch_size),
      cmocka_unit_test(batches_count_once_and_by_their_best),
      cmocka_unit_test(a_gain_is_measured_against_the_spread_of_the_best),
      cmocka_unit_test(a_batch_counts_when_its_last_result_arrives),
      cmocka_unit_test(results_may_be_followed_one_by_one_or_all_at_once),
      cmocka_unit_test(failed_evaluations_count_for_nothing),
      cmocka_unit_test(a_region_that_is_too_small_is_followed_by_a_new_one),
      cmocka_unit_test(batches_of_a_design_are_not_counted),
      cmocka_unit_test(the_centre_is_feasible_or_violates_least),
      cmocka_unit_test(boxes_are_weighted_and_cut),
      cmocka_unit_test(discrete_variables_can_move_in_the_smallest_box),
      cmocka_unit_test(candidates_differ_from_their_anchor_in_few_variables),
      cmocka_unit_test(models_take_what_the_options_say),
      cmocka_unit_test(contradictions_are_told),
      cmocka_unit_test(regions_of_a_front_follow_its_hypervolume),
      cmocka_unit_test(regions_before_the_thresholds_follow_the_least_excess),
      cmocka_unit_test(regions_of_a_front_do_not_start_anew),
  };
  return run_serial(tests);
}
