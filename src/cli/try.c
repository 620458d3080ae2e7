/* gannet try: one run of the simulation that is recorded nowhere, with everything that it shows. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/check.h"
#include "campaign/run/loop.h"
#include "campaign/run/stop.h"
#include "cli/point.h"
#include "evaluate/command/command.h"
#include "evaluate/command/placement.h"
#include "evaluate/contract/contract.h"
#include "problem/conditional.h"
#include "problem/outputs.h"
#include "problem/variable_constraints.h"
#include "simulations/registry.h"

static const cli_flag flags[] = {
    {"point", 'p', "NAME=VALUE",
     "value of a variable; others are in the middle of their range, or the first of their values",
     true},
    {"set", 's', "KEY=VALUE", "change a key of the campaign file; may be repeated", true},
    {"keep", 'k', "DIR", "directory of the run, which must be new (default: NAME.try-1, -2, ...)",
     false},
    {NULL, 0, NULL, NULL, false},
};

/* Make the first of NAME.try-1, NAME.try-2, ... that is not there in a folder. */
static gannet_err make_numbered(const char *folder, const char *name, char *path) {
  enum { MOST = 10000 };
  for (int i = 1; i < MOST; ++i) {
    char file[256];
    (void)snprintf(file, sizeof file, "%.200s.try-%d", name, i);
    GANNET_TRY(gannet_join_path(folder, file, path, PATH_MAX));
    if (mkdir(path, 0777) == 0) return GANNET_OK;
    if (errno != EEXIST) return gannet_raise_errno("make the directory", path);
  }
  return GANNET_RAISE(GANNET_ERR_EXISTS, "%s: remove directories of earlier tries", path);
}

/* Make the directory of the run: below the working directory, or where that cannot be written below
 * $TMPDIR. */
static gannet_err make_directory(const char *keep, const char *name, char *path) {
  char here[PATH_MAX], given[PATH_MAX];
  if (keep) {
    GANNET_TRY(cli_absolute_path(keep, "--keep", given, sizeof given));
    GANNET_TRY(gannet_join_path(given, "", path, PATH_MAX));
    path[strlen(path) - 1] = '\0';
    return mkdir(path, 0777) ? gannet_raise_errno("make the directory of --keep,", path)
                             : GANNET_OK;
  }
  if (!getcwd(here, sizeof here)) return gannet_raise_errno("find", "working directory");
  if (make_numbered(here, name, path) == GANNET_OK) return GANNET_OK;
  const char *temporary = getenv("TMPDIR");
  gannet_error_clear();
  if (!temporary || !*temporary) temporary = "/tmp";
  cli_warn("cannot write to '%s': the directory of the run is made in '%s'", here, temporary);
  return make_numbered(temporary, name, path);
}

/* Whether a variable is given that is inactive at a point, and would be active were variables that
 * are not given others. */
static gannet_err find_open(const gannet_problem *problem, const double *given,
                            const double *x_user, bool *is_open) {
  const size_t n = (size_t)problem->spec.n_variables;
  gannet_activity *activity = NULL;
  double *settled = NULL;
  gannet_err err = gannet_alloc(n, sizeof *activity, &activity);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *settled, &settled);
  if (err == GANNET_OK) {
    memcpy(settled, given, n * sizeof *settled);
    gannet_conditional_settle(problem, settled, activity);
    for (int v = 0; v < problem->spec.n_variables; ++v)
      *is_open = *is_open || (!isnan(given[v]) && activity[v] == GANNET_IS_OPEN &&
                              !gannet_problem_is_active(problem, v, x_user));
  }
  gannet_free(&activity);
  gannet_free(&settled);
  return err;
}

/* Choose the design: what the command line gives, and elsewhere the middle of the box.
 *
 * x_user  out  [n_variables]
 */
static gannet_err choose_design(const cli_arguments *arguments, const gannet_problem *problem,
                                double *x_user) {
  double *middle = NULL, *given = NULL, *chosen = NULL;
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *middle, &middle));
  gannet_err err = gannet_alloc((size_t)problem->spec.n_variables, sizeof *given, &given);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)problem->spec.n_variables, sizeof *chosen, &chosen);
  for (int i = 0; i < problem->d; ++i) middle[i] = 0.5;
  if (err == GANNET_OK) err = cli_read_point(arguments, problem, given);
  if (err == GANNET_OK) gannet_problem_decode(problem, middle, x_user);
  for (int v = 0; err == GANNET_OK && v < problem->spec.n_variables; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    char text[32];
    (void)snprintf(text, sizeof text, "%.6g", x_user[v]); /* a number that is easy to read */
    if (variable->type == GANNET_VARIABLE_REAL && gannet_variable_count(variable) == INFINITY)
      x_user[v] = fmin(fmax(strtod(text, NULL), variable->lower), variable->upper);
    if (!isnan(given[v])) x_user[v] = given[v];
  }
  for (int v = 0; err == GANNET_OK && v < problem->spec.n_variables; ++v)
    if (problem->spec.variables[v].role != GANNET_ROLE_FREE) x_user[v] = given[v];
  if (err == GANNET_OK) memcpy(chosen, x_user, (size_t)problem->spec.n_variables * sizeof *chosen);
  if (err == GANNET_OK) err = gannet_problem_complete(problem, x_user);
  if (err == GANNET_OK) err = gannet_problem_check_point(problem, x_user);
  bool is_open = false;
  if (err == GANNET_OK) err = find_open(problem, given, x_user, &is_open);
  if (err == GANNET_OK && !is_open) cli_warn_of_ignored(problem, chosen);
  if (err == GANNET_OK && (is_open || gannet_problem_check_allowed(problem, x_user) != GANNET_OK)) {
    gannet_error_clear();
    memcpy(x_user, given, (size_t)problem->spec.n_variables * sizeof *x_user);
    err = gannet_allowed_fill(problem, (gannet_stream){.purpose = GANNET_FOR_ALLOWED}, x_user);
  }
  gannet_free(&middle);
  gannet_free(&given);
  gannet_free(&chosen);
  return err;
}

/* Replace the placeholders of the back-end's texts by their values of this run; false when they are
 * not those of a program, or have no value yet.
 *
 * filled  out  to be freed with gannet_free
 */
static bool fill_placeholders(const gannet_campaign *campaign, const gannet_launcher *launcher,
                              const double *x_user, const char *text, char **filled) {
  const gannet_campaign_input *input = campaign->input;
  const bool is_command = strcmp(input->evaluate.backend, "command") == 0;
  const bool is_program = is_command || strcmp(input->evaluate.backend, "slurm") == 0;
  const bool has_resources = gannet_resources_are_given(&input->evaluate.resources);
  gannet_place_words words;
  bool has_place = false;
  char evaluations[PATH_MAX], directory[PATH_MAX];
  gannet_delimiters delimiters;
  gannet_bindings bindings = {0};
  if (!is_program) return false;
  if (is_command && has_resources &&
      gannet_placement_describe_first(input->evaluator_options, &input->evaluate.resources,
                                      input->problem, launcher, x_user, &words,
                                      &has_place) != GANNET_OK)
    gannet_error_clear(); /* the run tells what is wrong */
  (void)gannet_delimiters_read(
      &((const gannet_command_options *)input->evaluator_options)->placeholders, &delimiters);
  const gannet_contract contract = {.problem = input->problem,
                                    .evaluations = evaluations,
                                    .input_directory = input->general.input_directory,
                                    .delimiters = &delimiters,
                                    .has_places = has_place};
  const gannet_request request = {.attempt = 1,
                                  .seed = (uint64_t)input->general.seed,
                                  .x_user = x_user,
                                  .start_from = -1,
                                  .place = has_place ? &words : NULL};
  gannet_err err = gannet_join_path(campaign->directory, "evals", evaluations, PATH_MAX);
  if (err == GANNET_OK) err = gannet_contract_directory(&contract, 0, directory, PATH_MAX);
  if (err == GANNET_OK) err = gannet_bindings_create(&contract, &request, directory, 0, &bindings);
  if (err == GANNET_OK)
    err = gannet_substitute(&contract, &bindings, GANNET_IN_CAMPAIGN, "evaluate.command", text,
                            strlen(text), filled, NULL);
  gannet_bindings_release(&bindings);
  if (err != GANNET_OK) gannet_error_clear();
  return err == GANNET_OK;
}

/* Say what is run, by the keys of the back-end that name it. */
static void print_simulation(const gannet_campaign *campaign, const gannet_launcher *launcher,
                             const double *x_user) {
  static const char *const keys[] = {"command", "shell", "script", "simulation", "plugin"};
  const gannet_campaign_input *input = campaign->input;
  bool is_raw = false; /* a job has values that only SLURM knows */
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const gannet_option *option =
        input->evaluator->options ? gannet_option_find(input->evaluator->options, keys[i]) : NULL;
    char *text = NULL, *filled = NULL;
    if (!option) continue;
    const size_t size = (size_t)gannet_option_format(option, input->evaluator_options, NULL, 0) + 1;
    if (gannet_alloc(size, 1, &text) != GANNET_OK) {
      gannet_error_clear();
      return;
    }
    (void)gannet_option_format(option, input->evaluator_options, text, size);
    if (*text && strcmp(text, "[]") != 0) {
      const bool is_filled = strcmp(keys[i], "command") == 0 &&
                             fill_placeholders(campaign, launcher, x_user, text, &filled);
      is_raw = is_raw || (!is_filled && strcmp(input->evaluate.backend, "slurm") == 0);
      cli_say(stdout, "%s: %s\n", keys[i], is_filled ? filled : text);
    }
    gannet_free(&text);
    gannet_free(&filled);
  }
  if (is_raw && gannet_resources_are_given(&input->evaluate.resources))
    cli_say(stdout, "{cores}, {gpus}, {hosts} and {launcher} are filled in by job.sh\n");
}

/* Print the last lines of a file of the run; nothing when it is empty or not there. */
static void print_end(const char *directory, const char *name) {
  enum { LINES = 10 };
  char path[PATH_MAX], text[4096 + 1] = "";
  size_t size = 0;
  if (gannet_join_path(directory, name, path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof text, text, &size) != GANNET_OK)
    gannet_error_clear();
  while (size > 0 && text[size - 1] == '\n') text[--size] = '\0';
  const char *begin = text + size;
  for (int lines = 0; begin > text; --begin)
    if (begin[-1] == '\n' && ++lines == LINES) break;
  if (size > 0) cli_say(stdout, "end of %s:\n%s\n", name, begin);
}

static void print_value(const char *name, double value, const char *unit) {
  if (isnan(value))
    cli_say(stdout, "  %s is missing\n", name);
  else
    cli_say(stdout, "  %s = %.17g%s%s\n", name, value, *unit ? " " : "", unit);
}

static void print_numbers(const gannet_problem *problem, const gannet_result_record *result) {
  const bool is_done = result->status == GANNET_EVAL_DONE;
  if (is_done || result->reported.n > 0) cli_say(stdout, "read:\n");
  if (is_done)
    print_value(gannet_problem_quantity_name(problem, 0), result->objective,
                gannet_problem_objective_unit(problem));
  for (int k = 0; is_done && k < problem->spec.n_constraints; ++k)
    print_value(problem->spec.constraints[k].name, result->constraints[k],
                gannet_problem_unit(problem->constraint_unit, k));
  for (int i = 0; i < result->reported.n; ++i)
    print_value(result->reported.item[i].name, result->reported.item[i].value, "");
}

/* Print what became of the run, and choose the exit code. */
static gannet_exit print_result(const gannet_problem *problem, const char *directory,
                                const gannet_result_record *result, double seconds) {
  const gannet_run_record *run = &result->run;
  char evaluation[PATH_MAX], took[32];
  const double ran = run->ended - run->started;
  gannet_format_duration(isfinite(ran) ? ran : seconds, took, sizeof took);
  if (gannet_join_path(directory, "evals/000000", evaluation, sizeof evaluation) == GANNET_OK &&
      access(evaluation, F_OK) == 0) {
    print_end(evaluation, "stdout.log");
    print_end(evaluation, "stderr.log");
    print_end(evaluation, "gannet.log");
    cli_say(stdout, "directory: %s\n", evaluation);
  }
  gannet_error_clear();
  print_numbers(problem, result);
  cli_say(stdout, "time: %s\n", took);
  if (result->status == GANNET_EVAL_DONE) {
    static const char *const notes[] = {"; it is unknown whether the design is feasible",
                                        "; the design violates a constraint", ""};
    cli_say(stdout, "the result would count%s%s%s\n",
            notes[gannet_result_feasibility(problem, result) + 1], *run->reason ? ": " : "",
            run->reason);
    return GANNET_EXIT_FINISHED;
  }
  if (result->status == GANNET_EVAL_CANNOT_RUN) {
    cli_say(stdout, "the simulation cannot run at this design: %s\n", run->reason);
    return GANNET_EXIT_INFEASIBLE;
  }
  if (gannet_stop_is_caught()) {
    cli_say(stdout, "stopped: a signal has ended the run\n");
    return GANNET_EXIT_RESUMABLE;
  }
  cli_say(stdout, "failed: %s\n", *run->reason ? run->reason : "it was not started");
  return GANNET_EXIT_FAILURES;
}

static bool is_asked_to_stop(void *user) {
  (void)user;
  return gannet_stop_is_caught();
}

/* Run the simulation once, as a campaign does, and wait for its end. */
static gannet_err run_once(gannet_campaign *campaign, const cli_world *world, const double *x_user,
                           gannet_result_record *result) {
  const gannet_campaign_input *input = campaign->input;
  const gannet_stopping stopping = {.is_asked = is_asked_to_stop};
  const gannet_evaluator_setup setup = {
      .context = campaign->context,
      .problem = input->problem,
      .campaign = campaign->directory,
      .input_directory = input->general.input_directory,
      .name = input->general.name,
      .parallel = 1,
      .time_limit = isnan(input->evaluate.time_limit) ? INFINITY : input->evaluate.time_limit,
      .simulations = gannet_simulations,
      .launcher = world->launcher,
      .stopping = &stopping,
      .starts_from_nearest = input->evaluate.start_from == GANNET_START_NEAREST,
      .resources = gannet_resources_are_given(&input->evaluate.resources)
                       ? &input->evaluate.resources
                       : NULL,
      .locate = gannet_campaign_locate,
      .located = input};
  const gannet_request request = {.attempt = 1,
                                  .seed = (uint64_t)input->general.seed,
                                  .nonce = 1,
                                  .x_user = x_user,
                                  .start_from = -1};
  gannet_evaluator *evaluator = NULL;
  int n = 0, is_stopped = 0;
  gannet_err err =
      gannet_evaluator_create(input->evaluator, input->evaluator_options, &setup, &evaluator);
  if (err == GANNET_OK) err = gannet_evaluator_submit(evaluator, 1, &request);
  while (err == GANNET_OK && n == 0 && !is_stopped) {
    err = gannet_evaluator_poll(evaluator, 0.5, 1, &n, result);
    is_stopped = gannet_stop_is_caught();
    if (err == GANNET_OK && MPI_Bcast(&is_stopped, 1, MPI_INT, 0, world->comm) != MPI_SUCCESS)
      err = GANNET_RAISE(GANNET_ERR_INTERNAL, "MPI_Bcast");
  }
  gannet_evaluator_destroy(&evaluator);
  return err;
}

/* Load and check the file; a directory that is shown as campaign->directory does not exist yet. */
static gannet_err load_campaign(const cli_arguments *arguments, const cli_world *world,
                                cli_log *log, gannet_campaign *campaign,
                                gannet_complaints *complaints) {
  const char *sets[CLI_MOST_VALUES + 1], *file = arguments->positional[0];
  const gannet_run_options options = {.simulations = gannet_simulations,
                                      .launcher = world->launcher};
  int n = 0;
  for (const char *text; (text = cli_repeated(arguments, "set", n)); ++n) sets[n] = text;
  GANNET_TRY(gannet_campaign_load(world->comm, file, n, sets, NULL, &campaign->input, complaints));
  GANNET_TRY(gannet_context_create(world->comm, (uint64_t)campaign->input->general.seed,
                                   &campaign->context));
  (void)snprintf(campaign->directory, sizeof campaign->directory, "%s.try",
                 campaign->input->general.name);
  GANNET_TRY(gannet_campaign_check(campaign, &options, complaints));
  GANNET_REQUIRE(strcmp(campaign->input->evaluate.backend, "manual") != 0, GANNET_ERR_INPUT,
                 "%s: backend manual leaves the simulations to you: there is none to try", file);
  /* The evaluator checks once more, and then its warnings are shown. */
  gannet_context_set_log(campaign->context, GANNET_LOG_WARNING, cli_log_line, log);
  return GANNET_OK;
}

static gannet_err try_design(const cli_arguments *arguments, const cli_world *world,
                             gannet_campaign *campaign, gannet_exit *code) {
  const gannet_problem *problem = campaign->input->problem;
  const size_t n_variables = (size_t)problem->spec.n_variables;
  gannet_result_record result = {.run = gannet_run_unknown()};
  double *x_user = NULL, *constraints = NULL;
  gannet_err err = gannet_alloc(n_variables, sizeof *x_user, &x_user);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)problem->spec.n_constraints, sizeof *constraints, &constraints);
  if (err == GANNET_OK) err = choose_design(arguments, problem, x_user);
  if (err == GANNET_OK && world->rank == 0)
    err = make_directory(cli_value(arguments, "keep"), campaign->input->general.name,
                         campaign->directory);
  err = gannet_agree(world->comm, err);
  if (err == GANNET_OK &&
      MPI_Bcast(campaign->directory, PATH_MAX, MPI_CHAR, 0, world->comm) != MPI_SUCCESS)
    err = GANNET_RAISE(GANNET_ERR_INTERNAL, "MPI_Bcast");
  if (err == GANNET_OK && world->rank == 0) {
    cli_say(stdout, "design:\n");
    cli_print_point(problem, x_user);
    print_simulation(campaign, world->launcher, x_user);
    (void)fflush(stdout);
  }
  const double begun = gannet_clock_seconds();
  result.constraints = constraints;
  if (err == GANNET_OK) gannet_result_clear(problem->spec.n_constraints, &result);
  gannet_stop_catch();
  if (err == GANNET_OK) err = run_once(campaign, world, x_user, &result);
  gannet_stop_release();
  if (err == GANNET_OK && world->rank == 0)
    *code = print_result(problem, campaign->directory, &result, gannet_clock_seconds() - begun);
  /* A simulation without files has left it empty. */
  if (world->rank == 0) (void)rmdir(campaign->directory);
  gannet_results_release(1, &result);
  gannet_free(&constraints);
  gannet_free(&x_user);
  return err;
}

static gannet_err run_try(const cli_arguments *arguments, const cli_world *world,
                          gannet_exit *code) {
  gannet_complaints complaints = {0};
  gannet_campaign campaign = {0};
  cli_log log;
  cli_log_begin(&log, GANNET_LOG_WARNING);
  gannet_err err = load_campaign(arguments, world, &log, &campaign, &complaints);
  if (err == GANNET_OK) err = try_design(arguments, world, &campaign, code);
  gannet_campaign_close(&campaign);
  cli_log_end(&log);
  err = cli_complain(&complaints, arguments->positional[0], world->rank, err);
  gannet_complaints_release(&complaints);
  return err;
}

const cli_command cli_try = {
    .name = "try",
    .usage = "CAMPAIGN.yaml [options]",
    .summary =
        "run the simulation once, record nothing, and show what it did and which numbers were read",
    .details =
        "Before a campaign, this shows whether the simulation starts and its numbers are found. "
        "The\n"
        "directory of the run stays; remove it by hand. Where the working directory cannot be\n"
        "written, it is made in $TMPDIR, or in /tmp. With the back-end slurm the run is a job,\n"
        "and the command waits for it. The exit code is 0 when the result would count, 3 when the\n"
        "simulation says that it cannot run at the design, 4 when it failed, and 75 when a signal\n"
        "has ended it.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_try,
};
