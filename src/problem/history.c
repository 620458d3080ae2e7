#include "problem/history.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/penalty.h"
#include "problem/point_index.h"
#include "problem/pool.h"
#include "problem/variable_constraints.h"

/* Which rows have the same point. */
typedef struct {
  int n_variables;
  const double *x_user;      /* [rows][n_variables], the history's */
  gannet_point_index *index; /* of the first rows with each point */
  int64_t *first, *next;     /* [capacity] the first row with the point, the next one, -1 = none */
  int64_t *last;             /* [capacity] the last row so far, of a first one */
} same_points;

struct gannet_history {
  const gannet_problem *problem;
  int64_t n, n_told;
  int64_t n_status[GANNET_EVAL_STATUS_COUNT];
  int64_t n_origin[GANNET_ORIGIN_COUNT];
  int64_t best;            /* id of the best feasible row, -1 = none */
  double best_value;       /* minimised objective of best */
  int64_t least_violation; /* id of the row with the least violation, -1 = none */
  double violation;        /* violation of least_violation */
  int several;             /* objectives that are compared: their number */
  gannet_penalty penalty[GANNET_OBJECTIVES_MOST]; /* equal penalties among the values of each */
  gannet_gap gap[GANNET_OBJECTIVES_MOST];         /* penalties above a gap, likewise */
  bool gaps_agree; /* of several objectives: the gaps of all of them part the same rows, and a
                      feasible one is below */
  double parted_at[GANNET_OBJECTIVES_MOST]; /* gaps that all rows told were compared with */
  bool is_parted_alike, is_feasible_below;  /* what came out, the two parts of gaps_agree */
  int64_t n_values[GANNET_OBJECTIVES_MOST]; /* rows that are done and have objective m */
  int64_t n_feasible;                       /* rows that are feasible */
  int64_t n_elsewhere;  /* rows whose designs are outside the bounds or between steps */
  int64_t n_objectives; /* rows that are done and have an objective */
  int64_t n_error_bars; /* of these, rows whose objective has a standard deviation */
  const gannet_discarded *discarded; /* in whose ids rows are named; NULL = by the row */
  bool at_its_word;                  /* no value is taken for a penalty */
  int64_t first_done;                /* id of the first row done with all constraints, -1 = none */
  bool is_varied;                    /* values of constraints differ between rows */
  int replicates;                    /* gannet_history_join_runs */
  same_points *same;                 /* which rows have the same point */
  int64_t capacity;
  gannet_evaluation *row;      /* [capacity] */
  double *x_user;              /* [capacity][n_variables] */
  double *x_unit;              /* [capacity][d] */
  double *constraint;          /* [capacity][n_constraints], NAN unless done, or when missing */
  double *sd;                  /* [capacity][1 + n_constraints] as told, 0 = not told */
  gannet_quantities *reported; /* [capacity] owned, and what is in them */
  int64_t *order;              /* [capacity] ids by arrival */
  int64_t *n_proposed;         /* [number of listed candidates] rows that have the point of each and
                                  were not discarded; NULL = there is no list */
  int64_t n_left;              /* listed candidates that no row has */
};

/* What follows from results. */
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
  const same_points *same = user;
  return same->x_user + id * same->n_variables;
}

gannet_err gannet_history_create(const gannet_problem *problem, gannet_history **history) {
  GANNET_TRY(gannet_alloc(1, sizeof **history, history));
  (*history)->problem = problem;
  (*history)->several = gannet_problem_n_objectives(problem);
  (*history)->replicates = 1;
  forget_outcomes(*history);
  same_points *same = NULL;
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

/* A row with the point of a listed candidate comes (1), or counts no more (-1). */
static void count_listed(gannet_history *h, int64_t id, int sign) {
  double square = 0;
  if (!h->n_proposed) return;
  const int64_t listed =
      gannet_pool_nearest(h->problem->pool, h->problem, h->x_unit + id * h->problem->d, &square);
  if (square > 0) return;
  const bool was_left = h->n_proposed[listed] == 0;
  h->n_proposed[listed] += sign;
  h->n_left += (h->n_proposed[listed] == 0) - was_left;
}

/* Note which rows have the point of a row that is there by now. */
static gannet_err note_point(same_points *same, int64_t id) {
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

/* x_user  in  [n_variables]; passes gannet_problem_check_tried */
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
  count_listed(h, at, 1);
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

static gannet_err check_values(const gannet_history *h, const gannet_result_record *result) {
  const int n = h->problem->spec.n_constraints;
  int known = !isnan(result->objective);
  GANNET_REQUIRE(!isinf(result->objective), GANNET_ERR_ARG, "objective = %g is not finite",
                 result->objective);
  for (int k = 0; k < n; ++k) {
    GANNET_REQUIRE(result->constraints && !isinf(result->constraints[k]), GANNET_ERR_ARG,
                   "constraint %s is not finite", h->problem->spec.constraints[k].name);
    known += !isnan(result->constraints[k]);
  }
  GANNET_REQUIRE(known > 0, GANNET_ERR_ARG, "neither the objective nor a constraint is known");
  return GANNET_OK;
}

/* Standard deviations of a row that is done, from what was reported with it. */
static void take_error_bars(gannet_history *h, int64_t id) {
  const int n = h->problem->spec.n_constraints;
  double *sd = h->sd + id * (n + 1);
  for (int i = 0; i <= n; ++i) {
    const char *name = gannet_problem_reported_name(h->problem, i);
    const gannet_reported *item = gannet_quantities_find(&h->reported[id], name);
    sd[i] = item ? item->sd : 0;
  }
}

/* A late result arrives now, not when the evaluation was given up. */
static void forget_arrival(gannet_history *h, int64_t id) {
  int64_t at = 0;
  while (h->order[at] != id) ++at;
  h->n_told -= 1;
  memmove(h->order + at, h->order + at + 1, (size_t)(h->n_told - at) * sizeof *h->order);
}

int gannet_history_feasibility(const gannet_history *h, int64_t id) {
  if (h->row[id].status != GANNET_EVAL_DONE) return -1;
  return gannet_problem_feasibility(h->problem, h->row[id].objective,
                                    gannet_history_constraints(h, id));
}

/* Whether neither the objective nor a constraint of a row is missing. */
static bool is_complete(const gannet_history *h, int64_t id) {
  return gannet_problem_find_missing(h->problem, 0, h->row[id].objective,
                                     gannet_history_constraints(h, id)) < 0;
}

double gannet_history_violation(const gannet_history *h, int64_t id) {
  const double *value = gannet_history_constraints(h, id);
  double sum = 0;
  for (int k = 0; k < h->problem->spec.n_constraints; ++k) {
    const gannet_constraint *c = &h->problem->spec.constraints[k];
    if (value[k] > c->upper) sum += gannet_problem_excess(value[k], c->upper);
    if (value[k] < c->lower) sum += gannet_problem_excess(c->lower, value[k]);
  }
  return sum > 0 || is_complete(h, id) ? sum : NAN;
}

/* Whether a value beats the one kept for another id; the lower id on a tie. */
static bool beats(double value, int64_t id, double kept, int64_t kept_id) {
  return kept_id < 0 || value < kept || (value == kept && id < kept_id);
}

static void keep_best(gannet_history *h, int64_t id) {
  const double value = gannet_problem_flip(h->problem, h->row[id].objective);
  const double excess = gannet_history_violation(h, id);
  if (h->row[id].elsewhere || !is_complete(h, id)) return;
  if (beats(excess, id, h->violation, h->least_violation)) {
    h->violation = excess;
    h->least_violation = id;
  }
  if (!gannet_history_is_feasible(h, id) || !beats(value, id, h->best_value, h->best)) return;
  h->best_value = value;
  h->best = id;
}

/* Objective m of a row, minimised. */
static double value_of(const gannet_history *h, int64_t id, int m) {
  double y[GANNET_OBJECTIVES_MOST];
  gannet_history_objectives(h, id, y);
  return y[m];
}

static void compare_constraints(gannet_history *h, int64_t id) {
  if (gannet_problem_find_missing(h->problem, 1, NAN, gannet_history_constraints(h, id)) >= 0)
    return;
  const double *first = gannet_history_constraints(h, h->first_done < 0 ? id : h->first_done);
  const double *value = gannet_history_constraints(h, id);
  if (h->first_done < 0) h->first_done = id;
  for (int k = 0; k < h->problem->spec.n_constraints; ++k)
    h->is_varied = h->is_varied || value[k] != first[k];
}

/* Whether an earlier run of the same design, on purpose, has the same value of objective m: a
 * simulation without noise gives no penalty by that. */
static bool repeats_value(const gannet_history *h, int64_t id, int m) {
  if (h->replicates == 1) return false;
  for (int64_t run = h->same->first[id]; run >= 0; run = h->same->next[run])
    if (run != id && h->row[run].status == GANNET_EVAL_DONE &&
        value_of(h, run, m) == value_of(h, id, m))
      return true;
  return false;
}

/* Take objective m of a row that is done into account where penalties are told from values. A gap
 * is looked for among all results while there are few, or else the one that was found last stays.
 */
static void note_value(gannet_history *h, int64_t id, int m) {
  gannet_gap_result results[GANNET_GAP_RESULTS];
  const double value = value_of(h, id, m);
  int n = 0;
  if (isnan(value)) return;
  if (!repeats_value(h, id, m)) gannet_penalty_note(&h->penalty[m], value);
  h->n_values[m] += 1;
  if (h->n_values[m] > GANNET_GAP_RESULTS) {
    gannet_gap_note(&h->gap[m], value);
    return;
  }
  for (int64_t i = 0; i < h->n_told && n < GANNET_GAP_RESULTS; ++i) {
    const int64_t done = h->order[i];
    const double y = h->row[done].status == GANNET_EVAL_DONE ? value_of(h, done, m) : NAN;
    if (!isnan(y)) results[n++] = (gannet_gap_result){y, gannet_history_x_unit(h, done)};
  }
  gannet_gap_find(&h->gap[m], n, results, h->problem->d);
}

static void compare_row_with_gaps(gannet_history *h, int64_t id) {
  int known = 0, above = 0;
  if (h->row[id].status != GANNET_EVAL_DONE) return;
  for (int m = 0; m < h->several; ++m) {
    const double y = value_of(h, id, m);
    known += !isnan(y);
    above += y >= h->parted_at[m];
  }
  if (above != 0 && above != known) h->is_parted_alike = false;
  if (known == h->several && above == 0 && gannet_history_is_feasible(h, id))
    h->is_feasible_below = true;
}

/* Whether the gaps of several objectives part the same rows: then a feasible row below them
 * dominates all rows above, and no front reaches across. A front may reach across a gap of some.
 * Where no gap has moved, only the row that was told last is new. */
static bool compare_gaps(gannet_history *h) {
  int64_t count;
  bool all = true, moved = false;
  for (int m = 0; m < h->several; ++m) {
    const double least = gannet_gap_least(&h->gap[m], &count);
    all = all && isfinite(least);
    moved = moved || least != h->parted_at[m];
    h->parted_at[m] = least;
  }
  if (!all) return false;
  if (moved) {
    h->is_parted_alike = true;
    h->is_feasible_below = false;
  }
  for (int64_t i = moved ? 0 : h->n_told - 1; i < h->n_told; ++i)
    compare_row_with_gaps(h, h->order[i]);
  return h->is_parted_alike && h->is_feasible_below;
}

gannet_err gannet_history_tell(gannet_history *h, const gannet_result_record *result) {
  const int64_t id = result->id;
  const gannet_eval_status status = result->status;
  GANNET_REQUIRE(0 <= id && id < h->n, GANNET_ERR_ARG, "evaluation %lld was never proposed",
                 (long long)id);
  GANNET_REQUIRE(status == GANNET_EVAL_DONE || status == GANNET_EVAL_CANNOT_RUN ||
                     status == GANNET_EVAL_FAILED || status == GANNET_EVAL_DISCARDED,
                 GANNET_ERR_ARG, "status %d is not an outcome", (int)status);
  gannet_evaluation *row = &h->row[id];
  GANNET_REQUIRE(row->status == GANNET_EVAL_PENDING || row->status == GANNET_EVAL_FAILED,
                 GANNET_ERR_STATE, "evaluation %lld already has the result '%s'", (long long)id,
                 gannet_eval_status_phrase(row->status));
  if (status == GANNET_EVAL_DONE) GANNET_TRY(check_values(h, result));
  GANNET_TRY(
      gannet_quantities_copy(&result->reported, h->problem->spec.n_variables, &h->reported[id]));
  if (row->status == GANNET_EVAL_FAILED) forget_arrival(h, id);
  h->order[h->n_told++] = id;
  h->n_status[row->status] -= 1;
  h->n_status[status] += 1;
  row->status = status;
  row->run = result->run;
  if (status == GANNET_EVAL_DISCARDED) count_listed(h, id, -1);
  if (status != GANNET_EVAL_DONE) return GANNET_OK;
  const int k = h->problem->spec.n_constraints;
  /* One NAN for all that is missing: equal results have equal bits. */
  row->objective = isnan(result->objective) ? NAN : result->objective;
  for (int i = 0; i < k; ++i)
    h->constraint[id * k + i] = isnan(result->constraints[i]) ? NAN : result->constraints[i];
  take_error_bars(h, id);
  h->n_feasible += gannet_history_is_feasible(h, id);
  compare_constraints(h, id);
  h->n_objectives += !isnan(row->objective);
  for (int m = 0; m < h->several; ++m) note_value(h, id, m);
  h->gaps_agree = h->several > 1 && compare_gaps(h);
  if (isnan(row->objective)) return GANNET_OK;
  h->n_error_bars += *gannet_history_sd(h, id) > 0;
  keep_best(h, id);
  return GANNET_OK;
}

void gannet_history_forget_results(gannet_history *h) {
  const int k = h->problem->spec.n_constraints;
  for (int64_t id = 0; id < h->n; ++id) {
    gannet_evaluation *row = &h->row[id];
    if (row->status == GANNET_EVAL_DISCARDED) count_listed(h, id, 1);
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
  for (int64_t id = 0; id < h->n; ++id) count_listed(h, id, -1);
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

double gannet_history_penalty(const gannet_history *history, int m, int64_t *count) {
  const gannet_problem_spec *spec = &history->problem->spec;
  int64_t above;
  const bool is_constant = history->several == 1 && history->penalty[m].n == 1;
  *count = 0;
  if (history->at_its_word || (is_constant && history->is_varied)) return INFINITY;
  if (spec->n_objectives > 0 && spec->objectives[m].keeps_penalties) return INFINITY;
  const double equal = gannet_penalty_least(&history->penalty[m], count);
  const double apart = gannet_gap_least(&history->gap[m], &above);
  if (equal <= apart || (history->several > 1 && !history->gaps_agree)) return equal;
  *count = above;
  return apart;
}

bool gannet_history_has_penalties(const gannet_history *history) {
  int64_t count = 0;
  for (int m = 0; m < history->several && count == 0; ++m)
    (void)gannet_history_penalty(history, m, &count);
  return count > 0;
}

bool gannet_history_is_penalty(const gannet_history *history, int64_t id) {
  double y[GANNET_OBJECTIVES_MOST];
  int64_t count;
  if (history->row[id].status != GANNET_EVAL_DONE) return false;
  gannet_history_objectives(history, id, y);
  for (int m = 0; m < history->several; ++m)
    if (y[m] >= gannet_history_penalty(history, m, &count)) return true;
  return false;
}

int64_t gannet_history_count_observations(const gannet_history *history) {
  int64_t penalties, n = 0;
  if (!gannet_history_has_penalties(history)) return history->n_objectives;
  (void)gannet_history_penalty(history, 0, &penalties);
  if (history->several == 1 && history->replicates == 1) return history->n_objectives - penalties;
  /* Of runs on purpose a penalty is counted once for a design, and of several objectives more than
   * one may be a penalty. */
  for (int64_t id = 0; id < history->n; ++id) n += gannet_history_is_observation(history, id);
  return n;
}

bool gannet_history_is_constant(const gannet_history *history) {
  return history->several == 1 && history->n_objectives > 0 &&
         gannet_history_count_observations(history) == 0;
}

bool gannet_history_is_objective_constant(const gannet_history *history, int m, double *value) {
  enum { TELLING = 3 /* results: two may be equal by chance where values are few */ };
  const gannet_penalty *values = &history->penalty[m];
  if (history->several == 1 || values->n != 1 || values->worst[0].count < TELLING) return false;
  *value = values->best;
  return true;
}

bool gannet_history_is_observation(const gannet_history *history, int64_t id) {
  const gannet_evaluation *row = &history->row[id];
  return row->status == GANNET_EVAL_DONE && !isnan(row->objective) &&
         !gannet_history_is_penalty(history, id);
}

bool gannet_history_is_sound(const gannet_history *history, int64_t id) {
  const int feasibility = gannet_history_feasibility(history, id);
  return feasibility == 0 || (feasibility > 0 && gannet_history_is_observation(history, id));
}

bool gannet_history_is_bad(const gannet_history *history, int64_t id) {
  const gannet_evaluation *row = &history->row[id];
  if (row->status == GANNET_EVAL_DONE)
    return gannet_history_is_penalty(history, id) && gannet_history_feasibility(history, id) != 0;
  return row->status == GANNET_EVAL_CANNOT_RUN ||
         (row->status == GANNET_EVAL_FAILED && row->run.crashed);
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
