/* Points one after the other, each by an acquisition function that is told of those before. */
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "optimizer/propose/moments_scan.h"
#include "optimizer/propose/propose_impl.h"
#include "search/polish.h"

/* Memory of one point. */
typedef struct {
  gannet_moments_score work;
  gannet_moments_scan scan; /* of work */
  gannet_point_options at;
} proposal;

static void release_proposal(proposal *p) {
  gannet_moments_scan_release(&p->scan);
  gannet_moments_score_release(&p->work);
  gannet_point_options_release(&p->at);
}

/* Polished points compete by the score itself; what was polished may be a penalised form of it. So
 * do the ranked candidates where the scan has scored them by an approximation. */
static gannet_err score_polished(const gannet_member *member, proposal *p) {
  const size_t d = (size_t)member->problem->d;
  const gannet_acq_type *type = member->options->acq_type;
  const bool approximate = type->score && type->score_points;
  const int n = approximate ? p->at.choices.n_options : p->at.n_starts;
  gannet_err code = GANNET_OK;
  p->work.final = true;
  for (int first = 0; first < n && code == GANNET_OK; first += GANNET_TILE) {
    const int m = n - first < GANNET_TILE ? n - first : GANNET_TILE;
    code = gannet_moments_score_points(&p->work, m, p->at.choices.options + (size_t)first * d, 0,
                                       p->at.choices.scores + first, m);
  }
  p->work.final = false;
  return code;
}

static gannet_err scan_candidates(gannet_member *member, proposal *p,
                                  const gannet_candidates *candidates) {
  double *ranked = p->at.choices.options + (size_t)p->at.n_starts * (size_t)member->problem->d;
  double mark = gannet_clock_seconds();
  GANNET_TRY(
      gannet_moments_score_begin_point(&p->work, member, candidates, p->at.choices.n_chosen));
  gannet_propose_end_phase(member, GANNET_PHASE_SAMPLE, &mark);
  const gannet_propose_scores scores = {.n_lists = 1,
                                        .keep = p->at.n_ranked,
                                        .scorer = gannet_moments_score_points,
                                        .bounded = gannet_moments_scan_best,
                                        .user = &p->work,
                                        .bounds = &p->scan,
                                        .n_chosen = p->at.choices.n_chosen,
                                        .chosen = p->at.choices.chosen};
  GANNET_TRY(gannet_propose_scan(member, candidates, &scores, p->at.best));
  gannet_propose_points(candidates, p->at.n_ranked, p->at.best, ranked);
  for (int i = 0; i < p->at.n_ranked; ++i)
    p->at.choices.scores[p->at.n_starts + i] = p->at.best[i].score;
  gannet_propose_end_phase(member, GANNET_PHASE_SCAN, &mark);
  return GANNET_OK;
}

static gannet_err polish_starts(gannet_member *member, proposal *p) {
  const size_t d = (size_t)member->problem->d;
  double mark = gannet_clock_seconds();
  if (p->at.n_starts == 0) return GANNET_OK;
  if (!gannet_moments_score_is_smooth(&p->work)) { /* starts stay as they are */
    const size_t n = (size_t)p->at.n_starts;
    double *options = p->at.choices.options, *scores = p->at.choices.scores;
    memcpy(options, options + n * d, n * d * sizeof *options);
    memcpy(scores, scores + n, n * sizeof *scores);
    return GANNET_OK;
  }
  p->work.outside = p->at.best[0].score < 0.9 * GANNET_INFEASIBLE_SCORE;
  const gannet_polish_spec spec = {.problem = member->problem,
                                   .lower = member->region.lower,
                                   .upper = member->region.upper,
                                   .n_lists = 1,
                                   .n_starts = p->at.n_starts,
                                   .starts = p->at.choices.options + (size_t)p->at.n_starts * d,
                                   .function = gannet_moments_score_merit,
                                   .user = &p->work,
                                   .options = {member->options->search.polish, 1e-7, 1e-9},
                                   .n_conditions = gannet_moments_score_n_bounds(&p->work),
                                   .conditions = gannet_moments_score_bounds,
                                   .functions = gannet_moments_score_merits,
                                   .conditions_of_several = gannet_moments_score_bounds_of};
  GANNET_TRY(gannet_polish(member->context, p->at.polisher, &spec, p->at.choices.options,
                           p->at.choices.scores));
  GANNET_TRY(gannet_agree(member->context->comm, score_polished(member, p)));
  gannet_propose_end_phase(member, GANNET_PHASE_POLISH, &mark);
  return GANNET_OK;
}

/* Let the models take the points that are pending for results at their means. Such a result leaves
 * the mean of a Gaussian process as it is, so all of them are taken at once: one after the other
 * they would cost a fit each. */
static gannet_err fantasize_pending(gannet_member *member) {
  const gannet_history *history = member->history;
  const size_t d = (size_t)member->problem->d;
  const int64_t pending = gannet_history_count_status(history, GANNET_EVAL_PENDING);
  double *x_unit = NULL;
  size_t n = 0;
  if (pending == 0) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)pending * d, sizeof *x_unit, &x_unit);
  err = gannet_agree(member->context->comm, err);
  for (int64_t id = 0; id < gannet_history_count(history) && err == GANNET_OK; ++id)
    if (gannet_history_get(history, id)->status == GANNET_EVAL_PENDING)
      memcpy(x_unit + n++ * d, gannet_history_x_unit(history, id), d * sizeof *x_unit);
  if (err == GANNET_OK)
    err = gannet_models_fantasize(member->models, (int)n, x_unit, member->batch);
  gannet_free(&x_unit);
  return err;
}

static gannet_err propose_all(gannet_member *member, int q, proposal *p,
                              const gannet_candidates *candidates, double *x_unit) {
  const size_t d = (size_t)member->problem->d;
  double mark = gannet_clock_seconds();
  GANNET_TRY(fantasize_pending(member));
  gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
  for (int i = 0; i < q; ++i) {
    mark = gannet_clock_seconds();
    if (i > 0)
      GANNET_TRY(
          gannet_models_fantasize(member->models, 1, x_unit + (size_t)(i - 1) * d, member->batch));
    gannet_propose_end_phase(member, GANNET_PHASE_FIT, &mark);
    p->at.choices.n_chosen = member->n_chosen + i;
    p->at.choices.chosen = member->chosen;
    GANNET_TRY(scan_candidates(member, p, candidates));
    GANNET_TRY(polish_starts(member, p));
    GANNET_TRY(gannet_propose_choose(member, &p->at.choices, 1, x_unit + (size_t)i * d));
  }
  return GANNET_OK;
}

gannet_err gannet_propose_in_turn(gannet_member *member, int q, double *x_unit) {
  proposal p = {0};
  gannet_candidates *candidates = NULL;
  gannet_err err = gannet_moments_score_prepare(member, &p.work);
  if (err == GANNET_OK) err = gannet_moments_scan_create(&p.work, &p.scan);
  if (err == GANNET_OK) err = gannet_point_options_create(member, &p.at);
  if (err == GANNET_OK) err = gannet_propose_candidates(member, &member->region, &candidates);
  err = gannet_agree(member->context->comm, err);
  p.scan.cached.wanted = q > 1;
  if (err == GANNET_OK) err = propose_all(member, q, &p, candidates, x_unit);
  gannet_candidates_destroy(&candidates);
  release_proposal(&p);
  GANNET_TRY(err);
  return GANNET_OK;
}
