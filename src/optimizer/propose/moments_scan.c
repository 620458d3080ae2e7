#include "optimizer/propose/moments_scan.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "optimizer/propose/propose_impl.h"

enum {
  LEAST_CANDIDATES = 1000, /* fewer are all scored (as in optimizer/propose/draws_score.c) */
  SAMPLE = GANNET_SAMPLE,
  FEW = 27, /* which fill no block, register or half of them */
  MOST_PIVOTS = GANNET_BEST_FIRST_PIVOTS * GANNET_BEST_FIRST_ROUNDS,
  MOST_COORDINATES = 1 << 21
};

/* Error bounds of a model: of means; of variances, or how far above their upper bounds variances
 * may be; and how far above exact variances of earlier points of the batch they may be. */
enum { OF_MEAN, OF_VARIANCE, OF_KNOWN, ERROR_BOUNDS };

/* Places of the exact moments of a model at the sample. */
enum { MEANS = 0, SDS = SAMPLE, REVERSED = 2 * SAMPLE, EXACT = 2 * REVERSED };

/* Error bounds are so many times the largest error that was seen, or that much of the largest size.
 */
static const double safety = 16, rounding = 0x1p-46;

/* When bounds cannot be lowered any further, the open candidates are scored if they are no more
 * than this share of all. */
static const double share_scored_anyway = 0.5;

static int models_of(const gannet_moments_scan *s) {
  return gannet_models_count(s->score->member->models);
}

gannet_err gannet_moments_scan_create(gannet_moments_score *score, gannet_moments_scan *s) {
  const size_t models = (size_t)gannet_models_count(score->member->models);
  *s = (gannet_moments_scan){.score = score};
  GANNET_TRY(gannet_alloc(ERROR_BOUNDS * models, sizeof *s->error_bound, &s->error_bound));
  GANNET_TRY(gannet_alloc(models, sizeof *s->noise, &s->noise));
  GANNET_TRY(gannet_alloc(models, sizeof *s->estimator, &s->estimator));
  double **work[] = {&s->mean,         &s->variance,  &s->corner_mean, &s->corner_sd,
                     &s->corner_score, &s->violation, &s->weight};
  for (size_t i = 0; i < sizeof work / sizeof *work; ++i)
    GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), work[i]));
  return GANNET_OK;
}

void gannet_moments_scan_release(gannet_moments_scan *s) {
  for (int i = 0; s->estimator && i < models_of(s); ++i) gannet_estimator_release(&s->estimator[i]);
  gannet_free(&s->estimator);
  double **all[] = {&s->error_bound,  &s->noise,     &s->exact,    &s->sample,      &s->x,
                    &s->pivots,       &s->mean,      &s->variance, &s->corner_mean, &s->corner_sd,
                    &s->corner_score, &s->violation, &s->weight,   &s->log_weights};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) gannet_free(all[i]);
  gannet_cached_moments_release(&s->cached);
}

static const gannet_surrogate *model_of(const gannet_moments_scan *s, int model) {
  return gannet_models_surrogate(s->score->member->models, model);
}

/* Whether model i has a part in scores. */
static bool takes_part(const gannet_moments_scan *s, int i) {
  return i > 0 || gannet_moments_score_wants_objective(s->score);
}

static double *error_bounds_of(const gannet_moments_scan *s, int model) {
  return s->error_bound + (ptrdiff_t)model * ERROR_BOUNDS;
}

static double *exact_of(const gannet_moments_scan *s, int model) {
  return s->exact + (ptrdiff_t)model * EXACT;
}

/* Exact moments of some consecutive points of the sample, as it is or from behind. */
static gannet_err predict_piece(const gannet_moments_scan *s, int i, bool reversed, int first,
                                int n) {
  const int d = gannet_surrogate_dimension(model_of(s, i));
  double *to = exact_of(s, i) + (reversed ? REVERSED : 0) + first;
  if (reversed) gannet_propose_reverse_sample(d, s->sample);
  const gannet_err err =
      gannet_surrogate_predict(model_of(s, i), n, s->sample + first * d, to + MEANS, to + SDS);
  if (reversed) gannet_propose_reverse_sample(d, s->sample);
  return err;
}

/* The exact moments of all models at the sample. One rank takes longer for them than for all
 * estimates of the sample, so ranks make some each: of two ranks as many points each, and the other
 * numbers are 0. Estimates are useless where they are so on any rank, and unless moments are the
 * same in another place of a call, and with other numbers of points in it. */
static gannet_err predict_sample(gannet_moments_scan *s) {
  const gannet_context *context = s->score->member->context;
  const int models = models_of(s), cut = context->np > 1 ? SAMPLE - FEW : SAMPLE;
  const struct {
    bool reversed;
    int first, n;
  } pieces[] = {
      {false, 0, cut}, {true, 0, FEW}, {false, cut, SAMPLE - cut}, {true, FEW, SAMPLE - FEW}};
  const size_t size = (size_t)models * EXACT + 1;
  gannet_err err = GANNET_OK;
  memset(s->exact, 0, size * sizeof *s->exact);
  s->exact[size - 1] = !s->estimates;
  for (int i = 0; s->estimates && i < models; ++i)
    for (int k = context->rank; err == GANNET_OK && k < 4; k += context->np)
      err = predict_piece(s, i, pieces[k].reversed, pieces[k].first, pieces[k].n);
  GANNET_TRY(gannet_agree(context->comm, err));
  if (context->np > 1) GANNET_TRY(gannet_partition_gather(context->comm, size, s->exact));
  s->estimates = !(s->exact[size - 1] > 0);
  for (int i = 0; s->estimates && i < models; ++i) {
    const double *exact = exact_of(s, i), *reversed = exact + REVERSED;
    for (int p = 0; p < SAMPLE && s->estimates; ++p)
      s->estimates = reversed[MEANS + p] == exact[MEANS + SAMPLE - 1 - p] &&
                     reversed[SDS + p] == exact[SDS + SAMPLE - 1 - p];
  }
  return GANNET_OK;
}

/* Whether the weights of costs are the same in another place of a call, and with other numbers of
 * points in it: bounds of scores are made with them as they are. */
static gannet_err check_weights(gannet_moments_scan *s) {
  const gannet_cost_model *cost = s->score->cost;
  const int d = gannet_candidates_dimension(s->candidates);
  double forward[SAMPLE], back[SAMPLE];
  if (!cost || !s->estimates) return GANNET_OK;
  GANNET_TRY(gannet_cost_model_log_weights(cost, SAMPLE, s->sample, forward));
  gannet_propose_reverse_sample(d, s->sample);
  gannet_err err = gannet_cost_model_log_weights(cost, FEW, s->sample, back);
  if (err == GANNET_OK)
    err = gannet_cost_model_log_weights(cost, SAMPLE - FEW, s->sample + FEW * d, back + FEW);
  gannet_propose_reverse_sample(d, s->sample);
  for (int p = 0; p < SAMPLE; ++p)
    s->estimates = s->estimates && back[p] == forward[SAMPLE - 1 - p];
  return err;
}

/* Error bounds of the estimates of one model, by the exact moments at the sample. */
static gannet_err measure_error_of_estimates(gannet_moments_scan *s, int i) {
  const double *mean = exact_of(s, i) + MEANS, *sd = exact_of(s, i) + SDS;
  double error[2] = {0}, size[2] = {0};
  GANNET_TRY(gannet_estimator_moments(&s->estimator[i], SAMPLE, s->sample, s->mean, s->variance));
  gannet_cached_moments_put_sample(&s->cached, i, s->mean, s->variance);
  for (int p = 0; p < SAMPLE; ++p) {
    const double above = sd[p] * sd[p] - s->variance[p];
    if (!isfinite(s->mean[p] - mean[p]) || !isfinite(above)) s->estimates = false;
    error[0] = fmax(error[0], fabs(s->mean[p] - mean[p]));
    error[1] = fmax(error[1], s->by_bounds ? above : fabs(above));
    size[0] = fmax(size[0], fabs(mean[p]));
    size[1] = fmax(size[1], s->by_bounds ? s->variance[p] : sd[p] * sd[p]);
  }
  double *error_bound = error_bounds_of(s, i);
  for (int k = 0; k < 2; ++k) error_bound[k] = fmax(safety * error[k], rounding * size[k]);
  error_bound[OF_KNOWN] = safety * rounding * size[1];
  return GANNET_OK;
}

/* The largest error bounds of all ranks; estimates are of use when they are on all. */
static gannet_err agree_on_error_bounds(gannet_moments_scan *s) {
  const MPI_Comm comm = s->score->member->context->comm;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, s->error_bound, ERROR_BOUNDS * models_of(s),
                               MPI_DOUBLE, MPI_MAX, comm));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &s->estimates, 1, MPI_C_BOOL, MPI_LAND, comm));
  return GANNET_OK;
}

/* Forget all that is cached, and the leaders: another rank may have them next time. */
static void forget_candidates(gannet_moments_scan *s) {
  gannet_cached_moments_forget(&s->cached);
  s->n_leaders = 0;
}

static gannet_err reserve_memory(gannet_moments_scan *s) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  const size_t coordinates = (size_t)gannet_candidates_count(s->candidates) * d;
  const bool has_pivots = s->by_bounds && !s->pivots;
  if (!s->sample) {
    GANNET_TRY(gannet_alloc((size_t)models_of(s) * EXACT + 1, sizeof *s->exact, &s->exact));
    GANNET_TRY(gannet_alloc(SAMPLE * d, sizeof *s->sample, &s->sample));
    gannet_propose_sample_candidates(s->candidates, s->sample);
  }
  if (has_pivots && coordinates <= MOST_COORDINATES)
    GANNET_TRY(gannet_alloc(coordinates, sizeof *s->x, &s->x));
  if (has_pivots) GANNET_TRY(gannet_alloc(MOST_PIVOTS * d, sizeof *s->pivots, &s->pivots));
  if (s->score->member->options->acq_type->shape == GANNET_ACQ_TURNING) return GANNET_OK;
  const int64_t count = gannet_candidates_count(s->candidates);
  GANNET_TRY(gannet_cached_moments_reserve(&s->cached, models_of(s), count));
  if (!s->score->cost || s->cached.count == 0 || s->log_weights) return GANNET_OK;
  return gannet_alloc((size_t)count, sizeof *s->log_weights, &s->log_weights);
}

/* Sets estimates where the models give them. Upper bounds of variances are lowered where they are
 * cached. */
static gannet_err prepare_estimates(gannet_moments_scan *s) {
  gannet_models *models = s->score->member->models;
  for (int i = 0; i < models_of(s); ++i) s->noise[i] = gannet_surrogate_noise_var(model_of(s, i));
  GANNET_TRY(reserve_memory(s));
  if (s->by_bounds && s->cached.count == 0) return GANNET_OK;
  const gannet_estimator_spec spec = {.kind = s->by_bounds ? GANNET_ESTIMATE_UPPER_BOUNDS
                                                           : GANNET_ESTIMATE_MOMENTS};
  return gannet_models_estimators(models, &spec, s->estimator, &s->estimates);
}

/* The first point of a batch, or one for which nothing is cached: have the models give estimates.
 */
static gannet_err begin_estimates(gannet_moments_scan *s, bool by_bounds) {
  const MPI_Comm comm = s->score->member->context->comm;
  s->by_bounds = by_bounds;
  s->estimates = false;
  s->points = s->n_pivots = 0;
  forget_candidates(s);
  GANNET_TRY(gannet_agree(comm, prepare_estimates(s)));
  GANNET_TRY(predict_sample(s));
  gannet_err err = check_weights(s);
  const bool measured = s->estimates;
  for (int i = 0; measured && err == GANNET_OK && i < models_of(s); ++i)
    err = measure_error_of_estimates(s, i);
  GANNET_TRY(gannet_agree(comm, err));
  return agree_on_error_bounds(s);
}

/* Error bounds of a model's moments that were cached, by n candidates of the sample at x; not less
 * than they were. */
static gannet_err measure_error_of_cached(gannet_moments_scan *s, int i, int first, int n,
                                          const double *x) {
  const gannet_moments_arrays cached = gannet_cached_moments_sample(&s->cached, i);
  double *error_bound = error_bounds_of(s, i), *mean = s->mean, *sd = s->variance;
  double error[2] = {0};
  GANNET_TRY(gannet_surrogate_predict(model_of(s, i), n, x, mean, sd));
  for (int p = 0; p < n; ++p) {
    const double by[2] = {fabs(cached.mean[first + p] - mean[p]),
                          sd[p] * sd[p] - cached.variance[first + p]};
    for (int k = 0; k < 2; ++k) error[k] = isfinite(by[k]) ? fmax(error[k], by[k]) : INFINITY;
  }
  for (int k = 0; k < 2; ++k) error_bound[k] = fmax(safety * error[k], error_bound[k]);
  return GANNET_OK;
}

/* A later point: every one measures by another part of the sample, and every rank by some of it. */
static gannet_err continue_batch(gannet_moments_scan *s) {
  enum { PART = SAMPLE / 4 };
  const gannet_context *context = s->score->member->context;
  const int np = context->np, from = PART * (s->points++ % 4);
  const int first = from + (int)((int64_t)PART * context->rank / np);
  const int n = from + (int)((int64_t)PART * (context->rank + 1) / np) - first;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  gannet_err err = GANNET_OK;
  s->n_pivots = 0;
  for (int i = 0; i < models_of(s) && err == GANNET_OK; ++i)
    if (takes_part(s, i))
      err = measure_error_of_cached(s, i, first, n, s->sample + (size_t)first * d);
  GANNET_TRY(gannet_agree(context->comm, err));
  return agree_on_error_bounds(s);
}

/* The ranges of the moments of some candidates around s->mean and s->variance: ends of the mean, of
 * which a score needs the lower one alone unless it may turn, and of the variance. */
typedef struct {
  double mean[2], variance[2];
} ranges;

/* Add the largest value of a model's part of the scores of m candidates to sums, or with least the
 * least value of their violations. Nothing is bounded by what is not a number at an end of a range,
 * nor by estimates that overflowed: acquisitions take a deviation that is not a number for none. */
static void add_bounds(gannet_moments_scan *s, int model, int m, const ranges *at, bool least,
                       double *sums) {
  const gannet_member_options *options = s->score->member->options;
  const gannet_acq_type *type = options->acq_type;
  const int means = model == 0 && type->shape == GANNET_ACQ_TURNING ? 2 : 1;
  const double sign = least ? -1 : 1;
  double most[GANNET_TILE];
  for (int p = 0; p < m; ++p) most[p] = -INFINITY;
  for (int end = 0; end < 2 * means; ++end) {
    if (end % 2 == 0 && model == 0 && type->shape == GANNET_ACQ_RISING) continue;
    for (int p = 0; p < m; ++p) {
      s->corner_mean[p] = s->mean[p] + at->mean[end / 2];
      s->corner_sd[p] = sqrt(fmax(0, s->variance[p] + at->variance[end % 2]));
    }
    if (model == 0)
      type->score(options->acq_options, &s->score->state, m, s->corner_mean, s->corner_sd,
                  s->corner_score);
    for (int p = 0; p < m && model > 0; ++p)
      s->corner_score[p] =
          gannet_moments_score_constraint(s->score, model, s->corner_mean[p], s->corner_sd[p]);
    for (int p = 0; p < m; ++p) {
      const double part = sign * s->corner_score[p];
      const bool known = !isnan(part) && isfinite(s->mean[p]) && isfinite(s->variance[p]);
      most[p] = known ? fmax(most[p], part) : INFINITY;
    }
  }
  for (int p = 0; p < m; ++p) sums[p] += sign * most[p];
}

/* Moments of model i at m candidates into s->mean and s->variance: by estimates at x_unit, which
 * are then cached, or without x_unit by what is cached. */
static gannet_err find_moments(gannet_moments_scan *s, int i, int m, const double *x_unit,
                               const int64_t *number, ranges *at) {
  const double *error_bound = error_bounds_of(s, i);
  at->mean[0] = -error_bound[OF_MEAN];
  at->mean[1] = error_bound[OF_MEAN];
  at->variance[0] = x_unit && !s->by_bounds ? -error_bound[OF_VARIANCE] : -INFINITY;
  at->variance[1] = x_unit ? error_bound[OF_VARIANCE] : 0;
  if (x_unit) {
    GANNET_TRY(gannet_estimator_moments(&s->estimator[i], m, x_unit, s->mean, s->variance));
    gannet_cached_moments_put(&s->cached, i, number[0], m, s->mean, s->variance);
  } else {
    const gannet_moments_above above = {error_bound[OF_VARIANCE], error_bound[OF_KNOWN]};
    gannet_cached_moments_get(&s->cached, i, m, number, &above, s->mean, s->variance);
  }
  return GANNET_OK;
}

/* Divide bounds of gains by the costs of m candidates, which are found at x_unit and then cached,
 * or without x_unit were before. */
static gannet_err weigh_bounds(gannet_moments_scan *s, int m, const double *x_unit,
                               const int64_t *number, double *bounds) {
  if (!s->score->cost) return GANNET_OK;
  if (x_unit) GANNET_TRY(gannet_cost_model_log_weights(s->score->cost, m, x_unit, s->weight));
  for (int p = 0; p < m && s->log_weights; ++p) {
    if (x_unit) s->log_weights[number[p]] = s->weight[p];
    s->weight[p] = s->log_weights[number[p]];
  }
  gannet_moments_score_weigh(s->score, m, s->weight, bounds);
  return GANNET_OK;
}

/* Upper bounds of the scores of m candidates: with x_unit, and consecutive numbers, by estimates;
 * without by what is cached.
 *
 * x_unit  in   [m][d], or NULL
 * number  in   [m] of the candidates; with x_unit that of the first one
 * bounds  out  [m] */
static gannet_err bound_scores(gannet_moments_scan *s, int m, const double *x_unit,
                               const int64_t *number, double *bounds) {
  const bool inside = gannet_moments_score_by_bounds(s->score) && models_of(s) > 1;
  ranges at;
  memset(bounds, 0, (size_t)m * sizeof *bounds);
  memset(s->violation, 0, (size_t)m * sizeof *s->violation);
  for (int i = 0; i < models_of(s); ++i) {
    if (takes_part(s, i)) {
      GANNET_TRY(find_moments(s, i, m, x_unit, number, &at));
      const bool violation = inside && i > 0;
      add_bounds(s, i, m, &at, violation, violation ? s->violation : bounds);
    }
    if (i == 0) GANNET_TRY(weigh_bounds(s, m, x_unit, number, bounds));
  }
  for (int p = 0; p < m; ++p) {
    if (inside) bounds[p] = gannet_moments_score_inside(bounds[p], s->violation[p]);
    /* Scores are summed in another order than exact ones. */
    bounds[p] = isfinite(bounds[p]) ? bounds[p] + 1e-12 * fabs(bounds[p]) : INFINITY;
  }
  return GANNET_OK;
}

/* A gannet_best_first_bounder. */
static gannet_err bound_unit(void *user, int m, int64_t first, const double *x_unit, double *bounds,
                             int ld) {
  gannet_moments_scan *s = user;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  int64_t number[GANNET_TILE];
  (void)ld;
  for (int i = 0; i < m; ++i) number[i] = first + i;
  if (x_unit && s->x) memcpy(s->x + (size_t)first * d, x_unit, (size_t)m * d * sizeof *x_unit);
  return bound_scores(s, m, x_unit, number, bounds);
}

/* A gannet_best_first_scorer, whose notes are the standard deviations of the cached models. */
static gannet_err score_and_note(void *user, int m, const int64_t *number, const double *x_unit,
                                 double *scores, int ld) {
  gannet_moments_scan *s = user;
  (void)number;
  GANNET_TRY(gannet_moments_score_points(s->score, m, x_unit, -1, scores, ld));
  for (int i = 0; i < s->cached.models; ++i)
    if (takes_part(s, i))
      memcpy(scores + (ptrdiff_t)(1 + i) * ld, s->score->last_sd + (size_t)i * GANNET_TILE,
             (size_t)m * sizeof *scores);
  return GANNET_OK;
}

/* A gannet_best_first_noter: exact variances are upper bounds at later points of the batch. */
static void learn_variances(void *user, int m, const int64_t *number, const double *notes, int ld) {
  gannet_moments_scan *s = user;
  for (int i = 0; i < s->cached.models; ++i)
    if (takes_part(s, i))
      gannet_cached_moments_learn(&s->cached, i, m, number, notes + (ptrdiff_t)i * ld);
}

/* By the errors that the estimates of lowered upper bounds have at the sample; at the first point
 * none may be below a variance. */
static gannet_err measure_error_of_lowered(gannet_moments_scan *s, int i) {
  double *error_bound = error_bounds_of(s, i), *upper_bounds = s->corner_sd, error = 0;
  const double *sd = exact_of(s, i) + SDS; /* at the first point of a batch */
  GANNET_TRY(gannet_estimator_upper_bounds(&s->estimator[i], SAMPLE, s->sample, upper_bounds));
  GANNET_TRY(gannet_estimator_moments(&s->estimator[i], SAMPLE, s->sample, s->mean, s->variance));
  for (int p = 0; p < SAMPLE; ++p) {
    error = fmax(error, fabs(s->variance[p] - upper_bounds[p]));
    if (s->points == 0) error = fmax(error, sd[p] * sd[p] - s->variance[p]);
  }
  gannet_cached_moments_lower_sample(&s->cached, i, s->variance);
  error_bound[OF_VARIANCE] = fmax(safety * error, error_bound[OF_VARIANCE]);
  return GANNET_OK;
}

/* Lower the cached variances and the bounds of m open candidates. x: [m][d] scratch */
static gannet_err lower_bounds_of(gannet_moments_scan *s, int m, gannet_best_first_candidate *open,
                                  double *x) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double bounds[GANNET_TILE];
  int64_t number[GANNET_TILE];
  for (int p = 0; p < m; ++p) {
    number[p] = open[p].number;
    if (s->x) /* to make candidates one by one takes as long as their estimates */
      memcpy(x + (size_t)p * d, s->x + (size_t)number[p] * d, d * sizeof *x);
    else
      gannet_candidates_tile(s->candidates, number[p], 1, x + (size_t)p * d);
  }
  for (int i = 0; i < s->cached.models; ++i) {
    if (!takes_part(s, i)) continue;
    GANNET_TRY(gannet_estimator_moments(&s->estimator[i], m, x, s->mean, s->variance));
    gannet_cached_moments_lower(&s->cached, i, m, number, s->variance);
  }
  GANNET_TRY(bound_scores(s, m, NULL, number, bounds));
  for (int p = 0; p < m; ++p) open[p].value = fmin(open[p].value, bounds[p]);
  return GANNET_OK;
}

/* A gannet_best_first_tightener. Pivots of earlier rounds of the scan count, too. */
static gannet_err lower_bounds(void *user, int n_pivots, const int64_t *pivots, int64_t n,
                               gannet_best_first_candidate *open) {
  gannet_moments_scan *s = user;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double *x = NULL;
  bool able = false;
  for (int i = 0; i < n_pivots; ++i)
    gannet_candidates_tile(s->candidates, pivots[i], 1, s->pivots + (size_t)s->n_pivots++ * d);
  const gannet_estimator_spec spec = {GANNET_ESTIMATE_UPPER_BOUNDS, s->n_pivots, s->pivots};
  GANNET_TRY(gannet_models_estimators(s->score->member->models, &spec, s->estimator, &able));
  if (!able) return GANNET_OK;
  for (int i = 0; i < s->cached.models; ++i)
    if (takes_part(s, i)) GANNET_TRY(measure_error_of_lowered(s, i));
  gannet_err err = gannet_alloc(GANNET_TILE * d, sizeof *x, &x);
  for (int64_t first = 0; err == GANNET_OK && first < n; first += GANNET_TILE)
    err = lower_bounds_of(s, n - first < GANNET_TILE ? (int)(n - first) : GANNET_TILE, open + first,
                          x);
  gannet_free(&x);
  return err;
}

static gannet_err scan_once(gannet_moments_scan *s, const gannet_distinct *taken, int keep,
                            gannet_ranked *best, int64_t *scored) {
  const bool tightens = s->by_bounds;
  const gannet_best_first_spec spec = {.n_lists = 1,
                                       .keep = keep,
                                       .scorer = score_and_note,
                                       .bounder = bound_unit,
                                       .together = true,
                                       .open_share = share_scored_anyway,
                                       .own_units = s->cached.known ? s->cached.own : NULL,
                                       .tightener = tightens ? lower_bounds : NULL,
                                       .n_notes = s->cached.models,
                                       .noter = learn_variances,
                                       .n_leaders = &s->n_leaders,
                                       .leaders = s->leaders,
                                       .user = s};
  GANNET_TRY(
      gannet_best_first_scan(s->score->member->context, s->candidates, taken, &spec, best, scored));
  gannet_cached_moments_set_known(&s->cached, *scored > 0);
  if (!s->cached.known) s->n_leaders = 0;
  if (*scored < 0) *scored = 0;
  return GANNET_OK;
}

gannet_err gannet_moments_scan_best(void *user, const gannet_candidates *candidates,
                                    const gannet_distinct *taken, int keep, gannet_ranked *best,
                                    int64_t *scored) {
  gannet_moments_scan *s = user;
  const gannet_member *member = s->score->member;
  const bool is_long = gannet_history_count_told(member->history) >= GANNET_MOMENTS_LONG;
  const bool turning = member->options->acq_type->shape == GANNET_ACQ_TURNING;
  *scored = 0;
  s->candidates = candidates;
  if (!member->options->acq_type->score || gannet_candidates_count(candidates) < LEAST_CANDIDATES)
    return GANNET_OK;
  /* Variances fall from point to point, unless the factor needed more noise. */
  for (int i = 0; s->cached.known && i < models_of(s); ++i)
    if (gannet_surrogate_noise_var(model_of(s, i)) != s->noise[i]) forget_candidates(s);
  if (s->cached.known) {
    GANNET_TRY(continue_batch(s));
    GANNET_TRY(scan_once(s, taken, keep, best, scored));
  }
  for (int by_bounds = is_long && !turning; *scored == 0 && by_bounds >= 0; --by_bounds) {
    s->cached.wanted = s->cached.wanted || by_bounds;
    GANNET_TRY(begin_estimates(s, by_bounds));
    if (s->estimates) GANNET_TRY(scan_once(s, taken, keep, best, scored));
  }
  return GANNET_OK;
}
