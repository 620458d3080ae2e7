/* fork that fails for the launcher's helper as long as a file is there, as without processes left.
 * The helper gets no sockets for supervisors, so that it must fork for every simulation. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static const char *gate_of_helper(void) {
  char name[17] = "";
  (void)prctl(PR_GET_NAME, name);
  return strncmp(name, "gannet-l", 8) == 0 ? getenv("GANNET_TEST_NO_FORK") : NULL;
}

EXPORTED pid_t fork(void) {
  const char *gate = gate_of_helper();
  pid_t (*original)(void) = NULL;
  void *symbol = dlsym(RTLD_NEXT, "fork");
  if (gate && access(gate, F_OK) == 0) {
    errno = EAGAIN;
    return -1;
  }
  memcpy(&original, &symbol, sizeof original);
  return original();
}

EXPORTED int socketpair(int domain, int type, int protocol, int pair[2]) {
  int (*original)(int, int, int, int[2]) = NULL;
  void *symbol = dlsym(RTLD_NEXT, "socketpair");
  if (gate_of_helper()) {
    errno = EMFILE;
    return -1;
  }
  memcpy(&original, &symbol, sizeof original);
  return original(domain, type, protocol, pair);
}
