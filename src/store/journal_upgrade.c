#include "store/journal_upgrade.h"

#include <string.h>

#include "base/atomic_file.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "store/journal_scan.h"

/* The same journal with another first line. */
static gannet_err replace(const char *path, int schema, const char *bytes, size_t size,
                          const gannet_journal_report *report) {
  char line[GANNET_JOURNAL_HEADER_ROOM], *fresh = NULL;
  const char *rest = memchr(bytes, '\n', (size_t)report->good_bytes);
  const size_t first = gannet_journal_format_header(schema, report->identity, line);
  const size_t length = size - (size_t)(rest + 1 - bytes);
  GANNET_TRY(gannet_alloc(first + length, 1, &fresh));
  memcpy(fresh, line, first);
  memcpy(fresh + first, rest + 1, length);
  const gannet_err err = gannet_file_replace(path, fresh, first + length);
  gannet_free(&fresh);
  return err;
}

gannet_err gannet_journal_upgrade(const char *path, int schema) {
  gannet_journal_report report = {0};
  char *bytes = NULL;
  size_t size = 0;
  gannet_err err = gannet_journal_identify(path, schema, &report);
  if (err == GANNET_OK && (report.schema == 0 || report.schema >= schema)) return GANNET_OK;
  if (err == GANNET_OK)
    err = gannet_file_read_within(path, (int64_t)1 << 36, GANNET_ERR_DAMAGED, &bytes, &size);
  if (err == GANNET_OK) err = gannet_journal_scan(bytes, size, path, schema, &report);
  if (err == GANNET_OK) err = replace(path, schema, bytes, size, &report);
  gannet_free(&bytes);
  if (err == GANNET_ERR_MISSING || err == GANNET_ERR_DAMAGED) {
    gannet_error_clear(); /* whoever opens it says so */
    err = GANNET_OK;
  }
  return err;
}
