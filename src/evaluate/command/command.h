/* What the command back-end shares with others whose simulations are programs: options, and their
 * check. */
#ifndef GANNET_EVALUATE_COMMAND_COMMAND_H
#define GANNET_EVALUATE_COMMAND_COMMAND_H

#include "evaluate/contract/contract.h"
#include "evaluate/root_evaluator.h"

typedef struct {
  gannet_text_list command;
  char *shell;
  gannet_text_list templates;
  char *case_copy;
  gannet_text_list case_templates, case_link;
  gannet_text_list placeholders;
  gannet_text_list pattern;
  gannet_text_list environment;
  double kill_grace;
  gannet_real_list bad_luck_exit_codes;
  gannet_real_list cannot_run_exit_codes;
  gannet_text_list bad_luck_text;
  gannet_text_list cannot_run_text;
  double patience; /* of the back-end command, not in the rows below: seconds */
} gannet_command_options;

/* The rows of the option table that every back-end has whose simulations are programs of their own;
 * the struct is the first member of that back-end's options. */
#define GANNET_COMMAND_AT(member) offsetof(gannet_command_options, member)
#define GANNET_COMMAND_OPTIONS                                                                     \
  {.key = "command",                                                                               \
   .type = GANNET_TEXT_LIST,                                                                       \
   .offset = GANNET_COMMAND_AT(command),                                                           \
   .help =                                                                                         \
       "program and arguments; {params}, {results}, {directory}, {id}, {attempt}, {seed}, "        \
       "{slot}, {input_directory} and {variable} are replaced, but in the name of the program "    \
       "only {input_directory}; no shell is involved",                                             \
   .example = "[./simulate, \"{params}\", \"{results}\"]"},                                        \
      {.key = "shell",                                                                             \
       .type = GANNET_TEXT,                                                                        \
       .offset = GANNET_COMMAND_AT(shell),                                                         \
       .help =                                                                                     \
           "text for bash, or for /bin/sh if there is no bash, instead of command; nothing is "    \
           "replaced in it: values come through $GANNET_PARAMS and params.in. Functions that "     \
           "your shell exports, such as module, are available; if module is not, begin with '. "   \
           "/etc/profile;'",                                                                       \
       .example = "module load solver && solve params.in"},                                        \
      {.key = "templates",                                                                         \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(templates),                                                     \
       .help =                                                                                     \
           "files copied into the directory of every evaluation with each {variable} replaced by " \
           "its value, and {variable:8.4f} by its value in that format; ${variable} and other "    \
           "text in braces stays",                                                                 \
       .example = "[case.in]"},                                                                    \
      {.key = "case.copy",                                                                         \
       .type = GANNET_TEXT,                                                                        \
       .offset = GANNET_COMMAND_AT(case_copy),                                                     \
       .help =                                                                                     \
           "folder that is copied with its sub-folders into the directory of every evaluation; "   \
           "case: FOLDER is short for it; campaign directories and .git in it are left out",       \
       .example = "wing"},                                                                         \
      {.key = "case.templates",                                                                    \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(case_templates),                                                \
       .help =                                                                                     \
           "files of the case whose placeholders are replaced in the copy, as in templates; "      \
           "relative to the case; * and ? match within a name, ** matches any number of folders, " \
           "and a folder stands for everything in it",                                             \
       .example = "[0/U, system/*.dict]"},                                                         \
      {.key = "case.link",                                                                         \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(case_link),                                                     \
       .help =                                                                                     \
           "large files and folders of the case that no simulation changes: the copy contains "    \
           "links to the originals; written as case.templates",                                    \
       .example = "[constant/polyMesh]"},                                                          \
      {.key = "placeholders",                                                                      \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(placeholders),                                                  \
       .fallback = "[{, }]",                                                                       \
       .help =                                                                                     \
           "marks before and after the names in templates, scripts, command and environment, for " \
           "files full of braces: \"@@\" for @name@, [<<, >>] for <<name>>; in command and "       \
           "environment {name} works as well; a backslash before a placeholder keeps it as it is", \
       .example = "\"@@\""},                                                                       \
      {.key = "pattern",                                                                           \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(pattern),                                                       \
       .help =                                                                                     \
           "name=regex: reads the objective or a constraint from the simulation's standard "       \
           "output, by a POSIX extended regular expression whose first group is the number; the "  \
           "last matching line counts, and in it the first match; a pattern that begins with ^ "   \
           "is much faster",                                                                       \
       .example = "\"objective=^drag: *([^ ]*)\""},                                                \
      {.key = "environment",                                                                       \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(environment),                                                   \
       .help =                                                                                     \
           "environment variables for the simulation in addition to the inherited ones, each "     \
           "once, as NAME=value; placeholders are replaced as in command",                         \
       .example = "[OMP_NUM_THREADS=4]"},                                                          \
      {.key = "kill_grace",                                                                        \
       .type = GANNET_DURATION,                                                                    \
       .offset = GANNET_COMMAND_AT(kill_grace),                                                    \
       .fallback = "5s",                                                                           \
       .upper = HUGE_VAL,                                                                          \
       .unit = "s",                                                                                \
       .help =                                                                                     \
           "time between SIGTERM and SIGKILL when a simulation is stopped; at most 10 s when the " \
           "campaign itself stops"},                                                               \
      {.key = "bad_luck_exit_codes",                                                               \
       .type = GANNET_REAL_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(bad_luck_exit_codes),                                           \
       .fallback = "[137, 143]",                                                                   \
       .lower = 1,                                                                                 \
       .upper = 255,                                                                               \
       .help =                                                                                     \
           "exit codes after which another attempt may succeed; shells, mpirun and srun use 137 "  \
           "and 143 for a process that was killed or stopped from outside"},                       \
      {.key = "cannot_run_exit_codes",                                                             \
       .type = GANNET_REAL_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(cannot_run_exit_codes),                                         \
       .lower = 1,                                                                                 \
       .upper = 255,                                                                               \
       .help = "exit codes that mean: the simulation cannot work at this design",                  \
       .example = "[42]"},                                                                         \
      {.key = "bad_luck_text",                                                                     \
       .type = GANNET_TEXT_LIST,                                                                   \
       .offset = GANNET_COMMAND_AT(bad_luck_text),                                                 \
       .help =                                                                                     \
           "POSIX extended regular expressions; when one matches a line that a failed simulation " \
           "printed, another attempt may succeed",                                                 \
       .example = "[license server, Stale file handle]"},                                          \
      GANNET_OPTION_RENAMED("infeasible_exit_codes", "cannot_run_exit_codes"),                     \
      GANNET_OPTION_RENAMED("infeasible_text", "cannot_run_text"), {                               \
    .key = "cannot_run_text", .type = GANNET_TEXT_LIST,                                            \
    .offset = GANNET_COMMAND_AT(cannot_run_text),                                                  \
    .help =                                                                                        \
        "POSIX extended regular expressions; when one matches a line that the simulation "         \
        "printed, it cannot work at this design, whatever its exit code and results",              \
    .example = "[negative Jacobian, did not converge]"                                             \
  }

/* The case folder that the options name.
 *
 * Local.
 *
 * campaign  in  directory of the campaign; NULL = not known
 */
gannet_case gannet_command_case(const gannet_command_options *options, const char *campaign);

/* Everything that can be seen to be wrong without running.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_command_check(const void *options,
                                               const gannet_evaluator_setup *setup,
                                               gannet_complaints *complaints);

/* The same for a back-end that has these options among its own.
 *
 * Local.
 *
 * has_script  in  something else says what is run: command and shell must be empty
 */
GANNET_CHECKED gannet_err gannet_command_check_parts(const gannet_command_options *options,
                                                     bool has_script,
                                                     const gannet_evaluator_setup *setup,
                                                     gannet_complaints *complaints);

/* Check only the placeholders of command and shell, for campaign files whose programs may not exist
 * yet.
 *
 * Local.
 *
 * resources  in  the placeholders of places are known where they are given
 */
GANNET_CHECKED gannet_err gannet_command_check_words(const gannet_command_options *options,
                                                     const gannet_problem *problem,
                                                     const struct gannet_resources *resources,
                                                     gannet_complaints *complaints);

/* Complain about placeholders in texts of a back-end in which nothing is replaced.
 *
 * Local.
 *
 * key  in  "evaluate.sbatch"
 */
void gannet_command_check_lines(const gannet_command_options *options,
                                const gannet_evaluator_setup *setup, const char *key,
                                const gannet_text_list *lines, gannet_complaints *complaints);

/* Check the placeholders of a job script.
 *
 * Local.
 *
 * script  in  absolute, or relative to input_directory
 */
void gannet_command_check_script(const gannet_command_options *options,
                                 const gannet_evaluator_setup *setup, const char *script,
                                 gannet_complaints *complaints);

/* The name of the program that is run: the first word of the command, or what stands for
 * {launcher} there.
 *
 * Local.
 *
 * resources  in  NULL = not given
 * of_job     in  as in gannet_place_starter_of
 */
const char *gannet_command_program(const gannet_command_options *options,
                                   const struct gannet_resources *resources, bool of_job);

/* What an argument begins with that names a file beside the campaign file: "{input_directory}/". */
extern const char gannet_beside[];

/* Whether a word begins so.
 *
 * Local.
 */
bool gannet_is_beside(const char *word);

/* Find the path of a program. An absolute path is taken as it is, one with a slash is relative to
 * input_directory, and any other name is searched in PATH. Returns 0, or an errno (EACCES when the
 * program exists and cannot be run).
 *
 * Local.
 *
 * path  out  [PATH_MAX]
 */
int gannet_command_find(const char *program, const char *input_directory, char *path);

/* Whether the program, a relative path, can be run in a copy of the case folder: 0, or an errno
 * (ENOENT also without a case folder).
 *
 * Local.
 */
int gannet_command_find_in_case(const gannet_command_options *options, const char *input_directory);

#endif
