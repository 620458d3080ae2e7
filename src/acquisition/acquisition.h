/* Acquisition functions: how much one wants to evaluate a point; larger is better.
 *
 * There are three main kinds. A function of the moments scores mean and sd of the surrogate. A
 * function of draws scores the value of one posterior draw (Thompson sampling), so every one of q
 * draws proposes its own point. A look-ahead function scores what an observation at the point would
 * tell about a few reference points, from their joint posterior with the point.
 */
#ifndef GANNET_ACQUISITION_ACQUISITION_H
#define GANNET_ACQUISITION_ACQUISITION_H

#include <stdbool.h>

#include "base/error.h"
#include "base/option.h"
#include "base/random.h"

typedef enum {
  GANNET_ACQ_MOMENTS,   /* score(mean, sd) */
  GANNET_ACQ_DRAWS,     /* minus the value of a pathwise draw */
  GANNET_ACQ_POINTWISE, /* minus (mean + exploration sd e), e an independent normal per candidate */
  GANNET_ACQ_LOOKAHEAD, /* score(mean, sd, covariance with reference points) */
  GANNET_ACQ_SPLIT      /* expected improvements of two subproblems in turn (functions/admm) */
} gannet_acq_kind;

typedef struct {
  double incumbent;     /* value to improve upon, standardised */
  double exploration;   /* multiplies sd */
  double noise_var;     /* noise variance of an observation, standardised; >= 0 */
  bool suspected;       /* observations look noisy, by other means than noise_var */
  int n_minima;         /* 0 = the incumbent is the only minimum */
  const double *minima; /* [n_minima] minima of posterior draws of the whole function */
} gannet_acq_state;

/* A discretisation of the search space by reference points, with the posterior of the function
 * there: what look-ahead functions know besides the point that they score. */
typedef struct {
  int n;                    /* reference points, >= 1 */
  const double *mean;       /* [n] */
  const double *covariance; /* [n][n] */
  double noise_var;         /* noise variance of an observation, >= 0 */
  int n_minimisers;
  const int *minimiser; /* [n_minimisers] reference points that minimised posterior draws */
  gannet_stream stream; /* for functions that need random numbers */
} gannet_acq_reference;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  gannet_acq_kind kind;
  bool lower; /* where affordable, points get minus the model's own lower bound,
                 gannet_surrogate_lower; score is the first order of that bound, for scans */
  const gannet_option *options;
  size_t options_size;
  /* kind MOMENTS: the score and its partial derivatives; sd >= 0. A score is finite wherever mean
   * and sd are, also far below underflow, and never rises with the mean. Unless the function wants
   * minima, no sd between two others has a larger score than both
   * (optimizer/propose/moments_scan.h). */
  void (*score)(const void *options, const gannet_acq_state *state, int m, const double *mean,
                const double *sd, double *score);
  void (*partials)(const void *options, const gannet_acq_state *state, double mean, double sd,
                   double *by_mean, double *by_sd);
  bool rises;        /* the score never falls as sd rises */
  bool wants_minima; /* the caller fills in the state's minima; options begin with a
                        gannet_acq_draws (acquisition/draws.h), as for kind LOOKAHEAD */
  /* kind LOOKAHEAD. prepare makes what does not depend on the scored point, and borrows the
   * reference until release. release accepts NULL and what a failed prepare left. look_ahead scores
   * m points given their covariance [m][n] with the reference points; scores are finite. */
  gannet_err (*prepare)(const void *options, const gannet_acq_reference *reference, void **work);
  void (*look_ahead)(void *work, int m, const double *mean, const double *sd,
                     const double *covariance, double *score);
  void (*release)(void *work);
  bool rough; /* piecewise constant: differences give no gradient to polish by */
} gannet_acq_type;

/* Whether points of a batch are chosen one after the other, where every model takes its own mean at
 * the earlier points for their results.
 *
 * Local.
 */
bool gannet_acq_is_sequential(const gannet_acq_type *type);

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
