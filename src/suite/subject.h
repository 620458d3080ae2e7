/* What a run evaluates: the simulation of a problem, called by this rank alone. */
#ifndef GANNET_SUITE_SUBJECT_H
#define GANNET_SUITE_SUBJECT_H

#include "campaign/run/stop.h"
#include "suite/plan.h"

/* Who looks whether to stop while a run goes on. */
typedef struct {
  const char *stop_file;
  double deadline; /* seconds of gannet_clock_seconds, INFINITY = none */
  MPI_Comm comm;   /* of the job: messages of other ranks are let through */
} suite_watch;

typedef struct {
  gannet_context *context; /* of MPI_COMM_SELF, with the seed of the run; owned */
  const gannet_campaign_input *input;
  const suite_watch *watch; /* NULL = nobody stops it */
  gannet_evaluator *evaluator;
  gannet_stop stop; /* what the watch said last */
  char *directory;
  int *attempt;                  /* [capacity] of each evaluation of a batch, 0 = has ended */
  gannet_result_record *results; /* [capacity] */
  double *constraints;           /* [capacity][n_constraints] */
  int capacity;
} suite_subject;

/* Where and how a problem is evaluated; all borrowed until destroy. */
typedef struct {
  const gannet_campaign_input *input;
  const char *input_directory;
  const char *directory; /* for the files of evaluations */
  gannet_launcher *launcher;
  const suite_watch *watch;
  int64_t seed;
  int batch; /* most evaluations at a time */
} suite_subject_setup;

/* Make what is needed to evaluate a problem, with the context of a run.
 *
 * Local. Communicates on MPI_COMM_SELF only.
 *
 * subject  out  to be destroyed, also after an error
 */
GANNET_CHECKED gannet_err suite_subject_create(const suite_subject_setup *setup,
                                               suite_subject **subject);
void suite_subject_destroy(suite_subject **subject);

/* Evaluate n points, with retries after bad luck as the campaign input says. Returns early when the
 * watch wants to stop at once; subject->stop tells.
 *
 * Local.
 *
 * first    in   id of the first; the others follow
 * x_user   in   [n][n_variables], n <= batch
 * results  out  [n] in the order of the points; borrowed until the next call
 */
GANNET_CHECKED gannet_err suite_subject_evaluate(suite_subject *subject, int n, int64_t first,
                                                 const double *x_user,
                                                 const gannet_result_record **results);

/* Ask the watch; the answer is in subject->stop.
 *
 * Local.
 */
GANNET_CHECKED gannet_err suite_subject_watch(suite_subject *subject);

#endif
