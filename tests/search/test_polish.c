/* test: ranks 1 2 3 4 labels unit */
#include "search/problems.h"

#include <mpi.h>

#include "search/polish.h"

enum { LISTS = 3, STARTS = 4, MIXED = 8 };

typedef struct {
  int fail_in_list;    /* -1 = none */
  bool hopeless_start; /* NAN right of 0.9 in coordinate 0 */
} behaviour;

/* Around (0.2 + 0.1 list) in each coordinate, with weights that grow. */
static gannet_err bowl(void *user, int list, const double *x, double *value, double *gradient) {
  const behaviour *b = user;
  GANNET_REQUIRE(list != b->fail_in_list, GANNET_ERR_NUMERIC, "list %d", list);
  *value = -1;
  for (int k = 0; k < MIXED; ++k) {
    const double gap = x[k] - (0.2 + 0.1 * list);
    *value += (k + 1) * gap * gap;
    gradient[k] = 2 * (k + 1) * gap;
  }
  if (b->hopeless_start && x[0] > 0.9) *value = NAN;
  return GANNET_OK;
}

static void fill_starts(const gannet_problem *problem, double *starts) {
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 0, 0}, 0, LISTS * STARTS * MIXED,
                        starts);
  gannet_problem_snap(problem, LISTS * STARTS, starts);
}

static const gannet_minimize_options options = {200, 1e-10, 0};

static gannet_context *context_of(MPI_Comm comm) {
  gannet_context *context = NULL;
  assert_ok(gannet_context_create(comm, 3, &context));
  return context;
}

/* What is asked for in step, one point after the other. */
typedef struct {
  gannet_polish_spec spec;
  int most;  /* points at once so far */
  int asked; /* how often */
} loop;

static gannet_err several(void *user, int m, const int *lists, const double *x, double *values,
                          double *gradients) {
  loop *l = user;
  const int d = l->spec.problem->d;
  l->most = m > l->most ? m : l->most;
  ++l->asked;
  for (int i = 0; i < m; ++i)
    GANNET_TRY(l->spec.function(l->spec.user, lists[i], x + (ptrdiff_t)i * d, values + i,
                                gradients + (ptrdiff_t)i * d));
  return GANNET_OK;
}

static gannet_err several_conditions(void *user, int m, const int *lists, const double *x,
                                     double *values, double *gradients) {
  const loop *l = user;
  const ptrdiff_t n = l->spec.n_conditions, d = l->spec.problem->d;
  for (int i = 0; i < m; ++i)
    GANNET_TRY(l->spec.conditions(l->spec.user, lists[i], x + i * d, values + i * n,
                                  gradients + i * n * d));
  return GANNET_OK;
}

static gannet_err one(void *user, int list, const double *x, double *value, double *gradient) {
  const loop *l = user;
  return l->spec.function(l->spec.user, list, x, value, gradient);
}

static gannet_err one_conditions(void *user, int list, const double *x, double *values,
                                 double *gradients) {
  const loop *l = user;
  return l->spec.conditions(l->spec.user, list, x, values, gradients);
}

static gannet_polish_spec in_step(loop *l) {
  gannet_polish_spec spec = l->spec;
  spec.user = l;
  spec.function = one;
  spec.functions = several;
  if (spec.n_conditions > 0) spec.conditions = one_conditions;
  if (spec.n_conditions > 0) spec.conditions_of_several = several_conditions;
  return spec;
}

/* One start after the other, and then in step, and once more with what that left: the same bits,
 * from more than one at once where a rank has more. */
static void polish_twice(const gannet_context *context, const gannet_polish_spec *spec, double *x,
                         double *values) {
  const size_t units = (size_t)spec->n_lists * (size_t)spec->n_starts;
  const size_t length = units * (size_t)spec->problem->d;
  double *y = test_calloc(length, sizeof *y), *own = test_calloc(units, sizeof *own);
  loop l = {*spec, 0, 0};
  gannet_polisher *polisher = NULL;
  assert_ok(gannet_polisher_create(&polisher));
  assert_ok(gannet_polish(context, polisher, spec, x, values));
  const gannet_polish_spec together = in_step(&l);
  for (int time = 0; time < 2; ++time) {
    assert_ok(gannet_polish(context, polisher, &together, y, own));
    assert_memory_equal(x, y, length * sizeof *x);
    assert_memory_equal(values, own, units * sizeof *own);
  }
  gannet_polisher_destroy(&polisher);
  if (context->np == 1) assert_int_equal(l.most, units < 8 ? (int)units : 8);
  test_free(y);
  test_free(own);
}

static double bowl_at(int list, const double *x) {
  behaviour b = {-1, false};
  double value = 0, gradient[MIXED];
  assert_ok(bowl(&b, list, x, &value, gradient));
  return value;
}

static void continuous_coordinates_reach_the_minimum_in_the_box(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD), *alone = context_of(MPI_COMM_SELF);
  gannet_problem *problem = mixed_problem();
  double starts[LISTS * STARTS * MIXED], x[LISTS * STARTS * MIXED], y[LISTS * STARTS * MIXED];
  double values[LISTS * STARTS], own[LISTS * STARTS], lower[MIXED] = {0}, upper[MIXED];
  for (int k = 0; k < MIXED; ++k) upper[k] = 1;
  upper[1] = 0.35;
  behaviour b = {-1, false};
  fill_starts(problem, starts);
  const gannet_polish_spec spec = {.problem = problem,
                                   .lower = lower,
                                   .upper = upper,
                                   .n_lists = LISTS,
                                   .n_starts = STARTS,
                                   .starts = starts,
                                   .function = bowl,
                                   .user = &b,
                                   .options = options};
  polish_twice(world, &spec, x, values);
  polish_twice(alone, &spec, y, own);
  assert_memory_equal(x, y, sizeof x);
  assert_memory_equal(values, own, sizeof values);
  for (int u = 0; u < LISTS * STARTS; ++u) {
    const int list = u / STARTS;
    assert_near(x[u * MIXED], 0.2 + 0.1 * list, 1e-7);
    assert_near(x[u * MIXED + 1], fmin(0.2 + 0.1 * list, 0.35), 1e-7);
    assert_near(values[u], bowl_at(list, x + u * MIXED), 0);
    if (u % STARTS) assert_true(values[u - 1] <= values[u]);
    int same = 0; /* the discrete part is that of one of the list's starts */
    for (int s = 0; s < STARTS; ++s)
      same += !memcmp(x + u * MIXED + 2, starts + (list * STARTS + s) * MIXED + 2,
                      (MIXED - 2) * sizeof *x);
    assert_true(same > 0);
  }
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
  gannet_context_destroy(&alone);
}

static void starts_without_a_value_come_last(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = mixed_problem();
  double starts[LISTS * STARTS * MIXED], x[LISTS * STARTS * MIXED], values[LISTS * STARTS];
  fill_starts(problem, starts);
  for (int u = 0; u < LISTS * STARTS; ++u) starts[u * MIXED] *= 0.9;
  starts[MIXED] = 0.95; /* list 0, start 1 */
  behaviour b = {-1, true};
  const gannet_polish_spec spec = {.problem = problem,
                                   .n_lists = LISTS,
                                   .n_starts = STARTS,
                                   .starts = starts,
                                   .function = bowl,
                                   .user = &b,
                                   .options = options};
  polish_twice(world, &spec, x, values);
  assert_true(values[STARTS - 1] == INFINITY);
  assert_near(x[(STARTS - 1) * MIXED], 0.95, 0);
  assert_true(isfinite(values[STARTS - 2]) && isfinite(values[2 * STARTS - 1]));
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

/* One evaluation is not enough to move: the starts come back, sorted. */
static void nothing_gets_worse_than_its_start(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = mixed_problem();
  double starts[LISTS * STARTS * MIXED], x[LISTS * STARTS * MIXED], values[LISTS * STARTS];
  fill_starts(problem, starts);
  behaviour b = {-1, false};
  const gannet_polish_spec spec = {.problem = problem,
                                   .n_lists = LISTS,
                                   .n_starts = STARTS,
                                   .starts = starts,
                                   .function = bowl,
                                   .user = &b,
                                   .options = {1, 0, 0}};
  polish_twice(world, &spec, x, values);
  for (int l = 0; l < LISTS; ++l) {
    double best = INFINITY;
    for (int s = 0; s < STARTS; ++s)
      best = fmin(best, bowl_at(l, starts + (l * STARTS + s) * MIXED));
    assert_near(values[l * STARTS], best, 0);
  }
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

static gannet_err sum(void *user, int list, const double *x, double *value, double *gradient) {
  (void)user;
  gradient[0] = gradient[1] = list;
  *value = x[0] + 2 * x[1];
  return GANNET_OK;
}

static void discrete_problems_are_only_sorted(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = two_booleans();
  const double starts[] = {1, 1, 0, 1, 1, 0, 0, 1}, sorted[] = {1, 0, 0, 1, 0, 1, 1, 1};
  double x[8], values[4];
  const gannet_polish_spec spec = {.problem = problem,
                                   .n_lists = 1,
                                   .n_starts = 4,
                                   .starts = starts,
                                   .function = sum,
                                   .options = options};
  polish_twice(world, &spec, x, values);
  assert_memory_equal(x, sorted, sizeof x);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

/* And leaves nothing behind. */
static void an_error_on_one_rank_reaches_all(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = mixed_problem();
  gannet_polisher *polisher = NULL, *fresh = NULL;
  double starts[LISTS * STARTS * MIXED], x[LISTS * STARTS * MIXED], values[LISTS * STARTS];
  double y[LISTS * STARTS * MIXED];
  assert_ok(gannet_polisher_create(&polisher));
  assert_ok(gannet_polisher_create(&fresh));
  fill_starts(problem, starts);
  behaviour b = {1, false};
  gannet_polish_spec spec = {.problem = problem,
                             .n_lists = LISTS,
                             .n_starts = STARTS,
                             .starts = starts,
                             .function = bowl,
                             .user = &b,
                             .options = options};
  assert_fails(GANNET_ERR_NUMERIC, "list 1", gannet_polish(world, polisher, &spec, x, values));
  loop l = {spec, 0, 0};
  gannet_polish_spec together = in_step(&l);
  assert_fails(GANNET_ERR_NUMERIC, "list 1", gannet_polish(world, polisher, &together, x, values));
  b.fail_in_list = -1;
  assert_ok(gannet_polish(world, polisher, &together, x, values));
  assert_ok(gannet_polish(world, polisher, &together, x, values));
  assert_ok(gannet_polish(world, fresh, &together, y, values));
  assert_memory_equal(x, y, sizeof x);
  spec.n_starts = 0;
  assert_fails(GANNET_ERR_ARG, "n_starts", gannet_polish(world, polisher, &spec, x, values));
  gannet_polisher_destroy(&polisher);
  gannet_polisher_destroy(&fresh);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

/* A polisher that has polished in one box, by some options, does as a fresh one in another box, by
 * others, and back again. */
static void what_is_left_is_for_the_same_box_and_options(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  gannet_problem *problem = mixed_problem();
  gannet_polisher *polisher = NULL;
  double starts[LISTS * STARTS * MIXED], x[LISTS * STARTS * MIXED], y[LISTS * STARTS * MIXED];
  double values[LISTS * STARTS], lower[MIXED] = {0}, upper[MIXED];
  for (int k = 0; k < MIXED; ++k) upper[k] = 0.35;
  behaviour b = {-1, false};
  fill_starts(problem, starts);
  gannet_polish_spec plain = {.problem = problem,
                              .n_lists = LISTS,
                              .n_starts = STARTS,
                              .starts = starts,
                              .function = bowl,
                              .user = &b,
                              .options = options};
  gannet_polish_spec boxed = plain, short_of_time = plain;
  boxed.lower = lower;
  boxed.upper = upper;
  short_of_time.options.max_evaluations = 2;
  const gannet_polish_spec *turns[] = {&plain, &boxed, &short_of_time, &plain};
  assert_ok(gannet_polisher_create(&polisher));
  for (int turn = 0; turn < 4; ++turn) {
    gannet_polisher *fresh = NULL;
    assert_ok(gannet_polisher_create(&fresh));
    assert_ok(gannet_polish(world, polisher, turns[turn], x, values));
    assert_ok(gannet_polish(world, fresh, turns[turn], y, values));
    assert_memory_equal(x, y, sizeof x);
    gannet_polisher_destroy(&fresh);
  }
  gannet_polisher_destroy(&polisher);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

enum { SPACE = 3 };

/* Large slopes, as logarithms have them: a penalty alone would end far outside. */
static const double slope[SPACE] = {300, 150, -80};

static gannet_err linear(void *user, int list, const double *x, double *value, double *gradient) {
  (void)user;
  *value = 0;
  for (int k = 0; k < SPACE; ++k) {
    gradient[k] = list == 0 ? slope[k] : -slope[k];
    *value += gradient[k] * x[k];
  }
  return GANNET_OK;
}

/* Steep enough in x2 for the cut to be active together with the ball. */
static gannet_err upward(void *user, int list, const double *x, double *value, double *gradient) {
  GANNET_TRY(linear(user, list, x, value, gradient));
  gradient[2] -= 400;
  *value -= 400 * x[2];
  return GANNET_OK;
}

/* A ball of radius 0.3, cut by x2 <= 0.6. */
static gannet_err ball_and_half(void *user, int list, const double *x, double *values,
                                double *gradients) {
  (void)user;
  (void)list;
  values[0] = -0.09;
  for (int k = 0; k < SPACE; ++k) {
    values[0] += (x[k] - 0.5) * (x[k] - 0.5);
    gradients[k] = 2 * (x[k] - 0.5);
    gradients[SPACE + k] = k == 2;
  }
  values[1] = x[2] - 0.6;
  return GANNET_OK;
}

/* Closed forms: along the negative slope to the sphere; where that is beyond the cut, along its
 * part in the plane to the circle x2 = 0.6. */
static void conditions_are_kept_where_they_are_active(void **state) {
  (void)state;
  gannet_context *world = context_of(MPI_COMM_WORLD);
  const gannet_variable real[SPACE] = {{.name = "a", .lower = 0, .upper = 1},
                                       {.name = "b", .lower = 0, .upper = 1},
                                       {.name = "c", .lower = 0, .upper = 1}};
  const gannet_problem_spec shape = {.n_variables = SPACE, .variables = real, .noise_sd = NAN};
  const double starts[2 * 2 * SPACE] = {0.5, 0.5, 0.5, 0.9, 0.1, 0.95, 0.5, 0.5, 0.5, 0.1, 0.8, 0};
  const double circle = sqrt(0.09 - 0.01), flat = hypot(slope[0], slope[1]);
  const double full = sqrt(flat * flat + slope[2] * slope[2]);
  double x[2 * 2 * SPACE], values[4];
  gannet_problem *problem = NULL;
  assert_ok(gannet_problem_create(&shape, &problem));
  const gannet_polish_spec spec = {.problem = problem,
                                   .n_lists = 2,
                                   .n_starts = 2,
                                   .starts = starts,
                                   .function = linear,
                                   .options = options,
                                   .n_conditions = 2,
                                   .conditions = ball_and_half};
  polish_twice(world, &spec, x, values);
  assert_true(-slope[2] / full * 0.3 < 0.1); /* list 0 stays below the cut */
  for (int u = 0; u < 4; ++u) {
    const double *at = x + u * SPACE, sign = u < 2 ? -1 : 1;
    double found[2], unused[2 * SPACE];
    assert_ok(ball_and_half(NULL, 0, at, found, unused));
    assert_true(found[0] <= 1e-12 && found[1] <= 1e-12);
    for (int k = 0; k < SPACE; ++k) assert_near(at[k], 0.5 + sign * 0.3 * slope[k] / full, 5e-3);
  }
  const gannet_polish_spec tilted = {.problem = problem,
                                     .n_lists = 1,
                                     .n_starts = 2,
                                     .starts = starts,
                                     .function = upward,
                                     .options = options,
                                     .n_conditions = 2,
                                     .conditions = ball_and_half};
  polish_twice(world, &tilted, x, values);
  assert_near(x[0], 0.5 - circle * slope[0] / flat, 5e-3);
  assert_near(x[1], 0.5 - circle * slope[1] / flat, 5e-3);
  assert_near(x[2], 0.6, 3e-3);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&world);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(continuous_coordinates_reach_the_minimum_in_the_box),
      cmocka_unit_test(starts_without_a_value_come_last),
      cmocka_unit_test(nothing_gets_worse_than_its_start),
      cmocka_unit_test(discrete_problems_are_only_sorted),
      cmocka_unit_test(an_error_on_one_rank_reaches_all),
      cmocka_unit_test(what_is_left_is_for_the_same_box_and_options),
      cmocka_unit_test(conditions_are_kept_where_they_are_active),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  (void)MPI_Finalize();
  return failed;
}
