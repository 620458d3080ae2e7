/* What ran when and where: one row per attempt, by slot, then by start. */
#ifndef GANNET_CAMPAIGN_TABLES_TIMELINE_H
#define GANNET_CAMPAIGN_TABLES_TIMELINE_H

#include "campaign/run/ledger.h"
#include "campaign/tables/grid.h"

/* Write the time line: slot, host, job, id, attempt, submitted, started, ended, seconds, status,
 * failure, place. Attempts whose start or end nobody knows come first in their slot, with empty
 * cells.
 *
 * Local.
 *
 * ledger  in  made from the journal, for earlier attempts to be in it
 *
 * Errors: GANNET_ERR_IO when writing fails.
 */
GANNET_CHECKED gannet_err gannet_timeline_write(FILE *out, const gannet_ledger *ledger,
                                                gannet_format format);

#endif
