/* test: ranks 1 2 3 labels unit timeout 180 */
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"

#include "optimizer/propose/draw_uses.h"
#include "optimizer/rank_digest.h"

enum { D = 3, Q = 4, ROUNDS = 8 };

static const gannet_variable box[D] = {{.name = "a", .lower = -1, .upper = 1},
                                       {.name = "b", .lower = -1, .upper = 1},
                                       {.name = "c", .lower = -1, .upper = 1}};

static fixture make_on(MPI_Comm comm, const char *method, const char *minimise) {
  const gannet_method_setting settings[] = {{"method", method},
                                            {"initial", "4"},
                                            {"search.candidates", "500"},
                                            {"acquisition.minimise", minimise}};
  const gannet_problem_spec spec = {.n_variables = D, .variables = box, .noise_sd = NAN};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(comm, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 4, settings, &f.optimizer));
  return f;
}

/* Ask for a batch and tell of it; the points into x [Q][D]. */
static void go_on(fixture *f, double *x) {
  int64_t id[Q];
  assert_ok(gannet_optimizer_ask(f->optimizer, Q, id, x));
  for (int i = 0; i < Q; ++i) {
    gannet_result result = {.id = id[i]};
    for (int k = 0; k < D; ++k)
      result.objective += (x[i * D + k] - 0.3) * (x[i * D + k] - 0.3) * (1 + k);
    assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
}

static double trials_of(const fixture *f, int use) {
  return f->optimizer->member[0].draw_uses.trials[use];
}

static void every_use_gets_draws(void **state) {
  (void)state;
  double x[Q * D];
  fixture f = make_on(MPI_COMM_WORLD, "neural-bo", "adaptive");
  for (int round = 0; round < ROUNDS; ++round) go_on(&f, x);
  for (int use = 0; use < GANNET_DRAW_USES; ++use) assert_true(trials_of(&f, use) > 1);
  drop(&f);
}

/* Draws of a random forest cannot be shrunk: the uses without that share them. */
static void a_model_without_shrunk_draws_does_without(void **state) {
  (void)state;
  double x[Q * D];
  fixture f = make_on(MPI_COMM_WORLD, "neural-ts", "adaptive");
  int used = 0;
  for (int round = 0; round < 3; ++round) go_on(&f, x);
  for (int use = 0; use < GANNET_DRAW_USES; ++use) used += trials_of(&f, use) > 0;
  assert_int_equal(used, 2);
  drop(&f);
}

static void polished_draws_need_no_shares(void **state) {
  (void)state;
  double x[Q * D];
  gannet_state saved = {0};
  fixture f = make_on(MPI_COMM_WORLD, "neural-bo", "polished");
  for (int round = 0; round < 3; ++round) go_on(&f, x);
  for (int use = 0; use < GANNET_DRAW_USES; ++use) assert_true(trials_of(&f, use) == 0);
  assert_ok(gannet_optimizer_get_state(f.optimizer, &saved));
  for (int i = 0; i < saved.n; ++i) assert_null(strstr(saved.value[i].name, "draws."));
  gannet_state_release(&saved);
  drop(&f);
}

/* The shares are saved: an optimiser that takes them over proposes the same points. */
static void shares_survive_a_restart(void **state) {
  (void)state;
  double x[Q * D], y[Q * D];
  fixture a = make_on(MPI_COMM_WORLD, "neural-bo", "adaptive");
  fixture b = make_on(MPI_COMM_WORLD, "neural-bo", "adaptive");
  for (int round = 0; round < ROUNDS; ++round) go_on(&a, x);
  for (int round = 0; round < ROUNDS; ++round) go_on(&b, y);
  gannet_state saved = {0};
  assert_ok(gannet_optimizer_get_state(a.optimizer, &saved));
  gannet_allocation_reset(&b.optimizer->member[0].draw_uses);
  assert_ok(gannet_optimizer_set_state(b.optimizer, &saved, NULL));
  for (int use = 0; use < GANNET_DRAW_USES; ++use)
    assert_float_equal(trials_of(&a, use), trials_of(&b, use), 0);
  go_on(&a, x);
  go_on(&b, y);
  assert_memory_equal(x, y, sizeof x);
  gannet_state_release(&saved);
  drop(&a);
  drop(&b);
}

static void all_ranks_and_one_alone_propose_the_same(void **state) {
  (void)state;
  double x[Q * D], y[Q * D];
  fixture all = make_on(MPI_COMM_WORLD, "neural-bo", "adaptive");
  fixture alone = make_on(MPI_COMM_SELF, "neural-bo", "adaptive");
  for (int round = 0; round < ROUNDS; ++round) {
    go_on(&all, x);
    go_on(&alone, y);
    assert_memory_equal(x, y, sizeof x);
  }
  drop(&all);
  drop(&alone);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_use_gets_draws),
      cmocka_unit_test(a_model_without_shrunk_draws_does_without),
      cmocka_unit_test(polished_draws_need_no_shares),
      cmocka_unit_test(shares_survive_a_restart),
      cmocka_unit_test(all_ranks_and_one_alone_propose_the_same),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
