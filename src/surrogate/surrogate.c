/* The interface of all models: arguments and the order of calls are checked here, once, and models
 * may trust them.
 */
#include "surrogate/surrogate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/cholesky.h"

struct gannet_surrogate {
  const gannet_context *context;
  const gannet_surrogate_type *type;
  void *state;
  void *options;    /* the model's settings; it may keep the pointer */
  bool own_options; /* options are the defaults, whose texts and lists are freed here */
  int d;
  int draws;          /* valid draws; 0 = none */
  bool fantasizing;   /* the last fit had fantasies */
  bool conditioned;   /* fitted since creation or since the hyperparameters were set */
  double *difference; /* [2d+1][d] points, then means and sds, for central differences */

  gannet_prior_mean prior; /* evaluate is NULL: the mean is 0 */
  double *prior_work;      /* [GANNET_TILE][d + 1] values of the prior mean, then its gradients */
  int capacity;            /* of the next three */
  double *at_data;         /* [capacity] prior mean at the data */
  double *residual;        /* [capacity] what the model sees of them */
  double *row_noise;       /* [capacity] of these */
};

void gannet_surrogate_set_prior_mean(gannet_surrogate *s, const gannet_prior_mean *prior) {
  s->prior = prior ? *prior : (gannet_prior_mean){0};
}

/* What a model sees of data, without what its type does not take. */
static gannet_err subtract_prior(gannet_surrogate *s, const gannet_data *data, gannet_data *seen) {
  const double scale = s->prior.scale;
  *seen = *data;
  if (!s->type->takes_row_noise) seen->row_noise = NULL;
  if (!s->prior.evaluate || data->n == 0) return GANNET_OK;
  if (data->n > s->capacity) {
    const size_t old = (size_t)s->capacity, larger = 2 * (size_t)data->n;
    GANNET_TRY(gannet_resize(old, larger, sizeof *s->at_data, &s->at_data));
    GANNET_TRY(gannet_resize(old, larger, sizeof *s->residual, &s->residual));
    GANNET_TRY(gannet_resize(old, larger, sizeof *s->row_noise, &s->row_noise));
    s->capacity = (int)larger;
  }
  GANNET_TRY(s->prior.evaluate(s->prior.user, data->n, data->x, s->at_data, NULL));
  for (int i = 0; i < data->n; ++i) s->residual[i] = (data->y[i] - s->at_data[i]) / scale;
  for (int i = 0; i < data->n && seen->row_noise; ++i)
    s->row_noise[i] = data->row_noise[i] / (scale * scale);
  if (seen->row_noise) seen->row_noise = s->row_noise;
  seen->y = s->residual;
  seen->noise_var = data->noise_var / (scale * scale);
  return GANNET_OK;
}

/* Add the prior mean to what a model says at m points: q lists of values [q][ldv], and, unless it
 * is NULL, gradients [m][d]. */
static gannet_err add_prior(const gannet_surrogate *s, int m, const double *x, int q,
                            double *values, int ldv, double *gradients) {
  const size_t d = (size_t)s->d;
  double *slopes = gradients ? s->prior_work + GANNET_TILE : NULL;
  if (!s->prior.evaluate) return GANNET_OK;
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int n = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    GANNET_TRY(s->prior.evaluate(s->prior.user, n, x + (size_t)first * d, s->prior_work, slopes));
    for (int j = 0; j < q; ++j)
      for (int i = 0; i < n; ++i) {
        double *value = values + (size_t)j * (size_t)ldv + (size_t)(first + i);
        *value = s->prior_work[i] + s->prior.scale * *value;
      }
    for (size_t k = 0; gradients && k < (size_t)n * d; ++k) {
      double *slope = gradients + (size_t)first * d + k;
      *slope = slopes[k] + s->prior.scale * *slope;
    }
  }
  return GANNET_OK;
}

/* Deviations of the model, in the units of the data. */
static void scale_deviations(const gannet_surrogate *s, size_t n, double *values) {
  for (size_t i = 0; i < n && s->prior.evaluate && values; ++i) values[i] *= s->prior.scale;
}

static gannet_err default_options(gannet_surrogate *s) {
  gannet_complaints complaints = {0};
  s->own_options = true;
  gannet_err code = GANNET_OK;
  if (s->type->options)
    code = gannet_options_apply(s->type->options, s->type->name, 0, NULL, s->options, &complaints);
  if (code == GANNET_OK) code = gannet_complaints_raise(&complaints);
  gannet_complaints_release(&complaints);
  return code;
}

static gannet_err create_model(gannet_surrogate *s, const void *options, int model) {
  const size_t points = 2 * (size_t)s->d + 1;
  GANNET_REQUIRE(s->d >= 1, GANNET_ERR_SHAPE, "d = %d, expected at least 1", s->d);
  GANNET_REQUIRE(model >= 0, GANNET_ERR_ARG, "model = %d, expected at least 0", model);
  GANNET_TRY(gannet_alloc(s->type->options_size, 1, &s->options));
  if (!options)
    GANNET_TRY(default_options(s));
  else
    memcpy(s->options, options, s->type->options_size);
  GANNET_TRY(gannet_alloc(GANNET_TILE * ((size_t)s->d + 1), sizeof *s->prior_work, &s->prior_work));
  if (!s->type->predict_gradient && !s->type->predict_gradients)
    GANNET_TRY(gannet_alloc(points * ((size_t)s->d + 2), sizeof(double), &s->difference));
  const char *why = s->type->contradiction ? s->type->contradiction(s->options) : NULL;
  GANNET_REQUIRE(!why, GANNET_ERR_ARG, "%s", why);
  return s->type->create(s->context, s->options, s->d, model, &s->state);
}

gannet_err gannet_surrogate_create(const gannet_context *context, const gannet_surrogate_type *type,
                                   const void *options, int d, int model,
                                   gannet_surrogate **surrogate) {
  gannet_surrogate *s = NULL;
  *surrogate = NULL;
  gannet_err code = gannet_alloc(1, sizeof *s, &s);
  if (code == GANNET_OK) {
    s->context = context;
    s->type = type;
    s->d = d;
    code = create_model(s, options, model);
  }
  code = gannet_agree(context->comm, code);
  if (code != GANNET_OK) gannet_surrogate_destroy(&s);
  *surrogate = s;
  return code;
}

void gannet_surrogate_destroy(gannet_surrogate **surrogate) {
  gannet_surrogate *s = *surrogate;
  if (!s) return;
  if (s->state) s->type->destroy(s->state);
  if (s->own_options && s->type->options)
    gannet_options_release(s->type->options, s->options, s->type->options_size);
  gannet_free(&s->options);
  gannet_free(&s->difference);
  gannet_free(&s->prior_work);
  gannet_free(&s->at_data);
  gannet_free(&s->residual);
  gannet_free(&s->row_noise);
  gannet_free(surrogate);
}

gannet_stream gannet_stream_of(gannet_streams streams, gannet_purpose purpose, int64_t iteration,
                               int index) {
  return (gannet_stream){streams.seed, (uint64_t)purpose | (uint64_t)streams.model << 32,
                         (uint64_t)iteration, (uint64_t)index};
}

static gannet_err check_data(const gannet_surrogate *s, const gannet_data *data,
                             int64_t iteration) {
  GANNET_REQUIRE(data->n >= 0, GANNET_ERR_SHAPE, "n = %d, expected at least 0", data->n);
  GANNET_REQUIRE(iteration >= 0, GANNET_ERR_ARG, "iteration = %lld, expected at least 0",
                 (long long)iteration);
  GANNET_REQUIRE(isnan(data->noise_var) || (data->noise_var >= 0 && isfinite(data->noise_var)),
                 GANNET_ERR_ARG, "noise variance %g, expected at least 0 or nan", data->noise_var);
  for (int i = 0; i < data->n; ++i) {
    GANNET_REQUIRE(isfinite(data->y[i]), GANNET_ERR_ARG, "value %d of the data is not finite", i);
    const double *x = data->x + (size_t)i * (size_t)s->d;
    for (int k = 0; k < s->d; ++k)
      GANNET_REQUIRE(isfinite(x[k]), GANNET_ERR_ARG, "point %d of the data is not finite", i);
    const double noise = data->row_noise ? data->row_noise[i] : NAN;
    GANNET_REQUIRE(isnan(noise) || (noise >= 0 && isfinite(noise)), GANNET_ERR_ARG,
                   "noise variance %g of row %d, expected at least 0 or nan", noise, i);
  }
  return GANNET_OK;
}

static gannet_hyper hyper_of(const gannet_surrogate *s) {
  return s->type->hyper ? s->type->hyper(s->state) : (gannet_hyper){0};
}

gannet_err gannet_surrogate_start_over(gannet_surrogate *s) {
  return gannet_surrogate_set_hyper(s, hyper_of(s).values);
}

/* Have the next fit make everything anew: a model whose fit failed half-way may hold parts of what
 * it was to become. */
static void discard_parts(gannet_surrogate *s) {
  const gannet_hyper hyper = hyper_of(s);
  if (hyper.stale) *hyper.stale = true;
}

/* Fit, and after a failure go back to the hyperparameters of before.
 *
 * before  -  [n_hyper] workspace */
static gannet_err fit_or_go_back(gannet_surrogate *s, const gannet_data *seen, bool learn,
                                 int64_t iteration, double *before) {
  const gannet_hyper hyper = hyper_of(s);
  const size_t bytes = (size_t)hyper.n * sizeof *before;
  if (hyper.n > 0) memcpy(before, hyper.values, bytes);
  const gannet_err err =
      gannet_agree(s->context->comm, s->type->fit(s->state, seen, learn, iteration));
  if (err == GANNET_OK) return GANNET_OK;
  if (hyper.n > 0) memcpy(hyper.values, before, bytes);
  discard_parts(s);
  return err;
}

gannet_err gannet_surrogate_fit(gannet_surrogate *s, const gannet_data *data, bool learn,
                                int64_t iteration) {
  const bool start_over = s->fantasizing && !s->type->fantasize && !learn;
  gannet_data seen;
  double *before = NULL;
  s->draws = 0;
  gannet_err err = check_data(s, data, iteration);
  if (err == GANNET_OK) err = subtract_prior(s, data, &seen);
  if (err == GANNET_OK) err = gannet_alloc((size_t)hyper_of(s).n, sizeof *before, &before);
  err = gannet_agree(s->context->comm, err);
  if (err == GANNET_OK) {
    s->conditioned = false;
    if (start_over) err = gannet_agree(s->context->comm, gannet_surrogate_start_over(s));
  }
  if (err == GANNET_OK) {
    s->fantasizing = false;
    err = fit_or_go_back(s, &seen, learn, iteration, before);
    s->conditioned = err == GANNET_OK;
  }
  gannet_free(&before);
  GANNET_TRY(err);
  return GANNET_OK;
}

/* Learning of the m surrogates that can do it apart from a fit. */
static gannet_err learn_apart(const gannet_context *context, int m, gannet_learner *const *learners,
                              gannet_multistart_task *tasks) {
  gannet_err err = GANNET_OK;
  int begun = 0;
  for (; begun < m && err == GANNET_OK; ++begun) {
    const gannet_learner *learner = learners[begun];
    gannet_surrogate *s = learner->surrogate;
    s->draws = 0;
    gannet_data seen;
    err = check_data(s, &learner->data, learner->iteration);
    if (err == GANNET_OK) err = subtract_prior(s, &learner->data, &seen);
    if (err != GANNET_OK) continue;
    s->conditioned = false;
    err = s->type->learn_begin(s->state, &seen, learner->iteration, &tasks[begun]);
  }
  err = gannet_agree(context->comm, err);
  if (err == GANNET_OK) err = gannet_multistart_run_all(context, m, tasks);
  for (int i = 0; i < begun; ++i) {
    gannet_surrogate *s = learners[i]->surrogate;
    s->type->learn_end(s->state, &tasks[i], err == GANNET_OK);
    learners[i]->learnt = err == GANNET_OK;
  }
  return err;
}

gannet_err gannet_surrogates_learn(const gannet_context *context, int n, gannet_learner *learners) {
  gannet_learner **able = NULL;
  gannet_multistart_task *tasks = NULL;
  int m = 0;
  gannet_err err = gannet_alloc((size_t)n, sizeof *able, &able);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *tasks, &tasks);
  err = gannet_agree(context->comm, err);
  for (int i = 0; i < n && err == GANNET_OK; ++i)
    if (learners[i].surrogate->type->learn_begin && learners[i].data.n >= 2)
      able[m++] = &learners[i];
  if (m > 0) err = learn_apart(context, m, able, tasks);
  gannet_free(&able);
  gannet_free(&tasks);
  return err;
}

gannet_err gannet_surrogate_fantasize(gannet_surrogate *s, const gannet_data *data, int n_fantasies,
                                      int64_t iteration) {
  gannet_data seen;
  s->draws = 0;
  gannet_err code = check_data(s, data, iteration);
  if (code == GANNET_OK && !(0 <= n_fantasies && n_fantasies <= data->n))
    code = GANNET_RAISE(GANNET_ERR_ARG, "%d of %d rows are fantasies", n_fantasies, data->n);
  if (code == GANNET_OK) code = subtract_prior(s, data, &seen);
  GANNET_TRY(gannet_agree(s->context->comm, code));
  s->fantasizing = true;
  s->conditioned = false;
  code = s->type->fantasize ? s->type->fantasize(s->state, &seen, n_fantasies, iteration)
                            : s->type->fit(s->state, &seen, false, iteration);
  code = gannet_agree(s->context->comm, code);
  if (code != GANNET_OK) discard_parts(s);
  GANNET_TRY(code);
  s->conditioned = true;
  return GANNET_OK;
}

/* Names of the types that take equations, with blanks between them. */
static void list_types_with_equations(char *names, size_t size) {
  size_t used = 0;
  names[0] = '\0';
  for (int i = 0; gannet_surrogate_types[i]; ++i) {
    if (!gannet_surrogate_types[i]->set_pde_constraint || used + 1 >= size) continue;
    const int more = snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "",
                              gannet_surrogate_types[i]->name);
    used += more > 0 ? (size_t)more : 0;
  }
}

void gannet_surrogate_set_noisy(gannet_surrogate *s, bool noisy) {
  if (s->type->set_noisy) s->type->set_noisy(s->state, noisy);
}

gannet_err gannet_surrogate_set_pde_constraint(gannet_surrogate *s,
                                               const gannet_pde_constraint *constraint) {
  char names[200];
  list_types_with_equations(names, sizeof names);
  GANNET_REQUIRE(s->type->set_pde_constraint, GANNET_ERR_ARG,
                 "the %s surrogate takes no equations; those that do: %s", s->type->name, names);
  GANNET_REQUIRE(!constraint->residuals || (constraint->slope != 0 && isfinite(constraint->slope) &&
                                            isfinite(constraint->offset)),
                 GANNET_ERR_ARG, "offset %g and slope %g of the function that obeys the equations",
                 constraint->offset, constraint->slope);
  return s->type->set_pde_constraint(s->state, constraint);
}

static gannet_err require_conditioned(const gannet_surrogate *s) {
  GANNET_REQUIRE(s->conditioned, GANNET_ERR_STATE, "the %s surrogate was not fitted",
                 s->type->name);
  return GANNET_OK;
}

gannet_err gannet_surrogate_predict(const gannet_surrogate *s, int m, const double *x, double *mean,
                                    double *sd) {
  GANNET_REQUIRE(m >= 0, GANNET_ERR_SHAPE, "m = %d, expected at least 0", m);
  GANNET_TRY(require_conditioned(s));
  if (m == 0) return GANNET_OK;
  GANNET_TRY(s->type->predict(s->state, m, x, mean, sd));
  scale_deviations(s, (size_t)m, sd);
  return add_prior(s, m, x, 1, mean, m, NULL);
}

bool gannet_surrogate_fitted(const gannet_surrogate *s, double *mean) {
  /* The prior mean could be added, but the caller alone knows how many data there are. */
  return s->conditioned && !s->prior.evaluate && s->type->fitted && s->type->fitted(s->state, mean);
}

/* Central differences: the error of the step balances that of rounding near eps^(1/3). Row 0 holds
 * the point itself, rows 1 + 2k and 2 + 2k are one step up and down coordinate k. */
static gannet_err difference_gradient(const gannet_surrogate *s, const double *x, double *mean,
                                      double *sd, double *mean_gradient, double *sd_gradient) {
  const double step = 0x1p-17;
  const int d = s->d, m = 2 * d + 1;
  double *points = s->difference, *means = points + (size_t)m * (size_t)d, *sds = means + m;
  for (int i = 0; i < m; ++i) memcpy(points + (size_t)i * (size_t)d, x, (size_t)d * sizeof *x);
  for (int k = 0; k < d; ++k) {
    points[(size_t)(1 + 2 * k) * (size_t)d + (size_t)k] = x[k] + step;
    points[(size_t)(2 + 2 * k) * (size_t)d + (size_t)k] = x[k] - step;
  }
  GANNET_TRY(s->type->predict(s->state, m, points, means, sds));
  *mean = means[0];
  *sd = sds[0];
  for (int k = 0; k < d; ++k) {
    mean_gradient[k] = (means[1 + 2 * k] - means[2 + 2 * k]) / (2 * step);
    sd_gradient[k] = (sds[1 + 2 * k] - sds[2 + 2 * k]) / (2 * step);
  }
  return GANNET_OK;
}

gannet_err gannet_surrogate_predict_gradient(const gannet_surrogate *s, const double *x,
                                             double *mean, double *sd, double *mean_gradient,
                                             double *sd_gradient) {
  return gannet_surrogate_predict_gradients(s, 1, x, mean, sd, mean_gradient, sd_gradient);
}

gannet_err gannet_surrogate_predict_gradients(const gannet_surrogate *s, int m, const double *x,
                                              double *mean, double *sd, double *mean_gradients,
                                              double *sd_gradients) {
  const bool together = s->type->predict_gradients != NULL;
  GANNET_REQUIRE(m >= 0, GANNET_ERR_SHAPE, "m = %d, expected at least 0", m);
  GANNET_TRY(require_conditioned(s));
  if (together)
    GANNET_TRY(s->type->predict_gradients(s->state, m, x, mean, sd, mean_gradients, sd_gradients));
  for (int i = 0; i < m && !together; ++i) {
    const size_t at = (size_t)i * (size_t)s->d;
    double *by_mean = mean_gradients + at, *by_sd = sd_gradients + at;
    GANNET_TRY(s->type->predict_gradient
                   ? s->type->predict_gradient(s->state, x + at, mean + i, sd + i, by_mean, by_sd)
                   : difference_gradient(s, x + at, mean + i, sd + i, by_mean, by_sd));
  }
  scale_deviations(s, (size_t)m, sd);
  scale_deviations(s, (size_t)m * (size_t)s->d, sd_gradients);
  return add_prior(s, m, x, 1, mean, m, mean_gradients);
}

gannet_err gannet_surrogate_lower(const gannet_surrogate *s, double exploration, const double *x,
                                  double *value, double *gradient) {
  double mean = 0, sd = 0, *by_sd = NULL;
  GANNET_TRY(require_conditioned(s));
  GANNET_REQUIRE(exploration >= 0 && isfinite(exploration), GANNET_ERR_ARG,
                 "exploration = %g, expected at least 0", exploration);
  if (s->type->lower) {
    GANNET_TRY(s->type->lower(s->state, exploration, x, value, gradient));
    return add_prior(s, 1, x, 1, value, 1, gradient);
  }
  GANNET_TRY(gannet_alloc((size_t)s->d, sizeof *by_sd, &by_sd));
  const gannet_err code = gannet_surrogate_predict_gradient(s, x, &mean, &sd, gradient, by_sd);
  *value = mean - exploration * sd;
  for (int k = 0; k < s->d; ++k) gradient[k] -= exploration * by_sd[k];
  gannet_free(&by_sd);
  GANNET_TRY(code);
  return GANNET_OK;
}

static gannet_err check_sample(const gannet_surrogate *s, int q, double exploration,
                               int64_t iteration) {
  GANNET_TRY(require_conditioned(s));
  GANNET_REQUIRE(q >= 1, GANNET_ERR_ARG, "q = %d, expected at least 1", q);
  GANNET_REQUIRE(iteration >= 0, GANNET_ERR_ARG, "iteration = %lld, expected at least 0",
                 (long long)iteration);
  GANNET_REQUIRE(exploration >= 0 && isfinite(exploration), GANNET_ERR_ARG,
                 "exploration = %g, expected at least 0", exploration);
  return GANNET_OK;
}

gannet_err gannet_surrogate_sample(gannet_surrogate *s, int q, double exploration,
                                   int64_t iteration) {
  s->draws = 0;
  GANNET_TRY(gannet_agree(s->context->comm, check_sample(s, q, exploration, iteration)));
  const gannet_err code = s->type->sample(s->state, q, exploration, iteration);
  GANNET_TRY(gannet_agree(s->context->comm, code));
  s->draws = q;
  return GANNET_OK;
}

gannet_err gannet_surrogate_shrink_draw(gannet_surrogate *s, int draw, double factor) {
  GANNET_REQUIRE(s->draws > 0, GANNET_ERR_STATE, "no draws were prepared since the last fit");
  GANNET_REQUIRE(s->type->shrink_draw != NULL, GANNET_ERR_ARG, "draws of %s cannot be shrunk",
                 s->type->name);
  GANNET_REQUIRE(draw >= 0 && draw < s->draws, GANNET_ERR_ARG, "draw = %d, expected 0 to %d", draw,
                 s->draws - 1);
  GANNET_REQUIRE(factor >= 0 && isfinite(factor), GANNET_ERR_ARG,
                 "factor = %g, expected at least 0", factor);
  return s->type->shrink_draw(s->state, draw, factor);
}

gannet_err gannet_surrogate_draw_values(const gannet_surrogate *s, int m, const double *x,
                                        double *values, int ldv) {
  GANNET_REQUIRE(s->draws > 0, GANNET_ERR_STATE, "no draws were prepared since the last fit");
  GANNET_REQUIRE(0 <= m && m <= ldv, GANNET_ERR_SHAPE, "m = %d with rows of %d", m, ldv);
  if (m == 0) return GANNET_OK;
  GANNET_TRY(s->type->draw_values(s->state, m, x, values, ldv));
  return add_prior(s, m, x, s->draws, values, ldv, NULL);
}

gannet_err gannet_surrogate_draw_gradient(const gannet_surrogate *s, int draw, const double *x,
                                          double *value, double *gradient) {
  GANNET_REQUIRE(s->draws > 0, GANNET_ERR_STATE, "no draws were prepared since the last fit");
  GANNET_REQUIRE(0 <= draw && draw < s->draws, GANNET_ERR_ARG, "draw %d of %d", draw, s->draws);
  GANNET_TRY(s->type->draw_gradient(s->state, draw, x, value, gradient));
  return add_prior(s, 1, x, 1, value, 1, gradient);
}

gannet_err gannet_surrogate_draws_at(const gannet_surrogate *s, const double *x, double *values) {
  GANNET_REQUIRE(s->draws > 0, GANNET_ERR_STATE, "no draws were prepared since the last fit");
  if (!s->type->draws_at) return gannet_surrogate_draw_values(s, 1, x, values, 1);
  GANNET_TRY(s->type->draws_at(s->state, x, values));
  return add_prior(s, 1, x, s->draws, values, 1, NULL);
}

/* One draw after the other. */
static gannet_err sum_slopes(const gannet_surrogate *s, const double *x, const double *weights,
                             double *gradient) {
  double *slope = NULL, value = 0;
  gannet_err err = gannet_alloc((size_t)s->d, sizeof *slope, &slope);
  memset(gradient, 0, (size_t)s->d * sizeof *gradient);
  for (int j = 0; j < s->draws && err == GANNET_OK; ++j) {
    if (weights[j] == 0) continue;
    err = gannet_surrogate_draw_gradient(s, j, x, &value, slope);
    for (int k = 0; k < s->d && err == GANNET_OK; ++k) gradient[k] += weights[j] * slope[k];
  }
  gannet_free(&slope);
  return err;
}

gannet_err gannet_surrogate_draws_slope(const gannet_surrogate *s, const double *x,
                                        const double *weights, double *gradient) {
  GANNET_REQUIRE(s->draws > 0, GANNET_ERR_STATE, "no draws were prepared since the last fit");
  if (!s->type->draws_slope || s->prior.evaluate) return sum_slopes(s, x, weights, gradient);
  GANNET_TRY(s->type->draws_slope(s->state, x, weights, gradient));
  return GANNET_OK;
}

gannet_err gannet_surrogate_estimator(gannet_surrogate *s, const gannet_estimator_spec *spec,
                                      gannet_estimator *estimator) {
  const bool draws = spec->kind == GANNET_ESTIMATE_DRAWS;
  gannet_estimator_release(estimator);
  GANNET_TRY(require_conditioned(s));
  GANNET_REQUIRE(!draws || s->draws > 0, GANNET_ERR_STATE,
                 "no draws were prepared since the last fit");
  GANNET_REQUIRE(spec->n_pivots >= 0, GANNET_ERR_SHAPE, "n_pivots = %d, expected at least 0",
                 spec->n_pivots);
  estimator->kind = spec->kind;
  if (s->type->estimator && !s->prior.evaluate)
    GANNET_TRY(s->type->estimator(s->state, spec, estimator));
  return GANNET_OK;
}

double gannet_surrogate_noise_var(const gannet_surrogate *s) {
  double noise_var = s->type->noise_var ? s->type->noise_var(s->state) : 0;
  if (s->prior.evaluate) noise_var *= s->prior.scale * s->prior.scale;
  return noise_var;
}

/* Types are asked for a tile of others at a time. */
static gannet_err covariance_by_tiles(const gannet_surrogate *s, int m, const double *x, int n,
                                      const double *z, double *covariance) {
  double *part = NULL;
  gannet_err err = gannet_alloc((size_t)m * GANNET_TILE, sizeof *part, &part);
  for (int first = 0; first < n && err == GANNET_OK; first += GANNET_TILE) {
    const int count = n - first < GANNET_TILE ? n - first : GANNET_TILE;
    const double *others = z + (size_t)first * (size_t)s->d;
    err = s->type->covariance(s->state, m, x, count, others, part);
    for (int i = 0; i < m && err == GANNET_OK; ++i)
      memcpy(covariance + (size_t)i * (size_t)n + first, part + (size_t)i * (size_t)count,
             (size_t)count * sizeof *part);
  }
  gannet_free(&part);
  GANNET_TRY(err);
  return GANNET_OK;
}

/* Standardised draws at one list of points: rows of q that sum to 0 and have the norm sd. */
static gannet_err standardise_draws(const gannet_surrogate *s, int m, const double *x,
                                    double *rows) {
  const int q = s->draws;
  double *values = NULL, *sd = NULL;
  gannet_err code = gannet_alloc((size_t)q * (size_t)m, sizeof *values, &values);
  if (code == GANNET_OK) code = gannet_alloc(2 * (size_t)m, sizeof *sd, &sd);
  if (code == GANNET_OK) code = gannet_surrogate_draw_values(s, m, x, values, m);
  if (code == GANNET_OK) code = gannet_surrogate_predict(s, m, x, sd + m, sd);
  for (int i = 0; i < m && code == GANNET_OK; ++i) {
    double *row = rows + (size_t)i * (size_t)q, mean = 0, square = 0;
    for (int j = 0; j < q; ++j) mean += values[(size_t)j * (size_t)m + (size_t)i] / q;
    for (int j = 0; j < q; ++j) row[j] = values[(size_t)j * (size_t)m + (size_t)i] - mean;
    for (int j = 0; j < q; ++j) square += row[j] * row[j];
    for (int j = 0; j < q; ++j) row[j] *= square > 0 ? sd[i] / sqrt(square) : 0;
  }
  gannet_free(&values);
  gannet_free(&sd);
  return code;
}

/* sd(x) sd(z) times the sample correlation of the prepared draws. */
static gannet_err covariance_of_draws(const gannet_surrogate *s, int m, const double *x, int n,
                                      const double *z, double *covariance) {
  const int q = s->draws;
  double *a = NULL, *b = NULL;
  GANNET_REQUIRE(q >= 2, GANNET_ERR_STATE,
                 "a covariance needs at least two prepared draws of this model, there are %d", q);
  gannet_err code = gannet_alloc((size_t)m * (size_t)q, sizeof *a, &a);
  if (code == GANNET_OK) code = gannet_alloc((size_t)n * (size_t)q, sizeof *b, &b);
  if (code == GANNET_OK) code = standardise_draws(s, m, x, a);
  if (code == GANNET_OK) code = standardise_draws(s, n, z, b);
  if (code == GANNET_OK) gannet_gemm_nt(m, n, q, 1, a, q, b, q, 0, covariance, n);
  gannet_free(&a);
  gannet_free(&b);
  GANNET_TRY(code);
  return GANNET_OK;
}

gannet_err gannet_surrogate_covariance(const gannet_surrogate *s, int m, const double *x, int n,
                                       const double *z, double *covariance) {
  GANNET_REQUIRE(m >= 0, GANNET_ERR_SHAPE, "m = %d, expected at least 0", m);
  GANNET_REQUIRE(n >= 0, GANNET_ERR_SHAPE, "n = %d, expected at least 0", n);
  GANNET_TRY(require_conditioned(s));
  if (m == 0 || n == 0) return GANNET_OK;
  if (!s->type->covariance) return covariance_of_draws(s, m, x, n, z, covariance);
  GANNET_TRY(n > GANNET_TILE ? covariance_by_tiles(s, m, x, n, z, covariance)
                             : s->type->covariance(s->state, m, x, n, z, covariance));
  for (int twice = 0; twice < 2; ++twice) scale_deviations(s, (size_t)m * (size_t)n, covariance);
  return GANNET_OK;
}

gannet_err gannet_surrogate_calibration(gannet_surrogate *s, double *scale) {
  *scale = 1;
  GANNET_TRY(gannet_agree(s->context->comm, require_conditioned(s)));
  if (!s->type->calibration) return GANNET_OK;
  return gannet_agree(s->context->comm, s->type->calibration(s->state, scale));
}

gannet_err gannet_surrogate_information_gain(const gannet_surrogate *s, double *gain) {
  *gain = NAN;
  GANNET_TRY(gannet_agree(s->context->comm, require_conditioned(s)));
  if (!s->type->information_gain) return GANNET_OK;
  return gannet_agree(s->context->comm, s->type->information_gain(s->state, gain));
}

gannet_err gannet_surrogate_log_predictive(gannet_surrogate *s, double *sum) {
  *sum = NAN;
  GANNET_TRY(gannet_agree(s->context->comm, require_conditioned(s)));
  if (!s->type->log_predictive || s->prior.evaluate) return GANNET_OK;
  return gannet_agree(s->context->comm, s->type->log_predictive(s->state, sum));
}

double gannet_surrogate_log_evidence_ratio(const gannet_surrogate *s) {
  return s->type->log_evidence_ratio ? s->type->log_evidence_ratio(s->state) : 0;
}

int gannet_surrogate_n_hyper(const gannet_surrogate *s) {
  return hyper_of(s).n;
}

const char *gannet_surrogate_hyper_name(const gannet_surrogate *s, int i) {
  return hyper_of(s).names[i].text;
}

void gannet_surrogate_get_hyper(const gannet_surrogate *s, double *values) {
  const gannet_hyper hyper = hyper_of(s);
  for (int i = 0; i < hyper.n; ++i) values[i] = hyper.values[i];
}

gannet_err gannet_surrogate_set_hyper(gannet_surrogate *s, const double *values) {
  const gannet_hyper hyper = hyper_of(s);
  for (int i = 0; i < hyper.n; ++i)
    GANNET_REQUIRE(isfinite(values[i]), GANNET_ERR_ARG, "hyperparameter '%s' is not finite",
                   hyper.names[i].text);
  s->draws = 0;
  s->conditioned = false;
  for (int i = 0; i < hyper.n; ++i) hyper.values[i] = values[i];
  if (hyper.stale) *hyper.stale = true;
  return GANNET_OK;
}

void gannet_surrogate_lengthscales(const gannet_surrogate *s, double *scales) {
  for (int k = 0; k < s->d; ++k) scales[k] = 1;
  if (s->type->lengthscales) s->type->lengthscales(s->state, scales);
}

int gannet_surrogate_dimension(const gannet_surrogate *s) {
  return s->d;
}
