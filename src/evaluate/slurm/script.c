/* The job script of one evaluation: of a job of its own, or of a run in a job of several.
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
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/contract/case_folder.h"
#include "evaluate/slurm/script_common.h"

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

/* Begin the script of an evaluation: where its own words go, and whether its attempt is still
 * wanted. The output of a job of its own is that of the simulation; in a job of several the files
 * for that are opened later. */
static gannet_err put_head(gannet_text *to, const order *o) {
  const char *nonce = o->nonce;
  GANNET_TRY(gannet_text_print(to,
                               "# Evaluation %lld, attempt %d; written by gannet.\n"
                               "%s"
                               "cd ",
                               (long long)o->request->id, o->request->attempt,
                               o->element ? "exec 2>/dev/null\n" : "exec 3>&1 4>&2 2>/dev/null\n"));
  GANNET_TRY(gannet_slurm_script_word(to, o->attempt->directory));
  GANNET_TRY(gannet_text_print(
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
    GANNET_TRY(gannet_text_print(
        to,
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
  return gannet_text_print(
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
  GANNET_TRY(gannet_slurm_script_checksum(directory, name, &s));
  GANNET_TRY(gannet_text_put(to, "  gannet_check "));
  GANNET_TRY(gannet_slurm_script_word(to, name));
  return gannet_text_print(to, " %lu %zu\n", (unsigned long)s.sum, s.size);
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
  GANNET_TRY(gannet_text_put(
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
  GANNET_TRY(put_case_checks(to, o));
  if (own_script) GANNET_TRY(put_check(to, directory, own_script));
  GANNET_TRY(gannet_text_put(to, "fi\n"));
  if (!own_script) {
    GANNET_TRY(gannet_text_put(to, "for gannet_pause in 1 2 0; do\n  [ ! -x "));
    GANNET_TRY(gannet_slurm_script_word(to, o->program->program));
    GANNET_TRY(gannet_text_put(to,
                               " ] || break\n"
                               "  [ $gannet_pause != 0 ] || gannet_refuse "));
    GANNET_TRY(gannet_slurm_script_word(to, o->program->program));
    GANNET_TRY(gannet_text_put(to,
                               "' cannot be run here: it is not there, or not executable'\n"
                               "  sleep $gannet_pause\n"
                               "done\n"));
  }
  return gannet_text_print(to,
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
  GANNET_TRY(gannet_text_put(
      to,
      "GANNET_HOSTS=${SLURM_STEP_NODELIST:-${SLURM_JOB_NODELIST:-${SLURMD_NODENAME:-}}}\n"
      "case $GANNET_HOSTS in *\\[*)\n"
      "  gannet_hosts=$(scontrol show hostnames \"$GANNET_HOSTS\" | tr '\\n' ',')\n"
      "  [ -z \"$gannet_hosts\" ] || GANNET_HOSTS=${gannet_hosts%,} ;;\n"
      "esac\n"
      "export GANNET_HOSTS\n"));
  if (!needs->given->gpus) return GANNET_OK;
  return gannet_text_put(
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
    GANNET_TRY(gannet_text_print(to, "export %.*s=", (int)(value - item), item));
    GANNET_TRY(gannet_slurm_script_word(to, value + 1));
    GANNET_TRY(gannet_text_put(to, "\n"));
  }
  return GANNET_OK;
}

/* Keep mpirun from binding ranks where a job or step may use more processors than it has: on a
 * cluster that confines no job every mpirun would bind to the first cores of the node, although
 * other simulations may run there. Runs whose `step` starts no step of SLURM share the job's
 * processors. OMP_NUM_THREADS is emptied because nproc obeys it. */
static gannet_err put_no_binding(gannet_text *to, const order *o) {
  const bool may_share = o->element && o->options->runs_at_once > 1 && o->options->step.n > 0;
  GANNET_TRY(gannet_text_put(to,
                             "gannet_seen=$(OMP_NUM_THREADS= OMP_THREAD_LIMIT= nproc 2>/dev/null)\n"
                             "gannet_granted=${SLURM_CPUS_ON_NODE:-}\n"));
  if (may_share)
    GANNET_TRY(gannet_text_put(to, "[ -n \"${SLURM_STEP_ID:-}\" ] || gannet_granted=0\n"));
  return gannet_text_put(to,
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
  GANNET_TRY(gannet_slurm_script_word(to, word));
  GANNET_TRY(gannet_text_put(to, " "));
  line += size + strspn(line + size, " \t");
  size_t rest = strcspn(line, "\n");
  while (rest > 0 && strchr(" \t", line[rest - 1])) --rest;
  if (rest == 0) return GANNET_OK;
  (void)snprintf(word, sizeof word, "%.*s", (int)rest, line);
  GANNET_TRY(gannet_slurm_script_word(to, word));
  return gannet_text_put(to, " ");
}

/* Keep the time limit on the node, to the second; SLURM's own limit counts minutes and comes later.
 * The inner shell sends what timeout says to gannet.log. */
static gannet_err put_limit(gannet_text *to, const gannet_program *program) {
  const double grace = program->options->kill_grace;
  char how[40] = "-s KILL"; /* -k 0 would never kill */
  if (!isfinite(program->rules.time_limit)) return GANNET_OK;
  if (grace > 0) (void)snprintf(how, sizeof how, "-k %g", grace);
  GANNET_TRY(gannet_text_print(to,
                               "gannet_limit=\n"
                               "command -v timeout >/dev/null && gannet_limit='timeout %s %.3f'\n"
                               "$gannet_limit ",
                               how, program->rules.time_limit));
  GANNET_TRY(gannet_slurm_script_word(to, program->shell));
  return gannet_text_put(to, " -c 'exec \"$@\" >&3 2>&4 3>&- 4>&-' gannet ");
}

static gannet_err put_command(gannet_text *to, const gannet_program *program,
                              const gannet_command_line *command_line, const users_script *own) {
  GANNET_TRY(gannet_text_put(to, "gannet_began=$(date +%s)\n"));
  GANNET_TRY(put_limit(to, program));
  if (own) GANNET_TRY(put_interpreter(to, &own->text));
  GANNET_TRY(gannet_slurm_script_word(to, own ? own->path : program->program));
  for (int i = 1; i < command_line->arguments.n && !own; ++i) {
    GANNET_TRY(gannet_text_put(to, " "));
    GANNET_TRY(gannet_slurm_script_word(to, command_line->arguments.item[i]));
  }
  if (!isfinite(program->rules.time_limit)) GANNET_TRY(gannet_text_put(to, " >&3 2>&4 3>&- 4>&-"));
  return gannet_text_put(to, "\ngannet_code=$? gannet_ended=$(date +%s)\n");
}

/* Turn an exit code above 128 into a signal, as shells report signals so, unless the code is one by
 * which the simulation says that a design is bad. */
static gannet_err put_signal(gannet_text *to, const gannet_real_list *codes) {
  GANNET_TRY(gannet_text_put(to, "case '"));
  for (int i = 0; i < codes->n; ++i) GANNET_TRY(gannet_text_print(to, " %.0f", codes->item[i]));
  return gannet_text_put(to,
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
  GANNET_TRY(gannet_text_put(to, "gannet_over=false gannet_signal=0 gannet_exit=$gannet_code\n"));
  if (isfinite(rules->time_limit))
    GANNET_TRY(gannet_text_print(
        to,
        "if [ -n \"$gannet_limit\" ] && [ $((gannet_ended - gannet_began)) -ge %.0f ]; "
        "then\n"
        "  case $gannet_code in 124 | 137) gannet_over=true ;; esac\n"
        "fi\n",
        floor(rules->time_limit)));
  GANNET_TRY(put_signal(to, rules->cannot_run));
  return gannet_text_print(
      to,
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
  GANNET_TRY(gannet_slurm_script_begin(o->program, o->options, o->request,
                                       own ? own->text.text : NULL, to));
  GANNET_TRY(gannet_slurm_script_functions(to));
  GANNET_TRY(put_head(to, o));
  GANNET_TRY(put_claim(to, o));
  GANNET_TRY(put_checks(to, o, own ? own->path : NULL));
  GANNET_TRY(put_place(to, o));
  GANNET_TRY(put_environment(to, &command_line->environment));
  GANNET_TRY(put_no_binding(to, o));
  if (own && !o->element) {
    GANNET_TRY(gannet_text_put(to, "[ -s gannet.log ] || rm -f gannet.log\nexec "));
    GANNET_TRY(put_interpreter(to, &own->text));
    GANNET_TRY(gannet_slurm_script_word(to, own->path));
    return gannet_text_put(to, " >&3 2>&4 3>&- 4>&-\n");
  }
  GANNET_TRY(put_command(to, o->program, command_line, own));
  /* The directory of an attempt that was given up has another name by now, and results that were
   * written to a path lie in that of its successor. */
  GANNET_TRY(gannet_text_put(to, "[ $gannet_code != 0 ] || [ -e results.out ] || cp "));
  GANNET_TRY(gannet_slurm_script_word(to, o->attempt->directory));
  GANNET_TRY(gannet_text_put(to, "/results.out . 2>/dev/null\n"));
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
  if (users && err == GANNET_OK) err = gannet_slurm_script_save(directory, own.path, &own.text);
  if (err == GANNET_OK) err = put_script(o, command_line, users ? &own : NULL, &to);
  if (err == GANNET_OK) err = gannet_slurm_script_save(directory, "job.sh", &to);
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
