/* --help, from the tables. */
#include <string.h>

#include "cli/cli.h"
#include "gannet/version.h"

const cli_command *const cli_commands[] = {
    &cli_init,   &cli_run,    &cli_step,   &cli_status,  &cli_watch,      &cli_best,
    &cli_export, &cli_verify, &cli_report, &cli_explain, &cli_list,       &cli_ask,
    &cli_tell,   &cli_bench,  &cli_doctor, &cli_manual,  &cli_completion, NULL,
};

const cli_command *cli_find_command(const char *name) {
  for (int i = 0; cli_commands[i]; ++i)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

static void print_flags(const cli_flag *flags, FILE *out) {
  for (; (flags = cli_listed_flag(flags)); ++flags) {
    char text[64];
    const char letter[] = {flags->letter, '\0'};
    (void)snprintf(text, sizeof text, "%s%s%s--%s%s%s", flags->letter ? "-" : "", letter,
                   flags->letter ? ", " : "    ", flags->name, flags->argument ? " " : "",
                   flags->argument ? flags->argument : "");
    (void)fprintf(out, "  %-28s  %s\n", text, flags->help);
  }
}

void cli_help(const cli_command *command, FILE *out) {
  (void)fprintf(out, "usage: gannet %s %s\n\n%s.\n\n", command->name, command->usage,
                command->summary);
  if (command->details) (void)fprintf(out, "%s\n", command->details);
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
