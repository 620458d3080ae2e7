/* The points of the search space that are scored. They are numbered, and every candidate is a pure
 * function of its number, so that ranks share the work by sharing numbers.
 *
 * Terms
 *   global candidate  0 .. n_global-1: a scrambled Sobol point of a box
 *   local candidate   the n_local that follow: a centre of which a few variables are moved
 *   centre            one of the best points known
 *   anchor            a point from which global candidates differ in few variables only
 *
 * Steps from a centre have all sizes (search/perturb.h).
 * In a problem whose designs are listed (a pool), global candidates are rows of the list.
 * All candidates satisfy the variable constraints (problem/variable_constraints.h); with a region,
 * or beside a centre, those that would not are moved.
 */
#ifndef GANNET_SEARCH_CANDIDATES_H
#define GANNET_SEARCH_CANDIDATES_H

#include "base/random.h"
#include "problem/problem.h"

typedef struct {
  int64_t n_global;    /* 0 <= n_global <= 2^32 */
  int64_t n_local;     /* needs centres */
  const double *lower; /* [d] box in the unit cube; NULL = 0 */
  const double *upper; /* [d] NULL = 1; discrete variables may leave the box by rounding */
  int n_centres;
  const double *centres; /* [n_centres][d] admissible */
  const double *anchor;  /* [d] admissible; NULL = global candidates vary in all variables */
  double moving;         /* chance of a real or integer variable to differ from the anchor, or from
                            the centre; 0 = 20 variables on average, at most all */
  double least_moving; /* > 0: the chance is drawn for every local candidate, log-uniformly between
                          this and moving */
  double crossing;     /* share of the local candidates that begin on the way from their centre to
                          another one: real variables at the same part of it, each other variable with
                          the value of either */
  double switching; /* chance of a boolean or a category; 0 = drawn for every local candidate as in
                       search/perturb.h, and moving for global candidates with an anchor */
  bool all_points;  /* each point of the problem once instead, where it is a list, or discrete with
                       no  more points than candidates */
} gannet_candidates_spec;

typedef struct gannet_candidates gannet_candidates;

/* Local.
 *
 * problem     in  borrowed until destroy
 * spec        in  copied, with its arrays
 * seed        in  of the context
 * iteration   in  another one gives other candidates
 *
 * Errors: GANNET_ERR_ARG for negative counts, local candidates without centres, an empty box.
 */
GANNET_CHECKED gannet_err gannet_candidates_create(const gannet_problem *problem,
                                                   const gannet_candidates_spec *spec,
                                                   uint64_t seed, uint64_t iteration,
                                                   gannet_candidates **candidates);
void gannet_candidates_destroy(gannet_candidates **candidates);

/* Number of candidates, and the dimension d.
 *
 * Local.
 */
int64_t gannet_candidates_count(const gannet_candidates *candidates);
int gannet_candidates_dimension(const gannet_candidates *candidates);

/* Candidates first .. first+count-1, admissible (snapped).
 *
 * Local.
 *
 * x_unit  out  [count][d]
 */
void gannet_candidates_tile(const gannet_candidates *candidates, int64_t first, int count,
                            double *x_unit);

#endif
