/* The history table: every evaluation, its status, its times.
 *
 * Rows are numbered by evaluation id, 0, 1, 2, ... in the order in which points were proposed. A
 * second list, order, holds the ids in the order in which results arrived; surrogates take their
 * data in that order, so that data sets only grow at the end.
 */
#ifndef GANNET_PROBLEM_HISTORY_H
#define GANNET_PROBLEM_HISTORY_H

#include <stdint.h>

#include "problem/discarded.h"
#include "problem/problem.h"
#include "problem/result.h"

/* Where a design comes from: X(name, word in files and tables) */
#define GANNET_ORIGIN_LIST(X)                                                           \
  X(GANNET_ORIGIN_INITIAL, "initial") /* the first design of the optimiser */           \
  X(GANNET_ORIGIN_METHOD, "method")   /* what the optimiser has learnt */               \
  X(GANNET_ORIGIN_USER, "user")       /* told by the user, and counted in the budget */ \
  X(GANNET_ORIGIN_START, "start")     /* the designs that the campaign file lists */    \
  X(GANNET_ORIGIN_IMPORT, "import")   /* a result of earlier work, not in the budget */

#define GANNET_ORIGIN_ENUM(name, word) name,
typedef enum { GANNET_ORIGIN_LIST(GANNET_ORIGIN_ENUM) GANNET_ORIGIN_COUNT } gannet_origin;
#undef GANNET_ORIGIN_ENUM

typedef struct {
  int64_t id;
  int64_t batch;
  gannet_origin origin;
  gannet_eval_status status;
  bool elsewhere;   /* the design is outside the bounds, between steps, or violates a variable
                       constraint: models learn from it, but it is neither proposed nor the best */
  double objective; /* the first one, in the user's sense and units; NAN unless done, or when it is
                       missing */
  gannet_run_record run;
} gannet_evaluation;

typedef struct gannet_history gannet_history;

/* An empty table for a problem (borrowed until destroy).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_history_create(const gannet_problem *problem,
                                                gannet_history **history);
void gannet_history_destroy(gannet_history **history);

/* Make room for n rows, so that a table whose size is known takes no more memory than it needs.
 *
 * Local.
 *
 * n  in  of fewer than there is room for nothing happens
 */
GANNET_CHECKED gannet_err gannet_history_reserve(gannet_history *history, int64_t n);

/* Name rows in messages by the numbers that the user of an optimiser knows them by.
 *
 * Local.
 *
 * discarded  in  what the user has discarded and the table has no more; borrowed
 */
void gannet_history_name_rows(gannet_history *history, const gannet_discarded *discarded);

/* The number of a row in messages.
 *
 * Local.
 */
int64_t gannet_history_name(const gannet_history *history, int64_t row);

/* Append a pending evaluation; its id is the number of rows before.
 *
 * Local.
 *
 * x_user  in  [n_variables]; admissible (checked)
 */
GANNET_CHECKED gannet_err gannet_history_propose(gannet_history *history, const double *x_user,
                                                 int64_t batch, gannet_origin origin, int64_t *id);

/* The same for a design that was tried before the problem was what it is, or elsewhere: it may be
 * outside the bounds, between steps, or not in the list of values (gannet_problem_check_tried).
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_history_enter(gannet_history *history, const double *x_user,
                                               int64_t batch, gannet_origin origin, int64_t *id);

/* Give a pending evaluation its result, which is copied. Status done needs a finite objective or
 * constraint; the others may be missing, NAN. With anything else they are ignored. A failed
 * evaluation may be told again (a late result); another one may not. Status discarded takes the row
 * out of everything but the count of rows and the order of telling.
 *
 * Local.
 *
 * result  in  constraints may be NULL when there are none or status is not done
 *
 * Errors: GANNET_ERR_ARG for an unknown id or non-finite values, GANNET_ERR_STATE for a repeated
 * result.
 */
GANNET_CHECKED gannet_err gannet_history_tell(gannet_history *history,
                                              const gannet_result_record *result);

/* Forget all results, and keep the rows; or forget the rows, too. What follows is told anew, or
 * proposed and told anew.
 *
 * Local.
 */
void gannet_history_forget_results(gannet_history *history);
void gannet_history_clear(gannet_history *history);

/* Take rows with equal values of all variables for runs of one design (problem/runs.h), or each for
 * a design of its own, as before this is called.
 *
 * Local.
 *
 * replicates  in  runs that every design is to have, GANNET_AUTO = as many as it needs; 1 = apart
 */
void gannet_history_join_runs(gannet_history *history, int replicates);
int gannet_history_replicates(const gannet_history *history);
bool gannet_history_joins_runs(const gannet_history *history);

/* The first row with the point of a row, and the next one behind it, -1 = none; joined or not, and
 * whether or not they were discarded.
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_first_run(const gannet_history *history, int64_t id);
int64_t gannet_history_next_run(const gannet_history *history, int64_t id);

/* Exchange what two tables hold, their problems included; each stays at its word, or not, and joins
 * runs, or not.
 *
 * Local.
 */
void gannet_history_exchange(gannet_history *a, gannet_history *b);

/* Sizes: rows, those that were not discarded, rows with a result of any kind, rows done.
 *
 * Local.
 */
int64_t gannet_history_count(const gannet_history *history);
int64_t gannet_history_count_kept(const gannet_history *history);
int64_t gannet_history_count_told(const gannet_history *history);
int64_t gannet_history_count_done(const gannet_history *history);

/* The least value of objective m, in the minimised sense, that is a penalty (problem/penalty.h),
 * and how many results have one; INFINITY and 0 when there is none. There is none after
 * gannet_history_take_at_its_word, none of an objective that keeps its penalties, and none where
 * all values of the only objective are equal but values of constraints differ: the objective is
 * then constant, and only the constraints decide.
 *
 * Local.
 */
double gannet_history_penalty(const gannet_history *history, int m, int64_t *count);
void gannet_history_take_at_its_word(gannet_history *history);

/* Whether there is a penalty, and whether a row is done and has one: with several objectives any of
 * them, for where one is a penalty the others may be anything.
 *
 * Local.
 */
bool gannet_history_has_penalties(const gannet_history *history);
bool gannet_history_is_penalty(const gannet_history *history, int64_t id);

/* What a row tells models:
 * - observation: it is done, has the first objective, and no objective is a penalty;
 * - sound: it is done, its feasibility is known, and it is an observation or infeasible by its
 *   constraints. A violated constraint explains a penalty, and models learn from it. Sound rows can
 *   be ranked;
 * - bad: the simulation does not work at the design: it said so, it crashes there, or it gave a
 *   penalty that no constraint explains. Failures by bad luck say nothing about a design.
 * A row that lacks its objective and violates no constraint that is known is none of these.
 * Whether a row is an observation may change with later results.
 *
 * Local.
 *
 * Cost: O(number of constraints).
 */
bool gannet_history_is_observation(const gannet_history *history, int64_t id);
bool gannet_history_is_sound(const gannet_history *history, int64_t id);
bool gannet_history_is_bad(const gannet_history *history, int64_t id);

/* Whether a row is done, is complete, is no design from elsewhere, and keeps all constraints.
 *
 * Local.
 */
bool gannet_history_is_feasible(const gannet_history *history, int64_t id);

/* Rows whose designs are outside the bounds, between steps, or against a variable constraint.
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_count_elsewhere(const gannet_history *history);

/* Rows that are feasible.
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_count_feasible(const gannet_history *history);

/* Rows that are observations.
 *
 * Local.
 *
 * Cost: O(1); of all rows where designs are run several times and there are penalties.
 */
int64_t gannet_history_count_observations(const gannet_history *history);

/* Whether there are results, but none is an observation, as all are equal.
 *
 * Local.
 */
bool gannet_history_is_constant(const gannet_history *history);

/* Whether objective m of several has the same value in all results, three at least.
 *
 * Local.
 *
 * value  out  minimised; untouched when it has not
 */
bool gannet_history_is_objective_constant(const gannet_history *history, int m, double *value);

/* Listed candidates (gannet_problem_set_candidates) that were never proposed, or were discarded;
 * INT64_MAX without a list.
 *
 * Local.
 */
int64_t gannet_history_count_left(const gannet_history *history);

/* The word of an origin.
 *
 * Local.
 */
const char *gannet_origin_text(gannet_origin origin);

/* Rows of one origin.
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_count_origin(const gannet_history *history, gannet_origin origin);

/* Rows of one status.
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_count_status(const gannet_history *history, gannet_eval_status status);

/* One row; borrowed until the next change of the table.
 *
 * Local.
 *
 * id  in  0 <= id < count
 */
const gannet_evaluation *gannet_history_get(const gannet_history *history, int64_t id);
const double *gannet_history_x_user(const gannet_history *history, int64_t id); /* [n_variables] */
const double *gannet_history_x_unit(const gannet_history *history,
                                    int64_t id); /* [d], before those of the next */
const double *gannet_history_constraints(const gannet_history *history,
                                         int64_t id); /* [n_constraints] */

/* The objectives of a row, minimised; NAN unless done, or where missing.
 *
 * Local.
 *
 * y  out  [gannet_problem_n_objectives]
 */
void gannet_history_objectives(const gannet_history *history, int64_t id, double *y);

/* Standard deviations that were told with a row, [1 + n_constraints]: of the objective, then of the
 * constraints, in their units; 0 = not told. Borrowed until the next change of the table.
 *
 * Local.
 */
const double *gannet_history_sd(const gannet_history *history, int64_t id);

/* Whether an objective was told with a standard deviation.
 *
 * Local.
 *
 * Cost: O(1).
 */
bool gannet_history_has_error_bars(const gannet_history *history);

/* What was told of a row besides the values of objective and constraints. Borrowed until the next
 * change of the table.
 *
 * Local.
 */
const gannet_quantities *gannet_history_reported(const gannet_history *history, int64_t id);

/* Ids in the order in which results were told, [count_told].
 *
 * Local.
 */
const int64_t *gannet_history_order(const gannet_history *history);

/* Feasibility of a row, as gannet_problem_feasibility says; -1 unless done.
 *
 * Local.
 */
int gannet_history_feasibility(const gannet_history *history, int64_t id);

/* Id of the best feasible done evaluation in the sense of the goal (the lowest id on a tie), or -1,
 * and of the one whose summed internal violation is smallest, or -1. With several objectives the
 * best is that by the first one, for those who need any feasible design; problem/front.h has the
 * front. Neither is ever one that lacks its objective or a constraint, nor a design from elsewhere.
 * Rows are compared one by one: the best design is gannet_history_best (problem/runs.h).
 *
 * Local.
 *
 * Cost: O(1).
 */
int64_t gannet_history_best_row(const gannet_history *history);
int64_t gannet_history_least_violating_row(const gannet_history *history);

/* Summed violation of all constraints that are known by a done evaluation, in their units; 0 =
 * feasible, NAN when its feasibility is not known.
 *
 * Local.
 */
double gannet_history_violation(const gannet_history *history, int64_t id);

/* The problem of a history.
 *
 * Local.
 */
const gannet_problem *gannet_history_problem(const gannet_history *history);

/* A 64-bit digest of points, statuses, objectives and constraints (not of times, hosts or retries):
 * equal histories on any number of ranks have equal digests.
 *
 * Local.
 */
uint64_t gannet_history_digest(const gannet_history *history);

#endif
