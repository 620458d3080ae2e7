/* test: ranks 1 2 labels unit timeout 300 */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/optimizer_impl.h"

enum { BATCH = 3, ALL = 30 };

static const gannet_variable square[] = {
    {.name = "x", .lower = 0, .upper = 1},
    {.name = "y", .lower = 0, .upper = 1},
};
static const gannet_problem_spec spec = {.n_variables = 2, .variables = square, .noise_sd = NAN};

/* What a simulation makes of half of the square, where it cannot work. */
typedef enum { SAYS_SO, NOT_A_NUMBER, PENALTY, BAD_LUCK, GROWING } answer;

static gannet_result result_of(answer given, int64_t id, const double *x) {
  const gannet_result answers[] = {{.outcome = GANNET_RESULT_CANNOT_RUN},
                                   {.outcome = GANNET_RESULT_OK, .objective = NAN},
                                   {.outcome = GANNET_RESULT_OK, .objective = 1e10},
                                   {.outcome = GANNET_RESULT_FAILED},
                                   {.outcome = GANNET_RESULT_OK, .objective = 1e3 - 300 * x[0]}};
  const double dx = x[0] - 0.6, dy = x[1] - 0.4;
  gannet_result made = {.outcome = GANNET_RESULT_OK, .objective = dx * dx + dy * dy};
  if (x[0] < 0.5 + 0.2 * sin(6 * x[1])) made = answers[given];
  made.id = id;
  return made;
}

static gannet_err create_problem(const gannet_objective *several, gannet_problem **problem) {
  gannet_problem_spec made = spec;
  made.n_objectives = several ? 2 : 0;
  made.objectives = several;
  return gannet_problem_create(&made, problem);
}

/* The same with a mass beside it, which is least where the simulation cannot work. */
static gannet_result several_of(answer given, int64_t id, const double *x, double *y) {
  gannet_result made = result_of(given, id, x);
  y[0] = made.objective;
  y[1] = x[0];
  made.objective = 0;
  if (made.outcome == GANNET_RESULT_OK) made.objectives = y;
  return made;
}

/* The points [ALL][2] of a campaign with one objective, or with two. */
static void run_campaign(const char *method, const char *penalties, const gannet_objective *several,
                         answer given, double *x) {
  const gannet_method_setting settings[] = {{"method", method},
                                            {"search.candidates", "500"},
                                            {"initial", "12"},
                                            {"penalties", penalties}};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  assert_ok(create_problem(several, &problem));
  assert_ok(gannet_optimizer_create(context, problem, penalties ? 4 : 3, settings, &optimizer));
  for (int n = 0; n < ALL; n += BATCH) {
    int64_t id[BATCH];
    gannet_result results[BATCH];
    double y[BATCH][2];
    assert_ok(gannet_optimizer_ask(optimizer, BATCH, id, x + (ptrdiff_t)2 * n));
    for (int i = 0; i < BATCH; ++i)
      results[i] = several ? several_of(given, id[i], x + (ptrdiff_t)2 * (n + i), y[i])
                           : result_of(given, id[i], x + (ptrdiff_t)2 * (n + i));
    assert_ok(gannet_optimizer_tell(optimizer, BATCH, results));
  }
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

static void run(const char *method, const char *penalties, answer given, double *x) {
  run_campaign(method, penalties, NULL, given, x);
}

/* With two objectives nothing is learnt from the mass beside a penalty. */
static void of_several_objectives_one_is_a_penalty(void **state) {
  static const char *const methods[] = {"auto", "gp-ts", "parego"};
  gannet_objective two[] = {{.name = "drag", .threshold = NAN, .noise_sd = NAN},
                            {.name = "mass", .threshold = NAN, .noise_sd = NAN}};
  static double told[2 * ALL], other[2 * ALL];
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    two[0].keeps_penalties = 0;
    run_campaign(methods[i], NULL, two, SAYS_SO, told);
    run_campaign(methods[i], NULL, two, PENALTY, other);
    if (memcmp(told, other, sizeof told) != 0) fail_msg("%s: other points", methods[i]);
    two[0].keeps_penalties = 1;
    run_campaign(methods[i], NULL, two, PENALTY, other);
    if (memcmp(told, other, sizeof told) == 0) fail_msg("%s: not at its word", methods[i]);
  }
}

/* Among the design are more than three of them. The quadratic models and a trust region take their
 * own data. */
static void a_penalty_says_what_a_design_that_cannot_run_says(void **state) {
  static const char *const methods[] = {"auto", "neural-bo", "quadratic", "turbo-1", "gp-ucb"};
  static double told[2 * ALL], other[2 * ALL];
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    run(methods[i], "yes", SAYS_SO, told);
    run(methods[i], "yes", PENALTY, other);
    if (memcmp(told, other, sizeof told) != 0) fail_msg("%s: other points", methods[i]);
    run(methods[i], "yes", GROWING, other);
    if (memcmp(told, other, sizeof told) != 0) fail_msg("%s: other points, growing", methods[i]);
    run(methods[i], "no", PENALTY, other);
    if (memcmp(told, other, sizeof told) == 0) fail_msg("%s: not at its word", methods[i]);
  }
}

/* What is no number is what the simulation makes of a design; a failure may be bad luck. */
static void no_number_is_no_bad_luck(void **state) {
  static double told[2 * ALL], other[2 * ALL];
  (void)state;
  run("auto", "yes", SAYS_SO, told);
  run("auto", "yes", NOT_A_NUMBER, other);
  assert_memory_equal(told, other, sizeof told);
  run("auto", "yes", BAD_LUCK, other);
  assert_memory_not_equal(told, other, sizeof told);
}

/* One sound design among crashes is enough to look beside it. */
static void one_sound_design_is_enough(void **state) {
  const gannet_method_setting settings[] = {{"search.candidates", "500"}, {"initial", "4"}};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  int64_t id[4];
  double x[8];
  (void)state;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 5, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, 2, settings, &optimizer));
  assert_ok(gannet_optimizer_ask(optimizer, 4, id, x));
  for (int i = 0; i < 4; ++i) {
    const gannet_result result = {.id = id[i],
                                  .outcome = i == 2 ? GANNET_RESULT_OK : GANNET_RESULT_CANNOT_RUN};
    assert_ok(gannet_optimizer_tell(optimizer, 1, &result));
  }
  assert_ok(gannet_optimizer_ask(optimizer, 4, id, x));
  for (int i = 0; i < 4; ++i)
    assert_int_equal(gannet_history_get(optimizer->history, id[i])->origin, GANNET_ORIGIN_METHOD);
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_penalty_says_what_a_design_that_cannot_run_says),
      cmocka_unit_test(of_several_objectives_one_is_a_penalty),
      cmocka_unit_test(no_number_is_no_bad_luck),
      cmocka_unit_test(one_sound_design_is_enough),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
