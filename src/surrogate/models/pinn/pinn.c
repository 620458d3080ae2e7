/* PINN-BO's model (thesis of Phan-Trong, chapter 5): a network conditioned on observations and on
 * differential equations at many points, in closed form or trained.
 *
 * Besides the network of the thesis there is a narrow one per coordinate, because many objectives
 * are nearly sums of functions of single variables, which a wide network cannot see in many
 * dimensions; the evidence decides how much of each.
 */
#include "surrogate/models/pinn/pinn.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "surrogate/registry.h"

static const char *const feature_names[] = {"all", "output", NULL};
static const char *const mode_names[] = {"closed", "trained", NULL};
static const char *const schedule_names[] = {"calibrated", "paper", NULL};

#define MEMBER(name) offsetof(pinn_options, name)
static const gannet_option pinn_option_table[] = {
    {.key = "activation",
     .type = GANNET_CHOICE,
     .offset = MEMBER(activation),
     .fallback = "sin",
     .choices = gannet_smooth_activation_names,
     .help = "activation function; equations need a smooth one, and relu has no second derivative"},
    {.key = "layers",
     .type = GANNET_INTEGER,
     .offset = MEMBER(layers),
     .fallback = "1",
     .lower = 1,
     .upper = GANNET_MLP_LAYERS,
     .help = "hidden layers; beyond one, memory and time grow with width^2"},
    {.key = "width",
     .type = GANNET_INTEGER,
     .offset = MEMBER(width),
     .fallback = "auto",
     .lower = 1,
     .upper = 20000,
     .flags = GANNET_OPTION_AUTO,
     .help = "units per hidden layer of the network of all coordinates; auto = such that it has "
             "about 2000 weights, with more than 4 variables 1000",
     .example = "512"},
    {.key = "single_width",
     .type = GANNET_INTEGER,
     .offset = MEMBER(single_width),
     .fallback = "auto",
     .lower = 0,
     .upper = 2000,
     .flags = GANNET_OPTION_AUTO,
     .help = "units per hidden layer of the networks of single coordinates; 0 = none",
     .example = "64"},
    {.key = "features",
     .type = GANNET_CHOICE,
     .offset = MEMBER(features),
     .fallback = "all",
     .choices = feature_names,
     .help = "which weights vary: all (the tangent kernel) or those of the output"},
    {.key = "input_scale",
     .type = GANNET_REAL,
     .offset = MEMBER(input_scale),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e4,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .help = "standard deviation of the first weights, the inverse of a length scale in units of "
             "half the box; auto learns it",
     .example = "1"},
    {.key = "single_scale",
     .type = GANNET_REAL,
     .offset = MEMBER(single_scale),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e4,
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .help = "the same for the networks of single coordinates",
     .example = "3"},
    {.key = "single_share",
     .type = GANNET_REAL,
     .offset = MEMBER(single_share),
     .fallback = "auto",
     .lower = 0,
     .upper = 1,
     .flags = GANNET_OPTION_AUTO,
     .help = "share of the prior variance of the networks of single coordinates; auto learns it",
     .example = "0.5"},
    {.key = "bias",
     .type = GANNET_REAL,
     .offset = MEMBER(bias),
     .fallback = "auto",
     .lower = 0,
     .upper = 1e4,
     .flags = GANNET_OPTION_AUTO,
     .help = "standard deviation of the first weights of the constant input; auto = 3 for sin, "
             "else the input scale",
     .example = "1"},
    {.key = "grading",
     .type = GANNET_REAL,
     .offset = MEMBER(grading),
     .fallback = "auto",
     .lower = 0,
     .upper = 1,
     .flags = GANNET_OPTION_AUTO,
     .unit = "ranges of the variables",
     .help = "finest structure that the network sees at the edges of the box, which its inputs "
             "stretch logarithmically; 0 = inputs as they are; auto = 0.001 or 0 by the evidence, "
             "0 with more than 3 variables or a given input_scale",
     .example = "0.001"},
    {.key = "fit",
     .type = GANNET_CHOICE,
     .offset = MEMBER(mode),
     .fallback = "closed",
     .choices = mode_names,
     .help = "closed: the network linearised at its start, exactly; trained: by Gauss-Newton"},
    {.key = "steps",
     .type = GANNET_INTEGER,
     .offset = MEMBER(steps),
     .fallback = "10",
     .lower = 1,
     .upper = 10000,
     .help = "most Gauss-Newton steps of a trained network or of equations that are not linear"},
    {.key = "noise_floor",
     .type = GANNET_REAL,
     .offset = MEMBER(noise_floor),
     .fallback = "1e-8",
     .lower = 1e-12,
     .upper = 1,
     .unit = "prior variances",
     .help = "least noise variance lambda_1 of the observations"},
    {.key = "schedule",
     .type = GANNET_CHOICE,
     .offset = MEMBER(schedule),
     .fallback = "calibrated",
     .choices = schedule_names,
     .help = "spread of draws: that of the posterior, or times nu_t as published"},
    {.key = "exploit",
     .type = GANNET_REAL,
     .offset = MEMBER(exploit),
     .fallback = "1",
     .lower = 0,
     .upper = 1,
     .help = "factor on the spread of every other draw, over draws and batches"},
    {.key = "bound",
     .type = GANNET_REAL,
     .offset = MEMBER(bound),
     .fallback = "1",
     .lower = 0,
     .upper = 1e6,
     .unit = "prior standard deviations",
     .help = "bound B on the norm of the objective, in nu_t"},
    {.key = "delta",
     .type = GANNET_REAL,
     .offset = MEMBER(delta),
     .fallback = "0.1",
     .lower = 0,
     .upper = 1,
     .flags = GANNET_OPTION_OPEN_LOW,
     .help = "probability with which the published bound may fail, in nu_t"},
    {0}};
#undef MEMBER

static void destroy(void *state) {
  pinn *s = state;
  pinn_forget_equations(s);
  gannet_jet_plan_release(&s->value);
  gannet_jet_plan_release(&s->slope);
  pinn_network_destroy(&s->network);
  gannet_cholesky_destroy(&s->factor_r);
  gannet_cholesky_destroy(&s->factor_u);
  double **arrays[] = {&s->x, &s->y,     &s->phi,   &s->cross, &s->target_u, &s->alpha_u, &s->schur,
                       &s->w, &s->prior, &s->trial, &s->draws, &s->tile,     &s->work};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) gannet_free(arrays[i]);
  gannet_free(&s);
}

static int clamp(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

static pinn_shape shape_of(const pinn *s) {
  const pinn_options *o = s->options;
  const bool output = o->features == 1 && o->mode == PINN_CLOSED;
  pinn_shape shape = {.activation = gannet_smooth_activations[o->activation],
                      .d = s->d,
                      .layers = o->layers,
                      .width = o->width,
                      .single_width = o->single_width,
                      .output_only = output};
  if (shape.width == GANNET_AUTO)
    shape.width = o->layers > 1 ? 40
                  : output      ? 1000
                                : clamp((s->d > 4 ? 1000 : 2000) / (s->d + 2), 20, 500);
  if (shape.single_width == GANNET_AUTO)
    shape.single_width = o->layers > 1 ? 8 : clamp((output ? 3000 : 2400) / (3 * s->d), 16, 100);
  if (s->d == 1) shape.single_width = 0;
  return shape;
}

pinn_scales pinn_scales_of(const pinn *s, const double *hyper) {
  const pinn_options *o = s->options;
  const double rho = exp(hyper[PINN_SCALE]);
  const bool sine = strcmp(gannet_smooth_activations[o->activation]->name, "sin") == 0;
  return (pinn_scales){.rho = rho,
                       .single_rho = exp(hyper[PINN_SINGLE]),
                       .bias = !isnan(o->bias) ? o->bias
                               : sine          ? 3
                                               : rho * sqrt(s->d),
                       .share = hyper[PINN_SHARE],
                       .edge = hyper[PINN_EDGE]};
}

static void set_defaults(pinn *s) {
  const pinn_options *o = s->options;
  s->hyper[PINN_NOISE] = log(fmax(1e-6, o->noise_floor));
  s->hyper[PINN_SCALE] = log(isnan(o->input_scale) ? 2 / sqrt(s->d) : o->input_scale);
  s->hyper[PINN_SINGLE] = log(isnan(o->single_scale) ? 4 : o->single_scale);
  s->hyper[PINN_SHARE] = s->d == 1 || o->single_width == 0 ? 0
                         : isnan(o->single_share)          ? 0.5
                                                           : o->single_share;
  s->hyper[PINN_EDGE] = isnan(o->grading) ? 0 : o->grading;
}

static gannet_err create_parts(pinn *s) {
  const gannet_partial value = {0};
  const size_t d = (size_t)s->d;
  const pinn_shape shape = shape_of(s);
  gannet_partial *slopes = NULL;
  GANNET_TRY(pinn_network_create(&shape, gannet_stream_of(s->streams, GANNET_FOR_WEIGHTS, 0, 0),
                                 &s->network));
  s->p = pinn_network_size(s->network);
  GANNET_TRY(gannet_cholesky_create(&s->factor_r));
  GANNET_TRY(gannet_cholesky_create(&s->factor_u));
  GANNET_TRY(gannet_jet_plan_create(s->d, 1, &value, &s->value));
  GANNET_TRY(gannet_alloc(d, sizeof *slopes, &slopes));
  for (int k = 0; k < s->d; ++k) slopes[k] = (gannet_partial){1, {k}};
  const gannet_err code = gannet_jet_plan_create(s->d, s->d, slopes, &s->slope);
  gannet_free(&slopes);
  GANNET_TRY(code);
  const size_t p = (size_t)s->p, rows = d > PINN_TILE ? d : PINN_TILE;
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->w));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->prior));
  GANNET_TRY(gannet_alloc(p, sizeof(double), &s->trial));
  return gannet_alloc(rows * p, sizeof(double), &s->tile);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  pinn *s = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *s, &s));
  *state = s; /* the front destroys it, also after a failure below */
  s->context = context;
  s->options = options;
  s->d = d;
  s->streams = (gannet_streams){context->seed, model};
  s->mode = (pinn_mode)s->options->mode;
  s->stale = true;
  s->noise_var = NAN;
  set_defaults(s);
  return create_parts(s);
}

static gannet_err set_pde_constraint(void *state, const gannet_pde_constraint *constraint) {
  pinn *s = state;
  s->constraint = *constraint;
  return GANNET_OK;
}

static gannet_err prepare(pinn *s, const gannet_data *data) {
  GANNET_TRY(pinn_take_equations(s));
  return pinn_take_data(s, data);
}

static gannet_err condition(pinn *s) {
  if (s->stale) {
    const pinn_scales scales = pinn_scales_of(s, s->hyper);
    GANNET_TRY(pinn_agree(s, pinn_network_set_scales(s->network, &scales)));
  }
  GANNET_TRY(pinn_condition(s, s->stale));
  s->stale = false;
  return pinn_inform(s);
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  pinn *s = state;
  (void)iteration;
  s->q = 0;
  GANNET_TRY(gannet_agree(s->context->comm, prepare(s, data)));
  if (learn && s->n >= 2) GANNET_TRY(pinn_learn(s));
  s->together = s->context->np > 1;
  const gannet_err code = condition(s);
  s->together = false;
  return code;
}

static double noise_var(const void *state) {
  const pinn *s = state;
  return s->lambda1 * exp(s->hyper[PINN_AMPLITUDE]);
}

static double log_evidence_ratio(const void *state) {
  return ((const pinn *)state)->log_evidence_ratio;
}

static gannet_hyper hyper(void *state) {
  static const gannet_hyper_name names[PINN_HYPER] = {{"log_amplitude"},
                                                      {"log_noise"},
                                                      {"log_scale"},
                                                      {"log_single_scale"},
                                                      {"single_share"},
                                                      {"grading"},
                                                      {"searched"},
                                                      {"information_gain"},
                                                      {"interaction_information"},
                                                      {"nu"}};
  pinn *s = state;
  return (gannet_hyper){PINN_HYPER, s->hyper, names, &s->stale};
}

static size_t bytes(const void *state) {
  const pinn *s = state;
  const size_t p = (size_t)s->p, r = (size_t)s->r, c = (size_t)s->capacity;
  return pinn_network_bytes(s->network) + gannet_cholesky_bytes(s->factor_r) +
         gannet_cholesky_bytes(s->factor_u) +
         sizeof(double) * ((r + c + PINN_TILE + 3) * p + c * (r + c) + (size_t)s->work_size);
}

const gannet_surrogate_type gannet_surrogate_pinn = {
    .name = "pinn",
    .summary = "network that obeys differential equations besides the data (PINN-BO)",
    .source = "thesis of Phan-Trong, chapter 5, lemma 5.3.4",
    .options = pinn_option_table,
    .options_size = sizeof(pinn_options),
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .predict = pinn_predict,
    .predict_gradient = pinn_predict_gradient,
    .sample = pinn_sample,
    .draw_values = pinn_draw_values,
    .draw_gradient = pinn_draw_gradient,
    .noise_var = noise_var,
    .calibration = pinn_calibration,
    .log_evidence_ratio = log_evidence_ratio,
    .hyper = hyper,
    .bytes = bytes,
    .set_pde_constraint = set_pde_constraint,
};
