/* Journals of an older schema, before they are continued by a newer one. */
#ifndef GANNET_STORE_JOURNAL_UPGRADE_H
#define GANNET_STORE_JOURNAL_UPGRADE_H

#include "store/journal.h"

/* Put a journal of an older schema into its place with a first line that names the newer one:
 * records of this will follow, which older programs must refuse. Identity and records stay, so that
 * snapshots count in it as before, and so does a torn tail. The old file is there until the new one
 * is on disk. Nothing happens to a journal of that schema, a damaged one, or none. The caller holds
 * the lock.
 *
 * Local.
 *
 * Errors: GANNET_ERR_VERSION for a newer schema; GANNET_ERR_NO_SPACE, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_journal_upgrade(const char *path, int schema);

#endif
