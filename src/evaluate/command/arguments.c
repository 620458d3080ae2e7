/* Terms
 *   script       the file with the simulation that an interpreter is given: sim.py of
 *                [mpirun, -n, 4, python3, -u, sim.py, out.py]
 *   starter      an installed program that starts another one on this machine: mpirun, env, nice.
 *                What follows any other program is for that to interpret: it may run in a
 *                container, or name files that are yet to be written
 */
#include "evaluate/command/arguments.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/near_path.h"
#include "evaluate/contract/case_folder.h"

static const char in_evaluation[] = "{directory}/";

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; ++list)
    if (strcmp(word, *list) == 0) return true;
  return false;
}

/* Whether a word is the name or path of an interpreter, perhaps with a version: python3.11. */
static bool names_interpreter(const char *word) {
  static const char *const known[] = {"python", "pypy", "sh",     "bash",    "dash",    "ksh",
                                      "zsh",    "perl", "ruby",   "julia",   "Rscript", "octave",
                                      "tclsh",  "lua",  "matlab", "gnuplot", NULL};
  char name[32];
  (void)snprintf(name, sizeof name, "%s", gannet_file_name_of(word));
  for (size_t n = strlen(name); n > 0 && strchr("0123456789.", name[n - 1]);) name[--n] = '\0';
  return is_one_of(name, known);
}

/* Whether a word is code rather than a path: "module load solver; ./run.sh". */
static bool is_code(const char *word) {
  return strpbrk(word, " \t\n;&|()<>\"'`$=") != NULL;
}

/* Whether what follows a word is looked for elsewhere: in a container, on another host, in another
 * working directory; or whether the next word is no file but code, or a module. Options may be
 * joined: "bash -lc". */
static bool leads_elsewhere(const char *word) {
  static const char *const programs[] = {
      "docker", "podman", "nerdctl", "apptainer", "singularity", "shifter", "sarus",
      "ch-run", "enroot", "ssh",     "flatpak",   "kubectl",     NULL};
  static const char *const options[] = {"-c",     "-e",     "-m",      "-E",   "-C",
                                        "-D",     "-r",     "-wd",     "--wd", "-wdir",
                                        "--wdir", "--eval", "--chdir", NULL};
  const size_t n = strlen(word);
  const bool is_joined =
      2 < n && n < 5 && word[0] == '-' && word[1] != '-' && strchr("ce", word[n - 1]);
  return is_joined || is_one_of(gannet_file_name_of(word), programs) || is_one_of(word, options) ||
         strncmp(word, "--chdir=", 8) == 0 || strncmp(word, "--container", 11) == 0;
}

int gannet_command_find_script(const gannet_text_list *command) {
  static const char *const endings[] = {".py", ".sh", ".bash", ".jl",  ".m",   ".R",
                                        ".r",  ".pl", ".rb",   ".lua", ".tcl", NULL};
  static const char *const starters[] = {
      "mpirun", "mpiexec", "orterun", "prterun", "srun",    "env",     "time", "nice", "ionice",
      "nohup",  "setsid",  "timeout", "stdbuf",  "taskset", "numactl", "chrt", NULL};
  const char *program = command->n > 0 ? command->item[0] : "";
  bool has_interpreter = names_interpreter(program);
  if (!has_interpreter && !is_one_of(gannet_file_name_of(program), starters)) return -1;
  for (int i = 1; i < command->n; ++i) {
    const char *word = command->item[i], *before = command->item[i - 1];
    const bool is_own = strncmp(word, "./", 2) == 0 || gannet_is_beside(word);
    const bool may_be_value = before[0] == '-' && !has_interpreter;
    if (leads_elsewhere(before)) return -1;
    if (strchr("-+", word[0]) || (is_code(word) && !is_own) || strcmp(word, "/dev/stdin") == 0)
      continue;
    if (names_interpreter(before) && has_interpreter) return i;
    if (may_be_value) continue;
    if (names_interpreter(word)) {
      has_interpreter = true;
      continue;
    }
    const char *ending = strrchr(gannet_file_name_of(word), '.');
    const bool ends_as_script = ending && is_one_of(ending, endings);
    if (ends_as_script && (has_interpreter || i == 1 || is_own)) return i;
    if (is_own) return -1;
  }
  return -1;
}

/* Whether the directory of each evaluation begins with a file of this name: templates and the case
 * folder are copied there. True also when the case folder cannot be found, which is complained of
 * elsewhere. */
static bool is_copied(const gannet_command_options *options, const char *input_directory,
                      const char *name) {
  const gannet_case a_case = {.copy = options->case_copy};
  char folder[PATH_MAX], path[PATH_MAX];
  if (strncmp(name, "./", 2) == 0) name += 2;
  for (int i = 0; i < options->templates.n; ++i)
    if (strcmp(gannet_file_name_of(options->templates.item[i]), name) == 0) return true;
  if (!a_case.copy) return false;
  if (gannet_case_find(&a_case, input_directory, folder) == GANNET_OK &&
      gannet_join_path(folder, name, path, sizeof path) == GANNET_OK)
    return access(path, F_OK) == 0;
  gannet_error_clear();
  return true;
}

/* Complain about a script that is not there. */
static void check_script(const gannet_command_options *options, const gannet_evaluator_setup *setup,
                         const char *script, gannet_complaints *complaints) {
  static const char key[] = "evaluate.command";
  const char *folder = setup->input_directory ? setup->input_directory : ".";
  const bool is_beside = gannet_is_beside(script);
  const bool is_relative = script[0] != '/' && !is_beside;
  char path[PATH_MAX], near[PATH_MAX];
  const char *name = script;
  if (is_beside) name += strlen(gannet_beside);
  if (strncmp(name, in_evaluation, strlen(in_evaluation)) == 0) name += strlen(in_evaluation);
  if (strncmp(name, "./", 2) == 0) name += 2;
  if (!name[0] || name[0] == '.' || strpbrk(name, "{}@<>$\\*")) return;
  for (int i = 0; i < options->placeholders.n; ++i) /* it may have other marks than braces */
    if (strpbrk(name, options->placeholders.item[i])) return;
  if (name[0] == '/' && setup->starts_jobs) return; /* it may be on the nodes of the jobs only */
  if (is_relative &&
      (is_copied(options, setup->input_directory, name) || gannet_contract_has_file(name)))
    return;
  /* A shell also searches its script in PATH. */
  if (is_relative && !strchr(script, '/') && gannet_command_find(script, NULL, path) == 0) return;
  const int size = snprintf(path, sizeof path, "%s/%s", name[0] == '/' ? "" : folder, name);
  if (size >= (int)sizeof path) return;
  const bool is_there = access(path, F_OK) == 0;
  if (is_there && is_relative) {
    gannet_complain(complaints, key,
                    "'%s' would be looked for in the directory of each evaluation, and it is in "
                    "'%s'; write \"{input_directory}/%s\", or list it under evaluate.templates",
                    script, folder, name);
    return;
  }
  if (is_there) return;
  gannet_find_near_path(folder, name, near, sizeof near);
  if (near[0])
    gannet_complain(complaints, key, "there is no '%s' in '%s'; did you mean \"%s%s\"?", name,
                    folder, name[0] == '/' ? "" : gannet_beside, near);
  else
    gannet_complain(complaints, key,
                    "there is no '%s' in '%s'; expected the path of a script, as in "
                    "\"{input_directory}/sim.py\" for one beside the campaign file",
                    name, folder);
}

/* Warn of an argument that names a file that is missing, or that is searched elsewhere. */
static void warn_of_argument(const gannet_command_options *options,
                             const gannet_evaluator_setup *setup, const char *argument) {
  char path[PATH_MAX];
  const char *start = setup->input_directory ? setup->input_directory : ".";
  const bool is_full = gannet_is_beside(argument);
  const char *name = is_full ? argument + strlen(gannet_beside) : argument;
  if (!is_full && !name[strspn(name, "./")]) return; /* . and .. are meant as they are */
  if (!name[0] || (!is_full && is_copied(options, setup->input_directory, argument))) return;
  if (is_full ? strchr(name, '{') != NULL : strchr("/-{", name[0]) != NULL) return;
  if (snprintf(path, sizeof path, "%s/%s", start, name) >= (int)sizeof path) return;
  const bool is_there = access(path, F_OK) == 0;
  if (is_full && !is_there)
    gannet_evaluator_warn(setup, "evaluate.command",
                          "there is no '%s' now; correct it, unless the simulation makes it", path);
  else if (!is_full && is_there)
    gannet_evaluator_warn(setup, "evaluate.command",
                          "'%s' is looked for in the directory of the evaluation; write "
                          "{input_directory}/%s or list it under templates",
                          name, strncmp(name, "./", 2) == 0 ? name + 2 : name);
}

void gannet_command_check_arguments(const gannet_command_options *options,
                                    const gannet_evaluator_setup *setup,
                                    gannet_complaints *complaints) {
  const int script = gannet_command_find_script(&options->command);
  if (script >= 0) check_script(options, setup, options->command.item[script], complaints);
  for (int i = 1; i < options->command.n; ++i)
    if (i != script) warn_of_argument(options, setup, options->command.item[i]);
}
