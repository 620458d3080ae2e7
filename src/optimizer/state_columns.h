/* The saved state of an optimiser in a state file: numbers and texts, each list beside that of its
 * names (optimizer/names, values and types; optimizer/text_names and texts).
 */
#ifndef GANNET_OPTIMIZER_STATE_COLUMNS_H
#define GANNET_OPTIMIZER_STATE_COLUMNS_H

#include "optimizer/state.h"
#include "store/state_file.h"

/* Write a state; read one into an empty state.
 *
 * Local.
 *
 * Errors: those of the store; read: GANNET_ERR_DAMAGED where lists do not fit each other.
 */
GANNET_CHECKED gannet_err gannet_state_write(gannet_store *store, const gannet_state *state);
GANNET_CHECKED gannet_err gannet_state_read(const gannet_store *store, gannet_state *state);

#endif
