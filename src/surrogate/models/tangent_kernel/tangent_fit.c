/* Hyper-parameters of the tangent kernel: maximum of the marginal likelihood times priors.
 *
 * First all of them on the kernel of the infinitely wide network (cheap derivatives, and free of
 * the chance of one network), then amplitude and noise again on the kernel of the network in use.
 * Priors are as for the Gaussian process: those of noise and length scales are densities of these
 * quantities, not of their logarithms.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "network/analytic_kernel.h"
#include "surrogate/data_subset.h"
#include "surrogate/joint.h"
#include "surrogate/likelihood.h"
#include "surrogate/models/tangent_kernel/tangent_kernel.h"
#include "surrogate/multistart.h"

bool tangent_fixed(const tangent_model *t, int hyper, double *value) {
  const tangent_options *o = t->options;
  const double given = hyper == TANGENT_AMPLITUDE ? o->amplitude
                       : hyper == TANGENT_NOISE   ? o->noise
                       : hyper == TANGENT_BIAS    ? o->bias
                                                  : o->input_scale;
  if (!(given > 0)) return false;
  *value = log(given);
  return true;
}

void tangent_scales(const tangent_model *t, const double *hyper, double *rho, double *bias) {
  for (int k = 0; k < t->d; ++k) rho[k] = exp(hyper[TANGENT_RHO + (t->options->ard ? k : 0)]);
  *bias = exp(hyper[TANGENT_BIAS]);
}

double tangent_noise(const tangent_model *t, const double *hyper) {
  const bool given = t->options->noise > 0 || isnan(t->noise_var);
  return fmax(t->options->noise_floor, given ? exp(hyper[TANGENT_NOISE]) : t->noise_var);
}

typedef struct {
  const tangent_model *t;
  int n;
  bool frozen;             /* theta is given: only amplitude and noise move */
  gannet_rows rows;        /* [n] used for the fit */
  double *theta;           /* frozen: [n][n] kernel of amplitude 1 */
  double *rho;             /* [d] */
  double *by_rho;          /* [d] */
  double amplitude, noise; /* of the last evaluation */
  double *bounds;          /* lower [n_hyper], upper [n_hyper], starts [starts][n_hyper] */
  gannet_analytic *analytic;
  gannet_likelihood *likelihood;
} learning;

/* Amplitude near 1, because data are standardised; noise small but undecided over decades; the
 * length scale of the lifted input is 1/rho: Hvarfner, Hellsten, Nardi 2024, eq. (6), of the unit
 * cube, and twice that on [-1, 1]. */
static double priors(const tangent_model *t, const double *hyper, double *gradient) {
  const double location = sqrt(2) + 0.5 * log(t->d) + log(2);
  double sum = gannet_prior_normal(hyper[TANGENT_AMPLITUDE], 0, 1.5, &gradient[TANGENT_AMPLITUDE]);
  if (isnan(t->noise_var))
    sum += gannet_prior_log_normal(hyper[TANGENT_NOISE], -4, 2, &gradient[TANGENT_NOISE]);
  if (isnan(t->options->bias))
    sum += gannet_prior_normal(hyper[TANGENT_BIAS], log(0.5), 1, &gradient[TANGENT_BIAS]);
  for (int k = TANGENT_RHO; k < t->n_hyper; ++k) {
    double slope = 0;
    sum += gannet_prior_log_normal(-hyper[k], location, sqrt(3), &slope);
    gradient[k] -= slope;
  }
  return sum;
}

/* gannet_kernel_rows: s^2 Theta + noise. */
static gannet_err kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const learning *l = user;
  if (!l->frozen) gannet_analytic_rows(l->analytic, first, rows, k, ldk);
  for (int i = 0; i < rows; ++i) {
    const int at = first + i;
    double *row = k + (size_t)i * (size_t)ldk;
    const double *theta = l->frozen ? l->theta + (size_t)at * (size_t)l->n : row;
    for (int j = 0; j <= at; ++j) row[j] = l->amplitude * theta[j];
    row[at] += gannet_row_noise_of(l->rows.noise, at, l->noise, l->t->options->noise_floor);
  }
  return GANNET_OK;
}

/* prepare of a gannet_joint */
static gannet_err likelihood(void *user, const double *hyper, double *value) {
  learning *l = user;
  double bias = 0;
  l->amplitude = exp(hyper[TANGENT_AMPLITUDE]);
  l->noise = tangent_noise(l->t, hyper);
  if (!l->frozen) {
    tangent_scales(l->t, hyper, l->rho, &bias);
    gannet_analytic_set(l->analytic, l->rho, bias);
  }
  return gannet_likelihood_factorise(l->likelihood, kernel_rows, l, l->rows.y, value);
}

/* Derivatives by amplitude, input scales and bias of some rows of pairs; what the user fixed stays
 * 0. */
static void scale_gradient(learning *l, int first, int rows, const double *p, double *gradient) {
  const tangent_model *t = l->t;
  double by_bias = 0, by_size = 0;
  gannet_analytic_reverse_rows(l->analytic, first, rows, p, l->by_rho, &by_bias, &by_size);
  for (int k = 0; k < t->d; ++k)
    gradient[TANGENT_RHO + (t->options->ard ? k : 0)] += l->amplitude * l->by_rho[k];
  if (isnan(t->options->bias)) gradient[TANGENT_BIAS] = l->amplitude * by_bias;
  gradient[TANGENT_AMPLITUDE] = l->amplitude * by_size;
}

/* Of a frozen kernel: the derivative by the amplitude. */
static double by_size_of_frozen(const learning *l, int first, int rows, const double *p) {
  double product = 0;
  for (int i = 0; i < rows; ++i) {
    const int at = first + i;
    const double *row = p + (size_t)i * (size_t)l->n + at;
    const double *theta = l->theta + (size_t)at * (size_t)(l->n + 1);
    product += row[0] * theta[0] + 2 * gannet_dot(l->n - at - 1, row + 1, theta + 1);
  }
  return l->amplitude * product;
}

/* part of a gannet_joint: some rows of pairs, each pair once. */
static void likelihood_slope(void *user, const double *hyper, int part, double *gradient) {
  learning *l = user;
  double trace = 0;
  int first = 0, rows = 0;
  const double *p = gannet_likelihood_part(l->likelihood, part, &first, &rows);
  for (int i = 0; i < rows; ++i)
    if (!l->rows.noise || isnan(l->rows.noise[first + i]))
      trace += p[(size_t)i * (size_t)l->n + (size_t)(first + i)];
  if (isnan(l->t->noise_var)) gradient[TANGENT_NOISE] = exp(hyper[TANGENT_NOISE]) * trace;
  if (l->frozen)
    gradient[TANGENT_AMPLITUDE] = by_size_of_frozen(l, first, rows, p);
  else
    scale_gradient(l, first, rows, p, gradient);
}

/* finish of a gannet_joint */
static void add_priors(void *user, const double *hyper, double *value, double *gradient) {
  const learning *l = user;
  const int n_hyper = l->t->n_hyper;
  *value += priors(l->t, hyper, gradient);
  if (l->frozen)
    memset(gradient + TANGENT_BIAS, 0, (size_t)(n_hyper - TANGENT_BIAS) * sizeof *gradient);
  for (int k = 0; k < n_hyper; ++k) {
    double given = 0;
    if (tangent_fixed(l->t, k, &given)) gradient[k] = 0;
  }
}

static gannet_joint objective_of(learning *l) {
  const tangent_model *t = l->t;
  return (gannet_joint){.n = t->n_hyper,
                        .parts = gannet_likelihood_parts(l->n),
                        .start = l->bounds + 2 * (size_t)t->n_hyper,
                        .lower = l->bounds,
                        .upper = l->bounds + t->n_hyper,
                        .prepare = likelihood,
                        .part = likelihood_slope,
                        .finish = add_priors,
                        .user = l,
                        .options = {.max_evaluations = t->options->fit_evaluations,
                                    .gradient_tolerance = 2e-2,
                                    .value_tolerance = 1e-5}};
}

static void release_learning(learning *l) {
  gannet_likelihood_destroy(&l->likelihood);
  gannet_analytic_destroy(&l->analytic);
  gannet_rows_release(&l->rows);
  gannet_free(&l->theta);
  gannet_free(&l->rho);
  gannet_free(&l->by_rho);
  gannet_free(&l->bounds);
}

/* Start 0 continues from the present values; 1 and 2 are smooth and rough functions in any
 * dimension; the others are random around these. */
static void set_starts(const learning *l, int64_t iteration, double *starts) {
  const tangent_model *t = l->t;
  const double root = -0.5 * log(t->d);
  const double low_noise = log(fmax(1e-4, t->options->noise_floor));
  memcpy(starts, t->hyper, (size_t)t->n_hyper * sizeof *starts);
  for (int s = 1; s < t->options->restarts; ++s) {
    double *row = starts + (size_t)s * (size_t)t->n_hyper;
    gannet_random_uniform(gannet_stream_of(t->streams, GANNET_FOR_FIT, iteration, s), 0,
                          (size_t)t->n_hyper, row);
    for (int k = TANGENT_RHO; k < t->n_hyper; ++k)
      row[k] = root + (s == 1 ? log(4) : s == 2 ? log(0.5) : -1 + 3 * row[k]);
    row[TANGENT_NOISE] = s < 3 ? low_noise : low_noise + 4 * row[TANGENT_NOISE];
    row[TANGENT_BIAS] = log(0.5);
    row[TANGENT_AMPLITUDE] = 0;
    for (int k = 0; k < t->n_hyper; ++k) (void)tangent_fixed(t, k, &row[k]);
  }
}

static void set_bounds(const tangent_model *t, double *lower, double *upper) {
  lower[TANGENT_AMPLITUDE] = log(1e-4);
  upper[TANGENT_AMPLITUDE] = log(1e4);
  lower[TANGENT_NOISE] = log(t->options->noise_floor);
  upper[TANGENT_NOISE] = log(10);
  lower[TANGENT_BIAS] = log(0.01);
  upper[TANGENT_BIAS] = log(100);
  for (int k = TANGENT_RHO; k < t->n_hyper; ++k) {
    lower[k] = log(0.003) - 0.5 * log(t->d);
    upper[k] = log(100);
  }
  for (int k = 0; k < t->n_hyper; ++k) {
    double given = 0;
    if (!tangent_fixed(t, k, &given)) continue;
    lower[k] = given - 1; /* its derivative is 0: it stays */
    upper[k] = given + 1;
  }
}

static gannet_err begin_learning(learning *l, int points, int64_t iteration) {
  const tangent_model *t = l->t;
  const gannet_analytic_shape shape = {.activation = gannet_activations[t->options->activation],
                                       .layers = t->options->layers,
                                       .d = t->d,
                                       .embedding = (gannet_embedding_kind)t->options->lift};
  GANNET_TRY(gannet_rows_choose(&l->rows, points, true,
                                gannet_stream_of(t->streams, GANNET_FOR_FIT, iteration, 0)));
  l->n = l->rows.n;
  const size_t n = (size_t)l->n, d = (size_t)t->d, hyper = (size_t)t->n_hyper;
  const size_t rows = 2 + (size_t)t->options->restarts;
  GANNET_TRY(gannet_alloc(t->options->network ? n * n : 0, sizeof *l->theta, &l->theta));
  GANNET_TRY(gannet_alloc(d, sizeof *l->rho, &l->rho));
  GANNET_TRY(gannet_alloc(d, sizeof *l->by_rho, &l->by_rho));
  GANNET_TRY(gannet_alloc(rows * hyper, sizeof *l->bounds, &l->bounds));
  GANNET_TRY(gannet_analytic_create(&shape, l->n, l->rows.x, &l->analytic));
  set_bounds(t, l->bounds, l->bounds + t->n_hyper);
  set_starts(l, iteration, l->bounds + 2 * (size_t)t->n_hyper);
  return GANNET_OK;
}

/* The kernel of the network in use, on the points of the fit. */
static gannet_err freeze(learning *l) {
  const tangent_model *t = l->t;
  gannet_tangent_features features = {0};
  double bias = 0;
  tangent_scales(t, t->hyper, l->rho, &bias);
  gannet_tangent_set_inputs(t->net, l->rho, bias);
  const gannet_err code = gannet_tangent_extend(t->net, l->n, l->rows.x, &features);
  if (code == GANNET_OK)
    gannet_tangent_kernel(t->net, &features, 0, l->n, &features, l->n, l->theta, l->n);
  gannet_tangent_release(&features);
  l->frozen = true;
  return code;
}

static bool is_shared(const learning *l, int starts) {
  return starts == 1 && gannet_likelihood_parts(l->n) > 1;
}

/* Several starts are shared out over the ranks; on a single one that is long enough all ranks work.
 */
static gannet_err minimise_evidence(learning *l, int starts, double *hyper) {
  gannet_joint joint = objective_of(l);
  double value = INFINITY;
  if (is_shared(l, starts)) return gannet_joint_run(l->t->context, &joint, hyper, &value);
  const gannet_multistart problem = {.starts = starts,
                                     .n = joint.n,
                                     .start = joint.start,
                                     .lower = joint.lower,
                                     .upper = joint.upper,
                                     .joint = &joint,
                                     .options = joint.options};
  return gannet_multistart_run(l->t->context, &problem, hyper, &value);
}

static gannet_err create_likelihood(learning *l, int starts) {
  const gannet_context *context = l->t->context;
  const gannet_node *node = is_shared(l, starts) ? context->node : NULL;
  return gannet_agree(context->comm, gannet_likelihood_create(node, l->n, false, &l->likelihood));
}

/* From these starts on at most this many points; on_network: then amplitude and noise again. */
static gannet_err learn_from(tangent_model *t, const gannet_data *data, int64_t iteration,
                             int points, int starts, bool on_network) {
  learning l = {
      .t = t,
      .rows = {.n = data->n, .width = t->d, .x = data->x, .y = data->y, .noise = data->row_noise}};
  gannet_err code = gannet_agree(t->context->comm, begin_learning(&l, points, iteration));
  if (code == GANNET_OK) code = create_likelihood(&l, starts);
  if (code == GANNET_OK) code = minimise_evidence(&l, starts, t->hyper);
  if (code == GANNET_OK && on_network) {
    gannet_likelihood_destroy(&l.likelihood);
    code = gannet_agree(t->context->comm, freeze(&l));
    if (code == GANNET_OK) code = create_likelihood(&l, 1);
    memcpy(l.bounds + 2 * (size_t)t->n_hyper, t->hyper, (size_t)t->n_hyper * sizeof *t->hyper);
    if (code == GANNET_OK) code = minimise_evidence(&l, 1, t->hyper);
  }
  release_learning(&l);
  return code;
}

/* Many observations: the starts compete on a few of them, and the winner is polished on more. */
gannet_err tangent_learn(tangent_model *t, const gannet_data *data, int64_t iteration) {
  const tangent_options *options = t->options;
  int fixed = 0;
  for (int k = 0; k < t->n_hyper; ++k) {
    double given = 0;
    fixed += tangent_fixed(t, k, &given);
  }
  if (fixed == t->n_hyper) return GANNET_OK;
  t->noise_var = data->noise_var;
  t->stale = true;
  const bool few = data->n <= TANGENT_SCREEN || options->fit_points <= TANGENT_SCREEN;
  if (!few) GANNET_TRY(learn_from(t, data, iteration, TANGENT_SCREEN, options->restarts, false));
  return learn_from(t, data, iteration, options->fit_points, few ? options->restarts : 1,
                    options->network);
}

gannet_err tangent_evidence(tangent_model *t, const gannet_data *data, const double *hyper,
                            double *value, double *gradient) {
  learning l = {
      .t = t,
      .rows = {.n = data->n, .width = t->d, .x = data->x, .y = data->y, .noise = data->row_noise}};
  t->noise_var = data->noise_var;
  t->stale = true;
  gannet_err code = begin_learning(&l, data->n, 0);
  if (code == GANNET_OK) code = gannet_likelihood_create(NULL, l.n, false, &l.likelihood);
  if (code == GANNET_OK) {
    gannet_joint joint = objective_of(&l);
    code = gannet_joint_evaluate(&joint, t->n_hyper, hyper, value, gradient);
  }
  release_learning(&l);
  return code;
}
