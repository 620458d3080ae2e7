/* Everything that gannet offers to programs. */
#ifndef GANNET_GANNET_H
#define GANNET_GANNET_H

#include "gannet/context.h"
#include "gannet/library.h"
#include "gannet/optimizer.h"
#include "gannet/physics.h"
#include "gannet/problem.h"
#include "gannet/quantity.h"
#include "gannet/simulation.h"
#include "gannet/status.h"
#include "gannet/version.h"

#endif
