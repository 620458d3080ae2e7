/* test: ranks 1 2 3 labels unit timeout 240 */
/* Campaigns whose tangent kernel may have an additive part, alone and in a portfolio. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

enum { D = 6, BATCH = 4, ROUNDS = 11 };

static const gannet_variable variables[D] = {
    {.name = "a", .lower = 0, .upper = 1}, {.name = "b", .lower = 0, .upper = 1},
    {.name = "c", .lower = 0, .upper = 1}, {.name = "d", .lower = 0, .upper = 1},
    {.name = "e", .lower = 0, .upper = 1}, {.name = "f", .lower = 0, .upper = 1}};
static const gannet_problem_spec spec = {.n_variables = D, .variables = variables, .noise_sd = NAN};

static gannet_err start(fixture *f, MPI_Comm comm, const char *method, const char *key,
                        const char *text) {
  const gannet_method_setting settings[] = {{"method", method},
                                            {"search.candidates", "500"},
                                            {"surrogate.additive", "auto"},
                                            {key, text}};
  assert_ok(gannet_context_create(comm, 3, &f->context));
  assert_ok(gannet_problem_create(&spec, &f->problem));
  return gannet_optimizer_create(f->context, f->problem, 4, settings, &f->optimizer);
}

/* A sum of functions of single variables; returns the hash of all points. */
static uint64_t campaign(MPI_Comm comm, const char *method, const char *key, const char *text) {
  fixture f = {0};
  assert_ok(start(&f, comm, method, key, text));
  for (int round = 0; round < ROUNDS; ++round) {
    int64_t id[BATCH];
    double x[BATCH * D];
    gannet_result results[BATCH];
    assert_ok(gannet_optimizer_ask(f.optimizer, BATCH, id, x));
    for (int i = 0; i < BATCH; ++i) {
      results[i] = (gannet_result){.id = id[i]};
      for (int k = 0; k < D; ++k) results[i].objective += sin(9 * x[i * D + k] + k);
    }
    assert_ok(gannet_optimizer_tell(f.optimizer, BATCH, results));
  }
  const uint64_t digest = gannet_history_digest(f.optimizer->history);
  drop(&f);
  return digest;
}

static void ranks_do_not_matter(void **state) {
  (void)state;
  const struct {
    const char *method, *key, *text;
  } cases[] = {{"neural-bo", "initial", "12"},
               {"neural-trust", "initial", "12"},
               {"neural-additive-ei", "initial", "12"},
               {"auto", "portfolio", "[gp-noisy, quadratic, neural-additive-ei]"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_true(campaign(MPI_COMM_WORLD, cases[i].method, cases[i].key, cases[i].text) ==
                campaign(MPI_COMM_SELF, cases[i].method, cases[i].key, cases[i].text));
}

static void what_it_does_not_go_with_is_refused_at_the_start(void **state) {
  (void)state;
  const char *const others[][2] = {{"surrogate.kernel", "network"}, {"surrogate.mean", "trained"}};
  const char *const messages[] = {"choose kernel: infinite", "choose mean: posterior"};
  for (int k = 0; k < 2; ++k) {
    fixture f = {0};
    assert_fails(GANNET_ERR_INPUT, messages[k],
                 start(&f, MPI_COMM_WORLD, "neural-bo", others[k][0], others[k][1]));
    assert_null(f.optimizer);
    drop(&f);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_do_not_matter),
      cmocka_unit_test(what_it_does_not_go_with_is_refused_at_the_start),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
