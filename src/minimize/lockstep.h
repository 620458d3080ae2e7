/* Run several searches of this rank in step, so that what they ask can be answered at once.
 *
 * Terms
 *   search  an ordinary function, for example of a minimiser; it runs on a stack of its own
 *   ask     a search notes what it wants to know, and waits (gannet_lockstep_ask)
 *   answer  a function that answers what all waiting searches ask; then all of them go on
 *   slot    number of a search
 */
#ifndef GANNET_MINIMIZE_LOCKSTEP_H
#define GANNET_MINIMIZE_LOCKSTEP_H

#include "base/error.h"

typedef struct gannet_lockstep gannet_lockstep;

/* The search of a slot, from its beginning to its end. Minimisers in it must be shielded
 * (gannet_minimizer_create). */
typedef gannet_err (*gannet_lockstep_search)(void *user, gannet_lockstep *lockstep, int slot);

/* Answers what the searches of n slots ask. They have noted it in what user points to. */
typedef gannet_err (*gannet_lockstep_answer)(void *user, int n, const int *slots);

enum { GANNET_LOCKSTEP_MOST = 8 /* searches */ };

/* Stacks are made when they are needed, and kept from one run to the next.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_lockstep_create(gannet_lockstep **lockstep);
void gannet_lockstep_destroy(gannet_lockstep **lockstep);

/* Run the searches of slots 0 .. n-1 until all have ended; n <= GANNET_LOCKSTEP_MOST. PETSc must be
 * initialised, and is silent meanwhile.
 *
 * Local.
 *
 * Errors: the first one of a search or of the answer. Searches that ask after it get it, too, so
 * that all come to an end. GANNET_ERR_ARG; GANNET_ERR_MEMORY; those of gannet_petsc_push.
 */
GANNET_CHECKED gannet_err gannet_lockstep_run(gannet_lockstep *lockstep, int n,
                                              gannet_lockstep_search search,
                                              gannet_lockstep_answer answer, void *user);

/* From within a search: wait for the answer.
 *
 * Local.
 *
 * Errors: those of the answer, and of other searches.
 */
GANNET_CHECKED gannet_err gannet_lockstep_ask(gannet_lockstep *lockstep, int slot);

#endif
