/* test: ranks 1 2 3 labels unit */
/* Several starts on several ranks, of which those that have no start left help others. */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "base/clock.h"
#include "base/memory.h"
#include "surrogate/multistart.h"

static gannet_context *context;

static gannet_err bumpy(void *user, int n, const double *x, double *value, double *gradient) {
  (void)n;
  if (user && x[0] > 4) return GANNET_RAISE(*(gannet_err *)user, "on purpose");
  *value = sin(3 * x[0]) + 0.1 * x[0] * x[0];
  gradient[0] = 3 * cos(3 * x[0]) + 0.2 * x[0];
  return GANNET_OK;
}

/* sin 3x + x^2 / 10 has its lowest value at x = -0.5122, reached from the third start only. */
static void the_best_of_several_starts_wins(void **state) {
  (void)state;
  const double start[] = {4.5, 1.8, -0.2}, lower = -5, upper = 5;
  double best = 0, value = 0;
  gannet_err raised = GANNET_ERR_NUMERIC;
  gannet_multistart problem = {.starts = 3,
                               .n = 1,
                               .start = start,
                               .lower = &lower,
                               .upper = &upper,
                               .function = bumpy,
                               .options = {100, 1e-8, 0}};
  assert_ok(gannet_multistart_run(context, &problem, &best, &value));
  assert_near(best, -0.5122, 1e-3);
  problem.user = &raised; /* the first start fails numerically and drops out */
  assert_ok(gannet_multistart_run(context, &problem, &best, &value));
  assert_near(best, -0.5122, 1e-3);
  problem.starts = 1;
  assert_ok(gannet_multistart_run(context, &problem, &best, &value));
  assert_true(best == 4.5 && isinf(value));
  raised = GANNET_ERR_MEMORY;
  assert_fails(GANNET_ERR_MEMORY, "on purpose",
               gannet_multistart_run(context, &problem, &best, &value));
}

/* The last start would win, and fails in the second round. */
static void a_start_apart_is_not_compared(void **state) {
  (void)state;
  double start[] = {4.5, 1.8, -0.2}, best[2] = {0}, value[2] = {0};
  const double lower = -5, upper = 5;
  gannet_err raised = GANNET_ERR_NUMERIC;
  const gannet_multistart problem = {.starts = 3,
                                     .apart = true,
                                     .n = 1,
                                     .start = start,
                                     .lower = &lower,
                                     .upper = &upper,
                                     .function = bumpy,
                                     .user = &raised,
                                     .options = {100, 1e-8, 0}};
  assert_ok(gannet_multistart_run(context, &problem, best, value));
  assert_near(best[0], 1.5365, 1e-3);
  assert_near(best[1], -0.5122, 1e-3);
  assert_true(value[1] < value[0] - 0.1);
  start[2] = 4.5;
  assert_ok(gannet_multistart_run(context, &problem, best, value));
  assert_near(best[0], 1.5365, 1e-3);
  assert_true(best[1] == 4.5 && isinf(value[1]));
}

enum { N = 2, PARTS = 3 };

typedef struct {
  int prepared;
  int made[PARTS];
  double last[N];    /* where parts were prepared last */
  bool slow;         /* the second part takes a moment */
  gannet_err raised; /* by prepare on the ranks that only help */
  bool hopeless;     /* no value */
  bool minimises;    /* this rank has a start; else it only helps */
} landscape;

static gannet_err begin_start(void *user) {
  ((landscape *)user)->minimises = true;
  return GANNET_OK;
}

static gannet_err prepare(void *user, const double *x, double *value) {
  landscape *l = user;
  ++l->prepared;
  memcpy(l->last, x, sizeof l->last);
  *value = l->hopeless ? INFINITY : 0;
  if (l->raised && !l->minimises) return GANNET_RAISE(l->raised, "on purpose");
  for (int k = 0; k < PARTS; ++k) *value += pow(x[0] - k / 3.0, 2) + 10 * pow(x[1] + x[0], 4);
  return GANNET_OK;
}

static void add_part(void *user, const double *x, int part, double *gradient) {
  landscape *l = user;
  ++l->made[part];
  assert_memory_equal(l->last, x, sizeof l->last);
  if (l->slow && part == 1) gannet_clock_sleep(1e-4);
  gradient[0] += 2 * (x[0] - part / 3.0) + 40 * pow(x[1] + x[0], 3);
  gradient[1] += 40 * pow(x[1] + x[0], 3);
}

static void finish(void *user, const double *x, double *value, double *gradient) {
  (void)user;
  *value += sin(x[1]);
  gradient[1] += cos(x[1]);
}

static const double starts[] = {3, 1, -2, 0.5, 0, 0.1, 2, -1}, lower[] = {-4, -4}, upper[] = {4, 4};

static gannet_joint make_joint(landscape *l) {
  return (gannet_joint){N,       PARTS,    starts, lower, upper,
                        prepare, add_part, finish, l,     {200, 1e-9, 0}};
}

static gannet_multistart make_problem(gannet_joint *joint, int n) {
  return (gannet_multistart){.starts = n,
                             .n = N,
                             .start = starts,
                             .lower = lower,
                             .upper = upper,
                             .joint = joint,
                             .options = joint->options};
}

/* What one rank finds with nobody's help. */
static void find_alone(int n, double *best, double *value) {
  landscape l = {.prepared = 0};
  gannet_joint joint = make_joint(&l);
  gannet_multistart problem = make_problem(&joint, n);
  problem.joint = NULL;
  problem.function = gannet_joint_evaluate;
  problem.user = &joint;
  assert_ok(gannet_multistart_run(context, &problem, best, value));
}

static int sum_over_ranks(int number) {
  int sum = 0;
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void helpers_change_no_bit(void **state) {
  (void)state;
  for (int n = 1; n <= 4; ++n) {
    landscape l = {.slow = true};
    gannet_joint joint = make_joint(&l);
    const gannet_multistart problem = make_problem(&joint, n);
    double best[N], value, expected[N], expected_value;
    find_alone(n, expected, &expected_value);
    assert_ok(gannet_multistart_run(context, &problem, best, &value));
    assert_memory_equal(best, expected, sizeof best);
    assert_true(value == expected_value);
    const int made = sum_over_ranks(l.made[0]);
    for (int k = 1; k < PARTS; ++k) assert_int_equal(sum_over_ranks(l.made[k]), made);
  }
}

/* A problem of its own memory, of which a rank has one at a time. */
typedef struct {
  int *inside; /* of all problems */
  double *memory;
  gannet_err raised; /* by entering */
} housed;

static gannet_err enter(void *user) {
  housed *h = user;
  assert_int_equal((*h->inside)++, 0);
  if (h->raised) return GANNET_RAISE(h->raised, "on purpose");
  return gannet_alloc(1, sizeof *h->memory, &h->memory);
}

static void leave(void *user) {
  housed *h = user;
  assert_int_equal(--*h->inside, 0);
  gannet_free(&h->memory);
}

static gannet_err in_memory(void *user, int n, const double *x, double *value, double *gradient) {
  housed *h = user;
  *h->memory = x[0];
  return bumpy(NULL, n, h->memory, value, gradient);
}

enum { HOUSES = 3 };

/* From 3, 2 and 1 starts; the first one's last start is apart. */
static void make_tasks(const double *start, const double *ends, housed *houses,
                       gannet_multistart_task *tasks, double (*best)[2]) {
  for (int k = 0; k < HOUSES; ++k) {
    tasks[k].best = best[k];
    tasks[k].problem = (gannet_multistart){.starts = HOUSES - k,
                                           .apart = k == 0,
                                           .n = 1,
                                           .start = start + k,
                                           .lower = ends,
                                           .upper = ends + 1,
                                           .function = in_memory,
                                           .user = &houses[k],
                                           .enter = enter,
                                           .leave = leave,
                                           .options = {100, 1e-8, 0}};
  }
}

static void several_problems_at_once_are_each_alone(void **state) {
  (void)state;
  const double start[] = {4.5, 1.8, -0.2}, ends[] = {-5, 5};
  double best[HOUSES][2] = {{0}}, alone[2] = {0}, value[2] = {0};
  int inside = 0;
  housed houses[HOUSES] = {{&inside, NULL, 0}, {&inside, NULL, 0}, {&inside, NULL, 0}};
  gannet_multistart_task tasks[HOUSES];
  make_tasks(start, ends, houses, tasks, best);
  assert_ok(gannet_multistart_run_all(context, 0, NULL));
  assert_ok(gannet_multistart_run_all(context, HOUSES, tasks));
  assert_int_equal(inside, 0);
  for (int k = 0; k < HOUSES; ++k) {
    assert_ok(gannet_multistart_run(context, &tasks[k].problem, alone, value));
    assert_true(best[k][0] == alone[0] && tasks[k].value[0] == value[0]);
    if (k == 0) assert_true(best[k][1] == alone[1] && tasks[k].value[1] == value[1]);
  }
  houses[1].raised = GANNET_ERR_MEMORY;
  assert_fails(GANNET_ERR_MEMORY, "on purpose", gannet_multistart_run_all(context, HOUSES, tasks));
  assert_int_equal(inside, 0);
  for (int k = 0; k < HOUSES; ++k) assert_true(best[k][0] == start[k] && isinf(tasks[k].value[0]));
}

/* Fits of a single start, until somebody has helped with one: the ranks without a start have
 * nothing else to do. What helpers do, and whether they fail, changes no bit. */
static void minimise_until_helped(gannet_context *of, gannet_err raised, bool can_help) {
  double best[N], value, expected[N], expected_value;
  bool helped = false;
  find_alone(1, expected, &expected_value);
  for (int i = 0; i < 50 && !helped; ++i) {
    landscape l = {.slow = true, .raised = raised};
    gannet_joint joint = make_joint(&l);
    gannet_multistart problem = make_problem(&joint, 1);
    problem.user = &l;
    problem.enter = begin_start;
    assert_ok(gannet_multistart_run(of, &problem, best, &value));
    assert_memory_equal(best, expected, sizeof best);
    assert_true(value == expected_value);
    const bool helps = !l.minimises && l.prepared > 0;
    if (helps && !raised) {
      assert_int_equal(l.made[0], 0);
      assert_int_equal(l.made[1], l.prepared);
    }
    assert_int_equal(sum_over_ranks(l.minimises), 1);
    helped = sum_over_ranks(helps) > 0;
    if (!can_help) break;
  }
  assert_true(helped == (can_help && of->np > 1));
}

static void ranks_without_work_make_parts(void **state) {
  (void)state;
  minimise_until_helped(context, GANNET_OK, true);
  minimise_until_helped(context, GANNET_ERR_STATE, true);
}

static void without_memory_everybody_works_alone(void **state) {
  (void)state;
  gannet_context *fresh = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &fresh)); /* which has no spare memory */
  refuse = true;
  minimise_until_helped(fresh, GANNET_OK, false);
  refuse = false;
  gannet_context_destroy(&fresh);
}

static void a_place_without_a_value_has_no_gradient(void **state) {
  (void)state;
  landscape l = {.hopeless = true};
  gannet_joint joint = make_joint(&l);
  const gannet_multistart problem = make_problem(&joint, 1);
  const double x[] = {0.3, -0.7};
  double value = 0, best[N], gradient[N];
  assert_ok(gannet_joint_evaluate(&joint, N, x, &value, gradient));
  assert_true(value == INFINITY && gradient[0] == 0 && gradient[1] == 0);
  assert_ok(gannet_multistart_run(context, &problem, best, &value));
  assert_true(value == INFINITY && best[0] == starts[0] && best[1] == starts[1]);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_of_several_starts_wins),
      cmocka_unit_test(a_start_apart_is_not_compared),
      cmocka_unit_test(several_problems_at_once_are_each_alone),
      cmocka_unit_test(helpers_change_no_bit),
      cmocka_unit_test(ranks_without_work_make_parts),
      cmocka_unit_test(without_memory_everybody_works_alone),
      cmocka_unit_test(a_place_without_a_value_has_no_gradient),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  if (gannet_context_create(MPI_COMM_WORLD, 1, &context) != GANNET_OK) return 1;
  const int failed = run_ranks(tests);
  gannet_context_destroy(&context);
  (void)MPI_Finalize();
  return failed;
}
