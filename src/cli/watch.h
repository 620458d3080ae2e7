/* The parts of gannet watch.
 *
 *   watch.c         the command: the loop, and the lines for a file
 *   watch_course.c  what is kept from look to look: the course of the best value, times
 *   watch_view.c    what a view says
 *   watch_page.c    how it is laid out in a terminal of some size
 */
#ifndef GANNET_CLI_WATCH_H
#define GANNET_CLI_WATCH_H

#include "campaign/run/follow.h"
#include "campaign/run/progress.h"

/* A step of the best feasible value. */
typedef struct {
  int64_t ended; /* evaluations that had ended then, this one included */
  double value;  /* in the user's sense */
} watch_step;

/* When something was first seen that the files do not date. */
typedef struct {
  int64_t id;
  int attempt;
  double since; /* seconds since 1970 */
  bool exact;   /* false: it had begun before anybody looked */
} watch_sight;

enum { WATCH_FAILURES = 32 };

/* Zero-initialise; release when done. */
typedef struct {
  int generation;
  int64_t n_ended; /* evaluations taken in, in the order in which they ended */
  int64_t n_seen;  /* evaluations whose proposal was taken in */
  int64_t last_batch;
  double begun;      /* seconds since 1970 of the first submission; NAN = unknown */
  double last_ended; /* the same of the last end; NAN = unknown */
  int n_steps, step_capacity;
  watch_step *steps;
  int n_proposals, proposal_capacity;
  double *proposals; /* seconds of each batch that tells */
  double proposals_sum, proposals_median, proposals_longest;
  int64_t n_failures;              /* that have come while looking, and before */
  int64_t failure[WATCH_FAILURES]; /* the last of them; number i in place i % WATCH_FAILURES */
  int n_sights, sight_capacity;
  watch_sight *sights; /* of evaluations under way */
} watch_course;

/* Take in what a look has brought.
 *
 * Local.
 */
GANNET_CHECKED gannet_err watch_course_update(watch_course *course, const gannet_follow *follow);
void watch_course_release(watch_course *course);

/* The best value when so many evaluations had ended; NAN = none.
 *
 * Local.
 */
double watch_course_best(const watch_course *course, int64_t ended);

/* Seconds that are left by the speed of the last evaluations and by the budget of wall time; NAN =
 * unknown.
 *
 * Local.
 *
 * per_second  out  evaluations; NAN = unknown
 */
double watch_course_left(const watch_course *course, const gannet_follow *follow,
                         double *per_second);

typedef struct {
  int width, height; /* height 0 = as high as it wants */
  bool colors, unicode;
} watch_frame;

/* The view as whole lines, none wider than the frame. Free with free; NULL when memory is short.
 *
 * Local.
 */
char *watch_view(const gannet_follow *follow, const watch_course *course, const watch_frame *frame);

/* "at work: process 42 on node7", "finished".
 *
 * Local.
 */
gannet_follow_state watch_state_text(const gannet_follow *follow, char *text, size_t size);

/* "since 2026-03-01T12:34:56Z squeue does not answer"; "" and false when the scheduler does.
 *
 * Local.
 */
bool watch_silence_text(const gannet_follow *follow, char *text, size_t size);

/* What is known of evaluations under way: "running", or less while the scheduler is silent.
 *
 * Local.
 */
const char *watch_running_word(const gannet_follow *follow);

/* Sections of a page: a label in front, lines behind it. */
enum { WATCH_SECTIONS = 16, WATCH_LABEL = 12 };

typedef struct {
  const char *label;
  const char *style; /* numbers of an ANSI colour, "" = none */
  char *text;        /* lines */
  size_t size;
  FILE *out; /* into text; NULL once it is closed */
  int least; /* lines that are always shown */
} watch_section;

typedef struct {
  watch_frame frame;
  int n;
  watch_section section[WATCH_SECTIONS];
} watch_page;

/* Begin a section and give the stream for its lines; NULL when memory is short.
 *
 * Local.
 */
FILE *watch_page_begin(watch_page *page, const char *label, const char *style, int least);

/* Characters behind the labels.
 *
 * Local.
 */
int watch_page_width(const watch_page *page);

/* Lay out everything and release it; the text is for free, NULL when memory is short.
 *
 * Local.
 */
char *watch_page_end(watch_page *page);

/* Number of characters that a UTF-8 text takes on a line.
 *
 * Local.
 */
int watch_text_width(const char *text);

#endif
