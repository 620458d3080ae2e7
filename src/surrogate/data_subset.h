/* The observations that a model is fitted to when there are more than it can take.
 *
 * Half of them are those with the best values, because a model must be right where the minimum is;
 * the others are random. Where variances are learnt all are random.
 */
#ifndef GANNET_SURROGATE_DATA_SUBSET_H
#define GANNET_SURROGATE_DATA_SUBSET_H

#include "surrogate/surrogate.h"

typedef struct {
  int n;            /* observations */
  int count;        /* observations in the subset */
  int best;         /* observations in the subset for their values */
  int *rank;        /* [n] observations by value, best first; NULL when values do not matter */
  int *permutation; /* [n - best] random order of the other observations */
  int *index;       /* [count] the subset; NULL when it is all observations */
} gannet_data_subset;

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
GANNET_CHECKED gannet_err gannet_data_subset_create(int n, const double *y, int most,
                                                    gannet_data_subset *subset);
void gannet_data_subset_release(gannet_data_subset *subset);

/* Fill index by the random numbers of a stream: a function of these and of the values
 * alone.
 *
 * Local.
 */
void gannet_data_subset_draw(gannet_data_subset *subset, gannet_stream stream);

/* The chosen rows, [count][width] of from [n][width].
 *
 * Local.
 */
void gannet_data_subset_gather(const gannet_data_subset *subset, int width, const double *from,
                               double *to);

/* Observations that a fit takes: borrowed, or copies of a subset. */
typedef struct {
  int n, width;
  const double *x;     /* [n][width] */
  const double *y;     /* [n] */
  double *copies;      /* of all; NULL = borrowed */
  const double *noise; /* [n] row_noise of gannet_data, or NULL */
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
