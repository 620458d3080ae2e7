/* The sections that belong to the optimiser, as keys and texts. */
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"
#include "campaign/config/schema.h"
#include "optimizer/options.h"

/* Belongs to the method: a section, or a key of the top level, that the schema gives to it. */
static bool is_method(const char *key) {
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (section.reader != GANNET_SECTION_METHOD) continue;
    if (strcmp(section.path, key) == 0) return true;
    if (!*section.path && section.table && gannet_option_find(section.table, key)) return true;
  }
  return false;
}

/* Some table of the schema has this dotted key. */
static bool is_known(const char *path) {
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

/* A key that no table has is wrong itself; else only its value can be. */
static void where_of(const char *path, const gannet_tree *node, char *where, size_t size) {
  if (is_known(path))
    gannet_tree_where(node, where, size);
  else
    gannet_tree_where_key(node, where, size);
}

static gannet_err add(void *user, const char *path, const char *text, const gannet_tree *node) {
  gannet_campaign_input *input = user;
  const size_t n = (size_t)input->n_method;
  char where[512], *key_copy = NULL, *text_copy = NULL;
  where_of(path, node, where, sizeof where);
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->method, &input->method));
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *input->method_where, &input->method_where));
  input->n_method += 1;
  GANNET_TRY(gannet_copy_text(where, &input->method_where[n]));
  GANNET_TRY(gannet_copy_text(path, &key_copy));
  input->method[n].key = key_copy;
  GANNET_TRY(gannet_copy_text(text, &text_copy));
  input->method[n].text = text_copy;
  return GANNET_OK;
}

/* The optimiser's own tables complain, with the places of the file. */
static gannet_err check(const gannet_input_reader *reader) {
  const gannet_campaign_input *input = reader->input;
  const size_t n = (size_t)input->n_method;
  gannet_optimizer_options options = {0};
  gannet_setting *settings = NULL;
  GANNET_TRY(gannet_alloc(n, sizeof *settings, &settings));
  for (size_t i = 0; i < n; ++i)
    settings[i] = (gannet_setting){.key = input->method[i].key,
                                   .text = input->method[i].text,
                                   .where = input->method_where[i]};
  const gannet_err err =
      gannet_optimizer_options_parse((int)n, settings, &options, reader->complaints);
  gannet_optimizer_options_release(&options);
  gannet_free(&settings);
  return err;
}

gannet_err gannet_input_method(const gannet_input_reader *reader) {
  for (int i = 0; i < reader->root->n; ++i) {
    const gannet_tree *child = &reader->root->child[i];
    if (!is_method(child->key) || (child->kind == GANNET_TREE_TEXT && child->empty)) continue;
    GANNET_TRY(gannet_tree_flatten(child, child->key, add, reader->input));
  }
  return check(reader);
}
