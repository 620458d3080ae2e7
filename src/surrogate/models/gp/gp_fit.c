/* Hyperparameters of the Gaussian process: maximum of the marginal likelihood times priors. The
 * priors of noise and lengthscales are densities of these quantities, not of their logarithms:
 * in terms of the logarithm t, in which we minimise, that adds t to the penalty.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/data_subset.h"
#include "surrogate/likelihood.h"
#include "surrogate/models/gp/gp.h"
#include "surrogate/multistart.h"

int gp_length_at(const gp *g, int k) {
  return GP_LENGTH + (g->options->ard ? k : 0);
}

/* Lengthscales start in proportion to sqrt(d), the mean distance of random points, because shorter
 * ones make all points of a high-dimensional cube uncorrelated and the likelihood flat. */
void gp_set_defaults(gp *g) {
  g->hyper[GP_VARIANCE] = 0;
  g->hyper[GP_NOISE] = log(fmax(1e-4, g->options->noise_floor));
  g->names[GP_VARIANCE] = (gannet_hyper_name){"log_variance"};
  g->names[GP_NOISE] = (gannet_hyper_name){"log_noise"};
  for (int k = GP_LENGTH; k < g->n_hyper; ++k) {
    g->hyper[k] = log(0.5 * sqrt(g->d));
    (void)snprintf(g->names[k].text, sizeof g->names[k].text, "log_length_%d", k - GP_LENGTH);
  }
}

typedef struct {
  const gp *g;
  int n;
  gannet_rows rows; /* used for the fit */
  double *z, *norm; /* [n][d], [n] their points, centred and scaled */
  double *slope;    /* [n][n] */
  double *sums;     /* [n][d] */
  double *bounds;   /* lower [n_hyper], upper [n_hyper], starts [restarts + 1][n_hyper] */
  double *found;    /* [2][n_hyper] */
  bool noise;       /* one start more looks for it */
  gannet_likelihood *likelihood;
} learning;

static const double noise_location = -4, noise_scale = 2;

/* Lengthscales that are nearly equal but for a few: their common mean m has the prior of a single
 * lengthscale, and the logarithms t_k have Cauchy distributions around m. So a few of 50 variables
 * may matter much more than the others, but no difference is believed without evidence, and a
 * hundred results have little of it for each of 50 variables. */
static double pooled_prior(const gp *g, double location, double scale, const double *t,
                           double *gradient) {
  const double spread = 0.3;
  double mean = 0, of_mean = 0, all = 0;
  for (int k = 0; k < g->d; ++k) mean += t[k] / g->d;
  double sum = gannet_prior_log_normal(mean, location, scale, &of_mean);
  for (int k = 0; k < g->d; ++k) {
    const double away = t[k] - mean;
    const double slope = 2 * away / (spread * spread + away * away);
    sum += log1p(away * away / (spread * spread));
    gradient[k] += slope + of_mean / g->d;
    all += slope;
  }
  for (int k = 0; k < g->d; ++k) gradient[k] -= all / g->d;
  return sum;
}

/* Variance near 1, because data are standardised; noise small but undecided over decades;
 * lengthscales: Hvarfner, Hellsten, Nardi 2024, eq. (6), in the unit cube. Up to three lengthscales
 * are not pooled: it gained nothing (docs/benchmarks/many-variables.md). */
static double priors(const gp *g, const double *hyper, double *gradient) {
  const double location = sqrt(2) + 0.5 * log(g->d), scale = sqrt(3);
  double sum = gannet_prior_normal(hyper[GP_VARIANCE], 0, 1.5, &gradient[GP_VARIANCE]);
  if (isnan(g->noise_var))
    sum +=
        gannet_prior_log_normal(hyper[GP_NOISE], noise_location, noise_scale, &gradient[GP_NOISE]);
  if (g->options->ard && g->options->length_prior == GP_LENGTHS_POOLED && g->d > 3)
    return sum + pooled_prior(g, location, scale, hyper + GP_LENGTH, gradient + GP_LENGTH);
  for (int k = GP_LENGTH; k < g->n_hyper; ++k)
    sum += gannet_prior_log_normal(hyper[k], location, scale, &gradient[k]);
  return sum;
}

/* Kernel matrix with noise into the likelihood's buffer, slopes d phi/d r^2 beside it. */
static void build_kernel(learning *l, const double *hyper) {
  const gp *g = l->g;
  const int n = l->n, d = g->d;
  double *k = gannet_likelihood_kernel(l->likelihood);
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < d; ++c) {
      const size_t at = (size_t)i * (size_t)d + (size_t)c;
      l->z[at] = (l->rows.x[at] - 0.5) * exp(-hyper[gp_length_at(g, c)]);
    }
  gannet_row_norms(n, d, l->z, l->norm);
  gannet_row_distances(n, n, d, l->z, l->norm, l->z, l->norm, k, n);
  const double variance = exp(hyper[GP_VARIANCE]);
  const double noise = isnan(g->noise_var) ? exp(hyper[GP_NOISE]) : g->noise_var;
  for (int i = 0; i < n; ++i) {
    const size_t row = (size_t)i * (size_t)n;
    k[row + (size_t)i] = 0;
    g->kernel->both(n, k + row, k + row, l->slope + row);
    for (int j = 0; j < n; ++j) k[row + (size_t)j] *= variance;
    k[row + (size_t)i] =
        variance + gannet_row_noise_of(l->rows.noise, i, fmax(noise, g->options->noise_floor),
                                       g->options->noise_floor);
  }
}

enum { ROWS = 8 };

/* Sums over up to ROWS rows of n numbers, each in the order of its numbers: one after the other
 * these would take the time of an addition for every number. */
static void add_rows(int rows, int n, const double *row, double *total) {
  const size_t step = (size_t)n;
  for (int r = 0; r < ROWS; ++r) total[r] = 0;
  if (rows == ROWS)
    for (size_t j = 0; j < step; ++j)
      for (size_t r = 0; r < ROWS; ++r) total[r] += row[r * step + j];
  else
    for (int r = 0; r < rows; ++r)
      for (size_t j = 0; j < step; ++j) total[r] += row[(size_t)r * step + j];
}

/* sum_ij P_ij dK_ij/dt for the lengthscales: dK/d log length_c = -2 slope (z_ic - z_jc)^2, and
 * with G = P * slope the double sum is 2 (sum_i z_ic^2 sum_j G_ij - sum_i z_ic (G z)_ic). */
static void length_gradient(learning *l, double variance, double *gradient) {
  const int n = l->n, d = l->g->d;
  double total[ROWS];
  gannet_gemm_nn(n, d, n, 1, l->slope, n, l->z, d, 0, l->sums, d);
  for (int i = 0; i < n; ++i) {
    if (i % ROWS == 0)
      add_rows(n - i < ROWS ? n - i : ROWS, n, l->slope + (size_t)i * (size_t)n, total);
    for (int c = 0; c < d; ++c) {
      const size_t at = (size_t)i * (size_t)d + (size_t)c;
      gradient[gp_length_at(l->g, c)] -=
          4 * variance * l->z[at] * (l->z[at] * total[i % ROWS] - l->sums[at]);
    }
  }
}

static gannet_err evaluate_evidence(void *user, int n_hyper, const double *hyper, double *value,
                                    double *gradient) {
  learning *l = user;
  const int n = l->n;
  const double variance = exp(hyper[GP_VARIANCE]), noise = exp(hyper[GP_NOISE]);
  double trace = 0, product = 0;
  memset(gradient, 0, (size_t)n_hyper * sizeof *gradient);
  build_kernel(l, hyper);
  GANNET_TRY(gannet_likelihood_evaluate(l->likelihood, l->rows.y, value));
  if (!isfinite(*value)) return GANNET_OK;
  const double *p = gannet_likelihood_weights(l->likelihood);
  const double *k = gannet_likelihood_kernel(l->likelihood);
  for (int i = 0; i < n; ++i) {
    const size_t row = (size_t)i * (size_t)n;
    product +=
        gannet_dot(n, p + row, k + row) + p[row + (size_t)i] * (variance - k[row + (size_t)i]);
    if (!l->rows.noise || isnan(l->rows.noise[i])) trace += p[row + (size_t)i];
    for (int j = 0; j < n; ++j) l->slope[row + (size_t)j] *= p[row + (size_t)j];
  }
  gradient[GP_VARIANCE] = product;
  if (isnan(l->g->noise_var)) gradient[GP_NOISE] = noise * trace;
  length_gradient(l, variance, gradient);
  *value += priors(l->g, hyper, gradient);
  return GANNET_OK;
}

/* What evaluations need, and nothing else. */
static void free_evaluations(void *user) {
  learning *l = user;
  gannet_likelihood_destroy(&l->likelihood);
  gannet_free(&l->z);
  gannet_free(&l->norm);
  gannet_free(&l->slope);
  gannet_free(&l->sums);
}

static gannet_err allocate_evaluations(void *user) {
  learning *l = user;
  const size_t n = (size_t)l->n, d = (size_t)l->g->d;
  GANNET_TRY(gannet_alloc(n * d, sizeof(double), &l->z));
  GANNET_TRY(gannet_alloc(n, sizeof(double), &l->norm));
  GANNET_TRY(gannet_alloc(n * n, sizeof(double), &l->slope));
  GANNET_TRY(gannet_alloc(n * d, sizeof(double), &l->sums));
  return gannet_likelihood_create(NULL, l->n, true, &l->likelihood);
}

/* Start 0 continues from the present values; 1 and 2 are short and long lengthscales of order
 * sqrt(d); the others are random around these. */
static void set_starts(const learning *l, int64_t iteration, double *starts) {
  const gp *g = l->g;
  const double root = 0.5 * log(g->d);
  const double low_noise = log(fmax(1e-4, g->options->noise_floor));
  memcpy(starts, g->hyper, (size_t)g->n_hyper * sizeof *starts);
  for (int s = 1; s < g->options->restarts; ++s) {
    double *row = starts + (size_t)s * (size_t)g->n_hyper;
    gannet_random_uniform(gannet_stream_of(g->streams, GANNET_FOR_FIT, iteration, s), 0,
                          (size_t)g->n_hyper, row);
    for (int k = GP_LENGTH; k < g->n_hyper; ++k)
      row[k] = root + (s == 1 ? log(0.25) : s == 2 ? 0 : -2 + 2.5 * row[k]);
    row[GP_NOISE] = s < 3 ? low_noise : low_noise + 4 * row[GP_NOISE];
    row[GP_VARIANCE] = 0;
  }
}

static void set_bounds(const gp *g, double *lower, double *upper) {
  lower[GP_VARIANCE] = log(1e-3);
  upper[GP_VARIANCE] = log(1e3);
  lower[GP_NOISE] = log(g->options->noise_floor);
  upper[GP_NOISE] = log(10);
  for (int k = GP_LENGTH; k < g->n_hyper; ++k) {
    lower[k] = log(0.005);
    upper[k] = log(100 * sqrt(g->d));
  }
}

static gannet_err choose_rows_and_starts(learning *l, int64_t iteration) {
  const gp *g = l->g;
  const size_t hyper = (size_t)g->n_hyper;
  GANNET_TRY(gannet_rows_choose(&l->rows, g->options->fit_points, false,
                                gannet_stream_of(g->streams, GANNET_FOR_FIT, iteration, 0)));
  l->n = l->rows.n;
  GANNET_TRY(gannet_alloc((3 + (size_t)g->options->restarts) * hyper, sizeof(double), &l->bounds));
  GANNET_TRY(gannet_alloc(2 * hyper, sizeof(double), &l->found));
  set_bounds(g, l->bounds, l->bounds + hyper);
  set_starts(l, iteration, l->bounds + 2 * hyper);
  return GANNET_OK;
}

/* Short lengthscales with little noise and long ones with much of it explain the same values, and
 * a search that begins with little seldom gets to the second. So one more begins with much. What it
 * finds is taken when its noise is not small and it is more likely by this factor's logarithm, with
 * the prior of the noise left out, which favours exact values by many orders: otherwise all stays,
 * bit for bit, as without it. */
static const double noisy_start = 0.3, noisy_least = 0.01, noisy_margin = 1;

static double without_noise_prior(double value, const double *hyper) {
  double slope = 0;
  return value - gannet_prior_log_normal(hyper[GP_NOISE], noise_location, noise_scale, &slope);
}

static bool is_noisy(const double *quiet, double value, const double *noisy, double other) {
  return without_noise_prior(other, noisy) < without_noise_prior(value, quiet) - noisy_margin &&
         noisy[GP_NOISE] > log(noisy_least);
}

static void pose_problem(learning *l, gannet_multistart_task *task) {
  const gp_options *options = l->g->options;
  const int n = l->g->n_hyper;
  double *start = l->bounds + (ptrdiff_t)2 * n;
  if (l->noise) {
    double *noisy = start + (ptrdiff_t)options->restarts * n;
    for (int k = GP_LENGTH; k < n; ++k) noisy[k] = 0.5 * log(l->g->d);
    noisy[GP_NOISE] = log(noisy_start);
    noisy[GP_VARIANCE] = 0;
  }
  task->best = l->found;
  task->problem = (gannet_multistart){
      .starts = options->restarts + l->noise,
      .apart = l->noise,
      .n = n,
      .start = start,
      .lower = l->bounds,
      .upper = l->bounds + n,
      .function = evaluate_evidence,
      .user = l,
      .enter = allocate_evaluations,
      .leave = free_evaluations,
      .options = {.max_evaluations = options->fit_evaluations,
                  .gradient_tolerance = 1e-3,
                  .value_tolerance = 1e-8},
  };
}

gannet_err gp_learn_begin(void *state, const gannet_data *data, int64_t iteration,
                          gannet_multistart_task *task) {
  gp *g = state;
  const int noisy = g->options->noisy_start;
  learning *l = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *l, &l));
  *l = (learning){
      .g = g,
      .rows = {.n = data->n, .width = g->d, .x = data->x, .y = data->y, .noise = data->row_noise}};
  task->problem.user = l;
  g->noise_var = data->noise_var;
  g->stale = true;
  l->noise = isnan(g->noise_var) &&
             (noisy == GP_NOISY_YES || (noisy == GP_NOISY_SUSPECTED && g->looks_noisy));
  GANNET_TRY(choose_rows_and_starts(l, iteration));
  pose_problem(l, task);
  return GANNET_OK;
}

void gp_learn_end(void *state, gannet_multistart_task *task, bool found) {
  gp *g = state;
  learning *l = task->problem.user;
  if (!l) return;
  if (found) {
    const double *best = l->found, *noisy = best + g->n_hyper;
    const bool taken = l->noise && is_noisy(best, task->value[0], noisy, task->value[1]);
    memcpy(g->hyper, taken ? noisy : best, (size_t)g->n_hyper * sizeof *g->hyper);
  }
  gannet_rows_release(&l->rows);
  gannet_free(&l->bounds);
  gannet_free(&l->found);
  gannet_free(&l);
}

gannet_err gp_learn(gp *g, const gannet_data *data, int64_t iteration) {
  gannet_multistart_task task = {0};
  gannet_err code = gannet_agree(g->context->comm, gp_learn_begin(g, data, iteration, &task));
  if (code == GANNET_OK) code = gannet_multistart_run_all(g->context, 1, &task);
  gp_learn_end(g, &task, code == GANNET_OK);
  return code;
}
