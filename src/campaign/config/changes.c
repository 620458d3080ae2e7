/* What makes a course or a simulation another one, and warnings about changes. */
#include "campaign/config/changes.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/hyper_digest.h"
#include "problem/expression.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

static const char *text_of(const gannet_campaign_input *input, const char *key) {
  for (int i = 0; i < input->n_method; ++i)
    if (strcmp(input->method[i].key, key) == 0) return input->method[i].text;
  return NULL;
}

/* Compare a key outside the method's sections that the course depends on, too: a number, a word, or
 * a path. */
static void compare_key(const gannet_option *table, const char *key, const char *name,
                        const void *before, const void *now, gannet_change_collector *changes) {
  char old[PATH_MAX], new[PATH_MAX];
  const gannet_option *option = gannet_option_find(table, key);
  (void)gannet_option_format(option, before, old, sizeof old);
  (void)gannet_option_format(option, now, new, sizeof new);
  if (strcmp(old, new) != 0) gannet_change_collect(changes, name, old, new);
}

/* Compare the equations, which are too long to be told. */
static void compare_physics(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            gannet_change_collector *changes) {
  char *old = NULL, *new = NULL;
  if (gannet_campaign_format_physics(before, &old) == GANNET_OK &&
      gannet_campaign_format_physics(now, &new) == GANNET_OK && strcmp(old, new) != 0)
    gannet_change_collect(changes, "physics", *old ? "(as saved)" : NULL,
                          *new ? "(as in the file)" : NULL);
  gannet_free(&old);
  gannet_free(&new);
}

/* Compare the keys of the method. Keys that come and go with another method are told last. */
static void compare_method(const gannet_campaign_input *before, const gannet_campaign_input *now,
                           gannet_change_collector *changes) {
  for (int i = 0; i < now->n_method; ++i) {
    const char *old = text_of(before, now->method[i].key);
    if (old && strcmp(old, now->method[i].text) != 0)
      gannet_change_collect(changes, now->method[i].key, old, now->method[i].text);
  }
  for (int i = 0; i < now->n_method; ++i)
    if (!text_of(before, now->method[i].key))
      gannet_change_collect(changes, now->method[i].key, NULL, now->method[i].text);
  for (int i = 0; i < before->n_method; ++i)
    if (!text_of(now, before->method[i].key))
      gannet_change_collect(changes, before->method[i].key, before->method[i].text, NULL);
}

static void compare_courses(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            gannet_change_collector *changes) {
  static const char *const general[] = {"batch", "noise", "candidates"};
  for (int i = 0; i < 3; ++i)
    compare_key(gannet_general_table, general[i], general[i], &before->general, &now->general,
                changes);
  compare_key(gannet_evaluate_table, "mode", "evaluate.mode", &before->evaluate, &now->evaluate,
              changes);
  if (before->cost.weigh || now->cost.weigh) {
    compare_key(gannet_cost_table, "from", "cost.from", &before->cost, &now->cost, changes);
    compare_key(gannet_cost_table, "weigh", "cost.weigh", &before->cost, &now->cost, changes);
  }
  gannet_changes_of_objectives(&before->problem->spec, &now->problem->spec, changes);
  compare_physics(before, now, changes);
  compare_method(before, now, changes);
}

/* Format a key of the back-end as the user would write it; NULL when it is not set, or when there
 * is no memory. To be freed with gannet_free. */
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

/* Compare what is run, whichever back-end runs it. */
static void compare_simulation(const gannet_campaign_input *before,
                               const gannet_campaign_input *now, gannet_change_collector *changes) {
  if (before->evaluator != now->evaluator)
    gannet_change_collect(changes, "evaluate.backend", before->evaluator->name,
                          now->evaluator->name);
  compare_key(gannet_evaluate_table, "start_from", "evaluate.start_from", &before->evaluate,
              &now->evaluate, changes);
  static const char *const keys[] = {"command",        "shell",     "script",    "plugin",
                                     "simulation",     "settings",  "templates", "case.copy",
                                     "case.templates", "case.link", "pattern"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    char name[32], *old = format_key(before, keys[i]), *new = format_key(now, keys[i]);
    (void)snprintf(name, sizeof name, "evaluate.%s", keys[i]);
    if (strcmp(old ? old : "", new ? new : "") != 0) gannet_change_collect(changes, name, old, new);
    gannet_free(&old);
    gannet_free(&new);
  }
}

/* Compare where the numbers come from. Another source of the objective, of a constraint or of a
 * part of them is another simulation; other outputs are recorded from now on, or not any more. */
static void compare_outputs(const gannet_problem *before, const gannet_problem *now,
                            gannet_change_collector *simulation,
                            gannet_change_collector *recorded) {
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
      gannet_change_collect(is_needed ? simulation : recorded, key, old ? texts[0] : NULL,
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

static const char *unit_of(const gannet_problem *problem, int quantity) {
  return quantity > 0 ? gannet_problem_unit(problem->constraint_unit, quantity - 1)
                      : gannet_problem_objective_unit(problem);
}

/* Compare units, which are only shown: nothing is computed with them. */
static void compare_units(const gannet_problem *before, const gannet_problem *now,
                          gannet_change_collector *recorded) {
  char key[120];
  for (int v = 0; v < now->spec.n_variables; ++v) {
    const char *name = now->spec.variables[v].name;
    const int old = gannet_problem_find_variable(before, name);
    const char *was = old < 0 ? "" : gannet_problem_unit(before->variable_unit, old);
    const char *is = gannet_problem_unit(now->variable_unit, v);
    (void)snprintf(key, sizeof key, "variables.%.80s.unit", name);
    if (old >= 0 && strcmp(was, is) != 0)
      gannet_change_collect(recorded, key, *was ? was : NULL, *is ? is : NULL);
  }
  for (int q = 0; q <= now->spec.n_constraints; ++q) {
    const char *name = gannet_problem_quantity_name(now, q);
    const bool is_objective = gannet_problem_quantity_objective(now, q) >= 0;
    const bool is_single = is_objective && now->spec.n_objectives == 0;
    const bool were_single = is_single && before->spec.n_objectives == 0;
    const int old = were_single ? 0 : gannet_problem_find_quantity(before, name);
    const char *was = old < 0 ? "" : unit_of(before, old), *is = unit_of(now, q);
    (void)snprintf(key, sizeof key, "%s.%.80s%sunit",
                   is_single      ? "objective"
                   : is_objective ? "objectives"
                                  : "constraints",
                   is_single ? "" : name, is_single ? "" : ".");
    if (old >= 0 && strcmp(was, is) != 0)
      gannet_change_collect(recorded, key, *was ? was : NULL, *is ? is : NULL);
  }
}

gannet_err gannet_changes_of_settings(const char *saved, const gannet_campaign_input *input,
                                      gannet_changes *changes) {
  gannet_campaign_input *before = NULL, *now = NULL;
  gannet_change_collector course = {&changes->course, GANNET_OK};
  gannet_change_collector simulation = {&changes->simulation, GANNET_OK};
  gannet_change_collector recorded = {&changes->recorded, GANNET_OK};
  char *text = NULL;
  size_t size = 0;
  gannet_err err = read_saved(saved, &before);
  if (err == GANNET_OK) err = gannet_campaign_format(input, &text, &size);
  /* Parsed again from its effective text, so that every default is filled in, as in the saved one.
   */
  if (err == GANNET_OK) err = parse_text("configuration", text, size, &now);
  gannet_free(&text);
  if (err == GANNET_OK) {
    compare_courses(before, now, &course);
    compare_simulation(before, now, &simulation);
    compare_outputs(before->problem, now->problem, &simulation, &recorded);
    compare_units(before->problem, now->problem, &recorded);
    err = course.err ? course.err : simulation.err ? simulation.err : recorded.err;
  } else if (err != GANNET_ERR_MEMORY) {
    gannet_error_clear();
    err = GANNET_OK;
  }
  gannet_campaign_destroy(&before);
  gannet_campaign_destroy(&now);
  return err;
}

void gannet_changes_release(gannet_changes *changes) {
  gannet_change_list_release(&changes->problem);
  gannet_change_list_release(&changes->course);
  gannet_change_list_release(&changes->simulation);
  gannet_change_list_release(&changes->recorded);
}

void gannet_changes_warn(const gannet_context *context, const gannet_changes *changes) {
  char text[GANNET_CHANGES_TEXT];
  const int n = changes->course.n;
  gannet_change_list_format(&changes->recorded, text);
  if (changes->recorded.n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "the outputs differ from those of the saved campaign, %s: earlier evaluations keep "
               "what they recorded",
               text);
  gannet_change_list_format(&changes->course, text);
  if (n > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "%d key%s from the saved campaign, which continues with the new one%s: %s", n,
               n > 1 ? "s differ" : " differs", n > 1 ? "s" : "", text);
  gannet_change_list_format(&changes->simulation, text);
  if (changes->simulation.n > 0)
    gannet_log(
        context, GANNET_LOG_WARNING,
        "the simulation differs from that of the saved campaign, %s: new results may not be "
        "comparable with earlier ones; to start a separate campaign, choose another --directory",
        text);
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
    gannet_log(context, GANNET_LOG_WARNING,
               "the list of candidates has changed: %lld designs that were proposed from it are no "
               "longer in it; the campaign continues with the new list",
               (long long)missing);
}

/* An evolution strategy, the last member, counts as no difference: version 0.1.0 had none. */
static gannet_err compare_models(const gannet_campaign_input *before,
                                 const gannet_optimizer_options *old,
                                 const gannet_campaign_input *now,
                                 const gannet_optimizer_options *new, bool *same) {
  int n = new->n_members;
  if (n > 1 && new->member[n - 1].proposer == GANNET_PROPOSE_EVOLUTION) --n;
  *same = old->n_members == n && (n > 1) == (new->n_members > 1);
  for (int i = 0; i < n && *same; ++i) {
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
