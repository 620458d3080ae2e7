/* test: ranks 2 3 labels unit timeout 300 */
/* One rank has no memory for some allocation of an ask: all ranks learn of it, none waits for ever,
 * and when asked again they propose what they would have. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/allocations.h"

#include "optimizer/fixture.h"

#include "surrogate/factor.h"

enum { D = 3, Q = 2, TOLD = 24, OTHER = 1200, SETTINGS = 8 };

typedef struct {
  const char *method;
  int told;
  gannet_method_setting setting[SETTINGS];
  long step;    /* of the allocations that fail */
  bool several; /* members, of which one that fails is left out and the others propose */
  double noise; /* told */
} subject;

static void tell_random(gannet_optimizer *optimizer, int n) {
  for (int i = 0; i < n; ++i) {
    double x[D];
    gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 0, 0}, (uint64_t)i * D, D, x);
    const gannet_result result = {.objective = pow(x[0] - 0.3, 2) + sin(3 * x[1]) + x[2]};
    assert_ok(gannet_optimizer_tell_point(optimizer, x, &result, NULL));
  }
}

static fixture make(const subject *s) {
  static const gannet_variable variables[D] = {
      {.name = "a", .lower = 0, .upper = 1},
      {.name = "b", .lower = 0, .upper = 1},
      {.name = "c", .lower = 0, .upper = 1},
  };
  const gannet_problem_spec spec = {.n_variables = D, .variables = variables, .noise_sd = s->noise};
  fixture f = {0};
  int n = 0;
  while (n < SETTINGS && s->setting[n].key) ++n;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, n, s->setting, &f.optimizer));
  tell_random(f.optimizer, s->told);
  return f;
}

/* What comes of the ask in which allocation k of the last rank fails, of a new optimiser. After an
 * error some ask again, and the others leave.
 *
 * Returns whether there was an allocation k.
 */
static bool fail_once(const subject *s, int np, int rank, long k, const double *expected) {
  fixture f = make(s);
  int64_t id[Q];
  double x[Q * D];
  until_failure = rank == np - 1 ? k : 0;
  gannet_err err = gannet_optimizer_ask(f.optimizer, Q, id, x);
  bool reached = rank == np - 1 && until_failure == 0;
  until_failure = 0;
  MPI_Bcast(&reached, 1, MPI_C_BOOL, np - 1, MPI_COMM_WORLD);
  int codes[2] = {(int)err, -(int)err};
  MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  assert_int_equal(codes[0], -codes[1]);
  if (err != GANNET_OK && k / s->step % 2 == 0) err = gannet_optimizer_ask(f.optimizer, Q, id, x);
  if (err == GANNET_OK) {
    double first[Q * D];
    memcpy(first, x, sizeof first);
    MPI_Bcast(first, Q * D, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    assert_memory_equal(x, s->several ? first : expected, sizeof x);
  }
  drop(&f);
  return reached;
}

static void check(const subject *s) {
  int np = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fixture f = make(s);
  int64_t id[Q];
  double expected[Q * D];
  assert_ok(gannet_optimizer_ask(f.optimizer, Q, id, expected));
  drop(&f);
  for (long k = 1; fail_once(s, np, rank, k, expected); k += s->step) {
  }
}

static void tangent_kernels(void **state) {
  (void)state;
  const subject s = {"neural-bo",
                     TOLD,
                     {{"method", "neural-bo"},
                      {"initial", "4"},
                      {"search.candidates", "600"},
                      {"surrogate.width", "16"}},
                     1,
                     false,
                     NAN};
  check(&s);
}

static void trained_means(void **state) {
  (void)state;
  const subject s = {
      "neural-bo-published",
      TOLD,
      {{"method", "neural-bo-published"}, {"initial", "4"}, {"search.candidates", "600"}},
      1,
      false,
      NAN};
  check(&s);
}

/* Factors of 512 rows are shared. What is learnt from few points makes the fit short. */
static void inducing_points(void **state) {
  (void)state;
  const subject s = {"gp-ts",
                     OTHER,
                     {{"method", "gp-ts"},
                      {"initial", "4"},
                      {"search.candidates", "600"},
                      {"surrogate.fit_points", "40"},
                      {"surrogate.restarts", "2"},
                      {"surrogate.inducing", "520"}},
                     3,
                     false,
                     NAN};
  check(&s);
}

/* So many results that candidates are bounded by upper bounds of variances. */
static void upper_bounds_of_variances(void **state) {
  (void)state;
  const subject s = {"gp-ei",
                     420,
                     {{"method", "gp-ei"},
                      {"initial", "4"},
                      {"search.candidates", "1024"},
                      {"surrogate.fit_points", "40"},
                      {"surrogate.restarts", "2"}},
                     3,
                     false,
                     NAN};
  check(&s);
}

static void check_quadratic(double noise) {
  const subject s = {"quadratic", TOLD,  {{"method", "quadratic"}, {"initial", "4"}},
                     1,           false, noise};
  check(&s);
}

static void quadratic_models(void **state) {
  (void)state;
  check_quadratic(0);
}

static void quadratic_models_of_noisy_values(void **state) {
  (void)state;
  check_quadratic(0.1);
}

static void members(void **state) {
  (void)state;
  const subject s = {
      "auto", TOLD, {{"method", "auto"}, {"initial", "4"}, {"search.candidates", "1024"}},
      2,      true, NAN};
  check(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangent_kernels),  cmocka_unit_test(trained_means),
      cmocka_unit_test(inducing_points),  cmocka_unit_test(upper_bounds_of_variances),
      cmocka_unit_test(quadratic_models), cmocka_unit_test(quadratic_models_of_noisy_values),
      cmocka_unit_test(members),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
