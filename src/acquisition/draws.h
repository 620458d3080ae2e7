/* The option of acquisitions that need posterior draws of the whole function. */
#ifndef GANNET_ACQUISITION_DRAWS_H
#define GANNET_ACQUISITION_DRAWS_H

#include "acquisition/acquisition.h"

/* Options of these acquisitions; further options follow the first member. */
typedef struct {
  int draws; /* number of draws whose minima and minimisers are taken */
} gannet_acq_draws;

/* The row of the key draws in a table of options, at some offset. */
#define GANNET_ACQ_DRAWS_OPTION(at)                                                            \
  {                                                                                            \
    .key = "draws", .type = GANNET_INTEGER, .offset = (at), .fallback = "32", .lower = 1,      \
    .upper = 1000,                                                                             \
    .help = "posterior draws of the whole function whose minima over the candidates are taken" \
  }

#endif
