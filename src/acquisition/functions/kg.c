/* Knowledge gradient: how much an observation at a point is expected to lower the least posterior
 * mean over the reference points and the point itself,
 *
 *   min_i m_i - E min_i (m_i + b_i Z),   b_i = cov(r_i, x) / sqrt(sd^2 + noise),  Z ~ N(0, 1).
 *
 * Frazier, Powell and Dayanik 2009, "The knowledge-gradient policy for correlated normal beliefs",
 * algorithm 1 and eq. (14), exact for these points; as a logarithm by a sum of logarithms, so that
 * it never underflows. With the point itself as in Scott, Frazier and Powell 2011. */
#include <math.h>
#include <stdlib.h>

#include "acquisition/draws.h"
#include "acquisition/registry.h"
#include "base/memory.h"
#include "base/normal.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_DRAWS_OPTION(offsetof(gannet_acq_draws, draws)), {0}};

/* a + b z: minus the mean after an observation of standardised value z. */
typedef struct {
  double a, b;
} line;

typedef struct {
  const gannet_acq_reference *reference;
  line *lines;    /* [n + 1] */
  int *largest;   /* [n + 1] lines of the upper envelope, by slope */
  double *breaks; /* [n + 1] z from which on line largest[i] is above line largest[i - 1] */
} kg_work;

static void release(void *work) {
  kg_work *w = work;
  if (!w) return;
  gannet_free(&w->lines);
  gannet_free(&w->largest);
  gannet_free(&w->breaks);
  gannet_free(&w);
}

static gannet_err prepare(const void *options, const gannet_acq_state *state, void **work) {
  const gannet_acq_reference *reference = state->reference;
  (void)options;
  kg_work *w = NULL;
  const size_t n = (size_t)reference->n + 1;
  GANNET_TRY(gannet_alloc(1, sizeof *w, &w));
  *work = w;
  w->reference = reference;
  GANNET_TRY(gannet_alloc(n, sizeof *w->lines, &w->lines));
  GANNET_TRY(gannet_alloc(n, sizeof *w->largest, &w->largest));
  return gannet_alloc(n, sizeof *w->breaks, &w->breaks);
}

static int by_slope(const void *left, const void *right) {
  const line *l = left, *r = right;
  if (l->b != r->b) return l->b < r->b ? -1 : 1;
  return (l->a > r->a) - (l->a < r->a);
}

/* The lines that are largest somewhere, from left to right. Of equal slopes the last is highest. */
static int envelope(kg_work *w, int n) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const line *next = &w->lines[i];
    if (i + 1 < n && w->lines[i + 1].b == next->b) continue;
    double at = -INFINITY;
    for (; count > 0; --count) {
      const line *last = &w->lines[w->largest[count - 1]];
      at = (last->a - next->a) / (next->b - last->b);
      if (at > w->breaks[count - 1]) break;
    }
    w->largest[count] = i;
    w->breaks[count] = count == 0 ? -INFINITY : at;
    ++count;
  }
  return count;
}

/* log sum_i (b_{i+1} - b_i) h(-|c_i|), c_i the breaks (eq. (14)); the floor where there are none.
 */
static double log_gain(const kg_work *w, int count) {
  double largest = -1e300, sum = 0;
  for (int i = 1; i < count; ++i) {
    const double step = w->lines[w->largest[i]].b - w->lines[w->largest[i - 1]].b;
    const double c = fmin(fabs(w->breaks[i]), 1e110);
    const double value = log(step) + gannet_normal_log_improvement(-c);
    if (value > largest) {
      sum = sum * exp(largest - value) + 1;
      largest = value;
    } else {
      sum += exp(value - largest);
    }
  }
  return sum > 0 ? largest + log(sum) : -1e300;
}

static void look_ahead(void *work, int m, const double *mean, const double *sd,
                       const double *covariance, double *score) {
  kg_work *w = work;
  const int n = w->reference->n;
  for (int p = 0; p < m; ++p) {
    const double variance = sd[p] * sd[p], spread = sqrt(variance + w->reference->noise_var);
    const double factor = spread > 0 ? 1 / spread : 0;
    for (int i = 0; i < n; ++i)
      w->lines[i] =
          (line){-w->reference->mean[i], -covariance[(size_t)p * (size_t)n + (size_t)i] * factor};
    w->lines[n] = (line){-mean[p], -variance * factor};
    qsort(w->lines, (size_t)n + 1, sizeof *w->lines, by_slope);
    score[p] = log_gain(w, envelope(w, n + 1));
  }
}

const gannet_acq_type gannet_acq_kg = {
    .name = "kg",
    .summary = "expected fall of the least mean (knowledge gradient; its logarithm)",
    .source = "Frazier, Powell, Dayanik 2009, algorithm 1",
    .kind = GANNET_ACQ_LOOKAHEAD,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_draws),
    .wants_reference = true,
    .prepare = prepare,
    .look_ahead = look_ahead,
    .release = release,
};
