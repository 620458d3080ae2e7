/* gannet explain */
#include "campaign/explain.h"
#include "cli/cli.h"

static const cli_flag flags[] = {
    {"markdown", 0, NULL, "print the whole reference as Markdown", false},
    {NULL, 0, NULL, NULL, false},
};

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  (void)world;
  (void)code;
  if (cli_has(arguments, "markdown")) {
    gannet_explain_markdown(stdout);
    return GANNET_OK;
  }
  return gannet_explain(arguments->n_positional > 0 ? arguments->positional[0] : NULL, stdout);
}

const cli_command cli_explain = {
    .name = "explain",
    .usage = "[KEY] [options]",
    .summary = "explain a key of the campaign file: type, unit, range, default, example",
    .details = "Without a key all sections and keys are listed.\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run,
};
