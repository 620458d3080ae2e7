#include "problem/gap.h"

#include <math.h>
#include <stdlib.h>

#include "problem/history.h"

enum { LEAST = 3 }; /* values on either side, different ones below */

/* How wide a gap is at least: in units of the range of values below it, and above it. */
static const double least_below = 100, least_above = 0.1;

/* Results by value. */
typedef struct {
  double value;
  int64_t id;
} result;

typedef struct {
  int n, n_below; /* in all, and up to the gap */
  result of[GANNET_GAP_RESULTS];
} results;

gannet_gap gannet_gap_none(void) {
  return (gannet_gap){
      .middle = NAN, .best = INFINITY, .below = -INFINITY, .least = INFINITY, .most = -INFINITY};
}

/* Halves, because differences of huge values overflow. */
static double half_of_distance(double from, double to) {
  return 0.5 * to - 0.5 * from;
}

static double minimised(const gannet_history *history, int64_t id) {
  return gannet_problem_flip(gannet_history_problem(history),
                             gannet_history_get(history, id)->objective);
}

static int by_value(const void *a, const void *b) {
  const double x = ((const result *)a)->value, y = ((const result *)b)->value;
  return (x > y) - (x < y);
}

static void gather(const gannet_history *history, results *all) {
  const int64_t *order = gannet_history_order(history);
  all->n = all->n_below = 0;
  for (int64_t i = 0; i < gannet_history_count_told(history); ++i)
    if (gannet_history_get(history, order[i])->status == GANNET_EVAL_DONE)
      all->of[all->n++] = (result){minimised(history, order[i]), order[i]};
  qsort(all->of, (size_t)all->n, sizeof *all->of, by_value);
}

/* The widest gap with enough values on either side. */
static void divide(results *all) {
  double widest = 0;
  int different = 1;
  for (int i = 1; i <= all->n - LEAST; ++i) {
    const double half = half_of_distance(all->of[i - 1].value, all->of[i].value);
    if (different >= LEAST && half > widest) {
      widest = half;
      all->n_below = i;
    }
    different += half > 0;
  }
}

static double square_of_distance(const gannet_history *history, int64_t a, int64_t b) {
  const double *x = gannet_history_x_unit(history, a), *y = gannet_history_x_unit(history, b);
  double sum = 0;
  for (int k = 0; k < gannet_history_problem(history)->d; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
  return sum;
}

/* Whether a design above is nearer to one below than those below are apart. */
static bool is_mixed(const gannet_history *history, const results *all) {
  double apart = 0, nearest = INFINITY;
  for (int i = 0; i < all->n_below; ++i)
    for (int j = i + 1; j < all->n; ++j) {
      const double square = square_of_distance(history, all->of[i].id, all->of[j].id);
      if (j < all->n_below) apart = fmax(apart, square);
      if (j >= all->n_below) nearest = fmin(nearest, square);
    }
  return nearest < apart;
}

static void count(gannet_gap *gap, double value) {
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

static bool is_wide(const gannet_gap *gap) {
  const double half = half_of_distance(gap->below, gap->least);
  return !isnan(gap->middle) && half >= least_below * half_of_distance(gap->best, gap->below) &&
         half >= least_above * half_of_distance(gap->least, gap->most);
}

static void find(gannet_gap *gap, const gannet_history *history) {
  results all;
  *gap = gannet_gap_none();
  gather(history, &all);
  divide(&all);
  if (all.n_below == 0) return;
  const double from = all.of[all.n_below - 1].value;
  gap->middle = from + half_of_distance(from, all.of[all.n_below].value);
  for (int i = 0; i < all.n; ++i) count(gap, all.of[i].value);
  gap->is_mixed = is_wide(gap) && is_mixed(history, &all);
}

void gannet_gap_note(gannet_gap *gap, const gannet_history *history, int64_t id) {
  if (gannet_history_count_done(history) <= GANNET_GAP_RESULTS)
    find(gap, history);
  else
    count(gap, minimised(history, id));
}

double gannet_gap_least(const gannet_gap *gap, int64_t *count) {
  const bool found = gap->is_mixed && is_wide(gap);
  *count = found ? gap->count : 0;
  return found ? gap->least : INFINITY;
}
