#define _GNU_SOURCE /* strcasestr */
#include "evaluate/command/outage.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "evaluate/contract/contract.h"

static const double shortest_pause = 0.1; /* seconds between the first two tries */
static const double longest_pause = 15;
static const double proof = 5; /* a shell that runs for longer has started the simulation */
static const double proof_of_slurm = 60; /* so has srun, which waits for slurmctld before it ends */

enum { TAIL_SIZE = 4096 }; /* bytes of stderr.log that are looked at */

void gannet_outage_note(const gannet_context *context, gannet_outage *outage, int64_t id,
                        const gannet_outage_sign *sign, double patience) {
  const double now = gannet_clock_seconds();
  char limit[32];
  const bool is_new = !outage->is_on || strcmp(outage->reason, sign->reason) != 0;
  if (!outage->is_on) {
    *outage = (gannet_outage){
        .is_on = true, .first = id, .trial = -1, .since = now, .pause = shortest_pause};
    outage->next_try = now + outage->pause;
  } else if (outage->trial == id) { /* the others were on their way already */
    outage->trial = -1;
    outage->pause = fmin(2 * outage->pause, longest_pause);
    outage->next_try = now + outage->pause;
  }
  outage->several = outage->several || id != outage->first || sign->is_of_slurm;
  outage->proof = sign->is_of_slurm ? proof_of_slurm : proof;
  outage->by_words = sign->by_words;
  outage->is_lasting = sign->is_lasting;
  (void)snprintf(outage->reason, sizeof outage->reason, "%s", sign->reason);
  if (!is_new) return;
  gannet_format_duration(patience, limit, sizeof limit);
  gannet_log(context, GANNET_LOG_WARNING,
             "evaluation %lld: %s; it is tried again until it can be started, for %s "
             "(evaluate.patience), then the campaign stops and can be resumed: such attempts do "
             "not count",
             (long long)id, sign->reason, limit);
}

void gannet_outage_end(const gannet_context *context, gannet_outage *outage) {
  char text[32];
  if (!outage->is_on) return;
  gannet_format_duration(ceil(gannet_clock_seconds() - outage->since), text, sizeof text);
  gannet_log(context, GANNET_LOG_WARNING, "simulations can be started again, after %s", text);
  *outage = (gannet_outage){.trial = -1};
}

bool gannet_outage_is_lasting(int error) {
  static const int lasting[] = {ENOENT, EACCES,       EPERM, ENOEXEC, ENOTDIR, ELOOP,
                                EISDIR, ENAMETOOLONG, E2BIG, EINVAL,  ELIBBAD};
  for (size_t i = 0; i < sizeof lasting / sizeof *lasting; ++i)
    if (error == lasting[i]) return true;
  return false;
}

/* Words by which programs that start others say that they could not. Shells, env and the dynamic
 * loader end with 126 or 127 then; launchers of MPI say it with exit codes of their own. */
static const struct {
  const char *text;
  bool by_shell;
} words_of_starters[] = {
    {"not found", true},
    {"No such file or directory", true},
    {"Permission denied", true},
    {"cannot execute", true},
    {"bad interpreter", true},
    {"Exec format error", true},
    {"error while loading shared libraries", true},
    {"Text file busy", true},
    {"Stale file handle", true},
    {"Input/output error", true},
    {"Cannot allocate memory", true},
    {"Resource temporarily unavailable", true},
    {"Too many open files", true},
    {"Transport endpoint is not connected", true},
    {"execvp error on file", false},                         /* MPICH, Intel MPI */
    {"error: execve(): ", false},                            /* srun */
    {"Memory required by task is not available", false},     /* srun, to a slurmctld that starts */
    {"unable to find the specified executable file", false}, /* Open MPI */
    {"unable to launch the specified application", false},
    /* Open MPI 4, when another mpirun of the node ends at the same moment */
    {"It looks like orte_init failed", false},
};

/* Whether a line names a file of a shell text: a word with a slash or a dot, without variables. */
static bool names_file_of(const char *line, const char *shell) {
  size_t length = 0;
  for (const char *word = shell; *word; word += length + (word[length] != '\0')) {
    length = strcspn(word, " \t\n;|&()<>'\"");
    const char *slash = memrchr(word, '/', length), *name = slash ? slash + 1 : word;
    const size_t size = (size_t)(word + length - name);
    if (size == 0 || memchr(word, '$', length) || (!slash && !memchr(word, '.', length))) continue;
    if (memmem(line, strlen(line), name, size)) return true;
  }
  return false;
}

/* Whether a line says that a program could not be started; or that an interpreter misses its
 * script, which has gone since the system started it. */
static bool tells_no_start(const char *line, const gannet_text_list *command, const char *shell,
                           int exit_code) {
  const bool is_of_shell = exit_code == 126 || exit_code == 127;
  for (size_t i = 0; i < sizeof words_of_starters / sizeof *words_of_starters; ++i)
    if ((is_of_shell || !words_of_starters[i].by_shell) && strstr(line, words_of_starters[i].text))
      return true;
  if (!strcasestr(line, "can't open") && !strstr(line, "cannot open")) return false;
  for (int i = 0; i < command->n; ++i) {
    const char *name = gannet_file_name_of(command->item[i]);
    if (name[0] && !strchr(name, '{') && strstr(line, name)) return true;
  }
  return shell && names_file_of(line, shell);
}

/* Whether a word of the command is a path that contains the value of a variable, such as
 * ./{solver}.sh: a file that is missing then says something about the design. */
static bool depends_on_design(const gannet_text_list *command) {
  for (int i = 0; i < command->n; ++i) {
    const char *word = command->item[i];
    for (size_t length = 0; *word; word += length + (word[length] != '\0')) {
      length = strcspn(word, " \t\n");
      if (!memchr(word, '/', length)) continue;
      for (const char *at = memchr(word, '{', length); at && at < word + length;
           at = memchr(at + 1, '{', (size_t)(word + length - at - 1))) {
        const size_t size = strcspn(at + 1, ":} \t\n");
        bool same = false;
        for (const char *const *known = gannet_fixed_placeholders; *known; ++known)
          same = same || (strlen(*known) == size && strncmp(at + 1, *known, size) == 0);
        if (!same && at[1 + size] == '}') return true;
      }
    }
  }
  return false;
}

bool gannet_outage_is_of_slurm(const char *line) {
  /* slurm_errno.c, up to 24.05 */
  static const char *const no_answer[] = {
      "Unable to contact slurm controller", "Socket timed out on send/recv operation",
      "Zero Bytes were transmitted or received", "Slurm backup controller in standby mode"};
  if (!strstr(line, "Unable to confirm allocation for job ") &&
      !strstr(line, "Unable to create step for job "))
    return false;
  for (size_t i = 0; i < sizeof no_answer / sizeof *no_answer; ++i)
    if (strstr(line, no_answer[i])) return true;
  return false;
}

bool gannet_outage_in_stderr(const char *directory, const gannet_text_list *command,
                             const char *shell, int exit_code, char *words, size_t size) {
  char path[PATH_MAX], tail[TAIL_SIZE];
  size_t length = 0;
  const bool may_be_own = depends_on_design(command);
  if (exit_code <= 0) return false;
  if (gannet_join_path(directory, "stderr.log", path, sizeof path) != GANNET_OK ||
      gannet_file_read_end(path, sizeof tail, tail, &length) != GANNET_OK) {
    gannet_error_clear();
    return false;
  }
  for (char *line = tail; line < tail + length; line += strlen(line) + 1) {
    line[strcspn(line, "\n")] = '\0';
    if (!gannet_outage_is_of_slurm(line) &&
        (may_be_own || !tells_no_start(line, command, shell, exit_code)))
      continue;
    (void)snprintf(words, size, "%s", line + strspn(line, " \t"));
    return true;
  }
  return false;
}
