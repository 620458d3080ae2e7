/* Activation functions of networks, applied to contiguous arrays.
 *
 * There is one indirect call per array. Values and derivatives come from the polynomials of this
 * file, so they do not change with the C library. Errors are a few units in the last place; where a
 * derivative is close to zero, that holds for the absolute error.
 */
#ifndef GANNET_NETWORK_ACTIVATION_H
#define GANNET_NETWORK_ACTIVATION_H

#include <stdbool.h>

#include "base/error.h"

/* value, slope and curve read u [n] and write the other arrays [n], none of them NULL: the
 * function, its first and its second derivative. The array value may be u itself. higher reads u,
 * value and slope and writes d [4][n], the derivatives of order 2 to 5. */
typedef struct {
  const char *name; /* first member: registries are searched by it */
  const char *summary;
  bool smooth; /* has derivatives of every order, as differential equations need, and higher */
  void (*value)(int n, const double *u, double *value);
  void (*slope)(int n, const double *u, double *value, double *slope);
  void (*curve)(int n, const double *u, double *value, double *slope, double *curve);
  void (*higher)(int n, const double *u, const double *value, const double *slope, double *d);
} gannet_activation;

/* Every activation, NULL-terminated. */
extern const gannet_activation *const gannet_activations[];

/* Their names in the same order, NULL-terminated: choices for option tables. */
extern const char *const gannet_activation_names[];

/* The smooth activations and their names, in the same way. */
extern const gannet_activation *const gannet_smooth_activations[];
extern const char *const gannet_smooth_activation_names[];

/* Find an activation by name.
 *
 * Local.
 *
 * Errors: GANNET_ERR_NAME with the known names.
 */
GANNET_CHECKED gannet_err gannet_activation_find(const char *name,
                                                 const gannet_activation **activation);

#endif
