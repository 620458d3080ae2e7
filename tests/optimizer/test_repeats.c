/* test: serial labels unit */
/* Nine designs and a budget for more: those that promise most are run again, and a line names
 * `noise: 0` when results repeat exactly. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/fixture.h"
#include "support/told.h"

#include "optimizer/models/repeats.h"

enum { D = 2, DESIGNS = 9, RUNS = 32 };

static void count_lines(void *user, gannet_log_level level, int rank, const char *line) {
  (void)rank;
  if (level == GANNET_LOG_WARNING && strstr(line, "noise: 0")) *(int *)user += 1;
}

static const gannet_variable grid[D] = {
    {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
    {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
};

/* noise: how much results of the same design differ. Returns the lines; *different is how many of
 * the first nine runs are different designs. */
static int run(double noise_sd, double noise, int *different) {
  const gannet_problem_spec spec = {.n_variables = D, .variables = grid, .noise_sd = noise_sd};
  bool seen[DESIGNS] = {false};
  fixture f = {0};
  int lines = 0;
  *different = 0;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &f.context));
  gannet_context_set_log(f.context, GANNET_LOG_INFO, count_lines, &lines);
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 0, NULL, &f.optimizer));
  for (int i = 0; i < RUNS; ++i) {
    int64_t id = 0;
    double x[D];
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, &id, x));
    const int design = (int)(3 * (x[0] - 1) + x[1] - 1);
    *different += i < DESIGNS && !seen[design];
    seen[design] = true;
    const gannet_result result = {.id = id, .objective = x[0] * x[0] - x[1] + noise * (i % 7)};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  drop(&f);
  return lines;
}

static void exact_repetitions_are_told_of_once(void **state) {
  int different = 0;
  (void)state;
  assert_int_equal(run(NAN, 0, &different), 1);
  assert_int_equal(different, DESIGNS); /* nothing is run again before all have been tried */
}

static void noise_is_not(void **state) {
  int different = 0;
  (void)state;
  assert_int_equal(run(NAN, 1e-3, &different), 0);
  assert_int_equal(run(0, 0, &different), 0);
}

/* Of two objectives, whose noise is first and second. Their values repeat exactly. */
static int repeats_of_two(double first, double second) {
  static const gannet_variable whole[] = {
      {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3}};
  const gannet_objective objectives[] = {{.name = "f", .threshold = NAN, .noise_sd = first},
                                         {.name = "g", .threshold = NAN, .noise_sd = second}};
  const gannet_problem_spec spec = {
      .n_variables = 1, .variables = whole, .n_objectives = 2, .objectives = objectives};
  gannet_problem *problem = NULL;
  gannet_history *history = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_history_create(problem, &history));
  for (int i = 0; i < 9; ++i) {
    const double x = 1 + i % 3, g = -x;
    int64_t id = 0;
    assert_ok(gannet_history_propose(history, &x, 0, GANNET_ORIGIN_METHOD, &id));
    assert_ok(tell_values(history, id, GANNET_EVAL_DONE, x, &g, NULL));
  }
  const int agree = gannet_repeats_agree(history);
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
  return agree;
}

static void noise_of_all_objectives_counts(void **state) {
  (void)state;
  assert_int_equal(repeats_of_two(NAN, NAN), 6);
  assert_int_equal(repeats_of_two(0, NAN), 6);
  assert_int_equal(repeats_of_two(0, 0), 0);
  assert_int_equal(repeats_of_two(NAN, 0.1), 0);
}

/* The least value is that of the design in the middle, and the one in a corner cannot run. Returns
 * how often the best was run among the last runs, after all have been tried, and counts those that
 * cannot run. */
static int runs_of_the_best(const char *method, int *cannot_run) {
  enum { BATCH = 3, BATCHES = 13, TRIED = 5 };
  const gannet_problem_spec spec = {.n_variables = D, .variables = grid, .noise_sd = NAN};
  const gannet_method_setting setting = {"method", method};
  fixture f = {0};
  int runs = 0;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, &setting, &f.optimizer));
  for (int k = 0; k < BATCHES; ++k) {
    int64_t id[BATCH];
    double x[BATCH][D];
    gannet_result results[BATCH] = {{0}};
    assert_ok(gannet_optimizer_ask(f.optimizer, BATCH, id, x[0]));
    for (int i = 0; i < BATCH; ++i) {
      const double a = x[i][0] - 2, b = x[i][1] - 2;
      for (int j = 0; j < i; ++j) assert_true(x[i][0] != x[j][0] || x[i][1] != x[j][1]);
      runs += k >= TRIED && a == 0 && b == 0;
      results[i] = (gannet_result){.id = id[i],
                                   .objective = a * a + b * b + 0.1 * ((7 * (int)id[i]) % 5 - 2)};
      if (a + b < 2) continue;
      results[i].outcome = GANNET_RESULT_CANNOT_RUN;
      *cannot_run += k >= TRIED;
    }
    assert_ok(gannet_optimizer_tell(f.optimizer, BATCH, results));
  }
  drop(&f);
  return runs;
}

static void the_best_are_run_again_and_not_what_cannot_run(void **state) {
  static const char *const methods[] = {
      "auto", "neural-bo", "neural-bo-pointwise", "gp-ei", "gp-ts", "forest-ei", "gp-mes"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    int cannot_run = 0;
    const int runs = runs_of_the_best(methods[i], &cannot_run);
    if (runs < 6) fail_msg("%s: %d of 8 batches", methods[i], runs);
    if (cannot_run > 1) fail_msg("%s: %d runs at a design that cannot run", methods[i], cannot_run);
  }
}

/* One by one, with three evaluations under way: four different designs. */
static void what_is_under_way_is_not_run_again(void **state) {
  enum { SLOTS = 4, ASKS = 24 };
  const gannet_problem_spec spec = {.n_variables = D, .variables = grid, .noise_sd = 0.5};
  const gannet_method_setting setting = {"method", "gp-ei"};
  fixture f = {0};
  int64_t id[ASKS];
  double x[ASKS][D];
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_SELF, 3, &f.context));
  assert_ok(gannet_problem_create(&spec, &f.problem));
  assert_ok(gannet_optimizer_create(f.context, f.problem, 1, &setting, &f.optimizer));
  for (int k = 0; k < ASKS; ++k) {
    assert_ok(gannet_optimizer_ask(f.optimizer, 1, id + k, x[k]));
    for (int j = k - SLOTS + 1; j < k; ++j)
      if (j >= 0) assert_true(x[k][0] != x[j][0] || x[k][1] != x[j][1]);
    if (k < SLOTS - 1) continue;
    const int done = k - SLOTS + 1;
    const gannet_result result = {.id = id[done], .objective = x[done][0] + x[done][1]};
    assert_ok(gannet_optimizer_tell(f.optimizer, 1, &result));
  }
  drop(&f);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_repetitions_are_told_of_once),
      cmocka_unit_test(noise_is_not),
      cmocka_unit_test(the_best_are_run_again_and_not_what_cannot_run),
      cmocka_unit_test(what_is_under_way_is_not_run_again),
      cmocka_unit_test(noise_of_all_objectives_counts),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_serial(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
