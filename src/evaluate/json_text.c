#include "evaluate/json_text.h"

#include <stdbool.h>

#include "base/memory.h"

/* Measured first, so that there is nothing to grow. */
gannet_err gannet_json_text(const json_t *value, size_t how, const char *what, char **text) {
  const size_t size = value ? json_dumpb(value, NULL, 0, how) : 0;
  *text = NULL;
  if (size > 0) GANNET_TRY(gannet_alloc(size + 1, 1, text));
  const bool whole = *text && json_dumpb(value, *text, size, how) == size;
  if (!whole) gannet_free(text);
  GANNET_REQUIRE(whole, GANNET_ERR_MEMORY, "%s", what);
  return GANNET_OK;
}
