/* The lines of a journal: making and checking them, in memory. */
#ifndef GANNET_STORE_JOURNAL_SCAN_H
#define GANNET_STORE_JOURNAL_SCAN_H

#include "store/journal.h"

enum {
  GANNET_JOURNAL_HEADER_ROOM = 80, /* bytes that the first line may take */
  GANNET_JOURNAL_LINE_ROOM = 40    /* bytes of a line around its payload, at most */
};

/* Write the first line with its newline; returns its length.
 *
 * Local.
 *
 * identity  in   0 = none, as older journals
 * line      out  [GANNET_JOURNAL_HEADER_ROOM]
 */
size_t gannet_journal_format_header(int schema, uint64_t identity, char *line);

/* Check the first line alone, and fill schema and identity of the report.
 *
 * Local.
 *
 * bytes  in  [size] from the beginning of the journal, with the whole line
 *
 * Errors: GANNET_ERR_VERSION, GANNET_ERR_DAMAGED.
 */
GANNET_CHECKED gannet_err gannet_journal_scan_header(const char *bytes, size_t size,
                                                     const char *name, int newest_schema,
                                                     gannet_journal_report *report);

/* Write one record with its newline; returns its length.
 *
 * Local.
 *
 * line  out  [length of payload + GANNET_JOURNAL_LINE_ROOM]
 */
size_t gannet_journal_format_record(int64_t sequence, const char *payload, char *line);

/* Check everything and fill the report but for the locks.
 *
 * Local.
 *
 * name  in  of the file, for messages
 *
 * Errors: GANNET_ERR_VERSION, GANNET_ERR_DAMAGED with the line number.
 */
GANNET_CHECKED gannet_err gannet_journal_scan(const char *bytes, size_t size, const char *name,
                                              int newest_schema, gannet_journal_report *report);

/* Visit the records of a journal that was checked; newlines become zeros.
 *
 * Local.
 *
 * bytes  inout  the journal
 * good   in     good_bytes of the report
 */
GANNET_CHECKED gannet_err gannet_journal_visit_all(char *bytes, int64_t good,
                                                   gannet_journal_visit visit, void *user);

/* Check and visit the records of a later part of a journal, which begins with a whole line; an
 * incomplete end is left alone.
 *
 * Local.
 *
 * bytes    inout  [size]
 * records  inout  number of records before this part, then with it
 * good     out    bytes up to the end of the last sound record
 *
 * Errors: GANNET_ERR_DAMAGED, before any record was visited; what visit returns.
 */
GANNET_CHECKED gannet_err gannet_journal_visit_rest(char *bytes, size_t size, const char *name,
                                                    int64_t *records, int64_t *good,
                                                    gannet_journal_visit visit, void *user);

/* Visit the sound records of a journal that need not be sound, where their numbers ascend; their
 * newlines become zeros.
 *
 * Local.
 *
 * bytes  inout  [size]
 */
GANNET_CHECKED gannet_err gannet_journal_visit_sound(char *bytes, size_t size,
                                                     gannet_journal_visit visit, void *user);

#endif
