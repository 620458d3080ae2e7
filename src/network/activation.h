/* Activation functions of networks, applied to contiguous arrays.
 *
 * One indirect call per array, never per element. Values and derivatives are those of this file's
 * own polynomials, so they do not change with the C library; errors are a few units in the last
 * place (absolute ones where a derivative is close to zero).
 */
#ifndef GANNET_NETWORK_ACTIVATION_H
#define GANNET_NETWORK_ACTIVATION_H

#include <stdbool.h>

#include "base/error.h"

/* For the first three functions: u [n] in, the others [n] out, not NULL; value may be u itself.
 * higher: u, value and slope [n] in; d [4][n] out, the derivatives of order 2 to 5. */
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

/* The smooth ones and their names, alike. */
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
