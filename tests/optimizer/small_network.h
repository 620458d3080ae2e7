/* A setting that makes GO-UCB cheap in tests that run every method. */
#ifndef GANNET_TESTS_OPTIMIZER_SMALL_NETWORK_H
#define GANNET_TESTS_OPTIMIZER_SMALL_NETWORK_H

#include <string.h>

#include "gannet/optimizer.h"

/* The first setting is the method, and there is room for one more. Returns the number of settings.
 * The inner minimum of GO-UCB over a network of the usual size would take most of the time of a
 * test that runs every method. */
static inline int with_small_network(gannet_method_setting *settings, int n) {
  if (strncmp(settings[0].text, "go-ucb", 6) != 0) return n;
  settings[n] = (gannet_method_setting){"surrogate.units", "6"};
  return n + 1;
}

#endif
