/* What shows that a campaign has been in a directory, whatever has become of its journal. */
#ifndef GANNET_CAMPAIGN_TRACES_H
#define GANNET_CAMPAIGN_TRACES_H

/* A file beside the journal that is made only when the first record is on disk, or NULL: a journal
 * without records has lost them when there is one, and else was never begun.
 *
 * Local.
 *
 * journal  in  path; the file need not exist
 */
const char *gannet_traces_find(const char *journal);

#endif
