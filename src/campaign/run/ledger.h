/* The ledger: what the journal of a campaign says, and the only writer of it.
 *
 * Eleven kinds of records, JSON objects:
 *
 *   campaign  once, first: name, seed, version, variables, fingerprint of the problem
 *   propose   a batch: its points, and the optimiser's state after proposing it, all of it or
 *             what differs from that of the propose record before
 *   state     once, where version 0.1.0 proposed last: the optimiser's state with names
 *   submit    attempts about to be launched, with their nonces (written before the launch)
 *   result    one ended attempt
 *   tell      ids whose results were handed to the optimiser, in that order
 *   import    results of earlier work with their points, evaluations at once, and their file
 *   related   results of a related problem with their points, no evaluations, and their file
 *   stop      why the campaign ended before its budget was spent
 *   correct   results that the user discards, changes or wants anew, or takes such a
 *             correction back
 *   change    another problem or other settings, by a resume. Records behind it are in the terms of
 *             the new problem; what is known from those before is translated into them
 *
 * A result counts as acknowledged once its record is on disk; it reaches the optimiser with a later
 * tell record, so a resumed campaign tells the same results in the same order.
 */
#ifndef GANNET_CAMPAIGN_RUN_LEDGER_H
#define GANNET_CAMPAIGN_RUN_LEDGER_H

#include "campaign/config/change_list.h"
#include "optimizer/related_columns.h"
#include "optimizer/state_course.h"
#include "problem/history.h"
#include "store/journal.h"

/* Schema 1 is that of version 0.1.0, whose states of the optimiser are numbers without names. */
enum { GANNET_JOURNAL_SCHEMA = 2 };

/* One evaluation as the journal knows it. */
typedef struct {
  int attempt;     /* last attempt that was submitted, 0 = none */
  uint64_t nonce;  /* of that attempt; 0 = it failed, and another one is wanted */
  bool has_result; /* the evaluation ended (no further attempt is wanted) */
  bool is_told;
  /* Pending without a result; its run is then that of the last attempt that ended. Owns its
   * constraints. */
  gannet_result_record result;
  double proposal;    /* seconds that proposing it and those with it took; NAN = unknown */
  int64_t start_from; /* evaluation whose folder the simulation may start from; -1 = none */
} gannet_ticket;

/* An attempt after which another one was wanted. */
typedef struct {
  int64_t id;
  gannet_run_record run;
} gannet_attempt;

/* A file of results that was read into the journal. */
typedef struct {
  char *from;                  /* path, owned */
  uint64_t digest;             /* of what it held, and of how its columns were read */
  int64_t n_refused;           /* rows that could not be used */
  int64_t n_imported;          /* evaluations that it became; results, of a related problem */
  bool is_related;             /* it has results of a related problem, which are no evaluations */
  gannet_related_rows related; /* these, owned; none when the file was read again since */
} gannet_import;

/* A correction of an evaluation by the user. */
typedef enum {
  GANNET_CORRECTION_DISCARD, /* it counts no more */
  GANNET_CORRECTION_VALUES,  /* its result is another one */
  GANNET_CORRECTION_RETRY    /* its result is withdrawn, and it runs once more */
} gannet_correction_kind;

enum { GANNET_WHO_SIZE = 112, GANNET_WHY_SIZE = GANNET_REASON_SIZE };

/* Who asks for a correction, when and why. */
typedef struct {
  double when; /* seconds since 1970 */
  char who[GANNET_WHO_SIZE];
  char why[GANNET_WHY_SIZE]; /* "" = nothing was said */
  uint64_t key;              /* of the request: one that is read twice is made once */
} gannet_correction_note;

/* A correction that was made. */
typedef struct {
  gannet_correction_kind kind;
  int64_t id;
  gannet_correction_note note;
  bool had_result, was_told;
  gannet_result_record before; /* the result until then; pending when there was none; owned, also
                                  its constraints */
  gannet_correction_note undo; /* when = NAN: it was not taken back */
} gannet_correction;

/* A change of the campaign file that a resume has brought. */
typedef struct {
  double when; /* seconds since 1970 */
  char who[GANNET_WHO_SIZE];
  uint64_t fingerprint;    /* of the problem before it; 0 = the problem is as it was */
  gannet_change_list list; /* what differs; owned */
} gannet_revision;

/* What a column of a table has that comes with results. The numbers are those of snapshots. */
typedef enum {
  GANNET_COLUMN_VALUE, /* values of a quantity */
  GANNET_COLUMN_SD,    /* its standard deviations */
  GANNET_COLUMN_START  /* the evaluations that simulations could start from */
} gannet_column_kind;

/* A column of what comes with results besides objective and constraints. */
typedef struct {
  char *name;  /* of the quantity, owned */
  char *title; /* of the column, owned: "mass", "mass.sd", or "reported.x" where x is a variable */
  gannet_column_kind kind;
} gannet_reported_column;

/* Most columns of this kind; what is reported under further names is in the journal and in
 * snapshots only. */
enum { GANNET_REPORTED_COLUMNS_MOST = 1000 };

/* All that a journal says, record by record. */
typedef struct {
  /* The problem in whose terms records are read: target, or the problem that the journal describes
   * where that is another one. */
  const gannet_problem *problem;
  const gannet_problem *target; /* borrowed: what the campaign is to have in the end */
  gannet_problem *described;    /* owned: the problem of the journal; NULL = it is the target */
  gannet_history *history;      /* borrowed: proposals and told results are put into it */
  gannet_journal *journal;      /* NULL when only reading */
  char *name;                   /* of the campaign */
  uint64_t seed;                /* of the context that began it */
  uint64_t fingerprint;         /* of the problem */
  int n_imports;
  gannet_import *imports; /* [n_imports] in the order in which they were read */
  int64_t sequence;       /* of the last record */
  uint64_t identity; /* of the journal to which the sequence belongs; 0 = an older one, or none */
  /* Everything but submissions waits in memory for the next submission or gannet_ledger_sync:
   * nobody has seen a point before its submission, and whoever shows a result syncs first. */
  bool defers;
  /* Results reach the history before their tell record comes, for a process that only looks on. */
  bool tells_early;
  int64_t n, capacity; /* tickets = rows of the history */
  gannet_ticket *ticket;
  int64_t n_ended[GANNET_EVAL_STATUS_COUNT];    /* evaluations with a result, by its status */
  int64_t n_imported[GANNET_EVAL_STATUS_COUNT]; /* the imported ones among them */
  int64_t n_feasible;          /* done evaluations whose result keeps all constraints */
  int64_t n_imported_feasible; /* the imported ones among them */
  /* Done evaluations, not imported, whose result keeps the constraints as far as is known, and
   * lacks a value of an objective or constraint. */
  int64_t n_incomplete;
  int n_attempts, attempt_capacity;
  gannet_attempt *attempts; /* [n_attempts] as they ended; a snapshot does not keep them */
  int n_corrections, correction_capacity;
  gannet_correction *correction; /* [n_corrections] as they were made; owned */
  int n_revisions;
  gannet_revision *revision; /* [n_revisions] as they were made; owned */
  int64_t n_changes; /* corrections made or taken back, and changes of the problem, so far */
  int n_columns, column_capacity;
  gannet_reported_column *column; /* [n_columns] in the order in which they were needed */
  double longest;                 /* seconds of any attempt so far, 0 = none */
  gannet_state state;             /* of the optimiser after the last proposal; empty = none yet */
  gannet_state changes;           /* scratch: what the last proposal changed in the state */
  gannet_state_course course;     /* what models learnt before each proposal */
  int n_positional;               /* above 0 where version 0.1.0 wrote the last proposal, in place
                                     of the state */
  double *positional;             /* [n_positional] numbers without names (optimizer/optimizer.h) */
  /* Why the campaign ended before its budget was spent, owned; NULL = it did not, or has proposed
   * points since. */
  char *stop_reason;
} gannet_ledger;

/* Add a column, unless it is there.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_add_column(gannet_ledger *ledger, const char *name,
                                                   gannet_column_kind kind);

/* Add the columns that the quantities of a result need and that are not there yet.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_add_columns(gannet_ledger *ledger,
                                                    const gannet_quantities *reported);

/* Whether an evaluation is done, its design is not from elsewhere, and it keeps all constraints;
 * whether or not the optimiser was told.
 *
 * Local.
 */
bool gannet_ledger_is_feasible(const gannet_ledger *ledger, int64_t id);

/* Count a ticket whose result has just come, or no longer counts (sign = -1).
 *
 * Local.
 */
void gannet_ledger_count(gannet_ledger *ledger, const gannet_ticket *ticket, int sign);

/* Evaluations without a result.
 *
 * Local.
 */
int64_t gannet_ledger_pending(const gannet_ledger *ledger);

/* Prepare an empty ledger over an empty history.
 *
 * Local.
 */
void gannet_ledger_init(gannet_ledger *ledger, const gannet_problem *problem,
                        gannet_history *history);

/* Free what the ledger owns and close the journal.
 *
 * Local.
 */
void gannet_ledger_release(gannet_ledger *ledger);

/* Take over one record.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED naming the record when it does not fit the campaign.
 */
GANNET_CHECKED gannet_err gannet_ledger_apply(gannet_ledger *ledger, int64_t sequence,
                                              const char *payload, size_t length);

/* Write and take over a record of each kind. On ranks without the journal nothing is written, but
 * the record is taken over, so all ledgers stay alike.
 *
 * Local; the caller agrees on the outcome between ranks.
 *
 * Errors: those of gannet_journal_append.
 */
GANNET_CHECKED gannet_err gannet_ledger_campaign(gannet_ledger *ledger, const char *name,
                                                 uint64_t seed, uint64_t fingerprint);

/* The rows first .. count-1 of the history were just proposed; state is the optimiser's afterwards.
 * The record has what changed of it; all of it where that of the record before has no names.
 *
 * Local.
 *
 * start_from  in  for each of the rows, see gannet_ticket; NULL = none
 * state    inout  NULL = as it was; searched
 * seconds  in  that proposing them took, NAN = unknown; only for people to see, so that it may
 *              differ between ranks until a replay
 */
GANNET_CHECKED gannet_err gannet_ledger_propose(gannet_ledger *ledger, int64_t first,
                                                const int64_t *start_from, gannet_state *state,
                                                double seconds);

/* The state of a journal of version 0.1.0 has got its names, those in ledger->state: written down,
 * because the next process could not tell of which settings the bare numbers are.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_name_state(gannet_ledger *ledger);

/* Attempts about to be launched.
 *
 * Local.
 *
 * ids, attempts, nonces  in  [n]
 */
GANNET_CHECKED gannet_err gannet_ledger_submit(gannet_ledger *ledger, int n, const int64_t *ids,
                                               const int *attempts, const uint64_t *nonces);

/* n ended attempts, with one sync at most. An evaluation has ended unless another attempt is wanted
 * (retry).
 *
 * Local.
 *
 * results  in  [n] copied
 */
GANNET_CHECKED gannet_err gannet_ledger_results(gannet_ledger *ledger, int n,
                                                const gannet_result_record *results);

/* Correct n evaluations alike, or take their last corrections back. The history is told anew, in
 * the order in which it was told, and the optimiser's state forgets everything but the number of
 * its batch: what it had learnt came of the results as they were.
 *
 * Local.
 *
 * ids     in  [n]; gannet_corrections_check has nothing against them
 * result  in  of GANNET_CORRECTION_VALUES, for n = 1; else NULL
 */
typedef struct {
  gannet_correction_kind kind;
  bool undo; /* takes the last correction back, which is of this kind */
  int n;
  const int64_t *ids;
  gannet_correction_note note;
  const gannet_result_record *result;
} gannet_correction_order;

GANNET_CHECKED gannet_err gannet_ledger_correct(gannet_ledger *ledger,
                                                const gannet_correction_order *order);

/* The last correction of an evaluation that was not taken back, or NULL.
 *
 * Local.
 */
gannet_correction *gannet_ledger_find_correction(const gannet_ledger *ledger, int64_t id);

/* Append a correction of which everything is known; it is copied.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_add_correction(gannet_ledger *ledger,
                                                       const gannet_correction *correction);

/* Hand the results of these evaluations to the history, in this order.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_tell(gannet_ledger *ledger, int n, const int64_t *ids);

/* The campaign has ended before its budget was spent; nothing is written when that is known.
 *
 * Local.
 *
 * reason  in  in words, for the user; "" = it goes on after all
 */
GANNET_CHECKED gannet_err gannet_ledger_stop(gannet_ledger *ledger, const char *reason);

/* Take over results that come with their points.
 *
 * Local.
 *
 * text  in  of the record, the same on all ranks (gannet_record_import)
 */
GANNET_CHECKED gannet_err gannet_ledger_import(gannet_ledger *ledger, const char *text);

/* Take over a change of the problem or of settings.
 *
 * Local.
 *
 * text   in  of the record, the same on all ranks (gannet_record_change)
 * check  in  called before anything is written, with the history in terms of the new problem; NULL
 *            = nothing else is to be checked
 *
 * Errors: GANNET_ERR_INPUT when what is known makes no sense in the new problem: nothing was
 * changed; those of check and of the journal.
 */
typedef gannet_err (*gannet_change_check)(const void *user, const gannet_history *history);
GANNET_CHECKED gannet_err gannet_ledger_change(gannet_ledger *ledger, const char *text,
                                               gannet_change_check check, const void *user);

/* Append a change that has been made, without its description of the problem; its list is taken
 * over.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_add_revision(gannet_ledger *ledger,
                                                     gannet_revision *revision);

/* Read the records of an empty ledger in the terms of a problem that a text describes.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT for what describes no problem.
 */
GANNET_CHECKED gannet_err gannet_ledger_begin_as(gannet_ledger *ledger, const char *description);

/* Whether the campaign has, or had before a change, a problem.
 *
 * Local.
 */
bool gannet_ledger_had_problem(const gannet_ledger *ledger, uint64_t fingerprint);

/* Write and sync what waits in memory.
 *
 * Local; the caller agrees on the outcome between ranks.
 *
 * Errors: those of gannet_journal_sync.
 */
GANNET_CHECKED gannet_err gannet_ledger_sync(gannet_ledger *ledger);

/* Write what waits in memory, so that it survives the end of this process. Sync it only if the last
 * sync was a second ago or earlier; otherwise a power failure may lose it until the next
 * submission, the next call after that second, or gannet_ledger_sync.
 *
 * Local.
 *
 * Errors: those of gannet_journal_write.
 */
GANNET_CHECKED gannet_err gannet_ledger_write(gannet_ledger *ledger);

/* See gannet_journal_keep; harmless on ranks without the journal.
 *
 * Local; the caller agrees on the outcome between ranks.
 */
GANNET_CHECKED gannet_err gannet_ledger_keep(const gannet_ledger *ledger, bool *renewed);

/* Hand over every result that is acknowledged and was not told, in the order of ids: what a process
 * left behind that ended between the two.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_tell_held(gannet_ledger *ledger);

/* The same in memory only, when nothing is proposed any more: people see every result, and a resume
 * tells them in the order of an uninterrupted run.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_show_held(gannet_ledger *ledger);

/* Write everything the ledger knows into a fresh journal, after the old one was damaged.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_ledger_rewrite(gannet_ledger *ledger);

#endif
