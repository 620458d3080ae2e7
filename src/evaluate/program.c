#include "evaluate/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"

/* Simulations run elsewhere: their paths must not depend on the working directory. */
static gannet_err absolute(const char *path, char *full) {
  char resolved[PATH_MAX];
  if (!realpath(path, resolved)) return gannet_raise_errno("find", path);
  memcpy(full, resolved, sizeof resolved);
  return GANNET_OK;
}

static gannet_err find_places(const gannet_evaluator_setup *setup, gannet_program *made) {
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

gannet_err gannet_program_create(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, gannet_program *program) {
  gannet_complaints complaints = {0};
  program->options = options;
  GANNET_TRY(find_places(setup, program));
  const gannet_err err =
      gannet_patterns_create(&options->pattern, setup->problem, &complaints, &program->patterns);
  gannet_complaints_release(&complaints); /* they were made by check already */
  GANNET_TRY(err);
  program->contract = (gannet_contract){setup->problem, program->evaluations,
                                        program->input_directory, &options->templates};
  program->rules =
      (gannet_contract_rules){&options->bad_luck_exit_codes, &options->infeasible_exit_codes,
                              &program->patterns, setup->time_limit};
  return GANNET_OK;
}

void gannet_program_release(gannet_program *program) {
  gannet_patterns_release(&program->patterns);
}

static gannet_err fill_arguments(const gannet_program *program, const gannet_bindings *bindings,
                                 gannet_text_list *arguments) {
  const gannet_text_list *command = &program->options->command;
  if (command->n == 0) {
    const char *shell = program->options->shell;
    GANNET_TRY(gannet_text_list_add(arguments, "sh"));
    GANNET_TRY(gannet_text_list_add(arguments, "-c"));
    return gannet_text_list_add(arguments, shell ? shell : "");
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

gannet_err gannet_papers_create(const gannet_program *program, const gannet_request *request,
                                const char *directory, gannet_papers *papers) {
  GANNET_TRY(gannet_bindings_create(&program->contract, request, directory, &papers->bindings));
  GANNET_TRY(fill_arguments(program, &papers->bindings, &papers->arguments));
  return gannet_contract_environment(&program->contract, request, directory,
                                     &program->options->environment, &papers->environment);
}

void gannet_papers_release(gannet_papers *papers) {
  gannet_bindings_release(&papers->bindings);
  gannet_text_list_release(&papers->arguments);
  gannet_text_list_release(&papers->environment);
}

static const gannet_flight *other(const void *others, int i, size_t size) {
  return (const gannet_flight *)(const void *)((const char *)others + (size_t)i * size);
}

static int free_slot(const void *others, int n, size_t size) {
  for (int slot = 0;; ++slot) {
    bool taken = false;
    for (int i = 0; i < n && !taken; ++i) taken = other(others, i, size)->slot == slot;
    if (!taken) return slot;
  }
}

gannet_err gannet_flight_begin(const gannet_program *program, const gannet_request *request,
                               const void *others, int n, size_t size, gannet_flight *flight) {
  for (int i = 0; i < n; ++i)
    GANNET_REQUIRE(other(others, i, size)->id != request->id, GANNET_ERR_ARG,
                   "evaluation %lld is running already", (long long)request->id);
  flight->id = request->id;
  flight->attempt = request->attempt;
  flight->nonce = request->nonce;
  flight->slot = free_slot(others, n, size);
  flight->submitted = gannet_clock_epoch();
  flight->unwanted = false;
  return gannet_contract_directory(&program->contract, request->id, flight->directory,
                                   sizeof flight->directory);
}

void gannet_flight_identify(const gannet_flight *flight, gannet_result_record *result) {
  result->id = flight->id;
  result->run.attempts = flight->attempt;
  result->run.submitted = flight->submitted;
  result->run.slot = flight->slot;
}
