/* Which observations a model is trained on when there are more than it can take: the best half of
 * those allowed and a random choice of the rest, because a model must be right where the minimum
 * is.
 */
#ifndef GANNET_SURROGATE_CHOSEN_H
#define GANNET_SURROGATE_CHOSEN_H

#include "surrogate/surrogate.h"

typedef struct {
  int n;            /* observations there are */
  int count;        /* chosen of them: all, or as many as are allowed */
  int *rank;        /* [n] by value and then number, best first; NULL when all are chosen */
  int *permutation; /* [n - count / 2] of the others */
  int *index;       /* [count] the choice; NULL when all are chosen */
} gannet_chosen;

/* Numbers of values by value and then number, the least first.
 *
 * Local.
 *
 * rank  out  [n]
 */
GANNET_CHECKED gannet_err gannet_rank_values(int n, const double *y, int *rank);

/* Make ready to choose at most `most` of n observations, in one or several ways; release accepts a
 * zeroed struct.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_chosen_create(int n, const double *y, int most,
                                               gannet_chosen *chosen);
void gannet_chosen_release(gannet_chosen *chosen);

/* Fill chosen->index by the random numbers of a stream: a function of these and of the values
 * alone.
 *
 * Local.
 */
void gannet_chosen_draw(gannet_chosen *chosen, gannet_stream stream);

/* The number of choice i.
 *
 * Local.
 */
int gannet_chosen_at(const gannet_chosen *chosen, int i);

/* The chosen rows, [count][width] of from [n][width].
 *
 * Local.
 */
void gannet_chosen_gather(const gannet_chosen *chosen, int width, const double *from, double *to);

#endif
