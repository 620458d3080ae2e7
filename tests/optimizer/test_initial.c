/* test: serial labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "optimizer/optimizer.h"

static const gannet_variable mixed[] = {
    {.name = "x", .lower = 10, .upper = 20},
    {.name = "y", .lower = 1e-4, .upper = 1e4, .scale = GANNET_SCALE_LOG},
    {.name = "k", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 9},
    {.name = "u", .lower = 0, .upper = 1},
    {.name = "v", .lower = 0, .upper = 1},
};

enum { N = 40, NEAR = 16, MOST = 5 };

/* Distances of the first three of d variables from the middle of their ranges, as shares of these;
 * [N][3]. */
static void ask(int d, int n_settings, const gannet_method_setting *settings, double *apart) {
  static double x[MOST * N];
  const gannet_problem_spec spec = {.n_variables = d, .variables = mixed, .noise_sd = NAN};
  int64_t id[N];
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, n_settings, settings, &optimizer));
  assert_ok(gannet_optimizer_ask(optimizer, N, id, x));
  for (int i = 0; i < N; ++i) {
    apart[3 * i] = fabs(x[d * i] - 15) / 10;
    apart[3 * i + 1] = fabs(log10(x[d * i + 1])) / 8;
    apart[3 * i + 2] = fabs(x[d * i + 2] - 5) / 8;
  }
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

static double farthest(const double *apart, int from, int to, int k) {
  double most = 0;
  for (int i = from; i < to; ++i) most = fmax(most, apart[3 * i + k]);
  return most;
}

/* The first points, so many as models wait for, lie near the middle; whoever asks for more at once,
 * or whose simulations fail there, gets others from anywhere. Whole numbers are not narrowed. */
static void first_points_lie_in_the_span(void **state) {
  (void)state;
  static double apart[3 * N];
  const gannet_method_setting settings[] = {{"initial", "16"}, {"initial_span", "0.25"}};
  ask(3, 2, settings, apart);
  for (int k = 0; k < 2; ++k) {
    assert_in_range((int)(1000 * farthest(apart, 0, NEAR, k)), 80, 125);
    assert_true(farthest(apart, NEAR, N, k) > 0.4);
  }
  assert_true(farthest(apart, 0, NEAR, 2) > 0.4);
}

static void the_whole_box_is_the_default_of_single_methods(void **state) {
  (void)state;
  static double apart[3 * N], whole[3 * N];
  const gannet_method_setting one[] = {{"method", "gp-ei"}, {"initial", "16"}};
  const gannet_method_setting said[] = {
      {"method", "gp-ei"}, {"initial", "16"}, {"initial_span", "1"}};
  ask(3, 2, one, apart);
  ask(3, 3, said, whole);
  assert_true(farthest(apart, 0, NEAR, 0) > 0.4);
  for (int i = 0; i < 3 * N; ++i) assert_true(apart[i] == whole[i]);
}

/* Of three variables the box is seen whole, of four or more its middle first. */
static void the_default_method_begins_near_the_middle(void **state) {
  (void)state;
  static double apart[3 * N];
  ask(3, 0, NULL, apart);
  assert_true(farthest(apart, 0, NEAR, 0) > 0.4);
  ask(MOST, 0, NULL, apart);
  assert_in_range((int)(1000 * farthest(apart, 0, MOST + 1, 0)), 60, 150);
  assert_in_range((int)(1000 * farthest(apart, 0, MOST + 1, 1)), 60, 150);
  assert_true(farthest(apart, MOST + 1, N, 0) > 0.4);
}

/* Points of each of the values from..from+n-1 of an integer, among so many of a method. */
static void count_values(const gannet_method_setting *setting, const gannet_variable *whole,
                         int points, int *count) {
  const gannet_variable both[] = {*whole, {.name = "x", .upper = 1}};
  const gannet_problem_spec spec = {.n_variables = 2, .variables = both, .noise_sd = NAN};
  const gannet_method_setting settings[] = {*setting, {"initial", "1000"}};
  gannet_context *context = NULL;
  gannet_problem *problem = NULL;
  gannet_optimizer *optimizer = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 3, &context));
  assert_ok(gannet_problem_create(&spec, &problem));
  assert_ok(gannet_optimizer_create(context, problem, 2, settings, &optimizer));
  memset(count, 0, (size_t)(whole->upper - whole->lower + 1) * sizeof *count);
  for (int i = 0; i < points; ++i) {
    int64_t id = 0;
    double x[2];
    assert_ok(gannet_optimizer_ask(optimizer, 1, &id, x));
    count[(int)(x[0] - whole->lower)] += 1;
  }
  gannet_optimizer_destroy(&optimizer);
  gannet_problem_destroy(&problem);
  gannet_context_destroy(&context);
}

/* Chi squared of three values with two degrees of freedom is above 14 once in a thousand times;
 * with half the share for the outer two, 37 are to be expected. */
static void whole_numbers_get_their_shares(void **state) {
  (void)state;
  enum { POINTS = 300 };
  static const gannet_method_setting designs[] = {
      {"method", "random"}, {"method", "sobol"}, {"method", "gp-ei"}, {"initial_span", "0.3"}};
  static const gannet_variable whole[] = {
      {.name = "k", .type = GANNET_VARIABLE_INTEGER, .lower = 1, .upper = 3},
      {.name = "k",
       .type = GANNET_VARIABLE_INTEGER,
       .lower = 1,
       .upper = 3,
       .scale = GANNET_SCALE_LOG}};
  for (int scale = 0; scale < 2; ++scale)
    for (int i = 0; i < 4; ++i) {
      int count[3];
      double chi_squared = 0;
      count_values(&designs[i], &whole[scale], POINTS, count);
      for (int v = 0; v < 3; ++v) {
        const double share = scale ? log((v + 1.5) / (v + 0.5)) / log(7) : 1.0 / 3;
        chi_squared += pow(count[v] - POINTS * share, 2) / (POINTS * share);
      }
      if (chi_squared > 14)
        fail_msg("%s: %d, %d, %d", designs[i].text, count[0], count[1], count[2]);
    }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_points_lie_in_the_span),
      cmocka_unit_test(the_whole_box_is_the_default_of_single_methods),
      cmocka_unit_test(the_default_method_begins_near_the_middle),
      cmocka_unit_test(whole_numbers_get_their_shares),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int failed = run_ranks(tests);
  return MPI_Finalize() != MPI_SUCCESS ? 1 : failed;
}
