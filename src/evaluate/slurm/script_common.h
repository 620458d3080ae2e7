/* What all job scripts of the slurm back-end share: words of the shell, lines for sbatch, functions
 * of the shell, and checksums of the files that a job is to use.
 *
 * Names of variables and functions in the scripts begin with gannet_, as simulations inherit those
 * that were exported under the same name.
 */
#ifndef GANNET_EVALUATE_SLURM_SCRIPT_COMMON_H
#define GANNET_EVALUATE_SLURM_SCRIPT_COMMON_H

#include "base/text.h"
#include "evaluate/slurm/slurm.h"

/* What a script says of a file that it does not use. */
#define GANNET_SLURM_TORN "is not what gannet wrote: it is empty, cut short, or of another time"

/* What the program cksum says of a file. */
typedef struct {
  uint32_t sum;
  size_t size; /* bytes */
} gannet_slurm_checksum;

/* Append a text as one word of the shell: 'it'\''s'. GANNET_SLURM_GPUS and GANNET_SLURM_HOSTS in it
 * become variables of the shell.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_slurm_script_word(gannet_text *to, const char *text);

/* Begin a script with its lines for sbatch.
 *
 * Local.
 *
 * request       in  NULL = the script is of several evaluations
 * users_script  in  the text of the user's own script, whose lines for sbatch replace those of
 *                   evaluate.sbatch; NULL = there is none
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_slurm_script_begin(const gannet_program *program,
                                                    const gannet_slurm_options *options,
                                                    const gannet_request *request,
                                                    const char *users_script, gannet_text *to);

/* Whether sbatch reads no lines #SBATCH of a script from this line on: it is a command.
 *
 * Local.
 */
bool gannet_slurm_ends_options(const char *line);

/* Append the functions that all scripts call, and $gannet_job, the number of the job. A script that
 * somebody runs by hand has no such number: then the process is named.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_slurm_script_functions(gannet_text *to);

/* Make a file that gannet wrote survive a power failure, and compute its checksum.
 *
 * Local.
 *
 * s  out  checksum and size of directory/name
 *
 * Errors: GANNET_ERR_DAMAGED when there is no such file; GANNET_ERR_IO when it cannot be read or
 * synced; GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_slurm_script_checksum(const char *directory, const char *name,
                                                       gannet_slurm_checksum *s);

/* Write directory/name, an executable file that survives a power failure.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NO_SPACE, GANNET_ERR_IO with the path and the reason.
 */
GANNET_CHECKED gannet_err gannet_slurm_script_save(const char *directory, const char *name,
                                                   const gannet_text *from);

#endif
