/* What SLURM's programs print. */
#ifndef GANNET_EVALUATE_SLURM_PARSE_H
#define GANNET_EVALUATE_SLURM_PARSE_H

#include "evaluate/slurm/client.h"

/* sbatch --parsable: "123" or "123;cluster", perhaps among lines that a site's filter adds. Returns
 * 0, or -1 when there is no such line.
 *
 * Local.
 *
 * job  out  [GANNET_SLURM_ID]
 */
int gannet_slurm_parse_job(const char *text, char *job);

/* squeue with "%i|%T|%N|%j|%Z|%r": the rows of list->text, which is changed. Lines that are not of
 * this form are left out; the last part may be missing. A job that is listed twice has one row, the
 * one that has not ended; jobs of two names are two.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_squeue(gannet_slurm_list *list);

/* sacct --parsable2 with JobID,State,ExitCode,NodeList,JobName: appends rows.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_sacct(char *text, gannet_slurm_list *list);

/* scontrol --oneliner show job: appends one row, or none.
 *
 * Local.
 *
 * job  in  that was asked for: of an element of an array scontrol writes another
 */
GANNET_CHECKED gannet_err gannet_slurm_parse_scontrol(const char *text, const char *job,
                                                      gannet_slurm_list *list);

#endif
