/* ADMMBO (Ariafar et al. 2019): its options. Points are made by optimizer/propose/admm.h. */
#include "acquisition/functions/admm/admm.h"

#include <math.h>

#include "acquisition/registry.h"

static const gannet_option table[] = {
    {.key = "rho",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_admm_options, rho),
     .fallback = "1",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1e6,
     .unit = "standard deviations of the objective per squared edge of the box",
     .help = "weight of the distance between the minimiser and the feasible point at first; it "
             "adapts itself"},
    {.key = "penalty",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_admm_options, penalty),
     .fallback = "50",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1e6,
     .unit = "standard deviations of the objective",
     .help = "what an infeasible point costs"},
    {.key = "objective_steps",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_admm_options, objective_steps),
     .fallback = "2",
     .lower = 1,
     .upper = 1e6,
     .help = "evaluations in turn that improve the penalised objective"},
    {.key = "feasibility_steps",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_admm_options, feasibility_steps),
     .fallback = "2",
     .lower = 1,
     .upper = 1e6,
     .help = "evaluations in turn that look for a feasible point near by"},
    {0}};

const gannet_acq_type gannet_acq_admm = {
    .name = "admm",
    .summary = "expected improvement of objective and of feasibility in turn, tied by multipliers",
    .source = "ADMMBO (Ariafar et al. 2019)",
    .kind = GANNET_ACQ_SPLIT,
    .options = table,
    .options_size = sizeof(gannet_admm_options),
};
