#include "optimizer/cost_options.h"

#include <math.h>
#include <stddef.h>

const gannet_option gannet_cost_table[] = {
    {.key = "from",
     .type = GANNET_TEXT,
     .offset = offsetof(gannet_cost_options, from),
     .fallback = "time",
     .help = "the cost of an evaluation, for budget.cost and weigh: time = the run time of its "
             "simulation, or the name of a quantity that it reports; cost: NAME is short for it",
     .example = "node_hours"},
    {.key = "weigh",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_cost_options, weigh),
     .fallback = "no",
     .help = "propose points by their gain per cost, according to a model of the costs so far; the "
             "cost counts less as the budget is used up (docs/cost.md)",
     .example = "yes"},
    {0}};

const gannet_option gannet_cost_limits_table[] = {
    {.key = "evaluations",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_cost_limits, evaluations),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e9,
     .unit = "evaluations",
     .help = "evaluations that there will be"},
    {.key = "cost",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_cost_limits, cost),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = HUGE_VAL,
     .unit = "the unit of the cost",
     .help = "what they may cost together"},
    {0}};
