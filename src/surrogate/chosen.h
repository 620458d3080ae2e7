/* Which observations a model is fitted to when there are more than it can take: the best half of
 * those allowed and a random choice of the rest, because a model must be right where the minimum
 * is; or a random choice of all, as variances are learnt.
 */
#ifndef GANNET_SURROGATE_CHOSEN_H
#define GANNET_SURROGATE_CHOSEN_H

#include "surrogate/surrogate.h"

typedef struct {
  int n;            /* observations there are */
  int count;        /* chosen of them: all, or as many as are allowed */
  int best;         /* of these, chosen for their values */
  int *rank;        /* [n] by value and then number, best first; NULL when values do not matter */
  int *permutation; /* [n - best] of the others */
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
 * y  in  [n]; NULL = all are chosen at random
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

/* Observations that a fit takes: borrowed, or copies of those chosen. */
typedef struct {
  int n, width;
  const double *x; /* [n][width] */
  const double *y; /* [n] */
  double *copies;  /* of both; NULL = borrowed */
} gannet_rows;

/* Keep a choice of rows where there are more than most; release accepts rows that are borrowed.
 *
 * Local.
 *
 * rows  inout  borrowed
 * best  in     half of them are the best
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_rows_choose(gannet_rows *rows, int most, bool best,
                                             gannet_stream stream);
void gannet_rows_release(gannet_rows *rows);

#endif
