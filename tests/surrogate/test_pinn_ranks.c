/* test: ranks 1 2 3 labels unit */
/* Models with equations on several ranks, next to those of one. */
#include <math.h>
#include <string.h>

#include "support/harness.h"

#include "base/hash.h"
#include "surrogate/models/pinn/pinn.h"
#include "surrogate/pinn_subject.h"

enum { N = 9, POINTS = 40, QUERIES = 6 };

static gannet_context *world;

/* Values, moments and draws after learning with equations; the same on every number of ranks and
 * after a restart from the hyperparameters. */
static uint64_t fingerprint(gannet_surrogate *model) {
  double query[2 * QUERIES], out[3][QUERIES];
  gannet_random_uniform(stream, 900, 2 * QUERIES, query);
  assert_ok(gannet_surrogate_predict(model, QUERIES, query, out[0], out[1]));
  assert_ok(gannet_surrogate_sample(model, 1, 1, 5));
  assert_ok(gannet_surrogate_draw_values(model, QUERIES, query, out[2], QUERIES));
  return gannet_hash(out, sizeof out);
}

static void ranks_and_restarts_change_nothing(void **state) {
  (void)state;
  const char *const settings[] = {"width", "50", "single_width", "8", NULL};
  double x[2 * N], y[N], hyper[PINN_HYPER];
  make_data(N, 1, 3, x, y);
  const gannet_data some = {N - 2, x, y, NAN, NULL}, all = {N, x, y, NAN, NULL};
  uint64_t prints[3];
  gannet_context *const before = world;
  for (int k = 0; k < 3; ++k) {
    gannet_context *alone = NULL;
    assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &alone));
    if (k == 1) world = alone;
    subject s = {.problem = make_problem(1, &laplace, 0)};
    s.residuals = make_residuals(s.problem, POINTS);
    make_model(world, &s, settings, 1, 3);
    if (k < 2) assert_ok(gannet_surrogate_fit(s.model, &some, true, 0));
    if (k == 0) gannet_surrogate_get_hyper(s.model, hyper);
    if (k == 2) assert_ok(gannet_surrogate_set_hyper(s.model, hyper));
    assert_ok(gannet_surrogate_fit(s.model, &all, false, 1));
    prints[k] = fingerprint(s.model);
    drop(&s);
    world = before;
    gannet_context_destroy(&alone);
  }
  assert_true(prints[0] == prints[1]);
  assert_true(prints[0] == prints[2]);
}

/* More rows than one piece has, of observations and of equations, and draws that do not go out
 * evenly: what ranks make together, next to one rank alone. */
static uint64_t shared_fingerprint(const char *const *settings,
                                   const gannet_physics_equation *equation) {
  enum { MANY = 210, PLACES = 390, DRAWS = 5 };
  static double x[2 * MANY], y[MANY];
  double query[2 * QUERIES], out[DRAWS + 2][QUERIES], scale = 0;
  subject s = {.problem = make_problem(1, equation, 0)};
  if (equation->plugin) assert_ok(gannet_problem_set_residual(s.problem, 0, quadratic));
  s.residuals = make_residuals(s.problem, PLACES);
  make_data(MANY, 1, 0, x, y);
  const gannet_data data = {MANY, x, y, NAN, NULL};
  make_model(world, &s, settings, 1, 0);
  assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
  assert_ok(gannet_surrogate_calibration(s.model, &scale));
  gannet_random_uniform(stream, 900, 2 * QUERIES, query);
  assert_ok(gannet_surrogate_sample(s.model, DRAWS, 1, 5));
  assert_ok(gannet_surrogate_predict(s.model, QUERIES, query, out[0], out[1]));
  assert_ok(gannet_surrogate_draw_values(s.model, QUERIES, query, out[2], QUERIES));
  drop(&s);
  return gannet_hash(out, sizeof out) ^ gannet_hash(&scale, sizeof scale);
}

static void shares_of_ranks_are_those_of_one(void **state) {
  (void)state;
  static const gannet_physics_term terms[] = {{NULL, 0, NULL}, {NULL, 2, xx}, {NULL, 2, yy}};
  static const gannet_physics_equation curved = {
      .n_terms = 3, .terms = terms, .plugin = "quadratic"};
  const char *const closed[] = {"width", "30", "single_width", "8", NULL};
  const char *const trained[] = {"width", "20", "single_width", "0", "fit", "trained", "steps",
                                 "2",     NULL};
  const struct {
    const char *const *settings;
    const gannet_physics_equation *equation;
  } cases[] = {{closed, &laplace}, {closed, &curved}, {trained, &laplace}};
  gannet_context *const before = world, *alone = NULL;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &alone));
  for (int k = 0; k < 3; ++k) {
    const uint64_t shared = shared_fingerprint(cases[k].settings, cases[k].equation);
    world = alone;
    const uint64_t whole = shared_fingerprint(cases[k].settings, cases[k].equation);
    world = before;
    assert_true(shared == whole);
  }
  gannet_context_destroy(&alone);
}

/* Large draws take a trained network far from its mean, to matrices that rounding makes indefinite:
 * what such a draw needs is not for the model, nor for the draws of other ranks. */
static void draws_leave_the_model_as_it_is(void **state) {
  (void)state;
  enum { MANY = 127, DRAWS = 3 };
  static const char *const settings[] = {
      "width", "5", "single_width", "8",     "features", "output",
      "bias",  "0", "input_scale",  "1",     "fit",      "trained",
      "steps", "1", "noise_floor",  "1e-12", NULL};
  double x[2 * MANY], y[MANY], query[2 * QUERIES], before[2][QUERIES], after[2][QUERIES];
  double draws[2][DRAWS * QUERIES];
  gannet_context *const all = world, *alone = NULL;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &alone));
  make_data(MANY, 1, 0, x, y);
  gannet_random_uniform(stream, 900, 2 * QUERIES, query);
  for (int k = 0; k < 2; ++k) {
    subject s = {0};
    const gannet_data data = {MANY, x, y, 0, NULL};
    make_model(k ? alone : all, &s, settings, 1, 0);
    assert_ok(gannet_surrogate_fit(s.model, &data, true, 0));
    assert_ok(gannet_surrogate_predict(s.model, QUERIES, query, before[0], before[1]));
    assert_ok(gannet_surrogate_sample(s.model, DRAWS, 1e6, 5));
    assert_ok(gannet_surrogate_predict(s.model, QUERIES, query, after[0], after[1]));
    assert_memory_equal(before, after, sizeof before);
    assert_ok(gannet_surrogate_draw_values(s.model, QUERIES, query, draws[k], QUERIES));
    drop(&s);
  }
  assert_memory_equal(draws[0], draws[1], sizeof draws[0]);
  gannet_context_destroy(&alone);
}

/* f_xx + f_yy + f, whose derivative by f_yy is too large for its square. */
static int broken(const gannet_physics_input *input, gannet_physics_output *output) {
  output->residual = input->terms[0] + input->terms[1] + input->terms[2];
  output->partials[0] = output->partials[1] = 1;
  output->partials[2] = 1e200;
  return 0;
}

static void all_ranks_learn_that_rows_fail(void **state) {
  (void)state;
  static const gannet_physics_term terms[] = {{NULL, 0, NULL}, {NULL, 2, xx}, {NULL, 2, yy}};
  static const gannet_physics_equation equation = {
      .n_terms = 3, .terms = terms, .plugin = "broken"};
  const char *const settings[] = {"width", "20", "single_width", "0", NULL};
  double x[2 * N], y[N];
  make_data(N, 1, 0, x, y);
  const gannet_data data = {N, x, y, NAN, NULL};
  subject s = {.problem = make_problem(1, &equation, 0)};
  assert_ok(gannet_problem_set_residual(s.problem, 0, broken));
  s.residuals = make_residuals(s.problem, POINTS);
  make_model(world, &s, settings, 1, 0);
  assert_fails(GANNET_ERR_NUMERIC, "of the equations is not finite",
               gannet_surrogate_fit(s.model, &data, true, 0));
  drop(&s);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (gannet_context_create(MPI_COMM_WORLD, 3, &world) != GANNET_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_and_restarts_change_nothing),
      cmocka_unit_test(shares_of_ranks_are_those_of_one),
      cmocka_unit_test(draws_leave_the_model_as_it_is),
      cmocka_unit_test(all_ranks_learn_that_rows_fail),
  };
  const int failed = run_ranks(tests);
  gannet_context_destroy(&world);
  MPI_Finalize();
  return failed;
}
