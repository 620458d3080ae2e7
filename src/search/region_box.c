/* Where a trust region is and what it takes: options, box, candidates, data. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "search/local.h"
#include "search/region.h"

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
     .help = "where points are sought: everywhere, or in a trust region around the best point that "
             "grows after successes and shrinks after failures",
     .example = "trust"},
    {.key = "center",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_region_options, centre),
     .fallback = "mean",
     .choices = centres,
     .help =
         "the feasible point in the middle of the trust region is the one of the best value, or "
         "of the best mean of the objective's model, which noise misleads less"},
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
     .help = "a trust region with shorter sides is given up"},
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
     .help = "the trust region doubles after so many batches in a row that found a better point",
     .unit = "batches"},
    {.key = "failures",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_region_options, failures),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO,
     .lower = 1,
     .upper = 1e6,
     .help = "the trust region halves after so many evaluations in a row, in batches that found "
             "no better point; auto = the number of variables, at least 4",
     .example = "5",
     .unit = "evaluations"},
    {.key = "gain",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, gain),
     .fallback = "0.001",
     .lower = 0,
     .upper = 1,
     .help = "a point is better when it gains this part of the spread of the best values, as many "
             "as variables and at least 4"},
    {.key = "restarts",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_region_options, restarts),
     .fallback = "yes",
     .help = "a trust region that is given up is followed by a new one with a new design; "
             "otherwise it stays at its shortest"},
    {.key = "weighted",
     .type = GANNET_BOOLEAN,
     .offset = offsetof(gannet_region_options, weighted),
     .fallback = "yes",
     .help = "sides in proportion to the length scales of the objective's model, where it has one "
             "for every variable"},
    {.key = "perturb",
     .type = GANNET_REAL,
     .offset = offsetof(gannet_region_options, perturb),
     .fallback = "auto",
     .flags = GANNET_OPTION_AUTO | GANNET_OPTION_OPEN_LOW,
     .lower = 0,
     .upper = 1,
     .help = "chance of a variable to differ from the centre of the trust region in a candidate; "
             "auto = 20 variables on average, at most all",
     .example = "0.5"},
    {.key = "data",
     .type = GANNET_CHOICE,
     .offset = offsetof(gannet_region_options, data),
     .fallback = "restart",
     .choices = data,
     .help = "evaluations that the models of a trust region take: those since its start, or all of "
             "the campaign"},
    {.key = "nearest",
     .type = GANNET_INTEGER,
     .offset = offsetof(gannet_region_options, nearest),
     .fallback = "0",
     .lower = 0,
     .upper = 1e9,
     .help = "of these, the models take so many, those nearest to the centre; 0 = all"},
    {0},
};

const char *gannet_region_contradiction(const gannet_region_options *options) {
  if (options->shortest > options->length) return "shortest is longer than length";
  if (options->length > options->longest) return "length is longer than longest";
  return NULL;
}

static bool is_cut(const gannet_variable *v) {
  return v->type == GANNET_VARIABLE_REAL || v->type == GANNET_VARIABLE_INTEGER;
}

static const double largest_weight = 10;

/* exp of the mean logarithm of the scales of the coordinates that are cut. */
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

/* Unit coordinates of the numbers next to the one at x. */
static void neighbours(const gannet_variable *v, double x, double *below, double *above) {
  const double now = gannet_local_value(v, x);
  *below = gannet_local_unit(v, gannet_variable_next(v, now, false));
  *above = gannet_local_unit(v, gannet_variable_next(v, now, true));
}

void gannet_region_box(const gannet_problem *problem, double length, const double *centre,
                       const double *scales, double *lower, double *upper) {
  const double mean = mean_scale(problem, scales);
  for (int k = 0; k < problem->d; ++k) {
    lower[k] = 0;
    upper[k] = 1;
  }
  for (int i = 0; i < problem->spec.n_variables; ++i) {
    if (!is_cut(&problem->spec.variables[i])) continue;
    const int k = problem->first[i];
    double weight = scales ? scales[k] / mean : 1;
    weight = fmin(fmax(weight, 1 / largest_weight), largest_weight);
    double below = centre[k] - 0.5 * length * weight, above = centre[k] + 0.5 * length * weight;
    if (gannet_variable_has_steps(&problem->spec.variables[i])) {
      double low, high;
      neighbours(&problem->spec.variables[i], centre[k], &low, &high);
      below = fmin(below, low);
      above = fmax(above, high);
    }
    lower[k] = fmin(fmax(below, 0), 1);
    upper[k] = fmin(fmax(above, 0), 1);
  }
}

double gannet_region_moving(const gannet_region_options *options, const gannet_problem *problem) {
  return isnan(options->perturb) ? gannet_local_chance(problem->spec.n_variables)
                                 : options->perturb;
}

double gannet_region_switching(const gannet_region_options *options, const gannet_problem *problem,
                               double length) {
  return gannet_region_moving(options, problem) * fmin(1, length);
}

typedef struct {
  double distance;
  int64_t id;
} neighbour;

static int by_distance(const void *a, const void *b) {
  const neighbour *x = a, *y = b;
  if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

static double squared_distance(int d, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
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
    all[n++] = (neighbour){squared_distance(d, gannet_history_x_unit(history, id), middle), id};
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
