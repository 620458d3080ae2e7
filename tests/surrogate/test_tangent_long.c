/* test: ranks 1 2 3 labels unit timeout 240 */
/* Histories that are long enough for ranks to share the factor, its solves and the features: the
 * bits are those of one rank. */
#include <math.h>
#include <mpi.h>

#include "support/harness.h"
#include "support/refuse.h"
#include "surrogate/created.h"

#include "base/hash.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

enum { D = 2, MOST = 700, QUERIES = 70, Q = 3 };

static gannet_context *world, *self;
static double x[MOST * D], y[MOST];

static gannet_surrogate *make(const gannet_context *context) {
  const gannet_setting settings[] = {{.key = "fit_evaluations", .text = "4"},
                                     {.key = "width", .text = "32"}};
  return surrogate_named(context, "tangent-kernel", D, 2, settings);
}

static uint64_t digest(gannet_surrogate *s, int64_t iteration) {
  static double query[QUERIES * D], all[(2 + Q) * QUERIES];
  double scale = 0;
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 7, 9}, 0, QUERIES * D, query);
  assert_ok(gannet_surrogate_predict(s, QUERIES, query, all, all + QUERIES));
  assert_ok(gannet_surrogate_sample(s, Q, 1, iteration));
  assert_ok(gannet_surrogate_draw_values(s, QUERIES, query, all + 2 * QUERIES, QUERIES));
  assert_ok(gannet_surrogate_calibration(s, &scale));
  return gannet_hash(all, sizeof all) ^ gannet_hash(&scale, sizeof scale);
}

/* Over and under the numbers from which on work is shared, with rows that stand for results to
 * come, and learning at times. */
static void run(const gannet_context *context, uint64_t *digests) {
  const int sizes[] = {400, 530, 538, 690, 520, 500, 515, 640};
  gannet_surrogate *s = make(context);
  for (int k = 0; k < 8; ++k) {
    const gannet_data data = {sizes[k], x, y, NAN, NULL}, more = {sizes[k] + 6, x, y, NAN, NULL};
    assert_ok(gannet_surrogate_fit(s, &data, k % 4 == 3, k));
    digests[2 * k] = digest(s, k);
    assert_ok(gannet_surrogate_fantasize(s, &more, 6, k));
    digests[2 * k + 1] = digest(s, k);
  }
  gannet_surrogate_destroy(&s);
}

static void compare(void) {
  uint64_t alone[16], together[16];
  run(self, alone);
  run(world, together);
  assert_memory_equal(alone, together, sizeof alone);
  assert_ok(gannet_same(world->comm, together, sizeof together, "digests"));
}

static void ranks_do_not_matter(void **state) {
  (void)state;
  compare();
}

static void nor_does_memory_that_they_cannot_share(void **state) {
  (void)state;
  refuse = true;
  compare();
  refuse = false;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_do_not_matter),
      cmocka_unit_test(nor_does_memory_that_they_cannot_share),
  };
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  int failed = 1;
  gannet_random_uniform((gannet_stream){1, GANNET_FOR_TEST, 5, 9}, 0, MOST * D, x);
  for (int i = 0; i < MOST; ++i) y[i] = sin(4 * x[i * D]) + x[i * D + 1] * x[i * D + 1] - 0.6;
  if (gannet_context_create(MPI_COMM_WORLD, 5, &world) == GANNET_OK &&
      gannet_context_create(MPI_COMM_SELF, 5, &self) == GANNET_OK)
    failed = run_ranks(tests);
  gannet_context_destroy(&self);
  gannet_context_destroy(&world);
  (void)MPI_Finalize();
  return failed;
}
