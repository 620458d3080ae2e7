/* The surrogate pinn, PINN-BO's model (thesis of Phan-Trong, chapter 5): a network conditioned on
 * observations and on differential equations at many points, in closed form or trained.
 *
 * The network of the thesis is joined by a narrow one per coordinate. Many objectives are nearly
 * sums of functions of single variables, which a wide network cannot see in many dimensions. The
 * evidence decides the shares of both.
 */
#include "surrogate/models/pinn/pinn.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
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
     .help = "standard deviation of the first weights, the inverse of a lengthscale in units of "
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
     .help = "lowest noise variance lambda_1 of the observations"},
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

static void forget_equations(pinn *s) {
  s->known = NULL;
  s->stale = true;
  s->r = 0;
  s->work_size = 0; /* other numbers of rows may have the same sum */
  gannet_free(&s->coefficient);
  gannet_free(&s->rhs);
  gannet_free(&s->length);
  gannet_free(&s->jets);
  gannet_free(&s->omega);
  gannet_free(&s->target_r);
  gannet_free(&s->alpha_r);
  gannet_jet_plan_release(&s->equations);
}

static void destroy(void *state) {
  pinn *s = state;
  forget_equations(s);
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
  const bool output = o->features == PINN_OUTPUT_WEIGHTS && o->mode == PINN_CLOSED;
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

/* Make room for the rows of the equations that the model was given last. */
static gannet_err take_equations(pinn *s) {
  const gannet_pde_residuals *residuals = s->constraint.residuals;
  if (residuals == s->known) return GANNET_OK;
  forget_equations(s);
  if (!residuals) return GANNET_OK;
  const size_t r = (size_t)residuals->n_rows, b = (size_t)residuals->n_partials;
  const double rows = (double)r, needed = 8 * rows * (rows + s->p);
  double present = 0;
  GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                 "a model with equations that are imposed in %.0f rows takes %.1f GB, and this "
                 "machine has %.1f GB: choose fewer physics.points",
                 rows, needed / 1e9, present / 1e9);
  GANNET_TRY(
      gannet_jet_plan_create(s->d, residuals->n_partials, residuals->partials, &s->equations));
  GANNET_TRY(gannet_alloc(r * b, sizeof(double), &s->coefficient));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->rhs));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->length));
  GANNET_TRY(gannet_alloc((size_t)residuals->n_points * b, sizeof(double), &s->jets));
  GANNET_TRY(gannet_alloc(r * (size_t)s->p, sizeof(double), &s->omega));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->target_r));
  GANNET_TRY(gannet_alloc(r, sizeof(double), &s->alpha_r));
  s->known = residuals;
  s->r = residuals->n_rows;
  return GANNET_OK;
}

/* Room for n observations, and for half as many more where it must grow. */
static gannet_err reserve_observations(pinn *s, int n) {
  const size_t r = (size_t)s->r, d = (size_t)s->d, p = (size_t)s->p;
  if (n > s->capacity) {
    const size_t size = (size_t)n + (size_t)n / 2, old = (size_t)s->capacity;
    const double rows = (double)size, needed = 8 * rows * rows;
    double present = 0;
    GANNET_REQUIRE(gannet_memory_holds(needed, &present), GANNET_ERR_MEMORY,
                   "a model with equations and room for %.0f observations takes %.1f GB, and this "
                   "machine has %.1f GB: leave physics out and choose a surrogate with inducing "
                   "points (tangent-kernel, gp), or start a new campaign around the best design",
                   rows, needed / 1e9, present / 1e9);
    s->capacity = 0; /* until everything has its new size */
    gannet_free(&s->schur);
    GANNET_TRY(gannet_resize(old * d, size * d, sizeof(double), &s->x));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->y));
    GANNET_TRY(gannet_resize(old * p, size * p, sizeof(double), &s->phi));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->target_u));
    GANNET_TRY(gannet_resize(old, size, sizeof(double), &s->alpha_u));
    GANNET_TRY(gannet_alloc(size * size, sizeof(double), &s->schur));
    s->capacity = (int)size;
  }
  const size_t work = 2 * PINN_TILE * (r + (size_t)s->capacity);
  if ((int)work == s->work_size) return GANNET_OK;
  s->work_size = 0;
  gannet_free(&s->cross);
  gannet_free(&s->work);
  GANNET_TRY(gannet_alloc((size_t)s->capacity * r, sizeof(double), &s->cross));
  GANNET_TRY(gannet_alloc(work, sizeof(double), &s->work));
  s->work_size = (int)work;
  return GANNET_OK;
}

static gannet_err take_data(pinn *s, const gannet_data *data) {
  GANNET_TRY(take_equations(s));
  GANNET_TRY(reserve_observations(s, data->n));
  if (data->n > 0) {
    memcpy(s->x, data->x, (size_t)data->n * (size_t)s->d * sizeof *s->x);
    memcpy(s->y, data->y, (size_t)data->n * sizeof *s->y);
  }
  s->n = data->n;
  s->noise_var = data->noise_var;
  return GANNET_OK;
}

/* Rows of K_uu + lambda_1 I, in which the equations have no part. */
static gannet_err rows_without_equations(void *user, int first, int rows, double *k, int ldk) {
  const pinn *s = user;
  const size_t p = (size_t)s->p;
  gannet_gemm_nt(rows, first + rows, s->p, 1, s->phi + (size_t)first * p, s->p, s->phi, s->p, 0, k,
                 ldk);
  for (int i = 0; i < rows; ++i) k[(size_t)i * (size_t)ldk + (size_t)(first + i)] += s->lambda1;
  return GANNET_OK;
}

/* Information gain, interaction information and nu, into hyper: lemma 5.3.6 of the thesis by the
 * determinants of the kernel. The p x p determinants there are those of K_uu / lambda_1 + I, of
 * K_rr / lambda_2 + I, and of both together. */
static gannet_err measure_information(pinn *s) {
  const pinn_options *o = s->options;
  gannet_cholesky *plain = NULL;
  s->hyper[PINN_GAIN] = s->hyper[PINN_INTERACTION] = 0;
  if (s->n > 0) {
    GANNET_TRY(gannet_cholesky_create(&plain));
    const gannet_err code = gannet_cholesky_extend(plain, s->n, rows_without_equations, s);
    const double both = gannet_cholesky_logdet(s->factor_u) - s->n * log(s->lambda1);
    if (code == GANNET_OK)
      s->hyper[PINN_GAIN] = 0.5 * (gannet_cholesky_logdet(plain) - s->n * log(s->lambda1));
    if (code == GANNET_OK) s->hyper[PINN_INTERACTION] = s->hyper[PINN_GAIN] - 0.5 * both;
    gannet_cholesky_destroy(&plain);
    GANNET_TRY(code);
  }
  const double lambda2 = s->r > 0 ? s->known->lambda2 : 1;
  const double noise = hypot(sqrt(s->lambda1) / s->lambda1, s->r > 0 ? sqrt(lambda2) / lambda2 : 0);
  const double rest = 2 * (s->hyper[PINN_GAIN] - s->hyper[PINN_INTERACTION]) - log(o->delta);
  s->hyper[PINN_NU] = o->bound + noise * sqrt(fmax(0, rest));
  return GANNET_OK;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  pinn *s = state;
  (void)iteration;
  s->q = 0;
  GANNET_TRY(gannet_agree(s->context->comm, take_data(s, data)));
  if (learn && s->n >= 2) GANNET_TRY(pinn_learn(s));
  s->ranks_share = s->context->np > 1;
  gannet_err code = s->stale ? pinn_set_scales(s) : GANNET_OK;
  if (code == GANNET_OK) code = pinn_condition(s, s->stale);
  if (code == GANNET_OK) s->stale = false;
  if (code == GANNET_OK) code = measure_information(s);
  s->ranks_share = false;
  return code;
}

/* Leave-one-out residuals of the observations, the equations being kept: (K^-1)_uu = S^-1. */
static gannet_err calibration(void *state, double *scale) {
  pinn *s = state;
  double sum = 0;
  if (s->n < 2) return GANNET_OK;
  gannet_cholesky_inverse_diagonal(s->factor_u, s->work);
  for (int i = 0; i < s->n; ++i) sum += s->alpha_u[i] * s->alpha_u[i] / s->work[i];
  *scale = fmin(10, fmax(0.1, sqrt(sum / s->n)));
  return GANNET_OK;
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
    .calibration = calibration,
    .log_evidence_ratio = log_evidence_ratio,
    .hyper = hyper,
    .set_pde_constraint = set_pde_constraint,
};
