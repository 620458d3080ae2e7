/* test: ranks 1 3 labels unit timeout 120 */
/* Designs of the user's own: completed, proposed as they are, and kept by an optimiser that is
 * saved; on ranks together as on one. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"
#include "problem/variable_constraints.h"

enum { N = 6, GIVEN = 4, BATCH = 2 };

static const char *const solvers[] = {"cg", "gmres"};
static const gannet_variable variables[N] = {
    {.name = "chord", .lower = 0.5, .upper = 2},
    {.name = "span", .lower = 1, .upper = 12, .step = 0.0625},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers},
    {.name = "restart",
     .type = GANNET_VARIABLE_INTEGER,
     .lower = 5,
     .upper = 200,
     .when = "solver == 'gmres'"},
    {.name = "rho", .role = GANNET_ROLE_FIXED, .fixed = 1.2},
    {.name = "area", .role = GANNET_ROLE_DERIVED, .expression = "chord*span"},
};
enum { CHORD, SPAN, SOLVER, RESTART, RHO, AREA };

/* A whole design, two partial ones, and one with a value that is not used. */
static const double designs[GIVEN][N] = {{1.1, 4, 0, NAN, NAN, NAN},
                                         {NAN, 9.5, NAN, NAN, 1.2, NAN},
                                         {NAN, NAN, NAN, 77, NAN, NAN},
                                         {1, 2, 0, 300, NAN, 2}};

static fixture make(MPI_Comm comm, const char *method) {
  const gannet_problem_spec spec = {.n_variables = N, .variables = variables, .noise_sd = 0};
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "6"}};
  const char *const texts[] = {"chord + span <= 10"};
  fixture f = {0};
  assert_ok(gannet_context_create(comm, 4, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_problem_set_variable_constraints(f.problem, 1, texts));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

static void tell_all(fixture *f, int n, const int64_t *id, double x[][N]) {
  for (int i = 0; i < n; ++i) {
    const gannet_result result = {.id = id[i],
                                  .objective = fabs(x[i][CHORD] - 1.3) - x[i][AREA] / 20};
    assert_ok(gannet_optimizer_tell(f->optimizer, 1, &result));
  }
}

static void check_completed(const fixture *f, double x[][N]) {
  for (int i = 0; i < GIVEN; ++i) {
    assert_true(gannet_problem_allows_values(f->problem, x[i]));
    assert_true(x[i][RHO] == 1.2 && x[i][AREA] == x[i][CHORD] * x[i][SPAN]);
    for (int v = 0; v < N && i < 3; ++v)
      assert_true(isnan(designs[i][v]) || x[i][v] == designs[i][v]);
  }
  assert_true(x[2][SOLVER] == 1);    /* what is given is active */
  assert_true(x[3][RESTART] != 300); /* inactive, so it rests */
}

/* Start, ask before and after the results.
 *
 * x  out  [GIVEN + 2 * BATCH][N]
 */
static void run(fixture *f, double x[][N]) {
  int64_t id[GIVEN + 2 * BATCH];
  gannet_counts counts;
  memcpy(x, designs, sizeof designs);
  assert_ok(gannet_optimizer_start(f->optimizer, GIVEN, x[0], id));
  check_completed(f, x);
  gannet_optimizer_count(f->optimizer, &counts);
  assert_int_equal(counts.pending, GIVEN);
  assert_int_equal(gannet_optimizer_pending(f->optimizer, 0, NULL, NULL), GIVEN);
  tell_all(f, GIVEN, id, x);
  for (int i = GIVEN; i < GIVEN + 2 * BATCH; i += BATCH) {
    assert_ok(gannet_optimizer_ask(f->optimizer, BATCH, id + i, x[i]));
    tell_all(f, BATCH, id + i, x + i);
  }
  for (int i = 0; i < GIVEN + 2 * BATCH; ++i) {
    assert_int_equal(id[i], i);
    for (int j = 0; j < i; ++j) assert_true(memcmp(x[i], x[j], sizeof x[i]) != 0);
  }
}

static void designs_come_first_on_any_number_of_ranks(void **state) {
  double together[GIVEN + 2 * BATCH][N], alone[GIVEN + 2 * BATCH][N];
  (void)state;
  fixture all = make(MPI_COMM_WORLD, "gp-ei"), one = make(MPI_COMM_SELF, "gp-ei");
  run(&all, together);
  run(&one, alone);
  assert_memory_equal(together, alone, sizeof alone);
  drop(&one);
  drop(&all);
}

/* Those that were entered before and those that come later are evaluations as others. */
static void an_optimiser_that_is_saved_knows_them(void **state) {
  char path[PATH_MAX];
  double x[GIVEN][N], pending[GIVEN][N], next[2][BATCH][N], late[2][N];
  int64_t id[GIVEN], number[BATCH];
  (void)state;
  (void)snprintf(path, sizeof path, "%s/started.h5", folder);
  fixture f[2] = {make(MPI_COMM_WORLD, "gp-ei"), make(MPI_COMM_WORLD, "gp-ei")};
  memcpy(x, designs, sizeof x);
  assert_ok(gannet_optimizer_start(f[0].optimizer, GIVEN, x[0], id));
  assert_ok(gannet_optimizer_save(f[0].optimizer, path));
  assert_ok(gannet_optimizer_load(f[1].optimizer, path));
  assert_int_equal(gannet_optimizer_pending(f[1].optimizer, GIVEN, id, pending[0]), GIVEN);
  assert_memory_equal(pending, x, sizeof x);
  for (int k = 0; k < 2; ++k) {
    tell_all(&f[k], GIVEN - 1, id, x);
    for (int round = 0; round < 2; ++round) {
      assert_ok(gannet_optimizer_ask(f[k].optimizer, BATCH, number, next[k][0]));
      tell_all(&f[k], BATCH, number, next[k]);
    }
    for (int v = 0; v < N; ++v) late[k][v] = v == CHORD ? 1.75 : NAN;
    assert_ok(gannet_optimizer_start(f[k].optimizer, 1, late[k], number));
    assert_true(number[0] == GIVEN + 2 * BATCH && late[k][CHORD] == 1.75);
    assert_ok(gannet_optimizer_ask(f[k].optimizer, BATCH, number, next[k][0]));
  }
  assert_memory_equal(late[0], late[1], sizeof late[0]);
  assert_memory_equal(next[0], next[1], sizeof next[0]);
  drop(&f[1]);
  drop(&f[0]);
}

static void what_is_wrong_is_told_and_nothing_proposed(void **state) {
  static const struct {
    const char *told;
    double x[N];
  } wrong[] = {
      {"design 2 of 2: gives no variable", {NAN, NAN, NAN, NAN, NAN, NAN}},
      {"design 2 of 2: variable chord: 3 is outside [0.5, 2]", {3, NAN, NAN, NAN, NAN, NAN}},
      {"design 2 of 2: variable chord: inf is outside", {INFINITY, NAN, NAN, NAN, NAN, NAN}},
      {"design 2 of 2: variable span: 4.1 is not 1 plus", {NAN, 4.1, NAN, NAN, NAN, NAN}},
      {"design 2 of 2: variable solver: 2 is not a position", {NAN, NAN, 2, NAN, NAN, NAN}},
      {"design 2 of 2: variable restart: 300 is outside", {NAN, NAN, 1, 300, NAN, NAN}},
      {"design 2 of 2: variable rho: 2, but its value is fixed", {1, NAN, NAN, NAN, 2, NAN}},
      {"design 2 of 2: variable rho: 2 is not its value here", {1, 1, 0, NAN, 2, NAN}},
      {"design 2 of 2: variable area: 7 is not its value here", {1, 1, 0, NAN, NAN, 7}},
      {"design 2 of 2: area is computed, but not all", {1, NAN, NAN, NAN, NAN, 7}},
      {"chord + span <= 10", {1, 12, 0, NAN, NAN, NAN}},
      {"chord + span <= 10", {NAN, 12, NAN, NAN, NAN, NAN}},
  };
  double x[2][N];
  int64_t id[2];
  (void)state;
  fixture f = make(MPI_COMM_WORLD, "gp-ei");
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    memcpy(x[0], designs[0], sizeof x[0]);
    memcpy(x[1], wrong[k].x, sizeof x[1]);
    assert_fails(GANNET_ERR_INPUT, wrong[k].told, gannet_optimizer_start(f.optimizer, 2, x[0], id));
    assert_memory_equal(x[1], wrong[k].x, sizeof x[1]);
  }
  assert_fails(GANNET_ERR_ARG, "n = -1 designs, expected 0 to",
               gannet_optimizer_start(f.optimizer, -1, x[0], id));
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memcpy(x[0], designs[0], sizeof x[0]);
  x[0][CHORD] = rank == ranks - 1 ? 1.2 : 1.1;
  if (ranks > 1)
    assert_fails(GANNET_ERR_RANKS, "designs to start with",
                 gannet_optimizer_start(f.optimizer, 1, x[0], id));
  gannet_counts counts;
  gannet_optimizer_count(f.optimizer, &counts);
  assert_int_equal(counts.pending, 0);
  memcpy(x[0], designs[0], sizeof x[0]);
  assert_ok(gannet_optimizer_start(f.optimizer, 1, x[0], id));
  assert_int_equal(id[0], 0);
  drop(&f);
}

/* Nothing can be filled in there: which candidate is meant would be a guess. */
static void candidates_are_given_whole(void **state) {
  static const gannet_variable two[] = {{.name = "x", .lower = 0, .upper = 1},
                                        {.name = "y", .lower = 0, .upper = 1}};
  static const double listed[] = {0, 0, 0.25, 0.5, 0.5, 1, 1, 0};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = two, .noise_sd = 0};
  const gannet_method_setting settings[] = {{"method", "gp-ei"}, {"initial", "2"}};
  double x[3][2] = {{0.25, 0.5}, {0.5, 1}, {0, 0}};
  int64_t id[3];
  fixture f = {0};
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 4, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_problem_set_candidates(f.problem, MPI_COMM_WORLD, 4, listed));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  double other[2] = {0.25, 0.75}, partial[2] = {0.25, NAN};
  assert_fails(GANNET_ERR_INPUT, "design 1 of 1: is not in the list of candidates",
               gannet_optimizer_start(f.optimizer, 1, other, id));
  assert_fails(GANNET_ERR_INPUT, "a design must give every variable",
               gannet_optimizer_start(f.optimizer, 1, partial, id));
  assert_ok(gannet_optimizer_start(f.optimizer, 2, x[0], id));
  assert_ok(gannet_optimizer_ask(f.optimizer, 2, id, x[0]));
  for (int i = 0; i < 2; ++i) assert_true(x[i][1] == 0); /* those that are left */
  assert_fails(GANNET_ERR_STATE, "only 0 listed candidates",
               gannet_optimizer_ask(f.optimizer, 1, id, x[0]));
  drop(&f);
}

/* Whoever wants a design several times gives it several times. */
static void a_design_may_run_again(void **state) {
  static const gannet_variable line[] = {{.name = "x", .lower = 0, .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 1, .variables = line, .noise_sd = NAN};
  const gannet_method_setting settings[] = {{"replicates", "2"}, {"initial", "4"}};
  double x[4] = {0.5, 0.5, 0.75, NAN};
  int64_t id[4];
  fixture f = {0};
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 4, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  assert_ok(gannet_optimizer_start(f.optimizer, 0, NULL, NULL));
  assert_ok(gannet_optimizer_start(f.optimizer, 3, x, id));
  for (int i = 0; i < 3; ++i) {
    const gannet_result result = {.id = id[i], .objective = 1 + x[i] + 0.1 * i};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  gannet_best best;
  gannet_optimizer_best(f.optimizer, &best, NULL);
  assert_true(best.id == 0 && best.runs == 2 && fabs(best.objective - 1.55) < 1e-12);
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x));
  assert_true(x[0] != 0.5 && x[0] == x[1] && x[2] == x[3] && x[1] != x[2]);
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(designs_come_first_on_any_number_of_ranks),
      cmocka_unit_test(an_optimiser_that_is_saved_knows_them),
      cmocka_unit_test(what_is_wrong_is_told_and_nothing_proposed),
      cmocka_unit_test(candidates_are_given_whole),
      cmocka_unit_test(a_design_may_run_again),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
