/* fork that fails for the launcher's helper as long as a file is there, as without processes left.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

pid_t fork(void) __attribute__((visibility("default")));

pid_t fork(void) {
  const char *gate = getenv("GANNET_TEST_NO_FORK");
  pid_t (*original)(void) = NULL;
  char name[17] = "";
  void *symbol = dlsym(RTLD_NEXT, "fork");
  (void)prctl(PR_GET_NAME, name);
  if (gate && strncmp(name, "gannet-l", 8) == 0 && access(gate, F_OK) == 0) {
    errno = EAGAIN;
    return -1;
  }
  memcpy(&original, &symbol, sizeof original);
  return original();
}
