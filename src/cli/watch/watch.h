/* The parts of gannet watch. A look is one reading of the campaign's files.
 *
 *   watch.c     the command: the loop, and the lines for a file
 *   course.c    what is kept from look to look: the course of the best value, times
 *   view.c      what a view says, and how it is laid out
 *   document.c  the same as JSON
 *   web.c       a live page (web.h)
 *   terminal.c  a terminal that is drawn over
 */
#ifndef GANNET_CLI_WATCH_WATCH_H
#define GANNET_CLI_WATCH_WATCH_H

#include "campaign/run/follow.h"
#include "campaign/run/progress.h"
#include "evaluate/contract/contract.h"

/* A step of the best feasible value. */
typedef struct {
  int64_t ended; /* evaluations that had ended then, this one included */
  double value;  /* objective as the user sees it */
} watch_step;

/* An evaluation that runs: when it was first seen, because the files do not say when it began. */
typedef struct {
  int64_t id;
  int attempt;
  double since; /* seconds since 1970 */
  bool exact;   /* false: it had begun before the first look */
} watch_sight;

enum { WATCH_FAILURES = 32 };

/* What is kept from look to look. Zero-initialise; release when done. */
typedef struct {
  int generation;
  int64_t n_ended; /* evaluations whose result was taken in, in the order in which they ended */
  int64_t n_seen;  /* evaluations whose proposal was taken in */
  int64_t last_batch;
  double begun;      /* seconds since 1970 of the first submission; NAN = unknown */
  double last_ended; /* seconds since 1970 of the last end; NAN = unknown */
  int n_steps, step_capacity;
  watch_step *steps;
  int n_proposals, proposal_capacity;
  double *proposals; /* seconds that proposing a batch took, where known */
  double proposals_sum, proposals_median, proposals_longest;
  int64_t n_failures;              /* all failures so far */
  int64_t failure[WATCH_FAILURES]; /* ids of the last failures; number i at i % WATCH_FAILURES */
  int n_sights, sight_capacity;
  watch_sight *sights; /* evaluations under way */
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

/* Seconds until the campaign ends, from the speed of the last evaluations and the budget of wall
 * time; NAN = unknown.
 *
 * Local.
 *
 * per_second  out  evaluations; NAN = unknown
 */
double watch_course_left(const watch_course *course, const gannet_follow *follow,
                         double *per_second);

/* An evaluation under way. */
typedef struct {
  int64_t id;
  int attempt;
  double seconds;                                    /* since it began or was submitted */
  bool is_exact;                                     /* false: it has run for longer than seconds */
  int slot, pid;                                     /* -1 and 0 = unknown */
  char host[GANNET_HOST_SIZE], job[GANNET_JOB_SIZE]; /* "" = unknown, none */
  char place[GANNET_PLACE_SIZE];                     /* its cores and GPUs, "" = unknown */
} watch_running;

/* What is known of an evaluation under way, from its directory or from when it was first seen.
 *
 * Local; reads one file.
 */
void watch_find_running(const gannet_follow *follow, const watch_sight *seen,
                        watch_running *running);

typedef struct {
  int width, height; /* height 0 = as high as it wants */
  bool colors, unicode;
} watch_frame;

/* The view as whole lines, none wider than the frame. Free with free; NULL when memory is short.
 *
 * Local.
 */
char *watch_view(const gannet_follow *follow, const watch_course *course, const watch_frame *frame);

/* The state of the campaign, in words such as "at work: process 42 on node7" or "finished".
 *
 * Local.
 */
gannet_follow_state watch_state_text(const gannet_follow *follow, char *text, size_t size);

/* Words such as "since 2026-03-01T12:34:56Z squeue does not answer"; "" and false when the
 * scheduler answers.
 *
 * Local.
 */
bool watch_scheduler_text(const gannet_follow *follow, char *text, size_t size);

/* Whether evaluations that were under way do not run any more, because the process that ran them is
 * gone. Jobs of a scheduler go on without it.
 *
 * Local.
 */
bool watch_are_lost(const gannet_follow *follow, const watch_course *course);

/* The word for evaluations under way: "running", "lost", or what is known while the scheduler is
 * silent.
 *
 * Local.
 */
const char *watch_running_word(const gannet_follow *follow, const watch_course *course);

#endif
