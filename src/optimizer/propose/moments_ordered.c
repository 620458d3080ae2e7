#include "optimizer/propose/moments_ordered.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/propose/moments_screen.h"
#include "search/best_first.h"

enum {
  SAMPLE = GANNET_SAMPLE,
  ERROR_BOUNDS = MOMENTS_ERROR_BOUNDS,
  MOST_PIVOTS = GANNET_BEST_FIRST_PIVOTS * GANNET_BEST_FIRST_ROUNDS,
  MOST_COORDINATES = 1 << 21
};

/* When upper bounds cannot be lowered any further, the open candidates are scored if they are no
 * more than this share of all. Otherwise the scan begins anew in double precision, or without
 * bounds. */
static const double share_scored_anyway[] = {
    [GANNET_PRECISION_SINGLE] = 0.06, [GANNET_PRECISION_DOUBLE] = 0.5};

/* A gannet_best_first_bounder. */
static gannet_err bound_candidates(void *user, int m, int64_t first, double *upper_bounds) {
  double lower[GANNET_TILE];
  int64_t number[GANNET_TILE];
  for (int i = 0; i < m; ++i) number[i] = first + i;
  return moments_screen_bound(user, m, NULL, number, lower, upper_bounds);
}

/* Whether model i has a part in scores. */
static bool takes_part(const gannet_moments_screen *s, int i) {
  return i > 0 || gannet_moments_score_wants_objective(s->score);
}

/* A gannet_best_first_scorer. What it finds bounds variances at later points of the batch. */
static gannet_err score_and_note(void *user, int m, const int64_t *number, const double *x_unit,
                                 double *scores) {
  gannet_moments_screen *s = user;
  GANNET_TRY(gannet_moments_score_points(s->score, m, x_unit, -1, scores, m));
  for (int i = 0; i < s->cached.models; ++i)
    if (takes_part(s, i))
      gannet_cached_moments_learn(&s->cached, i, m, number,
                                  s->score->last_sd + (size_t)i * GANNET_TILE);
  return GANNET_OK;
}

static bool is_long(const gannet_moments_screen *s) {
  return gannet_history_count_told(s->score->member->history) >= GANNET_MOMENTS_LONG;
}

static gannet_err reserve_work(gannet_moments_screen *s, const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  const size_t coordinates = (size_t)gannet_candidates_count(candidates) * d;
  GANNET_TRY(moments_screen_take_sample(s, candidates));
  if (s->pivots) return GANNET_OK;
  if (coordinates <= MOST_COORDINATES) GANNET_TRY(gannet_alloc(coordinates, sizeof *s->x, &s->x));
  return gannet_alloc(MOST_PIVOTS * d, sizeof *s->pivots, &s->pivots);
}

/* Error bounds of one model's means; variances without pivots are right. */
static gannet_err measure_error_of_means(gannet_moments_screen *s, int i) {
  double *error_bound = s->error_bound + (ptrdiff_t)i * ERROR_BOUNDS, error = 0, size[2] = {0};
  const moments_exact exact = moments_screen_exact_of(s, i);
  GANNET_TRY(gannet_surrogate_moment_estimates(moments_screen_model(s, i), SAMPLE, s->sample,
                                               s->mean, s->variance));
  for (int p = 0; p < SAMPLE; ++p) {
    if (!isfinite(s->mean[p]) || !(s->variance[p] >= 0)) s->estimates = false;
    error = fmax(error, fabs(s->mean[p] - exact.mean[p]));
    size[0] = fmax(size[0], fabs(exact.mean[p]));
    size[1] = fmax(size[1], s->variance[p]);
  }
  error_bound[OF_CACHED_MEAN] =
      fmax(moments_safety * error, moments_rounding[s->precision] * size[0]);
  error_bound[ABOVE_CACHED_VARIANCE] = moments_rounding[s->precision] * size[1];
  error_bound[ABOVE_KNOWN_VARIANCE] =
      moments_safety * moments_rounding[GANNET_PRECISION_DOUBLE] * size[1];
  gannet_cached_moments_put_sample(&s->cached, i, s->mean, s->variance);
  return GANNET_OK;
}

/* spare: [GANNET_TILE][d] */
static gannet_err estimate_tile(gannet_moments_screen *s, int64_t first, double *spare) {
  double *x = s->x ? s->x + first * gannet_candidates_dimension(s->candidates) : spare;
  const int64_t left = gannet_candidates_count(s->candidates) - first;
  const int m = left < GANNET_TILE ? (int)left : GANNET_TILE;
  gannet_candidates_tile(s->candidates, first, m, x);
  for (int i = 0; i < s->cached.models; ++i) {
    if (!takes_part(s, i)) continue;
    GANNET_TRY(
        gannet_surrogate_moment_estimates(moments_screen_model(s, i), m, x, s->mean, s->variance));
    gannet_cached_moments_put(&s->cached, i, first, m, s->mean, s->variance);
  }
  return GANNET_OK;
}

/* Means, and prior variances, of the tiles of this rank. */
static gannet_err estimate_own_tiles(gannet_moments_screen *s) {
  double *x = NULL;
  gannet_queue queue = gannet_scan_queue(s->score->member->context, s->candidates);
  gannet_err err =
      gannet_alloc(GANNET_TILE * (size_t)gannet_candidates_dimension(s->candidates), sizeof *x, &x);
  for (int64_t tile; err == GANNET_OK && (tile = gannet_queue_next(&queue)) >= 0;)
    err = estimate_tile(s, tile * GANNET_TILE, x);
  gannet_queue_close(&queue);
  gannet_free(&x);
  s->placed = s->x != NULL;
  return err;
}

/* Sets estimates where the models give means and upper bounds of variances. */
static gannet_err prepare_bounds(gannet_moments_screen *s, const gannet_candidates *candidates,
                                 gannet_precision precision) {
  gannet_models *models = s->score->member->models;
  s->precision = precision;
  s->cached.wanted = true;
  s->n_pivots = s->n_leaders = 0;
  GANNET_TRY(gannet_cached_moments_reserve(&s->cached, gannet_models_count(models),
                                           gannet_candidates_count(candidates)));
  if (s->cached.count == 0) return GANNET_OK;
  GANNET_TRY(reserve_work(s, candidates));
  return gannet_models_variance_upper_bound_prepare(models, precision, 0, NULL, &s->estimates);
}

/* The first point of a batch. */
static gannet_err begin_batch(gannet_moments_screen *s, const gannet_candidates *candidates,
                              gannet_precision precision) {
  const gannet_context *context = s->score->member->context;
  s->estimates = false;
  s->points = 0;
  moments_screen_note_noise(s);
  memset(s->error_bound, 0,
         (size_t)gannet_models_count(s->score->member->models) * ERROR_BOUNDS *
             sizeof *s->error_bound);
  GANNET_TRY(gannet_agree(context->comm, prepare_bounds(s, candidates, precision)));
  GANNET_TRY(moments_screen_exact(s));
  gannet_err err = GANNET_OK;
  const bool measured = s->estimates;
  for (int i = 0; measured && err == GANNET_OK && i < s->cached.models; ++i)
    err = measure_error_of_means(s, i);
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY(moments_screen_agree(s));
  if (!s->estimates) return GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, estimate_own_tiles(s)));
  gannet_cached_moments_set_known(&s->cached, true);
  return GANNET_OK;
}

/* Error bounds of a model's moments that were cached, by n candidates of the sample at x; not less
 * than they were. */
static gannet_err measure_error_of_cached(gannet_moments_screen *s, int i, int first, int n,
                                          const double *x) {
  const gannet_moments_arrays cached = gannet_cached_moments_sample(&s->cached, i);
  double *error_bound = s->error_bound + (ptrdiff_t)i * ERROR_BOUNDS, *mean = s->mean,
         *sd = s->variance;
  double error[2] = {0};
  GANNET_TRY(gannet_surrogate_predict(moments_screen_model(s, i), n, x, mean, sd));
  for (int p = 0; p < n; ++p) {
    const double by[2] = {fabs(cached.mean[first + p] - mean[p]),
                          sd[p] * sd[p] - cached.variance[first + p]};
    for (int k = 0; k < 2; ++k) error[k] = isfinite(by[k]) ? fmax(error[k], by[k]) : INFINITY;
  }
  for (int k = 0; k < 2; ++k)
    error_bound[OF_CACHED_MEAN + k] =
        fmax(moments_safety * error[k], error_bound[OF_CACHED_MEAN + k]);
  return GANNET_OK;
}

/* A later point: every one measures by another part of the sample, and every rank by some of it. */
static gannet_err continue_batch(gannet_moments_screen *s, const gannet_candidates *candidates) {
  enum { PART = SAMPLE / 4 };
  const gannet_context *context = s->score->member->context;
  const int np = context->np, from = PART * (s->points++ % 4);
  const int first = from + (int)((int64_t)PART * context->rank / np);
  const int n = from + (int)((int64_t)PART * (context->rank + 1) / np) - first;
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  gannet_err err = reserve_work(s, candidates);
  s->n_pivots = 0;
  for (int i = 0; i < s->cached.models && err == GANNET_OK; ++i)
    if (takes_part(s, i))
      err = measure_error_of_cached(s, i, first, n, s->sample + (size_t)first * d);
  GANNET_TRY(gannet_agree(context->comm, err));
  return moments_screen_agree(s);
}

/* By the errors that the estimates of upper bounds have at the sample; none may be below a
 * variance, as they were at the first point. */
static gannet_err measure_error_of_lowered(gannet_moments_screen *s, int i) {
  double *error_bound = s->error_bound + (ptrdiff_t)i * ERROR_BOUNDS,
         *upper_bounds = s->corner[MOMENTS_SD], error = 0;
  const gannet_surrogate *model = moments_screen_model(s, i);
  const double *sd = moments_screen_exact_of(s, i).sd; /* at the first point of a batch */
  GANNET_TRY(gannet_surrogate_variance_upper_bound(model, SAMPLE, s->sample, upper_bounds));
  GANNET_TRY(gannet_surrogate_moment_estimates(model, SAMPLE, s->sample, s->mean, s->variance));
  for (int p = 0; p < SAMPLE; ++p) {
    error = fmax(error, fabs(s->variance[p] - upper_bounds[p]));
    if (s->points == 0) error = fmax(error, sd[p] * sd[p] - s->variance[p]);
  }
  gannet_cached_moments_lower_sample(&s->cached, i, s->variance);
  error_bound[ABOVE_CACHED_VARIANCE] =
      fmax(moments_safety * error, error_bound[ABOVE_CACHED_VARIANCE]);
  return GANNET_OK;
}

/* Ceilings of some candidates; x: [m][d]. */
static gannet_err lower_bounds_of(gannet_moments_screen *s, int m,
                                  gannet_best_first_candidate *some, double *x) {
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double low[GANNET_TILE], high[GANNET_TILE];
  int64_t number[GANNET_TILE];
  for (int p = 0; p < m; ++p) {
    number[p] = some[p].number;
    if (s->placed) /* to make candidates one by one takes as long as their estimates */
      memcpy(x + (size_t)p * d, s->x + (size_t)number[p] * d, d * sizeof *x);
    else
      gannet_candidates_tile(s->candidates, number[p], 1, x + (size_t)p * d);
  }
  for (int i = 0; i < s->cached.models; ++i) {
    if (!takes_part(s, i)) continue;
    GANNET_TRY(
        gannet_surrogate_moment_estimates(moments_screen_model(s, i), m, x, s->mean, s->variance));
    gannet_cached_moments_lower(&s->cached, i, m, number, s->variance);
  }
  GANNET_TRY(moments_screen_bound(s, m, NULL, number, low, high));
  for (int p = 0; p < m; ++p)
    if (high[p] < some[p].value) some[p].value = high[p];
  return GANNET_OK;
}

/* A gannet_best_first_tightener. Pivots of earlier rounds of the scan count, too. */
static gannet_err lower_bounds(void *user, int n_pivots, const int64_t *pivots, int64_t n,
                               gannet_best_first_candidate *left) {
  gannet_moments_screen *s = user;
  const size_t d = (size_t)gannet_candidates_dimension(s->candidates);
  double *x = NULL;
  bool able = false;
  for (int i = 0; i < n_pivots; ++i)
    gannet_candidates_tile(s->candidates, pivots[i], 1, s->pivots + (size_t)s->n_pivots++ * d);
  GANNET_TRY(gannet_models_variance_upper_bound_prepare(s->score->member->models, s->precision,
                                                        s->n_pivots, s->pivots, &able));
  if (!able) return GANNET_OK;
  for (int i = 0; i < s->cached.models; ++i)
    if (takes_part(s, i)) GANNET_TRY(measure_error_of_lowered(s, i));
  gannet_err err = gannet_alloc(GANNET_TILE * d, sizeof *x, &x);
  for (int64_t first = 0; err == GANNET_OK && first < n; first += GANNET_TILE)
    err = lower_bounds_of(s, n - first < GANNET_TILE ? (int)(n - first) : GANNET_TILE, left + first,
                          x);
  gannet_free(&x);
  return err;
}

bool gannet_moments_ordered_can(const gannet_moments_screen *s,
                                const gannet_candidates *candidates) {
  const gannet_member *member = s->score->member;
  if (!s->cached.known && !is_long(s)) return false;
  return moments_screen_pays(s, candidates) && !member->options->acq_type->wants_minima &&
         member->options->search.precision != GANNET_SCAN_EXACT &&
         (takes_part(s, 0) || gannet_models_count(member->models) > 1);
}

/* Forget all that is cached, and the leaders: another rank may have their tiles next time. */
static void forget_candidates(gannet_moments_screen *s) {
  gannet_cached_moments_forget(&s->cached);
  s->placed = false;
  s->n_leaders = 0;
}

/* Scan in the order of the upper bounds that are cached. */
static gannet_err scan_once(gannet_moments_screen *s, const gannet_candidates *candidates,
                            const gannet_distinct *taken, int keep, gannet_ranked *best,
                            int64_t *scored) {
  const gannet_best_first_spec spec = {.keep = keep,
                                       .scorer = score_and_note,
                                       .bounder = bound_candidates,
                                       .tightener = is_long(s) ? lower_bounds : NULL,
                                       .open_share = share_scored_anyway[s->precision],
                                       .own_tiles = s->cached.own,
                                       .n_leaders = &s->n_leaders,
                                       .leaders = s->leaders,
                                       .user = s};
  return gannet_best_first_scan(s->score->member->context, candidates, taken, &spec, best, scored);
}

gannet_err gannet_moments_ordered_scan(gannet_moments_screen *s,
                                       const gannet_candidates *candidates,
                                       const gannet_distinct *taken, gannet_precision precision,
                                       int keep, gannet_ranked *best, int64_t *scored) {
  *scored = 0;
  /* Variances fall from point to point, unless the factor needed more noise. */
  for (int i = 0; s->cached.known && i < s->cached.models; ++i)
    if (gannet_surrogate_noise_var(moments_screen_model(s, i)) != s->noise[i]) forget_candidates(s);
  if (!s->cached.known && !is_long(s)) return GANNET_OK;
  GANNET_TRY(s->cached.known ? continue_batch(s, candidates)
                             : begin_batch(s, candidates, precision));
  if (!s->cached.known) return GANNET_OK;
  GANNET_TRY(scan_once(s, candidates, taken, keep, best, scored));
  if (*scored == 0 && s->precision == GANNET_PRECISION_SINGLE && is_long(s)) {
    /* Where the best scores differ by less than single precision resolves, double does. */
    forget_candidates(s);
    s->tightened = true;
    GANNET_TRY(begin_batch(s, candidates, GANNET_PRECISION_DOUBLE));
    if (s->cached.known) GANNET_TRY(scan_once(s, candidates, taken, keep, best, scored));
  }
  if (*scored <= 0) forget_candidates(s);
  if (*scored < 0) *scored = 0;
  return GANNET_OK;
}
