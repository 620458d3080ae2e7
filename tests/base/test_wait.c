/* test: serial labels unit */
/* A wait that is longer than an int can count: some hours, here in seconds, as the processor is not
 * given away. */
#include <limits.h>
#include <sched.h>

#include "support/harness.h"

#include "base/node.h"

/* Only the sanitiser sees that a count no longer fits its type. */
#ifdef __SANITIZE_ADDRESS__
static const int64_t longest = (int64_t)INT_MAX + 100000;
#else
static const int64_t longest = 100000000;
#endif

static _Atomic int64_t value;
static int64_t n_yields, n_probes;

/* In place of the system's: the value is raised after so many looks. */
int sched_yield(void) {
  if (++n_yields == longest) value = 1;
  return 0;
}

/* In place of MPI's. */
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
  (void)source, (void)tag, (void)comm, (void)status;
  ++n_probes;
  *found = 0;
  return MPI_SUCCESS;
}

static void who_waits_long_still_gives_way(void **state) {
  (void)state;
  gannet_meeting meeting = {.crowded = true};
  const gannet_node node = {.n = 2, .meeting = &meeting};
  assert_int_equal(gannet_node_wait(&node, &value, 1), 1);
  assert_true(n_probes > n_yields / 1000); /* some of the looks go to MPI */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_waits_long_still_gives_way),
  };
  return run_serial(tests);
}
