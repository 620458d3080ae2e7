/* test: ranks 1 2 3 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"

static const char *const solvers[] = {"cg", "gmres"};
static const gannet_variable mixed[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers},
    {.name = "y", .lower = 0, .upper = 10},
};
static const gannet_constraint bounds[] = {{"heat", -INFINITY, 1}, {"band", -2, 2}};

enum { VARIABLES = 4, CONSTRAINTS = 2, BATCH = 3, ROUNDS = 5, WRONG = 7 };

static fixture make(const char *method) {
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "4"}};
  const gannet_problem_spec spec = {.n_variables = VARIABLES,
                                    .variables = mixed,
                                    .n_constraints = CONSTRAINTS,
                                    .constraints = bounds,
                                    .noise_sd = NAN};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

static double objective_of(const double *x) {
  return (x[0] - 0.3) * (x[0] - 0.3) + 0.1 * x[1] + x[2] + 0.01 * (x[3] - 4) * (x[3] - 4);
}

static gannet_result result_of(int64_t id, const double *x, double *c) {
  c[0] = x[0] + 0.1 * x[1];
  c[1] = x[0];
  return (gannet_result){.id = id, .objective = objective_of(x), .constraints = c};
}

/* Ask for a batch and tell all of it but its last point, the later one first. */
static void go_on(fixture *f, int round) {
  int64_t id[BATCH];
  double x[BATCH][VARIABLES], c[BATCH][CONSTRAINTS];
  gannet_result results[BATCH];
  assert_ok(gannet_optimizer_ask(f->optimizer, BATCH, id, x[0]));
  for (int i = 0; i < BATCH; ++i) results[i] = result_of(id[i], x[i], c[i]);
  if (round == 1) results[0].outcome = GANNET_RESULT_CANNOT_RUN;
  if (round == 2) results[0].outcome = GANNET_RESULT_FAILED;
  if (round == 2) results[1].objective = -1e3; /* evaluation WRONG */
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &results[1]));
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &results[0]));
}

/* An optimiser that was told the evaluations of another one but those that are left out, in their
 * order; ids: [n] those of its own. */
static fixture tell_again(const char *method, const gannet_optimizer *from, int n,
                          const int64_t *left_out, const gannet_result *corrected) {
  fixture f = make(method);
  const gannet_history *h = from->history;
  gannet_history *to = f.optimizer->history;
  int64_t number[BATCH * ROUNDS];
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    const gannet_evaluation *row = gannet_history_get(h, id);
    number[id] = 0;
    for (int i = 0; i < n; ++i)
      if (left_out[i] == id) number[id] = -1;
    if (number[id] == 0)
      assert_ok(gannet_history_propose(to, gannet_history_x_user(h, id), row->batch, row->origin,
                                       &number[id]));
  }
  for (int64_t at = 0; at < gannet_history_count_told(h); ++at) {
    const int64_t id = gannet_history_order(h)[at];
    const gannet_evaluation *row = gannet_history_get(h, id);
    double c[CONSTRAINTS];
    if (number[id] < 0) continue;
    memcpy(c, gannet_history_constraints(h, id), sizeof c);
    gannet_result_record record = {.id = number[id],
                                   .status = row->status,
                                   .objective = row->objective,
                                   .constraints = c,
                                   .run = row->run};
    if (corrected && corrected->id == id) {
      record.status = GANNET_EVAL_DONE;
      record.objective = corrected->objective;
      memcpy(c, corrected->constraints, sizeof c);
    }
    assert_ok(gannet_history_tell(to, &record));
  }
  f.optimizer->batch = from->batch;
  return f;
}

/* Best, counts, models and the next batches are the same; the ids of a are later by gone. */
static void assert_same_course(fixture *a, fixture *b, int gone) {
  gannet_counts counts, others;
  gannet_best best, other;
  int64_t id[BATCH], ids[BATCH];
  double x[BATCH][VARIABLES], y[BATCH][VARIABLES], c[CONSTRAINTS];
  gannet_prediction p[2 * (1 + CONSTRAINTS)], q[2 * (1 + CONSTRAINTS)];
  gannet_optimizer_count(a->optimizer, &counts);
  gannet_optimizer_count(b->optimizer, &others);
  assert_memory_equal(&counts, &others, sizeof counts);
  gannet_optimizer_best(a->optimizer, &best, x[0]);
  gannet_optimizer_best(b->optimizer, &other, y[0]);
  assert_true(best.objective == other.objective && best.feasible == other.feasible);
  assert_memory_equal(x[0], y[0], sizeof x[0]);
  for (int round = 0; round < 2; ++round) {
    assert_ok(gannet_optimizer_ask(a->optimizer, BATCH, id, x[0]));
    assert_ok(gannet_optimizer_ask(b->optimizer, BATCH, ids, y[0]));
    assert_memory_equal(x, y, sizeof x);
    for (int i = 0; i < BATCH; ++i) {
      assert_int_equal(id[i], ids[i] + gone);
      const gannet_result one = result_of(id[i], x[i], c), two = result_of(ids[i], x[i], c);
      assert_ok(gannet_optimizer_tell(a->optimizer, 1, &one));
      assert_ok(gannet_optimizer_tell(b->optimizer, 1, &two));
    }
    assert_ok(gannet_optimizer_predict(a->optimizer, 2, x[0], p, NULL));
    assert_ok(gannet_optimizer_predict(b->optimizer, 2, x[0], q, NULL));
    assert_memory_equal(p, q, sizeof p);
  }
}

static const char *const methods[] = {"auto", "gp-ei", "sobol", "scbo", "forest-ei", "quadratic"};
enum { METHODS = sizeof methods / sizeof *methods };

static void discarded_evaluations_were_never_there(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    /* The best one, one that waits, one that failed, and one of the last batch. */
    const int64_t gone[] = {WRONG, 5, 6, BATCH * ROUNDS - 2};
    fixture f = make(methods[m]);
    for (int round = 0; round < ROUNDS; ++round) go_on(&f, round);
    fixture other = tell_again(methods[m], f.optimizer, 4, gone, NULL);
    for (int i = 0; i < 4; ++i) assert_ok(gannet_optimizer_discard(f.optimizer, gone[i]));
    assert_same_course(&f, &other, 4);
    drop(&f);
    drop(&other);
  }
}

static void corrected_results_were_never_others(void **state) {
  (void)state;
  for (int m = 0; m < 3; ++m) {
    fixture f = make(methods[m]);
    double c[CONSTRAINTS];
    for (int round = 0; round < ROUNDS; ++round) go_on(&f, round);
    gannet_result right = result_of(WRONG, gannet_history_x_user(f.optimizer->history, WRONG), c);
    fixture other = tell_again(methods[m], f.optimizer, 0, NULL, &right);
    right.id = -1; /* is ignored */
    assert_ok(gannet_optimizer_correct(f.optimizer, WRONG, &right));
    assert_same_course(&f, &other, 0);
    drop(&f);
    drop(&other);
  }
}

/* Ids stay what they were in every function that has any, also after saving and loading. */
static void ids_stay_what_they_were(void **state) {
  (void)state;
  fixture f = make("gp-ei"), g = make("gp-ei");
  gannet_best best;
  gannet_quantity quantity;
  gannet_recommendation recommendation;
  int64_t id[BATCH], pending[2 * ROUNDS], same[2 * ROUNDS];
  double x[BATCH][VARIABLES], y[BATCH][VARIABLES], c[CONSTRAINTS];
  for (int round = 0; round < ROUNDS; ++round) go_on(&f, round);
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_int_equal(best.id, WRONG);
  assert_ok(gannet_optimizer_discard(f.optimizer, WRONG));
  assert_ok(gannet_optimizer_discard(f.optimizer, 2));
  const int64_t n = gannet_optimizer_pending(f.optimizer, 2 * ROUNDS, pending, NULL);
  assert_int_equal(n, ROUNDS - 1);
  for (int64_t i = 0; i < n; ++i) assert_int_equal(pending[i], 3 * i + 5);
  gannet_optimizer_best(f.optimizer, &best, x[0]);
  assert_true(best.id >= 0 && best.id != WRONG && best.objective == objective_of(x[0]));
  assert_ok(gannet_optimizer_quantity(f.optimizer, best.id, "objective", &quantity));
  assert_true(quantity.value == best.objective);
  assert_ok(gannet_optimizer_recommend(f.optimizer, &recommendation, x[0]));
  assert_ok(gannet_optimizer_quantity(f.optimizer, recommendation.id, "objective", &quantity));
  assert_true(quantity.value == objective_of(x[0]));
  const gannet_result late = result_of(5, x[0], c);
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &late));
  assert_ok(gannet_optimizer_quantity(f.optimizer, 5, "objective", &quantity));
  assert_true(quantity.value == late.objective);
  assert_ok(gannet_optimizer_tell_point(f.optimizer, x[0], &late, id));
  assert_int_equal(id[0], BATCH * ROUNDS);
  assert_ok(gannet_optimizer_save(f.optimizer, in_folder("saved.h5")));
  assert_ok(gannet_optimizer_load(g.optimizer, in_folder("saved.h5")));
  assert_int_equal(gannet_optimizer_pending(g.optimizer, 2 * ROUNDS, same, NULL), n - 1);
  gannet_optimizer_pending(f.optimizer, 2 * ROUNDS, pending, NULL);
  assert_memory_equal(same, pending, (size_t)(n - 1) * sizeof *same);
  assert_ok(gannet_optimizer_ask(f.optimizer, BATCH, id, x[0]));
  assert_ok(gannet_optimizer_ask(g.optimizer, BATCH, same, y[0]));
  assert_memory_equal(id, same, sizeof id);
  assert_memory_equal(x, y, sizeof x);
  assert_int_equal(id[0], BATCH * ROUNDS + 1);
  assert_fails(GANNET_ERR_STATE, "evaluation 7 was discarded",
               gannet_optimizer_discard(g.optimizer, WRONG));
  drop(&f);
  drop(&g);
}

/* What cannot be is told, and nothing changes. */
static void wrong_corrections_are_told(void **state) {
  (void)state;
  fixture f = make("sobol");
  gannet_counts before, after;
  gannet_quantity quantity;
  double c[CONSTRAINTS];
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 2; ++round) go_on(&f, round);
  const gannet_result result = result_of(0, gannet_history_x_user(f.optimizer->history, 0), c);
  gannet_result wrong = result;
  assert_ok(gannet_optimizer_discard(f.optimizer, 1));
  gannet_optimizer_count(f.optimizer, &before);
  const gannet_best none = {.id = -1};
  gannet_best best = none;
  assert_fails(GANNET_ERR_ARG, "6 was never asked", gannet_optimizer_discard(f.optimizer, 6));
  assert_fails(GANNET_ERR_ARG, "-1 was never asked", gannet_optimizer_discard(f.optimizer, -1));
  assert_fails(GANNET_ERR_STATE, "1 was discarded", gannet_optimizer_discard(f.optimizer, 1));
  assert_fails(GANNET_ERR_ARG, "6 was never asked",
               gannet_optimizer_correct(f.optimizer, 6, &result));
  assert_fails(GANNET_ERR_STATE, "1 was discarded",
               gannet_optimizer_correct(f.optimizer, 1, &result));
  assert_fails(GANNET_ERR_STATE, "2 has no result yet",
               gannet_optimizer_correct(f.optimizer, 2, &result));
  wrong.constraints = NULL;
  assert_fails(GANNET_ERR_ARG, "expected the values of 2 constraints",
               gannet_optimizer_correct(f.optimizer, 0, &wrong));
  wrong = result, wrong.id = 1;
  assert_fails(GANNET_ERR_STATE, "1 was discarded", gannet_optimizer_tell(f.optimizer, 1, &wrong));
  assert_fails(GANNET_ERR_STATE, "1 was discarded",
               gannet_optimizer_quantity(f.optimizer, 1, "objective", &quantity));
  wrong.id = 0;
  assert_fails(GANNET_ERR_STATE, "a correction replaces it",
               gannet_optimizer_tell(f.optimizer, 1, &wrong));
  if (size > 1) {
    wrong.objective = rank;
    assert_fails(GANNET_ERR_RANKS, "evaluation that is to be discarded",
                 gannet_optimizer_discard(f.optimizer, rank == 0 ? 0 : 3));
    assert_fails(GANNET_ERR_RANKS, "a result that is corrected",
                 gannet_optimizer_correct(f.optimizer, 0, &wrong));
    assert_true(gannet_optimizer_discard(f.optimizer, rank == 0 ? 100 : 3) == GANNET_ERR_ARG ||
                rank > 0);
  }
  gannet_optimizer_count(f.optimizer, &after);
  assert_memory_equal(&before, &after, sizeof before);
  wrong = result, wrong.outcome = GANNET_RESULT_FAILED;
  assert_ok(gannet_optimizer_correct(f.optimizer, 0, &wrong));
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result)); /* it may be told again */
  for (int64_t id = 0; id < 6; ++id)
    if (id != 1) assert_ok(gannet_optimizer_discard(f.optimizer, id));
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_int_equal(best.id, -1);
  go_on(&f, 0);
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_true(best.id == 6 || best.id == 7);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(discarded_evaluations_were_never_there),
      cmocka_unit_test(corrected_results_were_never_others),
      cmocka_unit_test(ids_stay_what_they_were),
      cmocka_unit_test(wrong_corrections_are_told),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
