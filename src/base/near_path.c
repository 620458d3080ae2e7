#include "base/near_path.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/names.h"

void gannet_find_near_path(const char *folder, const char *path, char *near, size_t size) {
  char reached[PATH_MAX], part[NAME_MAX + 1];
  struct dirent **entries = NULL;
  struct stat about;
  const char *at = path;
  size_t length = strcspn(at, "/");
  near[0] = '\0';
  for (; *at; at += length + strspn(at + length, "/"), length = strcspn(at, "/")) {
    (void)snprintf(reached, sizeof reached, "%s/%.*s", path[0] == '/' ? "" : folder,
                   (int)(at + length - path), path);
    if (length > 0 && (stat(reached, &about) || !S_ISDIR(about.st_mode))) break;
    if (length == 0) length = strspn(at, "/") - 1; /* the root */
  }
  if (!*at || length >= sizeof part) return;
  (void)snprintf(part, sizeof part, "%.*s", (int)length, at);
  (void)snprintf(reached, sizeof reached, "%s/%.*s", path[0] == '/' ? "" : folder, (int)(at - path),
                 path);
  const int n = scandir(reached, &entries, NULL, alphasort);
  const char **known = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *known); /* or no suggestion */
  int n_known = 0;
  for (int i = 0; known && i < n; ++i)
    if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
      known[n_known++] = entries[i]->d_name;
  const char *found = known ? gannet_nearest(part, known) : NULL;
  if (found && strcmp(found, part) != 0)
    (void)snprintf(near, size, "%.*s%s%s", (int)(at - path), path, found, at + length);
  free(known);
  for (int i = 0; i < n; ++i) free(entries[i]);
  free(entries);
}
