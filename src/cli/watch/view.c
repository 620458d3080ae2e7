/* What a view of gannet watch says, and how it is laid out in a terminal of some size.
 *
 * A view is a page of sections. A section has a label and lines. Lines are cut at the width of the
 * terminal, and sections share its height.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "cli/watch/watch.h"
#include "problem/conditional.h"
#include "problem/objectives.h"

/* Sections of a page: a label in front, lines behind it. */
enum { SECTIONS = 16, LABEL_WIDTH = 12 };

typedef struct {
  const char *label; /* NULL = none: the lines begin at the left edge */
  const char *style; /* numbers of an ANSI colour, "" = none */
  char *text;        /* lines */
  size_t size;
  FILE *out; /* stream into text */
  int least; /* lines that are always shown */
} page_section;

typedef struct {
  watch_frame frame;
  int n;
  page_section section[SECTIONS];
} page;

/* Number of characters that a UTF-8 text takes on a line. */
static int text_width(const char *text) {
  int width = 0;
  for (size_t left = strlen(text); left > 0; ++width) {
    const size_t length = gannet_utf8_next(text, left, NULL);
    text += length ? length : 1;
    left -= length ? length : 1;
  }
  return width;
}

/* Begin a section and give the stream for its lines; NULL when memory is short. */
static FILE *page_begin(page *p, const char *label, const char *style, int least) {
  page_section *s = &p->section[p->n];
  *s = (page_section){.label = label, .style = style, .least = least};
  s->out = open_memstream(&s->text, &s->size);
  if (s->out) ++p->n;
  return s->out;
}

/* Characters behind the labels. */
static int page_width(const page *p) {
  const int width = p->frame.width - LABEL_WIDTH;
  return width > 8 ? width : 8;
}

static int count_lines(const char *text) {
  int n = 0;
  for (; (text = strchr(text, '\n')); ++text) ++n;
  return n;
}

/* Sections that are dropped when a terminal is too low, in this order. */
static const char *const dispensable[] = {"course", "proposals", "campaign", "time", "failures"};

/* Drop dispensable sections until rows are left; returns the rows that are left. */
static int drop_dispensable(const page *p, int left, int *wanted, int *rows) {
  for (size_t k = 0; k < sizeof dispensable / sizeof *dispensable && left < 0; ++k)
    for (int i = 0; i < p->n; ++i) {
      if (!p->section[i].label || strcmp(p->section[i].label, dispensable[k]) != 0) continue;
      left += rows[i];
      rows[i] = wanted[i] = 0;
    }
  return left;
}

/* Give each section its least number of rows, then give rows one by one to the section with the
 * fewest that wants more, until none is left. */
static void share_rows(const page *p, int *wanted, int *rows) {
  int left = p->frame.height > 0 ? p->frame.height : 10000;
  for (int i = 0; i < p->n; ++i) {
    rows[i] = wanted[i] < p->section[i].least ? wanted[i] : p->section[i].least;
    left -= rows[i];
  }
  left = drop_dispensable(p, left, wanted, rows);
  for (; left > 0; --left) {
    int poorest = -1;
    for (int i = 0; i < p->n; ++i)
      if (rows[i] < wanted[i] && (poorest < 0 || rows[i] < rows[poorest])) poorest = i;
    if (poorest < 0) return;
    ++rows[poorest];
  }
}

/* Write one line, at most width characters; characters that could move the cursor become spaces. */
static void put_cut(FILE *out, const char *text, size_t size, int width) {
  for (; size > 0 && width > 0; --width) {
    const size_t length = gannet_utf8_next(text, size, NULL);
    const unsigned char first = (unsigned char)*text;
    const bool control = first < 0x20 || first == 0x7f ||
                         (first == 0xc2 && size > 1 && (unsigned char)text[1] < 0xa0);
    if (length == 0 || control)
      (void)fputc(control ? ' ' : '?', out);
    else
      (void)fwrite(text, 1, length, out);
    text += length ? length : 1;
    size -= length ? length : 1;
  }
}

static void put_label(const page *p, const char *label, FILE *out) {
  const bool bold = p->frame.colors && label[0];
  (void)fprintf(out, "%s%-*.*s%s", bold ? "\033[1m" : "", LABEL_WIDTH, p->frame.width, label,
                bold ? "\033[0m" : "");
}

static void put_section(const page *p, const page_section *s, int rows, FILE *out) {
  const int lines = count_lines(s->text), label = s->label ? LABEL_WIDTH : 0;
  const bool styled = p->frame.colors && s->style[0];
  const char *line = s->text;
  for (int i = 0; i < rows; ++i) {
    const char *end = strchr(line, '\n');
    if (s->label) put_label(p, i == 0 ? s->label : "", out);
    if (styled) (void)fprintf(out, "\033[%sm", s->style);
    if (i + 1 == rows && lines > rows && rows > 1) {
      char more[48];
      const int length = snprintf(more, sizeof more, "... and %d lines more", lines - i);
      put_cut(out, more, (size_t)length, p->frame.width - label);
    } else {
      put_cut(out, line, (size_t)(end - line), p->frame.width - label);
    }
    (void)fprintf(out, "%s\n", styled ? "\033[0m" : "");
    line = end + 1;
  }
}

/* Lay out everything and release it; the text is for free, NULL when memory is short. */
static char *page_end(page *p) {
  int wanted[SECTIONS], rows[SECTIONS];
  char *text = NULL;
  size_t size = 0;
  bool sound = true;
  for (int i = 0; i < p->n; ++i) {
    sound = fclose(p->section[i].out) == 0 && sound;
    wanted[i] = sound ? count_lines(p->section[i].text) : 0;
  }
  FILE *out = sound ? open_memstream(&text, &size) : NULL;
  share_rows(p, wanted, rows);
  for (int i = 0; i < p->n && out; ++i) put_section(p, &p->section[i], rows[i], out);
  for (int i = 0; i < p->n; ++i) free(p->section[i].text);
  p->n = 0;
  if (!out) return NULL;
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

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
  page page;
  double now; /* seconds since 1970; when no process is at work, the time of the last end */
} view;

/* Items of a section, on lines that break where the page ends. */
typedef struct {
  FILE *out;
  int width; /* characters of a line */
  int at;    /* column behind the last item */
  int gap;   /* blanks between items; 0 = 3 */
} flow;

static flow begin_flow(view *v, const char *label, const char *style, int least) {
  FILE *out = page_begin(&v->page, label, style, least);
  return (flow){.out = out, .width = page_width(&v->page)};
}

static void put_item(flow *f, const char *raw) {
  char text[600];
  (void)snprintf(text, sizeof text, "%s", raw);
  gannet_utf8_show(text);
  const int length = text_width(text), gap = f->at == 0 ? 0 : f->gap ? f->gap : 3;
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
  FILE *out = page_begin(&v->page, "campaign", "", 1);
  if (out)
    (void)fprintf(out, "%s, %s over %d variable%s%s\n", input->general.name, goal, problem->n_free,
                  problem->n_free == 1 ? "" : "s",
                  gannet_problem_n_bounded(problem) > 0 ? " with constraints" : "");
  v->state = watch_state_text(v->follow, text, sizeof text);
  out = page_begin(&v->page, "state", colors[v->state], 1);
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
  flow f = begin_flow(v, label, style, 2);
  if (!f.out) return;
  put_words(&f, text);
  end_flow(&f);
}

static void put_bar(view *v, const gannet_tally *tally) {
  const gannet_history *history = v->follow->campaign.history;
  const int64_t imported = gannet_history_count_origin(history, GANNET_ORIGIN_IMPORT);
  const int64_t ended = v->course->n_ended - imported, total = v->follow->total;
  const bool unicode = v->page.frame.unicode;
  char share[GANNET_BUDGET_TEXT], words[GANNET_BUDGET_TEXT + 16] = "";
  char feasible[GANNET_TALLY_TEXT];
  FILE *out = page_begin(&v->page, "progress", "", 1);
  if (!out) return;
  gannet_budget_format(ended, "", " of ", total, share);
  if (total > 0)
    (void)snprintf(words, sizeof words, "%s, %.0f %%", share,
                   floor(100 * fmin(1, (double)ended / (double)total)));
  const int room = page_width(&v->page) - (int)strlen(words) - 3;
  const int length = room < 10 ? 0 : room > 40 ? 40 : room;
  if (total <= 0) {
    (void)fprintf(out, "%lld evaluations, no limit\n", (long long)ended);
  } else {
    const int full = (int)(length * fmin(1, (double)ended / (double)total));
    for (int i = 0; i < length; ++i)
      (void)fputs(i < full ? unicode ? "█" : "#" : unicode ? "░" : ".", out);
    (void)fprintf(out, "%s%s\n", length ? "  " : "", words);
  }
  flow f = begin_flow(v, "ended", "", 1);
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
                 watch_running_word(v->follow, v->course), (long long)tally->pending - running);
  put_item(&f, words);
  end_flow(&f);
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
  flow f = begin_flow(v, "time", "", 1);
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
  FILE *out = page_begin(&v->page, "best", GREEN, 1);
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

static void put_value(flow *f, const gannet_problem *problem, int variable, double value) {
  const gannet_variable *about = &problem->spec.variables[variable];
  char text[256], item[400];
  if (about->type == GANNET_VARIABLE_REAL && !gannet_problem_is_fixed(problem, variable, &value))
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
  if (tally->best.id < 0 || tally->n_objectives > 1) return;
  flow f = begin_flow(v, "design", "", 1);
  if (!f.out) return;
  const double *x = gannet_history_x_user(v->campaign->history, tally->best.id);
  gannet_runs runs;
  double *means = NULL;
  const gannet_err err = gannet_alloc((size_t)problem->spec.n_constraints, sizeof *means, &means);
  if (err == GANNET_OK) gannet_runs_find(v->campaign->history, tally->best.id, means, &runs);
  for (int i = 0; i < problem->spec.n_variables; ++i)
    if (gannet_problem_is_active(problem, i, x)) put_value(&f, problem, i, x[i]);
  for (int k = 0; k < problem->spec.n_constraints && err == GANNET_OK; ++k)
    put_constraint(&f, &problem->spec.constraints[k], means[k]);
  gannet_free(&means);
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
  /* With several objectives no single value is the best. */
  if (c->n_steps < 2 || v->campaign->input->problem->spec.n_objectives > 0) return;
  FILE *out = page_begin(&v->page, "course", "", 1);
  if (!out) return;
  (void)snprintf(ends, sizeof ends, "  %.5g to %.5g", c->steps[0].value,
                 c->steps[c->n_steps - 1].value);
  const int room = page_width(&v->page) - (int)strlen(ends);
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
  flow f = begin_flow(v, "proposals", "", 1);
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
  FILE *out = page_begin(&v->page, under_way_word(v->follow, v->course), "", 2);
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
  FILE *out = n > 0 ? page_begin(&v->page, "failures", RED, 2) : NULL;
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
  if (watch_scheduler_text(follow, silence, sizeof silence))
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
    FILE *out = page_begin(&v.page, NULL, DIM, 1);
    if (out) (void)fputs("q leaves; the campaign continues\n", out);
  }
  return page_end(&v.page);
}
