/* (x - 0.3)^2, computed as its author wants it: rounded upwards from the moment it is loaded, as
 * -ffast-math flushes small numbers to zero, and with traps from the first call on. With PLAIN in
 * the environment it does nothing of that. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

#include "gannet/simulation.h"

GANNET_API int gannet_simulate(const gannet_simulation_input *input,
                               gannet_simulation_output *output);

__attribute__((constructor)) static void load(void) {
  if (!getenv("PLAIN")) (void)fesetround(FE_UPWARD);
}

int gannet_simulate(const gannet_simulation_input *input, gannet_simulation_output *output) {
  static int called;
  const int rounding = fegetround(), traps = fegetexcept();
  if (!getenv("PLAIN") && (rounding != FE_UPWARD || (called && traps != FE_INVALID))) {
    (void)snprintf(output->reason, sizeof output->reason, "my arithmetic is gone");
    return 1;
  }
  if (!getenv("PLAIN")) (void)feenableexcept(FE_INVALID);
  called = 1;
  output->objective = 0.25 * (double)(int)(64 * (input->x[0] - 0.3) * (input->x[0] - 0.3));
  return 0;
}
