/* test: ranks 1 2 labels unit timeout 120 processors 1 */
/* A SLURM that was set up anew gives numbers a second time: what has the number of a job of ours is
 * then somebody else's, and its name says so. */
#include "standin_arrays.h"

static const char slow[] = "#!/bin/sh\nsleep 60\n";

/* The jobs that these patterns of the shell mean become another's, in this state. */
static void give_away(const standin *f, const char *jobs, const char *condition) {
  char command[600];
  (void)snprintf(command, sizeof command,
                 "cd '%s/jobs' && for job in %s; do echo other-000001-0123456789abcdef >$job/name;"
                 " echo %s >$job/state; done",
                 f->directory, jobs, condition);
  conform_shell(command);
}

static void is_in_state(const standin *f, const char *job, const char *expected) {
  char path[64];
  (void)snprintf(path, sizeof path, "jobs/%s/state", job);
  if (f->context->rank == 0) assert_string_equal(content(f->directory, path), expected);
}

/* A job writes its results before it ends, and then its state. */
static void await_end(const standin *f, const char *job) {
  char path[64];
  (void)snprintf(path, sizeof path, "jobs/%s/state", job);
  for (int i = 0; i < 2000 && f->context->rank == 0; ++i) {
    if (strcmp(content(f->directory, path), "COMPLETED\n") == 0) break;
    gannet_clock_sleep(0.01);
  }
  is_in_state(f, job, "COMPLETED\n");
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Until squeue was asked n more times. */
static void poll_lists(standin *f, gannet_evaluator *evaluator, int n) {
  double constraint = 0;
  int got = 0, more = 1;
  gannet_result_record none = {.constraints = &constraint};
  const int before = calls_of(f, "squeue");
  while (more) {
    assert_ok(gannet_evaluator_poll(evaluator, 0.1, 1, &got, &none));
    assert_int_equal(got, 0);
    more = calls_of(f, "squeue") < before + n;
    assert_int_equal(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  }
}

/* listed = of this user; else only sacct and scontrol know it. */
static void lose_to_another(standin *f, const char *condition, bool listed, bool accounted) {
  double constraint = 0;
  char state[40];
  gannet_result_record result = {.constraints = &constraint};
  mischief(f, "node.hold", "");
  use_simulation(f, slow);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  poll_lists(f, evaluator, 1);
  give_away(f, "1", condition);
  if (!listed) mischief(f, "squeue.lose", "");
  if (!accounted) mischief(f, "sacct.off", "");
  conform_collect(evaluator, 1, &result);
  failed_with(&result, true, "lost: SLURM has given the number 1 of its job to another one");
  (void)snprintf(state, sizeof state, "%s\n", condition);
  is_in_state(f, "1", state);
  gannet_evaluator_destroy(&evaluator);
  is_in_state(f, "1", state);
  if (f->context->rank == 0)
    assert_non_null(strstr(f->log,
                           "job 1 is 'other-000001-0123456789abcdef' by now, not "
                           "'a_campaign_of_mine-000099-"));
}

static void a_listed_job_of_another_name_is_not_ours(void **state) {
  lose_to_another(*state, "RUNNING", true, true);
}

static void the_end_of_another_s_job_is_not_the_end_of_ours(void **state) {
  lose_to_another(*state, "COMPLETED", true, true);
}

static void accounting_tells_of_another_s_job(void **state) {
  lose_to_another(*state, "CANCELLED", false, true);
}

static void the_controller_tells_of_another_s_job(void **state) {
  lose_to_another(*state, "RUNNING", false, false);
}

/* What ran to its end before counts all the same. */
static void results_count_whoever_has_the_number(void **state) {
  standin *f = *state;
  double constraint = 0;
  gannet_result_record result = {.constraints = &constraint};
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  standin_submit(evaluator, 1, 1);
  conform_collect(evaluator, 1, &result);
  gannet_evaluator_destroy(&evaluator);
  await_end(f, "1");
  give_away(f, "1", "RUNNING");
  evaluator = standin_create(f); /* of a process that had not read the result */
  double x[CONFORM_VARIABLES];
  bool taken = false;
  const gannet_request request = standin_request(1, 1, x);
  assert_ok(gannet_evaluator_recover(evaluator, &request, &taken));
  assert_true(taken);
  conform_collect(evaluator, 1, &result);
  is_done(&result);
  gannet_evaluator_destroy(&evaluator);
  is_in_state(f, "1", "RUNNING\n");
}

/* mischief_file  in  makes squeue misbehave while all is cancelled; NULL = none */
static void stop_among_others(standin *f, const char *mischief_file, const char *text) {
  mischief(f, "node.hold", "");
  use_simulation(f, slow);
  f->options.grace = 60;
  gannet_evaluator *evaluator = standin_create(f);
  for (int i = 0; i < 3; ++i) standin_submit(evaluator, i, 1);
  poll_lists(f, evaluator, 4); /* a busy machine makes one call of sbatch between two of squeue */
  give_away(f, "2", "RUNNING");
  if (mischief_file) mischief(f, mischief_file, text);
  gannet_evaluator_destroy(&evaluator);
  is_in_state(f, "1", "CANCELLED\n");
  is_in_state(f, "2", "RUNNING\n");
  is_in_state(f, "3", "CANCELLED\n");
}

static void a_stop_cancels_only_our_own(void **state) {
  stop_among_others(*state, NULL, NULL);
}

static void a_stop_without_a_list_cancels_only_our_own(void **state) {
  stop_among_others(*state, "squeue.fail", "100\n");
}

static void elements_are_known_by_name_too(void **state) {
  standin *f = *state;
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  mischief(f, "node.hold", "");
  use_simulation(f, slow);
  f->options.grace = 60;
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  poll_lists(f, evaluator, 1);
  give_away(f, "1_*", "PENDING");
  poll_lists(f, evaluator, 1);
  gannet_evaluator_destroy(&evaluator);
  is_in_state(f, "1_0", "PENDING\n");
  is_in_state(f, "1_3", "PENDING\n");
}

static void nothing_waits_for_another_s_job(void **state) {
  standin *f = *state;
  mischief(f, "node.hold", "");
  mischief(f, "next.sh", "#!/bin/sh\n");
  use_simulation(f, slow);
  f->options.grace = 60;
  f->options.when_stopped = GANNET_SLURM_LEAVE;
  gannet_evaluator *evaluator = standin_create(f);
  for (int i = 0; i < 2; ++i) standin_submit(evaluator, i, 1);
  poll_lists(f, evaluator, 1);
  give_away(f, "1", "RUNNING");
  poll_lists(f, evaluator, 1);
  char script[400];
  (void)snprintf(script, sizeof script, "%s/next.sh", f->directory);
  const gannet_follow_up next = {script, "campaign.yaml", f->directory, false, NULL};
  assert_ok(gannet_evaluator_detach(evaluator, &next));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0)
    assert_non_null(strstr(content(f->directory, "calls"), "--dependency=afterany:2 "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(a_listed_job_of_another_name_is_not_ours),
      TEST(the_end_of_another_s_job_is_not_the_end_of_ours),
      TEST(accounting_tells_of_another_s_job),
      TEST(the_controller_tells_of_another_s_job),
      TEST(results_count_whoever_has_the_number),
      TEST(a_stop_cancels_only_our_own),
      TEST(a_stop_without_a_list_cancels_only_our_own),
      TEST(elements_are_known_by_name_too),
      TEST(nothing_waits_for_another_s_job),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
