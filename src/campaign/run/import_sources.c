/* Where the values of variables and quantities are in a table of results. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/run/import_table.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum { MOST_QUANTITIES = 4096 };

static void release_source(gannet_import_source *s) {
  gannet_expression_destroy(&s->expression);
  gannet_free(&s->operand);
  gannet_free(&s->value);
}

void gannet_import_table_release(gannet_import_table *r) {
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

static gannet_err raise_no_column(const gannet_import_table *r, const char *name, const char *of) {
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

/* What stands before the name of a renamed column in messages. */
static const char *renaming(const gannet_import_table *r) {
  return r->about->has_flags ? "--column " : "columns.";
}

/* Compile the expression in columns that gives a variable or quantity (target).
 *
 * s  out  its expression and operands
 */
static gannet_err compile_expression(const gannet_import_table *r, const char *target,
                                     const char *text, gannet_import_source *s) {
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

/* Find the source of a variable or quantity: what the user says, else a column of its name with the
 * prefix that history.csv gives names ("constraints.stress"), else a column of the name itself. */
static gannet_err find_source(const gannet_import_table *r, const char *name, const char *prefix,
                              gannet_import_source *s) {
  char longer[GANNET_IMPORT_NAME_SIZE + 16];
  s->column = -1;
  for (int i = 0; i < r->about->n_columns; ++i) {
    if (strcmp(r->about->column[i], name) != 0) continue;
    s->column = gannet_csv_table_find(&r->csv, r->about->expression[i]);
    return s->column >= 0 ? GANNET_OK : compile_expression(r, name, r->about->expression[i], s);
  }
  (void)snprintf(longer, sizeof longer, "%s.%s", prefix, name);
  s->column = gannet_csv_table_find(&r->csv, longer);
  if (s->column < 0) s->column = gannet_csv_table_find(&r->csv, name);
  return GANNET_OK;
}

bool gannet_import_source_is_there(const gannet_import_source *s) {
  return s->column >= 0 || s->expression;
}

static bool has_quantity(const gannet_import_table *r, const char *name) {
  for (int i = 0; i < r->n_quantities; ++i)
    if (strcmp(r->quantity[i].name, name) == 0) return true;
  return false;
}

/* Add a quantity, unless the table does not have it. */
static gannet_err add_quantity(gannet_import_table *r, const char *name, const char *prefix,
                               bool is_asked) {
  char sd[GANNET_IMPORT_NAME_SIZE + 4];
  if (has_quantity(r, name) || r->n_quantities == MOST_QUANTITIES) return GANNET_OK;
  if (r->n_quantities == r->capacity) {
    const int larger = 2 * r->capacity + 16;
    GANNET_TRY(
        gannet_resize((size_t)r->capacity, (size_t)larger, sizeof *r->quantity, &r->quantity));
    r->capacity = larger;
  }
  gannet_import_quantity *q = &r->quantity[r->n_quantities++];
  memset(q, 0, sizeof *q);
  (void)snprintf(q->name, sizeof q->name, "%s", name);
  (void)snprintf(sd, sizeof sd, "%s.sd", q->name);
  q->is_asked = is_asked;
  GANNET_TRY(find_source(r, q->name, prefix, &q->value));
  GANNET_TRY(find_source(r, sd, prefix, &q->sd));
  if (gannet_import_source_is_there(&q->value)) return GANNET_OK;
  release_source(&q->sd);
  r->n_quantities -= 1;
  return GANNET_OK;
}

static bool is_variable_column(const gannet_import_table *r, int column) {
  for (int v = 0; v < r->problem->spec.n_variables; ++v) {
    const gannet_import_source *s = &r->variable[v];
    if (s->column == column) return true;
    for (int i = 0; i < s->n_operands; ++i)
      if (s->operand[i] == column) return true;
  }
  return false;
}

/* All quantities that the campaign knows, then every other column that may be one. */
static gannet_err find_quantities(gannet_import_table *r) {
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
static const char *find_absent(const gannet_import_table *r, int index) {
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
static gannet_err check_quantity(const gannet_import_table *r, int index) {
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
static void describe_targets(const gannet_import_table *r, const char *wrong, char *text,
                             size_t size) {
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

static gannet_err check_renamed(const gannet_import_table *r) {
  for (int i = 0; i < r->about->n_columns; ++i) {
    const char *name = r->about->column[i];
    for (int k = 0; k < i; ++k)
      GANNET_REQUIRE(strcmp(name, r->about->column[k]) != 0, GANNET_ERR_INPUT,
                     "%s: %s%s is given twice; leave one out", r->about->path, renaming(r), name);
    const size_t length = strlen(name);
    char of[GANNET_IMPORT_NAME_SIZE]; /* its value, where it is a standard deviation */
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

gannet_err gannet_import_table_find_sources(gannet_import_table *r) {
  int common = 0;
  const int v = r->problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)v, sizeof *r->variable, &r->variable));
  r->status = gannet_csv_table_find(&r->csv, "status");
  r->reason = gannet_csv_table_find(&r->csv, "reason");
  for (int i = 0; i < v; ++i) {
    const char *name = r->problem->spec.variables[i].name;
    GANNET_TRY(find_source(r, name, "variables", &r->variable[i]));
    const bool is_free = r->problem->spec.variables[i].role == GANNET_ROLE_FREE;
    common += is_free && gannet_import_source_is_there(&r->variable[i]);
    if (!gannet_import_source_is_there(&r->variable[i]) && is_free && !r->about->is_related &&
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
