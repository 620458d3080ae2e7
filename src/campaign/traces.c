#include "campaign/traces.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* campaign.yaml and campaign.log are not among them: somebody's own file may be called so. */
static const char *const names[] = {"state.h5", "state.h5.1", "history.csv", "evals"};

const char *gannet_traces_find(const char *journal) {
  const char *slash = strrchr(journal, '/');
  const int length = slash ? (int)(slash - journal) : 1;
  char path[PATH_MAX + 16];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    (void)snprintf(path, sizeof path, "%.*s/%s", length, slash ? journal : ".", names[i]);
    if (access(path, F_OK) == 0) return names[i];
  }
  return NULL;
}
