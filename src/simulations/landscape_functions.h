/* The base functions of landscapes: shared by landscape.c and landscape_functions.c. */
#ifndef GANNET_SIMULATIONS_LANDSCAPE_FUNCTIONS_H
#define GANNET_SIMULATIONS_LANDSCAPE_FUNCTIONS_H

#include "simulations/landscape.h"

/* The oscillation T_osz of one coordinate (Hansen et al. 2009, section 0.2): smooth irregularities
 * that keep sign and order.
 *
 * Local.
 */
double landscape_oscillate(double z);

/* Base functions in landscape_reserve.c, 0 at z = 0.
 *
 * Local.
 *
 * z  in  [d]
 */
double landscape_alpine(const gannet_landscape *l, const double *z);
double landscape_salomon(const gannet_landscape *l, const double *z);
double landscape_largest(const gannet_landscape *l, const double *z);
double landscape_powell(const gannet_landscape *l, const double *z);
double landscape_quartic(const gannet_landscape *l, const double *z);
double landscape_bohachevsky(const gannet_landscape *l, const double *z);
double landscape_log_ellipsoid(const gannet_landscape *l, const double *z);
double landscape_springs(const gannet_landscape *l, const double *z);
double landscape_folds(const gannet_landscape *l, const double *z);

#endif
