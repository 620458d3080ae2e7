#include "optimizer/regret.h"

#include <math.h>

#include "base/memory.h"
#include "optimizer/member.h"
#include "optimizer/objective_options.h"
#include "optimizer/propose/propose.h"
#include "problem/runs.h"

/* Factor on what the model says it does not know. Hyperparameters that are learnt from few results
 * at chosen places make it too sure: with 1, campaigns ended long before they had found the minimum
 * (gannet-bench stopping). */
static const char exploration[] = "2";

enum {
  CHUNK = 20,        /* draws that are made at once */
  LEAST_DRAWS = 200, /* of an estimate */
  MOST_DRAWS = 2000,
  BEYOND = 10,             /* expected draws beyond the regret, where the probability just holds */
  LEAST_RESULTS = 5,       /* for a model, ... */
  RESULTS_PER_VARIABLE = 5 /* ... and so many more for each coordinate of the unit cube */
};

static gannet_err read_options(const gannet_history *history, gannet_optimizer_options *options) {
  const bool is_exact = gannet_history_problem(history)->spec.noise_sd == 0;
  const gannet_setting settings[] = {
      {.key = "method", .text = "gp-ts"},
      {.key = "transform", .text = "none"},
      {.key = "surrogate.lengthscales", .text = "ard"},
      {.key = "acquisition.exploration", .text = exploration},
      {.key = "surrogate.restarts", .text = "2"},
      {.key = "surrogate.fit_evaluations", .text = "60"},
      {.key = "surrogate.fit_points", .text = "200"},
      {.key = "surrogate.noisy_start", .text = is_exact ? "no" : "suspected"},
      {.key = "search.candidates", .text = "1000"},
      {.key = "search.starts", .text = "2"}};
  return gannet_optimizer_options_own(sizeof settings / sizeof *settings, settings, options);
}

/* Count draws by their regret until all were made, or too many are beyond. */
static gannet_err count_draws(gannet_member *member, const gannet_regret_spec *spec,
                              gannet_regret *r) {
  const gannet_transform_fit *fit = gannet_models_transform(member->models, 0);
  const double *x = gannet_history_x_unit(member->history, r->incumbent);
  const int64_t told = gannet_history_count_told(member->history);
  const double wanted = ceil(BEYOND / (1 - spec->probability));
  const int planned = (int)fmin(fmax(wanted, LEAST_DRAWS), MOST_DRAWS);
  const double allowed = (1 - spec->probability) * planned;
  double values[CHUNK], least[CHUNK];
  while (r->n_draws < planned && r->n_draws - r->n_within <= allowed) {
    const int q = planned - r->n_draws < CHUNK ? planned - r->n_draws : CHUNK;
    member->batch = told * MOST_DRAWS + r->n_draws; /* every chunk has random numbers of its own */
    GANNET_TRY(gannet_propose_draw_minima(member, q, x, values, least));
    for (int j = 0; j < q; ++j) {
      const double there = gannet_transform_invert(fit, values[j]);
      const bool is_better = least[j] < values[j];
      const double regret = is_better ? there - gannet_transform_invert(fit, least[j]) : 0;
      r->n_within += regret <= spec->within;
    }
    r->n_draws += q;
  }
  r->is_reached = r->n_draws == planned && r->n_draws - r->n_within <= allowed;
  return GANNET_OK;
}

static gannet_err estimate_by_model(const gannet_context *context, const gannet_history *history,
                                    const gannet_optimizer_options *options,
                                    const gannet_regret_spec *spec, gannet_regret *r) {
  gannet_phases phases = {0};
  gannet_member member = {0};
  const gannet_member_common common = {.context = context, .history = history, .phases = &phases};
  /* The number of a member that no portfolio has: its random numbers are those of no proposal. */
  gannet_err err = gannet_member_create(&common, &options->member[0], GANNET_MEMBERS_MOST, &member);
  if (err == GANNET_OK) err = gannet_models_prepare(member.models, NULL, 0);
  if (err == GANNET_OK) err = gannet_models_learn(context, 1, &member.models);
  if (err == GANNET_OK) err = gannet_models_fit(member.models);
  if (err != GANNET_OK) {
    gannet_member_release(&member);
    return err;
  }
  const double noise = gannet_history_problem(history)->spec.noise_sd;
  const bool is_noisy = gannet_history_has_error_bars(history) ||
                        (isnan(noise) ? gannet_models_look_noisy(member.models) : noise > 0);
  if (is_noisy)
    err = gannet_agree(context->comm, gannet_models_best(member.models, 0, &r->incumbent));
  if (err == GANNET_OK && r->incumbent >= 0) err = count_draws(&member, spec, r);
  gannet_member_release(&member);
  return err;
}

gannet_err gannet_regret_estimate(const gannet_context *context, const gannet_history *history,
                                  const gannet_regret_spec *spec, gannet_regret *regret) {
  const gannet_problem *problem = gannet_history_problem(history);
  const int64_t n = gannet_history_count_observations(history);
  gannet_optimizer_options options = {0};
  *regret = (gannet_regret){.incumbent = -1};
  GANNET_TRY(gannet_objectives_require_one(problem, "an estimate of the regret"));
  if (n < LEAST_RESULTS + (int64_t)RESULTS_PER_VARIABLE * problem->d) return GANNET_OK;
  regret->incumbent = gannet_history_best(history);
  if (regret->incumbent < 0) return GANNET_OK;
  gannet_err err = gannet_agree(context->comm, read_options(history, &options));
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, estimate_by_model(context, history, &options, spec, regret));
  gannet_optimizer_options_release(&options);
  return err;
}
