/* The candidates at which the margins of estimates are measured. */
#ifndef GANNET_OPTIMIZER_SAMPLE_H
#define GANNET_OPTIMIZER_SAMPLE_H

#include "search/candidates.h"

enum { GANNET_SAMPLE = 64 };

/* Spread evenly over the numbers of the candidates.
 *
 * Local.
 *
 * x  out  [GANNET_SAMPLE][d]
 */
void gannet_sample_take(const gannet_candidates *candidates, double *x);

/* The last point first: exact values in that order show whether they depend on a point's place
 * among others, which some BLAS do not grant.
 *
 * Local.
 *
 * x  inout  [GANNET_SAMPLE][d]
 */
void gannet_sample_turn(int d, double *x);

#endif
