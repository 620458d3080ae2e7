/* test: ranks 1 2 3 labels unit */
/* Memory that ranks share, and waiting for each other. */
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "base/clock.h"
#include "base/node.h"

static gannet_node *make(void) {
  gannet_node *node = NULL;
  assert_ok(gannet_node_create(MPI_COMM_WORLD, &node));
  return node;
}

static void ranks_see_what_others_write(void **state) {
  (void)state;
  enum { N = 5000 };
  gannet_node *node = make();
  void *memory = NULL;
  assert_ok(gannet_node_share(node, N * sizeof(int), &memory));
  int *number = memory;
  assert_non_null(number);
  assert_int_equal((size_t)number % 64, 0);
  gannet_node_touch(number + N / 2, N / 2 * sizeof *number);
  for (int i = 0; i < N; ++i) assert_int_equal(number[i], 0);
  MPI_Barrier(node->comm);
  for (int i = node->place; i < N; i += node->n) number[i] = i * i;
  MPI_Barrier(node->comm);
  for (int i = 0; i < N; ++i) assert_int_equal(number[i], i * i);
  gannet_node_unshare(&memory);
  assert_null(memory);
  gannet_node_unshare(&memory);
  gannet_node_destroy(&node);
}

/* Two pieces are two. */
static void pieces_are_apart(void **state) {
  (void)state;
  gannet_node *node = make();
  void *one = NULL, *two = NULL;
  assert_ok(gannet_node_share(node, 100, &one));
  assert_ok(gannet_node_share(node, 100, &two));
  MPI_Barrier(node->comm);
  memset(one, 1, 100);
  MPI_Barrier(node->comm);
  for (int i = 0; i < 100; ++i) assert_int_equal(((char *)two)[i], 0);
  gannet_node_unshare(&one);
  gannet_node_unshare(&two);
  gannet_node_destroy(&node);
}

/* Each rank raises its value when that of the one before has risen, the first one late, so that the
 * others give their processors away. */
static void who_waits_sees_what_came_before(void **state) {
  (void)state;
  typedef struct {
    _Atomic int value;
    int before;
  } step;
  gannet_node *node = make();
  void *memory = NULL;
  assert_ok(gannet_node_share(node, (size_t)node->n * sizeof(step), &memory));
  step *own = (step *)memory + node->place;
  if (node->place == 0) gannet_clock_sleep(0.02);
  own->before = node->place + 10;
  if (node->place > 0) {
    assert_int_equal(gannet_node_wait(&own[-1].value, 2), 3);
    own->before += own[-1].before;
  }
  atomic_store_explicit(&own->value, 3, memory_order_release);
  assert_int_equal(gannet_node_wait(&((step *)memory)[node->n - 1].value, 3), 3);
  int sum = 0;
  for (int i = 0; i < node->n; ++i) sum += i + 10;
  assert_int_equal(((step *)memory)[node->n - 1].before, sum);
  MPI_Barrier(node->comm);
  gannet_node_unshare(&memory);
  gannet_node_destroy(&node);
}

static void without_memory_every_rank_is_a_node(void **state) {
  (void)state;
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  refuse = np > 1;
  gannet_node *node = make();
  assert_int_equal(node->n, 1);
  assert_int_equal(node->place, 0);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  assert_int_equal(node->ranks[0], rank);
  refuse = false;
  gannet_node_destroy(&node);
}

/* Which is no error, and the same on all. */
static void later_refusals_give_nothing(void **state) {
  (void)state;
  gannet_node *node = make();
  void *memory = &node;
  refuse = node->place == 0;
  assert_ok(gannet_node_share(node, 100, &memory));
  assert_null(memory);
  refuse = false;
  gannet_node_destroy(&node);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_see_what_others_write),
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(who_waits_sees_what_came_before),
      cmocka_unit_test(without_memory_every_rank_is_a_node),
      cmocka_unit_test(later_refusals_give_nothing),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
