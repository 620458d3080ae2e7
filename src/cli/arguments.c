/* Command lines: getopt_long driven by the flag tables. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "campaign/tables/table.h"
#include "cli/cli.h"

const cli_flag cli_common_flags[] = {
    {"help", 'h', NULL, "show this help", false},
    {NULL, 0, NULL, NULL, false},
};

const cli_flag *cli_listed_flag(const cli_flag *flag) {
  while (flag && flag->name && !flag->help) ++flag;
  return flag && flag->name ? flag : NULL;
}

static int count(const cli_flag *flags) {
  int n = 0;
  while (flags && flags[n].name) ++n;
  return n;
}

static int find(const cli_flag *flags, const char *name) {
  for (int i = 0; i < count(flags); ++i)
    if (strcmp(flags[i].name, name) == 0) return i;
  return -1;
}

/* The flag that is meant by one with an old name; others mean themselves. */
static int meant_by(const cli_flag *flags, int at) {
  return flags[at].help ? at : find(flags, flags[at].argument);
}

/* The tables as getopt_long wants them; values of the long options are positions + 1000. */
static void make_options(const cli_flag *flags, struct option *options, char *letters) {
  int n = 0;
  *letters++ = ':'; /* tell a missing value from an unknown option */
  for (int i = 0; i < count(flags); ++i) {
    const cli_flag *flag = &flags[i];
    options[n].name = flag->name;
    options[n].has_arg = flags[meant_by(flags, i)].argument ? required_argument : no_argument;
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

static gannet_err refuse(const cli_command *command, char **argv) {
  const char *known[CLI_MOST_FLAGS + 2] = {NULL};
  const char *word = argv[optind - 1];
  int n = 0;
  for (const cli_flag *f = command->flags; (f = cli_listed_flag(f)); ++f) known[n++] = f->name;
  known[n] = "help";
  while (*word == '-') ++word;
  const char *near = gannet_nearest(word, known);
  return GANNET_RAISE(GANNET_ERR_INPUT,
                      "unknown option '%s' of gannet %s%s%s%s; see gannet %s --help",
                      argv[optind - 1], command->name, near ? "; did you mean '--" : "",
                      near ? near : "", near ? "'?" : "", command->name);
}

static int position(const cli_flag *flags, int value) {
  if (value >= 1000) return value - 1000;
  for (int i = 0; i < count(flags); ++i)
    if (flags[i].letter == value) return i;
  return -1;
}

/* An empty directory is what an unset variable of a script leaves, and means no place. */
static gannet_err keep(const cli_command *command, int given, cli_arguments *arguments) {
  const int at = meant_by(command->flags, given);
  const char *name = command->flags[given].name, **said = &arguments->said[at];
  GANNET_REQUIRE(!*said || strcmp(*said, name) == 0, GANNET_ERR_INPUT,
                 "--%s and --%s are two names of the same option; leave one out", *said, name);
  *said = name;
  const char *what = command->flags[at].argument;
  GANNET_REQUIRE(!what || strcmp(what, "DIR") != 0 || optarg[0], GANNET_ERR_INPUT,
                 "--%s is empty; expected the name of a directory", command->flags[at].name);
  arguments->value[at] = optarg ? optarg : "";
  arguments->times[at] += 1;
  if (!command->flags[at].repeated) return GANNET_OK;
  GANNET_REQUIRE(arguments->n_values < CLI_MOST_VALUES, GANNET_ERR_INPUT,
                 "at most %d times --%s are possible", CLI_MOST_VALUES, command->flags[at].name);
  arguments->values[arguments->n_values].flag = at;
  arguments->values[arguments->n_values++].text = optarg;
  return GANNET_OK;
}

static gannet_err check_positional(const cli_command *command, const cli_arguments *arguments) {
  const int n = arguments->n_positional;
  GANNET_REQUIRE(n >= command->least, GANNET_ERR_INPUT, "missing argument; usage: gannet %s %s",
                 command->name, command->usage);
  GANNET_REQUIRE(n <= command->most, GANNET_ERR_INPUT,
                 "unexpected argument '%s'; usage: gannet %s %s",
                 arguments->positional[command->most], command->name, command->usage);
  return GANNET_OK;
}

gannet_err cli_parse(const cli_command *command, int argc, char **argv, cli_arguments *arguments,
                     bool *help) {
  struct option options[CLI_MOST_FLAGS + 2];
  char letters[3 * CLI_MOST_FLAGS + 4];
  memset(options, 0, sizeof options);
  memset(arguments, 0, sizeof *arguments);
  arguments->flags = command->flags;
  make_options(command->flags, options, letters);
  opterr = 0;
  optind = 1;
  for (;;) {
    const int value = getopt_long(argc, argv, letters, options, NULL);
    if (value == -1) break;
    if (value == '?') return refuse(command, argv);
    if (value == ':')
      return GANNET_RAISE(GANNET_ERR_INPUT, "option '%s' needs a value; see gannet %s --help",
                          argv[optind - 1], command->name);
    if (value == 'h') {
      *help = true;
      return GANNET_OK;
    }
    GANNET_TRY(keep(command, position(command->flags, value), arguments));
  }
  arguments->n_positional = argc - optind;
  arguments->positional = argv + optind;
  return check_positional(command, arguments);
}

void cli_warn_renamed(const cli_arguments *arguments) {
  for (int i = 0; i < count(arguments->flags); ++i)
    if (arguments->said[i] && strcmp(arguments->said[i], arguments->flags[i].name) != 0)
      cli_warn("--%s is now called --%s; the old name is still accepted", arguments->said[i],
               arguments->flags[i].name);
}

const char *cli_value(const cli_arguments *arguments, const char *flag) {
  const int at = find(arguments->flags, flag);
  return at < 0 ? NULL : arguments->value[at];
}

int cli_times(const cli_arguments *arguments, const char *flag) {
  const int at = find(arguments->flags, flag);
  return at < 0 ? 0 : arguments->times[at];
}

bool cli_has(const cli_arguments *arguments, const char *flag) {
  return cli_value(arguments, flag) != NULL;
}

const char *cli_repeated(const cli_arguments *arguments, const char *flag, int k) {
  const int at = find(arguments->flags, flag);
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
                 "--%s: '%s' is not a whole number of at least %lld", flag, text, least);
  return GANNET_OK;
}

gannet_err cli_format(const cli_arguments *arguments, int fallback, int *format) {
  const char *text = cli_value(arguments, "format");
  *format = fallback;
  if (!text) return GANNET_OK;
  for (int i = 0; gannet_format_names[i]; ++i)
    if (strcmp(gannet_format_names[i], text) == 0) {
      *format = i;
      return GANNET_OK;
    }
  return GANNET_RAISE(GANNET_ERR_INPUT, "--format: '%s' is not one of table, csv, json", text);
}
