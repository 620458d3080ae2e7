/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "network/train.h"
#include "surrogate/registry.h"

enum { N = 7, D = 2, M = 4 };

static gannet_context *context;

static const double data_x[N * D] = {0.1, 0.2,  0.4,  0.9,  0.8, 0.3, 0.55,
                                     0.5, 0.95, 0.85, 0.25, 0.7, 0.6, 0.1};
static const double data_y[N] = {0.3, -1.1, 0.8, 0.45, -0.2, 1.0, 0.1};
static const double query[M * D] = {0.5, 0.6, 0.05, 0.95, 0.41, 0.88, 0.9, 0.6};

static gannet_surrogate *create(const gannet_surrogate_type *type, int n,
                                const gannet_setting *settings) {
  return surrogate_with(context, type, D, n, settings);
}

static void set_hyper(gannet_surrogate *s) {
  const double hyper[] = {log(1.3), log(0.02), log(0.7), log(0.8)};
  assert_int_equal(gannet_surrogate_n_hyper(s), 4);
  assert_ok(gannet_surrogate_set_hyper(s, hyper));
}

/* Wide members are draws of the tangent-kernel posterior: mean and spread of 200 members against
 * the dual form with one wide network. Standard errors: mean sd/14, spread 5 %; finite width 600
 * adds a few percent to both. Bounds of about 4 of these. */
static void wide_members_are_posterior_draws(void **state) {
  (void)state;
  const gannet_setting wide[] = {{.key = "width", .text = "600"},
                                 {.key = "layers", .text = "1"},
                                 {.key = "members", .text = "200"},
                                 {.key = "steps", .text = "5"}};
  const gannet_data data = {N, data_x, data_y, NAN, NULL};
  gannet_surrogate *s = create(&gannet_surrogate_ensemble, 4, wide);
  gannet_surrogate *exact = create(&gannet_surrogate_tangent_kernel, 0, NULL);
  double mean[M], sd[M], exact_mean[M], exact_sd[M];
  set_hyper(s);
  set_hyper(exact);
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_fit(exact, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, sd));
  assert_ok(gannet_surrogate_predict(exact, M, query, exact_mean, exact_sd));
  for (int i = 0; i < M; ++i) {
    assert_near(mean[i], exact_mean[i], 0.35 * exact_sd[i]);
    assert_near(sd[i] / exact_sd[i], 1, 0.3);
  }
  gannet_surrogate_destroy(&s);
  gannet_surrogate_destroy(&exact);
}

/* Draws of the same iteration are the members of the fit, further ones are trained on demand; those
 * of another iteration are new. */
static void draws_begin_with_the_members_of_the_fit(void **state) {
  (void)state;
  enum { Q = 6 };
  const gannet_setting small[] = {{.key = "width", .text = "20"}, {.key = "members", .text = "4"}};
  const gannet_data data = {N, data_x, data_y, 0.01, NULL};
  gannet_surrogate *s = create(&gannet_surrogate_ensemble, 2, small);
  double mean[M], two[2 * M], six[Q * M], other[Q * M];
  assert_ok(gannet_surrogate_fit(s, &data, false, 3));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, NULL));
  assert_ok(gannet_surrogate_sample(s, 2, 1, 3));
  assert_ok(gannet_surrogate_draw_values(s, M, query, two, M));
  assert_ok(gannet_surrogate_sample(s, Q, 1, 3));
  assert_ok(gannet_surrogate_draw_values(s, M, query, six, M));
  assert_memory_equal(two, six, sizeof two);
  for (int i = 0; i < M; ++i)
    assert_near((six[i] + six[M + i] + six[2 * M + i] + six[3 * M + i]) / 4, mean[i], 1e-12);
  assert_ok(gannet_surrogate_sample(s, Q, 1, 4));
  assert_ok(gannet_surrogate_draw_values(s, M, query, other, M));
  for (int j = 0; j < Q; ++j) assert_true(other[j * M] != six[j * M]);
  gannet_surrogate_destroy(&s);
}

/* Every trainer and activation serves; data are followed to within the noise's order. */
static void every_trainer_and_activation_follows_the_data(void **state) {
  (void)state;
  const gannet_data data = {N, data_x, data_y, 0.01, NULL};
  for (int t = 0; gannet_trainer_names[t]; ++t)
    for (int a = 0; gannet_activation_names[a]; ++a) {
      if (t > 1 && a > 1) continue; /* mini-batches are slow; two activations do */
      const gannet_setting settings[] = {{.key = "trainer", .text = gannet_trainer_names[t]},
                                         {.key = "activation", .text = gannet_activation_names[a]},
                                         {.key = "width", .text = "64"},
                                         {.key = "layers", .text = "1"},
                                         {.key = "members", .text = "4"},
                                         {.key = "epochs", .text = "1500"},
                                         {.key = "learning_rate", .text = "0.004"}};
      gannet_surrogate *s = create(&gannet_surrogate_ensemble, 7, settings);
      double mean[N], error = 0, size = 0;
      assert_ok(gannet_surrogate_fit(s, &data, false, 1));
      assert_ok(gannet_surrogate_predict(s, N, data_x, mean, NULL));
      for (int i = 0; i < N; ++i) {
        error += (mean[i] - data_y[i]) * (mean[i] - data_y[i]);
        size += data_y[i] * data_y[i];
      }
      if (!(error < 0.3 * size))
        fail_msg("%s %s: %g of %g", gannet_trainer_names[t], gannet_activation_names[a], error,
                 size);
      gannet_surrogate_destroy(&s);
    }
}

/* Networks start at 0, so without prior functions there is nothing without data; with data, members
 * differ by their starts and by the noise added to the targets. */
static void without_prior_functions_only_data_speak(void **state) {
  (void)state;
  const gannet_setting greedy[] = {{.key = "prior", .text = "none"},
                                   {.key = "members", .text = "4"},
                                   {.key = "width", .text = "32"}};
  const gannet_data none = {0, NULL, NULL, NAN, NULL}, data = {N, data_x, data_y, 1e-4, NULL};
  double mean[N], sd[N];
  gannet_surrogate *s = create(&gannet_surrogate_ensemble, 3, greedy);
  assert_ok(gannet_surrogate_fit(s, &none, false, 1));
  assert_ok(gannet_surrogate_predict(s, N, data_x, mean, sd));
  for (int i = 0; i < N; ++i) assert_true(mean[i] == 0 && sd[i] == 0);
  assert_ok(gannet_surrogate_fit(s, &data, false, 1));
  assert_ok(gannet_surrogate_predict(s, N, data_x, mean, sd));
  for (int i = 0; i < N; ++i) {
    assert_near(mean[i], data_y[i], 0.1);
    assert_true(sd[i] > 0);
  }
  gannet_surrogate_destroy(&s);
}

/* A member whose loss is not finite fails on all ranks alike, and the surrogate can be used again
 * afterwards. */
static void a_failed_training_fails_everywhere(void **state) {
  (void)state;
  const gannet_setting settings[] = {{.key = "trainer", .text = "sgd"},
                                     {.key = "activation", .text = "relu"},
                                     {.key = "width", .text = "8"}};
  double y[N];
  memcpy(y, data_y, sizeof y);
  y[1] = 1e200;
  const gannet_data data = {N, data_x, y, 0.01, NULL}, none = {0, NULL, NULL, NAN, NULL};
  gannet_surrogate *s = create(&gannet_surrogate_ensemble, 3, settings);
  double mean[M];
  assert_fails(GANNET_ERR_NUMERIC, "diverged", gannet_surrogate_fit(s, &data, false, 1));
  assert_fails(GANNET_ERR_STATE, "not fitted", gannet_surrogate_predict(s, M, query, mean, NULL));
  assert_ok(gannet_surrogate_fit(s, &none, false, 1));
  assert_ok(gannet_surrogate_predict(s, M, query, mean, NULL));
  gannet_surrogate_destroy(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wide_members_are_posterior_draws),
      cmocka_unit_test(draws_begin_with_the_members_of_the_fit),
      cmocka_unit_test(every_trainer_and_activation_follows_the_data),
      cmocka_unit_test(without_prior_functions_only_data_speak),
      cmocka_unit_test(a_failed_training_fails_everywhere),
  };
  return run_with_context(&argc, &argv, &context, tests);
}
