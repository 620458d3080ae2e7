#include "evaluate/slurm/scheduler_status.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/open_file.h"

static const char name[] = "silent";
static const char *const words[] = {[GANNET_SCHEDULER_OTHER] = "other",
                                    [GANNET_SCHEDULER_UNKNOWN] = "unknown",
                                    [GANNET_SCHEDULER_REFUSES] = "refused",
                                    [GANNET_SCHEDULER_HOLDS] = "held"};

static gannet_scheduler_status_kind kind_of(const char *word) {
  for (size_t kind = 0; kind < sizeof words / sizeof *words; ++kind)
    if (strcmp(words[kind], word) == 0) return (gannet_scheduler_status_kind)kind;
  return GANNET_SCHEDULER_OTHER;
}

void gannet_scheduler_status_write(const char *directory,
                                   const gannet_scheduler_status *scheduler_status) {
  char path[PATH_MAX], text[GANNET_SCHEDULER_SAID + 64];
  const int size =
      snprintf(text, sizeof text, "%.3f %s\n%.*s\n", scheduler_status->since,
               words[scheduler_status->kind], GANNET_SCHEDULER_SAID - 1, scheduler_status->said);
  if (gannet_join_path(directory, name, path, sizeof path) != GANNET_OK ||
      gannet_file_put(path, text, (size_t)size) != GANNET_OK)
    gannet_error_clear();
}

void gannet_scheduler_status_remove(const char *directory) {
  char path[PATH_MAX];
  if (gannet_join_path(directory, name, path, sizeof path) == GANNET_OK)
    (void)unlink(path);
  else
    gannet_error_clear();
}

bool gannet_scheduler_status_read(const char *campaign, gannet_scheduler_status *scheduler_status) {
  char path[PATH_MAX], line[64], word[16] = "";
  const int length = snprintf(path, sizeof path, "%s/slurm/%s", campaign, name);
  FILE *note = NULL;
  *scheduler_status = (gannet_scheduler_status){0};
  if (length >= (int)sizeof path) return false;
  if (gannet_file_stream(path, GANNET_ERR_DAMAGED, &note) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  const bool dated = fgets(line, sizeof line, note) &&
                     sscanf(line, "%lf %15[a-z]", &scheduler_status->since, word) > 0;
  scheduler_status->kind = kind_of(word);
  if (!fgets(scheduler_status->said, sizeof scheduler_status->said, note))
    scheduler_status->said[0] = '\0';
  (void)fclose(note);
  scheduler_status->said[strcspn(scheduler_status->said, "\n")] = '\0';
  for (char *at = scheduler_status->said; *at; ++at)
    if (iscntrl((unsigned char)*at)) *at = ' ';
  return dated && scheduler_status->since > 0;
}
