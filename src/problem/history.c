#include "problem/history.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "problem/history_impl.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

/* Reset what follows from results. */
static void forget_outcomes(gannet_history *h) {
  h->best = h->least_violation = h->first_done = -1;
  for (int m = 0; m < h->several; ++m) {
    h->penalty[m] = gannet_penalty_none();
    h->gap[m] = gannet_gap_none();
    h->parted_at[m] = NAN;
    h->n_values[m] = 0;
    h->penalty[m].is_one_of_several = h->several > 1;
  }
  h->n_feasible = h->n_objectives = h->n_error_bars = h->n_told = 0;
  h->is_varied = false;
}

static const double *point_of(const void *user, int64_t id) {
  const gannet_same_points *same = user;
  return same->x_user + id * same->n_variables;
}

gannet_err gannet_history_create(const gannet_problem *problem, gannet_history **history) {
  GANNET_TRY(gannet_alloc(1, sizeof **history, history));
  (*history)->problem = problem;
  (*history)->several = gannet_problem_n_objectives(problem);
  (*history)->replicates = 1;
  forget_outcomes(*history);
  gannet_same_points *same = NULL;
  gannet_err err = gannet_alloc(1, sizeof *same, &same);
  (*history)->same = same;
  if (err == GANNET_OK) {
    same->n_variables = problem->spec.n_variables;
    err = gannet_point_index_create(same->n_variables, same, point_of, &same->index);
  }
  if (err == GANNET_OK && problem->pool) {
    (*history)->n_left = gannet_pool_count(problem->pool);
    err = gannet_alloc((size_t)(*history)->n_left, sizeof *(*history)->n_proposed,
                       &(*history)->n_proposed);
  }
  if (err != GANNET_OK) gannet_history_destroy(history);
  GANNET_TRY(err);
  return GANNET_OK;
}

void gannet_history_destroy(gannet_history **history) {
  if (!*history) return;
  gannet_free(&(*history)->row);
  gannet_free(&(*history)->x_user);
  gannet_free(&(*history)->x_unit);
  gannet_free(&(*history)->constraint);
  gannet_free(&(*history)->sd);
  for (int64_t i = 0; i < (*history)->n; ++i) gannet_quantities_release(&(*history)->reported[i]);
  gannet_free(&(*history)->reported);
  gannet_free(&(*history)->order);
  gannet_free(&(*history)->n_proposed);
  if ((*history)->same) {
    gannet_point_index_destroy(&(*history)->same->index);
    gannet_free(&(*history)->same->first);
    gannet_free(&(*history)->same->next);
    gannet_free(&(*history)->same->last);
    gannet_free(&(*history)->same);
  }
  gannet_free(history);
}

gannet_err gannet_history_reserve(gannet_history *h, int64_t n) {
  if (n <= h->capacity) return GANNET_OK;
  const size_t old = (size_t)h->capacity, new = (size_t)n;
  const size_t v = (size_t)h->problem->spec.n_variables, d = (size_t)h->problem->d;
  const size_t k = (size_t)h->problem->spec.n_constraints;
  GANNET_TRY(gannet_resize(old, new, sizeof *h->row, &h->row));
  GANNET_TRY(gannet_resize(old * v, new *v, sizeof *h->x_user, &h->x_user));
  h->same->x_user = h->x_user; /* at once: the history stays whole when memory ends below */
  GANNET_TRY(gannet_resize(old * d, new *d, sizeof *h->x_unit, &h->x_unit));
  GANNET_TRY(gannet_resize(old * k, new *k, sizeof *h->constraint, &h->constraint));
  GANNET_TRY(gannet_resize(old * (k + 1), new *(k + 1), sizeof *h->sd, &h->sd));
  GANNET_TRY(gannet_resize(old, new, sizeof *h->reported, &h->reported));
  GANNET_TRY(gannet_resize(old, new, sizeof *h->order, &h->order));
  GANNET_TRY(gannet_resize(old, new, sizeof *h->same->first, &h->same->first));
  GANNET_TRY(gannet_resize(old, new, sizeof *h->same->next, &h->same->next));
  GANNET_TRY(gannet_resize(old, new, sizeof *h->same->last, &h->same->last));
  h->capacity = n;
  return GANNET_OK;
}

void gannet_history_count_listed(gannet_history *h, int64_t id, int sign) {
  double square = 0;
  if (!h->n_proposed) return;
  const int64_t listed =
      gannet_pool_nearest(h->problem->pool, h->problem, h->x_unit + id * h->problem->d, &square);
  if (square > 0) return;
  const bool was_left = h->n_proposed[listed] == 0;
  h->n_proposed[listed] += sign;
  h->n_left += (h->n_proposed[listed] == 0) - was_left;
}

/* Note which earlier rows have the point of a new row, whose point is already in x_user. */
static gannet_err note_point(gannet_same_points *same, int64_t id) {
  const int64_t first = gannet_point_index_find(same->index, point_of(same, id), -1);
  same->next[id] = -1;
  same->first[id] = first < 0 ? id : first;
  if (first < 0)
    GANNET_TRY(gannet_point_index_add(same->index, id));
  else
    same->next[same->last[first]] = id;
  same->last[same->first[id]] = id;
  return GANNET_OK;
}

/* Append a row without a result.
 *
 * x_user     in   [n_variables]; passes gannet_problem_check_tried
 * elsewhere  in   the design is outside the bounds or between steps
 * id         out  may be NULL
 */
static gannet_err append_row(gannet_history *h, const double *x_user, bool elsewhere, int64_t batch,
                             gannet_origin origin, int64_t *id) {
  if (h->n == h->capacity)
    GANNET_TRY(gannet_history_reserve(h, h->capacity > 0 ? 2 * h->capacity : 64));
  const int64_t at = h->n;
  const int v = h->problem->spec.n_variables, k = h->problem->spec.n_constraints;
  elsewhere = elsewhere || !gannet_problem_allows_values(h->problem, x_user);
  h->row[at] = (gannet_evaluation){.id = at,
                                   .batch = batch,
                                   .origin = origin,
                                   .elsewhere = elsewhere,
                                   .objective = NAN,
                                   .run = gannet_run_unknown()};
  memcpy(h->x_user + at * v, x_user, (size_t)v * sizeof *x_user);
  GANNET_TRY(note_point(h->same, at));
  gannet_problem_encode_anywhere(h->problem, x_user, h->x_unit + at * h->problem->d);
  for (int i = 0; i < k; ++i) h->constraint[at * k + i] = NAN;
  for (int i = 0; i <= k; ++i) h->sd[at * (k + 1) + i] = 0;
  h->n += 1;
  gannet_history_count_listed(h, at, 1);
  h->n_status[GANNET_EVAL_PENDING] += 1;
  h->n_origin[origin] += 1;
  h->n_elsewhere += elsewhere;
  if (id) *id = at;
  return GANNET_OK;
}

gannet_err gannet_history_propose(gannet_history *h, const double *x_user, int64_t batch,
                                  gannet_origin origin, int64_t *id) {
  GANNET_TRY(gannet_problem_check_point(h->problem, x_user));
  return append_row(h, x_user, false, batch, origin, id);
}

gannet_err gannet_history_enter(gannet_history *h, const double *x_user, int64_t batch,
                                gannet_origin origin, int64_t *id) {
  for (int v = 0; v < h->problem->spec.n_variables; ++v)
    GANNET_TRY(gannet_problem_check_tried(h->problem, v, x_user[v]));
  const bool elsewhere = gannet_problem_check_point(h->problem, x_user) != GANNET_OK;
  gannet_error_clear();
  return append_row(h, x_user, elsewhere, batch, origin, id);
}

int gannet_history_feasibility(const gannet_history *h, int64_t id) {
  if (h->row[id].status != GANNET_EVAL_DONE) return -1;
  return gannet_problem_feasibility(h->problem, h->row[id].objective,
                                    gannet_history_constraints(h, id));
}

double gannet_history_violation(const gannet_history *h, int64_t id) {
  const double *value = gannet_history_constraints(h, id);
  double sum = 0;
  for (int k = 0; k < h->problem->spec.n_constraints; ++k) {
    const gannet_constraint *c = &h->problem->spec.constraints[k];
    if (value[k] > c->upper) sum += gannet_problem_excess(value[k], c->upper);
    if (value[k] < c->lower) sum += gannet_problem_excess(c->lower, value[k]);
  }
  const bool is_complete =
      gannet_problem_find_missing(h->problem, 0, h->row[id].objective, value) < 0;
  return sum > 0 || is_complete ? sum : NAN;
}

void gannet_history_forget_results(gannet_history *h) {
  const int k = h->problem->spec.n_constraints;
  for (int64_t id = 0; id < h->n; ++id) {
    gannet_evaluation *row = &h->row[id];
    if (row->status == GANNET_EVAL_DISCARDED) gannet_history_count_listed(h, id, 1);
    row->status = GANNET_EVAL_PENDING;
    row->objective = NAN;
    row->run = gannet_run_unknown();
    gannet_quantities_release(&h->reported[id]);
    for (int i = 0; i < k; ++i) h->constraint[id * k + i] = NAN;
    for (int i = 0; i <= k; ++i) h->sd[id * (k + 1) + i] = 0;
  }
  memset(h->n_status, 0, sizeof h->n_status);
  h->n_status[GANNET_EVAL_PENDING] = h->n;
  forget_outcomes(h);
}

void gannet_history_clear(gannet_history *h) {
  gannet_history_forget_results(h);
  for (int64_t id = 0; id < h->n; ++id) gannet_history_count_listed(h, id, -1);
  h->n = h->n_elsewhere = h->n_status[GANNET_EVAL_PENDING] = 0;
  gannet_point_index_clear(h->same->index);
  memset(h->n_origin, 0, sizeof h->n_origin);
}

void gannet_history_name_rows(gannet_history *h, const gannet_discarded *discarded) {
  h->discarded = discarded;
}

int64_t gannet_history_name(const gannet_history *h, int64_t row) {
  return h->discarded ? gannet_discarded_id(h->discarded, row) : row;
}

void gannet_history_exchange(gannet_history *a, gannet_history *b) {
  const gannet_history kept = *a;
  const bool at_its_word = b->at_its_word;
  const int replicates = b->replicates;
  *a = *b;
  *b = kept;
  const gannet_discarded *const of_b = a->discarded;
  a->discarded = kept.discarded;
  b->discarded = of_b;
  a->at_its_word = kept.at_its_word;
  b->at_its_word = at_its_word;
  a->replicates = kept.replicates;
  b->replicates = replicates;
}

int64_t gannet_history_count(const gannet_history *history) {
  return history->n;
}

int64_t gannet_history_count_kept(const gannet_history *history) {
  return history->n - history->n_status[GANNET_EVAL_DISCARDED];
}

int64_t gannet_history_count_left(const gannet_history *history) {
  return history->n_proposed ? history->n_left : INT64_MAX;
}

int64_t gannet_history_count_told(const gannet_history *history) {
  return history->n_told;
}

int64_t gannet_history_count_feasible(const gannet_history *history) {
  return history->n_feasible;
}

bool gannet_history_is_feasible(const gannet_history *history, int64_t id) {
  return !history->row[id].elsewhere && gannet_history_feasibility(history, id) == 1;
}

int64_t gannet_history_count_elsewhere(const gannet_history *history) {
  return history->n_elsewhere;
}

int64_t gannet_history_count_done(const gannet_history *history) {
  return history->n_status[GANNET_EVAL_DONE];
}

void gannet_history_take_at_its_word(gannet_history *history) {
  history->at_its_word = true;
}

const char *gannet_origin_text(gannet_origin origin) {
#define WORD(name, word) word,
  static const char *const words[] = {GANNET_ORIGIN_LIST(WORD)};
#undef WORD
  return words[origin];
}

int64_t gannet_history_count_origin(const gannet_history *history, gannet_origin origin) {
  return history->n_origin[origin];
}

int64_t gannet_history_count_status(const gannet_history *history, gannet_eval_status status) {
  return history->n_status[status];
}

const gannet_evaluation *gannet_history_get(const gannet_history *history, int64_t id) {
  return &history->row[id];
}

const double *gannet_history_x_user(const gannet_history *history, int64_t id) {
  return history->x_user + id * history->problem->spec.n_variables;
}

const double *gannet_history_x_unit(const gannet_history *history, int64_t id) {
  return history->x_unit + id * history->problem->d;
}

const double *gannet_history_constraints(const gannet_history *history, int64_t id) {
  return history->constraint + id * history->problem->spec.n_constraints;
}

void gannet_history_objectives(const gannet_history *h, int64_t id, double *y) {
  gannet_problem_objectives(h->problem, h->row[id].objective, gannet_history_constraints(h, id), y);
}

const double *gannet_history_sd(const gannet_history *history, int64_t id) {
  return history->sd + id * (history->problem->spec.n_constraints + 1);
}

bool gannet_history_has_error_bars(const gannet_history *history) {
  return history->n_error_bars > 0;
}

const gannet_quantities *gannet_history_reported(const gannet_history *history, int64_t id) {
  return &history->reported[id];
}

const int64_t *gannet_history_order(const gannet_history *history) {
  return history->order;
}

const gannet_problem *gannet_history_problem(const gannet_history *history) {
  return history->problem;
}

int64_t gannet_history_best_row(const gannet_history *history) {
  return history->best;
}

int64_t gannet_history_least_violating_row(const gannet_history *history) {
  return history->least_violation;
}

void gannet_history_join_runs(gannet_history *history, int replicates) {
  history->replicates = replicates;
}

int gannet_history_replicates(const gannet_history *history) {
  return history->replicates;
}

bool gannet_history_joins_runs(const gannet_history *history) {
  return history->replicates != 1;
}

int64_t gannet_history_first_run(const gannet_history *history, int64_t id) {
  return history->same->first[id];
}

int64_t gannet_history_next_run(const gannet_history *history, int64_t id) {
  return history->same->next[id];
}

uint64_t gannet_history_digest(const gannet_history *h) {
  const size_t v = (size_t)h->problem->spec.n_variables, k = (size_t)h->problem->spec.n_constraints;
  uint64_t digest = gannet_hash(h->x_user, (size_t)h->n * v * sizeof *h->x_user);
  for (int64_t id = 0; id < h->n; ++id) {
    const bool done = h->row[id].status == GANNET_EVAL_DONE;
    const uint64_t part[4] = {
        digest, (uint64_t)h->row[id].status,
        done ? gannet_hash(&h->row[id].objective, sizeof(double)) : 0,
        done ? gannet_hash(gannet_history_constraints(h, id), k * sizeof(double)) : 0};
    digest = gannet_hash(part, sizeof part);
  }
  return digest;
}
