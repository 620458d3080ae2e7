/* Built-in simulations: a table that the program hands to the function back-end, so that this room
 * knows the interface and not the simulations.
 */
#ifndef GANNET_EVALUATE_SIMULATION_H
#define GANNET_EVALUATE_SIMULATION_H

#include <stdbool.h>

#include "base/option.h"
#include "gannet/simulation.h"

/* The most quantities that a built-in simulation reports. */
enum { GANNET_SIMULATION_QUANTITIES_MOST = 16 };

typedef struct {
  const char *name; /* first member */
  const char *summary;
  const char *source;
  const gannet_option *options; /* keys under evaluate.settings; NULL = none */
  size_t options_size;
  /* Collective over input->comm. Returns 0, or non-zero for bad luck, as gannet/simulation.h.
   *
   * quantities  out  [GANNET_SIMULATION_QUANTITIES_MOST] room of the caller, to which
   *                  output->quantities may point
   */
  int (*run)(const void *options, const gannet_simulation_input *input,
             gannet_simulation_output *output, gannet_quantity *quantities);
  /* The published box and optimum of a test problem of dimension d, for benchmarks and generated
   * inputs; NULL for simulations without one. lower and upper are [d]; minimum and
   * minimizer [d] may be NULL; returns 0, or -1 when the problem does not exist in that dimension.
   */
  int (*box)(int d, double *lower, double *upper, double *minimum, double *minimizer);
  /* The differential equations that the objective obeys in d dimensions, as the physics section of
   * a campaign file states them for variables x1, x2, ...; returns the number of characters needed,
   * like snprintf. NULL when there are none. */
  int (*physics)(int d, char *text, size_t size);
  int n_constraints;
  const char *const *constraints; /* [n_constraints] their names; NULL = c1, c2, ... */
  int fixed_d;                    /* dimension, 0 = any */
  /* The fewest variables with these options, where they matter: box, which knows no options, may
   * exist in fewer. NULL = box says all. */
  int (*least_d)(const void *options);
  /* Name of variable i of those that there are with these options, of which a campaign may have
   * some in any order; false past the last. NULL = variables go by their order. */
  bool (*name_variable)(const void *options, int i, char *name, size_t size);
  /* Name of quantity i of those that run reports by name with these options, besides constraints;
   * NULL past the last. NULL = it reports no quantities. */
  const char *(*name_quantity)(const void *options, int i);
  /* For a test problem with several objectives, which are its quantities and are all minimised; it
   * leaves output->objective alone. A published reference point, and the hypervolume of the true
   * front above it, NAN where it is not known. Returns the number of objectives. NULL = one
   * objective.
   *
   * reference  out  [number of objectives]
   */
  int (*front)(const void *options, double *reference, double *hypervolume);
} gannet_simulation_type;

#endif
