/* Old names of keys in a tree are replaced by those that the keys have now, and keys that make no
 * difference any more are left out. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/internal.h"

typedef struct {
  gannet_schema schema;
  bool later;
  gannet_complaints *complaints;
} replacer;

/* section  in     path of the section, with the user's names for stars; "" = top level
 * at       inout  which child of the mapping it is
 */
static gannet_err replace_key(const replacer *r, const char *section, gannet_tree *mapping,
                              int *at) {
  gannet_tree *child = &mapping->child[*at];
  const char *now = NULL, *dot = *section ? "." : "";
  gannet_section about;
  char location[GANNET_LOCATION_SIZE];
  int other = 0;
  for (int i = 0; r->schema(i, &about) && !now; ++i)
    if (gannet_schema_matches(about.path, section))
      now = gannet_option_renamed(about.table, child->key);
  if (!now) return GANNET_OK;
  gannet_tree_key_location(child, location, sizeof location);
  while (other < mapping->n && strcmp(mapping->child[other].key, now) != 0) ++other;
  const bool has_both = other < mapping->n;
  if (has_both && !r->later) {
    gannet_complain(r->complaints, location,
                    "%s%s%s and %s%s%s are two names of the same key; leave out %s", section, dot,
                    child->key, section, dot, now, child->key);
    return GANNET_OK;
  }
  gannet_option_warn_renamed(section, child->key, now, location, r->complaints);
  if (has_both) { /* the one with the present name has to go */
    gannet_tree *gone = &mapping->child[other];
    gannet_tree_clear(gone);
    gannet_free(&gone->key);
    memmove(gone, gone + 1, (size_t)(mapping->n - other - 1) * sizeof *gone);
    mapping->n -= 1;
    if (other < *at) *at -= 1;
  }
  child = &mapping->child[*at];
  gannet_free(&child->key);
  return gannet_copy_text(now, &child->key);
}

/* Leave out a key that makes no difference any more, with a warning; returns whether it was one. */
static bool drop_idle_key(const replacer *r, const char *section, gannet_tree *mapping, int at) {
  gannet_tree *child = &mapping->child[at];
  char location[GANNET_LOCATION_SIZE];
  gannet_section about;
  bool idle = false;
  for (int i = 0; r->schema(i, &about) && !idle; ++i)
    if (gannet_schema_matches(about.path, section)) {
      const gannet_option *option =
          about.table ? gannet_option_find(about.table, child->key) : NULL;
      idle = option && option->flags & GANNET_OPTION_IDLE;
    }
  if (!idle) return false;
  gannet_tree_key_location(child, location, sizeof location);
  gannet_complaints_warn(r->complaints, location, "%s%s%s no longer has any effect; remove it",
                         section, *section ? "." : "", child->key);
  gannet_tree_clear(child);
  gannet_free(&child->key);
  memmove(child, child + 1, (size_t)(mapping->n - at - 1) * sizeof *child);
  mapping->n -= 1;
  return true;
}

/* Items of a list have the section of the list. */
static gannet_err replace_below(const replacer *r, const char *section, gannet_tree *node) {
  char path[512];
  for (int i = 0; i < node->n; ++i) {
    const bool is_key = node->kind == GANNET_TREE_MAPPING;
    if (is_key && drop_idle_key(r, section, node, i)) {
      i -= 1;
      continue;
    }
    if (is_key) GANNET_TRY(replace_key(r, section, node, &i));
    const int length = snprintf(path, sizeof path, "%s%s%s", section, is_key && *section ? "." : "",
                                is_key ? node->child[i].key : "");
    if (length < 0 || (size_t)length >= sizeof path) continue; /* no schema has such a section */
    GANNET_TRY(replace_below(r, path, &node->child[i]));
  }
  return GANNET_OK;
}

gannet_err gannet_config_rename_keys(gannet_schema schema, gannet_tree *root, bool later,
                                     gannet_complaints *complaints) {
  const replacer r = {schema, later, complaints};
  return replace_below(&r, "", root);
}
