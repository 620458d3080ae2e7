/* What a view of a campaign says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "cli/watch.h"
#include "evaluate/contract/contract.h"

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
  double now; /* seconds since 1970; the last end when nobody is at work */
} view;

/* Words of a line that breaks where the page ends. */
typedef struct {
  FILE *out;
  int width, at;
  int gap; /* between items; 0 = 3 */
} flow;

static void put_item(flow *f, const char *raw) {
  char text[600];
  (void)snprintf(text, sizeof text, "%s", raw);
  gannet_utf8_show(text);
  const int length = watch_text_width(text), gap = f->at == 0 ? 0 : f->gap ? f->gap : 3;
  const bool breaks = f->at > 0 && f->at + gap + length > f->width;
  (void)fprintf(f->out, "%s%*s%s", breaks ? "\n" : "", breaks ? 0 : gap, "", text);
  f->at = (breaks ? 0 : f->at + gap) + length;
}

/* A sentence, broken between words. */
static void put_words(flow *f, const char *text) {
  char word[200];
  f->gap = 1;
  for (; *text; text += *text == ' ') {
    const int length = (int)strcspn(text, " ");
    (void)snprintf(word, sizeof word, "%.*s", length, text);
    put_item(f, word);
    text += length;
  }
}

static void end_flow(flow *f) {
  if (f->at > 0) (void)fputc('\n', f->out);
}

bool watch_silence_text(const gannet_follow *follow, char *text, size_t size) {
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
    (void)snprintf(text, size, "finished");
  else
    (void)snprintf(text, size, "stopped: %s", why);
  gannet_utf8_show(text);
  return state;
}

/* The files do not tell whether a job waits in the queue or runs. */
static const char *under_way_word(const gannet_follow *follow) {
  const char *backend = follow->campaign.input->evaluate.backend;
  return strcmp(backend, "slurm") == 0 ? "submitted" : "running";
}

const char *watch_running_word(const gannet_follow *follow) {
  const bool unknown =
      follow->scheduler.since > 0 && follow->scheduler.kind == GANNET_SCHEDULER_UNKNOWN;
  return unknown ? "submitted, state unknown" : under_way_word(follow);
}

static void put_head(view *v) {
  static const char *const colors[] = {GREEN, YELLOW, GREEN, RED, YELLOW};
  const gannet_campaign_input *input = v->campaign->input;
  char text[600], silent[32];
  FILE *out = watch_page_begin(&v->page, "campaign", "", 1);
  if (out)
    (void)fprintf(
        out, "%s, %s %d variable%s%s\n", input->general.name,
        input->problem->spec.goal == GANNET_MAXIMIZE ? "maximizes over" : "minimizes over",
        input->problem->spec.n_variables, input->problem->spec.n_variables == 1 ? "" : "s",
        input->problem->spec.n_constraints ? " with constraints" : "");
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
  flow f = {.out = watch_page_begin(&v->page, label, style, 2),
            .width = watch_page_width(&v->page)};
  if (!f.out) return;
  put_words(&f, text);
  end_flow(&f);
}

static void put_bar(view *v, const gannet_tally *tally) {
  const int64_t ended = v->course->n_ended, total = v->follow->total;
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
  flow f = {.out = watch_page_begin(&v->page, "ended", "", 1), .width = watch_page_width(&v->page)};
  if (!f.out) return;
  const int running = v->course->n_sights;
  (void)snprintf(words, sizeof words, "%lld done", (long long)tally->done);
  put_item(&f, words);
  (void)snprintf(words, sizeof words, "%lld cannot run", (long long)tally->cannot_run);
  put_item(&f, words);
  (void)snprintf(words, sizeof words, "%lld failed", (long long)tally->failed);
  put_item(&f, words);
  gannet_tally_feasible_text(tally, "", feasible);
  if (feasible[0]) put_item(&f, feasible);
  (void)snprintf(words, sizeof words, "(%d %s, %lld waiting)", running,
                 watch_running_word(v->follow), (long long)tally->pending - running);
  put_item(&f, words);
  end_flow(&f);
}

/* "3.2 per minute": in the unit of time that makes it a handy number. */
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
  flow f = {.out = watch_page_begin(&v->page, "time", "", 1), .width = watch_page_width(&v->page)};
  if (!f.out) return;
  gannet_format_duration(fmax(0, v->now - v->course->begun), text, sizeof text);
  (void)snprintf(words, sizeof words, "%s since the first start", text);
  put_item(&f, words);
  const double left = watch_course_left(v->course, v->follow, &rate);
  if (v->state == GANNET_FOLLOW_AT_WORK && isfinite(rate)) {
    format_rate(rate, text, sizeof text);
    put_item(&f, text);
  }
  if (v->state == GANNET_FOLLOW_AT_WORK && isfinite(left)) {
    gannet_format_duration(left, text, sizeof text);
    (void)snprintf(words, sizeof words, "about %s left", text);
    put_item(&f, words);
  }
  end_flow(&f);
}

static void put_best(view *v, const gannet_tally *tally) {
  const watch_course *c = v->course;
  FILE *out = watch_page_begin(&v->page, "best", GREEN, 1);
  if (!out) return;
  if (!tally->best.feasible) {
    char text[GANNET_TALLY_TEXT];
    gannet_tally_best_text(tally, 10, text);
    (void)fprintf(out, "%s\n", text);
    return;
  }
  const int64_t since = c->n_steps ? c->n_ended - c->steps[c->n_steps - 1].ended : 0;
  (void)fprintf(out, "%.10g (evaluation %lld", tally->best.objective, (long long)tally->best.id);
  if (since > 0)
    (void)fprintf(out, "; %lld evaluation%s since", (long long)since, since > 1 ? "s" : "");
  (void)fputs(")\n", out);
}

static void put_value(flow *f, const gannet_problem *problem, int variable, double value) {
  const gannet_variable *about = &problem->spec.variables[variable];
  char text[256], item[400];
  if (about->type == GANNET_VARIABLE_REAL)
    (void)snprintf(text, sizeof text, "%.7g", value);
  else
    gannet_problem_format(problem, variable, value, text, sizeof text);
  (void)snprintf(item, sizeof item, "%.120s = %s", about->name, text);
  put_item(f, item);
}

static void put_constraint(flow *f, const gannet_constraint *about, double value) {
  char item[400];
  int used = snprintf(item, sizeof item, "%.120s = %.7g (", about->name, value);
  if (isfinite(about->lower)) used += snprintf(item + used, 60, "%.7g to ", about->lower);
  if (isfinite(about->upper))
    (void)snprintf(item + used, 60, "%s%.7g)", isfinite(about->lower) ? "" : "up to ",
                   about->upper);
  else
    (void)snprintf(item + used, 60, "above)");
  put_item(f, item);
}

static void put_design(view *v, const gannet_tally *tally) {
  const gannet_problem *problem = v->campaign->input->problem;
  if (tally->best.id < 0) return;
  flow f = {.out = watch_page_begin(&v->page, "design", "", 1),
            .width = watch_page_width(&v->page)};
  if (!f.out) return;
  const double *x = gannet_history_x_user(v->campaign->history, tally->best.id);
  const double *values = v->campaign->ledger.ticket[tally->best.id].constraints;
  for (int i = 0; i < problem->spec.n_variables; ++i) put_value(&f, problem, i, x[i]);
  for (int k = 0; k < problem->spec.n_constraints; ++k)
    put_constraint(&f, &problem->spec.constraints[k], values[k]);
  end_flow(&f);
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
  if (c->n_steps < 2) return;
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
  flow f = {.out = watch_page_begin(&v->page, "proposals", "", 1),
            .width = watch_page_width(&v->page)};
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
    put_item(&f, words);
  }
  if (elapsed > 0) {
    (void)snprintf(words, sizeof words, "%.2g %% of the time",
                   fmin(100, 100 * c->proposals_sum / (elapsed + c->proposals[0])));
    put_item(&f, words);
  }
  end_flow(&f);
}

/* What the directory of an evaluation tells, or when it was seen first. */
static void put_running_row(view *v, FILE *out, const watch_sight *seen) {
  char name[48], directory[PATH_MAX], age[40], slot[16] = "-", where[200] = "";
  gannet_attempt_info sight = {.started = NAN, .slot = -1};
  const gannet_ticket *t = &v->campaign->ledger.ticket[seen->id];
  (void)snprintf(name, sizeof name, "evals/%06lld", (long long)seen->id);
  const bool found = gannet_campaign_path(v->campaign, name, directory) == GANNET_OK &&
                     gannet_attempt_read(directory, &sight) && sight.nonce == t->nonce;
  const bool dated = found && isfinite(sight.started) && sight.started > 0;
  const double since = dated ? sight.started : seen->since;
  gannet_format_duration(fmax(0, gannet_clock_epoch() - since), age, sizeof age);
  if (found && sight.slot >= 0) (void)snprintf(slot, sizeof slot, "%d", sight.slot);
  if (found && sight.job[0])
    (void)snprintf(where, sizeof where, "job %s", sight.job);
  else if (found && sight.pid > 0)
    (void)snprintf(where, sizeof where, "process %d on %s", sight.pid, sight.host);
  gannet_utf8_show(where);
  (void)fprintf(out, "%06lld  %4d  %s%-*s  %4s  %s\n", (long long)seen->id, seen->attempt,
                dated || seen->exact ? "" : ">", dated || seen->exact ? 13 : 12, age, slot, where);
}

static void put_running(view *v) {
  const watch_course *c = v->course;
  const int n = c->n_sights < LONGEST_RUNNING ? c->n_sights : LONGEST_RUNNING;
  if (n == 0) return;
  FILE *out = watch_page_begin(&v->page, under_way_word(v->follow), "", 2);
  if (!out) return;
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
  char silence[400];
  v.page.frame = *frame;
  v.now = gannet_clock_epoch();
  gannet_tally_count(v.campaign, &tally);
  put_head(&v);
  if (v.state != GANNET_FOLLOW_AT_WORK && isfinite(course->last_ended)) v.now = course->last_ended;
  if (follow->note[0]) put_sentence(&v, "damaged", RED, follow->note);
  if (watch_silence_text(follow, silence, sizeof silence))
    put_sentence(&v, "scheduler", YELLOW, silence);
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
    if (out) (void)fputs("q leaves; the campaign goes on\n", out);
  }
  return watch_page_end(&v.page);
}
