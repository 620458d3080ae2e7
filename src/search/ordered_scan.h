/* The scan of search/scan.h in the order of upper bounds of the scores, ceilings: candidates are
 * scored until no other can be among the best. The result is that of the plain scan, bit for bit,
 * as long as ceilings hold.
 */
#ifndef GANNET_SEARCH_ORDERED_SCAN_H
#define GANNET_SEARCH_ORDERED_SCAN_H

#include "search/ordered.h"
#include "search/scan.h"

/* Scores of m <= GANNET_ORDERED_GROUP candidates, NAN where there is none. The score of a candidate
 * must not depend on the others of the call, nor on how many they are.
 *
 * number  in   [m] of the candidates
 * x_unit  in   [m][d]
 * scores  out  [m]
 */
typedef gannet_err (*gannet_numbered_scorer)(void *user, int m, const int64_t *number,
                                             const double *x_unit, double *scores);

/* score <= ceiling for m <= GANNET_TILE candidates, from a number on; INFINITY or NAN where nothing
 * is known. May depend on the rank as long as it holds.
 *
 * ceilings  out  [m]
 */
typedef gannet_err (*gannet_ceiling)(void *user, int m, int64_t first, double *ceilings);

/* Lower ceilings of candidates, which would take long to score one by one: by some of them, the
 * pivots, to which others are alike. May leave them as they are. All ranks call it at once, with
 * the same pivots, and it may communicate; scorer and ceiling are called by each rank as often as
 * that has to.
 *
 * pivots  in     [n_pivots] numbers of candidates, of any rank's tiles
 * left    inout  [n] values of this rank's candidates that have not been scored; n may be 0
 */
typedef gannet_err (*gannet_lowerer)(void *user, int n_pivots, const int64_t *pivots, int64_t n,
                                     gannet_ordered_entry *left);

enum { GANNET_ORDERED_GROUP = 64, GANNET_ORDERED_PIVOTS = 64, GANNET_ORDERED_ROUNDS = 4 };

typedef struct {
  int keep; /* 1 <= keep <= GANNET_SELECT_MAX */
  gannet_numbered_scorer scorer;
  gannet_ceiling ceiling;
  gannet_lowerer lower; /* for at most GANNET_ORDERED_PIVOTS pivots in each of at most
                           GANNET_ORDERED_ROUNDS rounds; NULL = none */
  double left;          /* share of all candidates that may be left when lower is in vain */
  const bool *tiles;    /* whose ceilings this rank knows; every tile is one rank's */
  int *n_leaders;       /* inout; at most GANNET_ORDERED_GROUP */
  int64_t *leaders; /* [GANNET_ORDERED_GROUP] in: numbers within these tiles, each once, that are
                       scored first; out: the best that this rank has scored, best first */
  void *user;
} gannet_ordered_spec;

/* The best candidates, as gannet_scan finds them.
 *
 * Collective over the context's communicator; arguments but for the tiles the same on all ranks.
 *
 * taken   in   as in gannet_scan
 * best    out  [keep]; undefined unless scored is positive
 * scored  out  candidates that were scored, over all ranks; 0 when too many would have
 *              to be, although ceilings were lowered; -1 when a score was above its ceiling
 *
 * Errors: those of scorer, ceiling and lower, GANNET_ERR_MEMORY; from all ranks.
 * Memory: as gannet_scan, and two numbers for every candidate of this rank.
 */
GANNET_CHECKED gannet_err gannet_ordered_scan(const gannet_context *context,
                                              const gannet_candidates *candidates,
                                              const gannet_distinct *taken,
                                              const gannet_ordered_spec *spec, gannet_ranked *best,
                                              int64_t *scored);

#endif
