/* test: ranks 1 2 labels unit timeout 300 */
/* Designs that are asked for several times, through the public interface. */
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"

enum { D = 2, MOST = 60 };

static const gannet_variable box[D] = {{.name = "x", .lower = -1, .upper = 1},
                                       {.name = "y", .lower = 0, .upper = 5}};

static gannet_err create(const char *method, const char *replicates, double noise, fixture *f) {
  const gannet_method_setting settings[] = {
      {"method", method}, {"initial", "4"}, {"replicates", replicates}};
  const gannet_problem_spec spec = {.n_variables = D, .variables = box, .noise_sd = noise};
  *f = (fixture){0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  return gannet_optimizer_create(f->context, f->problem, 3, settings, &f->optimizer);
}

/* With noise that follows the number of the evaluation. */
static double value_at(int64_t id, const double *x) {
  return (x[0] - 0.2) * (x[0] - 0.2) + 0.1 * (x[1] - 3) * (x[1] - 3) +
         0.2 * ((double)(id * 37 % 23) / 23 - 0.5);
}

/* Ask for q points and tell them; x: [q][D]. Returns the first id. */
static int64_t go_on(fixture *f, int q, double *x) {
  int64_t id[MOST];
  assert_ok(gannet_optimizer_ask(f->optimizer, q, id, x));
  for (int i = 0; i < q; ++i) {
    const gannet_result result = {.id = id[i], .objective = value_at(id[i], x + (ptrdiff_t)i * D)};
    assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
  return id[0];
}

static bool same(const double *a, const double *b) {
  return memcmp(a, b, D * sizeof *a) == 0;
}

static void every_design_comes_three_times_in_a_row(void **state) {
  static const char *const methods[] = {"auto",   "gp-ei", "turbo-1",  "quadratic",
                                        "random", "sobol", "portfolio"};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    fixture f;
    double x[MOST][D];
    int n = 0;
    assert_ok(create(methods[m], "3", NAN, &f));
    for (int round = 0; round < 6; ++round) {
      const int q = 1 + (5 * round) % 8;
      (void)go_on(&f, q, x[n]);
      n += q;
    }
    for (int i = 1; i < n; ++i) assert_int_equal(same(x[i], x[i - 1]), i % 3 > 0);
    for (int i = 3; i < n; ++i)
      for (int j = 0; j < i - i % 3; ++j) assert_false(same(x[i], x[j]));
    drop(&f);
  }
}

/* The best is the design with the best mean, with its standard error. */
static void the_best_is_a_design(void **state) {
  fixture f;
  double x[MOST][D], at[D], least = INFINITY, error = 0;
  int best_at = 0;
  gannet_best best;
  (void)state;
  assert_ok(create("gp-ei", "3", NAN, &f));
  for (int n = 0; n < 30; n += 6) (void)go_on(&f, 6, x[n]);
  for (int i = 0; i < 30; i += 3) {
    double mean = 0, squares = 0;
    for (int k = 0; k < 3; ++k) mean += value_at(i + k, x[i]) / 3;
    for (int k = 0; k < 3; ++k) squares += pow(value_at(i + k, x[i]) - mean, 2);
    if (mean >= least) continue;
    least = mean;
    error = sqrt(squares / 6);
    best_at = i;
  }
  gannet_optimizer_best(f.optimizer, &best, at);
  assert_int_equal(best.id, best_at);
  assert_int_equal(best.runs, 3);
  assert_near(best.objective, least, 1e-14);
  assert_near(best.error, error, 1e-14);
  assert_true(same(at, x[best_at]));
  gannet_recommendation recommended;
  assert_ok(gannet_optimizer_recommend(f.optimizer, &recommended, at));
  assert_int_equal(recommended.id % 3, 0); /* the first run of a design */
  drop(&f);
}

/* Missing runs of the last design come first, and those of the leading one. */
static void missing_runs_are_asked_for(void **state) {
  fixture f;
  double x[MOST][D];
  (void)state;
  assert_ok(create("gp-ei", "3", NAN, &f));
  (void)go_on(&f, 12, x[0]);
  assert_ok(gannet_optimizer_discard(f.optimizer, 11));
  const double own[D] = {0.21, 2.9};
  const gannet_result result = {.objective = -3};
  int64_t id = 0;
  assert_ok(gannet_optimizer_tell_point(f.optimizer, own, &result, &id));
  (void)go_on(&f, 5, x[12]);
  assert_true(same(x[12], x[9]));
  assert_true(same(x[13], own) && same(x[14], own));
  assert_true(same(x[15], x[16]) && !same(x[15], own));
  assert_ok(gannet_optimizer_discard(f.optimizer, 0)); /* neither last nor best: one run less */
  (void)go_on(&f, 4, x[17]);
  assert_true(same(x[17], x[15]));
  for (int i = 18; i < 21; ++i) assert_false(same(x[i], x[0]));
  drop(&f);
}

static void designs_that_cannot_run_are_left(void **state) {
  fixture f;
  double x[3][D];
  int64_t id[3];
  (void)state;
  assert_ok(create("gp-ei", "3", NAN, &f));
  assert_ok(gannet_optimizer_ask(f.optimizer, 1, id, x[0]));
  const gannet_result result = {.id = id[0], .outcome = GANNET_RESULT_CANNOT_RUN};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x[1]));
  assert_false(same(x[0], x[1]));
  assert_true(same(x[1], x[2]));
  drop(&f);
}

/* One point of a batch, the last one, runs what leads once more, and a quarter of all at most. */
static void auto_repeats_the_leading_design(void **state) {
  fixture f;
  double x[MOST][D];
  int repeated = 0;
  (void)state;
  assert_ok(create("gp-ei", "auto", NAN, &f));
  for (int n = 0; n < 48; n += 4) (void)go_on(&f, 4, x[n]);
  for (int i = 1; i < 48; ++i) {
    bool is_new = true;
    for (int j = 0; j < i; ++j) is_new = is_new && !same(x[i], x[j]);
    repeated += !is_new;
    assert_true(is_new || (i >= 4 && i % 4 == 3));
  }
  assert_true(repeated >= 3 && repeated <= 12);
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_true(best.runs >= 2);
  drop(&f);
}

/* A file of an optimiser in the middle of a design goes on with its missing runs. */
static void a_saved_optimiser_goes_on(void **state) {
  static const char *const replicates[] = {"3", "auto"};
  (void)state;
  for (int k = 0; k < 2; ++k) {
    fixture one, other;
    double x[MOST][D], y[MOST][D];
    assert_ok(create("turbo-1", replicates[k], NAN, &one));
    assert_ok(create("turbo-1", replicates[k], NAN, &other));
    const char *path = in_folder(replicates[k]);
    (void)go_on(&one, 13, x[0]);
    (void)go_on(&one, 4, x[13]);
    assert_ok(gannet_optimizer_save(one.optimizer, path));
    assert_ok(gannet_optimizer_load(other.optimizer, path));
    for (int round = 0; round < 3; ++round) {
      assert_int_equal(go_on(&one, 5, x[0]), go_on(&other, 5, y[0]));
      assert_memory_equal(x, y, 5 * D * sizeof(double));
    }
    drop(&one);
    drop(&other);
  }
}

static void nonsense_is_refused(void **state) {
  static const char *const wrong[] = {"0", "-1", "2.5", "1e9", "some"};
  fixture f;
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    assert_int_equal(create("auto", wrong[i], NAN, &f), GANNET_ERR_INPUT);
    assert_non_null(strstr(gannet_error_message(), "expected whole number, 1 to 100, or auto"));
    drop(&f);
  }
  assert_int_equal(create("auto", "auto", 0, &f), GANNET_ERR_INPUT);
  assert_non_null(strstr(gannet_error_message(), "replicates: auto, but noise: 0 says"));
  drop(&f);
  assert_int_equal(create("auto", "3", 0, &f), GANNET_ERR_INPUT);
  drop(&f);
  assert_ok(create("auto", "1", 0, &f));
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_design_comes_three_times_in_a_row),
      cmocka_unit_test(the_best_is_a_design),
      cmocka_unit_test(missing_runs_are_asked_for),
      cmocka_unit_test(designs_that_cannot_run_are_left),
      cmocka_unit_test(auto_repeats_the_leading_design),
      cmocka_unit_test(a_saved_optimiser_goes_on),
      cmocka_unit_test(nonsense_is_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
