/* What all files of the program share.
 *
 * A command (gannet run, gannet best, ...) is a file, or a folder, of its name with a
 * `cli_command`: its options, its help, and the function that runs it. Parsing, --help, manual
 * pages and shell completion are made from these tables.
 *
 *   command_line.c   the table of commands; options and arguments; --help
 *   messages.c       warnings, complaints about input files, the log
 *   query.c          reading a campaign directory, for commands that change nothing
 *   open_campaign.c  opening a campaign that another process may hold, for ask, tell, run and step
 *   main.c           finds the command, starts MPI where it is needed, reports errors
 *   program.c        why gannet is more than one program (program.h)
 */
#ifndef GANNET_CLI_CLI_H
#define GANNET_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/complaints.h"
#include "base/error.h"
#include "campaign/tables/grid.h"
#include "evaluate/launcher/launcher.h"
#include "gannet/context.h"

enum { CLI_MOST_FLAGS = 32, CLI_MOST_VALUES = 256 };

typedef struct {
  const char *name;     /* without dashes; NULL ends a table */
  char letter;          /* 0 = none */
  const char *argument; /* what its value is; NULL = a switch. A row of an old name has here the
                           name of the option that has replaced it */
  const char *help;     /* NULL = the row is of an old name */
  bool repeated;        /* the option may be given several times */
} cli_flag;

/* A row for the old name of an option: it is still accepted, with a warning that says the new one.
 * Old names are not listed and not completed. */
#define CLI_RENAMED(old, now) \
  { old, 0, now, NULL, false }

/* The given flag of a table or, when it is an old name, the next that is none; NULL at the end.
 *
 * Local.
 */
const cli_flag *cli_listed_flag(const cli_flag *flag);

/* What a command line said, by positions of flags in their table. Texts are borrowed from argv. */
typedef struct {
  const cli_flag *flags;
  const char *value[CLI_MOST_FLAGS]; /* the last value; "" = a switch that was given; NULL = none */
  int times[CLI_MOST_FLAGS];         /* how often the flag was given */
  const char
      *said[CLI_MOST_FLAGS]; /* the name by which the flag was given: its own or an old one */
  int n_values;              /* values of all repeated flags, in the order of the line */
  struct {
    int flag;
    const char *text;
  } values[CLI_MOST_VALUES];
  int n_positional;
  char **positional;
} cli_arguments;

/* What a command may use besides its arguments. */
typedef struct {
  MPI_Comm comm; /* MPI_COMM_NULL for commands that do not start MPI */
  int rank;
  gannet_launcher *launcher; /* NULL unless the command launches simulations */
  char **argv;               /* argument of main */
} cli_world;

typedef struct {
  const char *name;
  const char *usage;   /* arguments, for the first line of --help */
  const char *summary; /* one sentence without a full stop */
  const char *details; /* paragraphs for --help and the manual page */
  const cli_flag *flags;
  int least, most;          /* positional arguments */
  bool reads_state;         /* reads campaigns: needs HDF5 */
  bool parallel;            /* needs MPI and PETSc */
  bool launches;            /* starts simulations */
  bool launches_everywhere; /* on every rank, not on rank 0 only */
  /* Returns an exit code through code; errors are reported by the caller. */
  gannet_err (*run)(const cli_arguments *arguments, const cli_world *world, gannet_exit *code);
} cli_command;

/* Families that gannet list shows, and shells of gannet completion; NULL-terminated. */
extern const char *const cli_list_families[];
extern const char *const cli_shells[];

/* Every command, NULL-terminated. */
extern const cli_command *const cli_commands[];

/* The command of a name, or NULL.
 *
 * Local.
 */
const cli_command *cli_find_command(const char *name);

/* Flags that every command has. */
extern const cli_flag cli_common_flags[];

/* Parse argv[1..]; *help is set when --help was asked for.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT naming the option and the nearest known one.
 */
GANNET_CHECKED gannet_err cli_parse(const cli_command *command, int argc, char **argv,
                                    cli_arguments *arguments, bool *help);

/* Warn of options that were given by an old name.
 *
 * Local.
 */
void cli_warn_renamed(const cli_arguments *arguments);

/* The value of a flag, NULL when it was not given; whether the flag was given; how often it was.
 *
 * Local.
 */
const char *cli_value(const cli_arguments *arguments, const char *flag);
bool cli_has(const cli_arguments *arguments, const char *flag);
int cli_times(const cli_arguments *arguments, const char *flag);

/* The k-th value of a repeated flag, or NULL.
 *
 * Local.
 */
const char *cli_repeated(const cli_arguments *arguments, const char *flag, int k);

/* A whole number of at least least from a flag; fallback when it was not given.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_whole(const cli_arguments *arguments, const char *flag,
                                    long long least, long long fallback, long long *value);

/* The seconds of a duration from a flag; fallback when it was not given.
 *
 * Local.
 *
 * least     in  smallest value; DBL_MIN = anything above 0
 * expected  in  end of the message "... is not a duration ...", such as "such as 10s or 1m"
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_duration(const cli_arguments *arguments, const char *flag,
                                       double least, const char *expected, double fallback,
                                       double *seconds);

/* `expected` of flags that limit the time of a run or of a simulation. */
#define CLI_LIMIT_EXPECTED "such as 90s, 10m or 4h"

/* The path that a flag gives, or that stands for it, from the root.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT when it is too long.
 */
GANNET_CHECKED gannet_err cli_absolute_path(const char *given, const char *flag, char *path,
                                            size_t size);

/* The value of --format; fallback when it was not given.
 *
 * Local.
 *
 * Errors: GANNET_ERR_INPUT.
 */
GANNET_CHECKED gannet_err cli_format(const cli_arguments *arguments, gannet_format fallback,
                                     gannet_format *format);

/* --help of one command, and of the program.
 *
 * Local.
 */
void cli_help(const cli_command *command, FILE *out);
void cli_help_all(FILE *out);

/* Print a text that may quote simulations, files, hosts or paths: characters that a terminal would
 * obey become spaces. Ends of lines and tabs stay.
 *
 * Local.
 */
void cli_say(FILE *out, const char *format, ...) GANNET_PRINTF(2, 3);

/* A warning on stderr, without a log; control characters of what it quotes become spaces.
 *
 * Local.
 */
void cli_warn(const char *format, ...) GANNET_PRINTF(1, 2);

/* A log on stderr (warnings and errors, with rank and host) and in a file (all lines, with times).
 * Lines that come before the file is open are kept for it. It is the user of
 * gannet_context_set_log.
 */
typedef struct {
  FILE *file;
  FILE *early; /* stream into early_text; NULL when it could not be made, or after cli_log_open */
  char *early_text;
  size_t early_size;
  gannet_log_level shown; /* on stderr */
  char host[64];
} cli_log;

/* Begin logging; other ranks than 0 write to stderr only.
 *
 * Local.
 */
void cli_log_begin(cli_log *log, gannet_log_level shown);

/* Begin to write the log to a file, too. Lines that were logged before come first.
 *
 * Local.
 */
void cli_log_open(cli_log *log, const char *path);

/* Close the file; accepts a log that was never begun, all zero.
 *
 * Local.
 */
void cli_log_end(cli_log *log);

/* The gannet_log_sink that goes with it.
 *
 * Local.
 */
void cli_log_line(void *user, gannet_log_level level, int rank, const char *line);

/* Show the warnings that were not shown yet, on rank 0.
 *
 * Local.
 */
void cli_show_warnings(gannet_complaints *complaints, int rank);

/* Show everything that is wrong with an input file, on rank 0, with warnings, and shorten the error
 * to its number and the file; any other error is passed on.
 *
 * Local.
 */
GANNET_CHECKED gannet_err cli_complain(gannet_complaints *complaints, const char *file, int rank,
                                       gannet_err err);

extern const cli_command cli_init;
extern const cli_command cli_tidy;
extern const cli_command cli_try;
extern const cli_command cli_run;
extern const cli_command cli_step;
extern const cli_command cli_status;
extern const cli_command cli_watch;
extern const cli_command cli_best;
extern const cli_command cli_export;
extern const cli_command cli_verify;
extern const cli_command cli_explain;
extern const cli_command cli_list;
extern const cli_command cli_ask;
extern const cli_command cli_tell;
extern const cli_command cli_predict;
extern const cli_command cli_discard;
extern const cli_command cli_correct;
extern const cli_command cli_retry;
extern const cli_command cli_bench;
extern const cli_command cli_doctor;
extern const cli_command cli_report;
extern const cli_command cli_manual;
extern const cli_command cli_completion;

#endif
