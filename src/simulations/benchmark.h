/* What the test problems share: their settings, the checks of names and sizes, and the
 * disturbances.
 *
 * Variables are taken in their order, whatever their names. Constraints are asked for by the names
 * c1, c2, ... and are kept when they are at most 0.
 */
#ifndef GANNET_SIMULATIONS_BENCHMARK_H
#define GANNET_SIMULATIONS_BENCHMARK_H

#include "evaluate/simulation.h"

enum { GANNET_BENCHMARK_CONSTRAINTS_MOST = 16 };

typedef struct {
  double noise_sd; /* objective units */
  double delay;    /* seconds */
  double fail;     /* probability */
  double shift;    /* share of the box */
} gannet_benchmark_settings;

extern const gannet_option gannet_benchmark_options[];

/* The problem itself: returns the objective and fills the constraints, of which there may be none.
 *
 * Local.
 */
typedef double (*gannet_benchmark_function)(int d, const double *x, double *c);

/* Run a test problem: value at the point moved by shift, noise, delay, failures at random.
 *
 * The noise depends on input->seed only; failures on the seed and the attempt, so that a retry may
 * succeed. A point at which the value is not finite is infeasible.
 *
 * Logically collective over input->comm: every rank computes the same.
 *
 * Returns 0, or 1 with a reason: a dimension or a constraint that the problem does not have, a
 * failure that was ordered by the fail setting.
 */
int gannet_benchmark_run(const gannet_simulation_type *type, gannet_benchmark_function function,
                         const void *settings, const gannet_simulation_input *input,
                         gannet_simulation_output *output);

/* A box with the same bounds for every variable.
 *
 * Local.
 */
void gannet_benchmark_cube(int d, double low, double high, double *lower, double *upper);

/* A minimum at the same value of every variable. Returns 0.
 *
 * Local.
 */
int gannet_benchmark_at(int d, double value, double at_value, double *minimum, double *minimizer);

/* A minimum at a listed point. Returns 0.
 *
 * Local.
 */
int gannet_benchmark_listed(int d, double value, const double *point, double *minimum,
                            double *minimizer);

#endif
