/* x + 0.5, in the language of the user: numbers have a decimal comma from the first call on. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "gannet/simulation.h"

GANNET_API int gannet_simulate(const gannet_simulation_input *input,
                               gannet_simulation_output *output);

int gannet_simulate(const gannet_simulation_input *input, gannet_simulation_output *output) {
  char half[8] = "";
  (void)setlocale(LC_ALL, "");
  (void)snprintf(half, sizeof half, "%g", 0.5);
  if (strcmp(half, "0,5") != 0) {
    (void)snprintf(output->reason, sizeof output->reason, "no decimal comma");
    return 1;
  }
  output->objective = input->x[0] + 0.5;
  return 0;
}
