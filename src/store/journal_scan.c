#include "store/journal_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { HEX = 16 };

static const char MAGIC[] = "gannet journal schema ";

/* A line without its newline; borrowed from the bytes. */
typedef struct {
  const char *text;
  size_t length;
  bool whole; /* the newline is there */
} line_view;

static line_view line_at(const char *bytes, size_t size, size_t at) {
  const char *end = memchr(bytes + at, '\n', size - at);
  const line_view line = {bytes + at, end ? (size_t)(end - bytes) - at : size - at, end != NULL};
  return line;
}

size_t gannet_journal_format_header(int schema, uint64_t identity, char *line) {
  int used = snprintf(line, GANNET_JOURNAL_HEADER_ROOM, "%s%d", MAGIC, schema);
  if (identity)
    used +=
        snprintf(line + used, GANNET_JOURNAL_HEADER_ROOM - (size_t)used, " %016" PRIx64, identity);
  return (size_t)used + (size_t)snprintf(line + used, GANNET_JOURNAL_HEADER_ROOM - (size_t)used,
                                         " %016" PRIx64 "\n", gannet_hash(line, (size_t)used));
}

size_t gannet_journal_format_record(int64_t sequence, const char *payload, char *line) {
  char hex[HEX + 1];
  const size_t length = strlen(payload);
  char *rest = line + HEX + 1;
  const int number = snprintf(rest, GANNET_JOURNAL_LINE_ROOM - HEX - 1, "%" PRId64 " ", sequence);
  memcpy(rest + number, payload, length);
  const size_t used = (size_t)number + length;
  (void)snprintf(hex, sizeof hex, "%016" PRIx64, gannet_hash(rest, used));
  memcpy(line, hex, HEX);
  line[HEX] = ' ';
  rest[used] = '\n';
  return HEX + 1 + used + 1;
}

/* Compared as text, so that every changed bit of the digits shows. */
static bool hash_is(uint64_t hash, const char *digits) {
  static const char hex[] = "0123456789abcdef";
  for (int i = HEX - 1; i >= 0; --i, hash >>= 4)
    if (digits[i] != hex[hash & 15]) return false;
  return true;
}

/* The sequence number of a sound record, or -1. */
static int64_t sound_record(line_view line) {
  if (!line.whole || line.length < HEX + 3 || line.text[HEX] != ' ') return -1;
  const char *rest = line.text + HEX + 1;
  if (!hash_is(gannet_hash(rest, line.length - HEX - 1), line.text)) return -1;
  int64_t sequence = 0;
  for (; '0' <= *rest && *rest <= '9'; ++rest) {
    if (sequence > INT64_MAX / 10 - 1) return -1;
    sequence = 10 * sequence + (*rest - '0');
  }
  return *rest == ' ' ? sequence : -1;
}

static gannet_err check_header(line_view line, const char *name, int newest_schema,
                               gannet_journal_report *report) {
  const size_t magic = sizeof MAGIC - 1;
  char copy[GANNET_JOURNAL_HEADER_ROOM] = "";
  GANNET_REQUIRE(line.length >= magic && memcmp(line.text, MAGIC, magic) == 0, GANNET_ERR_DAMAGED,
                 "'%s' does not begin like a gannet journal", name);
  const size_t hashed = line.length > HEX + 1 ? line.length - HEX - 1 : 0;
  GANNET_REQUIRE(hashed > magic && line.length < sizeof copy && line.text[hashed] == ' ' &&
                     hash_is(gannet_hash(line.text, hashed), line.text + hashed + 1),
                 GANNET_ERR_DAMAGED, "line 1 of '%s' does not match its checksum", name);
  memcpy(copy, line.text, hashed);
  char *rest = NULL;
  report->schema = (int)strtol(copy + magic, &rest, 10);
  report->identity = strtoull(rest, NULL, 16);
  GANNET_REQUIRE(
      report->schema <= newest_schema, GANNET_ERR_VERSION,
      "'%s' has schema %d, this gannet reads up to %d; use the newer gannet that wrote it", name,
      report->schema, newest_schema);
  GANNET_REQUIRE(line.whole, GANNET_ERR_DAMAGED, "line 1 of '%s' has no end", name);
  return GANNET_OK;
}

/* The beginning of a first line that was being written when the power failed. */
static bool is_torn_header(line_view line) {
  const size_t magic = sizeof MAGIC - 1;
  if (line.whole || line.length >= GANNET_JOURNAL_HEADER_ROOM) return false;
  return memcmp(line.text, MAGIC, line.length < magic ? line.length : magic) == 0;
}

/* Line bad_line at byte `at` is unsound: damage when a sound record follows, else a torn tail. */
static gannet_err classify_tail(const char *bytes, size_t size, size_t at, const char *name,
                                gannet_journal_report *report) {
  const int64_t bad_line = report->records + 2;
  size_t after = at;
  while (after < size) {
    const line_view line = line_at(bytes, size, after);
    GANNET_REQUIRE(sound_record(line) < 0, GANNET_ERR_DAMAGED,
                   "line %" PRId64 " of '%s' is damaged, but sound records follow it", bad_line,
                   name);
    after += line.length + 1;
  }
  report->dropped_bytes = (int64_t)(size - at);
  (void)snprintf(report->note, sizeof report->note,
                 "the journal ends in %" PRId64 " bytes (from line %" PRId64
                 ") of a record that was not completed; they do not count",
                 report->dropped_bytes, bad_line);
  return GANNET_OK;
}

static gannet_err scan_records(const char *bytes, size_t size, size_t at, const char *name,
                               gannet_journal_report *report) {
  report->good_bytes = (int64_t)at;
  while (at < size) {
    const line_view line = line_at(bytes, size, at);
    const int64_t sequence = sound_record(line);
    if (sequence < 0) return classify_tail(bytes, size, at, name, report);
    GANNET_REQUIRE(sequence == report->records + 1, GANNET_ERR_DAMAGED,
                   "line %" PRId64 " of '%s' holds record %" PRId64 " instead of %" PRId64,
                   report->records + 2, name, sequence, report->records + 1);
    report->records += 1;
    at += line.length + 1;
    report->good_bytes = (int64_t)at;
  }
  return GANNET_OK;
}

gannet_err gannet_journal_scan_header(const char *bytes, size_t size, const char *name,
                                      int newest_schema, gannet_journal_report *report) {
  return check_header(line_at(bytes, size, 0), name, newest_schema, report);
}

gannet_err gannet_journal_scan(const char *bytes, size_t size, const char *name, int newest_schema,
                               gannet_journal_report *report) {
  memset(report, 0, sizeof *report);
  const line_view first = line_at(bytes, size, 0);
  if (is_torn_header(first)) {
    report->dropped_bytes = (int64_t)size;
    (void)snprintf(report->note, sizeof report->note, "the journal '%.200s' was never begun", name);
    return GANNET_OK;
  }
  GANNET_TRY(check_header(first, name, newest_schema, report));
  return scan_records(bytes, size, first.length + 1, name, report);
}

/* Hand on the record whose line of this length begins at byte `at`. */
static gannet_err visit_line(char *bytes, size_t at, size_t length, int64_t sequence,
                             gannet_journal_visit visit, void *user) {
  const char *payload = (const char *)memchr(bytes + at + HEX + 1, ' ', length - HEX - 1) + 1;
  bytes[at + length] = '\0';
  return visit(user, sequence, payload, length - (size_t)(payload - (bytes + at)));
}

static gannet_err visit_from(char *bytes, size_t size, size_t at, int64_t sequence,
                             gannet_journal_visit visit, void *user) {
  for (; at < size; ++sequence) {
    const size_t length = line_at(bytes, size, at).length;
    GANNET_TRY(visit_line(bytes, at, length, sequence, visit, user));
    at += length + 1;
  }
  return GANNET_OK;
}

gannet_err gannet_journal_visit_all(char *bytes, int64_t good, gannet_journal_visit visit,
                                    void *user) {
  const size_t size = (size_t)good;
  return visit_from(bytes, size, size ? line_at(bytes, size, 0).length + 1 : 0, 1, visit, user);
}

gannet_err gannet_journal_visit_rest(char *bytes, size_t size, const char *name, int64_t *records,
                                     int64_t *good, gannet_journal_visit visit, void *user) {
  gannet_journal_report report = {.records = *records};
  GANNET_TRY(scan_records(bytes, size, 0, name, &report));
  GANNET_TRY(visit_from(bytes, (size_t)report.good_bytes, 0, *records + 1, visit, user));
  *records = report.records;
  *good = report.good_bytes;
  return GANNET_OK;
}

gannet_err gannet_journal_visit_sound(char *bytes, size_t size, gannet_journal_visit visit,
                                      void *user) {
  int64_t last = 0;
  for (size_t at = 0; at < size;) {
    const line_view line = line_at(bytes, size, at);
    const int64_t sequence = sound_record(line);
    if (sequence > last) {
      last = sequence;
      GANNET_TRY(visit_line(bytes, at, line.length, sequence, visit, user));
    }
    at += line.length + 1;
  }
  return GANNET_OK;
}
