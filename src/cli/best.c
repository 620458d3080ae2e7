/* gannet best */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/query.h"

static const cli_flag flags[] = {
    {"count", 'n', "N", "how many of the best (default 1)", false},
    {"format", 'f', "FORMAT", "table (default), csv or json", false},
    {NULL, 0, NULL, NULL, false},
};

typedef struct {
  int64_t id;
  double value; /* minimised */
} place;

static int by_value(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* Feasible evaluations, best first. */
static int64_t rank_feasible(const gannet_campaign *campaign, place *places) {
  const gannet_problem *problem = campaign->input->problem;
  int64_t n = 0;
  for (int64_t id = 0; id < campaign->ledger.n; ++id) {
    const gannet_ticket *t = &campaign->ledger.ticket[id];
    if (!t->has_result || t->status != GANNET_EVAL_DONE) continue;
    if (!gannet_problem_is_feasible(problem, t->constraints)) continue;
    places[n++] = (place){id, gannet_problem_flip(problem, t->objective)};
  }
  qsort(places, (size_t)n, sizeof *places, by_value);
  return n;
}

static gannet_err print(const cli_arguments *arguments, const gannet_campaign *campaign,
                        place *places, int64_t *ids, gannet_exit *code) {
  int format = 0;
  long long wanted = 1;
  GANNET_TRY(cli_format(arguments, GANNET_FORMAT_TABLE, &format));
  GANNET_TRY(cli_whole(arguments, "count", 1, 1, &wanted));
  int64_t n = rank_feasible(campaign, places);
  if (n == 0) {
    *code = GANNET_EXIT_INFEASIBLE;
    const int64_t least = gannet_history_least_violation(campaign->history);
    (void)fprintf(stderr, "gannet: no feasible evaluation%s\n",
                  least < 0 ? "" : "; this one violates the constraints least:");
    if (least < 0) return GANNET_OK;
    places[n++].id = least;
  }
  if (n > wanted) n = wanted;
  for (int64_t i = 0; i < n; ++i) ids[i] = places[i].id;
  const gannet_table_spec spec = {.format = (gannet_format)format, .n = n, .ids = ids};
  return gannet_table_write(stdout, &campaign->ledger, &spec);
}

static gannet_err run(const cli_arguments *arguments, const cli_world *world, gannet_exit *code) {
  gannet_campaign campaign;
  place *places = NULL;
  int64_t *ids = NULL;
  (void)world;
  gannet_err err = cli_query(arguments, &campaign);
  const size_t n = (size_t)campaign.ledger.n + 1;
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *places, &places);
  if (err == GANNET_OK) err = gannet_alloc(n, sizeof *ids, &ids);
  if (err == GANNET_OK) err = print(arguments, &campaign, places, ids, code);
  gannet_free(&places);
  gannet_free(&ids);
  gannet_campaign_close(&campaign);
  return err;
}

const cli_command cli_best = {
    .name = "best",
    .usage = "DIR [options]",
    .summary = "print the best feasible design of a campaign",
    .details =
        "Without a feasible design the exit code is 3 and the least infeasible one is printed.\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run,
};
