#include "evaluate/contract/output_search.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

enum { BLOCK = 64 << 10 };
static const int64_t longest_file = INT64_C(64) << 30;
static const double slowest_bytes = 1e6; /* per second, of a search that has used up its patience */

/* A piece of a line. It lies in the block, with room for a zero byte after it. */
typedef struct {
  char *text;
  size_t length;
  bool begins, ends; /* its line */
  bool is_torn;      /* the line has zero bytes, here or before */
} piece;

typedef struct {
  FILE *file;
  char *block; /* [BLOCK + 1] */
  size_t at, filled;
  bool is_over;   /* nothing is left to be read */
  bool is_inside; /* of a line that has begun before at */
  bool is_torn;   /* that line has had zero bytes */
  double bytes;
  int error;    /* of reading */
  double begun; /* on the clock of the processor */
} reader;

/* What is known of one expression. */
typedef struct {
  double seconds;
  bool is_taken; /* in this line */
} state;

/* Replace zero bytes, which would end the text for regexec, by blanks. Returns whether there were
 * any.
 */
static bool blank_zeros(char *text, size_t size) {
  bool any = false;
  for (char *zero = memchr(text, '\0', size); zero;
       zero = memchr(zero, '\0', size - (size_t)(zero - text))) {
    *zero = ' ';
    any = true;
  }
  return any;
}

static void read_block(reader *r) {
  const size_t rest = r->filled - r->at;
  memmove(r->block, r->block + r->at, rest);
  const size_t got = fread(r->block + rest, 1, BLOCK - rest, r->file);
  r->at = 0;
  r->filled = rest + got;
  r->is_over = got < BLOCK - rest;
  if (ferror(r->file)) r->error = errno;
}

static bool next_piece(reader *r, piece *p) {
  if (!r->is_over && r->filled - r->at <= GANNET_LINE_PIECE + 1) read_block(r);
  const size_t left = r->filled - r->at;
  if (left == 0) return false;
  p->text = r->block + r->at;
  const size_t seen = left <= GANNET_LINE_PIECE ? left : GANNET_LINE_PIECE + 1;
  const char *end = memchr(p->text, '\n', seen);
  /* CR ends a line, too: progress is written over its line, and the last text of it counts. */
  const char *back = memchr(p->text, '\r', end ? (size_t)(end - p->text) : seen);
  if (back) end = back;
  const size_t sign = back && (size_t)(back - p->text) + 1 < left && back[1] == '\n' ? 2 : 1;
  p->begins = !r->is_inside;
  p->ends = end || left <= GANNET_LINE_PIECE;
  const size_t whole = end ? (size_t)(end - p->text) : p->ends ? left : GANNET_LINE_PIECE;
  const size_t step = end ? whole + sign : p->ends ? left : GANNET_LINE_PIECE - GANNET_LINE_OVERLAP;
  p->length = whole;
  p->is_torn = blank_zeros(p->text, whole) || (r->is_inside && r->is_torn);
  r->is_torn = p->is_torn;
  r->is_inside = !p->ends;
  r->at += step;
  r->bytes += (double)step;
  return true;
}

/* Match all expressions against a piece. Returns true when `take` ends the search. */
static bool match_all(const gannet_search *search, const piece *p, state *states) {
  double before = gannet_clock_seconds();
  bool enough = false;
  for (int i = 0; i < search->n && !enough; ++i) {
    regmatch_t match[2];
    if (p->begins) states[i].is_taken = false;
    if (states[i].is_taken) continue;
    /* A match that begins in what the next piece shows again counts there, where all of it is. */
    const int flags = (p->begins ? 0 : REG_NOTBOL) | (p->ends ? 0 : REG_NOTEOL);
    const bool matches =
        regexec(&search->regex[i], p->text, search->has_places ? 2 : 0, match, flags) == 0;
    if (matches && (!search->has_places || p->ends ||
                    match[0].rm_so < GANNET_LINE_PIECE - GANNET_LINE_OVERLAP)) {
      states[i].is_taken = true;
      enough =
          search->take(search->user, i, p->text, search->has_places ? match : NULL, p->is_torn);
    }
    const double now = gannet_clock_seconds();
    states[i].seconds += now - before;
    before = now;
  }
  return enough;
}

/* Whether the search is out of patience. It must have taken too much time of the wall and of the
 * processor: on a busy machine, time of the wall alone says nothing about the search. */
static bool is_slow(const gannet_search *search, double patience, const reader *r,
                    const state *states, int *slowest) {
  const double allowed = patience + r->bytes / slowest_bytes;
  double sum = 0;
  *slowest = 0;
  for (int i = 0; i < search->n; ++i) {
    sum += states[i].seconds;
    if (states[i].seconds > states[*slowest].seconds) *slowest = i;
  }
  return sum > allowed && gannet_clock_processor() - r->begun > allowed;
}

/* The report of a search that failed. A file that does not exist holds nothing, and is no failure.
 */
static gannet_search_report failure(int error, const char *why) {
  gannet_search_report report = {.end = error == ENOENT ? GANNET_SEARCH_OVER : GANNET_SEARCH_FAILED,
                                 .error = error};
  (void)snprintf(report.why, sizeof report.why, "%s", why);
  gannet_error_clear();
  return report;
}

static void search_all(const gannet_search *search, const gannet_search_limits *limits, reader *r,
                       state *states, gannet_search_report *report) {
  const gannet_stopping *stopping = limits->stopping;
  bool enough = false;
  piece p;
  while (!enough && next_piece(r, &p)) {
    if (stopping && stopping->is_asked(stopping->user)) {
      report->end = GANNET_SEARCH_STOPPED;
      return;
    }
    const char after = p.text[p.length];
    p.text[p.length] = '\0';
    enough = match_all(search, &p, states);
    p.text[p.length] = after;
    if (!enough && is_slow(search, limits->patience, r, states, &report->slowest)) {
      report->end = GANNET_SEARCH_SLOW;
      return;
    }
  }
  if (!enough && r->error) *report = failure(r->error, strerror(r->error));
}

gannet_search_report gannet_search_file(const gannet_search *search, const char *directory,
                                        const char *name, const gannet_search_limits *limits) {
  char path[PATH_MAX];
  struct stat about;
  reader r = {.begun = gannet_clock_processor()};
  state *states = NULL;
  gannet_search_report report = {.end = GANNET_SEARCH_OVER};
  if (gannet_join_path(directory, name, path, sizeof path) != GANNET_OK)
    return failure(ENAMETOOLONG, strerror(ENAMETOOLONG));
  if (gannet_file_stream(path, GANNET_ERR_INPUT, &r.file) != GANNET_OK)
    return failure(errno, gannet_error_detail());
  if (fstat(fileno(r.file), &about) == 0 && about.st_size > longest_file) {
    (void)fclose(r.file);
    return failure(EFBIG, strerror(EFBIG));
  }
  if (gannet_alloc(BLOCK + 1, 1, &r.block) == GANNET_OK &&
      gannet_alloc((size_t)search->n, sizeof *states, &states) == GANNET_OK) {
    search_all(search, limits, &r, states, &report);
  } else {
    report = failure(ENOMEM, strerror(ENOMEM));
  }
  gannet_free(&states);
  gannet_free(&r.block);
  (void)fclose(r.file);
  return report;
}
