/* Thompson sampling with an independent normal at every candidate, as published for Neural-BO. */
#include "acquisition/registry.h"

const gannet_acq_type gannet_acq_thompson_pointwise = {
    .name = "thompson-pointwise",
    .summary = "independent posterior draws at every candidate (the published Neural-BO)",
    .source =
        "NeuralBO: A Black-box Optimization Algorithm using Deep Neural Networks, algorithm 1",
    .kind = GANNET_ACQ_POINTWISE,
};
