/* What jobs of SLURM asked for, and what they used of it, where sacct has it. */
#ifndef GANNET_EVALUATE_SLURM_JOB_USAGE_H
#define GANNET_EVALUATE_SLURM_JOB_USAGE_H

#include "base/error.h"
#include "base/option.h"
#include "evaluate/launcher/launcher.h"

enum { GANNET_USAGE_JOB = 32, GANNET_USAGE_MOST = 500 }; /* jobs that sacct is asked for at once */

/* The job that came nearest to what it asked for, or used most where jobs asked for nothing. */
typedef struct {
  char job[GANNET_USAGE_JOB];
  double used, requested; /* bytes or seconds; NAN = unknown; requested INFINITY = no limit */
} gannet_job_peak;

typedef struct {
  int n_jobs; /* that sacct knows; 0 = it has nothing */
  gannet_job_peak memory, time;
} gannet_job_usage;

/* Read lines of sacct: JobID|ReqTRES|TRESUsageInTot|TimelimitRaw|ElapsedRaw of jobs and their
 * steps. The memory of a job is that of its largest step.
 *
 * Local.
 *
 * text  inout  is cut into pieces
 */
void gannet_job_usage_parse(char *text, gannet_job_usage *usage);

/* Ask sacct for at most five seconds.
 *
 * Local.
 *
 * options          in   of the back-end slurm; they name the program
 * input_directory  in   that a relative program is searched from
 * jobs             in   numbers of jobs; at most GANNET_USAGE_MOST count
 * usage            out  empty when sacct is missing, has no accounting, or does not answer
 *
 * Errors: GANNET_ERR_MEMORY; those of the launcher.
 */
GANNET_CHECKED gannet_err gannet_job_usage_ask(const void *options, gannet_launcher *launcher,
                                               const char *input_directory,
                                               const gannet_text_list *jobs,
                                               gannet_job_usage *usage);

#endif
