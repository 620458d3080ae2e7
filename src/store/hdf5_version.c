#include "store/hdf5_version.h"

#include <hdf5.h>
#include <stdio.h>

void gannet_hdf5_version(char *built, char *loaded, size_t size) {
  unsigned major = 0, minor = 0, release = 0;
  (void)H5get_libversion(&major, &minor, &release);
  (void)snprintf(built, size, "%d.%d.%d", H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE);
  (void)snprintf(loaded, size, "%u.%u.%u", major, minor, release);
}

bool gannet_hdf5_is_parallel(void) {
#ifdef H5_HAVE_PARALLEL
  return true;
#else
  return false;
#endif
}
