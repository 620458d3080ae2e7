/* Expected improvement sd h(z), z = (incumbent - margin - mean) / sd, h(z) = pdf(z) + z cdf(z).
 * Mockus 1975; Jones, Schonlau and Welch 1998, eq. (15). */
#include "acquisition/improvement.h"
#include "acquisition/registry.h"
#include "base/normal.h"

static const gannet_option option_table[] = {
    GANNET_ACQ_MARGIN_OPTION(offsetof(gannet_acq_margin, margin)), {0}};

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  for (int i = 0; i < m; ++i) {
    const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean[i], sd[i]);
    /* far above 0 h(z) is z; there z may have been cut */
    scores[i] = g.z >= 1e8 ? g.value : g.sd * gannet_normal_improvement(g.z);
  }
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  const gannet_acq_improvement g = gannet_acq_improvement_of(options, state, mean, sd);
  *by_mean = -gannet_normal_cdf(g.z);
  *by_sd = gannet_normal_pdf(g.z);
}

const gannet_acq_type gannet_acq_ei = {
    .name = "ei",
    .summary = "expected improvement over the best value",
    .source = "Jones, Schonlau, Welch 1998, eq. (15)",
    .kind = GANNET_ACQ_MOMENTS,
    .gain = GANNET_ACQ_GAIN,
    .options = option_table,
    .options_size = sizeof(gannet_acq_margin),
    .score = score,
    .shape = GANNET_ACQ_RISING,
    .partials = partials,
};
