/* Reading the rows of a table of results. */
#include "campaign/run/import_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/utf8.h"
#include "campaign/run/import_table.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/variable_constraints.h"

/* The value of a source; NAN where a cell is empty.
 *
 * why  out  [GANNET_REASON_SIZE] what is wrong; untouched when nothing is
 */
static double read_source(const gannet_import_table *r, int64_t row, const gannet_import_source *s,
                          const char *name, char *why) {
  double value = NAN;
  for (int i = 0; i < (s->expression ? s->n_operands : 1); ++i) {
    const int column = s->expression ? s->operand[i] : s->column;
    const char *cell = gannet_csv_table_cell(&r->csv, row, column);
    value = NAN;
    if (!*cell && !s->expression) return NAN;
    if (gannet_parse_number(cell, &value)) {
      static const char *const unknown[] = {"nan",  "na",      "n/a", "null",
                                            "none", "missing", "-",   "?"};
      const char *hint = gannet_number_hint(cell);
      for (size_t k = 0; k < sizeof unknown / sizeof *unknown; ++k)
        if (strcasecmp(cell, unknown[k]) == 0)
          hint = "; leave the cell empty where it is not known";
      (void)snprintf(why, GANNET_REASON_SIZE, "%s: '%.60s' is not a number%.80s", name, cell, hint);
      return NAN;
    }
    if (s->expression) s->value[i] = value;
  }
  if (!s->expression) return value;
  value = gannet_expression_value(s->expression, s->value);
  if (!isfinite(value))
    (void)snprintf(why, GANNET_REASON_SIZE, "%s: the value of its expression is not finite", name);
  return value;
}

/* The value of a variable in a row; NAN where it is not known, or follows from others.
 *
 * why  out  [GANNET_REASON_SIZE] what is wrong; untouched when nothing is
 */
static double read_variable(const gannet_import_table *r, int64_t at, int v, char *why) {
  const gannet_variable *variable = &r->problem->spec.variables[v];
  const gannet_import_source *s = &r->variable[v];
  const bool is_related = r->about->is_related;
  const bool is_conditional = gannet_variable_is_conditional(variable);
  const bool is_pinned = !isnan(gannet_problem_pinned(r->problem, v));
  const bool is_searched = variable->role == GANNET_ROLE_FREE;
  const bool is_needed = is_searched && !is_conditional && !is_pinned;
  double x = NAN;
  if (is_related ? !is_searched || !gannet_import_source_is_there(s)
                 : !is_needed && !gannet_import_source_is_there(s))
    return NAN;
  if (s->expression) {
    /* What an expression gives may be off by rounding: whole numbers and bounds are met exactly. */
    const double near = 1e-12 * (variable->upper - variable->lower);
    x = read_source(r, at, s, variable->name, why);
    if (variable->type == GANNET_VARIABLE_INTEGER && fabs(x - round(x)) <= 1e-9) x = round(x);
    if (x < variable->lower && x >= variable->lower - near) x = variable->lower;
    if (x > variable->upper && x <= variable->upper + near) x = variable->upper;
  } else {
    const char *cell = gannet_csv_table_cell(&r->csv, at, s->column);
    if (!*cell && is_needed)
      (void)snprintf(why, GANNET_REASON_SIZE, "no value of variable %s", variable->name);
    else if (*cell && gannet_problem_parse(r->problem, v, cell, &x) != GANNET_OK)
      (void)snprintf(why, GANNET_REASON_SIZE, "%s", gannet_error_detail());
  }
  const bool may_lack = is_conditional || is_pinned;
  const bool is_checked = isnan(x) ? !may_lack : !is_conditional || is_related;
  if (!why[0] && is_checked && gannet_problem_check_tried(r->problem, v, x) != GANNET_OK)
    (void)snprintf(why, GANNET_REASON_SIZE, "%s", gannet_error_detail());
  gannet_error_clear();
  return x;
}

/* Fill in what follows from the values of a row, and check the design as a whole. One that is not
 * allowed is taken, and what is wrong with it is kept to be told. */
static void complete_point(const gannet_import_table *r, gannet_import_row *row, double *x) {
  const gannet_problem *problem = r->problem;
  gannet_problem_fill_pins(problem, x);
  if (row->kind != GANNET_ROW_REFUSED && gannet_problem_complete(problem, x) != GANNET_OK)
    gannet_import_refuse(row, gannet_error_detail());
  for (int v = 0; v < problem->spec.n_variables && row->kind != GANNET_ROW_REFUSED; ++v)
    if (gannet_variable_is_conditional(&problem->spec.variables[v]) &&
        gannet_problem_check_tried(problem, v, x[v]) != GANNET_OK)
      gannet_import_refuse(row, gannet_error_detail());
  gannet_error_clear();
  if (row->kind != GANNET_ROW_REFUSED && (gannet_problem_check_point(problem, x) != GANNET_OK ||
                                          gannet_problem_check_allowed(problem, x) != GANNET_OK))
    gannet_import_explain(row, gannet_error_detail());
  gannet_error_clear();
}

static void read_point(const gannet_import_table *r, int64_t at, gannet_import_row *row,
                       double *x) {
  const gannet_problem_spec *spec = &r->problem->spec;
  for (int v = 0; v < spec->n_variables; ++v) {
    char why[GANNET_REASON_SIZE] = "";
    x[v] = read_variable(r, at, v, why);
    if (why[0]) gannet_import_refuse(row, why);
  }
  row->x = x;
  for (int v = 0; r->about->is_related && v < spec->n_variables; ++v)
    if (gannet_variable_is_conditional(&spec->variables[v]) &&
        gannet_import_source_is_there(&r->variable[v]) && isnan(x[v]))
      x[v] = gannet_variable_resting(&spec->variables[v]); /* it is inactive there */
  if (!r->about->is_related) complete_point(r, row, x);
}

/* Say which objective a result lacks first: a row without all of them is refused.
 *
 * why  out  [GANNET_REASON_SIZE] untouched where none is missing
 */
static void find_missing_objective(const gannet_problem *problem,
                                   const gannet_result_record *result, char *why) {
  for (int m = 0; m < gannet_problem_n_objectives(problem) && !why[0]; ++m) {
    const int at = gannet_problem_objective_quantity(problem, m);
    if (isfinite(at > 0 ? result->constraints[at - 1] : result->objective)) continue;
    if (problem->spec.n_objectives > 0)
      (void)snprintf(why, GANNET_REASON_SIZE, "no value of objective %s",
                     problem->spec.objectives[m].name);
    else
      (void)snprintf(why, GANNET_REASON_SIZE, "no value of the objective");
  }
}

/* Read the numbers of a result that is done. A quantity with a formula is computed from its parts
 * where the table has all of them; otherwise the number counts that the table has for it. */
static gannet_err read_numbers(const gannet_import_table *r, int64_t at, gannet_import_row *row) {
  char why[GANNET_REASON_SIZE] = "";
  for (int i = 0; i < r->n_quantities; ++i) {
    const gannet_import_quantity *q = &r->quantity[i];
    char wrong[GANNET_REASON_SIZE] = "", sd[GANNET_IMPORT_NAME_SIZE + 4];
    gannet_quantity item = {.name = q->name};
    (void)snprintf(sd, sizeof sd, "%s.sd", q->name);
    if (gannet_import_source_is_there(&q->sd)) item.sd = read_source(r, at, &q->sd, sd, wrong);
    if (item.sd < 0)
      (void)snprintf(wrong, sizeof wrong, "%s: %g, expected a standard deviation of at least 0", sd,
                     item.sd);
    if (!(item.sd > 0)) item.sd = 0;
    item.value = read_source(r, at, &q->value, q->name, wrong);
    if (wrong[0] && q->is_asked) gannet_import_refuse(row, wrong);
    if (!isfinite(item.value)) continue;
    GANNET_TRY(gannet_result_report(r->problem, &item, &row->result));
  }
  (void)gannet_problem_compute(r->problem, &row->result, why, sizeof why);
  why[0] = '\0';
  /* As in results.out: a simulation that ended early, at a violated constraint, lacks the other
   * numbers. */
  if (!r->about->is_related &&
      gannet_problem_feasibility(r->problem, row->result.objective, row->result.constraints) == 0)
    return GANNET_OK;
  find_missing_objective(r->problem, &row->result, why);
  /* Of a related problem any number is learnt from. */
  if (why[0] && !(r->about->is_related && gannet_result_count_known(r->problem, &row->result) > 0))
    gannet_import_refuse(row, why);
  /* The objective is learnt from all the same; whether the design is feasible nobody knows. */
  const int missing =
      gannet_problem_find_missing(r->problem, 1, row->result.objective, row->result.constraints);
  if (missing < 0 || r->about->is_related || row->kind == GANNET_ROW_REFUSED || row->why)
    return GANNET_OK;
  (void)snprintf(why, sizeof why, "no value of constraint %s",
                 r->problem->spec.constraints[missing - 1].name);
  gannet_import_explain(row, why);
  row->is_partial = true;
  return GANNET_OK;
}

static gannet_err read_outcome(const gannet_import_table *r, int64_t at, gannet_import_row *row) {
  const char *word = r->status < 0 ? "" : gannet_csv_table_cell(&r->csv, at, r->status);
  gannet_eval_status status = GANNET_EVAL_DONE;
  char why[GANNET_REASON_SIZE];
  if (*word && !gannet_eval_status_find(word, &status)) {
    (void)snprintf(why, sizeof why,
                   "status '%.60s' is not known; expected done, cannot_run, failed or pending",
                   word);
    gannet_import_refuse(row, why);
  }
  if (status == GANNET_EVAL_CANNOT_RUN && r->about->is_related)
    gannet_import_refuse(row, "cannot run: only values of a related problem are learnt from");
  if (status == GANNET_EVAL_PENDING) gannet_import_refuse(row, "pending: it has no result yet");
  if (status == GANNET_EVAL_DISCARDED)
    gannet_import_refuse(row, "discarded: it does not count there");
  if (status == GANNET_EVAL_FAILED)
    gannet_import_refuse(row, "failed: that says nothing about the design");
  row->result.status = status;
  if (status == GANNET_EVAL_DONE) return read_numbers(r, at, row);
  row->result.run.failure = GANNET_FAILURE_WORD;
  if (r->reason >= 0) {
    (void)snprintf(row->result.run.reason, sizeof row->result.run.reason, "%s",
                   gannet_csv_table_cell(&r->csv, at, r->reason));
    gannet_utf8_line(row->result.run.reason);
  }
  return GANNET_OK;
}

static gannet_err read_row(const gannet_import_table *r, int64_t at, gannet_import_row *row,
                           double *x) {
  char why[GANNET_REASON_SIZE];
  row->line = r->csv.line[at];
  row->id = -1;
  gannet_result_clear(r->problem->spec.n_constraints, &row->result);
  const int n = r->csv.n_cells[at];
  if (n != r->csv.n_columns) {
    const bool is_comment = gannet_csv_table_cell(&r->csv, at, 0)[0] == '#';
    (void)snprintf(why, sizeof why, "%d column%s, expected %d as in the first line%s", n,
                   n == 1 ? "" : "s", r->csv.n_columns, is_comment ? "; remove the comment" : "");
    gannet_import_refuse(row, why);
    return GANNET_OK;
  }
  read_point(r, at, row, x);
  return read_outcome(r, at, row);
}

static gannet_err read_rows(const gannet_import_table *r, gannet_import_rows *rows) {
  const size_t n = (size_t)r->csv.n_rows, v = (size_t)r->problem->spec.n_variables;
  const size_t k = (size_t)r->problem->spec.n_constraints;
  GANNET_TRY(gannet_alloc(n, sizeof *rows->row, &rows->row));
  GANNET_TRY(gannet_alloc(n * v, sizeof *rows->x, &rows->x));
  GANNET_TRY(gannet_alloc(n * k, sizeof *rows->constraints, &rows->constraints));
  rows->n = (int64_t)n;
  for (size_t i = 0; i < n; ++i) {
    rows->row[i].result.constraints = rows->constraints + i * k;
    GANNET_TRY(read_row(r, (int64_t)i, &rows->row[i], rows->x + i * v));
  }
  return GANNET_OK;
}

gannet_err gannet_import_read(const gannet_results_file *table, const gannet_ledger *ledger,
                              gannet_import_rows *rows) {
  gannet_import_table r = {.about = table, .problem = ledger->problem, .ledger = ledger};
  gannet_err err = gannet_csv_table_parse(table->path, table->text, table->size, &r.csv);
  if (err == GANNET_OK) err = gannet_import_table_find_sources(&r);
  if (err == GANNET_OK && r.csv.n_rows == 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "%s: no rows; expected one for each result", table->path);
  if (err == GANNET_OK) err = read_rows(&r, rows);
  if (err == GANNET_OK) err = gannet_import_compare(&r, rows);
  gannet_import_table_release(&r);
  return err;
}

void gannet_import_describe_new(const gannet_import_rows *rows, char *text, size_t size) {
  const long long elsewhere = (long long)rows->n_elsewhere, partial = (long long)rows->n_partial;
  char outside[GANNET_REASON_SIZE + 80] = "";
  for (int64_t i = 0; i < rows->n && elsewhere > 0 && !outside[0]; ++i) {
    const gannet_import_row *row = &rows->row[i];
    if (row->kind != GANNET_ROW_NEW || !row->why || row->is_partial) continue;
    (void)snprintf(outside, sizeof outside, "%lld outside of what is allowed, %s line %lld: %s",
                   elsewhere, elsewhere == 1 ? "in" : "the first in", (long long)row->line,
                   row->why);
  }
  text[0] = '\0';
  if (partial > 0)
    (void)snprintf(text, size, " (%lld without a value of a constraint%s%s)", partial,
                   outside[0] ? "; " : "", outside);
  else if (outside[0])
    (void)snprintf(text, size, " (%s)", outside);
}

void gannet_import_rows_release(gannet_import_rows *rows) {
  for (int64_t i = 0; rows->row && i < rows->n; ++i) {
    gannet_quantities_release(&rows->row[i].result.reported);
    gannet_free(&rows->row[i].why);
  }
  gannet_free(&rows->row);
  gannet_free(&rows->x);
  gannet_free(&rows->constraints);
  rows->n = 0;
}
