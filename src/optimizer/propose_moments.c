/* Acquisition functions of mean and standard deviation, and the paper's pointwise draws. */
#include <math.h>
#include <string.h>

#include "acquisition/normal.h"
#include "base/clock.h"
#include "base/memory.h"
#include "optimizer/propose.h"
#include "search/polish.h"
#include "search/scan.h"

enum { SPARE = 12 }; /* further ranked candidates, in case the best were proposed before */

typedef struct {
  const gannet_optimizer *optimizer;
  gannet_acq_state state;
  bool feasible_known; /* otherwise constraints alone decide */
  int q;               /* lists, for pointwise draws */
  double *mean, *sd;   /* [GANNET_TILE] */
  double *normal;      /* [GANNET_TILE] */
  double *gradients;   /* [2][d] of mean and sd */
} workspace;

static gannet_err make_workspace(const gannet_optimizer *o, int q, workspace *w) {
  *w = (workspace){.optimizer = o, .q = q};
  w->feasible_known = gannet_history_best(o->history) >= 0;
  w->state.exploration = gannet_models_exploration(o->models, 0);
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &w->normal));
  return gannet_alloc(2 * (size_t)o->problem->d, sizeof(double), &w->gradients);
}

static void drop_workspace(workspace *w) {
  gannet_free(&w->mean);
  gannet_free(&w->sd);
  gannet_free(&w->normal);
  gannet_free(&w->gradients);
}

static double log_feasible(double threshold, double mean, double sd) {
  return gannet_normal_log_cdf((threshold - mean) / fmax(sd, 1e-12));
}

/* gannet_scorer: acquisition plus the logarithm of the probability of feasibility. */
static gannet_err score(void *user, int m, const double *x_unit, int64_t first, double *scores,
                        int ld) {
  workspace *w = user;
  const gannet_optimizer *o = w->optimizer;
  (void)first;
  (void)ld;
  GANNET_TRY(
      gannet_surrogate_predict(gannet_models_surrogate(o->models, 0), m, x_unit, w->mean, w->sd));
  memset(scores, 0, (size_t)m * sizeof *scores);
  if (w->feasible_known)
    o->options.acq_type->score(o->options.acq_options, &w->state, m, w->mean, w->sd, scores);
  for (int i = 1; i < gannet_models_count(o->models); ++i) {
    const double threshold = gannet_models_threshold(o->models, i);
    GANNET_TRY(
        gannet_surrogate_predict(gannet_models_surrogate(o->models, i), m, x_unit, w->mean, w->sd));
    for (int p = 0; p < m; ++p) scores[p] += log_feasible(threshold, w->mean[p], w->sd[p]);
  }
  return GANNET_OK;
}

static void add_scaled(int d, double factor, const double *from, double *to) {
  for (int k = 0; k < d; ++k) to[k] += factor * from[k];
}

/* d/dx of log Phi((t - mean)/sd): hazard(z) times d z/dx. */
static gannet_err add_constraint(workspace *w, int i, const double *x_unit, double *value,
                                 double *gradient) {
  const gannet_models *models = w->optimizer->models;
  const int d = w->optimizer->problem->d;
  double mean = 0, sd = 0, *by_mean = w->gradients, *by_sd = w->gradients + d;
  GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(models, i), x_unit, &mean,
                                               &sd, by_mean, by_sd));
  const double s = fmax(sd, 1e-12), z = (gannet_models_threshold(models, i) - mean) / s;
  const double hazard = gannet_normal_hazard(z);
  *value -= gannet_normal_log_cdf(z);
  add_scaled(d, hazard / s, by_mean, gradient);
  if (sd > 1e-12) add_scaled(d, hazard * z / s, by_sd, gradient);
  return GANNET_OK;
}

/* gannet_polish_function: minus the score. */
static gannet_err minus_score(void *user, int list, const double *x_unit, double *value,
                              double *gradient) {
  workspace *w = user;
  const gannet_optimizer *o = w->optimizer;
  const int d = o->problem->d;
  (void)list;
  *value = 0;
  memset(gradient, 0, (size_t)d * sizeof *gradient);
  if (w->feasible_known) {
    double mean = 0, sd = 0, by_mean = 0, by_sd = 0;
    GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(o->models, 0), x_unit,
                                                 &mean, &sd, w->gradients, w->gradients + d));
    o->options.acq_type->score(o->options.acq_options, &w->state, 1, &mean, &sd, value);
    o->options.acq_type->partials(o->options.acq_options, &w->state, mean, sd, &by_mean, &by_sd);
    *value = -*value;
    add_scaled(d, -by_mean, w->gradients, gradient);
    add_scaled(d, -by_sd, w->gradients + d, gradient);
  }
  for (int i = 1; i < gannet_models_count(o->models); ++i)
    GANNET_TRY(add_constraint(w, i, x_unit, value, gradient));
  return GANNET_OK;
}

/* Memory of one point: options are the polished starts, then the ranked candidates. */
typedef struct {
  workspace work;
  int n_starts, n_ranked;
  gannet_ranked *best;
  gannet_choices choices; /* one list */
} proposal;

static gannet_err make(const gannet_optimizer *o, int q, proposal *p) {
  const bool polished = o->options.search.polish > 0 && o->problem->n_continuous > 0;
  p->n_starts =
      polished && o->options.acq_type->kind == GANNET_ACQ_MOMENTS ? o->options.search.starts : 0;
  p->n_ranked = p->n_starts + SPARE;
  p->choices.n_lists = q;
  p->choices.n_options = p->n_starts + p->n_ranked;
  const size_t total = (size_t)q * (size_t)p->choices.n_options;
  GANNET_TRY(make_workspace(o, q, &p->work));
  GANNET_TRY(gannet_alloc((size_t)q * (size_t)p->n_ranked, sizeof *p->best, &p->best));
  GANNET_TRY(gannet_alloc(total * (size_t)o->problem->d, sizeof(double), &p->choices.options));
  return gannet_alloc(total, sizeof(double), &p->choices.scores);
}

static void drop(proposal *p) {
  drop_workspace(&p->work);
  gannet_free(&p->best);
  gannet_free(&p->choices.options);
  gannet_free(&p->choices.scores);
}

static gannet_err scan_and_polish(gannet_optimizer *o, proposal *p,
                                  const gannet_candidates *candidates) {
  const size_t d = (size_t)o->problem->d;
  double *ranked = p->choices.options + (size_t)p->n_starts * d;
  double mark = gannet_clock_seconds();
  GANNET_TRY(gannet_scan(o->context, candidates, 1, p->n_ranked, score, &p->work, p->best));
  gannet_propose_points(candidates, p->n_ranked, p->best, ranked);
  for (int i = 0; i < p->n_ranked; ++i) p->choices.scores[p->n_starts + i] = p->best[i].score;
  gannet_propose_mark(o, GANNET_PHASE_SCAN, &mark);
  if (p->n_starts == 0) return GANNET_OK;
  const gannet_polish_spec spec = {.problem = o->problem,
                                   .n_lists = 1,
                                   .n_starts = p->n_starts,
                                   .starts = ranked,
                                   .function = minus_score,
                                   .user = &p->work,
                                   .options = {o->options.search.polish, 1e-7, 1e-9}};
  GANNET_TRY(gannet_polish(o->context, &spec, p->choices.options, p->choices.scores));
  for (int i = 0; i < p->n_starts; ++i) p->choices.scores[i] *= -1;
  gannet_propose_mark(o, GANNET_PHASE_POLISH, &mark);
  return GANNET_OK;
}

static gannet_err propose_one(gannet_optimizer *o, proposal *p, double *x_unit) {
  gannet_candidates *candidates = NULL;
  gannet_err err = gannet_models_incumbent(o->models, &p->work.state.incumbent);
  if (err == GANNET_OK) err = gannet_propose_candidates(o, &candidates);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = scan_and_polish(o, p, candidates);
  if (err == GANNET_OK) err = gannet_propose_choose(o, &p->choices, 1, x_unit);
  gannet_candidates_destroy(&candidates);
  return err;
}

/* Points that were proposed and have no result yet. */
static gannet_err believe_pending(gannet_optimizer *o) {
  for (int64_t id = 0; id < gannet_history_count(o->history); ++id)
    if (gannet_history_get(o->history, id)->status == GANNET_EVAL_PENDING)
      GANNET_TRY(
          gannet_models_believe(o->models, 1, gannet_history_x_unit(o->history, id), o->batch));
  return GANNET_OK;
}

static gannet_err propose_all(gannet_optimizer *o, int q, proposal *p, double *x_unit) {
  const size_t d = (size_t)o->problem->d;
  double mark = gannet_clock_seconds();
  GANNET_TRY(believe_pending(o));
  gannet_propose_mark(o, GANNET_PHASE_FIT, &mark);
  for (int i = 0; i < q; ++i) {
    mark = gannet_clock_seconds();
    if (i > 0)
      GANNET_TRY(gannet_models_believe(o->models, 1, x_unit + (size_t)(i - 1) * d, o->batch));
    gannet_propose_mark(o, GANNET_PHASE_FIT, &mark);
    GANNET_TRY(propose_one(o, p, x_unit + (size_t)i * d));
  }
  return GANNET_OK;
}

gannet_err gannet_propose_moments(gannet_optimizer *o, int q, double *x_unit) {
  proposal p = {0};
  gannet_err err = gannet_agree(o->context->comm, make(o, 1, &p));
  if (err == GANNET_OK) err = propose_all(o, q, &p, x_unit);
  drop(&p);
  GANNET_TRY(err);
  return GANNET_OK;
}

/* gannet_scorer: list j, candidate first + p: minus (mean + exploration sd e), e keyed by both. */
static gannet_err score_pointwise(void *user, int m, const double *x_unit, int64_t first,
                                  double *scores, int ld) {
  workspace *w = user;
  const gannet_optimizer *o = w->optimizer;
  for (int i = 0; i < gannet_models_count(o->models); ++i) {
    const double exploration = gannet_models_exploration(o->models, i);
    GANNET_TRY(
        gannet_surrogate_predict(gannet_models_surrogate(o->models, i), m, x_unit, w->mean, w->sd));
    for (int j = 0; j < w->q; ++j) {
      const gannet_stream stream = gannet_context_stream(
          o->context, GANNET_FOR_POINTWISE, (uint64_t)o->batch, ((uint64_t)i << 32) + (uint64_t)j);
      double *mine = scores + (size_t)j * (size_t)ld;
      gannet_random_normal(stream, (uint64_t)first, (size_t)m, w->normal);
      for (int p = 0; p < m; ++p) {
        const double draw = w->mean[p] + exploration * w->sd[p] * w->normal[p];
        const double excess = draw - gannet_models_threshold(o->models, i);
        if (i == 0)
          mine[p] = -draw;
        else if (excess > 0)
          mine[p] = fmin(mine[p], GANNET_INFEASIBLE_SCORE) - excess;
      }
    }
  }
  return GANNET_OK;
}

static gannet_err propose_pointwise(const gannet_optimizer *o, int q, proposal *p,
                                    const gannet_candidates *candidates, double *x_unit) {
  GANNET_TRY(
      gannet_scan(o->context, candidates, q, p->n_ranked, score_pointwise, &p->work, p->best));
  gannet_propose_points(candidates, q * p->n_ranked, p->best, p->choices.options);
  for (int i = 0; i < q * p->n_ranked; ++i) p->choices.scores[i] = p->best[i].score;
  return gannet_propose_choose(o, &p->choices, q, x_unit);
}

gannet_err gannet_propose_pointwise(const gannet_optimizer *o, int q, double *x_unit) {
  proposal p = {0};
  gannet_candidates *candidates = NULL;
  gannet_err err = make(o, q, &p);
  if (err == GANNET_OK) err = gannet_propose_candidates(o, &candidates);
  err = gannet_agree(o->context->comm, err);
  if (err == GANNET_OK) err = propose_pointwise(o, q, &p, candidates, x_unit);
  gannet_candidates_destroy(&candidates);
  drop(&p);
  GANNET_TRY(err);
  return GANNET_OK;
}
