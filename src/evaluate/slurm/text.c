#include "evaluate/slurm/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/open_file.h"

gannet_err gannet_slurm_put(gannet_text *to, const char *text) {
  return gannet_text_add(to, text, strlen(text));
}

gannet_err gannet_slurm_put_options(gannet_text *to, const gannet_program *program,
                                    const gannet_text_list *options) {
  GANNET_TRY(gannet_slurm_put(to, "#!"));
  GANNET_TRY(gannet_slurm_put(to, program->shell));
  GANNET_TRY(gannet_slurm_put(to, "\n"));
  for (int i = 0; i < options->n; ++i) {
    GANNET_TRY(gannet_slurm_put(to, "#SBATCH "));
    GANNET_TRY(gannet_slurm_put(to, options->item[i]));
    GANNET_TRY(gannet_slurm_put(to, "\n"));
  }
  return GANNET_OK;
}

/* A text as one word of the shell: 'it'\''s'. */
gannet_err gannet_slurm_put_word(gannet_text *to, const char *text) {
  char piece[2] = "";
  GANNET_TRY(gannet_slurm_put(to, "'"));
  for (; *text; ++text) {
    piece[0] = *text;
    GANNET_TRY(gannet_slurm_put(to, *text == '\'' ? "'\\''" : piece));
  }
  return gannet_slurm_put(to, "'");
}

gannet_err gannet_slurm_put_line(gannet_text *to, const char *format, ...) {
  char line[4000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return gannet_slurm_put(to, line);
}

/* Functions that both kinds of scripts call. SLURM does not say whose job it is to a script that
 * somebody runs by hand. */
gannet_err gannet_slurm_put_functions(gannet_text *to) {
  return gannet_slurm_put(
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

/* The lines of the user's script that sbatch reads: its own, and those of two other schedulers. */
gannet_err gannet_slurm_put_users_options(gannet_text *to, const gannet_program *program,
                                          const char *script) {
  static const char *const delimiters[] = {"#SBATCH", "#PBS", "#BSUB"};
  GANNET_TRY(gannet_slurm_put(to, "#!"));
  GANNET_TRY(gannet_slurm_put(to, program->shell));
  GANNET_TRY(gannet_slurm_put(to, "\n"));
  for (const char *at = script; *at && !gannet_slurm_ends_options(at);) {
    const size_t size = strcspn(at, "\n");
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; ++i)
      if (strncmp(at, delimiters[i], strlen(delimiters[i])) == 0) {
        GANNET_TRY(gannet_text_add(to, at, size));
        GANNET_TRY(gannet_slurm_put(to, "\n"));
      }
    at += size + (at[size] != '\0');
  }
  return GANNET_OK;
}

gannet_err gannet_slurm_sync_checksum(const char *directory, const char *name,
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

gannet_err gannet_slurm_save_script(const char *directory, const char *name,
                                    const gannet_text *from) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_replace(path, from->text, from->used));
  return chmod(path, 0755) ? gannet_raise_errno("make executable", path) : GANNET_OK;
}
