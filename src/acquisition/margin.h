/* What the acquisitions built on an improvement share: the margin and the standardised gap. */
#ifndef GANNET_ACQUISITION_MARGIN_H
#define GANNET_ACQUISITION_MARGIN_H

#include "acquisition/acquisition.h"

typedef struct {
  double margin; /* improvement asked over the incumbent, standardised */
} gannet_acq_margin;

/* The row of the key margin in a table of options, at some offset. */
#define GANNET_ACQ_MARGIN_OPTION(at)                                                   \
  {                                                                                    \
    .key = "margin", .type = GANNET_REAL, .offset = (at), .fallback = "0", .lower = 0, \
    .upper = HUGE_VAL, .unit = "standard deviations of the objective",                 \
    .help = "improvement asked over the best value"                                    \
  }

/* Their table, with the key margin. */
extern const gannet_option gannet_acq_margin_options[];

/* The gap between the value to improve upon and a prediction, in its standard deviations. */
typedef struct {
  double gap; /* incumbent - margin - mean */
  double sd;  /* at least 1e-60: smaller ones are nothing, and dividing by them overflows */
  double z;   /* gap / sd within +-1e110 */
} gannet_acq_gap;

/* The gap at one prediction.
 *
 * Local.
 *
 * options  in  a gannet_acq_margin
 */
gannet_acq_gap gannet_acq_gap_of(const void *options, const gannet_acq_state *state, double mean,
                                 double sd);

#endif
