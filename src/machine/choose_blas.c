#include "machine/choose_blas.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linalg/blas.h"
#include "linalg/blas_library.h"

/* Variables by which a process tells itself, across an exec, how often it has tried: "PID TRIES";
 * and the inherited value: "=VALUE" when it was set, "-" when it was not. */
static const char guard[] = "GANNET_BLAS_CHOICE", inherited[] = "GANNET_INHERITED_CORETYPE";
static const char core_type[] = "OPENBLAS_CORETYPE";

static bool keep_inherited(void) {
  char text[256];
  const char *old = getenv(core_type);
  const int n = snprintf(text, sizeof text, "%s%s", old ? "=" : "-", old ? old : "");
  return n > 0 && (size_t)n < sizeof text && setenv(inherited, text, 1) == 0;
}

static void restore_inherited(void) {
  const char *text = getenv(inherited);
  if (text && *text == '=')
    (void)setenv(core_type, text + 1, 1);
  else if (text)
    (void)unsetenv(core_type);
  (void)unsetenv(inherited);
  (void)unsetenv(guard);
}

/* How often this process has executed itself; what it inherited from another does not count. */
static int count_tries(void) {
  const char *text = getenv(guard);
  long pid = 0;
  int tries = 0;
  if (!text || sscanf(text, "%ld %d", &pid, &tries) != 2 || pid != (long)getpid()) return 0;
  return tries;
}

/* The program by its own name: what is executed as /proc/self/exe is called "exe" in every list of
 * processes. */
static void execute_again(char **argv) {
  static const char self[] = "/proc/self/exe";
  char path[PATH_MAX];
  const ssize_t length = readlink(self, path, sizeof path - 1);
  if (length > 0) {
    path[length] = '\0';
    (void)execv(path, argv);
  }
  (void)execv(self, argv);
}

void machine_choose_blas(char **argv) {
  char text[64];
  const char *keep = getenv("GANNET_KEEP_BLAS");
  const bool keeps_kernels = keep && *keep && strcmp(keep, "0") != 0;
  const int tries = count_tries();
  restore_inherited();
  const bool pinned = getenv(core_type) != NULL;
  if (keeps_kernels || !gannet_blas_chooses() || tries >= (pinned ? 2 : 1)) return;
  if (!gannet_kernel_is_slow(gannet_blas_kernel())) return;
  const char *better = gannet_kernel_for(gannet_processor_vector());
  (void)snprintf(text, sizeof text, "%ld %d", (long)getpid(), tries + 1);
  bool ready = keep_inherited() && setenv(guard, text, 1) == 0;
  if (ready && pinned && tries == 0)
    ready = unsetenv(core_type) == 0;
  else if (ready)
    ready = setenv(core_type, better, 1) == 0;
  if (ready) execute_again(argv);
  restore_inherited();
}
