/* test: ranks 2 labels unit conform timeout 240 processors 1 */
/* How evaluations are packed into arrays and jobs of several runs, and how these end. */
#include "standin_arrays.h"

/* users-ask 16 (EngiBench #107): the limit of the site for arrays is found out and kept. */
static void arrays_conform(void **state) {
  standin *f = *state;
  use_bowl(f);
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  mischief(f, "scontrol.array", "3\n");
  conform_evaluator(slurm_type(), &f->options, &f->setup);
  if (f->context->rank > 0) return;
  assert_int_equal(calls_of(f, "sbatch"), 3 + 1); /* 3 + 3 + 1 elements, then one alone */
  assert_non_null(strstr(content(f->directory, "calls"), "--array=0-2 "));
  assert_true(exists(f->directory, "jobs/1_2/exit") && !exists(f->directory, "jobs/1_3"));
}

static void bundles_conform(void **state) {
  standin *f = *state;
  use_bowl(f);
  use_arrays(f, GANNET_SLURM_JOBS, 3, 2);
  conform_evaluator(slurm_type(), &f->options, &f->setup);
  if (f->context->rank == 0) assert_null(strstr(content(f->directory, "calls"), "--array="));
}

static void arrays_of_bundles_conform(void **state) {
  standin *f = *state;
  use_bowl(f);
  use_arrays(f, GANNET_SLURM_ARRAYS, 2, 1);
  f->options.array_throttle = 2;
  conform_evaluator(slurm_type(), &f->options, &f->setup);
  if (f->context->rank == 0)
    assert_non_null(strstr(content(f->directory, "calls"), "--array=0-3%2 "));
}

/* Each element is known by its own id, so that its state and scancel are its own. */
static void elements_have_states_of_their_own(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f,
                 "#!/bin/sh\n[ $GANNET_EVAL_ID != 99 ] || exec \"$GANNET_INPUT_DIRECTORY/scancel\" "
                 "\"1_$SLURM_ARRAY_TASK_ID\"\n"
                 "[ $GANNET_EVAL_ID != 98 ] || exit 3\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  is_done(result_of(&all, 100));
  is_done(result_of(&all, 97));
  failed_with(result_of(&all, 99), true, "SLURM ended the job: CANCELLED");
  failed_with(result_of(&all, 98), false, "exit code 3");
  assert_string_equal(result_of(&all, 97)->run.job, "1_3");
}

/* A user's script is run with its own environment, and its #SBATCH lines hold for the array. */
static void scripts_of_ones_own_are_packed_too(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_ARRAYS, 2, 1);
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl",
           "#!/bin/sh\n#SBATCH --ntasks=3\n\n"
           ": not ours\n#SBATCH --begin=tomorrow\n"
           "echo \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
           "test \"$GANNET_EVAL_ID\" = {id} || exit 9\n"
           "printf 'objective 2\\nstress 1\\n' >\"$GANNET_RESULTS\"\n"
           "exit $(({id} == 98))\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  for (int64_t id = 97; id <= 100; ++id)
    if (id != 98) is_done(result_of(&all, id));
  failed_with(result_of(&all, 98), false, "exit code 1");
  assert_runs(f, RUNS);
  if (f->context->rank > 0) return;
  assert_non_null(strstr(content(f->directory, "jobs/1_0/script"), "\n#SBATCH --ntasks=3\n"));
  assert_null(strstr(content(f->directory, "jobs/1_0/script"), "tomorrow"));
  assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* sbatch would take another --error from the lines #SBATCH, although a warning says it does not. */
static void errors_of_an_element_stand_in_its_log(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_ARRAYS, 1, 1);
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_non_null(strstr(content(f->directory, "calls"),
                         " --output=%a.log --open-mode=append --error=%a.log "));
}

/* As when the campaign was moved while its jobs waited. */
static void a_bundle_that_a_node_cannot_begin_tells_why(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  f->options.script = TEXT("job.tmpl");
  mischief(f, "job.tmpl", "#!/bin/sh\n");
  mischief(f, "squeue.why", "JobLaunchFailure\n");
  mischief(f, "squeue.state", "FAILED\n");
  mischief(f, "node.hold", "");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  for (int64_t id = 97; id <= 100; ++id)
    failed_with(result_of(&all, id), true, "SLURM could not begin the job (JobLaunchFailure)");
}

/* What had ended before the job died counts; what had not is bad luck. */
static void a_bundle_that_dies_midway_keeps_what_it_finished(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  use_simulation(f,
                 "#!/bin/sh\necho \"$GANNET_NONCE\" >>\"$GANNET_INPUT_DIRECTORY/runs\"\n"
                 "[ $GANNET_EVAL_ID != 98 ] || \"$GANNET_INPUT_DIRECTORY/scancel\" 1\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  is_done(result_of(&all, 100));
  is_done(result_of(&all, 99));
  failed_with(result_of(&all, 98), true, "SLURM ended the job: CANCELLED");
  failed_with(result_of(&all, 97), true, "SLURM ended the job: CANCELLED");
  assert_runs(f, 3);
  gannet_evaluator_destroy(&evaluator);
}

/* ... also a failure long before, which the end of the job has nothing to do with. */
static void a_bundle_that_dies_midway_keeps_what_failed(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  use_simulation(
      f,
      "#!/bin/sh\n[ $GANNET_EVAL_ID != 99 ] || exit 3\n"
      "[ $GANNET_EVAL_ID != 98 ] || { sleep 4; \"$GANNET_INPUT_DIRECTORY/scancel\" 1; }\n"
      "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  is_done(result_of(&all, 100));
  failed_with(result_of(&all, 99), false, "exit code 3");
  failed_with(result_of(&all, 98), true, "SLURM ended the job: CANCELLED");
  gannet_evaluator_destroy(&evaluator);
}

/* A preemption ends the steps of a job, each of which then has an exit code, and no further one
 * begins: none of them counts as an attempt. */
static void steps_of_a_preempted_bundle_are_begun_anew(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  f->options.grace = 10;
  use_simulation(f,
                 "#!/bin/sh\n[ $GANNET_EVAL_ID != 99 ] || "
                 "echo PREEMPTED >\"$GANNET_INPUT_DIRECTORY/jobs/1/state\"\n"
                 "[ $GANNET_EVAL_ID = 100 ] || exit 1\n"
                 "printf 'objective 2\\nstress 1\\n' >results.out\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  is_done(result_of(&all, 100));
  for (int64_t id = 97; id < 100; ++id) {
    assert_int_equal(result_of(&all, id)->status, GANNET_EVAL_PENDING);
    assert_string_equal(result_of(&all, id)->run.reason, "");
  }
  gannet_evaluator_destroy(&evaluator);
}

/* ... and may put the job back into the queue, for longer than the grace. */
static void steps_of_a_requeued_bundle_are_not_judged(void **state) {
  standin *f = *state;
  collection all = {0};
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  use_simulation(f,
                 "#!/bin/sh\ncd \"$GANNET_INPUT_DIRECTORY\"\n"
                 "if [ $GANNET_EVAL_ID = 99 ] && [ ! -e again ]; then\n"
                 "  : >node.hold; : >again; echo PENDING >jobs/1/state\n"
                 "  (sleep 4; rm node.hold) >/dev/null 2>&1 &\n"
                 "fi\n"
                 "[ ! -e node.hold ] || exit 1\n"
                 "printf 'objective 2\\nstress 1\\n' >\"$GANNET_RESULTS\"\n");
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  for (int64_t id = 97; id <= 100; ++id) is_done(result_of(&all, id));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank == 0) assert_int_equal(calls_of(f, "sbatch"), 1);
}

/* A job that SLURM puts back into the queue does not repeat what had succeeded. */
static void a_requeued_job_repeats_only_what_it_must(void **state) {
  standin *f = *state;
  collection all = {0};
  char command[900];
  use_arrays(f, GANNET_SLURM_JOBS, RUNS, 1);
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  submit_all(evaluator, RUNS, 1);
  collect(evaluator, RUNS, &all);
  gannet_evaluator_destroy(&evaluator);
  assert_runs(f, RUNS);
  (void)snprintf(command, sizeof command,
                 "cd '%s' && rm evals/000099/outcome.json && "
                 "SLURM_RESTART_COUNT=1 sh slurm/*/job.sh && "
                 "cd evals/000100 && SLURM_RESTART_COUNT=1 sh ./job.sh",
                 f->directory);
  conform_shell(command);
  assert_runs(f, RUNS + 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Complaints: Ax #3247. */
static void results_that_come_slowly_are_waited_for(void **state) {
  standin *f = *state;
  f->options.grace = 10;
  const gannet_result_record result = standin_run(
      f, "#!/bin/sh\n(sleep 1; printf 'objective 2\\nstress 1\\n' >results.out) &\nexit 0\n");
  is_done(&result);
}

/* Complaints: webknossos-libs #1483. */
static void steps_get_the_processors_of_a_task(void **state) {
  standin *f = *state;
  double x[2][CONFORM_VARIABLES];
  use_arrays(f, GANNET_SLURM_JOBS, 2, 2);
  f->options.step.n = 0;
  use_simulation(f, good);
  gannet_evaluator *evaluator = standin_create(f);
  const gannet_request requests[] = {standin_request(0, 1, x[0]), standin_request(1, 1, x[1])};
  assert_ok(gannet_evaluator_submit(evaluator, 2, requests));
  gannet_evaluator_destroy(&evaluator);
  if (f->context->rank > 0) return;
  assert_non_null(
      strstr(content(f->directory, "slurm/a_campaign_of_mine-000100-0000000000000410/job.sh"),
             "srun --exact --nodes=1 --ntasks=1 --cpus-per-task=\"${SLURM_CPUS_PER_TASK:-1}\" "
             "$gannet_memory '/"));
}

static void settings_that_cannot_be_meant_are_told(void **state) {
  standin *f = *state;
  gannet_complaints complaints = {0};
  char *step[] = {TEXT("srun")};
  use_simulation(f, good);
  use_arrays(f, GANNET_SLURM_JOBS, 2, 3);
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_fails(GANNET_ERR_INPUT, "evaluate.runs_at_once", gannet_complaints_raise(&complaints));
  gannet_complaints_release(&complaints);
  use_arrays(f, GANNET_SLURM_JOBS, 2, 1);
  f->options.step = (gannet_text_list){1, step};
  assert_ok(gannet_evaluator_check(slurm_type(), &f->options, &f->setup, &complaints));
  assert_fails(GANNET_ERR_INPUT, "evaluate.step", gannet_complaints_raise(&complaints));
  gannet_complaints_release(&complaints);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, standin_set_up, standin_tear_down)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      TEST(arrays_conform),
      TEST(bundles_conform),
      TEST(arrays_of_bundles_conform),
      TEST(elements_have_states_of_their_own),
      TEST(scripts_of_ones_own_are_packed_too),
      TEST(errors_of_an_element_stand_in_its_log),
      TEST(a_bundle_that_a_node_cannot_begin_tells_why),
      TEST(a_bundle_that_dies_midway_keeps_what_it_finished),
      TEST(a_bundle_that_dies_midway_keeps_what_failed),
      TEST(steps_of_a_preempted_bundle_are_begun_anew),
      TEST(steps_of_a_requeued_bundle_are_not_judged),
      TEST(a_requeued_job_repeats_only_what_it_must),
      TEST(results_that_come_slowly_are_waited_for),
      TEST(steps_get_the_processors_of_a_task),
      TEST(settings_that_cannot_be_meant_are_told),
  };
  MPI_Init(&argc, &argv);
  const int failed = run_ranks(tests);
  MPI_Finalize();
  return failed;
}
