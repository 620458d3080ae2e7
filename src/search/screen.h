/* The scan of search/scan.h with cheap bounds first: only candidates that may be among the best by
 * their bounds are scored.
 *
 * With T the keep-th largest lower bound of a list over all ranks, every candidate whose upper
 * bound is at least T is scored; the others cannot be among the keep best. The result is that of
 * the plain scan, bit for bit, as long as the bounds hold.
 */
#ifndef GANNET_SEARCH_SCREEN_H
#define GANNET_SEARCH_SCREEN_H

#include "search/scan.h"

/* lower <= score <= upper for m <= GANNET_TILE candidates and every list; infinite where nothing is
 * known. May depend on the rank as long as it holds.
 *
 * x_unit        in   [m][d]
 * first         in   number of the first candidate
 * lower, upper  out  [n_lists][ld]
 */
typedef gannet_err (*gannet_bounder)(void *user, int m, const double *x_unit, int64_t first,
                                     double *lower, double *upper, int ld);

/* Makes sharper bounds when those there are were of no use: too many candidates pass, or a score
 * was outside of its bounds. Collective; again tells whether this rank has any, which are used when
 * all have. */
typedef gannet_err (*gannet_sharpener)(void *user, bool *again);

typedef struct {
  int n_lists;
  int keep;  /* 1 <= keep <= GANNET_SELECT_MAX */
  int group; /* 0, or the scorer works by whole groups of so many candidates of a tile, a divisor of
                GANNET_TILE: then the score of a candidate may depend on how many its group has */
  /* Called for any candidates, with first = -1; the score of a candidate must not depend on the
   * others of the call, but for what group allows. */
  gannet_scorer scorer;
  gannet_bounder bounder;
  gannet_sharpener sharpen; /* NULL = none */
  void *user;
} gannet_screen_spec;

typedef struct {
  int64_t scored; /* candidates that passed the last bounds, over all ranks */
  bool complete;  /* too many passed, or a score was outside its bounds: all were scored */
  bool ordered;   /* instead they were scored in the order of ceilings (search/ordered_scan.h) */
} gannet_screen_report;

/* The best candidates by every list of scores, as gannet_scan.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * taken   in   as in gannet_scan
 * best    out  [n_lists][keep]
 * report  out  the same on all ranks; NULL when not wanted
 *
 * Errors: those of scorer and bounder, from all ranks.
 * Memory: as gannet_scan, and GANNET_SCREEN_PLACES entries per list.
 */
GANNET_CHECKED gannet_err gannet_screen(const gannet_context *context,
                                        const gannet_candidates *candidates,
                                        const gannet_distinct *taken,
                                        const gannet_screen_spec *spec, gannet_ranked *best,
                                        gannet_screen_report *report);

/* Candidates of a list that may wait on a rank to be scored; more than half of them are too many.
 */
enum { GANNET_SCREEN_PLACES = 1024 };

#endif
