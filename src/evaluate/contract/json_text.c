#include "evaluate/contract/json_text.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

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

bool gannet_json_blank_words(char *text, size_t size) {
  static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
  bool quoted = false, any = false;
  for (size_t i = 0; i < size; ++i) {
    size_t length = 0; /* of the word that begins here */
    for (int k = 0; k < 3 && !quoted && length == 0; ++k)
      if (strlen(words[k]) <= size - i && memcmp(text + i, words[k], strlen(words[k])) == 0)
        length = strlen(words[k]);
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
