/* A time in which no simulation can be started, for reasons that are not those of a design.
 *
 * Between the record of an attempt and the first instruction of its simulation lie the files of the
 * attempt, a process, and the execution of a program. Each of them can fail for a while: the
 * program is being installed, a file server restarts, there are no processes left. Such an attempt
 * has never been made and must not count as failed. While an outage lasts, one attempt at a time is
 * tried, with growing pauses, and the others wait.
 *
 * An outage is told by an error of the system, or by the words of a program that was started in
 * order to start the simulation: a shell, env, the dynamic loader, mpirun, srun.
 */
#ifndef GANNET_EVALUATE_COMMAND_OUTAGE_H
#define GANNET_EVALUATE_COMMAND_OUTAGE_H

#include "base/context.h"
#include "base/option.h"
#include "problem/history.h"

/* Zero-initialise. */
typedef struct {
  bool is_on;
  bool by_words;   /* the words of a program told it: only a simulation that runs on, or ends with
                      other words, shows that it is over */
  bool is_lasting; /* the last error is of a kind that waiting seldom cures, such as no such file */
  bool several;    /* more than one evaluation could not be started */
  int64_t first;   /* the first evaluation that could not be started */
  int64_t trial;   /* the evaluation that is being tried, -1 = none */
  double since;    /* when the outage began, by gannet_clock_seconds */
  double next_try; /* when the next attempt may be tried, by gannet_clock_seconds */
  double pause;    /* seconds between the last two tries */
  double proof;    /* seconds after which a simulation that is tried runs on: the outage is over */
  char reason[GANNET_REASON_SIZE];
} gannet_outage;

/* Why an attempt could not be started. */
typedef struct {
  bool by_words, is_lasting;
  bool is_of_slurm; /* slurmctld does not answer srun, which is never a design's fault */
  const char *reason;
} gannet_outage_sign;

/* Note an attempt that could not be started. The first one begins an outage, which the log tells.
 *
 * Local.
 *
 * patience  in  seconds after which the campaign will stop, for the log
 */
void gannet_outage_note(const gannet_context *context, gannet_outage *outage, int64_t id,
                        const gannet_outage_sign *sign, double patience);

/* End the outage, as a simulation runs; the log says so.
 *
 * Local.
 */
void gannet_outage_end(const gannet_context *context, gannet_outage *outage);

/* Whether an error of the system is of a kind that waiting seldom cures.
 *
 * Local.
 */
bool gannet_outage_is_lasting(int error);

/* Whether an attempt that ended with this exit code says by its stderr.log that the program was
 * never started, and in which words. Nothing is concluded where the path of the program depends on
 * the design.
 *
 * Local.
 *
 * command  in   program and arguments, as they stand in the campaign file
 * shell    in   text that a shell runs instead; NULL = none
 * words    out  [size] that line of stderr.log
 */
bool gannet_outage_in_stderr(const char *directory, const gannet_text_list *command,
                             const char *shell, int exit_code, char *words, size_t size);

/* Whether srun says in a line that slurmctld does not answer, so that it cannot make a step: it may
 * be restarted, or be too busy. The job and its other steps run on.
 *
 * Local.
 */
bool gannet_outage_is_of_slurm(const char *line);

#endif
