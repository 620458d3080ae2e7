/* Acquisition functions: how much one wants to evaluate a point; larger is better.
 *
 * An acquisition function is an object gannet_acq_type. Its kind says what a score is made of, and
 * so which of its functions it has. Whoever proposes points goes by the kind and by the properties
 * below, and knows no acquisition function by name.
 *
 * Terms
 *   moments     mean and standard deviation of a model at a point
 *   draw        a function drawn from the posterior of a model
 *   reference   a few points with their joint posterior, which stand for the search space
 *   look ahead  score what an observation at a point would tell about the reference
 *   memory      what an acquisition function keeps from one proposed point to the next
 */
#ifndef GANNET_ACQUISITION_ACQUISITION_H
#define GANNET_ACQUISITION_ACQUISITION_H

#include "base/option.h"
#include "base/random.h"
#include "problem/history.h"
#include "surrogate/surrogate.h"

/* With draws all points of a batch are chosen at once. With the other kinds they are chosen one
 * after the other, where every model takes its own mean at the earlier points for their results; of
 * the kind FRONT every draw takes its own values there. */
typedef enum {
  GANNET_ACQ_DRAWS,     /* minus the value of a draw of the whole function */
  GANNET_ACQ_POINTWISE, /* minus (mean + exploration sd e), e an independent normal per candidate */
  GANNET_ACQ_MOMENTS,   /* of the moments of the objective: score, partials */
  GANNET_ACQ_LOOKAHEAD, /* of these and the covariance with the reference: look_ahead */
  GANNET_ACQ_MODELS,    /* of the models of objective and constraints together: score_points */
  GANNET_ACQ_FRONT      /* the gain of the front's hypervolume, over draws of all models */
} gannet_acq_kind;

/* How a score depends on sd at any one mean. */
typedef enum {
  GANNET_ACQ_LARGEST_AT_END, /* no sd between two others has a larger score than both */
  GANNET_ACQ_RISING,         /* the score never falls as sd rises */
  GANNET_ACQ_TURNING         /* none of these */
} gannet_acq_shape;

/* Whether a score is a gain, at least 0, which may be divided by what an evaluation costs. */
typedef enum {
  GANNET_ACQ_NO_GAIN,
  GANNET_ACQ_GAIN,    /* it is one */
  GANNET_ACQ_LOG_GAIN /* it is the logarithm of one */
} gannet_acq_gain;

/* A discretisation of the search space by reference points, with the posterior of the objective
 * there. */
typedef struct {
  int n;                    /* reference points, >= 1 */
  const double *mean;       /* [n] */
  const double *covariance; /* [n][n] */
  double noise_var;         /* noise variance of an observation, >= 0 */
  int n_minimisers;
  const int *minimiser; /* [n_minimisers] reference points that minimised posterior draws */
  gannet_stream stream; /* for functions that need random numbers */
} gannet_acq_reference;

/* The model of the objective, or of a constraint. */
typedef struct {
  const gannet_surrogate *surrogate;
  double threshold; /* a constraint is met below it */
  double certainty; /* factor on the sd by which a probability of feasibility is computed */
} gannet_acq_model;

/* Standard deviation by which a probability of feasibility is computed, above 0.
 *
 * Local.
 *
 * by_sd  out  its derivative by sd
 */
double gannet_acq_spread(const gannet_acq_model *model, double sd, double *by_sd);

/* What is known when a point is chosen. */
typedef struct {
  double incumbent;     /* value to improve upon, standardised */
  double exploration;   /* multiplies the sd of the objective */
  double noise_var;     /* noise variance of an observation, standardised; >= 0 */
  bool looks_noisy;     /* observations look noisy, by other means than noise_var */
  int n_minima;         /* 0 = the incumbent is the only minimum */
  const double *minima; /* [n_minima] minima of posterior draws of the whole objective */
  const gannet_acq_reference *reference; /* NULL unless the type wants it */
  int n_models;
  const gannet_acq_model *model; /* [n_models] of the objective, then of the constraints */
  const gannet_history *history;
  void *memory; /* NULL for types that keep nothing */
} gannet_acq_state;

/* The memory of a type, and its numbers, which are saved by name. */
typedef struct {
  gannet_err (*create)(int d, void **memory); /* as it is before the first point */
  void (*destroy)(void **memory);             /* accepts NULL */
  void (*reset)(void *memory);                /* make it as create does */
  /* Number i and its name; false when there are no more than i. */
  bool (*get)(const void *memory, int i, char *name, size_t size, double *value);
  /* Give number i a value; false when it cannot have that one. */
  bool (*set)(void *memory, int i, double value);
} gannet_acq_memory;

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  gannet_acq_kind kind;
  const gannet_option *options;
  size_t options_size;
  bool wants_reference; /* the caller fills in the state's reference and minima; options begin with
                           a gannet_acq_draws (acquisition/draws.h) */
  gannet_acq_shape shape; /* of score */
  gannet_acq_gain gain;   /* whether scores can be weighed by cost */
  bool rough;             /* piecewise constant: there is no gradient to polish by */
  bool scalarises; /* with several objectives the objective's model is one of a norm of them, by
                      other weights for every point */
  const gannet_acq_memory *memory; /* NULL = nothing is kept */

  /* Kind MOMENTS: the score and its partial derivatives; sd >= 0. A score is finite wherever mean
   * and sd are, also far below underflow, and never rises with the mean. */
  void (*score)(const void *options, const gannet_acq_state *state, int m, const double *mean,
                const double *sd, double *score);
  void (*partials)(const void *options, const gannet_acq_state *state, double mean, double sd,
                   double *by_mean, double *by_sd);

  /* Before each point: make what does not depend on the scored points. Borrows options and state
   * until release, which accepts what a failed prepare left, also NULL. Kind MOMENTS: only with
   * score_points. */
  gannet_err (*prepare)(const void *options, const gannet_acq_state *state, void **work);
  void (*release)(void *work);

  /* Kind LOOKAHEAD: scores of m points by their moments and their covariance [m][n] with the
   * reference points; finite. Gradients are taken by differences. */
  void (*look_ahead)(void *work, int m, const double *mean, const double *sd,
                     const double *covariance, double *score);

  /* Kind MODELS: scores of m points x [m][d], which tell about the constraints, too; and what a
   * polish minimises, minus the score with its gradient [m][d]. Kind MOMENTS may have them where
   * score is an approximation: candidates are then scanned by score, and the best are polished and
   * chosen by these. */
  gannet_err (*score_points)(void *work, int m, const double *x_unit, double *scores);
  gannet_err (*merits)(void *work, int m, const double *x_unit, double *values, double *gradients);
} gannet_acq_type;

/* Whether points of a batch are chosen one after the other, by models that are told fantasies at
 * those before.
 *
 * Local.
 */
bool gannet_acq_is_sequential(const gannet_acq_type *type);

/* Whether a type chooses points for several objectives: with other types only the first would
 * count.
 *
 * Local.
 */
bool gannet_acq_takes_several(const gannet_acq_type *type);

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
