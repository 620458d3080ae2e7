#include "acquisition/margin.h"

#include <math.h>

const gannet_option gannet_acq_margin_options[] = {
    GANNET_ACQ_MARGIN_OPTION(offsetof(gannet_acq_margin, margin)), {0}};

gannet_acq_gap gannet_acq_gap_of(const void *options, const gannet_acq_state *state, double mean,
                                 double sd) {
  const gannet_acq_margin *o = options;
  gannet_acq_gap g = {.gap = state->incumbent - o->margin - mean, .sd = fmax(sd, 1e-60)};
  g.z = fmin(fmax(g.gap / g.sd, -1e110), 1e110);
  return g;
}
