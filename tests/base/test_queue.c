/* test: ranks 1 2 3 labels unit */
/* Every unit goes to one rank, whoever is slow or stops. */
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "base/clock.h"
#include "base/queue.h"

enum { MOST = 50 };

static gannet_context *make(MPI_Comm comm) {
  gannet_context *context = NULL;
  assert_ok(gannet_context_create(comm, 1, &context));
  return context;
}

/* Takes units until stop are taken, and adds up who took what. */
static int take(const gannet_context *context, int units, int stop, int *taken) {
  gannet_queue queue = gannet_queue_open(context, units);
  int64_t last = -1, unit;
  int count = 0;
  memset(taken, 0, MOST * sizeof *taken);
  while (count < stop && (unit = gannet_queue_next(&queue)) >= 0) {
    assert_true(last < unit && unit < units);
    last = unit;
    ++taken[unit];
    ++count;
    if (context->rank == 0) gannet_clock_sleep(2e-3);
  }
  gannet_queue_close(&queue);
  assert_int_equal(gannet_queue_next(&queue), -1);
  MPI_Allreduce(MPI_IN_PLACE, taken, MOST, MPI_INT, MPI_SUM, context->comm);
  return count;
}

static void every_unit_is_taken_once(void **state) {
  (void)state;
  const int sizes[] = {0, 1, 2, 7, MOST, MOST - 1};
  gannet_context *context = make(MPI_COMM_WORLD);
  int taken[MOST];
  for (int round = 0; round < 3; ++round)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      (void)take(context, sizes[s], MOST, taken);
      for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], i < sizes[s]);
    }
  gannet_context_destroy(&context);
}

static void who_is_slow_takes_fewer(void **state) {
  (void)state;
  gannet_context *context = make(MPI_COMM_WORLD);
  int taken[MOST];
  const int count = take(context, MOST, MOST, taken);
  if (context->rank == 0 && context->np > 1) assert_true(count < MOST / context->np);
  gannet_context_destroy(&context);
}

/* Nobody waits, and the next queue is complete. */
static void who_stops_leaves_the_rest_undone(void **state) {
  (void)state;
  gannet_context *context = make(MPI_COMM_WORLD);
  int taken[MOST];
  (void)take(context, MOST, context->rank == 0 ? 1 : MOST, taken);
  for (int i = 0; i < MOST; ++i) assert_true(taken[i] <= 1);
  (void)take(context, MOST, MOST, taken);
  for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], 1);
  gannet_context_destroy(&context);
}

static void without_shared_memory_ranks_take_turns(void **state) {
  (void)state;
  refuse = true;
  gannet_context *context = make(MPI_COMM_WORLD);
  int taken[MOST];
  const int count = take(context, MOST, MOST, taken);
  for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], 1);
  assert_true(count >= MOST / context->np - 1);
  gannet_context_destroy(&context);
  refuse = false;
}

/* Also beside a queue that ranks share. */
static void fixed_units_stay_with_their_rank(void **state) {
  (void)state;
  gannet_context *context = make(MPI_COMM_WORLD);
  int taken[MOST], own[2][MOST] = {{0}};
  for (int round = 0; round < 2; ++round) {
    gannet_queue queue = gannet_queue_open_fixed(context, MOST);
    int count = 0;
    for (int64_t unit; (unit = gannet_queue_next(&queue)) >= 0; ++count) {
      own[round][unit] = 1;
      if (context->rank == round) gannet_clock_sleep(1e-3);
    }
    gannet_queue_close(&queue);
    assert_in_range(count, MOST / context->np - 1, MOST / context->np + 1);
    MPI_Allreduce(own[round], taken, MOST, MPI_INT, MPI_SUM, context->comm);
    for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], 1);
    (void)take(context, MOST, MOST, taken);
    for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], 1);
  }
  assert_memory_equal(own[0], own[1], sizeof own[0]);
  gannet_context_destroy(&context);
}

/* Ranks of different nodes, too. */
static void nodes_take_turns(void **state) {
  (void)state;
  gannet_context *alone = make(MPI_COMM_SELF);
  int rank = 0, np = 1, taken[MOST];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  const gannet_context far = {.comm = MPI_COMM_WORLD, .rank = rank, .np = np};
  const int count = take(&far, MOST, MOST, taken);
  for (int i = 0; i < MOST; ++i) assert_int_equal(taken[i], 1);
  assert_true(count >= MOST / np - 1);
  assert_int_equal(take(alone, MOST, MOST, taken), MOST);
  gannet_context_destroy(&alone);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_is_taken_once),
      cmocka_unit_test(who_is_slow_takes_fewer),
      cmocka_unit_test(who_stops_leaves_the_rest_undone),
      cmocka_unit_test(without_shared_memory_ranks_take_turns),
      cmocka_unit_test(fixed_units_stay_with_their_rank),
      cmocka_unit_test(nodes_take_turns),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
