/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "problem/history.h"
#include "problem/pool.h"
#include "problem/sample.h"
#include "support/harness.h"
#include "support/refuse.h"

enum { N = 500, V = 6 };

static double draw(uint64_t at) {
  double u;
  gannet_random_uniform((gannet_stream){3, GANNET_FOR_TEST, 0, 0}, at, 1, &u);
  return u;
}

/* Rows of every kind of variable; every hundredth repeats the one ten before. */
static void fill_rows(double *rows) {
  for (int i = 0; i < N; ++i) {
    double *row = rows + (size_t)i * V;
    const uint64_t at = (uint64_t)i * V;
    row[0] = -2 + 8 * draw(at);
    row[1] = 1e-6 * pow(1e4, draw(at + 1));
    row[2] = 1 + floor(8 * draw(at + 2));
    row[3] = 1 + floor(1000 * draw(at + 3));
    row[4] = draw(at + 4) < 0.5;
    row[5] = floor(3 * draw(at + 5));
    if (i % 100 == 99) memcpy(row, row - (ptrdiff_t)10 * V, V * sizeof *row);
  }
}

static gannet_problem *listed_problem(double *rows) {
  gannet_problem *problem = NULL;
  int rank = 0;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill_rows(rows);
  assert_ok(gannet_problem_create(&sample_spec, &problem));
  assert_ok(gannet_problem_set_candidates(problem, MPI_COMM_WORLD, N, rank ? NULL : rows));
  return problem;
}

static void rows_come_back_exactly_and_once(void **state) {
  static double rows[N * V];
  (void)state;
  gannet_problem *problem = listed_problem(rows);
  assert_near(gannet_problem_count_points(problem), N - N / 100, 0);
  assert_int_equal(problem->n_continuous, 0);
  int64_t at = 0;
  for (int i = 0; i < N; ++i) {
    double x_unit[8], x_user[V];
    gannet_problem_encode(problem, rows + (ptrdiff_t)i * V, x_unit);
    gannet_problem_decode(problem, x_unit, x_user);
    assert_memory_equal(x_user, rows + (ptrdiff_t)i * V, sizeof x_user);
    if (i % 100 == 99) continue; /* the repeated ones are left out, the order stays */
    assert_memory_equal(gannet_pool_row(problem->pool, at), x_user, sizeof x_user);
    gannet_problem_get_point(problem, at++, x_unit);
    gannet_problem_decode(problem, x_unit, x_user);
    assert_memory_equal(x_user, rows + (ptrdiff_t)i * V, sizeof x_user);
  }
  gannet_problem_destroy(&problem);
}

static void the_nearest_row_is_that_of_brute_force(void **state) {
  static double rows[N * V];
  (void)state;
  gannet_problem *problem = listed_problem(rows);
  for (uint64_t t = 0; t < 200; ++t) {
    double x[8], best = INFINITY, square = -1;
    int64_t wanted = -1;
    for (uint64_t k = 0; k < 8; ++k) x[k] = draw(100000 + 8 * t + k);
    for (int64_t i = 0; i < gannet_pool_count(problem->pool); ++i) {
      double y[8], sum = 0;
      gannet_problem_get_point(problem, i, y);
      for (int k = 0; k < 8; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
      if (sum < best) best = sum, wanted = i;
    }
    assert_int_equal(gannet_pool_nearest(problem->pool, problem, x, &square), wanted);
    assert_near(square, best, 1e-12);
    gannet_problem_snap(problem, 1, x);
    assert_int_equal(gannet_pool_nearest(problem->pool, problem, x, &square), wanted);
    assert_near(square, 0, 0);
  }
  gannet_problem_destroy(&problem);
}

static void the_history_counts_what_is_left(void **state) {
  static double rows[N * V];
  const double elsewhere[V] = {0.123, 1e-3, 4, 77, 1, 2};
  gannet_history *history = NULL;
  (void)state;
  gannet_problem *problem = listed_problem(rows);
  const int64_t n = gannet_pool_count(problem->pool);
  assert_ok(gannet_history_create(problem, &history));
  assert_int_equal(gannet_history_count_left(history), n);
  assert_ok(
      gannet_history_propose(history, rows + (ptrdiff_t)89 * V, 0, GANNET_ORIGIN_METHOD, NULL));
  assert_int_equal(gannet_history_count_left(history), n - 1);
  assert_ok(gannet_history_propose(history, rows + (ptrdiff_t)99 * V, 0, GANNET_ORIGIN_USER, NULL));
  assert_int_equal(gannet_history_count_left(history), n - 1); /* the same design */
  assert_ok(gannet_history_propose(history, elsewhere, 0, GANNET_ORIGIN_USER, NULL));
  assert_int_equal(gannet_history_count_left(history), n - 1); /* not in the list */
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
  assert_ok(gannet_problem_create(&sample_spec, &problem));
  assert_ok(gannet_history_create(problem, &history));
  assert_true(gannet_history_count_left(history) == INT64_MAX);
  gannet_history_destroy(&history);
  gannet_problem_destroy(&problem);
}

/* Otherwise one of them would be left over for ever: no point is nearer to it than to the other. */
static void rows_of_one_encoding_count_once(void **state) {
  static const double rows[3 * V] = {0.0,  1e-3, 4, 77, 1, 2, /* then with -0, and one ulp away */
                                     -0.0, 1e-3, 4, 77, 1, 2, 0x1p-60, 1e-3, 4, 77, 1, 2};
  gannet_problem *problem = NULL;
  int rank = 0;
  (void)state;
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  assert_ok(gannet_problem_create(&sample_spec, &problem));
  assert_ok(gannet_problem_set_candidates(problem, MPI_COMM_WORLD, 3, rank ? NULL : rows));
  assert_int_equal(gannet_pool_count(problem->pool), 1);
  assert_memory_equal(gannet_pool_row(problem->pool, 0), rows, V * sizeof *rows);
  gannet_problem_destroy(&problem);
}

static void bad_rows_are_named(void **state) {
  static double rows[N * V];
  gannet_problem *problem = NULL;
  (void)state;
  fill_rows(rows);
  rows[7 * V + 2] = 2.5;
  assert_ok(gannet_problem_create(&sample_spec, &problem));
  assert_fails(GANNET_ERR_INPUT, "candidate 8",
               gannet_problem_set_candidates(problem, MPI_COMM_WORLD, N, rows));
  assert_fails(GANNET_ERR_INPUT, "fins",
               gannet_problem_set_candidates(problem, MPI_COMM_WORLD, N, rows));
  assert_fails(GANNET_ERR_INPUT, "empty",
               gannet_problem_set_candidates(problem, MPI_COMM_WORLD, 0, rows));
  assert_int_equal(problem->n_continuous, 2); /* still the whole box */
  gannet_problem_destroy(&problem);
}

/* What is proposed afterwards comes from the list that was accepted. */
static void a_refused_list_leaves_the_one_before(void **state) {
  static double rows[N * V];
  (void)state;
  gannet_problem *problem = listed_problem(rows);
  const int64_t n = gannet_pool_count(problem->pool);
  double x_unit[8], x_user[V], outside[V];
  memcpy(outside, rows, sizeof outside);
  outside[2] = 2.5;
  assert_fails(GANNET_ERR_INPUT, "candidate 1",
               gannet_problem_set_candidates(problem, MPI_COMM_WORLD, 1, outside));
  assert_non_null(problem->pool);
  assert_int_equal(gannet_pool_count(problem->pool), n);
  gannet_problem_encode(problem, rows + (ptrdiff_t)7 * V, x_unit);
  gannet_problem_decode(problem, x_unit, x_user);
  assert_memory_equal(x_user, rows + (ptrdiff_t)7 * V, sizeof x_user);
  assert_ok(gannet_problem_set_candidates(problem, MPI_COMM_WORLD, 3, rows));
  assert_int_equal(gannet_pool_count(problem->pool), 3);
  gannet_problem_destroy(&problem);
}

/* In place of MPI's: on a small /dev/shm it has no place, and its errors end the program. */
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window) {
  return refuse || refuse_from != SIZE_MAX
             ? MPI_ERR_NO_SPACE
             : PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
}

/* Where the system has no memory to share, every rank has a copy: everywhere, or on this node only,
 * which then has its counter but not the rows. */
static void without_shared_memory_every_rank_has_a_copy(void **state) {
  static double rows[N * V];
  (void)state;
  for (int all = 0; all < 2; ++all) {
    refuse = all;
    refuse_from = N * V; /* of bytes: the block is larger */
    gannet_problem *problem = listed_problem(rows);
    refuse = false;
    refuse_from = SIZE_MAX;
    const int64_t n = gannet_pool_count(problem->pool);
    assert_int_equal(n, N - N / 100);
    assert_memory_equal(gannet_pool_row(problem->pool, n - 1), rows + (ptrdiff_t)(N - 2) * V,
                        V * sizeof *rows);
    gannet_problem_destroy(&problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_back_exactly_and_once),
      cmocka_unit_test(the_nearest_row_is_that_of_brute_force),
      cmocka_unit_test(the_history_counts_what_is_left),
      cmocka_unit_test(rows_of_one_encoding_count_once),
      cmocka_unit_test(bad_rows_are_named),
      cmocka_unit_test(a_refused_list_leaves_the_one_before),
      cmocka_unit_test(without_shared_memory_every_rank_has_a_copy),
  };
  static double rows[N * V];
  (void)MPI_Init(NULL, NULL);
  const int failed = run_ranks(tests);
  gannet_problem *late = listed_problem(rows);
  (void)MPI_Finalize();
  gannet_problem_destroy(&late); /* in programs that destroy everything at their end */
  return failed;
}
