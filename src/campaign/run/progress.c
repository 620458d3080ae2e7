#include "campaign/run/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "campaign/config/config.h"
#include "campaign/run/budget.h"
#include "optimizer/optimizer.h"
#include "problem/front.h"
#include "problem/objectives.h"
#include "problem/outputs.h"

enum { BAR = 30 };

/* By how much the hypervolume has grown since n_told results had been told. Both are measured up to
 * the reference point of today. */
static double hypervolume_gain(const gannet_history *history, const gannet_tally *tally,
                               int64_t n_told) {
  gannet_front before = {0};
  if (gannet_front_find_before(history, n_told, tally->reference, &before) != GANNET_OK ||
      gannet_front_measure(&before) != GANNET_OK) {
    gannet_error_clear();
    gannet_front_release(&before);
  }
  const double gain = tally->hypervolume - before.hypervolume;
  gannet_front_release(&before);
  return gain;
}

void gannet_tally_count(const gannet_campaign *campaign, gannet_tally *tally) {
  const gannet_ledger *ledger = &campaign->ledger;
  const int64_t *all = ledger->n_ended, *imported = ledger->n_imported;
  *tally = (gannet_tally){
      .done = all[GANNET_EVAL_DONE] - imported[GANNET_EVAL_DONE],
      .cannot_run = all[GANNET_EVAL_CANNOT_RUN] - imported[GANNET_EVAL_CANNOT_RUN],
      .failed = all[GANNET_EVAL_FAILED] - imported[GANNET_EVAL_FAILED],
      .pending = gannet_ledger_pending(ledger),
      .imported = gannet_history_count_origin(campaign->history, GANNET_ORIGIN_IMPORT),
      .feasible = ledger->n_feasible - ledger->n_imported_feasible,
      .incomplete = ledger->n_incomplete};
  if (gannet_problem_n_bounded(campaign->input->problem) == 0) tally->feasible = -1;
  const gannet_problem *problem = campaign->input->problem;
  const char *unit = gannet_problem_objective_unit(problem);
  const char *name = gannet_problem_quantity_name(problem, 0);
  if (*unit && strlen(unit) + 2 < sizeof tally->unit)
    (void)snprintf(tally->unit, sizeof tally->unit, " %s", unit);
  if (strcmp(name, "objective") != 0) (void)snprintf(tally->name, sizeof tally->name, "%s ", name);
  const int64_t best = gannet_history_best(campaign->history);
  tally->best.feasible = best >= 0;
  tally->best.id = best >= 0 ? best : gannet_history_least_violation(campaign->history);
  tally->best.objective = tally->best.error = NAN;
  tally->is_best_imported =
      tally->best.id >= 0 &&
      gannet_history_get(campaign->history, tally->best.id)->origin == GANNET_ORIGIN_IMPORT;
  tally->n_objectives = gannet_problem_n_objectives(problem);
  gannet_front front = {0};
  /* When there is no memory for the front, nothing is said of it. */
  if (tally->n_objectives > 1 && (gannet_front_find(campaign->history, &front) != GANNET_OK ||
                                  gannet_front_measure(&front) != GANNET_OK)) {
    gannet_error_clear();
    gannet_front_release(&front);
  }
  tally->n_front = front.n;
  tally->hypervolume = front.hypervolume;
  tally->log_hypervolume = front.log_hypervolume;
  memcpy(tally->reference, front.reference, sizeof tally->reference);
  memcpy(tally->ideal, front.ideal, sizeof tally->ideal);
  gannet_front_release(&front);
  if (tally->best.id < 0) return;
  gannet_runs runs;
  gannet_runs_find(campaign->history, tally->best.id, NULL, &runs);
  gannet_runs_list(campaign->history, tally->best.id, tally->best_runs);
  tally->violation = runs.violation;
  tally->best.objective = runs.objective;
  tally->best.runs = (int)runs.n;
  if (runs.n > 1) tally->best.error = runs.error;
}

void gannet_tally_feasible_text(const gannet_tally *tally, const char *before, char *text) {
  int used = 0;
  text[0] = '\0';
  if (tally->feasible >= 0)
    used = snprintf(text, GANNET_TALLY_TEXT, "%s%lld of %lld feasible", before,
                    (long long)tally->feasible, (long long)tally->done);
  if (tally->incomplete > 0)
    (void)snprintf(text + used, (size_t)(GANNET_TALLY_TEXT - used), "%s%lld incomplete",
                   used ? ", " : before, (long long)tally->incomplete);
}

void gannet_tally_best_text(const gannet_tally *tally, int digits, char *text) {
  const long long id = (long long)tally->best.id;
  const bool counts = tally->log_hypervolume > -INFINITY;
  char error[32], volume[GANNET_HYPERVOLUME_TEXT];
  gannet_hypervolume_format(tally->hypervolume, tally->log_hypervolume, digits, volume);
  gannet_runs_format_error(tally->best.error, error);
  const char *imported = tally->is_best_imported ? ", imported" : "";
  if (id < 0)
    (void)snprintf(
        text, GANNET_TALLY_TEXT,
        tally->incomplete > 0 ? "no result has all numbers that are needed" : "no result yet");
  else if (!tally->best.feasible)
    (void)snprintf(text, GANNET_TALLY_TEXT, "no feasible design yet; least violation %.4g at %s%s",
                   tally->violation, tally->best_runs, imported);
  else if (tally->n_objectives > 1)
    (void)snprintf(text, GANNET_TALLY_TEXT, "front: %d design%s, %s%s", tally->n_front,
                   tally->n_front == 1 ? "" : "s",
                   counts ? "hypervolume " : "none better than the thresholds",
                   counts ? volume : "");
  else
    (void)snprintf(text, GANNET_TALLY_TEXT, "best %s%.*g%s%s (%s%s)", tally->name, digits,
                   tally->best.objective, error, tally->unit, tally->best_runs, imported);
}

void gannet_usage_add(gannet_usage *usage, const gannet_run_record *run) {
  if (!isfinite(run->started) || !isfinite(run->ended)) return;
  usage->first = fmin(usage->first, run->started);
  usage->last = fmax(usage->last, run->ended);
  usage->busy += run->ended - run->started;
  if (run->slot >= usage->slots) usage->slots = run->slot + 1;
}

gannet_usage gannet_usage_measure(const gannet_campaign *campaign) {
  gannet_usage u = {.first = INFINITY, .last = -INFINITY};
  for (int64_t id = 0; id < campaign->ledger.n; ++id)
    gannet_usage_add(&u, &campaign->ledger.ticket[id].result.run);
  return u;
}

double gannet_usage_share(const gannet_usage *usage) {
  if (!(usage->last > usage->first) || usage->slots == 0) return NAN;
  const double rounding = 0.01; /* of the times of short attempts */
  const double share = usage->busy / ((usage->last - usage->first) * usage->slots);
  return share > 1 + rounding ? NAN : fmin(share, 1);
}

static int64_t ended(const gannet_tally *tally) {
  return tally->done + tally->cannot_run + tally->failed;
}

void gannet_progress_begin(gannet_progress *progress, FILE *out, const gannet_campaign *campaign) {
  const char *term = getenv("TERM");
  const int budget = campaign->input->budget.evaluations;
  const int64_t left = gannet_budget_left(campaign), n = gannet_budget_used(campaign);
  gannet_tally tally;
  gannet_tally_count(campaign, &tally);
  progress->out = out;
  progress->live = out && isatty(fileno(out)) && !(term && strcmp(term, "dumb") == 0);
  progress->start = gannet_clock_seconds();
  progress->count_start = ended(&tally);
  progress->n_told = gannet_history_count_told(campaign->history);
  /* Designs may end a campaign before its budget does. */
  if (left == INT64_MAX)
    progress->budget = 0;
  else
    progress->budget = budget != GANNET_AUTO && n + left > budget ? budget : n + left;
}

static void clear_line(const gannet_progress *progress) {
  if (progress->live) (void)fputs("\r\033[K", progress->out);
}

/* "12 s so far, about 3 min left", or "12 s" at the end. */
static void format_times(const gannet_progress *progress, const gannet_tally *tally, size_t size,
                         char *text) {
  const double spent = gannet_clock_seconds() - progress->start;
  const int64_t now = ended(tally), here = now - progress->count_start;
  char left[32];
  gannet_format_duration(spent, text, size);
  if (progress->budget <= now || here <= 0) return;
  gannet_format_duration(spent / (double)here * (double)(progress->budget - now), left,
                         sizeof left);
  const size_t used = strlen(text);
  (void)snprintf(text + used, size - used, " so far, about %s left", left);
}

void gannet_progress_update(gannet_progress *progress, const gannet_campaign *campaign,
                            int running) {
  gannet_tally tally;
  char bar[BAR + 1], feasible[GANNET_TALLY_TEXT], best[GANNET_TALLY_TEXT];
  if (!progress->out || !progress->live) return;
  gannet_tally_count(campaign, &tally);
  const double share =
      progress->budget > 0 ? fmin(1, (double)ended(&tally) / (double)progress->budget) : 0;
  for (int i = 0; i < BAR; ++i) bar[i] = i < (int)(share * BAR) ? '#' : '.';
  bar[BAR] = '\0';
  clear_line(progress);
  gannet_tally_feasible_text(&tally, ", ", feasible);
  gannet_tally_best_text(&tally, 6, best);
  (void)fprintf(progress->out, "[%s] %lld ended, %d running%s, %s", bar, (long long)ended(&tally),
                running, feasible, best);
  (void)fflush(progress->out);
}

void gannet_progress_batch(gannet_progress *progress, const gannet_campaign *campaign) {
  gannet_tally tally;
  char share[GANNET_BUDGET_TEXT], feasible[GANNET_TALLY_TEXT], best[GANNET_TALLY_TEXT];
  char gain[40] = "", times[80];
  if (!progress->out) return;
  gannet_tally_count(campaign, &tally);
  if (tally.n_front > 0 && tally.hypervolume > 0)
    (void)snprintf(gain, sizeof gain, " (%+.2g)",
                   hypervolume_gain(campaign->history, &tally, progress->n_told));
  progress->n_told = gannet_history_count_told(campaign->history);
  gannet_budget_format(ended(&tally), "", "/", progress->budget, share);
  gannet_tally_feasible_text(&tally, ", ", feasible);
  gannet_tally_best_text(&tally, 6, best);
  format_times(progress, &tally, sizeof times, times);
  (void)snprintf(progress->line, sizeof progress->line,
                 "batch %lld: %s evaluations, %lld done, %lld cannot run, %lld failed%s, %s%s, "
                 "proposal %.3f s, %s",
                 (long long)gannet_optimizer_next_batch(campaign->optimizer) - 1, share,
                 (long long)tally.done, (long long)tally.cannot_run, (long long)tally.failed,
                 feasible, best, gain, gannet_optimizer_ask_seconds(campaign->optimizer), times);
}

void gannet_progress_print(gannet_progress *progress) {
  if (!progress->out || !progress->line[0]) return;
  clear_line(progress);
  (void)fprintf(progress->out, "%s\n", progress->line);
  (void)fflush(progress->out);
  progress->line[0] = '\0';
}

void gannet_progress_end(gannet_progress *progress) {
  if (progress->out) clear_line(progress);
}

void gannet_absent_list(const gannet_campaign *campaign, char *text, size_t size) {
  const gannet_ledger *ledger = &campaign->ledger;
  gannet_optimizer_options options;
  size_t used = 0;
  text[0] = '\0';
  if (gannet_campaign_options(campaign->input, &options) != GANNET_OK) gannet_error_clear();
  for (int i = 0; i < options.n_members && used < size; ++i) {
    const int64_t then = ledger->n_positional > 0
                             ? gannet_state_positional_left_out(&options, ledger->n_positional,
                                                                ledger->positional, i)
                             : gannet_optimizer_left_out(&options, &ledger->state, i);
    if (then < 0) continue;
    const int more =
        snprintf(text + used, size - used, "%s%s (at %lld result%s)", used ? ", " : "",
                 options.member[i].method.method, (long long)then, then == 1 ? "" : "s");
    used += more > 0 ? (size_t)more : 0;
  }
  gannet_optimizer_options_release(&options);
}
