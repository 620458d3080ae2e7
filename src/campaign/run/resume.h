/* Beginning and resuming a campaign: bringing a ledger up to what is on disk.
 *
 *   gannet_resume_begin     a new journal
 *   gannet_resume_continue  replay the journal, rebuilt from a snapshot when it is damaged
 *   gannet_resume_query     the same without changing anything, for whoever looks at a campaign
 *   gannet_resume_dry_run   the same, with the refusals of gannet_resume_continue
 *   gannet_resume_follow    keep up with a campaign that runs
 */
#ifndef GANNET_CAMPAIGN_RUN_RESUME_H
#define GANNET_CAMPAIGN_RUN_RESUME_H

#include "base/context.h"
#include "campaign/run/ledger.h"

/* Where a campaign is, and which one it is to be: a snapshot of another may have been put there. */
typedef struct {
  const char *journal, *snapshot;
  const char *name;     /* one of an older name serves where there is none of this; NULL = any */
  const uint64_t *seed; /* NULL = any */
} gannet_resume_paths;

/* Describe the problem that a campaign had last: that of its last change, else that of its
 * effective configuration.
 *
 * Local.
 *
 * journal      in   path; it need not be there, nor be sound
 * description  out  for gannet_free and gannet_campaign_parse_problem; NULL = nobody knows
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_resume_find_problem(const char *journal, char **description);

/* Begin a journal (rank 0) and write its first record.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * journal  in  path
 */
GANNET_CHECKED gannet_err gannet_resume_begin(const gannet_context *context, const char *journal,
                                              const char *name, gannet_ledger *ledger);

/* Open the journal on rank 0 and replay it on all ranks. When it is damaged or missing, it is first
 * rebuilt from the newest sound snapshot and those of its records that continue the snapshot, and
 * the damaged file is moved aside; what happened is logged. A snapshot of another campaign is
 * passed over for the older generation, and moved aside as well.
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * journal, snapshot  in  paths
 * name               in  of the campaign, for a journal that was never begun, and to prefer its own
 *                        snapshots
 *
 * Errors: GANNET_ERR_DAMAGED when neither is sound, or history.csv has later evaluations than the
 * journal; GANNET_ERR_INPUT when the journal is of another problem or seed; GANNET_ERR_BUSY,
 * GANNET_ERR_VERSION, GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_resume_continue(const gannet_context *context, const char *journal,
                                                 const char *snapshot, const char *name,
                                                 gannet_ledger *ledger);

/* What is wrong with the journal of a query. */
typedef struct {
  char text[800];  /* and what to do; "" when all is well */
  bool is_partial; /* there is no snapshot with what is lost: only the first records are known */
  bool is_foreign; /* there is one, of another problem or seed, which continuing refuses */
  bool has_foreign_journal; /* the journal is that of another campaign, the snapshot is not */
} gannet_damage;

/* Bring a ledger up to the journal for a query, then tell the history of results that are
 * acknowledged but not told. Begins with the newest snapshot, which is read faster, unless a replay
 * of the whole journal is asked for. When the journal is damaged, the ledger knows what a resumed
 * campaign would: the snapshot and the records that follow it; or the first sound records.
 *
 * Local.
 *
 * damage  out
 *
 * Errors: as for continue, without its locks; GANNET_ERR_DAMAGED when nothing is sound.
 */
GANNET_CHECKED gannet_err gannet_resume_query(const gannet_resume_paths *paths, bool replay_all,
                                              gannet_ledger *ledger, gannet_damage *damage);

/* As a query; a campaign that gannet_resume_continue would refuse is refused.
 *
 * Local.
 *
 * paths  in  with a seed
 *
 * Errors: as for a query; GANNET_ERR_INPUT when the journal, or the snapshot in its place, is of
 * another problem or seed.
 */
GANNET_CHECKED gannet_err gannet_resume_dry_run(const gannet_resume_paths *paths,
                                                gannet_ledger *ledger, gannet_damage *damage);

/* Keep a ledger up with a journal that somebody else may be writing. Beginning with a zeroed
 * position and an empty ledger, the newest snapshot is read first. Results reach the history at
 * once.
 *
 * Local.
 *
 * position  inout
 * replaced  out    see gannet_journal_follow; the ledger is useless then
 *
 * Errors: those of gannet_journal_follow and of taking records over; what was read from the
 *   snapshot stays.
 */
GANNET_CHECKED gannet_err gannet_resume_follow(const gannet_resume_paths *paths,
                                               gannet_journal_position *position, bool *replaced,
                                               gannet_ledger *ledger);

/* What a campaign left behind, whatever has become of its journal: a file beside the journal that
 * is made only when the first record is on disk, or NULL: a journal without records has lost them
 * when there is one, and else was never begun.
 *
 * Local.
 *
 * journal  in  path; the file need not exist
 */
const char *gannet_leftovers_find(const char *journal);

#endif
