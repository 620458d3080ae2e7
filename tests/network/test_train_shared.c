/* test: ranks 1 2 3 labels unit */
/* Trainings that ranks share, with memory for it and without, next to those of one alone. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "network/train_alone.h"
#include "support/harness.h"
#include "support/refuse.h"

#include "base/memory.h"

enum { INPUTS = 3, LAYERS = 2, WIDTH = 12, MOST = 8300 };

static gannet_context *context;
static const gannet_stream stream = {11, GANNET_FOR_TRAINING, 2, 5};

typedef struct {
  gannet_mlp net;
  size_t p;
  double z[MOST * INPUTS], target[MOST];
  double *start, *shared, *alone;
} fixture;

static void set_up(fixture *f) {
  f->net = (gannet_mlp){.inputs = INPUTS, .layers = LAYERS, .width = WIDTH};
  assert_ok(gannet_activation_find("tanh", &f->net.activation));
  f->p = gannet_mlp_parameters(&f->net);
  assert_ok(gannet_alloc(f->p, sizeof(double), &f->start));
  assert_ok(gannet_alloc(2 * f->p, sizeof(double), &f->shared));
  assert_ok(gannet_alloc(2 * f->p, sizeof(double), &f->alone));
  gannet_mlp_start(&f->net, stream, f->start);
  for (int i = 0; i < MOST; ++i) {
    double *z = f->z + (size_t)i * INPUTS;
    z[0] = sin(0.37 * i);
    z[1] = cos(1.3 * i);
    z[2] = 0.8;
    f->target[i] = 0.5 * cos(3 * z[0]) + 0.2 * z[1];
  }
}

static void tear_down(fixture *f) {
  gannet_free(&f->start);
  gannet_free(&f->shared);
  gannet_free(&f->alone);
}

/* One tile of the kernel, several, and a factor that is shared as well; no observation at all; more
 * observations than a tape has rows. */
static void compare(bool refused) {
  const int sizes[] = {0, 20, 300, 530};
  static fixture f;
  set_up(&f);
  for (int k = 0; k < 4; ++k)
    for (int trainer = GANNET_TRAIN_NEWTON; trainer <= GANNET_TRAIN_SGD; ++trainer) {
      const gannet_train_options options = {(gannet_trainer)trainer, 6, 5, 10, 0.003};
      const gannet_train_problem problem = {&f.net, sizes[k], f.z, f.target, 1e-3, f.start, NULL};
      double loss = 0;
      bool told = false;
      memset(f.shared, 0, 2 * f.p * sizeof *f.shared);
      refuse = refused && context->np > 1;
      assert_ok(gannet_train_for_all(context, &problem, &options, stream, f.shared, &told));
      refuse = false;
      assert_ok(train_alone(&problem, &options, stream, f.alone, &loss));
      assert_memory_equal(f.shared, f.alone, 2 * f.p * sizeof *f.shared);
    }
  tear_down(&f);
}

static void networks_of_all_are_those_of_one(void **state) {
  (void)state;
  compare(true);
  compare(false);
}

/* lbfgs takes the place of newton. There are more pieces than ranks, of more than one tape each. */
static void networks_of_many_observations_are_those_of_one(void **state) {
  (void)state;
  const gannet_train_options options = {.trainer = GANNET_TRAIN_NEWTON, .steps = 1};
  static fixture f;
  bool told = false;
  set_up(&f);
  const gannet_train_problem problem = {&f.net, MOST, f.z, f.target, 1e-3, f.start, NULL};
  assert_ok(train_alone(&problem, &options, stream, f.alone, NULL));
  for (int refused = 0; refused < 2; ++refused) {
    memset(f.shared, 0, 2 * f.p * sizeof *f.shared);
    refuse = refused && context->np > 1;
    assert_ok(gannet_train_for_all(context, &problem, &options, stream, f.shared, &told));
    refuse = false;
    assert_memory_equal(f.shared, f.alone, 2 * f.p * sizeof *f.shared);
  }
  tear_down(&f);
}

/* Of a trainer of two ranks, and of those that all ranks share. */
static void all_ranks_learn_of_failures(void **state) {
  (void)state;
  const gannet_train_options sgd = {GANNET_TRAIN_SGD, 0, 500, 8, 0.001};
  const gannet_train_options newton = {GANNET_TRAIN_NEWTON, 6, 0, 0, 0};
  const gannet_train_options lbfgs = {GANNET_TRAIN_LBFGS, 6, 0, 0, 0};
  static fixture f;
  bool told = false;
  set_up(&f);
  const gannet_train_problem problem = {&f.net, 20, f.z, f.target, 1e-3, f.start, NULL};
  f.target[3] = NAN;
  assert_fails(GANNET_ERR_NUMERIC, "lbfgs diverged",
               gannet_train_for_all(context, &problem, &lbfgs, stream, f.shared, &told));
  assert_fails(GANNET_ERR_NUMERIC, "sgd diverged",
               gannet_train_for_all(context, &problem, &sgd, stream, f.shared, &told));
  assert_fails(GANNET_ERR_NUMERIC, "newton diverged",
               gannet_train_for_all(context, &problem, &newton, stream, f.shared, &told));
  assert_false(told);
  tear_down(&f);
}

static void count_lines(void *lines, gannet_log_level level, int rank, const char *line) {
  (void)rank;
  *(int *)lines += level == GANNET_LOG_WARNING && strstr(line, "the rate is lowered") != NULL;
}

/* A rate at which sgd diverges: the log says once that it was lowered, and the weights are those of
 * one rank. */
static void a_lowered_rate_is_told_once(void **state) {
  (void)state;
  const gannet_train_options wild = {GANNET_TRAIN_SGD, 0, 20, 8, 1e6};
  static fixture f;
  bool told = false;
  int lines = 0;
  set_up(&f);
  const gannet_train_problem problem = {&f.net, 20, f.z, f.target, 1e-3, f.start, NULL};
  assert_ok(train_alone(&problem, &wild, stream, f.alone, NULL));
  for (int refused = 0; refused < 2; ++refused) {
    refuse = refused && context->np > 1;
    gannet_context_set_log(context, GANNET_LOG_WARNING, count_lines, &lines);
    assert_ok(gannet_train_for_all(context, &problem, &wild, stream, f.shared, &told));
    gannet_context_set_log(context, GANNET_LOG_WARNING, NULL, NULL);
    refuse = false;
    assert_memory_equal(f.shared, f.alone, 2 * f.p * sizeof *f.shared);
  }
  assert_int_equal(lines, context->rank == 0);
  tear_down(&f);
}

int main(int argc, char **argv) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &context) != GANNET_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(networks_of_all_are_those_of_one),
      cmocka_unit_test(networks_of_many_observations_are_those_of_one),
      cmocka_unit_test(all_ranks_learn_of_failures),
      cmocka_unit_test(a_lowered_rate_is_told_once),
  };
  const int failed = run_ranks(tests);
  gannet_context_destroy(&context);
  (void)MPI_Finalize();
  return failed;
}
