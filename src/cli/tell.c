/* gannet tell */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/utf8.h"
#include "campaign/run/campaign.h"
#include "campaign/run/import.h"
#include "campaign/tables/table.h"
#include "cli/open_campaign.h"
#include "cli/point.h"
#include "evaluate/result_record.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

static const cli_flag flags[] = {
    {"id", 'i', "N", "evaluation, as printed by gannet ask", false},
    {"point", 'p', "NAME=VALUE",
     "value of a variable at a point of your own, instead of --id; one for every variable", true},
    {"objective", 'y', "VALUE",
     "value of the objective, with its standard deviation as in 3.2+-0.1, or 'missing'", false},
    {"constraint", 'c', "NAME=VALUE", "value of a constraint, likewise; may be repeated", true},
    {"value", 0, "NAME=VALUE",
     "value of any quantity, also of those in expressions; may be repeated", true},
    {"cannot-run", 0, "REASON", "the simulation cannot work at this design", false},
    CLI_RENAMED("infeasible", "cannot-run"),
    {"failed", 0, "REASON", "there is no result, but the design is not to blame", false},
    {"file", 0, "FILE",
     "CSV file with many results: columns as in history.csv, or any with the names of variables "
     "and quantities; or a campaign directory",
     false},
    {"column", 0, "NAME=COLUMN",
     "with --file: a variable or quantity whose column has another name or unit, as in chord=c or "
     "span=s/1000; may be repeated",
     true},
    {"dry-run", 'n', NULL, "with --file: say what would happen with each line, then stop", false},
    CLI_WAIT_FLAG,
    {NULL, 0, NULL, NULL, false},
};

/* A result that is being put together from what the command line gives. */
typedef struct {
  const gannet_problem *problem;
  gannet_result_record *result;
  bool *is_said; /* [1 + n_constraints] said to be missing: the objective, then the constraints */
  bool is_any_said;
} given_result;

/* Take a value over that was given under the name of a quantity. */
static gannet_err take_value(given_result *given, const char *what, const char *name,
                             const char *text) {
  gannet_result_record *result = given->result;
  const int index = gannet_problem_find_quantity(given->problem, name);
  const bool is_there =
      index < 0 ? gannet_quantities_find(&result->reported, name) != NULL
                : given->is_said[index] ||
                      !isnan(index > 0 ? result->constraints[index - 1] : result->objective);
  gannet_quantity quantity = {.name = name};
  GANNET_REQUIRE(gannet_quantity_is_name(name), GANNET_ERR_INPUT,
                 "%s '%s': expected a name of up to 63 letters, digits and underscores, not "
                 "starting with a digit",
                 what, name);
  GANNET_REQUIRE(!is_there, GANNET_ERR_INPUT, "the value of %s is given twice; leave one out",
                 name);
  GANNET_TRY(cli_read_stated(strcmp(what, "--value") == 0 ? name : what, text, &quantity));
  if (!isnan(quantity.value)) return gannet_result_report(given->problem, &quantity, result);
  given->is_any_said = true;
  if (index >= 0) given->is_said[index] = true;
  return GANNET_OK;
}

static gannet_err read_constraints(const cli_arguments *arguments, given_result *given) {
  char name[128];
  const char *text, *value = NULL;
  for (int i = 0; (text = cli_repeated(arguments, "constraint", i)); ++i) {
    GANNET_TRY(cli_split_pair("constraint", text, name, sizeof name, &value));
    const int k = gannet_problem_find_constraint(given->problem, name);
    if (k < 0 || k >= gannet_problem_n_bounded(given->problem))
      return cli_raise_unknown("constraint", name, given->problem);
    GANNET_REQUIRE(isnan(given->result->constraints[k]) && !given->is_said[k + 1], GANNET_ERR_INPUT,
                   "--constraint %s is given twice; leave one out", name);
    GANNET_TRY(take_value(given, name, name, value));
  }
  return GANNET_OK;
}

/* Read the quantities of --value, and compute what the campaign file has expressions for. What is
 * missing must be said to be, or a constraint be violated. */
static gannet_err complete_values(const cli_arguments *arguments, given_result *given) {
  const gannet_problem *problem = given->problem;
  gannet_result_record *result = given->result;
  char name[128];
  const char *text, *value = NULL;
  for (int i = 0; (text = cli_repeated(arguments, "value", i)); ++i) {
    GANNET_TRY(cli_split_pair("value", text, name, sizeof name, &value));
    GANNET_TRY(take_value(given, "--value", name, value));
  }
  const gannet_lack lack = given->is_any_said ? GANNET_LACK_SAID : GANNET_LACK_WHERE_VIOLATED;
  if (gannet_problem_feasibility(problem, result->objective, result->constraints) != 0) {
    for (int k = 0; k < problem->spec.n_constraints; ++k)
      GANNET_REQUIRE(!isnan(result->constraints[k]) || given->is_said[k + 1] ||
                         gannet_problem_formula(problem, k + 1),
                     GANNET_ERR_INPUT, "give --%s %s=VALUE, too; or %s=missing, if it is not known",
                     k < gannet_problem_n_bounded(problem) ? "constraint" : "value",
                     problem->spec.constraints[k].name, problem->spec.constraints[k].name);
    const bool has_objective =
        !isnan(result->objective) || given->is_said[0] || gannet_problem_formula(problem, 0);
    const char *first = gannet_problem_quantity_name(problem, 0);
    GANNET_REQUIRE(has_objective || problem->spec.n_objectives == 0, GANNET_ERR_INPUT,
                   "give --value %s=VALUE, too; or %s=missing, if it is not known", first, first);
    GANNET_REQUIRE(has_objective, GANNET_ERR_INPUT,
                   "give --objective VALUE, too; or --objective missing, if it is not known");
  }
  if (gannet_result_compute(problem, lack, result))
    gannet_result_check_numbers(problem, lack, result);
  bool has_formula = false;
  for (int i = 0; i <= problem->spec.n_constraints; ++i)
    has_formula = has_formula || gannet_problem_formula(problem, i);
  GANNET_REQUIRE(result->status == GANNET_EVAL_DONE, GANNET_ERR_INPUT, "%s%s", result->run.reason,
                 has_formula ? "; give parts of expressions with --value NAME=VALUE" : "");
  return GANNET_OK;
}

/* A point of --point becomes a proposal first. */
static gannet_err propose_point(const cli_arguments *arguments, gannet_campaign *campaign,
                                int64_t *id) {
  double *x_user = NULL;
  const gannet_problem *problem = campaign->input->problem;
  GANNET_TRY(gannet_alloc((size_t)problem->spec.n_variables, sizeof *x_user, &x_user));
  gannet_err err = cli_read_point(arguments, problem, x_user);
  const int missing = err == GANNET_OK ? gannet_problem_find_not_given(problem, x_user) : -1;
  if (missing >= 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "give --point %s=VALUE, too",
                       problem->spec.variables[missing].name);
  if (err == GANNET_OK) cli_warn_of_ignored(problem, x_user);
  if (err == GANNET_OK) err = gannet_problem_complete(problem, x_user);
  if (err == GANNET_OK) err = gannet_campaign_propose(campaign, x_user, id);
  gannet_free(&x_user);
  return err;
}

static gannet_err find_evaluation(const cli_arguments *arguments, gannet_campaign *campaign,
                                  int64_t *id) {
  long long number = -1;
  const bool own = cli_repeated(arguments, "point", 0) != NULL;
  GANNET_REQUIRE(own != cli_has(arguments, "id"), GANNET_ERR_INPUT,
                 "give either --id or a --point NAME=VALUE for every variable");
  if (own) return propose_point(arguments, campaign, id);
  GANNET_TRY(cli_whole(arguments, "id", 0, -1, &number));
  GANNET_REQUIRE(
      number < campaign->ledger.n, GANNET_ERR_INPUT,
      "--id: evaluation %lld was never proposed; expected at most %lld; `gannet ask` proposes more",
      number, (long long)campaign->ledger.n - 1);
  const gannet_ticket *ticket = &campaign->ledger.ticket[number];
  GANNET_REQUIRE(!ticket->has_result || ticket->result.status == GANNET_EVAL_FAILED,
                 GANNET_ERR_INPUT,
                 "--id: evaluation %lld already has the result '%s'; `gannet correct` replaces "
                 "values of it, `gannet discard` takes it out, `gannet retry` allows a new result; "
                 "`gannet ask` proposes others, --point takes a design of your own",
                 number, gannet_eval_status_phrase(ticket->result.status));
  *id = number;
  return GANNET_OK;
}

static gannet_err read_outcome(const cli_arguments *arguments, const gannet_problem *problem,
                               gannet_result_record *result, double *constraints) {
  const char *objective = cli_value(arguments, "objective");
  const char *cannot_run = cli_value(arguments, "cannot-run");
  const char *failed = cli_value(arguments, "failed");
  /* Other commands take the last value. A result is told for good, so two values are an error. */
  static const char *const once[] = {"id", "objective", "cannot-run", "failed"};
  for (size_t i = 0; i < sizeof once / sizeof *once; ++i)
    GANNET_REQUIRE(cli_times(arguments, once[i]) <= 1, GANNET_ERR_INPUT,
                   "--%s is given twice; leave one out", once[i]);
  GANNET_REQUIRE(!objective || problem->spec.n_objectives == 0, GANNET_ERR_INPUT,
                 "--objective: the campaign has several objectives; give --value %s=VALUE for each",
                 gannet_problem_quantity_name(problem, 0));
  const bool is_done = objective || cli_repeated(arguments, "value", 0) ||
                       (cli_repeated(arguments, "constraint", 0) && !cannot_run && !failed);
  GANNET_REQUIRE(is_done + (cannot_run != NULL) + (failed != NULL) == 1, GANNET_ERR_INPUT,
                 "give one of --objective (or --value), --cannot-run and --failed");
  result->constraints = constraints;
  gannet_result_clear(problem->spec.n_constraints, result);
  result->status = cannot_run ? GANNET_EVAL_CANNOT_RUN
                   : failed   ? GANNET_EVAL_FAILED
                              : GANNET_EVAL_DONE;
  result->run = gannet_run_unknown();
  result->run.ended = gannet_clock_epoch();
  result->run.attempts = 1;
  result->run.failure = is_done ? GANNET_FAILURE_NONE : GANNET_FAILURE_WORD;
  (void)snprintf(result->run.reason, sizeof result->run.reason, "%s",
                 cannot_run ? cannot_run
                 : failed   ? failed
                            : "");
  gannet_utf8_line(result->run.reason);
  if (!is_done) return GANNET_OK;
  given_result given = {problem, result, NULL, false};
  gannet_err err =
      gannet_alloc((size_t)problem->spec.n_constraints + 1, sizeof *given.is_said, &given.is_said);
  if (err == GANNET_OK && objective)
    err = take_value(&given, "--objective", "objective", objective);
  if (err == GANNET_OK) err = read_constraints(arguments, &given);
  if (err == GANNET_OK) err = complete_values(arguments, &given);
  gannet_free(&given.is_said);
  return err;
}

/* Keep the result in the journal and in history.csv. */
static gannet_err record_result(gannet_campaign *campaign, const gannet_result_record *result) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_ledger_results(&campaign->ledger, 1, result));
  GANNET_TRY(gannet_campaign_tell(campaign, 1, &result->id));
  if (campaign->context->rank != 0) return GANNET_OK;
  GANNET_TRY(gannet_campaign_path(campaign, "history.csv", path));
  return gannet_table_replace(path, &campaign->ledger);
}

static gannet_err tell_result(const cli_arguments *arguments, gannet_campaign *campaign) {
  const gannet_problem *problem = campaign->input->problem;
  gannet_result_record result = {0};
  double *constraints = NULL;
  gannet_err err =
      gannet_alloc((size_t)problem->spec.n_constraints, sizeof *constraints, &constraints);
  if (err == GANNET_OK) err = read_outcome(arguments, problem, &result, constraints);
  if (err == GANNET_OK) err = find_evaluation(arguments, campaign, &result.id);
  if (err == GANNET_OK) err = record_result(campaign, &result);
  err = gannet_agree(campaign->context->comm, err);
  if (err == GANNET_OK) err = gannet_campaign_save(campaign);
  gannet_quantities_release(&result.reported);
  gannet_free(&constraints);
  return err;
}

/* Many results of a file. */

/* Say what became of a row, or would become of it. Rows of equal text are told as one line.
 *
 * text  out  [size]
 */
static void describe_row(const gannet_import_row *row, bool dry, char *text, size_t size) {
  const char *would = dry ? "would be " : "";
  if (row->kind == GANNET_ROW_NEW)
    (void)snprintf(text, size, "%simported%s%s", would, row->why ? ", and never be the best: " : "",
                   row->why ? row->why : "");
  else if (row->kind == GANNET_ROW_RESULT)
    (void)snprintf(text, size, "%sthe result of evaluation %lld", dry ? would : "is ",
                   (long long)row->id);
  else if (row->kind == GANNET_ROW_KNOWN && row->id >= 0)
    (void)snprintf(text, size, "there already, as evaluation %lld%s", (long long)row->id,
                   !row->corrected                                     ? ""
                   : row->corrected->kind == GANNET_CORRECTION_DISCARD ? ", discarded"
                                                                       : ", corrected");
  else if (row->kind == GANNET_ROW_KNOWN)
    (void)snprintf(text, size, "repeats a line above");
  else
    (void)snprintf(text, size, "refused: %s", row->why);
}

/* kinds  in  [GANNET_ROW_COUNT] whether rows of a kind are told */
static void print_rows(FILE *out, const gannet_import_rows *rows, bool dry, const bool *kinds) {
  char text[GANNET_REASON_SIZE + 64], next[GANNET_REASON_SIZE + 64];
  for (int64_t i = 0, end; i < rows->n; i = end) {
    describe_row(&rows->row[i], dry, text, sizeof text);
    for (end = i + 1; end < rows->n; ++end) {
      describe_row(&rows->row[end], dry, next, sizeof next);
      if (strcmp(text, next) != 0) break;
    }
    if (!kinds[rows->row[i].kind]) continue;
    if (end == i + 1)
      cli_say(out, "line %lld: %s\n", (long long)rows->row[i].line, text);
    else
      cli_say(out, "lines %lld to %lld: %s\n", (long long)rows->row[i].line,
              (long long)rows->row[end - 1].line, text);
  }
}

static void print_summary(const gannet_results_file *file, const gannet_import_rows *rows,
                          bool dry) {
  static const bool all[GANNET_ROW_COUNT] = {true, true, true, true};
  static const bool refused[GANNET_ROW_COUNT] = {[GANNET_ROW_REFUSED] = true};
  const int64_t *count = rows->count;
  char elsewhere[GANNET_IMPORT_NEW_TEXT];
  gannet_import_describe_new(rows, elsewhere, sizeof elsewhere);
  print_rows(dry ? stdout : stderr, rows, dry, dry ? all : refused);
  cli_say(
      stdout,
      "%s: %lld row%s: %lld %simported%s, %lld result%s of evaluations that were proposed, %lld "
      "there already, %lld refused\n",
      file->path, (long long)rows->n, rows->n == 1 ? "" : "s", (long long)count[GANNET_ROW_NEW],
      dry ? "would be " : "", elsewhere, (long long)count[GANNET_ROW_RESULT],
      count[GANNET_ROW_RESULT] == 1 ? "" : "s", (long long)count[GANNET_ROW_KNOWN],
      (long long)count[GANNET_ROW_REFUSED]);
}

/* Results of evaluations that wait for them come first; a kill in between leaves the rest to the
 * next call with the same file. */
static gannet_err record_rows(gannet_campaign *campaign, const gannet_results_file *file,
                              const gannet_import_rows *rows) {
  const size_t n = (size_t)rows->count[GANNET_ROW_RESULT];
  gannet_result_record *results = NULL;
  int64_t *ids = NULL;
  char path[PATH_MAX];
  int at = 0;
  gannet_err err = gannet_alloc(n, sizeof *results, &results);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *ids, &ids);
  for (int64_t i = 0; i < rows->n && err == GANNET_OK; ++i) {
    if (rows->row[i].kind != GANNET_ROW_RESULT) continue;
    results[at] = rows->row[i].result; /* which the row goes on owning */
    results[at].run.ended = gannet_clock_epoch();
    results[at].run.attempts = 1;
    ids[at++] = rows->row[i].id;
  }
  if (err == GANNET_OK) err = gannet_ledger_results(&campaign->ledger, at, results);
  if (err == GANNET_OK) err = gannet_campaign_tell(campaign, at, ids);
  if (err == GANNET_OK && rows->count[GANNET_ROW_NEW] > 0)
    err = gannet_import_enter(campaign, file, rows);
  if (err == GANNET_OK && campaign->context->rank == 0) {
    err = gannet_campaign_path(campaign, "history.csv", path);
    if (err == GANNET_OK) err = gannet_table_replace(path, &campaign->ledger);
  }
  gannet_free(&results);
  gannet_free(&ids);
  return err;
}

static gannet_err tell_file(const cli_arguments *arguments, gannet_campaign *campaign) {
  const MPI_Comm comm = campaign->context->comm;
  const bool dry = cli_has(arguments, "dry-run");
  gannet_import_columns columns = {0};
  gannet_import_rows rows = {0};
  char *text = NULL;
  const char *texts[CLI_MOST_VALUES];
  size_t size = 0;
  int n = 0;
  gannet_results_file file = {
      .path = cli_value(arguments, "file"), .takes_pending = true, .has_flags = true};
  static const char *const others[] = {"id",    "point",      "objective", "constraint",
                                       "value", "cannot-run", "failed"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    GANNET_REQUIRE(!cli_has(arguments, others[i]), GANNET_ERR_INPUT,
                   "leave out --%s: lines of --file have results of their own", others[i]);
  while (n < CLI_MOST_VALUES && (texts[n] = cli_repeated(arguments, "column", n))) ++n;
  gannet_err err = gannet_import_columns_read(n, texts, &columns);
  if (err == GANNET_OK) err = gannet_import_share(comm, file.path, &text, &size);
  file.text = text;
  file.size = size;
  file.n_columns = columns.n;
  file.column = columns.name;
  file.expression = columns.expression;
  if (err == GANNET_OK)
    err = gannet_agree(comm, gannet_import_read(&file, &campaign->ledger, &rows));
  if (err == GANNET_OK && campaign->context->rank == 0) print_summary(&file, &rows, dry);
  if (err == GANNET_OK && rows.count[GANNET_ROW_REFUSED] == rows.n)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "no row of '%s' can be used; correct them, or use --column", file.path);
  if (err == GANNET_OK && !dry) err = gannet_agree(comm, record_rows(campaign, &file, &rows));
  if (err == GANNET_OK && !dry) err = gannet_campaign_save(campaign);
  gannet_import_rows_release(&rows);
  gannet_import_columns_release(&columns);
  gannet_free(&text);
  return err;
}

static gannet_err tell(const cli_arguments *arguments, gannet_campaign *campaign, void *user) {
  (void)user;
  if (cli_has(arguments, "file")) return tell_file(arguments, campaign);
  GANNET_REQUIRE(!cli_has(arguments, "dry-run") && !cli_has(arguments, "column"), GANNET_ERR_INPUT,
                 "--%s goes with --file", cli_has(arguments, "dry-run") ? "dry-run" : "column");
  return tell_result(arguments, campaign);
}

static gannet_err run_tell(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  (void)code;
  return cli_in_session(arguments, world, tell);
}

const cli_command cli_tell = {
    .name = "tell",
    .usage = "DIR (--id N | --point NAME=VALUE ...) RESULT | DIR --file FILE",
    .summary = "report results of simulations that you ran yourself",
    .details =
        "RESULT is one of --objective Y, --value NAME=VALUE (once for each number), --cannot-run "
        "WHY\n"
        "or --failed WHY, with --constraint NAME=VALUE where there are constraints.\n\n"
        "A result is saved when the command returns with exit code 0. The objective or\n"
        "constraints may be left out if a given constraint is violated, or if they are reported\n"
        "as missing. With --file, a line is the result of a pending design if it matches one;\n"
        "every other line becomes an imported evaluation, which does not count towards the\n"
        "budget. Invalid lines are refused one by one; when all are, the exit code is 2.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .run = run_tell,
};
