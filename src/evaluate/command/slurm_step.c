#include "evaluate/command/slurm_step.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/open_file.h"

enum { TAIL_SIZE = 4096 };

static void read_tail(const char *directory, char *text) {
  char path[PATH_MAX];
  text[0] = '\0';
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, TAIL_SIZE + 1, text, NULL) != GANNET_OK)
    gannet_error_clear();
}

/* slurm_errno.c, up to 24.05; each beside the number of the job. */
bool gannet_slurm_step_is_refused(const char *directory, const char *job) {
  static const char *const phrase[] = {"Job/step already completing or completed",
                                       "Unable to confirm allocation for job",
                                       "Job credential revoked"};
  char text[TAIL_SIZE + 1];
  read_tail(directory, text);
  for (size_t i = 0; i < sizeof phrase / sizeof *phrase; ++i)
    if (strstr(text, phrase[i]) && (!job || strstr(text, job))) return true;
  return false;
}
