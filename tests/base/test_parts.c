/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "support/harness.h"

#include "base/parts.h"

/* Squares, 7 rows of a triangle: 70 and 70 of 140. */
static void the_largest_parts_are_balanced_by_small_ones(void **state) {
  (void)state;
  const double cost[] = {49, 36, 25, 16, 9, 4, 1};
  const int expected[] = {0, 1, 1, 0, 1, 0, 0};
  int owner[7], alone[7] = {1, 1, 1, 1, 1, 1, 1};
  assert_ok(gannet_parts_share(7, cost, 2, owner));
  assert_memory_equal(owner, expected, sizeof owner);
  assert_ok(gannet_parts_share(7, cost, 1, alone));
  for (int k = 0; k < 7; ++k) assert_int_equal(alone[k], 0);
  assert_ok(gannet_parts_share(7, cost, 100, owner));
  for (int k = 0; k < 7; ++k) assert_int_equal(owner[k], k);
}

/* Any bits survive, also those of no number and of -0. */
static void parts_come_together_bit_by_bit(void **state) {
  (void)state;
  const double all[] = {-0.0, NAN, 1e-310, -INFINITY, 0.1};
  double values[5] = {0};
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  for (int i = rank; i < 5; i += np) values[i] = all[i];
  assert_ok(gannet_parts_gather(MPI_COMM_WORLD, 5, values));
  assert_memory_equal(values, all, sizeof values);
  assert_ok(gannet_parts_gather(MPI_COMM_WORLD, 0, NULL));
}

/* Ten rows in pieces of 4, 3, 2 and 1. */
static void runs_are_cut_where_pieces_begin(void **state) {
  (void)state;
  const int begin[] = {0, 4, 7, 9, 10};
  const double even[] = {4, 3, 2, 1}, steep[] = {1, 1, 1, 97}, none[1] = {0};
  int first[6] = {0};
  gannet_runs_cut(4, begin, even, 1, first);
  assert_memory_equal(first, ((int[]){0, 10}), 2 * sizeof *first);
  gannet_runs_cut(4, begin, even, 2, first);
  assert_memory_equal(first, ((int[]){0, 4, 10}), 3 * sizeof *first);
  gannet_runs_cut(4, begin, even, 3, first);
  assert_memory_equal(first, ((int[]){0, 4, 7, 10}), 4 * sizeof *first);
  gannet_runs_cut(4, begin, steep, 2, first);
  assert_memory_equal(first, ((int[]){0, 9, 10}), 3 * sizeof *first);
  gannet_runs_cut(1, (int[]){0, 10}, even, 5, first);
  for (int r = 1; r < 5; ++r) assert_true(first[r] >= first[r - 1]);
  assert_int_equal(first[0], 0);
  assert_int_equal(first[5], 10);
  gannet_runs_cut(0, (int[]){0}, none, 2, first);
  assert_memory_equal(first, ((int[]){0, 0, 0}), 3 * sizeof *first);
}

/* Also those of ranks that have none. */
static void runs_come_together(void **state) {
  (void)state;
  enum { ROWS = 5, LENGTH = 3 };
  const int begin[] = {0, 2, ROWS};
  const double cost[] = {2, 3};
  int rank = 0, np = 1, first[65];
  double rows[ROWS * LENGTH];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  assert_true(np <= 64);
  gannet_runs_cut(2, begin, cost, np, first);
  for (int i = 0; i < ROWS * LENGTH; ++i) {
    const bool mine = first[rank] <= i / LENGTH && i / LENGTH < first[rank + 1];
    rows[i] = mine ? i + 0.25 : NAN;
  }
  assert_ok(gannet_runs_gather(MPI_COMM_WORLD, first, sizeof *rows * LENGTH, rows));
  for (int i = 0; i < ROWS * LENGTH; ++i) assert_true(rows[i] == i + 0.25);
  assert_fails(GANNET_ERR_SHAPE, "rows of 7 bytes",
               gannet_runs_gather(MPI_COMM_WORLD, first, 7, rows));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_parts_are_balanced_by_small_ones),
      cmocka_unit_test(parts_come_together_bit_by_bit),
      cmocka_unit_test(runs_are_cut_where_pieces_begin),
      cmocka_unit_test(runs_come_together),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
