/* What a job left in the directory of its evaluation, and how that becomes a result.
 *
 * The script of a job leaves two things: the link job.running, which names the job that has begun
 * the attempt, its owner; and outcome.json, which says how the attempt ended. When that is written,
 * the link is removed. What the simulation itself left counts most, then why the scheduler ended
 * the job, then the exit code.
 *
 * A job that SLURM ended for reasons of its own (a preemption, a node that failed) leaves a third
 * thing, written by gannet: job.interrupted, with the state of the job. Its evaluation is submitted
 * again without counting as an attempt, as often as the files of its earlier attempts allow.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/result_record.h"
#include "evaluate/slurm/slurm.h"

enum {
  MOST_NOT_BEGUN = 3 /* jobs of an evaluation in a row that do not start its simulation before that
                        counts as bad luck */
};

/* States in which a job ends whatever its simulation does, and how many jobs of an evaluation may
 * end so without counting as attempts. A preemption is a decision of the scheduler, and may be
 * frequent. A node may also have failed because of the simulation that ran on it. */
static const struct {
  const char *state;
  int most;
} interruptions[] = {{"PREEMPTED", 20}, {"NODE_FAIL", 3}, {"BOOT_FAIL", 3}, {"RECONFIG_FAIL", 3}};

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

bool gannet_slurm_has_owner(const char *directory) {
  char path[PATH_MAX];
  struct stat about;
  (void)snprintf(path, sizeof path, "%.4000s/job.running", directory);
  return lstat(path, &about) == 0;
}

void gannet_slurm_read_owner(const char *directory, char *id) {
  char path[PATH_MAX];
  id[0] = '\0';
  if (gannet_join_path(directory, "job.running", path, sizeof path) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  const ssize_t size = readlink(path, id, GANNET_SLURM_ID - 1);
  id[size > 0 ? size : 0] = '\0';
  if (!isdigit((unsigned char)id[0]) || id[strspn(id, "0123456789_")]) id[0] = '\0';
}

bool gannet_slurm_follow_owner(gannet_slurm_jobs *jobs, gannet_slurm_job *job) {
  char owner[GANNET_SLURM_ID];
  gannet_slurm_read_owner(job->attempt.directory, owner);
  if (!owner[0] || strcmp(owner, job->known.job) == 0) return false;
  gannet_log(jobs->context, GANNET_LOG_INFO,
             "evaluation %lld: job %s found that job %s has begun this attempt, and did nothing; "
             "the result is that of job %s",
             (long long)job->attempt.id, job->known.job, owner, owner);
  job->known = (gannet_slurm_row){.exit_code = -1, .signal = -1};
  (void)snprintf(job->known.job, sizeof job->known.job, "%s", owner);
  if (job->submission->is_single)
    (void)snprintf(job->submission->job, sizeof job->submission->job, "%s", owner);
  job->state = gannet_slurm_state_find("");
  job->missing_since = job->ended_since = job->running_since = NAN;
  job->explained = job->needs_only_time = false;
  job->absent = 0;
  return true;
}

static void begin_result(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                         gannet_result_record *result) {
  gannet_result_queue_begin(&jobs->ready, result);
  gannet_attempt_identify(&job->attempt, result);
}

/* Add a result, with the host and the number of its job, which the classification of processes
 * cannot know. A result that is pending, because of a stop, is not added: a later process finds it.
 */
static gannet_err add_result(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                             gannet_result_record *result) {
  const char *host = job->has_outcome && job->host[0] ? job->host : job->known.nodes;
  if (result->status == GANNET_EVAL_PENDING) return GANNET_OK;
  memset(result->run.host, 0, sizeof result->run.host);
  (void)snprintf(result->run.host, sizeof result->run.host, "%s", host[0] ? host : "unknown");
  (void)snprintf(result->run.job, sizeof result->run.job, "%s", job->known.job);
  if (!job->has_outcome) {
    result->run.started = job->started;
    result->run.ended = gannet_clock_epoch();
  }
  return gannet_result_queue_add(&jobs->ready, result);
}

static void fail_by_scheduler(const gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                              bool retry, const char *reason, gannet_result_record *result) {
  if (gannet_contract_says_cannot_run(jobs->program.contract.problem, job->attempt.directory,
                                      result))
    return;
  gannet_contract_fail(job->attempt.directory, retry, reason, result);
  const bool late =
      job->is_over_limit || (job->state && job->state->what == GANNET_SLURM_TIME_LIMIT);
  result->run.failure = late ? GANNET_FAILURE_TIME : GANNET_FAILURE_SCHEDULER;
  result->run.crashed = late;
}

gannet_err gannet_slurm_fail(gannet_slurm_jobs *jobs, const gannet_slurm_job *job, bool retry,
                             const char *reason) {
  gannet_result_record result;
  begin_result(jobs, job, &result);
  fail_by_scheduler(jobs, job, retry, reason, &result);
  return add_result(jobs, job, &result);
}

gannet_err gannet_slurm_give_back(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                  const char *reason) {
  gannet_result_record result;
  begin_result(jobs, job, &result);
  result.status = GANNET_EVAL_PENDING;
  result.run.failure = GANNET_FAILURE_LAUNCH;
  (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
  return gannet_result_queue_add(&jobs->ready, &result);
}

gannet_err gannet_slurm_give_back_all(gannet_slurm_jobs *jobs,
                                      const gannet_slurm_submission *submission,
                                      const char *reason) {
  for (int i = jobs->n - 1; i >= 0; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission != submission) continue;
    if (submission->stage == GANNET_SLURM_TO_SUBMIT) gannet_attempt_forget(job->attempt.directory);
    GANNET_TRY(gannet_slurm_give_back(jobs, job, reason));
    gannet_slurm_remove_job(jobs, job);
  }
  return GANNET_OK;
}

/* The end of a job as the launcher would tell it of a process that ended so. */
static gannet_launch_event end_of(const gannet_slurm_job *job) {
  gannet_launch_event event;
  if (job->has_outcome) return job->outcome;
  memset(&event, 0, sizeof event);
  event.type = GANNET_LAUNCH_ENDED;
  event.started = job->started;
  event.ended = gannet_clock_epoch();
  if (job->state->what == GANNET_SLURM_COMPLETED) return event;
  event.exit_code = job->known.exit_code;
  event.signal = job->known.signal > 0 ? job->known.signal : 0;
  if (event.signal) event.exit_code = -1;
  return event;
}

/* SLURM 22.05 says JobLaunchFailure also of every script that a signal ended, and signal 53 where
 * there was no signal. */
bool gannet_slurm_is_never_begun(const gannet_slurm_job *job) {
  enum { NOT_BEGUN = 53 };
  if (job->has_outcome || job->state->what != GANNET_SLURM_FAILED) return false;
  if (job->known.signal > 0) return job->known.exit_code == 0 && job->known.signal == NOT_BEGUN;
  return strcmp(job->known.why, "JobLaunchFailure") == 0;
}

/* How many attempts before this one, in a row, did not start the simulation either. */
static int times_not_begun(const gannet_slurm_job *job) {
  char name[32], directory[PATH_MAX], why[160], id[GANNET_SLURM_ID];
  gannet_launch_event event;
  int n = 0;
  for (int attempt = job->attempt.number - 1; attempt > 0; --attempt, ++n) {
    (void)snprintf(name, sizeof name, "attempt-%d", attempt);
    if (gannet_join_path(job->attempt.directory, name, directory, sizeof directory) != GANNET_OK)
      break;
    const uint64_t nonce = gannet_attempt_nonce(directory, id, sizeof id);
    if (nonce == 0) break;
    const bool ended = gannet_contract_find_outcome(directory, nonce, &event, NULL);
    if (ended ? !gannet_contract_is_not_begun(directory, nonce, why, sizeof why)
              : gannet_slurm_has_owner(directory))
      break;
  }
  gannet_error_clear();
  return n;
}

/* Whether the script did not start the simulation, because something that it needs was missing or
 * broken. */
static bool is_not_begun(const gannet_slurm_job *job, const char **why) {
  *why = job->not_begun;
  if (job->not_begun[0] || job->has_outcome) return job->not_begun[0] != '\0';
  *why = "its script could not enter the directory of the evaluation, or write there";
  if (job->state->what != GANNET_SLURM_FAILED || job->known.exit_code != GANNET_SLURM_NOT_BEGUN)
    return false;
  return !gannet_slurm_has_owner(job->attempt.directory);
}

/* Classify a job. A run that SLURM suspends does not stop the clock of its time limit, which then
 * ends the run when it goes on: that is no fault of the design. */
static gannet_err classify_job(const gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                               gannet_result_record *result) {
  char reason[240];
  const char *why = NULL;
  const gannet_launch_event event = end_of(job);
  if (is_not_begun(job, &why)) {
    (void)snprintf(reason, sizeof reason, "the job did not start the simulation: %s", why);
    fail_by_scheduler(jobs, job, true, reason, result);
    return GANNET_OK;
  }
  if (gannet_slurm_is_never_begun(job)) {
    fail_by_scheduler(
        jobs, job, true,
        "SLURM could not begin the job (JobLaunchFailure): its directory or the files of its "
        "output cannot be opened on the node, or the campaign was moved while the job waited",
        result);
    return GANNET_OK;
  }
  if (job->was_suspended && job->has_outcome && job->outcome.limit) {
    (void)snprintf(reason, sizeof reason,
                   "time limit of %g s reached, but SLURM had suspended the job meanwhile",
                   jobs->time_limit);
    fail_by_scheduler(jobs, job, true, reason, result);
    return GANNET_OK;
  }
  /* What ends a job ends the steps of its runs first, which then have exit codes of their own; one
   * that had failed before was classified after the grace. */
  const bool well = job->has_outcome && job->outcome.exit_code == 0;
  const bool late = job->state->what == GANNET_SLURM_TIME_LIMIT;
  if (!well && (late || job->state->what == GANNET_SLURM_BAD_LUCK)) {
    const bool retry = !late || gannet_slurm_is_shared(job); /* which was too slow, nobody knows */
    (void)snprintf(reason, sizeof reason, "%sSLURM ended the job: %s",
                   late ? "time limit reached: " : "", job->state->name);
    fail_by_scheduler(jobs, job, retry, reason, result);
    return GANNET_OK;
  }
  if (event.exit_code < 0 && event.signal == 0 && !event.limit) {
    fail_by_scheduler(jobs, job, false, "SLURM says FAILED, with an unknown exit code", result);
    return GANNET_OK;
  }
  return gannet_classify_outcome(jobs->program.contract.problem, &jobs->program.rules,
                                 job->attempt.directory, &event, result);
}

bool gannet_slurm_was_interrupted(const char *directory, const char *state) {
  char path[PATH_MAX], *text = NULL;
  if (gannet_join_path(directory, "job.interrupted", path, sizeof path) != GANNET_OK ||
      gannet_file_read(path, &text, NULL) != GANNET_OK)
    gannet_error_clear();
  if (text) text[strcspn(text, "\n")] = '\0';
  const bool was = text && (!state || strcmp(text, state) == 0);
  gannet_free(&text);
  return was;
}

/* Whether SLURM has interrupted the job, and has not done that too often to this evaluation. Notes
 * the interruption in the directory of the attempt, where those that follow find it; one that
 * cannot be noted counts, or they would have no end. One that counts is not noted: a process that
 * is ended before it has journaled the result classifies the job again. */
static bool is_interrupted(const gannet_slurm_job *job, const gannet_result_record *result) {
  char name[32], path[PATH_MAX], text[GANNET_SLURM_WORD + 2];
  const char *state = job->state->name;
  int most = 0, before = 0;
  for (size_t i = 0; i < sizeof interruptions / sizeof *interruptions; ++i)
    if (strcmp(state, interruptions[i].state) == 0) most = interruptions[i].most;
  if (most == 0 || result->status != GANNET_EVAL_FAILED || !result->retry ||
      result->run.failure != GANNET_FAILURE_SCHEDULER)
    return false;
  for (int attempt = 1; attempt < job->attempt.number; ++attempt) {
    (void)snprintf(name, sizeof name, "attempt-%d", attempt);
    if (gannet_join_path(job->attempt.directory, name, path, sizeof path) == GANNET_OK)
      before += gannet_slurm_was_interrupted(path, state);
  }
  if (before >= most) return false;
  const int size = snprintf(text, sizeof text, "%s\n", state);
  const bool is_noted =
      gannet_join_path(job->attempt.directory, "job.interrupted", path, sizeof path) == GANNET_OK &&
      gannet_file_put(path, text, (size_t)size) == GANNET_OK;
  gannet_error_clear();
  return is_noted;
}

/* Read what a job has left again at the next look, as it cannot be read for now, until patience is
 * over. Then the loop gets the evaluation back, and a resume finds the job by its files. */
static gannet_err wait_to_read(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                               gannet_result_record *result, bool *is_over) {
  *is_over = !gannet_attempt_reads_again(jobs->context, &job->attempt, result->run.reason,
                                         jobs->options->patience);
  return *is_over ? gannet_result_queue_add(&jobs->ready, result) : GANNET_OK;
}

/* Add the result of a job that ended, or give its evaluation back.
 *
 * is_over  out  false when its results are to be read again
 */
static gannet_err add_classified(gannet_slurm_jobs *jobs, gannet_slurm_job *job, bool *is_over) {
  gannet_result_record result;
  const char *why = NULL;
  begin_result(jobs, job, &result);
  *is_over = true;
  GANNET_TRY(classify_job(jobs, job, &result));
  if (gannet_contract_is_unread(&result)) return wait_to_read(jobs, job, &result, is_over);
  GANNET_TRY(gannet_contract_check_space(job->attempt.directory, &result));
  const char *const node = job->host[0]          ? job->host
                           : job->known.nodes[0] ? job->known.nodes
                                                 : "an unknown node";
  if (is_not_begun(job, &why)) {
    if (times_not_begun(job) >= MOST_NOT_BEGUN) return add_result(jobs, job, &result);
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "evaluation %lld: job %s on %s did not start the simulation: %s; the evaluation is "
               "submitted again, and that does not count as an attempt",
               (long long)job->attempt.id, job->known.job, node, why);
  } else if (is_interrupted(job, &result)) {
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "evaluation %lld: SLURM ended job %s on %s: %s; the evaluation is submitted again, "
               "and that does not count as an attempt",
               (long long)job->attempt.id, job->known.job, node, job->state->name);
  } else {
    return add_result(jobs, job, &result);
  }
  return gannet_slurm_give_back(jobs, job, "");
}

gannet_err gannet_slurm_classify(gannet_slurm_jobs *jobs, gannet_slurm_job *job) {
  bool is_over = true;
  const gannet_err err = add_classified(jobs, job, &is_over);
  if (is_over) gannet_slurm_remove_job(jobs, job);
  return err;
}

gannet_err gannet_slurm_wait_for_files(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                                       bool *unread) {
  gannet_result_record result;
  bool is_over = false;
  gannet_err err = gannet_attempt_check_files(job->attempt.directory, true);
  *unread = err != GANNET_OK;
  if (!*unread) return GANNET_OK;
  begin_result(jobs, job, &result);
  gannet_result_fail(&result, false, "%s", gannet_error_detail());
  result.status = GANNET_EVAL_PENDING;
  gannet_error_clear();
  err = wait_to_read(jobs, job, &result, &is_over);
  if (is_over) gannet_slurm_remove_job(jobs, job);
  return err;
}

/* A failure means here only that there are no complete results yet. The job may run on; therefore
 * its directory is neither checked for space nor forgotten. */
gannet_err gannet_slurm_take_results(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                     bool *done) {
  gannet_result_record result;
  const gannet_launch_event well = {
      .type = GANNET_LAUNCH_ENDED, .started = job->started, .ended = gannet_clock_epoch()};
  begin_result(jobs, job, &result);
  GANNET_TRY(gannet_classify_outcome(jobs->program.contract.problem, &jobs->program.rules,
                                     job->attempt.directory,
                                     job->has_outcome ? &job->outcome : &well, &result));
  *done = result.status == GANNET_EVAL_DONE || result.status == GANNET_EVAL_CANNOT_RUN;
  return *done ? add_result(jobs, job, &result) : GANNET_OK;
}

gannet_err gannet_slurm_cancel_attempt(gannet_slurm_jobs *jobs, const gannet_slurm_job *job) {
  const gannet_attempt_runner nobody = {.attempt = job->attempt.number,
                                        .job = job->known.job[0] ? job->known.job : NULL,
                                        .slot = -1,
                                        .durable = true};
  const gannet_slurm_job_key key = gannet_slurm_key_of(job);
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  GANNET_TRY(gannet_attempt_write(job->attempt.directory, &nobody));
  if (!key.job[0] || gannet_slurm_is_shared(job)) return GANNET_OK;
  return gannet_slurm_client_cancel(jobs->client, 1, &key, &how);
}

gannet_err gannet_slurm_take_late_result(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                         bool *done) {
  gannet_slurm_job earlier = *job;
  int attempt = 0;
  *done = false;
  while (!*done && ++attempt < job->attempt.number) {
    char name[32];
    (void)snprintf(name, sizeof name, "attempt-%d", attempt);
    GANNET_TRY(gannet_join_path(job->attempt.directory, name, earlier.attempt.directory,
                                sizeof earlier.attempt.directory));
    const uint64_t nonce = gannet_attempt_nonce(earlier.attempt.directory, earlier.known.job,
                                                sizeof earlier.known.job);
    earlier.has_outcome = nonce != 0 &&
                          gannet_contract_find_outcome(earlier.attempt.directory, nonce,
                                                       &earlier.outcome, earlier.host) &&
                          earlier.outcome.exit_code == 0 && !earlier.outcome.limit;
    if (earlier.has_outcome) GANNET_TRY(gannet_slurm_take_results(jobs, &earlier, done));
  }
  if (!*done) return GANNET_OK;
  gannet_log(jobs->context, GANNET_LOG_INFO,
             "evaluation %lld: attempt %d, given up before, ended well after all",
             (long long)job->attempt.id, attempt);
  return gannet_slurm_cancel_attempt(jobs, job);
}

void gannet_slurm_forget_failures(const gannet_slurm_jobs *jobs) {
  gannet_launch_event event;
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    const char *directory = job->attempt.directory;
    const bool failed =
        gannet_contract_find_outcome(directory, job->attempt.nonce, &event, NULL)
            ? event.exit_code != 0
            : gannet_slurm_has_ended(job->state) && job->state->what != GANNET_SLURM_COMPLETED;
    if (failed && !gannet_directory_has_room(directory)) gannet_attempt_forget(directory);
  }
}
