#include "optimizer/propose/front_score.h"

#include <math.h>
#include <string.h>

#include "acquisition/draws.h"
#include "base/memory.h"
#include "optimizer/propose/propose_impl.h"
#include "pareto/hypervolume_improvement.h"
#include "problem/objectives.h"
#include "search/merit_rank.h"

enum {
  DESIGNS_MOST = 512,  /* evaluated designs that are looked at for the fronts of draws */
  ROUGH_DRAWS = 4,     /* draws that rank candidates where no draw improves */
  BLOCK = 32,          /* candidates that are scored together */
  CACHE_MOST = 1 << 26 /* numbers */
};

/* The smoothing of the improvement, in ranges of the front, and the width w of the step from
 * infeasible to feasible, in standard deviations of a constraint. */
static const double smoothing = 1e-3, width = 0.02;

/* Ranges of a front of two objectives between its worst value and the reference of the search,
 * where the problem states no threshold. A tenth would hold the search at the ends found so far. */
static const double beyond_chosen = 0.5;

/* What is added to rough scores where no draw improves, and what lies between them and the others.
 */
static const double rough_offset = -2000, least_improving = -1000;

void gannet_front_score_release(gannet_front_score *s) {
  for (int j = 0; s->boxes && j < s->draws; ++j) gannet_boxes_release(&s->boxes[j]);
  gannet_free(&s->boxes);
  gannet_free(&s->tile);
  gannet_free(&s->raw);
  gannet_free(&s->cache);
  gannet_free(&s->known);
  gannet_free(&s->bound);
  gannet_free(&s->largest);
  gannet_free(&s->value);
  gannet_free(&s->weight);
  gannet_free(&s->log_part);
  gannet_free(&s->gradient);
}

/* log p(u), p = 1 / (1 + exp u), and its derivative. */
static double log_step(double u, double *slope) {
  *slope = u > 0 ? -1 / (1 + exp(-u)) : -exp(u) / (1 + exp(u));
  return u > 0 ? -u - log1p(exp(-u)) : -log1p(exp(u));
}

static const gannet_surrogate *model_of(const gannet_front_score *s, int i) {
  return gannet_models_surrogate(s->models, i);
}

/* Draws at m <= GANNET_TILE points.
 *
 * to  out  [m][draws][rows]
 */
static gannet_err draw_tile(gannet_front_score *s, int m, const double *x_unit, double *to) {
  const size_t point = (size_t)s->draws * (size_t)s->rows;
  double slope;
  for (size_t at = 0; s->rows > s->n_objectives && at < (size_t)m * (size_t)s->draws; ++at)
    to[at * (size_t)s->rows + (size_t)s->n_objectives] = 0;
  for (int i = 0; i < s->n_models; ++i) {
    const int objective = gannet_models_objective(s->models, i);
    const double threshold = gannet_models_threshold(s->models, i);
    GANNET_TRY(gannet_surrogate_draw_values(model_of(s, i), m, x_unit, s->raw, GANNET_TILE));
    for (int p = 0; p < m; ++p)
      for (int j = 0; j < s->draws; ++j) {
        const double raw = s->raw[(ptrdiff_t)j * GANNET_TILE + p];
        double *row = to + (size_t)p * point + (size_t)j * (size_t)s->rows;
        if (objective >= 0)
          row[objective] = gannet_models_in_ranges(s->models, objective, raw, &slope);
        else
          row[s->n_objectives] += log_step((raw - threshold) / width, &slope);
      }
  }
  return GANNET_OK;
}

/* Draws at one point, into s->value: cheaper than a tile of one. */
static gannet_err draw_at(gannet_front_score *s, const double *x_unit) {
  for (int i = 0; i < s->n_models; ++i)
    GANNET_TRY(gannet_surrogate_draws_at(model_of(s, i), x_unit, s->value + i * s->draws));
  return GANNET_OK;
}

/* The designs whose values make the fronts: those that are best by rank, and by violation. */
static gannet_err list_designs(const gannet_member *member, int *n, double *x) {
  const size_t d = (size_t)member->problem->d;
  const int64_t count = gannet_history_count(member->history);
  gannet_merit_rank *merits = NULL;
  *n = 0;
  GANNET_TRY(gannet_alloc((size_t)count + DESIGNS_MOST, sizeof *merits, &merits));
  gannet_merit_rank *best = merits + count;
  const gannet_err err = gannet_merit_rank_all(member->history, 0, merits);
  for (int64_t id = 0; err == GANNET_OK && id < count; ++id) {
    const gannet_evaluation *row = gannet_history_get(member->history, id);
    if (row->status != GANNET_EVAL_DONE || row->elsewhere) continue;
    if (gannet_history_is_penalty(member->history, id)) continue;
    *n = gannet_merit_rank_insert(&merits[id], DESIGNS_MOST, *n, best);
  }
  for (int i = 0; i < *n; ++i)
    memcpy(x + (size_t)i * d, gannet_history_x_unit(member->history, best[i].id), d * sizeof *x);
  gannet_free(&merits);
  return err;
}

/* The fronts by the values of draws at n designs x; y: [n][n_objectives] scratch. */
static gannet_err make_fronts(gannet_front_score *s, int n, const double *x, double *y) {
  const size_t m = (size_t)s->n_objectives;
  GANNET_TRY(draw_tile(s, n, x, s->tile));
  for (int j = 0; j < s->draws; ++j) {
    int feasible = 0;
    for (int p = 0; p < n; ++p) {
      const double *row = s->tile + (size_t)(p * s->draws + j) * (size_t)s->rows;
      if (s->rows == s->n_objectives || row[m] >= log(0.5))
        memcpy(y + (size_t)feasible++ * m, row, m * sizeof *y);
    }
    GANNET_TRY(gannet_boxes_create(feasible, s->n_objectives, y, s->reference, &s->boxes[j]));
  }
  return GANNET_OK;
}

/* Objective m of design i of the front of the results, in ranges. */
static double front_value(const gannet_front *front, int i, int m) {
  return gannet_front_in_ranges(front, m, front->y[i * front->m + m]);
}

static gannet_err find_fronts(gannet_front_score *s) {
  const size_t d = (size_t)s->member->problem->d;
  const gannet_front *front = gannet_models_front(s->models);
  const size_t most = (size_t)(front->n > DESIGNS_MOST ? front->n : DESIGNS_MOST);
  double *x = NULL, *y = NULL;
  int n = 0;
  const bool is_exact = gannet_problem_is_exact(s->member->problem) &&
                        !gannet_history_has_error_bars(s->member->history);
  gannet_err err = gannet_alloc(DESIGNS_MOST * d, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc(most * (size_t)s->n_objectives, sizeof *y, &y);
  if (err == GANNET_OK && is_exact) {
    /* The front of all draws is that of the results. */
    for (int i = 0; i < front->n * front->m; ++i)
      y[i] = front_value(front, i / front->m, i % front->m);
    err = gannet_boxes_create(front->n, front->m, y, s->reference, &s->boxes[0]);
    for (int j = 1; err == GANNET_OK && j < s->draws; ++j)
      err = gannet_boxes_copy(&s->boxes[0], &s->boxes[j]);
  } else if (err == GANNET_OK) {
    err = list_designs(s->member, &n, x);
    if (err == GANNET_OK) err = make_fronts(s, n, x, y);
  }
  gannet_free(&x);
  gannet_free(&y);
  return err;
}

static gannet_err allocate(gannet_front_score *s) {
  const size_t draws = (size_t)s->draws, tile = draws * GANNET_TILE;
  const size_t cached = (size_t)s->rows * draws * (size_t)s->n_candidates;
  GANNET_TRY(gannet_alloc(draws, sizeof *s->boxes, &s->boxes));
  GANNET_TRY(gannet_alloc((size_t)s->rows * tile, sizeof(double), &s->tile));
  GANNET_TRY(gannet_alloc(tile, sizeof(double), &s->raw));
  GANNET_TRY(gannet_alloc((size_t)s->n_models * draws, sizeof(double), &s->value));
  GANNET_TRY(gannet_alloc((size_t)s->n_models * draws, sizeof(double), &s->weight));
  GANNET_TRY(gannet_alloc(draws, sizeof(double), &s->log_part));
  GANNET_TRY(gannet_alloc((size_t)s->member->problem->d, sizeof(double), &s->gradient));
  if (cached > CACHE_MOST) return GANNET_OK;
  GANNET_TRY(gannet_alloc(cached, sizeof(double), &s->cache));
  GANNET_TRY(gannet_alloc((size_t)s->n_candidates, sizeof *s->known, &s->known));
  GANNET_TRY(gannet_alloc((size_t)s->n_candidates, sizeof *s->bound, &s->bound));
  for (int64_t i = 0; i < s->n_candidates; ++i) s->bound[i] = INFINITY;
  return gannet_alloc((size_t)s->keep + 1, sizeof *s->largest, &s->largest);
}

void gannet_front_score_begin_scan(gannet_front_score *s, int64_t first) {
  s->first = first;
  s->n_largest = 0;
}

/* Insert a rough score into the largest ones of the scan. */
static void note_score(gannet_front_score *s, double score) {
  if (s->n_largest == s->keep && !(score > s->largest[s->keep - 1])) return;
  int at = s->n_largest < s->keep ? s->n_largest++ : s->keep - 1;
  for (; at > 0 && score > s->largest[at - 1]; --at) s->largest[at] = s->largest[at - 1];
  s->largest[at] = score;
}

/* The reference point. While no result is better than it in every objective, it moves back to the
 * result that comes nearest to that: what is far beyond all results makes a search explore where it
 * knows least, instead of going on from what is good. */
static void choose_reference(gannet_front_score *s) {
  const gannet_front *front = gannet_models_front(s->models);
  double least = INFINITY;
  int nearest = -1;
  for (int m = 0; m < s->n_objectives; ++m) {
    s->reference[m] = gannet_models_reference(s->models, m);
    if (s->n_objectives == 2 && front->is_chosen[m])
      s->reference[m] = fmax(s->reference[m], 1 + beyond_chosen);
  }
  for (int i = 0; i < front->n; ++i) {
    double excess = 0;
    int better = 0;
    for (int m = 0; m < s->n_objectives; ++m) {
      const double z = front_value(front, i, m);
      excess += fmax(z - s->reference[m], 0);
      better += z < s->reference[m];
    }
    if (better == s->n_objectives) return;
    if (!(excess < least)) continue;
    least = excess;
    nearest = i;
  }
  for (int m = 0; m < s->n_objectives && nearest >= 0; ++m)
    s->reference[m] = fmax(s->reference[m], front_value(front, nearest, m));
}

gannet_err gannet_front_score_create(const gannet_member *member, int64_t n_candidates, int keep,
                                     gannet_front_score *s) {
  const gannet_acq_draws *options = member->options->acq_options;
  *s = (gannet_front_score){.member = member,
                            .models = member->models,
                            .n_models = gannet_models_count(member->models),
                            .n_objectives = gannet_models_n_objectives(member->models),
                            .draws = options->draws,
                            .n_candidates = n_candidates};
  /* Of problems without a real variable candidates may be barred, however large their scores are.
   */
  if (member->problem->n_continuous > 0) s->keep = keep;
  s->rows = s->n_objectives + (s->n_models > s->n_objectives);
  for (int m = 0; m < s->n_objectives; ++m) s->smoothing[m] = smoothing;
  choose_reference(s);
  gannet_err err = allocate(s);
  if (err == GANNET_OK) err = find_fronts(s);
  return gannet_agree(member->context->comm, err);
}

gannet_err gannet_front_score_add(gannet_front_score *s, const double *x_unit) {
  double y[GANNET_OBJECTIVES_MOST] = {0}, slope;
  GANNET_TRY(draw_at(s, x_unit));
  for (int j = 0; j < s->draws; ++j) {
    double sum = 0; /* of log p */
    for (int i = 0; i < s->n_models; ++i) {
      const int objective = gannet_models_objective(s->models, i);
      const double value = s->value[i * s->draws + j];
      if (objective >= 0)
        y[objective] = gannet_models_in_ranges(s->models, objective, value, &slope);
      else
        sum += log_step((value - gannet_models_threshold(s->models, i)) / width, &slope);
    }
    if (sum >= log(0.5)) GANNET_TRY(gannet_boxes_add(&s->boxes[j], y));
  }
  return GANNET_OK;
}

/* Logarithm of the mean of exponentials. */
static double log_mean_exp(int n, const double *logs) {
  double most = -INFINITY, sum = 0;
  for (int j = 0; j < n; ++j) most = fmax(most, logs[j]);
  if (isinf(most)) return most;
  for (int j = 0; j < n; ++j) sum += exp(logs[j] - most);
  return most + log(sum / n);
}

/* Whether a score cannot be among the largest of the scan. */
static bool is_too_small(const gannet_front_score *s, double score) {
  const double rounding = 1e-9;
  return s->keep > 0 && s->n_largest == s->keep && score < s->largest[s->keep - 1] - rounding;
}

/* The rough score of a point that no draw improves, by its draws [draws][rows]. */
static double score_smoothly(const gannet_front_score *s, const double *drawn) {
  const int n = s->draws < ROUGH_DRAWS ? s->draws : ROUGH_DRAWS;
  double logs[ROUGH_DRAWS];
  if (is_too_small(s, least_improving)) return least_improving;
  for (int j = 0; j < n; ++j) {
    const double *y = drawn + (ptrdiff_t)j * s->rows;
    logs[j] = gannet_log_hypervolume_improvement(&s->boxes[j], s->smoothing, y, NULL) +
              (s->rows > s->n_objectives ? y[s->n_objectives] : 0);
  }
  return rough_offset + log_mean_exp(n, logs);
}

/* Rough scores of n <= BLOCK candidates, by their draws [n][draws][rows]: the boxes of one draw
 * after the other, which stay in the cache.
 *
 * bound  inout  [n] last scores; NULL = none are kept
 */
static void score_block(gannet_front_score *s, int n, const double *drawn, double *bound,
                        double *scores) {
  const ptrdiff_t point = (ptrdiff_t)s->draws * s->rows;
  double sum[BLOCK] = {0};
  int open[BLOCK], n_open = 0;
  for (int p = 0; p < n; ++p) {
    scores[p] = bound ? bound[p] : INFINITY;
    if (!is_too_small(s, scores[p])) open[n_open++] = p;
  }
  for (int j = 0; j < s->draws; ++j)
    for (int k = 0; k < n_open; ++k) {
      const double *y = drawn + open[k] * point + (ptrdiff_t)j * s->rows;
      const double log_feasible = s->rows > s->n_objectives ? y[s->n_objectives] : 0;
      if (log_feasible < -40) continue;
      sum[k] += gannet_hypervolume_improvement(&s->boxes[j], y) * exp(log_feasible);
    }
  for (int k = 0; k < n_open; ++k) {
    const int p = open[k];
    scores[p] = sum[k] > 0 ? log(sum[k] / s->draws) : score_smoothly(s, drawn + p * point);
    if (!bound) continue;
    bound[p] = scores[p];
    note_score(s, scores[p]);
  }
}

gannet_err gannet_front_score_rough(void *user, int m, const double *x_unit, int64_t first,
                                    double *scores, int ld) {
  gannet_front_score *s = user;
  const ptrdiff_t point = (ptrdiff_t)s->draws * s->rows;
  first += s->first;
  double *drawn = s->cache ? s->cache + first * point : s->tile;
  (void)ld;
  if (!s->cache || !s->known[first]) GANNET_TRY(draw_tile(s, m, x_unit, drawn));
  if (s->cache) s->known[first] = true;
  for (int from = 0; from < m; from += BLOCK) {
    const int n = m - from < BLOCK ? m - from : BLOCK;
    double *bound = s->cache && s->keep > 0 ? s->bound + first + from : NULL;
    score_block(s, n, drawn + from * point, bound, scores + from);
  }
  return GANNET_OK;
}

/* log I_j + sum_k log p of draw j at the point, and its derivatives by the values of all models. */
static double score_draw(gannet_front_score *s, int j) {
  double y[GANNET_OBJECTIVES_MOST], slope[GANNET_OBJECTIVES_MOST], by_y[GANNET_OBJECTIVES_MOST];
  double sum = 0;
  for (int m = 0; m < s->n_objectives; ++m) {
    const int i = gannet_models_of_objective(s->models, m);
    y[m] = gannet_models_in_ranges(s->models, m, s->value[i * s->draws + j], &slope[m]);
  }
  sum = gannet_log_hypervolume_improvement(&s->boxes[j], s->smoothing, y, by_y);
  for (int i = 0; i < s->n_models; ++i) {
    const int objective = gannet_models_objective(s->models, i), at = i * s->draws + j;
    if (objective >= 0) {
      s->weight[at] = by_y[objective] * slope[objective];
      continue;
    }
    sum += log_step((s->value[at] - gannet_models_threshold(s->models, i)) / width, &s->weight[at]);
    s->weight[at] /= width;
  }
  return sum;
}

gannet_err gannet_front_score_merit(void *user, int list, const double *x_unit, double *value,
                                    double *gradient) {
  gannet_front_score *s = user;
  const int d = s->member->problem->d;
  (void)list;
  GANNET_TRY(draw_at(s, x_unit));
  for (int j = 0; j < s->draws; ++j) s->log_part[j] = score_draw(s, j);
  const double score = log_mean_exp(s->draws, s->log_part);
  *value = -score;
  memset(gradient, 0, (size_t)d * sizeof *gradient);
  for (int i = 0; i < s->n_models; ++i) {
    double *weight = s->weight + i * s->draws;
    for (int j = 0; j < s->draws; ++j) weight[j] *= -exp(s->log_part[j] - score) / s->draws;
    GANNET_TRY(gannet_surrogate_draws_slope(model_of(s, i), x_unit, weight, s->gradient));
    for (int k = 0; k < d; ++k) gradient[k] += s->gradient[k];
  }
  return GANNET_OK;
}
