/* The variables and constraints of a campaign file are read and checked one by one, and become the
 * problem of the campaign.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "campaign/config/internal.h"
#include "campaign/config/objectives.h"
#include "campaign/config/section.h"
#include "problem/check.h"
#include "problem/conditional.h"
#include "problem/derived.h"
#include "problem/objectives.h"
#include "problem/variable_constraints.h"

enum { PATH_SIZE = 128 };

typedef struct {
  int n_variables, n_constraints;
  gannet_variable_keys *keys; /* own the values and units */
  gannet_constraint_keys *bounds;
  gannet_variable *variables;
  double **numbers; /* [n_variables] of ordinal variables, else NULL */
  gannet_constraint *constraints;
  gannet_config_objectives objectives;
} keys_of_problem;

static void complain_at_key(const gannet_config_reader *reader, const gannet_tree *node,
                            const char *format, const char *name, const char *more) {
  char location[GANNET_LOCATION_SIZE], what[400];
  gannet_tree_key_location(node, location, sizeof location);
  (void)snprintf(what, sizeof what, format, name, more);
  gannet_complain(reader->complaints, location, "%s", what);
}

/* Complain about a key of a variable, at the key, or at the variable when it does not have it. */
static void complain_of_variable(const gannet_config_reader *reader, const gannet_tree *node,
                                 const char *key, const char *what) {
  char location[GANNET_LOCATION_SIZE], path[PATH_SIZE];
  const gannet_tree *child = gannet_tree_find(node, key);
  gannet_tree_key_location(child ? child : node, location, sizeof location);
  (void)snprintf(path, sizeof path, "variables.%.80s", node->key);
  gannet_complain(reader->complaints, location, "%s.%s: %s", path, key, what);
}

/* Keys that mean nothing for a type are mistakes, not decoration. */
static void check_fit(const gannet_config_reader *reader, const gannet_tree *node, int type,
                      bool has_numbers, bool is_varied) {
  static const char *const numeric[] = {"lower", "upper", "scale", "step"};
  const bool number = type == GANNET_VARIABLE_REAL || type == GANNET_VARIABLE_INTEGER;
  const bool fixed = gannet_tree_find(node, "fixed");
  const bool boxed = gannet_tree_find(node, "lower") || gannet_tree_find(node, "upper");
  const gannet_tree *values = gannet_tree_find(node, "values");
  for (int i = 0; i < 4; ++i) {
    const gannet_tree *key = gannet_tree_find(node, numeric[i]);
    const bool is_scale = strcmp(numeric[i], "scale") == 0;
    if (key && !number && !(is_scale && has_numbers))
      complain_of_variable(reader, node, numeric[i],
                           is_scale ? "only real and integer variables and sets of numbers have it"
                                    : "only real and integer variables have it");
    if (!key && number && i < 2 && (boxed || !fixed || is_varied) && (boxed || !values)) {
      char location[GANNET_LOCATION_SIZE];
      gannet_tree_key_location(node, location, sizeof location);
      gannet_complain(reader->complaints, location,
                      "missing required key 'variables.%s.%s' (real and integer variables need it)",
                      node->key, numeric[i]);
    }
  }
  if (values && type != GANNET_VARIABLE_CATEGORICAL && type != GANNET_VARIABLE_ORDINAL)
    complain_of_variable(reader, node, "values",
                         type == GANNET_VARIABLE_BOOLEAN
                             ? "a boolean has the values true and false; leave them out"
                             : "needs type: categorical or ordinal; numbers need no type");
}

/* Complain about what a variable with an expression cannot have. */
static void check_expression(const gannet_config_reader *reader, const gannet_tree *node,
                             int type) {
  static const char *const others[] = {"fixed",  "lower", "upper",  "step",   "scale",
                                       "values", "when",  "varied", "retired"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (gannet_tree_find(node, others[i]))
      complain_of_variable(reader, node, others[i],
                           "the variable is computed from its expression; leave one of them out");
  if (type == GANNET_VARIABLE_CATEGORICAL || type == GANNET_VARIABLE_ORDINAL)
    complain_of_variable(reader, node, "type",
                         "an expression has numbers for values; expected real, integer or boolean");
}

/* Complain about what is varied or retired without being there. */
static void check_varied(const gannet_config_reader *reader, const gannet_tree *node,
                         const gannet_variable_keys *keys) {
  const gannet_text_list *values = &keys->values, *retired = &keys->retired;
  if (keys->varied && !keys->fixed)
    complain_of_variable(reader, node, "varied",
                         "it is for a variable that is fixed; leave it out, or give the value as "
                         "in fixed: 1.2");
  for (int i = 0; i < retired->n; ++i) {
    char what[400];
    int at = 0;
    while (at < values->n && strcmp(values->item[at], retired->item[i]) != 0) ++at;
    (void)snprintf(what, sizeof what, "'%.100s' is not in values, expected one of them",
                   retired->item[i]);
    if (at == values->n) complain_of_variable(reader, node, "retired", what);
    if (keys->fixed && strcmp(keys->fixed, retired->item[i]) == 0)
      complain_of_variable(reader, node, "retired",
                           "the variable is fixed at this word; leave it out");
  }
  if (retired->n >= values->n && retired->n > 0)
    complain_of_variable(reader, node, "retired", "at least one of the values must remain");
}

/* The position of a word that a variable is fixed at among its values; complain where it is none of
 * them. A variable without values has any word, in the position 0. */
static int find_fixed_word(const gannet_config_reader *reader, const gannet_tree *node,
                           const gannet_text_list *values, const char *text) {
  const char *known[257] = {NULL};
  char what[400], *end = NULL;
  for (int i = 0; i < values->n; ++i) {
    if (i < 256) known[i] = values->item[i];
    if (strcmp(values->item[i], text) == 0) return i;
  }
  if (values->n == 0) {
    (void)strtod(text, &end);
    if (!*text || !*end)
      complain_of_variable(
          reader, node, "fixed",
          *text ? "expected a finite number, or a word" : "is empty; give a number or a word");
    return 0;
  }
  const char *near = gannet_nearest(text, known);
  (void)snprintf(what, sizeof what, "'%.100s' is not one of the values%s%.100s%s", text,
                 near ? "; did you mean '" : ", expected one of them", near ? near : "",
                 near ? "'?" : "");
  complain_of_variable(reader, node, "fixed", what);
  return 0;
}

/* Complain about a whole number with more digits than a double keeps: simulations would get another
 * one. */
static void check_digits(const gannet_config_reader *reader, const gannet_tree *node,
                         const char *key, const char *text, double value) {
  char kept[400], what[400];
  const char *digits = text + strspn(text, "+-0");
  (void)snprintf(kept, sizeof kept, "%.0f", fabs(value));
  if (strspn(digits, "0123456789") != strlen(digits) || strlen(digits) < 16 ||
      strcmp(digits, kept) == 0)
    return;
  (void)snprintf(
      what, sizeof what,
      "%.60s has more digits than a number keeps, and would be %.0f; expected at most 2^53, "
      "or a word with type: categorical",
      text, value);
  complain_of_variable(reader, node, key, what);
}

/* Find the type and the value of a fixed variable. Without bounds and values it has the type that
 * its value looks like. */
static void read_fixed(const gannet_config_reader *reader, const gannet_tree *node,
                       gannet_variable_keys *keys, bool has_numbers, double *value) {
  const char *text = keys->fixed;
  const bool is_number = gannet_parse_number(text, value) == 0;
  bool truth = false;
  if (!gannet_tree_find(node, "type")) {
    const bool boxed = gannet_tree_find(node, "lower") || gannet_tree_find(node, "upper");
    keys->type = keys->values.n > 0                     ? keys->type
                 : boxed                                ? GANNET_VARIABLE_REAL
                 : is_number && !strpbrk(text, ".eEdD") ? GANNET_VARIABLE_INTEGER
                 : is_number                            ? GANNET_VARIABLE_REAL
                 : strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0
                     ? GANNET_VARIABLE_BOOLEAN
                     : GANNET_VARIABLE_CATEGORICAL;
  }
  if (keys->type == GANNET_VARIABLE_CATEGORICAL ||
      (keys->type == GANNET_VARIABLE_ORDINAL && !has_numbers)) {
    *value = find_fixed_word(reader, node, &keys->values, text);
  } else if (keys->type == GANNET_VARIABLE_BOOLEAN) {
    if (gannet_parse_boolean(text, &truth) != 0)
      complain_of_variable(reader, node, "fixed", "expected true or false");
    *value = truth;
  } else if (!is_number) {
    complain_of_variable(reader, node, "fixed",
                         "expected a number; a word needs type: categorical or values");
  } else {
    check_digits(reader, node, "fixed", text, *value);
  }
}

/* Read the values of a list as numbers when all of them are, and find the type that they make a
 * variable without one.
 *
 * numbers  out  [n values]; NULL when they are words
 */
static gannet_err read_values(const gannet_config_reader *reader, const gannet_tree *node,
                              gannet_variable_keys *keys, double **numbers) {
  const int n = keys->values.n;
  const bool has_type = gannet_tree_find(node, "type") != NULL;
  double *read = NULL;
  int n_read = 0;
  if (n == 0 || (has_type && keys->type != GANNET_VARIABLE_ORDINAL)) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *read, &read));
  for (int i = 0; i < n; ++i) n_read += gannet_parse_number(keys->values.item[i], &read[i]) == 0;
  for (int i = 0; n_read == n && i < n; ++i)
    check_digits(reader, node, "values", keys->values.item[i], read[i]);
  if (n_read == n)
    keys->type = GANNET_VARIABLE_ORDINAL;
  else if (n_read > 0)
    complain_of_variable(reader, node, "values",
                         "numbers are mixed with words; expected either, or type: categorical, for "
                         "which all are words");
  else if (!has_type && keys->fixed)
    keys->type = GANNET_VARIABLE_CATEGORICAL;
  else if (!has_type)
    complain_of_variable(reader, node, "values",
                         "words need type: ordinal if they have an order, else type: categorical");
  if (n_read == n)
    *numbers = read;
  else
    gannet_free(&read);
  return GANNET_OK;
}

static gannet_err read_variable(const gannet_config_reader *reader, const gannet_tree *node,
                                gannet_variable_keys *keys, double **numbers,
                                gannet_variable *variable) {
  const int before = reader->complaints->count;
  char path[PATH_SIZE], location[GANNET_LOCATION_SIZE];
  double fixed = 0;
  (void)snprintf(path, sizeof path, "variables.%.80s", node->key);
  const gannet_section_source source = {.path = path, .node = node, .table = gannet_variable_table};
  keys->lower = keys->upper = keys->step = NAN;
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (reader->complaints->count > before) return GANNET_OK;
  if (keys->when && !*keys->when)
    complain_of_variable(reader, node, "when",
                         "is empty; expected a condition as in \"solver == 'gmres'\"");
  if (keys->expression) {
    check_expression(reader, node, keys->type);
  } else {
    GANNET_TRY(read_values(reader, node, keys, numbers));
    if (reader->complaints->count > before) return GANNET_OK;
    if (keys->fixed) read_fixed(reader, node, keys, *numbers != NULL, &fixed);
    check_fit(reader, node, keys->type, *numbers != NULL, keys->varied);
    check_varied(reader, node, keys);
  }
  if (reader->complaints->count > before) return GANNET_OK;
  *variable = (gannet_variable){.name = node->key,
                                .type = (gannet_variable_type)keys->type,
                                .lower = isnan(keys->lower) ? 0 : keys->lower,
                                .upper = isnan(keys->upper) ? 0 : keys->upper,
                                .scale = (gannet_scale)keys->scale,
                                .n_values = keys->values.n,
                                .values = (const char *const *)keys->values.item,
                                .role = keys->expression ? GANNET_ROLE_DERIVED
                                        : keys->fixed    ? GANNET_ROLE_FIXED
                                                         : GANNET_ROLE_FREE,
                                .fixed = fixed,
                                .expression = keys->expression,
                                .step = isnan(keys->step) ? 0 : keys->step,
                                .numbers = *numbers,
                                .when = keys->when};
  if (variable->type == GANNET_VARIABLE_CATEGORICAL && keys->fixed && keys->values.n == 0) {
    variable->n_values = 1; /* the word is the only value */
    variable->values = (const char *const *)&keys->fixed;
  }
  gannet_tree_key_location(node, location, sizeof location);
  gannet_variable_check(variable, location, reader->complaints);
  if (keys->varied) variable->role = GANNET_ROLE_FREE; /* it will be pinned */
  return GANNET_OK;
}

/* Check what derived variables are computed from, and where conditional ones are active, when all
 * variables are known. */
static gannet_err check_derived(const gannet_config_reader *reader, const gannet_tree *variables,
                                const keys_of_problem *all) {
  const char **location = NULL;
  char(*text)[GANNET_LOCATION_SIZE] = NULL;
  gannet_derived *derived = NULL;
  const size_t n = (size_t)all->n_variables;
  gannet_err err = gannet_alloc(n, sizeof *location, &location);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *text, &text);
  for (size_t v = 0; v < n && err == GANNET_OK; ++v) {
    const gannet_tree *node = &variables->child[v];
    const gannet_tree *rule = gannet_tree_find(node, "expression");
    if (!rule) rule = gannet_tree_find(node, "when");
    gannet_tree_key_location(rule ? rule : node, text[v], sizeof text[v]);
    location[v] = text[v];
  }
  if (err == GANNET_OK)
    err = gannet_derived_create(all->n_variables, all->variables, location, reader->complaints,
                                &derived);
  if (err == GANNET_OK && derived)
    err = gannet_conditional_check(derived, all->n_variables, all->variables, location,
                                   reader->complaints);
  gannet_derived_destroy(&derived, all->n_variables);
  gannet_free(&text);
  gannet_free(&location);
  return err;
}

static gannet_err read_constraint(const gannet_config_reader *reader, const gannet_tree *node,
                                  gannet_constraint_keys *keys, gannet_constraint *constraint) {
  const int before = reader->complaints->count;
  char path[PATH_SIZE], location[GANNET_LOCATION_SIZE];
  (void)snprintf(path, sizeof path, "constraints.%.80s", node->key);
  const gannet_section_source source = {
      .path = path, .node = node, .table = gannet_constraint_table};
  keys->lower = keys->upper = NAN;
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (reader->complaints->count > before) return GANNET_OK;
  *constraint = (gannet_constraint){.name = node->key,
                                    .lower = isnan(keys->lower) ? -INFINITY : keys->lower,
                                    .upper = isnan(keys->upper) ? INFINITY : keys->upper};
  gannet_tree_key_location(node, location, sizeof location);
  gannet_constraint_check(constraint, location, reader->complaints);
  return GANNET_OK;
}

/* The mapping of names below "variables" or "constraints", or NULL. */
static const gannet_tree *names_of(const gannet_config_reader *reader, const char *section) {
  const gannet_tree *node = gannet_tree_find(reader->root, section);
  char location[GANNET_LOCATION_SIZE];
  if (!node || node->kind == GANNET_TREE_MAPPING) return node;
  if (node->kind == GANNET_TREE_TEXT && node->empty) return NULL;
  gannet_tree_location(node, location, sizeof location);
  gannet_complain(reader->complaints, location,
                  "%s: expected a name for each, as in '%s: {x: {lower: 0, upper: 1}}'", section,
                  section);
  return NULL;
}

static void check_names(const gannet_config_reader *reader, const gannet_tree *variables,
                        const gannet_tree *constraints) {
  for (int i = 0; variables && i < variables->n; ++i) {
    const gannet_tree *old = gannet_tree_find(&variables->child[i], "renamed_from");
    int first = old && old->kind == GANNET_TREE_TEXT ? 0 : i; /* with the same earlier name */
    for (; first < i; ++first) {
      const gannet_tree *other = gannet_tree_find(&variables->child[first], "renamed_from");
      if (other && other->kind == GANNET_TREE_TEXT && strcmp(other->text, old->text) == 0) break;
    }
    if (old && old->kind == GANNET_TREE_TEXT &&
        (first < i || gannet_tree_find(variables, old->text)))
      complain_at_key(
          reader, old,
          "renamed_from: '%.80s' is %s; each variable needs an earlier name of its own", old->text,
          first < i ? "the earlier name of another one, too"
                    : "a variable of the file, too (to swap names, resume once with another name "
                      "for one of the two)");
  }
  for (int i = 0; variables && i < variables->n; ++i)
    if (strcmp(variables->child[i].key, "objective") == 0)
      complain_at_key(reader, &variables->child[i], "the name '%s' is taken by %s; choose another",
                      "objective", "the objective itself");
  for (int i = 0; constraints && i < constraints->n; ++i) {
    const gannet_tree *child = &constraints->child[i];
    if (strcmp(child->key, "objective") == 0)
      complain_at_key(reader, child, "the name '%s' is taken by %s; choose another", child->key,
                      "the objective itself");
    if (strcmp(child->key, "fail") == 0)
      complain_at_key(reader, child, "the name '%s' is taken by %s; choose another", child->key,
                      "the line with which a simulation reports that it cannot work");
    if (gannet_tree_find(variables, child->key))
      complain_at_key(reader, child, "the name '%.80s' is used twice: also by %s; rename one",
                      child->key, "a variable");
  }
}

static gannet_err read_parts(const gannet_config_reader *reader, const gannet_tree *variables,
                             const gannet_tree *constraints, keys_of_problem *all) {
  const int n = variables ? variables->n : 0, k = constraints ? constraints->n : 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *all->keys, &all->keys));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *all->variables, &all->variables));
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *all->numbers, &all->numbers));
  GANNET_TRY(gannet_alloc((size_t)k, sizeof *all->bounds, &all->bounds));
  GANNET_TRY(gannet_alloc((size_t)k, sizeof *all->constraints, &all->constraints));
  for (all->n_variables = 0; all->n_variables < n;) {
    const int v = all->n_variables++;
    GANNET_TRY(read_variable(reader, &variables->child[v], &all->keys[v], &all->numbers[v],
                             &all->variables[v]));
  }
  while (all->n_constraints < k) {
    const int i = all->n_constraints++;
    GANNET_TRY(
        read_constraint(reader, &constraints->child[i], &all->bounds[i], &all->constraints[i]));
  }
  return GANNET_OK;
}

/* The value that a variable had before the campaign knew it. */
static gannet_err read_was(const gannet_config_reader *reader, int v, const char *text) {
  gannet_problem *problem = reader->input->problem;
  const gannet_tree *node = &gannet_tree_find(reader->root, "variables")->child[v];
  double value = NAN;
  gannet_err err = GANNET_OK;
  if (problem->spec.variables[v].role != GANNET_ROLE_FREE)
    err = GANNET_RAISE(GANNET_ERR_INPUT,
                       "a variable that is fixed or computed has its value; leave "
                       "it out");
  if (err == GANNET_OK) err = gannet_problem_parse(problem, v, text, &value);
  if (err == GANNET_OK) err = gannet_problem_check_tried(problem, v, value);
  if (err == GANNET_OK) return gannet_problem_set_was(problem, v, value);
  complain_of_variable(reader, node, "was", gannet_error_detail());
  gannet_error_clear();
  return GANNET_OK;
}

static gannet_err retire_words(gannet_problem *problem, int v, const gannet_text_list *retired) {
  const gannet_variable *variable = &problem->spec.variables[v];
  for (int i = 0; i < retired->n; ++i) {
    int at = 0;
    while (strcmp(variable->values[at], retired->item[i]) != 0) ++at;
    GANNET_TRY(gannet_problem_retire(problem, v, at));
  }
  return GANNET_OK;
}

/* Whether a section of names has a key twice, of which the reader of the file complains. */
static bool has_repeated_name(const gannet_config_reader *reader) {
  static const char *const sections[] = {"variables", "constraints", "objectives"};
  for (int s = 0; s < 3; ++s) {
    const gannet_tree *names = gannet_tree_find(reader->root, sections[s]);
    for (int i = 0; names && names->kind == GANNET_TREE_MAPPING && i < names->n; ++i)
      if (gannet_tree_find(names, names->child[i].key) != &names->child[i]) return true;
  }
  return false;
}

static gannet_err create_problem(const gannet_config_reader *reader, const keys_of_problem *all) {
  const gannet_general *general = &reader->input->general;
  const gannet_problem_spec spec = {.n_variables = all->n_variables,
                                    .variables = all->variables,
                                    .n_constraints = all->n_constraints,
                                    .constraints = all->constraints,
                                    .goal = (gannet_goal)general->goal,
                                    .noise_sd = general->noise,
                                    .n_objectives = all->objectives.n,
                                    .objectives = all->objectives.item};
  const gannet_err err = gannet_problem_create(&spec, &reader->input->problem);
  if (err == GANNET_ERR_INPUT) {
    if (!has_repeated_name(reader)) /* else that is told already, with the lines of both */
      gannet_complain(reader->complaints, reader->file, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(err);
  gannet_problem *problem = reader->input->problem;
  int n_pinned = 0;
  for (int v = 0; v < all->n_variables; ++v) {
    GANNET_TRY(gannet_problem_set_variable_unit(problem, v, all->keys[v].unit));
    if (all->keys[v].was) GANNET_TRY(read_was(reader, v, all->keys[v].was));
    if (all->keys[v].varied)
      GANNET_TRY(gannet_problem_pin(
          problem, v,
          gannet_variable_nearest(&problem->spec.variables[v], all->variables[v].fixed)));
    n_pinned += all->keys[v].varied;
    GANNET_TRY(retire_words(problem, v, &all->keys[v].retired));
    GANNET_TRY(gannet_problem_set_renamed_from(problem, v, all->keys[v].renamed_from));
  }
  if (n_pinned == problem->n_free)
    gannet_complain(reader->complaints, reader->file,
                    "variables: every one is fixed or computed, and nothing is left to search; "
                    "leave one free");
  for (int k = 0; k < all->n_constraints; ++k)
    GANNET_TRY(gannet_problem_set_constraint_unit(problem, k, all->bounds[k].unit));
  for (int m = 1; m < all->objectives.n; ++m)
    GANNET_TRY(gannet_problem_set_constraint_unit(
        problem, gannet_problem_objective_quantity(problem, m) - 1, all->objectives.keys[m].unit));
  return GANNET_OK;
}

gannet_err gannet_config_read_problem(const gannet_config_reader *reader) {
  keys_of_problem all = {0};
  const int before = reader->complaints->count;
  const gannet_tree *variables = names_of(reader, "variables");
  const gannet_tree *constraints = names_of(reader, "constraints");
  if ((!variables || variables->n == 0) && reader->complaints->count == before)
    gannet_complain(reader->complaints, reader->file,
                    "variables: a campaign needs at least one, as in 'variables: {x: {lower: 0, "
                    "upper: 1}}'");
  check_names(reader, variables, constraints);
  gannet_err err = read_parts(reader, variables, constraints, &all);
  if (err == GANNET_OK) err = gannet_config_read_objectives(reader, &all.objectives);
  if (err == GANNET_OK && reader->complaints->count == before)
    err = check_derived(reader, variables, &all);
  if (err == GANNET_OK && reader->complaints->count == before) err = create_problem(reader, &all);
  for (int v = 0; v < all.n_variables; ++v)
    gannet_options_release(gannet_variable_table, &all.keys[v], sizeof all.keys[v]);
  for (int k = 0; k < all.n_constraints; ++k)
    gannet_options_release(gannet_constraint_table, &all.bounds[k], sizeof all.bounds[k]);
  for (int v = 0; all.numbers && v < all.n_variables; ++v) gannet_free(&all.numbers[v]);
  gannet_config_release_objectives(&all.objectives);
  gannet_free(&all.numbers);
  gannet_free(&all.keys);
  gannet_free(&all.bounds);
  gannet_free(&all.variables);
  gannet_free(&all.constraints);
  return err;
}

/* Find where text i of the variable constraints stands; i = -1: where their list stands.
 *
 * location  out  [GANNET_LOCATION_SIZE]
 */
static void locate_text(const gannet_config_reader *reader, int i, char *location) {
  const gannet_tree *list = gannet_tree_find(reader->root, "variable_constraints");
  const bool has_items = list && list->kind == GANNET_TREE_LIST && 0 <= i && i < list->n;
  (void)snprintf(location, GANNET_LOCATION_SIZE, "%s", reader->file);
  if (list)
    gannet_tree_location(has_items ? &list->child[i] : list, location, GANNET_LOCATION_SIZE);
}

gannet_err gannet_config_read_variable_constraints(const gannet_config_reader *reader) {
  const gannet_text_list *texts = &reader->input->general.variable_constraints;
  gannet_problem *problem = reader->input->problem;
  char location[GANNET_LOCATION_SIZE];
  int wrong = -1;
  if (!problem || reader->complaints->count > 0) return GANNET_OK;
  const gannet_err err =
      gannet_variable_constraints_set(problem, texts->n, (const char *const *)texts->item, &wrong);
  if (err == GANNET_ERR_INPUT) {
    locate_text(reader, wrong, location);
    gannet_complain(reader->complaints, location, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(err);
  for (int i = 0; i < texts->n; ++i) {
    if (!gannet_variable_constraint_is_idle(problem, i)) continue;
    locate_text(reader, i, location);
    gannet_complaints_warn(
        reader->complaints, location,
        "variable_constraints: '%.200s' is true for all values of the variables: it has no effect",
        texts->item[i]);
  }
  return GANNET_OK;
}
