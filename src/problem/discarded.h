/* Evaluations that the user of an optimiser has discarded. The history has them no more, so the
 * numbers of later ones in it, their rows, differ from those that the user knows, their ids.
 */
#ifndef GANNET_PROBLEM_DISCARDED_H
#define GANNET_PROBLEM_DISCARDED_H

#include <stdint.h>

#include "base/error.h"

/* Zeroed = none. */
typedef struct {
  int64_t n;
  int64_t *id; /* [n] ascending; owned */
} gannet_discarded;

/* Add an evaluation that is not among them.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_discarded_add(gannet_discarded *discarded, int64_t id);

/* The row of an evaluation, -1 when it is discarded.
 *
 * Local.
 */
int64_t gannet_discarded_row(const gannet_discarded *discarded, int64_t id);

/* The id of a row of the history, or of one that is to come.
 *
 * Local.
 */
int64_t gannet_discarded_id(const gannet_discarded *discarded, int64_t row);

#endif
