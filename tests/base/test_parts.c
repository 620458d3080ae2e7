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

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_parts_are_balanced_by_small_ones),
      cmocka_unit_test(parts_come_together_bit_by_bit),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
