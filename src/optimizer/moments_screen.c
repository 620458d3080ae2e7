#include "optimizer/moments_screen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* As for draws (optimizer/draws_score.c). */
enum { SAMPLE = GANNET_MOMENTS_SAMPLE, LEAST_CANDIDATES = 1000 };
static const double safety = 16;
static const double rounding[] = {
    [GANNET_PRECISION_SINGLE] = 0x1p-20, [GANNET_PRECISION_DOUBLE] = 0x1p-46};

enum { MEAN, SD, SCORE };

gannet_err gannet_moments_screen_prepare(gannet_moments_score *score, gannet_moments_screen *s) {
  const size_t models = (size_t)gannet_models_count(score->member->models);
  *s = (gannet_moments_screen){.score = score};
  GANNET_TRY(gannet_alloc(2 * models, sizeof *s->margin, &s->margin));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->variance));
  for (int i = 0; i < 3; ++i) GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->corner[i]));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->least));
  return gannet_alloc(GANNET_TILE, sizeof(double), &s->most);
}

void gannet_moments_screen_release(gannet_moments_screen *s) {
  gannet_free(&s->margin);
  gannet_free(&s->mean);
  gannet_free(&s->variance);
  for (int i = 0; i < 3; ++i) gannet_free(&s->corner[i]);
  gannet_free(&s->least);
  gannet_free(&s->most);
  gannet_moments_kept_release(&s->kept);
}

static const gannet_surrogate *model_of(const gannet_moments_screen *s, int i) {
  return gannet_models_surrogate(s->score->member->models, i);
}

/* The last point first; x: [SAMPLE][d]. */
static void turn_around(size_t d, double *x) {
  for (size_t p = 0; p < SAMPLE / 2; ++p)
    for (size_t k = 0; k < d; ++k) {
      double *one = x + p * d + k, *other = x + (SAMPLE - 1 - p) * d + k, kept = *one;
      *one = *other;
      *other = kept;
    }
}

/* Whether moments are the same in another place of a group; x: [SAMPLE][d], turned around. */
static gannet_err check_places(gannet_moments_screen *s, int i, const double *mean,
                               const double *sd, const double *x) {
  double *again = s->least, *sd_again = s->most;
  GANNET_TRY(gannet_surrogate_predict(model_of(s, i), SAMPLE, x, again, sd_again));
  for (int p = 0; p < SAMPLE; ++p)
    if (again[p] != mean[SAMPLE - 1 - p] || sd_again[p] != sd[SAMPLE - 1 - p]) s->estimates = false;
  return GANNET_OK;
}

/* Candidates of the sample that this rank measures by: all of them while it is not known whether
 * their places matter, later a part, as other ranks have theirs. */
static void choose_sample(const gannet_moments_screen *s, int *first, int *n) {
  const gannet_context *context = s->score->member->context;
  const bool shared = gannet_moments_kept_any(&s->kept);
  const int64_t ranks = shared ? context->np : 1, rank = shared ? context->rank : 0;
  *first = (int)(SAMPLE * rank / ranks);
  *n = (int)(SAMPLE * (rank + 1) / ranks) - *first;
}

/* Margins of one model by these candidates; x: [SAMPLE][d]. */
static gannet_err measure_model(gannet_moments_screen *s, int i, int first, int n, double *x) {
  const size_t d = (size_t)gannet_surrogate_dimension(model_of(s, i));
  double *mean = s->corner[MEAN], *sd = s->corner[SD], error[2] = {0}, size[2] = {0};
  double *known = gannet_moments_kept_sample(&s->kept, i);
  const double *at = x + (size_t)first * d;
  GANNET_TRY(gannet_surrogate_predict(model_of(s, i), n, at, mean, sd));
  GANNET_TRY(gannet_moments_kept_estimate(&s->kept, i, model_of(s, i), n, at,
                                          known ? known + first : NULL, s->mean, s->variance));
  for (int p = 0; p < n; ++p) {
    const double by[2] = {s->mean[p] - mean[p], s->variance[p] - sd[p] * sd[p]};
    if (!isfinite(by[0] + by[1])) s->estimates = false;
    for (int k = 0; k < 2; ++k) error[k] = fmax(error[k], fabs(by[k]));
    size[0] = fmax(size[0], fabs(mean[p]));
    size[1] = fmax(size[1], sd[p] * sd[p]);
  }
  for (int k = 0; k < 2; ++k)
    s->margin[2 * i + k] = fmax(safety * error[k], rounding[s->precision] * size[k]);
  if (gannet_moments_kept_any(&s->kept)) return GANNET_OK;
  turn_around(d, x);
  const gannet_err err = check_places(s, i, mean, sd, x);
  turn_around(d, x);
  return err;
}

static gannet_err measure_all(gannet_moments_screen *s, const gannet_candidates *candidates) {
  const size_t d = (size_t)gannet_candidates_dimension(candidates);
  const int64_t n = gannet_candidates_count(candidates);
  double *x = NULL;
  GANNET_TRY(gannet_alloc(SAMPLE * d, sizeof *x, &x));
  for (int i = 0; i < SAMPLE; ++i)
    gannet_candidates_tile(candidates, (int64_t)((double)n * (i + 0.5) / SAMPLE), 1,
                           x + (size_t)i * d);
  const int models = gannet_models_count(s->score->member->models);
  int first, of_rank;
  choose_sample(s, &first, &of_rank);
  gannet_err err = GANNET_OK;
  for (int i = 0; i < models && err == GANNET_OK; ++i) err = measure_model(s, i, first, of_rank, x);
  gannet_free(&x);
  return err;
}

/* From the variances that are known on where all models are able to, or else anew. */
static gannet_err prepare_models(gannet_moments_screen *s) {
  gannet_models *models = s->score->member->models;
  gannet_moments_kept *kept = &s->kept;
  if (gannet_moments_kept_any(kept)) {
    memcpy(kept->rows, kept->known, (size_t)kept->models * sizeof *kept->rows);
    GANNET_TRY(gannet_models_moments_prepare(models, s->precision, kept->rows, &s->estimates));
    if (s->estimates) return GANNET_OK;
  }
  gannet_moments_kept_forget(kept);
  if (kept->count > 0) memset(kept->rows, 0, (size_t)kept->models * sizeof *kept->rows);
  return gannet_models_moments_prepare(models, s->precision, kept->rows, &s->estimates);
}

static gannet_err measure(gannet_moments_screen *s, const gannet_candidates *candidates,
                          gannet_precision precision) {
  const gannet_member *member = s->score->member;
  s->estimates = false;
  s->precision = precision;
  s->candidates = candidates;
  if (member->options->acq_type->kind != GANNET_ACQ_MOMENTS ||
      gannet_candidates_count(candidates) < LEAST_CANDIDATES)
    return GANNET_OK;
  GANNET_TRY(gannet_moments_kept_reserve(&s->kept, gannet_models_count(member->models),
                                         gannet_candidates_count(candidates)));
  GANNET_TRY(prepare_models(s));
  return s->estimates ? measure_all(s, candidates) : GANNET_OK;
}

/* The largest margins of all ranks. Variances that some rank cannot go on from are of no use to the
 * others, which would leave its tiles to it: then all measure again. */
static gannet_err agree_on_margins(gannet_moments_screen *s, bool *again) {
  const gannet_member *member = s->score->member;
  const MPI_Comm comm = member->context->comm;
  const bool goes_on = gannet_moments_kept_any(&s->kept);
  int all[3] = {s->estimates, goes_on, !goes_on};
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, s->margin, 2 * gannet_models_count(member->models),
                               MPI_DOUBLE, MPI_MAX, comm));
  GANNET_TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_INT, MPI_MIN, comm));
  s->estimates = all[0];
  *again = !all[1] && !all[2];
  if (*again) gannet_moments_kept_forget(&s->kept);
  return GANNET_OK;
}

gannet_err gannet_moments_screen_measure(gannet_moments_screen *s,
                                         const gannet_candidates *candidates,
                                         gannet_precision precision) {
  bool again = true;
  while (again) {
    GANNET_TRY(gannet_agree(s->score->member->context->comm, measure(s, candidates, precision)));
    GANNET_TRY(agree_on_margins(s, &again));
  }
  return GANNET_OK;
}

gannet_err gannet_moments_screen_sharpen(void *user, bool *again) {
  gannet_moments_screen *s = user;
  const bool anew = gannet_moments_kept_any(&s->kept);
  *again = false;
  if (!anew && s->precision == GANNET_PRECISION_DOUBLE) return GANNET_OK;
  gannet_moments_kept_forget(&s->kept);
  GANNET_TRY(gannet_moments_screen_measure(s, s->candidates,
                                           anew ? s->precision : GANNET_PRECISION_DOUBLE));
  *again = s->estimates;
  return GANNET_OK;
}

gannet_err gannet_moments_screen_points(void *user, int m, const double *x_unit, int64_t first,
                                        double *scores, int ld) {
  const gannet_moments_screen *s = user;
  return gannet_moments_score_points(s->score, m, x_unit, first, scores, ld);
}

/* Moments at one of the four corners of their margins. */
static void move_to_corner(const gannet_moments_screen *s, int model, int corner, int m) {
  const double by_mean = (corner & 1 ? 1 : -1) * s->margin[2 * model];
  const double by_variance = (corner & 2 ? 1 : -1) * s->margin[2 * model + 1];
  for (int p = 0; p < m; ++p) {
    s->corner[MEAN][p] = s->mean[p] + by_mean;
    s->corner[SD][p] = sqrt(fmax(0, s->variance[p] + by_variance));
  }
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
static gannet_err add_model(gannet_moments_screen *s, int model, int m, const double *x_unit,
                            int64_t first, double *least, double *most) {
  enum { CORNERS = 4 };
  double low[GANNET_TILE], high[GANNET_TILE];
  GANNET_TRY(gannet_moments_kept_estimate(&s->kept, model, model_of(s, model), m, x_unit,
                                          gannet_moments_kept_at(&s->kept, model, first), s->mean,
                                          s->variance));
  for (int p = 0; p < m; ++p) low[p] = INFINITY, high[p] = -INFINITY;
  for (int corner = 0; corner < CORNERS; ++corner) {
    move_to_corner(s, model, corner, m);
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
  return GANNET_OK;
}

/* What is not finite bounds nothing. Scores are summed in another order than exact ones. */
static void widen(int m, double *lower, double *upper) {
  for (int p = 0; p < m; ++p) {
    lower[p] = isfinite(lower[p]) ? lower[p] - 1e-12 * fabs(lower[p]) : -INFINITY;
    upper[p] = isfinite(upper[p]) ? upper[p] + 1e-12 * fabs(upper[p]) : INFINITY;
  }
}

gannet_err gannet_moments_screen_bounds(void *user, int m, const double *x_unit, int64_t first,
                                        double *lower, double *upper, int ld) {
  gannet_moments_screen *s = user;
  const size_t size = (size_t)m * sizeof(double);
  const bool inside = gannet_moments_score_by_bounds(s->score);
  const int models = gannet_models_count(s->score->member->models);
  double *least = inside ? s->least : lower, *most = inside ? s->most : upper;
  (void)ld;
  if (s->kept.count > 0) s->kept.own[first / GANNET_TILE] = true;
  memset(lower, 0, size);
  memset(upper, 0, size);
  memset(s->least, 0, size);
  memset(s->most, 0, size);
  if (gannet_moments_score_wants_objective(s->score))
    GANNET_TRY(add_model(s, 0, m, x_unit, first, lower, upper));
  for (int i = 1; i < models; ++i) GANNET_TRY(add_model(s, i, m, x_unit, first, least, most));
  for (int p = 0; p < m && inside && models > 1; ++p) {
    lower[p] = gannet_moments_score_inside(lower[p], most[p]);
    upper[p] = gannet_moments_score_inside(upper[p], least[p]);
  }
  widen(m, lower, upper);
  return GANNET_OK;
}

const bool *gannet_moments_screen_tiles(const void *user) {
  const gannet_moments_screen *s = user;
  return gannet_moments_kept_any(&s->kept) ? s->kept.own : NULL;
}

void gannet_moments_screen_settle(gannet_moments_screen *s, const gannet_screen_report *report) {
  gannet_moments_kept_settle(&s->kept, report->scored > 0 && !report->complete,
                             gannet_moments_score_wants_objective(s->score));
}
