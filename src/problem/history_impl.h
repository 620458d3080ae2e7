/* The inside of a history, for the files that it is divided into; no other file includes it.
 *
 *   history            its rows: proposing, reading, forgetting
 *   history_tell       what a result changes
 *   history_penalties  which values stand for designs that do not work
 */
#ifndef GANNET_PROBLEM_HISTORY_IMPL_H
#define GANNET_PROBLEM_HISTORY_IMPL_H

#include "problem/history.h"
#include "problem/penalty.h"
#include "problem/point_index.h"

/* Which rows have the same point. */
typedef struct {
  int n_variables;
  const double *x_user;      /* [rows][n_variables], the history's */
  gannet_point_index *index; /* of the first rows with each point */
  int64_t *first, *next;     /* [capacity] the first row with the point, the next one, -1 = none */
  int64_t *last;             /* [capacity] the last row so far, of a first one */
} gannet_same_points;

struct gannet_history {
  const gannet_problem *problem;
  int64_t n, n_told;
  int64_t n_status[GANNET_EVAL_STATUS_COUNT];
  int64_t n_origin[GANNET_ORIGIN_COUNT];
  int64_t best;            /* id of the best feasible row, -1 = none */
  double best_value;       /* minimised objective of best */
  int64_t least_violation; /* id of the row with the least violation, -1 = none */
  double violation;        /* violation of least_violation */
  int several;             /* objectives that are compared: their number */
  gannet_penalty penalty[GANNET_OBJECTIVES_MOST]; /* equal penalties among the values of each */
  gannet_gap gap[GANNET_OBJECTIVES_MOST];         /* penalties above a gap, likewise */
  bool gaps_agree; /* of several objectives: the gaps of all of them part the same rows, and a
                      feasible one is below */
  double parted_at[GANNET_OBJECTIVES_MOST]; /* gaps that all rows told were compared with */
  bool is_parted_alike, is_feasible_below;  /* what came out, the two parts of gaps_agree */
  int64_t n_values[GANNET_OBJECTIVES_MOST]; /* rows that are done and have objective m */
  int64_t n_feasible;                       /* rows that are feasible */
  int64_t n_elsewhere;  /* rows whose designs are outside the bounds or between steps */
  int64_t n_objectives; /* rows that are done and have an objective */
  int64_t n_error_bars; /* of these, rows whose objective has a standard deviation */
  const gannet_discarded *discarded; /* in whose ids rows are named; NULL = by the row */
  bool at_its_word;                  /* no value is taken for a penalty */
  int64_t first_done;                /* id of the first row done with all constraints, -1 = none */
  bool is_varied;                    /* values of constraints differ between rows */
  int replicates;                    /* gannet_history_join_runs */
  gannet_same_points *same;          /* which rows have the same point */
  int64_t capacity;
  gannet_evaluation *row;      /* [capacity] */
  double *x_user;              /* [capacity][n_variables] */
  double *x_unit;              /* [capacity][d] */
  double *constraint;          /* [capacity][n_constraints], NAN unless done, or when missing */
  double *sd;                  /* [capacity][1 + n_constraints] as told, 0 = not told */
  gannet_quantities *reported; /* [capacity] owned, and what is in them */
  int64_t *order;              /* [capacity] ids by arrival */
  int64_t *n_proposed;         /* [number of listed candidates] rows that have the point of each and
                                  were not discarded; NULL = there is no list */
  int64_t n_left;              /* listed candidates that no row has */
};

/* Count that a row with the point of a listed candidate came (1), or counts no more (-1).
 *
 * Local.
 */
void gannet_history_count_listed(gannet_history *h, int64_t id, int sign);

#endif
