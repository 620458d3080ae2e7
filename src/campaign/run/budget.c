#include "campaign/run/budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "campaign/config/candidates.h"
#include "optimizer/replicates.h"
#include "problem/cost.h"
#include "problem/objectives.h"
#include "problem/outputs.h"
#include "problem/variable_constraints.h"

enum { MOST_DESIGNS = 10000 };

static int by_size(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Rows of which each is evaluated once however often it is listed; all of them when memory is
 * short. */
static int64_t count_different(int64_t n, size_t v, const double *rows) {
  uint64_t *hash = NULL;
  int64_t different = 0;
  if (gannet_alloc((size_t)n, sizeof *hash, &hash) != GANNET_OK) {
    gannet_error_clear();
    return n;
  }
  for (int64_t i = 0; i < n; ++i) hash[i] = gannet_hash(rows + (size_t)i * v, v * sizeof *rows);
  qsort(hash, (size_t)n, sizeof *hash, by_size);
  for (int64_t i = 0; i < n; ++i) different += i == 0 || hash[i] != hash[i - 1];
  gannet_free(&hash);
  return different;
}

/* INT64_MAX where another evaluation of the same design may tell something, or where there are too
 * many to be counted at every step. */
static int64_t count_designs(const gannet_problem *problem) {
  const double designs = gannet_problem_count_points(problem);
  const bool exact = gannet_problem_is_exact(problem) && designs <= MOST_DESIGNS;
  return exact ? (int64_t)designs : INT64_MAX;
}

int64_t gannet_budget_designs_left(const gannet_campaign *campaign) {
  const gannet_history *h = campaign->history;
  const int64_t designs = count_designs(campaign->input->problem), n = gannet_history_count(h);
  const int64_t kept = gannet_history_count_kept(h);
  if (designs == INT64_MAX || gannet_history_count_left(h) != INT64_MAX) return INT64_MAX;
  if (kept == 0) return designs;
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  double *rows = NULL;
  int64_t used = kept, at = 0;
  const bool all_allowed =
      !campaign->input->problem->variable_constraints && gannet_history_count_elsewhere(h) == 0;
  if (kept == n && all_allowed) {
    used = count_different(n, v, gannet_history_x_user(h, 0));
  } else if (gannet_alloc((size_t)kept * v, sizeof *rows, &rows) == GANNET_OK) {
    for (int64_t id = 0; id < n; ++id) { /* constraints may have changed since */
      const double *x = gannet_history_x_user(h, id);
      const gannet_evaluation *row = gannet_history_get(h, id);
      if (row->status == GANNET_EVAL_DISCARDED || row->elsewhere) continue;
      if (gannet_problem_check_allowed(campaign->input->problem, x) == GANNET_OK)
        memcpy(rows + (size_t)at++ * v, x, v * sizeof *rows);
      else
        gannet_error_clear();
    }
    used = count_different(at, v, rows);
    gannet_free(&rows);
  } else {
    gannet_error_clear();
  }
  return used < designs ? designs - used : 0;
}

int64_t gannet_budget_used(const gannet_campaign *campaign) {
  const gannet_history *h = campaign->history;
  const int64_t kept = gannet_history_count_kept(h), n = gannet_history_count(h);
  int64_t used = kept - gannet_history_count_origin(h, GANNET_ORIGIN_IMPORT);
  for (int64_t id = 0; id < n && kept < n; ++id) /* they were not counted in the first place */
    used += gannet_history_get(h, id)->origin == GANNET_ORIGIN_IMPORT &&
            gannet_history_get(h, id)->status == GANNET_EVAL_DISCARDED;
  return used;
}

double gannet_budget_cost_spent(const gannet_campaign *campaign) {
  return gannet_cost_spent(campaign->history, campaign->input->cost.from);
}

void gannet_budget_format_cost(const gannet_campaign *campaign, char *text) {
  const double spent = gannet_budget_cost_spent(campaign), limit = campaign->input->budget.cost;
  const gannet_problem *problem = campaign->input->problem;
  const char *cost = campaign->input->cost.from, *unit = "", *of = isnan(limit) ? "" : " of ";
  char numbers[2][32] = {"", ""};
  if (strcmp(cost, GANNET_COST_OF_TIME) == 0) {
    gannet_format_duration(spent, numbers[0], sizeof numbers[0]);
    if (*of) gannet_format_duration(limit, numbers[1], sizeof numbers[1]);
  } else {
    const int index = gannet_problem_find_quantity(problem, cost);
    const gannet_output *output = gannet_output_find(problem, cost);
    if (index == 0) unit = gannet_problem_objective_unit(problem);
    if (index > 0) unit = gannet_problem_unit(problem->constraint_unit, index - 1);
    if (output && output->unit) unit = output->unit;
    (void)snprintf(numbers[0], sizeof numbers[0], "%.6g", spent);
    if (*of) (void)snprintf(numbers[1], sizeof numbers[1], "%.6g", limit);
  }
  (void)snprintf(text, GANNET_BUDGET_TEXT, "%s%s%s%s%.60s", numbers[0], of, numbers[1],
                 *unit ? " " : "", unit);
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

int64_t gannet_budget_left(const gannet_campaign *campaign) {
  const int budget = campaign->input->budget.evaluations;
  const int64_t used = gannet_budget_used(campaign);
  int64_t listed = 0;
  if (gannet_replicates_count_left(campaign->history, &listed) != GANNET_OK) gannet_error_clear();
  const double cost = campaign->input->budget.cost;
  if (!isnan(cost) && gannet_budget_cost_spent(campaign) >= cost) return 0;
  const int64_t paid = budget == GANNET_AUTO ? INT64_MAX : used < budget ? budget - used : 0;
  const int64_t left = least(listed, paid);
  /* As many proposals have used up no more designs: then these need not be told apart. */
  if (count_designs(campaign->input->problem) - gannet_history_count(campaign->history) >= left)
    return left;
  return least(left, gannet_budget_designs_left(campaign));
}

int64_t gannet_budget_total(const gannet_campaign_input *input) {
  const int64_t budget = input->budget.evaluations == GANNET_AUTO ? 0 : input->budget.evaluations;
  gannet_optimizer_options options;
  int64_t listed = 0, replicates = 1;
  double *rows = NULL;
  if (gannet_campaign_options(input, &options) == GANNET_OK && options.method.replicates > 1)
    replicates = options.method.replicates;
  gannet_optimizer_options_release(&options);
  gannet_error_clear();
  if (strcmp(input->general.candidates, "none") == 0) {
    const int64_t designs = count_designs(input->problem);
    return designs < INT64_MAX && (budget == 0 || designs < budget) ? designs : budget;
  }
  if (gannet_candidates_file_read(input->general.candidates, input->problem, &listed, &rows) !=
      GANNET_OK) {
    gannet_error_clear();
    return budget;
  }
  listed = count_different(listed, (size_t)input->problem->spec.n_variables, rows) * replicates;
  gannet_free(&rows);
  return listed > 0 && (budget == 0 || listed < budget) ? listed : budget;
}

void gannet_budget_format(int64_t n, const char *what, const char *between, int64_t total,
                          char *text) {
  char share[72] = "";
  if (total > 0 && n <= total)
    (void)snprintf(share, sizeof share, "%.10s%lld", between, (long long)total);
  else if (total > 0)
    (void)snprintf(share, sizeof share, " (%lld over the limit of %lld)", (long long)(n - total),
                   (long long)total);
  (void)snprintf(text, GANNET_BUDGET_TEXT, "%lld%.12s%s", (long long)n, what, share);
}

bool gannet_budget_has_failed(const gannet_campaign *campaign, char *why, size_t size) {
  const gannet_failure_limit *limit = &campaign->input->failures;
  const gannet_history *h = campaign->history;
  const int64_t proposed = gannet_budget_used(campaign);
  const int64_t failed = gannet_history_count_status(h, GANNET_EVAL_FAILED);
  const int64_t pending = gannet_history_count_status(h, GANNET_EVAL_PENDING);
  if (proposed - pending < limit->minimum) return false;
  if (!((double)failed > limit->rate * (double)proposed)) return false;
  (void)snprintf(why, size,
                 "%lld of %lld evaluations failed; `gannet status` lists the reasons; --resume "
                 "--set budget.failures.rate=1 continues",
                 (long long)failed, (long long)proposed);
  return true;
}
