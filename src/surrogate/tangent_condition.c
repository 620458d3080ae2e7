/* Conditioning: the kernel matrix of what is seen of the data, its factor, and alpha. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "surrogate/tangent_kernel.h"
#include "surrogate/tangent_mean.h"

void tangent_scales(const tangent_model *t, const double *hyper, double *rho, double *bias) {
  for (int k = 0; k < t->d; ++k) rho[k] = exp(hyper[TANGENT_RHO + (t->options->ard ? k : 0)]);
  *bias = exp(hyper[TANGENT_BIAS]);
}

double tangent_noise(const tangent_model *t, const double *hyper) {
  const bool given = t->options->noise > 0 || isnan(t->noise_var);
  return fmax(t->options->noise_floor, given ? exp(hyper[TANGENT_NOISE]) : t->noise_var);
}

/* Everything that follows from the hyper-parameters and the given noise. */
static gannet_err apply_hyper(tangent_model *t) {
  double *rho = NULL, bias = 0;
  GANNET_TRY(gannet_alloc((size_t)t->d, sizeof *rho, &rho));
  tangent_scales(t, t->hyper, rho, &bias);
  gannet_tangent_set_inputs(t->net, rho, bias);
  gannet_analytic_points_set_inputs(t->limit, rho, bias);
  gannet_free(&rho);
  t->amplitude = exp(t->hyper[TANGENT_AMPLITUDE]);
  t->least_lambda = tangent_noise(t, t->hyper) / t->amplitude;
  t->lambda = t->least_lambda;
  return GANNET_OK;
}

static gannet_err reserve(tangent_model *t, int n) {
  if (n <= t->capacity) return GANNET_OK;
  const int grown = t->capacity + t->capacity / 2, capacity = n < grown ? grown : n;
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
  gannet_inducing_add_noise(t->inducing, t->lambda, first, rows, from, columns, k, ldk);
  return GANNET_OK;
}

/* Rounding can make the matrix indefinite when points repeat and the noise is small: lambda is then
 * raised tenfold, from 1e-12 of the kernel's size on. The factor of the leading rows is a function
 * of these rows alone, so the final lambda does not depend on how the data arrived. */
static gannet_err factorise(tangent_model *t) {
  for (int step = 0; step < 12; ++step) {
    const gannet_err code = gannet_factor_extend(t->factor, t->n, kernel_tile, t);
    if (code != GANNET_ERR_NUMERIC) return code;
    gannet_error_clear();
    gannet_factor_clear(t->factor);
    double size = 1;
    gannet_tangent_diagonal(t->net, &t->data, 0, 1, &size);
    t->lambda = 10 * fmax(t->lambda, 1e-13 * size);
  }
  return GANNET_RAISE(GANNET_ERR_NUMERIC, "tangent kernel of %d points with noise ratio %g", t->n,
                      t->lambda);
}

static bool same_number(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* take of gannet_inducing_kernel */
static gannet_err take_points(void *user, int n, const double *z) {
  tangent_model *t = user;
  t->data.n = 0;
  if (t->options->network) return gannet_tangent_extend(t->net, n, z, &t->data);
  GANNET_TRY(gannet_analytic_points_extend(t->limit, 0, z));
  return gannet_analytic_points_extend(t->limit, n, z);
}

/* cross of gannet_inducing_kernel */
static gannet_err cross_points(void *user, int m, const double *x, double *k, int ldk,
                               double *diagonal) {
  tangent_model *t = user;
  if (!t->options->network) {
    gannet_analytic_points_cross(t->limit, m, x, k, ldk, diagonal);
    return GANNET_OK;
  }
  t->tile->n = 0;
  GANNET_TRY(gannet_tangent_extend(t->net, m, x, t->tile));
  if (diagonal) gannet_tangent_diagonal(t->net, t->tile, 0, m, diagonal);
  if (k) gannet_tangent_kernel(t->net, t->tile, 0, m, &t->data, t->data.n, k, ldk);
  return GANNET_OK;
}

/* Go back to the leading n rows. What rounding asked of other rows is not asked of the next. */
static gannet_err go_back(tangent_model *t, int n) {
  const int kept = t->lambda == t->least_lambda ? n : 0;
  if (kept > 0)
    gannet_factor_truncate(t->factor, kept);
  else
    gannet_factor_clear(t->factor);
  t->lambda = t->least_lambda;
  t->data.n = t->n = kept;
  return t->options->network ? GANNET_OK : gannet_analytic_points_extend(t->limit, kept, NULL);
}

/* Rows that stood for results to come make room for others. */
static gannet_err forget_fantasies(tangent_model *t) {
  const int n_fantasies = t->n_fantasies;
  t->n_fantasies = 0;
  return n_fantasies > 0 && !t->stale ? go_back(t, t->n - n_fantasies) : GANNET_OK;
}

/* Of long lists each rank has its blocks of the network's features: with the kernel of the infinite
 * one they serve the making of draws alone. */
enum { FEATURES_ALONE = 512 };

bool tangent_shares_features(const tangent_model *t, int n) {
  return !t->options->network && t->context->np > 1 && n >= FEATURES_ALONE;
}

/* The part of conditioning that a rank does alone, on what is seen of the data. */
static gannet_err take_data(tangent_model *t, const gannet_data *seen, bool fresh) {
  GANNET_TRY(reserve(t, seen->n));
  if (fresh || seen->n < t->n) GANNET_TRY(go_back(t, 0));
  t->n = seen->n;
  if (seen->n > 0) memcpy(t->y, seen->y, (size_t)seen->n * sizeof *t->y);
  const gannet_stride own =
      gannet_stride_of(t->context->rank, t->context->np, tangent_shares_features(t, seen->n));
  if (t->features_shared && !own.shared) t->data.n = 0;
  t->features_shared = own.shared;
  GANNET_TRY(gannet_tangent_extend_some(t->net, seen->n, seen->x, own.first, own.step, &t->data));
  return t->options->network ? GANNET_OK
                             : gannet_analytic_points_extend(t->limit, seen->n, seen->x);
}

/* What stands for the data, and whether its leading rows are not those of before. */
static gannet_err view(tangent_model *t, const gannet_data *data, gannet_data *seen, bool *fresh) {
  bool renewed = false;
  *fresh = t->stale || !same_number(t->noise_var, data->noise_var);
  if (*fresh) {
    t->noise_var = data->noise_var;
    GANNET_TRY(gannet_agree(t->context->comm, apply_hyper(t)));
  }
  const gannet_inducing_request request = {
      data, t->n_fantasies, t->least_lambda, t->stale, {t, take_points, cross_points}};
  t->stale = true; /* should one of the next steps fail */
  GANNET_TRY(gannet_inducing_view(t->inducing, &request, seen, &renewed));
  *fresh = *fresh || renewed;
  return GANNET_OK;
}

const double *tangent_alpha_of(const tangent_model *t) {
  tangent_alpha *alpha = t->alpha;
  const gannet_cholesky *factor = gannet_factor_replicated(t->factor);
  if (alpha->known || !factor) return alpha->values;
  memcpy(alpha->values, t->y, (size_t)t->n * sizeof *alpha->values);
  gannet_cholesky_solve(factor, 1, alpha->values, t->n);
  alpha->known = true;
  return alpha->values;
}

/* Where all ranks must work, or the mean of the network is made of it. */
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

static gannet_err make_mean(tangent_model *t) {
  if (!t->options->network) return GANNET_OK;
  return gannet_tangent_transpose(t->net, &t->data, t->alpha->values, t->n, 0, &t->mean);
}

static gannet_err condition(tangent_model *t, const gannet_data *data) {
  gannet_data seen;
  bool fresh = false;
  GANNET_TRY(view(t, data, &seen, &fresh));
  GANNET_TRY(gannet_agree(t->context->comm, take_data(t, &seen, fresh)));
  GANNET_TRY(factorise(t));
  GANNET_TRY(solve_now(t));
  GANNET_TRY(gannet_agree(t->context->comm, make_mean(t)));
  t->stale = false;
  return GANNET_OK;
}

/* The network is trained on all data: its loss takes no pseudo-observations, whose noise differs.
 */
static gannet_err condition_and_train(tangent_model *t, const gannet_data *data,
                                      int64_t iteration) {
  GANNET_TRY(condition(t, data));
  t->stale = true; /* should training fail */
  if (t->trained) GANNET_TRY(tangent_mean_train(t->trained, t, data, iteration));
  t->stale = false;
  return GANNET_OK;
}

gannet_err tangent_fit(void *state, const gannet_data *data, bool learn, int64_t iteration) {
  tangent_model *t = state;
  GANNET_TRY(gannet_agree(t->context->comm, forget_fantasies(t)));
  if (learn && data->n >= 2) GANNET_TRY(tangent_learn(t, data, iteration));
  return condition_and_train(t, data, iteration);
}

gannet_err tangent_fantasize(void *state, const gannet_data *data, int n_fantasies,
                             int64_t iteration) {
  tangent_model *t = state;
  t->n_fantasies = n_fantasies;
  return condition_and_train(t, data, iteration);
}
