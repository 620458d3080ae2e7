/* test: serial labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/train_alone.h"
#include "support/harness.h"

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

enum { N = 8, INPUTS = 3 };

typedef struct {
  gannet_mlp net;
  gannet_train_problem problem;
  size_t p;
  double z[N * INPUTS], target[N];
  double *start, *theta, *gradient;
} fixture;

static const gannet_stream stream = {11, GANNET_FOR_TRAINING, 2, 5};

static void set_up(fixture *f, const char *activation, int layers, int width, double decay) {
  f->net = (gannet_mlp){.inputs = INPUTS, .layers = layers, .width = width};
  assert_ok(gannet_activation_find(activation, &f->net.activation));
  f->p = gannet_mlp_parameters(&f->net);
  assert_ok(gannet_alloc(f->p, sizeof(double), &f->start));
  assert_ok(gannet_alloc(2 * f->p, sizeof(double), &f->theta));
  assert_ok(gannet_alloc(2 * f->p, sizeof(double), &f->gradient));
  gannet_mlp_start(&f->net, stream, f->start);
  for (int i = 0; i < N; ++i) {
    f->z[i * INPUTS] = -0.9 + 0.25 * i;
    f->z[i * INPUTS + 1] = sin(2.0 * i);
    f->z[i * INPUTS + 2] = 0.8;
    f->target[i] = 0.5 * cos(3 * f->z[i * INPUTS]) + 0.2 * f->z[i * INPUTS + 1];
  }
  f->problem = (gannet_train_problem){&f->net, N, f->z, f->target, decay, f->start, NULL};
}

static void tear_down(fixture *f) {
  gannet_free(&f->start);
  gannet_free(&f->theta);
  gannet_free(&f->gradient);
}

static void the_gradient_of_the_loss_agrees_with_differences(void **state) {
  (void)state;
  fixture f;
  const double step = 1e-5;
  set_up(&f, "tanh", 2, 6, 0.3);
  for (size_t i = 0; i < 2 * f.p; ++i) f.theta[i] = f.start[i % f.p] + 0.2 * sin(1.0 + (double)i);
  double loss = 0, high = 0, low = 0, *other = NULL;
  assert_ok(gannet_alloc(2 * f.p, sizeof *other, &other));
  assert_ok(gannet_train_loss(&f.problem, f.theta, &loss, f.gradient));
  for (size_t k = 0; k < 2 * f.p; k += 5) {
    const double kept = f.theta[k];
    f.theta[k] = kept + step;
    assert_ok(gannet_train_loss(&f.problem, f.theta, &high, other));
    f.theta[k] = kept - step;
    assert_ok(gannet_train_loss(&f.problem, f.theta, &low, other));
    f.theta[k] = kept;
    assert_near(f.gradient[k], (high - low) / (2 * step), 1e-7);
  }
  gannet_free(&other);
  tear_down(&f);
}

static gannet_err copy_kernel(void *user, int first, int rows, double *k, int ldk) {
  const double *kernel = user;
  for (int i = 0; i < rows; ++i)
    memcpy(k + (size_t)i * (size_t)ldk, kernel + (size_t)(first + i) * N, N * sizeof *k);
  return GANNET_OK;
}

/* Values of the kernel ridge regression with the tangent kernel, at the data. */
/* kernel  out  [N][N] of the pair at its start, which is that of one half */
static void tangent_kernel(fixture *f, double *kernel) {
  double out[1], *features = NULL;
  gannet_mlp_tape tape;
  const int p = (int)f->p;
  assert_ok(gannet_alloc(N * f->p, sizeof *features, &features));
  assert_ok(gannet_mlp_tape_create(&f->net, 1, &tape));
  for (int i = 0; i < N; ++i) {
    const double one = 1;
    gannet_mlp_forward(&f->net, f->start, 1, f->z + i * INPUTS, &tape, out);
    gannet_mlp_backward(&f->net, f->start, 1, f->z + i * INPUTS, &one, &tape,
                        features + (size_t)i * f->p, NULL);
  }
  gannet_gemm_nt(N, N, p, 1, features, p, features, p, 0, kernel, N);
  gannet_mlp_tape_release(&tape);
  gannet_free(&features);
}

static void ridge(fixture *f, double *values) {
  double kernel[N * N], noisy[N * N], alpha[N];
  gannet_cholesky *factor = NULL;
  tangent_kernel(f, kernel);
  memcpy(noisy, kernel, sizeof kernel);
  for (int i = 0; i < N; ++i) noisy[i * N + i] += f->problem.decay;
  memcpy(alpha, f->target, sizeof alpha);
  assert_ok(gannet_cholesky_create(&factor));
  assert_ok(gannet_cholesky_extend(factor, N, copy_kernel, noisy));
  gannet_cholesky_solve(factor, 1, alpha, N);
  gannet_gemv_n(N, N, 1, kernel, N, alpha, 0, values);
  gannet_cholesky_destroy(&factor);
}

/* A wide network stays close to linear in its weights: the deviation falls like 1 / sqrt(width),
 * and targets of order 0.5 leave less than 2 % at width 2000; both full-batch trainers agree. One
 * step of newton from the start is the ridge regression of the linear network: even orders of the
 * pair cancel. */
static void a_wide_network_reaches_the_kernel_ridge_regression(void **state) {
  (void)state;
  const gannet_train_options options[] = {{GANNET_TRAIN_NEWTON, 1, 0, 0, 0},
                                          {GANNET_TRAIN_NEWTON, 20, 0, 0, 0},
                                          {GANNET_TRAIN_LBFGS, 200, 0, 0, 0}};
  double exact[N], h[N], loss[3] = {0};
  for (int k = 0; k < 3; ++k) {
    fixture f;
    gannet_mlp_tape tape;
    set_up(&f, "erf", 1, 2000, 0.05);
    assert_ok(train_alone(&f.problem, &options[k], stream, f.theta, &loss[k]));
    assert_ok(gannet_mlp_tape_create(&f.net, N, &tape));
    gannet_mlp_pair_values(&f.net, f.theta, N, f.z, &tape, h);
    ridge(&f, exact);
    for (int i = 0; i < N; ++i) assert_near(h[i], exact[i], 0.02);
    gannet_mlp_tape_release(&tape);
    tear_down(&f);
  }
  assert_true(loss[1] < loss[0]);
  assert_near(loss[1] / loss[2], 1, 1e-4);
}

/* A row of weight 2 is as two rows of weight 1, and one of weight 0.5 as half: in the loss, in its
 * gradient, and at the end of every full-batch trainer. */
static void weights_are_as_repeated_rows(void **state) {
  (void)state;
  enum { TWICE = N + 3 };
  const gannet_train_options options[] = {{GANNET_TRAIN_NEWTON, 200, 0, 0, 0},
                                          {GANNET_TRAIN_LBFGS, 200, 0, 0, 0}};
  double z[TWICE * INPUTS], target[TWICE], weight[N];
  fixture f, g;
  set_up(&f, "tanh", 2, 12, 0.3);
  set_up(&g, "tanh", 2, 12, 0.3);
  memcpy(z, f.z, sizeof f.z);
  memcpy(target, f.target, sizeof f.target);
  memcpy(z + (size_t)N * INPUTS, f.z + INPUTS, 3 * INPUTS * sizeof *z); /* rows 1 to 3 again */
  memcpy(target + N, f.target + 1, 3 * sizeof *target);
  for (int i = 0; i < N; ++i) weight[i] = 1 <= i && i <= 3 ? 2 : 1;
  f.problem.weight = weight;
  g.problem.n = TWICE;
  g.problem.z = z;
  g.problem.target = target;
  double loss[2] = {0, 0};
  for (size_t i = 0; i < 2 * f.p; ++i) f.theta[i] = f.start[i % f.p] + 0.2 * sin(1.0 + (double)i);
  assert_ok(gannet_train_loss(&f.problem, f.theta, &loss[0], f.gradient));
  assert_ok(gannet_train_loss(&g.problem, f.theta, &loss[1], g.gradient));
  assert_near(loss[0], loss[1], 1e-13);
  for (size_t i = 0; i < 2 * f.p; ++i) assert_near(f.gradient[i], g.gradient[i], 1e-13);
  for (int k = 0; k < 2; ++k) {
    assert_ok(train_alone(&f.problem, &options[k], stream, f.theta, &loss[0]));
    assert_ok(train_alone(&g.problem, &options[k], stream, g.theta, &loss[1]));
    assert_near(loss[0], loss[1], 1e-5 * loss[1]);
    for (size_t i = 0; i < 2 * f.p; ++i) assert_near(f.theta[i], g.theta[i], 1e-2);
  }
  /* all weights and the pull by the same factor */
  for (int i = 0; i < N; ++i) weight[i] *= 0.5;
  f.problem.decay *= 0.5;
  assert_ok(train_alone(&f.problem, &options[0], stream, f.theta, &loss[0]));
  assert_near(2 * loss[0], loss[1], 1e-5 * loss[1]);
  tear_down(&g);
  tear_down(&f);
}

/* Mini-batches too: with one batch of all rows, equal weights are a longer step of sgd. */
static void weights_count_in_mini_batches(void **state) {
  (void)state;
  const gannet_train_options short_step = {GANNET_TRAIN_SGD, 0, 1, N, 0.01},
                             long_step = {GANNET_TRAIN_SGD, 0, 1, N, 0.02};
  double weight[N];
  fixture f, g;
  set_up(&f, "tanh", 2, 6, 0);
  set_up(&g, "tanh", 2, 6, 0);
  for (int i = 0; i < N; ++i) weight[i] = 2;
  f.problem.weight = weight;
  assert_ok(train_alone(&f.problem, &short_step, stream, f.theta, NULL));
  assert_ok(train_alone(&g.problem, &long_step, stream, g.theta, NULL));
  for (size_t i = 0; i < 2 * f.p; ++i) assert_near(f.theta[i], g.theta[i], 1e-14);
  assert_true(fabs(f.theta[0] - f.start[0]) > 0);
  tear_down(&g);
  tear_down(&f);
}

/* At the end of newton, on a narrow network of three layers, the gradient is a small part of that
 * at the start: the step solves the right equations. */
static void newton_ends_where_the_gradient_is_small(void **state) {
  (void)state;
  fixture f;
  const gannet_train_options options = {GANNET_TRAIN_NEWTON, 200, 0, 0, 0};
  const gannet_train_options none = {GANNET_TRAIN_SGD, 0, 0, 1, 1};
  double loss = 0, at_start = 0, at_end = 0;
  set_up(&f, "tanh", 3, 12, 0.5);
  assert_ok(train_alone(&f.problem, &none, stream, f.theta, NULL));
  assert_ok(gannet_train_loss(&f.problem, f.theta, &loss, f.gradient));
  at_start = gannet_dot((int)(2 * f.p), f.gradient, f.gradient);
  assert_ok(train_alone(&f.problem, &options, stream, f.theta, NULL));
  assert_ok(gannet_train_loss(&f.problem, f.theta, &loss, f.gradient));
  at_end = gannet_dot((int)(2 * f.p), f.gradient, f.gradient);
  if (!(at_end < 1e-4 * at_start)) fail_msg("%g of %g", at_end, at_start);
  tear_down(&f);
}

/* Every trainer gets below a fifth of the loss at the start, repeats its bits, and starts at h = 0.
 */
static void every_trainer_learns_and_repeats(void **state) {
  (void)state;
  for (int trainer = 0; gannet_trainer_names[trainer]; ++trainer) {
    fixture f;
    double at_start = 0, loss = 0, again = 0, *copy = NULL;
    set_up(&f, "tanh", 2, 40, 0.001);
    for (int i = 0; i < N; ++i) at_start += 0.5 * f.target[i] * f.target[i];
    const gannet_train_options options = {(gannet_trainer)trainer, 20, 400, 3, 0.003};
    const gannet_train_options none = {GANNET_TRAIN_SGD, 1, 0, 3, 0.003};
    assert_ok(train_alone(&f.problem, &none, stream, f.theta, &loss));
    assert_near(loss, at_start, 1e-12);
    assert_ok(train_alone(&f.problem, &options, stream, f.theta, &loss));
    if (!(loss < at_start / 5)) fail_msg("%s: %g", gannet_trainer_names[trainer], loss);
    assert_ok(gannet_alloc(2 * f.p, sizeof *copy, &copy));
    assert_ok(train_alone(&f.problem, &options, stream, copy, &again));
    assert_true(loss == again);
    assert_memory_equal(copy, f.theta, 2 * f.p * sizeof *copy);
    gannet_free(&copy);
    tear_down(&f);
  }
}

/* Members that are trained one after another share memory, not results: a network that comes after
 * another one, with other targets and another start, has the bits that it has alone. */
static void members_do_not_depend_on_each_other(void **state) {
  (void)state;
  for (int trainer = 0; gannet_trainer_names[trainer]; ++trainer) {
    fixture f, g;
    gannet_training *shared = NULL;
    gannet_train_report report;
    const gannet_train_options options = {(gannet_trainer)trainer, 10, 30, 3, 0.003};
    set_up(&f, "erf", 2, 12, 0.01);
    set_up(&g, "erf", 2, 12, 0.01);
    for (size_t i = 0; i < g.p; ++i) g.start[i] = sin(3.0 * (double)i);
    for (int i = 0; i < N; ++i) g.target[i] = f.target[N - 1 - i];
    assert_ok(gannet_training_create(&f.net, N, &options, &shared));
    assert_ok(gannet_training_run(shared, &g.problem, stream, g.theta, &report));
    assert_ok(gannet_training_run(shared, &f.problem, stream, g.theta, &report));
    assert_ok(train_alone(&f.problem, &options, stream, f.theta, NULL));
    assert_memory_equal(f.theta, g.theta, 2 * f.p * sizeof *f.theta);
    if (trainer == GANNET_TRAIN_NEWTON) {
      assert_true(1 <= report.steps && report.steps <= 10 && report.trials > report.steps);
      assert_true(report.operations > 0);
    }
    gannet_training_destroy(&shared);
    tear_down(&f);
    tear_down(&g);
  }
}

/* The published rate where it converges; elsewhere at most 1 / (m e), halved while the loss ends
 * above that of the start. e by products of a dense matrix. */
static void a_rate_that_diverges_is_lowered(void **state) {
  (void)state;
  const double rates[] = {0.001, 0.5, 1e6};
  for (int k = 0; k < 3; ++k) {
    fixture f;
    gannet_training *training = NULL;
    gannet_train_report report = {0};
    const gannet_train_options options = {GANNET_TRAIN_SGD, 0, 50, 8, rates[k]};
    double kernel[N * N], vector[N] = {1}, eigenvalue = 0, before = 0;
    set_up(&f, "relu", 1, 300, 0.1);
    tangent_kernel(&f, kernel);
    for (int step = 0; step < 100; ++step) {
      double product[N];
      gannet_gemv_n(N, N, 1, kernel, N, vector, 0, product);
      eigenvalue = sqrt(gannet_dot(N, product, product)) / N;
      for (int i = 0; i < N; ++i) vector[i] = product[i] / (N * eigenvalue);
    }
    for (int i = 0; i < N; ++i) before += 0.5 * f.target[i] * f.target[i];
    assert_ok(gannet_training_create(&f.net, N, &options, &training));
    assert_ok(gannet_training_run(training, &f.problem, stream, f.theta, &report));
    const double bound = 1 / (300 * eigenvalue);
    if (k == 0)
      assert_near(report.rate, 0.001, 0);
    else
      assert_near(report.rate / bound, exp2(round(log2(report.rate / bound))), 1e-3);
    assert_true(report.rate <= fmax(0.001, bound * (1 + 1e-3)));
    assert_true(report.rate >= fmin(0.001, bound / 8));
    assert_true(report.loss < 0.9 * before);
    gannet_training_destroy(&training);
    tear_down(&f);
  }
}

/* Targets so far from what a deep network can do that every rate ends in weights without bound. */
static void where_no_rate_lowers_the_loss_the_start_is_kept(void **state) {
  (void)state;
  fixture f;
  gannet_training *training = NULL;
  gannet_train_report report = {0};
  const gannet_train_options options = {GANNET_TRAIN_SGD, 0, 20, 3, 0.01};
  double before = 0;
  set_up(&f, "relu", 4, 20, 0.1);
  for (int i = 0; i < N; ++i) f.target[i] *= 1e9;
  for (int i = 0; i < N; ++i) before += 0.5 * f.target[i] * f.target[i];
  assert_ok(gannet_training_create(&f.net, N, &options, &training));
  assert_ok(gannet_training_run(training, &f.problem, stream, f.theta, &report));
  assert_memory_equal(f.theta, f.start, f.p * sizeof *f.theta);
  assert_memory_equal(f.theta + f.p, f.start, f.p * sizeof *f.theta);
  assert_near(report.loss / before, 1, 1e-9);
  assert_true(report.rate == 0);
  gannet_training_destroy(&training);
  tear_down(&f);
}

static void divergence_is_reported(void **state) {
  (void)state;
  fixture f;
  double loss = 0;
  const gannet_train_options options[] = {{GANNET_TRAIN_SGD, 0, 500, 8, 0.001},
                                          {GANNET_TRAIN_ADAM, 0, 5, 8, 0.001}};
  for (int k = 0; k < 2; ++k) {
    set_up(&f, "relu", 1, 10, 0.1);
    f.target[2] = 1e200;
    assert_fails(GANNET_ERR_NUMERIC, k ? "adam diverged" : "sgd diverged",
                 train_alone(&f.problem, &options[k], stream, f.theta, &loss));
    tear_down(&f);
  }
}

static void without_data_the_start_is_kept(void **state) {
  (void)state;
  fixture f;
  const gannet_train_options options = {GANNET_TRAIN_LBFGS, 10, 0, 0, 0};
  set_up(&f, "sin", 1, 10, 0.1);
  f.problem.n = 0;
  assert_ok(train_alone(&f.problem, &options, stream, f.theta, NULL));
  assert_memory_equal(f.theta, f.start, f.p * sizeof *f.start);
  assert_memory_equal(f.theta + f.p, f.start, f.p * sizeof *f.start);
  tear_down(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_gradient_of_the_loss_agrees_with_differences),
      cmocka_unit_test(a_wide_network_reaches_the_kernel_ridge_regression),
      cmocka_unit_test(weights_are_as_repeated_rows),
      cmocka_unit_test(weights_count_in_mini_batches),
      cmocka_unit_test(newton_ends_where_the_gradient_is_small),
      cmocka_unit_test(every_trainer_learns_and_repeats),
      cmocka_unit_test(members_do_not_depend_on_each_other),
      cmocka_unit_test(a_rate_that_diverges_is_lowered),
      cmocka_unit_test(where_no_rate_lowers_the_loss_the_start_is_kept),
      cmocka_unit_test(divergence_is_reported),
      cmocka_unit_test(without_data_the_start_is_kept),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_serial(tests);
  (void)MPI_Finalize();
  return failed;
}
