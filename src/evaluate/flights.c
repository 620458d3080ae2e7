/* Rank 0's bookkeeping of what the launcher runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/allocation.h"
#include "evaluate/flights.h"
#include "evaluate/leftovers.h"
#include "evaluate/record.h"

static const double longest_judging = 1; /* seconds in a row */
static const double longest_cancel = 10; /* seconds of grace: a campaign must end within 20 */
/* Seconds that a signal for all that runs here may take to reach this process, too. */
static const double longest_delay = 1;

static gannet_err prepare(gannet_flights *made, const gannet_command_options *options,
                          const gannet_evaluator_setup *setup) {
  GANNET_TRY(gannet_program_create(options, setup, &made->program));
  GANNET_TRY(gannet_ready_create(setup->problem->spec.n_constraints, &made->ready));
  made->launcher = setup->launcher;
  if (made->launcher) return GANNET_OK;
  made->own_launcher = true;
  return gannet_launcher_start(&made->launcher);
}

gannet_err gannet_flights_create(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, gannet_flights **flights) {
  GANNET_TRY(gannet_alloc(1, sizeof **flights, flights));
  (*flights)->context = setup->context;
  (*flights)->time_limit = setup->time_limit;
  (*flights)->parallel = setup->parallel;
  return prepare(*flights, options, setup);
}

static void destroy(void *worker) {
  gannet_flights *old = worker;
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  while (old->n > 0) gannet_flights_remove(old, &old->flights[old->n - 1]);
  gannet_program_release(&old->program);
  gannet_free(&old->flights);
  gannet_free(&old->held);
  gannet_ready_release(&old->ready);
  gannet_free(&old);
}

static gannet_err add_attempt(gannet_flights *flights, const gannet_request *request) {
  const size_t d = (size_t)flights->program.contract.problem->spec.n_variables;
  double *x = NULL;
  if (flights->n == flights->capacity) {
    const int larger = 2 * flights->capacity + 8;
    GANNET_TRY(gannet_resize((size_t)flights->capacity, (size_t)larger, sizeof *flights->flights,
                             &flights->flights));
    flights->capacity = larger;
  }
  gannet_flight_attempt *made = &flights->flights[flights->n];
  memset(made, 0, sizeof *made);
  GANNET_TRY(gannet_flight_begin(&flights->program, request, flights->flights, flights->n,
                                 sizeof *made, &made->flight));
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  memcpy(x, request->x_user, d * sizeof *x);
  made->request = *request;
  made->request.x_user = x;
  flights->n += 1;
  return GANNET_OK;
}

static gannet_err abandon(gannet_flights *flights, gannet_flight_attempt *one) {
  one->flight.unwanted = true;
  return gannet_launcher_kill(flights->launcher, one->flight.id,
                              fmin(flights->program.options->kill_grace, longest_cancel));
}

static gannet_err submit(void *worker, int n, const gannet_request *requests) {
  gannet_flights *flights = worker;
  const int before = flights->n;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    bool fits = true;
    err = gannet_program_try(&flights->program, flights->context, &requests[i], &flights->ready,
                             &fits);
    if (err == GANNET_OK && fits) err = add_attempt(flights, &requests[i]);
    if (err == GANNET_OK && fits) err = gannet_flights_launch(flights);
  }
  if (err == GANNET_OK) return GANNET_OK;
  /* The first error is the one to report; a helper that is dead has killed its children itself. */
  for (int i = flights->n - 1; i >= before; --i) {
    if (flights->flights[i].stage == GANNET_FLIGHT_WAITS)
      gannet_flights_remove(flights, &flights->flights[i]);
    else
      (void)!abandon(flights, &flights->flights[i]);
  }
  return err;
}

static bool is_refused_a_step(const gannet_flights *flights, const gannet_flight *flight,
                              const gannet_result_record *result) {
  const gannet_stopping *stopping = flights->program.rules.limits.stopping;
  const char *job = getenv("SLURM_JOB_ID");
  return result->status == GANNET_EVAL_FAILED && job && *job && stopping && stopping->ask &&
         gannet_allocation_is_over(flight->directory, job);
}

/* All that would follow would fail as well, and none of it says anything about its design. */
static void end_with_the_job(const gannet_flights *flights, const gannet_flight *flight) {
  gannet_log(flights->context, GANNET_LOG_WARNING,
             "evaluation %lld, attempt %d: SLURM takes no further steps of this job, which is at "
             "its end; it is run again after a resume",
             (long long)flight->id, flight->attempt);
  gannet_contract_forget(flight->directory);
  flights->program.rules.limits.stopping->ask();
}

/* A shell tells the signal that ended its program by its exit code. */
static bool is_ended_from_outside(const gannet_launch_event *event) {
  const int signal = event->signal ? event->signal : event->exit_code - 128;
  return event->type == GANNET_LAUNCH_ENDED && !event->limit && !event->cancelled &&
         gannet_contract_is_from_outside(signal);
}

/* Whether an attempt ended because the program that was to start it could not; the user's own rules
 * come first. That it ends so again after others have run is the simulation's own matter. */
static bool is_not_started(gannet_flights *flights, const gannet_flight_attempt *one,
                           const gannet_result_record *result, char *words, size_t size) {
  if (!gannet_flights_can_wait(flights) || flights->words_are_own ||
      result->status != GANNET_EVAL_FAILED || result->retry ||
      result->run.failure != GANNET_FAILURE_EXIT || one->is_judged)
    return false;
  if (!gannet_outage_is_told(one->flight.directory, &flights->program.options->command,
                             result->run.exit_code, words, size))
    return false;
  flights->words_are_own = one->told > 0 && flights->proof > one->told;
  return !flights->words_are_own;
}

/* What an attempt has left by then is moved aside when it is tried again. */
static void wait_after_words(gannet_flights *flights, gannet_flight_attempt *one, int exit_code,
                             const char *words) {
  char reason[GANNET_REASON_SIZE];
  (void)snprintf(reason, sizeof reason, "cannot start (exit code %d): %.200s", exit_code, words);
  gannet_utf8_line(reason);
  const gannet_outage_sign sign = {.by_words = true, .is_lasting = true, .reason = reason};
  one->told = gannet_clock_seconds();
  one->stage = GANNET_FLIGHT_WAITS;
  one->has_place = one->is_filled = false;
  gannet_flights_note_outage(flights, one, &sign);
}

static void wait_after_refusal(gannet_flights *flights, gannet_flight_attempt *one,
                               const gannet_launch_event *event, const char *reason) {
  const gannet_outage_sign sign = {.is_lasting = gannet_outage_is_lasting(event->error),
                                   .reason = reason};
  one->stage = GANNET_FLIGHT_WAITS;
  if (gannet_path_is_gone(one->flight.directory)) one->has_place = one->is_filled = false;
  gannet_flights_note_outage(flights, one, &sign);
}

/* An attempt has ended, and not for want of a start. One that was given up says nothing: whether it
 * met an outage is shown by the next one. Twice, and simulations end with such words by themselves.
 */
static void see_proof(gannet_flights *flights, const gannet_flight_attempt *one) {
  gannet_outage *outage = &flights->outage;
  if (one->is_judged) {
    flights->given_up += 1;
    outage->several = true;
    outage->trial = -1;
    outage->since = gannet_clock_seconds();
    return;
  }
  flights->words_are_own = flights->words_are_own || flights->given_up > 1;
  flights->proof = fmax(flights->proof, one->begun);
  if (one->begun > outage->since) gannet_outage_end(flights->context, outage);
}

/* An attempt that is over, unless it is made again: now, as it was never started, or after a
 * resume. */
static gannet_err judge(gannet_flights *flights, gannet_flight_attempt *one,
                        const gannet_launch_event *event, bool *is_over) {
  const gannet_flight *flight = &one->flight;
  gannet_result_record result;
  char words[GANNET_REASON_SIZE];
  gannet_ready_begin(&flights->ready, &result);
  gannet_flight_identify(flight, &result);
  GANNET_TRY(gannet_contract_judge(flights->program.contract.problem, &flights->program.rules,
                                   flight->directory, event, &result));
  GANNET_TRY(gannet_contract_check_room(flight->directory, &result));
  if (is_refused_a_step(flights, flight, &result)) {
    end_with_the_job(flights, flight);
    return GANNET_OK;
  }
  if (result.status == GANNET_EVAL_PENDING) return GANNET_OK; /* its outcome.json will be found */
  *is_over = false;
  if (event->type == GANNET_LAUNCH_REFUSED && gannet_flights_can_wait(flights)) {
    wait_after_refusal(flights, one, event, result.run.reason);
    return GANNET_OK;
  }
  if (is_not_started(flights, one, &result, words, sizeof words)) {
    wait_after_words(flights, one, result.run.exit_code, words);
    return GANNET_OK;
  }
  *is_over = true;
  see_proof(flights, one);
  return gannet_ready_add(&flights->ready, &result);
}

static gannet_err mark(const gannet_flights *flights, const gannet_flight *flight,
                       const gannet_launch_event *event) {
  const gannet_contract_attempt attempt = {.attempt = flight->attempt,
                                           .nonce = flight->nonce,
                                           .pid = event->pid,
                                           .slot = flight->slot,
                                           .submitted = flight->submitted,
                                           .started = event->started};
  if (gannet_contract_mark(flight->directory, &attempt) != GANNET_OK) {
    gannet_log(flights->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
    gannet_error_clear();
  }
  return GANNET_OK;
}

static gannet_err hold(gannet_flights *flights, const gannet_launch_event *event) {
  if (flights->n_held == flights->held_capacity) {
    const int larger = 2 * flights->held_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)flights->held_capacity, (size_t)larger, sizeof *flights->held,
                             &flights->held));
    flights->held_capacity = larger;
  }
  flights->held[flights->n_held++] =
      (gannet_flight_end){*event, gannet_clock_seconds() + longest_delay};
  return GANNET_OK;
}

static gannet_err end(gannet_flights *flights, gannet_flight_attempt *one,
                      const gannet_launch_event *event) {
  bool is_over = true;
  const gannet_err err = one->flight.unwanted ? GANNET_OK : judge(flights, one, event, &is_over);
  if (!is_over) return err;
  /* A full disk ends the campaign with the first that fails; others have failed by it, too. */
  if (one->flight.unwanted && !event->cancelled &&
      !gannet_directory_has_room(one->flight.directory))
    gannet_contract_forget(one->flight.directory);
  gannet_flights_remove(flights, one);
  return err;
}

static gannet_err begin(gannet_flights *flights, gannet_flight_attempt *one,
                        const gannet_launch_event *event) {
  one->stage = GANNET_FLIGHT_RUNS;
  one->begun = gannet_clock_seconds();
  flights->has_begun = true;
  if (!flights->outage.by_words) gannet_outage_end(flights->context, &flights->outage);
  return mark(flights, &one->flight, event);
}

static gannet_err handle(gannet_flights *flights, const gannet_launch_event *event) {
  gannet_flight_attempt *one = gannet_flights_find(flights, event->tag);
  if (!one) return GANNET_OK; /* of an evaluator that used this launcher before */
  if (event->type == GANNET_LAUNCH_STARTED) return begin(flights, one, event);
  if (!one->flight.unwanted && is_ended_from_outside(event)) return hold(flights, event);
  return end(flights, one, event);
}

/* Those that were held for long enough; all that are held once this process stops, too: what ended
 * with it is made again after a resume. */
static gannet_err end_held(gannet_flights *flights, bool stopped) {
  const double now = gannet_clock_seconds();
  int n = 0;
  gannet_err err = GANNET_OK;
  for (; n < flights->n_held && (stopped || flights->held[n].until <= now); ++n) {
    gannet_flight_attempt *one = gannet_flights_find(flights, flights->held[n].event.tag);
    if (stopped) {
      gannet_contract_forget(one->flight.directory);
      gannet_flights_remove(flights, one);
    } else if (err == GANNET_OK) {
      err = end(flights, one, &flights->held[n].event);
    }
  }
  if (n == 0) return GANNET_OK;
  flights->n_held -= n;
  memmove(flights->held, flights->held + n, (size_t)flights->n_held * sizeof *flights->held);
  return err;
}

/* Everything that has happened by now, or the first thing that happens within wait seconds. After a
 * judgement that took long the caller looks first whether the program is to end. */
static gannet_err take_events(gannet_flights *flights, double wait, bool *any) {
  gannet_launch_event event;
  bool got = true;
  const double until = gannet_clock_seconds() + wait + longest_judging;
  *any = false;
  while (got && (!*any || gannet_clock_seconds() < until)) {
    GANNET_TRY(gannet_launcher_wait(flights->launcher, *any ? 0 : wait, &event, &got));
    if (got) GANNET_TRY(handle(flights, &event));
    *any = *any || got;
  }
  return GANNET_OK;
}

static gannet_err wait_for(void *worker, double wait) {
  gannet_flights *flights = worker;
  const double until = gannet_clock_seconds() + wait;
  bool any = true;
  GANNET_TRY(take_events(flights, 0, &any));
  GANNET_TRY(end_held(flights, gannet_program_is_stopped(&flights->program)));
  GANNET_TRY(gannet_flights_go_on(flights));
  while (flights->ready.n == 0) {
    const double now = gannet_clock_seconds(), left = until - now;
    const double due = gannet_flights_due(flights) - now;
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(take_events(flights, fmax(fmin(left, due), 0), &any));
    GANNET_TRY(end_held(flights, gannet_program_is_stopped(&flights->program)));
    GANNET_TRY(gannet_flights_go_on(flights));
    if (!any && due > left) return GANNET_OK; /* time is up, or a signal that the caller sees */
    if (gannet_program_is_stopped(&flights->program)) return GANNET_OK;
  }
  return GANNET_OK;
}

static gannet_err cancel(void *worker) {
  gannet_flights *flights = worker;
  const double until =
      gannet_clock_seconds() + fmin(flights->program.options->kill_grace, longest_cancel) + 5;
  bool any = false;
  GANNET_TRY(end_held(flights, true));
  for (int i = flights->n - 1; i >= 0; --i)
    if (flights->flights[i].stage == GANNET_FLIGHT_WAITS)
      gannet_flights_remove(flights, &flights->flights[i]);
  for (int i = 0; i < flights->n; ++i) GANNET_TRY(abandon(flights, &flights->flights[i]));
  while (flights->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", flights->n);
    GANNET_TRY(take_events(flights, 1, &any));
  }
  return GANNET_OK;
}

/* The attempt is made anew, so nothing of the old one may run beside it. */
static void end_leftovers(gannet_flights *flights, const gannet_flight *flight) {
  gannet_contract_sight sight;
  char host[GANNET_HOST_SIZE];
  gannet_record_host(host);
  if (!gannet_contract_look(flight->directory, &sight) || sight.nonce != flight->nonce) return;
  if (strcmp(sight.host, host) != 0) {
    if (sight.pid > 0 && !flights->has_other_host)
      gannet_log(
          flights->context, GANNET_LOG_WARNING,
          "evaluation %lld was begun on %s, as process %d, and is begun anew here: should it "
          "still run there, end it",
          (long long)flight->id, sight.host, sight.pid);
    flights->has_other_host = flights->has_other_host || sight.pid > 0;
    return;
  }
  const gannet_leftovers attempt = {.directory = flight->directory,
                                    .nonce = flight->nonce,
                                    .pid = sight.pid,
                                    .process = sight.process};
  const int ended =
      gannet_leftovers_end(&attempt, fmin(flights->program.options->kill_grace, longest_cancel));
  if (ended > 0)
    gannet_log(flights->context, GANNET_LOG_WARNING,
               "evaluation %lld: %d process%s that an earlier gannet had left running %s ended; it "
               "is begun anew",
               (long long)flight->id, ended, ended == 1 ? "" : "es", ended == 1 ? "was" : "were");
}

static gannet_err recover(void *worker, const gannet_request *request, bool *taken) {
  gannet_flights *flights = worker;
  gannet_launch_event event;
  gannet_flight_attempt one = {.request = *request, .stage = GANNET_FLIGHT_RUNS};
  const char *directory = one.flight.directory;
  GANNET_TRY(gannet_flight_begin(&flights->program, request, NULL, 0, 0, &one.flight));
  gannet_flight_recall(&one.flight);
  if (!gannet_contract_find_outcome(directory, request->nonce, &event, NULL)) {
    end_leftovers(flights, &one.flight);
    return GANNET_OK;
  }
  if (event.exit_code != 0 && gannet_allocation_is_over(directory, NULL))
    return GANNET_OK; /* not begun, for the job of that process was at its end */
  *taken = true;      /* unless the simulation was never started */
  return judge(flights, &one, &event, taken);
}

static gannet_ready *ready_of(void *worker) {
  return &((gannet_flights *)worker)->ready;
}

const gannet_desk_type gannet_flights_desk = {.destroy = destroy,
                                              .submit = submit,
                                              .wait = wait_for,
                                              .cancel = cancel,
                                              .recover = recover,
                                              .ready = ready_of};
