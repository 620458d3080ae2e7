/* Find the best candidates without scoring all of them.
 *
 * An upper bound of a candidate's score takes much less time than the score. The scan therefore
 * bounds every candidate, scores candidates in decreasing order of their bounds, and stops when the
 * next bound is below the worst score that it keeps. As long as the bounds hold, the result equals
 * that of scoring every candidate (search/scan.h), bit for bit.
 *
 * Terms
 *   list       scores of one kind, such as those by one draw; each list has its best candidates
 *   bound      upper bound of the score of a candidate in a list
 *   threshold  the worst score among the best `keep` candidates of a list so far, over all ranks
 *   open       a candidate is open until it is scored or its bound is below the threshold
 *   pivot      a candidate by which the bounds of its neighbours become tighter
 *   leader     one of the best candidates of an earlier scan; leaders are scored first
 */
#ifndef GANNET_SEARCH_BEST_FIRST_H
#define GANNET_SEARCH_BEST_FIRST_H

#include "search/scan.h"

enum {
  GANNET_BEST_FIRST_GROUP = 64,  /* candidates scored per step, summed over all ranks */
  GANNET_BEST_FIRST_UNIT = 256,  /* candidates that a rank bounds at once; divides a tile */
  GANNET_BEST_FIRST_PIVOTS = 64, /* most pivots in a round of tightening */
  GANNET_BEST_FIRST_ROUNDS = 4   /* most rounds of tightening */
};

typedef struct {
  double value; /* its bound, or its score; not NAN */
  int64_t number;
} gannet_best_first_candidate;

/* Scores of m <= GANNET_BEST_FIRST_GROUP candidates, NAN where there is none. The score of a
 * candidate must not depend on the others of the call.
 *
 * number  in   [m] of the candidates
 * x_unit  in   [m][d]
 * scores  out  [n_lists + n_notes][ld] scores, then notes
 */
typedef gannet_err (*gannet_best_first_scorer)(void *user, int m, const int64_t *number,
                                               const double *x_unit, double *scores, int ld);

/* Take the notes that scorers on any rank made of m candidates.
 *
 * number  in  [m] of the candidates
 * notes   in  [n_notes][ld]
 */
typedef void (*gannet_best_first_noter)(void *user, int m, const int64_t *number,
                                        const double *notes, int ld);

/* Bounds of candidates first .. first+m-1 of one unit, INFINITY or NAN where nothing is known. May
 * depend on the rank.
 *
 * x_unit  in   [m][d]; NULL for the units of own_units, which are bounded by their numbers
 * bounds  out  [n_lists][ld]
 */
typedef gannet_err (*gannet_best_first_bounder)(void *user, int m, int64_t first,
                                                const double *x_unit, double *bounds, int ld);

/* Tighten the bounds of open candidates by pivots; may leave them as they are.
 *
 * Collective, and may communicate; pivots the same on all ranks.
 *
 * pivots  in     [n_pivots] numbers of candidates of any rank
 * open    inout  [n] open candidates of this rank; n may be 0
 */
typedef gannet_err (*gannet_best_first_tightener)(void *user, int n_pivots, const int64_t *pivots,
                                                  int64_t n, gannet_best_first_candidate *open);

typedef struct {
  int n_lists; /* >= 1 */
  int keep;    /* 1 <= keep <= GANNET_SELECT_MAX */
  gannet_best_first_scorer scorer;
  gannet_best_first_bounder bounder;
  bool together; /* ranks score the candidates of all together, a group after the other, and no more
                    than one rank would: for one list with dear scores */
  double open_share; /* give up when more than this share of all candidates is open: once the first
                        of them have scores, and after rounds of tightening that did not help */
  const bool *own_units; /* [units] whose candidates this rank bounds, each of one rank; NULL =
                            ranks share the units, each takes one when it is free */
  /* Where ranks score together: */
  gannet_best_first_tightener tightener; /* NULL = none */
  int n_notes;
  gannet_best_first_noter noter; /* NULL = none */
  int *n_leaders;                /* inout; at most GANNET_BEST_FIRST_GROUP */
  int64_t *leaders; /* inout; [GANNET_BEST_FIRST_GROUP] numbers of leaders, each once; afterwards
                       the best candidates that were scored together, best first */
  void *user;
} gannet_best_first_spec;

/* The best candidates by every list of scores, as gannet_scan finds them.
 *
 * Collective over the context's communicator; arguments but for own_units the same on all ranks.
 *
 * taken   in   as in gannet_scan
 * best    out  [n_lists][keep]; undefined unless scored is positive
 * scored  out  candidates that were scored, over all ranks; 0 = given up, too many are open; -1 = a
 *              score was above its bound
 *
 * Errors: those of scorer, bounder and tightener, GANNET_ERR_MEMORY; from all ranks.
 * Memory: as gannet_scan, and two numbers for every list and candidate of this rank; but of more
 * than GANNET_BEST_FIRST_LONG candidates only the open ones.
 */
GANNET_CHECKED gannet_err gannet_best_first_scan(const gannet_context *context,
                                                 const gannet_candidates *candidates,
                                                 const gannet_distinct *taken,
                                                 const gannet_best_first_spec *spec,
                                                 gannet_ranked *best, int64_t *scored);

enum { GANNET_BEST_FIRST_LONG = 1 << 16 };

#endif
