/* How a job becomes a result. What the simulation itself left counts most, then why the scheduler
 * ended it, then its exit code.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "evaluate/result_record.h"
#include "evaluate/slurm/slurm.h"

/* Jobs of an evaluation in a row that do not start its simulation before that counts as bad luck.
 */
enum { most_not_begun = 3 };

static void begin(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                  gannet_result_record *result) {
  gannet_result_queue_begin(&jobs->ready, result);
  gannet_attempt_identify(&job->attempt, result);
}

/* Where it ran and what it was called, which the classify of processes cannot know. What a stop
 * left unjudged is not ready: a later process finds it where it is. */
static gannet_err finish(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
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

static void fail(const gannet_slurm_jobs *jobs, const gannet_slurm_job *job, bool retry,
                 const char *reason, gannet_result_record *result) {
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
  begin(jobs, job, &result);
  fail(jobs, job, retry, reason, &result);
  return finish(jobs, job, &result);
}

/* What a process that ended like this job would have told the launcher. */
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

/* What ends a job ends the steps of its runs first, which then have exit codes of their own; one
 * that had failed before was classified after the grace. */
static bool is_ended_by_scheduler(const gannet_slurm_job *job) {
  const bool well = job->has_outcome && job->outcome.exit_code == 0;
  return !well &&
         (job->state->what == GANNET_SLURM_TIME_LIMIT || job->state->what == GANNET_SLURM_BAD_LUCK);
}

/* SLURM 22.05 says JobLaunchFailure of every script that a signal ended, too, and signal 53 where
 * there was none. */
bool gannet_slurm_is_never_begun(const gannet_slurm_job *job) {
  enum { NOT_BEGUN = 53 };
  if (job->has_outcome || job->state->what != GANNET_SLURM_FAILED) return false;
  if (job->known.signal > 0) return job->known.exit_code == 0 && job->known.signal == NOT_BEGUN;
  return strcmp(job->known.why, "JobLaunchFailure") == 0;
}

/* How often in a row earlier attempts of the evaluation did not start it either. */
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

/* Whether the script did not start the simulation, as it found what it needs missing or broken. */
static bool is_not_begun(const gannet_slurm_job *job, const char **why) {
  *why = job->not_begun;
  if (job->not_begun[0] || job->has_outcome) return job->not_begun[0] != '\0';
  *why = "its script could not enter the directory of the evaluation, or write there";
  if (job->state->what != GANNET_SLURM_FAILED || job->known.exit_code != GANNET_SLURM_NOT_BEGUN)
    return false;
  return !gannet_slurm_has_owner(job->attempt.directory);
}

/* The clock of the limit goes on while the run is stopped, and ends it when it may go on. */
static gannet_err classify(const gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                           gannet_result_record *result) {
  char reason[240];
  const char *why = NULL;
  const gannet_launch_event event = end_of(job);
  if (is_not_begun(job, &why)) {
    (void)snprintf(reason, sizeof reason, "the job did not start the simulation: %s", why);
    fail(jobs, job, true, reason, result);
    return GANNET_OK;
  }
  if (gannet_slurm_is_never_begun(job)) {
    fail(jobs, job, true,
         "SLURM could not begin the job (JobLaunchFailure): its directory or the files of its "
         "output cannot be opened on the node, or the campaign was moved while the job waited",
         result);
    return GANNET_OK;
  }
  if (job->was_suspended && job->has_outcome && job->outcome.limit) {
    (void)snprintf(reason, sizeof reason,
                   "time limit of %g s reached, but SLURM had suspended the job meanwhile",
                   jobs->time_limit);
    fail(jobs, job, true, reason, result);
    return GANNET_OK;
  }
  if (is_ended_by_scheduler(job)) {
    const bool late = job->state->what == GANNET_SLURM_TIME_LIMIT;
    const bool retry = !late || gannet_slurm_is_shared(job); /* which was too slow, nobody knows */
    (void)snprintf(reason, sizeof reason, "%sSLURM ended the job: %s",
                   late ? "time limit reached: " : "", job->state->name);
    fail(jobs, job, retry, reason, result);
    return GANNET_OK;
  }
  if (event.exit_code < 0 && event.signal == 0 && !event.limit) {
    fail(jobs, job, false, "SLURM says FAILED, with an exit code nobody knows", result);
    return GANNET_OK;
  }
  return gannet_classify_outcome(jobs->program.contract.problem, &jobs->program.rules,
                                 job->attempt.directory, &event, result);
}

/* What the job reported cannot be read for now: it is read again at the next look, until patience
 * is over. Then the loop gets it back, and a resume finds the job by its files. */
static gannet_err wait_to_read(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                               const gannet_result_record *result, bool *is_over) {
  char limit[32];
  const double now = gannet_clock_seconds(), patience = jobs->options->patience;
  *is_over = now - job->unread_since >= patience;
  if (*is_over) return gannet_result_queue_add(&jobs->ready, result);
  if (!isnan(job->unread_since)) return GANNET_OK;
  gannet_format_duration(patience, limit, sizeof limit);
  gannet_log(jobs->context, GANNET_LOG_WARNING,
             "evaluation %lld: %s; it is read again until it can be read, for %s "
             "(evaluate.patience), then the campaign stops and can be resumed",
             (long long)job->attempt.id, result->run.reason, limit);
  job->unread_since = now;
  return GANNET_OK;
}

gannet_err gannet_slurm_classify(gannet_slurm_jobs *jobs, gannet_slurm_job *job, bool *is_over) {
  gannet_result_record result;
  const char *why = NULL;
  begin(jobs, job, &result);
  *is_over = true;
  GANNET_TRY(classify(jobs, job, &result));
  if (gannet_contract_is_unread(&result)) return wait_to_read(jobs, job, &result, is_over);
  GANNET_TRY(gannet_contract_check_space(job->attempt.directory, &result));
  if (!is_not_begun(job, &why) || times_not_begun(job) >= most_not_begun)
    return finish(jobs, job, &result);
  gannet_log(jobs->context, GANNET_LOG_WARNING,
             "evaluation %lld: job %s on %s did not start the simulation: %s; the evaluation is "
             "submitted again, and that does not count as an attempt",
             (long long)job->attempt.id, job->known.job,
             job->host[0]          ? job->host
             : job->known.nodes[0] ? job->known.nodes
                                   : "an unknown node",
             why);
  return gannet_slurm_give_back(jobs, job, "");
}

gannet_err gannet_slurm_give_back(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                  const char *reason) {
  gannet_result_record result;
  begin(jobs, job, &result);
  result.status = GANNET_EVAL_PENDING;
  result.run.failure = GANNET_FAILURE_LAUNCH;
  (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
  return gannet_result_queue_add(&jobs->ready, &result);
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

/* A failure means here only that there are no complete results yet: the job may run on, so that it
 * is neither asked for room nor forgotten. */
gannet_err gannet_slurm_take_results(gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                                     bool *done) {
  gannet_result_record result;
  const gannet_launch_event well = {
      .type = GANNET_LAUNCH_ENDED, .started = job->started, .ended = gannet_clock_epoch()};
  begin(jobs, job, &result);
  GANNET_TRY(gannet_classify_outcome(jobs->program.contract.problem, &jobs->program.rules,
                                     job->attempt.directory,
                                     job->has_outcome ? &job->outcome : &well, &result));
  *done = result.status == GANNET_EVAL_DONE || result.status == GANNET_EVAL_CANNOT_RUN;
  return *done ? finish(jobs, job, &result) : GANNET_OK;
}
