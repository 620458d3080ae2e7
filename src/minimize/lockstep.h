/* Several searches of this rank that go on in step: each asks for values where it wants to go on,
 * and what all of them ask for is answered at once. A search is an ordinary function, as of a
 * minimiser that asks from within its line search, and runs on a stack of its own.
 */
#ifndef GANNET_MINIMIZE_LOCKSTEP_H
#define GANNET_MINIMIZE_LOCKSTEP_H

#include "base/error.h"

typedef struct gannet_lockstep gannet_lockstep;

/* The search of one place, from its beginning to its end. Minimisers in it must be shielded
 * (gannet_minimizer_create). */
typedef gannet_err (*gannet_lockstep_search)(void *user, gannet_lockstep *lockstep, int place);

/* Answers what the searches of n places ask for, which these have noted in what user is. */
typedef gannet_err (*gannet_lockstep_answer)(void *user, int n, const int *places);

enum { GANNET_LOCKSTEP_MOST = 8 /* searches */ };

/* For one run after the other. Stacks are made when they are needed, and kept.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_lockstep_create(gannet_lockstep **lockstep);
void gannet_lockstep_destroy(gannet_lockstep **lockstep);

/* Run the searches of places 0 .. n-1 until all have ended; n <= GANNET_LOCKSTEP_MOST. PETSc must
 * be initialised, and is silent meanwhile.
 *
 * Local.
 *
 * Errors: the first one of a search or of the answer: whoever asks after it gets it, too, so that
 * all come to an end. GANNET_ERR_ARG; GANNET_ERR_MEMORY; those of gannet_petsc_push.
 */
GANNET_CHECKED gannet_err gannet_lockstep_run(gannet_lockstep *lockstep, int n,
                                              gannet_lockstep_search search,
                                              gannet_lockstep_answer answer, void *user);

/* From within a search: wait for what it asks for.
 *
 * Local.
 *
 * Errors: those of the answer, and of other searches.
 */
GANNET_CHECKED gannet_err gannet_lockstep_ask(gannet_lockstep *lockstep, int place);

#endif
