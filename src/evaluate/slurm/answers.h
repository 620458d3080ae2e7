/* What SLURM's programs print, and what its words mean for an evaluation. */
#ifndef GANNET_EVALUATE_SLURM_ANSWERS_H
#define GANNET_EVALUATE_SLURM_ANSWERS_H

#include <stdbool.h>

#include "base/error.h"

enum {
  GANNET_SLURM_ID = 32,
  GANNET_SLURM_WORD = 32,
  GANNET_SLURM_WHY = 48,
  GANNET_SLURM_NAME = 128,
  GANNET_SLURM_NODES = 64,
  GANNET_SLURM_SAID = 300
};

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

/* Find the row of a state. What follows the word ("CANCELLED by 1000", "CANCELLED+") does not
 * matter. Never NULL: an unknown word gives the last row.
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

/* Whether a job that waits for this reason will never start as it is: it alone exceeds a limit, or
 * asks for what does not exist or is not for this user. Such a job is stuck as well.
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

/* Classify a failure of sbatch by all that it wrote to stderr. Only what is known to be a refusal
 * is one; anything else, nothing for example, may follow a job that was accepted.
 *
 * Local.
 */
gannet_slurm_refusal gannet_slurm_refusal_find(const char *said);

/* One job as squeue, sacct or scontrol describe it; what they do not say is "" or -1. */
typedef struct {
  char job[GANNET_SLURM_ID];
  char state[GANNET_SLURM_WORD];
  char nodes[GANNET_SLURM_NODES];
  char name[GANNET_SLURM_NAME];
  char why[GANNET_SLURM_WHY]; /* it waits */
  const char *directory;      /* into the text of the list; NULL = not told */
  int exit_code, signal;
} gannet_slurm_row;

/* Zero-initialise. */
typedef struct {
  char *text;
  int n, capacity;
  gannet_slurm_row *row; /* [n] in the order of jobs */
} gannet_slurm_list;

/* Free what a list holds.
 *
 * Local.
 */
void gannet_slurm_list_release(gannet_slurm_list *list);

/* A job that was submitted. Its number alone is not enough: a SLURM that lost its state begins with
 * 1 anew, and the job with the number may be anybody's. Borrowed for the call. */
typedef struct {
  const char *job, *name;
} gannet_slurm_job_key;

/* Find the row of a job, or NULL. A row without a name, of a site's own sacct, may be that of any
 * job with the number.
 *
 * Local.
 */
const gannet_slurm_row *gannet_slurm_list_find(const gannet_slurm_list *list,
                                               const gannet_slurm_job_key *job);

/* The row of a job that has the number under another name, or NULL.
 *
 * Local.
 */
const gannet_slurm_row *gannet_slurm_list_find_other(const gannet_slurm_list *list,
                                                     const gannet_slurm_job_key *job);

/* Read the id that sbatch --parsable prints: "123" or "123;cluster", perhaps among lines that a
 * site's filter adds. Returns 0, or -1 when there is no such line.
 *
 * Local.
 *
 * job  out  [GANNET_SLURM_ID]
 */
int gannet_slurm_parse_job(const char *text, char *job);

/* Read what squeue prints with "%i|%T|%N|%j|%Z|%r", from list->text, which is changed. Lines of
 * another form are left out; the last part may be missing. A job that is listed twice gets one row,
 * that of the job that has not ended; jobs of two names are two.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_squeue(gannet_slurm_list *list);

/* Append the rows that sacct --parsable2 prints with JobID,State,ExitCode,NodeList,JobName.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_sacct(char *text, gannet_slurm_list *list);

/* Append the row that scontrol --oneliner show job prints, or none.
 *
 * Local.
 *
 * job  in  that was asked for: of an element of an array scontrol writes another
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_scontrol(const char *text, const char *job,
                                                      gannet_slurm_list *list);

#endif
