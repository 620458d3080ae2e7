/* gannet best */
#include <math.h>

#include "base/memory.h"
#include "cli/program.h"
#include "cli/query.h"

static const cli_flag flags[] = {
    {"count", 'n', "N", "how many of the best (default 1)", false},
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {"recommended", 'r', NULL, "the design that a model recommends when values are noisy", false},
    {NULL, 0, NULL, NULL, false},
};

/* How many of the ranked evaluations are feasible. */
static int64_t count_feasible(const gannet_campaign *campaign, int64_t n, const int64_t *ids) {
  int64_t feasible = 0;
  while (feasible < n && gannet_history_violation(campaign->history, ids[feasible]) <= 0)
    ++feasible;
  return feasible;
}

static gannet_err print_rows(const gannet_campaign *campaign, int format, int64_t n,
                             const int64_t *ids) {
  gannet_labels labels;
  cli_labels(campaign, &labels);
  const gannet_table_spec spec = {
      .format = (gannet_format)format, .n = n, .ids = ids, .labels = &labels};
  const gannet_err err = gannet_table_write(stdout, &campaign->ledger, &spec);
  gannet_labels_release(&labels);
  return err;
}

static gannet_err print(const cli_arguments *arguments, const gannet_campaign *campaign,
                        int64_t n_ranked, const int64_t *ids, gannet_exit *code) {
  int format = 0;
  long long wanted = 1;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_whole(arguments, "count", 1, 1, &wanted));
  int64_t n = count_feasible(campaign, n_ranked, ids);
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
  return print_rows(campaign, format, n < wanted ? n : wanted, ids);
}

static void print_noise(double given, const gannet_recommendation *r) {
  if (isnan(r->noise_sd)) {
    (void)fprintf(stderr,
                  "gannet: the best value seen, %.6g: less than %d results tell nothing of noise\n",
                  r->mean, GANNET_RECOMMEND_LEAST);
    return;
  }
  (void)fprintf(stderr, "gannet: without noise the model has %.6g here, give or take %.2g", r->mean,
                r->sd);
  (void)fprintf(stderr, "; noise of a value %s%.2g\n", isnan(given) ? "about " : "given as ",
                r->noise_sd);
}

/* Beside the table: on stderr, so that what reads the table is not surprised. */
static gannet_err print_recommended(const cli_arguments *arguments, const gannet_campaign *campaign,
                                    gannet_exit *code) {
  gannet_recommendation r;
  int format = 0;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_recommend(campaign, &r));
  if (r.id < 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    (void)fputs("gannet: no feasible design\n", stderr);
    return GANNET_OK;
  }
  print_noise(campaign->input->problem->spec.noise_sd, &r);
  return print_rows(campaign, format, 1, &r.id);
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
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
  if (err == GANNET_OK) err = print(arguments, &campaign, n, ids, code);
  gannet_free(&ids);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_best = {
    .name = "best",
    .usage = "DIR [options]",
    .summary = "print the best feasible design of a campaign",
    .details =
        "Without a feasible design the exit code is 3 and the one that violates the constraints\n"
        "least is printed.\n"
        "When values are noisy the best one is the luckiest; --recommended prints the design at\n"
        "which a model of all results has the best mean. Columns of a list of candidates that "
        "are no\n"
        "variables, such as names, come last.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .reads_state = true,
    .run = run,
};
