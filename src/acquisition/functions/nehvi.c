/* Noisy expected improvement of the hypervolume, of several objectives: over draws of all models,
 * by how much a point enlarges the hypervolume of the front that the draw has at the evaluated
 * designs. Daulton, Balandat, Bakshy 2021; its logarithm as in Ament et al. 2023, section 3.3. */
#include "acquisition/draws.h"
#include "acquisition/registry.h"

static const gannet_option option_table[] = {
    {.key = "draws",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_acq_draws, draws),
     .fallback = "32",
     .lower = 1,
     .upper = 1000,
     .help = "posterior draws of all objectives and constraints over which the improvement is "
             "averaged"},
    {0}};

const gannet_acq_type gannet_acq_nehvi = {
    .name = "nehvi",
    .summary = "logarithm of the expected improvement of the front's hypervolume, over draws",
    .source = "Daulton, Balandat, Bakshy 2021; Ament et al. 2023",
    .kind = GANNET_ACQ_FRONT,
    .options = option_table,
    .options_size = sizeof(gannet_acq_draws),
};
