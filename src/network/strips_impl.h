/* The functions of both precisions; private to this room. */
#ifndef GANNET_NETWORK_STRIPS_IMPL_H
#define GANNET_NETWORK_STRIPS_IMPL_H

#include "network/strips.h"

/* For registers of 64, 32 or 16 bytes.
 *
 * Local.
 */
const gannet_strips *strips_single(int width);
const gannet_strips *strips_double(int width);

#endif
