/* From evaluations to jobs: packing evaluations into submissions, calling sbatch, and looking for
 * jobs that sbatch may have accepted without saying so.
 *
 * A submission is what one call of sbatch takes: one evaluation, several in a job, an array of
 * either. After a call of sbatch it is one of these:
 *
 *   accepted          It has an id.
 *   refused for good  Its evaluations fail.
 *   refused for now   It is tried again later, as below.
 *   uncertain         sbatch was killed, timed out, or failed with words that are no refusal.
 *
 * What is refused for now is tried again with growing pauses, and all other submissions wait. When
 * evaluate.patience is over its evaluations are given back.
 *
 * An uncertain submission is looked for by its name, which contains a number that no other attempt
 * has, before sbatch is called again. Should there be two jobs in the end, their script lets only
 * one of them start the simulation.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/slurm/slurm.h"

static const double largest_backoff = 16; /* times poll_interval */
/* A busy controller lists a job late. For so many seconds, but at most evaluate.grace, a list
 * without the job proves nothing. */
static const double shortest_uncertainty = 30;
static const double polls_of_uncertainty =
    4;                                /* or so many times poll_interval, if that is longer */
static const double clock_skew = 300; /* seconds between this machine and the accounting's */

/* Evaluations that become one submission. */
typedef struct {
  int n;
  const gannet_request *requests;
  bool is_array;
} group;

/* A submission of one evaluation has everything in the directory of that evaluation. */
static gannet_err pack_single(gannet_slurm_jobs *jobs, const gannet_request *request) {
  gannet_slurm_job *job = NULL;
  char name[GANNET_SLURM_NAME];
  GANNET_TRY(gannet_slurm_add_job(jobs, request, &job));
  gannet_slurm_job_name(jobs->campaign, request->id, request->nonce, name);
  GANNET_TRY(gannet_slurm_add_submission(jobs, name, job->attempt.directory, &job->submission));
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
  GANNET_TRY(gannet_slurm_add_submission(jobs, name, directory, &submission));
  submission->runs = runs;
  submission->n_elements = g->is_array ? (g->n + runs - 1) / runs : 0;
  for (int i = 0; i < g->n; ++i) GANNET_TRY(pack_part(jobs, g, i, submission));
  return write_script(jobs, g, submission);
}

static gannet_err pack_all(gannet_slurm_jobs *jobs, int n, const gannet_request *requests) {
  const int runs = jobs->options->runs_per_job;
  const bool arrays = jobs->options->submit == GANNET_SLURM_ARRAYS;
  int size = runs;
  if (arrays && n > runs) {
    /* The site is asked once, and only when an array would be larger than any cluster refuses. */
    if (jobs->largest_array == 0) jobs->largest_array = jobs->options->array_size;
    if (jobs->largest_array == GANNET_AUTO)
      GANNET_TRY(gannet_slurm_client_array_size(jobs->client, &jobs->largest_array));
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

static gannet_err write_id(gannet_slurm_jobs *jobs, const gannet_slurm_submission *submission) {
  char path[PATH_MAX], text[GANNET_SLURM_ID + 2];
  if (!submission->is_single) {
    GANNET_TRY(gannet_join_path(submission->directory, "job", path, sizeof path));
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

/* The scheduler has the submission under this id, which may be that of an element: write that down.
 */
static void set_id(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission, const char *id) {
  (void)snprintf(submission->job, sizeof submission->job, "%.*s", (int)strcspn(id, "_"), id);
  submission->stage = GANNET_SLURM_SUBMITTED;
  for (int i = 0; i < jobs->n; ++i)
    if (jobs->jobs[i].submission == submission) {
      gannet_slurm_set_job_id(&jobs->jobs[i]);
      jobs->jobs[i].needs_only_time = true;
    }
  if (write_id(jobs, submission) == GANNET_OK) return;
  gannet_log(jobs->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
  gannet_error_clear(); /* found by name after a crash all the same */
}

static const gannet_slurm_job *any_of(const gannet_slurm_jobs *jobs,
                                      const gannet_slurm_submission *submission) {
  for (int i = 0; i < jobs->n; ++i)
    if (jobs->jobs[i].submission == submission) return &jobs->jobs[i];
  return NULL;
}

static void mark_uncertain(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  submission->stage = GANNET_SLURM_UNCERTAIN;
  submission->absent = 0;
  submission->uncertain_since = gannet_clock_seconds();
  (void)snprintf(submission->said, sizeof submission->said, "%s",
                 gannet_slurm_client_said(jobs->client));
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

/* Call sbatch for this submission again after a pause. The others would meet the same limit: they
 * wait as well, so that one call is made per pause. */
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

/* sbatch failed with words that are no refusal: the controller may have taken the job all the same.
 */
static void note_uncertain(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                           double now) {
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
  mark_uncertain(jobs, submission);
}

static gannet_err handle_refusal(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                                 double now) {
  char reason[GANNET_SLURM_SAID + 40];
  const gannet_slurm_job *one = any_of(jobs, submission);
  const char *said = gannet_slurm_client_said(jobs->client);
  const gannet_slurm_refusal what = gannet_slurm_client_refusal(jobs->client);
  if (what == GANNET_SLURM_MAYBE_TAKEN) {
    note_uncertain(jobs, submission, now);
    return GANNET_OK;
  }
  (void)snprintf(reason, sizeof reason, "sbatch refused the job: %s", said);
  if (what == GANNET_SLURM_REFUSED) return fail_all(jobs, submission, reason);
  if (now - submission->first_try > jobs->options->patience)
    return gannet_slurm_give_back_all(jobs, submission, reason);
  if (one && submission->pause <= jobs->options->poll_interval) {
    char limit[32];
    gannet_format_duration(jobs->options->patience, limit, sizeof limit);
    gannet_log(
        jobs->context, GANNET_LOG_WARNING,
        "evaluation %lld: %s; it is tried again for %s (evaluate.patience), then the campaign "
        "stops and can be resumed",
        (long long)one->attempt.id, reason, limit);
  }
  hold_back(jobs, submission, now);
  return GANNET_OK;
}

/* sbatch was ended before it answered. It may have waited by itself until SLURM had room for the
 * job: a list tells whether SLURM took it. */
static void handle_no_answer(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                             double now) {
  const gannet_slurm_job *one = any_of(jobs, submission);
  const char *said = gannet_slurm_client_said(jobs->client);
  const bool first = submission->pause <= jobs->options->poll_interval;
  mark_uncertain(jobs, submission);
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

typedef struct {
  char name[GANNET_SLURM_NAME + 16], chdir[PATH_MAX + 16], script[PATH_MAX + 16], limit[48];
  char array[48], output[2 * PATH_MAX + 32], error[2 * PATH_MAX + 32];
  const char *word[10];
} sbatch_call;

/* Write an option that names a file of a directory. SLURM replaces %n and the like in the path, and
 * in the directory that it puts before a relative path: there they are doubled. */
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
                       sbatch_call *c) {
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
    /* Whole minutes, and one for the node to tell it first. */
    const double rounds = ceil((double)submission->runs / jobs->options->runs_at_once);
    (void)snprintf(c->limit, sizeof c->limit, "--time=%.0f",
                   ceil(rounds * jobs->time_limit / 60) + 1);
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
  sbatch_call c;
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
  if (how == GANNET_SLURM_CALL_REFUSED) return handle_refusal(jobs, submission, now);
  if (how == GANNET_SLURM_CALL_DONE) {
    submission->pause = jobs->options->poll_interval;
    set_id(jobs, submission, id);
    if (!jobs->scheduler_fails) gannet_slurm_clear_status(jobs);
  } else {
    handle_no_answer(jobs, submission, now);
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

double gannet_slurm_uncertain_seconds(const gannet_slurm_options *options) {
  return fmin(options->grace,
              fmax(shortest_uncertainty, polls_of_uncertainty * options->poll_interval));
}

static const gannet_slurm_row *find_row(const gannet_slurm_list *list,
                                        const gannet_slurm_submission *submission) {
  for (int i = 0; i < list->n; ++i)
    if (strcmp(list->row[i].name, submission->name) == 0 && list->row[i].directory &&
        strcmp(list->row[i].directory, submission->directory) == 0)
      return &list->row[i];
  return NULL;
}

/* Find the job of a submission by the links of its evaluations: a job that has begun one of them
 * was accepted, whatever the scheduler lists. */
static bool find_by_files(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  char owner[GANNET_SLURM_ID];
  for (int i = 0; i < jobs->n; ++i) {
    if (jobs->jobs[i].submission != submission) continue;
    gannet_slurm_read_owner(jobs->jobs[i].attempt.directory, owner);
    if (!owner[0]) continue;
    set_id(jobs, submission, owner);
    return true;
  }
  return false;
}

/* Find the job of a submission in the accounting, which keeps jobs that have ended and have left
 * the list of squeue.
 *
 * known  out  false when there was no answer
 */
static gannet_err find_by_accounting(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                                     double now, bool *known) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  const double since = gannet_clock_epoch() - (now - submission->first_try) - clock_skew;
  const gannet_err err =
      gannet_slurm_client_account_name(jobs->client, submission->name, since, &list, &how);
  *known = gannet_slurm_call_is_answered(how);
  for (int i = 0; i < list.n && err == GANNET_OK; ++i)
    if (strcmp(list.row[i].name, submission->name) == 0) {
      set_id(jobs, submission, list.row[i].job);
      break;
    }
  gannet_slurm_list_release(&list);
  return err;
}

gannet_err gannet_slurm_resolve_uncertain(gannet_slurm_jobs *jobs,
                                          gannet_slurm_submission *submission,
                                          const gannet_slurm_list *list, double now) {
  const gannet_slurm_options *options = jobs->options;
  const double uncertain = gannet_slurm_uncertain_seconds(options);
  const gannet_slurm_row *row = find_row(list, submission);
  char reason[GANNET_SLURM_SAID + 80];
  bool known = false;
  if (row) {
    submission->pause = options->poll_interval;
    set_id(jobs, submission, row->job);
  }
  if (row || find_by_files(jobs, submission)) return GANNET_OK;
  if (++submission->absent < 2 || now - submission->uncertain_since < uncertain) return GANNET_OK;
  GANNET_TRY(find_by_accounting(jobs, submission, now, &known));
  if (!known || submission->stage == GANNET_SLURM_SUBMITTED) return GANNET_OK;
  if (now - submission->first_try > options->patience) {
    (void)snprintf(reason, sizeof reason, "sbatch failed, and SLURM does not know the job: %s",
                   submission->said);
    return gannet_slurm_give_back_all(jobs, submission, reason);
  }
  submission->stage = GANNET_SLURM_TO_SUBMIT;
  submission->next_try = fmax(submission->next_try, now);
  return GANNET_OK;
}

static bool lacks_some(const gannet_slurm_jobs *jobs, const gannet_slurm_list *list) {
  for (int i = 0; i < jobs->n; ++i) {
    const gannet_slurm_job *job = &jobs->jobs[i];
    const gannet_slurm_stage stage = job->submission->stage;
    const gannet_slurm_job_key key = gannet_slurm_key_of(job);
    if (stage == GANNET_SLURM_SUBMITTED && !gannet_slurm_list_find(list, &key)) return true;
    if (stage == GANNET_SLURM_UNCERTAIN && !find_row(list, job->submission)) return true;
  }
  return false;
}

/* squeue does not notice when the disk is full and takes nothing of what it prints. Jobs that are
 * absent from such a list would be given up while they run, or submitted twice. */
gannet_err gannet_slurm_list_all(gannet_slurm_jobs *jobs, gannet_slurm_list *list,
                                 gannet_slurm_call *how) {
  GANNET_TRY(gannet_slurm_client_list(jobs->client, list, how));
  if (*how == GANNET_SLURM_CALL_DONE && lacks_some(jobs, list) &&
      gannet_slurm_client_lacks_room(jobs->client))
    *how = GANNET_SLURM_CALL_REFUSED;
  return GANNET_OK;
}

gannet_err gannet_slurm_search_queue(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_REFUSED;
  gannet_err err = gannet_slurm_list_all(jobs, &list, &how);
  for (int i = 0; i < jobs->n_submissions && err == GANNET_OK; ++i) {
    gannet_slurm_submission *one = jobs->submissions[i];
    if (how != GANNET_SLURM_CALL_DONE || one->stage != GANNET_SLURM_UNCERTAIN) continue;
    const gannet_slurm_row *row = find_row(&list, one);
    if (row) set_id(jobs, one, row->job);
    /* Its other evaluations may have been told that it is uncertain, and wait for it. */
    if (!row && one == submission && !find_by_files(jobs, one) && one->n_open == 1)
      one->stage = GANNET_SLURM_NEVER_TAKEN;
  }
  gannet_slurm_list_release(&list);
  return err;
}

static int count_open(const gannet_slurm_jobs *jobs, gannet_slurm_stage stage) {
  int n = 0;
  for (int i = 0; i < jobs->n; ++i) n += jobs->jobs[i].submission->stage == stage;
  return n;
}

/* What sbatch has certainly not taken is forgotten, so that a later process need not look for it.
 */
gannet_err gannet_slurm_withdraw(gannet_slurm_jobs *jobs) {
  int found = 0;
  if (count_open(jobs, GANNET_SLURM_UNCERTAIN) > 0) {
    gannet_slurm_list list = {0};
    gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
    const gannet_err err = gannet_slurm_list_all(jobs, &list, &how);
    for (int i = 0; i < jobs->n_submissions && err == GANNET_OK; ++i) {
      gannet_slurm_submission *one = jobs->submissions[i];
      if (one->stage != GANNET_SLURM_UNCERTAIN) continue;
      const gannet_slurm_row *row = how == GANNET_SLURM_CALL_DONE ? find_row(&list, one) : NULL;
      if (row) set_id(jobs, one, row->job);
      if (!row) (void)find_by_files(jobs, one);
    }
    gannet_slurm_list_release(&list);
    GANNET_TRY(err);
    found = count_open(jobs, GANNET_SLURM_UNCERTAIN);
  }
  const int never = count_open(jobs, GANNET_SLURM_TO_SUBMIT);
  if (never + found == 0) return GANNET_OK;
  gannet_log(jobs->context, GANNET_LOG_INFO,
             "%d evaluations that sbatch has not taken stay pending%s; a resume submits them",
             never + found, found ? ", some of which it may have taken without an answer" : "");
  for (int i = jobs->n - 1; i >= 0; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission->stage == GANNET_SLURM_SUBMITTED) continue;
    if (job->submission->stage == GANNET_SLURM_TO_SUBMIT)
      gannet_attempt_forget(job->attempt.directory);
    GANNET_TRY(gannet_slurm_give_back(jobs, job, ""));
    gannet_slurm_remove_job(jobs, job);
  }
  return GANNET_OK;
}
