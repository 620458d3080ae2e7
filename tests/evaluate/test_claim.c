/* test: serial labels unit */
/* Nodes of an allocation are claimed by one gannet at a time, also when several begin and end at
 * the same moment. */
#include "evaluate/places/claim.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "support/folder.h"

enum { NODES = 4, ROUNDS = 200 };

/* Claim one node as the gannet on it, and give it back; what an exit code tells. */
static int claim_one(int here) {
  gannet_node nodes[NODES] = {0};
  gannet_inventory inventory = {.job = "3", .n_nodes = NODES, .node = nodes};
  gannet_claim claim;
  for (int i = 0; i < NODES; ++i) {
    (void)snprintf(nodes[i].host, sizeof nodes[i].host, "n%d", i + 1);
    nodes[i].is_here = i == here;
  }
  const gannet_err err = gannet_claim_make(&inventory, false, true, "own.campaign", &claim);
  if (err != GANNET_OK) (void)fprintf(stderr, "%s\n", gannet_error_message());
  gannet_clock_sleep(0.002);
  gannet_claim_release(&claim);
  return err == GANNET_OK ? 0 : 1;
}

/* All of them wait until the pipe is closed, which is the start. */
static void gannets_on_different_nodes_do_not_meet(void **state) {
  (void)state;
  int start[2], status, refused = 0, left = 0;
  char none;
  assert_int_equal(setenv("HOME", in_folder("."), 1), 0);
  assert_int_equal(setenv("TMPDIR", in_folder("."), 1), 0);
  assert_int_equal(setenv("SLURM_CLUSTER_NAME", "here", 1), 0);
  for (int round = 0; round < ROUNDS; ++round) {
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < NODES; ++i) {
      const pid_t child = fork();
      assert_true(child >= 0);
      if (child > 0) continue;
      (void)close(start[1]);
      (void)!read(start[0], &none, 1);
      _exit(claim_one(i));
    }
    (void)close(start[0]);
    (void)close(start[1]);
    for (int i = 0; i < NODES; ++i) {
      assert_true(wait(&status) > 0);
      refused += status != 0;
    }
    left += exists(in_folder(".gannet-places-here-3"));
  }
  assert_int_equal(refused, 0);
  assert_int_equal(left, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gannets_on_different_nodes_do_not_meet)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
