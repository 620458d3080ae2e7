/* Rank 0's bookkeeping of what the launcher runs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/command.h"
#include "evaluate/record.h"

static const double longest_cancel = 10; /* seconds of grace: a campaign must end within 20 */

/* Children work elsewhere: their paths must not depend on the working directory. */
static gannet_err absolute(const char *path, char *full) {
  char resolved[PATH_MAX];
  if (!realpath(path, resolved)) return gannet_raise_errno("find", path);
  memcpy(full, resolved, sizeof resolved);
  return GANNET_OK;
}

static gannet_err find_places(gannet_flights *made, const gannet_evaluator_setup *setup) {
  char path[PATH_MAX];
  const char *program = made->options->command.n > 0 ? made->options->command.item[0] : "/bin/sh";
  GANNET_TRY(gannet_join_path(setup->campaign, "evals", path, sizeof path));
  GANNET_TRY(gannet_make_directory(path));
  GANNET_TRY(absolute(path, made->evaluations));
  GANNET_TRY(
      absolute(setup->input_directory ? setup->input_directory : ".", made->input_directory));
  errno = gannet_command_find(program, made->input_directory, made->program);
  if (errno) return gannet_raise_errno("run", program);
  if (made->program[0] == '/') return GANNET_OK;
  (void)snprintf(path, sizeof path, "%s", made->program);
  return absolute(path, made->program); /* found through a relative entry of PATH */
}

static gannet_err prepare(gannet_flights *made, const gannet_evaluator_setup *setup) {
  gannet_complaints complaints = {0};
  GANNET_TRY(find_places(made, setup));
  gannet_err err =
      gannet_patterns_create(&made->options->pattern, setup->problem, &complaints, &made->patterns);
  gannet_complaints_release(&complaints); /* they were made by check already */
  GANNET_TRY(err);
  made->contract = (gannet_contract){setup->problem, made->evaluations, made->input_directory,
                                     &made->options->templates};
  made->rules = (gannet_contract_rules){&made->options->bad_luck_exit_codes,
                                        &made->options->infeasible_exit_codes, &made->patterns,
                                        setup->time_limit};
  made->record_size = gannet_record_size(setup->problem->spec.n_constraints);
  GANNET_TRY(gannet_alloc((size_t)setup->problem->spec.n_constraints, sizeof *made->constraints,
                          &made->constraints));
  made->launcher = setup->launcher;
  if (made->launcher) return GANNET_OK;
  made->own_launcher = true;
  return gannet_launcher_start(&made->launcher);
}

gannet_err gannet_flights_create(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, gannet_flights **flights) {
  GANNET_TRY(gannet_alloc(1, sizeof **flights, flights));
  (*flights)->options = options;
  (*flights)->context = setup->context;
  (*flights)->time_limit = setup->time_limit;
  return prepare(*flights, setup);
}

void gannet_flights_destroy(gannet_flights **flights) {
  gannet_flights *old = *flights;
  if (!old) return;
  if (old->own_launcher) gannet_launcher_stop(&old->launcher);
  gannet_patterns_release(&old->patterns);
  gannet_free(&old->flights);
  gannet_free(&old->ready);
  gannet_free(&old->constraints);
  gannet_free(flights);
}

static int free_slot(const gannet_flights *flights) {
  for (int slot = 0;; ++slot) {
    bool taken = false;
    for (int i = 0; i < flights->n && !taken; ++i) taken = flights->flights[i].slot == slot;
    if (!taken) return slot;
  }
}

static gannet_flight *find_flight(gannet_flights *flights, int64_t id) {
  for (int i = 0; i < flights->n; ++i)
    if (flights->flights[i].id == id) return &flights->flights[i];
  return NULL;
}

static gannet_err add_flight(gannet_flights *flights, const gannet_request *request,
                             gannet_flight **flight) {
  GANNET_REQUIRE(!find_flight(flights, request->id), GANNET_ERR_ARG,
                 "evaluation %lld is running already", (long long)request->id);
  if (flights->n == flights->capacity) {
    const int larger = 2 * flights->capacity + 8;
    GANNET_TRY(gannet_resize((size_t)flights->capacity, (size_t)larger, sizeof *flights->flights,
                             &flights->flights));
    flights->capacity = larger;
  }
  *flight = &flights->flights[flights->n];
  memset(*flight, 0, sizeof **flight);
  (*flight)->id = request->id;
  (*flight)->attempt = request->attempt;
  (*flight)->nonce = request->nonce;
  (*flight)->slot = free_slot(flights);
  (*flight)->submitted = gannet_clock_epoch();
  GANNET_TRY(gannet_contract_directory(&flights->contract, request->id, (*flight)->directory,
                                       sizeof(*flight)->directory));
  return GANNET_OK;
}

static gannet_err fill_arguments(const gannet_flights *flights, const gannet_bindings *bindings,
                                 gannet_text_list *arguments) {
  const gannet_text_list *command = &flights->options->command;
  if (command->n == 0) {
    GANNET_TRY(gannet_text_list_add(arguments, "sh"));
    GANNET_TRY(gannet_text_list_add(arguments, "-c"));
    return gannet_text_list_add(arguments, flights->options->shell);
  }
  for (int i = 0; i < command->n; ++i) {
    char *text = NULL;
    GANNET_TRY(
        gannet_substitute(bindings, command->item[i], strlen(command->item[i]), &text, NULL));
    const gannet_err err = gannet_text_list_add(arguments, text);
    gannet_free(&text);
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

/* Lists that launch_one frees whatever happens. */
typedef struct {
  gannet_bindings bindings;
  gannet_text_list arguments, environment;
} papers;

static gannet_err launch_with(gannet_flights *flights, const gannet_request *request,
                              const gannet_flight *flight, papers *with) {
  char outcome[PATH_MAX];
  GANNET_TRY(
      gannet_bindings_create(&flights->contract, request, flight->directory, &with->bindings));
  GANNET_TRY(fill_arguments(flights, &with->bindings, &with->arguments));
  GANNET_TRY(gannet_contract_environment(&flights->contract, request, flight->directory,
                                         &flights->options->environment, &with->environment));
  GANNET_TRY(
      gannet_contract_prepare(&flights->contract, request, &with->bindings, flight->directory));
  GANNET_TRY(gannet_join_path(flight->directory, "outcome.json", outcome, sizeof outcome));
  const gannet_launch launch = {.tag = request->id,
                                .directory = flight->directory,
                                .program = flights->program,
                                .arguments = (const char *const *)with->arguments.item,
                                .environment = (const char *const *)with->environment.item,
                                .time_limit = flights->time_limit,
                                .grace = flights->options->kill_grace,
                                .outcome = outcome,
                                .nonce = request->nonce};
  return gannet_launcher_launch(flights->launcher, &launch);
}

static gannet_err launch_one(gannet_flights *flights, const gannet_request *request) {
  gannet_flight *flight = NULL;
  papers with = {0};
  GANNET_TRY(add_flight(flights, request, &flight));
  const gannet_err err = launch_with(flights, request, flight, &with);
  gannet_bindings_release(&with.bindings);
  gannet_text_list_release(&with.arguments);
  gannet_text_list_release(&with.environment);
  GANNET_TRY(err);
  flights->n += 1;
  return GANNET_OK;
}

static gannet_err abandon(gannet_flights *flights, gannet_flight *flight) {
  flight->unwanted = true;
  return gannet_launcher_kill(flights->launcher, flight->id,
                              fmin(flights->options->kill_grace, longest_cancel));
}

gannet_err gannet_flights_submit(gannet_flights *flights, int n, const gannet_request *requests) {
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

static gannet_err make_ready(gannet_flights *flights, const gannet_result_record *result) {
  if (flights->n_ready == flights->ready_capacity) {
    const int larger = 2 * flights->ready_capacity + 8;
    GANNET_TRY(gannet_resize((size_t)flights->ready_capacity, (size_t)larger, flights->record_size,
                             &flights->ready));
    flights->ready_capacity = larger;
  }
  gannet_record_pack(flights->contract.problem->spec.n_constraints, result,
                     flights->ready + (size_t)flights->n_ready * flights->record_size);
  flights->n_ready += 1;
  return GANNET_OK;
}

static gannet_err judge(gannet_flights *flights, const gannet_flight *flight,
                        const gannet_launch_event *event) {
  gannet_result_record result = {.constraints = flights->constraints};
  const gannet_problem *problem = flights->contract.problem;
  gannet_record_clear(problem->spec.n_constraints, &result);
  result.id = flight->id;
  result.run.attempts = flight->attempt;
  result.run.submitted = flight->submitted;
  result.run.slot = flight->slot;
  gannet_contract_judge(problem, &flights->rules, flight->directory, event, &result);
  return make_ready(flights, &result);
}

static gannet_err handle(gannet_flights *flights, const gannet_launch_event *event) {
  gannet_flight *flight = find_flight(flights, event->tag);
  if (!flight) return GANNET_OK; /* of an evaluator that used this launcher before */
  if (event->type == GANNET_LAUNCH_STARTED) {
    if (gannet_contract_mark(flight->directory, flight->attempt, flight->nonce, event->pid,
                             event->started) != GANNET_OK) {
      gannet_log(flights->context, GANNET_LOG_WARNING, "%s", gannet_error_message());
      gannet_error_clear();
    }
    return GANNET_OK;
  }
  const gannet_err err = flight->unwanted ? GANNET_OK : judge(flights, flight, event);
  *flight = flights->flights[--flights->n];
  return err;
}

/* Everything that has happened by now, or the first thing that happens within wait seconds. */
static gannet_err take_events(gannet_flights *flights, double wait, bool *any) {
  gannet_launch_event event;
  bool got = true;
  *any = false;
  while (got) {
    GANNET_TRY(gannet_launcher_wait(flights->launcher, *any ? 0 : wait, &event, &got));
    if (got) GANNET_TRY(handle(flights, &event));
    *any = *any || got;
  }
  return GANNET_OK;
}

gannet_err gannet_flights_wait(gannet_flights *flights, double wait) {
  const double until = gannet_clock_seconds() + wait;
  bool any = true;
  GANNET_TRY(take_events(flights, 0, &any));
  while (flights->n_ready == 0) {
    const double left = until - gannet_clock_seconds();
    if (left <= 0) return GANNET_OK;
    GANNET_TRY(take_events(flights, left, &any));
    if (!any) return GANNET_OK; /* time is up, or a signal: the caller looks what it says */
  }
  return GANNET_OK;
}

void gannet_flights_pop(gannet_flights *flights, int n) {
  flights->n_ready -= n;
  if (flights->n_ready > 0)
    memmove(flights->ready, flights->ready + (size_t)n * flights->record_size,
            (size_t)flights->n_ready * flights->record_size);
}

gannet_err gannet_flights_cancel(gannet_flights *flights) {
  const double until =
      gannet_clock_seconds() + fmin(flights->options->kill_grace, longest_cancel) + 5;
  bool any = false;
  for (int i = 0; i < flights->n; ++i) GANNET_TRY(abandon(flights, &flights->flights[i]));
  while (flights->n > 0) {
    GANNET_REQUIRE(gannet_clock_seconds() < until, GANNET_ERR_STATE,
                   "%d simulations cannot be ended (stuck in the kernel?)", flights->n);
    GANNET_TRY(take_events(flights, 1, &any));
  }
  flights->n_ready = 0;
  return GANNET_OK;
}

gannet_err gannet_flights_recover(gannet_flights *flights, const gannet_request *request,
                                  bool *taken) {
  gannet_launch_event event;
  gannet_flight flight = {.id = request->id,
                          .attempt = request->attempt,
                          .slot = -1,
                          .submitted = NAN,
                          .nonce = request->nonce};
  GANNET_TRY(gannet_contract_directory(&flights->contract, request->id, flight.directory,
                                       sizeof flight.directory));
  if (!gannet_contract_find_outcome(flight.directory, request->nonce, &event)) return GANNET_OK;
  GANNET_TRY(judge(flights, &flight, &event));
  *taken = true;
  return GANNET_OK;
}
