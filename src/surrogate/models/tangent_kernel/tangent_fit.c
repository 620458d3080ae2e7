/* Hyperparameters of the tangent kernel: maximum of the marginal likelihood times priors.
 *
 * First all of them on the kernel of the infinitely wide network (cheap derivatives, and free of
 * the chance of one network), then amplitude and noise again on the kernel of the network in use.
 *
 * With additive: auto the same is done for the kernel with an additive part, from starts with half
 * of the variance in it and one scale of the narrow networks each; that scale stays as it is
 * within a start. The additive part is used when it makes the likelihood times priors greater by a
 * factor of e^ADDITIVE_MARGIN, on the same data.
 *
 * Priors are as for the Gaussian process: those of noise and lengthscales are densities of these
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

enum {
  NARROW_SCALES = 5,
  NARROW_EVALUATIONS = 25, /* of the likelihood, from each start of another narrow scale */
  ADDITIVE_MARGIN = 3
};

static const double narrow_scales[NARROW_SCALES] = {1, 2, 4, 8, 16};

bool tangent_fixed(const tangent_model *t, int hyper, double *value) {
  const tangent_options *o = t->options;
  if (hyper >= TANGENT_RHO + t->n_scales) return false;
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

double tangent_share(const tangent_model *t, const double *hyper) {
  if (!t->additive) return 0;
  const double odds = hyper[tangent_additive_at(t, TANGENT_ODDS)];
  return odds > TANGENT_NO_SHARE ? 1 / (1 + exp(-odds)) : 0;
}

double tangent_noise(const tangent_model *t, const double *hyper) {
  const bool given = t->options->noise > 0 || isnan(t->noise_var);
  return fmax(t->options->noise_floor, given ? exp(hyper[TANGENT_NOISE]) : t->noise_var);
}

typedef struct {
  const tangent_model *t;
  int n;
  bool frozen;      /* theta is given: only amplitude and noise move */
  gannet_rows rows; /* [n] used for the fit */
  double *theta;    /* frozen: [n][n] kernel of amplitude 1 */
  double share;     /* of the additive part, of the last evaluation; 0 = none */
  double narrow;    /* logarithm of the scale that sums is made for; NAN = none */
  double *sums;     /* [n][n] kernel of the additive part, or NULL without one */
  tangent_additive *additive;
  double *rho;             /* [d] */
  double *by_rho;          /* [d] */
  double amplitude, noise; /* of the last evaluation */
  double *bounds;          /* lower [n_hyper], upper [n_hyper], starts [starts][n_hyper] */
  int evaluations;         /* most of them from a start */
  gannet_analytic *analytic;
  gannet_likelihood *likelihood;
} learning;

/* Amplitude near 1, because data are standardised; noise small but undecided over decades; the
 * lengthscale of the lifted input is 1/rho: Hvarfner, Hellsten, Nardi 2024, eq. (6), of the unit
 * cube, and twice that on [-1, 1]. */
static double priors(const tangent_model *t, const double *hyper, double *gradient) {
  const double location = sqrt(2) + 0.5 * log(t->d) + log(2);
  double sum = gannet_prior_normal(hyper[TANGENT_AMPLITUDE], 0, 1.5, &gradient[TANGENT_AMPLITUDE]);
  if (isnan(t->noise_var))
    sum += gannet_prior_log_normal(hyper[TANGENT_NOISE], -4, 2, &gradient[TANGENT_NOISE]);
  if (isnan(t->options->bias))
    sum += gannet_prior_normal(hyper[TANGENT_BIAS], log(0.5), 1, &gradient[TANGENT_BIAS]);
  for (int k = TANGENT_RHO; k < TANGENT_RHO + t->n_scales; ++k) {
    double slope = 0;
    sum += gannet_prior_log_normal(-hyper[k], location, sqrt(3), &slope);
    gradient[k] -= slope;
  }
  return sum;
}

/* gannet_kernel_rows: s^2 Theta + noise, or with a share s^2 ((1 - share) Theta + share A) + noise.
 */
static gannet_err kernel_rows(void *user, int first, int rows, double *k, int ldk) {
  const learning *l = user;
  if (!l->frozen) gannet_analytic_rows(l->analytic, first, rows, k, ldk);
  for (int i = 0; i < rows; ++i) {
    const int at = first + i;
    double *row = k + (size_t)i * (size_t)ldk;
    const double *theta = l->frozen ? l->theta + (size_t)at * (size_t)l->n : row;
    const double *sums = l->sums ? l->sums + (size_t)at * (size_t)l->n : NULL;
    for (int j = 0; l->share > 0 && j <= at; ++j)
      row[j] = (1 - l->share) * row[j] + l->share * sums[j];
    for (int j = 0; j <= at; ++j) row[j] = l->amplitude * theta[j];
    row[at] += gannet_row_noise_of(l->rows.noise, at, l->noise, l->t->options->noise_floor);
  }
  return GANNET_OK;
}

/* Make sums for the narrow scale, which is the same in all evaluations from a start. */
static gannet_err set_share(learning *l, const double *hyper) {
  const tangent_model *t = l->t;
  l->share = l->sums ? tangent_share(t, hyper) : 0;
  if (l->share == 0) return GANNET_OK;
  const double narrow = hyper[tangent_additive_at(t, TANGENT_NARROW)];
  if (narrow == l->narrow) return GANNET_OK;
  const size_t n = (size_t)l->n;
  GANNET_TRY(tangent_additive_set(l->additive, exp(narrow)));
  GANNET_TRY(tangent_additive_extend(l->additive, l->n, l->rows.x));
  memset(l->sums, 0, n * n * sizeof *l->sums);
  tangent_additive_mix_tile(l->additive, 1, 0, l->n, 0, l->n, l->sums, l->n);
  l->narrow = narrow;
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
  GANNET_TRY(set_share(l, hyper));
  return gannet_likelihood_factorise(l->likelihood, kernel_rows, l, l->rows.y, value);
}

/* sum_ij P_ij M_ij of a symmetric matrix M over some rows of pairs. */
static double pair_sum(const learning *l, const double *matrix, int first, int rows,
                       const double *p) {
  double product = 0;
  for (int i = 0; i < rows; ++i) {
    const int at = first + i;
    const double *row = p + (size_t)i * (size_t)l->n + at;
    const double *values = matrix + (size_t)at * (size_t)(l->n + 1);
    product += row[0] * values[0] + 2 * gannet_dot(l->n - at - 1, row + 1, values + 1);
  }
  return product;
}

/* Derivatives by amplitude, input scales, bias and share of some rows of pairs; what the user fixed
 * stays 0. */
static void scale_gradient(learning *l, int first, int rows, const double *p, double *gradient) {
  const tangent_model *t = l->t;
  double by_bias = 0, by_size = 0;
  const double wide = l->amplitude * (1 - l->share);
  gannet_analytic_reverse_rows(l->analytic, first, rows, p, l->by_rho, &by_bias, &by_size);
  for (int k = 0; k < t->d; ++k)
    gradient[TANGENT_RHO + (t->options->ard ? k : 0)] += wide * l->by_rho[k];
  if (isnan(t->options->bias)) gradient[TANGENT_BIAS] = wide * by_bias;
  gradient[TANGENT_AMPLITUDE] = wide * by_size;
  if (l->share == 0) return;
  const double by_sums = pair_sum(l, l->sums, first, rows, p);
  gradient[TANGENT_AMPLITUDE] += l->amplitude * l->share * by_sums;
  gradient[tangent_additive_at(t, TANGENT_ODDS)] = wide * l->share * (by_sums - by_size);
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
    gradient[TANGENT_AMPLITUDE] = l->amplitude * pair_sum(l, l->theta, first, rows, p);
  else
    scale_gradient(l, first, rows, p, gradient);
}

/* finish of a gannet_joint */
static void add_priors(void *user, const double *hyper, double *value, double *gradient) {
  const learning *l = user;
  const int n_hyper = l->t->n_hyper;
  double unused = 0; /* the narrow scale stays */
  *value += priors(l->t, hyper, gradient);
  if (l->share > 0)
    *value +=
        gannet_prior_normal(hyper[tangent_additive_at(l->t, TANGENT_NARROW)], log(4), 3, &unused);
  if (l->frozen)
    memset(gradient + TANGENT_BIAS, 0, (size_t)(n_hyper - TANGENT_BIAS) * sizeof *gradient);
  for (int k = 0; k < n_hyper; ++k) {
    double given = 0;
    if (tangent_fixed(l->t, k, &given)) gradient[k] = 0;
  }
}

static gannet_joint objective_of(learning *l) {
  const tangent_model *t = l->t;
  return (gannet_joint){
      .n = t->n_hyper,
      .parts = gannet_likelihood_parts(l->n),
      .start = l->bounds + 2 * (size_t)t->n_hyper,
      .lower = l->bounds,
      .upper = l->bounds + t->n_hyper,
      .prepare = likelihood,
      .part = likelihood_slope,
      .finish = add_priors,
      .user = l,
      .options = {
          .max_evaluations = l->evaluations, .gradient_tolerance = 2e-2, .value_tolerance = 1e-5}};
}

static gannet_analytic_shape shape_of(const tangent_model *t) {
  return (gannet_analytic_shape){.activation = gannet_activations[t->options->activation],
                                 .layers = t->options->layers,
                                 .d = t->d,
                                 .embedding = (gannet_embedding_kind)t->options->lift};
}

static void release_learning(learning *l) {
  gannet_likelihood_destroy(&l->likelihood);
  gannet_analytic_destroy(&l->analytic);
  gannet_rows_release(&l->rows);
  tangent_additive_destroy(&l->additive);
  gannet_free(&l->theta);
  gannet_free(&l->sums);
  gannet_free(&l->rho);
  gannet_free(&l->by_rho);
  gannet_free(&l->bounds);
}

/* Start 0 continues from the present values; 1 and 2 are smooth and rough functions in any
 * dimension; the others are random around these. */
static void set_starts(const learning *l, int64_t iteration, int count, double *starts) {
  const tangent_model *t = l->t;
  const double root = -0.5 * log(t->d);
  const double low_noise = log(fmax(1e-4, t->options->noise_floor));
  memcpy(starts, t->hyper, (size_t)t->n_hyper * sizeof *starts);
  for (int s = 1; s < count; ++s) {
    double *row = starts + (size_t)s * (size_t)t->n_hyper;
    gannet_random_uniform(gannet_stream_of(t->streams, GANNET_FOR_FIT, iteration, s), 0,
                          (size_t)t->n_hyper, row);
    for (int k = TANGENT_RHO; k < TANGENT_RHO + t->n_scales; ++k)
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
  for (int k = TANGENT_RHO; k < TANGENT_RHO + t->n_scales; ++k) {
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

/* One minimisation. */
typedef struct {
  int points; /* most observations */
  int starts;
  bool additive;       /* with an additive part */
  const double *start; /* [starts][n_hyper]; NULL = those of set_starts */
  int evaluations;     /* most of them from a start */
} learning_request;

/* Without an additive part its two hyperparameters stay as they are, whatever they are. */
static gannet_err begin_additive(learning *l, bool additive) {
  const tangent_model *t = l->t;
  const size_t n = (size_t)l->n;
  l->narrow = NAN;
  if (!t->additive) return GANNET_OK;
  double *lower = l->bounds, *upper = l->bounds + t->n_hyper;
  lower[tangent_additive_at(t, TANGENT_ODDS)] = additive ? -5 : TANGENT_NO_SHARE - 1;
  upper[tangent_additive_at(t, TANGENT_ODDS)] = 8;
  lower[tangent_additive_at(t, TANGENT_NARROW)] = log(0.1);
  upper[tangent_additive_at(t, TANGENT_NARROW)] = log(100);
  if (!additive) return GANNET_OK;
  const gannet_analytic_shape shape = shape_of(t);
  GANNET_TRY(gannet_alloc(n * n, sizeof *l->sums, &l->sums));
  GANNET_TRY(tangent_additive_create(&shape, &l->additive));
  /* so that evaluations, whose errors ranks do not agree on, allocate nothing */
  return tangent_additive_extend(l->additive, l->n, l->rows.x);
}

static gannet_err begin_learning(learning *l, const learning_request *request, int64_t iteration) {
  const tangent_model *t = l->t;
  const gannet_analytic_shape shape = shape_of(t);
  l->evaluations = request->evaluations;
  GANNET_TRY(gannet_rows_choose(&l->rows, request->points, true,
                                gannet_stream_of(t->streams, GANNET_FOR_FIT, iteration, 0)));
  l->n = l->rows.n;
  const size_t n = (size_t)l->n, d = (size_t)t->d, hyper = (size_t)t->n_hyper;
  const size_t rows = 2 + (size_t)request->starts;
  GANNET_TRY(gannet_alloc(t->options->network ? n * n : 0, sizeof *l->theta, &l->theta));
  GANNET_TRY(gannet_alloc(d, sizeof *l->rho, &l->rho));
  GANNET_TRY(gannet_alloc(d, sizeof *l->by_rho, &l->by_rho));
  GANNET_TRY(gannet_alloc(rows * hyper, sizeof *l->bounds, &l->bounds));
  GANNET_TRY(gannet_analytic_create(&shape, l->n, l->rows.x, &l->analytic));
  set_bounds(t, l->bounds, l->bounds + t->n_hyper);
  double *starts = l->bounds + 2 * hyper;
  if (request->start)
    memcpy(starts, request->start, (size_t)request->starts * hyper * sizeof *starts);
  else
    set_starts(l, iteration, request->starts, starts);
  return begin_additive(l, request->additive);
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
static gannet_err minimise_evidence(learning *l, int starts, double *hyper, double *value) {
  gannet_joint joint = objective_of(l);
  *value = INFINITY;
  if (is_shared(l, starts)) return gannet_joint_run(l->t->context, &joint, hyper, value);
  const gannet_multistart problem = {.starts = starts,
                                     .n = joint.n,
                                     .start = joint.start,
                                     .lower = joint.lower,
                                     .upper = joint.upper,
                                     .joint = &joint,
                                     .options = joint.options};
  return gannet_multistart_run(l->t->context, &problem, hyper, value);
}

static gannet_err create_likelihood(learning *l, int starts) {
  const gannet_context *context = l->t->context;
  const gannet_node *node = is_shared(l, starts) ? context->node : NULL;
  return gannet_agree(context->comm, gannet_likelihood_create(node, l->n, false, &l->likelihood));
}

/* Minimise into t->hyper; for the kernel of the network in use then amplitude and noise again. */
static gannet_err learn_from(tangent_model *t, const gannet_data *data, int64_t iteration,
                             const learning_request *request, double *value) {
  learning l = {
      .t = t,
      .rows = {.n = data->n, .width = t->d, .x = data->x, .y = data->y, .noise = data->row_noise}};
  const int starts = request->starts;
  gannet_err code = gannet_agree(t->context->comm, begin_learning(&l, request, iteration));
  if (code == GANNET_OK) code = create_likelihood(&l, starts);
  if (code == GANNET_OK) code = minimise_evidence(&l, starts, t->hyper, value);
  if (code == GANNET_OK && t->options->network && request->points == t->options->fit_points) {
    gannet_likelihood_destroy(&l.likelihood);
    code = gannet_agree(t->context->comm, freeze(&l));
    if (code == GANNET_OK) code = create_likelihood(&l, 1);
    memcpy(l.bounds + 2 * (size_t)t->n_hyper, t->hyper, (size_t)t->n_hyper * sizeof *t->hyper);
    if (code == GANNET_OK) code = minimise_evidence(&l, 1, t->hyper, value);
  }
  release_learning(&l);
  return code;
}

/* Starts for the kernel with an additive part [rows][n_hyper]: where the model had one, from its
 * values and with its narrow scale half a step up and down; then from the wide network's values
 * with half of the variance in narrow networks of every scale. Returns their number. */
static int set_additive_starts(const tangent_model *t, const double *before, const double *wide,
                               double *starts) {
  const int odds = tangent_additive_at(t, TANGENT_ODDS);
  const int narrow = tangent_additive_at(t, TANGENT_NARROW);
  int rows = 0;
  for (int k = -1; k < 2 && tangent_share(t, before) > 0; ++k) {
    double *row = starts + (size_t)rows++ * (size_t)t->n_hyper;
    memcpy(row, before, (size_t)t->n_hyper * sizeof *row);
    row[narrow] += k * log(sqrt(2));
  }
  for (int k = 0; k < NARROW_SCALES; ++k) {
    double *row = starts + (size_t)rows++ * (size_t)t->n_hyper;
    memcpy(row, wide, (size_t)t->n_hyper * sizeof *row);
    row[odds] = 0;
    row[narrow] = log(narrow_scales[k]);
  }
  return rows;
}

/* Learn an additive part beside the wide network that t->hyper describes, whose least value is
 * given, and keep it where that pays. All scales compete on a few observations; the winner goes on
 * with as many as the wide network had.
 *
 * before  in  the hyperparameters of the model before this fit
 */
static gannet_err learn_additive(tangent_model *t, const gannet_data *data, int64_t iteration,
                                 const double *before, double wide_value) {
  const size_t size = (size_t)t->n_hyper;
  double *wide = NULL, *starts = NULL, value = INFINITY;
  gannet_err code = gannet_alloc(size, sizeof *wide, &wide);
  if (code == GANNET_OK) code = gannet_alloc((NARROW_SCALES + 3) * size, sizeof *starts, &starts);
  code = gannet_agree(t->context->comm, code);
  if (code == GANNET_OK) {
    t->hyper[tangent_additive_at(t, TANGENT_ODDS)] = TANGENT_NO_SHARE;
    t->hyper[tangent_additive_at(t, TANGENT_NARROW)] =
        before[tangent_additive_at(t, TANGENT_NARROW)];
    memcpy(wide, t->hyper, size * sizeof *wide);
    const int points = t->options->fit_points, evaluations = t->options->fit_evaluations;
    const learning_request screen = {
        points < TANGENT_SCREEN ? points : TANGENT_SCREEN,
        set_additive_starts(t, before, wide, starts), true, starts,
        evaluations < NARROW_EVALUATIONS ? evaluations : NARROW_EVALUATIONS};
    code = learn_from(t, data, iteration, &screen, &value);
    const learning_request polish = {points, 1, true, t->hyper, evaluations};
    if (code == GANNET_OK) code = learn_from(t, data, iteration, &polish, &value);
  }
  if (code == GANNET_OK && !(value + ADDITIVE_MARGIN < wide_value))
    memcpy(t->hyper, wide, size * sizeof *wide);
  gannet_free(&wide);
  gannet_free(&starts);
  return code;
}

/* Many observations: the starts compete on a few of them, and the winner is polished on more. */
static gannet_err learn_wide(tangent_model *t, const gannet_data *data, int64_t iteration,
                             double *value) {
  const tangent_options *o = t->options;
  const bool few = data->n <= TANGENT_SCREEN || o->fit_points <= TANGENT_SCREEN;
  const learning_request screen = {TANGENT_SCREEN, o->restarts, false, NULL, o->fit_evaluations};
  const learning_request polish = {o->fit_points, few ? o->restarts : 1, false, NULL,
                                   o->fit_evaluations};
  if (!few) GANNET_TRY(learn_from(t, data, iteration, &screen, value));
  return learn_from(t, data, iteration, &polish, value);
}

gannet_err tangent_learn(tangent_model *t, const gannet_data *data, int64_t iteration) {
  int fixed = 0;
  double value = INFINITY, *before = NULL;
  for (int k = 0; k < t->n_hyper; ++k) {
    double given = 0;
    fixed += tangent_fixed(t, k, &given);
  }
  if (fixed == t->n_hyper) return GANNET_OK;
  t->noise_var = data->noise_var;
  t->stale = true;
  GANNET_TRY(gannet_alloc_on_all(t->context->comm, (size_t)t->n_hyper, sizeof *before, &before));
  memcpy(before, t->hyper, (size_t)t->n_hyper * sizeof *before);
  gannet_err code = learn_wide(t, data, iteration, &value);
  if (code == GANNET_OK && t->additive) code = learn_additive(t, data, iteration, before, value);
  gannet_free(&before);
  return code;
}

gannet_err tangent_evidence(tangent_model *t, const gannet_data *data, const double *hyper,
                            double *value, double *gradient) {
  const bool additive = tangent_share(t, hyper) > 0;
  const learning_request all = {data->n, 1, additive, NULL, 1};
  learning l = {
      .t = t,
      .rows = {.n = data->n, .width = t->d, .x = data->x, .y = data->y, .noise = data->row_noise}};
  t->noise_var = data->noise_var;
  t->stale = true;
  gannet_err code = begin_learning(&l, &all, 0);
  if (code == GANNET_OK) code = gannet_likelihood_create(NULL, l.n, false, &l.likelihood);
  if (code == GANNET_OK) {
    gannet_joint joint = objective_of(&l);
    code = gannet_joint_evaluate(&joint, t->n_hyper, hyper, value, gradient);
  }
  release_learning(&l);
  return code;
}
