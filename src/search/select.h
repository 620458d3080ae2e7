/* The k best of very many scored candidates, exactly, over all ranks.
 *
 * Larger scores come first, lower numbers first among equal scores; NAN is never kept. The result
 * depends neither on the order of offers nor on which rank made them, as long as every number is
 * offered once.
 */
#ifndef GANNET_SEARCH_SELECT_H
#define GANNET_SEARCH_SELECT_H

#include "base/context.h"

enum { GANNET_SELECT_MAX = 256 };

typedef struct {
  double score;
  int64_t index; /* number of the candidate; -1 = empty entry, with score -INFINITY */
} gannet_ranked;

typedef struct gannet_select gannet_select;

/* Empty lists.
 *
 * Local.
 *
 * n_lists  in  >= 1
 * keep     in  1 <= keep <= GANNET_SELECT_MAX, length of every list
 *
 * Errors: GANNET_ERR_ARG, GANNET_ERR_MEMORY; GANNET_ERR_MPI when MPI has no room for the type of a
 * list.
 */
GANNET_CHECKED gannet_err gannet_select_create(int n_lists, int keep, gannet_select **select);
void gannet_select_destroy(gannet_select **select);

/* Make all lists empty again.
 *
 * Local.
 */
void gannet_select_clear(gannet_select *select);

/* Offer m candidates first, first+1, ... to every list.
 *
 * Local.
 *
 * scores  in  [n_lists][ld], ld >= m
 */
void gannet_select_offer(gannet_select *select, int m, int64_t first, const double *scores, int ld);

/* Offer m candidates of any numbers to every list.
 *
 * Local.
 *
 * index   in  [m]
 * scores  in  [n_lists][ld], ld >= m
 */
void gannet_select_offer_some(gannet_select *select, int m, const int64_t *index,
                              const double *scores, int ld);

/* Score of the last entry of a list; -INFINITY while it is empty.
 *
 * Local.
 */
double gannet_select_least(const gannet_select *select, int list);

/* A list, [keep], best first; borrowed.
 *
 * Local.
 */
const gannet_ranked *gannet_select_list(const gannet_select *select, int list);

/* Merge the lists of all ranks.
 *
 * Collective over the context's communicator.
 *
 * best  out  [n_lists][keep]; the same on all ranks
 * Cost: one MPI_Allreduce of n_lists * keep pairs.
 */
GANNET_CHECKED gannet_err gannet_select_reduce(const gannet_context *context,
                                               const gannet_select *select, gannet_ranked *best);

#endif
