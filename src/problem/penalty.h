/* Penalties: the numbers that many wrappers of simulations return where there is no result, such as
 * 1e10 for a solver that diverged.
 *
 * A penalty is no value of the objective: on its scale all results are one as good as the other,
 * and no smooth model has a cliff. A value is taken for one where several results have exactly it,
 * as results of a computation hardly do, and where it is farther from the next better value than
 * that is from the best one; so is all that is worse still. Where all values are equal there is
 * nothing to be learnt from them either, unless constraints show that simulations work. It is a
 * function of the values so far, and may end with the next one.
 */
#ifndef GANNET_PROBLEM_PENALTY_H
#define GANNET_PROBLEM_PENALTY_H

#include <stdbool.h>
#include <stdint.h>

/* Different values that are looked at, the worst ones: wrappers have a few penalties at most. */
enum { GANNET_PENALTY_VALUES = 4 };

/* Of the values so far, which are minimised. */
typedef struct {
  double best;
  int n; /* different values below */
  struct {
    double value;
    int64_t count;
  } worst[GANNET_PENALTY_VALUES]; /* worst first */
} gannet_penalty;

/* Without any value.
 *
 * Local.
 */
gannet_penalty gannet_penalty_none(void);

/* Take a value into account, which is finite.
 *
 * Local.
 */
void gannet_penalty_note(gannet_penalty *penalty, double value);

/* The least penalty: values from there on are no values of the objective. INFINITY = none.
 *
 * Local.
 *
 * count  out  values so far that are penalties
 */
double gannet_penalty_least(const gannet_penalty *penalty, int64_t *count);

#endif
