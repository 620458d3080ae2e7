#include "campaign/config/nearby.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"

enum { MOST = 64, LONGEST = 256 };

static bool ends_in(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n > m && strcmp(name + n - m, suffix) == 0;
}

/* Names without their suffix; at most MOST. */
static int collect(const char *folder, const char *suffix, char (*names)[LONGEST]) {
  int n = 0;
  DIR *stream = opendir(folder);
  if (!stream) return 0;
  for (const struct dirent *entry; n < MOST && (entry = readdir(stream));)
    if (ends_in(entry->d_name, suffix) && entry->d_name[0] != '.')
      (void)snprintf(names[n++], LONGEST, "%.*s", (int)(strlen(entry->d_name) - strlen(suffix)),
                     entry->d_name);
  (void)closedir(stream);
  return n;
}

void gannet_nearby(const char *path, const char *suffix, char *near, size_t size) {
  char folder[PATH_MAX], base[LONGEST], names[MOST][LONGEST];
  const char *known[MOST + 1] = {NULL};
  struct stat about;
  near[0] = '\0';
  (void)snprintf(folder, sizeof folder, "%s", path);
  for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';) folder[--n] = '\0';
  const char *slash = strrchr(folder, '/');
  (void)snprintf(base, sizeof base, "%s", slash ? slash + 1 : folder);
  const bool inside = stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
  int head = (int)strlen(folder); /* of the folder that is searched */
  if (!inside) head = slash ? (int)(slash - folder) + 1 : 0;
  folder[head] = '\0';
  char *dot = strrchr(base, '.');
  if (dot && dot > base) *dot = '\0';
  const int n = collect(head ? folder : ".", suffix, names);
  for (int i = 0; i < n; ++i) known[i] = names[i];
  const char *found = n == 1 ? names[0] : inside ? NULL : gannet_nearest(base, known);
  if (!found) return;
  const bool joined = head > 0 && folder[head - 1] != '/';
  (void)snprintf(near, size, "%s%s%s%s", folder, joined ? "/" : "", found, suffix);
}

static bool is_directory(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
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
