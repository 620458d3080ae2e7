/* Rank 0's bookkeeping of the back-end command: attempts that wait, run and have ended. */
#ifndef GANNET_EVALUATE_COMMAND_RUNS_H
#define GANNET_EVALUATE_COMMAND_RUNS_H

#include "evaluate/command/outage.h"
#include "evaluate/command/program.h"

/* Whoever ends an allocation sends a signal to all that runs in it, and what a simulation does upon
 * it may be seen here before this process gets its own. So such ends wait for a moment. */
typedef struct {
  gannet_launch_event event;
  double until;   /* gannet_clock_seconds, when it is classified */
  bool is_unread; /* what it reported could not be read, and is to be read again */
} gannet_command_run_end;

typedef enum {
  GANNET_RUN_WAITS,
  GANNET_RUN_SENT, /* the launcher has not answered yet */
  GANNET_RUN_RUNS
} gannet_command_run_stage;

typedef struct {
  gannet_current_attempt attempt; /* first: see gannet_attempt_begin */
  gannet_request request;         /* its x_user is owned */
  gannet_command_run_stage stage;
  int tries;
  bool has_directory, is_filled; /* which steps of gannet_contract_prepare are done */
  bool counts_anyway;            /* its next end counts, whatever its words tell */
  double told;  /* gannet_clock_seconds of the last end whose words told that it could
                   not be started; 0 = none */
  double begun; /* gannet_clock_seconds, of the process */
  double
      unread_since; /* gannet_clock_seconds, when its results could not be read; 0 = they could */
} gannet_command_run;

/* What rank 0 has and the others do not. */
struct gannet_command_runs {
  const gannet_context *context;
  gannet_program program;
  double time_limit;
  int parallel; /* most attempts in attempt */
  gannet_launcher *launcher;
  bool own_launcher;
  bool has_other_host; /* an attempt of an earlier process was begun on another host */
  int n, capacity;
  gannet_command_run *run; /* [n] */
  gannet_outage outage;
  bool has_begun;     /* the system has started something */
  int given_up;       /* attempts that counted though their words told of no start */
  bool words_are_own; /* words tell nothing: simulations that run end with them, too */
  double proof; /* latest begin of an attempt that ended otherwise than by words that nothing was
                   started; 0 = none */
  gannet_result_queue ready;
  int n_held, held_capacity;
  gannet_command_run_end *held; /* in the order of their ends */
};

/* Whether an attempt that cannot be started may wait. Without a loop that can stop it has failed.
 *
 * Local.
 */
bool gannet_command_runs_can_wait(const gannet_command_runs *runs);

/* The attempt of an evaluation, or NULL.
 *
 * Local.
 */
gannet_command_run *gannet_command_runs_find(gannet_command_runs *runs, int64_t id);

/* Forget an attempt; the last one takes its place in the array.
 *
 * Local.
 */
void gannet_command_runs_remove(gannet_command_runs *runs, gannet_command_run *one);

/* An attempt could not be started.
 *
 * Local.
 */
void gannet_command_runs_note_outage(gannet_command_runs *runs, const gannet_command_run *one,
                                     const gannet_outage_sign *sign);

/* Launch what waits; in an outage one attempt at a time, when it is due.
 *
 * Local.
 *
 * Errors: those of files that are no outage (a full disk, a campaign that was moved away), and of
 *   the launcher.
 */
GANNET_CHECKED gannet_err gannet_command_runs_launch(gannet_command_runs *runs);

/* Do what is due: launch what waits, or give it back when nothing is to begin any more or an outage
 * has lasted for too long.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when no simulation could be started since the beginning; those of
 *   gannet_command_runs_launch.
 */
GANNET_CHECKED gannet_err gannet_command_runs_go_on(gannet_command_runs *runs);

/* When gannet_command_runs_go_on has something to do although nothing has happened, in seconds of
 * gannet_clock_seconds; INFINITY = never.
 *
 * Local.
 */
double gannet_command_runs_due(gannet_command_runs *runs);

#endif
