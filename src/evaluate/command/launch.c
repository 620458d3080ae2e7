/* Launching attempts, and what is done while none can be started. */
#include "evaluate/command/runs.h"

#include <math.h>
#include <stdio.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"

/* Seconds for which an error that waiting seldom cures is tried again before anything has run. */
static const double first_patience = 5;
/* Seconds for which words that only one evaluation has met are taken for an outage. */
static const double doubtful_patience = 30;
/* Seconds after which a shell or launcher that runs must have started the simulation. */
static const double longest_start = 5;

gannet_command_run *gannet_command_runs_find(gannet_command_runs *runs, int64_t id) {
  for (int i = 0; i < runs->n; ++i)
    if (runs->run[i].attempt.id == id) return &runs->run[i];
  return NULL;
}

void gannet_command_runs_remove(gannet_command_runs *runs, gannet_command_run *one) {
  double *x = (double *)(uintptr_t)one->request.x_user;
  if (runs->outage.trial == one->attempt.id) runs->outage.trial = -1;
  gannet_free(&x);
  *one = runs->run[--runs->n];
}

/* The files of an attempt: what an earlier try of it has made is not made again. */
static gannet_err prepare_files(const gannet_program *program, gannet_command_run *one,
                                const gannet_bindings *bindings) {
  const gannet_attempt_handover handover = {.slot = one->attempt.slot,
                                            .submitted = one->attempt.submitted};
  if (!one->has_directory)
    GANNET_TRY(gannet_contract_make_directory(one->attempt.directory, one->request.attempt - 1,
                                              program->contract.durable));
  one->has_directory = true;
  if (!one->is_filled)
    GANNET_TRY(gannet_contract_fill_directory(&program->contract, &one->request, bindings,
                                              one->attempt.directory, &handover));
  one->is_filled = true;
  return GANNET_OK;
}

static gannet_err send_launch(gannet_command_runs *runs, const gannet_command_run *one,
                              const gannet_command_line *with) {
  char outcome[PATH_MAX], results[PATH_MAX];
  const gannet_program *program = &runs->program;
  const char *directory = one->attempt.directory;
  GANNET_TRY(gannet_join_path(directory, "outcome.json", outcome, sizeof outcome));
  GANNET_TRY(gannet_join_path(directory, "results.out", results, sizeof results));
  const gannet_launch launch = {.tag = one->request.id,
                                .directory = directory,
                                .program = program->program,
                                .arguments = (const char *const *)with->arguments.item,
                                .environment = (const char *const *)with->environment.item,
                                .time_limit = runs->time_limit,
                                .grace = program->options->kill_grace,
                                .outcome = outcome,
                                .results = results,
                                .nonce = one->request.nonce,
                                .unbinds_mpirun = runs->parallel > 1};
  return gannet_launcher_launch(runs->launcher, &launch);
}

/* Without a loop that can stop, an attempt that cannot be started is a failed one. */
bool gannet_command_runs_can_wait(const gannet_command_runs *runs) {
  const gannet_stopping *stopping = runs->program.rules.limits.stopping;
  return stopping && stopping->begins_nothing;
}

static bool begins_nothing(const gannet_command_runs *runs) {
  const gannet_stopping *stopping = runs->program.rules.limits.stopping;
  return gannet_command_runs_can_wait(runs) && stopping->begins_nothing(stopping->user);
}

void gannet_command_runs_note_outage(gannet_command_runs *runs, const gannet_command_run *one,
                                     const gannet_outage_sign *sign) {
  gannet_outage_note(runs->context, &runs->outage, one->attempt.id, sign,
                     runs->program.options->patience);
}

/* A file server that restarts, input files that are away, no memory: it may pass. A full disk and a
 * campaign that was moved away do not. */
static bool may_pass(const gannet_command_runs *runs, gannet_err err) {
  return gannet_command_runs_can_wait(runs) &&
         (err == GANNET_ERR_IO || err == GANNET_ERR_MISSING || err == GANNET_ERR_MEMORY) &&
         !gannet_path_is_gone(runs->program.evaluations);
}

static gannet_err launch_one(gannet_command_runs *runs, gannet_command_run *one) {
  gannet_command_line with = {0};
  one->tries += 1;
  if (runs->outage.is_on) runs->outage.trial = one->attempt.id;
  gannet_err err = gannet_command_line_create(&runs->program, &one->request, one->attempt.directory,
                                              one->attempt.slot, &with);
  if (err == GANNET_OK) err = prepare_files(&runs->program, one, &with.bindings);
  if (err != GANNET_OK && may_pass(runs, err)) {
    const gannet_outage_sign sign = {.is_lasting = err == GANNET_ERR_MISSING,
                                     .reason = gannet_error_detail()};
    gannet_command_runs_note_outage(runs, one, &sign);
    gannet_error_clear();
    err = GANNET_OK;
  } else if (err == GANNET_OK) {
    err = send_launch(runs, one, &with);
    if (err == GANNET_OK) one->stage = GANNET_RUN_SENT;
  }
  gannet_command_line_release(&with);
  return err;
}

/* The one that was tried least. */
static gannet_command_run *next_waiting(gannet_command_runs *runs) {
  gannet_command_run *next = NULL;
  for (int i = 0; i < runs->n; ++i) {
    gannet_command_run *one = &runs->run[i];
    if (one->stage == GANNET_RUN_WAITS && !one->attempt.unwanted &&
        (!next || one->tries < next->tries))
      next = one;
  }
  return next;
}

/* In an outage one at a time is tried. */
gannet_err gannet_command_runs_launch(gannet_command_runs *runs) {
  const gannet_outage *outage = &runs->outage;
  while (!outage->is_on || (outage->trial < 0 && gannet_clock_seconds() >= outage->next_try)) {
    gannet_command_run *next = next_waiting(runs);
    if (!next) return GANNET_OK;
    GANNET_TRY(launch_one(runs, next));
  }
  return GANNET_OK;
}

/* Attempts that were never started go back to the loop, which makes them after a resume. */
static gannet_err give_back(gannet_command_runs *runs, const char *reason) {
  gannet_result_record result;
  for (int i = runs->n - 1; i >= 0; --i) {
    gannet_command_run *one = &runs->run[i];
    if (one->stage != GANNET_RUN_WAITS || one->attempt.unwanted) continue;
    gannet_result_queue_begin(&runs->ready, &result);
    gannet_attempt_identify(&one->attempt, &result);
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
    GANNET_TRY(gannet_result_queue_add(&runs->ready, &result));
    gannet_command_runs_remove(runs, one);
  }
  return GANNET_OK;
}

/* Only one evaluation has been met, by words that it may itself have brought about. */
static bool is_doubtful(const gannet_outage *outage) {
  return outage->by_words && !outage->several;
}

/* An outage that has lasted for too long. */
static gannet_err lose_patience(gannet_command_runs *runs) {
  gannet_outage *outage = &runs->outage;
  const double patience = runs->program.options->patience;
  const double lasted = gannet_clock_seconds() - outage->since;
  const bool ever = outage->by_words ? runs->proof > 0 : runs->has_begun;
  if (!outage->is_on) return GANNET_OK;
  if (!ever && outage->is_lasting && !is_doubtful(outage) &&
      lasted >= fmin(patience, first_patience))
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "no simulation can be started: %s; correct it and resume: no evaluation "
                        "counts as failed",
                        outage->reason);
  if (is_doubtful(outage) && lasted >= fmin(patience, ever ? doubtful_patience : first_patience)) {
    gannet_command_run *one = gannet_command_runs_find(runs, outage->first);
    if (one) one->counts_anyway = true;
    return GANNET_OK;
  }
  return lasted >= patience ? give_back(runs, outage->reason) : GANNET_OK;
}

/* A simulation that a shell or launcher has started is known by its running on. */
static void see_trial(gannet_command_runs *runs) {
  const gannet_command_run *one = gannet_command_runs_find(runs, runs->outage.trial);
  if (one && one->stage == GANNET_RUN_RUNS && gannet_clock_seconds() >= one->begun + longest_start)
    gannet_outage_end(runs->context, &runs->outage);
}

/* What waits is launched, or given back when nothing is to begin any more. */
gannet_err gannet_command_runs_go_on(gannet_command_runs *runs) {
  if (runs->n == 0) return GANNET_OK;
  if (begins_nothing(runs)) return give_back(runs, "");
  see_trial(runs);
  GANNET_TRY(lose_patience(runs));
  return gannet_command_runs_launch(runs);
}

/* When something is to be done though no event comes; gannet_clock_seconds. */
double gannet_command_runs_due(gannet_command_runs *runs) {
  const gannet_outage *outage = &runs->outage;
  double due = runs->n_held > 0 ? runs->held[0].until : INFINITY;
  const gannet_command_run *one =
      outage->is_on ? gannet_command_runs_find(runs, outage->trial) : NULL;
  if (one && one->stage == GANNET_RUN_RUNS) due = fmin(due, one->begun + longest_start);
  if (outage->is_on && outage->trial < 0 && next_waiting(runs)) due = fmin(due, outage->next_try);
  return due;
}
