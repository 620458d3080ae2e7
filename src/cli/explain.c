/* gannet explain */
#include <string.h>

#include "campaign/config/explain.h"
#include "cli/cli.h"
#include "suite/keys.h"

static const cli_flag flags[] = {
    {"suite", 0, NULL, "KEY is a key of the suite files of gannet bench", false},
    {"markdown", 0, NULL, "print the whole reference as Markdown", false},
    {"format", 'f', "FORM", "text (default), or json: a JSON schema of campaign files, for editors",
     false},
    {NULL, 0, NULL, NULL, false},
};

static void print_suite_reference(void) {
  (void)fputs(
      "# Suite reference\n\n"
      "Every key of a suite file of `gannet bench`, generated from the tables that parse it; "
      "`gannet explain --suite KEY`\nshows the same. [benchmarks.md](benchmarks.md) is the "
      "introduction, the [input reference](input-reference.md) has the keys of\n"
      "campaign files that problems and methods can have. A `*` stands for a name of your own.\n",
      stdout);
  gannet_explain_schema_markdown(suite_schema_get, stdout);
}

static gannet_err run_explain(const cli_arguments *arguments, const cli_world *world,
                              gannet_exit *code) {
  const bool suite = cli_has(arguments, "suite");
  const char *key = arguments->n_positional > 0 ? arguments->positional[0] : NULL;
  const char *format = cli_has(arguments, "format") ? cli_value(arguments, "format") : "text";
  (void)world;
  (void)code;
  if (strcmp(format, "json") == 0) {
    GANNET_REQUIRE(!key && !suite && !cli_has(arguments, "markdown"), GANNET_ERR_INPUT,
                   "--format json prints the schema of a whole campaign file; leave out %s",
                   key     ? key
                   : suite ? "--suite"
                           : "--markdown");
    return gannet_explain_json_schema(stdout);
  }
  GANNET_REQUIRE(strcmp(format, "text") == 0, GANNET_ERR_INPUT,
                 "--format: '%s' is not known; expected text or json", format);
  if (!cli_has(arguments, "markdown"))
    return gannet_explain_schema(suite ? suite_schema_get : gannet_schema_get, key, stdout);
  if (suite)
    print_suite_reference();
  else
    gannet_explain_markdown(stdout);
  return GANNET_OK;
}

const cli_command cli_explain = {
    .name = "explain",
    .usage = "[KEY] [options]",
    .summary = "explain a key of the campaign file: type, unit, range, default, example",
    .details = "Without a key all sections and keys are listed.\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run_explain,
};
