/* test: ranks 1 2 3 labels unit timeout 300 */
/* Models whose numbers do not work out, in every method: the ask succeeds all the same, says so
 * once, and the method is tried again. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/fixture.h"

enum { D = 2, Q = 2, DESIGN = 6, ROUNDS = 3 };

static int my_rank = 0, n_ranks = 1;

/* What fails: in a type of which everything else is that of the real one. */
typedef enum {
  WORKS,
  FIT_FAILS,
  SOLVER_FAILS,
  LEARNING_FAILS,
  SAMPLING_FAILS,
  PREDICTION_FAILS, /* on the last rank alone */
  PREDICTION_IS_NO_NUMBER,
  CALIBRATION_IS_NO_NUMBER,
  WAYS,
  MEMORY_FAILS /* which is no failure of numbers */
} way;

static gannet_err fail_fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  (void)state, (void)data, (void)learn, (void)iteration;
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "made to fail");
}

static gannet_err fail_solver(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  (void)state, (void)data, (void)learn, (void)iteration;
  return GANNET_RAISE(GANNET_ERR_LIBRARY, "made to fail");
}

static gannet_err fail_memory(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  (void)state, (void)data, (void)learn, (void)iteration;
  return GANNET_RAISE(GANNET_ERR_MEMORY, "made to fail");
}

static gannet_err fail_learning(void *state, const gannet_data *data, int64_t iteration,
                                gannet_multistart_task *task) {
  (void)state, (void)data, (void)iteration, (void)task;
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "made to fail");
}

static void end_no_learning(void *state, gannet_multistart_task *task, bool found) {
  (void)state, (void)task, (void)found;
}

static gannet_err fail_sampling(void *state, int q, double exploration, int64_t iteration) {
  (void)state, (void)q, (void)exploration, (void)iteration;
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "made to fail");
}

static gannet_err fail_prediction(const void *state, int m, const double *x, double *mean,
                                  double *sd) {
  (void)state, (void)x;
  for (int i = 0; i < m; ++i) mean[i] = 0;
  for (int i = 0; sd && i < m; ++i) sd[i] = 1;
  if (my_rank < n_ranks - 1) return GANNET_OK;
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "made to fail");
}

static gannet_err predict_no_number(const void *state, int m, const double *x, double *mean,
                                    double *sd) {
  (void)state, (void)x;
  for (int i = 0; i < m; ++i) mean[i] = NAN;
  for (int i = 0; sd && i < m; ++i) sd[i] = NAN;
  return GANNET_OK;
}

static gannet_err calibrate_no_number(void *state, double *scale) {
  (void)state;
  *scale = NAN;
  return GANNET_OK;
}

static gannet_surrogate_type broken(const gannet_surrogate_type *real, way how) {
  gannet_surrogate_type type = *real;
  if (how == FIT_FAILS) type.fit = fail_fit;
  if (how == SOLVER_FAILS) type.fit = fail_solver;
  if (how == MEMORY_FAILS) type.fit = fail_memory;
  if (how == FIT_FAILS || how == SOLVER_FAILS || how == MEMORY_FAILS) type.learn_begin = NULL;
  if (how == LEARNING_FAILS && real->learn_begin) {
    type.learn_begin = fail_learning;
    type.learn_end = end_no_learning;
    type.fit = fail_fit;
  }
  if (how == SAMPLING_FAILS) type.sample = fail_sampling;
  if (how == PREDICTION_FAILS) type.predict = fail_prediction;
  if (how == PREDICTION_IS_NO_NUMBER) type.predict = predict_no_number;
  if (how == CALIBRATION_IS_NO_NUMBER) type.calibration = calibrate_no_number;
  return type;
}

/* An optimiser of one method on 4 + a sum of squares, which is 2 in second derivatives. */
typedef struct {
  gannet_context *context;
  gannet_problem *problem;
  gannet_optimizer *optimizer;
  gannet_surrogate_type type[GANNET_MEMBERS_MOST];
  const gannet_surrogate_type *real[GANNET_MEMBERS_MOST];
  int warnings, returns, mentions; /* of the log */
  const char *part;                /* whose lines are counted, too; NULL = none */
  int parts;
} subject;

static void read_log(void *user, gannet_log_level level, int rank, const char *line) {
  subject *s = user;
  (void)rank;
  s->warnings += level == GANNET_LOG_WARNING && strstr(line, "proposes instead") != NULL;
  s->parts += s->part && strstr(line, s->part) != NULL;
  s->returns += strstr(line, "the model works again") != NULL;
  s->mentions += strstr(line, "made to fail") != NULL;
}

static gannet_problem *make_problem(bool with_equation, int n_constraints) {
  static const gannet_variable square[D] = {
      {.name = "x", .lower = 0, .upper = 1},
      {.name = "y", .lower = 0, .upper = 1},
  };
  static const gannet_constraint constraint = {"c", -INFINITY, 1.5};
  static const char *const by_x[] = {"x", "x"};
  static const gannet_physics_term term = {.order = 2, .derivative = by_x};
  static const gannet_physics_equation equation = {.n_terms = 1, .terms = &term, .rhs = "2"};
  const gannet_physics_spec physics = {.n_equations = 1, .equations = &equation, .points = 20};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = square,
                                    .n_constraints = n_constraints,
                                    .constraints = &constraint};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  if (with_equation) assert_ok(gannet_problem_set_physics(problem, &physics));
  return problem;
}

/* Members are made anew with types of ours, which the test changes afterwards. */
static void take_over(subject *s) {
  gannet_optimizer *o = s->optimizer;
  const gannet_member_common common = {.context = o->context,
                                       .history = o->history,
                                       .seen = o->seen,
                                       .phases = &o->phases,
                                       .noise_test = &o->noise_test,
                                       .design = o->design};
  for (int i = 0; i < o->options.n_members; ++i) {
    if (!o->member[i].models) continue;
    s->real[i] = o->options.member[i].surrogate_type;
    s->type[i] = *s->real[i];
    gannet_member_release(&o->member[i]);
    o->options.member[i].surrogate_type = &s->type[i];
    assert_ok(gannet_member_create(&common, &o->options.member[i], i, &o->member[i]));
  }
}

static void begin(MPI_Comm comm, const char *method, int n_constraints, subject *s) {
  gannet_method_setting settings[4] = {
      {"method", method}, {"initial", "4"}, {"search.candidates", "64"}};
  *s = (subject){.problem = make_problem(!strncmp(method, "pinn", 4), n_constraints)};
  assert_ok(gannet_context_create(comm, 3, &s->context));
  gannet_context_set_log(s->context, GANNET_LOG_INFO, read_log, s);
  assert_ok(gannet_optimizer_create(s->context, s->problem, with_small_network(settings, 3),
                                    settings, &s->optimizer));
  take_over(s);
}

static void end(subject *s) {
  gannet_optimizer_destroy(&s->optimizer);
  gannet_context_destroy(&s->context);
  gannet_problem_destroy(&s->problem);
}

static void break_models(subject *s, way how) {
  for (int i = 0; i < s->optimizer->options.n_members; ++i)
    if (s->real[i]) s->type[i] = broken(s->real[i], how);
}

static double value(const double *x) {
  return 4 + (x[0] - 0.3) * (x[0] - 0.3) + 3 * (x[1] - 0.6) * (x[1] - 0.6);
}

static gannet_result result_at(int64_t id, const double *x, double *constraint) {
  *constraint = x[0] + x[1];
  return (gannet_result){.id = id, .objective = value(x), .constraints = constraint};
}

static void tell_points(subject *s, int n, const double *x) {
  for (int i = 0; i < n; ++i) {
    double c = 0;
    const gannet_result result = result_at(0, x + (ptrdiff_t)i * D, &c);
    assert_ok(gannet_optimizer_tell_point(s->optimizer, x + (ptrdiff_t)i * D, &result, NULL));
  }
}

static void tell_design(subject *s) {
  double x[DESIGN * D];
  gannet_random_uniform((gannet_stream){7, GANNET_FOR_TEST, 0, 0}, 0, DESIGN * D, x);
  tell_points(s, DESIGN, x);
}

static void check_points(const double *x, int n) {
  for (int i = 0; i < n * D; ++i) assert_true(x[i] >= 0 && x[i] <= 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) assert_false(x[i * D] == x[j * D] && x[i * D + 1] == x[j * D + 1]);
}

static void one_round(subject *s, double *x) {
  int64_t id[Q];
  assert_ok(gannet_optimizer_ask(s->optimizer, Q, id, x));
  for (int i = 0; i < Q; ++i) {
    double c = 0;
    const gannet_result result = result_at(id[i], x + (ptrdiff_t)i * D, &c);
    assert_ok(gannet_optimizer_tell(s->optimizer, 1, &result));
  }
}

/* Rounds with a failure in all but the last one. Returns whether anything failed. */
static bool run(MPI_Comm comm, const char *method, way how, double *x) {
  subject s;
  int rank = 0;
  begin(comm, method, 0, &s);
  assert_int_equal(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  tell_design(&s);
  break_models(&s, how);
  for (int round = 0; round + 1 < ROUNDS; ++round) one_round(&s, x + (ptrdiff_t)round * Q * D);
  const bool failed = s.warnings > 0;
  assert_true(s.warnings <= 1); /* once per change */
  break_models(&s, WORKS);
  one_round(&s, x + (ptrdiff_t)(ROUNDS - 1) * Q * D);
  check_points(x, ROUNDS * Q);
  if (rank == 0 && failed) assert_int_equal(s.returns, 1);
  if (rank == 0 && !failed) assert_int_equal(s.returns, 0);
  end(&s);
  return failed;
}

/* What can fail in a method: not all models are drawn from, or learn by themselves. The first
 * method of a surrogate is tried in every way, the others in two. */
static void find_ways(const char *method, bool *can) {
  static const gannet_surrogate_type *tried[64];
  subject s;
  begin(MPI_COMM_SELF, method, 0, &s);
  for (way how = WORKS; how < WAYS; ++how) can[how] = false;
  for (int i = 0; i < s.optimizer->options.n_members; ++i) {
    const gannet_member_options *member = &s.optimizer->options.member[i];
    if (!s.real[i]) continue;
    for (way how = FIT_FAILS; how < WAYS; ++how)
      can[how] = can[how] || how != LEARNING_FAILS || s.real[i]->learn_begin;
    if (member->acq_type->kind != GANNET_ACQ_DRAWS) can[SAMPLING_FAILS] = false;
    if (!isnan(member->acquisition.exploration)) can[CALIBRATION_IS_NO_NUMBER] = false;
    int at = 0;
    while (tried[at] && tried[at] != s.real[i]) ++at;
    for (way how = SOLVER_FAILS; tried[at] && how < WAYS; ++how)
      if (how != PREDICTION_IS_NO_NUMBER && how != SAMPLING_FAILS) can[how] = false;
    tried[at] = s.real[i];
  }
  end(&s);
}

static void every_method_goes_on(void **state) {
  int failures = 0;
  (void)state;
  for (int i = 0; gannet_methods[i]; ++i) {
    const char *method = gannet_methods[i]->name;
    bool can[WAYS];
    find_ways(method, can);
    for (way how = FIT_FAILS; how < WAYS; ++how) {
      if (!can[how] || (n_ranks > 1 && how != FIT_FAILS && how != PREDICTION_FAILS)) continue;
      double x[ROUNDS * Q * D], alone[ROUNDS * Q * D];
      const bool failed = run(MPI_COMM_WORLD, method, how, x);
      failures += failed;
      const bool others = !strcmp(method, "auto"); /* quadratic goes on */
      if (my_rank == 0 && how <= SOLVER_FAILS && !others && !failed)
        fail_msg("%s did not fail", method);
      if (how != FIT_FAILS || n_ranks == 1) continue;
      (void)run(MPI_COMM_SELF, method, how, alone);
      if (memcmp(x, alone, sizeof x)) fail_msg("%s, way %d: other points on one rank", method, how);
    }
  }
  if (my_rank == 0) assert_true(failures > (n_ranks > 1 ? 1 : 2) * 35);
}

/* One model of several is enough: that of a constraint. */
static void a_model_of_a_constraint_fails(void **state) {
  static const char *const methods[] = {"cei", "scbo", "admmbo", "neural-cbo"};
  (void)state;
  for (int i = 0; i < 4; ++i) {
    subject s;
    double x[Q * D];
    begin(MPI_COMM_WORLD, methods[i], 1, &s);
    tell_design(&s);
    break_models(&s, PREDICTION_IS_NO_NUMBER);
    one_round(&s, x);
    check_points(x, Q);
    assert_int_equal(s.warnings, my_rank == 0);
    end(&s);
  }
}

/* What is saved is enough to go on with the same points, while models fail and after. */
static void a_restart_changes_nothing(void **state) {
  static const char *const methods[] = {"gp-ei", "neural-bo", "turbo-1", "portfolio"};
  (void)state;
  for (int i = 0; i < 4; ++i) {
    subject s;
    double x[(DESIGN + 2 * ROUNDS * Q) * D], again[Q * D];
    gannet_state saved = {0};
    gannet_random_uniform((gannet_stream){7, GANNET_FOR_TEST, 0, 0}, 0, DESIGN * D, x);
    for (int n = 0; n < 2; ++n) {
      begin(MPI_COMM_WORLD, methods[i], 0, &s);
      tell_points(&s, DESIGN, x);
      for (int round = 0; round < ROUNDS; ++round) {
        double *at = x + (ptrdiff_t)(DESIGN + round * Q) * D;
        break_models(&s, round < 2 ? FIT_FAILS : WORKS);
        if (n == 1 && round >= 1) { /* another process */
          assert_ok(gannet_optimizer_get_state(s.optimizer, &saved));
          end(&s);
          begin(MPI_COMM_WORLD, methods[i], 0, &s);
          tell_points(&s, DESIGN + round * Q, x);
          assert_ok(gannet_optimizer_set_state(s.optimizer, &saved, NULL));
          break_models(&s, round < 2 ? FIT_FAILS : WORKS);
        }
        one_round(&s, n == 0 ? at : again);
        if (n == 1) assert_memory_equal(again, at, sizeof again);
      }
      end(&s);
    }
    gannet_state_release(&saved);
  }
}

static void too_little_memory_is_an_error(void **state) {
  subject s;
  double x[Q * D];
  int64_t id[Q];
  (void)state;
  begin(MPI_COMM_WORLD, "gp-ei", 0, &s);
  tell_design(&s);
  break_models(&s, MEMORY_FAILS);
  assert_fails(GANNET_ERR_MEMORY, "made to fail", gannet_optimizer_ask(s.optimizer, Q, id, x));
  assert_int_equal(s.warnings, 0);
  end(&s);
}

/* With many results a forest proposes, and without one Sobol points. */
static void long_histories_need_no_gaussian_process(void **state) {
  enum { MANY = 1010 };
  static double x[MANY * D];
  (void)state;
  gannet_random_uniform((gannet_stream){8, GANNET_FOR_TEST, 0, 0}, 0, MANY * D, x);
  for (int i = 0; i < 2; ++i) {
    subject s;
    double made[Q * D];
    begin(MPI_COMM_WORLD, i == 0 ? "neural-bo" : "forest-ei", 0, &s);
    tell_points(&s, MANY, x);
    break_models(&s, FIT_FAILS);
    one_round(&s, made);
    check_points(made, Q);
    assert_int_equal(s.optimizer->substitute, i == 0 ? 2 : 3);
    end(&s);
  }
}

/* Results that real simulations return when something goes wrong in them. */
typedef enum { HUGE_VALUES, TINY_VALUES, EQUAL_VALUES, MIXED_VALUES, EQUAL_POINTS, CASES } nasty;

static double nasty_value(nasty kind, int i) {
  const double wave = sin(3.0 * i);
  return kind == HUGE_VALUES    ? 1e300 * wave
         : kind == TINY_VALUES  ? 1e-300 * wave
         : kind == EQUAL_VALUES ? 7
         : kind == MIXED_VALUES ? (i % 3 == 0 ? 1.7e308 * wave : wave * pow(10, -i))
                                : wave;
}

static void every_method_takes_any_numbers(void **state) {
  enum { N = 24, SAME = 60 };
  (void)state;
  for (int k = 0; gannet_methods[k] && n_ranks == 1; ++k)
    for (nasty kind = HUGE_VALUES; kind < CASES; ++kind) {
      subject s;
      double x[SAME * D], made[Q * D];
      const int n = kind == EQUAL_POINTS ? SAME : N;
      int64_t id[Q];
      begin(MPI_COMM_WORLD, gannet_methods[k]->name, 1, &s);
      gannet_random_uniform((gannet_stream){9, GANNET_FOR_TEST, 0, 0}, 0, (size_t)n * D, x);
      for (int i = 0; i < n; ++i) {
        const double c = nasty_value(kind, i + 5);
        const gannet_result result = {.objective = nasty_value(kind, i), .constraints = &c};
        const double *at = x + (kind == EQUAL_POINTS && i > 3 ? 0 : (ptrdiff_t)i * D);
        assert_ok(gannet_optimizer_tell_point(s.optimizer, at, &result, NULL));
      }
      const gannet_err err = gannet_optimizer_ask(s.optimizer, Q, id, made);
      if (err != GANNET_OK)
        fail_msg("%s, case %d: %s", gannet_methods[k]->name, (int)kind, gannet_error_message());
      check_points(made, Q);
      end(&s);
    }
}

/* After a discard the rows of the models are others than the ids that the user knows. */
static void messages_name_evaluations_by_their_ids(void **state) {
  subject s;
  double x[Q * D];
  (void)state;
  begin(MPI_COMM_WORLD, "gp-ei", 0, &s);
  tell_design(&s);
  assert_ok(gannet_optimizer_discard(s.optimizer, 0));
  assert_ok(gannet_optimizer_discard(s.optimizer, 1));
  break_models(&s, PREDICTION_IS_NO_NUMBER);
  s.part = "at evaluation 2, which it was fitted to, is not a number";
  one_round(&s, x);
  if (my_rank == 0) assert_int_equal(s.parts, 1);
  end(&s);
}

/* Discards and corrections make the members anew. */
static void settings_are_told_once(void **state) {
  const gannet_method_setting settings[] = {
      {"method", "gp-ei"}, {"cost.from", "hours"}, {"cost.weigh", "true"}};
  subject s = {.problem = make_problem(false, 0), .part = "neither budget.evaluations nor"};
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &s.context));
  gannet_context_set_log(s.context, GANNET_LOG_INFO, read_log, &s);
  assert_ok(gannet_optimizer_create(s.context, s.problem, 3, settings, &s.optimizer));
  if (my_rank == 0) assert_int_equal(s.parts, 1);
  tell_design(&s);
  assert_ok(gannet_optimizer_discard(s.optimizer, 0));
  const gannet_result better = {.objective = 3};
  assert_ok(gannet_optimizer_correct(s.optimizer, 1, &better));
  if (my_rank == 0) assert_int_equal(s.parts, 1);
  end(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_goes_on),
      cmocka_unit_test(a_model_of_a_constraint_fails),
      cmocka_unit_test(a_restart_changes_nothing),
      cmocka_unit_test(too_little_memory_is_an_error),
      cmocka_unit_test(long_histories_need_no_gaussian_process),
      cmocka_unit_test(every_method_takes_any_numbers),
      cmocka_unit_test(messages_name_evaluations_by_their_ids),
      cmocka_unit_test(settings_are_told_once),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  if (MPI_Comm_rank(MPI_COMM_WORLD, &my_rank) != MPI_SUCCESS) return 1;
  if (MPI_Comm_size(MPI_COMM_WORLD, &n_ranks) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
