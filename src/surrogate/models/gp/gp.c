/* Gaussian process with a stationary kernel: options, conditioning on data, and the table of
 * operations. Rasmussen and Williams 2006, ch. 2 and 5. The mean is a constant, estimated by
 * generalised least squares.
 */
#include "surrogate/models/gp/gp.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/option_rows.h"
#include "surrogate/registry.h"

static const char *const scale_names[] = {"shared", "ard", NULL};

static const char *const prior_names[] = {"independent", "pooled", NULL};

static const char *const noisy_names[] = {"no", "suspected", "yes", NULL};

static const gannet_option gp_option_table[] = {
    {.key = "kernel",
     .type = GANNET_CHOICE,
     .offset = offsetof(gp_options, kernel),
     .fallback = "matern52",
     .choices = gannet_stationary_names,
     .help = "covariance function"},
    {.key = "lengthscales",
     .type = GANNET_CHOICE,
     .offset = offsetof(gp_options, ard),
     .fallback = "shared",
     .choices = scale_names,
     .help = "one lengthscale for all coordinates, or one for each"},
    {.key = "lengthscale_prior",
     .type = GANNET_CHOICE,
     .offset = offsetof(gp_options, length_prior),
     .fallback = "independent",
     .choices = prior_names,
     .flags = GANNET_OPTION_PRIOR,
     .help =
         "of lengthscales for each coordinate: independent, or pooled, which draws those of four "
         "and more coordinates to their common mean"},
    GANNET_NOISE_FLOOR_OPTION(offsetof(gp_options, noise_floor), "1e-6"),
    GANNET_RESTARTS_OPTION(offsetof(gp_options, restarts), "4"),
    GANNET_FIT_POINTS_OPTION(offsetof(gp_options, fit_points), "500",
                             "fit hyperparameters; more are thinned out at random"),
    GANNET_FIT_EVALUATIONS_OPTION(offsetof(gp_options, fit_evaluations), "100"),
    {.key = "features",
     .type = GANNET_INTEGER,
     .offset = offsetof(gp_options, features),
     .fallback = "1024",
     .lower = 2,
     .upper = 1e6,
     .help = "random features of the prior part of a draw"},
    GANNET_FACTOR_OPTION(offsetof(gp_options, factor)),
    GANNET_INDUCING_OPTION(offsetof(gp_options, inducing)),
    {.key = "noisy_start",
     .type = GANNET_CHOICE,
     .offset = offsetof(gp_options, noisy_start),
     .fallback = "no",
     .choices = noisy_names,
     .help =
         "one more start of the fit with high noise, used if it is clearly more likely: never "
         "(no), if values of close points differ as noisy ones do (suspected), or always (yes)"},
    {0}};

static void destroy(void *state) {
  gp *g = state;
  gp_release_draws(g);
  gannet_factor_destroy(&g->factor);
  gannet_inducing_destroy(&g->inducing);
  gannet_row_noise_release(&g->row_noise);
  gannet_free(&g->hyper);
  gannet_free(&g->names);
  gannet_free(&g->length);
  gannet_free(&g->z);
  gannet_free(&g->across);
  gannet_free(&g->norm);
  gannet_free(&g->y);
  gannet_free(&g->solved);
  gannet_free(&g->cross);
  gannet_free(&g->rest);
  gannet_free(&g->block);
  gannet_free(&g);
}

static gannet_err create(const gannet_context *context, const void *options, int d, int model,
                         void **state) {
  gp *g = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *g, &g));
  *state = g; /* the front destroys it, also after a failure below */
  g->context = context;
  g->options = options;
  g->kernel = gannet_stationary_kernels[g->options->kernel];
  g->d = d;
  g->streams = (gannet_streams){context->seed, model};
  g->stale = true;
  g->noise_var = NAN;
  g->n_hyper = GP_LENGTH + (g->options->ard ? d : 1);
  GANNET_TRY(gannet_alloc((size_t)g->n_hyper, sizeof(double), &g->hyper));
  GANNET_TRY(gannet_alloc((size_t)g->n_hyper, sizeof *g->names, &g->names));
  GANNET_TRY(gannet_alloc((size_t)d, sizeof(double), &g->length));
  GANNET_TRY(gannet_alloc((size_t)GP_BLOCK * GANNET_GEMM_GROUP, sizeof(double), &g->rest));
  GANNET_TRY(gannet_alloc((size_t)GP_BLOCK * ((size_t)d + 1), sizeof(double), &g->block));
  const gannet_factor_place place = (gannet_factor_place)g->options->factor;
  GANNET_TRY(gannet_factor_create(context, place, &g->factor));
  GANNET_TRY(gannet_inducing_create(context, d, g->options->inducing, place, &g->inducing));
  gp_set_defaults(g);
  return GANNET_OK;
}

/* gannet_kernel_tile */
static gannet_err kernel_tile(void *user, int first, int rows, int from, int columns, double *k,
                              int ldk) {
  const gp *g = user;
  const size_t d = (size_t)g->d;
  gannet_row_distances(rows, columns, g->d, g->z + (size_t)first * d, g->norm + first,
                       g->z + (size_t)from * d, g->norm + from, k, ldk);
  for (int i = first; i < first + rows; ++i) {
    double *row = k + (size_t)(i - first) * (size_t)ldk;
    gp_to_kernel(g, columns, row);
    if (i < from + columns) row[i - from] = g->variance;
  }
  gannet_inducing_add_noise(g->inducing, g->noise, first, rows, from, columns, k, ldk);
  return GANNET_OK;
}

static gannet_err reserve_rows(gp *g, int n) {
  if (n <= g->capacity) return GANNET_OK;
  const int grown = g->capacity + g->capacity / 2, wanted = n < grown ? grown : n;
  const int capacity = (wanted + GANNET_GEMM_GROUP - 1) / GANNET_GEMM_GROUP * GANNET_GEMM_GROUP;
  const size_t d = (size_t)g->d, old = (size_t)g->capacity, new = (size_t)capacity;
  GANNET_TRY(gannet_resize(old * d, new *d, sizeof(double), &g->z));
  GANNET_TRY(gannet_resize(old, new, sizeof(double), &g->norm));
  GANNET_TRY(gannet_resize(old, new, sizeof(double), &g->y));
  gannet_free(&g->solved);
  gannet_free(&g->cross);
  gannet_free(&g->across);
  g->capacity = 0; /* until everything has its new size */
  GANNET_TRY(gannet_alloc(2 * new, sizeof(double), &g->solved));
  GANNET_TRY(gannet_alloc((size_t)GP_BLOCK * new, sizeof(double), &g->cross));
  GANNET_TRY(gannet_alloc(d * new, sizeof(double), &g->across));
  g->capacity = capacity;
  return GANNET_OK;
}

/* The factor of the kernel matrix. Rounding can make it indefinite when points repeat and the floor
 * of the noise is small: the noise is then raised, in steps that depend on the data alone. */
static gannet_err factorise_kernel(gp *g) {
  for (int step = 0; step < 8; ++step) {
    const gannet_err code = gannet_factor_extend(g->factor, g->n, kernel_tile, g);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    gannet_factor_clear(g->factor);
    g->noise = 10 * fmax(g->noise, 1e-12 * g->variance);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "kernel matrix of %d points with variance %g, noise %g",
                      g->n, g->variance, g->noise);
}

/* Mean and weights: alpha = K^-1 (y - mean), mean = 1^T K^-1 y / 1^T K^-1 1, where 1 is what the
 * constant is as values of the rows. */
static gannet_err solve_for_weights(gp *g) {
  const int n = g->n;
  double *alpha = g->solved, *ones = alpha + n, *constant = g->cross, above = 0, below = 0;
  g->mean = 0;
  if (n == 0) return GANNET_OK;
  memcpy(alpha, g->y, (size_t)n * sizeof *alpha);
  gannet_inducing_ones(g->inducing, n, ones);
  gannet_inducing_ones(g->inducing, n, constant);
  GANNET_TRY(gannet_factor_solve(g->factor, 2, g->solved, n));
  for (int i = 0; i < n; ++i) {
    above += constant[i] * alpha[i];
    below += constant[i] * ones[i];
  }
  g->mean = above / below;
  for (int i = 0; i < n; ++i) alpha[i] -= g->mean * ones[i];
  return GANNET_OK;
}

/* take of gannet_inducing_kernel */
static gannet_err take_points(void *user, int n, const double *z) {
  gp *g = user;
  GANNET_TRY(reserve_rows(g, n));
  gp_scale(g, n, z, g->z, g->norm);
  g->n = n;
  return GANNET_OK;
}

/* cross of gannet_inducing_kernel */
static gannet_err cross_points(void *user, int m, const double *x, double *k, int ldk,
                               double *diagonal) {
  gp *g = user;
  const size_t n = (size_t)g->n;
  for (int i = 0; diagonal && i < m; ++i) diagonal[i] = g->variance;
  if (!k) return GANNET_OK;
  gp_scale_block(g, m, x);
  gp_cross(g, m);
  for (size_t i = 0; i < (size_t)m; ++i)
    memcpy(k + i * (size_t)ldk, g->cross + i * n, n * sizeof *k);
  return GANNET_OK;
}

/* Keep the leading n rows, or none where rounding had asked for more noise: what it asked of other
 * rows is not asked of the next. */
static void truncate_rows(gp *g, int n) {
  g->n = g->noise == g->least_noise ? n : 0;
  if (g->n > 0)
    gannet_factor_truncate(g->factor, g->n);
  else
    gannet_factor_clear(g->factor);
  g->noise = g->least_noise;
}

/* Condition on the data: on all rows anew where the hyperparameters, the noise or the inducing
 * points are others than before, and otherwise on the new rows. */
static gannet_err condition_on(gp *g, const gannet_data *data) {
  const size_t d = (size_t)g->d;
  const bool same_noise =
      g->noise_var == data->noise_var || (isnan(g->noise_var) && isnan(data->noise_var));
  bool renewed = false, same_rows = true;
  gannet_data seen;
  if (g->stale || !same_noise) {
    const double noise = data->noise_var, floor = g->options->noise_floor;
    for (int k = 0; k < g->d; ++k) g->length[k] = exp(g->hyper[gp_length_at(g, k)]);
    g->variance = exp(g->hyper[GP_VARIANCE]);
    g->noise_var = noise;
    g->least_noise = fmax(floor, isnan(noise) ? exp(g->hyper[GP_NOISE]) : noise);
    g->noise = g->least_noise;
  }
  GANNET_TRY(gannet_agree(g->context->comm,
                          gannet_row_noise_take(&g->row_noise, data, g->least_noise,
                                                g->options->noise_floor, 1, &same_rows)));
  const bool fresh = g->stale || !same_noise || !same_rows;
  const gannet_inducing_request request = {
      data,         g->n_fantasies, g->least_noise, g->stale, {g, take_points, cross_points},
      &g->row_noise};
  g->stale = true; /* should one of the next steps fail */
  GANNET_TRY(gannet_inducing_view(g->inducing, &request, &seen, &renewed));
  GANNET_TRY(gannet_agree(g->context->comm, reserve_rows(g, seen.n)));
  const size_t kept = fresh || renewed || seen.n < g->n ? 0 : (size_t)g->n;
  if (kept == 0) truncate_rows(g, 0);
  g->n = seen.n;
  gp_scale(g, seen.n - (int)kept, seen.x + kept * d, g->z + kept * d, g->norm + kept);
  if (seen.n > 0) memcpy(g->y, seen.y, (size_t)seen.n * sizeof *g->y);
  gp_transpose(g->n, g->d, g->z, g->across);
  GANNET_TRY(factorise_kernel(g));
  GANNET_TRY(solve_for_weights(g));
  g->stale = false;
  return GANNET_OK;
}

static gannet_err fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  gp *g = state;
  gp_release_draws(g);
  if (g->n_fantasies > 0 && !g->stale) truncate_rows(g, g->n - g->n_fantasies);
  g->n_fantasies = 0;
  if (learn && data->n >= 2) {
    GANNET_TRY(gp_learn(g, data, iteration));
    g->stale = true;
  }
  return condition_on(g, data);
}

static gannet_err fantasize(void *state, const gannet_data *data, int n_fantasies,
                            int64_t iteration) {
  gp *g = state;
  (void)iteration;
  gp_release_draws(g);
  g->n_fantasies = n_fantasies;
  return condition_on(g, data);
}

/* Rasmussen and Williams 2006, eqs. (5.10)-(5.12): the residual at a left-out point is
 * alpha_i / K^-1_ii with variance 1 / K^-1_ii. The estimated mean is held. */
static gannet_err calibration(void *state, double *scale) {
  gp *g = state;
  double sum = 0, *diagonal = g->solved + g->n;
  if (g->n < 2) return GANNET_OK;
  GANNET_TRY(gannet_factor_inverse_diagonal(g->factor, diagonal));
  for (int i = 0; i < g->n; ++i) sum += g->solved[i] * g->solved[i] / diagonal[i];
  if (sum > 0) *scale = sqrt(sum / g->n);
  return GANNET_OK;
}

static gannet_err information_gain(const void *state, double *gain) {
  const gp *g = state;
  return gannet_inducing_information_gain(g->inducing, g->factor, g->noise, g->n, gain);
}

/* Eq. (5.11) there. */
static gannet_err log_predictive(void *state, double *sum) {
  gp *g = state;
  double *diagonal = g->solved + g->n;
  *sum = 0;
  if (g->n < 2) return GANNET_OK;
  GANNET_TRY(gannet_factor_inverse_diagonal(g->factor, diagonal));
  for (int i = 0; i < g->n; ++i)
    *sum +=
        0.5 * log(diagonal[i] / (2 * acos(-1))) - 0.5 * g->solved[i] * g->solved[i] / diagonal[i];
  return GANNET_OK;
}

/* K alpha = y - mean, with the noise on the diagonal of K alone. */
static bool fitted(const void *state, double *mean) {
  const gp *g = state;
  if (gannet_inducing_points(g->inducing) > 0) return false;
  for (int i = 0; i < g->n; ++i)
    mean[i] = g->y[i] - (g->noise + gannet_row_noise_more(&g->row_noise, i)) * g->solved[i];
  return true;
}

static double noise_var(const void *state) {
  const gp *g = state;
  return g->noise + gannet_row_noise_mean(&g->row_noise);
}

static void set_noisy(void *state, bool noisy) {
  ((gp *)state)->looks_noisy = noisy;
}

static gannet_hyper hyper(void *state) {
  gp *g = state;
  return (gannet_hyper){g->n_hyper, g->hyper, g->names, &g->stale};
}

static const char *no_sd(const void *options) {
  return gannet_factor_no_sd((gannet_factor_place)((const gp_options *)options)->factor);
}

static void lengthscales(const void *state, double *scales) {
  const gp *g = state;
  for (int k = 0; k < g->d; ++k) scales[k] = exp(g->hyper[gp_length_at(g, k)]);
}

const gannet_surrogate_type gannet_surrogate_gp = {
    .name = "gp",
    .summary = "Gaussian process with a stationary kernel",
    .source =
        "Rasmussen and Williams 2006; draws: Wilson et al. 2020; lengthscale prior: "
        "Hvarfner et al. 2024",
    .options = gp_option_table,
    .options_size = sizeof(gp_options),
    .takes_far = true,
    .takes_row_noise = true,
    .create = create,
    .destroy = destroy,
    .fit = fit,
    .learn_begin = gp_learn_begin,
    .learn_end = gp_learn_end,
    .fantasize = fantasize,
    .predict = gp_predict,
    .fitted = fitted,
    .predict_gradients = gp_predict_gradients,
    .sample = gp_sample,
    .draw_values = gp_draw_values,
    .draw_gradient = gp_draw_gradient,
    .draws_at = gp_draws_at,
    .draws_slope = gp_draws_slope,
    .estimator = gp_make_estimator,
    .covariance = gp_covariance,
    .noise_var = noise_var,
    .calibration = calibration,
    .information_gain = information_gain,
    .log_predictive = log_predictive,
    .hyper = hyper,
    .lengthscales = lengthscales,
    .no_sd = no_sd,
    .set_noisy = set_noisy,
};
