/* Points one after the other, each by the hypervolume that it may add to the fronts of draws. */
#include <string.h>

#include "acquisition/draws.h"
#include "base/clock.h"
#include "base/memory.h"
#include "optimizer/propose/front_score.h"
#include "optimizer/propose/propose_impl.h"
#include "problem/objectives.h"
#include "problem/runs.h"
#include "search/polish.h"
#include "search/region.h"

/* Where a point is sought. */
typedef struct {
  gannet_member_region region; /* borrowed; zeroed = everywhere */
  gannet_candidates *candidates;
  int64_t first; /* of all candidates of the score */
} domain;

typedef struct {
  gannet_front_score score;
  domain everywhere, inside; /* the latter without candidates where the member has no region */
  gannet_point_options at;
} proposal;

static void release_proposal(proposal *p) {
  gannet_front_score_release(&p->score);
  gannet_candidates_destroy(&p->everywhere.candidates);
  gannet_candidates_destroy(&p->inside.candidates);
  gannet_point_options_release(&p->at);
}

/* The points that others of the batch, or earlier batches, wait for. */
static gannet_err add_pending(const gannet_member *member, gannet_front_score *score) {
  const size_t d = (size_t)member->problem->d;
  for (int64_t id = 0; id < gannet_history_count(member->history); ++id)
    if (gannet_history_get(member->history, id)->status == GANNET_EVAL_PENDING)
      GANNET_TRY(gannet_front_score_add(score, gannet_history_x_unit(member->history, id)));
  for (int i = 0; i < member->n_chosen; ++i)
    GANNET_TRY(gannet_front_score_add(score, member->chosen + (size_t)i * d));
  return GANNET_OK;
}

static gannet_err make_candidates(const gannet_member *member, proposal *p, int64_t *count) {
  GANNET_TRY(gannet_propose_candidates(member, &p->everywhere.region, &p->everywhere.candidates));
  *count = gannet_candidates_count(p->everywhere.candidates);
  if (!member->region.lower) return GANNET_OK;
  p->inside.region = member->region;
  p->inside.first = *count;
  GANNET_TRY(gannet_propose_candidates(member, &member->region, &p->inside.candidates));
  *count += gannet_candidates_count(p->inside.candidates);
  return GANNET_OK;
}

/* The domain of point number i of this call. */
static const domain *choose_domain(const gannet_member *member, const proposal *p, int i) {
  const int64_t number = gannet_runs_count_designs(member->history, false) + member->n_chosen + i;
  return p->inside.candidates && gannet_region_seeks(number) ? &p->inside : &p->everywhere;
}

static gannet_err find_options(gannet_member *member, const domain *where, proposal *p) {
  const size_t d = (size_t)member->problem->d;
  const double after = -1e9;
  double *ranked = p->at.choices.options + (size_t)p->at.n_starts * d,
         mark = gannet_clock_seconds();
  gannet_front_score_begin_scan(&p->score, where->first);
  const gannet_propose_scores scores = {.n_lists = 1,
                                        .keep = p->at.n_ranked,
                                        .scorer = gannet_front_score_rough,
                                        .remembers = true,
                                        .user = &p->score,
                                        .n_chosen = p->at.choices.n_chosen,
                                        .chosen = p->at.choices.chosen};
  GANNET_TRY(gannet_propose_scan(member, where->candidates, &scores, p->at.best));
  gannet_propose_points(where->candidates, p->at.n_ranked, p->at.best, ranked);
  gannet_propose_end_phase(member, GANNET_PHASE_SCAN, &mark);
  const gannet_polish_spec spec = {.problem = member->problem,
                                   .lower = where->region.lower,
                                   .upper = where->region.upper,
                                   .n_lists = 1,
                                   .n_starts = p->at.n_starts,
                                   .starts = ranked,
                                   .function = gannet_front_score_merit,
                                   .user = &p->score,
                                   .options = {member->options->search.polish, 1e-7, 1e-9}};
  if (p->at.n_starts > 0)
    GANNET_TRY(gannet_polish(member->context, p->at.polisher, &spec, p->at.choices.options,
                             p->at.choices.scores));
  /* No polished point is worse than its start, so the candidates come after all of them. */
  for (int i = 0; i < p->at.n_starts; ++i) p->at.choices.scores[i] *= -1;
  for (int i = 0; i < p->at.n_ranked; ++i)
    p->at.choices.scores[p->at.n_starts + i] = after + p->at.best[i].score;
  gannet_propose_end_phase(member, GANNET_PHASE_POLISH, &mark);
  return GANNET_OK;
}

gannet_err gannet_propose_front(gannet_member *member, int q, double *x_unit) {
  const gannet_acq_draws *options = member->options->acq_options;
  const size_t d = (size_t)member->problem->d;
  proposal p = {0};
  double mark = gannet_clock_seconds();
  if (gannet_models_n_objectives(member->models) > GANNET_PROPOSE_FRONT_MOST)
    return gannet_propose_draws(member, q, x_unit);
  GANNET_TRY(gannet_models_sample(member->models, options->draws, member->batch));
  int64_t n_candidates = 0;
  gannet_err err = make_candidates(member, &p, &n_candidates);
  if (err == GANNET_OK) err = gannet_point_options_create(member, &p.at);
  err = gannet_agree(member->context->comm, err);
  if (err == GANNET_OK)
    err = gannet_front_score_create(member, n_candidates, p.at.n_ranked, &p.score);
  if (err == GANNET_OK) err = gannet_agree(member->context->comm, add_pending(member, &p.score));
  gannet_propose_end_phase(member, GANNET_PHASE_SAMPLE, &mark);
  for (int i = 0; i < q && err == GANNET_OK; ++i) {
    p.at.choices.n_chosen = member->n_chosen + i;
    p.at.choices.chosen = member->chosen;
    err = find_options(member, choose_domain(member, &p, i), &p);
    mark = gannet_clock_seconds();
    if (err == GANNET_OK)
      err = gannet_propose_choose(member, &p.at.choices, 1, x_unit + (size_t)i * d);
    if (err == GANNET_OK)
      err = gannet_agree(member->context->comm,
                         gannet_front_score_add(&p.score, x_unit + (size_t)i * d));
    gannet_propose_end_phase(member, GANNET_PHASE_CHOOSE, &mark);
  }
  release_proposal(&p);
  GANNET_TRY(err);
  return GANNET_OK;
}
