#include "evaluate/contract/json_text.h"

#include <string.h>

#include "base/memory.h"
#include "base/open_file.h"

enum { LONGEST_FILE = 1 << 20 }; /* bytes; those of gannet have some hundred */

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

json_t *gannet_json_read(const char *path) {
  char *text = NULL;
  size_t size = 0;
  json_t *value = NULL;
  if (gannet_file_read_within(path, LONGEST_FILE, GANNET_ERR_DAMAGED, &text, &size) == GANNET_OK)
    value = json_loadb(text, size, 0, NULL);
  else
    gannet_error_clear();
  gannet_free(&text);
  return value;
}

/* Length of the word that begins there, or 0. */
static size_t word_at(const char *text, size_t size) {
  static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
  for (int i = 0; i < 3; ++i) {
    const size_t length = strlen(words[i]);
    if (length <= size && memcmp(text, words[i], length) == 0) return length;
  }
  return 0;
}

bool gannet_json_blank_words(char *text, size_t size) {
  bool quoted = false, any = false;
  for (size_t i = 0; i < size; ++i) {
    const size_t length = quoted ? 0 : word_at(text + i, size - i);
    if (quoted && text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      quoted = !quoted;
    if (length == 0) continue;
    memset(text + i, ' ', length);
    text[i] = '0';
    any = true;
  }
  return any;
}
