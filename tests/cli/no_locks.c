/* Loaded before the C library: a file system that has no flock. */
#include <errno.h>
#include <sys/file.h>

__attribute__((visibility("default"))) int flock(int descriptor, int operation) {
  (void)descriptor;
  (void)operation;
  errno = ENOLCK;
  return -1;
}
