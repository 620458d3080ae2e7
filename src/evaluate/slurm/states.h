/* What SLURM's words mean for an evaluation. */
#ifndef GANNET_EVALUATE_SLURM_STATES_H
#define GANNET_EVALUATE_SLURM_STATES_H

#include <stdbool.h>

typedef enum {
  GANNET_SLURM_UNKNOWN,    /* a word that no version known here uses, or none */
  GANNET_SLURM_WAITS,      /* will run, or run again */
  GANNET_SLURM_RUNS,       /* has processes, or is about to lose its last ones */
  GANNET_SLURM_COMPLETED,  /* the script ended with 0: the results decide */
  GANNET_SLURM_FAILED,     /* the script ended otherwise: its exit code decides */
  GANNET_SLURM_TIME_LIMIT, /* too slow at this design: another attempt would be too slow as well */
  GANNET_SLURM_BAD_LUCK    /* ended from outside: another attempt may succeed */
} gannet_slurm_class;

typedef struct {
  const char *name; /* as squeue's %T and sacct write it; "" for unknown words */
  gannet_slurm_class what;
} gannet_slurm_state;

/* The row of a state; what follows the word ("CANCELLED by 1000", "CANCELLED+") does not matter.
 * Never NULL: a word that is not known gives the last row.
 *
 * Local.
 */
const gannet_slurm_state *gannet_slurm_state_find(const char *text);

/* Whether the job has ended for good.
 *
 * Local.
 */
bool gannet_slurm_has_ended(const gannet_slurm_state *state);

/* Whether the job has begun and is stopped for a while.
 *
 * Local.
 */
bool gannet_slurm_is_suspended(const gannet_slurm_state *state);

/* Whether a job that waits for this reason (squeue's %r) waits until a person does something.
 *
 * Local.
 */
bool gannet_slurm_is_stuck(const char *why);

/* Whether it will never start as it is: it alone exceeds a limit, or asks for what is not there or
 * not for this user. Such a job is stuck as well.
 *
 * Local.
 */
bool gannet_slurm_never_starts(const char *why);

/* How sbatch's refusal is to be taken. */
typedef enum {
  GANNET_SLURM_REFUSED,    /* no job, and it will be refused again: a wrong option */
  GANNET_SLURM_TRY_LATER,  /* no job, but a limit that others fill, or a controller that is down */
  GANNET_SLURM_MAYBE_TAKEN /* a job may be there: only a list can tell */
} gannet_slurm_refusal;

/* Judge a failure of sbatch by all that it wrote to stderr. Only what is known to be a refusal is
 * one; anything else, nothing for example, may follow a job that was accepted.
 *
 * Local.
 */
gannet_slurm_refusal gannet_slurm_refusal_find(const char *said);

#endif
