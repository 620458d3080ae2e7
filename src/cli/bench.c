/* gannet bench */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "campaign/run/stop.h"
#include "cli/cli.h"
#include "suite/report.h"
#include "suite/work.h"

static const cli_flag flags[] = {
    {"directory", 'd', "DIR", "where runs and results go (default: NAME.bench)", false},
    {"dry-run", 'n', NULL, "list the runs and what is known of them, then stop", false},
    {"only", 'o', "PROBLEM/METHOD",
     "make only these runs; * and ? stand for any letters; may be "
     "repeated",
     true},
    {"redo", 0, NULL, "repeat the runs that were made for another state of the suite", false},
    {"report", 0, NULL, "make no runs; write the report from the runs that exist", false},
    {"set", 's', "KEY=VALUE", "change a key of the suite file; may be repeated", true},
    {"time-limit", 't', "T", "wall time of this call (10m, 4h)", false},
    {"quiet", 'q', NULL, "print no line per run", false},
    {NULL, 0, NULL, NULL, false},
};

typedef struct {
  suite_work_options work;
  int n_sets;
  const char *sets[CLI_MOST_VALUES]; /* KEY=VALUE */
  const char *only[CLI_MOST_VALUES]; /* PROBLEM/METHOD */
  char directory[PATH_MAX];          /* absolute, because simulations run in their own folders */
} settings;

static gannet_err read_settings(const cli_arguments *arguments, const cli_world *world,
                                settings *s) {
  for (const char *text; (text = cli_repeated(arguments, "set", s->n_sets));)
    s->sets[s->n_sets++] = text;
  for (const char *text; (text = cli_repeated(arguments, "only", s->work.n_only));)
    s->only[s->work.n_only++] = text;
  s->work.only = s->only;
  s->work.redo = cli_has(arguments, "redo");
  s->work.launcher = world->launcher;
  s->work.progress = cli_has(arguments, "quiet") ? NULL : stderr;
  s->work.directory = s->directory;
  return cli_duration(arguments, "time-limit", DBL_MIN, CLI_LIMIT_EXPECTED, INFINITY,
                      &s->work.time_limit);
}

static gannet_err list_runs(const cli_world *world, const suite_plan *plan, const settings *s) {
  const int64_t count = suite_plan_count(plan);
  suite_state *state = NULL;
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *state, &state));
  const gannet_err err = suite_find_states(world->comm, plan, s->directory, state);
  for (int64_t i = 0; i < count && err == GANNET_OK && world->rank == 0; ++i) {
    const suite_cell cell = suite_plan_cell(plan, i);
    const suite_problem *problem = &plan->problem[cell.problem];
    if (!suite_is_wanted(plan, &s->work, cell)) continue;
    (void)printf("%s/%s seed %" PRId64 ": %d evaluations, batches of %d, %s\n", problem->label,
                 plan->method[cell.method].label, cell.seed, problem->budget, problem->batch,
                 suite_state_names[state[i]]);
  }
  gannet_free(&state);
  return err;
}

/* Make the directory, with a copy of the suite file. */
static gannet_err make_directory(const suite_plan *plan, const settings *s) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_make_directory(s->directory));
  GANNET_TRY(gannet_join_path(s->directory, "suite.yaml", path, sizeof path));
  GANNET_TRY(gannet_campaign_file_read(plan->file, &text, &size));
  const gannet_err err = gannet_file_replace(path, text, size);
  gannet_free(&text);
  return err;
}

static gannet_err make_runs(const cli_world *world, suite_plan *plan, const settings *s,
                            gannet_complaints *complaints, suite_work_outcome *outcome) {
  GANNET_TRY(gannet_agree(world->comm, world->rank ? GANNET_OK : make_directory(plan, s)));
  GANNET_TRY(suite_check_requirements(world->comm, plan, &s->work, complaints));
  gannet_stop_catch();
  const gannet_err err = suite_work(world->comm, plan, &s->work, outcome);
  gannet_stop_release();
  return err;
}

static gannet_err check_runs_exist(const char *directory) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, "runs", path, sizeof path));
  GANNET_REQUIRE(access(path, F_OK) == 0, GANNET_ERR_MISSING,
                 "there are no runs in '%s' to report; make some without --report, or choose "
                 "another place with --directory",
                 directory);
  return GANNET_OK;
}

/* Do what the options ask for, with a suite that was read without errors. */
static gannet_err work_on_suite(const cli_arguments *arguments, const cli_world *world,
                                suite_plan *plan, settings *s, gannet_complaints *complaints,
                                gannet_exit *code) {
  const char *given = cli_value(arguments, "directory");
  suite_work_outcome outcome = {0};
  char usual[256];
  (void)snprintf(usual, sizeof usual, "%s.bench", plan->keys.name);
  GANNET_TRY(
      cli_absolute_path(given ? given : usual, "directory", s->directory, sizeof s->directory));
  suite_only_check(plan, &s->work, complaints);
  GANNET_TRY(gannet_complaints_raise(complaints));
  if (cli_has(arguments, "dry-run")) {
    const gannet_err found =
        world->rank == 0 ? suite_check_backends(plan, &s->work, false, complaints) : GANNET_OK;
    GANNET_TRY(gannet_agree(world->comm, found));
    return list_runs(world, plan, s);
  }
  if (cli_has(arguments, "report"))
    GANNET_TRY(gannet_agree(world->comm, world->rank ? GANNET_OK : check_runs_exist(s->directory)));
  else
    GANNET_TRY(make_runs(world, plan, s, complaints, &outcome));
  const gannet_err err =
      world->rank == 0 ? suite_report_make(plan, s->directory, world->launcher) : GANNET_OK;
  GANNET_TRY(gannet_agree(world->comm, err));
  if (outcome.failed > 0) *code = GANNET_EXIT_FAILURES;
  if (outcome.stopped) *code = GANNET_EXIT_RESUMABLE;
  if (world->rank != 0) return GANNET_OK;
  if (outcome.failed > 0)
    (void)fprintf(stderr, "gannet: %s failed, %s%s\n",
                  outcome.failed < outcome.made ? "runs"
                  : outcome.made == 1           ? "the run"
                                                : "all runs",
                  outcome.failed > 1 ? "the first: " : "", outcome.why);
  (void)printf("%s: %" PRId64 " runs made, %" PRId64 " of them failed\nreport: %s/report.md\n",
               outcome.stopped ? "stopped" : "finished", outcome.made, outcome.failed,
               s->directory);
  return GANNET_OK;
}

static gannet_err run_bench(const cli_arguments *arguments, const cli_world *world,
                            gannet_exit *code) {
  settings s = {0};
  gannet_complaints complaints = {0};
  suite_plan plan = {0};
  const char *file = arguments->positional[0];
  GANNET_TRY(read_settings(arguments, world, &s));
  gannet_err err = suite_plan_load(world->comm, file, s.n_sets, s.sets, &plan, &complaints);
  if (err == GANNET_OK) cli_show_warnings(&complaints, world->rank);
  if (err == GANNET_OK) err = work_on_suite(arguments, world, &plan, &s, &complaints, code);
  suite_plan_release(&plan);
  err = cli_complain(&complaints, file, world->rank, err);
  gannet_complaints_release(&complaints);
  return err;
}

const cli_command cli_bench = {
    .name = "bench",
    .usage = "SUITE.yaml [options]",
    .summary = "compare methods on a suite of problems, many runs each, and write a report",
    .details =
        "Every run is made by one rank, and the ranks share the runs. A run is stored when it "
        "ends:\n"
        "called again, the command makes the runs that are missing. The report is\n"
        "DIR/report.md with tables, tests and pictures (made by gnuplot, where it is installed).\n"
        "SIGUSR1, SIGUSR2, the first interrupt, or a file STOP in the directory: no new runs;\n"
        "SIGTERM, SIGHUP, the second interrupt, or the end of the wall time: runs in progress\n"
        "are stopped and not stored.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .launches = true,
    .launches_everywhere = true,
    .run = run_bench,
};
