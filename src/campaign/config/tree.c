#include "campaign/config/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

gannet_err gannet_tree_add(gannet_tree *parent, gannet_tree **child) {
  if (parent->n == parent->capacity) {
    const int larger = parent->capacity ? 2 * parent->capacity : 4;
    GANNET_TRY(
        gannet_resize((size_t)parent->n, (size_t)larger, sizeof *parent->child, &parent->child));
    parent->capacity = larger;
  }
  *child = &parent->child[parent->n];
  memset(*child, 0, sizeof **child);
  (*child)->source = parent->source;
  parent->n += 1;
  return GANNET_OK;
}

gannet_err gannet_tree_add_source(gannet_tree_file *file, const char *name, const char **source) {
  const size_t n = (size_t)file->n_sources;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *file->source, &file->source));
  GANNET_TRY(gannet_copy_text(name, &file->source[n]));
  file->n_sources += 1;
  *source = file->source[n];
  return GANNET_OK;
}

gannet_err gannet_tree_copy(const gannet_tree *node, gannet_tree *copy) {
  *copy = (gannet_tree){.kind = node->kind,
                        .empty = node->empty,
                        .source = node->source,
                        .key_position = node->key_position,
                        .position = node->position};
  GANNET_TRY(gannet_copy_text(node->key, &copy->key));
  GANNET_TRY(gannet_copy_text(node->text, &copy->text));
  for (int i = 0; i < node->n; ++i) {
    gannet_tree *child = NULL;
    GANNET_TRY(gannet_tree_add(copy, &child));
    GANNET_TRY(gannet_tree_copy(&node->child[i], child));
  }
  return GANNET_OK;
}

void gannet_tree_clear(gannet_tree *node) {
  for (int i = 0; i < node->n; ++i) {
    gannet_tree_clear(&node->child[i]);
    gannet_free(&node->child[i].key);
  }
  gannet_free(&node->child);
  gannet_free(&node->text);
  node->n = node->capacity = 0;
  node->empty = false;
}

void gannet_tree_release(gannet_tree_file *file) {
  gannet_tree_clear(&file->root);
  for (int i = 0; i < file->n_sources; ++i) gannet_free(&file->source[i]);
  gannet_free(&file->source);
  memset(file, 0, sizeof *file);
}

const gannet_tree *gannet_tree_find(const gannet_tree *mapping, const char *key) {
  if (!mapping || mapping->kind != GANNET_TREE_MAPPING) return NULL;
  for (int i = 0; i < mapping->n; ++i)
    if (strcmp(mapping->child[i].key, key) == 0) return &mapping->child[i];
  return NULL;
}

static void format_location(const char *source, gannet_tree_position position, char *buffer,
                            size_t size) {
  if (position.line > 0)
    (void)snprintf(buffer, size, "%s:%d:%d", source, position.line, position.column);
  else
    (void)snprintf(buffer, size, "%s", source ? source : "");
}

void gannet_tree_location(const gannet_tree *node, char *buffer, size_t size) {
  format_location(node->source, node->position.line > 0 ? node->position : node->key_position,
                  buffer, size);
}

void gannet_tree_key_location(const gannet_tree *node, char *buffer, size_t size) {
  format_location(node->source, node->key_position.line > 0 ? node->key_position : node->position,
                  buffer, size);
}

/* "[a, b]"; nested lists and mappings are written the same way. */
static gannet_err append_value(gannet_text *out, const gannet_tree *node) {
  if (node->kind == GANNET_TREE_TEXT) return gannet_text_put(out, node->text);
  const bool list = node->kind == GANNET_TREE_LIST;
  GANNET_TRY(gannet_text_put(out, list ? "[" : "{"));
  for (int i = 0; i < node->n; ++i) {
    if (i > 0) GANNET_TRY(gannet_text_put(out, ", "));
    if (!list) {
      GANNET_TRY(gannet_text_put(out, node->child[i].key));
      GANNET_TRY(gannet_text_put(out, ": "));
    }
    GANNET_TRY(append_value(out, &node->child[i]));
  }
  return gannet_text_put(out, list ? "]" : "}");
}

gannet_err gannet_tree_flatten(const gannet_tree *node, const char *prefix, gannet_tree_visit visit,
                               void *user) {
  if (node->kind != GANNET_TREE_MAPPING) {
    gannet_text value = {0};
    gannet_err err = append_value(&value, node);
    if (err == GANNET_OK) err = visit(user, prefix, value.text, node);
    gannet_free(&value.text);
    return err;
  }
  for (int i = 0; i < node->n; ++i) {
    gannet_text path = {0};
    gannet_err err = gannet_text_put(&path, prefix);
    if (err == GANNET_OK && *prefix) err = gannet_text_put(&path, ".");
    if (err == GANNET_OK) err = gannet_text_put(&path, node->child[i].key);
    if (err == GANNET_OK) err = gannet_tree_flatten(&node->child[i], path.text, visit, user);
    gannet_free(&path.text);
    if (err != GANNET_OK) return err;
  }
  return GANNET_OK;
}

static int compare_keys(const void *a, const void *b) {
  const gannet_tree *const *left = a, *const *right = b;
  const int order = strcmp((*left)->key, (*right)->key);
  return order ? order : (*left < *right ? -1 : *left > *right);
}

static gannet_err check_mapping(const gannet_tree *node, gannet_complaints *complaints) {
  enum { MOST_TOLD = 20 };
  const gannet_tree **sorted = NULL;
  GANNET_TRY(gannet_alloc((size_t)node->n, sizeof *sorted, &sorted));
  for (int i = 0; i < node->n; ++i) sorted[i] = &node->child[i];
  qsort(sorted, (size_t)node->n, sizeof *sorted, compare_keys);
  for (int i = 1, found = 0; i < node->n && found < MOST_TOLD; ++i) {
    char location[GANNET_LOCATION_SIZE], first[40] = "";
    const int line = sorted[i - 1]->key_position.line; /* 0 = given on the command line */
    if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0) continue;
    gannet_tree_key_location(sorted[i], location, sizeof location);
    if (line > 0) (void)snprintf(first, sizeof first, " (first in line %d)", line);
    gannet_complain(complaints, location,
                    "key '%.200s' is given twice in the same mapping%s; leave one out",
                    sorted[i]->key, first);
    ++found;
  }
  gannet_free(&sorted);
  return GANNET_OK;
}

gannet_err gannet_tree_check_repeats(const gannet_tree *node, gannet_complaints *complaints) {
  if (node->kind == GANNET_TREE_MAPPING && node->n > 1) GANNET_TRY(check_mapping(node, complaints));
  for (int i = 0; i < node->n; ++i)
    GANNET_TRY(gannet_tree_check_repeats(&node->child[i], complaints));
  return GANNET_OK;
}
