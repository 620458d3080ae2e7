/* Find the best candidates by scoring all of them, a tile of GANNET_TILE candidates at a time.
 * Every rank takes tiles when it is free (base/queue.h), or always the same ones, where the scorer
 * remembers what it has computed. search/best_first.h finds the same candidates with fewer scores,
 * where bounds of the scores are known.
 */
#ifndef GANNET_SEARCH_SCAN_H
#define GANNET_SEARCH_SCAN_H

#include <stdbool.h>

#include "base/context.h"
#include "search/candidates.h"
#include "search/distinct.h"
#include "search/select.h"

/* Scores of m candidates for every list; larger is better, NAN = never. The scores of a tile must
 * not depend on the rank nor on the tiles before.
 *
 * x_unit  in   [m][d], m <= GANNET_TILE
 * first   in   number of the first candidate
 * scores  out  [n_lists][ld]
 */
typedef gannet_err (*gannet_scorer)(void *user, int m, const double *x_unit, int64_t first,
                                    double *scores, int ld);

/* The best candidates by every list of scores.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * taken  in   points that may not win, because they were proposed before; NULL = none
 * fixed  in   whether each tile goes to the same rank in every scan
 * keep   in   1 <= keep <= GANNET_SELECT_MAX
 * best   out  [n_lists][keep], best first; the same on all ranks, bit for bit on any number of
 *             ranks; if there are fewer candidates, the last entries are empty (see gannet_ranked)
 *
 * Errors: those of the scorer, from all ranks.
 * Memory: (d + n_lists) * GANNET_TILE numbers.
 */
GANNET_CHECKED gannet_err gannet_scan(const gannet_context *context,
                                      const gannet_candidates *candidates,
                                      const gannet_distinct *taken, bool fixed, int n_lists,
                                      int keep, gannet_scorer scorer, void *user,
                                      gannet_ranked *best);

/* Give points that may not win the score NAN, which no list keeps.
 *
 * Local.
 *
 * taken   in     NULL = none
 * x_unit  in     [m][d]
 * scores  inout  [n_lists][ld]
 */
void gannet_scan_bar(const gannet_distinct *taken, size_t d, int m, const double *x_unit,
                     int n_lists, double *scores, int ld);

#endif
