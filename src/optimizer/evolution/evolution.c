#include "optimizer/evolution/evolution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "linalg/eigen.h"
#include "optimizer/evolution/ranking_model.h"
#include "problem/objectives.h"
#include "problem/runs.h"
#include "surrogate/models/quadratic/quadratic.h"

/* Most points of a generation, and most variables, whose quadratic model has 253 coefficients. */
enum { POPULATION_MOST = 256, D_MOST = 21 };
/* Kendall's rank correlation from which the model ranks well enough (Hansen 2019), and the fewest
 * results that it is found from. */
static const double good_correlation = 0.85;
enum { CORRELATED_LEAST = 15 };
/* Where it begins: share of the results whose covariance is taken, weight of a round one in it, and
 * step size. */
static const double elite = 1.0 / 3, round_part = 0.01, first_step = 0.5;
/* Standard deviations, per square root of d, from which the best point of all is elsewhere: one
 * that came from the population, and one that other members found. */
static const double elsewhere = 8, aside = 2;
/* Least standard deviation, and least ratio of two, in ranges of the variables. */
static const double shortest = 1e-11, flattest = 1e-7;

/* How the generation under way is saved, and the step size. */
typedef struct {
  double step;        /* step size; 0 = not begun */
  int64_t generation; /* its number */
  int64_t since;      /* generation of the last beginning */
  int population;     /* its points, the last of which minimises the model */
  int64_t known;      /* evaluations that there were when it was made */
} evolution_state;

static const gannet_struct_field state_fields[] = {
    {.name = "step", GANNET_STRUCT_AT(evolution_state, step, REAL), .upper = 1e6},
    {.name = "generation", GANNET_STRUCT_AT(evolution_state, generation, LARGE)},
    {.name = "since", GANNET_STRUCT_AT(evolution_state, since, LARGE)},
    {.name = "population",
     GANNET_STRUCT_AT(evolution_state, population, INT),
     .upper = POPULATION_MOST},
    {.name = "known", GANNET_STRUCT_AT(evolution_state, known, LARGE)},
    {0}};

struct gannet_evolution {
  const gannet_context *context;
  const gannet_history *history;
  int member, d;
  evolution_state state;
  double *mean, *path, *step_path; /* [d] */
  double *shape;                   /* [d][d] covariance over the square of the step size */
  int64_t *id;      /* [POPULATION_MOST] evaluation of each point, -1 = not proposed */
  size_t n_numbers; /* of mean, paths and shape, one behind the other */
};

bool gannet_evolution_is_idle(const gannet_problem *problem) {
  return problem->d < 2 || problem->d > D_MOST || problem->n_continuous < problem->d ||
         problem->n_bounds > 0 || problem->variable_constraints || problem->pool ||
         gannet_problem_n_objectives(problem) > 1;
}

gannet_err gannet_evolution_create(const gannet_context *context, const gannet_history *history,
                                   int member, gannet_evolution **evolution) {
  gannet_evolution *e = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *e, &e));
  *evolution = e;
  e->context = context;
  e->history = history;
  e->member = member;
  e->d = gannet_history_problem(history)->d;
  const size_t d = (size_t)e->d;
  e->n_numbers = 3 * d + d * d;
  gannet_err err = gannet_alloc(e->n_numbers, sizeof *e->mean, &e->mean);
  if (err == GANNET_OK) err = gannet_alloc(POPULATION_MOST, sizeof *e->id, &e->id);
  if (err != GANNET_OK) {
    gannet_evolution_destroy(evolution);
    return err;
  }
  e->path = e->mean + d;
  e->step_path = e->path + d;
  e->shape = e->step_path + d;
  gannet_struct_reset(state_fields, &e->state);
  for (int j = 0; j < POPULATION_MOST; ++j) e->id[j] = -1;
  return GANNET_OK;
}

void gannet_evolution_destroy(gannet_evolution **evolution) {
  if (!*evolution) return;
  gannet_free(&(*evolution)->mean);
  gannet_free(&(*evolution)->id);
  gannet_free(evolution);
}

/* The generation under way, and its model. */
typedef struct {
  gannet_evolution *evolution;
  evolution_metric metric;
  double *axes, *length; /* of the metric */
  double *model;         /* [p] */
  double *x, *z;         /* [population][d] its points, in the cube and in the metric */
  double *rank_by;       /* [population] what it is ranked by */
  int *order;            /* [population] best first */
  double *spare;         /* [3 POPULATION_MOST] workspace */
  double *memory;
} generation;

static gannet_err generation_create(gannet_evolution *e, generation *g) {
  const size_t d = (size_t)e->d, p = (size_t)gannet_quadratic_coefficients(e->d, true);
  const size_t points = POPULATION_MOST;
  g->evolution = e;
  GANNET_TRY(gannet_alloc(points, sizeof *g->order, &g->order));
  GANNET_TRY(
      gannet_alloc(2 * d * d + d + p + 2 * points * d + 4 * points, sizeof(double), &g->memory));
  double *next = g->memory;
  g->axes = next, next += d * d;
  g->length = next, next += d;
  g->model = next, next += p;
  g->x = next, next += points * d;
  g->z = next, next += points * d;
  g->rank_by = next, next += points;
  g->spare = next;
  g->metric = (evolution_metric){e->d, e->mean, g->axes, g->length};
  return GANNET_OK;
}

/* Begin anew: the best result is the mean, and the covariance is that of the best results around
 * it, whose weights fall with the logarithm of their rank. */
static gannet_err begin(gannet_evolution *e) {
  const int d = e->d;
  const int64_t feasible = gannet_history_count_feasible(e->history);
  int64_t *ids = NULL, n = 0, most = (int64_t)(elite * (double)feasible);
  double sum = 0, trace = 0;
  GANNET_REQUIRE(feasible > 0, GANNET_ERR_NUMERIC, "no evaluation has succeeded");
  GANNET_TRY(gannet_history_rank(e->history, &ids, &n));
  if (most < 2 * d) most = 2 * d < feasible ? 2 * d : feasible;
  if (most > n) most = n;
  memset(e->mean, 0, e->n_numbers * sizeof *e->mean);
  memcpy(e->mean, gannet_history_x_unit(e->history, ids[0]), (size_t)d * sizeof *e->mean);
  for (int64_t i = 0; i < most; ++i) {
    const double *x = gannet_history_x_unit(e->history, ids[i]);
    const double weight = log((double)most + 1) - log((double)i + 1);
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l)
        e->shape[k * d + l] += weight * ((x[k] - e->mean[k]) * (x[l] - e->mean[l]));
    sum += weight;
  }
  gannet_free(&ids);
  for (int k = 0; k < d * d; ++k) e->shape[k] /= sum;
  for (int k = 0; k < d; ++k) trace += e->shape[k * d + k] / d;
  for (int k = 0; k < d; ++k) e->shape[k * d + k] += trace > 0 ? round_part * trace : 1e-4;
  e->state.step = first_step;
  e->state.since = e->state.generation;
  e->state.population = 0;
  return GANNET_OK;
}

/* Axes and their lengths; *open is false when nothing can be drawn from them any more. */
static gannet_err set_metric(generation *g, bool *open) {
  const gannet_evolution *e = g->evolution;
  memcpy(g->axes, e->shape, (size_t)e->d * (size_t)e->d * sizeof *g->axes);
  GANNET_TRY(gannet_eigen_symmetric(e->d, g->axes, g->length));
  const double longest = sqrt(fmax(0, g->length[e->d - 1]));
  for (int k = 0; k < e->d; ++k)
    g->length[k] = e->state.step * fmax(sqrt(fmax(0, g->length[k])), flattest * longest);
  *open = isfinite(longest) && e->state.step * longest > shortest;
  return GANNET_OK;
}

static double size_of(int d, const double *z) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += z[k] * z[k];
  return sqrt(sum);
}

/* A point of the cube by its coordinates in the metric, which change where it is outside. */
static void place(const generation *g, double *z, double *x) {
  const int d = g->evolution->d;
  for (int i = 0; i < d; ++i) {
    x[i] = g->evolution->mean[i];
    for (int k = 0; k < d; ++k) x[i] += g->axes[k * d + i] * g->length[k] * z[k];
    x[i] = fmin(fmax(x[i], 0), 1);
  }
  evolution_to_metric(&g->metric, x, z);
}

static void draw(const generation *g, int64_t number, double *z, double *x) {
  const gannet_evolution *e = g->evolution;
  gannet_stream stream = gannet_context_stream(e->context, GANNET_FOR_EVOLUTION,
                                               (uint64_t)e->state.generation, (uint64_t)e->member);
  gannet_random_normal(stream, (uint64_t)number * (uint64_t)e->d, (size_t)e->d, z);
  place(g, z, x);
}

/* The points of the generation. Those that are proposed are where they were proposed. */
static gannet_err set_population(generation *g) {
  const gannet_evolution *e = g->evolution;
  const size_t d = (size_t)e->d;
  GANNET_TRY(evolution_fit(e->history, &g->metric, e->state.known, g->model));
  for (int j = 0; j < e->state.population; ++j) {
    double *x = g->x + (size_t)j * d, *z = g->z + (size_t)j * d;
    if (e->id[j] >= 0) {
      memcpy(x, gannet_history_x_unit(e->history, e->id[j]), d * sizeof *x);
      evolution_to_metric(&g->metric, x, z);
    } else if (j + 1 < e->state.population) {
      draw(g, j, z, x);
    } else {
      GANNET_TRY(evolution_minimise(e->d, g->model, sqrt(e->d) + 1, z));
      place(g, z, x);
    }
  }
  return GANNET_OK;
}

static bool is_told(const gannet_history *history, int64_t id) {
  return id >= 0 && id < gannet_history_count(history) &&
         gannet_history_get(history, id)->status != GANNET_EVAL_PENDING;
}

static double value_of(const gannet_history *history, int64_t id) {
  if (!gannet_history_is_feasible(history, id)) return INFINITY;
  return gannet_problem_flip(gannet_history_problem(history),
                             gannet_history_get(history, id)->objective);
}

/* Kendall's rank correlation of the model and the last results within its reach. */
static double correlation(const generation *g, int told) {
  const gannet_evolution *e = g->evolution;
  double *predicted = g->spare, *value = predicted + POPULATION_MOST;
  double *z = value + POPULATION_MOST;
  const int wide = (int)fmin(1.2 * told, 0.75 * e->state.population);
  const int most = wide > CORRELATED_LEAST ? wide : CORRELATED_LEAST;
  int n = 0, sum = 0;
  for (int64_t id = gannet_history_count(e->history) - 1; id >= 0 && n < most; --id) {
    if (!gannet_history_is_feasible(e->history, id)) continue;
    evolution_to_metric(&g->metric, gannet_history_x_unit(e->history, id), z);
    if (!(size_of(e->d, z) <= 0.5 * elsewhere * sqrt(e->d))) continue;
    predicted[n] = evolution_predict(e->d, g->model, z);
    value[n++] = value_of(e->history, id);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = predicted[i] - predicted[j], b = value[i] - value[j];
      sum += ((a > 0) - (a < 0)) * ((b > 0) - (b < 0));
    }
  return n > 1 ? 2.0 * sum / ((double)n * (n - 1)) : 0;
}

/* Whether the generation can be ended: the model, which has not seen its results, ranks well, or
 * there are results of all of its points, or of most where some may never come. */
static bool is_complete(const generation *g, bool *all_told) {
  const gannet_evolution *e = g->evolution;
  int proposed = 0, told = 0;
  for (int j = 0; j < e->state.population; ++j) {
    proposed += e->id[j] >= 0;
    told += is_told(e->history, e->id[j]);
  }
  *all_told = told == e->state.population;
  if (told == 0) return false;
  if (proposed == e->state.population && 2 * told > proposed) return true;
  return correlation(g, told) >= good_correlation;
}

/* Order the points of the generation by their values where all are known, otherwise by the model;
 * failures come last. */
static void rank_population(const generation *g, bool by_values) {
  const gannet_evolution *e = g->evolution;
  for (int j = 0; j < e->state.population; ++j) {
    const bool told = is_told(e->history, e->id[j]);
    const double value = told ? value_of(e->history, e->id[j]) : 0;
    g->rank_by[j] = by_values || isinf(value)
                        ? value
                        : evolution_predict(e->d, g->model, g->z + (size_t)j * (size_t)e->d);
    int at = j;
    for (; at > 0 && g->rank_by[j] < g->rank_by[g->order[at - 1]]; --at)
      g->order[at] = g->order[at - 1];
    g->order[at] = j;
  }
}

/* Move mean, paths, covariance and step size by the better half of a ranked generation (Hansen
 * 2016, equations 38 to 47); points that were not drawn, as the model's minimiser, count as far
 * as they could have been drawn (Hansen 2011). While the path stands still, equation 47 shrinks the
 * covariance a little less; that was tried without gain. */
static void update(generation *g) {
  gannet_evolution *e = g->evolution;
  const int d = e->d, half = e->state.population / 2;
  double weight[POPULATION_MOST / 2], sum = 0, squares = 0;
  for (int i = 0; i < half; ++i) sum += weight[i] = log(half + 0.5) - log(i + 1);
  for (int i = 0; i < half; ++i) {
    weight[i] /= sum;
    squares += weight[i] * weight[i];
  }
  const double n = d, mass = 1 / squares;
  const double c_step = (mass + 2) / (n + mass + 5);
  const double damping = 1 + c_step + 2 * fmax(0, sqrt((mass - 1) / (n + 1)) - 1);
  const double c_path = (4 + mass / n) / (n + 4 + 2 * mass / n);
  const double c_one = 2 / ((n + 1.3) * (n + 1.3) + mass);
  const double c_half = fmin(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) * (n + 2) + mass));
  const double expected = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
  const double longest = sqrt(n) + 2 * n / (n + 2);
  double *moved = g->spare, *drawn = moved + d, *y = drawn + d;
  memset(moved, 0, 2 * (size_t)d * sizeof *moved);
  for (int k = 0; k < d * d; ++k) e->shape[k] *= 1 - c_one - c_half;
  for (int i = 0; i < half; ++i) {
    const size_t row = (size_t)g->order[i] * (size_t)d;
    const double part = fmin(1, longest / fmax(size_of(d, g->z + row), 1e-300));
    for (int k = 0; k < d; ++k) {
      y[k] = part * (g->x[row + (size_t)k] - e->mean[k]) / e->state.step;
      moved[k] += weight[i] * y[k];
      drawn[k] += weight[i] * part * g->z[row + (size_t)k];
    }
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l) e->shape[k * d + l] += c_half * weight[i] * (y[k] * y[l]);
  }
  const double keep = sqrt(c_step * (2 - c_step) * mass);
  for (int i = 0; i < d; ++i) {
    double turned = 0;
    for (int k = 0; k < d; ++k) turned += g->axes[k * d + i] * drawn[k];
    e->step_path[i] = (1 - c_step) * e->step_path[i] + keep * turned;
    e->mean[i] = fmin(fmax(e->mean[i] + e->state.step * moved[i], 0), 1);
  }
  const double updates = (double)(e->state.generation - e->state.since);
  const double length = size_of(d, e->step_path);
  const bool slow =
      length / sqrt(1 - pow(1 - c_step, 2 * updates)) < (1.4 + 2 / (n + 1)) * expected;
  for (int k = 0; k < d; ++k)
    e->path[k] =
        (1 - c_path) * e->path[k] + (slow ? sqrt(c_path * (2 - c_path) * mass) * moved[k] : 0);
  for (int k = 0; k < d; ++k)
    for (int l = 0; l < d; ++l) e->shape[k * d + l] += c_one * (e->path[k] * e->path[l]);
  e->state.step *= exp(fmin(0.6, c_step / damping * (length / expected - 1)));
  e->state.population = 0;
}

/* A metric to draw from: it begins anew where nothing can be drawn, or the best point is at a place
 * that the distribution does not reach. */
static gannet_err make_metric(generation *g) {
  const gannet_evolution *e = g->evolution;
  bool open = e->state.step > 0;
  if (open) GANNET_TRY(set_metric(g, &open));
  if (open) {
    const int64_t best = gannet_history_best(e->history);
    evolution_to_metric(&g->metric, gannet_history_x_unit(e->history, best), g->spare);
    int64_t last = e->state.known - 1; /* of its own evaluations */
    for (int j = 0; j < POPULATION_MOST; ++j) last = e->id[j] > last ? e->id[j] : last;
    const double far = best > last ? aside : elsewhere;
    if (size_of(e->d, g->spare) <= far * sqrt(e->d)) return GANNET_OK;
  }
  GANNET_TRY(begin(g->evolution));
  GANNET_TRY(set_metric(g, &open));
  GANNET_REQUIRE(open, GANNET_ERR_NUMERIC, "the best results are all at one point");
  return GANNET_OK;
}

/* End the generation under way if that can be done. */
static gannet_err end_generation(generation *g) {
  gannet_evolution *e = g->evolution;
  bool all_told = false;
  if (e->state.population == 0) return GANNET_OK;
  GANNET_TRY(set_population(g));
  if (!is_complete(g, &all_told)) return GANNET_OK;
  GANNET_TRY(evolution_fit(e->history, &g->metric, gannet_history_count(e->history), g->model));
  rank_population(g, all_told);
  update(g);
  return make_metric(g);
}

static gannet_err begin_generation(generation *g, int q) {
  gannet_evolution *e = g->evolution;
  if (e->state.population > 0) return GANNET_OK;
  const int usual = 4 + (int)(3 * log(e->d)),
            wide = q < POPULATION_MOST / 2 ? 2 * q : POPULATION_MOST;
  e->state.generation += 1;
  e->state.population = wide > usual ? wide : usual;
  e->state.known = gannet_history_count(e->history);
  for (int j = 0; j < POPULATION_MOST; ++j) e->id[j] = -1;
  return set_population(g);
}

/* Options for q points, by one rank. */
static gannet_err propose(generation *g, int64_t first_id, int q, double *options) {
  gannet_evolution *e = g->evolution;
  const size_t d = (size_t)e->d;
  GANNET_TRY(make_metric(g));
  GANNET_TRY(end_generation(g));
  GANNET_TRY(begin_generation(g, q));
  GANNET_TRY(evolution_fit(e->history, &g->metric, gannet_history_count(e->history), g->model));
  rank_population(g, false);
  const int64_t count = gannet_history_count(e->history) - e->state.known;
  int next = 0;
  for (int i = 0; i < q; ++i) {
    while (next < e->state.population && e->id[g->order[next]] >= 0) ++next;
    for (int k = 0; k < GANNET_EVOLUTION_OPTIONS; ++k) {
      double *x = options + ((size_t)i * GANNET_EVOLUTION_OPTIONS + (size_t)k) * d;
      const int64_t number = (count + i) * GANNET_EVOLUTION_OPTIONS + k;
      if (k == 0 && next < e->state.population)
        memcpy(x, g->x + (size_t)g->order[next] * d, d * sizeof *x);
      else
        draw(g, POPULATION_MOST + number, g->spare, x);
    }
    if (next < e->state.population) e->id[g->order[next]] = first_id + i;
  }
  return GANNET_OK;
}

gannet_err gannet_evolution_propose(gannet_evolution *e, int64_t first_id, int q, double *x_unit) {
  const MPI_Comm comm = e->context->comm;
  const size_t length = (size_t)q * GANNET_EVOLUTION_OPTIONS * (size_t)e->d;
  gannet_err err = GANNET_OK;
  if (e->context->rank == 0) {
    generation g = {0};
    err = generation_create(e, &g);
    if (err == GANNET_OK) err = propose(&g, first_id, q, x_unit);
    gannet_free(&g.order);
    gannet_free(&g.memory);
  }
  GANNET_TRY(gannet_agree(comm, err));
  GANNET_TRY(gannet_bytes_broadcast(comm, 0, length * sizeof *x_unit, x_unit));
  GANNET_TRY(gannet_bytes_broadcast(comm, 0, sizeof e->state, &e->state));
  GANNET_TRY(gannet_bytes_broadcast(comm, 0, POPULATION_MOST * sizeof *e->id, e->id));
  return gannet_bytes_broadcast(comm, 0, e->n_numbers * sizeof *e->mean, e->mean);
}

/* The name of number i of mean, paths and shape; false for the lower triangle of the shape, which
 * is that of the upper one. */
static bool name_number(int d, int i, char *name, size_t size) {
  static const char *const vectors[] = {"mean", "path", "step_path"};
  const int row = (i - 3 * d) / d, column = i % d;
  if (i < 3 * d)
    (void)snprintf(name, size, "%s_%d", vectors[i / d], column);
  else
    (void)snprintf(name, size, "shape_%d_%d", row, column);
  return i < 3 * d || row <= column;
}

gannet_err gannet_evolution_get_state(const gannet_evolution *e, const char *part,
                                      gannet_state *state) {
  char name[32];
  GANNET_TRY(gannet_state_put_fields(state, part, state_fields, &e->state));
  for (int i = 0; i < (int)e->n_numbers && e->state.step > 0; ++i)
    if (name_number(e->d, i, name, sizeof name))
      GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, e->mean[i]));
  for (int j = 0; j < e->state.population; ++j) {
    if (e->id[j] < 0) continue;
    (void)snprintf(name, sizeof name, "point_%d", j);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_WHOLE, (double)e->id[j]));
  }
  return GANNET_OK;
}

/* It begins anew where a number is absent, or of a generation that the history does not know. */
gannet_err gannet_evolution_set_state(gannet_evolution *e, const char *part, gannet_state *state) {
  const int64_t count = gannet_history_count(e->history);
  char name[32];
  bool complete = true;
  GANNET_TRY(gannet_state_take_fields(state, part, state_fields, &e->state));
  for (int i = 0; i < (int)e->n_numbers && e->state.step > 0; ++i) {
    if (name_number(e->d, i, name, sizeof name))
      complete =
          gannet_state_find(state, part, name, &e->mean[i]) && isfinite(e->mean[i]) && complete;
    else
      e->mean[i] = e->shape[(i - 3 * e->d) % e->d * e->d + (i - 3 * e->d) / e->d];
  }
  if (!complete || e->state.known < 0 || e->state.known > count || e->state.since < 0 ||
      e->state.since > e->state.generation)
    gannet_struct_reset(state_fields, &e->state);
  for (int j = 0; j < POPULATION_MOST; ++j) {
    double id = -1;
    (void)snprintf(name, sizeof name, "point_%d", j);
    e->id[j] = -1;
    if (j < e->state.population && gannet_state_find(state, part, name, &id) && id >= 0 &&
        id < (double)count)
      e->id[j] = (int64_t)id;
  }
  return GANNET_OK;
}
