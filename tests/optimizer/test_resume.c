/* test: ranks 1 labels unit timeout 180 */
/* Every method, saved and loaded after every batch, proposes what it would have without that. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "optimizer/methods.h"

enum { V = 3, FEW = 7, MANY = 30, MOST = 3 }; /* variables; batches; points of a batch */

static const char *const solvers[] = {"cg", "gmres"};
static const gannet_variable mixed[V] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "y", .lower = 1, .upper = 10, .scale = GANNET_SCALE_LOG},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers}};
static const gannet_variable real[V] = {{.name = "x", .lower = -1, .upper = 1},
                                        {.name = "y", .lower = 1, .upper = 10},
                                        {.name = "z", .lower = 0, .upper = 1}};
static const gannet_constraint bound[] = {{"heat", -INFINITY, 2}};
static const gannet_problem_spec specs[] = {
    {.n_variables = V,
     .variables = mixed,
     .n_constraints = 1,
     .constraints = bound,
     .noise_sd = NAN},
    {.n_variables = V, .variables = real, .noise_sd = NAN} /* for evolution strategies */
};

/* Models learn rarely, so that most rounds go by what is saved. */
static bool start(const gannet_problem_spec *spec, const char *method, fixture *f) {
  gannet_method_setting settings[5] = {
      {"method", method}, {"initial", "6"}, {"search.candidates", "50"}, {"refit", "0.6"}};
  const bool has_models = strcmp(method, "sobol") && strcmp(method, "random") &&
                          strcmp(method, "quadratic") && strcmp(method, "lq-cma");
  const int n = with_small_network(settings, has_models ? 4 : 2);
  *f = (fixture){0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f->context));
  f->context->level = GANNET_LOG_ERROR;
  assert_ok(gannet_problem_create(spec, &f->problem));
  if (gannet_optimizer_create(f->context, f->problem, n, settings, &f->optimizer) == GANNET_OK)
    return true;
  gannet_error_clear();
  drop(f);
  return false;
}

/* One evaluation fails, at some designs the simulation cannot run, and some points stay pending. */
static void tell(fixture *f, int round, int q, const int64_t *id, double (*x)[V]) {
  for (int i = q - 1; i >= 0; --i) {
    const double a = x[i][0] + 0.8, b = 0.3 * x[i][1] - 2.5 + a * a, c[] = {x[i][0] + b};
    gannet_result result = {
        .id = id[i], .objective = a * a + 20 * b * b + 0.3 * x[i][2], .constraints = c};
    if (x[i][0] > 0.7) result.outcome = GANNET_RESULT_CANNOT_RUN;
    if (round == 4 && i == 0) result.outcome = GANNET_RESULT_FAILED;
    if (q < 2 || round % 3 > 0 || i != 1)
      assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
}

/* Returns false when the method is not for the problem. */
static bool goes_on(const gannet_problem_spec *spec, const char *method, int rounds) {
  fixture whole, parts;
  if (!start(spec, method, &whole)) return false;
  assert_true(start(spec, method, &parts));
  for (int round = 0; round < rounds; ++round) {
    const int q = round % 4 == 3 ? 3 : round < 2 ? 3 : 1;
    int64_t id[MOST], other[MOST];
    double x[MOST][V], y[MOST][V];
    char path[PATH_MAX];
    assert_ok(gannet_optimizer_ask(whole.optimizer, q, id, x[0]));
    assert_ok(gannet_optimizer_ask(parts.optimizer, q, other, y[0]));
    if (memcmp(id, other, (size_t)q * sizeof *id) != 0 || memcmp(x, y, (size_t)q * sizeof *x) != 0)
      fail_msg("%s: batch %d is another one", method, round);
    tell(&whole, round, q, id, x);
    tell(&parts, round, q, id, x);
    (void)snprintf(path, sizeof path, "%s/optimizer.h5", folder);
    assert_ok(gannet_optimizer_save(parts.optimizer, path));
    drop(&parts);
    assert_true(start(spec, method, &parts));
    assert_ok(gannet_optimizer_load(parts.optimizer, path));
  }
  drop(&parts);
  drop(&whole);
  return true;
}

static void every_method_goes_on(void **state) {
  int taken = 0, methods = 0;
  (void)state;
  for (size_t k = 0; k < sizeof specs / sizeof *specs; ++k)
    for (int i = 0; gannet_methods[i]; ++i) {
      const char *name = gannet_methods[i]->name;
      const bool is_local = strcmp(name, "quadratic") == 0 || strcmp(name, "lq-cma") == 0 ||
                            strcmp(name, "auto") == 0;
      if (k > 0 && !is_local) continue;
      methods += 1;
      taken += goes_on(&specs[k], name, is_local ? MANY : FEW);
    }
  /* Three need equations, and one a list of methods. */
  if (!(taken >= methods - 4)) fail_msg("%d of %d methods", taken, methods);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_goes_on)};
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
