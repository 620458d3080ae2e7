/* Snapshots: the whole state of a campaign as one HDF5 file, for other programs to read and as a
 * second copy of the journal. docs/campaign-directory.md describes the layout.
 */
#ifndef GANNET_CAMPAIGN_RUN_SNAPSHOT_H
#define GANNET_CAMPAIGN_RUN_SNAPSHOT_H

#include "campaign/run/ledger.h"
#include "store/state_file.h"

/* 1: version 0.1.0, without bounds, types and units, and with a state of bare numbers. */
enum { GANNET_STATE_SCHEMA = 2 };

/* Write a snapshot of everything in the ledger and its history.
 *
 * Local.
 *
 * Errors: those of gannet_store_commit; what was on disk before is kept.
 */
GANNET_CHECKED gannet_err gannet_snapshot_write(const char *path, const gannet_ledger *ledger);

/* How far a snapshot has come, and whose it is. */
typedef struct {
  int64_t sequence; /* number of the last journal record that it contains */
  uint64_t journal; /* identity of the journal that counts so; 0 = an older one */
  uint64_t fingerprint, seed;
  char name[128];      /* of the campaign, as much as fits */
  bool is_passed_over; /* it is the older generation: the newer one is sound, but not wanted */
} gannet_snapshot_mark;

/* What a snapshot must be to be read; NULL = anything. */
typedef struct {
  const gannet_journal_report *journal; /* that it counts in */
  const uint64_t *seed;
  const char *name;
} gannet_snapshot_want;

/* The mark of the newest sound generation.
 *
 * Local.
 *
 * want  in  the older generation is taken where it is wanted and the newer one is not; NULL = the
 *           newest whatever it is
 *
 * Errors: those of gannet_store_open.
 */
GANNET_CHECKED gannet_err gannet_snapshot_look(const char *path, const gannet_snapshot_want *want,
                                               gannet_snapshot_mark *mark);

/* Whether a snapshot is of a campaign, as far as its seed and name tell. Those of two campaigns
 * that agree in these and in the problem are told apart by their journals only.
 *
 * Local.
 */
bool gannet_snapshot_is_of(const gannet_snapshot_mark *mark, uint64_t seed, const char *name);

/* Whether the numbers of a snapshot are those of a journal. One whose first line is not sound is
 * taken for the journal that the snapshot was made from.
 *
 * Local.
 *
 * identity  in  mark.journal, or that of the ledger that was read
 */
bool gannet_snapshot_counts_in(uint64_t identity, const gannet_journal_report *journal);

/* Read a snapshot into an empty ledger and its empty history: of the newest two sound generations
 * the first that is wanted and of the ledger's problem.
 *
 * Local.
 *
 * want    in   may be NULL
 * report  out  which generation was used; may be NULL
 *
 * Errors: those of gannet_store_open; when there is none, of the newest: GANNET_ERR_INPUT when it
 *   is of another problem or seed, GANNET_ERR_STATE when it counts in another journal or has
 *   another name. The ledger is empty still after these two.
 */
GANNET_CHECKED gannet_err gannet_snapshot_read(const char *path, const gannet_snapshot_want *want,
                                               gannet_ledger *ledger, gannet_store_report *report);

/* Whether one file is what the tables of its columns say, and goes with what is known: types,
 * ranges, the variables and constraints of the problem, feasibility, and the points.
 *
 * Local.
 *
 * path    in  of that file, whose checksum is sound
 * ledger  in  what the journal says; empty = nothing is known
 *
 * Errors: GANNET_ERR_DAMAGED, GANNET_ERR_SHAPE or GANNET_ERR_MISSING saying what is wrong.
 */
GANNET_CHECKED gannet_err gannet_snapshot_check(const char *path, const gannet_ledger *ledger);

#endif
