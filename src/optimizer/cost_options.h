/* Settings of proposals that weigh gain by cost: what a cost is, whether it is weighed, and how
 * much there is to spend. */
#ifndef GANNET_OPTIMIZER_COST_OPTIONS_H
#define GANNET_OPTIMIZER_COST_OPTIONS_H

#include "base/option.h"

typedef struct {
  char *from; /* "time", or a quantity */
  bool weigh;
} gannet_cost_options;

/* How much may be spent: the keys budget.evaluations and budget.cost of a campaign. Of an optimiser
 * they are settings that say how far weighing has cooled; the caller ends the loop. */
typedef struct {
  int evaluations; /* GANNET_AUTO = no limit */
  double cost;     /* in the unit of the cost; NAN = no limit */
} gannet_cost_limits;

extern const gannet_option gannet_cost_table[];
extern const gannet_option gannet_cost_limits_table[];

#endif
