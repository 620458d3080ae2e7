/* The job script of an evaluation, and that of a submission of several.
 *
 * A job runs long after it was submitted, perhaps when the machine that wrote its files has lost
 * its power, and perhaps twice, when sbatch took it and failed to say so. Before it starts a
 * simulation, its script therefore makes sure that
 *
 *   - attempt.json names its attempt: another one may have taken its place;
 *   - no other job runs the attempt: the link job.running names the job that does;
 *   - the files that it is about to use have the checksums that they had when they were written.
 *
 * A job that cannot start its simulation says so in outcome.json ("not_begun"), and the attempt is
 * made again. What the script and the programs that it calls have to say goes to gannet.log:
 * stdout.log and stderr.log are the simulation's, for rules about its output look at them.
 *
 * Names of variables and functions begin with gannet_, as simulations inherit those that were
 * exported under the same name.
 */
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/contract/case_folder.h"
#include "evaluate/slurm/slurm.h"

/* What a script says of a file that it does not use. */
#define TORN "is not what gannet wrote: it is empty, cut short, or of another time"

/* What one evaluation's script is made for. */
typedef struct {
  const gannet_program *program;
  const gannet_slurm_options *options;
  const gannet_request *request;
  const gannet_current_attempt *attempt;
  const gannet_submission_element *element; /* NULL = it is the script of a job */
  char nonce[20];
} order;

/* A script of the user's, with its placeholders replaced. */
typedef struct {
  const char *path;
  gannet_text text;
} users_script;

static gannet_err put_text(gannet_text *to, const char *text) {
  return gannet_text_add(to, text, strlen(text));
}

/* Append a text as one word of the shell: 'it'\''s'. GPUs and nodes become variables. */
static gannet_err put_word(gannet_text *to, const char *text) {
  static const struct {
    const char *text, *written;
  } special[] = {{"'", "'\\''"},
                 {GANNET_SLURM_GPUS, "'\"$GANNET_GPUS\"'"},
                 {GANNET_SLURM_HOSTS, "'\"$GANNET_HOSTS\"'"}};
  char piece[2] = "";
  GANNET_TRY(put_text(to, "'"));
  while (*text) {
    const char *written = piece;
    size_t size = 1;
    piece[0] = *text;
    for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
      if (strncmp(text, special[i].text, strlen(special[i].text)) == 0) {
        size = strlen(special[i].text);
        written = special[i].written;
      }
    GANNET_TRY(put_text(to, written));
    text += size;
  }
  return put_text(to, "'");
}

/* Append formatted text of less than 4000 bytes. */
static GANNET_PRINTF(2, 3) gannet_err put_format(gannet_text *to, const char *format, ...) {
  char line[4000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return put_text(to, line);
}

/* Begin a script with its lines for sbatch.
 *
 * request  in  NULL = the script is of several evaluations
 */
static gannet_err put_options(gannet_text *to, const gannet_program *program,
                              const gannet_slurm_options *all, const gannet_request *request) {
  const gannet_text_list *options = &all->sbatch;
  GANNET_TRY(put_text(to, "#!"));
  GANNET_TRY(put_text(to, program->shell));
  GANNET_TRY(put_text(to, "\n"));
  for (int i = 0; i < options->n; ++i) {
    GANNET_TRY(put_text(to, "#SBATCH "));
    GANNET_TRY(put_text(to, options->item[i]));
    GANNET_TRY(put_text(to, "\n"));
  }
  return gannet_slurm_resources_write(program, all, request, to);
}

bool gannet_slurm_ends_options(const char *line) {
  line += strspn(line, " \t\r");
  return *line != '\0' && *line != '\n' && *line != '#';
}

/* Begin a script with the lines of the user's script that sbatch reads: #SBATCH, and those of two
 * other schedulers. */
static gannet_err put_users_options(gannet_text *to, const gannet_program *program,
                                    const char *script) {
  static const char *const delimiters[] = {"#SBATCH", "#PBS", "#BSUB"};
  GANNET_TRY(put_text(to, "#!"));
  GANNET_TRY(put_text(to, program->shell));
  GANNET_TRY(put_text(to, "\n"));
  for (const char *at = script; *at && !gannet_slurm_ends_options(at);) {
    const size_t size = strcspn(at, "\n");
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; ++i)
      if (strncmp(at, delimiters[i], strlen(delimiters[i])) == 0) {
        GANNET_TRY(gannet_text_add(to, at, size));
        GANNET_TRY(put_text(to, "\n"));
      }
    at += size + (at[size] != '\0');
  }
  return GANNET_OK;
}

/* Define functions that both kinds of scripts call, and $gannet_job. A script that somebody runs by
 * hand has no number of a job: then the process is named. */
static gannet_err put_functions(gannet_text *to) {
  return put_text(
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

/* What the program cksum says of a file. */
typedef struct {
  uint32_t sum;
  size_t size;
} checksum;

static gannet_err sync_checksum(const char *directory, const char *name, checksum *s) {
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

static gannet_err save_script(const char *directory, const char *name, const gannet_text *from) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_replace(path, from->text, from->used));
  return chmod(path, 0755) ? gannet_raise_errno("make executable", path) : GANNET_OK;
}

/* Begin the script of an evaluation: where its own words go, and whether its attempt is still
 * wanted. The output of a job of its own is that of the simulation; in a job of several the files
 * for that are opened later. */
static gannet_err put_head(gannet_text *to, const order *o) {
  const char *nonce = o->nonce;
  GANNET_TRY(put_format(to,
                        "# Evaluation %lld, attempt %d; written by gannet.\n"
                        "%s"
                        "cd ",
                        (long long)o->request->id, o->request->attempt,
                        o->element ? "exec 2>/dev/null\n" : "exec 3>&1 4>&2 2>/dev/null\n"));
  GANNET_TRY(put_word(to, o->attempt->directory));
  GANNET_TRY(put_format(
      to,
      " || exit %d\n"
      "true >>gannet.log && exec >>gannet.log || exec >/dev/null\n"
      "exec 2>&1\n"
      "if ! grep -q '\"%s\"' attempt.json && grep -q '\"nonce\"' attempt.json; then\n"
      "  echo \"job $gannet_job does nothing: another attempt has taken the place of this one\"\n"
      "  exit 0\n"
      "fi\n",
      GANNET_SLURM_NOT_BEGUN, nonce));
  /* A job that SLURM puts back into the queue begins anew, but not what had succeeded; unless its
   * output is needed, which is that of the new run by now. */
  if (o->options->command.pattern.n == 0)
    GANNET_TRY(
        put_format(to,
                   "[ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] ||\n"
                   "  ! grep -q '\"%s\".*\"exit_code\": 0,' outcome.json 2>/dev/null || exit 0\n",
                   nonce));
  return GANNET_OK;
}

/* Let only one job begin an attempt, although two may have been submitted. A symbolic link is made
 * whole or not at all, also on file systems of a network. When SLURM puts a job back into the
 * queue, the job that made the link goes on, without another check of its files: its simulation may
 * have changed them in order to go on where it was. The link is removed when outcome.json is
 * written. */
static gannet_err put_claim(gannet_text *to, const order *o) {
  return put_format(
      to,
      "gannet_refuse() {\n"
      "  gannet_tell_not_begun %s \"$1\"\n"
      "  rm -f job.running\n"
      "  exit %d\n"
      "}\n"
      "gannet_goes_on=\n"
      "if ! ln -s \"$gannet_job\" job.running 2>/dev/null; then\n"
      "  gannet_owner=$(readlink job.running)\n"
      "  if [ \"$gannet_owner\" = \"$gannet_job\" ]; then\n"
      "    gannet_goes_on=yes\n"
      "  elif [ -n \"$gannet_owner\" ]; then\n"
      "    echo \"job $gannet_job does nothing: job $gannet_owner has begun this attempt; to run "
      "it once more by hand, remove job.running\"\n"
      "    exit 0\n"
      "  fi\n"
      "fi\n"
      "if grep -q '\"%s\"' outcome.json 2>/dev/null; then\n"
      "  grep -qF \"\\\"$gannet_job\\\"\" outcome.json || {\n"
      "    echo \"job $gannet_job does nothing: this attempt has ended; to run it once more by "
      "hand, remove outcome.json\"\n"
      "    rm -f job.running\n"
      "    exit 0\n"
      "  }\n"
      "  gannet_goes_on=yes\n"
      "fi\n"
      "grep -q '\"%s\"' attempt.json || gannet_refuse \"attempt.json " TORN "\"\n",
      o->nonce, GANNET_SLURM_NOT_BEGUN, o->nonce, o->nonce);
}

static gannet_err put_check(gannet_text *to, const char *directory, const char *name) {
  checksum s;
  GANNET_TRY(sync_checksum(directory, name, &s));
  GANNET_TRY(put_text(to, "  gannet_check "));
  GANNET_TRY(put_word(to, name));
  return put_format(to, " %lu %zu\n", (unsigned long)s.sum, s.size);
}

/* Check the templates of the case folder; its other files may be large. */
static gannet_err put_case_checks(gannet_text *to, const order *o) {
  const gannet_contract *contract = &o->program->contract;
  gannet_text_list templates = {0};
  gannet_err err =
      gannet_case_list_templates(contract->a_case, contract->input_directory, &templates);
  for (int i = 0; i < templates.n && err == GANNET_OK; ++i)
    err = put_check(to, o->attempt->directory, templates.item[i]);
  gannet_text_list_release(&templates);
  return err;
}

/* Check the files that gannet wrote for the simulation, and the program that is to use them. */
static gannet_err put_checks(gannet_text *to, const order *o, const char *own_script) {
  const gannet_text_list *templates = o->program->contract.templates;
  const char *directory = o->attempt->directory;
  GANNET_TRY(
      put_text(to,
               "gannet_check() {\n"
               "  gannet_is_intact \"$@\" || gannet_refuse \"$1 " TORN "\"\n"
               "}\n"
               "if [ -z \"$gannet_goes_on\" ]; then\n"
               "  command -v cksum >/dev/null || echo 'there is no cksum here: of files only the "
               "size is checked'\n"));
  GANNET_TRY(put_check(to, directory, "params.in"));
  GANNET_TRY(put_check(to, directory, "params.json"));
  for (int i = 0; i < templates->n; ++i)
    GANNET_TRY(put_check(to, directory, gannet_file_name_of(templates->item[i])));
  GANNET_TRY(put_case_checks(to, o));
  if (own_script) GANNET_TRY(put_check(to, directory, own_script));
  GANNET_TRY(put_text(to, "fi\n"));
  if (!own_script) {
    GANNET_TRY(put_text(to, "for gannet_pause in 1 2 0; do\n  [ ! -x "));
    GANNET_TRY(put_word(to, o->program->program));
    GANNET_TRY(put_text(to,
                        " ] || break\n"
                        "  [ $gannet_pause != 0 ] || gannet_refuse "));
    GANNET_TRY(put_word(to, o->program->program));
    GANNET_TRY(put_text(to,
                        "' cannot be run here: it is not there, or not executable'\n"
                        "  sleep $gannet_pause\n"
                        "done\n"));
  }
  return put_format(to,
                    "true >stdout.log && true >stderr.log ||\n"
                    "  gannet_refuse 'its output cannot be written'\n"
                    "%s"
                    "rm -f results.out outcome.json\n",
                    o->element ? "exec 3>stdout.log 4>stderr.log\n" : "");
}

/* Define what SLURM says of the job's GPUs and nodes, or of those of the step that this is. */
static gannet_err put_place(gannet_text *to, const order *o) {
  const gannet_needs *needs = o->program->needs;
  if (!needs) return GANNET_OK;
  GANNET_TRY(
      put_text(to,
               "GANNET_HOSTS=${SLURM_STEP_NODELIST:-${SLURM_JOB_NODELIST:-${SLURMD_NODENAME:-}}}\n"
               "case $GANNET_HOSTS in *\\[*)\n"
               "  gannet_hosts=$(scontrol show hostnames \"$GANNET_HOSTS\" | tr '\\n' ',')\n"
               "  [ -z \"$gannet_hosts\" ] || GANNET_HOSTS=${gannet_hosts%,} ;;\n"
               "esac\n"
               "export GANNET_HOSTS\n"));
  if (!needs->given->gpus) return GANNET_OK;
  return put_text(
      to,
      "GANNET_GPUS=${CUDA_VISIBLE_DEVICES:-${ROCR_VISIBLE_DEVICES:-${ZE_AFFINITY_MASK:-"
      "${SLURM_STEP_GPUS:-${SLURM_JOB_GPUS:-}}}}}\n"
      "[ -n \"$GANNET_GPUS\" ] || echo 'SLURM names no GPU of this job: {gpus} is empty'\n"
      "export GANNET_GPUS\n");
}

static gannet_err put_environment(gannet_text *to, const gannet_text_list *environment) {
  for (int i = 0; i < environment->n; ++i) {
    const char *item = environment->item[i], *value = strchr(item, '=');
    if (!value || value - item > 200) continue; /* check has complained */
    GANNET_TRY(put_format(to, "export %.*s=", (int)(value - item), item));
    GANNET_TRY(put_word(to, value + 1));
    GANNET_TRY(put_text(to, "\n"));
  }
  return GANNET_OK;
}

/* Keep mpirun from binding ranks where a job or step may use more processors than it has: on a
 * cluster that confines no job every mpirun would bind to the first cores of the node, although
 * other simulations may run there. Runs whose `step` starts no step of SLURM share the job's
 * processors. OMP_NUM_THREADS is emptied because nproc obeys it. */
static gannet_err put_no_binding(gannet_text *to, const order *o) {
  const bool may_share = o->element && o->options->runs_at_once > 1 && o->options->step.n > 0;
  GANNET_TRY(put_text(to,
                      "gannet_seen=$(OMP_NUM_THREADS= OMP_THREAD_LIMIT= nproc 2>/dev/null)\n"
                      "gannet_granted=${SLURM_CPUS_ON_NODE:-}\n"));
  if (may_share) GANNET_TRY(put_text(to, "[ -n \"${SLURM_STEP_ID:-}\" ] || gannet_granted=0\n"));
  return put_text(to,
                  "if [ \"${gannet_seen:-0}\" -gt \"${gannet_granted:-999999}\" ]; then\n"
                  "  [ -n \"${OMPI_MCA_hwloc_base_binding_policy+x}"
                  "${PRTE_MCA_hwloc_default_binding_policy+x}\" ] ||\n"
                  "    export OMPI_MCA_hwloc_base_binding_policy=none "
                  "PRTE_MCA_hwloc_default_binding_policy=none\n"
                  "  env | grep -q '^I_MPI_PIN' || export I_MPI_PIN=off\n"
                  "  env | grep -Eq '^MV2_(ENABLE_AFFINITY=|CPU_)' || export "
                  "MV2_ENABLE_AFFINITY=0\n"
                  "fi\n");
}

/* Write the interpreter that the first line of a script names, as the kernel would use it: so the
 * script runs also where a file system lets nothing be executed. */
static gannet_err put_interpreter(gannet_text *to, const gannet_text *script) {
  const char *line =
      script->used > 2 && strncmp(script->text, "#!", 2) == 0 ? script->text + 2 : "";
  char word[512];
  line += strspn(line, " \t");
  const size_t size = strcspn(line, " \t\n");
  if (size == 0) return GANNET_OK;
  (void)snprintf(word, sizeof word, "%.*s", (int)size, line);
  GANNET_TRY(put_word(to, word));
  GANNET_TRY(put_text(to, " "));
  line += size + strspn(line + size, " \t");
  size_t rest = strcspn(line, "\n");
  while (rest > 0 && strchr(" \t", line[rest - 1])) --rest;
  if (rest == 0) return GANNET_OK;
  (void)snprintf(word, sizeof word, "%.*s", (int)rest, line);
  GANNET_TRY(put_word(to, word));
  return put_text(to, " ");
}

/* Keep the time limit on the node, to the second; SLURM's own limit counts minutes and comes later.
 * The inner shell sends what timeout says to gannet.log. */
static gannet_err put_limit(gannet_text *to, const gannet_program *program) {
  const double grace = program->options->kill_grace;
  char how[40] = "-s KILL"; /* -k 0 would never kill */
  if (!isfinite(program->rules.time_limit)) return GANNET_OK;
  if (grace > 0) (void)snprintf(how, sizeof how, "-k %g", grace);
  GANNET_TRY(put_format(to,
                        "gannet_limit=\n"
                        "command -v timeout >/dev/null && gannet_limit='timeout %s %.3f'\n"
                        "$gannet_limit ",
                        how, program->rules.time_limit));
  GANNET_TRY(put_word(to, program->shell));
  return put_text(to, " -c 'exec \"$@\" >&3 2>&4 3>&- 4>&-' gannet ");
}

static gannet_err put_command(gannet_text *to, const gannet_program *program,
                              const gannet_command_line *command_line, const users_script *own) {
  GANNET_TRY(put_text(to, "gannet_began=$(date +%s)\n"));
  GANNET_TRY(put_limit(to, program));
  if (own) GANNET_TRY(put_interpreter(to, &own->text));
  GANNET_TRY(put_word(to, own ? own->path : program->program));
  for (int i = 1; i < command_line->arguments.n && !own; ++i) {
    GANNET_TRY(put_text(to, " "));
    GANNET_TRY(put_word(to, command_line->arguments.item[i]));
  }
  if (!isfinite(program->rules.time_limit)) GANNET_TRY(put_text(to, " >&3 2>&4 3>&- 4>&-"));
  return put_text(to, "\ngannet_code=$? gannet_ended=$(date +%s)\n");
}

/* Turn an exit code above 128 into a signal, as shells report signals so, unless the code is one by
 * which the simulation says that a design is bad. */
static gannet_err put_signal(gannet_text *to, const gannet_real_list *codes) {
  GANNET_TRY(put_text(to, "case '"));
  for (int i = 0; i < codes->n; ++i) GANNET_TRY(put_format(to, " %.0f", codes->item[i]));
  return put_text(to,
                  " ' in\n"
                  "  *\" $gannet_code \"*) ;;\n"
                  "  *) if [ $gannet_code -gt 128 ] && [ $gannet_code -lt 193 ]; then\n"
                  "       gannet_signal=$((gannet_code - 128)) gannet_exit=-1\n"
                  "     fi ;;\n"
                  "esac\n");
}

/* Write the end of the script, which tells the outcome. The exit code of timeout is 124, or 137
 * when it had to kill. */
static gannet_err put_outcome(gannet_text *to, const order *o) {
  const gannet_outcome_rules *rules = &o->program->rules;
  GANNET_TRY(put_text(to, "gannet_over=false gannet_signal=0 gannet_exit=$gannet_code\n"));
  if (isfinite(rules->time_limit))
    GANNET_TRY(
        put_format(to,
                   "if [ -n \"$gannet_limit\" ] && [ $((gannet_ended - gannet_began)) -ge %.0f ]; "
                   "then\n"
                   "  case $gannet_code in 124 | 137) gannet_over=true ;; esac\n"
                   "fi\n",
                   floor(rules->time_limit)));
  GANNET_TRY(put_signal(to, rules->cannot_run));
  return put_format(to,
                    "[ -s gannet.log ] || rm -f gannet.log\n"
                    "gannet_tell_end %s $gannet_exit $gannet_signal $gannet_over $gannet_began ''\n"
                    "rm -f job.running\n"
                    "exit $gannet_code\n",
                    o->nonce);
}

static gannet_err render_script(const gannet_program *program, const char *name,
                                const gannet_bindings *bindings, gannet_text *to) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  GANNET_TRY(
      gannet_join_path(name[0] == '/' ? "" : program->input_directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_read(path, &text, &size));
  const gannet_err err = gannet_substitute(&program->contract, bindings, GANNET_IN_SCRIPT, path,
                                           text, size, &to->text, &to->used);
  gannet_free(&text);
  return err;
}

/* Write the script of one evaluation. A user's script that has a job of its own replaces this
 * script by exec, so that signals of SLURM reach it; SLURM then tells how it ended. */
static gannet_err put_script(const order *o, const gannet_command_line *command_line,
                             const users_script *own, gannet_text *to) {
  if (own) {
    GANNET_TRY(put_users_options(to, o->program, own->text.text));
    GANNET_TRY(gannet_slurm_resources_write(o->program, o->options, o->request, to));
  } else {
    GANNET_TRY(put_options(to, o->program, o->options, o->request));
  }
  GANNET_TRY(put_functions(to));
  GANNET_TRY(put_head(to, o));
  GANNET_TRY(put_claim(to, o));
  GANNET_TRY(put_checks(to, o, own ? own->path : NULL));
  GANNET_TRY(put_place(to, o));
  GANNET_TRY(put_environment(to, &command_line->environment));
  GANNET_TRY(put_no_binding(to, o));
  if (own && !o->element) {
    GANNET_TRY(put_text(to, "[ -s gannet.log ] || rm -f gannet.log\nexec "));
    GANNET_TRY(put_interpreter(to, &own->text));
    GANNET_TRY(put_word(to, own->path));
    return put_text(to, " >&3 2>&4 3>&- 4>&-\n");
  }
  GANNET_TRY(put_command(to, o->program, command_line, own));
  /* The directory of an attempt that was given up has another name by now, and results that were
   * written to a path lie in that of its successor. */
  GANNET_TRY(put_text(to, "[ $gannet_code != 0 ] || [ -e results.out ] || cp "));
  GANNET_TRY(put_word(to, o->attempt->directory));
  GANNET_TRY(put_text(to, "/results.out . 2>/dev/null\n"));
  return put_outcome(to, o);
}

static gannet_err write_files(const order *o, gannet_command_line *command_line) {
  const char *const users = o->options->script && *o->options->script ? o->options->script : NULL;
  const char *const directory = o->attempt->directory;
  users_script own = {.path = "./script.sh"};
  gannet_text to = {0};
  gannet_place_words words;
  gannet_request request = *o->request;
  if (o->program->needs) {
    gannet_slurm_place_describe(o->program, &request, &words);
    request.place = &words;
  }
  GANNET_TRY(
      gannet_command_line_create(o->program, &request, directory, o->attempt->slot, command_line));
  const gannet_attempt_handover handover = {
      .slot = o->attempt->slot, .submitted = o->attempt->submitted, .submission = o->element};
  GANNET_TRY(gannet_contract_prepare(&o->program->contract, o->request, &command_line->bindings,
                                     directory, &handover));
  gannet_err err =
      users ? render_script(o->program, users, &command_line->bindings, &own.text) : GANNET_OK;
  if (users && err == GANNET_OK) err = save_script(directory, own.path, &own.text);
  if (err == GANNET_OK) err = put_script(o, command_line, users ? &own : NULL, &to);
  if (err == GANNET_OK) err = save_script(directory, "job.sh", &to);
  gannet_free(&own.text.text);
  gannet_free(&to.text);
  return err;
}

gannet_err gannet_slurm_script_write(const gannet_program *program,
                                     const gannet_slurm_options *options,
                                     const gannet_request *request,
                                     const gannet_current_attempt *attempt,
                                     const gannet_submission_element *element,
                                     gannet_text_list *environment) {
  gannet_command_line command_line = {0};
  order o = {program, options, request, attempt, element, ""};
  (void)snprintf(o.nonce, sizeof o.nonce, "%016llx", (unsigned long long)request->nonce);
  gannet_err err = write_files(&o, &command_line);
  for (int i = 0; i < command_line.environment.n && err == GANNET_OK; ++i) {
    const char *item = command_line.environment.item[i];
    if (!strstr(item, GANNET_SLURM_GPUS) && !strstr(item, GANNET_SLURM_HOSTS))
      err = gannet_text_list_add(environment, item); /* the script sets the others */
  }
  gannet_command_line_release(&command_line);
  return err;
}

/* The script of several evaluations: jobs of several runs, and arrays. */

/* List the evaluations that each element of the array runs: directory, nonce, and checksum and size
 * of the script there. */
static gannet_err put_parts(gannet_text *to, int n, const gannet_slurm_script_part *parts,
                            int runs) {
  GANNET_TRY(put_text(to, "case ${SLURM_ARRAY_TASK_ID:-0} in\n"));
  for (int i = 0; i < n; ++i) {
    checksum s;
    GANNET_TRY(sync_checksum(parts[i].directory, "job.sh", &s));
    if (i % runs == 0) GANNET_TRY(put_format(to, "%d) set --", i / runs));
    GANNET_TRY(put_text(to, " \\\n  "));
    GANNET_TRY(put_word(to, parts[i].directory));
    GANNET_TRY(put_format(to, " %016llx %lu %zu", (unsigned long long)parts[i].nonce,
                          (unsigned long)s.sum, s.size));
    if (i % runs == runs - 1 || i == n - 1) GANNET_TRY(put_text(to, " ;;\n"));
  }
  return put_text(to, "*) exit 1 ;;\nesac\n");
}

/* Divide the memory of a node by the runs that it has at once. A step without --mem has all memory
 * of the job, and the others wait for it. A node has as many runs as tasks of the job ("1,2(x3)"
 * has at most 2), and more where the job has more processors than tasks, as with --exclusive. */
static gannet_err put_share(gannet_text *to, const gannet_program *program, int runs_at_once) {
  char cores[40] = "${SLURM_CPUS_PER_TASK:-1}";
  if (program->needs) (void)snprintf(cores, sizeof cores, "%d", program->needs->most.cores);
  return put_format(to,
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
    GANNET_TRY(put_word(to, options->step.item[i]));
    GANNET_TRY(put_text(to, " "));
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
  GANNET_TRY(put_text(
      to,
      "gannet_run() {\n"
      "  cd \"$1\" || return\n"
      "  ! grep -q '\"nonce\"' attempt.json || grep -q \"\\\"$2\\\"\" attempt.json || return\n"
      "  ! grep -q \"\\\"$2\\\".*\\\"exit_code\\\": 0,\" outcome.json 2>/dev/null || return\n"
      "  gannet_is_intact job.sh \"$3\" \"$4\" || {\n"
      "    gannet_tell_not_begun \"$2\" 'job.sh " TORN
      "'\n"
      "    return\n"
      "  }\n  "));
  GANNET_TRY(put_step(to, program, options));
  GANNET_TRY(put_word(to, program->shell));
  return put_format(to,
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
  if (!options->script || !*options->script) return put_options(to, program, options, NULL);
  GANNET_TRY(gannet_join_path(first, "script.sh", path, sizeof path));
  GANNET_TRY(gannet_file_read(path, &text, NULL));
  gannet_err err = put_users_options(to, program, text);
  gannet_free(&text);
  if (err == GANNET_OK) err = gannet_slurm_resources_write(program, options, NULL, to);
  return err;
}

gannet_err gannet_slurm_script_write_shared(const gannet_program *program,
                                            const gannet_slurm_options *options, int n,
                                            const gannet_slurm_script_part *parts,
                                            const char *directory) {
  gannet_text to = {0};
  gannet_err err = put_shared_options(&to, program, options, parts[0].directory);
  if (err == GANNET_OK) err = put_format(&to, "# %d evaluations; written by gannet.\n", n);
  if (err == GANNET_OK) err = put_functions(&to);
  if (err == GANNET_OK) err = put_parts(&to, n, parts, options->runs_per_job);
  if (err == GANNET_OK) err = put_lanes(&to, program, options);
  if (err == GANNET_OK) err = save_script(directory, "job.sh", &to);
  gannet_free(&to.text);
  return err;
}

static void replace_odd_characters(char *name) {
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && !strchr("-_.", *name)) *name = '_';
}

void gannet_slurm_job_name(const char *campaign, int64_t id, uint64_t nonce, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-%06lld-%016llx", campaign, (long long)id,
                 (unsigned long long)nonce);
  replace_odd_characters(name);
}

void gannet_slurm_step_name(const char *campaign, const char *directory, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-step-%016llx", campaign,
                 (unsigned long long)gannet_hash(directory, strlen(directory)));
  replace_odd_characters(name);
}
