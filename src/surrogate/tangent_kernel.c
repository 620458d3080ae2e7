/* Neural-BO's model: Bayesian linear regression on the tangent features of a random network, in its
 * dual form, or by default that of its limit of infinite width. Zero mean, as the network's own:
 * the bias coordinate carries constants.
 */
#include "surrogate/tangent_kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"
#include "surrogate/tangent_mean.h"

static const char *const scale_names[] = {"shared", "ard", NULL};

static const char *const kernel_names[] = {"infinite", "network", NULL};

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
     .help = "further coordinate of the network's input: a constant (flat), or the one that puts "
             "all points on a sphere, where the model is as uncertain everywhere"},
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
     .help = "what multiplies the coordinates, which go from -1 to 1; auto learns it",
     .example = "2"},
    {.key = "amplitude",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, amplitude),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e12,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .unit = "variances of the data",
     .help = "variance that multiplies the kernel; auto learns it",
     .example = "1"},
    {.key = "noise",
     .type = GANNET_REAL,
     .offset = offsetof(tangent_options, noise),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e12,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .unit = "variances of the data",
     .help = "noise variance of the model, whatever the campaign says; auto takes that of the "
             "campaign or learns it",
     .example = "0.01"},
    {.key = "mean",
     .type = GANNET_CHOICE,
     .offset = offsetof(tangent_options, trained),
     .fallback = "posterior",
     .choices = mean_names,
     .help = "mean of the model: in closed form, or, as published, that of the network after "
             "training from its fixed start"},
    GANNET_TRAIN_OPTIONS(tangent_options, "the network of a trained mean is"),
    GANNET_NOISE_FLOOR_OPTION(offsetof(tangent_options, noise_floor), "1e-8"),
    GANNET_RESTARTS_OPTION(offsetof(tangent_options, restarts), "3"),
    GANNET_FIT_POINTS_OPTION(offsetof(tangent_options, fit_points), "400",
                             "fit hyper-parameters; of more, the best and a random rest"),
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
  gannet_factor_destroy(&t->factor);
  gannet_inducing_destroy(&t->inducing);
  gannet_free(&t->hyper);
  gannet_free(&t->names);
  gannet_free(&t->y);
  if (t->alpha) gannet_free(&t->alpha->values);
  gannet_free(&t->alpha);
  gannet_free(&t->update);
  gannet_free(&t->slope);
  gannet_free(&t->work);
  gannet_free(&t->cross);
  tangent_estimate_release(t);
  gannet_free(&t);
}

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

/* Input scales fall as 1/sqrt(d), so that a unit's input has a variance of order 1 in any
 * dimension. */
static void set_defaults(tangent_model *t) {
  t->hyper[TANGENT_AMPLITUDE] = 0;
  t->hyper[TANGENT_NOISE] = log(fmax(1e-4, t->options->noise_floor));
  t->hyper[TANGENT_BIAS] = log(0.5);
  t->names[TANGENT_AMPLITUDE] = (gannet_hyper_name){"log_amplitude"};
  t->names[TANGENT_NOISE] = (gannet_hyper_name){"log_noise"};
  t->names[TANGENT_BIAS] = (gannet_hyper_name){"log_bias"};
  for (int k = TANGENT_RHO; k < t->n_hyper; ++k) {
    t->hyper[k] = -0.5 * log(t->d);
    (void)snprintf(t->names[k].text, sizeof t->names[k].text, "log_scale_%d", k - TANGENT_RHO);
  }
  for (int k = 0; k < t->n_hyper; ++k) (void)tangent_fixed(t, k, &t->hyper[k]);
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
  GANNET_TRY(gannet_tangent_directions_reserve(t->net, 1, &t->mean));
  return gannet_tangent_directions_reserve(t->net, 1, t->spread);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  tangent_model *t = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *t, &t));
  *state = t; /* the front destroys it, also after a failure below */
  t->context = context;
  t->options = options;
  t->d = d;
  t->streams = (gannet_streams){context->seed, model};
  t->stale = true;
  t->noise_var = NAN;
  t->n_hyper = TANGENT_RHO + (t->options->ard ? d : 1);
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

static double noise_var(const void *state) {
  const tangent_model *t = state;
  return t->lambda * t->amplitude;
}

static gannet_hyper hyper(void *state) {
  tangent_model *t = state;
  return (gannet_hyper){t->n_hyper, t->hyper, t->names, &t->stale};
}

static const char *no_sd(const void *options) {
  return gannet_factor_no_sd((gannet_factor_place)((const tangent_options *)options)->factor);
}

static size_t bytes(const void *state) {
  const tangent_model *t = state;
  const size_t vectors = (size_t)t->capacity * (size_t)(4 + t->draws.q + GANNET_TANGENT_BLOCK);
  const size_t directions = gannet_tangent_parameters(t->net) * (size_t)(2 + t->draws.q);
  return sizeof *t + gannet_tangent_bytes(t->net) + gannet_factor_bytes(t->factor) +
         gannet_inducing_bytes(t->inducing) + gannet_analytic_points_bytes(t->limit) +
         gannet_tangent_features_bytes(t->net, &t->data) +
         (t->trained ? tangent_mean_bytes(t->trained) : 0) + tangent_estimate_bytes(t) +
         (vectors + directions) * sizeof(double);
}

/* Inputs are multiplied by rho. */
static void length_scales(const void *state, double *scales) {
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
    .create = create,
    .destroy = destroy,
    .fit = tangent_fit,
    .fantasize = tangent_fantasize,
    .predict = tangent_predict,
    .fitted = tangent_fitted,
    .predict_gradients = tangent_predict_gradients,
    .gains_together = tangent_gains_together,
    .sample = tangent_sample,
    .draw_values = tangent_draw_values,
    .draw_gradient = tangent_draw_gradient,
    .estimate_prepare = tangent_estimate_prepare,
    .draw_estimates = tangent_draw_estimates,
    .moments_prepare = tangent_moments_prepare,
    .moment_estimates = tangent_moment_estimates,
    .variance_upper_bound_prepare = tangent_variance_upper_bound_prepare,
    .variance_upper_bound = tangent_variance_upper_bound,
    .covariance = tangent_covariance,
    .noise_var = noise_var,
    .calibration = tangent_calibration,
    .hyper = hyper,
    .length_scales = length_scales,
    .bytes = bytes,
    .no_sd = no_sd,
};
