/* What the reported numbers mean: the sections objective and outputs of a campaign file, and the
 * expressions of constraints. They are checked one by one and given to the problem.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum { PATH_SIZE = 128, MOST_ROWS = 10000000 };

/* Where a key stands in the file, and the two parts of its path, for messages. */
typedef struct {
  char location[GANNET_LOCATION_SIZE];
  const char *section, *key;
} key_place;

static key_place place_of(const gannet_tree *section, const char *path, const char *key) {
  key_place place = {.section = path, .key = key};
  const gannet_tree *node = gannet_tree_find(section, key);
  if (node)
    gannet_tree_location(node, place.location, sizeof place.location);
  else
    gannet_tree_key_location(section, place.location, sizeof place.location);
  return place;
}

/* Describe what has a name already; "" = nothing has. Two things of one name cannot be told apart.
 */
static const char *owner_of(const gannet_config_reader *reader, const char *name) {
  if (strcmp(name, "fail") == 0)
    return "the line with which a simulation reports that it cannot work";
  return gannet_tree_find(gannet_tree_find(reader->root, "variables"), name) ? "a variable" : "";
}

/* The name that the campaign file gives the objective, or the first of several. */
static const char *objective_name(const gannet_config_reader *reader) {
  const gannet_tree *several = gannet_tree_find(reader->root, "objectives");
  if (several && several->n > 0) return several->child[0].key;
  const gannet_tree *name = gannet_tree_find(gannet_tree_find(reader->root, "objective"), "name");
  return name && name->kind == GANNET_TREE_TEXT && *name->text ? name->text : "objective";
}

/* Whether the objective or a constraint of this name is computed. */
static bool is_computed(const gannet_config_reader *reader, const char *name) {
  const gannet_tree *several = gannet_tree_find(reader->root, "objectives");
  if (gannet_tree_find(gannet_tree_find(several, name), "expression")) return true;
  const gannet_tree *owner =
      strcmp(name, objective_name(reader)) == 0 || strcmp(name, "objective") == 0
          ? gannet_tree_find(reader->root, "objective")
          : gannet_tree_find(gannet_tree_find(reader->root, "constraints"), name);
  return gannet_tree_find(owner, "expression") != NULL;
}

static gannet_err check_names(const gannet_config_reader *reader, const key_place *place, int n,
                              const char *const *names) {
  if (n == 0)
    gannet_complain_of_key(reader->complaints, place->location, place->section, place->key,
                           "expected an expression in quantities that the simulation reports, as "
                           "in \"drag + 0.01*mass\"");
  for (int i = 0; i < n; ++i) {
    const char *owner = owner_of(reader, names[i]);
    if (*owner)
      gannet_complain_of_key(reader->complaints, place->location, place->section, place->key,
                             "'%s' is the name of %s; use quantities that the simulation reports",
                             names[i], owner);
    else if (is_computed(reader, names[i]))
      gannet_complain_of_key(reader->complaints, place->location, place->section, place->key,
                             "'%s' is itself computed; use quantities that the simulation reports",
                             names[i]);
  }
  return GANNET_OK;
}

/* Complain about an expression that cannot be used. */
static gannet_err check_expression(const gannet_config_reader *reader, const key_place *place,
                                   const char *text) {
  gannet_expression *expression = NULL;
  char **names = NULL;
  int n = 0;
  gannet_err err = gannet_expression_list_names(text, &n, &names);
  if (err == GANNET_OK)
    err = gannet_expression_create(text, n, (const char *const *)names, &expression);
  if (err == GANNET_OK) err = check_names(reader, place, n, (const char *const *)names);
  if (err == GANNET_ERR_INPUT) {
    gannet_complain_of_key(reader->complaints, place->location, place->section, place->key, "%s",
                           gannet_error_detail());
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_expression_destroy(&expression);
  for (int i = 0; i < n; ++i) gannet_free(&names[i]);
  gannet_free(&names);
  return err;
}

static gannet_err read_objective(const gannet_config_reader *reader, const gannet_tree *node,
                                 gannet_objective_keys *keys) {
  const gannet_section_source source = {
      .path = "objective", .node = node, .table = gannet_objective_table};
  const int before = reader->complaints->count;
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (!node || reader->complaints->count > before) return GANNET_OK;
  const char *name = keys->name ? keys->name : "objective";
  const key_place place = place_of(node, "objective", "name");
  const char *owner = owner_of(reader, name);
  if (gannet_tree_find(gannet_tree_find(reader->root, "constraints"), name)) owner = "a constraint";
  if (!gannet_quantity_is_name(name))
    gannet_complain_of_key(
        reader->complaints, place.location, "objective", "name",
        "'%.80s' is not a name; expected up to 63 letters, digits and underscores, "
        "not starting with a digit; write a formula as the value of expression",
        name);
  else if (*owner)
    gannet_complain_of_key(reader->complaints, place.location, "objective", "name",
                           "the name '%s' is taken by %s; choose another", name, owner);
  if (!keys->expression) return GANNET_OK;
  const key_place expression = place_of(node, "objective", "expression");
  return check_expression(reader, &expression, keys->expression);
}

/* "last 200" and the like; false when it is none of them. */
static bool parse_rows(const char *text, gannet_rows *rows) {
  static const char *const parts[] = {"last", "first"}; /* in the order of gannet_rows_part */
  *rows = (gannet_rows){GANNET_ROWS_LAST, 1};
  if (!text) return true;
  if (strcmp(text, "all") == 0) {
    *rows = (gannet_rows){GANNET_ROWS_ALL, 0};
    return true;
  }
  for (int p = 0; p < 2; ++p) {
    const size_t length = strlen(parts[p]);
    double number = 1;
    if (strncmp(text, parts[p], length) != 0) continue;
    const char *rest = text + length;
    if (*rest && (*rest != ' ' || gannet_parse_number(rest, &number))) return false;
    if (!(number >= 1 && number <= MOST_ROWS && number == floor(number))) return false;
    *rows = (gannet_rows){(gannet_rows_part)p, (int)number};
    return true;
  }
  return false;
}

static void complain_of_output(const gannet_config_reader *reader, const gannet_tree *node,
                               const char *key, const char *what) {
  char path[PATH_SIZE];
  (void)snprintf(path, sizeof path, "outputs.%.80s", node->key);
  const key_place place = place_of(node, path, key);
  gannet_complain_of_key(reader->complaints, place.location, path, key, "%s", what);
}

/* Complain about a name that cannot be an output. */
static void check_output_name(const gannet_config_reader *reader, const gannet_tree *node,
                              bool has_source) {
  const char *name = node->key, *owner = owner_of(reader, name);
  char location[GANNET_LOCATION_SIZE];
  gannet_tree_key_location(node, location, sizeof location);
  if (!gannet_quantity_is_name(name))
    gannet_complain(reader->complaints, location,
                    "output name '%.80s': expected up to 63 letters, digits and underscores, not "
                    "starting with a digit",
                    name);
  else if (*owner)
    gannet_complain(reader->complaints, location, "the name '%s' is taken by %s; choose another",
                    name, owner);
  else if (strcmp(name, "objective") == 0 && strcmp(objective_name(reader), name) != 0)
    gannet_complain(reader->complaints, location,
                    "outputs.objective: the objective is called '%s'; use that name",
                    objective_name(reader));
  else if (is_computed(reader, name) && has_source)
    gannet_complain(reader->complaints, location,
                    "outputs.%s: an expression computes it, too; leave one of the two out", name);
}

/* Complain about keys that do not go together. */
static void check_source(const gannet_config_reader *reader, const gannet_tree *node,
                         const gannet_output_keys *keys, gannet_rows *rows) {
  static const char *const of_columns[] = {"rows", "take"};
  double number = 1;
  if (!parse_rows(keys->rows, rows))
    complain_of_output(
        reader, node, "rows",
        "expected last, last N, first, first N or all, with N from 1 to 10000000, as "
        "in 'rows: last 200'");
  if (keys->column && keys->pattern)
    complain_of_output(reader, node, "column", "give either column or pattern, not both");
  else if (keys->column && !keys->file)
    complain_of_output(reader, node, "column", "needs file: the table that has this column");
  else if (keys->file && !keys->column && !keys->pattern)
    complain_of_output(reader, node, "file",
                       "needs column or pattern, as in {file: forces.dat, column: Cd}");
  for (int i = 0; i < 2 && !keys->column; ++i)
    if (gannet_tree_find(node, of_columns[i]))
      complain_of_output(reader, node, of_columns[i],
                         "needs column: the column that it applies to");
  if (keys->column && gannet_parse_number(keys->column, &number) == 0 &&
      !(number >= 1 && number <= 1000000 && number == floor(number)))
    complain_of_output(reader, node, "column",
                       "expected the name of a column, or its number from 1 on");
  if (keys->column && !*keys->column)
    complain_of_output(reader, node, "column",
                       "is empty; give the name of a column, or its number");
  if (keys->pattern && !*keys->pattern)
    complain_of_output(reader, node, "pattern",
                       "is empty; give a regular expression, as in \"^cells: *([^ ]*)\"");
  if (keys->file && strstr(keys->file, "**"))
    complain_of_output(reader, node, "file",
                       "** is not supported here; write a * for each folder, as in "
                       "postProcessing/*/*/coefficient.dat");
  const bool leaves =
      keys->file && (strcmp(keys->file, "..") == 0 || strncmp(keys->file, "../", 3) == 0 ||
                     strstr(keys->file, "/../") != NULL);
  if (keys->file && (!*keys->file || keys->file[0] == '/' || leaves))
    complain_of_output(reader, node, "file",
                       "expected a path in the evaluation's directory, as in log.csv or "
                       "postProcessing/forces/0/coefficient.dat");
}

static gannet_err read_output(const gannet_config_reader *reader, const gannet_tree *node) {
  const int before = reader->complaints->count;
  gannet_output_keys keys = {0};
  gannet_rows rows = {GANNET_ROWS_LAST, 1};
  char path[PATH_SIZE];
  (void)snprintf(path, sizeof path, "outputs.%.80s", node->key);
  /* "mass:" alone announces a name. */
  const bool is_bare = node->kind == GANNET_TREE_TEXT && node->empty;
  const gannet_section_source source = {
      .path = path, .node = is_bare ? NULL : node, .table = gannet_output_table};
  gannet_err err = gannet_section_read(&source, &keys, reader->complaints);
  if (err == GANNET_OK && reader->complaints->count == before) {
    check_output_name(reader, node, keys.file || keys.pattern);
    check_source(reader, node, &keys, &rows);
  }
  if (err == GANNET_OK && reader->complaints->count == 0)
    err = gannet_outputs_add(reader->input->problem->outputs,
                             &(gannet_output){.name = node->key,
                                              .unit = keys.unit,
                                              .file = keys.file,
                                              .pattern = keys.pattern,
                                              .column = keys.column,
                                              .rows = rows,
                                              .take = (gannet_take)keys.take});
  gannet_options_release(gannet_output_table, &keys, sizeof keys);
  return err;
}

/* The expressions of a section, constraints or objectives; its table has read them as keys.
 *
 * index  in  of the quantity that the first child of the section is
 */
static gannet_err read_expressions(const gannet_config_reader *reader, const char *section,
                                   int (*index)(const gannet_problem *problem, int child)) {
  const gannet_tree *parent = gannet_tree_find(reader->root, section);
  gannet_problem *problem = reader->input->problem;
  for (int k = 0; parent && k < parent->n; ++k) {
    char path[PATH_SIZE];
    const gannet_tree *node = &parent->child[k];
    const gannet_tree *text = gannet_tree_find(node, "expression");
    if (!text || text->kind != GANNET_TREE_TEXT) continue;
    (void)snprintf(path, sizeof path, "%s.%.80s", section, node->key);
    const key_place place = place_of(node, path, "expression");
    GANNET_TRY(check_expression(reader, &place, text->text));
    if (reader->complaints->count == 0)
      GANNET_TRY(gannet_outputs_set_formula(problem->outputs, index(problem, k), text->text));
  }
  return GANNET_OK;
}

static int constraint_quantity(const gannet_problem *problem, int child) {
  (void)problem;
  return child + 1;
}

/* Whether a child of a section has an expression. */
static bool has_expressions(const gannet_tree *section) {
  for (int k = 0; section && k < section->n; ++k)
    if (gannet_tree_find(&section->child[k], "expression")) return true;
  return false;
}

/* The name and the unit of the first of several objectives. */
static gannet_err name_first_objective(const gannet_config_reader *reader,
                                       const gannet_tree *several) {
  const gannet_tree *unit = gannet_tree_find(&several->child[0], "unit");
  return gannet_outputs_name_objective(reader->input->problem->outputs, several->child[0].key,
                                       unit && unit->kind == GANNET_TREE_TEXT ? unit->text : NULL);
}

/* Warn of an output that nothing needs, where a needed quantity has nearly its name: every
 * evaluation would lack that quantity. */
static void warn_of_misspelt(const gannet_config_reader *reader, const gannet_tree *output) {
  const gannet_problem *problem = reader->input->problem;
  const gannet_outputs *outputs = problem->outputs;
  char location[GANNET_LOCATION_SIZE];
  if (gannet_problem_needs_quantity(problem, output->key)) return;
  for (int k = 0; k <= problem->spec.n_constraints; ++k) {
    const bool has_formula = k < outputs->n_formulas && outputs->formula[k].text;
    const int n = has_formula ? outputs->formula[k].n : 1;
    for (int j = 0; j < n; ++j) {
      const char *needed =
          has_formula ? outputs->formula[k].names[j] : gannet_problem_quantity_name(problem, k);
      if (gannet_output_find(problem, needed) ||
          !gannet_nearest(output->key, (const char *const[]){needed, NULL}))
        continue;
      gannet_tree_key_location(output, location, sizeof location);
      gannet_complaints_warn(reader->complaints, location,
                             "outputs.%.60s: nothing needs it, while '%.60s' is needed and is no "
                             "output; if they are the same, give them one name",
                             output->key, needed);
      return;
    }
  }
}

gannet_err gannet_config_read_outputs(const gannet_config_reader *reader) {
  const gannet_tree *objective = gannet_tree_find(reader->root, "objective");
  const gannet_tree *outputs = gannet_tree_find(reader->root, "outputs");
  gannet_problem *problem = reader->input->problem;
  gannet_objective_keys keys = {0};
  char location[GANNET_LOCATION_SIZE];
  /* A file that says nothing of this leaves the problem without gannet_outputs. */
  const gannet_tree *constraints = gannet_tree_find(reader->root, "constraints");
  const gannet_tree *several = gannet_tree_find(reader->root, "objectives");
  if (!objective && !several && !outputs && !has_expressions(constraints) &&
      reader->input->general.unknown_outputs == GANNET_UNKNOWN_KEEP)
    return GANNET_OK;
  if (problem) {
    GANNET_TRY(gannet_outputs_create(problem));
    problem->outputs->unknown = (gannet_unknown)reader->input->general.unknown_outputs;
  }
  gannet_err err = read_objective(reader, objective, &keys);
  if (err == GANNET_OK && reader->complaints->count == 0)
    err = several ? name_first_objective(reader, several)
                  : gannet_outputs_name_objective(problem->outputs,
                                                  keys.name ? keys.name : "objective", keys.unit);
  if (err == GANNET_OK && reader->complaints->count == 0 && keys.expression)
    err = gannet_outputs_set_formula(problem->outputs, 0, keys.expression);
  gannet_options_release(gannet_objective_table, &keys, sizeof keys);
  if (err == GANNET_OK) err = read_expressions(reader, "constraints", constraint_quantity);
  if (err == GANNET_OK)
    err = read_expressions(reader, "objectives", gannet_problem_objective_quantity);
  const bool is_bare = outputs && outputs->kind == GANNET_TREE_TEXT && outputs->empty;
  if (outputs && outputs->kind != GANNET_TREE_MAPPING && !is_bare) {
    gannet_tree_location(outputs, location, sizeof location);
    gannet_complain(reader->complaints, location,
                    "outputs: expected a name for each, as in 'outputs: {mass: {unit: kg}}'");
    return err;
  }
  for (int i = 0; outputs && i < outputs->n && err == GANNET_OK; ++i)
    err = read_output(reader, &outputs->child[i]);
  for (int i = 0; outputs && i < outputs->n && err == GANNET_OK && reader->complaints->count == 0;
       ++i)
    warn_of_misspelt(reader, &outputs->child[i]);
  return err;
}
