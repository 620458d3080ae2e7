/* A JSON schema of campaign files, draft 2020-12, from the tables that parse them. Editors complete
 * and check a file by it (docs/campaign-file.md).
 *
 * Every section of the schema (campaign/config/schema.h) is a definition below "$defs", named by
 * its path; the top level is the schema itself. A key that only holds for one choice of a selector,
 * such as evaluate.script for evaluate.backend: slurm, is a property of its section, and a
 * condition for each choice says what the keys mean there and which others are known.
 *
 * The schema accepts every file that gannet accepts, except that numbers must not be in quotes.
 * What needs more than one key to be seen is left to gannet.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "campaign/config/explain.h"
#include "campaign/config/schema.h"
#include "campaign/config/section.h"
#include "optimizer/options.h"

enum { LONGEST = 160 };

/* Sections that are a list in the file, whose items have the keys of the section. */
static const char *const lists[] = {"start", "physics.equations", "physics.equations.terms"};

/* Any value that is not a list or a mapping. */
static json_t *scalar(void) {
  return json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean");
}

static json_t *any_of(json_t *a, json_t *b) {
  return json_pack("{s:[o,o]}", "anyOf", a, b);
}

static json_t *list_of(json_t *items) {
  return json_pack("{s:s,s:o}", "type", "array", "items", items);
}

static void set_member(json_t *object, const char *key, json_t *value) {
  (void)json_object_set_new(object, key, value);
}

/* The JSON schema of the values of an option, without "auto". */
static json_t *value_of(const gannet_option *option, gannet_section_reader reader) {
  json_t *value;
  switch (option->type) {
    case GANNET_REAL:
    case GANNET_INTEGER:
    case GANNET_LARGE:
      value = json_pack("{s:s}", "type", option->type == GANNET_REAL ? "number" : "integer");
      break;
    case GANNET_BOOLEAN:
      return json_pack("{s:[b,b,s,s,s,s]}", "enum", 1, 0, "yes", "no", "on", "off");
    case GANNET_CHOICE:
      value = json_array();
      for (int i = 0; option->choices[i]; ++i)
        (void)json_array_append_new(value, json_string(option->choices[i]));
      return json_pack("{s:o}", "enum", value);
    case GANNET_TEXT_LIST:
      value = any_of(scalar(), list_of(scalar()));
      if (gannet_section_takes_mapping(option))
        (void)json_array_append_new(json_object_get(value, "anyOf"),
                                    json_pack("{s:s}", "type", "object"));
      return value;
    case GANNET_REAL_LIST:
      return any_of(json_pack("{s:s}", "type", "number"),
                    list_of(json_pack("{s:s}", "type", "number")));
    case GANNET_DURATION:
      value = json_pack("{s:[s,s],s:s}", "type", "number", "string", "pattern",
                        "^ *(([0-9.]+([eE][-+]?[0-9]+)? *[a-z]* *)+|([0-9]+-)?[0-9]+(:[0-9]+)+)$");
      break;
    case GANNET_SIZE:
      value = json_pack("{s:[s,s],s:s}", "type", "number", "string", "pattern",
                        "^ *([0-9.]+([eE][-+]?[0-9]+)? *[A-Za-z]* *)+$");
      break;
    default: /* the optimiser takes a list as the text in which it is written */
      return reader == GANNET_SECTION_METHOD ? any_of(scalar(), list_of(scalar())) : scalar();
  }
  if (option->lower == 0 && option->upper == 0) return value;
  if (isfinite(option->lower))
    set_member(value, option->flags & GANNET_OPTION_OPEN_LOW ? "exclusiveMinimum" : "minimum",
               json_real(option->lower));
  if (isfinite(option->upper)) set_member(value, "maximum", json_real(option->upper));
  return value;
}

/* The names from a registry that a key such as surrogate.type can have, in "enum", and what each
 * means, for editors that show it; NULL when the key has none. */
static json_t *names_of(const gannet_section *section, const gannet_option *option) {
  json_t *names = json_array(), *meanings = json_array();
  gannet_section other;
  for (int i = 0; gannet_schema_get(i, &other); ++i) {
    if (!other.selector || strcmp(other.path, section->path) != 0) continue;
    if (strcmp(other.selector, option->key) != 0) continue;
    (void)json_array_append_new(names, json_string(other.choice));
    (void)json_array_append_new(meanings, json_string(other.help));
  }
  const bool proposes = strcmp(section->path, "acquisition") == 0 && json_array_size(names) > 0;
  for (int i = 1; proposes && gannet_proposer_names[i]; ++i) {
    (void)json_array_append_new(names, json_string(gannet_proposer_names[i]));
    (void)json_array_append_new(meanings, json_string("needs no surrogate"));
  }
  if (json_array_size(names) > 0)
    return json_pack("{s:o,s:o}", "enum", names, "enumDescriptions", meanings);
  json_decref(names);
  json_decref(meanings);
  return NULL;
}

/* The default, where it is one value, as an editor would insert it. */
static json_t *default_of(const gannet_option *option) {
  double number;
  if (!option->fallback || !*option->fallback || option->fallback[0] == '[') return NULL;
  if (gannet_option_is_number(option) && option->type != GANNET_DURATION &&
      option->type != GANNET_SIZE && gannet_parse_number(option->fallback, &number) == 0)
    return number == floor(number) && fabs(number) < 0x1p53 ? json_integer((json_int_t)number)
                                                            : json_real(number);
  return json_string(option->fallback);
}

static json_t *schema_of(const gannet_section *section, const gannet_option *option) {
  json_t *value = names_of(section, option);
  json_t *fallback = default_of(option);
  if (!value) value = value_of(option, section->reader);
  if (option->flags & GANNET_OPTION_AUTO)
    value = any_of(json_pack("{s:s}", "const", "auto"), value);
  if (option->unit)
    set_member(value, "description", json_sprintf("%s [%s]", option->help, option->unit));
  else
    set_member(value, "description", json_string(option->help));
  if (fallback) set_member(value, "default", fallback);
  return value;
}

static json_t *new_object(void) {
  return json_pack("{s:[s,s],s:{},s:b}", "type", "object", "null", "properties",
                   "additionalProperties", 0);
}

/* Add what a key means to the properties of an object. A key that is there already, of another
 * choice, keeps its meaning if that is the same, else any value.
 *
 * value  in  owned
 */
static void add_property(json_t *object, const char *key, json_t *value) {
  json_t *properties = json_object_get(object, "properties");
  const json_t *known = json_object_get(properties, key);
  if (known && !json_equal(known, value)) {
    set_member(properties, key, json_object());
    json_decref(value);
  } else {
    set_member(properties, key, value);
  }
}

/* The mapping that dotted keys of an object such as keep.files are in. A value in its place stands
 * for its first key. */
static json_t *mapping_of(json_t *object, const char *key, size_t length, const json_t *first) {
  json_t *properties = json_object_get(object, "properties");
  char name[LONGEST];
  (void)snprintf(name, sizeof name, "%.*s", (int)length, key);
  if (!json_object_get(properties, name)) {
    json_t *alone = json_deep_copy(first);
    (void)json_object_del(alone, "default");
    set_member(properties, name, any_of(alone, new_object()));
  }
  return json_array_get(json_object_get(json_object_get(properties, name), "anyOf"), 1);
}

/* Add the keys of a table to an object. Old names are accepted and not offered, nor are keys for
 * tests and keys that make no difference any more. */
static void add_keys(json_t *object, const gannet_section *section) {
  for (const gannet_option *o = section->table; o && o->key; ++o) {
    const char *dot = strchr(o->key, '.');
    json_t *value = schema_of(section, gannet_option_find(section->table, o->key));
    if (o->renamed) set_member(value, "description", json_sprintf("now called %s", o->renamed));
    if (o->renamed || o->flags & GANNET_OPTION_IDLE) set_member(value, "deprecated", json_true());
    if (o->renamed || o->flags & (GANNET_OPTION_HIDDEN | GANNET_OPTION_IDLE))
      set_member(value, "doNotSuggest", json_true());
    if (dot)
      add_property(mapping_of(object, o->key, (size_t)(dot - o->key), value), dot + 1, value);
    else
      add_property(object, o->key, value);
  }
}

/* The keys of a section that must be given; NULL = none. */
static json_t *required_of(const gannet_section *section) {
  json_t *required = json_array();
  for (const gannet_option *o = section->table; o && o->key; ++o)
    if (o->flags & GANNET_OPTION_REQUIRED && !o->renamed && !strchr(o->key, '.'))
      (void)json_array_append_new(required, json_string(o->key));
  if (json_array_size(required) > 0) return required;
  json_decref(required);
  return NULL;
}

/* "if" the selector has this choice, "then" the keys of the choice mean this, and no others but the
 * common ones are known. */
static json_t *condition_of(const gannet_section *section, const json_t *common) {
  json_t *then = new_object(), *known = json_array(), *required = required_of(section);
  const char *key;
  json_t *value;
  (void)json_object_del(then, "type");
  (void)json_object_del(then, "additionalProperties");
  add_keys(then, section);
  json_object_foreach((json_t *)(uintptr_t)common, key, value)(void)
      json_array_append_new(known, json_string(key));
  json_object_foreach(json_object_get(then, "properties"), key, value)(void)
      json_array_append_new(known, json_string(key));
  set_member(then, "propertyNames", json_pack("{s:o}", "enum", known));
  if (required) set_member(then, "required", required);
  return json_pack("{s:{s:[s],s:{s:{s:s}}},s:o}", "if", "required", section->selector, "properties",
                   section->selector, "const", section->choice, "then", then);
}

/* The schema of a mapping with the keys of one section. */
static json_t *object_of(const char *path) {
  json_t *object = new_object(), *conditions = json_array(), *required = NULL;
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || section.selector) continue;
    add_keys(object, &section);
    if (!required) required = required_of(&section);
    set_member(object, "description", json_string(section.help));
  }
  json_t *common = json_copy(json_object_get(object, "properties"));
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    if (strcmp(section.path, path) != 0 || !section.selector || !section.table) continue;
    (void)json_array_append_new(conditions, condition_of(&section, common));
    add_keys(object, &section);
  }
  json_decref(common);
  if (required) set_member(object, "required", required);
  if (json_array_size(conditions) > 0)
    set_member(object, "allOf", conditions);
  else
    json_decref(conditions);
  return object;
}

/* A section where the file has it: its mapping, a list of such, or a short form. */
static json_t *place_of(const char *path, const char *help, const json_t *object) {
  json_t *place = json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", path));
  if (strcmp(path, "import") == 0) { /* the name of a file or a directory, a mapping, or a list */
    json_t *item = any_of(scalar(), place);
    place = any_of(item, list_of(json_deep_copy(item)));
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    if (strcmp(lists[i], path) == 0) place = list_of(place);
  if (strcmp(path, "start") == 0) place = any_of(scalar(), place); /* the name of a file */
  for (const gannet_short_form *form = gannet_short_forms; form->section; ++form)
    if (strcmp(form->section, path) == 0)
      place = any_of(
          json_deep_copy(json_object_get(json_object_get(object, "properties"), form->key)), place);
  set_member(place, "description", json_string(help));
  return place;
}

/* Define a section, and say in the section above it where it is. */
static void add_section(json_t *root, const gannet_section *section) {
  const char *path = section->path, *dot = strrchr(path, '.');
  json_t *definitions = json_object_get(root, "$defs"), *above = root, *object = object_of(path);
  char parent[LONGEST];
  if (strcmp(path, "start") == 0) set_member(object, "additionalProperties", scalar());
  set_member(definitions, path, object);
  (void)snprintf(parent, sizeof parent, "%.*s", dot ? (int)(dot - path) : 0, path);
  if (dot) above = json_object_get(definitions, parent);
  const char *key = dot ? dot + 1 : path;
  if (strcmp(key, "*") == 0)
    set_member(above, "additionalProperties", place_of(path, section->help, object));
  else
    set_member(json_object_get(above, "properties"), key, place_of(path, section->help, object));
}

gannet_err gannet_explain_json_schema(FILE *out) {
  json_t *root = object_of("");
  gannet_section section;
  if (!root) return GANNET_RAISE(GANNET_ERR_MEMORY, "the schema of campaign files");
  set_member(root, "type", json_string("object"));
  set_member(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
  set_member(root, "title", json_string("campaign file of gannet"));
  set_member(root, "required", json_pack("[s,s,s]", "variables", "budget", "evaluate"));
  set_member(root, "$defs", json_object());
  for (int i = 0; gannet_schema_get(i, &section); ++i)
    if (*section.path && !section.selector &&
        !json_object_get(json_object_get(root, "$defs"), section.path))
      add_section(root, &section);
  const int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  (void)fputc('\n', out);
  json_decref(root);
  if (failed) return GANNET_RAISE(GANNET_ERR_IO, "the schema of campaign files cannot be written");
  return GANNET_OK;
}
