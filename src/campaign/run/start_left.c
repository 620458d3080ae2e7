/* Designs to start with are proposed in their order, each once. Which were proposed is not written
 * down: it follows from the history, so that designs may be added to the list before a resume, and
 * a budget that ends before the list does leaves the rest to the next run.
 *
 *   a whole design    was proposed when any evaluation is at this point: its result is known, or
 *                     will be
 *   a partial design  was proposed when an evaluation that a start gave has its values; one that
 *                     served for another design of the list does not count again
 */
#include "campaign/run/start_left.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "optimizer/replicates.h"
#include "problem/point_index.h"

static const double *point_of(const void *user, int64_t id) {
  return gannet_history_x_user(user, id);
}

/* Whether a point has all values that a design gives; *is_whole = it gives every value. */
static bool has_values(int v, const double *given, const double *x, bool *is_whole) {
  bool same = true;
  *is_whole = true;
  for (int k = 0; k < v; ++k) {
    if (isnan(given[k]))
      *is_whole = false;
    else
      same = same && given[k] == x[k];
  }
  return same;
}

/* The evaluation that a design has become, -1 = none yet.
 *
 * is_used  in  [rows of the history] evaluations that other designs have become
 */
static int64_t find_evaluation(const gannet_history *h, const gannet_point_index *index, int v,
                               const double *x, const bool *is_used) {
  bool is_whole = true;
  (void)has_values(v, x, x, &is_whole);
  if (is_whole) return gannet_point_index_find(index, x, -1);
  for (int64_t id = 0; id < gannet_history_count(h); ++id)
    if (!is_used[id] && gannet_history_get(h, id)->origin == GANNET_ORIGIN_START &&
        has_values(v, x, gannet_history_x_user(h, id), &is_whole))
      return id;
  return -1;
}

/* left  out  [start->n] *n designs that have become no evaluation */
static gannet_err list_left(const gannet_start *start, const gannet_history *h,
                            gannet_point_index *index, bool *is_used, int64_t *left, int64_t *n) {
  const int v = gannet_history_problem(h)->spec.n_variables;
  *n = 0;
  for (int64_t id = 0; id < gannet_history_count(h); ++id)
    GANNET_TRY(gannet_point_index_add(index, id));
  for (int64_t i = 0; i < start->n; ++i) {
    const int64_t id = find_evaluation(h, index, v, start->x + i * v, is_used);
    if (id >= 0)
      is_used[id] = true;
    else
      left[(*n)++] = i;
  }
  return GANNET_OK;
}

/* left  out  to be freed, also after an error */
static gannet_err find_left(const gannet_start *start, const gannet_history *h, int64_t **left,
                            int64_t *n) {
  gannet_point_index *index = NULL;
  bool *is_used = NULL;
  gannet_err err = gannet_alloc((size_t)start->n, sizeof **left, left);
  if (err == GANNET_OK)
    err = gannet_alloc((size_t)gannet_history_count(h), sizeof *is_used, &is_used);
  if (err == GANNET_OK)
    err =
        gannet_point_index_create(gannet_history_problem(h)->spec.n_variables, h, point_of, &index);
  if (err == GANNET_OK) err = list_left(start, h, index, is_used, *left, n);
  gannet_point_index_destroy(&index);
  gannet_free(&is_used);
  return err;
}

gannet_err gannet_start_check_run(const void *start, const gannet_history *history) {
  const gannet_start *designs = start;
  int64_t *left = NULL, n = 0, first = -1;
  bool any = false;
  for (int64_t i = 0; designs->wrong && i < designs->n; ++i) any = any || designs->wrong[i];
  if (!any) return GANNET_OK;
  gannet_err err = find_left(designs, history, &left, &n);
  for (int64_t i = 0; err == GANNET_OK && i < n && first < 0; ++i)
    if (designs->wrong[left[i]]) first = left[i];
  gannet_free(&left);
  GANNET_REQUIRE(first < 0, GANNET_ERR_INPUT,
                 "%s: start: %s; only a design that has run may stay in the list then",
                 designs->location[first], designs->wrong[first]);
  return err;
}

gannet_err gannet_campaign_count_start(gannet_campaign *campaign, int64_t *n) {
  gannet_err err = GANNET_OK;
  if (!campaign->knows_start_left && campaign->input->start.n > 0) {
    err = find_left(&campaign->input->start, campaign->history, &campaign->start_left,
                    &campaign->n_start_left);
    campaign->knows_start_left = err == GANNET_OK;
  }
  *n = campaign->n_start_left;
  return err;
}

/* Enter n runs of one design; its values that are not given are filled in for the first run.
 *
 * x        in  [n_variables]
 * is_last  in  the batch ends with these runs
 * scratch  -   [n][n_variables]
 */
static gannet_err enter_runs(gannet_campaign *campaign, const double *x, int n, bool is_last,
                             double *scratch) {
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  memcpy(scratch, x, v * sizeof *x);
  GANNET_TRY(gannet_optimizer_enter_designs(campaign->optimizer, 1, scratch, is_last && n == 1));
  if (n == 1) return GANNET_OK;
  for (int k = 1; k < n; ++k) memcpy(scratch + (size_t)k * v, scratch, v * sizeof *x);
  return gannet_optimizer_enter_designs(campaign->optimizer, n - 1, scratch + v, is_last);
}

/* Enter designs of which each is run several times, q runs at most: first come the runs that the
 * last one lacks.
 *
 * scratch  -    [q + 1][n_variables]
 * n        out  runs that were entered
 * taken    out  designs of the list
 */
static gannet_err enter_replicated(gannet_campaign *campaign, int q, int64_t left, double *scratch,
                                   int *n, int *taken) {
  const gannet_history *own = gannet_optimizer_history(campaign->optimizer);
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  const int replicates = gannet_history_replicates(own);
  int64_t row;
  int due = gannet_replicates_due_of_start(own, &row);
  if (due > q) due = q;
  /* A row moves when the table grows. */
  if (due > 0) memcpy(scratch + (size_t)q * v, gannet_history_x_user(own, row), v * sizeof(double));
  if (due > 0) GANNET_TRY(enter_runs(campaign, scratch + (size_t)q * v, due, due == q, scratch));
  *n = due;
  for (*taken = 0; *taken < left && *n < q; ++*taken) {
    const int runs = q - *n < replicates ? q - *n : replicates;
    *n += runs;
    const double *x = campaign->input->start.x + (size_t)campaign->start_left[*taken] * v;
    GANNET_TRY(enter_runs(campaign, x, runs, *n == q, scratch));
  }
  return GANNET_OK;
}

gannet_err gannet_start_enter(gannet_campaign *campaign, int q, int *n) {
  const size_t v = (size_t)campaign->input->problem->spec.n_variables;
  const bool is_replicated =
      gannet_history_replicates(gannet_optimizer_history(campaign->optimizer)) > 1;
  int64_t left = 0;
  double *x = NULL;
  *n = 0;
  gannet_err err = gannet_campaign_count_start(campaign, &left);
  int taken = left < q ? (int)left : q;
  const size_t rows = is_replicated ? (size_t)q + 1 : (size_t)taken;
  if (err == GANNET_OK) err = gannet_alloc(rows * v, sizeof *x, &x);
  err = gannet_agree(campaign->context->comm, err);
  if (err != GANNET_OK) gannet_free(&x);
  GANNET_TRY(err);
  for (int i = 0; i < taken && !is_replicated; ++i)
    memcpy(x + (size_t)i * v, campaign->input->start.x + (size_t)campaign->start_left[i] * v,
           v * sizeof *x);
  if (is_replicated) {
    err = enter_replicated(campaign, q, left, x, n, &taken);
  } else if (taken > 0) {
    err = gannet_optimizer_enter_designs(campaign->optimizer, taken, x, taken == q);
    *n = taken;
  }
  gannet_free(&x);
  GANNET_TRY(err);
  if (taken == 0) return GANNET_OK;
  campaign->n_start_left -= taken;
  memmove(campaign->start_left, campaign->start_left + taken,
          (size_t)campaign->n_start_left * sizeof *campaign->start_left);
  return GANNET_OK;
}
