/* What one call of sbatch takes: one evaluation, several in a job, an array of either. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "evaluate/slurm/slurm.h"

static gannet_err make(gannet_slurm_jobs *jobs, const char *name, const char *directory,
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

bool gannet_slurm_is_shared(const gannet_slurm_job *job) {
  return job->submission->runs > 1;
}

/* The id of an evaluation's job: of an array that of its element. */
static void set_job(gannet_slurm_job *job) {
  const char *id = job->submission->job;
  char *own = job->known.job;
  if (job->element < 0)
    (void)snprintf(own, sizeof job->known.job, "%s", id);
  else
    (void)snprintf(own, sizeof job->known.job, "%.20s_%d", id, job->element);
}

/* Which of several evaluations are packed together. */
typedef struct {
  int n;
  const gannet_request *requests;
  bool is_array;
} group;

/* What does not share a job and is no array has all in its own directory. */
static gannet_err pack_single(gannet_slurm_jobs *jobs, const gannet_request *request) {
  gannet_slurm_job *job = NULL;
  char name[GANNET_SLURM_NAME];
  GANNET_TRY(gannet_slurm_add_job(jobs, request, &job));
  gannet_slurm_job_name(jobs->campaign, request->id, request->nonce, name);
  GANNET_TRY(make(jobs, name, job->attempt.directory, &job->submission));
  job->submission->is_single = true;
  GANNET_TRY(gannet_slurm_script_write(&jobs->program, jobs->options, request, &job->attempt, NULL,
                                       &job->submission->environment));
  job->submission->n_open = 1;
  jobs->n += 1;
  return GANNET_OK;
}

static gannet_err pack_part(gannet_slurm_jobs *jobs, const group *g, int i,
                            gannet_slurm_submission *submission) {
  gannet_slurm_job *job = NULL;
  gannet_submission_element element = {
      .element = g->is_array ? i / jobs->options->runs_per_job : -1, .runs = submission->runs};
  (void)snprintf(element.submission, sizeof element.submission, "%s", submission->name);
  GANNET_TRY(gannet_slurm_add_job(jobs, &g->requests[i], &job));
  job->submission = submission;
  job->element = element.element;
  gannet_text_list written = {0}; /* into the script of the run */
  const gannet_err err = gannet_slurm_script_write(&jobs->program, jobs->options, &g->requests[i],
                                                   &job->attempt, &element, &written);
  gannet_text_list_release(&written);
  GANNET_TRY(err);
  submission->n_open += 1;
  jobs->n += 1;
  return GANNET_OK;
}

static gannet_err write_script(gannet_slurm_jobs *jobs, const group *g,
                               const gannet_slurm_submission *submission) {
  const gannet_slurm_job *first = &jobs->jobs[jobs->n - g->n];
  gannet_slurm_script_part *parts = NULL;
  GANNET_TRY(gannet_alloc((size_t)g->n, sizeof *parts, &parts));
  for (int i = 0; i < g->n; ++i)
    parts[i] = (gannet_slurm_script_part){first[i].attempt.directory, first[i].attempt.nonce};
  const gannet_err err = gannet_slurm_script_write_shared(&jobs->program, jobs->options, g->n,
                                                          parts, submission->directory);
  gannet_free(&parts);
  return err;
}

static gannet_err pack_group(gannet_slurm_jobs *jobs, const group *g) {
  const int runs = jobs->options->runs_per_job;
  gannet_slurm_submission *submission = NULL;
  char name[GANNET_SLURM_NAME], directory[PATH_MAX];
  if (g->n == 1) return pack_single(jobs, g->requests);
  gannet_slurm_job_name(jobs->campaign, g->requests[0].id, g->requests[0].nonce, name);
  GANNET_TRY(gannet_join_path(jobs->directory, name, directory, sizeof directory));
  GANNET_TRY(gannet_make_lasting_directory(directory));
  GANNET_TRY(make(jobs, name, directory, &submission));
  submission->runs = runs;
  submission->n_elements = g->is_array ? (g->n + runs - 1) / runs : 0;
  for (int i = 0; i < g->n; ++i) GANNET_TRY(pack_part(jobs, g, i, submission));
  return write_script(jobs, g, submission);
}

/* Asked once, and only when an array would be larger than any cluster refuses. */
static gannet_err find_largest_array(gannet_slurm_jobs *jobs) {
  if (jobs->largest_array > 0) return GANNET_OK;
  jobs->largest_array = jobs->options->array_size;
  if (jobs->largest_array == GANNET_AUTO)
    GANNET_TRY(gannet_slurm_client_array_size(jobs->client, &jobs->largest_array));
  return GANNET_OK;
}

static gannet_err pack_all(gannet_slurm_jobs *jobs, int n, const gannet_request *requests) {
  const int runs = jobs->options->runs_per_job;
  const bool arrays = jobs->options->submit == GANNET_SLURM_ARRAYS;
  int size = runs;
  if (arrays && n > runs) {
    GANNET_TRY(find_largest_array(jobs));
    const int64_t most = (int64_t)runs * jobs->largest_array;
    size = most < n ? (int)most : n;
  }
  for (int at = 0; at < n; at += size) {
    const int left = n - at, take = left < size ? left : size;
    const group g = {take, requests + at, arrays && take > runs};
    GANNET_TRY(pack_group(jobs, &g));
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_pack(gannet_slurm_jobs *jobs, int n, const gannet_request *requests) {
  const int before = jobs->n, submissions = jobs->n_submissions;
  gannet_request *fitting = NULL;
  int n_fitting = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *fitting, &fitting));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_check_request(&jobs->program, jobs->context, &requests[i], &jobs->ready,
                                       &fits);
    if (fits) fitting[n_fitting++] = requests[i];
  }
  if (err == GANNET_OK) err = pack_all(jobs, n_fitting, fitting);
  gannet_free(&fitting);
  if (err == GANNET_OK) return GANNET_OK;
  jobs->n = before; /* none of them was submitted */
  while (jobs->n_submissions > submissions)
    gannet_slurm_submission_release(&jobs->submissions[--jobs->n_submissions]);
  return err;
}

/* CAMPAIGN/slurm/NAME/job has the id of a submission that sbatch accepted. */
static gannet_err id_path(const gannet_slurm_submission *submission, char *path) {
  return gannet_join_path(submission->directory, "job", path, PATH_MAX);
}

static gannet_err write_down(gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission) {
  char path[PATH_MAX], text[GANNET_SLURM_ID + 2];
  if (!submission->is_single) {
    GANNET_TRY(id_path(submission, path));
    const int size = snprintf(text, sizeof text, "%s\n", submission->job);
    return gannet_file_replace(path, text, (size_t)size);
  }
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission != submission) continue;
    const gannet_attempt_runner runner = {.attempt = job->attempt.number,
                                          .nonce = job->attempt.nonce,
                                          .started = gannet_clock_epoch(),
                                          .slot = job->attempt.slot,
                                          .submitted = job->attempt.submitted,
                                          .job = submission->job,
                                          .durable = true};
    return gannet_attempt_write(job->attempt.directory, &runner);
  }
  return GANNET_OK;
}

void gannet_slurm_set_id(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                         const char *id) {
  (void)snprintf(submission->job, sizeof submission->job, "%.*s", (int)strcspn(id, "_"), id);
  submission->stage = GANNET_SLURM_SUBMITTED;
  for (int i = 0; i < jobs->n; ++i)
    if (jobs->jobs[i].submission == submission) {
      set_job(&jobs->jobs[i]);
      jobs->jobs[i].needs_only_time = true;
    }
  if (write_down(jobs, submission) == GANNET_OK) return;
  gannet_log(jobs->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
  gannet_error_clear(); /* found by name after a crash all the same */
}

static gannet_slurm_submission *find_shipment(const gannet_slurm_jobs *jobs, const char *name) {
  for (int i = 0; i < jobs->n_submissions; ++i)
    if (strcmp(jobs->submissions[i]->name, name) == 0) return jobs->submissions[i];
  return NULL;
}

/* "" when it was never accepted, or when nobody knows. */
static void read_id(gannet_slurm_submission *submission) {
  char path[PATH_MAX], *text = NULL;
  if (id_path(submission, path) == GANNET_OK && gannet_file_read(path, &text, NULL) == GANNET_OK)
    (void)snprintf(submission->job, sizeof submission->job, "%.*s", (int)strspn(text, "0123456789"),
                   text);
  gannet_error_clear();
  gannet_free(&text);
}

/* Of an earlier process: what has no script was never submitted. */
static gannet_slurm_stage stage_of(const gannet_slurm_submission *submission) {
  char path[PATH_MAX];
  if (submission->job[0]) return GANNET_SLURM_SUBMITTED;
  const bool has_script =
      gannet_join_path(submission->directory, "job.sh", path, sizeof path) == GANNET_OK &&
      access(path, F_OK) == 0;
  return has_script ? GANNET_SLURM_UNCERTAIN : GANNET_SLURM_NEVER_TAKEN;
}

static gannet_err reopen(gannet_slurm_jobs *jobs, const gannet_submission_element *element,
                         gannet_slurm_submission **submission) {
  char directory[PATH_MAX];
  GANNET_TRY(gannet_join_path(jobs->directory, element->submission, directory, sizeof directory));
  GANNET_TRY(make(jobs, element->submission, directory, submission));
  (*submission)->runs = element->runs;
  (*submission)->n_elements = element->element >= 0; /* how many does not matter any more */
  read_id(*submission);
  (*submission)->stage = stage_of(*submission);
  return GANNET_OK;
}

gannet_err gannet_slurm_restore_submission(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                                           const char *id) {
  gannet_submission_element element;
  char name[GANNET_SLURM_NAME];
  gannet_attempt_read_submission(job->attempt.directory, &element);
  if (!element.submission[0]) {
    gannet_slurm_job_name(jobs->campaign, job->attempt.id, job->attempt.nonce, name);
    GANNET_TRY(make(jobs, name, job->attempt.directory, &job->submission));
    job->submission->is_single = true;
    (void)snprintf(job->submission->job, sizeof job->submission->job, "%s", id);
    job->submission->stage = stage_of(job->submission);
  } else {
    job->element = element.element;
    job->submission = find_shipment(jobs, element.submission);
    if (!job->submission) GANNET_TRY(reopen(jobs, &element, &job->submission));
  }
  if (job->submission->stage == GANNET_SLURM_SUBMITTED) set_job(job);
  return GANNET_OK;
}
