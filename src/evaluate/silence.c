#include "evaluate/silence.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"

static const char name[] = "silent";

void gannet_silence_begin(const char *place, const gannet_silence *silence) {
  char path[PATH_MAX], text[GANNET_SILENCE_SAID + 64];
  const int size = snprintf(text, sizeof text, "%.3f\n%.*s\n", silence->since,
                            GANNET_SILENCE_SAID - 1, silence->said);
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
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/slurm/%s", campaign, name);
  FILE *note = length < (int)sizeof path ? fopen(path, "re") : NULL;
  *silence = (gannet_silence){0};
  if (!note) return false;
  const bool dated = fscanf(note, "%lf%*[\n]", &silence->since) == 1;
  if (!fgets(silence->said, sizeof silence->said, note)) silence->said[0] = '\0';
  (void)fclose(note);
  silence->said[strcspn(silence->said, "\n")] = '\0';
  for (char *at = silence->said; *at; ++at)
    if (iscntrl((unsigned char)*at)) *at = ' ';
  return dated && silence->since > 0;
}
