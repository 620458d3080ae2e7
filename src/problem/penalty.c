#include "problem/penalty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  EQUAL_LEAST = 3, /* equal results that make a penalty */
  SIDE_LEAST = 3   /* values on either side of a gap, different ones below */
};

/* How wide a gap is at least: in units of the range of values below it, and above it. */
static const double gap_per_below = 100, gap_per_above = 0.1;

/* Half of to - from: differences of huge values overflow. */
static double half_distance(double from, double to) {
  return 0.5 * to - 0.5 * from;
}

gannet_penalty gannet_penalty_none(void) {
  return (gannet_penalty){.best = INFINITY};
}

void gannet_penalty_note(gannet_penalty *p, double value) {
  int at = 0;
  p->best = fmin(p->best, value);
  while (at < p->n && p->worst[at].value > value) ++at;
  if (at == GANNET_PENALTY_VALUES) return;
  if (at == p->n || p->worst[at].value < value) {
    if (p->n < GANNET_PENALTY_VALUES) p->n += 1;
    const size_t behind = (size_t)(p->n - at - 1);
    memmove(&p->worst[at + 1], &p->worst[at], behind * sizeof p->worst[at]);
    p->worst[at].value = value;
    p->worst[at].count = 0;
  }
  p->worst[at].count += 1;
}

/* Whether the i-th worst value is farther from the next better one than that is from the best. */
static bool is_apart(const gannet_penalty *p, int i) {
  if (p->n == 1) return !p->is_one_of_several;
  if (i + 1 == p->n) return false;
  const double value = p->worst[i].value, next = p->worst[i + 1].value;
  const double gap = half_distance(next, value), range = half_distance(p->best, next);
  if (!p->is_one_of_several) return gap > range;
  return range > 0 && gap >= gap_per_below * range && p->worst[i + 1].count < EQUAL_LEAST;
}

double gannet_penalty_least(const gannet_penalty *p, int64_t *count) {
  double least = INFINITY;
  int64_t passed = 0;
  *count = 0;
  for (int i = 0; i < p->n; ++i) {
    passed += p->worst[i].count;
    if (p->worst[i].count < EQUAL_LEAST || !is_apart(p, i)) continue;
    least = p->worst[i].value;
    *count = passed;
  }
  return least;
}

gannet_gap gannet_gap_none(void) {
  return (gannet_gap){
      .middle = NAN, .best = INFINITY, .below = -INFINITY, .least = INFINITY, .most = -INFINITY};
}

static int by_value(const void *a, const void *b) {
  const double x = ((const gannet_gap_result *)a)->value, y = ((const gannet_gap_result *)b)->value;
  return (x > y) - (x < y);
}

/* Number of sorted values below the widest gap that has enough values on either side; 0 = none. */
static int count_below_gap(int n, const gannet_gap_result *results) {
  double widest = 0;
  int different = 1, below = 0;
  for (int i = 1; i <= n - SIDE_LEAST; ++i) {
    const double half = half_distance(results[i - 1].value, results[i].value);
    if (different >= SIDE_LEAST && half > widest) {
      widest = half;
      below = i;
    }
    different += half > 0;
  }
  return below;
}

/* Whether a design above the gap is nearer to one below it than those below are apart. */
static bool is_mixed(int n, const gannet_gap_result *results, int below, int d) {
  double apart = 0, nearest = INFINITY;
  for (int i = 0; i < below; ++i)
    for (int j = i + 1; j < n; ++j) {
      const double *x = results[i].x, *y = results[j].x;
      double square = 0;
      for (int k = 0; k < d; ++k) square += (x[k] - y[k]) * (x[k] - y[k]);
      if (j < below) apart = fmax(apart, square);
      if (j >= below) nearest = fmin(nearest, square);
    }
  return nearest < apart;
}

static bool is_wide(const gannet_gap *gap) {
  const double half = half_distance(gap->below, gap->least);
  return !isnan(gap->middle) && half >= gap_per_below * half_distance(gap->best, gap->below) &&
         half >= gap_per_above * half_distance(gap->least, gap->most);
}

void gannet_gap_note(gannet_gap *gap, double value) {
  if (isnan(gap->middle)) return;
  if (value <= gap->middle) {
    gap->best = fmin(gap->best, value);
    gap->below = fmax(gap->below, value);
    return;
  }
  gap->least = fmin(gap->least, value);
  gap->most = fmax(gap->most, value);
  gap->count += 1;
}

void gannet_gap_find(gannet_gap *gap, int n, gannet_gap_result *results, int d) {
  *gap = gannet_gap_none();
  qsort(results, (size_t)n, sizeof *results, by_value);
  const int below = count_below_gap(n, results);
  if (below == 0) return;
  const double from = results[below - 1].value;
  gap->middle = from + half_distance(from, results[below].value);
  for (int i = 0; i < n; ++i) gannet_gap_note(gap, results[i].value);
  gap->is_mixed = is_wide(gap) && is_mixed(n, results, below, d);
}

double gannet_gap_least(const gannet_gap *gap, int64_t *count) {
  const bool found = gap->is_mixed && is_wide(gap);
  *count = found ? gap->count : 0;
  return found ? gap->least : INFINITY;
}
