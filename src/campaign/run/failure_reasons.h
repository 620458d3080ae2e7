/* Why evaluations have no result, equal reasons together.
 *
 * Reasons are texts of simulations and schedulers. Two are equal when they differ only in what
 * differs from run to run: numbers (process ids, times, addresses, values), and parts of paths that
 * have a number in them or are below a directory for temporary files. Status, class, exit code and
 * signal have to be the same, too.
 */
#ifndef GANNET_CAMPAIGN_RUN_FAILURE_REASONS_H
#define GANNET_CAMPAIGN_RUN_FAILURE_REASONS_H

#include "campaign/run/ledger.h"

enum { GANNET_REASON_KEY = 2 * GANNET_REASON_SIZE };

/* The text that equal reasons have in common: "failed (exit code) 1 0: element # is flat".
 *
 * Local.
 *
 * key  out  [GANNET_REASON_KEY]
 */
void gannet_reason_key(const gannet_ticket *ticket, char *key);

/* Evaluations that ended without a result for the same reason. */
typedef struct {
  int64_t first, last; /* ids */
  int64_t count;
} gannet_reason;

/* All reasons of a ledger, that of the last evaluation first.
 *
 * Local.
 *
 * reasons  out  [n]; to be freed with gannet_free
 *
 * Errors: GANNET_ERR_MEMORY.
 *
 * Cost: O(n log n) for n evaluations.
 */
GANNET_CHECKED gannet_err gannet_reasons_collect(const gannet_ledger *ledger,
                                                 gannet_reason **reasons, int64_t *n);

/* "failed (exit code): exit code 3; stderr: element 17 is flat".
 *
 * Local.
 */
void gannet_reason_text(const gannet_ticket *ticket, char *text, size_t size);

#endif
