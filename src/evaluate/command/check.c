/* What can be seen to be wrong with a command before anything runs. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "evaluate/command/arguments.h"
#include "evaluate/command/command.h"
#include "evaluate/command/placement.h"
#include "evaluate/contract/case_folder.h"
#include "evaluate/contract/placeholder_check.h"

gannet_case gannet_command_case(const gannet_command_options *options, const char *campaign) {
  return (gannet_case){.copy = options->case_copy,
                       .templates = &options->case_templates,
                       .link = &options->case_link,
                       .campaign = campaign};
}

const char *gannet_command_program(const gannet_command_options *options,
                                   const gannet_resources *resources, bool of_job) {
  const char *first = options->command.item[0];
  if (!resources || (strcmp(first, "{launcher}") != 0 && strcmp(first, "{gannet.launcher}") != 0))
    return first;
  return gannet_place_starter_of(resources, of_job) == GANNET_STARTS_BY_SRUN ? "srun" : "mpirun";
}

/* Whether the name of the program has a placeholder, which it must not have: the program is looked
 * for once, before there is any evaluation. */
static bool has_placeholder(const gannet_command_options *options) {
  const char *program = options->command.item[0];
  gannet_delimiters delimiters;
  gannet_placeholder found;
  size_t at = gannet_is_beside(program) ? strlen(gannet_beside) : 0;
  (void)gannet_delimiters_read(&options->placeholders, &delimiters);
  delimiters = gannet_delimiters_with_braces(&delimiters);
  return gannet_placeholder_next(&delimiters, program, strlen(program), &at, &found);
}

/* started  in  gannet_command_program */
static const char *hint_of(const gannet_command_options *options, const char *started, int reason) {
  const gannet_text_list *command = &options->command;
  const char *program = command->item[0];
  if (strcmp(started, program) != 0)
    return "{launcher} starts it; load its module, or set resources.launcher to another one";
  if (reason == EACCES) return "make it executable with chmod +x, or name its interpreter first";
  if (command->n == 1 && strchr(program, ' '))
    return "program and arguments are items of a list, as in [./simulate, \"{params}\"]; a text "
           "for a shell is evaluate.shell";
  if (has_placeholder(options))
    return "in the name of the program only {input_directory} is replaced; "
           "put env before it, as in [env, \"{directory}/run.sh\"]";
  if (*program == '~' || *program == '$')
    return "no shell replaces '~' and '$NAME'; write the path itself, or use evaluate.shell";
  return strchr(program, '/')
             ? "relative paths start from the campaign file, or from input_directory"
             : "searched in PATH; a program beside the campaign file needs ./ in front";
}

/* Whether the name of the program is a placeholder such as {launcher} that works with resources
 * only: check_words tells that. */
static bool lacks_resources(const char *program, const gannet_evaluator_setup *setup) {
  bool is_of_place = false;
  for (int i = 0; gannet_place_placeholders[i]; ++i) {
    const char *name = gannet_place_placeholders[i];
    const size_t length = strlen(name);
    is_of_place = is_of_place || (program[0] == '{' && strncmp(program + 1, name, length) == 0 &&
                                  strcmp(program + 1 + length, "}") == 0);
  }
  return is_of_place && !setup->resources;
}

static void check_program(const gannet_command_options *options,
                          const gannet_evaluator_setup *setup, gannet_complaints *complaints) {
  char path[PATH_MAX];
  const char *program = gannet_command_program(options, setup->resources, setup->starts_jobs);
  int reason = gannet_command_find(program, setup->input_directory, path);
  if (reason) { /* the program of a case is run in its copy */
    const gannet_case a_case = {.copy = options->case_copy};
    char folder[PATH_MAX];
    if (a_case.copy && strchr(program, '/') && !gannet_is_beside(program) &&
        gannet_case_find(&a_case, setup->input_directory, folder) != GANNET_OK) {
      gannet_error_clear(); /* that the folder is missing is told: the program may be in it */
      return;
    }
    const int in_case = gannet_command_find_in_case(options, setup->input_directory);
    if (in_case != ENOENT) reason = in_case;
  }
  if (reason && !lacks_resources(program, setup))
    gannet_complain(complaints, "evaluate.command", "cannot run '%s': %s (%s)", program,
                    strerror(reason), hint_of(options, program, reason));
}

static void check_template(const char *name, const char *input_directory,
                           gannet_complaints *complaints) {
  char path[PATH_MAX];
  struct stat about;
  const char *base = gannet_file_name_of(name);
  const char *start = name[0] == '/' ? "" : input_directory ? input_directory : ".";
  if (snprintf(path, sizeof path, "%s/%s", start, name) >= (int)sizeof path) {
    gannet_complain(complaints, "evaluate.templates",
                    "the path '%.80s...' is too long; expected less than %d characters", name,
                    PATH_MAX);
    return;
  }
  if (access(path, R_OK) || stat(path, &about)) {
    gannet_complain(complaints, "evaluate.templates",
                    "cannot read '%s': %s (relative paths start from the campaign file)", name,
                    strerror(errno));
    return;
  }
  if (!S_ISREG(about.st_mode))
    gannet_complain(
        complaints, "evaluate.templates",
        "'%s' is not a file; expected an input file with {placeholders}; a folder with its "
        "sub-folders is copied by evaluate.case",
        name);
  if (gannet_contract_has_file(base))
    gannet_complain(complaints, "evaluate.templates",
                    "'%s': the contract has a file of that name; rename it", name);
}

static void check_templates(const gannet_text_list *templates, const char *input_directory,
                            gannet_complaints *complaints) {
  for (int i = 0; i < templates->n; ++i) {
    check_template(templates->item[i], input_directory, complaints);
    for (int j = 0; j < i; ++j)
      if (strcmp(gannet_file_name_of(templates->item[i]),
                 gannet_file_name_of(templates->item[j])) == 0)
        gannet_complain(
            complaints, "evaluate.templates",
            "'%s' and '%s' would become the same file; rename one, or have the folder copied "
            "with its sub-folders by evaluate.case",
            templates->item[j], templates->item[i]);
  }
}

/* Warn of a program that is a template as well: of [./run.sh] with the template run.sh the file
 * beside the campaign file runs, not the copy. */
static void warn_of_program(const gannet_command_options *options,
                            const gannet_evaluator_setup *setup) {
  const char *name = options->command.item[0];
  if (gannet_is_beside(name)) name += strlen(gannet_beside);
  if (!strchr(options->command.item[0], '/')) return;
  if (strncmp(name, "./", 2) == 0) name += 2;
  for (int j = 0; j < options->templates.n; ++j)
    if (strcmp(options->templates.item[j], name) == 0)
      gannet_evaluator_warn(setup, "evaluate.command",
                            "'%s' runs as it is; for the copy with its variables filled in "
                            "write [env, \"{directory}/%s\"]",
                            name, gannet_file_name_of(name));
}

/* Complain about names and values that the files of the contract cannot carry. */
static void check_problem(const gannet_evaluator_setup *setup, gannet_complaints *complaints) {
  const gannet_problem_spec *spec = &setup->problem->spec;
  for (int k = 0; k < spec->n_variables; ++k) {
    const gannet_variable *variable = &spec->variables[k];
    bool is_fixed = false;
    for (int i = 0; gannet_fixed_placeholders[i]; ++i)
      is_fixed = is_fixed || strcmp(variable->name, gannet_fixed_placeholders[i]) == 0;
    for (int i = 0; setup->resources && gannet_place_placeholders[i]; ++i)
      is_fixed = is_fixed || strcmp(variable->name, gannet_place_placeholders[i]) == 0;
    if (is_fixed)
      gannet_evaluator_warn(setup, "variables",
                            "'%s' has a meaning of its own in commands and templates; here {%s} is "
                            "the variable, and {gannet.%s} has that meaning",
                            variable->name, variable->name, variable->name);
    for (int i = 0; i < variable->n_values; ++i) {
      if (!gannet_utf8_is_valid(variable->values[i]))
        gannet_complain(complaints, "variables",
                        "value %d of '%s' is not valid UTF-8; write the file as UTF-8", i + 1,
                        variable->name);
      if (strpbrk(variable->values[i], "\n\r"))
        gannet_complain(complaints, "variables", "a value of '%s' holds a line break; remove it",
                        variable->name);
    }
  }
  for (int j = 0; j < spec->n_constraints; ++j)
    if (strcmp(spec->constraints[j].name, "objective") == 0 ||
        strcmp(spec->constraints[j].name, "fail") == 0)
      gannet_complain(complaints, "constraints",
                      "'%s' has a meaning of its own in results.out; rename it",
                      spec->constraints[j].name);
}

/* Complain about a name that is set twice: which of the two counts depends on the program that
 * reads them. */
static void check_twice(const gannet_text_list *environment, int i, gannet_complaints *complaints) {
  const char *item = environment->item[i];
  const size_t length = strcspn(item, "=") + 1;
  for (int j = 0; j < i; ++j)
    if (strncmp(environment->item[j], item, length) == 0)
      gannet_complain(complaints, "evaluate.environment",
                      "'%s' (item %d) and '%s' (item %d) set the same name; leave one of them out",
                      environment->item[j], j + 1, item, i + 1);
}

/* Complain about names that gannet sets itself for every evaluation (docs/your-simulation.md). */
static void check_own(const char *item, gannet_complaints *complaints) {
  static const char *const own[] = {
      "EVAL_ID=",         "ATTEMPT=", "SEED=",    "NONCE=",  "SLOT=",    "WORKDIR=",
      "INPUT_DIRECTORY=", "PARAMS=",  "RESULTS=", "LAUNCH=", "NEAREST=", "MPIRUN=",
      "HOSTS=",           "CORES=",   "GPUS=",    NULL};
  static const char prefix[] = "GANNET_";
  if (strncmp(item, prefix, sizeof prefix - 1) != 0) return;
  const char *rest = item + sizeof prefix - 1;
  for (int i = 0; own[i]; ++i)
    if (strncmp(rest, own[i], strlen(own[i])) == 0)
      gannet_complain(complaints, "evaluate.environment",
                      "'%s' sets a name that gannet sets for every evaluation; choose another one",
                      item);
}

static void check_lists(const gannet_command_options *options, gannet_complaints *complaints) {
  for (int i = 0; i < options->environment.n; ++i) {
    const char *equals = strchr(options->environment.item[i], '=');
    const size_t plain = strcspn(options->environment.item[i], " \t\n=");
    if (!equals || equals == options->environment.item[i] ||
        options->environment.item[i] + plain < equals)
      gannet_complain(complaints, "evaluate.environment",
                      "'%s' is not of the form NAME=value, as in OMP_NUM_THREADS=4",
                      options->environment.item[i]);
    else
      check_twice(&options->environment, i, complaints);
    check_own(options->environment.item[i], complaints);
  }
  for (int i = 0; i < options->cannot_run_exit_codes.n; ++i)
    for (int j = 0; j < options->bad_luck_exit_codes.n; ++j)
      if (options->cannot_run_exit_codes.item[i] == options->bad_luck_exit_codes.item[j])
        gannet_complain(complaints, "evaluate.cannot_run_exit_codes",
                        "%g is also one of bad_luck_exit_codes; leave one of them out",
                        options->cannot_run_exit_codes.item[i]);
}

/* Complain unless there is exactly one way to run a simulation. */
static void check_choice(const gannet_command_options *options, bool has_script,
                         gannet_complaints *complaints) {
  const bool has_command = options->command.n > 0, has_shell = options->shell && *options->shell;
  if (has_script && (has_command || has_shell))
    gannet_complain(complaints, "evaluate.script", "give either script or command, not both");
  else if (has_command && has_shell)
    gannet_complain(complaints, "evaluate.command", "give either command or shell, not both");
  else if (!has_command && !has_shell && !has_script)
    gannet_complain(
        complaints, "evaluate.command",
        "missing: the program and its arguments, as in 'command: [./simulate, \"{params}\", "
        "\"{results}\"]'");
}

/* The length of what is no list of characters but words in brackets, as in [FATAL ERROR]; 0 where
 * it may well be a list, as in [a-z_]. A hyphen behind a single character makes a range.
 *
 * list  in  what follows the opening bracket
 */
static size_t count_words_in_brackets(const char *list) {
  size_t length = 0, letters = 0;
  bool has_word = false;
  for (; list[length] && (isalnum((unsigned char)list[length]) || strchr(" _-", list[length]));
       ++length) {
    if (list[length] == '-' && (length < 2 || !isalnum((unsigned char)list[length - 2]))) return 0;
    letters = isalpha((unsigned char)list[length]) ? letters + 1 : 0;
    has_word = has_word || letters >= 3;
  }
  return has_word && list[length] == ']' ? length : 0;
}

/* Check the user's texts.
 *
 * may_be_everywhere  in  a text may match every output: every failure may well be bad luck, but a
 *                        simulation that can run nowhere makes no campaign
 */
static gannet_err check_texts(const char *key, const gannet_text_list *list, bool may_be_everywhere,
                              const gannet_evaluator_setup *setup, gannet_complaints *complaints) {
  gannet_text_rules texts = {0};
  const gannet_err err = gannet_text_rules_create(key, list, complaints, &texts);
  const bool all = texts.n == list->n && !may_be_everywhere;
  char every[127]; /* an expression that finds itself in nothing, and in this, does so everywhere */
  size_t n = 0;
  for (char c = 1; c < 127; ++c)
    if (c != '\n') every[n++] = c;
  every[n] = '\0';
  for (int i = 0; err == GANNET_OK && all && i < texts.n; ++i)
    if (regexec(&texts.regex[i], "", 0, NULL, 0) == 0 &&
        regexec(&texts.regex[i], every, 0, NULL, 0) == 0)
      gannet_complain(
          complaints, key,
          "'%s' is found in every line, whatever a simulation says; expected words of a "
          "simulation that cannot work",
          list->item[i]);
  for (int i = 0; i < list->n; ++i)
    for (const char *at = strchr(list->item[i], '['); at; at = strchr(at + 1, '[')) {
      const size_t length = count_words_in_brackets(at + 1);
      if (length == 0 || (at > list->item[i] && strchr("\\[", at[-1]))) continue;
      const char *text = list->item[i], *after = at + length + 2;
      char what[100] = " matches every line that contains one of these characters";
      if (at > text || *after)
        (void)snprintf(what, sizeof what, ": [%.*s] is any one of these characters",
                       (int)(length < 50 ? length : 50), at + 1);
      gannet_evaluator_warn(setup, key,
                            "'%s'%s; for the text in brackets write '%.*s\\[%.*s\\]%s' in single "
                            "quotes",
                            text, what, (int)(at - text), text, (int)length, at + 1, after);
      break;
    }
  gannet_text_rules_release(&texts);
  return err;
}

/* Complain about a script whose interpreter does not exist: each of its runs would fail. */
static void check_interpreter(const gannet_command_options *options,
                              const gannet_evaluator_setup *setup, gannet_complaints *complaints) {
  char path[PATH_MAX], interpreter[PATH_MAX], found[PATH_MAX], why[GANNET_REASON_SIZE];
  if (options->command.n == 0 ||
      gannet_command_find(options->command.item[0], setup->input_directory, path))
    return;
  gannet_contract_find_interpreter(path, interpreter, sizeof interpreter);
  if (interpreter[0] != '/' || gannet_command_find(interpreter, NULL, found) != ENOENT) return;
  gannet_contract_explain_exec(path, ENOENT, why, sizeof why);
  gannet_complain(complaints, "evaluate.command", "cannot run '%s': %s%s", options->command.item[0],
                  strerror(ENOENT), why);
}

/* Complain about lists of GPUs for all simulations where each has GPUs of its own: gannet would
 * set other ones. */
static void check_gpu_lists(const gannet_command_options *options,
                            const gannet_resources *resources, gannet_complaints *complaints) {
  static const char *const lists[] = {"CUDA_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=",
                                      "HIP_VISIBLE_DEVICES=", "ZE_AFFINITY_MASK="};
  if (!resources->gpus) return;
  for (int i = 0; i < options->environment.n; ++i)
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
      if (strncmp(options->environment.item[i], lists[k], strlen(lists[k])) == 0)
        gannet_complain(complaints, "evaluate.environment",
                        "'%s' is set for each simulation by evaluate.resources.gpus; leave it out, "
                        "and name the GPUs that simulations may use in evaluate.resources.devices",
                        options->environment.item[i]);
}

gannet_err gannet_command_check(const void *options, const gannet_evaluator_setup *setup,
                                gannet_complaints *complaints) {
  check_interpreter(options, setup, complaints);
  if (setup->resources) {
    check_gpu_lists(options, setup->resources, complaints);
    GANNET_TRY(gannet_placement_check(options, setup, complaints));
  }
  return gannet_command_check_parts(options, false, setup, complaints);
}

/* Warn of $PATH and the like in the environment: no shell reads it, so nothing is replaced. */
static void warn_of_dollars(const gannet_text_list *environment,
                            const gannet_evaluator_setup *setup) {
  for (int i = 0; i < environment->n; ++i) {
    const char *dollar = strchr(environment->item[i], '$');
    const char *name = dollar ? dollar + 1 + (dollar[1] == '{') : NULL;
    if (name && (isalpha((unsigned char)*name) || *name == '_'))
      gannet_evaluator_warn(setup, "evaluate.environment",
                            "'%s' keeps its dollar sign, since no shell reads it; expected "
                            "the value itself, or set it in a script",
                            environment->item[i]);
  }
}

/* Warn of pipes and redirections in the command: no shell reads them, so they are arguments. */
static void warn_of_pipes(const gannet_text_list *command, const gannet_evaluator_setup *setup) {
  static const char *const signs[] = {"|", "||", "&&", "&", ">", ">>", "<", "2>", "2>&1", "&>"};
  for (int i = 1; i < command->n; ++i)
    for (size_t k = 0; k < sizeof signs / sizeof *signs; ++k)
      if (strcmp(command->item[i], signs[k]) == 0)
        gannet_evaluator_warn(setup, "evaluate.command",
                              "'%s' is an argument of %s, since no shell reads it; write "
                              "evaluate.shell instead of command, or a script",
                              signs[k], command->item[0]);
}

/* Warn of $x in the command where x is a variable: no shell reads it, and one that is called there
 * does not know x. */
static void warn_of_variables(const gannet_command_options *options,
                              const gannet_evaluator_setup *setup) {
  const gannet_problem *problem = setup->problem;
  for (int i = 0; i < options->command.n; ++i)
    for (const char *at = strchr(options->command.item[i], '$'); at; at = strchr(at + 1, '$')) {
      const char *name = at + 1 + (at[1] == '{');
      size_t size = 0;
      while (isalnum((unsigned char)name[size]) || name[size] == '_') ++size;
      bool is_variable = false, is_set = false;
      for (int v = 0; v < problem->spec.n_variables; ++v)
        is_variable = is_variable || (strlen(problem->spec.variables[v].name) == size &&
                                      strncmp(problem->spec.variables[v].name, name, size) == 0);
      for (int k = 0; k < options->environment.n; ++k)
        is_set = is_set || (strcspn(options->environment.item[k], "=") == size &&
                            strncmp(options->environment.item[k], name, size) == 0);
      for (const char *text = options->command.item[i], *other = text;
           is_variable && !is_set && (other = strstr(other, "=")); ++other)
        is_set = (size_t)(other - text) >= size && strncmp(other - size, name, size) == 0;
      if (is_variable && !is_set)
        gannet_evaluator_warn(
            setup, "evaluate.command", "'%s': $%.*s is not the variable %.*s; write {%.*s}",
            options->command.item[i], (int)size, name, (int)size, name, (int)size, name);
    }
}

static gannet_placeholder_check start_check(const gannet_command_options *options,
                                            const gannet_evaluator_setup *setup,
                                            gannet_delimiters *delimiters,
                                            gannet_complaints *complaints) {
  (void)gannet_delimiters_read(&options->placeholders, delimiters);
  return (gannet_placeholder_check){
      .problem = setup->problem,
      .setup = setup,
      .input_directory = setup->input_directory,
      .delimiters = delimiters,
      .complaints = complaints,
      .scope = {setup->starts_from_nearest, setup->resources != NULL},
      .place_is_late = setup->place_is_late,
      .steps_choose_gpus = setup->resources && !setup->place_is_late &&
                           gannet_placement_leaves_gpus(options, setup->resources)};
}

static void check_words(const gannet_placeholder_check *check,
                        const gannet_command_options *options) {
  gannet_check_campaign_texts(check, "evaluate.command", &options->command);
  gannet_check_campaign_texts(check, "evaluate.environment", &options->environment);
  if (options->shell)
    gannet_check_plain_texts(check, "evaluate.shell", 1, &options->shell,
                             "nothing is substituted into shell text; read $GANNET_PARAMS or "
                             "params.in, or use command");
}

gannet_err gannet_command_check_words(const gannet_command_options *options,
                                      const gannet_problem *problem,
                                      const gannet_resources *resources,
                                      gannet_complaints *complaints) {
  const gannet_evaluator_setup setup = {
      .problem = problem, .resources = gannet_resources_are_given(resources) ? resources : NULL};
  gannet_delimiters delimiters;
  const gannet_placeholder_check check = start_check(options, &setup, &delimiters, complaints);
  check_words(&check, options);
  return GANNET_OK;
}

void gannet_command_check_lines(const gannet_command_options *options,
                                const gannet_evaluator_setup *setup, const char *key,
                                const gannet_text_list *lines, gannet_complaints *complaints) {
  gannet_delimiters delimiters;
  const gannet_placeholder_check check = start_check(options, setup, &delimiters, complaints);
  gannet_check_plain_texts(
      &check, key, lines->n, lines->item,
      "nothing is replaced here; write it into a job script (evaluate.script)");
}

void gannet_command_check_script(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, const char *script,
                                 gannet_complaints *complaints) {
  gannet_delimiters delimiters;
  const gannet_placeholder_check check = start_check(options, setup, &delimiters, complaints);
  gannet_check_script(&check, "evaluate.script", script);
}

static void check_marks(const gannet_command_options *options, gannet_complaints *complaints) {
  gannet_delimiters delimiters;
  const char *wrong = gannet_delimiters_read(&options->placeholders, &delimiters);
  if (wrong)
    gannet_complain(complaints, "evaluate.placeholders",
                    "%s; expected what stands before and behind a name, as in \"@@\" for @name@, "
                    "\"<<>>\" or [\"<<\", \">>\"] for <<name>>",
                    wrong);
}

/* Warn of the command module in evaluate.shell where it is a function that is not exported. */
static void warn_of_module(const gannet_command_options *options,
                           const gannet_evaluator_setup *setup) {
  static const char *const definitions[] = {"profile", "/modules", "lmod", "/init/", "BASH_ENV"};
  const char *call = options->shell ? strstr(options->shell, "module ") : NULL;
  bool is_defined =
      getenv("BASH_FUNC_module%%") || getenv("BASH_FUNC_module()") || getenv("BASH_ENV") || !call;
  if (!is_defined && call > options->shell && !strchr(" ;&|({\n\t", call[-1])) is_defined = true;
  for (size_t i = 0; i < sizeof definitions / sizeof *definitions && !is_defined; ++i)
    is_defined = strstr(options->shell, definitions[i]) != NULL;
  if (!is_defined)
    gannet_evaluator_warn(
        setup, "evaluate.shell",
        "it calls module, which is no function that the environment of "
        "gannet exports; start gannet from a shell where it is, or begin the text with "
        "'. /etc/profile;'");
}

/* Check the case folder, and the placeholders of its templates. */
static gannet_err check_case(const gannet_command_options *options,
                             const gannet_evaluator_setup *setup,
                             const gannet_placeholder_check *check) {
  const gannet_case a_case = gannet_command_case(options, setup->campaign);
  const int before = check->complaints->count;
  char folder[PATH_MAX];
  gannet_text_list templates = {0};
  gannet_placeholder_check in_case = *check;
  gannet_case_check(&a_case, setup->input_directory, setup->problem, check->complaints);
  if (!a_case.copy || check->complaints->count > before) return GANNET_OK;
  in_case.input_directory = folder;
  gannet_err err = gannet_case_find(&a_case, setup->input_directory, folder);
  if (err == GANNET_OK)
    err = gannet_case_list_templates(&a_case, setup->input_directory, &templates);
  if (err == GANNET_OK)
    gannet_check_template_texts(&in_case, "evaluate.case.templates", false, &templates);
  gannet_text_list_release(&templates);
  return err;
}

gannet_err gannet_command_check_parts(const gannet_command_options *options, bool has_script,
                                      const gannet_evaluator_setup *setup,
                                      gannet_complaints *complaints) {
  gannet_patterns patterns = {0};
  check_choice(options, has_script, complaints);
  if (options->command.n > 0) {
    check_program(options, setup, complaints);
    warn_of_program(options, setup);
    gannet_command_check_arguments(options, setup, complaints);
  }
  gannet_delimiters delimiters;
  const gannet_placeholder_check check = start_check(options, setup, &delimiters, complaints);
  check_marks(options, complaints);
  check_words(&check, options);
  warn_of_module(options, setup);
  check_templates(&options->templates, setup->input_directory, complaints);
  gannet_check_template_texts(&check, "evaluate.templates", true, &options->templates);
  GANNET_TRY(check_case(options, setup, &check));
  check_lists(options, complaints);
  warn_of_pipes(&options->command, setup);
  warn_of_dollars(&options->environment, setup);
  if (setup->problem) warn_of_variables(options, setup);
  if (setup->problem) check_problem(setup, complaints);
  gannet_err err = gannet_patterns_create(&options->pattern, setup->problem, complaints, &patterns);
  gannet_patterns_release(&patterns);
  if (err == GANNET_OK)
    err = check_texts("evaluate.bad_luck_text", &options->bad_luck_text, true, setup, complaints);
  if (err == GANNET_OK)
    err = check_texts("evaluate.cannot_run_text", &options->cannot_run_text, false, setup,
                      complaints);
  return err;
}
