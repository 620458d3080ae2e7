/* test: ranks 2 labels unit timeout 60 */
/* Ranks on processors of different kinds propose together, and what scoring exactly does. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "base/registers.h"
#include "network/unit_sums.h"
#include "support/harness.h"
#include "support/refuse.h"

#include "optimizer/optimizer_impl.h"

/* In long histories ranks share the solves of ceilings. */
enum { D = 3, Q = 2, TOLD = 30, LONG = 830 };

static int rank_here(void) {
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static int smaller = 32; /* registers of the second rank, at most */

/* In place of the library's: the second rank has smaller registers. */
int gannet_register_bytes(void) {
  int bytes = 16;
#ifdef GANNET_HAS_REGISTERS
  if (__builtin_cpu_supports("x86-64-v3")) bytes = 32;
  if (__builtin_cpu_supports("x86-64-v4")) bytes = 64;
#endif
  return rank_here() == 0 || bytes < smaller ? bytes : smaller;
}

/* In place of the library's: only the first rank can estimate the prior part of draws. */
struct gannet_unit_sums {
  int q;
};

gannet_err gannet_unit_sums_prepare(const gannet_tangent *net, gannet_unit_tables *tables,
                                    const gannet_tangent_directions *directions,
                                    gannet_unit_sums **sums) {
  static struct gannet_unit_sums only;
  (void)net;
  (void)tables;
  only.q = directions->q;
  *sums = rank_here() == 0 ? &only : NULL;
  return GANNET_OK;
}

void gannet_unit_sums_destroy(gannet_unit_sums **sums) {
  *sums = NULL;
}

void gannet_unit_sums_values(const gannet_unit_sums *sums, int n_strips, const double *strips,
                             double *values) {
  (void)strips;
  for (int i = 0; i < n_strips * sums->q; ++i) values[i] = 0;
}

static void tell_random(gannet_optimizer *optimizer, int told) {
  for (int i = 0; i < told; ++i) {
    double x[D];
    gannet_random_uniform((gannet_stream){5, GANNET_FOR_TEST, 0, 0}, (uint64_t)i * D, D, x);
    const gannet_result result = {.objective = pow(x[0] - 0.3, 2) + sin(3 * x[1]) + x[2]};
    assert_ok(gannet_optimizer_tell_point(optimizer, x, &result, NULL));
  }
}

/* The points of one ask; whether estimates sufficed. x: [Q][D] */
static bool ask(const char *method, const char *exact, int told, double *x) {
  static const gannet_variable variables[D] = {
      {.name = "a", .lower = 0, .upper = 1},
      {.name = "b", .lower = 0, .upper = 1},
      {.name = "c", .lower = 0, .upper = 1},
  };
  const gannet_problem_spec spec = {.n_variables = D, .variables = variables, .noise_sd = NAN};
  const gannet_method_setting settings[] = {{"method", method},
                                            {"initial", "1"},
                                            {"search.candidates", "2000"},
                                            {"search.exact", exact},
                                            {"surrogate.fit_points", "60"},
                                            {"surrogate.width", "32"}};
  const int n_settings = strncmp(method, "neural", strlen("neural")) == 0 ? 6 : 5;
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  int64_t id[Q];
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, n_settings, settings, &optimizer));
  tell_random(optimizer, told);
  assert_ok(gannet_optimizer_ask(optimizer, Q, id, x));
  const int64_t scored = optimizer->member[0].scored;
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
  return scored > 0;
}

static const char *const methods[] = {"neural-ei", "gp-ei", "gp-ts"};

static void other_registers_change_nothing(void **state) {
  (void)state;
  smaller = 32;
  for (int i = 0; i < 3; ++i) {
    double exact[Q * D], x[Q * D];
    assert_false(ask(methods[i], "yes", TOLD, exact));
    assert_true(ask(methods[i], "no", TOLD, x));
    assert_memory_equal(x, exact, sizeof x);
  }
}

/* The smallest registers have no fused operations, so exact values differ by rounding, and
 * estimates may be given up. */
static void other_operations_change_no_points(void **state) {
  (void)state;
  smaller = 16;
  for (int i = 0; i < 3; ++i) {
    double exact[Q * D], x[Q * D];
    assert_false(ask(methods[i], "yes", TOLD, exact));
    (void)ask(methods[i], "no", TOLD, x);
    assert_memory_equal(x, exact, sizeof x);
  }
}

static void nor_with_a_long_history(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    double exact[Q * D], x[Q * D];
    smaller = i == 0 ? 32 : 16;
    assert_false(ask(methods[i], "yes", LONG, exact));
    (void)ask(methods[i], "no", LONG, x);
    assert_memory_equal(x, exact, sizeof x);
    assert_false(ask(methods[1 - i], "yes", LONG, exact));
    (void)ask(methods[1 - i], "no", LONG, x);
    assert_memory_equal(x, exact, sizeof x);
  }
}

static void what_one_rank_cannot_estimate_none_does(void **state) {
  (void)state;
  double exact[Q * D], x[Q * D];
  assert_false(ask("neural-bo", "yes", TOLD, exact));
  assert_false(ask("neural-bo", "no", TOLD, x));
  assert_memory_equal(x, exact, sizeof x);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_registers_change_nothing),
      cmocka_unit_test(other_operations_change_no_points),
      cmocka_unit_test(nor_with_a_long_history),
      cmocka_unit_test(what_one_rank_cannot_estimate_none_does),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  refuse = true; /* unlike processors are on different nodes */
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
