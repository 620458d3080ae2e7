/* What the models think best: of what was observed, and of what is believed. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/contenders.h"
#include "optimizer/models_impl.h"

/* The contenders among the objective's observations from id first on. */
static gannet_err find_contenders(gannet_models *m, int64_t first) {
  const gannet_model *one = &m->model[0];
  const size_t most = GANNET_CONTENDERS_ALL;
  if (m->contenders_from == first) return GANNET_OK;
  if (!m->contender) GANNET_TRY(gannet_alloc(most, sizeof *m->contender, &m->contender));
  if (!m->contender_id) GANNET_TRY(gannet_alloc(most, sizeof *m->contender_id, &m->contender_id));
  m->contenders_from = -1; /* should the next step fail */
  GANNET_TRY(gannet_contenders_find(m->history, one->n - one->n_believed, one->id, first,
                                    &m->n_contenders, m->contender));
  for (int i = 0; i < m->n_contenders; ++i) m->contender_id[i] = one->id[m->contender[i]];
  m->contenders_from = first;
  return GANNET_OK;
}

gannet_err gannet_models_contenders(gannet_models *m, int *n, const int64_t **id) {
  GANNET_TRY(find_contenders(m, 0));
  *n = m->n_contenders;
  *id = m->contender_id;
  return GANNET_OK;
}

/* How far above the least of what is nearly the means a contender may be to be looked at, and how
 * near these must be; standardised. */
static const double within = 1e-4, near = 1e-6;

/* Contenders are looked at in some of their number; the others are known to have no least mean. */
typedef struct {
  int n;
  int place[GANNET_CONTENDERS_ALL]; /* in the list of contenders */
  double nearly[GANNET_CONTENDERS_ALL];
} chosen;

static bool is_feasible(const gannet_models *m, int i) {
  return gannet_problem_is_feasible(m->problem,
                                    gannet_history_constraints(m->history, m->contender_id[i]));
}

static void choose_all(const gannet_models *m, chosen *c) {
  c->n = m->n_contenders;
  for (int i = 0; i < c->n; ++i) c->place[i] = i;
}

/* Those that may be the least of all, or of the feasible ones, by nearly their means [n]. */
static void choose_least(const gannet_models *m, const double *nearly, chosen *c) {
  double least[2] = {INFINITY, INFINITY};
  c->n = 0;
  for (int i = 0; i < m->n_contenders; ++i) {
    c->nearly[i] = nearly[m->contender[i]];
    least[0] = fmin(least[0], c->nearly[i]);
    if (is_feasible(m, i)) least[1] = fmin(least[1], c->nearly[i]);
  }
  for (int i = 0; i < m->n_contenders; ++i)
    if (!(c->nearly[i] > least[0] + within) ||
        (!(c->nearly[i] > least[1] + within) && is_feasible(m, i)))
      c->place[c->n++] = i;
}

/* Means of the objective's model at the chosen ones, into m->work. */
static gannet_err look_at(gannet_models *m, const chosen *c) {
  const gannet_model *one = &m->model[0];
  const size_t d = (size_t)m->problem->d;
  double mean[GANNET_TILE], *x = NULL;
  GANNET_TRY(gannet_alloc(GANNET_TILE * d, sizeof *x, &x));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < m->n_contenders; ++i) m->work[i] = INFINITY;
  for (int at = 0; at < c->n && err == GANNET_OK; at += GANNET_TILE) {
    const int left = c->n - at, count = left < GANNET_TILE ? left : GANNET_TILE;
    for (int i = 0; i < count; ++i)
      memcpy(x + (size_t)i * d, one->x + (size_t)m->contender[c->place[at + i]] * d, d * sizeof *x);
    err = gannet_surrogate_predict(one->surrogate, count, x, mean, NULL);
    for (int i = 0; i < count; ++i) m->work[c->place[at + i]] = mean[i];
  }
  gannet_free(&x);
  return err;
}

static bool were_near(const gannet_models *m, const chosen *c) {
  for (int i = 0; i < c->n; ++i)
    if (!(fabs(m->work[c->place[i]] - c->nearly[c->place[i]]) <= near)) return false;
  return true;
}

/* Means of the objective's model at the contenders, into m->work; INFINITY at those that cannot be
 * the least, where the model tells all of them nearly. */
static gannet_err contend(gannet_models *m, int64_t first) {
  const gannet_model *one = &m->model[0];
  double *nearly = NULL;
  chosen *c = NULL;
  GANNET_TRY(find_contenders(m, first));
  gannet_err err = gannet_alloc(1, sizeof *c, &c);
  if (err == GANNET_OK) err = gannet_alloc((size_t)one->n, sizeof *nearly, &nearly);
  if (err == GANNET_OK) {
    const bool told = gannet_surrogate_fitted(one->surrogate, nearly);
    if (told) choose_least(m, nearly, c);
    if (told) err = look_at(m, c);
    if (!told || (err == GANNET_OK && !were_near(m, c))) {
      choose_all(m, c);
      err = look_at(m, c);
    }
  }
  gannet_free(&nearly);
  gannet_free(&c);
  return err;
}

double gannet_models_least_believed(const gannet_models *m) {
  const gannet_model *of = m->model;
  double least = INFINITY;
  for (int back = 1; back <= of->n_believed; ++back) {
    bool allowed = true;
    for (int i = 1; i < gannet_models_count(m); ++i)
      allowed = allowed && of[i].y[of[i].n - back] <= of[i].threshold;
    if (allowed) least = fmin(least, of->y[of->n - back]);
  }
  return least;
}

gannet_err gannet_models_incumbent(gannet_models *m, double *value) {
  double least[2] = {INFINITY, INFINITY}; /* all, feasible */
  GANNET_TRY(contend(m, 0));
  for (int i = 0; i < m->n_contenders; ++i) {
    const double *constraints = gannet_history_constraints(m->history, m->contender_id[i]);
    least[0] = fmin(least[0], m->work[i]);
    if (gannet_problem_is_feasible(m->problem, constraints)) least[1] = fmin(least[1], m->work[i]);
  }
  if (isfinite(least[1])) least[1] = fmin(least[1], gannet_models_least_believed(m));
  *value = isfinite(least[1]) ? least[1] : isfinite(least[0]) ? least[0] : 0;
  return GANNET_OK;
}

double gannet_models_margin(const gannet_models *m) {
  return m->settled ? 0.1 : 0;
}

gannet_err gannet_models_best(gannet_models *m, int64_t first, int64_t *id) {
  double least = INFINITY;
  *id = -1;
  GANNET_TRY(contend(m, first));
  for (int i = 0; i < m->n_contenders; ++i) {
    const int64_t one = m->contender_id[i];
    if (m->work[i] >= least) continue;
    if (!gannet_problem_is_feasible(m->problem, gannet_history_constraints(m->history, one)))
      continue;
    least = m->work[i];
    *id = one;
  }
  return GANNET_OK;
}
