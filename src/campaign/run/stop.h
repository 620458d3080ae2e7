/* Everything that asks a running campaign to end: signals, the STOP file, the clock.
 *
 *   SIGUSR1, SIGUSR2, first SIGINT, STOP file        propose and launch no more; let running
 *                                                    simulations end
 *   SIGTERM, SIGHUP, second SIGINT, wall time over   end running simulations and leave at once
 *
 * Whatever is left undone is done after a resume.
 */
#ifndef GANNET_CAMPAIGN_RUN_STOP_H
#define GANNET_CAMPAIGN_RUN_STOP_H

#include <stdbool.h>

#include "base/context.h"

typedef enum { GANNET_GO_ON = 0, GANNET_STOP_SOON = 1, GANNET_STOP_NOW = 2 } gannet_stop;

/* What was asked for, and by what. */
typedef struct {
  gannet_stop stop;
  bool by_clock; /* the deadline is over */
  char why[256]; /* in words, for the user; "" while going on */
} gannet_stop_request;

/* Catch the signals from now on. They are caught by the process, so this is for programs only.
 * SIGHUP stays ignored where it was, as under nohup.
 *
 * Local.
 */
void gannet_stop_catch(void);

/* Restore what signals did before.
 *
 * Local.
 */
void gannet_stop_release(void);

/* Ask for a stop because the scheduler is ending the job of this process: the same as SIGTERM.
 *
 * Local.
 */
void gannet_stop_with_the_job(void);

/* Whether this process has caught a signal that asks for an end.
 *
 * Local.
 */
bool gannet_stop_is_caught(void);

/* Whether this process is to leave at once: a signal asked for it, or the deadline is over.
 *
 * Local.
 *
 * deadline  in  seconds of gannet_clock_seconds, INFINITY = none
 */
bool gannet_stop_is_now(double deadline);

/* What was asked for so far, agreed between the ranks (the strongest wish of any rank counts).
 *
 * Collective over the context's communicator; the same on all ranks.
 *
 * stop_file  in   path that rank 0 looks for
 * deadline   in   seconds of gannet_clock_seconds, INFINITY = none; that of rank 0 counts
 *
 * Errors: those of MPI.
 */
GANNET_CHECKED gannet_err gannet_stop_ask(const gannet_context *context, const char *stop_file,
                                          double deadline, gannet_stop_request *request);

/* Seconds until the scheduler ends the job, from SLURM_JOB_END_TIME; INFINITY when it does not say.
 *
 * Local.
 */
double gannet_stop_allocation_left(void);

#endif
