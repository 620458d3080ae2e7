/* To be preloaded: the clock of the day jumps ahead by a day and back again, over and over; the one
 * for durations does not. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *now) {
  static unsigned calls;
  const int code = (int)syscall(SYS_clock_gettime, id, now);
  if (id == CLOCK_REALTIME && ++calls % 7 > 3) now->tv_sec += 86400;
  return code;
}
