/* test: ranks 1 2 3 labels unit timeout 240 */
/* Moments and their gradients by the ranks of a node together: the bits are those of one rank. */
#include <math.h>
#include <petscsys.h>

#include "support/harness.h"
#include "surrogate/created.h"

#include "base/node.h"
#include "surrogate/factor.h"
#include "surrogate/surrogate.h"

enum { D = 3, SHORT = 40, LONG = GANNET_FACTOR_NODE_ROWS + 37, MOST = 11 };

typedef struct {
  double mean[MOST], sd[MOST], by_mean[MOST * D], by_sd[MOST * D];
} moments;

static gannet_context *world;
static double x[LONG * D], y[LONG], query[MOST * D];

static gannet_surrogate *fitted(const char *name, int n) {
  const gannet_data data = {n, x, y, NAN};
  gannet_surrogate *s = surrogate_named(world, name, D, 0, NULL);
  assert_ok(gannet_surrogate_fit(s, &data, false, 0));
  return s;
}

static void assert_same(const moments *a, const moments *b, int m) {
  const size_t size = sizeof(double) * (size_t)m;
  assert_memory_equal(a->mean, b->mean, size);
  assert_memory_equal(a->sd, b->sd, size);
  assert_memory_equal(a->by_mean, b->by_mean, size * D);
  assert_memory_equal(a->by_sd, b->by_sd, size * D);
}

static void compare(const gannet_surrogate *s) {
  gannet_shared_buffer *board = NULL;
  if (!world->node) return;
  assert_ok(gannet_shared_buffer_create(world->node, gannet_surrogate_node_buffer_length(D, MOST),
                                        &board));
  for (int m = 1; m <= MOST; ++m) {
    moments alone, together;
    assert_ok(gannet_surrogate_predict_gradients(s, m, query, alone.mean, alone.sd, alone.by_mean,
                                                 alone.by_sd));
    assert_ok(gannet_surrogate_predict_gradients_on_node(
        s, board, m, query, together.mean, together.sd, together.by_mean, together.by_sd));
    assert_same(&alone, &together, m);
  }
  gannet_shared_buffer_destroy(&board);
}

/* Where ranks have a processor each, models with long histories gain by it. */
static void long_histories_are_worked_together(void **state) {
  (void)state;
  const char *names[] = {"gp", "tangent-kernel"};
  for (int i = 0; i < 2; ++i) {
    gannet_surrogate *s = fitted(names[i], LONG);
    if (world->node) {
      const bool crowded = world->node->meeting->crowded;
      world->node->meeting->crowded = true;
      assert_false(gannet_surrogate_gains_on_node(s));
      world->node->meeting->crowded = false;
      assert_true(gannet_surrogate_gains_on_node(s));
      compare(s);
      world->node->meeting->crowded = crowded;
    } else {
      assert_false(gannet_surrogate_gains_on_node(s));
    }
    gannet_surrogate_destroy(&s);
  }
}

static void short_ones_and_other_models_are_not(void **state) {
  (void)state;
  const char *names[] = {"gp", "tangent-kernel", "forest", "linear-head"};
  for (int i = 0; i < 4; ++i) {
    gannet_surrogate *s = fitted(names[i], SHORT);
    assert_false(gannet_surrogate_gains_on_node(s));
    compare(s);
    gannet_surrogate_destroy(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_histories_are_worked_together),
      cmocka_unit_test(short_ones_and_other_models_are_not),
  };
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  int failed = 1;
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 5, 9}, 0, LONG * D, x);
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 6, 9}, 0, MOST * D, query);
  for (int i = 0; i < LONG; ++i) y[i] = sin(4 * x[i * D]) + x[i * D + 1] * x[i * D + 2] - 0.6;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &world) == GANNET_OK) failed = run_ranks(tests);
  gannet_context_destroy(&world);
  PetscFinalize();
  return failed;
}
