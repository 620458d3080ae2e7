#include "base/complaints.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

/* When memory runs out the line is lost but still counted: the input is refused either way. */
static void append(gannet_complaints *complaints, const char *line) {
  const size_t length = strlen(line);
  if (complaints->used + length + 1 > complaints->capacity) {
    const size_t larger = 2 * (complaints->used + length + 1);
    if (gannet_resize(complaints->used, larger, 1, &complaints->text) != GANNET_OK) return;
    complaints->capacity = larger;
  }
  memcpy(complaints->text + complaints->used, line, length + 1);
  complaints->used += length;
}

/* False for a line that was remembered before: methods of a portfolio, and its whole, read the same
 * settings. One that cannot be remembered may be told twice. */
static bool remember(gannet_complaints *complaints, const char *line) {
  const uint64_t hash = gannet_hash(line, strlen(line));
  const size_t told = (size_t)complaints->told, larger = 2 * told + 16;
  for (size_t i = 0; i < told && i < complaints->hash_capacity; ++i)
    if (complaints->hash[i] == hash) return false;
  if (told >= complaints->hash_capacity) {
    if (gannet_resize(complaints->hash_capacity, larger, sizeof hash, &complaints->hash) !=
        GANNET_OK)
      return true;
    complaints->hash_capacity = larger;
  }
  complaints->hash[told] = hash;
  return true;
}

void gannet_complain(gannet_complaints *complaints, const char *where, const char *format, ...) {
  char line[1024];
  va_list arguments;
  int used = where ? snprintf(line, sizeof line, "%s: ", where) : 0;
  if (used < 0 || (size_t)used >= sizeof line) used = 0;
  va_start(arguments, format);
  const int more = vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
  va_end(arguments);
  if (more >= 0 && (size_t)(used + more) >= sizeof line)
    (void)snprintf(line + sizeof line - sizeof "...", sizeof "...", "...");
  gannet_utf8_line(line);
  complaints->count += 1;
  if (!remember(complaints, line)) return;
  complaints->told += 1;
  append(complaints, line);
  append(complaints, "\n");
}

/* The whole lines that a record holds, and how many there are more. */
static size_t cut(const gannet_complaints *complaints, char *rest, size_t size) {
  const size_t most = GANNET_ERROR_DETAIL - size;
  const char *text = complaints->text, *end = text;
  int n = 0;
  for (const char *next; (next = strchr(end, '\n')) && (size_t)(next - text) < most; ++n)
    end = next + 1;
  (void)snprintf(rest, size, "... and %d more", complaints->told - n);
  return (size_t)(end - text);
}

gannet_err gannet_complaints_raise(const gannet_complaints *complaints) {
  if (complaints->count == 0) return GANNET_OK;
  const char *text = complaints->text ? complaints->text : "";
  char rest[32] = "";
  size_t length = strlen(text);
  if (length > GANNET_ERROR_DETAIL)
    length = cut(complaints, rest, sizeof rest);
  else if (length > 0)
    length -= 1;
  return GANNET_RAISE(GANNET_ERR_INPUT, "%.*s%s", (int)length, text, rest);
}

void gannet_complaints_release(gannet_complaints *complaints) {
  gannet_free(&complaints->text);
  gannet_free(&complaints->hash);
  memset(complaints, 0, sizeof *complaints);
}
