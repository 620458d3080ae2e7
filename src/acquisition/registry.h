/* The list of acquisition functions: a new one is its file or folder in acquisition/functions and a
 * line here.
 *
 * X(NAME) stands for the object gannet_acq_NAME. People see the functions in this order.
 */
#ifndef GANNET_ACQUISITION_REGISTRY_H
#define GANNET_ACQUISITION_REGISTRY_H

#include "acquisition/acquisition.h"

#define GANNET_ACQUISITIONS(X) \
  X(thompson)                  \
  X(thompson_pointwise)        \
  X(log_ei)                    \
  X(log_aei)                   \
  X(parego)                    \
  X(nehvi)                     \
  X(ei)                        \
  X(pi)                        \
  X(lcb)                       \
  X(optimism)                  \
  X(mes)                       \
  X(pes)                       \
  X(es)                        \
  X(kg)                        \
  X(admm)

#define GANNET_DECLARE_ACQUISITION(name) extern const gannet_acq_type gannet_acq_##name;
GANNET_ACQUISITIONS(GANNET_DECLARE_ACQUISITION)

#endif
