#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

gannet_exit gannet_output_finish(const char *program, gannet_exit code) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  int failure = errno;
  /* Nobody kept the error of an earlier write: another one shows it. What was printed is cut off
   * anyway. */
  if (failure == 0) {
    clearerr(stdout);
    if (fputc('\n', stdout) == EOF || fflush(stdout)) failure = errno;
  }
  if (!freopen("/dev/null", "w", stdout) || failure == EPIPE) return code;
  if (code != GANNET_EXIT_FINISHED) return code;
  (void)fprintf(stderr, "%s: error: cannot write to standard output: %s\n", program,
                failure ? strerror(failure) : "an earlier write has failed");
  return GANNET_EXIT_RESOURCE;
}
