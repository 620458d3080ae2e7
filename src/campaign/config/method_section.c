/* The sections and keys of the method: kept as texts, which the optimiser's tables read and check.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/objective_options.h"
#include "optimizer/options.h"
#include "optimizer/replicates.h"

/* Whether the schema gives a section, or a key of the top level, to the method. */
static bool is_of_method(const char *key) {
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (section.reader != GANNET_SECTION_METHOD) continue;
    if (strcmp(section.path, key) == 0) return true;
    if (!*section.path && section.table && gannet_option_find(section.table, key)) return true;
  }
  return false;
}

/* Whether some table of the schema has a dotted key. */
static bool is_in_schema(const char *path) {
  const char *dot = strchr(path, '.');
  const size_t length = dot ? (size_t)(dot - path) : 0;
  const char *key = dot ? dot + 1 : path;
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i)
    if (strlen(section.path) == length && strncmp(section.path, path, length) == 0 &&
        section.table && gannet_option_find(section.table, key))
      return true;
  return false;
}

static gannet_err add_method_setting(void *user, const char *path, const char *text,
                                     const gannet_tree *node) {
  gannet_campaign_input *input = user;
  const size_t n = (size_t)input->n_method;
  /* A key that no table has is wrong itself; else only its value can be. */
  char location[GANNET_LOCATION_SIZE], *key_copy = NULL, *text_copy = NULL;
  if (is_in_schema(path))
    gannet_tree_location(node, location, sizeof location);
  else
    gannet_tree_key_location(node, location, sizeof location);
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->method, &input->method));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->method_location, &input->method_location));
  input->n_method += 1;
  GANNET_TRY(gannet_copy_text(location, &input->method_location[n]));
  GANNET_TRY(gannet_copy_text(path, &key_copy));
  input->method[n].key = key_copy;
  GANNET_TRY(gannet_copy_text(text, &text_copy));
  input->method[n].text = text_copy;
  return GANNET_OK;
}

gannet_err gannet_campaign_settings_collect(const gannet_campaign_input *input,
                                            gannet_campaign_settings *s) {
  const size_t n = (size_t)input->n_method;
  *s = (gannet_campaign_settings){0};
  GANNET_TRY(gannet_alloc(n + 4, sizeof *s->item, &s->item));
  for (; s->n < input->n_method; ++s->n)
    s->item[s->n] = (gannet_setting){.key = input->method[s->n].key,
                                     .text = input->method[s->n].text,
                                     .location = input->method_location[s->n]};
  if (!input->cost.weigh) return GANNET_OK;
  if (input->budget.evaluations != GANNET_AUTO)
    (void)snprintf(s->evaluations, sizeof s->evaluations, "%d", input->budget.evaluations);
  if (!isnan(input->budget.cost))
    (void)snprintf(s->cost, sizeof s->cost, "%.17g", input->budget.cost);
  const gannet_setting of_cost[] = {{.key = "cost.from", .text = input->cost.from},
                                    {.key = "cost.weigh", .text = "yes"},
                                    {.key = "budget.evaluations", .text = s->evaluations},
                                    {.key = "budget.cost", .text = s->cost}};
  for (int i = 0; i < 4; ++i) {
    if (!of_cost[i].text || !*of_cost[i].text) continue;
    s->item[s->n] = of_cost[i];
    s->item[s->n++].location = gannet_campaign_location(input, of_cost[i].key);
  }
  return GANNET_OK;
}

void gannet_campaign_settings_release(gannet_campaign_settings *settings) {
  gannet_free(&settings->item);
}

gannet_err gannet_campaign_optimizer_create(gannet_context *context,
                                            const gannet_campaign_input *input,
                                            gannet_optimizer **optimizer) {
  gannet_campaign_settings settings = {0};
  gannet_method_setting *list = NULL;
  *optimizer = NULL;
  gannet_err err = gannet_campaign_settings_collect(input, &settings);
  if (err == GANNET_OK) err = gannet_alloc((size_t)settings.n, sizeof *list, &list);
  for (int i = 0; err == GANNET_OK && i < settings.n; ++i)
    list[i] = (gannet_method_setting){settings.item[i].key, settings.item[i].text};
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK)
    err = gannet_optimizer_create(context, input->problem, settings.n, list, optimizer);
  gannet_free(&list);
  gannet_campaign_settings_release(&settings);
  return err;
}

/* The options of the optimiser that the keys of the method stand for; its tables complain, with the
 * locations of the file. To be released also after an error. */
static gannet_err parse_method(const gannet_campaign_input *input,
                               gannet_optimizer_options *options, gannet_complaints *complaints) {
  gannet_campaign_settings settings;
  *options = (gannet_optimizer_options){0};
  gannet_err err = gannet_campaign_settings_collect(input, &settings);
  if (err == GANNET_OK)
    err = gannet_optimizer_options_parse(settings.n, settings.item, options, complaints);
  gannet_campaign_settings_release(&settings);
  return err;
}

gannet_err gannet_campaign_options(const gannet_campaign_input *input,
                                   gannet_optimizer_options *options) {
  gannet_complaints complaints = {0};
  gannet_err err = parse_method(input, options, &complaints);
  if (err == GANNET_OK) err = gannet_pde_constraint_join(options, input->problem, &complaints);
  if (err == GANNET_OK) err = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return err;
}

/* Warn of a method that is no portfolio where a portfolio is given: the portfolio counts. */
static void warn_of_method_beside_portfolio(const gannet_config_reader *reader,
                                            const gannet_optimizer_options *options) {
  const gannet_tree *method = gannet_tree_find(reader->root, "method");
  const gannet_tree *portfolio = gannet_tree_find(reader->root, "portfolio");
  const gannet_method *row = NULL;
  char location[GANNET_LOCATION_SIZE];
  const bool has_both =
      method && portfolio && !(portfolio->kind == GANNET_TREE_TEXT && portfolio->empty);
  if (!has_both || !options->method.method ||
      gannet_method_find(options->method.method, &row) != GANNET_OK) {
    gannet_error_clear();
    return;
  }
  if (gannet_method_portfolio(row)) return;
  gannet_tree_location(method, location, sizeof location);
  gannet_complaints_warn(reader->complaints, location,
                         "method: '%.60s' is not used, as the methods of the key portfolio propose "
                         "the points; leave out one of the two keys, or write 'method: portfolio'",
                         row->name);
}

/* Complain about keys or several names in the place of the method's name. */
static bool complain_of_method(const gannet_config_reader *reader, const gannet_tree *node) {
  char location[GANNET_LOCATION_SIZE], names[200] = "";
  size_t used = 0;
  if (strcmp(node->key, "method") != 0 || node->kind == GANNET_TREE_TEXT) return false;
  gannet_tree_location(node, location, sizeof location);
  for (int i = 0; node->kind == GANNET_TREE_LIST && i < node->n && used < sizeof names; ++i)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%.40s", i ? ", " : "",
                             node->child[i].text ? node->child[i].text : "...");
  if (node->kind == GANNET_TREE_MAPPING)
    gannet_complain(reader->complaints, location,
                    "method: expected a name, as in 'method: gp-ei'; batch, surrogate and other "
                    "keys stand beside it, not below it");
  else if (node->n < 2)
    gannet_complain(reader->complaints, location, "method: expected a name, as in 'method: %s'",
                    node->n > 0 ? names : "gp-ei");
  else
    gannet_complain(reader->complaints, location,
                    "method: expected one name; several methods share the evaluations with "
                    "'portfolio: [%s]' instead",
                    names);
  return true;
}

gannet_err gannet_config_read_method(const gannet_config_reader *reader) {
  gannet_optimizer_options options;
  for (int i = 0; i < reader->root->n; ++i) {
    const gannet_tree *child = &reader->root->child[i];
    if (!is_of_method(child->key) || (child->kind == GANNET_TREE_TEXT && child->empty)) continue;
    if (complain_of_method(reader, child)) continue;
    GANNET_TRY(gannet_tree_flatten(child, child->key, add_method_setting, reader->input));
  }
  const gannet_err err = parse_method(reader->input, &options, reader->complaints);
  if (err == GANNET_OK) warn_of_method_beside_portfolio(reader, &options);
  gannet_optimizer_options_release(&options);
  return err;
}

/* Whether replicates make sense: where results have noise, and as far as the budget goes. */
static gannet_err check_replicates(const gannet_config_reader *reader) {
  const gannet_tree *node = gannet_tree_find(reader->root, "replicates");
  const int budget = reader->input->budget.evaluations;
  gannet_optimizer_options options;
  char location[GANNET_LOCATION_SIZE];
  if (!node) return GANNET_OK;
  gannet_tree_key_location(node, location, sizeof location);
  const gannet_err err = parse_method(reader->input, &options, reader->complaints);
  if (err == GANNET_OK)
    gannet_replicates_check(&options, reader->input->problem, location, reader->complaints);
  if (err == GANNET_OK && budget != GANNET_AUTO && options.method.replicates > budget)
    gannet_complain(reader->complaints, location,
                    "replicates: %d runs of every design are more than budget.evaluations: %d; "
                    "expected 1 to %d",
                    options.method.replicates, budget, budget);
  gannet_optimizer_options_release(&options);
  return err;
}

/* Warn of a budget of the file that ends before any model proposes a point: of an initial design,
 * or a batch, that is larger. */
static gannet_err check_budget(const gannet_config_reader *reader) {
  const gannet_tree *initial = gannet_tree_find(reader->root, "initial");
  const gannet_tree *batch = gannet_tree_find(reader->root, "batch");
  const gannet_tree *limit =
      gannet_tree_find(gannet_tree_find(reader->root, "budget"), "evaluations");
  const int budget = reader->input->budget.evaluations, at_once = reader->input->general.batch;
  gannet_optimizer_options options;
  char location[GANNET_LOCATION_SIZE];
  bool has_model = false;
  /* A limit of the command line has no line in the file: it is meant. */
  if (budget == GANNET_AUTO || limit->position.line == 0 || (!initial && !batch)) return GANNET_OK;
  const gannet_err err = parse_method(reader->input, &options, reader->complaints);
  const int points = options.method.initial;
  for (int k = 0; err == GANNET_OK && k < options.n_members; ++k)
    has_model = has_model || options.member[k].proposer == GANNET_PROPOSE_MODEL;
  gannet_optimizer_options_release(&options);
  if (!has_model) return err;
  if (initial) gannet_tree_location(initial, location, sizeof location);
  if (initial && points > budget)
    gannet_complaints_warn(reader->complaints, location,
                           "initial: %d points are more than budget.evaluations: %d, so no model "
                           "proposes any; lower the one, or raise the other",
                           points, budget);
  if (batch) gannet_tree_location(batch, location, sizeof location);
  if (batch && at_once > budget)
    gannet_complaints_warn(
        reader->complaints, location,
        "batch: %d points at a time are more than budget.evaluations: %d, so all "
        "are proposed before there is a result; lower the one, or raise the "
        "other",
        at_once, budget);
  return err;
}

/* Whether the method can use the equations of the problem. */
static gannet_err check_equations(const gannet_config_reader *reader) {
  const gannet_tree *physics = gannet_tree_find(reader->root, "physics");
  const gannet_problem *problem = reader->input->problem;
  gannet_optimizer_options options;
  char location[GANNET_LOCATION_SIZE];
  if (!physics || (physics->kind == GANNET_TREE_TEXT && physics->empty)) return GANNET_OK;
  gannet_tree_key_location(physics, location, sizeof location);
  gannet_err err = parse_method(reader->input, &options, reader->complaints);
  if (err == GANNET_OK) err = gannet_pde_constraint_join(&options, problem, reader->complaints);
  if (err == GANNET_OK)
    gannet_pde_constraint_check(&options, problem, location, reader->complaints);
  gannet_optimizer_options_release(&options);
  return err;
}

/* Whether the method and its settings choose points for as many objectives as there are. */
static gannet_err check_objectives(const gannet_config_reader *reader) {
  gannet_complaints found = {0};
  gannet_optimizer_options options;
  gannet_err err = parse_method(reader->input, &options, reader->complaints);
  if (err == GANNET_OK)
    err = gannet_objective_options_join(&options, reader->input->problem, &found);
  if (err == GANNET_OK) gannet_objective_options_check(&options, reader->input->problem, &found);
  gannet_campaign_complain(reader->input, &found, reader->complaints);
  gannet_complaints_release(&found);
  gannet_optimizer_options_release(&options);
  return err;
}

gannet_err gannet_config_check_method(const gannet_config_reader *reader) {
  if (reader->complaints->count == 0) GANNET_TRY(check_replicates(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_budget(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_equations(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_objectives(reader));
  return GANNET_OK;
}
