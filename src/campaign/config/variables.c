/* The variables and constraints of a campaign file are read and checked one by one, and become the
 * problem of the campaign.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "problem/check.h"

enum { LOCATION_SIZE = 512 };

typedef struct {
  int n_variables, n_constraints;
  gannet_variable_keys *keys; /* own the values and units */
  gannet_constraint_keys *bounds;
  gannet_variable *variables;
  gannet_constraint *constraints;
} keys_of_problem;

static void complain_at_key(const gannet_config_reader *reader, const gannet_tree *node,
                            const char *format, const char *name, const char *more) {
  char location[LOCATION_SIZE], what[400];
  gannet_tree_key_location(node, location, sizeof location);
  (void)snprintf(what, sizeof what, format, name, more);
  gannet_complain(reader->complaints, location, "%s", what);
}

/* Keys that mean nothing for a type are mistakes, not decoration. */
static void check_fit(const gannet_config_reader *reader, const gannet_tree *node, int type) {
  static const char *const numeric[] = {"lower", "upper", "scale"};
  const bool number = type == GANNET_VARIABLE_REAL || type == GANNET_VARIABLE_INTEGER;
  for (int i = 0; i < 3; ++i) {
    const gannet_tree *key = gannet_tree_find(node, numeric[i]);
    if (key && !number) {
      char location[LOCATION_SIZE];
      gannet_tree_key_location(key, location, sizeof location);
      gannet_complain(reader->complaints, location,
                      "variables.%s.%s: only real and integer variables have it", node->key,
                      numeric[i]);
    }
    if (!key && number && i < 2) {
      char location[LOCATION_SIZE];
      gannet_tree_key_location(node, location, sizeof location);
      gannet_complain(reader->complaints, location,
                      "missing required key 'variables.%s.%s' (real and integer variables need it)",
                      node->key, numeric[i]);
    }
  }
  const gannet_tree *values = gannet_tree_find(node, "values");
  if (values && type != GANNET_VARIABLE_CATEGORICAL) {
    char location[LOCATION_SIZE];
    gannet_tree_key_location(values, location, sizeof location);
    gannet_complain(reader->complaints, location, "variables.%s.values: needs type: categorical",
                    node->key);
  }
}

static gannet_err read_variable(const gannet_config_reader *reader, const gannet_tree *node,
                                gannet_variable_keys *keys, gannet_variable *variable) {
  const int before = reader->complaints->count;
  char path[128], location[LOCATION_SIZE];
  (void)snprintf(path, sizeof path, "variables.%.80s", node->key);
  const gannet_section_source source = {.path = path, .node = node, .table = gannet_variable_table};
  keys->lower = keys->upper = NAN;
  GANNET_TRY(gannet_section_read(&source, keys, reader->complaints));
  if (reader->complaints->count == before) check_fit(reader, node, keys->type);
  if (reader->complaints->count > before) return GANNET_OK;
  *variable = (gannet_variable){.name = node->key,
                                .type = (gannet_variable_type)keys->type,
                                .lower = keys->lower,
                                .upper = keys->upper,
                                .scale = (gannet_scale)keys->scale,
                                .n_values = keys->values.n,
                                .values = (const char *const *)keys->values.item};
  if (variable->type == GANNET_VARIABLE_BOOLEAN || variable->type == GANNET_VARIABLE_CATEGORICAL)
    variable->lower = variable->upper = 0;
  gannet_tree_key_location(node, location, sizeof location);
  gannet_variable_check(variable, location, reader->complaints);
  return GANNET_OK;
}

static gannet_err read_constraint(const gannet_config_reader *reader, const gannet_tree *node,
                                  gannet_constraint_keys *keys, gannet_constraint *constraint) {
  const int before = reader->complaints->count;
  char path[128], location[LOCATION_SIZE];
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
  char location[LOCATION_SIZE];
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
  GANNET_TRY(gannet_alloc((size_t)k, sizeof *all->bounds, &all->bounds));
  GANNET_TRY(gannet_alloc((size_t)k, sizeof *all->constraints, &all->constraints));
  for (all->n_variables = 0; all->n_variables < n;) {
    const int v = all->n_variables++;
    GANNET_TRY(read_variable(reader, &variables->child[v], &all->keys[v], &all->variables[v]));
  }
  while (all->n_constraints < k) {
    const int i = all->n_constraints++;
    GANNET_TRY(
        read_constraint(reader, &constraints->child[i], &all->bounds[i], &all->constraints[i]));
  }
  return GANNET_OK;
}

static gannet_err create_problem(const gannet_config_reader *reader, const keys_of_problem *all) {
  const gannet_general *general = &reader->input->general;
  const gannet_problem_spec spec = {.n_variables = all->n_variables,
                                    .variables = all->variables,
                                    .n_constraints = all->n_constraints,
                                    .constraints = all->constraints,
                                    .goal = (gannet_goal)general->goal,
                                    .noise_sd = general->noise};
  const gannet_err err = gannet_problem_create(&spec, &reader->input->problem);
  if (err == GANNET_ERR_INPUT) {
    gannet_complain(reader->complaints, reader->file, "%s", gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(err);
  gannet_problem *problem = reader->input->problem;
  for (int v = 0; v < all->n_variables; ++v)
    GANNET_TRY(gannet_problem_set_variable_unit(problem, v, all->keys[v].unit));
  for (int k = 0; k < all->n_constraints; ++k)
    GANNET_TRY(gannet_problem_set_constraint_unit(problem, k, all->bounds[k].unit));
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
  if (err == GANNET_OK && reader->complaints->count == before) err = create_problem(reader, &all);
  for (int v = 0; v < all.n_variables; ++v)
    gannet_options_release(gannet_variable_table, &all.keys[v], sizeof all.keys[v]);
  for (int k = 0; k < all.n_constraints; ++k)
    gannet_options_release(gannet_constraint_table, &all.bounds[k], sizeof all.bounds[k]);
  gannet_free(&all.keys);
  gannet_free(&all.bounds);
  gannet_free(&all.variables);
  gannet_free(&all.constraints);
  return err;
}
