/* Keys, problems and methods of a suite file. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "campaign/config/section.h"
#include "suite/plan_parts.h"

enum { WHERE = 512, MOST_KEYS = 64, LONGEST_LABEL = 60 };

/* Labels become names of files. */
static bool is_label(const char *name) {
  if (!isalnum((unsigned char)*name) && *name != '_') return false;
  if (strlen(name) > LONGEST_LABEL) return false;
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && !strchr("_-.", *name)) return false;
  return true;
}

static void check_label(const char *name, const char *where, gannet_complaints *complaints) {
  if (!is_label(name))
    gannet_complain(complaints, where,
                    "'%.80s' is not valid; expected up to %d letters, digits, '_', '-' and '.', "
                    "beginning with a letter, a digit or '_'",
                    name, LONGEST_LABEL);
}

/* "inputs/my suite.yaml" names the suite my_suite. */
static gannet_err name_from_file(const char *file, char **name) {
  char base[LONGEST_LABEL + 1];
  (void)snprintf(base, sizeof base, "%s", gannet_file_name_of(file));
  char *dot = strrchr(base, '.');
  if (dot && dot > base) *dot = '\0';
  for (char *c = base; *c; ++c)
    if (!isalnum((unsigned char)*c) && (!strchr("_-.", *c) || c == base)) *c = '_';
  gannet_free(name);
  return gannet_copy_text(*base ? base : "suite", name);
}

static gannet_err read_top(const char *file, const gannet_tree *root, suite_plan *plan,
                           gannet_complaints *complaints) {
  static const char *const sections[] = {"problems", "methods", NULL};
  char where[WHERE];
  const gannet_section_source source = {.path = "",
                                        .node = root,
                                        .fallback_location = file,
                                        .table = suite_table,
                                        .sections = sections};
  GANNET_TRY(gannet_section_read(&source, &plan->keys, complaints));
  if (!plan->keys.name || strcmp(plan->keys.name, "auto") == 0)
    return name_from_file(file, &plan->keys.name);
  gannet_tree_location(gannet_tree_find(root, "name"), where, sizeof where);
  check_label(plan->keys.name, where, complaints);
  return GANNET_OK;
}

/* Problems. */

static gannet_err add_problem(suite_plan *plan, suite_places *places, const gannet_tree *node) {
  const size_t n = (size_t)plan->n_problems;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *plan->problem, &plan->problem));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *places->problem, &places->problem));
  places->problem[n] = node;
  plan->n_problems += 1;
  return GANNET_OK;
}

static gannet_err read_problem_keys(const gannet_tree *node, suite_problem_keys *keys,
                                    gannet_complaints *complaints) {
  char path[128];
  (void)snprintf(path, sizeof path, "problems.%.80s", node->key);
  const gannet_section_source source = {
      .path = path, .node = node, .table = suite_problem_table, .sections = suite_problem_sections};
  return gannet_section_read(&source, keys, complaints);
}

static gannet_err label_problem(const char *name, int d, bool many, char **label) {
  char text[LONGEST_LABEL + 32];
  (void)snprintf(text, sizeof text, many ? "%.60s-%d" : "%.60s", name, d);
  return gannet_copy_text(text, label);
}

static void check_dimensions(const gannet_tree *node, const suite_problem_keys *keys,
                             gannet_complaints *complaints) {
  char where[WHERE];
  const gannet_tree *given = gannet_tree_find(node, "dimension");
  if (!given) return;
  gannet_tree_location(given, where, sizeof where);
  for (int i = 0; i < keys->dimension.n; ++i)
    if (keys->dimension.item[i] != floor(keys->dimension.item[i]))
      gannet_complain(complaints, where, "problems.%.80s.dimension: %g is not a whole number",
                      node->key, keys->dimension.item[i]);
  if (!keys->function)
    gannet_complain(complaints, where,
                    "problems.%.80s.dimension: only a problem with the key function has it",
                    node->key);
}

static gannet_err read_problem(const gannet_tree *node, suite_plan *plan, suite_places *places,
                               gannet_complaints *complaints) {
  const int before = complaints->count;
  char where[WHERE];
  gannet_tree_key_location(node, where, sizeof where);
  check_label(node->key, where, complaints);
  int count = 1;
  for (int i = 0; i < count; ++i) {
    GANNET_TRY(add_problem(plan, places, node));
    suite_problem *problem = &plan->problem[plan->n_problems - 1];
    GANNET_TRY(read_problem_keys(node, &problem->keys, complaints));
    if (i == 0) check_dimensions(node, &problem->keys, complaints);
    if (complaints->count > before) return GANNET_OK;
    const gannet_real_list *dimension = &problem->keys.dimension;
    if (dimension->n > 0) count = dimension->n;
    problem->d = dimension->n > 0 ? (int)dimension->item[i] : 0;
    GANNET_TRY(label_problem(node->key, problem->d, count > 1, &problem->label));
  }
  return GANNET_OK;
}

static gannet_err read_problems(const char *file, const gannet_tree *root, suite_plan *plan,
                                suite_places *places, gannet_complaints *complaints) {
  const gannet_tree *all = gannet_tree_find(root, "problems");
  char where[WHERE];
  if (!all || all->kind != GANNET_TREE_MAPPING || all->n == 0) {
    (void)snprintf(where, sizeof where, "%s", file);
    if (all) gannet_tree_key_location(all, where, sizeof where);
    gannet_complain(complaints, where,
                    "problems: expected a name for each, as in 'problems: {ackley-10: {function: "
                    "ackley, dimension: 10}}'");
    return GANNET_OK;
  }
  for (int i = 0; i < all->n; ++i)
    GANNET_TRY(read_problem(&all->child[i], plan, places, complaints));
  return GANNET_OK;
}

/* Methods. */

static gannet_err add_method(suite_plan *plan, suite_places *places, const char *label,
                             const gannet_tree *node) {
  const size_t n = (size_t)plan->n_methods;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *plan->method, &plan->method));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *places->method, &places->method));
  places->method[n] = node;
  plan->n_methods += 1;
  return gannet_copy_text(label, &plan->method[n].label);
}

static gannet_err read_method(const gannet_tree *node, suite_plan *plan, suite_places *places,
                              gannet_complaints *complaints) {
  const char *keys[MOST_KEYS];
  char where[WHERE], path[128];
  gannet_tree_key_location(node, where, sizeof where);
  const bool is_name = node->kind == GANNET_TREE_TEXT && !node->key;
  const char *label = is_name ? node->text : node->key;
  if (!label || node->kind == GANNET_TREE_LIST) {
    gannet_complain(complaints, where,
                    "methods: expected names, as in 'methods: [neural-bo, gp-ei]', or a name with "
                    "settings for each, as in 'methods: {deep: {method: neural-bo, surrogate: "
                    "{layers: 3}}}'");
    return GANNET_OK;
  }
  check_label(label, where, complaints);
  suite_method_keys(keys, MOST_KEYS);
  (void)snprintf(path, sizeof path, "methods.%.80s", label);
  const gannet_section_source source = {.path = path, .node = node, .sections = keys};
  gannet_section_check_keys(&source, complaints);
  return add_method(plan, places, label, node);
}

static gannet_err read_methods(const char *file, const gannet_tree *root, suite_plan *plan,
                               suite_places *places, gannet_complaints *complaints) {
  const gannet_tree *all = gannet_tree_find(root, "methods");
  char where[WHERE];
  (void)snprintf(where, sizeof where, "%s", file);
  if (all) gannet_tree_key_location(all, where, sizeof where);
  if (!all || all->kind == GANNET_TREE_TEXT || all->n == 0)
    gannet_complain(complaints, where,
                    "methods: expected names, as in 'methods: [neural-bo, gp-ei]'");
  for (int i = 0; all && i < all->n; ++i)
    GANNET_TRY(read_method(&all->child[i], plan, places, complaints));
  return GANNET_OK;
}

/* Labels name files, and runs are found by them. */
static void check_repeats(const char *file, const suite_plan *plan, gannet_complaints *complaints) {
  for (int p = 0; p < plan->n_problems; ++p)
    for (int other = 0; other < p; ++other)
      if (plan->problem[p].label && plan->problem[other].label &&
          strcmp(plan->problem[p].label, plan->problem[other].label) == 0)
        gannet_complain(complaints, file, "problems: '%s' is there twice; rename one",
                        plan->problem[p].label);
  for (int k = 0; k < plan->n_methods; ++k)
    for (int other = 0; other < k; ++other)
      if (strcmp(plan->method[k].label, plan->method[other].label) == 0)
        gannet_complain(complaints, file, "methods: '%s' is there twice; leave one out, or name it",
                        plan->method[k].label);
}

gannet_err suite_plan_read(const char *file, const gannet_tree *root, suite_plan *plan,
                           suite_places *places, gannet_complaints *complaints) {
  places->root = root;
  GANNET_TRY(read_top(file, root, plan, complaints));
  GANNET_TRY(read_problems(file, root, plan, places, complaints));
  GANNET_TRY(read_methods(file, root, plan, places, complaints));
  check_repeats(file, plan, complaints);
  return GANNET_OK;
}
