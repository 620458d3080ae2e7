/* The journal: records that are on disk before anybody relies on them.
 *
 *   read               anybody, any time, also while another process appends
 *   open, append, destroy   one owner
 *
 * A text file. The first line is "gannet journal schema N <identity> <hash>"; every other line is
 * one record, "<hash> <sequence number> <payload>". <hash> is XXH3, as 16 hexadecimal digits, of
 * the rest of the line. Sequence numbers are 1, 2, 3, ... without gaps. <identity>, 16 hexadecimal
 * digits, tells the journal from another one that takes its place later and counts anew; journals
 * of before it was introduced have none.
 *
 * A crash can leave a torn tail: bytes after the last sound record that contain no sound record.
 * Such a tail was never acknowledged; it is reported, and cut off when the journal is opened for
 * appending. An unsound line before a sound one is damage and never repaired silently.
 */
#ifndef GANNET_STORE_JOURNAL_H
#define GANNET_STORE_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gannet_journal gannet_journal;

typedef enum {
  GANNET_JOURNAL_CREATE, /* must not exist */
  GANNET_JOURNAL_APPEND  /* must exist */
} gannet_journal_mode;

typedef struct {
  int schema;            /* 0 when not even the first line is whole */
  uint64_t identity;     /* of the journal; 0 = an older one, or the first line is not whole */
  int64_t records;       /* sound records */
  int64_t good_bytes;    /* length up to the end of the last sound record */
  int64_t dropped_bytes; /* of the torn tail */
  bool unlocked;         /* the file system has no locks: a file keeps a second owner out */
  char note[400];        /* about the torn tail and, the first time, missing locks; "" = nothing */
} gannet_journal_report;

/* Receives one record. The payload is zero-terminated and borrowed for the call; an error ends the
 * reading and is passed on. */
typedef gannet_err (*gannet_journal_visit)(void *user, int64_t sequence, const char *payload,
                                           size_t length);

/* Check the whole journal, then visit its records in order. Needs no write permission.
 *
 * Local.
 *
 * newest_schema  in   highest schema that the caller understands
 * visit          in   NULL = only check
 * report         out  may be NULL
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_VERSION; GANNET_ERR_DAMAGED with the line
 *   number, before any record was visited; what visit returns.
 * Cost: memory for the whole file; 30 MB take some 20 ms.
 */
GANNET_CHECKED gannet_err gannet_journal_read(const char *path, int newest_schema,
                                              gannet_journal_visit visit, void *user,
                                              gannet_journal_report *report);

/* Look at the first line alone: schema and identity of a journal, both 0 when it is not sound.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_VERSION; GANNET_ERR_DAMAGED.
 */
GANNET_CHECKED gannet_err gannet_journal_identify(const char *path, int newest_schema,
                                                  gannet_journal_report *report);

/* Up to where a journal was visited; zero-initialise for its beginning. */
typedef struct {
  int64_t records, bytes;
  uint64_t file; /* number of the file in its file system */
} gannet_journal_position;

/* Visit the records that were added since the last call, while somebody else may be appending. An
 * end that is not complete waits for the next call. Takes no lock and writes nothing.
 *
 * Local.
 *
 * position  inout
 * replaced  out    the file is another one than before, or was cut before the position: nothing was
 *                  visited, and whoever wants to go on begins anew
 *
 * Errors: as for reading; position stays as it was.
 */
GANNET_CHECKED gannet_err gannet_journal_follow(const char *path, int newest_schema,
                                                gannet_journal_position *position, bool *replaced,
                                                gannet_journal_visit visit, void *user);

/* Visit every sound record of a damaged journal, in ascending order of their numbers, which then
 * have gaps. Needs no write permission.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; what visit returns.
 */
GANNET_CHECKED gannet_err gannet_journal_salvage(const char *path, gannet_journal_visit visit,
                                                 void *user);

/* Own a journal: take its lock (path.lock), check it, cut off a torn tail. The first line of one of
 * an older schema is made to name the newer, as records of this follow.
 *
 * Local.
 *
 * schema   in   written when created, highest understood when appending
 * report   out  may be NULL
 * journal  out  for append
 *
 * Errors: GANNET_ERR_BUSY with the holder; GANNET_ERR_EXISTS, GANNET_ERR_MISSING by mode; those of
 *   reading; GANNET_ERR_NO_SPACE.
 */
GANNET_CHECKED gannet_err gannet_journal_open(const char *path, int schema,
                                              gannet_journal_mode mode,
                                              gannet_journal_report *report,
                                              gannet_journal **journal);

/* Add one record. It survives a power failure once this returned GANNET_OK; after an error the
 * journal is as long as before.
 *
 * Local.
 *
 * payload   in   text without newline
 * sequence  out  number of the record; may be NULL
 *
 * Errors: GANNET_ERR_ARG when the payload has a newline; GANNET_ERR_NO_SPACE saying what to do;
 *   GANNET_ERR_BUSY and GANNET_ERR_DAMAGED, see gannet_journal_keep; GANNET_ERR_IO;
 * GANNET_ERR_STATE after an error that could not be undone.
 */
GANNET_CHECKED gannet_err gannet_journal_append(gannet_journal *journal, const char *payload,
                                                int64_t *sequence);

/* Add n records with one write and one sync: all or none are acknowledged.
 *
 * Local.
 *
 * payloads  in   [n]
 * sequence  out  number of the first; may be NULL
 *
 * Errors: as for one.
 */
GANNET_CHECKED gannet_err gannet_journal_append_many(gannet_journal *journal, int n,
                                                     const char *const *payloads,
                                                     int64_t *sequence);

/* Add one record with the next one that is appended or with gannet_journal_sync: until then it is
 * only in memory and may be lost, but never without everything that was added after it.
 *
 * Local.
 *
 * sequence  out  number of the record; may be NULL
 *
 * Errors: as for append.
 */
GANNET_CHECKED gannet_err gannet_journal_defer(gannet_journal *journal, const char *payload,
                                               int64_t *sequence);

/* Write and sync what was deferred or is not synced yet. Before, read the journal to see that
 * nobody has changed it: a large one only so often that this takes at most 1 % of the time.
 *
 * Local.
 *
 * Errors: as for append.
 */
GANNET_CHECKED gannet_err gannet_journal_sync(gannet_journal *journal);

/* Write what was deferred, and look at the journal as gannet_journal_sync does. What was deferred
 * then survives the end of this process. It is synced, too, if the last sync was a second ago or
 * earlier; otherwise it survives no power failure until something is appended, or this function is
 * called a second after that sync, or gannet_journal_sync is called.
 *
 * Local.
 *
 * Errors: as for append.
 */
GANNET_CHECKED gannet_err gannet_journal_write(gannet_journal *journal);

/* Hold on to the journal although somebody may have removed its lock file, which is made again;
 * every write does so, too.
 *
 * Local.
 *
 * renewed  out  since the last call the lock file was made again; NULL = for the next one to say
 *
 * Errors: GANNET_ERR_BUSY when another process has the journal by now, or has added to it;
 *   GANNET_ERR_DAMAGED when the journal was removed, replaced, cut or written into.
 */
GANNET_CHECKED gannet_err gannet_journal_keep(gannet_journal *journal, bool *renewed);

/* Number of the last record, 0 when there is none.
 *
 * Local.
 */
int64_t gannet_journal_last(const gannet_journal *journal);

/* Close and give back the lock; what was deferred and not synced is lost. Accepts a pointer to
 * NULL.
 *
 * Local.
 */
void gannet_journal_destroy(gannet_journal **journal);

#endif
