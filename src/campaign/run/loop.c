#include "campaign/run/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "campaign/run/batch.h"
#include "campaign/run/budget.h"
#include "campaign/run/corrections.h"
#include "campaign/run/stop.h"
#include "campaign/run/stop_rule.h"
#include "campaign/run/tidy.h"
#include "campaign/tables/table.h"

/* How long rank 0 waits for simulations before it looks for signals and the clock again. */
static const double wait_seconds = 0.25;

/* When points are proposed and when results are told. Synchronous batches and asynchronous refill
 * differ in nothing else.
 *
 * The journal holds the order in which results were told, so a replay of either proposes the same
 * points; but only synchronous batches tell in an order that does not depend on how long the
 * simulations took. */
typedef struct {
  /* How many points to propose now, when left more may be. */
  int (*wanted)(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left);
  /* Whether to tell the results that have come in. */
  bool (*is_ready_to_tell)(const gannet_batch *batch);
} strategy;

static int next_batch(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left) {
  const int size = campaign->input->general.batch;
  return batch->n > 0 ? 0 : left < size ? (int)left : size;
}

static bool all_have_ended(const gannet_batch *batch) {
  return batch->n_flight == 0 && gannet_batch_waiting(batch) == 0;
}

/* Count free slots. An evaluation that waits for a further attempt takes a slot as well. */
static int free_slots(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left) {
  const int used = batch->n_flight + gannet_batch_waiting(batch);
  const int free = campaign->input->evaluate.parallel - used;
  return free <= 0 ? 0 : left < free ? (int)left : free;
}

static bool any_has_ended(const gannet_batch *batch) {
  return batch->n_ended > 0;
}

static const strategy strategies[] = {[GANNET_MODE_BATCH] = {next_batch, all_have_ended},
                                      [GANNET_MODE_ASYNCHRONOUS] = {free_slots, any_has_ended}};

/* A run. Times are seconds of gannet_clock_seconds, durations seconds. */
typedef struct {
  gannet_campaign *campaign;
  const gannet_run_options *options;
  gannet_evaluator *evaluator;
  const strategy *strategy;
  gannet_stop_request asked; /* what stops the run, as of the last look */
  gannet_stopping stopping;  /* the same for the evaluator */
  double deadline;
  bool is_own_limit;    /* the deadline is that of budget.wall_time */
  double longest_batch; /* duration of any batch of this run */

  gannet_batch batch; /* everything proposed and not told */
  gannet_progress progress;
  int n_told;
  size_t told_room;
  int64_t *told;  /* [n_told] evaluations that were told and not shown yet */
  int unreported; /* evaluations told since the last line of progress */
  gannet_regret_memo regret;
  bool has_begun;      /* this run has proposed points or told results */
  double ask_duration; /* of the last proposal */

  double begun, last_save; /* times */
  double save_duration;    /* of the last snapshot */
  double save_sum;         /* duration of all snapshots */
  int saves;
  int64_t saved;         /* journal record that the last snapshot ends with, -1 = no snapshot yet */
  int64_t batches_since; /* the last snapshot */

  gannet_keep keep;
  bool *is_tidy; /* [n_tidy] whose files need not be looked at again; on rank 0 */
  int64_t n_tidy;
  bool has_begun_tidying;   /* evaluations that had ended before this run were looked at */
  bool has_told_of_tidying; /* that files cannot be removed */

  bool detaches;      /* this process is only a step, and what is in flight can go on without it */
  bool is_detached;   /* it has been left to go on */
  char detached[256]; /* what, in words */
} runner;

gannet_evaluator_setup gannet_run_evaluator_setup(const gannet_campaign *campaign,
                                                  const gannet_run_options *options) {
  const gannet_evaluate_keys *keys = &campaign->input->evaluate;
  return (gannet_evaluator_setup){
      .context = campaign->context,
      .problem = campaign->input->problem,
      .campaign = campaign->directory,
      .input_directory = options->input_directory ? options->input_directory
                                                  : campaign->input->general.input_directory,
      .name = campaign->input->general.name,
      .parallel = keys->parallel,
      .time_limit = isnan(keys->time_limit) ? INFINITY : keys->time_limit,
      .simulations = options->simulations,
      .launcher = options->launcher,
      .starts_from_nearest = keys->start_from == GANNET_START_NEAREST,
      .resources = gannet_resources_are_given(&keys->resources) ? &keys->resources : NULL,
      .locate = gannet_campaign_locate,
      .located = campaign->input};
}

/* Whether a batch would not end before the deadline, judged by the longest evaluation so far and
 * the longest batch of this run; rank 0's clock decides. */
static gannet_err is_too_late(const runner *r, int q, bool *late) {
  const gannet_campaign *c = r->campaign;
  int rounds = (q + c->input->evaluate.parallel - 1) / c->input->evaluate.parallel;
  if (r->detaches) rounds = 0; /* this process ends long before its simulations */
  const double needed = fmax(c->ledger.longest * rounds, r->longest_batch);
  int answer = gannet_clock_seconds() + needed > r->deadline;
  GANNET_TRY_MPI(MPI_Bcast(&answer, 1, MPI_INT, 0, c->context->comm));
  *late = answer;
  return GANNET_OK;
}

static gannet_err rewrite_table(const gannet_campaign *campaign) {
  char path[PATH_MAX];
  gannet_err err = gannet_campaign_path(campaign, "history.csv", path);
  if (err == GANNET_OK && campaign->context->rank == 0)
    err = gannet_table_replace(path, &campaign->ledger);
  return gannet_agree(campaign->context->comm, err);
}

gannet_err gannet_campaign_finish_change(gannet_campaign *campaign) {
  if (!campaign->change.is_of_problem) return GANNET_OK;
  GANNET_TRY(rewrite_table(campaign));
  for (int i = 0; i < 2; ++i) GANNET_TRY(gannet_campaign_save(campaign));
  return GANNET_OK;
}

static gannet_err look_for_stop(runner *r) {
  const gannet_context *context = r->campaign->context;
  const gannet_stop before = r->asked.stop;
  char stop_file[PATH_MAX];
  bool renewed = false;
  /* Another process that has the campaign is noticed while simulations run, not hours later. */
  const gannet_err err = gannet_ledger_keep(&r->campaign->ledger, &renewed);
  if (renewed && err == GANNET_OK)
    gannet_log(context, GANNET_LOG_WARNING,
               "journal.lock was removed while the campaign was running, and has been made again: "
               "leave it there, since it keeps a second gannet from writing to the same campaign");
  GANNET_TRY(gannet_agree(context->comm, err));
  GANNET_TRY(gannet_campaign_path(r->campaign, "STOP", stop_file));
  GANNET_TRY(gannet_stop_ask(context, stop_file, r->deadline, &r->asked));
  if (r->asked.stop == GANNET_GO_ON && r->batch.returned[0]) { /* the same on all ranks */
    r->asked.stop = GANNET_STOP_SOON;
    (void)snprintf(r->asked.why, sizeof r->asked.why, "%s", r->batch.returned);
  }
  if (before == GANNET_GO_ON && r->asked.stop == GANNET_STOP_SOON && r->batch.n_flight > 0)
    gannet_log(context, GANNET_LOG_WARNING,
               "stopping when the running simulations have ended (%s); SIGTERM or a second Ctrl-C "
               "stops at once",
               r->asked.why);
  return GANNET_OK;
}

/* Remove files of evaluations whose results are safe. Files that cannot be removed are told once.
 */
static gannet_err tidy_up(runner *r) {
  gannet_campaign *c = r->campaign;
  const int64_t n = c->ledger.n;
  gannet_tidied tidied = {0};
  if (c->context->rank != 0 || r->keep.all) return GANNET_OK;
  if (n > r->n_tidy) {
    const int64_t larger = 2 * n;
    GANNET_TRY(gannet_resize((size_t)r->n_tidy, (size_t)larger, sizeof *r->is_tidy, &r->is_tidy));
    r->n_tidy = larger;
  }
  GANNET_TRY(gannet_tidy(c, &r->keep, false, r->is_tidy, &tidied));
  if (!r->has_begun_tidying && tidied.files > 0)
    gannet_log(c->context, GANNET_LOG_WARNING,
               "evaluate.keep: of evaluations that had ended before, %lld file%s with %.3g MB %s "
               "removed",
               (long long)tidied.files, tidied.files == 1 ? "" : "s", (double)tidied.bytes / 1e6,
               tidied.files == 1 ? "is" : "are");
  r->has_begun_tidying = true;
  if (tidied.failed > 0 && !r->has_told_of_tidying)
    gannet_log(
        c->context, GANNET_LOG_WARNING,
        "evaluate.keep: %lld files or folders of evaluations cannot be removed, the first is "
        "'%s': %s; `gannet tidy` tries again",
        (long long)tidied.failed, tidied.first, strerror(tidied.error));
  r->has_told_of_tidying = r->has_told_of_tidying || tidied.failed > 0;
  return GANNET_OK;
}

/* Show the results that were told since the last call, once they are on disk, in the files that
 * people read, and remove files of evaluations whose results are safe. Local. */
static gannet_err publish_told(runner *r) {
  gannet_campaign *c = r->campaign;
  char path[PATH_MAX];
  const int n = r->n_told;
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_ledger_sync(&c->ledger));
  r->n_told = 0;
  GANNET_TRY(gannet_campaign_path(c, "history.csv", path));
  if (c->context->rank == 0) GANNET_TRY(gannet_table_append(path, &c->ledger, n, r->told));
  gannet_progress_print(&r->progress);
  return tidy_up(r);
}

/* Tell the results that have come, in the order of ids. They are written to the journal, so that
 * they survive a kill. In a campaign that refills often, one sync saves them and the points that
 * are proposed next; publish_told shows them after it. */
static gannet_err tell_ended(runner *r) {
  gannet_campaign *c = r->campaign;
  const size_t n = (size_t)r->batch.n;
  gannet_err err = publish_told(r);
  if (err == GANNET_OK) err = gannet_resize(r->told_room, n, sizeof *r->told, &r->told);
  GANNET_TRY(gannet_agree(c->context->comm, err));
  r->told_room = n;
  const int n_told = gannet_batch_ended(c, &r->batch, r->told);
  GANNET_TRY(gannet_agree(c->context->comm, gannet_ledger_write(&c->ledger)));
  GANNET_TRY(gannet_agree(c->context->comm, gannet_campaign_tell(c, n_told, r->told)));
  r->n_told = n_told;
  r->has_begun = true;
  r->unreported += n_told;
  if (r->unreported >= c->input->general.batch || n_told == r->batch.n) {
    gannet_progress_batch(&r->progress, c); /* a line per point would be too much to read */
    r->unreported = 0;
  }
  return gannet_batch_renew(c, &r->batch);
}

/* Make corrections that somebody asks for while the campaign runs. */
static gannet_err take_corrections(runner *r) {
  int n = 0;
  GANNET_TRY(gannet_corrections_take(r->campaign, &n));
  if (n == 0) return GANNET_OK;
  GANNET_TRY(gannet_batch_correct(r->campaign, r->evaluator, &r->batch));
  GANNET_TRY(gannet_agree(r->campaign->context->comm, publish_told(r)));
  return rewrite_table(r->campaign);
}

/* A step leaves what only time can change, and to a process after it; after a stop nothing is to
 * follow. */
static gannet_err detach_if_all_submitted(runner *r) {
  const bool goes_on = r->asked.stop == GANNET_GO_ON;
  bool submitted = false;
  GANNET_TRY(gannet_evaluator_all_submitted(r->evaluator, &submitted));
  if (!submitted || r->strategy->is_ready_to_tell(&r->batch)) return GANNET_OK;
  (void)snprintf(r->detached, sizeof r->detached, "%d evaluation%s left to the scheduler%s",
                 r->batch.n_flight, r->batch.n_flight == 1 ? " is" : "s are",
                 goes_on ? "" : ", and a stop was asked for");
  r->is_detached = true;
  gannet_batch_clear_in_flight(&r->batch);
  return gannet_evaluator_detach(r->evaluator, goes_on ? r->options->next : NULL);
}

/* Run simulations until results are to be told, or left, or somebody asks to stop. */
static gannet_err work_off(runner *r) {
  const int parallel = r->campaign->input->evaluate.parallel;
  while (!r->strategy->is_ready_to_tell(&r->batch)) {
    GANNET_TRY(look_for_stop(r));
    GANNET_TRY(take_corrections(r));
    if (r->strategy->is_ready_to_tell(&r->batch)) return GANNET_OK;
    const bool goes_on = r->asked.stop == GANNET_GO_ON;
    if (r->asked.stop == GANNET_STOP_NOW) {
      gannet_batch_clear_in_flight(&r->batch);
      /* Jobs that go on without this process are not ended because its own time is over. */
      if (r->detaches && r->asked.by_clock) return GANNET_OK;
      return gannet_evaluator_cancel(r->evaluator);
    }
    if (goes_on) GANNET_TRY(gannet_batch_submit(r->campaign, r->evaluator, &r->batch));
    GANNET_TRY(gannet_agree(r->campaign->context->comm, publish_told(r)));
    if (r->batch.n_flight == 0) return GANNET_OK;
    gannet_progress_update(&r->progress, r->campaign, r->batch.n_flight);
    GANNET_TRY(gannet_batch_collect(r->campaign, r->evaluator, wait_seconds, &r->batch));
    const bool can_submit =
        goes_on && gannet_batch_waiting(&r->batch) > 0 && r->batch.n_flight < parallel;
    if (r->detaches && !can_submit) GANNET_TRY(detach_if_all_submitted(r));
    if (r->is_detached) return GANNET_OK;
  }
  return GANNET_OK;
}

/* All snapshots together, with the next one and the one at the end, which will be no smaller, stay
 * below a hundredth of the run: nothing is lost without them, as the journal has it all. An
 * interval of zero asks for one after every so many batches, whatever it costs. */
static bool is_time_to_save(const runner *r) {
  const double most_share = 0.01, wanted = r->campaign->input->save.interval;
  const double records = (double)r->campaign->ledger.sequence;
  const double now = gannet_clock_seconds();
  /* A snapshot holds the whole history: the last one, grown as this has; before any was made, a
   * guess for a disk. */
  const double next = r->saves == 0 || r->saved <= 0
                          ? 0.01 + 1e-7 * records
                          : r->save_duration * records / (double)r->saved;
  if (!(wanted > 0)) return true;
  return now - r->last_save >= wanted && most_share * (now - r->begun) >= r->save_sum + 2 * next;
}

/* Write a snapshot when it is due. The clock of rank 0 decides, so all ranks take part or none. */
static gannet_err save_if_due(runner *r, bool now) {
  const gannet_save_keys *keys = &r->campaign->input->save;
  const int64_t last = r->campaign->ledger.sequence;
  int due = now || (++r->batches_since >= keys->batches && is_time_to_save(r));
  if (last == r->saved) due = 0; /* again the same would push out the older generation */
  GANNET_TRY_MPI(MPI_Bcast(&due, 1, MPI_INT, 0, r->campaign->context->comm));
  if (!due) return GANNET_OK;
  r->batches_since = 0;
  r->saved = last;
  const double start = gannet_clock_seconds();
  GANNET_TRY(gannet_campaign_save(r->campaign));
  r->last_save = gannet_clock_seconds();
  r->save_duration = r->last_save - start;
  r->save_sum += r->save_duration;
  r->saves += 1;
  return GANNET_OK;
}

static bool has_too_many_failures(const runner *r, gannet_run_outcome *outcome) {
  if (!gannet_budget_has_failed(r->campaign, outcome->why, sizeof outcome->why)) return false;
  outcome->end = GANNET_RUN_FAILURES;
  return true;
}

static void interrupt(gannet_run_outcome *outcome, const char *why, bool by_clock) {
  outcome->end = GANNET_RUN_INTERRUPTED;
  outcome->by_clock = by_clock;
  (void)snprintf(outcome->why, sizeof outcome->why, "%s", why);
}

/* Propose q points unless something speaks against it, which becomes the outcome. */
static gannet_err propose_points(runner *r, int q, gannet_run_outcome *outcome) {
  bool late = false;
  int64_t first = 0;
  *outcome = (gannet_run_outcome){.end = GANNET_RUN_FINISHED};
  if (q == 0 || has_too_many_failures(r, outcome)) return GANNET_OK;
  GANNET_TRY(gannet_stop_rule_check(r->campaign, &r->regret, outcome->why, sizeof outcome->why));
  if (outcome->why[0]) return GANNET_OK;
  GANNET_TRY(is_too_late(r, q, &late));
  if (late) {
    interrupt(outcome, "the wall time left is too short for another batch", true);
    return GANNET_OK;
  }
  /* Results would wait for a sync as long as the proposal takes. */
  gannet_campaign *c = r->campaign;
  const gannet_err synced = r->ask_duration > 1 ? gannet_ledger_sync(&c->ledger) : GANNET_OK;
  GANNET_TRY(gannet_agree(c->context->comm, synced));
  const double start = gannet_clock_seconds();
  GANNET_TRY(gannet_campaign_ask(c, q, &first));
  r->ask_duration = gannet_clock_seconds() - start;
  r->has_begun = true;
  return gannet_batch_renew(c, &r->batch);
}

/* Propose, run what is in flight for a while, and tell what is ready.
 *
 * over  out  there is nothing more to do
 */
static gannet_err propose_and_run(runner *r, gannet_run_outcome *outcome, bool *over) {
  gannet_campaign *c = r->campaign;
  const int64_t left = gannet_budget_left(c);
  if (r->asked.stop == GANNET_GO_ON)
    GANNET_TRY(propose_points(r, r->strategy->wanted(c, &r->batch, left), outcome));
  *over = r->batch.n == 0;
  if (*over) return GANNET_OK;
  const double start = gannet_clock_seconds();
  GANNET_TRY(work_off(r));
  *over = r->is_detached;
  if (*over) {
    interrupt(outcome, r->detached, false);
    return GANNET_OK;
  }
  if (r->strategy->is_ready_to_tell(&r->batch)) GANNET_TRY(tell_ended(r));
  r->longest_batch = fmax(r->longest_batch, gannet_clock_seconds() - start);
  *over = r->asked.stop != GANNET_GO_ON && r->batch.n_flight == 0;
  if (*over) {
    interrupt(outcome, r->asked.why, r->asked.by_clock);
    return GANNET_OK;
  }
  return save_if_due(r, false);
}

/* Write down why the campaign has ended. A run that finds an old reason still there does nothing:
 * say what has to be changed. */
static gannet_err record_stop_reason(runner *r, gannet_run_outcome *outcome) {
  gannet_campaign *c = r->campaign;
  char key[64];
  if (outcome->end != GANNET_RUN_FINISHED || has_too_many_failures(r, outcome)) return GANNET_OK;
  if (!outcome->why[0]) gannet_stop_rule_look(c, outcome->why, sizeof outcome->why);
  (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(outcome->why, ":"), outcome->why);
  const bool is_cost = strcmp(key, "budget.cost") == 0;
  if (key[0] && !r->has_begun && (is_cost || gannet_budget_left(c) > 0))
    gannet_log(c->context, GANNET_LOG_WARNING,
               "the campaign has ended, and nothing was run (%s); to continue, change %s or remove "
               "it, as with --set %s=auto",
               outcome->why, key, strcmp(key, "stop.regret") == 0 ? "stop.regret.within" : key);
  return gannet_agree(c->context->comm, gannet_ledger_stop(&c->ledger, outcome->why));
}

static gannet_err run_until_over(runner *r, gannet_run_outcome *outcome) {
  bool over = false;
  GANNET_TRY(gannet_batch_open(r->campaign, r->evaluator, &r->batch));
  GANNET_TRY(gannet_agree(r->campaign->context->comm, tidy_up(r))); /* what a kill has left */
  /* What an earlier process wrote down and did not tell comes before any proposal. */
  if (r->batch.n > 0 && r->strategy->is_ready_to_tell(&r->batch)) GANNET_TRY(tell_ended(r));
  while (!over) {
    GANNET_TRY(look_for_stop(r));
    GANNET_TRY(take_corrections(r));
    if (r->asked.stop != GANNET_GO_ON && r->batch.n_flight == 0 &&
        gannet_budget_left(r->campaign) > 0) {
      interrupt(outcome, r->asked.why, r->asked.by_clock);
      break;
    }
    GANNET_TRY(propose_and_run(r, outcome, &over));
    /* A step is one batch. One more look tells whether the campaign is over. */
    if (r->options->is_step && !r->detaches && !over && r->batch.n == 0 &&
        gannet_budget_left(r->campaign) > 0) {
      GANNET_TRY(
          gannet_stop_rule_check(r->campaign, &r->regret, outcome->why, sizeof outcome->why));
      if (outcome->why[0]) break;
      interrupt(outcome, "a step is a batch", false);
      break;
    }
  }
  return record_stop_reason(r, outcome);
}

/* The wall time of the budget is that of one run. */
static void set_deadline(runner *r) {
  const double margin = 30; /* seconds kept for the last checkpoint before the scheduler kills */
  const double wall = r->campaign->input->budget.wall_time;
  const double allocation = gannet_stop_allocation_left() - margin;
  const double budget = isnan(wall) || r->options->is_step ? INFINITY : wall;
  r->is_own_limit = budget <= fmin(r->options->time_limit, allocation);
  r->deadline = gannet_clock_seconds() + fmin(budget, fmin(r->options->time_limit, allocation));
}

/* Without a budget of evaluations the wall time of the budget is all that was asked for, and using
 * it up is finishing; the end of the allocation or of --time-limit is not. Rank 0 decides. */
static gannet_err classify_end(const runner *r, gannet_run_outcome *outcome) {
  int finished =
      outcome->by_clock && r->is_own_limit && r->campaign->input->budget.evaluations == GANNET_AUTO;
  GANNET_TRY_MPI(MPI_Bcast(&finished, 1, MPI_INT, 0, r->campaign->context->comm));
  if (finished) outcome->end = GANNET_RUN_FINISHED;
  if (outcome->end == GANNET_RUN_FINISHED && gannet_budget_designs_left(r->campaign) == 0)
    gannet_log(r->campaign->context, GANNET_LOG_INFO,
               "every possible design has been tried, and with noise: 0 none is tried twice");
  /* The last batch counts as any other: the exit code must not depend on the size of batches. */
  if (outcome->end == GANNET_RUN_FINISHED) (void)has_too_many_failures(r, outcome);
  return GANNET_OK;
}

gannet_err gannet_campaign_end_left(const gannet_campaign *campaign,
                                    const gannet_run_options *options, int n,
                                    const gannet_request *requests) {
  const gannet_evaluator_setup setup = gannet_run_evaluator_setup(campaign, options);
  const gannet_evaluator_type *type = campaign->input->evaluator;
  gannet_evaluator *evaluator = NULL;
  bool taken = false;
  if (n == 0 || !type->recover) return GANNET_OK;
  GANNET_TRY(gannet_evaluator_create(type, campaign->input->evaluator_options, &setup, &evaluator));
  gannet_err err = GANNET_OK;
  for (int i = 0; i < n && err == GANNET_OK; ++i) {
    err = gannet_evaluator_recover(evaluator, &requests[i], &taken);
    if (err == GANNET_OK && taken) err = gannet_evaluator_withdraw(evaluator, requests[i].id);
  }
  gannet_evaluator_destroy(&evaluator);
  return err;
}

gannet_err gannet_campaign_show_held(gannet_campaign *campaign) {
  const int64_t told = gannet_history_count_told(campaign->history);
  GANNET_TRY(gannet_agree(campaign->context->comm, gannet_ledger_show_held(&campaign->ledger)));
  if (gannet_history_count_told(campaign->history) == told) return GANNET_OK;
  return rewrite_table(campaign);
}

static bool is_to_stop_now(void *user) {
  const runner *r = user;
  return gannet_stop_is_now(r->deadline);
}

/* Looked at before each simulation, so that none begins between two looks of the loop. */
static bool begins_nothing(void *user) {
  const runner *r = user;
  char stop_file[PATH_MAX];
  if (r->asked.stop != GANNET_GO_ON || gannet_stop_is_caught()) return true;
  if (gannet_campaign_path(r->campaign, "STOP", stop_file) == GANNET_OK)
    return access(stop_file, F_OK) == 0;
  gannet_error_clear();
  return false;
}

gannet_err gannet_campaign_run(gannet_campaign *campaign, const gannet_run_options *options,
                               gannet_run_outcome *outcome) {
  gannet_evaluator_setup setup = gannet_run_evaluator_setup(campaign, options);
  runner r = {.campaign = campaign,
              .options = options,
              .strategy = &strategies[campaign->input->evaluate.mode],
              .saved = -1};
  const double start = gannet_clock_seconds();
  *outcome = (gannet_run_outcome){.end = GANNET_RUN_FINISHED};
  set_deadline(&r);
  gannet_complaints known = {0}; /* they were made when the file was read */
  const gannet_evaluate_keys *keys = &campaign->input->evaluate;
  gannet_keep_read(&keys->keep_files, &keys->keep_all_files_of, "", "", &known, &r.keep);
  gannet_complaints_release(&known);
  r.stopping = (gannet_stopping){is_to_stop_now, &r, gannet_stop_with_the_job, begins_nothing};
  setup.stopping = &r.stopping;
  r.begun = r.last_save = start;
  GANNET_TRY(rewrite_table(campaign));
  GANNET_TRY(gannet_evaluator_create(campaign->input->evaluator, campaign->input->evaluator_options,
                                     &setup, &r.evaluator));
  r.detaches = options->is_step && gannet_evaluator_can_detach(r.evaluator);
  gannet_progress_begin(&r.progress, campaign->context->rank ? NULL : options->progress, campaign);
  campaign->ledger.defers = true;
  gannet_err err = run_until_over(&r, outcome);
  /* A step whose own time is over has another one go on, as one that is done has. */
  if (err == GANNET_OK && r.detaches && outcome->by_clock)
    err = gannet_evaluator_detach(r.evaluator, options->next);
  campaign->ledger.defers = false;
  const bool failed = err != GANNET_OK;
  gannet_error_record why; /* what is done after a failure may fail as well */
  gannet_error_save(&why);
  gannet_err synced = gannet_ledger_sync(&campaign->ledger); /* also after an error */
  if (synced == GANNET_OK) synced = publish_told(&r);
  if (err == GANNET_OK) err = gannet_agree(campaign->context->comm, synced);
  /* Jobs belong to the process that has the campaign now: nothing here is to cancel them. */
  if (err == GANNET_ERR_BUSY && gannet_evaluator_can_detach(r.evaluator))
    (void)!gannet_evaluator_detach(r.evaluator, NULL);
  gannet_progress_end(&r.progress);
  gannet_evaluator_destroy(&r.evaluator);
  gannet_batch_release(&r.batch);
  gannet_free(&r.is_tidy);
  gannet_free(&r.told);
  if (failed) gannet_error_restore(&why);
  outcome->seconds = gannet_clock_seconds() - start;
  if (err == GANNET_OK) err = save_if_due(&r, true);
  outcome->save_seconds = r.save_sum;
  outcome->saves = r.saves;
  if (err == GANNET_OK) err = classify_end(&r, outcome);
  if (err != GANNET_ERR_MISSING) return err;
  /* Everything that a campaign opens while it runs is its own. */
  return GANNET_RAISE(GANNET_ERR_IO,
                      "%s: was '%s' moved or removed while the campaign ran? If it was moved, "
                      "resume it at its new place with --directory",
                      gannet_error_detail(), campaign->directory);
}
