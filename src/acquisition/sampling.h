/* What acquisitions share that need posterior draws of the whole function: how many. */
#ifndef GANNET_ACQUISITION_SAMPLING_H
#define GANNET_ACQUISITION_SAMPLING_H

#include "acquisition/acquisition.h"

typedef struct {
  int draws; /* whose minima and minimisers are taken */
} gannet_acq_sampling;

/* The row of the key draws in a table of options, at some offset. */
#define GANNET_ACQ_DRAWS_OPTION(at)                                                            \
  {                                                                                            \
    .key = "draws", .type = GANNET_INTEGER, .offset = (at), .fallback = "32", .lower = 1,      \
    .upper = 1000,                                                                             \
    .help = "posterior draws of the whole function whose minima over the candidates are taken" \
  }

/* Their table, with the key draws. */
extern const gannet_option gannet_acq_sampling_options[];

#endif
