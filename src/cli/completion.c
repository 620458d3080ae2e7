/* gannet completion: the tables of commands, options and keys as a program of bash, zsh or fish
 * that completes the words of a command line.
 */
#include <string.h>

#include "acquisition/acquisition.h"
#include "campaign/config/schema.h"
#include "campaign/tables/grid.h"
#include "cli/init/init.h"
#include "evaluate/evaluator.h"
#include "optimizer/methods.h"
#include "report/report.h"
#include "simulations/registry.h"
#include "suite/keys.h"
#include "surrogate/surrogate.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

/* Words that a shell offers. */

/* Words for the values of an option or an argument. Its name is what the flag tables and usage
 * lines call the value. The words are texts, or the names of the entries of a registry. */
typedef struct {
  const char *name;
  const char *const *texts;   /* NULL-terminated; NULL = none */
  const void *const *entries; /* the same; the first member of an entry is its name */
  const char *first, *last;   /* further words, each with a blank before it; NULL = none */
  void (*put)(void);          /* writes the words instead */
} word_list;

typedef void (*key_visitor)(const gannet_section *section, const gannet_option *option,
                            const char *key);

static void put_texts(const char *const *texts) {
  for (; texts && *texts; ++texts) (void)printf(" %s", *texts);
}

/* Whether an earlier entry of the same section has the key: back-ends and models share some. */
static bool is_repeated(gannet_schema schema, int at, const gannet_section *section,
                        const char *key) {
  gannet_section earlier;
  for (int i = 0; i < at && schema(i, &earlier); ++i)
    if (strcmp(earlier.path, section->path) == 0 && earlier.table &&
        gannet_option_find(earlier.table, key))
      return true;
  return false;
}

/* Call back for every key without a name of the user's in it, in order and each once; entry is NULL
 * for the key of a whole section. */
static void visit_keys(gannet_schema schema, key_visitor visit) {
  gannet_section section;
  char key[256];
  for (int i = 0; schema(i, &section); ++i) {
    if (strchr(section.path, '*')) continue;
    if (section.path[0] && !section.choice) visit(&section, NULL, section.path);
    for (const gannet_option *o = section.table; o && o->key; ++o) {
      if (o->renamed || o->flags & GANNET_OPTION_IDLE || is_repeated(schema, i, &section, o->key))
        continue;
      (void)snprintf(key, sizeof key, "%s%s%s", section.path, section.path[0] ? "." : "", o->key);
      visit(&section, o, key);
    }
  }
}

static void put_goals(void) {
  gannet_section section;
  for (int i = 0; gannet_schema_get(i, &section); ++i) {
    const bool is_root = !*section.path && section.table;
    const gannet_option *goal = is_root ? gannet_option_find(section.table, "goal") : NULL;
    if (goal) put_texts(goal->choices);
  }
}

static void put_key(const gannet_section *section, const gannet_option *option, const char *key) {
  (void)section;
  (void)option;
  (void)printf(" %s", key);
}

static void put_keys(void) {
  visit_keys(gannet_schema_get, put_key);
}

#define ENTRIES(registry) (const void *const *)(registry)

static const word_list *find_words(const char *name) {
  static const word_list lists[] = {
      {.name = "METHOD", .entries = ENTRIES(gannet_methods)},
      {.name = "BACKEND", .entries = ENTRIES(gannet_evaluator_types)},
      {.name = "SIMULATION", .entries = ENTRIES(gannet_simulations)},
      {.name = "SURROGATE", .entries = ENTRIES(gannet_surrogate_types)},
      {.name = "ACQUISITION", .entries = ENTRIES(gannet_acq_types)},
      {.name = "GOAL", .put = put_goals},
      {.name = "FORMAT", .texts = gannet_format_names},
      {.name = "FORM", .first = " text json"},
      {.name = "PICTURES", .texts = gannet_report_format_names},
      {.name = "WAY", .entries = ENTRIES(init_scripts), .last = " none"},
      {.name = "FAMILY", .texts = cli_list_families},
      {.name = "KEY", .put = put_keys},
      {.name = "PAGE", .first = " gannet campaign", .entries = ENTRIES(cli_commands)},
      {.name = "SHELL", .texts = cli_shells}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
    if (strcmp(lists[i].name, name) == 0) return &lists[i];
  return NULL;
}

/* Write the words with a blank before each. */
static void put_words(const word_list *list) {
  if (list->put) list->put();
  if (list->first) (void)fputs(list->first, stdout);
  put_texts(list->texts);
  for (const void *const *entry = list->entries; entry && *entry; ++entry)
    (void)printf(" %s", *(const char *const *)*entry);
  if (list->last) (void)fputs(list->last, stdout);
}

/* Words for the values of a key that names an entry of a registry; NULL for other keys. */
static const word_list *find_key_words(const gannet_section *section, const gannet_option *option) {
  static const char *const names[][3] = {{"", "method", "METHOD"},
                                         {"evaluate", "backend", "BACKEND"},
                                         {"evaluate", "simulation", "SIMULATION"},
                                         {"surrogate", "type", "SURROGATE"},
                                         {"acquisition", "type", "ACQUISITION"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(names[i][0], section->path) == 0 && strcmp(names[i][1], option->key) == 0)
      return find_words(names[i][2]);
  return NULL;
}

static bool has_values(const gannet_section *section, const gannet_option *option) {
  return option && (find_key_words(section, option) || option->type == GANNET_BOOLEAN ||
                    option->type == GANNET_CHOICE);
}

static void put_values(const gannet_section *section, const gannet_option *option) {
  const word_list *list = find_key_words(section, option);
  if (list) {
    put_words(list);
  } else if (option->type == GANNET_BOOLEAN) {
    (void)fputs(" true false", stdout);
  } else {
    put_texts(option->choices);
    if (option->flags & GANNET_OPTION_AUTO) (void)fputs(" auto", stdout);
  }
}

/* Commands whose arguments are words and not files, and the name of these words. */
static const char *const arguments_of[][2] = {
    {"explain", "KEY"}, {"manual", "PAGE"}, {"completion", "SHELL"}, {"list", "FAMILY"}};
enum { N_ARGUMENTS_OF = sizeof arguments_of / sizeof *arguments_of };

/* Options that change a key of a file. */
static bool is_setting(const cli_flag *flag) {
  return flag->argument && strcmp(flag->argument, "KEY=VALUE") == 0;
}

/* The completion function of zsh and fish for the keys that a command sets. */
static const char *settings_of(const char *command) {
  return strcmp(command, "bench") == 0 ? "suite_keys" : "settings";
}

/* "key=" of every key that can be set. */
static void put_assignment(const gannet_section *section, const gannet_option *option,
                           const char *key) {
  (void)section;
  if (option) (void)printf(" %s=", key);
}

static void put_flag_names(const cli_flag *flag) {
  for (; (flag = cli_listed_flag(flag)); ++flag) (void)printf(" --%s", flag->name);
}

/* bash parts words at '=': the option or the key that a value belongs to comes before. zsh takes
 * the same lines for the values of keys. */

static void put_bash_key(const gannet_section *section, const gannet_option *option,
                         const char *key) {
  if (!has_values(section, option)) return;
  (void)printf("      %s) words=\"", key);
  put_values(section, option);
  (void)fputs("\" ;;\n", stdout);
}

static void put_bash_flags(const char *command, const cli_flag *flag) {
  for (; (flag = cli_listed_flag(flag)); ++flag) {
    const word_list *list = flag->argument ? find_words(flag->argument) : NULL;
    if (!list && !is_setting(flag)) continue;
    (void)printf("    %s:--%s:", command, flag->name);
    if (flag->letter) (void)printf("|%s:-%c:", command, flag->letter);
    (void)fputs(") words=\"", stdout);
    if (list)
      put_words(list);
    else
      visit_keys(strcmp(command, "bench") == 0 ? suite_schema_get : gannet_schema_get,
                 put_assignment);
    (void)printf("\"; %sfound=1 ;;\n", list ? "" : "compopt -o nospace 2>/dev/null; ");
  }
}

static void put_bash_values(void) {
  (void)fputs(
      "# Words for the value of an option, or of a key that an option sets.\n"
      "_gannet_values() {\n"
      "  case $1:$2:$3 in\n",
      stdout);
  for (int i = 0; cli_commands[i]; ++i)
    put_bash_flags(cli_commands[i]->name, cli_commands[i]->flags);
  (void)fputs(
      "    run:--set:*|run:-s:*|step:--set:*|step:-s:*|try:--set:*|try:-s:*) found=1; case $3 in\n",
      stdout);
  visit_keys(gannet_schema_get, put_bash_key);
  (void)fputs("    esac ;;\n  esac\n}\n", stdout);
}

/* Words for a command: values, its flags, else its arguments or file names. */
static void put_bash(void) {
  (void)fputs("# bash completion of gannet; generated by `gannet completion bash`\n", stdout);
  put_bash_values();
  (void)fputs(
      "_gannet() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} words= key= found= at=$((COMP_CWORD - 1))\n"
      "  if [[ $word == = ]]; then word=; ((++at)); fi\n"
      "  if ((at > 2)) && [[ ${COMP_WORDS[at]} == = ]]; then\n"
      "    ((--at))\n"
      "    if [[ ${COMP_WORDS[at]} != -* ]]; then key=${COMP_WORDS[at]}; ((--at)); fi\n"
      "    if [[ ${COMP_WORDS[at]} == = ]]; then ((--at)); fi\n"
      "  fi\n"
      "  if ((at > 1)); then _gannet_values \"${COMP_WORDS[1]}\" \"${COMP_WORDS[at]}\" \"$key\"; "
      "fi\n"
      "  if [[ $found ]]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\")); return\n  "
      "fi\n"
      "  if ((COMP_CWORD == 1)); then\n    words=\"--help --version",
      stdout);
  for (int i = 0; cli_commands[i]; ++i) (void)printf(" %s", cli_commands[i]->name);
  (void)fputs("\"\n  elif [[ $word == -* ]]; then\n    case ${COMP_WORDS[1]} in\n", stdout);
  for (int i = 0; cli_commands[i]; ++i) {
    (void)printf("      %s) words=\"", cli_commands[i]->name);
    put_flag_names(cli_commands[i]->flags);
    put_flag_names(cli_common_flags);
    (void)fputs("\" ;;\n", stdout);
  }
  (void)fputs("    esac\n  else\n    case ${COMP_WORDS[1]} in\n", stdout);
  for (int i = 0; i < N_ARGUMENTS_OF; ++i) {
    (void)printf("      %s) words=\"", arguments_of[i][0]);
    put_words(find_words(arguments_of[i][1]));
    (void)fputs("\" ;;\n", stdout);
  }
  (void)fputs(
      "      *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); return ;;\n    esac\n  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
      "complete -o filenames -F _gannet gannet\n",
      stdout);
}

/* zsh. */

/* Inside single quotes of a shell, for zsh in brackets of an option's description. */
static void put_quoted(const char *text) {
  for (; *text; ++text) {
    if (*text == '\'')
      (void)fputs("'\\''", stdout);
    else if (*text == '[' || *text == ']' || *text == ':')
      (void)printf("\\%c", *text);
    else
      (void)putchar(*text);
  }
}

static void put_zsh_value(const cli_flag *flag, const char *command) {
  const word_list *list = find_words(flag->argument);
  if (is_setting(flag)) {
    (void)printf(":setting:_gannet_%s", settings_of(command));
  } else if (list) {
    (void)printf(":%s:(", flag->argument);
    put_words(list);
    (void)fputs(")", stdout);
  } else {
    (void)printf(":%s:_files", flag->argument);
  }
}

/* KEY=VALUE: keys, and behind the sign the values of those that have a list. */
static void put_zsh_settings(void) {
  (void)fputs("_gannet_suite_keys() {\n  compadd -S '' --", stdout);
  visit_keys(suite_schema_get, put_assignment);
  (void)fputs(
      "\n}\n_gannet_settings() {\n  local words=\n  if compset -P '*='; then\n"
      "    case ${${IPREFIX%=}##*=} in\n",
      stdout);
  visit_keys(gannet_schema_get, put_bash_key);
  (void)fputs("    esac\n    compadd -- ${=words}\n  else\n    compadd -S '' --", stdout);
  visit_keys(gannet_schema_get, put_assignment);
  (void)fputs("\n  fi\n}\n", stdout);
}

static void put_zsh_flags(const char *command, const cli_flag *flag) {
  for (; (flag = cli_listed_flag(flag)); ++flag) {
    (void)printf("        '%s--%s%s[", flag->repeated ? "*" : "", flag->name,
                 flag->argument ? "=" : "");
    put_quoted(flag->help);
    (void)fputs("]", stdout);
    if (flag->argument) put_zsh_value(flag, command);
    (void)fputs("' \\\n", stdout);
  }
}

static void put_zsh_arguments(const char *command) {
  for (int i = 0; i < N_ARGUMENTS_OF; ++i)
    if (strcmp(command, arguments_of[i][0]) == 0) {
      (void)fputs("        '*:word:(", stdout);
      put_words(find_words(arguments_of[i][1]));
      (void)fputs(")' ;;\n", stdout);
      return;
    }
  (void)fputs("        '*:file:_files' ;;\n", stdout);
}

static void put_zsh(void) {
  (void)fputs("#compdef gannet\n# generated by `gannet completion zsh`\n", stdout);
  put_zsh_settings();
  (void)fputs("_gannet() {\n  local -a commands\n  commands=(\n", stdout);
  for (int i = 0; cli_commands[i]; ++i) {
    (void)printf("    '%s:", cli_commands[i]->name);
    put_quoted(cli_commands[i]->summary);
    (void)fputs("'\n", stdout);
  }
  (void)fputs(
      "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n",
      stdout);
  for (int i = 0; cli_commands[i]; ++i) {
    (void)printf("    %s)\n      _arguments \\\n", cli_commands[i]->name);
    put_zsh_flags(cli_commands[i]->name, cli_commands[i]->flags);
    put_zsh_flags(cli_commands[i]->name, cli_common_flags);
    put_zsh_arguments(cli_commands[i]->name);
  }
  /* zsh runs a file of the function path as a call of the function; `source` only defines it. */
  (void)fputs(
      "  esac\n}\n"
      "if [[ ${funcstack[1]-} == _gannet ]]; then\n  _gannet \"$@\"\nelse\n  compdef _gannet "
      "gannet\nfi\n",
      stdout);
}

/* fish. */

static void put_fish_text(const char *text) {
  for (; *text; ++text) {
    if (*text == '\'' || *text == '\\') (void)putchar('\\');
    (void)putchar(*text);
  }
}

static void put_fish_value(const cli_flag *flag, const char *command) {
  const word_list *list = find_words(flag->argument);
  if (is_setting(flag)) {
    (void)printf(" -x -a '(__gannet_%s)'", settings_of(command));
  } else if (list) {
    (void)fputs(" -x -a '", stdout);
    put_words(list);
    (void)fputs("'", stdout);
  } else {
    (void)fputs(" -r", stdout);
  }
}

static void put_fish_key(const gannet_section *section, const gannet_option *option,
                         const char *key) {
  if (!has_values(section, option)) return;
  (void)printf("    case '%s=*'\n      printf '%s=%%s\\n'", key, key);
  put_values(section, option);
  (void)putchar('\n');
}

static void put_fish_settings(void) {
  (void)fputs("function __gannet_suite_keys\n  printf '%s\\n'", stdout);
  visit_keys(suite_schema_get, put_assignment);
  (void)fputs(
      "\nend\nfunction __gannet_settings\n"
      "  switch (string replace -r -- '^--set=' '' (commandline -ct))\n",
      stdout);
  visit_keys(gannet_schema_get, put_fish_key);
  (void)fputs("    case '*'\n      printf '%s\\n'", stdout);
  visit_keys(gannet_schema_get, put_assignment);
  (void)fputs("\n  end\nend\n", stdout);
}

static void put_fish_flags(const char *command, const cli_flag *flag) {
  for (; (flag = cli_listed_flag(flag)); ++flag) {
    (void)printf("complete -c gannet -n '__fish_seen_subcommand_from %s' -l %s", command,
                 flag->name);
    if (flag->letter) (void)printf(" -s %c", flag->letter);
    if (flag->argument) put_fish_value(flag, command);
    (void)fputs(" -d '", stdout);
    put_fish_text(flag->help);
    (void)puts("'");
  }
}

static void put_fish(void) {
  (void)puts("# generated by `gannet completion fish`");
  put_fish_settings();
  for (int i = 0; cli_commands[i]; ++i) {
    (void)printf("complete -c gannet -n __fish_use_subcommand -f -a %s -d '",
                 cli_commands[i]->name);
    put_fish_text(cli_commands[i]->summary);
    (void)puts("'");
    put_fish_flags(cli_commands[i]->name, cli_commands[i]->flags);
    put_fish_flags(cli_commands[i]->name, cli_common_flags);
  }
  for (int i = 0; i < N_ARGUMENTS_OF; ++i) {
    (void)printf("complete -c gannet -n '__fish_seen_subcommand_from %s' -f -a '",
                 arguments_of[i][0]);
    put_words(find_words(arguments_of[i][1]));
    (void)puts("'");
  }
}

static gannet_err run_completion(const cli_arguments *arguments, const cli_world *world,
                                 gannet_exit *code) {
  static void (*const put[])(void) = {put_bash, put_zsh, put_fish}; /* as cli_shells */
  (void)world;
  (void)code;
  for (int i = 0; cli_shells[i]; ++i)
    if (strcmp(arguments->positional[0], cli_shells[i]) == 0) {
      put[i]();
      return GANNET_OK;
    }
  return GANNET_RAISE(GANNET_ERR_INPUT, "unknown shell '%s'; expected bash, zsh or fish",
                      arguments->positional[0]);
}

const cli_command cli_completion = {
    .name = "completion",
    .usage = "SHELL [options]",
    .summary = "print the completion of commands and options for a shell",
    .details =
        "SHELL is bash, zsh or fish. For this session: `source <(gannet completion bash)`. "
        "Where gannet is\ninstalled, the shells find the completion themselves.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run_completion,
};
