/* Calling sbatch: what is accepted, refused, refused for now, or not answered. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "evaluate/slurm/slurm.h"

static const double largest_backoff = 16; /* times poll_interval */

static const gannet_slurm_job *any_of(const gannet_slurm_jobs *jobs,
                                      const gannet_slurm_submission *submission) {
  for (int i = 0; i < jobs->n; ++i)
    if (jobs->jobs[i].submission == submission) return &jobs->jobs[i];
  return NULL;
}

static gannet_err fail_all(gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission,
                           const char *reason) {
  for (int i = jobs->n - 1; i >= 0; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission != submission) continue;
    GANNET_TRY(gannet_slurm_fail(jobs, job, false, reason));
    gannet_slurm_remove_job(jobs, job);
  }
  return GANNET_OK;
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

static void complain(const gannet_slurm_jobs *jobs, int64_t id, const char *reason) {
  char text[32];
  gannet_format_duration(jobs->options->patience, text, sizeof text);
  gannet_log(jobs->context, GANNET_LOG_WARNING,
             "evaluation %lld: %s; it is tried again for %s (evaluate.patience), then the campaign "
             "stops and can be resumed",
             (long long)id, reason, text);
}

/* sbatch failed, and what it said is no refusal: the controller may have taken the job all the
 * same. */
static void doubted(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission, double now) {
  const double base = jobs->options->poll_interval;
  const gannet_slurm_job *one = any_of(jobs, submission);
  if (one && submission->pause <= base)
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "evaluation %lld: sbatch failed, and its job may have been accepted all the same: "
               "%s; it is looked for by its name before another one is submitted",
               (long long)one->attempt.id, gannet_slurm_client_said(jobs->client));
  gannet_slurm_report_status(jobs, GANNET_SCHEDULER_REFUSES,
                             "sbatch failed (%s): the job is looked for by its name before another "
                             "one is submitted",
                             gannet_slurm_client_said(jobs->client));
  submission->pause = fmin(2 * submission->pause, largest_backoff * base);
  submission->next_try = now + submission->pause;
  gannet_slurm_mark_uncertain(jobs, submission);
}

/* The others would meet the same limit: they wait as well, so that one call is made per pause. */
static void hold_back(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission, double now) {
  const double base = jobs->options->poll_interval;
  gannet_slurm_report_status(jobs, GANNET_SCHEDULER_REFUSES,
                             "sbatch takes no jobs (%s): they wait, and are tried again",
                             gannet_slurm_client_said(jobs->client));
  submission->pause = fmin(2 * submission->pause, largest_backoff * base);
  submission->next_try = fmax(submission->next_try, now + submission->pause);
  for (int i = 0; i < jobs->n_submissions; ++i)
    if (jobs->submissions[i]->stage == GANNET_SLURM_TO_SUBMIT)
      jobs->submissions[i]->next_try =
          fmax(jobs->submissions[i]->next_try, now + submission->pause);
}

static gannet_err refused(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                          double now) {
  char reason[GANNET_SLURM_SAID + 40];
  const gannet_slurm_job *one = any_of(jobs, submission);
  const char *said = gannet_slurm_client_said(jobs->client);
  const gannet_slurm_refusal what = gannet_slurm_client_refusal(jobs->client);
  if (what == GANNET_SLURM_MAYBE_TAKEN) {
    doubted(jobs, submission, now);
    return GANNET_OK;
  }
  (void)snprintf(reason, sizeof reason, "sbatch refused the job: %s", said);
  if (what == GANNET_SLURM_REFUSED) return fail_all(jobs, submission, reason);
  if (now - submission->first_try > jobs->options->patience)
    return gannet_slurm_give_back_all(jobs, submission, reason);
  if (one && submission->pause <= jobs->options->poll_interval)
    complain(jobs, one->attempt.id, reason);
  hold_back(jobs, submission, now);
  return GANNET_OK;
}

/* sbatch that waits by itself until SLURM has room for the job: a list tells whether it had at
 * last. */
static void unanswered(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission, double now) {
  const gannet_slurm_job *one = any_of(jobs, submission);
  const char *said = gannet_slurm_client_said(jobs->client);
  const bool first = submission->pause <= jobs->options->poll_interval;
  gannet_slurm_mark_uncertain(jobs, submission);
  if (!strstr(said, "sleeping and retrying")) {
    submission->pause = jobs->options->poll_interval;
    return;
  }
  if (one && first)
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "evaluation %lld: sbatch waits for SLURM to take the job: %s; it is called again "
               "until SLURM does",
               (long long)one->attempt.id, said);
  hold_back(jobs, submission, now);
}

/* Whole minutes, and one for the node to tell it first. */
static double minutes_of(const gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission) {
  const double rounds = ceil((double)submission->runs / jobs->options->runs_at_once);
  return ceil(rounds * jobs->time_limit / 60) + 1;
}

typedef struct {
  char name[GANNET_SLURM_NAME + 16], chdir[PATH_MAX + 16], script[PATH_MAX + 16], limit[48];
  char array[48], output[2 * PATH_MAX + 32], error[2 * PATH_MAX + 32];
  const char *word[10];
} call;

/* SLURM replaces %n and the like in the directory, too, which it puts before a relative path. */
static void write_output(const char *option, const char *directory, const char *name, char *text,
                         size_t size) {
  size_t used = (size_t)snprintf(text, size, "%s", option);
  const bool doubles = strchr(directory, '%') != NULL;
  for (const char *at = directory; doubles && *at && used + 3 < size; ++at) {
    if (*at == '%') text[used++] = '%';
    text[used++] = *at;
  }
  (void)snprintf(text + used, size - used, "%s%s", doubles ? "/" : "", name);
}

static void write_call(const gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission,
                       call *c) {
  const bool single = submission->is_single, array = submission->n_elements > 0;
  int n = 0;
  (void)snprintf(c->name, sizeof c->name, "--job-name=%s", submission->name);
  (void)snprintf(c->chdir, sizeof c->chdir, "--chdir=%s", submission->directory);
  (void)snprintf(c->script, sizeof c->script, "%s/job.sh", submission->directory);
  c->word[n++] = c->name;
  c->word[n++] = c->chdir;
  const char *const log = single ? "stdout.log" : array ? "%a.log" : "job.log";
  write_output("--output=", submission->directory, log, c->output, sizeof c->output);
  c->word[n++] = c->output;
  c->word[n++] =
      "--open-mode=append"; /* a second job of an attempt leaves the first one's output */
  write_output("--error=", submission->directory, single ? "stderr.log" : log, c->error,
               sizeof c->error);
  c->word[n++] = c->error;
  if (isfinite(jobs->time_limit)) {
    (void)snprintf(c->limit, sizeof c->limit, "--time=%.0f", minutes_of(jobs, submission));
    c->word[n++] = c->limit;
  }
  if (array) {
    char throttle[24] = "";
    if (jobs->options->array_throttle > 0)
      (void)snprintf(throttle, sizeof throttle, "%%%d", jobs->options->array_throttle);
    (void)snprintf(c->array, sizeof c->array, "--array=0-%d%s", submission->n_elements - 1,
                   throttle);
    c->word[n++] = c->array;
  }
  c->word[n++] = c->script;
  c->word[n] = NULL;
}

static gannet_err call_sbatch(gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission,
                              char *id, gannet_slurm_call *how) {
  static const char *const nothing[] = {NULL};
  /* A user's own script of a single evaluation finds its evaluation in the environment; every other
   * script has it written in it. */
  const gannet_text_list *environment = &submission->environment;
  call c;
  write_call(jobs, submission, &c);
  return gannet_slurm_client_submit(
      jobs->client, c.word, environment->n ? (const char *const *)environment->item : nothing, id,
      how);
}

static gannet_err submit_one(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  char id[GANNET_SLURM_ID] = "";
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  GANNET_TRY(call_sbatch(jobs, submission, id, &how));
  const double now = gannet_clock_seconds();
  if (how == GANNET_SLURM_CALL_REFUSED) return refused(jobs, submission, now);
  if (how == GANNET_SLURM_CALL_DONE) {
    submission->pause = jobs->options->poll_interval;
    gannet_slurm_set_id(jobs, submission, id);
    if (!jobs->scheduler_fails) gannet_slurm_clear_status(jobs);
  } else {
    unanswered(jobs, submission, now);
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_submit_due(gannet_slurm_jobs *jobs, double until) {
  for (int i = 0; i < jobs->n_submissions; ++i) {
    gannet_slurm_submission *submission = jobs->submissions[i];
    const double now = gannet_clock_seconds();
    if (gannet_program_begins_nothing(&jobs->program)) return GANNET_OK;
    if (submission->stage != GANNET_SLURM_TO_SUBMIT || submission->n_open == 0) continue;
    if (now < submission->next_try) continue;
    GANNET_TRY(submit_one(jobs, submission));
    if (gannet_clock_seconds() >= until || gannet_program_is_stopped(&jobs->program))
      return GANNET_OK;
  }
  return GANNET_OK;
}
