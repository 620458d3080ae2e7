/* The front that models of several objectives expect, and how sure they are of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pareto/front.h"
#include "problem/conditional.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/variable_constraints.h"
#include "report/parts.h"
#include "report/study.h"
#include "search/sobol.h"

enum {
  FIRST = 1024,                /* uniform points that the search begins with */
  ROUNDS = 10,                 /* rounds of the search */
  EACH = 384,                  /* points of a round */
  ALL = FIRST + ROUNDS * EACH, /* points that are looked at */
  KEPT = 150,                  /* points of a front from which a round begins */
  DRAWS = 64,                  /* draws of the models */
  GRID = 81,                   /* values of the first objective for which quantiles are told */
  SHOWN = 60,                  /* points of the front that are told */
  TEXT = 512
};

typedef struct {
  report_study *study; /* [n] objectives, then constraints */
  int n, m, d;         /* models, objectives, coordinates of a point */
  const gannet_problem *problem;
  int points;          /* that were looked at so far */
  double *x;           /* [ALL][d] */
  double *y;           /* [ALL][m] means, minimised */
  double *c;           /* [ALL][n - m] means of constraints */
  bool *is_feasible;   /* [ALL] by these */
  int n_front, *front; /* [n_front] non-dominated points so far */
  double *work;        /* [ALL][m] */
  int *place;          /* [ALL] */
} search;

static gannet_err search_create(report_study *study, int n, search *s) {
  const gannet_problem *problem = study->problem;
  *s = (search){.study = study,
                .n = n,
                .m = gannet_problem_n_objectives(problem),
                .d = problem->d,
                .problem = problem};
  const size_t m = (size_t)s->m;
  GANNET_TRY(gannet_alloc((size_t)ALL * (size_t)s->d, sizeof *s->x, &s->x));
  GANNET_TRY(gannet_alloc(ALL * m, sizeof *s->y, &s->y));
  GANNET_TRY(gannet_alloc((size_t)ALL * (size_t)(n - s->m + 1), sizeof *s->c, &s->c));
  GANNET_TRY(gannet_alloc(ALL, sizeof *s->is_feasible, &s->is_feasible));
  GANNET_TRY(gannet_alloc(ALL, sizeof *s->front, &s->front));
  GANNET_TRY(gannet_alloc(ALL * m, sizeof *s->work, &s->work));
  return gannet_alloc(ALL, sizeof *s->place, &s->place);
}

static void search_release(search *s) {
  gannet_free(&s->x);
  gannet_free(&s->y);
  gannet_free(&s->c);
  gannet_free(&s->is_feasible);
  gannet_free(&s->front);
  gannet_free(&s->work);
  gannet_free(&s->place);
}

/* Constraint k of a search as the problem states it. */
static const gannet_constraint *bounds_of(const search *s, int k) {
  return &s->problem->spec.constraints[s->study[s->m + k].quantity - 1];
}

static bool keeps(const gannet_constraint *bounds, double value) {
  return !(value < bounds->lower) && !(value > bounds->upper);
}

/* Means at the points that came last. */
static gannet_err look_at(search *s, int added) {
  const int first = s->points, n_constraints = s->n - s->m;
  const double *x = s->x + (ptrdiff_t)first * s->d;
  for (int i = 0; i < added; ++i) s->is_feasible[first + i] = true;
  for (int q = 0; q < s->n; ++q) {
    const report_study *study = &s->study[q];
    GANNET_TRY(report_study_predict(study, added, x, s->work, NULL));
    for (int i = 0; i < added; ++i) {
      const double value = report_study_units(study, s->work[i]);
      const ptrdiff_t at = first + i;
      if (q < s->m) {
        s->y[at * s->m + q] = study->sign * value;
        continue;
      }
      s->c[at * n_constraints + q - s->m] = value;
      s->is_feasible[at] = s->is_feasible[at] && keeps(bounds_of(s, q - s->m), value);
    }
  }
  s->points += added;
  return GANNET_OK;
}

/* Find the non-dominated points of those that are feasible by the means. */
static gannet_err find_front(search *s) {
  int n = 0;
  for (int i = 0; i < s->points; ++i) {
    if (!s->is_feasible[i]) continue;
    memcpy(s->work + (ptrdiff_t)n * s->m, s->y + (ptrdiff_t)i * s->m, (size_t)s->m * sizeof *s->y);
    s->place[n++] = i;
  }
  GANNET_TRY(gannet_pareto_front(n, s->m, s->work, &s->n_front, s->front));
  for (int i = 0; i < s->n_front; ++i) s->front[i] = s->place[s->front[i]];
  return GANNET_OK;
}

/* Uniform admissible points, and the designs of the results, which hold the front so far. */
static gannet_err begin_search(search *s) {
  const gannet_stream stream = {1, GANNET_FOR_DESIGN, 1, 0};
  const report_study *first = &s->study[0];
  gannet_sobol *sobol = NULL;
  GANNET_TRY(gannet_sobol_create(s->d, &stream, &sobol));
  gannet_sobol_points(sobol, 0, FIRST, s->x);
  gannet_sobol_destroy(&sobol);
  gannet_problem_spread(s->problem, FIRST, s->x);
  gannet_problem_snap(s->problem, FIRST, s->x);
  if (s->problem->variable_constraints)
    for (uint64_t i = 0; i < FIRST; ++i)
      gannet_allowed_draw(s->problem, (gannet_stream){1, GANNET_FOR_ALLOWED, 1, i},
                          s->x + i * (size_t)s->d);
  int at = 0;
  for (int i = 0; i < first->n && at < FIRST / 2; ++i) {
    if (!gannet_history_is_feasible(first->campaign->history, first->id[i])) continue;
    memcpy(s->x + (ptrdiff_t)at++ * s->d, first->x + (ptrdiff_t)i * s->d,
           (size_t)s->d * sizeof *s->x);
  }
  return look_at(s, FIRST);
}

/* Cross two points of the front, or perturb one; steps become smaller from round to round. */
static void make_point(const search *s, int round, int i, double *x) {
  const gannet_stream stream = {1, GANNET_FOR_LOCAL, (uint64_t)round, (uint64_t)i};
  const double width = 0.2 * pow(0.65, round);
  double u[4];
  gannet_random_uniform(stream, 0, 4, u);
  const int n = s->n_front;
  const double *a = s->x + (ptrdiff_t)s->front[(int)(u[0] * n)] * s->d;
  const double *b = s->x + (ptrdiff_t)s->front[(int)(u[1] * n)] * s->d;
  const double step = u[2] < 0.5 ? u[3] : 0;
  for (int k = 0; k < s->d; ++k) {
    double v[2], z;
    gannet_random_uniform(stream, 4 + 4 * (uint64_t)k, 2, v);
    gannet_random_normal(stream, 4 + 4 * (uint64_t)k + 2, 1, &z);
    const bool moves = v[0] * s->d < 4;
    x[k] = fmin(fmax(a[k] + step * (b[k] - a[k]) + (moves ? width * z : 0), 0), 1);
  }
  gannet_problem_snap(s->problem, 1, x);
  if (s->problem->variable_constraints && !gannet_problem_allows(s->problem, x))
    gannet_allowed_repair(s->problem, a, NULL, NULL, x);
}

static gannet_err search_front(search *s) {
  GANNET_TRY(begin_search(s));
  GANNET_TRY(find_front(s));
  for (int round = 0; round < ROUNDS && s->n_front > 0; ++round) {
    const int n = s->n_front;
    if (n > KEPT) { /* a regular choice */
      for (int i = 0; i < KEPT; ++i) s->front[i] = s->front[(int64_t)i * n / KEPT];
      s->n_front = KEPT;
    }
    for (int i = 0; i < EACH; ++i)
      make_point(s, round, i, s->x + (ptrdiff_t)(s->points + i) * s->d);
    GANNET_TRY(look_at(s, EACH));
    GANNET_TRY(find_front(s));
  }
  return GANNET_OK;
}

/* Whether point a of the front is as good as b but for what models cannot tell, and clearly better
 * in one objective: b is then on the front by the rounding of a mean only. */
static bool is_clearly_better(const search *s, const double *range, int a, int b) {
  const double little = 2e-3, much = 2e-2;
  bool clearly = false;
  for (int j = 0; j < s->m; ++j) {
    const double gain = s->y[(ptrdiff_t)b * s->m + j] - s->y[(ptrdiff_t)a * s->m + j];
    if (gain < -little * range[j]) return false;
    clearly = clearly || gain > much * range[j];
  }
  return clearly;
}

static void drop_rounding(search *s) {
  double range[GANNET_OBJECTIVES_MOST];
  int kept = 0;
  for (int j = 0; j < s->m; ++j) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s->n_front; ++i) {
      low = fmin(low, s->y[(ptrdiff_t)s->front[i] * s->m + j]);
      high = fmax(high, s->y[(ptrdiff_t)s->front[i] * s->m + j]);
    }
    range[j] = high - low;
  }
  for (int i = 0; i < s->n_front; ++i) {
    bool stays = true;
    for (int k = 0; k < s->n_front && stays; ++k)
      stays = !is_clearly_better(s, range, s->front[k], s->front[i]);
    s->place[kept] = s->front[i];
    kept += stays;
  }
  if (kept > 0) memcpy(s->front, s->place, (size_t)kept * sizeof *s->front);
  if (kept > 0) s->n_front = kept;
}

/* Order the points of the front by the first objective, and keep a regular choice of them. */
static void thin_front(search *s) {
  const int n = s->n_front, most = n < SHOWN ? n : SHOWN;
  for (int i = 1; i < n; ++i) { /* a few hundred points */
    const int mine = s->front[i];
    int at = i;
    for (; at > 0 && s->y[(ptrdiff_t)s->front[at - 1] * s->m] > s->y[(ptrdiff_t)mine * s->m]; --at)
      s->front[at] = s->front[at - 1];
    s->front[at] = mine;
  }
  for (int i = 0; i < most; ++i)
    s->front[i] = s->front[most > 1 ? (int64_t)i * (n - 1) / (most - 1) : 0];
  s->n_front = most;
}

static gannet_err tell_point(const search *s, int at, json_t **made) {
  const double *x = s->x + (ptrdiff_t)at * s->d;
  json_t *texts = json_array(), *c = json_array();
  json_t *mean = json_array(), *low = json_array(), *high = json_array();
  double *x_user = NULL, feasible = 1;
  char text[TEXT];
  *made = json_pack("{s:o, s:o, s:o, s:o, s:o}", "x", texts, "mean", mean, "low", low, "high", high,
                    "c", c);
  GANNET_TRY(gannet_alloc((size_t)s->problem->spec.n_variables, sizeof *x_user, &x_user));
  gannet_problem_decode(s->problem, x, x_user);
  for (int v = 0; v < s->problem->spec.n_variables; ++v) {
    gannet_problem_format(s->problem, v, x_user[v], text, sizeof text);
    const bool is_active = gannet_problem_is_active(s->problem, v, x_user);
    (void)json_array_append_new(texts, json_string(is_active ? text : ""));
  }
  gannet_free(&x_user);
  for (int q = 0; q < s->n; ++q) {
    const report_study *study = &s->study[q];
    double middle, sd;
    GANNET_TRY(report_study_predict(study, 1, x, &middle, &sd));
    const double a = report_study_units(study, middle - 1.96 * sd);
    const double b = report_study_units(study, middle + 1.96 * sd);
    (void)json_array_append_new(q < s->m ? mean : c,
                                report_number(report_study_units(study, middle)));
    if (q >= s->m) {
      feasible *= report_study_probability(study, middle, sd);
      continue;
    }
    (void)json_array_append_new(low, report_number(fmin(a, b)));
    (void)json_array_append_new(high, report_number(fmax(a, b)));
  }
  (void)json_object_set_new(*made, "feasible", report_number(feasible));
  return GANNET_OK;
}

/* Find what the draws attain at a tile of points: best[draw][g] is the least second objective of
 * points whose first objective falls between the values g - 1 and g of the grid. */
static gannet_err attain_tile(const search *s, int first, int rows, double low, double step,
                              double *values, double *best) {
  const double *x = s->x + (ptrdiff_t)first * s->d;
  for (int q = 0; q < s->n; ++q)
    GANNET_TRY(gannet_surrogate_draw_values(s->study[q].surrogate, rows, x,
                                            values + (size_t)q * DRAWS * GANNET_TILE, GANNET_TILE));
  for (int j = 0; j < DRAWS; ++j)
    for (int i = 0; i < rows; ++i) {
      double y[2];
      bool counts = true;
      for (int q = 0; q < s->n && counts; ++q) {
        const report_study *study = &s->study[q];
        const double value =
            report_study_units(study, values[((ptrdiff_t)q * DRAWS + j) * GANNET_TILE + i]);
        if (q < 2)
          y[q] = study->sign * value;
        else
          counts = keeps(bounds_of(s, q - 2), value);
      }
      const double place = counts ? ceil((y[0] - low) / step) : GRID;
      if (!(place < GRID)) continue;
      double *cell = &best[j * GRID + (place > 0 ? (int)place : 0)];
      if (y[1] < *cell) *cell = y[1];
    }
  return GANNET_OK;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Quantiles over the draws of the least second objective up to each value of the first. */
static json_t *tell_band(const search *s, double low, double step, double *best) {
  json_t *at = json_array(), *ends[3] = {json_array(), json_array(), json_array()};
  static const int rank[3] = {DRAWS / 20, DRAWS / 2, DRAWS - 1 - DRAWS / 20};
  const double first = s->study[0].sign, second = s->study[1].sign;
  for (int g = 0; g < GRID; ++g) {
    double sample[DRAWS];
    for (int j = 0; j < DRAWS; ++j) {
      double *row = best + (ptrdiff_t)j * GRID;
      if (g > 0) row[g] = fmin(row[g], row[g - 1]);
      sample[j] = row[g];
    }
    qsort(sample, DRAWS, sizeof *sample, ascending);
    (void)json_array_append_new(at, report_number(first * (low + g * step)));
    for (int k = 0; k < 3; ++k)
      (void)json_array_append_new(ends[second < 0 ? 2 - k : k],
                                  report_number(second * sample[rank[k]]));
  }
  return json_pack("{s:o, s:o, s:o, s:o}", "at", at, "low", ends[0], "middle", ends[1], "high",
                   ends[2]);
}

/* The grid reaches beyond the front by a part of its range. */
static gannet_err make_band(const search *s, json_t **made) {
  double low = INFINITY, high = -INFINITY, *values = NULL, *best = NULL;
  for (int i = 0; i < s->n_front; ++i) {
    low = fmin(low, s->y[(ptrdiff_t)s->front[i] * s->m]);
    high = fmax(high, s->y[(ptrdiff_t)s->front[i] * s->m]);
  }
  *made = json_null();
  if (s->m != 2 || !(high > low) || !isfinite(high - low)) return GANNET_OK;
  low -= 0.1 * (high - low);
  const double step = 1.2 * (high - low) / 1.1 / (GRID - 1);
  GANNET_TRY(gannet_alloc((size_t)s->n * DRAWS * GANNET_TILE, sizeof *values, &values));
  gannet_err err = gannet_alloc((size_t)DRAWS * GRID, sizeof *best, &best);
  for (int i = 0; err == GANNET_OK && i < DRAWS * GRID; ++i) best[i] = INFINITY;
  for (int q = 0; err == GANNET_OK && q < s->n; ++q)
    err = gannet_surrogate_sample(s->study[q].surrogate, DRAWS, 1, 0);
  for (int first = 0; err == GANNET_OK && first < s->points; first += GANNET_TILE) {
    const int rest = s->points - first;
    err = attain_tile(s, first, rest < GANNET_TILE ? rest : GANNET_TILE, low, step, values, best);
  }
  if (err == GANNET_OK) *made = tell_band(s, low, step, best);
  gannet_free(&values);
  gannet_free(&best);
  return err;
}

gannet_err report_model_front(report_study *studies, int n, json_t **front) {
  search s;
  json_t *points = json_array(), *band = json_null();
  gannet_err err = search_create(studies, n, &s);
  if (err == GANNET_OK) err = search_front(&s);
  if (err == GANNET_OK) drop_rounding(&s);
  if (err == GANNET_OK) thin_front(&s);
  for (int i = 0; err == GANNET_OK && i < s.n_front; ++i) {
    json_t *one = NULL;
    err = tell_point(&s, s.front[i], &one);
    (void)json_array_append_new(points, one);
  }
  if (err == GANNET_OK) err = make_band(&s, &band);
  *front = err == GANNET_OK && s.n_front > 0
               ? json_pack("{s:O, s:O}", "points", points, "band", band)
               : json_null();
  json_decref(points);
  json_decref(band);
  search_release(&s);
  return err;
}
