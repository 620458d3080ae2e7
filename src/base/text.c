#include "base/text.h"

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
