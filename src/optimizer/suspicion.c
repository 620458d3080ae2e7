#include "optimizer/suspicion.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { NEAREST = 3, LEAST_PAIRS = 8 };
static const double steepest = 0.5, errors = 1.5;

/* Of a point and one of its nearest: the distance and the difference of the values, as logarithms.
 */
typedef struct {
  double far, apart;
} pair;

typedef struct {
  int n, d;
  const double **x; /* [n] */
  double *y;        /* [n] */
  int *nearest;     /* [n][NEAREST] */
  pair *pairs;      /* [n NEAREST] */
  double spread;
} points;

static int nearest_first(const void *a, const void *b) {
  const pair *one = a, *other = b;
  if (one->far != other->far) return one->far < other->far ? -1 : 1;
  return (one->apart > other->apart) - (one->apart < other->apart);
}

static double distance(const points *p, int i, int j) {
  double sum = 0;
  for (int k = 0; k < p->d; ++k) sum += (p->x[i][k] - p->x[j][k]) * (p->x[i][k] - p->x[j][k]);
  return sum;
}

/* Those of point i, nearest first; -1 where there are fewer. */
static void find_nearest(const points *p, int i, int *nearest) {
  double far[NEAREST] = {INFINITY, INFINITY, INFINITY};
  for (int k = 0; k < NEAREST; ++k) nearest[k] = -1;
  for (int j = 0; j < p->n; ++j) {
    const double here = j == i ? INFINITY : distance(p, i, j);
    int at = NEAREST;
    for (; at > 0 && here < far[at - 1]; --at) {
      if (at == NEAREST) continue;
      far[at] = far[at - 1];
      nearest[at] = nearest[at - 1];
    }
    if (at == NEAREST) continue;
    far[at] = here;
    nearest[at] = j;
  }
}

static bool has(const int *nearest, int i) {
  return nearest[0] == i || nearest[1] == i || nearest[2] == i;
}

/* Two points that are near to each other are one pair. */
static int make_pairs(points *p) {
  const double tiny = 1e-12;
  int n = 0;
  for (int i = 0; i < p->n; ++i) find_nearest(p, i, p->nearest + NEAREST * i);
  for (int i = 0; i < p->n; ++i)
    for (int k = 0; k < NEAREST; ++k) {
      const int j = p->nearest[NEAREST * i + k];
      if (j < 0 || (j < i && has(p->nearest + NEAREST * j, i))) continue;
      const double apart = fabs(p->y[i] - p->y[j]) / p->spread;
      p->pairs[n++] = (pair){log(sqrt(distance(p, i, j)) + tiny), log(apart + tiny)};
    }
  return n;
}

/* Whether the slope is small for sure. The logarithm of a normal number's size has a variance of
 * 1.23: less than 1 is luck. */
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
  return slope + errors * sqrt(fmax(rest, n) / (n - 2) / square) < steepest;
}

/* By the nearer half of the pairs. */
static bool look(points *p) {
  const int n = make_pairs(p), half = n / 2 > LEAST_PAIRS ? n / 2 : LEAST_PAIRS;
  if (n < LEAST_PAIRS) return false;
  qsort(p->pairs, (size_t)n, sizeof *p->pairs, nearest_first);
  return is_flat(half, p->pairs);
}

/* The last results, and the distance of the largest from the least. */
static void collect(const gannet_history *history, points *p) {
  double least = INFINITY, largest = -INFINITY;
  for (int64_t id = gannet_history_count(history); id-- > 0 && p->n < GANNET_SUSPICION_MOST;) {
    const gannet_evaluation *row = gannet_history_get(history, id);
    if (row->status != GANNET_EVAL_DONE || !(fabs(row->objective) < 1e300)) continue;
    p->x[p->n] = gannet_history_x_unit(history, id);
    p->y[p->n++] = row->objective;
    least = fmin(least, row->objective);
    largest = fmax(largest, row->objective);
  }
  p->spread = largest - least;
}

gannet_err gannet_suspect_noise(const gannet_history *history, bool *suspected) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t most = GANNET_SUSPICION_MOST;
  const double told = problem->spec.noise_sd;
  points p = {.d = problem->d};
  *suspected = told > 0;
  if (!isnan(told)) return GANNET_OK;
  gannet_err err = gannet_alloc(most, sizeof *p.x, &p.x);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *p.y, &p.y);
  if (err == GANNET_OK) err = gannet_alloc(NEAREST * most, sizeof *p.nearest, &p.nearest);
  if (err == GANNET_OK) err = gannet_alloc(NEAREST * most, sizeof *p.pairs, &p.pairs);
  if (err == GANNET_OK) {
    collect(history, &p);
    *suspected = p.spread > 0 && look(&p);
  }
  gannet_free(&p.x);
  gannet_free(&p.y);
  gannet_free(&p.nearest);
  gannet_free(&p.pairs);
  return err;
}
