/* What all job scripts share: see script_common.h.
 */
#include "evaluate/slurm/script_common.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

gannet_err gannet_slurm_script_word(gannet_text *to, const char *text) {
  static const struct {
    const char *text, *written;
  } special[] = {{"'", "'\\''"},
                 {GANNET_SLURM_GPUS, "'\"$GANNET_GPUS\"'"},
                 {GANNET_SLURM_HOSTS, "'\"$GANNET_HOSTS\"'"}};
  char piece[2] = "";
  GANNET_TRY(gannet_text_put(to, "'"));
  while (*text) {
    const char *written = piece;
    size_t size = 1;
    piece[0] = *text;
    for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
      if (strncmp(text, special[i].text, strlen(special[i].text)) == 0) {
        size = strlen(special[i].text);
        written = special[i].written;
      }
    GANNET_TRY(gannet_text_put(to, written));
    text += size;
  }
  return gannet_text_put(to, "'");
}

bool gannet_slurm_ends_options(const char *line) {
  line += strspn(line, " \t\r");
  return *line != '\0' && *line != '\n' && *line != '#';
}

/* Write the lines of a user's script that sbatch reads: #SBATCH, and those of two other schedulers.
 */
static gannet_err put_users_options(gannet_text *to, const char *script) {
  static const char *const delimiters[] = {"#SBATCH", "#PBS", "#BSUB"};
  for (const char *at = script; *at && !gannet_slurm_ends_options(at);) {
    const size_t size = strcspn(at, "\n");
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; ++i)
      if (strncmp(at, delimiters[i], strlen(delimiters[i])) == 0) {
        GANNET_TRY(gannet_text_add(to, at, size));
        GANNET_TRY(gannet_text_put(to, "\n"));
      }
    at += size + (at[size] != '\0');
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_script_begin(const gannet_program *program,
                                     const gannet_slurm_options *options,
                                     const gannet_request *request, const char *users_script,
                                     gannet_text *to) {
  GANNET_TRY(gannet_text_print(to, "#!%s\n", program->shell));
  if (users_script) GANNET_TRY(put_users_options(to, users_script));
  for (int i = 0; i < options->sbatch.n && !users_script; ++i)
    GANNET_TRY(gannet_text_print(to, "#SBATCH %s\n", options->sbatch.item[i]));
  return gannet_slurm_resources_write(program, options, request, to);
}

gannet_err gannet_slurm_script_functions(gannet_text *to) {
  return gannet_text_put(
      to,
      "PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}\n"
      "gannet_job=${SLURM_JOB_ID:-}\n"
      "if [ -n \"${SLURM_ARRAY_TASK_ID:-}\" ]; then\n"
      "  gannet_job=\n"
      "  [ -z \"${SLURM_ARRAY_JOB_ID:-}\" ] || "
      "gannet_job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n"
      "fi\n"
      "[ -n \"$gannet_job\" ] || gannet_job=process-$$-$(hostname)\n"
      "# FILE CHECKSUM SIZE: whether it is as gannet wrote it; a network may show that late\n"
      "gannet_is_intact() {\n"
      "  for gannet_pause in 1 1 0; do\n"
      "    if command -v cksum >/dev/null; then\n"
      "      set -- \"$1\" \"$2\" \"$3\" $(cksum <\"$1\")\n"
      "    else\n"
      "      set -- \"$1\" \"$2\" \"$3\" \"$2\" $(wc -c <\"$1\")\n"
      "    fi\n"
      "    [ \"${4:-} ${5:-}\" != \"$2 $3\" ] || return 0\n"
      "    [ $gannet_pause = 0 ] || sleep $gannet_pause\n"
      "  done\n"
      "  return 1\n"
      "}\n"
      "# NONCE EXIT-CODE SIGNAL OVER-TIME-LIMIT BEGIN MORE\n"
      "gannet_tell_end() {\n"
      "  printf '{\"nonce\": \"%s\", \"pid\": %d, \"exit_code\": %d, \"signal\": %d, "
      "\"time_limit\": %s, \"started\": %d, \"ended\": %d, \"host\": \"%s\", \"job\": "
      "\"%s\"%s}\\n' \\\n"
      "    \"$1\" $$ \"$2\" \"$3\" \"$4\" \"$5\" \"$(date +%s)\" \"$(hostname)\" "
      "\"$gannet_job\" \"$6\" "
      ">outcome.part &&\n"
      "    mv outcome.part outcome.json\n"
      "}\n"
      "# NONCE WHY: the simulation is not started, and the attempt is made again\n"
      "gannet_tell_not_begun() {\n"
      "  echo \"job $gannet_job does not start the simulation: $2\" >>gannet.log\n"
      "  gannet_tell_end \"$1\" 121 0 false \"$(date +%s)\" \\\n"
      "    \", \\\"not_begun\\\": \\\"$(printf %s \"$2\" | tr '\\\\\"' '__')\\\"\"\n"
      "}\n");
}

gannet_err gannet_slurm_script_checksum(const char *directory, const char *name,
                                        gannet_slurm_checksum *s) {
  char path[PATH_MAX], *bytes = NULL;
  int file = -1;
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_open(path, O_RDONLY, GANNET_ERR_DAMAGED, &file));
  gannet_err err = fsync(file) ? gannet_raise_errno("sync", path) : GANNET_OK;
  (void)close(file);
  if (err == GANNET_OK) err = gannet_file_read(path, &bytes, &s->size);
  if (err == GANNET_OK) s->sum = gannet_cksum(bytes, s->size);
  gannet_free(&bytes);
  return err;
}

gannet_err gannet_slurm_script_save(const char *directory, const char *name,
                                    const gannet_text *from) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_replace(path, from->text, from->used));
  return chmod(path, 0755) ? gannet_raise_errno("make executable", path) : GANNET_OK;
}
