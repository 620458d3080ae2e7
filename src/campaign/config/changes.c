#include "campaign/config/changes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/hyper_digest.h"
#include "problem/outputs.h"
#include "problem/pool.h"

enum { MOST_TOLD = 6, END_SIZE = sizeof ", and 2147483647 more" };

/* "method: neural-bo -> sobol, search.candidates: 500 -> 600": the first changes. Zeroed before. */
typedef struct {
  char text[GANNET_CHANGES_TEXT];
  size_t used;
  int n, n_told; /* some may have no room */
} change_list;

/* Values that are too long are not told.
 *
 * before, now  in  NULL = none
 */
static void add_change(change_list *l, const char *key, const char *before, const char *now) {
  const char *comma = l->used ? ", " : "";
  const size_t room = sizeof l->text - END_SIZE - l->used;
  char *end = l->text + l->used;
  l->n += 1;
  if (l->n > MOST_TOLD) return;
  int length = snprintf(end, room, "%s%s: %s -> %s", comma, key, before ? before : "(none)",
                        now ? now : "(none)");
  if (length < 0 || (size_t)length >= room) length = snprintf(end, room, "%s%s", comma, key);
  const bool fits = length > 0 && (size_t)length < room;
  l->used += fits ? (size_t)length : 0;
  l->n_told += fits;
  l->text[l->used] = '\0';
}

/* How many changes are not in the text, as in ", and 34 more". */
static void end_changes(change_list *l) {
  if (l->n > l->n_told)
    (void)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%d more",
                   l->used ? ", and " : "", l->n - l->n_told);
}

/* What makes a problem another one. */

enum { NUMBER_SIZE = 32, LIST_SIZE = 200 };

/* As short as it can be read back; an open end is none. */
static const char *format_number(double value, char *text) {
  if (!isfinite(value)) return NULL;
  (void)snprintf(text, NUMBER_SIZE, "%.15g", value);
  if (strtod(text, NULL) != value) (void)snprintf(text, NUMBER_SIZE, "%.17g", value);
  return text;
}

static void add_part(change_list *changes, const char *section, const char *name, const char *part,
                     const char *before, const char *now) {
  char key[160];
  (void)snprintf(key, sizeof key, "%s.%.100s%s%s", section, name, part ? "." : "",
                 part ? part : "");
  add_change(changes, key, before, now);
}

static void compare_numbers(change_list *changes, const char *section, const char *name,
                            const char *part, double before, double now) {
  char old[NUMBER_SIZE], new[NUMBER_SIZE];
  if (before != now)
    add_part(changes, section, name, part, format_number(before, old), format_number(now, new));
}

static const char *type_of(const gannet_variable *v) {
  return gannet_variable_type_name(v->type);
}

static const char *list_values(const gannet_variable *v, char *text) {
  size_t used = (size_t)snprintf(text, LIST_SIZE, "[");
  for (int i = 0; i < v->n_values && used < LIST_SIZE; ++i)
    used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", i ? ", " : "", v->values[i]);
  if (used + 1 < LIST_SIZE) (void)snprintf(text + used, LIST_SIZE - used, "]");
  return text;
}

/* "fixed", "free", or the expression that computes a variable. */
static const char *describe_role(const gannet_variable *v, char *text) {
  (void)snprintf(text, LIST_SIZE, "%s",
                 v->role == GANNET_ROLE_FREE    ? "free"
                 : v->role == GANNET_ROLE_FIXED ? "fixed"
                                                : v->expression);
  return text;
}

static void compare_variable(change_list *changes, const gannet_variable *before,
                             const gannet_variable *now) {
  static const char *const scales[] = {"linear", "log"};
  char old[LIST_SIZE], new[LIST_SIZE];
  if (before->type != now->type) {
    add_part(changes, "variables", now->name, "type", type_of(before), type_of(now));
    return;
  }
  if (before->role != now->role || before->role == GANNET_ROLE_DERIVED) {
    if (strcmp(describe_role(before, old), describe_role(now, new)) != 0)
      add_part(changes, "variables", now->name, NULL, old, new);
    return;
  }
  if (before->role == GANNET_ROLE_FIXED)
    compare_numbers(changes, "variables", now->name, "fixed", before->fixed, now->fixed);
  if (before->type != GANNET_VARIABLE_ORDINAL) {
    compare_numbers(changes, "variables", now->name, "lower", before->lower, now->lower);
    compare_numbers(changes, "variables", now->name, "upper", before->upper, now->upper);
  }
  if (before->step != now->step)
    add_part(changes, "variables", now->name, "step",
             before->step > 0 ? format_number(before->step, old) : NULL,
             now->step > 0 ? format_number(now->step, new) : NULL);
  if (before->scale != now->scale)
    add_part(changes, "variables", now->name, "scale", scales[before->scale == GANNET_SCALE_LOG],
             scales[now->scale == GANNET_SCALE_LOG]);
  bool same = before->n_values == now->n_values;
  for (int i = 0; i < now->n_values && same; ++i)
    same = strcmp(before->values[i], now->values[i]) == 0;
  if (!same)
    add_part(changes, "variables", now->name, "values", list_values(before, old),
             list_values(now, new));
}

static const gannet_variable *find_variable(const gannet_problem_spec *spec, const char *name) {
  for (int v = 0; v < spec->n_variables; ++v)
    if (strcmp(spec->variables[v].name, name) == 0) return &spec->variables[v];
  return NULL;
}

static void compare_variables(change_list *changes, const gannet_problem_spec *before,
                              const gannet_problem_spec *now) {
  for (int v = 0; v < before->n_variables; ++v) {
    const gannet_variable *old = &before->variables[v], *new = find_variable(now, old->name);
    if (new)
      compare_variable(changes, old, new);
    else
      add_part(changes, "variables", old->name, NULL, type_of(old), NULL);
  }
  for (int v = 0; v < now->n_variables; ++v)
    if (!find_variable(before, now->variables[v].name))
      add_part(changes, "variables", now->variables[v].name, NULL, NULL,
               type_of(&now->variables[v]));
}

static const gannet_constraint *find_constraint(const gannet_problem_spec *spec, const char *name) {
  for (int k = 0; k < spec->n_constraints; ++k)
    if (strcmp(spec->constraints[k].name, name) == 0) return &spec->constraints[k];
  return NULL;
}

static void compare_constraints(change_list *changes, const gannet_problem_spec *before,
                                const gannet_problem_spec *now) {
  const gannet_constraint none = {.lower = -INFINITY, .upper = INFINITY};
  for (int k = 0; k < before->n_constraints; ++k) {
    const gannet_constraint *old = &before->constraints[k];
    const gannet_constraint *new = find_constraint(now, old->name);
    if (!new) new = &none;
    compare_numbers(changes, "constraints", old->name, "lower", old->lower, new->lower);
    compare_numbers(changes, "constraints", old->name, "upper", old->upper, new->upper);
  }
  for (int k = 0; k < now->n_constraints; ++k) {
    const gannet_constraint *new = &now->constraints[k];
    if (find_constraint(before, new->name)) continue;
    compare_numbers(changes, "constraints", new->name, "lower", none.lower, new->lower);
    compare_numbers(changes, "constraints", new->name, "upper", none.upper, new->upper);
  }
}

/* The same names in another order: the first that is not where it was. */
static void compare_order(change_list *changes, const gannet_problem_spec *before,
                          const gannet_problem_spec *now) {
  for (int v = 0; v < now->n_variables; ++v)
    if (strcmp(before->variables[v].name, now->variables[v].name) != 0) {
      add_change(changes, "order of the variables", before->variables[v].name,
                 now->variables[v].name);
      return;
    }
  for (int k = 0; k < now->n_constraints && k < before->n_constraints; ++k)
    if (strcmp(before->constraints[k].name, now->constraints[k].name) != 0) {
      add_change(changes, "order of the constraints", before->constraints[k].name,
                 now->constraints[k].name);
      return;
    }
}

/* What the objective and the constraints are: quantities of the same name, or expressions. */
static void compare_formulas(const gannet_problem *before, const gannet_problem *now,
                             change_list *changes) {
  const gannet_formula *old = gannet_problem_formula(before, 0);
  const gannet_formula *new = gannet_problem_formula(now, 0);
  const char *old_name = gannet_problem_quantity_name(before, 0);
  const char *new_name = gannet_problem_quantity_name(now, 0);
  const char *old_text = old ? old->text : old_name, *new_text = new ? new->text : new_name;
  if (strcmp(old ? old->tokens : old_name, new ? new->tokens : new_name) != 0)
    add_change(changes, "objective", old_text, new_text);
  else if (strcmp(old_name, new_name) != 0)
    add_change(changes, "objective.name", old_name, new_name);
  for (int k = 0; k < now->spec.n_constraints; ++k) {
    const char *name = now->spec.constraints[k].name;
    const int i = gannet_problem_find_constraint(before, name);
    if (i < 0) continue;
    old = gannet_problem_formula(before, i + 1);
    new = gannet_problem_formula(now, k + 1);
    if (strcmp(old ? old->tokens : "", new ? new->tokens : "") != 0)
      add_part(changes, "constraints", name, "expression", old ? old->text : NULL,
               new ? new->text : NULL);
  }
}

static void compare_problems(const gannet_problem *old, const gannet_problem *new,
                             change_list *changes) {
  static const char *const goals[] = {"minimize", "maximize"};
  const gannet_problem_spec *before = &old->spec, *now = &new->spec;
  compare_formulas(old, new, changes);
  if (before->goal != now->goal)
    add_change(changes, "goal", goals[before->goal == GANNET_MAXIMIZE],
               goals[now->goal == GANNET_MAXIMIZE]);
  compare_variables(changes, before, now);
  compare_constraints(changes, before, now);
  if (changes->n == 0) compare_order(changes, before, now);
}

/* What makes a course another one. */

static const char *text_of(const gannet_campaign_input *input, const char *key) {
  for (int i = 0; i < input->n_method; ++i)
    if (strcmp(input->method[i].key, key) == 0) return input->method[i].text;
  return NULL;
}

/* Keys outside the method's sections that the course depends on too. */
static void compare_key(const gannet_option *table, const char *key, const char *name,
                        const void *before, const void *now, change_list *changes) {
  char old[512], new[512];
  const gannet_option *option = gannet_option_find(table, key);
  (void)gannet_option_format(option, before, old, sizeof old);
  (void)gannet_option_format(option, now, new, sizeof new);
  if (strcmp(old, new) != 0) add_change(changes, name, old, new);
}

/* Equations are too long to be told. */
static void compare_physics(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            change_list *changes) {
  char *old = NULL, *new = NULL;
  if (gannet_campaign_format_physics(before, &old) == GANNET_OK &&
      gannet_campaign_format_physics(now, &new) == GANNET_OK && strcmp(old, new) != 0)
    add_change(changes, "physics", *old ? "(as saved)" : NULL, *new ? "(as in the file)" : NULL);
  gannet_free(&old);
  gannet_free(&new);
}

/* Keys that come and go with another method are told after those that were changed. */
static void compare_method(const gannet_campaign_input *before, const gannet_campaign_input *now,
                           change_list *changes) {
  for (int i = 0; i < now->n_method; ++i) {
    const char *old = text_of(before, now->method[i].key);
    if (old && strcmp(old, now->method[i].text) != 0)
      add_change(changes, now->method[i].key, old, now->method[i].text);
  }
  for (int i = 0; i < now->n_method; ++i)
    if (!text_of(before, now->method[i].key))
      add_change(changes, now->method[i].key, NULL, now->method[i].text);
  for (int i = 0; i < before->n_method; ++i)
    if (!text_of(now, before->method[i].key))
      add_change(changes, before->method[i].key, before->method[i].text, NULL);
}

static void compare_courses(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            change_list *changes) {
  static const char *const general[] = {"batch", "noise", "candidates", "variable_constraints"};
  for (int i = 0; i < 4; ++i)
    compare_key(gannet_general_table, general[i], general[i], &before->general, &now->general,
                changes);
  compare_key(gannet_evaluate_table, "mode", "evaluate.mode", &before->evaluate, &now->evaluate,
              changes);
  if (before->cost.weigh || now->cost.weigh) {
    compare_key(gannet_cost_table, "from", "cost.from", &before->cost, &now->cost, changes);
    compare_key(gannet_cost_table, "weigh", "cost.weigh", &before->cost, &now->cost, changes);
  }
  compare_physics(before, now, changes);
  compare_method(before, now, changes);
}

/* As the user would write it, NULL when there is no such key or no memory; to be freed. */
static char *format_key(const gannet_campaign_input *input, const char *key) {
  char *text = NULL;
  const gannet_option *option = gannet_option_find(input->evaluator->options, key);
  if (!option || !gannet_yaml_is_set(option, input->evaluator_options)) return NULL;
  const size_t size = (size_t)gannet_option_format(option, input->evaluator_options, NULL, 0) + 1;
  if (gannet_alloc(size, 1, &text) != GANNET_OK) {
    gannet_error_clear();
    return NULL;
  }
  (void)gannet_option_format(option, input->evaluator_options, text, size);
  return text;
}

/* What is run, whichever back-end runs it. */
static void compare_simulation(const gannet_campaign_input *before,
                               const gannet_campaign_input *now, change_list *changes) {
  compare_key(gannet_evaluate_table, "start_from", "evaluate.start_from", &before->evaluate,
              &now->evaluate, changes);
  static const char *const keys[] = {"command",        "shell",     "script",    "plugin",
                                     "simulation",     "settings",  "templates", "case.copy",
                                     "case.templates", "case.link", "pattern"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    char name[32], *old = format_key(before, keys[i]), *new = format_key(now, keys[i]);
    (void)snprintf(name, sizeof name, "evaluate.%s", keys[i]);
    if (strcmp(old ? old : "", new ? new : "") != 0) add_change(changes, name, old, new);
    gannet_free(&old);
    gannet_free(&new);
  }
}

/* Where the numbers come from. Another source of the objective, of a constraint or of a part of
 * them is another simulation; other outputs are recorded from now on, or not any more. */
static void compare_outputs(const gannet_problem *before, const gannet_problem *now,
                            change_list *simulation, change_list *recorded) {
  const gannet_problem *const both[] = {before, now};
  for (int p = 0; p < 2; ++p)
    for (int i = 0; both[p]->outputs && i < both[p]->outputs->n; ++i) {
      const char *name = both[p]->outputs->item[i].name;
      const gannet_output *old = gannet_output_find(before, name);
      const gannet_output *new = gannet_output_find(now, name);
      const bool is_needed = gannet_problem_needs_quantity(now, name);
      char texts[2][200] = {"", ""}, key[80];
      if (p == 1 && old) continue; /* told before */
      if (old) gannet_output_describe(old, texts[0], sizeof texts[0]);
      if (new) gannet_output_describe(new, texts[1], sizeof texts[1]);
      /* What is not announced is in results.out. */
      if (strcmp(old ? texts[0] : "results.out", new ? texts[1] : "results.out") == 0) continue;
      (void)snprintf(key, sizeof key, "outputs.%s", name);
      add_change(is_needed ? simulation : recorded, key, old ? texts[0] : NULL,
                 new ? texts[1] : NULL);
    }
}

static gannet_err parse_text(const char *file, const char *text, size_t size,
                             gannet_campaign_input **input) {
  const gannet_campaign_source source = {.file = file, .text = text, .size = size};
  gannet_complaints complaints = {0};
  const gannet_err err = gannet_campaign_parse(&source, input, &complaints);
  gannet_complaints_release(&complaints);
  return err;
}

static gannet_err read_saved(const char *path, gannet_campaign_input **input) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_file_read(path, &text, &size));
  const gannet_err err = parse_text(path, text, size, input);
  gannet_free(&text);
  return err;
}

void gannet_changes_warn(const gannet_context *context, const char *saved,
                         const gannet_campaign_input *input) {
  gannet_campaign_input *before = NULL, *now = NULL;
  change_list changes = {.used = 0}, simulation = {.used = 0}, recorded = {.used = 0};
  char *text = NULL;
  size_t size = 0;
  gannet_err err = read_saved(saved, &before);
  if (err == GANNET_OK) err = gannet_campaign_format(input, &text, &size);
  /* With every default filled in, as the saved configuration is. */
  if (err == GANNET_OK) err = parse_text("configuration", text, size, &now);
  gannet_free(&text);
  if (err == GANNET_OK) {
    compare_courses(before, now, &changes);
    compare_simulation(before, now, &simulation);
    compare_outputs(before->problem, now->problem, &simulation, &recorded);
  } else {
    gannet_error_clear();
  }
  end_changes(&changes);
  end_changes(&simulation);
  end_changes(&recorded);
  if (recorded.n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "other outputs than those of the saved campaign, %s: evaluations before keep what "
               "they recorded",
               recorded.text);
  if (changes.n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "%d key%s from the saved campaign, which goes on with the new one%s: %s", changes.n,
               changes.n > 1 ? "s differ" : " differs", changes.n > 1 ? "s" : "", changes.text);
  if (simulation.n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "another simulation than that of the saved campaign, %s: its results may not be "
               "comparable with those before; for a campaign of its own choose another --directory",
               simulation.text);
  gannet_campaign_destroy(&before);
  gannet_campaign_destroy(&now);
}

void gannet_changes_warn_list(const gannet_context *context, const gannet_problem *problem,
                              const gannet_history *history) {
  int64_t missing = 0;
  if (!problem->pool) return;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    double square = 0;
    const gannet_origin origin = gannet_history_get(history, id)->origin;
    if (origin == GANNET_ORIGIN_USER || origin == GANNET_ORIGIN_IMPORT) continue;
    (void)gannet_pool_nearest(problem->pool, problem, gannet_history_x_unit(history, id), &square);
    missing += square > 0;
  }
  if (missing > 0)
    gannet_log(
        context, GANNET_LOG_WARNING,
        "the list of candidates has changed: %lld designs that were proposed from it are not "
        "in it any more; the campaign goes on with the list as it is now",
        (long long)missing);
}

bool gannet_changes_of_problem(const char *saved, const gannet_problem *problem, char *text) {
  gannet_campaign_input *before = NULL;
  change_list changes = {.used = 0};
  if (read_saved(saved, &before) == GANNET_OK)
    compare_problems(before->problem, problem, &changes);
  else
    gannet_error_clear();
  gannet_campaign_destroy(&before);
  end_changes(&changes);
  memcpy(text, changes.text, sizeof changes.text);
  return changes.n > 0;
}

static gannet_err compare_models(const gannet_campaign_input *before,
                                 const gannet_optimizer_options *old,
                                 const gannet_campaign_input *now,
                                 const gannet_optimizer_options *new, bool *same) {
  *same = old->n_members == new->n_members;
  for (int i = 0; i < new->n_members &&*same; ++i) {
    char a[GANNET_STATE_TEXT_SIZE], b[GANNET_STATE_TEXT_SIZE];
    GANNET_TRY(gannet_hyper_digest(before->problem, old, i, a));
    GANNET_TRY(gannet_hyper_digest(now->problem, new, i, b));
    *same = strcmp(a, b) == 0 &&
            strcmp(old->member[i].method.method, new->member[i].method.method) == 0;
  }
  return GANNET_OK;
}

bool gannet_changes_none_in_models(const char *saved, const gannet_campaign_input *input) {
  gannet_campaign_input *before = NULL;
  gannet_optimizer_options old = {0}, new = {0};
  bool same = false;
  gannet_err err = read_saved(saved, &before);
  if (err == GANNET_OK) err = gannet_campaign_options(before, &old);
  if (err == GANNET_OK) err = gannet_campaign_options(input, &new);
  if (err == GANNET_OK) err = compare_models(before, &old, input, &new, &same);
  if (err != GANNET_OK) gannet_error_clear();
  gannet_optimizer_options_release(&old);
  gannet_optimizer_options_release(&new);
  gannet_campaign_destroy(&before);
  return err == GANNET_OK && same;
}
