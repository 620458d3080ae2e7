#include "optimizer/recommend.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "optimizer/models/models.h"
#include "optimizer/substitute.h"
#include "problem/runs.h"
#include "search/merit_rank.h"

gannet_err gannet_recommend_options(bool is_large, gannet_optimizer_options *options) {
  const gannet_setting settings[] = {
      {.key = "method", .text = "gp-warped"},
      /* noise that is given is not that of a logarithm */
      {.key = "transform", .text = "auto"},
      {.key = "surrogate.noisy_start", .text = "yes"},
      {.key = "surrogate.inducing", .text = is_large ? "500" : "auto"},
      {.key = "surrogate.fit_points", .text = "200"}};
  return gannet_optimizer_options_own(sizeof settings / sizeof *settings, settings, options);
}

/* A standard deviation of the model in units of the objective: half the distance of the values that
 * belong to one deviation more and one less. */
static double sd_in_units(const gannet_transform_fit *fit, double mean, double sd) {
  return 0.5 * gannet_transform_invert(fit, mean + sd) -
         0.5 * gannet_transform_invert(fit, mean - sd);
}

static gannet_err choose_least_mean(const gannet_history *history, gannet_models *models,
                                    gannet_recommendation *r) {
  const gannet_problem *problem = gannet_history_problem(history);
  const gannet_surrogate *objective = gannet_models_surrogate(models, 0);
  const gannet_transform_fit *fit = gannet_models_transform(models, 0);
  double mean = 0, sd = 0;
  GANNET_TRY(gannet_models_best(models, 0, &r->id));
  if (r->id < 0) return GANNET_OK;
  GANNET_TRY(
      gannet_surrogate_predict(objective, 1, gannet_history_x_unit(history, r->id), &mean, &sd));
  r->mean = gannet_problem_flip(problem, gannet_transform_invert(fit, mean));
  r->sd = sd_in_units(fit, mean, sd);
  const double given = problem->spec.noise_sd; /* a model's own has a floor and a ceiling */
  const double told = *gannet_history_sd(history, r->id);
  r->noise_sd = told > 0       ? told
                : isnan(given) ? sd_in_units(fit, mean, sqrt(gannet_surrogate_noise_var(objective)))
                               : given;
  return GANNET_OK;
}

static int better_first(const void *a, const void *b) {
  const gannet_merit_rank *left = a, *right = b;
  if (gannet_merit_rank_is_better(left, right)) return -1;
  return gannet_merit_rank_is_better(right, left);
}

/* A result, and the squared distance of its design from the nearest of the best designs. */
typedef struct {
  double distance;
  int64_t id;
} near_result;

static int nearest_first(const void *a, const void *b) {
  const near_result *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static double distance_to_best(const gannet_history *history, int64_t id, int n_best,
                               const gannet_merit_rank *best) {
  const int d = gannet_history_problem(history)->d;
  const double *x = gannet_history_x_unit(history, id);
  double least = INFINITY;
  for (int i = 0; i < n_best && least > 0; ++i) {
    const double *z = gannet_history_x_unit(history, best[i].id);
    double sum = 0;
    for (int k = 0; k < d && sum < least; ++k) sum += (x[k] - z[k]) * (x[k] - z[k]);
    least = fmin(least, sum);
  }
  return least;
}

/* Mark the results that the model takes, [history count]; NULL where it takes all of them. */
static gannet_err choose_results(const gannet_history *history, bool **take) {
  const int64_t n_rows = gannet_history_count(history), n = gannet_history_count_told(history);
  gannet_merit_rank *best = NULL;
  near_result *near = NULL;
  int n_best = 0;
  if (n <= GANNET_RECOMMEND_MOST) return GANNET_OK;
  gannet_err err = gannet_alloc((size_t)n_rows, sizeof *best, &best);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *near, &near);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n_rows, sizeof **take, take);
  if (err == GANNET_OK) err = gannet_merit_rank_all(history, 0, best);
  if (err == GANNET_OK) {
    qsort(best, (size_t)n_rows, sizeof *best, better_first);
    while (n_best < GANNET_RECOMMEND_BEST && isfinite(best[n_best].violation)) ++n_best;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t id = gannet_history_order(history)[i];
      near[i] = (near_result){distance_to_best(history, id, n_best, best), id};
    }
    qsort(near, (size_t)n, sizeof *near, nearest_first);
    for (int i = 0; i < GANNET_RECOMMEND_MOST; ++i) (*take)[near[i].id] = true;
  }
  gannet_free(&best);
  gannet_free(&near);
  return err;
}

static gannet_err recommend_by_model(const gannet_context *context, const gannet_history *history,
                                     const gannet_optimizer_options *options,
                                     gannet_recommendation *r) {
  gannet_models *models = NULL;
  bool *take = NULL;
  gannet_err err = gannet_agree(context->comm, choose_results(history, &take));
  if (err == GANNET_OK)
    err = gannet_models_create(context, history, NULL, &options->member[0], 0, &models);
  if (err == GANNET_OK) err = gannet_models_prepare(models, take, 0);
  if (err == GANNET_OK) err = gannet_models_learn(context, 1, &models);
  if (err == GANNET_OK) err = gannet_models_fit(models);
  if (err == GANNET_OK) err = gannet_agree(context->comm, choose_least_mean(history, models, r));
  gannet_models_destroy(&models);
  gannet_free(&take);
  return err;
}

gannet_err gannet_recommend(const gannet_context *context, const gannet_history *history,
                            gannet_recommendation *r) {
  const gannet_problem *problem = gannet_history_problem(history);
  gannet_optimizer_options options = {0};
  double given = problem->spec.noise_sd;
  *r = (gannet_recommendation){gannet_history_best(history), NAN, NAN, given};
  if (r->id < 0) return GANNET_OK;
  if (*gannet_history_sd(history, r->id) > 0)
    r->noise_sd = given = *gannet_history_sd(history, r->id);
  gannet_runs runs;
  gannet_runs_find(history, r->id, NULL, &runs);
  r->mean = runs.objective;
  r->sd = runs.n > 1 ? runs.error : given; /* of the values, until a model knows better */
  const gannet_recommendation plain = *r;
  if (problem->spec.noise_sd == 0 && !gannet_history_has_error_bars(history)) return GANNET_OK;
  if (gannet_history_count_observations(history) < GANNET_RECOMMEND_LEAST) return GANNET_OK;
  const bool is_large = gannet_history_count_told(history) > GANNET_RECOMMEND_MOST;
  gannet_err err = gannet_agree(context->comm, gannet_recommend_options(is_large, &options));
  if (err == GANNET_OK)
    err = gannet_agree(context->comm, recommend_by_model(context, history, &options, r));
  gannet_optimizer_options_release(&options);
  if (!gannet_substitute_helps(err)) return err;
  gannet_log(context, GANNET_LOG_WARNING,
             "the best value is recommended, because the model of the results failed: %s",
             gannet_error_message());
  gannet_error_clear();
  *r = plain;
  return GANNET_OK;
}
