/* gannet ask */
#include "base/memory.h"
#include "campaign/run/budget.h"
#include "campaign/run/campaign.h"
#include "campaign/run/stop_rule.h"
#include "cli/open_campaign.h"
#include "cli/query.h"

static const cli_flag flags[] = {
    {"count", 'q', "N", "how many points (default: the campaign's batch)", false},
    {"format", 'f', "FORMAT", "csv (default), json or table", false},
    CLI_WAIT_FLAG,
    {NULL, 0, NULL, NULL, false},
};

/* Reduce the number of points to what a run would propose: each design of a list once, and each
 * possible design once where results are exact. Fewer points than were asked for are better than
 * none. */
static gannet_err limit_count(const gannet_campaign *campaign, long long *q) {
  const int64_t listed = gannet_history_count_left(campaign->history);
  const int64_t designs = gannet_budget_designs_left(campaign);
  const int64_t left = listed < designs ? listed : designs;
  const char *why = listed < designs ? "each design of the list of candidates is proposed once"
                                     : "with noise: 0 no design is proposed twice";
  GANNET_REQUIRE(
      left > 0, GANNET_ERR_INPUT,
      "no design is left to propose: %s; use `gannet tell` for the pending evaluations, and "
      "the campaign is over",
      why);
  if (*q <= left) return GANNET_OK;
  if (campaign->context->rank == 0)
    cli_warn("%lld designs were asked for, but only %lld are left: %s", *q, (long long)left, why);
  *q = left;
  return GANNET_OK;
}

static gannet_err print_points(const gannet_campaign *campaign, int64_t first, int q,
                               gannet_format format) {
  int64_t *ids = NULL;
  GANNET_TRY(gannet_alloc((size_t)q, sizeof *ids, &ids));
  for (int i = 0; i < q; ++i) ids[i] = first + i;
  const gannet_err err =
      cli_write_table(stdout, campaign, (gannet_table_spec){.format = format, .n = q, .ids = ids});
  gannet_free(&ids);
  return err;
}

static gannet_err ask_points(const cli_arguments *arguments, gannet_campaign *campaign,
                             void *user) {
  const int budget = campaign->input->budget.evaluations;
  const bool is_first_rank = campaign->context->rank == 0;
  long long q = 0;
  gannet_format format;
  int64_t first = 0;
  gannet_regret_memo regret = {0};
  char why[320];
  (void)user;
  GANNET_TRY(cli_whole(arguments, "count", 1, campaign->input->general.batch, &q));
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_CSV, &format));
  GANNET_REQUIRE(q <= 100000, GANNET_ERR_INPUT, "--count: at most 100000");
  GANNET_TRY(limit_count(campaign, &q));
  GANNET_TRY(gannet_stop_rule_check(campaign, &regret, why, sizeof why));
  if (is_first_rank && why[0]) cli_warn("`gannet run` would propose nothing more (%s)", why);
  GANNET_TRY(gannet_campaign_ask(campaign, (int)q, &first));
  GANNET_TRY(gannet_campaign_save(campaign));
  const int64_t n = gannet_budget_used(campaign);
  if (is_first_rank && budget != GANNET_AUTO && n > budget)
    cli_warn("%lld evaluations are proposed now, and budget.evaluations is %d", (long long)n,
             budget);
  const gannet_err err = is_first_rank ? print_points(campaign, first, (int)q, format) : GANNET_OK;
  return gannet_agree(campaign->context->comm, err);
}

static gannet_err run_ask(const cli_arguments *arguments, const cli_world *world,
                          gannet_exit *code) {
  (void)code;
  return cli_in_session(arguments, world, ask_points);
}

const cli_command cli_ask = {
    .name = "ask",
    .usage = "DIR [options]",
    .summary = "propose points for simulations that you run yourself",
    .details =
        "DIR is a campaign directory, or a campaign file, from which gannet makes one. Points\n"
        "are saved before they are printed; report results with `gannet tell`. Can be run under\n"
        "mpirun. When fewer designs are left than you ask for, proposes those; when none is\n"
        "left, the exit code is 2.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .parallel = true,
    .run = run_ask,
};
