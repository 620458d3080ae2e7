/* Simulations that are programs of their own: rank 0 launches them, all ranks get the results.
 *
 * The way of an attempt, with the functions that take it on:
 *
 *   submit -> RUN_WAITS -> launch_one -> RUN_SENT -> start_run -> RUN_STARTED
 *          -> end_run -> classify_end -> the queue of results, from which all ranks get it
 *
 * There are three exceptions:
 *
 *   outage  An attempt that could not be started, for reasons that are not those of its design, has
 *           never been made. It waits until the outage is over (outage.h).
 *   node    An attempt whose node fails has never been made, either. It is made on another node,
 *           when SLURM confirms that the node has failed, and once where that is in doubt.
 *   hold    Whoever ends an allocation sends a signal to all that runs in it. A simulation may end
 *           by it before this process gets its own signal. An end that may come from outside is
 *           therefore held for a moment before it is classified.
 */
#include "evaluate/command/command.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/backends.h"
#include "evaluate/command/lost_node.h"
#include "evaluate/command/node_inquiry.h"
#include "evaluate/command/outage.h"
#include "evaluate/command/placement.h"
#include "evaluate/command/program.h"
#include "evaluate/launcher/leftovers.h"
#include "evaluate/result_record.h"

/* All in seconds. */
static const double longest_classifying = 1; /* in a row, before the caller looks for a stop */
static const double longest_cancel = 10;     /* of grace: a campaign must end within 20 */
static const double longest_hold = 1;   /* that a signal for all may take to reach this process */
static const double first_patience = 5; /* for which an error that waiting seldom cures is tried
                                           again before anything has run */
static const double doubtful_patience = 30; /* for which words that only one evaluation has met are
                                               taken for an outage */
static const double longest_start = 5;      /* after which a shell that runs has started it */

typedef enum {
  RUN_WAITS,
  RUN_SENT, /* the launcher has not answered yet */
  RUN_STARTED
} run_stage;

/* One attempt of an evaluation. Times are those of gannet_clock_seconds. */
typedef struct {
  gannet_current_attempt attempt; /* first: see gannet_attempt_begin */
  gannet_request request;         /* its x_user is owned */
  gannet_need need;               /* where simulations have places */
  gannet_place place;             /* zeroed = none yet */
  run_stage stage;
  int tries;                     /* launches so far */
  int refusals;                  /* of them: those for which srun could make no step */
  bool has_directory, is_filled; /* which steps of gannet_contract_prepare are done */
  bool counts_anyway; /* its next end counts, even if its words tell that it was not started */
  double last_failed_start; /* when its words last told that it could not be started; 0 = never */
  double begun;             /* when its process began */
  double in_doubt; /* since when its end waits for what SLURM says of its nodes; 0 = it does not */
} run;

/* An end that is classified later: it may come from outside, its results cannot be read yet, or
 * SLURM is being asked about its nodes. */
typedef struct {
  gannet_launch_event event;
  double until;   /* when it is classified, by gannet_clock_seconds */
  bool is_unread; /* its results could not be read, and are to be read again */
} held_end;

/* What rank 0 has and the others do not. */
typedef struct {
  const gannet_context *context;
  gannet_program program;
  gannet_placement placement;
  double time_limit; /* seconds per evaluation */
  int parallel;      /* most attempts in flight */
  gannet_launcher *launcher;
  bool own_launcher;   /* the launcher is to be stopped at the end */
  bool has_other_host; /* the log has warned of an attempt that was begun on another host */
  int n, capacity;
  run *runs; /* [n] */
  gannet_outage outage;
  gannet_node_inquiry inquiry;
  bool has_begun;         /* some process was started */
  int given_up;           /* attempts that counted although their words told of no start */
  bool has_worked;        /* a simulation has worked at its place */
  bool words_are_own;     /* simulations that ran end with such words, too: words tell nothing */
  double last_real_start; /* latest begin of an attempt that ended otherwise than with words which
                             tell that nothing was started; 0 = none */
  gannet_result_queue ready;
  int n_held, held_capacity;
  held_end *held; /* [n_held] in the order of their ends */
} worker;

static const gannet_option options[] = {
    GANNET_COMMAND_OPTIONS,
    {.key = "patience",
     .type = GANNET_DURATION,
     .offset = GANNET_COMMAND_AT(patience),
     .fallback = "10m",
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "how long simulations may fail to start (a program is missing, no processes are left) "
             "or their results may be unreadable (a file server is down) before the campaign "
             "stops, to be resumed; such attempts do not count"},
    {0}};

static void remove_run(worker *w, run *one) {
  double *x = (double *)(uintptr_t)one->request.x_user;
  if (w->outage.trial == one->attempt.id) w->outage.trial = -1;
  gannet_free(&x);
  if (one->place.n_nodes > 0) gannet_place_give_back(w->placement.places, &one->place);
  *one = w->runs[--w->n]; /* the last one takes its place */
}

static run *find_run(worker *w, int64_t id) {
  for (int i = 0; i < w->n; ++i)
    if (w->runs[i].attempt.id == id) return &w->runs[i];
  return NULL;
}

static void destroy(void *state) {
  worker *w = state;
  if (w->own_launcher) gannet_launcher_stop(&w->launcher);
  while (w->n > 0) remove_run(w, &w->runs[w->n - 1]);
  gannet_node_inquiry_release(&w->inquiry);
  gannet_program_release(&w->program);
  gannet_placement_release(&w->placement);
  gannet_free(&w->runs);
  gannet_free(&w->held);
  gannet_result_queue_release(&w->ready);
  gannet_free(&w);
}

/* Whether an attempt that cannot be started may wait. Without a loop that can stop it has failed.
 */
static bool can_wait(const worker *w) {
  const gannet_stopping *stopping = w->program.rules.limits.stopping;
  return stopping && stopping->begins_nothing;
}

/* Launching. */

static void note_outage(worker *w, run *one, const gannet_outage_sign *sign) {
  one->stage = RUN_WAITS;
  gannet_outage_note(w->context, &w->outage, one->attempt.id, sign, w->program.options->patience);
}

/* Make the files of an attempt, except those that an earlier try has made. */
static gannet_err prepare_files(const gannet_program *program, run *one,
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

static gannet_err send_launch(worker *w, const run *one, const gannet_command_line *with) {
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

static gannet_err launch_one(worker *w, run *one) {
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
      can_wait(w) &&
      (err == GANNET_ERR_IO || err == GANNET_ERR_MISSING || err == GANNET_ERR_MEMORY) &&
      !gannet_path_is_gone(w->program.evaluations);
  if (may_pass) {
    const gannet_outage_sign sign = {.is_lasting = err == GANNET_ERR_MISSING,
                                     .reason = gannet_error_detail()};
    note_outage(w, one, &sign);
    gannet_error_clear();
    err = GANNET_OK;
  } else if (err == GANNET_OK) {
    err = send_launch(w, one, &with);
    if (err == GANNET_OK) one->stage = RUN_SENT;
  }
  gannet_command_line_release(&with);
  one->request.place = NULL;
  return err;
}

/* The waiting attempt that was tried least, of several the first evaluation, or NULL. */
static run *next_waiting(worker *w) {
  run *next = NULL;
  for (int i = 0; i < w->n; ++i) {
    run *one = &w->runs[i];
    if (one->stage != RUN_WAITS || one->attempt.unwanted) continue;
    if (!next || one->tries < next->tries ||
        (one->tries == next->tries && one->attempt.id < next->attempt.id))
      next = one;
  }
  return next;
}

/* A request for which there is no room on the empty machine becomes a failed result. One that had
 * room before nodes were lost goes back to the loop, and the campaign stops, to be resumed. */
static gannet_err check_room(worker *w, const gannet_request *request, gannet_need *need,
                             bool *fits) {
  char why[GANNET_REASON_SIZE] = "";
  gannet_result_record result;
  if (!w->placement.resources) return GANNET_OK;
  GANNET_TRY(gannet_placement_need(&w->placement, request->x_user, need, why));
  *fits = !why[0];
  if (*fits) return GANNET_OK;
  gannet_result_queue_begin(&w->ready, &result);
  result.id = request->id;
  result.run.attempts = request->attempt;
  if (gannet_inventory_has_lost(&w->placement.inventory) && can_wait(w)) {
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "after nodes were lost %.200s",
                   why);
  } else {
    gannet_result_fail(&result, false, "%s", why);
  }
  return gannet_result_queue_add(&w->ready, &result);
}

/* Launch all attempts that wait; in an outage one at a time, when its time has come. With places
 * they start in their order: one for which there is no room yet holds up those behind it, so that
 * large simulations are not passed over for ever. */
static gannet_err launch_waiting(worker *w) {
  const gannet_outage *outage = &w->outage;
  while (!outage->is_on || (outage->trial < 0 && gannet_clock_seconds() >= outage->next_try)) {
    run *next = next_waiting(w);
    if (!next) return GANNET_OK;
    if (w->placement.resources && next->place.n_nodes == 0) {
      bool taken = false;
      GANNET_TRY(gannet_place_take(w->placement.places, &next->need, &next->place, &taken));
      if (!taken && gannet_inventory_has_lost(&w->placement.inventory)) {
        bool fits = true;
        GANNET_TRY(check_room(w, &next->request, &next->need, &fits));
        if (fits) return GANNET_OK;
        remove_run(w, next);
        continue;
      }
      if (!taken) return GANNET_OK;
    }
    GANNET_TRY(launch_one(w, next));
  }
  return GANNET_OK;
}

static gannet_err add_run(worker *w, const gannet_request *request) {
  const size_t d = (size_t)w->program.contract.problem->spec.n_variables;
  double *x = NULL;
  if (w->n == w->capacity) {
    const int larger = 2 * w->capacity + 8;
    GANNET_TRY(gannet_resize((size_t)w->capacity, (size_t)larger, sizeof *w->runs, &w->runs));
    w->capacity = larger;
  }
  run *made = &w->runs[w->n];
  memset(made, 0, sizeof *made);
  GANNET_TRY(
      gannet_attempt_begin(&w->program, request, w->runs, w->n, sizeof *made, &made->attempt));
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  memcpy(x, request->x_user, d * sizeof *x);
  made->request = *request;
  made->request.x_user = x;
  w->n += 1;
  return GANNET_OK;
}

static gannet_err kill_run(worker *w, run *one) {
  one->attempt.unwanted = true;
  return gannet_launcher_kill(w->launcher, one->attempt.id,
                              fmin(w->program.options->kill_grace, longest_cancel));
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  worker *w = state;
  const int before = w->n;
  gannet_need need = {0};
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_check_request(&w->program, w->context, &requests[i], &w->ready, &fits);
    if (err == GANNET_OK && fits) err = check_room(w, &requests[i], &need, &fits);
    if (err == GANNET_OK && fits) err = add_run(w, &requests[i]);
    if (err == GANNET_OK && fits) w->runs[w->n - 1].need = need;
    if (err == GANNET_OK && fits) err = launch_waiting(w);
  }
  if (err == GANNET_OK) return GANNET_OK;
  /* The first error is the one to report; a helper that is dead has killed its children itself. */
  for (int i = w->n - 1; i >= before; --i) {
    if (w->runs[i].stage == RUN_WAITS)
      remove_run(w, &w->runs[i]);
    else
      (void)!kill_run(w, &w->runs[i]);
  }
  return err;
}

/* Attempts that cannot be started. */

/* Give attempts that were never started back to the loop, which makes them after a resume. */
static gannet_err give_back(worker *w, const char *reason) {
  gannet_result_record result;
  for (int i = w->n - 1; i >= 0; --i) {
    run *one = &w->runs[i];
    if (one->stage != RUN_WAITS || one->attempt.unwanted) continue;
    gannet_result_queue_begin(&w->ready, &result);
    gannet_attempt_identify(&one->attempt, &result);
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
    GANNET_TRY(gannet_result_queue_add(&w->ready, &result));
    remove_run(w, one);
  }
  return GANNET_OK;
}

/* Act on an outage that has lasted for too long. */
static gannet_err lose_patience(worker *w) {
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
    run *one = find_run(w, outage->first);
    if (one) one->counts_anyway = true;
    return GANNET_OK;
  }
  return lasted >= patience ? give_back(w, outage->reason) : GANNET_OK;
}

/* Launch attempts that wait, or give them back when no simulation is to begin any more. */
static gannet_err launch_or_give_back(worker *w) {
  if (w->n == 0) return GANNET_OK;
  if (can_wait(w) && gannet_program_begins_nothing(&w->program)) return give_back(w, "");
  /* A simulation that a shell or launcher has started is known by its running on. */
  const run *trial = find_run(w, w->outage.trial);
  if (trial && trial->stage == RUN_STARTED &&
      gannet_clock_seconds() >= trial->begun + longest_start)
    gannet_outage_end(w->context, &w->outage);
  GANNET_TRY(lose_patience(w));
  return launch_waiting(w);
}

/* When something is due although no event comes, by gannet_clock_seconds; INFINITY = never. */
static double next_due(worker *w) {
  const gannet_outage *outage = &w->outage;
  double due = w->n_held > 0 ? w->held[0].until : INFINITY;
  const run *one = outage->is_on ? find_run(w, outage->trial) : NULL;
  if (one && one->stage == RUN_STARTED) due = fmin(due, one->begun + longest_start);
  if (!next_waiting(w)) return due;
  if (outage->is_on && outage->trial < 0) due = fmin(due, outage->next_try);
  if (w->placement.resources) due = fmin(due, gannet_places_next_opening(w->placement.places));
  return due;
}

/* Ends. */

/* Whether an attempt ended because a shell or launcher could not start the simulation, as the words
 * in its stderr.log tell. The user's own rules come first. When it ends so again, although others
 * have run in the meantime, such words are those of the simulation. */
static bool is_not_started(worker *w, const run *one, const gannet_result_record *result,
                           char *words, size_t size) {
  if (!can_wait(w) || w->words_are_own || result->status != GANNET_EVAL_FAILED || result->retry ||
      result->run.failure != GANNET_FAILURE_EXIT || one->counts_anyway)
    return false;
  if (!gannet_outage_in_stderr(one->attempt.directory, &w->program.options->command,
                               w->program.options->shell, result->run.exit_code, words, size))
    return false;
  w->words_are_own = one->last_failed_start > 0 && w->last_real_start > one->last_failed_start;
  return !w->words_are_own;
}

/* Note the end of an attempt that was started, which ends an outage. An attempt that counts anyway
 * proves nothing: the next one shows whether the outage goes on. After two of them, such words are
 * taken for those of the simulation. */
static void note_real_end(worker *w, const run *one) {
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

static gannet_err hold_end(worker *w, const gannet_launch_event *event, bool is_unread) {
  if (w->n_held == w->held_capacity) {
    const int larger = 2 * w->held_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)w->held_capacity, (size_t)larger, sizeof *w->held, &w->held));
    w->held_capacity = larger;
  }
  w->held[w->n_held++] = (held_end){*event, gannet_clock_seconds() + longest_hold, is_unread};
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
static gannet_err leave_nodes(worker *w, run *one, const gannet_launch_event *event, bool *counts) {
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
  one->stage = RUN_WAITS;
  one->has_directory = one->is_filled = false; /* what it has left is moved aside */
  return GANNET_OK;
}

/* Read the results of an attempt again every second, as they cannot be read for now, until patience
 * is over. Then the loop gets the attempt back, and a resume finds it by its outcome.json. */
static gannet_err wait_to_read(worker *w, run *one, const gannet_launch_event *event,
                               gannet_result_record *result, bool *is_over) {
  *is_over = true;
  if (can_wait(w)) {
    *is_over = !gannet_attempt_reads_again(w->context, &one->attempt, result->run.reason,
                                           w->program.options->patience);
  } else {
    result->status = GANNET_EVAL_FAILED;
    result->retry = true;
  }
  return *is_over ? gannet_result_queue_add(&w->ready, result) : hold_end(w, event, true);
}

/* Classify the end of an attempt.
 *
 * is_over  out  false when it waits to be tried again, as it was never started, or when its results
 *               are to be read again
 */
static gannet_err classify_end(worker *w, run *one, const gannet_launch_event *event,
                               bool *is_over) {
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
  if (event->type == GANNET_LAUNCH_REFUSED && can_wait(w)) {
    const gannet_outage_sign sign = {.is_lasting = gannet_outage_is_lasting(event->error),
                                     .reason = result.run.reason};
    if (gannet_path_is_gone(attempt->directory)) one->has_directory = one->is_filled = false;
    note_outage(w, one, &sign);
    return GANNET_OK;
  }
  if (is_not_started(w, one, &result, words, sizeof words)) {
    (void)snprintf(reason, sizeof reason, "cannot start (exit code %d): %.200s",
                   result.run.exit_code, words);
    gannet_utf8_line(reason);
    const gannet_outage_sign sign = {.by_words = true, .is_lasting = true, .reason = reason};
    one->last_failed_start = gannet_clock_seconds();
    one->has_directory = one->is_filled = false; /* what it has left is moved aside */
    note_outage(w, one, &sign);
    return GANNET_OK;
  }
  *is_over = true;
  note_real_end(w, one);
  return gannet_result_queue_add(&w->ready, &result);
}

static gannet_err end_run(worker *w, run *one, const gannet_launch_event *event) {
  bool is_over = true;
  const gannet_err err = one->attempt.unwanted ? GANNET_OK : classify_end(w, one, event, &is_over);
  if (!is_over) return err;
  /* A full disk ends the campaign with the first that fails; others have failed by it, too. */
  if (one->attempt.unwanted && !event->cancelled &&
      !gannet_directory_has_room(one->attempt.directory))
    gannet_attempt_forget(one->attempt.directory);
  remove_run(w, one);
  return err;
}

static gannet_err start_run(worker *w, run *one, const gannet_launch_event *event) {
  const gannet_current_attempt *attempt = &one->attempt;
  const gannet_attempt_runner runner = {.attempt = attempt->number,
                                        .place = attempt->place[0] ? attempt->place : NULL,
                                        .nonce = attempt->nonce,
                                        .pid = event->pid,
                                        .slot = attempt->slot,
                                        .submitted = attempt->submitted,
                                        .started = event->started};
  one->stage = RUN_STARTED;
  one->begun = gannet_clock_seconds();
  w->has_begun = true;
  if (!w->outage.by_words) gannet_outage_end(w->context, &w->outage);
  if (gannet_attempt_write(attempt->directory, &runner) != GANNET_OK) {
    gannet_log(w->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
    gannet_error_clear();
  }
  return GANNET_OK;
}

static gannet_err handle_event(worker *w, const gannet_launch_event *event) {
  run *one = find_run(w, event->tag);
  if (!one) return gannet_node_inquiry_take(&w->inquiry, event, &w->placement.inventory);
  if (event->type == GANNET_LAUNCH_STARTED) return start_run(w, one, event);
  /* A shell tells the signal that ended its program by its exit code. */
  const int signal = event->signal ? event->signal : event->exit_code - 128;
  const bool is_ended_from_outside = event->type == GANNET_LAUNCH_ENDED && !event->limit &&
                                     !event->cancelled && gannet_contract_is_from_outside(signal);
  if (!one->attempt.unwanted && is_ended_from_outside) return hold_end(w, event, false);
  return end_run(w, one, event);
}

/* Classify ends that were held for long enough. When this process is to stop, too, all held
 * attempts are forgotten instead: they ended with it, and are made again after a resume. Those that
 * could not be read are not forgotten: a later process finds them by their files. */
static gannet_err end_held(worker *w, bool stopped) {
  const double now = gannet_clock_seconds();
  int n = 0;
  gannet_err err = GANNET_OK;
  for (; n < w->n_held && (stopped || w->held[n].until <= now); ++n) {
    const held_end held = w->held[n]; /* the array may move meanwhile */
    run *one = find_run(w, held.event.tag);
    if (stopped) {
      if (!held.is_unread) gannet_attempt_forget(one->attempt.directory);
      remove_run(w, one);
    } else if (err == GANNET_OK) {
      err = end_run(w, one, &held.event);
    }
  }
  if (n == 0) return GANNET_OK;
  w->n_held -= n;
  memmove(w->held, w->held + n, (size_t)w->n_held * sizeof *w->held);
  return err;
}

/* Handle everything that has happened by now, or the first thing that happens within wait seconds.
 * When that takes long, return early, so that the caller can look whether the program is to end. */
static gannet_err take_events(worker *w, double wait, bool *any) {
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

/* Operations. */

static gannet_err wait_for(void *state, double wait) {
  worker *w = state;
  const double until = gannet_clock_seconds() + wait;
  bool any = true;
  GANNET_TRY(take_events(w, 0, &any));
  GANNET_TRY(end_held(w, gannet_program_is_stopped(&w->program)));
  GANNET_TRY(launch_or_give_back(w));
  while (w->ready.n == 0) {
    const double now = gannet_clock_seconds(), left = until - now;
    const double due = next_due(w) - now;
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(take_events(w, fmax(fmin(left, due), 0), &any));
    GANNET_TRY(end_held(w, gannet_program_is_stopped(&w->program)));
    GANNET_TRY(launch_or_give_back(w));
    if (!any && due > left) return GANNET_OK; /* time is up, or a signal that the caller sees */
    if (gannet_program_is_stopped(&w->program)) return GANNET_OK;
  }
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  worker *w = state;
  const double until =
      gannet_clock_seconds() + fmin(w->program.options->kill_grace, longest_cancel) + 5;
  bool any = false;
  GANNET_TRY(end_held(w, true));
  for (int i = w->n - 1; i >= 0; --i)
    if (w->runs[i].stage == RUN_WAITS) remove_run(w, &w->runs[i]);
  for (int i = 0; i < w->n; ++i) GANNET_TRY(kill_run(w, &w->runs[i]));
  while (w->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", w->n);
    GANNET_TRY(take_events(w, 1, &any));
  }
  return GANNET_OK;
}

/* End an evaluation, and wait until its process has ended: another attempt may begin in the same
 * directory. */
static gannet_err withdraw(void *state, int64_t id) {
  worker *w = state;
  const double until =
      gannet_clock_seconds() + fmin(w->program.options->kill_grace, longest_cancel) + 5;
  run *one = find_run(w, id);
  bool any = false, is_held = false;
  for (int i = 0; i < w->n_held && !is_held; ++i) {
    if (w->held[i].event.tag != id) continue;
    is_held = true;
    w->n_held -= 1;
    memmove(w->held + i, w->held + i + 1, (size_t)(w->n_held - i) * sizeof *w->held);
  }
  if (one && (is_held || one->stage == RUN_WAITS))
    remove_run(w, one);
  else if (one)
    GANNET_TRY(kill_run(w, one));
  while (find_run(w, id)) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "the simulation of evaluation %lld cannot be ended (stuck in the kernel?)",
                   (long long)id);
    GANNET_TRY(take_events(w, 1, &any));
  }
  return GANNET_OK;
}

/* End what an earlier attempt has left running: nothing of it may run beside the new one. */
static void end_leftovers(worker *w, const gannet_current_attempt *attempt) {
  gannet_attempt_info sight;
  char host[GANNET_HOST_SIZE];
  gannet_host_name(host);
  if (!gannet_attempt_read(attempt->directory, &sight) || sight.nonce != attempt->nonce) return;
  if (strcmp(sight.host, host) != 0) {
    if (sight.pid > 0 && !w->has_other_host)
      gannet_log(w->context, GANNET_LOG_WARNING,
                 "evaluation %lld was begun on %s, as process %d, and is started again here; if it "
                 "still runs there, end it",
                 (long long)attempt->id, sight.host, sight.pid);
    w->has_other_host = w->has_other_host || sight.pid > 0;
    return;
  }
  const gannet_leftovers leftovers = {.directory = attempt->directory,
                                      .nonce = attempt->nonce,
                                      .pid = sight.pid,
                                      .process = sight.process};
  const int ended =
      gannet_leftovers_kill(&leftovers, fmin(w->program.options->kill_grace, longest_cancel));
  if (ended > 0)
    gannet_log(w->context, GANNET_LOG_WARNING,
               "evaluation %lld: %d process%s that an earlier gannet had left running %s ended; it "
               "is started again",
               (long long)attempt->id, ended, ended == 1 ? "" : "es", ended == 1 ? "was" : "were");
}

static gannet_err recover(void *state, const gannet_request *request, bool *taken) {
  worker *w = state;
  gannet_launch_event event;
  bool is_over = true;
  GANNET_TRY(add_run(w, request));
  run *one = &w->runs[w->n - 1];
  const char *directory = one->attempt.directory;
  gannet_attempt_recall(&one->attempt);
  if (!gannet_contract_find_outcome(directory, request->nonce, &event, NULL)) {
    GANNET_TRY(gannet_attempt_check_files(directory, false));
    end_leftovers(w, &one->attempt);
    remove_run(w, one);
    return GANNET_OK;
  }
  event.tag = request->id;
  one->stage = RUN_STARTED;
  /* One that failed when the job of its process was at its end has not been begun. */
  *taken = event.exit_code == 0 || !gannet_job_takes_no_steps(directory, NULL);
  if (*taken) GANNET_TRY(classify_end(w, one, &event, &is_over));
  if (one->stage == RUN_WAITS) *taken = false; /* it was never started */
  if (is_over || !*taken) remove_run(w, one);
  return GANNET_OK;
}

static gannet_result_queue *ready_of(void *state) {
  return &((worker *)state)->ready;
}

static const gannet_root_evaluator_type root_evaluator = {.destroy = destroy,
                                                          .submit = submit,
                                                          .wait = wait_for,
                                                          .cancel = cancel,
                                                          .withdraw = withdraw,
                                                          .recover = recover,
                                                          .ready = ready_of};

static gannet_err set_up_worker(const gannet_command_options *given,
                                const gannet_evaluator_setup *setup, worker *w) {
  w->context = setup->context;
  w->time_limit = setup->time_limit;
  w->parallel = setup->parallel;
  GANNET_TRY(gannet_program_create(given, setup, &w->program));
  GANNET_TRY(gannet_result_queue_create(setup->problem, &w->ready));
  w->launcher = setup->launcher;
  if (!w->launcher) {
    w->own_launcher = true;
    GANNET_TRY(gannet_launcher_start(&w->launcher));
  }
  return gannet_placement_create(given, setup, w->launcher, &w->placement);
}

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  worker *w = NULL;
  gannet_err local = GANNET_OK;
  if (setup->context->rank == 0) local = gannet_alloc(1, sizeof *w, &w);
  if (w) local = set_up_worker(given, setup, w);
  return gannet_root_evaluator_create(&root_evaluator, setup, local, w, state);
}

const gannet_evaluator_type gannet_evaluator_command = {
    .name = "command",
    .summary = "a program, run in a directory of its own for every evaluation",
    .options = options,
    .options_size = sizeof(gannet_command_options),
    .check = gannet_command_check,
    .create = create,
    .destroy = gannet_root_evaluator_destroy,
    .submit = gannet_root_evaluator_submit,
    .poll = gannet_root_evaluator_poll,
    .cancel = gannet_root_evaluator_cancel,
    .withdraw = gannet_root_evaluator_withdraw,
    .recover = gannet_root_evaluator_recover,
};
