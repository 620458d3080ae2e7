/* The section evaluate: keys that every back-end has, and those of the one that is chosen. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/internal.h"
#include "campaign/config/keep.h"
#include "campaign/config/paths.h"
#include "campaign/config/section.h"
#include "evaluate/backends.h"

/* Keys that imply a back-end. */
static const struct {
  const char *key, *backend;
} implied[] = {
    {"command", "command"}, {"shell", "command"}, {"plugin", "plugin"}, {"simulation", "function"}};

/* Complain about a key that was probably to name the back-end, or to imply it. */
static bool complain_of_misspelt(const gannet_config_reader *reader, const gannet_tree *evaluate) {
  const char *known[sizeof implied / sizeof *implied + 2] = {"backend"};
  char location[GANNET_LOCATION_SIZE];
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

/* Complain about keys that imply different back-ends where none is named. */
static bool complain_of_two_backends(const gannet_config_reader *reader,
                                     const gannet_tree *evaluate) {
  const char *key = NULL, *backend = NULL;
  char location[GANNET_LOCATION_SIZE];
  for (size_t i = 0; i < sizeof implied / sizeof *implied; ++i) {
    const gannet_tree *child = gannet_tree_find(evaluate, implied[i].key);
    if (!child) continue;
    if (backend && strcmp(backend, implied[i].backend) != 0) {
      gannet_tree_key_location(child, location, sizeof location);
      gannet_complain(reader->complaints, location,
                      "evaluate.%s: this is of backend %s, and %s of backend %s; leave one of them "
                      "out",
                      implied[i].key, implied[i].backend, key, backend);
      return true;
    }
    key = implied[i].key;
    backend = implied[i].backend;
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
  char location[GANNET_LOCATION_SIZE];
  if (is_no_mapping(evaluate)) return NULL; /* reading the section complains */
  if (!name &&
      (complain_of_misspelt(reader, evaluate) || complain_of_two_backends(reader, evaluate)))
    return NULL;
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

gannet_err gannet_config_read_evaluate(const gannet_config_reader *reader) {
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

/* Add what the back-end finds wrong to the other mistakes of a file, so that all are told at once.
 * Nothing is checked without the directory of the file and a problem. */
static gannet_err check_backend(const gannet_config_reader *reader) {
  const gannet_campaign_input *input = reader->input;
  const backend_complaints known = {reader, reader->complaints->n_lines};
  char directory[PATH_MAX];
  gannet_complaints found = {0};
  if (!reader->beside || !input->problem || !input->evaluator_options || !input->evaluator->check)
    return GANNET_OK;
  /* Given also when its keys could not be read: the placeholders of places are known then. */
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

/* Complain about resources that say how they are shared out, but not how much a simulation needs.
 */
static void check_resources(const gannet_config_reader *reader) {
  const gannet_tree *node =
      gannet_tree_find(gannet_tree_find(reader->root, "evaluate"), "resources");
  char location[GANNET_LOCATION_SIZE];
  if (!node || !gannet_resources_are_idle(&reader->input->evaluate.resources)) return;
  gannet_tree_key_location(node, location, sizeof location);
  gannet_complain(reader->complaints, location,
                  "evaluate.resources: it does not say what a simulation needs; expected cores, "
                  "gpus, tasks, memory or nodes, as in resources: {cores: 4}");
}

gannet_err gannet_config_check_evaluate(const gannet_config_reader *reader) {
  check_resources(reader);
  return reader->complaints->count > 0 ? check_backend(reader) : GANNET_OK;
}

gannet_err gannet_config_imply_backend(gannet_tree_file *tree, bool *is_implied,
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
