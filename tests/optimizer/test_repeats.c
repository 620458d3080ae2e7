/* test: serial labels unit */
/* Nine designs and a budget for more: a line names `noise: 0` when results repeat exactly. */
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

/* noise: how much results of the same design differ. Returns the lines; *different is how many of
 * the first nine runs are different designs. */
static int run(double noise_sd, double noise, int *different) {
  static const gannet_variable grid[D] = {
      {.name = "a", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
      {.name = "b", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
  };
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

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_repetitions_are_told_of_once),
      cmocka_unit_test(noise_is_not),
      cmocka_unit_test(noise_of_all_objectives_counts),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_serial(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
