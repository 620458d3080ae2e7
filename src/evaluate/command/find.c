/* Where the programs that commands name are. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "evaluate/command/command.h"
#include "evaluate/contract/case_folder.h"

const char gannet_beside[] = "{input_directory}/";

bool gannet_is_beside(const char *word) {
  return strncmp(word, gannet_beside, strlen(gannet_beside)) == 0;
}

static int runnable(const char *path) {
  struct stat about;
  if (stat(path, &about)) return errno;
  if (S_ISDIR(about.st_mode)) return EISDIR;
  return access(path, X_OK) ? errno : 0;
}

static int search_path(const char *program, char *path) {
  const char *list = getenv("PATH");
  int reason = ENOENT;
  for (const char *at = list ? list : "/usr/local/bin:/usr/bin:/bin"; *at;) {
    const size_t size = strcspn(at, ":");
    const char *directory = size > 0 ? at : ".";
    const int length = (int)(size > 0 ? size : 1);
    if (snprintf(path, PATH_MAX, "%.*s/%s", length, directory, program) < PATH_MAX) {
      const int failed = runnable(path);
      if (failed == 0) return 0;
      if (failed == EACCES) reason = EACCES;
    }
    at += size + (at[size] == ':');
  }
  return reason;
}

int gannet_command_find(const char *program, const char *input_directory, char *path) {
  const bool is_relative = gannet_is_beside(program);
  if (is_relative) program += strlen(gannet_beside);
  if (!is_relative && !strchr(program, '/')) return search_path(program, path);
  const char *start = input_directory ? input_directory : ".";
  const int size = program[0] == '/' ? snprintf(path, PATH_MAX, "%s", program)
                                     : snprintf(path, PATH_MAX, "%s/%s", start, program);
  return size >= PATH_MAX ? ENAMETOOLONG : runnable(path);
}

int gannet_command_find_in_case(const gannet_command_options *options,
                                const char *input_directory) {
  const gannet_case a_case = {.copy = options->case_copy};
  const char *name = options->command.n > 0 ? options->command.item[0] : "";
  char folder[PATH_MAX], path[PATH_MAX];
  if (!a_case.copy || name[0] == '/' || !strchr(name, '/') || gannet_is_beside(name)) return ENOENT;
  if (gannet_case_find(&a_case, input_directory, folder) == GANNET_OK &&
      gannet_join_path(folder, name, path, sizeof path) == GANNET_OK)
    return runnable(path);
  gannet_error_clear();
  return ENOENT;
}
