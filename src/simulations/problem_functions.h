/* Functions of test problems that problems with constraints take over, and what all of them define.
 */
#ifndef GANNET_SIMULATIONS_PROBLEM_FUNCTIONS_H
#define GANNET_SIMULATIONS_PROBLEM_FUNCTIONS_H

#include "simulations/benchmark.h"

/* Define NAME_run, which runs problem gannet_NAME by its function. */
#define GANNET_DEFINE_RUN(name, function)                                                       \
  static int name##_run(const void *settings, const gannet_simulation_input *input,             \
                        gannet_simulation_output *output, gannet_quantity *quantities) {        \
    return gannet_benchmark_run(&gannet_##name, function, settings, input, output, quantities); \
  }

/* The functions of the problems gannet_ackley, gannet_branin and gannet_hartmann6.
 *
 * Local.
 *
 * x  in   [d]
 * c  out  not touched
 */
double gannet_ackley_value(int d, const double *x, double *c);
double gannet_branin_value(int d, const double *x, double *c);
double gannet_hartmann6_value(int d, const double *x, double *c);

#endif
