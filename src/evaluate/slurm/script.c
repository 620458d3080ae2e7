/* The job script of an evaluation, and that of several.
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
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "evaluate/slurm/text.h"

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

/* Of one evaluation: where the words of the script go, and whether its attempt is still wanted. The
 * output of a job of its own is that of the simulation; in a job of several the files are opened
 * later. */
static gannet_err put_head(gannet_text *to, const order *o) {
  const char *nonce = o->nonce;
  GANNET_TRY(
      gannet_slurm_put_line(to,
                            "# Evaluation %lld, attempt %d; written by gannet.\n"
                            "%s"
                            "cd ",
                            (long long)o->request->id, o->request->attempt,
                            o->element ? "exec 2>/dev/null\n" : "exec 3>&1 4>&2 2>/dev/null\n"));
  GANNET_TRY(gannet_slurm_put_word(to, o->attempt->directory));
  GANNET_TRY(gannet_slurm_put_line(
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
    GANNET_TRY(gannet_slurm_put_line(
        to,
        "[ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] ||\n"
        "  ! grep -q '\"%s\".*\"exit_code\": 0,' outcome.json 2>/dev/null || exit 0\n",
        nonce));
  return GANNET_OK;
}

/* One job begins an attempt, though two may have been submitted: a symbolic link is made whole or
 * not at all, also on file systems of a network. Only the job that made it goes on, after SLURM had
 * put it back into the queue: it has checked its files before, which its simulation may have
 * changed since, in order to go on where it was. The link is gone when the end has been told. */
static gannet_err put_claim(gannet_text *to, const order *o) {
  return gannet_slurm_put_line(
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
      "grep -q '\"%s\"' attempt.json || gannet_refuse \"attempt.json " GANNET_SLURM_TORN "\"\n",
      o->nonce, GANNET_SLURM_NOT_BEGUN, o->nonce, o->nonce);
}

static gannet_err put_check(gannet_text *to, const char *directory, const char *name) {
  gannet_slurm_checksum s;
  GANNET_TRY(gannet_slurm_sync_checksum(directory, name, &s));
  GANNET_TRY(gannet_slurm_put(to, "  gannet_check "));
  GANNET_TRY(gannet_slurm_put_word(to, name));
  return gannet_slurm_put_line(to, " %lu %zu\n", (unsigned long)s.sum, s.size);
}

/* What gannet wrote for the simulation, and the program that is to use it. */
static gannet_err put_checks(gannet_text *to, const order *o, const char *own_script) {
  const gannet_text_list *templates = o->program->contract.templates;
  const char *directory = o->attempt->directory;
  GANNET_TRY(gannet_slurm_put(
      to,
      "gannet_check() {\n"
      "  gannet_is_intact \"$@\" || gannet_refuse \"$1 " GANNET_SLURM_TORN
      "\"\n"
      "}\n"
      "if [ -z \"$gannet_goes_on\" ]; then\n"
      "  command -v cksum >/dev/null || echo 'there is no cksum here: of files only the "
      "size is checked'\n"));
  GANNET_TRY(put_check(to, directory, "params.in"));
  GANNET_TRY(put_check(to, directory, "params.json"));
  for (int i = 0; i < templates->n; ++i)
    GANNET_TRY(put_check(to, directory, gannet_file_name_of(templates->item[i])));
  if (own_script) GANNET_TRY(put_check(to, directory, own_script));
  GANNET_TRY(gannet_slurm_put(to, "fi\n"));
  if (!own_script) {
    GANNET_TRY(gannet_slurm_put(to, "for gannet_pause in 1 2 0; do\n  [ ! -x "));
    GANNET_TRY(gannet_slurm_put_word(to, o->program->program));
    GANNET_TRY(gannet_slurm_put(to,
                                " ] || break\n"
                                "  [ $gannet_pause != 0 ] || gannet_refuse "));
    GANNET_TRY(gannet_slurm_put_word(to, o->program->program));
    GANNET_TRY(gannet_slurm_put(to,
                                "' cannot be run here: it is not there, or not executable'\n"
                                "  sleep $gannet_pause\n"
                                "done\n"));
  }
  return gannet_slurm_put_line(to,
                               "true >stdout.log && true >stderr.log ||\n"
                               "  gannet_refuse 'its output cannot be written'\n"
                               "%s"
                               "rm -f results.out outcome.json\n",
                               o->element ? "exec 3>stdout.log 4>stderr.log\n" : "");
}

static gannet_err put_environment(gannet_text *to, const gannet_text_list *environment) {
  for (int i = 0; i < environment->n; ++i) {
    const char *item = environment->item[i], *value = strchr(item, '=');
    if (!value || value - item > 200) continue; /* check has complained */
    GANNET_TRY(gannet_slurm_put_line(to, "export %.*s=", (int)(value - item), item));
    GANNET_TRY(gannet_slurm_put_word(to, value + 1));
    GANNET_TRY(gannet_slurm_put(to, "\n"));
  }
  return GANNET_OK;
}

/* What runs a script, from its first line, as the kernel would: also where a file system lets
 * nothing be executed. */
static gannet_err put_interpreter(gannet_text *to, const gannet_text *script) {
  const char *line =
      script->used > 2 && strncmp(script->text, "#!", 2) == 0 ? script->text + 2 : "";
  char word[512];
  line += strspn(line, " \t");
  const size_t size = strcspn(line, " \t\n");
  if (size == 0) return GANNET_OK;
  (void)snprintf(word, sizeof word, "%.*s", (int)size, line);
  GANNET_TRY(gannet_slurm_put_word(to, word));
  GANNET_TRY(gannet_slurm_put(to, " "));
  line += size + strspn(line + size, " \t");
  size_t rest = strcspn(line, "\n");
  while (rest > 0 && strchr(" \t", line[rest - 1])) --rest;
  if (rest == 0) return GANNET_OK;
  (void)snprintf(word, sizeof word, "%.*s", (int)rest, line);
  GANNET_TRY(gannet_slurm_put_word(to, word));
  return gannet_slurm_put(to, " ");
}

/* The limit is kept on the node, to the second: SLURM's own counts minutes and stands behind it.
 * The inner shell leaves what timeout says to gannet.log. */
static gannet_err put_limit(gannet_text *to, const gannet_program *program) {
  const double grace = program->options->kill_grace;
  char how[40] = "-s KILL"; /* -k 0 would never kill */
  if (!isfinite(program->rules.time_limit)) return GANNET_OK;
  if (grace > 0) (void)snprintf(how, sizeof how, "-k %g", grace);
  GANNET_TRY(
      gannet_slurm_put_line(to,
                            "gannet_limit=\n"
                            "command -v timeout >/dev/null && gannet_limit='timeout %s %.3f'\n"
                            "$gannet_limit ",
                            how, program->rules.time_limit));
  GANNET_TRY(gannet_slurm_put_word(to, program->shell));
  return gannet_slurm_put(to, " -c 'exec \"$@\" >&3 2>&4 3>&- 4>&-' gannet ");
}

static gannet_err put_command(gannet_text *to, const gannet_program *program,
                              const gannet_command_line *command_line, const users_script *own) {
  GANNET_TRY(gannet_slurm_put(to, "gannet_began=$(date +%s)\n"));
  GANNET_TRY(put_limit(to, program));
  if (own) GANNET_TRY(put_interpreter(to, &own->text));
  GANNET_TRY(gannet_slurm_put_word(to, own ? own->path : program->program));
  for (int i = 1; i < command_line->arguments.n && !own; ++i) {
    GANNET_TRY(gannet_slurm_put(to, " "));
    GANNET_TRY(gannet_slurm_put_word(to, command_line->arguments.item[i]));
  }
  if (!isfinite(program->rules.time_limit)) GANNET_TRY(gannet_slurm_put(to, " >&3 2>&4 3>&- 4>&-"));
  return gannet_slurm_put(to, "\ngannet_code=$? gannet_ended=$(date +%s)\n");
}

/* The directory of an attempt that was given up has another name by now, and results that were
 * written to a path lie in that of its successor. */
static gannet_err put_fetch(gannet_text *to, const char *directory) {
  GANNET_TRY(gannet_slurm_put(to, "[ $gannet_code != 0 ] || [ -e results.out ] || cp "));
  GANNET_TRY(gannet_slurm_put_word(to, directory));
  return gannet_slurm_put(to, "/results.out . 2>/dev/null\n");
}

/* A shell reports a signal as 128 + its number, unless that is a code by which the simulation says
 * that a design is bad. */
static gannet_err put_signal(gannet_text *to, const gannet_real_list *codes) {
  GANNET_TRY(gannet_slurm_put(to, "case '"));
  for (int i = 0; i < codes->n; ++i) GANNET_TRY(gannet_slurm_put_line(to, " %.0f", codes->item[i]));
  return gannet_slurm_put(to,
                          " ' in\n"
                          "  *\" $gannet_code \"*) ;;\n"
                          "  *) if [ $gannet_code -gt 128 ] && [ $gannet_code -lt 193 ]; then\n"
                          "       gannet_signal=$((gannet_code - 128)) gannet_exit=-1\n"
                          "     fi ;;\n"
                          "esac\n");
}

/* The word of timeout is 124, or 137 when it had to kill. */
static gannet_err put_outcome(gannet_text *to, const order *o) {
  const gannet_outcome_rules *rules = &o->program->rules;
  GANNET_TRY(gannet_slurm_put(to, "gannet_over=false gannet_signal=0 gannet_exit=$gannet_code\n"));
  if (isfinite(rules->time_limit))
    GANNET_TRY(gannet_slurm_put_line(
        to,
        "if [ -n \"$gannet_limit\" ] && [ $((gannet_ended - gannet_began)) -ge %.0f ]; "
        "then\n"
        "  case $gannet_code in 124 | 137) gannet_over=true ;; esac\n"
        "fi\n",
        floor(rules->time_limit)));
  GANNET_TRY(put_signal(to, rules->cannot_run));
  return gannet_slurm_put_line(
      to,
      "[ -s gannet.log ] || rm -f gannet.log\n"
      "gannet_tell_end %s $gannet_exit $gannet_signal $gannet_over $gannet_began ''\n"
      "rm -f job.running\n"
      "exit $gannet_code\n",
      o->nonce);
}

static gannet_err render(const gannet_program *program, const char *name,
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

/* A user's script that is a job by itself takes the place of this one, so that signals of SLURM to
 * the job's script reach it; how it ends, SLURM tells. */
static gannet_err write_own(const order *o, const gannet_command_line *command_line,
                            const users_script *own, gannet_text *to) {
  if (own)
    GANNET_TRY(gannet_slurm_put_users_options(to, o->program, own->text.text));
  else
    GANNET_TRY(gannet_slurm_put_options(to, o->program, &o->options->sbatch));
  GANNET_TRY(gannet_slurm_put_functions(to));
  GANNET_TRY(put_head(to, o));
  GANNET_TRY(put_claim(to, o));
  GANNET_TRY(put_checks(to, o, own ? own->path : NULL));
  GANNET_TRY(put_environment(to, &command_line->environment));
  if (own && !o->element) {
    GANNET_TRY(gannet_slurm_put(to, "[ -s gannet.log ] || rm -f gannet.log\nexec "));
    GANNET_TRY(put_interpreter(to, &own->text));
    GANNET_TRY(gannet_slurm_put_word(to, own->path));
    return gannet_slurm_put(to, " >&3 2>&4 3>&- 4>&-\n");
  }
  GANNET_TRY(put_command(to, o->program, command_line, own));
  GANNET_TRY(put_fetch(to, o->attempt->directory));
  return put_outcome(to, o);
}

static gannet_err write_all(const order *o, gannet_command_line *command_line) {
  const char *const users = o->options->script && *o->options->script ? o->options->script : NULL;
  const char *const directory = o->attempt->directory;
  users_script own = {.path = "./script.sh"};
  gannet_text to = {0};
  GANNET_TRY(gannet_command_line_create(o->program, o->request, directory, o->attempt->slot,
                                        command_line));
  const gannet_attempt_handover handover = {o->attempt->slot, o->attempt->submitted, o->element};
  GANNET_TRY(gannet_contract_prepare(&o->program->contract, o->request, &command_line->bindings,
                                     directory, &handover));
  gannet_err err =
      users ? render(o->program, users, &command_line->bindings, &own.text) : GANNET_OK;
  if (users && err == GANNET_OK) err = gannet_slurm_save_script(directory, own.path, &own.text);
  if (err == GANNET_OK) err = write_own(o, command_line, users ? &own : NULL, &to);
  if (err == GANNET_OK) err = gannet_slurm_save_script(directory, "job.sh", &to);
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
  const gannet_err err = write_all(&o, &command_line);
  *environment = command_line.environment;
  command_line.environment = (gannet_text_list){0};
  gannet_command_line_release(&command_line);
  return err;
}

bool gannet_slurm_ends_options(const char *line) {
  line += strspn(line, " \t\r");
  return *line != '\0' && *line != '\n' && *line != '#';
}

static void clean(char *name) {
  for (; *name; ++name)
    if (!isalnum((unsigned char)*name) && !strchr("-_.", *name)) *name = '_';
}

void gannet_slurm_job_name(const char *campaign, int64_t id, uint64_t nonce, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-%06lld-%016llx", campaign, (long long)id,
                 (unsigned long long)nonce);
  clean(name);
}

void gannet_slurm_step_name(const char *campaign, const char *directory, char *name) {
  (void)snprintf(name, GANNET_SLURM_NAME, "%.60s-step-%016llx", campaign,
                 (unsigned long long)gannet_hash(directory, strlen(directory)));
  clean(name);
}
