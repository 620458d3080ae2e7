/* test: ranks 1 2 3 labels unit */
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>

#include "support/harness.h"

#include "base/memory.h"
#include "base/partition.h"

/* Squares, 7 rows of a triangle: 70 and 70 of 140. */
static void the_largest_parts_are_balanced_by_small_ones(void **state) {
  (void)state;
  const double cost[] = {49, 36, 25, 16, 9, 4, 1};
  const int expected[] = {0, 1, 1, 0, 1, 0, 0};
  int owner[7], alone[7] = {1, 1, 1, 1, 1, 1, 1};
  assert_ok(gannet_partition_assign(7, cost, 2, owner));
  assert_memory_equal(owner, expected, sizeof owner);
  assert_ok(gannet_partition_assign(7, cost, 1, alone));
  for (int k = 0; k < 7; ++k) assert_int_equal(alone[k], 0);
  assert_ok(gannet_partition_assign(7, cost, 100, owner));
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
  assert_ok(gannet_partition_gather(MPI_COMM_WORLD, 5, values));
  assert_memory_equal(values, all, sizeof values);
  assert_ok(gannet_partition_gather(MPI_COMM_WORLD, 0, NULL));
}

/* Ten rows in pieces of 4, 3, 2 and 1. */
static void runs_are_cut_where_pieces_begin(void **state) {
  (void)state;
  const int begin[] = {0, 4, 7, 9, 10};
  const double even[] = {4, 3, 2, 1}, steep[] = {1, 1, 1, 97}, none[1] = {0};
  int first[6] = {0};
  gannet_partition_cut(4, begin, even, 1, first);
  assert_memory_equal(first, ((int[]){0, 10}), 2 * sizeof *first);
  gannet_partition_cut(4, begin, even, 2, first);
  assert_memory_equal(first, ((int[]){0, 4, 10}), 3 * sizeof *first);
  gannet_partition_cut(4, begin, even, 3, first);
  assert_memory_equal(first, ((int[]){0, 4, 7, 10}), 4 * sizeof *first);
  gannet_partition_cut(4, begin, steep, 2, first);
  assert_memory_equal(first, ((int[]){0, 9, 10}), 3 * sizeof *first);
  gannet_partition_cut(1, (int[]){0, 10}, even, 5, first);
  for (int r = 1; r < 5; ++r) assert_true(first[r] >= first[r - 1]);
  assert_int_equal(first[0], 0);
  assert_int_equal(first[5], 10);
  gannet_partition_cut(0, (int[]){0}, none, 2, first);
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
  gannet_partition_cut(2, begin, cost, np, first);
  for (int i = 0; i < ROWS * LENGTH; ++i) {
    const bool mine = first[rank] <= i / LENGTH && i / LENGTH < first[rank + 1];
    rows[i] = mine ? i + 0.25 : NAN;
  }
  assert_ok(gannet_partition_gather_rows(MPI_COMM_WORLD, first, sizeof *rows * LENGTH, rows));
  for (int i = 0; i < ROWS * LENGTH; ++i) assert_true(rows[i] == i + 0.25);
  assert_fails(GANNET_ERR_SHAPE, "rows of 7 bytes",
               gannet_partition_gather_rows(MPI_COMM_WORLD, first, 7, rows));
}

/* What goes over memory that is not there, piece by piece. */
static struct {
  bool on;
  char *next;
  size_t bytes;
} traffic;

static int note(const void *at, int count, size_t size) {
  if (at != traffic.next || count <= 0) return MPI_ERR_COUNT;
  traffic.next += (size_t)count * size;
  traffic.bytes += (size_t)count * size;
  return MPI_SUCCESS;
}

/* In place of MPI's. */
int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return traffic.on ? note(bytes, count, 1) : PMPI_Bcast(bytes, count, type, root, comm);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  return traffic.on ? note(receive, count, sizeof(uint64_t))
                    : PMPI_Allreduce(send, receive, count, type, op, comm);
}

static void assert_noted(char *first, size_t bytes) {
  assert_true(traffic.next == first + bytes);
  assert_true(traffic.bytes == bytes);
  traffic.next = first;
  traffic.bytes = 0;
}

/* Addresses without memory: more numbers than an int counts, several times over. */
static void there_may_be_more_than_an_int_counts(void **state) {
  (void)state;
  const size_t bytes = 9 * ((size_t)1 << 31) + 8 * 7;
  char *first = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  assert_true(first != MAP_FAILED);
  traffic.on = true;
  traffic.next = first;
  assert_ok(gannet_bytes_broadcast(MPI_COMM_WORLD, 0, bytes - 3, first));
  assert_noted(first, bytes - 3);
  assert_ok(gannet_partition_gather(MPI_COMM_WORLD, bytes / 8, (double *)(void *)first));
  assert_noted(first, bytes);
  traffic.on = false;
  assert_int_equal(munmap(first, bytes), 0);
}

static void bytes_come_from_their_rank(void **state) {
  (void)state;
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  char text[6] = "none!";
  if (rank == np - 1) memcpy(text, "bytes", sizeof text);
  assert_ok(gannet_bytes_broadcast(MPI_COMM_WORLD, np - 1, 5, text));
  assert_string_equal(text, "bytes");
  assert_ok(gannet_bytes_broadcast(MPI_COMM_WORLD, 0, 0, NULL));
}

/* The last rank asks for more than there is; the others have got theirs and give it back. */
static void memory_is_on_all_ranks_or_on_none(void **state) {
  (void)state;
  int rank = 0, np = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  double *p = NULL;
  const size_t count = rank == np - 1 ? SIZE_MAX : 4;
  assert_int_equal(gannet_alloc_on_all(MPI_COMM_WORLD, count, sizeof *p, &p), GANNET_ERR_MEMORY);
  assert_null(p);
  assert_ok(gannet_alloc_on_all(MPI_COMM_WORLD, (size_t)rank + 4, sizeof *p, &p));
  assert_near(p[rank + 3], 0, 0);
  gannet_free(&p);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_largest_parts_are_balanced_by_small_ones),
      cmocka_unit_test(parts_come_together_bit_by_bit),
      cmocka_unit_test(runs_are_cut_where_pieces_begin),
      cmocka_unit_test(runs_come_together),
      cmocka_unit_test(bytes_come_from_their_rank),
      cmocka_unit_test(memory_is_on_all_ranks_or_on_none),
      cmocka_unit_test(there_may_be_more_than_an_int_counts),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
