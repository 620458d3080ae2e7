#include "problem/runs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "pareto/front.h"
#include "problem/objectives.h"

/* A run that counts has everything. */
static bool counts(const gannet_history *h, int64_t id) {
  const gannet_evaluation *row = gannet_history_get(h, id);
  return row->status == GANNET_EVAL_DONE &&
         gannet_problem_find_missing(gannet_history_problem(h), 0, row->objective,
                                     gannet_history_constraints(h, id)) < 0;
}

/* The row of the next run of a design; -1 = there is none. */
static int64_t next_of(const gannet_history *h, int64_t id) {
  return gannet_history_joins_runs(h) ? gannet_history_next_run(h, id) : -1;
}

static int64_t first_of(const gannet_history *h, int64_t id) {
  return gannet_history_joins_runs(h) ? gannet_history_first_run(h, id) : id;
}

static double value_of(const gannet_history *h, int64_t id, int quantity) {
  return quantity > 0 ? gannet_history_constraints(h, id)[quantity - 1]
                      : gannet_history_get(h, id)->objective;
}

/* The power p for which values up to this size are divided by 2^p before they are subtracted and
 * squared: 0 but where a square would be no number or none that is exact. */
static int power_of(double most) {
  int power = 0;
  (void)frexp(most, &power);
  return abs(power) > 400 ? power + 1 : 0;
}

/* Mean of a quantity, 0 = the objective, over the runs that count, and its error. With a single run
 * the mean is its value, bit for bit. */
static double mean_of(const gannet_history *h, int64_t first, int quantity, double *error) {
  double mean = NAN, squares = 0, least = INFINITY, weights = 0, most = 0;
  int64_t n = 0;
  bool all_told = true;
  for (int64_t id = first; id >= 0; id = next_of(h, id)) {
    if (!counts(h, id)) continue;
    const double sd = gannet_history_sd(h, id)[quantity];
    all_told = all_told && sd > 0;
    least = fmin(least, sd);
    most = fmax(most, fabs(value_of(h, id, quantity)));
  }
  const int power = power_of(most);
  for (int64_t id = first; id >= 0; id = next_of(h, id)) {
    if (!counts(h, id)) continue;
    const double value = ldexp(value_of(h, id, quantity), -power);
    const double ratio = all_told ? least / gannet_history_sd(h, id)[quantity] : 1;
    const double weight = ratio * ratio;
    weights += weight;
    if (n++ == 0) {
      mean = value;
      continue;
    }
    const double off = value - mean;
    mean += off * (weight / weights);
    squares += off * (value - mean);
  }
  *error = all_told && n > 0 ? least / sqrt(weights)
           : n > 1           ? ldexp(sqrt(squares / (double)(n - 1) / (double)n), power)
                             : NAN;
  return ldexp(mean, power);
}

void gannet_runs_find(const gannet_history *h, int64_t id, double *constraints, gannet_runs *runs) {
  const gannet_problem *problem = gannet_history_problem(h);
  const int64_t first = first_of(h, id);
  double unwanted;
  *runs = (gannet_runs){.id = -1, .objective = NAN, .error = NAN, .violation = NAN};
  for (int64_t row = first; row >= 0; row = next_of(h, row)) {
    const gannet_eval_status status = gannet_history_get(h, row)->status;
    runs->n_asked += status != GANNET_EVAL_DISCARDED;
    runs->is_waiting = runs->is_waiting || status == GANNET_EVAL_PENDING;
    runs->is_bad = runs->is_bad || gannet_history_is_bad(h, row);
    if (!counts(h, row)) continue;
    runs->n += 1;
    if (runs->id < 0) runs->id = row;
  }
  runs->objective = mean_of(h, first, 0, &runs->error);
  if (runs->n > 0) runs->violation = 0;
  for (int k = 0; k < problem->spec.n_constraints; ++k) {
    const gannet_constraint *c = &problem->spec.constraints[k];
    const double value = mean_of(h, first, k + 1, &unwanted);
    if (constraints) constraints[k] = value;
    if (value > c->upper) runs->violation += gannet_problem_excess(value, c->upper);
    if (value < c->lower) runs->violation += gannet_problem_excess(c->lower, value);
  }
}

void gannet_runs_objectives(const gannet_history *h, int64_t id, double *y, double *errors) {
  const gannet_problem *problem = gannet_history_problem(h);
  double error;
  gannet_history_objectives(h, id, y);
  for (int m = 0; m < gannet_problem_n_objectives(problem); ++m) {
    const int quantity = gannet_problem_objective_quantity(problem, m);
    const double mean = mean_of(h, first_of(h, id), quantity, &error);
    if (!isnan(mean)) y[m] = gannet_problem_flip_objective(problem, m, mean);
    if (errors) errors[m] = error;
  }
}

bool gannet_runs_stands(const gannet_history *h, int64_t id) {
  if (!gannet_history_joins_runs(h)) return true;
  int64_t first = -1;
  for (int64_t row = first_of(h, id); row >= 0; row = next_of(h, row)) {
    if (counts(h, row)) return row == id;
    if (first < 0 && gannet_history_get(h, row)->status != GANNET_EVAL_DISCARDED) first = row;
  }
  return first == id;
}

bool gannet_runs_are_feasible(const gannet_history *h, int64_t id) {
  const bool several = gannet_problem_n_objectives(gannet_history_problem(h)) > 1;
  gannet_runs runs;
  if (gannet_history_get(h, id)->elsewhere || !counts(h, id) || !gannet_runs_stands(h, id))
    return false;
  gannet_runs_find(h, id, NULL, &runs);
  return runs.violation == 0 && !(several && (runs.is_bad || gannet_history_is_penalty(h, id)));
}

typedef struct {
  int64_t id;
  double violation;
  double value;   /* minimised; of several objectives, the rank of non-dominated sorting */
  bool is_single; /* only one run counts where designs are to have several */
} ranked_row;

static int by_rank(const void *a, const void *b) {
  const ranked_row *x = a, *y = b;
  if (x->violation != y->violation) return x->violation < y->violation ? -1 : 1;
  if (x->violation == 0 && x->is_single != y->is_single) return x->is_single ? 1 : -1;
  if (x->violation == 0 && x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Whether a row stands for a design that can be ranked, and how. */
static bool find_rank(const gannet_history *h, int64_t id, ranked_row *rank) {
  gannet_runs runs;
  if (gannet_history_get(h, id)->elsewhere || !counts(h, id) || !gannet_runs_stands(h, id))
    return false;
  gannet_runs_find(h, id, NULL, &runs);
  const bool is_left_out = gannet_problem_n_objectives(gannet_history_problem(h)) > 1 &&
                           (runs.is_bad || gannet_history_is_penalty(h, id));
  *rank = (ranked_row){.id = id,
                       .violation = is_left_out ? INFINITY : runs.violation,
                       .value = gannet_problem_flip(gannet_history_problem(h), runs.objective),
                       .is_single = gannet_history_joins_runs(h) && runs.n < 2};
  return true;
}

/* The first of all designs by rank. */
static bool find_first(const gannet_history *h, ranked_row *first) {
  bool is_found = false;
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    ranked_row rank;
    if (!find_rank(h, id, &rank) || (is_found && by_rank(&rank, first) >= 0)) continue;
    *first = rank;
    is_found = true;
  }
  return is_found;
}

/* Whether rows one by one, as they were told, have the best design. */
static bool is_known_by_rows(const gannet_history *h) {
  const bool several = gannet_problem_n_objectives(gannet_history_problem(h)) > 1;
  return !gannet_history_joins_runs(h) && !(several && gannet_history_has_penalties(h));
}

int64_t gannet_history_best(const gannet_history *h) {
  ranked_row first;
  if (is_known_by_rows(h)) return gannet_history_best_row(h);
  return find_first(h, &first) && first.violation == 0 ? first.id : -1;
}

int64_t gannet_history_least_violation(const gannet_history *h) {
  ranked_row first;
  if (is_known_by_rows(h)) return gannet_history_least_violating_row(h);
  return find_first(h, &first) ? first.id : -1;
}

/* Replace the values of feasible rows by their ranks among each other. */
static gannet_err rank_fronts(const gannet_history *h, int64_t n, ranked_row *ranked) {
  const int m = gannet_problem_n_objectives(gannet_history_problem(h));
  double *y = NULL;
  int *rank = NULL, feasible = 0;
  GANNET_REQUIRE(n <= INT_MAX, GANNET_ERR_SHAPE, "%lld results", (long long)n);
  gannet_err err = gannet_alloc((size_t)n * (size_t)m, sizeof *y, &y);
  if (err == GANNET_OK) err = gannet_alloc((size_t)n, sizeof *rank, &rank);
  for (int64_t i = 0; i < n && err == GANNET_OK; ++i)
    if (ranked[i].violation == 0)
      gannet_runs_objectives(h, ranked[i].id, y + (ptrdiff_t)m * feasible++, NULL);
  if (err == GANNET_OK) err = gannet_pareto_ranks(feasible, m, y, rank);
  for (int64_t i = 0, at = 0; i < n && err == GANNET_OK; ++i)
    if (ranked[i].violation == 0) ranked[i].value = rank[at++];
  gannet_free(&y);
  gannet_free(&rank);
  return err;
}

gannet_err gannet_history_rank(const gannet_history *h, int64_t **ids, int64_t *n) {
  const size_t most = (size_t)gannet_history_count_done(h);
  ranked_row *ranked = NULL;
  *ids = NULL;
  *n = 0;
  GANNET_TRY(gannet_alloc(most, sizeof *ranked, &ranked));
  for (int64_t id = 0; id < gannet_history_count(h); ++id)
    *n += gannet_history_get(h, id)->status == GANNET_EVAL_DONE && find_rank(h, id, &ranked[*n]);
  gannet_err err = GANNET_OK;
  if (gannet_problem_n_objectives(gannet_history_problem(h)) > 1) err = rank_fronts(h, *n, ranked);
  qsort(ranked, (size_t)*n, sizeof *ranked, by_rank);
  if (err == GANNET_OK) err = gannet_alloc(most, sizeof **ids, ids);
  for (int64_t i = 0; err == GANNET_OK && i < *n; ++i) (*ids)[i] = ranked[i].id;
  gannet_free(&ranked);
  return err;
}

int gannet_runs_least(const gannet_history *h) {
  const int64_t best = gannet_history_joins_runs(h) ? gannet_history_best(h) : -1;
  gannet_runs runs;
  if (best < 0) return 1;
  gannet_runs_find(h, best, NULL, &runs);
  return runs.n > 1 ? 2 : 1;
}

double gannet_runs_course(const gannet_history *h, int64_t id, int least) {
  gannet_runs runs;
  gannet_runs_find(h, id, NULL, &runs);
  const bool is_shown = runs.violation == 0 && runs.n >= least && counts(h, id);
  return is_shown && !gannet_history_get(h, id)->elsewhere ? runs.objective : NAN;
}

int64_t gannet_runs_count_designs(const gannet_history *h, bool allowed_only) {
  const int64_t n = gannet_history_count(h);
  int64_t designs = 0;
  if (!gannet_history_joins_runs(h))
    return gannet_history_count_kept(h) - (allowed_only ? gannet_history_count_elsewhere(h) : 0);
  for (int64_t id = 0; id < n; ++id)
    designs += gannet_history_get(h, id)->status != GANNET_EVAL_DISCARDED &&
               gannet_runs_stands(h, id) && !(allowed_only && gannet_history_get(h, id)->elsewhere);
  return designs;
}

double gannet_runs_variance(const gannet_history *h, int m, int *power) {
  const int quantity = gannet_problem_objective_quantity(gannet_history_problem(h), m);
  double squares = 0, most = 0, unwanted;
  int64_t freedom = 0;
  for (int64_t id = 0; id < gannet_history_count(h); ++id)
    if (counts(h, id)) most = fmax(most, fabs(value_of(h, id, quantity)));
  *power = power_of(most);
  for (int64_t id = 0; id < gannet_history_count(h); ++id) {
    gannet_runs runs;
    if (first_of(h, id) != id || next_of(h, id) < 0) continue;
    gannet_runs_find(h, id, NULL, &runs);
    if (runs.n < 2) continue;
    const double mean = ldexp(mean_of(h, id, quantity, &unwanted), -*power);
    for (int64_t row = id; row >= 0; row = next_of(h, row)) {
      const double off = counts(h, row) ? ldexp(value_of(h, row, quantity), -*power) - mean : 0;
      squares += off * off;
    }
    freedom += runs.n - 1;
  }
  return freedom > 0 ? squares / (double)freedom : NAN;
}

void gannet_runs_list(const gannet_history *h, int64_t id, char *text) {
  enum { SHOWN = 6 };
  gannet_runs runs;
  int64_t shown = 0;
  gannet_runs_find(h, id, NULL, &runs);
  if (runs.n < 2) {
    (void)snprintf(text, GANNET_RUNS_TEXT, "evaluation %lld", (long long)id);
    return;
  }
  size_t used =
      (size_t)snprintf(text, GANNET_RUNS_TEXT, "%lld runs, evaluations", (long long)runs.n);
  for (int64_t row = first_of(h, id); row >= 0 && used < GANNET_RUNS_TEXT; row = next_of(h, row)) {
    if (!counts(h, row)) continue;
    if (shown == SHOWN) {
      (void)snprintf(text + used, GANNET_RUNS_TEXT - used, ", ...");
      break;
    }
    used += (size_t)snprintf(text + used, GANNET_RUNS_TEXT - used, "%s %lld", shown ? "," : "",
                             (long long)row);
    shown += 1;
  }
}

void gannet_runs_list_ids(const gannet_history *h, int64_t id, size_t size, char *text) {
  size_t used = 0;
  text[0] = '\0';
  for (int64_t row = first_of(h, id); row >= 0 && used + 24 < size; row = next_of(h, row))
    if (counts(h, row))
      used += (size_t)snprintf(text + used, size - used, "%s%lld", used ? " " : "", (long long)row);
}

void gannet_runs_format_error(double error, char *text) {
  text[0] = '\0';
  if (!isnan(error)) (void)snprintf(text, 32, " +- %.2g", error);
}
