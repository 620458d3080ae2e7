/* A back-end whose work is all done by a worker on rank 0. The other ranks sleep until it has
 * finished, and get its results by broadcast.
 */
#ifndef GANNET_EVALUATE_ROOT_EVALUATOR_H
#define GANNET_EVALUATE_ROOT_EVALUATOR_H

#include "evaluate/evaluator.h"

/* Results that are ready on rank 0 and were not collected yet. */
typedef struct {
  int n, capacity, n_constraints, n_variables;
  size_t record_size;
  char *bytes;                 /* [capacity][record_size] packed results */
  gannet_quantities *reported; /* [capacity] of these results; owned, also what is in them */
  double *constraints;         /* [n_constraints] of the record being made */
} gannet_result_queue;

/* Zero-initialise; free with gannet_result_queue_release, also after failure.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_result_queue_create(const gannet_problem *problem,
                                                     gannet_result_queue *ready);
void gannet_result_queue_release(gannet_result_queue *ready);

/* A cleared result whose constraints lie in the scratch of ready. It must be added, or what it
 * reports released.
 *
 * Local.
 */
void gannet_result_queue_begin(gannet_result_queue *ready, gannet_result_record *result);

/* Append a result; what it reports moves into the queue, or is freed after an error.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_result_queue_add(gannet_result_queue *ready,
                                                  gannet_result_record *result);

/* What rank 0 does; worker is NULL on the other ranks, where none of this is called. All local. */
typedef struct {
  void (*destroy)(void *worker);
  gannet_err (*submit)(void *worker, int n, const gannet_request *requests);
  gannet_err (*wait)(void *worker, double wait); /* until something is ready, at most so long */
  gannet_err (*cancel)(void *worker);
  gannet_err (*withdraw)(void *worker, int64_t id); /* its result may be ready already */
  gannet_err (*recover)(void *worker, const gannet_request *request, bool *taken);
  gannet_result_queue *(*ready)(void *worker);
  bool (*all_submitted)(const void *worker); /* NULL with detach */
  gannet_err (*detach)(void *worker, const gannet_follow_up *next);
} gannet_root_evaluator_type;

/* The state of a back-end.
 *
 * Collective over the context's communicator.
 *
 * local   in  outcome of making the worker on this rank; may differ between ranks
 * worker  in  given, also when creation fails; NULL on all ranks but 0
 */
GANNET_CHECKED gannet_err gannet_root_evaluator_create(const gannet_root_evaluator_type *type,
                                                       const gannet_evaluator_setup *setup,
                                                       gannet_err local, void *worker,
                                                       void **state);

/* The operations of gannet_evaluator_type.
 *
 * Collective over the context's communicator.
 */
void gannet_root_evaluator_destroy(void *state);
gannet_err gannet_root_evaluator_submit(void *state, int n, const gannet_request *requests);
gannet_err gannet_root_evaluator_poll(void *state, double wait, int capacity, int *n,
                                      gannet_result_record *results);
gannet_err gannet_root_evaluator_cancel(void *state);
gannet_err gannet_root_evaluator_withdraw(void *state, int64_t id);
gannet_err gannet_root_evaluator_recover(void *state, const gannet_request *request, bool *taken);
gannet_err gannet_root_evaluator_all_submitted(void *state, bool *submitted);
gannet_err gannet_root_evaluator_detach(void *state, const gannet_follow_up *next);

#endif
