/* What can be seen to be wrong with the options of the slurm back-end before a job is submitted. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "evaluate/slurm/script_common.h"

static void check_tool(const char *key, const char *program, const gannet_evaluator_setup *setup,
                       gannet_complaints *complaints) {
  char path[PATH_MAX];
  const int reason = gannet_command_find(program, setup->input_directory, path);
  if (reason)
    gannet_complain(complaints, key,
                    "cannot run '%s': %s (searched in PATH); load the site's "
                    "SLURM, or choose backend: command",
                    program, strerror(reason));
}

/* An option of sbatch. It takes names that are cut short as long as no other option begins so; the
 * shortest ones here are those of SLURM 22.05. A version with more options refuses such a name. */
typedef struct {
  const char *name, *shortest, *letter;
} option;

/* Options with which a job would not be one run of one evaluation that gannet waits for. */
static const struct {
  option option;
  const char *why;
} refused[] = {
    {{"--array", "--ar", "-a"},
     "every element would run the same evaluation; say submit: array instead"},
    {{"--clusters", "--cluster", "-M"},
     "squeue and scancel would ask another cluster; set SLURM_CLUSTERS in the environment, which "
     "they heed as sbatch does"},
    {{"--test-only", "--te", NULL}, "nothing would be submitted"},
    {{"--wait", "--wait", "-W"},
     "sbatch would not answer before the job has ended; gannet waits by itself"},
    {{"--wrap", "--wr", NULL}, "the evaluation would not be run; say command or script instead"},
};

/* Options that gannet itself gives to sbatch, so that the user's do not hold. This is only a
 * warning: scripts that were written for other purposes have them, and so may a campaign that is
 * resumed. */
static const struct {
  option option;
  const char *why;
  bool with_limit; /* only where evaluate.time_limit is set */
} replaced[] = {
    {{"--output", "--ou", "-o"},
     "what a run prints is kept as stdout.log in the evaluation's directory",
     false},
    {{"--error", "--er", "-e"},
     "what a run prints is kept as stderr.log in the evaluation's directory",
     false},
    {{"--chdir", "--ch", "-D"},
     "a run is started in its evaluation's directory; write {input_directory}/NAME for files "
     "beside the campaign file",
     false},
    {{"--job-name", "--j", "-J"}, "gannet finds its jobs by their names", false},
    {{"--time", "--time", "-t"},
     "the job gets evaluate.time_limit for each of the runs that follow each other in it",
     true},
};

/* How many tasks a job asks for. 0 = not said. */
typedef struct {
  long tasks, nodes, tasks_per_node;
  bool is_open; /* more than that may be had: whole nodes, tasks by sockets or GPUs */
  bool has_gpus;
} extent;

/* What was read so far of the options of a job, in evaluate.sbatch or in a script. */
typedef struct {
  const char *key;
  bool of_script;
  const gannet_evaluator_setup *setup;
  gannet_complaints *complaints;
  const gannet_needs *needs; /* where evaluate.resources are given, else NULL */
  double time_limit;         /* of a run; INFINITY = none */
  char replaced[120];        /* names of options in a script, "" = none */
  extent extent;
} reading;

static bool is_option(const char *word, size_t size, const option *o) {
  const size_t said = strcspn(word, "=") < size ? strcspn(word, "=") : size;
  if (said >= strlen(o->shortest) && said <= strlen(o->name) && strncmp(word, o->name, said) == 0)
    return true;
  return o->letter && size >= 2 && strncmp(word, o->letter, 2) == 0;
}

static void note_replaced(reading *r, size_t which, const char *word, size_t size) {
  const size_t used = strlen(r->replaced);
  if (r->of_script)
    (void)snprintf(r->replaced + used, sizeof r->replaced - used, "%s%s", used ? ", " : "",
                   replaced[which].option.name);
  else
    gannet_evaluator_warn(r->setup, r->key, "leave out '%.*s', which does not hold: %s", (int)size,
                          word, replaced[which].why);
}

/* Read the number of "--ntasks=4", "--ntasks 4", "-n4" or "-n 4"; another option leaves it as it
 * is. */
static void read_number(const char *word, size_t size, const option *o, long *number) {
  if (!is_option(word, size, o)) return;
  const char *value = word + (word[1] == '-' ? strcspn(word, "= \t\r\n") : 2);
  *number = strtol(value + (*value == '='), NULL, 10);
}

static void read_extent(extent *e, const char *word, size_t size) {
  static const option open[] = {{"--exclusive", "--exclus", NULL},
                                {"--ntasks-per-socket", "--ntasks-per-s", NULL},
                                {"--ntasks-per-gpu", "--ntasks-per-g", NULL}};
  static const option tasks = {"--ntasks", "--ntasks", "-n"}, nodes = {"--nodes", "--nodes", "-N"};
  static const option per_node[] = {{"--ntasks-per-node", "--ntasks-per-n", NULL},
                                    {"--tasks-per-node", "--ta", NULL}};
  static const option gpus[] = {{"--gpus", "--gpus", "-G"},
                                {"--gpus-per-node", "--gpus-per-n", NULL},
                                {"--gres", "--gr", NULL}};
  for (size_t i = 0; i < sizeof gpus / sizeof *gpus; ++i)
    e->has_gpus = e->has_gpus || is_option(word, size, &gpus[i]);
  for (size_t i = 0; i < sizeof open / sizeof *open; ++i)
    e->is_open = e->is_open || is_option(word, size, &open[i]);
  read_number(word, size, &tasks, &e->tasks);
  read_number(word, size, &nodes, &e->nodes);
  for (size_t i = 0; i < sizeof per_node / sizeof *per_node; ++i)
    read_number(word, size, &per_node[i], &e->tasks_per_node);
}

static void read_word(reading *r, const char *word, size_t size) {
  read_extent(&r->extent, word, size);
  if (r->needs) gannet_slurm_resources_check_word(r->needs, r->key, word, size, r->complaints);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i)
    if (is_option(word, size, &refused[i].option))
      gannet_complain(r->complaints, r->key, "leave out '%.*s': with %s %s", (int)size, word,
                      refused[i].option.name, refused[i].why);
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; ++i)
    if (is_option(word, size, &replaced[i].option) &&
        (!replaced[i].with_limit || isfinite(r->time_limit)))
      note_replaced(r, i, word, size);
}

/* Read the words of an entry of evaluate.sbatch, or of a line #SBATCH of a script. */
static void read_line(reading *r, const char *line) {
  static const char blank[] = " \t\r\n";
  for (const char *at = line + strspn(line, blank); *at && *at != '#'; at += strspn(at, blank)) {
    const size_t size = strcspn(at, blank);
    read_word(r, at, size);
    at += size;
  }
}

/* Complain about a script that sbatch refuses, or the kernel, which starts it in a job of several
 * runs.
 */
static void check_form(const reading *r, const char *name, const char *text) {
  static const char blank[] = " \t\r\n";
  if (!text[strspn(text, blank)])
    gannet_complain(r->complaints, r->key, "'%s' is empty; expected a job script", name);
  else if (strncmp(text, "#!", 2) != 0)
    gannet_complain(r->complaints, r->key,
                    "'%s' does not say what it is to be run by; expected a first line such as "
                    "#!/bin/bash",
                    name);
  if (strstr(text, "\r\n"))
    gannet_complain(
        r->complaints, r->key,
        "'%s' has the line ends of DOS, which sbatch refuses; expected those of Unix, which "
        "`sed -i 's/\\r$//' %s` makes of them",
        name, name);
}

static void read_directives(reading *r, const char *name, const char *path) {
  static const char mark[] = "#SBATCH";
  char *text = NULL;
  if (gannet_file_read(path, &text, NULL) != GANNET_OK) gannet_error_clear();
  if (text) check_form(r, name, text);
  for (char *line = text; line && *line && !gannet_slurm_ends_options(line);) {
    char *end = strchr(line, '\n');
    if (end) *end++ = '\0';
    if (strncmp(line, mark, sizeof mark - 1) == 0) read_line(r, line + sizeof mark - 1);
    line = end;
  }
  gannet_free(&text);
}

static void read_script(reading *r, const gannet_slurm_options *given,
                        const gannet_evaluator_setup *setup) {
  char path[PATH_MAX];
  const char *start = given->script[0] == '/'  ? ""
                      : setup->input_directory ? setup->input_directory
                                               : ".";
  if (snprintf(path, sizeof path, "%s/%s", start, given->script) >= (int)sizeof path ||
      access(path, R_OK))
    gannet_complain(r->complaints, r->key,
                    "cannot read '%s': %s (relative paths start from the campaign file, or from "
                    "input_directory)",
                    given->script, strerror(errno));
  else
    read_directives(r, given->script, path);
  if (r->replaced[0])
    gannet_evaluator_warn(
        setup, r->key,
        "its lines #SBATCH with %s do not hold: gannet names its jobs, runs "
        "them in the directories of their evaluations, keeps what they print there%s",
        r->replaced, isfinite(r->time_limit) ? ", and gives them their evaluate.time_limit" : "");
  if (given->sbatch.n > 0)
    gannet_complain(
        r->complaints, "evaluate.sbatch",
        "leave it out, and write its options into the script, as lines that begin with #SBATCH");
}

static void read_list(reading *r, const gannet_text_list *sbatch) {
  for (int i = 0; i < sbatch->n; ++i) {
    if (sbatch->item[i][0] != '-' || strpbrk(sbatch->item[i], "\r\n"))
      gannet_complain(r->complaints, r->key,
                      "'%s' is no option of sbatch; expected one such as --partition=short",
                      sbatch->item[i]);
    read_line(r, sbatch->item[i]);
  }
}

static void check_runs(const gannet_slurm_options *given, gannet_complaints *complaints) {
  if (given->runs_at_once > given->runs_per_job)
    gannet_complain(complaints, "evaluate.runs_at_once",
                    "%d runs at once, but a job has only %d: set runs_per_job as well",
                    given->runs_at_once, given->runs_per_job);
  if (given->step.n > 0 && given->runs_at_once == 1)
    gannet_complain(complaints, "evaluate.step",
                    "is for several runs at once; set runs_at_once above 1, or leave it out");
}

/* Warn when not all runs at once have room in the job: srun lets a step wait until it has. */
static void warn_of_waiting(const reading *r, const gannet_slurm_options *given) {
  /* As sbatch counts, which gives a job one task on every node when nothing else is said. */
  const extent *e = &r->extent;
  const long nodes = e->nodes > 0 ? e->nodes : 1;
  const long tasks = e->tasks > 0            ? e->tasks
                     : e->tasks_per_node > 0 ? nodes * e->tasks_per_node
                                             : nodes;
  if (given->step.n > 0) return;
  if (e->has_gpus && given->runs_at_once > 1)
    gannet_evaluator_warn(
        r->setup, "evaluate.runs_at_once",
        "%s asks for GPUs, and each run would have all of them, so "
        "that the runs would wait for each other; leave them out there, and write how many "
        "one run needs in evaluate.resources.gpus",
        r->key);
  if (e->is_open || tasks >= given->runs_at_once) return;
  gannet_evaluator_warn(
      r->setup, "evaluate.runs_at_once",
      "%d runs at once, but %s asks for %ld task%s, so only that many "
      "runs fit, and the others wait; expected --ntasks=%d, or --exclusive where jobs "
      "have whole nodes",
      given->runs_at_once, r->key, tasks, tasks == 1 ? "" : "s", given->runs_at_once);
}

/* Write the real path of a directory that may not exist yet. When its parent does not exist either,
 * the path is left as it is. */
static void resolve(const char *directory, char *full) {
  char above[PATH_MAX], parent[PATH_MAX];
  if (realpath(directory, full)) return;
  gannet_directory_of(directory, above, sizeof above);
  const char *start = realpath(above, parent) ? parent : above;
  if (gannet_join_path(start, gannet_file_name_of(directory), full, PATH_MAX) == GANNET_OK) return;
  gannet_error_clear();
  (void)snprintf(full, PATH_MAX, "%s", directory);
}

/* Complain about a backslash in the path of the campaign. SLURM removes it from the path of a job's
 * output; version 22.05 can then begin no job there (JobLaunchFailure). */
static void check_directory(const char *campaign, gannet_complaints *complaints) {
  char full[PATH_MAX];
  if (!campaign || !campaign[0]) return; /* not known yet */
  resolve(campaign, full);
  if (strchr(full, '\\'))
    gannet_complain(
        complaints, "evaluate.backend",
        "SLURM starts no job in '%s', because it takes the backslash out of the path of "
        "the job's output; choose a directory without one, with --directory, or rename "
        "it",
        full);
}

gannet_err gannet_slurm_check(const void *any, const gannet_evaluator_setup *of_campaign,
                              gannet_complaints *complaints) {
  const gannet_slurm_options *given = any;
  gannet_evaluator_setup in_jobs = *of_campaign, *setup = &in_jobs;
  gannet_needs needs = {0};
  in_jobs.starts_jobs = given->runs_at_once == 1;
  in_jobs.place_is_late = true;
  if (setup->resources) {
    const gannet_err err =
        gannet_needs_create(setup->resources, setup->problem, complaints, &needs);
    if (err != GANNET_OK) gannet_needs_release(&needs);
    GANNET_TRY(err);
  }
  const bool has_script = given->script && *given->script;
  reading list = {.key = "evaluate.sbatch",
                  .setup = setup,
                  .complaints = complaints,
                  .needs = setup->resources && setup->problem ? &needs : NULL,
                  .time_limit = setup->time_limit};
  reading script = list;
  script.key = "evaluate.script";
  script.of_script = true;
  check_tool("evaluate.sbatch_command", given->commands.sbatch, setup, complaints);
  check_tool("evaluate.squeue_command", given->commands.squeue, setup, complaints);
  check_tool("evaluate.scancel_command", given->commands.scancel, setup, complaints);
  check_directory(setup->campaign, complaints);
  read_list(&list, &given->sbatch);
  check_runs(given, complaints);
  gannet_command_check_lines(&given->command, setup, "evaluate.sbatch", &given->sbatch, complaints);
  gannet_command_check_lines(&given->command, setup, "evaluate.step", &given->step, complaints);
  if (has_script) {
    read_script(&script, given, setup);
    gannet_command_check_script(&given->command, setup, given->script, complaints);
  }
  if (!setup->resources) warn_of_waiting(has_script ? &script : &list, given);
  if (setup->resources && setup->resources->nodes > 1 && given->runs_at_once > 1)
    gannet_complain(complaints, "evaluate.resources.nodes",
                    "%d nodes for a simulation, but runs_at_once: %d has several in one job, each "
                    "on one node; expected 1, or runs_at_once: 1",
                    setup->resources->nodes, given->runs_at_once);
  gannet_needs_release(&needs);
  return gannet_command_check_parts(&given->command, has_script, setup, complaints);
}
