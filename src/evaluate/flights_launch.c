/* Launching attempts, and what is done while none can be started. */
#include "evaluate/flights.h"

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

gannet_flight_attempt *gannet_flights_find(gannet_flights *flights, int64_t id) {
  for (int i = 0; i < flights->n; ++i)
    if (flights->flights[i].flight.id == id) return &flights->flights[i];
  return NULL;
}

void gannet_flights_remove(gannet_flights *flights, gannet_flight_attempt *one) {
  double *x = (double *)(uintptr_t)one->request.x_user;
  if (flights->outage.trial == one->flight.id) flights->outage.trial = -1;
  gannet_free(&x);
  *one = flights->flights[--flights->n];
}

/* The files of an attempt: what an earlier try of it has made is not made again. */
static gannet_err prepare_files(const gannet_program *program, gannet_flight_attempt *one,
                                const gannet_bindings *bindings) {
  const gannet_contract_handover handover = {.slot = one->flight.slot,
                                             .submitted = one->flight.submitted};
  if (!one->has_place)
    GANNET_TRY(gannet_contract_make_place(one->flight.directory, one->request.attempt - 1,
                                          program->contract.durable));
  one->has_place = true;
  if (!one->is_filled)
    GANNET_TRY(gannet_contract_fill_place(&program->contract, &one->request, bindings,
                                          one->flight.directory, &handover));
  one->is_filled = true;
  return GANNET_OK;
}

static gannet_err send_launch(gannet_flights *flights, const gannet_flight_attempt *one,
                              const gannet_papers *with) {
  char outcome[PATH_MAX], results[PATH_MAX];
  const gannet_program *program = &flights->program;
  const char *directory = one->flight.directory;
  GANNET_TRY(gannet_join_path(directory, "outcome.json", outcome, sizeof outcome));
  GANNET_TRY(gannet_join_path(directory, "results.out", results, sizeof results));
  const gannet_launch launch = {.tag = one->request.id,
                                .directory = directory,
                                .program = program->program,
                                .arguments = (const char *const *)with->arguments.item,
                                .environment = (const char *const *)with->environment.item,
                                .time_limit = flights->time_limit,
                                .grace = program->options->kill_grace,
                                .outcome = outcome,
                                .results = results,
                                .nonce = one->request.nonce,
                                .unbinds_mpirun = flights->parallel > 1};
  return gannet_launcher_launch(flights->launcher, &launch);
}

/* Without a loop that can stop, an attempt that cannot be started is a failed one. */
bool gannet_flights_can_wait(const gannet_flights *flights) {
  const gannet_stopping *stopping = flights->program.rules.limits.stopping;
  return stopping && stopping->begins_nothing;
}

static bool begins_nothing(const gannet_flights *flights) {
  const gannet_stopping *stopping = flights->program.rules.limits.stopping;
  return gannet_flights_can_wait(flights) && stopping->begins_nothing(stopping->user);
}

void gannet_flights_note_outage(gannet_flights *flights, const gannet_flight_attempt *one,
                                const gannet_outage_sign *sign) {
  gannet_outage_note(flights->context, &flights->outage, one->flight.id, sign,
                     flights->program.options->patience);
}

/* A file server that restarts, input files that are away, no memory: it may pass. A full disk and a
 * campaign that was moved away do not. */
static bool may_pass(const gannet_flights *flights, gannet_err err) {
  return gannet_flights_can_wait(flights) &&
         (err == GANNET_ERR_IO || err == GANNET_ERR_MISSING || err == GANNET_ERR_MEMORY) &&
         !gannet_path_is_gone(flights->program.evaluations);
}

static gannet_err launch_one(gannet_flights *flights, gannet_flight_attempt *one) {
  gannet_papers with = {0};
  one->tries += 1;
  if (flights->outage.is_on) flights->outage.trial = one->flight.id;
  gannet_err err = gannet_papers_create(&flights->program, &one->request, one->flight.directory,
                                        one->flight.slot, &with);
  if (err == GANNET_OK) err = prepare_files(&flights->program, one, &with.bindings);
  if (err != GANNET_OK && may_pass(flights, err)) {
    const gannet_outage_sign sign = {.is_lasting = err == GANNET_ERR_MISSING,
                                     .reason = gannet_error_detail()};
    gannet_flights_note_outage(flights, one, &sign);
    gannet_error_clear();
    err = GANNET_OK;
  } else if (err == GANNET_OK) {
    err = send_launch(flights, one, &with);
    if (err == GANNET_OK) one->stage = GANNET_FLIGHT_SENT;
  }
  gannet_papers_release(&with);
  return err;
}

/* The one that was tried least. */
static gannet_flight_attempt *next_waiting(gannet_flights *flights) {
  gannet_flight_attempt *next = NULL;
  for (int i = 0; i < flights->n; ++i) {
    gannet_flight_attempt *one = &flights->flights[i];
    if (one->stage == GANNET_FLIGHT_WAITS && !one->flight.unwanted &&
        (!next || one->tries < next->tries))
      next = one;
  }
  return next;
}

/* In an outage one at a time is tried. */
gannet_err gannet_flights_launch(gannet_flights *flights) {
  const gannet_outage *outage = &flights->outage;
  while (!outage->is_on || (outage->trial < 0 && gannet_clock_seconds() >= outage->next_try)) {
    gannet_flight_attempt *next = next_waiting(flights);
    if (!next) return GANNET_OK;
    GANNET_TRY(launch_one(flights, next));
  }
  return GANNET_OK;
}

/* Attempts that were never started go back to the loop, which makes them after a resume. */
static gannet_err give_back(gannet_flights *flights, const char *reason) {
  gannet_result_record result;
  for (int i = flights->n - 1; i >= 0; --i) {
    gannet_flight_attempt *one = &flights->flights[i];
    if (one->stage != GANNET_FLIGHT_WAITS || one->flight.unwanted) continue;
    gannet_ready_begin(&flights->ready, &result);
    gannet_flight_identify(&one->flight, &result);
    result.status = GANNET_EVAL_PENDING;
    (void)snprintf(result.run.reason, sizeof result.run.reason, "%s", reason);
    GANNET_TRY(gannet_ready_add(&flights->ready, &result));
    gannet_flights_remove(flights, one);
  }
  return GANNET_OK;
}

/* Only one evaluation has been met, by words that it may itself have brought about. */
static bool is_doubtful(const gannet_outage *outage) {
  return outage->by_words && !outage->several;
}

/* An outage that has lasted for too long. */
static gannet_err lose_patience(gannet_flights *flights) {
  gannet_outage *outage = &flights->outage;
  const double patience = flights->program.options->patience;
  const double lasted = gannet_clock_seconds() - outage->since;
  const bool ever = outage->by_words ? flights->proof > 0 : flights->has_begun;
  if (!outage->is_on) return GANNET_OK;
  if (!ever && outage->is_lasting && !is_doubtful(outage) &&
      lasted >= fmin(patience, first_patience))
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "no simulation can be started: %s; correct it and resume: no evaluation "
                        "counts as failed",
                        outage->reason);
  if (is_doubtful(outage) && lasted >= fmin(patience, ever ? doubtful_patience : first_patience)) {
    gannet_flight_attempt *one = gannet_flights_find(flights, outage->first);
    if (one) one->is_judged = true;
    return GANNET_OK;
  }
  return lasted >= patience ? give_back(flights, outage->reason) : GANNET_OK;
}

/* A simulation that a shell or launcher has started is known by its running on. */
static void see_trial(gannet_flights *flights) {
  const gannet_flight_attempt *one = gannet_flights_find(flights, flights->outage.trial);
  if (one && one->stage == GANNET_FLIGHT_RUNS &&
      gannet_clock_seconds() >= one->begun + longest_start)
    gannet_outage_end(flights->context, &flights->outage);
}

/* What waits is launched, or given back when nothing is to begin any more. */
gannet_err gannet_flights_go_on(gannet_flights *flights) {
  if (flights->n == 0) return GANNET_OK;
  if (begins_nothing(flights)) return give_back(flights, "");
  see_trial(flights);
  GANNET_TRY(lose_patience(flights));
  return gannet_flights_launch(flights);
}

/* When something is to be done though no event comes; gannet_clock_seconds. */
double gannet_flights_due(gannet_flights *flights) {
  const gannet_outage *outage = &flights->outage;
  double due = flights->n_held > 0 ? flights->held[0].until : INFINITY;
  const gannet_flight_attempt *one =
      outage->is_on ? gannet_flights_find(flights, outage->trial) : NULL;
  if (one && one->stage == GANNET_FLIGHT_RUNS) due = fmin(due, one->begun + longest_start);
  if (outage->is_on && outage->trial < 0 && next_waiting(flights))
    due = fmin(due, outage->next_try);
  return due;
}
