#include "optimizer/models/convergence.h"

#include <math.h>

#include "base/memory.h"
#include "problem/objectives.h"
#include "search/merit_rank.h"

/* Largest distance along any variable, as a share of its range. Where the objective is smooth,
 * values at one place differ by about the square of that, in units of what it varies by over the
 * ranges. */
static const double reach = 1e-3;

/* Differences of the best values, as a share of how much worse those elsewhere are, below which
 * they are nobody's concern. */
static const double digits = 1e-9;

/* The same share, per distance, below which a basin is round. Values rise with the square of the
 * distance there, and in proportion to it beside a ridge. */
static const double rise = 0.03;

/* Largest distance along any variable. */
static double distance(int d, const double *x, const double *other) {
  double far = 0;
  for (int k = 0; k < d; ++k) far = fmax(far, fabs(x[k] - other[k]));
  return far;
}

bool gannet_convergence_is_near(int d, const double *x, const double *other) {
  return distance(d, x, other) <= reach;
}

/* The feasible results of a history. */
typedef struct {
  int64_t n;                 /* evaluations */
  int most, found;           /* d + 1, and how many of the best there are */
  gannet_merit_rank *merits; /* [n] */
  gannet_merit_rank *best;   /* [most], best first; in the same memory */
} ranking;

static gannet_err rank_all(const gannet_history *history, ranking *r) {
  r->n = gannet_history_count(history);
  r->most = gannet_history_problem(history)->d + 1;
  if (gannet_history_count_told(history) < 2 * r->most) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)r->n + (size_t)r->most, sizeof *r->merits, &r->merits));
  r->best = r->merits + r->n;
  GANNET_TRY(gannet_merit_rank_all(history, 0, r->merits));
  for (int64_t i = 0; i < r->n; ++i)
    if (!(r->merits[i].violation > 0))
      r->found = gannet_merit_rank_insert(&r->merits[i], r->most, r->found, r->best);
  return GANNET_OK;
}

static bool is_near_best(const gannet_history *history, const ranking *r, int64_t id) {
  return gannet_convergence_is_near(gannet_history_problem(history)->d,
                                    gannet_history_x_unit(history, r->best[0].id),
                                    gannet_history_x_unit(history, id));
}

/* Whether most of the feasible results elsewhere are worse than the best one by at least so much.
 */
static bool are_worse(const gannet_history *history, const ranking *r, double by) {
  int64_t worse = 0, all = 0;
  for (int64_t i = 0; i < r->n; ++i) {
    if (r->merits[i].violation > 0 || is_near_best(history, r, r->merits[i].id)) continue;
    all += 1;
    worse += gannet_problem_excess(r->merits[i].value, r->best[0].value) >= by;
  }
  return all > 0 && 2 * worse >= all;
}

gannet_err gannet_convergence_find(const gannet_history *history, gannet_convergence *convergence) {
  ranking r = {0};
  *convergence = (gannet_convergence){.at = -1};
  if (gannet_problem_n_objectives(gannet_history_problem(history)) > 1) return GANNET_OK;
  const gannet_err err = rank_all(history, &r);
  bool together = err == GANNET_OK && r.found == r.most;
  for (int j = 1; j < r.most && together; ++j) together = is_near_best(history, &r, r.best[j].id);
  if (together) {
    const double spread = gannet_problem_excess(r.best[r.most - 1].value, r.best[0].value);
    double far = 0;
    for (int j = 1; j < r.most; ++j)
      far = fmax(far, distance(r.most - 1, gannet_history_x_unit(history, r.best[0].id),
                               gannet_history_x_unit(history, r.best[j].id)));
    *convergence = (gannet_convergence){r.best[0].id, are_worse(history, &r, spread / digits),
                                        far > 0 && are_worse(history, &r, spread / (rise * far))};
  }
  gannet_free(&r.merits);
  return err;
}
