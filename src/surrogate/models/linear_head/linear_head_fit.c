/* Training of the network of linear_head.h, and its hyperparameters by cross-validation.
 *
 * The network interpolates what it is trained on: at these points the regression on its units has
 * residuals near 0 and deviations that say nothing about others. The hyperparameters therefore
 * maximise the likelihood of observations that neither the network nor the regression has seen. The
 * observations are cut into folds at random; for each fold and each decay the network is trained on
 * the other folds, and for each ridge the regression predicts the fold,
 *
 *   y_i - mean_i ~ N(0, scale q_i + noise),   q_i = phi_i^T A^-1 phi_i.
 *
 * For each ratio noise / scale the scale has a closed form. Priors are weak: the noise is
 * log-normal (-4, 2), and far from all data, where q = |phi|^2 / ridge, a residual of 1 is taken as
 * seen once.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/blas.h"
#include "surrogate/data_subset.h"
#include "surrogate/likelihood.h"
#include "surrogate/models/linear_head/linear_head.h"

enum { FOLDS = 5, DECAYS = 3, RIDGES = 15, RATIOS = 33 };

/* Values that the hyperparameters choose from: first * step^k. */
static const double first_decay = 1e-3, decay_step = 31.622776601683793;
static const double first_ridge = 1e-6, ridge_step = 3.1622776601683795;
static const double first_ratio = 1e-8, ratio_step = 1.7782794100389228;

void linear_head_features(const linear_head *h, const double *theta, int n, const double *z,
                          double *phi) {
  const size_t m = (size_t)h->net.width, p = (size_t)h->p;
  const double c = gannet_mlp_scale(&h->net);
  gannet_mlp_tape tape = h->tape; /* written through pointers of a const object */
  double out[LINEAR_HEAD_ROWS];
  for (size_t half = 0; half < 2; ++half) {
    gannet_mlp_forward(&h->net, theta + half * gannet_mlp_parameters(&h->net), n, z, &tape, out);
    const double *units = tape.a[h->net.layers - 1];
    for (size_t i = 0; i < (size_t)n; ++i)
      for (size_t j = 0; j < m; ++j) phi[i * p + half * m + j] = c * units[i * m + j];
  }
  for (size_t i = 0; i < (size_t)n; ++i) phi[i * p + p - 1] = 1;
}

gannet_err linear_head_train(linear_head *h, int n, int64_t iteration) {
  const linear_head_options *o = h->options;
  /* mini-batches have sub-purposes of the same stream */
  const gannet_stream stream = gannet_stream_of(h->streams, GANNET_FOR_TRAINING, iteration, 0);
  const size_t parameters = gannet_mlp_parameters(&h->net);
  const double decay = isnan(o->decay) ? exp(h->hyper[LINEAR_HEAD_DECAY]) : o->decay;
  gannet_rows rows = {.n = n, .width = h->d + 1, .x = h->z, .y = h->y};
  double *start = NULL;
  h->stale = true; /* should training fail */
  gannet_err code = gannet_alloc(parameters, sizeof *start, &start);
  if (code == GANNET_OK) code = gannet_rows_choose(&rows, o->train_points, true, stream);
  code = gannet_agree(h->context->comm, code);
  if (code == GANNET_OK) {
    gannet_mlp_start(&h->net, gannet_stream_of(h->streams, GANNET_FOR_WEIGHTS, 0, 0), start);
    const gannet_train_problem problem = {&h->net, rows.n, rows.x, rows.y, decay, start, NULL};
    code = gannet_train_for_all(h->context, &problem, &o->training, stream, h->theta, &h->told);
  }
  gannet_rows_release(&rows);
  gannet_free(&start);
  GANNET_TRY(code);
  memcpy(h->weighted, h->theta, 2 * parameters * sizeof *h->theta);
  h->trained = n;
  h->iteration = iteration;
  h->stale = false;
  return GANNET_OK;
}

/* Cross-validation. Fold f are the rows order[f n / folds] up to order[(f + 1) n / folds]. */
typedef struct {
  linear_head *h;
  gannet_rows rows; /* observations */
  int folds, decays;
  double decay[DECAYS];
  int64_t iteration;
  gannet_stream stream; /* of the order */
  int *order;           /* [n] */
  double *residual;     /* [decays][RIDGES][n] y - mean; first of the results, which lie together */
  double *quadratic;    /* [decays][RIDGES][n] q */
  double *square;       /* [decays][n] |phi|^2 */
  size_t n_results;
  /* workspace; rows of a fold come after all others */
  double *start, *theta; /* [parameters], [2][parameters] */
  double *z, *y;         /* [n][d+1], [n] */
  double *phi;           /* [n][p] */
  double *w;             /* [p] */
} validation;

static gannet_err validation_create(validation *v) {
  const linear_head *h = v->h;
  const size_t n = (size_t)v->rows.n, tables = (size_t)v->decays * RIDGES;
  const size_t parameters = gannet_mlp_parameters(&h->net);
  v->n_results = (2 * tables + (size_t)v->decays) * n;
  GANNET_TRY(gannet_alloc(n, sizeof *v->order, &v->order));
  GANNET_TRY(gannet_alloc(v->n_results, sizeof(double), &v->residual));
  GANNET_TRY(gannet_alloc(3 * parameters, sizeof(double), &v->start));
  GANNET_TRY(gannet_alloc(n * ((size_t)h->d + 1), sizeof(double), &v->z));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &v->y));
  GANNET_TRY(gannet_alloc(n * (size_t)h->p, sizeof(double), &v->phi));
  GANNET_TRY(gannet_alloc((size_t)h->p, sizeof(double), &v->w));
  v->quadratic = v->residual + tables * n;
  v->square = v->quadratic + tables * n;
  v->theta = v->start + parameters;
  gannet_random_permutation(v->stream, v->rows.n, v->order);
  gannet_mlp_start(&h->net, gannet_stream_of(h->streams, GANNET_FOR_WEIGHTS, 0, 0), v->start);
  return GANNET_OK;
}

static void validation_release(validation *v) {
  gannet_rows_release(&v->rows);
  gannet_free(&v->order);
  gannet_free(&v->residual);
  gannet_free(&v->start);
  gannet_free(&v->z);
  gannet_free(&v->y);
  gannet_free(&v->phi);
  gannet_free(&v->w);
}

/* Train on all rows but the last `held`, and make the features of all. */
static gannet_err train_without(validation *v, int held, double decay, gannet_stream stream) {
  linear_head *h = v->h;
  const int n = v->rows.n;
  const gannet_train_problem problem = {&h->net, n - held, v->z, v->y, decay, v->start, NULL};
  gannet_training *training = NULL;
  gannet_err code = gannet_training_create(&h->net, n - held, &h->options->training, &training);
  if (code == GANNET_OK) code = gannet_training_run(training, &problem, stream, v->theta, NULL);
  gannet_training_destroy(&training);
  GANNET_TRY(code);
  for (int first = 0; first < n; first += LINEAR_HEAD_ROWS)
    linear_head_features(h, v->theta, n - first < LINEAR_HEAD_ROWS ? n - first : LINEAR_HEAD_ROWS,
                         v->z + (size_t)first * ((size_t)h->d + 1),
                         v->phi + (size_t)first * (size_t)h->p);
  return GANNET_OK;
}

/* Results of one fold with one decay. */
static gannet_err validate(validation *v, int fold, int decay) {
  const linear_head *h = v->h;
  const size_t width = (size_t)v->rows.width, p = (size_t)h->p;
  const int n = v->rows.n, begin = (int)((int64_t)fold * n / v->folds);
  const int end = (int)((int64_t)(fold + 1) * n / v->folds), held = end - begin;
  const int known = n - held;
  for (int i = 0; i < n; ++i) { /* from the end of the fold round to its last row */
    const int row = v->order[(end + i) % n];
    memcpy(v->z + (size_t)i * width, v->rows.x + (size_t)row * width, width * sizeof *v->z);
    v->y[i] = v->rows.y[row];
  }
  const gannet_stream stream =
      gannet_stream_of(h->streams, GANNET_FOR_TRAINING, v->iteration, 1 + fold * DECAYS + decay);
  GANNET_TRY(train_without(v, held, v->decay[decay], stream));
  const double *phi = v->phi + (size_t)known * p;
  double *square = v->square + (size_t)decay * (size_t)n + begin;
  for (int i = 0; i < held; ++i)
    square[i] = gannet_dot(h->p, phi + (size_t)i * p, phi + (size_t)i * p);
  double ridge = first_ridge;
  for (int k = 0; k < RIDGES; ++k, ridge *= ridge_step) {
    const size_t at = ((size_t)decay * RIDGES + (size_t)k) * (size_t)n + (size_t)begin;
    GANNET_TRY(gannet_regression_condition(h->posterior, known, v->phi, ridge, false));
    gannet_regression_mean(h->posterior, v->y, v->w);
    gannet_regression_quadratic(h->posterior, held, phi, v->quadratic + at);
    memcpy(v->residual + at, v->y + known, (size_t)held * sizeof *v->y);
    gannet_gemv_n(held, h->p, -1, phi, h->p, v->w, 1, v->residual + at);
  }
  return GANNET_OK;
}

/* Minus the logarithm of the likelihood of all folds times priors, for one row of the tables and
 * one ratio noise / scale. far: q far from all data. */
static double evidence(const validation *v, size_t table, double far, double ratio,
                       double noise_var, double *scale, double *noise) {
  const int n = v->rows.n;
  const double floor = v->h->options->noise_floor;
  const double *q = v->quadratic + table * (size_t)n, *r = v->residual + table * (size_t)n;
  double sum = 1 / (far + ratio), unused = 0;
  for (int i = 0; i < n; ++i) sum += r[i] * r[i] / (q[i] + ratio);
  *scale = isnan(noise_var) ? sum / (n + 1) : fmax(floor, noise_var) / ratio;
  *noise = fmax(floor, isnan(noise_var) ? ratio * *scale : noise_var);
  double value = gannet_prior_normal(log(*noise), -4, 2, &unused), variance = *scale * far + *noise;
  value += 0.5 * (1 / variance + log(variance));
  for (int i = 0; i < n; ++i) {
    variance = *scale * q[i] + *noise;
    value += 0.5 * (r[i] * r[i] / variance + log(variance));
  }
  return value;
}

/* The hyperparameters of the largest likelihood; of equal ones the first. */
static void choose(const validation *v, double noise_var, double *hyper) {
  const int n = v->rows.n;
  double least = INFINITY;
  for (int decay = 0; decay < v->decays; ++decay) {
    double square = 0, ridge = first_ridge;
    for (int i = 0; i < n; ++i) square += v->square[(size_t)decay * (size_t)n + (size_t)i] / n;
    for (int k = 0; k < RIDGES; ++k, ridge *= ridge_step) {
      double ratio = first_ratio;
      for (int j = 0; j < RATIOS; ++j, ratio *= ratio_step) {
        double scale = 0, noise = 0;
        const double value = evidence(v, (size_t)(decay * RIDGES + k), square / ridge, ratio,
                                      noise_var, &scale, &noise);
        if (!(value < least)) continue;
        least = value;
        hyper[LINEAR_HEAD_DECAY] = log(fmax(v->decay[decay], DBL_MIN));
        hyper[LINEAR_HEAD_RIDGE] = log(ridge);
        hyper[LINEAR_HEAD_SCALE] = log(scale);
        hyper[LINEAR_HEAD_NOISE] = log(noise);
      }
    }
  }
}

gannet_err linear_head_learn(linear_head *h, double noise_var, int64_t iteration) {
  const gannet_context *context = h->context;
  validation v = {.h = h,
                  .rows = {.n = h->n, .width = h->d + 1, .x = h->z, .y = h->y},
                  .iteration = iteration,
                  .stream = gannet_stream_of(h->streams, GANNET_FOR_FIT, iteration, 0)};
  const bool known = !isnan(h->options->decay);
  v.decays = known ? 1 : DECAYS;
  for (int k = 0; k < v.decays; ++k)
    v.decay[k] = k == 0 ? first_decay : decay_step * v.decay[k - 1];
  if (known) v.decay[0] = h->options->decay;
  gannet_err code = gannet_rows_choose(&v.rows, h->options->fit_points, false, v.stream);
  v.folds = v.rows.n < FOLDS ? v.rows.n : FOLDS;
  if (code == GANNET_OK) code = validation_create(&v);
  for (int job = context->rank; job < v.folds * v.decays && code == GANNET_OK; job += context->np)
    code = validate(&v, job % v.folds, job / v.folds);
  code = gannet_agree(context->comm, code);
  if (code == GANNET_OK) code = gannet_partition_gather(context->comm, v.n_results, v.residual);
  if (code == GANNET_OK) choose(&v, noise_var, h->hyper);
  validation_release(&v);
  return code;
}
