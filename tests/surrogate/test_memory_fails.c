/* test: ranks 1 2 labels unit timeout 240 */
/* One rank has no memory for some allocation of a fit: all ranks learn of it, the hyperparameters
 * stay, and later fits give what they would have given without the failure. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/allocations.h"
#include "support/harness.h"

#include "surrogate/created.h"

enum { D = 2, FEW = 8, N = 20, POINTS = 3, HYPER = 80, SETTINGS = 6 };

static gannet_context *context;

typedef struct {
  const char *name;
  long step; /* between the allocations that fail */
  gannet_setting setting[SETTINGS];
} subject;

/* What a fit has made of a model. */
typedef struct {
  double hyper[HYPER], mean[POINTS], sd[POINTS];
} outcome;

static void make(double *x, double *y) {
  gannet_random_uniform((gannet_stream){31, GANNET_FOR_TEST, 1, 1}, 0, N * D, x);
  for (int i = 0; i < N; ++i) y[i] = 2 * x[i * D] - x[i * D + 1] * x[i * D + 1];
}

static gannet_err fit(gannet_surrogate *s, int n, bool learn, int64_t iteration) {
  double x[N * D], y[N];
  make(x, y);
  const gannet_data data = {n, x, y, NAN, NULL};
  return gannet_surrogate_fit(s, &data, learn, iteration);
}

static outcome outcome_of(const gannet_surrogate *s) {
  static const double at[POINTS * D] = {0.2, 0.7, 0.5, 0.5, 0.9, 0.1};
  outcome o = {{0}, {0}, {0}};
  assert_true(gannet_surrogate_n_hyper(s) <= HYPER);
  gannet_surrogate_get_hyper(s, o.hyper);
  assert_ok(gannet_surrogate_predict(s, POINTS, at, o.mean, o.sd));
  return o;
}

static gannet_surrogate *make_subject(const subject *of) {
  int n = 0;
  while (n < SETTINGS && of->setting[n].key) ++n;
  return surrogate_named(context, of->name, D, n, of->setting);
}

/* Fail allocation k of the last rank in the second fit of a new model. Returns whether there was
 * one. */
static bool fail_once(const subject *of, long k, const outcome *first, const outcome *second) {
  gannet_surrogate *s = make_subject(of);
  const bool mine = context->rank == context->np - 1;
  double hyper[HYPER] = {0};
  assert_ok(fit(s, FEW, true, 1));
  until_failure = mine ? k : 0;
  const gannet_err err = fit(s, N, true, 2);
  int reached = mine && until_failure == 0;
  until_failure = 0;
  MPI_Allreduce(MPI_IN_PLACE, &reached, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (reached && err != GANNET_OK) {
    assert_int_equal(err, GANNET_ERR_MEMORY);
    gannet_surrogate_get_hyper(s, hyper);
    assert_memory_equal(hyper, first->hyper, sizeof hyper);
    if (k / of->step % 2 == 0) {
      assert_ok(fit(s, FEW, false, 1));
      const outcome again = outcome_of(s);
      assert_memory_equal(&again, first, sizeof again);
    }
    assert_ok(fit(s, N, true, 2));
  }
  const outcome now = outcome_of(s);
  assert_memory_equal(&now, second, sizeof now);
  gannet_surrogate_destroy(&s);
  return reached;
}

static void check(const subject *of) {
  gannet_surrogate *s = make_subject(of);
  assert_ok(fit(s, FEW, true, 1));
  const outcome first = outcome_of(s);
  assert_ok(fit(s, N, true, 2));
  const outcome second = outcome_of(s);
  gannet_surrogate_destroy(&s);
  for (long k = 1; fail_once(of, k, &first, &second); k += of->step) {
  }
}

static void gaussian_processes(void **state) {
  (void)state;
  check(&(subject){"gp", 5, {{.key = "restarts", .text = "2"}, {.key = "inducing", .text = "4"}}});
}

static void tangent_kernels(void **state) {
  (void)state;
  check(&(subject){"tangent-kernel",
                   29,
                   {{.key = "width", .text = "8"},
                    {.key = "restarts", .text = "2"},
                    {.key = "additive", .text = "auto"},
                    {.key = "fit_evaluations", .text = "5"}}});
  check(&(subject){"tangent-kernel",
                   3,
                   {{.key = "width", .text = "8"},
                    {.key = "restarts", .text = "2"},
                    {.key = "kernel", .text = "network"},
                    {.key = "mean", .text = "trained"},
                    {.key = "epochs", .text = "3"},
                    {.key = "fit_evaluations", .text = "5"}}});
}

static void ensembles(void **state) {
  (void)state;
  check(&(subject){"ensemble",
                   11,
                   {{.key = "width", .text = "8"},
                    {.key = "restarts", .text = "2"},
                    {.key = "members", .text = "4"},
                    {.key = "epochs", .text = "3"},
                    {.key = "fit_evaluations", .text = "5"}}});
}

static void parametric_models(void **state) {
  (void)state;
  check(&(subject){"parametric",
                   1,
                   {{.key = "units", .text = "3"},
                    {.key = "restarts", .text = "2"},
                    {.key = "train_points", .text = "14"},
                    {.key = "fit_evaluations", .text = "10"}}});
}

static void physics_informed_networks(void **state) {
  (void)state;
  check(&(subject){"pinn",
                   11,
                   {{.key = "width", .text = "8"},
                    {.key = "single_width", .text = "4"},
                    {.key = "fit", .text = "trained"},
                    {.key = "steps", .text = "2"}}});
}

static void linear_heads(void **state) {
  (void)state;
  check(&(subject){"linear-head",
                   11,
                   {{.key = "width", .text = "4"},
                    {.key = "layers", .text = "1"},
                    {.key = "epochs", .text = "2"}}});
}

static void forests(void **state) {
  (void)state;
  check(&(subject){"forest", 1, {{.key = "trees", .text = "6"}}});
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaussian_processes),
      cmocka_unit_test(tangent_kernels),
      cmocka_unit_test(ensembles),
      cmocka_unit_test(parametric_models),
      cmocka_unit_test(linear_heads),
      cmocka_unit_test(forests),
      cmocka_unit_test(physics_informed_networks),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  const int failed = run_ranks(tests);
  gannet_context_destroy(&context);
  (void)MPI_Finalize();
  return failed;
}
