#include "acquisition/sampling.h"

const gannet_option gannet_acq_sampling_options[] = {
    GANNET_ACQ_DRAWS_OPTION(offsetof(gannet_acq_sampling, draws)), {0}};
