/* Reading a suite file: its keys, problems and methods; then what follows from the keys of a
 * problem. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/section.h"
#include "optimizer/methods.h"
#include "simulations/registry.h"
#include "suite/plan_parts.h"

enum { WHERE = 512, MOST_KEYS = 64, LONGEST_LABEL = 60, MOST_NAMES = 100 };

/* Labels become names of files. */
static void check_label(const char *name, const char *where, gannet_complaints *complaints) {
  bool is_label = (isalnum((unsigned char)*name) || *name == '_') && strlen(name) <= LONGEST_LABEL;
  for (const char *c = name; *c && is_label; ++c)
    is_label = isalnum((unsigned char)*c) || strchr("_-.", *c);
  if (!is_label)
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
                                        .sections = sections,
                                        .find_place = suite_find_place};
  GANNET_TRY(gannet_section_read(&source, &plan->keys, complaints));
  if (!plan->keys.name || strcmp(plan->keys.name, "auto") == 0)
    return name_from_file(file, &plan->keys.name);
  gannet_tree_location(gannet_tree_find(root, "name"), where, sizeof where);
  check_label(plan->keys.name, where, complaints);
  return GANNET_OK;
}

/* Problems. */

static void check_dimensions(const gannet_tree *node, const suite_problem_keys *keys,
                             gannet_complaints *complaints) {
  char where[WHERE];
  const gannet_tree *given = gannet_tree_find(node, "dimension");
  const gannet_tree *variables = gannet_tree_find(node, "variables");
  if (!given) return;
  gannet_tree_location(given, where, sizeof where);
  for (int i = 0; variables && i < keys->dimension.n; ++i)
    if (keys->dimension.item[i] != variables->n)
      gannet_complain(
          complaints, where,
          "problems.%.80s.dimension: %g, but variables are given, and there are %d; leave "
          "one of the two keys out",
          node->key, keys->dimension.item[i], variables->n);
  for (int i = 0; i < keys->dimension.n; ++i)
    if (keys->dimension.item[i] != floor(keys->dimension.item[i]))
      gannet_complain(complaints, where, "problems.%.80s.dimension: %g is not a whole number",
                      node->key, keys->dimension.item[i]);
  if (!keys->function)
    gannet_complain(complaints, where,
                    "problems.%.80s.dimension: only a problem with the key function has it",
                    node->key);
}

/* A problem, or one for each dimension of its list. */
static gannet_err read_problem(const gannet_tree *node, suite_plan *plan, suite_nodes *nodes,
                               gannet_complaints *complaints) {
  const int before = complaints->count;
  char where[WHERE], path[128], label[LONGEST_LABEL + 32];
  gannet_tree_key_location(node, where, sizeof where);
  check_label(node->key, where, complaints);
  (void)snprintf(path, sizeof path, "problems.%.80s", node->key);
  const gannet_section_source source = {.path = path,
                                        .node = node,
                                        .table = suite_problem_table,
                                        .sections = suite_problem_sections,
                                        .find_place = suite_find_place};
  int count = 1;
  for (int i = 0; i < count; ++i) {
    const size_t n = (size_t)plan->n_problems;
    GANNET_TRY(gannet_resize(n, n + 1, sizeof *plan->problem, &plan->problem));
    GANNET_TRY(gannet_resize(n, n + 1, sizeof *nodes->problem, &nodes->problem));
    nodes->problem[n] = node;
    plan->n_problems += 1;
    suite_problem *problem = &plan->problem[n];
    GANNET_TRY(gannet_section_read(&source, &problem->keys, complaints));
    if (i == 0) check_dimensions(node, &problem->keys, complaints);
    if (complaints->count > before) return GANNET_OK;
    const gannet_real_list *dimension = &problem->keys.dimension;
    if (dimension->n > 0) count = dimension->n;
    problem->d = dimension->n > 0 ? (int)dimension->item[i] : 0;
    (void)snprintf(label, sizeof label, count > 1 ? "%.60s-%d" : "%.60s", node->key, problem->d);
    GANNET_TRY(gannet_copy_text(label, &problem->label));
  }
  return GANNET_OK;
}

static gannet_err read_problems(const char *file, const gannet_tree *root, suite_plan *plan,
                                suite_nodes *nodes, gannet_complaints *complaints) {
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
    GANNET_TRY(read_problem(&all->child[i], plan, nodes, complaints));
  return GANNET_OK;
}

/* Methods. */

bool suite_is_method(const char *label) {
  const gannet_method *row = NULL;
  if (gannet_method_find(label, &row) == GANNET_OK) return true;
  gannet_error_clear();
  return false;
}

/* Complain about settings below a name that is no method, and that name none. */
static void complain_of_label(const char *label, const char *where, gannet_complaints *complaints) {
  const char *names[MOST_NAMES + 1] = {NULL};
  for (int i = 0; i < MOST_NAMES && gannet_methods[i]; ++i) names[i] = gannet_methods[i]->name;
  const char *near = gannet_nearest(label, names);
  gannet_complain(complaints, where,
                  "methods.%.80s: '%.80s' is not a method%s%s%s; a name of your own needs a method "
                  "below it, as in '%.80s: {method: gp-ei, ...}'; gannet list methods shows all",
                  label, label, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                  label);
}

static gannet_err read_method(const gannet_tree *node, suite_plan *plan, suite_nodes *nodes,
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
  const gannet_section_source source = {.path = path,
                                        .node = node,
                                        .sections = keys,
                                        .of_method = true,
                                        .find_place = suite_find_place};
  GANNET_TRY(gannet_section_check_keys(&source, complaints));
  if (node->kind == GANNET_TREE_MAPPING && !gannet_tree_find(node, "method") &&
      !gannet_tree_find(node, "portfolio") && !suite_is_method(label)) {
    complain_of_label(label, where, complaints);
    return GANNET_OK;
  }
  const size_t n = (size_t)plan->n_methods;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *plan->method, &plan->method));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *nodes->method, &nodes->method));
  nodes->method[n] = node;
  plan->n_methods += 1;
  return gannet_copy_text(label, &plan->method[n].label);
}

static gannet_err read_methods(const char *file, const gannet_tree *root, suite_plan *plan,
                               suite_nodes *nodes, gannet_complaints *complaints) {
  const gannet_tree *all = gannet_tree_find(root, "methods");
  char where[WHERE];
  (void)snprintf(where, sizeof where, "%s", file);
  if (all) gannet_tree_key_location(all, where, sizeof where);
  if (!all || all->kind == GANNET_TREE_TEXT || all->n == 0)
    gannet_complain(complaints, where,
                    "methods: expected names, as in 'methods: [neural-bo, gp-ei]'");
  for (int i = 0; all && i < all->n; ++i)
    GANNET_TRY(read_method(&all->child[i], plan, nodes, complaints));
  return GANNET_OK;
}

/* Labels name files, and runs are found by them. */
static void check_repeats(const char *file, const suite_plan *plan, const suite_nodes *nodes,
                          gannet_complaints *complaints) {
  for (int p = 0; p < plan->n_problems; ++p)
    for (int other = 0; other < p; ++other)
      if (plan->problem[p].label && plan->problem[other].label &&
          strcmp(plan->problem[p].label, plan->problem[other].label) == 0 &&
          (nodes->problem[p] == nodes->problem[other] ||
           strcmp(nodes->problem[p]->key, nodes->problem[other]->key) != 0))
        gannet_complain(complaints, file, "problems: '%s' is there twice; rename one",
                        plan->problem[p].label);
  for (int k = 0; k < plan->n_methods; ++k)
    for (int other = 0; other < k; ++other)
      if (strcmp(plan->method[k].label, plan->method[other].label) == 0 &&
          !nodes->method[k]->key) { /* the same key twice is told with its line */
        char where[WHERE];
        gannet_tree_location(nodes->method[k], where, sizeof where);
        gannet_complain(complaints, where,
                        "methods: '%s' is there twice; leave one out, or name it",
                        plan->method[k].label);
      }
}

static gannet_err label_tables(suite_plan *plan) {
  static const char *const shares[] = {"25 %", "50 %", "100 %"};
  const gannet_text_list *list = &plan->keys.tables;
  const int n = list->n > 0 ? list->n : 3;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *plan->table_label, &plan->table_label));
  for (plan->n_tables = 0; plan->n_tables < n; ++plan->n_tables) {
    const int t = plan->n_tables;
    GANNET_TRY(gannet_copy_text(list->n > 0 ? list->item[t] : shares[t], &plan->table_label[t]));
  }
  return GANNET_OK;
}

gannet_err suite_plan_read(const char *file, const gannet_tree *root, suite_plan *plan,
                           suite_nodes *nodes, gannet_complaints *complaints) {
  nodes->root = root;
  GANNET_TRY(read_top(file, root, plan, complaints));
  GANNET_TRY(read_problems(file, root, plan, nodes, complaints));
  GANNET_TRY(read_methods(file, root, plan, nodes, complaints));
  check_repeats(file, plan, nodes, complaints);
  return label_tables(plan);
}

/* What follows from the keys of a problem. */

/* Find where a key stands, or else the section that could have it. */
static void find_where(const gannet_tree *node, const char *key, char *where) {
  const gannet_tree *child = gannet_tree_find(node, key);
  where[0] = '\0';
  if (child)
    gannet_tree_location(child, where, WHERE);
  else if (node)
    gannet_tree_key_location(node, where, WHERE);
}

/* Number of variables: listed, asked for, or that of the function. */
static int count_variables(const suite_problem *problem, const gannet_tree *node) {
  const gannet_tree *variables = gannet_tree_find(node, "variables");
  const gannet_simulation_type *type = NULL;
  if (variables) return variables->n;
  if (problem->d > 0) return problem->d;
  if (!problem->keys.function) return 0;
  if (gannet_simulation_find(problem->keys.function, &type) == GANNET_OK) return type->fixed_d;
  gannet_error_clear(); /* complained about when the campaign is put together */
  return 0;
}

static void read_amount(const char *text, int d, const char *key, const char *where,
                        gannet_complaints *complaints, int *amount) {
  if (suite_amount_read(text, d, amount) == 0) return;
  *amount = 1;
  gannet_complain(complaints, where,
                  "%s: '%.60s' is not a number of evaluations; expected one as in 300 or 20*D", key,
                  text);
}

static void find_budget(const suite_plan *plan, const gannet_tree *root, const gannet_tree *node,
                        suite_problem *problem, gannet_complaints *complaints) {
  const bool own = problem->keys.budget && strcmp(problem->keys.budget, "auto") != 0;
  char where[WHERE];
  find_where(own ? node : root, "budget", where);
  read_amount(own ? problem->keys.budget : plan->keys.budget, problem->d > 0 ? problem->d : 1,
              "budget", where, complaints, &problem->budget);
  const bool own_initial = problem->keys.initial && strcmp(problem->keys.initial, "auto") != 0;
  const char *initial = own_initial ? problem->keys.initial : plan->keys.initial;
  problem->initial = 0;
  if (strcmp(initial, "auto") != 0) {
    find_where(own_initial ? node : root, "initial", where);
    read_amount(initial, problem->d > 0 ? problem->d : 1, "initial", where, complaints,
                &problem->initial);
  }
  problem->batch = problem->keys.batch != GANNET_AUTO ? problem->keys.batch : plan->keys.batch;
}

static void find_measures(const suite_plan *plan, const gannet_tree *root, const gannet_tree *node,
                          suite_problem *problem, gannet_complaints *complaints) {
  const bool own = problem->keys.measures.n > 0;
  const gannet_text_list *list = own ? &problem->keys.measures : &plan->keys.measures;
  char where[WHERE];
  find_where(own ? node : root, "measures", where);
  problem->n_measures = 0;
  for (int i = 0; i < list->n && i < SUITE_MEASURES; ++i)
    if (suite_measure_find(list->item[i], &problem->measure[problem->n_measures]) == GANNET_OK) {
      problem->n_measures += 1;
    } else {
      gannet_complain(complaints, where, "%s", gannet_error_detail());
      gannet_error_clear();
    }
}

static void find_tables(const suite_plan *plan, const gannet_tree *root, suite_problem *problem,
                        gannet_complaints *complaints) {
  static const int parts[] = {4, 2, 1};
  const gannet_text_list *list = &plan->keys.tables;
  char where[WHERE];
  find_where(root, "tables", where);
  if (list->n > SUITE_TABLES_MOST)
    gannet_complain(complaints, where, "tables: %d budgets, at most %d", list->n,
                    SUITE_TABLES_MOST);
  for (int t = 0; t < plan->n_tables && t < SUITE_TABLES_MOST; ++t) {
    int *at = &problem->table[t];
    if (list->n > 0)
      read_amount(list->item[t], problem->d > 0 ? problem->d : 1, "tables", where, complaints, at);
    else
      *at = (problem->budget + parts[t] - 1) / parts[t];
    if (*at > problem->budget) *at = problem->budget;
  }
}

gannet_err suite_plan_front(const gannet_simulation_type *type, const gannet_tree *node,
                            suite_front *front) {
  const gannet_tree *evaluate = gannet_tree_find(node, "evaluate");
  const gannet_tree *count = gannet_tree_find(gannet_tree_find(evaluate, "settings"), "objectives");
  const gannet_setting setting = {.key = "objectives", .text = count ? count->text : NULL};
  gannet_complaints complaints = {0};
  void *options = NULL;
  memset(front, 0, sizeof *front);
  GANNET_TRY(gannet_alloc(1, type->options_size, &options));
  gannet_err err = gannet_options_apply(type->options, "settings", setting.text ? 1 : 0, &setting,
                                        options, &complaints);
  if (err == GANNET_OK && complaints.count == 0) {
    front->m = type->front(options, front->reference, &front->hypervolume);
    for (int i = 0; i < front->m; ++i) front->name[i] = type->name_quantity(options, i);
  }
  gannet_complaints_release(&complaints); /* the campaign complains about its settings */
  gannet_options_release(type->options, options, type->options_size);
  gannet_free(&options);
  return err;
}

/* The hypervolume of the true front with its sign turned, which is minimised. */
static gannet_err find_hypervolume(const gannet_simulation_type *type, const gannet_tree *node,
                                   suite_problem *problem) {
  suite_front front;
  problem->optimum = -problem->keys.optimum;
  if (!isnan(problem->optimum) || !type || !type->front || gannet_tree_find(node, "objectives"))
    return GANNET_OK;
  GANNET_TRY(suite_plan_front(type, node, &front));
  problem->optimum = front.m > 0 ? -front.hypervolume : NAN;
  return GANNET_OK;
}

static gannet_err find_optimum(const gannet_tree *node, suite_problem *problem) {
  const gannet_simulation_type *type = NULL;
  const gannet_tree *goal = gannet_tree_find(node, "goal");
  const bool maximize = goal && goal->text && strcmp(goal->text, "maximize") == 0;
  double *box = NULL;
  if (problem->keys.function && gannet_simulation_find(problem->keys.function, &type) != GANNET_OK)
    gannet_error_clear(); /* complained about when the campaign is composed */
  if (gannet_tree_find(node, "objectives") || (type && type->front))
    return find_hypervolume(type, node, problem);
  problem->optimum = problem->keys.optimum * (maximize ? -1 : 1);
  if (!isnan(problem->optimum) || !problem->keys.function || problem->d == 0) return GANNET_OK;
  /* What is published is a minimum over the function's own box. */
  if (maximize || gannet_tree_find(node, "variables")) return GANNET_OK;
  if (!type || !type->box) return GANNET_OK;
  GANNET_TRY(gannet_alloc(2 * (size_t)problem->d, sizeof *box, &box));
  if (type->box(problem->d, box, box + problem->d, &problem->optimum, NULL)) problem->optimum = NAN;
  gannet_free(&box);
  return GANNET_OK;
}

gannet_err suite_plan_complete(suite_plan *plan, const suite_nodes *nodes, int p,
                               gannet_complaints *complaints) {
  suite_problem *problem = &plan->problem[p];
  const gannet_tree *node = nodes->problem[p], *root = nodes->root;
  gannet_complaints local = {0};
  problem->d = count_variables(problem, node);
  find_budget(plan, root, node, problem, &local);
  find_measures(plan, root, node, problem, &local);
  find_tables(plan, root, problem, &local);
  gannet_complaints_merge(&local, complaints);
  gannet_complaints_release(&local);
  return find_optimum(node, problem);
}
