#include "evaluate/silence.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/open_file.h"

static const char name[] = "silent";
static const char *const words[] = {[GANNET_SILENCE_OTHER] = "other",
                                    [GANNET_SILENCE_UNKNOWN] = "unknown",
                                    [GANNET_SILENCE_REFUSED] = "refused",
                                    [GANNET_SILENCE_HELD] = "held"};

static gannet_silence_kind kind_of(const char *word) {
  for (size_t kind = 0; kind < sizeof words / sizeof *words; ++kind)
    if (strcmp(words[kind], word) == 0) return (gannet_silence_kind)kind;
  return GANNET_SILENCE_OTHER;
}

void gannet_silence_begin(const char *place, const gannet_silence *silence) {
  char path[PATH_MAX], text[GANNET_SILENCE_SAID + 64];
  const int size = snprintf(text, sizeof text, "%.3f %s\n%.*s\n", silence->since,
                            words[silence->kind], GANNET_SILENCE_SAID - 1, silence->said);
  if (gannet_join_path(place, name, path, sizeof path) != GANNET_OK ||
      gannet_file_put(path, text, (size_t)size) != GANNET_OK)
    gannet_error_clear();
}

void gannet_silence_end(const char *place) {
  char path[PATH_MAX];
  if (gannet_join_path(place, name, path, sizeof path) == GANNET_OK)
    (void)unlink(path);
  else
    gannet_error_clear();
}

bool gannet_silence_look(const char *campaign, gannet_silence *silence) {
  char path[PATH_MAX], line[64], word[16] = "";
  const int length = snprintf(path, sizeof path, "%s/slurm/%s", campaign, name);
  FILE *note = NULL;
  *silence = (gannet_silence){0};
  if (length >= (int)sizeof path) return false;
  if (gannet_file_stream(path, GANNET_ERR_DAMAGED, &note) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool dated =
      fgets(line, sizeof line, note) && sscanf(line, "%lf %15[a-z]", &silence->since, word) > 0;
  silence->kind = kind_of(word);
  if (!fgets(silence->said, sizeof silence->said, note)) silence->said[0] = '\0';
  (void)fclose(note);
  silence->said[strcspn(silence->said, "\n")] = '\0';
  for (char *at = silence->said; *at; ++at)
    if (iscntrl((unsigned char)*at)) *at = ' ';
  return dated && silence->since > 0;
}
