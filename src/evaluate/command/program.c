#include "evaluate/command/program.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "evaluate/contract/case_folder.h"
#include "evaluate/result_record.h"
#include "problem/derived.h"

/* Make a path absolute: simulations run in other directories. */
static gannet_err absolute(const char *path, char *full) {
  char resolved[PATH_MAX];
  if (!realpath(path, resolved)) return gannet_raise_errno("find", path);
  memcpy(full, resolved, sizeof resolved);
  return GANNET_OK;
}

/* Find bash, which knows functions that the user's shell has exported, such as `module`; other
 * shells drop them. */
static void find_shell(char *shell) {
  static const char *const places[] = {"/bin/bash", "/usr/bin/bash"};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    if (gannet_command_find(places[i], NULL, shell) == 0) return;
  if (gannet_command_find("bash", NULL, shell) == 0 && shell[0] == '/') return;
  (void)snprintf(shell, PATH_MAX, "/bin/sh");
}

static gannet_err find_places(const gannet_evaluator_setup *setup, gannet_program *made) {
  char path[PATH_MAX];
  find_shell(made->shell);
  const char *program =
      made->options->command.n > 0
          ? gannet_command_program(made->options, setup->resources, made->starts_jobs)
          : made->shell;
  GANNET_TRY(gannet_join_path(setup->campaign, "evals", path, sizeof path));
  GANNET_TRY(gannet_make_lasting_directory(path));
  GANNET_TRY(absolute(path, made->evaluations));
  GANNET_TRY(absolute(setup->campaign, made->campaign));
  GANNET_TRY(
      absolute(setup->input_directory ? setup->input_directory : ".", made->input_directory));
  errno = gannet_command_find(program, made->input_directory, made->program);
  made->runs_copy = errno && gannet_command_find_in_case(made->options, made->input_directory) == 0;
  if (made->runs_copy) errno = gannet_command_find("env", NULL, made->program);
  if (errno) return gannet_raise_errno("run", program);
  if (made->program[0] == '/') return GANNET_OK;
  (void)snprintf(path, sizeof path, "%s", made->program);
  return absolute(path, made->program); /* found through a relative entry of PATH */
}

static gannet_err compile(const gannet_command_options *options, const gannet_problem *problem,
                          gannet_program *program) {
  gannet_complaints complaints = {0}; /* they were made by check already */
  gannet_err err =
      gannet_patterns_create(&options->pattern, problem, &complaints, &program->patterns);
  if (err == GANNET_OK)
    err = gannet_text_rules_create("", &options->bad_luck_text, &complaints,
                                   &program->bad_luck_texts);
  if (err == GANNET_OK)
    err = gannet_text_rules_create("", &options->cannot_run_text, &complaints,
                                   &program->cannot_run_texts);
  gannet_complaints_release(&complaints);
  return err;
}

static gannet_err find_uses_in_case(gannet_program *program) {
  gannet_contract in_case = program->contract; /* relative names start from the case */
  gannet_text_list templates = {0};
  char folder[PATH_MAX];
  if (!program->a_case.copy) return GANNET_OK;
  GANNET_TRY(gannet_case_find(&program->a_case, program->input_directory, folder));
  in_case.input_directory = folder;
  gannet_err err =
      gannet_case_list_templates(&program->a_case, program->input_directory, &templates);
  for (int i = 0; i < templates.n && err == GANNET_OK; ++i)
    err = gannet_placeholder_uses_add_file(program->uses, &in_case, GANNET_IN_TEMPLATE,
                                           templates.item[i]);
  gannet_text_list_release(&templates);
  return err;
}

static gannet_err find_uses(gannet_program *program) {
  const gannet_command_options *options = program->options;
  const gannet_text_list *const lists[] = {&options->command, &options->environment};
  static const char *const keys[] = {"evaluate.command", "evaluate.environment"};
  GANNET_TRY(gannet_alloc(1, sizeof *program->uses, &program->uses));
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < lists[k]->n; ++i)
      GANNET_TRY(gannet_placeholder_uses_add(program->uses, &program->contract, GANNET_IN_CAMPAIGN,
                                             keys[k], lists[k]->item[i],
                                             strlen(lists[k]->item[i])));
  for (int i = 0; i < options->templates.n; ++i)
    GANNET_TRY(gannet_placeholder_uses_add_file(program->uses, &program->contract,
                                                GANNET_IN_TEMPLATE, options->templates.item[i]));
  return find_uses_in_case(program);
}

gannet_err gannet_program_create(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, gannet_program *program) {
  program->options = options;
  (void)gannet_delimiters_read(&options->placeholders,
                               &program->delimiters); /* check has complained */
  GANNET_TRY(find_places(setup, program));
  GANNET_TRY(compile(options, setup->problem, program));
  program->a_case = gannet_command_case(options, program->campaign);
  program->contract = (gannet_contract){.problem = setup->problem,
                                        .evaluations = program->evaluations,
                                        .input_directory = program->input_directory,
                                        .templates = &options->templates,
                                        .a_case = &program->a_case,
                                        .delimiters = &program->delimiters,
                                        .starts_from_nearest = setup->starts_from_nearest,
                                        .has_places = setup->resources != NULL};
  program->rules = (gannet_outcome_rules){.bad_luck = &options->bad_luck_exit_codes,
                                          .cannot_run = &options->cannot_run_exit_codes,
                                          .patterns = &program->patterns,
                                          .time_limit = setup->time_limit,
                                          .bad_luck_texts = &program->bad_luck_texts,
                                          .cannot_run_texts = &program->cannot_run_texts,
                                          .limits = {GANNET_SEARCH_PATIENCE, setup->stopping},
                                          .evaluations = program->evaluations,
                                          .program = program->program};
  return find_uses(program);
}

void gannet_program_release(gannet_program *program) {
  gannet_patterns_release(&program->patterns);
  gannet_text_rules_release(&program->bad_luck_texts);
  gannet_text_rules_release(&program->cannot_run_texts);
  if (program->uses) gannet_placeholder_uses_release(program->uses);
  gannet_free(&program->uses);
}

gannet_err gannet_program_check_request(const gannet_program *program,
                                        const gannet_context *context,
                                        const gannet_request *request, gannet_result_queue *ready,
                                        bool *fits) {
  char misfit[GANNET_MISFIT_SIZE] = "";
  gannet_result_record result;
  const bool is_undefined =
      gannet_problem_find_undefined(program->contract.problem, request->x_user, misfit,
                                    sizeof misfit) >= 0;
  if (!is_undefined)
    GANNET_TRY(
        gannet_placeholder_uses_check(program->uses, &program->contract, context, request, misfit));
  *fits = !*misfit;
  if (*fits) return GANNET_OK;
  gannet_result_queue_begin(ready, &result);
  result.id = request->id;
  result.run.attempts = request->attempt;
  gannet_result_fail(&result, false, "%s", misfit);
  if (is_undefined) gannet_result_cannot_run(&result, GANNET_FAILURE_WORD);
  return gannet_result_queue_add(ready, &result);
}

/* Append the words of a line that blanks divide. */
static gannet_err add_words(gannet_text_list *arguments, const char *line) {
  char word[1200];
  for (const char *at = line; *at; at += strspn(at, " ")) {
    const int size = (int)strcspn(at, " ");
    (void)snprintf(word, sizeof word, "%.*s", size, at);
    GANNET_TRY(gannet_text_list_add(arguments, word));
    at += size;
  }
  return GANNET_OK;
}

static gannet_err fill_arguments(const gannet_program *program, const gannet_bindings *bindings,
                                 gannet_text_list *arguments) {
  const gannet_text_list *command = &program->options->command;
  if (command->n == 0) {
    const char *shell = program->options->shell;
    GANNET_TRY(gannet_text_list_add(arguments, gannet_file_name_of(program->shell)));
    GANNET_TRY(gannet_text_list_add(arguments, "-c"));
    return gannet_text_list_add(arguments, shell ? shell : "");
  }
  if (program->runs_copy) GANNET_TRY(gannet_text_list_add(arguments, "env"));
  for (int i = 0; i < command->n; ++i) {
    char *text = NULL;
    const gannet_binding *launcher = strcmp(command->item[i], "{launcher}") == 0
                                         ? gannet_binding_find(bindings, "launcher")
                                     : strcmp(command->item[i], "{gannet.launcher}") == 0
                                         ? gannet_binding_find(bindings, "gannet.launcher")
                                         : NULL;
    if (launcher && program->contract.has_places) {
      GANNET_TRY(add_words(arguments, launcher->text));
      continue;
    }
    GANNET_TRY(gannet_substitute(&program->contract, bindings, GANNET_IN_CAMPAIGN,
                                 "evaluate.command", command->item[i], strlen(command->item[i]),
                                 &text, NULL));
    const gannet_err err = gannet_text_list_add(arguments, text);
    gannet_free(&text);
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

gannet_err gannet_command_line_create(const gannet_program *program, const gannet_request *request,
                                      const char *directory, int slot,
                                      gannet_command_line *command_line) {
  GANNET_TRY(gannet_bindings_create(&program->contract, request, directory, slot,
                                    &command_line->bindings));
  GANNET_TRY(fill_arguments(program, &command_line->bindings, &command_line->arguments));
  return gannet_contract_environment(&program->contract, request, &command_line->bindings,
                                     directory, slot, &program->options->environment,
                                     &command_line->environment);
}

void gannet_command_line_release(gannet_command_line *command_line) {
  gannet_bindings_release(&command_line->bindings);
  gannet_text_list_release(&command_line->arguments);
  gannet_text_list_release(&command_line->environment);
}

static const gannet_current_attempt *other(const void *others, int i, size_t size) {
  return (const gannet_current_attempt *)(const void *)((const char *)others + (size_t)i * size);
}

/* Find the smallest slot that none of the others has. Of n + 1 slots one is free. */
static gannet_err free_slot(const void *others, int n, size_t size, int *slot) {
  char *taken = NULL;
  GANNET_TRY(gannet_alloc((size_t)n + 1, 1, &taken));
  for (int i = 0; i < n; ++i) {
    const int one = other(others, i, size)->slot;
    if (0 <= one && one <= n) taken[one] = 1;
  }
  for (*slot = 0; taken[*slot];) ++*slot;
  gannet_free(&taken);
  return GANNET_OK;
}

gannet_err gannet_attempt_begin(const gannet_program *program, const gannet_request *request,
                                const void *others, int n, size_t size,
                                gannet_current_attempt *attempt) {
  for (int i = 0; i < n; ++i)
    GANNET_REQUIRE(other(others, i, size)->id != request->id, GANNET_ERR_ARG,
                   "evaluation %lld is running already", (long long)request->id);
  attempt->id = request->id;
  attempt->number = request->attempt;
  attempt->nonce = request->nonce;
  GANNET_TRY(free_slot(others, n, size, &attempt->slot));
  attempt->submitted = gannet_clock_epoch();
  attempt->unwanted = false;
  attempt->unread_since = NAN;
  return gannet_contract_directory(&program->contract, request->id, attempt->directory,
                                   sizeof attempt->directory);
}

bool gannet_attempt_reads_again(const gannet_context *context, gannet_current_attempt *attempt,
                                const char *reason, double patience) {
  char limit[32];
  const double now = gannet_clock_seconds();
  if (!isnan(attempt->unread_since)) return now - attempt->unread_since < patience;
  attempt->unread_since = now;
  gannet_format_duration(patience, limit, sizeof limit);
  gannet_log(context, GANNET_LOG_WARNING,
             "evaluation %lld: %s; gannet tries to read it for %s (evaluate.patience), then the "
             "campaign stops and can be resumed",
             (long long)attempt->id, reason, limit);
  return true;
}

void gannet_attempt_recall(gannet_current_attempt *attempt) {
  gannet_attempt_info sight;
  const bool found =
      gannet_attempt_read(attempt->directory, &sight) && sight.nonce == attempt->nonce;
  attempt->slot = found ? sight.slot : -1;
  attempt->submitted = found ? sight.submitted : NAN;
  (void)snprintf(attempt->place, sizeof attempt->place, "%s", found ? sight.place : "");
}

bool gannet_program_is_stopped(const gannet_program *program) {
  const gannet_stopping *stopping = program->rules.limits.stopping;
  return stopping && stopping->is_asked(stopping->user);
}

bool gannet_program_begins_nothing(const gannet_program *program) {
  const gannet_stopping *stopping = program->rules.limits.stopping;
  return stopping && stopping->begins_nothing && stopping->begins_nothing(stopping->user);
}

void gannet_attempt_identify(const gannet_current_attempt *attempt, gannet_result_record *result) {
  result->id = attempt->id;
  result->run.attempts = attempt->number;
  result->run.submitted = attempt->submitted;
  result->run.slot = attempt->slot;
  (void)snprintf(result->run.place, sizeof result->run.place, "%s", attempt->place);
}
