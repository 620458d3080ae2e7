/* Reading a campaign: from the text of its file, or a tree, to a gannet_campaign_input.
 *
 * The sections of the campaign itself are read by their option tables. Keys of the method are kept
 * as texts, which the optimiser's tables check. Variables and constraints are read in variables.c,
 * equations in equations.c.
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
#include "campaign/config/keep.h"
#include "campaign/config/paths.h"
#include "campaign/config/section.h"
#include "evaluate/backends.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/objective_options.h"
#include "optimizer/options.h"
#include "optimizer/replicates.h"
#include "problem/outputs.h"
#include "problem/quantities.h"

enum { MOST_SECTIONS = 64, LONGEST_NAME = 100, LOCATION_SIZE = 512 };

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

/* Locations of keys. */

static gannet_err add_location(gannet_campaign_input *input, const char *key, const char *text) {
  const size_t n = (size_t)input->n_locations;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->location, &input->location));
  input->n_locations += 1;
  GANNET_TRY(gannet_copy_text(key, &input->location[n].key));
  return gannet_copy_text(text, &input->location[n].text);
}

typedef void (*location_of)(const gannet_tree *node, char *text, size_t size);

/* The keys of a mapping, or the items of a list by their numbers from 1. */
static gannet_err add_locations(gannet_campaign_input *input, const char *prefix,
                                const gannet_tree *node, location_of locate) {
  enum { MOST_KEYS = 128 };
  char key[LOCATION_SIZE], location[LOCATION_SIZE];
  if (!node || node->kind == GANNET_TREE_TEXT) return GANNET_OK;
  for (int i = 0; i < node->n && i < MOST_KEYS; ++i) {
    if (node->kind == GANNET_TREE_LIST)
      (void)snprintf(key, sizeof key, "%s%d", prefix, i + 1);
    else
      (void)snprintf(key, sizeof key, "%s%.200s", prefix, node->child[i].key);
    locate(&node->child[i], location, sizeof location);
    GANNET_TRY(add_location(input, key, location));
  }
  return GANNET_OK;
}

static gannet_err note_locations(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  const gannet_tree *constraints = gannet_tree_find(reader->root, "constraints");
  const gannet_tree *variables = gannet_tree_find(reader->root, "variables");
  const gannet_tree *evaluate = gannet_tree_find(reader->root, "evaluate");
  const gannet_tree *outputs = gannet_tree_find(reader->root, "outputs");
  const gannet_tree *equations =
      gannet_tree_find(gannet_tree_find(reader->root, "physics"), "equations");
  GANNET_TRY(add_location(input, "", reader->file));
  GANNET_TRY(add_locations(input, "", reader->root, gannet_tree_location));
  GANNET_TRY(add_locations(input, "variables.", variables, gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "constraints.", constraints, gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "objective.", gannet_tree_find(reader->root, "objective"),
                           gannet_tree_location));
  GANNET_TRY(add_locations(input, "objectives.", gannet_tree_find(reader->root, "objectives"),
                           gannet_tree_key_location));
  GANNET_TRY(add_locations(input, "outputs.", outputs, gannet_tree_key_location));
  for (int i = 0; outputs && outputs->kind == GANNET_TREE_MAPPING && i < outputs->n; ++i) {
    char prefix[LOCATION_SIZE];
    (void)snprintf(prefix, sizeof prefix, "outputs.%.200s.", outputs->child[i].key);
    GANNET_TRY(add_locations(input, prefix, &outputs->child[i], gannet_tree_location));
  }
  GANNET_TRY(
      add_locations(input, "cost.", gannet_tree_find(reader->root, "cost"), gannet_tree_location));
  GANNET_TRY(add_locations(input, "physics.equations.", equations, gannet_tree_location));
  for (int i = 0; evaluate && evaluate->kind == GANNET_TREE_MAPPING && i < evaluate->n; ++i) {
    char prefix[LOCATION_SIZE];
    (void)snprintf(prefix, sizeof prefix, "evaluate.%.200s.", evaluate->child[i].key);
    GANNET_TRY(add_locations(input, prefix, &evaluate->child[i], gannet_tree_location));
  }
  return add_locations(input, "evaluate.", evaluate, gannet_tree_location);
}

const char *gannet_campaign_location(const gannet_campaign_input *input, const char *key) {
  char path[LOCATION_SIZE];
  (void)snprintf(path, sizeof path, "%s", key);
  for (;;) {
    for (int i = 1; i < input->n_locations; ++i)
      if (strcmp(input->location[i].key, path) == 0) return input->location[i].text;
    char *dot = strrchr(path, '.');
    if (!dot) return input->n_locations > 0 ? input->location[0].text : NULL;
    *dot = '\0';
  }
}

static bool locate_key(const void *user, const char *key, const char **location) {
  *location = gannet_campaign_location(user, key);
  return true;
}

void gannet_campaign_complain(const gannet_campaign_input *input, const gannet_complaints *from,
                              gannet_complaints *complaints) {
  gannet_complaints_pass(from, locate_key, input, complaints);
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
  char location[LOCATION_SIZE];
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
  char location[LOCATION_SIZE];
  if (budget->evaluations != GANNET_AUTO || !isnan(budget->wall_time) || !isnan(budget->cost))
    return;
  (void)snprintf(location, sizeof location, "%s", reader->file);
  if (node) gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(
      reader->complaints, location,
      "budget: give a limit, as in budget: {evaluations: 200} or budget: {wall_time: 4h}");
}

/* What budget.cost counts must be a result, and has another unit than time then. */
static void check_cost(const gannet_config_reader *reader) {
  enum { MOST_NAMES = 128 };
  const gannet_campaign_input *input = reader->input;
  const gannet_tree *limit = gannet_tree_find(gannet_tree_find(reader->root, "budget"), "cost");
  const char *cost = input->cost.from, *names[MOST_NAMES + 1] = {"time"};
  char location[LOCATION_SIZE], list[300];
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

/* A probability says nothing without the regret that it is of. */
static void check_stop(const gannet_config_reader *reader) {
  const gannet_tree *regret = gannet_tree_find(gannet_tree_find(reader->root, "stop"), "regret");
  const gannet_tree *probability = gannet_tree_find(regret, "probability");
  char location[LOCATION_SIZE];
  if (!probability || gannet_tree_find(regret, "within")) return;
  gannet_tree_key_location(probability, location, sizeof location);
  gannet_complain(reader->complaints, location,
                  "stop.regret.probability: needs within, the regret that does not matter, as in "
                  "regret: {within: 1e-3, probability: 0.95}");
}

/* The evaluate section: keys that every back-end has, and those of the one that is chosen. */

/* Keys that imply a back-end. */
static const struct {
  const char *key, *backend;
} implied[] = {
    {"command", "command"}, {"shell", "command"}, {"plugin", "plugin"}, {"simulation", "function"}};

/* Complain about a key that was probably to name the back-end, or to imply it. */
static bool complain_of_misspelt(const gannet_config_reader *reader, const gannet_tree *evaluate) {
  const char *known[sizeof implied / sizeof *implied + 2] = {"backend"};
  char location[LOCATION_SIZE];
  for (size_t i = 0; i < sizeof implied / sizeof *implied; ++i) known[i + 1] = implied[i].key;
  for (int i = 0; evaluate && i < evaluate->n; ++i) {
    const gannet_tree *child = &evaluate->child[i];
    const char *near = gannet_nearest(child->key, known);
    if (!near || strcmp(near, child->key) == 0) continue;
    gannet_tree_key_location(child, location, sizeof location);
    gannet_complain(reader->complaints, location,
                    "unknown key 'evaluate.%.100s'; did you mean '%s'?", child->key, near);
    return true;
  }
  return false;
}

static bool is_no_mapping(const gannet_tree *node) {
  return node && node->kind != GANNET_TREE_MAPPING && !node->empty;
}

/* NULL with a complaint when there is no name, or an unknown one. */
static const gannet_evaluator_type *find_backend(const gannet_config_reader *reader,
                                                 const gannet_tree *evaluate) {
  const gannet_evaluator_type *type = NULL;
  const gannet_tree *name = gannet_tree_find(evaluate, "backend");
  char location[LOCATION_SIZE];
  if (is_no_mapping(evaluate)) return NULL; /* reading the section complains */
  if (!name && complain_of_misspelt(reader, evaluate)) return NULL;
  if (!name) {
    if (evaluate) gannet_tree_key_location(evaluate, location, sizeof location);
    gannet_complain(reader->complaints, evaluate ? location : reader->file,
                    "missing required key 'evaluate.backend' (how the simulation is run), as in "
                    "evaluate: {backend: command, command: [./simulate]}");
    return NULL;
  }
  if (name->kind != GANNET_TREE_TEXT) return NULL;
  if (gannet_evaluator_find(name->text, &type) == GANNET_OK) return type;
  gannet_tree_location(name, location, sizeof location);
  gannet_complain_of_key(reader->complaints, location, "evaluate", "backend", "%s",
                         gannet_error_detail());
  gannet_error_clear();
  return NULL;
}

static void check_keep(const gannet_config_reader *reader) {
  const gannet_evaluate_keys *keys = &reader->input->evaluate;
  gannet_complaints found = {0};
  gannet_keep keep;
  gannet_keep_read(&keys->keep_files, &keys->keep_all_files_of, "evaluate.keep.files",
                   "evaluate.keep.all_files_of", &found, &keep);
  gannet_campaign_complain(reader->input, &found, reader->complaints);
  gannet_complaints_release(&found);
}

static gannet_err read_evaluate(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  const gannet_tree *node = gannet_tree_find(reader->root, "evaluate");
  const gannet_evaluator_type *type = find_backend(reader, node);
  gannet_section_source source = {.path = "evaluate",
                                  .node = node,
                                  .fallback_location = reader->file,
                                  .table = gannet_evaluate_table,
                                  .also = type ? type->options : NULL,
                                  .lenient = type == NULL};
  input->evaluator = type;
  GANNET_TRY(gannet_section_read(&source, &input->evaluate, reader->complaints));
  if (is_no_mapping(node)) return GANNET_OK;
  check_keep(reader);
  if (!type) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, type->options_size, &input->evaluator_options));
  if (!type->options) return GANNET_OK;
  source.table = type->options;
  source.lenient = true; /* reading the common keys has complained about unknown ones already */
  return gannet_section_read(&source, input->evaluator_options, reader->complaints);
}

/* The location of a key that the back-end complains about, for gannet_complaints_pass. A key that
 * was complained about before is left out: the back-end has seen its default. */
typedef struct {
  const gannet_config_reader *reader;
  int n_known; /* lines of complaints that were there before */
} backend_complaints;

static bool locate_unless_known(const void *user, const char *key, const char **location) {
  const backend_complaints *b = user;
  *location = gannet_campaign_location(b->reader->input, key);
  return !gannet_complaints_name_key(b->reader->complaints, b->n_known, key);
}

/* What the back-end finds wrong, in a file that has other mistakes: all of them are told at once.
 * Nothing without a place of the file and a problem. */
static gannet_err check_backend(const gannet_config_reader *reader) {
  const gannet_campaign_input *input = reader->input;
  const backend_complaints known = {reader, reader->complaints->n_lines};
  char directory[PATH_MAX];
  gannet_complaints found = {0};
  if (!reader->beside || !input->problem || !input->evaluator_options || !input->evaluator->check)
    return GANNET_OK;
  /* Also with keys that could not be read: placeholders of places are known then. */
  const bool has_resources =
      gannet_tree_find(gannet_tree_find(reader->root, "evaluate"), "resources") != NULL;
  gannet_err err = gannet_base_directory(reader->beside, input->general.input_directory, directory);
  const gannet_evaluator_setup setup = {
      .problem = input->problem,
      .resources = has_resources ? &input->evaluate.resources : NULL,
      .input_directory = directory,
      .name = input->general.name,
      .parallel = 1,
      .time_limit = INFINITY};
  if (err == GANNET_OK) err = input->evaluator->check(input->evaluator_options, &setup, &found);
  if (err == GANNET_OK)
    gannet_complaints_pass(&found, locate_unless_known, &known, reader->complaints);
  gannet_complaints_release(&found);
  if (err == GANNET_ERR_MEMORY) return err;
  gannet_error_clear(); /* of what needs more than the file: it is checked when that is there */
  return GANNET_OK;
}

/* The sections that are handed on to the optimiser, as keys and texts. */

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
  const location_of locate = is_in_schema(path) ? gannet_tree_location : gannet_tree_key_location;
  char location[LOCATION_SIZE], *key_copy = NULL, *text_copy = NULL;
  locate(node, location, sizeof location);
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

static gannet_err read_method(const gannet_config_reader *reader) {
  gannet_optimizer_options options;
  for (int i = 0; i < reader->root->n; ++i) {
    const gannet_tree *child = &reader->root->child[i];
    if (!is_of_method(child->key) || (child->kind == GANNET_TREE_TEXT && child->empty)) continue;
    GANNET_TRY(gannet_tree_flatten(child, child->key, add_method_setting, reader->input));
  }
  const gannet_err err = parse_method(reader->input, &options, reader->complaints);
  gannet_optimizer_options_release(&options);
  return err;
}

/* Whether replicates make sense: where results have noise, and as far as the budget goes. */
static gannet_err check_replicates(const gannet_config_reader *reader) {
  const gannet_tree *node = gannet_tree_find(reader->root, "replicates");
  const int budget = reader->input->budget.evaluations;
  gannet_optimizer_options options;
  char location[LOCATION_SIZE];
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

/* Whether the method can use the equations of the problem. */
static gannet_err check_equations(const gannet_config_reader *reader) {
  const gannet_tree *physics = gannet_tree_find(reader->root, "physics");
  const gannet_problem *problem = reader->input->problem;
  gannet_optimizer_options options;
  char location[LOCATION_SIZE];
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

/* The whole. */

/* Complain about resources that say how they are shared out, but not how much a simulation needs.
 */
static void check_resources(const gannet_config_reader *reader) {
  const gannet_tree *node =
      gannet_tree_find(gannet_tree_find(reader->root, "evaluate"), "resources");
  char location[LOCATION_SIZE];
  if (!node || !gannet_resources_are_idle(&reader->input->evaluate.resources)) return;
  gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(reader->complaints, location,
                  "evaluate.resources: it does not say what a simulation needs; expected cores, "
                  "gpus, tasks, memory or nodes, as in resources: {cores: 4}");
}

static gannet_err read_all(const gannet_config_reader *reader) {
  gannet_campaign_input *input = reader->input;
  GANNET_TRY(note_locations(reader));
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
  GANNET_TRY(read_evaluate(reader));
  GANNET_TRY(read_method(reader));
  GANNET_TRY(gannet_config_read_problem(reader));
  GANNET_TRY(gannet_config_read_variable_constraints(reader));
  GANNET_TRY(gannet_config_read_outputs(reader));
  GANNET_TRY(gannet_config_read_start(reader));
  GANNET_TRY(gannet_config_read_imports(reader));
  check_cost(reader);
  GANNET_TRY(gannet_config_read_physics(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_replicates(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_equations(reader));
  if (reader->complaints->count == 0) GANNET_TRY(check_objectives(reader));
  check_resources(reader);
  if (reader->complaints->count > 0) return check_backend(reader);
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

/* Add the back-end that a key implies where the section evaluate names none. Keys that only another
 * back-end has leave it open. */
static gannet_err imply_backend(gannet_tree_file *tree, bool *is_implied,
                                gannet_complaints *complaints) {
  const gannet_tree *evaluate = gannet_tree_find(&tree->root, "evaluate");
  const char *backend = NULL;
  char setting[64];
  if (!evaluate || evaluate->kind != GANNET_TREE_MAPPING || gannet_tree_find(evaluate, "backend"))
    return GANNET_OK;
  for (size_t i = 0; i < sizeof implied / sizeof *implied; ++i) {
    if (!gannet_tree_find(evaluate, implied[i].key)) continue;
    if (backend && strcmp(backend, implied[i].backend) != 0) return GANNET_OK;
    backend = implied[i].backend;
  }
  for (const gannet_option *o = gannet_evaluator_slurm.options; backend && o->key; ++o)
    if (gannet_tree_find(evaluate, o->key) &&
        !gannet_option_find(gannet_evaluator_command.options, o->key))
      return GANNET_OK;
  if (!backend) return GANNET_OK;
  *is_implied = true;
  (void)snprintf(setting, sizeof setting, "evaluate.backend=%s", backend);
  return gannet_tree_override(tree, setting, complaints);
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
    char location[LOCATION_SIZE];
    gannet_tree_key_location(objective, location, sizeof location);
    gannet_complain(complaints, location,
                    "objective: expected the quantity that is the objective; did you mean "
                    "'goal: %s'?",
                    objective->text);
  }
  gannet_err err = expand_short_forms(tree);
  if (err == GANNET_OK) err = imply_backend(tree, &(*input)->backend_is_implied, complaints);
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
