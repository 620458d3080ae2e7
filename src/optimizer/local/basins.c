#include "optimizer/local/basins.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "problem/objectives.h"
#include "search/merit_rank.h"

/* Of the critical distance as published: among points that a model chose, instead of a uniform
 * sample, it would join neighbouring basins. */
static const double share_of_distance = 0.5;
static const double published_sigma = 4;

/* Share of the ranges within which the best results of a basin lie at one place; results for each
 * coefficient of a linear model after which a basin is searched, whatever they say; and the best
 * results among which basins are looked for. */
static const double reach = 0.03;
enum { SEARCHED_BY = 10, RESULTS_MOST = 1000 };

typedef struct {
  gannet_merit_rank merit;
  int basin; /* basins are numbered from the best on */
} result;

static int best_first(const void *a, const void *b) {
  const result *x = a, *y = b;
  return gannet_merit_rank_is_better(&x->merit, &y->merit) ? -1 : 1;
}

/* The feasible results of this campaign, best first; returns how many. */
static gannet_err sort_results(const gannet_history *history, result *results, int64_t *n) {
  const int64_t count = gannet_history_count(history);
  gannet_merit_rank *merits = NULL;
  *n = 0;
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *merits, &merits));
  const gannet_err err = gannet_merit_rank_all(history, 0, merits);
  for (int64_t id = 0; id < count && err == GANNET_OK; ++id)
    if (!(merits[id].violation > 0) && !gannet_history_get(history, id)->elsewhere)
      results[(*n)++] = (result){merits[id], -1};
  gannet_free(&merits);
  qsort(results, (size_t)*n, sizeof *results, best_first);
  return err;
}

/* The basin of a result, given those of the better ones; `next` where it leads one. */
static int basin_of(const gannet_history *history, const result *results, int i, double distance,
                    int next) {
  const int d = gannet_history_problem(history)->d;
  const double *x = gannet_history_x_unit(history, results[i].merit.id);
  double least = distance * distance;
  int basin = next;
  for (int j = 0; j < i; ++j) {
    const double *better = gannet_history_x_unit(history, results[j].merit.id);
    double square = 0;
    for (int k = 0; k < d && square < least; ++k) square += (x[k] - better[k]) * (x[k] - better[k]);
    if (!(square < least)) continue;
    least = square;
    basin = results[j].basin;
  }
  return basin;
}

/* Whether a basin is searched. */
static bool is_searched(const gannet_history *history, int n, const result *results, int basin) {
  const int d = gannet_history_problem(history)->d;
  const double *leader = NULL;
  double best = 0, last = 0, far = 0;
  int found = 0;
  for (int i = 0; i < n; ++i) {
    if (results[i].basin != basin) continue;
    const double *x = gannet_history_x_unit(history, results[i].merit.id);
    if (++found > d + 1) continue;
    if (found == 1) best = results[i].merit.value, leader = x;
    last = results[i].merit.value;
    for (int k = 0; k < d; ++k) far = fmax(far, fabs(x[k] - leader[k]));
  }
  const double missing = gannet_problem_excess(best, results[0].merit.value);
  return found >= SEARCHED_BY * (d + 1) ||
         (found > d && far <= reach && gannet_problem_excess(last, best) < missing);
}

/* Sort the results into basins, and mark those of basins that are searched. The critical distance
 * is (Gamma(1 + d/2) sigma log(n) / n)^(1/d) / sqrt(pi) in the unit cube. */
static gannet_err find_next(const gannet_history *history, result *results, local_basins *basins) {
  int64_t n_results = 0;
  int found = 0, next = 1;
  GANNET_TRY(sort_results(history, results, &n_results));
  const int d = gannet_history_problem(history)->d;
  const double share = published_sigma * log((double)n_results) / (double)n_results;
  const double distance =
      share_of_distance * exp((lgamma(1 + 0.5 * d) + log(share)) / d) / sqrt(acos(-1));
  const int n = n_results < RESULTS_MOST ? (int)n_results : RESULTS_MOST;
  for (int i = 0; i < n; ++i) {
    results[i].basin = basin_of(history, results, i, distance, found);
    found += results[i].basin == found;
  }
  while (next < found && is_searched(history, n, results, next)) ++next;
  if (next >= found) return GANNET_OK;
  const size_t count = (size_t)gannet_history_count(history);
  GANNET_TRY(gannet_alloc(count, sizeof *basins->searched, &basins->searched));
  for (int i = n - 1; i >= 0; --i) {
    basins->searched[results[i].merit.id] = results[i].basin < next;
    if (results[i].basin == next) basins->centre = results[i].merit.id;
  }
  return GANNET_OK;
}

gannet_err local_basins_find(const gannet_history *history, local_basins *basins) {
  result *results = NULL;
  *basins = (local_basins){.centre = -1};
  GANNET_TRY(gannet_alloc((size_t)gannet_history_count(history) + 1, sizeof *results, &results));
  const gannet_err err = find_next(history, results, basins);
  gannet_free(&results);
  return err;
}

void local_basins_release(local_basins *basins) {
  gannet_free(&basins->searched);
}
