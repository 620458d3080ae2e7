/* What a person sees while a campaign runs, one line per batch and a live bar on a terminal, and
 * the figures in it: evaluations by status, the best one, use of the slots.
 */
#ifndef GANNET_CAMPAIGN_RUN_PROGRESS_H
#define GANNET_CAMPAIGN_RUN_PROGRESS_H

#include <stdio.h>

#include "campaign/run/campaign.h"
#include "problem/runs.h"

typedef struct {
  FILE *out;           /* NULL = silent (other ranks, -q) */
  bool live;           /* a terminal: the bar is drawn over itself */
  double start;        /* seconds of gannet_clock_seconds */
  int64_t count_start; /* evaluations that had ended then */
  int64_t budget;      /* evaluations, 0 = no limit */
  int64_t n_told;      /* results that the last line told of */
  char line[1200];     /* of a finished batch, not printed yet; "" = none */
} gannet_progress;

/* Evaluations by their outcomes, and the best of them. */
typedef struct {
  int64_t done, cannot_run, failed, pending; /* without imported ones */
  int64_t imported;
  int64_t feasible;   /* done evaluations that are feasible; -1 = the problem has no constraints */
  int64_t incomplete; /* done evaluations without a value of an objective or constraint, so that
                         nobody knows whether they would be feasible or on the front */
  double violation;   /* of the best one; 0 = it is feasible */
  gannet_best best;
  char best_runs[GANNET_RUNS_TEXT]; /* its evaluations, "3 runs, evaluations 6, 7, 8" */
  bool is_best_imported;
  char name[72]; /* of the objective and a blank; "" when the campaign file gives it none */
  char unit[32]; /* of the objective behind a blank; "" when none was stated */
  int n_objectives;
  int n_front;                              /* designs of the front of several objectives */
  double hypervolume, log_hypervolume;      /* that the front dominates, as in gannet_front */
  double reference[GANNET_OBJECTIVES_MOST]; /* [n_objectives] minimised */
  double ideal[GANNET_OBJECTIVES_MOST];     /* [n_objectives] minimised, of the front */
} gannet_tally;

enum { GANNET_TALLY_TEXT = 400 };

/* Numbers of evaluations by status, and the best one.
 *
 * Local.
 */
void gannet_tally_count(const gannet_campaign *campaign, gannet_tally *tally);

/* "12 of 24 feasible, 3 incomplete": how many of the evaluations with results keep all constraints,
 * and how many lack a value.
 *
 * Local.
 *
 * before  in   put before it, "; "
 * text    out  [GANNET_TALLY_TEXT]; "" when the problem has no constraints and nothing is
 * incomplete
 */
void gannet_tally_feasible_text(const gannet_tally *tally, const char *before, char *text);

/* "best 331 (evaluation 7)", "best 331 +- 2 (3 runs, evaluations 6, 7, 8)", "no feasible design
 * yet; least violation 0.3 at evaluation 7", "no result has all numbers that are needed", or
 * "no result yet"; of several objectives "front: 14 designs, hypervolume 0.412", or "front: 14
 * designs, none better than the thresholds".
 *
 * Local.
 *
 * digits  in   of the objective
 * text    out  [GANNET_TALLY_TEXT]
 */
void gannet_tally_best_text(const gannet_tally *tally, int digits, char *text);

/* Methods of a portfolio that are left out because a model failed, "pinn-bo (at 12 results)".
 *
 * Local.
 *
 * text  out  [size]; "" = none
 */
void gannet_absent_list(const gannet_campaign *campaign, char *text, size_t size);

/* How the slots of the evaluator were used. */
typedef struct {
  double first, last; /* start and end, seconds since 1970; INFINITY and -INFINITY = none known */
  double busy;        /* seconds, summed over evaluations */
  int slots;
} gannet_usage;

/* That by the last attempts of all evaluations.
 *
 * Local.
 */
gannet_usage gannet_usage_measure(const gannet_campaign *campaign);

/* Count another attempt, if it is known when it ran.
 *
 * Local.
 */
void gannet_usage_add(gannet_usage *usage, const gannet_run_record *run);

/* Part of the time between first and last in which slots were busy; NAN when it is not known.
 * Attempts of one slot follow each other: where they last longer than there was time, the clock was
 * set meanwhile, and nothing is known.
 *
 * Local.
 */
double gannet_usage_share(const gannet_usage *usage);

/* Begin: decides whether out is a terminal (NO_COLOR and TERM=dumb make it plain).
 *
 * Local.
 */
void gannet_progress_begin(gannet_progress *progress, FILE *out, const gannet_campaign *campaign);

/* Redraw the bar, on a terminal only.
 *
 * Local.
 *
 * running  in  evaluations in flight
 */
void gannet_progress_update(gannet_progress *progress, const gannet_campaign *campaign,
                            int running);

/* Compose the line of a finished batch.
 *
 * Local.
 */
void gannet_progress_batch(gannet_progress *progress, const gannet_campaign *campaign);

/* Print the line of a finished batch, if there is one.
 *
 * Local.
 */
void gannet_progress_print(gannet_progress *progress);

/* Take the bar away.
 *
 * Local.
 */
void gannet_progress_end(gannet_progress *progress);

#endif
