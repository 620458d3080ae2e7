/* gannet best */
#include <math.h>

#include "base/memory.h"
#include "cli/program.h"
#include "cli/query.h"

static const cli_flag flags[] = {
    {"count", 'n', "N", "how many of the best designs (default 1)", false},
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {"recommended", 'r', NULL, "the design that a model recommends when values are noisy", false},
    {NULL, 0, NULL, NULL, false},
};

/* ids: the evaluations with a result, best first. */
static gannet_err print_ranked(const cli_arguments *arguments, const gannet_campaign *campaign,
                               int64_t n_ranked, const int64_t *ids, gannet_exit *code) {
  gannet_format format;
  long long wanted = 1;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_whole(arguments, "count", 1, 1, &wanted));
  int64_t n = 0; /* feasible ones */
  while (n < n_ranked && gannet_history_violation(campaign->history, ids[n]) <= 0) ++n;
  if (n == 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    if (n_ranked == 0) {
      (void)fputs("gannet: no feasible design: there are no results\n", stderr);
      return GANNET_OK;
    }
    (void)fprintf(stderr, "gannet: no feasible design; least violation %.4g at evaluation %lld:\n",
                  gannet_history_violation(campaign->history, ids[0]), (long long)ids[0]);
    n = 1;
  }
  const gannet_table_spec spec = {.format = format, .n = n < wanted ? n : wanted, .ids = ids};
  return cli_write_table(stdout, campaign, spec);
}

static void print_noise(double given, const gannet_recommendation *r) {
  if (isnan(r->noise_sd)) {
    (void)fprintf(
        stderr,
        "gannet: the best value seen, %.6g: fewer than %d results tell nothing about noise\n",
        r->mean, GANNET_RECOMMEND_LEAST);
    return;
  }
  (void)fprintf(stderr, "gannet: without noise the model has %.6g here, give or take %.2g", r->mean,
                r->sd);
  (void)fprintf(stderr, "; noise of a value %s%.2g\n", isnan(given) ? "about " : "given as ",
                r->noise_sd);
}

/* What the model says goes to stderr, so that a program can read the table from stdout. */
static gannet_err print_recommended(const cli_arguments *arguments, const gannet_campaign *campaign,
                                    gannet_exit *code) {
  gannet_recommendation r;
  gannet_format format;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_recommend(campaign, &r));
  if (r.id < 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    (void)fputs("gannet: no feasible design\n", stderr);
    return GANNET_OK;
  }
  const bool is_told = *gannet_history_sd(campaign->history, r.id) > 0;
  print_noise(is_told ? r.noise_sd : campaign->input->problem->spec.noise_sd, &r);
  return cli_write_table(stdout, campaign,
                         (gannet_table_spec){.format = format, .n = 1, .ids = &r.id});
}

static gannet_err run_best(const cli_arguments *arguments, const cli_world *world,
                           gannet_exit *code) {
  gannet_campaign campaign;
  int64_t *ids = NULL, n = 0;
  if (cli_has(arguments, "recommended")) GANNET_TRY(cli_become(CLI_EVERYTHING, world->argv));
  gannet_err err = cli_query(arguments, false, &campaign);
  if (err == GANNET_OK && cli_has(arguments, "recommended")) {
    err = print_recommended(arguments, &campaign, code);
    gannet_campaign_close(&campaign);
    return err;
  }
  if (err == GANNET_OK) cli_show_feasible(&campaign);
  if (err == GANNET_OK) err = gannet_history_rank(campaign.history, &ids, &n);
  if (err == GANNET_OK) err = print_ranked(arguments, &campaign, n, ids, code);
  gannet_free(&ids);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_best = {
    .name = "best",
    .usage = "DIR [options]",
    .summary = "print the best feasible design of a campaign",
    .details =
        "Without a feasible design the exit code is 3, and the design that violates the "
        "constraints\n"
        "least is printed.\n"
        "When values are noisy, the best design is also the luckiest one; --recommended prints "
        "the\n"
        "design at which a model of all results has the best mean. Other columns of a list of\n"
        "candidates, such as names, come last.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run_best,
};
