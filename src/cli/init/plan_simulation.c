/* The simulation of a new campaign: the words of its command, and where its files lie. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/init/plan_parts.h"
#include "evaluate/contract/contract.h"
#include "simulations/registry.h"

/* The path of a file as the campaign file should name it: relative to the campaign file's folder
 * when it lies below that, else absolute. */
static gannet_err relate_path(init_plan *plan, const char *file, const char **related) {
  char full[PATH_MAX];
  const size_t size = strlen(plan->directory);
  if (!realpath(file, full)) return gannet_raise_errno("find", file);
  if (strncmp(full, plan->directory, size) == 0 && full[size] == '/')
    return init_keep_text(plan, related, "%s", full + size + 1);
  return init_keep_text(plan, related, "%s", full);
}

static bool is_file(const char *word) {
  struct stat about;
  return stat(word, &about) == 0 && S_ISREG(about.st_mode);
}

/* Add a word to the command. The simulation runs in a folder of its own, so files get the path of
 * the campaign's folder. A program that is the first word is looked for beside the campaign file.
 */
static gannet_err add_word(init_plan *plan, const char *word, bool is_program) {
  const bool alone = plan->command.n == 0;
  const bool here = word[0] != '/' && is_file(word) && (!is_program || strchr(word, '/'));
  const char *kept = word;
  if (is_program) plan->program = plan->command.n;
  if (here) {
    GANNET_TRY(relate_path(plan, word, &kept));
    if (*kept != '/')
      GANNET_TRY(init_keep_text(plan, &kept, alone ? "./%s" : "{input_directory}/%s", kept));
  } else if (is_program && !alone && strncmp(word, "./", 2) == 0) {
    GANNET_TRY(init_keep_text(plan, &kept, "{input_directory}/%s", word + 2));
  }
  return gannet_text_list_add(&plan->command, kept);
}

typedef enum { WORD, NO_WORD, NOT_CLOSED, FOR_A_SHELL } word_end;

/* The next word of *at. Quotes work as in a shell; nothing else does. */
static word_end cut_word(const char **at, char *word) {
  const char *c = *at + strspn(*at, " \t\n");
  char quote = '\0';
  if (!*c) return NO_WORD;
  for (; *c && (quote || !strchr(" \t\n", *c)); ++c) {
    if (!quote && strchr("|&;<>`$", *c)) {
      *at = c;
      return FOR_A_SHELL;
    }
    if (quote ? *c == quote : *c == '\'' || *c == '"')
      quote = quote ? '\0' : *c;
    else
      *word++ = *c;
  }
  *word = '\0';
  *at = c;
  return quote ? NOT_CLOSED : WORD;
}

static gannet_err add_words(const char *text, char *word, init_plan *plan,
                            gannet_complaints *complaints) {
  const char *at = text;
  bool is_program = true;
  for (;; is_program = false) {
    switch (cut_word(&at, word)) {
      case WORD:
        GANNET_TRY(add_word(plan, word, is_program));
        break;
      case NO_WORD:
        if (is_program)
          gannet_complain(complaints, "--command",
                          "is empty; expected a program and its arguments, as in "
                          "'./simulate {params} {results}'");
        return GANNET_OK;
      case NOT_CLOSED:
        gannet_complain(complaints, "--command", "a quote in '%.200s' is not closed; close it",
                        text);
        return GANNET_OK;
      case FOR_A_SHELL:
        gannet_complain(complaints, "--command",
                        "'%c' has no meaning here, since no shell reads it; put it in quotes, or "
                        "use --shell instead of --command",
                        *at);
        return GANNET_OK;
    }
  }
}

/* Programs that start others on several processors. */
static bool begins_with_launcher(const char *text) {
  static const char *const launchers[] = {"srun", "mpirun", "mpiexec", "mpiexec.hydra", "prun"};
  const size_t size = strcspn(text, " \t");
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; ++i)
    if (size == strlen(launchers[i]) && strncmp(text, launchers[i], size) == 0) return true;
  return false;
}

/* Put a launcher before the command, so that the simulation runs on processors of its own. */
static gannet_err add_launcher(init_plan *plan) {
  const bool is_step = plan->script && strcmp(plan->backend, "command") == 0;
  const char *launcher = *plan->site.launcher ? plan->site.launcher : "srun";
  const char *word;
  if (!is_step && plan->tasks == 1) return GANNET_OK;
  if (plan->gpus > 0) return gannet_text_list_add(&plan->command, "{launcher}");
  GANNET_TRY(gannet_text_list_add(&plan->command, is_step ? "srun" : launcher));
  if (is_step) GANNET_TRY(gannet_text_list_add(&plan->command, "--exact"));
  if (!is_step) GANNET_TRY(gannet_text_list_add(&plan->command, "-n"));
  GANNET_TRY(init_keep_text(plan, &word, is_step ? "--ntasks=%d" : "%d", plan->tasks));
  return gannet_text_list_add(&plan->command, word);
}

static gannet_err read_lists(const cli_arguments *arguments, init_plan *plan,
                             gannet_complaints *complaints) {
  const char *text, *kept;
  for (int k = 0; (text = cli_repeated(arguments, "template", k)); ++k) {
    if (!is_file(text)) continue; /* has been complained about */
    GANNET_TRY(relate_path(plan, text, &kept));
    GANNET_TRY(gannet_text_list_add(&plan->templates, kept));
  }
  for (int k = 0; (text = cli_repeated(arguments, "pattern", k)); ++k) {
    if (!strchr(text, '=') || *text == '=')
      gannet_complain(complaints, "--pattern",
                      "'%s' is not NAME=REGEX, as in 'objective=^drag: *([^ ]*)'", text);
    GANNET_TRY(gannet_text_list_add(&plan->patterns, text));
  }
  return GANNET_OK;
}

static gannet_err check_names(const init_plan *plan, gannet_complaints *complaints) {
  const gannet_simulation_type *type = NULL;
  if (plan->simulation && gannet_simulation_find(plan->simulation, &type) != GANNET_OK)
    init_complain_of_error(complaints, "--simulation");
  if (plan->plugin && !is_file(plan->plugin))
    gannet_complain(complaints, "--plugin",
                    "there is no file '%s'; expected a shared object, as in ./simulation.so",
                    plan->plugin);
  return GANNET_OK;
}

/* The name of the example: simulate.sh, or NAME-simulate.sh when another campaign or a simulation
 * of the user has that file. */
static gannet_err choose_example(const cli_arguments *arguments, init_plan *plan,
                                 const char **command) {
  char path[PATH_MAX], *text = NULL;
  struct stat about;
  GANNET_TRY(gannet_join_path(plan->directory, "simulate.sh", path, sizeof path));
  bool is_free = lstat(path, &about) != 0;
  if (!is_free && cli_has(arguments, "force")) {
    if (gannet_file_read(plan->file, &text, NULL) != GANNET_OK) gannet_error_clear();
    is_free = text && strstr(text, "\"./simulate.sh\"");
    gannet_free(&text);
  }
  (void)snprintf(plan->example, sizeof plan->example, "%s%ssimulate.sh", is_free ? "" : plan->name,
                 is_free ? "" : "-");
  return init_keep_text(plan, command, "./%s", plan->example);
}

gannet_err init_read_simulation(const cli_arguments *arguments, init_plan *plan,
                                gannet_complaints *complaints) {
  const char *command = cli_value(arguments, "command");
  const char *const given[] = {command, plan->shell, plan->simulation, plan->plugin};
  int n = 0;
  for (int i = 0; i < 4; ++i) n += given[i] != NULL;
  if (n > 1)
    gannet_complain(complaints, "the simulation",
                    "is given more than once; choose one of --command, --shell, --simulation and "
                    "--plugin");
  const bool runs_program =
      strcmp(plan->backend, "command") == 0 || strcmp(plan->backend, "slurm") == 0;
  plan->is_example = n == 0 && runs_program;
  GANNET_TRY(read_lists(arguments, plan, complaints));
  GANNET_TRY(check_names(plan, complaints));
  if (plan->plugin && is_file(plan->plugin)) {
    const char *related;
    GANNET_TRY(relate_path(plan, plan->plugin, &related));
    GANNET_TRY(init_keep_text(plan, &plan->plugin, *related == '/' ? "%s" : "./%s", related));
  }
  if (plan->is_example) GANNET_TRY(choose_example(arguments, plan, &command));
  if (!command) return GANNET_OK;
  char *word = NULL;
  if (!begins_with_launcher(command)) GANNET_TRY(add_launcher(plan));
  GANNET_TRY(gannet_alloc(strlen(command) + 1, 1, &word));
  const gannet_err err = add_words(command, word, plan, complaints);
  gannet_free(&word);
  return err;
}
