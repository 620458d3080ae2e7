/* The attempts that a worker has in flight. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/command/worker.h"

void gannet_worker_remove_run(gannet_worker *w, gannet_worker_run *one) {
  double *x = (double *)(uintptr_t)one->request.x_user;
  if (w->outage.trial == one->attempt.id) w->outage.trial = -1;
  gannet_free(&x);
  if (one->place.n_nodes > 0) gannet_place_give_back(w->placement.places, &one->place);
  *one = w->runs[--w->n]; /* the last one takes its place */
}

gannet_worker_run *gannet_worker_find_run(gannet_worker *w, int64_t id) {
  for (int i = 0; i < w->n; ++i)
    if (w->runs[i].attempt.id == id) return &w->runs[i];
  return NULL;
}

bool gannet_worker_can_wait(const gannet_worker *w) {
  const gannet_stopping *stopping = w->program.rules.limits.stopping;
  return stopping && stopping->begins_nothing;
}

void gannet_worker_put_off(gannet_worker *w, gannet_worker_run *one,
                           const gannet_outage_sign *sign) {
  one->stage = GANNET_RUN_WAITS;
  gannet_outage_note(w->context, &w->outage, one->attempt.id, sign, w->program.options->patience);
}

gannet_worker_run *gannet_worker_next_waiting(gannet_worker *w) {
  gannet_worker_run *next = NULL;
  for (int i = 0; i < w->n; ++i) {
    gannet_worker_run *one = &w->runs[i];
    if (one->stage != GANNET_RUN_WAITS || one->attempt.unwanted) continue;
    if (!next || one->tries < next->tries ||
        (one->tries == next->tries && one->attempt.id < next->attempt.id))
      next = one;
  }
  return next;
}

gannet_err gannet_worker_add_run(gannet_worker *w, const gannet_request *request) {
  const size_t d = (size_t)w->program.contract.problem->spec.n_variables;
  double *x = NULL;
  if (w->n == w->capacity) {
    const int larger = 2 * w->capacity + 8;
    GANNET_TRY(gannet_resize((size_t)w->capacity, (size_t)larger, sizeof *w->runs, &w->runs));
    w->capacity = larger;
  }
  gannet_worker_run *made = &w->runs[w->n];
  memset(made, 0, sizeof *made);
  GANNET_TRY(
      gannet_attempt_begin(&w->program, request, w->runs, w->n, sizeof *made, &made->attempt));
  GANNET_TRY(gannet_alloc(d, sizeof *x, &x));
  memcpy(x, request->x_user, d * sizeof *x);
  made->request = *request;
  made->request.x_user = x;
  w->n += 1;
  return GANNET_OK;
}

double gannet_worker_grace(const gannet_worker *w) {
  return fmin(w->program.options->kill_grace, 10);
}

gannet_err gannet_worker_kill_run(gannet_worker *w, gannet_worker_run *one) {
  one->attempt.unwanted = true;
  return gannet_launcher_kill(w->launcher, one->attempt.id, gannet_worker_grace(w));
}
