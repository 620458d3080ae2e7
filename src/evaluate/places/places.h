/* Places: which cores and GPUs each running simulation has.
 *
 * A simulation gets its place when it starts and gives it back when nothing of it is left. The
 * choice is a function of what is taken at that moment: nodes in their order, on each the first run
 * of free cores that is long enough, or else the first free cores, and the first free GPUs. No two
 * places share a core or an entry of the list of GPUs, unless oversubscribe says that they may:
 * then the least used ones are taken.
 */
#ifndef GANNET_EVALUATE_PLACES_PLACES_H
#define GANNET_EVALUATE_PLACES_PLACES_H

#include "evaluate/places/inventory.h"

typedef struct gannet_places gannet_places;

/* The place of one simulation: on each of n_nodes nodes as many cores and GPUs. Zeroed = none. */
typedef struct {
  gannet_need need;
  int n_nodes, cores, gpus; /* cores, gpus: of each node */
  int *node;                /* [n_nodes] of the inventory; owned, and what follows in one piece */
  int *core;                /* [n_nodes][cores] of the node */
  int *gpu;                 /* [n_nodes][gpus] of the node */
} gannet_place;

/* Make the table of what is free: everything but the reserved cores of the controller's node.
 *
 * Local.
 *
 * inventory   in  borrowed until gannet_places_destroy
 * only_here   in  no simulation can be started on another node than the controller's
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_places_create(const gannet_inventory *inventory,
                                               const gannet_resources *resources, bool only_here,
                                               gannet_places **places);
void gannet_places_destroy(gannet_places **places);

/* Take a place, if there is a free one.
 *
 * Local.
 *
 * place  out  to be given back with gannet_place_give_back; zeroed when none is free
 * taken  out  whether there was one
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_place_take(gannet_places *places, const gannet_need *need,
                                            gannet_place *place, bool *taken);
void gannet_place_give_back(gannet_places *places, gannet_place *place);

/* The time at which the next node opens that is left out for a while; INFINITY = none does.
 *
 * Local.
 */
double gannet_places_next_opening(const gannet_places *places);

/* How many simulations of one need run at once, without oversubscribing; at most so many.
 *
 * Local.
 *
 * Errors: GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_places_count(const gannet_inventory *inventory,
                                              const gannet_resources *resources, bool only_here,
                                              const gannet_need *need, int most, int *count);

#endif
