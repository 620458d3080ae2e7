#include "campaign/config/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { LONGEST = 512 };

typedef struct {
  gannet_schema schema;
  bool later;
  gannet_complaints *complaints;
} replacer;

const char *gannet_renamed_find(gannet_schema schema, const char *section, const char *key) {
  gannet_section about;
  const char *renamed = NULL;
  for (int i = 0; schema(i, &about) && !renamed; ++i)
    if (gannet_schema_matches(about.path, section))
      renamed = gannet_option_renamed(about.table, key);
  return renamed;
}

static int find(const gannet_tree *mapping, const char *key) {
  for (int i = 0; i < mapping->n; ++i)
    if (strcmp(mapping->child[i].key, key) == 0) return i;
  return -1;
}

/* Another key with the present name has to go; returns where the old one is then. */
static int drop(gannet_tree *mapping, int other, int at) {
  gannet_tree *child = &mapping->child[other];
  gannet_tree_clear(child);
  gannet_free(&child->key);
  memmove(child, child + 1, (size_t)(mapping->n - other - 1) * sizeof *child);
  mapping->n -= 1;
  return other < at ? at - 1 : at;
}

static gannet_err replace(const replacer *r, const char *section, gannet_tree *mapping, int *at) {
  gannet_tree *child = &mapping->child[*at];
  const char *now = gannet_renamed_find(r->schema, section, child->key);
  const char *dot = *section ? "." : "";
  char where[LONGEST];
  if (!now) return GANNET_OK;
  gannet_tree_where_key(child, where, sizeof where);
  const int other = find(mapping, now);
  if (other >= 0 && !r->later) {
    gannet_complain(r->complaints, where,
                    "%s%s%s and %s%s%s are two names of the same key; leave out %s", section, dot,
                    child->key, section, dot, now, child->key);
    return GANNET_OK;
  }
  gannet_option_warn_renamed(section, child->key, now, where, r->complaints);
  if (other >= 0) *at = drop(mapping, other, *at);
  child = &mapping->child[*at];
  gannet_free(&child->key);
  return gannet_copy_text(now, &child->key);
}

/* Items of a list have the section of the list. */
static gannet_err replace_below(const replacer *r, const char *section, gannet_tree *node) {
  char path[LONGEST];
  for (int i = 0; i < node->n; ++i) {
    const bool is_key = node->kind == GANNET_TREE_MAPPING;
    if (is_key) GANNET_TRY(replace(r, section, node, &i));
    const int length = snprintf(path, sizeof path, "%s%s%s", section, is_key && *section ? "." : "",
                                is_key ? node->child[i].key : "");
    if (length < 0 || (size_t)length >= sizeof path) continue; /* no schema has such a section */
    GANNET_TRY(replace_below(r, path, &node->child[i]));
  }
  return GANNET_OK;
}

gannet_err gannet_renamed_replace(gannet_schema schema, gannet_tree *root, bool later,
                                  gannet_complaints *complaints) {
  const replacer r = {schema, later, complaints};
  return replace_below(&r, "", root);
}
