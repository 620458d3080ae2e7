/* What every back-end must do alike: the same small problem, the same numbers, the same
 * bookkeeping.
 *
 * The simulation is written three times (built-in, plugin, program) and must: compute bowl(x), be
 * "cannot run" where solver is "none", and print %.17g where it speaks through text. Where vent is
 * true it also reports a mass of 3 fins with a standard deviation of 0.5.
 */
#ifndef GANNET_TESTS_CONFORM_EVALUATOR_H
#define GANNET_TESTS_CONFORM_EVALUATOR_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/harness.h"

#include "base/context.h"
#include "base/memory.h"
#include "evaluate/evaluator.h"

enum { CONFORM_VARIABLES = 4, CONFORM_RUNS = 7 };

static const char *const conform_solvers[] = {"cg", "a \"b\" $(rm x) 'c'", "none"};

static const gannet_variable conform_variables[CONFORM_VARIABLES] = {
    {.name = "x", .type = GANNET_VARIABLE_REAL, .lower = -1, .upper = 1},
    {.name = "fins", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 8},
    {.name = "vent", .type = GANNET_VARIABLE_BOOLEAN},
    {.name = "solver",
     .type = GANNET_VARIABLE_CATEGORICAL,
     .n_values = 3,
     .values = conform_solvers},
};

static const gannet_constraint conform_constraints[1] = {
    {.name = "stress", .lower = -INFINITY, .upper = 10}};

static inline gannet_problem *conform_problem(void) {
  const gannet_problem_spec spec = {.n_variables = CONFORM_VARIABLES,
                                    .variables = conform_variables,
                                    .n_constraints = 1,
                                    .constraints = conform_constraints,
                                    .noise_sd = 0};
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&spec, &problem));
  return problem;
}

/* Products and sums of few terms: exact enough that any compiler gives the same bits. */
static inline double conform_bowl(double x, double fins, double vent, double solver) {
  return x * x + 0.25 * fins + 2 * vent + 4 * solver;
}

static inline double conform_stress(double x, double fins) {
  return fins - x;
}

/* Point i: no two the same, numbers with full mantissas, the simulation cannot run at every third.
 */
static inline void conform_point(int i, double *x) {
  x[0] = sin(1.0 + i);
  x[1] = 1 + i % 8;
  x[2] = i % 2;
  x[3] = i % 3;
}

static inline gannet_request conform_request(int i, const double *x) {
  return (gannet_request){
      .id = 100 - i, .attempt = 1, .seed = 7, .nonce = 40u + (unsigned)i, .x_user = x};
}

static inline void conform_result(const gannet_result_record *result) {
  double x[CONFORM_VARIABLES];
  conform_point((int)(100 - result->id), x);
  if (x[3] == 2) {
    assert_int_equal(result->status, GANNET_EVAL_CANNOT_RUN);
    assert_string_equal(result->run.reason, "no solver");
    assert_false(result->retry);
    assert_true(isnan(result->objective) && isnan(result->constraints[0]));
    return;
  }
  if (result->status != GANNET_EVAL_DONE) fail_msg("%s", result->run.reason);
  assert_true(result->objective == conform_bowl(x[0], x[1], x[2], x[3]));
  assert_true(result->constraints[0] == conform_stress(x[0], x[1]));
  const gannet_reported *mass = gannet_quantities_find(&result->reported, "mass");
  assert_int_equal(result->reported.n, x[2] == 1);
  assert_int_equal(mass != NULL, x[2] == 1);
  if (mass) assert_true(mass->value == 3 * x[1] && mass->sd == 0.5);
  assert_string_equal(result->run.reason, "");
  assert_true(result->run.started <= result->run.ended);
  assert_int_equal(result->run.attempts, 1);
  assert_true(result->run.host[0] && result->run.slot >= 0);
}

/* All results, however many polls that takes. */
static inline void conform_collect(gannet_evaluator *evaluator, int n,
                                   gannet_result_record *results) {
  int have = 0;
  while (have < n) {
    int more = 0;
    assert_ok(gannet_evaluator_poll(evaluator, 5, n - have, &more, results + have));
    have += more;
    assert_int_equal(gannet_evaluator_in_flight(evaluator), n - have);
  }
}

/* The suite. options belong to type; setup as for create, with parallel >= CONFORM_RUNS. */
static inline void conform_evaluator(const gannet_evaluator_type *type, const void *options,
                                     const gannet_evaluator_setup *setup) {
  double x[CONFORM_RUNS][CONFORM_VARIABLES], constraints[CONFORM_RUNS];
  gannet_request requests[CONFORM_RUNS + 1];
  gannet_result_record results[CONFORM_RUNS];
  gannet_evaluator *evaluator = NULL;
  int n = -1;
  assert_ok(gannet_evaluator_create(type, options, setup, &evaluator));
  for (int i = 0; i < CONFORM_RUNS; ++i) {
    conform_point(i, x[i]);
    requests[i] = conform_request(i, x[i]);
    results[i].constraints = &constraints[i];
  }
  assert_ok(gannet_evaluator_poll(evaluator, 0, 1, &n, results)); /* nothing in flight */
  assert_int_equal(n, 0);
  assert_ok(gannet_evaluator_submit(evaluator, CONFORM_RUNS, requests));
  assert_int_equal(gannet_evaluator_in_flight(evaluator), CONFORM_RUNS);
  memset(x, 0, sizeof x); /* requests were borrowed for the call only */
  requests[0].id = 999;
  assert_fails(GANNET_ERR_ARG, "in parallel",
               gannet_evaluator_submit(evaluator, setup->parallel, requests));
  conform_collect(evaluator, CONFORM_RUNS, results);
  int64_t ids = 0;
  for (int i = 0; i < CONFORM_RUNS; ++i) {
    conform_result(&results[i]);
    ids += results[i].id;
  }
  gannet_results_release(CONFORM_RUNS, results);
  assert_int_equal(ids, 100 * CONFORM_RUNS - CONFORM_RUNS * (CONFORM_RUNS - 1) / 2);

  conform_point(1, x[1]);
  requests[1] = conform_request(1, x[1]);
  assert_ok(gannet_evaluator_submit(evaluator, 1, &requests[1]));
  assert_ok(gannet_evaluator_cancel(evaluator));
  assert_int_equal(gannet_evaluator_in_flight(evaluator), 0);
  assert_ok(gannet_evaluator_poll(evaluator, 0.05, 1, &n, results));
  assert_int_equal(n, 0); /* nothing of what was cancelled */
  requests[1].attempt = 2;
  assert_ok(gannet_evaluator_submit(evaluator, 1, &requests[1])); /* and it goes on */
  conform_collect(evaluator, 1, results);
  assert_int_equal(results[0].run.attempts, 2);
  gannet_results_release(1, results);
  gannet_evaluator_destroy(&evaluator);
  assert_null(evaluator);
}

/* A temporary directory, the same on all ranks, with a space in its path. */
static inline void conform_directory(char *path, size_t size) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    char base[] = "/tmp/gannet test XXXXXX";
    (void)snprintf(path, size, "%s", mkdtemp(base));
  }
  MPI_Bcast(path, (int)size, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* One campaign in such a directory, for as many simulations at once as the suite has and one more.
 */
static inline gannet_evaluator_setup conform_setup(gannet_context *context, gannet_problem *problem,
                                                   const char *directory) {
  return (gannet_evaluator_setup){.context = context,
                                  .problem = problem,
                                  .campaign = directory,
                                  .input_directory = directory,
                                  .name = "test",
                                  .parallel = CONFORM_RUNS + 1,
                                  .time_limit = INFINITY};
}

/* The result of the one evaluation that was submitted, the same on all ranks; destroys the
 * evaluator. */
static inline gannet_result_record conform_last(gannet_evaluator *evaluator) {
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  assert_ok(gannet_same(MPI_COMM_WORLD, &result.run, sizeof result.run, "run"));
  assert_ok(gannet_same(MPI_COMM_WORLD, &result.objective, sizeof(double), "objective"));
  result.constraints = NULL;
  return result;
}

/* Run a shell command on rank 0; everybody waits for it. */
static inline void conform_shell(const char *command) {
  int rank = 0, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) failed = system(command);
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (failed) fail_msg("'%s' ended with %d", command, failed);
}

#endif
