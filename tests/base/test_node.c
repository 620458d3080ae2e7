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
  assert_ok(gannet_node_share(node, N * sizeof(int), N * sizeof(int), &memory));
  int *number = memory;
  assert_non_null(number);
  assert_int_equal((size_t)number % 64, 0);
  gannet_node_touch(number + N / 2, N / 2 * sizeof *number);
  for (int i = 0; i < N; ++i) assert_int_equal(number[i], 0);
  MPI_Barrier(node->comm);
  for (int i = node->node_rank; i < N; i += node->n) number[i] = i * i;
  MPI_Barrier(node->comm);
  for (int i = 0; i < N; ++i) assert_int_equal(number[i], i * i);
  gannet_node_unshare(node, &memory);
  assert_null(memory);
  gannet_node_unshare(node, &memory);
  gannet_node_destroy(&node);
}

/* Two pieces are two. */
/* Each rank copies its part, of an odd length, and nobody sees it late: the others read at once. */
static void numbers_past_the_caches_are_seen(void **state) {
  (void)state;
  enum { MOST = 6, PART = 1002, ROUNDS = 20 };
  static double mine[PART];
  gannet_node *node = make();
  void *memory = NULL;
  assert_true(node->n <= MOST);
  assert_ok(gannet_node_share(node, (size_t)node->n * PART * sizeof(double), 0, &memory));
  double *all = memory;
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < PART; ++i) mine[i] = 1e6 * round + 1e4 * node->node_rank + i;
    all[node->node_rank * PART + PART - 1] = -1;
    gannet_node_write(PART - 1, mine, all + node->node_rank * PART);
    (void)gannet_node_barrier(node, false);
    for (int rank = 0; rank < node->n; ++rank) {
      for (int i = 0; i < PART - 1; ++i)
        assert_true(all[rank * PART + i] == 1e6 * round + 1e4 * rank + i);
      assert_true(all[rank * PART + PART - 1] == -1);
    }
    (void)gannet_node_barrier(node, false);
  }
  gannet_node_unshare(node, &memory);
  gannet_node_destroy(&node);
}

static void pieces_are_apart(void **state) {
  (void)state;
  gannet_node *node = make();
  void *one = NULL, *two = NULL;
  assert_ok(gannet_node_share(node, 100, 100, &one));
  assert_ok(gannet_node_share(node, 100, 100, &two));
  MPI_Barrier(node->comm);
  memset(one, 1, 100);
  MPI_Barrier(node->comm);
  for (int i = 0; i < 100; ++i) assert_int_equal(((char *)two)[i], 0);
  gannet_node_unshare(node, &one);
  gannet_node_unshare(node, &two);
  gannet_node_destroy(&node);
}

/* Each rank raises its value when that of the one before has risen, the first one late, so that the
 * others give their processors away. */
static void wait_in_turn(bool crowded) {
  typedef struct {
    _Atomic int64_t value;
    int before;
  } step;
  gannet_node *node = make();
  void *memory = NULL;
  node->meeting->crowded = crowded;
  assert_ok(gannet_node_share(node, (size_t)node->n * sizeof(step), (size_t)node->n * sizeof(step),
                              &memory));
  step *own = (step *)memory + node->node_rank;
  if (node->node_rank == 0) gannet_clock_sleep(0.02);
  own->before = node->node_rank + 10;
  if (node->node_rank > 0) {
    assert_int_equal(gannet_node_wait(node, &own[-1].value, 2), 3);
    own->before += own[-1].before;
  }
  atomic_store_explicit(&own->value, 3, memory_order_release);
  assert_int_equal(gannet_node_wait(node, &((step *)memory)[node->n - 1].value, 3), 3);
  int sum = 0;
  for (int i = 0; i < node->n; ++i) sum += i + 10;
  assert_int_equal(((step *)memory)[node->n - 1].before, sum);
  MPI_Barrier(node->comm);
  gannet_node_unshare(node, &memory);
  gannet_node_destroy(&node);
}

static void who_waits_sees_what_came_before(void **state) {
  (void)state;
  wait_in_turn(true);
  wait_in_turn(false);
}

static void *share(const gannet_node *node, size_t bytes, size_t cleared) {
  void *memory = NULL;
  assert_ok(gannet_node_share(node, bytes, cleared, &memory));
  assert_non_null(memory);
  return memory;
}

/* What was given up is taken again, cleared as far as that is wanted, unless it is much too large;
 * what is beyond the spare memory of a rank is not kept. */
static void memory_is_used_again(void **state) {
  (void)state;
  enum { SIZE = 100000, LARGE = 20 << 20 };
  gannet_node *node = make();
  char *first = share(node, SIZE, SIZE), *second = share(node, SIZE, 0);
  void *memory = first;
  assert_ptr_not_equal(first, second);
  MPI_Barrier(node->comm);
  if (node->node_rank == 0) memset(first, 7, SIZE);
  MPI_Barrier(node->comm);
  gannet_node_unshare(node, &memory);
  memory = share(node, SIZE / 3, 0);
  assert_ptr_not_equal(memory, first);
  gannet_node_unshare(node, &memory);
  memory = share(node, SIZE - 1000, 1000);
  assert_ptr_equal(memory, first);
  for (int i = 0; i < SIZE; ++i) assert_int_equal(first[i], i < 1000 ? 0 : 7);
  gannet_node_unshare(node, &memory);
  memory = second;
  gannet_node_unshare(node, &memory);
  memory = share(node, LARGE, 0);
  MPI_Barrier(node->comm);
  if (node->node_rank == 0) ((char *)memory)[LARGE - 1] = 1;
  gannet_node_unshare(node, &memory);
  memory = share(node, LARGE, 0);
  assert_int_equal(((char *)memory)[LARGE - 1], 0);
  gannet_node_unshare(node, &memory);
  gannet_node_destroy(&node);
}

static bool refuse_attaching;

/* In place of the library's. */
void *shmat(int number, const void *address, int flags) {
  errno = ENOMEM;
  return refuse_attaching ? (void *)-1 : (void *)syscall(SYS_shmat, number, address, flags);
}

/* What one rank could not have is nothing, and does not stay with the others as spare memory that
 * would be offered in vain ever after. */
static void what_one_rank_lacks_is_not_offered_again(void **state) {
  (void)state;
  enum { SIZE = 320000 };
  gannet_node *node = make();
  void *memory = NULL;
  refuse_attaching = node->node_rank == node->n - 1;
  assert_ok(gannet_node_share(node, SIZE, 0, &memory));
  refuse_attaching = false;
  assert_null(memory);
  for (int k = 0; k < 3; ++k) {
    memory = share(node, SIZE, 0);
    gannet_node_unshare(node, &memory);
  }
  gannet_node_destroy(&node);
}

/* Every rank raises the flag in its turn, and nobody misses it; what was written before is seen. */
static void who_meets_knows_of_flags(void **state) {
  (void)state;
  enum { TIMES = 20000 };
  gannet_node *node = make();
  int *number = share(node, (size_t)node->n * sizeof *number, (size_t)node->n * sizeof *number);
  for (int t = 0; t < TIMES; ++t) {
    const bool mine = t % 7 == node->node_rank;
    number[node->node_rank] = t;
    assert_true(gannet_node_barrier(node, mine) == (t % 7 < node->n));
    for (int r = 0; r < node->n; ++r) assert_int_equal(number[r], t);
    assert_false(gannet_node_barrier(node, false));
  }
  void *memory = number;
  gannet_node_unshare(node, &memory);
  gannet_node_destroy(&node);
}

static void an_error_of_one_rank_is_that_of_all(void **state) {
  (void)state;
  gannet_node *node = make();
  const int last = node->n - 1;
  assert_ok(gannet_node_agree(node, GANNET_OK));
  const gannet_err mine =
      node->node_rank == last ? GANNET_RAISE(GANNET_ERR_STATE, "on purpose") : GANNET_OK;
  assert_int_equal(gannet_node_agree(node, mine), GANNET_ERR_STATE);
  assert_non_null(strstr(gannet_error_message(), "on purpose"));
  gannet_error_clear();
  assert_ok(gannet_node_agree(node, GANNET_OK));
  gannet_node_destroy(&node);
}

static void without_memory_every_rank_is_a_node(void **state) {
  (void)state;
  int np = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  refuse = np > 1;
  gannet_node *node = make();
  assert_int_equal(node->n, 1);
  assert_int_equal(node->node_rank, 0);
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
  refuse = node->node_rank == 0;
  assert_ok(gannet_node_share(node, 100, 0, &memory));
  assert_null(memory);
  refuse = false;
  gannet_node_destroy(&node);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_see_what_others_write),
      cmocka_unit_test(numbers_past_the_caches_are_seen),
      cmocka_unit_test(pieces_are_apart),
      cmocka_unit_test(who_waits_sees_what_came_before),
      cmocka_unit_test(what_one_rank_lacks_is_not_offered_again),
      cmocka_unit_test(memory_is_used_again),
      cmocka_unit_test(who_meets_knows_of_flags),
      cmocka_unit_test(an_error_of_one_rank_is_that_of_all),
      cmocka_unit_test(without_memory_every_rank_is_a_node),
      cmocka_unit_test(later_refusals_give_nothing),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
