/* The launcher: a helper process that starts simulations, watches their time and kills them.
 *
 * MPI libraries refuse to be started below a process that is itself an MPI rank, and fork after
 * MPI_Init is unsafe on some networks. So a program starts the helper first thing in main, before
 * MPI_Init. The helper is a small program, gannet-launcher, that needs none of the libraries of its
 * controller; where it is not installed, a fork of the controller does its work more slowly. Every
 * simulation has a supervisor, a fork of the helper, that is the parent of all that the simulation
 * leaves behind. When nothing of that is left, the supervisor takes another simulation:
 *
 *   gannet_launcher_start(&launcher);   before MPI_Init, on every rank (nobody knows its rank yet)
 *   MPI_Init(...);
 *   if (rank > 0) gannet_launcher_stop(&launcher);
 *   ... gannet_launcher_launch, gannet_launcher_wait, gannet_launcher_kill ...
 *   gannet_launcher_stop(&launcher);
 *
 * A child runs in its own session, in its own directory, with stdin from /dev/null, stdout and
 * stderr in stdout.log and stderr.log of that directory, default signal actions, and an environment
 * without the variables of MPI launchers and SLURM steps that break nested mpirun and srun. When
 * its leader ends, whatever it left running is killed, whatever its session, group and environment
 * are. When the controller ends, even by kill -9, the helper sees the socket close, kills every
 * child and ends too. When the helper is killed, the supervisors do so. Children inherit the
 * environment that the controller had at gannet_launcher_start.
 */
#ifndef GANNET_EVALUATE_LAUNCHER_LAUNCHER_H
#define GANNET_EVALUATE_LAUNCHER_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gannet_launcher gannet_launcher;

/* What to start. Everything is borrowed for the call. */
typedef struct {
  int64_t tag;                    /* names the child in events; unique among those running */
  const char *directory;          /* working directory; exists */
  const char *program;            /* path with a slash; never looked up, never given to a shell */
  const char *const *arguments;   /* NULL-terminated, with the program's own name first */
  const char *const *environment; /* NULL-terminated, "NAME=value", on top of the inherited one */
  double time_limit;              /* seconds; INFINITY = none */
  double grace;                   /* seconds between SIGTERM and SIGKILL */
  const char *outcome;            /* file to write when the child has ended by itself or by its time
                                     limit; NULL = none */
  uint64_t nonce;                 /* goes into that file */
  const char *results;            /* file that the child writes; NULL = none */
  const bool *may_use; /* [GANNET_PROCESSORS_MOST] hardware threads to run on; NULL = all that the
                          launcher has */
  bool unbinds_mpirun; /* others run beside it: MPIs below it bind no ranks to their cores,
                          unless the environment says where */
} gannet_launch;

typedef enum {
  GANNET_LAUNCH_STARTED, /* pid and started are set */
  GANNET_LAUNCH_REFUSED, /* could not be started: error and stage say why */
  GANNET_LAUNCH_ENDED    /* the rest is set */
} gannet_launch_event_type;

typedef struct {
  gannet_launch_event_type type;
  int64_t tag;
  int pid;
  int error;             /* errno of the call that failed */
  char stage[24];        /* that call: "fork", "chdir", "open", "exec" */
  int exit_code;         /* -1 when a signal ended it */
  int signal;            /* 0 when it exited */
  bool limit;            /* killed because of its time limit */
  bool cancelled;        /* killed by gannet_launcher_kill */
  bool results_open;     /* its leader left processes that were killed with the results open */
  double started, ended; /* seconds since 1970 */
} gannet_launch_event;

/* Start the helper. Best done before MPI_Init.
 *
 * Local.
 *
 * Errors: GANNET_ERR_IO when there are no descriptors or processes left.
 */
GANNET_CHECKED gannet_err gannet_launcher_start(gannet_launcher **launcher);

/* Kill what runs, end the helper and wait for it; accepts NULL.
 *
 * Local.
 */
void gannet_launcher_stop(gannet_launcher **launcher);

/* Start a child; returns at once. Exactly one STARTED and one ENDED event follow, or one REFUSED.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG when the command line is too long, GANNET_ERR_IO when the helper is dead.
 */
GANNET_CHECKED gannet_err gannet_launcher_launch(gannet_launcher *launcher,
                                                 const gannet_launch *launch);

/* The next event; waits at most so many seconds. A signal handler that runs ends the wait.
 *
 * Local.
 *
 * got  out  whether there was one
 *
 * Errors: GANNET_ERR_IO when the helper is dead.
 */
GANNET_CHECKED gannet_err gannet_launcher_wait(gannet_launcher *launcher, double wait,
                                               gannet_launch_event *event, bool *got);

/* End a child: SIGTERM to all its processes, SIGKILL after the grace time. Its ENDED event follows;
 * a child that is not running is no error.
 *
 * Local.
 *
 * grace  in  seconds; replaces that of the launch
 */
GANNET_CHECKED gannet_err gannet_launcher_kill(gannet_launcher *launcher, int64_t tag,
                                               double grace);

/* Which hardware threads children may use. Returns how many these are; 0 = unknown.
 *
 * Local.
 *
 * launcher  in  NULL = the one that was started last in this process; without one, what this
 *               process may use
 * may_use  out  [most] in the order of the system's numbers; further ones are left out
 */
int gannet_launcher_processors(const gannet_launcher *launcher, int most, bool *may_use);

/* Whether a variable "NAME=value" of the controller is withheld from children.
 *
 * Local.
 */
bool gannet_launcher_withholds(const char *variable);

#endif
