/* The job script of an evaluation: the user's own with its placeholders replaced, or one that keeps
 * the file contract by itself.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomic_file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/open_file.h"
#include "base/text.h"
#include "evaluate/slurm.h"

static gannet_err put(gannet_text *to, const char *text) {
  return gannet_text_add(to, text, strlen(text));
}

static gannet_err put_options(gannet_text *to, const gannet_text_list *options) {
  GANNET_TRY(put(to, "#!/bin/sh\n"));
  for (int i = 0; i < options->n; ++i) {
    GANNET_TRY(put(to, "#SBATCH "));
    GANNET_TRY(put(to, options->item[i]));
    GANNET_TRY(put(to, "\n"));
  }
  return GANNET_OK;
}

/* A text as one word of the shell: 'it'\''s'. */
static gannet_err put_word(gannet_text *to, const char *text) {
  char piece[2] = "";
  GANNET_TRY(put(to, "'"));
  for (; *text; ++text) {
    piece[0] = *text;
    GANNET_TRY(put(to, *text == '\'' ? "'\\''" : piece));
  }
  return put(to, "'");
}

GANNET_PRINTF(2, 3) static gannet_err put_line(gannet_text *to, const char *format, ...) {
  char line[600];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return put(to, line);
}

static gannet_err put_head(gannet_text *to, const gannet_slurm_options *options,
                           const gannet_request *request, const char *directory) {
  GANNET_TRY(put_options(to, &options->sbatch));
  GANNET_TRY(put_line(to, "# Evaluation %lld, attempt %d; written by gannet.\ncd ",
                      (long long)request->id, request->attempt));
  GANNET_TRY(put_word(to, directory));
  /* A job that its controller gave up, and that starts all the same, must not run beside the next
   * attempt. */
  GANNET_TRY(put_line(to,
                      " || exit 1\n"
                      "grep -q '\"%016llx\"' attempt.json || {\n"
                      "  echo 'another attempt has taken the place of this one' >&2\n"
                      "  exit 0\n"
                      "}\n",
                      (unsigned long long)request->nonce));
  /* A job that SLURM puts back into the queue begins anew, but not what had succeeded; unless its
   * output is needed, which SLURM has emptied by now. */
  if (options->command.pattern.n == 0)
    GANNET_TRY(put_line(to,
                        "[ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] ||\n"
                        "  ! grep -q '\"%016llx\".*\"exit_code\": 0,' outcome.json || exit 0\n",
                        (unsigned long long)request->nonce));
  return put(to, "rm -f results.out outcome.json\n");
}

static gannet_err put_environment(gannet_text *to, const gannet_text_list *environment) {
  for (int i = 0; i < environment->n; ++i) {
    const char *item = environment->item[i], *value = strchr(item, '=');
    if (!value || value - item > 200) continue; /* check has complained */
    GANNET_TRY(put_line(to, "export %.*s=", (int)(value - item), item));
    GANNET_TRY(put_word(to, value + 1));
    GANNET_TRY(put(to, "\n"));
  }
  return GANNET_OK;
}

/* The limit is kept on the node, to the second: SLURM's own counts minutes and stands behind it. */
static gannet_err put_command(gannet_text *to, const gannet_program *program,
                              const gannet_papers *papers, const char *own_script) {
  const double grace = program->options->kill_grace;
  char how[40] = "-s KILL"; /* -k 0 would never kill */
  if (grace > 0) (void)snprintf(how, sizeof how, "-k %g", grace);
  GANNET_TRY(put(to, "started=$(date +%s)\n"));
  if (isfinite(program->rules.time_limit))
    GANNET_TRY(put_line(to,
                        "limit=\ncommand -v timeout >/dev/null && limit='timeout %s %.3f'\n"
                        "$limit ",
                        how, program->rules.time_limit));
  GANNET_TRY(put_word(to, own_script ? own_script : program->program));
  for (int i = 1; i < papers->arguments.n && !own_script; ++i) {
    GANNET_TRY(put(to, " "));
    GANNET_TRY(put_word(to, papers->arguments.item[i]));
  }
  return put(to, "\ncode=$?\nended=$(date +%s)\n");
}

/* The directory of an attempt that was given up has another name by now, and results that were
 * written to a path lie in that of its successor. */
static gannet_err put_fetch(gannet_text *to, const char *directory) {
  GANNET_TRY(put(to, "[ $code != 0 ] || [ -e results.out ] || cp "));
  GANNET_TRY(put_word(to, directory));
  return put(to, "/results.out . 2>/dev/null\n");
}

/* A shell reports a signal as 128 + its number, unless that is a code by which the simulation says
 * that a design is bad. */
static gannet_err put_signal(gannet_text *to, const gannet_real_list *codes) {
  GANNET_TRY(put(to, "case '"));
  for (int i = 0; i < codes->n; ++i) GANNET_TRY(put_line(to, " %.0f", codes->item[i]));
  return put(to,
             " ' in\n"
             "  *\" $code \"*) ;;\n"
             "  *) if [ $code -gt 128 ] && [ $code -lt 193 ]; then\n"
             "       signal=$((code - 128)) exit=-1\n"
             "     fi ;;\n"
             "esac\n");
}

/* The word of timeout is 124, or 137 when it had to kill. */
static gannet_err put_outcome(gannet_text *to, const gannet_program *program, uint64_t nonce) {
  GANNET_TRY(put(to, "over=false signal=0 exit=$code\n"));
  if (isfinite(program->rules.time_limit))
    GANNET_TRY(put_line(to,
                        "if [ -n \"$limit\" ] && [ $((ended - started)) -ge %.0f ]; then\n"
                        "  case $code in 124 | 137) over=true ;; esac\n"
                        "fi\n",
                        floor(program->rules.time_limit)));
  GANNET_TRY(put_signal(to, program->rules.cannot_run));
  return put_line(to,
                  "printf '{\"nonce\": \"%016llx\", \"pid\": %%d, \"exit_code\": %%d, "
                  "\"signal\": %%d, \"time_limit\": %%s, \"started\": %%d, \"ended\": %%d, "
                  "\"host\": \"%%s\"}\\n' \\\n"
                  "  $$ $exit $signal $over $started $ended \"$(hostname)\" >outcome.part &&\n"
                  "  mv outcome.part outcome.json\n"
                  "exit $code\n",
                  (unsigned long long)nonce);
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

static gannet_err save(const char *directory, const char *name, const gannet_text *from) {
  char path[PATH_MAX];
  GANNET_TRY(gannet_join_path(directory, name, path, sizeof path));
  GANNET_TRY(gannet_file_replace(path, from->text, from->used));
  return chmod(path, 0755) ? gannet_raise_errno("make executable", path) : GANNET_OK;
}

static gannet_err save_users(const gannet_program *program, const char *script,
                             const gannet_bindings *bindings, const char *directory,
                             const char *name) {
  gannet_text to = {0};
  gannet_err err = render(program, script, bindings, &to);
  if (err == GANNET_OK) err = save(directory, name, &to);
  gannet_free(&to.text);
  return err;
}

/* What one evaluation's script is made for. */
typedef struct {
  const gannet_program *program;
  const gannet_slurm_options *options;
  const gannet_request *request;
  const gannet_flight *flight;
  const gannet_contract_place *place;
} order;

/* own_script  the user's, which this one starts; NULL = the command */
static gannet_err write_own(const order *o, const gannet_papers *papers, const char *own_script,
                            gannet_text *to) {
  GANNET_TRY(put_head(to, o->options, o->request, o->flight->directory));
  GANNET_TRY(put_environment(to, &papers->environment));
  GANNET_TRY(put_command(to, o->program, papers, own_script));
  GANNET_TRY(put_fetch(to, o->flight->directory));
  return put_outcome(to, o->program, o->request->nonce);
}

static gannet_err write_all(const order *o, gannet_papers *papers) {
  const char *const users = o->options->script && *o->options->script ? o->options->script : NULL;
  gannet_text to = {0};
  GANNET_TRY(
      gannet_papers_create(o->program, o->request, o->flight->directory, o->flight->slot, papers));
  const gannet_contract_handover handover = {o->flight->slot, o->flight->submitted, o->place};
  GANNET_TRY(gannet_contract_prepare(&o->program->contract, o->request, &papers->bindings,
                                     o->flight->directory, &handover));
  if (users)
    GANNET_TRY(save_users(o->program, users, &papers->bindings, o->flight->directory,
                          o->place ? "script.sh" : "job.sh"));
  if (users && !o->place) return GANNET_OK;
  gannet_err err = write_own(o, papers, users ? "./script.sh" : NULL, &to);
  if (err == GANNET_OK) err = save(o->flight->directory, "job.sh", &to);
  gannet_free(&to.text);
  return err;
}

gannet_err gannet_slurm_script_write(const gannet_program *program,
                                     const gannet_slurm_options *options,
                                     const gannet_request *request, const gannet_flight *flight,
                                     const gannet_contract_place *place,
                                     gannet_text_list *environment) {
  gannet_papers papers = {0};
  const order o = {program, options, request, flight, place};
  const gannet_err err = write_all(&o, &papers);
  *environment = papers.environment;
  papers.environment = (gannet_text_list){0};
  gannet_papers_release(&papers);
  return err;
}

bool gannet_slurm_ends_options(const char *line) {
  line += strspn(line, " \t\r");
  return *line != '\0' && *line != '\n' && *line != '#';
}

/* The lines #SBATCH of the user's own script, as it is for the first evaluation. */
static gannet_err put_users_options(gannet_text *to, const char *directory) {
  char path[PATH_MAX], *text = NULL;
  GANNET_TRY(put(to, "#!/bin/sh\n"));
  GANNET_TRY(gannet_join_path(directory, "script.sh", path, sizeof path));
  GANNET_TRY(gannet_file_read(path, &text, NULL));
  gannet_err err = GANNET_OK;
  for (char *at = text; *at && err == GANNET_OK && !gannet_slurm_ends_options(at);) {
    const size_t size = strcspn(at, "\n");
    const char after = at[size];
    at[size] = '\0';
    if (strncmp(at, "#SBATCH", 7) == 0) {
      err = put(to, at);
      if (err == GANNET_OK) err = put(to, "\n");
    }
    at += size + (after != '\0');
  }
  gannet_free(&text);
  return err;
}

/* Which evaluations an element of the array runs: pairs of a directory and a nonce. */
static gannet_err put_parts(gannet_text *to, int n, const gannet_slurm_part *parts, int runs) {
  GANNET_TRY(put(to, "case ${SLURM_ARRAY_TASK_ID:-0} in\n"));
  for (int i = 0; i < n; ++i) {
    if (i % runs == 0) GANNET_TRY(put_line(to, "%d) set --", i / runs));
    GANNET_TRY(put(to, " \\\n  "));
    GANNET_TRY(put_word(to, parts[i].directory));
    GANNET_TRY(put_line(to, " %016llx", (unsigned long long)parts[i].nonce));
    if (i % runs == runs - 1 || i == n - 1) GANNET_TRY(put(to, " ;;\n"));
  }
  return put(to, "*) exit 1 ;;\nesac\n");
}

static gannet_err put_step(gannet_text *to, const gannet_slurm_options *options) {
  if (options->runs_at_once == 1) return GANNET_OK;
  if (options->step.n == 0) /* srun does not take over sbatch's --cpus-per-task by itself */
    return put(to,
               "srun --exact --nodes=1 --ntasks=1 --cpus-per-task=\"${SLURM_CPUS_PER_TASK:-1}\" ");
  for (int i = 0; i < options->step.n; ++i) {
    GANNET_TRY(put_word(to, options->step.item[i]));
    GANNET_TRY(put(to, " "));
  }
  return GANNET_OK;
}

/* Each lane takes every runs_at_once-th run. What was replaced, or had succeeded before SLURM put
 * the job back into the queue, is not run: not even its files are touched. */
static gannet_err put_lanes(gannet_text *to, const gannet_slurm_options *options) {
  GANNET_TRY(put_line(to,
                      "run() {\n"
                      "  cd \"$1\" && grep -q \"\\\"$2\\\"\" attempt.json || return\n"
                      "  ! grep -q \"\\\"$2\\\".*\\\"exit_code\\\": 0,\" outcome.json "
                      "2>/dev/null || return\n  "));
  GANNET_TRY(put_step(to, options));
  return put_line(to,
                  "sh ./job.sh >stdout.log 2>stderr.log </dev/null\n"
                  "}\n"
                  "lane() {\n"
                  "  lane=$1 n=0\n"
                  "  shift\n"
                  "  while [ $# -ge 2 ]; do\n"
                  "    [ $((n %% %d)) != \"$lane\" ] || run \"$1\" \"$2\"\n"
                  "    n=$((n + 1))\n"
                  "    shift 2\n"
                  "  done\n"
                  "}\n"
                  "first=0\n"
                  "while [ $first -lt %d ]; do\n"
                  "  lane $first \"$@\" &\n"
                  "  first=$((first + 1))\n"
                  "done\n"
                  "wait\n",
                  options->runs_at_once, options->runs_at_once);
}

static gannet_err write_shipment(const gannet_slurm_options *options, int n,
                                 const gannet_slurm_part *parts, gannet_text *to) {
  if (options->script && *options->script)
    GANNET_TRY(put_users_options(to, parts[0].directory));
  else
    GANNET_TRY(put_options(to, &options->sbatch));
  GANNET_TRY(put_line(to, "# %d evaluations; written by gannet.\n", n));
  GANNET_TRY(put_parts(to, n, parts, options->runs_per_job));
  return put_lanes(to, options);
}

gannet_err gannet_slurm_script_ship(const gannet_slurm_options *options, int n,
                                    const gannet_slurm_part *parts, const char *directory) {
  gannet_text to = {0};
  gannet_err err = write_shipment(options, n, parts, &to);
  if (err == GANNET_OK) err = save(directory, "job.sh", &to);
  gannet_free(&to.text);
  return err;
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
