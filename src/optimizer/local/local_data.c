#include "optimizer/local/local_data.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/transform.h"
#include "problem/variable_constraints.h"

/* Values closer than this share of their size are the same, to rounding. */
static const double rounding = 1e-14;

/* Most coefficients with cross terms, and most of those that do not wait for observations. */
enum { FULL_MOST = 260, FULL_AT_ONCE = 80 };
static const double nearly = 0.9;

/* Ranges of a variable within which designs from elsewhere say something about the centre: the best
 * of them may be far away, where no quadratic reaches. */
static const double nearby = 0.5;

typedef struct {
  double key; /* best first */
  int64_t id;
} place;

static int ascending(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static double distance(const local_data *data, const double *x) {
  double far = 0;
  for (int k = 0; k < data->d; ++k)
    far = fmax(far, fabs(x[data->coordinate[k]] - data->centre[data->coordinate[k]]));
  return far;
}

static double value_of(const gannet_history *history, int64_t id) {
  return gannet_problem_flip(gannet_history_problem(history),
                             gannet_history_get(history, id)->objective);
}

/* Sound evaluations that agree with the centre in all that is not modelled, the centre first: the
 * best come next, or the nearest ones with constraints or noise. */
static int sort_comparable(const gannet_history *history, const local_data *data, place *places) {
  const bool free = data->n_models == 1 && !data->noisy;
  const gannet_problem *problem = gannet_history_problem(history);
  int n = 0;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const double *x = gannet_history_x_unit(history, id);
    bool comparable =
        gannet_history_is_sound(history, id) &&
        gannet_problem_find_missing(problem, 0, gannet_history_get(history, id)->objective,
                                    gannet_history_constraints(history, id)) < 0;
    for (int k = 0; k < problem->d && comparable; ++k)
      comparable = data->modelled[k] || x[k] == data->centre[k];
    if (gannet_history_get(history, id)->elsewhere)
      comparable = comparable && distance(data, x) <= nearby;
    if (!comparable) continue;
    const double key = free ? value_of(history, id) : distance(data, x);
    places[n++] = (place){id == data->centre_id ? -INFINITY : key, id};
  }
  qsort(places, (size_t)n, sizeof *places, ascending);
  return n;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value of the given rank among n sizes, but not 0 when a larger one exists; work [n]. */
static double unit_of(int n, const double *sizes, int rank, double *work) {
  memcpy(work, sizes, (size_t)n * sizeof *work);
  qsort(work, (size_t)n, sizeof *work, by_size);
  int at = rank < n ? rank : n - 1;
  while (at + 1 < n && !(work[at] > 0)) ++at;
  return work[at] > 0 ? work[at] : 1;
}

/* Rank of the distance, and of the value, that are taken as units: nearer points count alike, and
 * noise has to be averaged over many points. */
static int typical_rank(const local_data *data) {
  return data->noisy && data->n / 2 > data->d ? data->n / 2 : data->d;
}

static void set_points(const gannet_history *history, const place *places, double *work,
                       local_data *data) {
  double *far = work, *sorted = work + data->n;
  for (int i = 0; i < data->n; ++i)
    far[i] = distance(data, gannet_history_x_unit(history, places[i].id));
  data->span = unit_of(data->n, far, typical_rank(data), sorted);
  for (int i = 0; i < data->n; ++i) {
    const double *x = gannet_history_x_unit(history, places[i].id);
    for (int k = 0; k < data->d; ++k)
      data->u[(size_t)i * (size_t)data->d + (size_t)k] =
          (x[data->coordinate[k]] - data->centre[data->coordinate[k]]) / data->span;
  }
}

/* What a constraint typically changes within the span. Where many points lie on an active one the
 * size of a nearby value would say nothing. */
static double unit_of_constraint(const local_data *data, const double *t, const double *far) {
  double sum = 0;
  for (int i = 0; i < data->n; ++i) {
    const double change = t[i] / fmax(1, far[i] / data->span);
    sum += change * change / data->n;
  }
  return sum > 0 && isfinite(sum) ? sqrt(sum) : 0;
}

/* Values of one model less that of the centre, in units of a typical one nearby. Larger ones and
 * farther points count less: what a quadratic leaves out grows with both. */
static void set_values(int model, const double *far, double at_centre, double *work,
                       local_data *data) {
  const size_t n = (size_t)data->n;
  double *t = data->t + (size_t)model * n, *w = data->w + (size_t)model * n;
  double *size = work, *sorted = work + n;
  const double shrink = gannet_transform_unit(data->n, t);
  at_centre *= shrink;
  for (size_t i = 0; i < n; ++i) {
    t[i] = gannet_problem_excess(t[i] * shrink, at_centre);
    size[i] = fabs(t[i]);
  }
  double unit = model > 0 ? unit_of_constraint(data, t, far) : 0;
  if (!(unit > 0)) unit = unit_of(data->n, size, typical_rank(data), sorted);
  unit = fmax(unit, rounding * fabs(at_centre));
  for (size_t i = 0; i < n; ++i) {
    t[i] = fmin(fmax(t[i] / unit, -1e300), 1e300);
    const double beyond = fmax(1, far[i] / data->span);
    w[i] = fmax(1, fabs(t[i])) * beyond * beyond;
  }
  if (model == 0)
    data->unit = fmin(unit / shrink, DBL_MAX);
  else
    data->threshold[model] = -at_centre / unit;
}

static gannet_err set_observations(const gannet_history *history, const place *places,
                                   local_data *data) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t n = (size_t)data->n, models = (size_t)data->n_models;
  const size_t rows = (size_t)gannet_allowed_count_rows(problem), d = (size_t)problem->d;
  double *work = NULL;
  GANNET_TRY(gannet_alloc(3 * n + models + rows * d, sizeof *work, &work));
  double *far = work, *bounds = work + 3 * n, *slopes = bounds + models;
  set_points(history, places, work, data);
  for (size_t i = 0; i < n; ++i) {
    data->id[i] = places[i].id;
    data->t[i] = value_of(history, places[i].id);
    gannet_problem_bounds(problem, gannet_history_constraints(history, places[i].id), bounds);
    if (rows > 0)
      gannet_allowed_rows(problem, gannet_history_x_unit(history, places[i].id),
                          bounds + problem->n_bounds, slopes);
    for (size_t j = 1; j < models; ++j) data->t[j * n + i] = bounds[j - 1];
  }
  for (int j = 0; j < data->n_models; ++j)
    set_values(j, far, data->t[(size_t)j * n], work + n, data);
  gannet_free(&work);
  return GANNET_OK;
}

bool local_data_has_cross_terms(int d, int n, bool alone) {
  const int full = gannet_quadratic_coefficients(d, true);
  return full <= FULL_AT_ONCE || (full <= FULL_MOST && (alone || n >= nearly * full));
}

/* A parabola says little about a variable of fewer values. */
static const double fewest = 4;

int local_data_count_models(const gannet_problem *problem) {
  return 1 + problem->n_bounds + gannet_allowed_count_rows(problem);
}

int local_data_coordinates(const gannet_problem *problem, bool *modelled) {
  int n = problem->n_continuous;
  if (modelled) memcpy(modelled, problem->continuous, (size_t)problem->d * sizeof *modelled);
  for (int v = 0; v < problem->spec.n_variables && !problem->pool; ++v) {
    const gannet_variable *variable = &problem->spec.variables[v];
    if (!gannet_variable_has_steps(variable) || gannet_variable_count(variable) < fewest) continue;
    if (modelled) modelled[problem->first[v]] = true;
    n += !gannet_allowed_depends(problem, problem->first[v]);
  }
  for (int k = 0; k < problem->d; ++k)
    n -= problem->continuous[k] && gannet_allowed_depends(problem, k);
  return n;
}

gannet_err local_data_collect(const gannet_history *history, bool noisy, int64_t centre_id,
                              local_data *data) {
  const gannet_problem *problem = gannet_history_problem(history);
  place *places = NULL;
  data->noisy = noisy;
  data->centre_id = centre_id >= 0 ? centre_id : gannet_history_best(history);
  if (data->centre_id < 0) data->centre_id = gannet_history_least_violation(history);
  GANNET_REQUIRE(data->centre_id >= 0, GANNET_ERR_STATE, "no evaluation has succeeded");
  data->centre = gannet_history_x_unit(history, data->centre_id);
  data->value = value_of(history, data->centre_id);
  data->n_models = local_data_count_models(problem);

  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *data->coordinate, &data->coordinate));
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *data->modelled, &data->modelled));
  (void)local_data_coordinates(problem, data->modelled);
  for (int k = 0; k < problem->d; ++k)
    if (data->modelled[k] && !gannet_allowed_depends(problem, k)) data->coordinate[data->d++] = k;

  const int full = gannet_quadratic_coefficients(data->d, true);
  const int coefficients = full <= FULL_MOST ? full : gannet_quadratic_coefficients(data->d, false);
  const int most = 2 * coefficients + 10;
  GANNET_TRY(gannet_alloc((size_t)gannet_history_count(history), sizeof *places, &places));
  const int comparable = sort_comparable(history, data, places);
  data->n = comparable < most ? comparable : most;

  const size_t models = (size_t)data->n_models, rows = (size_t)data->n;
  gannet_err err = gannet_alloc(rows, sizeof *data->id, &data->id);
  if (err == GANNET_OK) err = gannet_alloc(rows * (size_t)data->d, sizeof(double), &data->u);
  if (err == GANNET_OK) err = gannet_alloc(models * rows, sizeof(double), &data->t);
  if (err == GANNET_OK) err = gannet_alloc(models * rows, sizeof(double), &data->w);
  if (err == GANNET_OK) err = gannet_alloc(models, sizeof(double), &data->threshold);
  if (err == GANNET_OK) err = set_observations(history, places, data);
  gannet_free(&places);
  return err;
}

void local_data_release(local_data *data) {
  gannet_free(&data->coordinate);
  gannet_free(&data->modelled);
  gannet_free(&data->id);
  gannet_free(&data->u);
  gannet_free(&data->t);
  gannet_free(&data->w);
  gannet_free(&data->threshold);
}

static const double least_share = 0.5; /* one and a quarter were no better */

static const double *point(const local_data *data, int i) {
  return data->u + (size_t)i * (size_t)data->d;
}

int64_t local_noise_centre(const gannet_history *history, const local_data *data,
                           const gannet_quadratic *objective, double radius) {
  int64_t centre = data->centre_id;
  double least = INFINITY;
  if (!gannet_history_is_feasible(history, centre)) return centre;
  for (int i = 0; i < data->n; ++i) {
    bool inside = true;
    for (int k = 0; k < data->d && inside; ++k)
      inside = !(fabs(point(data, i)[k]) * data->span > radius);
    if (!inside || !gannet_history_is_feasible(history, data->id[i])) continue;
    const double mean =
        gannet_quadratic_value(objective, objective->coefficient, point(data, i), NULL, NULL);
    if (!(mean < least)) continue;
    least = mean;
    centre = data->id[i];
  }
  return centre;
}

/* The radius u at which error s = (1/2) curvature s u^2; hyper-parameters are logarithms to base
 * 10. */
double local_noise_radius(const local_data *data, const gannet_quadratic *objective) {
  const double *hyper = objective->hyper;
  return least_share * data->span *
         sqrt(2 * pow(10, hyper[GANNET_QUADRATIC_ERROR] - hyper[GANNET_QUADRATIC_CURVATURE]));
}
