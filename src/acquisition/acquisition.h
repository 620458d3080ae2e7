/* Acquisition functions: how much one wants to evaluate a point; larger is better.
 *
 * Three kinds. A function of the moments scores (mean, sd) of the surrogate; a function of draws
 * scores the value of one posterior draw (Thompson sampling), so every one of q draws proposes its
 * own point; a look-ahead function scores what an observation at the point would tell about a few
 * reference points, from their joint posterior with it.
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
  GANNET_ACQ_SPLIT      /* expected improvements of two subproblems in turn (acquisition/admm.h) */
} gannet_acq_kind;

typedef struct {
  double incumbent;     /* value to improve upon, standardised */
  double exploration;   /* multiplies sd */
  double noise_var;     /* of an observation, standardised; >= 0 */
  bool suspected;       /* observations look noisy, by other means than noise_var */
  int n_minima;         /* 0 = the incumbent stands for them */
  const double *minima; /* [n_minima] of posterior draws of the whole function */
} gannet_acq_state;

/* What look-ahead functions know besides the point that they score: a discretisation of the search
 * space, with the posterior of the function on it. */
typedef struct {
  int n;                    /* reference points, >= 1 */
  const double *mean;       /* [n] */
  const double *covariance; /* [n][n] */
  double noise_var;         /* of an observation, >= 0 */
  int n_minimisers;
  const int *minimiser; /* [n_minimisers] reference points that minimised posterior draws */
  gannet_stream stream; /* for functions that need random numbers */
} gannet_acq_reference;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  gannet_acq_kind kind;
  bool lower; /* minus the model's own lower bound, gannet_surrogate_lower, where that is
                 affordable; score, which serves to scan candidates, is its first order */
  const gannet_option *options;
  size_t options_size;
  /* kind MOMENTS: score and, where wanted, its partial derivatives; sd >= 0. Finite wherever mean
   * and sd are, also far below underflow. Never rises with the mean; and unless it wants minima, no
   * sd between two others has a larger score than both (optimizer/propose/moments_ordered.h). */
  void (*score)(const void *options, const gannet_acq_state *state, int m, const double *mean,
                const double *sd, double *score);
  void (*partials)(const void *options, const gannet_acq_state *state, double mean, double sd,
                   double *by_mean, double *by_sd);
  bool rises;        /* never falls as sd rises */
  bool wants_minima; /* the state's minima are to be filled in; options begin as those of
                        acquisition/sampling.h, as for kind LOOKAHEAD */
  /* kind LOOKAHEAD. prepare keeps what does not depend on the scored point, borrowing the reference
   * until release; release accepts NULL and what a failed prepare left. look_ahead scores m points
   * given their covariance [m][n] with the reference points; finite. */
  gannet_err (*prepare)(const void *options, const gannet_acq_reference *reference, void **work);
  void (*look_ahead)(void *work, int m, const double *mean, const double *sd,
                     const double *covariance, double *score);
  void (*release)(void *work);
  bool rough; /* piecewise constant: not to be polished by differences */
} gannet_acq_type;

/* Whether points of a batch are chosen one after the other, each model told its own mean at the
 * earlier ones.
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
