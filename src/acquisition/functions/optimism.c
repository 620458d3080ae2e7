/* The least value over the model's confidence set, with its sign turned: larger is better (GO-UCB,
 * Liu and Wang 2023, step 5 of phase II).
 *
 * The score here is the lower confidence bound, which serves models without such a set, and all
 * models while candidates are scanned. The exact least value is gannet_surrogate_lower. */
#include "acquisition/registry.h"

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  gannet_acq_lcb.score(options, state, m, mean, sd, scores);
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  gannet_acq_lcb.partials(options, state, mean, sd, by_mean, by_sd);
}

const gannet_acq_type gannet_acq_optimism = {
    .name = "optimism",
    .summary = "least value over the model's confidence set; lcb where the model has no such set",
    .source = "GO-UCB (Liu, Wang 2023), step 5 of phase II",
    .kind = GANNET_ACQ_MOMENTS,
    .lower = true,
    .score = score,
    .rises = true,
    .partials = partials,
};
