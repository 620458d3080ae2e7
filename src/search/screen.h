/* Find the best candidates by lists of scores without scoring all of them.
 *
 * Bounds of a score take much less time than the score. The screen bounds every candidate from
 * below and from above. With T the keep-th largest lower bound of a list over all ranks, it scores
 * every candidate whose upper bound is at least T: the others cannot be among the keep best. As
 * long as the bounds hold, the result equals that of scoring every candidate (search/scan.h), bit
 * for bit. Where many candidates pass, or a score is outside its bounds, tighter bounds are tried
 * if there are any; then all candidates are scored.
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
typedef gannet_err (*gannet_screen_bounder)(void *user, int m, const double *x_unit, int64_t first,
                                            double *lower, double *upper, int ld);

/* Make tighter bounds after a screen whose bounds were of no use. Collective.
 *
 * again  out  whether this rank has tighter bounds; they are used if all ranks have
 */
typedef gannet_err (*gannet_screen_tightener)(void *user, bool *again);

typedef struct {
  int n_lists;
  int keep;  /* 1 <= keep <= GANNET_SELECT_MAX */
  int group; /* the scorer works by groups of so many candidates of a tile, a divisor of
                GANNET_TILE, and scores may depend on how many candidates a group has; 0 = no groups
              */
  /* Called for any candidates, with first = -1. Apart from what group allows, the score of a
   * candidate must not depend on the others of the call. */
  gannet_scorer scorer;
  gannet_screen_bounder bounder;
  gannet_screen_tightener tighten; /* NULL = none */
  void *user;
} gannet_screen_spec;

typedef struct {
  int64_t scored; /* candidates that were scored, over all ranks */
  bool complete;  /* all candidates were scored, because bounds were of no use */
  bool ordered;   /* the candidates were scored best first instead (search/best_first.h) */
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
 * Memory: as gannet_scan, and 1024 entries per list.
 */
GANNET_CHECKED gannet_err gannet_screen(const gannet_context *context,
                                        const gannet_candidates *candidates,
                                        const gannet_distinct *taken,
                                        const gannet_screen_spec *spec, gannet_ranked *best,
                                        gannet_screen_report *report);

#endif
