/* Names of jobs, and the tables of rank 0: evaluations that are under way as jobs, and submissions,
 * each of which is what one call of sbatch takes.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "evaluate/slurm/slurm.h"

static void replace_odd_characters(char *name) {
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && !strchr("-_.", *name)) *name = '_';
}

void gannet_slurm_job_name(const char *campaign, int64_t id, uint64_t nonce, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-%06lld-%016llx", campaign, (long long)id,
                 (unsigned long long)nonce);
  replace_odd_characters(name);
}

void gannet_slurm_step_name(const char *campaign, const char *directory, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-step-%016llx", campaign,
                 (unsigned long long)gannet_hash(directory, strlen(directory)));
  replace_odd_characters(name);
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
  made->missing_since = made->ended_since = NAN;
  made->running_since = made->started = NAN;
  made->outcome_since = made->put_back = made->stuck_since = NAN;
  *job = made;
  return gannet_attempt_begin(&jobs->program, request, jobs->jobs, jobs->n, sizeof *made,
                              &made->attempt);
}

void gannet_slurm_remove_job(gannet_slurm_jobs *jobs, gannet_slurm_job *job) {
  job->submission->n_open -= 1;
  *job = jobs->jobs[--jobs->n];
  if (jobs->n == 0) gannet_slurm_report_stuck(jobs); /* no list may follow */
  jobs->list_pause = jobs->options->poll_interval;   /* something happens: look soon again */
}

gannet_err gannet_slurm_add_submission(gannet_slurm_jobs *jobs, const char *name,
                                       const char *directory,
                                       gannet_slurm_submission **submission) {
  if (jobs->n_submissions == jobs->submission_capacity) {
    const int larger = 2 * jobs->submission_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)jobs->submission_capacity, (size_t)larger,
                             sizeof(gannet_slurm_submission *), &jobs->submissions));
    jobs->submission_capacity = larger;
  }
  gannet_slurm_submission *made = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *made, &made));
  (void)snprintf(made->name, sizeof made->name, "%s", name);
  (void)snprintf(made->directory, sizeof made->directory, "%s", directory);
  made->first_try = made->next_try = gannet_clock_seconds();
  made->pause = jobs->options->poll_interval;
  made->runs = 1;
  jobs->submissions[jobs->n_submissions++] = made;
  *submission = made;
  return GANNET_OK;
}

void gannet_slurm_submission_release(gannet_slurm_submission **submission) {
  gannet_text_list_release(&(*submission)->environment);
  gannet_free(submission);
}

void gannet_slurm_free_ended(gannet_slurm_jobs *jobs) {
  int n = 0;
  for (int i = 0; i < jobs->n_submissions; ++i) {
    if (jobs->submissions[i]->n_open > 0)
      jobs->submissions[n++] = jobs->submissions[i];
    else
      gannet_slurm_submission_release(&jobs->submissions[i]);
  }
  jobs->n_submissions = n;
}

void gannet_slurm_set_job_id(gannet_slurm_job *job) {
  const char *id = job->submission->job;
  char *own = job->known.job;
  if (job->element < 0)
    (void)snprintf(own, sizeof job->known.job, "%s", id);
  else
    (void)snprintf(own, sizeof job->known.job, "%.20s_%d", id, job->element);
}
