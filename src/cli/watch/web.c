#include "cli/watch/web.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/embed.h"
#include "base/file.h"
#include "cli/query.h"
#include "cli/watch/document.h"
#include "cli/watch/web_server.h"
#include "report/report.h"

enum { FAILURES_SHOWN = 10 };

static const double FORGOTTEN_SECONDS = 3600; /* a campaign that has ended is shown so long */
static const double PAGE_SHARE = 0.1;         /* most of the time that is spent on making pages */

GANNET_EMBED(watch_live, WATCH_LIVE_HTML);

typedef struct {
  gannet_follow *follow;
  watch_course *course;
  double interval;
  double asked; /* seconds of gannet_clock_seconds of the last request */
  char *page;   /* the last page, from malloc; NULL = none */
  size_t page_size;
  int64_t page_revision;
  double page_made;    /* seconds of gannet_clock_seconds */
  double page_seconds; /* that making it took */
} web;

static volatile sig_atomic_t wants_end;

static void note_signal(int number) {
  wants_end = number;
}

/* A number that grows with every change of the journal, also when everything was read again. */
static int64_t revision_of(const gannet_follow *follow) {
  return follow->campaign.ledger.sequence + ((int64_t)follow->generation << 32);
}

/* The part of the page that is live, with its marks replaced. */
static void put_live(const web *w, FILE *out) {
  for (const char *at = watch_live_begin; at < watch_live_end; ++at) {
    const bool is_mark = strncmp(at, "{{", 2) == 0;
    if (!is_mark) (void)fputc(*at, out);
    if (!is_mark) continue;
    if (strncmp(at, "{{revision}}", 12) == 0)
      (void)fprintf(out, "%lld", (long long)w->page_revision);
    else
      (void)fprintf(out, "%.0f", 1e3 * w->interval);
    at = strstr(at, "}}") + 1;
  }
}

/* The report, with the live part at the start of its body. */
static gannet_err write_page(const web *w, const gannet_report *report, FILE *out) {
  static const char body[] = "<body>\n";
  char *text = NULL;
  size_t size = 0;
  FILE *whole = open_memstream(&text, &size);
  GANNET_REQUIRE(whole, GANNET_ERR_MEMORY, "the text of a report");
  gannet_err err = gannet_report_write(report, whole);
  if (fclose(whole) && err == GANNET_OK) err = gannet_raise_errno("make", "the text of a report");
  const char *at = err == GANNET_OK ? strstr(text, body) : NULL;
  if (at) {
    const size_t head = (size_t)(at - text) + strlen(body);
    (void)fwrite(text, 1, head, out);
    put_live(w, out);
    (void)fwrite(text + head, 1, size - head, out);
  }
  free(text);
  return err;
}

/* Make the page anew, unless the last one is as recent, or was made a moment ago: a model is fitted
 * for it. */
static gannet_err update_page(web *w) {
  const double before = gannet_clock_seconds();
  gannet_report *report = NULL;
  gannet_labels labels;
  const double pause = w->page_seconds * (1 / PAGE_SHARE - 1);
  if (w->page && (revision_of(w->follow) == w->page_revision || before - w->page_made < pause))
    return GANNET_OK;
  free(w->page);
  w->page = NULL;
  w->page_revision = revision_of(w->follow);
  cli_labels(&w->follow->campaign, &labels);
  gannet_err err = gannet_report_create(&w->follow->campaign, &labels, &report);
  gannet_labels_release(&labels);
  FILE *out = err == GANNET_OK ? open_memstream(&w->page, &w->page_size) : NULL;
  if (err == GANNET_OK && !out) err = GANNET_RAISE(GANNET_ERR_MEMORY, "the live page");
  if (out) err = write_page(w, report, out);
  if (out && fclose(out) && err == GANNET_OK) err = gannet_raise_errno("make", "the live page");
  gannet_report_destroy(&report);
  w->page_made = gannet_clock_seconds();
  w->page_seconds = w->page_made - before;
  return err;
}

static gannet_err answer_status(const web *w, web_answer *answer) {
  json_t *state = watch_document(w->follow, w->course, FAILURES_SHOWN);
  int failed =
      json_object_set_new(state, "revision", json_integer((json_int_t)revision_of(w->follow)));
  failed |= json_object_set_new(state, "page_seconds", json_real(w->page_seconds));
  answer->text = failed ? NULL : json_dumps(state, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(state);
  GANNET_REQUIRE(answer->text, GANNET_ERR_MEMORY, "the state as JSON");
  answer->size = strlen(answer->text);
  answer->type = "application/json";
  return GANNET_OK;
}

static gannet_err answer_request(void *user, const char *path, web_answer *answer) {
  web *w = user;
  w->asked = gannet_clock_seconds();
  if (strcmp(path, "/status.json") == 0) return answer_status(w, answer);
  if (strcmp(path, "/") != 0) return GANNET_OK;
  GANNET_TRY(update_page(w));
  answer->text = malloc(w->page_size);
  GANNET_REQUIRE(answer->text, GANNET_ERR_MEMORY, "the live page");
  memcpy(answer->text, w->page, w->page_size);
  answer->size = w->page_size;
  answer->type = "text/html; charset=utf-8";
  return GANNET_OK;
}

static void say_address(const web_address *address) {
  char host[256] = "HOST";
  if (address->token[0]) {
    cli_say(stdout, "live page: http://127.0.0.1:%d/%s/\n", address->port, address->token);
    cli_say(stdout, "whoever knows this address can read the campaign; Ctrl-C ends the server\n");
    return;
  }
  if (address->folder[0]) cli_warn("%s; it is in '%s' instead", address->why, address->folder);
  (void)gethostname(host, sizeof host - 1);
  cli_say(stdout, "live page: %s\n", address->path);
  cli_say(stdout, "on your own computer:  ssh -N -L 8080:%s %s\n", address->path, host);
  cli_say(stdout, "then open:             http://localhost:8080\n");
  cli_say(stdout, "Ctrl-C ends the server; the campaign continues\n");
}

/* Look at the files and answer requests in turn. */
static gannet_err serve(web *w, const web_address *address, web_server *server) {
  char journal[PATH_MAX], words[600], last[600] = "";
  double looked = gannet_clock_seconds();
  w->asked = looked;
  GANNET_TRY(gannet_campaign_path(&w->follow->campaign, "campaign.yaml", journal));
  while (!wants_end) {
    const double now = gannet_clock_seconds();
    if (now - looked >= w->interval) {
      bool changed = false;
      GANNET_REQUIRE(access(journal, F_OK) == 0, GANNET_ERR_MISSING,
                     "'%s': the campaign is gone; start the server again where it is now",
                     w->follow->campaign.directory);
      GANNET_REQUIRE(web_address_is_there(address), GANNET_ERR_MISSING,
                     "'%s' was removed, or another server has taken its place; use that one, or "
                     "start this one again",
                     address->path);
      GANNET_TRY(gannet_follow_look(w->follow, &changed));
      if (changed) GANNET_TRY(watch_course_update(w->course, w->follow));
      looked = gannet_clock_seconds();
    }
    const gannet_follow_state state = watch_state_text(w->follow, words, sizeof words);
    if (strcmp(words, last) != 0) cli_say(stdout, "%s\n", words);
    (void)snprintf(last, sizeof last, "%s", words);
    GANNET_TRY(cli_close_output(stdout)); /* flushes it */
    const bool is_over = state != GANNET_FOLLOW_AT_WORK && state != GANNET_FOLLOW_WAITING;
    if (is_over && now - w->asked > FORGOTTEN_SECONDS) {
      cli_say(stdout, "no browser has connected for an hour: the server ends\n");
      return GANNET_OK;
    }
    GANNET_TRY(web_server_wait(server, (int)(1e3 * fmin(w->interval, 0.5))));
  }
  return GANNET_OK;
}

gannet_err watch_web(gannet_follow *follow, watch_course *course, double interval, int port) {
  static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
  /* A second signal ends the process while a page is made. */
  const struct sigaction note = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  web w = {.follow = follow, .course = course, .interval = interval};
  web_address address = {.listener = -1};
  web_server *server = NULL;
  gannet_context *context = NULL;
  char directory[PATH_MAX];
  GANNET_TRY(cli_absolute_path(follow->campaign.directory, "web", directory, sizeof directory));
  GANNET_TRY(gannet_context_create_alone(follow->campaign.ledger.seed, &context));
  for (size_t i = 0; i < sizeof ending / sizeof *ending; ++i)
    (void)sigaction(ending[i], &note, NULL);
  (void)sigaction(SIGPIPE, &ignore, NULL);
  gannet_err err = port < 0 ? web_address_open_socket(directory, &address)
                            : web_address_open_port(port, &address);
  if (err == GANNET_OK) err = web_server_start(&address, answer_request, &w, &server);
  if (err == GANNET_OK) {
    say_address(&address);
    err = serve(&w, &address, server);
  }
  web_server_stop(&server);
  web_address_close(&address);
  free(w.page);
  gannet_context_destroy(&context);
  return err;
}
