#include "benchmark/file.h"

#include <errno.h>
#include <stdbool.h>

#include "base/file.h"

gannet_err bench_file_try(const char *path) {
  if (!path) return GANNET_OK;
  FILE *file = fopen(path, "ae");
  if (!file) return gannet_raise_errno("open", path);
  (void)fclose(file);
  return GANNET_OK;
}

gannet_err bench_file_open(const char *path, FILE **file) {
  *file = fopen(path, "we");
  return *file ? GANNET_OK : gannet_raise_errno("open", path);
}

/* A write that failed some time ago has left no reason. */
gannet_err bench_file_close(FILE *file, const char *path) {
  errno = 0;
  const bool lost = fflush(file) != 0 || ferror(file) != 0;
  const int reason = errno;
  const bool closed = fclose(file) == 0;
  if (!lost && closed) return GANNET_OK;
  if (lost) errno = reason ? reason : EIO;
  return gannet_raise_errno("write", path);
}
