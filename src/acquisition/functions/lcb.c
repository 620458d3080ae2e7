/* Lower confidence bound of a function to be minimised, with its sign turned: larger is better.
 * Srinivas et al. 2010, "GP-UCB"; exploration is the square root of beta there. */
#include "acquisition/registry.h"

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  (void)options;
  for (int i = 0; i < m; ++i) scores[i] = state->exploration * sd[i] - mean[i];
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  (void)options;
  (void)mean;
  (void)sd;
  *by_mean = -1;
  *by_sd = state->exploration;
}

const gannet_acq_type gannet_acq_lcb = {
    .name = "lcb",
    .summary = "lower confidence bound, mean - exploration sd",
    .source = "Srinivas et al. 2010",
    .kind = GANNET_ACQ_MOMENTS,
    .score = score,
    .shape = GANNET_ACQ_RISING,
    .partials = partials,
};
