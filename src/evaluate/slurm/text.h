/* What the two kinds of job scripts are made of: script.c and bundle.c. */
#ifndef GANNET_EVALUATE_SLURM_TEXT_H
#define GANNET_EVALUATE_SLURM_TEXT_H

#include "base/text.h"
#include "evaluate/slurm/slurm.h"

/* What a script says of a file that it does not use. */
#define GANNET_SLURM_TORN "is not what gannet wrote: it is empty, cut short, or of another time"

/* Add text to a script: as it is; as one word of the shell, 'it'\''s'; or formatted, below 4000
 * bytes.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_put(gannet_text *to, const char *text);
GANNET_CHECKED gannet_err gannet_slurm_put_word(gannet_text *to, const char *text);
GANNET_CHECKED GANNET_PRINTF(2, 3) gannet_err
    gannet_slurm_put_line(gannet_text *to, const char *format, ...);

/* Begin a script: its first line, and the options of evaluate.sbatch, or those that the script of
 * the user's has in its comments.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_put_options(gannet_text *to, const gannet_program *program,
                                                   const gannet_text_list *options);
GANNET_CHECKED gannet_err gannet_slurm_put_users_options(gannet_text *to,
                                                         const gannet_program *program,
                                                         const char *script);

/* Functions that both kinds of scripts call, and $gannet_job.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_put_functions(gannet_text *to);

/* What the program cksum says of a file. */
typedef struct {
  uint32_t sum;
  size_t size;
} gannet_slurm_checksum;

/* Sync a file, and compute what a script is to compare it with.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_sync_checksum(const char *directory, const char *name,
                                                     gannet_slurm_checksum *s);

/* Write a script to stay, executable.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_slurm_save_script(const char *directory, const char *name,
                                                   const gannet_text *from);

#endif
