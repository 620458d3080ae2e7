/* What gannet watch keeps from look to look, so that a look costs only what is new. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/watch/watch.h"
#include "problem/runs.h"

static gannet_err make_room(int n, int *capacity, size_t size, void *pointer_to_pointer) {
  if (n < *capacity) return GANNET_OK;
  const int larger = 2 * n + 16;
  GANNET_TRY(gannet_resize((size_t)*capacity, (size_t)larger, size, pointer_to_pointer));
  *capacity = larger;
  return GANNET_OK;
}

void watch_course_release(watch_course *course) {
  gannet_free(&course->steps);
  gannet_free(&course->proposals);
  gannet_free(&course->sights);
}

/* A value that came as the n-th is a step if it is better than those before. */
static gannet_err take_step(watch_course *c, const gannet_problem *problem, int64_t n,
                            double value) {
  if (c->n_steps > 0 && !(gannet_problem_flip(problem, value) <
                          gannet_problem_flip(problem, c->steps[c->n_steps - 1].value)))
    return GANNET_OK;
  GANNET_TRY(make_room(c->n_steps, &c->step_capacity, sizeof *c->steps, &c->steps));
  c->steps[c->n_steps++] = (watch_step){n, value};
  return GANNET_OK;
}

static gannet_err take_ended(watch_course *c, const gannet_follow *follow, int64_t id) {
  const gannet_ticket *t = &follow->campaign.ledger.ticket[id];
  const gannet_problem *problem = follow->campaign.input->problem;
  const double from =
      isfinite(t->result.run.submitted) ? t->result.run.submitted : t->result.run.started;
  c->n_ended += 1;
  c->begun = fmin(c->begun, from);
  c->last_ended = fmax(c->last_ended, t->result.run.ended);
  if (t->result.status == GANNET_EVAL_DISCARDED) return GANNET_OK;
  if (t->result.status != GANNET_EVAL_DONE) {
    c->failure[c->n_failures++ % WATCH_FAILURES] = id;
    return GANNET_OK;
  }
  if (gannet_history_joins_runs(follow->campaign.history)) return GANNET_OK;
  if (!gannet_ledger_is_feasible(&follow->campaign.ledger, id)) return GANNET_OK;
  return take_step(c, problem, c->n_ended, t->result.objective);
}

/* The steps by the means of designs, which change with each run. */
static gannet_err take_steps_of_designs(watch_course *c, const gannet_follow *follow) {
  const gannet_history *h = follow->campaign.history;
  const int least = gannet_runs_least(h);
  c->n_steps = 0;
  for (int64_t at = 0; at < c->n_ended; ++at) {
    const double mean = gannet_runs_course(h, gannet_history_order(h)[at], least);
    if (!isnan(mean)) GANNET_TRY(take_step(c, follow->campaign.input->problem, at + 1, mean));
  }
  return GANNET_OK;
}

/* Evaluations of one batch have the time of one proposal. */
static gannet_err take_proposals(watch_course *c, const gannet_follow *follow) {
  const gannet_campaign *campaign = &follow->campaign;
  for (; c->n_seen < campaign->ledger.n; ++c->n_seen) {
    const double seconds = campaign->ledger.ticket[c->n_seen].proposal;
    const int64_t batch = gannet_history_get(campaign->history, c->n_seen)->batch;
    if (batch == c->last_batch || !isfinite(seconds)) continue;
    c->last_batch = batch;
    GANNET_TRY(
        make_room(c->n_proposals, &c->proposal_capacity, sizeof *c->proposals, &c->proposals));
    c->proposals[c->n_proposals++] = seconds;
    c->proposals_sum += seconds;
    c->proposals_longest = fmax(c->proposals_longest, seconds);
  }
  return GANNET_OK;
}

static int compare_numbers(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static gannet_err find_median(watch_course *c) {
  const size_t n = (size_t)c->n_proposals;
  double *sorted = NULL;
  GANNET_TRY(gannet_alloc(n, sizeof *sorted, &sorted));
  memcpy(sorted, c->proposals, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, compare_numbers);
  c->proposals_median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
  gannet_free(&sorted);
  return GANNET_OK;
}

static const watch_sight *find_sight(const watch_sight *sights, int n, int64_t id, int attempt) {
  for (int i = 0; i < n; ++i)
    if (sights[i].id == id && sights[i].attempt == attempt) return &sights[i];
  return NULL;
}

/* The evaluations that are under way, with the time at which each was seen first. */
static gannet_err take_sights(watch_course *c, const gannet_follow *follow, bool is_first) {
  const gannet_ledger *ledger = &follow->campaign.ledger;
  const int64_t pending = gannet_ledger_pending(ledger);
  const double now = gannet_clock_epoch();
  const int n_old = c->n_sights;
  watch_sight *old = c->sights;
  gannet_err err = GANNET_OK;
  c->sights = NULL;
  c->n_sights = c->sight_capacity = 0;
  for (int64_t id = ledger->n - 1, seen = 0; id >= 0 && seen < pending && err == GANNET_OK; --id) {
    const gannet_ticket *t = &ledger->ticket[id];
    if (t->has_result) continue;
    ++seen;
    if (t->nonce == 0) continue;
    const watch_sight *known = find_sight(old, n_old, id, t->attempt);
    err = make_room(c->n_sights, &c->sight_capacity, sizeof *c->sights, &c->sights);
    if (err == GANNET_OK)
      c->sights[c->n_sights++] =
          known ? *known
                : (watch_sight){id, t->attempt, is_first ? follow->changed : now, !is_first};
  }
  gannet_free(&old);
  return err;
}

gannet_err watch_course_update(watch_course *course, const gannet_follow *follow) {
  const gannet_history *h = follow->campaign.history;
  const bool is_first = course->n_seen == 0 || course->generation != follow->generation;
  const int before = course->n_proposals;
  if (is_first) {
    watch_course_release(course);
    *course = (watch_course){
        .generation = follow->generation, .last_batch = -1, .begun = NAN, .last_ended = NAN};
  }
  while (course->n_ended < gannet_history_count_told(h))
    GANNET_TRY(take_ended(course, follow, gannet_history_order(h)[course->n_ended]));
  if (gannet_history_joins_runs(h)) GANNET_TRY(take_steps_of_designs(course, follow));
  GANNET_TRY(take_proposals(course, follow));
  if (course->n_proposals != before) GANNET_TRY(find_median(course));
  return take_sights(course, follow, is_first);
}

double watch_course_best(const watch_course *course, int64_t ended) {
  int low = 0, high = course->n_steps;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (course->steps[middle].ended <= ended)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? course->steps[low - 1].value : NAN;
}

double watch_course_left(const watch_course *course, const gannet_follow *follow,
                         double *per_second) {
  const gannet_history *h = follow->campaign.history;
  const int64_t batch = follow->campaign.input->general.batch, n = course->n_ended;
  const int64_t wanted = 2 * batch > 20 ? 2 * batch : 20, window = n < wanted ? n : wanted;
  const double wall = follow->campaign.input->budget.wall_time, now = gannet_clock_epoch();
  const double since =
      window < n ? gannet_history_get(h, gannet_history_order(h)[n - window - 1])->run.ended
                 : course->begun;
  double left = NAN;
  *per_second = now > since ? (double)window / (now - since) : NAN;
  if (follow->total > n && *per_second > 0) left = (double)(follow->total - n) / *per_second;
  if (follow->holder.pid && isfinite(wall))
    left = fmin(left, fmax(0, follow->holder.since + wall - now));
  return left;
}

void watch_find_running(const gannet_follow *follow, const watch_sight *seen,
                        watch_running *running) {
  char name[48], directory[PATH_MAX];
  gannet_attempt_info info = {.started = NAN, .slot = -1};
  const gannet_ticket *t = &follow->campaign.ledger.ticket[seen->id];
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)seen->id);
  const bool found = gannet_campaign_path(&follow->campaign, name, directory) == GANNET_OK &&
                     gannet_attempt_read(directory, &info) && info.nonce == t->nonce;
  const bool is_dated = found && isfinite(info.started) && info.started > 0;
  const double since = is_dated ? info.started : seen->since;
  *running = (watch_running){.id = seen->id,
                             .attempt = seen->attempt,
                             .seconds = fmax(0, gannet_clock_epoch() - since),
                             .is_exact = is_dated || seen->exact,
                             .slot = found ? info.slot : -1,
                             .pid = found ? info.pid : 0};
  if (!found) return;
  (void)snprintf(running->host, sizeof running->host, "%s", info.host);
  (void)snprintf(running->job, sizeof running->job, "%s", info.job);
  (void)snprintf(running->place, sizeof running->place, "%s", info.place);
}
