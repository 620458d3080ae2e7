/* test: ranks 1 2 3 labels unit timeout 600 */
/* Methods with several objectives. */
#include <stdio.h>

#include "optimizer/objectives_fixture.h"
#include "support/shared_folder.h"

#include "optimizer/models/models_impl.h"
#include "problem/front.h"
#include "search/merit_rank.h"

enum { BATCH = 3 };

/* Methods that are tried on everything; trust = auto with a trust region. */
static const char *const methods[] = {"auto", "gp-ts", "parego", "trust"};
enum { METHODS = sizeof methods / sizeof *methods };

/* Ask for a batch and tell of it all but the last point: values, of which one may be missing, and
 * that the simulation does not work at some designs. */
static void go_on(fixture *f, int round) {
  int64_t id[BATCH];
  double x[BATCH][VARIABLES], c[BATCH][QUANTITIES];
  assert_ok(gannet_optimizer_ask(f->optimizer, BATCH, id, x[0]));
  for (int i = 0; i < BATCH - (round > 2); ++i) {
    gannet_result result = {.id = id[i], .objective = simulate(x[i], c[i]), .constraints = c[i]};
    if (x[i][0] < -0.6)
      result.outcome = GANNET_RESULT_CANNOT_RUN;
    else if (id[i] % 7 == 3)
      result.outcome = GANNET_RESULT_PARTIAL;
    if (id[i] % 7 == 3 && round % 2)
      c[i][2] = NAN;
    else if (id[i] % 7 == 3)
      result.objective = NAN;
    tell(f, result);
  }
}

static void assert_same_asks(fixture *a, fixture *b) {
  int64_t id[BATCH], other[BATCH];
  double x[BATCH][VARIABLES], y[BATCH][VARIABLES];
  assert_ok(gannet_optimizer_ask(a->optimizer, BATCH, id, x[0]));
  assert_ok(gannet_optimizer_ask(b->optimizer, BATCH, other, y[0]));
  assert_memory_equal(id, other, sizeof id);
  assert_memory_equal(x, y, sizeof x);
}

/* The same points on any number of ranks, and after a save and a load in the middle. */
static void points_are_those_of_one_rank_and_of_a_restart(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    char path[2200];
    (void)snprintf(path, sizeof path, "%s/objectives-%d.h5", folder, k);
    fixture all = make_on(MPI_COMM_WORLD, &mixed_spec, methods[k], 4);
    fixture one = make_on(MPI_COMM_SELF, &mixed_spec, methods[k], 4);
    fixture later = make_on(MPI_COMM_WORLD, &mixed_spec, methods[k], 4);
    for (int round = 0; round < 7; ++round) {
      go_on(&all, round);
      go_on(&one, round);
    }
    assert_true(gannet_history_digest(all.optimizer->history) ==
                gannet_history_digest(one.optimizer->history));
    assert_ok(gannet_optimizer_save(all.optimizer, path));
    assert_ok(gannet_optimizer_load(later.optimizer, path));
    assert_same_asks(&all, &later);
    assert_same_asks(&all, &later);
    drop(&all);
    drop(&one);
    drop(&later);
  }
}

/* Two problems whose fronts are known. */
enum { ZDT = 4 };
static const gannet_variable cube[ZDT] = {{.name = "a", .lower = 0, .upper = 1},
                                          {.name = "b", .lower = 0, .upper = 1},
                                          {.name = "c", .lower = 0, .upper = 1},
                                          {.name = "d", .lower = 0, .upper = 1}};
static const gannet_objective pair[] = {{.name = "f", .threshold = 1.1, .noise_sd = NAN},
                                        {.name = "g", .threshold = 1.1, .noise_sd = NAN}};
static const gannet_constraint disk[] = {{"disk", -INFINITY, 0}};

/* ZDT1: f2 = 1 - sqrt(f1); with a constraint that cuts the middle of the front out. */
static double zdt1(const double *x, bool constrained, double *c) {
  const double g = 1 + 9 * (x[1] + x[2] + x[3]) / 3, f = x[0], h = g * (1 - sqrt(f / g));
  if (constrained) c[0] = 0.04 - (f - 0.3) * (f - 0.3) - (h - 0.45) * (h - 0.45);
  c[constrained] = h;
  return f;
}

/* The hypervolume after 48 evaluations, up to (1.1, 1.1). */
static double hypervolume_of(const char *method, bool constrained, uint64_t seed) {
  const gannet_problem_spec spec = {.n_variables = ZDT,
                                    .variables = cube,
                                    .n_constraints = constrained,
                                    .constraints = disk,
                                    .n_objectives = 2,
                                    .objectives = pair};
  fixture f = make_on(MPI_COMM_WORLD, &spec, method, seed);
  gannet_front front = {0};
  for (int round = 0; round < 12; ++round) {
    int64_t id[4];
    double x[4][ZDT], c[2];
    assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x[0]));
    for (int i = 0; i < 4; ++i) {
      const gannet_result result = {
          .id = id[i], .objective = zdt1(x[i], constrained, c), .constraints = c};
      tell(&f, result);
    }
  }
  assert_ok(gannet_front_find(f.optimizer->history, &front));
  assert_ok(gannet_front_measure(&front));
  const double found = front.hypervolume;
  gannet_front_release(&front);
  drop(&f);
  return found;
}

/* 0.8767 is the hypervolume of the whole front. */
static void fronts_are_found(void **state) {
  (void)state;
  for (int constrained = 0; constrained < 2; ++constrained) {
    const double plain = hypervolume_of("sobol", constrained, 1);
    assert_true(plain < 0.3);
    for (int k = 0; k < METHODS; ++k)
      for (uint64_t seed = 1; seed <= 1; ++seed) {
        const double found = hypervolume_of(methods[k], constrained, seed);
        if (!(found > 0.65))
          fail_msg("%s, %s, seed %d: %g, sobol %g", methods[k],
                   constrained ? "constrained" : "free", (int)seed, found, plain);
      }
  }
}

/* What values can be. */
typedef enum {
  GREAT,
  TINY,
  CONSTANT,
  ONE_BEST,
  HOPELESS,
  NEVER_TOGETHER,
  NEVER_SECOND,
  VALUES
} kind;

static gannet_result strange_result(kind which, int64_t id, const double *x, double *c) {
  gannet_result r = {.id = id, .objective = x[0] * x[0] + x[1], .constraints = c};
  c[0] = (x[0] - 1) * (x[0] - 1) + x[1] * x[1];
  if (which == GREAT) r.objective = 1e300 * (x[0] - 0.5), c[0] *= -1e300;
  if (which == TINY) r.objective *= 1e-300, c[0] *= 1e-300;
  if (which == CONSTANT) c[0] = 7;
  if (which == ONE_BEST) c[0] = r.objective;
  if (which == HOPELESS) r.objective += 100, c[0] += 100;
  if (which == NEVER_TOGETHER || which == NEVER_SECOND) r.outcome = GANNET_RESULT_PARTIAL;
  if (which == NEVER_TOGETHER && id % 2) r.objective = NAN;
  if (which == NEVER_SECOND || (which == NEVER_TOGETHER && id % 2 == 0)) c[0] = NAN;
  return r;
}

static void strange_values_are_survived(void **state) {
  (void)state;
  for (kind which = GREAT; which < VALUES; ++which)
    for (int k = 0; k < METHODS; ++k) {
      const gannet_objective objectives[] = {
          {.name = "f", .threshold = which == HOPELESS ? 1.1 : NAN, .noise_sd = NAN},
          {.name = "g", .threshold = which == HOPELESS ? 1.1 : NAN, .noise_sd = NAN}};
      const gannet_problem_spec spec = {
          .n_variables = 2, .variables = cube, .n_objectives = 2, .objectives = objectives};
      fixture f = make_on(MPI_COMM_WORLD, &spec, methods[k], 3);
      for (int round = 0; round < 6; ++round) {
        int64_t id[BATCH];
        double x[2 * BATCH], c[1];
        assert_ok(gannet_optimizer_ask(f.optimizer, BATCH, id, x));
        for (int i = 0; i < BATCH; ++i) {
          const gannet_result r = strange_result(which, id[i], x + 2 * i, c);
          for (int v = 0; v < 2; ++v) assert_true(x[2 * i + v] >= 0 && x[2 * i + v] <= 1);
          tell(&f, r);
        }
      }
      assert_int_equal(f.optimizer->substitute, 0);
      drop(&f);
    }
}

/* Predictions are of every objective and constraint, in the user's units. */
static void every_objective_is_predicted(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    fixture f = make_on(MPI_COMM_WORLD, &mixed_spec, methods[k], 4);
    const double x[VARIABLES] = {0.2, 0.8, 3, 1};
    double c[QUANTITIES];
    gannet_prediction found[1 + QUANTITIES];
    gannet_feasibility feasibility;
    for (int round = 0; round < 9; ++round) go_on(&f, round);
    const double objective = simulate(x, c);
    assert_ok(gannet_optimizer_predict(f.optimizer, 1, x, found, &feasibility));
    for (int i = 0; i <= QUANTITIES; ++i) {
      const int m = gannet_problem_quantity_objective(f.problem, i);
      const int place = gannet_problem_place(f.problem, i);
      const double value = i > 0 ? c[i - 1] : objective;
      assert_int_equal(place, i == 1 ? 3 : m); /* the only constraint comes last */
      if (!(fabs(found[place].mean - value) < 4 * found[place].sd + 0.3))
        fail_msg("%s, quantity %d: %g +- %g for %g", methods[k], i, found[place].mean,
                 found[place].sd, value);
      if (m > 0) assert_true(found[place].kept == 1 && found[place].sd > 0);
    }
    drop(&f);
  }
}

static void assert_refused(const gannet_method_setting *settings, int n, const char *because) {
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
  f.context->level = GANNET_LOG_ERROR;
  assert_ok(gannet_problem_create(&mixed_spec, &f.problem));
  assert_int_equal(gannet_optimizer_create(f.context, f.problem, n, settings, &f.optimizer),
                   GANNET_ERR_INPUT);
  if (!strstr(gannet_error_message(), because))
    fail_msg("'%s' is not in: %s", because, gannet_error_message());
  gannet_error_clear();
  drop(&f);
}

/* What would look at the first objective alone is refused, and the message names what is not. */
static void what_knows_one_objective_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"gp-ei",  "quadratic", "turbo-1", "neural-bo-pointwise",
                                      "gp-kg",  "admmbo",    "gp-ucb",  "portfolio",
                                      "pinn-bo"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const gannet_method_setting settings[] = {{"method", names[i]}};
    assert_refused(settings, 1, "does not go with 3 objectives");
    assert_refused(settings, 1, "expected one of: auto");
  }
  const gannet_method_setting region[] = {{"method", "gp-ts"}, {"region.type", "trust"}};
  assert_refused(region, 2, "a trust region is for the methods auto and gp-nehvi");
  const gannet_method_setting single[] = {
      {"method", "auto"}, {"region.type", "trust"}, {"region.nearest", "50"}};
  assert_refused(single, 3, "this is for the trust region of a single objective");
  const gannet_method_setting network[] = {{"method", "gp-ts"}, {"surrogate.type", "pinn"}};
  assert_refused(network, 2, "held to the equations of a single objective");
  const gannet_method_setting acquisition[] = {{"method", "auto"}, {"acquisition.type", "log-ei"}};
  assert_refused(acquisition, 2, "one objective only");
  const gannet_method_setting weigh[] = {{"method", "parego"}, {"cost.weigh", "yes"}};
  assert_refused(weigh, 2, "cost.weigh");
  const gannet_method_setting good[] = {{"method", "auto"}, {"acquisition.type", "sobol"}};
  fixture f = {0};
  gannet_recommendation recommendation;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &f.context));
  assert_ok(gannet_problem_create(&mixed_spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, good, &f.optimizer));
  const double x[VARIABLES] = {0, 1, 2, 0}, objective = 1;
  assert_int_equal(gannet_optimizer_recommend(f.optimizer, &recommendation, NULL),
                   GANNET_ERR_STATE);
  assert_non_null(strstr(gannet_error_message(), "a recommendation is for a single objective"));
  gannet_error_clear();
  assert_int_equal(gannet_optimizer_tell_related(f.optimizer, 1, x, &objective), GANNET_ERR_STATE);
  assert_non_null(strstr(gannet_error_message(), "use gannet_optimizer_tell_related_results"));
  gannet_error_clear();
  drop(&f);
}

/* One design in four lies in the region, and the others everywhere; also where each runs twice. */
static void one_design_in_four_is_sought_in_the_region(void **state) {
  (void)state;
  enum { N = 8 };
  const gannet_problem_spec spec = {
      .n_variables = ZDT, .variables = cube, .n_objectives = 2, .objectives = pair};
  for (int runs = 1; runs <= 2; ++runs) {
    const gannet_method_setting settings[] = {
        {"region.type", "trust"}, {"initial", "6"}, {"replicates", runs == 1 ? "1" : "2"}};
    fixture f = {0};
    int64_t id[N];
    double x[N][ZDT];
    int inside = 0, outside = 0;
    assert_ok(gannet_context_create(MPI_COMM_WORLD, 2, &f.context));
    assert_ok(gannet_problem_create(&spec, &f.problem));
    assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
    for (int round = 0; round < 2 + 2 * runs; ++round) {
      const gannet_member_region *region = &f.optimizer->member[0].region;
      assert_ok(gannet_optimizer_ask(f.optimizer, N, id, x[0]));
      for (int i = 0; i < N; ++i) {
        const double *unit = gannet_history_x_unit(f.optimizer->history, id[i]);
        const bool is_inside = gannet_member_region_has(region, ZDT, unit);
        if (region->lower && id[i] / runs % 4 == 3) {
          assert_true(is_inside);
          inside += 1;
        }
        outside += !is_inside;
        const double second = 3 - x[i][0] + x[i][1];
        tell(&f,
             (gannet_result){
                 .id = id[i], .objective = x[i][0] + x[i][1] * x[i][1], .constraints = &second});
      }
    }
    assert_true(inside >= 4 && outside > 0);
    drop(&f);
  }
}

/* A saved optimiser goes on with other thresholds, but not with another noise of any objective. */
static void saved_objectives_have_their_noise(void **state) {
  (void)state;
  gannet_objective other[3];
  gannet_problem_spec spec = mixed_spec;
  char path[2200];
  (void)snprintf(path, sizeof path, "%s/noise.h5", folder);
  spec.objectives = other;
  fixture f = make_on(MPI_COMM_WORLD, &mixed_spec, "gp-ts", 4);
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  for (int changed = 0; changed < 2; ++changed) {
    memcpy(other, three, sizeof other);
    if (changed)
      other[2].noise_sd = 0.5;
    else
      other[1].threshold = -3;
    fixture g = make_on(MPI_COMM_WORLD, &spec, "gp-ts", 4);
    const gannet_err err = gannet_optimizer_load(g.optimizer, path);
    assert_int_equal(err, changed ? GANNET_ERR_INPUT : GANNET_OK);
    if (changed)
      assert_non_null(strstr(gannet_error_message(), "names, goals and noise of all objectives"));
    gannet_error_clear();
    drop(&g);
  }
  drop(&f);
}

/* Designs that lack an objective come after all others, wherever they are told. */
static void designs_without_an_objective_have_no_rank(void **state) {
  (void)state;
  enum { N = 9 };
  const gannet_problem_spec spec = {
      .n_variables = ZDT, .variables = cube, .n_objectives = 2, .objectives = pair};
  gannet_merit_rank merits[N];
  fixture f = make_on(MPI_COMM_WORLD, &spec, "sobol", 2);
  int64_t id[N];
  double x[N][ZDT];
  assert_ok(gannet_optimizer_ask(f.optimizer, N, id, x[0]));
  for (int i = 0; i < N; ++i) {
    double second = i % 3 == 1 ? (double)NAN : N - i;
    const gannet_result result = {
        .id = id[i], .outcome = GANNET_RESULT_PARTIAL, .objective = i, .constraints = &second};
    tell(&f, result);
  }
  assert_ok(gannet_merit_rank_all(f.optimizer->history, 0, merits));
  for (int i = 0; i < N; ++i) {
    if (i % 3 == 1)
      assert_true(isinf(merits[i].value));
    else /* the extremes have most room */
      assert_true(i == 0 || i == N - 1 ? merits[i].value == 0
                                       : merits[i].value > 0 && merits[i].value < 1);
  }
  drop(&f);
}

/* How many of the rounds the same points are proposed with logarithms of both objectives and by
 * default. Values grow like 1 / width towards two sides of the square. */
static int rounds_alike(double width) {
  enum { ROUNDS = 5, Q = 4 };
  fixture f[2];
  int alike = 0;
  for (int k = 0; k < 2; ++k) {
    const gannet_objective_transform transform =
        k == 0 ? GANNET_OBJECTIVE_TRANSFORM_AUTO : GANNET_OBJECTIVE_TRANSFORM_LOG;
    const gannet_objective two[] = {
        {.name = "drag", .threshold = 1e9, .noise_sd = NAN, .transform = transform},
        {.name = "mass", .threshold = 1e9, .noise_sd = NAN, .transform = transform}};
    const gannet_problem_spec spec = {
        .n_variables = 2, .variables = mixed, .n_objectives = 2, .objectives = two};
    f[k] = make_on(MPI_COMM_WORLD, &spec, "gp-nehvi", 2);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    double x[2][Q][2];
    for (int k = 0; k < 2; ++k) {
      int64_t id[Q];
      assert_ok(gannet_optimizer_ask(f[k].optimizer, Q, id, x[k][0]));
      for (int i = 0; i < Q; ++i) {
        const double a = x[k][i][0] + 1, b = x[k][i][1];
        /* The ends of the front are told first. */
        const double u = round > 0 || i > 1 ? a : 2.0 * i, v = round > 0 || i > 1 ? b : 2.0 - 2 * i;
        const double y[] = {1 / (width + u) + 0.1 * v, 1 / (width + v) + 0.1 * u};
        const gannet_result result = {.id = id[i], .objectives = y};
        assert_ok(gannet_optimizer_tell(f[k].optimizer, 1, &result));
      }
    }
    alike += memcmp(x[0], x[1], sizeof x[0]) == 0;
  }
  drop(&f[0]);
  drop(&f[1]);
  return alike;
}

static void logarithms_are_taken_of_a_front_that_spreads_far(void **state) {
  (void)state;
  assert_int_equal(rounds_alike(1e-6), 5);
  assert_int_equal(rounds_alike(1), 2); /* the initial design */
}

/* What was learnt of values says nothing of logarithms: where they are taken from one result to the
 * next, models learn at once, whatever refit says. Nothing is learnt anew after a restart. */
static void models_learn_when_logarithms_begin(void **state) {
  (void)state;
  enum { Q = 16 };
  const gannet_problem_spec spec = {
      .n_variables = ZDT, .variables = cube, .n_objectives = 2, .objectives = pair};
  char path[2200];
  (void)snprintf(path, sizeof path, "%s/learned.h5", folder);
  fixture f = make_on(MPI_COMM_WORLD, &spec, "auto", 2);
  fixture later = make_on(MPI_COMM_WORLD, &spec, "auto", 2);
  int64_t id[Q];
  double x[Q][ZDT];
  for (int round = 0; round < 4; ++round) {
    const gannet_model *model = f.optimizer->member[0].models->model;
    const int n = round < 2 ? Q : 1;
    assert_ok(gannet_optimizer_ask(f.optimizer, n, id, x[0]));
    /* With 5 % of 32 results more, models are due after 34. */
    if (round > 0) assert_int_equal(model[0].n_learned, round == 3 ? 33 : Q * round);
    for (int i = 0; i < n; ++i) {
      const bool is_far = round == 2; /* it is the best one in the second objective */
      const double second = is_far ? -1 : 1 - x[i][0] + x[i][1];
      tell(&f, (gannet_result){
                   .id = id[i], .objective = is_far ? 1e9 : x[i][0], .constraints = &second});
    }
  }
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  assert_ok(gannet_optimizer_load(later.optimizer, path));
  assert_ok(gannet_optimizer_ask(later.optimizer, 1, id, x[0]));
  assert_int_equal(later.optimizer->member[0].models->model[0].n_learned, 33);
  drop(&f);
  drop(&later);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_those_of_one_rank_and_of_a_restart),
      cmocka_unit_test(logarithms_are_taken_of_a_front_that_spreads_far),
      cmocka_unit_test(models_learn_when_logarithms_begin),
      cmocka_unit_test(fronts_are_found),
      cmocka_unit_test(strange_values_are_survived),
      cmocka_unit_test(every_objective_is_predicted),
      cmocka_unit_test(what_knows_one_objective_is_refused),
      cmocka_unit_test(one_design_in_four_is_sought_in_the_region),
      cmocka_unit_test(saved_objectives_have_their_noise),
      cmocka_unit_test(designs_without_an_objective_have_no_rank),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
