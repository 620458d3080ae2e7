/* What a view of gannet watch says; cli/watch/page.h lays it out. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "cli/watch/page.h"
#include "cli/watch/watch.h"
#include "problem/conditional.h"
#include "problem/objectives.h"

static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char plain_bars[] = "_.-~=+*#";
enum { LEVELS = 8, LONGEST_RUNNING = 200 };

#define GREEN "32"
#define YELLOW "33"
#define RED "31"
#define DIM "2"

typedef struct {
  const gannet_follow *follow;
  const gannet_campaign *campaign;
  const watch_course *course;
  gannet_follow_state state;
  watch_page page;
  double now; /* seconds since 1970; when no process is at work, the time of the last end */
} view;

bool watch_scheduler_text(const gannet_follow *follow, char *text, size_t size) {
  char when[40];
  const double since = follow->scheduler.since;
  text[0] = '\0';
  if (since <= 0) return false;
  gannet_clock_format(since, when, sizeof when);
  (void)snprintf(text, size, "since %s %s", when, follow->scheduler.said);
  gannet_utf8_show(text);
  return true;
}

gannet_follow_state watch_state_text(const gannet_follow *follow, char *text, size_t size) {
  char why[320];
  const gannet_lock_holder *holder = &follow->holder;
  const gannet_follow_state state = gannet_follow_classify(follow, why, sizeof why);
  if (state == GANNET_FOLLOW_AT_WORK && holder->pid)
    (void)snprintf(text, size, "at work: process %ld on %.200s", holder->pid, holder->host);
  else if (state == GANNET_FOLLOW_AT_WORK)
    (void)snprintf(text, size, "at work");
  else if (state == GANNET_FOLLOW_WAITING)
    (void)snprintf(text, size, "%s", why);
  else if (state == GANNET_FOLLOW_FINISHED)
    (void)snprintf(text, size, "finished%s%s", why[0] ? ", " : "", why);
  else
    (void)snprintf(text, size, "stopped: %s", why);
  gannet_utf8_show(text);
  return state;
}

static bool has_scheduler(const gannet_follow *follow) {
  return strcmp(follow->campaign.input->evaluate.backend, "slurm") == 0;
}

bool watch_are_lost(const gannet_follow *follow, const watch_course *course) {
  char why[320];
  return course->n_sights > 0 && !has_scheduler(follow) &&
         gannet_follow_classify(follow, why, sizeof why) == GANNET_FOLLOW_STOPPED;
}

/* The files do not tell whether a job waits in the queue or runs. */
static const char *under_way_word(const gannet_follow *follow, const watch_course *course) {
  if (has_scheduler(follow)) return "submitted";
  return watch_are_lost(follow, course) ? "lost" : "running";
}

const char *watch_running_word(const gannet_follow *follow, const watch_course *course) {
  const bool unknown =
      follow->scheduler.since > 0 && follow->scheduler.kind == GANNET_SCHEDULER_UNKNOWN;
  return unknown ? "submitted, state unknown" : under_way_word(follow, course);
}

static void put_head(view *v) {
  static const char *const colors[] = {GREEN, YELLOW, GREEN, RED, YELLOW};
  const gannet_campaign_input *input = v->campaign->input;
  const gannet_problem *problem = input->problem;
  char text[600], silent[32], goal[64];
  (void)snprintf(goal, sizeof goal, "%s",
                 problem->spec.goal == GANNET_MAXIMIZE ? "maximizes" : "minimizes");
  if (problem->spec.n_objectives > 0)
    (void)snprintf(goal, sizeof goal, "trades off %d objectives", problem->spec.n_objectives);
  FILE *out = watch_page_begin(&v->page, "campaign", "", 1);
  if (out)
    (void)fprintf(out, "%s, %s over %d variable%s%s\n", input->general.name, goal, problem->n_free,
                  problem->n_free == 1 ? "" : "s",
                  gannet_problem_n_bounded(problem) > 0 ? " with constraints" : "");
  v->state = watch_state_text(v->follow, text, sizeof text);
  out = watch_page_begin(&v->page, "state", colors[v->state], 1);
  const double quiet = gannet_clock_epoch() - v->follow->changed;
  gannet_format_duration(quiet, silent, sizeof silent);
  if (!out) return;
  if (v->state == GANNET_FOLLOW_AT_WORK && quiet > 120)
    (void)fprintf(out, "%s; nothing new for %s\n", text, silent);
  else
    (void)fprintf(out, "%s\n", text);
}

/* A sentence under a label. */
static void put_sentence(view *v, const char *label, const char *style, const char *text) {
  watch_flow f = watch_flow_begin(&v->page, label, style, 2);
  if (!f.out) return;
  watch_flow_put_words(&f, text);
  watch_flow_end(&f);
}

static void put_bar(view *v, const gannet_tally *tally) {
  const gannet_history *history = v->follow->campaign.history;
  const int64_t imported = gannet_history_count_origin(history, GANNET_ORIGIN_IMPORT);
  const int64_t ended = v->course->n_ended - imported, total = v->follow->total;
  const bool unicode = v->page.frame.unicode;
  char share[GANNET_BUDGET_TEXT], words[GANNET_BUDGET_TEXT + 16] = "";
  char feasible[GANNET_TALLY_TEXT];
  FILE *out = watch_page_begin(&v->page, "progress", "", 1);
  if (!out) return;
  gannet_budget_format(ended, "", " of ", total, share);
  if (total > 0)
    (void)snprintf(words, sizeof words, "%s, %.0f %%", share,
                   floor(100 * fmin(1, (double)ended / (double)total)));
  const int room = watch_page_width(&v->page) - (int)strlen(words) - 3;
  const int length = room < 10 ? 0 : room > 40 ? 40 : room;
  if (total <= 0) {
    (void)fprintf(out, "%lld evaluations, no limit\n", (long long)ended);
  } else {
    const int full = (int)(length * fmin(1, (double)ended / (double)total));
    for (int i = 0; i < length; ++i)
      (void)fputs(i < full ? unicode ? "█" : "#" : unicode ? "░" : ".", out);
    (void)fprintf(out, "%s%s\n", length ? "  " : "", words);
  }
  watch_flow f = watch_flow_begin(&v->page, "ended", "", 1);
  if (!f.out) return;
  const int running = v->course->n_sights;
  (void)snprintf(words, sizeof words, "%lld done", (long long)tally->done);
  watch_flow_put(&f, words);
  (void)snprintf(words, sizeof words, "%lld cannot run", (long long)tally->cannot_run);
  watch_flow_put(&f, words);
  (void)snprintf(words, sizeof words, "%lld failed", (long long)tally->failed);
  watch_flow_put(&f, words);
  gannet_tally_feasible_text(tally, "", feasible);
  if (feasible[0]) watch_flow_put(&f, feasible);
  (void)snprintf(words, sizeof words, "(%d %s, %lld waiting)", running,
                 watch_running_word(v->follow, v->course), (long long)tally->pending - running);
  watch_flow_put(&f, words);
  watch_flow_end(&f);
}

/* A rate such as "3.2 evaluations per minute", in the unit of time that makes a handy number. */
static void format_rate(double per_second, char *text, size_t size) {
  if (per_second * 60 >= 100)
    (void)snprintf(text, size, "%.3g evaluations per second", per_second);
  else if (per_second * 3600 >= 100)
    (void)snprintf(text, size, "%.3g evaluations per minute", per_second * 60);
  else
    (void)snprintf(text, size, "%.3g evaluations per hour", per_second * 3600);
}

static void put_time(view *v) {
  double rate = NAN;
  char text[64], words[96];
  if (!isfinite(v->course->begun)) return;
  watch_flow f = watch_flow_begin(&v->page, "time", "", 1);
  if (!f.out) return;
  gannet_format_duration(fmax(0, v->now - v->course->begun), text, sizeof text);
  (void)snprintf(words, sizeof words, "%s since the first start", text);
  watch_flow_put(&f, words);
  const double left = watch_course_left(v->course, v->follow, &rate);
  if (v->state == GANNET_FOLLOW_AT_WORK && isfinite(rate)) {
    format_rate(rate, text, sizeof text);
    watch_flow_put(&f, text);
  }
  if (v->state == GANNET_FOLLOW_AT_WORK && isfinite(left)) {
    gannet_format_duration(left, text, sizeof text);
    (void)snprintf(words, sizeof words, "about %s left", text);
    watch_flow_put(&f, words);
  }
  watch_flow_end(&f);
}

static void put_best(view *v, const gannet_tally *tally) {
  const watch_course *c = v->course;
  FILE *out = watch_page_begin(&v->page, "best", GREEN, 1);
  if (!out) return;
  if (!tally->best.feasible || tally->n_objectives > 1) {
    char text[GANNET_TALLY_TEXT];
    gannet_tally_best_text(tally, 10, text);
    (void)fprintf(out, "%s\n", text);
    return;
  }
  const int64_t since = c->n_steps ? c->n_ended - c->steps[c->n_steps - 1].ended : 0;
  char error[32];
  gannet_runs_format_error(tally->best.error, error);
  (void)fprintf(out, "%s%.10g%s%s (%s", tally->name, tally->best.objective, error, tally->unit,
                tally->best_runs);
  if (since > 0)
    (void)fprintf(out, "; %lld evaluation%s since", (long long)since, since > 1 ? "s" : "");
  (void)fputs(")\n", out);
}

static void put_value(watch_flow *f, const gannet_problem *problem, int variable, double value) {
  const gannet_variable *about = &problem->spec.variables[variable];
  char text[256], item[400];
  if (about->type == GANNET_VARIABLE_REAL && !gannet_problem_is_fixed(problem, variable, &value))
    (void)snprintf(text, sizeof text, "%.7g", value);
  else
    gannet_problem_format(problem, variable, value, text, sizeof text);
  (void)snprintf(item, sizeof item, "%.120s = %s", about->name, text);
  watch_flow_put(f, item);
}

static void put_constraint(watch_flow *f, const gannet_constraint *about, double value) {
  char item[400];
  int used = snprintf(item, sizeof item, "%.120s = %.7g (", about->name, value);
  if (isfinite(about->lower)) used += snprintf(item + used, 60, "%.7g to ", about->lower);
  if (isfinite(about->upper))
    (void)snprintf(item + used, 60, "%s%.7g)", isfinite(about->lower) ? "" : "up to ",
                   about->upper);
  else
    (void)snprintf(item + used, 60, "above)");
  watch_flow_put(f, item);
}

static void put_design(view *v, const gannet_tally *tally) {
  const gannet_problem *problem = v->campaign->input->problem;
  if (tally->best.id < 0 || tally->n_objectives > 1) return;
  watch_flow f = watch_flow_begin(&v->page, "design", "", 1);
  if (!f.out) return;
  const double *x = gannet_history_x_user(v->campaign->history, tally->best.id);
  gannet_runs runs;
  double *means = NULL;
  const gannet_err err = gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means);
  if (err == GANNET_OK)
    gannet_runs_find(v->campaign->history, tally->best.id, means, &runs);
  else
    gannet_error_clear(); /* the constraints are left out, and the page is shown */
  for (int i = 0; i < problem->spec.n_variables; ++i)
    if (gannet_problem_is_active(problem, i, x)) put_value(&f, problem, i, x[i]);
  for (int k = 0; k < problem->spec.n_constraints && err == GANNET_OK; ++k)
    put_constraint(&f, &problem->spec.constraints[k], means[k]);
  gannet_free(&means);
  watch_flow_end(&f);
}

/* Height of a column, 0 .. LEVELS-1: the distance from the best value on a logarithmic scale of
 * three decades, for the first steps are often a hundred times the last ones. */
static int level_of(const watch_course *c, double value) {
  const double decades = 3, first = c->steps[0].value, last = c->steps[c->n_steps - 1].value;
  const double share = fabs(value - last) / fabs(first - last);
  const double height = log1p((pow(10, decades) - 1) * share) / (decades * log(10));
  return (int)lround(fmin(1, height) * (LEVELS - 1));
}

static void put_course(view *v) {
  const watch_course *c = v->course;
  const bool unicode = v->page.frame.unicode;
  const bool climbs = v->campaign->input->problem->spec.goal == GANNET_MAXIMIZE;
  char ends[80];
  /* With several objectives no single value is the best. */
  if (c->n_steps < 2 || v->campaign->input->problem->spec.n_objectives > 0) return;
  FILE *out = watch_page_begin(&v->page, "course", "", 1);
  if (!out) return;
  (void)snprintf(ends, sizeof ends, "  %.5g to %.5g", c->steps[0].value,
                 c->steps[c->n_steps - 1].value);
  const int room = watch_page_width(&v->page) - (int)strlen(ends);
  const int64_t most = room < 8 ? 8 : room > 60 ? 60 : room;
  const int64_t columns = c->n_ended < most ? c->n_ended : most;
  for (int64_t i = 1; i <= columns; ++i) {
    const double value = watch_course_best(c, i * c->n_ended / columns);
    const int level = isnan(value) ? -1 : level_of(c, value);
    const int shown = climbs ? LEVELS - 1 - level : level;
    if (level < 0)
      (void)fputc(' ', out);
    else if (unicode)
      (void)fputs(bars[shown], out);
    else
      (void)fputc(plain_bars[shown], out);
  }
  (void)fprintf(out, "%s\n", ends);
}

static void put_proposals(view *v) {
  const watch_course *c = v->course;
  const double elapsed = v->now - c->begun;
  char words[96], text[32];
  if (c->n_proposals == 0) return;
  watch_flow f = watch_flow_begin(&v->page, "proposals", "", 1);
  if (!f.out) return;
  const struct {
    const char *word;
    double seconds;
  } parts[] = {{"last", c->proposals[c->n_proposals - 1]},
               {"median", c->proposals_median},
               {"longest", c->proposals_longest}};
  for (int i = 0; i < 3; ++i) {
    gannet_format_duration(parts[i].seconds, text, sizeof text);
    (void)snprintf(words, sizeof words, "%s %s", parts[i].word, text);
    watch_flow_put(&f, words);
  }
  if (elapsed > 0) {
    (void)snprintf(words, sizeof words, "%.2g %% of the time",
                   fmin(100, 100 * c->proposals_sum / (elapsed + c->proposals[0])));
    watch_flow_put(&f, words);
  }
  watch_flow_end(&f);
}

static void put_running_row(view *v, FILE *out, const watch_sight *seen) {
  watch_running row;
  char age[40], slot[16] = "-", where[400] = "";
  watch_find_running(v->follow, seen, &row);
  gannet_format_duration(row.seconds, age, sizeof age);
  if (row.slot >= 0) (void)snprintf(slot, sizeof slot, "%d", row.slot);
  if (row.job[0])
    (void)snprintf(where, sizeof where, "job %s", row.job);
  else if (row.pid > 0)
    (void)snprintf(where, sizeof where, "process %d on %s", row.pid, row.host);
  if (row.place[0])
    (void)snprintf(where + strlen(where), sizeof where - strlen(where), "%s%s",
                   where[0] ? ", " : "", row.place);
  gannet_utf8_show(where);
  (void)fprintf(out, "%06lld  %4d  %s%-*s  %4s  %s\n", (long long)row.id, row.attempt,
                row.is_exact ? "" : ">", row.is_exact ? 13 : 12, age, slot, where);
}

static void put_running(view *v) {
  const watch_course *c = v->course;
  const int n = c->n_sights < LONGEST_RUNNING ? c->n_sights : LONGEST_RUNNING;
  if (n == 0) return;
  FILE *out = watch_page_begin(&v->page, under_way_word(v->follow, v->course), "", 2);
  if (!out) return;
  if (watch_are_lost(v->follow, c))
    (void)fputs("their controller is gone; a resume runs them again\n", out);
  (void)fputs("number  try   age            slot  where\n", out);
  for (int i = 0; i < n; ++i) put_running_row(v, out, &c->sights[c->n_sights - 1 - i]);
  for (int i = n; i < c->n_sights; ++i) (void)fputc('\n', out);
}

static void put_failures(view *v) {
  gannet_reason *reasons = NULL;
  int64_t n = 0;
  char text[400];
  if (v->course->n_failures == 0) return;
  if (gannet_reasons_collect(&v->campaign->ledger, &reasons, &n) != GANNET_OK) gannet_error_clear();
  FILE *out = n > 0 ? watch_page_begin(&v->page, "failures", RED, 2) : NULL;
  for (int64_t i = 0; out && i < n && i < 10; ++i) {
    gannet_reason_text(&v->campaign->ledger.ticket[reasons[i].last], text, sizeof text);
    (void)fprintf(out, "%06lld  ", (long long)reasons[i].last);
    if (reasons[i].count > 1) (void)fprintf(out, "%lld times ", (long long)reasons[i].count);
    (void)fprintf(out, "%s\n", text);
  }
  gannet_free(&reasons);
}

char *watch_view(const gannet_follow *follow, const watch_course *course,
                 const watch_frame *frame) {
  view v = {.follow = follow, .campaign = &follow->campaign, .course = course};
  gannet_tally tally;
  char scheduler_text[400];
  v.page.frame = *frame;
  v.now = gannet_clock_epoch();
  gannet_tally_count(v.campaign, &tally);
  put_head(&v);
  if (v.state != GANNET_FOLLOW_AT_WORK && isfinite(course->last_ended)) v.now = course->last_ended;
  if (follow->note[0]) put_sentence(&v, "damaged", RED, follow->note);
  if (watch_scheduler_text(follow, scheduler_text, sizeof scheduler_text))
    put_sentence(&v, "scheduler", YELLOW, scheduler_text);
  put_bar(&v, &tally);
  put_time(&v);
  put_best(&v, &tally);
  put_design(&v, &tally);
  put_course(&v);
  put_proposals(&v);
  put_running(&v);
  put_failures(&v);
  if (frame->height > 0) {
    FILE *out = watch_page_begin(&v.page, NULL, DIM, 1);
    if (out) (void)fputs("q leaves; the campaign continues\n", out);
  }
  return watch_page_end(&v.page);
}
