#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "benchmark/watch.h"
#include "evaluate/result_record.h"

typedef struct {
  int64_t id;
  double start, end; /* seconds of the lapse's clock */
  double objective;
  int slot;
} flight;

typedef struct {
  const bench_lapse_options *options;
  const gannet_evaluator_setup *setup;
  double left_out; /* seconds in which nothing happened */
  int n;
  flight *flight; /* [parallel] */
  int n_free;
  double
      *free_since; /* [parallel] when slots became free, the earliest first; NAN = at the start */
} lapse;

static gannet_err check(const void *options, const gannet_evaluator_setup *setup,
                        gannet_complaints *complaints) {
  (void)options, (void)setup, (void)complaints;
  return GANNET_OK;
}

static gannet_err make(const gannet_evaluator_setup *setup, lapse *made) {
  const size_t n = (size_t)setup->parallel;
  made->setup = setup;
  GANNET_TRY(gannet_alloc(n, sizeof *made->flight, &made->flight));
  GANNET_TRY(gannet_alloc(n, sizeof *made->free_since, &made->free_since));
  for (made->n_free = 0; made->n_free < setup->parallel; ++made->n_free)
    made->free_since[made->n_free] = NAN;
  return GANNET_OK;
}

static void destroy(void *state) {
  lapse *made = state;
  gannet_free(&made->flight);
  gannet_free(&made->free_since);
  gannet_free(&made);
}

static gannet_err create(const void *options, const gannet_evaluator_setup *setup, void **state) {
  lapse *made = NULL;
  GANNET_TRY(gannet_agree(setup->context->comm, gannet_alloc(1, sizeof *made, &made)));
  made->options = options;
  const gannet_err err = gannet_agree(setup->context->comm, make(setup, made));
  if (err != GANNET_OK)
    destroy(made);
  else
    *state = made;
  return err;
}

/* The clock of rank 0. */
static gannet_err now(const lapse *l, double *seconds) {
  *seconds = gannet_clock_seconds() + l->left_out;
  GANNET_TRY_MPI(MPI_Bcast(seconds, 1, MPI_DOUBLE, 0, l->setup->context->comm));
  return GANNET_OK;
}

static void refill(lapse *l, double start) {
  const double since = l->free_since[0];
  memmove(l->free_since, l->free_since + 1, (size_t)(--l->n_free) * sizeof *l->free_since);
  if (isnan(since)) return;
  bench_refills *refills = l->options->refills;
  refills->refills += 1;
  refills->idle += start - since;
  refills->longest = fmax(refills->longest, start - since);
}

static double sphere(const gannet_problem *problem, const double *x) {
  double sum = 0;
  for (int k = 0; k < problem->spec.n_variables; ++k) sum += (x[k] - 0.3) * (x[k] - 0.3);
  return sum;
}

static gannet_err submit(void *state, int n, const gannet_request *requests) {
  lapse *l = state;
  double start = 0;
  GANNET_TRY(now(l, &start));
  for (int i = 0; i < n; ++i) {
    const gannet_request *r = &requests[i];
    const double share = 0.5 + (double)(r->seed >> 11) * 0x1p-53;
    refill(l, start);
    l->flight[l->n] = (flight){.id = r->id,
                               .start = start,
                               .end = start + share * l->options->seconds,
                               .objective = sphere(l->setup->problem, r->x_user),
                               .slot = l->n};
    l->n += 1;
  }
  return GANNET_OK;
}

static double earliest(const lapse *l) {
  double end = INFINITY;
  for (int i = 0; i < l->n; ++i) end = fmin(end, l->flight[i].end);
  return end;
}

static void land(lapse *l, int index, gannet_result_record *result) {
  const flight one = l->flight[index];
  int at = l->n_free++;
  gannet_result_clear(l->setup->problem->spec.n_constraints, result);
  result->id = one.id;
  result->status = GANNET_EVAL_DONE;
  result->objective = one.objective;
  result->run.started = one.start;
  result->run.ended = one.end;
  result->run.slot = one.slot;
  l->flight[index] = l->flight[--l->n];
  for (; at > 0 && l->free_since[at - 1] > one.end; --at) l->free_since[at] = l->free_since[at - 1];
  l->free_since[at] = one.end;
}

static gannet_err poll(void *state, double wait, int capacity, int *n,
                       gannet_result_record *results) {
  lapse *l = state;
  double time = 0;
  (void)wait;
  GANNET_TRY(now(l, &time));
  const double next = earliest(l);
  if (next > time) {
    l->left_out += next - time;
    time = next;
  }
  for (int i = l->n - 1; i >= 0 && *n < capacity; --i)
    if (l->flight[i].end <= time) land(l, i, &results[(*n)++]);
  return GANNET_OK;
}

static gannet_err cancel(void *state) {
  lapse *l = state;
  l->n = 0;
  return GANNET_OK;
}

static const gannet_option no_options[] = {{0}};

const gannet_evaluator_type bench_lapse = {.name = "lapse",
                                           .summary = "simulations that seem to take long",
                                           .options = no_options,
                                           .options_size = sizeof(bench_lapse_options),
                                           .check = check,
                                           .create = create,
                                           .destroy = destroy,
                                           .submit = submit,
                                           .poll = poll,
                                           .cancel = cancel};
