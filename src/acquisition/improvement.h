/* The improvement of a predicted value over the incumbent, for acquisitions that are built on it.
 */
#ifndef GANNET_ACQUISITION_IMPROVEMENT_H
#define GANNET_ACQUISITION_IMPROVEMENT_H

#include <math.h>

#include "acquisition/acquisition.h"

/* Options of these acquisitions; further options follow the first member. */
typedef struct {
  double margin; /* improvement asked over the incumbent, standardised */
} gannet_acq_margin;

/* The row of the key margin in a table of options, at some offset. */
#define GANNET_ACQ_MARGIN_OPTION(at)                                                   \
  {                                                                                    \
    .key = "margin", .type = GANNET_REAL, .offset = (at), .fallback = "0", .lower = 0, \
    .upper = HUGE_VAL, .unit = "standard deviations of the objective",                 \
    .help = "required improvement over the best value"                                 \
  }

typedef struct {
  double value; /* incumbent - margin - mean */
  double sd;    /* at least 1e-60: smaller ones are nothing, and dividing by them overflows */
  double z;     /* value / sd within +-1e110 */
} gannet_acq_improvement;

/* The improvement at one prediction.
 *
 * Local.
 *
 * options  in  begin with a gannet_acq_margin
 */
static inline gannet_acq_improvement gannet_acq_improvement_of(const void *options,
                                                               const gannet_acq_state *state,
                                                               double mean, double sd) {
  const gannet_acq_margin *o = options;
  gannet_acq_improvement g = {.value = state->incumbent - o->margin - mean, .sd = fmax(sd, 1e-60)};
  g.z = fmin(fmax(g.value / g.sd, -1e110), 1e110);
  return g;
}

#endif
