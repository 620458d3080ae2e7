/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

static const gannet_variable variables[] = {
    {.name = "x", .lower = -5, .upper = 10},
    {.name = "y", .lower = 0, .upper = 15},
};
static const gannet_constraint bound[] = {{"c", -INFINITY, 1}};
static const gannet_problem_spec spec = {.n_variables = 2,
                                         .variables = variables,
                                         .n_constraints = 1,
                                         .constraints = bound,
                                         .noise_sd = NAN};

static gannet_err start(fixture *f, const char *method, const char *factor) {
  const gannet_method_setting settings[] = {{"method", method},
                                            {"search.candidates", "1000"},
                                            {"initial", "6"},
                                            {"surrogate.factor", factor}};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  return gannet_optimizer_create(f->context, f->problem, 4, settings, &f->optimizer);
}

/* Best is 0 at (2, 6); returns the best of six rounds. */
static double campaign(fixture *f) {
  double best = INFINITY;
  for (int round = 0; round < 6; ++round) {
    int64_t id[3];
    double x[3 * 2], c[3];
    gannet_result results[3];
    assert_ok(gannet_optimizer_ask(f->optimizer, 3, id, x));
    for (int i = 0; i < 3; ++i) {
      const double a = (x[2 * i] - 2) / 5, b = (x[2 * i + 1] - 6) / 5;
      c[i] = a - b;
      results[i] = (gannet_result){.id = id[i], .constraints = &c[i], .objective = a * a + b * b};
      if (results[i].objective < best) best = results[i].objective;
    }
    assert_ok(gannet_optimizer_tell(f->optimizer, 3, results));
  }
  return best;
}

/* Twice the same bits on the same ranks, and as good as with the replicated factor. */
static void thompson_campaigns_run_with_a_distributed_factor(void **state) {
  (void)state;
  const char *const methods[] = {"gp-ts", "neural-bo"};
  for (int m = 0; m < 2; ++m) {
    uint64_t digest[2];
    for (int k = 0; k < 2; ++k) {
      fixture f = {0};
      assert_ok(start(&f, methods[m], "distributed"));
      assert_true(campaign(&f) < 0.01);
      digest[k] = gannet_history_digest(f.optimizer->history);
      drop(&f);
    }
    assert_true(digest[0] == digest[1]);
    assert_ok(gannet_same(MPI_COMM_WORLD, digest, sizeof digest, "histories"));
  }
}

static void what_needs_standard_deviations_is_refused_at_the_start(void **state) {
  (void)state;
  const char *const methods[] = {"gp-ei", "gp-ucb", "neural-ei", "neural-bo-pointwise"};
  const char *const factors[] = {"distributed", "auto"};
  for (int m = 0; m < 4; ++m)
    for (int k = 0; k < 2; ++k) {
      fixture f = {0};
      assert_fails(GANNET_ERR_INPUT, "choose factor replicated", start(&f, methods[m], factors[k]));
      assert_null(f.optimizer);
      drop(&f);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thompson_campaigns_run_with_a_distributed_factor),
      cmocka_unit_test(what_needs_standard_deviations_is_refused_at_the_start),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
