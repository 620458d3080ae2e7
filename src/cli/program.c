#include "cli/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"

/* The loader ends a program that has too little room for its libraries, and says "failed to map
 * segment". Their least sizes are known: the shared HDF5 with what it needs takes 24 MiB, and the
 * buffer that BLAS asks for at its start, 192 MiB (linalg/blas.c), is more than all libraries. */
static gannet_err check_room(cli_reach reach) {
  const size_t bytes = (size_t)(reach == CLI_STATE ? 24 : 192) << 20;
  void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  GANNET_REQUIRE(probe != MAP_FAILED, GANNET_ERR_MEMORY,
                 "%zu MiB for libraries; raise the limit of memory per process (ulimit -v)",
                 bytes >> 20);
  (void)munmap(probe, bytes);
  return GANNET_OK;
}

/* src/cli/CMakeLists.txt sets CLI_MOST_REACH, the greatest that gannet was built with,
 * CLI_OWN_REACH, what this program is linked for, and CLI_PLACES, the folders of the programs that
 * it executes, relative to its own: in a build and in an installation.
 */
gannet_err cli_become(cli_reach reach, char **argv) {
  static const char *const places[] = {CLI_PLACES};
  const char *name = reach == CLI_STATE ? "state" : reach == CLI_WEB ? "web" : "everything";
  char own[PATH_MAX], path[PATH_MAX + 64];
  if (reach > CLI_MOST_REACH) reach = CLI_MOST_REACH;
  if (reach <= CLI_OWN_REACH) return GANNET_OK;
  GANNET_TRY(check_room(reach));
  const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
  if (length < 0) return gannet_raise_errno("read", "/proc/self/exe");
  own[length] = '\0';
  *strrchr(own, '/') = '\0';
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
    (void)snprintf(path, sizeof path, "%s/%s/%s/gannet", own, places[i], name);
    (void)execv(path, argv);
    if (errno != ENOENT) return gannet_raise_errno("execute", path);
  }
  return GANNET_RAISE(GANNET_ERR_MISSING,
                      "'%s' does not exist: a part of gannet is not installed, or the program was "
                      "moved alone; install or move the whole tree",
                      path);
}
