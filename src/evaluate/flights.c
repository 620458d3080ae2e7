/* Rank 0's bookkeeping of what the launcher runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/allocation.h"
#include "evaluate/program.h"

static const double longest_judging = 1; /* seconds in a row */
static const double longest_cancel = 10; /* seconds of grace: a campaign must end within 20 */
/* Seconds that a signal for all that runs here may take to reach this process, too. */
static const double longest_delay = 1;

/* Whoever ends an allocation sends a signal to all that runs in it, and what a simulation does upon
 * it may be seen here before this process gets its own. So such ends wait for a moment. */
typedef struct {
  gannet_launch_event event;
  double until; /* gannet_clock_seconds, when it is judged */
} held;

/* What rank 0 has and the others do not. */
struct gannet_flights {
  const gannet_context *context;
  gannet_program program;
  double time_limit;
  gannet_launcher *launcher;
  bool own_launcher;
  int n, capacity;
  gannet_flight *flights;
  gannet_ready ready;
  int n_held, held_capacity;
  held *held; /* in the order of their ends */
};

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
  return prepare(*flights, options, setup);
}

static void destroy(void *worker) {
  gannet_flights *old = worker;
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  gannet_program_release(&old->program);
  gannet_free(&old->flights);
  gannet_free(&old->held);
  gannet_ready_release(&old->ready);
  gannet_free(&old);
}

static gannet_flight *find_flight(gannet_flights *flights, int64_t id) {
  for (int i = 0; i < flights->n; ++i)
    if (flights->flights[i].id == id) return &flights->flights[i];
  return NULL;
}

static gannet_err add_flight(gannet_flights *flights, const gannet_request *request,
                             gannet_flight **flight) {
  if (flights->n == flights->capacity) {
    const int larger = 2 * flights->capacity + 8;
    GANNET_TRY(gannet_resize((size_t)flights->capacity, (size_t)larger, sizeof *flights->flights,
                             &flights->flights));
    flights->capacity = larger;
  }
  *flight = &flights->flights[flights->n];
  return gannet_flight_begin(&flights->program, request, flights->flights, flights->n,
                             sizeof **flight, *flight);
}

static gannet_err launch_with(gannet_flights *flights, const gannet_request *request,
                              const gannet_flight *flight, gannet_papers *with) {
  char outcome[PATH_MAX], results[PATH_MAX];
  const gannet_program *program = &flights->program;
  GANNET_TRY(gannet_papers_create(program, request, flight->directory, with));
  const gannet_contract_handover handover = {.slot = flight->slot, .submitted = flight->submitted};
  GANNET_TRY(gannet_contract_prepare(&program->contract, request, &with->bindings,
                                     flight->directory, &handover));
  GANNET_TRY(gannet_join_path(flight->directory, "outcome.json", outcome, sizeof outcome));
  GANNET_TRY(gannet_join_path(flight->directory, "results.out", results, sizeof results));
  const gannet_launch launch = {.tag = request->id,
                                .directory = flight->directory,
                                .program = program->program,
                                .arguments = (const char *const *)with->arguments.item,
                                .environment = (const char *const *)with->environment.item,
                                .time_limit = flights->time_limit,
                                .grace = program->options->kill_grace,
                                .outcome = outcome,
                                .results = results,
                                .nonce = request->nonce};
  return gannet_launcher_launch(flights->launcher, &launch);
}

static gannet_err launch_one(gannet_flights *flights, const gannet_request *request) {
  gannet_flight *flight = NULL;
  gannet_papers with = {0};
  GANNET_TRY(add_flight(flights, request, &flight));
  const gannet_err err = launch_with(flights, request, flight, &with);
  gannet_papers_release(&with);
  GANNET_TRY(err);
  flights->n += 1;
  return GANNET_OK;
}

static gannet_err abandon(gannet_flights *flights, gannet_flight *flight) {
  flight->unwanted = true;
  return gannet_launcher_kill(flights->launcher, flight->id,
                              fmin(flights->program.options->kill_grace, longest_cancel));
}

static gannet_err submit(void *worker, int n, const gannet_request *requests) {
  gannet_flights *flights = worker;
  const int before = flights->n;
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) err = launch_one(flights, &requests[i]);
  if (err == GANNET_OK) return GANNET_OK;
  /* The first error is the one to report; a helper that is dead has killed its children itself. */
  for (int i = before; i < flights->n; ++i) flights->flights[i].unwanted = true;
  for (int i = before; i < flights->n; ++i)
    (void)!gannet_launcher_kill(flights->launcher, flights->flights[i].id, 0);
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

/* An attempt that is over, unless it is made again after a resume. */
static gannet_err judge(gannet_flights *flights, const gannet_flight *flight,
                        const gannet_launch_event *event) {
  gannet_result_record result;
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
  flights->held[flights->n_held++] = (held){*event, gannet_clock_seconds() + longest_delay};
  return GANNET_OK;
}

static gannet_err end(gannet_flights *flights, gannet_flight *flight,
                      const gannet_launch_event *event) {
  const gannet_err err = flight->unwanted ? GANNET_OK : judge(flights, flight, event);
  /* A full disk ends the campaign with the first that fails; others have failed by it, too. */
  if (flight->unwanted && !event->cancelled && !gannet_directory_has_room(flight->directory))
    gannet_contract_forget(flight->directory);
  *flight = flights->flights[--flights->n];
  return err;
}

static gannet_err handle(gannet_flights *flights, const gannet_launch_event *event) {
  gannet_flight *flight = find_flight(flights, event->tag);
  if (!flight) return GANNET_OK; /* of an evaluator that used this launcher before */
  if (event->type == GANNET_LAUNCH_STARTED) return mark(flights, flight, event);
  if (!flight->unwanted && is_ended_from_outside(event)) return hold(flights, event);
  return end(flights, flight, event);
}

/* Those that were held for long enough; all that are held once this process stops, too: what ended
 * with it is made again after a resume. */
static gannet_err end_held(gannet_flights *flights, bool stopped) {
  const double now = gannet_clock_seconds();
  int n = 0;
  gannet_err err = GANNET_OK;
  for (; n < flights->n_held && (stopped || flights->held[n].until <= now); ++n) {
    gannet_flight *flight = find_flight(flights, flights->held[n].event.tag);
    if (stopped) {
      gannet_contract_forget(flight->directory);
      *flight = flights->flights[--flights->n];
    } else if (err == GANNET_OK) {
      err = end(flights, flight, &flights->held[n].event);
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
  while (flights->ready.n == 0) {
    const double now = gannet_clock_seconds(), left = until - now;
    const double due = flights->n_held > 0 ? flights->held[0].until - now : INFINITY;
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(take_events(flights, fmax(fmin(left, due), 0), &any));
    GANNET_TRY(end_held(flights, gannet_program_is_stopped(&flights->program)));
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
  for (int i = 0; i < flights->n; ++i) GANNET_TRY(abandon(flights, &flights->flights[i]));
  while (flights->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", flights->n);
    GANNET_TRY(take_events(flights, 1, &any));
  }
  return GANNET_OK;
}

static gannet_err recover(void *worker, const gannet_request *request, bool *taken) {
  gannet_flights *flights = worker;
  gannet_launch_event event;
  gannet_flight flight;
  GANNET_TRY(gannet_flight_begin(&flights->program, request, NULL, 0, 0, &flight));
  gannet_flight_recall(&flight);
  if (!gannet_contract_find_outcome(flight.directory, request->nonce, &event, NULL) ||
      (event.exit_code != 0 && gannet_allocation_is_over(flight.directory, NULL)))
    return GANNET_OK; /* not begun, for the job of that process was at its end */
  GANNET_TRY(judge(flights, &flight, &event));
  *taken = true;
  return GANNET_OK;
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
