/* The interface of a simulation that runs inside the job: built-in problems and plugins.
 *
 * A plugin is a shared object that exports
 *
 *   int gannet_simulate(const gannet_simulation_input *input, gannet_simulation_output *output);
 *
 * It is called on every rank of input->comm at the same time. It returns 0 and fills output on the
 * communicator's rank 0, or non-zero when the run failed by bad luck (the reason may be given). A
 * design that the simulation cannot treat at all sets cannot_run instead: the optimiser learns from
 * that and does not try again.
 *
 * The communicator stays the same from call to call until a run fails on any of its ranks. The next
 * call gets another one, so that messages that the failed run left behind reach nobody: what a
 * simulation keeps between calls must not rest on input->comm.
 *
 * The locale and the floating-point environment (traps, rounding, -ffast-math) that a plugin sets
 * are there again at its next call; the program around it has its own.
 */
#ifndef GANNET_SIMULATION_H
#define GANNET_SIMULATION_H

#include <mpi.h>
#include <stdint.h>

#include "gannet/quantity.h"
#include "gannet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GANNET_SIMULATION_ABI 1

typedef struct {
  int abi;       /* GANNET_SIMULATION_ABI of the caller */
  MPI_Comm comm; /* ranks_per_simulation ranks; errors are returned on it */
  int64_t id;    /* of the evaluation */
  int attempt;   /* 1 for the first */
  uint64_t seed; /* for random numbers of the simulation; a function of campaign seed and id */
  int n_variables;
  const char *const *names;
  const double *x;          /* [n_variables] as in gannet/problem.h */
  const char *const *texts; /* [n_variables] the same values as text ("true", "gmres", "0.5") */
  int n_constraints;
  const char *const *constraint_names;
  int n_settings;
  const char *const *settings; /* [n_settings] "key=value" from evaluate.settings of the campaign */
} gannet_simulation_input;

typedef struct {
  double objective;
  double *constraints; /* [n_constraints], belongs to the caller */
  union {
    int cannot_run; /* non-zero: the simulation cannot work at this design */
    int infeasible GANNET_DEPRECATED("use cannot_run"); /* the name until version 0.1 */
  };
  char reason[256]; /* of cannot_run or of a failure; "" = not told */
  /* Since version 0.2: what else the simulation reports, on rank 0 of its communicator: other
   * quantities, or objective and constraints by their names, for their standard deviations and
   * gradients or instead of the members above. Of more than 1000 others the first are kept.
   * Borrowed until the next call. */
  int n_quantities;
  const gannet_quantity *quantities; /* [n_quantities] */
  int partial; /* non-zero: the objective or constraints that are NAN are missing, but not all of
                  them, as a check that came first has ended the run. 0: NAN is an error */
} gannet_simulation_output;

typedef int (*gannet_simulate_function)(const gannet_simulation_input *input,
                                        gannet_simulation_output *output);

#ifdef __cplusplus
}
#endif
#endif
