#include "campaign/budget.h"

#include <stdio.h>

int64_t gannet_budget_left(const gannet_campaign *campaign) {
  const int budget = campaign->input->budget.evaluations;
  const int64_t listed = gannet_history_count_left(campaign->history);
  if (budget == GANNET_AUTO) return listed;
  const int64_t used = gannet_history_count(campaign->history) -
                       gannet_history_count_origin(campaign->history, GANNET_ORIGIN_USER);
  const int64_t left = used < budget ? budget - used : 0;
  return left < listed ? left : listed;
}

bool gannet_budget_has_failed(const gannet_campaign *campaign, char *why, size_t size) {
  const gannet_failure_limit *limit = &campaign->input->failures;
  const gannet_history *h = campaign->history;
  const int64_t proposed = gannet_history_count(h);
  const int64_t failed = gannet_history_count_status(h, GANNET_EVAL_FAILED);
  if (gannet_history_count_told(h) < limit->minimum) return false;
  if (!((double)failed > limit->rate * (double)proposed)) return false;
  (void)snprintf(
      why, size,
      "%lld of %lld evaluations failed; `gannet status` lists the reasons; --resume --set "
      "budget.failures.rate=1 goes on",
      (long long)failed, (long long)proposed);
  return true;
}
