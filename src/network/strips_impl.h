/* The functions of both precisions; private to this room. */
#ifndef GANNET_NETWORK_STRIPS_IMPL_H
#define GANNET_NETWORK_STRIPS_IMPL_H

#include "network/strips.h"

extern const gannet_strips strips_single, strips_double;

#endif
