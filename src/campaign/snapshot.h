/* Snapshots: the whole state of a campaign as one HDF5 file, for other programs to read and as a
 * second copy of the journal. docs/campaign-directory.md describes the layout.
 */
#ifndef GANNET_CAMPAIGN_SNAPSHOT_H
#define GANNET_CAMPAIGN_SNAPSHOT_H

#include "campaign/ledger.h"
#include "store/state_file.h"

enum { GANNET_STATE_SCHEMA = 1 };

/* Names of the values of ledger->state. */
typedef void (*gannet_state_namer)(const void *user, int i, char *name, size_t size);

/* Write a snapshot of everything in the ledger and its history.
 *
 * Local.
 *
 * name_state  in  NULL = the values stay unnamed
 *
 * Errors: those of gannet_store_commit; what was on disk before is kept.
 */
GANNET_CHECKED gannet_err gannet_snapshot_write(const char *path, const gannet_ledger *ledger,
                                                gannet_state_namer name_state, const void *user);

/* How far a snapshot has come. */
typedef struct {
  int64_t sequence; /* number of the last journal record that it contains */
  uint64_t journal; /* identity of the journal that counts so; 0 = an older one */
} gannet_snapshot_mark;

/* The mark of the newest sound generation.
 *
 * Local.
 *
 * Errors: those of gannet_store_open.
 */
GANNET_CHECKED gannet_err gannet_snapshot_look(const char *path, gannet_snapshot_mark *mark);

/* Whether the numbers of a snapshot are those of a journal. One whose first line is not sound is
 * taken for the journal that the snapshot was made from.
 *
 * Local.
 *
 * identity  in  mark.journal, or that of the ledger that was read
 */
bool gannet_snapshot_counts_in(uint64_t identity, const gannet_journal_report *journal);

/* Read a snapshot into an empty ledger and its empty history.
 *
 * Local.
 *
 * journal  in   that the snapshot must count in; NULL = any
 * report   out  which generation was used; may be NULL
 *
 * Errors: those of gannet_store_open; GANNET_ERR_STATE when it counts in another journal,
 *   GANNET_ERR_INPUT when it is of another problem.
 */
GANNET_CHECKED gannet_err gannet_snapshot_read(const char *path,
                                               const gannet_journal_report *journal,
                                               gannet_ledger *ledger, gannet_store_report *report);

#endif
