/* The Sobol sequence with random access and Owen's scrambling.
 *
 * Coordinates below GANNET_SOBOL_TABLE (1024) use the direction numbers of Joe and Kuo 2008,
 * further coordinates are plain random numbers. Points are numbered in the direct order: bit j of
 * the number selects direction j. Every aligned block of 2^k points is therefore the same set as in
 * the Gray-code order.
 */
#ifndef GANNET_SEARCH_SOBOL_H
#define GANNET_SEARCH_SOBOL_H

#include <stdint.h>

#include "base/error.h"
#include "base/random.h"

typedef struct gannet_sobol gannet_sobol;

/* A sequence of d coordinates, scrambled by a stream: nested uniform (Owen) scrambling by a hash,
 * as in Laine and Karras 2011 and Burley 2020, with the constants of Vegdahl 2021.
 *
 * Local.
 *
 * stream  in  keys of the scrambling; NULL = not scrambled (tests)
 */
GANNET_CHECKED gannet_err gannet_sobol_create(int d, const gannet_stream *stream,
                                              gannet_sobol **sobol);
void gannet_sobol_destroy(gannet_sobol **sobol);

/* Coordinate k of point i as 32 bits after the binary point.
 *
 * Local.
 *
 * i  in  0 <= i < 2^32
 * k  in  0 <= k < min(d, 1024)
 */
uint32_t gannet_sobol_bits(const gannet_sobol *sobol, uint32_t i, int k);

/* Points first .. first+n-1, each a pure function of its number; inside the open unit cube.
 *
 * Local.
 *
 * x  out  [n][d]
 */
void gannet_sobol_points(const gannet_sobol *sobol, uint32_t first, int n, double *x);

#endif
