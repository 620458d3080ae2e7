#include "campaign/config/changes.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/config/yaml_text.h"
#include "optimizer/meaning.h"
#include "problem/pool.h"

typedef gannet_change_list list;

enum { END_SIZE = sizeof ", and 2147483647 more" };

/* Values that are too long are not told. */
void gannet_changes_add(list *l, const char *key, const char *before, const char *now) {
  const char *comma = l->used ? ", " : "";
  const size_t room = sizeof l->text - END_SIZE - l->used;
  char *end = l->text + l->used;
  l->n += 1;
  if (l->n > GANNET_CHANGES_TOLD) return;
  int length = snprintf(end, room, "%s%s: %s -> %s", comma, key, before ? before : "(none)",
                        now ? now : "(none)");
  if (length < 0 || (size_t)length >= room) length = snprintf(end, room, "%s%s", comma, key);
  const bool fits = length > 0 && (size_t)length < room;
  l->used += fits ? (size_t)length : 0;
  l->n_told += fits;
  l->text[l->used] = '\0';
}

void gannet_changes_end(list *l) {
  if (l->n > l->n_told)
    (void)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%d more",
                   l->used ? ", and " : "", l->n - l->n_told);
}

static const char *text_of(const gannet_campaign_input *input, const char *key) {
  for (int i = 0; i < input->n_method; ++i)
    if (strcmp(input->method[i].key, key) == 0) return input->method[i].text;
  return NULL;
}

/* Keys outside the method's sections that the course depends on too. */
static void compare_key(const gannet_option *table, const char *key, const char *name,
                        const void *before, const void *now, list *changes) {
  char old[512], new[512];
  const gannet_option *option = gannet_option_find(table, key);
  (void)gannet_option_format(option, before, old, sizeof old);
  (void)gannet_option_format(option, now, new, sizeof new);
  if (strcmp(old, new) != 0) gannet_changes_add(changes, name, old, new);
}

/* Equations are too long to be told. */
static void compare_physics(const gannet_campaign_input *before, const gannet_campaign_input *now,
                            list *changes) {
  char *old = NULL, *new = NULL;
  if (gannet_campaign_format_physics(before, &old) == GANNET_OK &&
      gannet_campaign_format_physics(now, &new) == GANNET_OK && strcmp(old, new) != 0)
    gannet_changes_add(changes, "physics", *old ? "(as saved)" : NULL,
                       *new ? "(as in the file)" : NULL);
  gannet_free(&old);
  gannet_free(&new);
}

/* Keys that come and go with another method are told after those that were changed. */
static void compare_method(const gannet_campaign_input *before, const gannet_campaign_input *now,
                           list *changes) {
  for (int i = 0; i < now->n_method; ++i) {
    const char *old = text_of(before, now->method[i].key);
    if (old && strcmp(old, now->method[i].text) != 0)
      gannet_changes_add(changes, now->method[i].key, old, now->method[i].text);
  }
  for (int i = 0; i < now->n_method; ++i)
    if (!text_of(before, now->method[i].key))
      gannet_changes_add(changes, now->method[i].key, NULL, now->method[i].text);
  for (int i = 0; i < before->n_method; ++i)
    if (!text_of(now, before->method[i].key))
      gannet_changes_add(changes, before->method[i].key, before->method[i].text, NULL);
}

static void compare(const gannet_campaign_input *before, const gannet_campaign_input *now,
                    list *changes) {
  static const char *const general[] = {"batch", "noise", "candidates"};
  for (int i = 0; i < 3; ++i)
    compare_key(gannet_general_table, general[i], general[i], &before->general, &now->general,
                changes);
  compare_key(gannet_evaluate_table, "mode", "evaluate.mode", &before->evaluate, &now->evaluate,
              changes);
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
                               const gannet_campaign_input *now, list *changes) {
  static const char *const keys[] = {"command",    "shell",    "script",    "plugin",
                                     "simulation", "settings", "templates", "pattern"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    char name[32], *old = format_key(before, keys[i]), *new = format_key(now, keys[i]);
    (void)snprintf(name, sizeof name, "evaluate.%s", keys[i]);
    if (strcmp(old ? old : "", new ? new : "") != 0) gannet_changes_add(changes, name, old, new);
    gannet_free(&old);
    gannet_free(&new);
  }
}

static gannet_err parse(const char *file, const char *text, size_t size,
                        gannet_campaign_input **input) {
  const gannet_campaign_source source = {.file = file, .text = text, .size = size};
  gannet_complaints complaints = {0};
  const gannet_err err = gannet_campaign_parse(&source, input, &complaints);
  gannet_complaints_release(&complaints);
  return err;
}

/* With every default filled in, as the saved configuration is. */
static gannet_err fill_in(const gannet_campaign_input *input, gannet_campaign_input **full) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_format(input, &text, &size));
  const gannet_err err = parse("configuration", text, size, full);
  gannet_free(&text);
  return err;
}

static gannet_err read_saved(const char *path, gannet_campaign_input **input) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_file_read(path, &text, &size));
  const gannet_err err = parse(path, text, size, input);
  gannet_free(&text);
  return err;
}

void gannet_changes_warn(const gannet_context *context, const char *saved,
                         const gannet_campaign_input *input) {
  gannet_campaign_input *before = NULL, *now = NULL;
  list changes = {.used = 0}, simulation = {.used = 0};
  if (read_saved(saved, &before) == GANNET_OK && fill_in(input, &now) == GANNET_OK) {
    compare(before, now, &changes);
    compare_simulation(before, now, &simulation);
  } else {
    gannet_error_clear();
  }
  gannet_changes_end(&changes);
  gannet_changes_end(&simulation);
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
    if (gannet_history_get(history, id)->origin == GANNET_ORIGIN_USER) continue;
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

void gannet_changes_of_problem(const char *saved, const gannet_problem *problem,
                               gannet_change_list *changes) {
  gannet_campaign_input *before = NULL;
  if (read_saved(saved, &before) == GANNET_OK)
    gannet_changes_compare_problems(gannet_problem_get_spec(before->problem),
                                    gannet_problem_get_spec(problem), changes);
  else
    gannet_error_clear();
  gannet_campaign_destroy(&before);
}

static gannet_err compare_models(const gannet_campaign_input *before,
                                 const gannet_optimizer_options *old,
                                 const gannet_campaign_input *now,
                                 const gannet_optimizer_options *new, bool *same) {
  *same = old->n_members == new->n_members;
  for (int i = 0; i < new->n_members &&*same; ++i) {
    char a[GANNET_STATE_TEXT_SIZE], b[GANNET_STATE_TEXT_SIZE];
    GANNET_TRY(gannet_meaning_of(before->problem, old, i, a));
    GANNET_TRY(gannet_meaning_of(now->problem, new, i, b));
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
