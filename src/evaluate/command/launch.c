/* Launching attempts that wait, and giving them back when nothing can be started. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "evaluate/command/worker.h"

/* Seconds. */
static const double first_patience = 5;     /* before anything has run, an error that waiting seldom
                                               cures is tried again for so long */
static const double doubtful_patience = 30; /* for so long, words that only one evaluation has met
                                               are taken for those of an outage */

/* Make the files of an attempt, except those that an earlier try has made. */
static gannet_err prepare_files(const gannet_program *program, gannet_worker_run *one,
                                const gannet_bindings *bindings) {
  const gannet_attempt_handover handover = {
      .slot = one->attempt.slot,
      .submitted = one->attempt.submitted,
      .place = one->attempt.place[0] ? one->attempt.place : NULL};
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

static gannet_err send_launch(gannet_worker *w, const gannet_worker_run *one,
                              const gannet_command_line *with) {
  char outcome[PATH_MAX], results[PATH_MAX];
  bool may_use[GANNET_PROCESSORS_MOST];
  const bool is_placed = one->place.n_nodes > 0 && w->placement.is_bound;
  if (is_placed) (void)gannet_place_processors(&w->placement.inventory, &one->place, may_use);
  const gannet_program *program = &w->program;
  const char *directory = one->attempt.directory;
  GANNET_TRY(gannet_join_path(directory, "outcome.json", outcome, sizeof outcome));
  GANNET_TRY(gannet_join_path(directory, "results.out", results, sizeof results));
  const gannet_launch launch = {.tag = one->request.id,
                                .directory = directory,
                                .program = program->program,
                                .arguments = (const char *const *)with->arguments.item,
                                .environment = (const char *const *)with->environment.item,
                                .time_limit = w->time_limit,
                                .grace = program->options->kill_grace,
                                .outcome = outcome,
                                .results = results,
                                .nonce = one->request.nonce,
                                .may_use = is_placed ? may_use : NULL,
                                .unbinds_mpirun = w->parallel > 1 || one->place.n_nodes > 0};
  return gannet_launcher_launch(w->launcher, &launch);
}

static gannet_err launch_one(gannet_worker *w, gannet_worker_run *one) {
  gannet_command_line with = {0};
  gannet_place_words words;
  one->tries += 1;
  if (one->place.n_nodes > 0) {
    gannet_place_describe(&w->placement.inventory, w->placement.resources, &one->place,
                          w->placement.starter, &words);
    memcpy(one->attempt.place, words.shown, sizeof words.shown);
    one->request.place = &words;
  }
  if (w->outage.is_on) w->outage.trial = one->attempt.id;
  gannet_err err = gannet_command_line_create(&w->program, &one->request, one->attempt.directory,
                                              one->attempt.slot, &with);
  if (err == GANNET_OK) err = prepare_files(&w->program, one, &with.bindings);
  /* A file server that restarts, input files that are away, no memory: it may pass. A full disk and
   * a campaign that was moved away do not. */
  const bool may_pass =
      gannet_worker_can_wait(w) &&
      (err == GANNET_ERR_IO || err == GANNET_ERR_MISSING || err == GANNET_ERR_MEMORY) &&
      !gannet_path_is_gone(w->program.evaluations);
  if (may_pass) {
    const gannet_outage_sign sign = {.is_lasting = err == GANNET_ERR_MISSING,
                                     .reason = gannet_error_detail()};
    gannet_worker_put_off(w, one, &sign);
    gannet_error_clear();
    err = GANNET_OK;
  } else if (err == GANNET_OK) {
    err = send_launch(w, one, &with);
    if (err == GANNET_OK) one->stage = GANNET_RUN_SENT;
  }
  gannet_command_line_release(&with);
  one->request.place = NULL;
  return err;
}

gannet_err gannet_worker_check_room(gannet_worker *w, const gannet_request *request,
                                    gannet_need *need, bool *fits) {
  char why[GANNET_REASON_SIZE] = "";
  gannet_result_record result;
  if (!w->placement.resources) return GANNET_OK;
  GANNET_TRY(gannet_placement_need(&w->placement, request->x_user, need, why));
  *fits = !why[0];
  if (*fits) return GANNET_OK;
  gannet_result_queue_begin(&w->ready, &result);
  result.id = request->id;
  result.run.attempts = request->attempt;
  if (gannet_inventory_has_lost(&w->placement.inventory) && gannet_worker_can_wait(w)) {
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "after nodes were lost %.200s",
                   why);
  } else {
    gannet_result_fail(&result, false, "%s", why);
  }
  return gannet_result_queue_add(&w->ready, &result);
}

gannet_err gannet_worker_launch_waiting(gannet_worker *w) {
  const gannet_outage *outage = &w->outage;
  while (!outage->is_on || (outage->trial < 0 && gannet_clock_seconds() >= outage->next_try)) {
    gannet_worker_run *next = gannet_worker_next_waiting(w);
    if (!next) return GANNET_OK;
    if (w->placement.resources && next->place.n_nodes == 0) {
      bool taken = false;
      GANNET_TRY(gannet_place_take(w->placement.places, &next->need, &next->place, &taken));
      if (!taken && gannet_inventory_has_lost(&w->placement.inventory)) {
        bool fits = true;
        GANNET_TRY(gannet_worker_check_room(w, &next->request, &next->need, &fits));
        if (fits) return GANNET_OK;
        gannet_worker_remove_run(w, next);
        continue;
      }
      if (!taken) return GANNET_OK;
    }
    GANNET_TRY(launch_one(w, next));
  }
  return GANNET_OK;
}

/* Give attempts that were never started back to the loop, which makes them after a resume. */
static gannet_err give_back(gannet_worker *w, const char *reason) {
  gannet_result_record result;
  for (int i = w->n - 1; i >= 0; --i) {
    gannet_worker_run *one = &w->runs[i];
    if (one->stage != GANNET_RUN_WAITS || one->attempt.unwanted) continue;
    gannet_result_queue_begin(&w->ready, &result);
    gannet_attempt_identify(&one->attempt, &result);
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
    GANNET_TRY(gannet_result_queue_add(&w->ready, &result));
    gannet_worker_remove_run(w, one);
  }
  return GANNET_OK;
}

/* Act on an outage that has lasted for too long. */
static gannet_err lose_patience(gannet_worker *w) {
  const gannet_outage *outage = &w->outage;
  /* Only one evaluation has been met, by words that it may itself have brought about. */
  const bool is_doubtful = outage->by_words && !outage->several;
  const double patience = w->program.options->patience;
  const double lasted = gannet_clock_seconds() - outage->since;
  const bool ever = outage->by_words ? w->last_real_start > 0 : w->has_begun;
  if (!outage->is_on) return GANNET_OK;
  if (!ever && outage->is_lasting && !is_doubtful && lasted >= fmin(patience, first_patience))
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "no simulation can be started: %s; correct it and resume: no evaluation "
                        "counts as failed",
                        outage->reason);
  if (is_doubtful && lasted >= fmin(patience, ever ? doubtful_patience : first_patience)) {
    gannet_worker_run *one = gannet_worker_find_run(w, outage->first);
    if (one) one->counts_anyway = true;
    return GANNET_OK;
  }
  return lasted >= patience ? give_back(w, outage->reason) : GANNET_OK;
}

gannet_err gannet_worker_launch_or_give_back(gannet_worker *w) {
  if (w->n == 0) return GANNET_OK;
  if (gannet_worker_can_wait(w) && gannet_program_begins_nothing(&w->program))
    return give_back(w, "");
  /* A simulation that a shell or launcher has started is known by its running on. */
  const gannet_worker_run *trial = gannet_worker_find_run(w, w->outage.trial);
  if (trial && trial->stage == GANNET_RUN_STARTED &&
      gannet_clock_seconds() >= trial->begun + w->outage.proof)
    gannet_outage_end(w->context, &w->outage);
  GANNET_TRY(lose_patience(w));
  return gannet_worker_launch_waiting(w);
}

double gannet_worker_next_due(gannet_worker *w) {
  const gannet_outage *outage = &w->outage;
  double due = w->n_held > 0 ? w->held[0].until : INFINITY;
  const gannet_worker_run *one = outage->is_on ? gannet_worker_find_run(w, outage->trial) : NULL;
  if (one && one->stage == GANNET_RUN_STARTED) due = fmin(due, one->begun + outage->proof);
  if (!gannet_worker_next_waiting(w)) return due;
  if (outage->is_on && outage->trial < 0) due = fmin(due, outage->next_try);
  if (w->placement.resources) due = fmin(due, gannet_places_next_opening(w->placement.places));
  return due;
}
