#include "optimizer/local/local.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/partition.h"
#include "minimize/box_newton.h"
#include "optimizer/local/basins.h"
#include "optimizer/local/local_data.h"
#include "optimizer/models/convergence.h"
#include "problem/variable_constraints.h"
#include "search/distinct.h"
#include "search/merit_rank.h"
#include "surrogate/models/quadratic/quadratic.h"

/* Half the side of the box, in the unit cube; the first is also the most in another basin than that
 * of the best result. */
#define FIRST_RADIUS 0.2
static const double largest_radius = 0.5, smallest_radius = 1e-9;
/* A box shrinks only when KNOWN_LEAST results for each coefficient of a linear model lie within
 * known_around times its size. */
static const double known_around = 2;
enum { KNOWN_LEAST = 2 };
/* Rounds of the search for hyperparameters, and points from which a draw is minimised. */
enum { ROUNDS = 2, STARTS = 4, NEWTON_STEPS = 60 };
/* Evaluations that a batch may be behind those under way before it is no longer waited for. */
static const double patience = 16;
/* Weight of squared violations, in the units of the models; rounds in which the bounds are moved by
 * what the penalty leaves of the violation, and inwards, so that points do not end outside. */
static const double penalty = 1e4;
enum { MULTIPLIER_ROUNDS = 4, SHIFTS = 3 };
/* How rounded the penalty is to begin with, where the best of several minima is chosen, and at the
 * end; each step divides by ten. In the units of the models. */
static const double roundest = 1, chosen = 1e-2, sharpest = 1e-9;

/* The state that is saved: the size of the box, and the predictions for the batch by which that
 * size will be judged. */
typedef struct {
  double radius;           /* half the side of the box, in the unit cube */
  int64_t first_id, count; /* of that batch; no points = none is waited for */
  int64_t from;            /* evaluation from which it started */
  double predicted;        /* decrease of the objective at its first point */
  double deviation;        /* standard deviation of the model there */
  bool at_edge;            /* that point was at the edge of the box */
  int64_t centre;          /* evaluation around which the last box lay, -1 = none */
} local_state;

/* How it is saved. */
static const gannet_struct_field local_state_fields[] = {
    {.name = "radius",
     GANNET_STRUCT_AT(local_state, radius, REAL),
     .fallback = FIRST_RADIUS,
     .upper = 0.5},
    {.name = "first_id", GANNET_STRUCT_AT(local_state, first_id, LARGE)},
    {.name = "count", GANNET_STRUCT_AT(local_state, count, LARGE)},
    {.name = "from", GANNET_STRUCT_AT(local_state, from, LARGE)},
    {.name = "predicted", GANNET_STRUCT_AT(local_state, predicted, REAL)},
    {.name = "deviation", GANNET_STRUCT_AT(local_state, deviation, REAL)},
    {.name = "at_edge", GANNET_STRUCT_AT(local_state, at_edge, TRUTH)},
    {.name = "centre", GANNET_STRUCT_AT(local_state, centre, LARGE), .fallback = -1},
    {0}};

struct gannet_local {
  const gannet_context *context;
  const gannet_history *history;
  gannet_noise_test *noise_test;
  const gannet_problem *problem;
  int member, n_models;
  local_state state;
  double *hyper;       /* [n_models][GANNET_QUADRATIC_HYPER] */
  gannet_local *other; /* searches other basins than that of the best result; NULL: this is it */
};

static gannet_err create_search(const gannet_context *context, const gannet_history *history,
                                gannet_noise_test *noise_test, int member, gannet_local **local) {
  gannet_local *l = NULL;
  GANNET_TRY(gannet_alloc(1, sizeof *l, &l));
  *local = l;
  l->context = context;
  l->history = history;
  l->noise_test = noise_test;
  l->problem = gannet_history_problem(history);
  l->member = member;
  l->n_models = local_data_count_models(l->problem);
  gannet_struct_reset(local_state_fields, &l->state);
  const size_t length = (size_t)l->n_models * GANNET_QUADRATIC_HYPER;
  const gannet_err err = gannet_alloc(length, sizeof *l->hyper, &l->hyper);
  for (size_t i = 0; err == GANNET_OK && i < length; ++i)
    l->hyper[i] = gannet_quadratic_start[i % GANNET_QUADRATIC_HYPER];
  return err;
}

gannet_err gannet_local_create(const gannet_context *context, const gannet_history *history,
                               gannet_noise_test *noise_test, int member, gannet_local **local) {
  gannet_err err = create_search(context, history, noise_test, member, local);
  if (err == GANNET_OK) err = create_search(context, history, noise_test, member, &(*local)->other);
  if (err != GANNET_OK) gannet_local_destroy(local);
  return err;
}

void gannet_local_destroy(gannet_local **local) {
  if (!*local) return;
  gannet_local_destroy(&(*local)->other);
  gannet_free(&(*local)->hyper);
  gannet_free(local);
}

/* Whether the last batch has all its results, and the most that one of its points achieved of what
 * was predicted: the decrease of the objective as a share of the predicted one, or of the violation
 * where the batch started from a place that was not feasible. */
static gannet_err find_achievement(const gannet_local *l, bool *told, double *most) {
  const int64_t first = l->state.first_id, n = l->state.count;
  const int64_t count = gannet_history_count(l->history);
  gannet_merit_rank *merits = NULL;
  *told = n > 0 && first + n <= count;
  *most = 0;
  for (int64_t id = first; id < first + n && *told; ++id)
    *told = gannet_history_get(l->history, id)->status != GANNET_EVAL_PENDING;
  if (!*told) return GANNET_OK;
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *merits, &merits));
  const gannet_err err = gannet_merit_rank_all(l->history, 0, merits);
  for (int64_t id = first; id < first + n && err == GANNET_OK; ++id) {
    const gannet_merit_rank *from = &merits[l->state.from], *point = &merits[id];
    if (!gannet_merit_rank_is_better(point, from)) continue;
    const double decrease = from->value - point->value;
    if (from->violation > 0)
      *most = fmax(*most, 1 - point->violation / from->violation);
    else if (decrease > 0)
      *most = fmax(*most, decrease / fmax(l->state.predicted, 1e-300));
  }
  gannet_free(&merits);
  return err;
}

/* Adapt the box to what the last batch achieved: it grows where a step to the edge did what was
 * predicted, and shrinks where the model was sure and wrong; where the model was not sure, the
 * failure taught it something, and the box shrinks less. A box with few results may not shrink: the
 * model may be wrong because it knows too little of the box, and not because the box is too large
 * (Conn, Scheinberg, Vicente 2009, chapter 10). */
static gannet_err adapt_radius(gannet_local *l) {
  double most = 0, *radius = &l->state.radius;
  int64_t known = 0;
  int d = 0;
  bool told = false;
  GANNET_TRY(find_achievement(l, &told, &most));
  if (!told) return GANNET_OK;
  if (most >= 0.5) {
    if (l->state.at_edge) *radius *= 2;
  } else if (most < 0.05) {
    GANNET_TRY(
        local_data_count_near(l->history, l->state.from, known_around * *radius, &known, &d));
    if (known >= KNOWN_LEAST * (d + 1))
      *radius *= l->state.deviation < l->state.predicted ? 0.5 : 0.85;
  }
  *radius = fmin(fmax(*radius, smallest_radius), largest_radius);
  l->state.count = 0;
  return GANNET_OK;
}

/* When others have found a better place the box must be able to grow from there. */
static void follow_centre(gannet_local *l, const local_data *data) {
  const int64_t before = l->state.centre;
  if (before >= 0 && before != data->centre_id) {
    const double *old = gannet_history_x_unit(l->history, before);
    double jump = 0;
    for (int k = 0; k < l->problem->d; ++k)
      if (data->modelled[k]) jump = fmax(jump, fabs(old[k] - data->centre[k]));
    l->state.radius = fmin(fmax(l->state.radius, 0.5 * jump), largest_radius);
  }
  l->state.centre = data->centre_id;
}

/* What a Newton search minimises: a draw of the objective, and the means of the constraints. */
typedef struct {
  const gannet_quadratic *model; /* [n_models] */
  int n_models;
  double **draw;             /* [n_models] coefficients */
  double *bound;             /* [n_models] below which constraints are kept, less some */
  double round;              /* of the hinge, in the units of the models */
  double *gradient, *matrix; /* [d], [d][d] of a constraint */
} merit;

/* max(c, 0) without its kink (Chen, Mangasarian 1996), which would hold a Newton search that starts
 * next to a bound; with both derivatives. */
static double hinge(double c, double round, double *slope, double *bend) {
  const double root = sqrt(c * c + 4 * round * round);
  if (!(root > 0)) return *slope = *bend = 0;
  const double value = c > 0 ? 0.5 * (c + root) : 2 * round * round / (root - c);
  *slope = value / root;
  *bend = 2 * round * round / (root * root * root);
  return value;
}

/* The derivatives of a constraint's penalty are added. */
static void add_derivatives(size_t d, double first, double second, const double *restrict gradient,
                            const double *restrict matrix, double *restrict to_gradient,
                            double *restrict to_matrix) {
  for (size_t k = 0; k < d; ++k) {
    const double weight = second * gradient[k];
    to_gradient[k] += first * gradient[k];
    for (size_t j = 0; j < d; ++j)
      to_matrix[k * d + j] += weight * gradient[j] + first * matrix[k * d + j];
  }
}

static double merit_value(void *user, int n, const double *u, double *gradient, double *hessian) {
  merit *m = user;
  double value = gannet_quadratic_value(&m->model[0], m->draw[0], u, gradient, hessian);
  for (int i = 1; i < m->n_models; ++i) {
    const double c =
        gannet_quadratic_value(&m->model[i], m->draw[i], u, gradient ? m->gradient : NULL,
                               hessian ? m->matrix : NULL) -
        m->bound[i];
    double slope = 0, bend = 0;
    const double h = hinge(c, m->round, &slope, &bend);
    if (!(h > 0)) continue;
    const double first = 2 * penalty * h * slope, second = 2 * penalty * (slope * slope + h * bend);
    value += penalty * h * h;
    if (gradient)
      add_derivatives((size_t)n, first, second, m->gradient, m->matrix, gradient, hessian);
  }
  return value;
}

/* Everything of one proposal; every rank has it. */
typedef struct {
  gannet_local *local;
  const local_basins *basins; /* where the search is another than that around the best point */
  local_data data;
  gannet_quadratic_data *fitted; /* [n_models] */
  gannet_quadratic *model;       /* [n_models] */
  merit merit;
  double *memory;                   /* one allocation for the rest */
  double *lower, *upper, *u, *best; /* [d] of the box, in the coordinates of the models */
  double *snapped;                  /* [problem d] */
  double *normal;                   /* [p] */
  double *work;
  int64_t batch, first_id;
  int q;
  bool alone, failed; /* the only point under way; no start led to a value that is a number */
} proposal;

static gannet_err create_models(proposal *p) {
  const gannet_local *l = p->local;
  const size_t models = (size_t)l->n_models, d = (size_t)p->data.d;
  const bool full = local_data_has_cross_terms(p->data.d, p->data.n_of[0], p->alone);
  GANNET_TRY(gannet_alloc(models, sizeof *p->model, &p->model));
  GANNET_TRY(gannet_alloc(models, sizeof *p->merit.draw, &p->merit.draw));
  GANNET_TRY(gannet_alloc(models, sizeof *p->fitted, &p->fitted));
  for (size_t i = 0; i < models; ++i) {
    const size_t row = i * (size_t)p->data.n;
    p->fitted[i] = (gannet_quadratic_data){p->data.n_of[i], p->data.d, p->data.u_of[i],
                                           p->data.t + row, p->data.w + row};
    GANNET_TRY(gannet_quadratic_create(p->data.d, p->data.n, full, &p->model[i]));
    memcpy(p->model[i].hyper, l->hyper + i * GANNET_QUADRATIC_HYPER, sizeof p->model[i].hyper);
  }
  const size_t size = (size_t)p->model[0].p;
  const size_t length = 5 * d + (size_t)l->problem->d + d * d + models + (models + 1) * size +
                        gannet_box_newton_work(p->data.d);
  GANNET_TRY(gannet_alloc(length, sizeof(double), &p->memory));
  double *next = p->memory;
  p->lower = next, next += d;
  p->upper = next, next += d;
  p->u = next, next += d;
  p->best = next, next += d;
  p->snapped = next, next += l->problem->d;
  p->merit.gradient = next, next += d;
  p->merit.matrix = next, next += d * d;
  p->merit.bound = next, next += models;
  p->normal = next, next += size;
  for (size_t i = 0; i < models; ++i) p->merit.draw[i] = next, next += size;
  p->work = next;
  p->merit.model = p->model;
  p->merit.n_models = l->n_models;
  return GANNET_OK;
}

static void release_proposal(proposal *p) {
  for (int i = 0; p->model && i < p->local->n_models; ++i) gannet_quadratic_release(&p->model[i]);
  gannet_free(&p->model);
  gannet_free(&p->fitted);
  gannet_free(&p->merit.draw);
  gannet_free(&p->memory);
  local_data_release(&p->data);
  p->data = (local_data){0};
}

/* Collective. */
static gannet_err fit_models(proposal *p) {
  const gannet_local *l = p->local;
  GANNET_TRY(gannet_quadratic_fit(l->context->comm, l->n_models, p->model, p->fitted, ROUNDS));
  for (size_t i = 0; i < (size_t)l->n_models; ++i)
    memcpy(l->hyper + i * GANNET_QUADRATIC_HYPER, p->model[i].hyper, sizeof p->model[i].hyper);
  return GANNET_OK;
}

static void set_box(proposal *p) {
  const double radius = p->local->state.radius;
  for (int k = 0; k < p->data.d; ++k) {
    const double x = p->data.centre[p->data.coordinate[k]];
    p->lower[k] = fmax(-radius, -x) / p->data.span;
    p->upper[k] = fmin(radius, 1 - x) / p->data.span;
  }
}

static gannet_stream stream_of(const proposal *p, int point, int what) {
  gannet_stream stream =
      gannet_context_stream(p->local->context, GANNET_FOR_POLISH, (uint64_t)p->batch,
                            ((uint64_t)p->local->member << 32) + (uint64_t)point);
  stream.purpose |= (uint64_t)what << 32;
  return stream;
}

static double minimise_by_newton(proposal *p, double *u) {
  return gannet_box_newton(p->data.d, u, p->lower, p->upper, merit_value, &p->merit, p->work,
                           NEWTON_STEPS);
}

/* By how much constraint i is violated at p->best, after a standard deviation in reserve. */
static double constraint_excess(const proposal *p, int i) {
  return gannet_quadratic_value(&p->model[i], p->merit.draw[i], p->best, NULL, NULL) +
         gannet_quadratic_sd(&p->model[i], p->best, p->normal) - p->data.threshold[i];
}

/* The method of multipliers: a bound is as far inside as keeps p->best where it should be. */
static void adapt_multipliers(proposal *p) {
  for (int round = 0; round < MULTIPLIER_ROUNDS; ++round) {
    for (int i = 1; i < p->local->n_models; ++i)
      p->merit.bound[i] = fmin(p->merit.bound[i] - constraint_excess(p, i), p->data.threshold[i]);
    (void)minimise_by_newton(p, p->best);
  }
}

/* Move the bounds that p->best does not keep, and find the minimum next to it again. */
static void shift_bounds(proposal *p) {
  bool kept = false;
  for (int round = 0; round < SHIFTS && !kept; ++round) {
    kept = true;
    for (int i = 1; i < p->local->n_models; ++i) {
      const double more = constraint_excess(p, i);
      if (!(more > 0)) continue;
      p->merit.bound[i] -= 1.1 * more;
      kept = false;
    }
    if (!kept) (void)minimise_by_newton(p, p->best);
  }
}

static void to_unit_cube(const proposal *p, const double *u, double *x) {
  memcpy(x, p->data.centre, (size_t)p->local->problem->d * sizeof *x);
  for (int k = 0; k < p->data.d; ++k) x[p->data.coordinate[k]] += p->data.span * u[k];
}

/* Round integers, hold them there, and find the minimum over the real variables again. */
static void fix_integers(proposal *p) {
  const gannet_problem *problem = p->local->problem;
  bool has_integers = false;
  to_unit_cube(p, p->best, p->snapped);
  gannet_problem_snap(problem, 1, p->snapped);
  for (int k = 0; k < p->data.d; ++k) {
    const int at = p->data.coordinate[k];
    if (problem->continuous[at]) continue;
    p->lower[k] = p->upper[k] = (p->snapped[at] - p->data.centre[at]) / p->data.span;
    has_integers = true;
  }
  if (has_integers) (void)minimise_by_newton(p, p->best);
}

/* Follow the minima of ever sharper penalties; returns the value of the last. */
static double sharpen_penalty(proposal *p, double *u, double from, double to) {
  double value = INFINITY;
  for (double round = from; round > 0.5 * to; round /= 10) {
    p->merit.round = round;
    value = minimise_by_newton(p, u);
  }
  return value;
}

/* The best minimum from the centre and from random points of the box, into p->best. */
static void find_minimum(proposal *p, int point) {
  const size_t d = (size_t)p->data.d;
  const bool constrained = p->local->n_models > 1;
  double least = INFINITY;
  set_box(p);
  memcpy(p->merit.bound, p->data.threshold, (size_t)p->local->n_models * sizeof *p->merit.bound);
  for (int s = 0; s < STARTS; ++s) {
    gannet_random_uniform(stream_of(p, point, 0), (uint64_t)s * d, d, p->u);
    for (size_t k = 0; k < d; ++k)
      p->u[k] = s == 0 ? 0 : p->lower[k] + p->u[k] * (p->upper[k] - p->lower[k]);
    const double value =
        constrained ? sharpen_penalty(p, p->u, roundest, chosen) : minimise_by_newton(p, p->u);
    if (!(value < least)) continue;
    least = value;
    memcpy(p->best, p->u, d * sizeof *p->best);
  }
  p->failed = p->failed || !isfinite(least);
  fix_integers(p);
  if (!constrained) return;
  (void)sharpen_penalty(p, p->best, chosen / 10, sharpest);
  adapt_multipliers(p);
  shift_bounds(p);
}

/* Store what the first point of this batch is predicted to bring, by which the radius will be
 * judged; not while an earlier batch may still get its results. With evaluations under way all the
 * time no batch would ever be judged if each forgot the one before; one that is far behind all
 * others under way may have been given up. */
static void store_prediction(proposal *p) {
  gannet_local *l = p->local;
  const int64_t pending = gannet_history_count(l->history) - gannet_history_count_told(l->history);
  const double behind = (double)p->first_id - (double)l->state.first_id;
  if (l->state.count > 0 && behind <= 2 * (double)pending + patience) return;
  const double edge = 0.9 * l->state.radius / p->data.span;
  double farthest = 0;
  for (int k = 0; k < p->data.d; ++k) farthest = fmax(farthest, fabs(p->best[k]));
  const double mean =
      gannet_quadratic_value(&p->model[0], p->model[0].coefficient, p->best, NULL, NULL);
  l->state.first_id = p->first_id;
  const int replicates = gannet_history_replicates(l->history);
  l->state.count = (int64_t)p->q * (replicates > 1 ? replicates : 1);
  l->state.from = p->data.centre_id;
  const double sd = gannet_quadratic_sd(&p->model[0], p->best, p->normal);
  l->state.predicted = fmin(fmax(0, -mean) * p->data.unit, 1e300); /* infinities are not saved */
  l->state.deviation = fmin(sd * p->data.unit, 1e300);
  l->state.at_edge = farthest >= edge;
}

/* Options for one point: minimisers of draws of the objective, and a random point of the box.
 * Constraints are kept by their means and standard deviations: draws of several would rarely be
 * kept all at once. */
static void propose_point(proposal *p, int i, double *options) {
  const size_t d = (size_t)p->local->problem->d;
  for (int k = 0; k + 1 < GANNET_LOCAL_OPTIONS; ++k) {
    const int point = i * GANNET_LOCAL_OPTIONS + k;
    gannet_random_normal(stream_of(p, point, 1), 0, (size_t)p->model[0].p, p->normal);
    gannet_quadratic_draw(&p->model[0], p->normal, p->merit.draw[0]);
    for (int model = 1; model < p->local->n_models; ++model) /* their means */
      gannet_quadratic_draw(&p->model[model], NULL, p->merit.draw[model]);
    find_minimum(p, point);
    to_unit_cube(p, p->best, options + (size_t)k * d);
    if (i == 0 && k == 0) store_prediction(p);
  }
  set_box(p);
  gannet_random_uniform(stream_of(p, i, 0), 1000, (size_t)p->data.d, p->u);
  for (int k = 0; k < p->data.d; ++k) p->u[k] = p->lower[k] + p->u[k] * (p->upper[k] - p->lower[k]);
  to_unit_cube(p, p->u, options + (GANNET_LOCAL_OPTIONS - 1) * d);
  gannet_problem_snap(p->local->problem, GANNET_LOCAL_OPTIONS, options);
  if (!p->local->problem->variable_constraints) return;
  for (int k = 0; k < GANNET_LOCAL_OPTIONS; ++k)
    gannet_allowed_repair(p->local->problem, p->data.centre, NULL, NULL, options + (size_t)k * d);
}

/* Points go round the ranks; the first is rank 0's, and what is remembered of it. */
static gannet_err propose_points(proposal *p, double *x_unit) {
  const gannet_context *context = p->local->context;
  const size_t each = GANNET_LOCAL_OPTIONS * (size_t)p->local->problem->d;
  memset(x_unit, 0, (size_t)p->q * each * sizeof *x_unit);
  for (int i = context->rank; i < p->q; i += context->np)
    propose_point(p, i, x_unit + (size_t)i * each);
  gannet_err err = GANNET_OK;
  if (p->failed) err = GANNET_RAISE(GANNET_ERR_NUMERIC, "a quadratic model has no value");
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY(gannet_partition_gather(context->comm, (size_t)p->q * each, x_unit));
  GANNET_TRY_MPI(MPI_Bcast(&p->local->state, sizeof p->local->state, MPI_BYTE, 0, context->comm));
  return GANNET_OK;
}

/* Collect the data around a centre, -1 = the best point, and make models for them. */
static gannet_err collect_data(proposal *p, bool noisy, int64_t centre_id) {
  release_proposal(p);
  GANNET_TRY(
      local_data_collect(p->local->history, noisy, centre_id, p->basins->searched, &p->data));
  /* Such as when all results that a resume has left in the box count as penalties. */
  GANNET_REQUIRE(p->data.n > 0, GANNET_ERR_NUMERIC, "no result counts beside the best one");
  return create_models(p);
}

/* Judge the last batch, then fit the models around the best point. The best of noisy values is a
 * lucky one: the centre then moves to the least mean nearby, and the box has a least size.
 * Collective. */
static gannet_err fit_around_centre(proposal *p) {
  gannet_local *l = p->local;
  double *radius = &l->state.radius, least = 0;
  bool noisy = false;
  gannet_err err = adapt_radius(l);
  if (err == GANNET_OK) err = gannet_noise_test_result(l->history, l->noise_test, &noisy);
  if (err == GANNET_OK) err = collect_data(p, noisy, p->basins->centre);
  GANNET_TRY(gannet_agree(l->context->comm, err));
  GANNET_TRY(fit_models(p));
  if (p->data.noisy) {
    const int64_t centre = local_noise_centre(l->history, &p->data, &p->model[0], *radius);
    if (centre != p->data.centre_id) {
      GANNET_TRY(gannet_agree(l->context->comm, collect_data(p, true, centre)));
      GANNET_TRY(fit_models(p));
    }
    least = local_noise_radius(&p->data, &p->model[0]);
  }
  follow_centre(l, &p->data);
  *radius = fmin(fmax(*radius, least), p->basins->searched ? FIRST_RADIUS : largest_radius);
  return GANNET_OK;
}

/* Whether the search has nothing to propose: all minimisers are near-copies of results, and so are
 * the random points of the box, unless nothing is left to be found in it. Not where values look
 * noisy, as repetitions are observations there. */
static gannet_err find_exhausted(const proposal *p, const double *x_unit, bool *exhausted) {
  const gannet_history *history = p->local->history;
  const size_t d = (size_t)p->local->problem->d;
  gannet_convergence convergence;
  double *scratch = NULL;
  bool are_copies = true;
  *exhausted = !p->data.noisy;
  GANNET_TRY(gannet_alloc(d + 1, sizeof *scratch, &scratch));
  for (int i = 0; i < p->q * GANNET_LOCAL_OPTIONS && *exhausted; ++i) {
    const bool is_random = i % GANNET_LOCAL_OPTIONS == GANNET_LOCAL_OPTIONS - 1;
    if (gannet_distinct_is_near_copy(history, 0, NULL, x_unit + (size_t)i * d, scratch)) continue;
    are_copies = false;
    *exhausted = is_random;
  }
  gannet_free(&scratch);
  if (are_copies || !*exhausted) return GANNET_OK;
  GANNET_TRY(gannet_convergence_find(history, &convergence));
  *exhausted = convergence.finished;
  return GANNET_OK;
}

/* Collective. */
static gannet_err search_basin(proposal *p, double *x_unit, bool *exhausted) {
  gannet_err err = fit_around_centre(p);
  if (err == GANNET_OK) err = propose_points(p, x_unit);
  if (err == GANNET_OK)
    err = gannet_agree(p->local->context->comm, find_exhausted(p, x_unit, exhausted));
  release_proposal(p);
  return err;
}

gannet_err gannet_local_propose(gannet_local *l, int64_t batch, int64_t first_id, int q,
                                double *x_unit) {
  local_basins basins = {.centre = -1};
  proposal p = {.local = l, .basins = &basins, .batch = batch, .first_id = first_id, .q = q};
  bool exhausted = false;
  p.alone = first_id + q - gannet_history_count_told(l->history) == 1;
  GANNET_TRY(search_basin(&p, x_unit, &exhausted));
  if (!exhausted) return GANNET_OK;
  gannet_err err = gannet_agree(l->context->comm, local_basins_find(l->history, &basins));
  if (err == GANNET_OK && basins.centre >= 0) {
    if (l->state.first_id == first_id) l->state.count = 0; /* its points are not proposed */
    p.local = l->other;
    err = search_basin(&p, x_unit, &exhausted);
  }
  local_basins_release(&basins);
  return err;
}

bool gannet_local_is_idle(const gannet_problem *problem) {
  return local_data_coordinates(problem, NULL) == 0;
}

/* The name of hyperparameter i of [n_models][GANNET_QUADRATIC_HYPER]: "model0.curvature" is of the
 * objective. */
static void name_hyper(int i, char *name, size_t size) {
  static const char *const names[GANNET_QUADRATIC_HYPER] = {"curvature", "spread", "cross",
                                                            "error"};
  (void)snprintf(name, size, "model%d.%s", i / GANNET_QUADRATIC_HYPER,
                 names[i % GANNET_QUADRATIC_HYPER]);
}

gannet_err gannet_local_get_state(const gannet_local *l, const char *part, gannet_state *state) {
  char name[64], other[GANNET_STATE_NAME];
  GANNET_TRY(gannet_state_put_fields(state, part, local_state_fields, &l->state));
  for (int i = 0; i < l->n_models * GANNET_QUADRATIC_HYPER; ++i) {
    name_hyper(i, name, sizeof name);
    GANNET_TRY(gannet_state_put(state, part, name, GANNET_STATE_REAL, l->hyper[i]));
  }
  if (!l->other) return GANNET_OK;
  (void)snprintf(other, sizeof other, "%sother.", part);
  return gannet_local_get_state(l->other, other, state);
}

/* Hyperparameters that are absent are those of the beginning; a batch of evaluations that do not
 * exist is not waited for. */
gannet_err gannet_local_set_state(gannet_local *l, const char *part, gannet_state *state) {
  const int64_t evaluations = gannet_history_count(l->history);
  char name[64], other[GANNET_STATE_NAME];
  GANNET_TRY(gannet_state_take_fields(state, part, local_state_fields, &l->state));
  if (l->state.from < 0 || l->state.from >= evaluations || l->state.first_id < 0)
    l->state.count = 0;
  if (l->state.centre >= evaluations) l->state.centre = -1;
  for (int i = 0; i < l->n_models * GANNET_QUADRATIC_HYPER; ++i) {
    name_hyper(i, name, sizeof name);
    l->hyper[i] = gannet_quadratic_start[i % GANNET_QUADRATIC_HYPER];
    (void)gannet_state_find(state, part, name, &l->hyper[i]);
  }
  if (!l->other) return GANNET_OK;
  (void)snprintf(other, sizeof other, "%sother.", part);
  return gannet_local_set_state(l->other, other, state);
}
