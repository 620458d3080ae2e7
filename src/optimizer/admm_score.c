/* Expected improvements of the two subproblems of optimizer/admm.h. */
#include <math.h>
#include <string.h>

#include "acquisition/normal.h"
#include "base/memory.h"
#include "optimizer/admm.h"

/* Below this gain the logarithm goes on as its tangent, so that a polish finds its way back. */
static const double least_gain = 1e-8;
static const double least_sd = 1e-12;

gannet_err gannet_admm_score_prepare(const gannet_member *member, gannet_admm_score *s) {
  const size_t d = (size_t)member->problem->d;
  *s = (gannet_admm_score){.member = member};
  GANNET_TRY(gannet_alloc(d, sizeof(double), &s->anchor));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->mean));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->sd));
  GANNET_TRY(gannet_alloc(GANNET_TILE, sizeof(double), &s->log_feasible));
  return gannet_alloc(2 * d, sizeof(double), &s->gradients);
}

void gannet_admm_score_release(gannet_admm_score *s) {
  gannet_free(&s->anchor);
  gannet_free(&s->mean);
  gannet_free(&s->sd);
  gannet_free(&s->log_feasible);
  gannet_free(&s->gradients);
}

gannet_err gannet_admm_score_begin(gannet_admm_score *s) {
  int64_t id = -1;
  s->phase = (gannet_admm_phase)s->member->admm[GANNET_ADMM_PHASE];
  gannet_admm_subproblem(s->member, s->phase, &s->weight, s->anchor);
  return gannet_admm_best(s->member, s->phase, s->weight, s->anchor, &id, &s->best);
}

static double distance_term(const gannet_admm_score *s, const double *x) {
  double sum = 0;
  for (int k = 0; k < s->member->problem->d; ++k)
    sum += (x[k] - s->anchor[k]) * (x[k] - s->anchor[k]);
  return s->weight * sum;
}

/* Improvement of the shifted objective: log sd + log h((best - mean - distance) / sd). */
static double objective_score(double gap, double sd) {
  const double floored = fmax(sd, least_sd);
  return log(floored) + gannet_normal_log_improvement(fmin(fmax(gap / floored, -1e110), 1e110));
}

/* log of theta g, or of g - (1 - theta) for g > 1; its derivatives by log theta and by g. */
typedef struct {
  double score, by_log_theta, by_gain;
} feasibility;

static feasibility feasibility_score(double log_theta, double g) {
  if (g > 1) {
    const double theta = exp(log_theta), value = g - 1 + theta;
    return (feasibility){log(value), theta / value, 1 / value};
  }
  if (g > least_gain) return (feasibility){log_theta + log(g), 1, 1 / g};
  return (feasibility){log_theta + log(least_gain) + (g - least_gain) / least_gain, 1,
                       1 / least_gain};
}

static gannet_err predict(gannet_admm_score *s, int i, int m, const double *x_unit) {
  return gannet_surrogate_predict(gannet_models_surrogate(s->member->models, i), m, x_unit, s->mean,
                                  s->sd);
}

gannet_err gannet_admm_score_points(void *user, int m, const double *x_unit, int64_t first,
                                    double *scores, int ld) {
  gannet_admm_score *s = user;
  const gannet_models *models = s->member->models;
  const size_t d = (size_t)s->member->problem->d;
  double unused = 0;
  (void)first;
  (void)ld;
  if (s->phase == GANNET_ADMM_OBJECTIVE) {
    GANNET_TRY(predict(s, 0, m, x_unit));
    for (int p = 0; p < m; ++p)
      scores[p] = objective_score(s->best - s->mean[p] - distance_term(s, x_unit + (size_t)p * d),
                                  s->sd[p]);
    return GANNET_OK;
  }
  memset(s->log_feasible, 0, (size_t)m * sizeof *s->log_feasible);
  for (int i = 1; i < gannet_models_count(models); ++i) {
    const double threshold = gannet_models_threshold(models, i);
    GANNET_TRY(predict(s, i, m, x_unit));
    for (int p = 0; p < m; ++p)
      s->log_feasible[p] += gannet_normal_log_cdf(
          (threshold - s->mean[p]) / gannet_models_spread(models, i, s->sd[p], &unused));
  }
  for (int p = 0; p < m; ++p)
    scores[p] =
        feasibility_score(s->log_feasible[p], s->best - distance_term(s, x_unit + (size_t)p * d))
            .score;
  return GANNET_OK;
}

static void add_scaled(int d, double factor, const double *from, double *to) {
  for (int k = 0; k < d; ++k) to[k] += factor * from[k];
}

/* by_distance times the gradient of the distance term. */
static void add_distance(const gannet_admm_score *s, double by_distance, const double *x,
                         double *gradient) {
  for (int k = 0; k < s->member->problem->d; ++k)
    gradient[k] += 2 * by_distance * s->weight * (x[k] - s->anchor[k]);
}

static gannet_err objective_merit(gannet_admm_score *s, const double *x_unit, double *value,
                                  double *gradient) {
  const int d = s->member->problem->d;
  double mean = 0, sd = 0;
  GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(s->member->models, 0),
                                               x_unit, &mean, &sd, s->gradients, s->gradients + d));
  const double gap = s->best - mean - distance_term(s, x_unit), floored = fmax(sd, least_sd);
  const double z = fmin(fmax(gap / floored, -1e110), 1e110);
  const double by_mean = gannet_normal_cdf_over_improvement(z) / floored;
  *value = -objective_score(gap, sd);
  add_scaled(d, by_mean, s->gradients, gradient);
  add_distance(s, by_mean, x_unit, gradient);
  if (sd > least_sd)
    add_scaled(d, -gannet_normal_pdf_over_improvement(z) / floored, s->gradients + d, gradient);
  return GANNET_OK;
}

static gannet_err feasibility_merit(gannet_admm_score *s, const double *x_unit, double *value,
                                    double *gradient) {
  const gannet_models *models = s->member->models;
  const int d = s->member->problem->d;
  double log_theta = 0;
  for (int i = 1; i < gannet_models_count(models); ++i) {
    double mean = 0, sd = 0, by_sd = 0;
    GANNET_TRY(gannet_surrogate_predict_gradient(gannet_models_surrogate(models, i), x_unit, &mean,
                                                 &sd, s->gradients, s->gradients + d));
    const double spread = gannet_models_spread(models, i, sd, &by_sd);
    const double z = (gannet_models_threshold(models, i) - mean) / spread;
    const double hazard = gannet_normal_hazard(z);
    log_theta += gannet_normal_log_cdf(z);
    add_scaled(d, hazard / spread, s->gradients, gradient);
    if (by_sd > 0) add_scaled(d, by_sd * hazard * z / spread, s->gradients + d, gradient);
  }
  const feasibility f = feasibility_score(log_theta, s->best - distance_term(s, x_unit));
  for (int k = 0; k < d; ++k) gradient[k] *= f.by_log_theta;
  add_distance(s, f.by_gain, x_unit, gradient);
  *value = -f.score;
  return GANNET_OK;
}

gannet_err gannet_admm_score_merit(void *user, int list, const double *x_unit, double *value,
                                   double *gradient) {
  gannet_admm_score *s = user;
  (void)list;
  memset(gradient, 0, (size_t)s->member->problem->d * sizeof *gradient);
  return s->phase == GANNET_ADMM_OBJECTIVE ? objective_merit(s, x_unit, value, gradient)
                                           : feasibility_merit(s, x_unit, value, gradient);
}
