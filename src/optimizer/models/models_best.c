/* Which observations and fantasies the models think best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/models_impl.h"
#include "problem/runs.h"
#include "search/merit_rank.h"

typedef struct {
  gannet_merit_rank merit;
  int position;
} place;

static int better_first(const void *a, const void *b) {
  const place *left = a, *right = b;
  if (gannet_merit_rank_is_better(&left->merit, &right->merit)) return -1;
  return gannet_merit_rank_is_better(&right->merit, &left->merit);
}

static int ascending(const void *a, const void *b) {
  const int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

/* Choose incumbent candidates from observations that are ranked, best first. */
static int choose_best_ranked(int n, const place *places, int *found) {
  int taken = 0, outside = 0;
  for (int i = 0; i < n && outside < GANNET_INCUMBENT_CANDIDATES_BEST; ++i) {
    const bool infeasible = places[i].merit.violation > 0;
    if (i >= GANNET_INCUMBENT_CANDIDATES_BEST && !infeasible) continue;
    outside += infeasible && i >= GANNET_INCUMBENT_CANDIDATES_BEST;
    found[taken++] = places[i].position;
  }
  qsort(found, (size_t)taken, sizeof *found, ascending);
  return taken;
}

static gannet_err rank_from(const gannet_history *history, int n, const int64_t *id, int64_t first,
                            place *places, int *later) {
  const size_t count = (size_t)gannet_history_count(history);
  gannet_merit_rank *merits = NULL;
  GANNET_TRY(gannet_alloc(count, sizeof *merits, &merits));
  const gannet_err err = gannet_merit_rank_all(history, 0, merits);
  *later = 0;
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    if (id[i] >= first && !gannet_history_get(history, id[i])->elsewhere)
      places[(*later)++] = (place){merits[id[i]], i};
  qsort(places, (size_t)*later, sizeof *places, better_first);
  gannet_free(&merits);
  return err;
}

gannet_err gannet_incumbent_candidates_find(const gannet_history *history, int n, const int64_t *id,
                                            int64_t first, int *n_found, int *found) {
  place *places = NULL;
  int later = 0;
  *n_found = 0;
  for (int i = 0; i < n; ++i) {
    if (id[i] < first || gannet_history_get(history, id[i])->elsewhere) continue;
    if (later++ < GANNET_INCUMBENT_CANDIDATES_ALL) found[(*n_found)++] = i;
  }
  if (later <= GANNET_INCUMBENT_CANDIDATES_ALL) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)later, sizeof *places, &places));
  const gannet_err err = rank_from(history, n, id, first, places, &later);
  if (err == GANNET_OK) *n_found = choose_best_ranked(later, places, found);
  gannet_free(&places);
  return err;
}

/* The incumbent candidates among the objective's observations from id first on. */
static gannet_err find_incumbent_candidates(gannet_models *m, int64_t first) {
  const gannet_model *one = &m->model[0];
  const size_t most = GANNET_INCUMBENT_CANDIDATES_ALL;
  if (m->incumbents_from == first) return GANNET_OK;
  if (!m->incumbent_row)
    GANNET_TRY(gannet_alloc(most, sizeof *m->incumbent_row, &m->incumbent_row));
  if (!m->incumbent_id) GANNET_TRY(gannet_alloc(most, sizeof *m->incumbent_id, &m->incumbent_id));
  m->incumbents_from = -1; /* should the next step fail */
  GANNET_TRY(gannet_incumbent_candidates_find(m->history, one->n - one->n_fantasies, one->id, first,
                                              &m->n_incumbents, m->incumbent_row));
  for (int i = 0; i < m->n_incumbents; ++i) m->incumbent_id[i] = one->id[m->incumbent_row[i]];
  m->incumbents_from = first;
  return GANNET_OK;
}

gannet_err gannet_models_incumbent_candidates(gannet_models *m, int *n, const int64_t **id) {
  GANNET_TRY(find_incumbent_candidates(m, 0));
  *n = m->n_incumbents;
  *id = m->incumbent_id;
  return GANNET_OK;
}

/* How far above the least of what is nearly the means a incumbent candidate may be to be looked at,
 * and how near these must be; standardised. */
static const double within = 1e-4, near = 1e-6;

/* Incumbent candidates are looked at in some of their number; the others are known to have no least
 * mean. */
typedef struct {
  int n;
  int place[GANNET_INCUMBENT_CANDIDATES_ALL]; /* in the list of incumbent candidates */
  double nearly[GANNET_INCUMBENT_CANDIDATES_ALL];
} chosen;

static bool is_feasible(const gannet_models *m, int i) {
  return gannet_problem_is_feasible(m->problem,
                                    gannet_history_constraints(m->history, m->incumbent_id[i]));
}

/* Choose the candidates that may have the least mean of all, or of the feasible ones. nearly: [n]
 * approximate means */
static void choose_least(const gannet_models *m, const double *nearly, chosen *c) {
  double least[2] = {INFINITY, INFINITY};
  c->n = 0;
  for (int i = 0; i < m->n_incumbents; ++i) {
    c->nearly[i] = nearly[m->incumbent_row[i]];
    least[0] = fmin(least[0], c->nearly[i]);
    if (is_feasible(m, i)) least[1] = fmin(least[1], c->nearly[i]);
  }
  for (int i = 0; i < m->n_incumbents; ++i)
    if (!(c->nearly[i] > least[0] + within) ||
        (!(c->nearly[i] > least[1] + within) && is_feasible(m, i)))
      c->place[c->n++] = i;
}

/* Means of the objective's model at the chosen ones, into m->work. */
static gannet_err predict_chosen(gannet_models *m, const chosen *c) {
  const gannet_model *one = &m->model[0];
  const size_t d = (size_t)m->problem->d;
  double mean[GANNET_TILE], *x = NULL;
  GANNET_TRY(gannet_alloc(GANNET_TILE * d, sizeof *x, &x));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < m->n_incumbents; ++i) m->work[i] = INFINITY;
  for (int at = 0; at < c->n && err == GANNET_OK; at += GANNET_TILE) {
    const int left = c->n - at, count = left < GANNET_TILE ? left : GANNET_TILE;
    for (int i = 0; i < count; ++i)
      memcpy(x + (size_t)i * d, one->x + (size_t)m->incumbent_row[c->place[at + i]] * d,
             d * sizeof *x);
    err = gannet_surrogate_predict(one->surrogate, count, x, mean, NULL);
    for (int i = 0; i < count; ++i) m->work[c->place[at + i]] = mean[i];
  }
  gannet_free(&x);
  return err;
}

/* Means of the objective's model at the incumbent candidates, into m->work; INFINITY at those that
 * cannot be the least, where the model tells all of them nearly. */
static gannet_err find_means_at_incumbents(gannet_models *m, int64_t first) {
  const gannet_model *one = &m->model[0];
  double *nearly = NULL;
  chosen *c = NULL;
  GANNET_TRY(find_incumbent_candidates(m, first));
  gannet_err err = gannet_alloc(1, sizeof *c, &c);
  if (err == GANNET_OK) err = gannet_alloc((size_t)one->n, sizeof *nearly, &nearly);
  if (err == GANNET_OK) {
    bool near_enough = gannet_surrogate_fitted(one->surrogate, nearly);
    if (near_enough) {
      choose_least(m, nearly, c);
      err = predict_chosen(m, c);
      for (int i = 0; i < c->n && err == GANNET_OK && near_enough; ++i)
        near_enough = fabs(m->work[c->place[i]] - c->nearly[c->place[i]]) <= near;
    }
    if (err == GANNET_OK && !near_enough) {
      c->n = m->n_incumbents;
      for (int i = 0; i < c->n; ++i) c->place[i] = i;
      err = predict_chosen(m, c);
    }
  }
  gannet_free(&nearly);
  gannet_free(&c);
  return err;
}

double gannet_models_least_fantasy(const gannet_models *m) {
  const gannet_model *of = m->model;
  double least = INFINITY;
  for (int back = 1; back <= of->n_fantasies; ++back) {
    bool allowed = true;
    for (int i = 1; i < gannet_models_count(m); ++i)
      if (gannet_models_objective(m, i) < 0)
        allowed = allowed && of[i].y[of[i].n - back] <= of[i].threshold;
    if (allowed) least = fmin(least, of->y[of->n - back]);
  }
  return least;
}

gannet_err gannet_models_incumbent(gannet_models *m, double *value) {
  double least[2] = {INFINITY, INFINITY}; /* all, feasible */
  GANNET_TRY(find_means_at_incumbents(m, 0));
  for (int i = 0; i < m->n_incumbents; ++i) {
    const double *constraints = gannet_history_constraints(m->history, m->incumbent_id[i]);
    least[0] = fmin(least[0], m->work[i]);
    if (gannet_problem_is_feasible(m->problem, constraints)) least[1] = fmin(least[1], m->work[i]);
  }
  if (isfinite(least[1])) least[1] = fmin(least[1], gannet_models_least_fantasy(m));
  *value = isfinite(least[1]) ? least[1] : isfinite(least[0]) ? least[0] : 0;
  return GANNET_OK;
}

double gannet_models_required_improvement(const gannet_models *m) {
  return m->converged ? 0.1 : 0;
}

gannet_err gannet_models_best(gannet_models *m, int64_t first, int64_t *id) {
  gannet_runs runs;
  double least = INFINITY;
  *id = -1;
  GANNET_TRY(find_means_at_incumbents(m, first));
  for (int i = 0; i < m->n_incumbents; ++i) {
    const int64_t one = m->incumbent_id[i];
    if (m->work[i] >= least) continue;
    if (!gannet_problem_is_feasible(m->problem, gannet_history_constraints(m->history, one)))
      continue;
    gannet_runs_find(m->history, one, NULL, &runs);
    if (gannet_history_joins_runs(m->history) && runs.violation != 0) continue;
    least = m->work[i];
    *id = gannet_history_joins_runs(m->history) ? runs.id : one;
  }
  return GANNET_OK;
}
