/* Neural-BO's model: options, conditioning on data, and the table of operations. It is Bayesian
 * linear regression on the tangent features of a random network, in dual form, or by default on
 * those of the network's limit of infinite width. The mean is zero, as the network's own: the bias
 * coordinate carries constants.
 */
#include "surrogate/models/tangent_kernel/tangent_kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"

static const char *const scale_names[] = {"shared", "ard", NULL};

static const char *const kernel_names[] = {"infinite", "network", NULL};

static const char *const additive_names[] = {"none", "auto", NULL};

static const char *const mean_names[] = {"posterior", "trained", NULL};

static const gannet_option tangent_option_table[] = {
    {.key = "activation",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, activation),
     .fallback = "erf",
     .choices = gannet_activation_names,
     .help = "activation function of the network"},
    {.key = "layers",
     .type = GANNET_INTEGER,
     .offset = offsetof(tangent_options, layers),
     .fallback = "1",
     .lower = 1,
     .upper = GANNET_TANGENT_LAYERS,
     .help = "hidden layers; beyond one, a draw costs width^2 instead of width times variables"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = offsetof(tangent_options, width),
     .fallback = "256",
     .lower = 1,
     .upper = 1e5,
     .help = "units per hidden layer"},
    {.key = "kernel",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, network),
     .fallback = "infinite",
     .choices = kernel_names,
     .help =
         "infinite: the network's limit, exact at the data, draws cost more with more of these; "
         "network: its random features alone"},
    {.key = "input_scales",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, ard),
     .fallback = "shared",
     .choices = scale_names,
     .help = "one scale for all coordinates, or one for each"},
    {.key = "lift",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, lift),
     .fallback = "sphere",
     .choices = gannet_embedding_names,
     .help = "additional input of the network: a constant (flat), or the coordinate that puts all "
             "points on a sphere, so that the model is equally uncertain everywhere"},
    {.key = "bias",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, bias),
     .fallback = "auto",
     .lower = 1e-6,
     .upper = 1e6,
     .flags = GANNET_OPTION_AUTO,
     .help = "constant coordinate of the network's input; auto learns it",
     .example = "1"},
    {.key = "input_scale",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, input_scale),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e6,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .help = "factor on the coordinates, which go from -1 to 1; auto learns it",
     .example = "2"},
    {.key = "amplitude",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, amplitude),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e12,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .unit = "variances of the data",
     .help = "variance by which the kernel is multiplied; auto learns it",
     .example = "1"},
    {.key = "noise",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, noise),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e12,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .unit = "variances of the data",
     .help = "noise variance of the model, instead of the campaign's noise; auto = that of the "
             "campaign, or learnt",
     .example = "0.01"},
    {.key = "mean",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, trained),
     .fallback = "posterior",
     .choices = mean_names,
     .help = "mean of the model: posterior = in closed form; trained = as published, the output of "
             "the network after training from its fixed start"},
    {.key = "additive",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, additive),
     .fallback = "none",
     .choices = additive_names,
     .help = "narrow networks of single coordinates beside the wide one, for objectives that are "
             "nearly sums of functions of one variable: none, or auto = where the evidence of the "
             "data is for them; not with kernel: network or mean: trained",
     .example = "none"},
    GANNET_TRAIN_OPTIONS(tangent_options, "the network of a trained mean is"),
    GANNET_NOISE_FLOOR_OPTION(offsetof(tangent_options, noise_floor), "1e-8"),
    GANNET_RESTARTS_OPTION(offsetof(tangent_options, restarts), "3"),
    GANNET_FIT_POINTS_OPTION(offsetof(tangent_options, fit_points), "400",
                             "fit hyperparameters; of more, the best and a random rest"),
    GANNET_FIT_EVALUATIONS_OPTION(offsetof(tangent_options, fit_evaluations), "60"),
    GANNET_FACTOR_OPTION(offsetof(tangent_options, factor)),
    GANNET_INDUCING_OPTION(offsetof(tangent_options, inducing)),
    {0}};

static void destroy(void *state) {
  tangent_model *t = state;
  tangent_mean_destroy(&t->trained);
  gannet_tangent_directions_release(&t->mean);
  if (t->spread) gannet_tangent_directions_release(t->spread);
  gannet_free(&t->spread);
  gannet_tangent_directions_release(&t->draws);
  gannet_tangent_release(&t->data);
  if (t->tile) gannet_tangent_release(t->tile);
  gannet_free(&t->tile);
  gannet_tangent_destroy(&t->net);
  gannet_analytic_points_destroy(&t->limit);
  tangent_additive_destroy(&t->additive);
  gannet_factor_destroy(&t->factor);
  gannet_inducing_destroy(&t->inducing);
  gannet_row_noise_release(&t->row_noise);
  gannet_free(&t->hyper);
  gannet_free(&t->names);
  gannet_free(&t->y);
  if (t->alpha) gannet_free(&t->alpha->values);
  gannet_free(&t->alpha);
  gannet_free(&t->update);
  gannet_free(&t->slope);
  gannet_free(&t->work);
  gannet_free(&t->cross);
  gannet_free(&t);
}

/* In one dimension the wide network is narrow, too. */
static bool may_be_additive(const tangent_model *t) {
  return t->options->additive && t->d > 1;
}

/* Input scales fall as 1/sqrt(d), so that a unit's input has a variance of order 1 in any
 * dimension. */
static void set_defaults(tangent_model *t) {
  t->hyper[TANGENT_AMPLITUDE] = 0;
  t->hyper[TANGENT_NOISE] = log(fmax(1e-4, t->options->noise_floor));
  t->hyper[TANGENT_BIAS] = log(0.5);
  t->names[TANGENT_AMPLITUDE] = (gannet_hyper_name){"log_amplitude"};
  t->names[TANGENT_NOISE] = (gannet_hyper_name){"log_noise"};
  t->names[TANGENT_BIAS] = (gannet_hyper_name){"log_bias"};
  for (int k = TANGENT_RHO; k < TANGENT_RHO + t->n_scales; ++k) {
    t->hyper[k] = -0.5 * log(t->d);
    (void)snprintf(t->names[k].text, sizeof t->names[k].text, "log_scale_%d", k - TANGENT_RHO);
  }
  for (int k = 0; k < t->n_hyper; ++k) (void)tangent_fixed(t, k, &t->hyper[k]);
  if (!may_be_additive(t)) return;
  t->hyper[tangent_additive_at(t, TANGENT_ODDS)] = TANGENT_NO_SHARE;
  t->hyper[tangent_additive_at(t, TANGENT_NARROW)] = log(4);
  t->names[tangent_additive_at(t, TANGENT_ODDS)] = (gannet_hyper_name){"log_additive_odds"};
  t->names[tangent_additive_at(t, TANGENT_NARROW)] = (gannet_hyper_name){"log_additive_scale"};
}

static gannet_err create_network(tangent_model *t) {
  const gannet_tangent_shape shape = {.activation = gannet_activations[t->options->activation],
                                      .d = t->d,
                                      .layers = t->options->layers,
                                      .width = t->options->width,
                                      .embedding = (gannet_embedding_kind)t->options->lift};
  const gannet_stream stream =
      gannet_context_stream(t->context, GANNET_FOR_WEIGHTS, 0, (uint64_t)t->streams.model);
  const gannet_analytic_shape limit = {.activation = shape.activation,
                                       .layers = shape.layers,
                                       .d = t->d,
                                       .embedding = shape.embedding};
  GANNET_TRY(gannet_tangent_create(&shape, stream, &t->net));
  GANNET_TRY(gannet_analytic_points_create(&limit, &t->limit));
  if (may_be_additive(t)) GANNET_TRY(tangent_additive_create(&limit, &t->additive));
  GANNET_TRY(gannet_tangent_directions_reserve(t->net, 1, &t->mean));
  return gannet_tangent_directions_reserve(t->net, 1, t->spread);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  const tangent_options *o = options;
  tangent_model *t = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *t, &t));
  *state = t; /* the front destroys it, also after a failure below */
  t->context = context;
  t->options = options;
  t->d = d;
  t->streams = (gannet_streams){context->seed, model};
  t->stale = true;
  t->noise_var = NAN;
  t->n_scales = o->ard ? d : 1;
  t->n_hyper = TANGENT_RHO + t->n_scales + (may_be_additive(t) ? TANGENT_ADDITIVE : 0);
  GANNET_TRY(gannet_alloc((size_t)t->n_hyper, sizeof *t->hyper, &t->hyper));
  GANNET_TRY(gannet_alloc((size_t)t->n_hyper, sizeof *t->names, &t->names));
  GANNET_TRY(gannet_alloc(1, sizeof *t->tile, &t->tile));
  GANNET_TRY(gannet_alloc(1, sizeof *t->spread, &t->spread));
  GANNET_TRY(gannet_alloc(1, sizeof *t->alpha, &t->alpha));
  GANNET_TRY(gannet_alloc((size_t)d, sizeof *t->slope, &t->slope));
  const gannet_factor_place place = (gannet_factor_place)t->options->factor;
  GANNET_TRY(gannet_factor_create(context, place, &t->factor));
  GANNET_TRY(gannet_inducing_create(context, d, t->options->inducing, place, &t->inducing));
  set_defaults(t);
  if (t->options->trained) GANNET_TRY(tangent_mean_create(t, &t->trained));
  return create_network(t);
}

/* Everything that follows from the hyperparameters and the given noise. */
static gannet_err apply_hyper(tangent_model *t) {
  double *rho = NULL, bias = 0;
  GANNET_TRY(gannet_alloc((size_t)t->d, sizeof *rho, &rho));
  tangent_scales(t, t->hyper, rho, &bias);
  gannet_tangent_set_inputs(t->net, rho, bias);
  gannet_analytic_points_set_inputs(t->limit, rho, bias);
  gannet_free(&rho);
  t->share = tangent_share(t, t->hyper);
  if (t->share > 0)
    GANNET_TRY(
        tangent_additive_set(t->additive, exp(t->hyper[tangent_additive_at(t, TANGENT_NARROW)])));
  t->amplitude = exp(t->hyper[TANGENT_AMPLITUDE]);
  t->least_lambda = tangent_noise(t, t->hyper) / t->amplitude;
  t->lambda = t->least_lambda;
  return GANNET_OK;
}

/* gannet_kernel_tile */
static gannet_err kernel_tile(void *user, int first, int rows, int from, int columns, double *k,
                              int ldk) {
  const tangent_model *t = user;
  if (t->options->network)
    gannet_tangent_tile(t->net, &t->data, first, rows, from, columns, k, ldk);
  else
    gannet_analytic_points_tile(t->limit, first, rows, from, columns, k, ldk);
  if (t->share > 0)
    tangent_additive_mix_tile(t->additive, t->share, first, rows, from, columns, k, ldk);
  gannet_inducing_add_noise(t->inducing, t->lambda, first, rows, from, columns, k, ldk);
  return GANNET_OK;
}

/* Rounding can make the matrix indefinite when points repeat and the noise is small: lambda is then
 * raised tenfold, from 1e-12 of the kernel's size on. The factor of the leading rows is a function
 * of these rows alone, so the final lambda does not depend on how the data arrived. */
static gannet_err factorise_kernel(tangent_model *t) {
  for (int step = 0; step < 12; ++step) {
    const gannet_err code = gannet_factor_extend(t->factor, t->n, kernel_tile, t);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    gannet_factor_clear(t->factor);
    double size = 1;
    GANNET_TRY(kernel_tile(t, 0, 1, 0, 1, &size, 1));
    t->lambda = 10 * fmax(t->lambda, 1e-13 * size);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "tangent kernel of %d points with noise ratio %g", t->n,
                      t->lambda);
}

/* Make the lists of data that kernel: infinite uses hold n points. */
static gannet_err extend_lists(tangent_model *t, int n, const double *x) {
  if (t->share > 0) GANNET_TRY(tangent_additive_extend(t->additive, n, x));
  return gannet_analytic_points_extend(t->limit, n, x);
}

/* take of gannet_inducing_kernel */
static gannet_err take_points(void *user, int n, const double *z) {
  tangent_model *t = user;
  t->data.n = 0;
  if (t->options->network) return gannet_tangent_extend(t->net, n, z, &t->data);
  GANNET_TRY(extend_lists(t, 0, z));
  return extend_lists(t, n, z);
}

/* cross of gannet_inducing_kernel */
static gannet_err cross_points(void *user, int m, const double *x, double *k, int ldk,
                               double *diagonal) {
  tangent_model *t = user;
  if (!t->options->network) {
    gannet_analytic_points_cross(t->limit, m, x, k, ldk, diagonal);
    if (t->share > 0) tangent_additive_mix_cross(t->additive, t->share, m, x, k, ldk, diagonal);
    return GANNET_OK;
  }
  t->tile->n = 0;
  GANNET_TRY(gannet_tangent_extend(t->net, m, x, t->tile));
  if (diagonal) gannet_tangent_diagonal(t->net, t->tile, 0, m, diagonal);
  if (k) gannet_tangent_kernel(t->net, t->tile, 0, m, &t->data, t->data.n, k, ldk);
  return GANNET_OK;
}

/* Keep the leading n rows, or none where rounding had asked for more noise: what it asked of other
 * rows is not asked of the next. */
static gannet_err truncate_rows(tangent_model *t, int n) {
  const int kept = t->lambda == t->least_lambda ? n : 0;
  if (kept > 0)
    gannet_factor_truncate(t->factor, kept);
  else
    gannet_factor_clear(t->factor);
  t->lambda = t->least_lambda;
  t->data.n = t->n = kept;
  return t->options->network ? GANNET_OK : extend_lists(t, kept, NULL);
}

/* The part of conditioning that a rank does alone, on what is seen of the data. */
static gannet_err take_rows(tangent_model *t, const gannet_data *seen, bool fresh) {
  if (seen->n > t->capacity) {
    const int grown = t->capacity + t->capacity / 2, capacity = seen->n < grown ? grown : seen->n;
    const size_t old = (size_t)t->capacity, new = (size_t)capacity;
    GANNET_TRY(gannet_resize(old, new, sizeof(double), &t->y));
    gannet_free(&t->alpha->values);
    gannet_free(&t->work);
    gannet_free(&t->cross);
    t->capacity = 0; /* until everything has its new size */
    GANNET_TRY(gannet_alloc(new, sizeof(double), &t->alpha->values));
    GANNET_TRY(gannet_alloc(2 * new, sizeof(double), &t->work));
    GANNET_TRY(gannet_alloc(GANNET_TANGENT_BLOCK * new, sizeof(double), &t->cross));
    t->capacity = capacity;
  }
  if (fresh || seen->n < t->n) GANNET_TRY(truncate_rows(t, 0));
  t->n = seen->n;
  if (seen->n > 0) memcpy(t->y, seen->y, (size_t)seen->n * sizeof *t->y);
  return t->options->network ? gannet_tangent_extend(t->net, seen->n, seen->x, &t->data)
                             : extend_lists(t, seen->n, seen->x);
}

/* alpha at once, where all ranks must work for it or the mean of the network is made of it. */
static gannet_err solve_now(tangent_model *t) {
  tangent_alpha *alpha = t->alpha;
  alpha->known = t->n == 0;
  if (alpha->known || (gannet_factor_replicated(t->factor) && !t->options->network))
    return GANNET_OK;
  memcpy(alpha->values, t->y, (size_t)t->n * sizeof *alpha->values);
  GANNET_TRY(gannet_factor_solve(t->factor, 1, alpha->values, t->n));
  alpha->known = true;
  return GANNET_OK;
}

/* Condition on the data: on all rows anew where the hyperparameters, the noise or the inducing
 * points are others than before, and otherwise on the new rows. A network is trained on all data:
 * its loss takes no pseudo-observations, whose noise differs. */
static gannet_err condition_on(tangent_model *t, const gannet_data *data, int64_t iteration) {
  const MPI_Comm comm = t->context->comm;
  const bool same_noise =
      t->noise_var == data->noise_var || (isnan(t->noise_var) && isnan(data->noise_var));
  bool renewed = false, same_rows = true;
  gannet_data seen;
  if (t->stale || !same_noise) {
    t->noise_var = data->noise_var;
    GANNET_TRY(gannet_agree(comm, apply_hyper(t)));
  }
  GANNET_TRY(
      gannet_agree(comm, gannet_row_noise_take(&t->row_noise, data, t->least_lambda * t->amplitude,
                                               t->options->noise_floor, t->amplitude, &same_rows)));
  const bool fresh = t->stale || !same_noise || !same_rows;
  const gannet_inducing_request request = {
      data,         t->n_fantasies, t->least_lambda, t->stale, {t, take_points, cross_points},
      &t->row_noise};
  t->stale = true; /* should one of the next steps fail */
  GANNET_TRY(gannet_inducing_view(t->inducing, &request, &seen, &renewed));
  GANNET_TRY(gannet_agree(comm, take_rows(t, &seen, fresh || renewed)));
  GANNET_TRY(factorise_kernel(t));
  GANNET_TRY(solve_now(t));
  if (t->options->network)
    GANNET_TRY(gannet_agree(
        comm, gannet_tangent_transpose(t->net, &t->data, t->alpha->values, t->n, 0, &t->mean)));
  if (t->trained) GANNET_TRY(tangent_mean_train(t->trained, t, data, iteration));
  t->stale = false;
  return GANNET_OK;
}

/* The loss of a trained network has no weights: it takes all values for equally noisy. */
static gannet_data usable(const tangent_model *t, const gannet_data *data) {
  gannet_data own = *data;
  if (t->trained) own.row_noise = NULL;
  return own;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  tangent_model *t = state;
  const gannet_data own = usable(t, data);
  const int n_fantasies = t->n_fantasies;
  t->n_fantasies = 0;
  const gannet_err err =
      n_fantasies > 0 && !t->stale ? truncate_rows(t, t->n - n_fantasies) : GANNET_OK;
  GANNET_TRY(gannet_agree(t->context->comm, err));
  if (learn && data->n >= 2) GANNET_TRY(tangent_learn(t, &own, iteration));
  return condition_on(t, &own, iteration);
}

static gannet_err fantasize(void *state, const gannet_data *data, int n_fantasies,
                            int64_t iteration) {
  tangent_model *t = state;
  const gannet_data own = usable(t, data);
  t->n_fantasies = n_fantasies;
  return condition_on(t, &own, iteration);
}

/* Rasmussen and Williams 2006, eqs. (5.10)-(5.12): squared standardised leave-one-out residual
 * alpha_i^2 / (s^2 ((K + lambda I)^-1)_ii). Clipped: with few points it can be anything. */
static gannet_err calibration(void *state, double *scale) {
  tangent_model *t = state;
  double sum = 0, *diagonal = t->work;
  if (t->n < 2) return GANNET_OK;
  GANNET_TRY(gannet_factor_inverse_diagonal(t->factor, diagonal));
  const double *alpha = tangent_alpha_of(t);
  for (int i = 0; i < t->n; ++i) sum += alpha[i] * alpha[i] / diagonal[i];
  *scale = fmin(10, fmax(0.1, sqrt(sum / (t->amplitude * t->n))));
  return GANNET_OK;
}

static gannet_err information_gain(const void *state, double *gain) {
  const tangent_model *t = state;
  return gannet_inducing_information_gain(t->inducing, t->factor, t->lambda, t->n, gain);
}

/* (K + lambda I) alpha = y */
static bool fitted(const void *state, double *mean) {
  const tangent_model *t = state;
  if (t->trained || gannet_inducing_points(t->inducing) > 0) return false;
  const double *alpha = tangent_alpha_of(t);
  for (int i = 0; i < t->n; ++i)
    mean[i] = t->y[i] - (t->lambda + gannet_row_noise_more(&t->row_noise, i)) * alpha[i];
  return true;
}

static double noise_var(const void *state) {
  const tangent_model *t = state;
  return (t->lambda + gannet_row_noise_mean(&t->row_noise)) * t->amplitude;
}

static gannet_hyper hyper(void *state) {
  tangent_model *t = state;
  return (gannet_hyper){t->n_hyper, t->hyper, t->names, &t->stale};
}

static const char *contradiction(const void *options) {
  const tangent_options *o = options;
  if (o->additive && o->network)
    return "additive: auto needs the closed form of the kernel, which kernel: network does not "
           "have; choose kernel: infinite or additive: none";
  if (o->additive && o->trained)
    return "additive: auto cannot be combined with mean: trained; choose mean: posterior or "
           "additive: none";
  return NULL;
}

static const char *no_sd(const void *options) {
  return gannet_factor_no_sd((gannet_factor_place)((const tangent_options *)options)->factor);
}

/* Inputs are multiplied by rho. */
static void lengthscales(const void *state, double *scales) {
  const tangent_model *t = state;
  for (int k = 0; k < t->d; ++k)
    scales[k] = exp(-t->hyper[TANGENT_RHO + (t->options->ard ? k : 0)]);
}

const gannet_surrogate_type gannet_surrogate_tangent_kernel = {
    .name = "tangent-kernel",
    .summary = "tangent kernel of a wide random network, draws of whole functions",
    .source =
        "Neural-BO (thesis ch. 3); tangent kernel: Jacot et al. 2018; draws: Matheron's rule, "
        "Wilson et al. 2020",
    .options = tangent_option_table,
    .options_size = sizeof(tangent_options),
    .takes_row_noise = true,
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .fantasize = fantasize,
    .predict = tangent_predict,
    .fitted = fitted,
    .predict_gradients = tangent_predict_gradients,
    .sample = tangent_sample,
    .shrink_draw = tangent_shrink_draw,
    .draw_values = tangent_draw_values,
    .draw_gradient = tangent_draw_gradient,
    .estimator = tangent_make_estimator,
    .covariance = tangent_covariance,
    .noise_var = noise_var,
    .calibration = calibration,
    .information_gain = information_gain,
    .hyper = hyper,
    .lengthscales = lengthscales,
    .no_sd = no_sd,
    .contradiction = contradiction,
};
