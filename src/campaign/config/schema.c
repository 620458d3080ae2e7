#include "campaign/config/schema.h"

#include <string.h>

#include "acquisition/acquisition.h"
#include "campaign/config/keys.h"
#include "evaluate/evaluator.h"
#include "optimizer/options.h"
#include "surrogate/surrogate.h"

/* The sections, in the order in which a user meets them. A further table of the optimiser is one
 * more row, with the reader GANNET_SECTION_METHOD. */
static const gannet_section fixed[] = {
    {"", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_general_table, "the campaign as a whole"},
    {"", GANNET_SECTION_METHOD, NULL, NULL, gannet_method_table, "the campaign as a whole"},
    {"variables", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
     "what the optimiser may change: a name for each variable, with its keys below"},
    {"variables.*", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_variable_table, "one variable"},
    {"constraints", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
     "results that must stay within bounds: a name for each, with its keys below"},
    {"constraints.*", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_constraint_table,
     "one constraint; at least one bound"},
    {"objective", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_objective_table,
     "which reported quantity is the objective; 'objective: drag' and 'objective: \"drag + "
     "0.01*mass\"' are short forms"},
    {"objectives", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
     "several objectives of equal rank, instead of objective, goal and noise: a name for each, as "
     "the simulation reports it, with its keys below. Where you know what is good enough in all "
     "but one, make the others constraints: that needs fewer evaluations"},
    {"objectives.*", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_objectives_table,
     "one of 2 to 5 objectives"},
    {"outputs", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
     "numbers that are recorded, and their sources if they are not in results.out: a name for "
     "each, with its keys below"},
    {"outputs.*", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_output_table,
     "one output; without file and pattern, it is a quantity of results.out"},
    {"start", GANNET_SECTION_CAMPAIGN, NULL, NULL, NULL,
     "designs to try first: a list of designs, each with values of variables by name, or the name "
     "of a CSV file with such columns; missing values are filled in; these designs count towards "
     "initial and the budget"},
    {"import", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_import_table,
     "results of earlier work, from which the models learn and which do not use up the budget: a "
     "CSV file, or a list of files and campaign directories; these are the keys of each"},
    {"physics", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_physics_table,
     "differential equations that the objective obeys; only some methods use them"},
    {"physics.equations", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_equation_table,
     "a list of equations; these are the keys of each, besides its terms"},
    {"physics.equations.terms", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_term_table,
     "a list of terms, which add up to the left side of the equation"},
    {"cost", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_cost_table,
     "what an evaluation costs; 'cost: node_hours' is short for 'cost: {from: node_hours}'"},
    {"budget", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_budget_table,
     "when to stop; at least one limit"},
    {"budget.failures", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_failure_table,
     "when to give up because simulations fail"},
    {"stop", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_stop_table,
     "conditions that end the campaign before the budget is spent; the first one that is met "
     "counts"},
    {"evaluate", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_evaluate_table,
     "how simulations are run"},
    {"surrogate", GANNET_SECTION_METHOD, NULL, NULL, gannet_surrogate_choice_table,
     "the model of the objective and the constraints"},
    {"acquisition", GANNET_SECTION_METHOD, NULL, NULL, gannet_acquisition_choice_table,
     "the rule that scores points"},
    {"region", GANNET_SECTION_METHOD, NULL, NULL, gannet_region_table,
     "the part of the space where points are sought"},
    {"search", GANNET_SECTION_METHOD, NULL, NULL, gannet_search_table,
     "how the best-scored points are found"},
    {"save", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_save_table, "snapshots of the state"},
    {"log", GANNET_SECTION_CAMPAIGN, NULL, NULL, gannet_log_table, "the log file"},
};

const gannet_short_form gannet_short_forms[] = {{"surrogate", "type"}, {"acquisition", "type"},
                                                {"region", "type"},    {"cost", "from"},
                                                {"objective", "name"}, {NULL, NULL}};

enum { FIXED = sizeof fixed / sizeof *fixed };

/* Entry *i of a NULL-terminated registry; behind its end NULL, and *i is lowered by its size. */
static const void *find_entry(const void *const *entries, int *i) {
  int k = 0;
  while (entries[k] && k < *i) ++k;
  *i -= k;
  return entries[k];
}

static bool method_section(int *i, gannet_section *section) {
  const gannet_method *method = find_entry((const void *const *)gannet_methods, i);
  if (!method) return false;
  *section =
      (gannet_section){"", GANNET_SECTION_METHOD, "method", method->name, NULL, method->summary};
  return true;
}

static bool evaluator_section(int *i, gannet_section *section) {
  const gannet_evaluator_type *type = find_entry((const void *const *)gannet_evaluator_types, i);
  if (!type) return false;
  *section = (gannet_section){"evaluate", GANNET_SECTION_CAMPAIGN, "backend",
                              type->name, type->options,           type->summary};
  return true;
}

static bool surrogate_section(int *i, gannet_section *section) {
  const gannet_surrogate_type *type = find_entry((const void *const *)gannet_surrogate_types, i);
  if (!type) return false;
  *section = (gannet_section){"surrogate", GANNET_SECTION_METHOD, "type",
                              type->name,  type->options,         type->summary};
  return true;
}

static bool acquisition_section(int *i, gannet_section *section) {
  const gannet_acq_type *type = find_entry((const void *const *)gannet_acq_types, i);
  if (!type) return false;
  *section = (gannet_section){"acquisition", GANNET_SECTION_METHOD, "type",
                              type->name,    type->options,         type->summary};
  return true;
}

bool gannet_schema_get(int i, gannet_section *section) {
  typedef bool (*family)(int *, gannet_section *);
  static const family families[] = {method_section, evaluator_section, surrogate_section,
                                    acquisition_section};
  if (i < FIXED) {
    *section = fixed[i];
    return true;
  }
  i -= FIXED;
  for (size_t f = 0; f < sizeof families / sizeof *families; ++f)
    if (families[f](&i, section)) return true;
  return false;
}

bool gannet_schema_matches(const char *pattern, const char *path) {
  for (;;) {
    const size_t a = strcspn(pattern, "."), b = strcspn(path, ".");
    const bool any = a == 1 && *pattern == '*' && b > 0;
    if (!any && (a != b || strncmp(pattern, path, a) != 0)) return false;
    pattern += a;
    path += b;
    if (*pattern != *path) return false;
    if (!*pattern) return true;
    ++pattern;
    ++path;
  }
}

void gannet_schema_children(const char *path, const char **keys, int capacity) {
  const size_t length = strlen(path);
  gannet_section section;
  int n = 0;
  for (int i = 0; gannet_schema_get(i, &section) && n < capacity - 1; ++i) {
    if (strncmp(section.path, path, length) != 0 || !section.path[length]) continue;
    const char *key = section.path + length;
    if (length > 0 && *key++ != '.') continue;
    int same = 0;
    while (same < n && strcmp(keys[same], key) != 0) ++same;
    if (same == n && !strpbrk(key, ".*")) keys[n++] = key;
  }
  keys[n] = NULL;
}
