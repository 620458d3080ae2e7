/* test: ranks 1 2 3 labels unit timeout 180 */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "optimizer/fixture.h"
#include "support/shared_folder.h"

#include "gannet/gannet.h"
#include "store/state_file.h"

static const char *const solvers[] = {"cg", "gmres"};
static const gannet_variable mixed[] = {
    {.name = "x", .lower = -1, .upper = 1},
    {.name = "n", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "solver", .type = GANNET_VARIABLE_CATEGORICAL, .n_values = 2, .values = solvers},
    {.name = "twice", .role = GANNET_ROLE_DERIVED, .expression = "2*x"},
};
static const gannet_constraint bounds[] = {{"heat", -INFINITY, 1}, {"band", -2, 2}};

enum { VARIABLES = 4, CONSTRAINTS = 2, BATCH = 3 };

static fixture make_on(MPI_Comm comm, const char *method, uint64_t seed) {
  const gannet_method_setting settings[] = {{"method", method}, {"initial", "4"}};
  const gannet_problem_spec spec = {.n_variables = VARIABLES,
                                    .variables = mixed,
                                    .n_constraints = CONSTRAINTS,
                                    .constraints = bounds,
                                    .goal = GANNET_MAXIMIZE};
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(comm, seed, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 2, settings, &f.optimizer));
  return f;
}

static fixture make(const char *method) {
  return make_on(MPI_COMM_WORLD, method, 5);
}

/* Ask for a batch and tell of it what is not its last point, out of order: a value, that the
 * simulation cannot work there, a failure. */
static void go_on(fixture *f, int round) {
  int64_t id[BATCH];
  double x[BATCH][VARIABLES], c[BATCH][CONSTRAINTS];
  gannet_result results[BATCH];
  const gannet_quantity more[] = {{.name = "mass", .value = 3, .sd = 0.5}};
  assert_ok(gannet_optimizer_ask(f->optimizer, BATCH, id, x[0]));
  for (int i = 0; i < BATCH; ++i) {
    c[i][0] = x[i][0] + 0.1 * x[i][1];
    c[i][1] = x[i][0];
    results[i] = (gannet_result){.id = id[i],
                                 .objective = -x[i][0] * x[i][0] - 0.1 * x[i][1] + x[i][2],
                                 .constraints = c[i],
                                 .n_quantities = 1,
                                 .quantities = more};
  }
  if (round == 2) results[1].outcome = GANNET_RESULT_CANNOT_RUN;
  if (round == 3) results[1].outcome = GANNET_RESULT_FAILED;
  if (round == 4) results[1].objective = NAN; /* crashed */
  assert_ok(gannet_optimizer_tell(f->optimizer, 1, &results[1]));
  if (round % 2) assert_ok(gannet_optimizer_tell(f->optimizer, 1, &results[0]));
  if (round < 2) assert_ok(gannet_optimizer_tell(f->optimizer, 1, &results[2]));
}

static void name_file(char *path, size_t size) {
  static int count;
  (void)snprintf(path, size, "%s/optimizer-%d.h5", folder, ++count);
}

static void assert_same_asks(fixture *a, fixture *b) {
  int64_t id[BATCH], other[BATCH];
  double x[BATCH][VARIABLES], y[BATCH][VARIABLES];
  assert_ok(gannet_optimizer_ask(a->optimizer, BATCH, id, x[0]));
  assert_ok(gannet_optimizer_ask(b->optimizer, BATCH, other, y[0]));
  assert_memory_equal(id, other, sizeof id);
  assert_memory_equal(x, y, sizeof x);
}

static void it_asks_for_the_same_points(void **state) {
  static const char *const methods[] = {"auto", "gp-ei", "neural-bo", "scbo", "sobol", "forest-ei"};
  (void)state;
  for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
    char path[PATH_MAX];
    name_file(path, sizeof path);
    fixture whole = make(methods[k]), other = make(methods[k]);
    fixture alone = make_on(MPI_COMM_SELF, methods[k], 5);
    for (int round = 0; round < 6; ++round) go_on(&whole, round);
    assert_ok(gannet_optimizer_save(whole.optimizer, path));
    assert_ok(gannet_optimizer_load(other.optimizer, path));
    assert_ok(gannet_optimizer_load(alone.optimizer, path)); /* on another number of ranks */
    gannet_counts a, b;
    gannet_quantity mass, kept;
    gannet_optimizer_count(whole.optimizer, &a);
    gannet_optimizer_count(other.optimizer, &b);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.pending > 0 && a.cannot_run == 1 && a.failed == 2);
    assert_ok(gannet_optimizer_quantity(whole.optimizer, 1, "mass", &mass));
    assert_ok(gannet_optimizer_quantity(other.optimizer, 1, "mass", &kept));
    assert_true(kept.value == 3 && kept.sd == 0.5 && mass.value == 3);
    assert_true(gannet_history_digest(whole.optimizer->history) ==
                gannet_history_digest(other.optimizer->history));
    assert_same_asks(&whole, &other);
    go_on(&whole, 6);
    go_on(&other, 6);
    assert_same_asks(&whole, &other);
    fixture again = make_on(MPI_COMM_SELF, methods[k], 5);
    assert_ok(gannet_optimizer_load(again.optimizer, path));
    assert_same_asks(&alone, &again);
    drop(&again);
    drop(&alone);
    drop(&other);
    drop(&whole);
  }
}

/* What one rank goes on with is what all went on with. */
static void any_number_of_ranks_goes_on_alike(void **state) {
  char path[PATH_MAX];
  (void)state;
  name_file(path, sizeof path);
  fixture whole = make("gp-ei"), alone = make_on(MPI_COMM_SELF, "gp-ei", 5);
  for (int round = 0; round < 4; ++round) go_on(&whole, round);
  assert_ok(gannet_optimizer_save(whole.optimizer, path));
  assert_ok(gannet_optimizer_load(alone.optimizer, path));
  assert_same_asks(&whole, &alone);
  drop(&alone);
  drop(&whole);
}

static void pending_points_are_known(void **state) {
  char path[PATH_MAX];
  (void)state;
  name_file(path, sizeof path);
  fixture f = make("sobol"), g = make("sobol");
  int64_t id[4], pending[4] = {-1, -1, -1, -1};
  double x[4][VARIABLES], y[4][VARIABLES];
  const double c[] = {0, 0};
  assert_ok(gannet_optimizer_ask(f.optimizer, 4, id, x[0]));
  const gannet_result result = {.id = id[1], .objective = 1, .constraints = c};
  assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  assert_ok(gannet_optimizer_load(g.optimizer, path));
  assert_int_equal(gannet_optimizer_pending(g.optimizer, 4, pending, y[0]), 3);
  assert_true(pending[0] == 0 && pending[1] == 2 && pending[2] == 3 && pending[3] == -1);
  assert_memory_equal(y[1], x[2], sizeof y[1]);
  assert_int_equal(gannet_optimizer_pending(g.optimizer, 1, pending, NULL), 3);
  assert_int_equal(gannet_optimizer_pending(g.optimizer, 0, NULL, NULL), 3);
  assert_int_equal(gannet_optimizer_pending(NULL, 0, NULL, NULL), 0);
  const gannet_result late = {.id = pending[0], .objective = 2, .constraints = c};
  assert_ok(gannet_optimizer_tell(g.optimizer, 1, &late));
  assert_int_equal(gannet_optimizer_pending(g.optimizer, 0, NULL, NULL), 2);
  drop(&f);
  drop(&g);
}

/* An optimiser for another problem: one thing of the one that was saved is changed. */
static void refuse_constrained(const char *path, const gannet_problem_spec *spec, int n,
                               const gannet_method_setting *settings, uint64_t seed,
                               const char *relation, const char *said) {
  fixture f = {NULL, NULL, NULL};
  assert_ok(gannet_context_create(MPI_COMM_WORLD, seed, &f.context));
  assert_ok(gannet_problem_create(spec, &f.problem));
  assert_ok(gannet_problem_set_variable_constraints(f.problem, relation != NULL, &relation));
  assert_ok(gannet_optimizer_create(f.context, f.problem, n, settings, &f.optimizer));
  assert_fails(GANNET_ERR_INPUT, said, gannet_optimizer_load(f.optimizer, path));
  gannet_counts counts;
  gannet_optimizer_count(f.optimizer, &counts);
  assert_true(counts.done == 0 && counts.pending == 0);
  drop(&f);
}

static void refuse(const char *path, const gannet_problem_spec *spec, int n,
                   const gannet_method_setting *settings, uint64_t seed, const char *said) {
  refuse_constrained(path, spec, n, settings, seed, NULL, said);
}

static void what_differs_is_told(void **state) {
  char path[PATH_MAX];
  (void)state;
  name_file(path, sizeof path);
  fixture f = make("gp-ei");
  for (int round = 0; round < 3; ++round) go_on(&f, round);
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  drop(&f);
  const gannet_method_setting same[] = {{"method", "gp-ei"}, {"initial", "4"}};
  const gannet_problem_spec spec = {.n_variables = VARIABLES,
                                    .variables = mixed,
                                    .n_constraints = CONSTRAINTS,
                                    .constraints = bounds,
                                    .goal = GANNET_MAXIMIZE};
  gannet_variable variables[VARIABLES];
  gannet_constraint limits[CONSTRAINTS];
  gannet_problem_spec other = spec;
  memcpy(variables, mixed, sizeof mixed);
  memcpy(limits, bounds, sizeof bounds);
  other.variables = variables;
  variables[0].upper = 2;
  refuse(path, &other, 2, same, 5, "problem/upper of x is 1, expected 2");
  variables[0].upper = 1;
  variables[0].name = "y";
  variables[3].expression = "2*y";
  refuse(path, &other, 2, same, 5, "problem/variables of y is 'x', expected 'y'");
  other = spec;
  other.n_constraints = 1;
  refuse(path, &other, 2, same, 5, "problem/constraints has 2 rows, expected 1");
  other = spec;
  other.constraints = limits;
  limits[0].upper = 1.5;
  refuse(path, &other, 2, same, 5, "problem/constraint_upper of heat is 1, expected 1.5");
  other = spec;
  other.goal = GANNET_MINIMIZE;
  refuse(path, &other, 2, same, 5, "problem/goal is maximize, expected minimize");
  other = spec;
  other.noise_sd = NAN;
  refuse(path, &other, 2, same, 5, "noise is 0 in the file, expected nan");
  refuse_constrained(path, &spec, 2, same, 5, "x <= 0.5", "expected the same variable constraints");
  refuse(path, &spec, 2, same, 6, "with seed 5, expected 6");
  const gannet_method_setting method[] = {{"method", "gp-ucb"}, {"initial", "4"}};
  refuse(path, &spec, 2, method, 5, "method is gp-ei in the file, gp-ucb here");
  const gannet_method_setting set[] = {
      {"method", "gp-ei"}, {"initial", "4"}, {"surrogate.kernel", "se"}};
  refuse(path, &spec, 3, set, 5, "surrogate.kernel is matern52 in the file, se here");
}

static void change_byte(const char *path, off_t at) {
  char byte = 0;
  const int descriptor = open(path, O_RDWR);
  assert_true(descriptor >= 0);
  assert_int_equal(pread(descriptor, &byte, 1, at), 1);
  byte ^= 0x40;
  assert_int_equal(pwrite(descriptor, &byte, 1, at), 1);
  assert_int_equal(close(descriptor), 0);
}

static void other_files_are_refused(void **state) {
  char path[PATH_MAX], before[PATH_MAX + 2];
  int rank = 0;
  (void)state;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  name_file(path, sizeof path);
  (void)snprintf(before, sizeof before, "%s.1", path);
  fixture f = make("gp-ei"), g = make("gp-ei");
  assert_fails(GANNET_ERR_MISSING, path, gannet_optimizer_load(g.optimizer, path));
  go_on(&f, 0);
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  go_on(&f, 1);
  assert_ok(gannet_optimizer_save(f.optimizer, path));
  if (rank == 0) change_byte(path, 3000);
  assert_fails(GANNET_ERR_DAMAGED, ".1', which was saved before it, is sound",
               gannet_optimizer_load(g.optimizer, path));
  if (rank == 0) change_byte(before, 3000);
  assert_fails(GANNET_ERR_DAMAGED, "checksum", gannet_optimizer_load(g.optimizer, path));
  if (rank == 0) change_byte(before, 3000);
  MPI_Barrier(MPI_COMM_WORLD);
  assert_ok(gannet_optimizer_load(g.optimizer, before));
  assert_fails(GANNET_ERR_STATE, "has 3 evaluations already",
               gannet_optimizer_load(g.optimizer, before));
  gannet_store *store = NULL;
  for (int schema = 2; schema <= 4; schema += 2) {
    name_file(path, sizeof path);
    if (rank == 0) {
      assert_ok(gannet_store_create(path, schema, &store));
      assert_ok(gannet_store_write_text(store, "campaign/name", "c"));
      assert_ok(gannet_store_commit(store));
      gannet_store_destroy(&store);
    }
    fixture h = make("gp-ei");
    if (schema == 2)
      assert_fails(GANNET_ERR_INPUT, "but the snapshot of a campaign",
                   gannet_optimizer_load(h.optimizer, path));
    else
      assert_fails(GANNET_ERR_VERSION, path, gannet_optimizer_load(h.optimizer, path));
    drop(&h);
  }
  (void)snprintf(path, sizeof path, "%s/no/such/folder.h5", folder);
  assert_fails(GANNET_ERR_MISSING, "folder.h5", gannet_optimizer_save(f.optimizer, path));
  assert_fails(GANNET_ERR_ARG, "path is empty", gannet_optimizer_save(f.optimizer, ""));
  drop(&f);
  drop(&g);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_asks_for_the_same_points),
      cmocka_unit_test(any_number_of_ranks_goes_on_alike),
      cmocka_unit_test(pending_points_are_known),
      cmocka_unit_test(what_differs_is_told),
      cmocka_unit_test(other_files_are_refused),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed =
      run_ranks_(cmocka_run_group_tests(tests, make_shared_folder, remove_shared_folder));
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
