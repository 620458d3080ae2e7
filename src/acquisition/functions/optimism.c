/* The least value over the model's confidence set, with its sign turned: larger is better (GO-UCB,
 * Liu and Wang 2023, step 5 of phase II).
 *
 * The exact least value, gannet_surrogate_lower, takes a minimisation per point. Candidates are
 * therefore scanned by its first order, the lower confidence bound, which is also the exact value
 * for models without such a set. */
#include "acquisition/registry.h"
#include "base/memory.h"

static void score(const void *options, const gannet_acq_state *state, int m, const double *mean,
                  const double *sd, double *scores) {
  gannet_acq_lcb.score(options, state, m, mean, sd, scores);
}

static void partials(const void *options, const gannet_acq_state *state, double mean, double sd,
                     double *by_mean, double *by_sd) {
  gannet_acq_lcb.partials(options, state, mean, sd, by_mean, by_sd);
}

typedef struct {
  const gannet_acq_state *state;
  double *slope; /* [d] */
} optimism_work;

static void release(void *work) {
  optimism_work *w = work;
  if (!w) return;
  gannet_free(&w->slope);
  gannet_free(&w);
}

static gannet_err prepare(const void *options, const gannet_acq_state *state, void **work) {
  optimism_work *w = NULL;
  (void)options;
  GANNET_TRY(gannet_alloc(1, sizeof *w, &w));
  *work = w;
  w->state = state;
  const size_t d = (size_t)gannet_surrogate_dimension(state->model[0].surrogate);
  return gannet_alloc(d, sizeof *w->slope, &w->slope);
}

static gannet_err merits(void *work, int m, const double *x_unit, double *values,
                         double *gradients) {
  const gannet_acq_state *state = ((optimism_work *)work)->state;
  const int d = gannet_surrogate_dimension(state->model[0].surrogate);
  for (int i = 0; i < m; ++i) {
    const size_t at = (size_t)i * (size_t)d;
    GANNET_TRY(gannet_surrogate_lower(state->model[0].surrogate, state->exploration, x_unit + at,
                                      &values[i], gradients + at));
  }
  return GANNET_OK;
}

static gannet_err score_points(void *work, int m, const double *x_unit, double *scores) {
  optimism_work *w = work;
  const size_t d = (size_t)gannet_surrogate_dimension(w->state->model[0].surrogate);
  for (int i = 0; i < m; ++i) {
    GANNET_TRY(merits(w, 1, x_unit + (size_t)i * d, &scores[i], w->slope));
    scores[i] = -scores[i];
  }
  return GANNET_OK;
}

const gannet_acq_type gannet_acq_optimism = {
    .name = "optimism",
    .summary = "least value over the model's confidence set; lcb where the model has no such set",
    .source = "GO-UCB (Liu, Wang 2023), step 5 of phase II",
    .kind = GANNET_ACQ_MOMENTS,
    .shape = GANNET_ACQ_RISING,
    .score = score,
    .partials = partials,
    .prepare = prepare,
    .release = release,
    .score_points = score_points,
    .merits = merits,
};
