/* gannet manual */
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "campaign/config/explain.h"
#include "cli/cli.h"
#include "gannet/version.h"

static const cli_flag flags[] = {{NULL, 0, NULL, NULL, false}};

static void put_flags(FILE *out, const cli_flag *flag) {
  for (; (flag = cli_listed_flag(flag)); ++flag) {
    (void)fputs(".TP\n.B ", out);
    if (flag->letter) (void)fprintf(out, "\\-%c, ", flag->letter);
    (void)fputs("\\-\\-", out);
    gannet_roff_text(out, flag->name);
    if (flag->argument) {
      (void)fputc(' ', out);
      gannet_roff_text(out, flag->argument);
    }
    (void)fputc('\n', out);
    gannet_roff_text(out, flag->help);
    (void)fputs(".\n", out);
  }
}

#define EXIT_ROW(name, number, text)       \
  (void)fprintf(out, ".TP\n%d\n", number); \
  gannet_roff_text(out, text);             \
  (void)fputs(".\n", out);

static void put_exit_codes(FILE *out) {
  (void)fputs(".SH EXIT STATUS\n", out);
  GANNET_EXIT_LIST(EXIT_ROW)
}

/* gannet-run(1) and the like. */
static void put_command(FILE *out, const cli_command *command) {
  char title[64];
  (void)snprintf(title, sizeof title, "gannet-%s", command->name);
  gannet_roff_title(out, title, 1, GANNET_VERSION);
  (void)fprintf(out, ".SH NAME\ngannet\\-%s \\- ", command->name);
  gannet_roff_text(out, command->summary);
  (void)fprintf(out, "\n.SH SYNOPSIS\n.B gannet %s\n", command->name);
  gannet_roff_text(out, command->usage);
  (void)fputc('\n', out);
  if (command->details) {
    (void)fputs(".SH DESCRIPTION\n", out);
    gannet_roff_text(out, command->details);
  }
  (void)fputs(".SH OPTIONS\n", out);
  put_flags(out, command->flags);
  put_flags(out, cli_common_flags);
  put_exit_codes(out);
  (void)fputs(".SH SEE ALSO\ngannet(1), gannet\\-campaign(5)\n", out);
}

static void put_program(FILE *out) {
  gannet_roff_title(out, "gannet", 1, GANNET_VERSION);
  (void)fputs(
      ".SH NAME\ngannet \\- tune expensive simulations by Bayesian optimisation\n"
      ".SH SYNOPSIS\n.B gannet\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n.br\n"
      ".B mpirun \\-n\n.I N\n.B gannet run\n.I CAMPAIGN.yaml\n"
      ".SH DESCRIPTION\nAn MPI\\-parallel batch black\\-box optimiser whose models are Gaussian "
      "processes, quadratic models and neural networks. It proposes batches of designs, has them "
      "evaluated by parallel simulations, saves every result at once, and continues after any "
      "interruption.\n"
      ".SH COMMANDS\n",
      out);
  for (int i = 0; cli_commands[i]; ++i) {
    (void)fprintf(out, ".TP\n.BR gannet\\-%s (1)\n", cli_commands[i]->name);
    gannet_roff_text(out, cli_commands[i]->summary);
    (void)fputs(".\n", out);
  }
  put_exit_codes(out);
  (void)fputs(
      ".SH EXAMPLES\nA campaign file for a program of yours, with a comment on every line; all "
      "that can be checked without running it; the campaign; its best design; its pictures:\n"
      ".PP\n.nf\n"
      "gannet init wing.yaml \\-\\-variable chord=0.5:2 \\-\\-command './simulate {params} "
      "{results}'\n"
      "gannet run \\-\\-dry\\-run wing.yaml\ngannet run wing.yaml\ngannet best wing.campaign\n"
      "gannet report wing.campaign\n.fi\n"
      ".SH SEE ALSO\ngannet\\-campaign(5), mpirun(1)\n",
      out);
}

static gannet_err run_manual(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  const char *page = arguments->n_positional > 0 ? arguments->positional[0] : "gannet";
  const char *known[40] = {"gannet", "campaign"};
  (void)world;
  (void)code;
  for (int i = 0; cli_commands[i]; ++i) known[i + 2] = cli_commands[i]->name;
  if (strcmp(page, "gannet") == 0) {
    put_program(stdout);
  } else if (strcmp(page, "campaign") == 0) {
    gannet_explain_manual(stdout);
  } else {
    const cli_command *command = cli_find_command(page);
    const char *near = gannet_nearest(page, known);
    GANNET_REQUIRE(command, GANNET_ERR_INPUT,
                   "no manual page '%s'%s%s%s; expected a command, gannet or campaign", page,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    put_command(stdout, command);
  }
  return GANNET_OK;
}

const cli_command cli_manual = {
    .name = "manual",
    .usage = "[PAGE] [options]",
    .summary = "print a manual page",
    .details =
        "PAGE is a command, gannet (the default), or campaign for the campaign file. To read "
        "it:\n`gannet manual run | man -l -`. Installed pages are found by man itself.\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run_manual,
};
