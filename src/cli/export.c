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
  gannet_table_spec all = {.format = format, .course = true, .n = campaign->ledger.n};
  gannet_front front = {0};
  gannet_err err = GANNET_OK;
  if (campaign->input->problem->spec.n_objectives > 0) {
    err = gannet_front_find(campaign->history, &front);
    all.front = &front;
  }
  if (err == GANNET_OK && cli_has(arguments, "timeline"))
    err = gannet_timeline_write(out, &campaign->ledger, format);
  else if (err == GANNET_OK)
    err = cli_write_table(out, campaign, all);
  gannet_front_release(&front);
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
  if (err == GANNET_OK) err = write_output(arguments, &campaign);
  if (err == GANNET_OK) cli_show_feasible(&campaign);
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
