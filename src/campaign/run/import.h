/* Results of earlier work: the files that the key import of a campaign file names, and those that
 * `gannet tell --file` is given. They become evaluations of origin GANNET_ORIGIN_IMPORT by a record
 * of the journal that has all of them, so that a kill leaves all or none; from then on the file is
 * not needed. The record has a checksum of the file: one that was read is read again only when its
 * content is another and that is asked for.
 */
#ifndef GANNET_CAMPAIGN_RUN_IMPORT_H
#define GANNET_CAMPAIGN_RUN_IMPORT_H

#include "campaign/run/campaign.h"
#include "campaign/run/import_rows.h"

/* Read a file, or of a campaign directory its history.csv, on rank 0 and give it to all ranks.
 *
 * Collective over comm; arguments the same on all ranks.
 *
 * text  out  to be freed with gannet_free, also after an error
 *
 * Errors: GANNET_ERR_MISSING, GANNET_ERR_IO; GANNET_ERR_INPUT for more than 1 GiB.
 */
GANNET_CHECKED gannet_err gannet_import_share(MPI_Comm comm, const char *path, char **text,
                                              size_t *size);

/* Names and expressions of columns, from "NAME=COLUMN" each.
 *
 * Local.
 *
 * names  out  [n] owned, the expressions point into them; free with gannet_import_columns_release
 *
 * Errors: GANNET_ERR_INPUT for a text without '='.
 */
typedef struct {
  int n;
  char **name, **expression;
} gannet_import_columns;
GANNET_CHECKED gannet_err gannet_import_columns_read(int n, const char *const *texts,
                                                     gannet_import_columns *columns);
void gannet_import_columns_release(gannet_import_columns *columns); /* Local. */

/* Make the rows that are new evaluations of the campaign; without any, the file is only noted.
 *
 * Logically collective; rows the same on all ranks.
 *
 * Errors: those of gannet_ledger_import.
 */
GANNET_CHECKED gannet_err gannet_import_enter(gannet_campaign *campaign,
                                              const gannet_results_file *table,
                                              const gannet_import_rows *rows);

/* Import what the campaign file names and was not imported yet.
 *
 * Collective; the same on all ranks.
 *
 * again  in   files that have changed since they were read are read again
 *
 * Errors: GANNET_ERR_INPUT with the location of the key when a file is missing that was never read,
 * when it is no table of results, or when none of its rows can be used.
 */
GANNET_CHECKED gannet_err gannet_import_sources(gannet_campaign *campaign, bool again);

/* What gannet_import_sources would do with one file, in words.
 *
 * Local.
 *
 * text  out  [size]
 *
 * Errors: those of gannet_import_sources.
 */
GANNET_CHECKED gannet_err gannet_import_preview(const gannet_campaign *campaign, int source,
                                                bool again, char *text, size_t size);

#endif
