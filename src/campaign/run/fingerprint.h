/* The fingerprint of a problem, by which a journal is told from that of another problem. */
#ifndef GANNET_CAMPAIGN_RUN_FINGERPRINT_H
#define GANNET_CAMPAIGN_RUN_FINGERPRINT_H

#include "problem/problem.h"

/* A hash of what identifies a problem: names, types and bounds of its variables, constraints of
 * both kinds, objectives and goals. Blanks in expressions do not matter.
 *
 * Local.
 */
uint64_t gannet_problem_fingerprint(const gannet_problem *problem);

/* Whether a fingerprint belongs to a problem. The older form, which leaves out the constraints
 * between variables, counts, too.
 *
 * Local.
 */
bool gannet_problem_has_fingerprint(const gannet_problem *problem, uint64_t fingerprint);

#endif
