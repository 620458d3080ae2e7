#include "optimizer/propose/draws_score.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "optimizer/propose/propose_impl.h"
#include "search/best_first.h"

/* Weight of the squared violation in what the polish minimises; the choice between points uses the
 * violation itself. */
static const double penalty = 100;

/* The share of draws that have the reference point of the front, and how far beyond the worst
 * values of the front that of the others is at most. */
static const double share_far = 0.25, near = 0.1;

/* Choose the directions of several objectives, and the points from which they go. */
static gannet_err choose_directions(const gannet_member *member, gannet_draws_score *w) {
  const int n = gannet_models_n_objectives(w->models);
  const size_t length = (size_t)w->q * (size_t)n;
  if (n == 1) return GANNET_OK;
  GANNET_TRY(gannet_alloc(length, sizeof *w->direction, &w->direction));
  GANNET_TRY(gannet_alloc(length, sizeof *w->origin, &w->origin));
  for (int j = 0; j < w->q; ++j) {
    double *to = w->direction + (ptrdiff_t)j * n, square = 0, chance = 0;
    gannet_stream stream = gannet_context_stream(member->context, GANNET_FOR_DIRECTION,
                                                 (uint64_t)member->batch, (uint64_t)j);
    stream.purpose |= (uint64_t)member->index << 32;
    gannet_random_normal(stream, 0, (size_t)n, to);
    gannet_random_uniform(stream, (uint64_t)(2 * n), 1, &chance);
    for (int k = 0; k < n; ++k) square += to[k] * to[k];
    for (int k = 0; k < n; ++k) {
      const double reference = gannet_models_reference(w->models, k);
      to[k] = fmax(fabs(to[k]) / sqrt(square), 1e-3);
      w->origin[j * n + k] = chance < share_far ? reference : fmin(reference, 1 + near);
    }
  }
  return GANNET_OK;
}

gannet_err gannet_draws_score_prepare(const gannet_member *member, int q, gannet_draws_score *w) {
  const size_t length = (size_t)q * GANNET_TILE;
  *w = (gannet_draws_score){.context = member->context, .models = member->models, .q = q};
  GANNET_TRY(gannet_alloc(length, sizeof(double), &w->values));
  GANNET_TRY(gannet_alloc(length, sizeof(double), &w->violation));
  GANNET_TRY(gannet_alloc((size_t)gannet_models_count(w->models) * (size_t)q, sizeof(double),
                          &w->error_bound));
  GANNET_TRY(
      gannet_alloc((size_t)gannet_models_count(w->models), sizeof *w->estimator, &w->estimator));
  GANNET_TRY(gannet_alloc((size_t)member->problem->d, sizeof(double), &w->gradient));
  return choose_directions(member, w);
}

void gannet_draws_score_release(gannet_draws_score *w) {
  for (int i = 0; w->estimator && i < gannet_models_count(w->models); ++i)
    gannet_estimator_release(&w->estimator[i]);
  gannet_free(&w->estimator);
  gannet_free(&w->values);
  gannet_free(&w->violation);
  gannet_free(&w->gradient);
  gannet_free(&w->direction);
  gannet_free(&w->origin);
  gannet_free(&w->error_bound);
}

/* Whether a model is of no objective. */
static bool is_constraint(const gannet_draws_score *w, int i) {
  return gannet_models_objective(w->models, i) < 0;
}

/* How far draw j is on the way along its direction in objective m, where its model has this value;
 * by_value is the derivative. */
static double part_of_score(const gannet_draws_score *w, int j, int m, double value,
                            double *by_value) {
  const double least = 0.5 * GANNET_INFEASIBLE_SCORE; /* above those of infeasible points */
  const int at = j * gannet_models_n_objectives(w->models) + m;
  const double z = gannet_models_in_ranges(w->models, m, value, by_value);
  const double part = (w->origin[at] - z) / w->direction[at];
  *by_value /= -w->direction[at];
  if (part >= least) return part;
  *by_value = 0;
  return least;
}

/* Take objective m into account in the scores of points by draw j.
 *
 * value  in     [n] of its model, not finite = nothing is known
 * less   in     subtracted from these
 * score  inout  [n] least part of the objectives before
 */
static void take_part(const gannet_draws_score *w, int j, int m, int n, const double *value,
                      double less, double *score) {
  double unused;
  for (int p = 0; p < n; ++p)
    if (isfinite(value[p]))
      score[p] = fmin(score[p], part_of_score(w, j, m, value[p] - less, &unused));
}

static gannet_err score_objectives(gannet_draws_score *w, int m, const double *x_unit,
                                   double *scores, int ld) {
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < m; ++p) scores[(ptrdiff_t)j * ld + p] = INFINITY;
  for (int k = 0; k < gannet_models_n_objectives(w->models); ++k) {
    const int i = gannet_models_of_objective(w->models, k);
    GANNET_TRY(gannet_surrogate_draw_values(gannet_models_surrogate(w->models, i), m, x_unit,
                                            w->values, GANNET_TILE));
    for (int j = 0; j < w->q; ++j)
      take_part(w, j, k, m, w->values + (ptrdiff_t)j * GANNET_TILE, 0, scores + (ptrdiff_t)j * ld);
  }
  return GANNET_OK;
}

static gannet_err add_violations(gannet_draws_score *w, int m, const double *x_unit) {
  memset(w->violation, 0, (size_t)w->q * GANNET_TILE * sizeof *w->violation);
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    if (!is_constraint(w, i)) continue;
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
  const int n_objectives = gannet_models_n_objectives(w->models);
  (void)first;
  if (n_objectives > 1) {
    GANNET_TRY(score_objectives(w, m, x_unit, scores, ld));
  } else {
    GANNET_TRY(
        gannet_surrogate_draw_values(gannet_models_surrogate(w->models, 0), m, x_unit, scores, ld));
    for (int j = 0; j < w->q; ++j)
      for (int p = 0; p < m; ++p) scores[(size_t)j * (size_t)ld + (size_t)p] *= -1;
  }
  if (gannet_models_count(w->models) == n_objectives) return GANNET_OK;
  GANNET_TRY(add_violations(w, m, x_unit));
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < m; ++p)
      if (w->violation[j * GANNET_TILE + p] > 0)
        scores[(size_t)j * (size_t)ld + (size_t)p] =
            GANNET_INFEASIBLE_SCORE - w->violation[j * GANNET_TILE + p];
  return GANNET_OK;
}

enum {
  LEAST_CANDIDATES = 1000, /* fewer are all scored */
  SAMPLE = GANNET_SAMPLE,
  FEW = 27 /* which fill no block, register or half of them */
};

/* Error bounds are so many times the largest error that was seen, or a few roundings of the largest
 * value. */
static const double safety = 16, rounding = 0x1p-46;

/* The open candidates are scored if they are no more than this share of all. */
static const double share_scored_anyway = 0.5;

/* Values at the sample, and at the sample from behind, in two calls; where there are several ranks,
 * the first makes those and the second these, and the others stay 0. exact: [2][q][SAMPLE] */
static gannet_err predict_own_exact(const gannet_context *context, const gannet_surrogate *model,
                                    size_t length, double *x, double *exact) {
  const int d = gannet_surrogate_dimension(model);
  double *reversed = exact + length;
  memset(exact, 0, 2 * length * sizeof *exact);
  if (context->rank == 0) GANNET_TRY(gannet_surrogate_draw_values(model, SAMPLE, x, exact, SAMPLE));
  if (context->rank != (context->np > 1)) return GANNET_OK;
  gannet_propose_reverse_sample(d, x);
  gannet_err err = gannet_surrogate_draw_values(model, FEW, x, reversed, SAMPLE);
  if (err == GANNET_OK)
    err = gannet_surrogate_draw_values(model, SAMPLE - FEW, x + FEW * d, reversed + FEW, SAMPLE);
  gannet_propose_reverse_sample(d, x);
  return err;
}

/* Error bounds of one model. x: [SAMPLE][d] */
static gannet_err measure_model(gannet_draws_score *w, const gannet_context *context, int i,
                                double *x, double *error_bound) {
  const gannet_surrogate *model = gannet_models_surrogate(w->models, i);
  const size_t length = (size_t)w->q * SAMPLE;
  double *exact = w->values, *estimate = w->violation;
  GANNET_TRY(gannet_agree(context->comm, predict_own_exact(context, model, length, x, exact)));
  if (context->np > 1) GANNET_TRY(gannet_partition_gather(context->comm, 2 * length, exact));
  GANNET_TRY(gannet_agree(context->comm,
                          gannet_estimator_draws(&w->estimator[i], SAMPLE, x, estimate, SAMPLE)));
  const double *reversed = exact + length; /* some BLAS make a value depend on its place */
  for (int j = 0; j < w->q; ++j) {
    double error = 0, size = 0;
    for (int p = j * SAMPLE; p < (j + 1) * SAMPLE; ++p) {
      error = fmax(error, fabs(estimate[p] - exact[p]));
      size = fmax(size, fabs(exact[p]));
      if (!isfinite(estimate[p] - exact[p])) w->estimates = false;
      if (reversed[p] != exact[(2 * j + 1) * SAMPLE - 1 - p]) w->estimates = false;
    }
    error_bound[j] = fmax(safety * error, rounding * size);
  }
  return GANNET_OK;
}

static gannet_err all_able(const gannet_context *context, bool *able) {
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, able, 1, MPI_C_BOOL, MPI_LAND, context->comm));
  return GANNET_OK;
}

/* Have the models give estimates, and measure their error bounds. Tables are made by functions that
 * may round differently on processors of other kinds, so that one rank may have them and another
 * not; error bounds are measured together. */
static gannet_err measure_error_bounds(gannet_draws_score *w, const gannet_context *context,
                                       const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  const gannet_estimator_spec spec = {.kind = GANNET_ESTIMATE_DRAWS};
  double *x = NULL;
  gannet_err err = gannet_alloc(SAMPLE * d, sizeof *x, &x);
  if (err == GANNET_OK)
    err = gannet_models_estimators(w->models, &spec, w->estimator, &w->estimates);
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) gannet_propose_sample_candidates(candidates, x);
  bool all = w->estimates;
  if (err == GANNET_OK) err = all_able(context, &all);
  for (int i = 0; all && i < gannet_models_count(w->models) && err == GANNET_OK; ++i)
    err = measure_model(w, context, i, x, w->error_bound + (ptrdiff_t)i * w->q);
  gannet_free(&x);
  GANNET_TRY(err);
  w->estimates = w->estimates && all;
  return all_able(context, &w->estimates);
}

/* Smallest summed violations, into w->violation. */
static gannet_err bound_violations(gannet_draws_score *w, int m, const double *x_unit) {
  memset(w->violation, 0, (size_t)w->q * GANNET_TILE * sizeof *w->violation);
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    if (!is_constraint(w, i)) continue;
    const double threshold = gannet_models_threshold(w->models, i);
    GANNET_TRY(gannet_estimator_draws(&w->estimator[i], m, x_unit, w->values, GANNET_TILE));
    for (int j = 0; j < w->q; ++j) {
      const double error_bound = w->error_bound[i * w->q + j];
      for (int p = j * GANNET_TILE; p < j * GANNET_TILE + m; ++p)
        if (isfinite(w->values[p]))
          w->violation[p] += fmax(w->values[p] - threshold - error_bound, 0);
    }
  }
  return GANNET_OK;
}

/* Upper bounds of the scores of several objectives. */
static gannet_err bound_objectives(gannet_draws_score *w, int m, const double *x_unit,
                                   double *bounds, int ld) {
  for (int j = 0; j < w->q; ++j)
    for (int p = 0; p < m; ++p) bounds[(ptrdiff_t)j * ld + p] = INFINITY;
  for (int k = 0; k < gannet_models_n_objectives(w->models); ++k) {
    const int i = gannet_models_of_objective(w->models, k);
    GANNET_TRY(gannet_estimator_draws(&w->estimator[i], m, x_unit, w->values, GANNET_TILE));
    for (int j = 0; j < w->q; ++j)
      take_part(w, j, k, m, w->values + (ptrdiff_t)j * GANNET_TILE, w->error_bound[i * w->q + j],
                bounds + (ptrdiff_t)j * ld);
  }
  return GANNET_OK;
}

/* A gannet_best_first_bounder. A candidate is surely infeasible, or it may be feasible, and has
 * then the larger one of two scores. */
static gannet_err bound_tile(void *user, int m, int64_t first, const double *x_unit, double *bounds,
                             int ld) {
  gannet_draws_score *w = user;
  const int n_objectives = gannet_models_n_objectives(w->models);
  const bool constrained = gannet_models_count(w->models) > n_objectives;
  (void)first;
  if (n_objectives > 1)
    GANNET_TRY(bound_objectives(w, m, x_unit, bounds, ld));
  else
    GANNET_TRY(gannet_estimator_draws(&w->estimator[0], m, x_unit, bounds, ld));
  if (constrained) GANNET_TRY(bound_violations(w, m, x_unit));
  for (int j = 0; j < w->q; ++j) {
    double *bound = bounds + (ptrdiff_t)j * ld;
    const double *violation = w->violation + (ptrdiff_t)j * GANNET_TILE;
    for (int p = 0; p < m; ++p) {
      if (n_objectives == 1)
        bound[p] = isfinite(bound[p]) ? w->error_bound[j] - bound[p] : INFINITY;
      if (constrained && violation[p] > 0)
        bound[p] = GANNET_INFEASIBLE_SCORE - violation[p];
      else if (constrained)
        bound[p] = fmax(bound[p], GANNET_INFEASIBLE_SCORE);
    }
  }
  return GANNET_OK;
}

/* A gannet_best_first_scorer. */
static gannet_err score_numbered(void *user, int m, const int64_t *number, const double *x_unit,
                                 double *scores, int ld) {
  (void)number;
  return gannet_draws_score_points(user, m, x_unit, -1, scores, ld);
}

gannet_err gannet_draws_score_best(void *user, const gannet_candidates *candidates,
                                   const gannet_distinct *taken, int keep, gannet_ranked *best,
                                   int64_t *scored) {
  gannet_draws_score *w = user;
  *scored = 0;
  if (gannet_candidates_count(candidates) < LEAST_CANDIDATES) return GANNET_OK;
  GANNET_TRY(measure_error_bounds(w, w->context, candidates));
  if (!w->estimates) return GANNET_OK;
  const gannet_best_first_spec spec = {.n_lists = w->q,
                                       .keep = keep,
                                       .scorer = score_numbered,
                                       .bounder = bound_tile,
                                       .open_share = share_scored_anyway,
                                       .user = w};
  GANNET_TRY(gannet_best_first_scan(w->context, candidates, taken, &spec, best, scored));
  if (*scored < 0) *scored = 0;
  return GANNET_OK;
}

/* The sharpness of the soft minimum over the parts of a score. */
static const double sharpness = 100;

/* Minus the soft minimum of the parts of a score, with its gradient [d]. */
static gannet_err merit_of_several(gannet_draws_score *w, int list, const double *x_unit,
                                   double *value, double *gradient) {
  const int n = gannet_models_n_objectives(w->models);
  const int d = gannet_surrogate_dimension(gannet_models_surrogate(w->models, 0));
  double sum = 0;
  *value = 0;
  memset(gradient, 0, (size_t)d * sizeof *gradient);
  for (int m = 0; m < n; ++m) { /* one after the other: sum exp(-sharpness (part - least)) */
    const int i = gannet_models_of_objective(w->models, m);
    double draw = 0, by_draw = 0;
    GANNET_TRY(gannet_surrogate_draw_gradient(gannet_models_surrogate(w->models, i), list, x_unit,
                                              &draw, w->gradient));
    const double part = part_of_score(w, list, m, draw, &by_draw);
    const double before = m == 0 ? part : -*value, least = fmin(before, part);
    const double old = sum * exp(-sharpness * (before - least));
    const double new = exp(-sharpness * (part - least));
    *value = -least;
    sum = old + new;
    for (int k = 0; k < d; ++k)
      gradient[k] = (old * gradient[k] - new *by_draw * w->gradient[k]) / sum;
  }
  *value += log(sum) / sharpness;
  return GANNET_OK;
}

gannet_err gannet_draws_score_merit(void *user, int list, const double *x_unit, double *value,
                                    double *gradient) {
  gannet_draws_score *w = user;
  const gannet_surrogate *objective = gannet_models_surrogate(w->models, 0);
  const int d = gannet_surrogate_dimension(objective);
  if (gannet_models_n_objectives(w->models) > 1)
    GANNET_TRY(merit_of_several(w, list, x_unit, value, gradient));
  else
    GANNET_TRY(gannet_surrogate_draw_gradient(objective, list, x_unit, value, gradient));
  for (int i = 1; i < gannet_models_count(w->models); ++i) {
    if (!is_constraint(w, i)) continue;
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
