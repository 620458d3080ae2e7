/* What happens to attempts that were launched: they start, they end, and their ends are classified.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/command/lost_node.h"
#include "evaluate/command/worker.h"

/* Seconds. */
static const double longest_classifying = 1; /* in a row, before the caller looks for a stop */
static const double longest_hold = 1; /* a signal to all processes may take so long to get here */

/* Whether an attempt ended because a shell or launcher could not start the simulation, as the words
 * in its stderr.log tell. The user's own rules come first. When it ends so again, although others
 * have run in the meantime, such words are those of the simulation. */
static bool is_not_started(gannet_worker *w, const gannet_worker_run *one,
                           const gannet_result_record *result, char *words, size_t size) {
  if (!gannet_worker_can_wait(w) || result->status != GANNET_EVAL_FAILED || result->retry ||
      result->run.failure != GANNET_FAILURE_EXIT || one->counts_anyway)
    return false;
  if (!gannet_outage_in_stderr(one->attempt.directory, &w->program.options->command,
                               w->program.options->shell, result->run.exit_code, words, size))
    return false;
  if (gannet_outage_is_of_slurm(words)) return true;
  if (w->words_are_own) return false;
  w->words_are_own = one->last_failed_start > 0 && w->last_real_start > one->last_failed_start;
  return !w->words_are_own;
}

/* Note the end of an attempt that was started, which ends an outage. An attempt that counts anyway
 * proves nothing: the next one shows whether the outage goes on. After two of them, such words are
 * taken for those of the simulation. */
static void note_real_end(gannet_worker *w, const gannet_worker_run *one) {
  gannet_outage *outage = &w->outage;
  if (one->counts_anyway) {
    w->given_up += 1;
    outage->several = true;
    outage->trial = -1;
    outage->since = gannet_clock_seconds();
    return;
  }
  w->words_are_own = w->words_are_own || w->given_up > 1;
  w->last_real_start = fmax(w->last_real_start, one->begun);
  if (one->begun > outage->since) gannet_outage_end(w->context, outage);
}

static gannet_err hold_end(gannet_worker *w, const gannet_launch_event *event, bool is_unread) {
  if (w->n_held == w->held_capacity) {
    const int larger = 2 * w->held_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)w->held_capacity, (size_t)larger, sizeof *w->held, &w->held));
    w->held_capacity = larger;
  }
  w->held[w->n_held++] =
      (gannet_worker_held){*event, gannet_clock_seconds() + longest_hold, is_unread};
  return GANNET_OK;
}

/* Let an attempt wait for another place where a node has failed under it. Unless srun could not
 * reach the node, SLURM is asked; meanwhile the end is held. It is doubtful whether node or
 * simulation is to blame for a step that srun could not make on a node of which SLURM knows nothing
 * bad, or while SLURM does not answer and no simulation has worked: a simulation may call srun
 * itself, by mistake. For that no node is lost; the second time the attempt counts.
 *
 * counts  out  false when the attempt is made again elsewhere, or when its end is held
 */
static gannet_err leave_nodes(gannet_worker *w, gannet_worker_run *one,
                              const gannet_launch_event *event, bool *counts) {
  gannet_inventory *inventory = &w->placement.inventory;
  gannet_lost_nodes lost;
  gannet_inquiry_state asked = GANNET_INQUIRY_FAILED;
  GANNET_TRY(gannet_lost_nodes_find(&w->placement, &one->place, one->attempt.directory, &lost));
  if (lost.n_nodes > 0 && lost.kind != GANNET_LOST_UNREACHED) {
    if (one->in_doubt <= 0) one->in_doubt = gannet_clock_seconds();
    asked = gannet_node_inquiry_ask(&w->inquiry, w->launcher, inventory, one->in_doubt);
  }
  if (asked == GANNET_INQUIRY_ANSWERED) gannet_lost_nodes_confirm(inventory, &lost);
  const bool is_doubtful =
      lost.all_available ||
      (asked == GANNET_INQUIRY_FAILED && lost.kind == GANNET_LOST_REFUSED && !w->has_worked);
  const bool is_left =
      asked != GANNET_INQUIRY_RUNS && lost.n_nodes > 0 && !(is_doubtful && one->refusals++ > 0);
  if (is_left)
    gannet_lost_nodes_leave_out(&lost, inventory, one->begun, !is_doubtful, one->attempt.id,
                                w->context);
  gannet_free(&lost.node);
  *counts = !is_left && asked != GANNET_INQUIRY_RUNS;
  if (asked == GANNET_INQUIRY_RUNS) return hold_end(w, event, false);
  one->in_doubt = 0;
  if (*counts) return GANNET_OK;
  gannet_place_give_back(w->placement.places, &one->place);
  one->stage = GANNET_RUN_WAITS;
  one->has_directory = one->is_filled = false; /* what it has left is moved aside */
  return GANNET_OK;
}

/* Read the results of an attempt again every second, as they cannot be read for now, until patience
 * is over. Then the loop gets the attempt back, and a resume finds it by its outcome.json. */
static gannet_err wait_to_read(gannet_worker *w, gannet_worker_run *one,
                               const gannet_launch_event *event, gannet_result_record *result,
                               bool *is_over) {
  *is_over = true;
  if (gannet_worker_can_wait(w)) {
    *is_over = !gannet_attempt_reads_again(w->context, &one->attempt, result->run.reason,
                                           w->program.options->patience);
  } else {
    result->status = GANNET_EVAL_FAILED;
    result->retry = true;
  }
  return *is_over ? gannet_result_queue_add(&w->ready, result) : hold_end(w, event, true);
}

gannet_err gannet_worker_classify_end(gannet_worker *w, gannet_worker_run *one,
                                      const gannet_launch_event *event, bool *is_over) {
  const gannet_current_attempt *attempt = &one->attempt;
  gannet_result_record result;
  const gannet_stopping *stopping = w->program.rules.limits.stopping;
  const char *job = getenv("SLURM_JOB_ID");
  char words[GANNET_REASON_SIZE], reason[GANNET_REASON_SIZE];
  gannet_result_queue_begin(&w->ready, &result);
  gannet_attempt_identify(attempt, &result);
  GANNET_TRY(gannet_classify_outcome(w->program.contract.problem, &w->program.rules,
                                     attempt->directory, event, &result));
  GANNET_TRY(gannet_contract_check_space(attempt->directory, &result));
  if (result.status == GANNET_EVAL_FAILED && job && *job && stopping && stopping->ask &&
      gannet_job_takes_no_steps(attempt->directory, job)) {
    /* All that would follow would fail as well, and none of it says anything about its design. */
    gannet_log(w->context, GANNET_LOG_WARNING,
               "evaluation %lld, attempt %d: SLURM takes no further steps of this job, which is at "
               "its end; it is run again after a resume",
               (long long)attempt->id, attempt->number);
    gannet_attempt_forget(attempt->directory);
    stopping->ask();
    return GANNET_OK;
  }
  if (gannet_contract_is_unread(&result)) return wait_to_read(w, one, event, &result, is_over);
  if (result.status == GANNET_EVAL_PENDING) return GANNET_OK; /* its outcome.json will be found */
  *is_over = false;
  w->has_worked = w->has_worked || result.status == GANNET_EVAL_DONE;
  for (int i = 0; i < one->place.n_nodes && result.status == GANNET_EVAL_DONE; ++i)
    w->placement.inventory.node[one->place.node[i]].pause = 0;
  if (result.status == GANNET_EVAL_FAILED && one->place.n_nodes > 0) {
    bool counts = true;
    GANNET_TRY(leave_nodes(w, one, event, &counts));
    if (!counts) return GANNET_OK;
  }
  if (event->type == GANNET_LAUNCH_REFUSED && gannet_worker_can_wait(w)) {
    const gannet_outage_sign sign = {.is_lasting = gannet_outage_is_lasting(event->error),
                                     .reason = result.run.reason};
    if (gannet_path_is_gone(attempt->directory)) one->has_directory = one->is_filled = false;
    gannet_worker_put_off(w, one, &sign);
    return GANNET_OK;
  }
  if (is_not_started(w, one, &result, words, sizeof words)) {
    (void)snprintf(reason, sizeof reason, "cannot start (exit code %d): %.200s",
                   result.run.exit_code, words);
    gannet_utf8_line(reason);
    const bool is_of_slurm = gannet_outage_is_of_slurm(words);
    const gannet_outage_sign sign = {
        .by_words = true, .is_lasting = !is_of_slurm, .is_of_slurm = is_of_slurm, .reason = reason};
    one->last_failed_start = gannet_clock_seconds();
    one->has_directory = one->is_filled = false; /* what it has left is moved aside */
    gannet_worker_put_off(w, one, &sign);
    return GANNET_OK;
  }
  *is_over = true;
  note_real_end(w, one);
  return gannet_result_queue_add(&w->ready, &result);
}

static gannet_err end_run(gannet_worker *w, gannet_worker_run *one,
                          const gannet_launch_event *event) {
  bool is_over = true;
  const gannet_err err =
      one->attempt.unwanted ? GANNET_OK : gannet_worker_classify_end(w, one, event, &is_over);
  if (!is_over) return err;
  /* A full disk ends the campaign with the first that fails; others have failed by it, too. */
  if (one->attempt.unwanted && !event->cancelled &&
      !gannet_directory_has_room(one->attempt.directory))
    gannet_attempt_forget(one->attempt.directory);
  gannet_worker_remove_run(w, one);
  return err;
}

static gannet_err start_run(gannet_worker *w, gannet_worker_run *one,
                            const gannet_launch_event *event) {
  const gannet_current_attempt *attempt = &one->attempt;
  const gannet_attempt_runner runner = {.attempt = attempt->number,
                                        .place = attempt->place[0] ? attempt->place : NULL,
                                        .nonce = attempt->nonce,
                                        .pid = event->pid,
                                        .slot = attempt->slot,
                                        .submitted = attempt->submitted,
                                        .started = event->started};
  one->stage = GANNET_RUN_STARTED;
  one->begun = gannet_clock_seconds();
  w->has_begun = true;
  if (!w->outage.by_words) gannet_outage_end(w->context, &w->outage);
  if (gannet_attempt_write(attempt->directory, &runner) != GANNET_OK) {
    gannet_log(w->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
    gannet_error_clear();
  }
  return GANNET_OK;
}

static gannet_err handle_event(gannet_worker *w, const gannet_launch_event *event) {
  gannet_worker_run *one = gannet_worker_find_run(w, event->tag);
  if (!one) return gannet_node_inquiry_take(&w->inquiry, event, &w->placement.inventory);
  if (event->type == GANNET_LAUNCH_STARTED) return start_run(w, one, event);
  /* A shell tells the signal that ended its program by its exit code. */
  const int signal = event->signal ? event->signal : event->exit_code - 128;
  const bool is_ended_from_outside = event->type == GANNET_LAUNCH_ENDED && !event->limit &&
                                     !event->cancelled && gannet_contract_is_from_outside(signal);
  if (!one->attempt.unwanted && is_ended_from_outside) return hold_end(w, event, false);
  return end_run(w, one, event);
}

gannet_err gannet_worker_end_held(gannet_worker *w, bool stopped) {
  const double now = gannet_clock_seconds();
  int n = 0;
  gannet_err err = GANNET_OK;
  for (; n < w->n_held && (stopped || w->held[n].until <= now); ++n) {
    const gannet_worker_held held = w->held[n]; /* the array may move meanwhile */
    gannet_worker_run *one = gannet_worker_find_run(w, held.event.tag);
    if (stopped) {
      if (!held.is_unread) gannet_attempt_forget(one->attempt.directory);
      gannet_worker_remove_run(w, one);
    } else if (err == GANNET_OK) {
      err = end_run(w, one, &held.event);
    }
  }
  if (n == 0) return GANNET_OK;
  w->n_held -= n;
  memmove(w->held, w->held + n, (size_t)w->n_held * sizeof *w->held);
  return err;
}

gannet_err gannet_worker_take_events(gannet_worker *w, double wait, bool *any) {
  gannet_launch_event event;
  bool got = true;
  const double until = gannet_clock_seconds() + wait + longest_classifying;
  *any = false;
  while (got && (!*any || gannet_clock_seconds() < until)) {
    GANNET_TRY(gannet_launcher_wait(w->launcher, *any ? 0 : wait, &event, &got));
    if (got) GANNET_TRY(handle_event(w, &event));
    *any = *any || got;
  }
  return GANNET_OK;
}
