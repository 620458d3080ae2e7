/* gannet predict: what the models of a campaign expect at given designs. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/candidates.h"
#include "cli/point.h"
#include "cli/query.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum { QUICK = 10000 }; /* results for which models are fitted in a few seconds */

static const cli_flag flags[] = {
    {"point", 'p', "NAME=VALUE", "value of a variable at the design; one for every variable", true},
    {"file", 0, "FILE", "CSV or HDF5 file with a design in every row, and a column per variable",
     false},
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {"output", 'o', "FILE", "write to a file instead of standard output", false},
    {NULL, 0, NULL, NULL, false},
};

/* Designs, and what is expected there. */
typedef struct {
  const gannet_problem *problem;
  int64_t n;
  double *x;                       /* [n][n_variables] */
  gannet_prediction *predictions;  /* [n][1 + n_constraints] */
  gannet_feasibility *feasibility; /* [n] */
} forecast;

static gannet_err read_point(const cli_arguments *arguments, forecast *f) {
  const gannet_problem_spec *spec = &f->problem->spec;
  char missing[600] = "";
  size_t used = 0;
  f->n = 1;
  GANNET_TRY(gannet_alloc((size_t)spec->n_variables, sizeof *f->x, &f->x));
  GANNET_TRY(cli_read_point(arguments, f->problem, f->x));
  const bool *active = gannet_conditional_find_active(f->problem, f->x);
  for (int v = 0; v < spec->n_variables; ++v) {
    if (!isnan(f->x[v]) || spec->variables[v].role != GANNET_ROLE_FREE) continue;
    if (active && !active[v]) continue;
    const int more = snprintf(missing + used, sizeof missing - used, " --point %s=VALUE",
                              spec->variables[v].name);
    if (more > 0 && used + (size_t)more < sizeof missing) used += (size_t)more;
  }
  GANNET_REQUIRE(!used, GANNET_ERR_INPUT, "the design is not complete; give%s, too", missing);
  cli_warn_of_ignored(f->problem, f->x);
  GANNET_TRY(gannet_problem_complete(f->problem, f->x));
  return gannet_problem_check_point(f->problem, f->x);
}

static gannet_err read_file(const char *path, forecast *f) {
  char why[500];
  GANNET_TRY(gannet_candidates_file_read(path, f->problem, &f->n, &f->x));
  GANNET_REQUIRE(f->n <= 10000000, GANNET_ERR_INPUT, "%s: %lld designs, expected at most 10000000",
                 path, (long long)f->n);
  for (int64_t i = 0; i < f->n; ++i) {
    if (gannet_problem_check_point(f->problem, f->x + i * f->problem->spec.n_variables) ==
        GANNET_OK)
      continue;
    (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s: row %lld: %s", path, (long long)i + 1, why);
  }
  return GANNET_OK;
}

static gannet_err read_designs(const cli_arguments *arguments, forecast *f) {
  const char *file = cli_value(arguments, "file");
  GANNET_REQUIRE((file != NULL) != cli_has(arguments, "point"), GANNET_ERR_INPUT,
                 "give either a --point NAME=VALUE for every variable, or --file with designs");
  GANNET_TRY(file ? read_file(file, f) : read_point(arguments, f));
  const size_t quantities = 1 + (size_t)f->problem->spec.n_constraints;
  GANNET_TRY(gannet_alloc((size_t)f->n * quantities, sizeof *f->predictions, &f->predictions));
  return gannet_alloc((size_t)f->n, sizeof *f->feasibility, &f->feasibility);
}

/* Columns: the variables; of the objective mean and sd; of every constraint also the probability
 * that it is kept; then the two of the whole design. */

enum { CAN_RUN, FEASIBLE };

/* The quantity of a column, -1 where it has none, and what is told of it. */
static int find_quantity(const forecast *f, int column, int *what) {
  const int v = f->problem->spec.n_variables, k = f->problem->spec.n_constraints;
  const int at = column - v;
  if (at < 2) {
    *what = at;
    return 0;
  }
  *what = (at - 2) % 3;
  if (at < 2 + 3 * k) return 1 + (at - 2) / 3;
  *what = at - 2 - 3 * k;
  return -1;
}

static const char *column_name(const void *user, int column) {
  static const char *const ends[] = {"mean", "sd", "kept"};
  static const char *const wholes[] = {"can_run", "feasible"};
  static char name[200];
  const forecast *f = user;
  int what = 0;
  if (column < f->problem->spec.n_variables) return f->problem->spec.variables[column].name;
  const int quantity = find_quantity(f, column, &what);
  if (quantity < 0) return wholes[what];
  (void)snprintf(name, sizeof name, "%s.%s", gannet_problem_quantity_name(f->problem, quantity),
                 ends[what]);
  return name;
}

static const char *column_unit(const void *user, int column) {
  const forecast *f = user;
  int what = 0;
  if (column < f->problem->spec.n_variables)
    return gannet_problem_unit(f->problem->variable_unit, column);
  const int quantity = find_quantity(f, column, &what);
  if (quantity < 0 || what == 2) return "";
  return quantity == 0 ? gannet_problem_objective_unit(f->problem)
                       : gannet_problem_unit(f->problem->constraint_unit, quantity - 1);
}

static gannet_cell make_cell(const void *user, int64_t row, int column, char *text) {
  const forecast *f = user;
  const gannet_problem_spec *spec = &f->problem->spec;
  int what = 0;
  if (column < spec->n_variables) {
    const gannet_variable *about = &spec->variables[column];
    const double *x = f->x + row * spec->n_variables, value = x[column];
    if (!gannet_problem_is_active(f->problem, column, x)) return gannet_cell_word("", text);
    if (isnan(value)) return gannet_cell_real(value, text); /* a derived one may have none */
    gannet_problem_format(f->problem, column, value, text, GANNET_CELL);
    return gannet_variable_has_words(about)         ? GANNET_CELL_WORD
           : about->type == GANNET_VARIABLE_BOOLEAN ? GANNET_CELL_TRUTH
                                                    : GANNET_CELL_NUMBER;
  }
  const int quantity = find_quantity(f, column, &what);
  if (quantity < 0)
    return gannet_cell_real(
        what == CAN_RUN ? f->feasibility[row].can_run : f->feasibility[row].feasible, text);
  const int place = gannet_problem_place(f->problem, quantity);
  const gannet_prediction *p = &f->predictions[row * (1 + spec->n_constraints) + place];
  return gannet_cell_real(what == 0 ? p->mean : what == 1 ? p->sd : p->kept, text);
}

static gannet_err write_forecast(const cli_arguments *arguments, const forecast *f) {
  const gannet_problem_spec *spec = &f->problem->spec;
  const gannet_grid grid = {.n_columns = spec->n_variables + 2 + 3 * spec->n_constraints + 2,
                            .n_rows = f->n,
                            .user = f,
                            .name = column_name,
                            .cell = make_cell,
                            .unit = column_unit};
  FILE *out = NULL;
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_open_output(arguments, &out));
  const gannet_err err = gannet_grid_write(out, &grid, format);
  const gannet_err closed = cli_close_output(out);
  return err != GANNET_OK ? err : closed;
}

static gannet_err predict(const cli_arguments *arguments, const gannet_campaign *campaign) {
  forecast f = {.problem = campaign->input->problem};
  gannet_err err = read_designs(arguments, &f);
  const int64_t n_results = gannet_history_count_told(campaign->history);
  if (err == GANNET_OK && n_results > QUICK)
    (void)fprintf(stderr,
                  "gannet: fitting the models to all %lld results; this takes some seconds per "
                  "10000 results\n",
                  (long long)n_results);
  if (err == GANNET_OK)
    err =
        gannet_optimizer_predict(campaign->optimizer, (int)f.n, f.x, f.predictions, f.feasibility);
  if (err == GANNET_ERR_STATE) /* too few results */
    err = GANNET_RAISE(GANNET_ERR_INPUT, "%s", gannet_error_detail());
  if (err == GANNET_OK) err = write_forecast(arguments, &f);
  gannet_free(&f.x);
  gannet_free(&f.predictions);
  gannet_free(&f.feasibility);
  return err;
}

static gannet_err predict_alone(const cli_arguments *arguments) {
  gannet_campaign campaign;
  cli_log log;
  cli_log_begin(&log, GANNET_LOG_WARNING);
  gannet_err err =
      gannet_campaign_query_optimizer(arguments->positional[0], cli_log_line, &log, &campaign);
  if (err == GANNET_OK && campaign.damage.is_partial)
    err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s", campaign.damage.text);
  if (err == GANNET_OK && campaign.damage.text[0]) cli_warn("%s", campaign.damage.text);
  if (err == GANNET_OK) err = predict(arguments, &campaign);
  gannet_campaign_close(&campaign);
  cli_log_end(&log);
  return err;
}

static gannet_err run_predict(const cli_arguments *arguments, const cli_world *world,
                              gannet_exit *code) {
  (void)code;
  return gannet_agree(world->comm, world->rank ? GANNET_OK : predict_alone(arguments));
}

const cli_command cli_predict = {
    .name = "predict",
    .usage = "DIR (--point NAME=VALUE ... | --file FILE) [options]",
    .summary = "print what the models of a campaign predict at designs that you choose",
    .details =
        "For every design: mean and standard deviation (.mean, .sd) of the objective and of\n"
        "each constraint, the probability that the constraint holds (.kept), the probability\n"
        "that the simulation can run (can_run), and that it can run and all constraints hold\n"
        "(feasible). The models are those of the next proposal. No simulation runs, nothing in\n"
        "the campaign changes, and the campaign may be running.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .run = run_predict,
};
