#include "problem/problem_columns.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "problem/objectives.h"
#include "store/fields.h"

/* Variables and constraints of a problem as columns, in the order of the problem. Texts are
 * borrowed from it. */
typedef struct {
  int64_t n_variables, n_constraints, n_values, n_objectives;
  const char **name, **type, **scale, **unit; /* [n_variables] */
  double *lower, *upper;                      /* [n_variables] NaN where there is no box */
  double *step;                               /* [n_variables] NaN where there is none */
  double *fixed;           /* [n_variables] the value of fixed variables, else NaN */
  const char **expression; /* [n_variables] of derived variables, else "" */
  const char **when;       /* [n_variables] of conditional variables, else "" */
  const char **value;      /* [n_values] categories of all variables */
  int64_t *value_of;       /* [n_values] the variable that has it, by position */
  const char **constraint, **constraint_unit; /* [n_constraints] */
  double *least, *most;                       /* [n_constraints] infinite where open */
  const char **objective, **objective_goal;   /* [n_objectives] of several */
  double *threshold;                          /* [n_objectives] NaN = from the results */
  const char **transform, **penalties;        /* [n_objectives] */
} columns;

/* The datasets of these columns: the same rows write them and check them. */
typedef struct {
  const char *name; /* NULL ends the table */
  const char *description;
  size_t rows;   /* offset of the member with the number of rows */
  size_t texts;  /* offset of the array of texts, or */
  size_t reals;  /* of numbers, or */
  size_t wholes; /* of whole numbers; 0 = it is another one */
  bool optional; /* files of earlier versions lack it */
} column_field;

#define AT(member) offsetof(columns, member)

static const column_field fields[] = {
    {"problem/variables", "names, in the order of the columns of history/x", AT(n_variables),
     .texts = AT(name)},
    {"problem/type", "real, integer, boolean, categorical or ordinal", AT(n_variables),
     .texts = AT(type)},
    {"problem/lower", "least value, in the user's units; NaN where there are none", AT(n_variables),
     .reals = AT(lower)},
    {"problem/upper", "largest value, in the user's units; NaN where there are none",
     AT(n_variables), .reals = AT(upper)},
    {"problem/scale", "linear or log: how the range is searched", AT(n_variables),
     .texts = AT(scale)},
    {"problem/unit", "units of the variables, as the campaign file states them; may be empty",
     AT(n_variables), .texts = AT(unit)},
    {"problem/fixed", "value of the variables that are fixed, as in history/x; NaN for others",
     AT(n_variables), .reals = AT(fixed), .optional = true},
    {"problem/step", "distance of the values, counted from the least one; NaN where there is none",
     AT(n_variables), .reals = AT(step), .optional = true},
    {"problem/expression", "what computes the variables that are derived; empty for others",
     AT(n_variables), .texts = AT(expression), .optional = true},
    {"problem/when",
     "where the variables that are conditional have a meaning; elsewhere history/x has their "
     "resting "
     "value; empty for others",
     AT(n_variables), .texts = AT(when), .optional = true},
    {"problem/categories",
     "values of the categorical and ordinal variables, each variable's in its order", AT(n_values),
     .texts = AT(value)},
    {"problem/category_of", "the variable that has the value, by its position from 0", AT(n_values),
     .wholes = AT(value_of)},
    {"problem/constraints", "names, in the order of the columns of history/constraints",
     AT(n_constraints), .texts = AT(constraint)},
    {"problem/constraint_lower", "least allowed value, -inf = any", AT(n_constraints),
     .reals = AT(least)},
    {"problem/constraint_upper", "largest allowed value, inf = any", AT(n_constraints),
     .reals = AT(most)},
    {"problem/constraint_unit", "units of the constraints; may be empty", AT(n_constraints),
     .texts = AT(constraint_unit)},
    {"problem/objectives",
     "names of several objectives; empty with one. The first is history/objective, the others are "
     "the last columns of history/constraints",
     AT(n_objectives), .texts = AT(objective), .optional = true},
    {"problem/objective_goal", "minimize or maximize: the goal of each of several objectives",
     AT(n_objectives), .texts = AT(objective_goal), .optional = true},
    {"problem/threshold",
     "value that an objective must be better than to be of interest; NaN = from the results",
     AT(n_objectives), .reals = AT(threshold), .optional = true},
    {"problem/objective_transform",
     "auto, none or log: what becomes of the values of each of several objectives before a model "
     "sees them",
     AT(n_objectives), .texts = AT(transform), .optional = true},
    {"problem/objective_penalties",
     "yes, or no = every value of the objective is one: whether a penalty makes a result count as "
     "a "
     "failure of its design",
     AT(n_objectives), .texts = AT(penalties), .optional = true},
    {0}};

static gannet_err allocate_problem(const gannet_problem_spec *spec, columns *p) {
  const size_t v = (size_t)spec->n_variables, k = (size_t)spec->n_constraints;
  size_t values = 0;
  for (size_t i = 0; i < v; ++i)
    if (spec->variables[i].values) values += (size_t)spec->variables[i].n_values;
  GANNET_TRY(gannet_alloc(v, sizeof *p->name, &p->name));
  GANNET_TRY(gannet_alloc(v, sizeof *p->type, &p->type));
  GANNET_TRY(gannet_alloc(v, sizeof *p->scale, &p->scale));
  GANNET_TRY(gannet_alloc(v, sizeof *p->unit, &p->unit));
  GANNET_TRY(gannet_alloc(v, sizeof *p->lower, &p->lower));
  GANNET_TRY(gannet_alloc(v, sizeof *p->upper, &p->upper));
  GANNET_TRY(gannet_alloc(v, sizeof *p->fixed, &p->fixed));
  GANNET_TRY(gannet_alloc(v, sizeof *p->step, &p->step));
  GANNET_TRY(gannet_alloc(v, sizeof *p->expression, &p->expression));
  GANNET_TRY(gannet_alloc(v, sizeof *p->when, &p->when));
  GANNET_TRY(gannet_alloc(values, sizeof *p->value, &p->value));
  GANNET_TRY(gannet_alloc(values, sizeof *p->value_of, &p->value_of));
  GANNET_TRY(gannet_alloc(k, sizeof *p->constraint, &p->constraint));
  GANNET_TRY(gannet_alloc(k, sizeof *p->constraint_unit, &p->constraint_unit));
  GANNET_TRY(gannet_alloc(k, sizeof *p->least, &p->least));
  GANNET_TRY(gannet_alloc(k, sizeof *p->most, &p->most));
  const size_t m = (size_t)spec->n_objectives;
  GANNET_TRY(gannet_alloc(m, sizeof *p->objective, &p->objective));
  GANNET_TRY(gannet_alloc(m, sizeof *p->objective_goal, &p->objective_goal));
  GANNET_TRY(gannet_alloc(m, sizeof *p->transform, &p->transform));
  GANNET_TRY(gannet_alloc(m, sizeof *p->penalties, &p->penalties));
  return gannet_alloc(m, sizeof *p->threshold, &p->threshold);
}

static const char *goal_text(gannet_goal goal) {
  return goal == GANNET_MAXIMIZE ? "maximize" : "minimize";
}

static gannet_err fill_columns(const gannet_problem *problem, columns *p) {
  static const char *const scales[] = {"linear", "log"};
  const gannet_problem_spec *spec = &problem->spec;
  GANNET_TRY(allocate_problem(spec, p));
  for (int v = 0; v < spec->n_variables; ++v) {
    const gannet_variable *variable = &spec->variables[v];
    const bool number = variable->type == GANNET_VARIABLE_REAL ||
                        variable->type == GANNET_VARIABLE_INTEGER ||
                        gannet_variable_has_numbers(variable);
    const bool has_box = number && (variable->lower != 0 || variable->upper != 0);
    p->name[v] = variable->name;
    p->type[v] = gannet_variable_type_name(variable->type);
    p->scale[v] = scales[has_box && variable->scale == GANNET_SCALE_LOG];
    p->unit[v] = gannet_problem_unit(problem->variable_unit, v);
    p->lower[v] = has_box ? variable->lower : NAN;
    p->upper[v] = has_box ? variable->upper : NAN;
    p->fixed[v] = NAN;
    (void)gannet_problem_is_fixed(problem, v, &p->fixed[v]);
    p->step[v] = variable->step > 0 ? variable->step : NAN;
    p->expression[v] = variable->role == GANNET_ROLE_DERIVED ? variable->expression : "";
    p->when[v] = variable->when ? variable->when : "";
    for (int i = 0; variable->values && i < variable->n_values; ++i) {
      p->value[p->n_values] = variable->values[i];
      p->value_of[p->n_values++] = v;
    }
  }
  for (int k = 0; k < spec->n_constraints; ++k) {
    p->constraint[k] = spec->constraints[k].name;
    p->constraint_unit[k] = gannet_problem_unit(problem->constraint_unit, k);
    p->least[k] = spec->constraints[k].lower;
    p->most[k] = spec->constraints[k].upper;
  }
  for (int m = 0; m < spec->n_objectives; ++m) {
    p->objective[m] = spec->objectives[m].name;
    p->objective_goal[m] = goal_text(spec->objectives[m].goal);
    p->threshold[m] = spec->objectives[m].threshold;
    p->transform[m] = gannet_objective_transform_text(spec->objectives[m].transform);
    p->penalties[m] = spec->objectives[m].keeps_penalties ? "no" : "yes";
  }
  p->n_objectives = spec->n_objectives;
  p->n_variables = spec->n_variables;
  p->n_constraints = spec->n_constraints;
  return GANNET_OK;
}

static void release_columns(columns *p) {
  gannet_free(&p->name);
  gannet_free(&p->type);
  gannet_free(&p->scale);
  gannet_free(&p->unit);
  gannet_free(&p->lower);
  gannet_free(&p->upper);
  gannet_free(&p->fixed);
  gannet_free(&p->step);
  gannet_free(&p->expression);
  gannet_free(&p->when);
  gannet_free(&p->value);
  gannet_free(&p->value_of);
  gannet_free(&p->constraint);
  gannet_free(&p->constraint_unit);
  gannet_free(&p->least);
  gannet_free(&p->most);
  gannet_free(&p->objective);
  gannet_free(&p->objective_goal);
  gannet_free(&p->threshold);
  gannet_free(&p->transform);
  gannet_free(&p->penalties);
}

static gannet_err write_columns(gannet_store *store, const columns *p) {
  const char *base = (const char *)p;
  for (const column_field *field = fields; field->name; ++field) {
    const int64_t n = *(const int64_t *)(const void *)(base + field->rows);
    gannet_err err = GANNET_OK;
    if (field->texts)
      err = gannet_store_write_texts(
          store, field->name, (int)n,
          *(const char *const *const *)(const void *)(base + field->texts));
    else if (field->reals)
      err = gannet_store_write_doubles(store, field->name, 1, &n,
                                       *(double *const *)(const void *)(base + field->reals));
    else
      err = gannet_store_write_int64s(store, field->name, 1, &n,
                                      *(int64_t *const *)(const void *)(base + field->wholes));
    GANNET_TRY(err);
    GANNET_TRY(gannet_store_annotate(store, field->name, NULL, field->description));
  }
  return GANNET_OK;
}

static const char goal_name[] = "problem/goal";

gannet_err gannet_problem_columns_write(gannet_store *store, const gannet_problem *problem) {
  columns p = {0};
  gannet_err err = fill_columns(problem, &p);
  if (err == GANNET_OK) err = write_columns(store, &p);
  release_columns(&p);
  GANNET_TRY(err);
  return gannet_store_write_text(store, goal_name, goal_text(problem->spec.goal));
}

/* By their bits, so that what is not a number is the same as itself. owner: [n] names of rows */
static gannet_err check_reals(const gannet_store *store, const char *name, int64_t n,
                              const char *const *owner, const double *expected) {
  double *found = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *found, &found));
  gannet_err err = gannet_store_read_doubles(store, name, 1, &n, found);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (found[i] != expected[i] && (found[i] == found[i] || expected[i] == expected[i]))
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of %s is %g, expected %g", name, owner[i],
                         found[i], expected[i]);
  gannet_free(&found);
  return err;
}

static gannet_err check_wholes(const gannet_store *store, const char *name, int64_t n,
                               const char *const *owner, const int64_t *expected) {
  int64_t *found = NULL;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *found, &found));
  gannet_err err = gannet_store_read_int64s(store, name, 1, &n, found);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (found[i] != expected[i])
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of %s is %lld, expected %lld", name, owner[i],
                         (long long)found[i], (long long)expected[i]);
  gannet_free(&found);
  return err;
}

static gannet_err check_texts(const gannet_store *store, const char *name, int64_t n,
                              const char *const *owner, const char *const *expected) {
  char **found = NULL;
  int rows = 0;
  gannet_err err = gannet_store_read_texts(store, name, &rows, &found);
  if (err == GANNET_OK && rows != n)
    err =
        GANNET_RAISE(GANNET_ERR_DAMAGED, "%s has %d rows, expected %lld", name, rows, (long long)n);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (strcmp(found[i], expected[i]) != 0)
      err = GANNET_RAISE(GANNET_ERR_DAMAGED, "%s of %s is '%s', expected '%s'", name, owner[i],
                         found[i], expected[i]);
  gannet_free(&found);
  return err;
}

static gannet_err check_columns(const gannet_store *store, const columns *p) {
  const char *base = (const char *)p;
  for (const column_field *field = fields; field->name; ++field) {
    const int64_t n = *(const int64_t *)(const void *)(base + field->rows);
    const char *const *owner = field->rows == AT(n_variables)     ? p->name
                               : field->rows == AT(n_constraints) ? p->constraint
                               : field->rows == AT(n_objectives)  ? p->objective
                                                                  : p->value;
    gannet_err err = GANNET_OK;
    /* Units, thresholds and how objectives are looked at may have been stated or changed since. */
    if (strcmp(field->name, "problem/unit") == 0 ||
        strcmp(field->name, "problem/constraint_unit") == 0 || field->texts == AT(transform) ||
        field->texts == AT(penalties) || strcmp(field->name, "problem/threshold") == 0)
      continue;
    if (field->optional && !gannet_store_has(store, field->name)) continue;
    if (field->texts)
      err = check_texts(store, field->name, n, owner,
                        *(const char *const *const *)(const void *)(base + field->texts));
    else if (field->reals)
      err = check_reals(store, field->name, n, owner,
                        *(double *const *)(const void *)(base + field->reals));
    else
      err = check_wholes(store, field->name, n, owner,
                         *(int64_t *const *)(const void *)(base + field->wholes));
    GANNET_TRY(err);
  }
  return GANNET_OK;
}

static gannet_err check_goal(const gannet_store *store, const gannet_problem *problem) {
  char *found = NULL;
  GANNET_TRY(gannet_store_read_text(store, goal_name, &found));
  const bool is_same = strcmp(found, goal_text(problem->spec.goal)) == 0;
  const gannet_err err = is_same ? GANNET_OK
                                 : GANNET_RAISE(GANNET_ERR_DAMAGED, "%s is %s, expected %s",
                                                goal_name, found, goal_text(problem->spec.goal));
  gannet_free(&found);
  return err;
}

gannet_err gannet_problem_columns_check(const gannet_store *store, const gannet_problem *problem) {
  columns p = {0};
  gannet_err err = fill_columns(problem, &p);
  if (err == GANNET_OK) err = check_columns(store, &p);
  if (err == GANNET_OK) err = check_goal(store, problem);
  release_columns(&p);
  return err;
}
