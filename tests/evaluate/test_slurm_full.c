/* test: ranks 1 2 labels unit timeout 60 processors 1 */
#include "standin.h"

/* A small file system in the place of a folder, or a larger one; false without the right to mount.
 */
static bool give_room_in(const standin *f, const char *place, const char *how) {
  char command[700];
  int failed = 0;
  (void)snprintf(command, sizeof command,
                 "mkdir -p '%s/%s' && mount -t tmpfs -o %s none '%s/%s' 2>/dev/null", f->directory,
                 place, how, f->directory, place);
  if (f->context->rank == 0) failed = system(command);
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return failed == 0;
}

static bool give_room(const standin *f, const char *how) {
  return give_room_in(f, "evals", how);
}

/* Leave nothing of that room. */
static void fill_up(const standin *f) {
  char command[700];
  (void)snprintf(command, sizeof command,
                 "cat /dev/zero >'%s/evals/mesh' 2>/dev/null || :", f->directory);
  conform_shell(command);
}

static int tear_down(void **state) {
  const standin *f = *state;
  char command[1000];
  (void)snprintf(command, sizeof command,
                 "rm -f '%s/crowded'; sleep 0.1; umount '%s/evals' '%s/slurm' 2>/dev/null || :",
                 f->directory, f->directory, f->directory);
  conform_shell(command);
  return standin_tear_down(state);
}

/* Poll until an error or a result comes. */
static gannet_err wait_for_end(gannet_evaluator *evaluator) {
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  gannet_err err = GANNET_OK;
  int n = 0;
  for (int i = 0; i < 100 && err == GANNET_OK && n == 0; ++i)
    err = gannet_evaluator_poll(evaluator, 0.2, 1, &n, &result);
  return err;
}

/* Jobs that fail because nothing can be written are no results: they are submitted again. */
static void jobs_that_fill_the_disk_are_made_again(void **state) {
  standin *f = *state;
  if (!give_room(f, "size=200k")) skip();
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f,
                 "#!/bin/sh\ndd if=/dev/zero of=mesh bs=1k count=300 || exit 1\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  assert_fails(GANNET_ERR_NO_SPACE, "make room and resume", wait_for_end(evaluator));
  gannet_evaluator_destroy(&evaluator);
  assert_true(give_room(f, "remount,size=4m"));
  evaluator = standin_create(f);
  double x[CONFORM_VARIABLES], constraint = 0;
  bool taken = true;
  gannet_request request = standin_request(1, 1, x);
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_false(taken);
  request = standin_request(1, 2, x);
  assert_ok(gannet_evaluator_submit(evaluator, 1, &request));
  gannet_result_record result = {.constraints = &constraint};
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) assert_true(exists(f->directory, "evals/000099/attempt-1"));
}

/* A simulation that ends when it is let go, and other lines before its result. */
#define WAITING_SIMULATION(more)                                                       \
  "#!/bin/sh\nuntil [ -e \"$GANNET_INPUT_DIRECTORY/go\" ]; do sleep 0.05; done\n" more \
  "printf 'objective 2\\nstress 1\\n' >results.out\n"

/* While it waits, there is no result. */
static void poll_in_vain(gannet_evaluator *evaluator, int times, double wait) {
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  int n = 0;
  for (int i = 0; i < times; ++i) {
    assert_ok(gannet_evaluator_poll(evaluator, wait, 1, &n, &result));
    assert_int_equal(n, 0);
  }
}

static void let_go_and_collect(standin *f, gannet_evaluator *evaluator) {
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  mischief(f, "go", "");
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
}

/* A job that SLURM does not list may run on: while the disk is full it is neither forgotten nor
 * made again. */
static void a_job_in_question_is_not_forgotten(void **state) {
  standin *f = *state;
  if (!give_room(f, "size=4m")) skip();
  use_simulation(f, WAITING_SIMULATION("rm -f \"$GANNET_INPUT_DIRECTORY/evals/mesh\"\n"));
  mischief(f, "squeue.lose", "");
  mischief(f, "sacct.off", "");
  mischief(f, "scontrol.off", "");
  f->options.grace = 60;
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  poll_in_vain(evaluator, 10, 0.1);
  fill_up(f);
  poll_in_vain(evaluator, 10, 0.2);
  let_go_and_collect(f, evaluator);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* Others take what room there is, also that of a file which is emptied to be written again. */
static void keep_full(const standin *f) {
  char command[700];
  (void)snprintf(command, sizeof command,
                 "cd '%s' && : >crowded && (while [ -e crowded ]; do cat /dev/zero >>slurm/others; "
                 "sleep 0.002; done) >/dev/null 2>&1 & sleep 0.2",
                 f->directory);
  conform_shell(command);
}

/* squeue ends well though nothing of its list could be written: the jobs in it are not lost. */
static void a_list_without_room_loses_no_jobs(void **state) {
  standin *f = *state;
  if (!give_room_in(f, "slurm", "size=200k")) skip();
  use_simulation(f, WAITING_SIMULATION(""));
  mischief(f, "sacct.off", "");
  f->options.grace = 0.5;
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  poll_in_vain(evaluator, 5, 0.2);
  keep_full(f);
  poll_in_vain(evaluator, 20, 0.2);
  let_go_and_collect(f, evaluator);
  if (f->context->rank > 0) return;
  assert_int_equal(calls_of(f, "scancel"), 0);
  assert_non_null(strstr(f->log, "squeue: no room for its answer in '"));
}

/* ... nor is one submitted again whose number sbatch could not write down. */
static void an_answer_of_sbatch_without_room_is_looked_for(void **state) {
  standin *f = *state;
  if (!give_room_in(f, "slurm", "size=200k")) skip();
  use_simulation(f, WAITING_SIMULATION(""));
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  keep_full(f);
  poll_in_vain(evaluator, 20, 0.2);
  let_go_and_collect(f, evaluator);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(jobs_that_fill_the_disk_are_made_again),
      TEST(a_job_in_question_is_not_forgotten),
      TEST(a_list_without_room_loses_no_jobs),
      TEST(an_answer_of_sbatch_without_room_is_looked_for),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
