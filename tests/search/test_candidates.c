/* test: serial labels unit */
#include <math.h>

#include "search/problems.h"

#include "search/candidates.h"

static gannet_candidates *create(const gannet_problem *problem,
                                 const gannet_candidates_spec *spec) {
  gannet_candidates *c = NULL;
  assert_ok(gannet_candidates_create(problem, spec, 9, 4, &c));
  return c;
}

static void a_centre(const gannet_problem *problem, double *x) {
  const double x_user[] = {-4.9, 0.003, 2, 100, 1, 1};
  gannet_problem_encode(problem, x_user, x);
}

static void any_window_equals_the_whole(void **state) {
  (void)state;
  enum { D = 8, N = 300 };
  static double whole[N * D], part[N * D], centre[D];
  gannet_problem *problem = mixed_problem();
  assert_int_equal(problem->d, D);
  a_centre(problem, centre);
  const gannet_candidates_spec spec = {
      .n_global = 170, .n_local = 130, .n_centres = 1, .centres = centre};
  gannet_candidates *c = create(problem, &spec);
  assert_int_equal(gannet_candidates_count(c), N);
  assert_int_equal(gannet_candidates_dimension(c), D);
  gannet_candidates_tile(c, 0, N, whole);
  for (int first = 0; first < N; first += 37) {
    const int count = N - first < 53 ? N - first : 53;
    gannet_candidates_tile(c, first, count, part);
    assert_memory_equal(part, whole + first * D, (size_t)(count * D) * sizeof *part);
  }
  memcpy(part, whole, sizeof part);
  gannet_problem_snap(problem, N, part);
  assert_memory_equal(part, whole, sizeof part); /* admissible */
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

/* 5 integers, 2 booleans, 3 colours: a Sobol block of 960 gives each value nearly its share. */
static void every_discrete_value_gets_its_share(void **state) {
  (void)state;
  enum { D = 8, N = 960 };
  static double x[N * D];
  int count[5] = {0}, flag[2] = {0}, colour[3] = {0};
  gannet_problem *problem = mixed_problem();
  gannet_candidates *c = create(problem, &(gannet_candidates_spec){.n_global = N});
  gannet_candidates_tile(c, 0, N, x);
  for (int i = 0; i < N; ++i) {
    double x_user[6];
    gannet_problem_decode(problem, x + i * D, x_user);
    count[(int)x_user[2] - 2] += 1;
    flag[(int)x_user[4]] += 1;
    colour[(int)x_user[5]] += 1;
  }
  for (int v = 0; v < 5; ++v) assert_near(count[v], N / 5, 8);
  for (int v = 0; v < 2; ++v) assert_near(flag[v], N / 2, 40);
  for (int v = 0; v < 3; ++v) assert_near(colour[v], N / 3, 50);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

static void boxes_hold_their_points(void **state) {
  (void)state;
  enum { D = 3, N = 2000 };
  static double x[N * D];
  const double lower[D] = {0.25, 0, 0.5}, upper[D] = {0.375, 1, 0.5};
  const double centres[2 * D] = {0.25, 0, 0.5, 0.37, 1, 0.5};
  gannet_problem *problem = real_problem(D);
  const gannet_candidates_spec spec = {.n_global = N / 2,
                                       .n_local = N / 2,
                                       .lower = lower,
                                       .upper = upper,
                                       .n_centres = 2,
                                       .centres = centres};
  gannet_candidates *c = create(problem, &spec);
  gannet_candidates_tile(c, 0, N, x);
  for (int i = 0; i < N * D; ++i) assert_true(lower[i % D] <= x[i] && x[i] <= upper[i % D]);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

static void local_candidates_move_few_variables_by_steps_of_all_sizes(void **state) {
  (void)state;
  enum { D = 200, N = 1000 };
  static double x[N * D], centre[D];
  gannet_problem *problem = real_problem(D);
  for (int k = 0; k < D; ++k) centre[k] = 0.5;
  gannet_candidates *c =
      create(problem, &(gannet_candidates_spec){.n_local = N, .n_centres = 1, .centres = centre});
  gannet_candidates_tile(c, 0, N, x);
  int small = 0, large = 0;
  double moved = 0;
  for (int i = 0; i < N; ++i) {
    int here = 0;
    double far = 0;
    for (int k = 0; k < D; ++k) {
      here += x[i * D + k] != 0.5;
      far = fmax(far, fabs(x[i * D + k] - 0.5));
    }
    assert_true(here >= 1);
    moved += here;
    small += far < 0.01;
    large += far > 0.3;
  }
  /* 1/200 + 199/200 * 20/200 of 200 variables; binomial with standard error 0.13 for the mean */
  assert_near(moved / N, 20.9, 0.7);
  assert_true(small > N / 20 && large > N / 20);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

/* Reals move, an integer where its step is long enough, and of the boolean and the category one or
 * both: the chance of the other one is log-uniform between a third and 1, 2/3 / log 3 on average.
 */
static void discrete_variables_move_to_other_values(void **state) {
  (void)state;
  enum { D = 8, N = 400 };
  static double x[N * D], centre[D];
  gannet_problem *problem = mixed_problem();
  a_centre(problem, centre);
  gannet_candidates *c =
      create(problem, &(gannet_candidates_spec){.n_local = N, .n_centres = 1, .centres = centre});
  gannet_candidates_tile(c, 0, N, x);
  int colours[3] = {0}, next = 0, stays = 0, both = 0;
  for (int i = 0; i < N; ++i) {
    double x_user[6];
    gannet_problem_decode(problem, x + i * D, x_user);
    assert_true(x_user[4] == 0 || x_user[5] != 1);
    both += x_user[4] == 0 && x_user[5] != 1;
    colours[(int)x_user[5]] += 1;
    next += x_user[3] == 99 || x_user[3] == 101;
    stays += x_user[2] == 2;
  }
  assert_near((double)both / N, 2.0 / 3 / log(3), 0.1);
  assert_near((double)colours[1] / N, 0.5 * (1 - 2.0 / 3 / log(3)), 0.08);
  assert_true(colours[0] > N / 4 && colours[2] > N / 4);
  assert_true(next > N / 20 && stays > N / 3 && stays < N);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

/* With a least chance, one candidate moves one variable and another one all. */
static void the_number_of_moved_variables_may_be_drawn(void **state) {
  (void)state;
  enum { D = 16, N = 1000 };
  static double x[N * D], centre[D];
  gannet_problem *problem = real_problem(D);
  for (int k = 0; k < D; ++k) centre[k] = 0.5;
  const gannet_candidates_spec spec = {
      .n_local = N, .n_centres = 1, .centres = centre, .least_moving = 1.0 / D};
  gannet_candidates *c = create(problem, &spec);
  gannet_candidates_tile(c, 0, N, x);
  int few = 0, most = 0;
  for (int i = 0; i < N; ++i) {
    int here = 0;
    for (int k = 0; k < D; ++k) here += x[i * D + k] != 0.5;
    assert_true(here >= 1);
    few += here <= 2;
    most += here >= D - 2;
  }
  assert_true(few > N / 5 && few < N / 2);
  assert_true(most > N / 20 && most < N / 4);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

/* A candidate that crosses two centres has real variables between these, at the same part of the
 * way, and each other variable from one of them, before few of them move. */
static void candidates_may_begin_between_two_centres(void **state) {
  (void)state;
  enum { D = 8, N = 900 };
  static double x[N * D], centres[3 * D];
  const double user[3][6] = {
      {-4.9, 1e-4, 2, 1, 0, 0}, {5, 1e-3, 4, 64, 1, 1}, {10, 1, 6, 4096, 1, 2}};
  gannet_problem *problem = mixed_problem();
  for (int i = 0; i < 3; ++i) gannet_problem_encode(problem, user[i], centres + (size_t)i * D);
  const gannet_candidates_spec spec = {.n_local = N,
                                       .n_centres = 3,
                                       .centres = centres,
                                       .moving = 1e-9,
                                       .switching = 1e-9,
                                       .crossing = 0.5};
  gannet_candidates *c = create(problem, &spec);
  gannet_candidates_tile(c, 0, N, x);
  int between = 0, reds = 0, blues = 0;
  for (int i = 0; i < N; ++i) {
    const double *from = centres + (size_t)(i % 3) * D;
    double x_user[6];
    gannet_problem_decode(problem, x + i * D, x_user);
    for (int other = 0; other < 3; ++other) {
      const double *to = centres + (size_t)other * D;
      const double way = to[0] - from[0], rate = to[1] - from[1];
      if (other == i % 3) continue;
      const double t = (x[i * D] - from[0]) / way;
      between += 0 < t && t < 1 && fabs(x[i * D + 1] - (from[1] + t * rate)) < 1e-9;
    }
    reds += i % 3 == 0 && x_user[5] == 0;
    blues += i % 3 == 0 && x_user[5] == 2;
  }
  /* Half of them begin on the way, and of these the one variable that moves in any case is one of
   * the two real ones in a third. */
  assert_near((double)between / N, 0.5 * 2 / 3, 0.08);
  assert_true(reds > N / 6 && blues > N / 40);
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

static void iterations_give_other_candidates(void **state) {
  (void)state;
  double x[4], y[4];
  gannet_problem *problem = real_problem(2);
  const gannet_candidates_spec spec = {.n_global = 2};
  gannet_candidates *a = NULL, *b = NULL;
  assert_ok(gannet_candidates_create(problem, &spec, 9, 4, &a));
  assert_ok(gannet_candidates_create(problem, &spec, 9, 5, &b));
  gannet_candidates_tile(a, 0, 2, x);
  gannet_candidates_tile(b, 0, 2, y);
  assert_memory_not_equal(x, y, sizeof x);
  gannet_candidates_destroy(&a);
  gannet_candidates_destroy(&b);
  gannet_problem_destroy(&problem);
}

static void wrong_specifications_are_refused(void **state) {
  (void)state;
  const double half = 0.5, third = 0.3;
  gannet_problem *problem = real_problem(1);
  gannet_candidates *c = NULL;
  const gannet_candidates_spec wrong[] = {{.n_global = -1}, {.n_local = -1},
                                          {.n_local = 3},   {.lower = &half, .upper = &third},
                                          {.crossing = 2},  {.least_moving = -0.1}};
  const char *const part[] = {"n_global", "n_local", "centres", "box", "crossing", "least_moving"};
  for (int i = 0; i < 6; ++i)
    assert_fails(GANNET_ERR_ARG, part[i], gannet_candidates_create(problem, &wrong[i], 0, 0, &c));
  gannet_candidates_destroy(&c);
  gannet_problem_destroy(&problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_window_equals_the_whole),
      cmocka_unit_test(every_discrete_value_gets_its_share),
      cmocka_unit_test(boxes_hold_their_points),
      cmocka_unit_test(local_candidates_move_few_variables_by_steps_of_all_sizes),
      cmocka_unit_test(discrete_variables_move_to_other_values),
      cmocka_unit_test(the_number_of_moved_variables_may_be_drawn),
      cmocka_unit_test(candidates_may_begin_between_two_centres),
      cmocka_unit_test(iterations_give_other_candidates),
      cmocka_unit_test(wrong_specifications_are_refused),
  };
  return run_serial(tests);
}
