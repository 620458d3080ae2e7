/* The designs that a campaign tries first. Each is read value by value; what is wrong is complained
 * about with its place, up to a limit, as the second mistake of a column is seldom the last.
 */
#include "campaign/config/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/csv_table.h"
#include "campaign/config/internal.h"
#include "problem/conditional.h"
#include "problem/outputs.h"
#include "problem/point_index.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

enum { MOST_COMPLAINTS = 20, MOST_NAMES = 256 };

void gannet_start_release(gannet_start *start) {
  for (int64_t i = 0; start->location && i < start->n; ++i) gannet_free(&start->location[i]);
  for (int64_t i = 0; start->wrong && i < start->n; ++i) gannet_free(&start->wrong[i]);
  gannet_free(&start->location);
  gannet_free(&start->wrong);
  gannet_free(&start->x);
  gannet_free(&start->file);
  gannet_free(&start->not_opened);
  start->n = 0;
}

static gannet_err create_designs(int64_t n, const gannet_problem *problem, gannet_start *start) {
  const size_t values = (size_t)n * (size_t)problem->spec.n_variables;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *start->location, &start->location));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *start->wrong, &start->wrong));
  GANNET_TRY(gannet_alloc(values, sizeof *start->x, &start->x));
  for (size_t i = 0; i < values; ++i) start->x[i] = NAN;
  start->n = n;
  return GANNET_OK;
}

/* The variable whose name is near to one that is none. */
static const char *nearest_variable(const gannet_problem *problem, const char *name) {
  const char *known[MOST_NAMES + 1];
  int n = 0;
  for (; n < problem->spec.n_variables && n < MOST_NAMES; ++n)
    known[n] = problem->spec.variables[n].name;
  known[n] = NULL;
  return gannet_nearest(name, known);
}

/* Complain that a design is not allowed, with the last error; or note it, when it may have run. */
static gannet_err refuse_design(gannet_start *start, int64_t i, const char *location,
                                gannet_complaints *complaints) {
  gannet_err err = GANNET_OK;
  if (!start->may_have_run)
    gannet_complain(complaints, location, "start: %s", gannet_error_detail());
  else if (!start->wrong[i])
    err = gannet_copy_text(gannet_error_detail(), &start->wrong[i]);
  if (err == GANNET_OK) gannet_error_clear();
  return err;
}

/* Read the text of a value of design i; complain when it is none, or outside the bounds. Those of a
 * conditional variable count only where it is active, which the whole design tells. */
static gannet_err take_value(const gannet_problem *problem, int v, const char *text,
                             const char *location, int64_t i, gannet_start *start,
                             gannet_complaints *complaints) {
  double *value = &start->x[i * problem->spec.n_variables + v];
  gannet_err err = gannet_problem_parse(problem, v, text, value);
  if (err == GANNET_OK && !gannet_variable_is_conditional(&problem->spec.variables[v]) &&
      gannet_problem_check_value(problem, v, *value) != GANNET_OK)
    return refuse_design(start, i, location, complaints);
  if (err == GANNET_OK) return GANNET_OK;
  gannet_complain(complaints, location, "start: %s", gannet_error_detail());
  gannet_error_clear();
  return GANNET_OK;
}

static const double *design_of(const void *user, int64_t i) {
  return (const double *)user + i;
}

/* Complain about designs that are given twice. */
static gannet_err check_repeats(const gannet_problem *problem, const gannet_start *start,
                                gannet_complaints *complaints) {
  const int v = problem->spec.n_variables;
  gannet_point_index *index = NULL;
  GANNET_TRY(gannet_point_index_create(v, start->x, design_of, &index));
  gannet_err err = GANNET_OK;
  for (int64_t i = 0; i < start->n && err == GANNET_OK; ++i) {
    const int64_t first = gannet_point_index_find(index, start->x + i * v, -1);
    if (first >= 0)
      gannet_complain(complaints, start->location[i],
                      "start: the same design as at %s; leave one out", start->location[first / v]);
    else
      err = gannet_point_index_add(index, i * v);
  }
  gannet_point_index_destroy(&index);
  return err;
}

/* Whether a design satisfies the variable constraints, or can be filled in so that it does and the
 * variables that it gives are active. */
static gannet_err check_allowed(const gannet_problem *problem, bool is_whole, const double *x) {
  const size_t n = (size_t)problem->spec.n_variables;
  double *filled = NULL;
  if (is_whole || (!problem->variable_constraints && problem->derived->n_conditional == 0))
    return gannet_problem_check_allowed(problem, x);
  GANNET_TRY(gannet_alloc(n, sizeof *filled, &filled));
  memcpy(filled, x, n * sizeof *x);
  const gannet_err err =
      gannet_allowed_fill(problem, (gannet_stream){.purpose = GANNET_FOR_ALLOWED}, filled);
  gannet_free(&filled);
  return err;
}

/* Let variables rest that are surely inactive; warn of what is given of them, and check what is
 * given of the other conditional ones. */
static gannet_err settle_design(const gannet_problem *problem, int64_t i, gannet_start *start,
                                const char *location, gannet_complaints *complaints) {
  const gannet_variable *variables = problem->spec.variables;
  double *x = start->x + i * problem->spec.n_variables;
  gannet_activity *activity = NULL;
  if (problem->derived->n_conditional == 0) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)problem->spec.n_variables, sizeof *activity, &activity));
  double *given = NULL;
  gannet_err err = gannet_alloc((size_t)problem->spec.n_variables, sizeof *given, &given);
  if (err == GANNET_OK) {
    memcpy(given, x, (size_t)problem->spec.n_variables * sizeof *given);
    gannet_conditional_settle(problem, x, activity);
  }
  for (int v = 0; err == GANNET_OK && v < problem->spec.n_variables; ++v) {
    if (!gannet_variable_is_conditional(&variables[v]) || isnan(given[v])) continue;
    if (activity[v] == GANNET_IS_INACTIVE && given[v] != x[v])
      gannet_complaints_warn(complaints, location,
                             "start: the value of %s is not used: the variable is inactive at this "
                             "design (when: %.200s)",
                             variables[v].name, variables[v].when);
    if (activity[v] == GANNET_IS_INACTIVE ||
        gannet_problem_check_value(problem, v, given[v]) == GANNET_OK)
      continue;
    err = refuse_design(start, i, location, complaints);
  }
  gannet_free(&activity);
  gannet_free(&given);
  return err;
}

/* Fill in what is fixed or derived, where a design gives all that it follows from. */
static gannet_err complete_design(const gannet_problem *problem, int64_t i, gannet_start *start,
                                  const char *location, gannet_complaints *complaints) {
  const gannet_variable *variables = problem->spec.variables;
  const int before = complaints->count;
  double *x = start->x + i * problem->spec.n_variables;
  bool is_whole = true;
  GANNET_TRY(settle_design(problem, i, start, location, complaints));
  if (problem->pool) gannet_problem_fill_pins(problem, x);
  if (complaints->count > before) return GANNET_OK;
  for (int f = 0; f < problem->n_free; ++f)
    is_whole = is_whole && !isnan(x[problem->free_variable[f]]);
  gannet_err err = is_whole ? gannet_problem_complete(problem, x) : GANNET_OK;
  for (int v = 0; v < problem->spec.n_variables && !is_whole; ++v) {
    if (variables[v].role == GANNET_ROLE_FIXED) x[v] = variables[v].fixed;
    if (variables[v].role == GANNET_ROLE_DERIVED && !isnan(x[v]))
      gannet_complain(complaints, location,
                      "start: %s is computed, but the design does not give all that it is computed "
                      "from; leave it out, or give every variable",
                      variables[v].name);
  }
  if (err == GANNET_OK && !start->wrong[i]) err = check_allowed(problem, is_whole, x);
  return err == GANNET_ERR_INPUT ? refuse_design(start, i, location, complaints) : err;
}

/* Designs of the campaign file. */

static gannet_err read_design(const gannet_config_reader *reader, const gannet_tree *node,
                              const char *location, int64_t design) {
  const gannet_problem *problem = reader->input->problem;
  gannet_start *start = &reader->input->start;
  const int before = reader->complaints->count;
  char place[GANNET_LOCATION_SIZE];
  if (node->kind != GANNET_TREE_MAPPING || node->n == 0) {
    gannet_complain(reader->complaints, location,
                    "start: expected values of variables, as in 'start: [{%s: ...}]'; the name of "
                    "a CSV file stands alone, as in 'start: designs.csv'",
                    problem->spec.variables[0].name);
    return GANNET_OK;
  }
  for (int i = 0; i < node->n; ++i) {
    const gannet_tree *child = &node->child[i];
    const int v = gannet_problem_find_variable(problem, child->key);
    if (v < 0) {
      const char *near = nearest_variable(problem, child->key);
      gannet_tree_key_location(child, place, sizeof place);
      gannet_complain(reader->complaints, place, "start: there is no variable '%.80s'%s%s%s",
                      child->key, near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
      continue;
    }
    gannet_tree_location(child, place, sizeof place);
    if (child->kind == GANNET_TREE_TEXT && !child->empty)
      GANNET_TRY(take_value(problem, v, child->text, place, design, start, reader->complaints));
    else
      gannet_complain(reader->complaints, place, "start: expected one value for %s", child->key);
  }
  if (reader->complaints->count > before) return GANNET_OK; /* all else may follow from that */
  return complete_design(problem, design, start, location, reader->complaints);
}

gannet_err gannet_config_read_start(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  const gannet_tree *node = gannet_tree_find(reader->root, "start");
  gannet_start *start = &input->start;
  char location[GANNET_LOCATION_SIZE];
  if (!node || !input->problem || node->empty) return GANNET_OK;
  if (node->kind == GANNET_TREE_TEXT)
    return strcmp(node->text, "none") ? gannet_copy_text(node->text, &start->file) : GANNET_OK;
  gannet_tree_location(node, location, sizeof location);
  if (node->kind != GANNET_TREE_LIST || node->n > GANNET_START_MOST) {
    gannet_complain(reader->complaints, location,
                    "start: expected a list of up to %d designs, as in 'start: [{%s: ...}]', or "
                    "the name of a CSV file",
                    GANNET_START_MOST, input->problem->spec.variables[0].name);
    return GANNET_OK;
  }
  const int before = reader->complaints->count;
  GANNET_TRY(create_designs(node->n, input->problem, start));
  for (int64_t i = 0; i < start->n && reader->complaints->count - before < MOST_COMPLAINTS; ++i) {
    gannet_tree_location(&node->child[i], location, sizeof location);
    GANNET_TRY(gannet_copy_text(location, &start->location[i]));
    GANNET_TRY(read_design(reader, &node->child[i], location, i));
  }
  return reader->complaints->count > before
             ? GANNET_OK
             : check_repeats(input->problem, start, reader->complaints);
}

/* Designs of a CSV file. */

/* variable  out  [n_columns] -1 = the column is passed over */
static void find_columns(const char *path, const gannet_problem *problem,
                         const gannet_csv_table *table, int *variable,
                         gannet_complaints *complaints) {
  char location[GANNET_LOCATION_SIZE];
  const char *separator = gannet_csv_table_separator(table);
  int n = 0;
  (void)snprintf(location, sizeof location, "%.490s:1", path);
  if (separator) {
    gannet_complain(complaints, location, "start: columns are separated by commas, not by %s",
                    separator);
    return;
  }
  for (int c = 0; c < table->n_columns; ++c) {
    const char *name = gannet_csv_table_name(table, c);
    variable[c] = gannet_problem_find_variable(problem, name);
    n += variable[c] >= 0;
    if (variable[c] >= 0 || gannet_csv_table_is_course(name) ||
        gannet_problem_find_quantity(problem, name) >= 0 ||
        gannet_problem_needs_quantity(problem, name) || gannet_output_find(problem, name))
      continue; /* a column of history.csv */
    const char *near = nearest_variable(problem, name);
    gannet_complain(complaints, location, "start: there is no variable '%.80s'%s%s%s", name,
                    near ? "; did you mean '" : "; leave the column out", near ? near : "",
                    near ? "'?" : "");
  }
  if (n == 0 && complaints->count == 0)
    gannet_complain(complaints, location,
                    "start: no column is named like a variable; expected at least one, such as "
                    "'%s'",
                    problem->spec.variables[0].name);
}

static gannet_err read_rows(const char *path, const gannet_problem *problem,
                            const gannet_csv_table *table, const int *variable, gannet_start *start,
                            gannet_complaints *complaints) {
  char location[GANNET_LOCATION_SIZE];
  for (int64_t i = 0; i < table->n_rows && complaints->count < MOST_COMPLAINTS; ++i) {
    const int before = complaints->count;
    bool is_empty = true;
    (void)snprintf(location, sizeof location, "%.480s:%lld", path, (long long)table->line[i]);
    GANNET_TRY(gannet_copy_text(location, &start->location[i]));
    if (table->n_cells[i] != table->n_columns) {
      gannet_complain(complaints, location, "start: %d columns, expected %d as in the first line",
                      table->n_cells[i], table->n_columns);
      continue;
    }
    for (int c = 0; c < table->n_columns; ++c) {
      const char *text = gannet_csv_table_cell(table, i, c);
      if (variable[c] < 0 || !*text) continue;
      is_empty = false;
      GANNET_TRY(take_value(problem, variable[c], text, location, i, start, complaints));
    }
    if (is_empty)
      gannet_complain(complaints, location,
                      "start: no variable is given; remove the line, or give one");
    if (complaints->count == before)
      GANNET_TRY(complete_design(problem, i, start, location, complaints));
  }
  return GANNET_OK;
}

static gannet_err read_table(const char *path, const gannet_problem *problem,
                             const gannet_csv_table *table, gannet_start *start,
                             gannet_complaints *complaints) {
  int *variable = NULL;
  if (table->n_rows == 0 || table->n_rows > GANNET_START_MOST) {
    gannet_complain(complaints, path, "start: %lld rows; expected 1 to %d, one for each design",
                    (long long)table->n_rows, GANNET_START_MOST);
    return GANNET_OK;
  }
  GANNET_TRY(create_designs(table->n_rows, problem, start));
  gannet_err err = gannet_alloc((size_t)table->n_columns, sizeof *variable, &variable);
  if (err == GANNET_OK) find_columns(path, problem, table, variable, complaints);
  if (err == GANNET_OK && complaints->count == 0)
    err = read_rows(path, problem, table, variable, start, complaints);
  gannet_free(&variable);
  if (err == GANNET_OK && complaints->count == 0) err = check_repeats(problem, start, complaints);
  return err;
}

gannet_err gannet_start_read_file(const char *path, const gannet_problem *problem,
                                  gannet_start *start, gannet_complaints *complaints) {
  char *text = NULL;
  size_t size = 0;
  gannet_csv_table table = {0};
  gannet_complaints found = {0};
  GANNET_TRY(gannet_file_read(path, &text, &size));
  gannet_err err = gannet_csv_table_parse(path, text, size, &table);
  if (err == GANNET_ERR_INPUT) {
    gannet_complain(&found, NULL, "%s", gannet_error_detail());
    gannet_error_clear();
    err = GANNET_OK;
  } else if (err == GANNET_OK) {
    err = read_table(path, problem, &table, start, &found);
  }
  gannet_complaints_merge(&found, complaints);
  gannet_complaints_release(&found);
  gannet_csv_table_release(&table);
  gannet_free(&text);
  return err;
}

gannet_err gannet_start_check_list(gannet_start *start, const gannet_problem *problem,
                                   gannet_complaints *complaints) {
  const int v = problem->spec.n_variables;
  int n = 0;
  for (int64_t i = 0; problem->pool && i < start->n && n < MOST_COMPLAINTS; ++i) {
    const double *x = start->x + i * v;
    bool is_whole = true, is_listed = false;
    for (int f = 0; f < problem->n_free; ++f)
      is_whole = is_whole && !isnan(x[problem->free_variable[f]]);
    if (is_whole) is_listed = gannet_pool_has(problem->pool, problem, x);
    n += !is_listed;
    if (!is_whole)
      gannet_complain(complaints, start->location[i],
                      "start: with a list of candidates, a design must give every variable");
    if (!is_whole || is_listed) continue;
    (void)GANNET_RAISE(
        GANNET_ERR_INPUT,
        "the design is not in the list of candidates; add it there, or leave it out");
    GANNET_TRY(refuse_design(start, i, start->location[i], complaints));
  }
  return GANNET_OK;
}
