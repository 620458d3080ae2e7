#include "campaign/config/section.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "campaign/config/schema.h"

/* A file that is something else altogether should not bury its user under complaints. */
enum { MOST_KEYS = 256, MOST_UNKNOWN = 20 };
enum { FEW_KEYS = 8 }; /* that a message lists all */

/* What the file says of one key. */
typedef struct {
  gannet_setting setting;
  char location[GANNET_LOCATION_SIZE];
  gannet_text_list items; /* of a list */
  bool owns_items;        /* their texts were made here, from a mapping */
  bool is_valid;          /* nothing about it was complained about yet */
} stated_key;

/* A key of the section, with a dot where the file has a mapping below it: "case.copy". */
typedef struct {
  char name[128];
  const gannet_tree *node;
} named_key;

/* The first option of a table whose key is in a mapping, "case.copy" for "case"; or NULL. */
static const gannet_option *find_below(const gannet_option *table, const char *mapping) {
  const size_t length = strlen(mapping);
  for (; table && table->key; ++table)
    if (strncmp(table->key, mapping, length) == 0 && table->key[length] == '.') return table;
  return NULL;
}

/* List the keys of a section by their names in the tables. A value in the place of a mapping stands
 * for the first key of that mapping. */
static gannet_err list_named_keys(const gannet_section_source *source, int *n, named_key **list) {
  const gannet_tree *node = source->node;
  const int n_children = node && node->kind == GANNET_TREE_MAPPING ? node->n : 0;
  int most = n_children;
  for (int i = 0; i < n_children; ++i) most += node->child[i].n;
  GANNET_TRY(gannet_alloc((size_t)most, sizeof **list, list));
  *n = 0;
  for (int i = 0; i < n_children; ++i) {
    const gannet_tree *child = &node->child[i];
    const gannet_option *below = find_below(source->table, child->key);
    if (!below) below = find_below(source->also, child->key);
    const int n_parts = below && child->kind == GANNET_TREE_MAPPING ? child->n : 0;
    for (int j = 0; j < n_parts; ++j) {
      named_key *key = &(*list)[(*n)++];
      key->node = &child->child[j];
      (void)snprintf(key->name, sizeof key->name, "%.60s.%.60s", child->key, key->node->key);
    }
    if (n_parts > 0) continue;
    (*list)[*n].node = child;
    (void)snprintf((*list)[(*n)++].name, sizeof(*list)->name, "%s",
                   below ? below->key : child->key);
  }
  return GANNET_OK;
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

/* Words of other optimisers, schedulers and launchers for keys whose names are far from them. */
static const struct {
  const char *section; /* the first part of its path */
  const char *words;   /* blanks around each */
  const char *key;     /* stands between quotation marks */
} other_words[] = {
    {"", " parameters params inputs search_space space dimensions factors ", "variables"},
    {"", " direction maximize minimize maximise minimise sense ", "goal"},
    {"", " random_seed random_state rng ", "seed"},
    {"", " title ", "name"},
    {"", " model sampler optimizer optimiser algorithm strategy ", "method"},
    {"", " n_init doe initial_points n_initial_points ", "initial"},
    {"", " max_evals max_evaluations n_trials trials n_calls n_iter max_iter iterations ",
     "budget.evaluations"},
    {"", " walltime ", "budget.wall_time"},
    {"", " timeout ", "evaluate.time_limit"},
    {"", " cmd program executable simulator ", "evaluate.command"},
    {"", " workers n_workers jobs n_jobs n_parallel ", "evaluate.parallel"},
    {"", " slurm ", "evaluate.backend"},
    {"constraints", " min minimum at_least ", "lower"},
    {"constraints", " max maximum at_most limit ", "upper"},
    {"constraints", " equal equals bounds range ", "lower' and 'upper"},
    {"import", " file path csv source table ", "from"},
    {"variables", " min minimum low lb ", "lower"},
    {"variables", " max maximum high ub ", "upper"},
    {"variables", " range bounds bound limits domain interval ", "lower' and 'upper"},
    {"variables", " choices options levels categories ", "values"},
    {"variables", " log log_scale ", "scale"},
    {"variables", " value constant ", "fixed"},
    {"variables", " dtype kind ", "type"},
    {"evaluate", " cmd program executable exec args arguments ", "command"},
    {"evaluate", " timeout walltime ", "time_limit"},
    {"evaluate", " jobs n_jobs workers n_workers nproc ", "parallel"},
    {"evaluate", " retry ", "retries"},
    {"evaluate", " cpus cores resources.cpu resources.cpus resources.threads ", "resources.cores"},
    {"evaluate", " resources.ranks resources.procs resources.processes ", "resources.tasks"},
    {"budget", " max_evals max_evaluations n_trials trials iterations runs total ", "evaluations"},
    {"budget", " time timeout ", "wall_time"}};

/* Whether a section is one of a campaign file; suites have sections as well. */
static bool is_of_campaign(const gannet_section_source *source) {
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i)
    if (source->table && section.table == source->table) return true;
  return false;
}

/* The key of a campaign file that a word of another program stands for; NULL = none is known. */
static const char *find_other_word(const gannet_section_source *source, const char *word) {
  char text[160];
  const char *path = source->path;
  const size_t length = strcspn(path, ".");
  if (!is_of_campaign(source)) return NULL;
  (void)snprintf(text, sizeof text, " %.150s ", word);
  for (size_t i = 0; i < sizeof other_words / sizeof *other_words; ++i) {
    const char *section = other_words[i].section;
    if (strlen(section) == length && strncmp(section, path, length) == 0 &&
        strstr(other_words[i].words, text))
      return other_words[i].key;
  }
  return NULL;
}

/* Whether an entry of the schema has a key, or is a section of that name below another one. */
static bool is_place_of(const gannet_section *section, const char *key, bool *is_section) {
  const gannet_option *option = section->table ? gannet_option_find(section->table, key) : NULL;
  const char *dot = strrchr(section->path, '.');
  *is_section = dot && strcmp(dot + 1, key) == 0;
  return *is_section || (option && strcmp(option->key, key) == 0 &&
                         !(option->flags & (GANNET_OPTION_HIDDEN | GANNET_OPTION_IDLE)));
}

/* Write where a key that the section does not have belongs: "evaluate.time_limit". False where no
 * other section of a campaign file has it, where more than three have it, and for other files. In
 * the methods of a suite a place is one below the method. */
static bool find_other_place(const gannet_section_source *source, const char *key, char *places,
                             size_t size) {
  enum { MOST_PLACES = 3 };
  char place[MOST_PLACES + 1][160];
  gannet_section section;
  bool is_section = false;
  int n = 0;
  if (!is_of_campaign(source) && !source->of_method) return false;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (n > MOST_PLACES || !is_place_of(&section, key, &is_section)) continue;
    if (source->of_method && section.reader != GANNET_SECTION_METHOD) continue;
    const int length = (int)strlen(section.path); /* of "variables.*", whose keys have NAME there */
    const bool is_named = length > 1 && strcmp(section.path + length - 2, ".*") == 0;
    (void)snprintf(place[n], sizeof place[n], "%s%s%.*s%s%s", source->of_method ? source->path : "",
                   source->of_method ? "." : "", is_named ? length - 1 : length, section.path,
                   is_named                    ? "NAME."
                   : length > 0 && !is_section ? "."
                                               : "",
                   is_section ? "" : key);
    bool is_known = false;
    for (int k = 0; k < n; ++k) is_known = is_known || strcmp(place[k], place[n]) == 0;
    n += !is_known;
  }
  if (n == 0 || n > MOST_PLACES) return false;
  size_t used = 0;
  for (int k = 0; k < n && used < size; ++k)
    used += (size_t)snprintf(places + used, size - used, "%s'%s'%s", k ? " or " : "", place[k],
                             strchr(place[k], '.') ? "" : " at the top level");
  return true;
}

/* Write the choices with which the section itself would have a key: "slurm" for the key sbatch of
 * evaluate. False where there are none. */
static bool find_choices(const gannet_section_source *source, const char *key, const char **by,
                         char *choices, size_t size) {
  gannet_section section;
  bool is_section = false;
  size_t used = 0;
  if (!is_of_campaign(source)) return false;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (!section.choice || strcmp(section.path, source->path) != 0) continue;
    if (!is_place_of(&section, key, &is_section) || is_section || used >= size) continue;
    *by = section.selector;
    used += (size_t)snprintf(choices + used, size - used, "%s%s", used > 0 ? " or " : "",
                             section.choice);
  }
  return used > 0;
}

/* Write a key with dots as sections: "budget: {failures: {rate: ...}}". False where its first part
 * is no section, here or at the top level. */
static bool write_nested(const gannet_section_source *source, const char *key, char *text,
                         size_t size) {
  const int length = (int)strcspn(key, ".");
  char here[160];
  bool is_section = false;
  gannet_section section;
  const char *path = source->of_method ? "" : source->path;
  if (!key[length] || (!is_of_campaign(source) && !source->of_method)) return false;
  (void)snprintf(here, sizeof here, "%.60s%s%.*s", path, *path ? "." : "", length, key);
  for (int i = 0; gannet_schema_get(i, &section) && !is_section; ++i)
    is_section = strcmp(section.path, here) == 0 ||
                 (strncmp(section.path, key, (size_t)length) == 0 && !section.path[length]);
  if (!is_section) return false;
  size_t used = 0;
  int depth = 0;
  for (const char *c = key; *c && used + 4 < size; ++c) {
    used += (size_t)snprintf(text + used, size - used, *c == '.' ? ": {" : "%c", *c);
    depth += *c == '.';
  }
  used += (size_t)snprintf(text + used, size - used, ": ...");
  for (; depth > 0 && used < size; --depth) used += (size_t)snprintf(text + used, size - used, "}");
  return used < size;
}

/* The section without keys that a key at the left margin below it was probably to belong to: its
 * keys are not indented. NULL = none. */
static const char *find_open_section(const gannet_section_source *source, const gannet_tree *key) {
  const gannet_tree *node = source->node;
  const char *open = NULL;
  for (int i = 0; node && i < node->n && &node->child[i] != key; ++i) {
    const gannet_tree *child = &node->child[i];
    bool is_section = false;
    for (int s = 0; source->sections && source->sections[s]; ++s)
      is_section = is_section || strcmp(source->sections[s], child->key) == 0;
    if (is_section)
      open = child->kind == GANNET_TREE_TEXT && child->empty ? child->key : NULL;
    else if (source->table && gannet_option_find(source->table, child->key))
      open = NULL;
  }
  return open;
}

/* Write what to do about a key that is not known, where more can be said than the nearest one. */
static bool write_advice(const gannet_section_source *source, const named_key *key,
                         const char *near, char *advice, size_t size) {
  const char *name = key->node->key, *by = NULL, *open = NULL;
  const int length = (int)strcspn(name, ":=");
  char places[600];
  if (strspn(name, "0123456789") == strlen(name)) /* of {lower: 0,5} and of 1,000 */
    (void)snprintf(advice, size,
                   "a comma separates keys, and numbers have a decimal point, as in 0.5, and "
                   "nothing between thousands");
  else if (name[length] && isalpha((unsigned char)*name))
    (void)snprintf(advice, size, "expected a colon and a blank behind a key, as in '%.*s: ...'",
                   (int)strcspn(name, ":= "), name);
  else if (write_nested(source, name, places, sizeof places))
    (void)snprintf(advice, size, "keys stand below their section, as in '%s'", places);
  else if (find_choices(source, key->name, &by, places, sizeof places))
    (void)snprintf(advice, size, "only %s: %s has it; leave it out, or change %s", by, places, by);
  else if (!near && (open = find_open_section(source, key->node)))
    (void)snprintf(advice, size, "indent it if it belongs to '%s'", open);
  else if (!near && ((source->find_place && source->find_place(name, places, sizeof places)) ||
                     find_other_place(source, key->name, places, sizeof places)))
    (void)snprintf(advice, size, "its place is %s: move it there, or correct its indentation",
                   places);
  else
    return false;
  return true;
}

/* Complain about a key that is not known: with the nearest ones, and all of them where they are
 * few. */
static void complain_unknown(const gannet_section_source *source, const named_key *key,
                             gannet_complaints *complaints) {
  const char *known[MOST_KEYS + 1];
  char location[GANNET_LOCATION_SIZE], list[600], nearest[200], advice[800];
  const int n = collect_keys(source, known);
  const char *other = find_other_word(source, key->name);
  const char *near = other ? other : gannet_nearest(key->name, known);
  gannet_tree_key_location(key->node, location, sizeof location);
  if (write_advice(source, key, near, advice, sizeof advice)) {
    gannet_complain(complaints, location, "unknown key '%s%s%.100s'; %s", source->path,
                    *source->path ? "." : "", key->name, advice);
    return;
  }
  if (n <= FEW_KEYS) {
    list_keys(source, list, sizeof list);
    gannet_complain(complaints, location, "unknown key '%s%s%.100s'%s%s%s; known keys:%s",
                    source->path, *source->path ? "." : "", key->name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
    return;
  }
  gannet_list_nearest(key->name, known, nearest, sizeof nearest);
  gannet_complain(complaints, location,
                  "unknown key '%s%s%.100s'; %s%s%s; `gannet explain%s%s` shows all keys",
                  source->path, *source->path ? "." : "", key->name,
                  near ? "did you mean '" : "nearest: ", near ? near : nearest, near ? "'?" : "",
                  is_of_campaign(source) ? *source->path ? " " : "" : " --suite",
                  is_of_campaign(source) ? source->path : "");
}

gannet_err gannet_section_check_keys(const gannet_section_source *source,
                                     gannet_complaints *complaints) {
  named_key *keys = NULL;
  int n = 0, unknown = 0;
  if (source->lenient) return GANNET_OK;
  GANNET_TRY(list_named_keys(source, &n, &keys));
  for (int i = 0; i < n && unknown < MOST_UNKNOWN; ++i) {
    const char *key = keys[i].name;
    bool known = (source->table && gannet_option_find(source->table, key)) ||
                 (source->also && gannet_option_find(source->also, key));
    for (int s = 0; source->sections && source->sections[s] && !known; ++s)
      known = strcmp(source->sections[s], key) == 0;
    if (known) continue;
    complain_unknown(source, &keys[i], complaints);
    ++unknown;
  }
  gannet_free(&keys);
  return GANNET_OK;
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

bool gannet_section_takes_mapping(const gannet_option *option) {
  static const char *const pairs[] = {"settings", "environment", "pattern", "columns"};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    if (option->type == GANNET_TEXT_LIST && strcmp(option->key, pairs[i]) == 0) return true;
  return false;
}

static gannet_err take_items(const gannet_section_source *source, const gannet_tree *child,
                             stated_key *key, gannet_complaints *complaints) {
  const gannet_option *option = gannet_option_find(source->table, key->setting.key);
  gannet_text_list *list = &key->items;
  if (child->kind == GANNET_TREE_MAPPING) {
    char expected[512];
    key->owns_items = true;
    if (gannet_section_takes_mapping(option)) return gannet_tree_flatten(child, "", add_pair, list);
    gannet_option_describe(option, expected, sizeof expected);
    if (child->n == 0 && strchr(option->key, '.')) /* a group of keys, as resources: {} */
      gannet_complain_of_key(complaints, key->location, source->path, key->setting.key,
                             "the braces are empty; expected a key such as this one, or no "
                             "braces at all");
    else
      gannet_complain_of_key(complaints, key->location, source->path, key->setting.key,
                             "a mapping is not valid; expected %s%s%s", expected,
                             option->example ? ", such as " : "",
                             option->example ? option->example : "");
    return GANNET_OK;
  }
  GANNET_TRY(gannet_alloc((size_t)child->n, sizeof *list->item, &list->item));
  for (int i = 0; i < child->n; ++i) {
    if (child->child[i].kind == GANNET_TREE_TEXT) {
      list->item[list->n++] = child->child[i].text;
      continue;
    }
    char location[GANNET_LOCATION_SIZE];
    gannet_tree_location(&child->child[i], location, sizeof location);
    gannet_complain_of_key(complaints, location, source->path, key->setting.key,
                           "item %d of the list is not a plain text or number (texts that begin "
                           "with '{' or '[' need quotes)",
                           i + 1);
  }
  return GANNET_OK;
}

static gannet_err take_key(const gannet_section_source *source, const named_key *named,
                           stated_key *key, gannet_complaints *complaints) {
  const gannet_tree *child = named->node;
  const int before = complaints->count;
  gannet_tree_location(child, key->location, sizeof key->location);
  key->setting = (gannet_setting){.key = named->name, .location = key->location};
  if (child->kind == GANNET_TREE_TEXT) {
    key->setting.text = child->text;
  } else {
    GANNET_TRY(take_items(source, child, key, complaints));
    key->setting.items = (const char *const *)key->items.item;
    key->setting.n_items = key->items.n;
  }
  key->is_valid = complaints->count == before;
  return GANNET_OK;
}

/* A required key is missing from a section that has no key to point at: point at the section. */
static bool locate_section(const void *user, const char *key, const char **location) {
  const char *section = user;
  (void)key;
  *location = *section ? section : NULL;
  return true;
}

static gannet_err apply_settings(const gannet_section_source *source, int n,
                                 const gannet_setting *settings, void *target,
                                 gannet_complaints *complaints) {
  const char *path = *source->path ? source->path : NULL, *fallback = source->fallback_location;
  gannet_complaints without_location = {0};
  char location[GANNET_LOCATION_SIZE];
  const gannet_err err = gannet_options_apply(source->table, path, n, settings, target,
                                              n > 0 ? complaints : &without_location);
  (void)snprintf(location, sizeof location, "%s", fallback ? fallback : "");
  if (source->node) gannet_tree_key_location(source->node, location, sizeof location);
  gannet_complaints_pass(&without_location, locate_section, location, complaints);
  gannet_complaints_release(&without_location);
  return err;
}

/* Complain about a value where keys belong, "budget: 200", with an example of a key. */
static void complain_of_value(const gannet_section_source *source, gannet_complaints *complaints) {
  const bool is_variable = strncmp(source->path, "variables.", 10) == 0;
  const char *all[MOST_KEYS + 1];
  char known[600], location[GANNET_LOCATION_SIZE], like[160] = "";
  const gannet_option *o = source->table;
  while (o && o->key &&
         ((o->flags & (GANNET_OPTION_HIDDEN | GANNET_OPTION_IDLE)) || strchr(o->key, '.') ||
          !(o->example || o->type == GANNET_CHOICE)))
    ++o;
  if (o && o->key)
    (void)snprintf(like, sizeof like, " like {%s: %s}", o->key,
                   o->example ? o->example : o->fallback);
  gannet_tree_location(source->node, location, sizeof location);
  list_keys(source, known, sizeof known);
  if (collect_keys(source, all) <= FEW_KEYS)
    gannet_complain(complaints, location, "%s: expected keys with values below it%s; known keys:%s",
                    source->path, like, known);
  else
    gannet_complain(complaints, location,
                    "%s: expected keys with values below it%s, as `gannet explain %s` shows",
                    source->path, is_variable ? " like {lower: 0, upper: 1}" : like,
                    is_of_campaign(source) ? source->path : "--suite");
}

gannet_err gannet_section_read(const gannet_section_source *source, void *target,
                               gannet_complaints *complaints) {
  const gannet_tree *node = source->node;
  named_key *named = NULL;
  stated_key *keys = NULL;
  gannet_setting *valid = NULL;
  int n = 0, n_named = 0, n_valid = 0;
  if (node && node->kind != GANNET_TREE_MAPPING && !node->empty) {
    complain_of_value(source, complaints);
    return GANNET_OK;
  }
  gannet_err err = gannet_section_check_keys(source, complaints);
  if (err == GANNET_OK) err = list_named_keys(source, &n_named, &named);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_named, sizeof *keys, &keys);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_named, sizeof *valid, &valid);
  for (int i = 0; i < n_named && err == GANNET_OK; ++i)
    if (gannet_option_find(source->table, named[i].name))
      err = take_key(source, &named[i], &keys[n++], complaints);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    if (keys[i].is_valid) valid[n_valid++] = keys[i].setting;
  if (err == GANNET_OK) err = apply_settings(source, n_valid, valid, target, complaints);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; keys[i].owns_items && j < keys[i].items.n; ++j)
      gannet_free(&keys[i].items.item[j]);
    gannet_free(&keys[i].items.item);
  }
  gannet_free(&valid);
  gannet_free(&keys);
  gannet_free(&named);
  return err;
}
