/* Max-value entropy search: how much the entropy of the function's value at a point falls when the
 * function's minimum y* is known. Given y*, the value is a normal truncated to at least y*, so with
 * z = (mean - y*) / (exploration sd) and g of base/normal.h (Wang and Jegelka 2017, eq. (6),
 * for a minimum),
 *
 *   score = log (1/S) sum_s g(z_s),   y*_s minima of S posterior draws.
 *
 * Where minima are above the mean, the score turns as sd rises.
 *
 * Deviation: minima above the incumbent are moved down to it, since the minimum cannot be larger
 * than a value that was seen (their Gumbel fit does the same by its lower bound). */
#include <math.h>

#include "acquisition/draws.h"
#include "acquisition/registry.h"
#include "base/normal.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_DRAWS_OPTION(offsetof(gannet_acq_draws, draws)), {0}};

/* Standard deviation of the draws, whose minima are y*_s. */
static double spread_of(const gannet_acq_state *state, double sd) {
  return fmax(state->exploration * sd, 1e-60);
}

typedef struct {
  double score;     /* log of the mean of g */
  double by_z;      /* mean of d log g / dz, weighted by g */
  double by_log_sd; /* mean of z d log g / dz, weighted by g */
} averages;

static averages average(const gannet_acq_state *state, double mean, double sd) {
  const int n = state->n_minima > 0 ? state->n_minima : 1;
  double largest = -INFINITY, sum = 0, slopes = 0, products = 0;
  for (int s = 0; s < n; ++s) {
    const double least =
        state->n_minima > 0 ? fmin(state->minima[s], state->incumbent) : state->incumbent;
    const double z = fmin(fmax((mean - least) / spread_of(state, sd), -1e110), 1e110);
    const double value = gannet_normal_log_truncation(z);
    const double slope = gannet_normal_log_truncation_slope(z);
    const double old = value > largest ? exp(largest - value) : 1;
    largest = fmax(largest, value);
    const double weight = exp(value - largest);
    sum = sum * old + weight;
    slopes = slopes * old + weight * slope;
    products = products * old + weight * slope * z;
  }
  return (averages){largest + log(sum / n), slopes / sum, products / sum};
}

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  (void)options;
  for (int i = 0; i < m; ++i) scores[i] = average(state, mean[i], sd[i]).score;
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  (void)options;
  const averages a = average(state, mean, sd);
  *by_mean = a.by_z / spread_of(state, sd);
  *by_sd = -a.by_log_sd * state->exploration / spread_of(state, sd);
}

const gannet_acq_type gannet_acq_mes = {
    .name = "mes",
    .summary = "information about the minimum value (max-value entropy search; its logarithm)",
    .source = "Wang, Jegelka 2017, eq. (6)",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_draws),
    .score = score,
    .partials = partials,
    .wants_reference = true,
    .shape = GANNET_ACQ_TURNING,
};
