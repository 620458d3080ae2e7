/* Probability of improvement, as its logarithm: the same maximiser, without underflow.
 * Kushner 1964; the margin is the epsilon there. */
#include "acquisition/improvement.h"
#include "acquisition/registry.h"
#include "base/normal.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_MARGIN_OPTION(offsetof(gannet_acq_margin, margin)), {0}};

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  for (int i = 0; i < m; ++i)
    scores[i] = gannet_normal_log_cdf(gannet_acq_improvement_of(options, state, mean[i], sd[i]).z);
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean, sd);
  const double by_z = gannet_normal_hazard(g.z);
  *by_mean = -by_z / g.sd;
  *by_sd = -by_z * g.z / g.sd;
}

const gannet_acq_type gannet_acq_pi = {
    .name = "pi",
    .summary = "probability of an improvement over the best value (its logarithm)",
    .source = "Kushner 1964",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_LOG_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_margin),
    .score = score,
    .partials = partials,
};
