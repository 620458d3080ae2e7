/* test: ranks 1 2 3 labels unit */
/* Which processors ranks may use, and whether they know that they share them. */
#define _GNU_SOURCE /* sched_setaffinity and its sets */
#include <sched.h>

#include "support/harness.h"

#include "base/node.h"
#include "base/resources.h"

static cpu_set_t before;
static int size, place;

static int keep_mask(void **state) {
  (void)state;
  return sched_getaffinity(0, sizeof before, &before);
}

static int restore_mask(void **state) {
  (void)state;
  return sched_setaffinity(0, sizeof before, &before);
}

/* Number k of those that all ranks may use; the first again when there are fewer. */
static int processor_number(const gannet_processors *all, int k) {
  int first = -1;
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p) {
    if (!all->any[p]) continue;
    if (first < 0) first = p;
    if (k-- == 0) return p;
  }
  return first;
}

static bool bind(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

static bool all_agree(bool own) {
  int all = own;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

static bool is_crowded(const char *yield) {
  gannet_node *node = NULL;
  assert_int_equal(setenv("OMPI_MCA_mpi_yield_when_idle", yield, 1), 0);
  assert_ok(gannet_node_create(MPI_COMM_WORLD, &node));
  const bool crowded = node->meeting->crowded;
  gannet_node_destroy(&node);
  return crowded;
}

static void ranks_may_use_what_their_masks_say(void **state) {
  (void)state;
  gannet_processors found;
  assert_ok(gannet_processors_find(MPI_COMM_WORLD, &found));
  assert_int_equal(found.ranks, size);
  assert_int_equal(found.own, CPU_COUNT(&before));
  assert_true(found.own >= 1 && found.own <= found.together);
  for (int p = 0; p < GANNET_PROCESSORS_MOST; ++p)
    if (CPU_ISSET(p, &before)) assert_true(found.any[p]);
}

static void ranks_on_one_processor_know_it(void **state) {
  (void)state;
  gannet_processors all, found;
  assert_ok(gannet_processors_find(MPI_COMM_WORLD, &all));
  if (!all_agree(bind(processor_number(&all, 0)))) skip();
  assert_ok(gannet_processors_find(MPI_COMM_WORLD, &found));
  assert_int_equal(found.own, 1);
  assert_int_equal(found.together, 1);
  assert_int_equal(found.on_one, size);
  assert_int_equal(gannet_processors_are_shared(&found), size > 1);
  assert_int_equal(is_crowded("0"), size > 1);
}

static void ranks_with_a_processor_each_know_it(void **state) {
  (void)state;
  gannet_processors all, found;
  assert_ok(gannet_processors_find(MPI_COMM_WORLD, &all));
  if (all.together < size) skip();
  if (!all_agree(bind(processor_number(&all, place)))) skip();
  assert_ok(gannet_processors_find(MPI_COMM_WORLD, &found));
  assert_int_equal(found.together, size);
  assert_int_equal(found.on_one, 1);
  assert_false(gannet_processors_are_shared(&found));
  assert_false(is_crowded("0"));
  assert_true(is_crowded("1"));
  assert_true(is_crowded("true"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(ranks_may_use_what_their_masks_say, keep_mask, restore_mask),
      cmocka_unit_test_setup_teardown(ranks_on_one_processor_know_it, keep_mask, restore_mask),
      cmocka_unit_test_setup_teardown(ranks_with_a_processor_each_know_it, keep_mask, restore_mask),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &place);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
