/* The evaluate section: the keys that every back-end has and those of the one that is chosen. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/internal.h"
#include "campaign/config/section.h"

/* NULL with a complaint when the name is unknown, NULL without one when there is no name: that is a
 * missing required key, which the table complains about. */
static const gannet_evaluator_type *find_backend(const gannet_input_reader *reader,
                                                 const gannet_tree *node) {
  const gannet_evaluator_type *type = NULL;
  const gannet_tree *name = gannet_tree_find(node, "backend");
  char where[512];
  if (!name || name->kind != GANNET_TREE_TEXT) return NULL;
  if (gannet_evaluator_find(name->text, &type) == GANNET_OK) return type;
  gannet_tree_where(name, where, sizeof where);
  gannet_complain(reader->complaints, where, "evaluate.backend: %s", gannet_error_detail());
  gannet_error_clear();
  return NULL;
}

static gannet_err read_backend(const gannet_input_reader *reader,
                               const gannet_section_source *common) {
  gannet_campaign_input *input = reader->input;
  gannet_section_source own = *common;
  if (!input->evaluator) return GANNET_OK;
  GANNET_TRY(gannet_alloc(1, input->evaluator->options_size, &input->evaluator_options));
  if (!input->evaluator->options) return GANNET_OK;
  own.table = input->evaluator->options;
  own.lenient = true; /* the first pass has complained already */
  return gannet_section_read(&own, input->evaluator_options, reader->complaints);
}

/* What was complained about already is not complained about for its default. */
static bool is_new(const gannet_complaints *complaints, const char *line) {
  char key[128];
  (void)snprintf(key, sizeof key, "%.*s:", (int)strcspn(line, ": \n"), line);
  return !complaints->text || !strstr(complaints->text, key);
}

static void add_new(const gannet_input_reader *reader, const gannet_complaints *found) {
  gannet_complaints fresh = {0};
  for (const char *line = found->text; line && *line;) {
    const size_t length = strcspn(line, "\n");
    if (is_new(reader->complaints, line)) gannet_complain(&fresh, NULL, "%.*s", (int)length, line);
    line += length + (line[length] == '\n');
  }
  gannet_campaign_complain(reader->input, &fresh, reader->complaints);
  gannet_complaints_release(&fresh);
}

gannet_err gannet_input_check_backend(const gannet_input_reader *reader) {
  const gannet_campaign_input *input = reader->input;
  char directory[PATH_MAX];
  gannet_complaints found = {0};
  if (!reader->beside || !input->problem || !input->evaluator_options || !input->evaluator->check)
    return GANNET_OK;
  gannet_err err =
      gannet_input_start_path(reader->beside, input->general.input_directory, directory);
  const gannet_evaluator_setup setup = {.problem = input->problem,
                                        .input_directory = directory,
                                        .name = input->general.name,
                                        .parallel = 1,
                                        .time_limit = INFINITY};
  if (err == GANNET_OK) err = input->evaluator->check(input->evaluator_options, &setup, &found);
  if (err == GANNET_OK) add_new(reader, &found);
  gannet_complaints_release(&found);
  if (err == GANNET_ERR_MEMORY) return err;
  gannet_error_clear(); /* of what needs more than the file: it is checked when that is there */
  return GANNET_OK;
}

gannet_err gannet_input_evaluate(const gannet_input_reader *reader) {
  const gannet_tree *node = gannet_tree_find(reader->root, "evaluate");
  reader->input->evaluator = find_backend(reader, node);
  const gannet_evaluator_type *type = reader->input->evaluator;
  const gannet_section_source common = {.path = "evaluate",
                                        .node = node,
                                        .fallback_where = reader->file,
                                        .table = gannet_evaluate_table,
                                        .also = type ? type->options : NULL,
                                        .lenient = type == NULL};
  GANNET_TRY(gannet_section_read(&common, &reader->input->evaluate, reader->complaints));
  if (node && node->kind != GANNET_TREE_MAPPING) return GANNET_OK;
  return read_backend(reader, &common);
}
