/* Reading a campaign: from the text of its file, or a tree, to a gannet_campaign_input.
 *
 * The sections of the campaign itself are read here, by their option tables. The other sections
 * have files of their own: evaluate_section.c, method_section.c, variables.c (also constraints),
 * outputs.c, equations.c, start.c, imports.c.
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/carry_over.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"
#include "evaluate/backends.h"
#include "optimizer/options.h"
#include "problem/outputs.h"
#include "problem/quantities.h"

enum { MOST_SECTIONS = 64, LONGEST_NAME = 100 };

void gannet_campaign_destroy(gannet_campaign_input **pointer) {
  gannet_campaign_input *input = *pointer;
  if (!input) return;
  for (int i = 0; i < input->n_method; ++i) {
    char *key = (char *)(uintptr_t)input->method[i].key;
    char *text = (char *)(uintptr_t)input->method[i].text;
    gannet_free(&key);
    gannet_free(&text);
    gannet_free(&input->method_location[i]);
  }
  gannet_free(&input->method);
  gannet_free(&input->method_location);
  if (input->evaluator_options && input->evaluator->options)
    gannet_options_release(input->evaluator->options, input->evaluator_options,
                           input->evaluator->options_size);
  gannet_free(&input->evaluator_options);
  gannet_problem_destroy(&input->problem);
  gannet_start_release(&input->start);
  gannet_config_release_imports(input);
  gannet_residuals_release(input);
  for (int i = 0; i < input->n_locations; ++i) {
    gannet_free(&input->location[i].key);
    gannet_free(&input->location[i].text);
  }
  gannet_free(&input->location);
  gannet_options_release(gannet_general_table, &input->general, sizeof input->general);
  gannet_options_release(gannet_cost_table, &input->cost, sizeof input->cost);
  gannet_options_release(gannet_evaluate_table, &input->evaluate, sizeof input->evaluate);
  gannet_free(pointer);
}

/* The sections of the campaign itself. */

/* "inputs/my heater.yaml" names the campaign my_heater; a letter of several bytes is one '_'. */
static gannet_err name_from_file(const char *file, char **name) {
  char buffer[LONGEST_NAME + 1];
  (void)snprintf(buffer, sizeof buffer, "%s", gannet_file_name_of(file));
  char *dot = strrchr(buffer, '.');
  if (dot && dot > buffer) *dot = '\0';
  char *end = buffer;
  for (const char *c = buffer; *c; ++c) {
    const bool is_continuation = ((unsigned char)*c & 0xc0) == 0x80; /* of a letter of UTF-8 */
    if (is_continuation && c > buffer) continue;
    const bool fits = isalnum((unsigned char)*c) || *c == '_' || (end > buffer && strchr("-.", *c));
    *end++ = (char)(fits ? *c : '_');
  }
  *end = '\0';
  gannet_free(name);
  return gannet_copy_text(*buffer ? buffer : "campaign", name);
}

static bool is_name(const char *name) {
  bool valid = (isalnum((unsigned char)*name) || *name == '_') && strlen(name) <= LONGEST_NAME;
  for (; *name && valid; ++name) valid = isalnum((unsigned char)*name) || strchr("_-.", *name);
  return valid;
}

static gannet_err choose_name(const gannet_config_reader *reader) {
  gannet_general *general = &reader->input->general;
  const gannet_tree *node = gannet_tree_find(reader->root, "name");
  char location[GANNET_LOCATION_SIZE];
  if (!node || (general->name && strcmp(general->name, "auto") == 0))
    return name_from_file(reader->file, &general->name);
  gannet_tree_location(node, location, sizeof location);
  if (general->name && !is_name(general->name))
    gannet_complain(reader->complaints, location,
                    "name: '%.*s' is not valid; expected up to %d letters, digits, '_', '-' and "
                    "'.', beginning with a letter, a digit or '_'",
                    LONGEST_NAME, general->name, LONGEST_NAME);
  return GANNET_OK;
}

/* path  in  "" = the top level, "budget", or "budget.failures" */
static gannet_err read_section(const gannet_config_reader *reader, const char *path,
                               const gannet_option *table, void *target) {
  const char *children[MOST_SECTIONS];
  const gannet_tree *node = reader->root;
  const char *dot = strchr(path, '.');
  gannet_schema_children(path, children, MOST_SECTIONS);
  if (dot) {
    char parent[64];
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(dot - path), path);
    node = gannet_tree_find(gannet_tree_find(node, parent), dot + 1);
  } else if (*path) {
    node = gannet_tree_find(node, path);
  }
  const gannet_section_source source = {.path = path,
                                        .node = node,
                                        .fallback_location = reader->file,
                                        .table = table,
                                        .also = *path ? NULL : gannet_method_table,
                                        .sections = children};
  return gannet_section_read(&source, target, reader->complaints);
}

static void check_budget(const gannet_config_reader *reader) {
  const gannet_budget *budget = &reader->input->budget;
  const gannet_tree *node = gannet_tree_find(reader->root, "budget");
  char location[GANNET_LOCATION_SIZE];
  if (budget->evaluations != GANNET_AUTO || !isnan(budget->wall_time) || !isnan(budget->cost))
    return;
  (void)snprintf(location, sizeof location, "%s", reader->file);
  if (node) gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(
      reader->complaints, location,
      "budget: give a limit, as in budget: {evaluations: 200} or budget: {wall_time: 4h}");
}

/* Check that budget.cost counts the time or a result, and that its limit is in the unit of that. */
static void check_cost(const gannet_config_reader *reader) {
  enum { MOST_NAMES = 128 };
  const gannet_campaign_input *input = reader->input;
  const gannet_tree *limit = gannet_tree_find(gannet_tree_find(reader->root, "budget"), "cost");
  const char *cost = input->cost.from, *names[MOST_NAMES + 1] = {"time"};
  char location[GANNET_LOCATION_SIZE], list[300];
  double number;
  int n = 1;
  if (reader->complaints->count > 0 || strcmp(cost, "time") == 0) return;
  bool is_known = gannet_problem_find_quantity(input->problem, cost) >= 0;
  for (int i = 0; n < MOST_NAMES && gannet_problem_known_quantity(input->problem, i); ++i) {
    names[n] = gannet_problem_known_quantity(input->problem, i);
    is_known = is_known || strcmp(names[n], cost) == 0;
    ++n;
  }
  const char *near = gannet_nearest(cost, names);
  gannet_problem_list_quantities(input->problem, list, sizeof list);
  if (!is_known)
    gannet_complain(
        reader->complaints, gannet_campaign_location(input, "cost.from"),
        "cost: '%.80s' is not a result of the simulation%s%s%s; expected time or one of:%s "
        "(declare another one in the section outputs, as in 'outputs: {%.80s: {}}')",
        cost, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list, cost);
  if (!limit || limit->kind != GANNET_TREE_TEXT || strcmp(limit->text, "auto") == 0 ||
      gannet_parse_number(limit->text, &number) == 0)
    return;
  gannet_tree_location(limit, location, sizeof location);
  gannet_complain_of_key(reader->complaints, location, "budget", "cost",
                         "'%.80s' is a time, and cost names the quantity '%.80s'; expected a "
                         "number in the unit of that quantity",
                         limit->text, cost);
}

/* Check that a probability of a regret comes with that regret. */
static void check_stop(const gannet_config_reader *reader) {
  const gannet_tree *regret = gannet_tree_find(gannet_tree_find(reader->root, "stop"), "regret");
  const gannet_tree *probability = gannet_tree_find(regret, "probability");
  char location[GANNET_LOCATION_SIZE];
  if (!probability || gannet_tree_find(regret, "within")) return;
  gannet_tree_key_location(probability, location, sizeof location);
  gannet_complain(reader->complaints, location,
                  "stop.regret.probability: needs within, the regret that does not matter, as in "
                  "regret: {within: 1e-3, probability: 0.95}");
}

/* The whole. */

static gannet_err read_all(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  GANNET_TRY(gannet_config_note_locations(reader));
  GANNET_TRY(read_section(reader, "", gannet_general_table, &input->general));
  GANNET_TRY(choose_name(reader));
  GANNET_TRY(read_section(reader, "cost", gannet_cost_table, &input->cost));
  GANNET_TRY(read_section(reader, "budget", gannet_budget_table, &input->budget));
  GANNET_TRY(read_section(reader, "budget.failures", gannet_failure_table, &input->failures));
  GANNET_TRY(read_section(reader, "stop", gannet_stop_table, &input->stop));
  check_stop(reader);
  GANNET_TRY(read_section(reader, "save", gannet_save_table, &input->save));
  GANNET_TRY(read_section(reader, "log", gannet_log_table, &input->log));
  if (reader->complaints->count == 0) check_budget(reader);
  GANNET_TRY(gannet_config_read_evaluate(reader));
  GANNET_TRY(gannet_config_read_method(reader));
  GANNET_TRY(gannet_config_read_problem(reader));
  GANNET_TRY(gannet_config_read_variable_constraints(reader));
  GANNET_TRY(gannet_config_read_outputs(reader));
  GANNET_TRY(gannet_config_read_start(reader));
  GANNET_TRY(gannet_config_read_imports(reader));
  check_cost(reader);
  GANNET_TRY(gannet_config_read_physics(reader));
  GANNET_TRY(gannet_config_check_method(reader));
  GANNET_TRY(gannet_config_check_evaluate(reader));
  if (reader->complaints->count > 0) return GANNET_OK;
  int *batch = &input->general.batch, *parallel = &input->evaluate.parallel;
  input->parallel_follows = *parallel == GANNET_AUTO &&
                            input->evaluator == &gannet_evaluator_command &&
                            gannet_resources_are_given(&input->evaluate.resources);
  input->batch_follows = input->parallel_follows && *batch == GANNET_AUTO;
  if (*batch == GANNET_AUTO) *batch = *parallel > 1 ? *parallel : 1;
  if (*parallel == GANNET_AUTO) *parallel = *batch;
  return GANNET_OK;
}

static gannet_err expand_short_forms(gannet_tree_file *tree) {
  const gannet_tree *objective = gannet_tree_find(&tree->root, "objective");
  if (objective && objective->kind == GANNET_TREE_TEXT && !objective->empty &&
      !gannet_quantity_is_name(objective->text))
    GANNET_TRY(gannet_tree_expand(tree, "objective", "expression"));
  for (const gannet_short_form *form = gannet_short_forms; form->section; ++form)
    GANNET_TRY(gannet_tree_expand(tree, form->section, form->key));
  return GANNET_OK;
}

static gannet_err parse_tree(const gannet_campaign_source *source, gannet_tree_file *tree,
                             gannet_campaign_input **input, gannet_complaints *complaints) {
  GANNET_TRY(gannet_alloc(1, sizeof **input, input));
  (*input)->start.may_have_run = source->before != NULL;
  const gannet_config_reader reader = {.file = source->file,
                                       .root = &tree->root,
                                       .input = *input,
                                       .complaints = complaints,
                                       .beside = source->beside};
  const gannet_tree *objective = gannet_tree_find(&tree->root, "objective");
  if (objective && objective->kind == GANNET_TREE_TEXT &&
      (strcmp(objective->text, "minimize") == 0 || strcmp(objective->text, "maximize") == 0)) {
    char location[GANNET_LOCATION_SIZE];
    gannet_tree_key_location(objective, location, sizeof location);
    gannet_complain(complaints, location,
                    "objective: expected the quantity that is the objective; did you mean "
                    "'goal: %s'?",
                    objective->text);
  }
  const gannet_tree *problems = gannet_tree_find(&tree->root, "problems");
  if (problems && gannet_tree_find(&tree->root, "methods") &&
      !gannet_tree_find(&tree->root, "variables")) {
    char location[GANNET_LOCATION_SIZE];
    gannet_tree_key_location(problems, location, sizeof location);
    gannet_complain(complaints, location,
                    "problems and methods are those of a suite, which `gannet bench` takes; "
                    "expected variables, as a campaign has them");
    gannet_campaign_destroy(input);
    return gannet_complaints_raise(complaints);
  }
  gannet_err err = expand_short_forms(tree);
  if (err == GANNET_OK)
    err = gannet_config_imply_backend(tree, &(*input)->backend_is_implied, complaints);
  if (err == GANNET_OK)
    err = gannet_config_rename_keys(gannet_schema_get, &tree->root, false, complaints);
  if (err == GANNET_OK) err = read_all(&reader);
  if (err == GANNET_OK) err = gannet_complaints_raise(complaints);
  if (err != GANNET_OK) gannet_campaign_destroy(input);
  return err;
}

gannet_err gannet_campaign_parse_tree(const char *file, gannet_tree_file *tree,
                                      gannet_campaign_input **input,
                                      gannet_complaints *complaints) {
  const gannet_campaign_source source = {.file = file};
  return parse_tree(&source, tree, input, complaints);
}

/* The file as a tree, with the changes from the command line, and with what is carried over. */
static gannet_err make_tree(const gannet_campaign_source *source, gannet_tree_file *tree,
                            gannet_complaints *complaints) {
  GANNET_TRY(gannet_tree_parse(source->file, source->text, source->size, tree, complaints));
  if (!tree->usable) return GANNET_OK;
  GANNET_TRY(gannet_config_rename_keys(gannet_schema_get, &tree->root, false, complaints));
  for (int i = 0; i < source->n_sets; ++i) {
    GANNET_TRY(expand_short_forms(tree));
    GANNET_TRY(gannet_tree_override(tree, source->sets[i], complaints));
    GANNET_TRY(gannet_config_rename_keys(gannet_schema_get, &tree->root, true, complaints));
  }
  return source->before ? gannet_config_carry_over(source->before, tree, complaints) : GANNET_OK;
}

gannet_err gannet_campaign_find_name(const gannet_campaign_source *source, char **name) {
  gannet_tree_file tree = {0};
  gannet_complaints complaints = {0};
  *name = NULL;
  gannet_err err = make_tree(source, &tree, &complaints);
  const gannet_tree *node = gannet_tree_find(&tree.root, "name");
  const bool is_given = node && node->kind == GANNET_TREE_TEXT && !node->empty;
  if (err == GANNET_OK && tree.usable)
    err = is_given && strcmp(node->text, "auto") != 0 ? gannet_copy_text(node->text, name)
                                                      : name_from_file(source->file, name);
  gannet_complaints_release(&complaints);
  gannet_tree_release(&tree);
  return err;
}

gannet_err gannet_campaign_parse(const gannet_campaign_source *source,
                                 gannet_campaign_input **input, gannet_complaints *complaints) {
  gannet_tree_file tree = {0};
  *input = NULL;
  gannet_err err = make_tree(source, &tree, complaints);
  if (err == GANNET_OK && !tree.usable) err = gannet_complaints_raise(complaints);
  if (err == GANNET_OK) err = parse_tree(source, &tree, input, complaints);
  gannet_tree_release(&tree);
  return err;
}

gannet_err gannet_campaign_parse_problem(const char *text, gannet_problem **problem) {
  const gannet_campaign_source source = {.file = "description", .text = text, .size = strlen(text)};
  gannet_campaign_input *input = NULL;
  gannet_complaints complaints = {0};
  *problem = NULL;
  const gannet_err err = gannet_campaign_parse(&source, &input, &complaints);
  if (err == GANNET_OK) {
    *problem = input->problem;
    input->problem = NULL;
  }
  gannet_campaign_destroy(&input);
  gannet_complaints_release(&complaints);
  return err;
}
