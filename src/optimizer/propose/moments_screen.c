#include "optimizer/propose/moments_screen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"

enum {
  SAMPLE = GANNET_SAMPLE,
  FEW = 27, /* which fill no block, register or half of them */
  MEANS = 0,
  SDS = SAMPLE,
  REVERSED = 2 * SAMPLE, /* the same from behind */
  EXACT = 2 * REVERSED,
  ERROR_BOUNDS = MOMENTS_ERROR_BOUNDS,
  MEAN = MOMENTS_MEAN,
  SD = MOMENTS_SD,
  SCORE = MOMENTS_SCORE
};

/* How far the moments may be from those at hand; variances are not negative. With best only the
 * best that a candidate can be is wanted, for which the lower end of the mean is enough. */
typedef struct {
  double mean, below, above;
  bool best;
} range;

const double moments_safety = 16;
const double moments_rounding[] = {
    [GANNET_PRECISION_SINGLE] = 0x1p-20, [GANNET_PRECISION_DOUBLE] = 0x1p-46};

gannet_err gannet_moments_screen_prepare(gannet_moments_score *score, gannet_moments_screen *s) {
  const size_t models = (size_t)gannet_models_count(score->member->models);
  *s = (gannet_moments_screen){.score = score};
  GANNET_TRY(gannet_alloc(ERROR_BOUNDS * models, sizeof *s->error_bound, &s->error_bound));
  GANNET_TRY(gannet_alloc(models, sizeof *s->noise, &s->noise));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->variance));
  for (int i = 0; i < 3; ++i) GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->corner[i]));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->least));
  return gannet_alloc(GANNET_TILE, sizeof(double), &s->most);
}

void gannet_moments_screen_release(gannet_moments_screen *s) {
  gannet_free(&s->error_bound);
  gannet_free(&s->noise);
  gannet_free(&s->exact);
  gannet_free(&s->sample);
  gannet_free(&s->x);
  gannet_free(&s->pivots);
  gannet_free(&s->mean);
  gannet_free(&s->variance);
  for (int i = 0; i < 3; ++i) gannet_free(&s->corner[i]);
  gannet_free(&s->least);
  gannet_free(&s->most);
  gannet_cached_moments_release(&s->cached);
}

const gannet_surrogate *moments_screen_model(const gannet_moments_screen *s, int i) {
  return gannet_models_surrogate(s->score->member->models, i);
}

/* The candidates by which error bounds are measured: their exact moments, of which ranks make some
 * each, since one rank takes longer for them than for all estimates of the sample. */
static size_t exact_size(const gannet_moments_screen *s) {
  return (size_t)gannet_models_count(s->score->member->models) * EXACT + 1;
}

static double *exact_of(const gannet_moments_screen *s, int model) {
  return s->exact + (ptrdiff_t)model * EXACT;
}

moments_exact moments_screen_exact_of(const gannet_moments_screen *s, int model) {
  return (moments_exact){exact_of(s, model) + MEANS, exact_of(s, model) + SDS};
}

gannet_err moments_screen_take_sample(gannet_moments_screen *s,
                                      const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  s->candidates = candidates;
  if (s->sample) return GANNET_OK;
  GANNET_TRY(gannet_alloc(exact_size(s), sizeof *s->exact, &s->exact));
  GANNET_TRY(gannet_alloc(SAMPLE * d, sizeof *s->sample, &s->sample));
  gannet_propose_sample_candidates(candidates, s->sample);
  return GANNET_OK;
}

/* Some consecutive points of the sample as it is, or from behind. */
typedef struct {
  bool reversed;
  int first, n;
} piece;

static gannet_err predict_piece(const gannet_moments_screen *s, int i, piece p) {
  const gannet_surrogate *model = moments_screen_model(s, i);
  const int d = gannet_surrogate_dimension(model);
  double *to = exact_of(s, i) + (p.reversed ? REVERSED : 0) + p.first;
  if (p.reversed) gannet_propose_reverse_sample(d, s->sample);
  const gannet_err err =
      gannet_surrogate_predict(model, p.n, s->sample + p.first * d, to + MEANS, to + SDS);
  if (p.reversed) gannet_propose_reverse_sample(d, s->sample);
  return err;
}

/* The pieces of this rank, of two ranks as many points each; the other numbers are 0. The last one
 * tells that estimates are of no use. */
static gannet_err predict_own_pieces(const gannet_moments_screen *s) {
  const gannet_context *context = s->score->member->context;
  const int cut = context->np > 1 ? SAMPLE - FEW : SAMPLE;
  const piece pieces[] = {
      {false, 0, cut}, {true, 0, FEW}, {false, cut, SAMPLE - cut}, {true, FEW, SAMPLE - FEW}};
  const size_t size = exact_size(s);
  memset(s->exact, 0, size * sizeof *s->exact);
  s->exact[size - 1] = !s->estimates;
  for (int i = 0; s->estimates && i < gannet_models_count(s->score->member->models); ++i)
    for (int k = context->rank; k < 4; k += context->np) GANNET_TRY(predict_piece(s, i, pieces[k]));
  return GANNET_OK;
}

gannet_err moments_screen_exact(gannet_moments_screen *s) {
  const gannet_context *context = s->score->member->context;
  const size_t size = exact_size(s);
  if (!s->exact) return GANNET_OK;
  GANNET_TRY(gannet_agree(context->comm, predict_own_pieces(s)));
  if (context->np > 1) GANNET_TRY(gannet_partition_gather(context->comm, size, s->exact));
  s->estimates = !(s->exact[size - 1] > 0);
  for (int i = 0; s->estimates && i < gannet_models_count(s->score->member->models); ++i) {
    const double *exact = exact_of(s, i), *reversed = exact + REVERSED;
    for (int p = 0; p < SAMPLE && s->estimates; ++p)
      s->estimates = reversed[MEANS + p] == exact[MEANS + SAMPLE - 1 - p] &&
                     reversed[SDS + p] == exact[SDS + SAMPLE - 1 - p];
  }
  return GANNET_OK;
}

/* Error bounds of one model, by the exact moments; x: [SAMPLE][d]. */
static gannet_err measure_error_bounds(gannet_moments_screen *s, int i, const double *x) {
  const moments_exact exact = moments_screen_exact_of(s, i);
  double *error_bound = s->error_bound + (ptrdiff_t)i * ERROR_BOUNDS, error[2] = {0}, size[2] = {0};
  GANNET_TRY(gannet_surrogate_moment_estimates(moments_screen_model(s, i), SAMPLE, x, s->mean,
                                               s->variance));
  gannet_cached_moments_put_sample(&s->cached, i, s->mean, s->variance);
  for (int p = 0; p < SAMPLE; ++p) {
    const double mean = exact.mean[p], variance = exact.sd[p] * exact.sd[p];
    const double by[2] = {s->mean[p] - mean, s->variance[p] - variance};
    if (!isfinite(by[0] + by[1])) s->estimates = false;
    for (int k = 0; k < 2; ++k) error[k] = fmax(error[k], fabs(by[k]));
    size[0] = fmax(size[0], fabs(mean));
    size[1] = fmax(size[1], variance);
  }
  for (int k = 0; k < 2; ++k)
    error_bound[OF_CACHED_MEAN + k] = error_bound[OF_MEAN + k] =
        fmax(moments_safety * error[k], moments_rounding[s->precision] * size[k]);
  error_bound[ABOVE_KNOWN_VARIANCE] =
      moments_safety * moments_rounding[GANNET_PRECISION_DOUBLE] * size[1];
  return GANNET_OK;
}

bool moments_screen_pays(const gannet_moments_screen *s, const gannet_candidates *candidates) {
  enum { LEAST_CANDIDATES = 1000 }; /* as for draws (optimizer/propose/draws_score.c) */
  return s->score->member->options->acq_type->kind == GANNET_ACQ_MOMENTS &&
         gannet_candidates_count(candidates) >= LEAST_CANDIDATES;
}

static gannet_err prepare_estimates(gannet_moments_screen *s, const gannet_candidates *candidates,
                                    gannet_precision precision) {
  const gannet_member *member = s->score->member;
  s->estimates = s->placed = false;
  s->precision = precision;
  s->candidates = candidates;
  moments_screen_note_noise(s);
  if (!moments_screen_pays(s, candidates)) return GANNET_OK;
  if (!member->options->acq_type->wants_minima)
    GANNET_TRY(gannet_cached_moments_reserve(&s->cached, gannet_models_count(member->models),
                                             gannet_candidates_count(candidates)));
  GANNET_TRY(moments_screen_take_sample(s, candidates));
  return gannet_models_moments_prepare(member->models, precision, &s->estimates);
}

void moments_screen_note_noise(gannet_moments_screen *s) {
  for (int i = 0; i < gannet_models_count(s->score->member->models); ++i)
    s->noise[i] = gannet_surrogate_noise_var(moments_screen_model(s, i));
}

gannet_err moments_screen_agree(gannet_moments_screen *s) {
  const gannet_member *member = s->score->member;
  const MPI_Comm comm = member->context->comm;
  const int models = gannet_models_count(member->models);
  int estimates = s->estimates;
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, s->error_bound, ERROR_BOUNDS * models, MPI_DOUBLE,
                               MPI_MAX, comm));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &estimates, 1, MPI_INT, MPI_MIN, comm));
  s->estimates = estimates;
  return GANNET_OK;
}

gannet_err gannet_moments_screen_measure(gannet_moments_screen *s,
                                         const gannet_candidates *candidates,
                                         gannet_precision precision) {
  const gannet_context *context = s->score->member->context;
  GANNET_TRY(gannet_agree(context->comm, prepare_estimates(s, candidates, precision)));
  GANNET_TRY(moments_screen_exact(s));
  gannet_err err = GANNET_OK;
  const int models = gannet_models_count(s->score->member->models);
  const bool measured = s->estimates;
  for (int i = 0; measured && err == GANNET_OK && i < models; ++i)
    err = measure_error_bounds(s, i, s->sample);
  GANNET_TRY(gannet_agree(context->comm, err));
  return moments_screen_agree(s);
}

gannet_err gannet_moments_screen_tighten(void *user, bool *again) {
  gannet_moments_screen *s = user;
  *again = false;
  if (s->precision == GANNET_PRECISION_DOUBLE) return GANNET_OK;
  gannet_cached_moments_forget(&s->cached);
  s->tightened = true;
  GANNET_TRY(gannet_moments_screen_measure(s, s->candidates, GANNET_PRECISION_DOUBLE));
  *again = s->estimates;
  return GANNET_OK;
}

gannet_err gannet_moments_screen_points(void *user, int m, const double *x_unit, int64_t first,
                                        double *scores, int ld) {
  const gannet_moments_screen *s = user;
  return gannet_moments_score_points(s->score, m, x_unit, first, scores, ld);
}

static void score_corner(const gannet_moments_screen *s, int model, int m) {
  const gannet_member_options *options = s->score->member->options;
  if (model == 0) {
    options->acq_type->score(options->acq_options, &s->score->state, m, s->corner[MEAN],
                             s->corner[SD], s->corner[SCORE]);
    return;
  }
  for (int p = 0; p < m; ++p)
    s->corner[SCORE][p] =
        gannet_moments_score_constraint(s->score, model, s->corner[MEAN][p], s->corner[SD][p]);
}

/* Smallest and largest value of a model's part of the score, added to least and most. Nothing is
 * bounded by what is not a number at a corner, nor by estimates that overflowed: acquisitions take
 * a deviation that is not a number for none. */
static void add_range(gannet_moments_screen *s, int model, const range *r, int m, double *least,
                      double *most) {
  enum { CORNERS = 4 };
  const bool rises = model == 0 && s->score->member->options->acq_type->rises;
  double low[GANNET_TILE], high[GANNET_TILE];
  for (int p = 0; p < m; ++p) low[p] = INFINITY, high[p] = -INFINITY;
  for (int corner = r->best && rises ? 2 : 0; corner < CORNERS; corner += r->best ? 2 : 1) {
    const double by_mean = corner & 1 ? r->mean : -r->mean;
    const double by_variance = corner & 2 ? r->above : -r->below;
    for (int p = 0; p < m; ++p) {
      s->corner[MEAN][p] = s->mean[p] + by_mean;
      s->corner[SD][p] = sqrt(fmax(0, s->variance[p] + by_variance));
    }
    score_corner(s, model, m);
    for (int p = 0; p < m; ++p) {
      const double score = s->corner[SCORE][p];
      const bool known = !isnan(score) && isfinite(s->mean[p]) && isfinite(s->variance[p]);
      low[p] = known ? fmin(low[p], score) : -INFINITY;
      high[p] = known ? fmax(high[p], score) : INFINITY;
    }
  }
  for (int p = 0; p < m; ++p) {
    least[p] += low[p];
    most[p] += high[p];
  }
}

/* Add the part of one model to bounds of scores: by estimates at x_unit, which are then cached, or
 * without x_unit by what is cached. */
static gannet_err add_model(gannet_moments_screen *s, int model, int m, const double *x_unit,
                            const int64_t *number, double *least, double *most) {
  const double *error_bound = s->error_bound + (ptrdiff_t)model * ERROR_BOUNDS;
  const range near = {error_bound[OF_MEAN], error_bound[OF_VARIANCE], error_bound[OF_VARIANCE],
                      false};
  const range cached = {error_bound[OF_CACHED_MEAN], INFINITY, 0, true};
  const gannet_moments_above above = {error_bound[ABOVE_CACHED_VARIANCE],
                                      error_bound[ABOVE_KNOWN_VARIANCE]};
  if (x_unit) {
    GANNET_TRY(gannet_surrogate_moment_estimates(moments_screen_model(s, model), m, x_unit, s->mean,
                                                 s->variance));
    gannet_cached_moments_put(&s->cached, model, number[0], m, s->mean, s->variance);
  } else {
    gannet_cached_moments_get(&s->cached, model, m, number, &above, s->mean, s->variance);
  }
  add_range(s, model, x_unit ? &near : &cached, m, least, most);
  return GANNET_OK;
}

gannet_err moments_screen_bound(gannet_moments_screen *s, int m, const double *x_unit,
                                const int64_t *number, double *lower, double *upper) {
  const size_t size = (size_t)m * sizeof(double);
  const bool inside = gannet_moments_score_by_bounds(s->score);
  const int models = gannet_models_count(s->score->member->models);
  double *least = inside ? s->least : lower, *most = inside ? s->most : upper;
  memset(lower, 0, size);
  memset(upper, 0, size);
  memset(s->least, 0, size);
  memset(s->most, 0, size);
  if (gannet_moments_score_wants_objective(s->score))
    GANNET_TRY(add_model(s, 0, m, x_unit, number, lower, upper));
  for (int i = 1; i < models; ++i) GANNET_TRY(add_model(s, i, m, x_unit, number, least, most));
  for (int p = 0; p < m && inside && models > 1; ++p) {
    lower[p] = gannet_moments_score_inside(lower[p], most[p]);
    upper[p] = gannet_moments_score_inside(upper[p], least[p]);
  }
  for (int p = 0; p < m; ++p) { /* scores are summed in another order than exact ones */
    lower[p] = isfinite(lower[p]) ? lower[p] - 1e-12 * fabs(lower[p]) : -INFINITY;
    upper[p] = isfinite(upper[p]) ? upper[p] + 1e-12 * fabs(upper[p]) : INFINITY;
  }
  return GANNET_OK;
}

gannet_err gannet_moments_screen_bounds(void *user, int m, const double *x_unit, int64_t first,
                                        double *lower, double *upper, int ld) {
  (void)ld;
  return moments_screen_bound(user, m, x_unit, &first, lower, upper);
}

void gannet_moments_screen_scan_ended(gannet_moments_screen *s,
                                      const gannet_screen_report *report) {
  gannet_cached_moments_set_known(&s->cached, report->scored > 0 && !report->complete);
}
