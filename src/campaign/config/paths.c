#include "campaign/config/paths.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/names.h"

gannet_err gannet_base_directory(const char *beside, const char *given, char *path) {
  char full[PATH_MAX];
  const bool is_auto = !given || strcmp(given, "auto") == 0;
  if (!realpath(beside, full)) return gannet_raise_errno("find", beside);
  if (!is_auto && given[0] != '/') return gannet_join_path(full, given, path, PATH_MAX);
  const int length = snprintf(path, PATH_MAX, "%s", is_auto ? full : given);
  GANNET_REQUIRE(length < PATH_MAX, GANNET_ERR_INPUT,
                 "input_directory: the path is too long; expected less than %d characters",
                 PATH_MAX);
  return GANNET_OK;
}

enum { MOST = 64, LONGEST = 256 };

/* The names in a folder that end in a suffix, without it; at most MOST. */
static int list_names(const char *folder, const char *suffix, char (*names)[LONGEST]) {
  const size_t ending = strlen(suffix);
  int n = 0;
  DIR *stream = opendir(folder);
  if (!stream) return 0;
  for (const struct dirent *entry; n < MOST && (entry = readdir(stream));) {
    const char *name = entry->d_name;
    const size_t length = strlen(name);
    if (length > ending && strcmp(name + length - ending, suffix) == 0 && name[0] != '.')
      (void)snprintf(names[n++], LONGEST, "%.*s", (int)(length - ending), name);
  }
  (void)closedir(stream);
  return n;
}

static bool is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

void gannet_nearby(const char *path, const char *suffix, char *near, size_t size) {
  char folder[PATH_MAX], base[LONGEST], names[MOST][LONGEST];
  const char *known[MOST + 1] = {NULL};
  near[0] = '\0';
  (void)snprintf(folder, sizeof folder, "%s", path);
  for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';) folder[--n] = '\0';
  const char *slash = strrchr(folder, '/');
  (void)snprintf(base, sizeof base, "%s", slash ? slash + 1 : folder);
  const bool inside = is_directory(folder);
  int head = (int)strlen(folder); /* of the folder that is searched */
  if (!inside) head = slash ? (int)(slash - folder) + 1 : 0;
  folder[head] = '\0';
  char *dot = strrchr(base, '.');
  if (dot && dot > base) *dot = '\0';
  const int n = list_names(head ? folder : ".", suffix, names);
  for (int i = 0; i < n; ++i) known[i] = names[i];
  const char *found = n == 1 ? names[0] : inside ? NULL : gannet_nearest(base, known);
  if (!found) return;
  const bool joined = head > 0 && folder[head - 1] != '/';
  (void)snprintf(near, size, "%s%s%s%s", folder, joined ? "/" : "", found, suffix);
}

void gannet_nearest_directory(const char *path, char *near, size_t size) {
  (void)snprintf(near, size, "%s", path);
  while (near[0] && !is_directory(near)) {
    char *slash = strrchr(near, '/');
    char *end = slash ? slash : near;
    if (slash == near && slash[1]) ++end; /* the root */
    *end = '\0';
  }
  if (!near[0] && !getcwd(near, size)) near[0] = '\0';
}
