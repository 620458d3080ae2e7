/* What a snapshot holds, as tables that write, read and check it (docs/campaign-directory.md tells
 * of each dataset).
 */
#ifndef GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H
#define GANNET_CAMPAIGN_RUN_SNAPSHOT_FIELDS_H

#include "base/struct_field.h"
#include "campaign/run/ledger.h"
#include "campaign/run/snapshot.h"
#include "store/state_file.h"

/* Members by the names of their datasets. Those of gannet_ticket are columns with one value per
 * evaluation. Those of gannet_snapshot_mark are single values, bits as a text of
 * hexadecimal digits. */
extern const gannet_struct_field gannet_snapshot_mark_fields[];
extern const gannet_struct_field gannet_snapshot_ticket_fields[];

/* Those of gannet_correction are columns with one value per correction. */
extern const gannet_struct_field gannet_snapshot_correction_fields[];

#endif
