/* The only place that talks to SLURM: one process at a time, started by the launcher without a
 * shell, each with a time-out, its output in CAMPAIGN/slurm.
 */
#ifndef GANNET_EVALUATE_SLURM_CLIENT_H
#define GANNET_EVALUATE_SLURM_CLIENT_H

#include "base/option.h"
#include "evaluate/launcher/launcher.h"
#include "evaluate/slurm/answers.h"

/* The programs and how long each may take. */
typedef struct {
  char *sbatch, *squeue, *sacct, *scontrol, *scancel;
  double timeout; /* seconds */
} gannet_slurm_commands;

typedef struct gannet_slurm_client gannet_slurm_client;

/* How a call ended. */
typedef enum {
  GANNET_SLURM_CALL_DONE,
  GANNET_SLURM_CALL_REFUSED,   /* exit code, signal, or it could not be started */
  GANNET_SLURM_CALL_TIMED_OUT, /* ended by its time-out */
  GANNET_SLURM_CALL_BROKEN_OFF /* ended by a signal to this process: says nothing of SLURM */
} gannet_slurm_call;

/* Create a client; commands and launcher are borrowed until destroy.
 *
 * Local.
 *
 * campaign         in  its directory; slurm/ is made in it
 * input_directory  in  that relative paths of commands start from
 *
 * Errors: GANNET_ERR_MISSING when sbatch, squeue or scancel do not exist.
 */
GANNET_CHECKED gannet_err gannet_slurm_client_create(const gannet_slurm_commands *commands,
                                                     gannet_launcher *launcher,
                                                     const char *campaign,
                                                     const char *input_directory,
                                                     gannet_slurm_client **client);
void gannet_slurm_client_destroy(gannet_slurm_client **client);

/* What the last call wrote to stderr, in one line; how it ended, if it wrote nothing.
 *
 * Local.
 */
const char *gannet_slurm_client_said(const gannet_slurm_client *client);

/* sbatch. A call that names a job is done, however it ended. One that ended with 0 and names none,
 * or by a signal, counts as timed out: the job may have been accepted.
 *
 * Local.
 *
 * arguments    in   after "sbatch --parsable"; NULL-terminated
 * environment  in   NULL-terminated
 * job          out  [GANNET_SLURM_ID]
 */
GANNET_CHECKED gannet_err gannet_slurm_client_submit(gannet_slurm_client *client,
                                                     const char *const *arguments,
                                                     const char *const *environment, char *job,
                                                     gannet_slurm_call *how);

/* What a refused call of sbatch means for the job, by everything that sbatch wrote;
 * gannet_slurm_client_said may have only a part of that.
 *
 * Local.
 */
gannet_slurm_refusal gannet_slurm_client_refusal(const gannet_slurm_client *client);

/* Call squeue once for all jobs of this user, in all states; elements of arrays have rows of their
 * own.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_client_list(gannet_slurm_client *client,
                                                   gannet_slurm_list *list, gannet_slurm_call *how);

/* Whether there is no room for what the programs print, so that a list may lack jobs;
 * gannet_slurm_client_said then says so.
 *
 * Local.
 */
bool gannet_slurm_client_lacks_room(gannet_slurm_client *client);

/* Call sacct for these jobs, in chunks. A site without accounting gives no rows, and is asked only
 * once. Rows may be those of other jobs with these numbers.
 *
 * Local.
 *
 * how  out  of the last call: one without an answer (timed out, broken off) is followed by no other
 */
GANNET_CHECKED gannet_err gannet_slurm_client_account(gannet_slurm_client *client, int n,
                                                      const gannet_slurm_job_key *jobs,
                                                      gannet_slurm_list *list,
                                                      gannet_slurm_call *how);

/* Call sacct for the jobs of a name that did not begin before a time. Meant for a job that squeue
 * does not list, and that may have been accepted all the same.
 *
 * Local.
 *
 * since  in   seconds since 1970
 * how    out  DONE without a call, too, where there is no sacct
 */
GANNET_CHECKED gannet_err gannet_slurm_client_account_name(gannet_slurm_client *client,
                                                           const char *name, double since,
                                                           gannet_slurm_list *list,
                                                           gannet_slurm_call *how);

/* Call scontrol show job for one job; there is no row when it does not know the number.
 *
 * Local.
 *
 * how  out  DONE without a call, too, where there is no scontrol
 */
GANNET_CHECKED gannet_err gannet_slurm_client_show(gannet_slurm_client *client, const char *job,
                                                   gannet_slurm_list *list, gannet_slurm_call *how);

/* Whether a call was answered, even by an error. A program that does not answer is not called again
 * at once.
 *
 * Local.
 */
static inline bool gannet_slurm_call_is_answered(gannet_slurm_call how) {
  return how == GANNET_SLURM_CALL_DONE || how == GANNET_SLURM_CALL_REFUSED;
}

/* Find how many elements an array may have, by scontrol show config; SLURM's own default when that
 * does not say.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_client_array_size(gannet_slurm_client *client, int *size);

/* Call scancel, with up to three tries each. Jobs that have ended are no error; jobs of other names
 * are left alone. One job is cancelled by number and name; several, after a list has shown which of
 * them are there, in chunks by their numbers.
 *
 * Local.
 *
 * jobs  in  an array means all its elements
 * how  out  the worst of all chunks, whose words gannet_slurm_client_said then returns
 */
GANNET_CHECKED gannet_err gannet_slurm_client_cancel(gannet_slurm_client *client, int n,
                                                     const gannet_slurm_job_key *jobs,
                                                     gannet_slurm_call *how);

#endif
