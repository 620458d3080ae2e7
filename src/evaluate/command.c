/* Simulations that are programs of their own: rank 0 launches them, all ranks get the results. */
#include "evaluate/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/backends.h"
#include "evaluate/quiet.h"
#include "evaluate/record.h"

#define AT(member) offsetof(gannet_command_options, member)

static const gannet_option options[] = {
    {.key = "command",
     .type = GANNET_TEXT_LIST,
     .offset = AT(command),
     .help = "program and arguments; {params}, {results}, {directory}, {id}, {attempt}, {seed}, "
             "{input_directory} and {variable} are replaced; no shell is involved",
     .example = "[./simulate, \"{params}\", \"{results}\"]"},
    {.key = "shell",
     .type = GANNET_TEXT,
     .offset = AT(shell),
     .help = "text for /bin/sh instead of command; nothing is replaced in it, values come through "
             "$GANNET_PARAMS and params.in",
     .example = "module load solver && solve params.in"},
    {.key = "templates",
     .type = GANNET_TEXT_LIST,
     .offset = AT(templates),
     .help = "files copied into the directory of every evaluation with each {variable} replaced by "
             "its value; other text in braces stays",
     .example = "[case.in]"},
    {.key = "pattern",
     .type = GANNET_TEXT_LIST,
     .offset = AT(pattern),
     .help =
         "name=regex: takes objective or a constraint from the simulation's standard output, by "
         "a POSIX extended regular expression whose first group is the number; the last match "
         "wins",
     .example = "\"objective=^drag: *([0-9.eE+-]+)\""},
    {.key = "environment",
     .type = GANNET_TEXT_LIST,
     .offset = AT(environment),
     .help = "variables for the simulation on top of the inherited ones, each as NAME=value",
     .example = "[OMP_NUM_THREADS=4]"},
    {.key = "kill_grace",
     .type = GANNET_DURATION,
     .offset = AT(kill_grace),
     .fallback = "5s",
     .upper = HUGE_VAL,
     .unit = "s",
     .help = "time between SIGTERM and SIGKILL when a simulation is ended; 10 s at most when the "
             "campaign itself stops"},
    {.key = "bad_luck_exit_codes",
     .type = GANNET_REAL_LIST,
     .offset = AT(bad_luck_exit_codes),
     .fallback = "137",
     .upper = 255,
     .help =
         "exit codes after which another attempt may succeed; 137 is a shell's or mpirun's word "
         "for a process killed from outside"},
    {.key = "infeasible_exit_codes",
     .type = GANNET_REAL_LIST,
     .offset = AT(infeasible_exit_codes),
     .upper = 255,
     .help = "exit codes that say: the simulation cannot work at this design",
     .example = "[42]"},
    {0}};

typedef struct {
  const gannet_context *context;
  int n_constraints;
  size_t record_size;
  gannet_flights *flights; /* on rank 0 */
  int capacity;
  char *records; /* [capacity][record_size] */
} command;

static void destroy(void *state) {
  command *made = state;
  gannet_flights_destroy(&made->flights);
  gannet_free(&made->records);
  free(made);
}

static gannet_err make(const void *given, const gannet_evaluator_setup *setup, command *made) {
  GANNET_REQUIRE(made, GANNET_ERR_MEMORY, "%zu bytes", sizeof *made);
  made->context = setup->context;
  made->n_constraints = setup->problem->spec.n_constraints;
  made->record_size = gannet_record_size(made->n_constraints);
  if (setup->context->rank > 0) return GANNET_OK;
  return gannet_flights_create(given, setup, &made->flights);
}

static gannet_err create(const void *given, const gannet_evaluator_setup *setup, void **state) {
  command *made = calloc(1, sizeof *made);
  const gannet_err err = gannet_agree(setup->context->comm, make(given, setup, made));
  *state = NULL;
  if (err == GANNET_OK)
    *state = made;
  else if (made)
    destroy(made);
  GANNET_TRY(err);
  return GANNET_OK;
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  command *run = state;
  gannet_err local = GANNET_OK;
  if (run->flights) local = gannet_flights_submit(run->flights, n, requests);
  return gannet_quiet_agree(run->context->comm, local);
}

static gannet_err reserve(command *run, int n) {
  if (n <= run->capacity) return GANNET_OK;
  GANNET_TRY(gannet_resize((size_t)run->capacity, (size_t)n, run->record_size, &run->records));
  run->capacity = n;
  return GANNET_OK;
}

static gannet_err take(command *run, int n) {
  GANNET_TRY(reserve(run, n));
  if (!run->flights) return GANNET_OK;
  memcpy(run->records, run->flights->ready, (size_t)n * run->record_size);
  gannet_flights_pop(run->flights, n);
  return GANNET_OK;
}

static gannet_err poll_launcher(void *state, double wait, int capacity, int *n,
                                gannet_result_record *results) {
  command *run = state;
  gannet_err local = GANNET_OK;
  int count = 0;
  if (run->flights) {
    local = gannet_flights_wait(run->flights, wait);
    count = run->flights->n_ready < capacity ? run->flights->n_ready : capacity;
  }
  GANNET_TRY(gannet_quiet_bcast(run->context->comm, &count, (int)sizeof count));
  if (local == GANNET_OK && count > 0) local = take(run, count);
  GANNET_TRY(gannet_agree(run->context->comm, local));
  if (count == 0) return GANNET_OK;
  GANNET_TRY_MPI(
      MPI_Bcast(run->records, count * (int)run->record_size, MPI_BYTE, 0, run->context->comm));
  for (int i = 0; i < count; ++i)
    gannet_record_unpack(run->n_constraints, run->records + (size_t)i * run->record_size,
                         &results[i]);
  *n = count;
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  command *run = state;
  gannet_err local = GANNET_OK;
  if (run->flights) local = gannet_flights_cancel(run->flights);
  return gannet_quiet_agree(run->context->comm, local);
}

static gannet_err recover(void *state, const gannet_request *request, bool *taken) {
  command *run = state;
  gannet_err local = GANNET_OK;
  char found = 0;
  if (run->flights) {
    bool mine = false;
    local = gannet_flights_recover(run->flights, request, &mine);
    found = mine;
  }
  GANNET_TRY(gannet_quiet_bcast(run->context->comm, &found, 1));
  GANNET_TRY(gannet_agree(run->context->comm, local));
  *taken = found != 0;
  return GANNET_OK;
}

const gannet_evaluator_type gannet_evaluator_command = {
    .name = "command",
    .summary = "a program of its own in a directory per evaluation, started beside the job",
    .options = options,
    .options_size = sizeof(gannet_command_options),
    .check = gannet_command_check,
    .create = create,
    .destroy = destroy,
    .submit = submit,
    .poll = poll_launcher,
    .cancel = cancel,
    .recover = recover,
};
