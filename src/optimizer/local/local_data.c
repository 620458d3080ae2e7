#include "optimizer/local/local_data.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/models/transform.h"
#include "problem/conditional.h"
#include "problem/runs.h"
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

/* Whether a point agrees with the centre in all that is not modelled. */
static bool is_comparable(int d, const bool *modelled, const double *centre, const double *x) {
  for (int k = 0; k < d; ++k)
    if (!modelled[k] && x[k] != centre[k]) return false;
  return true;
}

/* Sound evaluations that agree with the centre in all that is not modelled, the centre first: the
 * best come next, or the nearest ones with constraints or noise. */
static int sort_comparable(const gannet_history *history, const local_data *data,
                           const bool *searched, place *places) {
  const bool free = data->n_models == 1 && !data->noisy && !searched;
  const gannet_problem *problem = gannet_history_problem(history);
  int n = 0;
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const double *x = gannet_history_x_unit(history, id);
    bool comparable = gannet_history_is_sound(history, id) && !(searched && searched[id]) &&
                      is_comparable(problem->d, data->modelled, data->centre, x);
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
static int typical_rank(const local_data *data, int n) {
  return data->noisy && n / 2 > data->d ? n / 2 : data->d;
}

static void set_points(const gannet_history *history, const place *places, double *work,
                       local_data *data) {
  double *far = work, *sorted = work + data->n;
  for (int i = 0; i < data->n; ++i)
    far[i] = distance(data, gannet_history_x_unit(history, places[i].id));
  data->span = unit_of(data->n, far, typical_rank(data, data->n), sorted);
  for (int i = 0; i < data->n; ++i) {
    const double *x = gannet_history_x_unit(history, places[i].id);
    for (int k = 0; k < data->d; ++k)
      data->u[(size_t)i * (size_t)data->d + (size_t)k] =
          (x[data->coordinate[k]] - data->centre[data->coordinate[k]]) / data->span;
  }
}

/* What a constraint typically changes within the span. Where many points lie on an active one the
 * size of a nearby value would say nothing. */
static double unit_of_constraint(const local_data *data, int n, const double *t,
                                 const double *far) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double change = t[i] / fmax(1, far[i] / data->span);
    sum += change * change / n;
  }
  return sum > 0 && isfinite(sum) ? sqrt(sum) : 0;
}

/* Keep the observations that have the quantity of a model, in their order, in t, sd and far.
 *
 * sd, far  inout  [n] standard deviations that were told, distances
 */
static gannet_err keep_known(int model, double *sd, double *far, local_data *data) {
  const size_t n = (size_t)data->n, d = (size_t)data->d;
  double *t = data->t + (size_t)model * n;
  size_t kept = 0;
  data->u_of[model] = data->u;
  for (size_t i = 0; i < n; ++i) data->n_of[model] += !isnan(t[i]);
  if (data->n_of[model] == data->n) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)data->n_of[model] * d, sizeof(double), &data->u_of[model]));
  for (size_t i = 0; i < n; ++i) {
    if (isnan(t[i])) continue;
    memcpy(data->u_of[model] + kept * d, data->u + i * d, d * sizeof(double));
    t[kept] = t[i];
    sd[kept] = sd[i];
    far[kept++] = far[i];
  }
  return GANNET_OK;
}

/* Weights by the standard deviations that were told, in units of the median: half of the error that
 * the model has for a typical value is taken for noise. */
static void weigh_by_error_bars(int n, const double *sd, double *work, double *w) {
  int stated = 0;
  for (int i = 0; i < n; ++i)
    if (sd[i] > 0) work[stated++] = sd[i];
  if (stated == 0) return;
  const double typical = unit_of(stated, work, stated / 2, work + n);
  for (int i = 0; i < n; ++i)
    if (sd[i] > 0) w[i] *= hypot(1, fmin(sd[i] / typical, 1e100)) / sqrt(2);
}

/* Values of one model less that of the centre, in units of a typical one nearby. Larger ones and
 * farther points count less: what a quadratic leaves out grows with both. So do values that are
 * told with a larger standard deviation.
 *
 * work  scratch  [2 n]
 */
static void set_values(int model, const double *far, const double *sd, double at_centre,
                       double *work, local_data *data) {
  const size_t n = (size_t)data->n_of[model], row = (size_t)model * (size_t)data->n;
  double *t = data->t + row, *w = data->w + row;
  double *size = work, *sorted = work + n;
  const double shrink = gannet_transform_unit((int)n, t);
  at_centre *= shrink;
  for (size_t i = 0; i < n; ++i) {
    t[i] = gannet_problem_excess(t[i] * shrink, at_centre);
    size[i] = fabs(t[i]);
  }
  double unit = model > 0 ? unit_of_constraint(data, (int)n, t, far) : 0;
  if (!(unit > 0)) unit = unit_of((int)n, size, typical_rank(data, (int)n), sorted);
  unit = fmax(unit, rounding * fabs(at_centre));
  for (size_t i = 0; i < n; ++i) {
    t[i] = fmin(fmax(t[i] / unit, -1e300), 1e300);
    const double beyond = fmax(1, far[i] / data->span);
    w[i] = fmax(1, fabs(t[i])) * beyond * beyond;
  }
  weigh_by_error_bars((int)n, sd, work, w);
  if (model == 0)
    data->unit = fmin(unit / shrink, DBL_MAX);
  else
    data->threshold[model] = -at_centre / unit;
}

/* The standard deviations that were told of the quantity of a model, 0 = not told; variable
 * constraints have none. */
static void find_error_bars(const gannet_history *history, int model, const local_data *data,
                            double *sd) {
  const gannet_problem *problem = gannet_history_problem(history);
  int constraint = -1; /* the objective */
  if (model > 0) (void)gannet_problem_find_bound(problem, model - 1, &constraint);
  for (int i = 0; i < data->n; ++i)
    sd[i] =
        model <= problem->n_bounds ? gannet_history_sd(history, data->id[i])[constraint + 1] : 0;
}

static gannet_err set_observations(const gannet_history *history, const place *places,
                                   local_data *data) {
  const gannet_problem *problem = gannet_history_problem(history);
  const size_t n = (size_t)data->n, models = (size_t)data->n_models;
  const size_t rows = (size_t)gannet_allowed_count_rows(problem), d = (size_t)problem->d;
  double *work = NULL;
  GANNET_TRY(gannet_alloc(5 * n + models + rows * d, sizeof *work, &work));
  double *all_far = work, *sd = work + 3 * n, *far = work + 4 * n;
  double *bounds = work + 5 * n, *slopes = bounds + models;
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
  gannet_err err = GANNET_OK;
  for (int j = 0; j < data->n_models && err == GANNET_OK; ++j) {
    memcpy(far, all_far, n * sizeof *far);
    find_error_bars(history, j, data, sd);
    err = keep_known(j, sd, far, data);
    if (err == GANNET_OK) set_values(j, far, sd, data->t[(size_t)j * n], work + n, data);
  }
  gannet_free(&work);
  return err;
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

/* Take coordinates of variables that are inactive at the centre out of those that are modelled,
 * unless none is left: where all of them are inactive, proposals repeat the centre, and others are
 * chosen. */
static gannet_err leave_out_inactive(const gannet_problem *problem, const double *centre,
                                     bool *modelled) {
  double *moves = NULL;
  int n = 0;
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *moves, &moves));
  for (int k = 0; k < problem->d; ++k) moves[k] = modelled[k];
  gannet_conditional_hold(problem, centre, moves);
  for (int k = 0; k < problem->d; ++k) n += moves[k] > 0 && !gannet_allowed_depends(problem, k);
  for (int k = 0; k < problem->d && n > 0; ++k) modelled[k] = moves[k] > 0;
  gannet_free(&moves);
  return GANNET_OK;
}

gannet_err local_data_count_near(const gannet_history *history, int64_t centre_id, double radius,
                                 int64_t *n, int *d) {
  const gannet_problem *problem = gannet_history_problem(history);
  const double *centre = gannet_history_x_unit(history, centre_id);
  bool *modelled = NULL;
  *n = 0;
  GANNET_TRY(gannet_alloc((size_t)problem->d, sizeof *modelled, &modelled));
  *d = local_data_coordinates(problem, modelled);
  for (int64_t id = 0; id < gannet_history_count(history); ++id) {
    const double *x = gannet_history_x_unit(history, id);
    bool near = gannet_history_get(history, id)->status != GANNET_EVAL_PENDING &&
                is_comparable(problem->d, modelled, centre, x);
    for (int k = 0; k < problem->d && near; ++k) near = fabs(x[k] - centre[k]) <= radius;
    *n += near;
  }
  gannet_free(&modelled);
  return GANNET_OK;
}

gannet_err local_data_collect(const gannet_history *history, bool noisy, int64_t centre_id,
                              const bool *searched, local_data *data) {
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
  GANNET_TRY(leave_out_inactive(problem, data->centre, data->modelled));
  for (int k = 0; k < problem->d; ++k)
    if (data->modelled[k] && !gannet_allowed_depends(problem, k)) data->coordinate[data->d++] = k;

  const int full = gannet_quadratic_coefficients(data->d, true);
  const int coefficients = full <= FULL_MOST ? full : gannet_quadratic_coefficients(data->d, false);
  const int most = 2 * coefficients + 10;
  GANNET_TRY(gannet_alloc((size_t)gannet_history_count(history), sizeof *places, &places));
  const int comparable = sort_comparable(history, data, searched, places);
  data->n = comparable < most ? comparable : most;

  const size_t models = (size_t)data->n_models, rows = (size_t)data->n;
  gannet_err err = gannet_alloc(rows, sizeof *data->id, &data->id);
  if (err == GANNET_OK) err = gannet_alloc(rows * (size_t)data->d, sizeof(double), &data->u);
  if (err == GANNET_OK) err = gannet_alloc(models * rows, sizeof(double), &data->t);
  if (err == GANNET_OK) err = gannet_alloc(models * rows, sizeof(double), &data->w);
  if (err == GANNET_OK) err = gannet_alloc(models, sizeof(double), &data->threshold);
  if (err == GANNET_OK) err = gannet_alloc(models, sizeof *data->n_of, &data->n_of);
  if (err == GANNET_OK) err = gannet_alloc(models, sizeof *data->u_of, &data->u_of);
  if (err == GANNET_OK) err = set_observations(history, places, data);
  gannet_free(&places);
  return err;
}

void local_data_release(local_data *data) {
  gannet_free(&data->coordinate);
  gannet_free(&data->modelled);
  for (int j = 0; data->u_of && j < data->n_models; ++j)
    if (data->u_of[j] != data->u) gannet_free(&data->u_of[j]);
  gannet_free(&data->u_of);
  gannet_free(&data->n_of);
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

/* The radius u at which error s = (1/2) curvature s u^2; hyperparameters are logarithms to base
 * 10. */
double local_noise_radius(const local_data *data, const gannet_quadratic *objective) {
  const double *hyper = objective->hyper;
  return least_share * data->span *
         sqrt(2 * pow(10, hyper[GANNET_QUADRATIC_ERROR] - hyper[GANNET_QUADRATIC_CURVATURE]));
}
