/* Leaving jobs to a later process, and asking SLURM to start that process. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/slurm/slurm.h"

/* What was refused for now, and a scheduler that does not answer, are for the next process. */
bool gannet_slurm_all_submitted(const gannet_slurm_jobs *jobs) {
  const double now = gannet_clock_seconds();
  if (jobs->ready.n > 0) return false;
  if (jobs->scheduler_fails) return true;
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission->stage == GANNET_SLURM_UNCERTAIN) return false;
    if (job->submission->stage == GANNET_SLURM_TO_SUBMIT && job->submission->next_try <= now)
      return false;
    if (job->submission->stage == GANNET_SLURM_SUBMITTED && !job->needs_only_time) return false;
  }
  return true;
}

/* "--dependency=afterany:12:13", by submissions, each once; "" when nothing is on its way. */
static gannet_err make_dependency(const gannet_slurm_jobs *jobs, bool any, char **text) {
  static const char begin[] = "--dependency=";
  const size_t size = sizeof begin + (size_t)jobs->n_submissions * (GANNET_SLURM_ID + 12);
  size_t used = 0;
  GANNET_TRY(gannet_alloc(size, 1, text));
  for (int i = 0; i < jobs->n_submissions; ++i) {
    const gannet_slurm_submission *submission = jobs->submissions[i];
    if (submission->stage != GANNET_SLURM_SUBMITTED || submission->n_open == 0) continue;
    if (submission->is_replaced) continue; /* nothing is to wait for somebody else's job */
    used += (size_t)snprintf(*text + used, size - used, "%safterany:%s",
                             used == 0 ? begin
                             : any     ? "?"
                                       : ",",
                             submission->job);
  }
  return GANNET_OK;
}

/* One that has not begun is enough; the job that this process belongs to does not count. */
static gannet_err is_asked_for(gannet_slurm_jobs *jobs, const char *name, bool *found,
                               bool *answered) {
  const char *own = getenv("SLURM_JOB_ID");
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  gannet_err err = gannet_slurm_client_list(jobs->client, &list, &how);
  *found = false;
  for (int i = 0; i < list.n && err == GANNET_OK && how == GANNET_SLURM_CALL_DONE; ++i) {
    const gannet_slurm_row *row = &list.row[i];
    if (strcmp(row->name, name) != 0 || (own && strcmp(row->job, own) == 0)) continue;
    *found = *found || gannet_slurm_state_find(row->state)->what == GANNET_SLURM_WAITS;
  }
  gannet_slurm_list_release(&list);
  *answered = *found || (err == GANNET_OK && how == GANNET_SLURM_CALL_DONE &&
                         !gannet_slurm_client_lacks_room(jobs->client));
  return err;
}

/* Without anything to wait for, it begins after a few polls' time. */
static gannet_err ask_once(gannet_slurm_jobs *jobs, const gannet_follow_up *next, const char *name,
                           const char *dependency, gannet_slurm_call *how) {
  static const char *const nothing[] = {NULL};
  char job_name[GANNET_SLURM_NAME + 16], chdir[PATH_MAX + 16], begin[48], id[GANNET_SLURM_ID];
  (void)snprintf(job_name, sizeof job_name, "--job-name=%s", name);
  (void)snprintf(chdir, sizeof chdir, "--chdir=%s", next->directory);
  (void)snprintf(begin, sizeof begin, "--begin=now+%.0f", ceil(4 * jobs->options->poll_interval));
  const char *const arguments[] = {job_name,     chdir,          dependency[0] ? dependency : begin,
                                   next->script, next->argument, NULL};
  return gannet_slurm_client_submit(jobs->client, arguments, nothing, id, how);
}

static bool is_stopped(const gannet_slurm_jobs *jobs, const gannet_follow_up *next) {
  return (next->is_stopped && next->is_stopped()) || access(jobs->stop_file, F_OK) == 0;
}

/* false when somebody asked to stop in the meantime. */
static bool wait_patiently(const gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                           double seconds) {
  const double slice = 0.25, until = gannet_clock_seconds() + seconds;
  for (double left; (left = until - gannet_clock_seconds()) > 0;) {
    if (is_stopped(jobs, next)) return false;
    gannet_clock_sleep(left < slice ? left : slice);
  }
  return !is_stopped(jobs, next);
}

/* After a call of sbatch that may have been accepted only lists tell whether another is needed: two
 * of them at least, and over a while, as a busy controller lists a job late. */
typedef struct {
  int lists;    /* without a successor that are still needed */
  double until; /* time before which they prove nothing */
} doubt;

/* how  out  DONE when a successor waits in the queue */
static gannet_err ask_unless_there(gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                                   const char *name, const char *dependency, doubt *d,
                                   gannet_slurm_call *how) {
  bool found = false, answered = false;
  *how = GANNET_SLURM_CALL_DONE;
  GANNET_TRY(is_asked_for(jobs, name, &found, &answered));
  if (found) return GANNET_OK;
  *how = GANNET_SLURM_CALL_TIMED_OUT;
  if (d->lists > 0 && answered) --d->lists;
  if (d->lists > 0 || gannet_clock_seconds() < d->until) return GANNET_OK;
  if (is_stopped(jobs, next)) return GANNET_OK;
  GANNET_TRY(ask_once(jobs, next, name, dependency, how));
  const bool maybe = !gannet_slurm_call_is_answered(*how) ||
                     (*how == GANNET_SLURM_CALL_REFUSED &&
                      gannet_slurm_client_refusal(jobs->client) == GANNET_SLURM_MAYBE_TAKEN);
  if (maybe)
    *d = (doubt){2, gannet_clock_seconds() + gannet_slurm_uncertain_seconds(jobs->options)};
  return GANNET_OK;
}

static gannet_err ask_for(gannet_slurm_jobs *jobs, const gannet_follow_up *next, const char *name,
                          char *dependency) {
  const double until = gannet_clock_seconds() + jobs->options->patience;
  double pause = jobs->options->poll_interval;
  doubt d = {0};
  for (;; pause = fmin(2 * pause, 16 * jobs->options->poll_interval)) {
    gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
    GANNET_TRY(ask_unless_there(jobs, next, name, dependency, &d, &how));
    if (how == GANNET_SLURM_CALL_DONE) return GANNET_OK;
    const char *said = gannet_slurm_client_said(jobs->client);
    const bool in_doubt = d.lists > 0 || gannet_clock_seconds() < d.until;
    /* Its jobs ended and were forgotten in the meantime. */
    if (strstr(said, "ependency")) dependency[0] = '\0';
    const bool never = how == GANNET_SLURM_CALL_REFUSED &&
                       gannet_slurm_client_refusal(jobs->client) == GANNET_SLURM_REFUSED;
    GANNET_REQUIRE(!in_doubt || gannet_clock_seconds() < until, GANNET_ERR_IO,
                   "whether SLURM took '%s', which is to go on with the campaign, is not known: %s",
                   next->script, said);
    GANNET_REQUIRE(!never && gannet_clock_seconds() < until, GANNET_ERR_IO,
                   "sbatch does not take '%s', which is to go on with the campaign: %s",
                   next->script, said);
    if (wait_patiently(jobs, next, 0)) {
      gannet_log(jobs->context, GANNET_LOG_WARNING, "%s of '%s': %s; will be tried again",
                 in_doubt ? "sbatch, or squeue after it," : "sbatch", next->script, said);
      if (wait_patiently(jobs, next, pause)) continue;
    }
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "'%s' was not submitted, for a stop was asked for; another step goes on",
               next->script);
    return GANNET_OK;
  }
}

gannet_err gannet_slurm_detach(gannet_slurm_jobs *jobs, const gannet_follow_up *next) {
  char name[GANNET_SLURM_NAME], *dependency = NULL;
  gannet_err err = GANNET_OK;
  if (next) err = make_dependency(jobs, next->any, &dependency);
  if (next && err == GANNET_OK) {
    gannet_slurm_step_name(jobs->campaign, jobs->directory, name);
    err = ask_for(jobs, next, name, dependency);
  }
  gannet_free(&dependency);
  jobs->n = 0;
  for (int i = 0; i < jobs->n_submissions; ++i) jobs->submissions[i]->n_open = 0;
  gannet_slurm_free_ended(jobs);
  return err;
}
