/* gannet watch: look at the files of a campaign again and again, and show what has changed, in a
 * terminal as a view that is drawn over, elsewhere as lines.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "campaign/run/budget.h"
#include "campaign/run/failure_reasons.h"
#include "cli/program.h"
#include "cli/query.h"
#include "cli/watch/terminal.h"
#include "cli/watch/watch.h"
#include "cli/watch/web.h"
#include "problem/runs.h"

static const cli_flag flags[] = {
    {"interval", 'i', "TIME", "time between two readings of the files (default 1s)", false},
    {"once", 0, NULL, "show the present state, and end", false},
    {"stay", 0, NULL,
     "continue when the campaign ends, for steps and campaigns that will be resumed", false},
    {"web", 'w', NULL, "show the report as a live page in a browser, over a socket or --port",
     false},
    {"port", 'p', "NUMBER",
     "with --web: serve it on this port of the loopback, at an address with a secret; 0 = any port",
     false},
    {NULL, 0, NULL, NULL, false},
};

typedef struct {
  gannet_follow follow;
  watch_course course;
  double interval;
  bool stays;   /* --stay: the end of the campaign does not end gannet watch */
  bool changed; /* the last look has found something new */
} watcher;

static gannet_err look_again(watcher *w) {
  GANNET_TRY(gannet_follow_look(&w->follow, &w->changed));
  return w->changed ? watch_course_update(&w->course, &w->follow) : GANNET_OK;
}

static bool is_over(const watcher *w, gannet_follow_state state) {
  const bool ended = state != GANNET_FOLLOW_AT_WORK && state != GANNET_FOLLOW_WAITING;
  return w->follow.note[0] || (ended && !w->stays);
}

/* The exit code with which `gannet run` would have ended. */
static gannet_exit exit_code(const watcher *w, gannet_follow_state state) {
  if (w->follow.note[0]) return GANNET_EXIT_DAMAGED;
  if (state == GANNET_FOLLOW_FAILURES) return GANNET_EXIT_FAILURES;
  if (state == GANNET_FOLLOW_STOPPED) return GANNET_EXIT_RESUMABLE;
  if (state != GANNET_FOLLOW_FINISHED) return GANNET_EXIT_FINISHED;
  return gannet_history_best(w->follow.campaign.history) >= 0 ? GANNET_EXIT_FINISHED
                                                              : GANNET_EXIT_INFEASIBLE;
}

static gannet_err print_view(const watcher *w, bool is_terminal) {
  watch_frame frame = {.colors = is_terminal && cli_terminal_has_colors(),
                       .unicode = cli_terminal_has_unicode()};
  cli_terminal_measure(&frame.width, &frame.height);
  frame.height = 0;
  if (!is_terminal) frame.width = 1000;
  char *text = watch_view(&w->follow, &w->course, &frame);
  GANNET_REQUIRE(text, GANNET_ERR_MEMORY, "the view of a campaign");
  (void)fputs(text, stdout);
  free(text);
  return cli_close_output(stdout);
}

static gannet_err draw_view(const watcher *w, const cli_terminal *terminal) {
  const watch_frame frame = {.width = terminal->width,
                             .height = terminal->height,
                             .colors = cli_terminal_has_colors(),
                             .unicode = cli_terminal_has_unicode()};
  char *text = watch_view(&w->follow, &w->course, &frame);
  GANNET_REQUIRE(text, GANNET_ERR_MEMORY, "the view of a campaign");
  cli_terminal_draw(terminal, text);
  free(text);
  return GANNET_OK;
}

/* Draw the view over and over in the terminal. */
static gannet_err watch_live(watcher *w, cli_terminal *terminal, gannet_exit *code) {
  char words[600];
  for (;;) {
    const gannet_follow_state state = watch_state_text(&w->follow, words, sizeof words);
    *code = GANNET_EXIT_FINISHED;
    if (is_over(w, state)) {
      *code = exit_code(w, state);
      return GANNET_OK;
    }
    GANNET_TRY(draw_view(w, terminal));
    const cli_terminal_event event = cli_terminal_wait(terminal, w->interval);
    if (event == CLI_TERMINAL_QUIT) return GANNET_OK;
    if (event == CLI_TERMINAL_IDLE) GANNET_TRY(look_again(w));
  }
}

/* The last view stays on the screen that the terminal had before. */
static gannet_err watch_terminal(watcher *w, gannet_exit *code) {
  cli_terminal terminal;
  cli_terminal_enter(&terminal);
  const gannet_err err = watch_live(w, &terminal, code);
  cli_terminal_leave(&terminal);
  GANNET_TRY(err);
  return print_view(w, true);
}

static void print_time(void) {
  char when[40];
  gannet_clock_format(gannet_clock_epoch(), when, sizeof when);
  (void)printf("%s  ", when);
}

static void print_counts(const watcher *w) {
  gannet_tally tally;
  double rate = NAN;
  char ended[GANNET_BUDGET_TEXT], text[40], feasible[GANNET_TALLY_TEXT], best[GANNET_TALLY_TEXT];
  gannet_tally_count(&w->follow.campaign, &tally);
  gannet_budget_format(w->course.n_ended - tally.imported, "", "/", w->follow.total, ended);
  gannet_tally_feasible_text(&tally, "; ", feasible);
  gannet_tally_best_text(&tally, 10, best);
  print_time();
  (void)printf("%s ended: %lld done, %lld cannot run, %lld failed%s; %d %s; %s", ended,
               (long long)tally.done, (long long)tally.cannot_run, (long long)tally.failed,
               feasible, w->course.n_sights, watch_running_word(&w->follow, &w->course), best);
  const double left = watch_course_left(&w->course, &w->follow, &rate);
  if (isfinite(left)) {
    gannet_format_duration(left, text, sizeof text);
    (void)printf("; about %s left", text);
  }
  (void)putchar('\n');
}

/* Print failure number at with how many later failures have its reason; nothing when an earlier
 * one, from number before on, has its reason. */
static void print_failure_once(const watcher *w, int64_t before, int64_t at) {
  const watch_course *c = &w->course;
  const gannet_ticket *tickets = w->follow.campaign.ledger.ticket;
  char key[GANNET_REASON_KEY], other[GANNET_REASON_KEY], text[400];
  const int64_t id = c->failure[at % WATCH_FAILURES];
  int64_t more = 0;
  gannet_reason_key(&tickets[id], key);
  for (int64_t i = before; i < c->n_failures; ++i) {
    gannet_reason_key(&tickets[c->failure[i % WATCH_FAILURES]], other);
    if (i == at || strcmp(key, other) != 0) continue;
    if (i < at) return;
    ++more;
  }
  gannet_reason_text(&tickets[id], text, sizeof text);
  print_time();
  (void)printf("evaluation %lld", (long long)id);
  if (more > 0) (void)printf(" and %lld more", (long long)more);
  (void)printf(" %s\n", text);
}

/* Print a line whenever something changes, as for a file. */
static gannet_err watch_lines(watcher *w, gannet_exit *code) {
  char words[600], last[600] = "", scheduler[400], last_scheduler[400] = "";
  gannet_scheduler_status_kind last_kind = GANNET_SCHEDULER_OTHER;
  int64_t failures = 0;
  for (bool news = true;; news = w->changed) {
    const gannet_follow_state state = watch_state_text(&w->follow, words, sizeof words);
    if (failures > w->course.n_failures) failures = 0; /* everything was read again */
    const int64_t kept = w->course.n_failures - WATCH_FAILURES,
                  first = kept > failures ? kept : failures;
    for (int64_t i = first; news && i < w->course.n_failures; ++i) print_failure_once(w, first, i);
    if (news) print_counts(w);
    failures = w->course.n_failures;
    if (strcmp(words, last) != 0) {
      print_time();
      (void)printf("%s\n", w->follow.note[0] ? w->follow.note : words);
    }
    (void)snprintf(last, sizeof last, "%s", words);
    const bool silent = watch_scheduler_text(&w->follow, scheduler, sizeof scheduler);
    if (strcmp(scheduler, last_scheduler) != 0) {
      print_time();
      (void)printf("%s\n", silent ? scheduler
                           : last_kind == GANNET_SCHEDULER_UNKNOWN
                               ? "the state of the jobs is known again"
                               : "SLURM takes and starts jobs again");
    }
    (void)snprintf(last_scheduler, sizeof last_scheduler, "%s", scheduler);
    last_kind = w->follow.scheduler.kind;
    GANNET_TRY(cli_close_output(stdout)); /* flushes it */
    if (is_over(w, state)) {
      *code = exit_code(w, state);
      return GANNET_OK;
    }
    gannet_clock_sleep(w->interval);
    GANNET_TRY(look_again(w));
  }
}

static gannet_err run_watch(const cli_arguments *arguments, const cli_world *world,
                            gannet_exit *code) {
  watcher w = {.stays = cli_has(arguments, "stay")};
  char words[600];
  long long port = -1;
  const bool is_web = cli_has(arguments, "web");
  GANNET_TRY(cli_whole(arguments, "port", 0, -1, &port));
  GANNET_REQUIRE(is_web || port < 0, GANNET_ERR_INPUT, "--port is for --web; add --web");
  GANNET_REQUIRE(port <= 65535, GANNET_ERR_INPUT, "--port: expected 0 to 65535");
  GANNET_REQUIRE(!is_web || !cli_has(arguments, "once"), GANNET_ERR_INPUT,
                 "--once ends at once, and --web serves a page; leave one of them out");
  if (is_web) GANNET_TRY(cli_become(CLI_WEB, world->argv));
  GANNET_TRY(cli_duration(arguments, "interval", 0.05, "of at least 50 ms, such as 0.5s, 10s or 1m",
                          1, &w.interval));
  gannet_err err = gannet_follow_open(arguments->positional[0], &w.follow);
  if (err == GANNET_OK) err = watch_course_update(&w.course, &w.follow);
  if (err == GANNET_OK && is_web) {
    err = watch_web(&w.follow, &w.course, w.interval, (int)port);
  } else if (err == GANNET_OK && cli_has(arguments, "once")) {
    *code = exit_code(&w, watch_state_text(&w.follow, words, sizeof words));
    err = print_view(&w, cli_terminal_is_live());
  } else if (err == GANNET_OK && cli_terminal_is_live()) {
    err = watch_terminal(&w, code);
  } else if (err == GANNET_OK) {
    err = watch_lines(&w, code);
  }
  watch_course_release(&w.course);
  gannet_follow_close(&w.follow);
  return err;
}

const cli_command cli_watch = {
    .name = "watch",
    .usage = "DIR [options]",
    .summary = "follow a campaign while it runs",
    .details =
        "In a terminal, shows progress, the best design, running simulations and the last\n"
        "failures, and redraws them when something changes; q or Ctrl-C leaves. Outside a\n"
        "terminal, and with TERM=dumb, prints a line for every change. Only reads the files of\n"
        "the campaign, so it works on any host that can read them, and never disturbs the run.\n"
        "Ends when the campaign ends, with the exit code of `gannet run`; leaving earlier gives\n"
        "0. NO_COLOR switches colours off.\n\n"
        "With --web, the page of gannet report is served live on web.sock in the campaign\n"
        "directory, which only you can open. It stays up after the campaign ends, until Ctrl-C, "
        "or\n"
        "until no browser has connected for an hour.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_watch,
};
