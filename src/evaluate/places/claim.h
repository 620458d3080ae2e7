/* Two gannets on one machine, or in one allocation, must not give the same cores and GPUs to their
 * simulations. Each holds locks for as long as it runs: they end with the process, however that
 * ends.
 *
 * Cores and GPUs of the controller's node: each gannet writes what it shares out into a file of its
 * own in TMPDIR, or in /tmp, and locks it.
 *
 * Nodes of an allocation of several: BASE/.gannet-places-CLUSTER-JOB has a byte per node, and one
 * that is locked while nodes are claimed or given back, or the file is removed. A gannet that lets
 * srun choose the cores of a node has a write lock on the byte, one that gives out cores of its own
 * node has a read lock. BASE is HOME, or SLURM_SUBMIT_DIR where no file can be made in HOME:
 * folders that the nodes share at most sites.
 */
#ifndef GANNET_EVALUATE_PLACES_CLAIM_H
#define GANNET_EVALUATE_PLACES_CLAIM_H

#include "evaluate/places/inventory.h"

typedef struct {
  int here; /* descriptor that holds the claim on cores and GPUs; -1 = none */
  int job;  /* descriptor that holds the claim on nodes; -1 = none */
} gannet_claim;

/* Claim the cores and GPUs of the controller's node, and its nodes. Where the files cannot be
 * written or locked, nothing is claimed.
 *
 * Local.
 *
 * is_bound  in   simulations are started on cores of the controller's node only; else srun chooses
 *                cores on any node
 * campaign  in   directory, to be named to others
 * claim     out  for gannet_claim_release, also after an error
 *
 * Errors: GANNET_ERR_BUSY, naming the campaign and the process that has some of them.
 */
GANNET_CHECKED gannet_err gannet_claim_make(const gannet_inventory *inventory, bool has_gpus,
                                            bool is_bound, const char *campaign,
                                            gannet_claim *claim);
void gannet_claim_release(gannet_claim *claim);

#endif
