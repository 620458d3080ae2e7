#include "campaign/config/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/open_file.h"

#define SEAL_WORDS "# checksum "
enum { SEAL = 32 }; /* room for its line */

/* "# checksum 0123456789abcdef" of all lines above it. */
static size_t format_seal(const char *text, size_t size, char seal[SEAL]) {
  return (size_t)snprintf(seal, SEAL, SEAL_WORDS "%016" PRIx64 "\n", gannet_hash(text, size));
}

gannet_err gannet_saved_write(const char *path, const gannet_campaign_input *input) {
  char *text = NULL;
  size_t size = 0;
  GANNET_TRY(gannet_campaign_format(input, &text, &size));
  gannet_err err = gannet_resize(size + 1, size + SEAL, 1, &text);
  if (err == GANNET_OK) size += format_seal(text, size, text + size);
  if (err == GANNET_OK) err = gannet_file_replace(path, text, size);
  gannet_free(&text);
  return err;
}

/* The last line. */
static const char *tail_of(const char *text, size_t size) {
  while (size > 0 && text[size - 1] == '\n') --size;
  while (size > 0 && text[size - 1] != '\n') --size;
  return text + size;
}

gannet_err gannet_saved_check(const char *path, bool *sealed) {
  char *text = NULL, seal[SEAL];
  size_t size = 0;
  GANNET_TRY(
      gannet_file_read_within(path, 2 * GANNET_CAMPAIGN_LONGEST, GANNET_ERR_DAMAGED, &text, &size));
  const size_t length = format_seal(text, 0, seal);
  bool sound = size > length;
  *sealed = strncmp(tail_of(text, size), SEAL_WORDS, sizeof SEAL_WORDS - 1) == 0;
  if (sound) (void)format_seal(text, size - length, seal);
  sound = !*sealed || (sound && memcmp(text + size - length, seal, length) == 0);
  gannet_free(&text);
  GANNET_REQUIRE(sound, GANNET_ERR_DAMAGED, "'%s' is not as gannet wrote it", path);
  return GANNET_OK;
}
