/* test: ranks 1 2 3 labels unit timeout 300 */
/* Points that are still to come: the earlier ones of a batch, and pending ones. */
#include <math.h>
#include <mpi.h>

#include "optimizer/fixture.h"

#include "optimizer/models/models.h"

enum { D = 2, POINTS = 20, Q = 6 };

static const gannet_variable box[] = {
    {.name = "a", .lower = -5, .upper = 5},
    {.name = "b", .lower = -5, .upper = 5},
};
static const gannet_constraint one[] = {{"g", -INFINITY, 0}};
static const gannet_problem_spec free_one = {.n_variables = D, .variables = box};
static const gannet_problem_spec bound_one = {
    .n_variables = D, .variables = box, .n_constraints = 1, .constraints = one};

/* An exact bowl with its minimum inside the box, known at random points. */
static fixture make(const char *method, const gannet_problem_spec *spec) {
  const gannet_method_setting settings[] = {{"method", method}, {"search.candidates", "500"}};
  fixture f = {0};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  for (int i = 0; i < POINTS; ++i) {
    double x[D];
    gannet_random_uniform((gannet_stream){6, GANNET_FOR_TEST, 1, 1}, (uint64_t)i * D, D, x);
    for (int k = 0; k < D; ++k) x[k] = 10 * x[k] - 5;
    const double g = x[0] - 2;
    const gannet_result result = {
        .objective = (x[0] - 1) * (x[0] - 1) + 3 * (x[1] + 0.5) * (x[1] + 0.5) + x[0] * x[1],
        .constraints = &g};
    assert_ok(gannet_optimizer_tell_point(f.optimizer, x, &result, NULL));
  }
  return f;
}

/* Largest difference of a coordinate. */
static double apart(const double *x, const double *z) {
  double most = 0;
  for (int k = 0; k < D; ++k) most = fmax(most, fabs(x[k] - z[k]));
  return most;
}

/* Two simulations of an exact function that lie closer than a hundred thousandth of the box, which
 * is 10 wide, say the same. */
static void no_point_lies_beside_one_that_is_still_to_come(void **state) {
  (void)state;
  const struct {
    const char *method;
    const gannet_problem_spec *spec;
  } cases[] = {{"gp-ei", &free_one}, {"gp-logei-warped", &free_one}, {"cei", &bound_one}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    fixture f = make(cases[c].method, cases[c].spec);
    int64_t id[Q + 1];
    double x[(Q + 1) * D];
    assert_ok(gannet_optimizer_ask(f.optimizer, Q, id, x));
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, id + Q, x + (size_t)Q * D)); /* all pending */
    for (int i = 0; i <= Q; ++i)
      for (int j = 0; j < i; ++j)
        if (!(apart(x + i * D, x + j * D) > 1e-4))
          fail_msg("%s: points %d and %d are %g apart", cases[c].method, j, i,
                   apart(x + i * D, x + j * D));
    drop(&f);
  }
}

/* The mean of the model at a point, before and after it is believed there. */
static double mean_at(const gannet_models *models, const double *x_unit) {
  double mean = 0;
  assert_ok(gannet_surrogate_predict(gannet_models_surrogate(models, 0), 1, x_unit, &mean, NULL));
  return mean;
}

/* The constraint, a <= 2, keeps what is believed beyond it from counting. */
static void what_is_believed_is_to_be_improved_upon(void **state) {
  (void)state;
  const double good[D] = {0.62, 0.43}, forbidden[D] = {0.9, 0.05};
  fixture f = make("cei", &bound_one);
  gannet_models *models = f.optimizer->member[0].models;
  double before = 0, after = 0;
  assert_ok(gannet_models_prepare(models, NULL, f.optimizer->batch));
  assert_ok(gannet_models_fit(models));
  assert_true(gannet_models_least_fantasy(models) == INFINITY);
  assert_ok(gannet_models_incumbent(models, &before));
  assert_ok(gannet_models_fantasize(models, 1, forbidden, f.optimizer->batch));
  assert_true(gannet_models_least_fantasy(models) == INFINITY);
  const double mean = mean_at(models, good);
  assert_true(mean < before);
  assert_ok(gannet_models_fantasize(models, 1, good, f.optimizer->batch));
  assert_true(gannet_models_least_fantasy(models) == mean);
  assert_ok(gannet_models_incumbent(models, &after));
  assert_true(after == mean);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_point_lies_beside_one_that_is_still_to_come),
      cmocka_unit_test(what_is_believed_is_to_be_improved_upon),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
