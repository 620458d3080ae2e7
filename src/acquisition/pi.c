/* Probability of improvement, as its logarithm: the same maximiser, without underflow.
 * Kushner 1964; the margin is his epsilon. */
#include "acquisition/margin.h"
#include "acquisition/normal.h"
#include "acquisition/registry.h"

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  for (int i = 0; i < m; ++i)
    scores[i] = gannet_normal_log_cdf(gannet_acq_gap_of(options, state, mean[i], sd[i]).z);
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  const gannet_acq_gap g = gannet_acq_gap_of(options, state, mean, sd);
  const double by_z = gannet_normal_hazard(g.z);
  *by_mean = -by_z / g.sd;
  *by_sd = -by_z * g.z / g.sd;
}

const gannet_acq_type gannet_acq_pi = {
    .name = "pi",
    .summary = "probability of an improvement over the best value (its logarithm)",
    .source = "Kushner 1964",
    .kind = GANNET_ACQ_MOMENTS,
    .options = gannet_acq_margin_options,
    .options_size = sizeof(gannet_acq_margin),
    .score = score,
    .partials = partials,
};
