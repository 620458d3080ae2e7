/* Thompson sampling: each of q posterior draws of the whole function proposes its own minimiser.
 * Thompson 1933; draws of whole functions as in Wilson et al. 2020. */
#include "acquisition/registry.h"

const gannet_acq_type gannet_acq_thompson = {
    .name = "thompson",
    .summary = "minimisers of posterior draws of the whole function, one per proposed point",
    .source = "Thompson 1933; Wilson et al. 2020",
    .kind = GANNET_ACQ_DRAWS,
};
