/* A text that grows. */
#ifndef GANNET_BASE_TEXT_H
#define GANNET_BASE_TEXT_H

#include <stddef.h>

#include "base/error.h"

/* Zero-initialise; free text with gannet_free. */
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

#endif
