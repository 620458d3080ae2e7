/* Penalties: the numbers that many wrappers of simulations return where there is no result, such as
 * 1e10 for a solver that diverged.
 *
 * A penalty is no value of the objective: on its scale all results are equally good, and no smooth
 * model has a cliff. Penalties are told from values in two ways, each a function of the values so
 * far, whose answer may change with the next value. All values are minimised.
 *
 *   equal   Several results have exactly the same value, as results of a computation hardly do, and
 *           it is farther from the next better value than that is from the best one. Everything
 *           that is worse is a penalty, too. Where all values are equal they are all penalties.
 *           Of one among several objectives more is asked for, as it may be constant, or the price
 *           of one of few materials: there are different values below, over a range that is a
 *           hundredth of the gap at most, and the next better value is not repeated as well.
 *
 *   apart   Penalties differ from each other, as 1e6 (1 + violation) do, but lie above a gap.
 *           Several values lie on either side of it. It is a hundred times as wide as the range of
 *           the values below it and a tenth as wide as that of the values above it. Designs from
 *           either side lie among each other: a search that converges makes gaps, too, but its last
 *           designs lie together, far from the others. With several objectives the gaps of all of
 *           them must part the same results: a front may reach across a gap of one of them, as
 *           where that one is by how much limits are violated.
 */
#ifndef GANNET_PROBLEM_PENALTY_H
#define GANNET_PROBLEM_PENALTY_H

#include <stdbool.h>
#include <stdint.h>

enum {
  GANNET_PENALTY_VALUES =
      4,                   /* different worst values that are kept: wrappers have a few penalties */
  GANNET_GAP_RESULTS = 256 /* first results in which a gap is looked for */
};

/* Equal penalties. */
typedef struct {
  double best;            /* least value so far */
  int n;                  /* length of worst */
  bool is_one_of_several; /* objectives: then more is asked for */
  struct {
    double value;
    int64_t count;
  } worst[GANNET_PENALTY_VALUES]; /* the worst different values, worst first */
} gannet_penalty;

/* Penalties that are apart. */
typedef struct {
  double middle;      /* of the widest gap; NAN = there is none yet */
  double best, below; /* range of the values up to the middle */
  double least, most; /* range of the values above the middle */
  int64_t count;      /* number of values above the middle */
  bool is_mixed;      /* designs from either side lie among each other */
} gannet_gap;

/* A value and the design that has it. */
typedef struct {
  double value;
  const double *x; /* [d] of the unit cube */
} gannet_gap_result;

/* Without any value.
 *
 * Local.
 */
gannet_penalty gannet_penalty_none(void);
gannet_gap gannet_gap_none(void);

/* Take a finite value into account.
 *
 * Local.
 */
void gannet_penalty_note(gannet_penalty *penalty, double value);

/* Look for a gap in all results so far.
 *
 * Local.
 *
 * results  inout  [n] sorted by value afterwards
 *
 * Cost: O(n log n + n^2 d).
 */
void gannet_gap_find(gannet_gap *gap, int n, gannet_gap_result *results, int d);

/* Take a finite value into account without looking for another gap.
 *
 * Local.
 */
void gannet_gap_note(gannet_gap *gap, double value);

/* The least penalty: values from there on are no values of the objective. INFINITY = none.
 *
 * Local.
 *
 * count  out  values so far that are penalties
 */
double gannet_penalty_least(const gannet_penalty *penalty, int64_t *count);
double gannet_gap_least(const gannet_gap *gap, int64_t *count);

#endif
