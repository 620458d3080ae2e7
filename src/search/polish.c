#include <string.h>

#include "base/memory.h"
#include "base/parts.h"
#include "search/polish_impl.h"

/* A gannet_lockstep_search. */
static gannet_err work(void *user, gannet_lockstep *lockstep, int place) {
  gannet_polisher *p = user;
  polish_worker *w = &p->worker[place];
  w->lockstep = lockstep;
  for (int64_t unit; (unit = gannet_queue_next(&p->queue)) >= 0;) {
    double *result = p->results + (size_t)unit * ((size_t)p->spec->problem->d + 1);
    GANNET_TRY(polish_unit(w, (int)unit, result, &result[p->spec->problem->d]));
  }
  return GANNET_OK;
}

/* As many as a rank's share of the starts. */
static int workers_for(const gannet_context *context, const gannet_polish_spec *spec) {
  const int64_t units = (int64_t)spec->n_lists * spec->n_starts;
  const int64_t share = (units + context->np - 1) / context->np;
  if (!spec->functions) return 1;
  return share < GANNET_LOCKSTEP_MOST ? (int)share : GANNET_LOCKSTEP_MOST;
}

static gannet_err set_up_team(gannet_polisher *p, const gannet_polish_spec *spec, int n) {
  const size_t d = (size_t)spec->problem->d;
  const size_t several = spec->board ? GANNET_LOCKSTEP_MOST : (size_t)n;
  const size_t width = spec->n_conditions > 1 ? (size_t)spec->n_conditions : 1;
  p->problem = spec->problem;
  p->n_conditions = spec->n_conditions;
  p->options = spec->options;
  if (spec->board)
    GANNET_TRY(gannet_alloc((size_t)gannet_board_node(spec->board)->n * gannet_polish_room((int)d),
                            sizeof *p->asked, &p->asked));
  if (several > 1) {
    GANNET_TRY(gannet_alloc(several * d, sizeof *p->x, &p->x));
    GANNET_TRY(gannet_alloc(several * width, sizeof *p->values, &p->values));
    GANNET_TRY(gannet_alloc(several * width * d, sizeof *p->gradients, &p->gradients));
  }
  while (p->n < n) {
    p->worker[p->n].place = p->n;
    GANNET_TRY(polish_set_up(&p->worker[p->n++], spec));
  }
  return GANNET_OK;
}

static void release_team(gannet_polisher *p) {
  for (int i = 0; i < p->n; ++i) polish_release(&p->worker[i]);
  p->n = 0;
  gannet_free(&p->x);
  gannet_free(&p->values);
  gannet_free(&p->gradients);
  gannet_free(&p->asked);
}

static bool is_same_box(const polish_worker *w, const gannet_polish_spec *spec) {
  const double *lower = w->free + w->n_free, *upper = lower + w->n_free;
  for (int i = 0; i < w->n_free; ++i) {
    const int k = w->coordinate[i];
    if (lower[i] != polish_lower_of(spec, k) || upper[i] != polish_upper_of(spec, k)) return false;
  }
  return true;
}

static bool is_for(const gannet_polisher *p, const gannet_polish_spec *spec, int n) {
  const gannet_minimize_options *own = &p->options, *given = &spec->options;
  return p->n == n && p->problem == spec->problem && p->n_conditions == spec->n_conditions &&
         (p->asked != NULL) == (spec->board != NULL) &&
         own->max_evaluations == given->max_evaluations &&
         own->gradient_tolerance == given->gradient_tolerance &&
         own->value_tolerance == given->value_tolerance && is_same_box(&p->worker[0], spec);
}

/* The team of before, where it is one for this. */
static gannet_err find_team(const gannet_context *context, gannet_polisher *p,
                            const gannet_polish_spec *spec) {
  const int n = workers_for(context, spec);
  gannet_err err = GANNET_OK;
  p->spec = spec;
  if (!is_for(p, spec, n)) {
    release_team(p);
    err = set_up_team(p, spec, n);
    if (err != GANNET_OK) release_team(p);
  }
  for (int i = 0; i < p->n; ++i) p->worker[i].spec = spec;
  return err;
}

gannet_err gannet_polisher_create(gannet_polisher **polisher) {
  GANNET_TRY(gannet_alloc(1, sizeof **polisher, polisher));
  const gannet_err err = gannet_lockstep_create(&(*polisher)->lockstep);
  if (err != GANNET_OK) gannet_polisher_destroy(polisher);
  return err;
}

void gannet_polisher_destroy(gannet_polisher **polisher) {
  if (!*polisher) return;
  release_team(*polisher);
  gannet_lockstep_destroy(&(*polisher)->lockstep);
  gannet_free(polisher);
}

/* A rank that has no search left helps to answer those of others, and one that fails lets them
 * know. */
static gannet_err search(gannet_polisher *p, const gannet_polish_spec *spec, gannet_err err) {
  p->told = false;
  p->asking = 1;
  if (err == GANNET_OK) err = gannet_lockstep_run(p->lockstep, p->n, work, polish_answer, p);
  if (!spec->board) return err;
  while (err == GANNET_OK && p->asking > 0) err = polish_answer(p, 0, NULL);
  return err == GANNET_OK || p->told ? err : gannet_board_show(spec->board, err);
}

/* A rank that is not able to anything takes its turns, too, which others count on. */
static gannet_err polish_own_units(const gannet_context *context, gannet_polisher *p,
                                   const gannet_polish_spec *spec, gannet_err err,
                                   double *results) {
  p->queue = gannet_queue_open(context, (int64_t)spec->n_lists * spec->n_starts);
  p->results = results;
  if (err == GANNET_OK) err = find_team(context, p, spec);
  err = search(p, spec, err);
  gannet_queue_close(&p->queue);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}

/* Stable insertion sort of one list by value. */
static void sort_list(int n, int d, const double *results, double *x, double *values) {
  const size_t row = (size_t)d + 1;
  for (int place = 0; place < n; ++place) {
    const double value = results[(size_t)place * row + (size_t)d];
    int at = place;
    for (; at > 0 && value < values[at - 1]; --at) values[at] = values[at - 1];
    memmove(x + ((size_t)at + 1) * (size_t)d, x + (size_t)at * (size_t)d,
            (size_t)(place - at) * (size_t)d * sizeof *x);
    memcpy(x + (size_t)at * (size_t)d, results + (size_t)place * row, (size_t)d * sizeof *x);
    values[at] = value;
  }
}

gannet_err gannet_polish(const gannet_context *context, gannet_polisher *polisher,
                         const gannet_polish_spec *spec, double *x_unit, double *values) {
  GANNET_REQUIRE(spec->n_lists >= 1 && spec->n_starts >= 1, GANNET_ERR_ARG,
                 "n_lists = %d, n_starts = %d", spec->n_lists, spec->n_starts);
  const int d = spec->problem->d;
  const size_t list_units = (size_t)spec->n_starts, row = (size_t)d + 1;
  const size_t length = (size_t)spec->n_lists * list_units * row;
  double *results = NULL;
  gannet_err err = gannet_alloc(length, sizeof *results, &results);
  err = polish_own_units(context, polisher, spec, err, results);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_parts_gather(context->comm, length, results);
  for (size_t l = 0; err == GANNET_OK && l < (size_t)spec->n_lists; ++l)
    sort_list(spec->n_starts, d, results + l * list_units * row,
              x_unit + l * list_units * (size_t)d, values + l * list_units);
  gannet_free(&results);
  if (err != GANNET_OK) return gannet_error_pass(err, __func__, __FILE__, __LINE__);
  return GANNET_OK;
}
