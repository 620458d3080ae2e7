#include "base/identity.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

uint64_t gannet_identity_create(const char *path) {
  const double now[2] = {gannet_clock_epoch(), gannet_clock_seconds()};
  char host[64] = "";
  (void)gethostname(host, sizeof host - 1);
  const uint64_t parts[4] = {gannet_hash(path, strlen(path)), gannet_hash(host, sizeof host),
                             gannet_hash(now, sizeof now), (uint64_t)getpid()};
  const uint64_t identity = gannet_hash(parts, sizeof parts);
  return identity ? identity : 1;
}
