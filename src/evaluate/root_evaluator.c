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
  int n_constraints, n_variables;
  size_t record_size;
  int capacity;
  char *records; /* [capacity][record_size] */
} root_evaluator;

gannet_err gannet_result_queue_create(const gannet_problem *problem, gannet_result_queue *ready) {
  const int n_constraints = problem->spec.n_constraints;
  ready->n_constraints = n_constraints;
  ready->n_variables = problem->spec.n_variables;
  ready->record_size = gannet_result_size(n_constraints);
  return gannet_alloc((size_t)n_constraints, sizeof *ready->constraints, &ready->constraints);
}

/* Remove the first results, also what they report where that was not moved elsewhere. */
static void remove_first(gannet_result_queue *ready, int count) {
  const size_t left = (size_t)(ready->n - count);
  for (int i = 0; i < count; ++i) gannet_quantities_release(&ready->reported[i]);
  if (left > 0) {
    memmove(ready->bytes, ready->bytes + (size_t)count * ready->record_size,
            left * ready->record_size);
    memmove(ready->reported, ready->reported + count, left * sizeof *ready->reported);
  }
  ready->n -= count;
}

void gannet_result_queue_release(gannet_result_queue *ready) {
  remove_first(ready, ready->n);
  gannet_free(&ready->bytes);
  gannet_free(&ready->reported);
  gannet_free(&ready->constraints);
}

void gannet_result_queue_begin(gannet_result_queue *ready, gannet_result_record *result) {
  result->constraints = ready->constraints;
  gannet_result_clear(ready->n_constraints, result);
}

static gannet_err make_room(gannet_result_queue *ready) {
  if (ready->n < ready->capacity) return GANNET_OK;
  const size_t old = (size_t)ready->capacity, larger = 2 * old + 8;
  GANNET_TRY(gannet_resize(old, larger, ready->record_size, &ready->bytes));
  GANNET_TRY(gannet_resize(old, larger, sizeof *ready->reported, &ready->reported));
  ready->capacity = (int)larger;
  return GANNET_OK;
}

gannet_err gannet_result_queue_add(gannet_result_queue *ready, gannet_result_record *result) {
  const gannet_err err = make_room(ready);
  if (err != GANNET_OK) {
    gannet_quantities_release(&result->reported);
    return err;
  }
  gannet_result_pack(ready->n_constraints, ready->n_variables, result,
                     ready->bytes + (size_t)ready->n * ready->record_size);
  ready->reported[ready->n++] = result->reported;
  result->reported = (gannet_quantities){0};
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
                           .n_variables = setup->problem->spec.n_variables,
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
  gannet_result_queue *ready = run->worker ? run->type->ready(run->worker) : NULL;
  if (local == GANNET_OK && count > 0 && ready)
    memcpy(run->records, ready->bytes, (size_t)count * run->record_size);
  GANNET_TRY(gannet_agree(run->context->comm, local));
  if (count == 0) return GANNET_OK;
  GANNET_TRY(gannet_bytes_broadcast(run->context->comm, 0, (size_t)count * run->record_size,
                                    run->records));
  for (int i = 0; i < count; ++i)
    gannet_result_unpack(run->n_constraints, run->records + (size_t)i * run->record_size,
                         &results[i]);
  *n = count;
  const gannet_result_records records = {count, run->record_size, run->records};
  GANNET_TRY(gannet_result_share_reported(run->context->comm, run->n_variables, &records,
                                          ready ? ready->reported : NULL, results));
  if (ready) remove_first(ready, count);
  return GANNET_OK;
}

gannet_err gannet_root_evaluator_cancel(void *state) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  if (run->worker) {
    gannet_result_queue *ready = run->type->ready(run->worker);
    local = run->type->cancel(run->worker);
    remove_first(ready, ready->n);
  }
  return gannet_sleeping_agree(run->context->comm, local);
}

/* Remove the result of an evaluation. */
static void remove_result(gannet_result_queue *ready, int64_t id) {
  gannet_result_record result = {.constraints = ready->constraints};
  for (int i = 0; i < ready->n; ++i) {
    char *record = ready->bytes + (size_t)i * ready->record_size;
    const size_t later = (size_t)(ready->n - i - 1);
    gannet_result_unpack(ready->n_constraints, record, &result);
    if (result.id != id) continue;
    gannet_quantities_release(&ready->reported[i]);
    memmove(record, record + ready->record_size, later * ready->record_size);
    memmove(ready->reported + i, ready->reported + i + 1, later * sizeof *ready->reported);
    ready->n -= 1;
    return;
  }
}

gannet_err gannet_root_evaluator_withdraw(void *state, int64_t id) {
  root_evaluator *run = state;
  gannet_err local = GANNET_OK;
  if (run->worker) {
    local = run->type->withdraw(run->worker, id);
    remove_result(run->type->ready(run->worker), id);
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
    gannet_result_queue *ready = run->type->ready(run->worker);
    local = run->type->detach(run->worker, next);
    remove_first(ready, ready->n);
  }
  return gannet_sleeping_agree(run->context->comm, local);
}
