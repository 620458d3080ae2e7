/* What follows from the keys of a problem: sizes, optimum, measures, budgets of the tables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "simulations/registry.h"
#include "suite/plan_parts.h"

enum { WHERE = 512 };

static void where_of(const gannet_tree *node, const char *key, char *where) {
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

static void settle_amount(const char *text, int d, const char *key, const char *where,
                          gannet_complaints *complaints, int *amount) {
  if (suite_amount_read(text, d, amount) == 0) return;
  *amount = 1;
  gannet_complain(complaints, where,
                  "%s: '%.60s' is not a number of evaluations; expected one as in 300 or 20*D", key,
                  text);
}

static void settle_budget(const suite_plan *plan, const gannet_tree *root, const gannet_tree *node,
                          suite_problem *problem, gannet_complaints *complaints) {
  const bool own = problem->keys.budget && strcmp(problem->keys.budget, "auto") != 0;
  char where[WHERE];
  where_of(own ? node : root, "budget", where);
  settle_amount(own ? problem->keys.budget : plan->keys.budget, problem->d > 0 ? problem->d : 1,
                "budget", where, complaints, &problem->budget);
  const bool own_initial = problem->keys.initial && strcmp(problem->keys.initial, "auto") != 0;
  const char *initial = own_initial ? problem->keys.initial : plan->keys.initial;
  problem->initial = 0;
  if (strcmp(initial, "auto") != 0) {
    where_of(own_initial ? node : root, "initial", where);
    settle_amount(initial, problem->d > 0 ? problem->d : 1, "initial", where, complaints,
                  &problem->initial);
  }
  problem->batch = problem->keys.batch != GANNET_AUTO ? problem->keys.batch : plan->keys.batch;
}

static void settle_measures(const suite_plan *plan, const gannet_tree *root,
                            const gannet_tree *node, suite_problem *problem,
                            gannet_complaints *complaints) {
  const bool own = problem->keys.measures.n > 0;
  const gannet_text_list *list = own ? &problem->keys.measures : &plan->keys.measures;
  char where[WHERE];
  where_of(own ? node : root, "measures", where);
  problem->n_measures = 0;
  for (int i = 0; i < list->n && i < SUITE_MEASURES; ++i)
    if (suite_measure_find(list->item[i], &problem->measure[problem->n_measures]) == GANNET_OK) {
      problem->n_measures += 1;
    } else {
      gannet_complain(complaints, where, "%s", gannet_error_detail());
      gannet_error_clear();
    }
}

static gannet_err label_tables(suite_plan *plan) {
  static const char *const shares[] = {"25 %", "50 %", "100 %"};
  const gannet_text_list *list = &plan->keys.tables;
  if (plan->table_label) return GANNET_OK;
  const int n = list->n > 0 ? list->n : 3;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *plan->table_label, &plan->table_label));
  for (plan->n_tables = 0; plan->n_tables < n; ++plan->n_tables) {
    const int t = plan->n_tables;
    GANNET_TRY(gannet_copy_text(list->n > 0 ? list->item[t] : shares[t], &plan->table_label[t]));
  }
  return GANNET_OK;
}

static void settle_tables(const suite_plan *plan, const gannet_tree *root, suite_problem *problem,
                          gannet_complaints *complaints) {
  static const int parts[] = {4, 2, 1};
  const gannet_text_list *list = &plan->keys.tables;
  char where[WHERE];
  where_of(root, "tables", where);
  if (list->n > SUITE_TABLES_MOST)
    gannet_complain(complaints, where, "tables: %d budgets, at most %d", list->n,
                    SUITE_TABLES_MOST);
  for (int t = 0; t < plan->n_tables && t < SUITE_TABLES_MOST; ++t) {
    int *at = &problem->table[t];
    if (list->n > 0)
      settle_amount(list->item[t], problem->d > 0 ? problem->d : 1, "tables", where, complaints,
                    at);
    else
      *at = (problem->budget + parts[t] - 1) / parts[t];
    if (*at > problem->budget) *at = problem->budget;
  }
}

static gannet_err settle_optimum(const gannet_tree *node, suite_problem *problem) {
  const gannet_simulation_type *type = NULL;
  const gannet_tree *goal = gannet_tree_find(node, "goal");
  const bool maximize = goal && goal->text && strcmp(goal->text, "maximize") == 0;
  double *box = NULL;
  problem->optimum = problem->keys.optimum * (maximize ? -1 : 1);
  if (!isnan(problem->optimum) || !problem->keys.function || problem->d == 0) return GANNET_OK;
  /* What is published is a minimum over the function's own box. */
  if (maximize || gannet_tree_find(node, "variables")) return GANNET_OK;
  if (gannet_simulation_find(problem->keys.function, &type) != GANNET_OK) {
    gannet_error_clear();
    return GANNET_OK;
  }
  if (!type->box) return GANNET_OK;
  GANNET_TRY(gannet_alloc(2 * (size_t)problem->d, sizeof *box, &box));
  if (type->box(problem->d, box, box + problem->d, &problem->optimum, NULL)) problem->optimum = NAN;
  gannet_free(&box);
  return GANNET_OK;
}

gannet_err suite_plan_settle(suite_plan *plan, const suite_places *places, int p,
                             gannet_complaints *complaints) {
  suite_problem *problem = &plan->problem[p];
  const gannet_tree *node = places->problem[p], *root = places->root;
  gannet_complaints local = {0};
  GANNET_TRY(label_tables(plan));
  problem->d = count_variables(problem, node);
  settle_budget(plan, root, node, problem, &local);
  settle_measures(plan, root, node, problem, &local);
  settle_tables(plan, root, problem, &local);
  suite_relay(&local, complaints);
  gannet_complaints_release(&local);
  return settle_optimum(node, problem);
}
