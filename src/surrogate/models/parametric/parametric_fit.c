/* Phase I of GO-UCB, its regression oracle: the weights w_0 that phase II starts from.
 *
 *   w_0 = argmin (1/2) sum_i (f(x_i; w) - y_i)^2 + (decay / 2) |w|^2
 *
 * by L-BFGS from several starts instead of one run of gradient descent, on a choice of the
 * observations where there are many. Then f is linearised at w_0,
 * y_i - f_i + g_i . w_0 = g_i . w + noise, and the variances of weights and noise maximise the
 * evidence of this linear model (MacKay 1992).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/data_subset.h"
#include "surrogate/models/parametric/parametric.h"
#include "surrogate/multistart.h"

typedef struct {
  parametric *m;
  const gannet_data *data;
  double *z;                     /* [n][inputs] of all observations */
  gannet_rows train;             /* observations that w_0 is fitted to */
  double *start, *lower, *upper; /* [restarts][p], [p], [p] */
  int n_fit;                     /* number of observations that the evidence uses */
  double *phi;                   /* [n_fit][p] gradients g_i at w_0 */
  double *target;                /* [n_fit] y_i - f_i + g_i . w_0 */
} phase_one;

/* Residuals f - y of a block of observations. */
static void residuals_of(const two_layer *net, const double *w, int rows, const double *z,
                         const double *y, double *work, double *residual) {
  two_layer_values(net, w, rows, z, work, residual);
  for (int i = 0; i < rows; ++i) residual[i] -= y[i];
}

static gannet_err regularised_squares(void *user, int p, const double *w, double *value,
                                      double *gradient) {
  const phase_one *r = user;
  const two_layer *net = &r->m->net;
  double residual[TWO_LAYER_ROWS], sum = 0;
  for (int k = 0; k < p; ++k) gradient[k] = r->m->options->decay * w[k];
  const double pull = gannet_dot(p, gradient, w);
  for (int first = 0; first < r->train.n; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(r->train.n, first);
    const double *z = r->train.x + (size_t)first * (size_t)net->inputs;
    residuals_of(net, w, rows, z, r->train.y + first, r->m->work, residual);
    for (int i = 0; i < rows; ++i) sum += residual[i] * residual[i];
    two_layer_backward(net, w, rows, z, residual, r->m->work, gradient);
  }
  *value = 0.5 * (sum + pull);
  return GANNET_OK;
}

/* Mean of the squared residuals of all observations at w_0. */
static double mean_square(const phase_one *r) {
  const parametric *m = r->m;
  double residual[TWO_LAYER_ROWS], sum = 0;
  for (int first = 0; first < r->data->n; first += TWO_LAYER_ROWS) {
    const int rows = two_layer_rows(r->data->n, first);
    residuals_of(&m->net, m->hyper + PARAMETRIC_WEIGHTS, rows,
                 r->z + (size_t)first * (size_t)m->net.inputs, r->data->y + first, m->work,
                 residual);
    for (int i = 0; i < rows; ++i) sum += residual[i] * residual[i];
  }
  return sum / r->data->n;
}

/* Memory, inputs, the observations to train on, and the starts. Start 0 continues from the present
 * weights; the other starts are random with steeper and steeper sigmoids. */
static gannet_err phase_one_create(phase_one *r, int64_t iteration) {
  static const double gains[] = {1, 2, 4, 0.5};
  const parametric *m = r->m;
  const size_t n = (size_t)r->data->n, inputs = (size_t)m->net.inputs, p = (size_t)m->p;
  const size_t restarts = (size_t)m->options->restarts, fit = (size_t)r->n_fit;
  GANNET_TRY(gannet_alloc(n * inputs, sizeof(double), &r->z));
  GANNET_TRY(gannet_alloc(restarts * p, sizeof(double), &r->start));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &r->lower));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &r->upper));
  GANNET_TRY(gannet_alloc(fit * p, sizeof(double), &r->phi));
  GANNET_TRY(gannet_alloc(fit, sizeof(double), &r->target));
  two_layer_inputs(&m->net, r->data->n, r->data->x, r->z);
  memcpy(r->start, m->hyper + PARAMETRIC_WEIGHTS, p * sizeof *r->start);
  for (int s = 1; s < m->options->restarts; ++s)
    two_layer_start(&m->net, gannet_stream_of(m->streams, GANNET_FOR_FIT, iteration, s),
                    gains[(s - 1) % 4], r->start + (size_t)s * p);
  for (size_t k = 0; k < p; ++k) r->lower[k] = -1e3, r->upper[k] = 1e3;
  r->train = (gannet_rows){.n = r->data->n, .width = m->net.inputs, .x = r->z, .y = r->data->y};
  return gannet_rows_choose(&r->train, m->options->train_points, true,
                            gannet_stream_of(m->streams, GANNET_FOR_TRAINING, iteration, 0));
}

static void phase_one_release(phase_one *r) {
  gannet_free(&r->z);
  gannet_rows_release(&r->train);
  gannet_free(&r->start);
  gannet_free(&r->lower);
  gannet_free(&r->upper);
  gannet_free(&r->phi);
  gannet_free(&r->target);
}

static gannet_err fit_weights(phase_one *r) {
  parametric *m = r->m;
  double value = INFINITY;
  const gannet_multistart problem = {
      .starts = m->options->restarts,
      .n = m->p,
      .start = r->start,
      .lower = r->lower,
      .upper = r->upper,
      .function = regularised_squares,
      .user = r,
      .options = {.max_evaluations = m->options->fit_evaluations,
                  .gradient_tolerance = 1e-6,
                  .value_tolerance = 1e-9},
  };
  GANNET_TRY(gannet_multistart_run(m->context, &problem, m->hyper + PARAMETRIC_WEIGHTS, &value));
  m->hyper[PARAMETRIC_MISFIT] = log(fmax(m->options->noise_floor, mean_square(r)));
  return GANNET_OK;
}

/* Linearise at w_0, for all observations or a random choice of them. */
static gannet_err linearise_at_start(const phase_one *r, int64_t iteration) {
  const parametric *m = r->m;
  const double *w0 = m->hyper + PARAMETRIC_WEIGHTS;
  gannet_rows rows = {.n = r->data->n, .width = m->net.inputs, .x = r->z, .y = r->data->y};
  GANNET_TRY(gannet_rows_choose(&rows, r->n_fit, false,
                                gannet_stream_of(m->streams, GANNET_FOR_FIT, iteration, 0)));
  for (int i = 0; i < rows.n; ++i) {
    const double *z = rows.x + (size_t)i * (size_t)m->net.inputs;
    double value = 0, *row = r->phi + (size_t)i * (size_t)m->p;
    two_layer_features(&m->net, w0, 1, z, m->work, &value, row);
    r->target[i] = rows.y[i] - value + gannet_dot(m->p, row, w0);
  }
  gannet_rows_release(&rows);
  return GANNET_OK;
}

static gannet_err learn_variances(phase_one *r, int64_t iteration) {
  parametric *m = r->m;
  GANNET_TRY(gannet_agree(m->context->comm, linearise_at_start(r, iteration)));
  const gannet_regression_data data = {.n = r->n_fit,
                                       .p = m->p,
                                       .phi = r->phi,
                                       .y = r->target,
                                       .noise_var = r->data->noise_var,
                                       .noise_floor = exp(m->hyper[PARAMETRIC_MISFIT]),
                                       .evaluations = 60};
  return gannet_regression_learn(m->context, &data, m->hyper + PARAMETRIC_PRIOR);
}

gannet_err parametric_learn(parametric *m, const gannet_data *data, int64_t iteration) {
  const int most = m->options->fit_points;
  phase_one r = {.m = m, .data = data, .n_fit = data->n < most ? data->n : most};
  m->stale = true;
  gannet_err code = gannet_agree(m->context->comm, phase_one_create(&r, iteration));
  if (code == GANNET_OK) code = fit_weights(&r);
  if (code == GANNET_OK) code = learn_variances(&r, iteration);
  if (code == GANNET_OK) m->hyper[PARAMETRIC_LEARNED] = data->n;
  phase_one_release(&r);
  return code;
}
