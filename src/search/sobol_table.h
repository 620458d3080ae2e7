/* The table behind search/sobol.h (Joe and Kuo 2008). */
#ifndef GANNET_SEARCH_SOBOL_TABLE_H
#define GANNET_SEARCH_SOBOL_TABLE_H

#include <stdint.h>

enum { GANNET_SOBOL_TABLE = 1024, GANNET_SOBOL_INITIALS = 11069 };

/* Primitive polynomials of coordinates 1, 2, ...: bit i is the coefficient of x^i. Coordinate 0 is
 * van der Corput's sequence and needs none. */
extern const uint16_t gannet_sobol_polynomials[GANNET_SOBOL_TABLE - 1];

/* For each of these in turn the initial numbers m_2, ..., m_degree; m_1 is always 1. */
extern const uint16_t gannet_sobol_initials[GANNET_SOBOL_INITIALS];

#endif
