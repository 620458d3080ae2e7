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

/* Number of the last journal record that the newest sound generation contains; 0 when there is
 * none.
 *
 * Local.
 */
int64_t gannet_snapshot_sequence(const char *path);

/* Read a snapshot into an empty ledger and its empty history.
 *
 * Local.
 *
 * report  out  which generation was used
 *
 * Errors: those of gannet_store_open; GANNET_ERR_INPUT when it is of another problem.
 */
GANNET_CHECKED gannet_err gannet_snapshot_read(const char *path, gannet_ledger *ledger,
                                               gannet_store_report *report);

#endif
