#include "base/complaints.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

enum { LONGEST = 1024 };

/* False when memory runs out: the line is lost then, but a complaint is still counted, and the
 * input is refused either way. */
static bool append_line(const char *line, char **text, size_t *used, size_t *capacity) {
  const size_t length = strlen(line);
  if (*used + length + 2 > *capacity) {
    const size_t larger = 2 * (*used + length + 2);
    if (gannet_resize(*used, larger, 1, text) != GANNET_OK) return false;
    *capacity = larger;
  }
  memcpy(*text + *used, line, length);
  memcpy(*text + *used + length, "\n", 2);
  *used += length + 1;
  return true;
}

static void make_line(const char *location, const char *format, va_list arguments,
                      char line[LONGEST]) {
  int used = location ? snprintf(line, LONGEST, "%s: ", location) : 0;
  if (used < 0 || used >= LONGEST) used = 0;
  const int more = vsnprintf(line + used, LONGEST - (size_t)used, format, arguments);
  if (more >= 0 && used + more >= LONGEST)
    (void)snprintf(line + LONGEST - sizeof "...", sizeof "...", "...");
  gannet_utf8_show(line);
}

/* Methods of a portfolio, and its whole, read the same settings: equal lines are told once. One
 * that cannot be remembered may be told twice. Lengths are in bytes; the key follows the location.
 */
static void add_line(gannet_complaints *complaints, const char *line, size_t location_length,
                     size_t key_length) {
  const uint64_t hash = gannet_hash(line, strlen(line));
  const size_t begin = complaints->used;
  complaints->count += 1;
  for (int i = 0; i < complaints->n_lines; ++i)
    if (complaints->line[i].hash == hash) return;
  complaints->told += 1;
  if (!append_line(line, &complaints->text, &complaints->used, &complaints->capacity)) return;
  if (complaints->n_lines == complaints->line_capacity) {
    const int old = complaints->line_capacity, larger = 2 * old + 16;
    if (gannet_resize((size_t)old, (size_t)larger, sizeof *complaints->line, &complaints->line) !=
        GANNET_OK)
      return;
    complaints->line_capacity = larger;
  }
  const size_t key_begin = begin + location_length + (location_length ? strlen(": ") : 0);
  complaints->line[complaints->n_lines++] =
      (gannet_complaint_line){hash, begin, location_length, key_begin, key_length};
}

void gannet_complain(gannet_complaints *complaints, const char *location, const char *format, ...) {
  char line[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  make_line(location, format, arguments, line);
  va_end(arguments);
  add_line(complaints, line, location ? strlen(location) : 0, 0);
}

void gannet_complain_of_key(gannet_complaints *complaints, const char *location,
                            const char *section, const char *key, const char *format, ...) {
  char line[LONGEST], place[LONGEST];
  const bool has_section = section && *section;
  const size_t key_length = (has_section ? strlen(section) + 1 : 0) + strlen(key);
  (void)snprintf(place, sizeof place, "%s%s%s%s%s", location ? location : "", location ? ": " : "",
                 has_section ? section : "", has_section ? "." : "", key);
  va_list arguments;
  va_start(arguments, format);
  make_line(place, format, arguments, line);
  va_end(arguments);
  add_line(complaints, line, location ? strlen(location) : 0, key_length);
}

bool gannet_complaints_name_key(const gannet_complaints *complaints, int n, const char *key) {
  const size_t length = strlen(key);
  for (int i = 0; i < n && i < complaints->n_lines; ++i) {
    const gannet_complaint_line *line = &complaints->line[i];
    if (line->key_length == length && length > 0 &&
        memcmp(complaints->text + line->key_begin, key, length) == 0)
      return true;
  }
  return false;
}

void gannet_complaints_merge(const gannet_complaints *from, gannet_complaints *to) {
  char text[LONGEST];
  for (const char *at = from->warnings; at && *at; at += strcspn(at, "\n") + 1)
    gannet_complaints_warn(to, NULL, "%.*s", (int)strcspn(at, "\n"), at);
  for (int i = 0; i < from->n_lines; ++i) {
    const gannet_complaint_line *line = &from->line[i];
    const char *begin = from->text + line->begin;
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(begin, "\n"), begin);
    add_line(to, text, line->location_length, line->key_length);
  }
  to->count += from->told - from->n_lines; /* complaints for whose words there was no memory */
}

void gannet_complaints_pass(const gannet_complaints *from, gannet_complaint_locator locate,
                            const void *user, gannet_complaints *to) {
  char key[LONGEST], text[LONGEST];
  for (int i = 0; i < from->n_lines; ++i) {
    const char *line = from->text + from->line[i].begin, *location = NULL;
    const int length = (int)strcspn(line, "\n");
    const size_t key_length = from->line[i].location_length;
    (void)snprintf(key, sizeof key, "%.*s", (int)key_length, line);
    if (!locate(user, key, &location)) continue;
    (void)snprintf(text, sizeof text, "%s%s%.*s", location ? location : "", location ? ": " : "",
                   length, line);
    add_line(to, text, location ? strlen(location) : 0, key_length);
  }
  to->count += from->told - from->n_lines; /* complaints for whose words there was no memory */
}

void gannet_complaints_warn(gannet_complaints *complaints, const char *location, const char *format,
                            ...) {
  char line[LONGEST];
  va_list arguments;
  va_start(arguments, format);
  make_line(location, format, arguments, line);
  va_end(arguments);
  const size_t length = strlen(line);
  for (const char *at = complaints->warnings; at && *at; at += strcspn(at, "\n") + 1)
    if (strcspn(at, "\n") == length && strncmp(at, line, length) == 0) return;
  (void)append_line(line, &complaints->warnings, &complaints->warnings_used,
                    &complaints->warnings_capacity);
}

bool gannet_complaints_next_warning(gannet_complaints *complaints, char *line, size_t size) {
  if (complaints->warnings_shown >= complaints->warnings_used) return false;
  const char *at = complaints->warnings + complaints->warnings_shown;
  const size_t length = strcspn(at, "\n");
  (void)snprintf(line, size, "%.*s", (int)length, at);
  complaints->warnings_shown += length + 1;
  return true;
}

void gannet_complaints_log(gannet_complaints *complaints, const gannet_context *context) {
  char line[LONGEST];
  while (gannet_complaints_next_warning(complaints, line, sizeof line))
    gannet_log(context, GANNET_LOG_WARNING, "%s", line);
}

/* Length of the whole lines that an error record holds; writes how many more there are. */
static size_t cut_to_record(const gannet_complaints *complaints, char *rest, size_t size) {
  const size_t most = GANNET_ERROR_DETAIL - size;
  const char *text = complaints->text, *end = text;
  int n = 0;
  for (const char *next; (next = strchr(end, '\n')) && (size_t)(next - text) < most; ++n)
    end = next + 1;
  (void)snprintf(rest, size, "... and %d more", complaints->told - n);
  return (size_t)(end - text);
}

/* The position in the input that a line of complaints is about. */
typedef struct {
  int index;
  long line, column; /* 0 = not known */
} place_of_line;

static int compare_places(const void *one, const void *other) {
  const place_of_line *a = one, *b = other;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

void gannet_complaints_print(const gannet_complaints *complaints, FILE *out) {
  const int n = complaints->n_lines;
  place_of_line *places = NULL;
  if (n != complaints->told || gannet_alloc((size_t)n, sizeof *places, &places) != GANNET_OK) {
    gannet_error_clear();
    if (complaints->text) (void)fputs(complaints->text, out);
    return;
  }
  for (int i = 0; i < n; ++i) {
    const gannet_complaint_line *line = &complaints->line[i];
    const char *end = complaints->text + line->begin + line->location_length;
    const char *at = end;
    places[i] = (place_of_line){.index = i};
    for (int colons = 0; colons < 2 && at > complaints->text + line->begin;)
      colons += *--at == ':'; /* "file:line:column" */
    if (*at != ':' || sscanf(at, ":%ld:%ld", &places[i].line, &places[i].column) != 2)
      places[i] = (place_of_line){.index = i};
  }
  qsort(places, (size_t)n, sizeof *places, compare_places);
  for (int i = 0; i < n; ++i) {
    const char *line = complaints->text + complaints->line[places[i].index].begin;
    (void)fwrite(line, 1, strcspn(line, "\n") + 1, out);
  }
  gannet_free(&places);
}

gannet_err gannet_complaints_raise(const gannet_complaints *complaints) {
  if (complaints->count == 0) return GANNET_OK;
  const char *text = complaints->text ? complaints->text : "";
  char rest[32] = "";
  size_t length = strlen(text);
  if (length > GANNET_ERROR_DETAIL)
    length = cut_to_record(complaints, rest, sizeof rest);
  else if (length > 0)
    length -= 1;
  return GANNET_RAISE(GANNET_ERR_INPUT, "%.*s%s", (int)length, text, rest);
}

void gannet_complaints_release(gannet_complaints *complaints) {
  gannet_free(&complaints->text);
  gannet_free(&complaints->line);
  gannet_free(&complaints->warnings);
  memset(complaints, 0, sizeof *complaints);
}
