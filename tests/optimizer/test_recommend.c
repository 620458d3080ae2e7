/* test: ranks 1 2 labels unit timeout 60 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "base/memory.h"
#include "base/random.h"
#include "optimizer/models/models.h"
#include "optimizer/recommend.h"

enum { SIDE = 7, POINTS = SIDE * SIDE, LUCKY = 14 };

static const gannet_variable square[] = {
    {.name = "a", .lower = -1, .upper = 1},
    {.name = "b", .lower = -1, .upper = 1},
};

static fixture make(gannet_goal goal, double noise, int n_bounds) {
  static const gannet_constraint bound[] = {{"c", -INFINITY, 0}};
  const gannet_method_setting settings[] = {{"method", "sobol"}};
  const gannet_problem_spec spec = {.n_variables = 2,
                                    .variables = square,
                                    .n_constraints = n_bounds,
                                    .constraints = bound,
                                    .goal = goal,
                                    .noise_sd = noise};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
  return f;
}

static void tell(fixture *f, double a, double b, double value, double c) {
  const double x[] = {a, b};
  const gannet_result result = {.objective = value, .constraints = &c};
  assert_ok(gannet_optimizer_tell_point(f->optimizer, x, &result, NULL));
}

/* A bowl of depth 1.5 on a grid, with noise of 0.2; evaluation LUCKY at the edge has the best value
 * and is 0.8 above the middle in truth. */
static const double least = -0.3;

static void tell_bowl(fixture *f, double sign) {
  double noise[POINTS];
  gannet_random_normal((gannet_stream){1, GANNET_FOR_SIMULATION, 0, 0}, 0, POINTS, noise);
  for (int i = 0; i < POINTS; ++i) {
    const double a = (i % SIDE - SIDE / 2) / (SIDE / 2.0), b = (i / SIDE - SIDE / 2) / (SIDE / 2.0);
    const double value = i == LUCKY ? least : a * a + b * b + 0.2 * noise[i];
    tell(f, a, b, sign * value, 0);
  }
}

static void luck_is_not_recommended(void **state) {
  (void)state;
  double mean[2];
  int64_t id[2];
  for (int k = 0; k < 2; ++k) {
    fixture f = make(k == 0 ? GANNET_MINIMIZE : GANNET_MAXIMIZE, NAN, 0);
    gannet_recommendation r;
    gannet_best best;
    double x[2];
    tell_bowl(&f, k == 0 ? 1 : -1);
    gannet_optimizer_best(f.optimizer, &best, x);
    assert_int_equal(best.id, LUCKY);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r, x));
    if (!(hypot(x[0], x[1]) < 0.5)) fail_msg("(%g, %g) is recommended", x[0], x[1]);
    assert_true(fabs(r.mean) < 0.3 && r.sd > 0 && r.sd < 0.3);
    assert_true(r.noise_sd > 0.05 && r.noise_sd < 0.5);
    mean[k] = r.mean;
    id[k] = r.id;
    drop(&f);
  }
  assert_int_equal(id[0], id[1]);
  assert_true(fabs(mean[0] + mean[1]) < 1e-9);
}

/* Not what it infers, about 0.2: with less noise the lucky one is believed. */
static void noise_is_what_the_problem_says(void **state) {
  static const double noises[] = {0.02, 0.2, 1, 1e-9};
  (void)state;
  for (int k = 0; k < 4; ++k) {
    fixture f = make(k == 1 ? GANNET_MAXIMIZE : GANNET_MINIMIZE, noises[k], 0);
    gannet_recommendation r;
    tell_bowl(&f, k == 1 ? -1 : 1);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
    assert_true(r.noise_sd == noises[k]);
    assert_true((r.id == LUCKY) == (k % 3 == 0));
    drop(&f);
  }
}

static void noise_may_be_far_above_all_values(void **state) {
  static const char *const methods[] = {"auto",      "gp-ei", "neural-bo",
                                        "forest-ei", "dngo",  "go-ucb"};
  (void)state;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    const gannet_method_setting settings[] = {{"method", methods[k]}};
    fixture f = make(GANNET_MINIMIZE, k % 2 ? 1e160 : 1e300, 0);
    gannet_recommendation r;
    int64_t id = -1;
    double x[2] = {NAN, NAN};
    gannet_optimizer_destroy(&f.optimizer);
    assert_ok(gannet_optimizer_create(f.context, f.problem, 1, settings, &f.optimizer));
    tell_bowl(&f, 1);
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    assert_true(fabs(x[0]) <= 1 && fabs(x[1]) <= 1);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
    assert_true(r.id >= 0 && isfinite(r.mean) && isfinite(r.sd));
    assert_true(r.noise_sd == (k % 2 ? 1e160 : 1e300));
    drop(&f);
  }
}

static void exact_values_are_taken_at_their_word(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, 0, 0);
  gannet_recommendation r;
  double x[2] = {7, 7};
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, x));
  assert_int_equal(r.id, -1);
  assert_true(x[0] == 7);
  tell_bowl(&f, 1);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
  assert_int_equal(r.id, LUCKY);
  assert_true(r.mean == least && r.sd == 0 && r.noise_sd == 0);
  drop(&f);
}

/* Three results make no model: the best value is as uncertain as any. */
static void few_results_tell_nothing_of_noise(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture f = make(GANNET_MINIMIZE, k == 0 ? NAN : 0.3, 0);
    gannet_recommendation r;
    for (int i = 0; i < 3; ++i) tell(&f, 0.2 * i, 0, i, 0);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
    assert_true(r.id == 0 && r.mean == 0);
    if (k == 0) assert_true(isnan(r.noise_sd) && isnan(r.sd));
    if (k == 1) assert_true(r.noise_sd == 0.3 && r.sd == 0.3);
    tell(&f, -0.5, 0.5, 3, 0);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
    assert_true(r.noise_sd > 0 && r.sd > 0);
    drop(&f);
  }
}

static void few_results_and_constraints_are_respected(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, NAN, 1);
  gannet_recommendation r;
  tell(&f, 0, 0, -5, 1);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
  assert_int_equal(r.id, -1);
  tell(&f, 0.5, 0, 2, -1);
  tell(&f, 0.5, 0.5, 1, -1);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
  assert_int_equal(r.id, 2);
  assert_true(r.mean == 1);
  tell(&f, 0, 0.1, -4, 1);
  tell(&f, 0.1, 0, -4, 1);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
  assert_true(r.id == 1 || r.id == 2);
  drop(&f);
}

/* Of many results the model takes those near the best ones: results far away may be anything, and
 * the lucky one, whose neighbours know better, is still not recommended. */
static void far_results_of_many_do_not_matter(void **state) {
  enum { MANY = GANNET_RECOMMEND_MOST + 1500 };
  (void)state;
  gannet_recommendation r[2];
  double *x = NULL, *noise = NULL;
  assert_ok(gannet_alloc(2 * MANY, sizeof *x, &x));
  assert_ok(gannet_alloc(MANY, sizeof *noise, &noise));
  gannet_random_uniform((gannet_stream){2, GANNET_FOR_TEST, 0, 0}, 0, 2 * MANY, x);
  gannet_random_normal((gannet_stream){2, GANNET_FOR_SIMULATION, 0, 0}, 0, MANY, noise);
  for (int k = 0; k < 2; ++k) {
    fixture f = make(GANNET_MINIMIZE, 0.2, 0);
    double best[2] = {NAN, NAN};
    for (int i = 0; i < MANY; ++i) {
      const double a = 2 * x[2 * i] - 1, b = 2 * x[2 * i + 1] - 1, bowl = a * a + b * b;
      const double far = k == 1 && bowl > 1.6 ? 3 : 0;
      tell(&f, a, b, bowl + 0.2 * noise[i] + far, 0);
    }
    tell(&f, 0.3, -0.3, -1.5, 0);
    assert_ok(gannet_optimizer_recommend(f.optimizer, &r[k], best));
    if (!(hypot(best[0], best[1]) < 0.25)) fail_msg("(%g, %g) is recommended", best[0], best[1]);
    drop(&f);
  }
  assert_int_equal(r[0].id, r[1].id);
  assert_true(r[0].mean == r[1].mean && r[0].sd == r[1].sd);
  gannet_free(&x);
  gannet_free(&noise);
}

static bool fit_fails;
gannet_err __real_gannet_models_fit(gannet_models *models);
gannet_err __wrap_gannet_models_fit(gannet_models *models);

/* In place of gannet_models_fit, by the linker: numbers do not work out. */
gannet_err __wrap_gannet_models_fit(gannet_models *models) {
  const gannet_err err = __real_gannet_models_fit(models);
  if (!fit_fails || err != GANNET_OK) return err;
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "made to fail");
}

static void a_model_that_fails_leaves_the_best_value(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, NAN, 0);
  gannet_recommendation r;
  tell_bowl(&f, 1);
  fit_fails = true;
  const gannet_err err = gannet_optimizer_recommend(f.optimizer, &r, NULL);
  fit_fails = false;
  assert_ok(err);
  assert_int_equal(r.id, LUCKY);
  assert_true(r.mean == least);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &r, NULL));
  assert_int_not_equal(r.id, LUCKY);
  drop(&f);
}

static void null_pointers_are_told(void **state) {
  (void)state;
  fixture f = make(GANNET_MINIMIZE, 0, 0);
  gannet_recommendation r;
  assert_int_equal(gannet_optimizer_recommend(NULL, &r, NULL), GANNET_ERR_ARG);
  assert_int_equal(gannet_optimizer_recommend(f.optimizer, NULL, NULL), GANNET_ERR_ARG);
  gannet_error_clear();
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(luck_is_not_recommended),
      cmocka_unit_test(noise_is_what_the_problem_says),
      cmocka_unit_test(noise_may_be_far_above_all_values),
      cmocka_unit_test(exact_values_are_taken_at_their_word),
      cmocka_unit_test(few_results_tell_nothing_of_noise),
      cmocka_unit_test(few_results_and_constraints_are_respected),
      cmocka_unit_test(far_results_of_many_do_not_matter),
      cmocka_unit_test(a_model_that_fails_leaves_the_best_value),
      cmocka_unit_test(null_pointers_are_told),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
