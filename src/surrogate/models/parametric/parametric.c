/* GO-UCB (Global Optimization with Parametric Function Approximation, Liu and Wang 2023): optimism
 * over the weights of a network.
 *
 *   mean(x) = f(x; w_t),   sd(x) = scale |df(x; w_t)/dw|_{Sigma_t^-1}
 *
 * so that the lower confidence bound is the linearised optimistic minimum over the ball of weights.
 * A draw is f(x; w), linearised at w_t, with w in the ball.
 *
 * The calibrated schedule takes the ball to be the posterior of the weights, Sigma_t^-1 times the
 * variance of the noise, with lambda = noise / prior variance; the published one takes lambda =
 * sqrt(T) log(T)^2 and scale^2 = beta_t = p^3 F^4 t / T.
 */
#include "surrogate/models/parametric/parametric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"

static const char *const schedules[] = {"calibrated", "paper", NULL};
static const char *const phases[] = {"counted", "discarded", NULL};

#define MEMBER(name) offsetof(parametric_options, name)
static const gannet_option parametric_option_table[] = {
    {.key = "units",
     .type = GANNET_INTEGER,
     .offset = MEMBER(units),
     .fallback = "25",
     .lower = 1,
     .upper = 10000,
     .help = "hidden units"},
    {.key = "lift",
     .type = GANNET_CHOICE,
     .offset = MEMBER(lift),
     .fallback = "sphere",
     .choices = gannet_embedding_names,
     .help = "input of the network: the point as it is, or with a coordinate that puts it on a "
             "sphere, where no corner of the box is more uncertain than other points"},
    {.key = "decay",
     .type = GANNET_REAL,
     .offset = MEMBER(decay),
     .fallback = "1e-4",
     .lower = 0,
     .upper = 1e6,
     .unit = "variances of the data",
     .help = "pull of the regression's weights towards 0"},
    {.key = "first_phase",
     .type = GANNET_CHOICE,
     .offset = MEMBER(discard),
     .fallback = "counted",
     .choices = phases,
     .help = "whether observations of the regression enter the uncertainty, or, as published, only "
             "later ones"},
    {.key = "schedule",
     .type = GANNET_CHOICE,
     .offset = MEMBER(schedule),
     .fallback = "calibrated",
     .choices = schedules,
     .help = "size of the ball of weights: by the evidence, or as published"},
    {.key = "horizon",
     .type = GANNET_INTEGER,
     .offset = MEMBER(horizon),
     .fallback = "100",
     .lower = 1,
     .upper = 1e9,
     .help = "evaluations T of the published schedule"},
    {.key = "bound",
     .type = GANNET_REAL,
     .offset = MEMBER(bound),
     .fallback = "1",
     .lower = 0,
     .upper = 1e6,
     .flags = GANNET_OPTION_OPEN_LOW,
     .unit = "standard deviations of the objective",
     .help = "bound F on the objective of the published schedule"},
    GANNET_NOISE_FLOOR_OPTION(MEMBER(noise_floor), "1e-6"),
    {.key = "restarts",
     .type = GANNET_INTEGER,
     .offset = MEMBER(restarts),
     .fallback = "6",
     .lower = 1,
     .upper = 1000,
     .help = "starts of the regression, shared among the ranks"},
    {.key = "fit_evaluations",
     .type = GANNET_INTEGER,
     .offset = MEMBER(fit_evaluations),
     .fallback = "300",
     .lower = 1,
     .upper = 1000000,
     .help = "largest number of evaluations of the loss from each start of the regression"},
    GANNET_FIT_POINTS_OPTION(MEMBER(fit_points), "400",
                             "learn variances; more are thinned out at random"),
    GANNET_TRAIN_POINTS_OPTION(MEMBER(train_points), "4000",
                               "largest number of observations of the regression; of more, the "
                               "best half of this number and a random choice of the rest"),
    {0}};
#undef MEMBER

static void destroy(void *state) {
  parametric *m = state;
  parametric_release_posterior(m);
  gannet_free(&m->ones);
  gannet_free(&m->hyper);
  gannet_free(&m->names);
  gannet_free(&m->z);
  gannet_free(&m->y);
  gannet_free(&m->w);
  gannet_free(&m->draws);
  gannet_free(&m->work);
  gannet_free(&m->tile);
  gannet_free(&m->rows);
  gannet_free(&m->slope);
  gannet_free(&m);
}

/* Without data the function is one of random weights; their prior variance makes the uncertainty
 * about 1: |df/dw|^2 is about units / 4 from the output weights alone. */
static void set_defaults(parametric *m) {
  static const gannet_hyper_name first[] = {
      {"learned"}, {"log_misfit"}, {"log_prior"}, {"log_noise"}};
  m->hyper[PARAMETRIC_MISFIT] = log(m->options->noise_floor);
  m->hyper[PARAMETRIC_PRIOR] = -log(1 + 0.5 * m->options->units);
  m->hyper[PARAMETRIC_NOISE] = log(fmax(1e-4, m->options->noise_floor));
  two_layer_start(&m->net, gannet_stream_of(m->streams, GANNET_FOR_WEIGHTS, 0, 0), 1,
                  m->hyper + PARAMETRIC_WEIGHTS);
  for (int i = 0; i < m->n_hyper; ++i)
    if (i < PARAMETRIC_WEIGHTS)
      m->names[i] = first[i];
    else
      (void)snprintf(m->names[i].text, sizeof m->names[i].text, "w_%d", i - PARAMETRIC_WEIGHTS);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  parametric *m = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *m, &m));
  *state = m; /* the front destroys it, also after a failure below */
  m->context = context;
  m->options = options;
  m->streams = (gannet_streams){context->seed, model};
  m->d = d;
  GANNET_TRY(gannet_alloc((size_t)d, sizeof(double), &m->ones));
  for (int k = 0; k < d; ++k) m->ones[k] = 1;
  m->net.embedding =
      (gannet_input_embedding){(gannet_embedding_kind)m->options->lift, d, m->ones, 1};
  m->net.inputs = d + (m->net.embedding.kind == GANNET_EMBEDDING_SPHERE);
  m->net.units = m->options->units;
  const size_t inputs = (size_t)m->net.inputs;
  m->stale = true;
  m->noise_var = NAN;
  const size_t p = two_layer_weights(&m->net);
  GANNET_REQUIRE(p < (1 << 30), GANNET_ERR_SHAPE, "%zu weights", p);
  m->p = (int)p;
  m->n_hyper = PARAMETRIC_WEIGHTS + m->p;
  GANNET_TRY(gannet_alloc((size_t)m->n_hyper, sizeof(double), &m->hyper));
  GANNET_TRY(gannet_alloc((size_t)m->n_hyper, sizeof *m->names, &m->names));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &m->w));
  GANNET_TRY(gannet_alloc(two_layer_work(&m->net), sizeof(double), &m->work));
  GANNET_TRY(gannet_alloc(TWO_LAYER_ROWS * inputs, sizeof(double), &m->tile));
  GANNET_TRY(gannet_alloc(TWO_LAYER_ROWS * p, sizeof(double), &m->rows));
  GANNET_TRY(gannet_alloc(2 * inputs, sizeof(double), &m->slope));
  GANNET_TRY(gannet_regression_create(m->p, false, &m->posterior));
  m->sums.base = -1;
  set_defaults(m);
  return GANNET_OK;
}

/* How many of the observations are those of the last fit: all of that fit's or none. */
static int count_known(const parametric *m, const gannet_data *data) {
  const bool same_noise =
      m->noise_var == data->noise_var || (isnan(m->noise_var) && isnan(data->noise_var));
  if (m->stale || !same_noise || m->n == 0 || data->n < m->n) return 0;
  return memcmp(m->y, data->y, (size_t)m->n * sizeof *m->y) == 0 ? m->n : 0;
}

/* same: the points of the last call are the first ones of this. */
static gannet_err take_data(parametric *m, const gannet_data *data, bool same) {
  const int keep = same ? count_known(m, data) : 0;
  m->q = 0;
  if (m->stale) m->sums.base = -1;
  if (data->n > m->capacity) {
    const size_t old = (size_t)m->capacity, size = (size_t)data->n + (size_t)data->n / 2;
    const size_t inputs = (size_t)m->net.inputs;
    GANNET_TRY(gannet_resize(old * inputs, size * inputs, sizeof(double), &m->z));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &m->y));
    m->capacity = (int)size;
  }
  two_layer_inputs(&m->net, data->n, data->x, m->z);
  if (data->n > 0) memcpy(m->y, data->y, (size_t)data->n * sizeof *m->y);
  m->stale = true; /* should the rest fail */
  m->noise_var = data->noise_var;
  m->n = data->n;
  GANNET_TRY(parametric_condition(m, data->n, keep));
  m->stale = false;
  return GANNET_OK;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  parametric *m = state;
  const bool same = !m->fantasizing;
  m->fantasizing = false;
  if (learn && data->n >= 2) GANNET_TRY(parametric_learn(m, data, iteration));
  return take_data(m, data, same);
}

/* As fit without learning. A fit afterwards conditions on all observations anew. */
static gannet_err fantasize(void *state, const gannet_data *data, int n_fantasies,
                            int64_t iteration) {
  parametric *m = state;
  (void)n_fantasies, (void)iteration;
  m->fantasizing = true;
  return take_data(m, data, true);
}

static gannet_err predict(const void *state, int n, const double *x, double *mean, double *sd) {
  const parametric *m = state;
  const double scale = parametric_scale(m);
  for (int first = 0; first < n; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(n, first);
    two_layer_inputs(&m->net, rows, x + (size_t)first * (size_t)m->d, m->tile);
    if (!sd) {
      two_layer_values(&m->net, m->w, rows, m->tile, m->work, mean + first);
      continue;
    }
    two_layer_features(&m->net, m->w, rows, m->tile, m->work, mean + first, m->rows);
    gannet_regression_quadratic(m->posterior, rows, m->rows, sd + first);
    for (int i = 0; i < rows; ++i) sd[first + i] = sqrt(scale * sd[first + i]);
  }
  return GANNET_OK;
}

/* scale g(x)^T Sigma^-1 g(z). */
static gannet_err covariance(const void *state, int n, const double *x, int n_others,
                             const double *z, double *out) {
  const parametric *m = state;
  const size_t p = (size_t)m->p, d = (size_t)m->d;
  double *solved = NULL, *values = NULL; /* [n_others][p], [TWO_LAYER_ROWS] */
  GANNET_TRY(gannet_alloc((size_t)n_others * p, sizeof *solved, &solved));
  gannet_err code = gannet_alloc(TWO_LAYER_ROWS, sizeof *values, &values);
  for (int first = 0; first < n_others && code == GANNET_OK; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(n_others, first);
    two_layer_inputs(&m->net, rows, z + (size_t)first * d, m->tile);
    two_layer_features(&m->net, m->w, rows, m->tile, m->work, values, m->rows);
    gannet_regression_solve(m->posterior, rows, m->rows);
    memcpy(solved + (size_t)first * p, m->rows, (size_t)rows * p * sizeof *solved);
  }
  for (int first = 0; first < n && code == GANNET_OK; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(n, first);
    two_layer_inputs(&m->net, rows, x + (size_t)first * d, m->tile);
    two_layer_features(&m->net, m->w, rows, m->tile, m->work, values, m->rows);
    gannet_gemm_nt(rows, n_others, m->p, parametric_scale(m), m->rows, m->p, solved, m->p, 0,
                   out + (size_t)first * (size_t)n_others, n_others);
  }
  gannet_free(&solved);
  gannet_free(&values);
  return code;
}

static double noise_var(const void *state) {
  return ((const parametric *)state)->noise;
}

/* d/dx (g^T Sigma^-1 g) = 2 dg/dx . q with q = Sigma^-1 g held fixed. */
static gannet_err predict_gradient(const void *state, const double *x, double *mean, double *sd,
                                   double *mean_gradient, double *sd_gradient) {
  const parametric *m = state;
  const double scale = parametric_scale(m);
  GANNET_TRY(predict(state, 1, x, mean, sd));
  gannet_regression_solve(m->posterior, 1, m->rows);
  double *bend = m->slope + m->net.inputs;
  (void)two_layer_slopes(&m->net, m->w, m->tile, m->rows, m->work, m->slope, bend);
  two_layer_input_gradient(&m->net, m->tile, m->slope, mean_gradient);
  two_layer_input_gradient(&m->net, m->tile, bend, sd_gradient);
  for (int k = 0; k < m->d; ++k) sd_gradient[k] *= *sd > 0 ? scale / *sd : 0;
  return GANNET_OK;
}

static gannet_err sample(void *state, int q, double exploration, int64_t iteration) {
  parametric *m = state;
  const size_t p = (size_t)m->p;
  const double factor = exploration * sqrt(parametric_scale(m));
  m->q = 0;
  if (q > m->q_capacity) {
    m->q_capacity = 0;
    gannet_free(&m->draws);
    GANNET_TRY(gannet_alloc((size_t)q * p, sizeof(double), &m->draws));
    m->q_capacity = q;
  }
  for (int j = 0; j < q; ++j) {
    double *away = m->draws + (size_t)j * p;
    gannet_regression_draw(m->posterior,
                           gannet_stream_of(m->streams, GANNET_FOR_PRIOR, iteration, j),
                           gannet_stream_of(m->streams, GANNET_FOR_NOISE, iteration, j), away);
    for (size_t k = 0; k < p; ++k) away[k] *= factor;
  }
  m->q = q;
  return GANNET_OK;
}

static gannet_err draw_values(const void *state, int n, const double *x, double *values, int ldv) {
  const parametric *m = state;
  double center[TWO_LAYER_ROWS];
  for (int first = 0; first < n; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(n, first);
    two_layer_inputs(&m->net, rows, x + (size_t)first * (size_t)m->d, m->tile);
    two_layer_features(&m->net, m->w, rows, m->tile, m->work, center, m->rows);
    for (int j = 0; j < m->q; ++j)
      memcpy(values + (size_t)j * (size_t)ldv + (size_t)first, center,
             (size_t)rows * sizeof *center);
    gannet_gemm_nt(m->q, rows, m->p, 1, m->draws, m->p, m->rows, m->p, 1, values + first, ldv);
  }
  return GANNET_OK;
}

static gannet_err draw_gradient(const void *state, int draw, const double *x, double *value,
                                double *gradient) {
  const parametric *m = state;
  const double *away = m->draws + (size_t)draw * (size_t)m->p;
  two_layer_inputs(&m->net, 1, x, m->tile);
  two_layer_features(&m->net, m->w, 1, m->tile, m->work, value, m->rows);
  *value += gannet_dot(m->p, away, m->rows);
  double *bend = m->slope + m->net.inputs;
  (void)two_layer_slopes(&m->net, m->w, m->tile, away, m->work, m->slope, bend);
  for (int k = 0; k < m->net.inputs; ++k) m->slope[k] += bend[k];
  two_layer_input_gradient(&m->net, m->tile, m->slope, gradient);
  return GANNET_OK;
}

/* By the linear model with its prior around 0, because w_0 has seen the data. */
static gannet_err calibration(void *state, double *scale) {
  const parametric *m = state;
  double square = 0;
  if (m->n_rows < 2 || m->options->schedule == PARAMETRIC_PAPER) return GANNET_OK;
  GANNET_TRY(parametric_leave_one_out(m, &square));
  *scale = fmin(10, fmax(0.1, sqrt(square / m->noise)));
  return GANNET_OK;
}

static gannet_hyper hyper(void *state) {
  parametric *m = state;
  return (gannet_hyper){m->n_hyper, m->hyper, m->names, &m->stale};
}

/* The published radius is one for the objective, and so wide that everything looks feasible. */
static void for_others(void *given) {
  parametric_options *options = given;
  options->schedule = PARAMETRIC_CALIBRATED;
  options->discard = 0;
}

const gannet_surrogate_type gannet_surrogate_parametric = {
    .name = "parametric",
    .summary = "a sigmoid network with a confidence ball of weights (GO-UCB)",
    .source = "Global Optimization with Parametric Function Approximation (Liu, Wang 2023)",
    .options = parametric_option_table,
    .options_size = sizeof(parametric_options),
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .fantasize = fantasize,
    .predict = predict,
    .predict_gradient = predict_gradient,
    .lower = parametric_lower,
    .covariance = covariance,
    .noise_var = noise_var,
    .sample = sample,
    .draw_values = draw_values,
    .draw_gradient = draw_gradient,
    .calibration = calibration,
    .hyper = hyper,
    .for_others = for_others,
};
