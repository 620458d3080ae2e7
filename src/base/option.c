/* Option tables: storing settings, complaining about them, and their values as text. */
#include "base/option.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/names.h"

enum { LARGEST_TABLE = 128 };

const char *gannet_option_renamed(const gannet_option *table, const char *key) {
  for (; table && table->key; ++table)
    if (table->renamed && strcmp(table->key, key) == 0) return table->renamed;
  return NULL;
}

const gannet_option *gannet_option_find(const gannet_option *table, const char *key) {
  const char *renamed = gannet_option_renamed(table, key);
  for (; table->key; ++table)
    if (!table->renamed && strcmp(table->key, renamed ? renamed : key) == 0) return table;
  return NULL;
}

void gannet_option_warn_renamed(const char *section, const char *key, const char *renamed,
                                const char *location, gannet_complaints *complaints) {
  const char *path = section ? section : "", *dot = *path ? "." : "";
  gannet_complaints_warn(complaints, location,
                         "%s%s%s is now called %s%s%s; the old name is still accepted", path, dot,
                         key, path, dot, renamed);
}

int gannet_parse_boolean(const char *text, bool *value) {
  static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
  for (int i = 0; i < 6; ++i)
    if (strcasecmp(text, words[i]) == 0) {
      *value = i % 2;
      return 0;
    }
  return -1;
}

static int in_range(const gannet_option *option, double value) {
  if (option->lower == 0 && option->upper == 0) return 1;
  if (value < option->lower || value > option->upper) return 0;
  return !((option->flags & GANNET_OPTION_OPEN_LOW) && value <= option->lower);
}

static int is_whole(double value, double limit) {
  return value == floor(value) && fabs(value) <= limit;
}

static int store_number(const gannet_option *option, double value, char *member) {
  if (!in_range(option, value)) return -1;
  if (option->type == GANNET_INTEGER) {
    if (!is_whole(value, 2147483647)) return -1;
    const int whole = (int)value;
    memcpy(member, &whole, sizeof whole);
  } else if (option->type == GANNET_LARGE || option->type == GANNET_SIZE) {
    if (!is_whole(value, 0x1p62)) return -1;
    const int64_t whole = (int64_t)value;
    memcpy(member, &whole, sizeof whole);
  } else {
    memcpy(member, &value, sizeof value);
  }
  return 0;
}

static int store_auto(const gannet_option *option, char *member) {
  if (option->type == GANNET_REAL || option->type == GANNET_DURATION) {
    const double none = NAN;
    memcpy(member, &none, sizeof none);
  } else if (option->type == GANNET_LARGE || option->type == GANNET_SIZE) {
    const int64_t none = GANNET_AUTO;
    memcpy(member, &none, sizeof none);
  } else {
    const int none = GANNET_AUTO;
    memcpy(member, &none, sizeof none);
  }
  return 0;
}

/* Whole numbers beyond 2^53 do not survive a double: seeds are read exactly. */
static int store_exact(const gannet_option *option, const char *text, char *member) {
  char *end = NULL;
  errno = 0;
  const long long whole = strtoll(text, &end, 10);
  if (end == text || *end || errno || !in_range(option, (double)whole)) return -1;
  const int64_t value = whole;
  memcpy(member, &value, sizeof value);
  return 0;
}

static int store_scalar(const gannet_option *option, const char *text, char *member) {
  double number = 0;
  int64_t bytes = 0;
  int position = 0;
  bool truth = false;
  if ((option->flags & GANNET_OPTION_AUTO) && strcmp(text, "auto") == 0)
    return store_auto(option, member);
  switch (option->type) {
    case GANNET_BOOLEAN:
      if (gannet_parse_boolean(text, &truth)) return -1;
      memcpy(member, &truth, sizeof truth);
      return 0;
    case GANNET_CHOICE:
      while (option->choices[position] && strcmp(text, option->choices[position]) != 0) ++position;
      if (!option->choices[position]) return -1;
      memcpy(member, &position, sizeof position);
      return 0;
    case GANNET_DURATION:
      return gannet_parse_duration(text, &number) ? -1 : store_number(option, number, member);
    case GANNET_SIZE:
      return gannet_parse_size(text, &bytes) ? -1 : store_number(option, (double)bytes, member);
    case GANNET_LARGE:
      if (!store_exact(option, text, member)) return 0;
      return gannet_parse_number(text, &number) ? -1 : store_number(option, number, member);
    default:
      return gannet_parse_number(text, &number) ? -1 : store_number(option, number, member);
  }
}

static gannet_err store_text(const char *text, char *member) {
  char *copy = NULL, *old;
  memcpy(&old, member, sizeof old);
  GANNET_TRY(gannet_copy_text(text, &copy));
  gannet_free(&old);
  memcpy(member, &copy, sizeof copy);
  return GANNET_OK;
}

static void release_text_list(gannet_text_list *list) {
  for (int i = 0; i < list->n; ++i) gannet_free(&list->item[i]);
  gannet_free(&list->item);
  list->n = 0;
}

static gannet_err store_text_list(int n, const char *const *items, gannet_text_list *list) {
  release_text_list(list);
  GANNET_TRY(gannet_alloc((size_t)n + 1, sizeof *list->item, &list->item));
  list->n = n;
  for (int i = 0; i < n; ++i) GANNET_TRY(gannet_copy_text(items[i], &list->item[i]));
  return GANNET_OK;
}

static int is_list(const gannet_option *option) {
  return option->type == GANNET_TEXT_LIST || option->type == GANNET_REAL_LIST;
}

bool gannet_option_takes(const gannet_option *option, const char *text) {
  char value[sizeof(int64_t)];
  return is_list(option) || option->type == GANNET_TEXT || store_scalar(option, text, value) == 0;
}

/* Whether a text stands for infinity, as a word, as YAML writes it (.inf, -.inf), or as a number
 * that is too large (1e400). */
static bool is_infinite(const char *text) {
  char *end = NULL;
  const char *start = text + (*text == '-' || *text == '+');
  start += *start == '.' && isalpha((unsigned char)start[1]);
  double number = 0;
  const size_t size = gannet_number_read(text, GANNET_NUMBER_ANY, &number);
  if (size > 0) return !text[size] && isinf(number);
  number = strtod(start, &end);
  return end != start && *end == '\0' && isinf(number);
}

void gannet_option_complain_value(const gannet_option *option, const char *section,
                                  const char *text, const char *location,
                                  gannet_complaints *complaints) {
  char expected[512];
  if (option->type == GANNET_REAL && text && is_infinite(text)) {
    gannet_complain_of_key(complaints, location, section, option->key,
                           "'%s' is not finite; expected a finite number%s%s", text,
                           option->example ? ", such as " : "",
                           option->example ? option->example : "");
    return;
  }
  gannet_option_describe(option, expected, sizeof expected);
  const char *near = NULL;
  char word[64];
  (void)snprintf(word, sizeof word, " %.60s ", text ? text : "");
  for (char *at = word; *at; ++at) *at = (char)tolower((unsigned char)*at);
  for (int i = 0; option->meanings && option->choices[i] && !near; ++i)
    if (strstr(option->meanings[i], word)) near = option->choices[i];
  if (option->type == GANNET_CHOICE && text && !near) near = gannet_nearest(text, option->choices);
  const char *quote = text ? "'" : "";
  const char *hint = text && gannet_option_is_number(option) ? gannet_number_hint(text) : "";
  gannet_complain_of_key(complaints, location, section, option->key,
                         "%s%s%s is not valid; expected %s%s%s%s%s", quote, text ? text : "a list",
                         quote, expected, near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "", hint);
}

static gannet_err store_real_list(const gannet_option *option, const char *section,
                                  const gannet_setting *setting, gannet_real_list *list,
                                  gannet_complaints *complaints) {
  const int n = setting->text ? 1 : setting->n_items;
  const char *const *items = setting->text ? &setting->text : setting->items;
  gannet_free(&list->item);
  list->n = 0;
  GANNET_TRY(gannet_alloc((size_t)n, sizeof *list->item, &list->item));
  list->n = n;
  for (int i = 0; i < n; ++i)
    if (gannet_parse_number(items[i], &list->item[i]) || !in_range(option, list->item[i]))
      gannet_option_complain_value(option, section, items[i], setting->location, complaints);
  return GANNET_OK;
}

static gannet_err store_list(const gannet_option *option, const char *section,
                             const gannet_setting *setting, char *member,
                             gannet_complaints *complaints) {
  const int n = setting->text ? 1 : setting->n_items;
  const char *const *items = setting->text ? &setting->text : setting->items;
  if (option->type == GANNET_TEXT_LIST)
    return store_text_list(n, items, (gannet_text_list *)(void *)member);
  return store_real_list(option, section, setting, (gannet_real_list *)(void *)member, complaints);
}

static gannet_err store_setting(const gannet_option *option, const char *section,
                                const gannet_setting *setting, char *target,
                                gannet_complaints *complaints) {
  char *member = target + option->offset;
  int bad = 0;
  if (is_list(option))
    GANNET_TRY(store_list(option, section, setting, member, complaints));
  else if (!setting->text)
    bad = 1;
  else if (option->type == GANNET_TEXT)
    GANNET_TRY(store_text(setting->text, member));
  else
    bad = store_scalar(option, setting->text, member);
  if (bad)
    gannet_option_complain_value(option, section, setting->text, setting->location, complaints);
  return GANNET_OK;
}

/* End a text before characters that are not wanted at its end. */
static void trim_end(char *text, const char *unwanted) {
  size_t end = strlen(text);
  while (end > 0 && strchr(unwanted, text[end - 1])) text[--end] = '\0';
}

int gannet_list_cut(char *text, const char **items) {
  int n = 0;
  trim_end(text, " ]");
  for (char *rest = text + strspn(text, " ["); rest; ++n) {
    char *item = rest + strspn(rest, " "), *comma = strchr(rest, ',');
    if (comma) *comma = '\0';
    rest = comma ? comma + 1 : NULL;
    trim_end(item, " ");
    items[n] = item;
  }
  return n;
}

static gannet_err store_default(const gannet_option *option, const char *section, char *target,
                                gannet_complaints *complaints) {
  gannet_setting setting = {.key = option->key, .text = option->fallback, .location = "default"};
  if (!is_list(option)) return store_setting(option, section, &setting, target, complaints);
  char *text = NULL;
  const char **items = NULL;
  gannet_err code = gannet_copy_text(option->fallback, &text);
  if (code == GANNET_OK) code = gannet_alloc(strlen(text) + 1, sizeof *items, &items);
  if (code == GANNET_OK) {
    setting.text = NULL;
    setting.n_items = gannet_list_cut(text, items);
    setting.items = items;
    code = store_setting(option, section, &setting, target, complaints);
  }
  gannet_free(&items);
  gannet_free(&text);
  return code;
}

void gannet_option_complain_unknown(int n_tables, const gannet_option *const *tables,
                                    const char *section, const char *of,
                                    const gannet_setting *setting, gannet_complaints *complaints) {
  const char *known[LARGEST_TABLE] = {NULL};
  char list[700] = "";
  size_t used = 0;
  int n = 0;
  for (int t = 0; t < n_tables; ++t)
    for (const gannet_option *o = tables[t]; o && o->key && n < LARGEST_TABLE - 1; ++o) {
      if (o->flags & GANNET_OPTION_HIDDEN) continue;
      known[n++] = o->key;
      const int more = snprintf(list + used, sizeof list - used, " %s", o->key);
      if (more > 0 && used + (size_t)more < sizeof list) used += (size_t)more;
    }
  const char *near = gannet_nearest(setting->key, known);
  gannet_complain(complaints, setting->location, "unknown key '%s%s%s'%s%s%s%s; known keys:%s",
                  section ? section : "", section ? "." : "", setting->key, of,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
}

static void complain_missing(const gannet_option *table, const char *section, int n,
                             const gannet_setting *settings, gannet_complaints *complaints) {
  const gannet_option *all = table;
  for (; table->key; ++table) {
    int given = !(table->flags & GANNET_OPTION_REQUIRED);
    for (int i = 0; i < n && !given; ++i) {
      const char *renamed = gannet_option_renamed(all, settings[i].key);
      given = strcmp(renamed ? renamed : settings[i].key, table->key) == 0;
    }
    if (given) continue;
    gannet_complain(complaints, n > 0 ? settings[0].location : NULL,
                    "missing required key '%s%s%s' (%s)%s%s%s%s", section ? section : "",
                    section ? "." : "", table->key, table->help, table->example ? ", as in " : "",
                    table->example ? table->key : "", table->example ? ": " : "",
                    table->example ? table->example : "");
  }
}

gannet_err gannet_options_apply(const gannet_option *table, const char *section, int n,
                                const gannet_setting *settings, void *target,
                                gannet_complaints *complaints) {
  for (const gannet_option *option = table; option->key; ++option)
    if (option->fallback) GANNET_TRY(store_default(option, section, target, complaints));
  for (int i = 0; i < n; ++i) {
    const gannet_option *option = gannet_option_find(table, settings[i].key);
    if (option && option->flags & GANNET_OPTION_IDLE)
      gannet_complaints_warn(complaints, settings[i].location,
                             "%s%s%s no longer has any effect; remove it", section ? section : "",
                             section ? "." : "", option->key);
    if (option && strcmp(option->key, settings[i].key) != 0)
      gannet_option_warn_renamed(section, settings[i].key, option->key, settings[i].location,
                                 complaints);
    if (option)
      GANNET_TRY(store_setting(option, section, &settings[i], target, complaints));
    else
      gannet_option_complain_unknown(1, &table, section, "", &settings[i], complaints);
  }
  complain_missing(table, section, n, settings, complaints);
  return GANNET_OK;
}

void gannet_options_release(const gannet_option *table, void *target, size_t size) {
  char *bytes = target;
  for (; table->key; ++table) {
    char *member = bytes + table->offset;
    if (table->renamed) continue;
    if (table->type == GANNET_TEXT)
      gannet_free(member);
    else if (table->type == GANNET_TEXT_LIST)
      release_text_list((gannet_text_list *)(void *)member);
    else if (table->type == GANNET_REAL_LIST)
      gannet_free(&((gannet_real_list *)(void *)member)->item);
  }
  memset(target, 0, size);
}

/* Values and descriptions as text. */

static const char *const type_names[] = {
    [GANNET_REAL] = "number",
    [GANNET_INTEGER] = "whole number",
    [GANNET_LARGE] = "whole number",
    [GANNET_BOOLEAN] = "true or false",
    [GANNET_CHOICE] = "one of:",
    [GANNET_TEXT] = "text",
    [GANNET_TEXT_LIST] = "text or list of texts",
    [GANNET_REAL_LIST] = "list of numbers",
    [GANNET_DURATION] = "duration (90s, 10m, 4h, 1:30:00)",
    [GANNET_SIZE] = "size (4096, 64KiB, 2GiB)",
};

static void append_text(char *buffer, size_t size, const char *text) {
  const size_t used = strlen(buffer);
  if (used + 1 < size) (void)snprintf(buffer + used, size - used, "%s", text);
}

bool gannet_option_is_number(const gannet_option *option) {
  switch (option->type) {
    case GANNET_REAL:
    case GANNET_INTEGER:
    case GANNET_LARGE:
    case GANNET_REAL_LIST:
    case GANNET_DURATION:
    case GANNET_SIZE:
      return true;
    default:
      return false;
  }
}

static bool has_range(const gannet_option *option) {
  const bool given = option->lower != 0 || option->upper != 0;
  return given && (isfinite(option->lower) || isfinite(option->upper));
}

static void add_range(const gannet_option *option, char *buffer, size_t size) {
  char text[96];
  const char *relation = option->flags & GANNET_OPTION_OPEN_LOW ? "above" : "at least";
  if (!has_range(option)) return;
  if (isfinite(option->lower) && isfinite(option->upper))
    (void)snprintf(text, sizeof text,
                   option->flags & GANNET_OPTION_OPEN_LOW ? ", above %g, at most %g" : ", %g to %g",
                   option->lower, option->upper);
  else if (isfinite(option->lower))
    (void)snprintf(text, sizeof text, ", %s %g", relation, option->lower);
  else
    (void)snprintf(text, sizeof text, ", at most %g", option->upper);
  append_text(buffer, size, text);
}

void gannet_option_describe(const gannet_option *option, char *buffer, size_t size) {
  const bool any = gannet_option_is_number(option) && !has_range(option);
  (void)snprintf(buffer, size, "%s%s", any && option->type <= GANNET_LARGE ? "any " : "",
                 type_names[option->type]);
  if (option->type == GANNET_CHOICE)
    for (int i = 0; option->choices[i]; ++i) {
      append_text(buffer, size, " ");
      append_text(buffer, size, option->choices[i]);
    }
  add_range(option, buffer, size);
  if (option->flags & GANNET_OPTION_AUTO) append_text(buffer, size, ", or auto");
}

static int format_text_list(const gannet_text_list *list, char *buffer, size_t size) {
  int used = snprintf(buffer, size, "[");
  for (int i = 0; i < list->n; ++i) {
    const size_t at = (size_t)used < size ? (size_t)used : size;
    used += snprintf(buffer + at, size - at, "%s%s", i ? ", " : "", list->item[i]);
  }
  const size_t at = (size_t)used < size ? (size_t)used : size;
  return used + snprintf(buffer + at, size - at, "]");
}

static int format_real_list(const gannet_real_list *list, char *buffer, size_t size) {
  int used = snprintf(buffer, size, "[");
  for (int i = 0; i < list->n; ++i) {
    const size_t at = (size_t)used < size ? (size_t)used : size;
    used += snprintf(buffer + at, size - at, "%s%.17g", i ? ", " : "", list->item[i]);
  }
  const size_t at = (size_t)used < size ? (size_t)used : size;
  return used + snprintf(buffer + at, size - at, "]");
}

static int format_real(const char *member, char *buffer, size_t size) {
  double value;
  memcpy(&value, member, sizeof value);
  if (isnan(value)) return snprintf(buffer, size, "auto");
  char shortest[64];
  gannet_format_number(value, shortest, sizeof shortest);
  return snprintf(buffer, size, "%s", shortest);
}

static int format_whole(const gannet_option *option, const char *member, char *buffer,
                        size_t size) {
  int64_t value;
  if (option->type == GANNET_INTEGER) {
    int narrow;
    memcpy(&narrow, member, sizeof narrow);
    value = narrow;
  } else {
    memcpy(&value, member, sizeof value);
  }
  if ((option->flags & GANNET_OPTION_AUTO) && value == GANNET_AUTO)
    return snprintf(buffer, size, "auto");
  return snprintf(buffer, size, "%lld", (long long)value);
}

int gannet_option_format(const gannet_option *option, const void *target, char *buffer,
                         size_t size) {
  const char *member = (const char *)target + option->offset;
  char *text = NULL;
  bool truth = false;
  int position = 0;
  switch (option->type) {
    case GANNET_TEXT:
      memcpy(&text, member, sizeof text);
      return snprintf(buffer, size, "%s", text ? text : "");
    case GANNET_TEXT_LIST:
      return format_text_list((const gannet_text_list *)(const void *)member, buffer, size);
    case GANNET_REAL_LIST:
      return format_real_list((const gannet_real_list *)(const void *)member, buffer, size);
    case GANNET_BOOLEAN:
      memcpy(&truth, member, sizeof truth);
      return snprintf(buffer, size, "%s", truth ? "true" : "false");
    case GANNET_CHOICE:
      memcpy(&position, member, sizeof position);
      return snprintf(buffer, size, "%s", position < 0 ? "auto" : option->choices[position]);
    case GANNET_INTEGER:
    case GANNET_LARGE:
    case GANNET_SIZE:
      return format_whole(option, member, buffer, size);
    default:
      return format_real(member, buffer, size);
  }
}
