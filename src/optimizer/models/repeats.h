/* Whether designs that were run again show that the simulation has no noise. */
#ifndef GANNET_OPTIMIZER_REPEATS_H
#define GANNET_OPTIMIZER_REPEATS_H

#include "problem/history.h"

/* How many of the last 16 evaluations repeat an earlier design of a problem without real variables
 * and gave exactly its result, objectives and constraints; 0 when one gave another one, and where
 * the problem says that an objective has noise, or that none has.
 *
 * Local.
 *
 * Cost: O(n d).
 */
int gannet_repeats_agree(const gannet_history *history);

/* Number of them from which on they are told of. */
enum { GANNET_REPEATS_TELLING = 4 };

#endif
