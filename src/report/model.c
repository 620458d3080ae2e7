/* What models of the objectives and constraints say: which variables matter, how a quantity runs
 * along each of them through one design (a slice), and how well a model predicts (its calibration).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/noise_test.h"
#include "optimizer/recommend.h"
#include "problem/conditional.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/runs.h"
#include "report/parts.h"
#include "report/study.h"
#include "search/sobol.h"

enum {
  STUDY_LEAST = 8,  /* fewest results that a model is fitted to */
  FOLDS = 5,        /* folds of the cross-validation */
  STEPS = 61,       /* points of a slice */
  SAMPLES = 512,    /* designs for the importance of variables */
  VARIABLES = 1024, /* most variables for which slices are made */
  QUANTITIES = 25,  /* most models, of objectives and constraints, for a front of the models */
  CONSTRAINTS = 12  /* constraints whose models are shown */
};

/* The models of a campaign: those of the objectives, then those of the constraints, then that of
 * what works. One that was not fitted has no surrogate. */
typedef struct {
  report_study *study;
  int n, n_objectives;
} studies;

/* Median and central 95 % of a quantity without its noise along one variable. With the first
 * objective: how probable it is that designs there are feasible, where something bounds them. */
static gannet_err make_slice(const studies *all, const report_study *s, int variable,
                             const double *best, double *x_unit, json_t **made) {
  double values[STEPS], mean[STEPS], sd[STEPS], x_user[VARIABLES], feasible[STEPS];
  const int n_variables = s->problem->spec.n_variables;
  const int n = report_variable_values(&s->problem->spec.variables[variable], STEPS, values);
  for (int i = 0; i < n; ++i) {
    memcpy(x_user, best, (size_t)n_variables * sizeof *x_user);
    x_user[variable] = values[i];
    gannet_problem_derive(s->problem, x_user); /* other variables may be inactive there */
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
  bool is_bounded = false;
  for (int q = all->n_objectives; q < all->n && s == all->study; ++q)
    is_bounded = is_bounded || all->study[q].surrogate;
  if (!is_bounded) return GANNET_OK;
  GANNET_TRY(report_studies_feasible(all->study, all->n, n, x_unit, feasible, NULL, NULL));
  json_t *share = json_array();
  for (int i = 0; i < n; ++i)
    (void)json_array_append_new(share, json_real(rint(1e4 * feasible[i]) / 1e4));
  (void)json_object_set_new(*made, "feasible", share);
  return GANNET_OK;
}

static gannet_err put_slices(const studies *all, const report_study *s, const double *best,
                             json_t *list) {
  double *x_unit = NULL;
  gannet_err err = gannet_alloc((size_t)STEPS * (size_t)s->d, sizeof *x_unit, &x_unit);
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    json_t *one = json_null();
    if (s->problem->spec.variables[v].role == GANNET_ROLE_FREE &&
        isnan(gannet_problem_pinned(s->problem, v)) &&
        gannet_problem_is_active(s->problem, v, best))
      err = make_slice(all, s, v, best, x_unit, &one);
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
  if (s->problem->derived->n_conditional == 0 || s->problem->pool) {
    gannet_problem_snap(s->problem, 2 * SAMPLES, g->a);
    return report_study_predict(s, SAMPLES, g->a, g->at_a, NULL);
  }
  /* A variable that is inactive at a point has its own value again where another one changes. */
  memcpy(g->mixed, g->a, SAMPLES * d * sizeof *g->mixed);
  gannet_problem_snap(s->problem, SAMPLES, g->mixed);
  return report_study_predict(s, SAMPLES, g->mixed, g->at_a, NULL);
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
  if (s->problem->derived->n_conditional > 0 && !s->problem->pool)
    gannet_problem_snap(s->problem, SAMPLES, g->mixed);
  GANNET_TRY(report_study_predict(s, SAMPLES, g->mixed, g->at_mixed, NULL));
  *effect = 0;
  for (int i = 0; i < SAMPLES; ++i)
    *effect += (g->at_a[i] - g->at_mixed[i]) * (g->at_a[i] - g->at_mixed[i]) / (2 * SAMPLES);
  *effect = variance > 0 ? *effect / variance : 0;
  return GANNET_OK;
}

/* Add the importance of each variable. A constraint also gets "kept": the share of the box in which
 * the mean of its model keeps it. */
static gannet_err put_importance(const report_study *s, json_t *model) {
  json_t *list = json_array();
  design g = {0};
  gannet_err err = make_design(s, &g);
  (void)json_object_set_new(model, "importance", list);
  if (err == GANNET_OK && s->objective < 0) {
    int kept = 0;
    for (int i = 0; i < SAMPLES; ++i) kept += report_study_probability(s, g.at_a[i], 0) > 0.5;
    (void)json_object_set_new(model, "kept", report_number((double)kept / SAMPLES));
  }
  for (int v = 0; err == GANNET_OK && v < s->problem->spec.n_variables; ++v) {
    double effect = 0;
    if (s->problem->spec.variables[v].role == GANNET_ROLE_FREE &&
        isnan(gannet_problem_pinned(s->problem, v)))
      err = total_effect(s, &g, v, &effect);
    /* A share; an estimate from few samples may exceed 1. */
    if (err == GANNET_OK) (void)json_array_append_new(list, report_number(effect > 1 ? 1 : effect));
  }
  gannet_free(&g.a);
  gannet_free(&g.at_a);
  return err;
}

/* The fold of every row. All runs of a design are in the same fold: a run that is predicted from
 * other runs of its design says nothing of how well the model predicts a new design. Returns the
 * number of designs. */
static int choose_folds(const report_study *s, int *fold) {
  const size_t row = (size_t)s->d * sizeof *s->x;
  int designs = 0;
  for (int i = 0; i < s->n; ++i) {
    int twin = 0;
    while (twin < i && memcmp(s->x + (ptrdiff_t)twin * s->d, s->x + (ptrdiff_t)i * s->d, row) != 0)
      ++twin;
    fold[i] = twin < i ? fold[twin] : designs++ % FOLDS;
  }
  return designs;
}

/* Cross-validation with the hyperparameters of all data: every fold is predicted from the others.
 */
static gannet_err predict_fold(report_study *s, const int *folds, int fold, double *x, double *y,
                               double *mean, double *sd) {
  const size_t d = (size_t)s->d;
  double *noise = y + 3 * (size_t)s->n;
  int kept = 0;
  for (int i = 0; i < s->n; ++i) {
    if (folds[i] == fold) continue;
    noise[kept] = s->noise[i];
    memcpy(x + (size_t)kept * d, s->x + (size_t)i * d, d * sizeof *x);
    y[kept++] = s->y[i];
  }
  const gannet_data others = {kept, x, y, s->noise_var, s->has_row_noise ? noise : NULL};
  GANNET_TRY(gannet_surrogate_start_over(s->surrogate));
  GANNET_TRY(gannet_surrogate_fit(s->surrogate, &others, false, 0));
  for (int i = 0; i < s->n; ++i)
    if (folds[i] == fold)
      GANNET_TRY(gannet_surrogate_predict(s->surrogate, 1, s->x + (size_t)i * d, &mean[i], &sd[i]));
  return GANNET_OK;
}

/* Observed values, predictions, and the standardised residuals, from which coverages follow; the
 * share of the variance that predictions explain, on the scale of the model ("r2"). null with fewer
 * designs than folds. */
static gannet_err make_calibration(report_study *s, json_t **made) {
  double *x = NULL, *y = NULL;
  int folds[REPORT_STUDY_MOST + 1];
  *made = json_null();
  if (choose_folds(s, folds) < FOLDS) return GANNET_OK;
  const double noise = gannet_surrogate_noise_var(s->surrogate);
  gannet_err err = gannet_alloc((size_t)s->n * (size_t)s->d, sizeof *x, &x);
  if (err == GANNET_OK) err = gannet_alloc(4 * (size_t)s->n, sizeof *y, &y);
  for (int fold = 0; err == GANNET_OK && fold < FOLDS; ++fold)
    err = predict_fold(s, folds, fold, x, y, y + s->n, y + 2 * (size_t)s->n);
  if (err == GANNET_OK) {
    json_t *id = json_array(), *observed = json_array(), *predicted = json_array();
    json_t *residual = json_array();
    double middle = 0, missed = 0, spread = 0;
    for (int i = 0; i < s->n; ++i) middle += s->y[i] / s->n;
    for (int i = 0; i < s->n; ++i) {
      missed += (s->y[i] - y[s->n + i]) * (s->y[i] - y[s->n + i]);
      spread += (s->y[i] - middle) * (s->y[i] - middle);
    }
    for (int i = 0; i < s->n; ++i) {
      const double mean = y[s->n + i], sd = y[2 * s->n + i];
      const double variance = isnan(s->noise[i]) ? noise : s->noise[i];
      (void)json_array_append_new(id, json_integer((json_int_t)s->id[i]));
      (void)json_array_append_new(observed, report_number(s->sign * s->raw[i]));
      (void)json_array_append_new(predicted, report_number(report_study_units(s, mean)));
      (void)json_array_append_new(residual,
                                  report_number((s->y[i] - mean) / sqrt(sd * sd + variance)));
    }
    *made = json_pack("{s:o, s:o, s:o, s:o, s:o}", "id", id, "observed", observed, "predicted",
                      predicted, "residual", residual, "r2",
                      report_number(spread > 0 ? 1 - missed / spread : NAN));
  }
  gannet_free(&x);
  gannet_free(&y);
  return err;
}

/* The recommended design, or null: values are exact as far as can be seen, or no design is
 * feasible. */
static gannet_err put_recommendation(const report_study *s, json_t *model) {
  const gannet_history *history = s->campaign->history;
  const double told = s->problem->spec.noise_sd;
  bool noisy = told > 0 || gannet_history_has_error_bars(history);
  gannet_recommendation r = {.id = -1};
  if (isnan(told) && !noisy) GANNET_TRY(gannet_noise_test_run(history, &noisy));
  if (noisy) GANNET_TRY(gannet_recommend(s->context, history, &r));
  json_t *made = r.id < 0 ? json_null()
                          : json_pack("{s:I, s:o, s:o, s:o, s:b}", "id", (json_int_t)r.id, "mean",
                                      report_number(r.mean), "sd", report_number(r.sd), "noise",
                                      report_number(r.noise_sd), "of_all",
                                      gannet_history_count_told(history) <= GANNET_RECOMMEND_MOST);
  (void)json_object_set_new(model, "recommended", made);
  (void)json_object_set_new(model, "noisy", json_boolean(noisy));
  return GANNET_OK;
}

/* Importance and slices; the calibration, which fits to parts of the data, comes last. */
static gannet_err fill_model(const studies *all, const report_study *s, const double *through,
                             json_t *model) {
  json_t *lines = json_array();
  const bool logarithmic = s->transform.kind == GANNET_TRANSFORM_LOG;
  (void)json_object_set_new(model, "slices", lines);
  (void)json_object_set_new(model, "surrogate", json_string(s->type->name));
  (void)json_object_set_new(model, "summary", json_string(s->type->summary));
  (void)json_object_set_new(model, "of_method", json_boolean(s->member != NULL));
  (void)json_object_set_new(model, "transform", json_string(logarithmic ? "log" : "none"));
  (void)json_object_set_new(model, "points", json_integer(s->n));
  if (s == all->study && s->problem->spec.n_objectives == 0)
    GANNET_TRY(put_recommendation(s, model));
  GANNET_TRY(put_importance(s, model));
  if (s->problem->spec.n_variables <= VARIABLES) GANNET_TRY(put_slices(all, s, through, lines));
  return GANNET_OK;
}

/* The quantity of a model. */
static int quantity_of(const gannet_campaign *campaign, int i) {
  const gannet_problem *problem = campaign->input->problem;
  const int n_objectives = gannet_problem_n_objectives(problem);
  if (i < n_objectives) return gannet_problem_objective_quantity(problem, i);
  return i < n_objectives + gannet_problem_n_bounded(problem) ? i - n_objectives + 1 : REPORT_WORKS;
}

/* Fit all models. A constraint without enough results, or whose model fails, is left out. */
static gannet_err fit_studies(const gannet_campaign *campaign, int64_t through, bool is_front,
                              studies *all) {
  bool has_bad = false;
  for (int64_t id = 0; id < campaign->ledger.n && !has_bad; ++id)
    has_bad = gannet_history_is_bad(campaign->history, id);
  for (int i = 0; i < all->n; ++i) {
    const int quantity = quantity_of(campaign, i);
    const bool is_objective = i < all->n_objectives;
    report_study *s = &all->study[i];
    *s = (report_study){.objective = -1, .quantity = quantity};
    const bool wanted =
        quantity == REPORT_WORKS ? has_bad : is_front || i - all->n_objectives < CONSTRAINTS;
    if (!is_objective && (!wanted || report_study_count(campaign, quantity) < STUDY_LEAST))
      continue;
    const gannet_err err = report_study_create(campaign, quantity, through, s);
    if (err == GANNET_OK) continue;
    if (is_objective || err == GANNET_ERR_MEMORY) return err;
    gannet_error_clear();
    report_study_release(s);
    *s = (report_study){.objective = -1, .quantity = quantity};
  }
  return GANNET_OK;
}

/* Lists of the partial dependences of the models that are shown. */
static gannet_err put_partial(const studies *all, const double *weight, const double *through,
                              json_t *const *model) {
  json_t **lists = NULL;
  GANNET_TRY(gannet_alloc((size_t)all->n, sizeof(json_t *), &lists));
  for (int i = 0; i < all->n; ++i) {
    const int k = i - all->n_objectives;
    json_t *one =
        k < 0 ? model[i] : json_array_get(json_object_get(model[0], "constraints"), (size_t)k);
    if (!json_is_object(one)) continue;
    lists[i] = json_array();
    (void)json_object_set_new(one, "partial", lists[i]);
  }
  const gannet_err err = report_model_partial(all->study, all->n, weight, through, lists);
  for (int i = 0; i < all->n && err != GANNET_OK; ++i)
    if (lists[i]) (void)json_array_clear(lists[i]);
  gannet_free(&lists);
  if (err == GANNET_OK || err == GANNET_ERR_MEMORY) return err;
  gannet_error_clear(); /* the rest is worth having */
  return GANNET_OK;
}

/* Say which variables matter most: how much each variable that is searched matters for some
 * objective; NAN for other variables. */
static gannet_err put_of_variables(const studies *all, const double *through,
                                   json_t *const *model) {
  const gannet_problem *problem = all->study->problem;
  double *weight = NULL;
  json_t *maps = NULL;
  GANNET_TRY(gannet_alloc((size_t)problem->spec.n_variables, sizeof *weight, &weight));
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    weight[v] = NAN;
    if (problem->spec.variables[v].role != GANNET_ROLE_FREE ||
        !isnan(gannet_problem_pinned(problem, v)))
      continue;
    for (int m = 0; m < all->n_objectives; ++m)
      weight[v] = fmax(weight[v], json_number_value(json_array_get(
                                      json_object_get(model[m], "importance"), (size_t)v)));
  }
  gannet_err err = report_model_maps(all->study, all->n, weight, through, &maps);
  (void)json_object_set_new(model[0], "maps", maps);
  if (err == GANNET_OK) err = put_partial(all, weight, through, model);
  gannet_free(&weight);
  return err;
}

/* Fill in what the models say; model[m] is the object of objective m. */
static gannet_err fill_models(const gannet_campaign *campaign, int64_t through, studies *all,
                              json_t *const *model) {
  const double *x = gannet_history_x_user(campaign->history, through);
  const int n_bounded = gannet_problem_n_bounded(campaign->input->problem);
  const bool is_small = all->n_objectives > 1 && all->n_objectives + n_bounded <= QUANTITIES;
  bool has_front = is_small;
  double feasible = 1;
  json_t *constraints = json_array(), *words = json_array();
  (void)json_object_set_new(model[0], "constraints", constraints);
  (void)json_object_set_new(model[0], "words", words);
  GANNET_TRY(fit_studies(campaign, through, is_small, all));
  GANNET_TRY(report_studies_feasible(all->study, all->n, 1,
                                     gannet_history_x_unit(campaign->history, through), &feasible,
                                     NULL, NULL));
  (void)json_object_set_new(model[0], "feasible", json_real(feasible));
  for (int m = 0; m < all->n_objectives; ++m)
    GANNET_TRY(fill_model(all, &all->study[m], x, model[m]));
  for (int k = 0; k < n_bounded; ++k) {
    const report_study *s = &all->study[all->n_objectives + k];
    json_t *one = s->surrogate && k < CONSTRAINTS ? json_object() : json_null();
    has_front = has_front && s->surrogate;
    (void)json_array_append_new(constraints, one);
    if (json_is_object(one)) GANNET_TRY(fill_model(all, s, x, one));
  }
  GANNET_TRY(put_of_variables(all, x, model));
  if (has_front) {
    json_t *front = NULL;
    GANNET_TRY(report_model_front(all->study, all->n_objectives + n_bounded, &front));
    (void)json_object_set_new(model[0], "front", front);
  }
  for (int m = 0; m < all->n_objectives; ++m) {
    json_t *checks = NULL;
    GANNET_TRY(make_calibration(&all->study[m], &checks));
    (void)json_object_set_new(model[m], "calibration", checks);
  }
  report_model_words(campaign, model[0], words);
  return GANNET_OK;
}

/* The design that slices run through: the best one, or the knee of the front, or, while nothing is
 * feasible, the one that violates least. */
static int64_t find_middle(const gannet_history *history) {
  gannet_front front = {0};
  int64_t id = gannet_history_best(history);
  int knee = -1;
  if (id < 0) return gannet_history_least_violation(history);
  if (gannet_problem_n_objectives(gannet_history_problem(history)) > 1) {
    if (gannet_front_find(history, &front) == GANNET_OK &&
        gannet_front_knee(&front, &knee) == GANNET_OK && knee >= 0)
      id = front.id[knee];
    gannet_error_clear();
    gannet_front_release(&front);
  }
  return id;
}

gannet_err report_model(const gannet_campaign *campaign, json_t **made) {
  const gannet_problem *problem = campaign->input->problem;
  const int n_objectives = gannet_problem_n_objectives(problem);
  const int64_t middle = find_middle(campaign->history);
  bool has_results = middle >= 0;
  json_t *model[GANNET_OBJECTIVES_MOST], *others = json_array();
  studies all = {.n = n_objectives + gannet_problem_n_bounded(problem) + 1,
                 .n_objectives = n_objectives};
  *made = model[0] = json_object();
  for (int m = 0; m < n_objectives; ++m)
    has_results =
        has_results && report_study_count(campaign, quantity_of(campaign, m)) >= STUDY_LEAST;
  (void)json_object_set_new(*made, "others", others);
  if (!has_results) {
    (void)json_object_set_new(
        *made, "note",
        json_sprintf("A model needs at least %d results%s.", STUDY_LEAST,
                     n_objectives > 1 ? " with values of all objectives" : ""));
    return GANNET_OK;
  }
  (void)json_object_set_new(*made, "through", json_integer((json_int_t)middle));
  for (int m = 1; m < n_objectives; ++m) {
    model[m] = json_object();
    (void)json_array_append_new(others, model[m]);
  }
  GANNET_TRY(gannet_alloc((size_t)all.n, sizeof *all.study, &all.study));
  const gannet_err err = fill_models(campaign, middle, &all, model);
  for (int i = 0; i < all.n; ++i) report_study_release(&all.study[i]);
  gannet_free(&all.study);
  return err;
}
