#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"

gannet_err gannet_text_add(gannet_text *to, const char *bytes, size_t size) {
  if (to->used + size + 1 > to->capacity) {
    const size_t larger = 2 * (to->used + size) + 64;
    GANNET_TRY(gannet_resize(to->capacity, larger, 1, &to->text));
    to->capacity = larger;
  }
  if (size > 0) memcpy(to->text + to->used, bytes, size);
  to->used += size;
  to->text[to->used] = '\0';
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
