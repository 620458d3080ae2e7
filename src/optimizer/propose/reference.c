#include "optimizer/propose/reference.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/propose/draws_score.h"
#include "optimizer/propose/propose_impl.h"

void gannet_reference_release(gannet_reference *r) {
  gannet_free(&r->minima);
  gannet_free(&r->minimiser);
  gannet_free(&r->points);
  gannet_free(&r->mean);
  gannet_free(&r->covariance);
  *r = (gannet_reference){0};
}

/* The place of a point in the list, at its end when it is new. */
static int find_or_add_point(size_t d, const double *x, gannet_reference *r) {
  int at = 0;
  while (at < r->posterior.n && memcmp(r->points + (size_t)at * d, x, d * sizeof *x) != 0) ++at;
  if (at == r->posterior.n) memcpy(r->points + (size_t)r->posterior.n++ * d, x, d * sizeof *x);
  return at;
}

/* Minima and minimisers from the best candidate of every draw. */
static void set_minima(size_t d, const gannet_candidates *candidates, int draws,
                       const gannet_ranked *best, gannet_reference *r) {
  double *x = r->points + (size_t)draws * d; /* the place of the last point is free until then */
  for (int j = 0; j < draws; ++j) {
    if (best[j].index < 0 || best[j].score <= 0.5 * GANNET_INFEASIBLE_SCORE) continue;
    gannet_candidates_tile(candidates, best[j].index, 1, x);
    r->minima[r->n_minima] = -best[j].score;
    r->minimiser[r->n_minima++] = find_or_add_point(d, x, r);
  }
}

/* The observation of the least mean, a feasible one if there is one. */
typedef struct {
  int64_t id; /* -1 = none */
  double mean;
  bool feasible;
} best_seen;

/* Results from *next on, at most a tile of them; none of before the trust region was begun anew. */
static int next_results(const gannet_member *member, int64_t *next, int64_t *id, double *x) {
  const size_t d = (size_t)member->problem->d;
  int n = 0;
  for (; n < GANNET_TILE && *next < gannet_history_count(member->history); ++*next) {
    if (!gannet_history_is_observation(member->history, *next)) continue;
    if (gannet_history_get(member->history, *next)->elsewhere) continue;
    if (member->region.take && !member->region.take[*next]) continue;
    memcpy(x + (size_t)n * d, gannet_history_x_unit(member->history, *next), d * sizeof *x);
    id[n++] = *next;
  }
  return n;
}

static gannet_err find_least_mean(const gannet_member *member, double *x, best_seen *best) {
  const gannet_surrogate *objective = gannet_models_surrogate(member->models, 0);
  int64_t id[GANNET_TILE], next = 0;
  double mean[GANNET_TILE];
  for (int n; (n = next_results(member, &next, id, x)) > 0;) {
    GANNET_TRY(gannet_surrogate_predict(objective, n, x, mean, NULL));
    for (int k = 0; k < n; ++k) {
      const bool feasible = gannet_history_is_feasible(member->history, id[k]);
      if (feasible != best->feasible ? feasible : mean[k] < best->mean)
        *best = (best_seen){id[k], mean[k], feasible};
    }
  }
  return GANNET_OK;
}

/* Add the observation of the least mean to the points, so that a point known to be good is among
 * them. */
static gannet_err add_best_observation(const gannet_member *member, gannet_reference *r) {
  const size_t d = (size_t)member->problem->d;
  best_seen best = {-1, INFINITY, false};
  double *x = NULL;
  GANNET_TRY(gannet_alloc(GANNET_TILE * d, sizeof *x, &x));
  const gannet_err err = find_least_mean(member, x, &best);
  gannet_free(&x);
  if (err == GANNET_OK && best.id >= 0)
    (void)find_or_add_point(d, gannet_history_x_unit(member->history, best.id), r);
  return err;
}

static gannet_err set_joint_posterior(const gannet_member *member, int order, gannet_reference *r) {
  const gannet_surrogate *objective = gannet_models_surrogate(member->models, 0);
  const double exploration = gannet_models_exploration(member->models, 0);
  const size_t n = (size_t)r->posterior.n;
  GANNET_TRY(gannet_surrogate_predict(objective, (int)n, r->points, r->mean, NULL));
  GANNET_TRY(
      gannet_surrogate_covariance(objective, (int)n, r->points, (int)n, r->points, r->covariance));
  for (size_t i = 0; i < n * n; ++i) r->covariance[i] *= exploration * exploration;
  r->posterior.mean = r->mean;
  r->posterior.covariance = r->covariance;
  r->posterior.noise_var = gannet_surrogate_noise_var(objective);
  r->posterior.n_minimisers = r->n_minima;
  r->posterior.minimiser = r->minimiser;
  r->posterior.stream = gannet_context_stream(member->context, GANNET_FOR_LOOKAHEAD,
                                              (uint64_t)member->batch, (uint64_t)order);
  r->posterior.stream.purpose |= (uint64_t)member->index << 32;
  return GANNET_OK;
}

/* For the covariance of a model that takes it from draws. */
enum { LEAST_DRAWS = 2 };

gannet_err gannet_reference_make(gannet_member *member, const gannet_candidates *candidates,
                                 int draws, int order, gannet_reference *r) {
  const int made = draws < LEAST_DRAWS ? LEAST_DRAWS : draws;
  gannet_draws_score work = {0};
  gannet_ranked *best = NULL;
  *r = (gannet_reference){0};
  GANNET_TRY(gannet_models_sample(member->models, made, member->batch));
  gannet_err err = gannet_alloc((size_t)made, sizeof *best, &best);
  const size_t most = (size_t)draws + 1, d = (size_t)member->problem->d;
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *r->minima, &r->minima);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *r->minimiser, &r->minimiser);
  if (err == GANNET_OK) err = gannet_alloc(most * d, sizeof *r->points, &r->points);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof *r->mean, &r->mean);
  if (err == GANNET_OK) err = gannet_alloc(most * most, sizeof *r->covariance, &r->covariance);
  if (err == GANNET_OK) err = gannet_draws_score_prepare(member, made, &work);
  err = gannet_agree(member->context->comm, err);
  const gannet_propose_scores scores = {
      .n_lists = made, .keep = 1, .scorer = gannet_draws_score_points, .user = &work};
  if (err == GANNET_OK) err = gannet_propose_scan(member, candidates, &scores, best);
  if (err == GANNET_OK) {
    set_minima(d, candidates, draws, best, r);
    err = add_best_observation(member, r);
    if (err == GANNET_OK) err = set_joint_posterior(member, order, r);
    err = gannet_agree(member->context->comm, err);
  }
  gannet_draws_score_release(&work);
  gannet_free(&best);
  return err;
}
