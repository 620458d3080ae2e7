#include "optimizer/models/noise_test.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/vector_clones.h"
#include "problem/objectives.h"

enum { NEAREST = 3, LEAST_PAIRS = 8 };
static const double steepest = 0.5, errors = 1.5;

/* Largest variance of the logarithms of differences of one size, three times that of a normal
 * number's size (docs/benchmarks/landscapes.md, Clusters of atoms). */
static const double largest_variance = 3 * 1.23;

/* A point and one of its nearest ones: logarithms of the distance and of the difference of values.
 */
typedef struct {
  double far, apart;
} pair;

/* The nearest points of one point, nearest first; id is -1 where there are fewer. */
typedef struct {
  double distance[NEAREST]; /* squared */
  int id[NEAREST];
} nearest;

typedef struct {
  int n, d;
  double *x;        /* [d][GANNET_NOISE_TEST_MOST] */
  double *y;        /* [n] */
  double *far;      /* [n] */
  nearest *nearest; /* [n] */
  pair *pairs;      /* [n NEAREST] */
  double spread;
} points;

static int nearest_first(const void *a, const void *b) {
  const pair *one = a, *other = b;
  if (one->far != other->far) return one->far < other->far ? -1 : 1;
  return (one->apart > other->apart) - (one->apart < other->apart);
}

/* Squares of the distances of point i from those before it. */
GANNET_VECTOR_CLONES
static void find_distances(int d, int i, const double *restrict x, double *restrict far) {
  for (int j = 0; j < i; ++j) far[j] = 0;
  for (int k = 0; k < d; ++k) {
    const double *of = x + (ptrdiff_t)k * GANNET_NOISE_TEST_MOST, here = of[i];
    for (int j = 0; j < i; ++j) far[j] += (here - of[j]) * (here - of[j]);
  }
}

/* Later points come after those as far away. */
static void insert_neighbour(int j, double distance, nearest *list) {
  int at = NEAREST;
  for (; at > 0 && distance < list->distance[at - 1]; --at) {
    if (at == NEAREST) continue;
    list->distance[at] = list->distance[at - 1];
    list->id[at] = list->id[at - 1];
  }
  if (at == NEAREST) return;
  list->distance[at] = distance;
  list->id[at] = j;
}

static void find_nearest(points *p) {
  const nearest none = {{INFINITY, INFINITY, INFINITY}, {-1, -1, -1}};
  for (int i = 0; i < p->n; ++i) p->nearest[i] = none;
  for (int i = 0; i < p->n; ++i) {
    find_distances(p->d, i, p->x, p->far);
    for (int j = 0; j < i; ++j) {
      insert_neighbour(j, p->far[j], &p->nearest[i]);
      insert_neighbour(i, p->far[j], &p->nearest[j]);
    }
  }
}

/* Two points that are near to each other are one pair. */
static int make_pairs(points *p) {
  const double tiny = 1e-12;
  int n = 0;
  find_nearest(p);
  for (int i = 0; i < p->n; ++i)
    for (int k = 0; k < NEAREST; ++k) {
      const int j = p->nearest[i].id[k];
      const int *back = j < 0 ? NULL : p->nearest[j].id;
      if (!back || (j < i && (back[0] == i || back[1] == i || back[2] == i))) continue;
      const double apart = fabs(p->y[i] - p->y[j]) / p->spread;
      p->pairs[n++] = (pair){log(sqrt(p->nearest[i].distance[k]) + tiny), log(apart + tiny)};
    }
  return n;
}

/* Whether the slope is small for sure, and differences are of one size. The logarithm of a normal
 * number's size has a variance of 1.23: less than 1 is luck. */
static bool is_flat(int n, const pair *pairs) {
  double far = 0, apart = 0, both = 0, square = 0, rest = 0;
  for (int i = 0; i < n; ++i) {
    far += pairs[i].far / n;
    apart += pairs[i].apart / n;
  }
  for (int i = 0; i < n; ++i) {
    both += (pairs[i].far - far) * (pairs[i].apart - apart);
    square += (pairs[i].far - far) * (pairs[i].far - far);
  }
  if (!(square > 0)) return false;
  const double slope = both / square;
  for (int i = 0; i < n; ++i) {
    const double off = pairs[i].apart - apart - slope * (pairs[i].far - far);
    rest += off * off;
  }
  return slope + errors * sqrt(fmax(rest, n) / (n - 2) / square) < steepest &&
         rest <= largest_variance * (n - 2);
}

/* The last results of an objective, and the distance of the largest from the least. */
static void collect_results(const gannet_history *history, int objective, points *p) {
  double least = INFINITY, largest = -INFINITY, y[GANNET_OBJECTIVES_MOST];
  p->n = 0;
  for (int64_t id = gannet_history_count(history); id-- > 0 && p->n < GANNET_NOISE_TEST_MOST;) {
    gannet_history_objectives(history, id, y);
    if (gannet_history_is_penalty(history, id)) continue;
    if (!(fabs(y[objective]) < 1e300)) continue;
    const double *x = gannet_history_x_unit(history, id);
    for (int k = 0; k < p->d; ++k) p->x[k * GANNET_NOISE_TEST_MOST + p->n] = x[k];
    p->y[p->n++] = y[objective];
    least = fmin(least, y[objective]);
    largest = fmax(largest, y[objective]);
  }
  p->spread = largest - least;
}

gannet_err gannet_noise_test_run(const gannet_history *history, bool *noisy) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t most = GANNET_NOISE_TEST_MOST;
  const int n_objectives = gannet_problem_n_objectives(problem);
  points p = {.d = problem->d};
  bool is_told = true;
  *noisy = gannet_history_has_error_bars(history) || gannet_history_joins_runs(history);
  for (int m = 0; m < n_objectives; ++m) {
    const double told = gannet_problem_objective_noise(problem, m);
    *noisy = *noisy || told > 0;
    is_told = is_told && !isnan(told);
  }
  if (is_told || *noisy) return GANNET_OK;
  gannet_err err = gannet_alloc(most * (size_t)p.d, sizeof *p.x, &p.x);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *p.y, &p.y);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *p.far, &p.far);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *p.nearest, &p.nearest);
  if (err == GANNET_OK) err = gannet_alloc(NEAREST * most, sizeof *p.pairs, &p.pairs);
  for (int m = 0; m < n_objectives && err == GANNET_OK && !*noisy; ++m) {
    if (!isnan(gannet_problem_objective_noise(problem, m))) continue;
    collect_results(history, m, &p);
    const int n = p.spread > 0 ? make_pairs(&p) : 0;
    const int nearer = n / 2 > LEAST_PAIRS ? n / 2 : LEAST_PAIRS;
    if (n >= LEAST_PAIRS) qsort(p.pairs, (size_t)n, sizeof *p.pairs, nearest_first);
    *noisy = n >= LEAST_PAIRS && is_flat(nearer, p.pairs);
  }
  gannet_free(&p.x);
  gannet_free(&p.y);
  gannet_free(&p.far);
  gannet_free(&p.nearest);
  gannet_free(&p.pairs);
  return err;
}

gannet_err gannet_noise_test_result(const gannet_history *history, gannet_noise_test *found,
                                    bool *noisy) {
  if (!found) return gannet_noise_test_run(history, noisy);
  if (!found->known) GANNET_TRY(gannet_noise_test_run(history, &found->noisy));
  found->known = true;
  *noisy = found->noisy;
  return GANNET_OK;
}
