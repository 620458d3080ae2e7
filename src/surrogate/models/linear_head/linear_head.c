/* The table of operations of linear_head.h. */
#include "surrogate/models/linear_head/linear_head.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"

enum {
  ROWS = LINEAR_HEAD_ROWS,
  RETRAINED = 500 /* with more observations, results to come do not train the network anew */
};

#define MEMBER(name) offsetof(linear_head_options, name)
static const gannet_option head_option_table[] = {
    {.key = "activation",
     .type = GANNET_CHOICE,
     .offset = MEMBER(activation),
     .fallback = "tanh",
     .choices = gannet_activation_names,
     .help = "activation function of the network"},
    {.key = "layers",
     .type = GANNET_INTEGER,
     .offset = MEMBER(layers),
     .fallback = "3",
     .lower = 1,
     .upper = GANNET_MLP_LAYERS,
     .help = "hidden layers"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = MEMBER(width),
     .fallback = "50",
     .lower = 1,
     .upper = 5000,
     .help = "units per hidden layer; the last one gives twice as many features"},
    {.key = "input_scale",
     .type = GANNET_REAL,
     .offset = MEMBER(input_scale),
     .fallback = "1",
     .lower = 0,
     .upper = 1e3,
     .flags = GANNET_OPTION_OPEN_LOW,
     .help = "root mean square of the inputs of the first layer's units"},
    {.key = "decay",
     .type = GANNET_REAL,
     .offset = MEMBER(decay),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e6,
     .flags = GANNET_OPTION_AUTO,
     .unit = "variances of the data",
     .help = "pull of the network's weights towards their start; auto: learned",
     .example = "0.01"},
    GANNET_NOISE_FLOOR_OPTION(MEMBER(noise_floor), "1e-6"),
    GANNET_FIT_POINTS_OPTION(
        MEMBER(fit_points), "400",
        "learn hyperparameters by cross-validation; more are thinned out at random"),
    GANNET_TRAIN_POINTS_OPTION(
        MEMBER(train_points), "5000",
        "largest number of observations for training the network; of more, the best half of this "
        "number and a random choice of the rest; the regression takes all"),
    GANNET_TRAIN_OPTIONS(linear_head_options, "the network is"),
    {0}};
#undef MEMBER

static void destroy(void *state) {
  linear_head *h = state;
  gannet_regression_destroy(&h->posterior);
  gannet_mlp_tape_release(&h->tape);
  gannet_free(&h->rho);
  gannet_free(&h->theta);
  gannet_free(&h->weighted);
  gannet_free(&h->z);
  gannet_free(&h->y);
  gannet_free(&h->phi);
  gannet_free(&h->w);
  gannet_free(&h->tile);
  gannet_free(&h->rows);
  gannet_free(&h->by_z);
  gannet_free(&h->draws);
  gannet_free(&h);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  linear_head *h = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *h, &h));
  *state = h; /* the front destroys it, also after a failure below */
  h->context = context;
  h->options = options;
  h->streams = (gannet_streams){context->seed, model};
  h->d = d;
  h->net = (gannet_mlp){.activation = gannet_activations[h->options->activation],
                        .inputs = d + 1,
                        .layers = h->options->layers,
                        .width = h->options->width};
  h->stale = true;
  h->p = 2 * h->net.width + 1;
  const double decay = isnan(h->options->decay) ? 0.01 : h->options->decay;
  h->hyper[LINEAR_HEAD_DECAY] = log(fmax(decay, DBL_MIN));
  for (int k = LINEAR_HEAD_RIDGE; k < LINEAR_HEAD_HYPER; ++k)
    h->hyper[k] = log(fmax(1e-4, h->options->noise_floor));
  const size_t weights = 2 * gannet_mlp_parameters(&h->net), p = (size_t)h->p;
  const size_t inputs = (size_t)d + 1;
  GANNET_TRY(gannet_alloc((size_t)d, sizeof(double), &h->rho));
  /* for x uniform in the cube, |2 x - 1|^2 is d / 3 on average */
  for (int k = 0; k < d; ++k) h->rho[k] = h->options->input_scale * sqrt(3.0 / d);
  h->embedding = (gannet_input_embedding){GANNET_EMBEDDING_FLAT, d, h->rho, 1};
  GANNET_TRY(gannet_alloc(weights, sizeof(double), &h->theta));
  GANNET_TRY(gannet_alloc(weights, sizeof(double), &h->weighted));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &h->w));
  GANNET_TRY(gannet_mlp_tape_create(&h->net, ROWS, &h->tape));
  GANNET_TRY(gannet_alloc(ROWS * inputs, sizeof(double), &h->tile));
  GANNET_TRY(gannet_alloc(ROWS * p, sizeof(double), &h->rows));
  GANNET_TRY(gannet_alloc(inputs, sizeof(double), &h->by_z));
  return gannet_regression_create(h->p, true, &h->posterior);
}

static gannet_err reserve(linear_head *h, int n) {
  if (n <= h->capacity) return GANNET_OK;
  const size_t size = (size_t)n + (size_t)n / 2;
  h->capacity = 0;
  gannet_free(&h->z);
  gannet_free(&h->y);
  gannet_free(&h->phi);
  GANNET_TRY(gannet_alloc(size * ((size_t)h->d + 1), sizeof(double), &h->z));
  GANNET_TRY(gannet_alloc(size, sizeof(double), &h->y));
  GANNET_TRY(gannet_alloc(size * (size_t)h->p, sizeof(double), &h->phi));
  h->capacity = (int)size;
  return GANNET_OK;
}

static gannet_err regress(linear_head *h, const gannet_data *data) {
  const double given = isnan(data->noise_var) ? exp(h->hyper[LINEAR_HEAD_NOISE]) : data->noise_var;
  const double ridge = exp(h->hyper[LINEAR_HEAD_RIDGE]);
  h->noise = fmax(h->options->noise_floor, given);
  h->scale = exp(h->hyper[LINEAR_HEAD_SCALE]);
  GANNET_TRY(gannet_regression_condition(h->posterior, h->n, h->phi, ridge, false));
  gannet_regression_mean(h->posterior, h->y, h->w);
  return GANNET_OK;
}

/* Features of observations from..to-1. */
static void data_features(const linear_head *h, int from, int to) {
  for (int first = from; first < to; first += ROWS)
    linear_head_features(h, h->theta, to - first < ROWS ? to - first : ROWS,
                         h->z + (size_t)first * ((size_t)h->d + 1),
                         h->phi + (size_t)first * (size_t)h->p);
}

/* Collective. */
static gannet_err take_data(linear_head *h, const gannet_data *data) {
  h->q = 0;
  GANNET_TRY(gannet_agree(h->context->comm, reserve(h, data->n)));
  h->n = data->n;
  gannet_embed_inputs(&h->embedding, data->n, data->x, h->z);
  if (data->n > 0) memcpy(h->y, data->y, (size_t)data->n * sizeof *h->y);
  return GANNET_OK;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  linear_head *h = state;
  GANNET_TRY(take_data(h, data));
  if (learn && h->n >= 2) GANNET_TRY(linear_head_learn(h, data->noise_var, iteration));
  GANNET_TRY(linear_head_train(h, h->n, iteration));
  data_features(h, 0, h->n);
  return regress(h, data);
}

/* A few results to come change the network where it has few others; otherwise they enter the
 * regression alone. */
static gannet_err fantasize(void *state, const gannet_data *data, int n_fantasies,
                            int64_t iteration) {
  linear_head *h = state;
  const int known = data->n - n_fantasies;
  if (known <= RETRAINED) return fit(state, data, false, iteration);
  const bool trained = !h->stale && h->trained == known && h->iteration == iteration;
  const bool there = trained && data->n <= h->capacity;
  GANNET_TRY(take_data(h, data));
  if (!trained) GANNET_TRY(linear_head_train(h, known, iteration));
  if (!there) data_features(h, 0, known);
  data_features(h, known, h->n);
  return regress(h, data);
}

static void tile_features(const linear_head *h, int n, const double *x) {
  gannet_embed_inputs(&h->embedding, n, x, h->tile);
  linear_head_features(h, h->theta, n, h->tile, h->rows);
}

static gannet_err predict(const void *state, int m, const double *x, double *mean, double *sd) {
  const linear_head *h = state;
  for (int first = 0; first < m; first += ROWS) {
    const int rows = m - first < ROWS ? m - first : ROWS;
    tile_features(h, rows, x + (size_t)first * (size_t)h->d);
    gannet_gemv_n(rows, h->p, 1, h->rows, h->p, h->w, 0, mean + first);
    if (!sd) continue;
    gannet_regression_quadratic(h->posterior, rows, h->rows, sd + first);
    for (int i = 0; i < rows; ++i) sd[first + i] = sqrt(h->scale * sd[first + i]);
  }
  return GANNET_OK;
}

/* scale phi(x)^T A^-1 phi(z). */
static gannet_err covariance(const void *state, int m, const double *x, int n, const double *z,
                             double *out) {
  const linear_head *h = state;
  double *solved = NULL; /* [n][p] */
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)h->p, sizeof *solved, &solved));
  for (int first = 0; first < n; first += ROWS) {
    const int rows = n - first < ROWS ? n - first : ROWS;
    tile_features(h, rows, z + (size_t)first * (size_t)h->d);
    gannet_regression_solve(h->posterior, rows, h->rows);
    memcpy(solved + (size_t)first * (size_t)h->p, h->rows,
           (size_t)rows * (size_t)h->p * sizeof *solved);
  }
  for (int first = 0; first < m; first += ROWS) {
    const int rows = m - first < ROWS ? m - first : ROWS;
    tile_features(h, rows, x + (size_t)first * (size_t)h->d);
    gannet_gemm_nt(rows, n, h->p, h->scale, h->rows, h->p, solved, h->p, 0,
                   out + (size_t)first * (size_t)n, n);
  }
  gannet_free(&solved);
  return GANNET_OK;
}

static double noise_var(const void *state) {
  return ((const linear_head *)state)->noise;
}

/* Gradient by x of q . phi(x) at the point of h->tile: that of networks with q as output weights.
 */
static void feature_gradient(const linear_head *h, const double *q, double *gradient) {
  const size_t m = (size_t)h->net.width, size = gannet_mlp_parameters(&h->net);
  const double one = 1;
  gannet_mlp_tape tape = h->tape;
  memset(gradient, 0, (size_t)h->d * sizeof *gradient);
  for (size_t half = 0; half < 2; ++half) {
    double *theta = h->weighted + half * size, value = 0;
    memcpy(theta + gannet_mlp_offset(&h->net, h->net.layers), q + half * m, m * sizeof *q);
    gannet_mlp_forward(&h->net, theta, 1, h->tile, &tape, &value);
    gannet_mlp_backward(&h->net, theta, 1, h->tile, &one, &tape, NULL, h->by_z);
    gannet_embedding_gradient(&h->embedding, h->tile, h->by_z, h->by_z);
    for (int k = 0; k < h->d; ++k) gradient[k] += h->by_z[k];
  }
}

static gannet_err predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                   double *mean_gradient, double *sd_gradient) {
  const linear_head *h = state;
  GANNET_TRY(predict(state, 1, x, mean, sd));
  feature_gradient(h, h->w, mean_gradient);
  gannet_regression_solve(h->posterior, 1, h->rows);
  feature_gradient(h, h->rows, sd_gradient);
  for (int k = 0; k < h->d; ++k) sd_gradient[k] *= *sd > 0 ? h->scale / *sd : 0;
  return GANNET_OK;
}

static gannet_err sample(void *state, int q, double exploration, int64_t iteration) {
  linear_head *h = state;
  const size_t p = (size_t)h->p;
  h->q = 0;
  gannet_free(&h->draws);
  GANNET_TRY(gannet_alloc((size_t)q * p, sizeof(double), &h->draws));
  for (int j = 0; j < q; ++j) {
    double *w = h->draws + (size_t)j * p;
    gannet_regression_draw(h->posterior,
                           gannet_stream_of(h->streams, GANNET_FOR_PRIOR, iteration, j),
                           gannet_stream_of(h->streams, GANNET_FOR_NOISE, iteration, j), w);
    for (size_t k = 0; k < p; ++k) w[k] = h->w[k] + exploration * sqrt(h->scale) * w[k];
  }
  h->q = q;
  return GANNET_OK;
}

static gannet_err draw_values(const void *state, int m, const double *x, double *values, int ldv) {
  const linear_head *h = state;
  for (int first = 0; first < m; first += ROWS) {
    const int rows = m - first < ROWS ? m - first : ROWS;
    tile_features(h, rows, x + (size_t)first * (size_t)h->d);
    gannet_gemm_nt(h->q, rows, h->p, 1, h->draws, h->p, h->rows, h->p, 0, values + first, ldv);
  }
  return GANNET_OK;
}

static gannet_err draw_gradient(const void *state, int draw, const double *x, double *value,
                                double *gradient) {
  const linear_head *h = state;
  const double *w = h->draws + (size_t)draw * (size_t)h->p;
  tile_features(h, 1, x);
  *value = gannet_dot(h->p, w, h->rows);
  feature_gradient(h, w, gradient);
  return GANNET_OK;
}

static gannet_hyper hyper(void *state) {
  static const gannet_hyper_name names[] = {
      {"log_decay"}, {"log_ridge"}, {"log_scale"}, {"log_noise"}};
  linear_head *h = state;
  return (gannet_hyper){LINEAR_HEAD_HYPER, h->hyper, names, &h->stale};
}

const gannet_surrogate_type gannet_surrogate_linear_head = {
    .name = "linear-head",
    .summary = "Bayesian linear regression on the last layer of a trained network (DNGO)",
    .source = "Snoek et al. 2015",
    .options = head_option_table,
    .options_size = sizeof(linear_head_options),
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .fantasize = fantasize,
    .predict = predict,
    .predict_gradient = predict_gradient,
    .covariance = covariance,
    .noise_var = noise_var,
    .sample = sample,
    .draw_values = draw_values,
    .draw_gradient = draw_gradient,
    .hyper = hyper,
};
