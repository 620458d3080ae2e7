#include "base/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

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

void gannet_complain(gannet_complaints *complaints, const char *where, const char *format, ...) {
  char line[1024];
  va_list arguments;
  int used = where ? snprintf(line, sizeof line, "%s: ", where) : 0;
  if (used < 0 || (size_t)used >= sizeof line) used = 0;
  va_start(arguments, format);
  (void)vsnprintf(line + used, sizeof line - (size_t)used, format, arguments);
  va_end(arguments);
  complaints->count += 1;
  append(complaints, line);
  append(complaints, "\n");
}

gannet_err gannet_complaints_raise(const gannet_complaints *complaints) {
  if (complaints->count == 0) return GANNET_OK;
  const char *text = complaints->text ? complaints->text : "";
  const int length = (int)strlen(text);
  return GANNET_RAISE(GANNET_ERR_INPUT, "%.*s", length > 0 ? length - 1 : 0, text);
}

void gannet_complaints_release(gannet_complaints *complaints) {
  gannet_free(&complaints->text);
  memset(complaints, 0, sizeof *complaints);
}
