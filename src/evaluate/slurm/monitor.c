/* What becomes of jobs that were submitted.
 *
 * Each poll takes one list of all jobs from squeue, and looks for outcome.json, which the script of
 * a job writes at its end. Both together decide:
 *
 *   squeue says      outcome: success    outcome: failure    no outcome
 *   waits, runs      success counts      wait for a reason   keep the time limit
 *   completed        success counts      failure counts      read the results when they arrive
 *   failed           success counts      failure counts      ask for the exit code
 *   ended by SLURM   success counts      its reason counts   its reason counts
 *   nothing          success counts      ask                 ask; read results; give up after grace
 *
 * To ask means: sacct first, then scontrol. A job that is absent from the list is unknown, not
 * done. A failure for which SLURM gives no reason counts after the grace. Files may need some
 * seconds to cross a network, so results that are missing are waited for.
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

static const double longest_files_lag = 15; /* seconds that a file may need to cross a network */
static const double largest_slowdown = 4;   /* of polls while nothing happens */
static const double largest_backoff = 16;   /* of polls while the scheduler does not answer */
static const double first_reminder = 600;   /* seconds after which that is said again */
enum { SHOWS = 20 };                        /* most calls of scontrol per poll */

static gannet_err end_with_failure(gannet_slurm_jobs *jobs, gannet_slurm_job *job, bool retry,
                                   const char *reason) {
  const gannet_err err = gannet_slurm_fail(jobs, job, retry, reason);
  gannet_slurm_remove_job(jobs, job);
  return err;
}

/* Fail an evaluation, and cancel its job: nothing of it may run on when another attempt follows. */
static gannet_err give_up(gannet_slurm_jobs *jobs, gannet_slurm_job *job, bool retry,
                          const char *reason) {
  const gannet_slurm_job_key key = gannet_slurm_key_of(job);
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  if (key.job[0]) GANNET_TRY(gannet_slurm_client_cancel(jobs->client, 1, &key, &how));
  return end_with_failure(jobs, job, retry, reason);
}

/* Whether results.out, or another file that has results, may still arrive: the outcome of a job can
 * be seen earlier than its results when both cross a network (Ax #3247). */
static bool results_may_come(const gannet_slurm_jobs *jobs, const gannet_slurm_job *job,
                             double seconds) {
  if (jobs->program.options->pattern.n > 0) return false;
  return seconds < fmin(longest_files_lag, jobs->options->grace) &&
         gannet_contract_lacks_files(jobs->program.contract.problem, job->attempt.directory);
}

static gannet_err look_for_files(gannet_slurm_jobs *jobs, double now) {
  if (now < jobs->next_files) return GANNET_OK;
  for (int i = jobs->n - 1; i >= 0; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    if (job->submission->stage == GANNET_SLURM_TO_SUBMIT) continue;
    gannet_slurm_look_for_outcome(job);
    if (!job->has_outcome) continue;
    if (isnan(job->outcome_since)) job->outcome_since = now;
    const double age = now - job->outcome_since;
    const bool well = job->outcome.exit_code == 0 && !results_may_come(jobs, job, age);
    if (well || job->not_begun[0] || job->outcome.limit || age > jobs->options->grace)
      GANNET_TRY(gannet_slurm_classify(jobs, job));
  }
  jobs->next_files = now + fmin(jobs->options->poll_interval, 0.1 + 0.002 * jobs->n);
  return GANNET_OK;
}

static void update_job(gannet_slurm_job *job, const gannet_slurm_row *row, double now) {
  job->state = gannet_slurm_state_find(row->state);
  (void)snprintf(job->known.state, sizeof job->known.state, "%s", row->state);
  if (row->why[0]) (void)snprintf(job->known.why, sizeof job->known.why, "%s", row->why);
  if (row->nodes[0]) (void)snprintf(job->known.nodes, sizeof job->known.nodes, "%s", row->nodes);
  if (row->exit_code >= 0) {
    job->known.exit_code = row->exit_code;
    job->known.signal = row->signal;
  }
  if (job->state->what == GANNET_SLURM_UNKNOWN) return;
  job->missing_since = NAN;
  job->absent = 0;
  job->submission->is_replaced = false;
  if (job->state->what != GANNET_SLURM_RUNS) {
    job->running_since = NAN; /* also when it waits again after a requeue */
  } else if (isnan(job->running_since)) {
    job->running_since = now;
    job->started = gannet_clock_epoch();
  }
  if (gannet_slurm_is_suspended(job->state)) {
    job->was_suspended = true;
  } else if (job->state->what == GANNET_SLURM_WAITS) {
    /* A preemption that ends steps first, for one, lets the script write down how its run ended. */
    if (job->has_outcome) job->put_back = job->outcome.started;
    job->outcome_since = NAN;
  }
  const bool ended = gannet_slurm_has_ended(job->state);
  job->needs_only_time = !ended;
  if (ended && isnan(job->ended_since)) job->ended_since = now;
  if (!ended) job->ended_since = NAN;
}

/* End an evaluation whose job of several runs has ended. A run without an outcome was interrupted,
 * or not begun; but its files may still be on their way. */
static gannet_err end_shared_job(gannet_slurm_jobs *jobs, gannet_slurm_job *job, double now) {
  char reason[120];
  if (job->has_outcome && job->outcome.exit_code == 0 &&
      results_may_come(jobs, job, now - job->ended_since))
    return GANNET_OK;
  if (job->has_outcome || gannet_slurm_is_never_begun(job)) return gannet_slurm_classify(jobs, job);
  if (now - job->ended_since < fmin(longest_files_lag, jobs->options->grace)) return GANNET_OK;
  const bool by_itself =
      job->state->what == GANNET_SLURM_COMPLETED || job->state->what == GANNET_SLURM_FAILED;
  if (by_itself && !gannet_slurm_has_owner(job->attempt.directory)) {
    (void)snprintf(job->not_begun, sizeof job->not_begun,
                   "its job of several runs ended without having begun it");
    return gannet_slurm_classify(jobs, job);
  }
  if (job->state->what == GANNET_SLURM_BAD_LUCK) return gannet_slurm_classify(jobs, job);
  (void)snprintf(reason, sizeof reason, "its job of several runs ended before it: %s",
                 job->state->name);
  return end_with_failure(jobs, job, true, reason);
}

/* End an evaluation whose job has ended, unless it has to wait: after a success for its files,
 * after a failure for its exit code. */
static gannet_err end_job(gannet_slurm_jobs *jobs, gannet_slurm_job *job, double now) {
  gannet_slurm_look_for_outcome(job);
  if (!job->has_outcome && gannet_slurm_follow_owner(jobs, job)) return GANNET_OK;
  if (gannet_slurm_is_shared(job)) return end_shared_job(jobs, job, now);
  const bool well =
      job->has_outcome ? job->outcome.exit_code == 0 : job->state->what == GANNET_SLURM_COMPLETED;
  if (well && results_may_come(jobs, job, now - job->ended_since)) return GANNET_OK;
  if (!job->has_outcome && job->state->what == GANNET_SLURM_FAILED && !job->explained &&
      job->known.exit_code < 0)
    return GANNET_OK;
  return gannet_slurm_classify(jobs, job);
}

/* End a job that has run longer than its limit and the grace, in case that neither the node nor
 * SLURM kept the limit. Of several runs in one job nobody knows which was too slow. */
static gannet_err check_limit(gannet_slurm_jobs *jobs, gannet_slurm_job *job, double now) {
  char reason[80];
  const bool shared = gannet_slurm_is_shared(job);
  const double rounds = ceil((double)job->submission->runs / jobs->options->runs_at_once);
  const double extra = jobs->options->command.kill_grace + 2 * jobs->options->poll_interval;
  if (!(now - job->running_since > rounds * (jobs->time_limit + extra))) return GANNET_OK;
  (void)snprintf(reason, sizeof reason, "time limit of %g s%s reached", jobs->time_limit,
                 shared ? " for each run of its job" : "");
  job->is_over_limit = !shared && !job->was_suspended;
  return give_up(jobs, job, shared, reason);
}

/* Fail a job that can never start because it asks for more than is allowed, or than there is. It
 * fails for good, as all that follow would wait for ever, too. While SLURM is set up anew it may
 * give such a reason for a moment; that passes within the grace. */
static gannet_err check_waiting(gannet_slurm_jobs *jobs, gannet_slurm_job *job, double now) {
  char reason[200];
  if (!gannet_slurm_never_starts(job->known.why)) {
    job->stuck_since = NAN;
    return GANNET_OK;
  }
  if (isnan(job->stuck_since)) job->stuck_since = now;
  if (now - job->stuck_since <= jobs->options->grace) return GANNET_OK;
  (void)snprintf(reason, sizeof reason,
                 "SLURM can never start the job (%s): change evaluate.sbatch, the lines #SBATCH of "
                 "the script, or evaluate.time_limit",
                 job->known.why);
  return give_up(jobs, job, false, reason);
}

static gannet_err act_on_row(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                             const gannet_slurm_row *row, double now) {
  update_job(job, row, now);
  if (job->state->what == GANNET_SLURM_UNKNOWN) {
    if (isnan(job->missing_since)) {
      job->missing_since = now;
      gannet_log(jobs->context, GANNET_LOG_WARNING,
                 "job %s: SLURM says '%s', which no known version does", row->job, row->state);
    }
    return GANNET_OK;
  }
  if (gannet_slurm_has_ended(job->state)) return end_job(jobs, job, now);
  if (job->state->what == GANNET_SLURM_WAITS) return check_waiting(jobs, job, now);
  job->stuck_since = NAN;
  return check_limit(jobs, job, now);
}

/* Note that the number of a job belongs to a job of another name: SLURM was set up anew, or its
 * numbers began again. The files of the job still decide, and then the grace. */
static void note_other(const gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                       const gannet_slurm_list *list) {
  const gannet_slurm_job_key key = gannet_slurm_key_of(job);
  const gannet_slurm_row *other = gannet_slurm_list_find_other(list, &key);
  if (!other || job->submission->is_replaced) return;
  job->submission->is_replaced = true;
  gannet_log(jobs->context, GANNET_LOG_WARNING,
             "job %s is '%s' by now, not '%s': SLURM has given the number a second time; that job "
             "is left alone, and the one of evaluation %lld is lost",
             key.job, other->name, key.name, (long long)job->attempt.id);
}

static gannet_err compare_with_list(gannet_slurm_jobs *jobs, const gannet_slurm_list *list,
                                    double now) {
  for (int i = 0; i < jobs->n_submissions; ++i)
    if (jobs->submissions[i]->stage == GANNET_SLURM_UNCERTAIN)
      GANNET_TRY(gannet_slurm_resolve_uncertain(jobs, jobs->submissions[i], list, now));
  for (int i = jobs->n - 1; i >= 0; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    bool done = false;
    if (job->attempt.number > 1) GANNET_TRY(gannet_slurm_take_late_result(jobs, job, &done));
    if (done) gannet_slurm_remove_job(jobs, job);
    if (done || job->submission->stage != GANNET_SLURM_SUBMITTED) continue;
    const gannet_slurm_job_key key = gannet_slurm_key_of(job);
    const gannet_slurm_row *row = gannet_slurm_list_find(list, &key);
    if (row) {
      GANNET_TRY(act_on_row(jobs, job, row, now));
      continue;
    }
    note_other(jobs, job, list);
    job->absent += 1;
    job->needs_only_time = false;
    if (isnan(job->missing_since)) job->missing_since = now;
  }
  return GANNET_OK;
}

/* Whether sacct or scontrol has to explain what became of a job. */
static bool is_in_question(const gannet_slurm_job *job) {
  if (job->submission->stage != GANNET_SLURM_SUBMITTED) return false;
  return !isnan(job->missing_since) || (job->state->what == GANNET_SLURM_FAILED && !job->explained);
}

static int compare_ids(const void *a, const void *b) {
  return strcmp(((const gannet_slurm_job_key *)a)->job, ((const gannet_slurm_job_key *)b)->job);
}

/* Ask scontrol about each job that sacct does not know. A controller that is slow or does not
 * answer holds everything up; jobs that are left are asked for after the next list. */
static gannet_err ask_controller(gannet_slurm_jobs *jobs, int n, const gannet_slurm_job_key *key,
                                 gannet_slurm_list *list) {
  const double until = gannet_clock_seconds() + jobs->options->commands.timeout;
  int shown = 0;
  for (int i = 0; i < n; ++i) {
    gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
    if (!gannet_slurm_list_find(list, &key[i])) {
      if (++shown > SHOWS || gannet_clock_seconds() > until) return GANNET_OK;
      GANNET_TRY(gannet_slurm_client_show(jobs->client, key[i].job, list, &how));
    }
    if (!gannet_slurm_call_is_answered(how)) return GANNET_OK;
    for (int j = 0; j < jobs->n; ++j)
      if (strcmp(jobs->jobs[j].known.job, key[i].job) == 0) jobs->jobs[j].explained = true;
  }
  return GANNET_OK;
}

static gannet_err ask_accounting(gannet_slurm_jobs *jobs, gannet_slurm_list *list) {
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  gannet_slurm_job_key *key = NULL;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)jobs->n, sizeof *key, &key));
  for (int i = 0; i < jobs->n; ++i)
    if (is_in_question(&jobs->jobs[i])) key[n++] = gannet_slurm_key_of(&jobs->jobs[i]);
  int kept = 0; /* several evaluations may be in question that share a job */
  if (n > 1) qsort(key, (size_t)n, sizeof *key, compare_ids);
  for (int i = 0; i < n; ++i)
    if (kept == 0 || compare_ids(&key[kept - 1], &key[i]) != 0) key[kept++] = key[i];
  n = kept;
  gannet_err err = gannet_slurm_client_account(jobs->client, n, key, list, &how);
  /* A call that was broken off says that the process is to end. */
  if (err == GANNET_OK && how != GANNET_SLURM_CALL_BROKEN_OFF)
    err = ask_controller(jobs, n, key, list);
  gannet_free(&key);
  return err;
}

/* Give up a job about which nobody has told anything for longer than the grace. */
static gannet_err give_up_lost(gannet_slurm_jobs *jobs, gannet_slurm_job *job, double now) {
  char reason[160];
  const char *const id = job->known.job;
  if (job->submission->is_replaced)
    (void)snprintf(reason, sizeof reason,
                   "lost: SLURM has given the number %s of its job to another one", id);
  else
    (void)snprintf(
        reason, sizeof reason, "lost: for %.0f s SLURM has %s of job %s", now - job->missing_since,
        job->known.state[0] && job->absent == 0 ? "reported no known state" : "known nothing", id);
  return give_up(jobs, job, true, reason);
}

static gannet_err act_on_answer(gannet_slurm_jobs *jobs, gannet_slurm_job *job,
                                const gannet_slurm_row *row, double now) {
  bool done = false, unread = false;
  if (now - job->ended_since > jobs->options->grace) job->explained = true; /* nobody told */
  if (row) update_job(job, row, now);
  if (gannet_slurm_has_ended(job->state)) return end_job(jobs, job, now);
  if (isnan(job->missing_since)) return GANNET_OK; /* alive after all */
  if (job->has_outcome) return gannet_slurm_classify(jobs, job);
  GANNET_TRY(gannet_slurm_wait_for_files(jobs, job, &unread));
  if (unread) return GANNET_OK;
  if (job->absent >= 2) GANNET_TRY(gannet_slurm_take_results(jobs, job, &done));
  if (done) {
    gannet_slurm_remove_job(jobs, job);
    return GANNET_OK;
  }
  if (now - job->missing_since <= jobs->options->grace || gannet_program_is_stopped(&jobs->program))
    return GANNET_OK;
  return give_up_lost(jobs, job, now);
}

static gannet_err explain_ends(gannet_slurm_jobs *jobs, double now) {
  gannet_slurm_list list = {0};
  bool any = false;
  for (int i = 0; i < jobs->n && !any; ++i) any = is_in_question(&jobs->jobs[i]);
  if (!any) return GANNET_OK;
  gannet_err err = ask_accounting(jobs, &list);
  for (int i = jobs->n - 1; i >= 0 && err == GANNET_OK; --i) {
    gannet_slurm_job *job = &jobs->jobs[i];
    const gannet_slurm_job_key key = gannet_slurm_key_of(job);
    const gannet_slurm_row *row = gannet_slurm_list_find(&list, &key);
    if (!row) note_other(jobs, job, &list);
    if (row || is_in_question(job)) err = act_on_answer(jobs, job, row, now);
  }
  gannet_slurm_list_release(&list);
  return err;
}

/* Log that squeue does not answer: when that begins, and then each time after twice as long, so
 * that hours of it do not fill the log. */
static void complain_of_squeue(gannet_slurm_jobs *jobs, double now) {
  const char *said = gannet_slurm_client_said(jobs->client);
  char text[32], most[32];
  if (!jobs->scheduler_fails) {
    jobs->failing_since = now;
    gannet_format_duration(largest_backoff * jobs->options->poll_interval, most, sizeof most);
    gannet_format_duration(jobs->options->patience, text, sizeof text);
    gannet_log(jobs->context, GANNET_LOG_WARNING,
               "squeue: %s; until it answers, submitted jobs are unknown: none is given up, and "
               "their files still count. It is asked again, every %s at last, for as long as the "
               "campaign runs; jobs that sbatch does not take are tried for %s (evaluate.patience)",
               said, most, text);
  } else if (now >= jobs->next_reminder) {
    gannet_format_duration(now - jobs->failing_since, text, sizeof text);
    gannet_log(jobs->context, GANNET_LOG_WARNING, "squeue has not answered for %s: %s", text, said);
  } else {
    return;
  }
  jobs->next_reminder = now + fmax(first_reminder, now - jobs->failing_since);
}

static void note_answer(gannet_slurm_jobs *jobs, bool answered, double now) {
  const double base = jobs->options->poll_interval;
  char text[32];
  if (!answered) {
    complain_of_squeue(jobs, now);
    gannet_slurm_report_status(jobs, GANNET_SCHEDULER_UNKNOWN,
                               "squeue does not answer (%s): submitted jobs are unknown, none "
                               "is given up",
                               gannet_slurm_client_said(jobs->client));
  } else if (jobs->scheduler_fails) {
    gannet_format_duration(now - jobs->failing_since, text, sizeof text);
    gannet_log(jobs->context, GANNET_LOG_INFO, "squeue answers again, after %s", text);
  }
  if (answered) gannet_slurm_clear_status(jobs);
  jobs->scheduler_fails = !answered;
  jobs->list_pause = answered ? fmin(1.5 * jobs->list_pause, largest_slowdown * base)
                              : fmin(2 * jobs->list_pause, largest_backoff * base);
}

static gannet_err ask_scheduler(gannet_slurm_jobs *jobs) {
  gannet_slurm_list list = {0};
  gannet_slurm_call how = GANNET_SLURM_CALL_DONE;
  gannet_err err = gannet_slurm_list_all(jobs, &list, &how);
  const double now = gannet_clock_seconds();
  const bool broken_off = how == GANNET_SLURM_CALL_BROKEN_OFF;
  if (!broken_off) note_answer(jobs, how == GANNET_SLURM_CALL_DONE, now);
  if (err == GANNET_OK && how == GANNET_SLURM_CALL_DONE) {
    err = compare_with_list(jobs, &list, now);
    if (err == GANNET_OK) err = explain_ends(jobs, now);
    if (err == GANNET_OK) gannet_slurm_report_stuck(jobs);
  }
  gannet_slurm_list_release(&list);
  jobs->next_list = broken_off ? now : now + jobs->list_pause;
  return err;
}

gannet_err gannet_slurm_monitor(gannet_slurm_jobs *jobs, double until) {
  int submitted = 0;
  GANNET_TRY(look_for_files(jobs, gannet_clock_seconds()));
  if (gannet_program_begins_nothing(&jobs->program)) GANNET_TRY(gannet_slurm_withdraw(jobs));
  if (jobs->ready.n > 0) return GANNET_OK; /* the slots that they freed are filled sooner so */
  gannet_slurm_free_ended(jobs);
  GANNET_TRY(gannet_slurm_submit_due(jobs, until));
  for (int i = 0; i < jobs->n_submissions; ++i)
    submitted += jobs->submissions[i]->stage != GANNET_SLURM_TO_SUBMIT;
  if (submitted == 0 || gannet_clock_seconds() < jobs->next_list) return GANNET_OK;
  if (gannet_program_is_stopped(&jobs->program)) return GANNET_OK; /* perhaps while sbatch hung */
  return ask_scheduler(jobs);
}
