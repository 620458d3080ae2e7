/* An example plugin: the sum of (x - 0.3)^2 over all variables, with two that misbehave when asked
 * to.
 *
 *   forbidden > 0    the simulation cannot run
 *   crash > 0.5      the run fails by bad luck
 *
 * Build one of your own with: mpicc -shared -fPIC -I<gannet>/include -o my.so my.c
 */
#include <stdio.h>
#include <string.h>

#include "gannet/simulation.h"

GANNET_API int gannet_simulate(const gannet_simulation_input *input,
                               gannet_simulation_output *output);

/* The value of a variable, or 0 when the campaign has none of that name. */
static double value_of(const gannet_simulation_input *input, const char *name) {
  for (int i = 0; i < input->n_variables; ++i)
    if (strcmp(input->names[i], name) == 0) return input->x[i];
  return 0;
}

int gannet_simulate(const gannet_simulation_input *input, gannet_simulation_output *output) {
  double sum = 0;
  output->cannot_run = 0;
  output->reason[0] = '\0';
  if (input->abi != GANNET_SIMULATION_ABI) {
    (void)snprintf(output->reason, sizeof output->reason, "built for interface %d, called with %d",
                   GANNET_SIMULATION_ABI, input->abi);
    return 1;
  }
  if (value_of(input, "crash") > 0.5) {
    (void)snprintf(output->reason, sizeof output->reason, "crashed because it was asked to");
    return 1;
  }
  if (value_of(input, "forbidden") > 0) {
    output->cannot_run = 1;
    (void)snprintf(output->reason, sizeof output->reason, "forbidden > 0");
    return 0;
  }
  for (int i = 0; i < input->n_variables; ++i) sum += (input->x[i] - 0.3) * (input->x[i] - 0.3);
  output->objective = sum;
  /* Every constraint that is asked for gets the distance to 1 of the first variable. */
  for (int i = 0; i < input->n_constraints && output->constraints; ++i)
    output->constraints[i] = input->n_variables > 0 ? input->x[0] - 1 : 0;
  return 0;
}
