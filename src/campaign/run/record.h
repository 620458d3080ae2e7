/* Journal records as JSON text, and back. See ledger.h for what they mean. */
#ifndef GANNET_CAMPAIGN_RUN_RECORD_H
#define GANNET_CAMPAIGN_RUN_RECORD_H

#include "campaign/run/ledger.h"

typedef enum {
  GANNET_RECORD_CAMPAIGN,
  GANNET_RECORD_PROPOSE,
  GANNET_RECORD_SUBMIT,
  GANNET_RECORD_RESULT,
  GANNET_RECORD_TELL,
  GANNET_RECORD_STATE,
  GANNET_RECORD_STOP,
  GANNET_RECORD_IMPORT,
  GANNET_RECORD_CORRECT,
  GANNET_RECORD_CHANGE,
  GANNET_RECORD_RELATED
} gannet_record_kind;

/* What a propose record says of the optimiser's state. */
typedef enum {
  GANNET_STATED_NOTHING, /* it is that of the record before */
  GANNET_STATED_CHANGES, /* what differs from that */
  GANNET_STATED_WHOLE,
  GANNET_STATED_POSITIONAL /* all of it, as version 0.1.0 wrote it */
} gannet_stated;

/* A parsed record; only the members of its kind are set. Free with gannet_record_release. */
typedef struct {
  gannet_record_kind kind;
  char *name;                   /* campaign */
  uint64_t seed;                /* campaign */
  uint64_t fingerprint;         /* campaign */
  int64_t first, batch;         /* propose */
  gannet_origin origin;         /* propose: of the points behind the first n_start */
  int n_start;                  /* propose: the first points, of origin GANNET_ORIGIN_START */
  int n;                        /* propose: points; submit, tell, correct: ids */
  double *x;                    /* propose: [n][n_variables] user units */
  gannet_stated stated;         /* propose */
  gannet_state state;           /* propose, state: of the optimiser, or what changed of it */
  bool is_rewritten;            /* propose, of a rebuilt journal: what was learnt is told apart */
  gannet_state learned;         /* propose, of a rebuilt journal: what its proposals learnt */
  int n_positional;             /* propose, of version 0.1.0 */
  double *positional;           /* propose: [n_positional] the state without names */
  double seconds;               /* propose: that it took, NAN = unknown */
  int64_t *start_from;          /* propose: [n] see gannet_ticket; NULL = none of them has one */
  int64_t *id;                  /* submit, tell, correct: [n] */
  int *attempt;                 /* submit: [n] */
  uint64_t *nonce;              /* submit: [n] */
  gannet_result_record result;  /* result, correct; its constraints point at values */
  double *values;               /* result, correct: [n_constraints]; import: [n][n_constraints] */
  char *reason;                 /* stop; "" = the campaign goes on */
  gannet_import import;         /* import: its points are n and x, with batch and first; related:
                                   with its results */
  gannet_result_record *told;   /* import: [n] their results, whose constraints point at values */
  gannet_correction correction; /* correct: without id and result, but where is_made */
  bool undo;                    /* correct: such a correction is taken back */
  gannet_revision revision;     /* change */
  char *before,
      *after;   /* change: the problem before and after it; NULL = it stays, or is only told */
  bool is_made; /* correct: it is told as it was made, result is that of before, and tickets have
                   it already */
} gannet_record;

/* Parse a payload.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED saying what is missing or wrong.
 */
GANNET_CHECKED gannet_err gannet_record_parse(const gannet_problem *problem, const char *payload,
                                              size_t length, gannet_record *record);
void gannet_record_release(gannet_record *record);

/* The rows first .. end-1 of a history, which were proposed together. */
typedef struct {
  int64_t first, end;
  gannet_stated stated;
  const gannet_state *state;   /* of the optimiser afterwards, or what changed of it */
  const gannet_state *learned; /* of a rebuilt journal: what the proposals learnt; else NULL */
  int n_positional;
  const double *positional;    /* [n_positional] instead */
  double seconds;              /* that it took, NAN = unknown */
  const gannet_ticket *ticket; /* [end] NULL = none has an evaluation to start from */
} gannet_proposed_rows;

/* Make the text of a record, without newline, for gannet_free.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_record_campaign(const gannet_problem *problem, const char *name,
                                                 uint64_t seed, uint64_t fingerprint, char **text);
GANNET_CHECKED gannet_err gannet_record_propose(const gannet_history *history,
                                                const gannet_proposed_rows *proposal, char **text);
GANNET_CHECKED gannet_err gannet_record_state_of(const gannet_state *state, char **text);
GANNET_CHECKED gannet_err gannet_record_submit(int n, const int64_t *ids, const int *attempts,
                                               const uint64_t *nonces, char **text);
GANNET_CHECKED gannet_err gannet_record_result(const gannet_problem *problem,
                                               const gannet_result_record *result, char **text);
GANNET_CHECKED gannet_err gannet_record_tell(int n, const int64_t *ids, char **text);
GANNET_CHECKED gannet_err gannet_record_stop(const char *reason, char **text);
GANNET_CHECKED gannet_err gannet_record_correct(const gannet_problem *problem,
                                                const gannet_correction_order *order, char **text);

/* A change.
 *
 * Local.
 *
 * before, after  in  the problem as gannet_campaign_format_problem has it; NULL = it stays as it
 *                    is, or the records in front are in terms of the new one already
 */
GANNET_CHECKED gannet_err gannet_record_change(const gannet_revision *revision, const char *before,
                                               const char *after, char **text);

/* The description of the problem before or after it, when a payload is a change that has one.
 *
 * Local.
 *
 * description  out  for gannet_free; NULL = it has none
 */
GANNET_CHECKED gannet_err gannet_record_find_problem(const char *payload, size_t length,
                                                     bool is_after, char **description);

/* Whose journal a record of the campaign begins.
 *
 * Local.
 *
 * name  out  for gannet_free
 *
 * Errors: GANNET_ERR_DAMAGED for another record.
 */
GANNET_CHECKED gannet_err gannet_record_find_owner(const char *payload, size_t length,
                                                   uint64_t *seed, char **name);

/* The fingerprint of a record of the campaign.
 *
 * Local.
 *
 * Errors: GANNET_ERR_DAMAGED for another record.
 */
GANNET_CHECKED gannet_err gannet_record_find_fingerprint(const char *payload, size_t length,
                                                         uint64_t *fingerprint);

/* A correction that was made, for a journal whose results have it already.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_record_correction(const gannet_problem *problem,
                                                   const gannet_correction *correction,
                                                   char **text);

/* A result as it was before a correction, as text, and back; a pending one is known by its run.
 *
 * Local.
 *
 * record  out  its result; zeroed, to be released
 */
GANNET_CHECKED gannet_err gannet_record_before(const gannet_problem *problem,
                                               const gannet_result_record *result, char **text);
GANNET_CHECKED gannet_err gannet_record_parse_before(const gannet_problem *problem,
                                                     const char *text, gannet_record *record);

/* Results that come with their points.
 *
 * Local.
 *
 * first, batch  in  of the evaluations that they become
 * x             in  [n][n_variables] in the user's units
 * results       in  [n]
 */
GANNET_CHECKED gannet_err gannet_record_import(const gannet_problem *problem,
                                               const gannet_import *import, int64_t first,
                                               int64_t batch, int n, const double *x,
                                               const gannet_result_record *results, char **text);

/* Free what a file that was read has.
 *
 * Local.
 */
void gannet_import_release(gannet_import *import);

/* Results of a related problem.
 *
 * Local.
 *
 * import  in  with its results
 */
GANNET_CHECKED gannet_err gannet_record_related(const gannet_problem *problem,
                                                const gannet_import *import, char **text);

#endif
