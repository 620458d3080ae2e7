/* The campaign of a problem and a method, from the sections of both. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/pde_constraint.h"
#include "simulations/registry.h"
#include "suite/plan_parts.h"

enum { WHERE = 512, BOUND_TEXT = 96 };

typedef struct {
  gannet_tree_file tree;
  gannet_complaints *complaints;
} composer;

static gannet_err set(composer *made, const char *format, const char *text) {
  char setting[256];
  (void)snprintf(setting, sizeof setting, format, text);
  return gannet_tree_override(&made->tree, setting, made->complaints);
}

static gannet_err set_whole(composer *made, const char *key, int value) {
  char setting[64];
  (void)snprintf(setting, sizeof setting, "%s=%d", key, value);
  return gannet_tree_override(&made->tree, setting, made->complaints);
}

static gannet_err copy_child(composer *made, const gannet_tree *child) {
  gannet_tree *copy = NULL;
  GANNET_TRY(gannet_tree_add(&made->tree.root, &copy));
  return gannet_tree_copy(child, copy);
}

/* A method that is only a name, in a list or as a key. */
static gannet_err name_method(composer *made, const gannet_tree *node, const char *name) {
  gannet_tree *child = NULL;
  GANNET_TRY(gannet_tree_add(&made->tree.root, &child));
  child->source = node->source;
  child->position = node->key_position.line > 0 ? node->key_position : node->position;
  GANNET_TRY(gannet_copy_text("method", &child->key));
  return gannet_copy_text(name, &child->text);
}

static gannet_err copy_method(composer *made, const gannet_tree *node, const char *label) {
  if (node->kind == GANNET_TREE_TEXT)
    return name_method(made, node, node->empty || !*node->text ? label : node->text);
  for (int i = 0; i < node->n; ++i) GANNET_TRY(copy_child(made, &node->child[i]));
  return gannet_tree_find(node, "method") ? GANNET_OK : name_method(made, node, label);
}

/* The equations that a function obeys, unless the problem moves it or states others. */
static gannet_err set_physics(composer *made, const gannet_simulation_type *type, int d,
                              const gannet_tree *node) {
  static const char *const key = "physics.equations=";
  const gannet_tree *evaluate = gannet_tree_find(node, "evaluate");
  char *text = NULL;
  if (!type->physics || gannet_tree_find(node, "physics")) return GANNET_OK;
  if (gannet_tree_find(gannet_tree_find(evaluate, "settings"), "shift")) return GANNET_OK;
  const size_t length = strlen(key), size = (size_t)type->physics(d, NULL, 0) + 1;
  GANNET_TRY(gannet_alloc(length + size, 1, &text));
  memcpy(text, key, length);
  (void)type->physics(d, text + length, size);
  const gannet_err err = gannet_tree_override(&made->tree, text, made->complaints);
  gannet_free(&text);
  return err;
}

/* Whether the model of a method takes equations: that of its own surrogate, or of its row. */
static bool takes_equations(const gannet_tree *root) {
  const gannet_tree *surrogate = gannet_tree_find(root, "surrogate");
  const gannet_tree *type = gannet_tree_find(surrogate, "type");
  const gannet_tree *name = gannet_tree_find(root, "method");
  const gannet_method *method = NULL;
  if (surrogate && surrogate->kind == GANNET_TREE_TEXT) type = surrogate;
  for (int i = 0; type && type->text && gannet_surrogate_types[i]; ++i)
    if (strcmp(gannet_surrogate_types[i]->name, type->text) == 0)
      return gannet_surrogate_types[i]->set_pde_constraint != NULL;
  if (name && name->text && gannet_method_find(name->text, &method) == GANNET_OK)
    return gannet_method_takes_equations(method);
  gannet_error_clear(); /* complained about when the campaign is read */
  return false;
}

/* Methods without knowledge of equations do without them. */
static void drop_physics(composer *made) {
  gannet_tree *root = &made->tree.root;
  for (int i = 0; i < root->n; ++i) {
    if (strcmp(root->child[i].key, "physics") != 0) continue;
    gannet_tree_clear(&root->child[i]);
    gannet_free(&root->child[i].key);
    memmove(root->child + i, root->child + i + 1, (size_t)(root->n - i - 1) * sizeof *root->child);
    root->n -= 1;
    return;
  }
}

/* "variables={x1: {lower: -5, upper: 10}, ...}", the box of a function. */
static gannet_err set_variables(composer *made, const gannet_simulation_type *type, int d,
                                const char *where, const char *label) {
  const size_t size = (size_t)d * BOUND_TEXT + 32;
  double *lower = NULL;
  char *text = NULL;
  gannet_err err = gannet_alloc(2 * (size_t)d, sizeof *lower, &lower);
  if (err == GANNET_OK) err = gannet_alloc(size, 1, &text);
  if (err == GANNET_OK && type->box(d, lower, lower + d, NULL, NULL) == 0) {
    size_t at = (size_t)snprintf(text, size, "variables={");
    for (int i = 0; i < d; ++i)
      at += (size_t)snprintf(text + at, size - at, "%sx%d: {lower: %.17g, upper: %.17g}",
                             i ? ", " : "", i + 1, lower[i], lower[d + i]);
    (void)snprintf(text + at, size - at, "}");
    err = gannet_tree_override(&made->tree, text, made->complaints);
  } else if (err == GANNET_OK) {
    gannet_complain(made->complaints, where,
                    "problems.%s: '%s' does not exist in %d dimensions; choose another dimension",
                    label, type->name, d);
  }
  gannet_free(&text);
  gannet_free(&lower);
  return err;
}

/* The keys that the function of a problem stands for; where the problem has them, they stay. */
static gannet_err add_function(composer *made, const suite_problem *problem,
                               const gannet_tree *node) {
  const gannet_simulation_type *type = NULL;
  const gannet_tree *function = gannet_tree_find(node, "function");
  char where[WHERE];
  gannet_tree_location(function, where, sizeof where);
  if (gannet_simulation_find(problem->keys.function, &type) != GANNET_OK) {
    gannet_complain(made->complaints, where, "problems.%s.function: %s", node->key,
                    gannet_error_detail());
    gannet_error_clear();
    return GANNET_OK;
  }
  GANNET_TRY(set(made, "%s", "evaluate.backend=function"));
  GANNET_TRY(set(made, "evaluate.simulation=%s", type->name));
  if (!gannet_tree_find(node, "constraints"))
    for (int i = 0; i < type->n_constraints; ++i) {
      char text[64];
      (void)snprintf(text, sizeof text, "constraints.c%d.upper=0", i + 1);
      GANNET_TRY(gannet_tree_override(&made->tree, text, made->complaints));
    }
  if (gannet_tree_find(node, "variables")) return GANNET_OK;
  const int d = problem->d ? problem->d : type->fixed_d;
  if (!type->box)
    gannet_complain(made->complaints, where,
                    "problems.%s: '%s' has no published box; give its variables", node->key,
                    type->name);
  else if (d == 0)
    gannet_complain(made->complaints, where,
                    "problems.%s: missing key 'dimension', for '%s' exists in any; add it, as in "
                    "'dimension: 10'",
                    node->key, type->name);
  else if (type->fixed_d && d != type->fixed_d)
    gannet_complain(made->complaints, where,
                    "problems.%s.dimension: '%s' has %d variables; leave dimension out", node->key,
                    type->name, type->fixed_d);
  if (made->complaints->count > 0) return GANNET_OK;
  GANNET_TRY(set_physics(made, type, d, node));
  return set_variables(made, type, d, where, node->key);
}

static gannet_err compose(composer *made, const suite_plan *plan, const suite_nodes *nodes, int p,
                          int k) {
  const suite_problem *problem = &plan->problem[p];
  made->tree.root.kind = GANNET_TREE_MAPPING;
  made->tree.root.source = nodes->root->source;
  for (int s = 0; suite_problem_sections[s]; ++s) {
    const gannet_tree *child = gannet_tree_find(nodes->problem[p], suite_problem_sections[s]);
    if (child) GANNET_TRY(copy_child(made, child));
  }
  if (problem->keys.function) GANNET_TRY(add_function(made, problem, nodes->problem[p]));
  GANNET_TRY(copy_method(made, nodes->method[k], plan->method[k].label));
  if (!takes_equations(&made->tree.root)) drop_physics(made);
  GANNET_TRY(set(made, "name=%s", problem->label));
  if (problem->initial > 0 && !gannet_tree_find(&made->tree.root, "initial"))
    GANNET_TRY(set_whole(made, "initial", problem->initial));
  GANNET_TRY(set_whole(made, "batch", problem->batch));
  return set_whole(made, "budget.evaluations", problem->budget);
}

gannet_err suite_plan_compose(const suite_plan *plan, const suite_nodes *nodes, int p, int k,
                              gannet_campaign_input **input, gannet_complaints *complaints) {
  gannet_complaints local = {0};
  composer made = {.complaints = &local};
  gannet_err err = compose(&made, plan, nodes, p, k);
  if (err == GANNET_OK && local.count == 0)
    err = gannet_campaign_parse_tree(plan->file, &made.tree, input, &local);
  if (err == GANNET_ERR_INPUT) {
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_complaints_merge(&local, complaints);
  gannet_complaints_release(&local);
  gannet_tree_release(&made.tree);
  return err;
}
