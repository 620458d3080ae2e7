#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

/* Make room for size bytes more, and a zero byte behind them. */
static gannet_err make_room(gannet_text *to, size_t size) {
  if (to->used + size + 1 <= to->capacity) return GANNET_OK;
  const size_t larger = 2 * (to->used + size) + 64;
  GANNET_TRY(gannet_resize(to->capacity, larger, 1, &to->text));
  to->capacity = larger;
  return GANNET_OK;
}

gannet_err gannet_text_add(gannet_text *to, const char *bytes, size_t size) {
  GANNET_TRY(make_room(to, size));
  if (size > 0) memcpy(to->text + to->used, bytes, size);
  to->used += size;
  to->text[to->used] = '\0';
  return GANNET_OK;
}

gannet_err gannet_text_put(gannet_text *to, const char *string) {
  return gannet_text_add(to, string, strlen(string));
}

gannet_err gannet_text_print(gannet_text *to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  GANNET_REQUIRE(size >= 0, GANNET_ERR_MEMORY, "text of the format '%s' cannot be made", format);
  GANNET_TRY(make_room(to, (size_t)size));
  va_start(arguments, format);
  (void)vsnprintf(to->text + to->used, (size_t)size + 1, format, arguments);
  va_end(arguments);
  to->used += (size_t)size;
  return GANNET_OK;
}

/* A dot or an apostrophe begins a request only at the start of a line; a bare minus would become a
 * hyphen, which no shell takes for one. */
void gannet_roff_text(FILE *out, const char *text) {
  bool fresh = true;
  for (; *text; ++text) {
    if (fresh && (*text == '.' || *text == '\'')) (void)fputs("\\&", out);
    if (*text == '\\')
      (void)fputs("\\e", out);
    else if (*text == '-')
      (void)fputs("\\-", out);
    else if (*text == '\'')
      (void)fputs("\\(aq", out);
    else if (*text == '`')
      (void)fputs("\\(ga", out);
    else if (*text == '~')
      (void)fputs("\\(ti", out);
    else if (*text == '^')
      (void)fputs("\\(ha", out);
    else
      (void)fputc(*text, out);
    fresh = *text == '\n';
  }
}

void gannet_roff_title(FILE *out, const char *title, int section, const char *version) {
  (void)fputs(".TH ", out);
  for (; *title; ++title) (void)fputc(toupper((unsigned char)*title), out);
  (void)fprintf(out, " %d \"\" \"gannet %s\" \"gannet\"\n", section, version);
}
