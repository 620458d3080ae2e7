#include "optimizer/settled.h"

#include <math.h>

#include "base/memory.h"
#include "search/standing.h"

/* Largest distance along any variable, as a share of its range. Where the objective is smooth,
 * values at one place differ by about the square of that, in units of what it varies by over the
 * ranges. */
static const double reach = 1e-3;

/* Differences of the best values, as a share of how much worse those elsewhere are, below which
 * they are nobody's concern. */
static const double digits = 1e-9;

bool gannet_settled_is_place(int d, const double *x, const double *other) {
  double far = 0;
  for (int k = 0; k < d; ++k) far = fmax(far, fabs(x[k] - other[k]));
  return far <= reach;
}

/* The best `most` of the feasible ones, in order; fewer when there are fewer. */
static int64_t find_best(int64_t n, const gannet_standing *standing, int64_t most,
                         const gannet_standing **best) {
  int64_t have = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (standing[i].violation > 0) continue;
    int64_t at = have;
    while (at > 0 && gannet_standing_is_better(&standing[i], best[at - 1])) --at;
    if (at == most) continue;
    have += have < most;
    for (int64_t j = have - 1; j > at; --j) best[j] = best[j - 1];
    best[at] = &standing[i];
  }
  return have;
}

/* The best d + 1 results of a history, when there are enough. */
typedef struct {
  int64_t n;                    /* evaluations */
  int64_t most;                 /* d + 1 */
  gannet_standing *standing;    /* [n] */
  const gannet_standing **best; /* [most]; NULL = there are not enough */
} leaders;

static void drop(leaders *l) {
  gannet_free(&l->best);
  gannet_free(&l->standing);
}

static gannet_err find_leaders(const gannet_history *history, leaders *l) {
  *l =
      (leaders){.n = gannet_history_count(history), .most = gannet_history_problem(history)->d + 1};
  if (gannet_history_count_told(history) < 2 * l->most) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)l->n, sizeof *l->standing, &l->standing));
  GANNET_TRY(gannet_standing_all(history, 0, l->standing));
  GANNET_TRY(gannet_alloc((size_t)l->most, sizeof *l->best, &l->best));
  if (find_best(l->n, l->standing, l->most, l->best) < l->most) gannet_free(&l->best);
  return GANNET_OK;
}

static bool is_there(const gannet_history *history, const leaders *l, int64_t id) {
  return gannet_settled_is_place(gannet_history_problem(history)->d,
                                 gannet_history_x_unit(history, l->best[0]->id),
                                 gannet_history_x_unit(history, id));
}

static bool are_together(const gannet_history *history, const leaders *l) {
  if (!l->best) return false;
  for (int64_t j = 1; j < l->most; ++j)
    if (!is_there(history, l, l->best[j]->id)) return false;
  return true;
}

gannet_err gannet_settled_find(const gannet_history *history, int64_t *id) {
  leaders l;
  const gannet_err err = find_leaders(history, &l);
  *id = err == GANNET_OK && are_together(history, &l) ? l.best[0]->id : -1;
  drop(&l);
  return err;
}

/* Whether most of the feasible results elsewhere are worse than the best one by at least so much.
 */
static bool are_worse(const gannet_history *history, const leaders *l, double by) {
  int64_t worse = 0, all = 0;
  for (int64_t i = 0; i < l->n; ++i) {
    if (l->standing[i].violation > 0 || is_there(history, l, l->standing[i].id)) continue;
    all += 1;
    worse += gannet_problem_excess(l->standing[i].value, l->best[0]->value) >= by;
  }
  return all > 0 && 2 * worse >= all;
}

gannet_err gannet_settled_is_finished(const gannet_history *history, bool *finished) {
  leaders l;
  const gannet_err err = find_leaders(history, &l);
  *finished = false;
  if (err == GANNET_OK && are_together(history, &l)) {
    const double spread = gannet_problem_excess(l.best[l.most - 1]->value, l.best[0]->value);
    *finished = are_worse(history, &l, spread / digits);
  }
  drop(&l);
  return err;
}
