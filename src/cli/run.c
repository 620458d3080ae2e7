/* gannet run */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "campaign/loop.h"
#include "campaign/stop.h"
#include "cli/cli.h"
#include "simulations/registry.h"

static const cli_flag flags[] = {
    {"directory", 'd', "DIR", "campaign directory (default: NAME.campaign)", false},
    {"resume", 'r', NULL, "continue the campaign in the directory, if there is one", false},
    {"dry-run", 'n', NULL, "check everything that can be checked without running, then stop",
     false},
    {"set", 's', "KEY=VALUE", "change a key of the campaign file; may be repeated", true},
    {"max-evals", 'm', "N", "budget of evaluations, those before a resume included", false},
    {"time-limit", 't', "T", "wall time of this run (10m, 4h)", false},
    {"quiet", 'q', NULL, "no progress, only warnings and errors", false},
    {"verbose", 'v', NULL, "show what is written to the log", false},
    {NULL, 0, NULL, NULL, false},
};

typedef struct {
  gannet_campaign_start_options start;
  gannet_run_options run;
  const char *sets[CLI_MOST_VALUES + 1];
  char budget[64];
  char input_directory[4096];
  bool dry;
  cli_log log;
} settings;

static gannet_err read_time_limit(const cli_arguments *arguments, double *limit) {
  const char *text = cli_value(arguments, "time-limit");
  *limit = INFINITY;
  if (!text) return GANNET_OK;
  GANNET_REQUIRE(gannet_parse_duration(text, limit) == 0 && *limit > 0, GANNET_ERR_INPUT,
                 "--time-limit: '%s' is not a duration such as 90s, 10m or 4h", text);
  return GANNET_OK;
}

/* Relative paths of a campaign file start where it lies. */
static void split_directory(const char *file, char *directory, size_t size) {
  const char *slash = strrchr(file, '/');
  (void)snprintf(directory, size, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
  if (slash == file) (void)snprintf(directory, size, "/");
}

static gannet_err read_settings(const cli_arguments *arguments, const cli_world *world,
                                settings *s) {
  long long budget = 0;
  int n = 0;
  for (const char *text; (text = cli_repeated(arguments, "set", n)); ++n) s->sets[n] = text;
  GANNET_TRY(cli_whole(arguments, "max-evals", 1, 0, &budget));
  if (budget > 0) {
    (void)snprintf(s->budget, sizeof s->budget, "budget.evaluations=%lld", budget);
    s->sets[n++] = s->budget;
  }
  GANNET_TRY(read_time_limit(arguments, &s->run.time_limit));
  cli_log_begin(&s->log, cli_has(arguments, "verbose") ? GANNET_LOG_DEBUG : GANNET_LOG_WARNING);
  s->start = (gannet_campaign_start_options){.file = arguments->positional[0],
                                             .directory = cli_value(arguments, "directory"),
                                             .n_sets = n,
                                             .sets = s->sets,
                                             .resume = cli_has(arguments, "resume"),
                                             .level = GANNET_LOG_DEBUG,
                                             .log = cli_log_line,
                                             .log_user = &s->log};
  split_directory(arguments->positional[0], s->input_directory, sizeof s->input_directory);
  s->dry = cli_has(arguments, "dry-run");
  s->run.simulations = gannet_simulations;
  s->run.launcher = world->launcher;
  s->run.input_directory = s->input_directory;
  s->run.progress = cli_has(arguments, "quiet") ? NULL : stderr;
  return GANNET_OK;
}

static void open_log(gannet_campaign *campaign, cli_log *log) {
  char path[PATH_MAX];
  if (campaign->context->rank != 0 ||
      gannet_campaign_path(campaign, "campaign.log", path) != GANNET_OK) {
    cli_log_end(log);
    return;
  }
  cli_log_open(log, path);
  campaign->context->level = (gannet_log_level)campaign->input->log.level;
  if (log->shown > campaign->context->level) campaign->context->level = log->shown;
}

/* The result: where everything is, and the best design with its values. */
static void print_result(const gannet_campaign *campaign, const gannet_run_outcome *outcome) {
  const gannet_problem *problem = campaign->input->problem;
  gannet_tally tally;
  char text[256];
  gannet_tally_count(campaign, &tally);
  (void)printf("%s: %lld evaluations done, %lld infeasible, %lld failed, %lld pending\n",
               outcome->end == GANNET_RUN_FINISHED ? "finished" : "stopped", (long long)tally.done,
               (long long)tally.infeasible, (long long)tally.failed, (long long)tally.pending);
  if (outcome->end != GANNET_RUN_FINISHED) (void)printf("reason: %s\n", outcome->why);
  if (tally.best.id >= 0) {
    const double *x = gannet_history_x_user(campaign->history, tally.best.id);
    const double *values = gannet_history_constraints(campaign->history, tally.best.id);
    (void)printf("%s: evaluation %lld\n",
                 tally.best.feasible ? "best design" : "no feasible design; least violation",
                 (long long)tally.best.id);
    for (int v = 0; v < problem->spec.n_variables; ++v) {
      gannet_problem_format(problem, v, x[v], text, sizeof text);
      (void)printf("  %s = %s\n", problem->spec.variables[v].name, text);
    }
    (void)printf("  objective = %.17g\n", tally.best.objective);
    for (int k = 0; k < problem->spec.n_constraints; ++k)
      (void)printf("  %s = %.17g\n", problem->spec.constraints[k].name, values[k]);
  }
  (void)printf("history: %s/history.csv\nstate: %s/state.h5\n", campaign->directory,
               campaign->directory);
}

static gannet_exit exit_code(const gannet_campaign *campaign, const gannet_run_outcome *outcome) {
  if (outcome->end == GANNET_RUN_INTERRUPTED) return GANNET_EXIT_RESUMABLE;
  if (outcome->end == GANNET_RUN_FAILURES) return GANNET_EXIT_FAILURES;
  return gannet_history_best(campaign->history) >= 0 ? GANNET_EXIT_FINISHED
                                                     : GANNET_EXIT_INFEASIBLE;
}

static gannet_err run_campaign(const settings *s, gannet_campaign *campaign, gannet_exit *code) {
  gannet_run_outcome outcome;
  const gannet_context *context = campaign->context;
  gannet_log(context, GANNET_LOG_INFO, "%s on %d ranks: %s",
             campaign->is_resumed ? "resumed" : "started", context->np, campaign->directory);
  if (campaign->is_resumed)
    gannet_log(context, GANNET_LOG_INFO, "%lld evaluations proposed before, %lld told",
               (long long)gannet_history_count(campaign->history),
               (long long)gannet_history_count_told(campaign->history));
  gannet_stop_catch();
  const gannet_err err = gannet_campaign_run(campaign, &s->run, &outcome);
  gannet_stop_release();
  if (err != GANNET_OK) {
    gannet_log(context, GANNET_LOG_INFO, "ended by an error: %s", gannet_error_message());
    return err;
  }
  gannet_log(context, GANNET_LOG_INFO, "ended: %s",
             outcome.end == GANNET_RUN_FINISHED ? "finished" : outcome.why);
  *code = exit_code(campaign, &outcome);
  if (context->rank == 0) print_result(campaign, &outcome);
  return GANNET_OK;
}

static gannet_err check_input(const settings *s, const cli_world *world,
                              gannet_complaints *complaints) {
  gannet_campaign campaign = {0};
  gannet_err err = gannet_campaign_load(world->comm, s->start.file, s->start.n_sets, s->start.sets,
                                        &campaign.input, complaints);
  if (err == GANNET_OK)
    err = gannet_context_create(world->comm, (uint64_t)campaign.input->general.seed,
                                &campaign.context);
  if (err == GANNET_OK) err = gannet_campaign_check(&campaign, &s->run, complaints);
  if (err == GANNET_OK && !s->dry && strcmp(campaign.input->evaluate.backend, "manual") == 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "%s: backend manual leaves the simulations to you: use `gannet ask` and "
                       "`gannet tell` instead of `gannet run`",
                       s->start.file);
  if (err == GANNET_OK && s->dry && world->rank == 0)
    (void)printf("%s: no errors found; %d variables (%d encoded), %d constraints, batches of %d\n",
                 s->start.file, campaign.input->problem->spec.n_variables,
                 campaign.input->problem->d, campaign.input->problem->spec.n_constraints,
                 campaign.input->general.batch);
  gannet_campaign_close(&campaign);
  return err;
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  settings s = {0};
  gannet_complaints complaints = {0};
  gannet_campaign campaign = {0};
  GANNET_TRY(read_settings(arguments, world, &s));
  /* Everything that can be checked is, before a directory is made. */
  gannet_err err = check_input(&s, world, &complaints);
  if (err == GANNET_OK && !s.dry) {
    err = gannet_campaign_start(world->comm, &s.start, &complaints, &campaign);
    if (err == GANNET_OK) open_log(&campaign, &s.log);
    if (err == GANNET_OK) err = run_campaign(&s, &campaign, code);
    gannet_campaign_close(&campaign);
  }
  err = cli_complain(&complaints, s.start.file, world->rank, err);
  gannet_complaints_release(&complaints);
  cli_log_end(&s.log);
  return err;
}

const cli_command cli_run = {
    .name = "run",
    .usage = "CAMPAIGN.yaml [options]",
    .summary = "run a campaign until its budget is spent, on as many MPI ranks as it is started on",
    .details =
        "SIGUSR1, SIGUSR2, the first interrupt, or a file STOP in the campaign directory: no new\n"
        "simulations, those running may end. SIGTERM, the second interrupt, or the end of the\n"
        "wall time: running simulations are ended. In both cases everything is saved, the exit\n"
        "code is 75, and --resume continues.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run,
};
