/* Handing jobs on between processes: taking over the jobs of an earlier process, and detaching from
 * jobs that run, so that a later process takes them over. SLURM can be asked to start that process.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/slurm/slurm.h"

/* The stage of a submission of an earlier process. Without a script it was never submitted. */
static gannet_slurm_stage stage_of(const gannet_slurm_submission *submission) {
  char path[PATH_MAX];
  if (submission->job[0]) return GANNET_SLURM_SUBMITTED;
  const bool has_script =
      gannet_join_path(submission->directory, "job.sh", path, sizeof path) == GANNET_OK &&
      access(path, F_OK) == 0;
  return has_script ? GANNET_SLURM_UNCERTAIN : GANNET_SLURM_NEVER_TAKEN;
}

static gannet_err reopen_submission(gannet_slurm_jobs *jobs,
                                    const gannet_submission_element *element,
                                    gannet_slurm_submission **submission) {
  char directory[PATH_MAX];
  GANNET_TRY(gannet_join_path(jobs->directory, element->submission, directory, sizeof directory));
  GANNET_TRY(gannet_slurm_add_submission(jobs, element->submission, directory, submission));
  (*submission)->runs = element->runs;
  char path[PATH_MAX], *text = NULL; /* the id of one that sbatch accepted; "" = not, or unknown */
  if (gannet_join_path(directory, "job", path, sizeof path) == GANNET_OK &&
      gannet_file_read(path, &text, NULL) == GANNET_OK)
    (void)snprintf((*submission)->job, sizeof(*submission)->job, "%.*s",
                   (int)strspn(text, "0123456789"), text);
  gannet_error_clear();
  gannet_free(&text);
  (*submission)->stage = stage_of(*submission);
  return GANNET_OK;
}

static gannet_err restore_submission(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                                     const char *id) {
  gannet_submission_element element;
  char name[GANNET_SLURM_NAME];
  gannet_attempt_read_submission(job->attempt.directory, &element);
  if (!element.submission[0]) {
    gannet_slurm_job_name(jobs->campaign, job->attempt.id, job->attempt.nonce, name);
    GANNET_TRY(gannet_slurm_add_submission(jobs, name, job->attempt.directory, &job->submission));
    job->submission->is_single = true;
    (void)snprintf(job->submission->job, sizeof job->submission->job, "%s", id);
    job->submission->stage = stage_of(job->submission);
  } else {
    job->element = element.element;
    for (int i = 0; i < jobs->n_submissions; ++i)
      if (strcmp(jobs->submissions[i]->name, element.submission) == 0)
        job->submission = jobs->submissions[i];
    if (!job->submission) GANNET_TRY(reopen_submission(jobs, &element, &job->submission));
    /* Should it have to be submitted again, its array has to reach the last one that is open. */
    if (element.element >= job->submission->n_elements)
      job->submission->n_elements = element.element + 1;
  }
  if (job->submission->stage == GANNET_SLURM_SUBMITTED) gannet_slurm_set_job_id(job);
  return GANNET_OK;
}

/* Take the result of the job when it is complete, else the job itself, wherever it is by now. Only
 * an evaluation that was certainly never submitted, or whose job SLURM has interrupted, is not
 * taken, and is submitted again. */
gannet_err gannet_slurm_recover(gannet_slurm_jobs *jobs, const gannet_request *request,
                                bool *taken) {
  gannet_slurm_job *job = NULL;
  char id[GANNET_SLURM_ID];
  GANNET_TRY(gannet_slurm_add_job(jobs, request, &job));
  /* Without a slot in its attempt.json, as earlier versions left those of arrays, it takes a free
   * one. */
  const int free_slot = job->attempt.slot;
  gannet_attempt_recall(&job->attempt);
  if (job->attempt.slot < 0) job->attempt.slot = free_slot;
  GANNET_TRY(gannet_attempt_check_files(job->attempt.directory, false));
  if (!gannet_attempt_has_nonce(job->attempt.directory, request->nonce, id, sizeof id))
    return GANNET_OK; /* nothing was written, so nothing was submitted */
  GANNET_TRY(restore_submission(jobs, job, id));
  gannet_slurm_look_for_outcome(job);
  job->submission->n_open += 1;
  jobs->n += 1;
  if (job->has_outcome && job->outcome.exit_code == 0) {
    *taken = true;
    return gannet_slurm_classify(jobs, job);
  }
  if (gannet_slurm_was_interrupted(job->attempt.directory, NULL)) {
    gannet_slurm_remove_job(jobs, job); /* SLURM may have forgotten its job by now */
    return GANNET_OK;
  }
  if (job->submission->stage == GANNET_SLURM_UNCERTAIN)
    GANNET_TRY(gannet_slurm_search_queue(jobs, job->submission));
  *taken = job->submission->stage != GANNET_SLURM_NEVER_TAKEN;
  if (*taken) return GANNET_OK;
  if (job->has_outcome) {
    *taken = true; /* it ran, and SLURM has forgotten it since */
    return gannet_slurm_classify(jobs, job);
  }
  char path[PATH_MAX];
  GANNET_TRY(gannet_attempt_check_files(job->attempt.directory, true));
  if (gannet_join_path(job->attempt.directory, "results.out", path, sizeof path) == GANNET_OK &&
      access(path, F_OK) == 0)
    GANNET_TRY(gannet_slurm_take_results(jobs, job, taken));
  gannet_slurm_remove_job(jobs, job); /* the last one: it is not moved */
  return GANNET_OK;
}

/* Submissions that were refused for now are left to the next process, and all of them while the
 * scheduler does not answer. */
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

/* Write "--dependency=afterany:12,afterany:13" with the id of each submission; "" when none is on
 * its way. */
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

/* Whether a follow-up waits in the queue already. The job of this process does not count.
 *
 * answered  out  the list is complete, so that it can be trusted when it has none
 */
static gannet_err find_follow_up(gannet_slurm_jobs *jobs, const char *name, bool *found,
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

/* Submit the follow-up. Without anything to wait for it begins after the time of a few polls. */
static gannet_err submit_follow_up_once(gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                                        const char *name, const char *dependency,
                                        gannet_slurm_call *how) {
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

/* Wait; false when somebody asked for a stop in the meantime. */
static bool wait_patiently(const gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                           double seconds) {
  const double slice = 0.25, until = gannet_clock_seconds() + seconds;
  for (double left; (left = until - gannet_clock_seconds()) > 0;) {
    if (is_stopped(jobs, next)) return false;
    gannet_clock_sleep(left < slice ? left : slice);
  }
  return !is_stopped(jobs, next);
}

/* What is needed before sbatch may be called again, after a call that may have been accepted: at
 * least two lists without the follow-up, and some time, as a busy controller lists a job late. */
typedef struct {
  int lists;    /* without the follow-up that are still needed */
  double until; /* time before which they prove nothing */
} uncertainty;

/* Submit the follow-up unless it waits in the queue.
 *
 * how  out  DONE when it waits there now
 */
static gannet_err submit_unless_there(gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                                      const char *name, const char *dependency, uncertainty *u,
                                      gannet_slurm_call *how) {
  bool found = false, answered = false;
  *how = GANNET_SLURM_CALL_DONE;
  GANNET_TRY(find_follow_up(jobs, name, &found, &answered));
  if (found) return GANNET_OK;
  *how = GANNET_SLURM_CALL_TIMED_OUT;
  if (u->lists > 0 && answered) --u->lists;
  if (u->lists > 0 || gannet_clock_seconds() < u->until) return GANNET_OK;
  if (is_stopped(jobs, next)) return GANNET_OK;
  GANNET_TRY(submit_follow_up_once(jobs, next, name, dependency, how));
  const bool maybe = !gannet_slurm_call_is_answered(*how) ||
                     (*how == GANNET_SLURM_CALL_REFUSED &&
                      gannet_slurm_client_refusal(jobs->client) == GANNET_SLURM_MAYBE_TAKEN);
  if (maybe)
    *u = (uncertainty){2, gannet_clock_seconds() + gannet_slurm_uncertain_seconds(jobs->options)};
  return GANNET_OK;
}

static gannet_err submit_follow_up(gannet_slurm_jobs *jobs, const gannet_follow_up *next,
                                   const char *name, char *dependency) {
  const double until = gannet_clock_seconds() + jobs->options->patience;
  double pause = jobs->options->poll_interval;
  uncertainty u = {0};
  for (;; pause = fmin(2 * pause, 16 * jobs->options->poll_interval)) {
    gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
    GANNET_TRY(submit_unless_there(jobs, next, name, dependency, &u, &how));
    if (how == GANNET_SLURM_CALL_DONE) return GANNET_OK;
    const char *said = gannet_slurm_client_said(jobs->client);
    const bool is_uncertain = u.lists > 0 || gannet_clock_seconds() < u.until;
    /* Its jobs ended and were forgotten in the meantime. */
    if (strstr(said, "ependency")) dependency[0] = '\0';
    const bool never = how == GANNET_SLURM_CALL_REFUSED &&
                       gannet_slurm_client_refusal(jobs->client) == GANNET_SLURM_REFUSED;
    GANNET_REQUIRE(!is_uncertain || gannet_clock_seconds() < until, GANNET_ERR_IO,
                   "whether SLURM took '%s', which is to continue the campaign, is not known: %s",
                   next->script, said);
    GANNET_REQUIRE(!never && gannet_clock_seconds() < until, GANNET_ERR_IO,
                   "sbatch does not take '%s', which is to continue the campaign: %s", next->script,
                   said);
    if (wait_patiently(jobs, next, 0)) {
      gannet_log(jobs->context, GANNET_LOG_WARNING, "%s of '%s': %s; will be tried again",
                 is_uncertain ? "sbatch, or squeue after it," : "sbatch", next->script, said);
      if (wait_patiently(jobs, next, pause)) continue;
    }
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "'%s' was not submitted, because a stop was requested; another step continues",
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
    err = submit_follow_up(jobs, next, name, dependency);
  }
  gannet_free(&dependency);
  jobs->n = 0;
  for (int i = 0; i < jobs->n_submissions; ++i) jobs->submissions[i]->n_open = 0;
  gannet_slurm_free_ended(jobs);
  return err;
}
