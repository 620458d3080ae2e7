/* Maps: what models expect in planes of two variables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/conditional.h"
#include "report/parts.h"
#include "report/study.h"

enum {
  VALUES = 21,          /* values of a variable */
  VARIABLES = 5,        /* variables whose pairs are shown */
  VARIABLES_OF_MANY = 3 /* the same where many quantities have models */
};

/* The studies, and room for the points of a plane. */
typedef struct {
  const report_study *study;
  int n;
  const double *through; /* the design, in the user's units */
  double *x, *user;      /* [VALUES^2][d], [variables] */
  double mean[VALUES * VALUES], sd[VALUES * VALUES];
} map;

/* Values that a picture can tell apart need few digits. */
static json_t *rounded(const double *values, int n) {
  json_t *list = json_array();
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; ++i) {
    low = fmin(low, values[i]);
    high = fmax(high, values[i]);
  }
  const double span = high - low;
  const double step =
      span > 0 && isfinite(span) ? pow(10, floor(log10(span)) - 3) : 0; /* 0 = as they are */
  for (int i = 0; i < n; ++i)
    (void)json_array_append_new(
        list, report_number(step > 0 ? rint(values[i] / step) * step : values[i]));
  return list;
}

/* Mean and standard deviation of one quantity, in its units. */
static gannet_err put_quantity(map *p, const report_study *s, int points, json_t *list) {
  if (!s->surrogate) {
    (void)json_array_append_new(list, json_null());
    return GANNET_OK;
  }
  GANNET_TRY(report_study_predict(s, points, p->x, p->mean, p->sd));
  for (int i = 0; i < points; ++i) {
    const double mean = p->mean[i], sd = p->sd[i];
    p->mean[i] = report_study_units(s, mean);
    p->sd[i] =
        fabs(0.5 * report_study_units(s, mean + sd) - 0.5 * report_study_units(s, mean - sd));
  }
  (void)json_array_append_new(list, json_pack("{s:o, s:o}", "mean", rounded(p->mean, points), "sd",
                                              rounded(p->sd, points)));
  return GANNET_OK;
}

static gannet_err put_pair(map *p, int a, int b, json_t *list) {
  const gannet_problem *problem = p->study->problem;
  const gannet_problem_spec *spec = &problem->spec;
  double across[VALUES], up[VALUES], works[VALUES * VALUES];
  const int n_across = report_variable_values(&spec->variables[a], VALUES, across);
  const int n_up = report_variable_values(&spec->variables[b], VALUES, up);
  const int points = n_across * n_up;
  bool is_bounded = false, has_works = false;
  for (int i = 0; i < points; ++i) {
    memcpy(p->user, p->through, (size_t)spec->n_variables * sizeof *p->user);
    p->user[a] = across[i % n_across];
    p->user[b] = up[i / n_across];
    gannet_problem_derive(problem, p->user); /* other variables may be inactive there */
    gannet_problem_encode(problem, p->user, p->x + (ptrdiff_t)i * problem->d);
  }
  json_t *quantities = json_array();
  gannet_err err = GANNET_OK;
  for (int q = 0; q < p->n && err == GANNET_OK; ++q) {
    const report_study *s = &p->study[q];
    is_bounded = is_bounded || (s->surrogate && s->objective < 0);
    has_works = has_works || (s->surrogate && s->quantity == REPORT_WORKS);
    if (s->quantity != REPORT_WORKS) err = put_quantity(p, s, points, quantities);
  }
  if (err == GANNET_OK && is_bounded)
    err = report_studies_feasible(p->study, p->n, points, p->x, p->mean, p->sd, works);
  json_t *x = json_array(), *y = json_array(), *margins = json_array();
  for (int i = 0; i < points && is_bounded && err == GANNET_OK; ++i) {
    const double margin = p->sd[i]; /* to four digits */
    const double step = margin != 0 ? pow(10, floor(log10(fabs(margin))) - 3) : 1;
    (void)json_array_append_new(margins, report_number(rint(margin / step) * step));
  }
  for (int i = 0; i < n_across; ++i) (void)json_array_append_new(x, report_number(across[i]));
  for (int i = 0; i < n_up; ++i) (void)json_array_append_new(y, report_number(up[i]));
  (void)json_array_append_new(
      list, json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "a", a, "b", b, "x", x, "y", y,
                      "quantities", quantities, "feasible",
                      is_bounded && err == GANNET_OK ? rounded(p->mean, points) : json_null(),
                      "margin", margins, "works",
                      has_works && err == GANNET_OK ? rounded(works, points) : json_null()));
  return err;
}

static bool is_number(const gannet_problem *problem, int v) {
  const gannet_variable *variable = &problem->spec.variables[v];
  return !gannet_variable_has_words(variable) && variable->type != GANNET_VARIABLE_BOOLEAN;
}

/* The variables of the largest weights, and of these the pairs: numbers first. */
static gannet_err put_pairs(map *p, const double *weight, json_t *list) {
  const gannet_problem *problem = p->study->problem;
  const int most = p->n > VARIABLES ? VARIABLES_OF_MANY : VARIABLES;
  int chosen[VARIABLES], n = 0;
  for (int v = 0; v < problem->spec.n_variables; ++v) {
    if (isnan(weight[v]) || !gannet_problem_is_active(problem, v, p->through)) continue;
    int at = n < most ? n++ : most;
    for (; at > 0 && weight[v] > weight[chosen[at - 1]]; --at)
      if (at < most) chosen[at] = chosen[at - 1];
    if (at < most) chosen[at] = v;
  }
  for (int numbers = 2; numbers >= 0; --numbers)
    for (int j = 1; j < n; ++j)
      for (int i = 0; i < j; ++i) {
        if (is_number(problem, chosen[i]) + is_number(problem, chosen[j]) != numbers) continue;
        GANNET_TRY(put_pair(p, chosen[i], chosen[j], list));
      }
  return GANNET_OK;
}

gannet_err report_model_maps(const report_study *studies, int n, const double *weight,
                             const double *through, json_t **maps) {
  const gannet_problem *problem = studies->problem;
  map *p = NULL;
  *maps = json_array();
  GANNET_TRY(gannet_alloc(1, sizeof *p, &p));
  p->study = studies;
  p->n = n;
  p->through = through;
  gannet_err err = gannet_alloc((size_t)VALUES * VALUES * (size_t)problem->d, sizeof *p->x, &p->x);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)problem->spec.n_variables, sizeof *p->user, &p->user);
  if (err == GANNET_OK) err = put_pairs(p, weight, *maps);
  gannet_free(&p->x);
  gannet_free(&p->user);
  gannet_free(&p);
  return err;
}
