/* Evaluations that were proposed and not told yet: which of them wait for a run, are in flight in
 * the evaluator, or have ended.
 */
#ifndef GANNET_CAMPAIGN_RUN_BATCH_H
#define GANNET_CAMPAIGN_RUN_BATCH_H

#include "campaign/run/campaign.h"
#include "campaign/run/progress.h"
#include "evaluate/evaluator.h"

/* Zero-initialise; free with gannet_batch_release. */
typedef struct {
  int n;           /* evaluations without a told result, in the order of ids */
  int64_t *id;     /* [n] */
  bool *in_flight; /* [n] */
  int capacity;
  int n_flight;
  int n_ended;             /* not in flight, with a result that waits to be told */
  int64_t n_looked;        /* evaluations of the ledger that were taken in so far */
  gannet_text_list warned; /* names of reported numbers that were warned about */
  char returned[256]; /* why attempts came back without a result, and the campaign stops; "" = none
                         did */
} gannet_batch;

/* Begin with every evaluation that was proposed and not told. Evaluations whose result is in the
 * journal only wait to be told. What an earlier process submitted is taken over where the back-end
 * can.
 *
 * Collective over the campaign's context; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_batch_open(gannet_campaign *campaign, gannet_evaluator *evaluator,
                                            gannet_batch *batch);
void gannet_batch_release(gannet_batch *batch);

/* After proposals or tells, add the new evaluations and remove the told ones.
 *
 * Collective over the campaign's context; the same on all ranks.
 *
 * Cost: O(n + new evaluations).
 */
GANNET_CHECKED gannet_err gannet_batch_renew(const gannet_campaign *campaign, gannet_batch *batch);

/* After corrections, end simulations that are not wanted any more, and add evaluations that have to
 * run again.
 *
 * Collective over the campaign's context; the same on all ranks.
 *
 * Cost: O(evaluations).
 */
GANNET_CHECKED gannet_err gannet_batch_correct(const gannet_campaign *campaign,
                                               gannet_evaluator *evaluator, gannet_batch *batch);

/* List the evaluations whose result is known and not told, in the order of ids; returns how many.
 *
 * Local.
 *
 * id  out  [batch->n]
 */
int gannet_batch_ended(const gannet_campaign *campaign, const gannet_batch *batch, int64_t *id);

/* Note that nothing is in flight any more: the evaluator was cancelled, or was left to go on alone.
 *
 * Local.
 */
void gannet_batch_clear_in_flight(gannet_batch *batch);

/* Launch what waits, as far as there is room.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_batch_submit(gannet_campaign *campaign,
                                              gannet_evaluator *evaluator, gannet_batch *batch);

/* Wait for ended evaluations, at most wait seconds, and take them down; what was taken down before
 * is on disk before the wait begins.
 *
 * Collective; the same on all ranks.
 */
GANNET_CHECKED gannet_err gannet_batch_collect(gannet_campaign *campaign,
                                               gannet_evaluator *evaluator, double wait,
                                               gannet_batch *batch);

/* Evaluations that still need a run.
 *
 * Local.
 */
int gannet_batch_waiting(const gannet_batch *batch);

#endif
