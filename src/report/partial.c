/* Partial dependence of models (Friedman 2001): along one variable, the mean of what a model
 * predicts over designs in which all other variables are drawn from their ranges.
 *
 * The mean of predictions is uncertain, too. With s_i the standard deviation of the prediction at
 * design i in the user's units and r_ij the correlation of two predictions in the posterior, its
 * variance is sum_ij r_ij s_i s_j / n^2: errors that the designs have in common stay, others
 * cancel.
 *
 * Designs in which the variable is not in use, and those that variable constraints forbid, do not
 * count. A value with too few others has no mean.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "problem/variable_constraints.h"
#include "report/parts.h"
#include "report/study.h"
#include "search/sobol.h"

enum {
  SAMPLES = 128,  /* designs over which predictions are averaged */
  TOGETHER = 64,  /* of these SAMPLES, the first ones whose correlations are taken into account */
  LEAST = 8,      /* fewest designs that make a mean */
  VALUES = 17,    /* most values of a variable */
  VARIABLES = 12, /* most variables that are shown: the ones that matter most */
  DRAWS = 64      /* draws from which correlations are estimated where a model does not tell them */
};

typedef struct {
  const report_study *study; /* [n] */
  int n;
  const gannet_problem *problem;
  double *uniform;  /* [SAMPLES][d] designs before they are made admissible */
  double *x, *user; /* [SAMPLES][d], [variables] */
  int points;       /* rows of x at the present value of the variable */
  double mean[SAMPLES], sd[SAMPLES];
  double covariance[TOGETHER * TOGETHER];
} partial;

/* Write the designs with one value of a variable into x. Other variables have values of their own
 * where this one decides whether they are in use. */
static void make_designs(partial *p, int v, double value) {
  const gannet_problem *problem = p->problem;
  const size_t d = (size_t)problem->d;
  p->points = 0;
  for (size_t i = 0; i < SAMPLES; ++i) {
    double *row = p->x + (size_t)p->points * d;
    memcpy(row, p->uniform + i * d, d * sizeof *row);
    if (problem->pool) { /* the design of the list that is nearest to this one has another value */
      gannet_problem_decode(problem, row, p->user);
      p->user[v] = value;
      gannet_problem_derive(problem, p->user);
      gannet_problem_encode(problem, p->user, row);
    } else {
      gannet_variable_encode(&problem->spec.variables[v], value, row + problem->first[v]);
      gannet_problem_snap(problem, 1, row);
      gannet_problem_decode(problem, row, p->user);
    }
    p->points += gannet_problem_is_active(problem, v, p->user) &&
                 gannet_problem_allows_values(problem, p->user);
  }
}

/* The mean over the designs in the user's units, and its standard deviation. */
static gannet_err average(partial *p, const report_study *s, double *mean, double *sd) {
  const int rows = p->points < TOGETHER ? p->points : TOGETHER;
  double spread[TOGETHER], largest = 0, sum = 0;
  GANNET_TRY(report_study_predict(s, p->points, p->x, p->mean, p->sd));
  GANNET_TRY(gannet_surrogate_covariance(s->surrogate, rows, p->x, rows, p->x, p->covariance));
  *mean = 0;
  for (int i = 0; i < p->points; ++i) *mean += report_study_units(s, p->mean[i]) / p->points;
  for (int i = 0; i < rows; ++i) {
    const double half = 0.5 * report_study_units(s, p->mean[i] + p->sd[i]) -
                        0.5 * report_study_units(s, p->mean[i] - p->sd[i]);
    spread[i] = p->sd[i] > 0 ? fabs(half) / p->sd[i] / rows : 0;
    largest = fmax(largest, spread[i]);
  }
  for (int i = 0; i < rows && largest > 0; ++i) /* squares of large values overflow */
    for (int j = 0; j < rows; ++j)
      sum += spread[i] / largest * (spread[j] / largest) * p->covariance[i * rows + j];
  *sd = largest * sqrt(fmax(sum, 0));
  return GANNET_OK;
}

static void append_to(json_t *curve, const char *key, double value) {
  if (isinf(value)) value = copysign(DBL_MAX, value); /* the end of an interval */
  (void)json_array_append_new(json_object_get(curve, key), report_number(value));
}

/* The curves of all quantities along one variable. */
static gannet_err put_curves(partial *p, int v, double best, json_t *const *lists) {
  double values[VALUES], feasible[SAMPLES];
  const int n = report_variable_values(&p->problem->spec.variables[v], VALUES, values);
  bool is_bounded = false;
  for (int q = 0; q < p->n; ++q) {
    const report_study *s = &p->study[q];
    is_bounded = is_bounded || (s->surrogate && s->objective < 0);
    if (lists[q])
      (void)json_array_append_new(
          lists[q], json_pack("{s:o, s:[], s:[], s:[], s:[]}", "best", report_number(best), "x",
                              "mean", "low", "high"));
  }
  json_t *first = json_array_get(lists[0], json_array_size(lists[0]) - 1);
  if (is_bounded) (void)json_object_set_new(first, "feasible", json_array());
  for (int k = 0; k < n; ++k) {
    make_designs(p, v, values[k]);
    if (p->points < LEAST) continue;
    for (int q = 0; q < p->n; ++q) {
      double mean = NAN, sd = NAN;
      if (!lists[q]) continue;
      json_t *curve = json_array_get(lists[q], json_array_size(lists[q]) - 1);
      GANNET_TRY(average(p, &p->study[q], &mean, &sd));
      append_to(curve, "x", values[k]);
      append_to(curve, "mean", mean);
      append_to(curve, "low", mean - 1.96 * sd);
      append_to(curve, "high", mean + 1.96 * sd);
    }
    if (!is_bounded) continue;
    GANNET_TRY(report_studies_feasible(p->study, p->n, p->points, p->x, feasible, NULL, NULL));
    double share = 0;
    for (int i = 0; i < p->points; ++i) share += feasible[i] / p->points;
    append_to(first, "feasible", rint(1e4 * share) / 1e4);
  }
  return GANNET_OK;
}

/* Room, and the designs. Models that do not tell correlations get draws. */
static gannet_err partial_create(const report_study *studies, int n, partial **made) {
  const gannet_problem *problem = studies->problem;
  const gannet_stream stream = {2, GANNET_FOR_DESIGN, 0, 0};
  const size_t d = (size_t)problem->d;
  gannet_sobol *sobol = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof **made, made));
  partial *p = *made;
  p->study = studies;
  p->n = n;
  p->problem = problem;
  GANNET_TRY(gannet_alloc(SAMPLES * d, sizeof *p->uniform, &p->uniform));
  GANNET_TRY(gannet_alloc(SAMPLES * d, sizeof *p->x, &p->x));
  GANNET_TRY(gannet_alloc((size_t)problem->spec.n_variables, sizeof *p->user, &p->user));
  GANNET_TRY(gannet_sobol_create(problem->d, &stream, &sobol));
  gannet_sobol_points(sobol, 0, SAMPLES, p->uniform);
  gannet_sobol_destroy(&sobol);
  gannet_problem_spread(problem, SAMPLES, p->uniform);
  for (int q = 0; q < n; ++q)
    if (studies[q].surrogate && !studies[q].type->covariance)
      GANNET_TRY(gannet_surrogate_sample(studies[q].surrogate, DRAWS, 1, 0));
  return GANNET_OK;
}

gannet_err report_model_partial(const report_study *studies, int n, const double *weight,
                                const double *through, json_t *const *lists) {
  const gannet_problem *problem = studies->problem;
  partial *p = NULL;
  gannet_err err = partial_create(studies, n, &p);
  for (int v = 0; err == GANNET_OK && v < problem->spec.n_variables; ++v) {
    int before = 0; /* variables that matter more */
    for (int i = 0; i < problem->spec.n_variables; ++i)
      before += weight[i] > weight[v] || (i < v && weight[i] == weight[v]);
    if (!isnan(weight[v]) && before < VARIABLES) {
      err =
          put_curves(p, v, gannet_problem_is_active(problem, v, through) ? through[v] : NAN, lists);
      continue;
    }
    for (int q = 0; q < n; ++q)
      if (lists[q]) (void)json_array_append_new(lists[q], json_null());
  }
  if (p) {
    gannet_free(&p->uniform);
    gannet_free(&p->x);
    gannet_free(&p->user);
  }
  gannet_free(&p);
  return err;
}
