/* The evidence of Bayesian linear regression, in the dual form. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "surrogate/features.h"
#include "surrogate/likelihood.h"
#include "surrogate/multistart.h"

enum { STARTS = 3 };

typedef struct {
  const gannet_features_data *data;
  gannet_likelihood *likelihood;
  double *gram; /* [n][n] Phi Phi^T */
  double size;  /* mean of its diagonal */
} learning;

static gannet_err objective(void *user, int n_hyper, const double *hyper, double *value,
                            double *gradient) {
  const learning *l = user;
  const int n = l->data->n;
  const double prior = exp(hyper[GANNET_FEATURES_PRIOR]);
  const double noise = exp(hyper[GANNET_FEATURES_NOISE]);
  double *k = gannet_likelihood_kernel(l->likelihood), product = 0, trace = 0;
  memset(gradient, 0, (size_t)n_hyper * sizeof *gradient);
  for (size_t i = 0; i < (size_t)n * (size_t)n; ++i) k[i] = prior * l->gram[i];
  for (size_t i = 0; i < (size_t)n; ++i) k[i * (size_t)n + i] += noise;
  GANNET_TRY(gannet_likelihood_evaluate(l->likelihood, l->data->y, value));
  if (!isfinite(*value)) return GANNET_OK;
  const double *weights = gannet_likelihood_weights(l->likelihood);
  for (int i = 0; i < n; ++i) {
    const size_t row = (size_t)i * (size_t)n;
    product += gannet_dot(n, weights + row, l->gram + row);
    trace += weights[row + (size_t)i];
  }
  gradient[GANNET_FEATURES_PRIOR] = prior * product;
  if (isnan(l->data->noise_var)) gradient[GANNET_FEATURES_NOISE] = noise * trace;
  *value += gannet_prior_normal(hyper[GANNET_FEATURES_PRIOR] + log(l->size), 0, 1.5,
                                &gradient[GANNET_FEATURES_PRIOR]);
  if (isnan(l->data->noise_var))
    *value +=
        gannet_prior_normal(hyper[GANNET_FEATURES_NOISE], -4, 2, &gradient[GANNET_FEATURES_NOISE]);
  return GANNET_OK;
}

static gannet_err prepare(learning *l) {
  const gannet_features_data *data = l->data;
  const int n = data->n, p = data->p;
  GANNET_TRY(gannet_likelihood_create(NULL, n, false, &l->likelihood));
  GANNET_TRY(gannet_alloc((size_t)n * (size_t)n, sizeof(double), &l->gram));
  gannet_gemm_nt(n, n, p, 1, data->phi, p, data->phi, p, 0, l->gram, n);
  for (size_t i = 0; i < (size_t)n; ++i) l->size += l->gram[i * (size_t)n + i] / n;
  GANNET_REQUIRE(l->size > 0 && isfinite(l->size), GANNET_ERR_NUMERIC, "features of mean square %g",
                 l->size);
  return GANNET_OK;
}

static gannet_err run(const gannet_context *context, learning *l, double *hyper) {
  const gannet_features_data *data = l->data;
  const bool known = !isnan(data->noise_var);
  const double given = log(fmax(data->noise_floor, known ? data->noise_var : 0));
  const double scale = -log(l->size);
  double value = INFINITY;
  const double lower[] = {scale + log(1e-4), known ? given : log(data->noise_floor)};
  const double upper[] = {scale + log(1e4), known ? given : fmax(log(10), lower[1] + 1)};
  double start[STARTS * GANNET_FEATURES_HYPER] = {hyper[0], hyper[1], scale, -4, scale + 2, -9};
  const gannet_multistart problem = {
      .starts = STARTS,
      .n = GANNET_FEATURES_HYPER,
      .start = start,
      .lower = lower,
      .upper = upper,
      .function = objective,
      .user = l,
      .options = {.max_evaluations = data->evaluations,
                  .gradient_tolerance = 1e-3,
                  .value_tolerance = 1e-8},
  };
  return gannet_multistart_run(context, &problem, hyper, &value);
}

gannet_err gannet_features_learn(const gannet_context *context, const gannet_features_data *data,
                                 double *hyper) {
  learning l = {.data = data};
  gannet_err code = gannet_agree(context->comm, prepare(&l));
  if (code == GANNET_OK) code = run(context, &l, hyper);
  gannet_likelihood_destroy(&l.likelihood);
  gannet_free(&l.gram);
  return code;
}
