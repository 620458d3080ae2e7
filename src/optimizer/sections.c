#include "optimizer/sections.h"

#include <string.h>

const char *gannet_key_in_section(const char *section, const char *key) {
  const size_t length = strlen(section);
  return strncmp(key, section, length) == 0 && key[length] == '.' ? key + length + 1 : NULL;
}
