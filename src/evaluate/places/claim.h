/* Two gannets on one machine, or in one allocation, must not give the same cores and GPUs to their
 * simulations. Each writes what it shares out into a file, and holds a lock on it for as long as it
 * runs: the lock ends with the process, however that ends.
 *
 * The files lie in TMPDIR, or in /tmp. Controllers on different nodes of an allocation do not see
 * each other.
 */
#ifndef GANNET_EVALUATE_PLACES_CLAIM_H
#define GANNET_EVALUATE_PLACES_CLAIM_H

#include "evaluate/places/inventory.h"

/* Claim the cores and GPUs of the controller's node. Where the files cannot be written, nothing is
 * claimed.
 *
 * Local.
 *
 * campaign  in   directory, to be named to others
 * file      out  descriptor that holds the claim, for gannet_claim_release; -1 = none
 *
 * Errors: GANNET_ERR_BUSY, naming the campaign and the process that has some of them.
 */
GANNET_CHECKED gannet_err gannet_claim_make(const gannet_inventory *inventory, bool has_gpus,
                                            const char *campaign, int *file);
void gannet_claim_release(int *file);

#endif
