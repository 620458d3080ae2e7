#include "base/clock.h"

#include <math.h>
#include <time.h>

static double read_clock(clockid_t id) {
  struct timespec now;
  (void)clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double gannet_clock_seconds(void) {
  return read_clock(CLOCK_MONOTONIC);
}

double gannet_clock_processor(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double gannet_clock_epoch(void) {
  return read_clock(CLOCK_REALTIME);
}

void gannet_clock_format(double epoch, char *buffer, size_t size) {
  const time_t whole = (time_t)floor(epoch);
  struct tm parts;
  if (!gmtime_r(&whole, &parts) || strftime(buffer, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
    if (size > 0) buffer[0] = '\0';
}

void gannet_clock_sleep(double seconds) {
  if (!(seconds > 0)) return;
  struct timespec span;
  span.tv_sec = (time_t)floor(seconds);
  span.tv_nsec = (long)(1e9 * (seconds - floor(seconds)));
  (void)nanosleep(&span, NULL);
}
