/* What results report besides objective and constraints, in a snapshot: a table with a row for each
 * number, since every evaluation may report others.
 */
#ifndef GANNET_CAMPAIGN_RUN_SNAPSHOT_REPORTED_H
#define GANNET_CAMPAIGN_RUN_SNAPSHOT_REPORTED_H

#include "campaign/run/ledger.h"
#include "store/state_file.h"

/* Write the table of all tickets.
 *
 * Local.
 *
 * Errors: those of the store; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_snapshot_write_reported(gannet_store *store,
                                                         const gannet_ledger *ledger);

/* Read the table into tickets that report nothing yet. Files of before it was introduced have none.
 *
 * Local.
 *
 * tickets  inout  [n]
 *
 * Errors: GANNET_ERR_DAMAGED for rows that cannot be; those of the store.
 */
GANNET_CHECKED gannet_err gannet_snapshot_read_reported(const gannet_store *store, int n_variables,
                                                        int64_t n, gannet_ticket *tickets);

/* Read the columns of history.csv into a ledger without any.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED for a row that cannot be; those of the store.
 */
GANNET_CHECKED gannet_err gannet_snapshot_read_columns(const gannet_store *store,
                                                       gannet_ledger *ledger);

#endif
