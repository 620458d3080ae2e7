#include "campaign/run/resume.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/atomic_file.h"

/* campaign.yaml and campaign.log are not among them: somebody's own file may be called so. */
static const char *const names[] = {"state.h5", "state.h5.1", "history.csv", "evals"};

const char *gannet_traces_find(const char *journal) {
  char directory[PATH_MAX], path[PATH_MAX + 16];
  gannet_directory_of(journal, directory, sizeof directory);
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s", directory, names[i]);
    if (access(path, F_OK) == 0) return names[i];
  }
  return NULL;
}
