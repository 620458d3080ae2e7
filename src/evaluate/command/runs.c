/* Rank 0's bookkeeping of what the launcher runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/command/runs.h"
#include "evaluate/command/slurm_step.h"
#include "evaluate/launcher/leftovers.h"
#include "evaluate/result_record.h"

static const double longest_classifying = 1; /* seconds in a row */
static const double longest_cancel = 10;     /* seconds of grace: a campaign must end within 20 */
/* Seconds that a signal for all that runs here may take to reach this process, too. */
static const double longest_delay = 1;

static gannet_err prepare(gannet_command_runs *made, const gannet_command_options *options,
                          const gannet_evaluator_setup *setup) {
  GANNET_TRY(gannet_program_create(options, setup, &made->program));
  GANNET_TRY(gannet_result_queue_create(setup->problem->spec.n_constraints, &made->ready));
  made->launcher = setup->launcher;
  if (made->launcher) return GANNET_OK;
  made->own_launcher = true;
  return gannet_launcher_start(&made->launcher);
}

gannet_err gannet_command_runs_create(const gannet_command_options *options,
                                      const gannet_evaluator_setup *setup,
                                      gannet_command_runs **runs) {
  GANNET_TRY(gannet_alloc(1, sizeof **runs, runs));
  (*runs)->context = setup->context;
  (*runs)->time_limit = setup->time_limit;
  (*runs)->parallel = setup->parallel;
  return prepare(*runs, options, setup);
}

static void destroy(void *worker) {
  gannet_command_runs *old = worker;
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  while (old->n > 0) gannet_command_runs_remove(old, &old->run[old->n - 1]);
  gannet_program_release(&old->program);
  gannet_free(&old->run);
  gannet_free(&old->held);
  gannet_result_queue_release(&old->ready);
  gannet_free(&old);
}

static gannet_err add_attempt(gannet_command_runs *runs, const gannet_request *request) {
  const size_t d = (size_t)runs->program.contract.problem->spec.n_variables;
  double *x = NULL;
  if (runs->n == runs->capacity) {
    const int larger = 2 * runs->capacity + 8;
    GANNET_TRY(
        gannet_resize((size_t)runs->capacity, (size_t)larger, sizeof *runs->run, &runs->run));
    runs->capacity = larger;
  }
  gannet_command_run *made = &runs->run[runs->n];
  memset(made, 0, sizeof *made);
  GANNET_TRY(gannet_attempt_begin(&runs->program, request, runs->run, runs->n, sizeof *made,
                                  &made->attempt));
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  memcpy(x, request->x_user, d * sizeof *x);
  made->request = *request;
  made->request.x_user = x;
  runs->n += 1;
  return GANNET_OK;
}

static gannet_err abandon(gannet_command_runs *runs, gannet_command_run *one) {
  one->attempt.unwanted = true;
  return gannet_launcher_kill(runs->launcher, one->attempt.id,
                              fmin(runs->program.options->kill_grace, longest_cancel));
}

static gannet_err submit(void *worker, int n, const gannet_request *requests) {
  gannet_command_runs *runs = worker;
  const int before = runs->n;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_check_request(&runs->program, runs->context, &requests[i], &runs->ready,
                                       &fits);
    if (err == GANNET_OK && fits) err = add_attempt(runs, &requests[i]);
    if (err == GANNET_OK && fits) err = gannet_command_runs_launch(runs);
  }
  if (err == GANNET_OK) return GANNET_OK;
  /* The first error is the one to report; a helper that is dead has killed its children itself. */
  for (int i = runs->n - 1; i >= before; --i) {
    if (runs->run[i].stage == GANNET_RUN_WAITS)
      gannet_command_runs_remove(runs, &runs->run[i]);
    else
      (void)!abandon(runs, &runs->run[i]);
  }
  return err;
}

static bool is_refused_a_step(const gannet_command_runs *runs,
                              const gannet_current_attempt *attempt,
                              const gannet_result_record *result) {
  const gannet_stopping *stopping = runs->program.rules.limits.stopping;
  const char *job = getenv("SLURM_JOB_ID");
  return result->status == GANNET_EVAL_FAILED && job && *job && stopping && stopping->ask &&
         gannet_slurm_step_is_refused(attempt->directory, job);
}

/* All that would follow would fail as well, and none of it says anything about its design. */
static void end_with_the_job(const gannet_command_runs *runs,
                             const gannet_current_attempt *attempt) {
  gannet_log(runs->context, GANNET_LOG_WARNING,
             "evaluation %lld, attempt %d: SLURM takes no further steps of this job, which is at "
             "its end; it is run again after a resume",
             (long long)attempt->id, attempt->number);
  gannet_attempt_forget(attempt->directory);
  runs->program.rules.limits.stopping->ask();
}

/* A shell tells the signal that ended its program by its exit code. */
static bool is_ended_from_outside(const gannet_launch_event *event) {
  const int signal = event->signal ? event->signal : event->exit_code - 128;
  return event->type == GANNET_LAUNCH_ENDED && !event->limit && !event->cancelled &&
         gannet_contract_is_from_outside(signal);
}

/* Whether an attempt ended because the program that was to start it could not; the user's own rules
 * come first. That it ends so again after others have run is the simulation's own matter. */
static bool is_not_started(gannet_command_runs *runs, const gannet_command_run *one,
                           const gannet_result_record *result, char *words, size_t size) {
  if (!gannet_command_runs_can_wait(runs) || runs->words_are_own ||
      result->status != GANNET_EVAL_FAILED || result->retry ||
      result->run.failure != GANNET_FAILURE_EXIT || one->counts_anyway)
    return false;
  if (!gannet_outage_in_stderr(one->attempt.directory, &runs->program.options->command,
                               result->run.exit_code, words, size))
    return false;
  runs->words_are_own = one->told > 0 && runs->proof > one->told;
  return !runs->words_are_own;
}

/* What an attempt has left by then is moved aside when it is tried again. */
static void wait_after_words(gannet_command_runs *runs, gannet_command_run *one, int exit_code,
                             const char *words) {
  char reason[GANNET_REASON_SIZE];
  (void)snprintf(reason, sizeof reason, "cannot start (exit code %d): %.200s", exit_code, words);
  gannet_utf8_line(reason);
  const gannet_outage_sign sign = {.by_words = true, .is_lasting = true, .reason = reason};
  one->told = gannet_clock_seconds();
  one->stage = GANNET_RUN_WAITS;
  one->has_directory = one->is_filled = false;
  gannet_command_runs_note_outage(runs, one, &sign);
}

static void wait_after_refusal(gannet_command_runs *runs, gannet_command_run *one,
                               const gannet_launch_event *event, const char *reason) {
  const gannet_outage_sign sign = {.is_lasting = gannet_outage_is_lasting(event->error),
                                   .reason = reason};
  one->stage = GANNET_RUN_WAITS;
  if (gannet_path_is_gone(one->attempt.directory)) one->has_directory = one->is_filled = false;
  gannet_command_runs_note_outage(runs, one, &sign);
}

/* An attempt has ended, and not for want of a start. One that was given up says nothing: whether it
 * met an outage is shown by the next one. Twice, and simulations end with such words by themselves.
 */
static void see_proof(gannet_command_runs *runs, const gannet_command_run *one) {
  gannet_outage *outage = &runs->outage;
  if (one->counts_anyway) {
    runs->given_up += 1;
    outage->several = true;
    outage->trial = -1;
    outage->since = gannet_clock_seconds();
    return;
  }
  runs->words_are_own = runs->words_are_own || runs->given_up > 1;
  runs->proof = fmax(runs->proof, one->begun);
  if (one->begun > outage->since) gannet_outage_end(runs->context, outage);
}

static gannet_err hold(gannet_command_runs *runs, const gannet_launch_event *event,
                       bool is_unread) {
  if (runs->n_held == runs->held_capacity) {
    const int larger = 2 * runs->held_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)runs->held_capacity, (size_t)larger, sizeof *runs->held,
                             &runs->held));
    runs->held_capacity = larger;
  }
  runs->held[runs->n_held++] =
      (gannet_command_run_end){*event, gannet_clock_seconds() + longest_delay, is_unread};
  return GANNET_OK;
}

/* What an attempt reported cannot be read for now: it is read again every second, until patience is
 * over. Then the loop gets the attempt back, and a resume finds it by its outcome.json. */
static gannet_err wait_to_read(gannet_command_runs *runs, gannet_command_run *one,
                               const gannet_launch_event *event, gannet_result_record *result,
                               bool *is_over) {
  char limit[32];
  const double now = gannet_clock_seconds(), patience = runs->program.options->patience;
  if (!gannet_command_runs_can_wait(runs)) {
    result->status = GANNET_EVAL_FAILED;
    result->retry = true;
  }
  *is_over = result->status == GANNET_EVAL_FAILED ||
             (one->unread_since > 0 && now - one->unread_since >= patience);
  if (*is_over) return gannet_result_queue_add(&runs->ready, result);
  if (!(one->unread_since > 0)) {
    gannet_format_duration(patience, limit, sizeof limit);
    gannet_log(runs->context, GANNET_LOG_WARNING,
               "evaluation %lld: %s; it is read again until it can be read, for %s "
               "(evaluate.patience), then the campaign stops and can be resumed",
               (long long)one->attempt.id, result->run.reason, limit);
    one->unread_since = now;
  }
  return hold(runs, event, true);
}

/* An attempt is over, unless it is made again, now, as it was never started, or after a resume; or
 * its results are read again. */
static gannet_err classify(gannet_command_runs *runs, gannet_command_run *one,
                           const gannet_launch_event *event, bool *is_over) {
  const gannet_current_attempt *attempt = &one->attempt;
  gannet_result_record result;
  char words[GANNET_REASON_SIZE];
  gannet_result_queue_begin(&runs->ready, &result);
  gannet_attempt_identify(attempt, &result);
  GANNET_TRY(gannet_classify_outcome(runs->program.contract.problem, &runs->program.rules,
                                     attempt->directory, event, &result));
  GANNET_TRY(gannet_contract_check_space(attempt->directory, &result));
  if (is_refused_a_step(runs, attempt, &result)) {
    end_with_the_job(runs, attempt);
    return GANNET_OK;
  }
  if (gannet_contract_is_unread(&result)) return wait_to_read(runs, one, event, &result, is_over);
  if (result.status == GANNET_EVAL_PENDING) return GANNET_OK; /* its outcome.json will be found */
  *is_over = false;
  if (event->type == GANNET_LAUNCH_REFUSED && gannet_command_runs_can_wait(runs)) {
    wait_after_refusal(runs, one, event, result.run.reason);
    return GANNET_OK;
  }
  if (is_not_started(runs, one, &result, words, sizeof words)) {
    wait_after_words(runs, one, result.run.exit_code, words);
    return GANNET_OK;
  }
  *is_over = true;
  see_proof(runs, one);
  return gannet_result_queue_add(&runs->ready, &result);
}

static gannet_err mark(const gannet_command_runs *runs, const gannet_current_attempt *attempt,
                       const gannet_launch_event *event) {
  const gannet_attempt_runner runner = {.attempt = attempt->number,
                                        .nonce = attempt->nonce,
                                        .pid = event->pid,
                                        .slot = attempt->slot,
                                        .submitted = attempt->submitted,
                                        .started = event->started};
  if (gannet_attempt_write(attempt->directory, &runner) != GANNET_OK) {
    gannet_log(runs->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
    gannet_error_clear();
  }
  return GANNET_OK;
}

static gannet_err end(gannet_command_runs *runs, gannet_command_run *one,
                      const gannet_launch_event *event) {
  bool is_over = true;
  const gannet_err err = one->attempt.unwanted ? GANNET_OK : classify(runs, one, event, &is_over);
  if (!is_over) return err;
  /* A full disk ends the campaign with the first that fails; others have failed by it, too. */
  if (one->attempt.unwanted && !event->cancelled &&
      !gannet_directory_has_room(one->attempt.directory))
    gannet_attempt_forget(one->attempt.directory);
  gannet_command_runs_remove(runs, one);
  return err;
}

static gannet_err begin(gannet_command_runs *runs, gannet_command_run *one,
                        const gannet_launch_event *event) {
  one->stage = GANNET_RUN_RUNS;
  one->begun = gannet_clock_seconds();
  runs->has_begun = true;
  if (!runs->outage.by_words) gannet_outage_end(runs->context, &runs->outage);
  return mark(runs, &one->attempt, event);
}

static gannet_err handle(gannet_command_runs *runs, const gannet_launch_event *event) {
  gannet_command_run *one = gannet_command_runs_find(runs, event->tag);
  if (!one) return GANNET_OK; /* of an evaluator that used this launcher before */
  if (event->type == GANNET_LAUNCH_STARTED) return begin(runs, one, event);
  if (!one->attempt.unwanted && is_ended_from_outside(event)) return hold(runs, event, false);
  return end(runs, one, event);
}

/* Those that were held for long enough; all that are held once this process stops, too: what ended
 * with it is made again after a resume, and what could not be read is found by its files. */
static gannet_err end_held(gannet_command_runs *runs, bool stopped) {
  const double now = gannet_clock_seconds();
  int n = 0;
  gannet_err err = GANNET_OK;
  for (; n < runs->n_held && (stopped || runs->held[n].until <= now); ++n) {
    const gannet_command_run_end held = runs->held[n]; /* the array may move meanwhile */
    gannet_command_run *one = gannet_command_runs_find(runs, held.event.tag);
    if (stopped) {
      if (!held.is_unread) gannet_attempt_forget(one->attempt.directory);
      gannet_command_runs_remove(runs, one);
    } else if (err == GANNET_OK) {
      err = end(runs, one, &held.event);
    }
  }
  if (n == 0) return GANNET_OK;
  runs->n_held -= n;
  memmove(runs->held, runs->held + n, (size_t)runs->n_held * sizeof *runs->held);
  return err;
}

/* Everything that has happened by now, or the first thing that happens within wait seconds. After a
 * judgement that took long the caller looks first whether the program is to end. */
static gannet_err take_events(gannet_command_runs *runs, double wait, bool *any) {
  gannet_launch_event event;
  bool got = true;
  const double until = gannet_clock_seconds() + wait + longest_classifying;
  *any = false;
  while (got && (!*any || gannet_clock_seconds() < until)) {
    GANNET_TRY(gannet_launcher_wait(runs->launcher, *any ? 0 : wait, &event, &got));
    if (got) GANNET_TRY(handle(runs, &event));
    *any = *any || got;
  }
  return GANNET_OK;
}

static gannet_err wait_for(void *worker, double wait) {
  gannet_command_runs *runs = worker;
  const double until = gannet_clock_seconds() + wait;
  bool any = true;
  GANNET_TRY(take_events(runs, 0, &any));
  GANNET_TRY(end_held(runs, gannet_program_is_stopped(&runs->program)));
  GANNET_TRY(gannet_command_runs_go_on(runs));
  while (runs->ready.n == 0) {
    const double now = gannet_clock_seconds(), left = until - now;
    const double due = gannet_command_runs_due(runs) - now;
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(take_events(runs, fmax(fmin(left, due), 0), &any));
    GANNET_TRY(end_held(runs, gannet_program_is_stopped(&runs->program)));
    GANNET_TRY(gannet_command_runs_go_on(runs));
    if (!any && due > left) return GANNET_OK; /* time is up, or a signal that the caller sees */
    if (gannet_program_is_stopped(&runs->program)) return GANNET_OK;
  }
  return GANNET_OK;
}

static gannet_err cancel(void *worker) {
  gannet_command_runs *runs = worker;
  const double until =
      gannet_clock_seconds() + fmin(runs->program.options->kill_grace, longest_cancel) + 5;
  bool any = false;
  GANNET_TRY(end_held(runs, true));
  for (int i = runs->n - 1; i >= 0; --i)
    if (runs->run[i].stage == GANNET_RUN_WAITS) gannet_command_runs_remove(runs, &runs->run[i]);
  for (int i = 0; i < runs->n; ++i) GANNET_TRY(abandon(runs, &runs->run[i]));
  while (runs->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", runs->n);
    GANNET_TRY(take_events(runs, 1, &any));
  }
  return GANNET_OK;
}

/* The attempt is made anew, so nothing of the old one may run beside it. */
static void end_leftovers(gannet_command_runs *runs, const gannet_current_attempt *attempt) {
  gannet_attempt_info sight;
  char host[GANNET_HOST_SIZE];
  gannet_host_name(host);
  if (!gannet_attempt_read(attempt->directory, &sight) || sight.nonce != attempt->nonce) return;
  if (strcmp(sight.host, host) != 0) {
    if (sight.pid > 0 && !runs->has_other_host)
      gannet_log(
          runs->context, GANNET_LOG_WARNING,
          "evaluation %lld was begun on %s, as process %d, and is begun anew here: should it "
          "still run there, end it",
          (long long)attempt->id, sight.host, sight.pid);
    runs->has_other_host = runs->has_other_host || sight.pid > 0;
    return;
  }
  const gannet_leftovers leftovers = {.directory = attempt->directory,
                                      .nonce = attempt->nonce,
                                      .pid = sight.pid,
                                      .process = sight.process};
  const int ended =
      gannet_leftovers_kill(&leftovers, fmin(runs->program.options->kill_grace, longest_cancel));
  if (ended > 0)
    gannet_log(runs->context, GANNET_LOG_WARNING,
               "evaluation %lld: %d process%s that an earlier gannet had left running %s ended; it "
               "is begun anew",
               (long long)attempt->id, ended, ended == 1 ? "" : "es", ended == 1 ? "was" : "were");
}

static gannet_err recover(void *worker, const gannet_request *request, bool *taken) {
  gannet_command_runs *runs = worker;
  gannet_launch_event event;
  bool is_over = true;
  GANNET_TRY(add_attempt(runs, request));
  gannet_command_run *one = &runs->run[runs->n - 1];
  const char *directory = one->attempt.directory;
  gannet_attempt_recall(&one->attempt);
  GANNET_TRY(gannet_attempt_check_files(directory));
  if (!gannet_contract_find_outcome(directory, request->nonce, &event, NULL)) {
    end_leftovers(runs, &one->attempt);
    gannet_command_runs_remove(runs, one);
    return GANNET_OK;
  }
  event.tag = request->id;
  one->stage = GANNET_RUN_RUNS;
  /* One that failed when the job of its process was at its end has not been begun. */
  *taken = event.exit_code == 0 || !gannet_slurm_step_is_refused(directory, NULL);
  if (*taken) GANNET_TRY(classify(runs, one, &event, &is_over));
  if (one->stage == GANNET_RUN_WAITS) *taken = false; /* it was never started */
  if (is_over || !*taken) gannet_command_runs_remove(runs, one);
  return GANNET_OK;
}

static gannet_result_queue *ready_of(void *worker) {
  return &((gannet_command_runs *)worker)->ready;
}

const gannet_root_evaluator_type gannet_command_root_evaluator = {.destroy = destroy,
                                                                  .submit = submit,
                                                                  .wait = wait_for,
                                                                  .cancel = cancel,
                                                                  .recover = recover,
                                                                  .ready = ready_of};
