/* Words and members of journal records, which record_write.c writes and record_read.c reads. */
#ifndef GANNET_CAMPAIGN_RUN_RECORD_WORDS_H
#define GANNET_CAMPAIGN_RUN_RECORD_WORDS_H

#include "base/struct_field.h"
#include "campaign/run/record.h"

/* Lists that end with NULL, in the order of gannet_record_kind, gannet_origin and
 * gannet_correction_kind. */
extern const char *const record_kinds[];
extern const char *const record_origins[];
extern const char *const record_corrections[];

/* The members of a run in the order in which they are written. */
extern const gannet_struct_field record_run_fields[];

/* Whether a member of a run is its failure, which is written as its word.
 *
 * Local.
 */
bool record_is_failure(const gannet_struct_field *field);

#endif
