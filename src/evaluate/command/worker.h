/* The back-end command on rank 0, divided into four files: a worker and its attempts in flight.
 *
 *   command     the back-end: its options, and the operations that the campaign's loop calls
 *   worker      the table of attempts in flight
 *   launch      launches attempts that wait; gives them back when nothing can be started
 *   run_events  what the launcher reports: an attempt has started, or has ended and is classified
 *
 * All times are those of gannet_clock_seconds unless said otherwise. Every function is for rank 0
 * only and does not communicate.
 */
#ifndef GANNET_EVALUATE_COMMAND_WORKER_H
#define GANNET_EVALUATE_COMMAND_WORKER_H

#include "evaluate/command/node_inquiry.h"
#include "evaluate/command/outage.h"
#include "evaluate/command/placement.h"
#include "evaluate/command/program.h"
#include "evaluate/result_record.h"

typedef enum {
  GANNET_RUN_WAITS,
  GANNET_RUN_SENT, /* the launcher has not answered yet */
  GANNET_RUN_STARTED
} gannet_worker_stage;

/* One attempt of an evaluation. */
typedef struct {
  gannet_current_attempt attempt; /* must be the first member: see gannet_attempt_begin */
  gannet_request request;         /* its x_user is owned */
  gannet_need need;               /* meaningful where simulations have places */
  gannet_place place;             /* zeroed = none yet */
  gannet_worker_stage stage;
  int tries;          /* launches so far */
  int refusals;       /* launches for which srun could make no step */
  bool has_directory; /* gannet_contract_make_directory is done */
  bool is_filled;     /* gannet_contract_fill_directory is done */
  bool counts_anyway; /* its next end counts, even if its words tell that it was not started */
  double last_failed_start; /* when its words last told that it could not be started; 0 = never */
  double begun;             /* when its process began */
  double in_doubt; /* since when its end waits for what SLURM says of its nodes; 0 = it does not */
} gannet_worker_run;

/* An end that is classified later: it may come from outside, its results cannot be read yet, or
 * SLURM is being asked about its nodes. */
typedef struct {
  gannet_launch_event event;
  double until;   /* when it is classified */
  bool is_unread; /* its results could not be read, and are to be read again */
} gannet_worker_held;

/* What rank 0 has and the other ranks do not. */
typedef struct {
  const gannet_context *context;
  gannet_program program;
  gannet_placement placement;
  double time_limit; /* seconds per evaluation */
  int parallel;      /* most attempts in flight */
  gannet_launcher *launcher;
  bool own_launcher;   /* the launcher is to be stopped at the end */
  bool has_other_host; /* the log has warned of an attempt that was begun on another host */
  int n, capacity;
  gannet_worker_run *runs; /* [n] */
  gannet_outage outage;
  gannet_node_inquiry inquiry;
  bool has_begun;         /* some process was started */
  int given_up;           /* attempts that counted although their words told of no start */
  bool has_worked;        /* a simulation has worked at its place */
  bool words_are_own;     /* simulations that ran end with such words, too: words tell nothing */
  double last_real_start; /* latest begin of an attempt that ended otherwise than with words which
                             tell that nothing was started; 0 = none */
  gannet_result_queue ready;
  int n_held, held_capacity;
  gannet_worker_held *held; /* [n_held] in the order of their ends */
} gannet_worker;

/* Begin an attempt, which then waits to be launched: it is the last of w->runs.
 *
 * Local.
 *
 * request  in  its x_user [n_variables] is copied
 *
 * Errors: GANNET_ERR_ARG when the evaluation has an attempt in flight; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_worker_add_run(gannet_worker *w, const gannet_request *request);

/* Remove an attempt and give its place back. The last attempt of w->runs takes its slot in the
 * array, so pointers to that one are no longer valid.
 *
 * Local.
 */
void gannet_worker_remove_run(gannet_worker *w, gannet_worker_run *one);

/* The attempt of an evaluation; NULL = it has none in flight.
 *
 * Local.
 */
gannet_worker_run *gannet_worker_find_run(gannet_worker *w, int64_t id);

/* The waiting attempt that was tried least, of several the one of the first evaluation; NULL = none
 * waits.
 *
 * Local.
 */
gannet_worker_run *gannet_worker_next_waiting(gannet_worker *w);

/* Let an attempt that could not be started wait until the outage is over.
 *
 * Local.
 */
void gannet_worker_put_off(gannet_worker *w, gannet_worker_run *one,
                           const gannet_outage_sign *sign);

/* End the process of an attempt, whose result is no longer wanted.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_worker_kill_run(gannet_worker *w, gannet_worker_run *one);

/* Seconds between asking a process to end and killing it. A campaign must end within 20 s, so that
 * this is shorter than kill_grace where that is long.
 *
 * Local.
 */
double gannet_worker_grace(const gannet_worker *w);

/* Whether an attempt that cannot be started may wait. Without a loop that can be stopped it fails.
 *
 * Local.
 */
bool gannet_worker_can_wait(const gannet_worker *w);

/* Find what an attempt needs. One for which there is no room even on the empty machine becomes a
 * failed result. One that had room before nodes were lost goes back to the loop, and the campaign
 * stops, to be resumed.
 *
 * Local.
 *
 * need  out
 * fits  out  false when the queue of results has got one
 */
GANNET_CHECKED gannet_err gannet_worker_check_room(gannet_worker *w, const gannet_request *request,
                                                   gannet_need *need, bool *fits);

/* Launch all attempts that wait; in an outage one at a time, when its time has come. With places
 * they start in their order: an attempt for which there is no room yet holds up those behind it, so
 * that large simulations are not passed over for ever.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_worker_launch_waiting(gannet_worker *w);

/* Launch attempts that wait, or give them back when no simulation is to begin any more or an outage
 * has lasted for too long.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when nothing has been started and what is wrong does not pass by itself.
 */
GANNET_CHECKED gannet_err gannet_worker_launch_or_give_back(gannet_worker *w);

/* When something is due although no event comes; INFINITY = never.
 *
 * Local.
 */
double gannet_worker_next_due(gannet_worker *w);

/* Handle everything that has happened by now, or the first thing that happens within wait seconds.
 * When that takes long, return early, so that the caller can look whether the program is to end.
 *
 * Local.
 *
 * any  out  whether anything has happened
 */
GANNET_CHECKED gannet_err gannet_worker_take_events(gannet_worker *w, double wait, bool *any);

/* Classify ends that were held for long enough. When this process is to stop, too, all held
 * attempts are forgotten instead: they ended with it, and are made again after a resume. Those
 * whose results could not be read are kept: a later process finds them by their files.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_worker_end_held(gannet_worker *w, bool stopped);

/* Classify the end of an attempt.
 *
 * Local.
 *
 * is_over  out  false when the attempt waits to be tried again, because it was never started, or
 *               when its results are to be read again
 */
GANNET_CHECKED gannet_err gannet_worker_classify_end(gannet_worker *w, gannet_worker_run *one,
                                                     const gannet_launch_event *event,
                                                     bool *is_over);

#endif
