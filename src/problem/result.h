/* What comes of an attempt to evaluate a point: one struct from the evaluator to the history. */
#ifndef GANNET_PROBLEM_RESULT_H
#define GANNET_PROBLEM_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"
#include "problem/quantities.h"

/* X(name, word in files and tables, words for people). A design whose results violate a constraint
 * is infeasible; its status is done. */
#define GANNET_EVAL_STATUS_LIST(X)                                                                \
  X(GANNET_EVAL_PENDING, "pending", "pending")          /* proposed; result not known yet */      \
  X(GANNET_EVAL_DONE, "done", "done")                   /* what is known is finite */             \
  X(GANNET_EVAL_CANNOT_RUN, "cannot_run", "cannot run") /* the simulation cannot work here */     \
  X(GANNET_EVAL_FAILED, "failed", "failed")          /* bad luck or broken results, no retries */ \
  X(GANNET_EVAL_DISCARDED, "discarded", "discarded") /* taken out by the user; counts nowhere */

/* X(word in files and tables of earlier versions, what it is now) */
#define GANNET_EVAL_OLD_WORD_LIST(X) X("infeasible", GANNET_EVAL_CANNOT_RUN) /* until 0.1 */

#define GANNET_EVAL_ENUM(name, word, phrase) name,
typedef enum {
  GANNET_EVAL_STATUS_LIST(GANNET_EVAL_ENUM) GANNET_EVAL_STATUS_COUNT
} gannet_eval_status;
#undef GANNET_EVAL_ENUM

/* Why there is no result: X(name, word) */
#define GANNET_FAILURE_LIST(X)                                                            \
  X(GANNET_FAILURE_NONE, "")               /* there is one, or nobody knows */            \
  X(GANNET_FAILURE_WORD, "word")           /* the simulation said so itself */            \
  X(GANNET_FAILURE_RULE, "rule")           /* an exit code or text that the user named */ \
  X(GANNET_FAILURE_EXIT, "exit code")      /* another exit code than 0 */                 \
  X(GANNET_FAILURE_SIGNAL, "signal")       /* ended by a signal */                        \
  X(GANNET_FAILURE_TIME, "time limit")     /* ended because it took too long */           \
  X(GANNET_FAILURE_RESULTS, "results")     /* missing, unreadable or not finite */        \
  X(GANNET_FAILURE_LAUNCH, "launch")       /* could not be started */                     \
  X(GANNET_FAILURE_SCHEDULER, "scheduler") /* ended or lost by the scheduler */

#define GANNET_FAILURE_ENUM(name, text) name,
typedef enum { GANNET_FAILURE_LIST(GANNET_FAILURE_ENUM) GANNET_FAILURE_COUNT } gannet_failure;
#undef GANNET_FAILURE_ENUM

enum {
  GANNET_HOST_SIZE = 64,
  GANNET_JOB_SIZE = 48,
  GANNET_REASON_SIZE = 256,
  GANNET_PLACE_SIZE = 96
};

/* How a run of a simulation went; what is unknown is 0, NAN or "". */
typedef struct {
  double submitted, started, ended; /* seconds since 1970, NAN = unknown */
  int attempts;
  int exit_code; /* of the last attempt, -1 = none */
  int signal;    /* that ended the last attempt, 0 = none */
  int slot;      /* of the evaluator, -1 = unknown */
  char host[GANNET_HOST_SIZE];
  char job[GANNET_JOB_SIZE];       /* scheduler or process id */
  char place[GANNET_PLACE_SIZE];   /* its cores and GPUs, where evaluate.resources are given */
  char reason[GANNET_REASON_SIZE]; /* of a failure, in one line */
  gannet_failure failure;
  bool crashed; /* failed, and not by bad luck: another attempt would fail, too */
} gannet_run_record;

/* A run of which nothing is known.
 *
 * Local.
 */
gannet_run_record gannet_run_unknown(void);

typedef struct {
  int64_t id; /* of the evaluation */
  /* Done, cannot run or failed. Pending, from an evaluator: the attempt was never started and is
   * given back, because no further simulation is to begin, or because none can be started;
   * run.reason says why. */
  gannet_eval_status status;
  /* Failed, and another attempt may succeed; in the campaign: another attempt is wanted. */
  bool retry;
  /* A result that is done may lack its objective or constraints, which are NAN then, but not all of
   * them: what was checked first ended the evaluation early. */
  double objective;    /* the first one, in the user's sense and units; NAN unless done */
  double *constraints; /* [n_constraints] of the problem's own specification, so with the further
                          objectives (problem/objectives.h); in the user's units, NAN unless done;
                          not owned */
  /* What was reported besides the values of objective and constraints: other quantities, and those
   * two again where their standard deviation or gradient was reported. Owned. */
  gannet_quantities reported;
  gannet_run_record run;
} gannet_result_record;

/* Begin a result of which nothing is known: failed, all numbers NAN, times unknown, nothing
 * reported.
 *
 * Local.
 *
 * result  inout  constraints must point at [n_constraints]; the other members may be anything
 */
void gannet_result_clear(int n_constraints, gannet_result_record *result);

/* Feasibility of a result: as gannet_problem_feasibility says, -1 unless it is done.
 *
 * Local.
 */
int gannet_result_feasibility(const gannet_problem *problem, const gannet_result_record *result);

/* How many of its objective and constraints a result has.
 *
 * Local.
 */
int gannet_result_count_known(const gannet_problem *problem, const gannet_result_record *result);

/* Take a quantity over: the value of the objective or of a constraint, unless it is NAN, and
 * everything else among what is reported. Of more than GANNET_QUANTITIES_MOST others the first are
 * kept.
 *
 * Local.
 *
 * Errors: those of gannet_quantities_set.
 */
GANNET_CHECKED gannet_err gannet_result_report(const gannet_problem *problem,
                                               const gannet_quantity *quantity,
                                               gannet_result_record *result);

/* Whether two values of a quantity are the same: equal, or both missing.
 *
 * Local.
 */
bool gannet_result_same_value(double a, double b);

/* Free what results own, not the array itself.
 *
 * Local.
 *
 * results  inout  [n] zeroed or made
 */
void gannet_results_release(int n, gannet_result_record *results);

/* The word of a status in files and tables ("cannot_run"), and that for people ("cannot run").
 *
 * Local.
 */
const char *gannet_eval_status_text(gannet_eval_status status);
const char *gannet_eval_status_phrase(gannet_eval_status status);

/* The status of a word in a file or table, that of an earlier version included.
 *
 * Local.
 *
 * status  out  untouched when nothing has this name
 *
 * Returns whether something has this name.
 */
bool gannet_eval_status_find(const char *word, gannet_eval_status *status);

/* The word of a status in files of earlier versions; NULL when it is the same.
 *
 * Local.
 */
const char *gannet_eval_status_old_text(gannet_eval_status status);

/* "exit code", "signal", ...
 *
 * Local.
 */
const char *gannet_failure_text(gannet_failure failure);

#endif
