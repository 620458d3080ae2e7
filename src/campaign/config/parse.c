#include "campaign/config/config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/schema.h"
#include "campaign/config/section.h"
#include "optimizer/options.h"

enum { MOST_SECTIONS = 64, LONGEST_NAME = 100 };

void gannet_campaign_destroy(gannet_campaign_input **pointer) {
  gannet_campaign_input *input = *pointer;
  if (!input) return;
  for (int i = 0; i < input->n_method; ++i) {
    char *key = (char *)(uintptr_t)input->method[i].key;
    char *text = (char *)(uintptr_t)input->method[i].text;
    gannet_free(&key);
    gannet_free(&text);
    gannet_free(&input->method_where[i]);
  }
  gannet_free(&input->method);
  gannet_free(&input->method_where);
  if (input->evaluator_options && input->evaluator->options)
    gannet_options_release(input->evaluator->options, input->evaluator_options,
                           input->evaluator->options_size);
  gannet_free(&input->evaluator_options);
  gannet_problem_destroy(&input->problem);
  gannet_residuals_release(input);
  gannet_input_places_release(input);
  gannet_options_release(gannet_general_table, &input->general, sizeof input->general);
  gannet_options_release(gannet_evaluate_table, &input->evaluate, sizeof input->evaluate);
  gannet_free(pointer);
}

static int is_name(const char *name) {
  if (!isalnum((unsigned char)*name) && *name != '_') return 0;
  if (strlen(name) > LONGEST_NAME) return 0;
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && !strchr("_-.", *name)) return 0;
  return 1;
}

/* Bytes of UTF-8 that go on with a character. */
static bool is_rest(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

/* "inputs/my heater.yaml" names the campaign my_heater; a letter of several bytes is one '_'. */
static gannet_err name_from_file(const char *file, char **name) {
  char buffer[LONGEST_NAME + 1];
  (void)snprintf(buffer, sizeof buffer, "%s", gannet_file_name_of(file));
  char *dot = strrchr(buffer, '.');
  if (dot && dot > buffer) *dot = '\0';
  char *end = buffer;
  for (const char *c = buffer; *c; ++c) {
    if (is_rest(*c) && c > buffer) continue;
    const bool fits = isalnum((unsigned char)*c) || *c == '_' || (end > buffer && strchr("-.", *c));
    *end++ = (char)(fits ? *c : '_');
  }
  *end = '\0';
  gannet_free(name);
  return gannet_copy_text(*buffer ? buffer : "campaign", name);
}

static gannet_err settle_name(const gannet_input_reader *reader) {
  gannet_general *general = &reader->input->general;
  const gannet_tree *node = gannet_tree_find(reader->root, "name");
  char where[512];
  if (!node || (general->name && strcmp(general->name, "auto") == 0))
    return name_from_file(reader->file, &general->name);
  gannet_tree_where(node, where, sizeof where);
  if (general->name && !is_name(general->name))
    gannet_complain(reader->complaints, where,
                    "name: '%.*s' is not valid; expected up to %d letters, digits, '_', '-' and "
                    "'.', beginning with a letter, a digit or '_'",
                    LONGEST_NAME, general->name, LONGEST_NAME);
  return GANNET_OK;
}

static gannet_err read_part(const gannet_input_reader *reader, const char *path,
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
                                        .fallback_where = reader->file,
                                        .table = table,
                                        .also = *path ? NULL : gannet_method_table,
                                        .sections = children};
  return gannet_section_read(&source, target, reader->complaints);
}

static gannet_err read_own_parts(const gannet_input_reader *reader) {
  gannet_campaign_input *input = reader->input;
  GANNET_TRY(read_part(reader, "", gannet_general_table, &input->general));
  GANNET_TRY(settle_name(reader));
  GANNET_TRY(read_part(reader, "budget", gannet_budget_table, &input->budget));
  GANNET_TRY(read_part(reader, "budget.failures", gannet_failure_table, &input->failures));
  GANNET_TRY(read_part(reader, "save", gannet_save_table, &input->save));
  return read_part(reader, "log", gannet_log_table, &input->log);
}

static void check_budget(const gannet_input_reader *reader) {
  const gannet_budget *budget = &reader->input->budget;
  const gannet_tree *node = gannet_tree_find(reader->root, "budget");
  char where[512];
  if (budget->evaluations != GANNET_AUTO || !isnan(budget->wall_time)) return;
  (void)snprintf(where, sizeof where, "%s", reader->file);
  if (node) gannet_tree_where_key(node, where, sizeof where);
  gannet_complain(
      reader->complaints, where,
      "budget: give a limit, as in budget: {evaluations: 200} or budget: {wall_time: 4h}");
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void settle_sizes(gannet_campaign_input *input) {
  gannet_general *general = &input->general;
  int *parallel = &input->evaluate.parallel;
  if (general->batch == GANNET_AUTO) general->batch = larger(*parallel, 1);
  if (*parallel == GANNET_AUTO) *parallel = general->batch;
}

static gannet_err expand(gannet_tree_file *tree) {
  static const char *const short_forms[] = {"surrogate", "acquisition", "region"};
  for (size_t s = 0; s < sizeof short_forms / sizeof *short_forms; ++s)
    GANNET_TRY(gannet_tree_expand(tree, short_forms[s], "type"));
  return GANNET_OK;
}

static gannet_err make_tree(const gannet_campaign_source *source, gannet_tree_file *tree,
                            gannet_complaints *complaints) {
  GANNET_TRY(gannet_tree_parse(source->file, source->text, source->size, tree, complaints));
  if (!tree->usable) return GANNET_OK;
  GANNET_TRY(gannet_renamed_replace(gannet_schema_get, &tree->root, false, complaints));
  for (int i = 0; i < source->n_sets; ++i) {
    GANNET_TRY(expand(tree));
    GANNET_TRY(gannet_tree_override(tree, source->sets[i], complaints));
    GANNET_TRY(gannet_renamed_replace(gannet_schema_get, &tree->root, true, complaints));
  }
  return GANNET_OK;
}

static gannet_err read_all(const gannet_input_reader *reader) {
  GANNET_TRY(gannet_input_places(reader));
  GANNET_TRY(read_own_parts(reader));
  const int before = reader->complaints->count;
  if (before == 0) check_budget(reader);
  GANNET_TRY(gannet_input_evaluate(reader));
  GANNET_TRY(gannet_input_method(reader));
  GANNET_TRY(gannet_input_problem(reader));
  GANNET_TRY(gannet_input_physics(reader));
  if (reader->complaints->count > 0) return gannet_input_check_backend(reader);
  settle_sizes(reader->input);
  return GANNET_OK;
}

static gannet_err parse_tree(const char *file, const char *beside, gannet_tree_file *tree,
                             gannet_campaign_input **input, gannet_complaints *complaints) {
  GANNET_TRY(gannet_alloc(1, sizeof **input, input));
  const gannet_input_reader reader = {.file = file,
                                      .root = &tree->root,
                                      .input = *input,
                                      .complaints = complaints,
                                      .beside = beside};
  gannet_err err = expand(tree);
  if (err == GANNET_OK)
    err = gannet_renamed_replace(gannet_schema_get, &tree->root, false, complaints);
  if (err == GANNET_OK) err = read_all(&reader);
  if (err == GANNET_OK) err = gannet_complaints_raise(complaints);
  if (err != GANNET_OK) gannet_campaign_destroy(input);
  return err;
}

gannet_err gannet_campaign_parse_tree(const char *file, gannet_tree_file *tree,
                                      gannet_campaign_input **input,
                                      gannet_complaints *complaints) {
  return parse_tree(file, NULL, tree, input, complaints);
}

gannet_err gannet_campaign_parse(const gannet_campaign_source *source,
                                 gannet_campaign_input **input, gannet_complaints *complaints) {
  gannet_tree_file tree = {0};
  *input = NULL;
  gannet_err err = make_tree(source, &tree, complaints);
  if (err == GANNET_OK && !tree.usable) err = gannet_complaints_raise(complaints);
  if (err == GANNET_OK) err = parse_tree(source->file, source->beside, &tree, input, complaints);
  gannet_tree_release(&tree);
  return err;
}
