/* What rank 0 keeps about its jobs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/slurm/slurm.h"

static gannet_err prepare(gannet_slurm_jobs *made, const gannet_evaluator_setup *setup) {
  GANNET_TRY(gannet_program_create(&made->options->command, setup, &made->program));
  made->program.contract.durable = true;
  if (made->options->script && *made->options->script)
    GANNET_TRY(gannet_placeholder_uses_add_file(made->program.uses, &made->program.contract,
                                                GANNET_IN_SCRIPT, made->options->script));
  GANNET_TRY(gannet_result_queue_create(setup->problem->spec.n_constraints, &made->ready));
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

gannet_err gannet_slurm_jobs_create(const gannet_slurm_options *options,
                                    const gannet_evaluator_setup *setup, gannet_slurm_jobs **jobs) {
  GANNET_TRY(gannet_alloc(1, sizeof **jobs, jobs));
  gannet_slurm_jobs *made = *jobs;
  made->options = options;
  made->context = setup->context;
  made->campaign = setup->name ? setup->name : "gannet";
  made->time_limit = setup->time_limit;
  made->list_pause = options->poll_interval;
  return prepare(made, setup);
}

static void destroy(void *worker) {
  gannet_slurm_jobs *old = worker;
  gannet_slurm_client_destroy(&old->client);
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  gannet_program_release(&old->program);
  gannet_free(&old->jobs);
  for (int i = 0; i < old->n_submissions; ++i)
    gannet_slurm_submission_release(&old->submissions[i]);
  gannet_free(&old->submissions);
  gannet_result_queue_release(&old->ready);
  gannet_free(&old);
}

gannet_err gannet_slurm_add_job(gannet_slurm_jobs *jobs, const gannet_request *request,
                                gannet_slurm_job **job) {
  if (jobs->n == jobs->capacity) {
    const int larger = 2 * jobs->capacity + 8;
    GANNET_TRY(
        gannet_resize((size_t)jobs->capacity, (size_t)larger, sizeof *jobs->jobs, &jobs->jobs));
    jobs->capacity = larger;
  }
  gannet_slurm_job *made = &jobs->jobs[jobs->n];
  memset(made, 0, sizeof *made);
  made->seed = request->seed;
  made->element = -1;
  made->known.exit_code = made->known.signal = -1;
  made->state = gannet_slurm_state_find("");
  made->unread_since = made->missing_since = made->ended_since = NAN;
  made->running_since = made->started = NAN;
  made->outcome_since = made->put_back = made->stuck_since = NAN;
  *job = made;
  return gannet_attempt_begin(&jobs->program, request, jobs->jobs, jobs->n, sizeof *made,
                              &made->attempt);
}

void gannet_slurm_look_for_outcome(gannet_slurm_job *job) {
  job->has_outcome = gannet_contract_find_outcome(job->attempt.directory, job->attempt.nonce,
                                                  &job->outcome, job->host);
  job->not_begun[0] = '\0';
  if (job->has_outcome && job->outcome.exit_code == GANNET_SLURM_NOT_BEGUN)
    (void)gannet_contract_is_not_begun(job->attempt.directory, job->attempt.nonce, job->not_begun,
                                       sizeof job->not_begun);
  if (job->has_outcome && job->outcome.exit_code != 0 && job->outcome.started == job->put_back)
    job->has_outcome = false;
}

/* Only prepares: sbatch is called while results are waited for, so that a busy scheduler does not
 * hold up the campaign. */
static gannet_err submit(void *worker, int n, const gannet_request *requests) {
  return gannet_slurm_pack(worker, n, requests);
}

/* Not beyond a call that was broken off because gannet is to end: the next could hang as long. */
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

static bool has_outcome(const gannet_slurm_job *job) {
  gannet_launch_event event;
  return gannet_contract_find_outcome(job->attempt.directory, job->attempt.nonce, &event, NULL) &&
         event.signal == 0;
}

/* Whether a job without an outcome that scancel was told of had ended by itself, so that it is to
 * be classified. */
static bool has_its_own_end(const gannet_slurm_job *job, const gannet_slurm_list *list) {
  const gannet_slurm_job_key key = gannet_slurm_key_of(job);
  const gannet_slurm_row *row = gannet_slurm_list_find(list, &key);
  if (!row) return true; /* nobody knows */
  const gannet_slurm_state *state = gannet_slurm_state_find(row->state);
  return gannet_slurm_has_ended(state) && state->what != GANNET_SLURM_BAD_LUCK;
}

/* What this process ended is no bad luck: a later one begins it anew, as what was never submitted.
 *
 * ended  in  [jobs->n] had an outcome before, which is not one that scancel led to
 */
static gannet_err forget_cancelled(gannet_slurm_jobs *jobs, const bool *ended) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  const gannet_err err = gannet_slurm_client_list(jobs->client, &list, &how);
  for (int i = 0; i < jobs->n && err == GANNET_OK && how == GANNET_SLURM_CALL_DONE; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (job->known.job[0] && !ended[i] && !has_its_own_end(job, &list))
      gannet_attempt_forget(job->attempt.directory);
  }
  gannet_slurm_list_release(&list);
  return err;
}

/* The jobs of everything in the table, also those that may have an id. */
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
  for (int i = 0; i < jobs->n && err == GANNET_OK; ++i) ended[i] = has_outcome(&jobs->jobs[i]);
  if (err == GANNET_OK) err = gannet_slurm_client_cancel(jobs->client, n, key, &how);
  if (err == GANNET_OK && how != GANNET_SLURM_CALL_DONE)
    gannet_log(jobs->context, GANNET_LOG_WARNING, "scancel: %s; jobs may go on running",
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

static bool has_results(const char *directory) {
  char path[PATH_MAX];
  return gannet_join_path(directory, "results.out", path, sizeof path) == GANNET_OK &&
         access(path, F_OK) == 0;
}

/* Without a slot in its attempt.json, as earlier versions left those of arrays, it takes a free
 * one. */
static void recall(gannet_slurm_job *job) {
  const int free_slot = job->attempt.slot;
  gannet_attempt_recall(&job->attempt);
  if (job->attempt.slot < 0) job->attempt.slot = free_slot;
}

/* A job of an earlier process: its result when it is complete, else the job itself, wherever it is
 * by now. Only what was certainly never submitted is left to be submitted again. */
static gannet_err recover(void *worker, const gannet_request *request, bool *taken) {
  gannet_slurm_jobs *jobs = worker;
  gannet_slurm_job *job = NULL;
  char id[GANNET_SLURM_ID];
  GANNET_TRY(gannet_slurm_add_job(jobs, request, &job));
  recall(job);
  GANNET_TRY(gannet_attempt_check_files(job->attempt.directory));
  if (!gannet_attempt_has_nonce(job->attempt.directory, request->nonce, id, sizeof id))
    return GANNET_OK; /* nothing was written, so nothing was submitted */
  GANNET_TRY(gannet_slurm_restore_submission(jobs, job, id));
  gannet_slurm_look_for_outcome(job);
  job->submission->n_open += 1;
  jobs->n += 1;
  if (job->has_outcome && job->outcome.exit_code == 0) {
    *taken = true;
    return gannet_slurm_end_classified(jobs, job);
  }
  if (job->submission->stage == GANNET_SLURM_UNCERTAIN)
    GANNET_TRY(gannet_slurm_search_queue(jobs, job->submission));
  *taken = job->submission->stage != GANNET_SLURM_NEVER_TAKEN;
  if (*taken) return GANNET_OK;
  if (job->has_outcome) {
    *taken = true; /* it ran, and SLURM has forgotten it since */
    return gannet_slurm_end_classified(jobs, job);
  }
  if (has_results(job->attempt.directory)) {
    GANNET_TRY(gannet_slurm_take_results(jobs, job, taken));
  }
  gannet_slurm_remove_job(jobs, job); /* the last one: it is not moved */
  return GANNET_OK;
}

static bool all_submitted(const void *worker) {
  return gannet_slurm_all_submitted(worker);
}

static gannet_err leave(void *worker, const gannet_follow_up *next) {
  return gannet_slurm_detach(worker, next);
}

static gannet_result_queue *ready_of(void *worker) {
  return &((gannet_slurm_jobs *)worker)->ready;
}

const gannet_root_evaluator_type gannet_slurm_root_evaluator = {.destroy = destroy,
                                                                .submit = submit,
                                                                .wait = wait_for,
                                                                .cancel = cancel,
                                                                .recover = recover,
                                                                .ready = ready_of,
                                                                .all_submitted = all_submitted,
                                                                .leave = leave};
