/* The script of several evaluations: jobs of several runs, and arrays. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "evaluate/slurm/text.h"

/* Which evaluations an element of the array runs: a directory, a nonce, and checksum and size of
 * the script there. */
static gannet_err put_parts(gannet_text *to, int n, const gannet_slurm_script_part *parts,
                            int runs) {
  GANNET_TRY(gannet_slurm_put(to, "case ${SLURM_ARRAY_TASK_ID:-0} in\n"));
  for (int i = 0; i < n; ++i) {
    gannet_slurm_checksum s;
    GANNET_TRY(gannet_slurm_sync_checksum(parts[i].directory, "job.sh", &s));
    if (i % runs == 0) GANNET_TRY(gannet_slurm_put_line(to, "%d) set --", i / runs));
    GANNET_TRY(gannet_slurm_put(to, " \\\n  "));
    GANNET_TRY(gannet_slurm_put_word(to, parts[i].directory));
    GANNET_TRY(gannet_slurm_put_line(to, " %016llx %lu %zu", (unsigned long long)parts[i].nonce,
                                     (unsigned long)s.sum, s.size));
    if (i % runs == runs - 1 || i == n - 1) GANNET_TRY(gannet_slurm_put(to, " ;;\n"));
  }
  return gannet_slurm_put(to, "*) exit 1 ;;\nesac\n");
}

static gannet_err put_step(gannet_text *to, const gannet_slurm_options *options) {
  if (options->runs_at_once == 1) return GANNET_OK;
  if (options->step.n == 0) /* srun does not take over sbatch's --cpus-per-task by itself */
    return gannet_slurm_put(
        to, "srun --exact --nodes=1 --ntasks=1 --cpus-per-task=\"${SLURM_CPUS_PER_TASK:-1}\" ");
  for (int i = 0; i < options->step.n; ++i) {
    GANNET_TRY(gannet_slurm_put_word(to, options->step.item[i]));
    GANNET_TRY(gannet_slurm_put(to, " "));
  }
  return GANNET_OK;
}

/* Each lane takes every runs_at_once-th run. What was replaced, or had succeeded before SLURM put
 * the job back into the queue, is not run: not even its files are touched. */
static gannet_err put_lanes(gannet_text *to, const gannet_program *program,
                            const gannet_slurm_options *options) {
  GANNET_TRY(gannet_slurm_put(
      to,
      "gannet_run() {\n"
      "  cd \"$1\" || return\n"
      "  ! grep -q '\"nonce\"' attempt.json || grep -q \"\\\"$2\\\"\" attempt.json || return\n"
      "  ! grep -q \"\\\"$2\\\".*\\\"exit_code\\\": 0,\" outcome.json 2>/dev/null || return\n"
      "  gannet_is_intact job.sh \"$3\" \"$4\" || {\n"
      "    gannet_tell_not_begun \"$2\" 'job.sh " GANNET_SLURM_TORN
      "'\n"
      "    return\n"
      "  }\n  "));
  GANNET_TRY(put_step(to, options));
  GANNET_TRY(gannet_slurm_put_word(to, program->shell));
  return gannet_slurm_put_line(to,
                               " ./job.sh </dev/null\n"
                               "}\n"
                               "gannet_lane() {\n"
                               "  gannet_lane=$1 gannet_n=0\n"
                               "  shift\n"
                               "  while [ $# -ge 4 ]; do\n"
                               "    [ $((gannet_n %% %d)) != \"$gannet_lane\" ] || "
                               "gannet_run \"$1\" \"$2\" \"$3\" \"$4\"\n"
                               "    gannet_n=$((gannet_n + 1))\n"
                               "    shift 4\n"
                               "  done\n"
                               "}\n"
                               "gannet_first=0\n"
                               "while [ $gannet_first -lt %d ]; do\n"
                               "  gannet_lane $gannet_first \"$@\" &\n"
                               "  gannet_first=$((gannet_first + 1))\n"
                               "done\n"
                               "wait\n",
                               options->runs_at_once, options->runs_at_once);
}

/* The lines #SBATCH of the user's own script are those for the first evaluation. */
static gannet_err put_shared_options(gannet_text *to, const gannet_program *program,
                                     const gannet_slurm_options *options, const char *first) {
  char path[PATH_MAX], *text = NULL;
  if (!options->script || !*options->script)
    return gannet_slurm_put_options(to, program, &options->sbatch);
  GANNET_TRY(gannet_join_path(first, "script.sh", path, sizeof path));
  GANNET_TRY(gannet_file_read(path, &text, NULL));
  const gannet_err err = gannet_slurm_put_users_options(to, program, text);
  gannet_free(&text);
  return err;
}

static gannet_err write_shipment(const gannet_program *program, const gannet_slurm_options *options,
                                 int n, const gannet_slurm_script_part *parts, gannet_text *to) {
  GANNET_TRY(put_shared_options(to, program, options, parts[0].directory));
  GANNET_TRY(gannet_slurm_put_line(to, "# %d evaluations; written by gannet.\n", n));
  GANNET_TRY(gannet_slurm_put_functions(to));
  GANNET_TRY(put_parts(to, n, parts, options->runs_per_job));
  return put_lanes(to, program, options);
}

gannet_err gannet_slurm_script_write_shared(const gannet_program *program,
                                            const gannet_slurm_options *options, int n,
                                            const gannet_slurm_script_part *parts,
                                            const char *directory) {
  gannet_text to = {0};
  gannet_err err = write_shipment(program, options, n, parts, &to);
  if (err == GANNET_OK) err = gannet_slurm_save_script(directory, "job.sh", &to);
  gannet_free(&to.text);
  return err;
}
