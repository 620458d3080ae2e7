/* gannet run, and what gannet step shares with it (cli_run_campaign): read the options, check all
 * that can be checked, open the campaign, run it, tell how it ended.
 */
#include "cli/run.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/change.h"
#include "campaign/run/check.h"
#include "campaign/run/failure_reasons.h"
#include "campaign/run/import.h"
#include "campaign/run/loop.h"
#include "campaign/run/stop.h"
#include "campaign/run/stop_rule.h"
#include "campaign/tables/on_bound.h"
#include "cli/open_campaign.h"
#include "cli/point.h"
#include "cli/query.h"
#include "machine/inspect.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"
#include "simulations/registry.h"

static const cli_flag flags[] = {
    {"directory", 'd', "DIR", "campaign directory (default: NAME.campaign)", false},
    {"resume", 'r', NULL, "continue the campaign in the directory, if there is one", false},
    {"reimport", 0, NULL, "read imported files again that have changed since they were read",
     false},
    {"dry-run", 'n', NULL,
     "check everything that can be checked without a simulation, say what a run would do, then "
     "stop",
     false},
    {"set", 's', "KEY=VALUE", "change a key of the campaign file; may be repeated", true},
    {"max-evals", 'm', "N", "budget of evaluations, including those before a resume", false},
    {"time-limit", 't', "T", "wall time of this run (10m, 4h)", false},
    {"quiet", 'q', NULL, "show no progress, only warnings and errors", false},
    {"verbose", 'v', NULL, "show what is written to the log", false},
    {NULL, 0, NULL, NULL, false},
};

/* What the options ask for. */
typedef struct {
  gannet_campaign_start_options start;
  gannet_run_options run;
  const char *sets[CLI_MOST_VALUES + 1]; /* KEY=VALUE: --set, then --max-evals */
  char budget[64];                       /* the text of --max-evals in sets */
  gannet_follow_up next;                 /* the job of --resubmit */
  char here[4096], script[4096];         /* working directory and script of that job */
  double patience;                       /* seconds to wait for a campaign that is in use */
  bool dry;
  cli_log log;
} settings;

/* Options of gannet step. The script that goes on with the campaign is called with the same file.
 */
static gannet_err read_resubmit(const cli_arguments *arguments, settings *s) {
  const double patience = 600; /* seconds: a campaign in use must not end a chain of steps */
  const char *script = cli_value(arguments, "resubmit");
  char full[4096];
  s->run.is_step = true;
  if (!script) return GANNET_OK;
  if (!getcwd(s->here, sizeof s->here)) return gannet_raise_errno("find", "working directory");
  if (!realpath(script, full)) return gannet_raise_errno("find the script of --resubmit,", script);
  s->patience = patience;
  (void)snprintf(s->script, sizeof s->script, "%s", full);
  s->next = (gannet_follow_up){.script = s->script,
                               .argument = arguments->positional[0],
                               .directory = s->here,
                               .is_stopped = gannet_stop_is_caught};
  s->run.next = &s->next;
  return GANNET_OK;
}

static gannet_err read_settings(const cli_arguments *arguments, const cli_world *world,
                                bool is_step, settings *s) {
  long long budget = 0;
  int n = 0;
  for (const char *text; (text = cli_repeated(arguments, "set", n)); ++n) s->sets[n] = text;
  GANNET_TRY(cli_whole(arguments, "max-evals", 1, 0, &budget));
  if (budget > 0) {
    (void)snprintf(s->budget, sizeof s->budget, "budget.evaluations=%lld", budget);
    s->sets[n++] = s->budget;
  }
  GANNET_TRY(cli_duration(arguments, "time-limit", DBL_MIN, CLI_LIMIT_EXPECTED, INFINITY,
                          &s->run.time_limit));
  cli_log_begin(&s->log, cli_has(arguments, "verbose") ? GANNET_LOG_DEBUG : GANNET_LOG_WARNING);
  s->start = (gannet_campaign_start_options){.file = arguments->positional[0],
                                             .directory = cli_value(arguments, "directory"),
                                             .n_sets = n,
                                             .sets = s->sets,
                                             .resume = is_step || cli_has(arguments, "resume"),
                                             .reimport = !is_step && cli_has(arguments, "reimport"),
                                             .level = GANNET_LOG_DEBUG,
                                             .log = cli_log_line,
                                             .log_user = &s->log};
  s->dry = cli_has(arguments, "dry-run");
  s->run.simulations = gannet_simulations;
  s->run.launcher = world->launcher;
  s->run.progress = cli_has(arguments, "quiet") ? NULL : stderr;
  return is_step ? read_resubmit(arguments, s) : GANNET_OK;
}

/* Rank 0 logs into the campaign's directory from now on; the other ranks only to stderr. */
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

/* The best design with its values, and other columns of the list of candidates that it is from. */
static void print_best(const gannet_campaign *campaign, const gannet_tally *tally) {
  const gannet_best *best = &tally->best;
  const gannet_problem *problem = campaign->input->problem;
  const double *x = gannet_history_x_user(campaign->history, best->id);
  gannet_labels labels;
  gannet_runs runs;
  double *means = NULL;
  if (gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  gannet_runs_find(campaign->history, best->id, means, &runs);
  if (best->feasible)
    cli_say(stdout, "best design: %s\n", tally->best_runs);
  else
    cli_say(stdout, "no feasible design; least violation %.4g at %s\n", tally->violation,
            tally->best_runs);
  cli_print_point(problem, x);
  const char *objective_unit = gannet_problem_objective_unit(problem);
  char error[32];
  gannet_runs_format_error(best->error, error);
  cli_say(stdout, "  %s = %.17g%s%s%s\n", gannet_problem_quantity_name(problem, 0), best->objective,
          error, *objective_unit ? " " : "", objective_unit);
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    const char *unit = gannet_problem_unit(problem->constraint_unit, k);
    cli_say(stdout, "  %s = %.17g%s%s\n", problem->spec.constraints[k].name, means[k],
            *unit ? " " : "", unit);
  }
  gannet_free(&means);
  cli_labels(campaign, &labels);
  for (int k = 0; k < labels.n_columns; ++k)
    if (gannet_labels_text(&labels, best->id, k)[0])
      cli_say(stdout, "  %s = %s\n", labels.name[k], gannet_labels_text(&labels, best->id, k));
  gannet_labels_release(&labels);
}

/* The front of several objectives, as far as it can be taken in at a glance. */
static gannet_err print_front(const gannet_campaign *campaign, const gannet_tally *tally) {
  enum { MOST = 10 };
  gannet_front front = {0};
  int64_t *ids = NULL;
  cli_print_front(stdout, "front: ", campaign, tally);
  gannet_err err = gannet_front_find(campaign->history, &front);
  if (err == GANNET_OK) err = gannet_alloc((size_t)front.n, sizeof *ids, &ids);
  if (err == GANNET_OK) err = gannet_front_order(&front, ids);
  const gannet_table_spec spec = {
      .designs = true, .n = front.n < MOST ? front.n : MOST, .ids = ids};
  if (err == GANNET_OK) err = cli_write_table(stdout, campaign, spec);
  if (err == GANNET_OK && front.n > MOST)
    cli_say(stdout, "%d more: gannet best %s\n", front.n - MOST, campaign->directory);
  gannet_free(&ids);
  gannet_front_release(&front);
  return err;
}

/* Say what to do when there is no result. Pending evaluations may still have one. */
static void print_no_result(const gannet_campaign *campaign, const gannet_tally *tally) {
  if (tally->pending > 0)
    cli_say(stdout,
            "no result yet: `gannet status %s` says why; --resume continues with what is pending\n",
            campaign->directory);
  else if (tally->incomplete > 0)
    cli_say(stdout, "no result has all numbers that are needed: `gannet status %s` says more\n",
            campaign->directory);
  else
    cli_say(
        stdout,
        "no result: no simulation worked at any design; `gannet status %s` says why. Correct the\n"
        "  simulation (`gannet try` runs it once), remove the directory, and run the campaign "
        "again\n",
        campaign->directory);
}

/* Say why evaluations have no result: a line for each of the last reasons. */
static void print_reasons(const gannet_campaign *campaign) {
  enum { MOST = 5 };
  gannet_reason *reasons = NULL;
  int64_t n = 0;
  char text[400];
  if (gannet_reasons_collect(&campaign->ledger, &reasons, &n) != GANNET_OK) gannet_error_clear();
  for (int64_t i = 0; i < n && i < MOST; ++i) {
    gannet_reason_text(&campaign->ledger.ticket[reasons[i].last], text, sizeof text);
    cli_say(stdout, "  %lld %s\n", (long long)reasons[i].count, text);
  }
  if (n > MOST)
    cli_say(stdout, "  %lld more reasons: gannet status %s\n", (long long)n - MOST,
            campaign->directory);
  gannet_free(&reasons);
}

/* Say how the campaign ended, which design is best, and where everything is.
 *
 * on  in  [n_on] bounds that the best design lies on
 */
static void print_result(const gannet_campaign *campaign, const gannet_run_outcome *outcome,
                         int n_on, const gannet_on_bound *on) {
  gannet_tally tally;
  char feasible[GANNET_TALLY_TEXT];
  gannet_tally_count(campaign, &tally);
  gannet_tally_feasible_text(&tally, "; ", feasible);
  cli_say(stdout, "%s: %lld evaluation%s done, %lld cannot run, %lld failed, %lld pending%s\n",
          outcome->end == GANNET_RUN_FINISHED ? "finished" : "stopped", (long long)tally.done,
          tally.done == 1 ? "" : "s", (long long)tally.cannot_run, (long long)tally.failed,
          (long long)tally.pending, feasible);
  if (outcome->why[0]) cli_say(stdout, "reason: %s\n", outcome->why);
  print_reasons(campaign);
  if (tally.n_front > 0 && print_front(campaign, &tally) != GANNET_OK)
    gannet_error_clear();
  else if (tally.n_front == 0 && tally.best.id >= 0)
    print_best(campaign, &tally);
  cli_print_on_bounds(campaign->input->problem, "bound: ", n_on, on);
  if (tally.best.id < 0 && tally.cannot_run + tally.failed + tally.incomplete > 0)
    print_no_result(campaign, &tally);
  cli_say(stdout, "history: %s/history.csv\nstate: %s/state.h5\n", campaign->directory,
          campaign->directory);
}

static gannet_exit exit_code(const gannet_campaign *campaign, const gannet_run_outcome *outcome) {
  if (outcome->end == GANNET_RUN_INTERRUPTED) return GANNET_EXIT_RESUMABLE;
  if (outcome->end == GANNET_RUN_FAILURES) return GANNET_EXIT_FAILURES;
  return gannet_history_best(campaign->history) >= 0 ? GANNET_EXIT_FINISHED
                                                     : GANNET_EXIT_INFEASIBLE;
}

/* The machine in one line; what is slow or may surprise also as a warning. */
static gannet_err log_machine(const gannet_context *context) {
  machine_summary summary;
  GANNET_TRY(machine_summarise(context->comm, &summary));
  gannet_log(context, GANNET_LOG_INFO, "machine: %s", summary.line);
  for (int i = 0; i < 2; ++i)
    if (summary.warning[i][0])
      gannet_log(context, GANNET_LOG_WARNING, "%s; see gannet doctor", summary.warning[i]);
  return GANNET_OK;
}

static gannet_err run_campaign(const settings *s, gannet_campaign *campaign, gannet_exit *code) {
  gannet_run_outcome outcome;
  const gannet_context *context = campaign->context;
  gannet_log(context, GANNET_LOG_INFO, "%s on %d ranks: %s",
             campaign->is_resumed ? "resumed" : "started", context->np, campaign->directory);
  if (campaign->is_resumed)
    gannet_log(context, GANNET_LOG_INFO, "%lld evaluation%s proposed before, %lld told",
               (long long)campaign->ledger.n, campaign->ledger.n == 1 ? "" : "s",
               (long long)gannet_history_count_told(campaign->history));
  if (campaign->input->backend_is_implied)
    gannet_log(context, GANNET_LOG_INFO, "evaluate.backend: %s, as the file names none",
               campaign->input->evaluator->name);
  /* A directory that was misspelt gets a second campaign. A step begins one as a rule. */
  if (s->start.resume && !s->run.is_step && !campaign->is_resumed && s->run.progress &&
      context->rank == 0)
    cli_say(s->run.progress, "no campaign in '%s' yet: starting one\n", campaign->directory);
  GANNET_TRY(log_machine(context));
  gannet_stop_catch();
  const gannet_err err = gannet_campaign_run(campaign, &s->run, &outcome);
  gannet_stop_release();
  if (err != GANNET_OK) {
    gannet_log(context, GANNET_LOG_INFO, "ended by an error: %s", gannet_error_message());
    return err;
  }
  const bool is_finished = outcome.end == GANNET_RUN_FINISHED;
  gannet_log(context, GANNET_LOG_INFO, "ended: %s%s%s", is_finished ? "finished" : "",
             is_finished && outcome.why[0] ? ", " : "", outcome.why);
  GANNET_TRY(gannet_campaign_show_held(campaign));
  *code = exit_code(campaign, &outcome);
  gannet_on_bound *on = NULL;
  int n_on = 0;
  GANNET_TRY(gannet_agree(context->comm, gannet_on_bounds_find(campaign->history, &on, &n_on)));
  /* Who interrupts a run does not wait for a model. */
  if (outcome.end != GANNET_RUN_INTERRUPTED) gannet_on_bounds_guess(campaign, n_on, on);
  if (context->rank == 0) print_result(campaign, &outcome, n_on, on);
  gannet_free(&on);
  return GANNET_OK;
}

static gannet_err check_step(const settings *s, const gannet_campaign_input *input) {
  GANNET_REQUIRE(input->budget.evaluations != GANNET_AUTO, GANNET_ERR_INPUT,
                 "%s: `gannet step` needs budget.evaluations: it leaves no process whose wall "
                 "time could end the campaign",
                 s->start.file);
  GANNET_REQUIRE(!s->run.next || input->evaluator->detach, GANNET_ERR_INPUT,
                 "%s: --resubmit needs a back-end whose simulations run without gannet (slurm), "
                 "and this is %s",
                 s->start.file, input->evaluator->name);
  return GANNET_OK;
}

/* Print where the numbers come from, as far as the campaign file says it. */
static void print_sources(const gannet_campaign_input *input) {
  const gannet_problem *problem = input->problem;
  const gannet_outputs *outputs = problem->outputs;
  char text[300];
  for (int i = 0; outputs && i < outputs->n_formulas; ++i)
    if (outputs->formula[i].text)
      cli_say(stdout, "  %s = %s\n", gannet_problem_quantity_name(problem, i),
              outputs->formula[i].text);
  for (int i = 0; outputs && i < outputs->n; ++i) {
    const gannet_output *output = &outputs->item[i];
    gannet_output_describe(output, text, sizeof text);
    gannet_utf8_show(text);
    cli_say(stdout, "  %s: %s%s\n", output->name, text,
            gannet_problem_needs_quantity(problem, output->name) ? "" : " (only recorded)");
  }
}

/* Say which files of evaluations that have ended are kept, where not all are. */
static void print_keep(const gannet_evaluate_keys *keys) {
  const gannet_text_list *files = &keys->keep_files, *which = &keys->keep_all_files_of;
  for (int i = 0; i < files->n; ++i)
    if (strcmp(files->item[i], "all") == 0) return;
  cli_say(stdout, "  of evaluations that have ended, only these files and gannet's own stay:");
  for (int i = 0; i < files->n; ++i) cli_say(stdout, " %s", files->item[i]);
  for (int i = 0; i < which->n; ++i)
    cli_say(stdout, "%s%s", i == 0 ? "; all files of: " : ", ", which->item[i]);
  cli_say(stdout, "\n");
}

/* The designs to start with, and what would be read of results of earlier work. */
static gannet_err print_start(gannet_campaign *campaign, bool again) {
  char text[2000];
  const long long n = (long long)campaign->input->start.n;
  int64_t left = 0;
  GANNET_TRY(gannet_campaign_count_start(campaign, &left));
  if (n > 0)
    cli_say(stdout, "  %lld design%s to start with%s\n", (long long)left, left == 1 ? "" : "s",
            left < n ? "; the others are proposed already" : "");
  for (int i = 0; i < campaign->input->n_imports; ++i) {
    GANNET_TRY(gannet_import_preview(campaign, i, again, text, sizeof text));
    cli_say(stdout, "  %s\n", text);
  }
  return GANNET_OK;
}

/* Say what a resume would change. */
static void print_change(const gannet_campaign *campaign) {
  const gannet_ledger *ledger = &campaign->ledger;
  char text[500];
  if (!campaign->change.is_made) return;
  const gannet_change_list *list = &ledger->revision[ledger->n_revisions - 1].list;
  cli_say(stdout, "a run would change the campaign:\n");
  for (int i = 0; i < list->n; ++i) {
    (void)gannet_change_format(&list->item[i], text, sizeof text);
    cli_say(stdout, "  %s\n", text);
  }
  gannet_campaign_change_effect(campaign, text, sizeof text);
  if (text[0]) cli_say(stdout, "  of the evaluations: %s\n", text);
}

/* Print what --dry-run finds: the size of the campaign, and what a run would do with the directory.
 */
static gannet_err print_dry_run(const char *file, gannet_campaign *campaign, bool again) {
  const gannet_campaign_input *input = campaign->input;
  const int c = gannet_problem_n_bounded(input->problem);
  int v = input->problem->n_free;
  for (int i = 0; i < input->problem->spec.n_variables; ++i)
    v -= !isnan(gannet_problem_pinned(input->problem, i));
  const int others = input->problem->spec.n_variables - v;
  const int64_t n = gannet_budget_used(campaign), total = gannet_budget_total(input);
  char share[GANNET_BUDGET_TEXT], why[320], text[2000];
  for (int i = 0; i < input->n_imports; ++i) /* a mistake is told before "no errors found" */
    GANNET_TRY(gannet_import_preview(campaign, i, again, text, sizeof text));
  cli_say(stdout,
          "%s: no errors found; %d variable%s (%d encoded), %d constraint%s, batches of %d\n", file,
          v, v == 1 ? "" : "s", input->problem->d, c, c == 1 ? "" : "s", input->general.batch);
  if (others > 0)
    cli_say(stdout, "  %d more variable%s fixed or computed from the others\n", others,
            others == 1 ? " is" : "s are");
  print_sources(input);
  if (input->backend_is_implied)
    cli_say(stdout, "  backend: %s, as evaluate names none\n", input->evaluator->name);
  print_keep(&input->evaluate);
  GANNET_TRY(print_start(campaign, again));
  print_change(campaign);
  if (campaign->damage.text[0]) cli_warn("the journal is damaged: %s", campaign->damage.text);
  gannet_stop_rule_look(campaign, why, sizeof why);
  if (campaign->ledger.stop_reason && !isnan(input->stop.regret_within) && !why[0])
    cli_say(stdout, "the campaign has ended (%s); a run would check whether that still holds\n",
            campaign->ledger.stop_reason);
  if (campaign->is_resumed && why[0]) {
    cli_say(stdout, "a run would propose nothing more (%s): %s\n", why, campaign->directory);
  } else if (campaign->is_resumed) {
    gannet_budget_format(n, n == 1 ? " evaluation" : " evaluations", " of ", total, share);
    cli_say(stdout, "a run would continue after %s: %s\n", share, campaign->directory);
  } else if (total > 0) {
    cli_say(stdout, "a run would begin a campaign of %lld evaluation%s: %s\n", (long long)total,
            total == 1 ? "" : "s", campaign->directory);
  } else {
    cli_say(stdout, "a run would begin a campaign without a limit of evaluations: %s\n",
            campaign->directory);
  }
  return GANNET_OK;
}

/* Check everything that can be checked before a directory is made. That is all of --dry-run. */
static gannet_err check_input(const settings *s, const cli_world *world,
                              gannet_complaints *complaints) {
  gannet_campaign campaign = {0};
  gannet_err err = gannet_campaign_read_file(world->comm, &s->start, &campaign.input, complaints);
  if (err == GANNET_OK)
    err = gannet_context_create(world->comm, (uint64_t)campaign.input->general.seed,
                                &campaign.context);
  /* Warnings; a run shows them when it begins. */
  if (err == GANNET_OK && s->dry)
    gannet_context_set_log(campaign.context, s->start.level, s->start.log, s->start.log_user);
  if (err == GANNET_OK && s->dry)
    gannet_campaign_show_warnings(&campaign, s->start.file, complaints);
  if (err == GANNET_OK) err = gannet_campaign_choose_directory(&s->start, &campaign);
  if (err == GANNET_OK) err = gannet_campaign_check(&campaign, &s->run, complaints);
  if (err == GANNET_OK && !s->dry && strcmp(campaign.input->evaluate.backend, "manual") == 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "%s: backend manual leaves the simulations to you: use `gannet ask` and "
                       "`gannet tell` instead of `gannet %s`",
                       s->start.file, s->run.is_step ? "step" : "run");
  if (err == GANNET_OK && s->run.is_step) err = check_step(s, campaign.input);
  if (err == GANNET_OK && s->dry) err = gannet_campaign_setup(&campaign, s->start.file);
  if (err == GANNET_OK && s->dry) err = gannet_campaign_dry_run(&s->start, &campaign);
  if (err == GANNET_OK && s->dry && world->rank == 0)
    err = print_dry_run(s->start.file, &campaign, s->start.reimport);
  err = gannet_agree(world->comm, err);
  gannet_campaign_close(&campaign);
  return err;
}

static gannet_err open_and_run(settings *s, const cli_world *world, gannet_complaints *complaints,
                               gannet_exit *code) {
  gannet_campaign campaign = {0};
  gannet_err err = cli_open_campaign(world, &s->start, s->patience, complaints, &campaign);
  if (err == GANNET_OK && world->rank == 0) machine_learn_job_end(world->launcher);
  if (err == GANNET_OK) open_log(&campaign, &s->log);
  s->next.any = err == GANNET_OK && campaign.input->evaluate.mode == GANNET_MODE_ASYNCHRONOUS;
  if (err == GANNET_OK) err = run_campaign(s, &campaign, code);
  gannet_campaign_close(&campaign);
  if (err != GANNET_ERR_BUSY || !s->run.is_step || s->run.next) return err;
  /* The process that has the campaign does what this step would have done. */
  if (world->rank == 0) cli_say(stdout, "nothing to do now: %s\n", gannet_error_message());
  gannet_error_clear();
  *code = GANNET_EXIT_RESUMABLE;
  return GANNET_OK;
}

gannet_err cli_run_campaign(const cli_arguments *arguments, const cli_world *world, bool is_step,
                            gannet_exit *code) {
  settings s = {0};
  gannet_complaints complaints = {0};
  GANNET_TRY(read_settings(arguments, world, is_step, &s));
  gannet_err err = check_input(&s, world, &complaints);
  if (err == GANNET_ERR_MISSING)
    err = GANNET_RAISE(err, "%s; `gannet init` writes a campaign file", gannet_error_detail());
  if (err == GANNET_OK && !s.dry) err = open_and_run(&s, world, &complaints, code);
  err = cli_complain(&complaints, s.start.file, world->rank, err);
  gannet_complaints_release(&complaints);
  cli_log_end(&s.log);
  return err;
}

static gannet_err run_run(const cli_arguments *arguments, const cli_world *world,
                          gannet_exit *code) {
  return cli_run_campaign(arguments, world, false, code);
}

const cli_command cli_run = {
    .name = "run",
    .usage = "CAMPAIGN.yaml [options]",
    .summary = "run a campaign until its budget is spent, on as many MPI ranks as it is started on",
    .details =
        "SIGUSR1, SIGUSR2, the first interrupt, or a file STOP in the campaign directory: no new\n"
        "simulations start, and running ones may end. SIGTERM, SIGHUP (unless ignored, as by "
        "nohup), the\n"
        "second interrupt, or the end of the wall time: running simulations are ended. In both\n"
        "cases everything is saved, the exit code is 75, and --resume continues.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .run = run_run,
};
