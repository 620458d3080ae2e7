/* Penalties that differ from each other, such as 1e6 (1 + violation), told by the gap below them.
 *
 * Values are taken for penalties where several lie on either side of a gap that is a hundred times
 * as wide as the range of those below it, and a tenth as wide as that of those above it; and where
 * designs from either side lie among each other. A search that converges makes gaps, too, between
 * its last values and all others, but its last designs lie together, far from the others. It is a
 * function of the history, and ends with a value that lies between.
 */
#ifndef GANNET_PROBLEM_GAP_H
#define GANNET_PROBLEM_GAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gannet_history gannet_history;

/* Results in which a gap is looked for, the first ones; later ones are counted on either side. */
enum { GANNET_GAP_RESULTS = 256 };

/* Of the values so far, which are minimised. */
typedef struct {
  double middle;      /* of the widest gap; NAN = none yet */
  double best, below; /* the range of values up to the middle */
  double least, most; /* likewise, above it */
  int64_t count;      /* of the latter */
  bool is_mixed;      /* designs from either side lie among each other */
} gannet_gap;

/* Without any value.
 *
 * Local.
 */
gannet_gap gannet_gap_none(void);

/* Take the last result of a history into account, whose objective is finite.
 *
 * Local.
 *
 * id  row of the result
 *
 * Cost: O(m log m + m^2 d) for m <= GANNET_GAP_RESULTS results, O(1) for more.
 */
void gannet_gap_note(gannet_gap *gap, const gannet_history *history, int64_t id);

/* The least penalty: values from there on are no values of the objective. INFINITY = none.
 *
 * Local.
 *
 * count  out  values so far that are penalties
 */
double gannet_gap_least(const gannet_gap *gap, int64_t *count);

#endif
