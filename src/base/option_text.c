/* Options as text: their values and their descriptions. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"

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

static void add(char *buffer, size_t size, const char *text) {
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
  add(buffer, size, text);
}

void gannet_option_describe(const gannet_option *option, char *buffer, size_t size) {
  const bool any = gannet_option_is_number(option) && !has_range(option);
  (void)snprintf(buffer, size, "%s%s", any && option->type <= GANNET_LARGE ? "any " : "",
                 type_names[option->type]);
  if (option->type == GANNET_CHOICE)
    for (int i = 0; option->choices[i]; ++i) {
      add(buffer, size, " ");
      add(buffer, size, option->choices[i]);
    }
  add_range(option, buffer, size);
  if (option->flags & GANNET_OPTION_AUTO) add(buffer, size, ", or auto");
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
  for (int digits = 6; digits <= 17; ++digits) {
    double back = 0;
    (void)snprintf(shortest, sizeof shortest, "%.*g", digits, value);
    if (sscanf(shortest, "%lf", &back) == 1 && back == value) break;
  }
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

static int format_choice(const gannet_option *option, const char *member, char *buffer,
                         size_t size) {
  int value;
  memcpy(&value, member, sizeof value);
  return snprintf(buffer, size, "%s", value < 0 ? "auto" : option->choices[value]);
}

static int format_boolean(const char *member, char *buffer, size_t size) {
  bool value;
  memcpy(&value, member, sizeof value);
  return snprintf(buffer, size, "%s", value ? "true" : "false");
}

static int format_text(const char *member, char *buffer, size_t size) {
  char *value;
  memcpy(&value, member, sizeof value);
  return snprintf(buffer, size, "%s", value ? value : "");
}

int gannet_option_format(const gannet_option *option, const void *target, char *buffer,
                         size_t size) {
  const char *member = (const char *)target + option->offset;
  switch (option->type) {
    case GANNET_TEXT:
      return format_text(member, buffer, size);
    case GANNET_TEXT_LIST:
      return format_text_list((const gannet_text_list *)(const void *)member, buffer, size);
    case GANNET_REAL_LIST:
      return format_real_list((const gannet_real_list *)(const void *)member, buffer, size);
    case GANNET_BOOLEAN:
      return format_boolean(member, buffer, size);
    case GANNET_CHOICE:
      return format_choice(option, member, buffer, size);
    case GANNET_INTEGER:
    case GANNET_LARGE:
    case GANNET_SIZE:
      return format_whole(option, member, buffer, size);
    default:
      return format_real(member, buffer, size);
  }
}
