/* Jobs that sbatch may have accepted without saying so: it gave no answer, was killed, or failed
 * with words that are no refusal. Such a job is looked for by its name, which has a number in it
 * that no other attempt has, before another one is submitted; and its script lets only one job of
 * an attempt start the simulation, should both be there in the end.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "evaluate/slurm/slurm.h"

/* A busy controller lists a job late: seconds for which a list without it proves nothing, at most
 * evaluate.grace. */
static const double shortest_doubt = 30;
static const double polls_of_doubt = 4; /* or so many times poll_interval, where that is longer */
static const double clock_skew = 300;   /* seconds between this machine and the accounting's */

void gannet_slurm_mark_uncertain(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  submission->stage = GANNET_SLURM_UNCERTAIN;
  submission->absent = 0;
  submission->uncertain_since = gannet_clock_seconds();
  (void)snprintf(submission->said, sizeof submission->said, "%s",
                 gannet_slurm_client_said(jobs->client));
}

double gannet_slurm_uncertain_seconds(const gannet_slurm_options *options) {
  return fmin(options->grace, fmax(shortest_doubt, polls_of_doubt * options->poll_interval));
}

const gannet_slurm_row *gannet_slurm_find_row(const gannet_slurm_list *list,
                                              const gannet_slurm_submission *submission) {
  for (int i = 0; i < list->n; ++i)
    if (strcmp(list->row[i].name, submission->name) == 0 && list->row[i].directory &&
        strcmp(list->row[i].directory, submission->directory) == 0)
      return &list->row[i];
  return NULL;
}

bool gannet_slurm_has_owner(const char *directory) {
  char path[PATH_MAX];
  struct stat about;
  (void)snprintf(path, sizeof path, "%.4000s/job.running", directory);
  return lstat(path, &about) == 0;
}

/* The job that has begun the attempt in a directory; "" when none has, or its number is not known.
 *
 * id  out  [GANNET_SLURM_ID]
 */
static void read_owner(const char *directory, char *id) {
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
  read_owner(job->attempt.directory, owner);
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

/* A job that has begun one of its evaluations was accepted, whatever the scheduler lists. */
static bool adopt_by_files(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission) {
  char owner[GANNET_SLURM_ID];
  for (int i = 0; i < jobs->n; ++i) {
    if (jobs->jobs[i].submission != submission) continue;
    read_owner(jobs->jobs[i].attempt.directory, owner);
    if (!owner[0]) continue;
    gannet_slurm_set_id(jobs, submission, owner);
    return true;
  }
  return false;
}

/* Jobs that have ended leave squeue's list, but not the accounting.
 *
 * known  out  false when there was no answer
 */
static gannet_err adopt_by_accounting(gannet_slurm_jobs *jobs, gannet_slurm_submission *submission,
                                      double now, bool *known) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  const double since = gannet_clock_epoch() - (now - submission->first_try) - clock_skew;
  const gannet_err err =
      gannet_slurm_client_account_name(jobs->client, submission->name, since, &list, &how);
  *known = gannet_slurm_call_is_answered(how);
  for (int i = 0; i < list.n && err == GANNET_OK; ++i)
    if (strcmp(list.row[i].name, submission->name) == 0) {
      gannet_slurm_set_id(jobs, submission, list.row[i].job);
      break;
    }
  gannet_slurm_list_release(&list);
  return err;
}

gannet_err gannet_slurm_resolve_uncertain(gannet_slurm_jobs *jobs,
                                          gannet_slurm_submission *submission,
                                          const gannet_slurm_list *list, double now) {
  const gannet_slurm_options *options = jobs->options;
  const double doubt = gannet_slurm_uncertain_seconds(options);
  const gannet_slurm_row *row = gannet_slurm_find_row(list, submission);
  char reason[GANNET_SLURM_SAID + 80];
  bool known = false;
  if (row) {
    submission->pause = options->poll_interval;
    gannet_slurm_set_id(jobs, submission, row->job);
  }
  if (row || adopt_by_files(jobs, submission)) return GANNET_OK;
  if (++submission->absent < 2 || now - submission->uncertain_since < doubt) return GANNET_OK;
  GANNET_TRY(adopt_by_accounting(jobs, submission, now, &known));
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
    if (stage == GANNET_SLURM_UNCERTAIN && !gannet_slurm_find_row(list, job->submission))
      return true;
  }
  return false;
}

/* squeue does not notice when the disk takes nothing of what it prints: jobs that are absent from
 * such a list would be given up while they run, or submitted twice. */
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
    const gannet_slurm_row *row = gannet_slurm_find_row(&list, one);
    if (row) gannet_slurm_set_id(jobs, one, row->job);
    if (!row && one == submission && !adopt_by_files(jobs, one))
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

/* What was certainly not taken is forgotten, so that a later process need not look for it. */
gannet_err gannet_slurm_withdraw(gannet_slurm_jobs *jobs) {
  int found = 0;
  if (count_open(jobs, GANNET_SLURM_UNCERTAIN) > 0) {
    gannet_slurm_list list = {0};
    gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
    const gannet_err err = gannet_slurm_list_all(jobs, &list, &how);
    for (int i = 0; i < jobs->n_submissions && err == GANNET_OK; ++i) {
      gannet_slurm_submission *one = jobs->submissions[i];
      if (one->stage != GANNET_SLURM_UNCERTAIN) continue;
      const gannet_slurm_row *row =
          how == GANNET_SLURM_CALL_DONE ? gannet_slurm_find_row(&list, one) : NULL;
      if (row) gannet_slurm_set_id(jobs, one, row->job);
      if (!row) (void)adopt_by_files(jobs, one);
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
