/* test: ranks 1 2 3 labels unit timeout 600 */
/* Results that lack their objective or constraints, as a check that came first has ended them. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "optimizer/every_method.h"

enum { BATCH = 3, INITIAL = 6, ALL = 18 };

static const gannet_variable square[] = {{.name = "x", .lower = 0, .upper = 1},
                                         {.name = "y", .lower = 0, .upper = 1}};
static const gannet_constraint limits[] = {{"gap", -INFINITY, 0}, {"stress", -INFINITY, 0.9}};
static const gannet_problem_spec spec = {.n_variables = 2,
                                         .variables = square,
                                         .n_constraints = 2,
                                         .constraints = limits,
                                         .noise_sd = NAN};

/* Which numbers a simulation gives. */
typedef enum {
  CHECKED_FIRST,  /* where the gap is violated nothing else; sometimes one number is not there */
  NO_STRESS,      /* never the second constraint: nobody can tell whether a design is feasible */
  NO_OBJECTIVE,   /* never the objective */
  COMES_TO_LIGHT, /* the objective after ten evaluations only */
  PATTERNS
} pattern;

static void simulate(pattern kind, int64_t id, const double *x, double *objective, double *c) {
  const double gap = x[0] + x[1] - 1;
  *objective = (x[0] - 0.7) * (x[0] - 0.7) + (x[1] - 0.6) * (x[1] - 0.6);
  c[0] = gap;
  c[1] = x[0] * x[0] + x[1];
  if (kind == CHECKED_FIRST && gap > 0) *objective = c[1] = NAN;
  if (kind == CHECKED_FIRST && gap <= 0 && id % 5 == 0) *objective = NAN;
  if (kind == CHECKED_FIRST && id % 7 == 0) c[1] = NAN;
  if (kind == NO_STRESS) c[1] = NAN;
  if (kind == NO_OBJECTIVE || (kind == COMES_TO_LIGHT && id < 10)) *objective = NAN;
}

static void tell(gannet_optimizer *o, pattern kind, int64_t id, const double *x) {
  double objective, c[2];
  simulate(kind, id, x, &objective, c);
  const gannet_result result = {
      .id = id, .outcome = GANNET_RESULT_PARTIAL, .objective = objective, .constraints = c};
  assert_ok(gannet_optimizer_tell(o, 1, &result));
}

/* x  out  [ALL][2] */
static void run(MPI_Comm comm, const char *method, pattern kind, double *x) {
  fixture s;
  begin(comm, &spec, method, &s);
  for (int n = 0; n < ALL; n += BATCH) {
    int64_t id[BATCH];
    const gannet_err err = gannet_optimizer_ask(s.optimizer, BATCH, id, x + 2 * n);
    if (err != GANNET_OK) fail_msg("%s, pattern %d: %s", method, kind, gannet_error_message());
    for (int i = 0; i < 2 * BATCH; ++i)
      if (!(x[2 * n + i] >= 0 && x[2 * n + i] <= 1)) fail_msg("%s: a point outside", method);
    for (int i = 0; i < BATCH; ++i) tell(s.optimizer, kind, id[i], x + 2 * (n + i));
  }
  drop(&s);
}

static void every_method_learns_from_what_is_there(void **state) {
  double x[2 * ALL], alone[2 * ALL];
  int n_ranks = 1;
  (void)state;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  for (int k = 0; gannet_methods[k]; ++k)
    for (pattern kind = CHECKED_FIRST; kind < PATTERNS; ++kind) {
      const char *method = gannet_methods[k]->name;
      if (is_left_out(method, n_ranks) || (n_ranks > 1 && kind != CHECKED_FIRST)) continue;
      run(MPI_COMM_WORLD, method, kind, x);
      if (n_ranks == 1 || !is_drawing(method)) continue;
      run(MPI_COMM_SELF, method, kind, alone);
      if (memcmp(x, alone, sizeof x) != 0) fail_msg("%s: other points on one rank", method);
    }
}

static void counts_and_best_go_by_complete_results(void **state) {
  const double points[4][2] = {{0.9, 0.9}, {0.2, 0.3}, {0.3, 0.3}, {0.4, 0.3}};
  double c[4][2] = {{0.8, NAN}, {-0.5, 0.34}, {-0.4, NAN}, {-0.3, 0.46}};
  const double objective[4] = {NAN, NAN, 0.1, 0.5};
  fixture s;
  gannet_best best;
  gannet_counts counts;
  gannet_quantity quantity;
  (void)state;
  begin(MPI_COMM_WORLD, &spec, "gp-ei", &s);
  for (int i = 0; i < 4; ++i) {
    const gannet_result result = {
        .outcome = GANNET_RESULT_PARTIAL, .objective = objective[i], .constraints = c[i]};
    gannet_optimizer_best(s.optimizer, &best, NULL);
    assert_int_equal(best.id, -1); /* the first three are not complete */
    assert_ok(gannet_optimizer_tell_point(s.optimizer, points[i], &result, NULL));
  }
  gannet_optimizer_best(s.optimizer, &best, NULL);
  assert_int_equal(best.id, 3);
  assert_true(best.feasible && best.objective == 0.5);
  gannet_optimizer_count(s.optimizer, &counts);
  assert_int_equal(counts.done, 4);
  assert_int_equal(counts.feasible, 1);
  assert_ok(gannet_optimizer_quantity(s.optimizer, 1, "objective", &quantity));
  assert_true(isnan(quantity.value));
  const gannet_history *h = gannet_optimizer_history(s.optimizer);
  const int feasibility[4] = {0, -1, -1, 1};
  const bool observed[4] = {false, false, true, true}, sound[4] = {true, false, false, true};
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(gannet_history_feasibility(h, i), feasibility[i]);
    assert_int_equal(gannet_history_is_observation(h, i), observed[i]);
    assert_int_equal(gannet_history_is_sound(h, i), sound[i]);
    assert_false(gannet_history_is_bad(h, i));
  }
  assert_true(gannet_history_violation(h, 0) == 0.8 && isnan(gannet_history_violation(h, 1)));
  drop(&s);
}

static void a_result_needs_something(void **state) {
  const double x[2] = {0.5, 0.4}, nothing[2] = {NAN, NAN}, infinite[2] = {INFINITY, NAN};
  gannet_result result = {
      .outcome = GANNET_RESULT_PARTIAL, .objective = NAN, .constraints = nothing};
  fixture s;
  gannet_counts counts;
  (void)state;
  begin(MPI_COMM_WORLD, &spec, "gp-ei", &s);
  assert_fails(GANNET_ERR_ARG, "GANNET_RESULT_PARTIAL without any value",
               gannet_optimizer_tell_point(s.optimizer, x, &result, NULL));
  result.constraints = NULL; /* all are missing */
  result.objective = 1;
  assert_ok(gannet_optimizer_tell_point(s.optimizer, x, &result, NULL));
  result.constraints = infinite; /* what is not finite has failed, as in any result */
  assert_ok(gannet_optimizer_tell_point(s.optimizer, x, &result, NULL));
  result.outcome = GANNET_RESULT_OK; /* NAN is an error here */
  result.constraints = nothing;
  assert_ok(gannet_optimizer_tell_point(s.optimizer, x, &result, NULL));
  gannet_optimizer_count(s.optimizer, &counts);
  assert_int_equal(counts.done, 1);
  assert_int_equal(counts.failed, 2);
  drop(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_learns_from_what_is_there),
      cmocka_unit_test(counts_and_best_go_by_complete_results),
      cmocka_unit_test(a_result_needs_something),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
