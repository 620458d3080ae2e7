/* The command line: the table of commands, reading options and arguments by the tables of a
 * command, and --help from the same tables. getopt_long does the reading.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/names.h"
#include "base/option.h"
#include "campaign/config/schema.h"
#include "campaign/tables/table.h"
#include "cli/cli.h"
#include "gannet/version.h"
#include "suite/keys.h"

const cli_command *const cli_commands[] = {
    &cli_init,  &cli_try,    &cli_run,     &cli_step,    &cli_status,     &cli_watch,
    &cli_best,  &cli_export, &cli_verify,  &cli_report,  &cli_explain,    &cli_list,
    &cli_ask,   &cli_tell,   &cli_predict, &cli_discard, &cli_correct,    &cli_retry,
    &cli_bench, &cli_tidy,   &cli_doctor,  &cli_manual,  &cli_completion, NULL,
};

const cli_command *cli_find_command(const char *name) {
  for (int i = 0; cli_commands[i]; ++i)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

const cli_flag cli_common_flags[] = {
    {"help", 'h', NULL, "show this help", false},
    {NULL, 0, NULL, NULL, false},
};

const cli_flag *cli_listed_flag(const cli_flag *flag) {
  while (flag && flag->name && !flag->help) ++flag;
  return flag && flag->name ? flag : NULL;
}

static int count_flags(const cli_flag *flags) {
  int n = 0;
  while (flags && flags[n].name) ++n;
  return n;
}

static int find_flag(const cli_flag *flags, const char *name) {
  for (int i = 0; i < count_flags(flags); ++i)
    if (strcmp(flags[i].name, name) == 0) return i;
  return -1;
}

/* The flag that a name stands for: an old name stands for the flag that has replaced it. */
static int resolve_flag(const cli_flag *flags, int at) {
  return flags[at].help ? at : find_flag(flags, flags[at].argument);
}

/* The tables as getopt_long wants them; values of the long options are positions + 1000. */
static void make_getopt_tables(const cli_flag *flags, struct option *options, char *letters) {
  int n = 0;
  *letters++ = ':'; /* getopt then tells a missing value from an unknown option */
  for (int i = 0; i < count_flags(flags); ++i) {
    const cli_flag *flag = &flags[i];
    options[n].name = flag->name;
    options[n].has_arg = flags[resolve_flag(flags, i)].argument ? required_argument : no_argument;
    options[n++].val = 1000 + i;
    if (!flag->letter) continue;
    *letters++ = flag->letter;
    if (flag->argument) *letters++ = ':';
  }
  options[n].name = "help";
  options[n++].val = 'h';
  *letters++ = 'h';
  *letters = '\0';
}

/* Write how --set gives a key of the file that was taken for an option: "seed=VALUE". False for
 * other words, and for commands without --set. */
static bool find_key(const cli_command *command, const char *word, char *text, size_t size) {
  gannet_section section;
  const int length = (int)strcspn(word, "=");
  char key[64];
  bool has_set = false;
  for (const cli_flag *f = command->flags; (f = cli_listed_flag(f)); ++f)
    has_set = has_set || strcmp(f->name, "set") == 0;
  const gannet_schema get =
      strcmp(command->name, "bench") == 0 ? suite_schema_get : gannet_schema_get;
  (void)snprintf(key, sizeof key, "%.*s", length, word);
  for (int i = 0; has_set && get(i, &section); ++i) {
    if (!section.table || strchr(section.path, '*') || !gannet_option_find(section.table, key))
      continue;
    (void)snprintf(text, size, "%s%s%s=VALUE", section.path, *section.path ? "." : "", key);
    return true;
  }
  return false;
}

static gannet_err raise_unknown_option(const cli_command *command, char **argv) {
  const char *known[CLI_MOST_FLAGS + 2] = {NULL};
  const char *word = argv[optind - 1];
  int n = 0;
  for (const cli_flag *f = command->flags; (f = cli_listed_flag(f)); ++f) known[n++] = f->name;
  known[n] = "help";
  while (*word == '-') ++word;
  const char *near = gannet_nearest(word, known);
  char key[128];
  if (find_key(command, word, key, sizeof key))
    return GANNET_RAISE(GANNET_ERR_INPUT,
                        "unknown option '%s' of gannet %s; a key of the file is set by --set %s",
                        argv[optind - 1], command->name, key);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "unknown option '%s' of gannet %s%s%s%s; see gannet %s --help",
                      argv[optind - 1], command->name, near ? "; did you mean '--" : "",
                      near ? near : "", near ? "'?" : "", command->name);
}

/* Keep the value in optarg of the option for which getopt_long has returned code: a letter or, for
 * a long name, its position + 1000. An empty directory is an error: a script that uses an unset
 * variable leaves one. */
static gannet_err store_option(const cli_command *command, int code, cli_arguments *arguments) {
  const cli_flag *flags = command->flags;
  int given = code - 1000;
  for (int i = 0; code < 1000 && i < count_flags(flags); ++i)
    if (flags[i].letter == code) given = i;
  const int at = resolve_flag(flags, given);
  const char *name = flags[given].name, **said = &arguments->said[at];
  GANNET_REQUIRE(!*said || strcmp(*said, name) == 0, GANNET_ERR_INPUT,
                 "--%s and --%s are two names of the same option; leave one out", *said, name);
  *said = name;
  const char *what = flags[at].argument;
  GANNET_REQUIRE(!what || strcmp(what, "DIR") != 0 || optarg[0], GANNET_ERR_INPUT,
                 "--%s is empty; expected the name of a directory", flags[at].name);
  arguments->value[at] = optarg ? optarg : "";
  arguments->times[at] += 1;
  if (!flags[at].repeated) return GANNET_OK;
  GANNET_REQUIRE(arguments->n_values < CLI_MOST_VALUES, GANNET_ERR_INPUT,
                 "at most %d times --%s are possible", CLI_MOST_VALUES, flags[at].name);
  arguments->values[arguments->n_values].flag = at;
  arguments->values[arguments->n_values++].text = optarg;
  return GANNET_OK;
}

gannet_err cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments,
                     bool *help) {
  struct option options[CLI_MOST_FLAGS + 2];
  char letters[3 * CLI_MOST_FLAGS + 4];
  memset(options, 0, sizeof options);
  memset(arguments, 0, sizeof *arguments);
  arguments->flags = command->flags;
  make_getopt_tables(command->flags, options, letters);
  opterr = 0;
  optind = 1;
  for (;;) {
    const int code = getopt_long(argc, argv, letters, options, NULL);
    if (code == -1) break;
    if (code == '?') return raise_unknown_option(command, argv);
    if (code == ':')
      return GANNET_RAISE(GANNET_ERR_INPUT, "option '%s' needs a value; see gannet %s --help",
                          argv[optind - 1], command->name);
    if (code == 'h') {
      *help = true;
      return GANNET_OK;
    }
    GANNET_TRY(store_option(command, code, arguments));
  }
  const int n = argc - optind;
  arguments->n_positional = n;
  arguments->positional = argv + optind;
  GANNET_REQUIRE(n >= command->least, GANNET_ERR_INPUT, "missing argument; usage: gannet %s %s",
                 command->name, command->usage);
  GANNET_REQUIRE(n <= command->most, GANNET_ERR_INPUT,
                 "unexpected argument '%s'; usage: gannet %s %s",
                 arguments->positional[command->most], command->name, command->usage);
  return GANNET_OK;
}

void cli_warn_renamed(const cli_arguments *arguments) {
  for (int i = 0; i < count_flags(arguments->flags); ++i)
    if (arguments->said[i] && strcmp(arguments->said[i], arguments->flags[i].name) != 0)
      cli_warn("--%s is now called --%s; the old name is still accepted", arguments->said[i],
               arguments->flags[i].name);
}

const char *cli_value(const cli_arguments *arguments, const char *flag) {
  const int at = find_flag(arguments->flags, flag);
  return at < 0 ? NULL : arguments->value[at];
}

int cli_times(const cli_arguments *arguments, const char *flag) {
  const int at = find_flag(arguments->flags, flag);
  return at < 0 ? 0 : arguments->times[at];
}

bool cli_has(const cli_arguments *arguments, const char *flag) {
  return cli_value(arguments, flag) != NULL;
}

const char *cli_repeated(const cli_arguments *arguments, const char *flag, int k) {
  const int at = find_flag(arguments->flags, flag);
  for (int i = 0; i < arguments->n_values; ++i)
    if (arguments->values[i].flag == at && k-- == 0) return arguments->values[i].text;
  return NULL;
}

gannet_err cli_whole(const cli_arguments *arguments, const char *flag, long long least,
                     long long fallback, long long *value) {
  const char *text = cli_value(arguments, flag);
  char *end = NULL;
  *value = fallback;
  if (!text) return GANNET_OK;
  errno = 0;
  *value = strtoll(text, &end, 10);
  GANNET_REQUIRE(end != text && !*end && !errno && *value >= least, GANNET_ERR_INPUT,
                 "--%s: '%s' is not a whole number of at least %lld%s", flag, text, least,
                 errno == ERANGE ? ", or is too large" : "");
  return GANNET_OK;
}

gannet_err cli_duration(const cli_arguments *arguments, const char *flag, double least,
                        const char *expected, double fallback, double *seconds) {
  const char *text = cli_value(arguments, flag);
  *seconds = fallback;
  if (!text) return GANNET_OK;
  GANNET_REQUIRE(gannet_parse_duration(text, seconds) == 0 && *seconds >= least, GANNET_ERR_INPUT,
                 "--%s: '%s' is not a duration %s", flag, text, expected);
  return GANNET_OK;
}

gannet_err cli_absolute_path(const char *given, const char *flag, char *path, size_t size) {
  char here[PATH_MAX];
  if (given[0] != '/') {
    if (!getcwd(here, sizeof here)) return gannet_raise_errno("find", "working directory");
    return gannet_join_path(here, given, path, size);
  }
  GANNET_REQUIRE(strlen(given) < size, GANNET_ERR_INPUT, "--%s: too long; choose a shorter path",
                 flag);
  memcpy(path, given, strlen(given) + 1);
  return GANNET_OK;
}

gannet_err cli_format(const cli_arguments *arguments, gannet_format fallback,
                      gannet_format *format) {
  const char *text = cli_value(arguments, "format");
  *format = fallback;
  if (!text) return GANNET_OK;
  for (int i = 0; gannet_format_names[i]; ++i)
    if (strcmp(gannet_format_names[i], text) == 0) {
      *format = (gannet_format)i;
      return GANNET_OK;
    }
  return GANNET_RAISE(GANNET_ERR_INPUT, "--format: '%s' is not one of table, csv, json", text);
}

/* Print the words of text[0..length) from column `at` on, in lines of at most 80 columns. Further
 * lines begin at column `indent`. Returns the column behind the last word. */
static size_t print_words(FILE *out, size_t at, size_t indent, const char *text, size_t length) {
  enum { WIDTH = 80 };
  const char *const end = text + length;
  for (const char *word = text; (word += strspn(word, " \n")) < end;) {
    const size_t size = strcspn(word, " \n");
    const bool is_new = at > 0 && at + 1 + size > WIDTH;
    if (is_new) (void)fputc('\n', out);
    const size_t room = is_new ? indent : at < indent ? indent - at : at > 0;
    (void)fprintf(out, "%*s%.*s", (int)room, "", (int)size, word);
    at = (is_new ? 0 : at) + room + size;
    word += size;
  }
  return at;
}

static void print_flags(const cli_flag *flags, FILE *out) {
  enum { COLUMN = 32 };
  for (; (flags = cli_listed_flag(flags)); ++flags) {
    char text[64];
    const char letter[] = {flags->letter, '\0'};
    (void)snprintf(text, sizeof text, "%s%s%s--%s%s%s", flags->letter ? "-" : "", letter,
                   flags->letter ? ", " : "    ", flags->name, flags->argument ? " " : "",
                   flags->argument ? flags->argument : "");
    const size_t at = (size_t)fprintf(out, "  %-28s", text);
    (void)print_words(out, at, COLUMN, flags->help, strlen(flags->help));
    (void)fputc('\n', out);
  }
}

/* Paragraphs, filled anew. Empty lines, and lines that begin with a blank, stay as they are. */
static void print_details(const char *text, FILE *out) {
  size_t at = 0;
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n");
    if (length == 0 || *line == ' ') {
      (void)fprintf(out, "%s%.*s\n", at > 0 ? "\n" : "", (int)length, line);
      at = 0;
    } else {
      at = print_words(out, at, 0, line, length);
    }
    line += length + (line[length] == '\n');
  }
  (void)fputs(at > 0 ? "\n\n" : "\n", out);
}

void cli_help(const cli_command *command, FILE *out) {
  const size_t at = (size_t)fprintf(out, "usage: gannet %s", command->name);
  (void)print_words(out, at, strlen("usage: gannet "), command->usage, strlen(command->usage));
  (void)fputs("\n\n", out);
  char summary[256];
  (void)snprintf(summary, sizeof summary, "%s.", command->summary);
  (void)print_words(out, 0, 0, summary, strlen(summary));
  (void)fputs("\n\n", out);
  if (command->details) print_details(command->details, out);
  (void)fputs("options:\n", out);
  print_flags(command->flags, out);
  print_flags(cli_common_flags, out);
}

#define EXIT_ROW(name, number, text) (void)fprintf(out, "  %3d  %s\n", number, text);

void cli_help_all(FILE *out) {
  (void)fputs("gannet " GANNET_VERSION
              " - tunes expensive simulations by Bayesian optimisation\n\n"
              "usage: gannet COMMAND [ARGUMENTS]\n"
              "       mpirun -n N gannet run CAMPAIGN.yaml\n\ncommands:\n",
              out);
  for (int i = 0; cli_commands[i]; ++i)
    (void)fprintf(out, "  %-10s  %s\n", cli_commands[i]->name, cli_commands[i]->summary);
  (void)fputs(
      "\n  gannet COMMAND --help   options of a command\n"
      "  gannet --version        version\n\nexit codes:\n",
      out);
  GANNET_EXIT_LIST(EXIT_ROW)
}
