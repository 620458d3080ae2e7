/* test: ranks 1 2 3 labels unit timeout 300 */
/* Results of related problems: they help where they agree with the results, and change no bit where
 * they do not; saved and loaded optimisers have them; what cannot be is refused. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "optimizer/fixture.h"
#include "support/folder.h"

enum { D = 2, FROM = 40, ASKS = 14, Q = 2 };

static const gannet_variable square[D] = {
    {.name = "a", .lower = 0, .upper = 1},
    {.name = "b", .lower = 0, .upper = 1},
};

static fixture make(const char *method, const gannet_constraint *limit) {
  const gannet_method_setting settings[] = {
      {"method", method}, {"initial", "4"}, {"search.candidates", "500"}};
  const gannet_problem_spec spec = {
      .n_variables = D, .variables = square, .n_constraints = limit ? 1 : 0, .constraints = limit};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
  return f;
}

/* Many waves on a bowl. */
static double waves(const double *x) {
  return 3 * (x[0] - 0.7) * (x[0] - 0.7) + 2 * (x[1] - 0.2) * (x[1] - 0.2) +
         0.5 * sin(9 * x[0]) * cos(7 * x[1]);
}

/* Points of an additive recurrence (Roberts 2018), which fill the square evenly. */
static void spread(int n, double *x) {
  for (int i = 0; i < n; ++i) {
    x[2 * i] = fmod(0.5 + 0.7548776662466927 * (i + 1), 1);
    x[2 * i + 1] = fmod(0.5 + 0.5698402909980532 * (i + 1), 1);
  }
}

static void tell_source(fixture *f, double factor, double shift) {
  double x[FROM * D], y[FROM];
  spread(FROM, x);
  for (int i = 0; i < FROM; ++i) y[i] = factor * waves(x + (ptrdiff_t)i * D) + shift;
  assert_ok(gannet_optimizer_tell_related(f->optimizer, FROM, x, y));
}

/* points  out  [ASKS][Q][D] */
static void run(fixture *f, int asks, double *points) {
  int64_t id[Q];
  for (int t = 0; t < asks; ++t, points += (ptrdiff_t)Q * D) {
    assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, points));
    for (int i = 0; i < Q; ++i) {
      const double *at = points + (ptrdiff_t)i * D;
      const gannet_result result = {.id = id[i],
                                    .objective = waves(at),
                                    .constraints = f->problem->spec.n_constraints ? at : NULL};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
  }
}

/* What was saved is loaded with the rest: the points that follow are the same. */
static void check_loaded(fixture *saved, fixture *loaded,
                         void (*run_some)(fixture *, int, double *)) {
  double points[2 * Q * D], again[2 * Q * D];
  char path[100];
  (void)snprintf(path, sizeof path, "/tmp/gannet-related-%lld.h5", (long long)getppid());
  assert_ok(gannet_optimizer_save(saved->optimizer, path));
  assert_ok(gannet_optimizer_load(loaded->optimizer, path));
  run_some(saved, 2, points);
  run_some(loaded, 2, again);
  assert_memory_equal(points, again, sizeof points);
  MPI_Barrier(MPI_COMM_WORLD);
  if (saved->context->rank == 0) (void)unlink(path);
}

static double weight_of(const fixture *f, int which, int model) {
  gannet_state state = {0};
  assert_ok(gannet_optimizer_get_state(f->optimizer, &state));
  const double found = gannet_optimizer_related_weight(&state, which, model);
  gannet_state_release(&state);
  return found;
}

static double weight(const fixture *f, int which) {
  return weight_of(f, which, 0);
}

static const char *const methods[] = {"auto",      "gp-ei",     "gp-ts",
                                      "neural-bo", "forest-ei", "turbo-1"};
enum { METHODS = sizeof methods / sizeof *methods };

/* The negative of a problem, and nonsense, are found out: the points are those without them. */
static void what_is_not_related_changes_nothing(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    double plain[ASKS * Q * D], told[ASKS * Q * D];
    fixture f = make(methods[k], NULL), g = make(methods[k], NULL);
    tell_source(&g, -1, 5);
    run(&f, 6, plain);
    run(&g, 6, told);
    assert_memory_equal(plain, told, (size_t)6 * Q * D * sizeof *plain);
    assert_false(weight(&g, 0) > 0);
    drop(&f);
    drop(&g);
  }
}

/* The same problem in other units: after the first design the model knows it nearly. */
static void what_is_related_is_a_prior(void **state) {
  (void)state;
  for (int k = 0; k < METHODS; ++k) {
    double points[ASKS * Q * D];
    fixture f = make(methods[k], NULL);
    tell_source(&f, 40, -300);
    run(&f, 4, points);
    if (!(weight(&f, 0) > 0.5)) fail_msg("%s: weight %g", methods[k], weight(&f, 0));
    gannet_best best;
    gannet_optimizer_best(f.optimizer, &best, points);
    if (!(best.objective < -0.2)) fail_msg("%s: best %g", methods[k], best.objective);
    drop(&f);
  }
}

/* The mean of the model is that of the source, shifted and scaled, with gradients and draws. */
static void models_agree_with_themselves(void **state) {
  const double h = 1e-6;
  (void)state;
  fixture f = make("gp-ts", NULL);
  double points[ASKS * Q * D];
  tell_source(&f, 40, -300);
  run(&f, 4, points);
  gannet_models *models = f.optimizer->member[0].models;
  const gannet_surrogate *s = gannet_models_surrogate(models, 0);
  const double at[] = {0.33, 0.61};
  double mean, sd, by_mean[D], by_sd[D], draw, by_draw[D], values[8];
  assert_ok(gannet_models_prepare(models, NULL, 99));
  assert_ok(gannet_models_fit(models));
  assert_ok(gannet_surrogate_predict_gradient(s, at, &mean, &sd, by_mean, by_sd));
  assert_ok(gannet_models_sample(models, 2, 99));
  assert_ok(gannet_surrogate_draw_gradient(s, 1, at, &draw, by_draw));
  assert_ok(gannet_surrogate_draw_values(s, 1, at, values, 1));
  assert_near(values[1], draw, 1e-9);
  for (int k = 0; k < D; ++k) {
    double to[D], high[2], low[2], other[D];
    memcpy(to, at, sizeof to);
    to[k] = at[k] + h;
    assert_ok(gannet_surrogate_predict(s, 1, to, &high[0], &high[1]));
    assert_ok(gannet_surrogate_draw_gradient(s, 1, to, &values[0], other));
    to[k] = at[k] - h;
    assert_ok(gannet_surrogate_predict(s, 1, to, &low[0], &low[1]));
    assert_ok(gannet_surrogate_draw_gradient(s, 1, to, &values[1], other));
    assert_near(by_mean[k], (high[0] - low[0]) / (2 * h), 1e-4 * (1 + fabs(by_mean[k])));
    assert_near(by_sd[k], (high[1] - low[1]) / (2 * h), 1e-3 * (1 + fabs(by_sd[k])));
    assert_near(by_draw[k], (values[0] - values[1]) / (2 * h), 1e-4 * (1 + fabs(by_draw[k])));
  }
  drop(&f);
}

/* A source without a variable tells about the others, several sources are told apart, and far
 * designs do no harm. Constraints of the problem remain its own. */
static void sources_are_told_apart(void **state) {
  static const gannet_constraint limit[] = {{"left", -INFINITY, 0.9}};
  (void)state;
  fixture f = make("gp-ei", limit);
  double x[FROM * D], y[FROM], points[ASKS * Q * D];
  spread(FROM, x);
  for (int i = 0; i < FROM; ++i) y[i] = cos(40 * x[2 * i] * x[2 * i + 1]); /* of another problem */
  assert_ok(gannet_optimizer_tell_related(f.optimizer, FROM, x, y));
  tell_source(&f, 2, 1);
  for (int i = 0; i < FROM; ++i) {
    y[i] = fabs(x[2 * i] - 0.7);
    x[2 * i] = 3 * x[2 * i] - 1; /* a third is inside */
    x[2 * i + 1] = NAN;
  }
  assert_ok(gannet_optimizer_tell_related(f.optimizer, FROM, x, y));
  run(&f, 3, points);
  if (!(weight(&f, 1) > 0.5 && weight(&f, 0) < 0.5))
    fail_msg("weights %g, %g, %g", weight(&f, 0), weight(&f, 1), weight(&f, 2));
  assert_true(isnan(weight(&f, 3)));
  drop(&f);
}

/* A constraint that waves, with limits on both sides. */
static double ripples(const double *x) {
  return sin(8 * x[0]) * cos(6 * x[1]);
}

/* Tell a source in which the constraint is factor * ripples, and the objective that of another
 * problem; some rows know only one of the two. */
static void tell_ripples(fixture *f, double factor) {
  double x[FROM * D], c[FROM];
  gannet_result results[FROM];
  spread(FROM, x);
  for (int i = 0; i < FROM; ++i) {
    c[i] = i == 3 ? NAN : factor * ripples(x + (ptrdiff_t)i * D) + 0.1;
    results[i] = (gannet_result){.outcome = i % 2 ? GANNET_RESULT_PARTIAL : GANNET_RESULT_OK,
                                 .objective = i == 5 ? NAN : cos(40 * x[2 * i] * x[2 * i + 1]),
                                 .constraints = &c[i]};
  }
  assert_ok(gannet_optimizer_tell_related_results(f->optimizer, FROM, x, results));
}

static void run_ripples(fixture *f, int asks, double *points) {
  int64_t id[Q];
  for (int t = 0; t < asks; ++t, points += (ptrdiff_t)Q * D) {
    assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, points));
    for (int i = 0; i < Q; ++i) {
      const double *at = points + (ptrdiff_t)i * D, c = ripples(at);
      const gannet_result result = {.id = id[i], .objective = waves(at), .constraints = &c};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
  }
}

/* Constraints have priors of their own, where the results agree; a negative changes no bit. */
static void constraints_have_priors(void **state) {
  static const gannet_constraint limits[] = {{"ripples", -0.5, 0.4}};
  static const char *const some[] = {"gp-ei", "scbo", "auto"};
  (void)state;
  for (size_t k = 0; k < sizeof some / sizeof *some; ++k) {
    double plain[ASKS * Q * D], told[ASKS * Q * D];
    fixture f = make(some[k], limits), g = make(some[k], limits), h = make(some[k], limits);
    fixture reloaded = make(some[k], limits);
    run_ripples(&f, 6, plain);
    tell_ripples(&g, -1);
    run_ripples(&g, 6, told);
    assert_memory_equal(plain, told, (size_t)6 * Q * D * sizeof *plain);
    tell_ripples(&h, 3);
    run_ripples(&h, 4, told);
    for (int model = 1; model <= 2; ++model)
      if (!(weight_of(&h, 0, model) > 0.5 && !(weight_of(&g, 0, model) > 0)))
        fail_msg("%s: weights %g, %g", some[k], weight_of(&h, 0, model), weight_of(&g, 0, model));
    assert_false(weight(&h, 0) > 0);
    check_loaded(&h, &reloaded, run_ripples);
    drop(&f);
    drop(&g);
    drop(&h);
    drop(&reloaded);
  }
}

static fixture make_pair(const char *method) {
  static const gannet_constraint limits[] = {{"ripples", -INFINITY, 0.4}};
  static const gannet_objective objectives[] = {
      {.name = "drag", .threshold = NAN},
      {.name = "lift", .goal = GANNET_MAXIMIZE, .threshold = NAN}};
  const gannet_method_setting settings[] = {
      {"method", method}, {"initial", "6"}, {"search.candidates", "500"}};
  const gannet_problem_spec spec = {.n_variables = D,
                                    .variables = square,
                                    .n_constraints = 1,
                                    .constraints = limits,
                                    .n_objectives = 2,
                                    .objectives = objectives};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 3, settings, &f.optimizer));
  return f;
}

static double lift_of(const double *x) {
  return sin(5 * x[0] + 1) + 2 * x[1] * (1 - x[1]);
}

/* Tell a source in which lift is factor * lift_of, and drag that of another problem; some rows know
 * only one of the two. */
static void tell_pair(fixture *f, double factor) {
  double x[FROM * D], y[FROM][2], c[FROM];
  gannet_result results[FROM];
  spread(FROM, x);
  for (int i = 0; i < FROM; ++i) {
    const double *at = x + (ptrdiff_t)i * D;
    y[i][0] = i % 5 == 3 ? NAN : cos(40 * at[0] * at[1]);
    y[i][1] = i % 5 == 4 ? NAN : factor * lift_of(at) - 7;
    c[i] = NAN;
    results[i] =
        (gannet_result){.outcome = GANNET_RESULT_PARTIAL, .objectives = y[i], .constraints = &c[i]};
  }
  assert_ok(gannet_optimizer_tell_related_results(f->optimizer, FROM, x, results));
}

static void run_pair(fixture *f, int asks, double *points) {
  int64_t id[Q];
  for (int t = 0; t < asks; ++t, points += (ptrdiff_t)Q * D) {
    assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, points));
    for (int i = 0; i < Q; ++i) {
      const double *at = points + (ptrdiff_t)i * D, c = ripples(at), y[] = {waves(at), lift_of(at)};
      const gannet_result result = {.id = id[i], .objectives = y, .constraints = &c};
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
    }
  }
}

/* Each of several objectives has a prior of its own where the results agree. A negative changes no
 * bit, nor does anything where one model stands for all objectives. */
static void each_of_several_objectives_has_a_prior(void **state) {
  static const char *const some[] = {"auto", "gp-ts", "neural-bo", "parego"};
  enum { LIFT = -1 };
  (void)state;
  for (size_t k = 0; k < sizeof some / sizeof *some; ++k) {
    double plain[ASKS * Q * D], told[ASKS * Q * D];
    const size_t size = (size_t)6 * Q * D * sizeof *plain;
    const bool is_single = strcmp(some[k], "parego") == 0;
    fixture f = make_pair(some[k]), g = make_pair(some[k]), h = make_pair(some[k]);
    fixture reloaded = make_pair(some[k]);
    run_pair(&f, 6, plain);
    tell_pair(&g, -1);
    run_pair(&g, 6, told);
    assert_memory_equal(plain, told, size);
    tell_pair(&h, 3);
    run_pair(&h, 6, told);
    assert_true(is_single == (memcmp(plain, told, size) == 0));
    const double lift = weight_of(&h, 0, LIFT);
    if (is_single ? !isnan(lift) : !(lift > 0.5 && !(weight_of(&g, 0, LIFT) > 0)))
      fail_msg("%s: weights %g, %g", some[k], lift, weight_of(&g, 0, LIFT));
    assert_false(weight(&h, 0) > 0);
    check_loaded(&h, &reloaded, run_pair);
    drop(&f);
    drop(&g);
    drop(&h);
    drop(&reloaded);
  }
}

static void they_are_saved(void **state) {
  (void)state;
  fixture f = make("auto", NULL), g = make("auto", NULL);
  double points[ASKS * Q * D];
  tell_source(&f, 40, -300);
  run(&f, 4, points);
  check_loaded(&f, &g, run);
  assert_int_equal(gannet_related_count(g.optimizer->related), 1);
  drop(&f);
  drop(&g);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  fixture f = make("gp-ei", NULL);
  const double y[] = {1, 2, INFINITY}, x[] = {0.1, 0.2, 0.3, 0.4}, far[] = {0.1, 0.2, 0.3, 1e7},
               some[] = {0.1, 0.2, 0.3, NAN}, none[] = {NAN, NAN, NAN, NAN};
  gannet_optimizer *o = f.optimizer;
  assert_fails(GANNET_ERR_INPUT, "1 results of a related problem, expected at least 2",
               gannet_optimizer_tell_related(o, 1, x, y));
  assert_fails(GANNET_ERR_INPUT, "variable b: 1e+07 is further outside",
               gannet_optimizer_tell_related(o, 2, far, y));
  assert_fails(GANNET_ERR_INPUT, "variable b: 1 of 2 results of a related problem have a value",
               gannet_optimizer_tell_related(o, 2, some, y));
  assert_fails(GANNET_ERR_INPUT, "the related problem has no variable of this one",
               gannet_optimizer_tell_related(o, 2, none, y));
  assert_fails(GANNET_ERR_INPUT, "result 2 of a related problem: objective = inf",
               gannet_optimizer_tell_related(o, 2, x, y + 1));
  gannet_result results[] = {{.objective = 1}, {.outcome = GANNET_RESULT_CANNOT_RUN}};
  assert_fails(GANNET_ERR_INPUT, "result 2 of a related problem: outcome = 1, expected",
               gannet_optimizer_tell_related_results(o, 2, x, results));
  results[1] = (gannet_result){.objective = NAN};
  assert_fails(GANNET_ERR_INPUT, "result 2 of a related problem has no value of any",
               gannet_optimizer_tell_related_results(o, 2, x, results));
  static const gannet_constraint limit[] = {{"left", -INFINITY, 0.9}};
  fixture g = make("gp-ei", limit);
  results[1] = (gannet_result){.objective = 2, .constraints = y + 2};
  assert_fails(GANNET_ERR_INPUT, "result 2 of a related problem: constraint left = inf",
               gannet_optimizer_tell_related_results(g.optimizer, 2, x, results));
  drop(&g);
  g = make_pair("gp-ts");
  assert_fails(GANNET_ERR_STATE,
               "the problem has 2 objectives; use gannet_optimizer_tell_related_results",
               gannet_optimizer_tell_related(g.optimizer, 2, x, y));
  const double first[] = {1, 2}, second[] = {1, INFINITY};
  const gannet_result pairs[] = {{.objectives = first}, {.objectives = second}};
  assert_fails(GANNET_ERR_INPUT, "result 2 of a related problem: objective lift = inf",
               gannet_optimizer_tell_related_results(g.optimizer, 2, x, pairs));
  drop(&g);
  for (int i = 0; i < 8; ++i) assert_ok(gannet_optimizer_tell_related(o, 2, x, y));
  assert_fails(GANNET_ERR_INPUT, "more than 8 related problems",
               gannet_optimizer_tell_related(o, 2, x, y));
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) {
    const double own[] = {0.1 + 0.01 * f.context->rank, 0, 0.3, 0.4};
    assert_fails(GANNET_ERR_RANKS, "results of a related problem",
                 gannet_optimizer_tell_related(o, 2, own, y));
  }
  drop(&f);
}

/* gannet_log_sink */
static void count_warnings(void *user, gannet_log_level level, int rank, const char *line) {
  (void)rank;
  if (level == GANNET_LOG_WARNING && strstr(line, "does not use the results of a related problem"))
    *(int *)user += 1;
}

static void methods_that_do_not_use_them_say_so(void **state) {
  static const char *const some[] = {"parego", "sobol", "auto"};
  (void)state;
  for (int k = 0; k < 3; ++k) {
    int warnings = 0;
    fixture f = make_pair(some[k]);
    gannet_context_set_log(f.context, GANNET_LOG_INFO, count_warnings, &warnings);
    tell_pair(&f, 3);
    assert_int_equal(warnings, f.context->rank == 0 && k < 2);
    drop(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_related_changes_nothing),
      cmocka_unit_test(what_is_related_is_a_prior),
      cmocka_unit_test(models_agree_with_themselves),
      cmocka_unit_test(sources_are_told_apart),
      cmocka_unit_test(constraints_have_priors),
      cmocka_unit_test(each_of_several_objectives_has_a_prior),
      cmocka_unit_test(they_are_saved),
      cmocka_unit_test(what_cannot_be_is_refused),
      cmocka_unit_test(methods_that_do_not_use_them_say_so),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
