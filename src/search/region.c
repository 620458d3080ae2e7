#include "search/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "pareto/boxes.h"
#include "pareto/hypervolume.h"
#include "pareto/hypervolume_improvement.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/runs.h"
#include "search/merit_rank.h"
#include "search/perturb.h"

static const char *const types[] = {"none", "trust", NULL};
static const char *const centres[] = {"value", "mean", NULL};
static const char *const data[] = {"restart", "all", NULL};

/* Defaults: Eriksson et al. 2019, appendix D. */
const gannet_option gannet_region_table[] = {
    {.key = "type",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_region_options, type),
     .fallback = "none",
     .choices = types,
     .help = "search everywhere (none), or in a trust region around the best point that grows "
             "after successes and shrinks after failures (trust); with several objectives one "
             "point in four is sought there",
     .example = "trust"},
    {.key = "center",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_region_options, centre),
     .fallback = "mean",
     .choices = centres,
     .help =
         "centre of the trust region: the feasible point with the best value, or with the best "
         "mean of the objective's model, which is less sensitive to noise; for one objective only"},
    {.key = "length",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, length),
     .fallback = "0.8",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 2,
     .unit = "ranges of the variables",
     .help = "sides of a new trust region"},
    {.key = "shortest",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, shortest),
     .fallback = "0.0078125",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 2,
     .unit = "ranges of the variables",
     .help = "a trust region with shorter sides is given up; with several objectives it does not "
             "shrink below this"},
    {.key = "longest",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, longest),
     .fallback = "1.6",
     .flags = GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 2,
     .unit = "ranges of the variables",
     .help = "a trust region does not grow beyond this"},
    {.key = "successes",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_region_options, successes),
     .fallback = "3",
     .lower = 1,
     .upper = 1e6,
     .help = "the trust region doubles after this many batches in a row that found a better point",
     .unit = "batches"},
    {.key = "failures",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_region_options, failures),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e6,
     .help = "the trust region halves after this many evaluations in a row, in batches that found "
             "no better point; auto = the number of variables, at least 4",
     .example = "5",
     .unit = "evaluations"},
    {.key = "gain",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, gain),
     .fallback = "0.001",
     .lower = 0,
     .upper = 1,
     .help =
         "a point is better if it gains this fraction of the spread of the best values; these "
         "are as many as there are variables, at least 4; with several objectives, if the batch "
         "adds this fraction of the hypervolume"},
    {.key = "restarts",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_region_options, restarts),
     .fallback = "yes",
     .help = "a trust region that is given up is followed by a new one with a new design; "
             "otherwise it stays at its shortest; for one objective only"},
    {.key = "weighted",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_region_options, weighted),
     .fallback = "yes",
     .help = "sides in proportion to the lengthscales of the objective's model, if it has one for "
             "every variable; for one objective only"},
    {.key = "perturb",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, perturb),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .help = "probability that a variable of a candidate differs from the centre of the trust "
             "region; auto = 20 variables on average, at most all",
     .example = "0.5"},
    {.key = "data",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_region_options, data),
     .fallback = "restart",
     .choices = data,
     .help = "evaluations that the models of a trust region use: those since its start, or all of "
             "the campaign; for one objective only"},
    {.key = "nearest",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_region_options, nearest),
     .fallback = "0",
     .lower = 0,
     .upper = 1e9,
     .help = "of these, the models use this many, those nearest to the centre; 0 = all; "
             "for one objective only"},
    {0},
};

const char *gannet_region_contradiction(const gannet_region_options *options) {
  if (options->shortest > options->length) return "shortest is longer than length";
  if (options->length > options->longest) return "length is longer than longest";
  return NULL;
}

int gannet_region_single_options(const gannet_region_options *options,
                                 const char *keys[GANNET_REGION_SINGLE_MOST]) {
  int n = 0;
  if (options->centre != GANNET_REGION_MEAN) keys[n++] = "region.center";
  if (!options->restarts) keys[n++] = "region.restarts";
  if (!options->weighted) keys[n++] = "region.weighted";
  if (options->data != GANNET_REGION_RESTART) keys[n++] = "region.data";
  if (options->nearest > 0) keys[n++] = "region.nearest";
  return n;
}

bool gannet_region_seeks(int64_t number) {
  return number % 4 == 3;
}

void gannet_region_count(const gannet_region_options *options, int variables, bool success,
                         int evaluations, gannet_region *region) {
  const int usual = variables < 4 ? 4 : variables;
  const int tolerated = options->failures != GANNET_AUTO ? options->failures : usual;
  region->successes = success ? region->successes + 1 : 0;
  region->failures = success ? 0 : region->failures + evaluations;
  if (region->successes >= options->successes) {
    region->length = fmin(2 * region->length, options->longest);
    region->successes = 0;
  } else if (region->failures >= tolerated) {
    region->length /= 2;
    region->failures = 0;
  }
}

/* The history of a region, evaluation by evaluation as results arrived. An evaluation is counted
 * when its batch is, or when it arrives if it belongs to no batch that can be counted. */
typedef struct {
  const gannet_region_options *options;
  const gannet_history *history;
  int64_t first, design;     /* first evaluation of the region; evaluations of its design */
  gannet_merit_rank *merits; /* [count] of all evaluations */
  int64_t *arrival;          /* [count] position in the order of arrival, -1 = no result yet */
  gannet_merit_rank best;    /* best counted evaluation; infinite = none */
  int n_top, n_top_most;
  double *top; /* [n_top_most] the best feasible values that were counted, ascending */
  /* With several objectives, in ranges of the front of all results; with one objective empty: */
  gannet_front front;
  gannet_boxes boxes; /* of the feasible designs that were counted */
  double volume;      /* that these dominate */
  double excess;      /* least excess of one of them over the reference; infinite = none counted */
} replay;

static const gannet_merit_rank nothing = {-1, INFINITY, INFINITY};

static bool has_result(const gannet_merit_rank *merit) {
  return isfinite(merit->violation);
}

static bool has_several(const replay *r) {
  return gannet_problem_n_objectives(gannet_history_problem(r->history)) > 1;
}

/* How far a design exceeds the reference, summed over the objectives; z: [m] in ranges. */
static double sum_excess(const gannet_front *front, const double *z) {
  double sum = 0;
  for (int k = 0; k < front->m; ++k)
    sum += fmax(z[k] - gannet_front_in_ranges(front, k, front->reference[k]), 0);
  return sum;
}

/* Enter a design into the front of those that were counted, for several objectives. */
static gannet_err count_on_front(replay *r, int64_t id) {
  double z[GANNET_OBJECTIVES_MOST];
  if (gannet_history_is_penalty(r->history, id) || !gannet_runs_are_feasible(r->history, id))
    return GANNET_OK;
  gannet_runs_objectives(r->history, id, z, NULL);
  for (int k = 0; k < r->front.m; ++k) {
    z[k] = gannet_front_in_ranges(&r->front, k, z[k]);
    if (!isfinite(z[k])) return GANNET_OK;
  }
  r->excess = fmin(r->excess, sum_excess(&r->front, z));
  r->volume += gannet_hypervolume_improvement(&r->boxes, z);
  return gannet_boxes_add(&r->boxes, z);
}

/* Enter an evaluation into those that were counted. */
static gannet_err count_evaluation(replay *r, int64_t id) {
  const gannet_merit_rank *one = &r->merits[id];
  if (!has_result(one)) return GANNET_OK;
  if (gannet_merit_rank_is_better(one, &r->best)) r->best = *one;
  if (one->violation > 0) return GANNET_OK;
  if (has_several(r)) return count_on_front(r, id);
  if (r->n_top == r->n_top_most && one->value >= r->top[r->n_top - 1]) return GANNET_OK;
  int at = r->n_top < r->n_top_most ? r->n_top++ : r->n_top - 1;
  for (; at > 0 && one->value < r->top[at - 1]; --at) r->top[at] = r->top[at - 1];
  r->top[at] = one->value;
  return GANNET_OK;
}

/* The rule for one objective, and for several until a feasible design was counted: whether the best
 * evaluation of a batch clearly beats all that were counted before. The spread of the best values
 * is taken in halves, because differences of huge values overflow. */
static bool beats_best(const replay *r, const gannet_merit_rank *one) {
  if (!has_result(one) || !gannet_merit_rank_is_better(one, &r->best)) return false;
  if (!has_result(&r->best)) return true;
  if (one->violation > 0) return one->violation < (1 - r->options->gain) * r->best.violation;
  if (r->best.violation > 0) return true;
  const double spread = r->n_top > 0 ? 0.5 * r->top[r->n_top - 1] - 0.5 * r->top[0] : 0;
  return 0.5 * r->best.value - 0.5 * one->value > r->options->gain * spread;
}

/* The rule for several objectives: whether the front clearly grew from one of this volume and least
 * excess, or, while nothing lies below the reference, came clearly nearer to it. */
static bool front_grew(const replay *r, double volume, double excess) {
  if (r->volume > 0) return r->volume > (1 + r->options->gain) * volume;
  return r->excess < (1 - r->options->gain) * excess;
}

static bool is_of_batch(const gannet_evaluation *row, int64_t batch) {
  return row->batch == batch && row->origin == GANNET_ORIGIN_METHOD;
}

/* Count the batch of the result that arrived at a position, if this is its last result. A batch of
 * the design is not counted, but its evaluations are. */
static gannet_err count_batch(replay *r, int64_t at, gannet_region *region) {
  const gannet_history *history = r->history;
  const int64_t arrived = gannet_history_order(history)[at], count = gannet_history_count(history);
  const int64_t batch = gannet_history_get(history, arrived)->batch;
  int64_t from = arrived, to = arrived + 1; /* ids of a batch are neighbours */
  int evaluations = 0;
  gannet_merit_rank best = nothing;
  while (from > 0 && is_of_batch(gannet_history_get(history, from - 1), batch)) --from;
  while (to < count && is_of_batch(gannet_history_get(history, to), batch)) ++to;
  if (from < r->first + r->design) return count_evaluation(r, arrived);
  for (int64_t id = from; id < to; ++id) {
    if (r->arrival[id] < 0 || r->arrival[id] > at) return GANNET_OK;
    evaluations += gannet_history_get(history, id)->status != GANNET_EVAL_FAILED &&
                   gannet_runs_stands(history, id);
    if (gannet_merit_rank_is_better(&r->merits[id], &best)) best = r->merits[id];
  }
  const double volume = r->volume, excess = r->excess;
  bool success = beats_best(r, &best);
  for (int64_t id = from; id < to; ++id) GANNET_TRY(count_evaluation(r, id));
  if (isfinite(excess)) success = front_grew(r, volume, excess);
  if (evaluations > 0)
    gannet_region_count(r->options, gannet_history_problem(history)->n_free, success, evaluations,
                        region);
  return GANNET_OK;
}

/* The design of the front of all results that is the centre; -1 = none of the front is allowed. */
static gannet_err find_centre_on_front(const replay *r, int64_t *centre) {
  const gannet_front *front = &r->front;
  const int m = front->m;
  double *z = NULL, least = INFINITY, most = -1, reference[GANNET_OBJECTIVES_MOST];
  GANNET_TRY(gannet_alloc((size_t)front->n * (size_t)(m + 1), sizeof *z, &z));
  double *contribution = z + (size_t)front->n * (size_t)m;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)front->n * m; ++i)
    z[i] = gannet_front_in_ranges(front, (int)(i % m), front->y[i]);
  for (int k = 0; k < m; ++k) reference[k] = gannet_front_in_ranges(front, k, front->reference[k]);
  gannet_err err = gannet_hypervolume_contributions(front->n, m, z, reference, contribution);
  if (err == GANNET_ERR_NUMERIC) { /* larger than any number: no design is preferred */
    gannet_error_clear();
    memset(contribution, 0, (size_t)front->n * sizeof *contribution);
    err = GANNET_OK;
  }
  *centre = -1;
  for (int i = 0; i < front->n && err == GANNET_OK; ++i) {
    const double excess = sum_excess(front, z + (ptrdiff_t)i * m);
    if (gannet_history_get(r->history, front->id[i])->elsewhere) continue;
    if (excess > least || (excess == least && contribution[i] <= most)) continue;
    least = excess;
    most = contribution[i];
    *centre = front->id[i];
  }
  gannet_free(&z);
  return err;
}

/* ended  out  whether the region did */
static gannet_err replay_history(replay *r, gannet_region *region, bool *ended) {
  for (int64_t at = 0; at < gannet_history_count_told(r->history); ++at) {
    const int64_t id = gannet_history_order(r->history)[at];
    if (id < r->first) continue;
    if (gannet_history_get(r->history, id)->origin == GANNET_ORIGIN_METHOD)
      GANNET_TRY(count_batch(r, at, region));
    else
      GANNET_TRY(count_evaluation(r, id));
    if (region->length >= r->options->shortest) continue;
    *ended = r->options->restarts && !has_several(r);
    if (*ended) return GANNET_OK;
    region->length = r->options->shortest;
  }
  /* Results of incomplete batches count for the centre at once. */
  gannet_merit_rank best = nothing;
  for (int64_t id = r->first; id < gannet_history_count(r->history); ++id)
    if (has_result(&r->merits[id]) && gannet_merit_rank_is_better(&r->merits[id], &best))
      best = r->merits[id];
  region->centre = best.id;
  return r->front.n > 0 ? find_centre_on_front(r, &region->centre) : GANNET_OK;
}

static gannet_err replay_init(replay *r) {
  const int64_t count = gannet_history_count(r->history);
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *r->merits, &r->merits));
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *r->arrival, &r->arrival));
  GANNET_TRY(gannet_alloc((size_t)r->n_top_most, sizeof *r->top, &r->top));
  GANNET_TRY(gannet_merit_rank_all(r->history, r->first, r->merits));
  for (int64_t id = 0; id < count; ++id) r->arrival[id] = -1;
  for (int64_t at = 0; at < gannet_history_count_told(r->history); ++at)
    r->arrival[gannet_history_order(r->history)[at]] = at;
  if (!has_several(r)) return GANNET_OK;
  double reference[GANNET_OBJECTIVES_MOST];
  GANNET_TRY(gannet_front_find(r->history, &r->front));
  for (int k = 0; k < r->front.m; ++k)
    reference[k] = gannet_front_in_ranges(&r->front, k, r->front.reference[k]);
  return gannet_boxes_create(0, r->front.m, NULL, reference, &r->boxes);
}

gannet_err gannet_region_follow(const gannet_region_options *options, const gannet_history *history,
                                int64_t design, gannet_region_state *state, gannet_region *region) {
  const int variables = gannet_history_problem(history)->n_free;
  replay r = {.options = options,
              .history = history,
              .first = state->first,
              .design = design,
              .best = nothing,
              .excess = INFINITY,
              .n_top_most = variables < 4 ? 4 : variables};
  *region = (gannet_region){.length = options->length, .centre = -1};
  bool ended = false;
  gannet_err err = replay_init(&r);
  if (err == GANNET_OK) err = replay_history(&r, region, &ended);
  if (err == GANNET_OK && ended) {
    state->restarts += 1;
    state->first = gannet_history_count(history);
    *region = (gannet_region){.length = options->length, .centre = -1};
  }
  gannet_free(&r.merits);
  gannet_free(&r.arrival);
  gannet_free(&r.top);
  gannet_front_release(&r.front);
  gannet_boxes_release(&r.boxes);
  GANNET_TRY(err);
  return GANNET_OK;
}

static bool is_cut(const gannet_variable *v) {
  return gannet_variable_width(v) > 0 && !gannet_variable_switches(v);
}

/* Geometric mean of the length scales of the coordinates that are cut. */
static double mean_scale(const gannet_problem *problem, const double *scales) {
  double sum = 0;
  int n = 0;
  for (int i = 0; scales && i < problem->spec.n_variables; ++i) {
    if (!is_cut(&problem->spec.variables[i])) continue;
    sum += log(scales[problem->first[i]]);
    n += 1;
  }
  return n > 0 ? exp(sum / n) : 1;
}

void gannet_region_box(const gannet_problem *problem, double length, const double *centre,
                       const double *scales, double *lower, double *upper) {
  const double mean = mean_scale(problem, scales), most = 10;
  for (int k = 0; k < problem->d; ++k) {
    lower[k] = 0;
    upper[k] = 1;
  }
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    const gannet_variable *v = &problem->spec.variables[i];
    if (!is_cut(v)) continue;
    const int k = problem->first[i];
    const double weight = fmin(fmax(scales ? scales[k] / mean : 1, 1 / most), most);
    double below = centre[k] - 0.5 * length * weight, above = centre[k] + 0.5 * length * weight;
    if (gannet_variable_has_steps(v)) {
      const double now = gannet_variable_number(v, centre[k]);
      below = fmin(below, gannet_variable_unit(v, gannet_variable_next(v, now, false)));
      above = fmax(above, gannet_variable_unit(v, gannet_variable_next(v, now, true)));
    }
    lower[k] = fmin(fmax(below, 0), 1);
    upper[k] = fmin(fmax(above, 0), 1);
  }
}

double gannet_region_moving(const gannet_region_options *options, const gannet_problem *problem) {
  return isnan(options->perturb) ? gannet_perturb_chance(problem->n_free) : options->perturb;
}

double gannet_region_switching(const gannet_region_options *options, const gannet_problem *problem,
                               double length) {
  return gannet_region_moving(options, problem) * fmin(1, length);
}

typedef struct {
  double square; /* of its distance from the centre */
  int64_t id;
} neighbour;

static int by_distance(const void *a, const void *b) {
  const neighbour *x = a, *y = b;
  if (x->square != y->square) return x->square < y->square ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static gannet_err keep_nearest(const gannet_history *history, int nearest, int64_t centre,
                               bool *take) {
  const int64_t count = gannet_history_count(history);
  const int d = gannet_history_problem(history)->d;
  const double *middle = gannet_history_x_unit(history, centre);
  neighbour *all = NULL;
  size_t n = 0;
  GANNET_TRY(gannet_alloc((size_t)count, sizeof *all, &all));
  for (int64_t id = 0; id < count; ++id) {
    if (!take[id]) continue;
    take[id] = false;
    const gannet_eval_status status = gannet_history_get(history, id)->status;
    if (status != GANNET_EVAL_DONE && status != GANNET_EVAL_CANNOT_RUN) continue;
    const double *x = gannet_history_x_unit(history, id);
    double square = 0;
    for (int k = 0; k < d; ++k) square += (x[k] - middle[k]) * (x[k] - middle[k]);
    all[n++] = (neighbour){square, id};
  }
  qsort(all, n, sizeof *all, by_distance);
  for (size_t i = 0; i < n && i < (size_t)nearest; ++i) take[all[i].id] = true;
  gannet_free(&all);
  return GANNET_OK;
}

gannet_err gannet_region_take(const gannet_region_options *options, const gannet_history *history,
                              const gannet_region_state *state, int64_t centre, bool *take) {
  for (int64_t id = 0; id < gannet_history_count(history); ++id)
    take[id] = options->data == GANNET_REGION_ALL || id >= state->first;
  if (options->nearest == 0 || centre < 0) return GANNET_OK;
  return keep_nearest(history, options->nearest, centre, take);
}
