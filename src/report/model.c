/* What a model of the objective says: which variables matter, how the objective runs along each of
 * them through the best design (a slice), and how well the model predicts (its calibration).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "campaign/config/config.h"
#include "campaign/run/campaign.h"
#include "optimizer/models/pde_constraint.h"
#include "optimizer/models/transform.h"
#include "optimizer/recommend.h"
#include "problem/conditional.h"
#include "problem/runs.h"
#include "report/parts.h"
#include "search/sobol.h"

enum {
  STUDY_LEAST = 8,  /* fewest results that a model is fitted to */
  STUDY_MOST = 400, /* most results that it is fitted to, but for the best one */
  FOLDS = 5,        /* folds of the cross-validation */
  STEPS = 61,       /* points of a slice */
  SAMPLES = 512,    /* designs for the importance of variables */
  VARIABLES = 1024  /* most variables for which slices are made */
};

/* A model of the objective: the surrogate of the campaign's method as it learns from the results,
 * or a Gaussian process when the method has none that tells its uncertainty. */
typedef struct {
  const gannet_campaign *campaign; /* borrowed */
  const gannet_problem *problem;
  gannet_optimizer_options options;
  const gannet_member_options *member; /* the member whose surrogate it is; NULL = none: a Gaussian
                                          process */
  gannet_context *context;
  const gannet_surrogate_type *type;
  gannet_surrogate *surrogate;
  gannet_pde_residuals *residuals; /* NULL = none */
  gannet_transform_fit transform;
  double noise_var; /* noise variance of standardised observations; NAN = inferred */
  int n, d;
  int64_t *id;     /* [n] */
  double *x, *raw; /* [n][d], [n] minimised */
  double *y;       /* [n] transformed */
  double *noise;   /* [n] noise variance of each where it was told, NAN elsewhere */
} study;

/* All results, or a regular choice and the best one. */
static void collect_results(study *s, int64_t best) {
  const gannet_campaign *c = s->campaign;
  int64_t n_done = 0, seen = 0;
  for (int64_t id = 0; id < c->ledger.n; ++id) n_done += report_has_value(c, id);
  const int64_t stride = (n_done + STUDY_MOST - 1) / STUDY_MOST;
  for (int64_t id = 0; id < c->ledger.n; ++id) {
    if (!report_has_value(c, id)) continue;
    if (seen++ % stride != 0 && id != best) continue;
    s->id[s->n] = id;
    memcpy(s->x + (ptrdiff_t)s->n * s->d, gannet_history_x_unit(c->history, id),
           (size_t)s->d * sizeof *s->x);
    s->noise[s->n] = *gannet_history_sd(c->history, id);
    s->raw[s->n++] = gannet_problem_flip(s->problem, c->ledger.ticket[id].result.objective);
  }
}

static gannet_err take_data(study *s, int64_t best) {
  const size_t most = STUDY_MOST + 1;
  GANNET_TRY(gannet_alloc(most, sizeof *s->id, &s->id));
  GANNET_TRY(gannet_alloc(most * (size_t)s->d, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(most, sizeof *s->raw, &s->raw));
  GANNET_TRY(gannet_alloc(most, sizeof *s->y, &s->y));
  GANNET_TRY(gannet_alloc(most, sizeof *s->noise, &s->noise));
  collect_results(s, best);
  return GANNET_OK;
}

/* The first member whose surrogate tells its uncertainty. */
static const gannet_member_options *find_member(const gannet_optimizer_options *options) {
  for (int i = 0; i < options->n_members; ++i) {
    const gannet_member_options *one = &options->member[i];
    if (one->proposer != GANNET_PROPOSE_MODEL || !one->surrogate_options) continue;
    if (one->surrogate_type->no_sd && one->surrogate_type->no_sd(one->surrogate_options)) continue;
    return one;
  }
  return NULL;
}

/* A method that cannot be read any more counts as one without such a surrogate. */
static gannet_err choose_model(study *s) {
  const gannet_err err = gannet_campaign_options(s->campaign->input, &s->options);
  if (err != GANNET_OK && err != GANNET_ERR_INPUT) return err;
  if (err == GANNET_OK) s->member = find_member(&s->options);
  gannet_error_clear();
  if (!s->member) return gannet_surrogate_find("gp", &s->type);
  s->type = s->member->surrogate_type;
  return GANNET_OK;
}

/* Transform and standardise the objective as optimizer/models/models_fit.c does. */
static gannet_err standardise(study *s, double *work) {
  const gannet_campaign *c = s->campaign;
  const int64_t best = gannet_history_best(c->history);
  gannet_transform_choice choice = {GANNET_TRANSFORM_LOG, -1};
  if (s->member) GANNET_TRY(gannet_transform_choose(s->member, c->history, s->residuals, &choice));
  gannet_transform_choice_learn(&choice, c->history, s->n, s->x, s->raw, s->y, work, &s->transform);
  if (!s->residuals && best >= 0)
    gannet_transform_reach(gannet_problem_flip(s->problem, c->ledger.ticket[best].result.objective),
                           &s->transform);
  for (int i = 0; i < s->n; ++i)
    s->y[i] = s->residuals ? gannet_transform_affine(&s->transform, s->raw[i])
                           : gannet_transform_apply(&s->transform, s->raw[i]);
  for (int i = 0; i < s->n; ++i)
    s->noise[i] =
        s->noise[i] > 0 ? gannet_transform_row_noise(&s->transform, s->raw[i], s->noise[i]) : NAN;
  s->noise_var = gannet_transform_noise_var(&s->transform, s->problem->spec.noise_sd);
  return GANNET_OK;
}

/* Noise of rows for a fit: NULL where none was told. */
static const double *row_noise(const study *s, const double *noise) {
  return gannet_history_has_error_bars(s->campaign->history) ? noise : NULL;
}

static gannet_err fit_surrogate(study *s) {
  GANNET_TRY(gannet_context_create(MPI_COMM_SELF, s->campaign->ledger.seed, &s->context));
  if (s->member && s->type->set_pde_constraint)
    GANNET_TRY(gannet_pde_constraint_create(s->context, s->problem, &s->residuals));
  double *work = NULL;
  GANNET_TRY(gannet_alloc((size_t)s->n + 1, sizeof *work, &work));
  const gannet_err err = standardise(s, work);
  gannet_free(&work);
  GANNET_TRY(err);
  GANNET_TRY(gannet_surrogate_create(s->context, s->type,
                                     s->member ? s->member->surrogate_options : NULL, s->d, 0,
                                     &s->surrogate));
  if (s->residuals) {
    const double sign = gannet_problem_flip(s->problem, 1);
    const gannet_pde_constraint constraint = {s->residuals,
                                              sign * gannet_transform_scale(&s->transform),
                                              sign * gannet_transform_center(&s->transform)};
    GANNET_TRY(gannet_surrogate_set_pde_constraint(s->surrogate, &constraint));
  }
  const gannet_data data = {s->n, s->x, s->y, s->noise_var, row_noise(s, s->noise)};
  return gannet_surrogate_fit(s->surrogate, &data, true, 0);
}

static void study_release(study *s) {
  gannet_surrogate_destroy(&s->surrogate);
  gannet_pde_residuals_destroy(&s->residuals);
  gannet_optimizer_options_release(&s->options);
  gannet_context_destroy(&s->context);
  gannet_free(&s->id);
  gannet_free(&s->x);
  gannet_free(&s->raw);
  gannet_free(&s->y);
  gannet_free(&s->noise);
}

/* Mean and standard deviation (sd; NULL = not wanted) at m points x [m][d], standardised. */
static gannet_err study_predict(const study *s, int m, const double *x, double *mean, double *sd) {
  for (int first = 0; first < m; first += GANNET_TILE) {
    const int rows = m - first < GANNET_TILE ? m - first : GANNET_TILE;
    GANNET_TRY(gannet_surrogate_predict(s->surrogate, rows, x + (ptrdiff_t)first * s->d,
                                        mean + first, sd ? sd + first : NULL));
  }
  return GANNET_OK;
}

/* A standardised value in the user's units. */
static double study_units(const study *s, double value) {
  return gannet_problem_flip(s->problem, gannet_transform_invert(&s->transform, value));
}

/* The values of a variable that its slice shows, in the user's units; returns how many. */
static int list_values(const gannet_variable *v, double *values) {
  if (gannet_variable_has_words(v) || v->type == GANNET_VARIABLE_BOOLEAN) {
    const int n = v->type == GANNET_VARIABLE_BOOLEAN ? 2
                  : v->n_values < STEPS              ? v->n_values
                                                     : STEPS;
    for (int i = 0; i < n; ++i) values[i] = i;
    return n;
  }
  int n = 0;
  for (int i = 0; i < STEPS; ++i) {
    const double u = (double)i / (STEPS - 1);
    double value = v->scale == GANNET_SCALE_LOG ? v->lower * exp(u * log(v->upper / v->lower))
                                                : v->lower + u * (v->upper - v->lower);
    if (v->type == GANNET_VARIABLE_INTEGER && !(v->step > 0)) value = rint(value);
    value = gannet_variable_nearest(v, value);
    if (n == 0 || value != values[n - 1]) values[n++] = value;
  }
  return n;
}

/* Median and central 95 % of the noise-free objective along one variable. */
static gannet_err make_slice(const study *s, int variable, const double *best, double *x_unit,
                             json_t **made) {
  double values[STEPS], mean[STEPS], sd[STEPS], x_user[VARIABLES];
  const int n_variables = s->problem->spec.n_variables;
  const int n = list_values(&s->problem->spec.variables[variable], values);
  for (int i = 0; i < n; ++i) {
    memcpy(x_user, best, (size_t)n_variables * sizeof *x_user);
    x_user[variable] = values[i];
    gannet_problem_derive(s->problem, x_user); /* other variables may be inactive there */
    gannet_problem_encode(s->problem, x_user, x_unit + (ptrdiff_t)i * s->d);
  }
  GANNET_TRY(study_predict(s, n, x_unit, mean, sd));
  json_t *at = json_array(), *middle = json_array(), *low = json_array(), *high = json_array();
  for (int i = 0; i < n; ++i) {
    const double a = study_units(s, mean[i] - 1.96 * sd[i]),
                 b = study_units(s, mean[i] + 1.96 * sd[i]);
    (void)json_array_append_new(at, report_number(values[i]));
    (void)json_array_append_new(middle, report_number(study_units(s, mean[i])));
    (void)json_array_append_new(low, report_number(fmin(a, b)));
    (void)json_array_append_new(high, report_number(fmax(a, b)));
  }
  *made = json_pack("{s:f, s:o, s:o, s:o, s:o}", "best", best[variable], "x", at, "median", middle,
                    "low", low, "high", high);
  return GANNET_OK;
}

static gannet_err put_slices(const study *s, const double *best, json_t *list) {
  double *x_unit = NULL;
  gannet_err err = gannet_alloc((size_t)STEPS * (size_t)s->d, sizeof *x_unit, &x_unit);
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    json_t *one = json_null();
    if (s->problem->spec.variables[v].role == GANNET_ROLE_FREE &&
        isnan(gannet_problem_pinned(s->problem, v)) &&
        gannet_problem_is_active(s->problem, v, best))
      err = make_slice(s, v, best, x_unit, &one);
    if (err == GANNET_OK) (void)json_array_append_new(list, one);
  }
  gannet_free(&x_unit);
  return err;
}

/* The halves of Sobol points of twice the dimension are independent; halves of one sequence are
 * not: points i and i + 512 hardly differ in the first coordinate.
 *
 * Total effect of a variable on the model's mean over the whole box: half the mean squared change
 * when it alone is drawn anew, over the variance (Jansen 1999; Saltelli et al. 2010). The scale is
 * that of the transformed objective. */
typedef struct {
  double *a, *b, *mixed; /* [SAMPLES][d] admissible, but for what rests of a and b */
  double *at_a, *at_mixed;
} design;

static gannet_err make_design(const study *s, design *g) {
  const size_t d = (size_t)s->d;
  const gannet_stream stream = {1, GANNET_FOR_DESIGN, 0, 0};
  gannet_sobol *sobol = NULL;
  GANNET_TRY(gannet_alloc(3 * SAMPLES * d, sizeof *g->a, &g->a));
  GANNET_TRY(gannet_alloc(2 * SAMPLES, sizeof *g->at_a, &g->at_a));
  g->b = g->a + SAMPLES * d;
  g->mixed = g->b + SAMPLES * d;
  g->at_mixed = g->at_a + SAMPLES;
  GANNET_TRY(gannet_sobol_create(2 * s->d, &stream, &sobol));
  for (uint32_t i = 0; i < SAMPLES;
       ++i) { /* mixed is free, and a row of it long enough with the next */
    double *both = g->mixed;
    gannet_sobol_points(sobol, i, 1, both);
    memcpy(g->a + i * d, both, d * sizeof *both);
    memcpy(g->b + i * d, both + d, d * sizeof *both);
  }
  gannet_sobol_destroy(&sobol);
  gannet_problem_spread(s->problem, 2 * SAMPLES, g->a);
  if (s->problem->derived->n_conditional == 0 || s->problem->pool) {
    gannet_problem_snap(s->problem, 2 * SAMPLES, g->a);
    return study_predict(s, SAMPLES, g->a, g->at_a, NULL);
  }
  /* A variable that is inactive at a point has its own value again where another one changes. */
  memcpy(g->mixed, g->a, SAMPLES * d * sizeof *g->mixed);
  gannet_problem_snap(s->problem, SAMPLES, g->mixed);
  return study_predict(s, SAMPLES, g->mixed, g->at_a, NULL);
}

static double variance_of(const double *values) {
  double mean = 0, sum = 0;
  for (int i = 0; i < SAMPLES; ++i) mean += values[i] / SAMPLES;
  for (int i = 0; i < SAMPLES; ++i) sum += (values[i] - mean) * (values[i] - mean) / SAMPLES;
  return sum;
}

static gannet_err total_effect(const study *s, const design *g, int variable, double *effect) {
  const size_t d = (size_t)s->d, first = (size_t)s->problem->first[variable];
  const size_t width = (size_t)gannet_variable_width(&s->problem->spec.variables[variable]);
  const double variance = variance_of(g->at_a);
  memcpy(g->mixed, g->a, SAMPLES * d * sizeof *g->mixed);
  for (size_t i = 0; i < SAMPLES; ++i)
    memcpy(g->mixed + i * d + first, g->b + i * d + first, width * sizeof *g->mixed);
  if (s->problem->derived->n_conditional > 0 && !s->problem->pool)
    gannet_problem_snap(s->problem, SAMPLES, g->mixed);
  GANNET_TRY(study_predict(s, SAMPLES, g->mixed, g->at_mixed, NULL));
  *effect = 0;
  for (int i = 0; i < SAMPLES; ++i)
    *effect += (g->at_a[i] - g->at_mixed[i]) * (g->at_a[i] - g->at_mixed[i]) / (2 * SAMPLES);
  *effect = variance > 0 ? *effect / variance : 0;
  return GANNET_OK;
}

static gannet_err put_importance(const study *s, json_t *list) {
  design g = {0};
  gannet_err err = make_design(s, &g);
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    double effect = 0;
    if (s->problem->spec.variables[v].role == GANNET_ROLE_FREE &&
        isnan(gannet_problem_pinned(s->problem, v)))
      err = total_effect(s, &g, v, &effect);
    if (err == GANNET_OK) (void)json_array_append_new(list, report_number(effect));
  }
  gannet_free(&g.a);
  gannet_free(&g.at_a);
  return err;
}

/* Cross-validation with the hyper-parameters of all data: every fold is predicted from the others.
 */
static gannet_err predict_fold(study *s, int fold, double *x, double *y, double *mean, double *sd) {
  const size_t d = (size_t)s->d;
  double *noise = y + 3 * (size_t)s->n;
  int kept = 0;
  for (int i = 0; i < s->n; ++i) {
    if (i % FOLDS == fold) continue;
    noise[kept] = s->noise[i];
    memcpy(x + (size_t)kept * d, s->x + (size_t)i * d, d * sizeof *x);
    y[kept++] = s->y[i];
  }
  const gannet_data others = {kept, x, y, s->noise_var, row_noise(s, noise)};
  GANNET_TRY(gannet_surrogate_start_over(s->surrogate));
  GANNET_TRY(gannet_surrogate_fit(s->surrogate, &others, false, 0));
  for (int i = fold; i < s->n; i += FOLDS)
    GANNET_TRY(gannet_surrogate_predict(s->surrogate, 1, s->x + (size_t)i * d, &mean[i], &sd[i]));
  return GANNET_OK;
}

/* Observed values, predictions, and the standardised residuals, from which coverages follow. */
static gannet_err make_calibration(study *s, json_t **made) {
  double *x = NULL, *y = NULL;
  const double noise = gannet_surrogate_noise_var(s->surrogate);
  gannet_err err = gannet_alloc((size_t)s->n * (size_t)s->d, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc(4 * (size_t)s->n, sizeof *y, &y);
  for (int fold = 0; err == GANNET_OK && fold < FOLDS; ++fold)
    err = predict_fold(s, fold, x, y, y + s->n, y + 2 * (size_t)s->n);
  if (err == GANNET_OK) {
    json_t *id = json_array(), *observed = json_array(), *predicted = json_array();
    json_t *residual = json_array();
    for (int i = 0; i < s->n; ++i) {
      const double mean = y[s->n + i], sd = y[2 * s->n + i];
      const double variance = isnan(s->noise[i]) ? noise : s->noise[i];
      (void)json_array_append_new(id, json_integer((json_int_t)s->id[i]));
      (void)json_array_append_new(observed,
                                  report_number(gannet_problem_flip(s->problem, s->raw[i])));
      (void)json_array_append_new(predicted, report_number(study_units(s, mean)));
      (void)json_array_append_new(residual,
                                  report_number((s->y[i] - mean) / sqrt(sd * sd + variance)));
    }
    *made = json_pack("{s:o, s:o, s:o, s:o}", "id", id, "observed", observed, "predicted",
                      predicted, "residual", residual);
  }
  gannet_free(&x);
  gannet_free(&y);
  return err;
}

/* The recommended design, or null: every value is exact, or no design is feasible. */
static gannet_err put_recommendation(const study *s, json_t *model) {
  gannet_recommendation r = {.id = -1};
  if (s->problem->spec.noise_sd != 0 || gannet_history_has_error_bars(s->campaign->history))
    GANNET_TRY(gannet_recommend(s->context, s->campaign->history, &r));
  json_t *made = r.id < 0 ? json_null()
                          : json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)r.id, "mean",
                                      report_number(r.mean), "sd", report_number(r.sd), "noise",
                                      report_number(r.noise_sd));
  (void)json_object_set_new(model, "recommended", made);
  return GANNET_OK;
}

static gannet_err fill_model(study *s, int64_t best, json_t *model) {
  json_t *effects = json_array(), *lines = json_array(), *checks = NULL;
  (void)json_object_set_new(model, "importance", effects);
  (void)json_object_set_new(model, "slices", lines);
  GANNET_TRY(take_data(s, best));
  GANNET_TRY(choose_model(s));
  GANNET_TRY(fit_surrogate(s));
  const bool logarithmic = s->transform.kind == GANNET_TRANSFORM_LOG;
  (void)json_object_set_new(model, "surrogate", json_string(s->type->name));
  (void)json_object_set_new(model, "summary", json_string(s->type->summary));
  (void)json_object_set_new(model, "of_method", json_boolean(s->member != NULL));
  (void)json_object_set_new(model, "transform", json_string(logarithmic ? "log" : "none"));
  (void)json_object_set_new(model, "points", json_integer(s->n));
  GANNET_TRY(put_recommendation(s, model));
  GANNET_TRY(put_importance(s, effects));
  if (s->problem->spec.n_variables <= VARIABLES)
    GANNET_TRY(put_slices(s, gannet_history_x_user(s->campaign->history, best), lines));
  GANNET_TRY(make_calibration(s, &checks));
  (void)json_object_set_new(model, "calibration", checks);
  return GANNET_OK;
}

gannet_err report_model(const gannet_campaign *campaign, json_t **model) {
  const gannet_problem *problem = campaign->input->problem;
  study s = {.campaign = campaign, .problem = problem, .d = problem->d};
  int64_t n_done = 0, best = gannet_history_best(campaign->history);
  *model = json_object();
  for (int64_t id = 0; id < campaign->ledger.n; ++id) n_done += report_has_value(campaign, id);
  if (best < 0) best = gannet_history_least_violation(campaign->history);
  if (n_done < STUDY_LEAST || best < 0) {
    (void)json_object_set_new(*model, "note",
                              json_sprintf("A model needs at least %d results.", STUDY_LEAST));
    return GANNET_OK;
  }
  const gannet_err err = fill_model(&s, best, *model);
  study_release(&s);
  return err;
}
