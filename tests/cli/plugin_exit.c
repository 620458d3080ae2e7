/* Ends the process, as some solvers do with designs that they do not like. */
#include <stdlib.h>

#include "gannet/simulation.h"

GANNET_API int gannet_simulate(const gannet_simulation_input *input,
                               gannet_simulation_output *output);

int gannet_simulate(const gannet_simulation_input *input, gannet_simulation_output *output) {
  if (input->x[0] > 0.5) exit(0); /* NOLINT(concurrency-mt-unsafe) */
  output->objective = input->x[0];
  return 0;
}
