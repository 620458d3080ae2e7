/* Changes of the tree of a campaign file: `--set key=value` from the command line, and short forms
 * that are written out.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/tree.h"

/* The child of a mapping, added when it is missing. */
static gannet_err find_or_add_key(gannet_tree *mapping, const char *key, size_t length,
                                  const char *source, gannet_tree **child) {
  for (int i = 0; i < mapping->n; ++i) {
    *child = &mapping->child[i];
    if (strlen((*child)->key) == length && strncmp((*child)->key, key, length) == 0)
      return GANNET_OK;
  }
  GANNET_TRY(gannet_tree_add(mapping, child));
  (*child)->source = source;
  (*child)->empty = true;
  GANNET_TRY(gannet_copy_text("", &(*child)->text));
  GANNET_TRY(gannet_alloc(length + 1, 1, &(*child)->key));
  memcpy((*child)->key, key, length);
  return GANNET_OK;
}

static void become_mapping(gannet_tree *node) {
  gannet_tree_clear(node);
  node->kind = GANNET_TREE_MAPPING;
}

enum { DEEPEST = 16 };

/* Follows a dotted path, making mappings on the way; NULL when something else is in the way. */
static gannet_err follow_path(gannet_tree *root, const char *path, const char *source,
                              gannet_tree **leaf, gannet_complaints *complaints) {
  gannet_tree *node = root;
  *leaf = NULL;
  for (int depth = 0; *path; ++depth) {
    const size_t length = strcspn(path, ".=");
    if (node->kind == GANNET_TREE_TEXT && node->empty) become_mapping(node);
    if (length == 0 || node->kind != GANNET_TREE_MAPPING) {
      gannet_complain(complaints, source,
                      length == 0 ? "expected a dotted key before '='"
                                  : "'%.200s' is a value and has no keys below it",
                      node->key ? node->key : "");
      return GANNET_OK;
    }
    if (depth == DEEPEST) {
      gannet_complain(complaints, source,
                      "no key has more than %d parts; expected one as in budget.failures.rate",
                      DEEPEST);
      return GANNET_OK;
    }
    GANNET_TRY(find_or_add_key(node, path, length, source, &node));
    path += length;
    if (*path == '=') break;
    if (*path == '.') ++path;
    if (*path == '\0' || *path == '=') {
      gannet_complain(complaints, source,
                      "the key ends in a dot; expected one as in budget.failures.rate");
      return GANNET_OK;
    }
  }
  *leaf = node;
  return GANNET_OK;
}

gannet_err gannet_tree_override(gannet_tree_file *file, const char *setting,
                                gannet_complaints *complaints) {
  char name[512];
  const char *source = NULL;
  const char *equals = strchr(setting, '=');
  gannet_tree *leaf = NULL;
  (void)snprintf(name, sizeof name, "--set %s", setting);
  GANNET_TRY(gannet_tree_add_source(file, name, &source));
  if (!equals || equals == setting) {
    gannet_complain(complaints, source, "expected key=value, as in budget.evaluations=200");
    return GANNET_OK;
  }
  GANNET_TRY(follow_path(&file->root, setting, source, &leaf, complaints));
  if (!leaf) return GANNET_OK;
  gannet_tree_clear(leaf);
  leaf->source = source;
  leaf->position = leaf->key_position = (gannet_tree_position){0, 0};
  return gannet_tree_read_value(equals + 1, strlen(equals + 1), source, leaf, complaints);
}

gannet_err gannet_tree_expand(gannet_tree_file *file, const char *key, const char *into) {
  gannet_tree *node = NULL, *child = NULL;
  for (int i = 0; i < file->root.n; ++i)
    if (strcmp(file->root.child[i].key, key) == 0) node = &file->root.child[i];
  if (!node || node->kind != GANNET_TREE_TEXT || node->empty) return GANNET_OK;
  char *text = node->text;
  node->text = NULL;
  become_mapping(node);
  gannet_err err = gannet_tree_add(node, &child);
  if (err != GANNET_OK) {
    gannet_free(&text);
    return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  }
  child->text = text;
  child->position = child->key_position = node->position;
  return gannet_copy_text(into, &child->key);
}
