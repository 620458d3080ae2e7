/* Simulations that are programs of their own: rank 0 launches them, all ranks get the results.
 *
 * The way of an attempt, with the functions that take it on:
 *
 *   submit -> GANNET_RUN_WAITS   -> launch_one (launch.c)
 *          -> GANNET_RUN_SENT    -> start_run (run_events.c)
 *          -> GANNET_RUN_STARTED -> end_run, gannet_worker_classify_end (run_events.c)
 *          -> the queue of results, from which all ranks get it
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

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/backends.h"
#include "evaluate/command/lost_node.h"
#include "evaluate/command/worker.h"
#include "evaluate/launcher/leftovers.h"

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

static void destroy(void *state) {
  gannet_worker *w = state;
  if (w->own_launcher) gannet_launcher_stop(&w->launcher);
  while (w->n > 0) gannet_worker_remove_run(w, &w->runs[w->n - 1]);
  gannet_node_inquiry_release(&w->inquiry);
  gannet_program_release(&w->program);
  gannet_placement_release(&w->placement);
  gannet_free(&w->runs);
  gannet_free(&w->held);
  gannet_result_queue_release(&w->ready);
  gannet_free(&w);
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  gannet_worker *w = state;
  const int before = w->n;
  gannet_need need = {0};
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_check_request(&w->program, w->context, &requests[i], &w->ready, &fits);
    if (err == GANNET_OK && fits) err = gannet_worker_check_room(w, &requests[i], &need, &fits);
    if (err == GANNET_OK && fits) err = gannet_worker_add_run(w, &requests[i]);
    if (err == GANNET_OK && fits) w->runs[w->n - 1].need = need;
    if (err == GANNET_OK && fits) err = gannet_worker_launch_waiting(w);
  }
  if (err == GANNET_OK) return GANNET_OK;
  /* The first error is the one to report; a helper that is dead has killed its children itself. */
  for (int i = w->n - 1; i >= before; --i) {
    if (w->runs[i].stage == GANNET_RUN_WAITS)
      gannet_worker_remove_run(w, &w->runs[i]);
    else
      (void)!gannet_worker_kill_run(w, &w->runs[i]);
  }
  return err;
}

static gannet_err wait_for(void *state, double wait) {
  gannet_worker *w = state;
  const double until = gannet_clock_seconds() + wait;
  bool any = true;
  GANNET_TRY(gannet_worker_take_events(w, 0, &any));
  GANNET_TRY(gannet_worker_end_held(w, gannet_program_is_stopped(&w->program)));
  GANNET_TRY(gannet_worker_launch_or_give_back(w));
  while (w->ready.n == 0) {
    const double now = gannet_clock_seconds(), left = until - now;
    const double due = gannet_worker_next_due(w) - now;
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(gannet_worker_take_events(w, fmax(fmin(left, due), 0), &any));
    GANNET_TRY(gannet_worker_end_held(w, gannet_program_is_stopped(&w->program)));
    GANNET_TRY(gannet_worker_launch_or_give_back(w));
    if (!any && due > left) return GANNET_OK; /* time is up, or a signal that the caller sees */
    if (gannet_program_is_stopped(&w->program)) return GANNET_OK;
  }
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  gannet_worker *w = state;
  const double until = gannet_clock_seconds() + gannet_worker_grace(w) + 5;
  bool any = false;
  GANNET_TRY(gannet_worker_end_held(w, true));
  for (int i = w->n - 1; i >= 0; --i)
    if (w->runs[i].stage == GANNET_RUN_WAITS) gannet_worker_remove_run(w, &w->runs[i]);
  for (int i = 0; i < w->n; ++i) GANNET_TRY(gannet_worker_kill_run(w, &w->runs[i]));
  while (w->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", w->n);
    GANNET_TRY(gannet_worker_take_events(w, 1, &any));
  }
  return GANNET_OK;
}

/* End an evaluation, and wait until its process has ended: another attempt may begin in the same
 * directory. */
static gannet_err withdraw(void *state, int64_t id) {
  gannet_worker *w = state;
  const double until = gannet_clock_seconds() + gannet_worker_grace(w) + 5;
  gannet_worker_run *one = gannet_worker_find_run(w, id);
  bool any = false, is_held = false;
  for (int i = 0; i < w->n_held && !is_held; ++i) {
    if (w->held[i].event.tag != id) continue;
    is_held = true;
    w->n_held -= 1;
    memmove(w->held + i, w->held + i + 1, (size_t)(w->n_held - i) * sizeof *w->held);
  }
  if (one && (is_held || one->stage == GANNET_RUN_WAITS))
    gannet_worker_remove_run(w, one);
  else if (one)
    GANNET_TRY(gannet_worker_kill_run(w, one));
  while (gannet_worker_find_run(w, id)) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "the simulation of evaluation %lld cannot be ended (stuck in the kernel?)",
                   (long long)id);
    GANNET_TRY(gannet_worker_take_events(w, 1, &any));
  }
  return GANNET_OK;
}

/* End what an earlier attempt has left running: nothing of it may run beside the new one. */
static void end_leftovers(gannet_worker *w, const gannet_current_attempt *attempt) {
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
  const int ended = gannet_leftovers_kill(&leftovers, gannet_worker_grace(w));
  if (ended > 0)
    gannet_log(w->context, GANNET_LOG_WARNING,
               "evaluation %lld: %d process%s that an earlier gannet had left running %s ended; it "
               "is started again",
               (long long)attempt->id, ended, ended == 1 ? "" : "es", ended == 1 ? "was" : "were");
}

static gannet_err recover(void *state, const gannet_request *request, bool *taken) {
  gannet_worker *w = state;
  gannet_launch_event event;
  bool is_over = true;
  GANNET_TRY(gannet_worker_add_run(w, request));
  gannet_worker_run *one = &w->runs[w->n - 1];
  const char *directory = one->attempt.directory;
  gannet_attempt_recall(&one->attempt);
  if (!gannet_contract_find_outcome(directory, request->nonce, &event, NULL)) {
    GANNET_TRY(gannet_attempt_check_files(directory, false));
    end_leftovers(w, &one->attempt);
    gannet_worker_remove_run(w, one);
    return GANNET_OK;
  }
  event.tag = request->id;
  one->stage = GANNET_RUN_STARTED;
  /* One that failed when the job of its process was at its end has not been begun. */
  *taken = event.exit_code == 0 || !gannet_job_takes_no_steps(directory, NULL);
  if (*taken) GANNET_TRY(gannet_worker_classify_end(w, one, &event, &is_over));
  if (one->stage == GANNET_RUN_WAITS) *taken = false; /* it was never started */
  if (is_over || !*taken) gannet_worker_remove_run(w, one);
  return GANNET_OK;
}

static gannet_result_queue *ready_of(void *state) {
  return &((gannet_worker *)state)->ready;
}

static const gannet_root_evaluator_type root_evaluator = {.destroy = destroy,
                                                          .submit = submit,
                                                          .wait = wait_for,
                                                          .cancel = cancel,
                                                          .withdraw = withdraw,
                                                          .recover = recover,
                                                          .ready = ready_of};

static gannet_err set_up_worker(const gannet_command_options *given,
                                const gannet_evaluator_setup *setup, gannet_worker *w) {
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
  gannet_worker *w = NULL;
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
