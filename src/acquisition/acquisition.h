/* Acquisition functions: how much one wants to evaluate a point; larger is better.
 *
 * Two kinds. A function of the moments scores (mean, sd) of the surrogate; a function of draws
 * scores the value of one posterior draw (Thompson sampling), so every one of q draws proposes its
 * own point.
 */
#ifndef GANNET_ACQUISITION_ACQUISITION_H
#define GANNET_ACQUISITION_ACQUISITION_H

#include "base/error.h"
#include "base/option.h"

typedef enum {
  GANNET_ACQ_MOMENTS,  /* score(mean, sd) */
  GANNET_ACQ_DRAWS,    /* minus the value of a pathwise draw */
  GANNET_ACQ_POINTWISE /* minus (mean + exploration sd e), e an independent normal per candidate */
} gannet_acq_kind;

typedef struct {
  double incumbent;   /* value to improve upon, standardised */
  double exploration; /* multiplies sd */
} gannet_acq_state;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  gannet_acq_kind kind;
  const gannet_option *options;
  size_t options_size;
  /* kind MOMENTS: score and, where wanted, its partial derivatives; sd >= 0. Finite wherever mean
   * and sd are, also far below underflow. */
  void (*score)(const void *options, const gannet_acq_state *state, int m, const double *mean,
                const double *sd, double *score);
  void (*partials)(const void *options, const gannet_acq_state *state, double mean, double sd,
                   double *by_mean, double *by_sd);
} gannet_acq_type;

/* Every registered acquisition, NULL-terminated. */
extern const gannet_acq_type *const gannet_acq_types[];

/* Find a registered acquisition by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_acq_find(const char *name, const gannet_acq_type **type);

#endif
