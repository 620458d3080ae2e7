#include "campaign/config/section.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"

/* A file that is something else altogether should not bury its user under complaints. */
enum { MOST_KEYS = 256, MOST_UNKNOWN = 20, WHERE = 512 };

/* The settings of one section, with everything they point at. */
typedef struct {
  int n;
  gannet_setting *setting;
  char (*where)[WHERE];
  gannet_text_list *items; /* of lists; their texts are owned when the list came from a mapping */
  int *owned;
} settings;

static const char *path_of(const gannet_section_source *source) {
  return *source->path ? source->path : NULL;
}

static int collect_keys(const gannet_section_source *source, const char **known) {
  const gannet_option *tables[] = {source->table, source->also};
  int n = 0;
  for (int t = 0; t < 2; ++t)
    for (const gannet_option *o = tables[t]; o && o->key && n < MOST_KEYS; ++o)
      if (!(o->flags & GANNET_OPTION_HIDDEN)) known[n++] = o->key;
  for (int s = 0; source->sections && source->sections[s] && n < MOST_KEYS; ++s)
    known[n++] = source->sections[s];
  known[n] = NULL;
  return n;
}

static void list_keys(const gannet_section_source *source, char *list, size_t size) {
  const char *known[MOST_KEYS + 1];
  size_t used = 0;
  const int n = collect_keys(source, known);
  list[0] = '\0';
  for (int i = 0; i < n; ++i) {
    const int more = snprintf(list + used, size - used, " %s", known[i]);
    if (more > 0 && used + (size_t)more < size) used += (size_t)more;
  }
}

static void complain_unknown(const gannet_section_source *source, const gannet_tree *child,
                             gannet_complaints *complaints) {
  const char *known[MOST_KEYS + 1];
  char where[WHERE], list[600];
  (void)collect_keys(source, known);
  list_keys(source, list, sizeof list);
  const char *near = gannet_nearest(child->key, known);
  gannet_tree_where_key(child, where, sizeof where);
  gannet_complain(complaints, where, "unknown key '%s%s%.100s'%s%s%s; known keys:%s", source->path,
                  *source->path ? "." : "", child->key, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'?" : "", list);
}

/* A value where keys belong, "budget: 200". */
static void complain_flat(const gannet_section_source *source, const char *where,
                          gannet_complaints *complaints) {
  char known[600];
  list_keys(source, known, sizeof known);
  gannet_complain(complaints, where, "%s: expected keys with values below it; known keys:%s",
                  source->path, known);
}

static bool is_known(const gannet_section_source *source, const char *key) {
  if (source->table && gannet_option_find(source->table, key)) return true;
  if (source->also && gannet_option_find(source->also, key)) return true;
  for (int i = 0; source->sections && source->sections[i]; ++i)
    if (strcmp(source->sections[i], key) == 0) return true;
  return false;
}

void gannet_section_check_keys(const gannet_section_source *source, gannet_complaints *complaints) {
  const gannet_tree *node = source->node;
  int unknown = 0;
  if (source->lenient || !node || node->kind != GANNET_TREE_MAPPING) return;
  for (int i = 0; i < node->n && unknown < MOST_UNKNOWN; ++i)
    if (!is_known(source, node->child[i].key)) {
      complain_unknown(source, &node->child[i], complaints);
      ++unknown;
    }
}

/* A mapping as a list of "key=value", for options that pass settings on. */
static gannet_err add_pair(void *user, const char *path, const char *text,
                           const gannet_tree *node) {
  (void)node;
  gannet_text_list *list = user;
  const size_t n = (size_t)list->n, size = strlen(path) + strlen(text) + 2;
  GANNET_TRY(gannet_resize(n, n + 1, sizeof *list->item, &list->item));
  GANNET_TRY(gannet_alloc(size, 1, &list->item[n]));
  (void)snprintf(list->item[n], size, "%s=%s", path, text);
  list->n += 1;
  return GANNET_OK;
}

/* Lists of "key=value" are nicer to write as a mapping; for others a mapping is a mistake. */
static bool takes_mapping(const gannet_option *option) {
  static const char *const pairs[] = {"settings", "environment", "pattern"};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    if (option->type == GANNET_TEXT_LIST && strcmp(option->key, pairs[i]) == 0) return true;
  return false;
}

static gannet_err add_items(const gannet_section_source *source, const gannet_tree *child,
                            settings *all, gannet_complaints *complaints) {
  const gannet_option *option = gannet_option_find(source->table, child->key);
  gannet_text_list *list = &all->items[all->n];
  if (child->kind == GANNET_TREE_MAPPING) {
    char expected[512];
    all->owned[all->n] = 1;
    if (takes_mapping(option)) return gannet_tree_flatten(child, "", add_pair, list);
    gannet_option_describe(option, expected, sizeof expected);
    gannet_complain(complaints, all->where[all->n], "%s%s%s: a mapping is not valid; expected %s",
                    source->path, *source->path ? "." : "", child->key, expected);
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc((size_t)child->n, sizeof *list->item, &list->item));
  for (int i = 0; i < child->n; ++i) {
    if (child->child[i].kind == GANNET_TREE_TEXT) {
      list->item[list->n++] = child->child[i].text;
      continue;
    }
    char where[WHERE];
    gannet_tree_where(&child->child[i], where, sizeof where);
    gannet_complain(
        complaints, where,
        "%s%s%s: item %d of the list is not a plain text or number (texts that begin with "
        "'{' or '[' need quotes)",
        source->path, *source->path ? "." : "", child->key, i + 1);
  }
  return GANNET_OK;
}

static gannet_err add_setting(const gannet_section_source *source, const gannet_tree *child,
                              settings *all, gannet_complaints *complaints) {
  gannet_setting *setting = &all->setting[all->n];
  const int before = complaints->count;
  gannet_tree_where(child, all->where[all->n], WHERE);
  setting->key = child->key;
  setting->where = all->where[all->n];
  if (child->kind == GANNET_TREE_TEXT) {
    setting->text = child->text;
  } else {
    const gannet_err err = add_items(source, child, all, complaints);
    setting->items = (const char *const *)all->items[all->n].item;
    setting->n_items = all->items[all->n].n;
    if (err != GANNET_OK || complaints->count > before) all->setting[all->n].key = NULL;
    all->n += 1;
    return err;
  }
  all->n += 1;
  return GANNET_OK;
}

/* Settings that were complained about have no key: they are taken out, keeping the order. */
static int valid_settings(const settings *all, gannet_setting *out) {
  int n = 0;
  for (int i = 0; i < all->n; ++i)
    if (all->setting[i].key) out[n++] = all->setting[i];
  return n;
}

static void release(settings *all) {
  for (int i = 0; i < all->n; ++i) {
    for (int j = 0; all->owned[i] && j < all->items[i].n; ++j) gannet_free(&all->items[i].item[j]);
    gannet_free(&all->items[i].item);
  }
  gannet_free(&all->setting);
  gannet_free(&all->where);
  gannet_free(&all->items);
  gannet_free(&all->owned);
}

static gannet_err gather(const gannet_section_source *source, settings *all,
                         gannet_complaints *complaints) {
  const gannet_tree *node = source->node;
  const int children = node ? node->n : 0;
  size_t n = 0;
  for (int i = 0; i < children; ++i)
    n += gannet_option_find(source->table, node->child[i].key) != NULL;
  GANNET_TRY(gannet_alloc(n, sizeof *all->setting, &all->setting));
  GANNET_TRY(gannet_alloc(n, sizeof *all->where, &all->where));
  GANNET_TRY(gannet_alloc(n, sizeof *all->items, &all->items));
  GANNET_TRY(gannet_alloc(n, sizeof *all->owned, &all->owned));
  for (int i = 0; i < children; ++i)
    if (gannet_option_find(source->table, node->child[i].key))
      GANNET_TRY(add_setting(source, &node->child[i], all, complaints));
  return GANNET_OK;
}

/* A required key is missing from a section that has no key to point at: point at the section. */
static void relay(const gannet_complaints *local, const char *where,
                  gannet_complaints *complaints) {
  const char *line = local->text;
  for (int i = 0; i < local->count && line && *line; ++i) {
    const int length = (int)strcspn(line, "\n");
    gannet_complain(complaints, where, "%.*s", length, line);
    line += length + (line[length] == '\n');
  }
}

static gannet_err apply(const gannet_section_source *source, const settings *all, void *target,
                        gannet_complaints *complaints) {
  gannet_setting *valid = NULL;
  gannet_complaints local = {0};
  char where[WHERE];
  GANNET_TRY(gannet_alloc((size_t)all->n, sizeof *valid, &valid));
  const int n = valid_settings(all, valid);
  const gannet_err err = gannet_options_apply(source->table, path_of(source), n, valid, target,
                                              n ? complaints : &local);
  (void)snprintf(where, sizeof where, "%s", source->fallback_where ? source->fallback_where : "");
  if (source->node) gannet_tree_where_key(source->node, where, sizeof where);
  relay(&local, *where ? where : NULL, complaints);
  gannet_complaints_release(&local);
  gannet_free(&valid);
  return err;
}

gannet_err gannet_section_read(const gannet_section_source *source, void *target,
                               gannet_complaints *complaints) {
  settings all = {0};
  gannet_section_source now = *source;
  if (now.node && now.node->kind != GANNET_TREE_MAPPING) {
    char where[WHERE];
    gannet_tree_where(now.node, where, sizeof where);
    if (!now.node->empty) {
      complain_flat(&now, where, complaints);
      return GANNET_OK;
    }
  }
  gannet_section_check_keys(&now, complaints);
  gannet_err err = gather(&now, &all, complaints);
  if (err == GANNET_OK) err = apply(&now, &all, target, complaints);
  release(&all);
  return err;
}
