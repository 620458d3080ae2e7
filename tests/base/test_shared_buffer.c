/* test: ranks 1 2 3 labels unit */
/* What ranks of a node publish to each other. */
#include <string.h>

#include "support/harness.h"
#include "support/refuse.h"

#include "base/shared_buffer.h"

static gannet_node *node;

/* Of an odd length, and much faster than ranks would notice if they read what is being written. */
static void what_is_shown_is_seen_by_all(void **state) {
  (void)state;
  enum { LENGTH = 13, TIMES = 5000 };
  gannet_shared_buffer *buffer = NULL;
  assert_ok(gannet_shared_buffer_create(node, LENGTH, &buffer));
  assert_ptr_equal(gannet_shared_buffer_node(buffer), node);
  for (int time = 0; time < TIMES; ++time) {
    double *own = gannet_shared_buffer_own(buffer);
    for (int i = 0; i < LENGTH; ++i) own[i] = 1e6 * node->node_rank + 100.0 * time + i;
    assert_ok(gannet_shared_buffer_publish(buffer, GANNET_OK));
    for (int place = 0; place < node->n; ++place)
      for (int i = 0; i < LENGTH; ++i)
        assert_true(gannet_shared_buffer_of(buffer, place)[i] == 1e6 * place + 100.0 * time + i);
  }
  gannet_shared_buffer_destroy(&buffer);
  assert_null(buffer);
  gannet_shared_buffer_destroy(&buffer);
}

static void who_fails_lets_all_know(void **state) {
  (void)state;
  gannet_shared_buffer *buffer = NULL;
  assert_ok(gannet_shared_buffer_create(node, 1, &buffer));
  for (int fails = 0; fails < node->n; ++fails) {
    const gannet_err own =
        node->node_rank == fails ? GANNET_RAISE(GANNET_ERR_NUMERIC, "on purpose") : GANNET_OK;
    assert_fails(GANNET_ERR_NUMERIC, "on purpose", gannet_shared_buffer_publish(buffer, own));
    *gannet_shared_buffer_own(buffer) = node->node_rank;
    assert_ok(gannet_shared_buffer_publish(buffer, GANNET_OK));
    assert_true(*gannet_shared_buffer_of(buffer, fails) == fails);
  }
  gannet_shared_buffer_destroy(&buffer);
}

/* Which is no error. */
static void without_memory_there_is_none(void **state) {
  (void)state;
  gannet_shared_buffer *buffer = NULL;
  refuse_from = 0;
  assert_ok(gannet_shared_buffer_create(node, 1 << 20, &buffer));
  refuse_from = SIZE_MAX;
  assert_null(buffer);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_shown_is_seen_by_all),
      cmocka_unit_test(who_fails_lets_all_know),
      cmocka_unit_test(without_memory_there_is_none),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  if (gannet_node_create(MPI_COMM_WORLD, &node) != GANNET_OK) return 1;
  const int failed = run_ranks(tests);
  gannet_node_destroy(&node);
  MPI_Finalize();
  return failed;
}
