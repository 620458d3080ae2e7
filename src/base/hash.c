#include "base/hash.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"

uint64_t gannet_hash(const void *bytes, size_t size) {
  return XXH3_64bits(bytes, size);
}

static int hash_descriptor(XXH3_state_t *state, int descriptor, int64_t first, int64_t *size) {
  static _Thread_local char block[1 << 16];
  int64_t at = first;
  for (;;) {
    const ssize_t got = pread(descriptor, block, sizeof block, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    if (XXH3_64bits_update(state, block, (size_t)got) == XXH_ERROR) return -1;
    at += got;
  }
  *size = at - first;
  return 0;
}

int gannet_hash_file(int descriptor, int64_t first, uint64_t *hash, int64_t *size) {
  XXH3_state_t *state = XXH3_createState();
  if (!state) {
    errno = ENOMEM;
    return -1;
  }
  (void)XXH3_64bits_reset(state);
  const int failed = hash_descriptor(state, descriptor, first, size);
  *hash = XXH3_64bits_digest(state);
  (void)XXH3_freeState(state);
  return failed;
}

/* POSIX, https://pubs.opengroup.org/onlinepubs/9699919799/utilities/cksum.html */
uint32_t gannet_cksum(const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint32_t table[256], sum = 0;
  for (uint32_t i = 0; i < 256; ++i) {
    table[i] = i << 24;
    for (int bit = 0; bit < 8; ++bit)
      table[i] = (table[i] << 1) ^ (table[i] >> 31 ? UINT32_C(0x04C11DB7) : 0);
  }
  for (size_t i = 0; i < size; ++i) sum = (sum << 8) ^ table[(sum >> 24) ^ byte[i]];
  for (size_t rest = size; rest > 0; rest >>= 8)
    sum = (sum << 8) ^ table[(sum >> 24) ^ (rest & 0xff)];
  return ~sum;
}

uint64_t gannet_identity_create(const char *path) {
  const double now[2] = {gannet_clock_epoch(), gannet_clock_seconds()};
  char host[64] = "";
  (void)gethostname(host, sizeof host - 1);
  const uint64_t parts[4] = {gannet_hash(path, strlen(path)), gannet_hash(host, sizeof host),
                             gannet_hash(now, sizeof now), (uint64_t)getpid()};
  const uint64_t identity = gannet_hash(parts, sizeof parts);
  return identity ? identity : 1;
}
