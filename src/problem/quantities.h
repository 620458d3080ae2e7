/* A list of quantities that owns their names and gradients. */
#ifndef GANNET_PROBLEM_QUANTITIES_H
#define GANNET_PROBLEM_QUANTITIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "gannet/quantity.h"

/* Most quantities of an evaluation besides objective and constraints; the first are kept. */
enum { GANNET_QUANTITIES_MOST = 1000 };

/* One quantity, as gannet_quantity says. */
typedef struct {
  char *name; /* owned */
  double value, sd;
  double *gradient; /* [n_variables] owned; NULL = not told */
} gannet_reported;

/* Zero-initialise; free with gannet_quantities_release. A list is moved by assignment. */
typedef struct {
  int n, capacity;
  gannet_reported *item; /* [n] every name once, in the order in which they were reported */
} gannet_quantities;

/* Free what a list owns and make it empty.
 *
 * Local.
 */
void gannet_quantities_release(gannet_quantities *list);

/* Whether a variable or a quantity may have this name. Names travel into files, environment
 * variables and Fortran namelists.
 *
 * Local.
 */
bool gannet_quantity_is_name(const char *name);

/* The quantity of a name, or NULL.
 *
 * Local.
 */
const gannet_reported *gannet_quantities_find(const gannet_quantities *list, const char *name);

/* Append a copy of a quantity, or put it in the place of the one that has its name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_ARG for a name that cannot be one, and sd below 0 or not finite;
 *   GANNET_ERR_MEMORY.
 */
GANNET_CHECKED gannet_err gannet_quantities_set(gannet_quantities *list, int n_variables,
                                                const gannet_quantity *quantity);

/* Replace a list by a copy of another.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_quantities_copy(const gannet_quantities *from, int n_variables,
                                                 gannet_quantities *to);

/* A list as bytes, for other ranks of the same program. gannet_quantities_size says how many there
 * are; 0 for an empty list.
 *
 * Local.
 *
 * bytes  out  [gannet_quantities_size]
 */
size_t gannet_quantities_size(const gannet_quantities *list, int n_variables);
void gannet_quantities_pack(const gannet_quantities *list, int n_variables, void *bytes);

/* Replace a list by what was packed; size 0 makes it empty.
 *
 * Local.
 */
GANNET_CHECKED gannet_err gannet_quantities_unpack(const void *bytes, size_t size, int n_variables,
                                                   gannet_quantities *list);

#endif
