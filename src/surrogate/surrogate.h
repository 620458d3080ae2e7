/* Surrogates: models of one function (the objective, or one constraint) with uncertainty.
 *
 * A surrogate sees points of the unit cube and standardised values to be minimised; it knows
 * nothing of variables, constraints or acquisitions.
 *
 *   gannet_surrogate_create   once
 *   gannet_surrogate_fit      after every batch of results; learns hyperparameters when asked to
 *   gannet_surrogate_predict  mean and standard deviation at a tile of points
 *   gannet_surrogate_sample   q draws of whole functions, then
 *   gannet_surrogate_draw_values, _draw_gradient  at any points, cheaply
 *
 * Terms
 *   fantasy   a row of the data that stands for a result to come
 *
 * Most points need no exact values: surrogate/estimator.h ranks them.
 */
#ifndef GANNET_SURROGATE_SURROGATE_H
#define GANNET_SURROGATE_SURROGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "base/option.h"
#include "problem/physics.h"
#include "surrogate/estimator.h"
#include "surrogate/multistart.h"

typedef struct {
  int n;            /* observations, >= 0 */
  const double *x;  /* [n][d] unit cube */
  const double *y;  /* [n] standardised */
  double noise_var; /* variance of the noise in y, in y's units; NAN = to be inferred; 0 = exact */
  /* [n] That of single rows, in the place of noise_var; NAN = noise_var holds. NULL = of no row.
   * Types that do not take it (takes_row_noise) see NULL. */
  const double *row_noise;
} gannet_data;

typedef struct gannet_surrogate gannet_surrogate;

/* Equations of the function that is modelled: in the user's units it is offset + slope y. */
typedef struct {
  const gannet_pde_residuals *residuals; /* borrowed until destroy, or until other ones are given */
  double slope, offset;
} gannet_pde_constraint;

/* The random streams of a model, apart from those of models with another number. */
typedef struct {
  uint64_t seed; /* of the context */
  int model;
} gannet_streams;

/* One stream of a model.
 *
 * Local.
 */
gannet_stream gannet_stream_of(gannet_streams streams, gannet_purpose purpose, int64_t iteration,
                               int index);

typedef struct {
  char text[24];
} gannet_hyper_name;

/* The hyperparameters of a model, which owns what is pointed to. */
typedef struct {
  int n;
  double *values;                 /* [n] */
  const gannet_hyper_name *names; /* [n] */
  bool *stale;                    /* set when values change: the model must be made again */
} gannet_hyper;

/* A model as a table of operations.
 *
 * A type must provide create, destroy, fit, predict, sample, draw_values and draw_gradient; the
 * others may be NULL, and the comment of each says what holds then. Arguments and the order of
 * calls are checked before an operation is called, and the error that it returns is agreed between
 * ranks afterwards; an operation agrees on errors itself only before its own communication.
 */
typedef struct {
  const char *name; /* first member: registries are searched by it */
  const char *summary;
  const char *source;
  const gannet_option *options; /* fill a struct of options_size bytes */
  size_t options_size;
  bool takes_row_noise; /* false: row_noise of the data is left out */
  /* When create fails, it may leave *state for destroy, or NULL. */
  gannet_err (*create)(const gannet_context *context, const void *options, int d, int model,
                       void **state);
  void (*destroy)(void *state);

  /* gannet_surrogate_fit. */
  gannet_err (*fit)(void *state, const gannet_data *data, bool learn, int64_t iteration);
  /* The learning of a fit, in two halves, so that several models can share the minimisations.
   * learn_begin poses the problem, on every rank by itself. learn_end takes the minimum over, if
   * found, and frees what learn_begin made, also when that failed or never ran, so that the task is
   * still zeroed. NULL: fit learns alone. */
  gannet_err (*learn_begin)(void *state, const gannet_data *data, int64_t iteration,
                            gannet_multistart_task *task);
  void (*learn_end)(void *state, gannet_multistart_task *task, bool found);
  /* gannet_surrogate_fantasize. NULL: fit without learning. */
  gannet_err (*fantasize)(void *state, const gannet_data *data, int n_fantasies, int64_t iteration);

  /* Mean and, unless sd is NULL, standard deviation at m points x [m][d]. */
  gannet_err (*predict)(const void *state, int m, const double *x, double *mean, double *sd);
  /* The same at one point, with gradients [d]. NULL, and predict_gradients NULL: central
   * differences. */
  gannet_err (*predict_gradient)(const void *state, const double *x, double *mean, double *sd,
                                 double *mean_gradient, double *sd_gradient);
  /* Mean, standard deviation and their gradients [m][d] at m points, in the place of
   * predict_gradient. Must give the same bits as m calls with one point each. */
  gannet_err (*predict_gradients)(const void *state, int m, const double *x, double *mean,
                                  double *sd, double *mean_gradients, double *sd_gradients);
  /* gannet_surrogate_fitted. NULL: never. */
  bool (*fitted)(const void *state, double *mean);
  /* gannet_surrogate_lower. NULL: mean - exploration sd. */
  gannet_err (*lower)(const void *state, double exploration, const double *x, double *value,
                      double *gradient);
  /* Posterior covariance between m points and n <= GANNET_TILE others. NULL: that of draws. */
  gannet_err (*covariance)(const void *state, int m, const double *x, int n, const double *z,
                           double *covariance);

  /* gannet_surrogate_sample, _draw_values and _draw_gradient. */
  gannet_err (*sample)(void *state, int q, double exploration, int64_t iteration);
  /* gannet_surrogate_shrink_draw. NULL: draws cannot be shrunk. */
  gannet_err (*shrink_draw)(void *state, int draw, double factor);
  gannet_err (*draw_values)(const void *state, int m, const double *x, double *values, int ldv);
  gannet_err (*draw_gradient)(const void *state, int draw, const double *x, double *value,
                              double *gradient);
  /* gannet_surrogate_draws_at and _draws_slope. Both or none; NULL: by the operations above. */
  gannet_err (*draws_at)(const void *state, const double *x, double *values);
  gannet_err (*draws_slope)(const void *state, const double *x, const double *weights,
                            double *gradient);

  /* gannet_surrogate_estimator: fills type and work, and leaves work NULL where the model gives no
   * such estimates. NULL: never. Draws have an estimator only in models whose draw_values at a
   * point depend on the other points of a call by rounding only. May fill caches of the model. */
  gannet_err (*estimator)(void *state, const gannet_estimator_spec *spec,
                          gannet_estimator *estimator);

  double (*noise_var)(const void *state);                /* NULL: 0 */
  gannet_err (*calibration)(void *state, double *scale); /* NULL: 1 */
  /* gannet_surrogate_information_gain. NULL: unknown. */
  gannet_err (*information_gain)(const void *state, double *gain);
  double (*log_evidence_ratio)(const void *state);         /* NULL: 0 */
  gannet_err (*log_predictive)(void *state, double *sum);  /* NULL: NAN */
  gannet_hyper (*hyper)(void *state);                      /* NULL: none */
  void (*lengthscales)(const void *state, double *scales); /* NULL: all equal */
  /* Why predict refuses sd with these options, and what to choose. NULL, or a result of NULL: it
   * does not refuse. */
  const char *(*no_sd)(const void *options);
  /* Why some of these options do not go together, and what to choose. NULL, or a result of NULL:
   * they do. */
  const char *(*contradiction)(const void *options);
  /* gannet_surrogate_set_pde_constraint. NULL: the model takes no equations. */
  gannet_err (*set_pde_constraint)(void *state, const gannet_pde_constraint *constraint);
  /* gannet_surrogate_set_noisy. NULL: makes no difference. */
  void (*set_noisy)(void *state, bool noisy);
  /* Observations many ranges outside the unit cube do no harm: their influence fades with the
   * distance. */
  bool takes_far;
  /* Change the options for a model of anything but the objective, as of a constraint or of where
   * simulations crash. NULL: the same options serve. */
  void (*for_others)(void *options);
} gannet_surrogate_type;

/* Every registered model, NULL-terminated. */
extern const gannet_surrogate_type *const gannet_surrogate_types[];

/* Find a registered model by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_surrogate_find(const char *name,
                                                const gannet_surrogate_type **type);

/* Create a surrogate.
 *
 * Collective over the context's communicator; arguments the same on all ranks.
 *
 * options  in  struct of type->options, copied (texts and lists borrowed until destroy); NULL =
 *                defaults; the type may keep the pointer it is given
 * d        in  dimension of the unit cube, >= 1
 * model    in  number that keeps the random streams of several surrogates apart: 0 objective, 1..
 * others
 *
 * Errors: GANNET_ERR_SHAPE when d < 1; GANNET_ERR_ARG when model < 0; those of the type.
 */
GANNET_CHECKED gannet_err gannet_surrogate_create(const gannet_context *context,
                                                  const gannet_surrogate_type *type,
                                                  const void *options, int d, int model,
                                                  gannet_surrogate **surrogate);
void gannet_surrogate_destroy(gannet_surrogate **surrogate);

/* Condition the model on data. Without learn, hyperparameters stay, and rows of x below the
 * previous n must be the same as before (y may change): then the cost is that of the new rows. The
 * result is a function of (data, hyperparameters before, learn, iteration, seed) alone, bit for
 * bit, on any number of ranks.
 *
 * Collective; the same on all ranks.
 *
 * data       in  borrowed for the call
 * learn      in  fit the hyperparameters first
 * iteration  in  number of the batch, for random streams
 *
 * Errors: GANNET_ERR_SHAPE or GANNET_ERR_ARG for data that are refused, which leaves the model as
 * it was, but for its draws; those of the type, after which it counts as not fitted and has the
 * hyperparameters of before.
 */
GANNET_CHECKED gannet_err gannet_surrogate_fit(gannet_surrogate *surrogate, const gannet_data *data,
                                               bool learn, int64_t iteration);

/* A surrogate that is to learn from data. */
typedef struct {
  gannet_surrogate *surrogate;
  gannet_data data;
  int64_t iteration;
  bool learnt; /* out */
} gannet_learner;

/* Let several surrogates learn their hyperparameters at once, so that ranks share all their
 * minimisations: those that can. Who has learnt is to be fitted without learning to the same data
 * next; together that is what a fit with learning is, bit for bit.
 *
 * Collective; the same on all ranks.
 *
 * n         in     >= 0
 * learners  inout  [n]
 *
 * Errors: as _fit, of any of them; nobody has learnt then.
 */
GANNET_CHECKED gannet_err gannet_surrogates_learn(const gannet_context *context, int n,
                                                  gannet_learner *learners);

/* A fit without learning where the last n_fantasies rows, the fantasies, stand for results to come:
 * what is made for many fits ahead is not made of them. The next fit forgets them.
 *
 * Collective; the same on all ranks.
 *
 * n_fantasies  in  0 .. data->n
 *
 * Errors: as _fit; GANNET_ERR_ARG for a number of rows that there are not.
 */
GANNET_CHECKED gannet_err gannet_surrogate_fantasize(gannet_surrogate *surrogate,
                                                     const gannet_data *data, int n_fantasies,
                                                     int64_t iteration);

/* Let the next fit take all its rows as new: the leading ones are not those of the last fit.
 *
 * Local.
 *
 * Errors: as gannet_surrogate_set_hyper.
 */
GANNET_CHECKED gannet_err gannet_surrogate_start_over(gannet_surrogate *surrogate);

/* Have the next fits obey equations besides the data. The rows of the factor that belong to them
 * are kept from fit to fit while residuals stays the same.
 *
 * Local; logically collective.
 *
 * Errors: GANNET_ERR_ARG when the type takes no equations, naming those that do, and for a slope of
 * 0, or a slope or offset that is not finite.
 */
GANNET_CHECKED gannet_err gannet_surrogate_set_pde_constraint(
    gannet_surrogate *surrogate, const gannet_pde_constraint *constraint);

/* A function that is known before the data: the model sees (y - m(x)) / scale, and what it says is
 * given back as m(x) + scale * what it says.
 *
 * evaluate  values [n] of m at points x [n][d] and, unless gradients is NULL, its gradients [n][d];
 *           the bits of a point do not depend on the others
 */
typedef struct {
  gannet_err (*evaluate)(const void *user, int n, const double *x, double *values,
                         double *gradients);
  const void *user;
  double scale; /* > 0 */
} gannet_prior_mean;

/* Have the next fits begin with a prior mean. With one there are no estimators.
 *
 * Local; logically collective.
 *
 * prior  in  copied; NULL = the mean is 0, and all is as without this
 */
void gannet_surrogate_set_prior_mean(gannet_surrogate *surrogate, const gannet_prior_mean *prior);

/* Sum over the data of the logarithm of the density that a model of all other data gives to each
 * (Rasmussen and Williams 2006, eq. (5.11)), with the hyperparameters of all; NAN where the type
 * does not tell it, and with a prior mean. After a fit without inducing points.
 *
 * Collective over the context's communicator.
 *
 * Errors: GANNET_ERR_STATE when it was not fitted; those of the factor.
 */
GANNET_CHECKED gannet_err gannet_surrogate_log_predictive(gannet_surrogate *surrogate, double *sum);

/* Whether the values of the fits to come look noisy by other means than the model itself
 * (optimizer/models/noise_test.h), for models that look for noise then; false before the first
 * call.
 *
 * Logically collective.
 */
void gannet_surrogate_set_noisy(gannet_surrogate *surrogate, bool noisy);

/* Posterior mean and standard deviation of the noise-free function at m points; with no data, the
 * prior.
 *
 * Local.
 *
 * x     in   [m][d]
 * mean  out  [m]
 * sd    out  [m] >= 0; NULL when not wanted
 *
 * Errors: GANNET_ERR_SHAPE when m < 0; GANNET_ERR_STATE when it was not fitted; GANNET_ERR_ARG when
 * sd is wanted of a model whose factor is cut over the ranks (surrogate/factor.h).
 */
GANNET_CHECKED gannet_err gannet_surrogate_predict(const gannet_surrogate *surrogate, int m,
                                                   const double *x, double *mean, double *sd);

/* Means at all data of the last fit or fantasize, where they follow from what the model has solved
 * for: up to rounding, and for a few operations each.
 *
 * Local.
 *
 * mean  out  [n]
 *
 * Returns whether there are such; otherwise mean is left as it was.
 */
bool gannet_surrogate_fitted(const gannet_surrogate *surrogate, double *mean);

/* gannet_surrogate_predict at one point, with gradients with respect to x, [d] each. None may be
 * NULL.
 *
 * Local.
 *
 * Errors: as _predict with sd.
 */
GANNET_CHECKED gannet_err gannet_surrogate_predict_gradient(const gannet_surrogate *surrogate,
                                                            const double *x, double *mean,
                                                            double *sd, double *mean_gradient,
                                                            double *sd_gradient);

/* The same at m points, with the same bits.
 *
 * Local.
 *
 * x                             in   [m][d]
 * mean, sd                      out  [m]
 * mean_gradients, sd_gradients  out  [m][d]
 *
 * Errors: as _predict with sd.
 */
GANNET_CHECKED gannet_err gannet_surrogate_predict_gradients(const gannet_surrogate *surrogate,
                                                             int m, const double *x, double *mean,
                                                             double *sd, double *mean_gradients,
                                                             double *sd_gradients);

/* Least value at x over the model's confidence set, whose radius is exploration, with its gradient
 * [d]. To first order it is mean - exploration sd, which it is for models without such a set.
 *
 * Local.
 *
 * exploration  in  >= 0, finite
 *
 * Errors: as _predict with sd; GANNET_ERR_ARG for another exploration.
 */
GANNET_CHECKED gannet_err gannet_surrogate_lower(const gannet_surrogate *surrogate,
                                                 double exploration, const double *x, double *value,
                                                 double *gradient);

/* Prepare q independent draws from the posterior over functions; earlier draws are forgotten, and
 * the next fit makes these invalid. The deviation of a draw from the mean is multiplied by
 * exploration.
 *
 * Collective; the same on all ranks.
 *
 * q            in  >= 1
 * exploration  in  >= 0, finite
 * iteration    in  >= 0, number of the batch, for random streams
 *
 * Errors: GANNET_ERR_STATE when it was not fitted; GANNET_ERR_ARG for arguments outside these
 * ranges; those of the type. No draws are prepared then.
 */
GANNET_CHECKED gannet_err gannet_surrogate_sample(gannet_surrogate *surrogate, int q,
                                                  double exploration, int64_t iteration);

/* Multiply the deviation of a prepared draw from the mean by a factor.
 *
 * Logically collective.
 *
 * draw    in  0 .. q - 1
 * factor  in  >= 0, finite
 *
 * Errors: GANNET_ERR_STATE without prepared draws; GANNET_ERR_ARG for arguments outside these
 * ranges or a type whose draws cannot be shrunk.
 */
GANNET_CHECKED gannet_err gannet_surrogate_shrink_draw(gannet_surrogate *surrogate, int draw,
                                                       double factor);

/* Values of all q draws at m points. The bits do not depend on the rank. No allocation for
 * m <= GANNET_TILE.
 *
 * Local.
 *
 * x       in   [m][d]
 * values  out  [q][ldv], ldv >= m: row j holds draw j
 *
 * Errors: GANNET_ERR_STATE without prepared draws; GANNET_ERR_SHAPE for m outside 0 .. ldv.
 */
GANNET_CHECKED gannet_err gannet_surrogate_draw_values(const gannet_surrogate *surrogate, int m,
                                                       const double *x, double *values, int ldv);

/* Value and gradient [d] of one draw at one point.
 *
 * Local.
 *
 * draw  in  0 .. q - 1
 *
 * Errors: GANNET_ERR_STATE without prepared draws; GANNET_ERR_ARG for one that there is not.
 */
GANNET_CHECKED gannet_err gannet_surrogate_draw_gradient(const gannet_surrogate *surrogate,
                                                         int draw, const double *x, double *value,
                                                         double *gradient);

/* Values of all q draws at one point, which may round otherwise than those of
 * gannet_surrogate_draw_values; and the gradient of a weighted sum of all draws there. They take
 * much less time than single draws one after the other.
 *
 * Local.
 *
 * x         in   [d]
 * values    out  [q]
 * weights   in   [q]
 * gradient  out  [d]
 *
 * Errors: GANNET_ERR_STATE without prepared draws.
 */
GANNET_CHECKED gannet_err gannet_surrogate_draws_at(const gannet_surrogate *surrogate,
                                                    const double *x, double *values);
GANNET_CHECKED gannet_err gannet_surrogate_draws_slope(const gannet_surrogate *surrogate,
                                                       const double *x, const double *weights,
                                                       double *gradient);

enum { GANNET_MOMENT_GROUP = 64 };

/* Make an estimator of the model as it is now (surrogate/estimator.h); an earlier one is released
 * first. A model with an estimator of moments has its moments computed by groups of
 * GANNET_MOMENT_GROUP points: the bits of one do not depend on the others of a whole group.
 *
 * Local; with pivots Collective over the context's communicator, which shares its work.
 *
 * estimator  inout  zeroed, or made before; work is NULL afterwards where the model gives no such
 *                   estimates with its present settings and hyperparameters
 *
 * Errors: GANNET_ERR_MEMORY; GANNET_ERR_STATE without a fit, or for draws without prepared draws;
 * GANNET_ERR_SHAPE for n_pivots below 0.
 * Cost: with pivots 2 n_pivots n^2 operations over the ranks, 2 n_pivots^2 n, with n rows of the
 * model, then about 2 n_pivots n per point.
 */
GANNET_CHECKED gannet_err gannet_surrogate_estimator(gannet_surrogate *surrogate,
                                                     const gannet_estimator_spec *spec,
                                                     gannet_estimator *estimator);

/* Posterior covariance of the noise-free function between m points and n others. A model that does
 * not give it is asked for its prepared draws: their correlation, times the standard deviations of
 * predict.
 *
 * Local.
 *
 * m, n        in   >= 0; a type is asked for at most GANNET_TILE others
 * x, z        in   [m][d], [n][d]
 * covariance  out  [m][n]
 *
 * Errors: as _predict with sd; GANNET_ERR_STATE when draws are needed and fewer than two prepared.
 */
GANNET_CHECKED gannet_err gannet_surrogate_covariance(const gannet_surrogate *surrogate, int m,
                                                      const double *x, int n, const double *z,
                                                      double *covariance);

/* Variance of the noise in an observation as the model has it, 0 when it does not tell.
 *
 * Local.
 */
double gannet_surrogate_noise_var(const gannet_surrogate *surrogate);

/* Root mean square of the standardised leave-one-out residuals: 1 when the model's uncertainty is
 * right, above when it is overconfident. 1 when the model cannot tell.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_surrogate_calibration(gannet_surrogate *surrogate, double *scale);

/* Information gain of the observations about the function, in nats: 1/2 log det(I + K / noise), K
 * the kernel of the rows that the model is conditioned on. NAN when the model has none.
 *
 * Collective; the same on all ranks.
 *
 * Errors: GANNET_ERR_ARG, saying what to choose, when the factor is cut over the ranks;
 * GANNET_ERR_MEMORY.
 * Cost: n, or n^3 / 3 operations with inducing points.
 */
GANNET_CHECKED gannet_err gannet_surrogate_information_gain(const gannet_surrogate *surrogate,
                                                            double *gain);

/* Of the last fit that learnt: the logarithm of how many times as likely the observations are
 * without the equations of gannet_surrogate_set_pde_constraint as with them, at the best
 * hyperparameters of each; 0 when there are none, or when the model did not look.
 *
 * Local; same result on all ranks.
 */
double gannet_surrogate_log_evidence_ratio(const gannet_surrogate *surrogate);

/* Hyperparameters: what learn changes, and all that a saved campaign needs to continue exactly.
 *
 * Local. set: logically collective; the next fit must pass all rows again.
 *
 * i       in  0 .. n_hyper - 1
 * values      [n_hyper] finite
 *
 * Errors: GANNET_ERR_ARG for a value that is not finite, with its name; none is taken over then.
 */
int gannet_surrogate_n_hyper(const gannet_surrogate *surrogate);
const char *gannet_surrogate_hyper_name(const gannet_surrogate *surrogate, int i);
void gannet_surrogate_get_hyper(const gannet_surrogate *surrogate, double *values);
GANNET_CHECKED gannet_err gannet_surrogate_set_hyper(gannet_surrogate *surrogate,
                                                     const double *values);

/* How far the function stays alike in the direction of each coordinate, by the present
 * hyperparameters; only ratios mean something. All 1 for models that do not tell.
 *
 * Local.
 *
 * scales  out  [d] > 0
 */
void gannet_surrogate_lengthscales(const gannet_surrogate *surrogate, double *scales);

/* Dimension.
 *
 * Local.
 */
int gannet_surrogate_dimension(const gannet_surrogate *surrogate);

/* Points per tile: candidates are scored this many at a time, and workspaces hold this many. */
enum { GANNET_TILE = 512 };

#endif
