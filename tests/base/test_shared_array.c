/* test: ranks 1 2 3 labels unit */
/* Numbers that ranks make together, with memory to share and without. */
#include "support/harness.h"
#include "support/refuse.h"

#include "base/shared_array.h"

enum { N = 5000, ROUNDS = 50 };

static gannet_context *make_context(void) {
  gannet_context *context = NULL;
  assert_ok(gannet_context_create(MPI_COMM_WORLD, 1, &context));
  return context;
}

static double number(int round, int i) {
  return (round + 1) * 1e3 + i;
}

/* What one round made is gone in the next, in which others make it. */
static void make_and_read(const gannet_context *context, gannet_shared_array *array) {
  for (int round = 0; round < ROUNDS; ++round) {
    gannet_shared_array_begin(array);
    for (int i = 0; i < N; ++i)
      if ((i + round) % context->np == context->rank) array->values[i] = number(round, i);
    assert_ok(gannet_shared_array_complete(array));
    for (int i = 0; i < N; ++i) assert_true(array->values[i] == number(round, i));
  }
}

static void all_ranks_have_what_each_has_made(void **state) {
  (void)state;
  for (int refused = 0; refused < 2; ++refused) {
    gannet_context *context = make_context();
    gannet_shared_array array;
    refuse = refused && context->np > 1;
    assert_ok(gannet_shared_array_create(context, N, N, &array));
    refuse = false;
    assert_int_equal(array.shared, context->np > 1 && !refused);
    make_and_read(context, &array);
    gannet_shared_array_release(&array);
    assert_null(array.values);
    gannet_shared_array_release(&array);
    gannet_context_destroy(&context);
  }
}

/* A rank's own copy may be shorter. */
static void an_own_copy_has_its_own_length(void **state) {
  (void)state;
  gannet_context *context = make_context();
  gannet_shared_array array;
  refuse = context->np > 1;
  assert_ok(gannet_shared_array_create(context, 100 * N, N, &array));
  refuse = false;
  assert_int_equal(array.n, N);
  make_and_read(context, &array);
  gannet_shared_array_release(&array);
  gannet_context_destroy(&context);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_ranks_have_what_each_has_made),
      cmocka_unit_test(an_own_copy_has_its_own_length),
  };
  if (MPI_Init(&argc, &argv)) return 1;
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
