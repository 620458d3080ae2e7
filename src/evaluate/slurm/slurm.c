/* Simulations as jobs of SLURM: rank 0 submits and monitors them, all ranks get the results. */
#include "evaluate/slurm/slurm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/backends.h"

#define AT(member) .offset = offsetof(gannet_slurm_options, member)

static const char *const when_stopped[] = {"leave", "cancel", NULL};
static const char *const submit_as[] = {"job", "array", NULL};

static const gannet_option options[] = {
    GANNET_COMMAND_OPTIONS,
    {.key = "script",
     .type = GANNET_TEXT,
     AT(script),
     .help = "your own job script instead of command, submitted with its placeholders replaced; it "
             "must write results.out in its working directory",
     .example = "job.sh"},
    {.key = "sbatch",
     .type = GANNET_TEXT_LIST,
     AT(sbatch),
     .help = "options for the job script that gannet writes if there is no script; each becomes a "
             "line #SBATCH",
     .example = "[\"--partition=short\", \"--ntasks=8\"]"},
    {.key = "submit",
     .type = GANNET_CHOICE,
     AT(submit),
     .fallback = "job",
     .choices = submit_as,
     .help = "job: one job for every evaluation, or for every runs_per_job of them; array: points "
             "that are proposed together are submitted together, with one call of sbatch"},
    {.key = "runs_per_job",
     .type = GANNET_INTEGER,
     AT(runs_per_job),
     .fallback = "1",
     .lower = 1,
     .upper = 10000,
     .help = "evaluations in one job, or in one element of an array, for runs that are short "
             "compared with the time a job waits",
     .example = "10",
     .unit = "evaluations"},
    {.key = "runs_at_once",
     .type = GANNET_INTEGER,
     AT(runs_at_once),
     .fallback = "1",
     .lower = 1,
     .upper = 10000,
     .help = "how many of runs_per_job run at the same time, each as a step of the job",
     .example = "5",
     .unit = "evaluations"},
    {.key = "step",
     .type = GANNET_TEXT_LIST,
     AT(step),
     .help = "command that starts a run if runs_at_once is above 1, instead of srun --exact "
             "--nodes=1 --ntasks=1 with the job's --cpus-per-task; [env] for commands that begin "
             "with srun themselves",
     .example = "[srun, --exact, --ntasks=1, --cpus-per-task=4]"},
    {.key = "array_size",
     .type = GANNET_INTEGER,
     AT(array_size),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 4000000,
     .help =
         "largest number of elements of one array; auto = what the cluster allows (MaxArraySize)",
     .example = "1000",
     .unit = "jobs"},
    {.key = "array_throttle",
     .type = GANNET_INTEGER,
     AT(array_throttle),
     .fallback = "0",
     .lower = 0,
     .upper = 4000000,
     .help = "largest number of elements of one array that run at the same time (--array=...%N); 0 "
             "= no limit",
     .unit = "jobs"},
    {.key = "poll_interval",
     .type = GANNET_DURATION,
     AT(poll_interval),
     .fallback = "15s",
     .lower = 0.05,
     .upper = 3600,
     .unit = "s",
     .help = "time between two calls of squeue for all jobs; up to four times as long while "
             "nothing happens, and up to sixteen times while it does not answer"},
    {.key = "grace",
     .type = GANNET_DURATION,
     AT(grace),
     .fallback = "5m",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long a job may be unknown to SLURM before it counts as lost, which is bad luck"},
    {.key = "patience",
     .type = GANNET_DURATION,
     AT(patience),
     .fallback = "6h",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long sbatch is repeated if it refuses a job because of limits or because the "
             "scheduler is down, and how long results may be unreadable, before the campaign "
             "stops, to be resumed"},
    {.key = "when_stopped",
     .type = GANNET_CHOICE,
     AT(when_stopped),
     .fallback = "leave",
     .choices = when_stopped,
     .help = "what happens to jobs when the campaign is stopped: leave them for gannet run "
             "--resume, or cancel them"},
    {.key = "command_timeout",
     .type = GANNET_DURATION,
     AT(commands.timeout),
     .fallback = "30s",
     .lower = 0.1,
     .upper = 3600,
     .unit = "s",
     .help = "how long one call of a SLURM command may take"},
    {.key = "sbatch_command",
     .type = GANNET_TEXT,
     AT(commands.sbatch),
     .fallback = "sbatch",
     .help = "program that submits jobs"},
    {.key = "squeue_command",
     .type = GANNET_TEXT,
     AT(commands.squeue),
     .fallback = "squeue",
     .help = "program that lists jobs"},
    {.key = "scancel_command",
     .type = GANNET_TEXT,
     AT(commands.scancel),
     .fallback = "scancel",
     .help = "program that cancels jobs"},
    {.key = "sacct_command",
     .type = GANNET_TEXT,
     AT(commands.sacct),
     .fallback = "sacct",
     .help = "program that reports how jobs ended; it need not exist"},
    {.key = "scontrol_command",
     .type = GANNET_TEXT,
     AT(commands.scontrol),
     .fallback = "scontrol",
     .help = "program that reports on one job; it need not exist"},
    {0}};

static gannet_err set_up_jobs(const gannet_slurm_options *slurm_options,
                              const gannet_evaluator_setup *setup, gannet_slurm_jobs *made) {
  made->options = slurm_options;
  made->context = setup->context;
  made->campaign = setup->name ? setup->name : "gannet";
  made->time_limit = setup->time_limit;
  made->list_pause = slurm_options->poll_interval;
  made->program.starts_jobs = slurm_options->runs_at_once == 1;
  GANNET_TRY(gannet_program_create(&made->options->command, setup, &made->program));
  if (setup->resources) {
    gannet_complaints known = {0}; /* check has complained */
    const gannet_err err =
        gannet_needs_create(setup->resources, setup->problem, &known, &made->needs);
    gannet_complaints_release(&known);
    GANNET_TRY(err);
    made->program.needs = &made->needs;
  }
  made->program.contract.durable = true;
  if (made->options->script && *made->options->script)
    GANNET_TRY(gannet_placeholder_uses_add_file(made->program.uses, &made->program.contract,
                                                GANNET_IN_SCRIPT, made->options->script));
  GANNET_TRY(gannet_result_queue_create(setup->problem, &made->ready));
  made->launcher = setup->launcher;
  if (!made->launcher) {
    made->own_launcher = true;
    GANNET_TRY(gannet_launcher_start(&made->launcher));
  }
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(setup->campaign, "slurm", path, sizeof path));
  GANNET_TRY(gannet_make_lasting_directory(path));
  if (!realpath(path, made->directory)) return gannet_raise_errno("find", path);
  GANNET_TRY(gannet_join_path(setup->campaign, "STOP", made->stop_file, sizeof made->stop_file));
  return gannet_slurm_client_create(&made->options->commands, made->launcher, setup->campaign,
                                    made->program.input_directory, &made->client);
}

static void destroy(void *worker) {
  gannet_slurm_jobs *old = worker;
  gannet_slurm_client_destroy(&old->client);
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  gannet_program_release(&old->program);
  gannet_needs_release(&old->needs);
  gannet_free(&old->jobs);
  for (int i = 0; i < old->n_submissions; ++i)
    gannet_slurm_submission_release(&old->submissions[i]);
  gannet_free(&old->submissions);
  gannet_result_queue_release(&old->ready);
  gannet_free(&old);
}

/* Only prepare the submissions: sbatch is called while results are waited for, so that a busy
 * scheduler does not hold up the campaign. */
static gannet_err submit(void *worker, int n, const gannet_request *requests) {
  return gannet_slurm_pack(worker, n, requests);
}

/* Return after a call that was broken off because gannet is to end: the next one could hang as
 * long. */
static gannet_err wait_for(void *worker, double wait) {
  gannet_slurm_jobs *jobs = worker;
  const double until = gannet_clock_seconds() + wait;
  for (;;) {
    GANNET_TRY(gannet_slurm_monitor(jobs, until));
    const double left = until - gannet_clock_seconds();
    if (jobs->ready.n > 0 || jobs->n == 0 || left <= 0) return GANNET_OK;
    if (gannet_program_is_stopped(&jobs->program)) return GANNET_OK;
    gannet_clock_sleep(fmin(left, 0.05));
  }
}

/* Forget the attempts of jobs that this process has cancelled: that is no bad luck, and a later
 * process begins them anew, like jobs that were never submitted.
 *
 * ended  in  [jobs->n] whether there was an outcome before scancel was called
 */
static gannet_err forget_cancelled(gannet_slurm_jobs *jobs, const bool *ended) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  const gannet_err err = gannet_slurm_client_list(jobs->client, &list, &how);
  for (int i = 0; i < jobs->n && err == GANNET_OK && how == GANNET_SLURM_CALL_DONE; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (!job->known.job[0] || ended[i]) continue;
    const gannet_slurm_job_key key = gannet_slurm_key_of(job);
    const gannet_slurm_row *row = gannet_slurm_list_find(&list, &key);
    if (!row) continue; /* nobody knows: it may have ended by itself, and is to be classified */
    const gannet_slurm_state *state = gannet_slurm_state_find(row->state);
    if (!gannet_slurm_has_ended(state) || state->what == GANNET_SLURM_BAD_LUCK)
      gannet_attempt_forget(job->attempt.directory);
  }
  gannet_slurm_list_release(&list);
  return err;
}

/* Cancel the jobs of all evaluations, also those whose submission is uncertain. */
static gannet_err cancel_all(gannet_slurm_jobs *jobs) {
  gannet_slurm_job_key *key = NULL;
  bool *ended = NULL;
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)jobs->n_submissions, sizeof *key, &key));
  gannet_err err = gannet_alloc((size_t)jobs->n + 1, sizeof *ended, &ended);
  for (int i = 0; i < jobs->n_submissions && err == GANNET_OK; ++i) {
    gannet_slurm_submission *submission = jobs->submissions[i];
    if (submission->n_open == 0) continue;
    if (submission->stage == GANNET_SLURM_UNCERTAIN)
      err = gannet_slurm_search_queue(jobs, submission);
    if (submission->job[0]) key[n++] = (gannet_slurm_job_key){submission->job, submission->name};
  }
  for (int i = 0; i < jobs->n && err == GANNET_OK; ++i) {
    gannet_launch_event event;
    ended[i] = gannet_contract_find_outcome(jobs->jobs[i].attempt.directory,
                                            jobs->jobs[i].attempt.nonce, &event, NULL) &&
               event.signal == 0;
  }
  if (err == GANNET_OK) err = gannet_slurm_client_cancel(jobs->client, n, key, &how);
  if (err == GANNET_OK && how != GANNET_SLURM_CALL_DONE)
    gannet_log(jobs->context, GANNET_LOG_WARNING, "scancel: %s; jobs may keep running",
               gannet_slurm_client_said(jobs->client));
  if (err == GANNET_OK && how == GANNET_SLURM_CALL_DONE && n > 0)
    err = forget_cancelled(jobs, ended);
  gannet_free(&ended);
  gannet_free(&key);
  return err;
}

static gannet_err cancel(void *worker) {
  gannet_slurm_jobs *jobs = worker;
  gannet_err err = GANNET_OK;
  int submitted = 0;
  for (int i = 0; i < jobs->n; ++i)
    submitted += jobs->jobs[i].submission->stage != GANNET_SLURM_TO_SUBMIT;
  if (jobs->options->when_stopped == GANNET_SLURM_CANCEL)
    err = cancel_all(jobs);
  else if (submitted > 0)
    gannet_log(jobs->context, GANNET_LOG_INFO,
               "%d evaluations are left to SLURM; `gannet run --resume` takes their results",
               submitted);
  gannet_slurm_forget_failures(jobs);
  jobs->n = 0;
  for (int i = 0; i < jobs->n_submissions; ++i) jobs->submissions[i]->n_open = 0;
  gannet_slurm_free_ended(jobs);
  return err;
}

static gannet_err withdraw(void *worker, int64_t id) {
  gannet_slurm_jobs *jobs = worker;
  for (int i = 0; i < jobs->n; ++i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    if (job->attempt.id != id) continue;
    gannet_err err = GANNET_OK;
    if (job->submission->stage == GANNET_SLURM_UNCERTAIN)
      err = gannet_slurm_search_queue(jobs, job->submission);
    if (err == GANNET_OK && access(job->attempt.directory, F_OK) == 0)
      err = gannet_slurm_cancel_attempt(jobs, job);
    gannet_slurm_remove_job(jobs, job);
    gannet_slurm_free_ended(jobs);
    return err;
  }
  return GANNET_OK;
}

static gannet_err recover(void *worker, const gannet_request *request, bool *taken) {
  return gannet_slurm_recover(worker, request, taken);
}

static bool all_submitted(const void *worker) {
  return gannet_slurm_all_submitted(worker);
}

static gannet_err detach(void *worker, const gannet_follow_up *next) {
  return gannet_slurm_detach(worker, next);
}

static gannet_result_queue *ready_of(void *worker) {
  return &((gannet_slurm_jobs *)worker)->ready;
}

static const gannet_root_evaluator_type root_evaluator = {.destroy = destroy,
                                                          .submit = submit,
                                                          .wait = wait_for,
                                                          .cancel = cancel,
                                                          .withdraw = withdraw,
                                                          .recover = recover,
                                                          .ready = ready_of,
                                                          .all_submitted = all_submitted,
                                                          .detach = detach};

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  gannet_slurm_jobs *jobs = NULL;
  gannet_err local = GANNET_OK;
  if (setup->context->rank == 0) local = gannet_alloc(1, sizeof *jobs, &jobs);
  if (jobs) local = set_up_jobs(given, setup, jobs);
  return gannet_root_evaluator_create(&root_evaluator, setup, local, jobs, state);
}

const gannet_evaluator_type gannet_evaluator_slurm = {
    .name = "slurm",
    .summary = "SLURM jobs or job arrays, which gannet submits and watches",
    .options = options,
    .options_size = sizeof(gannet_slurm_options),
    .check = gannet_slurm_check,
    .create = create,
    .destroy = gannet_root_evaluator_destroy,
    .submit = gannet_root_evaluator_submit,
    .poll = gannet_root_evaluator_poll,
    .cancel = gannet_root_evaluator_cancel,
    .withdraw = gannet_root_evaluator_withdraw,
    .recover = gannet_root_evaluator_recover,
    .all_submitted = gannet_root_evaluator_all_submitted,
    .detach = gannet_root_evaluator_detach,
};
