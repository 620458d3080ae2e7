/* gannet export */
#include "campaign/tables/timeline.h"
#include "cli/query.h"

static const cli_flag flags[] = {
    {"format", 'f', "FORMAT", "csv (default), json or table", false},
    {"timeline", 't', NULL, "print what ran when: one row per attempt, by slot and start", false},
    {"output", 'o', "FILE", "write to a file instead of standard output", false},
    {NULL, 0, NULL, NULL, false},
};

static gannet_err write_output(const cli_arguments *arguments, const gannet_campaign *campaign) {
  FILE *out = NULL;
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_CSV, &format));
  GANNET_TRY(cli_open_output(arguments, &out));
  const gannet_table_spec all = {.format = format, .course = true, .n = campaign->ledger.n};
  const gannet_err err = cli_has(arguments, "timeline")
                             ? gannet_timeline_write(out, &campaign->ledger, format)
                             : cli_write_table(out, campaign, all);
  const gannet_err closed = cli_close_output(out);
  return err != GANNET_OK ? err : closed;
}

static gannet_err run_export(const cli_arguments *arguments, const cli_world *world,
                             gannet_exit *code) {
  gannet_campaign campaign;
  (void)world;
  (void)code;
  /* The timeline shows earlier attempts, which are in the journal only. */
  gannet_err err = cli_query(arguments, cli_has(arguments, "timeline"), &campaign);
  if (err == GANNET_OK) cli_show_feasible(&campaign);
  if (err == GANNET_OK) err = write_output(arguments, &campaign);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_export = {
    .name = "export",
    .usage = "DIR [options]",
    .summary = "print every evaluation of a campaign, with parameters, results, times and hosts",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_export,
};
