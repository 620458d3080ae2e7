/* Candidates in the order of a value of each, the largest first, of which only some are wanted. */
#ifndef GANNET_SEARCH_ORDERED_H
#define GANNET_SEARCH_ORDERED_H

#include <stdint.h>

#include "base/error.h"

typedef struct {
  double value; /* not NAN */
  int64_t number;
} gannet_ordered_entry;

/* Zeroed: empty. */
typedef struct {
  int64_t n, room;
  gannet_ordered_entry *entry; /* [room]; once arranged, a heap */
} gannet_ordered;

/* Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_ordered_add(gannet_ordered *ordered, double value, int64_t number);
void gannet_ordered_release(gannet_ordered *ordered);

/* Drop those whose value is less than that, and make a heap of the others. To be called when all
 * are there, before any is taken, and when values were changed in entry.
 *
 * Local.
 * Cost: O(n).
 */
void gannet_ordered_arrange(gannet_ordered *ordered, double least);

/* Take the first ones whose value is at least so much, at most so many; returns their number.
 * Lower numbers come first among equal values.
 *
 * Local.
 *
 * some  out  [most]
 * Cost: O(log n) for each.
 */
int gannet_ordered_take(gannet_ordered *ordered, double least, int most,
                        gannet_ordered_entry *some);

#endif
