#include "optimizer/allocation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/runs.h"

static const double floor_share = 0.3; /* of all points, dealt out equally */
static const double memory = 0.88;     /* weight that a point keeps per later one of its member */
#define NONE 1e308                     /* larger than any value: nothing is known */
static const double prior_points = 2, prior_gain = 0.5;
static const char left_out_name[] = "left_out";

void gannet_allocation_reset(gannet_allocation *a) {
  *a = (gannet_allocation){.best = NONE};
  for (int i = 0; i < GANNET_MEMBERS_MOST; ++i) a->left_out[i] = -1;
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) a->open[i].id = -1;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool is_feasible_result(const gannet_history *history, int64_t id) {
  gannet_runs runs;
  if (!gannet_history_is_sound(history, id) || gannet_history_get(history, id)->elsewhere)
    return false;
  gannet_runs_find(history, id, NULL, &runs);
  return runs.violation == 0;
}

static double value_of(const gannet_history *history, int64_t id) {
  gannet_runs runs;
  gannet_runs_find(history, id, NULL, &runs);
  return gannet_problem_flip(gannet_history_problem(history), runs.objective);
}

/* The best value now, and how far behind the old best the (d + 1)-th best now is. */
static gannet_err find_best_and_spread(const gannet_history *history, double old, double *best,
                                       double *spread) {
  const int64_t total = gannet_history_count(history);
  double *values = NULL;
  int64_t n = 0;
  GANNET_TRY(gannet_alloc((size_t)total + 1, sizeof *values, &values));
  for (int64_t id = 0; id < total; ++id)
    if (gannet_runs_stands(history, id) && is_feasible_result(history, id))
      values[n++] = value_of(history, id);
  qsort(values, (size_t)n, sizeof *values, ascending);
  const int64_t rank = gannet_history_problem(history)->d;
  *best = n > 0 ? values[0] : NONE;
  *spread = n > 0 ? fmax(0, gannet_problem_excess(values[rank < n ? rank : n - 1], old)) : 0;
  gannet_free(&values);
  return GANNET_OK;
}

static double gain_of(const gannet_history *history, int64_t id, double old, double spread) {
  if (!is_feasible_result(history, id)) return 0;
  if (!(old < NONE)) return 1; /* the first feasible point */
  const double better = gannet_problem_excess(old, value_of(history, id));
  return better > 0 ? better / (better + spread / 4) : 0;
}

/* Whether most of what was proposed later, and that is much, has its results: nobody may ever tell
 * of this point, and such points must not fill the list of those that are waited for. */
static bool is_given_up(const gannet_history *history, int64_t id) {
  const int64_t total = gannet_history_count(history), later = total - id - 1;
  int64_t told = 0;
  if (later < GANNET_ALLOCATION_OPEN) return false;
  for (int64_t j = id + 1; j < total; ++j)
    told += gannet_history_get(history, j)->status != GANNET_EVAL_PENDING;
  return 2 * told > later;
}

static gannet_err credit_results(gannet_allocation *a, const gannet_history *history,
                                 gannet_front *front) {
  const bool several = gannet_problem_n_objectives(gannet_history_problem(history)) > 1;
  double best = NONE, spread = 0;
  if (several)
    GANNET_TRY(gannet_front_find(history, front));
  else
    GANNET_TRY(find_best_and_spread(history, a->best, &best, &spread));
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) {
    const int64_t id = a->open[i].id;
    const int member = a->open[i].member;
    if (id < 0) continue;
    const bool waits = gannet_history_get(history, id)->status == GANNET_EVAL_PENDING;
    if (waits && !is_given_up(history, id)) continue;
    a->open[i].id = -1;
    if (waits || a->left_out[member] >= 0) continue;
    double gain = several ? 0 : gain_of(history, id, a->best, spread);
    for (int k = 0; k < front->n; ++k) /* of several objectives a place on the front counts half */
      if (front->id[k] == id) gain = 0.5;
    a->gain[member] = memory * a->gain[member] + gain;
    a->trials[member] = memory * a->trials[member] + 1;
  }
  a->best = best;
  for (int i = 0; i < GANNET_MEMBERS_MOST; ++i)
    if (a->left_out[i] >= 0 && gannet_history_count_told(history) >= 2 * a->left_out[i])
      a->left_out[i] = -1; /* it comes back as a newcomer, without gain and trials */
  return GANNET_OK;
}

gannet_err gannet_allocation_credit_results(gannet_allocation *a, const gannet_history *history) {
  gannet_front front = {0};
  const gannet_err err = credit_results(a, history, &front);
  gannet_front_release(&front);
  return err;
}

void gannet_allocation_leave_out(gannet_allocation *a, int member, int64_t results) {
  a->left_out[member] = results > 0 ? results : 1;
  a->gain[member] = a->trials[member] = a->due[member] = 0;
}

int64_t gannet_allocation_left_out(const gannet_allocation *a, int member) {
  return a->left_out[member];
}

/* Deal out what goes by merit: shares are proportional to the square of merit, and what a member
 * has above its limit goes to those without a limit. */
static void share_by_merit(const gannet_allocation *a, int n, const bool *idle, const double *limit,
                           double *share) {
  double all = 0, free = 0, left = 1;
  for (int i = 0; i < n; ++i) {
    const double merit = (a->gain[i] + prior_points * prior_gain) / (a->trials[i] + prior_points);
    share[i] = idle[i] || limit[i] <= 0 ? 0 : merit * merit;
    all += share[i];
    if (limit[i] >= 1) free += share[i];
  }
  for (int i = 0; i < n; ++i) {
    if (!(free > 0) || limit[i] >= 1) continue;
    share[i] = fmin(share[i] / all, limit[i]);
    left -= share[i];
  }
  const double sum = free > 0 ? free : all;
  for (int i = 0; i < n; ++i)
    if (!(free > 0) || limit[i] >= 1) share[i] = sum > 0 ? left * share[i] / sum : 0;
}

void gannet_allocation_shares(const gannet_allocation *a, int n, const bool *idle,
                              const double *most, double *share) {
  double limit[GANNET_MEMBERS_MOST], sum = 0;
  int active = 0;
  for (int i = 0; i < n; ++i) active += !idle[i];
  for (int i = 0; i < n; ++i)
    limit[i] = most[i] < 1 ? fmax(0, (most[i] - floor_share / active) / (1 - floor_share)) : 1;
  share_by_merit(a, n, idle, limit, share);
  for (int i = 0; i < n; ++i) sum += share[i];
  for (int i = 0; i < n; ++i)
    if (!idle[i])
      share[i] = floor_share / active + (1 - floor_share) * (sum > 0 ? share[i] : 1.0 / active);
}

void gannet_allocation_deal(gannet_allocation *a, int n, const bool *idle, const double *most,
                            int q, int *count) {
  double share[GANNET_MEMBERS_MOST];
  gannet_allocation_shares(a, n, idle, most, share);
  for (int i = 0; i < n; ++i) count[i] = 0;
  for (int point = 0; point < q; ++point) {
    int chosen = -1;
    for (int i = 0; i < n; ++i) {
      a->due[i] = idle[i] ? 0 : a->due[i] + share[i];
      if (!idle[i] && (chosen < 0 || a->due[i] > a->due[chosen])) chosen = i;
    }
    a->due[chosen] -= 1;
    count[chosen] += 1;
  }
}

void gannet_allocation_note(gannet_allocation *a, int64_t first, int64_t step, int n,
                            const int *count) {
  int64_t all = 0, free = 0, at = 0;
  int place = 0;
  for (int i = 0; i < n; ++i) all += count[i];
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) free += a->open[i].id < 0;
  const int64_t judged = all < free ? all : free;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < count[i]; ++k, ++at) {
      if ((at + 1) * judged / all == at * judged / all) continue;
      while (a->open[place].id >= 0) ++place;
      a->open[place] = (gannet_allocation_open){first + at * step, i};
    }
}

/* One member's row of the arrays, as it is saved. */
typedef struct {
  double gain, trials, due;
  int64_t left_out;
} share_state;

static const gannet_struct_field portfolio_fields[] = {
    {.name = "best", GANNET_STRUCT_AT(gannet_allocation, best, REAL), .fallback = NONE}, {0}};

static const gannet_struct_field share_fields[] = {
    {.name = "gain", GANNET_STRUCT_AT(share_state, gain, REAL)},
    {.name = "trials", GANNET_STRUCT_AT(share_state, trials, REAL)},
    {.name = "due", GANNET_STRUCT_AT(share_state, due, REAL)},
    {.name = left_out_name, GANNET_STRUCT_AT(share_state, left_out, LARGE), .fallback = -1},
    {0}};

gannet_err gannet_allocation_get_state(const gannet_allocation *a, const char *own, int n,
                                       char (*parts)[GANNET_STATE_NAME], gannet_state *state) {
  char name[32];
  GANNET_TRY(gannet_state_put_fields(state, own, portfolio_fields, a));
  for (int i = 0; i < n; ++i) {
    const share_state share = {a->gain[i], a->trials[i], a->due[i], a->left_out[i]};
    GANNET_TRY(gannet_state_put_fields(state, parts[i], share_fields, &share));
  }
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) {
    if (a->open[i].id < 0) continue;
    (void)snprintf(name, sizeof name, "open.%d", i);
    GANNET_TRY(gannet_state_put(state, parts[a->open[i].member], name, GANNET_STATE_WHOLE,
                                (double)a->open[i].id));
  }
  return GANNET_OK;
}

/* Evaluations that a method proposed which has left the portfolio are nobody's, and not judged. */
static void find_open(gannet_allocation *a, int n, char (*parts)[GANNET_STATE_NAME],
                      int64_t evaluations, gannet_state *state) {
  char name[32];
  for (int i = 0; i < GANNET_ALLOCATION_OPEN; ++i) {
    (void)snprintf(name, sizeof name, "open.%d", i);
    for (int member = 0; member < n && a->open[i].id < 0; ++member) {
      double id = -1;
      if (gannet_state_find(state, parts[member], name, &id) && id >= 0 && id < (double)evaluations)
        a->open[i] = (gannet_allocation_open){(int64_t)id, member};
    }
  }
}

gannet_err gannet_allocation_set_state(gannet_allocation *a, const char *own, int n,
                                       char (*parts)[GANNET_STATE_NAME], int64_t evaluations,
                                       gannet_state *state) {
  gannet_allocation_reset(a);
  GANNET_TRY(gannet_state_take_fields(state, own, portfolio_fields, a));
  for (int i = 0; i < n; ++i) {
    share_state share;
    GANNET_TRY(gannet_state_take_fields(state, parts[i], share_fields, &share));
    a->gain[i] = share.gain;
    a->trials[i] = share.left_out < 0 ? share.trials : 0;
    a->due[i] = share.due;
    a->left_out[i] = share.left_out < 0 ? -1 : share.left_out;
  }
  find_open(a, n, parts, evaluations, state);
  return GANNET_OK;
}

int64_t gannet_allocation_find_left_out(const gannet_state *state, const char *part) {
  char name[GANNET_STATE_NAME];
  (void)snprintf(name, sizeof name, "%s%s", part, left_out_name);
  const int at = gannet_state_position(state, name, 0);
  return at < 0 ? -1 : (int64_t)state->value[at].number;
}
