/* Score every candidate, a tile at a time; ranks take tiles as they are free (base/queue.h). */
#ifndef GANNET_SEARCH_SCAN_H
#define GANNET_SEARCH_SCAN_H

#include "base/queue.h"
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
 * keep   in   1 <= keep <= GANNET_SELECT_MAX
 * best   out  [n_lists][keep], best first; the same on all ranks, bit for bit on any number of
 *             ranks; places are not taken when there are fewer candidates (see gannet_ranked)
 *
 * Errors: those of the scorer, from all ranks.
 * Memory: (d + n_lists) * GANNET_TILE numbers.
 */
GANNET_CHECKED gannet_err gannet_scan(const gannet_context *context,
                                      const gannet_candidates *candidates,
                                      const gannet_distinct *taken, int n_lists, int keep,
                                      gannet_scorer scorer, void *user, gannet_ranked *best);

/* Points that may not win get NAN, which no list keeps.
 *
 * Local.
 *
 * taken   in     NULL = none
 * x_unit  in     [m][d]
 * scores  inout  [n_lists][ld]
 */
void gannet_scan_bar(const gannet_distinct *taken, size_t d, int m, const double *x_unit,
                     int n_lists, double *scores, int ld);

/* The tiles of all candidates, for all ranks.
 *
 * Local; see base/queue.h.
 */
gannet_queue gannet_scan_queue(const gannet_context *context, const gannet_candidates *candidates);

/* The points of ranked candidates, as polish and batch want them. Places that are not taken repeat
 * the best point of their list (candidate 0 when the list is empty).
 *
 * Local.
 *
 * best       in   [n_lists][keep] from gannet_scan
 * take       in   how many of each list, 1 <= take <= keep
 * x_unit     out  [n_lists][take][d]
 * n_in_list  out  [n_lists] how many places were taken, at most take; NULL when not wanted
 */
void gannet_ranked_points(const gannet_candidates *candidates, int n_lists, int keep,
                          const gannet_ranked *best, int take, double *x_unit, int *n_in_list);

#endif
