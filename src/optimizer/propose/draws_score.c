#include "optimizer/propose/draws_score.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "optimizer/propose/propose_impl.h"

/* Weight of the squared violation in what the polish minimises; the choice between points uses the
 * violation itself. */
static const double penalty = 100;

gannet_err gannet_draws_score_prepare(const gannet_member *member, int q, gannet_draws_score *w) {
  const size_t length = (size_t)q * GANNET_TILE;
  *w = (gannet_draws_score){.models = member->models, .q = q};
  GANNET_TRY(gannet_alloc(length, sizeof(double), &w->values));
  GANNET_TRY(gannet_alloc(length, sizeof(double), &w->violation));
  GANNET_TRY(gannet_alloc(length, sizeof(double), &w->least));
  GANNET_TRY(gannet_alloc((size_t)gannet_models_count(w->models) * (size_t)q, sizeof(double),
                          &w->error_bound));
  return gannet_alloc((size_t)member->problem->d, sizeof(double), &w->gradient);
}

void gannet_draws_score_release(gannet_draws_score *w) {
  gannet_free(&w->values);
  gannet_free(&w->violation);
  gannet_free(&w->gradient);
  gannet_free(&w->error_bound);
  gannet_free(&w->least);
}

static gannet_err add_violations(gannet_draws_score *w, int m, const double *x_unit) {
  memset(w->violation, 0, (size_t)w->q * GANNET_TILE * sizeof *w->violation);
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    const double threshold = gannet_models_threshold(w->models, i);
    GANNET_TRY(gannet_surrogate_draw_values(gannet_models_surrogate(w->models, i), m, x_unit,
                                            w->values, GANNET_TILE));
    for (int j = 0; j < w->q; ++j)
      for (int p = 0; p < m; ++p)
        w->violation[j * GANNET_TILE + p] += fmax(w->values[j * GANNET_TILE + p] - threshold, 0);
  }
  return GANNET_OK;
}

gannet_err gannet_draws_score_points(void *user, int m, const double *x_unit, int64_t first,
                                     double *scores, int ld) {
  gannet_draws_score *w = user;
  (void)first;
  GANNET_TRY(
      gannet_surrogate_draw_values(gannet_models_surrogate(w->models, 0), m, x_unit, scores, ld));
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < m; ++p) scores[(size_t)j * (size_t)ld + (size_t)p] *= -1;
  if (gannet_models_count(w->models) == 1) return GANNET_OK;
  GANNET_TRY(add_violations(w, m, x_unit));
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < m; ++p)
      if (w->violation[j * GANNET_TILE + p] > 0)
        scores[(size_t)j * (size_t)ld + (size_t)p] =
            GANNET_INFEASIBLE_SCORE - w->violation[j * GANNET_TILE + p];
  return GANNET_OK;
}

/* The sample on which error bounds are measured, and how much larger they are than its errors. A
 * error bound is at least a few roundings of the largest value. */
enum { SAMPLE = GANNET_SAMPLE, LEAST_CANDIDATES = 1000 };
static const double safety = 16;
static const double rounding[] = {
    [GANNET_PRECISION_SINGLE] = 0x1p-20, [GANNET_PRECISION_DOUBLE] = 0x1p-46};

/* Values at the sample, and at the sample from behind; where there are several ranks, the first
 * makes those and the second these, and the others stay 0. exact: [2][q][SAMPLE] */
static gannet_err predict_own_exact(const gannet_context *context, const gannet_surrogate *model,
                                    size_t length, double *x, double *exact) {
  const int d = gannet_surrogate_dimension(model);
  memset(exact, 0, 2 * length * sizeof *exact);
  if (context->rank == 0) GANNET_TRY(gannet_surrogate_draw_values(model, SAMPLE, x, exact, SAMPLE));
  if (context->rank != (context->np > 1)) return GANNET_OK;
  gannet_propose_reverse_sample(d, x);
  const gannet_err err = gannet_surrogate_draw_values(model, SAMPLE, x, exact + length, SAMPLE);
  gannet_propose_reverse_sample(d, x);
  return err;
}

/* Error bounds of one model. */
static gannet_err measure_model(gannet_draws_score *w, const gannet_context *context, int i,
                                double *x, double *error_bound) {
  const gannet_surrogate *model = gannet_models_surrogate(w->models, i);
  const size_t length = (size_t)w->q * SAMPLE;
  double *exact = w->values, *estimate = w->violation;
  GANNET_TRY(gannet_agree(context->comm, predict_own_exact(context, model, length, x, exact)));
  if (context->np > 1) GANNET_TRY(gannet_partition_gather(context->comm, 2 * length, exact));
  GANNET_TRY(gannet_agree(context->comm,
                          gannet_surrogate_draw_estimates(model, SAMPLE, x, estimate, SAMPLE)));
  for (int j = 0; j < w->q; ++j) {
    double error = 0, size = 0;
    for (int p = j * SAMPLE; p < (j + 1) * SAMPLE; ++p) {
      error = fmax(error, fabs(estimate[p] - exact[p]));
      size = fmax(size, fabs(exact[p]));
      if (!isfinite(estimate[p] - exact[p])) w->estimates = false;
    }
    error_bound[j] = fmax(safety * error, rounding[w->precision] * size);
  }
  const double *reversed = exact + length; /* some BLAS make a value depend on its place */
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < SAMPLE; ++p)
      if (reversed[j * SAMPLE + p] != exact[(j + 1) * SAMPLE - 1 - p]) w->estimates = false;
  return GANNET_OK;
}

static gannet_err measure_all(gannet_draws_score *w, const gannet_context *context,
                              const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  double *x = NULL;
  gannet_err err = gannet_agree(context->comm, gannet_alloc(SAMPLE * d, sizeof *x, &x));
  if (err == GANNET_OK) gannet_propose_sample_candidates(candidates, x);
  for (int i = 0; i < gannet_models_count(w->models) && err == GANNET_OK; ++i)
    err = measure_model(w, context, i, x, w->error_bound + (ptrdiff_t)i * w->q);
  gannet_free(&x);
  return err;
}

/* Tables are made by functions that may round differently on processors of other kinds, so that one
 * rank may have them and another not; error bounds are measured together. */
gannet_err gannet_draws_score_measure(gannet_draws_score *w, const gannet_context *context,
                                      const gannet_candidates *candidates,
                                      gannet_precision precision) {
  w->estimates = false;
  w->precision = precision;
  w->context = context;
  w->candidates = candidates;
  if (gannet_candidates_count(candidates) < LEAST_CANDIDATES) return GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm,
                          gannet_models_estimate_prepare(w->models, precision, &w->estimates)));
  GANNET_TRY_MPI(
      MPI_Allreduce(MPI_IN_PLACE, &w->estimates, 1, MPI_C_BOOL, MPI_LAND, context->comm));
  return w->estimates ? measure_all(w, context, candidates) : GANNET_OK;
}

gannet_err gannet_draws_score_tighten(void *user, bool *again) {
  gannet_draws_score *w = user;
  *again = false;
  if (w->precision == GANNET_PRECISION_DOUBLE) return GANNET_OK;
  GANNET_TRY(gannet_draws_score_measure(w, w->context, w->candidates, GANNET_PRECISION_DOUBLE));
  *again = w->estimates;
  return GANNET_OK;
}

/* Smallest and largest summed violations, into w->least and w->violation. */
static gannet_err bound_violations(gannet_draws_score *w, int m, const double *x_unit) {
  const size_t size = (size_t)w->q * GANNET_TILE * sizeof *w->violation;
  memset(w->violation, 0, size);
  memset(w->least, 0, size);
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    const double threshold = gannet_models_threshold(w->models, i);
    GANNET_TRY(gannet_surrogate_draw_estimates(gannet_models_surrogate(w->models, i), m, x_unit,
                                               w->values, GANNET_TILE));
    for (int j = 0; j < w->q; ++j) {
      const double error_bound = w->error_bound[i * w->q + j];
      for (int p = j * GANNET_TILE; p < j * GANNET_TILE + m; ++p) {
        const double excess = isfinite(w->values[p]) ? w->values[p] - threshold : NAN;
        w->violation[p] += isnan(excess) ? INFINITY : fmax(excess + error_bound, 0);
        w->least[p] += isnan(excess) ? 0 : fmax(excess - error_bound, 0);
      }
    }
  }
  return GANNET_OK;
}

/* A candidate that is surely infeasible, or perhaps, by its largest and smallest violations. */
static void bound_infeasible(double most, double least, double *lower, double *upper) {
  if (!(most > 0)) return;
  *lower = fmin(*lower, GANNET_INFEASIBLE_SCORE - most);
  *upper = fmax(*upper, GANNET_INFEASIBLE_SCORE);
  if (least > 0) {
    *lower = GANNET_INFEASIBLE_SCORE - most;
    *upper = GANNET_INFEASIBLE_SCORE - least;
  }
}

gannet_err gannet_draws_score_bounds(void *user, int m, const double *x_unit, int64_t first,
                                     double *lower, double *upper, int ld) {
  gannet_draws_score *w = user;
  const bool constrained = gannet_models_count(w->models) > 1;
  (void)first;
  GANNET_TRY(
      gannet_surrogate_draw_estimates(gannet_models_surrogate(w->models, 0), m, x_unit, lower, ld));
  if (constrained) GANNET_TRY(bound_violations(w, m, x_unit));
  for (int j = 0; j < w->q; ++j) {
    double *low = lower + (ptrdiff_t)j * ld, *high = upper + (ptrdiff_t)j * ld;
    for (int p = 0; p < m; ++p) {
      const double score = -low[p];
      low[p] = isfinite(score) ? score - w->error_bound[j] : -INFINITY;
      high[p] = isfinite(score) ? score + w->error_bound[j] : INFINITY;
      if (constrained)
        bound_infeasible(w->violation[j * GANNET_TILE + p], w->least[j * GANNET_TILE + p], &low[p],
                         &high[p]);
    }
  }
  return GANNET_OK;
}

gannet_err gannet_draws_score_merit(void *user, int list, const double *x_unit, double *value,
                                    double *gradient) {
  gannet_draws_score *w = user;
  const gannet_surrogate *objective = gannet_models_surrogate(w->models, 0);
  const int d = gannet_surrogate_dimension(objective);
  GANNET_TRY(gannet_surrogate_draw_gradient(objective, list, x_unit, value, gradient));
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    double draw = 0;
    GANNET_TRY(gannet_surrogate_draw_gradient(gannet_models_surrogate(w->models, i), list, x_unit,
                                              &draw, w->gradient));
    const double excess = draw - gannet_models_threshold(w->models, i);
    if (!(excess > 0)) continue;
    *value += penalty * excess * excess;
    for (int k = 0; k < d; ++k) gradient[k] += 2 * penalty * excess * w->gradient[k];
  }
  return GANNET_OK;
}
