/* The runs of a suite, made by all ranks of a job.
 *
 *   DIR/suite.yaml    the suite file, as last used
 *       runs/         one file per run, see record.h
 *       work/         files of evaluations under way
 *       lock          held while runs are made
 *       STOP          made by the user: begin no more runs
 *
 * A run is stored as soon as it ends, so a job that dies loses the runs that were under way and
 * nothing else, and the next one goes on. Any number of ranks may go on with what any other began.
 */
#ifndef GANNET_SUITE_WORK_H
#define GANNET_SUITE_WORK_H

#include <stdio.h>

#include "suite/record.h"
#include "suite/run.h"

typedef struct {
  const char *directory; /* of the results; absolute */
  int n_only;
  const char *const *only; /* [n_only] "problem/method" or "problem", with * and ?; none = all */
  bool redo;               /* make runs of another suite again instead of refusing */
  double time_limit;       /* seconds, INFINITY = none */
  gannet_launcher *launcher;
  FILE *progress; /* a line per run; NULL = silent */
} suite_work_options;

typedef struct {
  int64_t made, failed;              /* by this call */
  bool stopped;                      /* somebody asked to stop before all was made */
  char why[SUITE_REASON_SIZE + 200]; /* the first that failed, and its reason; "" = none */
} suite_work_outcome;

/* Whether a run is to be made: --only names it, or --only is not given.
 *
 * Local.
 */
bool suite_is_wanted(const suite_plan *plan, const suite_work_options *options, suite_cell cell);

/* Complain about patterns of --only that match no run.
 *
 * Local.
 */
void suite_only_check(const suite_plan *plan, const suite_work_options *options,
                      gannet_complaints *complaints);

/* Find the state of every run.
 *
 * Collective over comm; the same on all ranks.
 *
 * state  out  [suite_plan_count]
 */
GANNET_CHECKED gannet_err suite_find_states(MPI_Comm comm, const suite_plan *plan,
                                            const char *directory, suite_state *state);

/* Find out which problems cannot be run here, by their requires, and check the back-ends of the
 * others. Needs the directory of the results.
 *
 * Collective over comm; the same on all ranks.
 *
 * plan        inout  skipped of its problems
 * complaints  inout  what is wrong with back-ends; on rank 0 only
 *
 * Errors: GANNET_ERR_INPUT with complaints.
 */
GANNET_CHECKED gannet_err suite_check_requirements(MPI_Comm comm, suite_plan *plan,
                                                   const suite_work_options *options,
                                                   gannet_complaints *complaints);

/* Check the back-ends of problems whose runs are wanted.
 *
 * Local.
 *
 * tried  in  requires of all problems were tried; false = problems that have it are left out, for
 *            what they need may be missing here
 *
 * Errors: GANNET_ERR_INPUT with complaints.
 */
GANNET_CHECKED gannet_err suite_check_backends(const suite_plan *plan,
                                               const suite_work_options *options, bool tried,
                                               gannet_complaints *complaints);

/* Make the runs that are wanted and not done.
 *
 * Collective over comm; arguments the same on all ranks.
 *
 * Errors: GANNET_ERR_BUSY when another job works in the directory; GANNET_ERR_EXISTS naming runs of
 * another suite, when they are not to be made again; those of the file system.
 */
GANNET_CHECKED gannet_err suite_work(MPI_Comm comm, const suite_plan *plan,
                                     const suite_work_options *options,
                                     suite_work_outcome *outcome);

#endif
