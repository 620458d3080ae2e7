/* What the files share that bring a ledger up to what is on disk; no other file includes it.
 *
 *   resume           begins a journal, or continues one
 *   resume_query     the same without changing anything
 *   rebuild_journal  replaces a damaged journal by a sound one
 *   resume_sources   what a ledger is brought up from: records of journals, and snapshots
 *
 * Terms
 *   journal     every record, written before it counts
 *   snapshot    state.h5 and its older generation: the whole ledger up to some record
 *   rebuilding  a damaged journal is replaced by one with what a snapshot knows, and with those
 *               records of the damaged one that continue it; what was damaged is moved aside
 *   identity    of a journal: tells whether record numbers of a snapshot are those of a journal, as
 *               they begin anew in a rebuilt one
 */
#ifndef GANNET_CAMPAIGN_RUN_RESUME_PARTS_H
#define GANNET_CAMPAIGN_RUN_RESUME_PARTS_H

#include "campaign/run/resume.h"
#include "campaign/run/snapshot.h"

/* A journal may have lost all its records: power failures leave empty files, too.
 *
 * Local.
 *
 * leftover  in  what gannet_leftovers_find found before the journal was read; afterwards another
 *               process may have begun the campaign. NULL = nothing
 *
 * Errors: GANNET_ERR_DAMAGED when there is a leftover, and no record.
 */
GANNET_CHECKED gannet_err gannet_resume_check_begun(const char *journal, const char *leftover,
                                                    int64_t records);

/* Find the last evaluation in history.csv beside a journal. A row is written after the records of
 * its evaluation are synced, so a journal that is read afterwards has them, or has lost its end.
 *
 * Local.
 *
 * Returns the largest number in the last rows, -1 when there is none.
 */
int64_t gannet_resume_find_last_row(const char *journal);

/* Find an evaluation in the last rows of history.csv beside a journal that has no result in the
 * ledger, which has read the journal: either the journal has lost its end, or a process was killed
 * between the record that takes a result back and the writing of the table.
 *
 * Local; while the journal is locked.
 *
 * Returns its number, -1 when there is none.
 */
int64_t gannet_resume_find_lost_row(const char *journal, const gannet_ledger *ledger);

/* Raise that a journal has lost its end, and say what to do.
 *
 * Local.
 *
 * last  in  the last evaluation in history.csv
 * n     in  evaluations in the journal
 *
 * Returns GANNET_ERR_DAMAGED.
 */
GANNET_CHECKED gannet_err gannet_resume_raise_lost(int64_t last, int64_t n);

/* Check that what the ledger has read is of its problem, and of a seed.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err gannet_resume_check_campaign(gannet_ledger *ledger, uint64_t seed);

/* Check that a journal was not put here from another campaign: its first record has another name or
 * seed than the campaign, and a snapshot, of either generation, has those of the campaign. A
 * campaign that was given another name has the old one in all of them.
 *
 * Local.
 *
 * payload  in  of the first record
 *
 * Errors: GANNET_ERR_DAMAGED saying whose journal it is.
 */
GANNET_CHECKED gannet_err gannet_resume_check_owner(const gannet_resume_paths *paths,
                                                    const char *payload, size_t length);

/* Whether an error means that a journal is damaged or lost.
 *
 * Local.
 */
bool gannet_resume_is_damage(gannet_err err);

/* Describe the problem that a journal begins with, unless it is that of the ledger. The first
 * change says what was before it; before there was any, the effective configuration is that of the
 * journal.
 *
 * Local.
 *
 * payload      in   of the first record
 * description  out  for gannet_free; NULL = the ledger's, or unknown
 */
GANNET_CHECKED gannet_err gannet_resume_describe_first(const char *journal,
                                                       const gannet_ledger *ledger,
                                                       const char *payload, size_t length,
                                                       char **description);

/* A ledger that takes the records of a journal; the user argument of gannet_resume_take_next. */
typedef struct {
  const gannet_resume_paths *paths;
  gannet_ledger *ledger;
  int64_t taken, useless; /* records that the ledger has got, and that follow on a gap */
  bool is_foreign;        /* the journal was put here from another campaign */
} gannet_resume_taker;

/* Take over the first record of a journal, in the terms of its problem.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_resume_take_first(const char *journal, const char *payload,
                                                   size_t length, gannet_ledger *ledger);

/* Take over a record of a damaged journal if it follows, without a gap, on what the ledger knows.
 *
 * Local.
 *
 * user  inout  a gannet_resume_taker
 */
GANNET_CHECKED gannet_err gannet_resume_take_next(void *user, int64_t sequence, const char *payload,
                                                  size_t length);

/* Which snapshots serve. A journal that can be read tells whose snapshot it is. Without one, the
 * name of the campaign is the best that there is; a snapshot of another name is better than none,
 * as a campaign may have been given another name since. */
enum { GANNET_SNAPSHOT_OF_THIS_JOURNAL = 2, GANNET_SNAPSHOT_OF_ANY_JOURNAL };

/* Read the newest snapshot that serves.
 *
 * Local.
 *
 * journal  in   NULL = none, or one of another campaign
 * which   in   one of the two above
 * ledger  out
 * report  out  may be NULL
 */
GANNET_CHECKED gannet_err gannet_resume_read_snapshot(const gannet_resume_paths *paths,
                                                      const gannet_journal_report *journal,
                                                      int which, gannet_ledger *ledger,
                                                      gannet_store_report *report);

/* Let an empty ledger read a snapshot of the problem before a change that is still to be made.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_resume_begin_snapshot(const gannet_resume_paths *paths,
                                                       gannet_ledger *ledger);

/* Check the journal; rebuild it from the newest sound snapshot when it is damaged or lost. The log
 * tells what is done.
 *
 * Local; for rank 0.
 *
 * renews  out  the snapshots do not belong to the journal as it now is:
 * gannet_journal_renew_snapshots is to follow
 *
 * Errors: GANNET_ERR_DAMAGED when nothing is sound; GANNET_ERR_INPUT when the snapshot is of
 * another problem or seed; GANNET_ERR_BUSY; GANNET_ERR_IO.
 */
GANNET_CHECKED gannet_err gannet_journal_make_sound(const gannet_context *context,
                                                    const gannet_resume_paths *paths,
                                                    const gannet_problem *problem, bool *renews);

/* Move history.csv aside, which has results that the journal lacks.
 *
 * Local; for rank 0.
 *
 * lost  in  an evaluation of which it has a result, and the journal has none
 */
GANNET_CHECKED gannet_err gannet_journal_keep_table(const gannet_context *context,
                                                    const char *journal, int64_t lost);

/* Make both generations of the snapshot from the journal, so that either can stand in for it. A
 * snapshot of another campaign is moved aside: somebody put it there, and may miss it where it
 * belongs.
 *
 * Local; for rank 0.
 */
GANNET_CHECKED gannet_err gannet_journal_renew_snapshots(const gannet_context *context,
                                                         const char *snapshot,
                                                         const gannet_ledger *ledger);

#endif
