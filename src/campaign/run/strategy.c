#include "campaign/run/strategy.h"

static int at_most(int64_t n, int most) {
  return n < most ? (int)n : most;
}

static int next_batch(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left) {
  return batch->n > 0 ? 0 : at_most(left, campaign->input->general.batch);
}

static bool has_ended(const gannet_campaign *campaign, const gannet_batch *batch) {
  (void)campaign;
  return batch->n_flight == 0 && gannet_batch_waiting(batch) == 0;
}

/* What waits for a further attempt takes a slot as well. */
static int free_slots(const gannet_campaign *campaign, const gannet_batch *batch, int64_t left) {
  const int used = batch->n_flight + gannet_batch_waiting(batch);
  const int free = campaign->input->evaluate.parallel - used;
  return free > 0 ? at_most(left, free) : 0;
}

static bool has_any(const gannet_campaign *campaign, const gannet_batch *batch) {
  (void)campaign;
  return batch->n_ended > 0;
}

static const gannet_strategy synchronous = {"batch", next_batch, has_ended};
static const gannet_strategy asynchronous = {"asynchronous", free_slots, has_any};

const gannet_strategy *const gannet_strategies[] = {&synchronous, &asynchronous};
