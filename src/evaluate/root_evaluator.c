#include "evaluate/root_evaluator.h"

#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "evaluate/result_record.h"
#include "evaluate/sleeping_wait.h"

typedef struct {
  const gannet_root_evaluator_type *type;
  const gannet_context *context;
  void *worker; /* on rank 0 */
  int n_constraints;
  size_t record_size;
  int capacity;
  char *records; /* [capacity][record_size] */
} root_evaluator;

gannet_err gannet_result_queue_create(int n_constraints, gannet_result_queue *ready) {
  ready->n_constraints = n_constraints;
  ready->record_size = gannet_result_size(n_constraints);
  return gannet_alloc((size_t)n_constraints, sizeof *ready->constraints, &ready->constraints);
}

void gannet_result_queue_release(gannet_result_queue *ready) {
  gannet_free(&ready->bytes);
  gannet_free(&ready->constraints);
}

void gannet_result_queue_begin(gannet_result_queue *ready, gannet_result_record *result) {
  result->constraints = ready->constraints;
  gannet_result_clear(ready->n_constraints, result);
}

gannet_err gannet_result_queue_add(gannet_result_queue *ready, const gannet_result_record *result) {
  if (ready->n == ready->capacity) {
    const int larger = 2 * ready->capacity + 8;
    GANNET_TRY(
        gannet_resize((size_t)ready->capacity, (size_t)larger, ready->record_size, &ready->bytes));
    ready->capacity = larger;
  }
  gannet_result_pack(ready->n_constraints, result,
                     ready->bytes + (size_t)ready->n * ready->record_size);
  ready->n += 1;
  return GANNET_OK;
}

void gannet_root_evaluator_destroy(void *state) {
  root_evaluator *made = state;
  if (made->worker) made->type->destroy(made->worker);
  gannet_free(&made->records);
  gannet_free(&made);
}

gannet_err gannet_root_evaluator_create(const gannet_root_evaluator_type *type,
                                        const gannet_evaluator_setup *setup, gannet_err local,
                                        void *worker, void **state) {
  root_evaluator *made = NULL;
  *state = NULL;
  if (local == GANNET_OK) local = gannet_alloc(1, sizeof *made, &made);
  const gannet_err err = gannet_agree(setup->context->comm, local);
  if (err != GANNET_OK) {
    if (worker) type->destroy(worker);
    gannet_free(&made);
    GANNET_TRY(err);
  }
  *made = (root_evaluator){.type = type,
                           .context = setup->context,
                           .worker = worker,
                           .n_constraints = setup->problem->spec.n_constraints,
                           .record_size = gannet_result_size(setup->problem->spec.n_constraints)};
  *state = made;
  return GANNET_OK;
}

gannet_err gannet_root_evaluator_submit(void *state, int n, const gannet_request *requests) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  if (run->worker) local = run->type->submit(run->worker, n, requests);
  return gannet_sleeping_agree(run->context->comm, local);
}

gannet_err gannet_root_evaluator_poll(void *state, double wait, int capacity, int *n,
                                      gannet_result_record *results) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  int count = 0;
  if (run->worker) {
    local = run->type->wait(run->worker, wait);
    const int ready = run->type->ready(run->worker)->n;
    count = ready < capacity ? ready : capacity;
  }
  GANNET_TRY(gannet_sleeping_bcast(run->context->comm, &count, (int)sizeof count));
  if (local == GANNET_OK && count > run->capacity) {
    local = gannet_resize((size_t)run->capacity, (size_t)count, run->record_size, &run->records);
    if (local == GANNET_OK) run->capacity = count;
  }
  if (local == GANNET_OK && count > 0 && run->worker) {
    gannet_result_queue *ready = run->type->ready(run->worker);
    const size_t taken = (size_t)count * run->record_size;
    memcpy(run->records, ready->bytes, taken);
    ready->n -= count;
    if (ready->n > 0)
      memmove(ready->bytes, ready->bytes + taken, (size_t)ready->n * run->record_size);
  }
  GANNET_TRY(gannet_agree(run->context->comm, local));
  if (count == 0) return GANNET_OK;
  const size_t bytes = (size_t)count * run->record_size;
  GANNET_TRY(gannet_bytes_broadcast(run->context->comm, 0, bytes, run->records));
  for (int i = 0; i < count; ++i)
    gannet_result_unpack(run->n_constraints, run->records + (size_t)i * run->record_size,
                         &results[i]);
  *n = count;
  return GANNET_OK;
}

gannet_err gannet_root_evaluator_cancel(void *state) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  if (run->worker) {
    local = run->type->cancel(run->worker);
    run->type->ready(run->worker)->n = 0;
  }
  return gannet_sleeping_agree(run->context->comm, local);
}

gannet_err gannet_root_evaluator_recover(void *state, const gannet_request *request, bool *taken) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  char found = 0;
  if (run->worker) {
    bool mine = false;
    local = run->type->recover(run->worker, request, &mine);
    found = mine;
  }
  GANNET_TRY(gannet_sleeping_bcast(run->context->comm, &found, 1));
  GANNET_TRY(gannet_agree(run->context->comm, local));
  *taken = found != 0;
  return GANNET_OK;
}

gannet_err gannet_root_evaluator_all_submitted(void *state, bool *submitted) {
  root_evaluator *run = state;
  char answer = 0;
  if (run->worker) answer = run->type->all_submitted(run->worker);
  GANNET_TRY(gannet_sleeping_bcast(run->context->comm, &answer, 1));
  *submitted = answer != 0;
  return GANNET_OK;
}

gannet_err gannet_root_evaluator_detach(void *state, const gannet_follow_up *next) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  if (run->worker) {
    local = run->type->detach(run->worker, next);
    run->type->ready(run->worker)->n = 0;
  }
  return gannet_sleeping_agree(run->context->comm, local);
}
