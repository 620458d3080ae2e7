/* The regression oracle of GO-UCB: where the weights start from.
 *
 *   w_0 = argmin (1/2) sum_i (f(x_i; w) - y_i)^2 + (decay / 2) |w|^2
 *
 * by L-BFGS from several starts instead of one run of gradient descent, on a choice of the
 * observations where there are many. Then f is linearised there,
 * y_i - f_i + g_i . w_0 = g_i . w + noise, and the variances of weights and noise are those of the
 * largest evidence (MacKay 1992).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/chosen.h"
#include "surrogate/multistart.h"
#include "surrogate/parametric.h"

typedef struct {
  parametric *m;
  const gannet_data *data;
  double *z;         /* [n][inputs] */
  gannet_rows train; /* of z */
  double *start, *lower, *upper;
  int n_fit;    /* observations that the evidence uses */
  double *phi;  /* [n_fit][p] */
  double *rest; /* [n_fit] targets */
} regression;

static int rows_left(int n, int first) {
  return n - first < TWO_LAYER_ROWS ? n - first : TWO_LAYER_ROWS;
}

static gannet_err loss(void *user, int p, const double *w, double *value, double *gradient) {
  const regression *r = user;
  const two_layer *net = &r->m->net;
  double residual[TWO_LAYER_ROWS], sum = 0;
  for (int k = 0; k < p; ++k) gradient[k] = r->m->options->decay * w[k];
  const double pull = gannet_dot(p, gradient, w);
  for (int first = 0; first < r->train.n; first += TWO_LAYER_ROWS) {
    const int rows = rows_left(r->train.n, first);
    const double *at = r->train.x + (size_t)first * (size_t)net->d;
    two_layer_values(net, w, rows, at, r->m->work, residual);
    for (int i = 0; i < rows; ++i) residual[i] -= r->train.y[first + i];
    for (int i = 0; i < rows; ++i) sum += residual[i] * residual[i];
    two_layer_backward(net, w, rows, at, residual, r->m->work, gradient);
  }
  *value = 0.5 * (sum + pull);
  return GANNET_OK;
}

/* Of the residuals at w_0. */
static double mean_square(const regression *r) {
  const parametric *m = r->m;
  const double *w = m->hyper + PARAMETRIC_WEIGHTS;
  double residual[TWO_LAYER_ROWS], sum = 0;
  for (int first = 0; first < r->data->n; first += TWO_LAYER_ROWS) {
    const int rows = rows_left(r->data->n, first);
    two_layer_values(&m->net, w, rows, r->z + (size_t)first * (size_t)m->net.d, m->work, residual);
    for (int i = 0; i < rows; ++i) residual[i] -= r->data->y[first + i];
    for (int i = 0; i < rows; ++i) sum += residual[i] * residual[i];
  }
  return sum / r->data->n;
}

/* Start 0 continues from the present weights; the others are random with steeper and steeper
 * sigmoids. */
static void make_starts(const regression *r, int64_t iteration) {
  static const double gains[] = {1, 2, 4, 0.5};
  const parametric *m = r->m;
  memcpy(r->start, m->hyper + PARAMETRIC_WEIGHTS, (size_t)m->p * sizeof *r->start);
  for (int s = 1; s < m->options->restarts; ++s)
    two_layer_start(&m->net, gannet_stream_of(m->streams, GANNET_FOR_FIT, iteration, s),
                    gains[(s - 1) % 4], r->start + (size_t)s * (size_t)m->p);
  for (int k = 0; k < m->p; ++k) r->lower[k] = -1e3, r->upper[k] = 1e3;
}

static gannet_err prepare(regression *r, int64_t iteration) {
  const size_t n = (size_t)r->data->n, d = (size_t)r->m->net.d, p = (size_t)r->m->p;
  const size_t restarts = (size_t)r->m->options->restarts, fit = (size_t)r->n_fit;
  GANNET_TRY(gannet_alloc(n * d, sizeof(double), &r->z));
  GANNET_TRY(gannet_alloc(restarts * p, sizeof(double), &r->start));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &r->lower));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &r->upper));
  GANNET_TRY(gannet_alloc(fit * p, sizeof(double), &r->phi));
  GANNET_TRY(gannet_alloc(fit, sizeof(double), &r->rest));
  parametric_inputs(r->m, r->data->n, r->data->x, r->z);
  make_starts(r, iteration);
  r->train = (gannet_rows){.n = r->data->n, .width = r->m->net.d, .x = r->z, .y = r->data->y};
  return gannet_rows_choose(&r->train, r->m->options->train_points, true,
                            gannet_stream_of(r->m->streams, GANNET_FOR_TRAINING, iteration, 0));
}

static void release(regression *r) {
  gannet_free(&r->z);
  gannet_rows_release(&r->train);
  gannet_free(&r->start);
  gannet_free(&r->lower);
  gannet_free(&r->upper);
  gannet_free(&r->phi);
  gannet_free(&r->rest);
}

/* The linearised model of all observations, or of a random choice of them. */
static gannet_err linearise(const regression *r, int64_t iteration) {
  const parametric *m = r->m;
  const double *w = m->hyper + PARAMETRIC_WEIGHTS;
  gannet_rows rows = {.n = r->data->n, .width = m->net.d, .x = r->z, .y = r->data->y};
  GANNET_TRY(gannet_rows_choose(&rows, r->n_fit, false,
                                gannet_stream_of(m->streams, GANNET_FOR_FIT, iteration, 0)));
  for (int i = 0; i < rows.n; ++i) {
    double value = 0, *row = r->phi + (size_t)i * (size_t)m->p;
    two_layer_features(&m->net, w, 1, rows.x + (size_t)i * (size_t)m->net.d, m->work, &value, row);
    r->rest[i] = rows.y[i] - value + gannet_dot(m->p, row, w);
  }
  gannet_rows_release(&rows);
  return GANNET_OK;
}

static gannet_err run(regression *r, int64_t iteration) {
  parametric *m = r->m;
  const parametric_options *options = m->options;
  double value = INFINITY;
  const gannet_multistart problem = {
      .starts = options->restarts,
      .n = m->p,
      .start = r->start,
      .lower = r->lower,
      .upper = r->upper,
      .function = loss,
      .user = r,
      .options = {.max_evaluations = options->fit_evaluations,
                  .gradient_tolerance = 1e-6,
                  .value_tolerance = 1e-9},
  };
  GANNET_TRY(gannet_multistart_run(m->context, &problem, m->hyper + PARAMETRIC_WEIGHTS, &value));
  m->hyper[PARAMETRIC_MISFIT] = log(fmax(options->noise_floor, mean_square(r)));
  GANNET_TRY(gannet_agree(m->context->comm, linearise(r, iteration)));
  const gannet_features_data data = {.n = r->n_fit,
                                     .p = m->p,
                                     .phi = r->phi,
                                     .y = r->rest,
                                     .noise_var = r->data->noise_var,
                                     .noise_floor = exp(m->hyper[PARAMETRIC_MISFIT]),
                                     .evaluations = 60};
  GANNET_TRY(gannet_features_learn(m->context, &data, m->hyper + PARAMETRIC_PRIOR));
  m->hyper[PARAMETRIC_LEARNED] = r->data->n;
  return GANNET_OK;
}

gannet_err parametric_learn(parametric *m, const gannet_data *data, int64_t iteration) {
  const int most = m->options->fit_points;
  regression r = {.m = m, .data = data, .n_fit = data->n < most ? data->n : most};
  m->stale = true;
  gannet_err code = gannet_agree(m->context->comm, prepare(&r, iteration));
  if (code == GANNET_OK) code = run(&r, iteration);
  release(&r);
  return code;
}
