/* Thompson sampling as published for Neural-BO: an independent normal at every candidate. */
#include <math.h>

#include "base/memory.h"
#include "optimizer/propose/propose_impl.h"

enum { SPARE = 12 }; /* further ranked candidates, in case the best were proposed before */

typedef struct {
  const gannet_member *member;
  int q;               /* lists */
  double *mean, *sd;   /* [GANNET_TILE] */
  double *normal;      /* [GANNET_TILE] */
  gannet_ranked *best; /* [q][SPARE] */
  gannet_choices choices;
} workspace;

static gannet_err create_workspace(const gannet_member *member, int q, workspace *w) {
  const size_t total = (size_t)q * SPARE;
  w->member = member;
  w->q = q;
  w->choices.n_lists = q;
  w->choices.n_chosen = member->n_chosen;
  w->choices.chosen = member->chosen;
  w->choices.n_options = SPARE;
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->normal));
  GANNET_TRY(gannet_alloc(total, sizeof *w->best, &w->best));
  GANNET_TRY(gannet_alloc(total * (size_t)member->problem->d, sizeof(double), &w->choices.options));
  return gannet_alloc(total, sizeof(double), &w->choices.scores);
}

/* gannet_scorer: list j, candidate first + p: minus (mean + exploration sd e), e keyed by both. */
static gannet_err score_pointwise(void *user, int m, const double *x_unit, int64_t first,
                                  double *scores, int ld) {
  workspace *w = user;
  const gannet_member *member = w->member;
  for (int i = 0; i < gannet_models_count(member->models); ++i) {
    const double exploration = gannet_models_exploration(member->models, i);
    GANNET_TRY(gannet_surrogate_predict(gannet_models_surrogate(member->models, i), m, x_unit,
                                        w->mean, w->sd));
    for (int j = 0; j < w->q; ++j) {
      const gannet_stream stream =
          gannet_context_stream(member->context, GANNET_FOR_POINTWISE, (uint64_t)member->batch,
                                ((uint64_t)i << 32) + (uint64_t)j);
      double *mine = scores + (size_t)j * (size_t)ld;
      gannet_random_normal(stream, (uint64_t)first, (size_t)m, w->normal);
      for (int p = 0; p < m; ++p) {
        const double draw = w->mean[p] + exploration * w->sd[p] * w->normal[p];
        const double excess = draw - gannet_models_threshold(member->models, i);
        if (i == 0)
          mine[p] = -draw;
        else if (excess > 0)
          mine[p] = fmin(mine[p], GANNET_INFEASIBLE_SCORE) - excess;
      }
    }
  }
  return GANNET_OK;
}

static gannet_err propose_by_independent_draws(gannet_member *member, int q, workspace *w,
                                               const gannet_candidates *candidates,
                                               double *x_unit) {
  const gannet_propose_scores scores = {.n_lists = q,
                                        .keep = SPARE,
                                        .scorer = score_pointwise,
                                        .user = w,
                                        .n_chosen = member->n_chosen,
                                        .chosen = member->chosen};
  GANNET_TRY(gannet_propose_scan(member, candidates, &scores, w->best));
  gannet_propose_points(candidates, q * SPARE, w->best, w->choices.options);
  for (int i = 0; i < q * SPARE; ++i) w->choices.scores[i] = w->best[i].score;
  return gannet_propose_choose(member, &w->choices, q, x_unit);
}

gannet_err gannet_propose_pointwise(gannet_member *member, int q, double *x_unit) {
  workspace w = {0};
  gannet_candidates *candidates = NULL;
  gannet_err err = create_workspace(member, q, &w);
  if (err == GANNET_OK) err = gannet_propose_candidates(member, &member->region, &candidates);
  err = gannet_agree(member->context->comm, err);
  if (err == GANNET_OK) err = propose_by_independent_draws(member, q, &w, candidates, x_unit);
  gannet_candidates_destroy(&candidates);
  gannet_free(&w.mean);
  gannet_free(&w.sd);
  gannet_free(&w.normal);
  gannet_free(&w.best);
  gannet_free(&w.choices.options);
  gannet_free(&w.choices.scores);
  GANNET_TRY(err);
  return GANNET_OK;
}
