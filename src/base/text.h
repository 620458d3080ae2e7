/* Texts that grow, and texts for man pages. */
#ifndef GANNET_BASE_TEXT_H
#define GANNET_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* A text that grows. Zero-initialise; free text with gannet_free. */
typedef struct {
  char *text; /* with a zero byte behind the used ones; NULL while nothing was added */
  size_t used, capacity;
} gannet_text;

/* Add size bytes at the end.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; the text is then as it was.
 */
GANNET_CHECKED gannet_err gannet_text_add(gannet_text *to, const char *bytes, size_t size);

/* Add a string at the end, as fputs does.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; the text is then as it was.
 */
GANNET_CHECKED gannet_err gannet_text_put(gannet_text *to, const char *string);

/* Add formatted text of any length at the end, as fprintf does.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY; the text is then as it was.
 */
GANNET_CHECKED gannet_err gannet_text_print(gannet_text *to, const char *format, ...)
    GANNET_PRINTF(2, 3);

/* Write text for man(7), with the characters escaped that roff would take for its own.
 *
 * Local.
 */
void gannet_roff_text(FILE *out, const char *text);

/* Write the line ".TH" of a page: title in upper case, section and version.
 *
 * Local.
 */
void gannet_roff_title(FILE *out, const char *title, int section, const char *version);

#endif
