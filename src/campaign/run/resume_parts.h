/* What continuing a campaign and looking at one have in common; for the files of restoring only. */
#ifndef GANNET_CAMPAIGN_RUN_RESUME_PARTS_H
#define GANNET_CAMPAIGN_RUN_RESUME_PARTS_H

#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"

/* The records of a damaged journal that follow, without a gap, on what the ledger knows. */
typedef struct {
  gannet_ledger *ledger;
  int64_t taken, useless;
} gannet_restore_salvage;

/* A gannet_journal_visit for gannet_journal_salvage; user is a gannet_restore_salvage.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_restore_take_next(void *user, int64_t sequence,
                                                   const char *payload, size_t length);

/* Read the snapshot that stands in for a journal: of that journal, where it may have another name,
 * as a campaign may have been given another one since; else one of the journal before it.
 *
 * Local.
 *
 * Errors: those of gannet_snapshot_read.
 */
GANNET_CHECKED gannet_err gannet_restore_read_best(const gannet_restore_paths *paths,
                                                   const gannet_journal_report *journal,
                                                   gannet_ledger *ledger,
                                                   gannet_store_report *report);

/* GANNET_ERR_DAMAGED when a journal has lost all its records: power failures leave empty files,
 * too.
 *
 * Local.
 *
 * trace  in  found before the journal was read, which somebody may be beginning
 */
GANNET_CHECKED gannet_err gannet_restore_check_begun(const char *journal, const char *trace,
                                                     int64_t records);

/* GANNET_ERR_INPUT unless a campaign that was read is of the ledger's problem and of a seed.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_restore_check_campaign(const gannet_ledger *ledger, uint64_t seed);

#endif
