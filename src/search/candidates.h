/* The numbered discretisation of the search space: every candidate is a pure function of its
 * number, so ranks share the work by sharing numbers.
 *
 * Candidates 0 .. n_global-1 are scrambled Sobol points of a box; the n_local that follow perturb a
 * few variables of given centres (the best points known), with steps of all sizes.
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
  const double *anchor;  /* [d] admissible; global candidates differ from it in few variables only;
                            NULL = in all */
  double moving;         /* chance of a real or integer variable to differ from the anchor, or to be
                            perturbed; 0 = 20 variables on average, at most all */
  double switching;      /* of a boolean or a category; 0 = as in search/local.h, and moving for
                            those that may differ from the anchor */
  bool all_points; /* a discrete problem of no more points than candidates, or a list of candidates
                      of any length: each point once instead */
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

/* n_global + n_local, and the dimension d.
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
