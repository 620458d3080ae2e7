/* Reading a table of results.
 *
 *   source  where the value of a variable or quantity is in the table: a column, or an expression
 *           in columns
 *   target  that variable or quantity
 *
 * First every target gets its source; what is missing for all rows is an error of the table. Then
 * rows are read one by one; what is wrong with one refuses it. Last, rows are compared with the
 * history, and with the rows above them.
 */
#include "campaign/run/import_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/option.h"
#include "base/utf8.h"
#include "campaign/config/csv_table.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/point_index.h"
#include "problem/variable_constraints.h"

enum { NAME_SIZE = 128, MOST_TARGETS = 4096 };

/* Where a value is. Neither column nor expression: nowhere. */
typedef struct {
  int column; /* -1 = computed, or nowhere */
  gannet_expression *expression;
  int n_operands;
  int *operand;  /* [n_operands] columns */
  double *value; /* [n_operands] scratch */
} source;

/* A quantity that the table has. */
typedef struct {
  char name[NAME_SIZE];
  source value, sd;
  bool is_asked; /* it belongs to results of the campaign: what is no number is refused */
} quantity;

typedef struct {
  const gannet_results_file *about;
  const gannet_problem *problem;
  const gannet_ledger *ledger;
  gannet_csv_table csv;
  source *variable; /* [n_variables] */
  int n_quantities, capacity;
  quantity *quantity;
  int status, reason; /* columns, -1 = none */
} reader;

static void release_source(source *s) {
  gannet_expression_destroy(&s->expression);
  gannet_free(&s->operand);
  gannet_free(&s->value);
}

static void release_reader(reader *r) {
  for (int v = 0; r->variable && v < r->problem->spec.n_variables; ++v)
    release_source(&r->variable[v]);
  for (int i = 0; i < r->n_quantities; ++i) {
    release_source(&r->quantity[i].value);
    release_source(&r->quantity[i].sd);
  }
  gannet_free(&r->variable);
  gannet_free(&r->quantity);
  gannet_csv_table_release(&r->csv);
}

/* Finding sources. */

static gannet_err raise_no_column(const reader *r, const char *name, const char *of) {
  const char *near = gannet_csv_table_nearest(&r->csv, name);
  const char *separator = gannet_csv_table_separator(&r->csv);
  if (separator)
    return GANNET_RAISE(GANNET_ERR_INPUT, "%s:1: columns are separated by %s; expected commas",
                        r->about->path, separator);
  char hint[400], list[600];
  /* A name that is more than a word is quoted for the shell, or for YAML. */
  const bool is_word = !near || gannet_quantity_is_name(near);
  const char *format = r->about->has_flags ? (is_word ? "--column %s=%s" : "--column '%s=%s'")
                       : is_word           ? "columns: {%s: %s}"
                                           : "columns: {%s: '%s'}";
  (void)snprintf(hint, sizeof hint, format, near ? name : "NAME", near ? near : "COLUMN");
  gannet_csv_table_list(&r->csv, list, sizeof list);
  return near ? GANNET_RAISE(GANNET_ERR_INPUT, "%s:1: no column '%s'%s; is it '%s'? Then write %s",
                             r->about->path, name, of, near, hint)
              : GANNET_RAISE(GANNET_ERR_INPUT,
                             "%s:1: no column '%s'%s; if it has another name, write %s; the "
                             "columns are: %s",
                             r->about->path, name, of, hint, list);
}

/* What a message names that is about a renamed column. */
static const char *renaming(const reader *r) {
  return r->about->has_flags ? "--column " : "columns.";
}

static gannet_err compile(const reader *r, const char *target, const char *text, source *s) {
  char **names = NULL;
  int n = 0;
  gannet_err err = gannet_expression_list_names(text, &n, &names);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *s->operand, &s->operand);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *s->value, &s->value);
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    s->operand[i] = gannet_csv_table_find(&r->csv, names[i]);
    if (s->operand[i] >= 0) continue;
    const char *near = gannet_csv_table_nearest(&r->csv, names[i]);
    char list[400];
    gannet_csv_table_list(&r->csv, list, sizeof list);
    err = GANNET_RAISE(GANNET_ERR_INPUT, "no column '%s'%s%s%s", names[i],
                       near ? "; did you mean '" : "; the columns are: ", near ? near : list,
                       near ? "'?" : "");
  }
  s->n_operands = n;
  if (err == GANNET_OK)
    err = gannet_expression_create(text, n, (const char *const *)names, &s->expression);
  for (int i = 0; i < n; ++i) gannet_free(&names[i]);
  gannet_free(&names);
  if (err != GANNET_ERR_INPUT) return err;
  char why[600];
  (void)snprintf(why, sizeof why, "%s", gannet_error_detail());
  return GANNET_RAISE(err, "%s: %s%s: %s", r->about->path, renaming(r), target, why);
}

/* A name that a column of history.csv has for something else is written with a prefix there. */
static gannet_err find_source(const reader *r, const char *name, const char *prefix, source *s) {
  char longer[NAME_SIZE + 16];
  s->column = -1;
  for (int i = 0; i < r->about->n_columns; ++i) {
    if (strcmp(r->about->column[i], name) != 0) continue;
    s->column = gannet_csv_table_find(&r->csv, r->about->expression[i]);
    return s->column >= 0 ? GANNET_OK : compile(r, name, r->about->expression[i], s);
  }
  (void)snprintf(longer, sizeof longer, "%s.%s", prefix, name);
  s->column = gannet_csv_table_find(&r->csv, longer);
  if (s->column < 0) s->column = gannet_csv_table_find(&r->csv, name);
  return GANNET_OK;
}

static bool is_there(const source *s) {
  return s->column >= 0 || s->expression;
}

static bool has_quantity(const reader *r, const char *name) {
  for (int i = 0; i < r->n_quantities; ++i)
    if (strcmp(r->quantity[i].name, name) == 0) return true;
  return false;
}

/* Add a quantity, unless the table does not have it. */
static gannet_err add_quantity(reader *r, const char *name, const char *prefix, bool is_asked) {
  char sd[NAME_SIZE + 4];
  if (has_quantity(r, name) || r->n_quantities == MOST_TARGETS) return GANNET_OK;
  if (r->n_quantities == r->capacity) {
    const int larger = 2 * r->capacity + 16;
    GANNET_TRY(
        gannet_resize((size_t)r->capacity, (size_t)larger, sizeof *r->quantity, &r->quantity));
    r->capacity = larger;
  }
  quantity *q = &r->quantity[r->n_quantities++];
  memset(q, 0, sizeof *q);
  (void)snprintf(q->name, sizeof q->name, "%s", name);
  (void)snprintf(sd, sizeof sd, "%s.sd", q->name);
  q->is_asked = is_asked;
  GANNET_TRY(find_source(r, q->name, prefix, &q->value));
  GANNET_TRY(find_source(r, sd, prefix, &q->sd));
  if (is_there(&q->value)) return GANNET_OK;
  release_source(&q->sd);
  r->n_quantities -= 1;
  return GANNET_OK;
}

static bool is_variable_column(const reader *r, int column) {
  for (int v = 0; v < r->problem->spec.n_variables; ++v) {
    const source *s = &r->variable[v];
    if (s->column == column) return true;
    for (int i = 0; i < s->n_operands; ++i)
      if (s->operand[i] == column) return true;
  }
  return false;
}

/* All quantities that the campaign knows, then every other column that may be one. */
static gannet_err find_quantities(reader *r) {
  const char *name;
  for (int k = 0; k <= r->problem->spec.n_constraints; ++k) {
    const bool is_objective = gannet_problem_quantity_objective(r->problem, k) >= 0;
    const char *prefix = !is_objective                       ? "constraints"
                         : r->problem->spec.n_objectives > 0 ? "objectives"
                                                             : "reported";
    GANNET_TRY(add_quantity(r, gannet_problem_quantity_name(r->problem, k), prefix, true));
    GANNET_TRY(add_quantity(r, gannet_problem_reported_name(r->problem, k), prefix, true));
  }
  for (int i = 0; (name = gannet_problem_known_quantity(r->problem, i)); ++i)
    GANNET_TRY(add_quantity(r, name, "reported", gannet_problem_needs_quantity(r->problem, name)));
  for (int c = 0; c < r->csv.n_columns; ++c) {
    name = gannet_csv_table_name(&r->csv, c);
    if (strncmp(name, "reported.", 9) == 0) name += 9;
    if (!gannet_quantity_is_name(name) || gannet_csv_table_is_course(name) ||
        is_variable_column(r, c))
      continue;
    GANNET_TRY(add_quantity(r, name, "reported", false));
  }
  return GANNET_OK;
}

/* What the table lacks for a quantity, an objective or a constraint, that is reported or computed;
 * NULL = rows can have it. */
static const char *find_absent(const reader *r, int index) {
  const char *name = gannet_problem_quantity_name(r->problem, index);
  const gannet_formula *formula = gannet_problem_formula(r->problem, index);
  if (has_quantity(r, name)) return NULL;
  if (index == 0 && has_quantity(r, gannet_problem_reported_name(r->problem, 0))) return NULL;
  if (!formula) return name;
  for (int i = formula->n - 1; i >= 0; --i)
    if (!has_quantity(r, formula->names[i])) return formula->names[i];
  return NULL;
}

/* Check that rows can have a quantity. Without values of a constraint the objective is learnt from,
 * and of a related problem one objective is enough; but a name that is nearly right is a mistake.
 */
static gannet_err check_quantity(const reader *r, int index) {
  const char *missing = find_absent(r, index);
  const bool is_objective = gannet_problem_quantity_objective(r->problem, index) >= 0;
  bool may_lack = !is_objective;
  for (int m = 0; r->about->is_related && m < gannet_problem_n_objectives(r->problem); ++m)
    may_lack = may_lack || !find_absent(r, gannet_problem_objective_quantity(r->problem, m));
  if (!missing || (may_lack && !gannet_csv_table_nearest(&r->csv, missing))) return GANNET_OK;
  return raise_no_column(r, missing,
                         !is_objective                       ? " for a constraint"
                         : r->problem->spec.n_objectives > 0 ? " for an objective"
                                                             : " for the objective");
}

/* Say which variables and quantities there are: the one whose name is nearest to a wrong one, or
 * the first of them.
 *
 * text  out  [size]
 */
static void describe_targets(const reader *r, const char *wrong, char *text, size_t size) {
  enum { MOST = 256, SHOWN = 12 };
  const char *known[MOST + 1];
  int n = 0;
  size_t used = 0;
  for (int v = 0; v < r->problem->spec.n_variables && n < MOST; ++v)
    known[n++] = r->problem->spec.variables[v].name;
  for (int k = 0; k <= r->problem->spec.n_constraints && n < MOST; ++k)
    known[n++] = gannet_problem_quantity_name(r->problem, k);
  known[n] = NULL;
  const char *near = gannet_nearest(wrong, known);
  if (near) (void)snprintf(text, size, "; did you mean '%.80s'?", near);
  for (int i = 0; !near && i < n && i < SHOWN && used < size; ++i) {
    const int more =
        snprintf(text + used, size - used, "%s%.40s", i > 0 ? ", " : "; known: ", known[i]);
    used += more > 0 ? (size_t)more : 0;
  }
}

static gannet_err check_renamed(const reader *r) {
  for (int i = 0; i < r->about->n_columns; ++i) {
    const char *name = r->about->column[i];
    for (int k = 0; k < i; ++k)
      GANNET_REQUIRE(strcmp(name, r->about->column[k]) != 0, GANNET_ERR_INPUT,
                     "%s: %s%s is given twice; leave one out", r->about->path, renaming(r), name);
    const size_t length = strlen(name);
    char of[NAME_SIZE]; /* its value, where it is a standard deviation */
    (void)snprintf(of, sizeof of, "%.*s", length > 3 ? (int)length - 3 : 0, name);
    const bool is_sd = length > 3 && strcmp(name + length - 3, ".sd") == 0 && has_quantity(r, of);
    if (gannet_problem_find_variable(r->problem, name) >= 0 || has_quantity(r, name) || is_sd)
      continue;
    char known[600];
    describe_targets(r, name, known, sizeof known);
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "%s: %s%s: the campaign has no variable and no quantity of this name%s",
                        r->about->path, renaming(r), name, known);
  }
  return GANNET_OK;
}

static gannet_err find_sources(reader *r) {
  int common = 0;
  const int v = r->problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)v, sizeof *r->variable, &r->variable));
  r->status = gannet_csv_table_find(&r->csv, "status");
  r->reason = gannet_csv_table_find(&r->csv, "reason");
  for (int i = 0; i < v; ++i) {
    const char *name = r->problem->spec.variables[i].name;
    GANNET_TRY(find_source(r, name, "variables", &r->variable[i]));
    const bool is_free = r->problem->spec.variables[i].role == GANNET_ROLE_FREE;
    common += is_free && is_there(&r->variable[i]);
    if (!is_there(&r->variable[i]) && is_free && !r->about->is_related &&
        isnan(gannet_problem_pinned(r->problem, i)) &&
        !gannet_variable_is_conditional(&r->problem->spec.variables[i]))
      return raise_no_column(r, name, " for a variable");
  }
  GANNET_REQUIRE(common > 0, GANNET_ERR_INPUT,
                 "%s:1: no column has the name of a variable; expected at least one in common, or "
                 "columns that say where they are",
                 r->about->path);
  GANNET_TRY(find_quantities(r));
  for (int k = 0; k <= r->problem->spec.n_constraints; ++k)
    if (!r->about->is_related || gannet_problem_quantity_objective(r->problem, k) >= 0)
      GANNET_TRY(check_quantity(r, k));
  return check_renamed(r);
}

/* Reading rows. */

/* The value of a source; NAN where a cell is empty.
 *
 * why  out  [GANNET_REASON_SIZE] what is wrong; untouched when nothing is
 */
static double read_source(const reader *r, int64_t row, const source *s, const char *name,
                          char *why) {
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

static void explain(gannet_import_row *row, const char *why) {
  gannet_free(&row->why);
  if (gannet_copy_text(why, &row->why) != GANNET_OK) gannet_error_clear();
}

static void refuse(gannet_import_row *row, const char *why) {
  if (row->kind == GANNET_ROW_REFUSED) return;
  row->kind = GANNET_ROW_REFUSED;
  explain(row, why);
}

/* The value of a variable in a row; NAN where it is not known, or follows from others.
 *
 * why  out  [GANNET_REASON_SIZE] what is wrong; untouched when nothing is
 */
static double read_variable(const reader *r, int64_t at, int v, char *why) {
  const gannet_variable *variable = &r->problem->spec.variables[v];
  const source *s = &r->variable[v];
  const bool is_related = r->about->is_related;
  const bool is_conditional = gannet_variable_is_conditional(variable);
  const bool is_pinned = !isnan(gannet_problem_pinned(r->problem, v));
  const bool is_searched = variable->role == GANNET_ROLE_FREE;
  const bool is_needed = is_searched && !is_conditional && !is_pinned;
  double x = NAN;
  if (is_related ? !is_searched || !is_there(s) : !is_needed && !is_there(s)) return NAN;
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
static void complete_point(const reader *r, gannet_import_row *row, double *x) {
  const gannet_problem *problem = r->problem;
  gannet_problem_fill_pins(problem, x);
  if (row->kind != GANNET_ROW_REFUSED && gannet_problem_complete(problem, x) != GANNET_OK)
    refuse(row, gannet_error_detail());
  for (int v = 0; v < problem->spec.n_variables && row->kind != GANNET_ROW_REFUSED; ++v)
    if (gannet_variable_is_conditional(&problem->spec.variables[v]) &&
        gannet_problem_check_tried(problem, v, x[v]) != GANNET_OK)
      refuse(row, gannet_error_detail());
  gannet_error_clear();
  if (row->kind != GANNET_ROW_REFUSED && (gannet_problem_check_point(problem, x) != GANNET_OK ||
                                          gannet_problem_check_allowed(problem, x) != GANNET_OK))
    explain(row, gannet_error_detail());
  gannet_error_clear();
}

static void read_point(const reader *r, int64_t at, gannet_import_row *row, double *x) {
  const gannet_problem_spec *spec = &r->problem->spec;
  for (int v = 0; v < spec->n_variables; ++v) {
    char why[GANNET_REASON_SIZE] = "";
    x[v] = read_variable(r, at, v, why);
    if (why[0]) refuse(row, why);
  }
  row->x = x;
  for (int v = 0; r->about->is_related && v < spec->n_variables; ++v)
    if (gannet_variable_is_conditional(&spec->variables[v]) && is_there(&r->variable[v]) &&
        isnan(x[v]))
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

/* The numbers of a result that is done. What is computed is computed from its parts where they are
 * all there, and else what the table has under its name. */
static gannet_err read_numbers(const reader *r, int64_t at, gannet_import_row *row) {
  char why[GANNET_REASON_SIZE] = "";
  for (int i = 0; i < r->n_quantities; ++i) {
    const quantity *q = &r->quantity[i];
    char wrong[GANNET_REASON_SIZE] = "", sd[NAME_SIZE + 4];
    gannet_quantity item = {.name = q->name};
    (void)snprintf(sd, sizeof sd, "%s.sd", q->name);
    if (is_there(&q->sd)) item.sd = read_source(r, at, &q->sd, sd, wrong);
    if (item.sd < 0)
      (void)snprintf(wrong, sizeof wrong, "%s: %g, expected a standard deviation of at least 0", sd,
                     item.sd);
    if (!(item.sd > 0)) item.sd = 0;
    item.value = read_source(r, at, &q->value, q->name, wrong);
    if (wrong[0] && q->is_asked) refuse(row, wrong);
    if (!isfinite(item.value)) continue;
    GANNET_TRY(gannet_result_report(r->problem, &item, &row->result));
  }
  (void)gannet_problem_compute(r->problem, &row->result, why, sizeof why);
  why[0] = '\0';
  /* As in results.out: what a check that comes first has ended lacks its other numbers. */
  if (!r->about->is_related &&
      gannet_problem_feasibility(r->problem, row->result.objective, row->result.constraints) == 0)
    return GANNET_OK;
  find_missing_objective(r->problem, &row->result, why);
  /* Of a related problem any number is learnt from. */
  if (why[0] && !(r->about->is_related && gannet_result_count_known(r->problem, &row->result) > 0))
    refuse(row, why);
  /* The objective is learnt from all the same; whether the design is feasible nobody knows. */
  const int missing =
      gannet_problem_find_missing(r->problem, 1, row->result.objective, row->result.constraints);
  if (missing < 0 || r->about->is_related || row->kind == GANNET_ROW_REFUSED || row->why)
    return GANNET_OK;
  (void)snprintf(why, sizeof why, "no value of constraint %s",
                 r->problem->spec.constraints[missing - 1].name);
  explain(row, why);
  row->is_partial = true;
  return GANNET_OK;
}

static gannet_err read_outcome(const reader *r, int64_t at, gannet_import_row *row) {
  const char *word = r->status < 0 ? "" : gannet_csv_table_cell(&r->csv, at, r->status);
  gannet_eval_status status = GANNET_EVAL_DONE;
  char why[GANNET_REASON_SIZE];
  if (*word && !gannet_eval_status_find(word, &status)) {
    (void)snprintf(why, sizeof why,
                   "status '%.60s' is not known; expected done, cannot_run, failed or pending",
                   word);
    refuse(row, why);
  }
  if (status == GANNET_EVAL_CANNOT_RUN && r->about->is_related)
    refuse(row, "cannot run: only values of a related problem are learnt from");
  if (status == GANNET_EVAL_PENDING) refuse(row, "pending: it has no result yet");
  if (status == GANNET_EVAL_DISCARDED) refuse(row, "discarded: it does not count there");
  if (status == GANNET_EVAL_FAILED) refuse(row, "failed: that says nothing about the design");
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

static gannet_err read_row(const reader *r, int64_t at, gannet_import_row *row, double *x) {
  char why[GANNET_REASON_SIZE];
  row->line = r->csv.line[at];
  row->id = -1;
  gannet_result_clear(r->problem->spec.n_constraints, &row->result);
  const int n = r->csv.n_cells[at];
  if (n != r->csv.n_columns) {
    const bool is_comment = gannet_csv_table_cell(&r->csv, at, 0)[0] == '#';
    (void)snprintf(why, sizeof why, "%d column%s, expected %d as in the first line%s", n,
                   n == 1 ? "" : "s", r->csv.n_columns, is_comment ? "; remove the comment" : "");
    refuse(row, why);
    return GANNET_OK;
  }
  read_point(r, at, row, x);
  return read_outcome(r, at, row);
}

/* Comparing rows with what is known. Numbers below ledger->n are evaluations, the others rows of
 * the table. */
typedef struct {
  const gannet_ledger *ledger;
  const gannet_import_rows *rows;
  bool *is_taken; /* [ledger->n] a row of the table is the result of this evaluation */
} known;

static const double *known_point(const void *user, int64_t id) {
  const known *k = user;
  const int64_t n = k->ledger->n;
  return id < n ? gannet_history_x_user(k->ledger->history, id) : k->rows->row[id - n].x;
}

static bool are_same_results(const gannet_problem *problem, const gannet_result_record *a,
                             const gannet_result_record *b) {
  if (a->status != b->status) return false;
  if (a->status != GANNET_EVAL_DONE) return true;
  if (!gannet_result_same_value(a->objective, b->objective)) return false;
  for (int i = 0; i < problem->spec.n_constraints; ++i)
    if (!gannet_result_same_value(a->constraints[i], b->constraints[i])) return false;
  return true;
}

/* The correction by which an evaluation has lost this result, NULL = none. One that is to be run
 * again has no result to lose. */
static const gannet_correction *find_lost(const gannet_ledger *ledger, int64_t id,
                                          const gannet_result_record *result) {
  for (int i = ledger->n_corrections - 1; i >= 0; --i) {
    const gannet_correction *c = &ledger->correction[i];
    if (c->id == id && isnan(c->undo.when) && c->kind != GANNET_CORRECTION_RETRY && c->had_result &&
        are_same_results(ledger->problem, &c->before, result))
      return c;
  }
  return NULL;
}

static void compare_row(known *k, const gannet_results_file *about, const gannet_point_index *index,
                        gannet_import_row *row) {
  const int64_t n = k->ledger->n;
  const gannet_problem *problem = k->ledger->problem;
  int64_t pending = -1, other = -1;
  bool has_error = false; /* of an objective */
  char why[GANNET_REASON_SIZE];
  for (int64_t id = -1; (id = gannet_point_index_find(index, row->x, id)) >= 0;) {
    const gannet_result_record *result =
        id < n ? &k->ledger->ticket[id].result : &k->rows->row[id - n].result;
    if (id < n) row->corrected = find_lost(k->ledger, id, &row->result);
    if (row->corrected || are_same_results(problem, result, &row->result)) {
      row->kind = GANNET_ROW_KNOWN;
      row->id = id < n ? id : -1;
      return;
    }
    if (result->status == GANNET_EVAL_PENDING || result->status == GANNET_EVAL_FAILED) {
      if (pending < 0 && !k->is_taken[id]) pending = id;
    } else if (other < 0 && result->status != GANNET_EVAL_DISCARDED) {
      other = id;
    }
  }
  for (int m = 0; m < gannet_problem_n_objectives(problem) && !has_error; ++m) {
    const int at = gannet_problem_objective_quantity(problem, m);
    const char *name = gannet_problem_reported_name(problem, at);
    has_error = gannet_quantities_find(&row->result.reported, name) != NULL;
  }
  if (pending >= 0 && about->takes_pending) {
    row->kind = GANNET_ROW_RESULT;
    row->id = row->result.id = pending;
    k->is_taken[pending] = true;
  } else if (other >= 0 && gannet_problem_is_exact(problem) && !has_error) {
    (void)snprintf(why, sizeof why,
                   "%s %lld has another result of this design, and with noise: 0 there is only one",
                   other < n ? "evaluation" : "line",
                   (long long)(other < n ? other : k->rows->row[other - n].line));
    refuse(row, why);
  }
}

static gannet_err compare_rows(const reader *r, known *k, gannet_point_index *index,
                               gannet_import_rows *rows) {
  const int64_t n = k->ledger->n;
  for (int64_t id = 0; id < n; ++id) GANNET_TRY(gannet_point_index_add(index, id));
  for (int64_t i = 0; i < rows->n; ++i) {
    gannet_import_row *row = &rows->row[i];
    const bool is_compared = row->kind != GANNET_ROW_REFUSED && !r->about->is_related;
    if (is_compared) compare_row(k, r->about, index, row);
    if (row->kind == GANNET_ROW_NEW) GANNET_TRY(gannet_point_index_add(index, n + i));
    rows->count[row->kind] += 1;
    rows->n_elsewhere += row->kind == GANNET_ROW_NEW && row->why && !row->is_partial;
    rows->n_partial += row->kind == GANNET_ROW_NEW && row->is_partial;
  }
  return GANNET_OK;
}

static gannet_err read_rows(const reader *r, gannet_import_rows *rows) {
  const size_t n = (size_t)r->csv.n_rows, v = (size_t)r->problem->spec.n_variables;
  const size_t k = (size_t)r->problem->spec.n_constraints;
  known all = {.ledger = r->ledger, .rows = rows};
  gannet_point_index *index = NULL;
  GANNET_TRY(gannet_alloc(n, sizeof *rows->row, &rows->row));
  GANNET_TRY(gannet_alloc(n * v, sizeof *rows->x, &rows->x));
  GANNET_TRY(gannet_alloc(n * k, sizeof *rows->constraints, &rows->constraints));
  rows->n = (int64_t)n;
  for (size_t i = 0; i < n; ++i) {
    rows->row[i].result.constraints = rows->constraints + i * k;
    GANNET_TRY(read_row(r, (int64_t)i, &rows->row[i], rows->x + i * v));
  }
  GANNET_TRY(gannet_alloc((size_t)r->ledger->n, sizeof *all.is_taken, &all.is_taken));
  gannet_err err = gannet_point_index_create((int)v, &all, known_point, &index);
  if (err == GANNET_OK) err = compare_rows(r, &all, index, rows);
  gannet_point_index_destroy(&index);
  gannet_free(&all.is_taken);
  return err;
}

gannet_err gannet_import_read(const gannet_results_file *table, const gannet_ledger *ledger,
                              gannet_import_rows *rows) {
  reader r = {.about = table, .problem = ledger->problem, .ledger = ledger};
  gannet_err err = gannet_csv_table_parse(table->path, table->text, table->size, &r.csv);
  if (err == GANNET_OK) err = find_sources(&r);
  if (err == GANNET_OK && r.csv.n_rows == 0)
    err = GANNET_RAISE(GANNET_ERR_INPUT, "%s: no rows; expected one for each result", table->path);
  if (err == GANNET_OK) err = read_rows(&r, rows);
  release_reader(&r);
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
