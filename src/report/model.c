/* What a model of the objective says: which variables matter, how the objective runs along each of
 * them through the best design, and how well it predicts. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/recommend.h"
#include "report/parts.h"
#include "report/study.h"
#include "search/sobol.h"

enum { FOLDS = 5, STEPS = 61, SAMPLES = 512, VARIABLES = 1024 };

/* Values of a variable that its slice shows: [n] in the user's units. */
static int values_of(const gannet_variable *v, double *values) {
  if (v->type == GANNET_VARIABLE_CATEGORICAL || v->type == GANNET_VARIABLE_BOOLEAN) {
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
    if (v->type == GANNET_VARIABLE_INTEGER) value = rint(value);
    if (n == 0 || value != values[n - 1]) values[n++] = value;
  }
  return n;
}

/* Median and central 95 % of the noise-free objective along one variable. */
static gannet_err slice_of(const report_study *s, int variable, const double *best, double *x_unit,
                           json_t **made) {
  double values[STEPS], mean[STEPS], sd[STEPS], x_user[VARIABLES];
  const int n_variables = s->problem->spec.n_variables;
  const int n = values_of(&s->problem->spec.variables[variable], values);
  memcpy(x_user, best, (size_t)n_variables * sizeof *x_user);
  for (int i = 0; i < n; ++i) {
    x_user[variable] = values[i];
    gannet_problem_encode(s->problem, x_user, x_unit + (ptrdiff_t)i * s->d);
  }
  GANNET_TRY(report_study_predict(s, n, x_unit, mean, sd));
  json_t *at = json_array(), *middle = json_array(), *low = json_array(), *high = json_array();
  for (int i = 0; i < n; ++i) {
    const double a = report_study_units(s, mean[i] - 1.96 * sd[i]),
                 b = report_study_units(s, mean[i] + 1.96 * sd[i]);
    (void)json_array_append_new(at, report_number(values[i]));
    (void)json_array_append_new(middle, report_number(report_study_units(s, mean[i])));
    (void)json_array_append_new(low, report_number(fmin(a, b)));
    (void)json_array_append_new(high, report_number(fmax(a, b)));
  }
  *made = json_pack("{s:f, s:o, s:o, s:o, s:o}", "best", best[variable], "x", at, "median", middle,
                    "low", low, "high", high);
  return GANNET_OK;
}

static gannet_err put_slices(const report_study *s, const double *best, json_t *list) {
  double *x_unit = NULL;
  gannet_err err = gannet_alloc((size_t)STEPS * (size_t)s->d, sizeof *x_unit, &x_unit);
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    json_t *one = NULL;
    err = slice_of(s, v, best, x_unit, &one);
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
  double *a, *b, *mixed; /* [SAMPLES][d] admissible */
  double *at_a, *at_mixed;
} design;

static gannet_err make_design(const report_study *s, design *g) {
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
  gannet_problem_snap(s->problem, 2 * SAMPLES, g->a);
  return report_study_predict(s, SAMPLES, g->a, g->at_a, NULL);
}

static double variance_of(const double *values) {
  double mean = 0, sum = 0;
  for (int i = 0; i < SAMPLES; ++i) mean += values[i] / SAMPLES;
  for (int i = 0; i < SAMPLES; ++i) sum += (values[i] - mean) * (values[i] - mean) / SAMPLES;
  return sum;
}

static gannet_err total_effect(const report_study *s, const design *g, int variable,
                               double *effect) {
  const size_t d = (size_t)s->d, first = (size_t)s->problem->first[variable];
  const size_t width = (size_t)gannet_variable_width(&s->problem->spec.variables[variable]);
  const double variance = variance_of(g->at_a);
  memcpy(g->mixed, g->a, SAMPLES * d * sizeof *g->mixed);
  for (size_t i = 0; i < SAMPLES; ++i)
    memcpy(g->mixed + i * d + first, g->b + i * d + first, width * sizeof *g->mixed);
  GANNET_TRY(report_study_predict(s, SAMPLES, g->mixed, g->at_mixed, NULL));
  *effect = 0;
  for (int i = 0; i < SAMPLES; ++i)
    *effect += (g->at_a[i] - g->at_mixed[i]) * (g->at_a[i] - g->at_mixed[i]) / (2 * SAMPLES);
  *effect = variance > 0 ? *effect / variance : 0;
  return GANNET_OK;
}

static gannet_err importance(const report_study *s, json_t *list) {
  design g = {0};
  gannet_err err = make_design(s, &g);
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    double effect = 0;
    err = total_effect(s, &g, v, &effect);
    if (err == GANNET_OK) (void)json_array_append_new(list, report_number(effect));
  }
  gannet_free(&g.a);
  gannet_free(&g.at_a);
  return err;
}

/* Cross-validation with the hyper-parameters of all data: every fold is predicted from the others.
 */
static gannet_err predict_fold(report_study *s, int fold, double *x, double *y, double *mean,
                               double *sd) {
  const size_t d = (size_t)s->d;
  int kept = 0;
  for (int i = 0; i < s->n; ++i) {
    if (i % FOLDS == fold) continue;
    memcpy(x + (size_t)kept * d, s->x + (size_t)i * d, d * sizeof *x);
    y[kept++] = s->y[i];
  }
  GANNET_TRY(report_study_refit(s, kept, x, y));
  for (int i = fold; i < s->n; i += FOLDS)
    GANNET_TRY(gannet_surrogate_predict(s->surrogate, 1, s->x + (size_t)i * d, &mean[i], &sd[i]));
  return GANNET_OK;
}

/* Observed values, predictions, and the standardised residuals, from which coverages follow. */
static gannet_err calibration(report_study *s, json_t **made) {
  double *x = NULL, *y = NULL;
  const double noise = gannet_surrogate_noise_var(s->surrogate);
  gannet_err err = gannet_alloc((size_t)s->n * (size_t)s->d, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc(3 * (size_t)s->n, sizeof *y, &y);
  for (int fold = 0; err == GANNET_OK && fold < FOLDS; ++fold)
    err = predict_fold(s, fold, x, y, y + s->n, y + 2 * (size_t)s->n);
  if (err == GANNET_OK) {
    json_t *id = json_array(), *observed = json_array(), *predicted = json_array();
    json_t *residual = json_array();
    for (int i = 0; i < s->n; ++i) {
      const double mean = y[s->n + i], sd = y[2 * s->n + i];
      (void)json_array_append_new(id, json_integer((json_int_t)s->id[i]));
      (void)json_array_append_new(observed,
                                  report_number(gannet_problem_flip(s->problem, s->raw[i])));
      (void)json_array_append_new(predicted, report_number(report_study_units(s, mean)));
      (void)json_array_append_new(residual,
                                  report_number((s->y[i] - mean) / sqrt(sd * sd + noise)));
    }
    *made = json_pack("{s:o, s:o, s:o, s:o}", "id", id, "observed", observed, "predicted",
                      predicted, "residual", residual);
  }
  gannet_free(&x);
  gannet_free(&y);
  return err;
}

/* null where there is none: every value is exact, or no design is feasible. */
static gannet_err recommend(const report_study *s, json_t *model) {
  gannet_recommendation r = {.id = -1};
  if (s->problem->spec.noise_sd != 0)
    GANNET_TRY(gannet_recommend(s->context, s->campaign->history, &r));
  json_t *made = r.id < 0 ? json_null()
                          : json_pack("{s:I, s:o, s:o, s:o}", "id", (json_int_t)r.id, "mean",
                                      report_number(r.mean), "sd", report_number(r.sd), "noise",
                                      report_number(r.noise_sd));
  (void)json_object_set_new(model, "recommended", made);
  return GANNET_OK;
}

static gannet_err fill_model(report_study *s, int64_t best, json_t *model) {
  json_t *effects = json_array(), *lines = json_array(), *checks = NULL;
  (void)json_object_set_new(model, "importance", effects);
  (void)json_object_set_new(model, "slices", lines);
  GANNET_TRY(report_study_begin(s->campaign, best, s));
  const bool logarithmic = s->transform.kind == GANNET_TRANSFORM_LOG;
  (void)json_object_set_new(model, "surrogate", json_string(s->type->name));
  (void)json_object_set_new(model, "summary", json_string(s->type->summary));
  (void)json_object_set_new(model, "of_method", json_boolean(s->member != NULL));
  (void)json_object_set_new(model, "transform", json_string(logarithmic ? "log" : "none"));
  (void)json_object_set_new(model, "points", json_integer(s->n));
  GANNET_TRY(recommend(s, model));
  GANNET_TRY(importance(s, effects));
  if (s->problem->spec.n_variables <= VARIABLES)
    GANNET_TRY(put_slices(s, gannet_history_x_user(s->campaign->history, best), lines));
  GANNET_TRY(calibration(s, &checks));
  (void)json_object_set_new(model, "calibration", checks);
  return GANNET_OK;
}

gannet_err report_model(const gannet_campaign *campaign, json_t **model) {
  report_study s = {.campaign = campaign};
  int64_t n_done = 0, best = gannet_history_best(campaign->history);
  *model = json_object();
  for (int64_t id = 0; id < campaign->ledger.n; ++id) n_done += report_study_takes(campaign, id);
  if (best < 0) best = gannet_history_least_violation(campaign->history);
  if (n_done < STUDY_LEAST || best < 0) {
    (void)json_object_set_new(*model, "note",
                              json_sprintf("A model needs at least %d results.", STUDY_LEAST));
    return GANNET_OK;
  }
  const gannet_err err = fill_model(&s, best, *model);
  report_study_release(&s);
  return err;
}
