/* The list of models: a new surrogate is its file or folder in surrogate/models and a line here.
 *
 * X(NAME) stands for the object gannet_surrogate_NAME. People see the models in this order.
 */
#ifndef GANNET_SURROGATE_REGISTRY_H
#define GANNET_SURROGATE_REGISTRY_H

#include "surrogate/surrogate.h"

#define GANNET_SURROGATES(X) \
  X(tangent_kernel)          \
  X(ensemble)                \
  X(gp)                      \
  X(parametric)              \
  X(pinn)                    \
  X(linear_head)             \
  X(forest)

#define GANNET_DECLARE_SURROGATE(name) extern const gannet_surrogate_type gannet_surrogate_##name;
GANNET_SURROGATES(GANNET_DECLARE_SURROGATE)

#endif
