/* The job script of several evaluations: a job of several runs, or an array. It starts the scripts
 * of the evaluations (script.c), each of which makes sure that its attempt is still wanted.
 */
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/slurm/script_common.h"

/* List the evaluations that each element of the array runs: directory, nonce, and checksum and size
 * of the script there. */
static gannet_err put_parts(gannet_text *to, int n, const gannet_slurm_script_part *parts,
                            int runs) {
  GANNET_TRY(gannet_text_put(to, "case ${SLURM_ARRAY_TASK_ID:-0} in\n"));
  for (int i = 0; i < n; ++i) {
    gannet_slurm_checksum s;
    GANNET_TRY(gannet_slurm_script_checksum(parts[i].directory, "job.sh", &s));
    if (i % runs == 0) GANNET_TRY(gannet_text_print(to, "%d) set --", i / runs));
    GANNET_TRY(gannet_text_put(to, " \\\n  "));
    GANNET_TRY(gannet_slurm_script_word(to, parts[i].directory));
    GANNET_TRY(gannet_text_print(to, " %016llx %lu %zu", (unsigned long long)parts[i].nonce,
                                 (unsigned long)s.sum, s.size));
    if (i % runs == runs - 1 || i == n - 1) GANNET_TRY(gannet_text_put(to, " ;;\n"));
  }
  return gannet_text_put(to, "*) exit 1 ;;\nesac\n");
}

/* Divide the memory of a node by the runs that it has at once. A step without --mem has all memory
 * of the job, and the others wait for it. A node has as many runs as tasks of the job ("1,2(x3)"
 * has at most 2), and more where the job has more processors than tasks, as with --exclusive. */
static gannet_err put_share(gannet_text *to, const gannet_program *program, int runs_at_once) {
  char cores[40] = "${SLURM_CPUS_PER_TASK:-1}";
  if (program->needs) (void)snprintf(cores, sizeof cores, "%d", program->needs->most.cores);
  return gannet_text_print(
      to,
      "gannet_memory= gannet_share=0\n"
      "for gannet_tasks in $(echo \"${SLURM_TASKS_PER_NODE:-}\" | tr , ' '); do\n"
      "  gannet_tasks=${gannet_tasks%%%%[!0-9]*}\n"
      "  [ \"${gannet_tasks:-0}\" -le \"$gannet_share\" ] || "
      "gannet_share=$gannet_tasks\n"
      "done\n"
      "gannet_nodes=${SLURM_JOB_NUM_NODES:-1}\n"
      "gannet_even=$(((%d + gannet_nodes - 1) / gannet_nodes))\n"
      "gannet_room=$((${SLURM_CPUS_ON_NODE:-0} / %s))\n"
      "[ $gannet_even -le $gannet_room ] || gannet_even=$gannet_room\n"
      "[ $gannet_share -eq 0 ] || [ $gannet_share -ge $gannet_even ] ||\n"
      "  gannet_share=$gannet_even\n"
      "[ \"$gannet_share\" -gt 0 ] && [ \"$gannet_share\" -lt %d ] || "
      "gannet_share=%d\n"
      "[ -z \"${SLURM_MEM_PER_NODE:-}\" ] ||\n"
      "  gannet_memory=--mem=$((SLURM_MEM_PER_NODE / gannet_share))M\n",
      runs_at_once, cores, runs_at_once, runs_at_once);
}

static gannet_err put_step(gannet_text *to, const gannet_program *program,
                           const gannet_slurm_options *options) {
  if (options->runs_at_once == 1) return GANNET_OK;
  if (options->step.n == 0) return gannet_slurm_step_write(program, to);
  for (int i = 0; i < options->step.n; ++i) {
    GANNET_TRY(gannet_slurm_script_word(to, options->step.item[i]));
    GANNET_TRY(gannet_text_put(to, " "));
  }
  return GANNET_OK;
}

/* Run the evaluations in lanes, each of which takes every runs_at_once-th run. An attempt that was
 * replaced, or that had succeeded before SLURM put the job back into the queue, is not run, and its
 * files are not touched. */
static gannet_err put_lanes(gannet_text *to, const gannet_program *program,
                            const gannet_slurm_options *options) {
  if (options->runs_at_once > 1 && options->step.n == 0)
    GANNET_TRY(put_share(to, program, options->runs_at_once));
  GANNET_TRY(gannet_text_put(
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
  GANNET_TRY(put_step(to, program, options));
  GANNET_TRY(gannet_slurm_script_word(to, program->shell));
  return gannet_text_print(to,
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

/* Begin the script of several evaluations. The lines #SBATCH of the user's own script are those of
 * the first evaluation. */
static gannet_err put_shared_options(gannet_text *to, const gannet_program *program,
                                     const gannet_slurm_options *options, const char *first) {
  char path[PATH_MAX], *text = NULL;
  if (options->script && *options->script) {
    GANNET_TRY(gannet_join_path(first, "script.sh", path, sizeof path));
    GANNET_TRY(gannet_file_read(path, &text, NULL));
  }
  const gannet_err err = gannet_slurm_script_begin(program, options, NULL, text, to);
  gannet_free(&text);
  return err;
}

gannet_err gannet_slurm_script_write_shared(const gannet_program *program,
                                            const gannet_slurm_options *options, int n,
                                            const gannet_slurm_script_part *parts,
                                            const char *directory) {
  gannet_text to = {0};
  gannet_err err = put_shared_options(&to, program, options, parts[0].directory);
  if (err == GANNET_OK) err = gannet_text_print(&to, "# %d evaluations; written by gannet.\n", n);
  if (err == GANNET_OK) err = gannet_slurm_script_functions(&to);
  if (err == GANNET_OK) err = put_parts(&to, n, parts, options->runs_per_job);
  if (err == GANNET_OK) err = put_lanes(&to, program, options);
  if (err == GANNET_OK) err = gannet_slurm_script_save(directory, "job.sh", &to);
  gannet_free(&to.text);
  return err;
}
