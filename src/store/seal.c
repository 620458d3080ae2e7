#include "store/seal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

enum { CHECK_SIZE = 23, CHECKED_SIZE = GANNET_SEAL_SIZE - CHECK_SIZE };

#define MAGIC "gannet state\n"

static void write_check(char *header) {
  char check[CHECK_SIZE + 1];
  (void)snprintf(check, sizeof check, "check %016" PRIx64 "\n", gannet_hash(header, CHECKED_SIZE));
  memcpy(header + CHECKED_SIZE, check, CHECK_SIZE);
}

void gannet_seal_write(int schema, const void *payload, size_t size, char *header) {
  memset(header, ' ', GANNET_SEAL_SIZE);
  const int used =
      snprintf(header, CHECKED_SIZE, MAGIC "schema %d\nsize %zu\nxxh3 %016" PRIx64 "\n", schema,
               size, gannet_hash(payload, size));
  header[used] = ' '; /* the zero that snprintf left */
  header[CHECKED_SIZE - 1] = '\n';
  write_check(header);
}

static gannet_err check_header(const char *header, const char *name, int newest_schema,
                               int *schema) {
  char again[GANNET_SEAL_SIZE];
  GANNET_REQUIRE(strncmp(header, MAGIC, strlen(MAGIC)) == 0, GANNET_ERR_DAMAGED,
                 "'%s' does not begin like a gannet state", name);
  memcpy(again, header, CHECKED_SIZE);
  write_check(again);
  GANNET_REQUIRE(memcmp(again, header, GANNET_SEAL_SIZE) == 0, GANNET_ERR_DAMAGED,
                 "the header of '%s' does not match its checksum", name);
  GANNET_REQUIRE(sscanf(header + strlen(MAGIC), "schema %d", schema) == 1 && *schema >= 1,
                 GANNET_ERR_DAMAGED, "the header of '%s' has no schema", name);
  GANNET_REQUIRE(
      *schema <= newest_schema, GANNET_ERR_VERSION,
      "'%s' has schema %d, this gannet reads up to %d; use the newer gannet that wrote it", name,
      *schema, newest_schema);
  return GANNET_OK;
}

gannet_err gannet_seal_check(int descriptor, const char *name, int newest_schema, int *schema) {
  char header[GANNET_SEAL_SIZE + 1] = {0};
  uint64_t expected_hash = 0, hash = 0;
  int64_t expected_size = 0, size = 0;
  size_t got = 0;
  int unused = 0;
  GANNET_TRY(gannet_read_at(descriptor, 0, header, GANNET_SEAL_SIZE, name, &got));
  GANNET_REQUIRE(got == GANNET_SEAL_SIZE, GANNET_ERR_DAMAGED,
                 "'%s' ends after %zu bytes, inside its header", name, got);
  GANNET_TRY(check_header(header, name, newest_schema, schema));
  const int found = sscanf(header + strlen(MAGIC), "schema %d size %" SCNd64 " xxh3 %" SCNx64,
                           &unused, &expected_size, &expected_hash);
  GANNET_REQUIRE(found == 3, GANNET_ERR_DAMAGED, "the header of '%s' is incomplete", name);
  if (gannet_hash_file(descriptor, GANNET_SEAL_SIZE, &hash, &size))
    return gannet_raise_errno("read", name);
  GANNET_REQUIRE(size == expected_size, GANNET_ERR_DAMAGED,
                 "'%s' has %" PRId64 " bytes after its header instead of %" PRId64, name, size,
                 expected_size);
  GANNET_REQUIRE(hash == expected_hash, GANNET_ERR_DAMAGED,
                 "the content of '%s' does not match its checksum", name);
  return GANNET_OK;
}
